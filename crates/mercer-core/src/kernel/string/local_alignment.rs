//! The local alignment kernel.

use std::fmt;

use super::lanes::{self, Compare, EncodedStrings, Group, LANES, Lanes, by_lanes};
use super::{ALPHABET, OnStrings, STRINGS};
use crate::budget;
use crate::data::{Alphabet, Dense, Strings};
use crate::error::{Error, Result};
use crate::gram::eigenvalues;
use crate::kernel::{
    Definiteness, Domain, Facts, Kernel, Parameter, ParameterValue, Part, Printer, Settings, declared,
};

/// The sum of e^(β·score) over all local alignments of two strings.
///
/// An alignment pairs symbols in order. Its score is the sum of the scores of its pairs minus open + extend·(g - 1) for
/// every gap of g symbols on either side. All alignments count, including the empty one, not only the best as in the
/// Smith-Waterman score. It is therefore a kernel wherever e^(β·scores) is one on symbols. Values grow exponentially
/// with length. Use `normalize`, which works with logarithms and accepts strings of any length, or `log`, which gives
/// ln(k)/β. The latter is close to the best score but is not a kernel.
///
/// ```
/// use mercer_core::{data::Strings, gram::Engine, kernel::string::LocalAlignment};
/// let strings: Strings = ["A", "C"].into_iter().collect();
/// let k = Engine::new().gram(&LocalAlignment::new(0.5)?, &strings)?;
/// assert!((k.at(0, 0) - (1.0 + 0.5f64.exp())).abs() < 1e-15);
/// assert!((k.at(0, 1) - (1.0 + (-0.5f64).exp())).abs() < 1e-15);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Saigo, Vert, Ueda & Akutsu 2004, Protein homology detection using string alignment kernels.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalAlignment {
    beta: f64,
    open: f64,
    extend: f64,
    scores: Scores,
    log: bool,
    alphabet: Alphabet,
    definiteness: Definiteness,
    /// e^(β·score) of each pair of amino acids, if scores come from a table.
    table: Vec<f64>,
}

/// Scores of pairs of symbols.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scores {
    /// One score for equal symbols, another for unequal ones.
    Match {
        /// Score of equal symbols.
        equal: f64,
        /// Score of unequal symbols.
        unequal: f64,
    },
    /// BLOSUM62, for the alphabet of proteins.
    Blosum62,
}

impl LocalAlignment {
    /// Equal symbols score 1, unequal ones -1, and a gap of g symbols -(2 + g - 1).
    pub fn new(beta: f64) -> Result<Self> {
        LocalAlignment::with(beta, 2.0, 1.0, Scores::Match { equal: 1.0, unequal: -1.0 }, Alphabet::Unicode)
    }

    /// With all parameters: beta above 0, the costs of opening and extending a gap, the scores, and the alphabet.
    pub fn with(beta: f64, open: f64, extend: f64, scores: Scores, alphabet: Alphabet) -> Result<Self> {
        Self::FACTS.check("beta", beta)?;
        Self::FACTS.check("open", open)?;
        Self::FACTS.check("extend", extend)?;
        let (table, definiteness) = match scores {
            Scores::Match { equal, unequal } => {
                Self::FACTS.check("match", equal)?;
                Self::FACTS.check("mismatch", unequal)?;
                let good = equal >= unequal;
                (Vec::new(), if good { Definiteness::PositiveSemidefinite } else { Definiteness::Indefinite })
            }
            Scores::Blosum62 if alphabet != Alphabet::Protein => {
                return Err(Error::param("scores", "blosum62", "match, or blosum62 with alphabet=protein"));
            }
            Scores::Blosum62 => {
                let table: Vec<f64> = blosum62().iter().map(|s| (beta * f64::from(*s)).exp()).collect();
                let lowest =
                    eigenvalues(&Dense::new(20, 20, table.clone())?)?.first().copied().unwrap_or(0.0);
                let good = lowest > -1e-12;
                (table, if good { Definiteness::PositiveSemidefinite } else { Definiteness::Indefinite })
            }
        };
        Ok(LocalAlignment { beta, open, extend, scores, log: false, alphabet, definiteness, table })
    }

