//! Developer commands: `cargo xtask test`, `bench`, `pictures` and `wheel`.

mod advisories;
mod bench;
mod browser;
mod docs;
mod fuzz;
mod layers;
mod machine;
mod outside;
mod pictures;
mod python;
mod report;
mod sbom;
mod supply;
mod test;
mod trust;
mod unsafe_code;
mod words;
mod worker;

use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
Developer commands of mercer.

cargo xtask test [STEP…]    everything that must hold: layers fmt features clippy test python outside browser doc deny
                            with words, only those steps
cargo xtask bench [WORD…]   times mercer beside the systems a user would pick instead, and
                            writes docs/results/*.md; with words, only the workloads whose
                            name holds one of them, and nothing is written
    --page NAME             only one page: foundation, svm, graph-speed, series, string-speed,
                            or bench, the Python package beside all of its peers
    --repeat N              turns per system (5; 3 for the page bench)
    --small                 a CSV file of 100 MB instead of 1 GB
    MERCER_DATA=FOLDER      where libsvm/a9a/a9a.gz and other sets lie; without it ../shared/data is tried
cargo xtask layers          crates and modules look only down, as layers.toml declares; dependencies are used and have reasons
    --write                 writes the map of ARCHITECTURE.md anew
cargo xtask pictures        the pictures of the guide, by docs/guide/pictures.toml
cargo xtask docs            the guide, the results and the references of Rust and Python as a site in target/site
cargo xtask fuzz [TARGET…]  libFuzzer over the targets of fuzz/: new inputs in fuzz/corpus, those that break something in
                            fuzz/crashes; without a C++ compiler the seeded driver of the tests
    --minutes N             for all targets together (10)
cargo xtask supply          licences, versions and sources of dependencies; unsafe code; advisories by the pinned copy, and the
                            newest where cargo-deny is installed and can reach them
    --sbom                  writes target/mercer.cdx.json, what is in the program and the Python package (CycloneDX 1.5)
    --pin FOLDER DAY        pins the advisories anew, from a checkout of the RustSec database of that day
    --install               installs cargo-deny into target/tools if it is missing
    --valgrind              runs the tests of modules with unsafe code under valgrind
cargo xtask outside [SUITE…] tests of scikit-learn, aeon and GraKeL, run from where they are installed with our classes in place
                            of theirs; deviations that are expected stand in python/outside/deviations.txt
cargo xtask trust           all tests of trust in full, fuzzing and dependencies, and writes docs/reliability.md (half an hour)
    --only WORD             only the parts whose name holds it, and nothing is written
cargo xtask words           words that the project does not use (words.toml), and links of pages that lead nowhere
cargo xtask wheel           the Python package as a wheel in target/wheels
cargo xtask help            this text
";

/// A result whose error is a message for the user, printed before the program ends.
type Outcome<T> = Result<T, String>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match words.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("", &[][..]),
    };
    match command {
        "test" => test::run(rest),
        "bench" => ended(command, bench::run(rest)),
        "docs" => ended(command, docs::run(rest)),
        "fuzz" => ended(command, fuzz::run(rest)),
        "layers" => ended(command, layers::run(rest)),
        "outside" => ended(command, outside::run(rest)),
        "supply" => ended(command, supply::run(rest)),
        "trust" => ended(command, trust::run(rest)),
        "words" => ended(command, words::run(rest)),
        "pictures" => ended(command, pictures::run()),
        "wheel" => ended(command, python::wheel()),
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            ExitCode::SUCCESS
        }
        "" => misused("no command given"),
        other => misused(&format!("unknown command: {other}")),
    }
}

/// Prints why a command failed, if it did.
fn ended(command: &str, outcome: Outcome<()>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("xtask {command}: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the usage and returns the exit code for misuse.
fn misused(reason: &str) -> ExitCode {
    eprint!("xtask: {reason}\n\n{USAGE}");
    ExitCode::from(2)
}

/// The folder that holds the workspace.
fn root() -> PathBuf {
    let own = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    own.and_then(|p| p.parent().map(PathBuf::from)).unwrap_or_else(|| PathBuf::from("."))
}

/// The cargo that started this program.
fn cargo() -> std::process::Command {
    let mut command = std::process::Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}
