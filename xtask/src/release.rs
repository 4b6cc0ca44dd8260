//! What a release needs, checked on one computer: `cargo xtask release --check`.
//!
//! Nothing is published. Crates are packed in the order in which they would be published, wheels are built for systems with an old C
//! library, and installed where no compiler is found. Cross-compilers come from packages of Python; a standard library of another system that cannot be
//! had is reported as not done.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::machine::output;
use crate::python::{self, check, target};
use crate::{Outcome, cargo, root};

/// The crates that are published, from low to high.
const CRATES: [&str; 7] = [
    "mercer-molecules",
    "mercer-core",
    "mercer-read",
    "mercer",
    "mercer-report",
    "mercer-reproduce",
    "mercer-cli",
];
/// Tools from Python's packages: wheels, a C compiler for every system, and checks of what is uploaded.
const TOOLS: [&str; 5] = ["maturin>=1.16,<2", "ziglang==0.17.0", "cargo-zigbuild", "auditwheel", "twine"];
/// Wheels are built for these, with a C library of 2014.
const WHEELS: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];
/// The code is compiled for these without being linked.
const SYSTEMS: [&str; 2] = ["x86_64-pc-windows-gnu", "aarch64-apple-darwin"];
/// What the gallery shows its results with.
const GALLERY: [&str; 8] =
    ["dask[array]", "distributed", "ipykernel", "matplotlib", "nbclient", "nbformat", "networkx", "pandas"];
/// Bytes that a wheel may have.
const LARGEST_WHEEL: u64 = 10 << 20;

/// What a part found.
enum Found {
    Passed(String),
    NotDone(String),
}

