//! What fit, predict, inspect and convert share: models described for people and programs.

use std::path::Path;

use mercer::data::{Kind, Values};
use mercer::error::bytes;
use mercer::learn::svm::{Calibration, Location, Machine, SvcMachine};
use mercer::learn::{KernelKMeansMachine, KernelPcaMachine};
use mercer::model::Model;
use mercer::{Error, Result};
use serde_json::{Value, json};

use super::{quoted, write_file};
use crate::console::{BOLD, Console};
use crate::table::{Look, Table};

/// The most machines and columns shown as text.
const MOST_SHOWN: usize = 30;

/// One line about a model.
pub(crate) fn summary(model: &Model) -> String {
    let classes = model.machine().classes().len();
    let aim = match model.target() {
        Some(goal) if goal.classes => format!("{}: {classes} classes", goal.name),
        Some(goal) => format!("{}: a number", goal.name),
        None => aim_without_target(model),
    };
    let count = model.support();
    let machine = model.machine().machine();
    let support = match (machine.dualities().is_empty(), machine.binary().is_empty()) {
        (false, _) => String::new(),
        (true, false) => format!(", {count} support vectors"),
        (true, true) => format!(", {count} objects to compare with"),
    };
    let objects = model.objects().map_or(String::new(), |n| format!("; {n} objects"));
    format!("{} on {}; {aim}{objects}{support}", model.learner(), model.expression())
}

/// What a model that has no target gives.
fn aim_without_target(model: &Model) -> String {
    let counted = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let machine = model.machine();
    let components = machine.machine_as::<KernelPcaMachine>().map(|m| counted(m.components(), "component"));
    let clusters =
        || machine.machine_as::<KernelKMeansMachine>().map(|m| counted(m.sizes().len(), "cluster"));
    components.or_else(clusters).unwrap_or_else(|| "membership".into())
}

/// The learner with every parameter, where they are known.
fn learner(model: &Model) -> String {
    match model.objects() {
        Some(_) => format!("{:#}", model.learner()),
        None => format!("{} with parameters that {} does not tell", model.learner().name(), model.program()),
    }
}

/// The support vector machines of a model, by name.
fn machines(model: &Model) -> Vec<(String, &Machine)> {
    let trained = model.machine();
    let names = trained.machine().solver_names(trained.classes());
    names.into_iter().zip(trained.machine().binary()).collect()
}

fn locations(machine: &Machine) -> [usize; 3] {
    [Location::Outside, Location::On, Location::Inside]
        .map(|which| machine.locations.iter().filter(|l| **l == which).count())
}

fn place(location: Location) -> &'static str {
    match location {
        Location::Outside => "outside",
        Location::On => "on",
        Location::Inside => "inside",
    }
}

/// Writes where each training object lies: a row for each, a column for each binary classifier.
pub(crate) fn write_locations(model: &Model, path: &Path) -> Result<()> {
    let machines = machines(model);
    if machines.is_empty() {
        return Err(Error::usage(format!(
            "{} has no margin: support vector machines have one",
            model.learner().name()
        )));
    }
    let members = |at: usize, machine: &Machine| match model.machine().machine_as::<SvcMachine>() {
        Some(svc) => svc.members(at),
        None => (0..machine.locations.len()).collect(),
    };
    let columns: Vec<(&str, Vec<usize>, &[Location])> = machines
        .iter()
        .enumerate()
        .map(|(at, (name, machine))| (name.as_str(), members(at, machine), &machine.locations[..]))
        .collect();
    if columns.iter().any(|(_, members, locations)| locations.is_empty() || members.len() != locations.len())
    {
        return Err(Error::usage("this model does not say where its training objects lie"));
    }
    let objects =
        columns.iter().filter_map(|(_, members, _)| members.last()).max().map_or(0, |last| last + 1);
    let mut rows = vec![vec![""; columns.len()]; objects];
    for (at, (_, members, locations)) in columns.iter().enumerate() {
        members.iter().zip(*locations).for_each(|(&object, location)| rows[object][at] = place(*location));
    }
    write_file(path, |out| {
        let names: Vec<String> = columns.iter().map(|(name, ..)| quoted(name)).collect();
        writeln!(out, "object,{}", names.join(","))?;
        let mut rows = rows.iter().enumerate();
        rows.try_for_each(|(i, row)| writeln!(out, "{},{}", i + 1, row.join(",")))
    })
}

