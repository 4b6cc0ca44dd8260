//! `mercer learners`: lists and explains the learners.

use clap::Args;
use mercer::error::nearest;
use mercer::expression::{LearnerFacts, find_learner, learners};
use mercer::{Error, Result};
use serde_json::{Value, json};

use crate::console::{BOLD, Console};
use crate::table::{RowStyle, Table};

/// Arguments of `mercer learners`.
#[derive(Debug, Args)]
#[command(after_help = "A learner is written as its name and parameters, by name or in their order:
  svc(C=10, weights=balanced)
  knn(3)
Ranges and lists are searched over: svc(C=2^-5..2^15), knn(k=[1,3,5]).")]
pub(crate) struct LearnersArgs {
    /// The learner to explain; without it all are listed
    name: Option<String>,
}

pub(crate) fn run(args: &LearnersArgs, console: &Console) -> Result<()> {
    match &args.name {
        None => list(console),
        Some(name) => explain(find_learner(name).ok_or_else(|| unknown(name))?, console),
    }
}

fn unknown(name: &str) -> Error {
    let near = nearest(name, learners().iter().map(|f| f.name));
    Error::Param {
        name: "learner".into(),
        value: name.to_owned(),
        domain: match near.as_slice() {
            [] => "a name that `mercer learners` lists".into(),
            near => format!("a name that `mercer learners` lists, such as {}", near.join(" or ")),
        },
    }
}

fn list(console: &Console) -> Result<()> {
    let mut table = Table::new(&["name", "predicts", "description"]);
    for f in learners() {
        table.row(vec![f.name.to_owned(), f.predicts.to_string(), f.summary.to_owned()], RowStyle::Plain);
    }
    console.table(table)?;
    console.line(
        "\nParameters go in parentheses, as in svc(C=10). `mercer learners svc` explains one learner.",
    )?;
    console.document("learners", json!({ "learners": learners().iter().map(describe).collect::<Vec<_>>() }))
}

fn explain(facts: &LearnerFacts, console: &Console) -> Result<()> {
    console.line(format!("{BOLD}{}{BOLD:#}  {}\n", facts.name, facts.summary))?;
    let width = facts.parameters.iter().map(|p| p.name.len()).max().unwrap_or(0).max(11);
    let row = |name: &str, text: &str| console.item(name, width, text);
    let target = if facts.predicts.needs_target() { "" } else { "; no target is needed" };
    row("formula", facts.formula)?;
    row("predicts", &format!("{}{target}", facts.predicts))?;
    row("learns from", if facts.features { "explicit features" } else { "similarities" })?;
    row(
        "weights",
        if facts.weighted { "objects may have weights" } else { "all objects have the same weight" },
    )?;
    row("cost", facts.cost)?;
    row("reference", facts.reference)?;
    row("example", facts.example)?;
    if !facts.parameters.is_empty() {
        console.line(format!("\n{BOLD}Parameters{BOLD:#}"))?;
        for p in facts.parameters {
            row(p.name, &format!("{}; {}; default {}", p.doc, p.domain.describe(), p.default))?;
        }
    }
    console.document("learners", json!({ "learner": describe(facts) }))
}

fn describe(facts: &LearnerFacts) -> Value {
    json!({
        "name": facts.name,
        "summary": facts.summary,
        "formula": facts.formula,
        "predicts": facts.predicts.to_string(),
        "needs_target": facts.predicts.needs_target(),
        "features": facts.features,
        "weighted": facts.weighted,
        "cost": facts.cost,
        "reference": facts.reference,
        "example": facts.example,
        "parameters": facts.parameters.iter().map(|p| json!({
            "name": p.name, "default": p.default, "domain": p.domain.describe(), "doc": p.doc,
        })).collect::<Vec<_>>(),
    })
}
