//! A fitted model as a whole: which columns it uses, what it makes of their values, and whether that is worth anything.

use serde::Serialize;

use crate::data::{Dataset, Target, Theme, Values};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::learn::Prediction;
use crate::model::{
    AttributionOptions, Attributions, BACKGROUND, BackgroundChoice, ColumnEffect, Contribution,
    ExplainedOutput, Explanation, Model, ObjectEvidence, PermutationImportance,
};
use crate::random::Random;

use super::examples::{ExampleObject, Examples};

/// How to explain a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelExplanationOptions {
    /// What is explained.
    pub output: ExplainedOutput,
    /// At most this many objects are explained, drawn at random.
    pub objects: usize,
    /// The number of objects of the background.
    pub background: usize,
    /// How they are chosen.
    pub background_by: BackgroundChoice,
    /// Pairs of orders of the columns, where Shapley values are sampled.
    pub orders: usize,
    /// Effects of this many columns, the most important ones.
    pub effects: usize,
    /// The quantiles at which effects are computed.
    pub points: usize,
    /// Shuffles of each column.
    pub repeats: usize,
    /// The seed of everything that is drawn.
    pub seed: u64,
}

impl Default for ModelExplanationOptions {
    fn default() -> Self {
        ModelExplanationOptions {
            output: ExplainedOutput::Decision,
            objects: 500,
            background: BACKGROUND,
            background_by: BackgroundChoice::Random,
            orders: AttributionOptions::default().orders,
            effects: 4,
            points: 12,
            repeats: 5,
            seed: 0,
        }
    }
}

/// A model explained on data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelExplanation {
    /// The number of explained objects.
    pub objects: usize,
    /// The number of objects they were drawn from.
    pub of: usize,
    /// The columns, most important first.
    pub columns: Vec<ExplainedColumn>,
    /// How Shapley values were computed.
    pub method: String,
    /// Whether they are exact.
    pub exact: bool,
    /// The background in words.
    pub background: String,
    /// The largest difference between the sum of the values of an object and its output minus base value, relative to the
    /// largest output.
    pub gap: f64,
    /// The score on the data, if it has the target.
    pub score: Option<ScoreAgainstBaseline>,
    /// Pairs of columns of numbers whose correlation is beyond 0.8: the model may use either, and shares say little.
    pub correlated: Vec<CorrelatedColumns>,
    /// What the model predicts along the most important columns.
    pub effects: Vec<ColumnEffect>,
    /// Prototypes, criticisms, and the nearest objects that are predicted otherwise.
    pub examples: Examples,
    /// The first prototype and criticism of each class, explained one by one.
    pub explained: Vec<ExplainedExample>,
    /// The Shapley values themselves.
    pub attributions: Attributions,
}

/// A column and how much a model uses it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExplainedColumn {
    /// Its name, with the coordinate of a column of vectors.
    pub column: String,
    /// The mean of |Shapley value| over objects and outputs.
    pub importance: f64,
    /// Its share of the sum over all columns.
    pub share: f64,
    /// What shuffling it costs, where the target is known.
    pub permutation: Option<PermutationImportance>,
}

/// The error of a model and of the baseline on the same objects.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScoreAgainstBaseline {
    /// `accuracy` or `mean squared error`.
    pub name: &'static str,
    /// That of the model.
    pub model: f64,
    /// That of the majority class or of the mean of the data.
    pub baseline: f64,
    /// Whether the model is better.
    pub better: bool,
}

/// Two columns of numbers that rise and fall together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CorrelatedColumns {
    /// The first column.
    pub first: String,
    /// The second column.
    pub second: String,
    /// Pearson's correlation.
    pub correlation: f64,
}

/// Correlations beyond this are told.
const CORRELATED: f64 = 0.8;
/// The most pairs told, and the most columns compared in pairs.
const MOST_PAIRS: usize = 10;
const MOST_COMPARED: usize = 300;

