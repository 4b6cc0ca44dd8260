//! Short and full forms of tests, and the figures they measured.

use std::cell::Cell;
use std::fs::OpenOptions;
use std::io::Write;

use serde_json::{Value, json};

use crate::run::{Folder, Run};

/// Whether tests are to run in full: `MERCER_TRUST` is `full`.
pub(crate) fn full() -> bool {
    std::env::var_os("MERCER_TRUST").is_some_and(|form| form == "full")
}

/// Appends what a test measured to the file that `MERCER_TRUST_FIGURES` names, if it names one.
pub(crate) fn measured(promise: &str, figures: &Value) {
    let Some(path) = std::env::var_os("MERCER_TRUST_FIGURES") else { return };
    // Tests run on threads that have their names.
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // One write, so that lines of tests that end together stay whole.
    let line = format!("{}\n", json!({ "promise": promise, "test": test, "figures": figures }));
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(line.as_bytes()).unwrap();
}

/// Says plainly that a test could not be done here.
pub(crate) fn skipped(promise: &str, reason: &str) {
    println!("skipped: {reason}");
    measured(promise, &json!({ "skipped": reason }));
}

/// A row of the list of bad inputs, with the number of variants that were tried.
pub(crate) struct Row {
    number: u32,
    tried: Cell<u32>,
}

impl Row {
    pub(crate) fn new(number: u32) -> Self {
        Row { number, tried: Cell::new(0) }
    }

    /// Counts a variant that the caller checks itself.
    pub(crate) fn tried(&self) {
        self.tried.set(self.tried.get() + 1);
    }

    /// Counts a variant that must be refused with this beginning of a message: quickly, within twice its files and 256 MB of
    /// memory, leaving nothing behind.
    #[track_caller]
    pub(crate) fn refused(&self, folder: &Folder, args: &str, expected: &str) -> Run {
        self.tried();
        let run = folder.refused_within(256 + ((2 * folder.bytes()) >> 20), args, expected);
        let line = run.err.lines().next().unwrap_or_default();
        let code = line.split(' ').find(|word| word.starts_with("E_")).unwrap_or_default();
        let (place, reason) = line.split_once(code).unwrap_or_default();
        assert!(!code.is_empty() && !reason.trim().is_empty(), "{args}: {line}");
        assert!(!place.trim().contains(' '), "{args}: more than a place before the code: {line}");
        run
    }

    /// A file whose Gram matrix must be refused so.
    #[track_caller]
    pub(crate) fn bad(&self, name: &str, content: impl AsRef<[u8]>, expected: &str) -> Run {
        let folder = Folder::new();
        folder.write(name, content);
        self.refused(&folder, &format!("gram {name} -k linear -o K.npy -q"), expected)
    }

    /// The same with options, and a hint that says this.
    #[track_caller]
    pub(crate) fn hinted(&self, name: &str, content: &str, more: &str, expected: &str, hint: &str) {
        let folder = Folder::new();
        folder.write(name, content);
        let run = self.refused(&folder, &format!("gram {name} -k linear -o K.npy -q {more}"), expected);
        let found = run.err.lines().find_map(|l| l.strip_prefix("  hint: ")).unwrap_or_default();
        assert!(found.contains(hint), "{}", run.err);
    }

    /// The bytes of the Gram matrix of a file that must be accepted.
    #[track_caller]
    pub(crate) fn gram(&self, name: &str, content: impl AsRef<[u8]>, more: &str) -> Vec<u8> {
        self.tried();
        let folder = Folder::new();
        folder.write(name, content);
        folder.ok(&format!("gram {name} -k linear -o K.npy -q {more}"));
        folder.read("K.npy")
    }
}

impl Drop for Row {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert!(self.tried.get() > 0, "row {}: nothing was tried", self.number);
            measured("bad-inputs", &json!({ "row": self.number, "variants": self.tried.get() }));
        }
    }
}