    /// If `log`, the kernel is ln(k)/β.
    #[must_use]
    pub fn logarithm(self, log: bool) -> Self {
        LocalAlignment { log, ..self }
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "local-alignment",
        summary: "Sum over all local alignments of the exponential of their score.",
        formula: "Σ over local alignments of exp(beta·(Σ scores of pairs - Σ over gaps of open + extend·(g - 1)))",
        takes: "strings",
        kinds: STRINGS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "beta",
                default: "0.5",
                domain: Domain::Positive,
                doc: "scale of the scores",
                alias: None,
            },
            Parameter {
                name: "open",
                default: "2",
                domain: Domain::NonNegative,
                doc: "cost of the first symbol of a gap (usually 11 with blosum62)",
                alias: None,
            },
            Parameter {
                name: "extend",
                default: "1",
                domain: Domain::NonNegative,
                doc: "cost of each further symbol of a gap",
                alias: None,
            },
            Parameter {
                name: "scores",
                default: "match",
                domain: Domain::Word(&["match", "blosum62"]),
                doc: "scores of pairs of symbols; blosum62 is for alphabet=protein",
                alias: None,
            },
            Parameter {
                name: "match",
                default: "1",
                domain: Domain::Finite,
                doc: "score of equal symbols",
                alias: None,
            },
            Parameter {
                name: "mismatch",
                default: "-1",
                domain: Domain::Finite,
                doc: "score of unequal symbols; above match there may be negative eigenvalues",
                alias: None,
            },
            Parameter {
                name: "log",
                default: "no",
                domain: Domain::Word(&["no", "yes"]),
                doc: "return ln(k)/beta, which may have negative eigenvalues",
                alias: None,
            },
            ALPHABET,
        ],
        cost: "|x|·|y|",
        reference: "Saigo, Vert, Ueda & Akutsu 2004",
        example: "normalize(local-alignment(beta=0.5))",
    };

    /// e^(β·score) of a symbol paired with each lane.
    #[inline(always)]
    fn pair(&self, symbol: u32, symbols: &[u32; LANES], equal: f64, unequal: f64) -> Lanes {
        let mut out = [0.0; LANES];
        for lane in 0..LANES {
            out[lane] = match self.table.is_empty() {
                true => {
                    if symbols[lane] == symbol {
                        equal
                    } else {
                        unequal
                    }
                }
                // Symbols outside the table are never paired.
                false => {
                    let at = (symbol as usize).saturating_mul(20).saturating_add(symbols[lane] as usize);
                    if symbol < 20 && symbols[lane] < 20 { self.table[at] } else { 0.0 }
                }
            };
        }
        out
    }
}

impl ParameterValue for Scores {
    fn read(settings: &mut Settings<'_>) -> Result<Self> {
        let (scores, equal, unequal) = (settings.word()?, settings.number()?, settings.number()?);
        Ok(if scores == "blosum62" { Scores::Blosum62 } else { Scores::Match { equal, unequal } })
    }

    fn print(&self, out: &mut Printer<'_, '_>) -> fmt::Result {
        let (scores, equal, unequal) = match self {
            Scores::Match { equal, unequal } => ("match", *equal, *unequal),
            Scores::Blosum62 => ("blosum62", 1.0, -1.0),
        };
        out.put(scores)?;
        out.put(equal)?;
        out.put(unequal)
    }
}

declared!(LocalAlignment(beta, open, extend, scores, log, alphabet) => {
    Ok(LocalAlignment::with(beta, open, extend, scores, alphabet)?.logarithm(log))
});

impl OnStrings for LocalAlignment {
    fn alphabet(&self) -> Alphabet {
        self.alphabet
    }

    fn shortest(&self) -> usize {
        0
    }
}

/// Sums over alignments that end in a pair, in a gap of the other string after a pair, and in a gap of this string, by
/// prefix of the other string.
#[derive(Clone, Copy, Default)]
pub(super) struct Cell {
    pair: Lanes,
    down: Lanes,
    right: Lanes,
}

/// Values above this are scaled down, so that sums over alignments never overflow.
const LARGE: f64 = 1e150;

impl Compare for LocalAlignment {
    type Scratch = Vec<Cell>;

    #[inline(always)]
    fn compare(&self, own: &[u32], others: &Group, scratch: &mut Vec<Cell>) -> Lanes {
        let (total, scale) = self.sums(own, others, scratch);
        let mut out = [0.0; LANES];
        for lane in 0..LANES {
            out[lane] = match self.log {
                true => (total[lane].ln() + scale[lane]) / self.beta,
                false if scale[lane] == 0.0 => total[lane],
                false => total[lane] * scale[lane].exp(),
            };
        }
        out
    }

    fn bytes(&self, _own: usize, others: usize) -> u64 {
        budget::matrix_bytes(1, others + 1, size_of::<Cell>())
    }
}

/// ln(k), which does not overflow for long strings.
struct Logarithm<'a>(&'a LocalAlignment);

impl Compare for Logarithm<'_> {
    type Scratch = Vec<Cell>;

    #[inline(always)]
    fn compare(&self, own: &[u32], others: &Group, scratch: &mut Vec<Cell>) -> Lanes {
        let (mut total, scale) = self.0.sums(own, others, scratch);
        total.iter_mut().zip(scale).for_each(|(v, scale)| *v = v.ln() + scale);
        total
    }

    fn bytes(&self, own: usize, others: usize) -> u64 {
        self.0.bytes(own, others)
    }
}

