//! Diffusion kernels on categorical records compared with the Hamming kernel, and kernels between nodes compared with label
//! propagation.
//!
//! **Records** (Kondor & Lafferty 2002, section 5): voted perceptrons on UCI tables, using only the categorical
//! columns. For each of many random splits the diffusion coefficient β with the smallest cross-validated error within
//! the training set is chosen. Error and number of support vectors are averaged over the splits. A missing value is a
//! category of its own. The number of splits, the test fraction, the folds and the rounds are settings of this study:
//! the available copy of the paper has lost its digits, including those of its table. Therefore only its statements in
//! words can be compared.
//!
//! **Nodes**: support vector machines with each node kernel on a graph with a given split of its nodes; parameters are
//! chosen by cross-validation on the training set.

mod tables;
#[cfg(test)]
mod tests;

use std::path::Path;

use rayon::prelude::*;

use crate::data::{Categories, CellForm, Dataset, Dense, Kind, Values};
use crate::error::{Error, Result};
use crate::experiment::{Chosen, Each, Evaluated, Experiment, Found, Run, Settings};
use crate::kernel::Kernel;
use crate::kernel::category::{Diffusion, Hamming};
use crate::learn::{ClassCodes, Learner, Order, VotedPerceptron};
use crate::options::StudyOptions;
use crate::problem::{Problem, chosen, classes};
use crate::random::derive_seed;
use crate::read::{GraphOptions, Options, TargetKind, read};
use crate::select::{Evaluate, Nested, Objects, Protocol, Score, Split};
use crate::solve::{GramColumns, Subset};

/// The experiment.
pub const DIFFUSION: Experiment = Experiment {
    name: "diffusion",
    settings,
    shown: &["betas", "splits", "share", "inner_folds", "rounds", "seed"],
    trial: "NOT the full protocol (quick trial): fewer coefficients or splits.",
    problems,
    plan: |_, _, _| None,
    evaluate: |run, each| match run.problem.part {
        RECORDS => records(run, each),
        _ => nodes(run, each),
    },
    message: |run, one| match (one?, run.problem.part) {
        (one, RECORDS) => Some(format!("{}: {}", run.problem.name, one.method)),
        (one, _) => {
            let accuracy = one.score().map_or("none".into(), |a| format!("{:.1} %", 100.0 * a));
            Some(format!("{}, {}: {accuracy}", run.problem.name, one.method))
        }
    },
    // Nothing is recorded.
    journal: str::to_owned,
    summary: tables::summary,
    sheets: tables::sheets,
    notes: tables::notes,
    document: tables::document,
};

/// The parts of the experiment.
const RECORDS: &str = "records";
const NODES: &str = "nodes";

/// The tables, in the paper's order: name, folder, file, and numeric columns that are category codes.
const TABLES: [(&str, &str, &str, &[&str]); 5] = [
    ("breast cancer", "breast_cancer_ljubljana", "breast_cancer_ljubljana", &["deg_malig"]),
    ("hepatitis", "hepatitis", "hepatitis", &[]),
    ("income", "adult", "adult_first5000", &[]),
    ("mushroom", "mushroom", "mushroom", &[]),
    ("votes", "house_votes_84", "house_votes_84", &[]),
];

/// The node kernels: name, and expression with the grid of its parameters.
pub const NODE_METHODS: [(&str, &str); 8] = [
    ("diffusion", "node-diffusion(beta=[0.5, 1, 2, 4, 8])"),
    ("diffusion, normalised L", "node-diffusion(beta=[1, 3, 10, 30], base=normalized)"),
    ("regularised Laplacian", "regularized-laplacian(beta=[1, 10, 100])"),
    ("von Neumann", "von-neumann(beta=[0.01, 0.03, 0.06], base=adjacency)"),
    ("p-step walk", "p-step(p=[2, 4, 8, 16], a=2)"),
    ("commute time", "commute-time"),
    ("PageRank", "pagerank(alpha=[0.5, 0.85, 0.95, 0.99])"),
    ("power", "node-power(l=[2, 4], base=adjacency)"),
];

/// The baselines.
const PROPAGATION: &str = "label propagation";
const MAJORITY: &str = "majority class";
const HAMMING: &str = "hamming";
/// The SVM on nodes with the grid of C.
const C: &str = "svc(C=10^-1..10^4)";

/// Thirteen coefficients, 40 splits with a fifth of the objects in the test set, 5 inner folds, 10 epochs. For a quick
/// trial four coefficients, 3 splits, 3 inner folds.
fn settings(quick: bool) -> Settings {
    let betas = vec![0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0];
    let full = Settings { betas, splits: 40, share: 0.2, inner_folds: 5, rounds: 10, ..Settings::default() };
    match quick {
        true => Settings { betas: vec![0.05, 0.2, 0.5, 2.0], splits: 3, inner_folds: 3, ..full },
        false => full,
    }
}

