//! `mercer auto`: searches kernels and learners for the data within a time budget, compares them, and saves the best
//! model.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use clap::builder::ArgPredicate;
use mercer::data::{Dataset, Target, embedded};
use mercer::expression::{Expression, outlines as outlines_of};
use mercer::gram::Engine;
use mercer::insight::{self, Figures};
use mercer::model::{BlendMember, Model};
use mercer::read::Options;
use mercer::select::auto::{self, AutoReport, AutoSettings, Event, Refit, ScoreSummary, Trial};
use mercer::select::{Protocol, Score, TestReport};
use mercer::{Error, Place, Result, Warning};
use serde_json::{Value, json};

use super::paths::Paths;
use super::report::Reporting;
use super::sets::{Sets, TestArgs, drop_in, show_test, test_file_of};
use super::{counted, fit, in_file, read_data};
use crate::args::{BOTH, Reading};
use crate::console::{BOLD, Console};
use crate::table::{HIDDEN, RowStyle, Table, bar};

/// Arguments of `mercer auto`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer auto                                on promoters, embedded DNA
  mercer auto mutag                          on the embedded molecules
  mercer auto patients.csv --target outcome  two minutes, then patients.mercer
  mercer auto train.csv --test test.csv --target outcome
  mercer auto patients.csv --group clinic --budget none \\
    -o outcome.mercer --force

The report is written next to the model: patients.html. Methods that did not fit into the budget are listed as not tried; \
those that were tried have the same scores on any computer. Ctrl-C keeps the best method so far.")]
pub(crate) struct AutoArgs {
    /// The data; without it the embedded promoters, DNA of E. coli (Towell et al. 1990). Also embedded: mutag, molecules
    /// (Debnath et al. 1991), and iris, flowers (Fisher 1936)
    #[arg(default_value_if("positive", ArgPredicate::IsPresent, BOTH))]
    data: Option<PathBuf>,
    #[command(flatten)]
    searching: Searching,
    #[command(flatten)]
    testing: TestArgs,
    #[command(flatten)]
    reporting: Reporting,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Searching")]
struct Searching {
    /// Time budget; none or 0 for no limit
    #[arg(long, alias = "time", value_name = "SECONDS", default_value = "120", value_parser = seconds)]
    budget: Limit,
    /// Outer splits, such as 10-fold, 5x2, leave-one-out or forward(5); of the training set if there is a test set
    /// [default: 10-fold, 5-fold for more than 400 objects, 3-fold for more than 4 million numbers, forward(5) with
    /// --time-column]
    #[arg(long, value_name = "PROTOCOL", value_parser = parsed::<Protocol>)]
    protocol: Option<Protocol>,
    /// Score to compare by, such as accuracy, balanced-accuracy, matthews, auc, rmse, mae or r2 [default: accuracy,
    /// balanced-accuracy if one class has more than three quarters of the objects, or rmse for numbers]
    #[arg(long, value_name = "SCORE", value_parser = parsed::<Score>)]
    score: Option<Score>,
    /// Search on at most N objects, chosen at random; the best methods are then scored on all
    #[arg(long, value_name = "N", default_value_t = AutoSettings::default().sample)]
    sample: usize,
    /// Model file to write [default: the data's name with .mercer, in this directory]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite the model file and the report if they exist
    #[arg(long)]
    force: bool,
    /// Write no report [default: a report with the model's name and .html]
    #[arg(long, conflicts_with = "report")]
    no_report: bool,
}

/// The time that the figures of the report may take even if the time budget is used up.
const FIGURES: Duration = Duration::from_millis(700);

/// A time limit; `None` for no limit.
#[derive(Clone, Copy, Debug)]
struct Limit(Option<Duration>);

fn seconds(text: &str) -> std::result::Result<Limit, String> {
    if text == "none" {
        return Ok(Limit(None));
    }
    let known = text.parse::<f64>().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
    let known = known.ok_or("must be a number of seconds of at least 0, or none")?;
    Ok(Limit(Some(known).filter(|d| !d.is_zero())))
}

fn parsed<T: std::str::FromStr<Err = Error>>(text: &str) -> std::result::Result<T, String> {
    text.parse().map_err(|e: Error| e.to_string())
}

impl AutoArgs {
    pub(crate) fn paths(&self) -> Paths<'_> {
        let paths =
            Paths::default().reads(&self.data).reads(self.reading.inputs()).reads(self.testing.inputs());
        paths.writes(&self.searching.output).writes(&self.reporting.report).writes(self.testing.outputs())
    }
}

