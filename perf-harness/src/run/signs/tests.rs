use std::time::Duration;

use super::*;
use crate::driver::{Driver as _, Script, Scripted, Window};
use crate::endpoint::Endpoint;
use crate::gate::{Change, Gate, Status, Verdict};
use crate::load::{Arrivals, Rate};
use crate::scenario::Scenario;
use crate::target::{Target, Usage};

struct Unheard;

impl Window for Unheard {
    fn open(&mut self) {}
    fn close(&mut self) {}
}

fn sample(load: &Load, script: Script) -> Sample {
    let endpoint = Endpoint::new(([127, 0, 0, 1], 1).into());
    let script = Script {
        spread: 0.0,
        ..script
    };
    let driver = Scripted::new(1, script);
    driver.drive(&endpoint, load, &mut Unheard).unwrap()
}

fn closed() -> Load {
    Load {
        requests: 1_000,
        ..Load::default()
    }
}

fn at_rate(rate: f64) -> Load {
    Load {
        pace: Pace::Open(Rate::constant(rate)),
        ..closed()
    }
}

fn busy() -> Script {
    Script {
        client_busy: 0.97,
        ..Script::default()
    }
}

fn names(load: &Load, samples: &[Sample]) -> Vec<&'static str> {
    let warnings = of_samples(load, samples).chain(littles_law(load, samples));
    warnings.map(|warning| warning.name()).collect()
}

#[test]
fn a_rate_that_was_kept_is_no_sign_however_busy_the_client() {
    let load = at_rate(9_900.0);
    let sample = sample(&load, busy());
    assert_eq!(names(&load, &[sample]), [""; 0]);
}

#[test]
fn a_missed_rate_is_told_with_the_figures_of_the_worst_round() {
    let load = at_rate(2_000.0);
    let rounds = [5_000.0, 1_900.0, 1_000.0].map(|throughput| {
        let script = Script {
            throughput,
            ..Script::default()
        };
        sample(&load, script)
    });
    let Some(Warning::RateMissed {
        rounds,
        asked,
        sent,
        lag_p99,
    }) = pacing::rate_missed(&load, &rounds)
    else {
        panic!("no warning");
    };
    assert_eq!((rounds, asked, sent), (2, 2_000.0, 1_000.0));
    // Half of the rate makes the last of a thousand requests half a second late.
    assert!(
        (lag_p99.unwrap() / 0.495e9 - 1.0).abs() < 0.01,
        "{lag_p99:?}"
    );
}

#[test]
fn a_busy_client_that_misses_the_rate_is_saturated_though_the_server_is_busy_too() {
    let load = at_rate(20_000.0);
    let script = Script {
        cpu: Duration::from_secs(1),
        ..busy()
    };
    let samples = [sample(&load, script.clone())];
    assert_eq!(names(&load, &samples), ["client_saturated", "rate_missed"]);
    let lazy = Script {
        client_busy: 0.5,
        ..script
    };
    assert_eq!(names(&load, &[sample(&load, lazy)]), ["rate_missed"]);
}

#[test]
fn what_was_never_sent_before_time_was_over_misses_the_rate() {
    let mut load = Load {
        requests: 0,
        duration: Some(Duration::from_secs(1)),
        ..at_rate(1_000.0)
    };
    let mut stalled = sample(&load, Script::default());
    assert_eq!(pacing::missed(&load, &stalled), Some(false));
    stalled.sent = 500;
    assert_eq!(pacing::missed(&load, &stalled), Some(true));
    stalled.sent = 999;
    assert_eq!(
        pacing::missed(&load, &stalled),
        Some(false),
        "one on the end"
    );
    if let Pace::Open(rate) = &mut load.pace {
        rate.arrivals = Arrivals::Poisson;
    }
    stalled.sent = 900;
    assert_eq!(pacing::missed(&load, &stalled), Some(false), "by chance");
    stalled.sent = 850;
    assert_eq!(pacing::missed(&load, &stalled), Some(true));
}

#[test]
fn a_rate_that_is_no_number_was_not_kept_and_can_be_written() {
    let load = at_rate(1_000.0);
    let mut sample = sample(&load, Script::default());
    sample.open_loop.as_mut().unwrap().asked = f64::NAN;
    let warning = pacing::rate_missed(&load, &[sample]).unwrap();
    let text = serde_json::to_string(&warning).unwrap();
    assert_eq!(serde_json::from_str::<Warning>(&text).unwrap(), warning);
}

#[test]
fn the_threads_of_the_client_are_not_left_to_the_server() {
    let cores = std::thread::available_parallelism().unwrap().get() as f64;
    let second = Duration::from_secs(1);
    let with_client = |client_cpu| Sample {
        elapsed: second,
        client_cpu,
        ..Sample::default()
    };
    assert!((cores_left(&[with_client(second / 2)]) - (cores - 1.0).max(1.0)).abs() < 1e-9);
    let two = second.mul_f64(1.9);
    assert!((cores_left(&[with_client(two)]) - (cores - 2.0).max(1.0)).abs() < 1e-9);
}

