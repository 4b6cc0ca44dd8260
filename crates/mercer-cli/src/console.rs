//! Output: results as text or JSON on standard output, everything else on standard error.

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
use crate::table::Table;
use crate::wrap::{wrap, wrap_prose};

/// Time for work to stop cleanly after an interrupt.
const GRACE: Duration = Duration::from_millis(1000);
/// The same for commands that keep the best result so far.
const KEEPING: Duration = Duration::from_secs(10);

/// Address space of a thread's stack.
const STACK: u64 = 2 << 20;

/// The schema of the JSON documents.
pub(crate) use mercer_report::SCHEMA;

/// Where output goes.
pub(crate) struct Console {
    json: bool,
    quiet: bool,
    threads: Option<usize>,
    /// The random seed.
    pub(crate) seed: u64,
    budget: Budget,
    /// Whether interrupted work may take longer than [`GRACE`].
    patient: Arc<AtomicBool>,
    /// Whether it may take up to [`KEEPING`].
    keeping: Arc<AtomicBool>,
    started: Instant,
    /// The exit code if no error occurs.
    code: Cell<u8>,
    /// Width of the terminal, in characters.
    width: usize,
}

/// Width of output lines: `COLUMNS`, else the width of the terminal, else 80.
fn width() -> usize {
    let terminal =
        || terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0));
    // Some terminals report a width of 0 or 1 when they do not know it.
    columns().or_else(terminal).filter(|&width| width >= 20).unwrap_or(80)
}

/// A warning or an error: broken at spaces on a terminal, and one line in files and pipes, for `grep` and logs.
fn on_terminal(text: &str) -> String {
    match message_width() {
        None => text.to_owned(),
        Some(width) => {
            text.split('\n').flat_map(|line| wrap_prose(line, width, 2)).collect::<Vec<_>>().join("\n")
        }
    }
}

/// Width of warnings and errors: `COLUMNS`, else the width of the terminal; none in files and pipes.
fn message_width() -> Option<usize> {
    match std::io::stderr().is_terminal() {
        true => {
            let of = |(width, _): (terminal_size::Width, _)| usize::from(width.0);
            let known = terminal_size::terminal_size_of(std::io::stderr()).map(of);
            Some(columns().or(known).filter(|&width| width >= 20).unwrap_or(80))
        }
        false => None,
    }
}

fn columns() -> Option<usize> {
    std::env::var("COLUMNS").ok().and_then(|text| text.trim().parse().ok())
}

/// The style of headings.
pub(crate) const BOLD: Mark = Mark('\u{FDD0}');
/// The style of less important text.
pub(crate) const DIM: Mark = Mark('\u{FDD1}');
const RED: Mark = Mark('\u{FDD2}');
const YELLOW: Mark = Mark('\u{FDD3}');
/// Ends a style.
const END: char = '\u{FDD4}';

/// A style in text to be printed: `{BOLD}` begins it, `{BOLD:#}` ends it.
///
/// A style is a Unicode noncharacter until the text is printed. Control characters in users' data can thus be told from
/// styles: they are shown escaped, never sent to the terminal.
#[derive(Clone, Copy)]
pub(crate) struct Mark(char);

impl std::fmt::Display for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_char(if f.alternate() { END } else { self.0 })
    }
}

/// Text for a terminal: styles become escape sequences, other control characters are escaped.
fn rendered(text: &str) -> String {
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

/// Appends a character, escaped if a terminal would interpret it instead of showing it.
fn escape_into(c: char, out: &mut String) {
    // Characters that change the direction of text are escaped too.
    let is_bidirectional =
        matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    if c.is_control() || is_bidirectional { out.extend(c.escape_default()) } else { out.push(c) }
}

/// Text from users' data on one line, its control characters escaped.
pub(crate) fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| escape_into(c, &mut out));
    out
}

/// The least memory that is left for the thread that waits for Ctrl-C, beyond what stacks of other threads may need.
const HANDLER: u64 = 4 << 20;

