//! Names, numbers of rows and keys among the features, and columns that name groups.
//!
//! That the values of a column are all distinct says little: so are sequences, molecules and sentences. Only what is named
//! as an identifier or written as one ([`spelling`]) is called one.

use std::collections::HashSet;

use super::drift::says_time;
use super::spelling::written;
use super::view::{Cells, Feature, View};
use super::{Finding, Severity, counted, leave_out, percent};
use crate::data::{Categories, Dataset, Values};
use crate::error::shown;

/// The share of distinct values from which on a column may be a name.
const NEARLY_UNIQUE: f64 = 0.9;

/// Columns that identify objects, each with its finding.
pub(super) fn of(data: &Dataset, view: &View) -> Vec<(Vec<usize>, Finding)> {
    // A single column is the object itself.
    if data.columns().len() < 2 {
        return Vec::new();
    }
    let mut out = Vec::new();
    for feature in view.features.iter().filter(|f| f.whole) {
        let values = &data.columns()[feature.column].values;
        let found = match &feature.cells {
            Cells::Numbers(x) => numbered(&feature.name, x, data.len()),
            Cells::Codes(codes, _) => named(&feature.name, codes, values, view),
        };
        let Some((what, share)) = found else { continue };
        let known = (0..feature.cells.len()).filter(|&i| !feature.cells.is_missing(i)).count();
        let message = format!(
            "column '{}' {what}: {} of its {} are distinct",
            feature.name,
            percent(share),
            counted(known, "value")
        );
        let name = [feature.name.clone()];
        let id = match data.ids() {
            None if !feature.name.is_empty() && !feature.name.contains(['\'', ' ']) => {
                format!("; `id={}` uses it as the objects' names", feature.name)
            }
            _ => String::new(),
        };
        let advice = format!("a model can only learn it by heart: leave out with {}{id}", leave_out(&name));
        let finding = Finding::new("W_IDENTIFIER", Severity::Medium, message, advice)
            .columns(name)
            .evidence("distinct_share", share)
            .evidence("values", known as f64);
        out.push((vec![feature.column], finding));
    }
    out
}

/// Whether a name says that a column identifies objects.
fn says_identifier(name: &str) -> bool {
    let lower = name.trim().to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let camel = name.len() > 2 && (name.ends_with("Id") || name.ends_with("ID"));
    lower.is_empty()
        || camel
        || lower.starts_with("unnamed")
        || words.iter().any(|w| {
            [
                "id", "ids", "uid", "index", "idx", "uuid", "guid", "key", "row", "rownames", "serial", "nr",
                "no", "username", "email", "sku", "isbn", "doi",
            ]
            .contains(w)
        })
        || matches!(
            lower.as_str(),
            "name" | "names" | "instance" | "accession" | "record" | "passengerid" | "number"
        )
}

/// Whether a name says that a column holds what is to be learned from.
fn says_content(name: &str) -> bool {
    let lower = name.to_lowercase();
    [
        "smiles",
        "sequence",
        "seq",
        "dna",
        "rna",
        "protein",
        "peptide",
        "text",
        "message",
        "review",
        "comment",
        "title",
        "abstract",
        "body",
        "description",
        "inchi",
        "selfies",
        "date",
        "time",
    ]
    .iter()
    .any(|word| lower.contains(word))
}

/// Numbers of rows: whole, distinct, and either dense in their range or named so.
fn numbered(name: &str, x: &[f64], objects: usize) -> Option<(String, f64)> {
    let known: Vec<f64> = x.iter().copied().filter(|v| !v.is_nan()).collect();
    // Years ascend with the rows of many tables.
    let years = says_time(name) && known.iter().all(|v| (1000.0..=2200.0).contains(v));
    if known.len() < 20 || years || known.iter().any(|v| v.fract() != 0.0 || v.abs() > 9e15) {
        return None;
    }
    let mut sorted = known.clone();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (*sorted.first()?, *sorted.last()?);
    sorted.dedup();
    let share = sorted.len() as f64 / known.len() as f64;
    // A sample has a part of the numbers only.
    let density = sorted.len() as f64 / (high - low + 1.0) * objects as f64 / x.len() as f64;
    let ascending = x.windows(2).all(|w| w[0] < w[1]);
    // Ages and counts may be dense too, but neither begin where numbers of rows do nor are they as large as keys.
    let from_start = low == 0.0 || low == 1.0 || low >= 100.0;
    let sampled_rows = share == 1.0 && (density > 0.9 && from_start || ascending && density > 0.3);
    if sampled_rows {
        let order = if ascending { ", ascending with the rows" } else { "" };
        return Some((format!("numbers the objects ({low} to {high}{order})"), share));
    }
    (share > 0.98 && says_identifier(name)).then(|| ("is a key by its name".to_owned(), share))
}

