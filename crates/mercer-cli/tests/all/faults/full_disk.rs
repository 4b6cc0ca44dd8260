//! A full disk at every write: the old file stays, the error says so, and no files are left over.

use std::io::Write;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::json;

use super::folder;
use crate::run::{Folder, Run};
use crate::trust::{full, measured, skipped};

/// Runs the program with a limit on the size of files, which needs no privileges: a write beyond it fails like one to a
/// full disk.
fn limited(folder: &Folder, bytes: u64, args: &str) -> Run {
    let mut shell = Command::new("sh");
    // The shell waits for its limit. The signal is ignored, because a full disk does not send one.
    let script = "read go && trap '' XFSZ && exec \"$@\" < /dev/null";
    shell.args(["-c", script, "sh", env!("CARGO_BIN_EXE_mercer")]);
    let mut command = folder.set_up(shell, args);
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    let limit = Rlimit { current: Some(bytes), maximum: Some(bytes) };
    prlimit(Some(Pid::from_child(&child)), Resource::Fsize, limit).unwrap();
    child.stdin.take().unwrap().write_all(b"go\n").unwrap();
    Run::finished(child)
}

/// File sizes from zero to one byte too few.
fn sizes(whole: u64) -> Vec<u64> {
    let steps = if full() { 24 } else { 3 };
    let mut all: Vec<u64> = (0..steps).map(|i| whole * i / steps).chain([1, whole - 1]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// A folder with data, a model, and the document of a run.
fn prepared() -> Folder {
    let folder = folder(60, 2);
    folder.ok("fit a.csv -k rbf(gamma=1) -l svc -o model.mercer -q");
    folder.ok("evaluate a.csv -k rbf(gamma=1) -l svc --protocol 2-fold --report run.json -q");
    folder.write("a.libsvm", "1 1:2 3:-1\n-1 2:1\n1 1:3\n-1 2:4 3:1\n");
    folder.ok("fit a.libsvm -k linear -l svc -o sparse.mercer -q");
    folder
}

#[test]
fn no_room_for_any_output() {
    let folder = prepared();
    let (mut tried, mut kinds) = (0, 0);
    for (args, name) in [
        ("gram a.csv -k linear -o K.npy", "K.npy"),
        ("gram a.csv -k linear --f32 -o L.npy", "L.npy"),
        ("gram a.csv -k linear -o K.csv", "K.csv"),
        ("map a.csv -k linear -o phi.npy", "phi.npy"),
        ("fit a.csv -k rbf(gamma=1) -l svc -o m.mercer", "m.mercer"),
        ("convert sparse.mercer -o m.model", "m.model"),
        ("predict model.mercer a.csv --decisions -o p.csv", "p.csv"),
        ("predict model.mercer a.csv --decisions -o p.json", "p.json"),
        ("report run.json -o page.html", "page.html"),
    ] {
        kinds += 1;
        folder.ok(&format!("{args} -q"));
        let new = folder.read(name);
        let old = b"the old one";
        folder.write(name, old);
        let before = folder.listing();
        for bytes in sizes(new.len() as u64) {
            tried += 1;
            let run = limited(&folder, bytes, &format!("{args} -q"));
            let told = format!("{args} within {bytes} of {} bytes: {}", new.len(), run.err);
            assert_eq!(run.code, Some(1), "{told}");
            assert!(run.err.contains(" E_IO_WRITE "), "{told}");
            assert!(folder.read(name) == old, "{told}: the old file is gone");
            assert_eq!(folder.listing(), before, "{told}: something is left");
        }
        folder.ok(&format!("{args} -q"));
        assert!(folder.read(name) == new, "{args}: other bytes after all");
    }
    measured("full-disk", &json!({ "outputs": kinds, "sizes tried": tried, "old files kept": tried }));
}

/// Reports contain the duration of their run, so their sizes differ by a byte or two.
#[test]
fn no_room_for_reports_and_plots() {
    let folder = prepared();
    let mut tried = 0;
    let work = "evaluate a.csv -k rbf(gamma=1) -l svc --protocol 2-fold -q";
    for name in ["r.html", "r.json"] {
        let args = format!("{work} --report {name}");
        folder.ok(&args);
        let whole = folder.read(name).len() as u64;
        folder.write(name, "the old one");
        let before = folder.listing();
        for bytes in sizes(whole * 9 / 10) {
            tried += 1;
            let run = limited(&folder, bytes, &args);
            assert_eq!(run.code, Some(1), "{args} within {bytes}: {}", run.err);
            assert!(run.err.contains(&format!("{name} E_IO_WRITE ")), "{}", run.err);
            assert_eq!(folder.read(name), b"the old one");
            assert_eq!(folder.listing(), before, "{args} within {bytes}: something is left");
        }
    }
    let run = limited(&folder, 100, "report run.json -o r.html --plots plots -q");
    assert!(run.code == Some(1) && run.err.contains(" E_IO_WRITE "), "{}", run.err);
    folder.ok(&format!("{work} --plots plots"));
    let before = folder.listing();
    let run = limited(&folder, 1000, &format!("{work} --plots plots"));
    assert!(run.code == Some(1) && run.err.contains(" E_IO_WRITE "), "{}", run.err);
    assert_eq!(folder.listing(), before);
    measured("full-disk", &json!({ "outputs": 3, "sizes tried": tried + 2, "old files kept": tried + 1 }));
}

#[test]
fn no_room_for_the_journal_of_a_search() {
    let folder = folder(60, 2);
    let work =
        "evaluate a.csv -k rbf(gamma=[0.1,1,10]) -l svc(C=[1,10]) --protocol 3-fold --inner 3-fold --json";
    let whole = folder.ok(work).out;
    folder.ok(&format!("{work} --journal j"));
    let bytes = folder.read("j").len() as u64;
    std::fs::remove_file(folder.path("j")).unwrap();
    let mut tried = 0;
    for size in sizes(bytes) {
        tried += 1;
        let run = limited(&folder, size, &format!("{work} --journal j"));
        assert_eq!(run.code, Some(1), "within {size} of {bytes} bytes: {}", run.out);
        assert_eq!(run.json()["error"]["code"], "E_IO_WRITE", "{}", run.out);
        assert!(folder.read("j").len() as u64 <= size);
        // The run resumes from the journal, and the result is the same.
        let kept = folder.read("j");
        let run = folder.ok(&format!("{work} --journal j"));
        assert!(run.out == whole, "within {size} bytes: another result");
        let lines = kept.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        assert!(folder.read("j").starts_with(&kept[..lines]), "within {size} bytes: notes were lost");
        std::fs::remove_file(folder.path("j")).unwrap();
    }
    measured("full-disk", &json!({ "outputs": 1, "sizes tried": tried, "gone on with": tried }));
}

/// A file system of limited size, unmounted when dropped.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    fn mount(at: std::path::PathBuf, bytes: u64) -> Option<Self> {
        std::fs::create_dir(&at).unwrap();
        let disk = SmallDisk(at);
        disk.mounted(&format!("size={bytes}")).then_some(disk)
    }

    fn mounted(&self, options: &str) -> bool {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "mercer-test"]).arg(&self.0).stderr(Stdio::null());
        mount.status().is_ok_and(|s| s.success())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).stderr(Stdio::null()).status();
    }
}

