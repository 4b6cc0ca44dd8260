//! Random-walk kernels compared with their base kernels, by the protocol of Gavriilidis & Tefas.
//!
//! For a base kernel, inner product or RBF, a support vector machine with it (simple SVM) is compared with SVMs on
//! `normalize(walk(BASE, p, through))`. Walks go through all objects (PA, transductive), the training objects (PT) or
//! the support vectors of a first SVM (PSV). The protocol is 5×2-fold cross-validation; C, gamma and p are chosen by
//! 5-fold cross-validation within each training set. All methods use the same splits.
//!
//! Details that the paper leaves open are settled as follows, and stated in every report:
//!
//! * The simple SVM uses `normalize(BASE)`, which equals every walk with p = 1, as in the paper.
//! * Among equal scores fewer steps, then the smaller gamma, then the smaller C is chosen.
//! * gamma is that of exp(-gamma·|x - y|²). The paper's text has gamma = 1/σ² and a kernel with 2σ², which would shift
//!   its grid by one power of two.
//! * *Best power*: for each p the inner folds choose C and gamma, and the p with the best accuracy over the test sets
//!   is shown. This p was selected on the test sets: the value is what a good choice of p would give, not an estimate
//!   of the method's accuracy. p = 1 is excluded, because several of the printed best powers are below the simple SVM.
//! * The first SVM of PSV has C = 1.
//! * Features of tables are standardised on each training set, because the paper's derivation assumes data of mean
//!   zero; generated ones are not scaled.
//! * Missing values are replaced by the median of their column in each training set, so that no object is lost.
//!
//! Tables III to VI need features of activities and folk dances that are not available. Substitutes are run with the
//! same protocols: EEG trials of 20 persons, leaving one person out at a time, and BasicMotions with its given split.
//!
//! Time: for every gamma and inner split of n objects O(n³) for the walk and O(n²·r) for each p, then a path of models
//! along C.

mod published;
mod tables;
#[cfg(test)]
mod tests;

pub use published::Published;

use std::path::Path;

use crate::data::{Values, generate};
use crate::error::{Error, Result};
use crate::experiment::{
    Chosen, Evaluated, Experiment, Found, Outcome, Report, Settings, mean, methods, scores,
};
use crate::options::StudyOptions;
use crate::problem::{How, Method, Problem, chosen, chosen_by, classes, method, persons, split, vectors};
use crate::read::{Options, TargetKind, read};
use crate::select::compare::{
    Test, WinsTiesLosses, Zeros, five_by_two_f, sign_test, wilcoxon, wins_ties_losses,
};
use crate::select::{Protocol, Score, Search};

/// The experiment.
pub const RANDOM_WALK: Experiment = Experiment {
    name: "random-walk",
    settings,
    shown: &["c", "gamma", "steps", "repetitions", "inner_folds", "bases", "methods", "seed"],
    trial: "NOT the published protocol (quick trial): a coarser grid or fewer repetitions.",
    problems,
    plan: |problems, settings, engine| {
        let steps = settings.steps.saturating_sub(1) as usize;
        let bytes = |p: &Problem| Search::memory_needed(p.data.len(), steps, engine.threads());
        let largest = problems.iter().map(bytes).max().unwrap_or(0).div_ceil(1 << 20);
        let (data, bases) = (problems.len(), settings.bases.len());
        Some(format!("{data} data sets, {bases} base kernels, up to {largest} MB of matrices"))
    },
    evaluate: methods,
    message: |run, one| one.is_none().then(|| format!("{}, {}: done", run.problem.name, run.base)),
    journal: |stage| stage.replace(' ', "-"),
    summary: tables::summary,
    sheets: tables::sheets,
    notes: tables::notes,
    document: tables::document,
};

/// The simple SVM, then the walks in the paper's order: through all objects, which is transductive, through the training
/// objects, and through the support vectors of a first SVM. Their places are those of the columns in the paper's tables.
pub const METHODS: [Method; 4] = [
    method("plain", &["normalize({base})"], "svc(C={c})"),
    walk("PA", &["normalize(walk({base}, p=[{steps}], through=all))"]),
    walk("PT", &["normalize(walk({base}, p=[{steps}], through=train))"]),
    walk("PSV", &["normalize(walk({base}, p=[{steps}], through=support))"]),
];

/// The base kernels, in the paper's order: `linear` of table I, and `rbf` of table II, which calls it the heat kernel.
pub const BASES: [&str; 2] = ["inner-product", "rbf"];

