//! The time elastic kernel of Marteau and Gibet: sums over alignments, and over pairs of walks along both series.

use crate::budget;
use crate::data::Series;
use crate::distance::series::{
    Band, CHANNEL, Channel, ChannelChoice, Local, PreparedSeries, SERIES, SelfAligned, TILE_SIDE, log_sums,
};
use crate::error::Result;
use crate::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, Part, Prepared, declared, operators};
use crate::numeric::math::{exp, vectorised};
use crate::parallel;

/// The kernel KDTW of series: the sum over all alignments of the product of local similarities, plus a sum over walks that
/// compare equal time steps only, divided by the geometric mean of the self-similarities.
///
/// The local similarity is f(x_i, y_j) = (exp(-ν|x_i - y_j|²) + ε)/(3·(1 + ε)), and K = A + S with
///
/// * A(i, j) = f(x_i, y_j)·(A(i-1, j-1) + A(i-1, j) + A(i, j-1));
/// * S(i, j) = f(x_i, y_i)·S(i-1, j) + f(x_j, y_j)·S(i, j-1) + f(x_i, y_i)·S(i-1, j-1) if i = j. It is 0 for series of
///   different lengths.
///
/// The second sum makes up for the negative eigenvalues of the first. It was published as positive semidefinite; among short
/// series there are nevertheless Gram matrices with eigenvalues of -1e-6 of the largest (a test has one), so it is declared
/// indefinite. With ten or more time steps none was found.
///
/// Parameters: `nu` > 0, a good start is 1 over the mean squared distance of time steps; `epsilon`, `channel`. Cost: n·m
/// exponentials, and n²/2 additions for series of equal length. Sums are stored with exponents, so series may have any
/// length.
///
/// Reference: Marteau & Gibet 2015, On recursive edit distance kernels with application to time series classification.
///
/// ```
/// use mercer_core::{data::Series, gram::Engine, series::Kdtw};
/// let x = [Series::new(1, vec![1.0])?, Series::new(1, vec![2.0])?];
/// let k = Engine::new().gram(&Kdtw::new(1.0)?, &x[..])?;
/// let f = ((-1.0f64).exp() + 1e-3) / 1.001;
/// assert!((k.at(0, 1) - f).abs() < 1e-15 && k.at(0, 0) == 1.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kdtw {
    nu: f64,
    epsilon: f64,
    channel: usize,
}

