//! What a request carries, and what a reply gives.

use std::sync::Mutex;

use http::Method;
use serde_json::{Value, json};

use super::*;
use crate::driver::Driver;
use crate::endpoint::Endpoint;

/// Runs `code` once for a user of a server that treats requests as `script` says.
fn once<F>(
    script: impl Fn(&peer::Asked) -> Answer + Send + Sync + 'static,
    code: F,
) -> Result<(), String>
where
    F: AsyncFn(&mut User) -> Result<()> + Send + Sync + 'static,
{
    let peer = Peer::start(script);
    let load = Load {
        warmup: Some(0),
        ..load(1, 1)
    };
    let sample = drive(&peer, &load, code);
    sample.first_error.map_or(Ok(()), Err)
}

/// Answers 200 when the request has all `lines` and `body`.
fn expecting(
    lines: &'static [&str],
    body: &'static str,
) -> impl Fn(&peer::Asked) -> Answer + Send + Sync {
    move |asked| {
        let has = |line: &&str| asked.head.iter().any(|field| field == line);
        match lines.iter().all(has) && asked.body == body.as_bytes() {
            true => reply(200, ""),
            false => reply(400, &format!("{:?}", asked.head)),
        }
    }
}

#[test]
fn every_method_is_sent_as_such() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let notes = Arc::clone(&seen);
    let script = move |asked: &peer::Asked| {
        notes.lock().unwrap().push(asked.head[0].clone());
        reply(200, "")
    };
    let done = once(script, async |user| {
        user.get("/a").await?;
        user.head("/b").await?;
        user.post("/c").await?;
        user.put("/d").await?;
        user.patch("/e").await?;
        user.delete("/f").await?;
        user.request(Method::OPTIONS, "/g").await?;
        Ok(())
    });
    assert_eq!(done, Ok(()));
    let lines = "GET /a|HEAD /b|POST /c|PUT /d|PATCH /e|DELETE /f|OPTIONS /g";
    let expected: Vec<String> = lines
        .split('|')
        .map(|line| format!("{line} HTTP/1.1"))
        .collect();
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[test]
fn header_query_and_json_arrive_as_written() {
    let lines = &[
        "POST /pay?amount=1&note=a+b%26c HTTP/1.1",
        "x-key: 7",
        "content-type: application/json",
    ];
    let done = once(expecting(lines, r#"{"amount":1}"#), async |user| {
        let request = user
            .post("/pay")
            .header("X-Key", "7")
            .query(&[("amount", 1)]);
        let request = request
            .query(&[("note", "a b&c")])
            .json(&json!({"amount": 1}));
        request.await?.expect_status(200)?;
        Ok(())
    });
    assert_eq!(done, Ok(()));
}

#[test]
fn a_content_type_of_ones_own_stays() {
    let lines = &["content-type: application/problem+json"];
    let done = once(expecting(lines, "[]"), async |user| {
        let request = user
            .put("/")
            .header("Content-Type", "application/problem+json");
        request.json(&[0_u8; 0]).await?.expect_status(200)?;
        Ok(())
    });
    assert_eq!(done, Ok(()));
}

#[test]
fn a_request_asks_for_no_compression() {
    let script = |asked: &peer::Asked| match asked
        .head
        .iter()
        .any(|field| field.starts_with("accept-encoding"))
    {
        true => reply(400, ""),
        false => reply(200, ""),
    };
    assert_eq!(once(script, get_root), Ok(()));
}

#[test]
fn a_redirect_is_a_reply_like_others() {
    let redirect = |_: &peer::Asked| {
        Answer::Reply(
            "HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n".to_owned(),
        )
    };
    let done = once(redirect, async |user| {
        let reply = user.get("/").await?.expect_status(302)?;
        assert_eq!(reply.header("location"), Some("/elsewhere"));
        assert_eq!(reply.header("etag"), None);
        Ok(())
    });
    assert_eq!(done, Ok(()));
}

#[test]
fn a_reply_gives_its_body_as_bytes_text_and_json() {
    let done = once(
        |_| reply(201, r#"{"id": 5}"#),
        async |user| {
            let reply = user.get("/").await?;
            assert_eq!((reply.status(), reply.body().len()), (201, 9));
            assert_eq!(reply.text()?, r#"{"id": 5}"#);
            assert_eq!(reply.json::<Value>()?, json!({"id": 5}));
            Ok(())
        },
    );
    assert_eq!(done, Ok(()));
}

#[test]
fn a_body_that_is_not_the_expected_json_is_named() {
    let failed = once(
        |_| reply(200, "tea"),
        async |user| {
            user.get("/menu").await?.json::<Value>()?;
            Ok(())
        },
    );
    let message = failed.unwrap_err();
    assert!(
        message.starts_with("the body of GET /menu is not the expected JSON: "),
        "{message}"
    );
}

#[test]
fn what_cannot_be_sent_is_named_when_awaited() {
    let failed = once(hello, async |user| {
        user.get("/").header("a b", "c").await?;
        Ok(())
    });
    let message = failed.unwrap_err();
    assert!(
        message.starts_with("the header \"a b\" cannot be sent: "),
        "{message}"
    );
    let failed = once(hello, async |user| {
        user.get("http://127.0.0.1/").await?;
        Ok(())
    });
    let message = failed.unwrap_err();
    assert!(message.contains("is no path on the server"), "{message}");
}

#[test]
fn a_server_is_asked_by_the_name_and_path_of_its_url() {
    let peer = Peer::start(|asked| {
        let host = asked
            .head
            .iter()
            .find(|field| field.starts_with("host: "))
            .unwrap();
        reply(200, &format!("{} {host}", asked.head[0]))
    });
    let port = peer.endpoint().address().unwrap().port();
    let endpoints = Endpoint::resolve(&format!("http://LocalHost:{port}/shop")).unwrap();
    let endpoint = endpoints
        .iter()
        .find(|endpoint| endpoint.address().unwrap().is_ipv4())
        .unwrap();
    let driver = journey(async move |user: &mut User| {
        let text = format!("GET /shop/cart HTTP/1.1 host: localhost:{port}");
        assert_eq!(user.get("/cart").await?.text()?, text);
        assert_eq!(
            user.url("/cart"),
            format!("http://LocalHost:{port}/shop/cart")
        );
        assert_eq!(user.endpoint().address().unwrap().port(), port);
        Ok(())
    });
    let sample = driver
        .drive(endpoint, &load(10, 2), &mut CountingWindow::default())
        .unwrap();
    assert_eq!(sample.ok, 10);
}

#[test]
fn functions_and_closures_are_journeys_without_a_word_on_their_types() {
    let peer = Peer::start(hello);
    let times = 2;
    let closure = journey(async move |user: &mut User| {
        for _ in 0..times {
            user.get("/").await?.expect_status(200)?;
        }
        Ok(())
    });
    let plain: Box<dyn Driver> = Box::new(journey(get_root));
    let closure: Box<dyn Driver> = Box::new(closure);
    for (driver, requests) in [(plain, 1), (closure, times)] {
        let sample = driver.drive(
            &peer.endpoint(),
            &load(10, 2),
            &mut CountingWindow::default(),
        );
        assert_eq!(sample.unwrap().bytes, 10 * 5 * requests);
    }
}
