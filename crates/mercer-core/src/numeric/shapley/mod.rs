//! Shapley values of cooperative games that are given by numbers.
//!
//! A game has d players, and a value v(S) for every set S of them. The Shapley value of player j is its mean contribution
//! v(S ∪ j) - v(S) over all orders in which the players can come (Shapley 1953). The values of all players sum to
//! v(everyone) - v(nobody). There are 2^d sets, but games of three forms need only polynomial time:
//!
//! * [`add_products`]: v(S) = Π over j of p_j inside S and q_j outside,
//! * [`add_powers`]: v(S) = (c + Σ over j of p_j inside S and q_j outside)^n,
//! * sums, where the value is p_j - q_j: a product with one factor.
//!
//! [`of_all_coalitions`] sums over all sets, and [`Orders`] draws orders where there are too many.
//!
//! ```
//! use mercer_core::numeric::shapley::{add_products, of_all_coalitions};
//! let (inside, outside) = ([0.5, 2.0, 3.0], [1.0, 0.25, 1.0]);
//! let value = |set: usize| (0..3).map(|j| if set >> j & 1 == 1 { inside[j] } else { outside[j] }).product::<f64>();
//! let all = of_all_coalitions(&(0..8).map(value).collect::<Vec<_>>(), 3);
//! let mut fast = [0.0; 3];
//! let rows = |x: &'static [f64]| x.chunks(1).collect::<Vec<_>>();
//! add_products(&rows(&[0.5, 2.0, 3.0]), &rows(&[1.0, 0.25, 1.0]), &mut fast);
//! assert!(all.iter().zip(fast).all(|(a, b)| (a - b).abs() < 1e-14));
//! ```

mod coalitions;
mod power;
mod product;
mod quadrature;
#[cfg(test)]
mod tests;

pub use coalitions::{Orders, of_all_coalitions};
pub use power::{MOST_DEGREE, add_powers};
pub use product::add_products;
pub use quadrature::gauss_legendre;
