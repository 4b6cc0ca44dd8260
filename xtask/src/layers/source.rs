//! The paths in a Rust file, without those in comments, strings and tests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::rust_files;
use crate::Outcome;

/// A file of a crate.
pub(super) struct Source {
    pub(super) file: PathBuf,
    /// The modules it is in, from the root of the crate.
    path: Vec<String>,
    /// Its code: comments, strings and tests are blank.
    code: String,
}

impl Source {
    /// The files of a crate that are not tests.
    pub(super) fn all(folder: &Path) -> Outcome<Vec<Source>> {
        let mut all = Vec::new();
        let mut tests = BTreeSet::new();
        for file in rust_files(folder)? {
            let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            let within = file.strip_prefix(folder).unwrap_or(&file).with_extension("");
            let mut path: Vec<String> = within.iter().map(|p| p.to_string_lossy().into_owned()).collect();
            if matches!(path.last().map(String::as_str), Some("mod")) {
                path.pop();
            }
            if matches!(path.iter().map(String::as_str).collect::<Vec<_>>()[..], ["lib" | "main"]) {
                path.clear();
            }
            let (code, own) = without_tests(&blank(&text));
            tests.extend(own.into_iter().map(|name| [path.clone(), vec![name]].concat()));
            all.push(Source { file, path, code });
        }
        let is_test = |s: &Source| {
            s.path.iter().any(|p| p == "tests") || (1..=s.path.len()).any(|n| tests.contains(&s.path[..n]))
        };
        all.retain(|s| !is_test(s));
        Ok(all)
    }

    /// Its top-level module; `None` for the root.
    pub(super) fn module(&self) -> Option<&String> {
        self.path.first()
    }

    /// The names after `crate::`, and those that `super::` resolves to in the root, with their lines.
    pub(super) fn paths(&self) -> Vec<(String, usize)> {
        let tokens = tokens(&self.code);
        let mut found = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            let start = at;
            let up = match tokens[at].0 {
                "crate" => self.path.len(),
                "super" => 1,
                _ => {
                    at += 1;
                    continue;
                }
            };
            at += 1;
            let mut up = up;
            while at + 1 < tokens.len() && tokens[at].0 == "::" && tokens[at + 1].0 == "super" {
                up += 1;
                at += 2;
            }
            if at + 1 >= tokens.len() || tokens[at].0 != "::" || up != self.path.len() {
                at = at.max(start + 1);
                continue;
            }
            let next = at + 1;
            if tokens[next].0 == "{" {
                found.extend(group(&tokens[next..]).into_iter().map(|(n, l)| (n.to_owned(), l)));
            } else {
                found.push((tokens[next].0.to_owned(), tokens[next].1));
            }
            at = next;
        }
        found.retain(|(name, _)| name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_'));
        found
    }
}

/// The modules that the root of a crate declares in other files.
pub(super) fn top_modules(sources: &[Source]) -> Vec<String> {
    let mut out = Vec::new();
    for source in sources.iter().filter(|s| s.path.is_empty()) {
        let tokens = tokens(&source.code);
        for three in tokens.windows(3) {
            if three[0].0 == "mod" && three[2].0 == ";" {
                out.push(three[1].0.to_owned());
            }
        }
    }
    out
}

/// Every word of a file's code, including tests.
pub(super) fn words(text: &str) -> Vec<String> {
    tokens(&blank(text)).into_iter().map(|(word, _)| word.to_owned()).collect()
}

/// The first names within braces: `a` and `b` of `{a::{x, y}, b}`.
fn group<'a>(tokens: &[(&'a str, usize)]) -> Vec<(&'a str, usize)> {
    let (mut depth, mut first, mut out) = (0, false, Vec::new());
    for &(token, line) in tokens {
        match token {
            "{" => {
                depth += 1;
                first = depth == 1;
            }
            "}" => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            "," => first = depth == 1,
            name if first => {
                out.push((name, line));
                first = false;
            }
            _ => {}
        }
    }
    out
}

/// Words, `::` and single other characters, with their lines.
fn tokens(code: &str) -> Vec<(&str, usize)> {
    let bytes = code.as_bytes();
    let (mut out, mut at, mut line) = (Vec::new(), 0, 1);
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
    while at < bytes.len() {
        let start = at;
        at += 1;
        match bytes[start] {
            b'\n' => line += 1,
            b if b.is_ascii_whitespace() => {}
            b':' if bytes.get(at) == Some(&b':') => {
                at += 1;
                out.push(("::", line));
            }
            b if is_word(b) => {
                while at < bytes.len() && is_word(bytes[at]) {
                    at += 1;
                }
                out.push((&code[start..at], line));
            }
            _ => out.push((&code[start..at], line)),
        }
    }
    out
}

/// The text with comments, strings and characters blanked, keeping the lines.
fn blank(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out: Vec<u8> = bytes.iter().map(|b| if *b == b'\n' { b'\n' } else { b' ' }).collect();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let length = if rest.starts_with(b"//") {
            rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len())
        } else if rest.starts_with(b"/*") {
            comment(rest)
        } else if let Some(length) = raw(rest, at.checked_sub(1).map(|i| bytes[i])) {
            length
        } else if rest[0] == b'"' {
            string(rest)
        } else if let Some(length) = character(rest) {
            length
        } else {
            out[at] = if rest[0].is_ascii() { rest[0] } else { b'_' };
            1
        };
        at += length;
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += 1;
        }
    }
    at
}

