//! `cargo xtask words`: finds words that the project does not use, and broken links of its pages.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Outcome, root};

/// Files with text that people read.
const ENDINGS: [&str; 11] = ["rs", "py", "pyi", "js", "css", "html", "md", "toml", "yml", "cff", "snap"];

/// The content of `words.toml`.
struct Declaration {
    words: Vec<Word>,
    /// Established terms that contain a word of the list.
    phrases: Vec<String>,
    allowed: Vec<Allowed>,
    /// Files that are not checked, with the reason.
    skipped: Vec<String>,
}

/// A word that is not used, with its replacement.
struct Word {
    not: String,
    say: String,
}

/// A place where a word of the list is meant in another sense.
struct Allowed {
    word: String,
    within: String,
}

impl Declaration {
    fn parse(text: &str) -> Outcome<Self> {
        let table: toml::Table = text.parse().map_err(|e| format!("words.toml: {e}"))?;
        let list = |name: &str| table.get(name).and_then(toml::Value::as_array).cloned().unwrap_or_default();
        let text = |entry: &toml::Value, name: &str| {
            let found = entry.get(name).and_then(toml::Value::as_str).map(str::to_owned);
            found.ok_or_else(|| format!("words.toml: an entry without `{name}`: {entry:?}"))
        };
        let mut words = Vec::new();
        for entry in list("word") {
            let say = text(&entry, "say")?;
            let not = entry.get("not").and_then(toml::Value::as_array).cloned().unwrap_or_default();
            let not = not.iter().filter_map(|w| w.as_str());
            words.extend(not.map(|w| Word { not: w.to_lowercase(), say: say.clone() }));
        }
        let mut allowed = Vec::new();
        for entry in list("allowed") {
            text(&entry, "why")?;
            let within = entry.get("in").and_then(toml::Value::as_array).cloned().unwrap_or_default();
            for place in within.iter().filter_map(|w| w.as_str()) {
                allowed.push(Allowed { word: text(&entry, "word")?, within: place.to_owned() });
            }
        }
        let phrases = list("phrase").iter().map(|p| text(p, "text")).collect::<Outcome<_>>()?;
        let mut skipped = Vec::new();
        for entry in list("skipped") {
            text(&entry, "why")?;
            skipped.push(text(&entry, "in")?);
        }
        Ok(Declaration { words, phrases, allowed, skipped })
    }

    /// The words of the list in a line, each with its replacement.
    fn found<'a>(&'a self, file: &str, line: &str) -> Vec<&'a Word> {
        let mut text = apart(line);
        for phrase in &self.phrases {
            text = text.replace(&format!(" {phrase} "), "  ");
        }
        let allowed = |word: &Word| {
            self.allowed
                .iter()
                .any(|a| word.not.starts_with(a.word.as_str()) && file.starts_with(a.within.as_str()))
        };
        let hits = self.words.iter().filter(|w| text.contains(&format!(" {} ", w.not)));
        hits.filter(|w| !allowed(w)).collect()
    }
}

/// The words of a line in lower case, separated by single spaces; names are split at underscores and capitals.
fn apart(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 8);
    out.push(' ');
    let mut before = ' ';
    for c in line.chars() {
        if c.is_alphabetic() {
            if c.is_uppercase() && before.is_lowercase() {
                out.push(' ');
            }
            out.extend(c.to_lowercase());
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
        before = c;
    }
    out.push(' ');
    out
}

/// The files known to git.
fn files(root: &Path) -> Outcome<Vec<String>> {
    let mut git = Command::new("git");
    git.args(["ls-files", "--cached", "--others", "--exclude-standard"]).current_dir(root);
    let listed = git.output().map_err(|e| format!("git: {e}"))?;
    if !listed.status.success() {
        return Err("git ls-files failed: the files known to git are checked".into());
    }
    Ok(String::from_utf8_lossy(&listed.stdout).lines().map(str::to_owned).collect())
}

