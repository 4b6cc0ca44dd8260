//! The guide: every command on its pages is run and must print the output on the page, and every link must be valid.
//!
//! Each page is tested in its own folder, with the files of its `file=` blocks. Its Rust code is run as documentation
//! tests (`crates/mercer/src/guide.rs`), its Python code by `python/tests/test_guide.py`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::run::Folder;

/// A line that matches any number of lines.
const GAP: &str = "…";

/// Smaller numbers are rounding errors.
const ROUNDING: f64 = 1e-11;

/// A block of code.
struct Block {
    /// The number of its first line.
    line: usize,
    /// The info string after the fence.
    info: String,
    lines: Vec<String>,
}

impl Block {
    /// The file it is written to.
    fn file(&self) -> Option<&str> {
        self.info.split_whitespace().find_map(|word| word.strip_prefix("file="))
    }
}

fn guide() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The pages by name, with their text.
fn pages() -> Vec<(String, String)> {
    let mut names: Vec<String> = std::fs::read_dir(guide().join("src"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".md"))
        .collect();
    names.sort();
    assert!(names.len() > 15, "{names:?}");
    names.into_iter().map(|name| (name.clone(), read(&guide().join("src").join(name)))).collect()
}

/// The blocks of a page.
fn blocks(page: &str, text: &str) -> Vec<Block> {
    let mut out: Vec<Block> = Vec::new();
    let mut within: Option<Block> = None;
    for (at, line) in text.lines().enumerate() {
        match within.take() {
            Some(block) if line == "```" => out.push(block),
            Some(mut block) => {
                block.lines.push(line.to_owned());
                within = Some(block);
            }
            None => {
                if let Some(info) = line.strip_prefix("```") {
                    within = Some(Block { line: at + 2, info: info.to_owned(), lines: Vec::new() });
                } else {
                    assert!(!line.trim_start().starts_with("```"), "{page}:{}: an indented block", at + 1);
                }
            }
        }
    }
    assert!(within.is_none(), "{page}: a block without an end");
    out
}

/// The text outside of blocks and comments.
fn prose(text: &str) -> String {
    let (mut out, mut within) = (String::new(), false);
    for line in text.lines() {
        if line.starts_with("```") {
            within = !within;
        } else if !within && !line.starts_with("<!--") {
            out += line;
            out.push('\n');
        }
    }
    out
}

/// The commands of a console block, each with its output on the page.
fn commands(block: &Block) -> Vec<(String, Vec<&str>)> {
    let mut out: Vec<(String, Vec<&str>)> = Vec::new();
    let mut lines = block.lines.iter();
    while let Some(line) = lines.next() {
        if let Some(command) = line.strip_prefix("$ ") {
            let mut command = command.to_owned();
            while command.ends_with('\\') {
                command.push('\n');
                command += lines.next().map_or("", String::as_str);
            }
            out.push((command, Vec::new()));
        } else if let Some((_, said)) = out.last_mut() {
            said.push(line);
        } else {
            panic!("line {}: output before any command", block.line);
        }
    }
    out
}

/// A printed number.
fn number(word: &str) -> Option<f64> {
    let digits = word.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    if digits { word.parse().ok() } else { None }
}

/// Numbers with all their digits, which fields of a CSV line are, to ten of them: processors add in different orders.
fn rounded(word: &str) -> String {
    let long = |field: &&str| field.bytes().filter(u8::is_ascii_digit).count() > 12;
    let field = |field: &str| match number(field).filter(|_| long(&field)) {
        Some(value) => format!("{value:.9e}"),
        None => field.to_owned(),
    };
    word.split(',').map(field).collect::<Vec<_>>().join(",")
}

/// Lines without the values that differ between runs and computers: seconds, rounding errors, and the widths of
/// columns.
fn plain<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut timed = false;
    let mut out: Vec<String> = Vec::new();
    for line in lines {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        for at in 0..words.len() {
            let Some(value) = number(words[at]) else { continue };
            let unit = words.get(at + 1).map(|w| w.trim_end_matches(['.', ',', ';', ')']));
            if unit == Some("s") || (words[at].contains("e-") && value.abs() < ROUNDING) {
                words[at] = "_";
            }
        }
        // The last column of a table may hold seconds.
        match words.last_mut() {
            None => timed = false,
            // The heading `time, s` may be wrapped.
            Some(&mut ("seconds" | "time,")) => timed = true,
            Some(_) if line.ends_with("time, s") => timed = true,
            Some(word) if timed && number(word).is_some() => *word = "_",
            Some(_) => {}
        }
        out.push(words.iter().map(|word| rounded(word)).collect::<Vec<_>>().join(" "));
    }
    while out.last().is_some_and(String::is_empty) {
        out.pop();
    }
    out
}

/// Whether the output matches the page, where gaps match any number of lines.
fn matches(said: &[String], got: &[String]) -> bool {
    let parts: Vec<&[String]> = said.split(|line| line == GAP).collect();
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return got.is_empty() };
    if parts.len() == 1 {
        return said == got;
    }
    if !got.starts_with(first) {
        return false;
    }
    let mut at = first.len();
    for part in &parts[1..parts.len() - 1] {
        match (at..=got.len()).find(|&start| got[start..].starts_with(part)) {
            Some(start) => at = start + part.len(),
            None => return false,
        }
    }
    got[at..].ends_with(last)
}

