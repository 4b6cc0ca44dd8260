//! Checks of Cargo.toml files: crates depend on lower ones, dependencies are used, and each has its reason.

use std::collections::BTreeSet;
use std::path::Path;

use super::declared::{Crate, Declaration};
use super::rust_files;
use super::source::words;
use crate::Outcome;

/// The tables of a manifest, and the folders whose sources may use their entries.
const TABLES: [(&str, &[&str]); 3] = [
    ("dependencies", &["src"]),
    ("dev-dependencies", &["src", "tests", "examples", "benches"]),
    ("build-dependencies", &["build.rs"]),
];

/// Checks the dependencies of crate number `at`, counted from the lowest.
pub(super) fn check(
    root: &Path,
    own: &Crate,
    declaration: &Declaration,
    at: usize,
    faults: &mut Vec<String>,
) -> Outcome<()> {
    let folder = root.join(&own.path);
    let manifest = format!("{}/Cargo.toml", own.path);
    let text = read(&root.join(&manifest))?;
    let table: toml::Table = text.parse().map_err(|e| format!("{manifest}: {e}"))?;
    for (name, folders) in TABLES {
        let Some(listed) = table.get(name).and_then(toml::Value::as_table) else { continue };
        let mut used = BTreeSet::new();
        for part in folders {
            for file in rust_files(&folder.join(part))? {
                used.extend(words(&read(&file)?));
            }
        }
        for dependency in listed.keys() {
            if let Some(other) = declaration.crates.iter().position(|c| c.name == *dependency)
                && other >= at
            {
                faults.push(format!(
                    "{manifest}: {} depends on {dependency}, which is in a higher layer",
                    own.name
                ));
            }
            if !used.contains(&dependency.replace('-', "_")) {
                faults.push(format!("{manifest}: {dependency} in [{name}] does not occur in any source"));
            }
        }
    }
    faults.extend(without_reason(&text).into_iter().map(|(dependency, line)| {
        format!("{manifest}:{line}: {dependency} has no comment above with its purpose")
    }));
    Ok(())
}

/// Checks that every dependency of the workspace is used by some crate.
pub(super) fn check_workspace(
    root: &Path,
    declaration: &Declaration,
    faults: &mut Vec<String>,
) -> Outcome<()> {
    let mut used = BTreeSet::new();
    for own in &declaration.crates {
        let text = read(&root.join(&own.path).join("Cargo.toml"))?;
        let table: toml::Table = text.parse().map_err(|e| format!("{}: {e}", own.path))?;
        let names = TABLES.iter().filter_map(|(name, _)| table.get(*name)?.as_table());
        used.extend(names.flat_map(|t| t.keys().cloned()));
    }
    let table: toml::Table =
        read(&root.join("Cargo.toml"))?.parse().map_err(|e| format!("Cargo.toml: {e}"))?;
    let workspace = table.get("workspace").ok_or("Cargo.toml: no workspace")?;
    let listed =
        workspace.get("dependencies").and_then(toml::Value::as_table).ok_or("Cargo.toml: no dependencies")?;
    for name in listed.keys().filter(|name| !used.contains(*name)) {
        // Tests and fuzzing may use the built program.
        if !declaration.crates.iter().any(|c| c.name == *name) {
            faults.push(format!("Cargo.toml: no crate uses {name}"));
        }
    }
    let members = workspace.get("members").and_then(toml::Value::as_array).ok_or("Cargo.toml: no members")?;
    for member in members.iter().filter_map(toml::Value::as_str) {
        if !declaration.crates.iter().any(|c| c.path == member) {
            faults.push(format!("layers.toml: no crate in {member}"));
        }
    }
    Ok(())
}

/// The dependencies without a comment above, with their lines.
fn without_reason(text: &str) -> Vec<(String, usize)> {
    let (mut inside, mut above, mut out) = (false, false, Vec::new());
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]");
        } else if inside && !line.is_empty() && !line.starts_with('#') && !above {
            let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
            out.push((name.to_owned(), number + 1));
        }
        above = line.starts_with('#');
    }
    out
}

fn read(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_dependency_has_a_line_above() {
        let text = "[package]\nname = \"a\"\n[dependencies]\n# For b.\nb = \"1\"\nc.workspace = true\n\n[dev-dependencies]\nd = \"1\"\n";
        assert_eq!(without_reason(text), [("c".to_owned(), 6), ("d".to_owned(), 9)]);
    }
}
