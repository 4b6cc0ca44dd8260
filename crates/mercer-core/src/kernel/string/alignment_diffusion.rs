//! Diffusion kernel on strings, summed over alignments.

use super::lanes::{self, Compare, EncodedStrings, Group, LANES, Lanes, by_lanes};
use super::{DNA, OnStrings, STRINGS};
use crate::budget;
use crate::data::{Alphabet, Strings};
use crate::error::{Error, Result, Warning};
use crate::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, Part, declared};

/// The diffusion kernel of strings padded with blanks, summed over all paddings.
///
/// With a blank the alphabet A has a = |A| + 1 symbols, and two different symbols have similarity
/// t = (1 - e^(-aβ))/(1 + (a - 1)e^(-aβ)). For n > 0 the kernel is N(n, |x|, |y|), where
///
/// N(m, i, j) = N(m-1, i, j) + t·N(m-1, i-1, j) + t·N(m-1, i, j-1) + κ(x_i, y_j)·N(m-1, i-1, j-1), N(0, 0, 0) = 1,
/// κ = 1 for equal symbols and t otherwise. It sums over all ways to spread both strings over n positions. Strings
/// longer than n have similarity 0. For n = 0 the first term is dropped: the sum is over alignments of any length
/// without a position that is blank in both. That kernel is ½Σ_n 2^(-n) of the others, so it is positive semidefinite
/// too.
///
/// It is computed from alignments by the number p of positions without a blank: A_p(i, j) = t·A_p(i-1, j) +
/// t·A_p(i, j-1) + κ·A_(p-1)(i-1, j-1), and N(n) = Σ_p C(n, |x| + |y| - p)·A_p(|x|, |y|) for every n.
///
/// ```
/// use mercer_core::{data::{Alphabet, Strings}, gram::Engine, kernel::string::AlignmentDiffusion};
/// let strings: Strings = ["A", "C"].into_iter().collect();
/// let kernel = AlignmentDiffusion::new(0.1, 0, Alphabet::Dna)?;
/// let t = kernel.factor();
/// let k = Engine::new().gram(&kernel, &strings)?;
/// assert!((k.at(0, 0) - (1.0 + 2.0 * t * t)).abs() < 1e-15); // one position, or two with a blank each
/// assert!((k.at(0, 1) - (t + 2.0 * t * t)).abs() < 1e-15);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Kondor & Lafferty 2002, Diffusion kernels on graphs and other discrete input spaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlignmentDiffusion {
    beta: f64,
    n: usize,
    alphabet: Alphabet,
}

impl AlignmentDiffusion {
    /// Diffusion for a time beta above 0, over n positions, or over alignments of any length if n is 0.
    pub fn new(beta: f64, n: usize, alphabet: Alphabet) -> Result<Self> {
        if alphabet == Alphabet::Unicode {
            return Err(Error::param(
                "alphabet",
                alphabet,
                "dna, rna, protein or bytes: the kernel depends on the size of the alphabet",
            ));
        }
        Ok(AlignmentDiffusion { beta: Self::FACTS.check("beta", beta)?, n, alphabet })
    }

    /// The similarity t of two different symbols.
    pub fn factor(&self) -> f64 {
        let a = self.alphabet.size() as f64 + 1.0;
        let rest = (-a * self.beta).exp();
        -(-a * self.beta).exp_m1() / (1.0 + (a - 1.0) * rest)
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "alignment-diffusion",
        summary: "Diffusion on strings with blanks, summed over all alignments.",
        formula: "Σ over alignments of t^(blanks and unequal pairs), t = (1-e^(-aβ))/(1+(a-1)e^(-aβ)), a = |A|+1; n > 0: \
                  times the number of ways to spread it over n positions",
        takes: "strings",
        kinds: STRINGS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "beta",
                default: "0.1",
                domain: Domain::Positive,
                doc: "diffusion time of symbols",
                alias: None,
            },
            Parameter {
                name: "n",
                default: "0",
                domain: Domain::Whole(0, 100_000),
                doc: "number of positions that strings are spread over; 0 for alignments of any length",
                alias: None,
            },
            DNA,
        ],
        cost: "|x|·|y|, times the shorter length where n is not 0",
        reference: "Kondor & Lafferty 2002",
        example: "normalize(alignment-diffusion(beta=0.2))",
    };
}

declared!(AlignmentDiffusion(beta, n, alphabet) => AlignmentDiffusion::new(beta, n, alphabet));

impl OnStrings for AlignmentDiffusion {
    fn alphabet(&self) -> Alphabet {
        self.alphabet
    }

    fn shortest(&self) -> usize {
        0
    }

    fn notes(&self, strings: &Strings) -> Vec<Warning> {
        let long = strings.iter().filter(|s| self.alphabet.length(s) > self.n).count();
        if self.n == 0 || long == 0 {
            return Vec::new();
        }
        let message = format!(
            "{long} of {} strings have more than n = {} symbols: their similarity is 0",
            strings.len(),
            self.n
        );
        vec![Warning::new("W_LONG", message)]
    }
}

impl Compare for AlignmentDiffusion {
    /// One row of the recursion per number of positions without a blank, and the row before it.
    type Scratch = (Vec<Lanes>, Vec<Lanes>);

    #[inline(always)]
    fn compare(&self, own: &[u32], others: &Group, scratch: &mut Self::Scratch) -> Lanes {
        let (mut sums, scale) = self.sums(own, others, scratch);
        sums.iter_mut()
            .zip(scale)
            .filter(|(_, scale)| *scale != 0.0)
            .for_each(|(v, scale)| *v *= scale.exp());
        sums
    }