/// Runs the parts of the check, or those whose name contains a word.
pub(crate) fn run(words: &[String]) -> Outcome<()> {
    let Some((first, words)) = words.split_first() else {
        return Err("releases are made by hand from what --check has shown; see CONTRIBUTING.md".to_owned());
    };
    if first != "--check" {
        return Err(format!("unknown option: {first}; known is --check"));
    }
    type Part = (&'static str, fn() -> Outcome<Found>);
    let parts: [Part; 6] = [
        ("versions", versions),
        ("crates", crates),
        ("wheels", wheels),
        ("source", source),
        ("installed", installed),
        ("systems", systems),
    ];
    if let Some(unknown) = words.iter().find(|w| !parts.iter().any(|p| p.0 == **w)) {
        let known: Vec<&str> = parts.iter().map(|p| p.0).collect();
        return Err(format!("unknown part: {unknown}; known are {}", known.join(" ")));
    }
    let mut failed = 0;
    let mut summary = Vec::new();
    for (name, part) in parts {
        if !words.is_empty() && !words.iter().any(|w| w == name) {
            continue;
        }
        println!("\n=== {name}");
        let start = Instant::now();
        let verdict = match part() {
            Ok(Found::Passed(what)) => format!("passed    {what}"),
            Ok(Found::NotDone(why)) => format!("NOT DONE  {why}"),
            Err(why) => {
                failed += 1;
                format!("FAILED    {why}")
            }
        };
        summary.push(format!("{name:10} {:7.1} s  {verdict}", start.elapsed().as_secs_f64()));
    }
    println!("\n=== summary\n{}", summary.join("\n"));
    match failed {
        0 => Ok(()),
        _ => Err(format!("{failed} parts failed")),
    }
}

/// One version everywhere, and a changelog that has its place.
fn versions() -> Outcome<Found> {
    let manifest: toml::Value = parse(&root().join("Cargo.toml"))?;
    let version = manifest["workspace"]["package"]["version"].as_str().unwrap_or_default().to_owned();
    let mut faults = Vec::new();
    let dependencies = manifest["workspace"]["dependencies"].as_table();
    for (name, value) in dependencies.into_iter().flatten().filter(|(name, _)| name.starts_with("mercer")) {
        if value.get("version").and_then(|v| v.as_str()) != Some(version.as_str()) {
            faults.push(format!("Cargo.toml depends on another version of {name}"));
        }
    }
    let lock: toml::Value = parse(&root().join("Cargo.lock"))?;
    for package in lock["package"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        if CRATES.contains(&name) && package["version"].as_str() != Some(version.as_str()) {
            faults.push(format!("Cargo.lock has another version of {name}"));
        }
    }
    let citation = read(&root().join("CITATION.cff"))?;
    if !citation.lines().any(|line| line == format!("version: {version}")) {
        faults.push(format!("CITATION.cff does not say version: {version}"));
    }
    let recipe = read(&root().join("packaging/conda/meta.yaml"))?;
    if !recipe.contains(&format!("set version = \"{version}\"")) {
        faults.push(format!("packaging/conda/meta.yaml has another version than {version}"));
    }
    let changes = read(&root().join("CHANGELOG.md"))?;
    let headings: Vec<&str> = changes.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let dated = |heading: &str| {
        let day = heading.rsplit(" - ").next().unwrap_or_default();
        day.len() == 10 && day.bytes().filter(u8::is_ascii_digit).count() == 8
    };
    if let Some(bare) = headings.iter().find(|h| **h != "[Unreleased]" && !dated(h)) {
        faults.push(format!("CHANGELOG.md: '{bare}' has no date"));
    }
    if !headings.iter().any(|h| h.starts_with(&format!("[{version}]"))) {
        faults.push(format!("CHANGELOG.md has no section [{version}]"));
    }
    if headings.first() == Some(&"[Unreleased]") {
        println!(
            "CHANGELOG.md has changes after {version}: a release needs a new version and a heading for them"
        );
    }
    match faults.is_empty() {
        true => Ok(Found::Passed(version)),
        false => Err(faults.join("; ")),
    }
}

/// Packs the crates as they would be published, each with the files that its users need, and compiles the program from these packages alone.
fn crates() -> Outcome<Found> {
    let folder = target().join("release-packages");
    let mut command = cargo();
    command.args(["package", "--quiet", "--allow-dirty", "--no-verify", "--target-dir"]).arg(&folder);
    check(command.args(CRATES.iter().flat_map(|name| ["--package", name])))?;
    let place = folder.join("unpacked");
    if place.exists() {
        std::fs::remove_dir_all(&place).map_err(|e| e.to_string())?;
    }
    std::fs::create_dir_all(&place).map_err(|e| e.to_string())?;
    let mut patches =
        String::from("[workspace]\nmembers = [\"mercer-cli\"]\nresolver = \"3\"\n\n[patch.crates-io]\n");
    let mut bytes = 0;
    for (name, file) in packed(&folder.join("package"))? {
        bytes += file.metadata().map_or(0, |m| m.len());
        let listed = output(Command::new("tar").arg("-tzf").arg(&file))?;
        for needed in ["Cargo.toml", "src/"] {
            if !listed.lines().any(|line| line.split_once('/').is_some_and(|(_, p)| p.starts_with(needed))) {
                return Err(format!("{name}: the package has no {needed}"));
            }
        }
        let own = place.join(&name);
        std::fs::create_dir_all(&own).map_err(|e| e.to_string())?;
        check(Command::new("tar").arg("-xzf").arg(&file).args(["--strip-components", "1", "-C"]).arg(&own))?;
        patches.push_str(&format!("{name} = {{ path = \"{name}\" }}\n"));
    }
    std::fs::write(place.join("Cargo.toml"), patches).map_err(|e| e.to_string())?;
    std::fs::copy(root().join("Cargo.lock"), place.join("Cargo.lock")).map_err(|e| e.to_string())?;
    let mut build = cargo();
    build.args(["check", "--quiet", "--package", "mercer-cli", "--target-dir"]).arg(folder.join("check"));
    check(build.current_dir(&place))?;
    Ok(Found::Passed(format!("{} crates, {} kB, compiled from their packages", CRATES.len(), bytes / 1000)))
}

/// Packages by name.
fn packed(folder: &Path) -> Outcome<BTreeMap<String, PathBuf>> {
    let mut found = BTreeMap::new();
    for name in CRATES {
        let newest = std::fs::read_dir(folder)
            .map_err(|e| format!("{}: {e}", folder.display()))?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                let file = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
                let rest = file.strip_prefix(name).and_then(|r| r.strip_prefix('-'));
                rest.is_some_and(|r| r.ends_with(".crate") && r.starts_with(|c: char| c.is_ascii_digit()))
            })
            .max_by_key(|path| path.metadata().and_then(|m| m.modified()).ok());
        found.insert(name.to_owned(), newest.ok_or_else(|| format!("{name} was not packed"))?);
    }
    Ok(found)
}

