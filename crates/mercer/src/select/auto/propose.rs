//! Proposes kernels and learners for the columns of a data set.

mod graphs;
mod molecules;
mod nodes;
mod series;
mod strings;
mod tables;

use crate::data::{Column, DAY, Dataset, Kind, Target, Values};
use crate::doctor::is_imbalanced;
use crate::error::{Error, Result};
use crate::expression::{Columns, Expression, Learner, Value};
use crate::gram::{Certificate, Engine};
use crate::select::Grid;

/// A kernel and a learner with ranges, to be searched.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The kernel, with ranges.
    pub kernel: Expression,
    /// The learner, with ranges.
    pub learner: Learner,
    /// Why it is proposed.
    pub reason: String,
    /// Whether it is a baseline method that others must beat: the linear one, or for graphs the sizes or the label
    /// counts alone.
    pub simple: bool,
}

impl Candidate {
    fn new(kernel: &str, learner: &str, reason: &str) -> Result<Self> {
        let (kernel, learner) = (kernel.parse()?, learner.parse()?);
        Ok(Candidate { kernel, learner, reason: reason.to_owned(), simple: false })
    }

    /// The configurations of its search.
    pub fn grid(&self) -> Result<Grid> {
        Grid::new(&self.kernel, &self.learner)
    }

    /// The same method with the middle value of each range.
    pub(super) fn middle(&self) -> Result<Candidate> {
        let middle = |choices: Vec<(String, Vec<Value>)>| -> Vec<Vec<Value>> {
            choices
                .into_iter()
                .map(|(_, values)| values.get(values.len() / 2).cloned().into_iter().collect())
                .collect()
        };
        let kernel = self.kernel.with_choices(&middle(self.kernel.choices()))?;
        let learner = self.learner.with_choices(&middle(self.learner.choices()))?;
        let reason = format!("{}, without a choice of parameters: there was no time", self.reason);
        Ok(Candidate { kernel, learner, reason, simple: self.simple })
    }

    /// The relative cost of its search on given splits: the number of configurations, where walks, learned windows, large numbers of
    /// features and `svr` count several times and nearest neighbours a fraction.
    pub(super) fn cost(&self) -> Result<f64> {
        let kernel = self.kernel.to_string();
        let work = match &kernel {
            // A window is learned from all pairs in every split.
            k if k.contains("learned-") => 40.0,
            k if k.contains("walk(") || k.contains("features=50000") => 4.0,
            _ => 1.0,
        };
        let learner = match self.learner.name() {
            "knn" => 0.2,
            "svr" => 3.0,
            _ => 1.0,
        };
        Ok(self.grid()?.len() as f64 * work * learner)
    }
}

/// The candidates to try, and the columns left out.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The simple baseline first, then in order of cost.
    pub candidates: Vec<Candidate>,
    /// Columns that no candidate uses, each with the reason.
    pub unused: Vec<(String, String)>,
}

/// Maximum number of objects for walks, which decompose the kernel matrix in every split.
const MOST_FOR_WALKS: usize = 600;

