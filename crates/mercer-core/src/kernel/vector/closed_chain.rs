//! Diffusion on a ring: hours of the day, months of the year, directions.

use crate::data::{Kind, Vectors};
use crate::error::{Error, Result};
use crate::kernel::node::closed;
use crate::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, Part, Prepared, declared};
use crate::numeric::Short;

/// The diffusion kernel of a closed chain of n positions, Π_i K(|x_i - y_i| mod n)/K(0) over coordinates. It suits
/// cyclic values such as the hour of the day (n = 24), where 23 and 0 are neighbours.
///
/// K is exp(-βL) of the chain, see [`closed_chain`](closed::closed_chain). The product over coordinates is the
/// diffusion kernel of the product of chains. Numbers must be whole and are taken modulo n. Positive semidefinite.
///
/// * `n`: number of positions on the chain, 3 to 10,000. * `beta` > 0: how far similarity spreads.
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, gram::Engine, kernel::vector::ClosedChain};
/// let hours = Vectors::from(Dense::from_rows(&[[23.0], [0.0], [12.0]]));
/// let k = Engine::new().gram(&ClosedChain::new(24, 2.0)?, &hours)?;
/// assert!(k.at(0, 1) > 0.6 && k.at(0, 2) < 0.01);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Kondor & Lafferty 2002, Diffusion kernels on graphs and other discrete input spaces.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedChain {
    n: u32,
    beta: f64,
    /// Indexed by the distance in one direction: entries from n/2 on mirror the others.
    table: Vec<f64>,
}

/// Positions of vectors on their chains, row after row.
#[derive(Clone, Debug)]
pub struct Places {
    rows: usize,
    width: usize,
    places: Vec<u32>,
}

impl Prepared for Places {
    fn len(&self) -> usize {
        self.rows
    }

    fn select(&self, chosen: &[usize]) -> Self {
        let places = chosen.iter().flat_map(|&i| self.row(i)).copied().collect();
        Places { rows: chosen.len(), width: self.width, places }
    }
}

impl ClosedChain {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "closed-chain",
        summary: "Diffusion around a ring: hours of the day, months, directions.",
        formula: "Π_i K(|x_i - y_i| mod n) / K(0), K(d) = Σ_ν exp(-2·beta·(1 - cos(2πν/n)))·cos(2πνd/n) / n",
        takes: "whole numbers, modulo n",
        kinds: &[Kind::Numbers],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "n",
                default: "12",
                domain: Domain::Whole(3, 10_000),
                doc: "number of positions on the ring",
                alias: None,
            },
            Parameter {
                name: "beta",
                default: "1",
                domain: Domain::Positive,
                doc: "how far similarity spreads",
                alias: None,
            },
        ],
        cost: "d look-ups",
        reference: "Kondor & Lafferty 2002",
        example: "closed-chain(n=24, beta=2)@hour",
    };

    /// The kernel of a chain of n positions.
    pub fn new(n: u32, beta: f64) -> Result<Self> {
        ClosedChain::FACTS.check("beta", beta)?;
        let half = closed::closed_chain(n, beta)?;
        let at = |d: usize| half[d.min(n as usize - d)] / half[0];
        Ok(ClosedChain { n, beta, table: (0..n as usize).map(at).collect() })
    }

    fn value(&self, x: &[u32], y: &[u32]) -> f64 {
        x.iter().zip(y).map(|(&a, &b)| self.table[a.abs_diff(b) as usize]).product()
    }
}

declared!(ClosedChain(n, beta as Short) => ClosedChain::new(n, beta));

impl Kernel<Vectors> for ClosedChain {
    type Prepared = Places;

    fn prepare(&self, objects: &Vectors) -> Result<Places> {
        let width = objects.dim();
        let mut places = Vec::with_capacity(objects.len() * width);
        let mut row = vec![0.0; width];
        for index in 0..objects.len() {
            match objects {
                Vectors::Dense(x) => row.copy_from_slice(x.row(index)),
                Vectors::Sparse(x) => {
                    row.fill(0.0);
                    x.scatter_row(index, &mut row);
                }
            }
            for &v in &row {
                if !(v.is_finite() && v.fract() == 0.0) {
                    return Err(Error::Object {
                        index,
                        reason: format!("{v} is not a whole number, as a closed chain requires"),
                        hint: None,
                    });
                }
                places.push(v.rem_euclid(f64::from(self.n)) as u32);
            }
        }
        Ok(Places { rows: objects.len(), width, places })
    }

    fn fill(&self, rows: Part<'_, Places>, cols: Part<'_, Places>, out: &mut [f64]) -> Result<()> {
        if rows.set.width != cols.set.width {
            return Err(Error::Dimension { expected: rows.set.width, found: cols.set.width });
        }
        for (row, i) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.range.clone()) {
            let own = rows.set.row(i);
            row.iter_mut().zip(cols.range.clone()).for_each(|(v, j)| *v = self.value(own, cols.set.row(j)));
        }
        Ok(())
    }

    fn diagonal(&self, _of: Part<'_, Places>, out: &mut [f64]) -> Result<()> {
        out.fill(1.0);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::PositiveSemidefinite
    }
}

impl Places {
    fn row(&self, i: usize) -> &[u32] {
        &self.places[i * self.width..(i + 1) * self.width]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dense, Sparse};
    use crate::gram::Engine;

    #[test]
    fn positions_are_taken_modulo_n() {
        let k = ClosedChain::new(7, 0.8).unwrap();
        let table = closed::closed_chain(7, 0.8).unwrap();
        let x = Vectors::from(Dense::from_rows(&[[0.0, 3.0], [6.0, -4.0], [-1.0, 10.0], [700.0, 3.0]]));
        let gram = Engine::new().gram(&k, &x).unwrap();
        assert!((gram.at(0, 1) - table[1] / table[0]).abs() < 1e-15);
        assert_eq!((gram.at(1, 2), gram.at(0, 3)), (1.0, 1.0));
        let sparse = Sparse::from_rows(2, &[vec![(1, 3.0)], vec![(0, 6.0), (1, 3.0)]]).unwrap();
        assert_eq!(Engine::new().gram(&k, &Vectors::from(sparse)).unwrap().at(0, 1), gram.at(0, 1));
    }

    #[test]
    fn fractional_positions_are_an_error() {
        let x = Vectors::from(Dense::from_rows(&[[1.0], [0.5]]));
        let error = Engine::new().gram(&ClosedChain::new(5, 1.0).unwrap(), &x).unwrap_err();
        assert!(matches!(error, Error::Object { index: 1, .. }));
        assert!(ClosedChain::new(2, 1.0).is_err() && ClosedChain::new(5, 0.0).is_err());
    }
}
