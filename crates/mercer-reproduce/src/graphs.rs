//! Benchmark of all graph kernels on the collections of the literature: run time and nested cross-validation accuracy.
//!
//! For each kernel of a fixed list ([`METHODS`]) a support vector machine is evaluated by repeated 10-fold
//! cross-validation. C and the kernel's parameters are chosen by cross-validation within each training set. All kernels
//! use the same splits. Three baselines are always included: the majority class, the numbers of nodes and edges only,
//! and the node label counts only. On several collections few kernels are better.
//!
//! Kernels are normalised. Data of a collection that a kernel cannot use are ignored, with a note. Parameters with
//! which a kernel diverges or overflows on a collection are left out of its grid, with a note. A kernel that is not in
//! the registry is listed as not run.
//!
//! Run time is that of the Gram matrix of all graphs for the last of the kernel's parameters, including preparation but
//! not reading.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::data::{Dataset, Graph, Values, embedded};
use crate::error::{Code, Error, Result};
use crate::experiment::{Chosen, Evaluated, Experiment, Outcome, Report, Settings, mean, methods};
use crate::expression::{self, Expression};
use crate::gram::Engine;
use crate::problem::{How, Method, Problem, chosen, chosen_by, classes, method};
use crate::read::{Options, read};
use crate::select::{Protocol, Score, Search};
use crate::sheet::{Sheet, dash, heading};

/// The experiment.
pub const GRAPHS: Experiment = Experiment {
    name: "graphs",
    settings,
    shown: &["c", "repetitions", "folds", "inner_folds", "seed"],
    trial: "NOT the full protocol (quick trial): a coarser grid or fewer repetitions.",
    problems: |options, settings| {
        let folder = options.folder("collections of graphs")?;
        // The baselines are always included.
        let (mut methods, others): (Vec<_>, Vec<_>) = METHODS.iter().copied().partition(|m| m.baseline);
        methods.extend(chosen("kernel", &options.kernel, others, |m| m.entry)?);
        let found = collections(folder, &options.only)?;
        let problem = |(name, data): (String, _)| problem(&name, data, settings, &methods);
        let absent = methods.iter().filter(|m| !is_there(m)).map(|m| format!("{} ({})", m.name, m.entry));
        Ok((found.into_iter().map(problem).collect(), absent.collect()))
    },
    plan: |problems, _, engine| {
        let largest = problems.iter().map(|p| memory_needed(p, engine)).max().unwrap_or(0).div_ceil(1 << 20);
        // The majority class has no kernel.
        let kernels = problems.first().map_or(0, |p| p.methods.len() - 1);
        Some(format!("{} collections, {kernels} kernels, up to {largest} MB of matrices", problems.len()))
    },
    evaluate: methods,
    message: |run, one| {
        let one = one?;
        let accuracy = one.score().map_or("none".into(), |a| format!("{:.2} %", 100.0 * a));
        Some(format!("{}, {}: {accuracy}", run.problem.name, one.method))
    },
    journal: |stage| stage.replace(", ", "-").replace(' ', "-"),
    summary,
    sheets: |report| report.outcomes.iter().map(|outcome| (sheet(report, outcome), Vec::new())).collect(),
    notes,
    document,
};

/// C ∈ 2^-5..2^15, 3 × 10 folds with 5 inner folds. For a quick trial every fifth exponent of C, one repetition, 3 inner
/// folds.
fn settings(quick: bool) -> Settings {
    let full = Settings { c: "2^-5..2^15", repetitions: 3, folds: 10, inner_folds: 5, ..Settings::default() };
    match quick {
        true => Settings { c: "2^-5..2^15 step 5", repetitions: 1, inner_folds: 3, ..full },
        false => full,
    }
}

const fn graph(name: &'static str, entry: &'static str, kernels: &'static [&'static str]) -> Method {
    Method { entry, how: How::Precomputed, ..method(name, kernels, "svc(C={c})") }
}

/// The majority-class baseline.
const MAJORITY: Method = Method { baseline: true, how: How::Majority, ..method("majority", &[], "") };