const fn walk(name: &'static str, kernels: &'static [&'static str]) -> Method {
    Method { how: How::Along("p"), ..method(name, kernels, "svc(C={c})") }
}

/// The settings of the paper. For a quick trial every fourth exponent of both grids, 2×2 folds.
fn settings(quick: bool) -> Settings {
    let full = Settings {
        c: "2^-5..2^15",
        gamma: "2^-15..2^3",
        steps: 7,
        repetitions: 5,
        inner_folds: 5,
        bases: BASES.to_vec(),
        methods: METHODS[1..].iter().map(|m| m.name).collect(),
        ..Settings::default()
    };
    match quick {
        true => Settings { c: "2^-5..2^15 step 4", gamma: "2^-15..2^3 step 4", repetitions: 2, ..full },
        false => full,
    }
}

/// A pair of tables of the paper: one for the inner product, one for the heat kernel.
struct Tables {
    name: &'static str,
    titles: [&'static str; 2],
    rows: [&'static [Published]; 2],
    /// The note on the substitute for its data.
    substitute: &'static [&'static str],
    /// The data that are not available.
    needs: &'static str,
}

const VARIOUS: &str = "various";
const ACTIVITIES: &str = "activities";
const DANCES: &str = "dances";

/// I and II: tables of UCI and generated data, 5×2 cross-validation; III and IV: activities of persons, leaving one person
/// out at a time; V and VI: folk dances, with a given split.
const TABLES: [Tables; 3] = [
    Tables {
        name: VARIOUS,
        titles: ["Table I, inner product", "Table II, heat kernel (RBF)"],
        rows: [&published::TABLE_1, &published::TABLE_2],
        substitute: &[],
        needs: "",
    },
    Tables {
        name: ACTIVITIES,
        titles: ["Substitute for table III, inner product", "Substitute for table IV, heat kernel (RBF)"],
        rows: [&published::TABLE_3, &published::TABLE_4],
        substitute: &[
            "Substitute: EEG trials of 20 persons, alcoholic or not, leaving one person out. Each person has one \
             class, whereas the paper's persons perform all activities: no value here is comparable with a printed one.",
        ],
        needs: "tables III and IV: need the MOBISERV and IXMAS activity features of Iosifidis, Tefas & Pitas 2012",
    },
    Tables {
        name: DANCES,
        titles: ["Substitute for table V, inner product", "Substitute for table VI, heat kernel (RBF)"],
        rows: [&published::TABLE_5, &published::TABLE_6],
        substitute: &[
            "Substitute: movements of a wrist, 4 classes, with the given split of 40 for training and 40 for testing; \
             the paper has folk dances: no value here is comparable with a printed one.",
        ],
        needs: "tables V and VI: need the folk-dance features of Kapsouras et al. 2013",
    },
];

/// The rows of table I or II, in the paper's order.
///
/// ```
/// use mercer_reproduce::random_walk::published;
/// let balance = published("rbf").iter().find(|row| row.data == "Balance").unwrap();
/// assert_eq!(balance.searched, [92.13, 96.64, 96.58, 92.13]);
/// ```
pub fn published(base: &str) -> &'static [Published] {
    TABLES[0].rows[usize::from(base == "rbf")]
}

/// Where a data set comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// Generated by [`generate::by_name`].
    Generated(&'static str),
    /// A CSV file `NAME/NAME.csv` in a folder of UCI tables, with the name of the class column.
    Table(&'static str, &'static str),
    /// Series of persons in a folder `timeseries/NAME`, averaged over four time steps; `trials.csv` names the persons.
    Persons(&'static str),
    /// Series with a given split, in a folder `timeseries/NAME`.
    Split(&'static str),
}

impl Source {
    fn name(self) -> &'static str {
        let (Source::Generated(name) | Source::Table(name, _) | Source::Persons(name) | Source::Split(name)) =
            self;
        name
    }
}

/// The paper's data sets in its order and spelling, then the substitutes.
#[rustfmt::skip]
const SETS: [(&str, Source); 16] = [
    ("australian", Source::Table("australian", "class")),
    ("diabetes", Source::Table("pima_diabetes", "class")),
    ("liver-dis", Source::Table("liver_bupa", "selector")),
    ("mamographic", Source::Table("mammographic_masses", "Severity")),
    ("PlanRelax", Source::Table("planning_relax", "class")),
    ("habberman", Source::Table("haberman", "class")),
    ("Iris", Source::Table("iris", "class")),
    ("Balance1", Source::Generated("balance1")),
    ("Balance", Source::Generated("balance")),
    ("Balance3", Source::Generated("balance3")),
    ("Ecoli", Source::Table("ecoli", "class")),
    ("halfmoon", Source::Generated("half-moons")),
    ("cocentral", Source::Generated("rings")),
    ("swissroll", Source::Generated("swiss-roll")),
    ("EEG_alcoholic_S1", Source::Persons("EEG_alcoholic_S1")),
    ("BasicMotions", Source::Split("BasicMotions")),
];

fn problems(options: &StudyOptions, settings: &mut Settings) -> Result<Found> {
    settings.bases = chosen("base", &options.base, BASES.to_vec(), |b| *b)?;
    let walks = chosen("method", &options.method, METHODS[1..].to_vec(), |m| m.name)?;
    settings.methods = walks.iter().map(|m| m.name).collect();
    let methods = [&METHODS[..1], &walks].concat();
    let folder = options.folder("UCI tables")?;
    let (mut found, mut absent) = (Vec::new(), Vec::new());
    for (name, source) in named(&options.only)? {
        match load(name, source, folder, settings, &methods)? {
            Some(problem) => found.push(problem),
            None => absent.push(name.to_owned()),
        }
    }
    if found.is_empty() {
        return Err(Error::usage("none of these data sets was found: give the folder of UCI tables as data"));
    }
    Ok((found, absent))
}

/// The data sets with these names, as in the paper or as generators and folders are named; all without names.
fn named(names: &[String]) -> Result<Vec<(&'static str, Source)>> {
    chosen_by("only", names, SETS.to_vec(), |(name, source)| [*name, source.name()])
}

/// The data set: generated, or read from the data folder; `None` without a folder, or if it does not contain the data
/// set. Tables are searched in the folder itself and in `tables` within it. Features of tables have different scales;
/// generated features share one.
fn load(
    name: &str,
    source: Source,
    folder: Option<&Path>,
    settings: &Settings,
    methods: &[Method],
) -> Result<Option<Problem>> {
    let various = Protocol::Folds { folds: 2, repetitions: settings.repetitions };
    let made = |part, data, protocol| Problem::new((part, name), data, (protocol, Score::Accuracy), methods);
    if let Source::Generated(generator) = source {
        return Ok(Some(made(VARIOUS, generate::by_name(generator, settings.seed)?, various)));
    }
    let Some(folder) = folder else { return Ok(None) };
    let mut gaps = 0;
    let problem = match source {
        Source::Generated(_) => None,
        Source::Persons(name) => match persons(folder, name)? {
            Some(series) => Some(made(ACTIVITIES, vectors(&series, 4)?, Protocol::LeaveOneGroupOut)),
            None => None,
        },
        Source::Split(name) => match split(folder, name)? {
            Some(series) => Some(made(DANCES, vectors(&series, 1)?, Protocol::TrainTest)),
            None => None,
        },
        Source::Table(table, target) => {
            let within = folder.join("tables").join(table).join(table);
            let places = [folder.join(table).join(table), folder.join(table), within];
            let places = places.map(|p| p.with_extension("csv"));
            let Some(path) = places.iter().find(|p| p.is_file()) else { return Ok(None) };
            let target_kind = TargetKind::Classes;
            let data =
                read(path, &Options { target: Some(target.into()), target_kind, ..Options::default() })?;
            if classes(&data).is_none() {
                return Err(Error::usage(format!("{}: the target is not classes", path.display())));
            }
            for column in data.columns() {
                let Values::Numbers(x) = &column.values else {
                    return Err(Error::Column {
                        name: column.name.clone(),
                        reason: "the tables of this study must be numeric".into(),
                        hint: None,
                    });
                };
                gaps += x.values().iter().filter(|v| v.is_nan()).count();
            }
            Some(made(VARIOUS, data, various))
        }
    };
    Ok(problem.map(|problem| Problem { scaled: true, gaps, ..problem }))
}

/// The halves of the paper's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Half {
    /// p chosen by the inner folds.
    Searched,
    /// The p with the best score on the test sets.
    BestPower,
}

impl Half {
    /// Both.
    pub const ALL: [Half; 2] = [Half::Searched, Half::BestPower];

    /// `grid search` or `best power`.
    pub fn name(self) -> &'static str {
        match self {
            Half::Searched => "grid search",
            Half::BestPower => "best power",
        }
    }
}

