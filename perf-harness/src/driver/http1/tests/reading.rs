//! The reader of one reply, fed in every possible cut.

use proptest::prelude::*;

use super::super::chunks::Chunks;
use super::super::failure::{Failure, Malformed, Progress};
use super::super::fuzzing;
use super::super::reply::ReplyReader;
use super::HELLO;

const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
    5;name=\"value\"\r\nhello\r\n00A  \r\n0123456789\r\n000;x\r\nTrailer: a\r\nOther: b\r\n\r\n";

/// Pieces of which replies are made, good ones and others.
const PARTS: &[&str] = &[
    "HTTP/1.1 200 OK\r\n",
    "HTTP/1.0 204 \r\n",
    "HTTP/1.1 103 Early Hints\r\n",
    "HTTP/1.1 101 No\r\n",
    "Content-Length: 7\r\n",
    "Content-Length: 18446744073709551615\r\n",
    "Transfer-Encoding: chunked\r\n",
    "Transfer-Encoding: chunked, gzip\r\n",
    "Connection: close\r\n",
    " folded\r\n",
    "\r\n",
    "\n",
    "5;x=y\r\nhello\r\n",
    "00A \r\n",
    "0\r\n",
    "0123456789",
    "ffffffffffffffff\r\n",
    "\0",
];

fn read(parts: &[&[u8]]) -> Result<ReplyReader, Malformed> {
    let mut reader = ReplyReader::new(false);
    for part in parts {
        assert_eq!(reader.feed(part, &mut |_| {})?, part.len());
    }
    Ok(reader)
}

fn assert_read(parts: &[&[u8]], body: u64) {
    let reader = read(parts).unwrap();
    assert!(reader.is_over(), "{parts:?}");
    assert_eq!(
        (reader.status(), reader.body(), reader.keeps_alive()),
        (200, body, true),
        "{parts:?}"
    );
}

#[test]
fn a_reply_is_read_in_single_bytes() {
    for (reply, body) in [(HELLO, 5), (CHUNKED, 15)] {
        let bytes: Vec<&[u8]> = reply.as_bytes().chunks(1).collect();
        assert_read(&bytes, body);
    }
}

#[test]
fn a_reply_is_read_in_every_two_parts() {
    for (reply, body) in [(HELLO, 5), (CHUNKED, 15)] {
        for cut in 0..=reply.len() {
            let (front, back) = reply.as_bytes().split_at(cut);
            assert_read(&[front, back], body);
        }
    }
}

#[test]
fn a_chunked_reply_is_read_in_every_three_parts() {
    let bytes = CHUNKED.as_bytes();
    for first in 0..bytes.len() {
        for second in first..bytes.len() {
            assert_read(
                &[&bytes[..first], &bytes[first..second], &bytes[second..]],
                15,
            );
        }
    }
}

#[test]
fn every_proper_front_of_a_reply_is_unfinished_when_the_server_closes() {
    for reply in [HELLO, CHUNKED] {
        for cut in 0..reply.len() {
            let mut reader = read(&[&reply.as_bytes()[..cut]]).unwrap();
            assert!(!reader.is_over(), "{cut}");
            assert!(
                matches!(reader.close(), Err(Failure::Closed { .. })),
                "{cut}"
            );
        }
    }
}

#[test]
fn what_follows_a_reply_is_not_taken() {
    for reply in [HELLO, CHUNKED] {
        let mut reader = ReplyReader::new(false);
        let followed = format!("{reply}HTTP/1.1");
        assert_eq!(
            reader.feed(followed.as_bytes(), &mut |_| {}).unwrap(),
            reply.len()
        );
        assert_eq!(reader.feed(b"x", &mut |_| {}).unwrap(), 0);
    }
}

#[test]
fn an_interim_reply_is_no_progress() {
    let reader = read(&[b"HTTP/1.1 100 Continue\r\n\r\n"]).unwrap();
    assert_eq!(reader.progress(), Progress::Nothing);
    let reader = read(&[b"HTTP/1.1 100 Continue\r\n\r\nHT"]).unwrap();
    assert_eq!(reader.progress(), Progress::Head);
}

#[test]
fn a_reader_starts_again() {
    let mut reader = read(&[b"HTTP/1.1 200 OK\r\nConn"]).unwrap();
    reader.restart(false);
    assert_eq!(reader.progress(), Progress::Nothing);
    assert_eq!(
        reader.feed(HELLO.as_bytes(), &mut |_| {}).unwrap(),
        HELLO.len()
    );
    assert_eq!((reader.is_over(), reader.body()), (true, 5));
}

#[test]
fn the_same_head_means_another_body_to_another_method() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";
    let mut reader = ReplyReader::new(false);
    for asked_for_head in [false, true, true, false, true] {
        reader.restart(asked_for_head);
        assert_eq!(reader.feed(head.as_bytes(), &mut |_| {}), Ok(head.len()));
        assert_eq!(reader.is_over(), asked_for_head);
    }
}

#[test]
fn a_body_is_handed_on_without_its_framing() {
    for (reply, body) in [(HELLO, "hello"), (CHUNKED, "hello0123456789")] {
        for size in 1..=reply.len() {
            let mut reader = ReplyReader::new(false);
            let mut handed_on = Vec::new();
            for part in reply.as_bytes().chunks(size) {
                let sink = &mut |bytes: &[u8]| handed_on.extend_from_slice(bytes);
                reader.feed(part, sink).unwrap();
            }
            assert_eq!(handed_on, body.as_bytes(), "{size}");
        }
    }
}

