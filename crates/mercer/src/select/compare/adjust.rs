//! Adjustment of p values for multiple tests.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// How p values are adjusted for the number of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Correction {
    /// No adjustment.
    None,
    /// m · p: keeps the probability of any false discovery below alpha.
    Bonferroni,
    /// The same guarantee, and never less power: max over smaller p of (m - i + 1) · p₍ᵢ₎.
    #[default]
    Holm,
    /// Keeps the expected share of false discoveries below alpha: min over larger p of m / i · p₍ᵢ₎.
    BenjaminiHochberg,
}

impl Correction {
    /// Every correction.
    pub const ALL: [Correction; 4] =
        [Correction::None, Correction::Bonferroni, Correction::Holm, Correction::BenjaminiHochberg];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Correction::None => "none",
            Correction::Bonferroni => "bonferroni",
            Correction::Holm => "holm",
            Correction::BenjaminiHochberg => "benjamini-hochberg",
        }
    }

    /// The adjusted p values, in the order given and at most 1; compare them with alpha.
    ///
    /// ```
    /// use mercer::select::compare::Correction;
    /// let p = [0.01, 0.04, 0.03];
    /// assert_eq!(Correction::Bonferroni.adjust(&p)?, [0.03, 0.12, 0.09]);
    /// assert_eq!(Correction::Holm.adjust(&p)?, [0.03, 0.06, 0.06]);
    /// assert_eq!(Correction::BenjaminiHochberg.adjust(&p)?, [0.03, 0.04, 0.04]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// S. Holm, Scandinavian Journal of Statistics 6 (1979); Y. Benjamini and Y. Hochberg, JRSS B 57 (1995).
    pub fn adjust(self, p: &[f64]) -> Result<Vec<f64>> {
        if let Some(bad) = p.iter().find(|p| !(0.0..=1.0).contains(*p)) {
            return Err(Error::param("p", bad, "between 0 and 1"));
        }
        let m = p.len();
        let mut order: Vec<usize> = (0..m).collect();
        order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
        let mut out = p.to_vec();
        match self {
            Correction::None => {}
            Correction::Bonferroni => out.iter_mut().for_each(|p| *p = (*p * m as f64).min(1.0)),
            Correction::Holm => {
                let mut largest = 0.0f64;
                for (at, &i) in order.iter().enumerate() {
                    largest = largest.max((p[i] * (m - at) as f64).min(1.0));
                    out[i] = largest;
                }
            }
            Correction::BenjaminiHochberg => {
                let mut smallest = 1.0f64;
                for (at, &i) in order.iter().enumerate().rev() {
                    smallest = smallest.min(p[i] * (m as f64 / (at + 1) as f64));
                    out[i] = smallest;
                }
            }
        }
        Ok(out)
    }
}

impl fmt::Display for Correction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Correction {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let known = Correction::ALL.into_iter().find(|c| c.name() == text.trim());
        known.ok_or_else(|| {
            let names = Correction::ALL.map(Correction::name).join(", ");
            Error::param("correction", format!("'{text}'"), &format!("one of {names}"))
        })
    }
}
