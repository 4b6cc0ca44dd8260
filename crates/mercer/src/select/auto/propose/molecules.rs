//! Candidates for molecules.

use super::{Part, list, mean_or_one, pairs};
use crate::data::{Column, Molecule, Values};

/// Shared fragments relative to all, and sums over several kinds of fragments.
///
/// Shares do not grow with the molecule, but many properties do: solubility falls with every carbon. So the sums also
/// have the number of shared fragments itself, and Gaussians of the difference of counts.
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
    // The mean of the self-similarities scales counts to shares; the mean distance of counts scales Gaussians.
    let atoms = mean_or_one(molecules.iter().map(|m| m.atoms().len() as f64));
    let heavy = |m: &Molecule| m.atoms().len() as f64;
    let apart = mean_or_one(pairs(molecules.len()).map(|(i, j)| {
        // Two molecules without common fragments differ in all of them.
        heavy(&molecules[i]) + heavy(&molecules[j])
    }));
    let counts = "wl-oa(h=1, edge-labels=yes, ignore=others)";
    let scaled = |factor: f64| super::significant(factor);
    let several = format!(
        "{} + {} + {} * {}",
        share(counts),
        share("atom-pairs"),
        scaled(0.5 / atoms),
        careful(counts)
    );
    let gaussian = |kernel: &str, size: f64| {
        format!("rbf-of({}, gamma={})", careful(kernel), list([0.03, 0.1, 0.3], 1.0 / size))
    };
    let gaussians = format!(
        "{} + rbf-of({}, gamma={}) + rbf-of({}, gamma={})",
        gaussian(counts, 2.0 * apart),
        careful("atom-pairs"),
        scaled(0.1 / (atoms * atoms / 2.0)),
        careful("molecule-paths"),
        scaled(0.1 / (6.0 * apart)),
    );
    Part {
        kind: "molecules",
        simple: share("ecfp(radius=2)"),
        local: share("ecfp(radius=[1, 2, 3])"),
        short: share("ecfp(radius=[1, 2])"),
        one: share("ecfp(radius=2)"),
        more: vec![
            (share("atom-pairs"), "molecules: pairs of atoms by distance"),
            (several, "molecules: neighbourhoods, pairs of atoms, and their numbers"),
            (gaussians, "molecules: differences in the counts of neighbourhoods, pairs and paths"),
            (share("fcfp(radius=[2, 3])"), "molecules: neighbourhoods by pharmacophore features"),
        ],
        walks: false,
        baseline: None,
    }
}
