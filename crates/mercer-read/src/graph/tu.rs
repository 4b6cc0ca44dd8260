//! Graphs in the format of the TU Dortmund collection: lists of numbers over the nodes and edges of all graphs.
//!
//! | file | one line per | content |
//! |---|---|---|
//! | `NAME_A.txt` | direction of an edge | two nodes, numbered from 1 over all graphs |
//! | `NAME_graph_indicator.txt` | node | its graph; graphs are numbered from 1, in order and without gaps |
//! | `NAME_graph_labels.txt` | graph | its class: column `class` |
//! | `NAME_graph_attributes.txt` | graph | numbers: column `target`, or `target1`, `target2`, … |
//! | `NAME_node_labels.txt` | node | its label; several columns are combined into one label |
//! | `NAME_edge_labels.txt` | line of `NAME_A.txt` | the edge's label |
//! | `NAME_node_attributes.txt` | node | numbers |
//! | `NAME_edge_attributes.txt` | line of `NAME_A.txt` | numbers |
//!
//! Only the first two are required; each may be compressed. Fields are separated by commas, with or without spaces. The
//! target is the class if there is one, otherwise the only attribute; of several, `target=target2` selects one.
//!
//! Edges are parsed in two passes: one checks them and counts them per graph, the other stores them. Collecting them in
//! one pass and sorting them needs more memory and saves no time, because files are in order of graphs.

use std::borrow::Cow;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memchr;
use rayon::prelude::*;

use super::super::number::{self, Number};
use super::super::pace::Pace;
use super::super::text::{Fault, Text, shown};
use super::super::{Options, TargetKind};
use super::batch::kept;
use super::facts::{Fact, Facts, check_kind, dataset, edge_warnings};
use crate::budget;
use crate::data::{Dataset, Dense, Graph, GraphBuilder, Labels, Names, Tally, Values};
use crate::error::{Code, Error, Place, Result};

/// One of the files: its name for messages and its decompressed bytes.
pub(crate) struct File<'a> {
    pub(crate) name: PathBuf,
    pub(crate) bytes: Cow<'a, [u8]>,
}

