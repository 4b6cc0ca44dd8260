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

use std::f64::consts::LN_2;

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
    /// What the counted whole numbers are multiplied by.
    scale: f64,
    /// How much a k-mer counts by its place in the string; 1 everywhere without it.
    centre: Option<Centre>,
    /// Pairs of (j, weight): pairs of k-mers that agree on a set of j positions count `weight` times.
    weights: Vec<(usize, i128)>,
    /// Features that are their own reverse complement, if reverse complements are one feature.
    palindromes: Option<Palindromes>,
}

/// Whole weights that fall from the centre of a string to its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Centre {
    /// The number of positions over which the weight halves.
    pub(super) half_life: f64,
    /// The weight at the centre.
    pub(super) peak: u32,
}

impl Centre {
    /// The weight of the k-mer at `i` of `count` in a string.
    fn weight(self, i: usize, count: usize) -> u32 {
        // From the true centre, so that both strands of a string have the same weights.
        let away = (2 * i).abs_diff(count.saturating_sub(1)) as f64 / 2.0;
        let weight = f64::from(self.peak) * crate::numeric::math::exp(-LN_2 * away / self.half_life) + 1.0;
        // A number from 1 to 256: the conversion takes its floor.
        (weight as u32).min(self.peak)
    }
}

/// The packed k-mers of strings, and the self-similarity of each string.
#[derive(Clone, Debug, Default)]
pub struct PackedWords {
    words: Ragged<u64>,
    /// The weight of each k-mer; no rows if all are 1.
    weights: Ragged<u32>,
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

    /// The weights of a string's k-mers; `None` if all are 1.
    pub(super) fn weights_of(&self, i: usize) -> Option<&[u32]> {
        (!self.weights.is_empty()).then(|| self.weights.row(i))
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
            weights: if !self.weights.is_empty() { self.weights.select(chosen) } else { Ragged::default() },
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
        Ok(MaskCounter { words, length, scale: 1.0, centre: None, weights, palindromes })
    }

    /// The same counts multiplied by a number. Features are those of l-mers, whose palindromes count like others.
    pub(super) fn scaled(self, scale: f64) -> Self {
        MaskCounter { scale, palindromes: None, ..self }
    }

    /// The same with k-mers that count more the closer they are to the centre of their string.
    pub(super) fn centred(self, centre: Centre) -> Self {
        MaskCounter { centre: Some(centre), ..self }
    }

    pub(super) fn words(&self) -> Words {
        self.words
    }

    pub(super) fn prepare(&self, strings: &Strings) -> PackedWords {
        let per_string: Vec<(Vec<u64>, Vec<u32>)> = parallel::map(strings.len(), |i| {
            let (mut codes, mut words, mut weights) = (Vec::new(), Vec::new(), Vec::new());
            self.words.alphabet.encode(strings.get(i), &mut codes);
            self.pack(&codes, &mut words, &mut weights);
            (words, weights)
        });
        let (words, weights): (Vec<_>, Vec<_>) = per_string.into_iter().unzip();
        let weighted = |i: usize| self.centre.map(|_| weights[i].as_slice());
        let palindromes: Vec<_> = parallel::map(words.len(), |i| {
            self.palindromes.map_or_else(Vec::new, |p| p.count(&words[i], weighted(i), self.length))
        });
        let self_similarities = parallel::map(words.len(), |i| {
            let twice = &palindromes[i];
            self.scale * (self.of_self(&words[i], weighted(i)) - palindromes::product(twice, twice)) as f64
        });
        let weights = if self.centre.is_some() { Ragged::from_rows(weights) } else { Ragged::default() };
        PackedWords { words: Ragged::from_rows(words), weights, self_similarities, palindromes }
    }

