//! Interrupted work resumes and gives the same bytes.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::run::{Folder, Run};

const WORK: &str = "gram a.csv -k chi2(gamma=0.01)+chi2(gamma=0.02) -o K.npy";
const OTHER: &str = "gram a.csv -k chi2(gamma=0.01)+chi2(gamma=0.03) -o K.npy";

/// A folder with a table whose Gram matrix has many tiles and takes a while.
fn folder() -> Folder {
    let folder = Folder::new();
    let (rows, cols) = (1100, 400);
    let mut text = (0..cols).map(|j| format!("c{j}")).collect::<Vec<_>>().join(",");
    for i in 0..rows {
        let row = (0..cols).map(|j| (((i * 7919 + j * 104_729) % 1009) as f64 / 500.0).to_string());
        text += "\n";
        text += &row.collect::<Vec<_>>().join(",");
    }
    text += "\n";
    folder.write("a.csv", text);
    folder
}

/// The number of records in the journal.
fn records(folder: &Folder) -> usize {
    let bytes = std::fs::read(folder.path("K.npy.journal")).unwrap_or_default();
    bytes.iter().filter(|b| **b == b'\n').count().saturating_sub(1)
}

/// Starts the work and waits until the journal has this many records.
#[track_caller]
fn started(folder: &Folder, records_wanted: usize) -> Child {
    let mut command = folder.command(&format!("{WORK} --threads 1"));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let start = Instant::now();
    while records(folder) < records_wanted {
        assert!(child.try_wait().unwrap().is_none(), "finished before {records_wanted} records were seen");
        assert!(start.elapsed() < Duration::from_secs(30), "no records");
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

#[track_caller]
fn finishes_as(folder: &Folder, whole: &[u8], at_least: u64) {
    let done = folder.ok(&format!("{WORK} --json")).json();
    assert!(done["tiles_resumed"].as_u64().unwrap() >= at_least, "{done}");
    assert!(folder.read("K.npy") == whole, "resumed work gives other bytes");
    assert!(!folder.has("K.npy.partial") && !folder.has("K.npy.journal"));
}

#[test]
fn killed_interrupted_and_resumed() {
    let folder = folder();
    folder.ok(&format!("{WORK} --threads 1"));
    let whole = folder.read("K.npy");
    for threads in [2, 3] {
        folder.ok(&format!("{WORK} --threads {threads}"));
        assert!(folder.read("K.npy") == whole, "{threads} threads give other bytes");
    }
    std::fs::remove_file(folder.path("K.npy")).unwrap();

    for wanted in [1, 4, 8] {
        let mut child = started(&folder, wanted);
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().code(), None);
        assert!(folder.has("K.npy.partial") && !folder.has("K.npy"));
        finishes_as(&folder, &whole, wanted as u64);
        std::fs::remove_file(folder.path("K.npy")).unwrap();
    }

    // Ctrl-C stops cleanly and keeps finished tiles.
    let child = started(&folder, 2);
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::INT).unwrap();
    let asked = Instant::now();
    let run = Run::from(child.wait_with_output().unwrap());
    assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
    assert_eq!(run.code, Some(130), "{}", run.err);
    assert!(run.err.contains("E_INTERRUPTED"), "{}", run.err);

    // Other work is refused and the unfinished files are not changed.
    let (partial, journal) = (folder.read("K.npy.partial"), folder.read("K.npy.journal"));
    let refused = folder.run(&format!("{OTHER} -q"));
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.err.starts_with("K.npy.journal E_RESUME unfinished work: its kernel is "),
        "{}",
        refused.err
    );
    assert!(refused.err.contains("\n  hint: ") && refused.err.contains("--fresh"), "{}", refused.err);
    assert!(folder.read("K.npy.partial") == partial && folder.read("K.npy.journal") == journal);
    finishes_as(&folder, &whole, 2);

    // The old matrix stays until the new one is complete; --fresh starts over.
    let mut child = started(&folder, 2);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(folder.read("K.npy") == whole);
    let fresh = folder.ok(&format!("{OTHER} --fresh --json")).json();
    assert_eq!(fresh["tiles_resumed"], 0);
    assert!(folder.read("K.npy") != whole);
    assert!(!folder.has("K.npy.partial") && !folder.has("K.npy.journal"));
}

