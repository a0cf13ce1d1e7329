use super::*;
use crate::baseline::{Round, Session};
use crate::sample::{ErrorKind, Metric};

/// A session whose rounds have the given throughputs; the other metrics follow.
fn session(throughputs: &[f64]) -> Session {
    let round = |throughput: &f64| Round {
        bytes: 85_000,
        cpu_ns: Some(1e9 / throughput),
        mean_ns: Some(1e10 / throughput),
        ok: 1_000,
        p50_ns: Some(1e10 / throughput),
        p90_ns: Some(2e10 / throughput),
        p99_ns: Some(3e10 / throughput),
        p999_ns: Some(4e10 / throughput),
        sent: 1_000,
        throughput: Some(*throughput),
        ..Round::default()
    };
    Session {
        rounds: throughputs.iter().map(round).collect(),
        ..Session::default()
    }
}

const CALM: [f64; 5] = [1000.0, 1005.0, 995.0, 1002.0, 998.0];

fn calm(factor: f64) -> Session {
    session(&CALM.map(|throughput| throughput * factor))
}

fn comparison<'a>(before: &'a [Session], now: &'a Session) -> Comparison<'a> {
    Comparison {
        before,
        now,
        again: None,
        requests: Some(1_000),
        cut: None,
        error_budget: 0.0,
        first_error: None,
        saturated: None,
    }
}

fn compare(gate: &Gate, before: &[Session], now: &Session) -> Judgement {
    judge(gate, &comparison(before, now))
}

fn verdict(before: &[Session], now: &Session) -> Verdict {
    compare(&Gate::default(), before, now).verdict
}

fn status(judgement: &Judgement, metric: Metric) -> Status {
    let change = judgement
        .changes
        .iter()
        .find(|change| change.metric == metric);
    change.unwrap().status
}

#[test]
fn equal_rounds_pass() {
    assert_eq!(verdict(&[calm(1.0)], &calm(1.0)), Verdict::Pass);
    assert_eq!(verdict(&[calm(1.0)], &calm(0.99)), Verdict::Pass);
}

#[test]
fn a_loss_beyond_the_threshold_is_regressed() {
    let judgement = compare(&Gate::default(), &[calm(1.0)], &calm(0.8));
    assert_eq!(judgement.verdict, Verdict::Regressed);
    assert_eq!(status(&judgement, Metric::Throughput), Status::Worse);
    assert_eq!(status(&judgement, Metric::P99), Status::Worse);
    assert_eq!(status(&judgement, Metric::P50), Status::Shown);
}

#[test]
fn a_loss_below_the_threshold_is_never_regressed() {
    assert_eq!(verdict(&[calm(1.0)], &calm(0.96)), Verdict::Pass);
}

#[test]
fn a_slow_tail_is_regressed_though_the_throughput_stays() {
    let mut now = calm(1.0);
    now.rounds
        .iter_mut()
        .for_each(|round| round.p99_ns = round.p99_ns.map(|p99| p99 * 1.6));
    let judgement = compare(&Gate::default(), &[calm(1.0)], &now);
    assert_eq!(judgement.verdict, Verdict::Regressed);
    assert_eq!(status(&judgement, Metric::Throughput), Status::Within);
}

#[test]
fn a_better_tail_does_not_buy_a_lost_throughput() {
    let mut now = calm(0.8);
    now.rounds
        .iter_mut()
        .for_each(|round| round.p99_ns = Some(1e7));
    let judgement = compare(&Gate::default(), &[calm(1.0)], &now);
    assert_eq!(judgement.verdict, Verdict::Regressed);
    assert_eq!(status(&judgement, Metric::P99), Status::Better);
}

#[test]
fn a_gain_beyond_the_threshold_is_improved() {
    assert_eq!(verdict(&[calm(1.0)], &calm(1.2)), Verdict::Improved);
}

#[test]
fn a_collapse_is_broken_until_it_is_accepted() {
    let judgement = compare(&Gate::default(), &[calm(1.0)], &calm(33.0));
    assert_eq!(judgement.verdict, Verdict::Broken);
    assert!(matches!(judgement.findings[0], Finding::Collapsed { .. }));
}

