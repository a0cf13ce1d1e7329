//! The processes of one started program: found, and killed all together.
//!
//! Three traces lead to them: parent links, the process group, and a mark in the environment that
//! every descendant inherits. Each has a hole (an orphan, a new group, an environment that was
//! cleared); a server that slips through all three is beyond reach.

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

use super::proc_stat::{ProcStat, ProcessId};

/// The environment variable that marks the descendants of a started program.
pub(super) const MARK_VARIABLE: &str = "PERF_HARNESS_TARGET";

/// How long killed processes are waited for; the kernel needs milliseconds.
const DEATH_WAIT: Duration = Duration::from_secs(2);
const DEATH_POLL: Duration = Duration::from_millis(1);

/// A started program with all its descendants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tree {
    leader: ProcessId,
    mark: Mark,
}

/// A text that no other start on this machine has, in the environment of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Mark(String);

impl Mark {
    pub(super) fn unique() -> Self {
        static STARTS: AtomicU64 = AtomicU64::new(0);
        let start = ProcessId::own().map_or(0, |own| own.start);
        let count = STARTS.fetch_add(1, Ordering::Relaxed);
        Self(format!("{}.{start}.{count}", std::process::id()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    fn is_on(&self, pid: i32) -> bool {
        let Ok(environment) = fs::read(format!("/proc/{pid}/environ")) else {
            return false;
        };
        environment
            .split(|byte| *byte == 0)
            .filter_map(|entry| {
                entry
                    .strip_prefix(MARK_VARIABLE.as_bytes())?
                    .strip_prefix(b"=")
            })
            .any(|value| value == self.0.as_bytes())
    }
}

impl Tree {
    /// The tree of `leader`, which leads its own process group and was started with `mark`.
    pub(super) fn new(leader: ProcessId, mark: Mark) -> Self {
        Self { leader, mark }
    }

    /// The tree of what bears `mark` now; `None` when nothing does.
    pub(super) fn marked(mark: &Mark) -> Option<Self> {
        let mut bearers = ProcStat::all();
        bearers.retain(|stat| mark.is_on(stat.id.pid));
        let leader = bearers.iter().find(|stat| stat.group == stat.id.pid);
        let leader = leader.or(bearers.first())?;
        Some(Self::new(leader.id, mark.clone()))
    }

    pub(super) fn leader(&self) -> ProcessId {
        self.leader
    }

    /// All its processes that are there now, zombies too.
    pub(super) fn members(&self) -> Vec<ProcStat> {
        let all = ProcStat::all();
        let linked = self.linked(&all);
        all.into_iter()
            .filter(|stat| linked.contains(&stat.id.pid) || self.mark.is_on(stat.id.pid))
            .collect()
    }

    /// Kills every process of the tree and waits until none runs.
    ///
    /// Nobody is asked to stop first: a server under test has nothing worth saving, and every
    /// round would pay for its grace.
    pub(super) fn kill(&self) {
        let until = Instant::now() + DEATH_WAIT;
        let mut doomed = BTreeSet::new();
        loop {
            doomed.extend(self.members().iter().map(|stat| stat.id));
            self.kill_group();
            doomed.retain(|id| id.runs());
            if doomed.is_empty() || Instant::now() > until {
                return;
            }
            doomed.iter().for_each(|id| kill_one(*id));
            std::thread::sleep(DEATH_POLL);
        }
    }

    /// The group is killed in one stroke, so that no member can start another meanwhile.
    ///
    /// While the leader is there, running or not yet waited for, its number can mean no other group.
    fn kill_group(&self) {
        if self.leader.exists() {
            // That the group is gone already is what we want.
            let _ = killpg(Pid::from_raw(self.leader.pid), Signal::SIGKILL);
        }
    }

    /// The numbers of the leader, its group, and all descendants of these.
    fn linked(&self, all: &[ProcStat]) -> BTreeSet<i32> {
        let mut linked = BTreeSet::new();
        if !all.iter().any(|stat| stat.id == self.leader) {
            return linked;
        }
        linked.insert(self.leader.pid);
        linked.extend(
            all.iter()
                .filter(|stat| stat.group == self.leader.pid)
                .map(|stat| stat.id.pid),
        );
        let mut known = 0;
        while known < linked.len() {
            known = linked.len();
            let children = all.iter().filter(|stat| linked.contains(&stat.parent));
            let children: Vec<i32> = children.map(|stat| stat.id.pid).collect();
            linked.extend(children);
        }
        linked
    }
}

fn kill_one(id: ProcessId) {
    if id.runs() {
        // That it ended in this moment is what we want.
        let _ = kill(Pid::from_raw(id.pid), Signal::SIGKILL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stat(pid: i32, parent: i32, group: i32) -> ProcStat {
        ProcStat {
            id: ProcessId { pid, start: 1 },
            parent,
            group,
            is_zombie: false,
            reaped_cpu: Duration::ZERO,
        }
    }

    fn linked(leader: ProcessId, all: &[ProcStat]) -> Vec<i32> {
        Tree::new(leader, Mark::unique())
            .linked(all)
            .into_iter()
            .collect()
    }

    #[test]
    fn descendants_are_followed_out_of_the_group() {
        let all = [
            stat(40, 30, 40),
            stat(30, 20, 10),
            stat(20, 10, 10),
            stat(10, 1, 10),
            stat(50, 1, 1),
        ];
        assert_eq!(
            linked(ProcessId { pid: 10, start: 1 }, &all),
            [10, 20, 30, 40]
        );
    }

    #[test]
    fn an_orphan_is_found_by_its_group() {
        let all = [stat(10, 1, 10), stat(20, 1, 10), stat(21, 20, 21)];
        assert_eq!(linked(ProcessId { pid: 10, start: 1 }, &all), [10, 20, 21]);
    }

    #[test]
    fn a_later_process_with_the_leaders_number_is_left_alone() {
        let all = [stat(10, 1, 10), stat(20, 10, 10)];
        assert!(linked(ProcessId { pid: 10, start: 2 }, &all).is_empty());
    }

    #[test]
    fn no_two_marks_are_the_same() {
        assert_ne!(Mark::unique(), Mark::unique());
    }
}
