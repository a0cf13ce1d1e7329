//! What the environment asks of a run.

use std::env;

use crate::error::Error;
use crate::load::Load;

/// What is done with the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Compared with the baseline.
    Check,
    /// Left for review, whatever they say.
    Record,
    /// Neither compared nor left for review.
    Off,
    /// A debug build: few requests, nothing compared.
    Smoke,
}

/// `PERF_BASELINE`: `check` (the default), `record` or `off`; a debug build is a smoke run.
pub(super) fn read(debug: bool) -> Result<Mode, Error> {
    let mode = parse(&variable("PERF_BASELINE"))?;
    Ok(if debug && mode != Mode::Off { Mode::Smoke } else { mode })
}

fn parse(value: &str) -> Result<Mode, Error> {
    match value {
        "" | "check" => Ok(Mode::Check),
        "record" => Ok(Mode::Record),
        "off" => Ok(Mode::Off),
        _ => Err(unknown("PERF_BASELINE", value, "check, record, off")),
    }
}

/// `PERF_POLICY=report`: a regression is reported, the test does not fail.
pub(super) fn verdicts_are_only_reported() -> Result<bool, Error> {
    let value = variable("PERF_POLICY");
    match value.as_str() {
        "" | "fail" => Ok(false),
        "report" => Ok(true),
        _ => Err(unknown("PERF_POLICY", &value, "fail, report")),
    }
}

/// `PERF_REQUIRE_DOCKER=1`: a scenario that needs Docker fails where there is none.
pub(super) fn docker_is_required() -> Result<bool, Error> {
    let value = variable("PERF_REQUIRE_DOCKER");
    match value.as_str() {
        "" | "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(unknown("PERF_REQUIRE_DOCKER", &value, "0, 1")),
    }
}

/// Which attempt of the test runner this is, when it is not the first.
pub(super) fn attempt() -> Option<u32> {
    let attempt = variable("NEXTEST_ATTEMPT").parse().ok()?;
    (attempt > 1).then_some(attempt)
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

fn unknown(variable: &'static str, value: &str, known: &'static str) -> Error {
    Error::Environment {
        variable,
        value: value.to_owned(),
        known,
    }
}

/// Enough requests to see that every connection gets its good reply.
pub(super) fn smoke(load: &Load) -> Load {
    let few = load.requests.min(100.max(load.concurrency as u64));
    Load {
        requests: few,
        warmup: Some(load.warmup_requests().min(few)),
        ..load.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_value_lists_the_known_ones() {
        assert_eq!(parse("").unwrap(), Mode::Check);
        let message = parse("on").unwrap_err().to_string();
        assert_eq!(message, "PERF_BASELINE=\"on\" means nothing: it is one of check, record, off");
    }

    #[test]
    fn a_smoke_run_reaches_every_connection() {
        let load = Load {
            requests: 100_000,
            concurrency: 300,
            ..Load::default()
        };
        assert_eq!(smoke(&load).requests, 300);
        assert_eq!(smoke(&load).check(), Ok(()));
    }
}
