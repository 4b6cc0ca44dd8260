//! Subsequences with gaps.

use super::lanes::{self, Compare, EncodedStrings, Group, LANES, Lanes, by_lanes};
use super::{ALPHABET, OnStrings, STRINGS};
use crate::budget;
use crate::data::{Alphabet, Strings};
use crate::error::Result;
use crate::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, Part, declared};

/// The inner product of all subsequences of k symbols, weighted by their span.
///
/// φ_u(x) = Σ decay^(last - first + 1) over the occurrences of u in x as a subsequence, with or without gaps, and
/// k(x, y) = Σ_u φ_u(x)·φ_u(y) over all u of k symbols. A string of fewer than k symbols has similarity 0 to every
/// string.
///
/// ```
/// use mercer_core::{data::Strings, gram::Engine, kernel::string::Subsequence};
/// let strings: Strings = ["cat", "car", "bat"].into_iter().collect();
/// let k = Engine::new().gram(&Subsequence::new(2, 0.5)?, &strings)?;
/// assert_eq!(k.at(0, 1), 0.5f64.powi(4)); // ca in both
/// assert_eq!(k.at(0, 0), 2.0 * 0.5f64.powi(4) + 0.5f64.powi(6)); // ca and at, and c-t
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Lodhi, Saunders, Shawe-Taylor, Cristianini & Watkins 2002, Text classification using string kernels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Subsequence {
    k: usize,
    decay: f64,
    alphabet: Alphabet,
}

/// Maximum length of a subsequence.
const LONGEST: u64 = 64;

impl Subsequence {
    /// Subsequences of k symbols, from 1 to 64; decay must be above 0 and at most 1.
    pub fn new(k: usize, decay: f64) -> Result<Self> {
        Self::FACTS.check("k", k as f64)?;
        Ok(Subsequence { k, decay: Self::FACTS.check("decay", decay)?, alphabet: Alphabet::Unicode })
    }

    /// The same kernel on symbols of an alphabet.
    #[must_use]
    pub fn over(self, alphabet: Alphabet) -> Self {
        Subsequence { alphabet, ..self }
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "subsequence",
        summary: "Shared subsequences of k symbols with gaps, weighted by their span.",
        formula: "Σ_u φ_u(x)·φ_u(y), φ_u(x) = Σ decay^(span) over the occurrences of u in x, |u| = k",
        takes: "strings",
        kinds: STRINGS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "k",
                default: "3",
                domain: Domain::Whole(1, LONGEST),
                doc: "length of the subsequences",
                alias: None,
            },
            Parameter {
                name: "decay",
                default: "0.5",
                domain: Domain::Share,
                doc: "factor per symbol of the span, gaps included",
                alias: None,
            },
            ALPHABET,
        ],
        cost: "k·|x|·|y|",
        reference: "Lodhi, Saunders, Shawe-Taylor, Cristianini & Watkins 2002",
        example: "normalize(subsequence(k=4, decay=0.7))",
    };
}

declared!(Subsequence { k, decay, alphabet });

impl OnStrings for Subsequence {
    fn alphabet(&self) -> Alphabet {
        self.alphabet
    }

    fn shortest(&self) -> usize {
        self.k
    }
}

impl Compare for Subsequence {
    /// Lodhi's K' for every length below k and every prefix of the other string.
    type Scratch = Vec<Lanes>;

    #[inline(always)]
    fn compare(&self, own: &[u32], others: &Group, scratch: &mut Vec<Lanes>) -> Lanes {
        let (n, decay) = (others.symbols.len(), self.decay);
        let square = decay * decay;
        let mut sum = [0.0; LANES];
        if own.len() < self.k || n < self.k {
            return sum;
        }
        scratch.clear();
        scratch.resize(self.k * (n + 1), [0.0; LANES]);
        // The empty subsequence occurs once in every prefix.
        scratch[..=n].fill([1.0; LANES]);
        for &symbol in own {
            if budget::is_spent_after(2 * n) {
                break;
            }
            for length in (1..=self.k).rev() {
                if budget::is_spent_after(2 * n) {
                    break;
                }
                // The rows of this symbol replace those of earlier symbols, the longest subsequences first.
                let (shorter, rest) = scratch.split_at_mut(length * (n + 1));
                let shorter = &shorter[(length - 1) * (n + 1)..];
                if length == self.k {
                    for (symbols, before) in others.symbols.iter().zip(shorter) {
                        for lane in 0..LANES {
                            sum[lane] += if symbols[lane] == symbol { square * before[lane] } else { 0.0 };
                        }
                    }
                    continue;
                }
                let mut running = [0.0; LANES];
                for ((symbols, before), longer) in others.symbols.iter().zip(shorter).zip(&mut rest[1..=n]) {
                    for lane in 0..LANES {
                        let hit = if symbols[lane] == symbol { square * before[lane] } else { 0.0 };
                        running[lane] = decay * running[lane] + hit;
                        longer[lane] = decay * longer[lane] + running[lane];
                    }
                }
            }
        }
        sum
    }

    fn bytes(&self, own: usize, others: usize) -> u64 {
        let is_short = own < self.k || others < self.k;
        if is_short { 0 } else { budget::matrix_bytes(self.k, others + 1, size_of::<Lanes>()) }
    }
}

by_lanes!(Subsequence, |_| Definiteness::PositiveSemidefinite);
