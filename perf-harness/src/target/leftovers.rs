//! What a killed test process leaves behind is removed by the next one.
//!
//! Each started program is recorded in the machine's state folder, with who started it. A record
//! whose owner is gone names processes that nobody will ever stop.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Once;

use serde::{Deserialize, Serialize};

use super::proc_stat::ProcessId;
use super::tree::{Mark, Tree};
use crate::host::state_dir;

/// The note of one started program; dropping it removes the note.
#[derive(Debug)]
pub(super) struct Record {
    path: PathBuf,
}

#[derive(Debug, Serialize, Deserialize)]
struct Note {
    machine: Machine,
    owner: Numbered,
    leader: Numbered,
    mark: Mark,
}

/// Where process numbers mean the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Machine {
    boot: String,
    pid_namespace: PathBuf,
}

#[derive(Debug, Serialize, Deserialize)]
struct Numbered {
    pid: i32,
    start: u64,
}

/// Notes that we started `tree`.
///
/// Best effort: without a state folder there is no note, and nothing else suffers.
pub(super) fn record(tree: &Tree) -> Option<Record> {
    let owner = ProcessId::own()?;
    write_note(&folder().ok()?, &Note::new(owner, tree)?).ok()
}

/// Kills what dead owners left behind; does so once in a process, before its first start.
pub(super) fn sweep_once() {
    static SWEEP: Once = Once::new();
    SWEEP.call_once(|| {
        if let (Ok(folder), Some(machine)) = (folder(), Machine::this()) {
            sweep(&folder, &machine);
        }
    });
}

fn folder() -> io::Result<PathBuf> {
    let folder = state_dir()?.join("targets");
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

fn sweep(folder: &Path, machine: &Machine) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    for path in paths.filter(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    }) {
        sweep_one(&path, machine);
    }
}

fn sweep_one(path: &Path, machine: &Machine) {
    let Ok(text) = fs::read(path) else {
        // Removed meanwhile, by its owner or by another sweep.
        return;
    };
    match serde_json::from_slice::<Note>(&text) {
        Ok(note) if note.is_in_use(machine) => return,
        Ok(note) => note.kill_leftovers(machine),
        Err(_) => {}
    }
    remove(path);
}

/// Written beside its place and renamed, so that no sweep ever meets half a note.
fn write_note(folder: &Path, note: &Note) -> io::Result<Record> {
    let path = folder.join(format!("{}.json", note.mark.as_str()));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut file, note)?;
    file.persist(&path)?;
    Ok(Record { path })
}

impl Note {
    fn new(owner: ProcessId, tree: &Tree) -> Option<Self> {
        Some(Self {
            machine: Machine::this()?,
            owner: owner.into(),
            leader: tree.leader().into(),
            mark: tree.mark().clone(),
        })
    }

    /// Whether the owner may still be there; of another container's processes we know nothing.
    fn is_in_use(&self, machine: &Machine) -> bool {
        if self.machine.boot != machine.boot {
            return false;
        }
        self.machine.pid_namespace != machine.pid_namespace || ProcessId::from(&self.owner).runs()
    }

    fn kill_leftovers(self, machine: &Machine) {
        if self.machine == *machine {
            Tree::new(ProcessId::from(&self.leader), self.mark).kill();
        }
    }
}

impl Machine {
    fn this() -> Option<Self> {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(Self {
            boot: boot.trim().to_owned(),
            pid_namespace: fs::read_link("/proc/self/ns/pid").ok()?,
        })
    }
}

impl From<ProcessId> for Numbered {
    fn from(id: ProcessId) -> Self {
        Self {
            pid: id.pid,
            start: id.start,
        }
    }
}

