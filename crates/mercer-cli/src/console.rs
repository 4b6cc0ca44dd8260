//! What people and programs see: text or JSON on standard output, everything else on standard error.

use std::cell::Cell;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use mercer::budget::{Budget, CountingAllocator, address_limit};
use mercer::error::Options;
use mercer::gram::Engine;
use mercer::{Error, Result, Warning};
use serde_json::{Map, Value, json};

use crate::args::Global;
use crate::progress::{Bar, Waiting, Warnings};

/// How long work has to stop in good order once it is told to.
const GRACE: Duration = Duration::from_millis(1000);

/// What a thread takes of the address space.
const STACK: u64 = 2 << 20;

/// The version of the JSON documents.
const SCHEMA: &str = "mercer/1";

/// Where output goes.
pub(crate) struct Console {
    json: bool,
    quiet: bool,
    threads: Option<usize>,
    /// Seed of everything random.
    pub(crate) seed: u64,
    budget: Budget,
    /// Whether work that is told to stop may take its time.
    patient: Arc<AtomicBool>,
    started: Instant,
    /// What the program ends with when no error ends it.
    code: Cell<u8>,
}

/// The style of headings.
pub(crate) const BOLD: Mark = Mark('\u{FDD0}');
/// The style of what matters less.
pub(crate) const DIM: Mark = Mark('\u{FDD1}');
const RED: Mark = Mark('\u{FDD2}');
const YELLOW: Mark = Mark('\u{FDD3}');
/// What ends a style.
const END: char = '\u{FDD4}';

/// A style in text to be printed: `{BOLD}` begins it, `{BOLD:#}` ends it.
///
/// It is a character that no text has until the text is printed. So what comes from users' data can be told from it: their
/// control characters are shown, never sent to the terminal.
#[derive(Clone, Copy)]
pub(crate) struct Mark(char);

impl std::fmt::Display for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_char(if f.alternate() { END } else { self.0 })
    }
}

/// Text as it goes to a terminal: styles as its escape sequences, other control characters written out.
fn dressed(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        let style = match c {
            '\u{FDD0}' => Style::new().bold(),
            '\u{FDD1}' => Style::new().dimmed(),
            '\u{FDD2}' => AnsiColor::Red.on_default().bold(),
            '\u{FDD3}' => AnsiColor::Yellow.on_default(),
            END => {
                out += &format!("{:#}", Style::new().bold());
                continue;
            }
            '\n' => {
                out.push(c);
                continue;
            }
            c => {
                escape_into(c, &mut out);
                continue;
            }
        };
        out += &style.to_string();
    }
    out
}

/// A character, written out where a terminal would obey it instead of showing it.
fn escape_into(c: char, out: &mut String) {
    // Besides control characters those that turn the direction of text around.
    let obeyed = matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    if c.is_control() || obeyed { out.extend(c.escape_default()) } else { out.push(c) }
}

/// Text from users' data on one line, its control characters written out.
pub(crate) fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| escape_into(c, &mut out));
    out
}

