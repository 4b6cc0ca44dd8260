//! Builds a data set from graphs and values about them.

use std::borrow::Cow;
use std::path::Path;

use super::super::number::{self, Number};
use super::super::roles::{self, Role, target_of_names, target_of_numbers};
use super::super::text::shown;
use super::super::{Format, Missing, Options, TargetKind};
use crate::budget;
use crate::data::{Categories, Column, Dataset, Dense, Graph, Kind, Tally, Target, Values};
use crate::error::{Code, Error, Place, Result, Warning};

/// The name of the graph column.
pub(super) const GRAPH: &str = "graph";

/// One property of graphs: a class, a measured value, a name.
pub(super) struct Fact<'a> {
    pub(super) name: String,
    /// Its values by graph number, ascending. Graphs without a value are not stored: in files where every graph has
    /// keys of its own, a dense table would need a cell for each graph and key.
    pub(super) values: Vec<(usize, Cow<'a, str>)>,
    /// How it is interpreted as a target by default.
    pub(super) kind: TargetKind,
}

/// A property with a role, with one entry per graph.
struct Used<'f> {
    /// Its index among the properties.
    j: usize,
    name: &'f str,
    kind: TargetKind,
    role: Role,
    values: Vec<Option<&'f str>>,
}

impl<'f> Used<'f> {
    fn new(j: usize, fact: &'f Fact<'_>, role: Role, count: usize) -> Self {
        let mut values = vec![None; count];
        for (i, text) in &fact.values {
            if let Some(value) = values.get_mut(*i) {
                *value = Some(&**text);
            }
        }
        Used { j, name: &fact.name, kind: fact.kind, role, values }
    }
}

/// All properties of the graphs.
pub(super) struct Facts<'a> {
    pub(super) ids: Option<Vec<String>>,
    pub(super) all: Vec<Fact<'a>>,
    /// The position of property j of graph i in the file.
    pub(super) place: &'a dyn Fn(usize, usize) -> Place,
}

/// The data set of graphs: one column of graphs, and the properties that have a role.
///
/// Properties without a role are left out: most are other targets, which would leak the one to predict. A property that
/// the user gives a type becomes a column of that type.
pub(super) fn dataset(
    name: &Path,
    graphs: Values,
    facts: Facts<'_>,
    mut warnings: Vec<Warning>,
    options: &Options,
) -> Result<Dataset> {
    let names: Vec<String> =
        std::iter::once(GRAPH.to_owned()).chain(facts.all.iter().map(|f| f.name.clone())).collect();
    let roles = roles::assign(&names, options, &Place::file(name))?;
    if !matches!(roles.first(), Some(Role::Feature | Role::Ignore)) {
        return Err(Error::usage(format!("column '{GRAPH}' holds the graphs and cannot have another role")));
    }
    let used = |j: usize, fact: &Fact<'_>| match roles.get(j + 1) {
        Some(Role::Ignore) | None => None,
        Some(Role::Feature) => options.kinds.contains_key(&fact.name).then_some(Role::Feature),
        Some(role) => Some(*role),
    };
    let chosen: Vec<(usize, &Fact<'_>, Role)> =
        facts.all.iter().enumerate().filter_map(|(j, f)| Some((j, f, used(j, f)?))).collect();
    let cells = (chosen.len() as u64).saturating_mul(graphs.len() as u64);
    budget::ask("the properties of the graphs", cells.saturating_mul(40))?;
    let used: Vec<Used<'_>> =
        chosen.into_iter().map(|(j, fact, role)| Used::new(j, fact, role, graphs.len())).collect();

    let rows = rows(graphs.len(), &used, &facts, options)?;
    if rows.is_empty() {
        let reason = if graphs.is_empty() { "no graphs" } else { "every graph has a missing value" };
        return Err(Error::parse(Place::file(name), Code::Empty, reason));
    }
    let dropped = graphs.len() - rows.len();
    if dropped > 0 {
        let message = format!("{dropped} of {} graphs left out: a value is missing", graphs.len());
        warnings.push(Warning::new("W_DROPPED", message));
    }
    let graphs = if dropped == 0 { graphs } else { graphs.select(&rows) };
    let mut columns = vec![Column::new(GRAPH, graphs)];
    columns.retain(|_| roles.first() == Some(&Role::Feature));
    for fact in used.iter().filter(|fact| fact.role == Role::Feature) {
        columns.push(Column::new(fact.name, feature(fact, &rows, &facts, options)?));
    }
    let mut data = Dataset::new(columns)?;
    let mut ids = facts.ids.as_ref().map(|ids| rows.iter().map(|&i| ids[i].clone()).collect::<Vec<_>>());
    for fact in &used {
        let text = |i: usize| fact.values[i];
        data = match fact.role {
            Role::Target => data.with_target(fact.name, target(fact, &rows, &facts, options.target_kind)?)?,
            Role::Group => {
                let groups = Categories::from_values(rows.iter().map(|&i| text(i)));
                data.with_groups(fact.name, groups)?
            }
            Role::Weight => data.with_weights(numbers(fact, &rows, &facts, Code::Number)?)?,
            Role::Id => {
                ids = Some(rows.iter().map(|&i| text(i).unwrap_or_default().to_owned()).collect());
                data
            }
            Role::Feature | Role::Ignore => data,
        };
    }
    if let Some(ids) = ids {
        data = data.with_ids(ids)?;
    }
    Ok(data.with_warnings(warnings))
}

