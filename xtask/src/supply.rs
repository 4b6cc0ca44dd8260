//! Third-party code: licences, versions and sources of dependencies; and our own unsafe code.
//!
//! The checks of `cargo metadata` and of the pinned copy of the advisories need no tool and always run. cargo-deny
//! repeats them if it is installed, with the newest advisories if they can be reached.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::unsafe_code;
use crate::{Outcome, cargo, root};
use crate::{advisories, sbom};

/// The version of cargo-deny that `--install` installs.
const DENY: &str = "0.20.2";
/// The registry that packages come from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";
/// Modules with unsafe code, whose tests valgrind runs.
const MODULES: [(&str, &[&str]); 2] = [
    ("mercer-core", &["gram::canvas", "gram::stream", "gram::engine", "numeric::math"]),
    ("mercer", &["files::gram"]),
];

/// `cargo xtask supply`.
pub(crate) fn run(words: &[String]) -> Outcome<()> {
    let has = |word: &str| words.iter().any(|w| w == word);
    if let ["--pin", folder, day] = words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        return advisories::pin(Path::new(folder), day);
    }
    if let Some(other) = words.iter().find(|w| !matches!(w.as_str(), "--install" | "--valgrind" | "--sbom")) {
        return Err(format!("unknown argument: {other}"));
    }
    if has("--sbom") {
        return sbom::write();
    }
    always()?;
    deny(has("--install"))?;
    if has("--valgrind") {
        valgrind()?;
    }
    Ok(())
}

/// The checks that need no tool.
pub(crate) fn always() -> Outcome<()> {
    let tree = Tree::read()?;
    let rules = Rules::read()?;
    let mut faults = tree.faults(&rules);
    let checked = advisories::check(tree.packages.iter().map(|p| (p.name.as_str(), p.version.as_str())));
    let newest = match (deny_program().is_some(), advisories_reached()) {
        (true, true) => "checked by cargo-deny",
        (true, false) => "not done: the database cannot be reached",
        (false, _) => "not done: cargo-deny is not installed",
    };
    let figures = json!({
        "crates": tree.packages.len(), "licences": rules.allowed.len(), "duplicates": tree.duplicates().len(),
        "advisories": checked.figures(), "newest_advisories": newest, "platforms": tree.platforms,
    });
    println!("advisories: {}; the newest: {newest}", checked.said);
    checked.notes.iter().for_each(|note| println!("  {note}"));
    faults.extend(checked.faults.iter().cloned());
    println!(
        "{} third-party crates, {} licences, {} crates in several versions ({})",
        tree.packages.len(),
        rules.allowed.len(),
        tree.duplicates().len(),
        tree.platforms
    );
    let (code, bad) = unsafe_code::inventory(&root())?;
    println!("{} places of unsafe code in {} files", code.values().sum::<usize>(), code.len());
    faults.extend(bad);
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    measured("supply", "xtask supply", figures)?;
    let figures =
        json!({"places": code.values().sum::<usize>(), "files": code.len(), "without_safety_line": 0});
    measured("unsafe", "xtask supply", figures)
}

/// Appends figures to the file named by `MERCER_TRUST_FIGURES`.
pub(crate) fn measured(promise: &str, test: &str, figures: Value) -> Outcome<()> {
    use std::io::Write;
    let Some(path) = std::env::var_os("MERCER_TRUST_FIGURES") else { return Ok(()) };
    let line = format!("{}\n", json!({"promise": promise, "test": test, "figures": figures}));
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut f| f.write_all(line.as_bytes())).map_err(|e| e.to_string())
}

/// A third-party package: name, version, licence.
struct Package {
    name: String,
    version: String,
    licence: String,
    source: String,
}

/// All packages that a build may use.
struct Tree {
    packages: Vec<Package>,
    platforms: &'static str,
}

impl Tree {
    fn read() -> Outcome<Tree> {
        let (document, platforms) = metadata()?;
        Ok(Tree { packages: packages(&document), platforms })
    }

