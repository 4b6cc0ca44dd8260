//! `mercer kernels`: lists and explains the kernels of the registry.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use mercer::data::Kind;
use mercer::error::nearest;
use mercer::expression::{Entry, entries, find, names, operators};
use mercer::kernel::{Facts, Parameter};
use mercer::{Error, Result};
use serde_json::{Value, json};

use crate::console::{BOLD, Console};

/// Arguments of `mercer kernels`.
#[derive(Debug, Args)]
#[command(
    after_help = "A kernel expression combines kernels with + and *, scales them by a positive number in front, and chooses columns with @:
  0.5*rbf(gamma=0.1)@age,weight + polynomial(degree=2)
  standardize(rbf(sigma=2)) * delta@sex
Ranges and lists are searched over: rbf(gamma=2^-5..2^3), polynomial(degree=[2,3,5])."
)]
pub(crate) struct KernelsArgs {
    /// The kernel to explain; without it all are listed
    #[arg(conflicts_with_all = ["kind", "search"])]
    name: Option<String>,
    /// List the kernels for one kind of data
    #[arg(long = "for", value_name = "KIND", value_parser = kind_of_data())]
    kind: Option<Kind>,
    /// List the kernels whose description mentions a word
    #[arg(long, value_name = "WORD")]
    search: Option<String>,
}

/// Kinds of data with the heading of their kernels.
const GROUPS: [(&[Kind], &str); 11] = [
    (&[Kind::Numbers, Kind::Sparse], "Numbers"),
    (&[Kind::Categories], "Categories"),
    (&[Kind::Times], "Dates and times"),
    (&[Kind::Strings], "Strings"),
    (&[Kind::Text], "Text"),
    (&[Kind::Series], "Time series"),
    (&[Kind::Graphs], "Graphs"),
    (&[Kind::Molecules], "Molecules"),
    (&[Kind::Nodes], "Nodes of a graph"),
    (&[Kind::Images], "Images"),
    (&[Kind::Precomputed], "Precomputed similarities"),
];

/// Parses the name of a kind of data.
fn kind_of_data() -> impl TypedValueParser<Value = Kind> {
    let kinds = || GROUPS.iter().flat_map(|(kinds, _)| kinds.iter().copied());
    PossibleValuesParser::new(kinds().map(Kind::name))
        .try_map(move |name| kinds().find(|k| k.name() == name).ok_or("not a kind of data"))
}

pub(crate) fn run(args: &KernelsArgs, console: &Console) -> Result<()> {
    match &args.name {
        None => list(args, console),
        Some(name) => {
            let found = find(name)
                .map(|e| (e.facts, e.arity()))
                .or_else(|| operators().iter().find(|f| f.name == name).map(|f| (f, 2)));
            let (facts, arity) = found.ok_or_else(|| unknown(name))?;
            explain(facts, arity, console)
        }
    }
}

fn unknown(name: &str) -> Error {
    let near = nearest(name, names());
    Error::Param {
        name: "kernel".into(),
        value: name.to_owned(),
        domain: match near.as_slice() {
            [] => "a name that `mercer kernels` lists".into(),
            near => format!("a name that `mercer kernels` lists, such as {}", near.join(" or ")),
        },
    }
}

/// Entries under one heading.
struct Section {
    title: &'static str,
    entries: Vec<&'static Entry>,
}

