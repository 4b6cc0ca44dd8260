//! The functions f of f(S).

use std::fmt;

use super::base::Base;
use super::facts;
use crate::budget::{self, Budget, matrix_bytes};
use crate::data::{Dense, Network};
use crate::error::{Error, Result};
use crate::kernel::{Definiteness, Facts};
use crate::numeric::{Chebyshev, Short, Symmetric, extremes, inverse};

/// The function f of the base matrix S that defines a kernel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Family {
    /// S^l: walks of l steps. Positive semidefinite for even l.
    Power {
        /// The number of steps, 1 to 64.
        l: u32,
    },
    /// exp(β·S), β > 0; on the Laplacian the diffusion kernel.
    Diffusion {
        /// How far similarity spreads.
        beta: f64,
    },
    /// (I - β·S)⁻¹ = Σ β^l·S^l, |β| < 1/ρ(S).
    VonNeumann {
        /// Discount per step.
        beta: f64,
    },
    /// (I + β·L)⁻¹, β > 0, L the Laplacian or the normalised Laplacian.
    RegularizedLaplacian {
        /// The strength of regularisation.
        beta: f64,
    },
    /// (a·I - L̃)^p, a ≥ 2, L̃ the normalised Laplacian.
    PStep {
        /// The number of steps, 1 to 64.
        p: u32,
        /// Laziness of the walk.
        a: f64,
    },
    /// L⁺, the pseudo-inverse of the Laplacian: distances in its feature space are square roots of commute times, up to
    /// a factor. At most 8192 nodes.
    CommuteTime,
    /// (1 - α)·(I - α·D^(-1/2)·A·D^(-1/2))⁻¹, 0 < α < 1: symmetrised personalised PageRank.
    Pagerank {
        /// The probability to continue the walk.
        alpha: f64,
    },
}

/// Maximum number of steps of a power.
pub(super) const STEPS: u32 = 64;
/// From this many terms on, a dense inverse is faster and more accurate.
const MANY_TERMS: usize = 400;

/// f, given bounds on the spectrum of S.
#[derive(Debug)]
pub(super) enum Function {
    Sum(Chebyshev),
    /// The inverse of I - β·S times a factor. A dense inverse is used where the sum would need too many terms.
    Inverse {
        beta: f64,
        factor: f64,
        sum: Result<Chebyshev>,
    },
    PseudoInverse,
}

