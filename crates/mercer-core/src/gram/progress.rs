//! Progress reporting for long computations.

use crate::error::Warning;

/// Hears about long work. Calls come from several threads.
pub trait Progress: Send + Sync {
    /// A stage of `total` steps begins.
    fn begin(&self, stage: &str, total: u64);

    /// So many more steps are done.
    fn advance(&self, steps: u64);

    /// The stage is over.
    fn end(&self);

    /// Something the user should know of, whether or not anybody watches: recovery files that were damaged, say.
    fn warn(&self, _warning: &Warning) {}

    /// Something worth knowing while it lasts, such as the best result so far.
    fn note(&self, _text: &str) {}
}

/// Listens to nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _stage: &str, _total: u64) {}
    fn advance(&self, _steps: u64) {}
    fn end(&self) {}
}
