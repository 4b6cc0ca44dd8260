//! One alignment, abandoned as soon as it is known to cost more than a bound.

use std::ops::Range;

use crate::budget;

/// The least sum of squared differences over alignments of `x` and `y`, if it is at most `bound`.
///
/// Early abandoning and pruned dynamic time warping: of every row only the stretch from the first to the last cell within
/// the bound is kept, so most rows are short and a hopeless pair ends early. A cell beyond the bound cannot be on the way to a
/// sum within it, because sums only grow; every other cell is computed from the same numbers in the same order as the whole
/// table would be, so the answer has its bits. Bounds that are sums of other terms never enter here: rounded in another
/// order they may exceed the sum itself, and prune the very alignment that is sought.
///
/// `band` has the columns of each row that may be used; `None` for all. Cost: O(n·m) at most.
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
    // The cells of the row before that are within the bound lie in this stretch; what is outside is not looked at.
    let mut alive = 0..0;
    for i in 0..n {
        if budget::is_spent_after(m) {
            return None;
        }
        let columns = band.map_or(0..m, |rows| rows[i].clone());
        let (mut first, mut last) = (None, 0);
        let mut left = FAR;
        let mut j = columns.start.max(alive.start);
        // The cell before and above: of the first row's first cell it is the start of everything.
        let mut diagonal = match (i, j) {
            (0, 0) => 0.0,
            _ if alive.contains(&(j.wrapping_sub(1))) => before[j - 1],
            _ => FAR,
        };
        // Below the stretch, and one beyond it.
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
                // Nothing follows but what costs more.
                break;
            }
            j += 1;
        }
        // Further on a cell has its left neighbour only.
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
