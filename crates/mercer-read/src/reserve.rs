//! Limits the memory used for a table before it is known to be free of errors.
//!
//! A field of one digit takes two bytes of text and eight as a number, a short string more than fifty. A large table
//! with an error in its last line would fill the memory for nothing. Therefore parts are stored until a reserve is used
//! up, and from then on only checked. Once all parts are known to be valid, those not stored are parsed again. A table
//! whose values are no larger than its text is parsed once. Storing narrow numbers compactly until the end was slower:
//! it does not help strings and names, and all valid files would pay for the conversion.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::budget;
use crate::error::{Error, Result};

/// Number of cells allowed for any file, whatever its size.
const FREE_CELLS: u64 = 1 << 22;
/// Number of cells allowed per byte of a file.
const CELLS_PER_BYTE: u64 = 64;

/// Rejects a table with far more cells than its file has bytes, because memory must not grow with the square of the
/// file size.
///
/// `bytes` is the size of the file, and each cell takes `size` bytes. Also returns an error if there is not enough
/// memory.
pub fn check_spread(what: &str, cells: u64, size: u64, bytes: u64) -> Result<()> {
    let most = bytes.saturating_mul(CELLS_PER_BYTE).saturating_add(FREE_CELLS);
    if cells > most {
        let what = format!("{what}: {cells} cells from {bytes} bytes");
        let allowed = most.saturating_mul(size);
        return Err(Error::MemoryPlan { needed: cells.saturating_mul(size), allowed, what });
    }
    budget::ask(what, cells.saturating_mul(size))
}

/// Bytes that may be stored in addition to the size of the text. Together with the text this stays below twice the text
/// and 256 MiB, with room for the rest of the program.
const BEYOND: usize = 128 << 20;
/// Bytes that a part requests at a time.
const STEP: usize = 1 << 18;

/// Bytes that all parts of one table may store together.
pub(super) struct Reserve {
    left: AtomicUsize,
    /// Whether a request was denied. Bytes returned later would be too few to continue.
    spent: AtomicBool,
}

impl Reserve {
    /// The reserve for a text of `text` bytes.
    pub(super) fn of(text: usize) -> Self {
        Reserve::bytes(text.saturating_add(BEYOND))
    }

    /// A reserve of `left` bytes.
    pub(super) fn bytes(left: usize) -> Self {
        Reserve { left: AtomicUsize::new(left), spent: AtomicBool::new(false) }
    }

    /// A new reserve with fewer bytes. Not for a reserve that is already shared by parts.
    pub(super) fn without(&self, bytes: usize) -> Self {
        Reserve::bytes(self.left.load(Ordering::Relaxed).saturating_sub(bytes))
    }

    /// A reserve that cannot be used up.
    pub(super) fn endless() -> Self {
        Reserve::bytes(usize::MAX)
    }

    fn take(&self, bytes: usize) -> bool {
        let less = |left: usize| left.checked_sub(bytes);
        let taken = !self.spent.load(Ordering::Relaxed)
            && self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok();
        if !taken {
            self.spent.store(true, Ordering::Relaxed);
        }
        taken
    }
}

/// The share of one part in a reserve.
pub(super) struct Share<'b> {
    reserve: &'b Reserve,
    taken: usize,
}

impl<'b> Share<'b> {
    pub(super) fn new(reserve: &'b Reserve) -> Self {
        Share { reserve, taken: 0 }
    }

    /// Whether the part may use this many bytes in total.
    #[inline]
    pub(super) fn covers(&mut self, bytes: usize) -> bool {
        bytes < self.taken || self.grow(bytes)
    }

    #[cold]
    fn grow(&mut self, bytes: usize) -> bool {
        let more = bytes.saturating_sub(self.taken).saturating_add(STEP);
        let granted = self.reserve.take(more);
        if granted {
            self.taken += more;
        }
        granted
    }

    /// Returns all bytes except those stored permanently.
    pub(super) fn settle(self, kept: usize) {
        self.reserve.left.fetch_add(self.taken.saturating_sub(kept), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_a_reserve() {
        let reserve = Reserve::bytes(4 * STEP);
        let (mut a, mut b) = (Share::new(&reserve), Share::new(&reserve));
        assert!(a.covers(STEP) && b.covers(10) && a.covers(STEP + 5));
        a.settle(STEP / 2);
        assert_eq!(reserve.left.load(Ordering::Relaxed), 4 * STEP - STEP / 2 - (STEP + 10));
        // After a denied request, no other part is started.
        assert!(!b.covers(4 * STEP));
        assert!(!Share::new(&reserve).covers(0));
    }

    #[test]
    fn a_reserve_without_some_bytes() {
        let reserve = Reserve::bytes(2 * STEP);
        assert!(Share::new(&reserve).covers(STEP));
        let less = Reserve::bytes(2 * STEP).without(1);
        assert!(!Share::new(&less).covers(STEP));
        assert!(!Share::new(&Reserve::bytes(5).without(7)).covers(0));
    }

    #[test]
    fn an_endless_reserve_is_never_used_up() {
        let reserve = Reserve::endless();
        let mut share = Share::new(&reserve);
        assert!(share.covers(1 << 60));
        share.settle(1 << 59);
        assert!(Share::new(&reserve).covers(1 << 60));
    }
}
