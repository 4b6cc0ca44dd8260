//! Rows of a matrix in single or double precision, the least recently used given up first.

use super::columns::{Precision, View};
use crate::error::Result;

/// Rows by object. A row holds the entries of the first positions of the current order; it grows when more are wanted.
pub(super) struct Cache<T> {
    slots: Vec<Slot<T>>,
    /// Where each object's row is; `ABSENT` when nowhere.
    slot_of: Vec<u32>,
    most: usize,
    clock: u64,
    /// Room for rows that are computed together.
    block: Vec<T>,
    /// Rows or parts of rows computed.
    pub(super) computed: u64,
}

struct Slot<T> {
    object: u32,
    used: u64,
    row: Vec<T>,
}

const ABSENT: u32 = u32::MAX;

impl<T: Precision> Cache<T> {
    /// A cache for rows of `n` entries within so many bytes, but never fewer than `least` rows.
    pub(super) fn new(n: usize, bytes: u64, least: usize) -> Self {
        let most =
            (bytes / (size_of::<T>() * n.max(1)) as u64).max(least as u64).min(n.max(2) as u64) as usize;
        Cache {
            slots: Vec::new(),
            slot_of: vec![ABSENT; n],
            most: most.max(2),
            clock: 0,
            block: Vec::new(),
            computed: 0,
        }
    }

    /// The most rows held.
    pub(super) fn capacity(&self) -> usize {
        self.most
    }

    /// Whether the first `len` entries of an object's row are there.
    pub(super) fn has(&self, object: u32, len: usize) -> bool {
        self.slot(object).is_some_and(|s| s.row.len() >= len)
    }

    fn slot(&self, object: u32) -> Option<&Slot<T>> {
        self.slots.get(self.slot_of[object as usize] as usize)
    }

    /// Notes that an object's row is used.
    pub(super) fn touch(&mut self, object: u32) {
        self.clock += 1;
        if let Some(slot) = self.slots.get_mut(self.slot_of[object as usize] as usize) {
            slot.used = self.clock;
        }
    }

    /// The row of an object. Panics never: an absent row is empty, which callers rule out by `ensure`.
    pub(super) fn row(&self, object: u32) -> &[T] {
        self.slot(object).map_or(&[], |s| &s.row)
    }

    /// Makes sure that the first `len` entries of these objects' rows are there, computing what is missing together.
    /// Objects of `keep` stay.
    pub(super) fn ensure(&mut self, objects: &[u32], keep: u32, len: usize, view: &dyn View) -> Result<()> {
        self.clock += 1;
        let clock = self.clock;
        let mut fresh = Vec::new();
        for &object in objects {
            match self.slots.get_mut(self.slot_of[object as usize] as usize) {
                Some(slot) if slot.row.len() >= len => slot.used = clock,
                Some(slot) => {
                    slot.used = clock;
                    let have = slot.row.len();
                    slot.row.resize(len, T::default());
                    T::fill(view, &[object], have..len, &mut slot.row[have..])?;
                    self.computed += 1;
                }
                None => fresh.push(object),
            }
        }
        if let Some(slot) = self.slots.get_mut(self.slot_of[keep as usize] as usize) {
            slot.used = clock;
        }
        if fresh.is_empty() {
            return Ok(());
        }
        let mut block = std::mem::take(&mut self.block);
        block.resize(fresh.len() * len, T::default());
        T::fill(view, &fresh, 0..len, &mut block)?;
        self.computed += fresh.len() as u64;
        for (&object, values) in fresh.iter().zip(block.chunks_exact(len.max(1))) {
            let at = self.free_slot();
            let slot = &mut self.slots[at];
            slot.object = object;
            slot.used = clock;
            slot.row.clear();
            slot.row.extend_from_slice(values);
            self.slot_of[object as usize] = at as u32;
        }
        self.block = block;
        Ok(())
    }

    fn free_slot(&mut self) -> usize {
        if self.slots.len() < self.most {
            self.slots.push(Slot { object: ABSENT, used: 0, row: Vec::new() });
            return self.slots.len() - 1;
        }
        let oldest = self.slots.iter().enumerate().min_by_key(|(_, s)| s.used).map_or(0, |(at, _)| at);
        let object = self.slots[oldest].object;
        if object != ABSENT {
            self.slot_of[object as usize] = ABSENT;
        }
        oldest
    }

    /// Rearranges the first `moves.len()` entries of every row: the new entry k is the old entry `moves[k]`. The first `kept`
    /// of `moves` ascend, so that a row known up to some entry stays known up to some entry.
    pub(super) fn rearrange(&mut self, moves: &[u32], kept: usize) {
        let mut buffer: Vec<T> = Vec::new();
        for slot in &mut self.slots {
            let known = slot.row.len();
            let whole = known >= moves.len();
            let end =
                if whole { moves.len() } else { moves[..kept].partition_point(|&m| (m as usize) < known) };
            buffer.clear();
            buffer.extend(moves[..end].iter().map(|&m| slot.row[m as usize]));
            if !whole {
                slot.row.truncate(end);
            }
            slot.row[..end].copy_from_slice(&buffer);
        }
    }
}
