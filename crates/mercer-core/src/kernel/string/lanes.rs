//! Kernels that compare two strings by dynamic programming: one string with several at a time, one SIMD lane each.
//!
//! The columns of a tile are processed in groups. Their symbols are interleaved; shorter strings are padded with
//! symbols that match nothing. A kernel then works on all lanes at once, in vector code. (Lanes along the diagonals of
//! one pair would need no padding, but a gather for every cell.)

use crate::budget;
use crate::data::{Alphabet, Ragged, Strings};
use crate::error::Result;
use crate::kernel::{Part, Prepared};
use crate::numeric::math::vectorised;
use crate::parallel;

/// Number of pairs that are compared at once.
pub(super) const LANES: usize = 8;

/// One number per lane.
pub(super) type Lanes = [f64; LANES];

/// Padding, and the code of column symbols outside the alphabet: it equals no symbol of a row.
const FILL: u32 = Alphabet::OUTSIDE - 1;

/// The codes of strings, and the self-similarity of each.
#[derive(Clone, Debug, Default)]
pub struct EncodedStrings {
    codes: Ragged<u32>,
    self_similarities: Vec<f64>,
}

impl EncodedStrings {
    pub(super) fn self_similarities(&self) -> &[f64] {
        &self.self_similarities
    }

    pub(super) fn get(&self, i: usize) -> &[u32] {
        self.codes.row(i)
    }
}

impl Prepared for EncodedStrings {
    fn len(&self) -> usize {
        self.self_similarities.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        EncodedStrings {
            codes: self.codes.select(chosen),
            self_similarities: self.self_similarities.select(chosen),
        }
    }
}

/// Several strings, interleaved.
pub(super) struct Group {
    /// The symbols of all lanes, position after position.
    pub(super) symbols: Vec<[u32; LANES]>,
    /// The length of each lane's string.
    pub(super) lengths: [usize; LANES],
}

/// A kernel that compares one string with several.
pub(super) trait Compare: Sync {
    /// Scratch memory.
    type Scratch: Default;

    /// The similarity of a string to each lane.
    ///
    /// Returns early if the budget is spent: implementations check after every row of cells.
    fn compare(&self, own: &[u32], others: &Group, scratch: &mut Self::Scratch) -> Lanes;

    /// The bytes needed to compare strings of these lengths.
    fn bytes(&self, own: usize, others: usize) -> u64;
}

/// An error if a comparison needs more memory than is available.
fn ask<K: Compare>(kernel: &K, own: usize, others: usize) -> Result<()> {
    budget::check_after(1)?;
    budget::ask("the table of two strings", kernel.bytes(own, others))
}

pub(super) fn prepare<K: Compare>(
    kernel: &K,
    strings: &Strings,
    alphabet: Alphabet,
) -> Result<EncodedStrings> {
    let one = |scratch: &mut K::Scratch, i: usize| -> Result<(Vec<u32>, f64)> {
        let mut codes = Vec::new();
        alphabet.encode(strings.get(i), &mut codes);
        ask(kernel, codes.len(), codes.len())?;
        let own = vectorised(
            #[inline(always)]
            || kernel.compare(&codes, &group(&[codes.as_slice()]), scratch),
        );
        Ok((codes, own[0]))
    };
    let all: Vec<Result<(Vec<u32>, f64)>> = parallel::map_with(strings.len(), 1, K::Scratch::default, one);
    let mut out = EncodedStrings::default();
    for one in all {
        let (codes, own) = one?;
        out.codes.push_row(codes);
        out.self_similarities.push(own);
    }
    budget::check().map(|()| out)
}

fn group(strings: &[&[u32]]) -> Group {
    let longest = strings.iter().map(|s| s.len()).max().unwrap_or(0);
    let mut group = Group { symbols: vec![[FILL; LANES]; longest], lengths: [0; LANES] };
    for (lane, s) in strings.iter().enumerate() {
        group.lengths[lane] = s.len();
        for (symbols, &code) in group.symbols.iter_mut().zip(*s) {
            symbols[lane] = if code == Alphabet::OUTSIDE { FILL } else { code };
        }
    }
    group
}