/// A collection `D` with enough graphs for a journal of more than one page.
fn graphs(folder: &Folder, count: usize) {
    std::fs::create_dir(folder.path("D")).unwrap();
    let (mut edges, mut owner, mut labels, mut classes) =
        (String::new(), String::new(), String::new(), String::new());
    for g in 0..count {
        for i in 0..3 {
            let at = 3 * g + i + 1;
            owner += &format!("{}\n", g + 1);
            labels += &format!("{}\n", (g * 7 + i * 5) % 3);
            if i > 0 {
                edges += &format!("{at}, {}\n{}, {at}\n", at - 1, at - 1);
            }
        }
        classes += &format!("{}\n", g % 2);
    }
    for (name, text) in
        [("A", edges), ("graph_indicator", owner), ("node_labels", labels), ("graph_labels", classes)]
    {
        folder.write(&format!("D/D_{name}.txt"), text);
    }
}

/// A real file system that is full: before the work, during it, and for files written at once.
#[test]
fn a_small_file_system() {
    let folder = Folder::new();
    graphs(&folder, 400);
    let work = "gram D -k random-walk(steps=2) -q";
    folder.ok(&format!("{work} -o K.npy"));
    let whole = folder.read("K.npy");
    let page = 4096;
    // Room for the matrix and one page of its journal: 325 records and a first line take more.
    let Some(disk) =
        SmallDisk::mount(folder.path("disk"), whole.len().next_multiple_of(page) as u64 + page as u64)
    else {
        skipped("full-disk", "a small file system can be mounted by root alone");
        return;
    };
    let run = folder.run(&format!("{work} -o disk/K.npy"));
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(run.err.starts_with("disk/K.npy.journal E_IO_WRITE No space left"), "{}", run.err);
    assert!(folder.has("disk/K.npy.partial") && !folder.has("disk/K.npy"));
    assert!(disk.mounted("remount,size=8m"));
    let done = folder.ok(&format!("{work} -o disk/K.npy --json")).json();
    assert_eq!(done["tiles"], 325);
    let resumed = done["tiles_resumed"].as_u64().unwrap();
    assert!(resumed > 40 && resumed < 325, "{done}");
    assert!(folder.read("disk/K.npy") == whole);
    drop(disk);

    // Steps of a page below what each output takes.
    folder.write("a.csv", super::table(300, 2));
    let mut tried = 0;
    for (args, code) in [
        ("gram a.csv -k linear -q -o disk/K.npy", "E_MEMORY_PLAN"),
        ("gram a.csv -k linear -q -o disk/K.csv", "E_IO_WRITE"),
        ("fit a.csv -k rbf(gamma=1) -l svc -q -o disk/m.mercer", "E_IO_WRITE"),
    ] {
        let name = args.rsplit(' ').next().unwrap();
        let _ = std::fs::remove_dir(folder.path("disk"));
        let disk = SmallDisk::mount(folder.path("disk"), 8 << 20).unwrap();
        folder.ok(args);
        let whole = folder.read(name).len();
        let steps = if full() { 12 } else { 2 };
        for step in 0..steps {
            tried += 1;
            // The old file takes a page of its own.
            let room = (whole * step / steps).next_multiple_of(page).max(page);
            folder.write(name, "the old one");
            assert!(disk.mounted(&format!("remount,size={}", room.min(whole / page * page) + page)));
            if room + page > whole {
                continue;
            }
            let run = folder.run(args);
            assert!(matches!(run.code, Some(1 | 2)), "{args}: {:?} {}", run.code, run.err);
            assert!(run.err.contains(code), "{args}: {}", run.err);
            assert_eq!(folder.read(name), b"the old one");
            let left = std::fs::read_dir(folder.path("disk")).unwrap().count();
            assert_eq!(left, 1, "{args}: something is left");
        }
    }
    measured("full-disk", &json!({ "small file systems": tried + 1, "tiles gone on with": resumed }));
}
