//! What `mercer inspect` says about data: findings first, then the columns, the target and the first objects.

use mercer::Result;
use mercer::data::{Dataset, Target};
use mercer::doctor::{Checkup, Doctor};
use mercer::insight::{ColumnProfile, Contents, DataProfile, NumberRange, short};
use serde_json::{Value, json};

use super::super::{counted, in_file};
use super::InspectArgs;
use crate::console::{BOLD, Console, with_flags};
use crate::table::{RowStyle, Table, bars};

/// Columns listed one by one; more are summarised by kind.
const MOST_LISTED: usize = 40;
/// Columns shown of the first objects.
const MOST_CELLS: usize = 16;
/// Classes shown of a target.
const MOST_CLASSES: usize = 12;

pub(super) fn inspect(data: &Dataset, args: &InspectArgs, console: &Console) -> Result<()> {
    let doctor = Doctor { time: args.time.clone(), seed: console.seed, ..Doctor::default() };
    let checkup = doctor.examine(data).map_err(|e| in_file(&args.path, e))?;
    let profile = DataProfile::of(data)?;
    console.line(format!(
        "{BOLD}{}{BOLD:#}: {}, {}",
        args.path.display(),
        counted(data.len(), "object"),
        counted(data.columns().len(), "column")
    ))?;
    show_findings(&checkup, console)?;
    show_columns(&profile, console)?;
    let target = data.target().zip(data.target_name()).map(|(t, name)| describe_target(t, name));
    match &target {
        Some((text, _)) => console.line(format!("target {text}"))?,
        None => suggest(&profile, args, console)?,
    }
    if let (Some(groups), Some(name)) = (data.groups(), data.group_name()) {
        console.line(format!("groups {name}: {}", groups.levels().len()))?;
    }
    let split = data.test().map(|test| {
        let tested = test.iter().filter(|t| **t).count();
        (test.len() - tested, tested)
    });
    if let Some((train, test)) = split {
        console.line(format!("split: {train} training objects, {test} test objects"))?;
    }
    show_first(&profile, data, console)?;
    let columns: Vec<Value> = profile
        .columns
        .iter()
        .map(|column| {
            let mut facts = json!(column);
            facts["values"] = said(column, false).into();
            facts
        })
        .collect();
    console.document(
        "inspect",
        json!({
            "what": "data", "objects": data.len(), "findings": checkup.findings, "objects_examined": checkup.sampled,
            "columns": columns, "target": target.map(|(_, v)| v), "target_candidates": profile.candidates,
            "groups": data.group_name(), "split": split.map(|(train, test)| json!({"train": train, "test": test})),
            "first": profile.first.iter().map(|cells| cells.iter().cloned().map(|(k, v)| (k, Value::from(v))).collect::<Value>()).collect::<Vec<_>>(),
            "fingerprint": format!("{:032x}", data.fingerprint()), "warnings": data.warnings(),
        }),
    )
}

fn show_findings(checkup: &Checkup, console: &Console) -> Result<()> {
    if checkup.findings.is_empty() {
        return Ok(());
    }
    let of = match checkup.sampled < checkup.objects {
        true => format!(", statistics on {} objects chosen at random", checkup.sampled),
        false => String::new(),
    };
    console.line("")?;
    let mut table = Table::new(&["severity", "finding", &format!("what it is, and what to do{of}")]);
    for finding in &checkup.findings {
        let text = with_flags(&format!("{}; {}", finding.message, finding.advice));
        let style =
            if finding.severity == mercer::doctor::Severity::High { RowStyle::Best } else { RowStyle::Plain };
        table.row(vec![finding.severity.to_string(), finding.code.to_owned(), text], style);
    }
    console.table(table)?;
    console.line("")
}

fn show_columns(profile: &DataProfile, console: &Console) -> Result<()> {
    let mut table = Table::new(&["column", "kind", ">missing", "values"]);
    let row = |name: String, column: &ColumnProfile, missing: usize, values: String| {
        vec![name, column.kind.to_owned(), missing.to_string(), values]
    };
    if profile.columns.len() <= MOST_LISTED {
        for column in &profile.columns {
            table.row(row(column.name.clone(), column, column.missing, said(column, true)), RowStyle::Plain);
        }
        return console.table(table);
    }
    // By kind, in the order of their first columns.
    let mut kinds: Vec<(&str, Vec<&ColumnProfile>)> = Vec::new();
    for column in &profile.columns {
        match kinds.iter_mut().find(|k| k.0 == column.kind) {
            Some(known) => known.1.push(column),
            None => kinds.push((column.kind, vec![column])),
        }
    }
    for (_, columns) in kinds {
        if let [only] = columns.as_slice() {
            table.row(row(only.name.clone(), only, only.missing, said(only, true)), RowStyle::Plain);
            continue;
        }
        let missing = columns.iter().map(|c| c.missing).sum();
        let name = format!("{} columns: {}, {}, …", columns.len(), columns[0].name, columns[1].name);
        table.row(row(name, columns[0], missing, together(&columns)), RowStyle::Plain);
    }
    console.table(table)?;
    console.line("too many columns to list here; --json has them all")
}

