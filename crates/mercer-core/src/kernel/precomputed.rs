//! A kernel that reads precomputed similarities.

use super::{Definiteness, Facts, Kernel, Part, Prepared, declared};
use crate::data::{Kind, Precomputed};
use crate::error::{Error, Result};

/// Looks up similarities in a precomputed matrix.
///
/// The objects in the columns of a tile must be references of that matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Similarity;

impl Similarity {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "precomputed",
        summary: "Similarities computed elsewhere and read from a file.",
        formula: "K[x, y]",
        takes: "precomputed",
        kinds: &[Kind::Precomputed],
        definiteness: Definiteness::Indefinite,
        parameters: &[],
        cost: "one look-up",
        reference: "Schölkopf & Smola 2002, section 2.2",
        example: "precomputed",
    };
}

declared!(Similarity);

impl Prepared for Precomputed {
    fn len(&self) -> usize {
        self.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        self.select(chosen)
    }
}

impl Kernel<Precomputed> for Similarity {
    type Prepared = Precomputed;

    fn prepare(&self, objects: &Precomputed) -> Result<Self::Prepared> {
        Ok(objects.clone())
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        if rows.set.references() != cols.set.references() {
            return Err(Error::Shape {
                expected: format!("similarities to {} references", cols.set.references()),
                found: format!("{}", rows.set.references()),
            });
        }
        let references = cols.range.clone().map(|j| reference(cols.set, j)).collect::<Result<Vec<_>>>()?;
        for (row, i) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.range.clone()) {
            let known = rows.set.row(i);
            row.iter_mut().zip(&references).for_each(|(v, &r)| *v = known[r]);
        }
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        for (v, i) in out.iter_mut().zip(of.range.clone()) {
            *v = of.set.row(i)[reference(of.set, i)?];
        }
        Ok(())
    }

    /// The matrix has not been checked: see [`Certificate`](crate::gram::Certificate).
    fn definiteness(&self) -> Definiteness {
        Definiteness::Indefinite
    }
}

fn reference(set: &Precomputed, i: usize) -> Result<usize> {
    set.reference(i).ok_or_else(|| Error::Object {
        index: i,
        reason: "is not among the references of the precomputed matrix".into(),
        hint: Some("only similarities to the training objects are known".into()),
    })
}