    fn bytes(&self, own: usize, others: usize) -> u64 {
        let rows = if self.n == 0 { 1 } else { 2 * (own + 1) };
        budget::matrix_bytes(rows, others + 1, size_of::<Lanes>())
    }
}

/// ln(k) for alignments of any length; it does not overflow for long strings.
struct Logarithm<'a>(&'a AlignmentDiffusion);

impl Compare for Logarithm<'_> {
    type Scratch = (Vec<Lanes>, Vec<Lanes>);

    #[inline(always)]
    fn compare(&self, own: &[u32], others: &Group, scratch: &mut Self::Scratch) -> Lanes {
        let (mut sums, scale) = self.0.sums(own, others, scratch);
        sums.iter_mut().zip(scale).for_each(|(v, scale)| *v = v.ln() + scale);
        sums
    }

    fn bytes(&self, own: usize, others: usize) -> u64 {
        self.0.bytes(own, others)
    }
}

/// Values above this are scaled down, so that sums over alignments never overflow.
const LARGE: f64 = 1e150;

impl AlignmentDiffusion {
    /// The scaled sums over alignments with each lane, and the logarithms of the scale factors.
    #[inline(always)]
    fn sums(&self, own: &[u32], others: &Group, scratch: &mut (Vec<Lanes>, Vec<Lanes>)) -> (Lanes, Lanes) {
        if self.n == 0 {
            self.any_length(own, others, &mut scratch.0)
        } else {
            (self.over_positions(own, others, scratch), [0.0; LANES])
        }
    }

    #[inline(always)]
    fn any_length(&self, own: &[u32], others: &Group, row: &mut Vec<Lanes>) -> (Lanes, Lanes) {
        let (t, n) = (self.factor(), others.symbols.len());
        let mut scale = [0.0; LANES];
        row.clear();
        let mut blanks = 1.0;
        for _ in 0..=n {
            row.push([blanks; LANES]);
            blanks *= t;
        }
        for &symbol in own {
            if budget::is_spent_after(2 * n) {
                break;
            }
            let mut corner = row[0];
            row[0] = row[0].map(|v| t * v);
            let mut left = row[0];
            let mut most = [0.0f64; LANES];
            for (j, (symbols, cell)) in others.symbols.iter().zip(&mut row[1..]).enumerate() {
                let above = *cell;
                for lane in 0..LANES {
                    let same = if symbols[lane] == symbol { 1.0 } else { t };
                    left[lane] = t * above[lane] + t * left[lane] + same * corner[lane];
                    // Padding may overflow; no value inside depends on it.
                    let inside = j < others.lengths[lane] && left[lane] > most[lane];
                    most[lane] = if inside { left[lane] } else { most[lane] };
                }
                corner = above;
                *cell = left;
            }
            for lane in (0..LANES).filter(|&lane| most[lane] > LARGE) {
                row.iter_mut().for_each(|cell| cell[lane] /= most[lane]);
                scale[lane] += most[lane].ln();
            }
        }
        let mut out = [0.0; LANES];
        (0..LANES).for_each(|lane| out[lane] = row[others.lengths[lane]][lane]);
        (out, scale)
    }

    #[inline(always)]
    fn over_positions(
        &self,
        own: &[u32],
        others: &Group,
        (rows, before): &mut (Vec<Lanes>, Vec<Lanes>),
    ) -> Lanes {
        let (t, n) = (self.factor(), others.symbols.len());
        let mut out = [0.0; LANES];
        // Symbols of one string that are blank in the other, by number of pairs; the row for one pair fewer is in
        // `before`.
        let width = n + 1;
        before.clear();
        before.resize((own.len() + 1) * width, [0.0; LANES]);
        rows.clear();
        rows.resize((own.len() + 1) * width, [0.0; LANES]);
        for pairs in 0..=own.len().min(n) {
            for i in 0..=own.len() {
                if budget::is_spent_after(4 * n) {
                    return out;
                }
                let mut left = [0.0; LANES];
                for j in 0..=n {
                    let mut value = left.map(|v| t * v);
                    if i > 0 {
                        let above = rows[(i - 1) * width + j];
                        (0..LANES).for_each(|lane| value[lane] += t * above[lane]);
                        if j > 0 && pairs > 0 {
                            let corner = before[(i - 1) * width + j - 1];
                            for lane in 0..LANES {
                                let same = if others.symbols[j - 1][lane] == own[i - 1] { 1.0 } else { t };
                                value[lane] += same * corner[lane];
                            }
                        }
                    }
                    if i == 0 && j == 0 && pairs == 0 {
                        value = [1.0; LANES];
                    }
                    rows[i * width + j] = value;
                    left = value;
                }
            }
            for lane in 0..LANES {
                let length = others.lengths[lane];
                if let Some(places) = (own.len() + length).checked_sub(pairs)
                    && pairs <= length
                {
                    if budget::is_spent_after(self.n) {
                        return out;
                    }
                    out[lane] += ways(self.n, places) * rows[own.len() * width + length][lane];
                }
            }
            std::mem::swap(rows, before);
        }
        out
    }
}

/// The binomial coefficient n over k as a double; 0 where k is above n.
fn ways(n: usize, k: usize) -> f64 {
    if k > n {
        return 0.0;
    }
    (0..k.min(n - k)).fold(1.0, |b, i| b * (n - i) as f64 / (i + 1) as f64)
}

by_lanes!(AlignmentDiffusion, |_| Definiteness::PositiveSemidefinite, logarithms Logarithm, |k| k.n == 0);
