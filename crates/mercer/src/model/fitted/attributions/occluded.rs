//! Explanations by parts of an object: the model on the object with some of its parts hidden.

use super::sets::Sets;
use super::{AttributionMethod, AttributionOptions, Views, output_of};
use crate::budget;
use crate::data::{Column, Dataset, Dense, Kind, ObjectPart, Values};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::model::align::align;
use crate::model::fitted::Model;
use crate::model::fitted::explain::{Contribution, Explanation};
use crate::model::fitted::structure::StructureWeights;

/// Objects with hidden parts evaluated in one call.
const AT_ONCE: usize = 4096;
/// Up to this many parts, the model is evaluated for every set of them.
const MOST_ENUMERATED: usize = 8;
/// Weights of single pixels are given up to this many.
const MOST_PIXELS: usize = 1 << 16;

/// The parts of an object of a kind, where the caller gives no number: 12 stretches, 4 × 4 blocks, 12 others.
fn most_parts(kind: Kind) -> usize {
    match kind {
        Kind::Images => 16,
        _ => 12,
    }
}

/// The parts of one object, column after column.
struct Parted<'a> {
    model: &'a Model,
    /// The object alone.
    object: Dataset,
    /// The parts of each column; none for columns that stay as they are.
    columns: Vec<Vec<ObjectPart>>,
    /// Whether a column holds nodes, whose network changes.
    of_network: bool,
}

impl<'a> Parted<'a> {
    fn of(model: &'a Model, object: Dataset, most: Option<usize>) -> Self {
        let parts = |c: &Column| c.values.parts(0, most.unwrap_or(most_parts(c.values.kind())));
        let columns: Vec<Vec<ObjectPart>> = object.columns().iter().map(parts).collect();
        let is_network = |(c, parts): (&Column, &Vec<ObjectPart>)| {
            matches!(c.values, Values::Nodes(_)) && !parts.is_empty()
        };
        let of_network = object.columns().iter().zip(&columns).any(is_network);
        Parted { model, object, columns, of_network }
    }

    fn len(&self) -> usize {
        self.columns.iter().map(Vec::len).sum()
    }

    /// The object once for each set of visible parts.
    fn compose(&self, sets: &[Vec<bool>]) -> Result<Dataset> {
        let mut start = 0;
        let mut columns = Vec::with_capacity(self.columns.len());
        for (column, parts) in self.object.columns().iter().zip(&self.columns) {
            let end = start + parts.len();
            let values = match parts.is_empty() {
                true => column.values.select(&vec![0; sets.len()]),
                false => {
                    let own: Vec<Vec<bool>> = sets.iter().map(|set| set[start..end].to_vec()).collect();
                    column.values.hiding(0, parts, &own)?
                }
            };
            columns.push(Column::new(&column.name, values));
            start = end;
        }
        Dataset::new(columns)
    }

    /// What each set of visible parts is worth: the outputs of the model.
    fn worth(&self, sets: &[Vec<bool>], views: &Views, engine: &Engine) -> Result<Dense> {
        let mut out = Dense::zeros(sets.len(), views.classes.len());
        let step = if self.of_network { 1 } else { AT_ONCE };
        for (at, some) in sets.chunks(step).enumerate() {
            budget::check()?;
            let objects = self.compose(some)?;
            let prediction = match self.of_network {
                true => self.model.predict_in_network(&objects, engine)?,
                false => self.model.predict(&objects, engine)?,
            };
            let values = views.values(&prediction);
            (0..some.len()).for_each(|k| out.row_mut(at * step + k).copy_from_slice(values.row(k)));
        }
        Ok(out)
    }

