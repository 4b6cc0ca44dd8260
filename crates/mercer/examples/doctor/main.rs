//! The doctor's confusion table: made faults in real data sets, and what it says about the data sets themselves.
//!
//! `cargo run --release --example doctor > docs/results/doctor.md` writes the page; `MERCER_DATA` names the folder of the
//! data sets. Sets that are not there are left out, and the page says which.

mod faults;
mod sets;

use std::time::Instant;

use mercer::data::{Categories, Dataset, Target, Values};
use mercer::doctor::{self, Finding};
use mercer::gram::Engine;
use mercer::random::Random;
use mercer::select::{Evaluate, Protocol};

fn main() -> mercer::Result<()> {
    let (sets, absent) = sets::read_all();
    print!("{}", include_str!("heading.md"));
    println!(
        "mercer {}, {}. {} data sets were read; {} were not.\n",
        env!("CARGO_PKG_VERSION"),
        computer(),
        sets.len(),
        absent.len()
    );
    clean(&sets)?;
    planted(&sets)?;
    innocent(&sets)?;
    wrong_labels(&sets)?;
    for (name, why) in absent {
        println!("Not read: {name} ({why}).");
    }
    Ok(())
}

/// The processor and the operating system.
fn computer() -> String {
    let facts = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = facts.lines().find_map(|line| line.strip_prefix("model name")?.split(':').nth(1));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (system, processor) = (std::env::consts::OS, model.unwrap_or(std::env::consts::ARCH).trim());
    let build = if cfg!(debug_assertions) { "with debug assertions" } else { "release" };
    format!("{build}, {processor}, {cores} cores, {system}")
}

/// Findings that follow from counting: they are true wherever they are reported.
const COUNTED: [&str; 7] =
    ["W_CONSTANT", "W_EMPTY_COLUMN", "W_IMBALANCE", "W_TWINS", "W_SPLIT_COPIES", "W_GROUPS", "W_NEAR_TWINS"];

/// False alarms, and why they are raised.
const EXPLAINED: [(&str, &str, &str); 1] = [(
    "categorical/adult/adult_train.csv.gz",
    "W_SENTINEL",
    "It stands for every gain above 41310 (a top code), so it is no measured value, but not a missing one either.",
)];

fn clean(sets: &[sets::Set]) -> mercer::Result<()> {
    let (mut rows, mut alarms) = (String::new(), Vec::new());
    for set in sets {
        let started = Instant::now();
        let checkup = doctor::examine(&set.data)?;
        let seconds = started.elapsed().as_secs_f64();
        let known = |f: &Finding| {
            let mut faults = set.faults.iter();
            faults.any(|(code, column)| *code == f.code && f.columns.iter().any(|c| c == column))
        };
        let judged = |f: &Finding| match COUNTED.contains(&f.code) {
            true => "counted",
            false if known(f) => "true",
            false => "false alarm",
        };
        let said: Vec<String> = checkup
            .findings
            .iter()
            .map(|f| match f.columns.as_slice() {
                [] => f.code.to_owned(),
                [one] => format!("{} `{one}`", f.code),
                [one, ..] => format!("{} `{one}`, … ({})", f.code, f.columns.len()),
            })
            .collect();
        let words: Vec<&str> = checkup.findings.iter().map(judged).collect();
        let wrong = checkup.findings.iter().filter(|f| judged(f) == "false alarm");
        alarms.extend(wrong.map(|f| (set.name, f.clone())));
        let (objects, columns) = (set.data.len(), set.data.columns().len());
        let (said, words) = (said.join("; "), words.join("; "));
        rows += &format!("| {} | {objects} | {columns} | {said} | {words} | {seconds:.2} |\n", set.name);
        let missed = set.faults.iter().filter(|(code, column)| {
            !checkup.findings.iter().any(|f| f.code == *code && f.columns.iter().any(|c| c == column))
        });
        missed.for_each(|(code, column)| {
            rows += &format!("| {} | | | missed: {code} `{column}` | | |\n", set.name);
        });
    }
    let mut wrong: Vec<&str> = alarms.iter().map(|(name, _)| *name).collect();
    wrong.dedup();
    println!("## False alarms: {}, in {} of {} data sets\n", alarms.len(), wrong.len(), sets.len());
    for (name, finding) in &alarms {
        let why = EXPLAINED.iter().find(|(set, code, _)| set == name && *code == finding.code);
        println!("* {name}: {} {}. {}", finding.code, finding.message, why.map_or("", |w| w.2));
    }
    println!("\n## The data sets themselves\n");
    println!("| data set | objects | columns | findings | judged | seconds |\n|---|---|---|---|---|---|");
    println!("{rows}");
    Ok(())
}

