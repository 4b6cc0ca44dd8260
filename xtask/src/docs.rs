//! `cargo xtask docs`: the guide, the results and the interfaces of Rust and Python as one site.
//!
//! MkDocs builds a site from the pages and fails on broken links; rustdoc and pdoc write the references. mdBook could read
//! `SUMMARY.md` directly, but has to be built from source and supports only one book. The scripts of `python/gallery` are executed, and become
//! pages with their results.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use crate::machine::output;
use crate::python::{check, environment, install, prepare, put, target};
use crate::{Outcome, cargo, root};

/// Pages besides the guide: source and destination.
const PAGES: [(&str, &str); 10] = [
    ("README.md", "about/readme.md"),
    ("ARCHITECTURE.md", "about/architecture.md"),
    ("CONTRIBUTING.md", "about/contributing.md"),
    ("CHANGELOG.md", "about/changelog.md"),
    ("SECURITY.md", "about/security.md"),
    ("CODE_OF_CONDUCT.md", "about/code-of-conduct.md"),
    ("docs/reliability.md", "about/reliability.md"),
    ("docs/scale.md", "about/scale.md"),
    ("docs/internals.md", "about/internals.md"),
    ("docs/decisions.md", "about/decisions.md"),
];

const GUIDE: &str = "docs/guide/src";
const RESULTS: &str = "docs/results";
/// What executes the gallery and writes the reference, besides the packages of the tests.
const PACKAGES: [&str; 5] = ["ipykernel", "nbclient", "nbformat", "pdoc", "tqdm"];

