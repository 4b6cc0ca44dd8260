//! Developer commands: `cargo xtask test`, `bench`, `docs` and `wheel`.

mod advisories;
mod bench;
mod browser;
mod docs;
mod figures;
mod fuzz;
mod layers;
mod machine;
mod outside;
mod python;
mod release;
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

cargo xtask test [STEP…]    all checks a change must pass: layers words fmt test core features clippy doc deny guard
                            python outside browser, what only checks in parallel with the tests;
                            with names, only those steps
cargo xtask bench [WORD…]   times mercer and the systems a user would choose instead, and
                            writes docs/results/*.md; with words, only the workloads whose
                            name contains one of them, and nothing is written
    --page NAME             only one page: foundation, svm, graph-speed, series, string-speed,
                            or bench, the Python package and all of its peers
    --repeat N              runs per system (5; 3 for the page bench)
    --guard                 instead, in seconds: some work relative to plain loops in the same process, compared with
                            the ratios of bench/guard.txt
    --release               with --guard, of a release: bench/guard-release.txt
    --record                with --guard, writes the ratios of this computer
    --small                 a CSV file of 100 MB instead of 1 GB
    MERCER_DATA=FOLDER      the folder of libsvm/a9a/a9a.gz and other sets; default ../shared/data
cargo xtask layers          checks that crates and modules use only lower layers (layers.toml), and that dependencies are
                            used and have reasons
    --write                 rewrites the map of ARCHITECTURE.md
cargo xtask figures         makes the figures of the guide listed in docs/guide/figures.toml
cargo xtask docs            the guide, the results and the references of Rust and Python as a site in target/site
cargo xtask fuzz [TARGET…]  libFuzzer on the targets of fuzz/: new inputs in fuzz/corpus, failing ones in
                            fuzz/crashes; without a C++ compiler the seeded driver of the tests
    --minutes N             for all targets together (10)
cargo xtask supply          licences, versions and sources of dependencies; unsafe code; advisories of the pinned copy, and the
                            newest if cargo-deny is installed and can reach them
    --sbom                  writes target/mercer.cdx.json, the bill of materials (CycloneDX 1.5)
    --pin FOLDER DAY        rewrites the pinned advisories from a checkout of the RustSec database of that date
    --install               installs cargo-deny into target/tools if it is missing
    --valgrind              runs the tests of modules with unsafe code under valgrind
cargo xtask outside [SUITE…] tests of scikit-learn, aeon and GraKeL, run as installed, with our classes in place
                            of theirs; expected deviations are listed in python/outside/deviations.txt
cargo xtask trust           all reliability tests in full, fuzzing and dependencies; writes docs/reliability.md (half an hour)
    --only WORD             only the parts whose name contains it, and nothing is written
    --again                 only the parts that failed in the last run or did not run; its other figures are kept
    --minutes N             length of the server soak test (10)
cargo xtask release --check [PART…] whether a release could be made: versions, crates as packages, wheels for systems with an old C
                            library, the source distribution, the wheel in an empty environment, other systems; publishes nothing
cargo xtask words           finds words that the project does not use (words.toml), and broken links of pages
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
        "release" => ended(command, release::run(rest)),
        "supply" => ended(command, supply::run(rest)),
        "trust" => ended(command, trust::run(rest)),
        "words" => ended(command, words::run(rest)),
        "figures" => ended(command, figures::run()),
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