/// Proposes kernels and learners for the columns and the target.
///
/// | columns | kernels |
/// |---|---|
/// | numbers | `standardize` of `linear`, `rbf`, `polynomial`, `laplacian`; `chi2` where none is negative; walks over `rbf` |
/// | numbers, some missing | the same from sums over columns, where a missing value adds nothing, as if it were the mean |
/// | categories | `column-sum(delta)`, `rbf-of` it, `diffusion` |
/// | several numbers | `relevance(rbf)` |
/// | numbers, categories and times together | `forest`, alone and in sum with the kernels above |
/// | dates and times | `time`, with the parts of the calendar that vary |
/// | sparse numbers | `linear`, `cosine`, `rbf` |
/// | strings | `spectrum`; `weighted-degree` where all have the same length |
/// | strings of DNA, RNA or proteins | `gapped-kmer` as well, for DNA with and without the other strand; `weighted-degree-shifts` where all have the same length |
/// | text | `terms` with several weights; `spectrum` |
/// | similarities | unchanged, or repaired where they have negative eigenvalues |
/// | nodes of a graph | `regularized-laplacian`, `node-diffusion`, `pagerank`; `smooth` of the kernels for their attributes where all nodes have some |
/// | graphs with node attributes | `return-probabilities` with and without walks, `wwl` |
/// | graphs | sizes alone and label counts alone, which others must beat; `wl`, `wl-oa`, `vertex-edge-histogram`, `shortest-path`, `random-walk`, normalised |
/// | molecules | `tanimoto` of `ecfp`, `atom-pairs`, `wl-oa`; sums of these with the shared fragments themselves, and Gaussians of them |
/// | images | `visual` words under `linear` and `rbf` |
/// | series | the Gaussian of their distance without warping, `gak`, the Gaussian of `dtw` repaired; `rocket`, `hydra` and `intervals` under ridge regression with a learned penalty; `learned-dtw` for few and short ones |
/// | several of these | sums and products over the kinds, and each alone |
///
/// Classes are learned by `svc` and `knn` (`svc` with balanced weights where one class has three quarters of the
/// objects), numbers by `ridge`, `svr` and `knn`. Weighted objects use only learners that support weights. Ranges
/// depend on the number of columns, the distances and the spread of the target. No test object influences which of
/// their values is chosen.
///
/// ```
/// use mercer::{data::generate, gram::Engine, select::auto};
/// let proposal = auto::propose(&generate::half_moons(40, 0.1, 1)?, &Engine::new())?;
/// assert_eq!(proposal.candidates[0].kernel.to_string(), "standardize(linear)");
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn propose(data: &Dataset, engine: &Engine) -> Result<Proposal> {
    let target = data.target().ok_or_else(|| Error::usage("there is no target to predict"))?;
    let learners = Learners::of(target, data.weights().is_some(), is_imbalanced(data));
    let parts = parts(data, engine)?;
    let mut candidates = Vec::new();
    if let [only] = parts.as_slice() {
        alone(only, &learners, data.len(), &mut candidates)?;
    } else if !parts.is_empty() {
        together(&parts, &learners, &mut candidates)?;
    }
    for part in &parts {
        suited(part, &learners, &mut candidates)?;
    }
    tables::with_trees(data, &parts, &learners, &mut candidates)?;
    if candidates.is_empty() {
        let kinds: Vec<_> =
            data.columns().iter().map(|c| format!("{} ({})", c.name, c.values.kind())).collect();
        return Err(Error::Column {
            name: "*".into(),
            reason: "no kernel is proposed for columns of these kinds".into(),
            hint: Some(format!("the columns are {}", crate::data::list(kinds.iter().map(String::as_str)))),
        });
    }
    candidates[0].simple = true;
    let mut costs = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        costs.push((if candidate.simple { 0.0 } else { candidate.cost()? }, candidate));
    }
    costs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let unused = data.columns().iter().filter_map(|c| Some((c.name.clone(), unsuited(c)?))).collect();
    Ok(Proposal { candidates: costs.into_iter().map(|c| c.1).collect(), unused })
}

/// One kernel without ranges for the columns, for use without a search; `None` when no kernel applies.
///
/// ```
/// use mercer::{data::generate, gram::Engine, select::auto};
/// let kernel = auto::default_kernel(&generate::half_moons(40, 0.1, 1)?, &Engine::new())?;
/// assert_eq!(kernel.unwrap().to_string(), "standardize(rbf(gamma=0.5))");
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn default_kernel(data: &Dataset, engine: &Engine) -> Result<Option<Expression>> {
    let texts: Vec<String> = parts(data, engine)?.iter().map(|p| p.one.clone()).collect();
    if texts.is_empty() { Ok(None) } else { texts.join(" + ").parse().map(Some) }
}

/// The reason why no kernel uses a column.
fn unsuited(column: &Column) -> Option<String> {
    match column.values.kind() {
        Kind::Series => series::unsuited(column),
        Kind::Numbers | Kind::Sparse if column.values.width() == 0 => Some("it holds no numbers".into()),
        _ => None,
    }
}

/// The learners for a target, with their ranges.
struct Learners {
    /// The learner of the simple baseline.
    simple: String,
    /// The learners for other kernels.
    others: Vec<String>,
    neighbours: Option<&'static str>,
    /// The nearest neighbour, where the target holds classes.
    nearest: Option<&'static str>,
    /// Ridge regression with a learned penalty; none where objects have weights.
    learned: Option<&'static str>,
}

