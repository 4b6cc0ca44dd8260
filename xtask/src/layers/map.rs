//! The map in ARCHITECTURE.md.

use std::fmt::Write;
use std::path::Path;

use super::declared::{Declaration, Layer};
use crate::Outcome;

const BEGIN: &str = "<!-- made by cargo xtask layers --write from layers.toml -->\n";
const END: &str = "<!-- end of the map -->\n";

/// Compares the map with the declaration, or rewrites it.
pub(super) fn check(
    root: &Path,
    declaration: &Declaration,
    write: bool,
    faults: &mut Vec<String>,
) -> Outcome<()> {
    let path = root.join("ARCHITECTURE.md");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let (Some(begin), Some(end)) = (text.find(BEGIN), text.find(END)) else {
        return Err(format!("ARCHITECTURE.md: no markers {} and {} for the map", BEGIN.trim(), END.trim()));
    };
    let new = format!("{}{BEGIN}{}{}", &text[..begin], map(declaration), &text[end..]);
    if new == text {
        return Ok(());
    }
    if write {
        return std::fs::write(&path, new).map_err(|e| format!("{}: {e}", path.display()));
    }
    faults.push("ARCHITECTURE.md: the map does not match layers.toml: run cargo xtask layers --write".into());
    Ok(())
}

fn map(declaration: &Declaration) -> String {
    let mut out = String::from("\n| crate and modules, from low to high | what is in them |\n|---|---|\n");
    let names = |layer: &Layer| layer.modules.iter().map(|m| format!("`{m}`")).collect::<Vec<_>>().join(" ");
    for own in &declaration.crates {
        let modules: Vec<String> = own.layers.iter().map(names).filter(|_| own.folded).collect();
        let modules = if modules.is_empty() { String::new() } else { format!(": {}", modules.join(" › ")) };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "| **`{}/`** | {}{modules} |", own.path, own.about);
        for layer in own.layers.iter().filter(|_| !own.folded) {
            let _ = writeln!(out, "| {} | {} |", names(layer), layer.about);
        }
    }
    out.push('\n');
    out
}
