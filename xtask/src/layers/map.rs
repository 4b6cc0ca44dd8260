//! The map in ARCHITECTURE.md.

use std::fmt::Write;
use std::path::Path;

use super::declared::Declaration;
use crate::Outcome;

const BEGIN: &str = "<!-- made by cargo xtask layers --write from layers.toml -->\n";
const END: &str = "<!-- end of the map -->\n";

/// Compares the map with the declaration, or writes it anew.
pub(super) fn check(
    root: &Path,
    declaration: &Declaration,
    write: bool,
    faults: &mut Vec<String>,
) -> Outcome<()> {
    let path = root.join("ARCHITECTURE.md");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let (Some(begin), Some(end)) = (text.find(BEGIN), text.find(END)) else {
        return Err(format!(
            "ARCHITECTURE.md: no place for the map between {} and {}",
            BEGIN.trim(),
            END.trim()
        ));
    };
    let new = format!("{}{BEGIN}{}{}", &text[..begin], map(declaration), &text[end..]);
    if new == text {
        return Ok(());
    }
    if write {
        return std::fs::write(&path, new).map_err(|e| format!("{}: {e}", path.display()));
    }
    faults.push("ARCHITECTURE.md: the map is not that of layers.toml: cargo xtask layers --write".into());
    Ok(())
}

fn map(declaration: &Declaration) -> String {
    let mut out = String::from("\n| crate and modules, from low to high | what is in them |\n|---|---|\n");
    for own in &declaration.crates {
        // Writing to a text cannot fail.
        let _ = writeln!(out, "| **`{}/`** | {} |", own.path, own.about);
        for layer in &own.layers {
            let names: Vec<String> = layer.modules.iter().map(|m| format!("`{m}`")).collect();
            let circle = layer.circle.as_ref().map_or_else(String::new, |why| format!(" (a circle: {why})"));
            let _ = writeln!(out, "| {} | {}{circle} |", names.join(" "), layer.about);
        }
    }
    out.push('\n');
    out
}
