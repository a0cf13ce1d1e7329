//! Redirects and cookies.

use super::*;

fn redirect(to: &str) -> Answer {
    Answer::Reply(format!(
        "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n"
    ))
}

/// `/0` redirects to `/1`, and so on to `/3`.
fn chain(asked: &Asked) -> Answer {
    match asked.head[0].as_str() {
        "GET /0 HTTP/1.1" => redirect("/1"),
        "GET /1 HTTP/1.1" => redirect("/2"),
        "GET /2 HTTP/1.1" => redirect("/3"),
        _ => reply(200, "there"),
    }
}

fn following(redirects: usize, request: LoadRequest) -> Load {
    Load {
        redirects,
        ..twenty(request)
    }
}

#[test]
fn redirects_are_followed_over_the_same_connection() {
    let peer = Peer::start(chain);
    let load = following(3, LoadRequest::get("/0"));
    let sample = drive_at(&peer, &load);
    assert_eq!((sample.ok, sample.bytes), (20, 5 * 20));
    assert_eq!(sample.statuses, [(200, 20)].into());
    assert_eq!(peer.requests(), 4 * (20 + load.warmup_requests()));
    assert_eq!(peer.connections(), 2);
}

#[test]
fn without_redirects_or_with_too_few_a_redirect_is_the_reply() {
    for redirects in [0, 2] {
        let peer = Peer::start(chain);
        let request = LoadRequest::get("/0").expect_status(302);
        let load = following(redirects, request);
        let sample = drive_at(&peer, &load);
        assert_eq!(sample.statuses, [(302, 20)].into(), "{redirects}");
        let requests = (redirects as u64 + 1) * (20 + load.warmup_requests());
        assert_eq!(peer.requests(), requests);
    }
}

#[test]
fn a_redirect_to_another_server_is_not_followed() {
    let other = Peer::start(hello);
    let elsewhere = format!("http://{}/", other.endpoint().authority());
    let peer = Peer::start(move |_| redirect(&elsewhere));
    let request = LoadRequest::get("/").expect_status(302);
    assert_eq!(drive_at(&peer, &following(5, request)).ok, 20);
    assert_eq!(other.requests(), 0);
}

/// Gives every connection a cookie by its number, and answers 403 to another's or none later on.
fn cookies(asked: &Asked) -> Answer {
    let own = format!("cookie: id={}", asked.connection);
    match asked.on_connection {
        1 => Answer::Reply(format!(
            "HTTP/1.1 200 OK\r\nSet-Cookie: id={}; Path=/\r\nContent-Length: 0\r\n\r\n",
            asked.connection
        )),
        _ if asked.head.contains(&own) => reply(200, ""),
        _ => reply(403, ""),
    }
}

#[test]
fn every_connection_keeps_cookies_of_its_own() {
    let peer = Peer::start(cookies);
    let load = Load {
        cookies: true,
        ..load(40, 4)
    };
    assert_eq!(drive_at(&peer, &load).ok, 40);
    assert_eq!(peer.connections(), 4);
}

#[test]
fn cookies_outlive_a_connection_that_was_dropped() {
    let peer = Peer::start(|asked| {
        match (
            asked.number,
            asked.head.contains(&"cookie: id=1".to_owned()),
        ) {
            (1, _) => Answer::Reply(
                "HTTP/1.1 200 OK\r\nSet-Cookie: id=1\r\nContent-Length: 0\r\n\r\n".to_owned(),
            ),
            (7, _) => Answer::Silence,
            (_, true) => reply(200, ""),
            (_, false) => reply(403, ""),
        }
    });
    let load = Load {
        cookies: true,
        timeout: Duration::from_millis(300),
        ..load(20, 1)
    };
    let sample = drive_at(&peer, &load);
    assert_eq!(sample.errors, [(ErrorKind::Timeout, 1)].into());
    assert_eq!((sample.ok, peer.connections()), (19, 2));
}

#[test]
fn without_cookies_none_is_sent() {
    let peer = Peer::start(|asked| {
        let any = asked.head.iter().any(|field| field.starts_with("cookie"));
        match any {
            true => reply(400, ""),
            false => Answer::Reply(
                "HTTP/1.1 200 OK\r\nSet-Cookie: id=1\r\nContent-Length: 0\r\n\r\n".to_owned(),
            ),
        }
    });
    assert_eq!(drive_at(&peer, &load(20, 2)).ok, 20);
}
