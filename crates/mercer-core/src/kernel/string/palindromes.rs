//! Features that are their own reverse complement.
//!
//! Where a word and its reverse complement are one feature, pairs of words count with both strands of one of them: that counts a
//! feature and its reverse complement once each, and a feature that is its own reverse complement twice. What is counted too
//! much is the inner product of the counts of these features alone, which are few and are kept here.

use std::cell::Cell;
use std::collections::HashMap;

use crate::budget;

/// Which features of packed words of four letters are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Palindromes {
    /// Words that differ from a word at so many places or fewer.
    Near(usize),
    /// So many letters at chosen places of a word.
    Gapped(usize),
}

impl Palindromes {
    /// Whether words of `length` letters can have such features: a letter is never its own complement, so their number is even.
    pub(super) fn exist(self, length: usize) -> bool {
        match self {
            Palindromes::Near(_) => length.is_multiple_of(2),
            Palindromes::Gapped(kept) => kept.is_multiple_of(2),
        }
    }

    /// The features of the words of one string with their counts, ascending.
    pub(super) fn count(self, words: &[u64], length: usize) -> Vec<(u128, u64)> {
        let mut counts: HashMap<u128, u64> = HashMap::new();
        let made = Cell::new(0);
        let mut add = |feature: u128| {
            made.set(made.get() + 1);
            *counts.entry(feature).or_default() += 1;
        };
        for &word in words {
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

/// A letter counted from the end, and the complement of the letter as far from the start: equal in a palindrome.
fn pair(word: u64, i: usize, length: usize) -> (u64, u64) {
    let letter = |at: usize| word >> (2 * at) & 3;
    (letter(i), 3 - letter(length - 1 - i))
}

/// Palindromes from the pair `at` on that differ from the word at `left` places or fewer.
fn near(pairs: &[(u64, u64)], left: usize, at: usize, made: u128, add: &mut impl FnMut(u128)) {
    let Some(&(x, y)) = pairs.get(at) else { return add(made) };
    for letter in 0..4 {
        let differ = usize::from(letter != x) + usize::from(letter != y);
        if differ <= left {
            near(pairs, left - differ, at + 1, made | u128::from(letter) << (2 * at), add);
        }
    }
}

/// Choices of `left` of the pairs that are their own reverse complement: which pairs, and their letters.
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
