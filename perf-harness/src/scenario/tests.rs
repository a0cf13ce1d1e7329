use std::time::Duration;

use super::*;
use crate::load::Client;
use crate::sample::Metric;

fn scenario() -> Scenario {
    Scenario::new("perf/home")
        .target(Target::url("http://127.0.0.1:80"))
        .requests(1_000)
}

fn mistake(scenario: Scenario) -> String {
    scenario.plan().unwrap_err().to_string()
}

fn threshold(text: &str) -> Result<Plan, ScenarioError> {
    scenario().gate(Metric::Throughput, text).plan()
}

#[test]
fn zero_requests_say_what_to_write() {
    let said = "the load has no requests: say how many with `requests`, at least 1, or for how \
                long with `duration`";
    assert_eq!(mistake(scenario().requests(0)), said);
    let never_said = Scenario::new("perf/home").target(Target::url("http://127.0.0.1:80"));
    assert_eq!(mistake(never_said), said);
}

#[test]
fn concurrency_above_requests_names_both() {
    assert_eq!(
        mistake(scenario().requests(100).concurrency(300)),
        "concurrency 300 is above requests 100: some connections would never be used; \
         lower `concurrency` or raise `requests`"
    );
    assert!(scenario().requests(100).concurrency(100).plan().is_ok());
}

#[test]
fn a_bad_threshold_names_its_metric_and_what_to_write() {
    let no_sign = |text: &str| {
        format!("gate on throughput: threshold \"{text}\" has no percent sign: write \"5%\"")
    };
    let out_of_range = |text: &str| {
        format!(
            "gate on throughput: threshold \"{text}\" is out of range: it is above 0% and below \
             100%, for example \"5%\" for five percent worse"
        )
    };
    let messages = [
        ("5", no_sign("5")),
        ("0.05", no_sign("0.05")),
        ("105%", out_of_range("105%")),
        ("-5%", out_of_range("-5%")),
        ("0%", out_of_range("0%")),
        ("NaN%", out_of_range("NaN%")),
    ];
    for (text, message) in messages {
        assert_eq!(threshold(text).unwrap_err().to_string(), message);
    }
}

#[test]
fn a_good_threshold_is_taken_with_and_without_a_blank() {
    for text in ["5%", "5.5 %"] {
        let plan = threshold(text).unwrap();
        let limit = plan.gate.of(Metric::Throughput).unwrap();
        let wanted = text.replace(' ', "");
        assert_eq!(limit.threshold.to_string(), wanted);
    }
}

#[test]
fn a_bad_error_budget_says_what_to_write() {
    for text in ["1", "101%", "-1%", "x%"] {
        assert_eq!(
            mistake(scenario().error_budget(text)),
            format!(
                "error budget {text:?} is no percentage from 0% to 100%: write for example \"0.1%\""
            )
        );
    }
}

#[test]
fn a_percentile_of_few_requests_names_both_ways_out() {
    let few = scenario().requests(100).gate(Metric::P99, "20%");
    assert_eq!(
        mistake(few),
        "p99 needs at least 500 requests a round, this load has 100: raise `requests`, or take \
         p99 out of the gate"
    );
}

#[test]
fn a_scenario_without_a_target_says_so() {
    let message = mistake(Scenario::new("perf/home").requests(1_000));
    assert_eq!(
        message,
        "the scenario has no target: say which server with `target`"
    );
}

#[test]
fn a_request_that_cannot_be_sent_is_named() {
    let cases = [
        (scenario().get("cart"), "the path \"cart\" cannot be sent"),
        (
            scenario().header("a b", "x"),
            "the header \"a b\" cannot be sent",
        ),
        (
            scenario().expect_status(20),
            "the expected status 20 is none",
        ),
        (
            scenario().timeout(Duration::ZERO),
            "the timeout of a request is zero",
        ),
        (scenario().concurrency(0), "the load has no connections"),
        (scenario().rounds(0), "the scenario has no rounds"),
    ];
    for (scenario, beginning) in cases {
        let message = mistake(scenario);
        assert!(message.starts_with(beginning), "{message}");
        assert!(message.contains(": "), "no next step in {message}");
    }
}

#[cfg(not(feature = "journeys"))]
#[test]
fn a_client_that_is_not_built_names_its_feature() {
    let message = mistake(scenario().client(Client::Reqwest));
    assert!(
        message.contains("enable the feature `journeys`"),
        "{message}"
    );
}

#[cfg(feature = "journeys")]
#[test]
fn a_path_on_a_journey_is_refused() {
    let journey = scenario()
        .client(Client::Http1)
        .journey(async |_user: &mut crate::driver::User| Ok(()))
        .get("/cart");
    assert_eq!(
        mistake(journey),
        "`path` does not go with a journey: its own code says what is sent"
    );
}

#[test]
fn one_request_beside_several_is_refused_before_and_after() {
    use crate::load::Request;
    let several = || [Request::get("/a"), Request::get("/b")];
    assert!(scenario().mix(several()).plan().is_ok());
    let after = scenario().sequence(several()).header("a", "b");
    assert!(mistake(after).starts_with("`headers` is said of one request beside"));
    let before = scenario().header("a", "b").mix(several());
    assert!(mistake(before).starts_with("`mix` is said of one request beside"));
}

#[test]
fn a_body_file_that_is_not_there_is_named() {
    let message = mistake(scenario().post("/").body_file("no/such.json"));
    assert!(
        message.starts_with("the body file no/such.json cannot be read"),
        "{message}"
    );
}

#[test]
fn a_percentile_of_an_open_loop_counts_what_the_rate_sends() {
    let open = |seconds| {
        let timed = scenario()
            .requests(0)
            .duration(Duration::from_secs(seconds));
        timed.rate(100).gate(Metric::P99, "20%")
    };
    assert!(open(5).plan().is_ok());
    assert!(mistake(open(4)).contains("this load has 400"));
}

#[test]
fn a_stage_without_a_rate_names_the_rate() {
    let message = mistake(scenario().stage(5, Duration::from_secs(1)));
    assert!(message.contains("want a `rate` to start from"), "{message}");
}