impl Kdtw {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "kdtw",
        summary: "The time elastic kernel of series: sums over alignments and over walks of equal time steps, normalised.",
        formula: "K(x, y)/√(K(x, x)·K(y, y)), K = Σ over alignments of Π f(x_i, y_j) + Σ over walks of Π f(x_t, y_t), f = (exp(-nu·|x_i - y_j|²) + epsilon)/(3·(1 + epsilon))",
        takes: "series",
        kinds: SERIES,
        definiteness: Definiteness::Indefinite,
        parameters: &[
            Parameter {
                name: "nu",
                default: "1",
                domain: Domain::Positive,
                doc: "Stiffness: how fast the local similarity falls with the squared distance of time steps",
                alias: None,
            },
            Parameter {
                name: "epsilon",
                default: "0.001",
                domain: Domain::AtLeast(LEAST),
                doc: "Local similarity of time steps that are far apart, as a share of that of equal ones",
                alias: None,
            },
            CHANNEL,
        ],
        cost: "n·m exponentials for lengths n and m",
        reference: "Marteau & Gibet 2015",
        example: "kdtw(nu=0.5)",
    };

    /// With this stiffness.
    pub fn new(nu: f64) -> Result<Self> {
        Self::FACTS.check("nu", nu)?;
        Ok(Kdtw { nu, epsilon: 1e-3, channel: 0 })
    }

    /// Sets the similarity of time steps that are far apart.
    pub fn with_epsilon(self, epsilon: f64) -> Result<Self> {
        Self::FACTS.check("epsilon", epsilon)?;
        Ok(Kdtw { epsilon, ..self })
    }

    /// Selects one channel, from 1; 0 selects all.
    #[must_use]
    pub fn on(self, channel: usize) -> Self {
        Kdtw { channel, ..self }
    }

    fn local(&self) -> Local {
        Local::Third { scale: self.nu, floor: self.epsilon }
    }

    /// The logarithm of K for all pairs.
    fn log_values(
        &self,
        rows: Part<'_, PreparedSeries>,
        cols: Part<'_, PreparedSeries>,
        out: &mut [f64],
    ) -> Result<()> {
        log_sums(self.local(), &Band::FULL, rows.clone(), cols.clone(), out)?;
        self.walks(&rows, &cols, |at, walks| {
            let (high, low) = if walks > out[at] { (walks, out[at]) } else { (out[at], walks) };
            out[at] = high + (low - high).exp().ln_1p();
        })
    }

    /// Calls `add` with the logarithm of S for each pair of series of equal length.
    fn walks(
        &self,
        rows: &Part<'_, PreparedSeries>,
        cols: &Part<'_, PreparedSeries>,
        mut add: impl FnMut(usize, f64),
    ) -> Result<()> {
        let (Some(x), Some(y)) = (rows.set.planes().first(), cols.set.planes().first()) else {
            return Ok(());
        };
        let (width, channels) = (cols.len(), x.channels());
        let symmetric = std::ptr::eq(rows.set, cols.set) && rows.range == cols.range;
        let mut steps: Vec<Lanes> = Vec::new();
        for (at, i) in rows.range.clone().enumerate() {
            let (one, len) = (x.values(i), x.len_of(i));
            let first = if symmetric { at } else { 0 };
            let same: Vec<usize> =
                (first..width).filter(|&c| y.len_of(cols.range.start + c) == len).collect();
            for some in same.chunks(LANES) {
                steps.clear();
                steps.resize(len, [0.0; LANES]);
                for (lane, c) in some.iter().enumerate() {
                    let other = y.values(cols.range.start + c);
                    let pairs = one.chunks_exact(channels).zip(other.chunks_exact(channels));
                    for (step, (a, b)) in steps.iter_mut().zip(pairs) {
                        step[lane] = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum();
                    }
                }
                let sums = vectorised(
                    #[inline(always)]
                    || self.walk(&mut steps),
                )?;
                for (&c, sum) in some.iter().zip(sums) {
                    add(at * width + c, sum);
                    if symmetric && c > at {
                        add(c * width + at, sum);
                    }
                }
            }
        }
        Ok(())
    }

    /// The logarithm of S from the squared distances of equal time steps, which are overwritten.
    ///
    /// S(i, j) = S(j, i), so only j ≥ i is computed. Off the diagonal a walk meets every time step twice: what is too small
    /// for the exponent of the diagonal adds nothing to it later.
    #[inline(always)]
    fn walk(&self, steps: &mut [Lanes]) -> Result<Lanes> {
        let factor = 1.0 / (3.0 * (1.0 + self.epsilon));
        for step in &mut *steps {
            step.iter_mut().for_each(|v| *v = (exp(-self.nu * *v) + self.epsilon) * factor);
        }
        let mut row = steps.to_vec();
        for j in 1..row.len() {
            let before = row[j - 1];
            row[j].iter_mut().zip(before).for_each(|(v, b)| *v *= b);
        }
        let mut taken = [0.0; LANES];
        for i in 1..row.len() {
            budget::check_after(row.len() - i)?;
            let own = steps[i];
            let mut left: Lanes = std::array::from_fn(|l| own[l] * (2.0 * row[i][l] + row[i - 1][l]));
            row[i] = left;
            for (cell, step) in row[i + 1..].iter_mut().zip(&steps[i + 1..]) {
                for l in 0..LANES {
                    left[l] = cell[l] * own[l] + left[l] * step[l];
                }
                *cell = left;
            }
            if row[i].iter().any(|v| *v < SMALL) {
                let small: Lanes = row[i].map(|v| f64::from(u8::from(v < SMALL)));
                for cell in &mut row[i..] {
                    for l in 0..LANES {
                        cell[l] *= 1.0 + small[l] * (RAISED - 1.0);
                    }
                }
                taken.iter_mut().zip(small).for_each(|(t, small)| *t += small);
            }
        }
        let (last, step) = (row.last().copied().unwrap_or([0.0; LANES]), RAISED.ln());
        Ok(std::array::from_fn(|l| last[l].ln() - taken[l] * step))
    }
}

/// The smallest similarity of time steps that are far apart: a row is then never too small for its exponent.
const LEAST: f64 = 1e-30;
/// Pairs that are computed together.
const LANES: usize = 8;
type Lanes = [f64; LANES];
/// Rows whose diagonal is below this are multiplied by a power of two.
const SMALL: f64 = 1.0 / RAISED;
/// 2^300.
const RAISED: f64 = f64::from_bits((1023 + 300) << 52);

declared!(Kdtw { nu, epsilon, channel as Channel });

impl Kernel<[Series]> for Kdtw {
    type Prepared = SelfAligned;

