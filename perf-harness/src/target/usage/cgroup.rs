//! The cost of a container, from its control group: version 2, or version 1 with its controllers
//! mounted together or apart.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Usage;

/// The files of one control group that tell its cost.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::target) struct Cgroup {
    cpu: Option<CpuFile>,
    memory: Option<PathBuf>,
}

#[derive(Debug, PartialEq, Eq)]
enum CpuFile {
    /// Nanoseconds, `cpuacct.usage`.
    V1(PathBuf),
    /// `usage_usec` among the lines of `cpu.stat`.
    V2(PathBuf),
}

/// An open window on a control group.
#[derive(Debug)]
pub(super) struct CgroupWindow<'a> {
    cgroup: &'a Cgroup,
    cpu: Option<Duration>,
    peak: Option<File>,
}

/// One line of `mountinfo` that mounts control groups.
#[derive(Debug, PartialEq, Eq)]
struct Mount<'a> {
    /// The group that is seen at the mount point.
    root: &'a str,
    point: PathBuf,
    /// `None` for version 2.
    controllers: Option<&'a str>,
}

impl Cgroup {
    /// The control group of the process `pid`; `None` when nothing of it can be read here, as with
    /// the daemon on another machine.
    pub(in crate::target) fn of_process(pid: i32) -> Option<Self> {
        let membership = fs::read_to_string(format!("/proc/{pid}/cgroup")).ok()?;
        let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
        Self::find(&membership, &mounts)
    }

    fn find(membership: &str, mountinfo: &str) -> Option<Self> {
        let mounts: Vec<Mount<'_>> = mountinfo.lines().filter_map(Mount::parse).collect();
        let v1 = |controller| folder_v1(membership, &mounts, controller);
        let v2 = folder_v2(membership, &mounts);
        let in_v2 = |file: &str| Some(v2.as_ref()?.join(file));
        let cpu = existing(v1("cpuacct").map(|folder| folder.join("cpuacct.usage")))
            .map(CpuFile::V1)
            .or_else(|| existing(in_v2("cpu.stat")).map(CpuFile::V2));
        let memory = existing(v1("memory").map(|folder| folder.join("memory.max_usage_in_bytes")))
            .or_else(|| existing(in_v2("memory.peak")));
        let found = Self { cpu, memory };
        (found != Self::default()).then_some(found)
    }

    pub(super) fn open(&self) -> CgroupWindow<'_> {
        CgroupWindow {
            cgroup: self,
            peak: self.memory.as_deref().and_then(open_peak),
            cpu: self.cpu(),
        }
    }

    fn cpu(&self) -> Option<Duration> {
        match self.cpu.as_ref()? {
            CpuFile::V1(path) => fs::read_to_string(path)
                .ok()?
                .trim()
                .parse()
                .ok()
                .map(Duration::from_nanos),
            CpuFile::V2(path) => {
                let stat = fs::read_to_string(path).ok()?;
                let usage = stat
                    .lines()
                    .find_map(|line| line.strip_prefix("usage_usec "))?;
                usage.trim().parse().ok().map(Duration::from_micros)
            }
        }
    }
}

impl CgroupWindow<'_> {
    pub(super) fn close(self) -> Usage {
        let cpu = self
            .cgroup
            .cpu()
            .zip(self.cpu)
            .map(|(now, before)| now.saturating_sub(before));
        Usage {
            cpu,
            peak_memory: self.peak.and_then(read_peak),
        }
    }
}

/// Opens the file of the peak and resets it where we may.
///
/// Version 2 resets it for this one open file only, so the file stays open for the window. Without
/// the right to write, or on an old kernel, the peak stays that since the start.
fn open_peak(path: &Path) -> Option<File> {
    match OpenOptions::new().read(true).write(true).open(path) {
        Ok(mut file) => {
            let _ = file.write_all(b"0");
            Some(file)
        }
        Err(_) => File::open(path).ok(),
    }
}

fn read_peak(mut file: File) -> Option<u64> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0)).ok()?;
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

