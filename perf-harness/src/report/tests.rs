use super::{Style, console, examples, overview};
use crate::gate::Verdict;
use crate::sample::Ended;

fn page(outcome: &crate::outcome::Outcome) -> String {
    console::scenario(outcome, Style::Plain)
}

fn timed() -> [crate::outcome::Outcome; 3] {
    [examples::open_loop(), examples::journey(), examples::cut()]
}

#[test]
fn a_pass_is_a_table_and_where_it_stands() {
    insta::assert_snapshot!(page(&examples::pass()), @r"
    pass  shop/home  5 rounds of 10,000 requests, 50 connections, to 127.0.0.1:41234
      metric      baseline       now  change               threshold  verdict
      throughput  12,345/s  12,210/s  -1.1% (-3.2 … +0.9)         5%  ok
      p50           310 µs    312 µs  +0.6% (-1.2 … +3.1)
      p99          1.23 ms   1.25 ms  +1.3% (-5.0 … +8.1)        20%  ok
      cpu          35.2 µs   35.2 µs  0.0% (-1.1 … +1.2)          5%  ok
      memory      12.3 MiB  12.4 MiB  +0.8% (-1.2 … +3.1)
      smallest detectable change: throughput 5.3%, p99 24.1%, cpu 5.3%
      machine: amd-epyc-7763-4cores-x86_64-linux; baseline accepted at 9b0c2d41aa17
    ");
}

#[test]
fn a_thin_pass_says_how_to_make_it_firm() {
    insta::assert_snapshot!(page(&examples::thin()), @r"
    pass  shop/thin  5 rounds of 10,000 requests, 50 connections, to 127.0.0.1:41234
      metric      baseline       now  change               threshold  verdict
      throughput  12,345/s  12,210/s  -1.1% (-3.2 … +0.9)         5%  ok
      p50           310 µs    312 µs  +0.6% (-1.2 … +3.1)
      p99          1.23 ms   1.25 ms  +1.3% (-5.0 … +8.1)        20%  ok
      cpu          35.2 µs   35.2 µs  0.0% (-1.1 … +1.2)          5%  ok
      memory      12.3 MiB  12.4 MiB  +0.8% (-1.2 … +3.1)
      smallest detectable change: throughput 5.3%, p99 24.1%, cpu 5.3%
      note: thin: the bound comes from rounds, not from sessions; 1 accepted session (accept more with
            `cargo perf accept --sessions`)
      machine: amd-epyc-7763-4cores-x86_64-linux; baseline accepted at 9b0c2d41aa17
      pending: target/perf/pending/amd-epyc-7763-4cores-x86_64-linux/shop/shop/thin.json
    ");
}

#[test]
fn a_regression_shows_what_got_worse_and_how_to_accept_it() {
    insta::assert_snapshot!(page(&examples::regressed()), @r#"
    regressed  shop/cart  5 rounds of 10,000 requests, 50 connections, to 127.0.0.1:41234
      metric      baseline      now  change                  threshold  verdict
      throughput  12,345/s  9,716/s  -21.3% (-25.0 … -17.4)         5%  worse
      p50           310 µs   385 µs  +24.2% (-1.2 … +3.1)
      p99          1.23 ms  1.70 ms  +38.0% (+30.2 … +47.1)        20%  worse
      cpu          35.2 µs  35.2 µs  0.0% (-1.1 … +1.2)             5%  ok
      smallest detectable change: throughput 5.3%, p99 24.1%, cpu 5.3%
      note: the machine was not calm in 2 rounds: the hypervisor gave 12% of the CPU time to others
      machine: amd-epyc-7763-4cores-x86_64-linux; baseline accepted at 9b0c2d41aa17: taxes are computed
               per item since #41
      pending: target/perf/pending/amd-epyc-7763-4cores-x86_64-linux/shop/shop/cart.json
      next: make it fast again; or, if this is meant, `cargo perf accept shop/cart --reason "..."`
    "#);
}

#[test]
fn an_improvement_offers_to_keep_the_gain() {
    insta::assert_snapshot!(page(&examples::improved()), @r"
    improved  shop/search  5 rounds of 10,000 requests, 50 connections, to 127.0.0.1:41234
      metric      baseline       now  change                  threshold  verdict
      throughput  12,345/s  14,001/s  +13.4% (+11.0 … +16.0)         5%  better
      smallest detectable change: throughput 5.3%
      machine: amd-epyc-7763-4cores-x86_64-linux; baseline accepted at 9b0c2d41aa17
      pending: target/perf/pending/amd-epyc-7763-4cores-x86_64-linux/shop/shop/search.json
      next: `cargo perf accept shop/search` keeps the gain from being lost again
    ");
}

#[test]
fn an_inconclusive_run_is_never_called_a_pass() {
    let text = page(&examples::inconclusive());
    assert!(!text.contains("pass"), "{text}");
    insta::assert_snapshot!(text, @r"
    inconclusive  shop/pay  5 rounds of 10,000 requests, 50 connections, to 127.0.0.1:41234
      metric      baseline       now  change                threshold  verdict
      throughput  12,345/s  11,700/s  -5.2% (-21.0 … +9.0)         5%  unclear
      p99          1.23 ms   1.25 ms  +1.3% (-5.0 … +8.1)         20%  ok
      smallest detectable change: throughput 5.3%, p99 24.1%
      why: throughput breached its threshold, but not again on fresh starts
      note: the last requests decided the throughput: 9,000/s over the whole window, 12,000/s while all
            connections were busy
      note: client saturated: the engine's busiest thread ran 97% of the window while the server used
            0.61 cores
      note: two figures contradict each other (Little's law): the load has 50 connections, throughput
            times mean latency makes 38.2
      machine: amd-epyc-7763-4cores-x86_64-linux; baseline accepted at 9b0c2d41aa17
      pending: target/perf/pending/amd-epyc-7763-4cores-x86_64-linux/shop/shop/pay.json
      next: run it again on a calmer machine; `cargo perf accept shop/pay` adds this session to the
            baseline's
    ");
}

#[test]
fn a_new_scenario_shows_values_and_compares_nothing() {
    insta::assert_snapshot!(page(&examples::new()), @r"
    new  shop/new  5 rounds of 10,000 requests, 50 connections, to 127.0.0.1:41234
      metric           now  threshold
      throughput  12,345/s         5%
      p99          1.23 ms         5%
      note: p99 is shown, not judged: a round has 400 requests, p99 wants 500
      machine: amd-epyc-7763-4cores-x86_64-linux
      pending: target/perf/pending/amd-epyc-7763-4cores-x86_64-linux/shop/shop/new.json
      next: `cargo perf accept shop/new` makes these numbers the baseline
    ");
}

#[test]
fn an_open_loop_tells_how_well_it_kept_its_rate() {
    insta::assert_snapshot!(page(&examples::open_loop()), @r"
    pass  shop/open  5 rounds of 10 s at 2,000/s, 50 connections, to 127.0.0.1:41234
      metric      baseline       now  change               threshold  verdict
      throughput  12,345/s  12,210/s  -1.1% (-3.2 … +0.9)         5%  ok
      p50           310 µs    312 µs  +0.6% (-1.2 … +3.1)
      p99          1.23 ms   1.25 ms  +1.3% (-5.0 … +8.1)        20%  ok
      cpu          35.2 µs   35.2 µs  0.0% (-1.1 … +1.2)          5%  ok
      memory      12.3 MiB  12.4 MiB  +0.8% (-1.2 … +3.1)
      open loop: 2,000/s asked, 1,998/s sent (0.999), lag p99 84.0 µs, uncorrected p99 3.10 ms
      smallest detectable change: throughput 5.3%, p99 24.1%, cpu 5.3%
      note: rate missed in 1 round: 1,204/s sent of 2,000/s asked, lag p99 1.20 s; too few connections
            were free or the client was too slow: raise `concurrency` or lower `rate`
      machine: amd-epyc-7763-4cores-x86_64-linux; baseline accepted at 9b0c2d41aa17
    ");
}

#[test]
fn the_steps_of_a_journey_and_several_statuses_have_their_lines() {
    insta::assert_snapshot!(page(&examples::journey()), @r"
    pass  shop/journey  5 rounds of 10,000 requests, 50 connections, to 127.0.0.1:41234
      metric      baseline       now  change               threshold  verdict
      throughput  12,345/s  12,210/s  -1.1% (-3.2 … +0.9)         5%  ok
      p50           310 µs    312 µs  +0.6% (-1.2 … +3.1)
      p99          1.23 ms   1.25 ms  +1.3% (-5.0 … +8.1)        20%  ok
      cpu          35.2 µs   35.2 µs  0.0% (-1.1 … +1.2)          5%  ok
      memory      12.3 MiB  12.4 MiB  +0.8% (-1.2 … +3.1)
      step log in ::x: p50 1.20 ms, p99 3.10 ms, failed 0
      step pay: p50 1.20 ms, p99 3.10 ms, failed 5
      statuses: 49,995 × 200, 5 × 503
      smallest detectable change: throughput 5.3%, p99 24.1%, cpu 5.3%
      machine: amd-epyc-7763-4cores-x86_64-linux; baseline accepted at 9b0c2d41aa17
    ");
}

#[test]
fn a_cut_load_names_the_deadline() {
    insta::assert_snapshot!(page(&examples::cut()), @r"
    broken  shop/cut  5 rounds of 10,000 requests, 50 connections, to 127.0.0.1:41234
      why: the deadline of 600s came before the load was done, in 3 rounds: a part of it was not sent;
           mend what is slow, ask for less, or raise `deadline`
      machine: amd-epyc-7763-4cores-x86_64-linux; baseline accepted at 9b0c2d41aa17
    ");
}

#[test]
fn a_load_that_time_did_not_end_in_every_round_counts_its_requests() {
    let mut outcome = examples::open_loop();
    outcome.rounds[0].ended = Ended::Requests;
    let headline = page(&outcome).lines().next().unwrap().to_owned();
    assert!(
        headline.contains("5 rounds of 10,000 requests at 2,000/s, 50 connections"),
        "{headline}"
    );
}

#[test]
fn what_a_server_said_is_marked_as_foreign() {
    insta::assert_snapshot!(page(&examples::broken()), @r"
    broken  shop/broken  5 rounds of 10,000 requests, 50 connections, to 127.0.0.1:41234
      why: 31 of 50000 requests failed, more than the error budget allows: mend what fails, or allow it
           with `error_budget`; the first:
      | status 500:
      | ::error file=x::injected
      | <b>|�[31m oh no`
      machine: amd-epyc-7763-4cores-x86_64-linux
    ");
}

#[test]
fn an_incomparable_run_names_the_fields_that_differ() {
    insta::assert_snapshot!(page(&examples::incomparable()), @r"
    incomparable  shop/other  5 rounds of 10,000 requests, 50 connections, to 127.0.0.1:41234
      metric           now  threshold
      throughput  12,345/s         5%
      why: requests: 10000 in the baseline, 20000 now
      why: rustc: 1.94 in the baseline, 1.95 now
      machine: amd-epyc-7763-4cores-x86_64-linux; baseline accepted at 9b0c2d41aa17
      pending: target/perf/pending/amd-epyc-7763-4cores-x86_64-linux/shop/shop/other.json
      next: `cargo perf accept shop/other` replaces the baseline by these numbers
    ");
}

#[test]
fn a_missing_baseline_says_how_to_get_it_back() {
    insta::assert_snapshot!(page(&examples::missing()), @r"
    missing  shop/gone
      why: the committed baseline baselines/amd-epyc-7763-4cores-x86_64-linux/shop/shop/gone.json was
           removed: restore it with `git checkout --
           baselines/amd-epyc-7763-4cores-x86_64-linux/shop/shop/gone.json`, or commit its removal
      machine: amd-epyc-7763-4cores-x86_64-linux
    ");
}

#[test]
fn a_debug_build_says_how_to_gate() {
    insta::assert_snapshot!(page(&examples::not_gated()), @r"
    not gated  shop/debug
      why: debug build: few requests, statuses checked, nothing compared; gate with `cargo test
           --release`, or with `opt-level` and `debug-assertions = false` under `[profile.test]`
      machine: amd-epyc-7763-4cores-x86_64-linux
    ");
}

#[test]
fn a_skipped_scenario_says_in_one_line_what_is_not_there() {
    let text = page(&examples::skipped());
    assert_eq!(
        text,
        "skipped  shop/nginx  docker cannot be reached: start it, or set PERF_REQUIRE_DOCKER=1 to fail ::warning::cannot connect\n"
    );
}

#[test]
fn a_reported_regression_says_that_it_does_not_fail() {
    let mut outcome = examples::regressed();
    outcome.reported_only = true;
    let text = page(&outcome);
    let headline = text.lines().next().unwrap();
    assert!(
        headline.ends_with("(PERF_POLICY=report: the test does not fail)"),
        "{headline}"
    );
}

#[test]
fn no_line_is_wider_than_a_hundred_columns() {
    let all = examples::all().into_iter().chain(timed());
    // A skip is one line by its purpose, however long its reason.
    for outcome in all.filter(|outcome| outcome.judgement.verdict != Verdict::Skipped) {
        for line in page(&outcome)
            .lines()
            .filter(|line| !line.contains(".json"))
        {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }
}

#[test]
fn no_line_of_any_report_is_a_command_of_github() {
    for outcome in examples::all().into_iter().chain(timed()) {
        let text = page(&outcome) + &overview(std::slice::from_ref(&outcome), Style::Plain);
        assert!(
            text.lines()
                .all(|line| !line.trim_start().starts_with("::")),
            "{text}"
        );
        assert!(!text.contains('\x1b'), "{text}");
    }
}

#[test]
fn colours_add_nothing_but_colours() {
    let outcome = examples::regressed();
    let coloured = console::scenario(&outcome, Style::Ansi);
    let codes = ["\x1b[1;31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"];
    let plain = codes
        .iter()
        .fold(coloured.clone(), |text, code| text.replace(code, ""));
    assert_ne!(coloured, plain);
    assert_eq!(plain, page(&outcome));
}

#[test]
fn an_overview_has_the_reds_first() {
    insta::assert_snapshot!(overview(&examples::all(), Style::Plain), @r"
      verdict       scenario     throughput      p99   cpu
      regressed     shop/cart        -21.3%   +38.0%  0.0%
      broken        shop/broken
      missing       shop/gone
      inconclusive  shop/pay          -5.2%    +1.3%
      incomparable  shop/other     12,345/s
      new           shop/new       12,345/s  1.23 ms
      improved      shop/search      +13.4%
      not gated     shop/debug
      skipped       shop/nginx
      pass          shop/home         -1.1%    +1.3%  0.0%
      pass          shop/thin         -1.1%    +1.3%  0.0%

      regressed shop/cart: throughput -21.3% (12,345/s -> 9,716/s, threshold 5%); p99 +38.0% (1.23 ms ->
        1.70 ms, threshold 20%)
      broken shop/broken: 31 of 50000 requests failed, more than the error budget allows: mend what
        fails, or allow it with `error_budget`; the first: status 500: ::error file=x::injected
        <b>|�[31m oh no`
      missing shop/gone: the committed baseline
        baselines/amd-epyc-7763-4cores-x86_64-linux/shop/shop/gone.json was removed: restore it with
        `git checkout -- baselines/amd-epyc-7763-4cores-x86_64-linux/shop/shop/gone.json`, or commit its
        removal
      inconclusive shop/pay: throughput -5.2% (12,345/s -> 11,700/s, threshold 5%); throughput breached
        its threshold, but not again on fresh starts
      incomparable shop/other: requests: 10000 in the baseline, 20000 now

    1 regressed, 1 broken, 1 missing, 1 inconclusive, 1 incomparable, 1 new, 1 improved, 1 not gated, 1 skipped, 2 pass
    ");
}

#[test]
fn an_overview_of_nothing_says_so() {
    assert_eq!(overview(&[], Style::Plain), "nothing was measured\n");
}
