//! Makes the figures of the guide with the program.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::python::{check, target};
use crate::{Outcome, cargo, root};

/// A figure listed in `docs/guide/figures.toml`.
#[derive(Default)]
struct Figure {
    page: String,
    file: String,
    command: String,
    plot: String,
}

/// Makes every figure of the list: writes the files of its page, runs the page's earlier commands, then its own.
pub(crate) fn run() -> Outcome<()> {
    check(cargo().args(["build", "--release", "--package", "mercer-cli"]))?;
    let guide = root().join("docs/guide");
    let images = guide.join("src/img");
    std::fs::create_dir_all(&images).map_err(|e| e.to_string())?;
    for figure in list(&read(&guide.join("figures.toml"))?) {
        let folder = target().join("guide-figures").join(&figure.file);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
        let page = read(&guide.join(format!("src/{}.md", figure.page)))?;
        for (info, body) in blocks(&page) {
            if let Some(file) = info.split_whitespace().find_map(|w| w.strip_prefix("file=")) {
                std::fs::write(folder.join(file), body).map_err(|e| format!("{file}: {e}"))?;
            } else if info == "console" {
                for line in body.lines().filter_map(|l| l.strip_prefix("$ ")) {
                    // Commands that the page shows with an error fail here too.
                    let _ = shell(&folder, line).stdout(Stdio::null()).stderr(Stdio::null()).status();
                }
            }
        }
        // Commands other than `evaluate` name the folder themselves.
        let option = if figure.command.ends_with(" plots") { "" } else { " --plots plots" };
        check(shell(&folder, &format!("{}{option} --quiet", figure.command)).stdout(Stdio::null()))?;
        let made = folder.join("plots").join(&figure.plot);
        std::fs::copy(&made, images.join(&figure.file)).map_err(|e| format!("{}: {e}", made.display()))?;
        println!("{}", figure.file);
    }
    Ok(())
}

/// A command of a page, in its folder, with the program first on the path.
fn shell(folder: &Path, command: &str) -> Command {
    let mut path = target().join("release").into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).current_dir(folder).env("PATH", path).stdin(Stdio::null());
    shell
}

fn read(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// The figures of the list: tables of four strings each.
fn list(text: &str) -> Vec<Figure> {
    let mut out: Vec<Figure> = Vec::new();
    for line in text.lines() {
        if line == "[[figure]]" {
            out.push(Figure::default());
        }
        let (Some(figure), Some((name, value))) = (out.last_mut(), line.split_once(" = ")) else { continue };
        let value = value.trim_matches('"').replace("\\\"", "\"");
        match name {
            "page" => figure.page = value,
            "file" => figure.file = value,
            "command" => figure.command = value,
            "plot" => figure.plot = value,
            _ => {}
        }
    }
    out
}

/// The code blocks of a page: the info string and the text.
fn blocks(page: &str) -> Vec<(&str, String)> {
    let mut out = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            let body: Vec<&str> = lines.by_ref().take_while(|l| *l != "```").collect();
            out.push((info, body.join("\n") + "\n"));
        }
    }
    out
}
