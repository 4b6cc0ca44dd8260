//! Kernels fitted to a training set: centring, repair, powers, landmarks, references.
//!
//! Each is first fitted to training objects and then used as a kernel that treats new objects the same way.

mod center;
mod empirical;
mod explicit_features;
mod exponential;
#[doc(hidden)]
pub mod fisher_similarity;
mod forest;
mod markov;
mod means;
mod nystrom;
pub mod relevance;
mod repaired;
#[doc(hidden)]
pub mod transductive;
mod walk;

pub use center::Center;
pub use empirical::EmpiricalMap;
pub use explicit_features::{EXPLICIT, ExplicitFeatures};
pub use exponential::Exponential;
pub use fisher_similarity::{FisherSimilarity, Modality, Presence, ReferenceSettings};
pub use forest::{Forest, ForestKernel, TreeArrays, TreeColumn, TreeColumnKind, TreeMode, Trees};
pub use markov::Markov;
pub use means::MeanTransformed;
pub use nystrom::{NYSTROM, Nystrom, NystromSettings};
pub use repaired::Repaired;
pub use transductive::Transductive;
pub use walk::{MatrixPower, PowerSteps};
