//! Groups of similar molecules: scaffolds and clusters.

use std::collections::HashMap;
use std::sync::Arc;

use mercer_molecules::{Invariants, Molecule, environments};

use crate::budget;
use crate::error::{Error, Result};
use crate::parallel;

/// The canonical SMILES of each molecule's Bemis–Murcko scaffold: its rings and what joins them. Molecules without rings
/// have an empty one.
///
/// ```
/// use mercer_core::data::{parse_molecules, scaffolds};
/// let molecules = parse_molecules(&[Some("Cc1ccccc1"), Some("OC1=CC=CC=C1"), Some("CCO")])?;
/// assert_eq!(scaffolds(&molecules)?, ["c1ccccc1", "c1ccccc1", ""]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// G. W. Bemis and M. A. Murcko, *The properties of known drugs. 1. Molecular frameworks*, J. Med. Chem. 39, 1996.
pub fn scaffolds(molecules: &[Arc<Molecule>]) -> Result<Vec<String>> {
    parallel::try_map(molecules.len(), |i| {
        budget::check_often()?;
        Ok(molecules[i].scaffold().canonical())
    })
}

/// The number of the cluster of each molecule, by Butina's algorithm on the Tanimoto distance of ECFP4 bits.
///
/// The molecule with most others within `cutoff` becomes the centre of the first cluster, with all of these; among the
/// rest the next is found, and so on. Ties go to the earlier molecule. Molecules without atoms form a cluster of their
/// own. Time O(n · shared fragments), memory O(pairs within the cutoff).
///
/// ```
/// use mercer_core::data::{butina, parse_molecules};
/// let molecules = parse_molecules(&[Some("CCCCO"), Some("c1ccccc1"), Some("CCCCCO"), Some("C1=CC=CC=C1")])?;
/// assert_eq!(butina(&molecules, 0.6)?, [0, 1, 0, 1]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// D. Butina, *Unsupervised data base clustering based on Daylight's fingerprint and Tanimoto similarity*, J. Chem. Inf.
/// Comput. Sci. 39, 1999.
pub fn butina(molecules: &[Arc<Molecule>], cutoff: f64) -> Result<Vec<usize>> {
    if !(0.0..=1.0).contains(&cutoff) {
        return Err(Error::param("cutoff", cutoff, "a number from 0 to 1"));
    }
    let n = molecules.len();
    let bits = |molecule: &Arc<Molecule>| -> Result<Vec<u32>> {
        budget::check_often()?;
        let all = environments(molecule, 2, Invariants::Connectivity);
        let mut codes: Vec<u32> = all.iter().map(|e| e.code).collect();
        codes.sort_unstable();
        codes.dedup();
        Ok(codes)
    };
    let bits = parallel::try_map(molecules.len(), |i| bits(&molecules[i]))?;
    let mut owners: HashMap<u32, Vec<u32>> = HashMap::new();
    for (i, own) in bits.iter().enumerate() {
        own.iter().for_each(|&code| owners.entry(code).or_default().push(i as u32));
    }
    let near = |i: usize| -> Result<Vec<u32>> {
        let mut shared = vec![0u32; n];
        for code in &bits[i] {
            let list = owners.get(code).map_or(&[][..], Vec::as_slice);
            budget::check_after(list.len())?;
            list.iter().for_each(|&j| shared[j as usize] += 1);
        }
        let is_near = |&j: &usize| {
            let (own, other, common) = (bits[i].len(), bits[j].len(), shared[j] as usize);
            let all = own + other - common;
            // Without atoms, molecules are alike.
            i != j && (all == 0 || 1.0 - common as f64 / all as f64 <= cutoff)
        };
        let found: Vec<u32> = (0..n).filter(is_near).map(|j| j as u32).collect();
        budget::ask("the neighbours of molecules", 4 * found.len() as u64)?;
        Ok(found)
    };
    let near = parallel::try_map(n, near)?;
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(near[i].len()));
    let mut cluster = vec![usize::MAX; n];
    let mut next = 0;
    for centre in order {
        if cluster[centre] != usize::MAX {
            continue;
        }
        cluster[centre] = next;
        for &j in &near[centre] {
            if cluster[j as usize] == usize::MAX {
                cluster[j as usize] = next;
            }
        }
        next += 1;
    }
    Ok(cluster)
}
