//! All checks that a change must pass.

use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Instant;

use crate::{Outcome, bench, browser, cargo, layers, misused, outside, python, root, supply, words};

/// One step: its name, the cargo arguments, and the tool it needs besides cargo.
struct Step {
    name: &'static str,
    title: &'static str,
    arguments: &'static [&'static str],
    needs: Need,
}

/// What a step needs besides cargo.
enum Need {
    Nothing,
    /// A component of the Rust toolchain, with the arguments that show whether it is installed.
    Component(&'static str, [&'static str; 2]),
    /// Python 3.10 or newer, and access to its packages.
    Python,
    /// The environment of the step before, with the package in it.
    Outside,
    /// Chromium, and Python to drive it.
    Browser,
    /// Nothing; checks more with cargo-deny.
    Supply,
    /// Nothing; it runs a program of the workspace.
    Guard,
    /// Nothing; it reads sources.
    Layers,
    /// Nothing; it reads all text.
    Words,
}

// Clippy only checks; the tests build once, and the documentation and its examples reuse that build.
const STEPS: [Step; 13] = [
    Step {
        name: "layers",
        title: "the layers of crates and modules, and the reasons of dependencies",
        arguments: &["xtask", "layers"],
        needs: Need::Layers,
    },
    Step {
        name: "words",
        title: "the field's words, and links of pages",
        arguments: &["xtask", "words"],
        needs: Need::Words,
    },
    Step {
        name: "fmt",
        title: "formatting",
        arguments: &["fmt", "--all", "--check"],
        needs: Need::Component("rustfmt", ["fmt", "--version"]),
    },
    Step {
        name: "core",
        title: "the mathematics alone, without a feature",
        arguments: &["check", "--package", "mercer-core"],
        needs: Need::Nothing,
    },
    Step {
        name: "features",
        title: "the library without its optional formats",
        arguments: &["check", "--package", "mercer", "--no-default-features"],
        needs: Need::Nothing,
    },
    Step {
        name: "clippy",
        title: "lints",
        arguments: &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
        needs: Need::Component("clippy", ["clippy", "--version"]),
    },
    Step {
        name: "test",
        title: "unit, integration and documentation tests",
        arguments: &["test", "--workspace"],
        needs: Need::Nothing,
    },
    Step {
        name: "guard",
        title: "the speed of some work relative to plain loops",
        arguments: &["xtask", "bench", "--guard"],
        needs: Need::Guard,
    },
    Step {
        name: "python",
        title: "the Python package, in its own environment",
        arguments: &["build", "--workspace", "--lib", "--bins", "--tests"],
        needs: Need::Python,
    },
    Step {
        name: "outside",
        title: "tests of scikit-learn, aeon and GraKeL with our classes in place of theirs",
        arguments: &["build", "--workspace", "--lib", "--bins", "--tests"],
        needs: Need::Outside,
    },
    Step {
        name: "browser",
        title: "reports and the prediction page in a browser",
        arguments: &["build", "--workspace", "--lib", "--bins", "--tests"],
        needs: Need::Browser,
    },
    Step {
        name: "doc",
        title: "documentation",
        arguments: &["doc", "--workspace", "--no-deps"],
        needs: Need::Nothing,
    },
    Step {
        name: "deny",
        title: "licences, versions and sources of dependencies, and unsafe code",
        arguments: &["metadata", "--locked", "--all-features"],
        needs: Need::Supply,
    },
];

/// The outcome of a step.
enum End {
    Passed,
    Skipped(String),
    Failed(u8),
}

impl End {
    /// The outcome of a step that this program does itself.
    fn of(outcome: Outcome<()>) -> Self {
        match outcome {
            Ok(()) => End::Passed,
            Err(reason) => {
                println!("{reason}");
                End::Failed(1)
            }
        }
    }
}

