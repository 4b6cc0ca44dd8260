//! `mercer auto`: look at data, try the kernels that suit it, rank them.
//!
//! Kernels are ranked by ten-fold cross-validation of the nearest neighbour in their feature space, which has
//! nothing to tune; all that is fitted (scaling) is fitted inside the training folds. The trivial baseline stands
//! in the same table.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use mercer::data::{Dataset, Kind, Target};
use mercer::expression::Expression;
use mercer::gram::{Certificate, Engine, alignment};
use mercer::kernel::Kernel;
use mercer::random::Random;
use mercer::read;
use mercer::{Error, Result, Warning};
use serde_json::{Value, json};

use super::read_data;
use crate::args::Reading;
use crate::console::{BOLD, Console};
use crate::table::{Look, Table};

/// Arguments of `mercer auto`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer auto                      on the iris flowers, embedded in the program
  mercer auto patients.csv --target outcome")]
pub(crate) struct AutoArgs {
    /// The data; without it the embedded iris flowers (Fisher 1936)
    data: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    /// Look at no more than so many objects, chosen at random
    #[arg(long, value_name = "N", default_value_t = 1500)]
    sample: usize,
}

/// Iris as scikit-learn ships it; see data/SOURCES.md.
const IRIS: &[u8] = include_bytes!("../../data/iris.csv");

const FOLDS: usize = 10;

pub(crate) fn run(args: &AutoArgs, console: &Console) -> Result<()> {
    let options = args.reading.options()?;
    let data = match &args.data {
        Some(path) => read_data(path, &options, console)?,
        None => {
            console.note("no data given: the embedded iris flowers");
            read::read_bytes(Path::new("iris.csv"), IRIS, &options)?
        }
    };
    let engine = console.engine()?;
    let target = data.target().ok_or_else(|| Error::Column {
        name: "target".into(),
        reason: "there is nothing to predict".into(),
        hint: Some("name the column with --target".into()),
    })?;
    check_target(args.data.as_deref().unwrap_or(Path::new("iris.csv")), target)?;
    let whole = data.len();
    let data =
        if whole > args.sample { data.select(&sample(whole, args.sample, console.seed)) } else { data };
    let target = data.target().cloned().unwrap_or(Target::Numbers(Vec::new()));
    console.line(format!("{BOLD}{}{BOLD:#}", introduce(&data, &target, whole)))?;

    let folds = folds(&target, console.seed);
    let mut tried = Vec::new();
    for text in candidates(&data) {
        let expression: Expression = text.parse()?;
        match trial(&expression, &data, &target, &folds, &engine) {
            Ok(trial) => tried.push(trial),
            // A kernel may refuse data that another takes (negative values, overflow): that is an answer too.
            Err(error) if error.is_input() => {
                console.warn(&Warning::new("W_SKIPPED", format!("{expression}: {error}")));
            }
            Err(error) => return Err(error),
        }
    }
    tried.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.alignment.total_cmp(&a.alignment)));
    let base = baseline(&target, &folds);
    show(&tried, base, &target, args, console)?;
    console.document(
        "auto",
        json!({
            "data": args.data, "objects": whole, "used": data.len(), "seed": console.seed, "folds": FOLDS,
            "score": score_name(&target), "baseline": base,
            "kernels": tried.iter().map(Trial::describe).collect::<Vec<_>>(),
        }),
    )
}

fn check_target(path: &Path, target: &Target) -> Result<()> {
    let fault = |reason: String, hint: &str| {
        Err(Error::parse(mercer::Place::file(path), mercer::Code::Classes, reason).with_hint(hint))
    };
    if let Target::Classes(c) = target {
        if c.levels().len() < 2 {
            let reason = format!("{} class only: there is nothing to tell apart", c.levels().len());
            return fault(reason, "name another column with --target");
        }
        let mut counts = vec![0usize; c.levels().len()];
        (0..c.len()).filter_map(|i| c.code(i)).for_each(|code| counts[code as usize] += 1);
        // Of equals the first named.
        let rarest = c.levels().iter().zip(counts).min_by_key(|(_, count)| *count);
        if let Some((class, count)) = rarest.filter(|(_, count)| *count < FOLDS) {
            let members = if count == 1 { "member" } else { "members" };
            let reason = format!("class '{class}' has {count} {members}, too few for {FOLDS} folds");
            return fault(
                reason,
                "leave such rows out or join classes; if the target is a number, say --target-kind numbers",
            );
        }
    }
    if target.len() < FOLDS {
        let reason = format!("{} objects are too few for {FOLDS} folds", target.len());
        return Err(Error::parse(mercer::Place::file(path), mercer::Code::Object, reason));
    }
    Ok(())
}

