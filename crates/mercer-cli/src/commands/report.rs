//! `mercer report`, and what other commands write for people to look at.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;
use mercer::data::{Dataset, Target, Values};
use mercer::gram::Engine;
use mercer::insight::Figures;
use mercer::{Code, Error, Place, Result};
use serde_json::{Value, json};

use super::write_file;
use crate::console::Console;

/// Arguments of `mercer report`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer evaluate iris -k 'standardize(rbf(gamma=2^-5..2^3))' -l 'svc(C=2^-2..2^8)' --report iris.json
  mercer report iris.json -o iris.html --plots figures/

--report run.html on evaluate, auto, compare and reproduce writes the page at once. A page holds its document: mercer report
takes it too.")]
pub(crate) struct ReportArgs {
    /// What --report or --json wrote: a document (.json), or a page that holds one (.html)
    run: PathBuf,
    /// Page to write [default: the document's name with .html]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Folder for plots as SVG files, fit for a paper
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
}

/// What a command writes besides its answer.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Reporting")]
pub(crate) struct Reporting {
    /// Write a report: a page that works offline (.html), or the document mercer report makes one of (.json)
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Write plots as SVG files into a folder
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
}

/// What a report is written as.
enum Form {
    Page,
    Document,
}

fn form(path: &Path) -> Result<Form> {
    match path.extension().and_then(OsStr::to_str).map(str::to_ascii_lowercase).as_deref() {
        Some("html" | "htm") => Ok(Form::Page),
        Some("json") => Ok(Form::Document),
        _ => Err(Error::param("--report", path.display(), "a file whose name ends in .html or .json")),
    }
}

impl Reporting {
    /// The same with a page beside a file, if that is wanted and no other was named.
    pub(crate) fn or_beside(mut self, file: &Path, wanted: bool) -> Self {
        if wanted {
            self.report.get_or_insert_with(|| file.with_extension("html"));
        }
        self
    }

    /// Whether there is anything to write.
    pub(crate) fn is_wanted(&self) -> bool {
        self.report.is_some() || self.plots.is_some()
    }

    /// Refuses what could not be written, before hours of work rather than after.
    pub(crate) fn check(&self) -> Result<()> {
        if let Some(path) = &self.report {
            form(path)?;
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            if !folder.is_dir() {
                return Err(Error::param("--report", path.display(), "a file in a folder that is there"));
            }
        }
        match &self.plots {
            Some(folder) => make_folder(folder),
            None => Ok(()),
        }
    }

    /// Writes what is wanted of a document.
    pub(crate) fn write(&self, mut document: Value, engine: &Engine, console: &Console) -> Result<()> {
        document["run"] = json!({
            "command_line": command_line(), "version": env!("CARGO_PKG_VERSION"), "threads": engine.threads(),
            "seed": console.seed, "system": format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            "seconds": console.seconds(), "date": today(),
        });
        if let Some(path) = &self.report {
            let text = match form(path)? {
                Form::Page => mercer_report::page(&document),
                Form::Document => format!("{document:#}\n"),
            };
            write_file(path, |out| out.write_all(text.as_bytes()))?;
            console.note(format!("report: {}", path.display()));
        }
        match &self.plots {
            Some(folder) => write_plots(folder, &document, console),
            None => Ok(()),
        }
    }

    /// The end of a command whose document is its report: writes what is wanted, prints it if that is.
    pub(crate) fn finish(&self, document: Value, engine: &Engine, console: &Console) -> Result<()> {
        if self.is_wanted() {
            self.write(console.whole_document("reproduce", document.clone()), engine, console)?;
        }
        console.document("reproduce", document)
    }
}

pub(crate) fn run(args: &ReportArgs, console: &Console) -> Result<()> {
    let path = &args.run;
    let refused = |e| Error::Io { path: path.clone(), code: Code::IoOpen, source: e };
    let seen = std::fs::metadata(path).map_err(refused)?;
    if !seen.is_file() && !seen.is_dir() {
        // Reading a FIFO waits for a writer, a device may never end.
        return Err(Error::parse(Place::file(path), Code::NotRegular, "not a regular file"));
    }
    let text = std::fs::read_to_string(path).map_err(refused)?;
    let fault = |line: u64, reason: String| Error::Parse {
        place: Place { line, ..Place::file(path) },
        code: Code::Syntax,
        reason,
        hint: Some(
            "mercer evaluate, auto, compare and reproduce write such documents with --report run.json".into(),
        ),
    };
    let json = document_in(&text).ok_or_else(|| fault(0, "a page without a run document".into()))?;
    let document: Value =
        serde_json::from_str(json).map_err(|e| fault(e.line() as u64, format!("not JSON: {e}")))?;
    if document["schema"] != "mercer/1" || !document["command"].is_string() {
        return Err(fault(
            0,
            "no run document of this version: schema mercer/1 and a command are missing".into(),
        ));
    }
    let output = args.output.clone().unwrap_or_else(|| path.with_extension("html"));
    if let Some(folder) = &args.plots {
        make_folder(folder)?;
    }
    write_file(&output, |out| out.write_all(mercer_report::page(&document).as_bytes()))?;
    console.line(format!("{}", output.display()))?;
    if let Some(folder) = &args.plots {
        write_plots(folder, &document, console)?;
    }
    console.document("report", json!({"output": output, "plots": args.plots}))
}

