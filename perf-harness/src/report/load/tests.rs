use std::time::Duration;

use super::*;
use crate::load::Rate;
use crate::sample::{ErrorKind, Interval, OpenLoop};

fn load() -> Load {
    Load {
        requests: 100,
        warmup: Some(0),
        ..Load::default()
    }
}

fn sample() -> Sample {
    let mut sample = Sample {
        sent: 100,
        ok: 98,
        errors: [(ErrorKind::Status, 2)].into(),
        first_error: Some("status 500\x1b[2J".to_owned()),
        statuses: [(200, 98), (500, 2)].into(),
        bytes: 980,
        bytes_read: 10_000,
        elapsed: Duration::from_millis(250),
        ..Sample::default()
    };
    for millis in 1..=98 {
        sample.latency.record(Duration::from_millis(millis));
        sample.first_byte.record(Duration::from_millis(millis));
    }
    sample.fresh_latency.record(Duration::from_millis(98));
    sample.connect.record(Duration::from_micros(50));
    sample.series.intervals = [40, 40, 18]
        .map(|ok| Interval {
            ok,
            failed: 0,
            p99_ns: Some(1_000_000),
        })
        .to_vec();
    sample
}

fn with<T>(load: &Load, sample: &Sample, render: impl Fn(&LoadReport<'_>) -> T) -> T {
    render(&LoadReport {
        url: "http://127.0.0.1:81/x",
        address: "127.0.0.1:81",
        load,
        sample,
        warnings: &[],
    })
}

/// The number after `name` in a report of lines.
fn field<'a>(report: &'a str, name: &str) -> &'a str {
    let line = report.lines().find(|line| line.trim().starts_with(name));
    let line = line.unwrap_or_else(|| panic!("{name} in {report}"));
    line.trim()[name.len()..].split_whitespace().next().unwrap()
}

#[test]
fn ab_has_its_lines() {
    let report = with(&load(), &sample(), ab);
    assert_eq!(field(&report, "Server Port:"), "81");
    assert_eq!(field(&report, "Complete requests:"), "100");
    assert_eq!(field(&report, "Failed requests:"), "2");
    assert_eq!(field(&report, "Non-2xx responses:"), "2");
    assert_eq!(field(&report, "Total transferred:"), "10000");
    assert_eq!(field(&report, "HTML transferred:"), "980");
    assert_eq!(field(&report, "Requests per second:"), "392.00");
    assert_eq!(field(&report, "Time per request:"), "25.510");
    assert_eq!(field(&report, "50%"), "49");
    assert_eq!(field(&report, "100%"), "98");
    assert!(
        report.contains("(Connect: 0, Receive: 0, Length: 0, Exceptions: 2)"),
        "{report}"
    );
    assert!(
        report.contains("\nTime per request:       25.510 [ms] (mean)\n"),
        "{report}"
    );
}

#[test]
fn wrk_has_its_lines_and_columns() {
    let report = with(&load(), &sample(), wrk);
    assert_eq!(field(&report, "Requests/sec:"), "392.00");
    assert_eq!(field(&report, "Non-2xx or 3xx responses:"), "2");
    assert_eq!(field(&report, "Req/Sec"), "400.00");
    assert!(
        report.contains("  98 requests in 250.00ms, 9.77KB read\n"),
        "{report}"
    );
    assert!(!report.contains("Socket errors"), "{report}");
}

#[test]
fn json_has_everything_and_its_histogram_can_be_merged() {
    let report = with(&load(), &sample(), json);
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["sent"], 100);
    assert_eq!(report["ok"], 98);
    assert_eq!(report["errors"]["status"], 2);
    assert_eq!(report["statuses"]["500"], 2);
    assert_eq!(report["throughput"], 392.0);
    assert_eq!(report["load"]["requests"], 100);
    assert_eq!(report["address"], "127.0.0.1:81");
    assert_eq!(report["series"][2]["ok"], 18);
    assert!(
        report["tls"].is_null() && report["open_loop"].is_null(),
        "{report}"
    );
    let histogram = report["latency"]["histogram"].as_str().unwrap();
    let read = crate::sample::LatencyHistogram::from_base64(histogram).unwrap();
    assert_eq!(read, sample().latency);
}

