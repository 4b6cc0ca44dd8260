//! Collects graphs that files describe node by node and edge by edge.
//!
//! Labels of all graphs go into one table, which is complete only at the end; until then a graph is a [`Sketch`]. Only
//! the requested node and edge data are stored, see [`GraphOptions`]; a warning names the rest.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use super::super::text::{Fault, shown};
use super::super::{GraphOptions, MoleculeOptions, Options, TargetKind, molecules};
use super::facts::{Fact, Facts, GRAPH, dataset, edge_warnings};
use super::tu::finite;
use crate::budget;
use crate::data::{
    Dataset, Dense, Graph, GraphBuilder, Kind, Labels, Molecule, MoleculeError, Names, Tally, Values,
};
use crate::error::{Code, Error, Place, Result, Warning, nearest};

/// A named value of a node, an edge or a graph, and its offset in the text.
pub(super) struct Value<'t> {
    pub(super) name: &'t str,
    pub(super) text: &'t str,
    pub(super) offset: usize,
}

/// The node data, or the edge data, to read.
struct Wanted {
    /// `node` or `edge`.
    of: &'static str,
    label: Option<String>,
    weight: Option<String>,
    numbers: Vec<String>,
    /// The positions of each name in `numbers`.
    places: HashMap<String, Vec<usize>>,
    /// Whether the label and the weight are required, because the user named them.
    must: [bool; 2],
    /// Requested names found so far.
    met: BTreeSet<String>,
    /// Other names found so far.
    others: BTreeSet<String>,
    names: Names,
}

/// Maximum number of names stored for a warning.
const MOST_OTHERS: usize = 50;

impl Wanted {
    fn new(of: &'static str, label: Option<&String>, weight: Option<&String>, numbers: &[String]) -> Self {
        let chosen = |given: Option<&String>, default: &str| match given.map(String::as_str) {
            Some("none") => None,
            Some(name) => Some(name.to_owned()),
            None => Some(default.to_owned()),
        };
        let is_edge = of == "edge";
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        for (j, name) in numbers.iter().enumerate() {
            places.entry(name.clone()).or_default().push(j);
        }
        Wanted {
            of,
            label: chosen(label, "label"),
            weight: if is_edge { chosen(weight, "weight") } else { None },
            numbers: numbers.to_vec(),
            places,
            must: [label.is_some_and(|l| l != "none"), weight.is_some_and(|w| w != "none")],
            met: BTreeSet::new(),
            others: BTreeSet::new(),
            names: Names::new(),
        }
    }

    /// Returns an error if a requested name was never found.
    fn check(&self, name: &Path) -> Result<()> {
        let named = [(self.must[0], &self.label), (self.must[1], &self.weight)];
        let named = named.into_iter().filter(|(must, _)| *must).filter_map(|(_, n)| n.as_ref());
        let Some(absent) = named.chain(&self.numbers).find(|n| !self.met.contains(*n)) else { return Ok(()) };
        let near = nearest(absent, self.others.iter().map(String::as_str));
        let error = Error::parse(Place::file(name), Code::Column, format!("no {} has '{absent}'", self.of));
        Err(match (near.is_empty(), self.others.is_empty()) {
            (false, _) => error.with_hint(format!("did you mean {}?", near.join(" or "))),
            (true, false) => error.with_hint(format!("available: {}", self.list())),
            (true, true) => error,
        })
    }

    fn list(&self) -> String {
        crate::data::list(self.others.iter().map(String::as_str))
    }

    fn left_out(&self) -> Option<Warning> {
        if self.others.is_empty() {
            return None;
        }
        let (of, names) = (self.of, self.list());
        let message = format!("{of} data not read: {names}; choose with --{of}-label, --{of}-attributes");
        Some(Warning::new("W_UNREAD", message))
    }
}

/// The data of the nodes, or the edges, of one graph, one entry for each.
#[derive(Default)]
struct GraphFeature {
    labels: Vec<Option<u32>>,
    weights: Vec<f64>,
    /// Row-major; NaN if missing.
    numbers: Vec<f64>,
    offsets: Vec<usize>,
}

