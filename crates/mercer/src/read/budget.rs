//! How much may be kept of a table that is not yet known to be free of faults.
//!
//! A field of one digit takes two bytes of text and eight as a number, a short string more than fifty; a large
//! table with a fault in its last line would fill the memory for nothing. So parts are kept while a budget
//! lasts, and from then on only checked; once all are known to be good, those that were not kept are parsed
//! again. A table whose values are no larger than its text is parsed once. Storing narrow numbers narrowly
//! until the end lost: it does nothing for strings and names, and every good file would pay for the widening.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What may be kept beyond the size of the text. With the text itself this stays below twice the text and
/// 256 MiB, with room for the rest of the program.
const BEYOND: usize = 128 << 20;
/// How much a part asks for at a time.
const STEP: usize = 1 << 18;

/// Bytes that the parts of one table may keep, all together.
pub(super) struct Budget {
    left: AtomicUsize,
    /// Whether a part was refused. What others give back later would be too little to go on with.
    spent: AtomicBool,
}

impl Budget {
    /// The budget of a text of so many bytes.
    pub(super) fn of(text: usize) -> Self {
        Budget::bytes(text.saturating_add(BEYOND))
    }

    /// A budget of so many bytes.
    pub(super) fn bytes(left: usize) -> Self {
        Budget { left: AtomicUsize::new(left), spent: AtomicBool::new(false) }
    }

    /// The same without some bytes that are needed elsewhere. Not for a budget that parts have a share of.
    pub(super) fn without(&self, bytes: usize) -> Self {
        Budget::bytes(self.left.load(Ordering::Relaxed).saturating_sub(bytes))
    }

    /// A budget that no part exhausts.
    pub(super) fn endless() -> Self {
        Budget::bytes(usize::MAX)
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

/// What one part has taken of a budget.
pub(super) struct Share<'b> {
    budget: &'b Budget,
    taken: usize,
}

impl<'b> Share<'b> {
    pub(super) fn new(budget: &'b Budget) -> Self {
        Share { budget, taken: 0 }
    }

    /// Whether the part may hold so many bytes.
    #[inline]
    pub(super) fn covers(&mut self, bytes: usize) -> bool {
        bytes < self.taken || self.grow(bytes)
    }

    #[cold]
    fn grow(&mut self, bytes: usize) -> bool {
        let more = bytes.saturating_sub(self.taken).saturating_add(STEP);
        let granted = self.budget.take(more);
        if granted {
            self.taken += more;
        }
        granted
    }

    /// Gives back all but the bytes kept for good.
    pub(super) fn settle(self, kept: usize) {
        self.budget.left.fetch_add(self.taken.saturating_sub(kept), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_what_there_is() {
        let budget = Budget::bytes(4 * STEP);
        let (mut a, mut b) = (Share::new(&budget), Share::new(&budget));
        assert!(a.covers(STEP) && b.covers(10) && a.covers(STEP + 5));
        a.settle(STEP / 2);
        assert_eq!(budget.left.load(Ordering::Relaxed), 4 * STEP - STEP / 2 - (STEP + 10));
        // Once a part was refused, no other is begun.
        assert!(!b.covers(4 * STEP));
        assert!(!Share::new(&budget).covers(0));
    }

    #[test]
    fn what_is_needed_elsewhere_is_not_there() {
        let budget = Budget::bytes(2 * STEP);
        assert!(Share::new(&budget).covers(STEP));
        let less = Budget::bytes(2 * STEP).without(1);
        assert!(!Share::new(&less).covers(STEP));
        assert!(!Share::new(&Budget::bytes(5).without(7)).covers(0));
    }

    #[test]
    fn no_part_exhausts_an_endless_budget() {
        let budget = Budget::endless();
        let mut share = Share::new(&budget);
        assert!(share.covers(1 << 60));
        share.settle(1 << 59);
        assert!(Share::new(&budget).covers(1 << 60));
    }
}
