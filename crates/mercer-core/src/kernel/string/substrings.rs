//! All substrings of a set of strings at once: one suffix array, and tiles from its tree of shared prefixes.
//!
//! A kernel Σ_s w(|s|)·c_s(x)·c_s(y) over all substrings is Σ W(lcp(a, b)) over the suffixes a of x and b of y, where W adds up
//! w over all lengths that they share. The suffixes of a tile's strings, in order, form a tree: those that begin alike are
//! neighbours. For each of its nodes the counts of the strings below it make one update of the tile; nodes with few suffixes go
//! through their pairs instead. (Writing the nodes out as features, as kernels that count words do, would take a dozen numbers for
//! every letter; going along all suffixes for each pair of strings would cost their length every time.)
//!
//! Two sets that meet are indexed together once, as counted features are aligned.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use super::suffix::{common_prefixes, suffix_array};
use crate::budget;
use crate::data::{Alphabet, Ragged, Strings};
use crate::error::{Error, Result};
use crate::kernel::{Part, Prepared};
use crate::numeric::math::vectorised;

/// What ends a string in the text of an index, and what letters outside the alphabet are: it matches nothing.
const GAP: u32 = 0;
/// The owner of a gap.
const NOBODY: u32 = u32::MAX;

/// The suffixes of all strings of a set in order.
#[derive(Debug)]
pub(super) struct Index {
    strings: Strings,
    alphabet: Alphabet,
    /// What each suffix shares with the one before it.
    common: Minima,
    /// The ranks of each string's suffixes, ascending.
    ranks: Ragged<u32>,
}

impl Index {
    fn new(strings: Strings, alphabet: Alphabet) -> Result<Self> {
        // The text, its order, what neighbours share, owners and ranks: about 40 bytes for every byte.
        budget::ask("the index of all substrings", 40 * (strings.bytes() as u64 + strings.len() as u64))?;
        // Bytes are at least as many as letters, and each string has a gap behind it.
        if strings.bytes() as u64 + strings.len() as u64 >= u64::from(u32::MAX) {
            return Err(Error::usage("strings of more than 2^32 letters together"));
        }
        let (mut text, mut codes) = (Vec::with_capacity(strings.bytes() + strings.len()), Vec::new());
        let mut starts = Vec::with_capacity(strings.len());
        for s in strings.iter() {
            starts.push(text.len() as u32);
            alphabet.encode(s, &mut codes);
            text.extend(codes.iter().map(|&c| if c == Alphabet::OUTSIDE { GAP } else { c + 1 }));
            text.push(GAP);
        }
        let letters = renumber(&mut text);
        let (order, shared) = if letters <= 256 {
            let bytes: Vec<u8> = text.iter().map(|&c| c as u8).collect();
            let order = suffix_array(&bytes, letters)?;
            let shared = common_prefixes(&bytes, &order)?;
            (order, shared)
        } else {
            let order = suffix_array(&text, letters)?;
            let shared = common_prefixes(&text, &order)?;
            (order, shared)
        };
        // By beginning: what a suffix shares, and whose it is; side by side, because the order visits them at random.
        let mut known: Vec<(u32, u32)> = shared.into_iter().map(|shared| (shared, NOBODY)).collect();
        // Behind the first 0, how many suffixes each string has; then where they begin; at last where they end.
        let mut offsets = vec![0usize; strings.len() + 1];
        for (s, &start) in starts.iter().enumerate() {
            let end = starts.get(s + 1).map_or(text.len(), |e| *e as usize);
            for (letter, known) in text[start as usize..end].iter().zip(&mut known[start as usize..end]) {
                if *letter != GAP {
                    known.1 = s as u32;
                    offsets[s + 1] += 1;
                }
            }
        }
        drop(text);
        let mut total = 0;
        for offset in &mut offsets[1..] {
            total += *offset;
            *offset = total - *offset;
        }
        // Each suffix to its string, in order: their lists are ascending without sorting.
        let mut ranks = vec![0u32; total];
        let mut common = Vec::with_capacity(order.len());
        for (rank, &at) in order.iter().enumerate() {
            let (shared, owner) = known[at as usize];
            common.push(shared);
            if owner != NOBODY {
                let place = &mut offsets[owner as usize + 1];
                ranks[*place] = rank as u32;
                *place += 1;
            }
        }
        let ranks = Ragged::from_parts(offsets, ranks);
        Ok(Index { strings, alphabet, common: Minima::new(common), ranks })
    }

