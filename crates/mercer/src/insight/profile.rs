//! What is in the columns of a data set: ranges, histograms, categories with counts, sizes of structured objects, the
//! first objects, and which column could be the target.

use std::collections::BTreeSet;

use serde::Serialize;

use super::document::{TargetSummary, target_summary};
use crate::budget;
use crate::data::{Column, Dataset, GraphSummary, Kind, Spread, Target, Values, show_time};
use crate::error::Result;

/// The contents of a data set: [`DataProfile::of`] makes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DataProfile {
    /// The number of objects.
    pub objects: usize,
    /// The columns, in order.
    pub columns: Vec<ColumnProfile>,
    /// The target, if there is one.
    pub target: Option<TargetSummary>,
    /// Columns that could be the target, the most likely first, if there is none.
    pub candidates: Vec<Candidate>,
    /// The first objects: a text for each column, the target first.
    pub first: Vec<Vec<(String, String)>>,
}

/// The contents of a column.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ColumnProfile {
    /// Its name.
    pub name: String,
    /// The name of its kind: see [`crate::data::Kind::name`].
    pub kind: &'static str,
    /// Objects without a value.
    pub missing: usize,
    /// What the values are.
    #[serde(flatten)]
    pub contents: Contents,
}

/// Values of a column, described.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Contents {
    /// Numbers.
    Numbers {
        /// Numbers for each object.
        width: usize,
        /// Their range and histogram; none without values.
        range: Option<NumberRange>,
        /// Different values.
        distinct: usize,
    },
    /// Sparse numbers.
    Sparse {
        /// Features.
        dimensions: usize,
        /// Values stored.
        stored: usize,
        /// The range of the stored values.
        range: Option<NumberRange>,
    },
    /// Categories.
    Categories {
        /// Different values.
        distinct: usize,
        /// Values with the number of objects, the most frequent first; at most a hundred.
        levels: Vec<(String, usize)>,
    },
    /// Dates and times.
    Times {
        /// The first, as it is written in ISO 8601.
        first: Option<String>,
        /// The last.
        last: Option<String>,
    },
    /// Molecules.
    Molecules {
        /// The numbers of heavy atoms.
        atoms: Option<NumberRange>,
        /// Molecules of several parts, such as salts.
        mixtures: usize,
    },
    /// Strings and text.
    Strings {
        /// The numbers of characters.
        characters: Option<NumberRange>,
        /// Different values.
        distinct: usize,
        /// The symbols, sorted, where they are few.
        alphabet: Option<String>,
    },
    /// Time series.
    Series {
        /// The numbers of time steps.
        lengths: Option<NumberRange>,
        /// The least and the largest number of channels.
        channels: (usize, usize),
        /// The range of all values.
        range: Option<NumberRange>,
        /// Missing values within series.
        gaps: usize,
    },
    /// Images.
    Images {
        /// Widths in pixels.
        widths: Option<NumberRange>,
        /// Heights in pixels.
        heights: Option<NumberRange>,
        /// Numbers of channels that occur.
        channels: Vec<usize>,
    },
    /// Graphs.
    Graphs {
        /// Sizes, labels, weights and attributes.
        graphs: GraphFacts,
    },
    /// Nodes of one graph.
    Nodes {
        /// Nodes of the graph.
        nodes: usize,
        /// Edges of the graph.
        edges: usize,
        /// Whether edges have weights.
        weighted: bool,
    },
    /// Similarities.
    Precomputed {
        /// Objects that each is compared with.
        references: usize,
    },
}

/// A summary of graphs in documents.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GraphFacts {
    /// Numbers of nodes: least, mean and largest.
    pub nodes: SpreadOf,
    /// Numbers of edges.
    pub edges: SpreadOf,
    /// Directed graphs.
    pub directed: usize,
    /// Graphs without edges.
    pub edgeless: usize,
    /// Loops in all graphs.
    pub loops: usize,
    /// Distinct node labels.
    pub node_labels: Option<usize>,
    /// Distinct edge labels.
    pub edge_labels: Option<usize>,
    /// The range of edge weights.
    pub weights: Option<WeightRange>,
    /// Attributes of a node.
    pub node_attributes: Option<usize>,
    /// Attributes of an edge.
    pub edge_attributes: Option<usize>,
    /// Labels, weights and attributes in words.
    #[serde(skip)]
    pub words: String,
}

