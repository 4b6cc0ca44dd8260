//! What a model does along one column, and what it loses without one: partial dependence, accumulated local effects and
//! permutation importance, all by evaluating it on composed objects.

use serde::Serialize;

use super::composed::Pool;
use super::{ExplainedOutput, Job, Views};
use crate::budget;
use crate::data::{Dataset, Dense, Target, Values};
use crate::error::Result;
use crate::expression::{MOST_COORDINATES, Player};
use crate::gram::Engine;
use crate::learn::Prediction;
use crate::model::align::align;
use crate::model::fitted::Model;
use crate::random::Random;

/// What a model predicts along one column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColumnEffect {
    /// The column.
    pub column: String,
    /// The class that the values are for; `None` for a predicted number.
    pub output: Option<String>,
    /// Along the values of the column: quantiles of numbers, or the names of categories.
    pub points: Vec<EffectPoint>,
}

/// A value of a column, and what the model makes of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EffectPoint {
    /// The value as text.
    pub at: String,
    /// The value, where it is a number.
    pub number: Option<f64>,
    /// Partial dependence: the mean output when all objects have this value (Friedman 2001).
    pub dependence: f64,
    /// The accumulated local effect (Apley & Zhu 2020): the sum of mean changes between neighbouring values, of the objects
    /// between them alone, centred; `None` for categories. Unlike partial dependence, it uses no objects far from the data.
    pub effect: Option<f64>,
}

