//! Molecules: SMILES in columns of tables, and files of SMILES.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::text::{Fault, Text, shown};
use super::{MoleculeGroups, MoleculeOptions, Options, roles};
use crate::budget;
use crate::data::{
    Categories, Column, Dataset, Kind, Molecule, MoleculeError, ParsedMolecule, Values, butina, scaffolds,
    try_molecules,
};
use crate::error::{Code, Error, Place, Result, Warning};

/// The name of the column of a file of SMILES.
const SMILES: &str = "smiles";
/// The values of a column that show what it holds.
const SAMPLE: usize = 200;
/// Fewer distinct values than this show nothing, unless the name does.
const FEW: usize = 10;

/// Replaces columns of SMILES by molecules: those declared as such, and those that are recognised.
pub(super) fn in_columns(data: Dataset, file: &Path, options: &Options) -> Result<Dataset> {
    let data = converted(data, file, options)?;
    match options.molecules.group_by {
        Some(by) => grouped(data, file, by),
        None => Ok(data),
    }
}

/// The objects with groups of similar molecules.
fn grouped(data: Dataset, file: &Path, by: MoleculeGroups) -> Result<Dataset> {
    let refused = |reason: &str| Err(Error::parse(Place::file(file), Code::Column, reason));
    if data.groups().is_some() {
        return refused("groups are given by a column and by the molecules: choose one of them");
    }
    let molecules = data.columns().iter().find_map(|c| match &c.values {
        Values::Molecules(all) => Some(all.clone()),
        _ => None,
    });
    let Some(molecules) = molecules else { return refused("groups of molecules need a column of SMILES") };
    let (name, groups) = match by {
        MoleculeGroups::Scaffold => ("scaffold", scaffolds(&molecules)?),
        MoleculeGroups::Butina { cutoff } => {
            let numbers = butina(&molecules, cutoff)?;
            ("cluster", numbers.into_iter().map(|number| number.to_string()).collect())
        }
    };
    let warnings = data.warnings().to_vec();
    let groups = Categories::from_values(groups.iter().map(|g| Some(g.as_str())));
    Ok(data.with_groups(name, groups)?.with_warnings(warnings))
}

/// The data set with its SMILES as molecules.
fn converted(data: Dataset, file: &Path, options: &Options) -> Result<Dataset> {
    let mut warnings = data.warnings().to_vec();
    let before = warnings.len();
    let mut chosen: Vec<usize> = Vec::new();
    for (at, column) in data.columns().iter().enumerate() {
        let is_one = match options.kinds.get(&column.name) {
            Some(kind) => *kind == Kind::Molecules && texts(&column.values).is_some(),
            None => match recognised(column) {
                Recognised::Yes => true,
                Recognised::No => false,
                // Whoever wants invalid ones left out has molecules.
                Recognised::Nearly { .. } if options.molecules.skip_invalid => true,
                Recognised::Nearly { valid, all, other } => {
                    let (name, kind) = (&column.name, column.values.kind());
                    let message = format!(
                        "{name}: {valid} of the first {all} values are SMILES, {} is none; read as {kind}, \
                         `type={name}=molecules` with `skip-invalid` reads the others",
                        shown(&other)
                    );
                    warnings.push(Warning::new("W_MIXED", message));
                    false
                }
            },
        };
        if is_one {
            chosen.push(at);
        }
    }
    if chosen.is_empty() {
        return Ok(if warnings.len() > before { data.with_warnings(warnings) } else { data });
    }
    let mut columns = data.columns().to_vec();
    let mut invalid = vec![false; data.len()];
    for at in chosen {
        let name = columns[at].name.clone();
        let Some(all) = texts(&columns[at].values) else { continue };
        let parsed = parse_all(&all, &options.molecules)?;
        let mut molecules = Vec::with_capacity(parsed.len());
        for (row, one) in parsed.into_iter().enumerate() {
            molecules.push(match one {
                Ok(molecule) => molecule,
                Err(_) if options.molecules.skip_invalid => {
                    invalid[row] = true;
                    Arc::default()
                }
                Err(error) => return Err(refused(file, row, &name, all[row].unwrap_or_default(), &error)),
            });
        }
        warnings.extend(noticed(&molecules, &name, "row")?);
        columns[at].values = Values::Molecules(molecules);
    }
    let kept: Vec<usize> = (0..invalid.len()).filter(|&row| !invalid[row]).collect();
    let data = data.with_columns(columns)?;
    if kept.len() == invalid.len() {
        return Ok(data.with_warnings(warnings));
    }
    warnings.push(skipped(
        "row",
        invalid.iter().enumerate().filter(|(_, bad)| **bad).map(|(row, _)| row + 1),
        invalid.len(),
    ));
    if kept.is_empty() {
        return Err(Error::parse(Place::file(file), Code::Molecule, "no row has a SMILES that can be read"));
    }
    Ok(data.keep(&kept).with_warnings(warnings))
}