    /// Names with several versions.
    fn duplicates(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut all: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for package in &self.packages {
            all.entry(&package.name).or_default().insert(&package.version);
        }
        all.retain(|_, versions| versions.len() > 1);
        all
    }

    /// Violations of the rules, and rules without effect.
    fn faults(&self, rules: &Rules) -> Vec<String> {
        let mut faults = Vec::new();
        let mut used = BTreeSet::new();
        for package in &self.packages {
            let Package { name, version, licence, source } = package;
            match allowed(licence, &rules.allowed) {
                Some(by) => used.extend(by),
                None => faults.push(format!("{name} {version}: licence '{licence}' is not in deny.toml")),
            }
            if source != REGISTRY {
                faults.push(format!("{name} {version}: from {source}"));
            }
        }
        let idle = rules.allowed.iter().filter(|l| !used.contains(*l));
        // If a crate offers a choice, the first allowed licence counts; one may be unused on a single platform.
        if self.platforms == "all platforms" {
            faults.extend(idle.map(|l| format!("deny.toml allows {l}, which no crate needs")));
        }
        for (name, versions) in self.duplicates() {
            let skipped = |v: &&&str| rules.skipped.iter().any(|s| is_of(s, name, v));
            let kept = versions.iter().filter(|v| !skipped(v)).count();
            if kept > 1 {
                faults.push(format!(
                    "{name} in versions {versions:?}, not all of which are listed in deny.toml"
                ));
            }
        }
        faults
    }
}

/// The cargo metadata of all packages, and for which platforms.
pub(crate) fn metadata() -> Outcome<(Value, &'static str)> {
    let host = format!("--filter-platform={}", host()?);
    // Packages for other systems may never have been downloaded here.
    let ways: [(&[&str], &str); 3] =
        [(&["--offline"], "all platforms"), (&[], "all platforms"), (&["--offline", &host], "this platform")];
    let mut last = String::new();
    for (words, platforms) in ways {
        let mut command = cargo();
        command.args(["metadata", "--format-version=1", "--locked", "--all-features"]).args(words);
        let output = command.output().map_err(|e| e.to_string())?;
        if output.status.success() {
            let document = serde_json::from_slice(&output.stdout).map_err(|e| e.to_string())?;
            return Ok((document, platforms));
        }
        last = String::from_utf8_lossy(&output.stderr).into_owned();
    }
    Err(format!("cargo metadata: {last}"))
}

/// Whether a version matches `name@1` or `name@0.2`.
fn is_of(skip: &str, name: &str, version: &str) -> bool {
    let Some((known, prefix)) = skip.split_once('@') else { return false };
    known == name && (version == prefix || version.starts_with(&format!("{prefix}.")))
}

fn packages(document: &Value) -> Vec<Package> {
    let used: BTreeSet<&str> = document["resolve"]["nodes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|n| n["id"].as_str())
        .collect();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = document["packages"].as_array().into_iter().flatten();
    let others =
        all.filter(|p| p["source"].is_string() && p["id"].as_str().is_some_and(|id| used.contains(id)));
    others
        .map(|p| Package {
            name: text(&p["name"]),
            version: text(&p["version"]),
            licence: text(&p["license"]),
            source: text(&p["source"]),
        })
        .collect()
}

/// The rules of deny.toml.
struct Rules {
    allowed: Vec<String>,
    skipped: Vec<String>,
}

impl Rules {
    fn read() -> Outcome<Rules> {
        let text =
            std::fs::read_to_string(root().join("deny.toml")).map_err(|e| format!("deny.toml: {e}"))?;
        let document: toml::Table = text.parse().map_err(|e| format!("deny.toml: {e}"))?;
        let list = |section: &str, key: &str| document.get(section)?.get(key)?.as_array().cloned();
        let allowed = list("licenses", "allow").unwrap_or_default();
        let skipped = list("bans", "skip").unwrap_or_default();
        let text = |v: &toml::Value| v.as_str().map(str::to_owned);
        Ok(Rules {
            allowed: allowed.iter().filter_map(text).collect(),
            skipped: skipped.iter().filter_map(|v| v.get("crate").and_then(text)).collect(),
        })
    }
}

/// The licences that allow a crate with that SPDX expression: of a choice, the first allowed one.
fn allowed(expression: &str, list: &[String]) -> Option<Vec<String>> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let result = any(&words, &mut at, list)?;
    if at == words.len() { result } else { None }
}