/// Least, mean and largest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SpreadOf {
    /// The least.
    pub min: usize,
    /// The mean.
    pub mean: f64,
    /// The largest.
    pub max: usize,
}

/// Least and largest weight.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WeightRange {
    /// The least.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

/// The range of numbers: quartiles, mean and a histogram.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NumberRange {
    /// The least.
    pub min: f64,
    /// The lower quartile.
    pub lower: f64,
    /// The median.
    pub median: f64,
    /// The upper quartile.
    pub upper: f64,
    /// The largest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
    /// The number of values in each of ten bins of equal width from the least to the largest; a single bin where all are
    /// equal.
    pub histogram: Vec<usize>,
}

/// Bins of a histogram.
const BINS: usize = 10;

impl NumberRange {
    /// The range of finite numbers; none without any.
    pub fn of(values: impl Iterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = values.filter(|v| v.is_finite()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share) as usize];
        let mean = sorted.iter().map(|v| v / sorted.len() as f64).sum();
        let bins = if min == max { 1 } else { BINS };
        let mut histogram = vec![0; bins];
        // Halves do not overflow where the difference of extreme numbers would.
        let width = 0.5 * max - 0.5 * min;
        for v in &sorted {
            let share = if width > 0.0 { (0.5 * v - 0.5 * min) / width } else { 0.0 };
            histogram[((share * bins as f64) as usize).min(bins - 1)] += 1;
        }
        Some(NumberRange { min, lower: at(0.25), median: at(0.5), upper: at(0.75), max, mean, histogram })
    }
}

/// A column that could be the target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// What it would predict: `2 classes`, or `numbers`.
    pub what: String,
}

/// Levels listed at most.
const LEVELS: usize = 100;
/// Objects shown.
const FIRST: usize = 3;
/// An alphabet has at most this many symbols.
const SYMBOLS: usize = 64;

impl DataProfile {
    /// Describes a data set. Cost: n log n for each column.
    ///
    /// ```
    /// use mercer::{data::generate, insight::{Contents, DataProfile}};
    /// let profile = DataProfile::of(&generate::half_moons(40, 0.1, 1)?)?;
    /// let Contents::Numbers { width, range: Some(range), .. } = &profile.columns[0].contents else { panic!() };
    /// assert_eq!((*width, range.histogram.iter().sum::<usize>()), (2, 80));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn of(data: &Dataset) -> Result<Self> {
        let mut columns = Vec::with_capacity(data.columns().len());
        for column in data.columns() {
            budget::check()?;
            let kind = column.values.kind().name();
            let contents = contents(&column.values)?;
            columns.push(ColumnProfile {
                name: column.name.clone(),
                kind,
                missing: column.missing(),
                contents,
            });
        }
        let candidates = if data.target().is_none() { candidates(data, &columns) } else { Vec::new() };
        let target = data.target().map(|target| target_summary(target, data.target_name()));
        let first = (0..data.len().min(FIRST)).map(|i| shown(data, i)).collect();
        Ok(DataProfile { objects: data.len(), columns, target, candidates, first })
    }
}

