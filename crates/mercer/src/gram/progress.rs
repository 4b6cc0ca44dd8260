//! How long work tells where it is, and is told to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};

/// Hears about long work. Calls come from several threads.
pub trait Progress: Send + Sync {
    /// A stage of `total` steps begins.
    fn begin(&self, stage: &str, total: u64);

    /// So many more steps are done.
    fn advance(&self, steps: u64);

    /// The stage is over.
    fn end(&self);

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

/// A flag that stops work at the next tile. Clones share the flag.
///
/// ```
/// use mercer::gram::Cancel;
/// let cancel = Cancel::default();
/// let same = cancel.clone();
/// same.stop();
/// assert!(cancel.check().is_err());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks the work to stop.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work was asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// [`Error::Interrupted`] once the work was asked to stop.
    pub fn check(&self) -> Result<()> {
        if self.is_stopped() { Err(Error::Interrupted) } else { Ok(()) }
    }
}