    /// The amount of each time step, pixel or node, for the columns that have places.
    fn structures(&self, amounts: &[f64]) -> Vec<StructureWeights> {
        let mut start = 0;
        let mut out = Vec::new();
        for (column, parts) in self.object.columns().iter().zip(&self.columns) {
            let own = &amounts[start..start + parts.len()];
            start += parts.len();
            if parts.is_empty() {
                continue;
            }
            let (size, width, edges) = match &column.values {
                Values::Series(all) => (all[0].len(), 0, 0),
                Values::Images(all) => (all[0].width() * all[0].height(), all[0].width(), 0),
                Values::Graphs(all) => (all[0].nodes(), 0, all[0].edges()),
                _ => continue,
            };
            if width > 0 && size > MOST_PIXELS {
                continue;
            }
            let mut nodes = vec![0.0; size];
            for (part, amount) in parts.iter().zip(own) {
                let places: Vec<usize> = match (&column.values, &part.places[..]) {
                    (Values::Series(_), &[first, last]) => (first as usize..=last as usize).collect(),
                    (Values::Images(_), &[left, top, right, bottom]) => (top as usize..=bottom as usize)
                        .flat_map(|y| (left as usize..=right as usize).map(move |x| y * width + x))
                        .collect(),
                    (_, nodes) => nodes.iter().map(|&node| node as usize).collect(),
                };
                let share = amount / places.len().max(1) as f64;
                places.into_iter().for_each(|at| nodes[at] += share);
            }
            out.push(StructureWeights { column: column.name.clone(), nodes, edges: vec![0.0; edges] });
        }
        out
    }
}

impl Model {
    /// What takes the place of hidden parts in the columns of the model; none if no column has parts.
    pub fn hides(&self) -> Vec<&'static str> {
        let mut all: Vec<&'static str> = Vec::new();
        for how in self.kept.columns().iter().filter_map(|c| c.values.kind().hidden_as()) {
            if !all.contains(&how) {
                all.push(how);
            }
        }
        all
    }

    /// Explains predictions of any kernel and learner by parts of the objects: stretches of series, blocks of images, stretches
    /// of strings, words, nodes of graphs, neighbours of nodes; see [`Values::parts`](crate::data::Values::parts).
    ///
    /// This is occlusion: the model is evaluated again, exactly, on the object with parts hidden as
    /// [`Kind::hidden_as`](crate::data::Kind::hidden_as) says. The amount of a part is its Shapley value in the game whose
    /// value is the output with a set of parts visible: over all sets of up to 8 parts, else along random orders, with
    /// standard errors. So the amounts sum to the value minus the offset, which is the output with every part hidden. Other
    /// columns stay as they are.
    ///
    /// The neighbours of a node are hidden by removing their edges; the kernel is then computed anew on the network that is
    /// left, with the weights of the model.
    ///
    /// An object takes up to 256 predictions for 8 parts, and `options.orders` · 2 · (parts - 1) + 2 for more.
    ///
    /// ```
    /// use mercer::data::{Categories, Column, Dataset, Series, Target, Values};
    /// use mercer::{gram::Engine, model::{AttributionOptions, Model}};
    /// // A bump in the third quarter makes the difference.
    /// let series = |bump: f64, noise: f64| {
    ///     let value = |t: usize| if (8..12).contains(&t) { bump } else { noise * (t as f64).sin() };
    ///     Series::new(1, (0..16).map(value).collect())
    /// };
    /// let all = (0..8).map(|i| series(f64::from(i % 2), 0.1 * f64::from(i))).collect::<Result<Vec<_>, _>>()?;
    /// let classes = Categories::from_values((0..8).map(|i| Some(if i % 2 == 1 { "bump" } else { "flat" })));
    /// let data = Dataset::new(vec![Column::new("signal", Values::Series(all))])?;
    /// let data = data.with_target("class", Target::Classes(classes))?;
    /// let engine = Engine::new();
    /// let model = Model::fit(&data, &"dtw".parse()?, &"knn(k=1)".parse()?, 0, &engine)?;
    /// let options = AttributionOptions { parts: Some(4), ..AttributionOptions::default() };
    /// let (why, how) = model.explain_by_parts(&data.select(&[7]), 1, &options, &engine)?;
    /// assert_eq!(why[0].parts[0].feature, "time steps 8-11");
    /// assert!(how.is_exact());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// M. D. Zeiler and R. Fergus, *Visualizing and understanding convolutional networks*, ECCV 2014, for occlusion;
    /// E. Štrumbelj and I. Kononenko, *Explaining prediction models and individual predictions with feature contributions*,
    /// 2014, for Shapley values over what is left.
    pub fn explain_by_parts(
        &self,
        data: &Dataset,
        most: usize,
        options: &AttributionOptions,
        engine: &Engine,
    ) -> Result<(Vec<Explanation>, AttributionMethod)> {
        if self.hides().is_empty() {
            let kinds: Vec<&str> = self.kept.columns().iter().map(|c| c.values.kind().name()).collect();
            return Err(Error::Param {
                name: "by".into(),
                value: "parts".into(),
                domain: format!(
                    "columns, features or objects: only series, images, strings, text, graphs and nodes have parts that can be \
                     hidden, and this model uses {}",
                    kinds.join(", ")
                ),
            });
        }
        let rows: Vec<usize> = (0..data.len()).collect();
        let objects = align(&self.kept, data, &rows)?;
        let quiet = engine.clone().with_progress(std::sync::Arc::new(crate::gram::Silent));
        let prediction = self.predict(&objects, &quiet)?;
        let outputs = Views::of(self, options.output, &prediction)?;
        let (mut out, mut method) = (Vec::with_capacity(rows.len()), AttributionMethod::Enumerated);
        for i in rows {
            let parted = Parted::of(self, objects.select(&[i]), options.parts);
            let sets = Sets::of(parted.len(), MOST_ENUMERATED.min(options.most_enumerated), options);
            if !sets.method().is_exact() {
                method = sets.method();
            }
            let class = prediction.class(i);
            // Decision values are explained for the predicted class, as by features and by objects.
            let own = Views::toward(self, options.output, &prediction, i);
            let views = own.as_ref().unwrap_or(&outputs);
            let worth = parted.worth(&sets.all, views, &quiet)?;
            let (output, sign) = match own {
                Some(_) => (0, 1.0),
                None => output_of(&views.classes, class, self.trained.classes()),
            };
            let (values, errors) = sets.values(&worth, output);
            let amounts: Vec<f64> = values.iter().map(|v| sign * v).collect();
            out.push(explanation(&parted, class, sign * worth.at(0, output), amounts, errors, most));
        }
        Ok((out, method))
    }
}

