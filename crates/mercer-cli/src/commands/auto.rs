//! `mercer auto`: look at data, search what suits it within a time budget, say what it is worth, and save the best.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use mercer::data::{Dataset, Target, embedded};
use mercer::insight::{self, Figures};
use mercer::model::Model;
use mercer::select::auto::{self, ByMeasure, Event, Refit, Report, Settings, Summary, Trial};
use mercer::select::{Protocol, Score};
use mercer::{Error, Place, Result, Warning};
use serde_json::{Value, json};

use super::paths::Paths;
use super::report::Reporting;
use super::{check_protocol, fit, in_file, read_data};
use crate::args::Reading;
use crate::console::{BOLD, Console};
use crate::table::{HIDDEN, Look, Table, bar};

/// Arguments of `mercer auto`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer auto                                      on MUTAG, molecules embedded in the program
  mercer auto iris                                 on the embedded iris flowers
  mercer auto patients.csv --target outcome        two minutes, then patients.mercer
  mercer auto patients.csv --group clinic --budget none -o outcome.mercer --force

A page to look at is written beside the model: patients.html. What the time does not suffice for is listed as not tried; what was tried has the same scores on any machine.")]
pub(crate) struct AutoArgs {
    /// The data; without it the embedded molecules of MUTAG (Debnath et al. 1991). iris names the embedded flowers (Fisher 1936)
    data: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    searching: Searching,
    #[command(flatten)]
    reporting: Reporting,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Searching")]
struct Searching {
    /// Time to spend; none or 0 for no limit
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = seconds)]
    budget: Limit,
    /// Outer splits, such as 10-fold, 5x2 or leave-one-out [default: train-test with --split-column, otherwise 10-fold, 5-fold for more
    /// than 400 objects]
    #[arg(long, value_name = "PROTOCOL", value_parser = parsed::<Protocol>)]
    protocol: Option<Protocol>,
    /// What is compared, such as accuracy, balanced-accuracy, matthews, auc, rmse, mae or r2 [default: accuracy, balanced-accuracy where
    /// one class has more than three quarters of the objects, or rmse for numbers]
    #[arg(long, value_name = "SCORE", value_parser = parsed::<Score>)]
    score: Option<Score>,
    /// Search on no more than so many objects, chosen at random
    #[arg(long, value_name = "N", default_value_t = Settings::default().sample)]
    sample: usize,
    /// Model file to write [default: the data's name with .mercer, in this directory]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Overwrite the model file and the report if they are there
    #[arg(long)]
    force: bool,
    /// Write no report; without --report it has the model's name with .html
    #[arg(long, conflicts_with = "report")]
    no_report: bool,
}

/// A limit of time; none for no limit.
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
        let paths = Paths::default().reads(&self.data).reads(self.reading.inputs());
        paths.writes(&self.searching.output).writes(&self.reporting.report)
    }
}

pub(crate) fn run(args: &AutoArgs, console: &Console) -> Result<()> {
    let options = args.reading.options()?;
    let path = args.data.as_deref().unwrap_or(Path::new("mutag"));
    let output = output(args, path)?;
    let reporting = args.reporting.clone().or_beside(&output, !args.searching.no_report);
    reporting.check()?;
    let data = match &args.data {
        Some(path) => read_data(path, &options, console)?,
        None => {
            console.note("no data given: the molecules of MUTAG, which are embedded");
            embedded::read("mutag", &options).unwrap_or_else(embedded::mutag)?
        }
    };
    let searching = &args.searching;
    check_protocol(&data, searching.protocol.as_ref())?;
    let settings = Settings {
        protocol: searching.protocol,
        score: searching.score,
        budget: searching.budget.0,
        sample: searching.sample,
        seed: console.seed,
    };
    let engine = console.engine()?;
    fit::check_some_target(path, &data)?;
    Model::check_savable(&data)?;
    let mut watch = |event: Event<'_>| {
        if let Event::Started { candidate, number, of } = event {
            console.status(format!("{number} of {of}: {} on {}", candidate.learner, candidate.kernel));
        }
    };
    let report = auto::run(&data, &settings, &engine, &mut watch).map_err(|e| in_data(path, e))?;
    let wait = console.waiting("fitting the best".into());
    let refit = report.refit(&data, &engine);
    drop(wait);
    let refit = refit.map_err(|e| in_file(path, e))?;
    let model = match options.index_base {
        Some(base) => refit.model.with_first_index(base),
        None => refit.model,
    };
    let refit = Refit { model, ..refit };
    refit.model.save(&output)?;
    console.line(format!("{BOLD}{}{BOLD:#}", introduce(&data)))?;
    show(&report, console)?;
    conclude(&report, &refit, &data, &output, console)?;
    let document = document(&report, &refit, args, &output, console.seed);
    if reporting.is_wanted() {
        let wait = console.waiting("looking at the best kernel for the report".into());
        let (kernel, learner) = (refit.model.expression(), refit.model.learner());
        let mut pictures = Figures::of(&data, kernel, learner, console.seed, &engine)?;
        drop(wait);
        if let Some(best) = report.trials.first() {
            pictures.predictions = Some(best.predictions.clone());
            pictures.search = best.map.clone();
        }
        let mut whole = document.clone();
        whole["data"] = path.display().to_string().into();
        whole["summary"] = insight::summary(&data);
        insight::note_figures(&mut whole, &pictures);
        reporting.write(console.whole_document("auto", whole), &engine, console)?;
    }
    console.document("auto", document)
}

