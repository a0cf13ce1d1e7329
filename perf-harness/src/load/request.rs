//! One request of a load, and how several are mixed.

use std::ops::RangeInclusive;

use http::{HeaderName, HeaderValue, Method};

use super::{BodyCheck, Expected, LoadError};

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

    /// A GET request for `path`.
    #[must_use]
    pub fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    /// A HEAD request for `path`.
    #[must_use]
    pub fn head(path: impl Into<String>) -> Self {
        Self::new(Method::HEAD, path)
    }

    /// A POST request to `path`.
    #[must_use]
    pub fn post(path: impl Into<String>) -> Self {
        Self::new(Method::POST, path)
    }

    /// A PUT request to `path`.
    #[must_use]
    pub fn put(path: impl Into<String>) -> Self {
        Self::new(Method::PUT, path)
    }

    /// A PATCH request to `path`.
    #[must_use]
    pub fn patch(path: impl Into<String>) -> Self {
        Self::new(Method::PATCH, path)
    }

    /// A DELETE request for `path`.
    #[must_use]
    pub fn delete(path: impl Into<String>) -> Self {
        Self::new(Method::DELETE, path)
    }

    /// An OPTIONS request for `path`.
    #[must_use]
    pub fn options(path: impl Into<String>) -> Self {
        Self::new(Method::OPTIONS, path)
    }

    /// Adds a header field.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// How often it is sent, beside the others of its mix. Default 1.
    #[must_use]
    pub fn weight(mut self, weight: u32) -> Self {
        self.weight = weight;
        self
    }

    /// The status of a good reply. Default: 200.
    #[must_use]
    pub fn expect_status(self, status: u16) -> Self {
        self.expect_statuses([status])
    }

    /// The statuses of good replies.
    #[must_use]
    pub fn expect_statuses(mut self, statuses: impl IntoIterator<Item = u16>) -> Self {
        self.expected.statuses = statuses.into_iter().collect();
        self
    }

    /// Bytes of the body of a good reply.
    #[must_use]
    pub fn expect_length(mut self, bytes: u64) -> Self {
        self.expected.length = Some(bytes);
        self
    }

    /// SHA-256 of the body of a good reply, in 64 hexadecimal digits.
    #[must_use]
    pub fn expect_sha256(mut self, digits: impl Into<String>) -> Self {
        self.expected.sha256 = Some(digits.into());
        self
    }

    /// What the body of a good reply holds.
    #[must_use]
    pub fn expect_contains(mut self, part: impl Into<Vec<u8>>) -> Self {
        self.expected.contains = Some(part.into());
        self
    }

    /// Code that looks at the body, and says what is wrong with it.
    #[must_use]
    pub fn check_body(
        mut self,
        check: impl Fn(&[u8]) -> Result<(), String> + Send + Sync + 'static,
    ) -> Self {
        self.expected.check = Some(BodyCheck::new(check));
        self
    }

    /// What is written in place of `{name}` in the path.
    #[must_use]
    pub fn values(mut self, name: impl Into<String>, values: impl Into<Values>) -> Self {
        self.values.push((name.into(), values.into()));
        self
    }

    pub(super) fn check(&self) -> Result<(), LoadError> {
        if !self.path.starts_with('/') || !self.path.bytes().all(is_sendable) {
            return Err(LoadError::Path {
                path: self.path.clone(),
            });
        }
        for (name, value) in &self.headers {
            check_header(name, value)?;
        }
        self.expected.check(self.method != Method::HEAD)?;
        self.check_values()
    }

    fn check_values(&self) -> Result<(), LoadError> {
        let wrong = |name: &str, problem| {
            let name = name.to_owned();
            Err(LoadError::Values { name, problem })
        };
        for (index, (name, values)) in self.values.iter().enumerate() {
            if self.values[..index]
                .iter()
                .any(|(earlier, _)| earlier == name)
            {
                return wrong(name, "are given twice: remove one");
            }
            if !names_in(&self.path).any(|used| used == name) {
                return wrong(
                    name,
                    "are used nowhere: write the name in braces in the path",
                );
            }
            if let Some(problem) = values.problem() {
                return wrong(name, problem);
            }
        }
        let known = |used: &&str| self.values.iter().any(|(name, _)| name == used);
        match names_in(&self.path).find(|used| !known(used)) {
            Some(name) if !self.values.is_empty() => {
                wrong(name, "are missing: add them with `values`")
            }
            _ => Ok(()),
        }
    }
}

impl Mix {
    pub(super) fn check(&self) -> Result<(), LoadError> {
        if self.requests.is_empty() {
            return Err(LoadError::EmptyMix);
        }
        let weightless = self.requests.iter().find(|request| request.weight == 0);
        if let Some(request) = weightless.filter(|_| self.order == Order::Weighted) {
            let path = request.path.clone();
            return Err(LoadError::Weight { path });
        }
        self.requests.iter().try_for_each(Request::check)
    }

    /// Whether the seed decides which request, or which of its values, is next.
    pub(super) fn is_random(&self) -> bool {
        let is_drawn = |(_, values): &(String, Values)| matches!(values, Values::Random(_));
        let mut values = self.requests.iter().flat_map(|request| &request.values);
        (self.order == Order::Weighted && self.requests.len() > 1) || values.any(is_drawn)
    }
}

impl Values {
    fn problem(&self) -> Option<&'static str> {
        match self {
            Self::List(list) if list.is_empty() => Some("are an empty list: add one"),
            Self::List(list) if !list.iter().all(|value| value.bytes().all(is_sendable)) => {
                Some("hold a blank or control character, which a path cannot: encode it, as %20")
            }
            Self::Random(range) if range.is_empty() => {
                Some("are an empty range: write the lower number first, as in `1..=1000`")
            }
            _ => None,
        }
    }
}

impl From<RangeInclusive<u64>> for Values {
    fn from(range: RangeInclusive<u64>) -> Self {
        Self::Random(range)
    }
}

impl<T: Into<String>, const N: usize> From<[T; N]> for Values {
    fn from(list: [T; N]) -> Self {
        Self::List(list.map(Into::into).into())
    }
}

impl<T: Into<String>> From<Vec<T>> for Values {
    fn from(list: Vec<T>) -> Self {
        Self::List(list.into_iter().map(Into::into).collect())
    }
}

fn is_sendable(byte: u8) -> bool {
    byte.is_ascii_graphic() || byte >= 0x80
}

/// The names that stand in braces in `path`.
fn names_in(path: &str) -> impl Iterator<Item = &str> {
    let after_braces = path.split('{').skip(1);
    after_braces.filter_map(|rest| Some(rest.split_once('}')?.0))
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