#[test]
fn two_at_once() {
    let folder = folder();
    let child = started(&folder, 1);
    // Paused, so that the others find it running however long they take to start.
    kill_process(Pid::from_child(&child), Signal::STOP).unwrap();
    for more in ["", " --fresh"] {
        let second = folder.run(&format!("{WORK} -q{more}"));
        assert_eq!(second.code, Some(2), "{}", second.err);
        let expected = "K.npy.partial E_RESUME unfinished work: another process is writing it now";
        assert!(second.err.starts_with(expected), "{}", second.err);
    }
    kill_process(Pid::from_child(&child), Signal::CONT).unwrap();
    let first = Run::from(child.wait_with_output().unwrap());
    assert_eq!(first.code, Some(0), "{}", first.err);
    let bytes = folder.read("K.npy");
    folder.ok(WORK);
    assert!(folder.read("K.npy") == bytes);
}

#[test]
fn a_torn_or_foreign_journal() {
    let folder = folder();
    let mut child = started(&folder, 3);
    child.kill().unwrap();
    child.wait().unwrap();
    let mut journal = folder.read("K.npy.journal");
    journal.truncate(journal.len() - 5);
    folder.write("K.npy.journal", &journal);
    let done = folder.ok(&format!("{WORK} --json")).json();
    assert!(done["tiles_resumed"].as_u64().unwrap() >= 2, "{done}");
    let bytes = folder.read("K.npy");
    folder.ok(&format!("{WORK} --fresh"));
    assert!(folder.read("K.npy") == bytes);

    folder.write("K.npy.partial", "something");
    folder.write("K.npy.journal", "no journal\n");
    assert!(folder.run(WORK).err.contains("E_RESUME"));
    assert_eq!(folder.read("K.npy.journal"), b"no journal\n");
    folder.ok(&format!("{WORK} --fresh"));
    assert!(folder.read("K.npy") == bytes);
}

#[test]
fn unwritable_folders() {
    let folder = Folder::new();
    folder.write("a.csv", "a\n1\n2\n");
    folder.write("file", "");
    for output in ["none/K.npy", "none/K.csv", "file/K.npy", "/proc/K.npy", "/proc/K.csv"] {
        let run = folder.run(&format!("gram a.csv -k linear -o {output} -q"));
        assert_eq!(run.code, Some(1), "{output}: {}", run.err);
        assert!(run.err.contains(" E_IO_WRITE "), "{}", run.err);
    }
    let run = folder.run("map a.csv -k linear -o none/phi.csv -q");
    assert_eq!(run.code, Some(1));
    assert!(run.err.starts_with("none/phi.csv E_IO_WRITE "), "{}", run.err);
}

/// A file system of one megabyte, unmounted when dropped.
#[cfg(target_os = "linux")]
struct SmallDisk(std::path::PathBuf);

#[cfg(target_os = "linux")]
impl SmallDisk {
    fn mount(at: std::path::PathBuf) -> Option<Self> {
        std::fs::create_dir(&at).unwrap();
        let mut mount = std::process::Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=1m", "mercer-test"]).arg(&at).stderr(Stdio::null());
        mount.status().is_ok_and(|s| s.success()).then_some(SmallDisk(at))
    }
}

#[cfg(target_os = "linux")]
impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(&self.0).status();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let folder = Folder::new();
    let rows: String = (0..600).map(|i| format!("{}.123456789012\n", i)).collect();
    folder.write("a.csv", format!("a\n{rows}"));
    let Some(_disk) = SmallDisk::mount(folder.path("disk")) else {
        println!("skipped: a small file system cannot be mounted here");
        return;
    };
    for (output, code) in [("disk/K.npy", "E_MEMORY_PLAN"), ("disk/K.csv", "E_IO_WRITE")] {
        folder.write(output, "the old one");
        let run = folder.run(&format!("gram a.csv -k linear -o {output} -q"));
        assert!(matches!(run.code, Some(1 | 2)), "{:?}", run.code);
        assert!(run.err.contains(code), "{}", run.err);
        assert_eq!(folder.read(output), b"the old one");
        for ending in ["partial", "journal"] {
            assert!(!folder.has(&format!("{output}.{ending}")), "{output}.{ending} is left");
        }
    }
}