/// The library knows no file.
fn in_data(path: &Path, error: Error) -> Error {
    match error {
        Error::Parse { code, reason, hint, .. } => {
            Error::Parse { place: Place::file(path), code, reason, hint }
        }
        other => in_file(path, other),
    }
}

/// Where the model goes. A file that is there already is not touched, unless asked to.
fn output(args: &AutoArgs, data: &Path) -> Result<PathBuf> {
    let beside = args.reporting.report.is_none() && !args.searching.no_report;
    let there = |path: &Path| !args.searching.force && path.symlink_metadata().is_ok();
    let taken = |path: &Path| {
        let report = path.with_extension("html");
        Some(path.to_owned()).filter(|p| there(p)).or_else(|| Some(report).filter(|r| beside && there(r)))
    };
    if let Some(path) = &args.searching.output {
        if let Some(taken) = taken(path) {
            return Err(Error::usage(format!("{} is there already: --force overwrites it", taken.display())));
        }
        return Ok(path.clone());
    }
    let name = data.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let stem =
        name.trim_start_matches('.').split('.').next().filter(|s| !s.is_empty()).unwrap_or("auto").to_owned();
    let numbered = (2u64..).map(|n| PathBuf::from(format!("{stem}-{n}.mercer")));
    let mut names = std::iter::once(PathBuf::from(format!("{stem}.mercer"))).chain(numbered);
    names.find(|path| taken(path).is_none()).ok_or_else(|| Error::usage("no name is free for the model"))
}

fn introduce(data: &Dataset) -> String {
    let aim = match data.target() {
        Some(Target::Classes(c)) => format!("{} classes", c.levels().len()),
        _ => "a number".into(),
    };
    let name = data.target_name().unwrap_or("target");
    format!("{} objects, {} columns; predicting {name}, {aim}", data.len(), data.columns().len())
}

/// A text cut to what a table can show.
fn short(text: &str) -> String {
    const MOST: usize = 52;
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        text.chars().take(MOST - 1).chain(['…']).collect()
    }
}

fn numbers(summary: &Summary) -> [String; 3] {
    let three = |v: Option<f64>| v.map_or_else(|| "–".into(), |v| format!("{v:.3}"));
    let interval = summary.interval.map_or_else(|| "–".into(), |i| format!("{:.3} … {:.3}", i.low, i.high));
    [three(summary.mean), three(summary.sd), interval]
}

