//! Was the machine calm while something was measured?

use std::fs;
use std::time::Instant;

use serde::{Deserialize, Serialize};

/// The kernel's counters at one moment; [`Calm::disturbances`] compares two.
#[derive(Clone, Debug)]
pub struct Calm {
    at: Instant,
    total_ticks: u64,
    steal_ticks: u64,
    /// Microseconds in which some task waited for a CPU; `None` without pressure counters.
    pressure_us: Option<u64>,
}

/// Something on the machine that moved the numbers, with its figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
#[non_exhaustive]
pub enum Disturbance {
    /// Share of CPU time, 0 to 1, that the hypervisor gave to others.
    Steal {
        /// The share.
        share: f64,
    },
    /// Tasks of others were waiting for a CPU before the load began: the one-minute load average.
    Load {
        /// The load average.
        average: f64,
        /// Cores of this machine.
        cores: usize,
    },
}

/// Above this share of stolen time a round is disturbed. On the machines measured for the design
/// calm hours had under 1 %, bursts 10 to 38 %.
const STEAL_LIMIT: f64 = 0.05;

impl Calm {
    /// Reads the counters now.
    #[must_use]
    pub fn read() -> Self {
        let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
        let pressure = fs::read_to_string("/proc/pressure/cpu").unwrap_or_default();
        let (total_ticks, steal_ticks) = cpu_ticks(&stat);
        Self {
            at: Instant::now(),
            total_ticks,
            steal_ticks,
            pressure_us: pressure_total(&pressure),
        }
    }

    /// What disturbed the machine between `self` and `later`.
    #[must_use]
    pub fn disturbances(&self, later: &Self) -> Vec<Disturbance> {
        let steal = self.steal_share(later);
        let stolen = (steal > STEAL_LIMIT).then_some(Disturbance::Steal { share: steal });
        stolen.into_iter().collect()
    }

    /// Share of all CPU time between `self` and `later`, 0 to 1, that the hypervisor gave to others.
    #[must_use]
    pub fn steal_share(&self, later: &Self) -> f64 {
        let total = later.total_ticks.saturating_sub(self.total_ticks);
        if total == 0 {
            return 0.0;
        }
        later.steal_ticks.saturating_sub(self.steal_ticks) as f64 / total as f64
    }

    /// Share of the time between `self` and `later`, 0 to 1, in which some task waited for a CPU;
    /// `None` where the kernel does not say.
    #[must_use]
    pub fn pressure_share(&self, later: &Self) -> Option<f64> {
        let waited = later.pressure_us?.saturating_sub(self.pressure_us?);
        let micros = later.at.duration_since(self.at).as_micros();
        (micros > 0).then(|| waited as f64 / micros as f64)
    }

    /// The load that others put on the machine now: a disturbance when it exceeds the cores.
    #[must_use]
    pub fn load_before() -> Option<Disturbance> {
        let text = fs::read_to_string("/proc/loadavg").ok()?;
        let average: f64 = text.split_whitespace().next()?.parse().ok()?;
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
        (average > cores as f64).then_some(Disturbance::Load { average, cores })
    }
}

/// Sum of all columns of the first line of /proc/stat (guest time is part of user time), and steal.
fn cpu_ticks(stat: &str) -> (u64, u64) {
    let line = stat
        .lines()
        .find(|line| line.starts_with("cpu "))
        .unwrap_or_default();
    let columns: Vec<u64> = line
        .split_whitespace()
        .skip(1)
        .filter_map(|n| n.parse().ok())
        .collect();
    (
        columns.iter().take(8).sum(),
        columns.get(7).copied().unwrap_or(0),
    )
}

fn pressure_total(pressure: &str) -> Option<u64> {
    let line = pressure.lines().find(|line| line.starts_with("some "))?;
    line.split("total=").nth(1)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counters(total_ticks: u64, steal_ticks: u64) -> Calm {
        Calm {
            at: Instant::now(),
            total_ticks,
            steal_ticks,
            pressure_us: None,
        }
    }

    #[test]
    fn guest_time_is_not_counted_twice() {
        assert_eq!(cpu_ticks("cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 1 1"), (36, 8));
        assert_eq!(cpu_ticks(""), (0, 0));
    }

    #[test]
    fn a_burst_of_steal_is_a_disturbance() {
        let before = counters(1000, 10);
        assert_eq!(before.disturbances(&counters(2000, 15)), []);
        let burst = before.disturbances(&counters(2000, 390));
        assert_eq!(burst, [Disturbance::Steal { share: 0.38 }]);
    }

    #[test]
    fn pressure_is_read_where_the_kernel_has_it() {
        let text = "some avg10=0.00 avg60=0.00 avg300=0.00 total=42\nfull avg10=0.00 total=7\n";
        assert_eq!(pressure_total(text), Some(42));
        assert_eq!(pressure_total(""), None);
    }
}