    fn ranks(&self, s: u32) -> &[u32] {
        self.ranks.row(s as usize)
    }

    /// What the strings of two indices are in one of both, those of the second behind those of the first.
    fn join(first: &Index, second: &Index) -> Result<Index> {
        let both = first.strings.iter().chain(second.strings.iter()).collect();
        Index::new(both, first.alphabet)
    }

    /// Σ W(lcp(a, b)) over all pairs of suffixes of a string.
    fn of_self(&self, s: u32, weights: &[f64]) -> f64 {
        let (mut total, mut running) = (0.0, 0.0);
        // What earlier suffixes share with the one at hand: a length, and how many share it.
        let mut stack: Vec<(u32, f64)> = Vec::new();
        let ranks = self.ranks(s);
        for w in ranks.windows(2) {
            if budget::is_spent_often() {
                break;
            }
            let shared = self.common.least(w[0] + 1, w[1]);
            let mut count = 1.0;
            while let Some(&(length, many)) = stack.last().filter(|(length, _)| *length >= shared) {
                running -= weights[length as usize] * many;
                count += many;
                stack.pop();
            }
            running += weights[shared as usize] * count;
            stack.push((shared, count));
            total += running;
        }
        2.0 * total
    }
}

/// Numbers the letters in use from 0 in their order, the gap first; gives how many there are.
fn renumber(text: &mut [u32]) -> usize {
    let most = text.iter().max().map_or(0, |m| *m as usize);
    let mut numbers = vec![0u32; most + 1];
    numbers[GAP as usize] = 1;
    text.iter().for_each(|&c| numbers[c as usize] = 1);
    let mut next = 0;
    for number in &mut numbers {
        let used = *number;
        *number = next;
        next += used;
    }
    text.iter_mut().for_each(|c| *c = numbers[*c as usize]);
    next as usize
}

/// The least of any stretch of a list of numbers.
#[derive(Debug)]
struct Minima {
    values: Vec<u32>,
    /// The least of 1, 2, 4, … blocks from each block on.
    blocks: Vec<Vec<u32>>,
}

/// Numbers of a block.
const BLOCK: usize = 32;

impl Minima {
    fn new(values: Vec<u32>) -> Self {
        let least = |block: &[u32]| block.iter().copied().min().unwrap_or(0);
        let mut blocks = vec![values.chunks(BLOCK).map(least).collect::<Vec<u32>>()];
        let mut span = 1;
        while let Some(last) = blocks.last().filter(|last| last.len() > span) {
            let next = last.iter().zip(&last[span..]).map(|(a, b)| *a.min(b)).collect();
            blocks.push(next);
            span *= 2;
        }
        Minima { values, blocks }
    }

    /// The least value from `first` to `last`, both included.
    fn least(&self, first: u32, last: u32) -> u32 {
        let (first, last) = (first as usize, last as usize);
        let plain = |values: &[u32]| values.iter().copied().fold(u32::MAX, u32::min);
        if last - first < 2 * BLOCK {
            return plain(&self.values[first..=last]);
        }
        let (from, to) = (first.div_ceil(BLOCK), (last + 1) / BLOCK);
        let edges = plain(&self.values[first..from * BLOCK]).min(plain(&self.values[to * BLOCK..=last]));
        // Two stretches of a power of two blocks cover all of them.
        let level = (to - from).ilog2() as usize;
        let row = &self.blocks[level];
        edges.min(row[from]).min(row[to - (1 << level)])
    }
}

