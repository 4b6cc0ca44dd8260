use std::sync::Arc;

use super::*;
use crate::gram::{Certificate, Engine};
use crate::kernel::{FeatureMap, Kernel, Tanimoto};

const TEXTS: [&str; 8] = [
    "CCO",
    "c1ccccc1O",
    "CC(=O)Oc1ccccc1C(=O)O",
    "C1CC1",
    "O=C(N)c1ccncc1",
    "[Na+].[Cl-]",
    "CC(C)(C)c1ccccc1",
    "CCCCCCCC",
];

fn molecules() -> Vec<Arc<Molecule>> {
    TEXTS.iter().map(|text| Arc::new(text.parse().unwrap())).collect()
}

/// The kernel equals the inner product of its named features, whatever the counts contribute.
fn agrees<K>(kernel: K)
where
    K: Kernel<[Arc<Molecule>]> + FeatureMap<[Arc<Molecule>]>,
{
    let all = molecules();
    let k = Engine::new().gram(&kernel, &all[..]).unwrap();
    let features = kernel.features(&all).unwrap().values.to_dense();
    for (i, own) in TEXTS.iter().enumerate() {
        for (j, other) in TEXTS.iter().enumerate() {
            let product: f64 = features.row(i).iter().zip(features.row(j)).map(|(a, b)| a * b).sum();
            assert_eq!(k.at(i, j), product, "{kernel} of {own} and {other}");
        }
    }
}

#[test]
fn kernels_are_inner_products_of_their_features() {
    for counts in [CountUse::Min, CountUse::Product, CountUse::Presence] {
        agrees(Ecfp::new(2).unwrap().with_counts(counts));
        agrees(Fcfp::new(3).unwrap().with_counts(counts));
        agrees(AtomPairs::with_counts(counts));
        agrees(Torsions::with_counts(counts));
        agrees(MoleculePaths::with_counts(1, 7, counts).unwrap());
    }
}

#[test]
fn smaller_counts_are_what_they_say() {
    let all = molecules();
    let counts = |m: &Molecule| {
        let codes: Vec<u64> =
            mercer_molecules::environments(m, 2, mercer_molecules::Invariants::Connectivity)
                .iter()
                .map(|e| u64::from(e.code))
                .collect();
        shared::counted(&codes)
    };
    let k = Engine::new().gram(&Tanimoto(Ecfp::new(2).unwrap()), &all[..]).unwrap();
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all.iter().enumerate() {
            let (a, b) = (counts(a), counts(b));
            let of = |all: &[(u64, usize)], code: u64| all.iter().find(|c| c.0 == code).map_or(0, |c| c.1);
            let mut codes: Vec<u64> = a.iter().chain(&b).map(|c| c.0).collect();
            codes.sort_unstable();
            codes.dedup();
            let least: usize = codes.iter().map(|&c| of(&a, c).min(of(&b, c))).sum();
            let most: usize = codes.iter().map(|&c| of(&a, c).max(of(&b, c))).sum();
            assert!((k.at(i, j) - least as f64 / most as f64).abs() < 1e-15);
        }
    }
    assert!(Certificate::of(&k).unwrap().is_psd());
}

#[test]
fn features_are_named_by_fragments_and_traced_to_atoms() {
    let acid: Arc<Molecule> = Arc::new("CC(=O)O".parse().unwrap());
    let kernel = Ecfp::new(1).unwrap();
    let names = kernel.features(std::slice::from_ref(&acid)).unwrap().names;
    assert!(names.iter().any(|n| n == "C(C)(=O)O"), "{names:?}");
    let mut places = 0;
    kernel
        .places(std::slice::from_ref(&acid), &mut |_, atoms| places += usize::from(atoms.len() == 4))
        .unwrap();
    assert_eq!(places, 1);
    // Features of roles are named by roles: a nitrile's nitrogen and an ether's oxygen are one feature.
    let pair: [Arc<Molecule>; 2] = ["CC#N", "COC"].map(|text| Arc::new(text.parse().unwrap()));
    let found = Fcfp::new(1).unwrap().features(&pair).unwrap();
    let at = found.names.iter().position(|name| name == "acceptor").unwrap();
    let counts = found.values.to_dense();
    assert_eq!((counts.at(0, at), counts.at(1, at)), (1.0, 1.0));
    assert!(found.names.iter().any(|name| name == "acceptor(other ×2)"), "{:?}", found.names);
    assert!(found.names.iter().all(|name| !name.contains("degree")), "{:?}", found.names);
}

#[test]
fn missing_molecules_and_bad_parameters_are_refused() {
    let missing = [Arc::new(Molecule::default())];
    assert!(Engine::new().gram(&Ecfp::new(2).unwrap(), &missing[..]).is_err());
    assert!(Ecfp::new(21).is_err() && MoleculePaths::new(3, 2).is_err() && MoleculePaths::new(0, 2).is_err());
}
