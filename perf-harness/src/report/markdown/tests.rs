use super::*;
use crate::baseline::Key;
use crate::report::examples;

#[test]
fn a_summary_has_counts_a_table_and_details_of_what_wants_a_look() {
    insta::assert_snapshot!(step_summary(&examples::all()), @r#"
    ## Performance: 1 regressed, 1 broken, 1 missing, 1 inconclusive, 1 incomparable, 1 new, 1 improved, 1 not gated, 1 skipped, 2 pass

    Machine class: amd-epyc-7763-4cores-x86\_64-linux

    | verdict | scenario | throughput | p99 | cpu | why |
    |---|---|--:|--:|--:|---|
    | **regressed** | shop/cart | -21.3% | +38.0% | 0.0% | throughput -21.3% (12,345/s -&gt; 9,716/s, threshold 5%); p99 +38.0% (1.23 ms -&gt; 1.70 ms, threshold 20%) |
    | **broken** | shop/broken |  |  |  | 31 of 50000 requests failed, more than the error budget allows: mend what fails, or allow it with \`error\_budget\`; the first: status 500: ::error file=x::injected &lt;b&gt;\|�\[31m oh no\` |
    | **missing** | shop/gone |  |  |  | the committed baseline baselines/amd-epyc-7763-4cores-x86\_64-linux/shop/shop/gone.json was removed: restore it with \`git checkout -- baselines/amd-epyc-7763-4cores-x86\_64-linux/shop/shop/gone.json\`, or commit its removal |
    | inconclusive | shop/pay | -5.2% | +1.3% |  | throughput -5.2% (12,345/s -&gt; 11,700/s, threshold 5%); throughput breached its threshold, but not again on fresh starts |
    | incomparable | shop/other | 12,345/s |  |  | requests: 10000 in the baseline, 20000 now |
    | new | shop/new | 12,345/s | 1.23 ms |  |  |
    | improved | shop/search | +13.4% |  |  |  |
    | not gated | shop/debug |  |  |  |  |
    | skipped | shop/nginx |  |  |  |  |
    | pass | shop/home | -1.1% | +1.3% | 0.0% |  |
    | pass | shop/thin | -1.1% | +1.3% | 0.0% |  |

    ### regressed: shop/cart

    | metric | baseline | now | change | threshold | verdict |
    |---|--:|--:|---|--:|---|
    | throughput | 12,345/s | 9,716/s | -21.3% (-25.0 … -17.4) | 5% | worse |
    | p50 | 310 µs | 385 µs | +24.2% (-1.2 … +3.1) |  |  |
    | p99 | 1.23 ms | 1.70 ms | +38.0% (+30.2 … +47.1) | 20% | worse |
    | cpu | 35.2 µs | 35.2 µs | 0.0% (-1.1 … +1.2) | 5% | ok |

    - smallest detectable change: throughput 5.3%, p99 24.1%, cpu 5.3%
    - note: the machine was not calm in 2 rounds: the hypervisor gave 12% of the CPU time to others
    - shop/tests/perf.rs:12

    ### broken: shop/broken

    - 31 of 50000 requests failed, more than the error budget allows: mend what fails, or allow it with \`error\_budget\`; the first: status 500: ::error file=x::injected &lt;b&gt;\|�\[31m oh no\`
    - shop/tests/perf.rs:12

    ### missing: shop/gone

    - the committed baseline baselines/amd-epyc-7763-4cores-x86\_64-linux/shop/shop/gone.json was removed: restore it with \`git checkout -- baselines/amd-epyc-7763-4cores-x86\_64-linux/shop/shop/gone.json\`, or commit its removal
    - shop/tests/perf.rs:12

    ### inconclusive: shop/pay

    | metric | baseline | now | change | threshold | verdict |
    |---|--:|--:|---|--:|---|
    | throughput | 12,345/s | 11,700/s | -5.2% (-21.0 … +9.0) | 5% | unclear |
    | p99 | 1.23 ms | 1.25 ms | +1.3% (-5.0 … +8.1) | 20% | ok |

    - smallest detectable change: throughput 5.3%, p99 24.1%
    - throughput breached its threshold, but not again on fresh starts
    - note: the last requests decided the throughput: 9,000/s over the whole window, 12,000/s while all connections were busy
    - note: client saturated: the engine's busiest thread ran 97% of the window while the server used 0.61 cores
    - note: two figures contradict each other (Little's law): the load has 50 connections, throughput times mean latency makes 38.2
    - shop/tests/perf.rs:12

    ### incomparable: shop/other

    | metric | baseline | now | change | threshold | verdict |
    |---|--:|--:|---|--:|---|
    | throughput |  | 12,345/s |  | 5% |  |

    - requests: 10000 in the baseline, 20000 now
    - rustc: 1.94 in the baseline, 1.95 now
    - shop/tests/perf.rs:12
    "#);
}

#[test]
fn what_rounds_tell_beside_the_metrics_is_in_the_details() {
    let mut outcome = examples::open_loop();
    outcome.judgement.verdict = crate::gate::Verdict::Regressed;
    let page = step_summary(&[outcome]);
    assert!(
        page.contains("\n- open loop: 2,000/s asked, 1,998/s sent (0.999), lag p99 84.0 µs, uncorrected p99 3.10 ms\n"),
        "{page}"
    );
}

#[test]
fn a_summary_of_nothing_says_so() {
    assert_eq!(
        step_summary(&[]),
        "## Performance: nothing was measured\n\n"
    );
}

#[test]
fn markup_of_a_server_stays_text() {
    assert_eq!(escaped("<b>|`x`\n_y_"), "&lt;b&gt;\\|\\`x\\` \\_y\\_");
}

fn many(outcome: &Outcome, number: usize) -> Vec<Outcome> {
    let named = |i: usize| Outcome {
        key: Key {
            scenario: format!("s/{i:06}").parse().unwrap(),
            ..outcome.key.clone()
        },
        ..outcome.clone()
    };
    (0..number).map(named).collect()
}

#[test]
fn a_huge_summary_is_cut_by_whole_scenarios_and_counted() {
    let text = step_summary(&many(&examples::regressed(), 9_000));
    assert!(text.len() <= MOST_BYTES + 200, "{}", text.len());
    let rows = text
        .lines()
        .filter(|line| line.starts_with("| **regressed**"))
        .count();
    let details = text.lines().filter(|line| line.starts_with("### ")).count();
    assert!(rows > 1_000 && details > 100);
    assert!(text.contains(&format!(
        "\n{} more scenarios of the table were cut",
        9_000 - rows
    )));
    assert!(text.contains(&format!(
        "\n{} more scenarios with details were cut",
        9_000 - details
    )));
}