pub(super) fn fill<K: Compare>(
    kernel: &K,
    rows: &Part<'_, EncodedStrings>,
    cols: &Part<'_, EncodedStrings>,
    out: &mut [f64],
) -> Result<()> {
    let width = cols.len();
    let mut scratch = K::Scratch::default();
    for start in (0..width).step_by(LANES) {
        let end = (start + LANES).min(width);
        let strings: Vec<&[u32]> = (start..end).map(|j| cols.set.get(cols.range.start + j)).collect();
        let others = group(&strings);
        let longest = rows.range.clone().map(|i| rows.set.get(i).len()).max().unwrap_or(0);
        ask(kernel, longest, others.symbols.len())?;
        vectorised(
            #[inline(always)]
            || {
                for (row, i) in out.chunks_exact_mut(width).zip(rows.range.clone()) {
                    if budget::is_spent_after(1) {
                        break;
                    }
                    let values = kernel.compare(rows.set.get(i), &others, &mut scratch);
                    row[start..end].copy_from_slice(&values[..end - start]);
                }
            },
        );
    }
    budget::check()
}

/// The self-similarity of each string.
pub(super) fn diagonal<K: Compare>(kernel: &K, of: &Part<'_, EncodedStrings>, out: &mut [f64]) -> Result<()> {
    let start = of.range.start;
    let one = |scratch: &mut K::Scratch, i: usize| -> Result<f64> {
        let own = of.set.get(start + i);
        ask(kernel, own.len(), own.len())?;
        let values = vectorised(
            #[inline(always)]
            || kernel.compare(own, &group(&[own]), scratch),
        );
        Ok(values[0])
    };
    for (out, value) in out.iter_mut().zip(parallel::map_with(of.len(), 1, K::Scratch::default, one)) {
        *out = value?;
    }
    budget::check()
}

/// The implementation shared by kernels based on lanes.
macro_rules! by_lanes {
    ($kernel:ident, $definiteness:expr) => {
        by_lanes!($kernel, $definiteness, |_, _| Ok(()));
    };
    ($kernel:ident, $definiteness:expr, $check:expr) => {
        by_lanes!(@ $kernel, $definiteness, $check, {});
    };
    ($kernel:ident, $definiteness:expr, logarithms $logs:expr, $has:expr) => {
        by_lanes!(@ $kernel, $definiteness, |_, _| Ok(()), {
            fn log_fill(
                &self,
                rows: Part<'_, EncodedStrings>,
                cols: Part<'_, EncodedStrings>,
                out: &mut [f64],
            ) -> Result<bool> {
                let has: fn(&Self) -> bool = $has;
                if has(self) {
                    lanes::fill(&$logs(self), &rows, &cols, out)?;
                }
                Ok(has(self))
            }

            fn log_diagonal(&self, of: Part<'_, EncodedStrings>, out: &mut [f64]) -> Result<bool> {
                let has: fn(&Self) -> bool = $has;
                if has(self) {
                    lanes::diagonal(&$logs(self), &of, out)?;
                }
                Ok(has(self))
            }
        });
    };
    (@ $kernel:ident, $definiteness:expr, $check:expr, {$($more:item)*}) => {
        impl Kernel<Strings> for $kernel {
            type Prepared = EncodedStrings;

            fn prepare(&self, strings: &Strings) -> Result<EncodedStrings> {
                lanes::prepare(self, strings, self.alphabet)
            }

            fn fill(&self, rows: Part<'_, EncodedStrings>, cols: Part<'_, EncodedStrings>, out: &mut [f64]) -> Result<()> {
                let check: fn(&Part<'_, EncodedStrings>, &Part<'_, EncodedStrings>) -> Result<()> = $check;
                check(&rows, &cols)?;
                lanes::fill(self, &rows, &cols, out)
            }

            fn diagonal(&self, of: Part<'_, EncodedStrings>, out: &mut [f64]) -> Result<()> {
                out.copy_from_slice(&of.set.self_similarities()[of.range]);
                Ok(())
            }

            fn definiteness(&self) -> Definiteness {
                let definiteness: fn(&Self) -> Definiteness = $definiteness;
                definiteness(self)
            }

            fn tile_side(&self) -> usize {
                // Strings of some hundred symbols take milliseconds for this many pairs.
                64
            }

            $($more)*
        }
    };
}

pub(super) use by_lanes;
