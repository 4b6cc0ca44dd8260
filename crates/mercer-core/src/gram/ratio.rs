//! Similarities as a share of what two objects have: Tanimoto and Dice.

use super::normalize::check_self_similarities;
use super::transform::{BlockTransform, Summary};
use crate::error::Result;

/// The shared part of two objects, relative to both of them.
///
/// ```
/// use mercer_core::{data::Dense, gram::{BlockTransform, Ratio}};
/// // Two sets of 3 and 2 features that share 1.
/// let mut k = Dense::from_rows(&[[3.0, 1.0], [1.0, 2.0]]);
/// let known = Ratio::Tanimoto.of_gram(&k)?;
/// Ratio::Tanimoto.gram(&known, &mut k);
/// assert_eq!(k.values(), [1.0, 0.25, 0.25, 1.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ratio {
    /// k(x, y) / (k(x, x) + k(y, y) - k(x, y)): of sets, what they share by what either has.
    Tanimoto,
    /// 2 k(x, y) / (k(x, x) + k(y, y)).
    Dice,
}

impl BlockTransform for Ratio {
    type Statistic = f64;
    const FROM: Summary = Summary::SelfSimilarity;

    fn statistics(&self, summaries: Vec<f64>) -> Result<Vec<f64>> {
        check_self_similarities(&summaries)?;
        Ok(summaries.into_iter().map(|s| s.max(0.0)).collect())
    }

    #[inline]
    fn row(&self, own: f64, theirs: &[f64], row: &mut [f64]) {
        let share = |shared: f64, all: f64| if all > 0.0 { shared / all } else { 0.0 };
        match self {
            Ratio::Tanimoto => {
                row.iter_mut().zip(theirs).for_each(|(v, other)| *v = share(*v, own + other - *v));
            }
            Ratio::Dice => {
                row.iter_mut().zip(theirs).for_each(|(v, other)| *v = share(2.0 * *v, own + other))
            }
        }
    }

    fn own(&self, _value: f64, statistic: f64) -> f64 {
        f64::from(u8::from(statistic > 0.0))
    }
}