/// A walk on a data set.
struct Walk<'a> {
    method: &'a str,
    /// The column in the paper's tables, after that of the simple SVM.
    column: usize,
    /// For each p from 1, the chosen parameters and the score of each outer split.
    powers: Vec<&'a [Chosen]>,
    /// The p that the inner folds chose, for each outer split.
    searched: Vec<u32>,
    /// The p from 2 with the best mean score over the outer splits.
    best: u32,
}

/// The simple SVM and the walks on a data set.
fn walks(outcome: &Outcome) -> (Vec<f64>, Vec<Walk<'_>>) {
    let [plain, walks @ ..] = outcome.methods.as_slice() else { return Default::default() };
    (plain.scores(), walks.iter().map(|walk| Walk::new(plain, walk)).collect())
}

impl<'a> Walk<'a> {
    fn new(plain: &'a Evaluated, walk: &'a Evaluated) -> Self {
        let mut powers = vec![plain.splits.as_slice()];
        powers.extend(walk.along.iter().map(Vec::as_slice));
        // Means of equal scores may differ by rounding, which must not count.
        let better = |new: f64, old: f64| new > old + 1e-12 * old.abs();
        let first_best = |values: Vec<f64>| {
            let keep = |best, at| if better(values[at], values[best]) { at } else { best };
            (0..values.len()).reduce(keep).unwrap_or(0) as u32
        };
        let inner = |at: usize| powers.iter().map(|of| of[at].inner.unwrap_or(0.0)).collect();
        let searched = (0..plain.splits.len()).map(|at| first_best(inner(at)) + 1).collect();
        let best = first_best(powers[1..].iter().map(|of| mean(&scores(of))).collect()) + 2;
        Walk { method: &walk.method, column: column(&walk.method), powers, searched, best }
    }

