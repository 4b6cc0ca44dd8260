//! Kernels: similarity functions that are inner products in some feature space.
//!
//! A [`Kernel`] works in two steps. [`Kernel::prepare`] does, once per object, the work that depends on
//! that object alone (norms, counts, hashes). [`Kernel::fill`] then fills a tile, the similarities of
//! some objects to some others, from prepared objects. Preparing never looks at other objects, so a
//! value k(x, y) is the same whatever set x and y arrived in.
//!
//! Kernels compose: see [`combine`]. What must be fitted to a training set first (centring, scaling,
//! repair) is a separate step that yields a kernel: see [`fitted`](crate::fitted).

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
pub mod node;
pub(crate) mod numbered;
#[doc(hidden)]
pub mod places;
mod precomputed;
pub mod string;
pub mod vector;

pub use crate::traits::counts;
pub(crate) use crate::traits::facts;
pub use crate::traits::{
    Alias, Definiteness, Domain, Explicit, Facts, FeatureColumns, FeatureParts, Features, Kernel, Parameter,
    Part, Prepared, TILE,
};
pub use boxed::{AnyPrepared, Boxed};
pub use constant::{Countable, Delta, Identify, ObjectCount, Ones};
pub use convolution::{Convolution, Decomposition};
pub use coordinates::Coordinates;
pub use derived::{Normalize, RbfOf};
pub use extend::{Partial, ZeroExtend};
pub use precomputed::Similarity;

pub(crate) use combine::operators;
