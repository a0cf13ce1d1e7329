//! What an iteration returns as its error: a kind to be counted by, and words for people.

use std::error::Error;
use std::fmt;

use super::cause::{chain, kind_of};
use crate::sample::ErrorKind;

/// Why an iteration failed.
///
/// `?` makes one from any error. It is counted by the kind that is found in the error's chain of
/// causes: a connection that was refused is `refused`, wherever it was met; what has no kind of
/// its own is [`ErrorKind::Journey`]. So that `?` can do this, a failure is itself no
/// [`std::error::Error`].
pub struct Failure {
    kind: ErrorKind,
    message: Option<String>,
    cause: Option<Box<dyn Error + Send + Sync>>,
}

/// What an iteration returns; the error is a [`Failure`] unless another is named.
pub type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    /// A failure that the code itself found, of kind [`ErrorKind::Journey`].
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self::of_kind(ErrorKind::Journey, message)
    }

    /// A failure counted as `kind`, for example [`ErrorKind::BodyCheck`].
    #[must_use]
    pub fn of_kind(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: Some(message.into()),
            cause: None,
        }
    }

    /// What the failure is counted as.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// A failure of what `subject` names; `fallback` is its kind when `cause` has none.
    #[cfg(feature = "journeys")]
    pub(in crate::driver) fn caused(
        subject: impl Into<String>,
        cause: impl Error + Send + Sync + 'static,
        fallback: ErrorKind,
    ) -> Self {
        Self {
            kind: kind_of(&cause).unwrap_or(fallback),
            message: Some(subject.into()),
            cause: Some(Box::new(cause)),
        }
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Self {
            kind: kind_of(&error).unwrap_or(ErrorKind::Journey),
            message: None,
            cause: Some(Box::new(error)),
        }
    }
}

/// The message and every cause, separated by colons.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let causes = self
            .cause
            .iter()
            .flat_map(|cause| chain(&**cause))
            .map(ToString::to_string);
        let parts: Vec<String> = self.message.iter().cloned().chain(causes).collect();
        f.write_str(&parts.join(": "))
    }
}

/// The kind, the message and every cause: what `unwrap` shows.
impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {self}", self.kind)
    }
}
