//! Compared examples as text, Markdown and data.

use serde::Serialize;

use super::{ComparedExample, ComparedRow, WorkedSource};
use crate::sheet::{Page, ReportTable, Sheet, heading};

/// The values of a source compared with computed ones.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkedReport {
    /// The name of the study.
    pub kind: &'static str,
    /// The version of the serialised layout.
    pub version: u32,
    /// Authors, title and part of the source.
    pub source: &'static str,
    /// The title of the report: the source.
    pub title: &'static str,
    /// Every value.
    pub values: Vec<WorkedValue>,
    /// The number of printed values.
    pub printed: usize,
    /// The number of values of formulas for which the source prints none.
    pub formulas: usize,
    /// The number of values that deviate by more than their printed precision.
    pub disagree: usize,
    /// The values as tables.
    pub tables: Vec<ReportTable>,
    /// Notes on the tables.
    pub notes: Vec<String>,
    /// The main results in a few sentences.
    pub summary: Vec<String>,
}

/// A value of a source with its computed counterpart.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkedValue {
    /// The heading under which it appears in the source.
    pub place: &'static str,
    /// A description.
    pub what: &'static str,
    /// The name of its row.
    pub row: &'static str,
    /// Its column, from 1.
    pub column: usize,
    /// How it is computed.
    pub by: String,
    /// The printed value, if there is one.
    pub printed: Option<f64>,
    /// The value of the formula, where none is printed.
    pub formula: Option<f64>,
    /// The computed value.
    pub computed: f64,
    /// The absolute difference.
    pub deviation: f64,
    /// Whether both agree within the precision of the source.
    pub agrees: bool,
}

pub(super) fn result(source: &WorkedSource, compared: &[ComparedExample]) -> (Page, WorkedReport) {
    let count = |printed: bool, agree: bool| {
        let of = compared.iter().filter(|c| c.is_printed() == printed).flat_map(|c| &c.rows);
        of.flat_map(|row| &row.agrees).filter(|a| **a == agree).count()
    };
    let disagree = count(true, false) + count(false, false);
    let mut page = Page::default();
    if disagree == 0 {
        page.summary.push("0 values deviate by more than their printed precision.".into());
    } else {
        page.summary.push(format!("{disagree} values DEVIATE by more than their printed precision:"));
        for one in compared {
            for row in one.rows.iter().filter(|r| r.agrees.contains(&false)) {
                let (place, what) = (one.example.place, one.example.what);
                page.summary.push(format!(
                    "{place}: {what}, row {}, by {}",
                    row.name,
                    small(row.deviation())
                ));
            }
        }
    }
    page.summary.push(format!(
        "{} of {} printed values agree within half a unit of their last place; {} of {} values of formulas without \
         printed figures agree to 1e-9.",
        count(true, true),
        count(true, true) + count(true, false),
        count(false, true),
        count(false, true) + count(false, false),
    ));
    page.summary.push(format!("Source: {}.", source.citation));
    let recipe = |one: &ComparedExample| vec![format!("computed as: {}", one.example.quantity.recipe())];
    page.sheets = compared.iter().map(|one| (sheet(one), recipe(one))).collect();
    page.notes.push(
        "deviation: the largest difference between a printed value and Mercer's unrounded one; ! marks a value \
         that deviates by more than its printed precision"
            .into(),
    );
    page.notes.extend(source.remarks.iter().map(|remark| (*remark).to_owned()));
    let report = WorkedReport {
        kind: source.name,
        version: 1,
        source: source.citation,
        title: source.citation,
        values: compared.iter().flat_map(values).collect(),
        printed: count(true, true) + count(true, false),
        formulas: count(false, true) + count(false, false),
        disagree,
        tables: page.tables(),
        notes: page.notes.clone(),
        summary: page.summary.clone(),
    };
    (page, report)
}

fn sheet(one: &ComparedExample) -> Sheet {
    let against = if one.is_printed() { "printed" } else { "formula" };
    let mut rows = vec![heading(&format!("|{against}|mercer|deviation"))];
    let texts = |row: &ComparedRow, all: &[f64], marked: bool| -> Vec<String> {
        let mark = |c: usize| if marked && !row.agrees[c] { "!" } else { "" };
        all.iter().enumerate().map(|(c, v)| format!("{}{}", fixed(*v, row.decimals[c]), mark(c))).collect()
    };
    // One width for all rows, so that columns are aligned.
    let both =
        |row: &ComparedRow| [texts(row, &row.expected, false), texts(row, &row.computed, true)].concat();
    let width = one.rows.iter().flat_map(both).map(|t| t.chars().count()).max().unwrap_or(0);
    let joined =
        |texts: Vec<String>| texts.iter().map(|t| format!("{t:>width$}")).collect::<Vec<_>>().join(" ");
    rows.extend(one.rows.iter().map(|row| {
        let (expected, computed) = (texts(row, &row.expected, false), texts(row, &row.computed, true));
        vec![row.name.to_owned(), joined(expected), joined(computed), small(row.deviation())]
    }));
    let (place, what) = (one.example.place, one.example.what);
    Sheet { title: format!("{place}: {what}"), rows, names: 1 }
}

/// A number with the given number of decimals, never a negative zero.
fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let zero = text.chars().all(|c| "-0.".contains(c));
    if zero { text.trim_start_matches('-').to_owned() } else { text }
}

/// A deviation; 0 if it is only rounding.
fn small(deviation: f64) -> String {
    match deviation {
        d if d < 1e-9 => "0".into(),
        d => format!("{d:.4}"),
    }
}

fn values(one: &ComparedExample) -> Vec<WorkedValue> {
    let of = |row: &ComparedRow| {
        let each = |c: usize| WorkedValue {
            place: one.example.place,
            what: one.example.what,
            row: row.name,
            column: c + 1,
            by: one.example.quantity.recipe(),
            printed: one.is_printed().then_some(row.expected[c]),
            formula: (!one.is_printed()).then_some(row.expected[c]),
            computed: row.computed[c],
            deviation: (row.computed[c] - row.expected[c]).abs(),
            agrees: row.agrees[c],
        };
        (0..row.computed.len()).map(each).collect::<Vec<_>>()
    };
    one.rows.iter().flat_map(of).collect()
}