impl Learners {
    /// Where one class has most of the objects, SVMs weigh classes equally: otherwise they may predict that class only.
    fn of(target: &Target, weighted: bool, imbalanced: bool) -> Self {
        let neighbours = (!weighted).then_some("knn(k=[1, 3, 5, 9, 15])");
        let nearest = (!weighted && matches!(target, Target::Classes(_))).then_some("knn(k=1)");
        let learned = (!weighted).then_some("ridge(lambda=learned, intercept=yes)");
        match target {
            Target::Classes(_) => {
                let weights = if imbalanced { ", weights=balanced" } else { "" };
                Learners {
                    simple: format!("svc(C=[0.01, 0.1, 1, 10]{weights})"),
                    others: vec![format!("svc(C=[0.1, 1, 10, 100]{weights})")],
                    neighbours,
                    nearest,
                    learned,
                }
            }
            Target::Numbers(y) => {
                let unit = spread(y);
                let cs = list([0.1, 1.0, 10.0, 100.0], unit);
                let svr = format!("svr(C={cs}, epsilon={})", list([0.01, 0.1], unit));
                let ridge = |lambdas: &str| format!("ridge(lambda={lambdas}, intercept=yes)");
                match weighted {
                    true => Learners { simple: svr.clone(), others: vec![svr], neighbours, nearest, learned },
                    false => Learners {
                        simple: ridge("[0.01, 0.1, 1, 10, 100]"),
                        others: vec![ridge("[0.001, 0.01, 0.1, 1, 10]"), svr],
                        neighbours,
                        nearest,
                        learned,
                    },
                }
            }
        }
    }
}

/// Columns of one kind, with their kernels as text.
struct Part {
    /// The kind of the columns.
    kind: &'static str,
    /// The kernel of the simple baseline.
    simple: String,
    /// A kernel that decreases with distance, with self-similarity 1, with ranges.
    local: String,
    /// The same with shorter ranges, for combinations.
    short: String,
    /// The same without ranges.
    one: String,
    /// Further kernels, each with its reason.
    more: Vec<(String, &'static str)>,
    /// Whether walks over the local kernel are proposed.
    walks: bool,
    /// A further kernel that others must beat, with its reason.
    baseline: Option<(String, &'static str)>,
    /// A further kernel that may do without the other columns.
    enough: Option<String>,
    /// Further kernels, each with the learner that suits it.
    with: Vec<With>,
}

/// A kernel with the learner that suits it.
struct With {
    kernel: String,
    learner: Suited,
    reason: &'static str,
}

/// The learner that suits a kernel.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Suited {
    /// Ridge regression with a learned penalty, on explicit features.
    Learned,
    /// The nearest neighbour, of classes.
    Nearest,
    /// The first of the usual learners.
    Usual,
}

impl With {
    fn learned(kernel: String, reason: &'static str) -> Self {
        With { kernel, learner: Suited::Learned, reason }
    }

    fn nearest(kernel: String, reason: &'static str) -> Self {
        With { kernel, learner: Suited::Nearest, reason }
    }

