//! The Hamming distance.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::Distance;
use crate::budget;
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

/// Lists of one length are compared by codes of 16 bits, which number the symbols of a tile: 32 pairs at a time. `None` if
/// lengths differ or there are too many symbols.
struct Coded {
    length: usize,
    /// The codes of every row, one list after the other.
    rows: Vec<u16>,
    /// The codes of all columns at the first position, then at the second, …
    cols: Vec<u16>,
}

impl Coded {
    fn of(rows: &Part<'_, Symbols>, cols: &Part<'_, Symbols>) -> Option<Self> {
        let length = rows.set.row(rows.range.clone().next()?).len();
        let own = |i: usize| rows.set.row(i);
        let their = |j: usize| cols.set.row(j);
        let same = rows.range.clone().all(|i| own(i).len() == length)
            && cols.range.clone().all(|j| their(j).len() == length);
        if !same || length == 0 || length > usize::from(u16::MAX) {
            return None;
        }
        let mut codes: HashMap<u64, u16, BuildHasherDefault<Spread>> = HashMap::default();
        let mut code = |symbol: u64| -> Option<u16> {
            let next = u16::try_from(codes.len()).ok()?;
            Some(*codes.entry(symbol).or_insert(next))
        };
        let left: Option<Vec<u16>> = rows.range.clone().flat_map(own).map(|s| code(*s)).collect();
        let width = cols.len();
        let mut right = vec![0; width * length];
        for (at, j) in cols.range.clone().enumerate() {
            for (place, symbol) in right[at..].iter_mut().step_by(width).zip(their(j)) {
                *place = code(*symbol)?;
            }
        }
        Some(Coded { length, rows: left?, cols: right })
    }

    fn fill(&self, out: &mut [f64]) {
        let width = self.cols.len() / self.length;
        let mut equal = vec![0u16; width];
        for (row, own) in out.chunks_exact_mut(width).zip(self.rows.chunks_exact(self.length)) {
            if budget::is_spent_after(self.cols.len() / 16) {
                return;
            }
            vectorised(
                #[inline(always)]
                || {
                    equal.fill(0);
                    for (code, theirs) in own.iter().zip(self.cols.chunks_exact(width)) {
                        for (equal, their) in equal.iter_mut().zip(theirs) {
                            *equal += u16::from(their == code);
                        }
                    }
                    for (v, &equal) in row.iter_mut().zip(&equal) {
                        *v = f64::from(self.length as u32 - u32::from(equal)) / self.length as f64;
                    }
                },
            );
        }
    }
}

/// Spreads symbols, which are characters or hashes, over the bits that a table uses.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn write_u64(&mut self, symbol: u64) {
        let product = symbol.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ (product >> 32);
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&b| self.write_u64(self.0.rotate_left(8) ^ u64::from(b)));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The distance on objects prepared as symbols.
macro_rules! on_symbols {
    () => {
        fn fill(&self, rows: Part<'_, Symbols>, cols: Part<'_, Symbols>, out: &mut [f64]) -> Result<()> {
            // Codes take as long as some comparisons.
            let many = rows.len() >= FEW && cols.len() >= FEW;
            if let Some(coded) = many.then(|| Coded::of(&rows, &cols)).flatten() {
                coded.fill(out);
                return Ok(());
            }
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

/// Fewer objects are compared list by list.
const FEW: usize = 32;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// Tiles of codes have the bits of single comparisons: few and many symbols, large ones, and lists of any length.
    #[test]
    fn tiles_agree_with_single_pairs() {
        let mut random = Random::new(9);
        for (count, length, symbols, large) in [
            (70, 22, 6, false),
            (40, 1, 2, true),
            (64, 300, 1 << 20, true),
            (300, 250, 1 << 40, false),
            (33, 0, 1, false),
        ] {
            let shift = if large { u64::MAX - (1 << 41) } else { 0 };
            let mut symbol = || shift + random.below(symbols) as u64;
            let set: Symbols =
                Ragged::from_rows((0..count).map(|_| (0..length).map(|_| symbol()).collect::<Vec<_>>()));
            agrees(&set);
        }
        // One list is longer.
        let long = |i: u64| (0..10 + u64::from(i == 20)).map(|p| p * i % 3).collect::<Vec<_>>();
        agrees(&Ragged::from_rows((0..50).map(long)));
    }

    fn agrees(set: &Symbols) {
        let mut tile = vec![f64::NAN; set.len() * set.len()];
        Distance::<Symbols>::fill(&HammingDistance, Part::all(set), Part::all(set), &mut tile).unwrap();
        let mut got = tile.iter();
        for i in 0..set.len() {
            for j in 0..set.len() {
                let want = share(set.row(i), set.row(j));
                assert_eq!(got.next().unwrap().to_bits(), want.to_bits(), "{i} {j}");
            }
        }
    }
}