impl ModelExplanation {
    /// Explains a model on data, which needs no target; with one, permutation importance and the comparison with the baseline
    /// are added. The background is drawn from the data.
    ///
    /// ```
    /// use mercer::{data::embedded, gram::Engine, model::Model};
    /// use mercer::insight::{ModelExplanation, ModelExplanationOptions};
    /// let (flowers, engine) = (embedded::iris()?, Engine::new());
    /// let model = Model::fit(&flowers, &"rbf(gamma=0.25)".parse()?, &"svc".parse()?, 0, &engine)?;
    /// let why = ModelExplanation::of(&model, &flowers, None, &ModelExplanationOptions::default(), &engine)?;
    /// assert_eq!(why.columns[0].column, "petal_length");
    /// assert!(why.exact && why.gap < 1e-9 && why.score.unwrap().better);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn of(
        model: &Model,
        data: &Dataset,
        background: Option<&Dataset>,
        options: &ModelExplanationOptions,
        engine: &Engine,
    ) -> Result<ModelExplanation> {
        if data.is_empty() {
            return Err(Error::usage("no objects to explain the model on"));
        }
        let chosen = Random::derived(options.seed, 0x6f62).sample(data.len(), options.objects.max(1));
        let part = data.select(&chosen);
        let (size, background) = (options.background, Some(background.unwrap_or(data)));
        let background =
            model.background_by(options.background_by, background, size, options.seed, engine)?;
        let how = AttributionOptions {
            output: options.output,
            orders: options.orders,
            seed: options.seed,
            ..AttributionOptions::default()
        };
        let attributions = model.attributions(&part, &background, &how, engine)?;
        let importance = attributions.importance();
        let total: f64 = importance.iter().sum();
        let mut order: Vec<usize> = (0..importance.len()).collect();
        order.sort_by(|&a, &b| importance[b].total_cmp(&importance[a]).then(a.cmp(&b)));
        let mut shuffled: Vec<Option<PermutationImportance>> = match options.repeats {
            0 => Vec::new(),
            repeats => model
                .permutation_importance(&part, repeats, options.seed, engine)?
                .into_iter()
                .map(Some)
                .collect(),
        };
        shuffled.resize(importance.len(), None);
        let columns = order.iter().map(|&j| ExplainedColumn {
            column: attributions.columns[j].to_string(),
            importance: importance[j],
            share: if total > 0.0 { importance[j] / total } else { 0.0 },
            permutation: shuffled[j].take(),
        });
        let columns = columns.collect();
        let examples = Examples::of(model, &part, &chosen, engine)?;
        let top: Vec<usize> = order.iter().copied().take(options.effects).collect();
        Ok(ModelExplanation {
            objects: part.len(),
            of: data.len(),
            columns,
            method: attributions.method.to_string(),
            exact: attributions.method.is_exact(),
            background: background.to_string(),
            gap: attributions.gap,
            score: score(&model.predict(&part, engine)?, &part),
            correlated: correlated(&attributions, &part)?,
            explained: explained(model, data, &examples, engine)?,
            examples,
            effects: model.effects(&part, &top, options.points, engine)?,
            attributions,
        })
    }
}

/// A prototype or criticism with its explanations.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExplainedExample {
    /// The object.
    pub object: ExampleObject,
    /// `prototype` or `criticism`.
    pub role: &'static str,
    /// The predicted class.
    pub class: Option<String>,
    /// By training objects; `None` for learners without them.
    pub by_objects: Option<ExplanationParts>,
    /// By parts of the object, which were hidden; `None` for objects without parts.
    pub by_parts: Option<ExplanationParts>,
    /// The object with its parts in colour as SVG.
    pub drawing: Option<String>,
}

/// An explanation as data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExplanationParts {
    /// The decision value or predicted number.
    pub value: f64,
    /// The value without what is listed.
    pub offset: f64,
    /// The sum over what is not listed.
    pub rest: f64,
    /// The largest contributions.
    pub parts: Vec<Contribution>,
    /// How training objects speak for and against the prediction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<ObjectEvidence>,
}

impl ExplanationParts {
    fn of(why: Explanation) -> ExplanationParts {
        let Explanation { value, offset, rest, parts, evidence, .. } = why;
        ExplanationParts { value, offset, rest, parts, evidence }
    }
}

/// Objects that are explained one by one, and contributions of each.
const MOST_EXAMPLES: usize = 8;
const PARTS: usize = 6;