pub(crate) fn run(args: &AutoArgs, console: &Console) -> Result<()> {
    let options = args.reading.options()?;
    let path = args.data.as_deref().unwrap_or(Path::new("promoters"));
    let output = output(args, path)?;
    let reporting = args.reporting.clone().or_next_to(&output, !args.searching.no_report);
    reporting.check()?;
    args.testing.check()?;
    let read = |options: &Options| match &args.data {
        Some(path) => read_data(path, options, console),
        None => {
            console.note("no data given: using the embedded promoters, DNA of E. coli");
            embedded::read("promoters", options).unwrap_or_else(embedded::promoters)
        }
    };
    let mut sets = args.testing.read_after(path, &options, read, console)?;
    if sets.data.test().is_none()
        && sets.test.is_none()
        && let Some(other) = test_file_of(path)
    {
        let name = other.display();
        console.note(format!("{name} lies next to it: --test {name} scores the model on it"));
    }
    let searching = &args.searching;
    let settings = AutoSettings {
        protocol: searching.protocol,
        score: searching.score,
        // Reading the data took its share of the time.
        budget: searching.budget.0.map(|budget| budget.saturating_sub(console.elapsed())),
        sample: searching.sample,
        seed: console.seed,
    };
    let engine = console.engine()?;
    fit::check_some_target(path, &sets.data)?;
    if args.reading.drops_missing() {
        let whole = std::mem::take(&mut sets.data);
        let unused = auto::propose(&whole.training_set(), &engine).map_err(|e| in_data(path, e))?.unused;
        let used = whole.columns().iter().map(|c| c.name.clone());
        let used: Vec<String> = used.filter(|name| unused.iter().all(|(column, _)| column != name)).collect();
        sets.data = drop_in(whole, &used, console).map_err(|e| in_data(path, e))?;
    }
    Model::check_savable(&sets.data)?;
    let mut best = Best::default();
    let mut watch = |event: Event<'_>| {
        if let Some(status) = best.heard(&event) {
            console.status(status);
        }
    };
    // Until a method is finished there is nothing to keep, and an interrupt ends the program as usual.
    let report = auto::run(&sets.data, &settings, &engine, &mut |event| {
        if matches!(event, Event::Finished(_)) {
            console.keep_the_best(true);
        }
        watch(event);
    });
    let report = report.map_err(|e| in_data(path, e))?;
    let run = Run { args, console, path, output: &output, options: &options, reporting: &reporting, report };
    let refit = match run.report.is_interrupted {
        true => Err(Error::Interrupted),
        false => {
            let _wait = console.waiting("fitting the best method".into());
            run.report.refit(&sets.data, &engine)
        }
    };
    match refit {
        Ok(refit) => {
            console.keep_the_best(false);
            run.conclude(refit, &mut sets, &engine)
        }
        Err(Error::Interrupted) => console.after_interrupt(|| {
            console.note("interrupted: keeping the best method so far; Ctrl-C again ends at once");
            let refit = run.report.refit_quickly(&sets.data, &engine).map_err(|e| in_file(path, e))?;
            let engine = engine.clone().with_budget(engine.budget().renewed());
            run.conclude(refit, &mut sets, &engine)
        }),
        Err(error) => Err(in_file(path, error)),
    }
}

/// The best method so far, for the status of a run.
#[derive(Default)]
struct Best(Option<(String, f64)>);

