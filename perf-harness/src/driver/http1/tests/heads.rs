//! Long heads and many fields: read up to the limit, named beyond it.

use super::super::head::FIELD_LIMIT;
use super::super::reply::HEAD_LIMIT;
use super::*;

/// A good reply whose head has `length` bytes, most of them one field.
fn reply_with_head(length: usize) -> String {
    let (front, back) = (
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Long: ",
        "\r\n\r\n",
    );
    let value = "v".repeat(length - front.len() - back.len());
    format!("{front}{value}{back}hello")
}

fn reply_with_fields(count: usize) -> String {
    let fields: String = (1..count)
        .map(|number| format!("X-{number}: v\r\n"))
        .collect();
    format!("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n{fields}\r\nhello")
}

#[test]
fn t17_long_heads_are_read() {
    for length in [16 << 10, (16 << 10) + 100, 40_000, HEAD_LIMIT] {
        let (sample, seen) = drive(&six(), always(reply_with_head(length)));
        assert_eq!(
            (sample.ok, sample.bytes),
            (6, 30),
            "{length}: {:?}",
            sample.first_error
        );
        assert_eq!((seen.requests, seen.connections), (6, 2), "{length}");
    }
}

#[test]
fn t17_a_head_over_the_limit_is_named() {
    for length in [HEAD_LIMIT + 1, 4 * HEAD_LIMIT] {
        let (sample, seen) = drive(&six(), always(reply_with_head(length)));
        assert_eq!(sample.errors, errors([(ErrorKind::Parse, 6)]), "{length}");
        let message = sample.first_error.unwrap();
        assert!(
            message.contains("head is longer than 65536 bytes"),
            "{message}"
        );
        assert_eq!(seen.requests, 6);
    }
}

#[test]
fn a_long_head_in_single_bytes_is_read() {
    let reply = reply_with_head(16 << 10);
    let (sample, _) = drive(&load(1, 1), move |conversation| {
        while conversation.read_request() {
            reply.bytes().for_each(|byte| conversation.write([byte]));
        }
    });
    assert_eq!((sample.ok, sample.bytes), (1, 5));
}

#[test]
fn as_many_fields_as_the_limit_are_read() {
    let (sample, seen) = drive(&six(), always(reply_with_fields(FIELD_LIMIT)));
    assert_eq!((sample.ok, seen.requests, seen.connections), (6, 6, 2));
}

#[test]
fn one_field_over_the_limit_is_named() {
    let (sample, _) = drive(&six(), always(reply_with_fields(FIELD_LIMIT + 1)));
    assert_eq!(sample.errors, errors([(ErrorKind::Parse, 6)]));
    let message = sample.first_error.unwrap();
    assert!(message.contains("more than 300 fields"), "{message}");
}
