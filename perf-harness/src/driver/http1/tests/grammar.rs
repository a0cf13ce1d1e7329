//! What RFC 9112 lets servers say, and what it does not.

use super::*;

/// Six good replies of `body` bytes over `connections` connections.
fn assert_good(reply: &str, body: u64, connections: u64) {
    let closes = connections == 6;
    let reply_text = reply.to_owned();
    let (sample, seen) = drive(&six(), move |conversation| {
        while conversation.read_request() {
            conversation.write(&reply_text);
            if closes {
                return;
            }
        }
    });
    assert_eq!(
        sample.errors,
        errors([]),
        "{reply:?}: {:?}",
        sample.first_error
    );
    assert_eq!((sample.ok, sample.bytes), (6, 6 * body), "{reply:?}");
    assert_eq!(
        (seen.requests, seen.connections),
        (6, connections),
        "{reply:?}"
    );
}

fn assert_no_message(reply: &str) {
    let (sample, seen) = drive(&six(), once(reply.to_owned()));
    assert_eq!(sample.errors, errors([(ErrorKind::Parse, 6)]), "{reply:?}");
    assert_eq!((seen.requests, sample.retries), (6, 0), "{reply:?}");
}

fn chunked(fields: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\n{fields}Transfer-Encoding: chunked\r\n\r\n{body}")
}

#[test]
fn extensions_and_trailers_of_chunks_are_no_body() {
    let body = "5;a;b=\"c\" ; d\r\nhello\r\n0;last\r\nDigest: x\r\nExpires: y\r\n\r\n";
    assert_good(&chunked("", body), 5, 2);
}

#[test]
fn chunk_sizes_are_read_in_either_case_and_with_leading_zeros() {
    for size in ["a", "A", "000a", "000000000000000A"] {
        assert_good(
            &chunked("", &format!("{size}\r\n0123456789\r\n0\r\n\r\n")),
            10,
            2,
        );
    }
}

#[test]
fn a_folded_field_is_no_message() {
    assert_no_message("HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 5\r\n\r\nhello");
}

#[test]
fn a_blank_before_the_colon_is_no_message() {
    assert_no_message("HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello");
}

#[test]
fn empty_lines_before_a_reply_are_passed_over() {
    assert_good(&format!("\r\n\r\n{HELLO}"), 5, 2);
}

#[test]
fn a_body_without_a_head_is_no_message() {
    assert_no_message("<html>hello</html>\r\n\r\n");
}

#[test]
fn a_reason_may_be_missing() {
    assert_good("HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello", 5, 2);
    assert_good("HTTP/1.1 200 \r\nContent-Length: 5\r\n\r\nhello", 5, 2);
}

#[test]
fn a_hundred_interim_replies_are_ignored() {
    let hint = "HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\n";
    assert_good(&format!("{}{HELLO}", hint.repeat(100)), 5, 2);
}

#[test]
fn the_same_length_in_two_fields_is_one_length() {
    let reply = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello";
    assert_good(reply, 5, 2);
}

#[test]
fn a_length_besides_chunks_costs_the_connection() {
    assert_good(
        &chunked("Content-Length: 3\r\n", "5\r\nhello\r\n0\r\n\r\n"),
        5,
        6,
    );
}

#[test]
fn chunks_are_the_last_of_several_codings() {
    let reply =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    assert_good(reply, 5, 2);
}

#[test]
fn a_coding_that_is_not_chunked_ends_with_the_connection() {
    for coding in ["gzip", "chunked, gzip", "unknown"] {
        let reply = format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: {coding}\r\n\r\nhello");
        assert_good(&reply, 5, 6);
    }
}

#[test]
fn a_head_reply_with_a_body_costs_the_connection() {
    let load = with_method(six(), Method::HEAD);
    let (sample, seen) = drive(&load, always(HELLO));
    assert_eq!(
        (sample.ok, sample.bytes, seen.requests),
        (6, 0, 6),
        "{:?}",
        sample.first_error
    );
    assert_eq!(seen.connections, 6);
}
