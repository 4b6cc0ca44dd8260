//! Optimal transport between two sets of points of equal weight, exact and with entropic regularisation.

use crate::budget;
use crate::error::Result;
use crate::numeric::math;

/// The least cost of moving the mass of n points, 1/n at each, to m points, 1/m at each: W(c) = min Σ f_ij·c_ij over
/// f_ij ≥ 0 with row sums 1/n and column sums 1/m.
///
/// Masses are whole numbers, m/g at each of the n points and n/g at each of the m, where g is the greatest common divisor.
/// Mass moves along shortest augmenting paths, of which one search finds several; the dual variables prove that the result
/// is a minimum. An object of this type keeps its memory from one problem to the next.
///
/// Cost: a search takes up to n·m steps; two sets of 30 points in 18 dimensions take about 20 searches.
///
/// R. Jonker and A. Volgenant, *A shortest augmenting path algorithm for dense and sparse linear assignment problems*,
/// Computing 38, 1987.
#[derive(Debug, Default)]
pub struct Transport {
    /// Dual variables: c_ij - rows_i - cols_j ≥ 0, and 0 where mass flows. With regularisation the potentials.
    rows: Vec<f64>,
    cols: Vec<f64>,
    supply: Vec<u64>,
    demand: Vec<u64>,
    /// Mass from i to j, by column.
    flow: Vec<u64>,
    search: Search,
}

/// A search for shortest paths from rows with supply to columns with demand.
#[derive(Debug, Default)]
struct Search {
    /// The distance of each column, infinite once it is final, and the row before it on the path.
    distance: Vec<f64>,
    before: Vec<usize>,
    /// 0 for each column, and infinite once its distance is final.
    closed: Vec<f64>,
    /// The columns whose distance is final, with it.
    order: Vec<(usize, f64)>,
    /// For each row its distance and the column before it, if it was reached.
    reached: Vec<Option<(f64, usize)>>,
    front: Vec<usize>,
}

/// The column before the row at which a search begins.
const START: usize = usize::MAX;

/// The number of iterations after which [`Transport::smoothed`] stops.
const MOST_ITERATIONS: usize = 200;

impl Transport {
    /// The least cost for the n × m costs, row by row, which must be finite and at least 0; 0 if there is no point.
    pub fn cost(&mut self, costs: &[f64], n: usize, m: usize) -> Result<f64> {
        if n == 0 || m == 0 {
            return Ok(0.0);
        }
        math::vectorised(
            #[inline(always)]
            || self.solve(costs, n, m),
        )
    }

    #[inline(always)]
    fn solve(&mut self, costs: &[f64], n: usize, m: usize) -> Result<f64> {
        self.start(costs, n, m);
        while self.paths(costs, n, m)? {
            for at in 0..self.search.order.len() {
                budget::check_after(1)?;
                self.augment(n, self.search.order[at].0);
            }
        }
        let mut total = 0.0;
        for j in 0..m {
            for i in 0..n {
                let mass = self.flow[j * n + i];
                if mass > 0 {
                    total += mass as f64 * costs[i * m + j];
                }
            }
        }
        let each = m as u64 / divisor(n as u64, m as u64);
        Ok(total / (n as u64 * each) as f64)
    }

    /// Dual variables from the least costs of rows, then of columns, and flow where both are tight.
    #[inline(always)]
    fn start(&mut self, costs: &[f64], n: usize, m: usize) {
        let g = divisor(n as u64, m as u64);
        self.supply.clear();
        self.supply.resize(n, m as u64 / g);
        self.demand.clear();
        self.demand.resize(m, n as u64 / g);
        self.flow.clear();
        self.flow.resize(n * m, 0);
        let of_row = |i: usize| &costs[i * m..(i + 1) * m];
        self.rows.clear();
        self.rows.extend((0..n).map(|i| least(of_row(i))));
        self.cols.clear();
        self.cols.resize(m, f64::INFINITY);
        for i in 0..n {
            let least = self.rows[i];
            self.cols.iter_mut().zip(of_row(i)).for_each(|(v, c)| *v = smaller(c - least, *v));
        }
        for i in 0..n {
            for j in 0..m {
                if self.supply[i] > 0
                    && self.demand[j] > 0
                    && of_row(i)[j] - self.rows[i] - self.cols[j] <= 0.0
                {
                    let mass = self.supply[i].min(self.demand[j]);
                    self.supply[i] -= mass;
                    self.demand[j] -= mass;
                    self.flow[j * n + i] = mass;
                }
            }
        }
    }

