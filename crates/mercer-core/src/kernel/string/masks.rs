//! Counts pairs of k-mers that agree at chosen positions.
//!
//! Some kernels sum, over pairs of k-mers, a function of the number of positions where they differ. Such a kernel is a
//! sum over masks: Σ_{a, b} C(n - d(a, b), j) = Σ over the sets of j positions of the number of pairs that agree there,
//! which is a spectrum kernel. Each mask is one pass over the k-mers of a tile. The k-mers of the columns are put into
//! buckets by their symbols under the mask, and every k-mer of a row adds 1 for each entry of its bucket.
//!
//! Short k-mers of DNA are compared faster by tables of all k-mers (`walsh.rs`), with the same values.
//!
//! Only the k-mers are stored. Storing the counts of all masks, as other counting kernels do, would take hundreds of
//! numbers per symbol; comparing all pairs of k-mers would cost the product of the lengths.

use super::kmers::Words;
use super::palindromes::{self, Palindromes};
use super::walsh::Walsh;
use crate::budget;
use crate::data::{Alphabet, Ragged, Strings};
use crate::error::{Error, Result};
use crate::kernel::{Part, Prepared};
use crate::parallel;

/// k-mers of a fixed length and the weights of their pairs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MaskCounter {
    words: Words,
    length: usize,
    /// Pairs of (j, weight): pairs of k-mers that agree on a set of j positions count `weight` times.
    weights: Vec<(usize, i128)>,
    /// Features that are their own reverse complement, if reverse complements are one feature.
    palindromes: Option<Palindromes>,
}

/// The packed k-mers of strings, and the self-similarity of each string.
#[derive(Clone, Debug, Default)]
pub struct PackedWords {
    words: Ragged<u64>,
    self_similarities: Vec<f64>,
    /// Features that are their own reverse complement, if these are counted with both strands.
    palindromes: Vec<Vec<(u128, u64)>>,
}

impl PackedWords {
    pub(super) fn self_similarities(&self) -> &[f64] {
        &self.self_similarities
    }

    pub(super) fn get(&self, i: usize) -> &[u64] {
        self.words.row(i)
    }

    /// The number of k-mers of a string.
    pub(super) fn words_of(&self, i: usize) -> usize {
        self.words.row(i).len()
    }
}

impl Prepared for PackedWords {
    fn len(&self) -> usize {
        self.self_similarities.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        PackedWords {
            words: self.words.select(chosen),
            self_similarities: self.self_similarities.select(chosen),
            palindromes: self.palindromes.select(chosen),
        }
    }
}

/// Maximum number of masks: each is a pass over all k-mers.
const MOST_MASKS: u128 = 1 << 18;
/// Maximum number of bits under a mask for a direct table of buckets.
const TABLE_BITS: u32 = 16;
/// Bits of a k-mer that one table of a mask covers.
const PIECE: u32 = 10;
/// Strings with at most this many k-mers are compared with themselves pair by pair.
const FEW: usize = 2048;

impl MaskCounter {
    /// k-mers of `length` symbols; pairs that agree on a set of j positions count `weight` of j times.
    pub(super) fn new(
        words: Words,
        length: usize,
        weights: Vec<(usize, i128)>,
        palindromes: Palindromes,
    ) -> Result<Self> {
        let bits = words.alphabet.bits() as usize;
        if words.alphabet == Alphabet::Unicode {
            let domain = "dna, rna, protein or bytes, whose k-mers can be packed";
            return Err(Error::param("alphabet", Alphabet::Unicode, domain));
        }
        if bits * length > 64 {
            let domain = format!("at most {} with the alphabet {}", 64 / bits, words.alphabet);
            return Err(Error::param("k-mer length", length, &domain));
        }
        let masks = weights.iter().map(|(j, _)| binomial(length, *j) as u128).sum::<u128>();
        if masks > MOST_MASKS {
            let domain = format!("such that there are at most {MOST_MASKS} sets of positions, not {masks}");
            return Err(Error::param("k-mer length", length, &domain));
        }
        let weights = weights.into_iter().filter(|(_, w)| *w != 0).collect();
        let palindromes = Some(palindromes).filter(|p| words.complement && p.exist(length));
        Ok(MaskCounter { words, length, weights, palindromes })
    }