/// Stops work at Ctrl-C.
fn stop_at_interrupt(flag: Budget, waits: Arc<AtomicBool>, keeps: Arc<AtomicBool>) {
    // The first Ctrl-C stops work cleanly, the second ends the program at once. If no handler can be set, the system's
    // default applies.
    let _ = ctrlc::set_handler(move || {
        if flag.is_stopped() {
            std::process::exit(130);
        }
        flag.stop();
        let (waits, keeps) = (waits.clone(), keeps.clone());
        // Some steps, such as the eigenvalues of a large matrix, cannot be interrupted: the program ends without them.
        // Output files stay whole, as after a kill. If this thread cannot start, a second Ctrl-C still works.
        let _ = std::thread::Builder::new().spawn(move || {
            std::thread::sleep(if keeps.load(Ordering::Relaxed) { KEEPING } else { GRACE });
            if !waits.load(Ordering::Relaxed) {
                let _ = writeln!(std::io::stderr(), "{}", Error::Interrupted);
                std::process::exit(130);
            }
        });
    });
}

impl Console {
    pub(crate) fn new(global: &Global) -> Self {
        if address_limit().is_some() {
            CountingAllocator::share_one_heap();
        }
        let budget = Budget::of_system();
        let patient = Arc::new(AtomicBool::new(false));
        let keeping = Arc::new(AtomicBool::new(false));
        // A thread that starts and then finds no memory for its signal stack aborts the program. Without a handler the
        // system's default applies: Ctrl-C ends the program at once.
        if address_limit().is_none() || budget.room().is_none_or(|room| room >= HANDLER) {
            stop_at_interrupt(budget.clone(), patient.clone(), keeping.clone());
        }
        Console {
            json: global.json,
            quiet: global.quiet,
            threads: global.threads,
            seed: global.seed,
            budget,
            patient,
            keeping,
            started: Instant::now(),
            code: Cell::new(0),
            width: width(),
        }
    }

    /// Runs a command under its budget: the memory it may use, until it is interrupted.
    pub(crate) fn enter<R>(&self, work: impl FnOnce() -> R) -> R {
        self.budget.enter(work)
    }

    /// Whether the result is printed as text to a terminal.
    pub(crate) fn is_watched(&self) -> bool {
        !self.json && std::io::stdout().is_terminal()
    }

