//! What drives a model's predictions: named features, or its support objects.

use serde::Serialize;

use super::layout::layout;
use crate::data::{AtomLabels, Dataset, Graph, Target, Values, molecule_graph};
use crate::error::Result;
use crate::gram::Engine;
use crate::learn::Prediction;
use crate::model::{Contribution, Explanation, Model};

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
    /// A drawing of the object, if it is a small graph.
    pub graph: Option<GraphDrawing>,
    /// The beginning of it, if it is a string or text.
    pub text: Option<String>,
}

/// A graph drawn in the plane, with the contribution of each node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GraphDrawing {
    /// The label of each node.
    pub labels: Vec<String>,
    /// Pairs of nodes, with the label of the edge.
    pub edges: Vec<(usize, usize, Option<String>)>,
    /// The contribution of each node: every feature's amount is divided among its occurrences and their nodes.
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
        // Without named features, list the support objects.
        Err(_) => {
            let influences = model.influences(LISTED)?;
            let place = |object: usize| model.support_indices().and_then(|rows| rows.get(object)).copied();
            let reference = |i: crate::model::Influence| {
                let row = place(i.object)?;
                Some(SupportObject { id: ids[row].clone(), class: Some(truth(part, row)), weight: i.weight })
            };
            return Ok(Drivers {
                about: format!("The support objects of {fitted}: {meaning}."),
                references: Some(influences.into_iter().filter_map(reference).collect()),
                ..Drivers::default()
            });
        }
    };
    let driver = |w: crate::model::Weight| Driver { feature: w.feature, weight: w.weight, class: w.class };
    let prediction = model.predict(part, engine)?;
    let chosen = select_examples(part, &prediction);
    let why = model.explain(&part.select(&chosen), PARTS, engine)?;
    let objects = chosen.iter().zip(why).map(|(&row, why)| explained(part, row, &ids[row], why)).collect();
    Ok(Drivers {
        about: format!("The features of {fitted}: {meaning}."),
        features: weights.into_iter().map(driver).collect(),
        references: None,
        objects,
    })
}

/// A few objects of each class: those with the clearest decisions, and misclassified training objects.
fn select_examples(part: &Dataset, prediction: &Prediction) -> Vec<usize> {
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
    } else {
        // Numbers: evenly from the smallest to the largest; the objects are in that order.
        let n = part.len();
        chosen.extend((0..OBJECTS.min(n)).map(|k| k * (n - 1) / (OBJECTS.min(n) - 1).max(1)));
        chosen.dedup();
    }
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

fn explained(part: &Dataset, row: usize, id: &str, why: Explanation) -> ExplainedObject {
    let values = part.columns().iter().map(|c| &c.values);
    let graph = values.clone().find_map(|v| match v {
        Values::Graphs(graphs) if graphs[row].nodes() <= MOST_NODES => {
            Some(drawing(&graphs[row], &why.parts))
        }
        Values::Molecules(all) if all[row].atoms().len() <= MOST_NODES => {
            let graph = molecule_graph(&all[row], AtomLabels::default()).ok()?;
            Some(drawing(&graph, &why.parts))
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
        id: id.to_owned(),
        truth: truth(part, row),
        class: why.class,
        value: why.value,
        offset: why.offset,
        rest: why.rest,
        parts: why.parts,
        graph,
        text,
    }
}

fn drawing(graph: &Graph, parts: &[Contribution]) -> GraphDrawing {
    let n = graph.nodes();
    let mut amounts = vec![0.0; n];
    for part in parts {
        let places = part.nodes.len() as f64;
        for nodes in &part.nodes {
            let share = part.amount / (places * nodes.len().max(1) as f64);
            nodes.iter().filter(|&&v| (v as usize) < n).for_each(|&v| amounts[v as usize] += share);
        }
    }
    let label = |v: usize| graph.node_labels().map_or_else(|| v.to_string(), |l| l.get(v).to_owned());
    let arcs = graph.arcs().enumerate();
    let edges = arcs
        .filter(|(_, (from, to))| graph.is_directed() || from <= to)
        .map(|(arc, (from, to))| {
            (from as usize, to as usize, graph.edge_labels().map(|l| l.get(arc).to_owned()))
        })
        .collect();
    let (x, y) = layout(graph);
    GraphDrawing { labels: (0..n).map(label).collect(), edges, amounts, x, y }
}