fn contents(values: &Values) -> Result<Contents> {
    Ok(match values {
        Values::Numbers(x) => {
            budget::ask("the ranges of columns", (x.values().len() * 8) as u64)?;
            let mut bits: Vec<u64> = x.values().iter().filter(|v| !v.is_nan()).map(|v| v.to_bits()).collect();
            bits.sort_unstable();
            bits.dedup();
            let range = NumberRange::of(x.values().iter().copied());
            Contents::Numbers { width: x.cols(), range, distinct: bits.len() }
        }
        Values::Sparse(x) => {
            budget::ask("the ranges of columns", (x.stored() * 8) as u64)?;
            let range = NumberRange::of(x.values().iter().copied());
            Contents::Sparse { dimensions: x.dim(), stored: x.stored(), range }
        }
        Values::Categories(c) => {
            let mut counts = vec![0usize; c.levels().len()];
            (0..c.len()).filter_map(|i| c.code(i)).for_each(|code| counts[code as usize] += 1);
            let mut levels: Vec<_> = c.levels().iter().zip(counts).filter(|l| l.1 > 0).collect();
            levels.sort_by_key(|l| std::cmp::Reverse(l.1));
            let distinct = levels.len();
            let levels = levels.into_iter().take(LEVELS).map(|(name, n)| (name.clone(), n)).collect();
            Contents::Categories { distinct, levels }
        }
        Values::Times(t) => {
            let known = || t.seconds().iter().copied().filter(|s| !s.is_nan());
            let (first, last) = (known().min_by(f64::total_cmp), known().max_by(f64::total_cmp));
            Contents::Times { first: first.map(show_time), last: last.map(show_time) }
        }
        Values::Molecules(v) => {
            let known = || v.iter().filter(|m| !m.is_empty());
            let mut mixtures = 0;
            for molecule in known() {
                budget::check_after(molecule.atoms().len())?;
                mixtures += usize::from(molecule.fragments().len() > 1);
            }
            Contents::Molecules { atoms: NumberRange::of(known().map(|m| m.atoms().len() as f64)), mixtures }
        }
        Values::Strings(v) | Values::Text(v) => {
            let mut symbols = BTreeSet::new();
            for text in v.iter().flatten() {
                budget::check_after(text.len())?;
                if symbols.len() <= SYMBOLS {
                    symbols.extend(text.chars());
                }
            }
            let mut seen: Vec<&String> = v.iter().flatten().collect();
            seen.sort_unstable();
            seen.dedup();
            let characters = NumberRange::of(v.iter().flatten().map(|s| s.chars().count() as f64));
            let alphabet = (symbols.len() <= SYMBOLS).then(|| symbols.into_iter().collect());
            Contents::Strings { characters, distinct: seen.len(), alphabet }
        }
        Values::Series(v) => {
            let known = || v.iter().filter(|s| !s.is_empty());
            let total: usize = v.iter().map(|s| s.values().len()).sum();
            budget::ask("the ranges of series", (total * 8) as u64)?;
            let channels = known().map(|s| s.channels());
            Contents::Series {
                lengths: NumberRange::of(known().map(|s| s.len() as f64)),
                channels: (channels.clone().min().unwrap_or(0), channels.max().unwrap_or(0)),
                range: NumberRange::of(v.iter().flat_map(|s| s.values()).copied()),
                gaps: v.iter().flat_map(|s| s.values()).filter(|x| x.is_nan()).count(),
            }
        }
        Values::Images(v) => {
            let known = || v.iter().filter(|s| !s.is_empty());
            let channels: BTreeSet<usize> = known().map(|s| s.channels()).collect();
            Contents::Images {
                widths: NumberRange::of(known().map(|s| s.width() as f64)),
                heights: NumberRange::of(known().map(|s| s.height() as f64)),
                channels: channels.into_iter().collect(),
            }
        }
        Values::Graphs(v) => Contents::Graphs { graphs: GraphFacts::of(&GraphSummary::of(v)) },
        Values::Nodes(v) => {
            let network = v.network();
            let (nodes, edges) = (network.len(), network.edges());
            Contents::Nodes { nodes, edges, weighted: network.is_weighted() }
        }
        Values::Precomputed(p) => Contents::Precomputed { references: p.references() },
    })
}

impl GraphFacts {
    fn of(g: &GraphSummary) -> Self {
        let spread = |s: &Spread| SpreadOf { min: s.min, mean: s.mean, max: s.max };
        GraphFacts {
            nodes: spread(&g.nodes),
            edges: spread(&g.edges),
            directed: g.directed,
            edgeless: g.edgeless,
            loops: g.loops,
            node_labels: g.node_labels,
            edge_labels: g.edge_labels,
            weights: g.weights.map(|(min, max)| WeightRange { min, max }),
            node_attributes: g.node_attributes,
            edge_attributes: g.edge_attributes,
            words: g.features(),
        }
    }
}

