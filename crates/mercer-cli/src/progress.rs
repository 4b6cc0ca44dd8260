//! A progress bar with the time left, on a terminal.

use std::sync::Mutex;

use indicatif::{ProgressBar, ProgressStyle};
use mercer::gram::Progress;

/// Shows the stage under way. A stage that takes no time shows nothing.
#[derive(Default)]
pub(crate) struct Bar(Mutex<Option<ProgressBar>>);

impl Bar {
    fn held(&self) -> std::sync::MutexGuard<'_, Option<ProgressBar>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Progress for Bar {
    fn begin(&self, stage: &str, total: u64) {
        let template = "{prefix} {wide_bar} {percent:>3} % {elapsed} left {eta}";
        let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(total).with_style(style).with_prefix(stage.to_owned());
        *self.held() = Some(bar);
    }

    fn advance(&self, steps: u64) {
        if let Some(bar) = &*self.held() {
            bar.inc(steps);
        }
    }

    fn end(&self) {
        if let Some(bar) = self.held().take() {
            bar.finish_and_clear();
        }
    }
}