/// What a model loses when a column is shuffled.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PermutationImportance {
    /// The column.
    pub column: String,
    /// The mean increase of the error: the share of objects predicted wrong, or the squared error.
    pub increase: f64,
    /// The 95 % interval of it, over objects.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl Model {
    /// The effect of single columns, given by their index among [`Model::columns_explained`], on each output. `points` is the
    /// number of quantiles of a column of numbers.
    ///
    /// ```
    /// use mercer::{data::embedded, gram::Engine, model::Model};
    /// let (flowers, engine) = (embedded::iris()?, Engine::new());
    /// let model = Model::fit(&flowers, &"rbf(gamma=0.25)".parse()?, &"svc".parse()?, 0, &engine)?;
    /// let effects = model.effects(&flowers, &[2], 6, &engine)?;
    /// assert_eq!((effects[0].column.as_str(), effects[0].output.as_deref()), ("petal_length", Some("setosa")));
    /// // Long petals speak against setosa.
    /// let points = &effects[0].points;
    /// assert!(points[0].dependence > points[points.len() - 1].dependence);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn effects(
        &self,
        data: &Dataset,
        columns: &[usize],
        points: usize,
        engine: &Engine,
    ) -> Result<Vec<ColumnEffect>> {
        let rows: Vec<usize> = (0..data.len()).collect();
        let objects = align(&self.kept, data, &rows)?;
        let quiet = engine.clone().with_progress(std::sync::Arc::new(crate::gram::Silent));
        let players = self.columns_explained();
        let job = Job { model: self, columns: &players, objects: &objects, background: &objects };
        let views = Views::of(self, ExplainedOutput::Decision, &self.predict(&objects, &quiet)?)?;
        let pool = Pool::new(&job)?;
        let mut out = Vec::new();
        for &j in columns.iter().filter(|&&j| j < players.len()) {
            let Some(grid) = Grid::of(&players[j], &objects, points)? else { continue };
            let set: Vec<bool> = (0..players.len()).map(|l| l == j).collect();
            let mut dependence = Dense::zeros(grid.at.len(), views.classes.len());
            for (k, &(_, _, object)) in grid.at.iter().enumerate() {
                budget::check()?;
                let rows: Vec<_> = rows.iter().map(|&i| (object, i, set.clone())).collect();
                let values = super::means(&pool.evaluate(&rows, &views, &quiet)?);
                dependence.row_mut(k).copy_from_slice(&values);
            }
            let local = grid.local_effects(&pool, &set, &views, &quiet)?;
            for (v, class) in views.classes.iter().enumerate() {
                let point = |(k, (at, number, _)): (usize, &(String, Option<f64>, usize))| EffectPoint {
                    at: at.clone(),
                    number: *number,
                    dependence: dependence.at(k, v),
                    effect: local.as_ref().map(|effects| effects.at(k, v)),
                };
                let points = grid.at.iter().enumerate().map(point).collect();
                out.push(ColumnEffect { column: players[j].to_string(), output: class.clone(), points });
            }
        }
        Ok(out)
    }

    /// The columns that explanations tell apart, and the coordinates of columns of vectors.
    pub fn columns_explained(&self) -> Vec<Player> {
        Player::of(&self.kept, MOST_COORDINATES)
    }

    /// How much worse predictions get when the values of one column are shuffled among the objects, on average over `repeats`
    /// shuffles, with 95 % intervals over the objects; empty without a known target of the kind that the model predicts.
    ///
    /// L. Breiman, *Random forests*, 2001; A. Fisher, C. Rudin and F. Dominici, *All models are wrong, but many are useful*,
    /// JMLR 2019.
    pub fn permutation_importance(
        &self,
        data: &Dataset,
        repeats: usize,
        seed: u64,
        engine: &Engine,
    ) -> Result<Vec<PermutationImportance>> {
        let known: Vec<usize> = (0..data.len()).filter(|&i| is_known(data, i)).collect();
        let data = data.select(&known);
        let rows: Vec<usize> = (0..data.len()).collect();
        let objects = align(&self.kept, &data, &rows)?;
        let quiet = engine.clone().with_progress(std::sync::Arc::new(crate::gram::Silent));
        let players = self.columns_explained();
        let Some(errors) = errors(&data, &self.predict(&objects, &quiet)?) else { return Ok(Vec::new()) };
        if errors.is_empty() {
            return Ok(Vec::new());
        }
        let job = Job { model: self, columns: &players, objects: &objects, background: &objects };
        let pool = Pool::new(&job)?;
        let mut out = Vec::new();
        for (j, player) in players.iter().enumerate() {
            let mut increases = vec![0.0; rows.len()];
            for repeat in 0..repeats.max(1) {
                budget::check()?;
                let mut order = rows.clone();
                Random::derived(seed, (j * repeats.max(1) + repeat) as u64).shuffle(&mut order);
                let set: Vec<bool> = (0..players.len()).map(|l| l != j).collect();
                let composed: Vec<_> = rows.iter().map(|&i| (i, order[i], set.clone())).collect();
                let prediction = self.predict(&pool.compose(&composed)?, &quiet)?;
                let Some(after) = self::errors(&data, &prediction) else { return Ok(Vec::new()) };
                for ((sum, after), before) in increases.iter_mut().zip(after).zip(&errors) {
                    *sum += (after - before) / repeats.max(1) as f64;
                }
            }
            let n = increases.len() as f64;
            let mean = increases.iter().sum::<f64>() / n;
            let variance =
                increases.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0).max(1.0);
            let half = 1.96 * (variance / n).sqrt();
            let (low, high) = (mean - half, mean + half);
            out.push(PermutationImportance { column: player.to_string(), increase: mean, low, high });
        }
        Ok(out)
    }
}

fn is_known(data: &Dataset, i: usize) -> bool {
    match data.target() {
        Some(Target::Classes(classes)) => classes.code(i).is_some(),
        Some(Target::Numbers(y)) => !y[i].is_nan(),
        None => false,
    }
}

/// The error of each object: 1 for a wrong class, or the squared error of a number.
fn errors(data: &Dataset, prediction: &Prediction) -> Option<Vec<f64>> {
    match (data.target()?, prediction.numbers()) {
        (Target::Numbers(y), Some(found)) => {
            Some(y.iter().zip(found).map(|(y, f)| (y - f) * (y - f)).collect())
        }
        (Target::Classes(known), None) => {
            let wrong = |i: usize| f64::from(u8::from(known.get(i) != prediction.class(i)));
            Some((0..known.len()).map(wrong).collect())
        }
        _ => None,
    }
}