#[test]
fn json_keeps_the_values_of_headers_to_itself() {
    let mut load = load();
    let mut request = Request::new(http::Method::GET, "/");
    request.headers = vec![("authorization".to_owned(), "secret".to_owned())];
    load.mix = Some(request.into());
    let report = with(&load, &sample(), json);
    assert!(
        report.contains("authorization") && !report.contains("secret"),
        "{report}"
    );
}

#[test]
fn without_a_good_reply_nothing_claims_a_number() {
    let dead = Sample {
        sent: 10,
        errors: [(ErrorKind::Refused, 10)].into(),
        ..Sample::default()
    };
    let reports = [
        with(&load(), &dead, text),
        with(&load(), &dead, ab),
        with(&load(), &dead, wrk),
    ];
    for report in reports {
        assert!(report.contains('–'), "{report}");
        let words = report.to_lowercase();
        assert!(!words.contains("nan") && !words.contains("inf"), "{report}");
    }
    let report: serde_json::Value = serde_json::from_str(&with(&load(), &dead, json)).unwrap();
    assert!(
        report["throughput"].is_null() && report["latency"].is_null(),
        "{report}"
    );
    assert_eq!(csv(&dead), "Percentage served,Time in ms\n");
    assert_eq!(time_series(&dead), "seconds\tthroughput\tp99_ms\terrors\n");
}

#[test]
fn the_text_is_one_screen_and_shows_no_controls() {
    let report = with(&load(), &sample(), text);
    assert!(report.lines().count() < 24, "{report}");
    assert!(!report.contains('\x1b'), "{report}");
    assert!(
        report.contains("100 requests in 250 ms, ended by requests"),
        "{report}"
    );
    assert!(
        report.contains("status: 2") && report.contains("200: 98"),
        "{report}"
    );
    assert!(report.contains("392/s"), "{report}");
}

#[test]
fn an_open_loop_says_its_rate_and_its_seed() {
    let load = Load {
        pace: Pace::Open(Rate {
            arrivals: Arrivals::Poisson,
            ..Rate::constant(500.0)
        }),
        seed: 7,
        ..load()
    };
    let mut sample = sample();
    sample.open_loop = Some(OpenLoop {
        asked: 500.0,
        sent: 400.0,
        lag: sample.latency.clone(),
        uncorrected: sample.latency.clone(),
    });
    let report = with(&load, &sample, text);
    assert!(
        report.contains("500/s, poisson arrivals, seed 7"),
        "{report}"
    );
    assert!(
        report.contains("400/s sent of 500/s asked (80.0%): the rate was MISSED"),
        "{report}"
    );
    assert!(
        report.contains("uncorrected") && report.contains("sent late by"),
        "{report}"
    );
}

#[test]
fn a_cut_load_says_so() {
    let cut = Sample {
        ended: Ended::Deadline,
        ..sample()
    };
    assert!(with(&load(), &cut, text).contains("CUT by the deadline"));
    assert!(with(&load(), &cut, json).contains("\"ended\": \"deadline\""));
}

#[test]
fn percentiles_and_the_time_series_are_columns() {
    let percentiles = csv(&sample());
    assert!(percentiles.contains("\n50,49."), "{percentiles}");
    assert!(percentiles.contains("\n100,98."), "{percentiles}");
    assert_eq!(
        time_series(&sample()),
        "seconds\tthroughput\tp99_ms\terrors\n\
         0.0\t400.0\t1.000000\t0\n0.1\t400.0\t1.000000\t0\n0.2\t360.0\t1.000000\t0\n"
    );
}
