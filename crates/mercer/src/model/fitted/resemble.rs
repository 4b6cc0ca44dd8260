//! Explanations of predictions by support objects, for kernels without named features.

use super::Model;
use super::explain::{Contribution, Explanation};
use super::weighs::Weighs;
use crate::budget;
use crate::data::{Column, Dataset, Values};
use crate::error::Result;
use crate::gram::{Engine, Silent};
use crate::model::align::align;

/// Number of columns shown in the name of a support object.
const SHOWN_COLUMNS: usize = 4;
/// Number of characters of a text shown in the name.
const SHOWN_CHARACTERS: usize = 24;

impl Model {
    /// Explains predictions for any kernel: for each object the `most` support objects with the largest contributions.
    ///
    /// A decision value is offset + Σ_j k(x, x_j) · w_j over the support objects x_j. The contribution of one is its
    /// similarity with the object, `count`, times its weight. It works for the learners of [`Model::explain`] except
    /// the linear ones.
    ///
    /// ```
    /// use mercer::{data::embedded, gram::Engine, model::Model};
    /// let (flowers, engine) = (embedded::iris()?, Engine::new());
    /// let model = Model::fit(&flowers, &"rbf(gamma=0.25)".parse()?, &"svc".parse()?, 0, &engine)?;
    /// let why = &model.explain_by_objects(&flowers.select(&[0]), 3, &engine)?[0];
    /// assert_eq!((why.class.as_deref(), why.parts.len()), (Some("setosa"), 3));
    /// let sum = why.offset + why.rest + why.parts.iter().map(|p| p.amount).sum::<f64>();
    /// assert!((why.value - sum).abs() < 1e-9);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn explain_by_objects(
        &self,
        data: &Dataset,
        most: usize,
        engine: &Engine,
    ) -> Result<Vec<Explanation>> {
        self.check_single("weights of support objects")?;
        let (base, slopes) = self.trained.slopes()?;
        let rows: Vec<usize> = (0..data.len()).collect();
        let new = align(&self.kept, data, &rows)?;
        let prediction = self.predict(data, engine)?;
        let quiet = engine.clone().with_progress(std::sync::Arc::new(Silent));
        let support = self.kept.select(&self.support);
        let cross = quiet.cross(&self.kernel, &new, &support)?;
        let mut out = Vec::with_capacity(new.len());
        for i in 0..new.len() {
            budget::check()?;
            let signs = self.trained.toward(&prediction, i, base.len());
            let dot = |values: &[f64]| values.iter().zip(&signs).map(|(v, s)| v * s).sum::<f64>();
            let amount = |j: usize| {
                let weight = dot(slopes.row(j));
                (j, weight, cross.at(i, j), weight * cross.at(i, j))
            };
            let mut amounts: Vec<(usize, f64, f64, f64)> = (0..support.len()).map(amount).collect();
            let (offset, total) = (dot(&base), amounts.iter().map(|a| a.3).sum::<f64>());
            amounts.sort_by(|a, b| b.3.abs().total_cmp(&a.3.abs()).then(a.0.cmp(&b.0)));
            let rest = amounts.iter().skip(most).map(|a| a.3).sum();
            amounts.truncate(most);
            let part = |(j, weight, count, amount): (usize, f64, f64, f64)| Contribution {
                feature: named(&support, j),
                weight,
                count,
                amount,
                nodes: Vec::new(),
                error: None,
            };
            out.push(Explanation {
                class: prediction.class(i).map(str::to_owned),
                value: offset + total,
                offset,
                parts: amounts.into_iter().map(part).collect(),
                rest,
                local: false,
                structures: Vec::new(),
            });
        }
        Ok(out)
    }
}

/// A support object by its number, from 1, and its first values.
fn named(support: &Dataset, j: usize) -> String {
    let shown = |column: &Column| Some(format!("{} {}", column.name, shown_value(&column.values, j)?));
    let mut told: Vec<String> = support.columns().iter().filter_map(shown).collect();
    let more = if told.len() > SHOWN_COLUMNS { ", …" } else { "" };
    told.truncate(SHOWN_COLUMNS);
    let told = if told.is_empty() { String::new() } else { format!(" ({}{more})", told.join(", ")) };
    format!("similarity to support object {}{told}", j + 1)
}

/// The value of an object in a column in a few characters; `None` for values that are not text or numbers.
pub(super) fn shown_value(values: &Values, j: usize) -> Option<String> {
    Some(match values {
        Values::Numbers(x) if x.cols() == 1 => x.at(j, 0).to_string(),
        Values::Numbers(x) => {
            let some: Vec<String> = x.row(j).iter().take(SHOWN_COLUMNS).map(f64::to_string).collect();
            format!("[{}{}]", some.join(", "), if x.cols() > SHOWN_COLUMNS { ", …" } else { "" })
        }
        Values::Categories(c) => c.get(j).unwrap_or("?").to_owned(),
        Values::Times(t) => t.show(j),
        Values::Strings(v) | Values::Text(v) => {
            let text = v.get(j).and_then(Option::as_deref).unwrap_or("?");
            let more = if text.chars().count() > SHOWN_CHARACTERS { "…" } else { "" };
            format!("{}{more}", text.chars().take(SHOWN_CHARACTERS).collect::<String>())
        }
        _ => return None,
    })
}