    fn usual(kernel: String, reason: &'static str) -> Self {
        With { kernel, learner: Suited::Usual, reason }
    }
}

fn parts(data: &Dataset, engine: &Engine) -> Result<Vec<Part>> {
    let of = |kind: Kind| -> Vec<&Column> {
        data.columns().iter().filter(|c| c.values.kind() == kind && unsuited(c).is_none()).collect()
    };
    let numbers = of(Kind::Numbers);
    let sparse = of(Kind::Sparse);
    let (has_numbers, has_sparse) = (!numbers.is_empty(), !sparse.is_empty());
    let mut out = Vec::new();
    if has_numbers {
        out.push(on_numbers(&numbers, &at(&numbers, has_sparse)));
    }
    if has_sparse {
        out.push(on_sparse(&sparse, &at(&sparse, has_numbers)));
    }
    let categories = of(Kind::Categories);
    if !categories.is_empty() {
        out.push(on_categories(&categories, &at(&categories, categories.len() < data.columns().len())));
    }
    let times = of(Kind::Times);
    if !times.is_empty() {
        out.push(on_times(&times));
    }
    let texts: Vec<&Column> = [of(Kind::Strings), of(Kind::Text)].concat();
    for column in &texts {
        let at = at(&[column], texts.len() > 1);
        out.push(match column.values.kind() {
            Kind::Text => on_text(column, &at),
            _ => strings::on_strings(column, &at),
        });
    }
    let all_graphs = of(Kind::Graphs);
    let several = all_graphs.len() + of(Kind::Molecules).len() > 1;
    for column in &all_graphs {
        out.push(graphs::on_graphs(column, &at(&[column], several), engine));
    }
    for column in &of(Kind::Molecules) {
        out.push(molecules::on_molecules(column, &at(&[column], several)));
    }
    let images = of(Kind::Images);
    for column in &images {
        out.push(on_images(column, &at(&[column], images.len() > 1)));
    }
    let all = of(Kind::Series);
    for column in &all {
        out.push(series::on_series(column, &at(&[column], all.len() > 1)));
    }
    let all_nodes = of(Kind::Nodes);
    for column in &all_nodes {
        out.push(nodes::on_nodes(column, &at(&[column], all_nodes.len() > 1), engine)?);
    }
    let given = of(Kind::Precomputed);
    for column in &given {
        out.push(on_similarities(data, &at(&[column], given.len() > 1), engine)?);
    }
    Ok(out)
}

/// The columns by name, where a kernel without names would use others too.
fn at(columns: &[&Column], named: bool) -> String {
    let names: Vec<String> = columns.iter().map(|c| c.name.clone()).collect();
    if named { Columns(&names).to_string() } else { String::new() }
}

fn on_numbers(columns: &[&Column], at: &str) -> Part {
    let dim: usize = columns.iter().map(|c| c.values.width()).sum();
    let unit = 1.0 / dim as f64;
    let wide = list([0.03, 0.125, 0.5, 2.0], unit);
    let (narrow, middle) = (list([0.125, 1.0], unit), significant(unit));
    if columns.iter().any(|c| c.missing() > 0) {
        // A missing value adds nothing to a sum over standardised columns: it counts as the mean.
        let linear = format!("standardize(column-sum(zero-extend(linear)){at})");
        let local = |gamma: &str| format!("rbf-of({linear}, gamma={gamma})");
        let (local, short, one) = (local(&wide), local(&narrow), local(&middle.to_string()));
        return Part {
            kind: "numbers",
            simple: linear,
            local,
            short,
            one,
            more: Vec::new(),
            walks: true,
            baseline: None,
            enough: None,
            with: Vec::new(),
        };
    }
    let standard = |kernel: &str| format!("standardize({kernel}{at})");
    let local = |gamma: &str| standard(&format!("rbf(gamma={gamma})"));
    let mut more = vec![
        (
            standard(&format!("polynomial(degree=[2, 3], gamma={})", significant(unit))),
            "numbers: products of columns",
        ),
        (standard(&format!("laplacian(gamma={wide})")), "numbers: absolute instead of squared differences"),
    ];
    if let Some(distance) = chi_squared(columns) {
        let gammas = list([0.1, 0.5, 2.0], 1.0 / distance);
        more.push((format!("chi2(gamma={gammas}){at}"), "non-negative numbers, such as counts"));
    }
    let (local, short, one) = (local(&wide), local(&narrow), local(&middle.to_string()));
    let mut with = Vec::new();
    if dim > 1 {
        // Weights are learned at gamma = 1.
        let weighted = format!("relevance(rbf(gamma=[0.3, 1, 3]){at})");
        with.push(With::usual(weighted, "numbers: columns weighted by how much they help"));
    }
    Part {
        kind: "numbers",
        simple: standard("linear"),
        local,
        short,
        one,
        more,
        walks: true,
        baseline: None,
        enough: None,
        with,
    }
}

fn on_sparse(columns: &[&Column], at: &str) -> Part {
    let unit = 1.0 / sparse_distance(columns);
    let local = |gamma: &str| format!("rbf(gamma={gamma}){at}");
    Part {
        kind: "sparse numbers",
        simple: format!("linear{at}"),
        local: local(&list([0.1, 0.5, 2.0, 10.0], unit)),
        short: local(&list([0.5, 2.0], unit)),
        one: local(&significant(unit).to_string()),
        more: vec![(format!("cosine{at}"), "sparse numbers: direction only")],
        walks: true,
        baseline: None,
        enough: None,
        with: Vec::new(),
    }
}

fn on_categories(columns: &[&Column], at: &str) -> Part {
    let missing = columns.iter().any(|c| c.missing() > 0);
    let linear = format!("column-sum({}){at}", if missing { "zero-extend(delta)" } else { "delta" });
    let unit = 1.0 / columns.len() as f64;
    let local = |gamma: &str| format!("rbf-of({linear}, gamma={gamma})");
    let more = match columns.len() {
        1 => Vec::new(),
        _ => vec![
            (format!("{linear} * {linear}"), "categories: pairs of columns that agree"),
            (
                format!("diffusion(beta=[0.1, 0.5, 2]){at}"),
                "categories: differences weighted by the number of values",
            ),
        ],
    };
    Part {
        kind: "categories",
        local: local(&list([0.125, 0.5, 2.0], unit)),
        short: local(&list([0.25, 1.0], unit)),
        one: format!("normalize({linear})"),
        more,
        simple: linear,
        walks: true,
        baseline: None,
        enough: None,
        with: Vec::new(),
    }
}

/// Parts of the calendar that vary in the columns: hours unless all times are at midnight, weekdays and months over long
/// enough times.
fn on_times(columns: &[&Column]) -> Part {
    let mut days: Vec<f64> = Vec::new();
    for column in columns {
        if let Values::Times(t) = &column.values {
            days.extend(t.seconds().iter().filter(|s| !s.is_nan()).map(|s| s / DAY));
        }
    }
    let (low, high) = days.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &d| (l.min(d), h.max(d)));
    let span = if high > low { high - low } else { 0.0 };
    let length = significant(spread(&days));
    let hour = u8::from(days.iter().any(|d| d.fract() != 0.0));
    let weekday = if span >= 7.0 { "0.5" } else { "0" };
    let month = if span >= 60.0 { "0.5" } else { "0" };
    let missing = columns.iter().any(|c| c.missing() > 0);
    let careful = |trend: &str| {
        let kernel = format!("time(hour={hour}, weekday={weekday}, month={month}, trend={trend})");
        match missing {
            true => format!("normalize(column-sum(zero-extend({kernel})))"),
            false => kernel,
        }
    };
    let local = careful(&list([0.25, 1.0], length));
    let one = careful(&length.to_string());
    Part {
        kind: "times",
        simple: one.clone(),
        short: local.clone(),
        local,
        one,
        more: Vec::new(),
        walks: false,
        baseline: None,
        enough: None,
        with: Vec::new(),
    }
}

