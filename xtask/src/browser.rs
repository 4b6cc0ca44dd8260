//! Reports and the prediction page in a real browser.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::python::{check, environment, install, target};
use crate::{Outcome, cargo, root};

/// Program names of Chromium.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Reports to make: name and program arguments.
const PAGES: [(&str, &[&str]); 5] = [
    (
        "molecules",
        &[
            "evaluate",
            "mutag",
            "-k",
            "wl(h=[1, 3])",
            "-l",
            "svc(C=[0.1, 1, 10], probability=yes)",
            "--protocol",
            "3-fold",
            "--inner",
            "2-fold",
        ],
    ),
    (
        "flowers",
        &[
            "evaluate",
            "iris",
            "-k",
            "standardize(rbf(gamma=2^-5..2^1))",
            "-l",
            "svc(C=2^-1..2^4)",
            "--protocol",
            "3-fold",
            "--inner",
            "2-fold",
        ],
    ),
    (
        "numbers",
        &[
            "evaluate",
            "iris",
            "--target",
            "petal_width",
            "-k",
            "standardize(rbf(gamma=0.1))@sepal_length,sepal_width",
            "-l",
            "ridge(lambda=[0.1, 1])",
            "--protocol",
            "3-fold",
        ],
    ),
    ("auto", &["auto", "iris", "--budget", "20", "--protocol", "3-fold", "--force"]),
    (
        "comparison",
        &[
            "compare",
            "iris",
            "rule.csv",
            "-k",
            "linear",
            "-k",
            "rbf(gamma=0.5)",
            "-l",
            "svc(C=[1, 10])",
            "--protocol",
            "3-fold",
            "--inner",
            "2-fold",
        ],
    ),
];

/// A browser and a Python interpreter that can drive it, or the reason why not.
pub(crate) fn prepare() -> Outcome<(PathBuf, PathBuf)> {
    let python = environment("browser-venv")?;
    install(&python, &["pytest", "playwright"])?;
    let browser = find().map_or_else(fetch, Ok)?;
    Ok((python, browser))
}

/// An installed Chromium.
fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("MERCER_CHROMIUM") {
        return Some(PathBuf::from(named)).filter(|p| p.exists());
    }
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    folders.iter().flat_map(|f| NAMES.map(|n| f.join(n))).find(|p| p.is_file())
}

/// Installs Chromium with the system's package manager, if allowed.
fn fetch() -> Outcome<PathBuf> {
    println!("no Chromium is installed; trying: apt-get install chromium");
    let apt =
        |words: &[&str]| check(Command::new("apt-get").args(words).env("DEBIAN_FRONTEND", "noninteractive"));
    let tried = apt(&["update", "-qq"]).and_then(|()| {
        apt(&["install", "-y", "-qq", "--no-install-recommends", "chromium", "fonts-dejavu-core"])
    });
    let why = |e| {
        format!("no Chromium, and it could not be installed ({e}): install it, or name it in MERCER_CHROMIUM")
    };
    tried.map_err(why)?;
    find().ok_or_else(|| "Chromium was installed but is not on the path".into())
}

/// Makes reports with the program built for the tests, and checks them and the prediction page.
pub(crate) fn test((python, browser): &(PathBuf, PathBuf)) -> Outcome<()> {
    // In one build with the tests, so that dependencies are shared.
    check(cargo().args(["build", "--workspace", "--lib", "--bins", "--tests"]))?;
    let program = target().join("debug/mercer");
    let folder = target().join("report-pages");
    let fault = |e: std::io::Error| format!("{}: {e}", folder.display());
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(fault)?;
    }
    std::fs::create_dir_all(&folder).map_err(fault)?;
    std::fs::write(folder.join("rule.csv"), sizes()).map_err(fault)?;
    for (name, words) in PAGES {
        let mut command = Command::new(&program);
        command.args(words).arg("--report").arg(format!("{name}.html")).current_dir(&folder);
        check(command.arg("--quiet").stdout(std::process::Stdio::null()))?;
    }
    let artifacts = target().join("report-screenshots");
    let run = |tests_in: &str, pages: Option<&Path>| {
        let mut tests = Command::new(python);
        tests
            .args([
                "-m",
                "pytest",
                "-q",
                "-p",
                "no:cacheprovider",
                &format!("crates/mercer-report/browser{tests_in}"),
            ])
            .current_dir(root());
        tests
            .env("MERCER_CHROMIUM", browser)
            .env("MERCER_PROGRAM", &program)
            .env("MERCER_ARTIFACTS", &artifacts);
        if let Some(pages) = pages {
            tests.env("MERCER_REPORT_PAGES", pages);
        }
        check(&mut tests)
    };
    // The samples contain every figure; the program's own pages are what users see.
    run("", None)?;
    run("/test_report.py", Some(&folder))
}

/// A second, generated table for a comparison.
fn sizes() -> String {
    let mut text = "a,b,class\n".to_owned();
    for i in 0..60u32 {
        let (a, b) = (i * 37 % 60, i * i % 60);
        text += &format!("{a},{b},{}\n", if (a + b) % 60 < 30 { "low" } else { "high" });
    }
    text
}
