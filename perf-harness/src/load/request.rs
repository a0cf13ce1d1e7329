//! One request of a load, and how several are mixed.

use std::ops::RangeInclusive;

use http::{HeaderName, HeaderValue, Method};

use super::{Expected, LoadError};

/// The requests of a load, and the order in which they are sent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Mix {
    /// The requests, at least one.
    pub requests: Vec<Request>,
    /// Which of them comes next.
    pub order: Order,
}

/// Which of several requests comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Order {
    /// Each as often as its weight says, drawn with the load's seed.
    #[default]
    Weighted,
    /// One after the other on every connection, then from the first again. Weights mean nothing.
    Sequence,
}

/// One request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Request {
    /// The method.
    pub method: Method,
    /// Path and query, starting with `/`. `{name}` stands for a value of [`values`](Self::values).
    pub path: String,
    /// Header fields beside `Host`, `Content-Length` and `Connection`, in order.
    pub headers: Vec<(String, String)>,
    /// The body; empty for none.
    pub body: Vec<u8>,
    /// What a good reply is.
    pub expected: Expected,
    /// How often it is sent, beside the others of its mix. Default 1.
    pub weight: u32,
    /// What is written in place of `{name}` in the path, by name.
    pub values: Vec<(String, Values)>,
}

/// What changes from one request to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Values {
    /// One after the other, then from the first again.
    List(Vec<String>),
    /// Numbers drawn evenly from the range with the load's seed.
    Random(RangeInclusive<u64>),
}

impl From<Request> for Mix {
    fn from(request: Request) -> Self {
        Self {
            requests: vec![request],
            order: Order::default(),
        }
    }
}

impl Request {
    /// A request without headers or body that expects status 200.
    #[must_use]
    pub fn new(method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            headers: Vec::new(),
            body: Vec::new(),
            expected: Expected::default(),
            weight: 1,
            values: Vec::new(),
        }
    }

    pub(super) fn check(&self) -> Result<(), LoadError> {
        let sendable = |byte: u8| byte.is_ascii_graphic() || byte >= 0x80;
        if !self.path.starts_with('/') || !self.path.bytes().all(sendable) {
            return Err(LoadError::Path {
                path: self.path.clone(),
            });
        }
        for (name, value) in &self.headers {
            check_header(name, value)?;
        }
        match self
            .expected
            .statuses
            .iter()
            .find(|status| !(100..600).contains(*status))
        {
            Some(&status) => Err(LoadError::Status { status }),
            None if self.expected.statuses.is_empty() => Err(LoadError::Status { status: 0 }),
            None => Ok(()),
        }
    }
}

fn check_header(name: &str, value: &str) -> Result<(), LoadError> {
    let refused = || LoadError::Header {
        name: name.to_owned(),
    };
    let parsed: HeaderName = name.parse().map_err(|_| refused())?;
    HeaderValue::from_str(value).map_err(|_| refused())?;
    if ["connection", "content-length", "transfer-encoding"].contains(&parsed.as_str()) {
        return Err(LoadError::ReservedHeader {
            name: name.to_owned(),
        });
    }
    Ok(())
}