impl GraphFeature {
    /// Adds the data of one node or edge.
    fn push(&mut self, wanted: &mut Wanted, offset: usize, values: &[Value<'_>]) -> Result<(), Fault> {
        let (mut label, mut weight) = (None, f64::NAN);
        let start = self.numbers.len();
        self.numbers.resize(start + wanted.numbers.len(), f64::NAN);
        for value in values {
            let mut known = false;
            if wanted.label.as_deref() == Some(value.name) {
                label = Some(wanted.names.intern(value.text));
                known = true;
            }
            if wanted.weight.as_deref() == Some(value.name) {
                weight = finite(value.text, value.offset)?;
                known = true;
            }
            for &j in wanted.places.get(value.name).into_iter().flatten() {
                self.numbers[start + j] =
                    truth(value.text).map_or_else(|| finite(value.text, value.offset), Ok)?;
                known = true;
            }
            let seen = if known { &mut wanted.met } else { &mut wanted.others };
            if seen.len() < MOST_OTHERS && !seen.contains(value.name) {
                seen.insert(value.name.to_owned());
            }
        }
        self.labels.push(label);
        self.weights.push(weight);
        self.offsets.push(offset);
        Ok(())
    }

    /// Returns an error if only some nodes or edges have a label, weight or attribute.
    fn check(&self, wanted: &Wanted) -> Result<(), Fault> {
        let absent = |i: usize, name: &str, why: &str| {
            let reason =
                format!("{} without '{name}', {why}", if wanted.of == "edge" { "an edge" } else { "a node" });
            Err(Fault::new(self.offsets[i], Code::Missing, reason))
        };
        let some = "which others in this graph have";
        if let Some(i) = self.labels.iter().position(Option::is_none).filter(|_| self.is_labelled()) {
            return absent(i, wanted.label.as_deref().unwrap_or_default(), some);
        }
        if let Some(i) = self.weights.iter().position(|w| w.is_nan()).filter(|_| self.is_weighted()) {
            return absent(i, wanted.weight.as_deref().unwrap_or_default(), some);
        }
        let width = wanted.numbers.len();
        if let Some(at) = self.numbers.iter().position(|v| v.is_nan()) {
            let name = &wanted.numbers[at % width];
            let fault = absent(at / width, name, "which was requested");
            let known = wanted.met.contains(name) || wanted.others.is_empty();
            return fault.map_err(|f| {
                if known { f } else { f.hint(format!("{}s have {}", wanted.of, wanted.list())) }
            });
        }
        Ok(())
    }

    fn is_labelled(&self) -> bool {
        self.labels.iter().any(Option::is_some)
    }

    fn is_weighted(&self) -> bool {
        self.weights.iter().any(|w| !w.is_nan())
    }

    fn rows(&self, width: usize) -> Option<Dense> {
        if width == 0 { None } else { Dense::new(self.offsets.len(), width, self.numbers.clone()).ok() }
    }

    fn codes(&self) -> Option<Vec<u32>> {
        self.is_labelled().then(|| self.labels.iter().flatten().copied().collect())
    }
}

/// Parses GraphML's booleans as 1 and 0.
fn truth(text: &str) -> Option<f64> {
    match text {
        "true" => Some(1.0),
        "false" => Some(0.0),
        _ => None,
    }
}

/// A graph whose nodes and edges are being read, in any order.
#[derive(Default)]
pub(super) struct Draft {
    /// Codes of node names, in order of first appearance.
    codes: HashMap<Box<str>, u32>,
    /// By code: the index of the node, once it is defined.
    given: Vec<Option<u32>>,
    nodes: GraphFeature,
    /// The edges, as codes of their nodes.
    pairs: Vec<(u32, u32)>,
    edges: GraphFeature,
    mirrored: bool,
}

impl Draft {
    fn code(&mut self, name: &str) -> usize {
        let next = self.given.len() as u32;
        let code = match self.codes.get(name) {
            Some(&code) => code,
            None => {
                self.codes.insert(name.into(), next);
                self.given.push(None);
                next
            }
        };
        code as usize
    }

    /// Whether there is a node with this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.codes.get(name).is_some_and(|&code| self.given[code as usize].is_some())
    }

    /// Whether each edge is listed in both directions.
    pub(super) fn is_mirrored(&self) -> bool {
        let all: HashSet<(u32, u32)> = self.pairs.iter().copied().collect();
        self.pairs.iter().all(|&(a, b)| all.contains(&(b, a)))
    }

