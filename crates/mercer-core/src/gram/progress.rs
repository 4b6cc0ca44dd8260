//! Progress reporting for long computations.

use crate::error::Warning;

/// Receives the progress of long computations. Calls come from several threads.
pub trait Progress: Send + Sync {
    /// A stage of `total` steps begins.
    fn begin(&self, stage: &str, total: u64);

    /// `steps` more steps are done.
    fn advance(&self, steps: u64);

    /// The stage has ended.
    fn end(&self);

    /// Something users should know even without progress output, such as damaged recovery files.
    fn warn(&self, _warning: &Warning) {}

    /// A temporary note, such as the best result so far.
    fn note(&self, _text: &str) {}
}

/// Ignores all progress.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _stage: &str, _total: u64) {}
    fn advance(&self, _steps: u64) {}
    fn end(&self) {}
}