fn explanation(
    parted: &Parted<'_>,
    class: Option<&str>,
    offset: f64,
    amounts: Vec<f64>,
    errors: Option<Vec<f64>>,
    most: usize,
) -> Explanation {
    let several = parted.columns.iter().filter(|parts| !parts.is_empty()).count() > 1;
    let columns = parted.object.columns().iter().zip(&parted.columns);
    let named: Vec<(String, &ObjectPart)> = columns
        .flat_map(|(column, parts)| {
            parts.iter().map(move |part| match several {
                true => (format!("{}: {}", column.name, part.name), part),
                false => (part.name.clone(), part),
            })
        })
        .collect();
    let mut order: Vec<usize> = (0..amounts.len()).collect();
    order.sort_by(|&a, &b| amounts[b].abs().total_cmp(&amounts[a].abs()).then(a.cmp(&b)));
    let part = |&j: &usize| Contribution {
        feature: named[j].0.clone(),
        weight: amounts[j],
        count: 1.0,
        amount: amounts[j],
        nodes: vec![named[j].1.places.clone()],
        error: errors.as_ref().map(|errors| errors[j]),
        share: None,
    };
    Explanation {
        class: class.map(str::to_owned),
        value: offset + amounts.iter().sum::<f64>(),
        offset,
        parts: order.iter().take(most).map(part).collect(),
        rest: order.iter().skip(most).map(|&j| amounts[j]).sum(),
        local: false,
        structures: parted.structures(&amounts),
        evidence: None,
    }
}
