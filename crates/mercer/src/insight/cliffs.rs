//! Activity cliffs: pairs of molecules that are similar and whose targets differ.

use std::sync::Arc;

use serde::Serialize;

use crate::budget;
use crate::data::{Dataset, Dense, DrawStyle, Invariants, Molecule, Target, Values, environments};
use crate::error::Result;
use crate::gram::{Engine, Silent};
use crate::kernel::Tanimoto;
use crate::kernel::molecule::Ecfp;

/// Pairs of similar molecules with different targets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cliffs {
    /// What was compared, and how pairs are ranked.
    pub about: String,
    /// The column of molecules.
    pub column: String,
    /// The number of molecules that were compared.
    pub molecules: usize,
    /// The number of pairs that are similar enough and differ.
    pub found: usize,
    /// The steepest pairs, the steepest first.
    pub pairs: Vec<Cliff>,
}

/// A pair of similar molecules with different targets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cliff {
    /// Their Tanimoto similarity.
    pub similarity: f64,
    /// The difference of their numbers; none for classes.
    pub difference: Option<f64>,
    /// The two molecules; of numbers, the one with the smaller first.
    pub molecules: [CliffMolecule; 2],
}

/// A molecule of a pair.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CliffMolecule {
    /// Its id, or its number from 1.
    pub id: String,
    /// Its SMILES.
    pub smiles: String,
    /// Its class or number.
    pub target: String,
    /// Its image as SVG, unless it is too large; atoms of a kind that the other has not are in colour.
    pub svg: Option<String>,
}

/// The most molecules that are compared.
const MOST_COMPARED: usize = 5000;
/// Pairs listed.
const LISTED: usize = 10;
/// Pairs below this similarity are no cliffs.
const SIMILAR: f64 = 0.5;
/// Similarities above this count as this, so that pairs of equal fragments do not hide all others.
const ALIKE: f64 = 0.95;
/// Rows compared at once.
const AT_ONCE: usize = 128;

/// The activity cliffs of a data set with one column of molecules and a target; `None` for other data.
///
/// Pairs are similar from a Tanimoto (min–max) similarity of 0.5 of ECFP4 counts on. Of numbers they are ranked by the
/// structure–activity landscape index |y - y'| / (1 - similarity), with similarities above 0.95 taken as 0.95; of
/// classes by similarity, among pairs of different classes. Cost: one similarity per pair, for at most 5000 molecules.
///
/// R. Guha and J. H. Van Drie, *Structure–activity landscape index*, J. Chem. Inf. Model. 48, 2008.
pub(super) fn of(data: &Dataset, ids: &[String], engine: &Engine) -> Result<Option<Cliffs>> {
    let mut columns = data.columns().iter().filter_map(|c| match &c.values {
        Values::Molecules(all) => Some((&c.name, all)),
        _ => None,
    });
    let (Some((column, all)), None, Some(target)) = (columns.next(), columns.next(), data.target()) else {
        return Ok(None);
    };
    let labelled = |i: usize| match target {
        Target::Classes(classes) => classes.code(i).is_some(),
        Target::Numbers(y) => y[i].is_finite(),
    };
    let usable: Vec<usize> = (0..data.len()).filter(|&i| !all[i].is_empty() && labelled(i)).collect();
    let step = usable.len().div_ceil(MOST_COMPARED).max(1);
    let rows: Vec<usize> = usable.iter().copied().step_by(step).collect();
    let kernel = Tanimoto(Ecfp::new(2)?);
    let engine = engine.clone().with_progress(Arc::new(Silent));
    let molecules: Vec<Arc<Molecule>> = rows.iter().map(|&i| all[i].clone()).collect();
    let set = engine.prepare(&kernel, &molecules[..])?;
    let mut found = 0usize;
    // Steepness, similarity, and the two molecules.
    let mut best: Vec<(f64, f64, usize, usize)> = Vec::new();
    for start in (0..rows.len()).step_by(AT_ONCE) {
        budget::check()?;
        let part: Vec<Arc<Molecule>> = molecules[start..(start + AT_ONCE).min(rows.len())].to_vec();
        let own = engine.prepare(&kernel, &part[..])?;
        let cross: Dense = engine.cross_of(&kernel, &own, &set)?;
        for at in 0..part.len() {
            let i = start + at;
            for j in 0..i {
                let similarity = cross.at(at, j);
                if similarity < SIMILAR {
                    continue;
                }
                let steepness = match target {
                    Target::Numbers(y) => (y[rows[i]] - y[rows[j]]).abs() / (1.0 - similarity.min(ALIKE)),
                    Target::Classes(c) if c.code(rows[i]) != c.code(rows[j]) => similarity,
                    Target::Classes(_) => 0.0,
                };
                if steepness > 0.0 {
                    found += 1;
                    best.push((steepness, similarity, j, i));
                }
            }
        }
        best.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.2, a.3).cmp(&(b.2, b.3))));
        best.truncate(LISTED);
    }
    let side = |own: usize, other: usize| {
        let row = rows[own];
        CliffMolecule {
            id: ids.get(row).cloned().unwrap_or_else(|| (row + 1).to_string()),
            smiles: molecules[own].text().to_owned(),
            target: match target {
                Target::Classes(classes) => classes.get(row).unwrap_or("–").to_owned(),
                Target::Numbers(y) => y[row].to_string(),
            },
            svg: drawn(&molecules[own], &molecules[other]),
        }
    };
    let cliff = |&(_, similarity, i, j): &(f64, f64, usize, usize)| {
        let numbers = match target {
            Target::Numbers(y) => Some((y[rows[i]], y[rows[j]])),
            Target::Classes(_) => None,
        };
        let (i, j) = if numbers.is_some_and(|(a, b)| a > b) { (j, i) } else { (i, j) };
        let difference = numbers.map(|(a, b)| (a - b).abs());
        Cliff { similarity, difference, molecules: [side(i, j), side(j, i)] }
    };
    let ranked = match target {
        Target::Numbers(_) => "ranked by the difference of their numbers divided by 1 - similarity",
        Target::Classes(_) => "of different classes, ranked by similarity",
    };
    let compared = match rows.len() == usable.len() {
        true => format!("{} molecules", rows.len()),
        false => format!("{} of {} molecules", rows.len(), usable.len()),
    };
    Ok(Some(Cliffs {
        about: format!(
            "Pairs of {compared} with a Tanimoto similarity (ECFP4 counts) of at least {SIMILAR}, {ranked}."
        ),
        column: column.clone(),
        molecules: rows.len(),
        found,
        pairs: best.iter().map(cliff).collect(),
    }))
}

/// A molecule, with the atoms in colour of a kind that the other one has not.
fn drawn(own: &Molecule, other: &Molecule) -> Option<String> {
    let within = |m: &Molecule| environments(m, 0, Invariants::Connectivity);
    let known: std::collections::HashSet<u32> = within(other).iter().map(|e| e.code).collect();
    let mut atoms = vec![0.0; own.atoms().len()];
    for e in within(own).iter().filter(|e| !known.contains(&e.code)) {
        atoms[e.atom as usize] = 1.0;
    }
    own.to_svg(&DrawStyle { weights: Some((&atoms, &[])), bond: 24.0, ..DrawStyle::default() })
}
