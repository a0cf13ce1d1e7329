//! A load by hand, rendered for people, for programs, and in the layouts of ab and wrk.

mod ab;
mod csv;
mod json;
mod text;
mod wrk;

pub(crate) use ab::ab;
pub(crate) use csv::{csv, time_series};
pub(crate) use json::json;
pub(crate) use text::text;
pub(crate) use wrk::wrk;

use super::units::counted;
use crate::load::{Arrivals, Load, Pace, Request};
use crate::outcome::Warning;
use crate::sample::{Ended, Metric, Sample};

/// What a report says, in whatever form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoadReport<'a> {
    /// As it was typed.
    pub(crate) url: &'a str,
    /// The one address that was used.
    pub(crate) address: &'a str,
    pub(crate) load: &'a Load,
    pub(crate) sample: &'a Sample,
    pub(crate) warnings: &'a [Warning],
}

/// What stands where nothing was measured.
const NOTHING: &str = "–";

impl LoadReport<'_> {
    fn request(&self) -> Option<&Request> {
        self.load.requests_of_mix().next()
    }

    /// Good replies a second; `None` without any.
    fn throughput(&self) -> Option<f64> {
        self.sample.value(Metric::Throughput)
    }

    /// `amount` a second over the window; `None` without good replies.
    fn a_second(&self, amount: u64) -> Option<f64> {
        self.throughput()?;
        Some(amount as f64 / self.sample.elapsed.as_secs_f64())
    }

    /// Bytes that were read: all of them where the driver sees them, else those of bodies.
    fn bytes_read(&self) -> u64 {
        match self.sample.bytes_read {
            0 => self.sample.bytes,
            all => all,
        }
    }

    /// Replies with a status of which `counts` is true.
    fn replies(&self, counts: impl Fn(u16) -> bool) -> u64 {
        let statuses = self.sample.statuses.iter();
        statuses
            .filter(|(status, _)| counts(**status))
            .map(|(_, n)| n)
            .sum()
    }

    /// Whether anything of it was drawn with the seed.
    fn is_random(&self) -> bool {
        matches!(&self.load.pace, Pace::Open(rate) if rate.arrivals == Arrivals::Poisson)
    }
}

fn ended(sample: &Sample) -> &'static str {
    match sample.ended {
        Ended::Requests => "requests",
        Ended::Duration => "duration",
        Ended::Deadline => "deadline",
    }
}

/// `7 status, 2 timeout`.
fn listed<K: std::fmt::Display>(counts: &std::collections::BTreeMap<K, u64>) -> String {
    let each: Vec<String> = counts
        .iter()
        .map(|(kind, count)| format!("{kind}: {}", counted_bare(*count)))
        .collect();
    each.join(", ")
}

fn counted_bare(number: u64) -> String {
    let text = counted(number, "");
    text.split(' ').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests;
