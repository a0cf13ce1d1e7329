//! Bodies that are looked at, and requests that differ.

use super::{HELLO, Request, Sample, always, drive, errors, six};
use crate::load::{BodyCheck, Expected, Load, Mix, Order};
use crate::sample::ErrorKind;
use http::Method;

/// Six requests whose replies are judged by what `expect` changes.
fn six_expecting(expect: impl FnOnce(&mut Expected)) -> Load {
    let mut load = six();
    let mix = load.mix.as_mut().unwrap();
    expect(&mut mix.requests[0].expected);
    load
}

fn chunked(chunks: &[&str]) -> String {
    let sized = |chunk: &&str| format!("{:x};x=\"hello\"\r\n{chunk}\r\n", chunk.len());
    let chunks: String = chunks.iter().map(sized).collect();
    format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}0\r\nhello: 1\r\n\r\n")
}

fn all_failed(sample: &Sample, words: &str) {
    assert_eq!(
        (sample.ok, &sample.errors),
        (0, &errors([(ErrorKind::BodyCheck, 6)]))
    );
    assert_eq!(sample.first_error.as_deref(), Some(words));
    assert_eq!(
        (sample.failed_latency.count(), sample.latency.count()),
        (6, 0)
    );
}

#[test]
fn a_part_may_lie_across_chunks_and_their_framing_is_no_part() {
    let load = six_expecting(|expected| expected.contains = Some(b"ell".to_vec()));
    let (sample, _) = drive(&load, always(chunked(&["he", "l", "lo"])));
    assert_eq!((sample.ok, sample.bytes), (6, 30));
    let (sample, _) = drive(&load, always(chunked(&["h", "o"])));
    all_failed(&sample, "the body does not hold \"ell\"");
}

#[test]
fn a_body_of_another_length_is_a_failure_though_it_came_whole() {
    let load = six_expecting(|expected| expected.length = Some(6));
    let (sample, _) = drive(&load, always(HELLO));
    all_failed(&sample, "the body has 5 bytes where 6 are expected");
}

/// The hash is that of `sha256sum`.
#[test]
fn a_body_of_another_hash_is_a_failure() {
    let hash = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    let load = six_expecting(|expected| expected.sha256 = Some(hash.to_owned()));
    let (sample, _) = drive(&load, always(HELLO));
    assert_eq!(sample.ok, 6);
    let (sample, _) = drive(&load, always(HELLO.replace("hello", "hallo")));
    assert_eq!(sample.errors, errors([(ErrorKind::BodyCheck, 6)]));
}

#[test]
fn code_sees_every_byte_of_a_large_body() {
    let body: String = (0..40_000).map(|number| format!("{number:05}")).collect();
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
    let reply = head + &body;
    let check = BodyCheck::new(move |seen| match seen == body.as_bytes() {
        true => Ok(()),
        false => Err(format!("{} other bytes", seen.len())),
    });
    let load = six_expecting(|expected| expected.check = Some(check));
    let (sample, _) = drive(&load, always(reply));
    assert_eq!((sample.ok, sample.bytes), (6, 1_200_000));
}

#[test]
fn the_requests_of_a_sequence_are_each_read_by_their_method() {
    let mut load = six();
    load.concurrency = 1;
    let mut mix = Mix::from(Request::new(Method::HEAD, "/"));
    mix.requests.push(Request::new(Method::GET, "/"));
    mix.order = Order::Sequence;
    load.mix = Some(mix);
    let (sample, seen) = drive(&load, |conversation| {
        while conversation.read_request() {
            let (head, body) = HELLO.split_at(HELLO.len() - 5);
            conversation.write(head);
            if conversation.requests() % 2 == 0 {
                conversation.write(body);
            }
        }
    });
    assert_eq!((sample.ok, sample.bytes, seen.connections), (6, 15, 1));
}
