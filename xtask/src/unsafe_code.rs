//! Checks that unsafe code is only in listed files and that each occurrence has a SAFETY comment.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::Outcome;

/// The folders that are checked.
const FOLDERS: [&str; 10] = [
    "crates/mercer/src",
    "crates/mercer-cli/src",
    "crates/mercer-core/src",
    "crates/mercer-read/src",
    "crates/mercer-report/src",
    "crates/mercer-reproduce/src",
    "python/src",
    "fuzz/src",
    "bench/src",
    "xtask/src",
];
/// The files that may contain unsafe code, and its purpose.
const FILES: [(&str, &str); 10] = [
    ("crates/mercer-core/src/budget/counting.rs", "a counting allocator, and settings of glibc's allocator"),
    ("crates/mercer-core/src/gram/block.rs", "tiles of a block written by several threads"),
    ("crates/mercer-core/src/gram/canvas.rs", "tiles of one matrix written by several threads"),
    ("crates/mercer-core/src/gram/engine.rs", "the only caller of the canvas"),
    ("crates/mercer/src/files/gram.rs", "matrices written through a memory map"),
    ("crates/mercer-core/src/gram/stream.rs", "non-temporal stores"),
    ("crates/mercer-core/src/numeric/math.rs", "instructions whose support was detected"),
    ("crates/mercer-core/src/numeric/scalar.rs", "advice on the pages of a matrix"),
    ("python/src/array.rs", "arrays borrowed from NumPy"),
    ("python/src/run.rs", "thread pools of one process each"),
];
/// The same for developer tools.
const TOOLS: [(&str, &str); 1] = [("fuzz/src/limits.rs", "a counting allocator")];
/// Maximum number of comment or attribute lines between an occurrence and its SAFETY line.
const ABOVE: usize = 12;

/// The number of unsafe occurrences in each file, and the faults found.
pub(crate) fn inventory(root: &Path) -> Outcome<(BTreeMap<String, usize>, Vec<String>)> {
    let (mut found, mut faults) = (BTreeMap::new(), Vec::new());
    for folder in FOLDERS {
        for path in sources(&root.join(folder))? {
            let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            let lines: Vec<&str> = text.lines().collect();
            let places = places(&text);
            for &line in &places {
                if !has_reason(&lines, line) {
                    faults.push(format!("{name}:{}: unsafe code without a SAFETY line", line + 1));
                }
            }
            if !places.is_empty() {
                found.insert(name, places.len());
            }
        }
    }
    let listed: Vec<&str> = FILES.iter().chain(&TOOLS).map(|(file, _)| *file).collect();
    let unlisted = found.keys().filter(|name| !listed.contains(&name.as_str()));
    faults.extend(unlisted.map(|name| format!("{name}: unsafe code in an unlisted file")));
    let idle = listed.iter().filter(|name| !found.contains_key(**name));
    faults.extend(idle.map(|name| format!("{name}: listed, but without unsafe code")));
    Ok((found, faults))
}

fn sources(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut out = Vec::new();
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|e| e.to_string())?.path();
        if path.is_dir() {
            out.extend(sources(&path)?);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
    out.sort_unstable();
    Ok(out)
}

/// The lines, from 0, that contain the keyword `unsafe` in code.
fn places(text: &str) -> Vec<usize> {
    let code = without_strings(text);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut lines = Vec::new();
    for (number, line) in code.lines().enumerate() {
        for (at, _) in line.match_indices("unsafe") {
            let before = line[..at].chars().next_back().is_some_and(is_word);
            let after = line[at + 6..].chars().next().is_some_and(is_word);
            if !before && !after {
                lines.push(number);
            }
        }
    }
    lines
}

