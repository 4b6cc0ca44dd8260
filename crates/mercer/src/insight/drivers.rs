//! What drives a model's predictions: named features, or its support objects.

use serde::Serialize;

use super::layout::layout;
use crate::data::{Dataset, DrawStyle, Graph, Target, Theme, Values};
use crate::error::Result;
use crate::gram::Engine;
use crate::learn::Prediction;
use crate::model::{Contribution, Explanation, FeatureExample, Model, ObjectEvidence, StructureWeights};

/// What drives predictions.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Drivers {
    /// A description of the numbers.
    pub about: String,
    /// Features, most important first; empty for kernels without named features.
    pub features: Vec<Driver>,
    /// Support objects, most important first, where there are no features.
    pub references: Option<Vec<SupportObject>>,
    /// Explanations of the predictions for a few objects.
    pub objects: Vec<ExplainedObject>,
}

/// A feature.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Driver {
    /// Its name.
    pub feature: String,
    /// Its weight in the model.
    pub weight: f64,
    /// The class it favours.
    pub class: Option<String>,
    /// A molecule that has it, with the atoms of its first occurrence in colour, as SVG.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub molecule: Option<String>,
}

/// A support object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SupportObject {
    /// Its id.
    pub id: String,
    /// Its class, where there are classes.
    pub class: Option<String>,
    /// What a similarity of 1 with it adds to the decision value.
    pub weight: f64,
}

/// An object with the contributions to its decision value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExplainedObject {
    /// Its id.
    pub id: String,
    /// Its true class or number.
    pub truth: String,
    /// The predicted class.
    pub class: Option<String>,
    /// The decision value, or the predicted number.
    pub value: f64,
    /// The value of an object without features.
    pub offset: f64,
    /// The sum over the features that are not listed.
    pub rest: f64,
    /// The features with the largest contributions.
    pub parts: Vec<Contribution>,
    /// Why it is among the examples, where they are chosen by their errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shown_for: Option<&'static str>,
    /// The molecule as SVG, with atoms and bonds coloured by their contributions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub molecule: Option<String>,
    /// A drawing of the object, if it is a small graph.
    pub graph: Option<GraphDrawing>,
    /// The beginning of it, if it is a string or text.
    pub text: Option<String>,
    /// How training objects speak for and against the prediction, where it is explained by them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<ObjectEvidence>,
}

/// A graph drawn in the plane, with the contribution of each node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GraphDrawing {
    /// The label of each node.
    pub labels: Vec<String>,
    /// Pairs of nodes, with the label of the edge.
    pub edges: Vec<(usize, usize, Option<String>)>,
    /// The contribution of each node: every feature's amount is divided among its occurrences, and that of an
    /// occurrence among its nodes and the edges between them.
    pub amounts: Vec<f64>,
    /// The horizontal positions of the nodes.
    pub x: Vec<f64>,
    /// The vertical positions of the nodes.
    pub y: Vec<f64>,
}

/// Number of features or support objects listed per class.
const LISTED: usize = 12;
/// Number of features listed per object.
const PARTS: usize = 8;
/// Number of explained objects.
const OBJECTS: usize = 6;
/// Maximum number of nodes of a graph that is drawn.
const MOST_NODES: usize = 80;
/// Maximum number of characters of a text that is shown.
const MOST_CHARACTERS: usize = 400;

