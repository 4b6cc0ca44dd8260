//! Kernels: similarity functions that are inner products in some feature space.
//!
//! A [`Kernel`] works in two steps. [`Kernel::prepare`] does the work that depends on one object alone (norms, counts,
//! hashes), once per object. [`Kernel::fill`] then fills a tile, the similarities of some objects to some others, from
//! prepared objects. Preparing one object never uses other objects, so k(x, y) does not depend on the sets that contain
//! x and y.
//!
//! Kernels compose: see [`combine`]. Transformations that must first be fitted to a training set (centring, scaling,
//! repair) are a separate step that yields a kernel: see [`fitted`](crate::fitted).

mod boxed;
pub mod category;
pub mod combine;
mod constant;
mod convolution;
pub(crate) mod coordinates;
mod derived;
mod extend;
pub mod graph;
pub mod image;
pub mod molecule;
pub mod node;
pub(crate) mod numbered;
#[doc(hidden)]
pub mod places;
mod precomputed;
pub mod string;
mod time;
pub mod vector;

pub use crate::traits::counts;
pub(crate) use crate::traits::facts;
pub use crate::traits::{
    Alias, Declared, Definiteness, Domain, Facts, FeatureColumns, FeatureKey, FeatureMap, FeatureParts,
    Features, Given, Kernel, OneOf, Parameter, ParameterValue, Part, Prepared, Printer, Settings, Shortlists,
    TILE, declared,
};
pub use boxed::{AnyPrepared, Boxed};
pub use constant::{Countable, Delta, Identify, ObjectCount, Ones};
pub use convolution::{Convolution, Decomposition};
pub use coordinates::Coordinates;
pub use derived::{Dice, Normalize, RbfOf, Tanimoto};
pub use extend::{Partial, ZeroExtend};
pub use precomputed::Similarity;
pub use time::{CalendarTimes, Time};

pub(crate) use combine::operators;