fn introduce(data: &Dataset, target: &Target, whole: usize) -> String {
    let of = if whole > data.len() { format!(" (of {whole}, chosen at random)") } else { String::new() };
    let aim = match target {
        Target::Classes(c) => format!("{} classes", c.levels().len()),
        _ => "a number".into(),
    };
    let name = data.target_name().unwrap_or("target");
    format!("{} objects{of}, {} columns; predicting {name}, {aim}", data.len(), data.columns().len())
}

/// Kernels that suit the columns, simplest first.
fn candidates(data: &Dataset) -> Vec<String> {
    let missing = data.columns().iter().any(|c| c.missing() > 0);
    let careful = |kernel: &str| if missing { format!("zero-extend({kernel})") } else { kernel.to_owned() };
    let mut out = Vec::new();
    let dim: usize = data.columns().iter().map(|c| c.values.width()).sum();
    if dim > 0 {
        let gamma = |factor: f64| significant(factor / dim as f64);
        out.extend(["linear", "standardize(linear)", "standardize(polynomial(degree=2))"].map(careful));
        out.extend(
            [0.1, 1.0, 10.0].map(|factor| careful(&format!("standardize(rbf(gamma={}))", gamma(factor)))),
        );
        out.push(careful(&format!("standardize(laplacian(gamma={}))", gamma(1.0))));
        out.push(careful("minmax(chi2(gamma=1))"));
    }
    let parts = suited(data);
    // The kernel on numbers is among those above.
    out.extend(parts.iter().skip(usize::from(dim > 0)).cloned());
    if parts.len() > 1 {
        out.push(parts.iter().map(|p| format!("normalize({p})")).collect::<Vec<_>>().join(" + "));
    }
    out
}

/// A kernel for each kind of columns.
pub(crate) fn suited(data: &Dataset) -> Vec<String> {
    let missing = data.columns().iter().any(|c| c.missing() > 0);
    let careful = |kernel: &str| if missing { format!("zero-extend({kernel})") } else { kernel.to_owned() };
    let mut parts = Vec::new();
    let dim: usize = data.columns().iter().map(|c| c.values.width()).sum();
    if dim > 0 {
        let gamma = significant(1.0 / dim as f64);
        parts.push(careful(&format!("standardize(rbf(gamma={gamma}))")));
    }
    for (kind, kernel) in [
        (Kind::Categories, careful("delta")),
        (Kind::Strings, careful("normalize(convolution(delta, parts=substrings, length=3))")),
        (Kind::Text, careful("normalize(convolution(delta, parts=words))")),
    ] {
        let suits = data.columns().iter().filter(|c| c.values.kind() == kind);
        let columns: Vec<String> = suits.map(|c| format!("\"{}\"", c.name)).collect();
        if !columns.is_empty() {
            // The sum over columns keeps an object in the game where one of its values is missing.
            parts.push(format!("column-sum({kernel})@[{}]", columns.join(",")));
        }
    }
    if data.columns().iter().any(|c| c.values.kind() == Kind::Precomputed) {
        parts.push("precomputed".into());
    }
    parts
}

/// A number rounded to three significant digits.
fn significant(x: f64) -> f64 {
    let unit = 10f64.powi(2 - x.abs().log10().floor() as i32);
    (x * unit).round() / unit
}

/// A text cut to what a table can show.
fn short(text: &str) -> String {
    const MOST: usize = 64;
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        text.chars().take(MOST - 1).chain(['…']).collect()
    }
}

/// What came of a kernel.
struct Trial {
    expression: Expression,
    /// Accuracy, or the share of variance explained.
    score: f64,
    /// Its standard deviation over folds.
    spread: f64,
    alignment: f64,
    certificate: Certificate,
    seconds: f64,
}

