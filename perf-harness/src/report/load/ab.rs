//! The layout of `ApacheBench`'s report, for scripts that read it.
//!
//! Lines of which the engine does not know the truth are left out.

use super::{LoadReport, NOTHING};
use crate::sample::{ErrorKind, LatencyHistogram};

/// The report in the layout of `ab`.
pub(crate) fn ab(report: &LoadReport<'_>) -> String {
    let lines = server(report) + &counts(report) + &rates(report);
    lines + &times(report) + &percentages(&report.sample.latency)
}

fn line(name: &str, value: impl std::fmt::Display) -> String {
    format!("{:<24}{value}\n", format!("{name}:"))
}

fn server(report: &LoadReport<'_>) -> String {
    let uri: Option<http::Uri> = report.url.parse().ok();
    let host = uri.as_ref().and_then(http::Uri::host).unwrap_or(report.url);
    let path = report.request().map_or("", |request| &request.path);
    let port = report.address.rsplit_once(':').map_or("", |(_, port)| port);
    let named = line("Server Hostname", host) + &line("Server Port", port);
    format!("\n{named}\n{}\n", line("Document Path", path))
}

fn counts(report: &LoadReport<'_>) -> String {
    let sample = report.sample;
    let seconds = format!("{:.3} seconds", sample.elapsed.as_secs_f64());
    let mut lines = line("Concurrency Level", report.load.concurrency)
        + &line("Time taken for tests", seconds)
        + &line("Complete requests", sample.sent)
        + &line("Failed requests", sample.failed());
    if sample.failed() > 0 {
        lines += &failures(report);
    }
    let others = report.replies(|status| !(200..300).contains(&status));
    if others > 0 {
        lines += &line("Non-2xx responses", others);
    }
    if sample.bytes_read > 0 {
        lines += &line("Total transferred", format!("{} bytes", sample.bytes_read));
    }
    lines + &line("HTML transferred", format!("{} bytes", sample.bytes))
}

/// Every failure in exactly one of ab's four places.
fn failures(report: &LoadReport<'_>) -> String {
    let mut places = [0; 4];
    for (kind, count) in &report.sample.errors {
        places[place(*kind)] += count;
    }
    let [connect, receive, length, exceptions] = places;
    format!(
        "   (Connect: {connect}, Receive: {receive}, Length: {length}, Exceptions: {exceptions})\n"
    )
}

fn place(kind: ErrorKind) -> usize {
    match kind {
        ErrorKind::Dns
        | ErrorKind::Refused
        | ErrorKind::ConnectTimeout
        | ErrorKind::Tls
        | ErrorKind::PortsExhausted
        | ErrorKind::TooManyFiles => 0,
        ErrorKind::Reset
        | ErrorKind::EofBeforeReply
        | ErrorKind::BodyTruncated
        | ErrorKind::Timeout => 1,
        ErrorKind::BodyCheck => 2,
        ErrorKind::Parse | ErrorKind::Status | ErrorKind::Journey => 3,
    }
}

fn rates(report: &LoadReport<'_>) -> String {
    let shown = |number: Option<f64>, digits: usize, unit: &str| match number {
        Some(number) => format!("{number:.digits$} {unit}"),
        None => format!("{NOTHING} {unit}"),
    };
    let throughput = report.throughput();
    let across = throughput.map(|rate| 1e3 / rate);
    let one = across.map(|millis| millis * report.load.concurrency as f64);
    let kilobytes = report
        .a_second(report.bytes_read())
        .map(|rate| rate / 1024.0);
    line(
        "Requests per second",
        shown(throughput, 2, "[#/sec] (mean)"),
    ) + &line("Time per request", shown(one, 3, "[ms] (mean)"))
        + &line(
            "Time per request",
            shown(across, 3, "[ms] (mean, across all concurrent requests)"),
        )
        + &line(
            "Transfer rate",
            shown(kilobytes, 2, "[Kbytes/sec] received"),
        )
}

/// Whole milliseconds, as ab has them; latency is both its processing and its total time.
fn times(report: &LoadReport<'_>) -> String {
    let sample = report.sample;
    let rows = [
        ("Connect:", &sample.connect),
        ("Processing:", &sample.latency),
        ("Waiting:", &sample.first_byte),
        ("Total:", &sample.latency),
    ];
    let rows: String = rows
        .iter()
        .filter_map(|(name, spans)| time(name, spans))
        .collect();
    if rows.is_empty() {
        return rows;
    }
    format!("\nConnection Times (ms)\n              min  mean[+/-sd] median   max\n{rows}")
}

fn time(name: &str, spans: &LatencyHistogram) -> Option<String> {
    let millis = |nanos: f64| nanos / 1e6;
    let [min, median, max] =
        [spans.min()?, spans.percentile(50.0)?, spans.max()?].map(|nanos| millis(nanos as f64));
    let (mean, deviation) = (millis(spans.mean()?), millis(spans.stdev()?));
    Some(format!(
        "{name:<11} {min:>5.0} {mean:>4.0} {deviation:>5.1} {median:>6.0} {max:>7.0}\n"
    ))
}

fn percentages(latency: &LatencyHistogram) -> String {
    let row = |percent: u8| {
        let millis = latency.percentile(percent.into())? as f64 / 1e6;
        let longest = if percent == 100 {
            " (longest request)"
        } else {
            ""
        };
        Some(format!(" {percent:>3}%  {millis:>5.0}{longest}\n"))
    };
    let rows: String = [50, 66, 75, 80, 90, 95, 98, 99, 100]
        .into_iter()
        .filter_map(row)
        .collect();
    if rows.is_empty() {
        return rows;
    }
    format!("\nPercentage of the requests served within a certain time (ms)\n{rows}")
}