/// Rejects options that would read the graphs as anything else.
pub(super) fn check_kind(options: &Options, format: Option<Format>) -> Result<()> {
    if options.precomputed {
        return Err(Error::usage("precomputed similarities are read from npy or npz, not from graphs"));
    }
    match options.kinds.get(GRAPH) {
        None | Some(Kind::Graphs) => Ok(()),
        Some(Kind::Molecules) if format == Some(Format::Sdf) => Ok(()),
        Some(_) => {
            let reason = match format {
                Some(Format::Sdf) => "holds molecules, or graphs, in this format".to_owned(),
                _ => "holds graphs in this format".to_owned(),
            };
            Err(Error::Column { name: GRAPH.into(), reason, hint: None })
        }
    }
}

/// The graphs kept by the policy for missing values.
fn rows(count: usize, used: &[Used<'_>], facts: &Facts<'_>, options: &Options) -> Result<Vec<usize>> {
    let rule = options.missing_or_keep();
    let mut rows = Vec::with_capacity(count);
    for i in 0..count {
        match used.iter().find(|f| f.values[i].is_none() && f.role != Role::Id) {
            None => rows.push(i),
            Some(_) if rule == Missing::Drop => {}
            Some(fact) if fact.role == Role::Feature && rule == Missing::Keep => rows.push(i),
            Some(fact) => {
                let code = if fact.role == Role::Target { Code::Label } else { Code::Missing };
                let reason = format!("graph {} has no '{}'", i + 1, fact.name);
                let hint = "leave such graphs out with `missing=drop`";
                return Err(Error::parse((facts.place)(i, fact.j), code, reason).with_hint(hint));
            }
        }
    }
    Ok(rows)
}

fn numbers(fact: &Used<'_>, rows: &[usize], facts: &Facts<'_>, code: Code) -> Result<Vec<f64>> {
    let number = |&i: &usize| {
        let Some(text) = fact.values[i] else { return Ok(f64::NAN) };
        let fault = |code, reason| {
            Err(Error::parse((facts.place)(i, fact.j), code, format!("{} {reason}", shown(text))))
        };
        match number::parse(text) {
            Number::Value(v) => Ok(v),
            Number::NonFinite if code == Code::Label => fault(code, "is not a label".to_owned()),
            Number::NonFinite => fault(Code::NonFinite, "must be finite".to_owned()),
            Number::Overflow => fault(Code::Overflow, "is too large for a double".to_owned()),
            Number::Bad(why) => fault(code, format!("in '{}' is not a plain number: {why}", fact.name)),
            Number::Text => fault(code, format!("in '{}' is not a number", fact.name)),
        }
    };
    rows.iter().map(number).collect()
}

fn target(fact: &Used<'_>, rows: &[usize], facts: &Facts<'_>, told: TargetKind) -> Result<Target> {
    let kind = if told == TargetKind::Infer { fact.kind } else { told };
    let numeric = |i: &usize| !matches!(number::parse(fact.values[*i].unwrap_or("")), Number::Text);
    if kind == TargetKind::Numbers || kind == TargetKind::Infer && rows.iter().all(numeric) {
        return Ok(target_of_numbers(numbers(fact, rows, facts, Code::Label)?, kind));
    }
    if let Some(&i) =
        rows.iter().find(|&&i| matches!(number::parse(fact.values[i].unwrap_or("")), Number::NonFinite))
    {
        let text = shown(fact.values[i].unwrap_or(""));
        return Err(Error::parse((facts.place)(i, fact.j), Code::Label, format!("{text} is not a label")));
    }
    let classes = Categories::from_values(rows.iter().map(|&i| fact.values[i]));
    Ok(target_of_names(classes))
}

fn feature(fact: &Used<'_>, rows: &[usize], facts: &Facts<'_>, options: &Options) -> Result<Values> {
    let texts = || rows.iter().map(|&i| fact.values[i]);
    Ok(match roles::given_kind(fact.name, options)? {
        Some(Kind::Numbers) => {
            Values::Numbers(Dense::new(rows.len(), 1, numbers(fact, rows, facts, Code::Number)?)?)
        }
        Some(Kind::Categories) => Values::Categories(Categories::from_values(texts())),
        Some(Kind::Text) => Values::Text(texts().map(|t| t.map(str::to_owned)).collect()),
        _ => Values::Strings(texts().map(|t| t.map(str::to_owned)).collect()),
    })
}

/// Warnings about edges.
pub(super) fn edge_warnings(tally: Tally, graphs: &[Graph]) -> Vec<Warning> {
    let mut out = Vec::new();
    let mut say = |count: usize, code, what: &str| {
        if count > 0 {
            let edges = if count == 1 { "edge" } else { "edges" };
            out.push(Warning::new(code, format!("{count} {edges} {what}")));
        }
    };
    say(tally.loops, "W_LOOPS", "from a node to itself, kept");
    say(tally.repeated, "W_MULTI_EDGE", "between nodes that already have one, ignored");
    // If most edges have only one direction, the graph may be directed.
    let most = 2 * tally.one_way > graphs.iter().map(Graph::edges).sum();
    let hint = if most { "; if the graphs are directed, use `directed`" } else { "" };
    say(tally.one_way, "W_ONE_WAY", &format!("in one direction only, taken as undirected{hint}"));
    out
}
