//! How much may be kept of a table that is not yet known to be free of faults.
//!
//! A field of one digit takes two bytes of text and eight as a number, a short string more than fifty; a large
//! table with a fault in its last line would fill the memory for nothing. So parts are kept while a reserve
//! lasts, and from then on only checked; once all are known to be good, those that were not kept are parsed
//! again. A table whose values are no larger than its text is parsed once. Storing narrow numbers narrowly
//! until the end lost: it does nothing for strings and names, and every good file would pay for the widening.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::budget;
use crate::error::{Error, Result};

/// Cells that any file may have, whatever its size.
const FREE_CELLS: u64 = 1 << 22;
/// Cells for each byte of a file.
const CELLS_PER_BYTE: u64 = 64;

/// Refuses a table most of whose cells no byte of its file stands for: what is made of a file must not grow as its square.
///
/// `bytes` is the size of the file, and each cell takes `size` bytes. Fails too where there is not the memory for it.
pub fn check_spread(what: &str, cells: u64, size: u64, bytes: u64) -> Result<()> {
    let most = bytes.saturating_mul(CELLS_PER_BYTE).saturating_add(FREE_CELLS);
    if cells > most {
        let what = format!("{what}: {cells} cells from {bytes} bytes");
        let allowed = most.saturating_mul(size);
        return Err(Error::MemoryPlan { needed: cells.saturating_mul(size), allowed, what });
    }
    budget::ask(what, cells.saturating_mul(size))
}

/// What may be kept beyond the size of the text. With the text itself this stays below twice the text and
/// 256 MiB, with room for the rest of the program.
const BEYOND: usize = 128 << 20;
/// How much a part asks for at a time.
const STEP: usize = 1 << 18;

/// Bytes that the parts of one table may keep, all together.
pub(super) struct Reserve {
    left: AtomicUsize,
    /// Whether a part was refused. What others give back later would be too little to go on with.
    spent: AtomicBool,
}

impl Reserve {
    /// The reserve of a text of so many bytes.
    pub(super) fn of(text: usize) -> Self {
        Reserve::bytes(text.saturating_add(BEYOND))
    }

    /// A reserve of so many bytes.
    pub(super) fn bytes(left: usize) -> Self {
        Reserve { left: AtomicUsize::new(left), spent: AtomicBool::new(false) }
    }

    /// The same without some bytes that are needed elsewhere. Not for a reserve that parts have a share of.
    pub(super) fn without(&self, bytes: usize) -> Self {
        Reserve::bytes(self.left.load(Ordering::Relaxed).saturating_sub(bytes))
    }

    /// A reserve that no part exhausts.
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

/// What one part has taken of a reserve.
pub(super) struct Share<'b> {
    reserve: &'b Reserve,
    taken: usize,
}

impl<'b> Share<'b> {
    pub(super) fn new(reserve: &'b Reserve) -> Self {
        Share { reserve, taken: 0 }
    }

    /// Whether the part may hold so many bytes.
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

    /// Gives back all but the bytes kept for good.
    pub(super) fn settle(self, kept: usize) {
        self.reserve.left.fetch_add(self.taken.saturating_sub(kept), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_what_there_is() {
        let reserve = Reserve::bytes(4 * STEP);
        let (mut a, mut b) = (Share::new(&reserve), Share::new(&reserve));
        assert!(a.covers(STEP) && b.covers(10) && a.covers(STEP + 5));
        a.settle(STEP / 2);
        assert_eq!(reserve.left.load(Ordering::Relaxed), 4 * STEP - STEP / 2 - (STEP + 10));
        // Once a part was refused, no other is begun.
        assert!(!b.covers(4 * STEP));
        assert!(!Share::new(&reserve).covers(0));
    }

    #[test]
    fn what_is_needed_elsewhere_is_not_there() {
        let reserve = Reserve::bytes(2 * STEP);
        assert!(Share::new(&reserve).covers(STEP));
        let less = Reserve::bytes(2 * STEP).without(1);
        assert!(!Share::new(&less).covers(STEP));
        assert!(!Share::new(&Reserve::bytes(5).without(7)).covers(0));
    }

    #[test]
    fn no_part_exhausts_an_endless_budget() {
        let reserve = Reserve::endless();
        let mut share = Share::new(&reserve);
        assert!(share.covers(1 << 60));
        share.settle(1 << 59);
        assert!(Share::new(&reserve).covers(1 << 60));
    }
}
