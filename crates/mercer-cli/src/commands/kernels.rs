//! `mercer kernels`: the registry for people.

use clap::Args;
use mercer::error::nearest;
use mercer::expression::{Entry, entries, find, names, operators};
use mercer::kernel::{Facts, Parameter};
use mercer::{Error, Result};
use serde_json::{Value, json};

use crate::console::{BOLD, Console, DIM};
use crate::table::{Look, Table};

/// Arguments of `mercer kernels`.
#[derive(Debug, Args)]
#[command(
    after_help = "A kernel expression joins kernels with + and *, puts a positive number in front, and names columns with @:
  0.5*rbf(gamma=0.1)@age,weight + polynomial(degree=2)
  standardize(rbf(sigma=2)) * delta@sex
Ranges and lists mark what a search may vary: rbf(gamma=2^-5..2^3), polynomial(degree=[2,3,5])."
)]
pub(crate) struct KernelsArgs {
    /// The kernel to explain; without it all are listed
    name: Option<String>,
}

pub(crate) fn run(args: &KernelsArgs, console: &Console) -> Result<()> {
    match &args.name {
        None => list(console),
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

fn list(console: &Console) -> Result<()> {
    let (kernels, wrappers): (Vec<&Entry>, Vec<&Entry>) = entries().into_iter().partition(|e| e.arity() == 0);
    for (title, group) in [("Kernels", &kernels), ("Around other kernels", &wrappers)] {
        console.line(format!("{BOLD}{title}{BOLD:#}"))?;
        let mut table = Table::new(&["name", "takes", "what it is"]);
        for entry in group {
            let f = entry.facts;
            table.row(vec![signature(f), f.takes.to_owned(), f.summary.to_owned()], Look::Plain);
        }
        console.line(format!("{table}\n"))?;
    }
    console.line("Join them with + and *, put a positive number in front, name columns with @; `mercer kernels rbf` explains one.")?;
    console.document(
        "kernels",
        json!({ "kernels": entries().into_iter().map(|e| describe(e.facts, e.arity())).collect::<Vec<_>>() }),
    )
}

fn signature(facts: &Facts) -> String {
    let parameters: Vec<_> = facts.parameters.iter().map(|p| p.name).collect();
    match (facts.takes.starts_with("a kernel"), parameters.as_slice()) {
        (false, []) => facts.name.to_owned(),
        (true, []) => format!("{}(k)", facts.name),
        (false, some) => format!("{}({})", facts.name, some.join(", ")),
        (true, some) => format!("{}(k, {})", facts.name, some.join(", ")),
    }
}

fn explain(facts: &Facts, arity: usize, console: &Console) -> Result<()> {
    console.line(format!("{BOLD}{}{BOLD:#}  {}\n", facts.name, facts.summary))?;
    let parameters = facts.parameters.iter();
    let width = parameters.clone().map(|p| p.name.len()).max().unwrap_or(0).max(11);
    let row = |name: &str, text: &str| console.line(format!("  {DIM}{name:width$}{DIM:#}  {text}"));
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