#[test]
fn noise_that_hides_twice_the_threshold_is_inconclusive() {
    let noisy = session(&[1000.0, 1300.0, 800.0, 1100.0, 700.0]);
    assert_eq!(
        verdict(std::slice::from_ref(&noisy), &noisy),
        Verdict::Inconclusive
    );
}

#[test]
fn a_breach_within_the_noise_is_inconclusive_and_not_a_pass() {
    let noisy = session(&[1000.0, 1300.0, 800.0, 1100.0, 700.0]);
    let slower = session(&[900.0, 1170.0, 720.0, 990.0, 630.0]);
    assert_eq!(verdict(&[noisy], &slower), Verdict::Inconclusive);
}

#[test]
fn one_wild_round_in_ten_passes() {
    let mut now = session(&[CALM, CALM].concat());
    now.rounds[3] = session(&[100.0]).rounds[0].clone();
    assert_eq!(verdict(&[calm(1.0)], &now), Verdict::Pass);
}

#[test]
fn three_rounds_can_never_be_regressed() {
    let judgement = compare(
        &Gate::default(),
        &[session(&[1000.0; 3])],
        &session(&[10.0; 3]),
    );
    assert_eq!(judgement.verdict, Verdict::Inconclusive);
    let minimum = Finding::TooFewRounds {
        baseline: 3,
        now: 3,
    };
    assert!(
        judgement.findings.contains(&minimum),
        "{:?}",
        judgement.findings
    );
}

#[test]
fn no_sessions_are_new() {
    assert_eq!(verdict(&[], &calm(1.0)), Verdict::New);
}

#[test]
fn fewer_than_three_sessions_are_thin() {
    let thin = |sessions: usize| {
        let judgement = compare(&Gate::default(), &vec![calm(1.0); sessions], &calm(1.0));
        judgement.findings.contains(&Finding::Thin { sessions })
    };
    assert!(thin(1) && thin(2) && !thin(3));
}

#[test]
fn sessions_that_differ_widen_the_bound_that_their_rounds_do_not_show() {
    let sessions = [calm(1.0), calm(1.15), calm(0.87)];
    let judgement = compare(&Gate::default(), &sessions, &calm(0.88));
    assert_eq!(judgement.verdict, Verdict::Inconclusive);
    let close = [calm(1.0), calm(1.001), calm(0.999), calm(1.0)];
    assert_eq!(verdict(&close, &calm(0.88)), Verdict::Regressed);
}

#[test]
fn a_breach_that_does_not_show_again_is_not_regressed() {
    let again = calm(0.96);
    let mut now = calm(0.8);
    now.rounds.extend(again.rounds.clone());
    let before = [calm(1.0)];
    let comparison = Comparison {
        again: Some(&again),
        ..comparison(&before, &now)
    };
    let judgement = judge(&Gate::default(), &comparison);
    assert_eq!(judgement.verdict, Verdict::Inconclusive);
    assert!(judgement.findings.contains(&Finding::NotConfirmed {
        metric: Metric::Throughput
    }));
}

#[test]
fn failed_requests_beyond_the_budget_are_broken_however_fast() {
    let mut now = calm(5.0);
    now.rounds[0].ok = 999;
    now.rounds[0].errors.insert(ErrorKind::Status, 1);
    let judgement = compare(&Gate::default(), &[calm(1.0)], &now);
    assert_eq!(judgement.verdict, Verdict::Broken);
    assert!(matches!(
        judgement.findings[0],
        Finding::Errors {
            failed: 1,
            sent: 5000,
            ..
        }
    ));
}

/// Equal rounds that each sent so many requests, all of them good.
fn of_requests(requests: u64) -> Session {
    let mut session = calm(1.0);
    for round in &mut session.rounds {
        (round.sent, round.ok, round.bytes) = (requests, requests, 85 * requests);
    }
    session
}

#[test]
fn a_count_that_was_asked_for_is_exact_and_one_that_time_ends_is_any() {
    let (before, now) = ([calm(1.0)], of_requests(999));
    let judged = |requests| {
        let comparison = Comparison {
            requests,
            ..comparison(&before, &now)
        };
        judge(&Gate::default(), &comparison)
    };
    let exact = judged(Some(1_000));
    assert_eq!(exact.verdict, Verdict::Broken);
    let miscounted = Finding::Miscounted {
        requests: 1_000,
        sent: 999,
        accounted: 999,
    };
    assert_eq!(exact.findings, [miscounted]);
    assert_eq!(judged(None).verdict, Verdict::Pass);
}