fn p(outcome: Option<&auto::Outcome>) -> String {
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

/// Letters of a bar.
const BAR: usize = 10;

fn show(report: &Report, console: &Console) -> Result<()> {
    if report.used < report.objects {
        let text = format!("searched on {} of {} objects, chosen at random", report.used, report.objects);
        console.line(text)?;
    }
    // Bars from the baseline to the best, where somebody sees them; other programs read the columns.
    let bars = console.is_watched();
    let guess = report.guess.summary.mean;
    let best = report.trials.first().and_then(|t| t.summary.mean);
    let share = |mean: Option<f64>| match (mean, guess, best) {
        (Some(mean), Some(guess), Some(best)) if best != guess => (mean - guess) / (best - guess),
        _ => 0.0,
    };
    let mut table = Table::new(&[
        "kernel",
        "learner",
        if bars { "" } else { HIDDEN },
        ">mean",
        ">± sd",
        "95 % interval",
        ">p, baseline",
        ">p, best",
        ">seconds",
    ]);
    for (place, t) in report.trials.iter().enumerate() {
        let (kernel, learner) = t.typical();
        let [mean, sd, interval] = numbers(&t.summary);
        let row = vec![
            short(kernel),
            learner.to_owned(),
            bar(share(t.summary.mean), BAR),
            mean,
            sd,
            interval,
            p(t.against_guess.as_ref()),
            p(t.against_best.as_ref()),
            format!("{:.2}", t.seconds),
        ];
        table.row(row, if place == 0 { Look::Best } else { Look::Plain });
    }
    let [mean, sd, interval] = numbers(&report.guess.summary);
    let mut cells = vec![report.guess.name.into(), String::new(), String::new(), mean, sd, interval];
    cells.resize(9, String::new());
    table.row(cells, Look::Faint);
    console.line(table)?;
    console.line(format!(
        "{} over {}, parameters chosen inside by {}, those chosen most often shown; p adjusted, + better, - worse",
        report.score, report.protocol, report.inner
    ))?;
    for skipped in &report.skipped {
        let c = &skipped.candidate;
        console.line(format!(
            "not tried: {} on {}: {}",
            c.learner,
            short(&c.kernel.to_string()),
            skipped.why
        ))?;
    }
    report.warnings.iter().for_each(|w| console.warn(w));
    for (column, why) in &report.unused {
        console.warn(&Warning::new("W_UNUSED", format!("column '{column}' is not used: {why}")));
    }
    Ok(())
}

fn conclude(report: &Report, refit: &Refit, data: &Dataset, output: &Path, console: &Console) -> Result<()> {
    let verdict = report.verdict();
    console.line(format!("\n{}", verdict.sentences.join("\n")))?;
    let model = &refit.model;
    let test = data.test().map_or(0, |test| test.iter().filter(|t| **t).count());
    let learning = data.len() - test;
    let what = if test > 0 { "training objects" } else { "objects" };
    let all = if refit.objects == learning { "all " } else { "" };
    let worth = match verdict.learned {
        Some(false) => "; do not expect more of it than of the baseline",
        _ => "",
    };
    console.line(format!(
        "{BOLD}{}{BOLD:#}: {} on {}, its parameters chosen on {} {what} by {}, fitted to {all}{} {what}{worth}",
        output.display(),
        model.learner(),
        model.expression(),
        if report.used == data.len() { "all".into() } else { "some of the".to_owned() },
        report.inner,
        refit.objects
    ))?;
    if test > 0 {
        console.line(format!("the {test} objects of the test set have no part in it"))?;
    }
    if let Some(why) = &refit.why {
        console.line(format!("fitted to {} of {learning} {what} only: {why}", refit.objects))?;
    }
    if !refit.edges.is_empty() {
        let names = refit.edges.join(", ");
        console.note(format!("{names}: at the end of what was tried; a wider range may do better"));
    }
    let unfinished = model.machine().warnings();
    unfinished.iter().for_each(|w| console.warn(w));
    console.line(format!("Next: mercer predict {} NEW", output.display()))
}

fn document(report: &Report, refit: &Refit, args: &AutoArgs, output: &Path, seed: u64) -> Value {
    let verdict = report.verdict();
    let summary = |s: &Summary| {
        json!({
            "mean": s.mean, "sd": s.sd,
            "interval": s.interval.map(|i| json!({ "low": i.low, "high": i.high, "level": i.level, "method": i.method })),
        })
    };
    let with = |mut object: Value, s: &Summary| {
        object.as_object_mut().zip(summary(s).as_object()).into_iter().for_each(|(o, s)| {
            o.extend(s.iter().map(|(k, v)| (k.clone(), v.clone())));
        });
        object
    };
    let trial = |t: &Trial| {
        let (kernel, learner) = t.typical();
        let chosen: Vec<Value> = t.chosen.iter().map(|(k, l)| json!({ "kernel": k, "learner": l })).collect();
        let object = json!({
            "kernel": kernel, "learner": learner, "plain": t.candidate.plain, "reason": t.candidate.reason,
            "searched": { "kernel": t.candidate.kernel.to_string(), "learner": t.candidate.learner.to_string(), "cells": t.cells },
            "scores": t.scores, "chosen": chosen, "unconverged": t.unconverged, "seconds": t.seconds,
            "against_guess": t.against_guess, "against_best": t.against_best,
        });
        with(object, &t.summary)
    };
    let guess =
        with(json!({ "name": report.guess.name, "scores": report.guess.scores }), &report.guess.summary);
    let beyond = |m: &ByMeasure| {
        let (kernel, learner) = report.trials.get(m.trial).map_or(("", ""), Trial::typical);
        json!({
            "score": m.score.name(), "kernel": kernel, "learner": learner, "value": m.value, "baseline": m.baseline,
            "against_guess": m.outcome,
        })
    };
    let skipped = report.skipped.iter().map(|s| {
        json!({
            "kernel": s.candidate.kernel.to_string(), "learner": s.candidate.learner.to_string(),
            "reason": s.candidate.reason, "why": s.why,
        })
    });
    let unused = report.unused.iter().map(|(column, why)| json!({ "column": column, "why": why }));
    let budget = args.searching.budget.0.map(|d| d.as_secs_f64());
    json!({
        "data": args.data, "objects": report.objects, "used": report.used, "seed": seed,
        "score": report.score.name(), "greater_is_better": report.score.greater_is_better(),
        "protocol": report.protocol.to_string(), "inner": report.inner.to_string(), "pooled": report.pooled,
        "budget": budget, "seconds": report.searched,
        "guess": guess, "tried": report.trials.iter().map(trial).collect::<Vec<_>>(),
        "not_tried": skipped.collect::<Vec<_>>(), "unused": unused.collect::<Vec<_>>(),
        "warnings": report.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "verdict": {
            "beats_guess": verdict.beats_guess, "learned": verdict.learned, "beats_plain": verdict.beats_plain,
            "by_other_measures": report.beyond.iter().map(beyond).collect::<Vec<_>>(), "text": verdict.sentences.join(" "),
        },
        "model": {
            "output": output, "kernel": refit.model.expression().to_string(),
            "learner": refit.model.learner().to_string(), "objects": refit.objects, "at_edge": refit.edges,
            "why_not_all": refit.why,
        },
    })
}
