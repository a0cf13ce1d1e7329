//! What a good reply is.

use std::fmt;
use std::sync::Arc;

use super::LoadError;

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
    pub(super) fn check(&self, has_body: bool) -> Result<(), LoadError> {
        let known = |status: &u16| (100..600).contains(status);
        if let Some(&status) = self.statuses.iter().find(|status| !known(status)) {
            return Err(LoadError::Status { status });
        }
        if self.statuses.is_empty() {
            return Err(LoadError::Status { status: 0 });
        }
        if !has_body && (self.length.is_some() || self.reads_the_body()) {
            return Err(LoadError::BodyOfHead);
        }
        self.check_contents()
    }

    fn check_contents(&self) -> Result<(), LoadError> {
        if self.contains.as_ref().is_some_and(Vec::is_empty) {
            return Err(LoadError::EmptyContains);
        }
        let is_hash =
            |text: &&String| text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
        match self.sha256.as_ref().filter(|text| !is_hash(text)) {
            Some(text) => Err(LoadError::Sha256 { text: text.clone() }),
            None => Ok(()),
        }
    }

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
