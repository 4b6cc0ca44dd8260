//! Runs the installed tests of other projects with the classes and functions of mercer in place of theirs.
//!
//! The suites, the replaced names and the tests expected to fail are in `python/outside/`.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::Instant;

use serde_json::Value;

use crate::python::{self, target};
use crate::{Outcome, cargo, root};

/// The suites of two parallel processes, chosen so that both take about the same time.
const PROCESSES: [&[&str]; 2] = [
    &["svm", "svm-sparse", "kernel-ridge", "kernel-pca", "neighbors", "grakel"],
    &["check-estimator", "aeon"],
];

/// Builds the package and runs the named suites, or all.
pub(crate) fn run(words: &[String]) -> Outcome<()> {
    let known: Vec<&str> = PROCESSES.concat();
    if let Some(unknown) = words.iter().find(|w| !known.contains(&w.as_str())) {
        return Err(format!("unknown suite: {unknown}; known are {}", known.join(" ")));
    }
    let python = python::prepare()?;
    python::check(cargo().args(["build", "--workspace", "--lib", "--bins", "--tests"]))?;
    python::put(&python, "debug")?;
    test(&python, words)
}

/// Runs suites with the package already in the environment, and prints the results.
pub(crate) fn test(python: &Path, words: &[String]) -> Outcome<()> {
    let start = Instant::now();
    let mut running = Vec::new();
    for (number, suites) in PROCESSES.iter().enumerate() {
        let wanted = |s: &&&str| words.is_empty() || words.iter().any(|w| w == **s);
        let suites: Vec<&str> = suites.iter().filter(wanted).copied().collect();
        if !suites.is_empty() {
            running.push(begin(python, number, suites)?);
        }
    }
    let mut reports = Vec::new();
    let mut broken = Vec::new();
    for one in running {
        match one.end() {
            Ok(report) => reports.push(report),
            Err(reason) => broken.push(reason),
        }
    }
    let failed = show(&reports);
    println!("{:.0} s", start.elapsed().as_secs_f64());
    match (broken.is_empty(), failed) {
        (true, 0) => Ok(()),
        (true, failed) => {
            Err(format!("{failed} tests failed unexpectedly, or passed although expected to fail"))
        }
        (false, _) => Err(broken.join("; ")),
    }
}

/// A pytest process over some suites.
struct Running {
    child: Child,
    suites: String,
    report: PathBuf,
    log: PathBuf,
}

fn begin(python: &Path, number: usize, suites: Vec<&str>) -> Outcome<Running> {
    let folder = target().join("outside");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let (report, log) = (folder.join(format!("{number}.json")), folder.join(format!("{number}.log")));
    let _ = std::fs::remove_file(&report);
    let written = std::fs::File::create(&log).map_err(|e| format!("{}: {e}", log.display()))?;
    let copy = written.try_clone().map_err(|e| format!("{}: {e}", log.display()))?;
    let mut command = Command::new(python);
    command.arg(root().join("python/outside/run.py")).arg(&report).args(&suites).current_dir(root());
    command.stdout(written).stderr(copy);
    let child = command.spawn().map_err(|e| format!("{} could not be started: {e}", python.display()))?;
    Ok(Running { child, suites: suites.join(" "), report, log })
}

impl Running {
    /// The report of the process after it has ended. Its output is shown if something went wrong.
    fn end(mut self) -> Outcome<Value> {
        let status = self.child.wait().map_err(|e| format!("{}: {e}", self.suites))?;
        let output = std::fs::read_to_string(&self.log).unwrap_or_default();
        output
            .lines()
            .filter(|line| line.contains("not installed, left out"))
            .for_each(|line| println!("{line}"));
        if !status.success() {
            println!("{output}");
        }
        let text = std::fs::read_to_string(&self.report)
            .map_err(|e| format!("{}: ended with {status} and no report ({e})", self.suites))?;
        serde_json::from_str(&text).map_err(|e| format!("{}: {e}", self.report.display()))
    }
}

/// Prints the table of suites and the reasons of deviations; returns the number of unexpected results.
fn show(reports: &[Value]) -> u64 {
    println!(
        "\n{:16} {:>8} {:>20} {:>8} {:>8} {:>8}",
        "suite", "passed", "expected deviations", "failed", "skipped", "seconds"
    );
    let mut failed = 0;
    for report in reports {
        for (suite, counts) in report["suites"].as_object().into_iter().flatten() {
            let count = |name: &str| counts[name].as_u64().unwrap_or(0);
            println!(
                "{suite:16} {:8} {:20} {:8} {:8} {:8.0}",
                count("passed"),
                count("deviations"),
                count("failed"),
                count("skipped"),
                counts["seconds"].as_f64().unwrap_or(0.0)
            );
            failed += count("failed");
        }
    }
    for note in reports.iter().filter_map(|r| r["notes"].as_array()).flatten().filter_map(Value::as_str) {
        println!("{note}");
    }
    let mut reasons: Vec<(u64, &String)> = Vec::new();
    for (reason, count) in reports.iter().filter_map(|r| r["reasons"].as_object()).flatten() {
        let count = count.as_u64().unwrap_or(0);
        match reasons.iter_mut().find(|r| r.1 == reason) {
            Some(known) => known.0 += count,
            None => reasons.push((count, reason)),
        }
    }
    reasons.sort_by(|a, b| b.cmp(a));
    println!("\nexpected deviations, by reason (python/outside/deviations.txt)");
    reasons.iter().for_each(|(count, reason)| println!("{count:6}  {reason}"));
    for entry in reports.iter().filter_map(|r| r["unused"].as_array()).flatten() {
        println!("this entry of deviations.txt matches no test: {entry}");
        failed += 1;
    }
    failed
}
