//! k-mers at the same position.

use super::lanes::{self, Compare, EncodedStrings, Group, LANES, Lanes, by_lanes};
use super::{ALPHABET, OnStrings, STRINGS};
use crate::budget;
use crate::data::{Alphabet, Strings};
use crate::error::{Error, Result};
use crate::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, Part, declared};

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
        parameters: &[
            Parameter {
                name: "d",
                default: "5",
                domain: Domain::Whole(1, 10_000),
                doc: "maximum length of the k-mers",
                alias: None,
            },
            ALPHABET,
        ],
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

by_lanes!(WeightedDegree, |_| Definiteness::PositiveSemidefinite, one_length);

/// An error for strings of unequal lengths: positions beyond the end of one of them have no meaning.
fn one_length(rows: &Part<'_, EncodedStrings>, cols: &Part<'_, EncodedStrings>) -> Result<()> {
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
        Some((index, found)) => Err(Error::Object {
            index,
            reason: format!(
                "has {found} symbols where others have {expected}; weighted-degree compares strings of one length"
            ),
            hint: Some(
                "cut all strings to one window around the site, or use spectrum(…), which takes any length"
                    .into(),
            ),
        }),
    }
}