#[test]
fn outcomes_that_do_not_add_up_are_broken_also_when_time_ends_a_round() {
    let mut now = calm(1.0);
    now.rounds[1].ok -= 1;
    let before = [calm(1.0)];
    let comparison = Comparison {
        requests: None,
        ..comparison(&before, &now)
    };
    let judgement = judge(&Gate::default(), &comparison);
    assert_eq!(judgement.verdict, Verdict::Broken);
    assert!(matches!(
        judgement.findings[..],
        [Finding::Miscounted {
            sent: 1_000,
            accounted: 999,
            ..
        }]
    ));
}

#[test]
fn what_a_deadline_cut_is_broken_by_its_own_name() {
    let finding = Finding::Deadline {
        rounds: 2,
        deadline: std::time::Duration::from_secs(60),
    };
    let said = finding.to_string();
    assert!(
        said.contains("raise `deadline`") && said.contains("60s"),
        "{said}"
    );
    assert!(finding.spoils_the_numbers());
    let (before, now) = ([calm(1.0)], of_requests(600));
    let comparison = Comparison {
        cut: Some(&finding),
        ..comparison(&before, &now)
    };
    let judgement = judge(&Gate::default(), &comparison);
    assert_eq!(judgement.verdict, Verdict::Broken);
    assert_eq!(judgement.findings, std::slice::from_ref(&finding));
    let nothing = Session::default();
    let comparison = Comparison {
        now: &nothing,
        ..comparison
    };
    let findings = judge(&Gate::default(), &comparison).findings;
    assert!(matches!(
        findings[..],
        [Finding::Deadline { .. }, Finding::NothingMeasured { .. }]
    ));
}

#[test]
fn a_server_too_slow_for_its_percentile_in_time_does_not_escape_it() {
    let (before, mut now) = ([of_requests(1_000)], of_requests(100));
    now.rounds
        .iter_mut()
        .for_each(|round| round.p99_ns = round.p99_ns.map(|p99| p99 * 10.0));
    let gate = Gate::none().limit(Metric::P99, "20%".parse().unwrap());
    let judged = |before: &[Session]| {
        let comparison = Comparison {
            requests: None,
            ..comparison(before, &now)
        };
        judge(&gate, &comparison).verdict
    };
    assert_eq!(judged(&before), Verdict::Regressed);
    assert_eq!(judged(&[of_requests(100)]), Verdict::NotGated);
}

#[test]
fn a_budget_decides_alone() {
    let mut now = calm(1.0);
    now.rounds[0].ok = 999;
    now.rounds[0].errors.insert(ErrorKind::Status, 1);
    let before = [calm(1.0)];
    let comparison = Comparison {
        error_budget: 0.001,
        ..comparison(&before, &now)
    };
    assert_eq!(judge(&Gate::default(), &comparison).verdict, Verdict::Pass);
}

#[test]
fn nothing_measured_is_broken_with_and_without_a_baseline() {
    let mut dead = calm(1.0);
    dead.rounds[2].ok = 0;
    dead.rounds[2].sent = 0;
    assert_eq!(verdict(&[calm(1.0)], &dead), Verdict::Broken);
    assert_eq!(verdict(&[], &dead), Verdict::Broken);
    assert_eq!(verdict(&[calm(1.0)], &Session::default()), Verdict::Broken);
}

#[test]
fn a_judged_metric_without_a_value_on_one_side_is_missing() {
    let judgement = compare(&Gate::default(), &[calm(1.0)], &without_cpu(calm(1.0)));
    assert_eq!(judgement.verdict, Verdict::Missing);
    let finding = Finding::NoValue {
        metric: Metric::Cpu,
        in_baseline: false,
    };
    assert_eq!(judgement.findings[0], finding);
    assert_eq!(
        verdict(&[without_cpu(calm(1.0))], &calm(1.0)),
        Verdict::Missing
    );
}

