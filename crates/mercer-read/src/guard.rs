//! Catches panics of dependencies: third-party decoders may panic on damaged files.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// The result of `work`, or `None` if it panics, without printing anything.
///
/// `work` must own what it changes, so that no partly changed state is visible afterwards.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    silence_hook();
    let before = QUIET.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    QUIET.set(before);
    result.ok()
}

/// Wraps the panic hook once so that it is silent on threads inside [`caught`].
///
/// The hook is global to the process. Replacing it for each call would silence panics of other threads, and two
/// concurrent calls could restore each other's hook. Therefore one wrapper checks a thread-local flag and otherwise
/// calls the previous hook. A hook set later replaces the wrapper; then panics are printed but still caught.
fn silence_hook() {
    static ONCE: Once = Once::new();
    // Hooks cannot be changed while this thread unwinds.
    if std::thread::panicking() {
        return;
    }
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // The flag is not available while the thread's storage is destroyed; then the panic is not silenced.
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
    fn panics_are_caught_and_the_flag_is_reset() {
        assert_eq!(caught(|| 1), Some(1));
        assert_eq!(caught(|| -> u8 { panic!("inside") }), None);
        assert!(!QUIET.get());
        assert_eq!(caught(|| caught(|| -> u8 { panic!("inside") })), Some(None));
        assert!(!QUIET.get());
    }
}