/// `a OR b`: the outer option is `None` for an invalid expression, the inner one if it is not allowed.
fn any(words: &[&str], at: &mut usize, list: &[String]) -> Option<Option<Vec<String>>> {
    let mut found = all(words, at, list)?;
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        let other = all(words, at, list)?;
        found = found.or(other);
    }
    Some(found)
}

fn all(words: &[&str], at: &mut usize, list: &[String]) -> Option<Option<Vec<String>>> {
    let mut found = one(words, at, list)?;
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        let other = one(words, at, list)?;
        found = found.zip(other).map(|(a, b)| [a, b].concat());
    }
    Some(found)
}

fn one(words: &[&str], at: &mut usize, list: &[String]) -> Option<Option<Vec<String>>> {
    let word = *words.get(*at)?;
    *at += 1;
    if word == "(" {
        let inner = any(words, at, list)?;
        *at += 1;
        return (words.get(*at - 1) == Some(&")")).then_some(inner);
    }
    let mut name = word.to_owned();
    if words.get(*at) == Some(&"WITH") {
        name = format!("{name} WITH {}", words.get(*at + 1)?);
        *at += 2;
    }
    Some(list.contains(&name).then(|| vec![name]))
}

/// The host triple of the compiler.
pub(crate) fn host() -> Outcome<String> {
    let output = Command::new("rustc").arg("-vV").output().map_err(|e| format!("rustc: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|l| l.strip_prefix("host: "));
    line.map(str::to_owned).ok_or_else(|| "rustc does not report its host".to_owned())
}

/// cargo-deny, from the folder used by `--install` or from the search path.
fn deny_program() -> Option<PathBuf> {
    let own = root().join("target/tools/bin/cargo-deny");
    [own, PathBuf::from("cargo-deny")].into_iter().find(|p| {
        let mut command = Command::new(p);
        command
            .args(["deny", "--version"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null());
        command.status().is_ok_and(|s| s.success())
    })
}

/// Whether cargo-deny is installed and its advisory database can be reached.
fn advisories_reached() -> bool {
    let Some(program) = deny_program() else { return false };
    let mut command = Command::new(program);
    command.args(["deny", "fetch", "db"]).current_dir(root());
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    command.status().is_ok_and(|s| s.success())
}

/// Runs cargo-deny: all checks if advisories can be reached, otherwise all but those.
pub(crate) fn deny(install: bool) -> Outcome<()> {
    if deny_program().is_none() && install {
        println!("installing cargo-deny {DENY} into target/tools");
        let tools = root().join("target/tools");
        let mut command = cargo();
        command.args(["install", "cargo-deny", "--locked", "--version", DENY, "--root"]).arg(tools);
        if !command.status().is_ok_and(|s| s.success()) {
            return Err(format!("cargo-deny {DENY} could not be installed"));
        }
    }
    let Some(program) = deny_program() else {
        println!("cargo-deny is not installed (--install does): advisories were not checked");
        return Ok(());
    };
    let mut command = Command::new(program);
    command.arg("deny").current_dir(root());
    if advisories_reached() {
        command.args(["check", "advisories"]);
    } else {
        println!("the database of advisories cannot be reached: advisories were not checked");
        command.args(["--offline", "check"]);
    }
    command.args(["licenses", "bans", "sources"]);
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("cargo-deny: {status}")),
        Err(e) => Err(format!("cargo-deny: {e}")),
    }
}

/// The unit tests of modules with unsafe code under valgrind's memcheck.
fn valgrind() -> Outcome<()> {
    if !Command::new("valgrind").arg("--version").status().is_ok_and(|s| s.success()) {
        return Err("valgrind is not installed: unsafe code was not run under it".into());
    }
    let mut all = 0;
    for (package, modules) in MODULES {
        all += under_valgrind(package, modules)?;
    }
    measured("unsafe", "xtask supply --valgrind", json!({"under": "valgrind", "tests": all, "errors": 0}))
}

/// Runs the unit tests of some modules under valgrind, and gives their number.
fn under_valgrind(package: &str, modules: &[&str]) -> Outcome<u64> {
    let mut command = cargo();
    command.args(["test", "--package", package, "--lib", "--no-run", "--message-format=json"]);
    command.stderr(std::process::Stdio::inherit());
    let output = command.output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let target = package.replace('-', "_");
    let tests = text.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok()).find_map(|m| {
        let own = m["profile"]["test"] == true && m["target"]["name"] == target.as_str();
        own.then(|| m["executable"].as_str().map(str::to_owned)).flatten()
    });
    let tests = tests.ok_or("the unit tests could not be built")?;
    let mut command = Command::new("valgrind");
    command
        .args(["--quiet", "--error-exitcode=99", "--leak-check=no", &tests, "--test-threads=1"])
        .args(modules);
    let folder = root().join("crates").join(package);
    let output = command.current_dir(folder).output().map_err(|e| e.to_string())?;
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    print!("{shown}{}", String::from_utf8_lossy(&output.stderr));
    let passed = shown
        .lines()
        .find_map(|l| l.strip_prefix("test result: ok. ")?.split(' ').next()?.parse::<u64>().ok());
    match passed {
        Some(tests @ 1..) if output.status.success() => Ok(tests),
        _ => Err(format!("valgrind: {}", output.status)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_of_licences() {
        let list: Vec<String> = ["MIT", "Zlib", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned).to_vec();
        let by = |text: &str| allowed(text, &list).map(|l| l.join("+"));
        assert_eq!(by("MIT").as_deref(), Some("MIT"));
        assert_eq!(by("Apache-2.0 OR MIT").as_deref(), Some("MIT"));
        assert_eq!(by("Apache-2.0/MIT").as_deref(), Some("MIT"));
        assert_eq!(by("(Apache-2.0 OR MIT) AND Zlib").as_deref(), Some("MIT+Zlib"));
        assert_eq!(
            by("Apache-2.0 WITH LLVM-exception OR GPL-3.0").as_deref(),
            Some("Apache-2.0 WITH LLVM-exception")
        );
        for bad in ["GPL-3.0", "MIT AND GPL-3.0", "", "(MIT", "MIT)", "MIT MIT", "MIT OR", "Apache-2.0"] {
            assert_eq!(by(bad), None, "{bad}");
        }
    }

    #[test]
    fn unlisted_licences_sources_and_versions_are_faults() {
        let package = |name: &str, version: &str, licence: &str, source: &str| Package {
            name: name.into(),
            version: version.into(),
            licence: licence.into(),
            source: source.into(),
        };
        let rules = Rules { allowed: vec!["MIT".into(), "Zlib".into()], skipped: vec!["a@0.2".into()] };
        let tree = Tree {
            packages: vec![
                package("a", "0.2.9", "MIT", REGISTRY),
                package("a", "0.20.0", "MIT", REGISTRY),
                package("b", "1.0.0", "GPL-3.0", REGISTRY),
                package("c", "1.0.0", "MIT", "git+https://example.org/c"),
                package("c", "2.0.0", "MIT", REGISTRY),
            ],
            platforms: "all platforms",
        };
        let faults = tree.faults(&rules);
        assert_eq!(faults.len(), 4, "{faults:?}");
        for (fault, part) in faults.iter().zip(["GPL-3.0", "git+", "Zlib, which no crate", "c in versions"]) {
            assert!(fault.contains(part), "{fault}");
        }
    }
}