/// Strings in an index, and each one's similarity to itself.
#[derive(Debug)]
pub struct Suffixes {
    index: Arc<Index>,
    /// The numbers of the strings in the index.
    chosen: Vec<u32>,
    selves: Vec<f64>,
    /// W(l) for all lengths of these strings.
    weights: Arc<[f64]>,
    /// The last other index these strings met, and both in one.
    joint: Mutex<Option<Joint>>,
}

type Joint = (Arc<Index>, Arc<Index>);

impl Prepared for Suffixes {
    fn len(&self) -> usize {
        self.chosen.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        Suffixes {
            index: Arc::clone(&self.index),
            chosen: self.chosen.select(chosen),
            selves: self.selves.select(chosen),
            weights: Arc::clone(&self.weights),
            joint: Mutex::new(None),
        }
    }
}

impl Suffixes {
    /// Indexes strings; `weight` is that of substrings of each length.
    pub(super) fn new(strings: &Strings, alphabet: Alphabet, weight: impl Fn(usize) -> f64) -> Result<Self> {
        let index = Arc::new(Index::new(strings.clone(), alphabet)?);
        let longest = strings.iter().map(|s| alphabet.length(s)).max().unwrap_or(0);
        let mut weights = Vec::with_capacity(longest + 1);
        weights.push(0.0);
        for length in 1..=longest {
            weights.push(weights[length - 1] + weight(length));
        }
        let of_one = |s: u32| {
            // A suffix meets itself along all letters up to the next one outside the alphabet.
            let (mut codes, mut run, mut own) = (Vec::new(), 0, 0.0);
            alphabet.encode(strings.get(s as usize), &mut codes);
            for &code in codes.iter().rev() {
                run = if code == Alphabet::OUTSIDE { 0 } else { run + 1 };
                own += weights[run];
            }
            own + index.of_self(s, &weights)
        };
        let selves = (0..strings.len() as u32).into_par_iter().map(budget::carried(of_one)).collect();
        budget::check()?;
        let chosen = (0..strings.len() as u32).collect();
        Ok(Suffixes { chosen, selves, weights: weights.into(), joint: Mutex::new(None), index })
    }

    pub(super) fn selves(&self) -> &[f64] {
        &self.selves
    }

    /// An index of these strings and those of another set, which come first.
    fn with(&self, other: &Suffixes) -> Result<Arc<Index>> {
        let mut joint = self.joint.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, both)) = &*joint
            && Arc::ptr_eq(known, &other.index)
        {
            return Ok(Arc::clone(both));
        }
        let both = Arc::new(Index::join(&other.index, &self.index)?);
        *joint = Some((Arc::clone(&other.index), Arc::clone(&both)));
        Ok(both)
    }
}

/// Writes Σ W(lcp) for every pair.
pub(super) fn fill(rows: &Part<'_, Suffixes>, cols: &Part<'_, Suffixes>, out: &mut [f64]) -> Result<()> {
    out.fill(0.0);
    let same = Arc::ptr_eq(&rows.set.index, &cols.set.index);
    let (index, shift) = match same {
        true => (Arc::clone(&cols.set.index), 0),
        false => (cols.set.with(rows.set)?, rows.set.index.strings.len() as u32),
    };
    let own: Vec<u32> = rows.set.chosen[rows.range.clone()].to_vec();
    let their: Vec<u32> = cols.set.chosen[cols.range.clone()].iter().map(|s| s + shift).collect();
    // Suffixes of one string may share more than the other set has letters.
    let weights =
        if rows.set.weights.len() > cols.set.weights.len() { &rows.set.weights } else { &cols.set.weights };
    let mut tree = Tree::new(&index, &own, &their);
    budget::check()?;
    tree.walk(weights, out);
    budget::check()?;
    // A suffix met itself only in one place of the order.
    for (row, &a) in out.chunks_exact_mut(their.len().max(1)).zip(&own) {
        let meets = row.iter_mut().zip(&their).filter(|(_, b)| **b == a).map(|(v, _)| v);
        if let Some(at) =
            same.then(|| rows.set.chosen[rows.range.clone()].iter().position(|s| *s == a)).flatten()
        {
            meets.for_each(|v| *v = rows.set.selves[rows.range.start + at]);
        }
    }
    Ok(())
}

