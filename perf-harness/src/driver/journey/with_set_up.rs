//! A journey whose users do something once before it, and keep what came of that.

use std::fmt;
use std::marker::PhantomData;

use super::{Journey, User};
use crate::driver::tasks::Result;

/// A journey with a set-up, each an async function or closure.
///
/// The set-up is done once by every user in every round, before its warm-up and not measured, for
/// at most the load's timeout. What it returns is the user's own from then on: each iteration finds
/// it as the one before has left it, also one that was dropped half-way. When the set-up of one
/// user fails, nothing is measured.
pub struct WithSetUp<S, I, J> {
    set_up: I,
    journey: J,
    state: PhantomData<fn() -> S>,
}

impl<S, I, J> WithSetUp<S, I, J>
where
    S: 'static,
    I: AsyncFn(&mut User) -> Result<S> + Send + Sync + 'static,
    J: AsyncFn(&mut User, &mut S) -> Result<()> + Send + Sync + 'static,
{
    /// A journey of users that first do `set_up`.
    #[must_use]
    pub fn new(set_up: I, journey: J) -> Self {
        Self {
            set_up,
            journey,
            state: PhantomData,
        }
    }
}

impl<S, I, J> Journey for WithSetUp<S, I, J>
where
    S: 'static,
    I: AsyncFn(&mut User) -> Result<S> + Send + Sync + 'static,
    J: AsyncFn(&mut User, &mut S) -> Result<()> + Send + Sync + 'static,
{
    type State = S;

    async fn set_up(&self, user: &mut User) -> Result<S> {
        (self.set_up)(user).await
    }

    async fn iterate(&self, user: &mut User, state: &mut S) -> Result<()> {
        (self.journey)(user, state).await
    }
}

impl<S, I, J> fmt::Debug for WithSetUp<S, I, J> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WithSetUp").finish_non_exhaustive()
    }
}
