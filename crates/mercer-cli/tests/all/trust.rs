//! Short and full forms of tests, and the figures they measure.

use std::cell::Cell;
use std::fs::OpenOptions;
use std::io::Write;

use serde_json::{Value, json};

use crate::run::{Folder, Run};

/// Whether tests run in full: `MERCER_TRUST` is `full`.
pub(crate) fn full() -> bool {
    std::env::var_os("MERCER_TRUST").is_some_and(|form| form == "full")
}

/// Appends the figures of a test to the file named by `MERCER_TRUST_FIGURES`, if it is set.
pub(crate) fn measured(promise: &str, figures: &Value) {
    let Some(path) = std::env::var_os("MERCER_TRUST_FIGURES") else { return };
    // The thread of a test has its name.
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // A single write, so that lines of concurrent tests are not mixed.
    let line = format!("{}\n", json!({ "promise": promise, "test": test, "figures": figures }));
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(line.as_bytes()).unwrap();
}

/// Reports that a test could not be run here.
pub(crate) fn skipped(promise: &str, reason: &str) {
    println!("skipped: {reason}");
    measured(promise, &json!({ "skipped": reason }));
}

/// A row of the list of bad inputs, with the number of variants that were tried.
pub(crate) struct Row {
    number: u32,
    tried: Cell<u32>,
}

/// By how many megabytes the program under test exceeds a released one, which has 51: code takes address space too.
fn larger() -> u64 {
    std::fs::metadata(env!("CARGO_BIN_EXE_mercer")).map_or(0, |file| (file.len() >> 20).saturating_sub(51))
}

impl Row {
    pub(crate) fn new(number: u32) -> Self {
        Row { number, tried: Cell::new(0) }
    }

    /// Counts a variant that the caller checks itself.
    pub(crate) fn tried(&self) {
        self.tried.set(self.tried.get() + 1);
    }

    /// Counts a variant that must be refused with a message that begins so: quickly, within 256 MB plus twice the size
    /// of its files of memory, leaving no files.
    #[track_caller]
    pub(crate) fn refused(&self, folder: &Folder, args: &str, expected: &str) -> Run {
        self.tried();
        let run = folder.refused_within(256 + larger() + ((2 * folder.bytes()) >> 20), args, expected);
        let line = run.err.lines().next().unwrap_or_default();
        let code = line.split(' ').find(|word| word.starts_with("E_")).unwrap_or_default();
        let (place, reason) = line.split_once(code).unwrap_or_default();
        assert!(!code.is_empty() && !reason.trim().is_empty(), "{args}: {line}");
        assert!(!place.trim().contains(' '), "{args}: more than a place before the code: {line}");
        run
    }

    /// A file whose Gram matrix must be refused with this message.
    #[track_caller]
    pub(crate) fn bad(&self, name: &str, content: impl AsRef<[u8]>, expected: &str) -> Run {
        let folder = Folder::new();
        folder.write(name, content);
        self.refused(&folder, &format!("gram {name} -k linear -o K.npy -q"), expected)
    }

    /// The same with options, and a hint that contains this.
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