/// The drivers of a model fitted to the given objects.
pub(super) fn of(
    model: &Model,
    part: &Dataset,
    ids: &[String],
    of: usize,
    engine: &Engine,
) -> Result<Drivers> {
    let fitted = match part.len() == of {
        true => format!("a model fitted to all {of} objects"),
        false => format!("a model fitted to {} of {of} objects, chosen at random", part.len()),
    };
    let classes = model.trained().classes();
    let meaning = match classes.len() {
        0 | 1 => "positive weights raise the predicted number".to_owned(),
        2 => format!("positive weights favour {}, negative ones {}", classes[1], classes[0]),
        _ => "positive weights favour the named class over the others".to_owned(),
    };
    let weights = match model.weights(LISTED) {
        Ok(weights) => weights,
        // Without named features, list the support objects, and explain by them; neighbours have no weights.
        Err(_) => {
            let influences = match model.influences(LISTED) {
                Ok(influences) => influences,
                Err(error) if model.trained().neighbours_needed().is_none() => return Err(error),
                Err(_) => Vec::new(),
            };
            let prediction = model.predict(part, engine)?;
            let chosen = select_examples(part, &prediction);
            let rows: Vec<usize> = chosen.iter().map(|c| c.0).collect();
            let why = model.explain_by_objects(&part.select(&rows), PARTS, engine)?;
            let objects =
                chosen.iter().zip(why).map(|(&chosen, why)| explained(part, chosen, ids, why)).collect();
            let place = |object: usize| model.support_indices().and_then(|rows| rows.get(object)).copied();
            let reference = |i: crate::model::Influence| {
                let row = place(i.object)?;
                Some(SupportObject { id: ids[row].clone(), class: Some(truth(part, row)), weight: i.weight })
            };
            return Ok(Drivers {
                about: match influences.is_empty() {
                    true => format!("The neighbours of {fitted}."),
                    false => format!("The support objects of {fitted}: {meaning}."),
                },
                references: Some(influences.into_iter().filter_map(reference).collect()),
                objects,
                ..Drivers::default()
            });
        }
    };
    let prediction = model.predict(part, engine)?;
    let chosen = select_examples(part, &prediction);
    let rows: Vec<usize> = chosen.iter().map(|c| c.0).collect();
    let why = model.explain(&part.select(&rows), PARTS, engine)?;
    let local = match why.iter().any(|why| why.local) {
        true => {
            " The kernel is no inner product of its features, so weights are means over objects: the parts of each object \
             add up, but how they are divided is a rule."
        }
        false => "",
    };
    let objects = chosen.iter().zip(why).map(|(&chosen, why)| explained(part, chosen, ids, why)).collect();
    let examples = feature_drawings(model, part, &weights)?;
    let driver = |(w, molecule): (crate::model::Weight, Option<String>)| Driver {
        feature: w.feature,
        weight: w.weight,
        class: w.class,
        molecule,
    };
    Ok(Drivers {
        about: format!("The features of {fitted}: {meaning}.{local}"),
        features: weights.into_iter().zip(examples).map(driver).collect(),
        references: None,
        objects,
    })
}

/// For each feature a molecule that has it, with its atoms in colour.
fn feature_drawings(
    model: &Model,
    part: &Dataset,
    weights: &[crate::model::Weight],
) -> Result<Vec<Option<String>>> {
    if !part.columns().iter().any(|c| matches!(c.values, Values::Molecules(_))) {
        return Ok(vec![None; weights.len()]);
    }
    let keys: Vec<_> = weights.iter().map(|w| w.key).collect();
    let examples = model.feature_examples(part, &keys)?;
    let draw = |(example, weight): (Option<FeatureExample>, &crate::model::Weight)| {
        let FeatureExample { object, column, nodes } = example?;
        let Values::Molecules(all) = &part.column(&column).ok()?.values else { return None };
        let molecule = &all[object];
        let sign = weight.weight.signum();
        let mut atoms = vec![0.0; molecule.atoms().len()];
        (0..atoms.len()).filter(|&a| nodes.contains(&(a as u32))).for_each(|a| atoms[a] = sign);
        let inside = |atom: &u32| nodes.contains(atom);
        let bonds: Vec<f64> =
            molecule.bonds().iter().map(|b| if b.atoms.iter().all(inside) { sign } else { 0.0 }).collect();
        molecule.to_svg(&DrawStyle { weights: Some((&atoms, &bonds)), bond: 22.0, ..DrawStyle::default() })
    };
    Ok(examples.into_iter().zip(weights).map(draw).collect())
}