/// Prints what each machine can prove about itself.
pub(crate) fn show_machines(model: &Model, console: &Console) -> Result<()> {
    let trained = model.machine();
    let machines = machines(model);
    let stops = trained.stops();
    if let Some(m) = trained.machine_as() {
        return show_components(m, &trained.columns(), console);
    }
    if let Some(m) = trained.machine_as() {
        return show_clusters(m, trained.classes(), console);
    }
    if !machines.is_empty() {
        let headings =
            ["machine", ">primal", ">dual", ">gap", ">iterations", "stopped", ">outside", ">on", ">inside"];
        let mut table = Table::new(&headings);
        for (name, machine) in machines.iter().take(MOST_SHOWN) {
            let [outside, on, inside] = locations(machine);
            let proof = match &machine.certificate {
                Some(c) => [
                    format!("{:.6}", c.primal),
                    format!("{:.6}", c.dual),
                    format!("{:.1e}", c.gap),
                    c.iterations.to_string(),
                    c.stop.name().to_owned(),
                ],
                // A machine of another program proves nothing.
                None => ["-"; 5].map(str::to_owned),
            };
            let counts = match machine.locations.is_empty() {
                true => ["-"; 3].map(str::to_owned),
                false => [outside, on, inside].map(|n| n.to_string()),
            };
            let cells = [name.clone()].into_iter().chain(proof).chain(counts);
            table.row(cells.collect(), Look::Plain);
        }
        console.line(table)?;
    } else if !trained.dualities().is_empty() {
        let mut table = Table::new(&["machine", ">primal", ">dual", ">gap", "stopped"]);
        for (name, d) in trained.dualities().iter().take(MOST_SHOWN) {
            let numbers = [format!("{:.6}", d.primal), format!("{:.6}", d.dual), format!("{:.1e}", d.gap)];
            let cells = [name.clone()].into_iter().chain(numbers).chain([d.stop.name().to_owned()]);
            table.row(cells.collect(), Look::Plain);
        }
        console.line(table)?;
    } else if !stops.is_empty() {
        let text = stops.iter().take(MOST_SHOWN).map(|(n, s)| format!("{n} {}", s.name()));
        console.line(text.collect::<Vec<_>>().join(", "))?;
    }
    if stops.len() > MOST_SHOWN {
        console.line(format!("… and {} more machines; --json lists all", stops.len() - MOST_SHOWN))?;
    }
    Ok(())
}

/// Prints the variances along components, and their share of the whole.
fn show_components(machine: &KernelPcaMachine, names: &[String], console: &Console) -> Result<()> {
    let mut table = Table::new(&["component", ">variance", ">share", ">together"]);
    let mut together = 0.0;
    for ((name, variance), share) in
        names.iter().zip(machine.variances()).zip(machine.explained()).take(MOST_SHOWN)
    {
        together += share;
        let numbers = [format!("{variance:.6}"), format!("{share:.4}"), format!("{together:.4}")];
        table.row([name.clone()].into_iter().chain(numbers).collect(), Look::Plain);
    }
    console.line(table)?;
    rest(names.len(), "components", console)
}

/// Prints the sizes of clusters.
fn show_clusters(machine: &KernelKMeansMachine, names: &[String], console: &Console) -> Result<()> {
    let mut table = Table::new(&["cluster", ">objects"]);
    for (name, size) in names.iter().zip(machine.sizes()).take(MOST_SHOWN) {
        table.row(vec![name.clone(), size.to_string()], Look::Plain);
    }
    console.line(table)?;
    rest(names.len(), "clusters", console)?;
    let stopped = if machine.converged() { "converged" } else { "stopped" };
    let iterations = machine.iterations();
    console.line(format!("inertia {:.6}, {stopped} after {iterations} iterations", machine.inertia()))
}

fn rest(count: usize, what: &str, console: &Console) -> Result<()> {
    match count.checked_sub(MOST_SHOWN) {
        None | Some(0) => Ok(()),
        Some(more) => console.line(format!("… and {more} more {what}; --json lists all")),
    }
}

/// Everything about a model as JSON.
pub(crate) fn describe(model: &Model) -> Value {
    let trained = model.machine();
    let columns = model
        .kept()
        .columns()
        .iter()
        .map(|c| json!({"name": c.name, "kind": c.values.kind().name(), "width": width(&c.values)}));
    let machines = machines(model).into_iter().map(|(name, machine)| {
        let [outside, on, inside] = locations(machine);
        json!({
            "name": name, "support": machine.support.len(), "certificate": machine.certificate,
            "locations": {"outside": outside, "on": on, "inside": inside},
        })
    });
    let linear = trained.dualities().into_iter().map(
        |(name, d)| json!({"name": name, "primal": d.primal, "dual": d.dual, "gap": d.gap, "stop": d.stop}),
    );
    let machines: Vec<Value> = machines.chain(linear).collect();
    let components = trained.machine_as::<KernelPcaMachine>().map(|m| {
        let parts = trained.columns().into_iter().zip(m.variances()).zip(m.explained());
        let part = |((name, variance), share)| json!({"name": name, "variance": variance, "share": share});
        json!({"total_variance": m.total_variance(), "components": parts.map(part).collect::<Vec<_>>()})
    });
    let clusters = trained.machine_as::<KernelKMeansMachine>().map(|m| {
        let parts = trained.classes().iter().zip(m.sizes());
        let parts = parts.map(|(name, size)| json!({"name": name, "objects": size})).collect::<Vec<_>>();
        json!({"inertia": m.inertia(), "iterations": m.iterations(), "clusters": parts})
    });
    json!({
        "kernel": model.expression().to_string(), "learner": learner(model),
        "objects": model.objects(), "kept": model.kept().len(), "support": model.support(),
        "columns": columns.collect::<Vec<_>>(),
        "target": model.target().map(|g| json!({"name": g.name, "kind": if g.classes { "classes" } else { "numbers" }})),
        "classes": trained.classes(), "class_weights": trained.class_weights(), "converged": trained.converged(), "machines": machines,
        "calibration": trained.calibration(), "pca": components, "kmeans": clusters,
        "transductive": model.is_transductive(),
        "steps": model.steps().iter().map(|s| s.name()).collect::<Vec<_>>(),
        "seed": model.seed(), "fitted_by": model.program(),
        "warnings": model.warnings().iter().cloned()
            .chain(trained.warnings().iter().map(ToString::to_string)).collect::<Vec<_>>(),
    })
}