impl LocalAlignment {
    /// The scaled sum over all alignments with each lane, and the logarithm of the scale factor.
    #[inline(always)]
    fn sums(&self, own: &[u32], others: &Group, scratch: &mut Vec<Cell>) -> (Lanes, Lanes) {
        let n = others.symbols.len();
        let (equal, unequal) = match self.scores {
            Scores::Match { equal, unequal } => ((self.beta * equal).exp(), (self.beta * unequal).exp()),
            Scores::Blosum62 => (0.0, 0.0),
        };
        let (open, extend) = ((-self.beta * self.open).exp(), (-self.beta * self.extend).exp());
        scratch.clear();
        scratch.resize(n + 1, Cell::default());
        // The factor applied to 1 and to all sums, and its logarithm.
        let (mut unit, mut scale, mut sum) = ([1.0f64; LANES], [0.0f64; LANES], [0.0f64; LANES]);
        for &symbol in own {
            if budget::is_spent_after(4 * n) {
                break;
            }
            let mut corner = Cell::default();
            let mut left = Cell::default();
            let mut most = [0.0f64; LANES];
            for (j, (symbols, cell)) in others.symbols.iter().zip(&mut scratch[1..]).enumerate() {
                let above = *cell;
                let score = self.pair(symbol, symbols, equal, unequal);
                for lane in 0..LANES {
                    // Padding is not part of the other string.
                    let inside = if j < others.lengths[lane] { score[lane] } else { 0.0 };
                    let start = unit[lane] + corner.pair[lane] + corner.down[lane] + corner.right[lane];
                    cell.pair[lane] = inside * start;
                    cell.down[lane] = open * above.pair[lane] + extend * above.down[lane];
                    cell.right[lane] = open * (left.pair[lane] + left.down[lane]) + extend * left.right[lane];
                    sum[lane] += cell.pair[lane];
                    most[lane] = if cell.pair[lane] > most[lane] { cell.pair[lane] } else { most[lane] };
                }
                corner = above;
                left = *cell;
            }
            for lane in 0..LANES {
                let large = most[lane].max(sum[lane]);
                if large > LARGE {
                    let down = 1.0 / large;
                    for cell in scratch.iter_mut() {
                        cell.pair[lane] *= down;
                        cell.down[lane] *= down;
                        cell.right[lane] *= down;
                    }
                    unit[lane] *= down;
                    sum[lane] *= down;
                    scale[lane] += large.ln();
                }
            }
        }
        (0..LANES).for_each(|lane| sum[lane] += unit[lane]);
        (sum, scale)
    }
}

by_lanes!(
    LocalAlignment,
    |k| if k.log { Definiteness::Indefinite } else { k.definiteness },
    logarithms Logarithm, |k| !k.log
);