/// Reads the files that `open` returns for a suffix, such as `A` or `node_labels`.
pub(crate) fn read<'a>(
    name: &Path,
    open: &dyn Fn(&str) -> Result<Option<File<'a>>>,
    options: &Options,
) -> Result<Dataset> {
    check_kind(options, None)?;
    let needed = |part: &str| {
        open(part)?.ok_or_else(|| {
            let reason = format!("the file …_{part}.txt is missing");
            Error::parse(Place::file(name), Code::IoOpen, reason)
        })
    };
    let starts = with_text(needed("graph_indicator")?, options, indicator)?;
    let (nodes, graphs) = (starts[starts.len() - 1] as usize, starts.len() - 1);
    let edges = with_text(needed("A")?, options, |text| Edges::read(text, &starts))?;
    let lines = edges.places.len();

    let labels = |part: &str, count: usize, of: &str| {
        open(part)?.map(|file| with_text(file, options, |t| labels(t, count, of))).transpose()
    };
    let rows = |part: &str, count: usize, of: &str| {
        open(part)?.map(|file| with_text(file, options, |t| rows(t, count, of))).transpose()
    };
    let node_labels = labels("node_labels", nodes, "nodes")?;
    let edge_labels = labels("edge_labels", lines, "lines of edges")?.map(|l| l.arranged(&edges));
    let node_rows = rows("node_attributes", nodes, "nodes")?;
    let edge_rows = rows("edge_attributes", lines, "lines of edges")?.map(|x| x.select(&edges.lines()));

    let build = |g: usize| -> Result<(Graph, Tally)> {
        budget::check_often()?;
        let (own, at) = (starts[g] as usize..starts[g + 1] as usize, edges.ends[g]..edges.ends[g + 1]);
        let builder = match options.graph.directed {
            true => GraphBuilder::directed(own.len()),
            false => GraphBuilder::undirected(own.len()).mirrored(),
        };
        let mut builder = builder.edges(edges.pairs[at.clone()].to_vec());
        if let Some(labels) = node_labels.as_ref().and_then(|l| l.of(own.clone())) {
            builder = builder.node_labels(labels);
        }
        if let Some(labels) = edge_labels.as_ref().and_then(|l| l.of(at.clone())) {
            builder = builder.edge_labels(labels);
        }
        if let Some(rows) = &node_rows {
            builder = builder.node_attributes(part(rows, own)?);
        }
        if let Some(rows) = &edge_rows {
            builder = builder.edge_attributes(part(rows, at)?);
        }
        builder.build()
    };
    let build = budget::carried(build);
    let built = (0..graphs).into_par_iter().map(build).collect::<Result<Vec<_>>>()?;
    let mut tally = Tally::default();
    built.iter().for_each(|(_, t)| tally += *t);
    let built: Vec<Graph> = built.into_iter().map(|(g, _)| g).collect();
    let warnings = edge_warnings(tally, &built);

    let (class, numbers) = (open("graph_labels")?, open("graph_attributes")?);
    let files = [class.as_ref().map(|f| f.name.clone()), numbers.as_ref().map(|f| f.name.clone())];
    let has_class = class.is_some();
    let mut all = Vec::new();
    if let Some(file) = class {
        all.extend(with_text(file, options, |text| classes(text, graphs))?);
    }
    if let Some(file) = numbers {
        all.extend(with_text(file, options, |text| targets(text, graphs, options))?);
    }
    let place = |i: usize, j: usize| {
        let file = if has_class && j == 0 { &files[0] } else { &files[1] };
        Place::new(file.as_deref().unwrap_or(name), i as u64 + 1, 1)
    };
    let ids = (1..=graphs).map(|g| g.to_string()).collect();
    dataset(name, Values::Graphs(built), Facts { ids: Some(ids), all, place: &place }, warnings, options)
}

/// Parses a file with `parse` and adds positions to errors.
fn with_text<T>(
    file: File<'_>,
    options: &Options,
    parse: impl FnOnce(&Text<'_>) -> Result<T, Fault>,
) -> Result<T> {
    let text = Text::new(&file.name, file.bytes, &options.limits)?;
    parse(&text).map_err(|fault| text.error(fault))
}

fn part(rows: &Dense, range: Range<usize>) -> Result<Dense> {
    let width = rows.cols();
    Dense::new(range.len(), width, rows.values()[range.start * width..range.end * width].to_vec())
}

/// The lines of a list with their offsets, without blank lines at the end.
fn lines<'t>(text: &'t Text<'_>) -> impl Iterator<Item = (usize, &'t str)> {
    let mut at = 0;
    let body = text.as_str().trim_end();
    std::iter::from_fn(move || {
        let rest = body.get(at..).filter(|rest| !rest.is_empty())?;
        let start = at;
        let line = memchr(b'\n', rest.as_bytes()).and_then(|n| rest.get(..n)).unwrap_or(rest);
        at += line.len() + 1;
        Some((start, line))
    })
}

/// Returns an error unless a list has the expected number of lines.
fn check_length(text: &Text<'_>, expected: usize, of: &str) -> Result<(), Fault> {
    let body = text.as_str().trim_end();
    let found = 1 + memchr::memchr_iter(b'\n', body.as_bytes()).count();
    if found == expected {
        return Ok(());
    }
    let at = lines(text).nth(expected).map_or(body.len(), |(offset, _)| offset);
    Err(Fault::new(at, Code::TuLength, format!("{found} lines for {expected} {of}")))
}