#[test]
fn the_busiest_thread_decides_whether_the_client_was_the_limit() {
    let second = Duration::from_secs(1);
    let sample = |busiest: f64| Sample {
        elapsed: second,
        client_cpu: second,
        busiest_thread: second.mul_f64(busiest),
        server: Some(Usage {
            cpu: Some(second / 10),
            peak_memory: None,
        }),
        ..Sample::default()
    };
    assert!(saturation(&closed(), &[sample(0.5)]).is_none());
    assert!(saturation(&closed(), &[sample(0.96)]).is_some());
}

#[test]
fn a_straggler_means_something_in_a_closed_loop_alone() {
    let straggling = |load: &Load| {
        let mut sample = sample(load, Script::default());
        sample.steady_throughput = Some(1e6);
        names(load, &[sample])
    };
    assert_eq!(straggling(&closed()), ["straggler"]);
    assert_eq!(straggling(&at_rate(1_000.0)), [""; 0]);
}

#[test]
fn an_open_loop_may_leave_connections_idle_but_not_use_more_than_it_has() {
    let (load, closed) = (at_rate(100.0), closed());
    let mut open = sample(&load, Script::default());
    assert!(littles_law(&load, &[open.clone()]).is_none());
    assert!(littles_law(&closed, &[sample(&closed, Script::default())]).is_none());
    let slow = &mut open.open_loop.as_mut().unwrap().uncorrected;
    (0..100_000).for_each(|_| slow.record(Duration::from_secs(1)));
    assert_eq!(names(&load, &[open]), ["littles_law"]);
    let fewer = Load {
        concurrency: 20,
        ..closed.clone()
    };
    let of_ten = sample(&closed, Script::default());
    assert_eq!(names(&fewer, &[of_ten]), ["littles_law"]);
}

#[test]
fn only_a_duration_frees_a_round_from_its_number_of_requests() {
    let by = |ended| Sample {
        ended,
        ..Sample::default()
    };
    let both = Load {
        duration: Some(Duration::from_secs(1)),
        ..closed()
    };
    let by_time = [by(Ended::Requests), by(Ended::Duration)];
    assert_eq!(requests_asked_for(&both, &by_time), None);
    assert_eq!(requests_asked_for(&both, &by_time[..1]), Some(1_000));
    assert_eq!(requests_asked_for(&closed(), &by_time), Some(1_000));
    let alone = Load {
        requests: 0,
        ..both
    };
    assert_eq!(requests_asked_for(&alone, &by_time[..1]), None);
}

#[test]
fn a_deadline_is_found_in_any_round() {
    let cut_round = Sample {
        ended: Ended::Deadline,
        ..Sample::default()
    };
    let samples = [Sample::default(), cut_round];
    let deadline = closed().deadline;
    let finding = Finding::Deadline {
        rounds: 1,
        deadline,
    };
    assert_eq!(cut(&closed(), &samples), Some(finding));
    assert_eq!(cut(&closed(), &samples[..1]), None);
}

fn judged(status: Status) -> Judgement {
    let change = Change {
        metric: Metric::P99,
        before: Some(1.0),
        now: Some(1.0),
        change: None,
        low: None,
        high: None,
        threshold: (status != Status::Shown).then(|| "20%".to_owned()),
        detectable: None,
        status,
    };
    Judgement {
        changes: vec![change],
        ..Judgement::without_numbers(Verdict::Pass, Vec::new())
    }
}

#[test]
fn few_requests_are_those_that_were_sent_and_are_told_unless_judged_all_the_same() {
    let scenario = Scenario::new("x")
        .target(Target::url("http://127.0.0.1:1"))
        .duration(Duration::from_secs(1));
    let plan = Scenario::plan(scenario).unwrap();
    assert!(plan.gate.of(Metric::P99).is_some(), "{:?}", Gate::default());
    let sent = |sent| Sample {
        sent,
        ..Sample::default()
    };
    let few = [sent(10_000), sent(400)];
    let [warning] = &too_few_requests(&plan, &few, &judged(Status::Shown))[..] else {
        panic!("one warning");
    };
    let wanted = Warning::TooFewRequests {
        metric: Metric::P99,
        requests: 400,
        wanted: Metric::P99.least_requests(),
    };
    assert_eq!(*warning, wanted);
    assert!(too_few_requests(&plan, &few, &judged(Status::Within)).is_empty());
    assert!(too_few_requests(&plan, &few[..1], &judged(Status::Shown)).is_empty());
}