fn problems(options: &StudyOptions, settings: &mut Settings) -> Result<Found> {
    let tables = chosen("only", &options.only, TABLES.to_vec(), |t| t.0)?;
    let (mut found, mut absent) = (Vec::new(), Vec::new());
    if let Some(folder) = options.folder("UCI tables")? {
        for (name, below, file, coded) in tables {
            let path = folder.join(below).join(file).with_extension("csv");
            if !path.is_file() {
                absent.push(name.to_owned());
                continue;
            }
            let mut options = Options { target_kind: TargetKind::Classes, ..Options::default() };
            options.kinds.extend(coded.iter().map(|name| ((*name).to_owned(), Kind::Categories)));
            // The last column is the target, whatever its name.
            if below == "adult" {
                options.target = Some("income".into());
            }
            let mut data = read(&path, &options)?;
            // Kernels on categories compare yes and no as categories.
            let truths = data.forms().filter(|(_, form)| *form == CellForm::Truth);
            let truths: Vec<_> = truths.map(|(name, _)| (name.to_owned(), Kind::Categories)).collect();
            if !truths.is_empty() {
                options.kinds.extend(truths);
                data = read(&path, &options)?;
            }
            found.push(table(name, data, settings)?);
        }
    }
    for folder in &options.nodes {
        found.push(graph(folder)?);
    }
    if found.is_empty() {
        return Err(Error::usage(
            "nothing to run: give the folder of UCI tables as `data`, or the folder of a graph as `nodes`",
        ));
    }
    Ok((found, absent))
}

/// A table with classes. Its shape has the attributes used, and the largest number of values of an attribute, including
/// missing.
fn table(name: &str, data: Dataset, settings: &Settings) -> Result<Problem> {
    let attributes = Records::new(name, &data)?.attributes;
    let values = attributes.iter().map(|a| a.levels().len() + usize::from(a.has_gaps())).max().unwrap_or(0);
    let shape = [data.len(), attributes.len(), values];
    let protocol = Protocol::Holdout { share: settings.share, repetitions: settings.splits };
    Ok(Problem { shape, ..Problem::new((RECORDS, name), data, (protocol, Score::Accuracy), &[]) })
}

/// The graph in a folder with `nodes.csv` and `edges.csv`. A column `split` gives the split if there is one; otherwise half
/// of the nodes are the test set, 20 times.
fn graph(folder: &Path) -> Result<Problem> {
    let name = folder.file_name().map_or_else(|| "graph".into(), |n| n.to_string_lossy().into_owned());
    let mut options = Options {
        target_kind: TargetKind::Classes,
        graph: GraphOptions { edges: Some(folder.join("edges.csv")), ..GraphOptions::default() },
        ..Options::default()
    };
    let path = folder.join("nodes.csv");
    let mut data = read(&path, &options)?;
    if data.column("split").is_ok() {
        options.split = Some("split".into());
        data = read(&path, &options)?;
    }
    let protocol = match data.test() {
        Some(_) => Protocol::TrainTest,
        None => Protocol::Holdout { share: 0.5, repetitions: 20 },
    };
    Ok(Problem::new((NODES, &name), data, (protocol, Score::Accuracy), &[]))
}

/// The categorical columns and the classes of a table.
struct Records {
    attributes: Vec<Categories>,
    /// The class of each object.
    codes: Vec<usize>,
    classes: usize,
}

impl Records {
    fn new(name: &str, data: &Dataset) -> Result<Self> {
        let Some(classes) = classes(data) else {
            return Err(Error::usage(format!("{name}: no classes to learn")));
        };
        let code = |index: usize| {
            classes.code(index).map(|c| c as usize).ok_or_else(|| Error::Missing {
                index,
                column: data.target_name().unwrap_or("target").into(),
            })
        };
        let codes = (0..data.len()).map(code).collect::<Result<Vec<usize>>>()?;
        let attributes: Vec<Categories> = (data.columns().iter())
            .filter_map(|c| match &c.values {
                Values::Categories(values) => Some(values.clone()),
                _ => None,
            })
            .collect();
        if attributes.is_empty() {
            return Err(Error::usage(format!("{name}: no column of categories")));
        }
        Ok(Records { attributes, codes, classes: classes.levels().len() })
    }
}

/// Voted perceptrons on one table: the Hamming kernel, a diffusion kernel for each coefficient, and the majority class. The
/// score is the error; the second measure is the number of support vectors.
fn records(run: &Run<'_>, each: Each<'_>) -> Result<Vec<Evaluated>> {
    let records = Records::new(&run.problem.name, &run.problem.data)?;
    let splits = run.splits(&Objects::new(records.codes.len()).with_classes(&records.codes)?)?;
    let mut all = vec![measure(&Hamming::new(), HAMMING, run, &records, &splits)?];
    each(&all[0]);
    for &beta in &run.settings.betas {
        let kernel = Diffusion::fit(beta, &records.attributes)?;
        let one = measure(&kernel, &kernel.to_string(), run, &records, &splits)?;
        each(&one);
        all.push(one);
    }
    let wrong = |split: &Nested| {
        let mut counts = vec![0usize; records.classes];
        split.outer.train.iter().for_each(|&i| counts[records.codes[i]] += 1);
        let most = (0..counts.len()).rev().max_by_key(|&c| counts[c]).unwrap_or(0);
        let test = &split.outer.test;
        let wrong = test.iter().filter(|&&i| records.codes[i] != most).count();
        Chosen { score: wrong as f64 / test.len().max(1) as f64, ..Chosen::default() }
    };
    all.push(Evaluated { splits: splits.iter().map(wrong).collect(), ..Evaluated::of(MAJORITY) });
    Ok(all)
}

