//! k-mers at the same position.

use std::fmt;

use super::kmers::Words;
use super::lanes::{self, Compare, EncodedStrings, Group, LANES, Lanes, by_lanes};
use super::{ALPHABET, OnStrings, STRINGS};
use crate::budget;
use crate::data::{Alphabet, Strings};
use crate::error::{Error, Result};
use crate::kernel::counts::{Bag, Counting, Describe, Visit, named_counts};
use crate::kernel::{Definiteness, Domain, Facts, Features, Kernel, Parameter, Part, declared};

/// The maximum length of k-mers.
pub(super) const D: Parameter = Parameter {
    name: "d",
    default: "5",
    domain: Domain::Whole(1, 10_000),
    doc: "maximum length of the k-mers",
    alias: None,
};

/// k-mers of at most d symbols that two strings have at the same position; shorter ones have larger weights.
///
/// k(x, y) = Σ_{l=1..d} β_l·#{i: x and y agree on the l symbols from i on}, β_l = 2(d - l + 1)/(d(d + 1)). It is
/// defined for strings of one length around some site; strings of unequal lengths are an error.
///
/// A run of r equal symbols adds Σ r'(2d + 1 - r')/(d(d + 1)) over its symbols, where r' is the smaller of d and the
/// position in the run. So each symbol is visited once, for any d.
///
/// ```
/// use mercer_core::{data::Strings, gram::Engine, kernel::string::WeightedDegree};
/// let strings: Strings = ["ACGT", "ACTT"].into_iter().collect();
/// let k = Engine::new().gram(&WeightedDegree::new(2)?, &strings)?;
/// assert!((k.at(0, 1) - (3.0 * 2.0 / 3.0 + 1.0 / 3.0)).abs() < 1e-15); // A, C, T of one symbol, AC of two
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Rätsch & Sonnenburg 2004, Accurate splice site detection for Caenorhabditis elegans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightedDegree {
    d: usize,
    alphabet: Alphabet,
}

impl WeightedDegree {
    /// k-mers of at most d symbols, d from 1 to 10000.
    pub fn new(d: usize) -> Result<Self> {
        Self::FACTS.check("d", d as f64)?;
        Ok(WeightedDegree { d, alphabet: Alphabet::Unicode })
    }

    /// The same kernel on symbols of an alphabet.
    #[must_use]
    pub fn over(self, alphabet: Alphabet) -> Self {
        WeightedDegree { alphabet, ..self }
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "weighted-degree",
        summary: "Shared k-mers of at most d symbols at the same position.",
        formula: "Σ_{l=1..d} 2(d-l+1)/(d(d+1)) · #{i: x and y agree on l symbols from i on}",
        takes: "strings of one length",
        kinds: STRINGS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[D, ALPHABET],
        cost: "the length of the strings",
        reference: "Rätsch & Sonnenburg 2004",
        example: "weighted-degree(d=5)",
    };
}

declared!(WeightedDegree { d, alphabet });

impl OnStrings for WeightedDegree {
    fn alphabet(&self) -> Alphabet {
        self.alphabet
    }

    fn shortest(&self) -> usize {
        1
    }
}

/// The features of [`WeightedDegree`]: k-mers with their positions, weighted by √β_l.
#[doc(hidden)]
pub struct PositionedWords(pub WeightedDegree);

impl PositionedWords {
    /// Calls `visit` with the key, the start and the length of every k-mer. The key ends in the length.
    fn each(&self, codes: &[u32], mut visit: impl FnMut(u128, usize, usize)) -> Result<()> {
        let kernel = &self.0;
        let most = kernel.d.min(codes.len());
        budget::ask("k-mers by position", 32 * (most * codes.len()) as u64)?;
        for length in 1..=most {
            budget::check_after(codes.len() * length)?;
            let words = Words { alphabet: kernel.alphabet, complement: false };
            words.each(codes, length..=length, |key, start, length| {
                let mixed = (key ^ start as u128).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
                visit((mixed ^ mixed >> 64) << LENGTH_BITS | length as u128, start, length);
            });
        }
        Ok(())
    }
}

/// Bits of a key for the length of its k-mer.
const LENGTH_BITS: u32 = 14;

impl fmt::Display for PositionedWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl OnStrings for PositionedWords {
    fn alphabet(&self) -> Alphabet {
        self.0.alphabet
    }

    fn shortest(&self) -> usize {
        1
    }
}

impl Counting for PositionedWords {
    type Objects = Strings;

    fn count(&self, codes: &[u32], bag: &mut Bag) -> Result<()> {
        self.each(codes, |key, _, _| bag.add(key))
    }
}

impl Describe for PositionedWords {
    fn describe(&self, codes: &[u32], visit: Visit<'_>) -> Result<()> {
        let words = Words { alphabet: self.0.alphabet, complement: false };
        self.each(codes, |key, start, length| {
            let name = || format!("{} at {start}", words.name(&codes[start..start + length]));
            visit(key, &[start as u32], &name);
        })
    }

