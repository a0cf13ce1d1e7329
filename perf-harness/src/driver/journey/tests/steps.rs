//! Named steps within an iteration.

use std::time::Duration;

use super::*;
use crate::sample::Step;

fn counts(sample: &Sample) -> Vec<(&str, u64, u64)> {
    let count = |step: &'_ Step| (step.latency.count(), step.failed);
    let steps = sample.steps.iter();
    steps
        .map(|step| (step.name.as_str(), count(step).0, count(step).1))
        .collect()
}

#[test]
fn every_step_is_counted_in_the_order_of_its_first_use() {
    let peer = Peer::start(|asked| reply(200, &asked.head[0]));
    let load = load(40, 3);
    let sample = drive(&peer, &load, async |user: &mut User| {
        let path = format!("/cart/{}", user.id());
        let line = user
            .step("look", async |user| {
                let reply = user.get(&path).await?.expect_status(200)?;
                Ok(reply.text()?.to_owned())
            })
            .await?;
        assert!(line.contains(&path), "{line}");
        if user.iteration().is_multiple_of(2) {
            user.step("browse", async |user| get_root(user).await)
                .await?;
        }
        user.step("pay", async |user| {
            user.post("/pay").body("1").await?;
            Ok(())
        })
        .await
    });
    let counts = counts(&sample);
    let names: Vec<_> = counts.iter().map(|(name, ..)| *name).collect();
    assert!(names == ["look", "browse", "pay"] || names == ["look", "pay", "browse"]);
    let of = |name: &str| counts.iter().find(|(step, ..)| *step == name).copied();
    assert_eq!(
        of("look"),
        Some(("look", 40, 0)),
        "the warm-up is not in it"
    );
    assert_eq!(of("pay"), Some(("pay", 40, 0)));
    assert!(of("browse").is_some_and(|(_, good, _)| 0 < good && good < 40));
}

#[test]
fn a_failed_step_ends_the_iteration_and_is_counted() {
    let peer = Peer::start(
        |asked| match asked.head[0].contains("/pay") && asked.number > 12 {
            true => reply(500, ""),
            false => reply(200, ""),
        },
    );
    let load = Load {
        warmup: Some(2),
        ..load(10, 1)
    };
    let sample = drive(&peer, &load, async |user: &mut User| {
        user.step("cart", async |user| get_root(user).await).await?;
        user.step("pay", async |user| {
            user.post("/pay").await?.expect_status(200)?;
            Ok(())
        })
        .await
    });
    assert_eq!(counts(&sample), [("cart", 10, 0), ("pay", 4, 6)]);
    assert_eq!(sample.errors, [(ErrorKind::Status, 6)].into());
}

#[test]
fn steps_stand_within_steps() {
    let peer = Peer::start(hello);
    let sample = drive(&peer, &load(10, 2), async |user: &mut User| {
        user.step("order", async |user| {
            user.step("cart", async |user| get_root(user).await).await?;
            user.step("pay", async |user| get_root(user).await).await
        })
        .await
    });
    let expected = [("order", 10, 0), ("cart", 10, 0), ("pay", 10, 0)];
    assert_eq!(counts(&sample), expected);
    let [order, cart, pay] = &sample.steps[..] else {
        panic!("{:?}", sample.steps)
    };
    let parts = cart.latency.mean().unwrap() + pay.latency.mean().unwrap();
    assert!(order.latency.mean().unwrap() >= parts * 0.99);
}

#[test]
fn a_step_under_way_when_its_iteration_is_dropped_has_failed() {
    let peer = Peer::start(|asked| match asked.head[0].contains("/slow") {
        true => Answer::Silence,
        false => reply(200, ""),
    });
    let load = Load {
        warmup: Some(0),
        timeout: Duration::from_millis(200),
        ..load(3, 1)
    };
    let sample = drive(&peer, &load, async |user: &mut User| {
        user.step("quick", async |user| get_root(user).await)
            .await?;
        let path = ["/", "/slow", "/"][user.iteration() as usize];
        user.step("slow", async |user| {
            user.get(path).await?;
            Ok(())
        })
        .await
    });
    assert_eq!(counts(&sample), [("quick", 3, 0), ("slow", 2, 1)]);
    assert_eq!(sample.errors, [(ErrorKind::Timeout, 1)].into());
}
