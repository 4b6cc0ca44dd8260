//! The two simplest kernels: constant 1, and 1 for equal objects only.

use xxhash_rust::xxh3::xxh3_128;

use super::{Definiteness, Facts, Kernel, Part, Prepared, declared, operators};
use crate::data::{Categories, Dataset, Kind, Values, Vectors};
use crate::error::{Error, Result};
use crate::numeric::math::vectorised;

/// k(x, y) = 1 for all objects: the kernel of a constant feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ones;

impl Ones {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "ones",
        summary: "1 for every pair of objects: adds a constant feature to a sum.",
        formula: "1",
        takes: "anything",
        kinds: &[],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[],
        cost: "nothing",
        reference: "Zaki & Meira 2020, chapter 5",
        example: "linear + ones",
    };
}

declared!(Ones);

/// Sets of objects that can be counted.
pub trait Countable {
    /// The number of objects.
    fn objects(&self) -> usize;
}

impl Countable for Dataset {
    fn objects(&self) -> usize {
        self.len()
    }
}

impl Countable for Vectors {
    fn objects(&self) -> usize {
        self.len()
    }
}

/// The number of objects; nothing else matters to [`Ones`].
#[derive(Clone, Copy, Debug)]
pub struct ObjectCount(usize);

impl Prepared for ObjectCount {
    fn len(&self) -> usize {
        self.0
    }

    fn select(&self, chosen: &[usize]) -> Self {
        ObjectCount(chosen.len())
    }
}

impl<X: Countable + ?Sized> Kernel<X> for Ones {
    type Prepared = ObjectCount;

    fn prepare(&self, objects: &X) -> Result<ObjectCount> {
        Ok(ObjectCount(objects.objects()))
    }

    fn fill(
        &self,
        _rows: Part<'_, ObjectCount>,
        _cols: Part<'_, ObjectCount>,
        out: &mut [f64],
    ) -> Result<()> {
        out.fill(1.0);
        Ok(())
    }

    fn diagonal(&self, _of: Part<'_, ObjectCount>, out: &mut [f64]) -> Result<()> {
        out.fill(1.0);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::PositiveSemidefinite
    }
}

/// k(x, y) = 1 if x and y are equal, else 0.
///
/// Objects are compared by 128-bit hashes of their content, taken once per object, so that two data sets
/// need no common dictionary. Numbers are equal when their values are (0 and -0 are).
///
/// ```
/// use mercer_core::{data::Categories, gram::Engine, kernel::Delta};
/// let colours = Categories::from_values(["red", "blue", "red"].map(Some));
/// let k = Engine::new().gram(&Delta, &colours)?;
/// assert_eq!((k.at(0, 1), k.at(0, 2)), (0.0, 1.0));
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delta;

impl Delta {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "delta",
        summary: "1 for equal objects, 0 for others.",
        formula: "1 if x = y, else 0",
        takes: "numbers, categories, strings or text",
        kinds: &[Kind::Numbers, Kind::Sparse, Kind::Categories, Kind::Strings, Kind::Text],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[],
        cost: "one comparison",
        reference: "Haussler 1999",
        example: "delta@sex",
    };

    fn compare(rows: &Part<'_, Identities>, cols: &Part<'_, Identities>, out: &mut [f64]) {
        let (low, high) = (&cols.set.low[cols.range.clone()], &cols.set.high[cols.range.clone()]);
        vectorised(
            #[inline(always)]
            || {
                for (row, i) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.range.clone()) {
                    let (own_low, own_high) = (rows.set.low[i], rows.set.high[i]);
                    for ((v, low), high) in row.iter_mut().zip(low).zip(high) {
                        // Without a branch, so that the loop is vectorised.
                        *v = if (low ^ own_low) | (high ^ own_high) == 0 { 1.0 } else { 0.0 };
                    }
                }
            },
        );
    }
}

/// The hashes of objects, in two halves: processors compare vectors of 64 bits, not of 128.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identities {
    low: Vec<u64>,
    high: Vec<u64>,
}

impl Prepared for Identities {
    fn len(&self) -> usize {
        self.low.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        Identities { low: self.low.select(chosen), high: self.high.select(chosen) }
    }
}

declared!(Delta);

/// Objects that can be compared through a hash of their content.
pub trait Identify {
    /// A hash of each object; equal objects have equal hashes. Fails where a value is missing.
    fn identities(&self) -> Result<Vec<u128>>;
}

impl Identify for Vectors {
    fn identities(&self) -> Result<Vec<u128>> {
        let hash = |entries: &mut dyn Iterator<Item = (usize, f64)>| {
            // Zeros are skipped, so that dense and sparse vectors with the same values are equal.
            let bytes: Vec<u8> = entries
                .filter(|(_, v)| *v != 0.0)
                .flat_map(|(f, v)| (f as u64).to_le_bytes().into_iter().chain(v.to_le_bytes()))
                .collect();
            xxh3_128(&bytes)
        };
        Ok((0..self.len())
            .map(|i| match self {
                Vectors::Dense(x) => hash(&mut x.row(i).iter().copied().enumerate()),
                Vectors::Sparse(x) => {
                    let (f, v) = x.row(i);
                    hash(&mut f.iter().map(|&f| f as usize).zip(v.iter().copied()))
                }
            })
            .collect())
    }
}

impl Identify for Categories {
    fn identities(&self) -> Result<Vec<u128>> {
        let levels: Vec<u128> = self.levels().iter().map(|l| xxh3_128(l.as_bytes())).collect();
        (0..self.len()).map(|i| self.code(i).map(|c| levels[c as usize]).ok_or_else(|| missing(i))).collect()
    }
}

impl Identify for [Option<String>] {
    fn identities(&self) -> Result<Vec<u128>> {
        self.iter()
            .enumerate()
            .map(|(i, s)| s.as_ref().map(|s| xxh3_128(s.as_bytes())).ok_or_else(|| missing(i)))
            .collect()
    }
}

impl Identify for Values {
    fn identities(&self) -> Result<Vec<u128>> {
        match self {
            Values::Numbers(x) => Vectors::from(x.clone()).identities(),
            Values::Sparse(x) => Vectors::from(x.clone()).identities(),
            Values::Categories(c) => c.identities(),
            Values::Strings(v) | Values::Text(v) => v.identities(),
            other => Err(Error::usage(format!("delta does not compare {}", other.kind()))),
        }
    }
}

impl Identify for Dataset {
    /// The values of all columns together; missing values are equal to each other.
    fn identities(&self) -> Result<Vec<u128>> {
        Ok(self.object_fingerprints())
    }
}

fn missing(index: usize) -> Error {
    Error::Missing { index, column: "x".into() }
}

impl<X: Identify + ?Sized> Kernel<X> for Delta {
    type Prepared = Identities;

    fn prepare(&self, objects: &X) -> Result<Identities> {
        let halves = objects.identities()?.into_iter().map(|hash| (hash as u64, (hash >> 64) as u64));
        let (low, high) = halves.unzip();
        Ok(Identities { low, high })
    }

    fn fill(&self, rows: Part<'_, Identities>, cols: Part<'_, Identities>, out: &mut [f64]) -> Result<()> {
        Delta::compare(&rows, &cols, out);
        Ok(())
    }

    fn diagonal(&self, _of: Part<'_, Identities>, out: &mut [f64]) -> Result<()> {
        out.fill(1.0);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::PositiveSemidefinite
    }
}

operators!([] Ones, [] Delta);