fn on_text(column: &Column, at: &str) -> Part {
    let careful = |kernel: String| match column.missing() {
        0 => format!("normalize({kernel}{at})"),
        _ => format!("normalize(zero-extend({kernel}){at})"),
    };
    let terms = |weights: &str| careful(format!("terms(linear, weight={weights})"));
    let more = vec![(careful("spectrum(k=[3, 5])".into()), "text: common substrings")];
    let (linear, local, short) = (terms("tfidf"), terms("[tfidf, bm25, binary]"), terms("[tfidf, bm25]"));
    let one = linear.clone();
    Part {
        kind: "text",
        simple: linear,
        local,
        short,
        one,
        more,
        walks: false,
        baseline: None,
        enough: None,
        with: Vec::new(),
    }
}

fn on_images(column: &Column, at: &str) -> Part {
    let careful = |kernel: &str| match column.missing() {
        0 => format!("visual({kernel}){at}"),
        _ => format!("zero-extend(visual({kernel})){at}"),
    };
    // Fisher vectors have length 1: their squared distances are between 0 and 4, mostly around 1.
    Part {
        kind: "images",
        simple: careful("linear"),
        local: careful("rbf(gamma=[0.5, 2])"),
        short: careful("rbf(gamma=1)"),
        one: careful("linear"),
        more: Vec::new(),
        walks: false,
        baseline: None,
        enough: None,
        with: Vec::new(),
    }
}