/// The first prototype and criticism of each class, explained by training objects and by parts where that is possible.
fn explained(
    model: &Model,
    data: &Dataset,
    examples: &Examples,
    engine: &Engine,
) -> Result<Vec<ExplainedExample>> {
    let mut chosen: Vec<(&ExampleObject, &'static str, Option<String>)> = Vec::new();
    for class in &examples.classes {
        let all = [(&class.prototypes, "prototype"), (&class.criticisms, "criticism")];
        for (objects, role) in all {
            chosen.extend(objects.first().map(|object| (object, role, class.class.clone())));
        }
    }
    chosen.truncate(MOST_EXAMPLES);
    if chosen.is_empty() {
        return Ok(Vec::new());
    }
    let few = data.select(&chosen.iter().map(|c| c.0.object).collect::<Vec<_>>());
    // What a model cannot be explained by is left out.
    let known = |found: Result<Vec<Explanation>>| match found {
        Ok(all) => Ok(all.into_iter().map(Some).collect()),
        Err(error) if error.is_end_of_budget() => Err(error),
        Err(_) => Ok(vec![None; chosen.len()]),
    };
    let by_objects: Vec<Option<Explanation>> = known(model.explain_by_objects(&few, PARTS, engine))?;
    let options = AttributionOptions::default();
    let by_parts: Vec<Option<Explanation>> =
        known(model.explain_by_parts(&few, PARTS, &options, engine).map(|found| found.0))?;
    let both = by_objects.into_iter().zip(by_parts).enumerate();
    let one = |(i, (by_objects, by_parts)): (usize, (Option<Explanation>, Option<Explanation>))| {
        let (object, role, class) = &chosen[i];
        let draw = |why: &Explanation| why.structures.iter().find_map(|s| s.draw(&few, i, Theme::Page));
        ExplainedExample {
            object: (*object).clone(),
            role,
            class: class.clone(),
            drawing: by_parts.as_ref().and_then(draw),
            by_objects: by_objects.map(ExplanationParts::of),
            by_parts: by_parts.map(ExplanationParts::of),
        }
    };
    Ok(both.map(one).collect())
}

/// The score on objects with a known target.
fn score(prediction: &Prediction, data: &Dataset) -> Option<ScoreAgainstBaseline> {
    match (data.target()?, prediction.numbers()) {
        (Target::Classes(known), None) => {
            let rows: Vec<usize> = (0..known.len()).filter(|&i| known.code(i).is_some()).collect();
            let mut counts = vec![0usize; known.levels().len()];
            rows.iter().filter_map(|&i| known.code(i)).for_each(|code| counts[code as usize] += 1);
            let n = Some(rows.len() as f64).filter(|n| *n > 0.0)?;
            let right = rows.iter().filter(|&&i| known.get(i) == prediction.class(i)).count() as f64;
            let (model, baseline) = (right / n, counts.into_iter().max().unwrap_or(0) as f64 / n);
            Some(ScoreAgainstBaseline { name: "accuracy", model, baseline, better: model > baseline })
        }
        (Target::Numbers(y), Some(found)) => {
            let known: Vec<(f64, f64)> =
                y.iter().zip(found).filter(|(y, _)| !y.is_nan()).map(|(y, f)| (*y, *f)).collect();
            let n = Some(known.len() as f64).filter(|n| *n > 0.0)?;
            let mean = known.iter().map(|k| k.0).sum::<f64>() / n;
            let model = known.iter().map(|(y, f)| (y - f) * (y - f)).sum::<f64>() / n;
            let baseline = known.iter().map(|(y, _)| (y - mean) * (y - mean)).sum::<f64>() / n;
            Some(ScoreAgainstBaseline {
                name: "mean squared error",
                model,
                baseline,
                better: model < baseline,
            })
        }
        _ => None,
    }
}

/// Pairs of columns of numbers that are strongly correlated, the strongest first.
fn correlated(attributions: &Attributions, data: &Dataset) -> Result<Vec<CorrelatedColumns>> {
    let mut known: Vec<(String, Vec<f64>)> = Vec::new();
    for player in attributions.columns.iter().take(MOST_COMPARED) {
        if let Values::Numbers(x) = player.values(data)?
            && x.cols() == 1
        {
            known.push((player.to_string(), x.values().to_vec()));
        }
    }
    let mut out = Vec::new();
    for (i, (first, x)) in known.iter().enumerate() {
        crate::budget::check()?;
        for (second, y) in &known[i + 1..] {
            let correlation = correlation(x, y);
            if correlation.abs() > CORRELATED {
                out.push(CorrelatedColumns { first: first.clone(), second: second.clone(), correlation });
            }
        }
    }
    out.sort_by(|a, b| b.correlation.abs().total_cmp(&a.correlation.abs()));
    out.truncate(MOST_PAIRS);
    Ok(out)
}

/// Pearson's correlation of the pairs without missing values; 0 where one does not vary.
fn correlation(x: &[f64], y: &[f64]) -> f64 {
    let pairs: Vec<(f64, f64)> =
        x.iter().zip(y).filter(|(x, y)| !x.is_nan() && !y.is_nan()).map(|(x, y)| (*x, *y)).collect();
    let n = pairs.len().max(1) as f64;
    let (mx, my) = (pairs.iter().map(|p| p.0).sum::<f64>() / n, pairs.iter().map(|p| p.1).sum::<f64>() / n);
    let sum = |f: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(f).sum::<f64>();
    let (xy, xx, yy) = (
        sum(&|p| (p.0 - mx) * (p.1 - my)),
        sum(&|p| (p.0 - mx) * (p.0 - mx)),
        sum(&|p| (p.1 - my) * (p.1 - my)),
    );
    if xx > 0.0 && yy > 0.0 { xy / (xx * yy).sqrt() } else { 0.0 }
}
