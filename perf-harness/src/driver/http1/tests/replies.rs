//! Replies of every legal form, and some that servers send all the same.

use super::*;

fn assert_six(method: Method, reply: &str, body: u64) {
    let load = with_method(six(), method);
    let (sample, seen) = drive(&load, always(reply.to_owned()));
    assert_eq!(
        sample.errors,
        errors([]),
        "{reply:?}: {:?}",
        sample.first_error
    );
    assert_eq!((sample.ok, sample.bytes), (6, 6 * body), "{reply:?}");
    assert_eq!((seen.requests, seen.connections), (6, 2), "{reply:?}");
}

#[test]
fn t01_a_length_without_a_connection_field_keeps_the_connection() {
    assert_six(Method::GET, HELLO, 5);
}

#[test]
fn t06_a_body_without_a_length_ends_with_the_connection() {
    let (sample, seen) = drive(&six(), once("HTTP/1.1 200 OK\r\n\r\nhello"));
    assert_eq!((sample.ok, sample.bytes, sample.retries), (6, 30, 0));
    assert_eq!(
        (seen.requests, seen.connections, sample.reconnects),
        (6, 6, 4)
    );
}

#[test]
fn t07_chunk_framing_is_no_body() {
    let reply =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n";
    assert_six(Method::GET, reply, 5);
}

#[test]
fn t11_204_without_a_length_has_no_body() {
    assert_expected(204, "HTTP/1.1 204 No Content\r\n\r\n");
}

#[test]
fn t12_204_with_a_length_has_no_body() {
    assert_expected(204, "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n");
}

#[test]
fn a_304_with_a_length_has_no_body() {
    assert_expected(
        304,
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
    );
}

fn assert_expected(status: u16, reply: &str) {
    let mut request = Request::new(Method::GET, "/");
    request.expected.statuses = vec![200, status];
    let load = Load {
        mix: Some(request.into()),
        ..six()
    };
    let (sample, seen) = drive(&load, always(reply.to_owned()));
    assert_eq!(
        (sample.ok, sample.bytes),
        (6, 0),
        "{:?}",
        sample.first_error
    );
    assert_eq!((seen.requests, seen.connections), (6, 2));
}

#[test]
fn t14_a_reply_to_head_has_no_body() {
    assert_six(
        Method::HEAD,
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n",
        0,
    );
    assert_six(
        Method::HEAD,
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        0,
    );
}

#[test]
fn t15_interim_replies_are_ignored() {
    let one = "HTTP/1.1 100 Continue\r\n\r\n";
    let two = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n";
    assert_six(Method::GET, &format!("{one}{HELLO}"), 5);
    assert_six(Method::GET, &format!("{one}{two}{two}{HELLO}"), 5);
}

#[test]
fn t15_an_interim_reply_alone_is_none() {
    let (sample, _) = drive(&six(), once("HTTP/1.1 100 Continue\r\n\r\n"));
    assert_eq!(sample.errors, errors([(ErrorKind::EofBeforeReply, 6)]));
}

#[test]
fn switching_protocols_is_a_status_and_ends_the_connection() {
    let (sample, seen) = drive(&six(), always("HTTP/1.1 101 Switching Protocols\r\n\r\n"));
    assert_eq!(sample.errors, errors([(ErrorKind::Status, 6)]));
    assert_eq!(seen.connections, 6);
}

#[test]
fn t19_a_reply_in_single_bytes_is_one_reply() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    for reply in [HELLO, chunked] {
        let (sample, seen) = drive(&six(), move |conversation| {
            while conversation.read_request() {
                reply.bytes().for_each(|byte| conversation.write([byte]));
            }
        });
        assert_eq!(
            (sample.ok, sample.bytes, seen.requests, seen.connections),
            (6, 30, 6, 2)
        );
    }
}

#[test]
fn an_empty_body_is_a_good_reply() {
    assert_six(
        Method::GET,
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
        0,
    );
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
    assert_six(Method::GET, chunked, 0);
}

#[test]
fn large_bodies_are_counted_to_the_byte() {
    for length in [8_191, 16_383, 43_279, 1 << 20, (3 << 20) + 1] {
        let mut sized = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n").into_bytes();
        sized.resize(sized.len() + length, b'\n');
        assert_large(sized, length);
        let mut chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        chunked.extend(format!("{length:x}\r\n").bytes());
        chunked.resize(chunked.len() + length, b'\n');
        chunked.extend(b"\r\n0\r\n\r\n");
        assert_large(chunked, length);
    }
}

fn assert_large(reply: Vec<u8>, length: usize) {
    let (sample, seen) = drive(&six(), always(reply));
    assert_eq!(
        (sample.ok, sample.bytes),
        (6, 6 * length as u64),
        "{:?}",
        sample.first_error
    );
    assert_eq!((seen.requests, seen.connections), (6, 2));
}

#[test]
fn a_large_body_until_close_is_counted_to_the_byte() {
    let mut reply = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
    let head = reply.len();
    reply.resize(head + (3 << 20), b'x');
    let (sample, seen) = drive(&six(), once(reply));
    assert_eq!(
        (sample.ok, sample.bytes, seen.requests),
        (6, 6 * (3 << 20), 6)
    );
}

#[test]
fn surplus_bytes_cost_the_connection_and_no_request() {
    let twice = format!("{HELLO}HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n");
    let (sample, seen) = drive(&six(), always(twice));
    assert_eq!(
        (sample.ok, sample.bytes),
        (6, 30),
        "{:?}",
        sample.first_error
    );
    assert_eq!(
        (seen.requests, seen.connections, sample.reconnects),
        (6, 6, 4)
    );
}

#[test]
fn surplus_bytes_after_a_large_body_cost_the_connection_and_no_request() {
    let mut reply = b"HTTP/1.1 200 OK\r\nContent-Length: 500000\r\n\r\n".to_vec();
    reply.resize(reply.len() + 500_001, b'x');
    let (sample, seen) = drive(&six(), always(reply));
    assert_eq!(
        (sample.ok, sample.bytes),
        (6, 3_000_000),
        "{:?}",
        sample.first_error
    );
    assert_eq!((seen.requests, seen.connections), (6, 6));
}