fn on_similarities(data: &Dataset, at: &str, engine: &Engine) -> Result<Part> {
    let given = format!("precomputed{at}");
    let kernel = given.parse::<Expression>()?.fit(data, engine)?.kernel;
    let certificate = Certificate::of(&engine.gram(&kernel, data)?)?;
    let (linear, kind) = match certificate.is_psd() {
        true => (given, "similarities"),
        false => {
            (format!("repair({given}, method=[clip, flip, shift])"), "similarities with negative eigenvalues")
        }
    };
    let one = linear.replace("[clip, flip, shift]", "clip");
    let (local, short) = (linear.clone(), linear.replace("[clip, flip, shift]", "clip"));
    Ok(Part {
        kind,
        simple: linear,
        local,
        short,
        one,
        more: Vec::new(),
        walks: false,
        baseline: None,
        enough: None,
        with: Vec::new(),
    })
}

/// Candidates for columns of one kind.
fn alone(part: &Part, learners: &Learners, n: usize, out: &mut Vec<Candidate>) -> Result<()> {
    let kind = part.kind;
    out.push(Candidate::new(&part.simple, &learners.simple, &format!("{kind}: simple baseline"))?);
    if let Some((kernel, reason)) = &part.baseline {
        out.push(Candidate { simple: true, ..Candidate::new(kernel, &learners.simple, reason)? });
    }
    if let Some(knn) = learners.neighbours {
        out.push(Candidate::new(&part.simple, knn, &format!("{kind}: nearest neighbours"))?);
    }
    for learner in &learners.others {
        if part.local != part.simple {
            out.push(Candidate::new(&part.local, learner, &format!("{kind}: only similar objects matter"))?);
        } else if name(learner) != name(&learners.simple) {
            out.push(Candidate::new(&part.simple, learner, &format!("{kind}: another learner"))?);
        }
        for (kernel, reason) in &part.more {
            out.push(Candidate::new(kernel, learner, reason)?);
        }
    }
    if part.walks && n <= MOST_FOR_WALKS {
        let kernel = format!("normalize(walk({}, p=[2, 4, 8]))", part.short);
        let learner = learners.others.first().unwrap_or(&learners.simple);
        out.push(Candidate::new(
            &kernel,
            learner,
            &format!("{kind}, few objects: chains of similar objects"),
        )?);
    }
    Ok(())
}

/// Candidates whose kernel has a learner that suits it; the first of them also with a support vector machine for classes.
fn suited(part: &Part, learners: &Learners, out: &mut Vec<Candidate>) -> Result<()> {
    let usual = learners.others.first().unwrap_or(&learners.simple);
    for (at, With { kernel, learner, reason }) in part.with.iter().enumerate() {
        let own = match learner {
            Suited::Learned => learners.learned.unwrap_or(usual),
            Suited::Usual => usual,
            Suited::Nearest => match learners.nearest {
                Some(nearest) => nearest,
                None => continue,
            },
        };
        out.push(Candidate::new(kernel, own, reason)?);
        if at == 0 && *learner == Suited::Learned && learners.nearest.is_some() {
            out.push(Candidate::new(kernel, usual, &format!("{reason}, another learner"))?);
        }
    }
    Ok(())
}

fn name(learner: &str) -> &str {
    learner.split('(').next().unwrap_or(learner)
}

/// Candidates for columns of several kinds.
fn together(parts: &[Part], learners: &Learners, out: &mut Vec<Candidate>) -> Result<()> {
    let join = |of: fn(&Part) -> &String, sign: &str| {
        parts.iter().map(|p| factor(of(p))).collect::<Vec<_>>().join(sign)
    };
    let kinds = parts.iter().map(|p| p.kind).collect::<Vec<_>>().join(" and ");
    // With more than three kinds, the product of all ranges would be too large.
    let of: fn(&Part) -> &String = if parts.len() > 3 { |p| &p.one } else { |p| &p.short };
    let linear = join(|p| &p.simple, " + ");
    out.push(Candidate::new(&linear, &learners.simple, &format!("{kinds}: simple baseline"))?);
    if let Some(knn) = learners.neighbours {
        out.push(Candidate::new(&linear, knn, &format!("{kinds}: nearest neighbours"))?);
    }
    for learner in &learners.others {
        let sum = format!("{kinds}: similar in any of them");
        out.push(Candidate::new(&join(of, " + "), learner, &sum)?);
        let product = format!("{kinds}: similar in all of them");
        out.push(Candidate::new(&join(of, " * "), learner, &product)?);
    }
    for part in parts {
        let learner = learners.others.first().unwrap_or(&learners.simple);
        out.push(Candidate::new(&part.short, learner, &format!("{} only", part.kind))?);
        if let Some(kernel) = &part.enough {
            out.push(Candidate::new(kernel, learner, &format!("{} only: differences in counts", part.kind))?);
        }
    }
    Ok(())
}