    pub(super) fn words(&self) -> Words {
        self.words
    }

    pub(super) fn prepare(&self, strings: &Strings) -> PackedWords {
        let per_string: Vec<Vec<u64>> = parallel::map(strings.len(), |i| {
            let (mut codes, mut out) = (Vec::new(), Vec::new());
            self.words.alphabet.encode(strings.get(i), &mut codes);
            self.pack(&codes, &mut out);
            out
        });
        let count =
            |words: &Vec<u64>| self.palindromes.map_or_else(Vec::new, |p| p.count(words, self.length));
        let palindromes: Vec<_> = parallel::map(per_string.len(), |i| count(&per_string[i]));
        let self_similarities = parallel::map(per_string.len(), |i| {
            let twice = &palindromes[i];
            (self.of_self(&per_string[i]) - palindromes::product(twice, twice)) as f64
        });
        PackedWords { words: Ragged::from_rows(per_string), self_similarities, palindromes }
    }

    fn pack(&self, codes: &[u32], out: &mut Vec<u64>) {
        let bits = self.words.alphabet.bits();
        let used = bits * self.length as u32;
        let all = if used == 64 { u64::MAX } else { (1 << used) - 1 };
        let (mut word, mut known) = (0u64, 0);
        for &code in codes {
            if code == Alphabet::OUTSIDE {
                known = 0;
                continue;
            }
            word = (word << bits | u64::from(code)) & all;
            known += 1;
            if known >= self.length {
                out.push(word);
            }
        }
    }

    /// The length of k-mers of two bits per symbol and the weights of their pairs; `None` for other alphabets.
    pub(super) fn lengths(&self) -> Option<(usize, &[(usize, i128)])> {
        (self.words.alphabet.bits() == 2).then_some((self.length, &self.weights))
    }

    /// The k-mers that a k-mer of the other string may equal: itself, and its reverse complement.
    pub(super) fn strands(&self, word: u64, mut visit: impl FnMut(u64)) {
        visit(word);
        if self.words.complement {
            let (mut back, mut rest) = (0u64, word);
            for _ in 0..self.length {
                back = back << 2 | (3 - (rest & 3));
                rest >>= 2;
            }
            visit(back);
        }
    }

    /// The weight of a pair of k-mers, by the number of positions where they agree.
    fn values(&self) -> Vec<i128> {
        let value = |t: usize| self.weights.iter().map(|(j, w)| w * binomial(t, *j)).sum();
        (0..=self.length).map(value).collect()
    }

    fn of_self(&self, words: &[u64]) -> i128 {
        if words.len() > FEW {
            return self.pairs(words, words);
        }
        let bits = self.words.alphabet.bits();
        // The lowest bit of every symbol.
        let lowest = (0..self.length as u32).fold(0u64, |m, p| m | 1 << (p * bits));
        let mut agreeing = vec![0i128; self.length + 1];
        for &a in words {
            if budget::is_spent_after(8 * words.len()) {
                break;
            }
            for &b in words {
                self.strands(b, |b| {
                    let differ = a ^ b;
                    let any = (1..bits).fold(differ, |any, shift| any | differ >> shift);
                    agreeing[self.length - (any & lowest).count_ones() as usize] += 1;
                });
            }
        }
        agreeing.iter().zip(self.values()).map(|(count, value)| count * value).sum()
    }