impl Best {
    /// The status that an event changes, if any.
    fn heard(&mut self, event: &Event<'_>) -> Option<String> {
        match event {
            Event::Started { candidate, number, of, left } => {
                let method = method(&candidate.kernel.to_string(), &candidate.learner.to_string());
                Some(format!("{number} of {of}: {method}{}", self.so_far(*left)))
            }
            Event::Scoring { candidate, objects, left } => {
                let method = method(&candidate.kernel.to_string(), &candidate.learner.to_string());
                Some(format!("on all {objects} objects: {method}{}", self.so_far(*left)))
            }
            Event::Finished(trial) => {
                let better = |known: &(String, f64)| match trial.score.greater_is_better() {
                    true => trial.summary.mean.is_some_and(|mean| mean > known.1),
                    false => trial.summary.mean.is_some_and(|mean| mean < known.1),
                };
                if let Some(mean) = trial.summary.mean
                    && self.0.as_ref().is_none_or(better)
                {
                    self.0 = Some((format!("{} {mean:.3} by {}", trial.score, trial.brief()), mean));
                }
                None
            }
            _ => None,
        }
    }

    fn so_far(&self, left: f64) -> String {
        let best = self.0.as_ref().map(|(text, _)| format!("; best so far {text}")).unwrap_or_default();
        if left.is_finite() { format!("{best}; {:.0} s left", left.max(0.0)) } else { best }
    }
}

/// A finished search, and where its results go.
struct Run<'a> {
    args: &'a AutoArgs,
    console: &'a Console,
    path: &'a Path,
    output: &'a Path,
    options: &'a Options,
    reporting: &'a Reporting,
    report: AutoReport,
}

impl Run<'_> {
    /// Saves the model, and shows and writes the results.
    fn conclude(&self, refit: Refit, sets: &mut Sets, engine: &Engine) -> Result<()> {
        let Run { args, console, path, output, options, report, .. } = self;
        let data = &sets.data;
        let mut refit = Refit { model: refit.model.with_reading(options, data, path), ..refit };
        refit.model.save(output)?;
        console.line(format!("{BOLD}{}{BOLD:#}", introduce(data)))?;
        if report.is_interrupted {
            console.line("interrupted: these methods were finished by then")?;
        }
        show(report, console)?;
        let tested = report.test_model(&refit.model, data, engine).map_err(|e| in_file(path, e))?;
        conclude(report, &refit, tested.as_ref(), output, console)?;
        let predicted =
            args.testing.predict(&refit.model, sets, output, (args.reading.id_name(), engine), console)?;
        if args.testing.refits_all() && data.test().is_some() && !report.is_interrupted {
            let all = data.clone().without_test();
            let wait = console.waiting("fitting the best method to all objects".into());
            let again = refit.model.fitted_again(&all, engine);
            drop(wait);
            refit.model = again.map_err(|e| in_file(path, e))?.with_reading(options, data, path);
            refit.objects = all.len();
            refit.model.save(output)?;
            console.line(format!(
                "{}: fitted again to all {} objects, the test set included; the scores are of the model without it",
                output.display(),
                all.len()
            ))?;
        }
        console.line(format!("Next: mercer predict {} NEW", output.display()))?;
        let mut document = document(report, &refit, args, output);
        document["test"] = json!(tested);
        if let (Some(fields), Some(more)) = (document.as_object_mut(), predicted.as_object()) {
            fields.extend(more.clone());
        }
        if self.reporting.is_wanted() {
            self.write_page(&document, &refit, data, engine)?;
        }
        console.document("auto", document)
    }

    /// Writes the report with figures; those of an interrupted run are the predictions and the scores of the search.
    fn write_page(&self, document: &Value, refit: &Refit, data: &Dataset, engine: &Engine) -> Result<()> {
        let Run { console, report, .. } = self;
        let wait = console.waiting("computing the figures of the report".into());
        // Of a blend, the figures of the kernel are of the member with the largest weight.
        let shown = refit.model.principal();
        let (kernel, learner) = (shown.expression(), shown.learner());
        let mut figures = match report.is_interrupted {
            true => Figures::default(),
            false => {
                // Figures that do not fit into the time are listed as missing.
                let left = |budget: Duration| budget.saturating_sub(console.elapsed()).max(FIGURES);
                let limited =
                    self.args.searching.budget.0.map(|b| engine.budget().clone().with_time(left(b)));
                let engine = limited.map_or(engine.clone(), |budget| engine.clone().with_budget(budget));
                Figures::of(data, kernel, learner, console.seed, &engine)?
            }
        };
        drop(wait);
        if let Some(best) = report.trials.first() {
            figures.predictions = Some(best.predictions.clone());
            figures.search = best.map.clone();
        }
        let mut whole = document.clone();
        whole["data"] = self.path.display().to_string().into();
        whole["summary"] = json!(insight::summary(data)?);
        whole["figures"] = json!(figures);
        if let (Some(warnings), Some(warning)) = (whole["warnings"].as_array_mut(), figures.warning()) {
            warnings.push(json!(warning));
        }
        self.reporting.write(console.whole_document("auto", whole), engine, console)
    }
}

