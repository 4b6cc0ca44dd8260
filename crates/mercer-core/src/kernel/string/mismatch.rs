//! k-mers that are equal up to a few symbols.

use std::fmt;

use super::gapped::by_masks;
use super::masks::{MaskCounter, PackedWords, binomial};
use super::palindromes::Palindromes;
use super::{COMPLEMENT, DNA, OnStrings, STRINGS, words_of};
use crate::data::{Alphabet, Strings};
use crate::error::{Error, Result};
use crate::kernel::{Declared, Definiteness, Domain, Facts, Kernel, Parameter, Part, Settings};

/// The inner product of the counts of k-mers, where a k-mer counts for all k-mers that differ from it in at most m
/// positions.
///
/// k(x, y) = Σ over k-mers a of x and b of y of the number of k-mers within m mismatches of both. That number follows
/// from the number of positions where a and b differ and from the size of the alphabet, so no neighbourhood is
/// enumerated. Counts are exact. With `reverse-complement` a k-mer and its reverse complement are one feature, as in
/// [`Spectrum`](super::Spectrum). Every k-mer of x is compared with the k-mers of y and their reverse complements.
/// k-mers near both that are their own reverse complement count once.
///
/// ```
/// use mercer_core::{data::Strings, gram::Engine, kernel::string::Mismatch};
/// let strings: Strings = ["AC", "AG", "TT"].into_iter().collect();
/// let k = Engine::new().gram(&Mismatch::new(2, 1)?, &strings)?;
/// // 1 + 2·3 2-mers are within one mismatch of AC; A and any symbol of both AC and AG; AT and TC of both AC and TT.
/// assert_eq!(k.values(), [7.0, 4.0, 2.0, 4.0, 7.0, 2.0, 2.0, 2.0, 7.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Leslie, Eskin, Cohen, Weston & Noble 2004, Mismatch string kernels for discriminative protein
/// classification.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    k: usize,
    m: usize,
    masks: MaskCounter,
}

impl Mismatch {
    /// k-mers of DNA with at most m mismatches, m < k; k is at most 32.
    pub fn new(k: usize, m: usize) -> Result<Self> {
        Mismatch::over(k, m, Alphabet::Dna, false)
    }

    /// The same for another alphabet, with at most 64 bits for k symbols: 12 amino acids or 8 bytes.
    pub fn over(k: usize, m: usize, alphabet: Alphabet, complement: bool) -> Result<Self> {
        Self::FACTS.check("k", k as f64)?;
        if m >= k || m > 4 {
            return Err(Error::param("m", m, &format!("below k = {k}, and at most 4")));
        }
        // The weight of a pair, by the number of positions where it agrees, as a combination of binomials.
        let near: Vec<i128> = (0..=k).map(|agree| shared(k, m, k - agree, alphabet.size())).collect();
        let sign = |n: usize| if n.is_multiple_of(2) { 1 } else { -1 };
        let weight = |j: usize| (0..=j).map(|t| sign(j - t) * binomial(j, t) * near[t]).sum::<i128>();
        let weights = (0..=k).map(|j| (j, weight(j))).filter(|(_, w)| *w != 0).collect();
        Ok(Mismatch {
            k,
            m,
            masks: MaskCounter::new(words_of(alphabet, complement)?, k, weights, Palindromes::Near(m))?,
        })
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "mismatch",
        summary: "Number of shared k-mers with at most m mismatches.",
        formula: "Σ_{a ∈ x, b ∈ y} #{w: d(w, a) ≤ m, d(w, b) ≤ m} over k-mers a, b, w; d the number of positions that differ",
        takes: "strings",
        kinds: STRINGS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "k",
                default: "5",
                domain: Domain::Whole(1, 32),
                doc: "length of the k-mers",
                alias: None,
            },
            Parameter {
                name: "m",
                default: "1",
                domain: Domain::Whole(0, 4),
                doc: "maximum number of mismatches, below k",
                alias: None,
            },
            DNA,
            COMPLEMENT,
        ],
        cost: "C(k, 2m) times the shared k-mers",
        reference: "Leslie, Eskin, Cohen, Weston & Noble 2004",
        example: "mismatch(k=5, m=1)",
    };
}

/// The number of k-mers within m mismatches of both of two k-mers that differ at d positions.
fn shared(k: usize, m: usize, d: usize, symbols: u64) -> i128 {
    let symbols = i128::from(symbols);
    let power = |base: i128, n: usize| (0..n).fold(1i128, |p, _| p * base);
    let mut sum = 0;
    // Of the d positions that differ, p match the first k-mer and q the second; e of the other positions are changed.
    for e in 0..=m.min(k - d) {
        for p in 0..=d {
            for q in 0..=d - p {
                if d - p + e <= m && d - q + e <= m {
                    let ways = binomial(d, p) * binomial(d - p, q) * power(symbols - 2, d - p - q);
                    sum += ways * binomial(k - d, e) * power(symbols - 1, e);
                }
            }
        }
    }
    sum
}

impl Declared for Mismatch {
    const FACTS: &'static Facts = &Mismatch::FACTS;

    fn read(settings: &mut Settings<'_>) -> Result<Self> {
        Mismatch::over(settings.read()?, settings.read()?, settings.read()?, settings.read()?)
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Mismatch::FACTS.print(f, &[], &[&self.k, &self.m, &self.masks.words()])
    }
}

by_masks!(Mismatch(k));