    /// Whether output is JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Starts the threads that all work runs on, including reading. Started on first use instead, a failure to create
    /// them would abort the program.
    pub(crate) fn start_threads(&self) -> Result<()> {
        if self.threads.is_some_and(|threads| threads == 0 || threads > 4096) {
            return Err(Error::param("threads", self.threads.unwrap_or(0), "a whole number from 1 to 4096"));
        }
        let mut threads = self.threads.unwrap_or(0);
        if let (Some(_), Some(room)) = (address_limit(), self.budget.room()) {
            // Stacks may take a quarter of the available memory. Results do not depend on the number of threads.
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

    /// An engine with the started threads, progress bars on a terminal, and cancellation by Ctrl-C.
    pub(crate) fn engine(&self) -> Result<Engine> {
        let mut engine = Engine::new().with_budget(self.budget.clone());
        if !self.quiet && !self.json && std::io::stderr().is_terminal() {
            engine = engine.with_progress(Arc::new(Bar::default()));
        } else {
            engine = engine.with_progress(Arc::new(Warnings));
        }
        Ok(engine)
    }

    /// Makes failed allocations end the program with an ordinary error. Not for a server, which has other requests to
    /// answer.
    pub(crate) fn end_when_exhausted(&self) {
        AS_JSON.store(self.json, Ordering::Relaxed);
        // Allocates the buffer of standard output now: later there is no memory for it.
        drop(std::io::stdout().lock());
        CountingAllocator::when_exhausted(exhausted);
    }

    /// Lets interrupted work take longer than [`GRACE`], as a server does for pending requests.
    pub(crate) fn be_patient(&self) {
        self.patient.store(true, Ordering::Relaxed);
    }

    /// Lets interrupted work take some seconds to keep the best result so far.
    pub(crate) fn keep_the_best(&self, keeps: bool) {
        self.keeping.store(keeps, Ordering::Relaxed);
    }

    /// What is still to be done after an interrupt, under a budget that it did not stop.
    pub(crate) fn after_interrupt<R>(&self, work: impl FnOnce() -> R) -> R {
        self.code.set(130);
        self.budget.renewed().enter(work)
    }

    /// The time since the program began.
    pub(crate) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The same in seconds.
    pub(crate) fn seconds(&self) -> f64 {
        self.elapsed().as_secs_f64()
    }

    /// Shows a spinner on a terminal until the value is dropped.
    pub(crate) fn waiting(&self, text: String) -> Waiting {
        let shown = !self.quiet && !self.json && std::io::stderr().is_terminal();
        Waiting::new(shown.then_some(text))
    }

    /// Marks the result as incomplete: the exit code will be 1.
    pub(crate) fn failed(&self) {
        self.code.set(1);
    }

    /// The exit code if no error occurred.
    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(self.code.get())
    }

    /// Prints text of the result. Lines that are too long for the terminal break at spaces.
    pub(crate) fn line(&self, text: impl std::fmt::Display) -> Result<()> {
        if self.json {
            return Ok(());
        }
        let text = text.to_string();
        let lines = text.split('\n').flat_map(|line| wrap_prose(line, self.width, 2));
        print(&format!("{}\n", lines.collect::<Vec<_>>().join("\n")))
    }

    /// Prints text with tables that are laid out already: only lines without columns are broken.
    pub(crate) fn as_it_is(&self, text: impl std::fmt::Display) -> Result<()> {
        if self.json {
            return Ok(());
        }
        let text = text.to_string();
        let lines = text.split('\n').flat_map(|line| match line.contains("  ") {
            true => vec![line.to_owned()],
            false => wrap_prose(line, self.width, 2),
        });
        print(&format!("{}\n", lines.collect::<Vec<_>>().join("\n")))
    }

    /// Prints a table, laid out for the terminal.
    pub(crate) fn table(&self, table: Table) -> Result<()> {
        if self.json { Ok(()) } else { print(&format!("{}\n", table.fit(self.width))) }
    }

    /// Prints a name and its description, indented; `width` is the length of the longest name.
    pub(crate) fn item(&self, name: &str, width: usize, text: &str) -> Result<()> {
        if self.json {
            return Ok(());
        }
        let indent = width + 4;
        let lines = wrap(&shown(text), self.width.saturating_sub(indent).max(24), 0);
        let space = " ".repeat(width.saturating_sub(name.chars().count()));
        let text = lines.join(&format!("\n{}", " ".repeat(indent)));
        print(&format!("  {DIM}{}{DIM:#}{space}  {text}\n", shown(name)))
    }

    /// Width of the terminal, in characters.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Prints bytes unchanged, in every output mode.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Result<()> {
        // Files and pipes get the exact bytes, a terminal gets control characters escaped.
        if std::io::stdout().is_terminal() {
            return print(&String::from_utf8_lossy(bytes));
        }
        print_bytes(bytes)
    }

    /// Prints the result as JSON, with `--json`.
    pub(crate) fn document(&self, command: &str, fields: Value) -> Result<()> {
        if !self.json {
            return Ok(());
        }
        print_bytes(format!("{:#}\n", self.whole_document(command, fields)).as_bytes())
    }

    /// A result as JSON, with its schema and command.
    pub(crate) fn whole_document(&self, command: &str, fields: Value) -> Value {
        let mut document = Map::new();
        document.insert("schema".into(), SCHEMA.into());
        document.insert("command".into(), command.into());
        if let Value::Object(fields) = fields {
            document.extend(fields);
        }
        document.get_mut("warnings").into_iter().for_each(flag_texts);
        document.get_mut("findings").into_iter().for_each(flag_texts);
        Value::Object(document)
    }

    /// Prints a remark to standard error.
    pub(crate) fn note(&self, text: impl std::fmt::Display) {
        if !self.quiet && !self.json {
            let lines = wrap_prose(&text.to_string(), self.width, 2).join("\n");
            let _ = writeln!(anstream::stderr(), "{}", rendered(&format!("{DIM}{lines}{DIM:#}")));
        }
    }

    /// Prints a status message, if standard error is a terminal.
    pub(crate) fn status(&self, text: impl std::fmt::Display) {
        if std::io::stderr().is_terminal() {
            self.note(text);
        }
    }