/// Adds the file to errors of the library, which has only the data.
fn in_data(path: &Path, error: Error) -> Error {
    match error {
        Error::Parse { code, reason, hint, .. } => {
            Error::Parse { place: Place::file(path), code, reason, hint }
        }
        other => in_file(path, other),
    }
}

/// The model file. An existing file is only overwritten with --force.
fn output(args: &AutoArgs, data: &Path) -> Result<PathBuf> {
    let writes_report = args.reporting.report.is_none() && !args.searching.no_report;
    let there = |path: &Path| !args.searching.force && path.symlink_metadata().is_ok();
    let taken = |path: &Path| {
        let report = path.with_extension("html");
        Some(path.to_owned())
            .filter(|p| there(p))
            .or_else(|| Some(report).filter(|r| writes_report && there(r)))
    };
    if let Some(path) = &args.searching.output {
        if let Some(taken) = taken(path) {
            return Err(Error::usage(format!("{} exists already: --force overwrites it", taken.display())));
        }
        return Ok(path.clone());
    }
    let name = data.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let stem =
        name.trim_start_matches('.').split('.').next().filter(|s| !s.is_empty()).unwrap_or("auto").to_owned();
    let numbered = (2u64..).map(|n| PathBuf::from(format!("{stem}-{n}.mercer")));
    let mut names = std::iter::once(PathBuf::from(format!("{stem}.mercer"))).chain(numbered);
    names.find(|path| taken(path).is_none()).ok_or_else(|| Error::usage("no free name for the model file"))
}

fn introduce(data: &Dataset) -> String {
    let target = match data.target() {
        Some(Target::Classes(c)) => counted(c.levels().len(), "class"),
        _ => "a number".into(),
    };
    let name = data.target_name().unwrap_or("target");
    let objects = match data.test().map(|test| test.iter().filter(|t| **t).count()) {
        Some(tested) => {
            format!("{} for training and {tested} for testing", counted(data.len() - tested, "object"))
        }
        None => counted(data.len(), "object"),
    };
    let columns = counted(data.columns().len(), "column");
    format!("{objects}, {columns}; predicting {name}, {target}")
}

/// A method as `mercer compare -m` takes it, with the kernel in brief.
fn method(kernel: &str, learner: &str) -> String {
    format!("{} | {learner}", Expression::brief_text(kernel))
}

fn numbers(summary: &ScoreSummary) -> [String; 3] {
    let three = |v: Option<f64>| v.map_or_else(|| "–".into(), |v| format!("{v:.3}"));
    let interval = summary.interval.map_or_else(|| "–".into(), |i| format!("{:.3} … {:.3}", i.low, i.high));
    [three(summary.mean), three(summary.sd), interval]
}

