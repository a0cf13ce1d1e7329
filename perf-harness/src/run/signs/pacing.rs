//! Whether an open loop sent what it was asked to send, when it was asked to.

use crate::load::{Arrivals, Load, Pace, Rate};
use crate::outcome::Warning;
use crate::sample::{Ended, Sample};

/// Below this share of what was asked for the rate was missed.
const KEPT_RATE: f64 = 0.98;

/// Requests a second in one round.
#[derive(Clone, Copy, Debug)]
struct Rates {
    asked: f64,
    sent: f64,
    /// What may be missing of `asked` by chance.
    chance: f64,
}

impl Rates {
    /// Not a number is not kept.
    fn are_kept(self) -> bool {
        self.share() >= KEPT_RATE
    }

    fn share(self) -> f64 {
        self.sent / (self.asked - self.chance)
    }
}

/// Whether a round of an open loop missed its rate; `None` of a closed one.
pub(super) fn missed(load: &Load, sample: &Sample) -> Option<bool> {
    rates(load, sample).map(|rates| !rates.are_kept())
}

/// The warning that rounds missed the rate, with the figures of the worst.
pub(super) fn rate_missed(load: &Load, samples: &[Sample]) -> Option<Warning> {
    let rated = samples
        .iter()
        .filter_map(|sample| Some((sample, rates(load, sample)?)));
    let missed: Vec<_> = rated.filter(|(_, rates)| !rates.are_kept()).collect();
    let worst = missed
        .iter()
        .min_by(|(_, one), (_, other)| one.share().total_cmp(&other.share()))?;
    let (sample, rates) = *worst;
    let lag = sample.open_loop.as_ref()?.lag.percentile(99.0);
    Some(Warning::RateMissed {
        rounds: missed.len(),
        asked: finite(rates.asked),
        sent: finite(rates.sent),
        lag_p99: lag.map(|nanos| nanos as f64),
    })
}

/// A file of JSON holds no other numbers.
fn finite(rate: f64) -> f64 {
    if rate.is_finite() { rate } else { 0.0 }
}

/// The rates between the first and the last send or, if they show more of a loss, those over the
/// whole duration: what still waited for a connection at its end was never sent.
fn rates(load: &Load, sample: &Sample) -> Option<Rates> {
    let (Pace::Open(rate), Some(open)) = (&load.pace, &sample.open_loop) else {
        return None;
    };
    let between_sends = (sample.sent > 1).then_some(Rates {
        asked: open.asked,
        sent: open.sent,
        chance: 0.0,
    });
    [between_sends, over_duration(rate, load, sample)]
        .into_iter()
        .flatten()
        .min_by(|one, other| one.share().total_cmp(&other.share()))
}

/// The rates of a round that its duration ended; the last request may fall on the end, and the
/// number of random arrivals varies by its root.
fn over_duration(rate: &Rate, load: &Load, sample: &Sample) -> Option<Rates> {
    let duration = load.duration.filter(|_| sample.ended == Ended::Duration)?;
    let seconds = duration.as_secs_f64();
    let requests = rate.requests_in(duration);
    let spread = match rate.arrivals {
        Arrivals::Constant => 1.0,
        Arrivals::Poisson => 1.0 + 3.0 * requests.sqrt(),
    };
    (requests > spread).then_some(Rates {
        asked: requests / seconds,
        sent: sample.sent as f64 / seconds,
        chance: spread / seconds,
    })
}
