//! Hand-made outcomes, one of every kind that a report has to show.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::baseline::{Accepted, Difference, Key, Round, Session};
use crate::gate::{Change, Finding, Judgement, Status, Verdict};
use crate::host::{Disturbance, MachineClass};
use crate::name::ScenarioName;
use crate::outcome::{OpenLoopDetail, Outcome, Place, RoundDetail, Span, StepDetail, Warning};
use crate::sample::{Ended, Interval, Metric};

pub(crate) fn key(scenario: &str) -> Key {
    Key {
        class: MachineClass::named("amd-epyc-7763-4cores-x86_64-linux"),
        package: "shop".to_owned(),
        scenario: ScenarioName::parse(scenario).unwrap(),
    }
}

/// A session of equal rounds.
pub(crate) fn session(throughput: f64, p99_ns: f64) -> Session {
    let round = Round {
        bytes: 430_000,
        cpu_ns: Some(35_200.0),
        ok: 10_000,
        sent: 10_000,
        mean_ns: Some(p99_ns / 3.0),
        p50_ns: Some(p99_ns / 4.0),
        p90_ns: Some(p99_ns / 2.0),
        p99_ns: Some(p99_ns),
        p999_ns: Some(p99_ns * 2.0),
        throughput: Some(throughput),
        ..Round::default()
    };
    Session {
        revision: Some("3f2a91c07d55".to_owned()),
        rounds: vec![round; 5],
        ..Session::default()
    }
}

fn compared(metric: Metric, before: f64, now: f64, interval: (f64, f64), status: Status) -> Change {
    let threshold = if metric == Metric::P99 { "20%" } else { "5%" };
    Change {
        metric,
        before: Some(before),
        now: Some(now),
        change: Some(now / before - 1.0),
        low: Some(interval.0),
        high: Some(interval.1),
        threshold: Some(threshold.to_owned()),
        detectable: Some(if metric == Metric::P99 { 0.241 } else { 0.053 }),
        status,
    }
}

fn shown(metric: Metric, before: f64, now: f64) -> Change {
    Change {
        threshold: None,
        detectable: None,
        ..compared(metric, before, now, (-0.012, 0.031), Status::Shown)
    }
}

fn alone(metric: Metric, now: f64) -> Change {
    Change {
        metric,
        before: None,
        now: Some(now),
        change: None,
        low: None,
        high: None,
        threshold: Some("5%".to_owned()),
        detectable: None,
        status: Status::Missing,
    }
}

fn outcome(
    scenario: &str,
    verdict: Verdict,
    changes: Vec<Change>,
    findings: Vec<Finding>,
) -> Outcome {
    Outcome {
        key: key(scenario),
        judgement: Judgement {
            verdict,
            changes,
            findings,
        },
        session: Some(session(12_345.0, 1_234_000.0)),
        accepted: Some(Accepted {
            medians: BTreeMap::from([(Metric::Throughput, 12_345.0)]),
            previous: BTreeMap::new(),
            reason: None,
            revision: Some("9b0c2d41aa17".to_owned()),
        }),
        warnings: Vec::new(),
        pending: None,
        connections: 50,
        duration: None,
        rounds: Vec::new(),
        endpoint: Some("127.0.0.1:41234".to_owned()),
        place: Place {
            file: "shop/tests/perf.rs".to_owned(),
            line: 12,
        },
        reported_only: false,
        workspace: "/shop".into(),
    }
}

fn awaiting_review(outcome: Outcome) -> Outcome {
    let path = format!(
        "target/perf/pending/{}/shop/{}.json",
        outcome.key.class, outcome.key.scenario
    );
    Outcome {
        pending: Some(path.into()),
        ..outcome
    }
}

fn without_numbers(scenario: &str, verdict: Verdict, finding: Finding) -> Outcome {
    Outcome {
        session: None,
        accepted: None,
        connections: 50,
        endpoint: None,
        ..outcome(scenario, verdict, Vec::new(), vec![finding])
    }
}

