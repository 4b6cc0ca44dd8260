//! Computing, checking and transforming Gram matrices.
//!
//! [`Engine`] computes them from a kernel and objects. Everything else works on the matrix alone, without the objects:
//! checks ([`Certificate`]), eigendecomposition ([`Spectrum`]), coordinates ([`SpectralMap`]), centring and scaling
//! ([`Centering`], [`Correlation`], [`BlockTransform`]), norms, distances and alignment ([`operations`], [`alignment`]),
//! random walks ([`Walk`], [`Markov`]) and repair of indefinite similarities ([`Repair`]).
//!
//! Two shapes occur. A *training Gram* is square and symmetric: entry (i, j) compares training objects i and j. A
//! *cross matrix* has one row per new object and one column per training object. Every transformation of a training
//! Gram keeps what it needs to transform cross matrices the same way.

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
mod nearest;
pub mod normalize;
pub mod operations;
mod products;
mod progress;
mod prototypes;
mod ratio;
mod repair;
mod stream;
mod sums;
mod transform;
mod walk;

pub use crate::numeric::{
    SYMMETRY_THRESHOLD, Scalar, Spectrum, check_finite, check_square, check_symmetric, eigenvalues, symmetry,
};
pub use approximate::{
    Landmarks, Pivot, Pivoted, choose_landmarks, pivoted_cholesky, triangular_whitening, whitening,
};
#[doc(hidden)]
pub use canvas::Canvas;
pub(crate) use centering::mean;
pub use centering::{Centered, Centering};
pub use certificate::{Certificate, PSD_THRESHOLD, Verdict};
pub use engine::Engine;
#[doc(hidden)]
pub use engine::Tiles;
pub use extension::{Extension, exponential};
pub use fisher::{Choice, Fisher, FisherMap, choose_references};
pub use map::{Map, SpectralMap};
pub use nearest::{Measure, Nearest, NeighboursNeeded};
pub use normalize::{Correlation, Normalized};
pub use products::{conjugate, tensor};
pub use progress::{Progress, Silent};
pub use prototypes::{criticisms, prototypes};
pub use ratio::Ratio;
pub use repair::{Method, Repair, RepairReport};
pub use transform::{BlockTransform, Gaussian, Summary};
pub(crate) use walk::check_degrees;
pub use walk::{LinearWalk, Markov, NewObjects, Passage, SupportWalk, TransductiveWalk, Transfer, Walk};
