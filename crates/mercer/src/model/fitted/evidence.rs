//! What training objects say about a prediction: those for and against it, and the nearest one that is predicted otherwise.

use serde::Serialize;

use super::Model;
use super::resemble::{described, shown_value};
use crate::budget;
use crate::data::{Dataset, Dense, Values};
use crate::error::Result;
use crate::expression::Player;
use crate::gram::Engine;
use crate::learn::Prediction;

/// How training objects speak for and against a prediction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ObjectEvidence {
    /// The number of objects that speak for it.
    pub objects_for: usize,
    /// Their share of all contributions, by absolute value.
    pub share_for: f64,
    /// The number of objects that speak against it.
    pub objects_against: usize,
    /// Their share.
    pub share_against: f64,
    /// The nearest object that the model gives another class: a counterfactual among the training objects. `None` for
    /// predicted numbers, and where there is none.
    pub other_class: Option<OtherClass>,
}

/// The nearest training object of another class.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OtherClass {
    /// Its index among the objects that the model stores.
    pub object: usize,
    /// Its number, from 1, and its first values.
    pub name: String,
    /// The class that the model gives it.
    pub class: String,
    /// √(k(x, x) + k(z, z) - 2·k(x, z)).
    pub distance: f64,
    /// The columns in which it differs the most from the explained object, in standard deviations of the stored objects.
    pub differs: Vec<String>,
}

/// Objects that are predicted first; then four times as many.
const FIRST: usize = 8;
/// Columns that are compared, and the differences that are told.
const MOST_COLUMNS: usize = 200;
const TOLD: usize = 3;

impl ObjectEvidence {
    /// From the shares of all objects, which are negative against the prediction.
    pub(super) fn of(shares: impl Iterator<Item = f64>) -> ObjectEvidence {
        let mut out = ObjectEvidence {
            objects_for: 0,
            share_for: 0.0,
            objects_against: 0,
            share_against: 0.0,
            other_class: None,
        };
        for share in shares {
            if share > 0.0 {
                (out.objects_for, out.share_for) = (out.objects_for + 1, out.share_for + share);
            } else if share < 0.0 {
                (out.objects_against, out.share_against) =
                    (out.objects_against + 1, out.share_against - share);
            }
        }
        out
    }
}

impl Model {
    /// For each object, which has the columns of the model, the nearest stored object that the model gives another class.
    pub(super) fn other_classes(
        &self,
        new: &Dataset,
        prediction: &Prediction,
        engine: &Engine,
    ) -> Result<Vec<Option<OtherClass>>> {
        let m = self.kept.len();
        if self.trained.classes().len() < 2 || m == 0 {
            return Ok(vec![None; new.len()]);
        }
        let (set, stored) = (engine.prepare(&self.kernel, new)?, engine.prepare(&self.kernel, &self.kept)?);
        let cross: Dense = engine.cross_of(&self.kernel, &set, &stored)?;
        let (own, theirs) =
            (engine.diagonal_of(&self.kernel, &set)?, engine.diagonal_of(&self.kernel, &stored)?);
        let columns = Compared::of(&self.kept)?;
        // The class of each stored object, once it is needed.
        let mut known: Vec<Option<String>> = vec![None; m];
        let mut out = Vec::with_capacity(new.len());
        for (i, mine) in own.iter().enumerate() {
            budget::check()?;
            let squared = |j: usize| -> f64 { mine + theirs[j] - 2.0 * cross.at(i, j) };
            let mut order: Vec<usize> = (0..m).collect();
            order.sort_by(|&a, &b| squared(a).total_cmp(&squared(b)).then(a.cmp(&b)));
            let (mut start, mut step, mut found) = (0, FIRST, None);
            while start < m && found.is_none() {
                let some = &order[start..(start + step).min(m)];
                let unknown: Vec<usize> = some.iter().copied().filter(|&j| known[j].is_none()).collect();
                if !unknown.is_empty() {
                    let told = self.predict(&self.kept.select(&unknown), engine)?;
                    for (at, &j) in unknown.iter().enumerate() {
                        known[j] = Some(told.class(at).unwrap_or_default().to_owned());
                    }
                }
                found = some.iter().copied().find(|&j| known[j].as_deref() != prediction.class(i));
                (start, step) = (start + step, step * 4);
            }
            out.push(match found {
                None => None,
                Some(object) => Some(OtherClass {
                    object,
                    name: described(&self.kept, object),
                    class: known[object].clone().unwrap_or_default(),
                    distance: squared(object).max(0.0).sqrt(),
                    differs: columns.differences(new, i, object)?,
                }),
            });
        }
        Ok(out)
    }
}

/// The columns of stored objects that can be compared value by value, with the standard deviation of numbers.
struct Compared {
    columns: Vec<(Player, Values, f64)>,
}

impl Compared {
    fn of(kept: &Dataset) -> Result<Compared> {
        let mut columns = Vec::new();
        for player in Player::of(kept, MOST_COLUMNS).into_iter().take(MOST_COLUMNS) {
            let values = player.values(kept)?;
            let spread = match &values {
                Values::Numbers(x) if x.cols() == 1 => deviation(x.values()),
                Values::Times(times) => deviation(times.seconds()),
                Values::Categories(_) => 1.0,
                _ => continue,
            };
            if spread > 0.0 {
                columns.push((player, values, spread));
            }
        }
        Ok(Compared { columns })
    }

    /// How stored object j differs from object i: its values in place of those.
    fn differences(&self, new: &Dataset, i: usize, j: usize) -> Result<Vec<String>> {
        let mut all: Vec<(f64, String)> = Vec::new();
        for (player, values, spread) in &self.columns {
            let own = player.values(&new.select(&[i]))?;
            let apart = match (&own, values) {
                (Values::Numbers(a), Values::Numbers(b)) => (a.at(0, 0) - b.at(j, 0)).abs() / spread,
                (Values::Times(a), Values::Times(b)) => (a.seconds()[0] - b.seconds()[j]).abs() / spread,
                (Values::Categories(a), Values::Categories(b)) => f64::from(u8::from(a.get(0) != b.get(j))),
                _ => continue,
            };
            if apart > 0.0
                && let (Some(theirs), Some(own)) = (shown_value(values, j), shown_value(&own, 0))
            {
                all.push((apart, format!("{player} {theirs} instead of {own}")));
            }
        }
        all.sort_by(|a, b| b.0.total_cmp(&a.0));
        Ok(all.into_iter().take(TOLD).map(|(_, text)| text).collect())
    }
}

/// The standard deviation of the values that are not missing.
fn deviation(values: &[f64]) -> f64 {
    let known: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    let n = known.len().max(1) as f64;
    let mean = known.iter().sum::<f64>() / n;
    (known.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n).sqrt()
}
