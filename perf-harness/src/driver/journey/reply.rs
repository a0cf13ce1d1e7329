//! A reply that was read whole.

use http::{HeaderMap, Method, StatusCode};
use serde::de::DeserializeOwned;

use crate::driver::tasks::{Failure, Result};
use crate::sample::ErrorKind;

/// A reply with its whole body. Its status may be any: check it with
/// [`expect_status`](Self::expect_status).
#[derive(Clone, Debug)]
pub struct Reply {
    pub(super) asked: Asked,
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

/// The request in words, to name it in failures.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) method: Method,
    pub(super) path: String,
}

impl std::fmt::Display for Asked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

/// Characters of an unexpected body that are shown.
const SHOWN: usize = 200;

impl Reply {
    /// The status code, 100 to 599.
    #[must_use]
    pub fn status(&self) -> u16 {
        self.status.as_u16()
    }

    /// The reply itself when its status is `expected`.
    ///
    /// # Errors
    ///
    /// A [`Failure`] of kind [`ErrorKind::Status`] that shows the beginning of the body.
    pub fn expect_status(self, expected: u16) -> Result<Self> {
        if self.status() == expected {
            return Ok(self);
        }
        let message = format!(
            "{} answered {} where {expected} is expected{}",
            self.asked,
            self.status(),
            self.shown_body()
        );
        Err(Failure::of_kind(ErrorKind::Status, message))
    }

    /// The value of the header field `name`; `None` when there is none or it is no visible ASCII.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The body.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The body as text.
    ///
    /// # Errors
    ///
    /// A [`Failure`] of kind [`ErrorKind::BodyCheck`] when it is no UTF-8.
    pub fn text(&self) -> Result<&str> {
        std::str::from_utf8(&self.body).map_err(|error| {
            let subject = format!("the body of {} is no UTF-8 text", self.asked);
            Failure::caused(subject, error, ErrorKind::BodyCheck)
        })
    }

    /// The body read as JSON.
    ///
    /// # Errors
    ///
    /// A [`Failure`] of kind [`ErrorKind::BodyCheck`] when it is no JSON of a `T`.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_slice(&self.body).map_err(|error| {
            let subject = format!("the body of {} is not the expected JSON", self.asked);
            Failure::caused(subject, error, ErrorKind::BodyCheck)
        })
    }

    fn shown_body(&self) -> String {
        if self.body.is_empty() {
            return String::new();
        }
        let text = String::from_utf8_lossy(&self.body);
        let shown: String = text.chars().take(SHOWN).collect();
        format!(": {shown:?}")
    }
}