/// The texts of a column that may hold SMILES.
fn texts(values: &Values) -> Option<Vec<Option<&str>>> {
    match values {
        Values::Strings(all) | Values::Text(all) => Some(all.iter().map(Option::as_deref).collect()),
        Values::Categories(all) => Some((0..all.len()).map(|i| all.get(i)).collect()),
        _ => None,
    }
}

/// Whether a column holds SMILES.
enum Recognised {
    Yes,
    No,
    /// Nearly all of its first values do, or some of them in a column whose name says so.
    Nearly {
        valid: usize,
        all: usize,
        other: String,
    },
}

impl From<bool> for Recognised {
    fn from(yes: bool) -> Self {
        if yes { Recognised::Yes } else { Recognised::No }
    }
}

/// Whether a column without declared type holds SMILES.
///
/// A name that says so is believed if half of the first values can be read: the others are then errors of the file. If
/// fewer can, the column is left as it is, but not silently.
/// Without it, all of the first values must be readable, and half of them must have bonds, branches, rings or aromatic
/// atoms, so that codes such as `CON` or `NO` remain what they are. Where nine tenths can be read, the column is left as
/// it is, but not silently.
fn recognised(column: &Column) -> Recognised {
    let Some(all) = texts(&column.values) else { return Recognised::No };
    let mut sample: Vec<&str> = Vec::new();
    for text in all.into_iter().flatten() {
        if sample.len() == SAMPLE {
            break;
        }
        if !sample.contains(&text) {
            sample.push(text);
        }
    }
    if sample.is_empty() {
        return Recognised::No;
    }
    let readable = |text: &&&str| text.parse::<Molecule>().is_ok();
    if column.name.to_lowercase().contains(SMILES) {
        let valid = sample.iter().filter(readable).count();
        let other = sample.iter().find(|text| !readable(text));
        return match other {
            Some(other) if valid > 0 && 2 * valid < sample.len() => {
                Recognised::Nearly { valid, all: sample.len(), other: (*other).to_owned() }
            }
            _ => (2 * valid >= sample.len()).into(),
        };
    }
    let structured = |text: &&&str| text.contains(['=', '#', '(', '[', '1', 'c', '.']);
    if sample.len() < FEW || 2 * sample.iter().filter(structured).count() < sample.len() {
        return Recognised::No;
    }
    // The first values that cannot be read end the search of a column of other texts.
    let (mut valid, mut other) = (0, None);
    for (i, text) in sample.iter().enumerate() {
        match readable(&text) {
            true => valid += 1,
            false if 10 * (i + 1 - valid) > sample.len() => return Recognised::No,
            false => drop(other.get_or_insert_with(|| (*text).to_owned())),
        }
    }
    match other {
        None => Recognised::Yes,
        Some(other) => Recognised::Nearly { valid, all: sample.len(), other },
    }
}