fn planted(sets: &[sets::Set]) -> mercer::Result<()> {
    println!("## Planted faults\n");
    println!("| fault | planted into | found | share | missed in |\n|---|---|---|---|---|");
    let (mut all, mut hits) = (0, 0);
    for (number, fault) in faults::FAULTS.iter().enumerate() {
        let (mut tried, mut missed) = (0, Vec::new());
        for (at, set) in sets.iter().enumerate().filter(|(_, s)| s.data.len() <= 6500) {
            let Some(data) = (fault.plant)(&set.data, &mut Random::derived(at as u64, number as u64)) else {
                continue;
            };
            tried += 1;
            if !fault.codes.iter().any(|code| doctor::examine(&data).is_ok_and(|c| c.has(code))) {
                missed.push(set.name);
            }
        }
        let found = tried - missed.len();
        (all, hits) = (all + tried, hits + found);
        println!(
            "| {} | {tried} | {found} | {:.0} % | {} |",
            fault.name,
            100.0 * found as f64 / tried.max(1) as f64,
            missed.join(", ")
        );
    }
    println!(
        "| all | {all} | {hits} | {:.1} % | |\n",
        100.0 * f64::from(hits as u32) / f64::from(all.max(1) as u32)
    );
    Ok(())
}

/// Columns that are no fault: how often they are called one.
fn innocent(sets: &[sets::Set]) -> mercer::Result<()> {
    println!("## Columns that are no fault\n");
    println!("| column | planted into | false alarms | raised in |\n|---|---|---|---|");
    for (number, fault) in faults::INNOCENT.iter().enumerate() {
        let (mut tried, mut raised) = (0, Vec::new());
        for (at, set) in sets.iter().enumerate().filter(|(_, s)| s.data.len() <= 6500) {
            let mut random = Random::derived(at as u64, 500 + number as u64);
            let Some(data) = (fault.plant)(&set.data, &mut random) else { continue };
            tried += 1;
            // The planted column is the last.
            let planted = data.columns().last().map(|c| c.name.clone()).unwrap_or_default();
            let alarmed = |f: &Finding| fault.codes.contains(&f.code) && f.columns.contains(&planted);
            if let Some(found) = doctor::examine(&data)?.findings.iter().find(|f| alarmed(f)) {
                raised.push(format!("{} ({})", set.name, found.code));
            }
        }
        println!("| {} | {tried} | {} | {} |", fault.name, raised.len(), raised.join(", "));
    }
    println!();
    Ok(())
}

/// Tables of numbers with classes, small enough for the repeated evaluation that suspects need.
fn is_small_table(data: &Dataset) -> bool {
    let numbers = data.columns().iter().all(|c| matches!(c.values, Values::Numbers(_)) && c.missing() == 0);
    numbers && (100..=800).contains(&data.len()) && matches!(data.target(), Some(Target::Classes(_)))
}

/// Labels changed on purpose: how many of the suspects are among them.
fn wrong_labels(sets: &[sets::Set]) -> mercer::Result<()> {
    println!("## Wrong labels (`W_LABELS`)\n");
    println!(
        "Tables of 100 to 800 objects whose columns are all numbers, as they are and with 5 % of the labels changed to another class."
    );
    println!(
        "Predictions are those of `standardize(rbf)` and `svc(C=10)` in three times 5-fold cross-validation.\n"
    );
    println!(
        "| data set | objects | suspects as it is | labels changed | suspects then | changed among them |"
    );
    println!("|---|---|---|---|---|---|");
    let engine = Engine::new();
    for (at, set) in sets.iter().enumerate().filter(|(_, set)| is_small_table(&set.data)) {
        let suspects = |data: &Dataset| -> mercer::Result<Vec<usize>> {
            let protocol = Protocol::Folds { folds: 5, repetitions: 3 };
            let settings = Evaluate { protocol, ..Evaluate::of(data)? };
            let (kernel, learner) = ("standardize(rbf)".parse()?, "svc(C=10)".parse()?);
            let report = settings.run(data, &kernel, &learner, &engine, None)?;
            // The finding lists twenty objects at most; its evidence counts them.
            let found = report.predictions.suspects();
            Ok(found.map(|f| f.objects).unwrap_or_default())
        };
        let Some(Target::Classes(c)) = set.data.target() else { continue };
        let mut random = Random::derived(at as u64, 900);
        let (n, levels) = (set.data.len(), c.levels().len());
        let changed = random.sample(n, n / 20);
        let code = |i: usize| c.code(i).unwrap_or(Categories::MISSING);
        let mut codes: Vec<u32> = (0..n).map(code).collect();
        for &i in &changed {
            codes[i] = (codes[i] + 1 + random.below(levels - 1) as u32) % levels as u32;
        }
        let noisy = Target::Classes(Categories::new(codes, c.levels().to_vec())?);
        let noisy = set.data.clone().with_target(set.data.target_name().unwrap_or("y"), noisy)?;
        let (before, after) = (suspects(&set.data)?, suspects(&noisy)?);
        let right = after.iter().filter(|i| changed.contains(i)).count();
        println!("| {} | {n} | {} | {} | {} | {right} |", set.name, before.len(), changed.len(), after.len());
    }
    println!("\nAt most twenty suspects are listed.\n");
    Ok(())
}
