//! Explanations of predictions, for `mercer predict --explain`.

use std::path::Path;

use clap::ValueEnum;
use mercer::Result;
use mercer::data::{Dataset, Molecule, Theme, Values};
use mercer::model::{
    Contribution, ExplainBy, Explained, Explanation, NearMolecule, ObjectEvidence, StructureWeights,
};
use serde_json::{Value, json};

use crate::console::BOLD;
use crate::table::{RowStyle, Table};

/// Occurrences listed for each feature.
const PLACES: usize = 4;

/// What explanations are by, as an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ByName {
    Features,
    Columns,
    Objects,
    Parts,
}

impl ByName {
    pub(crate) fn by(wanted: Option<Self>) -> ExplainBy {
        match wanted {
            None => ExplainBy::Any,
            Some(ByName::Features) => ExplainBy::Features,
            Some(ByName::Columns) => ExplainBy::Columns,
            Some(ByName::Objects) => ExplainBy::SupportObjects,
            Some(ByName::Parts) => ExplainBy::Parts,
        }
    }
}

/// What people have to know about explanations.
pub(super) fn note(explained: &Explained) -> Option<String> {
    match explained.by {
        ExplainBy::Columns | ExplainBy::Parts => {
            explained.note.as_ref().map(|note| format!("explained {note}"))
        }
        ExplainBy::SupportObjects => Some("predictions are explained by support objects".to_owned()),
        _ => None,
    }
}

/// One block per object: the prediction, and the features with the largest contributions.
pub(super) fn text(
    explanations: &[Explanation],
    nearest: Option<&[Vec<NearMolecule>]>,
    by: ExplainBy,
    data: &Dataset,
    width: usize,
) -> String {
    let by_columns = matches!(by, ExplainBy::Columns | ExplainBy::Parts);
    let is_estimated = explanations.iter().flat_map(|why| &why.parts).any(|part| part.error.is_some());
    let (heading, others, offset): (&[&str], _, _) = match by {
        ExplainBy::SupportObjects => (
            &[">contribution", ">share", "support object", ">weight", ">similarity"],
            "all other support objects",
            "intercept",
        ),
        ExplainBy::Columns if is_estimated => {
            (&[">contribution", ">± standard error", "column"], "all other columns", "mean of the background")
        }
        ExplainBy::Columns => (&[">contribution", "column"], "all other columns", "mean of the background"),
        ExplainBy::Parts if is_estimated => {
            (&[">contribution", ">± standard error", "part"], "all other parts", "every part hidden")
        }
        ExplainBy::Parts => (&[">contribution", "part"], "all other parts", "every part hidden"),
        _ => (&[">contribution", "feature", ">weight", ">count", "where"], "all other features", "intercept"),
    };
    let mut out = String::new();
    for (i, why) in explanations.iter().enumerate() {
        let who = data.ids().map_or_else(|| format!("object {}", i + 1), |ids| ids[i].clone());
        let what = why.class.as_ref().map_or_else(String::new, |class| format!("{class}, "));
        let mut table = Table::new(heading);
        for part in &why.parts {
            let mut cells = vec![signed(part.amount)];
            if by_columns {
                cells.extend(is_estimated.then(|| format!("{:.4}", part.error.unwrap_or(0.0))));
                cells.push(part.feature.clone());
            } else if let Some(share) = part.share {
                cells.push(percent(share));
                cells.extend([part.feature.clone(), signed(part.weight), short(part.count)]);
            } else {
                cells.extend([part.feature.clone(), signed(part.weight), short(part.count), places(part)]);
            }
            table.row(cells, RowStyle::Plain);
        }
        let faint = |amount: f64, name: &str| {
            let gap = (is_estimated || by == ExplainBy::SupportObjects).then(String::new);
            std::iter::once(signed(amount)).chain(gap).chain([name.to_owned()]).collect::<Vec<_>>()
        };
        if why.rest != 0.0 || !by_columns {
            table.row(faint(why.rest, others), RowStyle::Faint);
        }
        table.row(faint(why.offset, offset), RowStyle::Faint);
        let gap = if i > 0 { "\n" } else { "" };
        out.push_str(&format!("{gap}{BOLD}{who}{BOLD:#}: {what}{:+.4}\n", why.value));
        for structure in &why.structures {
            if let Some(molecule) = molecule_of(data, &structure.column, i) {
                out.push_str(&marked(molecule, structure, why.parts.len().max(3), width));
            } else if let Ok(Values::Series(_)) = data.column(&structure.column).map(|c| &c.values) {
                let line = stretches(&structure.nodes, why.parts.len().max(3));
                out.push_str(&format!("{}\n", crate::wrap::wrap(&line, width.max(20), 2).join("\n")));
            }
        }
        out.push_str(&format!("{}\n", table.fit(width)));
        if let Some(evidence) = &why.evidence {
            for line in told(evidence) {
                out.push_str(&format!("{}\n", crate::wrap::wrap(&line, width.max(20), 2).join("\n")));
            }
        }
        if let Some(near) = nearest.and_then(|all| all.get(i)).filter(|near| !near.is_empty()) {
            out.push_str(&format!("{}\n", neighbours(near).fit(width)));
        }
    }
    out
}

