//! Maps from objects to rows of named features.

use super::counts::Counts;
use crate::data::Vectors;
use crate::error::Result;

/// A map φ from objects to rows of named features.
///
/// A kernel with such a map is the inner product of its features: k(x, y) = φ(x)·φ(y). Kernels whose prepared objects
/// hold the features give them without names as [`Kernel::rows`](super::Kernel::rows).
///
/// ```
/// use mercer_core::{data::Strings, kernel::{FeatureMap, string::Spectrum}};
/// let strings: Strings = ["abab"].into_iter().collect();
/// let kernel = Spectrum::new(2)?;
/// let features = kernel.features(&strings)?;
/// let ab = features.names.iter().position(|name| name == "ab").unwrap();
/// assert_eq!(features.values.to_dense().at(0, ab), 2.0);
/// let mut starts = Vec::new();
/// kernel.places(&strings, 0, &mut |feature, place| {
///     starts.extend((feature == features.keys[ab].feature).then_some(place[0]));
/// })?;
/// assert_eq!(starts, [0, 2]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub trait FeatureMap<X: ?Sized>: Send + Sync {
    /// The features of every object. `coordinate` names the coordinates of vectors.
    fn named_features(&self, objects: &X, coordinate: &dyn Fn(usize) -> String) -> Result<Features>;

    /// Like `named_features`, with coordinates named x1, x2, ….
    fn features(&self, objects: &X) -> Result<Features> {
        self.named_features(objects, &|i| format!("x{}", i + 1))
    }

    /// Calls `visit` for every occurrence of a feature in one of the objects, with [`FeatureKey::feature`] and the
    /// place: the nodes in a graph, the central node first, or the first symbol in a string. Other features have none.
    fn places(&self, _objects: &X, _object: usize, _visit: &mut dyn FnMut(u128, &[u32])) -> Result<()> {
        Ok(())
    }
}

/// Explicit features: one row per object, one named column per feature.
#[derive(Clone, Debug, PartialEq)]
pub struct Features {
    /// The name of each column.
    pub names: Vec<String>,
    /// The identity of each column.
    pub keys: Vec<FeatureKey>,
    /// The values.
    pub values: Vectors,
}

/// The identity of a feature, the same for any objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FeatureKey {
    /// Its kernel among those of a sum, from 0.
    pub part: usize,
    /// Its hash, or its index where the map has a fixed number of features.
    pub feature: u128,
}

impl Features {
    /// The features of a map with a fixed number of them, named by index.
    ///
    /// ```
    /// use mercer_core::{data::Dense, kernel::Features};
    /// let features = Features::numbered(Dense::from_rows(&[[0.5, 2.0]]), |i| format!("z{i}"));
    /// assert_eq!((features.names[1].as_str(), features.keys[1].feature), ("z1", 1));
    /// ```
    pub fn numbered(values: impl Into<Vectors>, name: impl Fn(usize) -> String) -> Self {
        let values = values.into();
        let keys = (0..values.dim()).map(|at| FeatureKey { part: 0, feature: at as u128 });
        Features { names: (0..values.dim()).map(name).collect(), keys: keys.collect(), values }
    }

    /// Counts with the known names of their features.
    pub(crate) fn counted(names: Vec<Option<String>>, counts: &Counts) -> Result<Self> {
        let hashes = counts.hashes();
        let keys = hashes.iter().map(|&feature| FeatureKey { part: 0, feature }).collect();
        Ok(Features { names: distinct(names, hashes), keys, values: counts.to_sparse()?.into() })
    }
}

/// The names; where several features share a name, part of the hash is appended.
fn distinct(names: Vec<Option<String>>, hashes: &[u128]) -> Vec<String> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|&a, &b| names[a].cmp(&names[b]));
    let mut shared = vec![false; names.len()];
    for run in order.chunk_by(|&a, &b| names[a] == names[b]).filter(|run| run.len() > 1) {
        run.iter().for_each(|&i| shared[i] = true);
    }
    let mark = |hash: u128| format!("#{:08x}", hash as u32);
    let name = |(i, name): (usize, Option<String>)| match name {
        Some(name) if shared[i] => format!("{name}{}", mark(hashes[i])),
        Some(name) => name,
        None => mark(hashes[i]),
    };
    names.into_iter().enumerate().map(name).collect()
}
