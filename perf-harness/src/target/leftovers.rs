//! What a killed test process leaves behind is removed by the next one.
//!
//! Each program is recorded in the machine's state folder before it is started, with who starts it.
//! A record whose owner is gone names processes that nobody will ever stop.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Once;

use serde::{Deserialize, Serialize};

use super::proc_stat::ProcessId;
use super::tree::{Mark, Tree};
use crate::host::{replace_file, state_dir};

/// The note of one started program; dropping it removes the note.
#[derive(Debug)]
pub(super) struct Record {
    path: PathBuf,
    note: Note,
}

#[derive(Debug, Serialize, Deserialize)]
struct Note {
    machine: Machine,
    owner: Numbered,
    /// `None` until the program is started; its mark leads to it all the same.
    leader: Option<Numbered>,
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

/// Notes that we are about to start a program with `mark`.
///
/// Best effort: without a state folder there is no note, and nothing else suffers.
pub(super) fn announce(mark: &Mark) -> Option<Record> {
    let owner = ProcessId::own()?;
    let note = Note::new(owner, mark.clone())?;
    Record::write(&folder().ok()?, note).ok()
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

impl Record {
    fn write(folder: &Path, note: Note) -> io::Result<Self> {
        let path = folder.join(format!("{}.json", note.mark.as_str()));
        write_whole(&path, &note)?;
        Ok(Self { path, note })
    }

    /// Adds which process leads the started program; the mark would do, but can be cleared.
    pub(super) fn name_leader(&mut self, leader: ProcessId) {
        self.note.leader = Some(leader.into());
        // The note of before is good enough to find the program.
        let _ = write_whole(&self.path, &self.note);
    }
}

/// No sweep ever meets half a note.
fn write_whole(path: &Path, note: &Note) -> io::Result<()> {
    replace_file(path, &serde_json::to_vec(note)?)
}

impl Note {
    fn new(owner: ProcessId, mark: Mark) -> Option<Self> {
        Some(Self {
            machine: Machine::this()?,
            owner: owner.into(),
            leader: None,
            mark,
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
        if self.machine != *machine {
            return;
        }
        let tree = match &self.leader {
            Some(leader) => Some(Tree::new(leader.into(), self.mark)),
            None => Tree::marked(&self.mark),
        };
        tree.iter().for_each(Tree::kill);
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

    fn sleeper() -> (Child, ProcessId) {
        let child = Command::new("/bin/sleep")
            .arg("600")
            .process_group(0)
            .spawn()
            .unwrap();
        let leader = ProcessId::of(i32::try_from(child.id()).unwrap()).unwrap();
        (child, leader)
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
        let (mut child, leader) = sleeper();
        let mut note = Note::new(ProcessId::own().unwrap(), Mark::unique()).unwrap();
        note.leader = Some(leader.into());
        change(&mut note);
        let record = Record::write(folder.path(), note).unwrap();
        sweep(folder.path(), &Machine::this().unwrap());
        let left = (leader.runs(), notes_in(folder.path()));
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
            note.leader.as_mut().unwrap().start += 1;
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

    /// Sweeps a folder with the note of a dead owner, and says how a program with its mark ended.
    fn end_of_marked(leader: Option<ProcessId>) -> Option<i32> {
        let folder = tempfile::tempdir().unwrap();
        let mark = Mark::unique();
        let mut program = Command::new("/bin/sleep")
            .arg("600")
            .env(super::super::tree::MARK_VARIABLE, mark.as_str())
            .process_group(0)
            .spawn()
            .unwrap();
        let mut note = Note::new(dead_owner(), mark).unwrap();
        note.leader = leader.map(Into::into);
        std::mem::forget(Record::write(folder.path(), note).unwrap());
        sweep(folder.path(), &Machine::this().unwrap());
        assert_eq!(notes_in(folder.path()), 0);
        program.wait().unwrap().signal()
    }

    #[test]
    fn a_daemon_that_left_the_group_is_found_by_its_mark() {
        assert_eq!(end_of_marked(Some(dead_owner())), Some(9));
    }

    #[test]
    fn a_program_whose_owner_was_killed_amid_the_start_is_found_by_its_mark() {
        assert_eq!(end_of_marked(None), Some(9));
    }

    #[test]
    fn the_leader_is_added_to_the_note() {
        let folder = tempfile::tempdir().unwrap();
        let own = ProcessId::own().unwrap();
        let note = Note::new(own, Mark::unique()).unwrap();
        let mut record = Record::write(folder.path(), note).unwrap();
        record.name_leader(own);
        let read: Note = serde_json::from_slice(&fs::read(&record.path).unwrap()).unwrap();
        assert_eq!(read.leader.as_ref().map(ProcessId::from), Some(own));
        assert_eq!(notes_in(folder.path()), 1);
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
        let note = Note::new(ProcessId::own().unwrap(), Mark::unique()).unwrap();
        let record = Record::write(folder.path(), note).unwrap();
        assert_eq!(notes_in(folder.path()), 1);
        drop(record);
        assert_eq!(notes_in(folder.path()), 0);
    }
}