    /// Marks that each edge is listed in both directions.
    pub(super) fn mirrored(self) -> Self {
        Draft { mirrored: true, ..self }
    }

    /// Adds a node.
    pub(super) fn node(
        &mut self,
        batch: &mut GraphBatch,
        name: &str,
        offset: usize,
        values: &[Value<'_>],
    ) -> Result<(), Fault> {
        let code = self.code(name);
        let place = self.nodes.offsets.len() as u32;
        if self.given[code].replace(place).is_some() {
            return Err(Fault::new(offset, Code::Graph, format!("node {} is defined twice", shown(name))));
        }
        self.nodes.push(&mut batch.nodes, offset, values)
    }

    /// Adds an edge between two named nodes, which may be defined later.
    pub(super) fn edge(
        &mut self,
        batch: &mut GraphBatch,
        ends: (&str, &str),
        offset: usize,
        values: &[Value<'_>],
    ) -> Result<(), Fault> {
        let pair = (self.code(ends.0) as u32, self.code(ends.1) as u32);
        self.pairs.push(pair);
        self.edges.push(&mut batch.edges, offset, values)
    }

    /// The edges as pairs of nodes, if the graph is complete.
    pub(super) fn checked(&self, batch: &GraphBatch) -> Result<Vec<(u32, u32)>, Fault> {
        self.nodes.check(&batch.nodes)?;
        self.edges.check(&batch.edges)?;
        let mut pairs = Vec::with_capacity(self.pairs.len());
        for (&(a, b), &offset) in self.pairs.iter().zip(&self.edges.offsets) {
            match (self.given[a as usize], self.given[b as usize]) {
                (Some(a), Some(b)) => pairs.push((a, b)),
                (found, _) => {
                    let code = if found.is_none() { a } else { b };
                    let name = self.codes.iter().find(|(_, c)| **c == code).map_or("", |(n, _)| n);
                    let reason = format!("an edge to node {}, which does not exist", shown(name));
                    return Err(Fault::new(offset, Code::Graph, reason));
                }
            }
        }
        Ok(pairs)
    }

    /// Adds the complete graph to the batch.
    pub(super) fn finish(
        self,
        batch: &mut GraphBatch,
        id: Option<String>,
        directed: bool,
    ) -> Result<(), Fault> {
        let pairs = self.checked(batch)?;
        let count = self.nodes.offsets.len();
        if let Some(raw) = &mut batch.raw {
            let mut names = vec![String::new(); count];
            for (name, code) in self.codes {
                if let Some(place) = self.given[code as usize] {
                    names[place as usize] = name.into();
                }
            }
            let weight = |w: f64| if w.is_nan() { 1.0 } else { w };
            let edges = pairs.into_iter().zip(self.edges.weights);
            let edges = edges.map(|((a, b), w)| (a, b, weight(w))).collect();
            raw.push(Raw { names, edges });
            return Ok(());
        }
        let mut builder =
            if directed { GraphBuilder::directed(count) } else { GraphBuilder::undirected(count) };
        if self.mirrored {
            builder = builder.mirrored();
        }
        builder = builder.edges(pairs);
        if self.edges.is_weighted() {
            builder = builder.weights(self.edges.weights.clone());
        }
        if let Some(rows) = self.nodes.rows(batch.nodes.numbers.len()) {
            builder = builder.node_attributes(rows);
        }
        if let Some(rows) = self.edges.rows(batch.edges.numbers.len()) {
            builder = builder.edge_attributes(rows);
        }
        batch.push(Sketch { builder, nodes: self.nodes.codes(), edges: self.edges.codes() }, id);
        Ok(())
    }
}

/// A graph whose labels are still codes in the tables of a [`GraphBatch`].
struct Sketch {
    builder: GraphBuilder,
    nodes: Option<Vec<u32>>,
    edges: Option<Vec<u32>>,
}

/// Nodes by name, and all edges of the file, including repeated ones.
pub(super) struct Raw {
    pub(super) names: Vec<String>,
    /// Indices into `names`, and the weight.
    pub(super) edges: Vec<(u32, u32, f64)>,
}

/// A named value about a graph.
struct Note {
    graph: usize,
    name: u32,
    text: String,
    line: u64,
}

/// The graphs of one or several files.
pub(super) struct GraphBatch {
    nodes: Wanted,
    edges: Wanted,
    sketches: Vec<Sketch>,
    ids: Vec<Option<String>>,
    /// Files, each with the number of graphs before it.
    files: Vec<(PathBuf, usize)>,
    notes: Vec<Note>,
    note_names: Vec<String>,
    note_codes: HashMap<String, u32>,
    /// Names of the notes whose text is stored.
    keep: BTreeSet<String>,
    /// The unprocessed graphs, if requested.
    raw: Option<Vec<Raw>>,
    /// The molecules, if the graphs are read as such.
    molecules: Option<Molecules>,
}

/// Molecules instead of graphs.
struct Molecules {
    options: MoleculeOptions,
    all: Vec<Arc<Molecule>>,
    /// The numbers of those left out, from 1, and the number of all.
    invalid: Vec<usize>,
    met: usize,
}

impl GraphBatch {
    pub(super) fn new(options: &Options) -> Self {
        let GraphOptions { node_label, edge_label, edge_weight, node_attributes, edge_attributes, .. } =
            &options.graph;
        GraphBatch {
            nodes: Wanted::new("node", node_label.as_ref(), None, node_attributes),
            edges: Wanted::new("edge", edge_label.as_ref(), edge_weight.as_ref(), edge_attributes),
            sketches: Vec::new(),
            ids: Vec::new(),
            files: Vec::new(),
            notes: Vec::new(),
            note_names: Vec::new(),
            note_codes: HashMap::new(),
            keep: kept(options),
            raw: None,
            molecules: None,
        }
    }

    /// Reads molecules instead of graphs, unless the options are about graphs.
    pub(super) fn of_molecules(mut self, options: &Options) -> Self {
        let as_graphs = options.kinds.get(GRAPH) == Some(&Kind::Graphs);
        if !as_graphs && options.graph == GraphOptions::default() {
            let options = options.molecules;
            self.molecules = Some(Molecules { options, all: Vec::new(), invalid: Vec::new(), met: 0 });
        }
        self
    }

    /// Whether molecules are read instead of graphs.
    pub(super) fn holds_molecules(&self) -> bool {
        self.molecules.is_some()
    }

    /// Adds a molecule whose first line is at `start`; whether it is kept.
    pub(super) fn molecule(
        &mut self,
        molecule: std::result::Result<Molecule, MoleculeError>,
        id: String,
        start: usize,
    ) -> Result<bool, Fault> {
        let Some(own) = &mut self.molecules else { return Ok(false) };
        own.met += 1;
        match molecule {
            Ok(molecule) => {
                let molecule =
                    if own.options.largest_fragment { molecule.largest_fragment() } else { molecule };
                own.all.push(Arc::new(molecule));
                self.ids.push(Some(id).filter(|id| !id.is_empty()));
                Ok(true)
            }
            Err(_) if own.options.skip_invalid => {
                own.invalid.push(own.met);
                Ok(false)
            }
            Err(error) => {
                let named = if id.is_empty() { String::new() } else { format!(" ({})", shown(&id)) };
                let reason = format!("molecule {}{named}: {}", own.met, error.reason);
                Err(Fault::new(start + error.at, Code::Molecule, reason).hint(
                    "correct it, leave such molecules out with `skip-invalid`, or read them as graphs with \
                     `type=graph=graphs`",
                ))
            }
        }
    }

    /// Stores unprocessed graphs instead.
    pub(super) fn raw(self) -> Self {
        GraphBatch { raw: Some(Vec::new()), ..self }
    }

    /// The unprocessed graphs.
    pub(super) fn into_raw(self) -> Vec<Raw> {
        self.raw.unwrap_or_default()
    }

    /// Assigns the following graphs to this file.
    pub(super) fn begin(&mut self, file: &Path) {
        self.files.push((file.to_owned(), self.len()));
    }

    /// The number of graphs so far.
    pub(super) fn len(&self) -> usize {
        self.sketches.len() + self.molecules.as_ref().map_or(0, |m| m.all.len())
    }

    /// The names of the node data, or the edge data, to read.
    pub(super) fn wanted(&self, is_node: bool) -> Vec<String> {
        let of = if is_node { &self.nodes } else { &self.edges };
        of.label.iter().chain(&of.weight).chain(&of.numbers).cloned().collect()
    }

    /// Those of them that the user named.
    pub(super) fn demanded(&self, is_node: bool) -> impl Iterator<Item = &String> {
        let of = if is_node { &self.nodes } else { &self.edges };
        let named = [(of.must[0], &of.label), (of.must[1], &of.weight)];
        named.into_iter().filter(|(must, _)| *must).filter_map(|(_, name)| name.as_ref()).chain(&of.numbers)
    }

    /// Records names of other node data, or edge data.
    pub(super) fn unread(&mut self, is_node: bool, names: &[String]) {
        let of = if is_node { &mut self.nodes } else { &mut self.edges };
        let read = |name: &&String| {
            of.label.as_ref() == Some(name)
                || of.weight.as_ref() == Some(name)
                || of.places.contains_key(name.as_str())
        };
        let room = MOST_OTHERS.saturating_sub(of.others.len());
        let others: Vec<String> = names.iter().filter(|name| !read(name)).take(room).cloned().collect();
        of.others.extend(others);
    }

    /// Records a name under which graphs may have values.
    pub(super) fn mention(&mut self, name: &str) {
        self.note_code(name);
    }

    fn note_code(&mut self, name: &str) -> u32 {
        let next = self.note_names.len() as u32;
        match self.note_codes.get(name) {
            Some(&code) => code,
            None => {
                self.note_codes.insert(name.to_owned(), next);
                self.note_names.push(name.to_owned());
                next
            }
        }
    }

    /// Whether node attributes were requested.
    pub(super) fn wants_numbers(&self) -> bool {
        !self.nodes.numbers.is_empty()
    }

    /// Names the graphs of a file after it, from graph `first` on: a single graph always, of several those without a
    /// name.
    pub(super) fn name_after(&mut self, first: usize, stem: &str) {
        let own = &mut self.ids[first..];
        if let [only] = own {
            *only = Some(stem.to_owned());
        }
        for (i, id) in own.iter_mut().enumerate() {
            id.get_or_insert_with(|| format!("{stem}-{}", i + 1));
        }
    }

    fn push(&mut self, sketch: Sketch, id: Option<String>) {
        self.sketches.push(sketch);
        self.ids.push(id.filter(|id| !id.is_empty()));
    }

    /// Whether values about graphs with this name may be used.
    pub(super) fn keeps(&self, name: &str) -> bool {
        self.keep.contains(name) || self.keep.contains(&name.to_ascii_lowercase())
    }

    /// Records a value about a graph: the next one, or the last one if it is complete.
    pub(super) fn note(&mut self, graph: usize, name: &str, text: &str, line: u64) {
        let code = self.note_code(name);
        if self.keeps(name) {
            self.notes.push(Note { graph, name: code, text: text.to_owned(), line });
        }
    }

    /// The graphs, or the molecules, and warnings. `name` is the file or folder they came from.
    pub(super) fn objects(&mut self, name: &Path) -> Result<(Values, Vec<Warning>)> {
        let Some(own) = self.molecules.take() else {
            let (graphs, warnings) = self.build(name)?;
            return Ok((Values::Graphs(graphs), warnings));
        };
        let mut warnings = molecules::noticed(&own.all, GRAPH, "molecule")?;
        if !own.invalid.is_empty() {
            warnings.push(molecules::skipped("molecule", own.invalid.iter().copied(), own.met));
        }
        if own.all.is_empty() && own.met > 0 {
            let reason = "there is no molecule that can be read";
            return Err(Error::parse(Place::file(name), Code::Molecule, reason));
        }
        Ok((Values::Molecules(own.all), warnings))
    }

    /// The graphs and warnings.
    fn build(&mut self, name: &Path) -> Result<(Vec<Graph>, Vec<Warning>)> {
        let node_names = Arc::new(std::mem::take(&mut self.nodes.names));
        let edge_names = Arc::new(std::mem::take(&mut self.edges.names));
        let build = |sketch: Sketch| {
            budget::check_often()?;
            let mut builder = sketch.builder;
            if let Some(labels) = sketch.nodes.and_then(|c| Labels::from_codes(c, Arc::clone(&node_names))) {
                builder = builder.node_labels(labels);
            }
            if let Some(labels) = sketch.edges.and_then(|c| Labels::from_codes(c, Arc::clone(&edge_names))) {
                builder = builder.edge_labels(labels);
            }
            builder.build()
        };
        let build = budget::carried(build);
        let built =
            std::mem::take(&mut self.sketches).into_par_iter().map(build).collect::<Result<Vec<_>>>()?;
        let mut tally = Tally::default();
        built.iter().for_each(|(_, t)| tally += *t);
        let graphs: Vec<Graph> = built.into_iter().map(|(g, _)| g).collect();
        let mut warnings = edge_warnings(tally, &graphs);
        if graphs.iter().any(|g| g.nodes() > 0) {
            self.nodes.check(name)?;
        }
        if graphs.iter().any(|g| g.edges() > 0) {
            self.edges.check(name)?;
        }
        warnings.extend(names_for_labels(&graphs, self.nodes.label.as_deref()));
        warnings.extend([&self.nodes, &self.edges].into_iter().filter_map(Wanted::left_out));
        Ok((graphs, warnings))
    }

    /// The data set of all graphs. `name` is the file or folder they came from.
    pub(super) fn dataset(mut self, name: &Path, options: &Options) -> Result<Dataset> {
        let (objects, warnings) = self.objects(name)?;
        let ids = self.ids();
        let count = objects.len();
        let mut lines: HashMap<(usize, usize), u64> = HashMap::new();
        let mut all: Vec<Fact<'_>> = (self.note_names.iter())
            .map(|name| Fact { name: name.clone(), values: Vec::new(), kind: TargetKind::Infer })
            .collect();
        for note in &self.notes {
            let j = note.name as usize;
            // Of repeated names the first is used; notes are in the order of the graphs.
            if note.graph < count && all[j].values.last().is_none_or(|(last, _)| *last < note.graph) {
                all[j].values.push((note.graph, note.text.as_str().into()));
                lines.insert((note.graph, j), note.line);
            }
        }
        let place = |i: usize, j: usize| {
            let file = self.files.partition_point(|(_, first)| *first <= i);
            let file =
                file.checked_sub(1).and_then(|at| self.files.get(at)).map_or(name, |(f, _)| f.as_path());
            Place::new(file, lines.get(&(i, j)).copied().unwrap_or(0), 0)
        };
        dataset(name, objects, Facts { ids, all, place: &place }, warnings, options)
    }

    /// The names of the graphs, if any has one; graphs without a name are numbered.
    pub(super) fn ids(&mut self) -> Option<Vec<String>> {
        let ids = std::mem::take(&mut self.ids);
        ids.iter().any(Option::is_some).then(|| {
            let own = |(i, id): (usize, Option<String>)| id.unwrap_or_else(|| (i + 1).to_string());
            ids.into_iter().enumerate().map(own).collect()
        })
    }
}

/// The names of notes that have a role. Default target names are matched in any case.
pub(super) fn kept(options: &Options) -> BTreeSet<String> {
    let roles = [&options.target, &options.group, &options.id, &options.weight];
    let named = roles.into_iter().flatten().chain(options.kinds.keys()).cloned();
    named.chain(super::super::roles::TARGETS.map(str::to_owned)).collect()
}

/// Warns if labels differ between all nodes of every graph, because then they are probably names.
fn names_for_labels(graphs: &[Graph], name: Option<&str>) -> Option<Warning> {
    let distinct = |g: &Graph| {
        let labels = g.node_labels()?;
        let codes: BTreeSet<u32> = (0..labels.len()).map(|i| labels.code(i)).collect();
        Some(codes.len() == labels.len())
    };
    let labelled: Vec<bool> = graphs.iter().filter(|g| g.nodes() > 2).filter_map(distinct).collect();
    let suspicious = !labelled.is_empty() && labelled.iter().all(|d| *d);
    suspicious.then(|| {
        let name = name.unwrap_or_default();
        let message = format!(
            "'{name}' is different for every node of each graph and may be a name, not a label; choose another with `node-label=NAME`, or `node-label=none`"
        );
        Warning::new("W_NAMES", message)
    })
}
