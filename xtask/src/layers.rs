//! Checks that crates and modules depend only on lower ones, in the order that `layers.toml` declares.
//!
//! Every path that begins with `crate` or leaves a top-level module by `super` is an edge between two modules.
//! Documentation and tests are exempt. Cargo.toml files are checked too: crates depend on lower ones, dependencies
//! occur in the sources, and each has its reason in the line above.

mod declared;
mod dependencies;
mod map;
mod source;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use self::declared::{Crate, Declaration};
use self::source::Source;
use crate::{Outcome, root};

/// `cargo xtask layers`.
pub(crate) fn run(words: &[String]) -> Outcome<()> {
    let write = match words {
        [] => false,
        [word] if word == "--write" => true,
        _ => return Err(format!("unknown arguments: {}", words.join(" "))),
    };
    let root = root();
    let declaration = Declaration::read(&root.join("layers.toml"))?;
    let mut faults = Vec::new();
    let mut edges = 0;
    for (at, own) in declaration.crates.iter().enumerate() {
        let below = &declaration.crates[..at];
        edges += check(&root, own, below, &mut faults)?;
        dependencies::check(&root, own, &declaration, at, &mut faults)?;
    }
    dependencies::check_workspace(&root, &declaration, &mut faults)?;
    map::check(&root, &declaration, write, &mut faults)?;
    if !faults.is_empty() {
        return Err(format!("{} faults\n{}", faults.len(), faults.join("\n")));
    }
    let modules: usize =
        declaration.crates.iter().map(|c| c.layers.iter().map(|l| l.modules.len()).sum::<usize>()).sum();
    println!(
        "layers: {} crates, {modules} modules, {edges} edges between modules, all to lower layers",
        declaration.crates.len()
    );
    Ok(())
}

/// Compares the paths in the sources of a crate with its layers; returns the number of edges.
fn check(root: &Path, own: &Crate, below: &[Crate], faults: &mut Vec<String>) -> Outcome<usize> {
    let folder = root.join(&own.path).join("src");
    let sources = Source::all(&folder)?;
    if own.layers.is_empty() {
        return Ok(0);
    }
    for module in source::top_modules(&sources) {
        if own.place(&module).is_none() {
            faults.push(format!("{}: module `{module}` is not in layers.toml", own.path));
        }
    }
    for module in own.layers.iter().flat_map(|l| &l.modules) {
        if !sources.iter().any(|s| s.module() == Some(module)) {
            faults.push(format!("layers.toml: {} has no module `{module}`", own.path));
        }
    }
    let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
    for source in &sources {
        let Some(from) = source.module() else { continue };
        let Some(low) = own.place(from) else { continue };
        for (name, line) in source.paths() {
            if name == *from {
                continue;
            }
            let shown = || {
                let file = source.file.strip_prefix(root).unwrap_or(&source.file);
                format!("{}:{line}", file.display())
            };
            let Some(high) = own.place(&name) else {
                // Modules re-exported by a crate come from a lower one; types and functions of its root have no layer.
                let is_reexported =
                    below.iter().any(|c| c.place(&name).is_some() || c.name.replace('-', "_") == name);
                if !is_reexported && own.knows(&sources, &name) {
                    faults.push(format!("{}: `{name}` is not in layers.toml", shown()));
                }
                continue;
            };
            *seen.entry((from.to_owned(), name.clone())).or_default() += 1;
            if high > low {
                faults.push(format!("{}: `{from}` uses `{name}` of a higher layer", shown()));
            } else if high == low && own.layers[low].circle.is_none() {
                faults.push(format!("{}: `{from}` uses `{name}` of the same layer", shown()));
            }
        }
    }
    // A declared cycle that no longer exists must be removed.
    for layer in own.layers.iter().filter(|l| l.circle.is_some()) {
        let inside = seen.keys().any(|(a, b)| layer.modules.contains(a) && layer.modules.contains(b));
        if !inside || layer.modules.len() < 2 {
            faults.push(format!(
                "layers.toml: {} declares a cycle of {}, but there is none",
                own.path,
                layer.modules.join(", ")
            ));
        }
    }
    Ok(seen.len())
}

/// The Rust files of a folder, in order of their names.
fn rust_files(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(next) = left.pop() {
        if !next.is_dir() {
            continue;
        }
        let entries = std::fs::read_dir(&next).map_err(|e| format!("{}: {e}", next.display()))?;
        for entry in entries {
            let path = entry.map_err(|e| e.to_string())?.path();
            if path.is_dir() {
                left.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