/// The kernels of the study, baselines first.
#[rustfmt::skip]
pub const METHODS: &[Method] = &[
    Method { baseline: true, ..graph("graph size only", "graph-size", &["rbf-of(graph-size(ignore=others), gamma=2^-13..2^1 step 2)"]) },
    Method { baseline: true, ..graph("label counts only", "vertex-histogram", &["normalize(vertex-histogram(ignore=others))", "rbf-of(vertex-histogram(ignore=others), gamma=2^-13..2^1 step 2)"]) },
    graph("edge histogram", "edge-histogram", &["normalize(edge-histogram(ignore=others))"]),
    graph("vertex-edge histogram", "vertex-edge-histogram", &["normalize(vertex-edge-histogram(ignore=others))"]),
    graph("WL subtree", "wl", &["normalize(wl(h=0..5, ignore=others))"]),
    graph("WL, edge labels", "wl", &["normalize(wl(h=0..5, edge-labels=yes, ignore=others))"]),
    graph("WL assignment", "wl-oa", &["normalize(wl-oa(h=0..5, ignore=others))"]),
    graph("WL edges", "wl", &["normalize(wl(h=0..5, base=edge, ignore=others))"]),
    graph("WL shortest path", "wl", &["normalize(wl(h=0..3, base=shortest-path, ignore=others))"]),
    graph("shortest path", "shortest-path", &["normalize(shortest-path(ignore=others))"]),
    graph("graphlet", "graphlet", &["normalize(graphlet(size=[3, 4, 5], ignore=others))"]),
    graph("neighbourhood hash", "neighbourhood-hash", &["normalize(neighbourhood-hash(rounds=1..5, ignore=others))"]),
    graph("propagation", "propagation", &["normalize(propagation(t=1..5, ignore=others))"]),
    graph("propagation, attributes", "propagation", &["normalize(propagation(t=1..5, attributes=yes, wa=[0.1, 1], ignore=others))"]),
    graph("k-step walk", "random-walk", &["normalize(random-walk(kind=k-step, steps=[2, 4, 6], decay=[0.1, 1], ignore=others))"]),
    graph("geometric walk", "random-walk", &["normalize(random-walk(kind=geometric, decay=[0.0001, 0.001, 0.01, 0.1], ignore=others))"]),
    graph("exponential walk", "random-walk", &["normalize(random-walk(kind=exponential, decay=[0.001, 0.01, 0.1], ignore=others))"]),
    graph("unlabelled walk", "random-walk", &["normalize(random-walk(kind=k-step, steps=[2, 4, 6], decay=[0.1, 1], labels=no, ignore=others))"]),
    graph("subgraph matching", "subgraph-matching", &["normalize(subgraph-matching(k=[3, 4], connected=yes, ignore=others))"]),
    graph("pyramid match", "pyramid-match", &["normalize(pyramid-match(levels=[2, 4, 6], dimensions=6, ignore=others))"]),
    graph("GraphHopper", "graph-hopper", &["normalize(graph-hopper(node=rbf, gamma=[0.01, 0.1, 1], ignore=others))"]),
    graph("WL on cores", "core", &["normalize(core(wl(h=0..5, ignore=others)))"]),
];

/// Whether a method's kernel is in the registry.
fn is_there(method: &Method) -> bool {
    expression::find(method.entry).is_some()
}

/// A collection with the majority-class baseline and those methods whose kernel is in the registry.
fn problem(name: &str, data: Dataset, settings: &Settings, methods: &[Method]) -> Problem {
    let mut run = vec![MAJORITY];
    run.extend(methods.iter().copied().filter(is_there));
    let protocol = Protocol::Folds { folds: settings.folds, repetitions: settings.repetitions };
    Problem::new(("", name), data, (protocol, Score::Accuracy), &run)
}

/// The graphs of a data set with one graph column, and classes.
fn graphs<'d>(name: &str, data: &'d Dataset) -> Result<&'d [Graph]> {
    let fault = match (data.columns(), classes(data)) {
        (_, None) => "no classes",
        ([column], _) => match &column.values {
            Values::Graphs(graphs) => return Ok(graphs),
            _ => "must have exactly one column, with graphs",
        },
        _ => "must have exactly one column, with graphs",
    };
    Err(Error::usage(format!("{name}: {fault}")))
}