/// An example, and why it is shown.
type Example = (usize, Option<&'static str>);

/// A few objects of each class: those with the clearest decisions, and misclassified training objects. Of numbers, the
/// best and the worst predictions, and the ends of the range.
fn select_examples(part: &Dataset, prediction: &Prediction) -> Vec<Example> {
    let sure = |&i: &usize| prediction.decisions.row(i).iter().fold(0.0f64, |most, d| most.max(d.abs()));
    let mut chosen = Vec::new();
    if let Some(Target::Classes(classes)) = part.target() {
        let mut wrong: Vec<usize> =
            (0..part.len()).filter(|&i| prediction.class(i) != classes.get(i)).collect();
        wrong.sort_by(|a, b| sure(b).total_cmp(&sure(a)).then(a.cmp(b)));
        let each = (OBJECTS - 2).div_ceil(classes.levels().len().max(1));
        for code in 0..classes.levels().len() {
            let mut members: Vec<usize> = (0..part.len())
                .filter(|&i| classes.code(i) == Some(code as u32) && prediction.class(i) == classes.get(i))
                .collect();
            members.sort_by(|a, b| sure(b).total_cmp(&sure(a)).then(a.cmp(b)));
            chosen.extend(members.into_iter().take(each));
        }
        chosen.truncate(OBJECTS - wrong.len().min(2));
        chosen.extend(wrong.into_iter().take(2));
    } else if let (Some(Target::Numbers(y)), Some(found)) = (part.target(), prediction.numbers()) {
        return by_error(y, found);
    } else {
        let n = part.len();
        chosen.extend((0..OBJECTS.min(n)).map(|k| k * (n - 1) / (OBJECTS.min(n) - 1).max(1)));
        chosen.dedup();
    }
    chosen.into_iter().map(|row| (row, None)).collect()
}

/// Objects of a regression, which are in the order of their targets: the first and the last, then the best and the worst
/// predictions among the others.
fn by_error(y: &[f64], found: &[f64]) -> Vec<Example> {
    let n = y.len();
    let mut chosen: Vec<Example> = Vec::new();
    chosen.extend((n > 0).then_some((0, Some("smallest value"))));
    chosen.extend((n > 1).then_some((n - 1, Some("largest value"))));
    let mut order: Vec<usize> = (1..n.saturating_sub(1)).collect();
    let error = |i: usize| (y[i] - found[i]).abs();
    order.sort_by(|&a, &b| error(b).total_cmp(&error(a)).then(a.cmp(&b)));
    let each = (OBJECTS - 2) / 2;
    chosen.extend(order.iter().take(each).map(|&i| (i, Some("largest error"))));
    let others = order.len().saturating_sub(each);
    chosen.extend(order.iter().rev().take(each.min(others)).map(|&i| (i, Some("smallest error"))));
    chosen
}

/// The target of an object as text.
fn truth(part: &Dataset, row: usize) -> String {
    match part.target() {
        Some(Target::Classes(classes)) => classes.get(row).unwrap_or("–").to_owned(),
        Some(Target::Numbers(y)) => y[row].to_string(),
        None => String::new(),
    }
}

fn explained(part: &Dataset, (row, shown_for): Example, ids: &[String], why: Explanation) -> ExplainedObject {
    let values = part.columns().iter().map(|c| &c.values);
    let weights = |name: &str| why.structures.iter().find(|s| s.column == name);
    let molecule = part.columns().iter().find_map(|column| match &column.values {
        Values::Molecules(all) => weights(&column.name)?.to_svg(&all[row], Theme::Page),
        _ => None,
    });
    let graph = part.columns().iter().find_map(|column| match &column.values {
        Values::Graphs(graphs) if graphs[row].nodes() <= MOST_NODES => {
            Some(drawing(&graphs[row], weights(&column.name)))
        }
        _ => None,
    });
    let text = values.clone().find_map(|v| match v {
        Values::Strings(all) | Values::Text(all) => all[row].clone(),
        Values::Molecules(all) => Some(all[row].text().to_owned()),
        _ => None,
    });
    let text = text.map(|t| match t.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", &t[..end]),
        None => t.to_string(),
    });
    ExplainedObject {
        id: ids[row].clone(),
        truth: truth(part, row),
        class: why.class,
        value: why.value,
        offset: why.offset,
        rest: why.rest,
        parts: why.parts,
        shown_for,
        molecule,
        graph,
        text,
        evidence: why.evidence,
    }
}

fn drawing(graph: &Graph, weights: Option<&StructureWeights>) -> GraphDrawing {
    let n = graph.nodes();
    let mut amounts = weights.map_or_else(|| vec![0.0; n], |w| w.nodes.clone());
    let label = |v: usize| graph.node_labels().map_or_else(|| v.to_string(), |l| l.get(v).to_owned());
    let arcs = graph.arcs().enumerate();
    let edges: Vec<(usize, usize, Option<String>)> = arcs
        .filter(|(_, (from, to))| graph.is_directed() || from <= to)
        .map(|(arc, (from, to))| {
            (from as usize, to as usize, graph.edge_labels().map(|l| l.get(arc).to_owned()))
        })
        .collect();
    // Nodes alone are coloured, so each edge gives a half to either end.
    let weights = weights.map(|w| w.edges.as_slice()).filter(|weights| weights.len() == edges.len());
    for ((from, to, _), weight) in edges.iter().zip(weights.unwrap_or_default()) {
        amounts[*from] += 0.5 * weight;
        amounts[*to] += 0.5 * weight;
    }
    let (x, y) = layout(graph);
    GraphDrawing { labels: (0..n).map(label).collect(), edges, amounts, x, y }
}