/// `cargo xtask docs`.
pub(crate) fn run(words: &[String]) -> Outcome<()> {
    if let Some(word) = words.first() {
        return Err(format!("unknown argument: {word}"));
    }
    let (pages, site) = (target().join("site-pages"), target().join("site"));
    for folder in [&pages, &site] {
        if folder.exists() {
            std::fs::remove_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
    }
    let mut navigation = lay_out(&pages.join("docs"))?;
    check(cargo().args(["build", "--workspace", "--lib"]))?;
    let package = prepare()?;
    install(&package, &PACKAGES)?;
    put(&package, "debug")?;
    let gallery = gallery(&package, &pages.join("docs/gallery"))?;
    let at = navigation.iter().position(|item| matches!(item, Item::Heading(title) if title == "Results"));
    let rest = navigation.split_off(at.unwrap_or(navigation.len()));
    navigation.extend(gallery.into_iter().chain(rest));
    let settings = settings(&navigation, &site);
    write(&pages.join("mkdocs.yml"), settings.as_bytes())?;
    let python = environment("docs-venv")?;
    install(&python, &["mkdocs==1.6.1", "mkdocs-material==9.8.1"])?;
    let mut build = Command::new(&python);
    build
        .args(["-m", "mkdocs", "build", "--strict", "--quiet", "--config-file"])
        .arg(pages.join("mkdocs.yml"))
        // Both are pinned: advice on later versions is of no use here.
        .env("NO_MKDOCS_2_WARNING", "1");
    check(&mut build)?;
    check(cargo().args(["doc", "--workspace", "--no-deps"]))?;
    copy_tree(&target().join("doc"), &site.join("rust"))?;
    let mut reference = Command::new(&package);
    reference.args(["-m", "pdoc", "--docformat", "numpy", "--output-directory"]).arg(site.join("python"));
    // The modules that the package exports come with it.
    check(reference.args(["mercer", "mercer.grakel", "mercer.kernels"]))?;
    println!("{}", site.join("index.html").display());
    Ok(())
}

/// Executes the scripts of the gallery, and returns their part of the navigation.
fn gallery(python: &Path, folder: &Path) -> Outcome<Vec<Item>> {
    let mut build = Command::new(python);
    build.arg(root().join("python/gallery/build.py")).arg(folder);
    let said = output(&mut build)?;
    let mut items = vec![Item::Heading("Gallery".into())];
    for (name, title) in said.lines().filter_map(|line| line.split_once(": ")) {
        items.push(Item::Page(title.to_owned(), format!("gallery/{name}.md")));
    }
    Ok(items)
}

/// A title with its destination, or a heading over others.
enum Item {
    Heading(String),
    Page(String, String),
}

/// Copies all pages and adjusts their links to the destinations; returns the navigation.
fn lay_out(to: &Path) -> Outcome<Vec<Item>> {
    let root = root();
    let mut places: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    for (from, place) in PAGES {
        places.insert(from.into(), place.into());
    }
    for file in files(&root.join(GUIDE))?.into_iter().filter(|f| f != Path::new("SUMMARY.md")) {
        places.insert(Path::new(GUIDE).join(&file), file);
    }
    for file in files(&root.join(RESULTS))? {
        places.insert(Path::new(RESULTS).join(&file), Path::new("results").join(file));
    }
    for (from, place) in &places {
        let bytes = std::fs::read(root.join(from)).map_err(|e| format!("{}: {e}", from.display()))?;
        let is_page = from.extension().is_some_and(|e| e == "md");
        match is_page.then(|| String::from_utf8(bytes.clone()).ok()).flatten() {
            Some(text) => write(&to.join(place), relinked(&text, from, place, &places).as_bytes())?,
            None => write(&to.join(place), &bytes)?,
        }
    }
    let summary = std::fs::read_to_string(root.join(GUIDE).join("SUMMARY.md")).map_err(|e| e.to_string())?;
    let mut navigation = contents(&summary);
    navigation.push(Item::Heading("Results".into()));
    let results = places.iter().filter(|(from, _)| from.starts_with(RESULTS));
    for (from, place) in results.filter(|(from, _)| from.extension().is_some_and(|e| e == "md")) {
        let text = std::fs::read_to_string(root.join(from)).map_err(|e| e.to_string())?;
        let title = text.lines().find_map(|l| l.strip_prefix("# ")).unwrap_or("Results");
        navigation.push(Item::Page(title.to_owned(), place.display().to_string()));
    }
    navigation.push(Item::Heading("Reference".into()));
    navigation.push(Item::Page("Rust".into(), "rust/mercer/index.html".into()));
    navigation.push(Item::Page("Python".into(), "python/mercer.html".into()));
    navigation.push(Item::Heading("About".into()));
    for (from, place) in PAGES {
        let text = std::fs::read_to_string(root.join(from)).map_err(|e| e.to_string())?;
        let title = text.lines().find_map(|l| l.strip_prefix("# ")).unwrap_or(from);
        navigation.push(Item::Page(title.to_owned(), place.to_owned()));
    }
    Ok(navigation)
}

/// The entries of a `SUMMARY.md`.
fn contents(summary: &str) -> Vec<Item> {
    let mut out = Vec::new();
    for line in summary.lines().skip(1) {
        let line = line.trim().trim_start_matches("- ");
        if let Some(heading) = line.strip_prefix("# ") {
            out.push(Item::Heading(heading.to_owned()));
        } else if let Some((title, rest)) = line.strip_prefix('[').and_then(|l| l.split_once("](")) {
            out.push(Item::Page(title.to_owned(), rest.trim_end_matches(')').to_owned()));
        }
    }
    out
}

/// The settings of MkDocs.
fn settings(navigation: &[Item], site: &Path) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let mut nav = String::new();
    let mut indent = "  ";
    for item in navigation {
        match item {
            Item::Heading(title) => {
                nav += &format!("  - {}:\n", quoted(title));
                indent = "      ";
            }
            Item::Page(title, place) => nav += &format!("{indent}- {}: {}\n", quoted(title), quoted(place)),
        }
    }
    let site = site.canonicalize().unwrap_or_else(|_| site.to_owned());
    format!(
        "site_name: mercer\n\
         site_description: Learning from any data through kernels\n\
         docs_dir: docs\n\
         site_dir: {}\n\
         use_directory_urls: false\n\
         theme:\n  name: material\n  font: false\n  features: [navigation.top, content.code.copy, search.highlight]\n  palette:\n    \
         - media: '(prefers-color-scheme: light)'\n      scheme: default\n      primary: indigo\n    \
         - media: '(prefers-color-scheme: dark)'\n      scheme: slate\n      primary: indigo\n\
         markdown_extensions: [tables, fenced_code, admonition, attr_list, {{toc: {{permalink: true}}}}]\n\
         validation:\n  links:\n    anchors: warn\n    unrecognized_links: ignore\n    absolute_links: ignore\n  nav:\n    omitted_files: ignore\n    not_found: ignore\n\
         nav:\n{nav}",
        quoted(&site.display().to_string())
    )
}