/// The code with comments and strings blanked, keeping the lines.
fn without_strings(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut i = 0;
    let blank = |out: &mut String, c: char| out.push(if c == '\n' { '\n' } else { ' ' });
    while i < chars.len() {
        let next = chars.get(i + 1).copied();
        match (chars[i], next) {
            ('/', Some('/')) => {
                while i < chars.len() && chars[i] != '\n' {
                    i += 1;
                }
            }
            ('/', Some('*')) => {
                let mut depth = 0;
                while i < chars.len() {
                    match (chars[i], chars.get(i + 1)) {
                        ('/', Some('*')) => (depth, i) = (depth + 1, i + 1),
                        ('*', Some('/')) => (depth, i) = (depth - 1, i + 1),
                        (c, _) => blank(&mut out, c),
                    }
                    i += 1;
                    if depth == 0 {
                        break;
                    }
                }
            }
            ('r', Some('"' | '#')) if raw(&chars, i).is_some() => {
                let end = raw(&chars, i).unwrap_or(i + 1);
                chars[i..end].iter().for_each(|c| blank(&mut out, *c));
                i = end;
            }
            ('"', _) => {
                i += 1;
                while i < chars.len() && chars[i] != '"' {
                    if chars[i] == '\\' {
                        i += 1;
                    }
                    if let Some(c) = chars.get(i) {
                        blank(&mut out, *c);
                    }
                    i += 1;
                }
                i += 1;
            }
            // A quote as a character literal; a lifetime has no second quote.
            ('\'', Some('\\')) => {
                i += 3;
                while i < chars.len() && chars[i] != '\'' {
                    i += 1;
                }
                i += 1;
            }
            ('\'', Some(_)) if chars.get(i + 2) == Some(&'\'') => i += 3,
            (c, _) => {
                out.push(c);
                i += 1;
            }
        }
    }
    out
}

/// The end of a raw string that begins at `i`.
fn raw(chars: &[char], i: usize) -> Option<usize> {
    let hashes = chars[i + 1..].iter().take_while(|c| **c == '#').count();
    if chars.get(i + 1 + hashes) != Some(&'"')
        || i > 0 && (chars[i - 1].is_alphanumeric() || chars[i - 1] == '_')
    {
        return None;
    }
    let mut at = i + 2 + hashes;
    while at < chars.len() {
        if chars[at] == '"' && chars[at + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes {
            return Some(at + 1 + hashes);
        }
        at += 1;
    }
    Some(chars.len())
}

/// Whether a line, or the comment above its statement, has the reason for soundness: `SAFETY:`, or `# Safety` for the
/// obligations of callers.
fn has_reason(lines: &[&str], line: usize) -> bool {
    let said = |l: &str| l.contains("SAFETY:") || l.contains("# Safety");
    let comment = |l: &str| l.trim_start().starts_with("//") || l.trim_start().starts_with("#[");
    // Methods of an unsafe impl are covered by the comment above the impl; their bodies have their own comments.
    if lines[line].trim_start().starts_with("unsafe fn") && lines[line].starts_with(' ') {
        let header =
            lines[..line].iter().rposition(|l| l.starts_with("unsafe impl") || l.starts_with("impl"));
        if header.is_some_and(|at| lines[at].starts_with("unsafe impl")) {
            return true;
        }
    }
    let above = lines[..line].iter().rev().take(ABOVE);
    let mut seen_comment = false;
    for l in above {
        if said(l) {
            return true;
        }
        // A statement may begin some lines above; a comment ends at the code before it.
        if seen_comment && !comment(l) || l.trim_end().ends_with(['}', ';']) {
            return false;
        }
        seen_comment |= comment(l);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_code_is_listed_and_has_reasons() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let (found, faults) = inventory(root).unwrap();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        assert_eq!(found.len(), FILES.len() + TOOLS.len());
    }

    #[test]
    fn comments_and_strings_are_not_code() {
        let text = "// unsafe\n/* unsafe /* */ unsafe */ let a = \"unsafe \\\" unsafe\";\nlet b = r#\"unsafe\"#;\n\
                    let c = '\"'; unsafe { f() }\nlet unsafely = 'u'; fn g<'a>() {}\n#![forbid(unsafe_code)]\n";
        assert_eq!(places(text), [3]);
    }

    #[test]
    fn missing_reasons_are_found() {
        let lines = |text: &'static str| text.lines().collect::<Vec<_>>();
        assert!(has_reason(&lines("// SAFETY: so.\nlet a =\n    unsafe { f() };"), 2));
        assert!(has_reason(&lines("/// # Safety\n/// The caller must.\npub unsafe fn f() {}"), 2));
        assert!(!has_reason(&lines("// SAFETY: so.\nlet a = 1;\nlet b = unsafe { f() };"), 2));
        assert!(!has_reason(&lines("let b = unsafe { f() };"), 0));
        assert!(!has_reason(&lines("impl A {\n    // Other words.\n    unsafe fn f() {}"), 2));
    }
}
