//! What every user does before its journey, and keeps.

use std::sync::Mutex;
use std::time::Duration;

use super::*;
use crate::driver::journey::WithSetUp;

#[test]
fn every_user_is_set_up_once_before_the_warm_up() {
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    let notes = Arc::clone(&lines);
    let peer = Peer::start(move |asked| {
        notes.lock().unwrap().push(asked.head[0].clone());
        reply(200, &asked.connection.to_string())
    });
    let sign_in = async |user: &mut User| {
        let reply = user.post("/sign-in").await?.expect_status(200)?;
        Ok(reply.text()?.to_owned())
    };
    let visit = async |user: &mut User, session: &mut String| {
        let reply = user.get("/").await?.expect_status(200)?;
        assert_eq!(
            reply.text()?,
            session,
            "the connection is that of the set-up"
        );
        Ok(())
    };
    let load = load(60, 4);
    let sample = journey(WithSetUp::new(sign_in, visit))
        .drive(&peer.endpoint(), &load, &mut CountingWindow::default())
        .unwrap();
    assert_eq!((sample.ok, sample.failed()), (60, 0));
    assert_eq!(sample.bytes, 60, "the set-up is not measured");
    let lines = lines.lock().unwrap();
    let sign_ins = lines.iter().filter(|line| line.contains("/sign-in"));
    assert_eq!(sign_ins.count(), 4);
    assert_eq!(lines.len() as u64, 4 + 60 + load.warmup_requests());
    assert_eq!(peer.connections(), 4);
}

#[test]
fn the_state_lives_through_iterations_that_are_dropped() {
    let peer = Peer::start(|asked| match asked.number {
        3 => Answer::Silence,
        _ => reply(200, ""),
    });
    let load = Load {
        warmup: Some(0),
        timeout: Duration::from_millis(200),
        ..load(6, 1)
    };
    let seen: Arc<Mutex<Vec<u32>>> = Arc::default();
    let notes = Arc::clone(&seen);
    let count = async move |user: &mut User, done: &mut u32| {
        *done += 1;
        notes.lock().unwrap().push(*done);
        get_root(user).await
    };
    let sample = journey(WithSetUp::new(async |_: &mut User| Ok(0), count))
        .drive(&peer.endpoint(), &load, &mut CountingWindow::default())
        .unwrap();
    assert_eq!(sample.errors, [(ErrorKind::Timeout, 1)].into());
    assert_eq!(*seen.lock().unwrap(), [1, 2, 3, 4, 5, 6]);
}

#[test]
fn a_state_needs_not_be_send() {
    let peer = Peer::start(hello);
    let set_up = async |user: &mut User| Ok(std::rc::Rc::new(user.id()));
    let visit = async |user: &mut User, id: &mut std::rc::Rc<usize>| {
        assert_eq!(**id, user.id());
        get_root(user).await
    };
    let sample = journey(WithSetUp::new(set_up, visit))
        .drive(
            &peer.endpoint(),
            &load(10, 2),
            &mut CountingWindow::default(),
        )
        .unwrap();
    assert_eq!(sample.ok, 10);
}

/// What a set-up by `code` fails by, the requests that reached the server, and the window.
fn failed_set_up<F>(code: F, timeout: Duration) -> (String, u64)
where
    F: AsyncFn(&mut User) -> Result<()> + Send + Sync + 'static,
{
    let peer = Peer::start(|asked| match asked.head[0].contains("/hang") {
        true => Answer::Silence,
        false => reply(403, "no"),
    });
    let load = Load {
        timeout,
        ..load(10, 2)
    };
    let mut window = CountingWindow::default();
    let error = journey(WithSetUp::new(
        code,
        async |user: &mut User, (): &mut ()| get_root(user).await,
    ))
    .drive(&peer.endpoint(), &load, &mut window)
    .unwrap_err();
    assert!(matches!(error, DriverError::SetUp { .. }), "{error}");
    assert_eq!(window, CountingWindow::default());
    (error.to_string(), peer.requests())
}

#[test]
fn a_failed_set_up_ends_the_round_with_its_reason_and_a_next_step() {
    let refused = async |user: &mut User| {
        if user.id() == 1 {
            user.get("/sign-in").await?.expect_status(200)?;
        }
        Ok(())
    };
    let (message, _) = failed_set_up(refused, Duration::from_secs(10));
    assert_eq!(
        message,
        "the set-up of user 1 failed, and without it nothing is measured: GET /sign-in answered \
         403 where 200 is expected: \"no\"; correct the path, or name the status with \
         `expect_status`"
    );
}

#[test]
fn a_set_up_has_the_time_of_the_timeout() {
    let hanging = async |user: &mut User| {
        user.get("/hang").await?;
        Ok(())
    };
    let (message, requests) = failed_set_up(hanging, Duration::from_millis(200));
    assert!(
        message.contains("not done within the timeout of 200ms"),
        "{message}"
    );
    assert!(requests <= 2, "{requests}");
}
