//! What the server costs: CPU time and peak memory, from the kernel's own counters.

#[cfg(any(feature = "containers", test))]
mod cgroup;
mod processes;
mod threads;

use std::sync::Arc;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

#[cfg(feature = "containers")]
pub(super) use self::cgroup::Cgroup;
pub(super) use self::threads::Threads;

use self::processes::ProcessReading;
use super::tree::Tree;

/// What a server used over a measured window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time, user and system, of all its processes or threads.
    ///
    /// From nanosecond counters; only a process that ended within the window is known to the
    /// hundredth of a second.
    pub cpu: Option<Duration>,
    /// Peak resident memory in bytes: within the window where the kernel can forget earlier peaks,
    /// else since the start.
    ///
    /// Memory that several processes share counts once for each; a container's file cache counts.
    pub peak_memory: Option<u64>,
}

/// Where the cost of a server can be read.
#[derive(Debug)]
pub(super) enum UsageSource {
    /// A program and all that it started.
    Processes(Tree),
    /// Threads of this process.
    Threads(Arc<Threads>),
    /// A container.
    #[cfg(feature = "containers")]
    Cgroup(Cgroup),
    /// Nowhere: the server is not ours.
    Unseen,
}

/// A measured window: what the server had used when it opened.
#[derive(Debug)]
pub(crate) struct UsageWindow<'a> {
    before: Before<'a>,
}

#[derive(Debug)]
enum Before<'a> {
    Processes(&'a Tree, ProcessReading),
    Threads(&'a Threads, Duration),
    #[cfg(feature = "containers")]
    Cgroup(cgroup::CgroupWindow<'a>),
    Unseen,
}

impl UsageSource {
    /// Forgets the peak of memory so far, where that can be done, and notes the CPU time.
    pub(super) fn open(&self) -> UsageWindow<'_> {
        let before = match self {
            Self::Processes(tree) => {
                processes::forget_peak(tree);
                Before::Processes(tree, ProcessReading::take(tree))
            }
            Self::Threads(threads) => Before::Threads(threads, threads.cpu()),
            #[cfg(feature = "containers")]
            Self::Cgroup(cgroup) => Before::Cgroup(cgroup.open()),
            Self::Unseen => Before::Unseen,
        };
        UsageWindow { before }
    }
}

impl UsageWindow<'_> {
    /// What the server used since the window was opened; `None` where it cannot be seen.
    pub(crate) fn close(self) -> Option<Usage> {
        match self.before {
            Before::Processes(tree, before) => Some(Usage {
                cpu: ProcessReading::take(tree).since(&before),
                peak_memory: processes::peak_memory(tree),
            }),
            Before::Threads(threads, before) => Some(Usage {
                cpu: Some(threads.cpu().saturating_sub(before)),
                peak_memory: None,
            }),
            #[cfg(feature = "containers")]
            Before::Cgroup(window) => Some(window.close()),
            Before::Unseen => None,
        }
    }
}

/// The CPU time on a clock of the kernel; `None` when its process or thread is gone.
fn cpu_time(clock: ClockId) -> Option<Duration> {
    clock_gettime(clock).ok().map(Duration::from)
}

#[cfg(test)]
mod tests;