    /// Prints a warning, even with `--quiet`. JSON documents contain their warnings.
    pub(crate) fn warn(&self, warning: &Warning) {
        self.warn_text(warning.code, &warning.message);
    }

    /// The same for a code and a message.
    pub(crate) fn warn_text(&self, code: &str, message: &str) {
        if !self.json {
            let text = format!("{YELLOW}{code}{YELLOW:#} {}", with_flags(message));
            let _ = writeln!(anstream::stderr(), "{}", rendered(&on_terminal(&text)));
        }
    }

    /// Reports an error and returns the exit code.
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
            // If this fails too, there is no way to report it.
            let _ = print_bytes(format!("{document:#}\n").as_bytes());
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
        let _ = writeln!(out, "{}", rendered(&on_terminal(&marked)));
        if let Error::Expression { text, span, .. } = error {
            let before = text.get(..span.start).map_or(0, |s| s.chars().count());
            let marked = text.get(span.clone()).map_or(1, |s| s.chars().count()).max(1);
            let shown = format!("  {text}\n  {}{RED}{}{RED:#}", " ".repeat(before), "^".repeat(marked));
            let _ = writeln!(out, "{}", rendered(&shown));
        }
        if let Some(hint) = error.hint() {
            let hint = on_terminal(&format!("  hint: {}", with_flags(&hint)));
            let _ = writeln!(out, "{}", rendered(&hint));
        }
    }
}

/// Writes the options in all texts of a document's part as flags.
fn flag_texts(part: &mut Value) {
    match part {
        Value::String(text) => *text = with_flags(text),
        Value::Array(parts) => parts.iter_mut().for_each(flag_texts),
        Value::Object(parts) => parts.values_mut().for_each(flag_texts),
        _ => {}
    }
}

/// A message of the library with its options as flags.
pub(crate) fn with_flags(message: &str) -> String {
    Options::Flags.write(message)
}

/// Prints bytes as they are. JSON escapes control characters itself.
fn print_bytes(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    finish(out.write_all(bytes).and_then(|()| out.flush()))
}

/// Whether errors are JSON, for [`exhausted`].
static AS_JSON: AtomicBool = AtomicBool::new(false);

/// Reports that memory is exhausted, without allocating any, and ends the program.
fn exhausted(requested: usize) -> ! {
    static REPORTED: AtomicBool = AtomicBool::new(false);
    if REPORTED.swap(true, Ordering::Relaxed) {
        // Another thread is ending the program, or this one failed again while doing so.
        std::thread::sleep(GRACE);
        std::process::exit(2);
    }
    let mut bytes = [0; 512];
    let mut text = &mut bytes[..];
    let reason = "out of memory: free some, allow more, or use smaller data";
    let _ = match AS_JSON.load(Ordering::Relaxed) {
        true => writeln!(
            text,
            "{{\"schema\": \"{SCHEMA}\", \"error\": {{\"code\": \"E_MEMORY_PLAN\", \"message\": \"E_MEMORY_PLAN {reason}\"}}}}"
        ),
        false => writeln!(text, "E_MEMORY_PLAN {reason} ({requested} bytes were requested)"),
    };
    let length = 512 - text.len();
    let message = &bytes[..length];
    let _ = match AS_JSON.load(Ordering::Relaxed) {
        true => std::io::stdout().write_all(message).and_then(|()| std::io::stdout().flush()),
        false => std::io::stderr().write_all(message),
    };
    std::process::exit(2);
}

fn print(text: &str) -> Result<()> {
    let mut out = anstream::stdout().lock();
    finish(out.write_all(rendered(text).as_bytes()).and_then(|()| out.flush()))
}

/// A closed pipe is no error: its reader needs no more. Other failures are errors.
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
    fn control_characters_in_data_are_escaped_and_styles_are_not() {
        let text = format!("{BOLD}name{BOLD:#} \u{1b}[31mred\u{7}\u{202e}\u{9b}\n");
        assert_eq!(rendered(&text), "\u{1b}[1mname\u{1b}[0m \\u{1b}[31mred\\u{7}\\u{202e}\\u{9b}\n");
        assert_eq!(shown("a\nb\tç"), "a\\nb\\tç");
    }
}
