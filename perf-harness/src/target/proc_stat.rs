//! Which processes there are, and who started whom: `/proc/PID/stat`, read and understood.

use std::fs;
use std::time::Duration;

use nix::unistd::Pid;

/// The kernel tells the times of this file in hundredths of a second on every architecture that we
/// build for, whatever its own clock.
const TICK: Duration = Duration::from_millis(10);

/// A process, told apart from a later one with the same number by when it started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ProcessId {
    pub(super) pid: i32,
    /// Ticks since the machine was started.
    pub(super) start: u64,
}

/// What `/proc/PID/stat` says of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ProcStat {
    pub(super) id: ProcessId,
    pub(super) parent: i32,
    pub(super) group: i32,
    /// Ended, and waiting for its parent to ask how.
    pub(super) is_zombie: bool,
    /// CPU time of its children that have ended and were waited for, with their children.
    pub(super) reaped_cpu: Duration,
}

impl ProcessId {
    /// The process that now has the number `pid`.
    pub(super) fn of(pid: i32) -> Option<Self> {
        ProcStat::read(pid).map(|stat| stat.id)
    }

    /// The process we are.
    pub(super) fn own() -> Option<Self> {
        Self::of(Pid::this().as_raw())
    }

    /// Whether it is still there, be it as a zombie.
    pub(super) fn exists(self) -> bool {
        Self::of(self.pid) == Some(self)
    }

    /// Whether it still runs.
    pub(super) fn runs(self) -> bool {
        ProcStat::read(self.pid).is_some_and(|stat| stat.id == self && !stat.is_zombie)
    }
}

impl ProcStat {
    pub(super) fn read(pid: i32) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Every process that can be seen.
    pub(super) fn all() -> Vec<Self> {
        let Ok(entries) = fs::read_dir("/proc") else {
            return Vec::new();
        };
        entries
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .filter_map(Self::read)
            .collect()
    }

    /// The name stands in brackets and may itself hold blanks and brackets: fields are counted
    /// from the last one.
    fn parse(text: &str) -> Option<Self> {
        let (pid, rest) = text.split_once(' ')?;
        let (_, rest) = rest.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let ticks = |index: usize| fields.get(index)?.parse::<u32>().ok();
        Some(Self {
            id: ProcessId {
                pid: pid.parse().ok()?,
                start: fields.get(19)?.parse().ok()?,
            },
            parent: fields.get(1)?.parse().ok()?,
            group: fields.get(2)?.parse().ok()?,
            is_zombie: matches!(*fields.first()?, "Z" | "X"),
            reaped_cpu: TICK * ticks(13)?.saturating_add(ticks(14)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_blanks_and_brackets_does_not_shift_the_fields() {
        let text =
            "77 (a b) c) Z 5 6 7 0 -1 4194304 90 0 0 0 20 1 3 4 20 0 1 0 96259 26 36 184 9 9";
        let stat = ProcStat::parse(text).unwrap();
        assert_eq!(
            stat.id,
            ProcessId {
                pid: 77,
                start: 96259
            }
        );
        assert_eq!((stat.parent, stat.group), (5, 6));
        assert!(stat.is_zombie);
        assert_eq!(stat.reaped_cpu, Duration::from_millis(70));
    }

    #[test]
    fn what_is_cut_off_is_no_process() {
        for text in [
            "",
            "77",
            "77 (a) S 5 6",
            "x (a) S 5 6 7 0 -1 4 9 0 0 0 2 1 3 4 2 0 1 0 9 2",
        ] {
            assert_eq!(ProcStat::parse(text), None, "{text}");
        }
    }

    #[test]
    fn we_are_among_all_processes() {
        let own = ProcessId::own().unwrap();
        assert!(own.runs());
        assert!(ProcStat::all().iter().any(|stat| stat.id == own));
        assert!(
            !ProcessId {
                start: own.start + 1,
                ..own
            }
            .exists()
        );
    }
}
