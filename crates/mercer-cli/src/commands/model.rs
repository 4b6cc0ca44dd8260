//! Descriptions of models as text and JSON, shared by several commands.

use std::path::Path;

use mercer::data::{Kind, Values};
use mercer::error::bytes;
use mercer::learn::svm::{Calibration, DecisionFunction, Location, SvcModel};
use mercer::learn::{
    GpClassifierModel, GpModel, IterativeGpModel, KernelKMeansModel, KernelPcaModel, ProcessModel,
    SparseGpModel,
};
use mercer::model::{BlendMember, Model};
use mercer::{Error, Result};
use serde_json::{Value, json};

use super::{quoted, sure, write_file};
use crate::console::{BOLD, Console};
use crate::table::{RowStyle, Table};

/// Classifiers, components or clusters printed at most.
const MOST_SHOWN: usize = 30;

/// One line about a model.
pub(crate) fn summary(model: &Model) -> String {
    if !model.members().is_empty() {
        let members = model.members().iter().map(|m| format!("{:.2} {}", m.weight, m.model.learner().name()));
        let members = members.collect::<Vec<_>>().join(", ");
        let name = model.target().map_or("", |target| target.name.as_str());
        let objects = model.objects().map_or(String::new(), |n| format!("; {n} objects"));
        return format!("blend of {} models ({members}); {name}{objects}", model.members().len());
    }
    let classes = model.trained().classes().len();
    let output = match model.target() {
        Some(goal) if goal.classes => format!("{}: {classes} classes", goal.name),
        Some(goal) => format!("{}: a number", goal.name),
        None => output_without_target(model),
    };
    let count = model.support_count();
    let trained = model.trained().model();
    let support = match (trained.dualities().is_empty(), trained.binary().is_empty()) {
        (false, _) => String::new(),
        (true, false) => format!(", {count} support vectors"),
        (true, true) => format!(", {count} objects to compare with"),
    };
    let objects = model.objects().map_or(String::new(), |n| format!("; {n} objects"));
    format!("{} on {}; {output}{objects}{support}", model.learner(), model.expression())
}

/// The output of a model without a target.
fn output_without_target(model: &Model) -> String {
    let counted = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let trained = model.trained();
    let components = trained.model_as::<KernelPcaModel>().map(|m| counted(m.components(), "component"));
    let clusters = || trained.model_as::<KernelKMeansModel>().map(|m| counted(m.sizes().len(), "cluster"));
    components.or_else(clusters).unwrap_or_else(|| "inlier or outlier".into())
}

/// The learner with all parameters, if they are known.
fn learner(model: &Model) -> String {
    match model.objects() {
        Some(_) => format!("{:#}", model.learner()),
        None => {
            format!("{} (its parameters are not in models of {})", model.learner().name(), model.program())
        }
    }
}

/// The binary classifiers of a support vector machine, or its single decision function, by name.
fn classifiers(model: &Model) -> Vec<(String, &DecisionFunction)> {
    let trained = model.trained();
    let names = trained.model().solver_names(trained.classes());
    names.into_iter().zip(trained.model().binary()).collect()
}

