use std::collections::BTreeMap;

use http::Method;

use super::*;
use crate::load::{BodyCheck, Mix, Order, Request, Values};

fn load(requests: Vec<Request>, order: Order) -> Load {
    let mut mix = Mix::from(Request::new(Method::GET, "/"));
    mix.requests = requests;
    mix.order = order;
    Load {
        mix: Some(mix),
        seed: 7,
        ..Load::default()
    }
}

fn script(load: &Load) -> Script {
    let endpoint = Endpoint::resolve("http://127.0.0.1:81/api")
        .unwrap()
        .remove(0);
    Script::new(load, &endpoint, 0)
}

fn get(path: &str) -> Request {
    Request::new(Method::GET, path)
}

/// The paths of the next requests of one connection.
fn paths(script: &mut Script, turn: &mut Turn, count: usize) -> Vec<String> {
    let mut next = || {
        script.go_on(turn);
        let text = String::from_utf8(script.bytes(turn).to_vec()).unwrap();
        text.split(' ').nth(1).unwrap().to_owned()
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn a_sequence_starts_anew_on_every_connection() {
    let mut script = script(&load(vec![get("/a"), get("/b")], Order::Sequence));
    let (mut one, mut other) = (Turn::default(), Turn::default());
    assert_eq!(
        paths(&mut script, &mut one, 3),
        ["/api/a", "/api/b", "/api/a"]
    );
    assert_eq!(paths(&mut script, &mut other, 1), ["/api/a"]);
}

#[test]
fn weights_say_how_often_and_the_seed_says_when() {
    let (mut often, rarely) = (get("/often"), get("/rarely"));
    often.weight = 3;
    let load = load(vec![often, rarely], Order::Weighted);
    let sent = paths(&mut script(&load), &mut Turn::default(), 4000);
    let counts = sent
        .iter()
        .fold(BTreeMap::<_, i32>::new(), |mut counts, path| {
            *counts.entry(path.as_str()).or_default() += 1;
            counts
        });
    // Four standard deviations of a binomial count.
    assert!((counts["/api/often"] - 3000).abs() < 110, "{counts:?}");
    assert_eq!(paths(&mut script(&load), &mut Turn::default(), 4000), sent);
}

#[test]
fn threads_draw_different_numbers() {
    let mut request = get("/{id}");
    request.values = vec![("id".to_owned(), Values::Random(1..=u64::MAX))];
    let load = load(vec![request], Order::Weighted);
    let endpoint = Endpoint::resolve("http://127.0.0.1:81").unwrap().remove(0);
    let of = |thread| {
        paths(
            &mut Script::new(&load, &endpoint, thread),
            &mut Turn::default(),
            3,
        )
    };
    assert_ne!(of(0), of(1));
}

#[test]
fn values_take_turns_or_are_drawn_from_their_range() {
    let mut request = get("/{kind}/{id}?again={kind}");
    request.values = vec![
        (
            "kind".to_owned(),
            Values::List(vec!["a".to_owned(), "b".to_owned()]),
        ),
        ("id".to_owned(), Values::Random(10..=12)),
    ];
    let mut script = script(&load(vec![request], Order::Weighted));
    let sent = paths(&mut script, &mut Turn::default(), 30);
    for path in &sent {
        let id: u64 = path.split(['/', '?']).nth(3).unwrap().parse().unwrap();
        assert!((10..=12).contains(&id), "{path}");
    }
    assert!(
        sent[0].starts_with("/api/a/") && sent[1].starts_with("/api/b/"),
        "{sent:?}"
    );
    for id in ["10", "11", "12"] {
        assert!(
            sent.iter().any(|path| path.contains(id)),
            "{id} in {sent:?}"
        );
    }
}

#[test]
fn a_range_of_all_numbers_is_drawn_from() {
    let mut request = get("/{id}");
    request.values = vec![("id".to_owned(), Values::Random(0..=u64::MAX))];
    let sent = paths(
        &mut script(&load(vec![request], Order::Weighted)),
        &mut Turn::default(),
        9,
    );
    assert!(
        sent.iter()
            .any(|path| path.len() > "/api/1000000000000000000".len() - 2),
        "{sent:?}"
    );
}

#[test]
fn braces_without_values_are_sent_as_they_are() {
    let mut script = script(&load(vec![get("/{x}")], Order::Weighted));
    assert_eq!(paths(&mut script, &mut Turn::default(), 1), ["/api/{x}"]);
}

/// What is said of bodies that come in pieces, one after the other.
fn judged(change: impl FnOnce(&mut Request), bodies: &[&[&str]]) -> Vec<Result<(), String>> {
    let mut request = get("/");
    change(&mut request);
    let mut script = script(&load(vec![request], Order::Weighted));
    let (mut turn, mut body) = (Turn::default(), Body::default());
    let mut judge = |pieces: &[&str]| {
        script.go_on(&mut turn);
        let asked = script.asked(&turn);
        asked.begin(&mut body);
        pieces
            .iter()
            .for_each(|piece| asked.take(&mut body, piece.as_bytes()));
        let length = pieces.concat().len() as u64;
        asked
            .judge(length, &mut body)
            .map_err(|fault| fault.to_string())
    };
    bodies.iter().map(|pieces| judge(pieces)).collect()
}

/// The SHA-256 of `abc`, from FIPS 180-2, appendix B.1.
const OF_ABC: &str = "BA7816BF8F01CFEA414140DE5DAE2223B00361A396177A9CB410FF61F20015AD";

#[test]
fn the_hash_of_a_body_is_checked_however_it_comes() {
    let hash = |request: &mut Request| request.expected.sha256 = Some(OF_ABC.to_owned());
    let said = judged(
        hash,
        &[
            &["abc"],
            &["a", "bc"],
            &["a", "b"],
            &["ab", "cd"],
            &[],
            &["abc"],
        ],
    );
    let good: Vec<_> = said.iter().map(Result::is_ok).collect();
    assert_eq!(good, [true, true, false, false, false, true]);
}

#[test]
fn a_part_is_found_across_pieces_and_its_absence_is_named() {
    let part = |request: &mut Request| request.expected.contains = Some(b"lo w".to_vec());
    let said = judged(
        part,
        &[
            &["hello world"],
            &["hel", "lo", " world"],
            &["hello"],
            &["hello", "-world"],
        ],
    );
    let absent = || Err("the body does not hold \"lo w\"".to_owned());
    assert_eq!(said, [Ok(()), Ok(()), absent(), absent()]);
}

#[test]
fn code_sees_the_whole_body_and_its_words_are_kept() {
    let check = |request: &mut Request| {
        request.expected.check = Some(BodyCheck::new(|body| match body {
            b"yes" => Ok(()),
            _ => Err(format!("{} bytes", body.len())),
        }));
    };
    let said = judged(check, &[&["y", "es"], &["ye", "s!"], &["no"], &[]]);
    let no = |bytes| Err(format!("the check of the body says: {bytes} bytes"));
    assert_eq!(said, [Ok(()), no(4), no(2), no(0)]);
}

#[test]
fn an_empty_body_can_be_good() {
    let check = |request: &mut Request| {
        request.expected.check = Some(BodyCheck::new(|body| match body.len() {
            0 => Ok(()),
            _ => Err("not empty".to_owned()),
        }));
    };
    let good: Vec<_> = judged(check, &[&[], &["x"], &[]])
        .iter()
        .map(Result::is_ok)
        .collect();
    assert_eq!(good, [true, false, true]);
}

#[test]
fn the_length_alone_needs_no_look() {
    let mut request = get("/");
    request.expected.length = Some(3);
    let script = script(&load(vec![request], Order::Weighted));
    let asked = script.asked(&Turn::default());
    assert!(!asked.looks_at_the_body());
    assert_eq!(asked.judge(3, &mut Body::default()), Ok(()));
    let said = asked
        .judge(2, &mut Body::default())
        .unwrap_err()
        .to_string();
    assert_eq!(said, "the body has 2 bytes where 3 are expected");
}
