//! The layout of `wrk --latency`, for scripts that read it.

use super::{LoadReport, NOTHING};
use crate::sample::{ErrorKind, LatencyHistogram, Series};

const TIMES: (&[&str], f64) = (&["us", "ms", "s"], 1000.0);
const COUNTS: (&[&str], f64) = (&["", "k", "M", "G"], 1000.0);
const SIZES: (&[&str], f64) = (&["B", "KB", "MB", "GB"], 1024.0);

/// From this share of the next unit on wrk writes a number in it.
const NEXT_UNIT: f64 = 0.85;

/// The report in the layout of `wrk --latency`.
pub(crate) fn wrk(report: &LoadReport<'_>) -> String {
    head(report) + &distribution(&report.sample.latency) + &counts(report)
}

fn head(report: &LoadReport<'_>) -> String {
    let load = report.load;
    let length = match load.duration {
        Some(duration) => format!("{}s test", duration.as_secs_f64()),
        None => format!("{} requests", load.requests),
    };
    let threads = load
        .threads
        .map_or(String::new(), |threads| format!("{threads} threads and "));
    let lines = format!(
        "Running {length} @ {}\n  {threads}{} connections\n",
        report.url, load.concurrency
    );
    let statistics = latency_row(&report.sample.latency).unwrap_or_default() + &rate_row(report);
    if statistics.is_empty() {
        return lines;
    }
    lines + "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n" + &statistics
}

fn latency_row(latency: &LatencyHistogram) -> Option<String> {
    let (mean, deviation, max) = (latency.mean()?, latency.stdev()?, latency.max()?);
    let low = (mean - deviation).max(0.0) as u64;
    let near = latency.share_between(low, (mean + deviation) as u64)?;
    let shown = [mean, deviation, max as f64].map(|nanos| unit(nanos / 1e3, TIMES));
    Some(row("Latency", &shown, near))
}

/// Good replies a second in each whole tenth of a second, of all threads together.
fn rate_row(report: &LoadReport<'_>) -> String {
    let width = Series::WIDTH.as_secs_f64();
    let whole = (report.sample.elapsed.as_secs_f64() / width) as usize;
    let intervals = report.sample.series.intervals.iter().take(whole);
    let rates: Vec<f64> = intervals
        .map(|interval| interval.ok as f64 / width)
        .collect();
    if rates.len() < 2 || report.sample.ok == 0 {
        return String::new();
    }
    let count = rates.len() as f64;
    let mean = rates.iter().sum::<f64>() / count;
    let squares: f64 = rates.iter().map(|rate| (rate - mean).powi(2)).sum();
    let deviation = (squares / (count - 1.0)).sqrt();
    let near = rates
        .iter()
        .filter(|rate| (**rate - mean).abs() <= deviation)
        .count();
    let max = rates.iter().copied().fold(0.0, f64::max);
    let shown = [mean, deviation, max].map(|rate| unit(rate, COUNTS));
    row("Req/Sec", &shown, near as f64 / count)
}

fn row(name: &str, [mean, deviation, max]: &[String; 3], near: f64) -> String {
    let near = format!("{:.2}%", near * 100.0);
    let (mean, deviation) = (padded(mean, 8), padded(deviation, 10));
    format!(
        "    {name:<10}{mean}{deviation}{}{near:>9}\n",
        padded(max, 9)
    )
}

fn distribution(latency: &LatencyHistogram) -> String {
    let row = |percent: f64| {
        let shown = unit(latency.percentile(percent)? as f64 / 1e3, TIMES);
        Some(format!("{percent:>7.0}%{}\n", padded(&shown, 10)))
    };
    let rows: String = [50.0, 75.0, 90.0, 99.0]
        .into_iter()
        .filter_map(row)
        .collect();
    if rows.is_empty() {
        rows
    } else {
        "  Latency Distribution\n".to_owned() + &rows
    }
}

fn counts(report: &LoadReport<'_>) -> String {
    let sample = report.sample;
    let seconds = unit(sample.elapsed.as_secs_f64() * 1e6, TIMES);
    let read = unit(report.bytes_read() as f64, SIZES);
    let bad = report.replies(|status| status > 399);
    let bad = if bad > 0 {
        format!("  Non-2xx or 3xx responses: {bad}\n")
    } else {
        String::new()
    };
    let throughput = report.throughput().map(|rate| format!("{rate:.2}"));
    let bytes = report
        .a_second(report.bytes_read())
        .map(|rate| unit(rate, SIZES));
    let shown = |number: Option<String>| number.unwrap_or_else(|| NOTHING.to_owned());
    format!(
        "  {} requests in {seconds}, {read} read\n{}{bad}Requests/sec: {:>9}\nTransfer/sec: {:>10}\n",
        sample.ok,
        socket_errors(report),
        shown(throughput),
        shown(bytes)
    )
}

/// wrk names them only when there are some; a status is none.
fn socket_errors(report: &LoadReport<'_>) -> String {
    let mut places = [0; 3];
    for (kind, count) in &report.sample.errors {
        if let Some(place) = place(*kind) {
            places[place] += count;
        }
    }
    let [connect, read, timeout] = places;
    if connect + read + timeout == 0 {
        return String::new();
    }
    format!("  Socket errors: connect {connect}, read {read}, write 0, timeout {timeout}\n")
}

fn place(kind: ErrorKind) -> Option<usize> {
    match kind {
        ErrorKind::Dns
        | ErrorKind::Refused
        | ErrorKind::ConnectTimeout
        | ErrorKind::Tls
        | ErrorKind::PortsExhausted
        | ErrorKind::TooManyFiles => Some(0),
        ErrorKind::Reset
        | ErrorKind::EofBeforeReply
        | ErrorKind::BodyTruncated
        | ErrorKind::Parse
        | ErrorKind::BodyCheck
        | ErrorKind::Journey => Some(1),
        ErrorKind::Timeout => Some(2),
        ErrorKind::Status => None,
    }
}

fn unit(number: f64, (units, scale): (&[&str], f64)) -> String {
    let (mut number, mut place) = (number, 0);
    while number >= scale * NEXT_UNIT && place + 1 < units.len() {
        number /= scale;
        place += 1;
    }
    format!("{number:.2}{}", units[place])
}

/// wrk leaves two places for the unit, whatever its length.
fn padded(shown: &str, width: usize) -> String {
    let letters = shown
        .chars()
        .rev()
        .take_while(char::is_ascii_alphabetic)
        .count();
    let blanks = 2_usize.saturating_sub(letters);
    format!("{shown:>0$}{1:2$}", width - blanks, "", blanks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_where_wrk_has_them() {
        assert_eq!(padded(&unit(362.15, TIMES), 8), "362.15us");
        assert_eq!(padded(&unit(900.0, TIMES), 10), "    0.90ms");
        assert_eq!(padded(&unit(30_270.0, COUNTS), 8), " 30.27k ");
        assert_eq!(padded(&unit(400.0, COUNTS), 8), "400.00  ");
    }
}