impl From<&Numbered> for ProcessId {
    fn from(numbered: &Numbered) -> Self {
        Self {
            pid: numbered.pid,
            start: numbered.start,
        }
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

fn remove(path: &Path) {
    // Whether another sweep was faster, or the folder is gone: there is no note any more.
    let _ = fs::remove_file(path);
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Child, Command};

    use super::*;

    fn sleeper() -> (Child, Tree) {
        let child = Command::new("/bin/sleep")
            .arg("600")
            .process_group(0)
            .spawn()
            .unwrap();
        let leader = ProcessId::of(i32::try_from(child.id()).unwrap()).unwrap();
        (child, Tree::new(leader, Mark::unique()))
    }

    fn dead_owner() -> ProcessId {
        let mut child = Command::new("/bin/sleep").arg("600").spawn().unwrap();
        let owner = ProcessId::of(i32::try_from(child.id()).unwrap()).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        owner
    }

    fn notes_in(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    /// Sweeps a folder with one note and says whether the noted program and the note are left.
    fn after_sweep(change: impl FnOnce(&mut Note)) -> (bool, usize) {
        let folder = tempfile::tempdir().unwrap();
        let (mut child, tree) = sleeper();
        let mut note = Note::new(ProcessId::own().unwrap(), &tree).unwrap();
        change(&mut note);
        let record = write_note(folder.path(), &note).unwrap();
        sweep(folder.path(), &Machine::this().unwrap());
        let left = (tree.leader().runs(), notes_in(folder.path()));
        drop(record);
        child.kill().unwrap();
        child.wait().unwrap();
        left
    }

    #[test]
    fn an_orphan_of_a_dead_owner_is_killed() {
        let owner = dead_owner();
        assert_eq!(after_sweep(|note| note.owner = owner.into()), (false, 0));
    }

    #[test]
    fn an_owner_whose_number_was_given_away_is_dead() {
        assert_eq!(after_sweep(|note| note.owner.start += 1), (false, 0));
    }

    #[test]
    fn the_program_of_a_live_owner_is_spared() {
        assert_eq!(after_sweep(|_| {}), (true, 1));
    }

    #[test]
    fn a_process_that_only_has_the_number_is_spared() {
        let owner = dead_owner();
        let left = after_sweep(|note| {
            note.owner = owner.into();
            note.leader.start += 1;
        });
        assert_eq!(left, (true, 0));
    }

    #[test]
    fn after_a_restart_of_the_machine_only_the_note_is_removed() {
        assert_eq!(after_sweep(|note| note.machine.boot.push('x')), (true, 0));
    }

    #[test]
    fn another_containers_note_is_left_alone() {
        let left = after_sweep(|note| {
            note.owner.start += 1;
            note.machine.pid_namespace = PathBuf::from("pid:[1]");
        });
        assert_eq!(left, (true, 1));
    }

    #[test]
    fn a_daemon_that_left_the_group_is_found_by_its_mark() {
        let folder = tempfile::tempdir().unwrap();
        let mark = Mark::unique();
        let mut daemon = Command::new("/bin/sleep")
            .arg("600")
            .env(super::super::tree::MARK_VARIABLE, mark.as_str())
            .process_group(0)
            .spawn()
            .unwrap();
        let note = Note::new(dead_owner(), &Tree::new(dead_owner(), mark)).unwrap();
        write_note(folder.path(), &note)
            .map(std::mem::forget)
            .unwrap();
        sweep(folder.path(), &Machine::this().unwrap());
        assert_eq!(daemon.wait().unwrap().signal(), Some(9));
        assert_eq!(notes_in(folder.path()), 0);
    }

    #[test]
    fn a_malformed_note_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("x.json"), "{\"owner\":").unwrap();
        sweep(folder.path(), &Machine::this().unwrap());
        assert_eq!(notes_in(folder.path()), 0);
    }

    #[test]
    fn a_dropped_record_is_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let (mut child, tree) = sleeper();
        let note = Note::new(ProcessId::own().unwrap(), &tree).unwrap();
        let record = write_note(folder.path(), &note).unwrap();
        assert_eq!(notes_in(folder.path()), 1);
        drop(record);
        assert_eq!(notes_in(folder.path()), 0);
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
