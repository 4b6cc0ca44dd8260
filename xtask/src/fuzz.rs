//! Runs libFuzzer on the targets of `fuzz/`, on stable Rust: the compiler's own passes insert the coverage counters.
//!
//! Inputs with new coverage are kept in `fuzz/corpus`, few and small; failing inputs in `fuzz/crashes`. Without a C++
//! compiler, which only libFuzzer needs, the seeded driver of the tests runs instead.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use serde_json::json;

use crate::supply::{host, measured};
use crate::{Outcome, cargo, root};

/// The flags that instrument the code: branch counters, their positions, and compared values.
const FLAGS: [&str; 6] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cllvm-args=-simplifycfg-branch-fold-threshold=0",
];
/// Maximum bytes and files that a run may add to the corpus of a target.
const MOST_BYTES: usize = 4000;
const MOST_FILES: usize = 12;

/// `cargo xtask fuzz`.
pub(crate) fn run(words: &[String]) -> Outcome<()> {
    let mut minutes = 10.0;
    let mut wanted = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--minutes" {
            let number =
                words.next().and_then(|w| w.parse::<f64>().ok()).filter(|m| *m > 0.0 && m.is_finite());
            minutes = number.ok_or("--minutes takes a positive number")?;
        } else {
            wanted.push(word.clone());
        }
    }
    let known = targets()?;
    if let Some(other) = wanted.iter().find(|w| !known.contains(w)) {
        return Err(format!("unknown target: {other}; known are {}", known.join(", ")));
    }
    let chosen = if wanted.is_empty() { known } else { wanted };
    match build() {
        Ok(program) => drive(&program, &chosen, minutes),
        Err(reason) => {
            println!("{reason}: the seeded driver of the tests runs instead, without a time limit");
            seeded(&chosen)
        }
    }
}

/// The names of all targets: each has a corpus folder.
fn targets() -> Outcome<Vec<String>> {
    let entries = std::fs::read_dir(root().join("fuzz/corpus")).map_err(|e| format!("fuzz/corpus: {e}"))?;
    let mut names: Vec<String> =
        entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    Ok(names)
}

/// The instrumented program, in a separate target folder.
fn build() -> Outcome<PathBuf> {
    let compiler = std::env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let there = Command::new(compiler).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !there.is_ok_and(|s| s.success()) {
        return Err("there is no C++ compiler for libFuzzer".into());
    }
    let host = host()?;
    let folder = root().join("target/fuzz");
    let mut command = cargo();
    // With an explicit target, the flags do not apply to build scripts and macros.
    command.args([
        "build",
        "--profile=fuzz",
        "--package=mercer-fuzz",
        "--features=libfuzzer",
        "--bin=mercer-fuzz",
    ]);
    command.arg("--target").arg(&host).arg("--target-dir").arg(&folder).env("RUSTFLAGS", FLAGS.join(" "));
    if !command.status().is_ok_and(|s| s.success()) {
        return Err("libFuzzer could not be built".into());
    }
    Ok(folder.join(host).join("fuzz/mercer-fuzz"))
}

/// Statistics of a target's run.
struct TargetRun {
    runs: u64,
    reached: u64,
    crashes: usize,
    kept: usize,
}