fn string(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != b'"' {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

/// The length of a raw string that begins here.
fn raw(rest: &[u8], before: Option<u8>) -> Option<usize> {
    if rest[0] != b'r' || before.is_some_and(|b| b != b'b' && (b.is_ascii_alphanumeric() || b == b'_')) {
        return None;
    }
    let marks = rest[1..].iter().take_while(|b| **b == b'#').count();
    if rest.get(1 + marks) != Some(&b'"') {
        return None;
    }
    let end: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', marks)).collect();
    let body = 2 + marks;
    let found = rest[body..].windows(end.len()).position(|w| w == end);
    Some(found.map_or(rest.len(), |at| body + at + end.len()))
}

/// The length of a character literal that begins here; `None` for a lifetime.
fn character(rest: &[u8]) -> Option<usize> {
    if rest[0] != b'\'' {
        return None;
    }
    if rest.get(1) == Some(&b'\\') {
        return rest.iter().skip(3).position(|b| *b == b'\'').map(|at| at + 4);
    }
    let text = std::str::from_utf8(&rest[1..rest.len().min(6)])
        .or_else(|e| std::str::from_utf8(&rest[1..1 + e.valid_up_to()]));
    let length = text.ok()?.chars().next()?.len_utf8();
    (rest.get(1 + length) == Some(&b'\'')).then_some(length + 2)
}

/// The code with test items blanked, and the names of test modules in other files.
fn without_tests(code: &str) -> (String, Vec<String>) {
    let mut bytes = code.as_bytes().to_vec();
    let mut modules = Vec::new();
    for attribute in ["#[cfg(test)]", "#[cfg(all(test"] {
        let mut from = 0;
        while let Some(found) = code[from..].find(attribute) {
            let start = from + found;
            let end = item(code, start);
            let words: Vec<&str> = tokens(&code[start..end]).iter().map(|t| t.0).collect();
            if let Some(at) = words.windows(3).position(|w| w[0] == "mod" && w[2] == ";") {
                modules.push(words[at + 1].to_owned());
            }
            bytes[start..end].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
            from = end.max(start + 1);
        }
    }
    (String::from_utf8_lossy(&bytes).into_owned(), modules)
}

/// The end of the item with the attribute at `start`: a semicolon or its closing brace.
fn item(code: &str, start: usize) -> usize {
    let (mut braces, mut brackets) = (0i64, 0i64);
    for (at, byte) in code.bytes().enumerate().skip(start) {
        match byte {
            b'[' | b'(' => brackets += 1,
            b']' | b')' => brackets -= 1,
            b'{' => braces += 1,
            b'}' => {
                braces -= 1;
                if braces <= 0 {
                    // `use a::{b};` ends after its brace.
                    let next = code[at + 1..].trim_start().starts_with(';');
                    return if next { at + 1 + code[at + 1..].find(';').unwrap_or(0) + 1 } else { at + 1 };
                }
            }
            b';' if braces == 0 && brackets == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &[&str], text: &str) -> Source {
        let path = path.iter().map(|p| (*p).to_owned()).collect();
        Source { file: PathBuf::new(), path, code: without_tests(&blank(text)).0 }
    }

    fn names(path: &[&str], text: &str) -> Vec<String> {
        source(path, text).paths().into_iter().map(|(n, l)| format!("{n}:{l}")).collect()
    }

    #[test]
    fn paths_of_all_kinds() {
        let text = "use crate::a::X;\nuse crate::{b::{Y, z}, c, D};\nfn f() { $crate::d::g(); super::super::e::h() }\nuse super::own;";
        assert_eq!(names(&["m", "n"], text), ["a:1", "b:2", "c:2", "d:3", "e:3"]);
        assert_eq!(names(&["m"], "use super::a::b; use super::{c, d::e};"), ["a:1", "c:1", "d:1"]);
        assert_eq!(names(&["m"], "pub(crate) fn f() {} pub(in crate::m) fn g() {}"), ["m:1"]);
    }

    #[test]
    fn comments_strings_and_tests_are_left_out() {
        let text = "// crate::a\n/* crate::b /* x */ crate::c */ let x = \"crate::d\"; let c = '\"'; let y = r#\"crate::e\"#;\n\
                    fn f<'a>(x: &'a str) { crate::f::g() }\n#[cfg(test)]\nmod tests { use crate::h; fn f() { {} } }\n\
                    #[cfg(test)]\nuse crate::{i, j};\nuse crate::k;";
        assert_eq!(names(&["m"], text), ["f:3", "k:8"]);
        let (_, modules) =
            without_tests("#[cfg(test)]\nmod a;\n#[cfg(all(test, feature = x))]\npub(crate) mod b;\nmod c;");
        assert_eq!(modules, ["a", "b"]);
    }
}
