//! The Hamming distance.

use super::Distance;
use crate::data::{Kind, Ragged, Strings};
use crate::error::Result;
use crate::numeric::math::vectorised;
use crate::traits::{Definiteness, Facts, Part, declared};

/// The share of positions where two objects differ: columns of categories, or characters of strings.
///
/// Strings should have equal length. Otherwise the additional characters of the longer string count as different, so
/// that the distance is a share of the longer length. Characters are Unicode scalar values, and case matters.
///
/// ```
/// use mercer_core::{data::Strings, distance::{HammingDistance, NegativeSquaredDistance}, gram::Engine};
/// let strings: Strings = ["karolin", "kathrin", "k"].into_iter().collect();
/// let d = Engine::new().distances(&NegativeSquaredDistance(HammingDistance), &strings)?;
/// assert!((d.at(0, 1) - 3.0 / 7.0).abs() < 1e-15);
/// assert!((d.at(0, 2) - 6.0 / 7.0).abs() < 1e-15);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Hamming 1950.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HammingDistance;

impl HammingDistance {
    /// Facts about this distance.
    pub const FACTS: Facts = Facts {
        name: "hamming-distance",
        summary: "The share of categorical columns, or of characters of strings, that differ.",
        formula: "d(x, y) = #{i: x_i ≠ y_i} / n, n the number of columns or the length of the longer string",
        takes: "categories, or strings of one length",
        kinds: &[Kind::Categories, Kind::Strings],
        definiteness: Definiteness::Indefinite,
        parameters: &[],
        cost: "n comparisons",
        reference: "Hamming 1950",
        example: "hamming-distance",
    };
}

declared!(HammingDistance);

/// Objects as lists of symbols that are compared for equality only.
pub type Symbols = Ragged<u64>;

/// The share of positions where two lists differ.
#[inline(always)]
fn share(own: &[u64], their: &[u64]) -> f64 {
    let longer = own.len().max(their.len());
    let equal: u64 = own.iter().zip(their).map(|(a, b)| u64::from(a == b)).sum();
    if longer == 0 { 0.0 } else { (longer as u64 - equal) as f64 / longer as f64 }
}

/// The distance on objects prepared as symbols.
macro_rules! on_symbols {
    () => {
        fn fill(&self, rows: Part<'_, Symbols>, cols: Part<'_, Symbols>, out: &mut [f64]) -> Result<()> {
            for (row, i) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.range.clone()) {
                let own = rows.set.row(i);
                vectorised(
                    #[inline(always)]
                    || {
                        row.iter_mut()
                            .zip(cols.range.clone())
                            .for_each(|(v, j)| *v = share(own, cols.set.row(j)))
                    },
                );
            }
            Ok(())
        }
    };
}

impl Distance<Strings> for HammingDistance {
    type Prepared = Symbols;

    fn prepare(&self, strings: &Strings) -> Result<Symbols> {
        Ok(Ragged::from_rows(strings.iter().map(|s| s.chars().map(u64::from))))
    }

    on_symbols!();
}

impl Distance<Symbols> for HammingDistance {
    type Prepared = Symbols;

    fn prepare(&self, objects: &Symbols) -> Result<Symbols> {
        Ok(objects.clone())
    }

    on_symbols!();
}