fn folder_v1(membership: &str, mounts: &[Mount<'_>], controller: &str) -> Option<PathBuf> {
    let group = group_of(membership, |controllers| has(controllers, controller))?;
    let mount = mounts.iter().find(|mount| {
        mount
            .controllers
            .is_some_and(|controllers| has(controllers, controller))
    })?;
    mount.folder(group)
}

fn folder_v2(membership: &str, mounts: &[Mount<'_>]) -> Option<PathBuf> {
    let group = group_of(membership, str::is_empty)?;
    mounts
        .iter()
        .find(|mount| mount.controllers.is_none())?
        .folder(group)
}

/// The group in the line of `/proc/PID/cgroup` whose controllers are the wanted ones.
fn group_of(membership: &str, is_wanted: impl Fn(&str) -> bool) -> Option<&str> {
    membership.lines().find_map(|line| {
        let (_, line) = line.split_once(':')?;
        let (controllers, group) = line.split_once(':')?;
        is_wanted(controllers).then_some(group)
    })
}

fn has(list: &str, wanted: &str) -> bool {
    list.split(',').any(|item| item == wanted)
}

fn existing(path: Option<PathBuf>) -> Option<PathBuf> {
    path.filter(|path| path.exists())
}

impl<'a> Mount<'a> {
    /// A line such as `33 31 0:30 / /sys/fs/cgroup/cpu rw,relatime shared:5 - cgroup cgroup rw,cpu`.
    fn parse(line: &'a str) -> Option<Self> {
        let (mounted, what) = line.split_once(" - ")?;
        let mut mounted = mounted.split(' ').skip(3);
        let (root, point) = (mounted.next()?, mounted.next()?);
        let mut what = what.split(' ');
        let controllers = match what.next()? {
            "cgroup" => Some(what.nth(1)?),
            "cgroup2" => None,
            _ => return None,
        };
        Some(Self {
            root,
            point: PathBuf::from(point),
            controllers,
        })
    }

    /// Where `group` lies, if it lies below what is mounted.
    fn folder(&self, group: &str) -> Option<PathBuf> {
        let below = Path::new(group).strip_prefix(self.root).ok()?;
        Some(self.point.join(below))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine's control groups as files in a temporary folder.
    struct Machine {
        folder: tempfile::TempDir,
        mountinfo: String,
    }

    impl Machine {
        fn new(mounts: &[(&str, &str, &str)]) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let lines = mounts.iter().map(|(root, point, what)| {
                format!(
                    "33 31 0:30 {root} {}/{point} rw,relatime shared:9 - {what}\n",
                    folder.path().display()
                )
            });
            let mountinfo =
                "24 23 0:22 / /proc rw - proc proc rw\n".to_owned() + &lines.collect::<String>();
            Self { folder, mountinfo }
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn find(&self, membership: &str) -> Option<Cgroup> {
            Cgroup::find(membership, &self.mountinfo)
        }
    }

    #[test]
    fn version_2_counts_microseconds() {
        let machine = Machine::new(&[("/", "cg", "cgroup2 cgroup2 rw")]);
        machine.write(
            "cg/docker/x/cpu.stat",
            "usage_usec 2000\nuser_usec 1500\nsystem_usec 500\n",
        );
        machine.write("cg/docker/x/memory.peak", "9\n");
        let cgroup = machine.find("0::/docker/x\n").unwrap();
        let window = cgroup.open();
        machine.write(
            "cg/docker/x/cpu.stat",
            "usage_usec 5000\nuser_usec 1500\nsystem_usec 500\n",
        );
        machine.write("cg/docker/x/memory.peak", "4096\n");
        let usage = window.close();
        assert_eq!(usage.cpu, Some(Duration::from_millis(3)));
        assert_eq!(usage.peak_memory, Some(4_096));
    }

    #[test]
    fn version_1_with_controllers_apart_counts_nanoseconds() {
        let machine = Machine::new(&[
            ("/", "cpu", "cgroup cgroup rw,cpu"),
            ("/", "cpuacct", "cgroup cgroup rw,cpuacct"),
            ("/", "memory", "cgroup cgroup rw,memory"),
            ("/", "unified", "cgroup2 cgroup2 rw"),
        ]);
        machine.write("cpuacct/docker/x/cpuacct.usage", "1000\n");
        machine.write("memory/docker/x/memory.max_usage_in_bytes", "99999\n");
        let cgroup = machine
            .find("3:memory:/docker/x\n2:cpuacct:/docker/x\n1:cpu:/docker/x\n0::/\n")
            .unwrap();
        let window = cgroup.open();
        let reset = fs::read_to_string(cgroup.memory.as_ref().unwrap()).unwrap();
        assert!(reset.starts_with('0'), "{reset}");
        machine.write("cpuacct/docker/x/cpuacct.usage", "1234\n");
        machine.write("memory/docker/x/memory.max_usage_in_bytes", "512\n");
        let usage = window.close();
        assert_eq!(usage.cpu, Some(Duration::from_nanos(234)));
        assert_eq!(usage.peak_memory, Some(512));
    }

    #[test]
    fn version_1_controllers_may_be_mounted_together() {
        let machine = Machine::new(&[("/", "both", "cgroup cgroup rw,cpu,cpuacct")]);
        machine.write("both/docker/x/cpuacct.usage", "1000\n");
        let cgroup = machine.find("1:cpu,cpuacct:/docker/x\n").unwrap();
        assert_eq!(cgroup.cpu(), Some(Duration::from_micros(1)));
        assert_eq!(cgroup.open().close().peak_memory, None);
    }

    #[test]
    fn within_a_container_the_mount_shows_a_part() {
        let machine = Machine::new(&[("/outer", "cg", "cgroup2 cgroup2 rw")]);
        machine.write("cg/inner/cpu.stat", "usage_usec 7\n");
        let cgroup = machine.find("0::/outer/inner\n").unwrap();
        assert_eq!(cgroup.cpu(), Some(Duration::from_micros(7)));
        assert_eq!(machine.find("0::/elsewhere\n"), None);
    }

    #[test]
    fn a_file_that_makes_no_sense_is_unknown_not_zero() {
        let machine = Machine::new(&[("/", "cg", "cgroup2 cgroup2 rw")]);
        machine.write("cg/x/cpu.stat", "user_usec 1\n");
        let cgroup = machine.find("0::/x\n").unwrap();
        assert_eq!(cgroup.open().close(), Usage::default());
    }

    #[test]
    fn a_process_that_is_gone_has_no_cgroup() {
        assert_eq!(Cgroup::of_process(i32::MAX), None);
    }
}