/// A kernel as part of a sum or product: it may itself be a sum.
fn factor(kernel: &String) -> String {
    if kernel.contains(" + ") { format!("({kernel})") } else { kernel.clone() }
}

/// Multiples of a unit as a list of values.
fn list<const N: usize>(factors: [f64; N], unit: f64) -> String {
    let texts: Vec<String> = factors.iter().map(|f| significant(f * unit).to_string()).collect();
    format!("[{}]", texts.join(", "))
}

/// A number rounded to three significant digits; 1 where it is not positive and finite.
fn significant(x: f64) -> f64 {
    let rounded: f64 = format!("{x:.2e}").parse().unwrap_or(1.0);
    if rounded.is_finite() && rounded > 0.0 { rounded } else { 1.0 }
}

/// The standard deviation of a target; 1 where it is not positive and finite.
fn spread(y: &[f64]) -> f64 {
    let n = y.len().max(1) as f64;
    let mean = y.iter().map(|v| v / n).sum::<f64>();
    let sd = (y.iter().map(|v| (v - mean) * (v - mean) / n).sum::<f64>()).sqrt();
    if sd.is_finite() && sd > 0.0 { sd } else { 1.0 }
}

/// A sample of pairs of objects: each object with the one half the data away.
fn pairs(n: usize) -> impl Iterator<Item = (usize, usize)> {
    let half = (n / 2).max(1);
    (0..n.saturating_sub(half).min(500)).map(move |i| (i, i + half))
}

/// The mean of the positive values; 1 where there are none.
fn mean_or_one(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.filter(|v| *v > 0.0).fold((0.0, 0.0), |(s, c), v| (s + v, c + 1.0));
    let mean: f64 = sum / count;
    if mean.is_finite() && mean > 0.0 { mean } else { 1.0 }
}

/// The mean chi-squared distance over a sample of pairs; `None` where a value is negative.
fn chi_squared(columns: &[&Column]) -> Option<f64> {
    let dense: Vec<_> = columns
        .iter()
        .filter_map(|c| if let Values::Numbers(x) = &c.values { Some(x) } else { None })
        .collect();
    if dense.iter().any(|x| x.values().iter().any(|v| *v < 0.0)) {
        return None;
    }
    let term = |(a, b): (&f64, &f64)| if a + b > 0.0 { (a - b) * (a - b) / (a + b) } else { 0.0 };
    let n = dense.first().map_or(0, |x| x.rows());
    let distance = |(i, j): (usize, usize)| {
        dense.iter().map(|x| x.row(i).iter().zip(x.row(j)).map(term).sum::<f64>()).sum()
    };
    Some(mean_or_one(pairs(n).map(distance)))
}

/// The mean squared distance over a sample of pairs of sparse vectors.
fn sparse_distance(columns: &[&Column]) -> f64 {
    let sparse: Vec<_> = columns
        .iter()
        .filter_map(|c| if let Values::Sparse(x) = &c.values { Some(x) } else { None })
        .collect();
    let n = sparse.first().map_or(0, |x| x.rows());
    let distance = |(i, j): (usize, usize)| {
        let squared = |x: &crate::data::Sparse| {
            let ((fi, vi), (fj, vj)) = (x.row(i), x.row(j));
            let norms = vi.iter().chain(vj).map(|v| v * v).sum::<f64>();
            let common = fi.iter().zip(vi).filter_map(|(f, v)| fj.binary_search(f).ok().map(|at| v * vj[at]));
            (norms - 2.0 * common.sum::<f64>()).max(0.0)
        };
        sparse.iter().map(|x| squared(x)).sum()
    };
    mean_or_one(pairs(n).map(distance))
}
