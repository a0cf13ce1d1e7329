//! Numbers as people read them: three significant digits, a unit, thousands apart.

use std::time::Duration;

use crate::sample::{Metric, Unit};

const DURATIONS: [&str; 4] = [" ns", " µs", " ms", " s"];
const SIZES: [&str; 5] = [" B", " KiB", " MiB", " GiB", " TiB"];

/// `value` of `metric` in its unit: `12,345/s`, `1.23 ms`, `12.3 MiB`.
pub(crate) fn value(metric: Metric, value: f64) -> String {
    match metric.unit() {
        Unit::PerSecond => format!("{}/s", three_digits(value)),
        Unit::Nanoseconds => scaled(value, 1000.0, &DURATIONS),
        Unit::Bytes => scaled(value, 1024.0, &SIZES),
    }
}

/// A signed share as percent: `-21.3%`; without a digit after the point from 100 % on.
pub(super) fn signed_percent(share: f64) -> String {
    let percent = share * 100.0;
    if percent.abs() >= 99.95 {
        let sign = if percent < 0.0 { "-" } else { "+" };
        return format!("{sign}{}%", grouped(percent.abs()));
    }
    format!("{}%", signed_tenths(percent))
}

/// An unsigned share as percent: `5.3%`.
pub(super) fn percent(share: f64) -> String {
    signed_percent(share.abs())
        .trim_start_matches('+')
        .to_owned()
}

/// `1 round`, `5 rounds`, `10,000 requests`.
pub(crate) fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number as f64))
}

/// A time that was asked for, in all its digits: `10 s`, `1.5 s`, `90 s`.
pub(super) fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

/// With one digit after the point and a sign, but never `-0.0`.
pub(super) fn signed_tenths(number: f64) -> String {
    let text = format!("{number:+.1}");
    if text.trim_start_matches(['+', '-']) == "0.0" {
        return "0.0".to_owned();
    }
    text
}

/// The largest unit in which the value is at least 1, looked at after rounding.
fn scaled(value: f64, base: f64, units: &[&str]) -> String {
    let (mut value, mut place) = (value, 0);
    while value.round() >= base && place + 1 < units.len() {
        value /= base;
        place += 1;
    }
    format!("{}{}", three_digits(value), units[place])
}

/// Three significant digits, but never fewer than all digits before the point.
fn three_digits(value: f64) -> String {
    if value >= 99.95 || value == 0.0 {
        return grouped(value);
    }
    if value >= 9.995 {
        return format!("{value:.1}");
    }
    if value >= 0.995 {
        return format!("{value:.2}");
    }
    format!("{value:.3}")
}

/// The whole number with a comma between thousands.
pub(super) fn grouped(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_unit_and_three_digits() {
        let of = value;
        assert_eq!(of(Metric::Throughput, 12_345.4), "12,345/s");
        assert_eq!(of(Metric::Throughput, 85.25), "85.2/s");
        assert_eq!(of(Metric::Throughput, 0.05), "0.050/s");
        assert_eq!(of(Metric::P99, 850.0), "850 ns");
        assert_eq!(of(Metric::P99, 85_000.0), "85.0 µs");
        assert_eq!(of(Metric::P99, 1_234_000.0), "1.23 ms");
        assert_eq!(of(Metric::P99, 72_000_000_000.0), "72.0 s");
        assert_eq!(of(Metric::Memory, 12.3 * 1024.0 * 1024.0), "12.3 MiB");
    }

    #[test]
    fn a_value_that_rounds_up_to_the_next_unit_is_shown_in_it() {
        assert_eq!(value(Metric::P99, 999.6), "1.00 µs");
        assert_eq!(value(Metric::P99, 9.996e6), "10.0 ms");
        assert_eq!(value(Metric::Memory, 1023.7 * 1024.0), "1.00 MiB");
    }

    #[test]
    fn shares_are_signed_percent_without_a_negative_zero() {
        assert_eq!(signed_percent(-0.2134), "-21.3%");
        assert_eq!(signed_percent(0.004), "+0.4%");
        assert_eq!(signed_percent(-0.0001), "0.0%");
        assert_eq!(signed_percent(12.4), "+1,240%");
        assert_eq!(signed_percent(0.9996), "+100%");
        assert_eq!(percent(0.053), "5.3%");
    }

    #[test]
    fn a_time_that_was_asked_for_keeps_its_digits() {
        assert_eq!(seconds(Duration::from_secs(10)), "10 s");
        assert_eq!(seconds(Duration::from_millis(1_250)), "1.25 s");
    }

    #[test]
    fn counts_have_their_plural() {
        assert_eq!(counted(1, "round"), "1 round");
        assert_eq!(counted(10_000, "request"), "10,000 requests");
    }
}