fn locations(classifier: &DecisionFunction) -> [usize; 3] {
    [Location::Outside, Location::On, Location::Inside]
        .map(|which| classifier.locations.iter().filter(|l| **l == which).count())
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
    let classifiers = classifiers(model);
    if classifiers.is_empty() {
        return Err(Error::usage(format!(
            "{} has no margin: only support vector machines have one",
            model.learner().name()
        )));
    }
    let members = |at: usize, classifier: &DecisionFunction| match model.trained().model_as::<SvcModel>() {
        Some(svc) => svc.members(at),
        None => (0..classifier.locations.len()).collect(),
    };
    let columns: Vec<(&str, Vec<usize>, &[Location])> = classifiers
        .iter()
        .enumerate()
        .map(|(at, (name, classifier))| (name.as_str(), members(at, classifier), &classifier.locations[..]))
        .collect();
    if columns.iter().any(|(_, members, locations)| locations.is_empty() || members.len() != locations.len())
    {
        return Err(Error::usage("this model does not contain the locations of its training objects"));
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

/// Prints the optimality certificate of each classifier, or the components or clusters.
pub(crate) fn show_classifiers(model: &Model, console: &Console) -> Result<()> {
    let trained = model.trained();
    if !model.members().is_empty() {
        return Ok(());
    }
    let classifiers = classifiers(model);
    let stops = trained.stops();
    if let Some(m) = trained.model_as() {
        return show_components(m, &trained.columns(), console);
    }
    if let Some(m) = trained.model_as() {
        return show_clusters(m, trained.classes(), console);
    }
    let name = if trained.classes().is_empty() { "model" } else { "classifier" };
    if !classifiers.is_empty() {
        let headings = [name, ">primal", ">dual", ">gap", ">steps", "stopped", ">outside", ">on", ">inside"];
        let mut table = Table::new(&headings);
        for (name, classifier) in classifiers.iter().take(MOST_SHOWN) {
            let [outside, on, inside] = locations(classifier);
            let proof = match &classifier.certificate {
                Some(c) => [
                    format!("{:.4}", c.primal),
                    format!("{:.4}", c.dual),
                    format!("{:.1e}", c.gap),
                    c.iterations.to_string(),
                    c.stop.name().to_owned(),
                ],
                // Models of other programs have no certificate.
                None => ["-"; 5].map(str::to_owned),
            };
            let counts = match classifier.locations.is_empty() {
                true => ["-"; 3].map(str::to_owned),
                false => [outside, on, inside].map(|n| n.to_string()),
            };
            let cells = [name.clone()].into_iter().chain(proof).chain(counts);
            table.row(cells.collect(), RowStyle::Plain);
        }
        console.table(table)?;
    } else if !trained.dualities().is_empty() {
        let mut table = Table::new(&[name, ">primal", ">dual", ">gap", "stopped"]);
        for (name, d) in trained.dualities().iter().take(MOST_SHOWN) {
            let numbers = [format!("{:.4}", d.primal), format!("{:.4}", d.dual), format!("{:.1e}", d.gap)];
            let cells = [name.clone()].into_iter().chain(numbers).chain([d.stop.name().to_owned()]);
            table.row(cells.collect(), RowStyle::Plain);
        }
        console.table(table)?;
    } else if !stops.is_empty() {
        let text = stops.iter().take(MOST_SHOWN).map(|(n, s)| format!("{n} {}", s.name()));
        console.line(text.collect::<Vec<_>>().join(", "))?;
    }
    if stops.len() > MOST_SHOWN {
        console.line(format!("… and {} more classifiers; --json lists all", stops.len() - MOST_SHOWN))?;
    }
    Ok(())
}

/// Prints the variances along components, and their share of the total.
fn show_components(model: &KernelPcaModel, names: &[String], console: &Console) -> Result<()> {
    let mut table = Table::new(&["component", ">variance", ">share", ">cumulative"]);
    let mut cumulative = 0.0;
    for ((name, variance), share) in
        names.iter().zip(model.variances()).zip(model.explained()).take(MOST_SHOWN)
    {
        cumulative += share;
        let numbers = [format!("{variance:.6}"), format!("{share:.4}"), format!("{cumulative:.4}")];
        table.row([name.clone()].into_iter().chain(numbers).collect(), RowStyle::Plain);
    }
    console.table(table)?;
    rest(names.len(), "components", console)
}

/// Prints the sizes of clusters.
fn show_clusters(model: &KernelKMeansModel, names: &[String], console: &Console) -> Result<()> {
    let mut table = Table::new(&["cluster", ">objects"]);
    for (name, size) in names.iter().zip(model.sizes()).take(MOST_SHOWN) {
        table.row(vec![name.clone(), size.to_string()], RowStyle::Plain);
    }
    console.table(table)?;
    rest(names.len(), "clusters", console)?;
    let stopped = if model.converged() { "converged" } else { "stopped" };
    let iterations = model.iterations();
    console.line(format!("inertia {:.6}, {stopped} after {iterations} iterations", model.inertia()))
}

fn rest(count: usize, what: &str, console: &Console) -> Result<()> {
    match count.checked_sub(MOST_SHOWN) {
        None | Some(0) => Ok(()),
        Some(more) => console.line(format!("… and {more} more {what}; --json lists all")),
    }
}

/// Everything about a model as JSON.
pub(crate) fn describe(model: &Model) -> Value {
    let trained = model.trained();
    let columns = model
        .stored_objects()
        .columns()
        .iter()
        .map(|c| json!({"name": c.name, "kind": c.values.kind().name(), "width": width(&c.values)}));
    let classifiers = classifiers(model).into_iter().map(|(name, classifier)| {
        let [outside, on, inside] = locations(classifier);
        json!({
            "name": name, "support": classifier.support.len(), "certificate": classifier.certificate,
            "locations": {"outside": outside, "on": on, "inside": inside},
        })
    });
    let linear = trained.dualities().into_iter().map(
        |(name, d)| json!({"name": name, "primal": d.primal, "dual": d.dual, "gap": d.gap, "stop": d.stop}),
    );
    let classifiers: Vec<Value> = classifiers.chain(linear).collect();
    let components = trained.model_as::<KernelPcaModel>().map(|m| {
        let parts = trained.columns().into_iter().zip(m.variances()).zip(m.explained());
        let part = |((name, variance), share)| json!({"name": name, "variance": variance, "share": share});
        json!({"total_variance": m.total_variance(), "components": parts.map(part).collect::<Vec<_>>()})
    });
    let clusters = trained.model_as::<KernelKMeansModel>().map(|m| {
        let parts = trained.classes().iter().zip(m.sizes());
        let parts = parts.map(|(name, size)| json!({"name": name, "objects": size})).collect::<Vec<_>>();
        json!({"inertia": m.inertia(), "iterations": m.iterations(), "clusters": parts})
    });
    let gp = trained.model_as::<GpModel>().map(|m| {
        json!({"log_likelihood": m.log_likelihood(), "scale": m.scale(), "noise": m.noise(), "jitter": m.jitter(), "mean": m.constant()})
    });
    let gpc = trained
        .model_as::<GpClassifierModel>()
        .map(|m| json!({"log_likelihood": m.log_likelihood(), "scale": m.scale()}));
    let many = trained.model_as::<IterativeGpModel>().map(|m| {
        json!({"scale": m.scale(), "noise": m.noise(), "mean": m.constant(), "steps": m.steps(), "residual": m.residual(),
               "error": m.error(), "converged": m.converged()})
    });
    let landmarks = trained.model_as::<SparseGpModel>().map(|m| {
        json!({"likelihood_bound": m.bound(), "missed": m.missed(), "scale": m.scale(), "noise": m.noise(), "mean": m.constant()})
    });
    let gp = gp.or(gpc).or(many).or(landmarks);
    let mut document = json!({
        "kernel": model.expression().to_string(), "learner": learner(model),
        "objects": model.objects(), "kept": model.stored_objects().len(), "support": model.support_count(),
        "columns": columns.collect::<Vec<_>>(),
        "target": model.target().map(|g| json!({"name": g.name, "kind": if g.classes { "classes" } else { "numbers" }})),
        "classes": trained.classes(), "class_weights": trained.class_weights(), "converged": trained.converged(), "classifiers": classifiers,
        "learned": model.learned_kernels().collect::<Vec<_>>(), "gp": gp,
        "calibration": trained.calibration(), "pca": components, "kmeans": clusters,
        "transductive": model.is_transductive(),
        "steps": model.steps().iter().map(|s| s.name()).collect::<Vec<_>>(),
        "seed": model.seed(), "fitted_by": model.program(), "reading": model.reading(),
        "warnings": model.warnings().iter().cloned()
            .chain(trained.warnings().iter().map(ToString::to_string)).collect::<Vec<_>>(),
    });
    if !model.members().is_empty() {
        let member = |m: &BlendMember| {
            json!({"weight": m.weight, "sharpness": m.sharpness, "kernel": m.model.expression().to_string(),
                   "learner": learner(&m.model), "support": m.model.support_count()})
        };
        document["members"] = model.members().iter().map(member).collect();
    }
    if let Some(conformal) = sure::document(model) {
        document["conformal"] = conformal;
    }
    document
}

fn width(values: &Values) -> Option<usize> {
    match values {
        Values::Precomputed(p) => Some(p.references()),
        values => Some(values.width()).filter(|w| *w > 0),
    }
}

/// Whether the model has probabilities, and on how many folds they were calibrated.
fn calibrated(calibration: Option<&Calibration>) -> String {
    let Some(calibration) = calibration else { return "none: not calibrated".into() };
    let (fewest, most) = (calibration.folds.iter().min(), calibration.folds.iter().max());
    let folds = match fewest.zip(most) {
        None => return "calibrated on an unknown number of folds".into(),
        Some((a, b)) if a == b => a.to_string(),
        Some((a, b)) => format!("{a} to {b}"),
    };
    format!("calibrated on {folds} folds held out from each classifier")
}

/// A stored reading option as text: `delimiter ;`, `series layout wide`.
fn option(name: &str, value: &Value) -> String {
    let name = name.replace('_', " ");
    match (name.as_str(), value) {
        ("delimiter", Value::Number(n)) => {
            let byte = n.as_u64().and_then(|n| u8::try_from(n).ok()).unwrap_or(b'?');
            format!("delimiter {}", byte.escape_ascii())
        }
        (_, Value::Object(inner)) => {
            let inner = inner.iter().map(|(n, v)| option(n, v)).collect::<Vec<_>>().join(", ");
            format!("{name} {inner}")
        }
        (_, Value::String(text)) => format!("{name} {text}"),
        (_, Value::Array(all)) => {
            let all: Vec<String> =
                all.iter().map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_owned)).collect();
            format!("{name} {}", all.join(" "))
        }
        (_, Value::Bool(true)) => name.clone(),
        (_, other) => format!("{name} {other}"),
    }
}