    /// The accuracies on the test sets.
    fn scores(&self, half: Half) -> Vec<f64> {
        let p = |at: usize| match half {
            Half::Searched => self.searched[at],
            Half::BestPower => self.best,
        };
        (0..self.searched.len()).map(|at| self.powers[p(at) as usize - 1][at].score).collect()
    }
}

fn column(method: &str) -> usize {
    METHODS.iter().position(|m| m.name == method).unwrap_or(0)
}

/// The name, marked if transductive.
fn label(method: &str) -> &str {
    if is_transductive(method) { "PA (transductive)" } else { method }
}

/// Whether the kernel uses the test objects.
fn is_transductive(method: &str) -> bool {
    method == "PA"
}

/// A walk against the simple SVM over the data sets of table I or II.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
struct Count {
    base: &'static str,
    half: Half,
    method: String,
    /// The number of data sets on which the mean accuracy was better, equal, worse.
    measured: WinsTiesLosses,
    /// The sign test on the means; `None` for fewer than two data sets.
    sign: Option<Test>,
    /// Wilcoxon's signed-rank test on the means, likewise.
    wilcoxon: Option<Test>,
    /// The same three for the printed values, on the same data sets.
    published: WinsTiesLosses,
    published_sign: Option<Test>,
    published_wilcoxon: Option<Test>,
}

/// Each walk against the simple SVM, over the data sets of tables I and II.
fn counts(report: &Report) -> Vec<Count> {
    let mut counts = Vec::new();
    for base in BASES {
        let of_base: Vec<_> = within(report, VARIOUS, base).map(|o| (o, walks(o))).collect();
        let Some((_, (_, first))) = of_base.first() else { continue };
        let plain: Vec<f64> = of_base.iter().map(|(_, (plain, _))| mean(plain)).collect();
        let rows: Vec<&Published> = of_base.iter().filter_map(|(o, _)| row(base, &o.data)).collect();
        for half in Half::ALL {
            for (at, Walk { method, column, .. }) in first.iter().enumerate() {
                let walk = of_base.iter().map(|(_, (_, w))| w.get(at).map_or(0.0, |w| mean(&w.scores(half))));
                let printed = |column: usize| rows.iter().map(|r| r.half(half)[column]).collect::<Vec<_>>();
                let (measured, sign, wilcoxon) = tests_of(&walk.collect::<Vec<_>>(), &plain);
                let (published, published_sign, published_wilcoxon) =
                    tests_of(&printed(*column), &printed(0));
                counts.push(Count {
                    base,
                    half,
                    method: (*method).into(),
                    measured,
                    sign,
                    wilcoxon,
                    published,
                    published_sign,
                    published_wilcoxon,
                });
            }
        }
    }
    counts
}

/// Counts and tests of two lists of equal length.
fn tests_of(walk: &[f64], plain: &[f64]) -> (WinsTiesLosses, Option<Test>, Option<Test>) {
    let count = wins_ties_losses(walk, plain).unwrap_or_default();
    if walk.len() < 2 {
        return (count, None, None);
    }
    (count, sign_test(walk, plain).ok(), wilcoxon(walk, plain, Zeros::Wilcoxon).ok())
}

/// The results of one of the paper's tables.
fn within<'r>(report: &'r Report, part: &'r str, base: &'r str) -> impl Iterator<Item = &'r Outcome> {
    report.outcomes.iter().filter(move |o| (o.part, o.base) == (part, base))
}

/// The printed row of a data set.
fn row(base: &str, data: &str) -> Option<&'static Published> {
    published(base).iter().find(|row| row.data == data)
}

/// Whether the combined F test applies: it requires 5×2 folds.
fn has_f_test(report: &Report) -> bool {
    report.settings.repetitions == 5
}

/// The combined 5×2cv F test of a walk against the simple SVM; `None` if the splits are not 5×2.
fn f_test(report: &Report, outcome: &Outcome, walk: &Walk<'_>, half: Half) -> Option<Test> {
    let suits = has_f_test(report) && outcome.part == VARIOUS;
    suits.then(|| five_by_two_f(&walk.scores(half), &outcome.methods[0].scores()).ok()).flatten()
}