#[test]
fn values_that_are_no_numbers_never_pass() {
    for value in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
        let mut now = calm(1.0);
        now.rounds[1].throughput = Some(value);
        assert!(verdict(&[calm(1.0)], &now).fails(), "{value} now");
        let mut before = calm(1.0);
        before.rounds[1].throughput = Some(value);
        assert!(verdict(&[before], &calm(1.0)).fails(), "{value} before");
    }
}

#[test]
fn a_p99_of_few_requests_is_shown_and_not_judged() {
    let few = |mut session: Session| {
        session.rounds.iter_mut().for_each(|round| {
            round.sent = 100;
            round.ok = 100;
            round.bytes = 8_500;
        });
        session
    };
    let (before, now) = ([few(calm(1.0))], few(calm(1.0)));
    let comparison = Comparison {
        requests: Some(100),
        ..comparison(&before, &now)
    };
    let judgement = judge(&Gate::default(), &comparison);
    assert_eq!(status(&judgement, Metric::P99), Status::Shown);
}

#[test]
fn other_work_never_passes_and_never_hides_a_regression() {
    let smaller = |mut session: Session| {
        session.rounds.iter_mut().for_each(|round| round.bytes /= 2);
        session
    };
    let judgement = compare(&Gate::default(), &[calm(1.0)], &smaller(calm(1.3)));
    assert_eq!(judgement.verdict, Verdict::Inconclusive);
    assert!(matches!(judgement.findings[0], Finding::WorkChanged { .. }));
    assert_eq!(
        verdict(&[calm(1.0)], &smaller(calm(0.8))),
        Verdict::Regressed
    );
}

fn judged_with_a_saturated_client(gate: &Gate, factor: f64) -> Verdict {
    let finding = Finding::ClientSaturated {
        client_busy: 0.99,
        server_cores: Some(0.3),
    };
    let (before, now) = ([calm(1.0)], calm(factor));
    let comparison = Comparison {
        saturated: Some(&finding),
        ..comparison(&before, &now)
    };
    judge(gate, &comparison).verdict
}

#[test]
fn a_saturated_client_excuses_throughput_but_not_cpu() {
    let verdict = |gate: &Gate| judged_with_a_saturated_client(gate, 0.8);
    assert_eq!(verdict(&Gate::default()), Verdict::Regressed);
    let five = "5%".parse().unwrap();
    let throughput_alone = Gate::none().limit(Metric::Throughput, five);
    assert_eq!(verdict(&throughput_alone), Verdict::Inconclusive);
}

#[test]
fn a_saturated_client_never_passes_a_judged_throughput() {
    for factor in [1.0, 1.3] {
        let verdict = judged_with_a_saturated_client(&Gate::default(), factor);
        assert_eq!(verdict, Verdict::Inconclusive, "{factor}");
    }
    let without = Gate::default().without(Metric::Throughput);
    assert_eq!(judged_with_a_saturated_client(&without, 1.0), Verdict::Pass);
}

/// What a URL gives: no cost of the server.
fn without_cpu(mut session: Session) -> Session {
    session
        .rounds
        .iter_mut()
        .for_each(|round| round.cpu_ns = None);
    session
}

#[test]
fn a_default_that_the_target_never_gives_is_shown_and_not_judged() {
    let judgement = compare(
        &Gate::default(),
        &[without_cpu(calm(1.0))],
        &without_cpu(calm(1.0)),
    );
    assert_eq!(judgement.verdict, Verdict::Pass);
    assert!(
        !judgement
            .changes
            .iter()
            .any(|change| change.metric == Metric::Cpu)
    );
}

#[test]
fn a_metric_that_was_asked_for_and_is_not_there_is_missing_from_the_first_run_on() {
    let gate = Gate::default().limit(Metric::Cpu, "5%".parse().unwrap());
    let cheap = without_cpu(calm(1.0));
    assert_eq!(compare(&gate, &[], &cheap).verdict, Verdict::Missing);
    assert_eq!(
        compare(&gate, std::slice::from_ref(&cheap), &cheap).verdict,
        Verdict::Missing
    );
}

#[test]
fn a_gate_that_judges_nothing_is_not_a_pass() {
    let judgement = compare(&Gate::none(), &[calm(1.0)], &calm(0.2));
    assert_eq!(judgement.verdict, Verdict::NotGated);
    assert_eq!(judgement.findings[0], Finding::NothingJudged);
}