fn width(values: &Values) -> Option<usize> {
    match values {
        Values::Precomputed(p) => Some(p.references()),
        values => Some(values.width()).filter(|w| *w > 0),
    }
}

/// Whether there are probabilities, and what they rest on.
fn calibrated(calibration: Option<&Calibration>) -> String {
    let Some(calibration) = calibration else { return "none: not calibrated".into() };
    let (fewest, most) = (calibration.folds.iter().min(), calibration.folds.iter().max());
    let folds = match fewest.zip(most) {
        None => return "calibrated, nobody knows on how many folds".into(),
        Some((a, b)) if a == b => a.to_string(),
        Some((a, b)) => format!("{a} to {b}"),
    };
    format!("calibrated on {folds} folds held out from each machine")
}

/// Prints everything about a model.
pub(crate) fn show(model: &Model, path: &Path, console: &Console) -> Result<()> {
    let size = std::fs::metadata(path).map(|m| m.len()).unwrap_or(0);
    let made = format!("model of {}, fitted by {}", bytes(size), model.program());
    console.line(format!("{BOLD}{}{BOLD:#}: {made}", path.display()))?;
    let trained = model.machine();
    let mut table = Table::new(&["model", ""]);
    let mut row = |name: &str, value: String| table.row(vec![name.into(), value], Look::Plain);
    row("kernel", model.expression().to_string());
    row("learner", learner(model));
    match model.target() {
        Some(goal) if goal.classes => {
            row("predicts", format!("{}: {}", goal.name, some(trained.classes().iter().map(String::as_str))));
        }
        Some(goal) => row("predicts", format!("{}: a number", goal.name)),
        None => row(
            "predicts",
            match trained.machine() {
                m if m.downcast_ref::<KernelPcaMachine>().is_some() => {
                    format!("coordinates along {}", aim_without_target(model))
                }
                m if m.downcast_ref::<KernelKMeansMachine>().is_some() => {
                    format!("which of {}", aim_without_target(model))
                }
                _ => "whether an object is like the training objects".into(),
            },
        ),
    }
    let columns: Vec<String> = model
        .kept()
        .columns()
        .iter()
        .map(|c| match width(&c.values) {
            Some(w) if w > 1 && c.values.kind() != Kind::Sparse => {
                format!("{} ({}, {w} wide)", c.name, c.values.kind())
            }
            _ => format!("{} ({})", c.name, c.values.kind()),
        })
        .collect();
    row("columns", some(columns.iter().map(String::as_str)));
    let training = model.objects().map_or("an unknown number".into(), |n| n.to_string());
    let (kept, support) = (model.kept().len(), model.support());
    row("objects", format!("{training} in training, {kept} kept, {support} compared with"));
    if !model.steps().is_empty() {
        row("fitted steps", model.steps().iter().map(|s| s.name()).collect::<Vec<_>>().join(", "));
    }
    if !trained.stops().is_empty() {
        row("converged", if trained.converged() { "yes".into() } else { "no".into() });
    }
    if !trained.class_weights().is_empty() {
        let factors = trained.classes().iter().zip(trained.class_weights());
        let factors: Vec<String> = factors.map(|(class, w)| format!("{class}: {w}")).collect();
        row("class weights", some(factors.iter().map(String::as_str)));
    }
    if trained.machine_as::<SvcMachine>().is_some() {
        row("probabilities", calibrated(trained.calibration()));
    }
    row("seed", model.seed().to_string());
    for warning in model.warnings() {
        row("warning", warning.clone());
    }
    console.line(table)?;
    show_machines(model, console)
}

/// A few names, the rest counted.
fn some<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<_> = names.collect();
    let shown = names.iter().take(12).copied().collect::<Vec<_>>().join(", ");
    match names.len() {
        0 => "none".into(),
        n if n > 12 => format!("{shown}, … ({n} in all)"),
        _ => shown,
    }
}
