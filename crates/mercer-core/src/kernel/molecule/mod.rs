//! Kernels on molecules: the fragments that two of them share.
//!
//! Each counts one kind of fragment: circular neighbourhoods ([`Ecfp`], [`Fcfp`]), pairs of atoms with their distance
//! ([`AtomPairs`]), paths of four atoms ([`Torsions`]) or of any length ([`MoleculePaths`]). `tanimoto(ecfp)`,
//! `dice(ecfp)`, `normalize(ecfp)` and `rbf-of(ecfp)` turn shared fragments into the usual similarities. Kernels on
//! graphs take molecules too.
//!
//! Fragments are not folded into a fixed number of bits, so different ones never count as equal by folding.

mod atom_pairs;
mod ecfp;
mod paths;
mod shared;
mod torsions;

pub use atom_pairs::AtomPairs;
pub use ecfp::{Ecfp, Fcfp};
pub use paths::MoleculePaths;
pub use shared::CountUse;
pub use torsions::Torsions;

use std::borrow::Cow;
use std::sync::Arc;

use super::counts::Counted;
use super::{Declared, operators};
use crate::data::{Kind, Molecule};
use crate::error::{Error, Result};

operators!([] Ecfp, [] Fcfp, [] AtomPairs, [] Torsions, [] MoleculePaths);

/// The kinds of columns that these kernels accept.
pub(crate) const MOLECULES: &[Kind] = &[Kind::Molecules];

/// Kernels on molecules.
pub trait OnMolecules: Declared + Sync {}

impl<K: OnMolecules> Counted<K> for [Arc<Molecule>] {
    type Object = Molecule;

    fn admit<'a>(&'a self, _kernel: &K) -> Result<Cow<'a, Self>> {
        match self.iter().position(|m| m.is_empty()) {
            Some(index) => Err(Error::Missing { index, column: String::new() }),
            None => Ok(Cow::Borrowed(self)),
        }
    }

    fn size(&self) -> usize {
        self.len()
    }

    fn with<R>(&self, _kernel: &K, i: usize, work: impl FnOnce(&Molecule) -> R) -> R {
        work(&self[i])
    }
}

#[cfg(test)]
mod tests;
