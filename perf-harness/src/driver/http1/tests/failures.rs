//! Replies that never become good, each counted once under its own kind.

use super::*;

fn assert_six_fail(
    kind: ErrorKind,
    script: impl Fn(&mut Conversation) + Send + Sync + 'static,
) -> String {
    let (sample, seen) = drive(&six(), script);
    assert_eq!(
        sample.errors,
        errors([(kind, 6)]),
        "{:?}",
        sample.first_error
    );
    assert_eq!(
        (sample.ok, sample.bytes, sample.retries, seen.requests),
        (0, 0, 0, 6)
    );
    sample.first_error.unwrap()
}

#[test]
fn t08_chunks_without_a_last_one_are_truncated() {
    let reply = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
    let message = assert_six_fail(ErrorKind::BodyTruncated, once(reply));
    assert_eq!(
        message,
        "connection closed by the server after 5 bytes of the body"
    );
}

#[test]
fn t09_half_a_body_is_truncated() {
    let reply = format!(
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}",
        "x".repeat(50)
    );
    let message = assert_six_fail(ErrorKind::BodyTruncated, once(reply));
    assert_eq!(
        message,
        "connection closed by the server after 50 bytes of the body"
    );
}

#[test]
fn a_body_of_the_greatest_length_there_is_is_truncated() {
    let reply = format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\nhello",
        u64::MAX
    );
    let message = assert_six_fail(ErrorKind::BodyTruncated, once(reply));
    assert_eq!(
        message,
        "connection closed by the server after 5 bytes of the body"
    );
}

#[test]
fn t20_a_reset_before_any_byte_is_one_error_a_request() {
    let message = assert_six_fail(ErrorKind::Reset, |conversation| {
        conversation.await_request();
    });
    assert_eq!(
        message,
        "connection reset by the server before the first byte of the reply"
    );
}

#[test]
fn t21_a_reset_of_every_third_request_loses_none() {
    let (sample, _) = drive(&load(60, 2), |conversation| {
        for _ in 0..2 {
            if conversation.read_request() {
                conversation.write(HELLO);
            }
        }
        conversation.await_request();
    });
    assert_eq!(
        (sample.ok, sample.failed()),
        (60, 0),
        "{:?}",
        sample.first_error
    );
    assert!(sample.retries > 0);
}

#[test]
fn t21_posts_that_are_reset_are_errors_and_all_are_counted() {
    let (sample, seen) = drive(&with_method(load(60, 1), Method::POST), |conversation| {
        for _ in 0..2 {
            if conversation.read_request() {
                conversation.write(HELLO);
            }
        }
        conversation.await_request();
    });
    assert_eq!(sample.errors, errors([(ErrorKind::Reset, 20)]));
    assert_eq!((sample.ok, seen.requests), (40, 60));
}

#[test]
fn t23_half_a_head_then_a_reset_is_a_reset() {
    let message = assert_six_fail(ErrorKind::Reset, |conversation| {
        if conversation.await_request() {
            conversation.write("HTTP/1.1 200 OK\r\nContent-Le");
        }
    });
    assert_eq!(
        message,
        "connection reset by the server within the head of the reply"
    );
}

#[test]
fn a_reset_within_a_body_says_how_much_had_come() {
    let message = assert_six_fail(ErrorKind::Reset, |conversation| {
        if conversation.await_request() {
            let body = "x".repeat(120);
            conversation.write(format!(
                "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{body}"
            ));
        }
    });
    assert_eq!(
        message,
        "connection reset by the server after 120 bytes of the body"
    );
}

#[test]
fn half_a_head_is_no_message() {
    let message = assert_six_fail(ErrorKind::Parse, once("HTTP/1.1 200 OK\r\nContent-Le"));
    assert_eq!(
        message,
        "connection closed by the server within the head of the reply"
    );
}

#[test]
fn t24_what_is_not_http_is_a_parse_error() {
    for garbage in [
        "SSH-2.0-OpenSSH_9.2\r\n",
        "\0\u{1}\u{2}garbage",
        "HTTP/2 200\r\n\r\n",
        "hello",
    ] {
        let message = assert_six_fail(ErrorKind::Parse, once(garbage));
        assert!(
            message.starts_with("the reply is no HTTP/1 message: "),
            "{message}"
        );
    }
}

#[test]
fn lengths_that_contradict_each_other_are_a_parse_error() {
    for length in [
        "five",
        "",
        "-5",
        "+5",
        "5\r\nContent-Length: 6",
        "5, 6",
        "99999999999999999999",
    ] {
        let reply = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\nhello");
        let message = assert_six_fail(ErrorKind::Parse, once(reply));
        assert!(message.contains("content length"), "{length:?}: {message}");
    }
}

#[test]
fn a_chunk_of_another_size_is_a_parse_error() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    let message = assert_six_fail(
        ErrorKind::Parse,
        once(format!("{head}4\r\nhello\r\n0\r\n\r\n")),
    );
    assert!(
        message.contains("chunk does not end where its size says"),
        "{message}"
    );
}

#[test]
fn t27_an_unexpected_status_is_an_error_on_a_kept_connection() {
    let (sample, seen) = drive(
        &six(),
        always("HTTP/1.1 500 No\r\nContent-Length: 4\r\n\r\noops"),
    );
    assert_eq!(sample.errors, errors([(ErrorKind::Status, 6)]));
    assert_eq!(sample.first_error.as_deref(), Some("status 500"));
    assert_eq!(
        (sample.bytes, sample.latency.count()),
        (0, 0),
        "a failure is never fast"
    );
    assert_eq!((seen.requests, seen.connections), (6, 2));
}

