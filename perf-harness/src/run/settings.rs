//! What the environment asks of a run.

use std::env;

use crate::baseline::Base;
use crate::error::Error;
use crate::host::MachineClass;
use crate::load::Load;

/// All that a run takes from its environment, read once.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// `PERF_BASELINE`: `check` (the default), `record` or `off`.
    pub(crate) mode: Mode,
    /// `PERF_POLICY=report`: a regression is reported and does not fail the test.
    pub(crate) reported_only: bool,
    /// `PERF_REQUIRE_DOCKER=1`: a scenario that needs Docker fails where there is none.
    pub(crate) docker_required: bool,
    /// The revision whose baselines judge: `PERF_BASE`, or on a pull request of GitHub the first
    /// parent of the merge that is checked out.
    pub(crate) base: Option<Base>,
    /// Which attempt of the test runner this is, when it is not the first.
    pub(crate) attempt: Option<u32>,
    /// The class of this machine.
    pub(crate) class: MachineClass,
}

/// What is done with the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Compared with the baseline.
    Check,
    /// Left for review, whatever they say.
    Record,
    /// Neither compared nor left for review.
    Off,
}

impl Settings {
    /// Reads the environment.
    pub(crate) fn read() -> Result<Self, Error> {
        Self::from(|name| env::var(name).ok().filter(|value| !value.is_empty()))
    }

    fn from(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        Ok(Self {
            mode: one_of(
                &variable,
                "PERF_BASELINE",
                &[
                    ("check", Mode::Check),
                    ("record", Mode::Record),
                    ("off", Mode::Off),
                ],
            )?,
            reported_only: one_of(
                &variable,
                "PERF_POLICY",
                &[("fail", false), ("report", true)],
            )?,
            docker_required: one_of(
                &variable,
                "PERF_REQUIRE_DOCKER",
                &[("0", false), ("1", true)],
            )?,
            base: base_revision(&variable),
            attempt: attempt(&variable),
            class: MachineClass::of_this_machine(),
        })
    }
}

/// The meaning of a variable's value; the first of `known` when it is not set.
fn one_of<T: Copy>(
    variable: impl Fn(&str) -> Option<String>,
    name: &'static str,
    known: &[(&str, T)],
) -> Result<T, Error> {
    let value = variable(name).unwrap_or_else(|| known[0].0.to_owned());
    let meaning = known.iter().find(|(word, _)| *word == value);
    meaning
        .map(|(_, meaning)| *meaning)
        .ok_or_else(|| Error::Environment {
            variable: name,
            value,
            known: known
                .iter()
                .map(|(word, _)| *word)
                .collect::<Vec<_>>()
                .join(", "),
        })
}

fn base_revision(variable: impl Fn(&str) -> Option<String>) -> Option<Base> {
    let is_pull_request =
        variable("GITHUB_EVENT_NAME").is_some_and(|event| event == "pull_request");
    let named = variable("PERF_BASE").map(Base::Named);
    named.or_else(|| is_pull_request.then_some(Base::OfMerge))
}

fn attempt(variable: impl Fn(&str) -> Option<String>) -> Option<u32> {
    let attempt = variable("NEXTEST_ATTEMPT")?.parse().ok()?;
    (attempt > 1).then_some(attempt)
}

/// Enough requests to see that every connection gets its good reply, also of a load that only its
/// duration ends.
pub(super) fn smoke(load: &Load) -> Load {
    let enough = 100.max(load.concurrency as u64);
    let few = match load.requests {
        0 => enough,
        requests => requests.min(enough),
    };
    Load {
        requests: few,
        warmup: Some(load.warmup_requests().min(few)),
        ..load.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(set: &[(&str, &str)]) -> Result<Settings, Error> {
        let set = |name: &str| set.iter().find(|(known, _)| *known == name);
        Settings::from(|name| set(name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn by_default_baselines_are_checked_and_regressions_fail() {
        let settings = settings(&[]).unwrap();
        assert_eq!(settings.mode, Mode::Check);
        assert!(!settings.reported_only && !settings.docker_required);
        assert_eq!((settings.base, settings.attempt), (None, None));
    }

    #[test]
    fn an_unknown_value_lists_the_known_ones() {
        let message = settings(&[("PERF_BASELINE", "on")])
            .unwrap_err()
            .to_string();
        assert_eq!(
            message,
            "PERF_BASELINE=\"on\" means nothing: it is one of check, record, off"
        );
    }

    #[test]
    fn a_pull_request_is_judged_by_its_base() {
        let base = |set: &[(&str, &str)]| settings(set).unwrap().base;
        assert_eq!(
            base(&[("GITHUB_EVENT_NAME", "pull_request")]),
            Some(Base::OfMerge)
        );
        assert_eq!(base(&[("GITHUB_EVENT_NAME", "push")]), None);
        assert_eq!(base(&[("GITHUB_EVENT_NAME", "schedule")]), None);
        let named = [("GITHUB_EVENT_NAME", "pull_request"), ("PERF_BASE", "main")];
        assert_eq!(base(&named), Some(Base::Named("main".to_owned())));
    }

    #[test]
    fn only_a_repeated_attempt_is_told() {
        assert_eq!(settings(&[("NEXTEST_ATTEMPT", "1")]).unwrap().attempt, None);
        assert_eq!(
            settings(&[("NEXTEST_ATTEMPT", "3")]).unwrap().attempt,
            Some(3)
        );
    }

    #[test]
    fn a_smoke_run_reaches_every_connection() {
        let load = Load {
            requests: 100_000,
            concurrency: 300,
            ..Load::default()
        };
        assert_eq!(smoke(&load).requests, 300);
        let by_time = Load {
            requests: 0,
            duration: Some(std::time::Duration::from_secs(60)),
            ..load.clone()
        };
        assert_eq!(smoke(&by_time).requests, 300);
        assert_eq!(smoke(&load).check(), Ok(()));
    }
}