    /// The value of one pair of strings, by sorting the symbols under each mask.
    fn pairs(&self, rows: &[u64], cols: &[u64]) -> i128 {
        let mut both = Vec::with_capacity(2 * cols.len());
        cols.iter().for_each(|&b| self.strands(b, |b| both.push(b)));
        let mut sum = 0i128;
        let (mut left, mut right): (Vec<u64>, Vec<u64>) = (Vec::new(), Vec::new());
        for &(kept, weight) in &self.weights {
            self.each_mask(kept, |mask| {
                if budget::is_spent_after(16 * (rows.len() + both.len())) {
                    return false;
                }
                let keep = self.bits_of(mask);
                left.clear();
                left.extend(rows.iter().map(|w| w & keep));
                right.clear();
                right.extend(both.iter().map(|w| w & keep));
                left.sort_unstable();
                right.sort_unstable();
                let mut at = 0;
                for run in left.chunk_by(|a, b| a == b) {
                    at += right[at..].partition_point(|w| *w < run[0]);
                    let equal = right[at..].partition_point(|w| *w == run[0]);
                    sum += weight * (run.len() as i128 * equal as i128);
                }
                true
            });
        }
        sum
    }

    /// Calls `visit` with every set of `kept` positions, as bits, until it returns false.
    fn each_mask(&self, kept: usize, mut visit: impl FnMut(u64) -> bool) {
        if kept > self.length {
            return;
        }
        if kept == 0 {
            visit(0);
            return;
        }
        let end = 1u64 << self.length.min(63);
        let mut mask = (1u64 << kept) - 1;
        while mask < end {
            if !visit(mask) {
                return;
            }
            // The next number with the same number of bits (Gosper's hack).
            let low = mask & mask.wrapping_neg();
            let Some(high) = mask.checked_add(low) else { break };
            mask = high | (((mask ^ high) >> 2) / low);
        }
    }

    /// The bits of a k-mer's symbols at the positions of a mask.
    fn bits_of(&self, mask: u64) -> u64 {
        let bits = self.words.alphabet.bits();
        let symbol = (1u64 << bits) - 1;
        let places = (0..self.length as u32).filter(|p| mask >> p & 1 == 1);
        places.fold(0, |all, p| all | symbol << (p * bits))
    }

    /// Writes the values of all pairs.
    pub(super) fn fill(&self, rows: &Part<'_, PackedWords>, cols: &Part<'_, PackedWords>, out: &mut [f64]) {
        match Walsh::new(self, rows, cols) {
            Some(walsh) => {
                walsh.fill(self, rows, cols, out);
                self.correct(rows, cols, out.chunks_exact_mut(cols.len().max(1)), |v, excess| {
                    *v -= excess as f64
                });
            }
            None => self.fill_by_masks(rows, cols, out),
        }
    }

    fn fill_by_masks(&self, rows: &Part<'_, PackedWords>, cols: &Part<'_, PackedWords>, out: &mut [f64]) {
        let mut total = vec![0i128; out.len()];
        let mut counts = vec![0u64; out.len()];
        let mut pass = Pass::new(self, cols);
        for &(kept, weight) in &self.weights {
            counts.fill(0);
            self.each_mask(kept, |mask| pass.add(self, mask, kept, rows, &mut counts));
            total.iter_mut().zip(&counts).for_each(|(t, c)| *t += weight * i128::from(*c));
        }
        self.correct(rows, cols, total.chunks_exact_mut(cols.len().max(1)), |t, excess| *t -= excess);
        out.iter_mut().zip(total).for_each(|(v, t)| *v = t as f64);
    }

    /// Subtracts what features that are their own reverse complement are counted too often.
    fn correct<'t, T: 't>(
        &self,
        rows: &Part<'_, PackedWords>,
        cols: &Part<'_, PackedWords>,
        values: impl Iterator<Item = &'t mut [T]>,
        subtract: impl Fn(&mut T, i128),
    ) {
        if self.palindromes.is_none() {
            return;
        }
        for (row, i) in values.zip(rows.range.clone()) {
            let (own, theirs) = (&rows.set.palindromes[i], &cols.set.palindromes[cols.range.clone()]);
            for (value, their) in row.iter_mut().zip(theirs) {
                if budget::is_spent_after(own.len() + their.len()) {
                    return;
                }
                subtract(value, palindromes::product(own, their));
            }
        }
    }
}