/// Wheels for Linux with an old C library, their size, and what an upload would refuse.
fn wheels() -> Outcome<Found> {
    let python = tools()?;
    let folder = fresh("release-wheels")?;
    let mut without = Vec::new();
    for system in WHEELS {
        if let Some(reason) = lacks_library(system) {
            without.push(reason);
            continue;
        }
        let mut build = in_tools(&python, "maturin")?;
        build.args(["build", "--release", "--zig", "--compatibility", "manylinux2014", "--target", system]);
        build.arg("--manifest-path").arg(root().join("python/Cargo.toml")).arg("--out").arg(&folder);
        check(build.env("CARGO_TARGET_DIR", target()))?;
    }
    let mut said = Vec::new();
    for wheel in files(&folder, ".whl")? {
        let size = wheel.metadata().map_or(0, |m| m.len());
        let name = wheel.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if size > LARGEST_WHEEL {
            return Err(format!("{name} has {size} bytes; {LARGEST_WHEEL} are the limit"));
        }
        let shown = output(in_tools(&python, "auditwheel")?.arg("show").arg(&wheel))?;
        println!("{shown}");
        if !(shown.contains("manylinux_2_17") || shown.contains("manylinux2014")) {
            return Err(format!("{name} needs a newer C library than that of 2014"));
        }
        check(in_tools(&python, "twine")?.args(["check", "--strict"]).arg(&wheel))?;
        said.push(format!("{name} {:.1} MB", size as f64 / 1e6));
    }
    match (said.is_empty(), without.is_empty()) {
        (true, _) => Ok(Found::NotDone(without.join("; "))),
        (_, true) => Ok(Found::Passed(said.join(", "))),
        _ => Ok(Found::NotDone(format!("{}; built: {}", without.join("; "), said.join(", ")))),
    }
}

/// The source distribution: what an upload would refuse, and that a wheel can be made from nothing else.
fn source() -> Outcome<Found> {
    let python = tools()?;
    let folder = fresh("release-source")?;
    let mut make = in_tools(&python, "maturin")?;
    make.arg("sdist").arg("--manifest-path").arg(root().join("python/Cargo.toml"));
    check(make.arg("--out").arg(&folder))?;
    let Some(archive) = files(&folder, ".tar.gz")?.into_iter().next() else {
        return Err("no source distribution was made".to_owned());
    };
    check(in_tools(&python, "twine")?.args(["check", "--strict"]).arg(&archive))?;
    let place = folder.join("unpacked");
    std::fs::create_dir_all(&place).map_err(|e| e.to_string())?;
    check(Command::new("tar").arg("-xzf").arg(&archive).args(["--strip-components", "1", "-C"]).arg(&place))?;
    // Compiled without being linked: the linking is that of the wheels.
    let mut build = cargo();
    build.args(["check", "--quiet", "--locked", "--package", "mercer-python", "--target-dir"]);
    check(build.arg(target().join("release-packages/check")).current_dir(&place))?;
    let size = archive.metadata().map_or(0, |m| m.len());
    Ok(Found::Passed(format!("{:.1} MB, compiled from the archive alone", size as f64 / 1e6)))
}

