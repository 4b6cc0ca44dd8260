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

// In the order of their summary. Groups of steps run in processes of their own, see `PARALLEL`.
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
        name: "test",
        title: "unit, integration and documentation tests",
        arguments: &["test", "--workspace"],
        needs: Need::Nothing,
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

/// Groups of steps that run in parallel with the step named first and those after it. What only checks has a build folder of its own, since one build of cargo waits
/// for another in the same folder: compilers of two builds fill the cores where each alone compiles one large crate on one core. The browser
/// tests use one core, and the Python tests the other.
const PARALLEL: [(&str, &[&str], Option<&str>); 2] = [
    ("test", &["core", "features", "clippy", "doc", "deny"], Some("checks")),
    ("python", &["browser"], None),
];

/// Runs the named steps, or all, and stops at the first failure, with its exit code.
pub(crate) fn run(words: &[String]) -> ExitCode {
    if let Some(unknown) = words.iter().find(|w| !STEPS.iter().any(|s| s.name == **w)) {
        return misused(&format!("unknown step: {unknown}"));
    }
    let mut summary = Vec::new();
    let mut code = 0;
    let mut parallel: Vec<Aside> = Vec::new();
    let all = words.is_empty();
    // Packages are downloaded while the tests are compiled. A fault shows where they are needed.
    let mut ahead = all.then(|| std::thread::spawn(|| python::prepare().is_ok()));
    let wanted = |s: &&Step| all || words.iter().any(|w| w == s.name);
    let mut done: Vec<&str> = Vec::new();
    for step in STEPS.iter().filter(wanted) {
        if done.contains(&step.name) {
            continue;
        }
        if let Some(at) = parallel.iter().position(|a| a.names.contains(&step.name)) {
            let group = parallel.remove(at);
            done.extend(group.names);
            let (ended, lines) = group.finish();
            summary.extend(lines);
            code = ended;
        } else {
            println!("\n=== {}: {} (cargo {})", step.name, step.title, step.arguments.join(" "));
            if let Some(ahead) = ahead.take_if(|_| matches!(step.needs, Need::Python)) {
                let _ = ahead.join();
            }
            if all {
                let groups = PARALLEL.iter().filter(|group| group.0 == step.name);
                parallel.extend(groups.filter_map(|(_, names, folder)| Aside::begin(names, *folder)));
            }
            let start = Instant::now();
            let (line, ended) = told(step, perform(step), start);
            summary.push(line);
            code = ended;
        }
        // A failure in parallel ends the run without waiting for the rest.
        let failed = |a: &mut Aside| matches!(a.child.try_wait(), Ok(Some(status)) if !status.success());
        if code == 0
            && let Some(at) = parallel.iter_mut().position(failed)
        {
            let (ended, lines) = parallel.remove(at).finish();
            summary.extend(lines);
            code = ended;
        }
        if code != 0 {
            break;
        }
    }
    for mut left in parallel {
        // An earlier step failed.
        let _ = left.child.kill();
    }
    println!("\n=== summary\n{}", summary.join("\n"));
    ExitCode::from(code)
}

/// The line of the summary about a step, and its exit code.
fn told(step: &Step, end: End, start: Instant) -> (String, u8) {
    let (verdict, code) = match end {
        End::Passed => ("passed".to_owned(), 0),
        End::Skipped(reason) => {
            println!("skipped: {reason}");
            (format!("SKIPPED: {reason}"), 0)
        }
        End::Failed(with) => (format!("FAILED with exit code {with}"), with),
    };
    (format!("{:8} {:8.1} s  {verdict}", step.name, start.elapsed().as_secs_f64()), code)
}

/// A group of steps that runs in a separate process. Its output is printed when it has ended.
struct Aside {
    names: &'static [&'static str],
    child: Child,
    output: PathBuf,
}

impl Aside {
    /// Starts steps, with a build folder of their own under the usual one if it is named; `None` if no process can be started, and the
    /// steps then run in sequence.
    fn begin(names: &'static [&'static str], folder: Option<&str>) -> Option<Self> {
        let output = python::target().join(format!("test-{}.log", names.first()?));
        let file = std::fs::File::create(&output).ok()?;
        let mut command = Command::new(std::env::current_exe().ok()?);
        command.arg("test").args(names).stdin(Stdio::null()).stdout(file.try_clone().ok()?).stderr(file);
        if let Some(folder) = folder {
            command.env("CARGO_TARGET_DIR", python::target().join(folder));
        }
        println!("in parallel from now on: {}", names.join(", "));
        Some(Aside { names, child: command.spawn().ok()?, output })
    }

    /// Waits for the end, prints the output, and returns the exit code and the lines of the summary.
    fn finish(mut self) -> (u8, Vec<String>) {
        let status = self.child.wait();
        let said = std::fs::read(&self.output).unwrap_or_default();
        let said = String::from_utf8_lossy(&said);
        let (text, lines) = said.split_once("\n=== summary\n").unwrap_or((&said, ""));
        println!("{}", text.trim_end());
        let mut lines: Vec<String> = lines.lines().map(str::to_owned).collect();
        let code = match status {
            Ok(status) if status.success() => 0,
            Ok(status) => status.code().and_then(|c| u8::try_from(c).ok()).unwrap_or(1).max(1),
            Err(error) => {
                println!("{error}");
                1
            }
        };
        if code != 0 && !lines.iter().any(|line| line.contains("FAILED")) {
            lines.push(format!("{:8} ended early, FAILED with exit code {code}", self.names.join(", ")));
        }
        (code, lines)
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
