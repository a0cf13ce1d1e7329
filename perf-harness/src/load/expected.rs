//! What a good reply is.

use std::fmt;
use std::sync::Arc;

/// What a reply must be to count as good.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Expected {
    /// Status codes of a good reply. Default: 200 alone.
    pub statuses: Vec<u16>,
    /// Bytes of the body, its framing not counted.
    pub length: Option<u64>,
    /// SHA-256 of the body, in 64 hexadecimal digits.
    pub sha256: Option<String>,
    /// Bytes that the body holds.
    pub contains: Option<Vec<u8>>,
    /// Code that looks at the body.
    pub check: Option<BodyCheck>,
}

type Check = dyn Fn(&[u8]) -> Result<(), String> + Send + Sync;

/// Code that looks at the whole body of a reply with an expected status, and says what is wrong
/// with it.
///
/// A body with the same bytes as the last good one is good without being looked at again.
#[derive(Clone)]
pub struct BodyCheck(Arc<Check>);

impl Default for Expected {
    fn default() -> Self {
        Self {
            statuses: vec![200],
            length: None,
            sha256: None,
            contains: None,
            check: None,
        }
    }
}

impl Expected {
    /// Whether anything but the status and the length decides, so that the body must be looked at.
    #[must_use]
    pub fn reads_the_body(&self) -> bool {
        self.sha256.is_some() || self.contains.is_some() || self.check.is_some()
    }
}

impl BodyCheck {
    /// A check by `code`.
    pub fn new(code: impl Fn(&[u8]) -> Result<(), String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(code))
    }

    /// Looks at `body`.
    ///
    /// # Errors
    ///
    /// What the code says is wrong with it.
    pub fn look(&self, body: &[u8]) -> Result<(), String> {
        (self.0)(body)
    }
}

/// Two are equal when they are the same code.
impl PartialEq for BodyCheck {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for BodyCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BodyCheck").finish_non_exhaustive()
    }
}