    fn prepare(&self, objects: &[Series]) -> Result<Self::Prepared> {
        let series = PreparedSeries::plain(objects, ChannelChoice::at(self.channel))?;
        let own = parallel::try_map(series.len(), |i| {
            let (one, mut value) = (Part::new(&series, i..i + 1), [0.0]);
            self.log_values(one.clone(), one, &mut value)?;
            Ok(value[0])
        })?;
        Ok(SelfAligned { series, own })
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        self.log_values(rows.of(|s| &s.series), cols.of(|s| &s.series), out)?;
        for (value, (x, y)) in out.iter_mut().zip(SelfAligned::pair_values(&rows, &cols)) {
            *value = (*value - 0.5 * (x + y)).exp();
        }
        Ok(())
    }

    fn diagonal(&self, _of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        out.fill(1.0);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::Indefinite
    }

    fn tile_side(&self) -> usize {
        TILE_SIDE
    }
}

operators!([] Kdtw);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::Engine;
    use crate::random::Random;

    fn noise(channels: usize, length: usize, size: f64, random: &mut Random) -> Series {
        Series::new(channels, (0..channels * length).map(|_| size * random.normal()).collect()).unwrap()
    }

    /// K by its definition, with plain tables.
    fn plain(x: &Series, y: &Series, nu: f64, epsilon: f64) -> f64 {
        let f = |i: usize, j: usize| {
            let squared: f64 = (0..x.channels()).map(|c| (x.channel(c)[i] - y.channel(c)[j]).powi(2)).sum();
            ((-nu * squared).exp() + epsilon) / (3.0 * (1.0 + epsilon))
        };
        let (n, m) = (x.len(), y.len());
        let mut a = vec![vec![0.0; m + 1]; n + 1];
        let mut s = a.clone();
        (a[0][0], s[0][0]) = (1.0, 1.0);
        let same = |t: usize| if t <= n.min(m) { f(t - 1, t - 1) } else { 0.0 };
        for i in 1..=n {
            for j in 1..=m {
                a[i][j] = f(i - 1, j - 1) * (a[i - 1][j - 1] + a[i - 1][j] + a[i][j - 1]);
                s[i][j] = same(i) * s[i - 1][j] + same(j) * s[i][j - 1];
                if i == j {
                    s[i][j] += same(i) * s[i - 1][j - 1];
                }
            }
        }
        a[n][m] + s[n][m]
    }

    #[test]
    fn values_by_definition() {
        let mut random = Random::new(3);
        for (channels, size) in [(1, 0.5), (1, 20.0), (3, 1.0)] {
            let lengths = (0..50).map(|i| [1, 2, 9, 9, 30][i % 5]);
            let x: Vec<Series> = lengths.map(|n| noise(channels, n, size, &mut random)).collect();
            for epsilon in [1e-3, 1e-30] {
                let kernel = Kdtw::new(0.7).unwrap().with_epsilon(epsilon).unwrap();
                let k = Engine::new().gram(&kernel, &x[..]).unwrap();
                let own: Vec<f64> = x.iter().map(|x| plain(x, x, 0.7, epsilon)).collect();
                for i in 0..x.len() {
                    for j in 0..x.len() {
                        let want = plain(&x[i], &x[j], 0.7, epsilon) / (own[i] * own[j]).sqrt();
                        let found = k.at(i, j);
                        assert!((found - want).abs() <= 1e-12 * (1e-30 + want), "{i} {j}: {found} {want}");
                    }
                }
            }
        }
    }

    #[test]
    fn long_series_neither_overflow_nor_vanish() {
        let mut random = Random::new(4);
        let near = noise(1, 3000, 1.0, &mut random);
        let moved = Series::new(1, near.values().iter().map(|v| v + 0.01).collect()).unwrap();
        let x = [near, moved, noise(1, 3000, 50.0, &mut random)];
        let k = Engine::new().gram(&Kdtw::new(1.0).unwrap(), &x[..]).unwrap();
        assert!(k.values().iter().all(|v| v.is_finite() && *v >= 0.0));
        assert!(k.at(0, 1) > 0.5 && k.at(0, 2) < 1e-9, "{k:?}");
    }

    /// The definiteness that was published does not hold for pairs of time steps.
    #[test]
    fn short_series_have_negative_eigenvalues() {
        let mut random = Random::new(1);
        let least = (0..20).map(|at| {
            let size = [0.1, 0.3, 0.6, 1.0][at % 4];
            let x: Vec<Series> = (0..60).map(|_| noise(1, 2, size, &mut random)).collect();
            let k = Engine::new().gram(&Kdtw::new(1.0).unwrap(), &x[..]).unwrap();
            crate::numeric::eigenvalues(&k).unwrap()[0]
        });
        let least = least.fold(f64::INFINITY, f64::min);
        assert!(least < -1e-7, "{least}");
    }
}
