//! Runs all reliability tests in full, and writes the page with their results.

mod inputs;
mod page;
mod promises;

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use serde_json::Value;

use crate::{Outcome, cargo, python, root};

/// Modules of the integration tests that check promises.
const MODULES: [&str; 13] = [
    "bad_inputs::",
    "faults::",
    "determinism::",
    "differential::",
    "metamorphic::",
    "models::",
    "laws::",
    "resume::",
    "allocation::",
    "mutations::",
    "serve_limits::",
    "serve_rules::",
    "soak::",
];

/// Number of random problems compared with LIBSVM.
const LIBSVM: &str = "20000";

/// Number of random calls of the Python package.
const PYTHON_CALLS: &str = "2000000";

/// The figures of a test.
pub(crate) struct Line {
    promise: String,
    test: String,
    figures: Vec<(String, Value)>,
}

/// The duration of a step.
struct Took {
    step: String,
    seconds: f64,
}

/// `cargo xtask trust`.
pub(crate) fn run(words: &[String]) -> Outcome<()> {
    let (mut only, mut minutes) = (None, None);
    for pair in words.chunks(2) {
        match pair {
            [flag, word] if flag == "--only" => only = Some(word.as_str()),
            [flag, number] if flag == "--minutes" && number.parse::<f64>().is_ok_and(|m| m > 0.0) => {
                minutes = Some(number.as_str());
            }
            _ => return Err("the options are --only WORD and --minutes N (of the server soak test)".into()),
        }
    }
    let wanted = |name: &str| only.is_none_or(|word| name.contains(word));
    let modules: Vec<&str> = MODULES.into_iter().filter(|name| wanted(name)).collect();
    if modules.is_empty() && !["libsvm", "python", "fuzz", "supply"].into_iter().any(wanted) {
        return Err(format!("no such part; known are {} libsvm python fuzz supply", MODULES.join(" ")));
    }
    // The builds below replace this program, so get its path before them.
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let figures = root().join("target").join("trust-figures.jsonl");
    if figures.exists() {
        std::fs::remove_file(&figures).map_err(|e| format!("{}: {e}", figures.display()))?;
    }
    let mut took = Vec::new();
    let mut failed = Vec::new();
    let mut step = |name: &str, mut command: Command| {
        println!("\n=== {name}");
        let started = Instant::now();
        command.env("MERCER_TRUST", "full").env("MERCER_TRUST_FIGURES", &figures);
        command.envs(minutes.map(|m| ("MERCER_SOAK_MINUTES", m)));
        let good = command.status().is_ok_and(|status| status.success());
        took.push(Took { step: name.to_owned(), seconds: started.elapsed().as_secs_f64() });
        if !good {
            failed.push(name.to_owned());
        }
    };
    if !modules.is_empty() {
        let mut build = cargo();
        build.args(["test", "--workspace", "--test", "all", "--no-run"]);
        step("building the tests", build);
        let mut tests = cargo();
        // Report all failures, not only the first.
        tests.args(["test", "--workspace", "--test", "all", "--no-fail-fast", "--"]).args(&modules);
        step("tests in full", tests);
    }
    if wanted("libsvm") || wanted("python") {
        let mut build = cargo();
        build.args(["build", "--workspace", "--lib", "--bins"]);
        step("building the Python package", build);
        let interpreter = python::prepare()?;
        python::put(&interpreter, "debug")?;
        if wanted("libsvm") {
            let mut tests = Command::new(&interpreter);
            tests.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "python/tests/test_libsvm.py"]);
            tests.current_dir(root()).env("MERCER_LIBSVM", LIBSVM);
            step("comparison with LIBSVM", tests);
        }
        if wanted("python") {
            let mut calls = Command::new(&interpreter);
            calls.args(["python/tests/random_calls.py", "--seed", "1", "--calls", PYTHON_CALLS]);
            calls.current_dir(root());
            step("random Python calls", calls);
        }
    }
    for (name, arguments) in [("fuzz", &["--minutes", "3"][..]), ("supply", &[])] {
        if wanted(name) {
            // A separate process, because the environment determines where its figures go.
            let mut command = Command::new(&own);
            command.arg(name).args(arguments).current_dir(root());
            step(name, command);
        }
    }
    println!("\n=== summary");
    took.iter().for_each(|t| println!("{:24} {:7.1} s", t.step, t.seconds));
    let lines = read(&figures)?;
    promises::check(&lines)?;
    if !failed.is_empty() {
        return Err(format!("failed: {}; nothing was written", failed.join(", ")));
    }
    if only.is_some() {
        lines.iter().for_each(|line| println!("{} ({}): {}", line.promise, line.test, page::figures(line)));
        return Ok(());
    }
    let path = root().join("docs").join("reliability.md");
    let text = page::render(&lines, &took)?;
    std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    println!("wrote docs/reliability.md");
    Ok(())
}

/// Reads the figures written by the tests.
fn read(path: &PathBuf) -> Outcome<Vec<Line>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(format!("{}: {e}", path.display())),
    };
    let line = |text: &str| {
        let value: Value = serde_json::from_str(text).ok()?;
        Some(Line {
            promise: value["promise"].as_str()?.to_owned(),
            test: value["test"].as_str()?.to_owned(),
            figures: value["figures"].as_object()?.clone().into_iter().collect(),
        })
    };
    text.lines().map(|l| line(l).ok_or_else(|| format!("figures that cannot be read: {l}"))).collect()
}