impl Family {
    fn facts(self) -> &'static Facts {
        match self {
            Family::Power { .. } => &facts::POWER,
            Family::Diffusion { .. } => &facts::DIFFUSION,
            Family::VonNeumann { .. } => &facts::VON_NEUMANN,
            Family::RegularizedLaplacian { .. } => &facts::REGULARIZED_LAPLACIAN,
            Family::PStep { .. } => &facts::P_STEP,
            Family::CommuteTime => &facts::COMMUTE_TIME,
            Family::Pagerank { .. } => &facts::PAGERANK,
        }
    }

    /// Checks that parameters are in their domains and that the family accepts the base matrix. Regularised Laplacians
    /// need a Laplacian; families with a fixed matrix ignore the base.
    pub fn check(self, base: Base) -> Result<()> {
        let facts = self.facts();
        match self {
            Family::Power { l } => facts.check("l", f64::from(l)).map(drop),
            Family::Diffusion { beta } | Family::VonNeumann { beta } => facts.check("beta", beta).map(drop),
            Family::RegularizedLaplacian { beta } => {
                facts.check("beta", beta)?;
                match base {
                    Base::Adjacency => Err(Error::param("base", "adjacency", "laplacian or normalized")),
                    _ => Ok(()),
                }
            }
            Family::PStep { p, a } => {
                facts.check("p", f64::from(p))?;
                facts.check("a", a).map(drop)
            }
            Family::CommuteTime => Ok(()),
            Family::Pagerank { alpha } => match alpha > 0.0 && alpha < 1.0 {
                true => Ok(()),
                false => Err(Error::param("alpha", alpha, "above 0 and below 1")),
            },
        }
    }

    pub(super) fn definiteness(self, _base: Base) -> Definiteness {
        match self {
            Family::Power { l } if l % 2 == 1 => Definiteness::Indefinite,
            _ => Definiteness::PositiveSemidefinite,
        }
    }

    /// The matrix S.
    pub(super) fn matrix(self, network: &Network, base: Base) -> Symmetric {
        match self {
            Family::PStep { a, .. } => Base::Normalized.matrix(network, a),
            Family::CommuteTime => Base::Laplacian.matrix(network, 0.0),
            // I - L̃; a walk stays at a node without edges, so its self-similarity is 1.
            Family::Pagerank { .. } => Base::Normalized.matrix(network, 1.0),
            _ => base.matrix(network, 0.0),
        }
    }

    /// f with this error relative to its largest value, using bounds on the spectrum of S. Fails where it diverges.
    pub(super) fn function(self, s: &Symmetric, base: Base, error: f64) -> Result<Function> {
        let sum = match self {
            Family::Power { l } => Chebyshev::power(l, radius(s, base))?,
            Family::PStep { p, a } => Chebyshev::power(p, a)?,
            Family::Diffusion { beta } => {
                let (low, high) = interval(radius(s, base), base);
                Chebyshev::exponential(beta, low, high, error)?
            }
            Family::Pagerank { alpha } => return Ok(resolvent(alpha, (-1.0, 1.0), 1.0 - alpha, error)),
            Family::RegularizedLaplacian { beta } => {
                return Ok(resolvent(beta, interval(radius(s, base), base), 1.0, error));
            }
            Family::VonNeumann { beta } => {
                let radius = admitted(beta, s, base)?;
                return Ok(resolvent(beta, interval(radius, base), 1.0, error));
            }
            Family::CommuteTime => return Ok(Function::PseudoInverse),
        };
        Ok(Function::Sum(sum))
    }

    pub(super) fn print(self, f: &mut fmt::Formatter<'_>, base: Base, landmarks: usize) -> fmt::Result {
        let facts = self.facts();
        match self {
            Family::Power { l } => facts.print(f, &[], &[&l, &base, &landmarks]),
            Family::Diffusion { beta }
            | Family::VonNeumann { beta }
            | Family::RegularizedLaplacian { beta } => {
                facts.print(f, &[], &[&Short(beta), &base, &landmarks])
            }
            Family::PStep { p, a } => facts.print(f, &[], &[&p, &Short(a), &landmarks]),
            Family::CommuteTime => facts.print(f, &[], &[]),
            Family::Pagerank { alpha } => facts.print(f, &[], &[&Short(alpha), &landmarks]),
        }
    }
}

/// An upper bound on |λ| over the eigenvalues of S.
fn radius(s: &Symmetric, base: Base) -> f64 {
    let bound = s.radius_bound(40);
    if base == Base::Normalized { bound.min(2.0) } else { bound }
}

/// The interval of the eigenvalues of S, given a bound on their absolute value.
fn interval(radius: f64, base: Base) -> (f64, f64) {
    match base {
        Base::Laplacian | Base::Normalized => (-radius, 0.0),
        Base::Adjacency => (-radius, radius),
    }
}

/// A bound on |λ| for which |β|·|λ| is below 1, or an error with the largest admissible β.
fn admitted(beta: f64, s: &Symmetric, base: Base) -> Result<f64> {
    let bound = radius(s, base);
    if beta.abs() * bound < 1.0 {
        return Ok(bound);
    }
    // The bound may be loose, so the eigenvalues decide.
    let found = extremes(s, 200)?;
    let radius = found.low.abs().max(found.high.abs());
    let within = (radius + found.residual) * (1.0 + 1e-12);
    if beta.abs() * within < 1.0 {
        return Ok(within);
    }
    Err(Error::Diverge { name: "beta".into(), value: beta, bound: 1.0 / radius, index: None })
}

