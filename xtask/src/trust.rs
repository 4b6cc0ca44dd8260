//! Runs all reliability tests in full, and writes the page with their results.

mod inputs;
mod page;
mod promises;

use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

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

/// The variable with the seed of property tests, and its value in `.cargo/config.toml`.
const SEED: &str = "PROPTEST_RNG_SEED";
const COMMON_SEED: &str = "2013";

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

/// The other parts.
const OTHERS: [&str; 4] = ["libsvm", "python", "fuzz", "supply"];

/// What a run has done so far: it is kept in a file, so that a run can go on with what failed.
#[derive(Default)]
struct Progress {
    /// The parts that were run by `--again`.
    repeated: Vec<String>,
    passed: Vec<String>,
    took: Vec<Took>,
}

impl Progress {
    fn path() -> PathBuf {
        root().join("target").join("trust-progress.json")
    }

    fn read() -> Outcome<Self> {
        let path = Self::path();
        let text = std::fs::read_to_string(&path)
            .map_err(|e| format!("no run to go on with: {}: {e}", path.display()))?;
        let value: Value = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
        let list = |name: &str| value[name].as_array().cloned().unwrap_or_default();
        let names = |name: &str| -> Vec<String> {
            list(name).iter().filter_map(|v| v.as_str().map(str::to_owned)).collect()
        };
        let took = list("took")
            .into_iter()
            .filter_map(|v| Some(Took { step: v[0].as_str()?.to_owned(), seconds: v[1].as_f64()? }));
        Ok(Progress { repeated: names("repeated"), passed: names("passed"), took: took.collect() })
    }

    fn write(&self) -> Outcome<()> {
        let took: Vec<Value> = self.took.iter().map(|t| json!([t.step, t.seconds])).collect();
        let text = json!({ "repeated": self.repeated, "passed": self.passed, "took": took }).to_string();
        std::fs::write(Self::path(), text).map_err(|e| format!("{}: {e}", Self::path().display()))
    }

    /// Runs a command and notes how long it took; gives whether it succeeded.
    fn step(&mut self, name: &str, command: &mut Command) -> bool {
        println!("\n=== {name}");
        let started = Instant::now();
        let good = command.status().is_ok_and(|status| status.success());
        self.took.push(Took { step: name.to_owned(), seconds: started.elapsed().as_secs_f64() });
        good
    }
}

/// `cargo xtask trust`.
pub(crate) fn run(words: &[String]) -> Outcome<()> {
    let (mut only, mut minutes, mut again) = (None, None, false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match (word.as_str(), words.as_slice().first()) {
            ("--again", _) => again = true,
            ("--only", Some(part)) => {
                only = Some(part.as_str());
                words.next();
            }
            ("--minutes", Some(number)) if number.parse::<f64>().is_ok_and(|m| m > 0.0) => {
                minutes = Some(number.as_str());
                words.next();
            }
            _ => {
                return Err(
                    "the options are --only WORD, --again and --minutes N (of the server soak test)".into()
                );
            }
        }
    }
    let all = || MODULES.into_iter().chain(OTHERS);
    let mut progress = if again { Progress::read()? } else { Progress::default() };
    let parts: Vec<&str> = all()
        .filter(|name| {
            only.is_none_or(|word| name.contains(word)) && !progress.passed.iter().any(|p| p == name)
        })
        .collect();
    if parts.is_empty() && !again {
        return Err(format!("no such part; known are {}", all().collect::<Vec<_>>().join(" ")));
    }
    // The builds below replace this program, so get its path before them.
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let figures = root().join("target").join("trust-figures.jsonl");
    forget(&figures, |name| !again || parts.iter().any(|part| is_of(name, part)))?;
    progress.write()?;
    let seed = std::env::var(SEED).ok().filter(|seed| seed.parse::<u64>().is_ok() && *seed != COMMON_SEED);
    let seed = seed.unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(1, |t| t.as_secs()).to_string()
    });
    println!("property tests with {SEED}={seed}");
    let set_up = |command: &mut Command| {
        command.env(SEED, &seed);
        command.env("MERCER_TRUST", "full").env("MERCER_TRUST_FIGURES", &figures).current_dir(root());
        command.envs(minutes.map(|m| ("MERCER_SOAK_MINUTES", m)));
    };
    let mut build = cargo();
    build.args(["build", "--workspace", "--lib", "--bins", "--tests"]);
    if !progress.step("building", &mut build) {
        return Err("the build failed".into());
    }
    let mut failed = Vec::new();
    for part in parts {
        if again {
            progress.repeated.push(part.trim_end_matches(':').to_owned());
        }
        // One part after the other: tests with limits of time do not wait for the work of other parts.
        let mut command = match part {
            "libsvm" | "python" => {
                let interpreter = python::prepare()?;
                python::put(&interpreter, "debug")?;
                Command::new(interpreter)
            }
            "fuzz" | "supply" => Command::new(&own),
            _ => cargo(),
        };
        match part {
            "libsvm" => {
                command.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "python/tests/test_libsvm.py"]);
                command.env("MERCER_LIBSVM", LIBSVM);
            }
            "python" => {
                command.args(["python/tests/random_calls.py", "--seed", "1", "--calls", PYTHON_CALLS]);
            }
            "fuzz" => {
                command.args(["fuzz", "--minutes", "3"]);
            }
            "supply" => {
                command.arg("supply");
            }
            module => {
                // Report all failures, not only the first.
                command.args(["test", "--workspace", "--test", "all", "--no-fail-fast", "--", module]);
                if module != "bad_inputs::" {
                    // Its module `models` is no part of the module `models`.
                    command.args(["--skip", "bad_inputs::"]);
                }
            }
        }
        set_up(&mut command);
        match progress.step(part.trim_end_matches(':'), &mut command) {
            true => progress.passed.push(part.to_owned()),
            false => failed.push(part.to_owned()),
        }
        progress.write()?;
    }
    println!("\n=== summary");
    progress.took.iter().for_each(|t| println!("{:24} {:7.1} s", t.step, t.seconds));
    let lines = read(&figures)?;
    promises::check(&lines)?;
    if !failed.is_empty() {
        let failed = failed.join(", ");
        return Err(format!("failed: {failed}; nothing was written, and --again repeats only these parts"));
    }
    if !all().all(|name| progress.passed.iter().any(|p| p == name)) {
        lines.iter().for_each(|line| println!("{} ({}): {}", line.promise, line.test, page::figures(line)));
        return Ok(());
    }
    let path = root().join("docs").join("reliability.md");
    let text = page::render(&lines, &progress.took, &progress.repeated)?;
    std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    println!("wrote docs/reliability.md");
    Ok(())
}

/// Whether a test belongs to a part.
fn is_of(test: &str, part: &str) -> bool {
    match part {
        "libsvm" => test.ends_with("test_libsvm.py"),
        "python" => test == "random_calls",
        "fuzz" => test == "xtask fuzz",
        "supply" => test == "xtask supply",
        module => test.starts_with(module),
    }
}

/// Removes the figures of tests that are run again.
fn forget(path: &PathBuf, gone: impl Fn(&str) -> bool) -> Outcome<()> {
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(()) };
    let kept = text.lines().filter(|line| {
        let value: Value = serde_json::from_str(line).unwrap_or_default();
        !gone(value["test"].as_str().unwrap_or_default())
    });
    let kept: String = kept.map(|line| format!("{line}\n")).collect();
    std::fs::write(path, kept).map_err(|e| format!("{}: {e}", path.display()))
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
