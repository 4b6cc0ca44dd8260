//! A dependency's panic becomes a value: on damaged files, decoders of others may panic.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// What `work` returns, or `None` when it panics. Nothing is printed then.
///
/// `work` must own what it changes, so that nothing half-changed is seen afterwards.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    hush();
    let before = QUIET.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    QUIET.set(before);
    result.ok()
}

/// Wraps the panic hook once so that it is silent on threads inside [`caught`].
///
/// The hook belongs to the whole process, so swapping it for each call would silence the panics of other
/// threads meanwhile, and two calls at once could restore each other's hook. One wrapper that asks a
/// thread-local flag and otherwise calls the hook it found has neither fault; a hook set later replaces it,
/// and then panics are printed but still caught.
fn hush() {
    static ONCE: Once = Once::new();
    // Hooks cannot be changed while this thread unwinds.
    if std::thread::panicking() {
        return;
    }
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // The flag is gone while the thread's storage is torn down; then it is not ours to silence.
            if !QUIET.try_with(Cell::get).unwrap_or(false) {
                before(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_are_caught_and_the_flag_returns() {
        assert_eq!(caught(|| 1), Some(1));
        assert_eq!(caught(|| -> u8 { panic!("inside") }), None);
        assert!(!QUIET.get());
        assert_eq!(caught(|| caught(|| -> u8 { panic!("inside") })), Some(None));
        assert!(!QUIET.get());
    }
}
