//! How counts of fragments become features.

use crate::budget;
use crate::error::Result;
use crate::kernel::counts::{Bag, Visit};
use crate::kernel::{Domain, OneOf, Parameter};

/// What the counts of a fragment in two molecules contribute to a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountUse {
    /// The smaller count, so that `tanimoto` is the min–max kernel.
    #[default]
    Min,
    /// The product of the counts.
    Product,
    /// 1 if both molecules have it, so that `tanimoto` is the Tanimoto coefficient of bits.
    Presence,
}

impl OneOf for CountUse {
    const WORDS: &'static [&'static str] = &["min", "product", "presence"];
    const ALL: &'static [CountUse] = &[CountUse::Min, CountUse::Product, CountUse::Presence];
}

impl CountUse {
    /// The parameter.
    pub(super) const PARAMETER: Parameter = Parameter {
        name: "counts",
        default: "min",
        domain: Domain::Word(CountUse::WORDS),
        doc: "what a shared fragment contributes: the smaller count, the product of the counts, or 1",
        alias: None,
    };

    /// Adds the fragments of a molecule, given by their codes.
    ///
    /// The sum of the smaller counts is an inner product too: of a feature for the first occurrence of a fragment, one
    /// for the second, and so on.
    pub(super) fn add(self, codes: &mut [u64], bag: &mut Bag) {
        if self == CountUse::Product {
            codes.iter().for_each(|&code| bag.add(feature(code, 0)));
            return;
        }
        codes.sort_unstable();
        for run in codes.chunk_by(|a, b| a == b) {
            let most = if self == CountUse::Presence { 1 } else { run.len() };
            (0..most).for_each(|occurrence| bag.add(feature(run[0], occurrence)));
        }
    }

    /// Visits the features of a fragment that occurs here for the `occurrence`-th time, from 0, of `count`.
    ///
    /// With the smaller counts, every occurrence of a fragment is a place of each of its features: no occurrence is
    /// the first.
    pub(super) fn visit(
        self,
        code: u64,
        count: usize,
        atoms: &[u32],
        name: &dyn Fn() -> String,
        visit: Visit<'_>,
    ) {
        match self {
            CountUse::Product | CountUse::Presence => visit(feature(code, 0), atoms, name),
            CountUse::Min => (0..count).for_each(|occurrence| {
                visit(feature(code, occurrence), atoms, &|| match occurrence {
                    0 => name(),
                    more => format!("{} ×{}", name(), more + 1),
                });
            }),
        }
    }
}

/// How often each fragment of a molecule occurs.
pub(super) fn counted(codes: &[u64]) -> Vec<(u64, usize)> {
    let mut sorted = codes.to_vec();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect()
}

/// The count of a fragment.
pub(super) fn count_of(counts: &[(u64, usize)], code: u64) -> usize {
    counts.binary_search_by_key(&code, |(c, _)| *c).map_or(1, |at| counts[at].1)
}

/// The identity of an occurrence of a fragment: a bijection of its code and its number, with well-mixed low bits.
fn feature(code: u64, occurrence: usize) -> u128 {
    const ODD: u128 = 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835;
    (u128::from(code) | (occurrence as u128) << 64).wrapping_mul(ODD)
}

/// Collects codes from a visitor, and stops when the budget is spent.
pub(super) fn collect(walk: impl FnOnce(&mut dyn FnMut(u64) -> bool)) -> Result<Vec<u64>> {
    let mut codes = Vec::new();
    let mut stopped = Ok(());
    walk(&mut |code| {
        codes.push(code);
        stopped = budget::check_often();
        stopped.is_ok()
    });
    stopped.map(|()| codes)
}
