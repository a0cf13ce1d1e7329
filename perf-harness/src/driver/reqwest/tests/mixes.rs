//! Several requests, values in paths, and what a good body is.

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::*;
use crate::load::Values;

/// Which connection asked for which path, in order.
type Asked = Arc<Mutex<Vec<(u64, String)>>>;

/// A server that notes the paths of all requests and by which connection they came.
fn noting() -> (Peer, Asked) {
    let seen: Arc<Mutex<Vec<_>>> = Arc::default();
    let notes = Arc::clone(&seen);
    let peer = Peer::start(move |asked| {
        let path = asked.head[0].split(' ').nth(1).unwrap().to_owned();
        notes.lock().unwrap().push((asked.connection, path));
        reply(200, "hello")
    });
    (peer, seen)
}

#[test]
fn a_sequence_is_kept_on_every_connection() {
    let (peer, seen) = noting();
    let requests = ["/a", "/b", "/c"].map(LoadRequest::get).into();
    drive_at(&peer, &mixed(requests, Order::Sequence, load(60, 3)));
    let mut by_connection: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for (connection, path) in seen.lock().unwrap().drain(..) {
        by_connection.entry(connection).or_default().push(path);
    }
    assert_eq!(by_connection.len(), 3);
    for paths in by_connection.values() {
        for (path, expected) in paths.iter().zip(["/a", "/b", "/c"].iter().cycle()) {
            assert_eq!(path, expected, "{paths:?}");
        }
    }
}

#[test]
fn weights_and_values_are_drawn_by_the_seed() {
    let paths = |seed| {
        let (peer, seen) = noting();
        let often = LoadRequest::get("/often/{id}").values("id", 1..=1_000_000);
        let requests = vec![often.weight(3), LoadRequest::get("/rarely")];
        let load = Load {
            seed,
            ..load(400, 1)
        };
        drive_at(&peer, &mixed(requests, Order::Weighted, load));
        let seen = seen.lock().unwrap();
        seen.iter()
            .map(|(_, path)| path.clone())
            .collect::<Vec<_>>()
    };
    let (one, again, other) = (paths(1), paths(1), paths(2));
    assert_eq!(one, again);
    assert_ne!(one, other);
    let rarely = one.iter().filter(|path| *path == "/rarely").count() as i64;
    // Four standard deviations of a binomial count of 440 at a quarter.
    assert!((rarely - 110).abs() < 37, "{rarely}");
}

#[test]
fn listed_values_take_turns() {
    let (peer, seen) = noting();
    let request = LoadRequest::get("/{kind}").values("kind", ["a", "b"]);
    let load = Load {
        warmup: Some(0),
        ..load(4, 1)
    };
    drive_at(&peer, &mixed(vec![request], Order::Weighted, load));
    let paths = seen
        .lock()
        .unwrap()
        .iter()
        .map(|(_, path)| path.clone())
        .collect::<Vec<_>>();
    assert_eq!(paths, ["/a", "/b", "/a", "/b"]);
}

#[test]
fn random_values_stay_in_their_range() {
    let (peer, seen) = noting();
    let request = LoadRequest::get("/{id}").values("id", Values::Random(7..=9));
    drive_at(&peer, &mixed(vec![request], Order::Weighted, load(60, 2)));
    for (_, path) in seen.lock().unwrap().iter() {
        assert!(["/7", "/8", "/9"].contains(&path.as_str()), "{path}");
    }
}

/// The SHA-256 of `abc`, from FIPS 180-2, appendix B.1.
const OF_ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// What a load says first of a server whose 15th body and those after are `abd` in place of `abc`.
fn judged(request: LoadRequest) -> (u64, Option<String>) {
    let peer = Peer::start(|asked| match asked.number {
        15.. => reply(200, "abd"),
        _ => reply(200, "abc"),
    });
    let load = Load {
        warmup: Some(2),
        ..twenty(request)
    };
    let sample = drive_at(&peer, &load);
    let wrong = sample.errors.get(&ErrorKind::BodyCheck).copied();
    assert_eq!(sample.failed(), wrong.unwrap_or(0));
    assert_eq!(sample.statuses, [(200, 20)].into());
    (sample.ok, sample.first_error)
}

#[test]
fn bodies_are_judged_by_all_that_is_expected() {
    let get = || LoadRequest::get("/");
    let said = |text: &str| (12, Some(format!("GET /: {text}")));
    assert_eq!(judged(get().expect_length(3)), (20, None));
    let (ok, message) = judged(get().expect_sha256(OF_ABC));
    assert_eq!(ok, 12);
    assert!(message.unwrap().contains(OF_ABC));
    let part = get().expect_contains("bc");
    assert_eq!(judged(part), said("the body does not hold \"bc\""));
    let code = get().check_body(|body| match body {
        b"abc" => Ok(()),
        _ => Err("no abc".to_owned()),
    });
    assert_eq!(judged(code), said("the check of the body says: no abc"));
}

#[test]
fn a_body_of_another_length_is_wrong() {
    let peer = Peer::start(|asked| match asked.number {
        5 => reply(200, "longer"),
        _ => reply(200, "hello"),
    });
    let sample = drive_at(&peer, &twenty(LoadRequest::get("/").expect_length(5)));
    assert_eq!(sample.errors, [(ErrorKind::BodyCheck, 1)].into());
}
