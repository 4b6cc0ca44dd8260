//! Maps from objects to rows of named features.

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
/// kernel.places(&strings, &mut |feature, place| {
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

    /// Calls `visit` for every occurrence of a feature in these objects, with [`FeatureKey::feature`] and the place: the
    /// nodes in a graph, the central node first, the first symbol in a string, or the first and last time step of a
    /// stretch of a series. Other features have none.
    fn places(&self, _objects: &X, _visit: &mut dyn FnMut(u128, &[u32])) -> Result<()> {
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
}
