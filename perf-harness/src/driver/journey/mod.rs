//! Journeys: any async code as one iteration of a load, with HTTP by reqwest at hand.
//!
//! What the journey's code sees is in `user`, `request` and `reply`; what drives it is in `tasks`.

mod client;
mod reply;
mod request;
mod traffic;
mod user;
mod with_set_up;

use std::fmt;
use std::sync::Arc;

pub use reply::Reply;
pub use request::RequestBuilder;
pub use user::User;
pub use with_set_up::WithSetUp;

pub(super) use client::{HttpClient, Settings};
pub(super) use traffic::Traffic;

use super::tasks::{Counts, Notes, Result, Taken, Worker, drive};
use super::{Driver, DriverError, Window};
use crate::endpoint::Endpoint;
use crate::load::Load;
use crate::sample::Sample;

/// Code that a user does again and again: an `async fn(&mut User) -> Result<()>` or an async
/// closure like it, or a [`WithSetUp`] of two. Its future need not be `Send`.
///
/// A closure names the type of its parameter, `async |user: &mut User| { … }`; the rest is inferred.
pub trait Journey: Send + Sync + 'static {
    /// What a user keeps from its set-up to its last iteration; `()` of a plain function.
    type State: 'static;

    /// What a user does once in a round, before the warm-up; not measured.
    fn set_up(&self, user: &mut User) -> impl Future<Output = Result<Self::State>>;

    /// One iteration.
    ///
    /// One that takes longer than it may is dropped where it waits, and leaves `state` as it is
    /// then for the next.
    fn iterate(&self, user: &mut User, state: &mut Self::State)
    -> impl Future<Output = Result<()>>;
}

impl<F> Journey for F
where
    F: AsyncFn(&mut User) -> Result<()> + Send + Sync + 'static,
{
    type State = ();

    async fn set_up(&self, _user: &mut User) -> Result<()> {
        Ok(())
    }

    async fn iterate(&self, user: &mut User, (): &mut ()) -> Result<()> {
        self(user).await
    }
}

/// Drives a [`Journey`]: an iteration is what a request is to other drivers, a user what a
/// connection is.
///
/// - Latency is that of one iteration, connections that it opens included; in an open loop it
///   counts from when the iteration was to begin. `load.timeout` bounds an iteration; one that
///   takes longer is dropped, counts as `timeout` and enters the latency at that value, and its
///   user goes on with no connection open. What the load's deadline cuts counts as `timeout` with
///   the time that it had.
/// - The first request of each user opens its connection. So the warm-up should be at least as
///   long as there are users: each does at least one iteration of it, a shorter one is raised to
///   that. With `warmup = 0` connections are opened within the window. A `ramp_up` spreads the
///   set-ups and first iterations.
/// - Bytes are the body bytes of the replies to the user's own requests. Statuses, first bytes and
///   fresh connections are not told apart: an iteration may be any number of requests.
/// - A panic of the journey ends the load and goes on in the caller of [`drive`](Driver::drive).
pub struct JourneyDriver<J>(Arc<J>);

impl<J: Journey> JourneyDriver<J> {
    /// A driver of `journey`.
    #[must_use]
    pub fn new(journey: J) -> Self {
        Self(Arc::new(journey))
    }
}

impl<J> fmt::Debug for JourneyDriver<J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JourneyDriver").finish_non_exhaustive()
    }
}

impl<J: Journey> Driver for JourneyDriver<J> {
    fn drive(
        &self,
        endpoint: &Endpoint,
        load: &Load,
        window: &mut dyn Window,
    ) -> Result<Sample, DriverError> {
        if load.mix.is_some() {
            return Err(DriverError::Unsuited {
                driver: "journey",
                reason: "it has a request of its own, where the journey's code says what is sent",
            });
        }
        let settings = Arc::new(Settings::new(endpoint, load, usize::MAX)?);
        drive(load, window, |connect_times| {
            let traveller = |id| {
                let client = HttpClient::new(&settings, connect_times)?;
                Ok(Traveller {
                    user: User::new(id, client),
                    journey: Arc::clone(&self.0),
                    state: None,
                })
            };
            (0..load.concurrency).map(traveller).collect()
        })
    }
}

/// A user on its journey.
struct Traveller<J: Journey> {
    user: User,
    journey: Arc<J>,
    /// There from the set-up on.
    state: Option<J::State>,
}

impl<J: Journey> Worker for Traveller<J> {
    async fn set_up(&mut self) -> Result<()> {
        self.state = Some(self.journey.set_up(&mut self.user).await?);
        self.user.take_steps();
        Ok(())
    }

    async fn iterate(&mut self, notes: &mut Notes) -> Result<()> {
        self.user.begin();
        let bytes_before = self.user.traffic().bytes();
        let state = self.state.as_mut().expect("the user was set up");
        self.journey.iterate(&mut self.user, state).await?;
        notes.bytes = self.user.traffic().bytes() - bytes_before;
        Ok(())
    }

    fn start_over(&mut self) {
        self.user.start_over();
    }

    fn counts(&self) -> Counts {
        self.user.traffic().counts()
    }

    fn take_steps(&mut self) -> Vec<Taken> {
        self.user.take_steps()
    }
}

#[cfg(test)]
pub(in crate::driver) mod tests;
