//! The pairs of one string's k-mers with all others, by Walsh transforms.
//!
//! A kernel of [`MaskCounter`] is xᵀGy for counts x and y of k-mers, where G depends on the number of positions where two
//! k-mers differ. For four symbols the Walsh transform, with two bits per symbol, diagonalises G. A set of j positions
//! contributes the identity there and a matrix of ones elsewhere, so the eigenvalue of a frequency with s symbols other
//! than 0 is Σ_j weight_j·C(l - s, j - s)·4^(l - j). Two transforms give Gy as a table of all 4^l k-mers, and every x then
//! costs one lookup for each of its k-mers. All numbers are integers below 2^53 or these divided by a power of two, so
//! values are exact, as by masks.

use super::masks::{MaskCounter, PackedWords, binomial};
use crate::budget;
use crate::kernel::Part;
use crate::numeric::math::vectorised;

/// Maximum number of bits of a k-mer: a table has 2^20 numbers.
const MOST_BITS: u32 = 20;
/// Integers below this are exact.
const EXACT: f64 = 9e15;

/// The eigenvalues of G for k-mers of two bits per symbol, by the number of symbols other than 0, divided by 4^l.
pub(super) struct Walsh {
    eigenvalues: Vec<f64>,
    bits: u32,
}

impl Walsh {
    /// The transform of these masks, if it suits a tile: the tables of the shorter side must cost less than the masks.
    pub(super) fn new(
        masks: &MaskCounter,
        rows: &Part<'_, PackedWords>,
        cols: &Part<'_, PackedWords>,
    ) -> Option<Self> {
        let (length, weights) = masks.lengths()?;
        let bits = 2 * length as u32;
        if bits > MOST_BITS || rows.is_empty() || cols.is_empty() {
            return None;
        }
        let (short, long) = (rows.len().min(cols.len()) as f64, rows.len().max(cols.len()) as f64);
        let count =
            |part: &Part<'_, PackedWords>| part.range.clone().map(|i| part.set.words_of(i)).sum::<usize>();
        let (total, most) = (count(rows) + count(cols), (1u64 << bits) as f64);
        let each = total as f64 / (rows.len() + cols.len()) as f64;
        let by_tables = short * (f64::from(bits) * most / 2.0 + long * each);
        let (mut by_masks, mut largest) = (0.0, 0.0f64);
        for &(j, _) in weights {
            let sets = binomial(length, j) as f64;
            by_masks += sets * (4.0 * total as f64 + short * long * each * each / 4f64.powi(j as i32));
        }
        let mut eigenvalues = Vec::with_capacity(length + 1);
        for s in 0..=length {
            let part = |&(j, weight): &(usize, i128)| match j.checked_sub(s) {
                Some(rest) => {
                    weight as f64 * binomial(length - s, rest) as f64 * 4f64.powi((length - j) as i32)
                }
                None => 0.0,
            };
            let value: f64 = weights.iter().map(part).sum();
            largest = largest.max(weights.iter().map(|w| part(w).abs()).sum());
            eigenvalues.push(value / most);
        }
        let words = rows.range.clone().map(|i| rows.set.words_of(i));
        let longest = words.chain(cols.range.clone().map(|i| cols.set.words_of(i))).max().unwrap_or(0);
        // The counts of both strands, transformed twice, summed over the k-mers of another string.
        let peak = f64::from(masks.peak());
        let size = 2.0 * (longest as f64 * peak) * (longest as f64 * peak) * largest * most;
        (by_tables < by_masks && size < EXACT).then_some(Walsh { eigenvalues, bits })
    }

    /// Writes Σ_{a ∈ x, b ∈ y} G(a, b) over all strands b for every pair of strings.
    pub(super) fn fill(
        &self,
        masks: &MaskCounter,
        rows: &Part<'_, PackedWords>,
        cols: &Part<'_, PackedWords>,
        out: &mut [f64],
    ) {
        let width = cols.len();
        let by_rows = rows.len() <= width;
        let (short, long) = if by_rows { (rows, cols) } else { (cols, rows) };
        let mut table = vec![0.0; 1 << self.bits];
        for (s, i) in short.range.clone().enumerate() {
            if budget::is_spent_after(table.len() * self.bits as usize / 2) {
                return;
            }
            table.fill(0.0);
            let weights = short.set.weights_of(i);
            for (at, &word) in short.set.get(i).iter().enumerate() {
                let weight = weights.map_or(1.0, |weights| f64::from(weights[at]));
                masks.strands(word, |word| table[word as usize] += weight);
            }
            transform(&mut table);
            for (frequency, value) in table.iter_mut().enumerate() {
                let other = (frequency | frequency >> 1) & 0x5555_5555;
                *value *= self.eigenvalues[other.count_ones() as usize];
            }
            transform(&mut table);
            for (l, j) in long.range.clone().enumerate() {
                let words = long.set.get(j);
                if budget::is_spent_after(words.len()) {
                    return;
                }
                let found = words.iter().map(|&word| table[word as usize]);
                let sum: f64 = match long.set.weights_of(j) {
                    None => found.sum(),
                    Some(weights) => found.zip(weights).map(|(v, &w)| f64::from(w) * v).sum(),
                };
                out[if by_rows { s * width + l } else { l * width + s }] = sum;
            }
        }
    }
}

/// The Walsh transform in place, without a factor.
fn transform(values: &mut [f64]) {
    vectorised(
        #[inline(always)]
        || {
            let mut half = 1;
            while half < values.len() {
                for pair in values.chunks_exact_mut(2 * half) {
                    let (low, high) = pair.split_at_mut(half);
                    for (a, b) in low.iter_mut().zip(high) {
                        (*a, *b) = (*a + *b, *a - *b);
                    }
                }
                half *= 2;
            }
        },
    );
}