#[test]
fn a_driver_that_miscounts_is_broken() {
    let mut fewer = calm(1.0);
    fewer.rounds[4].sent = 999;
    fewer.rounds[4].ok = 999;
    assert_eq!(verdict(&[calm(1.0)], &fewer), Verdict::Broken);
    let mut lost = calm(1.0);
    lost.rounds[4].ok = 999;
    assert_eq!(verdict(&[calm(1.0)], &lost), Verdict::Broken);
}

#[test]
fn few_rounds_are_not_judged_by_the_spread_of_long_sessions() {
    let sessions = [calm(1.0), calm(1.001), calm(0.999), calm(1.0)];
    let judgement = compare(&Gate::default(), &sessions, &session(&[900.0]));
    assert_eq!(judgement.verdict, Verdict::Inconclusive);
    assert!(judgement.findings.contains(&Finding::Thin { sessions: 4 }));
}

#[test]
fn a_gain_that_does_not_show_again_is_not_improved() {
    let again = calm(1.04);
    let mut now = calm(1.2);
    now.rounds.extend(again.rounds.clone());
    let before = [calm(1.0)];
    let comparison = Comparison {
        again: Some(&again),
        ..comparison(&before, &now)
    };
    assert_eq!(judge(&Gate::default(), &comparison).verdict, Verdict::Pass);
}

#[test]
fn breached_metrics_are_named_whether_sure_or_not() {
    let noisy = session(&[1000.0, 1300.0, 800.0, 1100.0, 700.0]);
    let slower = session(&[900.0, 1170.0, 720.0, 990.0, 630.0]);
    let judgement = compare(&Gate::default(), &[noisy], &slower);
    let breached: Vec<Metric> = judgement.breached().collect();
    assert_eq!(breached, [Metric::Throughput, Metric::Cpu]);
}

#[test]
fn the_table_agrees_with_itself_over_several_sessions() {
    let sessions = [calm(1.0), calm(1.1), calm(0.8)];
    let judgement = compare(&Gate::default(), &sessions, &calm(0.9));
    let change = &judgement.changes[0];
    let share = change.now.unwrap() / change.before.unwrap() - 1.0;
    assert!((share - change.change.unwrap()).abs() < 1e-3, "{change:?}");
}

#[test]
fn a_threshold_of_the_scenario_replaces_the_default() {
    let gate = Gate::default()
        .limit(Metric::Throughput, "30%".parse().unwrap())
        .limit(Metric::P99, "50%".parse().unwrap())
        .without(Metric::Cpu);
    assert_eq!(
        compare(&gate, &[calm(1.0)], &calm(0.8)).verdict,
        Verdict::Pass
    );
}

#[test]
fn the_same_input_gives_the_same_judgement() {
    let judged = || compare(&Gate::default(), &[calm(1.0), calm(1.01)], &calm(0.9));
    assert_eq!(judged(), judged());
}

#[test]
fn a_change_is_told_as_its_metric_is_read() {
    let judgement = compare(&Gate::default(), &[calm(1.0)], &calm(0.8));
    let throughput = &judgement.changes[0];
    assert!(
        (throughput.change.unwrap() + 0.2).abs() < 1e-9,
        "{throughput:?}"
    );
    assert!(throughput.low < throughput.change && throughput.change < throughput.high);
    assert!(throughput.detectable.unwrap() >= 0.05 - 1e-9);
    let p99 = judgement
        .changes
        .iter()
        .find(|change| change.metric == Metric::P99)
        .unwrap();
    assert!((p99.change.unwrap() - 0.25).abs() < 1e-9, "{p99:?}");
}

/// Twenty thousand comparisons of the same code, by seed: false reds are as rare as stated.
#[test]
fn the_same_code_is_seldom_regressed_when_sessions_do_not_differ() {
    let mut state = 11_u64;
    let mut uniform = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut draw =
        || session(&[(); 5].map(|()| 1000.0 * (0.06 * (uniform() + uniform() - 1.0)).exp()));
    let gate = Gate::none().limit(Metric::Throughput, "5%".parse().unwrap());
    let reds =
        (0..20_000).filter(|_| compare(&gate, &[draw()], &draw()).verdict == Verdict::Regressed);
    let reds = reds.count();
    assert!(reds <= 200, "{reds} of 20000");
}
