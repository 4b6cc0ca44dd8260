//! A progress bar with the time left, on a terminal.

use std::io::Write;
use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressStyle};
use mercer::Warning;
use mercer::error::Options;
use mercer::gram::Progress;

/// Shows the current stage. A stage that ends at once shows nothing.
#[derive(Default)]
pub(crate) struct Bar(Mutex<Option<ProgressBar>>);

impl Bar {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<ProgressBar>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Progress for Bar {
    fn begin(&self, stage: &str, total: u64) {
        let template = "{prefix} {wide_bar} {pos} of {len} {percent:>3} % {elapsed}, {eta} left{msg}";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(total).with_style(style).with_prefix(stage.to_owned());
        *self.lock() = Some(bar);
    }

    fn advance(&self, steps: u64) {
        if let Some(bar) = &*self.lock() {
            bar.inc(steps);
        }
    }

    fn note(&self, text: &str) {
        if let Some(bar) = &*self.lock() {
            bar.set_message(format!("\n{text}"));
        }
    }

    fn warn(&self, warning: &Warning) {
        Warnings.warn(warning);
    }

    fn end(&self) {
        if let Some(bar) = self.lock().take() {
            bar.finish_and_clear();
        }
    }
}

/// Shows only warnings. They go to standard error even with JSON: a resumed run gives the same document as an
/// uninterrupted one.
pub(crate) struct Warnings;

impl Progress for Warnings {
    fn begin(&self, _stage: &str, _total: u64) {}
    fn advance(&self, _steps: u64) {}
    fn end(&self) {}

    fn warn(&self, warning: &Warning) {
        let _ = writeln!(anstream::stderr(), "{} {}", warning.code, Options::Flags.write(&warning.message));
    }
}

/// A spinner with the elapsed time, for work whose duration is unknown.
pub(crate) struct Waiting(Option<ProgressBar>);

impl Waiting {
    /// Shows the text, if there is one.
    pub(crate) fn new(text: Option<String>) -> Self {
        Waiting(text.map(|text| {
            let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}");
            let bar = ProgressBar::new_spinner().with_message(text);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.enable_steady_tick(std::time::Duration::from_millis(200));
            bar
        }))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