/// Runs the named steps, or all, and stops at the first failure, with its exit code.
pub(crate) fn run(words: &[String]) -> ExitCode {
    if let Some(unknown) = words.iter().find(|w| !STEPS.iter().any(|s| s.name == **w)) {
        return misused(&format!("unknown step: {unknown}"));
    }
    let mut summary = Vec::new();
    let mut code = 0;
    let mut aside = None;
    // Packages are downloaded while the tests are compiled. A fault shows where they are needed.
    let mut ahead = words.is_empty().then(|| std::thread::spawn(|| python::prepare().is_ok()));
    let wanted = |s: &&Step| words.is_empty() || words.iter().any(|w| w == s.name);
    for step in STEPS.iter().filter(wanted) {
        println!("\n=== {}: {} (cargo {})", step.name, step.title, step.arguments.join(" "));
        if let Some(ahead) = ahead.take_if(|_| matches!(step.needs, Need::Python)) {
            let _ = ahead.join();
        }
        // The browser tests use one core, and the Python tests another.
        if words.is_empty() && step.name == "python" {
            aside = Aside::begin("browser");
        }
        let mut start = Instant::now();
        let end = match aside.take_if(|a| a.name == step.name) {
            Some(other) => {
                start = other.start;
                other.finish()
            }
            None => perform(step),
        };
        let seconds = start.elapsed().as_secs_f64();
        let verdict = match end {
            End::Passed => "passed".to_owned(),
            End::Skipped(reason) => {
                println!("skipped: {reason}");
                format!("SKIPPED: {reason}")
            }
            End::Failed(with) => {
                code = with;
                format!("FAILED with exit code {with}")
            }
        };
        summary.push(format!("{:8} {seconds:8.1} s  {verdict}", step.name));
        if code != 0 {
            break;
        }
    }
    if let Some(mut left) = aside {
        // An earlier step failed.
        let _ = left.child.kill();
    }
    println!("\n=== summary\n{}", summary.join("\n"));
    ExitCode::from(code)
}

/// A step that runs in a separate process in parallel. Its output is printed when it has ended.
struct Aside {
    name: &'static str,
    child: Child,
    output: PathBuf,
    start: Instant,
}

impl Aside {
    /// Starts a step; `None` if no process can be started, and the step then runs in sequence.
    fn begin(name: &'static str) -> Option<Self> {
        let output = python::target().join(format!("test-{name}.log"));
        let file = std::fs::File::create(&output).ok()?;
        let mut command = Command::new(std::env::current_exe().ok()?);
        command.args(["test", name]).stdin(Stdio::null()).stdout(file.try_clone().ok()?).stderr(file);
        Some(Aside { name, child: command.spawn().ok()?, output, start: Instant::now() })
    }

    fn finish(mut self) -> End {
        let status = self.child.wait();
        let said = std::fs::read(&self.output).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        println!("{}", said.split("\n=== summary").next().unwrap_or_default().trim());
        let skipped = said.lines().find_map(|line| line.strip_prefix("skipped: "));
        match (status, skipped) {
            (Ok(status), Some(reason)) if status.success() => End::Skipped(reason.to_owned()),
            (Ok(status), None) if status.success() => End::Passed,
            (Ok(status), _) => {
                End::Failed(status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(1).max(1))
            }
            (Err(error), _) => End::of(Err(error.to_string())),
        }
    }
}

fn perform(step: &Step) -> End {
    match step.needs {
        Need::Nothing => {}
        Need::Component(name, probe) => {
            if !works(&mut cargo(), &probe) {
                println!("{name} is not installed; trying: rustup component add {name}");
                let added = Command::new("rustup").args(["component", "add", name]).status();
                if !added.is_ok_and(|s| s.success()) || !works(&mut cargo(), &probe) {
                    return End::Skipped(format!("{name} is not installed and could not be added"));
                }
            }
        }
        Need::Python => {
            return match python::prepare() {
                Err(reason) => End::Skipped(format!("no environment for the tests: {reason}")),
                Ok(python) => match python::test(&python) {
                    Ok(()) => End::Passed,
                    Err(reason) => {
                        println!("{reason}");
                        End::Failed(1)
                    }
                },
            };
        }
        Need::Outside => {
            return match python::prepare() {
                Err(reason) => End::Skipped(format!("no environment for the tests: {reason}")),
                Ok(_) => match outside::run(&[]) {
                    Ok(()) => End::Passed,
                    Err(reason) => {
                        println!("{reason}");
                        End::Failed(1)
                    }
                },
            };
        }
        Need::Browser => {
            let ready = match browser::prepare() {
                Ok(ready) => ready,
                // In continuous integration, a skipped step is a failure.
                Err(reason) if std::env::var_os("CI").is_some() => {
                    println!("{reason}");
                    return End::Failed(1);
                }
                Err(reason) => return End::Skipped(reason),
            };
            return End::of(browser::test(&ready));
        }
        Need::Guard => return End::of(bench::guard(false, false)),
        Need::Layers => return End::of(layers::run(&[])),
        Need::Words => return End::of(words::run(&[])),
        Need::Supply => return End::of(supply::always().and_then(|()| supply::deny(false))),
    }
    let mut command = cargo();
    command.args(step.arguments).current_dir(root());
    if step.name == "doc" {
        command.env("RUSTDOCFLAGS", "-D warnings");
    }
    match command.status() {
        Ok(status) if status.success() => End::Passed,
        Ok(status) => End::Failed(status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(1).max(1)),
        Err(error) => {
            println!("cargo could not be started: {error}");
            End::Failed(1)
        }
    }
}

fn works(command: &mut Command, probe: &[&str]) -> bool {
    let quiet = command.args(probe).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|s| s.success())
}