/// BLOSUM62, indexed by the codes of amino acids (Henikoff & Henikoff 1992).
fn blosum62() -> Vec<i8> {
    const ORDER: &str = "ARNDCQEGHILKMFPSTWYV";
    #[rustfmt::skip]
    const LOWER: [i8; 210] = [
         4,
        -1,  5,
        -2,  0,  6,
        -2, -2,  1,  6,
         0, -3, -3, -3,  9,
        -1,  1,  0,  0, -3,  5,
        -1,  0,  0,  2, -4,  2,  5,
         0, -2,  0, -1, -3, -2, -2,  6,
        -2,  0,  1, -1, -3,  0,  0, -2,  8,
        -1, -3, -3, -3, -1, -3, -3, -4, -3,  4,
        -1, -2, -3, -4, -1, -2, -3, -4, -3,  2,  4,
        -1,  2,  0, -1, -3,  1,  1, -2, -1, -3, -2,  5,
        -1, -1, -2, -3, -1,  0, -2, -3, -2,  1,  2, -1,  5,
        -2, -3, -3, -3, -2, -3, -3, -3, -1,  0,  0, -3,  0,  6,
        -1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4,  7,
         1, -1,  1,  0, -1,  0,  0,  0, -1, -2, -2,  0, -1, -2, -1,  4,
         0, -1,  0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1,  1,  5,
        -3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1,  1, -4, -3, -2, 11,
        -2, -2, -2, -3, -2, -1, -2, -3,  2, -1, -1, -2, -1,  3, -3, -2, -2,  2,  7,
         0, -3, -3, -3, -1, -2, -2, -3, -3,  3,  1, -2,  1, -1, -2, -2,  0, -3, -1,  4,
    ];
    let codes: Vec<usize> =
        ORDER.chars().filter_map(|c| Alphabet::Protein.code(c)).map(|c| c as usize).collect();
    let mut out = vec![0; 400];
    let mut values = LOWER.iter();
    for (i, &a) in codes.iter().enumerate() {
        for &b in &codes[..=i] {
            let value = values.next().copied().unwrap_or(0);
            out[20 * a + b] = value;
            out[20 * b + a] = value;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::Engine;

    /// Every local alignment of two short strings, by enumerating ordered pairs.
    fn all(
        x: &[char],
        y: &[char],
        score: &dyn Fn(char, char) -> f64,
        open: f64,
        extend: f64,
        beta: f64,
    ) -> f64 {
        let gap = |g: usize| if g == 0 { 0.0 } else { open + extend * (g - 1) as f64 };
        fn go(
            x: &[char],
            y: &[char],
            from: Option<(usize, usize)>,
            value: &dyn Fn(usize, usize, Option<(usize, usize)>) -> f64,
        ) -> f64 {
            let mut sum = 0.0;
            let (start_i, start_j) = from.map_or((0, 0), |(i, j)| (i + 1, j + 1));
            for i in start_i..x.len() {
                for j in start_j..y.len() {
                    sum += value(i, j, from) * (1.0 + go(x, y, Some((i, j)), value));
                }
            }
            sum
        }
        let value = |i: usize, j: usize, from: Option<(usize, usize)>| {
            let gaps = from.map_or(0.0, |(a, b)| gap(i - a - 1) + gap(j - b - 1));
            (beta * (score(x[i], y[j]) - gaps)).exp()
        };
        1.0 + go(x, y, None, &value)
    }

    #[test]
    fn values_equal_the_sum_over_every_alignment() {
        let strings = super::super::tests::strings("ACD", 14, 6, 31);
        let scores = Scores::Match { equal: 1.5, unequal: -0.5 };
        let by_match = LocalAlignment::with(0.4, 1.2, 0.3, scores, Alphabet::Unicode).unwrap();
        let table = LocalAlignment::with(0.2, 4.0, 1.0, Scores::Blosum62, Alphabet::Protein).unwrap();
        let blosum = |a: char, b: char| match (a.min(b), a.max(b)) {
            ('A', 'A') => 4.0,
            ('C', 'C') => 9.0,
            ('D', 'D') => 6.0,
            ('A', 'C') => 0.0,
            ('A', 'D') => -2.0,
            _ => -3.0,
        };
        let plain = |a: char, b: char| if a == b { 1.5 } else { -0.5 };
        let engine = Engine::new();
        for (kernel, score, open, extend, beta) in [
            (&by_match, &plain as &dyn Fn(char, char) -> f64, 1.2, 0.3, 0.4),
            (&table, &blosum, 4.0, 1.0, 0.2),
        ] {
            let k = engine.gram(kernel, &strings).unwrap();
            let logs = engine.gram(&kernel.clone().logarithm(true), &strings).unwrap();
            for (i, x) in strings.iter().enumerate() {
                for (j, y) in strings.iter().enumerate() {
                    let (x, y): (Vec<char>, Vec<char>) = (x.chars().collect(), y.chars().collect());
                    let expected = all(&x, &y, score, open, extend, beta);
                    assert!(
                        (k.at(i, j) - expected).abs() <= 1e-12 * expected,
                        "{i} {j}: {} {expected}",
                        k.at(i, j)
                    );
                    assert!(
                        (logs.at(i, j) - expected.ln() / beta).abs() <= 1e-12 * (1.0 + expected.ln() / beta)
                    );
                }
            }
        }
    }

    #[test]
    fn logarithms_of_long_strings_are_finite() {
        let strings: Strings = ["ACDEFGHIKLMNPQRSTVWY".repeat(20), "ACDEFG".repeat(40)].into_iter().collect();
        let kernel = LocalAlignment::with(1.0, 11.0, 1.0, Scores::Blosum62, Alphabet::Protein).unwrap();
        let engine = Engine::new();
        assert_eq!(engine.gram(&kernel, &strings).unwrap_err().code(), crate::Code::Overflow);
        let logs = engine.gram(&kernel.logarithm(true), &strings).unwrap();
        // The best alignment of the first string with itself pairs all its symbols.
        let best: f64 = 20.0
            * "ACDEFGHIKLMNPQRSTVWY"
                .chars()
                .map(|c| {
                    let code = Alphabet::Protein.code(c).unwrap() as usize;
                    f64::from(blosum62()[21 * code])
                })
                .sum::<f64>();
        assert!(logs.at(0, 0) > best && logs.at(0, 0) < best + 5.0, "{} {best}", logs.at(0, 0));
    }

    #[test]
    fn blosum62_matches_published_values() {
        let table = blosum62();
        // W with W, the diagonal, and the row of A, as in NCBI's BLOSUM62.
        assert_eq!(table[21 * 18], 11);
        assert_eq!((0..20).map(|i| i32::from(table[21 * i])).sum::<i32>(), 116);
        assert_eq!(table[..20].iter().map(|v| i32::from(*v)).sum::<i32>(), -16);
    }
}