fn drive(program: &Path, chosen: &[String], minutes: f64) -> Outcome<()> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(chosen.len());
    let seconds = ((minutes * 60.0 * cores as f64 / chosen.len() as f64) as u64).max(1);
    println!("{} targets, {seconds} s each, {cores} at once", chosen.len());
    let left = Mutex::new(chosen.iter().rev().collect::<Vec<_>>());
    let results = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(name) = left.lock().ok().and_then(|mut l| l.pop()) {
                    let result = one(program, name, seconds);
                    if let Ok(ran) = &result {
                        let TargetRun { runs, reached, crashes, kept } = ran;
                        println!("{name:16} {runs:9} inputs  {reached:6} branches  {kept:3} kept  {crashes} crashes");
                    }
                    let _ = results.lock().map(|mut t| t.insert(name.clone(), result));
                }
            });
        }
    });
    let results = results.into_inner().map_err(|e| e.to_string())?;
    let mut faults = Vec::new();
    for (name, result) in results {
        let ran = result.map_err(|e| format!("{name}: {e}"))?;
        let figures = json!({
            "target": name, "driver": "libFuzzer", "seconds": seconds, "runs": ran.runs, "branches": ran.reached,
            "crashes": ran.crashes,
        });
        measured("fuzz", "xtask fuzz", figures)?;
        if ran.crashes > 0 {
            faults.push(format!("{name}: {} inputs in fuzz/crashes", ran.crashes));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

fn one(program: &Path, name: &str, seconds: u64) -> Outcome<TargetRun> {
    let work = root().join("target/fuzz/work").join(name);
    let (found, merged) = (work.join("found"), work.join("merged"));
    let crashes = root().join("fuzz/crashes");
    let kept = root().join("fuzz/corpus").join(name);
    for folder in [&found, &merged, &crashes] {
        std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let before = starting_with(&crashes, &format!("{name}-"));
    let prefix = format!("-artifact_prefix={}/{name}-", crashes.display());
    let mut ran = TargetRun { runs: 0, reached: 0, crashes: 0, kept: 0 };
    let mut fuzz = Command::new(program);
    fuzz.env("MERCER_FUZZ_TARGET", name).arg(&found).arg(&kept).arg(&prefix);
    fuzz.arg(format!("-max_total_time={seconds}"))
        .arg(format!("-dict={}", root().join("fuzz/words").join(name).display()));
    fuzz.args(["-max_len=4096", "-timeout=5", "-rss_limit_mb=2048", "-print_final_stats=1", "-verbosity=1"]);
    let output = fuzz.stdout(Stdio::null()).output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    std::fs::write(work.join("log"), &text).map_err(|e| e.to_string())?;
    for line in text.lines() {
        if let Some(runs) = line.strip_prefix("stat::number_of_executed_units:") {
            ran.runs = runs.trim().parse().unwrap_or(0);
        }
        if let Some(reached) = line.split(" cov: ").nth(1) {
            ran.reached = reached.split(' ').next().and_then(|n| n.parse().ok()).unwrap_or(ran.reached);
        }
    }
    ran.crashes = starting_with(&crashes, &format!("{name}-")) - before;
    if !output.status.success() && ran.crashes == 0 {
        return Err(format!("{}: see {}", output.status, work.join("log").display()));
    }
    let mut merge = Command::new(program);
    merge.env("MERCER_FUZZ_TARGET", name).args(["-merge=1", "-max_len=4096", "-timeout=5"]).arg(&prefix);
    let _ = merge.arg(&merged).arg(&kept).arg(&found).stdout(Stdio::null()).stderr(Stdio::null()).status();
    ran.kept = keep(&merged, &kept)?;
    Ok(ran)
}

fn starting_with(folder: &Path, start: &str) -> usize {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.file_name());
    names.filter(|n| n.to_string_lossy().starts_with(start)).count()
}

/// Copies some of the new inputs, small ones and large ones, within the limits.
fn keep(from: &Path, to: &Path) -> Outcome<usize> {
    let paths = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path());
    let there: Vec<Vec<u8>> = paths(to).filter_map(|p| std::fs::read(p).ok()).collect();
    let mut new: Vec<(usize, PathBuf, Vec<u8>)> = paths(from)
        .filter_map(|path| std::fs::read(&path).ok().map(|content| (content.len(), path, content)))
        .filter(|(len, _, content)| *len <= MOST_BYTES / MOST_FILES && !there.contains(content))
        .collect();
    new.sort_unstable();
    let step = new.len().div_ceil(MOST_FILES).max(1);
    let mut kept = 0;
    for (_, path, content) in new.iter().skip(step - 1).step_by(step) {
        // Names are content hashes; a prefix distinguishes them.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let short: String = name.chars().take(12).collect();
        std::fs::write(to.join(short), content).map_err(|e| e.to_string())?;
        kept += 1;
    }
    Ok(kept)
}

/// The driver of the tests, in its full form.
fn seeded(chosen: &[String]) -> Outcome<()> {
    for name in chosen {
        let test = if name == "folder" { "files".to_owned() } else { name.replace('-', "_") };
        let mut command = cargo();
        command.args(["test", "--package=mercer-fuzz", "--test=all", "--", "--exact", "--nocapture"]);
        command.arg(format!("mutations::{test}")).env("MERCER_TRUST", "full");
        if !command.status().is_ok_and(|s| s.success()) {
            return Err(format!("{name}: see above"));
        }
    }
    Ok(())
}