/// The collections with these names, or all, smallest first. The folder is one collection or contains several folders
/// of collections. MUTAG is added if the folder does not contain it, or without a folder.
fn collections(folder: Option<&Path>, names: &[String]) -> Result<Vec<(String, Dataset)>> {
    let mut there: Vec<(String, Option<PathBuf>)> = Vec::new();
    if let Some(folder) = folder {
        let refused = |source| Error::Io { path: folder.to_owned(), code: Code::IoOpen, source };
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(refused)? {
            inside.push(entry.map_err(refused)?.path());
        }
        inside.retain(|path| path.is_dir());
        if inside.is_empty() {
            inside.push(folder.to_owned());
        }
        there.extend(inside.into_iter().map(|path| {
            let name = path.file_name().map_or_else(|| "graphs".into(), |n| n.to_string_lossy().into_owned());
            (name, Some(path))
        }));
    }
    if !there.iter().any(|(name, _)| name.eq_ignore_ascii_case("MUTAG")) {
        there.push(("MUTAG".into(), None));
    }
    there.sort();
    let mut found = Vec::new();
    for (name, path) in chosen_by("only", names, there, |t| [t.0.clone(), t.0.clone()])? {
        let data = match path {
            Some(path) => read(&path, &Options::default())?,
            None => embedded::mutag()?,
        };
        let nodes: usize = graphs(&name, &data)?.iter().map(Graph::nodes).sum();
        found.push((nodes, (name, data)));
    }
    found.sort_by_key(|(nodes, _)| *nodes);
    Ok(found.into_iter().map(|(_, one)| one).collect())
}

/// The maximum memory of the matrices in the study of a collection, in bytes.
fn memory_needed(problem: &Problem, engine: &Engine) -> u64 {
    let kernels = |m: &Method| -> u64 {
        let count = |text: &&str| {
            let choices = text.parse::<Expression>().map_or_else(|_| Vec::new(), |e| e.choices());
            choices.iter().map(|c| c.1.len() as u64).product::<u64>()
        };
        m.kernels.iter().map(count).sum()
    };
    let (n, held) = (problem.data.len(), problem.methods.iter().skip(1).map(kernels).max().unwrap_or(1));
    let matrices = 8u64.saturating_mul((n as u64).saturating_mul(n as u64)).saturating_mul(held);
    Search::memory_needed(n, 1, engine.threads()).saturating_add(matrices)
}

/// The standard deviation of the repetitions' means; `None` for one repetition.
fn deviation(one: &Evaluated, folds: usize) -> Option<f64> {
    let means: Vec<f64> = one.scores().chunks(folds.max(1)).map(mean).collect();
    let center = mean(&means);
    let squares: f64 = means.iter().map(|m| (m - center) * (m - center)).sum();
    (means.len() > 1).then(|| (squares / (means.len() - 1) as f64).sqrt())
}

/// The difference to the best baseline.
fn gain(outcome: &Outcome, one: &Evaluated) -> Option<f64> {
    let best = outcome.methods.iter().filter(|m| m.baseline).filter_map(Evaluated::score).reduce(f64::max)?;
    one.score().filter(|_| !one.baseline).map(|a| a - best)
}

fn document(report: &Report) -> Value {
    let folds = report.settings.folds;
    let one = |(outcome, m): (&Outcome, &Evaluated)| {
        let split = |c: &Chosen| json!({"kernel": c.kernel, "learner": c.learner, "score": c.score});
        json!({
            "data": outcome.data, "graphs": outcome.shape[0], "method": m.method, "baseline": m.baseline,
            "splits": m.splits.iter().map(split).collect::<Vec<_>>(),
            "seconds": m.timed.as_ref().map(|t| t.1), "timed": m.timed.as_ref().map(|t| &t.0),
            "dropped": m.dropped, "ignored": m.ignored, "fits": m.fits, "unconverged": m.unconverged,
            "folds": folds, "accuracy": m.score(), "deviation": deviation(m, folds),
            "over_baselines": gain(outcome, m),
        })
    };
    json!({
        "full_protocol": report.is_full(), "threads": report.threads,
        "outcomes": report.all().map(one).collect::<Vec<_>>(),
    })
}

