//! The one word that a run ends with.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a gate says of a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// Nothing that is judged got worse by its threshold, and the comparison could have seen
    /// twice of it.
    Pass,
    /// Something got better by its threshold, and nothing worse: the baseline is out of date.
    Improved,
    /// Something that is judged got worse by its threshold or more, twice on fresh starts.
    Regressed,
    /// The numbers do not decide. Never a pass.
    Inconclusive,
    /// There is no baseline yet.
    New,
    /// A baseline, or a judged number of it, is there no more.
    Missing,
    /// The baseline is of another machine class, load, target or build.
    Incomparable,
    /// The measurement or the baseline cannot be trusted.
    Broken,
    /// Nothing was compared: a smoke run of a debug build, or gating is off.
    NotGated,
    /// The scenario did not run, since something on the machine is not there.
    Skipped,
}

impl Verdict {
    /// Every verdict, worst first: the order of reports.
    pub const WORST_FIRST: [Self; 10] = [
        Self::Regressed,
        Self::Broken,
        Self::Missing,
        Self::Inconclusive,
        Self::Incomparable,
        Self::New,
        Self::Improved,
        Self::NotGated,
        Self::Skipped,
        Self::Pass,
    ];

    /// Whether the test fails.
    #[must_use]
    pub fn fails(self) -> bool {
        matches!(self, Self::Regressed | Self::Missing | Self::Broken)
    }

    /// The name used in reports and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Improved => "improved",
            Self::Regressed => "regressed",
            Self::Inconclusive => "inconclusive",
            Self::New => "new",
            Self::Missing => "missing",
            Self::Incomparable => "incomparable",
            Self::Broken => "broken",
            Self::NotGated => "not gated",
            Self::Skipped => "skipped",
        }
    }

    /// The place of the verdict in reports, 0 for the worst.
    #[must_use]
    pub fn rank(self) -> usize {
        let place = Self::WORST_FIRST
            .iter()
            .position(|verdict| *verdict == self);
        place.unwrap_or(Self::WORST_FIRST.len())
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::verdict_name;

    #[test]
    fn the_names_that_baseline_knows_are_those_of_the_verdicts() {
        assert_eq!(verdict_name::BROKEN, Verdict::Broken.name());
        assert_eq!(verdict_name::INCONCLUSIVE, Verdict::Inconclusive.name());
        assert_eq!(verdict_name::PASS, Verdict::Pass.name());
        assert_eq!(verdict_name::REGRESSED, Verdict::Regressed.name());
    }
}