/// Values of a column: as text, as a number, and an object that has each.
struct Grid {
    at: Vec<(String, Option<f64>, usize)>,
    /// The numbers of all objects.
    numbers: Option<Vec<f64>>,
}

/// The most categories shown.
const MOST_CATEGORIES: usize = 12;

impl Grid {
    /// `None` for a column of other values than numbers and categories, or of one value.
    fn of(player: &Player, objects: &Dataset, points: usize) -> Result<Option<Grid>> {
        let grid = match player.values(objects)? {
            Values::Numbers(x) if x.cols() == 1 => {
                let numbers: Vec<f64> = (0..x.rows()).map(|i| x.at(i, 0)).collect();
                let mut order: Vec<usize> = (0..numbers.len()).filter(|&i| !numbers[i].is_nan()).collect();
                order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]).then(a.cmp(&b)));
                let last = order.len().saturating_sub(1);
                let steps = points.max(2) - 1;
                let quantile = |k: usize| order.get(k * last / steps).copied();
                let mut chosen: Vec<usize> = (0..=steps).filter_map(quantile).collect();
                chosen.dedup_by(|a, b| numbers[*a] == numbers[*b]);
                let at = chosen.into_iter().map(|i| (numbers[i].to_string(), Some(numbers[i]), i)).collect();
                Grid { at, numbers: Some(numbers) }
            }
            Values::Categories(c) => {
                let first = |level: &String| {
                    let object = (0..c.len()).find(|&i| c.get(i) == Some(level))?;
                    Some((level.clone(), None, object))
                };
                Grid {
                    at: c.levels().iter().filter_map(first).take(MOST_CATEGORIES).collect(),
                    numbers: None,
                }
            }
            _ => return Ok(None),
        };
        Ok((grid.at.len() > 1).then_some(grid))
    }

    /// Between neighbouring values, the mean change of the output for the objects between them; summed up, and centred by
    /// the objects.
    fn local_effects(
        &self,
        pool: &Pool<'_>,
        set: &[bool],
        views: &Views,
        engine: &Engine,
    ) -> Result<Option<Dense>> {
        let Some(numbers) = &self.numbers else { return Ok(None) };
        let edges: Vec<f64> = self.at.iter().filter_map(|(_, number, _)| *number).collect();
        let mut out = Dense::zeros(edges.len(), views.classes.len());
        let mut members = vec![0usize; edges.len()];
        for k in 1..edges.len() {
            // The first interval has its lower end.
            let inside = |v: f64| v <= edges[k] && (v > edges[k - 1] || k == 1 && v >= edges[0]);
            let own: Vec<usize> = (0..numbers.len()).filter(|&i| inside(numbers[i])).collect();
            members[k] = own.len();
            let mut rows = Vec::with_capacity(2 * own.len());
            for &i in &own {
                rows.push((self.at[k].2, i, set.to_vec()));
                rows.push((self.at[k - 1].2, i, set.to_vec()));
            }
            let values = pool.evaluate(&rows, views, engine)?;
            for v in 0..views.classes.len() {
                let change: f64 = (0..own.len()).map(|r| values.at(2 * r, v) - values.at(2 * r + 1, v)).sum();
                out.row_mut(k)[v] = out.at(k - 1, v) + change / own.len().max(1) as f64;
            }
        }
        let n = members.iter().sum::<usize>().max(1) as f64;
        for v in 0..views.classes.len() {
            let middle = |k: usize| 0.5 * (out.at(k, v) + out.at(k - 1, v)) * members[k] as f64;
            let mean = (1..edges.len()).map(middle).sum::<f64>() / n;
            (0..edges.len()).for_each(|k| out.row_mut(k)[v] -= mean);
        }
        Ok(Some(out))
    }
}