/// The output of a command in a folder, both streams in their order.
fn printed(folder: &Folder, command: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_mercer"));
    let mut path = program.parent().unwrap().as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("exec 2>&1\n{command}")).current_dir(folder.path(""));
    // Plans print the number of threads and the memory they need.
    shell.env("PATH", path).env("RAYON_NUM_THREADS", "2").env("COLUMNS", "100").env("LC_ALL", "C.UTF-8");
    shell.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    let output = shell.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!text.contains("panicked"), "{command}: {text}");
    text
}

/// Runs the commands of a page; returns the differences.
fn faults(page: &str, text: &str) -> Vec<String> {
    let folder = Folder::new();
    let blocks = blocks(page, text);
    for block in &blocks {
        if let Some(file) = block.file() {
            folder.write(file, block.lines.join("\n") + "\n");
        }
    }
    let mut out = Vec::new();
    for block in blocks.iter().filter(|b| b.info == "console") {
        for (command, said) in commands(block) {
            let got = printed(&folder, &command);
            if !matches(&plain(said.iter().copied()), &plain(got.lines())) {
                out.push(format!("{page}:{}: {command}\n{got}", block.line));
            }
        }
    }
    out
}

#[test]
fn commands_print_what_the_guide_says() {
    let faults: Vec<String> = pages().iter().flat_map(|(page, text)| faults(page, text)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn commands_print_what_the_readme_says() {
    let text = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md"));
    let faults = faults("README.md", &text);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn pages_with_other_output_are_found() {
    let said = "```console\n$ mercer kernels rbf\nrbf  The Gaussian of the Euclidean distance.\n…\n```\n";
    assert_eq!(faults("made up", said), [""; 0]);
    assert_eq!(faults("made up", &said.replace("Gaussian", "Laplacian")).len(), 1);
    assert_eq!(faults("made up", &said.replace("…\n", "")).len(), 1);
    assert_eq!(faults("made up", &said.replace("$ mercer kernels rbf", "$ true")).len(), 1);
}

#[test]
fn lines_are_compared_but_for_seconds_and_rounding() {
    let same = |a: &str, b: &str| matches(&plain(a.lines()), &plain(b.lines()));
    assert!(same("K.npy: 2 × 2, 0.00 s", "K.npy: 2 × 2, 1.25 s"));
    assert!(same("eigenvalues 3.1e-17 … 5.7e1", "eigenvalues -2.0e-16 … 5.7e1"));
    assert!(!same("eigenvalues 3.1e-17 … 5.7e1", "eigenvalues 3.1e-17 … 5.8e1"));
    assert!(same("a  seconds\n1     0.1", "a   seconds\n1      12.5"));
    assert!(same("a  time, s\n1     0.1", "a   time, s\n1     12.5"));
    assert!(same("a  time,\n       s\n1    0.1", "a  time,\n       s\n1   12.5"));
    assert!(!same("a  seconds\n1     0.1", "a   seconds\n2      12.5"));
    assert!(!same("a  second\n1     0.1", "a  second\n1     0.2"));
    assert!(same("a\n…\nd", "a\nb\nc\nd") && same("a\n…\nb", "a\nb") && same("…\nc\n…", "a\nc\nd\n"));
    assert!(!same("a\n…\nb\n…\nb", "a\nb") && !same("…\na", "a\nb") && !same("", "a") && !same("a", ""));
}

#[test]
fn blocks_are_of_known_kinds() {
    let doctests = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../mercer/src/guide.rs"));
    for (page, text) in pages() {
        for block in blocks(&page, &text) {
            let kind = block.info.split_whitespace().next().unwrap_or_default();
            let known = match kind {
                "console" | "python" | "python,peer" | "text" => true,
                "rust" => doctests.contains(&format!("/{page}\"")),
                // Run by python/tests/test_r.py.
                "r" | "r,arrow" => page == "r.md",
                _ => block.file().is_some(),
            };
            assert!(known, "{page}:{}: '{}' is never run", block.line, block.info);
        }
        // Lines indented by four spaces are code blocks too, which documentation tests would run as Rust.
        for (at, line) in prose(&text).lines().enumerate() {
            assert!(!line.starts_with("    "), "{page}: line {} of its text is indented", at + 1);
        }
    }
}

#[test]
fn links_are_valid() {
    let source = guide().join("src");
    let mut linked = BTreeSet::new();
    for (page, text) in pages() {
        for link in prose(&text).split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if link.contains("://") {
                continue;
            }
            let target = link.split('#').next().unwrap_or_default();
            assert!(source.join(target).is_file(), "{page}: nothing at {link}");
            if page == "SUMMARY.md" {
                linked.insert(target.to_owned());
            }
        }
    }
    let all: BTreeSet<String> = pages().into_iter().map(|p| p.0).filter(|n| n != "SUMMARY.md").collect();
    assert_eq!(linked, all, "the summary and the pages");
}

#[test]
fn images_are_listed() {
    let mut wanted = BTreeSet::new();
    for (page, text) in pages() {
        for rest in text.split("](img/").skip(1) {
            let name = rest.split(')').next().unwrap_or_default().to_owned();
            assert!(name.starts_with(&page.replace(".md", "-")), "{page}: {name}");
            wanted.insert(name);
        }
    }
    let list = read(&guide().join("figures.toml"));
    let value = |line: &str| Some(line.strip_prefix("file = \"")?.strip_suffix('"')?.to_owned());
    let listed: BTreeSet<String> = list.lines().filter_map(value).collect();
    assert_eq!(wanted, listed);
}
