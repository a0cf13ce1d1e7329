//! The cost of a program with all its processes.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use nix::time::clock_getcpuclockid;
use nix::unistd::Pid;

use super::cpu_time;
use crate::target::proc_stat::{ProcStat, ProcessId};
use crate::target::tree::Tree;

/// Written to `clear_refs`, it lets the kernel forget the peak of a process.
const FORGET_PEAK: &str = "5";

/// CPU time so far, process by process.
///
/// The clock of a process counts nanoseconds and holds its ended threads. That of a child is gone
/// once the parent has waited for it: its time is then part of the parent's `reaped` time, which
/// the kernel tells in ticks only.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ProcessReading {
    clocks: BTreeMap<ProcessId, Duration>,
    reaped: Duration,
}

impl ProcessReading {
    pub(super) fn take(tree: &Tree) -> Self {
        let mut reading = Self::default();
        for stat in tree.members() {
            if let Some(cpu) = process_cpu(stat) {
                reading.clocks.insert(stat.id, cpu);
                reading.reaped += stat.reaped_cpu;
            }
        }
        reading
    }

    /// CPU time between `before` and this reading; `None` when no process is left to ask.
    pub(super) fn since(&self, before: &Self) -> Option<Duration> {
        if self.clocks.is_empty() {
            return None;
        }
        let living = self
            .clocks
            .iter()
            .map(|(id, cpu)| match before.clocks.get(id) {
                Some(earlier) => cpu.saturating_sub(*earlier),
                None => *cpu,
            });
        Some(living.sum::<Duration>() + self.reaped_since(before))
    }

    /// What ended children used within the window: their whole time, less what they had used when
    /// it was opened.
    fn reaped_since(&self, before: &Self) -> Duration {
        let ended = before
            .clocks
            .iter()
            .filter(|(id, _)| !self.clocks.contains_key(id));
        let used_before: Duration = ended.map(|(_, cpu)| *cpu).sum();
        self.reaped
            .saturating_sub(before.reaped)
            .saturating_sub(used_before)
    }
}

fn process_cpu(stat: ProcStat) -> Option<Duration> {
    cpu_time(clock_getcpuclockid(Pid::from_raw(stat.id.pid)).ok()?)
}

/// Lets the peaks begin anew; where that is not allowed they stay those since the start.
pub(super) fn forget_peak(tree: &Tree) {
    for stat in tree.members() {
        let _ = fs::write(format!("/proc/{}/clear_refs", stat.id.pid), FORGET_PEAK);
    }
}

/// The peaks of all living processes, added up.
pub(super) fn peak_memory(tree: &Tree) -> Option<u64> {
    let peaks = tree.members().into_iter().filter_map(|stat| {
        let status = fs::read_to_string(format!("/proc/{}/status", stat.id.pid)).ok()?;
        peak_in(&status)
    });
    Some(peaks.sum()).filter(|peak| *peak > 0)
}

/// `VmHWM`, the high-water mark of resident memory, in bytes; a zombie has none.
fn peak_in(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(clocks: &[(i32, u64)], reaped: u64) -> ProcessReading {
        let clocks = clocks.iter().map(|(pid, millis)| {
            (
                ProcessId {
                    pid: *pid,
                    start: 1,
                },
                Duration::from_millis(*millis),
            )
        });
        ProcessReading {
            clocks: clocks.collect(),
            reaped: Duration::from_millis(reaped),
        }
    }

    fn millis_between(before: &ProcessReading, after: &ProcessReading) -> Option<u128> {
        after.since(before).map(|cpu| cpu.as_millis())
    }

    #[test]
    fn old_processes_count_from_the_opening_and_new_ones_whole() {
        let before = reading(&[(1, 100)], 0);
        let after = reading(&[(1, 130), (2, 20)], 0);
        assert_eq!(millis_between(&before, &after), Some(50));
    }

    #[test]
    fn a_child_that_ended_counts_without_what_it_used_before() {
        let before = reading(&[(1, 100), (2, 70)], 10);
        let after = reading(&[(1, 100)], 110);
        assert_eq!(millis_between(&before, &after), Some(30));
    }

    #[test]
    fn a_child_that_nobody_waited_for_takes_nothing_away() {
        let before = reading(&[(1, 100), (2, 70)], 0);
        let after = reading(&[(1, 105)], 0);
        assert_eq!(millis_between(&before, &after), Some(5));
    }

    #[test]
    fn nothing_left_to_ask_is_unknown_not_zero() {
        assert_eq!(
            millis_between(&reading(&[(1, 100)], 0), &reading(&[], 0)),
            None
        );
    }

    #[test]
    fn the_peak_is_read_in_bytes() {
        assert_eq!(
            peak_in("VmPeak:\t 9 kB\nVmHWM:\t    1696 kB\nVmRSS:\t 3 kB\n"),
            Some(1_736_704)
        );
        assert_eq!(peak_in("Name:\tzombie\n"), None);
        assert_eq!(peak_in("VmHWM:\t 17\n"), None);
    }
}
