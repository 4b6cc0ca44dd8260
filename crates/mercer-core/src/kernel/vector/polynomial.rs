//! Powers of the inner product, and their monomial features.

use super::{OfProducts, PreparedVectors, Vector};
use crate::data::{Dense, Vectors};
use crate::error::{Error, Result};
use crate::kernel::facts::NUMERIC;
use crate::kernel::{Definiteness, Domain, Facts, FeatureMap, Features, Parameter, Part, declared};

/// The polynomial kernel (gamma·x·y + c)^degree.
///
/// Its feature space has one axis per monomial of the coordinates, of degree up to `degree` (exactly
/// `degree` when c = 0): see [`FeatureMap::features`].
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::kernel::{FeatureMap, vector::Polynomial};
/// let x = Vectors::from(Dense::from_rows(&[[5.9, 3.0]]));
/// let map = Polynomial::homogeneous(2)?.features(&x)?;
/// assert_eq!(map.names, ["x1^2", "x2^2", "x1*x2"]);
/// let values = map.values.to_dense();
/// assert!((values.at(0, 0) - 34.81).abs() < 1e-12);
/// assert!((values.at(0, 2) - 25.03).abs() < 2e-3);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Polynomial {
    degree: u32,
    c: f64,
    gamma: f64,
}

/// Maximum number of explicit features.
const MOST_FEATURES: usize = 5_000_000;

impl Polynomial {
    /// (gamma·x·y + c)^degree with degree from 1 to 64, c ≥ 0 and gamma > 0.
    pub fn new(degree: u32, c: f64, gamma: f64) -> Result<Self> {
        let facts = Polynomial::FACTS;
        facts.check("degree", f64::from(degree))?;
        Ok(Polynomial { degree, c: facts.check("c", c)?, gamma: facts.check("gamma", gamma)? })
    }

    /// (x·y)^degree.
    pub fn homogeneous(degree: u32) -> Result<Self> {
        Polynomial::new(degree, 0.0, 1.0)
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "polynomial",
        summary: "A power of the inner product: all monomials of the coordinates up to a degree.",
        formula: "(gamma · x·y + c)^degree",
        takes: "numbers",
        kinds: NUMERIC,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "degree",
                default: "2",
                // For higher degrees, values overflow or vanish for all but unit vectors.
                domain: Domain::Whole(1, 64),
                doc: "the power",
                alias: None,
            },
            Parameter {
                name: "c",
                default: "1",
                domain: Domain::NonNegative,
                doc: "weight of the lower degrees; 0 keeps only the highest degree",
                alias: None,
            },
            super::gamma("factor of the inner product", None),
        ],
        cost: "d multiplications",
        reference: "Zaki & Meira 2020, chapter 5",
        example: "polynomial(degree=2)",
    };

    fn power(&self, product: f64) -> f64 {
        (self.gamma * product + self.c).powi(self.degree as i32)
    }
}

declared!(Polynomial { degree, c, gamma });

impl OfProducts for Polynomial {
    const DEFINITENESS: Definiteness = Definiteness::PositiveSemidefinite;

    fn apply(&self, _own: Vector<'_>, _others: &Part<'_, PreparedVectors>, row: &mut [f64]) {
        row.iter_mut().for_each(|v| *v = self.power(*v));
    }

    fn of_self(&self, norm: f64) -> f64 {
        self.power(norm)
    }
}

impl FeatureMap<Vectors> for Polynomial {
    /// One feature per monomial x^α: √(q! / (α! (q-|α|)!) · c^(q-|α|) · gamma^|α|) · x^α, ordered by degree |α|, then
    /// pure powers before mixed ones. There are (d + q choose q) of them; more than five million are an error.
    fn named_features(&self, objects: &Vectors, coordinate: &dyn Fn(usize) -> String) -> Result<Features> {
        let (dim, q) = (objects.dim(), self.degree as usize);
        let lowest = if self.c == 0.0 { q } else { 0 };
        let count = monomial_count(dim, lowest, q).filter(|n| *n <= MOST_FEATURES);
        let Some(count) = count else {
            return Err(Error::param("degree", q, "small enough for at most 5000000 monomials"));
        };
        let mut monomials = Vec::with_capacity(count);
        for degree in lowest..=q {
            let mut of_degree = Vec::new();
            each_monomial(dim, degree, &mut |m| of_degree.push(m.to_vec()));
            of_degree.sort_by_key(|m| m.len());
            monomials.append(&mut of_degree);
        }
        let factors: Vec<f64> = monomials.iter().map(|m| self.factor(m)).collect();
        let points = objects.to_dense();
        let mut values = Vec::with_capacity(points.rows() * monomials.len());
        for i in 0..points.rows() {
            let x = points.row(i);
            values.extend(monomials.iter().zip(&factors).map(|(m, factor)| {
                m.iter().fold(*factor, |v, &(coordinate, power)| v * x[coordinate].powi(power as i32))
            }));
        }
        let values = Dense::new(points.rows(), monomials.len(), values)?;
        Ok(Features::numbered(values, |at| name(&monomials[at], coordinate)))
    }
}