/// For each collection: the kernels that are not better than the best baseline, then the best kernel.
fn summary(report: &Report) -> Vec<String> {
    let line = |outcome: &Outcome| {
        let gains = outcome.methods.iter().filter_map(|m| Some((m.method.as_str(), gain(outcome, m)?)));
        let mut gains: Vec<(&str, f64)> = gains.collect();
        gains.sort_by(|a, b| a.1.total_cmp(&b.1));
        let behind = gains.iter().take_while(|g| g.1 <= 0.0);
        let behind: Vec<String> = behind.map(|(m, g)| format!("{m} ({:+.2})", 100.0 * g)).collect();
        let (best, gain) = gains.last()?;
        let first = match behind.len() {
            0 => "every kernel is above the best baseline".to_owned(),
            n => {
                let (all, behind) = (gains.len(), behind.join("; "));
                format!("{n} of {all} kernels are not above the best baseline: {behind}")
            }
        };
        Some(format!("{}: {first}; best: {best} ({:+.2} points).", outcome.data, 100.0 * gain))
    };
    report.outcomes.iter().filter_map(line).collect()
}

fn sheet(report: &Report, outcome: &Outcome) -> Sheet {
    let mut rows = vec![heading("kernel|accuracy|sd|vs. baseline|Gram, s|most often chosen")];
    let percent = |v: Option<f64>| v.map_or_else(dash, |v| format!("{:.2}", 100.0 * v));
    rows.extend(outcome.methods.iter().map(|one| {
        vec![
            one.method.clone(),
            percent(one.score()),
            percent(deviation(one, report.settings.folds)),
            gain(outcome, one).map_or_else(dash, |v| format!("{:+.2}", 100.0 * v)),
            one.timed.as_ref().map_or_else(dash, |(_, s)| format!("{s:.3}")),
            most(one).unwrap_or_else(dash),
        ]
    }));
    let (data, graphs) = (&outcome.data, outcome.shape[0]);
    Sheet { title: format!("{data}, {graphs} graphs: accuracy in percent"), rows, names: 1 }
}

/// Notes on the tables.
fn notes(report: &Report) -> Vec<String> {
    let Settings { c, repetitions, folds, inner_folds, seed, .. } = &report.settings;
    let mut notes = vec![
        format!(
            "{repetitions} × {folds} folds, C in {c} and the kernel's parameters chosen by {inner_folds}-fold cross-validation on each training set, seed {seed}; all kernels use the same splits"
        ),
        "sd: standard deviation of the means of the repetitions; the folds of one repetition vary far more"
            .into(),
        "vs. baseline: points above the best of majority class, graph size only and label counts only".into(),
        format!(
            "Gram: seconds on {} threads, preparation included, for the kernel's last parameters",
            report.threads
        ),
    ];
    for (outcome, one) in report.all() {
        let place = format!("{}, {}", outcome.data, one.method);
        // The baselines ignore data on purpose.
        if !one.baseline {
            notes.extend(one.ignored.iter().map(|text| format!("{place}: {text}")));
        }
        notes.extend(one.dropped.iter().map(|(k, why)| format!("{place}: without {k}: {why}")));
    }
    let (fits, open) = report.fits();
    notes.push(format!("{fits} SVMs on inner folds, {open} of them stopped before they converged"));
    if !report.absent.is_empty() {
        notes.push(format!("not run, not in the registry: {}", report.absent.join(", ")));
    }
    notes
}

/// The kernel chosen most often (the first if several are), in brief and without `normalize`.
fn most(outcome: &Evaluated) -> Option<String> {
    let count = |kernel: &str| outcome.splits.iter().filter(|c| c.kernel == kernel).count();
    let mut best: Option<(&str, usize)> = None;
    for chosen in &outcome.splits {
        let own = count(&chosen.kernel);
        if best.is_none_or(|(_, most)| own > most) {
            best = Some((&chosen.kernel, own));
        }
    }
    let (kernel, _) = best?;
    let short = Expression::brief_text(kernel);
    Some(short.strip_prefix("normalize(").and_then(|k| k.strip_suffix(')')).unwrap_or(&short).to_owned())
}
