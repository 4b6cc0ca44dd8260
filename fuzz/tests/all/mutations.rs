//! The driver without instrumentation: a fixed number of mutations of each target's corpus.

use std::fs::File;
use std::io::{Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Duration;

use mercer_fuzz::mutate::Mutations;
use mercer_fuzz::{MOST_TIME, TARGETS, Target, corpus, folder, within, words, worked};
use serde_json::json;

use crate::alone;
use crate::trust::{full, measured};

/// The factor of the number of inputs in the full form.
const MORE: usize = 12;
/// Maximum number of failing inputs kept; the rest is probably similar.
const MOST_KEPT: usize = 5;

/// Counts of a target's runs.
#[derive(Default)]
struct Tally {
    runs: usize,
    faults: Vec<String>,
    slowest: Duration,
    largest: usize,
}

impl Tally {
    fn run(&mut self, target: &Target, bytes: &[u8], last: &mut File) {
        // An input that ends the process is found in this file, which stays open because closing files is slow.
        last.set_len(bytes.len() as u64)
            .and_then(|()| last.rewind())
            .and_then(|()| last.write_all(bytes))
            .unwrap();
        let mut fault = None;
        let mut spent = within(|| fault = broken(target, bytes));
        // A busy computer is slow sometimes; a slow input is slow every time.
        for _ in 0..2 {
            if fault.is_none() && spent.time > MOST_TIME {
                let before = worked();
                let again = within(|| fault = broken(target, bytes)).time;
                let own =
                    worked().zip(before).map_or(again, |(now, before)| again.min(now.saturating_sub(before)));
                spent.time = spent.time.min(own);
            }
        }
        if spent.time > MOST_TIME {
            fault.get_or_insert(format!("took {:?}", spent.time));
        }
        self.runs += 1;
        self.slowest = self.slowest.max(spent.time);
        self.largest = self.largest.max(spent.bytes);
        if let Some(reason) = fault
            && self.faults.len() < MOST_KEPT
        {
            let kept = keep(target.name, bytes);
            self.faults.push(format!("{reason}\n  {} bytes in {}", bytes.len(), kept.display()));
        }
    }
}

/// A description of the failure.
fn broken(target: &Target, bytes: &[u8]) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(|| (target.run)(bytes))).err()?;
    let words = panic.downcast_ref::<String>().cloned();
    Some(words.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned())).unwrap_or_default())
}

/// Saves an input among the crashes, named by the hash of its content.
fn keep(target: &str, bytes: &[u8]) -> PathBuf {
    let crashes = folder().join("crashes");
    std::fs::create_dir_all(&crashes).unwrap();
    let path = crashes.join(format!("{target}-{:016x}", xxhash_rust::xxh3::xxh3_64(bytes)));
    std::fs::write(&path, bytes).unwrap();
    path
}

fn drive(name: &str) {
    let _one = alone();
    let target = mercer_fuzz::find(name).unwrap();
    let (corpus, words) = (corpus(name), words(name));
    assert!(!corpus.is_empty(), "no inputs in corpus/{name}");
    let last = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{name}.last"));
    let mut last = File::create(last).unwrap();
    let mut tally = Tally::default();
    // Initialisation that is done once, such as loading models for requests, does not count.
    (target.run)(&corpus[0]);
    corpus.iter().for_each(|bytes| tally.run(target, bytes, &mut last));
    let mut mutations = Mutations::new(0x6d65_7263_6572, &corpus, &words);
    for _ in 0..target.runs * if full() { MORE } else { 1 } {
        tally.run(target, &mutations.next_input(), &mut last);
    }
    let figures = json!({
        "target": name, "runs": tally.runs, "crashes": tally.faults.len(),
        "slowest_ms": (tally.slowest.as_secs_f64() * 1e3).ceil(), "largest_kb": tally.largest.div_ceil(1000),
    });
    measured("fuzz", &format!("mutations::{}", name.replace('-', "_")), &figures);
    println!("{figures}");
    assert!(tally.faults.is_empty(), "{name}:\n{}", tally.faults.join("\n"));
}

macro_rules! targets {
    ($($test:ident = $name:literal),* $(,)?) => {
        $(#[test]
        fn $test() {
            drive($name);
        })*

        /// Every listed target has a test.
        #[test]
        fn every_target_has_a_test() {
            let tested = [$($name),*];
            assert!(TARGETS.iter().all(|t| tested.contains(&t.name)) && tested.len() == TARGETS.len());
        }
    };
}

targets!(
    arff = "arff",
    arrow = "arrow",
    csv = "csv",
    edges = "edges",
    expression = "expression",
    fasta = "fasta",
    files = "folder",
    gml = "gml",
    gram_journal = "gram-journal",
    graphml = "graphml",
    images = "images",
    json = "json",
    learner = "learner",
    libsvm = "libsvm",
    libsvm_model = "libsvm-model",
    manifest = "manifest",
    model = "model",
    model_sealed = "model-sealed",
    nodes = "nodes",
    npy = "npy",
    npz = "npz",
    packed = "packed",
    parquet = "parquet",
    request = "request",
    sdf = "sdf",
    search_journal = "search-journal",
    sheets = "sheets",
    smiles = "smiles",
    sniffed = "sniffed",
    sqlite = "sqlite",
    ts = "ts",
    tu = "tu",
    ucr = "ucr",
);
