//! A least-recently-used cache of matrix rows in single or double precision.

use super::columns::{Precision, View};
use crate::data::Dense;
use crate::error::Result;
use crate::numeric::allocate;

/// Rows by object. A row holds the entries of the first positions of the current order and grows on demand.
///
/// Rows are stored in slabs of huge pages: a page fault for every 4 KiB would cost as much as filling the row.
pub(super) struct Cache<T> {
    slabs: Vec<Dense<T>>,
    slots: Vec<Slot>,
    /// The slot of each object's row; `ABSENT` if not cached.
    slot_of: Vec<u32>,
    width: usize,
    /// Rows in a slab.
    tall: usize,
    most: usize,
    clock: u64,
    /// All rearrangements so far, with the number of entries each kept in front.
    moves: Vec<(Vec<u32>, usize)>,
    buffer: Vec<T>,
    /// Rows or parts of rows computed.
    pub(super) computed: u64,
}

struct Slot {
    object: u32,
    used: u64,
    /// The number of known entries.
    known: usize,
    /// The number of rearrangements applied.
    moved: usize,
}

const ABSENT: u32 = u32::MAX;

/// The approximate size of a slab in bytes.
const SLAB: usize = 32 << 20;

impl<T: Precision> Cache<T> {
    /// A cache for rows of `n` entries in at most `bytes` bytes, but at least `least` rows.
    pub(super) fn new(n: usize, bytes: u64, least: usize) -> Self {
        let row = size_of::<T>() * n.max(1);
        let most = (bytes / row as u64).min(n as u64).max(least.max(2) as u64) as usize;
        Cache {
            slabs: Vec::new(),
            slots: Vec::new(),
            slot_of: vec![ABSENT; n],
            width: n,
            tall: (SLAB / row).clamp(1, most),
            most,
            clock: 0,
            moves: Vec::new(),
            buffer: Vec::new(),
            computed: 0,
        }
    }

    /// The maximum number of rows.
    pub(super) fn capacity(&self) -> usize {
        self.most
    }

    /// Whether the first `len` entries of an object's row are cached; marks the row as used.
    pub(super) fn has(&mut self, object: u32, len: usize) -> bool {
        self.catch_up(object);
        match self.slots.get_mut(self.slot_of[object as usize] as usize) {
            Some(slot) if slot.known >= len => {
                self.clock += 1;
                slot.used = self.clock;
                true
            }
            _ => false,
        }
    }

    /// The known entries of an object's row; empty if it is absent, which `ensure` prevents.
    pub(super) fn row(&self, object: u32) -> &[T] {
        let at = self.slot_of[object as usize] as usize;
        match self.slots.get(at) {
            Some(slot) => &self.slabs[at / self.tall].row(at % self.tall)[..slot.known],
            None => &[],
        }
    }

    /// Ensures that the first `len` entries of these objects' rows are cached, computing missing ones together. Evicts
    /// none of them, nor the row of `keep`; the capacity must suffice for all.
    pub(super) fn ensure(&mut self, objects: &[u32], keep: u32, len: usize, view: &dyn View) -> Result<()> {
        self.clock += 1;
        for object in objects.iter().chain([&keep]) {
            if let Some(slot) = self.slots.get_mut(self.slot_of[*object as usize] as usize) {
                slot.used = self.clock;
            }
        }
        // (entries known, slot, object), so that rows with equally many known entries are completed together.
        let mut wanting: Vec<(usize, u32, u32)> = Vec::new();
        for &object in objects {
            self.catch_up(object);
            if self.slot_of[object as usize] == ABSENT {
                let at = self.free_slot();
                self.slots[at] = Slot { object, used: self.clock, known: 0, moved: self.moves.len() };
                self.slot_of[object as usize] = at as u32;
            }
            let at = self.slot_of[object as usize];
            let known = self.slots[at as usize].known;
            if known < len {
                wanting.push((known, at, object));
            }
        }
        wanting.sort_unstable();
        self.computed += wanting.len() as u64;
        for group in wanting.chunk_by(|a, b| a.0 == b.0) {
            self.complete(group, len, view)?;
        }
        Ok(())
    }

    /// Completes rows with equally many known entries; slots ascend.
    fn complete(&mut self, group: &[(usize, u32, u32)], len: usize, view: &dyn View) -> Result<()> {
        let known = group[0].0;
        let objects: Vec<u32> = group.iter().map(|g| g.2).collect();
        if let [(_, at, _)] = *group {
            // By far the most frequent case if rows are looked up.
            let row = self.slabs[at as usize / self.tall].row_mut(at as usize % self.tall);
            T::fill(view, &objects, known..len, &mut [&mut row[known..len]])?;
            self.slots[at as usize].known = len;
            return Ok(());
        }
        let mut rows: Vec<&mut [T]> = Vec::with_capacity(group.len());
        let mut next = group.iter().map(|g| g.1 as usize).peekable();
        for (number, slab) in self.slabs.iter_mut().enumerate() {
            for (at, row) in slab.values_mut().chunks_exact_mut(self.width.max(1)).enumerate() {
                if next.next_if_eq(&(number * self.tall + at)).is_some() {
                    rows.push(&mut row[known..len]);
                }
            }
        }
        T::fill(view, &objects, known..len, &mut rows)?;
        group.iter().for_each(|g| self.slots[g.1 as usize].known = len);
        Ok(())
    }

    /// A slot for a new row: an unused one, or the least recently used.
    fn free_slot(&mut self) -> usize {
        let count = self.slots.len();
        if count < self.most {
            if count == self.slabs.len() * self.tall {
                self.slabs.push(allocate(self.tall.min(self.most - count), self.width));
            }
            self.slots.push(Slot { object: ABSENT, used: 0, known: 0, moved: 0 });
            return count;
        }
        let oldest = self.slots.iter().enumerate().min_by_key(|(_, s)| s.used).map_or(0, |(at, _)| at);
        self.slot_of[self.slots[oldest].object as usize] = ABSENT;
        oldest
    }

    /// Rearranges the first `moves.len()` entries of every row: the new entry k is the old entry `moves[k]`. The first
    /// `kept` of `moves` ascend, so that the known entries of a row stay a prefix.
    ///
    /// A row is rearranged at its next use: most rows of shrunk variables are never used again.
    pub(super) fn rearrange(&mut self, moves: &[u32], kept: usize) {
        self.moves.push((moves.to_vec(), kept));
    }

    /// Applies the rearrangements since the last use of an object's row.
    fn catch_up(&mut self, object: u32) {
        let at = self.slot_of[object as usize] as usize;
        let Some(slot) = self.slots.get_mut(at).filter(|s| s.moved < self.moves.len()) else { return };
        let row = self.slabs[at / self.tall].row_mut(at % self.tall);
        for (moves, kept) in &self.moves[slot.moved..] {
            let whole = slot.known >= moves.len();
            let end = match whole {
                true => moves.len(),
                false => moves[..*kept].partition_point(|&m| (m as usize) < slot.known),
            };
            self.buffer.clear();
            self.buffer.extend(moves[..end].iter().map(|&m| row[m as usize]));
            row[..end].copy_from_slice(&self.buffer);
            if !whole {
                slot.known = end;
            }
        }
        slot.moved = self.moves.len();
    }
}
