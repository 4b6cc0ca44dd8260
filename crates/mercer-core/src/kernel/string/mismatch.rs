//! Words that are equal but for a few letters.

use std::fmt;

use super::gapped::by_masks;
use super::kmers::Words;
use super::masks::{Masked, PackedWords, binomial};
use super::palindromes::Palindromes;
use super::{COMPLEMENT, DNA, OnStrings, STRINGS, words_of};
use crate::data::{Alphabet, Strings};
use crate::error::{Error, Result};
use crate::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, Part};

/// The inner product of the numbers of words of k letters, where a word counts for all that differ from it at m places or
/// fewer.
///
/// k(x, y) = Σ over words a of x and b of y of the number of words within m letters of both, which follows from the number of
/// places where a and b differ and from the size of the alphabet; so that no neighbourhood is ever written out. Counts are exact.
/// With `reverse-complement` a word and its reverse complement are one feature, as in [`Spectrum`](super::Spectrum): every word of x
/// meets the words of y and their reverse complements, and words near both that are their own reverse complement count once.
///
/// ```
/// use mercer_core::{data::Strings, gram::Engine, kernel::string::Mismatch};
/// let strings: Strings = ["AC", "AG", "TT"].into_iter().collect();
/// let k = Engine::new().gram(&Mismatch::new(2, 1)?, &strings)?;
/// // 1 + 2·3 words are within a letter of AC; A and any other letter within one of AC and AG; AT and TC within one of AC and TT.
/// assert_eq!(k.values(), [7.0, 4.0, 2.0, 4.0, 7.0, 2.0, 2.0, 2.0, 7.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Leslie, Eskin, Cohen, Weston & Noble 2004, Mismatch string kernels for discriminative protein classification.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    k: usize,
    m: usize,
    masked: Masked,
}

impl Mismatch {
    /// Words of k letters of DNA with at most m mismatches, m < k; k is at most 32.
    pub fn new(k: usize, m: usize) -> Result<Self> {
        Mismatch::over(k, m, Alphabet::Dna, false)
    }

    /// The same of another alphabet, of at most 64 bits in k letters: 12 of proteins, 8 bytes.
    pub fn over(k: usize, m: usize, alphabet: Alphabet, complement: bool) -> Result<Self> {
        Domain::Whole(1, 32).check("k", k as f64)?;
        if m >= k || m > 4 {
            return Err(Error::param("m", m, &format!("below k = {k}, and at most 4")));
        }
        // What a pair counts for, by the places where it agrees, as a combination of binomials.
        let near: Vec<i128> = (0..=k).map(|agree| shared(k, m, k - agree, alphabet.size())).collect();
        let sign = |n: usize| if n.is_multiple_of(2) { 1 } else { -1 };
        let weight = |j: usize| (0..=j).map(|t| sign(j - t) * binomial(j, t) * near[t]).sum::<i128>();
        let weights = (0..=k).map(|j| (j, weight(j))).filter(|(_, w)| *w != 0).collect();
        Ok(Mismatch {
            k,
            m,
            masked: Masked::new(words_of(alphabet, complement)?, k, weights, Palindromes::Near(m))?,
        })
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "mismatch",
        summary: "Words of k letters that two strings share but for m letters, counted.",
        formula: "Σ_{a ∈ x, b ∈ y} #{w: d(w, a) ≤ m, d(w, b) ≤ m} over words a, b, w of k letters, d the places that differ",
        takes: "strings",
        kinds: STRINGS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "k",
                default: "5",
                domain: Domain::Whole(1, 32),
                doc: "how many letters a word has",
                alias: None,
            },
            Parameter {
                name: "m",
                default: "1",
                domain: Domain::Whole(0, 4),
                doc: "how many of them may differ, below k",
                alias: None,
            },
            DNA,
            COMPLEMENT,
        ],
        cost: "C(k, 2m) times the words both have",
        reference: "Leslie, Eskin, Cohen, Weston & Noble 2004",
        example: "mismatch(k=5, m=1)",
    };

    fn words(&self) -> Words {
        self.masked.words()
    }
}

/// How many words of k letters are within m places of both of two words that differ at d places.
fn shared(k: usize, m: usize, d: usize, letters: u64) -> i128 {
    let letters = i128::from(letters);
    let power = |base: i128, n: usize| (0..n).fold(1i128, |p, _| p * base);
    let mut sum = 0;
    // Of the places that differ p are as in the one, q as in the other; e of the others are changed.
    for e in 0..=m.min(k - d) {
        for p in 0..=d {
            for q in 0..=d - p {
                if d - p + e <= m && d - q + e <= m {
                    let ways = binomial(d, p) * binomial(d - p, q) * power(letters - 2, d - p - q);
                    sum += ways * binomial(k - d, e) * power(letters - 1, e);
                }
            }
        }
    }
    sum
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mismatch(k={}, m={}, {})", self.k, self.m, self.words())
    }
}

by_masks!(Mismatch, k);
