//! Virtual environments, and the Python package in them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::machine::output;
use crate::{Outcome, cargo, root};

/// The packages needed by the tests: dependencies, sources of objects, and peers for comparison.
const PACKAGES: [&str; 19] = [
    "numpy",
    "scipy",
    "scikit-learn",
    "pytest",
    "joblib",
    "pandas",
    "polars",
    "pyarrow",
    "networkx",
    "igraph",
    "aeon",
    "dask[array]",
    "distributed",
    "zarr>=3",
    "rdkit",
    "matplotlib",
    "mypy",
    "numpydoc",
    "pyright",
];
/// Import names, where they differ.
const IMPORTS: [(&str, &str); 9] = [
    ("scikit-learn", "sklearn"),
    ("scikit-fingerprints", "skfp"),
    ("scikit-learn-intelex", "sklearnex"),
    ("python-igraph", "igraph"),
    ("grakel==0.1.11", "grakel"),
    ("dask[array]", "dask.array"),
    ("zarr>=3", "zarr"),
    ("mkdocs==1.6.1", "mkdocs"),
    ("mkdocs-material==9.8.1", "material"),
];

/// The build folder.
pub(crate) fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// The interpreter of a virtual environment under target/, which is created if it does not exist.
pub(crate) fn environment(name: &str) -> Outcome<PathBuf> {
    let folder = target().join(name);
    let python = folder.join("bin/python");
    if !python.exists() {
        println!("making a Python environment in {}", folder.display());
        check(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    }
    Ok(python)
}

/// Installs the packages that cannot be imported.
pub(crate) fn install(python: &Path, packages: &[&str]) -> Outcome<()> {
    let import = |package: &str| {
        IMPORTS.iter().find(|i| i.0 == package).map_or(package.to_owned(), |i| i.1.to_owned())
    };
    let there = |package: &&str| {
        output(Command::new(python).args(["-c", &format!("import {}", import(package))])).is_ok()
    };
    let lacking: Vec<&str> = packages.iter().copied().filter(|p| !there(p)).collect();
    match lacking.is_empty() {
        true => Ok(()),
        false => check(Command::new(python).args(["-m", "pip", "install", "--quiet"]).args(&lacking)),
    }
}

/// The interpreter of an environment for the tests of the package, or the reason why there is none.
pub(crate) fn prepare() -> Outcome<PathBuf> {
    let python = environment("test-venv")?;
    install(&python, &PACKAGES)?;
    // Not available on every platform: the comparison tests are then skipped.
    if let Err(reason) = install(&python, &["grakel==0.1.11"]) {
        println!("GraKeL could not be installed: {reason}");
    }
    Ok(python)
}

/// Builds the package, reusing the build of the tests, installs it in the environment and runs its tests.
///
/// `pip install` would do the same through maturin, but build every dependency a second time.
pub(crate) fn test(python: &Path) -> Outcome<()> {
    // In one build with the tests, so that dependencies are shared.
    check(cargo().args(["build", "--workspace", "--lib", "--bins", "--tests"]))?;
    put(python, "debug")?;
    let mut tests = Command::new(python);
    tests.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "python/tests"]).current_dir(root());
    check(tests.env("MERCER_PROGRAM", target().join("debug/mercer")))
}

/// Installs the package in an environment, with the library built for a profile.
pub(crate) fn put(python: &Path, profile: &str) -> Outcome<()> {
    let find = "import sysconfig; print(sysconfig.get_paths()['platlib'])";
    let site = PathBuf::from(output(Command::new(python).args(["-c", find]))?.trim());
    let package = site.join("mercer");
    if package.exists() {
        std::fs::remove_dir_all(&package).map_err(|e| format!("{}: {e}", package.display()))?;
    }
    copy(&root().join("python/python/mercer"), &package)?;
    let built = target().join(profile).join(if cfg!(target_os = "macos") {
        "lib_mercer.dylib"
    } else {
        "lib_mercer.so"
    });
    let native = package.join("_mercer.abi3.so");
    std::fs::copy(&built, &native).map_err(|e| format!("{}: {e}", built.display()))?;
    // As pip does: otherwise each import may compile the sources anew.
    check(Command::new(python).args(["-m", "compileall", "-q"]).arg(&package))
}

/// Makes a wheel in target/wheels.
pub(crate) fn wheel() -> Outcome<()> {
    let python = environment("wheel-venv")?;
    install(&python, &["maturin"])?;
    let mut command = Command::new(&python);
    command
        .args(["-m", "maturin", "build", "--release", "--manifest-path"])
        .arg(root().join("python/Cargo.toml"));
    check(command.arg("--out").arg(target().join("wheels")))
}

fn copy(from: &Path, to: &Path) -> Outcome<()> {
    let fault = |path: &Path| {
        let path = path.display().to_string();
        move |e: std::io::Error| format!("{path}: {e}")
    };
    std::fs::create_dir_all(to).map_err(fault(to))?;
    for entry in std::fs::read_dir(from).map_err(fault(from))? {
        let path = entry.map_err(fault(from))?.path();
        let source = path.extension().is_some_and(|e| e == "py" || e == "pyi" || e == "typed");
        if let (true, Some(name)) = (source, path.file_name()) {
            std::fs::copy(&path, to.join(name)).map_err(fault(&path))?;
        }
    }
    Ok(())
}

/// Runs a command to its end.
pub(crate) fn check(command: &mut Command) -> Outcome<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{name} ended with {status}")),
        Err(error) => Err(format!("{name} could not be started: {error}")),
    }
}