fn p(outcome: Option<&auto::PairOutcome>) -> String {
    match outcome {
        None => String::new(),
        Some(o) => {
            let p = o
                .p
                .map_or_else(|| "–".into(), |p| if p < 0.001 { "< 0.001".into() } else { format!("{p:.3}") });
            let sign = match o.better {
                Some(true) => " +",
                Some(false) => " -",
                None => "  ",
            };
            p + sign
        }
    }
}

/// The length of a kernel's outline in the table, in characters, beyond which it has no parameters.
const OUTLINE: usize = 48;

/// Length of a bar, in characters.
const BAR: usize = 10;

/// From this terminal width on, the table has bars and standard deviations.
const WIDE: usize = 120;

fn show(report: &AutoReport, console: &Console) -> Result<()> {
    let is_sampled = report.used < report.objects;
    if is_sampled {
        let scored = match report.screened.is_empty() {
            true => "the scores are of these".to_owned(),
            false => format!("the best methods are scored on all {}, and come first", report.objects),
        };
        let text =
            format!("searched on {} of {} objects, chosen at random; {scored}", report.used, report.objects);
        console.line(text)?;
    }
    // Bars from the baseline to the best method are for people; programs read the numbers.
    let wide = console.width() >= WIDE;
    let bars = wide && console.is_watched();
    let baseline = report.baseline.summary.mean;
    let best = report.trials.first().and_then(|t| t.summary.mean);
    let share = |mean: Option<f64>| match (mean, baseline, best) {
        (Some(mean), Some(baseline), Some(best)) if best != baseline => (mean - baseline) / (best - baseline),
        _ => 0.0,
    };
    let mut table = Table::new(&[
        "method (kernel | learner)",
        if is_sampled { ">objects" } else { HIDDEN },
        if bars { "" } else { HIDDEN },
        &format!(">{}", report.score),
        if wide { ">± sd" } else { HIDDEN },
        ">95 % interval",
        ">p vs. baseline",
        ">p vs. best",
        ">time, s",
    ]);
    let row = |t: &Trial, outline: &str| {
        let (_, learner) = t.typical();
        let [mean, sd, interval] = numbers(&t.summary);
        vec![
            format!("{outline} | {learner}"),
            t.objects.to_string(),
            bar(share(t.summary.mean), BAR),
            mean,
            sd,
            interval,
            p(t.against_baseline.as_ref()),
            p(t.against_best.as_ref()),
            format!("{:.2}", t.seconds),
        ]
    };
    let outlines = report.outlines(OUTLINE);
    let (first, others) = outlines.split_at(report.trials.len());
    for (place, (t, outline)) in report.trials.iter().zip(first).enumerate() {
        table.row(row(t, outline), if place == 0 { RowStyle::Best } else { RowStyle::Plain });
    }
    let [mean, sd, interval] = numbers(&report.baseline.summary);
    let objects = report.scored().to_string();
    let mut cells = vec![report.baseline.name.to_owned(), objects, String::new(), mean, sd, interval];
    cells.resize(9, String::new());
    table.row(cells, RowStyle::Faint);
    for (t, outline) in report.screened.iter().zip(others) {
        // Tests are against the methods scored on the same objects.
        let mut cells = row(t, outline);
        cells[2] = String::new();
        cells[6] = String::new();
        cells[7] = String::new();
        table.row(cells, RowStyle::Faint);
    }
    console.table(table)?;
    let direction = if report.score.greater_is_better() { "higher" } else { "lower" };
    console.line(format!(
        "{} ({direction} is better) over {}; parameters chosen inside the training sets by {}, the most frequent choice shown in outline; \
         p Holm-adjusted, + significantly better, - significantly worse",
        report.score, report.protocol, report.inner
    ))?;
    let texts = |s: &auto::Skipped| (s.candidate.kernel.to_string(), s.candidate.learner.to_string());
    let skipped: Vec<(String, String)> = report.skipped.iter().map(texts).collect();
    let methods: Vec<(&str, &str)> = skipped.iter().map(|(k, l)| (k.as_str(), l.as_str())).collect();
    for ((skipped, outline), (_, learner)) in
        report.skipped.iter().zip(outlines_of(&methods, OUTLINE)).zip(&methods)
    {
        console.line(format!("not tried: {outline} | {learner}: {}", skipped.why))?;
    }
    report.warnings.iter().for_each(|w| console.warn(w));
    for (column, why) in &report.unused {
        console.warn(&Warning::new("W_UNUSED", format!("column '{column}' is not used: {why}")));
    }
    Ok(())
}

