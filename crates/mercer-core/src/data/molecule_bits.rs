//! Fingerprints of molecules with a fixed number of places.

use std::sync::Arc;

use mercer_molecules::{Invariants, Molecule, environments};

use crate::budget;
use crate::error::{Error, Result};
use crate::parallel;

/// A place of a fingerprint: `u8` is a bit, 0 or 1, and `u16` a count up to 65535.
pub trait FingerprintPlace: Copy + Default + Send {
    /// The place with one neighbourhood more.
    #[must_use]
    fn more(self) -> Self;
}

impl FingerprintPlace for u8 {
    fn more(self) -> Self {
        1
    }
}

impl FingerprintPlace for u16 {
    fn more(self) -> Self {
        self.saturating_add(1)
    }
}

/// The Morgan fingerprint of each molecule, one row after the other: whether, or how often, its circular neighbourhoods up
/// to a radius fall into each of `size` places, by their number modulo `size`. The places are those of the RDKit's
/// `GetMorganGenerator(radius, fpSize=size)` and its `GetFingerprint` or `GetCountFingerprint`.
///
/// Kernels use neighbourhoods without such places, where different ones never meet; this is for other tools.
///
/// The rows are written into `out`, which has `size` places for each molecule, all 0: whoever needs an array of their own
/// kind allocates it.
///
/// ```
/// use mercer_core::data::{morgan_fingerprints, parse_molecules};
/// let molecules = parse_molecules(&[Some("CCO"), Some("CCN")])?;
/// let mut counts = vec![0u16; 2 * 2048];
/// morgan_fingerprints(&molecules, 2, 2048, false, &mut counts)?;
/// assert_eq!(counts[..2048].iter().sum::<u16>(), 6);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn morgan_fingerprints<T: FingerprintPlace>(
    molecules: &[Arc<Molecule>],
    radius: usize,
    size: usize,
    features: bool,
    out: &mut [T],
) -> Result<()> {
    if radius > 20 {
        return Err(Error::param("radius", radius, "a whole number from 0 to 20"));
    }
    if !(1..=1 << 24).contains(&size) {
        return Err(Error::param("size", size, "a whole number from 1 to 2^24"));
    }
    if let Some(index) = molecules.iter().position(|m| m.is_empty()) {
        return Err(Error::Missing { index, column: String::new() });
    }
    let expected = molecules.len().saturating_mul(size);
    if out.len() != expected {
        return Err(Error::Dimension { expected, found: out.len() });
    }
    let kind = if features { Invariants::Features } else { Invariants::Connectivity };
    parallel::chunks_mut(out, size, |i, row| {
        budget::check_often()?;
        for environment in environments(&molecules[i], radius as u32, kind) {
            let place = &mut row[environment.code as usize % size];
            *place = place.more();
        }
        Ok(())
    })
    .map(drop)
}
