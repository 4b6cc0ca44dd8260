//! What people and programs see: text or JSON on standard output, everything else on standard error.

use std::cell::Cell;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use mercer::gram::{Cancel, Engine};
use mercer::{Error, Result, Warning};
use serde_json::{Map, Value, json};

use crate::args::Global;
use crate::progress::{Bar, Waiting};

/// How long work has to stop in good order once it is told to.
const GRACE: Duration = Duration::from_millis(1000);

/// The version of the JSON documents.
const SCHEMA: &str = "mercer/1";

/// Where output goes.
pub(crate) struct Console {
    json: bool,
    quiet: bool,
    threads: Option<usize>,
    /// Seed of everything random.
    pub(crate) seed: u64,
    cancel: Cancel,
    /// Whether work that is told to stop may take its time.
    patient: Arc<AtomicBool>,
    started: Instant,
    /// What the program ends with when no error ends it.
    code: Cell<u8>,
}

/// The style of headings.
pub(crate) const BOLD: Style = Style::new().bold();
/// The style of what matters less.
pub(crate) const DIM: Style = Style::new().dimmed();
const RED: Style = AnsiColor::Red.on_default().bold();
const YELLOW: Style = AnsiColor::Yellow.on_default();

impl Console {
    pub(crate) fn new(global: &Global) -> Self {
        let cancel = Cancel::default();
        let patient = Arc::new(AtomicBool::new(false));
        let (flag, waits) = (cancel.clone(), patient.clone());
        // The first Ctrl-C lets work stop in good order, the second does not wait. Without a handler the
        // system's default applies, which is also an answer.
        let _ = ctrlc::set_handler(move || {
            if flag.is_stopped() {
                std::process::exit(130);
            }
            flag.stop();
            let waits = waits.clone();
            // The eigenvalues of a large matrix, say, cannot be left in the middle. Files are as a kill would leave them,
            // whole; should no thread be had for this, there is the second Ctrl-C.
            let _ = std::thread::Builder::new().spawn(move || {
                std::thread::sleep(GRACE);
                if !waits.load(Ordering::Relaxed) {
                    let _ = writeln!(std::io::stderr(), "{}", Error::Interrupted);
                    std::process::exit(130);
                }
            });
        });
        Console {
            json: global.json,
            quiet: global.quiet,
            threads: global.threads,
            seed: global.seed,
            cancel,
            patient,
            started: Instant::now(),
            code: Cell::new(0),
        }
    }

    /// Whether somebody looks at the result as it is printed.
    pub(crate) fn is_watched(&self) -> bool {
        !self.json && std::io::stdout().is_terminal()
    }

    /// Whether output is JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Starts the threads asked for, on which everything runs, reading too. They would be started when they are first needed,
    /// and end the program where the system has none left to give.
    pub(crate) fn start_threads(&self) -> Result<()> {
        if self.threads.is_some_and(|threads| threads == 0 || threads > 4096) {
            return Err(Error::param("threads", self.threads.unwrap_or(0), "a whole number from 1 to 4096"));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.unwrap_or(0)).build_global();
        pool.map_err(|e| Error::Numeric { reason: format!("threads could not be started: {e}") })
    }

    /// An engine with the threads that were started, progress on a terminal, and Ctrl-C.
    pub(crate) fn engine(&self) -> Result<Engine> {
        let mut engine = Engine::new().with_cancel(self.cancel.clone());
        if !self.quiet && !self.json && std::io::stderr().is_terminal() {
            engine = engine.with_progress(Arc::new(Bar::default()));
        }
        Ok(engine)
    }

    /// Lets work that is told to stop take its time, as a server does for those who wait for an answer.
    pub(crate) fn be_patient(&self) {
        self.patient.store(true, Ordering::Relaxed);
    }

    /// Seconds since the program began.
    pub(crate) fn seconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Shows that work is under way until it is dropped, on a terminal.
    pub(crate) fn waiting(&self, text: String) -> Waiting {
        let shown = !self.quiet && !self.json && std::io::stderr().is_terminal();
        Waiting::new(shown.then_some(text))
    }

    /// Notes that the result falls short of what was asked for: the program will end with code 1.
    pub(crate) fn failed(&self) {
        self.code.set(1);
    }