/// The rows and the columns of a tile that a string stands for.
type Places = (Vec<u32>, Vec<u32>);

/// The suffixes of a tile's strings in order.
struct Tree {
    /// Whose suffix each is.
    slots: Vec<u32>,
    /// What each shares with the one before it.
    shared: Vec<u32>,
    /// The rows and columns that each string stands for.
    places: Vec<Places>,
    height: usize,
    width: usize,
}

/// Nodes of at most so many suffixes go through their pairs.
const FEW: usize = 24;

/// A node whose suffixes are not all known yet.
struct Open {
    depth: u32,
    left: usize,
    /// Counts of rows and columns of the suffixes from `left` to `covered`.
    counts: Option<Box<[f64]>>,
    covered: usize,
}

impl Tree {
    fn new(index: &Index, own: &[u32], their: &[u32]) -> Self {
        let mut slots_of: HashMap<u32, u32> = HashMap::new();
        let mut strings: Vec<u32> = Vec::new();
        let mut places: Vec<Places> = Vec::new();
        for (is_row, all) in [(true, own), (false, their)] {
            for (at, &s) in all.iter().enumerate() {
                let slot = *slots_of.entry(s).or_insert_with(|| {
                    strings.push(s);
                    places.push((Vec::new(), Vec::new()));
                    strings.len() as u32 - 1
                });
                let place = &mut places[slot as usize];
                if is_row { &mut place.0 } else { &mut place.1 }.push(at as u32);
            }
        }
        let mut keys: Vec<u64> = Vec::new();
        for (slot, &s) in strings.iter().enumerate() {
            keys.extend(index.ranks(s).iter().map(|&rank| u64::from(rank) << 32 | slot as u64));
        }
        sort(&mut keys);
        let mut shared = vec![0; keys.len()];
        for (v, w) in shared.iter_mut().skip(1).zip(keys.windows(2)) {
            *v = index.common.least((w[0] >> 32) as u32 + 1, (w[1] >> 32) as u32);
        }
        let slots = keys.into_iter().map(|key| key as u32).collect();
        Tree { slots, shared, places, height: own.len(), width: their.len() }
    }

    /// Adds up all nodes.
    fn walk(&mut self, weights: &[f64], out: &mut [f64]) {
        let mut stack: Vec<Open> = vec![Open { depth: 0, left: 0, counts: None, covered: 0 }];
        let mut free: Vec<Box<[f64]>> = Vec::new();
        for t in 1..=self.slots.len() {
            if budget::is_spent_after(16) {
                return;
            }
            let depth = self.shared.get(t).copied().unwrap_or(0);
            let mut left = t - 1;
            let mut carried: Option<(Box<[f64]>, usize)> = None;
            while let Some(mut node) = stack.pop_if(|node| node.depth > depth) {
                self.take_over(&mut node, carried.take(), left, &mut free);
                let above = stack.last().map_or(0, |n| n.depth).max(depth);
                let weight = weights[node.depth as usize] - weights[above as usize];
                left = node.left;
                if t - left <= FEW {
                    self.add_pairs(left..t, weight, out);
                } else {
                    let mut counts = node.counts.take().unwrap_or_else(|| self.fresh(&mut free));
                    self.count(node.covered..t, &mut counts);
                    self.add_counts(&counts, weight, out);
                    carried = Some((counts, t));
                }
            }
            match stack.last_mut() {
                Some(top) if top.depth == depth => {
                    let mut open = std::mem::replace(top, Open { depth, left: 0, counts: None, covered: 0 });
                    self.take_over(&mut open, carried, left, &mut free);
                    *top = open;
                }
                _ => {
                    let (counts, covered) = carried.map_or((None, left), |(counts, end)| (Some(counts), end));
                    stack.push(Open { depth, left, counts, covered });
                }
            }
        }
    }

    fn fresh(&self, free: &mut Vec<Box<[f64]>>) -> Box<[f64]> {
        let mut counts = free.pop().unwrap_or_else(|| vec![0.0; self.height + self.width].into());
        counts.fill(0.0);
        counts
    }

