//! Requests with bodies, to servers that read them slowly, in part or not at all.

use super::*;

/// Four requests of `length` body bytes over two connections, good when answered with `status`.
fn posts(length: usize, status: u16) -> Load {
    let mut request = Request::new(Method::POST, "/");
    request.body = vec![b'x'; length];
    request.expected.statuses = vec![status];
    Load {
        mix: Some(request.into()),
        ..load(4, 2)
    }
}

#[test]
fn a_server_that_reads_in_small_pieces_gets_the_whole_request() {
    let (sample, seen) = drive(&posts(1 << 20, 200), |conversation| {
        while conversation.read_request_in_pieces(1_000) {
            conversation.write(HELLO);
        }
    });
    assert_eq!(
        (sample.ok, seen.requests, seen.connections),
        (4, 4, 2),
        "{:?}",
        sample.first_error
    );
}

/// A close with unread bytes is a reset, which may overtake the reply: each request is counted once
/// whichever the client saw.
#[test]
fn a_server_that_refuses_a_large_body_and_closes_is_counted_once_a_request() {
    let (sample, seen) = drive(&posts(32 << 20, 413), |conversation| {
        if conversation.await_request() {
            conversation.write("HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n");
        }
    });
    let resets = sample.errors.get(&ErrorKind::Reset).copied().unwrap_or(0);
    assert_eq!(sample.ok + resets, 4, "{:?}", sample.first_error);
    assert_eq!((seen.requests, seen.connections, sample.retries), (4, 4, 0));
}

#[test]
fn a_server_that_closes_its_half_and_reads_on_has_replied() {
    let (sample, seen) = drive(&posts(8, 200), |conversation| {
        if conversation.read_request() {
            conversation.write_and_shut_down(HELLO);
            conversation.await_close();
        }
    });
    assert_eq!(
        (sample.ok, sample.retries, seen.requests, seen.connections),
        (4, 0, 4, 4),
        "{:?}",
        sample.first_error
    );
}

#[test]
fn t03_a_close_that_came_with_the_reply_is_seen_before_a_post_is_sent() {
    let (sample, seen) = drive(&with_method(load(50, 1), Method::POST), |conversation| {
        if conversation.read_request() {
            conversation.write_and_shut_down(HELLO);
            conversation.await_close();
        }
    });
    assert_eq!(
        (sample.ok, sample.retries, sample.reconnects),
        (50, 0, 49),
        "{:?}",
        sample.first_error
    );
    assert_eq!((seen.requests, seen.connections), (50, 50));
}