/// Many columns of one kind in a few words.
fn together(columns: &[&ColumnProfile]) -> String {
    let gaps = columns.iter().filter(|c| c.missing > 0).max_by_key(|c| c.missing);
    let gaps = gaps.map_or_else(String::new, |most| {
        let with = columns.iter().filter(|c| c.missing > 0).count();
        format!("; {with} with missing values, most of all {} ({})", most.name, most.missing)
    });
    let ranges = || {
        columns.iter().filter_map(|c| {
            if let Contents::Numbers { range, .. } = &c.contents { range.as_ref() } else { None }
        })
    };
    match NumberRange::of(ranges().map(|r| r.median)) {
        Some(medians) => {
            let low = ranges().map(|r| r.min).fold(f64::INFINITY, f64::min);
            let high = ranges().map(|r| r.max).fold(f64::NEG_INFINITY, f64::max);
            let (low, high) = (short(low), short(high));
            format!(
                "{low} … {high}; medians {} {} … {}{gaps}",
                bars(&medians.histogram),
                short(medians.min),
                short(medians.max)
            )
        }
        None => gaps.trim_start_matches("; ").to_owned(),
    }
}

/// The values of a column in words, with a histogram for people.
fn said(column: &ColumnProfile, people: bool) -> String {
    column.described(|histogram| match people && histogram.len() > 1 {
        true => format!("{} ", bars(histogram)),
        false => String::new(),
    })
}

fn describe_target(target: &Target, name: &str) -> (String, Value) {
    match target {
        Target::Classes(classes) => {
            let mut counts = vec![0usize; classes.levels().len()];
            (0..classes.len()).filter_map(|i| classes.code(i)).for_each(|c| counts[c as usize] += 1);
            let pairs: Vec<_> = classes.levels().iter().zip(&counts).collect();
            let text: Vec<_> =
                pairs.iter().take(MOST_CLASSES).map(|(level, n)| format!("{level} {n}")).collect();
            let more = if pairs.len() > MOST_CLASSES { ", …" } else { "" };
            let classes =
                if pairs.len() == 1 { "1 class".to_owned() } else { format!("{} classes", pairs.len()) };
            let text = format!("{name}: {classes} ({}{more})", text.join(", "));
            let counts: serde_json::Map<_, _> =
                pairs.into_iter().map(|(l, n)| (l.clone(), json!(n))).collect();
            (text, json!({ "name": name, "kind": "classes", "counts": counts }))
        }
        Target::Numbers(values) => match NumberRange::of(values.iter().copied()) {
            None => (format!("{name}: no numbers"), json!({ "name": name, "kind": "numbers" })),
            Some(r) => {
                let (low, high) = (short(r.min), short(r.max));
                let text = format!(
                    "{name}: {} numbers from {low} to {high}, median {}",
                    bars(&r.histogram),
                    short(r.median)
                );
                let mut facts = json!(r);
                (facts["name"], facts["kind"]) = (name.into(), "numbers".into());
                (text, facts)
            }
        },
    }
}

/// Names columns that could be predicted.
fn suggest(profile: &DataProfile, args: &InspectArgs, console: &Console) -> Result<()> {
    match suggested(profile).filter(|_| !args.reading.ignores_target()) {
        Some(columns) => console.line(format!("no target: name the column to predict, such as {columns}")),
        None => console.line("no target"),
    }
}

/// The option for each column that could be predicted; none if there is none.
pub(crate) fn suggested(profile: &DataProfile) -> Option<String> {
    let quoted = |name: &str| match name.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c)) {
        true => name.to_owned(),
        false => format!("'{name}'"),
    };
    let named: Vec<String> =
        profile.candidates.iter().map(|c| format!("{} ({})", quoted(&c.name), c.what)).collect();
    (!named.is_empty()).then(|| format!("--target {}", named.join(", or ")))
}

fn show_first(profile: &DataProfile, data: &Dataset, console: &Console) -> Result<()> {
    if profile.first.is_empty() {
        return Ok(());
    }
    console.line("")?;
    for (i, cells) in profile.first.iter().enumerate() {
        let shown: Vec<String> =
            cells.iter().take(MOST_CELLS).map(|(name, value)| format!("{name}={value}")).collect();
        let more = if cells.len() > MOST_CELLS { ", …" } else { "" };
        let name = data.ids().map_or_else(|| format!("object {}", i + 1), |ids| format!("object {}", ids[i]));
        console.line(format!("{name}: {}{more}", shown.join(", ")))?;
    }
    Ok(())
}
