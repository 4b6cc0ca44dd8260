//! Gram matrices: how they are computed, and what can be done with them.
//!
//! [`Engine`] computes them from a kernel and objects. Everything else here works on the matrix alone,
//! without seeing the objects behind it: it checks them ([`Certificate`]), takes them apart ([`Spectrum`]),
//! turns them into coordinates ([`FeatureMap`]), moves and scales the feature space ([`Centering`],
//! [`Correlation`]), measures in it ([`operations`], [`alignment`]), walks over it ([`Walk`], [`Markov`]) and repairs
//! similarities that are no dot products ([`Repair`]).
//!
//! Two shapes occur. A *training Gram* is square and symmetric: entry (i, j) compares training objects i and
//! j. A *cross matrix* has one row per new object and one column per training object. Whatever changes a
//! training Gram here keeps what it needs to change cross matrices the same way.

pub mod alignment;
mod approximate;
mod block;
mod canvas;
mod centering;
pub(crate) mod certificate;
mod engine;
mod extension;
mod fisher;
mod map;
pub mod normalize;
pub mod operations;
mod products;
mod progress;
mod repair;
mod stream;
mod walk;

pub use crate::numeric::{
    SYMMETRY_THRESHOLD, Scalar, Spectrum, check_finite, check_square, check_symmetric, eigenvalues, symmetry,
};
pub use approximate::{Landmarks, Pivot, Pivoted, choose_landmarks, pivoted_cholesky, whitening};
#[doc(hidden)]
pub use canvas::Canvas;
pub use centering::Centering;
pub(crate) use centering::{centred_self, mean};
pub use certificate::{Certificate, PSD_THRESHOLD, Verdict};
pub use engine::Engine;
#[doc(hidden)]
pub use engine::Tiles;
pub use extension::{Extension, exponential};
pub use fisher::{Choice, Fisher, FisherMap, choose_references};
pub use map::{FeatureMap, Map};
pub use normalize::Correlation;
pub use products::{conjugate, tensor};
pub use progress::{Progress, Silent};
pub use repair::{Method, Repair, RepairReport};
pub(crate) use walk::check_degrees;
pub use walk::{LinearWalk, Markov, NewObjects, Passage, SupportWalk, TransductiveWalk, Transfer, Walk};