    /// The exit code of a program that met no error.
    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(self.code.get())
    }

    /// Prints a line of the result.
    pub(crate) fn line(&self, text: impl std::fmt::Display) -> Result<()> {
        if self.json { Ok(()) } else { print(&format!("{text}\n")) }
    }

    /// Prints text as it is, whatever the mode.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Result<()> {
        let mut out = std::io::stdout().lock();
        finish(out.write_all(bytes).and_then(|()| out.flush()))
    }

    /// Prints the result as JSON, if that is wanted.
    pub(crate) fn document(&self, command: &str, fields: Value) -> Result<()> {
        if !self.json {
            return Ok(());
        }
        print(&format!("{:#}\n", self.whole_document(command, fields)))
    }

    /// A result as JSON, with the schema it follows.
    pub(crate) fn whole_document(&self, command: &str, fields: Value) -> Value {
        let mut document = Map::new();
        document.insert("schema".into(), SCHEMA.into());
        document.insert("command".into(), command.into());
        if let Value::Object(fields) = fields {
            document.extend(fields);
        }
        Value::Object(document)
    }

    /// Says something beside the result.
    pub(crate) fn note(&self, text: impl std::fmt::Display) {
        if !self.quiet && !self.json {
            let _ = writeln!(anstream::stderr(), "{DIM}{text}{DIM:#}");
        }
    }

    /// Says what is under way, where somebody is watching.
    pub(crate) fn status(&self, text: impl std::fmt::Display) {
        if std::io::stderr().is_terminal() {
            self.note(text);
        }
    }

    /// Says something the user should know. Not even `--quiet` hides it; JSON documents carry it themselves.
    pub(crate) fn warn(&self, warning: &Warning) {
        self.warn_text(warning.code, &warning.message);
    }

    /// The same of a warning that is text already.
    pub(crate) fn warn_text(&self, code: &str, message: &str) {
        if !self.json {
            let _ = writeln!(anstream::stderr(), "{YELLOW}{code}{YELLOW:#} {message}");
        }
    }

    /// Reports an error and gives the exit code.
    pub(crate) fn fail(&self, error: &Error) -> ExitCode {
        if self.json {
            let (file, line, column) = match error {
                Error::Parse { place, .. } => {
                    (Some(place.file.display().to_string()), place.line, place.column)
                }
                Error::Io { path, .. } | Error::Resume { path, .. } => {
                    (Some(path.display().to_string()), 0, 0)
                }
                Error::Expression { text, span, .. } => {
                    (None, 1, text.get(..span.start).map_or(0, |s| s.chars().count()) as u64 + 1)
                }
                _ => (None, 0, 0),
            };
            let known = |n: u64| (n > 0).then_some(n);
            let document = json!({
                "schema": SCHEMA,
                "error": {
                    "code": error.code().as_str(), "message": error.to_string(), "hint": error.hint(),
                    "file": file, "line": known(line), "column": known(column),
                },
            });
            // Nobody is left to tell if this fails too.
            let _ = print(&format!("{document:#}\n"));
        } else {
            self.show_error(error);
        }
        match error {
            Error::Interrupted => ExitCode::from(130),
            error if error.is_input() => ExitCode::from(2),
            _ => ExitCode::from(1),
        }
    }

    fn show_error(&self, error: &Error) {
        let mut out = anstream::stderr().lock();
        let text = error.to_string();
        let code = error.code().as_str();
        let marked = text.replacen(code, &format!("{RED}{code}{RED:#}"), 1);
        let _ = writeln!(out, "{marked}");
        if let Error::Expression { text, span, .. } = error {
            let before = text.get(..span.start).map_or(0, |s| s.chars().count());
            let marked = text.get(span.clone()).map_or(1, |s| s.chars().count()).max(1);
            let _ = writeln!(out, "  {text}\n  {}{RED}{}{RED:#}", " ".repeat(before), "^".repeat(marked));
        }
        if let Some(hint) = error.hint() {
            let _ = writeln!(out, "  hint: {hint}");
        }
    }
}

fn print(text: &str) -> Result<()> {
    let mut out = anstream::stdout().lock();
    finish(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// A reader that closed the pipe has what it wanted; anything else is a failure.
fn finish(result: std::io::Result<()>) -> Result<()> {
    match result {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::Io { path: "standard output".into(), code: mercer::Code::IoWrite, source: e })
        }
        _ => Ok(()),
    }
}
