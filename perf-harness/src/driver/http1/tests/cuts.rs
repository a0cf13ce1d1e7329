//! Replies cut at every position: into two writes, or by a reset.

use super::*;

const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
    2;x=\"y\"\r\nhe\r\n03\r\nllo\r\n0\r\nTrailer: t\r\n\r\n";
const INTERIM: &str = "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n\
    HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

/// Each request of one load is answered with the next cut of the reply.
#[test]
fn t19_a_reply_in_two_writes_is_one_reply_wherever_it_is_cut() {
    for reply in [HELLO, CHUNKED, INTERIM] {
        let cuts = reply.len() as u64 - 1;
        let (sample, seen) = drive(&load(cuts, 1), move |conversation| {
            while conversation.read_request() {
                let (front, back) = reply.split_at(conversation.requests() as usize);
                conversation.write(front);
                conversation.write(back);
            }
        });
        assert_eq!(
            (sample.ok, sample.bytes),
            (cuts, 5 * cuts),
            "{:?}",
            sample.first_error
        );
        assert_eq!((seen.requests, seen.connections), (cuts, 1));
    }
}

#[test]
fn t23_a_reset_is_one_error_wherever_it_cuts_a_reply() {
    for reply in [HELLO, CHUNKED, INTERIM] {
        let cuts = reply.len() as u64;
        let (sample, seen) = drive(&load(cuts, 1), move |conversation| {
            if conversation.await_request() {
                conversation.write(&reply[..conversation.requests() as usize - 1]);
            }
        });
        assert_eq!(
            sample.errors,
            errors([(ErrorKind::Reset, cuts)]),
            "{:?}",
            sample.first_error
        );
        assert_eq!(
            (seen.requests, seen.connections, sample.retries),
            (cuts, cuts, 0)
        );
    }
}

/// What is missing names the kind: the reply, its head or its body.
#[test]
fn t09_a_close_is_one_error_wherever_it_cuts_a_reply() {
    let head = HELLO.len() as u64 - 5;
    let cuts = HELLO.len() as u64;
    let (sample, seen) = drive(&load(cuts, 1), |conversation| {
        if conversation.read_request() {
            conversation.write(&HELLO[..conversation.requests() as usize - 1]);
        }
    });
    let expected = errors([
        (ErrorKind::EofBeforeReply, 1),
        (ErrorKind::Parse, head - 1),
        (ErrorKind::BodyTruncated, 5),
    ]);
    assert_eq!(
        (sample.errors, seen.requests, sample.retries),
        (expected, cuts, 0)
    );
}
