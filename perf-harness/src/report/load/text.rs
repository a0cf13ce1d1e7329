//! The report for people: one screen.

use super::{LoadReport, NOTHING, counted_bare, ended, listed};
use crate::load::Pace;
use crate::report::foreign::one_line;
use crate::report::style::Style;
use crate::report::table::{Column, Table};
use crate::report::units::{counted, percent, value};
use crate::report::warning::sentence;
use crate::sample::{Ended, LatencyHistogram, Metric, OpenLoop};

const MOST_OF_AN_ERROR: usize = 120;

/// Below this share of the asked rate the plan was not kept.
const KEPT_RATE: f64 = 0.99;

/// The report for people.
pub(crate) fn text(report: &LoadReport<'_>) -> String {
    let facts = facts(report);
    let lines: String = facts
        .iter()
        .map(|(name, fact)| format!("  {name:<12}{fact}\n"))
        .collect();
    let table = spans(report).to_text(Style::Plain);
    let gap = if table.is_empty() { "" } else { "\n" };
    let headline = format!(
        "{} at {}\n",
        one_line(report.url, MOST_OF_AN_ERROR),
        report.address
    );
    headline + &lines + gap + &table + &warnings(report)
}

fn facts(report: &LoadReport<'_>) -> Vec<(&'static str, String)> {
    let sample = report.sample;
    let mut facts = vec![("asked", asked(report)), ("sent", sent(report))];
    facts.push(("good", counted_bare(sample.ok)));
    if sample.failed() > 0 {
        let kinds = listed(&sample.errors);
        facts.push((
            "failed",
            format!("{} ({kinds})", counted_bare(sample.failed())),
        ));
    }
    if let Some(error) = &sample.first_error {
        facts.push(("first error", one_line(error, MOST_OF_AN_ERROR)));
    }
    if !sample.statuses.is_empty() {
        facts.push(("statuses", listed(&sample.statuses)));
    }
    facts.push(("connections", connections(report)));
    facts.push(("throughput", throughput(report)));
    facts.push(("read", bytes(report)));
    facts.extend(sample.open_loop.as_ref().map(|open| ("rate", rate(open))));
    facts.push(("client", format!("{} busy", percent(sample.client_busy()))));
    facts
}

fn asked(report: &LoadReport<'_>) -> String {
    let load = report.load;
    let line = report.request().map_or("a journey".to_owned(), |request| {
        format!(
            "{} {}",
            request.method,
            one_line(&request.path, MOST_OF_AN_ERROR)
        )
    });
    let pace = match &load.pace {
        Pace::Closed => "as fast as replies come".to_owned(),
        Pace::Open(rate) => format!("{}/s, {} arrivals", rate.start, rate.arrivals.name()),
    };
    let seed = if report.is_random() {
        format!(", seed {}", load.seed)
    } else {
        String::new()
    };
    let connections = counted(load.concurrency as u64, "connection");
    format!("{line} over {connections}, {pace}{seed}")
}

fn sent(report: &LoadReport<'_>) -> String {
    let requests = counted(report.sample.sent, "request");
    let seconds = span(Some(report.sample.elapsed.as_nanos() as f64));
    let ended = match report.sample.ended {
        Ended::Requests | Ended::Duration => format!("ended by {}", ended(report.sample)),
        Ended::Deadline => "CUT by the deadline".to_owned(),
    };
    format!("{requests} in {seconds}, {ended}")
}

fn connections(report: &LoadReport<'_>) -> String {
    let sample = report.sample;
    format!(
        "{} opened, {} of them again; {} sent again",
        counted_bare(sample.connect.count()),
        counted_bare(sample.reconnects),
        counted(sample.retries, "request")
    )
}

fn throughput(report: &LoadReport<'_>) -> String {
    let shown =
        |rate: Option<f64>| rate.map_or(NOTHING.to_owned(), |rate| value(Metric::Throughput, rate));
    let steady = report.sample.steady_throughput;
    let steady = steady.map_or(String::new(), |steady| {
        format!(", {} while all connections were busy", shown(Some(steady)))
    });
    format!("{}{steady}", shown(report.throughput()))
}

fn bytes(report: &LoadReport<'_>) -> String {
    let size = |bytes: f64| value(Metric::Memory, bytes);
    let a_second = report.a_second(report.bytes_read());
    format!(
        "{}, {} of it good bodies; {}",
        size(report.bytes_read() as f64),
        size(report.sample.bytes as f64),
        a_second.map_or(NOTHING.to_owned(), |rate| format!("{}/s", size(rate)))
    )
}

fn rate(open: &OpenLoop) -> String {
    let ratio = open.rate_ratio();
    let missed = if ratio >= KEPT_RATE {
        ""
    } else {
        ": the rate was MISSED"
    };
    let share = if ratio.is_finite() {
        percent(ratio)
    } else {
        NOTHING.to_owned()
    };
    let rates = [open.sent, open.asked].map(|rate| value(Metric::Throughput, rate));
    format!("{} sent of {} asked ({share}){missed}", rates[0], rates[1])
}

/// Latencies and what they are made of; a row without values is left out.
fn spans(report: &LoadReport<'_>) -> Table {
    let sample = report.sample;
    let mut table = Table::new([
        Column::Left(""),
        Column::Right("min"),
        Column::Right("mean"),
        Column::Right("p50"),
        Column::Right("p90"),
        Column::Right("p99"),
        Column::Right("p99.9"),
        Column::Right("max"),
    ]);
    row(&mut table, "latency", &sample.latency);
    if let Some(open) = &sample.open_loop {
        row(&mut table, "  uncorrected", &open.uncorrected);
        row(&mut table, "  sent late by", &open.lag);
    }
    if sample.fresh_latency.count() > 0 {
        row(&mut table, "  first on a connection", &sample.fresh_latency);
        let kept = sample.latency.without(&sample.fresh_latency);
        kept.iter()
            .for_each(|kept| row(&mut table, "  others", kept));
    }
    row(&mut table, "first byte", &sample.first_byte);
    row(&mut table, "connect", &sample.connect);
    row(&mut table, "tls", &sample.tls);
    row(&mut table, "failed requests", &sample.failed_latency);
    table
}

fn row(table: &mut Table, name: &str, spans: &LatencyHistogram) {
    if spans.count() == 0 {
        return;
    }
    let at = |percent| spans.percentile(percent).map(|nanos| nanos as f64);
    let values = [spans.min().map(|nanos| nanos as f64), spans.mean()];
    let percentiles = [50.0, 90.0, 99.0, 99.9, 100.0].map(at);
    let cells = values.into_iter().chain(percentiles).map(span);
    table.row(std::iter::once(name.to_owned()).chain(cells));
}

fn span(nanos: Option<f64>) -> String {
    nanos.map_or(NOTHING.to_owned(), |nanos| value(Metric::P50, nanos))
}

fn warnings(report: &LoadReport<'_>) -> String {
    let sentences = report.warnings.iter().map(|warning| sentence(warning).0);
    let lines: Vec<String> = sentences
        .map(|sentence| format!("\n  warning: {sentence}"))
        .collect();
    if lines.is_empty() {
        String::new()
    } else {
        lines.concat() + "\n"
    }
}