    fn named(&self, strings: &Strings) -> Result<Features> {
        let mut lengths = strings.iter().map(|text| self.0.alphabet.length(text)).enumerate();
        let expected = lengths.next().map_or(0, |(_, length)| length);
        match lengths.find(|(_, length)| *length != expected) {
            Some((index, found)) => Err(unequal("weighted-degree", index, found, expected)),
            None => named_counts(self, strings),
        }
    }

    fn scale(&self, hash: u128) -> f64 {
        let (d, length) = (self.0.d as f64, (hash % (1 << LENGTH_BITS)) as f64);
        (2.0 * (d - length + 1.0) / (d * (d + 1.0))).sqrt()
    }
}

/// Symbols compared between two checks of the budget.
const STRETCH: usize = 1 << 14;

impl Compare for WeightedDegree {
    type Scratch = ();

    #[inline(always)]
    fn compare(&self, own: &[u32], others: &Group, _room: &mut ()) -> Lanes {
        let most = self.d as f64;
        let (mut run, mut sum) = ([0.0; LANES], [0.0; LANES]);
        for (own, others) in own.chunks(STRETCH).zip(others.symbols.chunks(STRETCH)) {
            if budget::is_spent_after(4 * own.len()) {
                break;
            }
            for (&symbol, symbols) in own.iter().zip(others) {
                for lane in 0..LANES {
                    let longer: f64 = run[lane] + 1.0;
                    let longer = if longer > most { most } else { longer };
                    run[lane] = if symbols[lane] == symbol { longer } else { 0.0 };
                    // Whole numbers: exact in any order.
                    sum[lane] += run[lane] * (2.0 * most + 1.0 - run[lane]);
                }
            }
        }
        sum.map(|s| s / (most * (most + 1.0)))
    }

    fn bytes(&self, _own: usize, _others: usize) -> u64 {
        0
    }
}

by_lanes!(WeightedDegree, |_| Definiteness::PositiveSemidefinite, |rows, cols| one_length(
    "weighted-degree",
    rows,
    cols
));

/// An error for strings of unequal lengths: positions beyond the end of one of them have no meaning.
pub(super) fn one_length(
    kernel: &str,
    rows: &Part<'_, EncodedStrings>,
    cols: &Part<'_, EncodedStrings>,
) -> Result<()> {
    let length = |part: &Part<'_, EncodedStrings>, i: usize| part.set.get(part.range.start + i).len();
    let Some(expected) = (!cols.is_empty() && !rows.is_empty()).then(|| length(cols, 0)) else {
        return Ok(());
    };
    let other = |part: &Part<'_, EncodedStrings>| {
        (0..part.len()).map(|i| (part.range.start + i, length(part, i))).find(|(_, found)| *found != expected)
    };
    // New objects are rows; the strings already present determine the length.
    match other(cols).or_else(|| other(rows)) {
        None => Ok(()),
        Some((index, found)) => Err(unequal(kernel, index, found, expected)),
    }
}

fn unequal(kernel: &str, index: usize, found: usize, expected: usize) -> Error {
    Error::Object {
        index,
        reason: format!(
            "has {found} symbols where others have {expected}; {kernel} compares strings of one length"
        ),
        hint: Some(
            "cut all strings to one window around the site, or use spectrum(…), which takes any length"
                .into(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::Engine;
    use crate::kernel::FeatureMap;

    /// Features are k-mers at positions, and their inner products are the kernel.
    #[test]
    fn features_give_the_kernel() {
        let strings: Strings = ["ACGTAC", "ACTTAC", "TTTTTT", "ACGTAN"].into_iter().collect();
        for (d, alphabet) in [(1, Alphabet::Unicode), (3, Alphabet::Dna), (9, Alphabet::Unicode)] {
            let kernel = WeightedDegree::new(d).unwrap().over(alphabet);
            let gram = Engine::new().gram(&kernel, &strings).unwrap();
            let features = PositionedWords(kernel).features(&strings).unwrap();
            let rows = features.values.to_dense();
            for i in 0..4 {
                for j in 0..4 {
                    let product: f64 = rows.row(i).iter().zip(rows.row(j)).map(|(a, b)| a * b).sum();
                    assert!((product - gram.at(i, j)).abs() < 1e-12, "{d} {i} {j}: {product}");
                }
            }
        }
        let features = PositionedWords(WeightedDegree::new(2).unwrap()).features(&strings).unwrap();
        assert!(features.names.contains(&"AC at 4".to_owned()), "{:?}", features.names);
        let unequal: Strings = ["ACG", "AC"].into_iter().collect();
        assert!(PositionedWords(WeightedDegree::new(2).unwrap()).features(&unequal).is_err());
    }
}
