//! Ready when a line was written.

use std::time::Duration;

use crate::target::logs::Log;

/// The end of a server is noticed between two looks, even when something holds its output open.
const LOOK: Duration = Duration::from_millis(50);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LogCheck {
    text: String,
}

impl LogCheck {
    pub(super) fn new(text: String) -> Self {
        Self { text }
    }

    pub(super) fn describe(&self) -> String {
        format!("a line with {:?}", self.text)
    }

    pub(super) fn attempt(&self, log: &Log, within: Duration) -> Result<(), String> {
        log.find(within.min(LOOK), |line| {
            line.contains(&self.text).then_some(())
        })
        .ok_or_else(|| "not written so far".to_owned())
    }
}
