//! Everything that must hold before a change is taken.

use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use crate::{browser, cargo, layers, misused, outside, python, root, supply};

/// One step: its name, the cargo arguments, and the tool it needs beside cargo itself.
struct Step {
    name: &'static str,
    title: &'static str,
    arguments: &'static [&'static str],
    needs: Need,
}

/// What a step needs beside cargo itself.
enum Need {
    Nothing,
    /// A part of the Rust toolchain, with the arguments that show whether it is there.
    Component(&'static str, [&'static str; 2]),
    /// Python 3.10 or newer, and packages that can be downloaded.
    Python,
    /// The environment of the step before, with the package in it.
    Outside,
    /// A Chromium, and a Python to drive it.
    Browser,
    /// Nothing; with cargo-deny it checks more.
    Supply,
    /// Nothing; it reads sources.
    Layers,
}

// Clippy only checks; the tests build once, and the documentation and its examples use what they built.
const STEPS: [Step; 10] = [
    Step {
        name: "layers",
        title: "which way crates and modules look, and what dependencies are for",
        arguments: &["xtask", "layers"],
        needs: Need::Layers,
    },
    Step {
        name: "fmt",
        title: "formatting",
        arguments: &["fmt", "--all", "--check"],
        needs: Need::Component("rustfmt", ["fmt", "--version"]),
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
        name: "python",
        title: "the Python package, in an environment of its own",
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

/// How a step ended.
enum End {
    Passed,
    Skipped(String),
    Failed(u8),
}

/// Runs the named steps, or all, and stops at the first that fails, with its exit code.
pub(crate) fn run(words: &[String]) -> ExitCode {
    if let Some(unknown) = words.iter().find(|w| !STEPS.iter().any(|s| s.name == **w)) {
        return misused(&format!("unknown step: {unknown}"));
    }
    let mut summary = Vec::new();
    let mut code = 0;
    let wanted = |s: &&Step| words.is_empty() || words.iter().any(|w| w == s.name);
    for step in STEPS.iter().filter(wanted) {
        println!("\n=== {}: {} (cargo {})", step.name, step.title, step.arguments.join(" "));
        let start = Instant::now();
        let end = perform(step);
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
    println!("\n=== summary\n{}", summary.join("\n"));
    ExitCode::from(code)
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
                // Where nobody watches, a step that is left out is a step that failed.
                Err(reason) if std::env::var_os("CI").is_some() => {
                    println!("{reason}");
                    return End::Failed(1);
                }
                Err(reason) => return End::Skipped(reason),
            };
            return match browser::test(&ready) {
                Ok(()) => End::Passed,
                Err(reason) => {
                    println!("{reason}");
                    End::Failed(1)
                }
            };
        }
        Need::Layers => {
            return match layers::run(&[]) {
                Ok(()) => End::Passed,
                Err(reason) => {
                    println!("{reason}");
                    End::Failed(1)
                }
            };
        }
        Need::Supply => {
            return match supply::always().and_then(|()| supply::deny(false)) {
                Ok(()) => End::Passed,
                Err(reason) => {
                    println!("{reason}");
                    End::Failed(1)
                }
            };
        }
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
