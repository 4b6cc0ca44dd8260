//! Index of all substrings of a set of strings: one suffix array, and tiles computed from its tree of shared prefixes.
//!
//! A kernel Σ_s w(|s|)·c_s(x)·c_s(y) over all substrings equals Σ W(lcp(a, b)) over the suffixes a of x and b of y,
//! where W sums w over all lengths up to the longest common prefix. The sorted suffixes of a tile's strings form a
//! tree: suffixes with a common prefix are neighbours. For each node, the counts of the strings below it give one
//! update of the tile; nodes with few suffixes enumerate their pairs instead. (Storing the nodes as features, as
//! kernels that count k-mers do, would take a dozen numbers per symbol. A pass over all suffixes for each pair of
//! strings would cost their length every time.)
//!
//! Two different sets are indexed together once, just as the features of counting kernels are aligned.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::suffix::{common_prefixes, suffix_array};
use crate::budget;
use crate::data::{Alphabet, Ragged, Strings};
use crate::error::{Error, Result};
use crate::kernel::{Part, Prepared};
use crate::numeric::math::vectorised;
use crate::parallel;

/// Ends each string in the text of an index and replaces symbols outside the alphabet; it matches nothing.
const GAP: u32 = 0;
/// The owner of a gap.
const NO_OWNER: u32 = u32::MAX;

/// The sorted suffixes of all strings of a set.
#[derive(Debug)]
pub(super) struct Index {
    strings: Strings,
    alphabet: Alphabet,
    /// The length of the common prefix of each suffix with the one before it.
    common: Minima,
    /// The ranks of each string's suffixes, ascending.
    ranks: Ragged<u32>,
}