/// The document in a file: all of it, or what a page holds.
fn document_in(text: &str) -> Option<&str> {
    if !text.trim_start().starts_with("<!") {
        return Some(text);
    }
    let start = text.find("id=\"document\"")?;
    let start = start + text[start..].find('>')? + 1;
    Some(&text[start..start + text[start..].find("</script>")?])
}

fn make_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|e| Error::Io {
        path: folder.to_owned(),
        code: Code::IoWrite,
        source: e,
    })
}

fn write_plots(folder: &Path, document: &Value, console: &Console) -> Result<()> {
    let plots = mercer_report::plots(document);
    for plot in &plots {
        write_file(&folder.join(&plot.name), |out| out.write_all(plot.svg.as_bytes()))?;
    }
    console.note(format!("plots: {} in {}", plots.len(), folder.display()));
    Ok(())
}

/// Puts figures into a document, and warns of what they show.
pub(crate) fn note_figures(document: &mut Value, figures: &Figures) {
    if let Some(spectrum) = figures.spectrum.as_ref().filter(|s| s.negative > 0) {
        let text = format!(
            "W_INDEFINITE {} of {} eigenvalues are negative: no feature space has these similarities, and support vector machines may \
             not find the best solution; repair(...) changes that",
            spectrum.negative,
            spectrum.values.len()
        );
        if let Some(warnings) = document["warnings"].as_array_mut() {
            warnings.push(text.into());
        }
    }
    document["figures"] = json!(figures);
}

/// What data is: columns and target.
pub(crate) fn summary_of(data: &Dataset) -> Value {
    let column = |c: &mercer::data::Column| {
        let mut detail = match &c.values {
            Values::Categories(v) => format!("{} values", v.levels().len()),
            Values::Graphs(v) => {
                let (nodes, edges) = v.iter().fold((0, 0), |(n, e), g| (n + g.nodes(), e + g.edges()));
                let n = v.len().max(1) as f64;
                format!("{:.1} nodes and {:.1} edges on average", nodes as f64 / n, edges as f64 / n)
            }
            Values::Strings(v) | Values::Text(v) => {
                let letters: usize = v.iter().flatten().map(|t| t.chars().count()).sum();
                format!("{:.0} letters on average", letters as f64 / v.len().max(1) as f64)
            }
            values if values.width() > 1 => format!("{} wide", values.width()),
            _ => String::new(),
        };
        let missing = c.missing();
        if missing > 0 {
            let comma = if detail.is_empty() { "" } else { ", " };
            detail += &format!("{comma}{missing} missing");
        }
        json!({"name": c.name, "kind": c.values.kind().name(), "detail": detail})
    };
    let target = data.target().map(|target| match target {
        Target::Classes(classes) => {
            let mut sizes = vec![0usize; classes.levels().len()];
            (0..classes.len()).filter_map(|i| classes.code(i)).for_each(|c| sizes[c as usize] += 1);
            let each = classes.levels().iter().zip(sizes);
            let each: Vec<Value> =
                each.map(|(name, objects)| json!({"name": name, "objects": objects})).collect();
            json!({"name": data.target_name(), "kind": "classes", "classes": each})
        }
        Target::Numbers(y) => {
            let mut sorted = y.clone();
            sorted.sort_by(f64::total_cmp);
            let at = |share: usize| sorted.get((sorted.len().saturating_sub(1)) * share / 2);
            json!({"name": data.target_name(), "kind": "number", "min": at(0), "median": at(1), "max": at(2)})
        }
        _ => Value::Null,
    });
    json!({
        "objects": data.len(), "ids": data.ids().is_some(),
        "columns": data.columns().iter().map(column).collect::<Vec<_>>(), "target": target,
    })
}

/// The command as it could be typed again.
fn command_line() -> String {
    let quoted = |word: String| {
        let plain = |c: char| c.is_alphanumeric() || "-_./=,:+@%".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    };
    let words = std::env::args_os().skip(1).map(|w| quoted(w.to_string_lossy().into_owned()));
    std::iter::once("mercer".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// The day, by the calendar of Greenwich.
fn today() -> String {
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs() / 86_400);
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The date so many days after 1970-01-01. Years are counted from March, so that leap days come last (E. Reingold & N. Dershowitz).
fn civil(days: u64) -> (u64, u64, u64) {
    // 719468 days from 0000-03-01 to 1970-01-01; 146097 in 400 years.
    let shifted = days + 719_468;
    let (era, rest) = (shifted / 146_097, shifted % 146_097);
    let year = (rest - rest / 1460 + rest / 36_524 - rest / 146_096) / 365;
    let of_year = rest - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (400 * era + year + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::civil;

    #[test]
    fn days_become_dates() {
        for (days, date) in
            [(0, (1970, 1, 1)), (59, (1970, 3, 1)), (11_016, (2000, 2, 29)), (20_773, (2026, 11, 16))]
        {
            assert_eq!(civil(days), date);
        }
    }
}