/// State shared by all passes over the k-mers of a tile.
struct Pass {
    /// The k-mers of the columns, and the index of the string of each.
    words: Vec<u64>,
    owners: Vec<u32>,
    width: usize,
    /// The bits of each piece of a k-mer that a mask keeps.
    tables: Vec<u64>,
    keys: Vec<u64>,
    starts: Vec<u32>,
    who: Vec<u32>,
    known: Numbering,
}

impl Pass {
    fn new(masks: &MaskCounter, cols: &Part<'_, PackedWords>) -> Self {
        let (mut words, mut owners) = (Vec::new(), Vec::new());
        for (j, i) in cols.range.clone().enumerate() {
            for &word in cols.set.get(i) {
                masks.strands(word, |word| {
                    words.push(word);
                    owners.push(j as u32);
                });
            }
        }
        let pieces = (masks.words.alphabet.bits() * masks.length as u32).div_ceil(PIECE) as usize;
        Pass {
            width: cols.len(),
            tables: vec![0; pieces << PIECE],
            keys: Vec::with_capacity(words.len()),
            starts: Vec::new(),
            who: vec![0; words.len()],
            known: Numbering::default(),
            words,
            owners,
        }
    }

    /// Adds 1 for every pair of k-mers that agree at the positions of a mask; `false` if the budget is spent.
    fn add(
        &mut self,
        masks: &MaskCounter,
        mask: u64,
        kept: usize,
        rows: &Part<'_, PackedWords>,
        counts: &mut [u64],
    ) -> bool {
        if budget::is_spent_after(8 * self.words.len()) {
            return false;
        }
        self.tabulate(masks, mask);
        let direct = masks.words.alphabet.bits() * kept as u32 <= TABLE_BITS;
        let buckets = self.bucket(masks.words.alphabet.bits() * kept as u32, direct);
        for (row, i) in counts.chunks_exact_mut(self.width.max(1)).zip(rows.range.clone()) {
            for &word in rows.set.get(i) {
                let key = self.key(word);
                let bucket = match direct {
                    true => key as usize,
                    false => match self.known.find(key) {
                        Some(bucket) => bucket as usize,
                        None => continue,
                    },
                };
                debug_assert!(bucket < buckets);
                let equal = &self.who[self.starts[bucket] as usize..self.starts[bucket + 1] as usize];
                if budget::is_spent_after(4 + equal.len()) {
                    return false;
                }
                equal.iter().for_each(|&j| row[j as usize] += 1);
            }
        }
        true
    }

    /// Builds tables of the bits that a mask keeps, moved together.
    fn tabulate(&mut self, masks: &MaskCounter, mask: u64) {
        let bits = masks.words.alphabet.bits();
        let mut moved = 0;
        let mut to = [u32::MAX; 64];
        for p in (0..masks.length as u32).filter(|p| mask >> p & 1 == 1) {
            for b in 0..bits {
                to[(p * bits + b) as usize] = moved;
                moved += 1;
            }
        }
        for (piece, table) in self.tables.chunks_exact_mut(1 << PIECE).enumerate() {
            table[0] = 0;
            for b in 0..PIECE {
                let at = piece as u32 * PIECE + b;
                let bit = to.get(at as usize).filter(|t| **t != u32::MAX).map_or(0, |t| 1u64 << t);
                let (low, high) = table.split_at_mut(1 << b);
                high[..1 << b].iter_mut().zip(low).for_each(|(h, l)| *h = *l | bit);
            }
        }
    }

    #[inline(always)]
    fn key(&self, word: u64) -> u64 {
        let mut rest = word;
        let mut key = 0;
        for table in self.tables.chunks_exact(1 << PIECE) {
            key |= table[rest as usize & ((1 << PIECE) - 1)];
            rest >>= PIECE;
        }
        key
    }