    /// Gives a node the counts of a child that begins at `left`.
    fn take_over(
        &self,
        node: &mut Open,
        child: Option<(Box<[f64]>, usize)>,
        left: usize,
        free: &mut Vec<Box<[f64]>>,
    ) {
        let Some((counts, end)) = child else { return };
        // Nothing is added up for the root.
        if node.depth == 0 {
            free.push(counts);
            return;
        }
        match &mut node.counts {
            Some(own) => {
                self.count(node.covered..left, own);
                own.iter_mut().zip(&counts).for_each(|(a, b)| *a += b);
                free.push(counts);
            }
            None => {
                let mut counts = counts;
                self.count(node.left..left, &mut counts);
                node.counts = Some(counts);
            }
        }
        node.covered = end;
    }

    /// Counts suffixes by row and column.
    fn count(&self, range: std::ops::Range<usize>, counts: &mut [f64]) {
        let (rows, cols) = counts.split_at_mut(self.height);
        for &slot in &self.slots[range] {
            let place = &self.places[slot as usize];
            place.0.iter().for_each(|&i| rows[i as usize] += 1.0);
            place.1.iter().for_each(|&j| cols[j as usize] += 1.0);
        }
    }

    fn add_counts(&self, counts: &[f64], weight: f64, out: &mut [f64]) {
        let (rows, cols) = counts.split_at(self.height);
        if weight == 0.0 || cols.iter().all(|c| *c == 0.0) {
            return;
        }
        if budget::is_spent_after(out.len() / 4) {
            return;
        }
        vectorised(
            #[inline(always)]
            || {
                for (row, &own) in out.chunks_exact_mut(self.width.max(1)).zip(rows) {
                    if own != 0.0 {
                        let factor = weight * own;
                        row.iter_mut().zip(cols).for_each(|(v, their)| *v += factor * their);
                    }
                }
            },
        );
    }

    fn add_pairs(&self, range: std::ops::Range<usize>, weight: f64, out: &mut [f64]) {
        for &a in &self.slots[range.clone()] {
            for &i in &self.places[a as usize].0 {
                let row = &mut out[i as usize * self.width..(i as usize + 1) * self.width];
                for &b in &self.slots[range.clone()] {
                    self.places[b as usize].1.iter().for_each(|&j| row[j as usize] += weight);
                }
            }
        }
    }
}

/// Sorts keys by their upper half, and keeps the order of equal ones.
fn sort(keys: &mut Vec<u64>) {
    const DIGIT: u32 = 11;
    if keys.len() < 4096 {
        return keys.sort_unstable();
    }
    let mut other = vec![0u64; keys.len()];
    for pass in 0..3 {
        let shift = 32 + pass * DIGIT;
        let digit = |key: u64| (key >> shift) as usize & ((1 << DIGIT) - 1);
        let mut starts = [0usize; 1 << DIGIT];
        keys.iter().for_each(|&key| starts[digit(key)] += 1);
        let mut total = 0;
        for start in &mut starts {
            (*start, total) = (total, total + *start);
        }
        for &key in keys.iter() {
            let at = &mut starts[digit(key)];
            other[*at] = key;
            *at += 1;
        }
        std::mem::swap(keys, &mut other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn least_of_any_stretch() {
        let mut random = Random::new(1);
        let values: Vec<u32> = (0..1000).map(|_| random.below(500) as u32).collect();
        let minima = Minima::new(values.clone());
        for _ in 0..20_000 {
            let (a, b) = (random.below(1000), random.below(1000));
            let (a, b) = (a.min(b), a.max(b));
            assert_eq!(minima.least(a as u32, b as u32), *values[a..=b].iter().min().unwrap());
        }
    }

    #[test]
    fn sorted_by_rank() {
        let mut random = Random::new(2);
        let mut keys: Vec<u64> = (0..10_000u64).map(|slot| random.bits() >> 32 << 32 | slot).collect();
        let mut expected = keys.clone();
        expected.sort();
        sort(&mut keys);
        assert_eq!(keys, expected);
    }
}