/// Names and codes: texts that are nearly all distinct, and called or written as such. Other distinct texts, such as
/// sequences and sentences, are what is to be learned from.
fn named(name: &str, codes: &[u32], values: &Values, view: &View) -> Option<(String, f64)> {
    let known: Vec<u32> = codes.iter().copied().filter(|&c| c != Categories::MISSING).collect();
    if known.len() < 20 {
        return None;
    }
    let share = known.iter().collect::<HashSet<_>>().len() as f64 / known.len() as f64;
    if share < NEARLY_UNIQUE || says_content(name) {
        return None;
    }
    let texts: Vec<&str> = view.rows.iter().filter_map(|&i| text(values, i)).take(500).collect();
    if texts.iter().filter(|t| is_date_text(t)).count() * 2 > texts.len() {
        return None;
    }
    if says_identifier(name) {
        return Some(("holds names of the objects".into(), share));
    }
    let example = texts.first().map(|text| shown(text)).unwrap_or_default();
    let what = written(&texts).filter(|_| share > 0.95)?;
    Some((format!("holds another {what} for nearly every object, such as {example}"), share))
}

fn text(values: &Values, i: usize) -> Option<&str> {
    match values {
        Values::Categories(c) => c.get(i),
        Values::Strings(v) | Values::Text(v) => v[i].as_deref(),
        _ => None,
    }
}

/// Whether a text begins like a date: four digits, a mark, two digits, the same mark, two digits.
pub(super) fn is_date_text(text: &str) -> bool {
    let b = text.as_bytes();
    b.len() >= 10
        && (b[4] == b'-' || b[4] == b'/' || b[4] == b'.')
        && b[4] == b[7]
        && [0, 1, 2, 3, 5, 6, 8, 9].iter().all(|&i| b[i].is_ascii_digit())
}

/// The text of a whole feature at an object, for [`super::drift`].
pub(super) fn text_at<'d>(data: &'d Dataset, feature: &Feature, row: usize) -> Option<&'d str> {
    text(&data.columns()[feature.column].values, row)
}

/// Words for those who contribute several objects.
const MEMBERS: [&str; 22] = [
    "individual",
    "respondent",
    "student",
    "employee",
    "patient",
    "subject",
    "person",
    "participant",
    "user",
    "customer",
    "donor",
    "animal",
    "speaker",
    "client",
    "family",
    "household",
    "scaffold",
    "author",
    "driver",
    "batch",
    "session",
    "writer",
];

/// Columns that name groups, where the data has no groups.
pub(super) fn groups(data: &Dataset, view: &View) -> Vec<Finding> {
    if data.groups().is_some() {
        return Vec::new();
    }
    let mut out = Vec::new();
    for feature in view.features.iter().filter(|f| f.whole) {
        let lower = feature.name.to_lowercase();
        let words: Vec<&str> =
            lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
        let member = |word: &&str| {
            MEMBERS.iter().any(|m| {
                word.strip_prefix(m).is_some_and(|rest| matches!(rest, "" | "s" | "id" | "no" | "nr"))
            })
        };
        // What follows tells what of a member it is: the class of a patient is no patient.
        let said = words.iter().rposition(member).is_some_and(|at| {
            words[at + 1..].iter().all(|w| ["id", "ids", "no", "nr", "code", "key", "name"].contains(w))
        });
        let counts = ["number", "num", "count", "n"]
            .iter()
            .any(|word| lower.split(|c: char| !c.is_alphanumeric()).any(|w| w == *word));
        if !said || counts {
            continue;
        }
        let known: Vec<u32> =
            feature.codes().0.iter().copied().filter(|&c| c != Categories::MISSING).collect();
        let levels = known.iter().collect::<HashSet<_>>().len();
        if levels < 5 || known.len() < 2 * levels {
            continue;
        }
        let each = known.len() as f64 / levels as f64;
        let message = format!(
            "column '{}' has {levels} values with {each:.1} objects each: objects of one {lower} resemble each other, and \
             random splits put them into training and test sets",
            feature.name
        );
        let advice = format!("keep them together with `group={}`", feature.name);
        out.push(
            Finding::new("W_GROUP_COLUMN", Severity::Medium, message, advice)
                .columns([feature.name.clone()])
                .evidence("groups", levels as f64)
                .evidence("objects_per_group", each),
        );
    }
    out
}