#[test]
fn t27_a_declared_status_is_good() {
    let mut request = Request::new(Method::GET, "/");
    request.expected.statuses = vec![500];
    let load = Load {
        mix: Some(request.into()),
        ..six()
    };
    let (sample, _) = drive(
        &load,
        always("HTTP/1.1 500 No\r\nContent-Length: 4\r\n\r\noops"),
    );
    assert_eq!((sample.ok, sample.bytes), (6, 24));
}

#[test]
fn t31_a_redirect_is_not_followed() {
    let reply = "HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n";
    let (sample, seen) = drive(&six(), always(reply));
    assert_eq!(sample.first_error.as_deref(), Some("status 302"));
    assert_eq!(
        (sample.errors, seen.requests),
        (errors([(ErrorKind::Status, 6)]), 6)
    );
}

#[test]
fn good_and_bad_replies_are_counted_apart() {
    let (sample, seen) = drive(&load(100, 1), |conversation| {
        while conversation.read_request() {
            let good = conversation.requests() % 4 != 0;
            conversation.write(if good {
                HELLO
            } else {
                "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"
            });
        }
    });
    assert_eq!((sample.ok, sample.bytes, seen.requests), (75, 375, 100));
    assert_eq!(sample.errors, errors([(ErrorKind::Status, 25)]));
}

#[test]
fn t22_a_closed_port_is_no_measurement() {
    let peer = Peer::start(|_| {});
    let endpoint = peer.endpoint();
    peer.stop();
    let mut window = CountingWindow::default();
    let error = Http1.drive(&endpoint, &six(), &mut window).unwrap_err();
    assert!(matches!(error, DriverError::Connect { .. }), "{error:?}");
    assert_eq!(window.opened, 0);
}

#[test]
fn a_server_that_stops_listening_mid_run_is_refused_for_the_rest() {
    let (sample, seen) = {
        let peer = peer::Peer::serving_only(1, once(HELLO));
        let sample = Http1.drive(
            &peer.endpoint(),
            &load(6, 1),
            &mut CountingWindow::default(),
        );
        (sample.unwrap(), peer.stop())
    };
    assert_eq!((sample.ok, sample.sent, seen.requests), (1, 6, 1));
    assert_eq!(sample.errors, errors([(ErrorKind::Refused, 5)]));
}

#[test]
fn a_server_that_stops_listening_under_a_long_load_is_lost() {
    let peer = peer::Peer::serving_only(1, once(HELLO));
    let mut window = CountingWindow::default();
    let error = Http1
        .drive(&peer.endpoint(), &load(u64::MAX, 1), &mut window)
        .unwrap_err();
    assert!(
        matches!(error, DriverError::Lost { answered: 1, .. }),
        "{error:?}"
    );
    let message = error.to_string();
    assert!(
        message.contains(
            "after 1 good replies (cannot open a connection: Connection refused (os error 111)): look"
        ),
        "{message}"
    );
    assert_eq!(
        (window.opened, window.closed, peer.stop().requests),
        (1, 0, 1)
    );
}

#[test]
fn a_server_that_stops_listening_in_the_warm_up_is_lost() {
    let peer = peer::Peer::serving_only(1, once(HELLO));
    let load = Load {
        warmup: Some(u64::MAX),
        ..load(6, 1)
    };
    let mut window = CountingWindow::default();
    let error = Http1
        .drive(&peer.endpoint(), &load, &mut window)
        .unwrap_err();
    assert!(
        matches!(error, DriverError::Lost { answered: 1, .. }),
        "{error:?}"
    );
    assert_eq!((window.opened, peer.stop().requests), (0, 1));
}

#[test]
fn more_connections_than_files_are_refused_before_any_is_opened() {
    let load = load(u64::MAX, usize::MAX);
    let (result, seen) = try_drive(&load, always(HELLO));
    assert!(
        matches!(result, Err(DriverError::FileLimit { .. })),
        "{result:?}"
    );
    assert_eq!(seen.connections, 0);
}

#[test]
fn a_warm_up_that_fails_whole_is_no_measurement() {
    let load = Load {
        warmup: Some(4),
        ..six()
    };
    let (result, seen) = try_drive(
        &load,
        always("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"),
    );
    let message = result.unwrap_err().to_string();
    assert!(
        message.ends_with(
            "the first failed so: status 404; correct the path, or name the status with `expect_status`"
        ),
        "{message}"
    );
    assert_eq!(seen.requests, 4);
}

#[test]
fn a_warm_up_that_fails_in_part_is_just_not_counted() {
    let load = Load {
        warmup: Some(4),
        ..load(6, 1)
    };
    let (sample, seen) = drive(&load, |conversation| {
        while conversation.read_request() {
            let early = conversation.requests() <= 3;
            conversation.write(if early {
                "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n"
            } else {
                HELLO
            });
        }
    });
    assert_eq!((sample.ok, sample.failed(), seen.requests), (6, 0, 10));
}

#[test]
fn a_load_without_a_request_is_refused() {
    let load = Load { mix: None, ..six() };
    let (result, seen) = try_drive(&load, always(HELLO));
    assert!(
        matches!(
            result,
            Err(DriverError::Unsuited {
                driver: "http1",
                ..
            })
        ),
        "{result:?}"
    );
    assert_eq!(seen.connections, 0);
}