#[test]
fn a_head_seen_before_does_not_hide_another() {
    let not_found = "HTTP/1.1 404 No\r\nContent-Length: 2\r\n\r\nno";
    let closing = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello";
    let long = format!(
        "HTTP/1.1 200 OK\r\nX: {}\r\nContent-Length: 1\r\n\r\nx",
        "v".repeat(5000)
    );
    let replies = [
        (HELLO, 200, 5, true),
        (not_found, 404, 2, true),
        (closing, 200, 5, false),
        (&long, 200, 1, true),
    ];
    let mut reader = ReplyReader::new(false);
    for first in replies {
        for second in replies {
            for (reply, status, body, keeps_alive) in [first, second, second] {
                reader.restart(false);
                assert_eq!(reader.feed(reply.as_bytes(), &mut |_| {}), Ok(reply.len()));
                assert!(reader.is_over());
                assert_eq!(
                    (reader.status(), reader.body(), reader.keeps_alive()),
                    (status, body, keeps_alive)
                );
            }
        }
    }
}

#[test]
fn a_body_without_a_length_ends_at_the_close_alone() {
    for fields in [
        "",
        "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: chunked, gzip\r\nContent-Length: 2\r\n",
    ] {
        let reply = format!("HTTP/1.1 200 OK\r\n{fields}\r\nhello");
        let mut reader = read(&[reply.as_bytes()]).unwrap();
        assert!(!reader.is_over());
        reader.close().unwrap();
        assert_eq!(
            (reader.is_over(), reader.body(), reader.keeps_alive()),
            (true, 5, false)
        );
    }
}

#[test]
fn chunks_win_over_a_length_and_cost_the_connection() {
    let reply = b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n";
    let reader = read(&[reply]).unwrap();
    assert_eq!(
        (reader.is_over(), reader.body(), reader.keeps_alive()),
        (true, 1, false)
    );
}

#[test]
fn the_same_length_twice_is_one_length() {
    let reply = b"HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\nContent-Length: 5\r\n\r\nhello";
    assert_read(&[reply], 5);
}

#[test]
fn framing_that_is_none_is_refused() {
    let refused = |body: &str| {
        let mut chunks = Chunks::new();
        chunks.feed(body.as_bytes(), &mut |_| {}).unwrap_err()
    };
    for size in [
        "\r\n",
        "x\r\n",
        ";\r\n",
        "-1\r\n",
        "5x\r\n",
        "5\n",
        "00000000000000005\r\n",
    ] {
        assert_eq!(refused(size), Malformed::ChunkSize, "{size:?}");
    }
    for end in ["1\rx", "1\r\nxx", "1\r\nx\rx", "0\r\n\rx"] {
        assert_eq!(refused(end), Malformed::ChunkEnd, "{end:?}");
    }
}

#[test]
fn the_largest_chunk_size_is_understood() {
    let mut chunks = Chunks::new();
    chunks.feed(b"ffffffffffffffff\r\n", &mut |_| {}).unwrap();
    assert_eq!(chunks.skippable(), u64::MAX);
}

#[test]
fn trailers_and_extensions_without_end_are_refused() {
    for front in ["5;", "0\r\n"] {
        let mut chunks = Chunks::new();
        chunks.feed(front.as_bytes(), &mut |_| {}).unwrap();
        let endless = "x".repeat(1 << 20);
        let error = chunks.feed(endless.as_bytes(), &mut |_| {}).unwrap_err();
        assert!(
            matches!(error, Malformed::ChunkOverhead { .. }),
            "{error:?}"
        );
    }
}

proptest! {
    #[test]
    fn replies_of_any_parts_in_any_cuts_are_read_alike(
        settings in prop::array::uniform5(any::<u8>()),
        parts in prop::collection::vec(prop::sample::select(PARTS), 0..12),
    ) {
        fuzzing::reply(&[&settings[..], parts.concat().as_bytes()].concat());
    }

    #[test]
    fn chunks_of_any_sizes_in_any_cuts_are_counted(
        sizes in prop::collection::vec(1_usize..300, 0..20),
        cuts in prop::collection::vec(1_usize..80, 1..200),
    ) {
        let mut coded = Vec::new();
        for size in &sizes {
            coded.extend(format!("{size:X}\r\n").bytes());
            coded.resize(coded.len() + size, b'\r');
            coded.extend(b"\r\n");
        }
        coded.extend(b"0\r\n\r\n");
        let mut chunks = Chunks::new();
        let mut rest = &coded[..];
        for cut in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            prop_assert!(!chunks.is_over());
            let (part, next) = rest.split_at((*cut).min(rest.len()));
            prop_assert_eq!(chunks.feed(part, &mut |_| {}), Ok(part.len()));
            rest = next;
        }
        prop_assert!(chunks.is_over());
        prop_assert_eq!(chunks.body(), sizes.iter().sum::<usize>() as u64);
    }

    #[test]
    fn no_bytes_make_the_reader_panic_or_take_more_than_there_are(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for front in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"] {
            let mut reader = ReplyReader::new(false);
            reader.feed(front.as_bytes(), &mut |_| {}).unwrap();
            if let Ok(taken) = reader.feed(&bytes, &mut |_| {}) {
                prop_assert!(taken <= bytes.len());
            }
        }
    }
}