fn resolvent(beta: f64, (low, high): (f64, f64), factor: f64, error: f64) -> Function {
    let sum = Chebyshev::resolvent(beta, low, high, error).map(|sum| sum.scaled(factor));
    match sum {
        Ok(sum) if sum.terms() <= MANY_TERMS => Function::Sum(sum),
        sum => Function::Inverse { beta, factor, sum },
    }
}

impl Function {
    /// f as a sum, which can compute single columns.
    pub(super) fn sum(&self, family: &Family) -> Result<&Chebyshev> {
        match self {
            Function::Sum(sum) | Function::Inverse { sum: Ok(sum), .. } => Ok(sum),
            Function::Inverse { beta, .. } => {
                Err(Error::param("beta", beta, "further from divergence in a graph of this size"))
            }
            Function::PseudoInverse => Err(Error::Param {
                name: "kernel".into(),
                value: format!("{family:?}"),
                domain: "another kernel for a graph of more than 8192 nodes, chosen rows, or landmarks: regularized-laplacian with a large beta is similar".into(),
            }),
        }
    }

    /// The full matrix f(S).
    pub(super) fn whole(&self, family: &Family, s: &Symmetric, budget: &Budget) -> Result<Dense> {
        match self {
            Function::Sum(_) => self.sum(family)?.whole(s, budget),
            &Function::Inverse { beta, factor, .. } => by_component(s, budget, |range| {
                let mut block = part(s, range, |v, own| f64::from(u8::from(own)) - beta * v);
                block = inverse(block)?;
                block.values_mut().iter_mut().for_each(|v| *v *= factor);
                Ok(block)
            }),
            // (L + J/n)⁻¹ - J/n for a connected graph of n nodes, J the matrix of ones.
            Function::PseudoInverse => by_component(s, budget, |range| {
                let share = 1.0 / range.len() as f64;
                // A constant of the magnitude of L keeps the sum well conditioned.
                let scale = range.clone().map(|i| -s.at(i, i)).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
                if range.len() == 1 {
                    return Ok(Dense::zeros(1, 1));
                }
                let mut block = inverse(part(s, range, |v, _| scale * share - v))?;
                block.values_mut().iter_mut().for_each(|v| *v -= share / scale);
                Ok(block)
            }),
        }
    }
}

/// The entries within a component, mapped by `change`; its second argument says whether an entry is on the diagonal.
fn part(s: &Symmetric, range: std::ops::Range<usize>, change: impl Fn(f64, bool) -> f64) -> Dense {
    let n = range.len();
    let mut out = Dense::zeros(n, n);
    let zero = change(0.0, false);
    out.values_mut().iter_mut().for_each(|v| *v = zero);
    for (i, at) in range.clone().enumerate() {
        out.row_mut(i)[i] = change(s.at(at, at), true);
        for (j, v) in s.off_diagonal(at) {
            out.row_mut(i)[j - range.start] = change(v, false);
        }
    }
    out
}

/// A block-diagonal matrix with one block per component.
fn by_component(
    s: &Symmetric,
    budget: &Budget,
    block: impl Fn(std::ops::Range<usize>) -> Result<Dense>,
) -> Result<Dense> {
    // The result and the two matrices needed for an inverse.
    let needed = matrix_bytes(s.len(), s.len(), 24);
    budget::ask("similarities between nodes", needed)?;
    let mut out = Dense::zeros(s.len(), s.len());
    for range in s.components() {
        budget.check()?;
        let order = &s.order()[range.clone()];
        let block = block(range)?;
        for (i, &row) in order.iter().enumerate() {
            let target = out.row_mut(row as usize);
            order.iter().zip(block.row(i)).for_each(|(&column, v)| target[column as usize] = *v);
        }
    }
    Ok(out)
}
