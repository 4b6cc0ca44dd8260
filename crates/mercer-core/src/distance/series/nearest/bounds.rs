//! Lower bounds on the cost of an alignment.

/// The largest and smallest values of a series within `radius` time steps of each time step, channel by channel.
#[derive(Clone, Debug)]
pub(super) struct Envelope {
    high: Vec<f64>,
    low: Vec<f64>,
}

impl Envelope {
    /// The envelope of `values`; cost O(n), for any radius.
    ///
    /// Reference: Lemire 2009, Faster retrieval with a two-pass dynamic-time-warping lower bound.
    pub(super) fn new(values: &[f64], channels: usize, radius: usize) -> Self {
        let n = values.len() / channels;
        let (mut high, mut low) = (vec![0.0; values.len()], vec![0.0; values.len()]);
        let mut queue = std::collections::VecDeque::new();
        for c in 0..channels {
            let at = |t: usize| values[t * channels + c];
            for (out, sign) in [(&mut high, 1.0), (&mut low, -1.0)] {
                // Time steps whose values are not exceeded by later ones, largest first.
                queue.clear();
                let mut next = 0;
                for t in 0..n {
                    while next < n && next <= t.saturating_add(radius) {
                        while queue.back().is_some_and(|&k| sign * at(k) <= sign * at(next)) {
                            queue.pop_back();
                        }
                        queue.push_back(next);
                        next += 1;
                    }
                    while queue.front().is_some_and(|&k| k.saturating_add(radius) < t) {
                        queue.pop_front();
                    }
                    out[t * channels + c] = queue.front().map_or(at(t), |&k| at(k));
                }
            }
        }
        Envelope { high, low }
    }

    /// A lower bound on the cost of aligning a series of the same length within the envelope's radius: the cost of its
    /// values outside of the envelope. It is slightly reduced, because a sum in another order must not exceed the sum
    /// it bounds.
    ///
    /// Reference: Keogh & Ratanamahatana 2005, Exact indexing of dynamic time warping.
    pub(super) fn bound(&self, values: &[f64]) -> f64 {
        let sum = crate::numeric::math::vectorised(
            #[inline(always)]
            || {
                let mut sums = [0.0f64; 8];
                let outside = |x: f64, high: f64, low: f64| {
                    let above = if x > high { x - high } else { 0.0 };
                    let below = if x < low { low - x } else { above };
                    below * below
                };
                let parts =
                    values.chunks_exact(8).zip(self.high.chunks_exact(8)).zip(self.low.chunks_exact(8));
                for ((x, high), low) in parts {
                    for k in 0..8 {
                        sums[k] += outside(x[k], high[k], low[k]);
                    }
                }
                let rest = values.len() / 8 * 8;
                let tail: f64 =
                    (rest..values.len()).map(|t| outside(values[t], self.high[t], self.low[t])).sum();
                sums.iter().sum::<f64>() + tail
            },
        );
        sum * (1.0 - 4.0 * f64::EPSILON * (values.len() + 8) as f64)
    }
}

/// A lower bound on the cost of any alignment: the costs of the two first and the two last time steps. Even rounded, it
/// never exceeds the sum of an alignment, which adds these two costs and other nonnegative ones.
///
/// Reference: Kim, Park & Chu 2001, An index-based approach for similarity search supporting time warping.
pub(super) fn ends(x: &[f64], y: &[f64], channels: usize) -> f64 {
    let cost = |x: &[f64], y: &[f64]| x.iter().zip(y).fold(0.0, |sum, (x, y)| sum + (x - y) * (x - y));
    let first = cost(&x[..channels], &y[..channels]);
    if x.len() == channels && y.len() == channels {
        return first;
    }
    first + cost(&x[x.len() - channels..], &y[y.len() - channels..])
}