impl Trial {
    fn describe(&self) -> Value {
        json!({
            "kernel": self.expression.to_string(), "score": self.score, "score_sd": self.spread,
            "centered_alignment": self.alignment, "certificate": self.certificate, "seconds": self.seconds,
        })
    }
}

fn trial(
    expression: &Expression,
    data: &Dataset,
    target: &Target,
    folds: &[Vec<usize>],
    engine: &Engine,
) -> Result<Trial> {
    let started = Instant::now();
    let mut scores = Vec::new();
    for test in folds {
        let train: Vec<usize> = (0..data.len()).filter(|i| !test.contains(i)).collect();
        let (training, new) = (data.select(&train), data.select(test));
        let kernel = expression.fit(&training, engine)?.kernel;
        let (known, asked) = (kernel.prepare(&training)?, kernel.prepare(&new)?);
        let cross = engine.cross_of::<Dataset, _, f64>(&kernel, &asked, &known)?;
        let selves = engine.diagonal_of(&kernel, &known)?;
        // |φ(x) - φ(t)|² up to the part that depends on x alone. Of equals the first is nearest.
        let nearest = |i: usize| {
            let gap = |j: usize| selves[j] - 2.0 * cross.at(i, j);
            (0..train.len()).min_by(|&a, &b| gap(a).total_cmp(&gap(b))).map(|j| train[j])
        };
        let guesses: Vec<usize> = (0..test.len()).filter_map(nearest).collect();
        scores.push(score(target, test, |i| Guess::SameAs(guesses[i])));
    }
    let kernel = expression.fit(data, engine)?.kernel;
    let gram = engine.gram(&kernel, data)?;
    let alignment = match target {
        Target::Classes(c) => {
            let codes: Vec<usize> = (0..c.len()).map(|i| c.code(i).map_or(0, |c| c as usize)).collect();
            alignment::centered_with_classes(&gram, &codes)?
        }
        Target::Numbers(y) => alignment::centered_with_values(&gram, y)?,
        _ => 0.0,
    };
    let (score, spread) = mean_and_spread(&scores);
    let certificate = Certificate::of(&gram)?;
    Ok(Trial {
        expression: expression.clone(),
        score,
        spread,
        alignment,
        certificate,
        seconds: started.elapsed().as_secs_f64(),
    })
}

/// A prediction for an object.
enum Guess {
    /// What another object has.
    SameAs(usize),
    Class(u32),
    Number(f64),
}

/// Accuracy, or one minus the squared error relative to the variance within the test objects' whole target.
fn score(target: &Target, test: &[usize], guess: impl Fn(usize) -> Guess) -> f64 {
    match target {
        Target::Classes(c) => {
            let right = test.iter().enumerate().filter(|(at, i)| match guess(*at) {
                Guess::SameAs(j) => c.code(j) == c.code(**i),
                Guess::Class(class) => c.code(**i) == Some(class),
                Guess::Number(_) => false,
            });
            right.count() as f64 / test.len().max(1) as f64
        }
        Target::Numbers(y) => {
            let mean = y.iter().sum::<f64>() / y.len() as f64;
            let variance = y.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / y.len() as f64;
            let error = test.iter().enumerate().map(|(at, &i)| match guess(at) {
                Guess::SameAs(j) => (y[i] - y[j]).powi(2),
                Guess::Number(v) => (y[i] - v).powi(2),
                Guess::Class(_) => f64::NAN,
            });
            1.0 - error.sum::<f64>() / test.len().max(1) as f64 / variance.max(f64::MIN_POSITIVE)
        }
        _ => f64::NAN,
    }
}

/// The score of always saying the training folds' most frequent class, or their mean.
fn baseline(target: &Target, folds: &[Vec<usize>]) -> f64 {
    let scores: Vec<f64> = folds
        .iter()
        .map(|test| {
            let train = (0..target.len()).filter(|i| !test.contains(i));
            match target {
                Target::Classes(c) => {
                    let mut counts = vec![0usize; c.levels().len()];
                    train.filter_map(|i| c.code(i)).for_each(|code| counts[code as usize] += 1);
                    let most =
                        (0..counts.len()).max_by_key(|&k| (counts[k], std::cmp::Reverse(k))).unwrap_or(0);
                    score(target, test, |_| Guess::Class(most as u32))
                }
                Target::Numbers(y) => {
                    let known: Vec<f64> = train.map(|i| y[i]).collect();
                    let mean = known.iter().sum::<f64>() / known.len().max(1) as f64;
                    score(target, test, |_| Guess::Number(mean))
                }
                _ => f64::NAN,
            }
        })
        .collect();
    mean_and_spread(&scores).0
}

