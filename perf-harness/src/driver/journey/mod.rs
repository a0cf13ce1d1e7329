//! Journeys: any async code as one iteration of a load, with HTTP by reqwest at hand.
//!
//! What the journey's code sees is in `user`, `request`, `reply` and `failure`; what drives it in
//! `closed` and `engine`, which know nothing of journeys and drive plain requests by reqwest too.

mod cause;
mod client;
mod closed;
mod engine;
mod failure;
mod reply;
mod request;
mod tally;
mod traffic;
mod user;

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

pub use failure::{Failure, Result};
pub use reply::Reply;
pub use request::RequestBuilder;
pub use user::User;

pub(super) use client::HttpClient;
pub(super) use closed::{Good, Worker};
pub(super) use engine::drive;
pub(super) use traffic::{ConnectTimes, Traffic};

use super::{Driver, DriverError, Window};
use crate::endpoint::Endpoint;
use crate::load::Load;
use crate::sample::Sample;

/// Code that a user does again and again: an `async fn(&mut User) -> Result<()>` or an async
/// closure like it. Its future need not be `Send`.
///
/// A closure names the type of its parameter, `async |user: &mut User| { … }`; the rest is inferred.
pub trait Journey: Send + Sync {
    /// One iteration.
    fn iterate<'j>(&'j self, user: &'j mut User) -> Pin<Box<dyn Future<Output = Result<()>> + 'j>>;
}

impl<F> Journey for F
where
    F: AsyncFn(&mut User) -> Result<()> + Send + Sync + 'static,
{
    fn iterate<'j>(&'j self, user: &'j mut User) -> Pin<Box<dyn Future<Output = Result<()>> + 'j>> {
        Box::pin(self(user))
    }
}

/// Drives a [`Journey`] in a closed loop: `load.requests` iterations, `load.concurrency` users.
///
/// - Latency is that of one iteration. `load.timeout` bounds an iteration; one that takes longer
///   is dropped, counts as `timeout` and enters the latency at that value, and its user goes on
///   with no connection open.
/// - The first request of each user opens its connection. So the warm-up should be at least as
///   long as there are users: each does at least one iteration of it, a shorter one is raised to
///   that. With `warmup = 0` connections are opened within the window.
/// - Bytes are the body bytes of the replies to the user's own requests.
/// - A panic of the journey ends the load and goes on in the caller of [`drive`](Driver::drive).
pub struct JourneyDriver(Arc<dyn Journey>);

impl JourneyDriver {
    /// A driver of `journey`.
    #[must_use]
    pub fn new(journey: Arc<dyn Journey>) -> Self {
        Self(journey)
    }
}

impl fmt::Debug for JourneyDriver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JourneyDriver").finish_non_exhaustive()
    }
}

impl Driver for JourneyDriver {
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
        drive(load, window, |id, connect_times| {
            let client = HttpClient::new(endpoint, usize::MAX, connect_times)?;
            Ok(Traveller {
                user: User::new(id, client),
                journey: Arc::clone(&self.0),
            })
        })
    }
}

/// A user on its journey.
struct Traveller {
    user: User,
    journey: Arc<dyn Journey>,
}

impl Worker for Traveller {
    async fn iterate(&mut self) -> Result<Good> {
        self.user.begin();
        let bytes_before = self.user.traffic().bytes();
        self.journey.iterate(&mut self.user).await?;
        Ok(Good {
            bytes: self.user.traffic().bytes() - bytes_before,
            first_byte: None,
        })
    }

    fn start_over(&mut self) {
        self.user.start_over();
    }

    fn traffic(&self) -> &Traffic {
        self.user.traffic()
    }
}

#[cfg(test)]
pub(in crate::driver) mod tests;