/// Parses texts on all cores; a missing or empty one is a molecule without atoms.
fn parse_all(texts: &[Option<&str>], options: &MoleculeOptions) -> Result<Vec<ParsedMolecule>> {
    let mut parsed = try_molecules(texts)?;
    if options.largest_fragment {
        for molecule in parsed.iter_mut().flatten().filter(|m| m.text().contains('.')) {
            budget::check_often()?;
            *molecule = Arc::new(molecule.largest_fragment());
        }
    }
    Ok(parsed)
}

/// The error for a SMILES that cannot be read, with a caret below the place.
fn refused(file: &Path, row: usize, column: &str, text: &str, error: &MoleculeError) -> Error {
    let shown = error.with_caret(text.trim()).replace('\n', "\n  ");
    let reason = format!("row {}, column '{column}': {error}\n  {shown}", row + 1);
    Error::parse(Place::file(file), Code::Molecule, reason).with_hint(format!(
        "correct it, leave such rows out with `skip-invalid`, or read the column as text with `type={column}=strings`"
    ))
}

/// A warning about objects that were left out; `what` they are: rows, lines, molecules.
pub(super) fn skipped(what: &str, rows: impl Iterator<Item = usize> + Clone, all: usize) -> Warning {
    let count = rows.clone().count();
    let some: Vec<String> = rows.take(5).map(|row| row.to_string()).collect();
    let more = if count > 5 { ", …" } else { "" };
    let message = format!(
        "{count} of {all} {what}s left out: they are no valid molecules ({what} {}{more})",
        some.join(", ")
    );
    Warning::new("W_INVALID", message)
}

/// Warnings about mixtures and copies; `what` the molecules are in: rows, or themselves.
pub(super) fn noticed(molecules: &[Arc<Molecule>], column: &str, what: &str) -> Result<Vec<Warning>> {
    let mixed: Vec<usize> = (0..molecules.len()).filter(|&i| molecules[i].text().contains('.')).collect();
    let mixtures = mixed.first().map(|first| {
        let message = format!(
            "'{column}': {} of {} molecules have several parts, as salts do ({what} {} first); `largest-fragment` keeps \
             the largest part of each",
            mixed.len(),
            molecules.len(),
            first + 1
        );
        Warning::new("W_MIXTURES", message)
    });
    Ok(mixtures.into_iter().chain(duplicates(molecules, column, what)?).collect())
}

/// A warning about molecules that occur more than once, in whatever notation.
fn duplicates(molecules: &[Arc<Molecule>], column: &str, what: &str) -> Result<Option<Warning>> {
    // Molecules with different neighbourhoods are different; only the others need their canonical form.
    let key = |molecule: &Arc<Molecule>| -> Result<Vec<u32>> {
        budget::check_often()?;
        let all = mercer_molecules::environments(molecule, 2, mercer_molecules::Invariants::Connectivity);
        let mut codes: Vec<u32> = all.iter().map(|e| e.code).collect();
        codes.sort_unstable();
        Ok(codes)
    };
    let keys: Vec<Result<Vec<u32>>> = molecules.par_iter().map(budget::carried(key)).collect();
    let keys = keys.into_iter().collect::<Result<Vec<_>>>()?;
    let mut similar: HashMap<&[u32], Vec<usize>> = HashMap::new();
    for (row, key) in keys.iter().enumerate().filter(|(_, key)| !key.is_empty()) {
        similar.entry(key).or_default().push(row);
    }
    let mut twins: Vec<(usize, usize)> = Vec::new();
    for rows in similar.values().filter(|rows| rows.len() > 1) {
        // Equal texts are equal molecules; only different ones need their canonical form.
        let mut texts: HashMap<&str, usize> = HashMap::new();
        for &row in rows {
            match texts.get(molecules[row].text()) {
                Some(&first) => twins.push((first, row)),
                None => {
                    texts.insert(molecules[row].text(), row);
                }
            }
        }
        if texts.len() < 2 {
            continue;
        }
        let mut different: Vec<usize> = texts.into_values().collect();
        different.sort_unstable();
        let mut forms: HashMap<String, usize> = HashMap::new();
        for row in different {
            budget::check_often()?;
            let first = *forms.entry(molecules[row].canonical()).or_insert(row);
            if first != row {
                twins.push((first, row));
            }
        }
    }
    let copies = twins.len();
    twins.sort_unstable_by_key(|(_, row)| *row);
    let Some((first, row)) = twins.first() else { return Ok(None) };
    let message = format!(
        "'{column}': {copies} of {} molecules are copies of an earlier one, whatever their notation and \
         stereochemistry ({what} {} and {what} {} first)",
        molecules.len(),
        first + 1,
        row + 1
    );
    Ok(Some(Warning::new("W_DUPLICATES", message)))
}