/// Installs the wheel of this computer into an empty environment, where no compiler is found, and runs the examples of its page and the
/// gallery.
fn installed() -> Outcome<Found> {
    let folder = target().join("release-wheels");
    let own = format!("{}.whl", std::env::consts::ARCH);
    let Some(wheel) = files(&folder, &own).ok().and_then(|f| f.into_iter().next()) else {
        return Ok(Found::NotDone(format!("no wheel for {} was built", std::env::consts::ARCH)));
    };
    let place = target().join("release-venv");
    if place.exists() {
        std::fs::remove_dir_all(&place).map_err(|e| e.to_string())?;
    }
    let python = python::environment("release-venv")?;
    let alone = |arguments: &[&str]| {
        let mut command = Command::new(&python);
        command.args(arguments).env("PATH", place.join("bin")).current_dir(&place).env_remove("PYTHONPATH");
        command
    };
    check(alone(&["-m", "pip", "install", "--quiet"]).arg(&wheel))?;
    let page = root().join("python/README.md");
    let script = "import doctest, sys; f, n = doctest.testfile(sys.argv[1], module_relative=False, \
                  optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS); print(n, 'examples'); sys.exit(f > 0)";
    let said = output(alone(&["-c", script]).arg(&page))?;
    println!("{said}");
    check(alone(&["-m", "pip", "install", "--quiet"]).args(GALLERY))?;
    let build = root().join("python/gallery/build.py");
    let pages = output(alone(&[]).arg(&build).arg(fresh("release-gallery")?))?;
    println!("{pages}");
    Ok(Found::Passed(format!(
        "{} of the package's page and {} notebooks of the gallery ran without a compiler",
        said.lines().last().unwrap_or_default(),
        pages.lines().count()
    )))
}

/// Compiles the program and the Python package for other systems.
fn systems() -> Outcome<Found> {
    let python = tools()?;
    let (mut said, mut without) = (Vec::new(), Vec::new());
    for system in SYSTEMS {
        if let Some(reason) = lacks_library(system) {
            without.push(reason);
            continue;
        }
        let mut build = in_tools(&python, "cargo-zigbuild")?;
        build.args([
            "check",
            "--quiet",
            "--package",
            "mercer-cli",
            "--package",
            "mercer-python",
            "--target",
            system,
        ]);
        check(build.arg("--target-dir").arg(target().join("release-packages/check")).current_dir(root()))?;
        said.push(system);
    }
    match without.is_empty() {
        true => Ok(Found::Passed(format!("compiled for {}", said.join(" and ")))),
        false => Ok(Found::NotDone(format!("{}; compiled for: {}", without.join("; "), said.join(" ")))),
    }
}

/// Why there is no standard library for a system, if there is none.
fn lacks_library(system: &str) -> Option<String> {
    let installed = || {
        let listed = output(Command::new("rustc").args(["--print", "target-libdir", "--target", system]));
        listed.is_ok_and(|folder| Path::new(&folder).is_dir())
    };
    if installed() {
        return None;
    }
    let _ = Command::new("rustup").args(["target", "add", system]).status();
    (!installed()).then(|| format!("{system}: no standard library (rustup target add {system})"))
}

/// An environment with the tools.
fn tools() -> Outcome<PathBuf> {
    let python = python::environment("release-tools")?;
    let marker = target().join("release-tools/complete");
    let wanted = TOOLS.join(" ");
    if std::fs::read_to_string(&marker).ok().as_deref() != Some(wanted.as_str()) {
        check(Command::new(&python).args(["-m", "pip", "install", "--quiet"]).args(TOOLS))?;
        std::fs::write(&marker, wanted).map_err(|e| e.to_string())?;
    }
    Ok(python)
}

/// A tool of the environment, which finds the others.
fn in_tools(python: &Path, name: &str) -> Outcome<Command> {
    let folder = python.parent().ok_or("the environment has no folder")?;
    let mut paths = vec![folder.to_path_buf()];
    paths.extend(std::env::var_os("PATH").iter().flat_map(std::env::split_paths));
    let mut command = Command::new(folder.join(name));
    command
        .env("PATH", std::env::join_paths(paths).map_err(|e| e.to_string())?)
        .env("VIRTUAL_ENV", folder.join(".."));
    Ok(command)
}

/// An empty folder in the build folder.
fn fresh(name: &str) -> Outcome<PathBuf> {
    let folder = target().join(name);
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}

/// The files of a folder whose names end so, in order.
fn files(folder: &Path, end: &str) -> Outcome<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut found: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    found.retain(|path| path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(end)));
    found.sort();
    Ok(found)
}

fn read(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn parse(path: &Path) -> Outcome<toml::Value> {
    toml::from_str(&read(path)?).map_err(|e| format!("{}: {e}", path.display()))
}
