//! Isomorphism types of small graphs.
//!
//! A graph of k nodes is a set of bits: pair (i, j), i < j, is bit j(j-1)/2 + i, so that adding a node adds bits at the
//! end. Two graphs have the same type if a renumbering maps one to the other. The type is represented by the smallest
//! set of bits among all renumberings.

use std::sync::OnceLock;

/// The sizes that have tables.
pub(super) const SIZES: std::ops::RangeInclusive<usize> = 3..=5;

/// The bit of a pair of different nodes.
fn bit(i: usize, j: usize) -> u16 {
    let (low, high) = (i.min(j), i.max(j));
    1 << (high * (high - 1) / 2 + low)
}

/// The type of each graph of this size, by its bits.
pub(super) fn types(size: usize) -> &'static [u16] {
    static TABLES: OnceLock<Vec<Vec<u16>>> = OnceLock::new();
    let tables = TABLES.get_or_init(|| SIZES.map(table).collect());
    tables.get(size.wrapping_sub(*SIZES.start())).map_or(&[], Vec::as_slice)
}

fn table(size: usize) -> Vec<u16> {
    let orders = orders(size);
    let pairs: Vec<(usize, usize)> = (0..size).flat_map(|j| (0..j).map(move |i| (i, j))).collect();
    let renumbered = |bits: u16, order: &[usize]| {
        let set = pairs.iter().filter(|(i, j)| bits & bit(*i, *j) != 0);
        set.fold(0, |all, (i, j)| all | bit(order[*i], order[*j]))
    };
    let smallest = |bits: u16| orders.iter().map(|order| renumbered(bits, order)).min().unwrap_or(bits);
    (0..1u16 << pairs.len()).map(smallest).collect()
}

/// All permutations of the numbers below n.
fn orders(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let longer = |shorter: Vec<usize>| {
        (0..n).map(move |at| {
            let mut order = shorter.clone();
            order.insert(at, n - 1);
            order
        })
    };
    orders(n - 1).into_iter().flat_map(longer).collect()
}

/// Whether every node can be reached from the first.
pub(super) fn is_connected(size: usize, bits: u16) -> bool {
    let mut reached = 1u32;
    for _ in 0..size {
        for i in 0..size {
            let joined = (0..size).any(|j| i != j && reached >> j & 1 == 1 && bits & bit(i, j) != 0);
            reached |= u32::from(joined) << i;
        }
    }
    reached == (1 << size) - 1
}

/// The name of a type: its common name, or its edges.
pub(super) fn name(size: usize, kind: u16) -> String {
    let degree = |i: usize| (0..size).filter(|&j| i != j && kind & bit(i, j) != 0).count();
    let mut degrees: Vec<usize> = (0..size).map(degree).collect();
    degrees.sort_unstable();
    let known = match (is_connected(size, kind), &degrees[..]) {
        (true, [1, 1, 2] | [1, 1, 2, 2] | [1, 1, 2, 2, 2]) => Some("path"),
        (true, [2, 2, 2]) => Some("triangle"),
        (true, [1, 1, 1, 3] | [1, 1, 1, 1, 4]) => Some("star"),
        (true, [2, 2, 2, 2] | [2, 2, 2, 2, 2]) => Some("cycle"),
        (true, [1, 2, 2, 3]) => Some("paw"),
        (true, [2, 2, 3, 3]) => Some("diamond"),
        (true, [3, 3, 3, 3] | [4, 4, 4, 4, 4]) => Some("clique"),
        (true, [2, 2, 2, 2, 4]) => Some("butterfly"),
        (false, all) if all.iter().all(|d| *d == 0) => Some("no edge"),
        _ => None,
    };
    match known {
        Some(known) => format!("{known} of {size}"),
        None => {
            let pairs = (0..size).flat_map(|j| (0..j).map(move |i| (i, j)));
            let edges: Vec<String> = pairs
                .filter(|(i, j)| kind & bit(*i, *j) != 0)
                .map(|(i, j)| format!("{}-{}", i + 1, j + 1))
                .collect();
            format!("{} of {size}", edges.join(" "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of graphs on 3, 4 and 5 nodes, and of connected ones (OEIS A000088, A001349).
    #[test]
    fn numbers_of_types_match_the_literature() {
        for (size, all, connected) in [(3, 4, 2), (4, 11, 6), (5, 34, 21)] {
            let mut kinds = types(size).to_vec();
            kinds.sort_unstable();
            kinds.dedup();
            assert_eq!(kinds.len(), all);
            assert_eq!(kinds.iter().filter(|k| is_connected(size, **k)).count(), connected);
            let mut names: Vec<String> = kinds.iter().map(|k| name(size, *k)).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), all);
        }
        assert!(types(2).is_empty() && types(6).is_empty());
        assert_eq!(name(4, 0b111111), "clique of 4");
    }
}