/// Evaluates one kernel on every split.
fn measure<K: Kernel<[Categories]>>(
    kernel: &K,
    name: &str,
    run: &Run<'_>,
    records: &Records,
    splits: &[Nested],
) -> Result<Evaluated> {
    let (engine, settings) = (run.engine, run.settings);
    let gram = engine.gram(kernel, records.attributes.as_slice())?;
    // Checked only once: a check takes as long as several fits.
    let columns = GramColumns::new(&gram)?;
    let one = |(number, split): (usize, &Nested)| {
        engine.budget().check()?;
        let order = Order::Seeded(derive_seed(settings.seed, number as u64));
        let learner = VotedPerceptron::new(settings.rounds).with_order(order);
        let errors = |split: &Split| errors(&learner, &gram, &columns, records, (&split.train, &split.test));
        let (mistakes, support) = errors(&split.outer)?;
        let (mut wrong, mut tested) = (0, 0);
        for inner in &split.inner {
            wrong += errors(inner)?.0;
            tested += inner.test.len();
        }
        let share = |wrong: usize, of: usize| wrong as f64 / of.max(1) as f64;
        let (score, inner) = (share(mistakes, split.outer.test.len()), Some(share(wrong, tested)));
        Ok(Chosen { score, inner, second: Some(support as f64), ..Chosen::default() })
    };
    let splits = engine.run(|| splits.par_iter().enumerate().map(one).collect::<Result<_>>())?;
    Ok(Evaluated { splits, ..Evaluated::of(name) })
}

/// The number of errors on the test set, and of support vectors.
fn errors(
    learner: &VotedPerceptron,
    gram: &Dense,
    columns: &GramColumns<'_>,
    records: &Records,
    (train, test): (&[usize], &[usize]),
) -> Result<(usize, usize)> {
    let codes: Vec<usize> = train.iter().map(|&i| records.codes[i]).collect();
    let part = Subset::new(columns, train.iter().map(|&i| i as u32).collect())?;
    let model = learner.fit_columns(&part, &ClassCodes::new(codes, records.classes))?;
    let mut wrong = 0;
    // In blocks: the similarities of all test objects would need a second matrix for each thread.
    for some in test.chunks(256) {
        let mut cross = Dense::zeros(some.len(), train.len());
        for (at, &i) in some.iter().enumerate() {
            let row = gram.row(i);
            cross.row_mut(at).iter_mut().zip(train).for_each(|(v, &j)| *v = row[j]);
        }
        let found = model.predict(&cross)?;
        wrong += some.iter().zip(found).filter(|(i, class)| records.codes[**i] != *class).count();
    }
    Ok((wrong, model.support_count()))
}

/// Every kernel on the nodes of a graph, compared with label propagation and the majority class.
fn nodes(run: &Run<'_>, each: Each<'_>) -> Result<Vec<Evaluated>> {
    let Problem { name, data, protocol, .. } = run.problem;
    if classes(data).is_none() {
        return Err(Error::usage(format!("{name}: nodes without classes")));
    }
    let settings =
        Evaluate { protocol: *protocol, seed: run.settings.seed, also: Vec::new(), ..Evaluate::of(data)? };
    let mut out: Vec<Evaluated> = Vec::new();
    let mut add = |method: &str, accuracy: Option<f64>, chosen: (String, String), dropped| {
        let (kernel, learner) = chosen;
        let split = |score| Chosen { kernel, learner, score, ..Chosen::default() };
        let splits = accuracy.map(split).into_iter().collect();
        let one = Evaluated { splits, dropped, ..Evaluated::of(method) };
        each(&one);
        out.push(one);
    };
    let none = || (String::new(), String::new());
    add(PROPAGATION, settings.label_propagation(data)?, none(), vec![]);
    let mut majority = None;
    for (method, kernel) in NODE_METHODS {
        match settings.run(data, &kernel.parse()?, &C.parse()?, run.engine, None) {
            Ok(report) => {
                let measure = report.measures.first();
                majority = measure.and_then(|m| m.baseline_mean).or(majority);
                let chosen = match report.folds.as_slice() {
                    [one] => (one.kernel.clone(), one.learner.clone()),
                    _ => none(),
                };
                add(method, measure.and_then(|m| m.mean), chosen, vec![]);
            }
            // A parameter range that suits one graph may diverge on another.
            Err(e @ (Error::Diverge { .. } | Error::Param { .. })) => {
                add(method, None, none(), vec![(kernel.to_owned(), e.to_string())]);
            }
            Err(other) => return Err(other),
        }
    }
    add(MAJORITY, majority, none(), vec![]);
    Ok(out)
}
