//! k-mers at about the same position.

use super::lanes::{self, Compare, EncodedStrings, Group, LANES, Lanes, by_lanes};
use super::weighted_degree::{D, one_length};
use super::{ALPHABET, OnStrings, STRINGS};
use crate::budget;
use crate::data::{Alphabet, Strings};
use crate::error::Result;
use crate::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, Part, declared};

/// k-mers of at most d symbols that two strings have at the same position, or shifted by at most `shift` positions.
///
/// k(x, y) = Σ_{s=-S..S} δ_s·Σ_{l=1..d} β_l·#{i: x and y agree on l symbols from i in x and from i + s in y on}, where
/// β_l = 2(d - l + 1)/(d(d + 1)) as in [`WeightedDegree`](super::WeightedDegree), δ_0 = 1 and δ_s = 1/(2(|s| + 1)). A shift
/// of 0 is [`WeightedDegree`](super::WeightedDegree) itself. Strings of unequal lengths are an error.
///
/// It is positive semidefinite for every S: positions are compared by a Toeplitz matrix whose symbol
/// 1 + Σ_s cos(sθ)/(s + 1) is at least ½ (Rogosinski & Szegő 1928).
///
/// ```
/// use mercer_core::{data::Strings, gram::Engine, kernel::string::WeightedDegreeShifts};
/// let strings: Strings = ["ACG", "TAC"].into_iter().collect();
/// let k = Engine::new().gram(&WeightedDegreeShifts::new(1, 1)?, &strings)?;
/// assert_eq!(k.at(0, 1), 2.0 / 4.0); // A and C, shifted by one
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Rätsch, Sonnenburg & Schölkopf 2005, RASE: recognition of alternatively spliced exons in C. elegans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeightedDegreeShifts {
    d: usize,
    shift: usize,
    alphabet: Alphabet,
}

impl WeightedDegreeShifts {
    /// k-mers of at most d symbols, d from 1 to 10000, shifted by at most `shift` positions, up to 1000.
    pub fn new(d: usize, shift: usize) -> Result<Self> {
        Self::FACTS.check("d", d as f64)?;
        Self::FACTS.check("shift", shift as f64)?;
        Ok(WeightedDegreeShifts { d, shift, alphabet: Alphabet::Unicode })
    }

    /// The same kernel on symbols of an alphabet.
    #[must_use]
    pub fn over(self, alphabet: Alphabet) -> Self {
        WeightedDegreeShifts { alphabet, ..self }
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "weighted-degree-shifts",
        summary: "Shared k-mers of at most d symbols at positions that differ by at most a shift.",
        formula: "Σ_{s=-S..S} δ_s Σ_{l=1..d} 2(d-l+1)/(d(d+1)) · #{i: x from i and y from i+s on agree on l symbols}, δ_0 = 1, δ_s = 1/(2(|s|+1))",
        takes: "strings of one length",
        kinds: STRINGS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            D,
            Parameter {
                name: "shift",
                default: "3",
                domain: Domain::Whole(0, 1000),
                doc: "maximum difference S of the positions",
                alias: None,
            },
            ALPHABET,
        ],
        cost: "2·shift + 1 times the length of the strings",
        reference: "Rätsch, Sonnenburg & Schölkopf 2005",
        example: "weighted-degree-shifts(d=5, shift=3)",
    };
}

declared!(WeightedDegreeShifts { d, shift, alphabet });

impl OnStrings for WeightedDegreeShifts {
    fn alphabet(&self) -> Alphabet {
        self.alphabet
    }

    fn shortest(&self) -> usize {
        1
    }
}

/// Symbols compared between two checks of the budget.
const STRETCH: usize = 1 << 14;

impl WeightedDegreeShifts {
    /// Σ over symbols of r(2d + 1 - r), where r is the smaller of d and the place in a run of equal symbols.
    #[inline(always)]
    fn runs(&self, own: &[u32], others: &[[u32; LANES]]) -> Lanes {
        let most = self.d as f64;
        let (mut run, mut sum) = ([0.0; LANES], [0.0; LANES]);
        for (own, others) in own.chunks(STRETCH).zip(others.chunks(STRETCH)) {
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
        sum
    }
}

impl Compare for WeightedDegreeShifts {
    type Scratch = ();

    #[inline(always)]
    fn compare(&self, own: &[u32], others: &Group, _room: &mut ()) -> Lanes {
        let symbols = others.symbols.as_slice();
        let mut total = self.runs(own, symbols);
        for s in 1..=self.shift.min(own.len().max(symbols.len())) {
            let after = self.runs(own, symbols.get(s..).unwrap_or_default());
            let before = self.runs(own.get(s..).unwrap_or_default(), symbols);
            for lane in 0..LANES {
                // Both directions first: the sum is the same for either order of the strings.
                total[lane] += (after[lane] + before[lane]) / (2 * (s + 1)) as f64;
            }
        }
        let d = self.d as f64;
        total.map(|s| s / (d * (d + 1.0)))
    }

    fn bytes(&self, _own: usize, _others: usize) -> u64 {
        0
    }
}

by_lanes!(WeightedDegreeShifts, |_| Definiteness::PositiveSemidefinite, |rows, cols| one_length(
    "weighted-degree-shifts",
    rows,
    cols
));
