//! Explicit labelled walks: the number of walks for each sequence of labels.
//!
//! The inner product of two such lists is the number of matching pairs of walks, without a product graph. This is
//! faster for short walks and few labels; the number of sequences grows with both.

use xxhash_rust::xxh3::xxh3_128;

use super::form::Form;
use crate::budget;

/// Hashes of label sequences, ascending, each with √a_l times its number of walks.
pub(super) type Sequences = Vec<(u128, f64)>;

/// The sequences of walks of length l < `weights.len()`, or `None` if there are more than `most`.
pub(super) fn sequences(form: &Form, weights: &[f64], most: u64) -> Option<Sequences> {
    let mut all: Sequences = Vec::new();
    // For each node the sequences of walks that end there.
    let mut ends: Vec<Sequences> = vec![Vec::new(); form.nodes()];
    for group in &form.groups {
        let own = xxh3_128(&group.label.to_le_bytes());
        group.nodes.clone().for_each(|i| ends[i as usize].push((own, 1.0)));
    }
    for (l, weight) in weights.iter().enumerate() {
        if l > 0 {
            ends = extend(form, &ends, most)?;
        }
        if *weight > 0.0 {
            let root = weight.sqrt();
            let mut level: Sequences = ends.iter().flatten().copied().collect();
            merge(&mut level);
            all.extend(level.into_iter().map(|(hash, count)| (hash, root * count)));
            if all.len() as u64 > most {
                return None;
            }
        }
    }
    // Sequences of different lengths differ, so none occurs twice.
    all.sort_unstable_by_key(|s| s.0);
    Some(all)
}

fn extend(form: &Form, ends: &[Sequences], most: u64) -> Option<Vec<Sequences>> {
    let mut next: Vec<Sequences> = vec![Vec::new(); ends.len()];
    let mut total = 0u64;
    for (node, own) in ends.iter().enumerate() {
        for arc in form.arcs(node) {
            let key = form.keys[arc.key as usize];
            total += own.len() as u64;
            // If memory or budget does not suffice, the product graph is used, which reports the error itself.
            if budget::is_spent_after(16 * own.len()) {
                return None;
            }
            if total.is_power_of_two() || total - (own.len() as u64) < total.next_power_of_two() / 2 {
                budget::ask("sequences of labels", 2 * total * size_of::<(u128, f64)>() as u64).ok()?;
            }
            if total > most.saturating_mul(16) {
                return None;
            }
            next[arc.target as usize].extend(own.iter().map(|(hash, count)| {
                let mut bytes = [0; 48];
                bytes[..16].copy_from_slice(&hash.to_le_bytes());
                bytes[16..32].copy_from_slice(&key.edge.to_le_bytes());
                bytes[32..].copy_from_slice(&key.target.to_le_bytes());
                (xxh3_128(&bytes), count * arc.weight)
            }));
        }
    }
    next.iter_mut().for_each(merge);
    Some(next)
}

/// Adds the counts of equal sequences.
fn merge(list: &mut Sequences) {
    // Counts are sorted too, so that rounding does not depend on the numbering of the nodes.
    list.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    list.dedup_by(|from, into| {
        let equal = from.0 == into.0;
        if equal {
            into.1 += from.1;
        }
        equal
    });
}

/// Σ over common sequences of the product of their counts.
pub(super) fn product(a: &Sequences, b: &Sequences) -> f64 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while i < a.len() && j < b.len() {
        let (x, y) = (a[i].0, b[j].0);
        if x == y {
            sum += a[i].1 * b[j].1;
        }
        // Branch-free, because which list to advance is unpredictable.
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    sum
}