    /// Finds the nearest columns with demand for half of the supply that is left, and changes the dual variables so that all
    /// paths to them are tight. `false` if no supply is left.
    #[inline(always)]
    fn paths(&mut self, costs: &[f64], n: usize, m: usize) -> Result<bool> {
        let search = &mut self.search;
        search.distance.clear();
        search.distance.resize(m, f64::INFINITY);
        search.before.clear();
        search.before.resize(m, START);
        search.closed.clear();
        search.closed.resize(m, 0.0);
        search.order.clear();
        search.reached.clear();
        search.reached.extend(self.supply.iter().map(|s| (*s > 0).then_some((0.0, START))));
        search.front.clear();
        search.front.extend((0..n).filter(|i| self.supply[*i] > 0));
        let left: u64 = self.supply.iter().sum();
        let (mut found, mut end) = (0, 0.0);
        while 2 * found < left {
            for &i in &search.front {
                budget::check_after(m)?;
                let base = search.reached[i].map_or(0.0, |(d, _)| d) - self.rows[i];
                let row = costs[i * m..(i + 1) * m].iter().zip(&self.cols).zip(&search.closed);
                let known = search.distance.iter_mut().zip(&mut search.before);
                for (((cost, dual), closed), (distance, before)) in row.zip(known) {
                    // No branch, so that several columns are one step. The distance of a closed column stays infinite.
                    let through = base + cost - dual + closed;
                    let better = through < *distance;
                    *distance = if better { through } else { *distance };
                    *before = if better { i } else { *before };
                }
            }
            let distance = least(&search.distance);
            let nearest = search.distance.iter().position(|d| *d == distance);
            let Some(j) = nearest.filter(|_| distance < f64::INFINITY) else { break };
            search.distance[j] = f64::INFINITY;
            search.closed[j] = f64::INFINITY;
            search.order.push((j, distance));
            end = distance;
            found += self.demand[j];
            search.front.clear();
            for (i, &mass) in self.flow[j * n..(j + 1) * n].iter().enumerate() {
                if mass > 0 && search.reached[i].is_none() {
                    search.reached[i] = Some((distance, j));
                    search.front.push(i);
                }
            }
        }
        for (u, reached) in self.rows.iter_mut().zip(&search.reached) {
            if let Some((distance, _)) = reached {
                *u += end - distance;
            }
        }
        for &(j, distance) in &search.order {
            self.cols[j] -= end - distance;
        }
        Ok(found > 0)
    }

    /// Moves as much mass to a column as its demand and the path to it allow, after mass has moved along other paths.
    #[inline(always)]
    fn augment(&mut self, n: usize, sink: usize) {
        let search = &self.search;
        let back = |j: usize| {
            let i = search.before[j];
            (i, search.reached[i].map_or(START, |(_, column)| column))
        };
        let mut mass = self.demand[sink];
        let mut at = back(sink);
        while mass > 0 && at.1 != START {
            mass = mass.min(self.flow[at.1 * n + at.0]);
            at = back(at.1);
        }
        mass = mass.min(self.supply[at.0]);
        if mass == 0 {
            return;
        }
        self.supply[at.0] -= mass;
        self.demand[sink] -= mass;
        let mut column = sink;
        loop {
            let (i, before) = back(column);
            self.flow[column * n + i] += mass;
            if before == START {
                break;
            }
            self.flow[before * n + i] -= mass;
            column = before;
        }
    }

    /// An approximation by Sinkhorn's iterations: min Σ f_ij·c_ij + epsilon·KL(f | uniform), by its dual variables; 0 if
    /// there is no point. Iterations end when no dual variable moves by more than epsilon / 1000, and after 200.
    ///
    /// Cost: 2·n·m exponentials for each iteration.
    ///
    /// M. Cuturi, *Sinkhorn distances: lightspeed computation of optimal transport*, NIPS 2013.
    pub fn smoothed(&mut self, costs: &[f64], n: usize, m: usize, epsilon: f64) -> Result<f64> {
        if n == 0 || m == 0 {
            return Ok(0.0);
        }
        let (of_n, of_m) = ((n as f64).ln(), (m as f64).ln());
        self.rows.clear();
        self.rows.resize(n, 0.0);
        self.cols.clear();
        self.cols.resize(m, 0.0);
        let (mut row, mut most, mut sums) = (vec![0.0; m], vec![0.0; m], vec![0.0; m]);
        for _ in 0..MOST_ITERATIONS {
            let mut moved = 0.0f64;
            for i in 0..n {
                budget::check_after(8 * m)?;
                let of_row = &costs[i * m..(i + 1) * m];
                for ((t, c), v) in row.iter_mut().zip(of_row).zip(&self.cols) {
                    *t = (v - c) / epsilon;
                }
                let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                row.iter_mut().for_each(|t| *t -= top);
                math::exp_all(&mut row);
                let potential = -epsilon * (top + row.iter().sum::<f64>().ln() - of_m);
                moved = moved.max((potential - self.rows[i]).abs());
                self.rows[i] = potential;
            }
            most.fill(f64::NEG_INFINITY);
            sums.fill(0.0);
            for i in 0..n {
                budget::check_after(m)?;
                let (u, of_row) = (self.rows[i], &costs[i * m..(i + 1) * m]);
                most.iter_mut().zip(of_row).for_each(|(t, c)| *t = t.max((u - c) / epsilon));
            }
            for i in 0..n {
                budget::check_after(8 * m)?;
                let (u, of_row) = (self.rows[i], &costs[i * m..(i + 1) * m]);
                for ((t, c), top) in row.iter_mut().zip(of_row).zip(&most) {
                    *t = (u - c) / epsilon - top;
                }
                math::exp_all(&mut row);
                sums.iter_mut().zip(&row).for_each(|(s, t)| *s += t);
            }
            for ((v, top), sum) in self.cols.iter_mut().zip(&most).zip(&sums) {
                *v = -epsilon * (top + sum.ln() - of_n);
            }
            if moved <= 1e-3 * epsilon {
                break;
            }
        }
        Ok(self.rows.iter().sum::<f64>() / n as f64 + self.cols.iter().sum::<f64>() / m as f64)
    }
}