/// The first node of each graph, from 0, and the number of nodes at the end.
fn indicator(text: &Text<'_>) -> Result<Vec<u32>, Fault> {
    let mut starts = vec![0u32];
    let mut nodes = 0u32;
    let mut pace = Pace::from(0);
    for (offset, line) in lines(text) {
        pace.at(offset)?;
        let word = number::trim(line);
        let graph = whole(word).ok_or_else(|| {
            Fault::new(offset, Code::TuId, format!("{} is not a graph number", shown(word)))
        })?;
        let last = starts.len() as u64 - 1;
        if graph == last + 1 {
            starts.push(nodes);
        } else if graph != last || graph == 0 {
            let expected = if last == 0 { "1".to_owned() } else { format!("{last} or {}", last + 1) };
            let reason = format!("got graph {graph}, expected {expected}");
            return Err(Fault::new(offset, Code::TuId, reason)
                .hint("graphs are numbered 1, 2, 3, …, and the nodes of each are contiguous"));
        }
        nodes = nodes
            .checked_add(1)
            .ok_or_else(|| Fault::new(offset, Code::DimLimit, "more than 4294967295 nodes"))?;
    }
    // Starts were pushed after a 0 reserved for the number of nodes.
    starts.remove(0);
    starts.push(nodes);
    Ok(starts)
}

/// A whole number in plain digits.
fn whole(word: &str) -> Option<u64> {
    let digits = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    if digits { word.parse().ok() } else { None }
}

/// The edges of all graphs, grouped by graph.
struct Edges {
    /// The nodes of each edge, numbered within their graph.
    pairs: Vec<(u32, u32)>,
    /// The end of each graph's edges, after a leading 0.
    ends: Vec<usize>,
    /// The position of the edge of each line of the file.
    places: Vec<u32>,
}

impl Edges {
    fn read(text: &Text<'_>, starts: &[u32]) -> Result<Self, Fault> {
        let graphs = starts.len() - 1;
        let mut ends = vec![0usize; graphs + 1];
        scan(text, starts, |g, _, _| ends[g + 1] += 1)?;
        (0..graphs).for_each(|g| ends[g + 1] += ends[g]);
        let count = ends[graphs];
        if u32::try_from(count).is_err() {
            return Err(Fault::new(
                0,
                Code::DimLimit,
                format!("{count} edges; at most 4294967295 can be read"),
            ));
        }
        let mut next = ends.clone();
        let (mut pairs, mut places) = (vec![(0, 0); count], Vec::with_capacity(count));
        scan(text, starts, |g, a, b| {
            pairs[next[g]] = (a - starts[g], b - starts[g]);
            places.push(next[g] as u32);
            next[g] += 1;
        })?;
        Ok(Edges { pairs, ends, places })
    }

    /// The line of each edge, in order of edges.
    fn lines(&self) -> Vec<usize> {
        let mut lines = vec![0; self.places.len()];
        self.places.iter().enumerate().for_each(|(line, &at)| lines[at as usize] = line);
        lines
    }
}

/// Calls `take` with the graph and the two nodes, from 0, of each edge.
fn scan(text: &Text<'_>, starts: &[u32], mut take: impl FnMut(usize, u32, u32)) -> Result<(), Fault> {
    let nodes = starts[starts.len() - 1];
    // Edges of a graph are mostly contiguous, so the last graph is tried first.
    let mut own = 0..0;
    let mut g = 0;
    let mut pace = Pace::from(0);
    for (offset, line) in lines(text) {
        pace.at(offset)?;
        let (a, b) = match pair(line.as_bytes()) {
            Some((a, b)) if a > 0 && b > 0 && a <= nodes && b <= nodes => (a - 1, b - 1),
            _ => return Err(no_edge(offset, line, nodes, text)),
        };
        if !own.contains(&a) {
            g = starts.partition_point(|&s| s <= a) - 1;
            own = starts[g]..starts[g + 1];
        }
        if !own.contains(&b) {
            let other = starts.partition_point(|&s| s <= b);
            let reason = format!("edge {}: its nodes are in graphs {} and {other}", shown(line), g + 1);
            return Err(Fault::new(offset, Code::TuCross, reason));
        }
        take(g, a, b);
    }
    Ok(())
}

