//! Features that are their own reverse complement.
//!
//! If a k-mer and its reverse complement are one feature, pairs of k-mers are counted with both strands of one of them.
//! That counts a feature and its reverse complement once each, but a feature that is its own reverse complement twice.
//! The excess is the inner product of the counts of these features alone. They are few and are stored here.

use std::cell::Cell;
use std::collections::HashMap;

use crate::budget;

/// Which palindromic features of packed DNA k-mers are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Palindromes {
    /// k-mers that differ from a k-mer in at most this many positions.
    Near(usize),
    /// This many symbols at chosen positions of a k-mer.
    Gapped(usize),
}

impl Palindromes {
    /// Whether k-mers of `length` symbols can have such features: no symbol is its own complement, so their length is
    /// even.
    pub(super) fn exist(self, length: usize) -> bool {
        match self {
            Palindromes::Near(_) => length.is_multiple_of(2),
            Palindromes::Gapped(kept) => kept.is_multiple_of(2),
        }
    }

    /// The features of the k-mers of one string with their counts, ascending. A k-mer counts once, or its weight.
    pub(super) fn count(self, words: &[u64], weights: Option<&[u32]>, length: usize) -> Vec<(u128, u64)> {
        let mut counts: HashMap<u128, u64> = HashMap::new();
        let made = Cell::new(0);
        let weight = Cell::new(1u64);
        let mut add = |feature: u128| {
            made.set(made.get() + 1);
            *counts.entry(feature).or_default() += weight.get();
        };
        for (i, &word) in words.iter().enumerate() {
            weight.set(weights.map_or(1, |weights| u64::from(weights[i])));
            if budget::is_spent_after(16 * made.take() + 16) {
                break;
            }
            let pairs: Vec<(u64, u64)> = (0..length / 2).map(|i| pair(word, i, length)).collect();
            match self {
                Palindromes::Near(m) => near(&pairs, m, 0, 0, &mut add),
                Palindromes::Gapped(kept) => {
                    let fit = |&i: &usize| pairs[i].0 == pairs[i].1;
                    let good: Vec<usize> = (0..pairs.len()).filter(fit).collect();
                    gapped(&pairs, &good, kept / 2, 0, &mut add);
                }
            }
        }
        let mut out: Vec<(u128, u64)> = counts.into_iter().collect();
        out.sort_unstable();
        out
    }
}

/// A symbol counted from the end, and the complement of the symbol at the same distance from the start: equal in a
/// palindrome.
fn pair(word: u64, i: usize, length: usize) -> (u64, u64) {
    let symbol = |at: usize| word >> (2 * at) & 3;
    (symbol(i), 3 - symbol(length - 1 - i))
}

/// Palindromes from the pair `at` on that differ from the k-mer in at most `left` positions.
fn near(pairs: &[(u64, u64)], left: usize, at: usize, made: u128, add: &mut impl FnMut(u128)) {
    let Some(&(x, y)) = pairs.get(at) else { return add(made) };
    for symbol in 0..4 {
        let differ = usize::from(symbol != x) + usize::from(symbol != y);
        if differ <= left {
            near(pairs, left - differ, at + 1, made | u128::from(symbol) << (2 * at), add);
        }
    }
}

/// Choices of `left` of the pairs that are their own reverse complement: the pairs and their symbols.
fn gapped(pairs: &[(u64, u64)], good: &[usize], left: usize, made: u128, add: &mut impl FnMut(u128)) {
    if left == 0 {
        return add(made);
    }
    for (i, &at) in good.iter().enumerate().take((good.len() + 1).saturating_sub(left)) {
        let chosen = 1u128 << (64 + at) | u128::from(pairs[at].0) << (2 * at);
        gapped(pairs, &good[i + 1..], left - 1, made | chosen, add);
    }
}

/// The inner product of two lists of counts.
pub(super) fn product(a: &[(u128, u64)], b: &[(u128, u64)]) -> i128 {
    let (mut i, mut j, mut sum) = (0, 0, 0i128);
    while let (Some((f, own)), Some((g, their))) = (a.get(i), b.get(j)) {
        if f == g {
            sum += i128::from(*own) * i128::from(*their);
        }
        i += usize::from(f <= g);
        j += usize::from(g <= f);
    }
    sum
}