pub(crate) fn pass() -> Outcome {
    let changes = vec![
        compared(
            Metric::Throughput,
            12_345.0,
            12_210.0,
            (-0.032, 0.009),
            Status::Within,
        ),
        shown(Metric::P50, 310_000.0, 312_000.0),
        compared(
            Metric::P99,
            1_234_000.0,
            1_250_000.0,
            (-0.05, 0.081),
            Status::Within,
        ),
        compared(
            Metric::Cpu,
            35_200.0,
            35_190.0,
            (-0.011, 0.012),
            Status::Within,
        ),
        shown(Metric::Memory, 12_900_000.0, 13_000_000.0),
    ];
    outcome("shop/home", Verdict::Pass, changes, Vec::new())
}

pub(crate) fn thin() -> Outcome {
    let mut outcome = pass();
    outcome.key = key("shop/thin");
    outcome.judgement.findings = vec![Finding::Thin { sessions: 1 }];
    awaiting_review(outcome)
}

pub(crate) fn regressed() -> Outcome {
    let changes = vec![
        compared(
            Metric::Throughput,
            12_345.0,
            9_716.0,
            (-0.25, -0.174),
            Status::Worse,
        ),
        shown(Metric::P50, 310_000.0, 385_000.0),
        compared(
            Metric::P99,
            1_234_000.0,
            1_703_000.0,
            (0.302, 0.471),
            Status::Worse,
        ),
        compared(
            Metric::Cpu,
            35_200.0,
            35_190.0,
            (-0.011, 0.012),
            Status::Within,
        ),
    ];
    let mut outcome = outcome("shop/cart", Verdict::Regressed, changes, Vec::new());
    outcome.warnings = vec![Warning::Disturbed {
        rounds: 2,
        disturbance: Disturbance::Steal { share: 0.12 },
    }];
    outcome.accepted.as_mut().unwrap().reason =
        Some("taxes are computed per item since #41".to_owned());
    awaiting_review(outcome)
}

pub(crate) fn improved() -> Outcome {
    let changes = vec![compared(
        Metric::Throughput,
        12_345.0,
        14_001.0,
        (0.11, 0.16),
        Status::Better,
    )];
    awaiting_review(outcome(
        "shop/search",
        Verdict::Improved,
        changes,
        Vec::new(),
    ))
}

pub(crate) fn inconclusive() -> Outcome {
    let changes = vec![
        compared(
            Metric::Throughput,
            12_345.0,
            11_700.0,
            (-0.21, 0.09),
            Status::Unclear,
        ),
        compared(
            Metric::P99,
            1_234_000.0,
            1_250_000.0,
            (-0.05, 0.081),
            Status::Within,
        ),
    ];
    let mut outcome = outcome(
        "shop/pay",
        Verdict::Inconclusive,
        changes,
        vec![Finding::NotConfirmed {
            metric: Metric::Throughput,
        }],
    );
    outcome.warnings = vec![
        Warning::Straggler {
            throughput: 9_000.0,
            steady: 12_000.0,
        },
        Warning::ClientSaturated {
            client_busy: 0.97,
            server_cores: Some(0.61),
        },
        Warning::LittlesLaw {
            connections: 50.0,
            implied: 38.2,
        },
    ];
    awaiting_review(outcome)
}

fn span(p50_ns: u64, p99_ns: u64) -> Option<Span> {
    let mut span = Span::default();
    (span.count, span.p50_ns, span.p99_ns) = (20_000, p50_ns, p99_ns);
    Some(span)
}

fn interval() -> Interval {
    Interval {
        ok: 200,
        failed: 0,
        p99_ns: Some(3_100_000),
    }
}

