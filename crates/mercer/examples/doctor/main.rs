//! The doctor's confusion table: made faults in real data sets, and what it says about the data sets themselves.
//!
//! `cargo run --release --example doctor > docs/results/doctor.md` writes the page; `MERCER_DATA` names the folder of the
//! data sets. Sets that are not there are left out, and the page says which.

mod faults;
mod sets;

use std::time::Instant;

use mercer::doctor::{self, Finding};
use mercer::random::Random;

fn main() -> mercer::Result<()> {
    let (sets, absent) = sets::read_all();
    print!("{}", include_str!("heading.md"));
    println!(
        "Version {}. {} data sets were read; {} were not.\n",
        env!("CARGO_PKG_VERSION"),
        sets.len(),
        absent.len()
    );
    clean(&sets)?;
    planted(&sets)?;
    for (name, why) in absent {
        println!("Not read: {name} ({why}).");
    }
    Ok(())
}

/// Findings that follow from counting: they are true wherever they are reported.
const COUNTED: [&str; 7] =
    ["W_CONSTANT", "W_EMPTY_COLUMN", "W_IMBALANCE", "W_TWINS", "W_SPLIT_COPIES", "W_GROUPS", "W_NEAR_TWINS"];

fn clean(sets: &[sets::Set]) -> mercer::Result<()> {
    println!("## The data sets themselves\n");
    println!("| data set | objects | columns | findings | judged | seconds |\n|---|---|---|---|---|---|");
    let (mut alarms, mut wrong) = (0, 0);
    for set in sets {
        let started = Instant::now();
        let checkup = doctor::examine(&set.data)?;
        let seconds = started.elapsed().as_secs_f64();
        let judged = |f: &Finding| match COUNTED.contains(&f.code) {
            true => "counted",
            false
                if set
                    .faults
                    .iter()
                    .any(|(code, column)| *code == f.code && f.columns.iter().any(|c| c == column)) =>
            {
                "true"
            }
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
        let bad = words.iter().filter(|w| **w == "false alarm").count();
        alarms += bad;
        wrong += usize::from(bad > 0);
        println!(
            "| {} | {} | {} | {} | {} | {seconds:.2} |",
            set.name,
            set.data.len(),
            set.data.columns().len(),
            said.join("; "),
            words.join("; ")
        );
        let missed = set.faults.iter().filter(|(code, column)| {
            !checkup.findings.iter().any(|f| f.code == *code && f.columns.iter().any(|c| c == column))
        });
        missed.for_each(|(code, column)| println!("| {} | | | missed: {code} `{column}` | | |", set.name));
    }
    println!("\nFalse alarms: {alarms}, in {wrong} of {} data sets.\n", sets.len());
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