/// Prints everything about a model.
pub(crate) fn show(model: &Model, path: &Path, console: &Console) -> Result<()> {
    let size = std::fs::metadata(path).map(|m| m.len()).unwrap_or(0);
    let made = format!("model of {}, fitted by {}", bytes(size), model.program());
    console.line(format!("{BOLD}{}{BOLD:#}: {made}", path.display()))?;
    let trained = model.trained();
    let mut table = Table::new(&["model", ""]);
    let mut row = |name: &str, value: String| table.row(vec![name.into(), value], RowStyle::Plain);
    match model.members() {
        [] => {
            row("kernel", model.expression().to_string());
            row("learner", learner(model));
        }
        members => {
            row("blend", format!("the weighted mean of the predictions of {} models", members.len()));
            for member in members {
                let own = format!("{} on {}", learner(&member.model), member.model.expression());
                row(&format!("weight {:.3}", member.weight), own);
            }
        }
    }
    match model.target() {
        Some(goal) if goal.classes => {
            row("predicts", format!("{}: {}", goal.name, some(trained.classes().iter().map(String::as_str))));
        }
        Some(goal) => row("predicts", format!("{}: a number", goal.name)),
        None => row(
            "predicts",
            match trained.model() {
                m if m.downcast_ref::<KernelPcaModel>().is_some() => {
                    format!("coordinates along {}", output_without_target(model))
                }
                m if m.downcast_ref::<KernelKMeansModel>().is_some() => {
                    format!("which of {}", output_without_target(model))
                }
                _ => "whether an object is like the training objects".into(),
            },
        ),
    }
    let columns: Vec<String> = model
        .stored_objects()
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
    let (kept, support) = (model.stored_objects().len(), model.support_count());
    row("objects", format!("{training} in training, {kept} stored, {support} used for predictions"));
    let read = json!(model.reading());
    if let Some(read) = read.as_object().filter(|read| !read.is_empty()) {
        row(
            "data read with",
            read.iter().map(|(name, value)| option(name, value)).collect::<Vec<_>>().join(", "),
        );
    }
    if !model.steps().is_empty() {
        row("fitted steps", model.steps().iter().map(|s| s.name()).collect::<Vec<_>>().join(", "));
    }
    for kernel in model.learned_kernels() {
        row("learned kernel", kernel.to_owned());
    }
    if let Some(gp) = trained.model_as::<GpModel>() {
        row(
            "likelihood",
            format!("log p = {:.4}, scale {}, noise {}", gp.log_likelihood(), gp.scale(), gp.noise()),
        );
    }
    if let Some(gp) = trained.model_as::<SparseGpModel>() {
        row(
            "likelihood",
            format!(
                "log p at least {:.4}; the landmarks miss {:.2} % of self-similarities; scale {}, noise {}",
                gp.bound(),
                100.0 * gp.missed(),
                gp.scale(),
                gp.noise()
            ),
        );
    }
    if let Some(gp) = trained.model_as::<IterativeGpModel>() {
        row(
            "solved",
            format!(
                "{} steps of conjugate gradients; means within {:.1e} of the exact ones; scale {}, noise {}",
                gp.steps(),
                gp.error(),
                gp.scale(),
                gp.noise()
            ),
        );
    }
    if let Some(gp) = trained.model_as::<GpClassifierModel>() {
        row("likelihood", format!("log p = {:.4}, scale {}", gp.log_likelihood(), gp.scale()));
    }
    if !trained.stops().is_empty() {
        row("converged", if trained.converged() { "yes".into() } else { "no".into() });
    }
    if !trained.class_weights().is_empty() {
        let factors = trained.classes().iter().zip(trained.class_weights());
        let factors: Vec<String> = factors.map(|(class, w)| format!("{class}: {w}")).collect();
        row("class weights", some(factors.iter().map(String::as_str)));
    }
    if trained.model_as::<SvcModel>().is_some() {
        row("probabilities", calibrated(trained.calibration()));
    }
    if let Some(text) = sure::summary(model) {
        row("confidence", text);
    }
    row("seed", model.seed().to_string());
    for warning in model.warnings() {
        row("warning", warning.clone());
    }
    console.table(table)?;
    show_classifiers(model, console)
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