/// A page with links adjusted to the destinations; links to files that are not on the site become plain text.
fn relinked(text: &str, from: &Path, place: &Path, places: &BTreeMap<PathBuf, PathBuf>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut in_code = false;
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        let mut rest = if is_fence && in_code { fence(line) } else { line };
        while let Some(start) = rest.find("](").filter(|_| !in_code) {
            let Some(end) = rest[start..].find(')').map(|e| start + e) else { break };
            let target = &rest[start + 2..end];
            let (path, anchor) = target.split_once('#').map_or((target, None), |(p, a)| (p, Some(a)));
            let own = path.is_empty() || target.contains("://") || target.starts_with("mailto:");
            let there = from.parent().map(|folder| plain(&folder.join(path)));
            let there = there.and_then(|p| places.get(&p).or_else(|| places.get(&p.join("README.md"))));
            let text_start = rest[..start].rfind('[');
            match (own, there, text_start) {
                (true, ..) => out += &rest[..=end],
                (false, Some(goal), _) => {
                    let anchor = anchor.map_or_else(String::new, |a| format!("#{a}"));
                    out += &format!("{}]({}{anchor})", &rest[..start], relative(place, goal));
                }
                (false, None, Some(open)) => {
                    let open_len = if rest[..open].ends_with('!') { open - 1 } else { open };
                    out += &format!("{}{}", &rest[..open_len], &rest[open + 1..start]);
                }
                (false, None, None) => out += &rest[..=end],
            }
            rest = &rest[end + 1..];
        }
        out += rest;
        out.push('\n');
    }
    out
}

/// The first line of a block of code with its language alone: what tests read besides it, such as `,no_run` or ` file=…`, would keep the
/// site from seeing a block of code.
fn fence(line: &str) -> &str {
    let from = line.find(|c: char| c.is_alphanumeric()).unwrap_or(line.len());
    let end = line[from..].find([',', ' ']).map_or(line.len(), |end| from + end);
    &line[..end]
}

/// A path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// The relative path from one page to another.
fn relative(from: &Path, to: &Path) -> String {
    let depth = from.components().count().saturating_sub(1);
    format!("{}{}", "../".repeat(depth), to.display())
}

/// The files of a folder and its subfolders, by their paths within it.
fn files(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut out = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(within) = open.pop() {
        let here = folder.join(&within);
        for entry in std::fs::read_dir(&here).map_err(|e| format!("{}: {e}", here.display()))? {
            let entry = entry.map_err(|e| e.to_string())?;
            let name = within.join(entry.file_name());
            if entry.path().is_dir() { open.push(name) } else { out.push(name) }
        }
    }
    out.sort();
    Ok(out)
}

fn copy_tree(from: &Path, to: &Path) -> Outcome<()> {
    for file in files(from)? {
        let bytes = std::fs::read(from.join(&file)).map_err(|e| format!("{}: {e}", file.display()))?;
        write(&to.join(&file), &bytes)?;
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Outcome<()> {
    let fault = |e: std::io::Error| format!("{}: {e}", path.display());
    path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(fault)?;
    std::fs::write(path, bytes).map_err(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_follow_their_pages() {
        let places = BTreeMap::from([
            (PathBuf::from("docs/guide/src/a.md"), PathBuf::from("a.md")),
            (PathBuf::from("docs/results/b.md"), PathBuf::from("results/b.md")),
        ]);
        let turned = |text: &str, from: &str, place: &str| {
            relinked(text, Path::new(from), Path::new(place), &places).trim_end().to_owned()
        };
        let (guide, results) = (("docs/guide/src/a.md", "a.md"), ("docs/results/b.md", "results/b.md"));
        assert_eq!(turned("[b](../../results/b.md#c)", guide.0, guide.1), "[b](results/b.md#c)");
        assert_eq!(turned("[a](../guide/src/a.md)", results.0, results.1), "[a](../a.md)");
        assert_eq!(turned("see [the code](../../../crates/x.rs).", guide.0, guide.1), "see the code.");
        assert_eq!(turned("[w](https://x.y/z) [h](#h)", guide.0, guide.1), "[w](https://x.y/z) [h](#h)");
        assert_eq!(turned("```\n[b](../c.md)\n```", guide.0, guide.1), "```\n[b](../c.md)\n```");
        assert_eq!(turned("```python,peer\nx, y\n```", guide.0, guide.1), "```python\nx, y\n```");
        assert_eq!(turned("  ```text file=a.csv\n1,2\n  ```", guide.0, guide.1), "  ```text\n1,2\n  ```");
    }

    #[test]
    fn summaries_become_navigation() {
        let items = contents("# Summary\n\n[Start](index.md)\n\n# Begin\n\n- [One](one.md)\n");
        let shown = settings(&items, Path::new("site"));
        assert!(
            shown.contains("  - \"Start\": \"index.md\"\n  - \"Begin\":\n      - \"One\": \"one.md\"\n"),
            "{shown}"
        );
    }
}
