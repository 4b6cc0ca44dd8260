//! The edit distance.

use super::Distance;
use crate::budget;
use crate::data::{Kind, Ragged, Strings};
use crate::error::Result;
use crate::traits::{Definiteness, Domain, Facts, OneOf, Parameter, Part, declared};

/// The edit distance: the minimum number of insertions, deletions and replacements that turn one string into the other.
///
/// Symbols are Unicode scalar values, and case matters. With `scale=longest` it is divided by the length of the longer
/// string. Sixty-four cells of the dynamic programme are computed at once, as bits of a word.
///
/// ```
/// use mercer_core::{data::Strings, distance::{EditDistance, NegativeSquaredDistance}, gram::Engine};
/// let strings: Strings = ["kitten", "sitting", ""].into_iter().collect();
/// let d = Engine::new().distances(&NegativeSquaredDistance(EditDistance::default()), &strings)?;
/// assert_eq!((d.at(0, 1), d.at(0, 2)), (3.0, 6.0));
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Levenshtein 1966; Myers 1999, A fast bit-vector algorithm for approximate string matching; Hyyrö 2003.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EditDistance {
    by_length: bool,
}

impl EditDistance {
    /// The distance divided by the length of the longer string.
    pub fn by_length() -> Self {
        EditDistance { by_length: true }
    }

    /// Facts about this distance.
    pub const FACTS: Facts = Facts {
        name: "edit-distance",
        summary: "The minimum number of characters to insert, delete or replace to turn one string into the other.",
        formula: "d(x, y) = the least number of insertions, deletions and replacements (Levenshtein)",
        takes: "strings",
        kinds: &[Kind::Strings, Kind::Text],
        definiteness: Definiteness::Indefinite,
        parameters: &[Parameter {
            name: "scale",
            default: "none",
            domain: Domain::Word(ByLength::WORDS),
            doc: "divide by the length of the longer string (longest), or do not divide (none)",
            alias: None,
        }],
        cost: "|x|·|y|/64",
        reference: "Levenshtein 1966; Myers 1999",
        example: "rbf-of(edit-distance, gamma=0.01)",
    };
}

/// The words for the scale: whether distances are divided by a length.
#[derive(Clone, Copy, PartialEq)]
struct ByLength(bool);

impl OneOf for ByLength {
    const WORDS: &'static [&'static str] = &["none", "longest"];
    const ALL: &'static [ByLength] = &[ByLength(false), ByLength(true)];
}

declared!(EditDistance(by_length as ByLength) => {
    let ByLength(by_length) = by_length;
    Ok(EditDistance { by_length })
});

/// The positions of each symbol in a string, as bits.
struct Positions {
    symbols: Vec<char>,
    words: usize,
    /// The bits of each symbol; after them those of all other symbols, which are zero.
    bits: Vec<u64>,
    /// The number of each ASCII symbol.
    ascii: [u32; 128],
}

impl Positions {
    fn of(string: &[char]) -> Result<Self> {
        let words = string.len().div_ceil(64);
        let mut symbols = string.to_vec();
        symbols.sort_unstable();
        symbols.dedup();
        budget::ask("positions of symbols", budget::matrix_bytes(symbols.len() + 1, words, 8))?;
        let mut bits = vec![0u64; (symbols.len() + 1) * words];
        for (i, symbol) in string.iter().enumerate() {
            if let Ok(number) = symbols.binary_search(symbol) {
                bits[number * words + i / 64] |= 1 << (i % 64);
            }
        }
        let mut ascii = [symbols.len() as u32; 128];
        for (number, &symbol) in symbols.iter().enumerate().filter(|(_, l)| l.is_ascii()) {
            ascii[symbol as usize] = number as u32;
        }
        Ok(Positions { symbols, words, bits, ascii })
    }

    #[inline(always)]
    fn get(&self, symbol: char) -> &[u64] {
        let number = match self.ascii.get(symbol as usize) {
            Some(number) => *number as usize,
            None => self.symbols.binary_search(&symbol).unwrap_or(self.symbols.len()),
        };
        &self.bits[number * self.words..(number + 1) * self.words]
    }
}

/// The distance of a string of `length` symbols, given by its positions, to another.
fn distance(positions: &Positions, length: usize, other: &[char], scratch: &mut Vec<(u64, u64)>) -> usize {
    if length == 0 {
        return other.len();
    }
    // Where the table increases and decreases from one row to the next, one bit each.
    scratch.clear();
    scratch.resize(positions.words, (u64::MAX, 0));
    let last = 1u64 << ((length - 1) % 64);
    let mut score = length;
    for &symbol in other {
        if budget::is_spent_after(positions.words) {
            break;
        }
        // In the top row each symbol of the other string is an insertion.
        let (mut grows, mut falls) = (1u64, 0u64);
        let top = positions.words - 1;
        for (w, ((up, down), &equal)) in scratch.iter_mut().zip(positions.get(symbol)).enumerate() {
            let reach = equal | *down;
            let equal = equal | falls;
            let diagonal = (((equal & *up).wrapping_add(*up)) ^ *up) | equal;
            let mut more = *down | !(diagonal | *up);
            let mut less = *up & diagonal;
            if w == top {
                score += usize::from(more & last != 0);
                score -= usize::from(less & last != 0);
            }
            let (next_more, next_less) = (more >> 63, less >> 63);
            more = more << 1 | grows;
            less = less << 1 | falls;
            *up = less | !(reach | more);
            *down = more & reach;
            (grows, falls) = (next_more, next_less);
        }
    }
    score
}

impl Distance<Strings> for EditDistance {
    type Prepared = Ragged<char>;

    fn prepare(&self, strings: &Strings) -> Result<Ragged<char>> {
        Ok(Ragged::from_rows(strings.iter().map(str::chars)))
    }

    fn fill(
        &self,
        rows: Part<'_, Ragged<char>>,
        cols: Part<'_, Ragged<char>>,
        out: &mut [f64],
    ) -> Result<()> {
        let mut scratch = Vec::new();
        for (row, i) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.range.clone()) {
            let own = rows.set.row(i);
            let positions = Positions::of(own)?;
            for (v, j) in row.iter_mut().zip(cols.range.clone()) {
                if budget::is_spent_after(1) {
                    return budget::check();
                }
                let other = cols.set.row(j);
                *v = distance(&positions, own.len(), other, &mut scratch) as f64;
                if self.by_length {
                    *v /= own.len().max(other.len()).max(1) as f64;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn table(a: &[char], b: &[char]) -> usize {
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.iter().enumerate() {
            let mut corner = i;
            row[0] = i + 1;
            for (j, y) in b.iter().enumerate() {
                let next = (corner + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
                corner = row[j + 1];
                row[j + 1] = next;
            }
        }
        row[b.len()]
    }

    #[test]
    fn bit_parallel_distances_equal_the_full_table() {
        let mut random = Random::new(8);
        let symbols: Vec<char> = "abcé€".chars().collect();
        for round in 0..400 {
            let longest = [5, 70, 140, 200][round % 4];
            let few = 1 + random.below(symbols.len());
            let mut string = || -> Vec<char> {
                let length = random.below(longest);
                (0..length).map(|_| symbols[random.below(few)]).collect()
            };
            let (a, b) = (string(), string());
            let found = distance(&Positions::of(&a).unwrap(), a.len(), &b, &mut Vec::new());
            assert_eq!(found, table(&a, &b), "{a:?} {b:?}");
        }
    }
}
