//! A single alignment that is abandoned as soon as it exceeds a bound.

use std::ops::Range;

use crate::budget;

/// The minimum sum of squared differences over alignments of `x` and `y`, if it is at most `bound`.
///
/// Early abandoning and pruned dynamic time warping. In every row only the range from the first to the last cell within
/// the bound is kept, so most rows are short and hopeless pairs end early. A cell above the bound cannot be part of a
/// sum within it, because sums only grow. Every other cell is computed from the same numbers in the same order as in
/// the full table, so the result is exactly the same. Lower bounds that are sums of other terms are never used here:
/// rounded in another order they may exceed the sum itself and prune the optimal alignment.
///
/// `band` has the included columns of each row; `None` for all. Cost: at most O(n·m).
///
/// Reference: Herrmann & Webb 2021, Early abandoning and pruning for elastic distances including dynamic time warping.
pub(super) fn within(
    (x, y, channels): (&[f64], &[f64], usize),
    band: Option<&[Range<usize>]>,
    bound: f64,
    space: &mut Vec<f64>,
) -> Option<f64> {
    match channels {
        1 => pruned((x.len(), y.len()), band, bound, space, |i, j| (x[i] - y[j]) * (x[i] - y[j])),
        _ => {
            let cost = |i: usize, j: usize| {
                let x = &x[i * channels..(i + 1) * channels];
                let y = &y[j * channels..(j + 1) * channels];
                x.iter().zip(y).fold(0.0, |sum, (x, y)| sum + (x - y) * (x - y))
            };
            pruned((x.len() / channels, y.len() / channels), band, bound, space, cost)
        }
    }
}

#[inline(always)]
fn pruned(
    (n, m): (usize, usize),
    band: Option<&[Range<usize>]>,
    bound: f64,
    space: &mut Vec<f64>,
    cost: impl Fn(usize, usize) -> f64,
) -> Option<f64> {
    const FAR: f64 = f64::INFINITY;
    space.clear();
    space.resize(2 * m, FAR);
    let (mut before, mut now) = space.split_at_mut(m);
    // The range of cells of the previous row within the bound; cells outside of it are not used.
    let mut alive = 0..0;
    for i in 0..n {
        if budget::is_spent_after(m) {
            return None;
        }
        let columns = band.map_or(0..m, |rows| rows[i].clone());
        let (mut first, mut last) = (None, 0);
        let mut left = FAR;
        let mut j = columns.start.max(alive.start);
        // The cell above and to the left; for the first cell of the first row it is the start.
        let mut diagonal = match (i, j) {
            (0, 0) => 0.0,
            _ if alive.contains(&(j.wrapping_sub(1))) => before[j - 1],
            _ => FAR,
        };
        // Up to one cell beyond the range of the previous row.
        let reach = if i == 0 { columns.end } else { columns.end.min(alive.end + 1) };
        while j < reach {
            let up = if j < alive.end { before[j] } else { FAR };
            let least = if up < diagonal { up } else { diagonal };
            let least = if least < left { least } else { left };
            let value = cost(i, j) + least;
            now[j] = value;
            left = value;
            diagonal = up;
            if value <= bound {
                first.get_or_insert(j);
                last = j;
            } else if i == 0 {
                // All further cells exceed the bound.
                break;
            }
            j += 1;
        }
        // Further cells have only a left neighbour.
        if i > 0 && left <= bound {
            while j < columns.end {
                left += cost(i, j);
                if left > bound {
                    break;
                }
                now[j] = left;
                last = j;
                j += 1;
            }
        }
        let first = first?;
        alive = first..last + 1;
        std::mem::swap(&mut before, &mut now);
    }
    (alive.end == m).then(|| before[m - 1])
}
