//! Colours, where the caller wants them.

use crate::gate::{Status, Verdict};

/// How text may look. The caller knows whether it goes to a terminal and what `NO_COLOR` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Style {
    /// Characters only. The default.
    #[default]
    Plain,
    /// With ANSI colours.
    Ansi,
}

/// What a piece of text says, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(crate) enum Tone {
    #[default]
    Neutral,
    Good,
    Doubtful,
    Bad,
}

impl Style {
    pub(crate) fn paint(self, tone: Tone, text: &str) -> String {
        match (self, tone.code()) {
            (Self::Ansi, Some(code)) => format!("\x1b[{code}m{text}\x1b[0m"),
            _ => text.to_owned(),
        }
    }
}

impl Tone {
    pub(super) fn of_verdict(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Regressed | Verdict::Broken | Verdict::Missing => Self::Bad,
            Verdict::Inconclusive | Verdict::Incomparable | Verdict::New => Self::Doubtful,
            Verdict::Pass | Verdict::Improved => Self::Good,
            Verdict::NotGated | Verdict::Skipped => Self::Neutral,
        }
    }

    pub(super) fn of_status(status: Status) -> Self {
        match status {
            Status::Worse | Status::Missing => Self::Bad,
            Status::Unclear => Self::Doubtful,
            Status::Within | Status::Better => Self::Good,
            Status::Shown => Self::Neutral,
        }
    }

    fn code(self) -> Option<&'static str> {
        match self {
            Self::Neutral => None,
            Self::Good => Some("32"),
            Self::Doubtful => Some("33"),
            Self::Bad => Some("1;31"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_ansi_style_adds_anything() {
        assert_eq!(Style::Plain.paint(Tone::Bad, "worse"), "worse");
        assert_eq!(Style::Ansi.paint(Tone::Neutral, "shown"), "shown");
        assert_eq!(Style::Ansi.paint(Tone::Good, "ok"), "\x1b[32mok\x1b[0m");
    }
}