fn mean_and_spread(scores: &[f64]) -> (f64, f64) {
    let n = scores.len().max(1) as f64;
    let mean = scores.iter().sum::<f64>() / n;
    let variance = scores.iter().map(|s| (s - mean) * (s - mean)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, variance.sqrt())
}

/// Test folds: objects in random order, those of a class spread evenly.
fn folds(target: &Target, seed: u64) -> Vec<Vec<usize>> {
    let mut order = sample(target.len(), target.len(), seed);
    if let Target::Classes(c) = target {
        order.sort_by_key(|&i| c.code(i));
    }
    let mut folds = vec![Vec::new(); FOLDS];
    order.into_iter().enumerate().for_each(|(at, i)| folds[at % FOLDS].push(i));
    folds.iter_mut().for_each(|f| f.sort_unstable());
    folds
}

/// `count` of the numbers below `n` in random order, by a hash of each with the seed.
fn sample(n: usize, count: usize, seed: u64) -> Vec<usize> {
    // The generator is a bijection on 64-bit numbers, so keys of one seed differ.
    let mut random = Random::new(seed ^ 0x6d65_7263_6572);
    let keys: Vec<u64> = (0..n).map(|_| random.bits()).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&i| keys[i]);
    order.truncate(count);
    order
}

fn score_name(target: &Target) -> &'static str {
    match target {
        Target::Classes(_) => "accuracy",
        _ => "R²",
    }
}

fn show(tried: &[Trial], base: f64, target: &Target, args: &AutoArgs, console: &Console) -> Result<()> {
    let heading = if matches!(target, Target::Classes(_)) { ">accuracy" } else { ">R²" };
    let mut table =
        Table::new(&["kernel", heading, ">± sd", ">alignment", ">eff. rank", "eigenvalues", ">seconds"]);
    for (place, t) in tried.iter().enumerate() {
        let look = if place == 0 { Look::Best } else { Look::Plain };
        table.row(
            vec![
                short(&t.expression.to_string()),
                format!("{:.3}", t.score),
                format!("{:.3}", t.spread),
                format!("{:.3}", t.alignment),
                format!("{:.1}", t.certificate.effective_rank),
                if t.certificate.is_psd() {
                    "≥ 0".into()
                } else {
                    format!("{} < 0", t.certificate.negative)
                },
                format!("{:.2}", t.seconds),
            ],
            look,
        );
    }
    let name = if matches!(target, Target::Classes(_)) {
        "always the most frequent class"
    } else {
        "always the mean"
    };
    let mut cells = vec![name.into(), format!("{base:.3}")];
    cells.resize(7, String::new());
    table.row(cells, Look::Faint);
    console.line(table)?;
    let score = score_name(target);
    let Some(best) = tried.first() else {
        return console.line("No kernel suits this data.");
    };
    if best.score <= base {
        return console.line(format!(
            "\nNo kernel beats the trivial guess ({score} {base:.3}): there may be nothing to learn here."
        ));
    }
    let doubt = if best.score - base <= best.spread / (FOLDS as f64).sqrt() {
        format!(
            "\nIt is not clearly better than the trivial guess ({base:.3}): the difference is within one standard error."
        )
    } else {
        String::new()
    };
    let close = tried.iter().filter(|t| best.score - t.score <= best.spread / (FOLDS as f64).sqrt()).count();
    console.line(format!(
        "\nBest by {score} of the nearest neighbour, {FOLDS}-fold cross-validated, scaling fitted inside the folds: {BOLD}{}{BOLD:#}.\n\
         {close} of {} kernels are within one standard error of it; picking the best of several flatters it a little.{doubt}\n\
         Next: mercer gram {} -k '{}' -o K.npy && mercer inspect K.npy",
        best.expression,
        tried.len(),
        args.data.as_deref().unwrap_or(Path::new("DATA")).display(),
        best.expression
    ))
}