/// The kernels by kind of data, then the transformations of other kernels.
fn sections(all: &[&'static Entry], only: Option<Kind>) -> Vec<Section> {
    let kernels = || all.iter().copied().filter(|e| e.arity() == 0);
    // Kernels on graphs take molecules too, and are listed with them if only these are asked for.
    let of = |kinds: &[Kind]| {
        let suits = |own: &Kind| kinds.iter().any(|&k| own == &k || only == Some(k) && own.admits(k));
        kernels().filter(|e| e.facts.kinds.iter().any(suits)).collect::<Vec<_>>()
    };
    let wanted = |kinds: &[Kind]| only.is_none_or(|kind| kinds.contains(&kind));
    let mut out: Vec<Section> = GROUPS
        .iter()
        .filter(|(kinds, _)| wanted(kinds))
        .map(|(kinds, title)| Section { title, entries: of(kinds) })
        .collect();
    let any = kernels().filter(|e| e.facts.kinds.is_empty()).collect();
    out.push(Section { title: "Any kind of data", entries: any });
    if only.is_none() {
        let wrappers = all.iter().copied().filter(|e| e.arity() > 0).collect();
        out.push(Section { title: "Transformations of other kernels", entries: wrappers });
    }
    out.retain(|section| !section.entries.is_empty());
    out
}

/// Whether a word occurs in the description of an entry.
fn mentions(entry: &Entry, word: &str) -> bool {
    let f = entry.facts;
    let parameters = f.parameters.iter().flat_map(|p| [p.name, p.doc]);
    let mut texts = [f.name, f.summary, f.takes, f.reference].into_iter().chain(parameters);
    texts.any(|text| text.to_lowercase().contains(word))
}

fn list(args: &KernelsArgs, console: &Console) -> Result<()> {
    let word = args.search.as_deref().map(str::to_lowercase);
    let kept = |entry: &&'static Entry| {
        let suits = args.kind.is_none_or(|kind| entry.arity() == 0 && takes(entry, kind));
        suits && word.as_deref().is_none_or(|word| mentions(entry, word))
    };
    let found: Vec<&'static Entry> = entries().into_iter().filter(kept).collect();
    let width = found.iter().map(|e| signature(e).chars().count()).max().unwrap_or(0);
    for section in sections(&found, args.kind) {
        console.line(format!("{BOLD}{}{BOLD:#}", section.title))?;
        for entry in section.entries {
            let parameters = entry.facts.parameters.iter().map(|p| match p.default {
                "" => p.name.to_owned(),
                default => format!("{}={default}", p.name),
            });
            let parameters = parameters.collect::<Vec<_>>().join(", ");
            console.item(&signature(entry), width, entry.facts.summary)?;
            if !parameters.is_empty() {
                console.item("", width, &parameters)?;
            }
        }
        console.line("")?;
    }
    if found.is_empty() {
        console.line(format!("No kernel mentions '{}'.", args.search.as_deref().unwrap_or_default()))?;
    }
    console.line(
        "Combine kernels with + and *, put a positive number in front, choose columns with @. \
         `mercer kernels rbf` explains one kernel, `--for series` lists those for one kind of data, \
         `--search WORD` those that mention a word.",
    )?;
    console.document(
        "kernels",
        json!({ "kernels": found.iter().map(|e| describe(e.facts, e.arity())).collect::<Vec<_>>() }),
    )
}

/// Whether a kernel takes columns of a kind.
fn takes(entry: &Entry, kind: Kind) -> bool {
    entry.facts.kinds.is_empty() || entry.facts.kinds.iter().any(|own| own.admits(kind))
}

/// The name, with a placeholder for each inner kernel.
fn signature(entry: &Entry) -> String {
    match (entry.arity(), entry.takes_more()) {
        (0, _) => entry.facts.name.to_owned(),
        (_, false) => format!("{}(k)", entry.facts.name),
        (_, true) => format!("{}(k, …)", entry.facts.name),
    }
}

fn explain(facts: &Facts, arity: usize, console: &Console) -> Result<()> {
    console.line(format!("{BOLD}{}{BOLD:#}  {}\n", facts.name, facts.summary))?;
    let parameters = facts.parameters.iter();
    let width = parameters.clone().map(|p| p.name.len()).max().unwrap_or(0).max(11);
    let row = |name: &str, text: &str| console.item(name, width, text);
    row("formula", facts.formula)?;
    row("takes", facts.takes)?;
    row("eigenvalues", &facts.definiteness.to_string())?;
    row("cost", facts.cost)?;
    row("reference", facts.reference)?;
    row("example", facts.example)?;
    if !facts.parameters.is_empty() {
        console.line(format!("\n{BOLD}Parameters{BOLD:#}"))?;
        for p in parameters {
            row(p.name, &format!("{}; {}; default {}{}", p.doc, p.domain.describe(), p.default, alias(p)))?;
        }
    }
    console.document("kernels", json!({ "kernel": describe(facts, arity) }))
}

fn alias(parameter: &Parameter) -> String {
    match parameter.alias {
        Some((name, _)) => format!("; {name} may be given instead, {} = 1/(2·{name}²)", parameter.name),
        None => String::new(),
    }
}

fn describe(facts: &Facts, arity: usize) -> Value {
    json!({
        "name": facts.name,
        "summary": facts.summary,
        "formula": facts.formula,
        "takes": facts.takes,
        "kinds": facts.kinds.iter().map(|k| k.name()).collect::<Vec<_>>(),
        "wraps": arity,
        "definiteness": facts.definiteness.to_string(),
        "cost": facts.cost,
        "reference": facts.reference,
        "example": facts.example,
        "parameters": facts.parameters.iter().map(|p| json!({
            "name": p.name, "default": p.default, "domain": p.domain.describe(), "doc": p.doc,
            "alias": p.alias.map(|a| a.0),
        })).collect::<Vec<_>>(),
    })
}