/// How many training objects speak for and against a prediction, and the nearest one of another class.
fn told(evidence: &ObjectEvidence) -> Vec<String> {
    let objects = |count: usize| super::counted(count, "object");
    let mut lines = vec![format!(
        "for it: {} with {}; against it: {} with {}",
        objects(evidence.objects_for),
        percent(evidence.share_for).trim_start_matches('+'),
        objects(evidence.objects_against),
        percent(evidence.share_against).trim_start_matches('+'),
    )];
    if let Some(other) = &evidence.other_class {
        let differs = match other.differs.is_empty() {
            true => String::new(),
            false => format!(": {}", other.differs.join(", ")),
        };
        lines.push(format!(
            "nearest object of another class: {}, {}, at distance {:.4}{differs}",
            other.name, other.class, other.distance
        ));
    }
    lines
}

/// A share with its sign.
fn percent(share: f64) -> String {
    format!("{:+.1} %", 100.0 * share)
}

/// A number with its sign; what rounds to zero has a plus.
fn signed(value: f64) -> String {
    let text = format!("{value:+.4}");
    if text == "-0.0000" { "+0.0000".to_owned() } else { text }
}

/// A molecule of a column.
pub(super) fn molecule_of<'d>(data: &'d Dataset, column: &str, i: usize) -> Option<&'d Molecule> {
    match &data.column(column).ok()?.values {
        Values::Molecules(all) => all.get(i).map(AsRef::as_ref),
        _ => None,
    }
}

/// The SMILES with the sign of strong atoms below them, and the strongest atoms. Each atom has half of its bonds, so that
/// the atoms add up to the contributions of all features on the molecule.
fn marked(molecule: &Molecule, structure: &StructureWeights, most: usize, width: usize) -> String {
    let mut weights = structure.nodes.clone();
    for (bond, weight) in molecule.bonds().iter().zip(&structure.edges) {
        for atom in bond.atoms {
            if let Some(own) = weights.get_mut(atom as usize) {
                *own += weight / 2.0;
            }
        }
    }
    let largest = weights.iter().fold(0.0f64, |m, w| m.max(w.abs()));
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.sort_by(|&a, &b| weights[b].abs().total_cmp(&weights[a].abs()).then(a.cmp(&b)));
    let strong: Vec<usize> =
        order.into_iter().filter(|&a| weights[a].abs() >= 0.25 * largest && largest > 0.0).collect();
    let mut out = String::new();
    // The text has the atoms in their order, unless the molecule was changed after it was read.
    let text = molecule.text();
    let again: Option<Molecule> = text.parse().ok();
    let same = |other: &Molecule| {
        other.atoms().len() == molecule.atoms().len()
            && other.atoms().iter().zip(molecule.atoms()).all(|(a, b)| a.element == b.element)
            && text.is_ascii()
    };
    let mut marks = vec![b' '; text.len()];
    if let Some(again) = again.filter(same) {
        for &atom in &strong {
            if let Some(mark) = marks.get_mut(again.atoms()[atom].at as usize) {
                *mark = if weights[atom] > 0.0 { b'+' } else { b'-' };
            }
        }
    }
    let width = width.max(20);
    let (characters, marks) =
        (text.chars().collect::<Vec<_>>(), String::from_utf8_lossy(&marks).into_owned());
    let marks: Vec<char> = marks.chars().collect();
    for start in (0..characters.len()).step_by(width) {
        let piece = |all: &[char]| all.iter().skip(start).take(width).collect::<String>();
        out.push_str(&format!("{}\n", piece(&characters)));
        let below = piece(&marks);
        if !below.trim().is_empty() {
            out.push_str(&format!("{}\n", below.trim_end()));
        }
    }
    let name = |&a: &usize| format!("{}{} {:+.4}", molecule.symbol(a), a, weights[a]);
    let named: Vec<String> = strong.iter().take(most).map(name).collect();
    if !named.is_empty() {
        let line = format!("atoms: {}", named.join(", "));
        out.push_str(&format!("{}\n", crate::wrap::wrap(&line, width, 2).join("\n")));
    }
    out
}

