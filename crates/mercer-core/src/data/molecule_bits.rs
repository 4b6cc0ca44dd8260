//! Fingerprints of molecules with a fixed number of places.

use std::sync::Arc;

use mercer_molecules::{Invariants, Molecule, environments};
use rayon::prelude::*;

use crate::budget;
use crate::error::{Error, Result};

/// The Morgan fingerprint of each molecule, one row after the other: how often its circular neighbourhoods up to a radius
/// fall into each of `size` places, by their number modulo `size`. The places and counts are those of the RDKit's
/// `GetMorganGenerator(radius, fpSize=size).GetCountFingerprint`; a count above 0 is a bit of its `GetFingerprint`.
///
/// Kernels use neighbourhoods without such places, where different ones never meet; this is for other tools.
///
/// ```
/// use mercer_core::data::{morgan_counts, parse_molecules};
/// let molecules = parse_molecules(&[Some("CCO"), Some("CCN")])?;
/// let counts = morgan_counts(&molecules, 2, 2048, false)?;
/// assert_eq!((counts.len(), counts[..2048].iter().map(|&c| u32::from(c)).sum::<u32>()), (2 * 2048, 6));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn morgan_counts(
    molecules: &[Arc<Molecule>],
    radius: usize,
    size: usize,
    features: bool,
) -> Result<Vec<u16>> {
    if !(0..=20).contains(&radius) {
        return Err(Error::param("radius", radius, "a whole number from 0 to 20"));
    }
    if !(1..=1 << 24).contains(&size) {
        return Err(Error::param("size", size, "a whole number from 1 to 2^24"));
    }
    if let Some(index) = molecules.iter().position(|m| m.is_empty()) {
        return Err(Error::Missing { index, column: String::new() });
    }
    let places = molecules.len().saturating_mul(size);
    budget::ask("the fingerprints", 2 * places as u64)?;
    let kind = if features { Invariants::Features } else { Invariants::Connectivity };
    let mut all = vec![0u16; places];
    let one = |(row, molecule): (&mut [u16], &Arc<Molecule>)| -> Result<()> {
        budget::check_often()?;
        for environment in environments(molecule, radius as u32, kind) {
            let place = &mut row[environment.code as usize % size];
            *place = place.saturating_add(1);
        }
        Ok(())
    };
    let done: Vec<Result<()>> =
        all.par_chunks_mut(size).zip(molecules.par_iter()).map(budget::carried(one)).collect();
    done.into_iter().collect::<Result<()>>()?;
    Ok(all)
}