impl Index {
    fn new(strings: Strings, alphabet: Alphabet) -> Result<Self> {
        // The text, its order, common prefixes, owners and ranks: about 40 bytes per byte.
        budget::ask("the index of all substrings", 40 * (strings.bytes() as u64 + strings.len() as u64))?;
        // There are at least as many bytes as symbols, and each string is followed by a gap.
        if strings.bytes() as u64 + strings.len() as u64 >= u64::from(u32::MAX) {
            return Err(Error::usage("the strings have more than 2^32 symbols in total"));
        }
        let (mut text, mut codes) = (Vec::with_capacity(strings.bytes() + strings.len()), Vec::new());
        let mut starts = Vec::with_capacity(strings.len());
        for s in strings.iter() {
            starts.push(text.len() as u32);
            alphabet.encode(s, &mut codes);
            text.extend(codes.iter().map(|&c| if c == Alphabet::OUTSIDE { GAP } else { c + 1 }));
            text.push(GAP);
        }
        let symbols = renumber(&mut text);
        let (order, shared) = if symbols <= 256 {
            let bytes: Vec<u8> = text.iter().map(|&c| c as u8).collect();
            let order = suffix_array(&bytes, symbols)?;
            let shared = common_prefixes(&bytes, &order)?;
            (order, shared)
        } else {
            let order = suffix_array(&text, symbols)?;
            let shared = common_prefixes(&text, &order)?;
            (order, shared)
        };
        // By start: the common prefix of a suffix and its string; stored together, because the order visits them at
        // random.
        let mut known: Vec<(u32, u32)> = shared.into_iter().map(|shared| (shared, NO_OWNER)).collect();
        // After the leading 0: the number of suffixes of each string, then their starts, finally their ends.
        let mut offsets = vec![0usize; strings.len() + 1];
        for (s, &start) in starts.iter().enumerate() {
            let end = starts.get(s + 1).map_or(text.len(), |e| *e as usize);
            for (symbol, known) in text[start as usize..end].iter().zip(&mut known[start as usize..end]) {
                if *symbol != GAP {
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
        // Appends each suffix to its string in sorted order, so the lists are ascending without sorting.
        let mut ranks = vec![0u32; total];
        let mut common = Vec::with_capacity(order.len());
        for (rank, &at) in order.iter().enumerate() {
            let (shared, owner) = known[at as usize];
            common.push(shared);
            if owner != NO_OWNER {
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

    /// One index of the strings of two indices, those of the second after those of the first.
    fn join(first: &Index, second: &Index) -> Result<Index> {
        let both = first.strings.iter().chain(second.strings.iter()).collect();
        Index::new(both, first.alphabet)
    }

    /// Σ W(lcp(a, b)) over all pairs of suffixes of a string.
    fn of_self(&self, s: u32, weights: &[f64]) -> f64 {
        let (mut total, mut running) = (0.0, 0.0);
        // Common prefix lengths of earlier suffixes with the current one, and the number of suffixes for each length.
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

/// Renumbers the symbols in use from 0 in ascending order, the gap first; returns their number.
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

/// Range minimum queries on a list of numbers.
#[derive(Debug)]
struct Minima {
    values: Vec<u32>,
    /// The minimum of 1, 2, 4, … blocks from each block on.
    blocks: Vec<Vec<u32>>,
}

/// Numbers per block.
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

    /// The minimum from `first` to `last`, both included.
    fn least(&self, first: u32, last: u32) -> u32 {
        let (first, last) = (first as usize, last as usize);
        let plain = |values: &[u32]| values.iter().copied().fold(u32::MAX, u32::min);
        if last - first < 2 * BLOCK {
            return plain(&self.values[first..=last]);
        }
        let (from, to) = (first.div_ceil(BLOCK), (last + 1) / BLOCK);
        let edges = plain(&self.values[first..from * BLOCK]).min(plain(&self.values[to * BLOCK..=last]));
        // Two ranges of a power of two blocks cover all of them.
        let level = (to - from).ilog2() as usize;
        let row = &self.blocks[level];
        edges.min(row[from]).min(row[to - (1 << level)])
    }
}

/// Strings in an index, and the self-similarity of each.
#[derive(Debug)]
pub struct Suffixes {
    index: Arc<Index>,
    /// The index of each string in the suffix index.
    chosen: Vec<u32>,
    self_similarities: Vec<f64>,
    /// W(l) for all lengths up to the longest of these strings.
    weights: Arc<[f64]>,
    /// The other index most recently joined with this one, and the joint index.
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
            self_similarities: self.self_similarities.select(chosen),
            weights: Arc::clone(&self.weights),
            joint: Mutex::new(None),
        }
    }
}

impl Suffixes {
    /// Indexes strings; `weight` gives the weight of substrings by length.
    pub(super) fn new(strings: &Strings, alphabet: Alphabet, weight: impl Fn(usize) -> f64) -> Result<Self> {
        let index = Arc::new(Index::new(strings.clone(), alphabet)?);
        let longest = strings.iter().map(|s| alphabet.length(s)).max().unwrap_or(0);
        let mut weights = Vec::with_capacity(longest + 1);
        weights.push(0.0);
        for length in 1..=longest {
            weights.push(weights[length - 1] + weight(length));
        }
        let of_one = |s: u32| {
            // The common prefix of a suffix with itself ends at the next symbol outside the alphabet.
            let (mut codes, mut run, mut own) = (Vec::new(), 0, 0.0);
            alphabet.encode(strings.get(s as usize), &mut codes);
            for &code in codes.iter().rev() {
                run = if code == Alphabet::OUTSIDE { 0 } else { run + 1 };
                own += weights[run];
            }
            own + index.of_self(s, &weights)
        };
        let self_similarities = parallel::map(strings.len(), |s| of_one(s as u32));
        budget::check()?;
        let chosen = (0..strings.len() as u32).collect();
        Ok(Suffixes { chosen, self_similarities, weights: weights.into(), joint: Mutex::new(None), index })
    }

    pub(super) fn self_similarities(&self) -> &[f64] {
        &self.self_similarities
    }

    /// A joint index of another set and these strings, with the other set first.
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
    // Suffixes of one string may share more symbols than the other set's strings have.
    let weights =
        if rows.set.weights.len() > cols.set.weights.len() { &rows.set.weights } else { &cols.set.weights };
    let mut tree = Tree::new(&index, &own, &their);
    budget::check()?;
    tree.walk(weights, out);
    budget::check()?;
    // The tree does not pair a suffix with itself, so diagonal entries are copied.
    for (row, &a) in out.chunks_exact_mut(their.len().max(1)).zip(&own) {
        let meets = row.iter_mut().zip(&their).filter(|(_, b)| **b == a).map(|(v, _)| v);
        if let Some(at) =
            same.then(|| rows.set.chosen[rows.range.clone()].iter().position(|s| *s == a)).flatten()
        {
            meets.for_each(|v| *v = rows.set.self_similarities[rows.range.start + at]);
        }
    }
    Ok(())
}

/// The rows and columns of a tile that belong to a string.
type Places = (Vec<u32>, Vec<u32>);

/// The sorted suffixes of a tile's strings.
struct Tree {
    /// The string of each suffix.
    slots: Vec<u32>,
    /// The length of the common prefix of each suffix with the one before it.
    shared: Vec<u32>,
    /// The rows and columns of each string.
    places: Vec<Places>,
    height: usize,
    width: usize,
}

/// Nodes of at most this many suffixes enumerate their pairs.
const FEW: usize = 24;

/// A node whose suffixes are not complete yet.
struct Open {
    depth: u32,
    left: usize,
    /// Counts by row and column of the suffixes from `left` to `covered`.
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

    /// Adds the contributions of all nodes.
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

    /// Adds to a node the counts of a child that begins at `left`.
    fn take_over(
        &self,
        node: &mut Open,
        child: Option<(Box<[f64]>, usize)>,
        left: usize,
        free: &mut Vec<Box<[f64]>>,
    ) {
        let Some((counts, end)) = child else { return };
        // The root contributes nothing.
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

/// Stable sort of keys by their upper half.
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
    fn range_minima() {
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
