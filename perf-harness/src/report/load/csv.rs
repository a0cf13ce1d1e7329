//! Columns for spreadsheets and gnuplot.

use crate::sample::{Sample, Series};

/// The percentiles of the latency, as `ab -e` writes them; the heading alone when there are none.
pub(crate) fn csv(sample: &Sample) -> String {
    let whole = (0..=99).map(f64::from);
    let percents = whole.chain([99.9, 99.99, 100.0]);
    let rows = percents.filter_map(|percent| {
        let nanos = sample.latency.percentile(percent)?;
        Some(format!("{percent},{:.6}\n", nanos as f64 / 1e6))
    });
    "Percentage served,Time in ms\n".to_owned() + &rows.collect::<String>()
}

/// What happened in each tenth of a second, in columns for gnuplot; `-` where there is no latency.
pub(crate) fn time_series(sample: &Sample) -> String {
    let width = Series::WIDTH.as_secs_f64();
    let rows = sample
        .series
        .intervals
        .iter()
        .enumerate()
        .map(|(place, interval)| {
            let start = place as f64 * width;
            let p99 = interval
                .p99_ns
                .map_or("-".to_owned(), |nanos| format!("{:.6}", nanos as f64 / 1e6));
            let long = width_of(start, width, sample.elapsed.as_secs_f64());
            let throughput = interval.ok as f64 / long;
            format!("{start:.1}\t{throughput:.1}\t{p99}\t{}\n", interval.failed)
        });
    "seconds\tthroughput\tp99_ms\terrors\n".to_owned() + &rows.collect::<String>()
}

/// The last interval is cut by the window's end.
fn width_of(start: f64, width: f64, end: f64) -> f64 {
    let left = end - start;
    if left > 0.0 { left.min(width) } else { width }
}
