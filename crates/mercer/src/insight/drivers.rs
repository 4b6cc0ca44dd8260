//! What drives the predictions of a model: features by name, or the objects it compares with.

use serde::Serialize;

use super::layout::layout;
use crate::data::{Dataset, Graph, Target, Values};
use crate::error::Result;
use crate::gram::Engine;
use crate::learn::Prediction;
use crate::model::{Contribution, Explanation, Model};

/// What drives predictions.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Drivers {
    /// What the numbers are of.
    pub about: String,
    /// Features, those that matter most first; none for kernels without named features.
    pub features: Vec<Driver>,
    /// Support objects, those that matter most first, where there are no features.
    pub references: Option<Vec<Reference>>,
    /// A few objects and why they are predicted as they are.
    pub objects: Vec<Explained>,
}

/// A feature.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Driver {
    /// Its name.
    pub feature: String,
    /// Its weight in the model.
    pub weight: f64,
    /// The class it speaks for.
    pub class: Option<String>,
}

/// A support object.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reference {
    /// What it is called.
    pub id: String,
    /// Its class, where there are classes.
    pub class: Option<String>,
    /// What similarity with it is worth.
    pub weight: f64,
}

/// An object with what adds up to its decision value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explained {
    /// What it is called.
    pub id: String,
    /// Its true class or number.
    pub truth: String,
    /// The class the model gives it.
    pub class: Option<String>,
    /// The decision value, or the number predicted.
    pub value: f64,
    /// What an object without features has.
    pub offset: f64,
    /// What the features that are not listed add.
    pub rest: f64,
    /// The features that add or take the most.
    pub parts: Vec<Contribution>,
    /// The object as a drawing, if it is a graph of a size to draw.
    pub graph: Option<Drawing>,
    /// The beginning of it, if it is a string or text.
    pub text: Option<String>,
}

/// A graph in the plane, its nodes with what they add to the decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Drawing {
    /// What stands on each node.
    pub labels: Vec<String>,
    /// Pairs of nodes, with what stands on the edge.
    pub edges: Vec<(usize, usize, Option<String>)>,
    /// What each node adds: every feature's amount, shared among the places where it is found and the nodes there.
    pub amounts: Vec<f64>,
    /// Where nodes are.
    pub x: Vec<f64>,
    /// Where nodes are.
    pub y: Vec<f64>,
}

/// Features and support objects listed, for each class.
const LISTED: usize = 12;
/// Features of one object.
const PARTS: usize = 8;
/// Objects explained.
const OBJECTS: usize = 6;
/// The most nodes of a graph that is drawn.
const MOST_NODES: usize = 80;
/// The most letters of a text that is shown.
const MOST_LETTERS: usize = 400;

/// What drives a model that was fitted to the given objects.
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
    let classes = model.machine().classes();
    let meaning = match classes.len() {
        0 | 1 => "positive weights raise the number predicted".to_owned(),
        2 => format!("positive weights speak for {}, negative ones for {}", classes[1], classes[0]),
        _ => "weights are for the class named, against the others".to_owned(),
    };
    let weights = match model.weights(LISTED) {
        Ok(weights) => weights,
        // Without features by name there are still the objects that predictions compare with.
        Err(_) => {
            let influences = model.influences(LISTED)?;
            let place = |object: usize| model.chosen().and_then(|rows| rows.get(object)).copied();
            let reference = |i: crate::model::Influence| {
                let row = place(i.object)?;
                Some(Reference { id: ids[row].clone(), class: Some(truth(part, row)), weight: i.weight })
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
    let chosen = telling(part, &prediction);
    let why = model.explain(&part.select(&chosen), PARTS, engine)?;
    let objects = chosen.iter().zip(why).map(|(&row, why)| explained(part, row, &ids[row], why)).collect();
    Ok(Drivers {
        about: format!("The features of {fitted}: {meaning}."),
        features: weights.into_iter().map(driver).collect(),
        references: None,
        objects,
    })
}

/// A few objects of each class: those the model is surest of, and those it gets wrong even in training.
fn telling(part: &Dataset, prediction: &Prediction) -> Vec<usize> {
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
        // Numbers: from the least to the greatest, evenly; the objects stand in that order.
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

fn explained(part: &Dataset, row: usize, id: &str, why: Explanation) -> Explained {
    let values = part.columns().iter().map(|c| &c.values);
    let graph = values.clone().find_map(|v| match v {
        Values::Graphs(graphs) if graphs[row].nodes() <= MOST_NODES => {
            Some(drawing(&graphs[row], &why.parts))
        }
        _ => None,
    });
    let text = values.clone().find_map(|v| match v {
        Values::Strings(all) | Values::Text(all) => all[row].clone(),
        _ => None,
    });
    let text = text.map(|t| match t.char_indices().nth(MOST_LETTERS) {
        Some((end, _)) => format!("{}…", &t[..end]),
        None => t.to_string(),
    });
    Explained {
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

fn drawing(graph: &Graph, parts: &[Contribution]) -> Drawing {
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
    Drawing { labels: (0..n).map(label).collect(), edges, amounts, x, y }
}
