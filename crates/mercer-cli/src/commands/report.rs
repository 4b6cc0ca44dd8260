//! `mercer report`, and the reports and plots of other commands.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};
use mercer::expression::Expression;
use mercer::gram::Engine;
use mercer::{Code, Error, Place, Result};
use mercer_reproduce::StudyReport;
use serde_json::{Value, json};

use super::paths::Paths;
use super::write_file;
use crate::console::Console;

/// Arguments of `mercer report`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer evaluate iris -k 'standardize(rbf(gamma=2^-5..2^3))' \\
    -l 'svc(C=2^-2..2^8)' --report iris.json
  mercer report iris.json -o iris.html --plots figures/

With --report run.html, evaluate, auto, compare, reproduce, fit and predict write the page themselves. A page contains its document: \
mercer report reads pages too.")]
pub(crate) struct ReportArgs {
    /// Output of --report or --json: a document (.json), or a page that contains one (.html)
    run: PathBuf,
    /// Page to write [default: the document's name with .html]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    plots: Plots,
}

/// Plots for papers.
#[derive(Clone, Debug, Args)]
pub(crate) struct Plots {
    /// Folder to write the figures to as plots for papers
    #[arg(long = "plots", value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Format of the plots; svg,png for both
    #[arg(
        long = "plots-as",
        value_enum,
        value_name = "FORM",
        value_delimiter = ',',
        default_value = "svg",
        requires = "folder"
    )]
    forms: Vec<PlotForm>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PlotForm {
    Svg,
    Png,
}

impl Plots {
    /// Creates the folder, before the work rather than after.
    fn check(&self) -> Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        std::fs::create_dir_all(folder).map_err(|e| Error::Io {
            path: folder.clone(),
            code: Code::IoWrite,
            source: e,
        })
    }

    fn write(&self, document: &Value, console: &Console) -> Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let mut count = 0;
        for form in &self.forms {
            let form = match form {
                PlotForm::Svg => mercer_report::Form::Svg,
                PlotForm::Png => mercer_report::Form::Png,
            };
            for plot in mercer_report::plots(document, form) {
                write_file(&folder.join(&plot.name), |out| out.write_all(&plot.bytes))?;
                count += 1;
            }
        }
        console.note(format!("plots: {count} in {}", folder.display()));
        Ok(())
    }
}

/// The report and the plots of a command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Reporting")]
pub(crate) struct Reporting {
    /// Write a report: a self-contained page (.html), or a document for mercer report (.json)
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    plots: Plots,
}

/// The format of a report.
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
    /// A report without plots.
    pub(crate) fn page(report: Option<PathBuf>) -> Self {
        Reporting { report, plots: Plots { folder: None, forms: Vec::new() } }
    }

    /// The same with a page next to a file, if `wanted` and no report was named.
    pub(crate) fn or_next_to(mut self, file: &Path, wanted: bool) -> Self {
        if wanted {
            self.report.get_or_insert_with(|| file.with_extension("html"));
        }
        self
    }

    /// Whether there is anything to write.
    pub(crate) fn is_wanted(&self) -> bool {
        self.report.is_some() || self.plots.folder.is_some()
    }

    /// Refuses outputs that cannot be written, before hours of work rather than after.
    pub(crate) fn check(&self) -> Result<()> {
        if let Some(path) = &self.report {
            form(path)?;
            let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            if !folder.is_dir() {
                return Err(Error::param("--report", path.display(), "a file in an existing folder"));
            }
        }
        self.plots.check()
    }

    /// Writes the report and the plots of a document, where requested.
    pub(crate) fn write(&self, mut document: Value, engine: &Engine, console: &Console) -> Result<()> {
        document["run"] = json!({
            "command_line": command_line(), "version": env!("CARGO_PKG_VERSION"), "threads": engine.threads(),
            "seed": console.seed, "system": format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            "seconds": console.seconds(), "date": today(),
        });
        if let Some(path) = &self.report {
            let text = match form(path)? {
                Form::Page => mercer_report::page(&document, |kernel| Some(Expression::brief_text(kernel))),
                Form::Document => format!("{document:#}\n"),
            };
            write_file(path, |out| out.write_all(text.as_bytes()))?;
            console.note(format!("report: {}", path.display()));
        }
        self.plots.write(&document, console)
    }

    /// Ends a command whose document is its report: writes the report and prints the document, where requested.
    pub(crate) fn finish(&self, report: &StudyReport, engine: &Engine, console: &Console) -> Result<()> {
        let document = json!(report);
        if self.is_wanted() {
            self.write(console.whole_document("reproduce", document.clone()), engine, console)?;
        }
        console.document("reproduce", document)
    }
}

impl ReportArgs {
    pub(crate) fn paths(&self) -> Paths<'_> {
        Paths::default().reads([&self.run]).writes(&self.output)
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
    let mut document: Value =
        serde_json::from_str(json).map_err(|e| fault(e.line() as u64, format!("not JSON: {e}")))?;
    if !mercer_report::upgrade(&mut document) || !document["command"].is_string() {
        let newest = mercer_report::SCHEMA;
        return Err(fault(0, format!("not a run document: no command, or a schema later than {newest}")));
    }
    let output = args.output.clone().unwrap_or_else(|| path.with_extension("html"));
    args.plots.check()?;
    // A page given as input is not written again.
    if output != *path {
        let page = mercer_report::page(&document, |kernel| Some(Expression::brief_text(kernel)));
        write_file(&output, |out| out.write_all(page.as_bytes()))?;
    }
    console.line(format!("{}", output.display()))?;
    args.plots.write(&document, console)?;
    console.document("report", json!({"output": output, "plots": args.plots.folder}))
}

/// The document in a file: the whole text, or the document inside a page.
fn document_in(text: &str) -> Option<&str> {
    if !text.trim_start().starts_with("<!") {
        return Some(text);
    }
    let start = text.find("id=\"document\"")?;
    let start = start + text[start..].find('>')? + 1;
    Some(&text[start..start + text[start..].find("</script>")?])
}

/// The command line, quoted for a shell.
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

/// Today's date (UTC).
fn today() -> String {
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs() / 86_400);
    let (year, month, day) = civil(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The date `days` days after 1970-01-01. Years are counted from March, so that leap days come last (E. Reingold & N.
/// Dershowitz).
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
