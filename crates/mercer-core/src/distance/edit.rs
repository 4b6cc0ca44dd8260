//! The edit distance.

use super::Distance;
use crate::budget;
use crate::data::{Kind, Ragged, Strings};
use crate::error::Result;
use crate::numeric::math;
use crate::traits::{Definiteness, Domain, Facts, OneOf, Parameter, Part, declared};

/// The edit distance: the minimum number of insertions, deletions and replacements that turn one string into the other.
///
/// Symbols are Unicode scalar values, and case matters. With `scale=longest` it is divided by the length of the longer
/// string. Sixty-four cells of the dynamic programme are computed at once, as bits of a word; a string of at most 64
/// symbols is compared with eight ASCII strings at a time.
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

/// Number of strings that one is compared with at once.
const LANES: usize = 8;

/// Several ASCII strings, their symbols interleaved.
struct Group {
    symbols: Vec<[u8; LANES]>,
    lengths: [usize; LANES],
}

impl Group {
    /// `None` if a string has a symbol that is not ASCII.
    fn of(strings: [&[char]; LANES]) -> Option<Self> {
        let longest = strings.iter().map(|s| s.len()).max().unwrap_or(0);
        let mut symbols = vec![[0; LANES]; longest];
        for (lane, string) in strings.iter().enumerate() {
            for (symbols, &symbol) in symbols.iter_mut().zip(*string) {
                symbols[lane] = u8::try_from(symbol).ok().filter(u8::is_ascii)?;
            }
        }
        Some(Group { symbols, lengths: strings.map(<[char]>::len) })
    }

    /// The distances to a string of 1 to 64 symbols, given by the positions of each ASCII symbol in it as bits.
    #[inline(always)]
    fn distances(&self, positions: &[u64; 128], length: usize) -> [usize; LANES] {
        let shift = length - 1;
        let (mut up, mut down) = ([u64::MAX; LANES], [0u64; LANES]);
        let mut score = [length as u64; LANES];
        let lengths = self.lengths.map(|length| length as u64);
        for (at, symbols) in self.symbols.iter().enumerate() {
            let equal = symbols.map(|symbol| positions[usize::from(symbol & 127)]);
            for lane in 0..LANES {
                let reach = equal[lane] | down[lane];
                let diagonal = (((equal[lane] & up[lane]).wrapping_add(up[lane])) ^ up[lane]) | equal[lane];
                let more = down[lane] | !(diagonal | up[lane]);
                let less = up[lane] & diagonal;
                // Strings that have ended keep their score.
                let live = u64::from((at as u64) < lengths[lane]);
                score[lane] = score[lane] + ((more >> shift) & live) - ((less >> shift) & live);
                let more = more << 1 | 1;
                up[lane] = less << 1 | !(reach | more);
                down[lane] = more & reach;
            }
        }
        score.map(|score| score as usize)
    }
}

impl EditDistance {
    fn scaled(self, distance: usize, a: usize, b: usize) -> f64 {
        let distance = distance as f64;
        if self.by_length { distance / a.max(b).max(1) as f64 } else { distance }
    }
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
        let starts = cols.range.clone().step_by(LANES);
        let group = |start: usize| {
            let whole = start + LANES <= cols.range.end;
            whole.then(|| Group::of(std::array::from_fn(|lane| cols.set.row(start + lane)))).flatten()
        };
        let groups: Vec<Option<Group>> = starts.map(group).collect();
        let mut scratch = Vec::new();
        for (row, i) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.range.clone()) {
            let own = rows.set.row(i);
            let short = (1..=64).contains(&own.len());
            let mut ascii = [0u64; 128];
            for (at, symbol) in own.iter().enumerate().filter(|(_, symbol)| short && symbol.is_ascii()) {
                ascii[*symbol as usize] |= 1 << at;
            }
            // The general form, made when it is needed.
            let mut positions = None;
            for ((values, group), start) in
                row.chunks_mut(LANES).zip(&groups).zip(cols.range.clone().step_by(LANES))
            {
                if let (true, Some(group)) = (short, group) {
                    budget::check_after(group.symbols.len() * LANES)?;
                    let found = math::vectorised(
                        #[inline(always)]
                        || group.distances(&ascii, own.len()),
                    );
                    for ((v, distance), other) in values.iter_mut().zip(found).zip(group.lengths) {
                        *v = self.scaled(distance, own.len(), other);
                    }
                    continue;
                }
                if positions.is_none() {
                    positions = Some(Positions::of(own)?);
                }
                let Some(positions) = &positions else { continue };
                for (v, j) in values.iter_mut().zip(start..) {
                    if budget::is_spent_after(1) {
                        return budget::check();
                    }
                    let other = cols.set.row(j);
                    let found = distance(positions, own.len(), other, &mut scratch);
                    *v = self.scaled(found, own.len(), other.len());
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

    /// Tiles mix strings that are compared in groups with longer ones, empty ones, and some that are not ASCII.
    #[test]
    fn distances_of_groups_equal_the_full_table() {
        let mut random = Random::new(9);
        for round in 0..30 {
            let symbols: Vec<char> = if round % 3 == 0 { "abé" } else { "abcd" }.chars().collect();
            let longest = [3, 20, 66][round % 3];
            let mut string = || -> String {
                let length = random.below(longest + 1);
                (0..length).map(|_| symbols[random.below(symbols.len())]).collect()
            };
            let texts: Vec<String> = (0..21).map(|_| string()).collect();
            let strings: Strings = texts.iter().map(String::as_str).collect();
            let set = EditDistance::default().prepare(&strings).unwrap();
            let mut out = vec![f64::NAN; 21 * 21];
            let all = || Part::new(&set, 0..21);
            EditDistance::default().fill(all(), all(), &mut out).unwrap();
            for (at, found) in out.iter().enumerate() {
                let chars = |i: usize| texts[i].chars().collect::<Vec<char>>();
                let (a, b) = (chars(at / 21), chars(at % 21));
                assert_eq!(*found, table(&a, &b) as f64, "{a:?} {b:?}");
            }
        }
    }
}