    /// Appends the k-mers of a string, and their weights if these depend on the position.
    fn pack(&self, codes: &[u32], out: &mut Vec<u64>, weights: &mut Vec<u32>) {
        let bits = self.words.alphabet.bits();
        let used = bits * self.length as u32;
        let all = if used == 64 { u64::MAX } else { (1 << used) - 1 };
        let (mut word, mut known) = (0u64, 0);
        let count = (codes.len() + 1).saturating_sub(self.length);
        for (i, &code) in codes.iter().enumerate() {
            if code == Alphabet::OUTSIDE {
                known = 0;
                continue;
            }
            word = (word << bits | u64::from(code)) & all;
            known += 1;
            if known >= self.length {
                out.push(word);
                weights.extend(self.centre.map(|centre| centre.weight(i + 1 - self.length, count)));
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

    /// The weight at the centre: no k-mer counts more.
    pub(super) fn peak(&self) -> u32 {
        self.centre.map_or(1, |centre| centre.peak)
    }

    fn of_self(&self, words: &[u64], weights: Option<&[u32]>) -> i128 {
        if words.len() > FEW {
            return self.pairs_with_itself(words, weights);
        }
        let weight = |i: usize| weights.map_or(1, |weights| i128::from(weights[i]));
        let bits = self.words.alphabet.bits();
        // The lowest bit of every symbol.
        let lowest = (0..self.length as u32).fold(0u64, |m, p| m | 1 << (p * bits));
        let mut agreeing = vec![0i128; self.length + 1];
        for (i, &a) in words.iter().enumerate() {
            if budget::is_spent_after(8 * words.len()) {
                break;
            }
            for (j, &b) in words.iter().enumerate() {
                let both = weight(i) * weight(j);
                self.strands(b, |b| {
                    let differ = a ^ b;
                    let any = (1..bits).fold(differ, |any, shift| any | differ >> shift);
                    agreeing[self.length - (any & lowest).count_ones() as usize] += both;
                });
            }
        }
        agreeing.iter().zip(self.values()).map(|(count, value)| count * value).sum()
    }

    /// The value of a string with itself, by sorting the symbols under each mask.
    fn pairs_with_itself(&self, words: &[u64], weights: Option<&[u32]>) -> i128 {
        let weight = |i: usize| weights.map_or(1, |weights| weights[i]);
        let mut both = Vec::with_capacity(2 * words.len());
        words.iter().enumerate().for_each(|(i, &b)| self.strands(b, |b| both.push((b, weight(i)))));
        let total = |run: &[(u64, u32)]| run.iter().map(|w| i128::from(w.1)).sum::<i128>();
        let mut sum = 0i128;
        let [mut left, mut right] = [Vec::<(u64, u32)>::new(), Vec::new()];
        for &(kept, factor) in &self.weights {
            self.each_mask(kept, |mask| {
                if budget::is_spent_after(16 * (words.len() + both.len())) {
                    return false;
                }
                let keep = self.bits_of(mask);
                left.clear();
                left.extend(words.iter().enumerate().map(|(i, w)| (w & keep, weight(i))));
                right.clear();
                right.extend(both.iter().map(|(w, weight)| (w & keep, *weight)));
                left.sort_unstable();
                right.sort_unstable();
                let mut at = 0;
                for run in left.chunk_by(|a, b| a.0 == b.0) {
                    at += right[at..].partition_point(|w| w.0 < run[0].0);
                    let equal = right[at..].partition_point(|w| w.0 == run[0].0);
                    sum += factor * (total(run) * total(&right[at..at + equal]));
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
                out.iter_mut().for_each(|v| *v *= self.scale);
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
        out.iter_mut().zip(total).for_each(|(v, t)| *v = self.scale * t as f64);
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
    /// The weight of each k-mer, in the order of `words` and in that of `who`; empty if all are 1.
    weights: Vec<u32>,
    worth: Vec<u32>,
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
        let (mut words, mut owners, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for (j, i) in cols.range.clone().enumerate() {
            let own = cols.set.weights_of(i);
            for (at, &word) in cols.set.get(i).iter().enumerate() {
                masks.strands(word, |word| {
                    words.push(word);
                    owners.push(j as u32);
                    weights.extend(own.map(|own| own[at]));
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
            worth: vec![0; weights.len()],
            weights,
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
            let own = rows.set.weights_of(i);
            for (at, &word) in rows.set.get(i).iter().enumerate() {
                let key = self.key(word);
                let bucket = match direct {
                    true => key as usize,
                    false => match self.known.find(key) {
                        Some(bucket) => bucket as usize,
                        None => continue,
                    },
                };
                debug_assert!(bucket < buckets);
                let run = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
                let equal = &self.who[run.clone()];
                if budget::is_spent_after(4 + equal.len()) {
                    return false;
                }
                match own {
                    None => equal.iter().for_each(|&j| row[j as usize] += 1),
                    Some(own) => {
                        let pairs = equal.iter().zip(&self.worth[run]);
                        pairs.for_each(|(&j, &w)| row[j as usize] += u64::from(own[at]) * u64::from(w));
                    }
                }
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
        for (i, (key, owner)) in keys.iter().zip(&self.owners).enumerate().rev() {
            let at = &mut self.starts[*key as usize];
            *at -= 1;
            self.who[*at as usize] = *owner;
            if let Some(weight) = self.weights.get(i) {
                self.worth[*at as usize] = *weight;
            }
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
    use super::super::filter;
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
            let made = |(length, weights, palindromes)| {
                MaskCounter::new(words, length, weights, palindromes).unwrap()
            };
            let mut all: Vec<MaskCounter> = kernels.into_iter().map(made).collect();
            for filter in [filter::estimated(6, 4, Alphabet::Dna), filter::truncated(5, 3, Alphabet::Dna)] {
                let (filter, length) = (filter.as_ref().unwrap(), filter.as_ref().unwrap().length());
                let weights = filter.weights.clone();
                all.push(made((length, weights, Palindromes::Gapped(3))).scaled(filter.scale));
            }
            let centre = Centre { half_life: 4.0, peak: 9 };
            all.extend(all.clone().into_iter().map(|masks| masks.centred(centre)));
            for masks in all {
                let length = masks.length;
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
        assert!(used > 12, "{used}");
    }
}