/// The stretches of a series with the largest contributions: time steps of one sign with a quarter of the largest weight.
fn stretches(weights: &[f64], most: usize) -> String {
    let largest = weights.iter().fold(0.0f64, |m, w| m.max(w.abs()));
    let sign = |w: &f64| if w.abs() < 0.25 * largest || *w == 0.0 { 0.0 } else { w.signum() };
    let (mut all, mut start) = (Vec::new(), 0);
    for same in weights.chunk_by(|a, b| sign(a) == sign(b)) {
        let end = start + same.len();
        if sign(&same[0]) != 0.0 {
            all.push((start, end, same.iter().sum::<f64>()));
        }
        start = end;
    }
    all.sort_by(|a, b| b.2.abs().total_cmp(&a.2.abs()).then(a.0.cmp(&b.0)));
    let shown = all.iter().take(most).map(|(start, end, sum)| format!("{start}-{} {sum:+.4}", end - 1));
    format!("time steps: {}", shown.collect::<Vec<_>>().join(", "))
}

/// The nearest training molecules of an object.
fn neighbours(near: &[NearMolecule]) -> Table {
    let mut table = Table::new(&[">similarity", "nearest training molecule", ">target", "SMILES"]);
    for one in near {
        let id = one.id.clone().unwrap_or_else(|| format!("object {}", one.index + 1));
        let target = one.target.clone().unwrap_or_default();
        table.row(vec![format!("{:.3}", one.similarity), id, target, one.smiles.clone()], RowStyle::Plain);
    }
    table
}

/// The images of molecules, series and images with coloured parts: of each object, with its column.
pub(super) fn images(why: &Explanation, data: &Dataset, i: usize, theme: Theme) -> Vec<(String, String)> {
    let draw = |s: &StructureWeights| Some((s.column.clone(), s.draw(data, i, theme)?));
    why.structures.iter().filter_map(draw).collect()
}

/// Writes the images to a folder, one file per object, numbered from 1; returns how many were written.
pub(super) fn write_images(folder: &Path, explanations: &[Explanation], data: &Dataset) -> Result<usize> {
    std::fs::create_dir_all(folder).map_err(|source| mercer::Error::Io {
        path: folder.to_owned(),
        code: mercer::Code::IoWrite,
        source,
    })?;
    let mut written = 0;
    for (i, why) in explanations.iter().enumerate() {
        for (at, (_, svg)) in images(why, data, i, Theme::Light).into_iter().enumerate() {
            let more = if at > 0 { format!("-{}", at + 1) } else { String::new() };
            let file = folder.join(format!("{}{more}.svg", i + 1));
            super::write_file(&file, |out| out.write_all(svg.as_bytes()))?;
            written += 1;
        }
    }
    Ok(written)
}

/// A count, without decimals if it is whole.
fn short(count: f64) -> String {
    if count.fract() == 0.0 { count.to_string() } else { format!("{count:.4}") }
}

/// The first few occurrences of a feature: the nodes it is on, the position where it starts, or its first and last time
/// step.
fn places(part: &Contribution) -> String {
    let one = |nodes: &Vec<u32>| nodes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let some: Vec<String> = part.nodes.iter().take(PLACES).map(one).collect();
    let more = if part.nodes.len() > PLACES { " | …" } else { "" };
    format!("{}{more}", some.join(" | "))
}

/// The same as JSON.
pub(super) fn document(explanations: &[Explanation], data: &Dataset) -> Value {
    let part = |p: &Contribution| json!(p);
    let one = |(i, why): (usize, &Explanation)| {
        let mut document = json!({
            "class": why.class, "value": why.value, "offset": why.offset, "rest": why.rest, "local": why.local,
            "features": why.parts.iter().map(part).collect::<Vec<_>>(),
        });
        if !why.structures.is_empty() {
            document["structures"] = structures(why, data, i);
        }
        if let Some(evidence) = &why.evidence {
            document["evidence"] = json!(evidence);
        }
        document
    };
    explanations.iter().enumerate().map(one).collect()
}

/// The weights of atoms and bonds of an object, with an image.
pub(super) fn structures(why: &Explanation, data: &Dataset, i: usize) -> Value {
    let one = |s: &StructureWeights| {
        let molecule = molecule_of(data, &s.column, i);
        let mut document = json!({"column": s.column, "nodes": s.nodes, "edges": s.edges});
        if let Some(molecule) = molecule {
            document["smiles"] = molecule.text().into();
        }
        if let Some(svg) = s.draw(data, i, Theme::Page) {
            document["svg"] = svg.into();
        }
        document
    };
    why.structures.iter().map(one).collect()
}

/// A note on weights that hold for single objects.
pub(super) const LOCAL: &str =
    "the kernel is no inner product of its features: contributions add up, weights are of single objects";