/// `cargo xtask words`.
pub(crate) fn run(words: &[String]) -> Outcome<()> {
    if let Some(word) = words.first() {
        return Err(format!("unknown argument: {word}"));
    }
    let root = root();
    let path = root.join("words.toml");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let declared = Declaration::parse(&text)?;
    let mut faults = Vec::new();
    let (mut seen, mut links) = (0, 0);
    for file in files(&root)? {
        let ending = file.rsplit('.').next().unwrap_or_default();
        if !ENDINGS.contains(&ending) {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(root.join(&file)) else { continue };
        seen += 1;
        if ending == "md" {
            let (count, broken) = broken_links(&root, &file, &text);
            links += count;
            faults.extend(broken);
        }
        if declared.skipped.iter().any(|s| file.starts_with(s.as_str())) {
            continue;
        }
        for (number, line) in text.lines().enumerate() {
            for word in declared.found(&file, line) {
                faults.push(format!("{file}:{}: '{}': say {}", number + 1, word.not, word.say));
            }
        }
    }
    faults.iter().for_each(|fault| println!("{fault}"));
    match faults.len() {
        0 => {
            println!("{seen} files without words of the list; {links} links of pages are valid");
            Ok(())
        }
        n => Err(format!(
            "{n} faults; words.toml lists the words, and the places where they mean something else"
        )),
    }
}

/// The number of relative links of a page, and those whose file or heading does not exist.
fn broken_links(root: &Path, file: &str, text: &str) -> (usize, Vec<String>) {
    let folder = Path::new(file).parent().map_or_else(PathBuf::new, Path::to_owned);
    let (mut count, mut broken) = (0, Vec::new());
    let mut in_code = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        }
        if in_code {
            continue;
        }
        for target in targets(line) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            count += 1;
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let place = if path.is_empty() { root.join(file) } else { root.join(&folder).join(path) };
            let there = place.exists();
            let heading = || {
                let page = std::fs::read_to_string(&place).unwrap_or_default();
                anchors(&page).iter().any(|a| a == anchor)
            };
            let is_page = place.extension().is_some_and(|e| e == "md");
            if !there || !anchor.is_empty() && is_page && !heading() {
                broken.push(format!("{file}:{}: broken link {target}", number + 1));
            }
        }
    }
    (count, broken)
}

/// The targets of the links `[text](target)` of a line, outside of code.
fn targets(line: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for (at, piece) in line.split('`').enumerate() {
        if at % 2 == 1 {
            continue;
        }
        let mut rest = piece;
        while let Some(start) = rest.find("](") {
            rest = &rest[start + 2..];
            let Some(end) = rest.find(')') else { break };
            let target = rest[..end].split_whitespace().next().unwrap_or_default();
            out.extend((!target.is_empty()).then_some(target));
            rest = &rest[end..];
        }
    }
    out
}

/// The anchors of the headings of a page.
fn anchors(page: &str) -> Vec<String> {
    let headings = page.lines().filter(|l| l.starts_with('#')).map(|l| l.trim_start_matches('#').trim());
    let anchor = |heading: &str| -> String {
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARED: &str = r#"
        [[word]]
        say = "split"
        not = ["division", "divisions"]
        [[word]]
        say = "model"
        not = ["machine"]
        [[phrase]]
        text = "support vector machine"
        [[allowed]]
        word = "division"
        in = ["numbers/"]
        why = "arithmetic"
    "#;

    #[test]
    fn words_are_found_in_text_and_names() {
        let declared = Declaration::parse(DECLARED).unwrap();
        let found =
            |line: &str| declared.found("a.rs", line).iter().map(|w| w.not.clone()).collect::<Vec<_>>();
        assert_eq!(found("/// A division."), ["division"]);
        assert_eq!(found("let inner_divisions = 3;"), ["divisions"]);
        assert_eq!(found("struct SvcMachine;"), ["machine"]);
        assert_eq!(found("A support vector machine and its subdivision"), [""; 0]);
    }

    #[test]
    fn other_senses_are_allowed_where_they_are_declared() {
        let declared = Declaration::parse(DECLARED).unwrap();
        assert!(declared.found("numbers/a.rs", "divisions").is_empty());
        assert_eq!(declared.found("other/a.rs", "divisions").len(), 1);
        assert!(Declaration::parse("[[allowed]]\nword = \"a\"\nin = [\"b\"]").is_err());
    }

    #[test]
    fn links_and_anchors_are_read() {
        assert_eq!(targets("see [a](b.md) and [c](d.md#e \"f\"), not `[x](y)`"), ["b.md", "d.md#e"]);
        assert_eq!(anchors("# What it is\n\n## `svc`, and more\n"), ["what-it-is", "svc-and-more"]);
        let (count, broken) = broken_links(Path::new("/nowhere"), "a.md", "[a](b.md) [c](https://d.e)");
        assert_eq!((count, broken.len()), (1, 1));
    }
}