/// The two numbers of a line. On the fast path.
#[inline]
fn pair(line: &[u8]) -> Option<(u32, u32)> {
    fn digits(line: &[u8], mut at: usize) -> Option<(u32, usize)> {
        while matches!(line.get(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        let start = at;
        let mut value = 0u64;
        while let Some(digit) = line.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
            value = value * 10 + u64::from(digit);
            at += 1;
            if value > u64::from(u32::MAX) {
                return None;
            }
        }
        let end = at;
        while matches!(line.get(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        (end > start).then_some((value as u32, at))
    }
    let (a, at) = digits(line, 0)?;
    // Some files separate the numbers only by spaces.
    let comma = line.get(at) == Some(&b',');
    let (b, end) = digits(line, at + usize::from(comma))?;
    (end == line.len()).then_some((a, b))
}

/// The error for a line that is not an edge.
#[cold]
fn no_edge(offset: usize, line: &str, nodes: u32, text: &Text<'_>) -> Fault {
    let is_last = text.as_str().get(offset + line.len()..).is_some_and(str::is_empty);
    let words: Vec<&str> = fields(line).collect();
    let [a, b] = words[..] else {
        let (code, reason) = match is_last && words.len() < 2 {
            true => (Code::Truncated, format!("the file ends in the edge {}", shown(line))),
            false => (Code::Syntax, format!("{} is not two node numbers", shown(line))),
        };
        return Fault::new(offset, code, reason);
    };
    if is_last && b.is_empty() {
        return Fault::new(offset, Code::Truncated, format!("the file ends in the edge {}", shown(line)));
    }
    for word in [a, b] {
        if !matches!(number::parse(word), Number::Value(v) if v.fract() == 0.0) {
            return Fault::new(offset, Code::Number, format!("{} is not a node number", shown(word)));
        }
    }
    let reason = format!("edge {}: nodes are numbered 1 to {nodes}", shown(line));
    Fault::new(offset, Code::TuNode, reason)
}

/// The fields of a line, separated by commas, or by spaces if there are none.
fn fields(line: &str) -> impl Iterator<Item = &str> {
    let by_comma = line.contains(',');
    let words = line.split(move |c: char| if by_comma { c == ',' } else { c == ' ' || c == '\t' });
    words.map(number::trim).filter(move |word| by_comma || !word.is_empty())
}

/// Labels as codes in one table.
struct Coded {
    codes: Vec<u32>,
    names: Arc<Names>,
}

impl Coded {
    fn of(&self, range: Range<usize>) -> Option<Labels> {
        Labels::from_codes(self.codes.get(range)?.to_vec(), Arc::clone(&self.names))
    }

    /// Converts labels of lines to labels of edges in order.
    fn arranged(mut self, edges: &Edges) -> Self {
        let mut codes = vec![0; self.codes.len()];
        edges.places.iter().zip(&self.codes).for_each(|(&at, &code)| codes[at as usize] = code);
        self.codes = codes;
        self
    }
}

fn labels(text: &Text<'_>, count: usize, of: &str) -> Result<Coded, Fault> {
    check_length(text, count, of)?;
    let mut names = Names::new();
    let mut codes = Vec::with_capacity(count);
    let (mut last, mut code) = ("", None);
    let mut pace = Pace::from(0);
    for (offset, line) in lines(text) {
        pace.at(offset)?;
        let line = number::trim(line);
        if line.is_empty() {
            return Err(Fault::new(offset, Code::Syntax, "blank line, expected a label"));
        }
        // Equal labels are often consecutive.
        if code.is_none() || line != last {
            last = line;
            let several = line.contains(',') && line.contains([' ', '\t']);
            let joined = several.then(|| fields(line).collect::<Vec<_>>().join(","));
            code = Some(names.intern(joined.as_deref().unwrap_or(line)));
        }
        codes.extend(code);
    }
    Ok(Coded { codes, names: Arc::new(names) })
}

/// Parses rows of numbers with as many columns as the first.
fn rows(text: &Text<'_>, count: usize, of: &str) -> Result<Dense, Fault> {
    check_length(text, count, of)?;
    // Counted first, because numbers may need more memory than their text.
    let mut cells = 0usize;
    numbers(text, |_| cells += 1)?;
    budget::ask("the attributes of graphs", 8 * cells as u64)?;
    let mut values = Vec::with_capacity(cells);
    numbers(text, |v| values.push(v))?;
    let width = cells.checked_div(count).unwrap_or(0);
    Dense::new(count, width, values).map_err(|e| Fault::new(0, Code::TuAttributes, e.to_string()))
}

fn numbers(text: &Text<'_>, mut take: impl FnMut(f64)) -> Result<(), Fault> {
    let mut width = None;
    let mut pace = Pace::from(0);
    for (offset, line) in lines(text) {
        pace.at(offset)?;
        let mut found = 0usize;
        for word in fields(line) {
            take(finite(word, offset + (word.as_ptr() as usize - line.as_ptr() as usize))?);
            found += 1;
        }
        let expected = *width.get_or_insert(found);
        if found != expected {
            let reason = format!("{found} attributes, but the first line has {expected}");
            return Err(Fault::new(offset, Code::TuAttributes, reason));
        }
    }
    Ok(())
}

/// Parses a finite number.
pub(super) fn finite(word: &str, offset: usize) -> Result<f64, Fault> {
    let fault = |code, reason: String| Err(Fault::new(offset, code, reason));
    match number::parse(word) {
        Number::Value(v) => Ok(v),
        Number::NonFinite => fault(Code::NonFinite, format!("{}: values must be finite", shown(word))),
        Number::Overflow => fault(Code::Overflow, format!("{} is too large for a double", shown(word))),
        Number::Bad(why) => fault(Code::Number, format!("{} is not a plain number: {why}", shown(word))),
        Number::Text => fault(Code::Number, format!("{} is not a number", shown(word))),
    }
}

/// The class of each graph.
fn classes(text: &Text<'_>, graphs: usize) -> Result<Option<Fact<'static>>, Fault> {
    check_length(text, graphs, "graphs")?;
    let value = |(i, (offset, line)): (usize, (usize, &str))| {
        let word = number::trim(line);
        if word.is_empty() || word.contains(',') {
            let reason = format!("{} is not one class", shown(word));
            return Err(Fault::new(offset, Code::Label, reason));
        }
        Ok((i, Cow::Owned(word.to_owned())))
    };
    let values = lines(text).enumerate().map(value).collect::<Result<Vec<_>, Fault>>()?;
    Ok(Some(Fact { name: "class".into(), values, kind: TargetKind::Classes }))
}

/// The numbers of each graph. For those without a role only the names are stored.
fn targets(text: &Text<'_>, graphs: usize, options: &Options) -> Result<Vec<Fact<'static>>, Fault> {
    check_length(text, graphs, "graphs")?;
    numbers(text, |_| {})?;
    let width = lines(text).next().map_or(0, |(_, line)| fields(line).count());
    let name = |j: usize| if width == 1 { "target".into() } else { format!("target{}", j + 1) };
    let column = |j: usize| Fact { name: name(j), values: Vec::new(), kind: TargetKind::Numbers };
    let mut columns: Vec<Fact<'static>> = (0..width).map(column).collect();
    let kept = kept(options);
    let used: Vec<bool> = columns.iter().map(|fact| kept.contains(&fact.name)).collect();
    let mut pace = Pace::from(0);
    for (i, (offset, line)) in lines(text).enumerate() {
        pace.at(offset)?;
        for ((fact, word), _) in columns.iter_mut().zip(fields(line)).zip(&used).filter(|(_, used)| **used) {
            fact.values.push((i, Cow::Owned(word.to_owned())));
        }
    }
    Ok(columns)
}