/// Names that targets often have.
const TARGETS: [&str; 16] = [
    "class",
    "target",
    "label",
    "labels",
    "y",
    "outcome",
    "result",
    "survived",
    "response",
    "diagnosis",
    "species",
    "quality",
    "price",
    "score",
    "status",
    "activity",
];

/// Columns that could be the target: those named so, the last column, and columns of a few classes.
fn candidates(data: &Dataset, columns: &[ColumnProfile]) -> Vec<Candidate> {
    let mut found: Vec<(u32, usize, Candidate)> = Vec::new();
    for (at, (column, values)) in columns.iter().zip(data.columns()).enumerate() {
        let (what, few) = match &column.contents {
            Contents::Categories { distinct, .. } if (2..=50).contains(distinct) => {
                (format!("{distinct} classes"), true)
            }
            Contents::Numbers { width: 1, distinct, .. } if *distinct >= 2 => {
                let whole = matches!(&values.values, Values::Numbers(x) if x.values().iter().all(|v| v.is_nan() || v.fract() == 0.0));
                let few = whole && *distinct <= 10 && data.len() > 2 * distinct;
                (if few { format!("{distinct} classes") } else { "numbers".to_owned() }, few)
            }
            _ => continue,
        };
        let lower = column.name.to_lowercase();
        let named =
            TARGETS.iter().any(|t| lower.split(|c: char| !c.is_alphanumeric()).any(|word| word == *t));
        let (last, first) = (at + 1 == columns.len(), at == 0);
        let binary = what == "2 classes";
        let points = 8 * u32::from(named)
            + 4 * u32::from(last)
            + 2 * u32::from(few)
            + u32::from(binary)
            + u32::from(first && few);
        if points > 0 {
            found.push((points, at, Candidate { name: column.name.clone(), what }));
        }
    }
    found.sort_by_key(|f| (std::cmp::Reverse(f.0), f.1));
    found.into_iter().take(5).map(|f| f.2).collect()
}

/// Characters of a text shown.
const WIDTH: usize = 24;

/// The values of object i as text.
fn shown(data: &Dataset, i: usize) -> Vec<(String, String)> {
    let mut out = Vec::new();
    if let (Some(target), Some(name)) = (data.target(), data.target_name()) {
        let value = match target {
            Target::Classes(c) => c.get(i).unwrap_or("missing").to_owned(),
            Target::Numbers(y) => y[i].to_string(),
        };
        out.push((name.to_owned(), value));
    }
    out.extend(data.columns().iter().map(|column| (column.name.clone(), cell(column, i))));
    out
}

fn cell(column: &Column, i: usize) -> String {
    let cut = |text: &str| {
        let short: String = text.chars().take(WIDTH).collect();
        if short.len() < text.len() { short + "…" } else { short }
    };
    let several = |values: &[f64]| {
        let few: Vec<String> = values.iter().take(3).map(f64::to_string).collect();
        format!("[{}{}]", few.join(", "), if values.len() > 3 { ", …" } else { "" })
    };
    // An image, a graph or a series that is missing has nothing to show either.
    if column.values.kind() != Kind::Numbers && column.values.is_missing(i) {
        return "missing".into();
    }
    match &column.values {
        Values::Numbers(x) if x.cols() == 1 && x.row(i)[0].is_nan() => "missing".into(),
        Values::Numbers(x) if x.cols() == 1 => x.row(i)[0].to_string(),
        Values::Numbers(x) => several(x.row(i)),
        Values::Sparse(x) => format!("{} stored", x.row(i).0.len()),
        Values::Categories(c) => cut(c.get(i).unwrap_or_default()),
        Values::Times(t) => show_time(t.seconds()[i]),
        Values::Molecules(v) => cut(v[i].text()),
        Values::Strings(v) | Values::Text(v) => cut(v[i].as_deref().unwrap_or_default()),
        Values::Series(v) => several(v[i].values()),
        Values::Images(v) => format!("{} × {}", v[i].width(), v[i].height()),
        Values::Graphs(v) => format!("{} nodes, {} edges", v[i].nodes(), v[i].edges()),
        Values::Nodes(v) => format!("node {}", v.chosen()[i]),
        Values::Precomputed(p) => several(p.row(i)),
    }
}