/// An open loop that time ended, in which one round missed the rate.
pub(crate) fn open_loop() -> Outcome {
    let mut open = OpenLoopDetail::default();
    (open.asked, open.sent, open.rate_ratio) = (2_000.0, 1_998.0, Some(0.999));
    (open.lag, open.uncorrected) = (span(20_000, 84_000), span(1_000_000, 3_100_000));
    let mut round = RoundDetail {
        ended: Ended::Duration,
        statuses: BTreeMap::from([(200, 19_980)]),
        open_loop: Some(open),
        ..RoundDetail::default()
    };
    round.series.intervals = vec![interval(); 2];
    let warning = Warning::RateMissed {
        rounds: 1,
        asked: 2_000.0,
        sent: 1_204.0,
        lag_p99: Some(1.2e9),
    };
    Outcome {
        key: key("shop/open"),
        duration: Some(Duration::from_secs(10)),
        rounds: vec![round; 5],
        warnings: vec![warning],
        ..pass()
    }
}

/// A journey with two steps; a few replies were errors within the budget.
pub(crate) fn journey() -> Outcome {
    let step = |name: &str, failed| StepDetail {
        name: name.to_owned(),
        latency: span(1_200_000, 3_100_000),
        failed,
    };
    let round = RoundDetail {
        statuses: BTreeMap::from([(200, 9_999), (503, 1)]),
        steps: vec![step("log in\n::x", 0), step("pay", 1)],
        ..RoundDetail::default()
    };
    Outcome {
        key: key("shop/journey"),
        rounds: vec![round; 5],
        ..pass()
    }
}

/// A load of which the deadline cut a part.
pub(crate) fn cut() -> Outcome {
    let finding = Finding::Deadline {
        rounds: 3,
        deadline: Duration::from_secs(600),
    };
    outcome("shop/cut", Verdict::Broken, Vec::new(), vec![finding])
}

pub(crate) fn new() -> Outcome {
    let changes = vec![
        alone(Metric::Throughput, 12_345.0),
        alone(Metric::P99, 1_234_000.0),
    ];
    let mut outcome = outcome("shop/new", Verdict::New, changes, Vec::new());
    outcome.accepted = None;
    outcome.warnings = vec![Warning::TooFewRequests {
        metric: Metric::P99,
        requests: 400,
        wanted: 500,
    }];
    awaiting_review(outcome)
}

/// The replies of the server try to talk to the runner and to the terminal.
pub(crate) fn broken() -> Outcome {
    let finding = Finding::Errors {
        failed: 31,
        sent: 50_000,
        example: Some("status 500:\n::error file=x::injected\n<b>|\x1b[31m oh no`".to_owned()),
    };
    let mut outcome = outcome("shop/broken", Verdict::Broken, Vec::new(), vec![finding]);
    outcome.accepted = None;
    outcome
}

pub(crate) fn incomparable() -> Outcome {
    let differs = |field: &str, baseline: &str, now: &str| Finding::Differs {
        difference: Difference {
            field: field.to_owned(),
            baseline: baseline.to_owned(),
            now: now.to_owned(),
        },
    };
    let findings = vec![
        differs("requests", "10000", "20000"),
        differs("rustc", "1.94", "1.95"),
    ];
    let changes = vec![alone(Metric::Throughput, 12_345.0)];
    awaiting_review(outcome(
        "shop/other",
        Verdict::Incomparable,
        changes,
        findings,
    ))
}

pub(crate) fn missing() -> Outcome {
    let finding = Finding::Removed {
        file: "baselines/amd-epyc-7763-4cores-x86_64-linux/shop/shop/gone.json".to_owned(),
    };
    without_numbers("shop/gone", Verdict::Missing, finding)
}

pub(crate) fn not_gated() -> Outcome {
    without_numbers("shop/debug", Verdict::NotGated, Finding::DebugBuild)
}

pub(crate) fn skipped() -> Outcome {
    let finding = Finding::Unavailable {
        reason: "docker cannot be reached: start it, or set PERF_REQUIRE_DOCKER=1 to fail\n::warning::cannot connect".to_owned(),
    };
    without_numbers("shop/nginx", Verdict::Skipped, finding)
}

pub(crate) fn all() -> Vec<Outcome> {
    vec![
        pass(),
        thin(),
        regressed(),
        improved(),
        inconclusive(),
        new(),
        broken(),
        incomparable(),
        missing(),
        not_gated(),
        skipped(),
    ]
}