/// A monomial: coordinates with their powers, ascending.
type Monomial = [(usize, usize)];

impl Polynomial {
    fn factor(&self, monomial: &Monomial) -> f64 {
        let q = self.degree as usize;
        let degree: usize = monomial.iter().map(|m| m.1).sum();
        // q! / (α! (q-|α|)!) as a product of binomials, which stays exact for larger numbers than factorials do.
        let mut left = q;
        let mut ways = 1.0;
        for &(_, power) in monomial {
            ways *= binomial(left, power);
            left -= power;
        }
        (ways * self.c.powi((q - degree) as i32) * self.gamma.powi(degree as i32)).sqrt()
    }
}

fn binomial(n: usize, k: usize) -> f64 {
    (0..k).fold(1.0, |b, i| b * (n - i) as f64 / (i + 1) as f64)
}

/// The number of monomials of `dim` variables with degree from `lowest` to `highest`, unless it overflows.
fn monomial_count(dim: usize, lowest: usize, highest: usize) -> Option<usize> {
    let up_to =
        |q: usize| (1..=q).try_fold(1u128, |b, i| b.checked_mul((dim + i) as u128).map(|b| b / i as u128));
    let below = if lowest == 0 { 0 } else { up_to(lowest - 1)? };
    usize::try_from(up_to(highest)? - below).ok()
}

fn each_monomial(dim: usize, degree: usize, visit: &mut dyn FnMut(&Monomial)) {
    fn extend(
        first: usize,
        dim: usize,
        left: usize,
        so_far: &mut Vec<(usize, usize)>,
        visit: &mut dyn FnMut(&Monomial),
    ) {
        if left == 0 {
            return visit(so_far);
        }
        for coordinate in first..dim {
            for power in (1..=left).rev() {
                so_far.push((coordinate, power));
                extend(coordinate + 1, dim, left - power, so_far, visit);
                so_far.pop();
            }
        }
    }
    extend(0, dim, degree, &mut Vec::new(), visit);
}

fn name(monomial: &Monomial, coordinate: &dyn Fn(usize) -> String) -> String {
    if monomial.is_empty() {
        return "1".into();
    }
    let factors = monomial.iter().map(|&(at, power)| match power {
        1 => coordinate(at),
        _ => format!("{}^{power}", coordinate(at)),
    });
    factors.collect::<Vec<_>>().join("*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inhomogeneous_quadratic_map_in_the_order_of_the_book() {
        let x = Vectors::from(Dense::from_rows(&[[2.0, 3.0]]));
        let map = Polynomial::new(2, 1.0, 1.0).unwrap().features(&x).unwrap();
        assert_eq!(map.names, ["1", "x1", "x2", "x1^2", "x2^2", "x1*x2"]);
        let root = 2f64.sqrt();
        let expected = [1.0, 2.0 * root, 3.0 * root, 4.0, 9.0, 6.0 * root];
        for (a, b) in map.values.to_dense().row(0).iter().zip(expected) {
            assert!((a - b).abs() < 1e-14);
        }
    }

    #[test]
    fn counts_monomials_without_listing_them() {
        assert_eq!(monomial_count(2, 0, 2), Some(6));
        assert_eq!(monomial_count(2, 2, 2), Some(3));
        assert_eq!(monomial_count(4, 3, 3), Some(20));
        assert!(monomial_count(100_000, 0, 64).is_none());
        let wide = Vectors::from(Dense::zeros(1, 1000));
        assert!(Polynomial::homogeneous(5).unwrap().features(&wide).is_err());
    }

    #[test]
    fn parameters_are_checked() {
        assert!(Polynomial::new(0, 1.0, 1.0).is_err());
        assert!(Polynomial::new(2, -1.0, 1.0).is_err());
        assert!(Polynomial::new(2, f64::NAN, 1.0).is_err());
        assert!(Polynomial::new(2, 1.0, 0.0).is_err());
    }
}