/// The first number if it is smaller, otherwise the second: without the rules of `f64::min` for NaN a single instruction.
#[inline(always)]
fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The least of some numbers, several at a time; infinite if there are none.
#[inline(always)]
fn least(values: &[f64]) -> f64 {
    let mut lanes = [f64::INFINITY; 8];
    let chunks = values.chunks_exact(8);
    let rest = chunks.remainder();
    chunks.for_each(|chunk| lanes.iter_mut().zip(chunk).for_each(|(l, v)| *l = smaller(*v, *l)));
    rest.iter().chain(&lanes).fold(f64::INFINITY, |a, b| smaller(*b, a))
}

fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The least sum over all assignments of copies of points to copies of points.
    fn brute(costs: &[f64], n: usize, m: usize) -> f64 {
        let g = divisor(n as u64, m as u64) as usize;
        let copies = n * m / g;
        let row = |k: usize| k / (m / g);
        let col = |k: usize| k / (n / g);
        let mut best = f64::INFINITY;
        let mut order: Vec<usize> = (0..copies).collect();
        permute(&mut order, 0, &mut |order| {
            let sum: f64 = order.iter().enumerate().map(|(a, &b)| costs[row(a) * m + col(b)]).sum();
            best = best.min(sum / copies as f64);
        });
        best
    }

    fn permute(order: &mut [usize], at: usize, each: &mut impl FnMut(&[usize])) {
        if at == order.len() {
            return each(order);
        }
        for k in at..order.len() {
            order.swap(at, k);
            permute(order, at + 1, each);
            order.swap(at, k);
        }
    }

    #[test]
    fn it_is_the_least_over_all_assignments() {
        let mut generator = Random::new(3);
        let mut transport = Transport::default();
        for (n, m) in
            [(1, 1), (1, 4), (4, 1), (2, 2), (3, 3), (2, 3), (3, 2), (2, 4), (4, 2), (6, 3), (2, 6), (5, 5)]
        {
            for _ in 0..20 {
                let costs: Vec<f64> = (0..n * m).map(|_| (generator.unit() * 8.0).floor() / 4.0).collect();
                let found = transport.cost(&costs, n, m).unwrap();
                assert!((found - brute(&costs, n, m)).abs() < 1e-12, "{n} × {m}: {costs:?}");
            }
        }
    }

    #[test]
    fn duals_prove_large_results() {
        let mut generator = Random::new(5);
        let mut transport = Transport::default();
        for (n, m) in [(40, 40), (31, 47), (60, 12), (1, 90)] {
            let costs: Vec<f64> = (0..n * m).map(|_| generator.unit()).collect();
            let found = transport.cost(&costs, n, m).unwrap();
            let dual =
                transport.rows.iter().sum::<f64>() / n as f64 + transport.cols.iter().sum::<f64>() / m as f64;
            assert!((found - dual).abs() < 1e-12, "{n} × {m}: {found} and {dual}");
            for i in 0..n {
                for j in 0..m {
                    assert!(costs[i * m + j] - transport.rows[i] - transport.cols[j] > -1e-12);
                }
            }
        }
        assert_eq!(transport.cost(&[], 0, 3).unwrap(), 0.0);
    }

    #[test]
    fn iterations_approach_the_least_cost() {
        let mut generator = Random::new(7);
        let mut transport = Transport::default();
        for (n, m) in [(1, 1), (3, 5), (12, 12), (20, 7)] {
            let costs: Vec<f64> = (0..n * m).map(|_| 1.0 + generator.unit()).collect();
            let exact = transport.cost(&costs, n, m).unwrap();
            let mut last = f64::INFINITY;
            for epsilon in [1.0, 0.1, 0.03] {
                let smoothed = transport.smoothed(&costs, n, m, epsilon).unwrap();
                // The regularised minimum exceeds the exact one by at most epsilon times the largest divergence.
                let bound = epsilon * (n.min(m) as f64).ln();
                assert!(
                    (-1e-3 * epsilon..=bound + 1e-9).contains(&(smoothed - exact)),
                    "{n} × {m}, {epsilon}"
                );
                assert!(smoothed <= last + 1e-9);
                last = smoothed;
            }
            // Of an infinite regularisation the product of the masses remains.
            let mean = costs.iter().sum::<f64>() / costs.len() as f64;
            assert!((transport.smoothed(&costs, n, m, 1e6).unwrap() - mean).abs() < 1e-5);
        }
        assert_eq!(transport.smoothed(&[], 0, 3, 0.1).unwrap(), 0.0);
        assert!(transport.smoothed(&[1e300, 0.0, 0.0, 1e300], 2, 2, 1e-3).unwrap().is_finite());
    }
}