fn conclude(
    report: &AutoReport,
    refit: &Refit,
    tested: Option<&TestReport>,
    output: &Path,
    console: &Console,
) -> Result<()> {
    let verdict = report.verdict();
    console.line(format!("\n{}", verdict.sentences.join("\n")))?;
    let model = &refit.model;
    let what = if tested.is_some() { "training objects" } else { "objects" };
    let all = if refit.objects == report.objects { "all " } else { "" };
    let worth = match verdict.learned {
        Some(false) => "; expect no more of it than of the baseline",
        _ => "",
    };
    let chosen = match refit.is_usual {
        true => "those chosen in most splits".to_owned(),
        false if report.used == report.objects => format!("chosen on all {what} by {}", report.inner),
        false => format!("chosen on some of the {what} by {}", report.inner),
    };
    console.line(format!(
        "{BOLD}{}{BOLD:#}: {}, parameters {chosen}, fitted to {all}{} {what}{worth}",
        output.display(),
        method(&model.expression().to_string(), &model.learner().to_string()),
        refit.objects
    ))?;
    for (member, outline) in model.members().iter().zip(member_outlines(model)) {
        let learner = member.model.learner();
        console.line(format!("  {:.2} of {outline} | {learner}", member.weight))?;
    }
    if let Some(why) = &refit.not_blended {
        console.note(format!("the blend was not fitted: {why}; this is the best single method"));
    }
    if let Some(why) = &refit.approximate {
        console.line(why)?;
    }
    if let Some(why) = refit.why.as_ref().filter(|_| refit.objects < report.objects) {
        console.line(format!("fitted to {} of {} {what} only: {why}", refit.objects, report.objects))?;
    }
    if let Some(found) = tested {
        show_test(found, console)?;
        if found.verdict.test.as_ref().is_some_and(|t| t.first_larger == Some(false))
            && found.verdict.sentence.starts_with("WORSE")
        {
            console.line(
                "Test objects contradict the training set: check for swapped labels, or for test objects from another source.",
            )?;
        }
        console.line(format!(
            "The {} objects of the test set had no part in any choice or fit.",
            found.objects
        ))?;
    }
    if !refit.edges.is_empty() {
        let names = refit.edges.join(", ");
        let verb = if refit.edges.len() == 1 { "best value is" } else { "best values are" };
        console.note(format!(
            "{names}: {verb} at the edge of the searched range; a wider range may score higher"
        ));
    }
    let unfinished = model.trained().warnings();
    unfinished.iter().for_each(|w| console.warn(w));
    Ok(())
}

/// The kernels of the members of a blend in outline.
fn member_outlines(model: &Model) -> Vec<String> {
    let text = |m: &BlendMember| (m.model.expression().to_string(), m.model.learner().to_string());
    let texts: Vec<(String, String)> = model.members().iter().map(text).collect();
    let methods: Vec<(&str, &str)> = texts.iter().map(|(k, l)| (k.as_str(), l.as_str())).collect();
    outlines_of(&methods, OUTLINE)
}

/// The run document.
fn document(report: &AutoReport, refit: &Refit, args: &AutoArgs, output: &Path) -> Value {
    let mut document = insight::automatic(report, refit);
    document["data"] = json!(args.data);
    document["budget"] = json!(args.searching.budget.0.map(|d| d.as_secs_f64()));
    document["model"]["output"] = json!(output);
    document
}
