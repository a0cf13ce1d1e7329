//! The report for programs: everything, in nanoseconds and bytes, `null` where nothing was measured.

use serde_json::{Map, Value, json};

use super::{LoadReport, ended};
use crate::load::{Load, Pace};
use crate::report::warning::sentence;
use crate::sample::{LatencyHistogram, OpenLoop, Sample, Series};

/// The report as one JSON object with a newline.
pub(crate) fn json(report: &LoadReport<'_>) -> String {
    let sample = report.sample;
    let warnings: Vec<String> = report
        .warnings
        .iter()
        .map(|warning| sentence(warning).0)
        .collect();
    let whole = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "url": report.url,
        "address": report.address,
        "load": config(report),
        "ended": ended(sample),
        "sent": sample.sent,
        "ok": sample.ok,
        "failed": sample.failed(),
        "errors": sample.errors,
        "first_error": sample.first_error,
        "statuses": sample.statuses,
        "retries": sample.retries,
        "connections": sample.connect.count(),
        "reconnects": sample.reconnects,
        "elapsed_ns": sample.elapsed.as_nanos() as u64,
        "throughput": report.throughput(),
        "steady_throughput": sample.steady_throughput,
        "body_bytes": sample.bytes,
        "read_bytes": (sample.bytes_read > 0).then_some(sample.bytes_read),
        "open_loop": sample.open_loop.as_ref().map(open_loop),
        "client_cpu_ns": sample.client_cpu.as_nanos() as u64,
        "client_busy": sample.client_busy(),
        "warnings": warnings,
        "interval_ns": Series::WIDTH.as_nanos() as u64,
        "series": sample.series,
    });
    let mut whole = whole;
    if let Value::Object(keys) = &mut whole {
        keys.extend(spans(sample));
    }
    format!("{whole:#}\n")
}

fn spans(sample: &Sample) -> Map<String, Value> {
    let each = [
        ("latency", &sample.latency),
        ("fresh_latency", &sample.fresh_latency),
        ("failed_latency", &sample.failed_latency),
        ("first_byte", &sample.first_byte),
        ("connect", &sample.connect),
        ("tls", &sample.tls),
    ];
    each.into_iter()
        .map(|(name, spans)| (name.to_owned(), span(spans)))
        .collect()
}

/// `null` when nothing was counted.
fn span(spans: &LatencyHistogram) -> Value {
    if spans.count() == 0 {
        return Value::Null;
    }
    json!({
        "count": spans.count(),
        "min_ns": spans.min(),
        "mean_ns": spans.mean(),
        "stdev_ns": spans.stdev(),
        "p50_ns": spans.percentile(50.0),
        "p75_ns": spans.percentile(75.0),
        "p90_ns": spans.percentile(90.0),
        "p95_ns": spans.percentile(95.0),
        "p99_ns": spans.percentile(99.0),
        "p999_ns": spans.percentile(99.9),
        "p9999_ns": spans.percentile(99.99),
        "max_ns": spans.max(),
        "histogram": spans.to_base64(),
    })
}

fn open_loop(open: &OpenLoop) -> Value {
    json!({
        "asked": open.asked,
        "sent": open.sent,
        "rate_ratio": open.rate_ratio(),
        "lag": span(&open.lag),
        "uncorrected": span(&open.uncorrected),
    })
}

/// What was asked for; header values may be secrets and are left out.
fn config(report: &LoadReport<'_>) -> Value {
    let load = report.load;
    let request = report.request();
    let headers = request.map(|request| {
        let names = request.headers.iter().map(|(name, _)| name.as_str());
        names.collect::<Vec<_>>()
    });
    let mut config = json!({
        "method": request.map(|request| request.method.as_str()),
        "target": request.map(|request| &request.path),
        "headers": headers,
        "body_bytes": request.map(|request| request.body.len()),
        "expect": request.map(|request| &request.expected.statuses),
    });
    if let Value::Object(keys) = &mut config {
        keys.extend(shape(load));
    }
    config
}

fn shape(load: &Load) -> Map<String, Value> {
    let (rate, arrivals) = match &load.pace {
        Pace::Closed => (None, None),
        Pace::Open(rate) => (Some(rate.start), Some(rate.arrivals.name())),
    };
    let nanos = |duration: std::time::Duration| json!(duration.as_nanos() as u64);
    let each = [
        (
            "requests",
            json!((load.requests > 0).then_some(load.requests)),
        ),
        ("duration_ns", load.duration.map_or(Value::Null, nanos)),
        ("concurrency", json!(load.concurrency)),
        ("rate", json!(rate)),
        ("arrivals", json!(arrivals)),
        ("seed", json!(load.seed)),
        ("warmup", json!(load.warmup_requests())),
        ("ramp_up_ns", nanos(load.ramp_up)),
        ("timeout_ns", nanos(load.timeout)),
        ("deadline_ns", nanos(load.deadline)),
        ("keep_alive", json!(load.keep_alive)),
        ("client", json!(load.client.name())),
        ("http", json!(load.http.name())),
        ("redirects", json!(load.redirects)),
        ("trust", json!(load.trust.name())),
        ("threads", json!(load.threads)),
        ("error_budget", json!(load.error_budget)),
    ];
    each.into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}