/// Reads a file of SMILES: one per line, optionally followed by white space and a name.
pub(super) fn read(text: &Text<'_>, options: &Options) -> Result<Dataset> {
    let all = text.as_str();
    let mut lines: Vec<(usize, &str, &str)> = Vec::new();
    let mut start = 0;
    for line in all.split_inclusive('\n') {
        let offset = start + (line.len() - line.trim_start().len());
        start += line.len();
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (smiles, name) = line.split_once([' ', '\t', ',']).unwrap_or((line, ""));
        lines.push((offset, smiles, name.trim()));
    }
    // A first line that names its columns.
    if lines.first().is_some_and(|(_, first, _)| first.to_lowercase().contains(SMILES)) {
        lines.remove(0);
    }
    if lines.is_empty() {
        return Err(text.error(Fault::new(0, Code::Empty, "no molecules")));
    }
    let role = roles::assign(&[SMILES.to_owned()], options, &Place::file(text.place(0).file))?;
    if role != [roles::Role::Feature] {
        return Err(text.error(
            Fault::new(0, Code::Column, "a file of SMILES has no other columns, and no target")
                .hint("use a table with a column of SMILES"),
        ));
    }
    let texts: Vec<Option<&str>> = lines.iter().map(|(_, smiles, _)| Some(*smiles)).collect();
    let (mut molecules, mut names, mut invalid) = (Vec::new(), Vec::new(), Vec::new());
    for (at, one) in parse_all(&texts, &options.molecules)?.into_iter().enumerate() {
        let (offset, smiles, name) = lines[at];
        match one {
            Ok(molecule) => {
                molecules.push(molecule);
                names.push(name.to_owned());
            }
            Err(_) if options.molecules.skip_invalid => {
                invalid.push(at + 1);
                molecules.push(Arc::default());
                names.push(name.to_owned());
            }
            Err(error) => {
                let shown = error.with_caret(smiles).replace('\n', "\n  ");
                let reason = format!("{error}\n  {shown}");
                return Err(text.error(
                    Fault::new(offset + error.at.min(smiles.len()), Code::Molecule, reason)
                        .hint("correct it, or leave such lines out with `skip-invalid`"),
                ));
            }
        }
    }
    if invalid.len() == molecules.len() {
        return Err(text.error(Fault::new(0, Code::Molecule, "no line has a SMILES that can be read")));
    }
    let kept: Vec<usize> = (0..lines.len()).filter(|at| invalid.binary_search(&(at + 1)).is_err()).collect();
    let valid: Vec<_> = kept.iter().map(|&at| molecules[at].clone()).collect();
    let mut warnings = noticed(&valid, SMILES, "molecule")?;
    let mut data = Dataset::new(vec![Column::new(SMILES, Values::Molecules(molecules))])?;
    if !invalid.is_empty() {
        warnings.push(skipped("line", invalid.iter().copied(), lines.len()));
        data = data.keep(&kept);
        names = kept.iter().map(|&at| names[at].clone()).collect();
    }
    let distinct: std::collections::HashSet<&String> = names.iter().collect();
    if distinct.len() == names.len() && !names.iter().any(String::is_empty) {
        data = data.with_ids(names)?;
    }
    let data = data.with_warnings(warnings);
    match options.molecules.group_by {
        Some(by) => grouped(data, &text.place(0).file, by),
        None => Ok(data),
    }
}

#[cfg(test)]
#[path = "molecules/tests.rs"]
mod tests;
