//! Exact optimal transport between two sets of points of equal weight.

use crate::budget;
use crate::error::Result;

/// The least cost of moving the mass of n points, 1/n at each, to m points, 1/m at each: W(c) = min Σ f_ij·c_ij over
/// f_ij ≥ 0 with row sums 1/n and column sums 1/m.
///
/// Masses are whole numbers, m/g at each of the n points and n/g at each of the m, where g is the greatest common divisor.
/// Mass moves along shortest augmenting paths; the dual variables prove that the result is a minimum. An object of this
/// type keeps its memory from one problem to the next.
///
/// Cost: at most n + m searches of n·m steps each where no flow is undone, and a few times that in general.
///
/// R. Jonker and A. Volgenant, *A shortest augmenting path algorithm for dense and sparse linear assignment problems*,
/// Computing 38, 1987.
#[derive(Debug, Default)]
pub struct Transport {
    /// Dual variables: c_ij - rows_i - cols_j ≥ 0, and 0 where mass flows.
    rows: Vec<f64>,
    cols: Vec<f64>,
    supply: Vec<u64>,
    demand: Vec<u64>,
    /// Mass from i to j, by column.
    flow: Vec<u64>,
    search: Search,
}

/// A search for a shortest path from one row to a column with demand.
#[derive(Debug, Default)]
struct Search {
    /// The distance of each column, and the row before it on the path.
    distance: Vec<f64>,
    before: Vec<usize>,
    /// Columns whose distance is final.
    done: Vec<bool>,
    order: Vec<usize>,
    /// For each row its distance and the column before it, if it was reached.
    reached: Vec<Option<(f64, usize)>>,
    front: Vec<usize>,
}

/// The column before the row at which a search begins.
const START: usize = usize::MAX;

impl Transport {
    /// The least cost for the n × m costs, row by row, which must be finite and at least 0; 0 if there is no point.
    pub fn cost(&mut self, costs: &[f64], n: usize, m: usize) -> Result<f64> {
        if n == 0 || m == 0 {
            return Ok(0.0);
        }
        self.start(costs, n, m);
        for i in 0..n {
            while self.supply[i] > 0 {
                budget::check_after(m)?;
                let Some(sink) = self.path(costs, (n, m), i)? else { break };
                self.augment(n, i, sink);
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
        self.rows.extend((0..n).map(|i| of_row(i).iter().fold(f64::INFINITY, |a, &b| a.min(b))));
        self.cols.clear();
        self.cols.resize(m, f64::INFINITY);
        for i in 0..n {
            let least = self.rows[i];
            self.cols.iter_mut().zip(of_row(i)).for_each(|(v, c)| *v = v.min(c - least));
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

    /// Finds the column with demand nearest to a row, and changes the dual variables so that the path to it is tight.
    /// `None` if no column has demand, which equal totals exclude.
    fn path(&mut self, costs: &[f64], (n, m): (usize, usize), from: usize) -> Result<Option<usize>> {
        let search = &mut self.search;
        search.distance.clear();
        search.distance.resize(m, f64::INFINITY);
        search.before.clear();
        search.before.resize(m, from);
        search.done.clear();
        search.done.resize(m, false);
        search.order.clear();
        search.reached.clear();
        search.reached.resize(n, None);
        search.reached[from] = Some((0.0, START));
        search.front.clear();
        search.front.push(from);
        let (sink, end) = loop {
            for &i in &search.front {
                budget::check_after(m)?;
                let base = search.reached[i].map_or(0.0, |(d, _)| d) - self.rows[i];
                let row = &costs[i * m..(i + 1) * m];
                for (j, (cost, dual)) in row.iter().zip(&self.cols).enumerate() {
                    let through = base + cost - dual;
                    if through < search.distance[j] && !search.done[j] {
                        search.distance[j] = through;
                        search.before[j] = i;
                    }
                }
            }
            let open = (0..m).filter(|&j| !search.done[j]);
            let nearest = open.fold(None, |best: Option<usize>, j| match best {
                Some(b) if search.distance[b] <= search.distance[j] => best,
                _ => Some(j),
            });
            let Some(j) = nearest else { return Ok(None) };
            search.done[j] = true;
            search.order.push(j);
            let distance = search.distance[j];
            if self.demand[j] > 0 {
                break (j, distance);
            }
            search.front.clear();
            for (i, &mass) in self.flow[j * n..(j + 1) * n].iter().enumerate() {
                if mass > 0 && search.reached[i].is_none() {
                    search.reached[i] = Some((distance, j));
                    search.front.push(i);
                }
            }
        };
        for (u, reached) in self.rows.iter_mut().zip(&search.reached) {
            if let Some((distance, _)) = reached {
                *u += end - distance;
            }
        }
        for &j in &search.order {
            self.cols[j] -= end - search.distance[j];
        }
        Ok(Some(sink))
    }

    /// Moves as much mass as the path allows.
    fn augment(&mut self, n: usize, from: usize, sink: usize) {
        let search = &self.search;
        let back = |j: usize| {
            let i = search.before[j];
            (i, search.reached[i].map_or(START, |(_, column)| column))
        };
        let mut mass = self.supply[from].min(self.demand[sink]);
        let mut at = back(sink);
        while at.1 != START {
            mass = mass.min(self.flow[at.1 * n + at.0]);
            at = back(at.1);
        }
        self.supply[from] -= mass;
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
}
