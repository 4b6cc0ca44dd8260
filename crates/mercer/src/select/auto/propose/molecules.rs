//! Candidates for molecules.

use super::{Part, list, mean_or_one, significant};
use crate::data::{Column, Values};

/// Shared fragments relative to all, and sums over several kinds of fragments.
///
/// Shares do not grow with the molecule, but many properties do: solubility falls with every carbon. So one sum also has
/// the number of shared fragments itself, and another the Gaussians of differences in counts.
pub(super) fn on_molecules(column: &Column, at: &str) -> Part {
    let molecules = match &column.values {
        Values::Molecules(all) => all.as_slice(),
        _ => &[],
    };
    let careful = |kernel: &str| match column.missing() {
        0 => format!("{kernel}{at}"),
        _ => format!("zero-extend({kernel}){at}"),
    };
    let share = |kernel: &str| format!("tanimoto({})", careful(kernel));
    let atoms = mean_or_one(molecules.iter().map(|m| m.atoms().len() as f64));
    let counts = "wl-oa(h=1, edge-labels=yes, ignore=others)";
    // A molecule of n atoms has 2n of these features, and about n²/2 pairs of atoms.
    let several = format!(
        "{} + {} + {} + {} * {}",
        share(counts),
        share("atom-pairs"),
        share("fcfp(radius=1)"),
        significant(0.5 / atoms),
        careful(counts)
    );
    let gaussian = |kernel: &str, gammas: String| format!("rbf-of({}, gamma={gammas})", careful(kernel));
    let gaussians = format!(
        "{} + {}",
        gaussian(counts, list([0.05, 0.15], 0.5 / atoms)),
        gaussian("atom-pairs", list([0.05, 0.15], 2.0 / (atoms * atoms)))
    );
    Part {
        enough: Some(gaussians.clone()),
        kind: "molecules",
        simple: share("ecfp(radius=2)"),
        local: share("ecfp(radius=[1, 2, 3])"),
        short: several.clone(),
        one: several.clone(),
        more: vec![
            (several, "molecules: neighbourhoods, pairs of atoms, and their numbers"),
            (gaussians, "molecules: differences in the counts of neighbourhoods and pairs"),
            (share("atom-pairs"), "molecules: pairs of atoms by distance"),
            (share("fcfp(radius=[2, 3])"), "molecules: neighbourhoods by pharmacophore features"),
        ],
        walks: false,
        baseline: None,
        with: Vec::new(),
    }
}