impl Console {
    pub(crate) fn new(global: &Global) -> Self {
        if address_limit().is_some() {
            CountingAllocator::share_one_heap();
        }
        let budget = Budget::of_machine();
        let patient = Arc::new(AtomicBool::new(false));
        let (flag, waits) = (budget.clone(), patient.clone());
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
            budget,
            patient,
            started: Instant::now(),
            code: Cell::new(0),
        }
    }

    /// Runs a command under its budget: all the memory it may use, until it is interrupted.
    pub(crate) fn enter<R>(&self, work: impl FnOnce() -> R) -> R {
        self.budget.enter(work)
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
        let mut threads = self.threads.unwrap_or(0);
        if let (Some(_), Some(room)) = (address_limit(), self.budget.room()) {
            // Their stacks may take a fourth of what there is. Results do not depend on the number of threads.
            let most = (room / 4 / STACK).max(1) as usize;
            let wanted = if threads > 0 {
                threads
            } else {
                std::thread::available_parallelism().map_or(1, usize::from)
            };
            threads = wanted.min(most);
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
        pool.map_err(|e| Error::Numeric { reason: format!("threads could not be started: {e}") })
    }

    /// An engine with the threads that were started, progress on a terminal, and Ctrl-C.
    pub(crate) fn engine(&self) -> Result<Engine> {
        let mut engine = Engine::new().with_budget(self.budget.clone());
        if !self.quiet && !self.json && std::io::stderr().is_terminal() {
            engine = engine.with_progress(Arc::new(Bar::default()));
        } else {
            engine = engine.with_progress(Arc::new(Warnings));
        }
        Ok(engine)
    }

    /// Ends the program with an ordinary error where the system has no memory left that no budget foresaw. Not for a server,
    /// which answers others meanwhile.
    pub(crate) fn end_when_exhausted(&self) {
        AS_JSON.store(self.json, Ordering::Relaxed);
        // Its buffer is made now: there will be no memory for it then.
        drop(std::io::stdout().lock());
        CountingAllocator::when_exhausted(exhausted);
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
        // A file or a program gets the bytes, a terminal what can be shown of them.
        if std::io::stdout().is_terminal() {
            return print(&String::from_utf8_lossy(bytes));
        }
        exactly(bytes)
    }

    /// Prints the result as JSON, if that is wanted.
    pub(crate) fn document(&self, command: &str, fields: Value) -> Result<()> {
        if !self.json {
            return Ok(());
        }
        exactly(format!("{:#}\n", self.whole_document(command, fields)).as_bytes())
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
            let _ = writeln!(anstream::stderr(), "{}", dressed(&format!("{DIM}{text}{DIM:#}")));
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
            let text = dressed(&format!("{YELLOW}{code}{YELLOW:#} {}", with_flags(message)));
            let _ = writeln!(anstream::stderr(), "{text}");
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
                    "code": error.code().as_str(), "message": with_flags(&error.to_string()),
                    "hint": error.hint().map(|hint| with_flags(&hint)),
                    "file": file, "line": known(line), "column": known(column),
                },
            });
            // Nobody is left to tell if this fails too.
            let _ = exactly(format!("{document:#}\n").as_bytes());
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
        let text = with_flags(&error.to_string());
        let code = error.code().as_str();
        let marked = text.replacen(code, &format!("{RED}{code}{RED:#}"), 1);
        let _ = writeln!(out, "{}", dressed(&marked));
        if let Error::Expression { text, span, .. } = error {
            let before = text.get(..span.start).map_or(0, |s| s.chars().count());
            let marked = text.get(span.clone()).map_or(1, |s| s.chars().count()).max(1);
            let shown = format!("  {text}\n  {}{RED}{}{RED:#}", " ".repeat(before), "^".repeat(marked));
            let _ = writeln!(out, "{}", dressed(&shown));
        }
        if let Some(hint) = error.hint() {
            let _ = writeln!(out, "  hint: {}", dressed(&with_flags(&hint)));
        }
    }
}

/// A message of the library with its options as flags.
pub(crate) fn with_flags(message: &str) -> String {
    Options::Flags.write(message)
}

/// JSON escapes what a terminal would obey.
fn exactly(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    finish(out.write_all(bytes).and_then(|()| out.flush()))
}

/// Whether errors are JSON, for [`exhausted`].
static AS_JSON: AtomicBool = AtomicBool::new(false);

/// Says that there is no memory left, without taking any, and ends the program.
fn exhausted(asked: usize) -> ! {
    static SAID: AtomicBool = AtomicBool::new(false);
    if SAID.swap(true, Ordering::Relaxed) {
        // Another thread is about to end the program, or this one failed again while it was.
        std::thread::sleep(GRACE);
        std::process::exit(2);
    }
    let mut bytes = [0; 512];
    let mut text = &mut bytes[..];
    let reason = "the system gave no more memory: free some, allow more, or use smaller data";
    let _ = match AS_JSON.load(Ordering::Relaxed) {
        true => writeln!(
            text,
            "{{\"schema\": \"{SCHEMA}\", \"error\": {{\"code\": \"E_MEMORY_PLAN\", \"message\": \"E_MEMORY_PLAN {reason}\"}}}}"
        ),
        false => writeln!(text, "E_MEMORY_PLAN {reason} ({asked} bytes were asked for)"),
    };
    let length = 512 - text.len();
    let said = &bytes[..length];
    let _ = match AS_JSON.load(Ordering::Relaxed) {
        true => std::io::stdout().write_all(said).and_then(|()| std::io::stdout().flush()),
        false => std::io::stderr().write_all(said),
    };
    std::process::exit(2);
}

fn print(text: &str) -> Result<()> {
    let mut out = anstream::stdout().lock();
    finish(out.write_all(dressed(text).as_bytes()).and_then(|()| out.flush()))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_of_users_are_shown_and_styles_are_ours() {
        let text = format!("{BOLD}name{BOLD:#} \u{1b}[31mred\u{7}\u{202e}\u{9b}\n");
        assert_eq!(dressed(&text), "\u{1b}[1mname\u{1b}[0m \\u{1b}[31mred\\u{7}\\u{202e}\\u{9b}\n");
        assert_eq!(shown("a\nb\tç"), "a\\nb\\tç");
    }
}