    /// Puts the columns' k-mers into buckets and returns the number of buckets.
    fn bucket(&mut self, bits: u32, direct: bool) -> usize {
        let mut keys = std::mem::take(&mut self.keys);
        keys.clear();
        keys.extend(self.words.iter().map(|w| self.key(*w)));
        let buckets = if direct {
            1usize << bits
        } else {
            self.known.clear(keys.len());
            keys.iter_mut().for_each(|key| *key = u64::from(self.known.number(*key)));
            self.known.len()
        };
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        keys.iter().for_each(|key| self.starts[*key as usize] += 1);
        let mut total = 0;
        for start in &mut self.starts {
            total += *start;
            *start = total;
        }
        // From the back, so that each start finally points to the beginning of its bucket.
        for (key, owner) in keys.iter().zip(&self.owners).rev() {
            let at = &mut self.starts[*key as usize];
            *at -= 1;
            self.who[*at as usize] = *owner;
        }
        self.keys = keys;
        buckets
    }
}

/// Numbers for keys, in order of first appearance.
#[derive(Default)]
struct Numbering {
    /// Key and number + 1; 0 where an entry is free.
    places: Vec<(u64, u32)>,
    used: u32,
}

impl Numbering {
    fn clear(&mut self, most: usize) {
        self.places.clear();
        self.places.resize((2 * most).next_power_of_two().max(2), (0, 0));
        self.used = 0;
    }

    fn len(&self) -> usize {
        self.used as usize
    }

    #[inline(always)]
    fn place(&self, key: u64) -> usize {
        let mask = self.places.len() - 1;
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & mask;
        while self.places[at].1 != 0 && self.places[at].0 != key {
            at = (at + 1) & mask;
        }
        at
    }

    fn number(&mut self, key: u64) -> u32 {
        let at = self.place(key);
        if self.places[at].1 == 0 {
            self.used += 1;
            self.places[at] = (key, self.used);
        }
        self.places[at].1 - 1
    }

    fn find(&self, key: u64) -> Option<u32> {
        self.places[self.place(key)].1.checked_sub(1)
    }
}

/// The binomial coefficient n over k; 0 where k is above n.
pub(super) fn binomial(n: usize, k: usize) -> i128 {
    if k > n {
        return 0;
    }
    (0..k).fold(1i128, |b, i| b * (n - i) as i128 / (i + 1) as i128)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Strings of several lengths, with symbols outside the alphabet.
    fn strings(n: usize) -> Strings {
        let mut random = Random::new(3);
        let mut strings = Strings::default();
        for i in 0..n {
            let text: String =
                (0..7 * i % 120).map(|_| ['A', 'C', 'G', 'T', 'N'][random.below(41) / 10]).collect();
            strings.push(&text);
        }
        strings
    }

    #[test]
    fn tables_equal_masks_to_the_bit() {
        let strings = strings(40);
        let mut used = 0;
        for complement in [false, true] {
            let words = Words { alphabet: Alphabet::Dna, complement };
            let kernels = [
                (6, vec![(4, 1)], Palindromes::Gapped(4)),
                (5, vec![(3, 1)], Palindromes::Gapped(3)),
                (4, vec![(4, 1)], Palindromes::Gapped(4)),
                // The (4, 1)-mismatch kernel.
                (4, vec![(4, 8), (3, 2), (2, 2)], Palindromes::Near(1)),
            ];
            for (length, weights, palindromes) in kernels {
                let masks = MaskCounter::new(words, length, weights, palindromes).unwrap();
                let set = masks.prepare(&strings);
                for (rows, cols) in [(0..40, 0..40), (0..3, 0..40), (0..40, 30..31)] {
                    let (rows, cols) = (Part::new(&set, rows), Part::new(&set, cols));
                    let mut found = vec![0.0; rows.len() * cols.len()];
                    masks.fill(&rows, &cols, &mut found);
                    used += usize::from(Walsh::new(&masks, &rows, &cols).is_some());
                    let mut want = vec![0.0; found.len()];
                    masks.fill_by_masks(&rows, &cols, &mut want);
                    assert_eq!(found, want, "{length} {complement}");
                }
            }
        }
        assert!(used > 4, "{used}");
    }
}
