//! Kernels that learn from a training set: centring, repair, powers, landmarks, references.
//!
//! Each is fitted to training objects first and is a kernel then, which treats new objects the same way.

mod center;
mod exponential;
mod markov;
mod nystrom;
#[doc(hidden)]
pub mod referenced;
mod repaired;
#[doc(hidden)]
pub mod transductive;
mod walk;
mod written_out;

pub use center::Center;
pub use exponential::Exponential;
pub use markov::Markov;
pub use nystrom::{NYSTROM, Nystrom, NystromSettings};
pub use referenced::{Modality, Presence, ReferenceSettings, Referenced};
pub use repaired::Repaired;
pub use transductive::Transductive;
pub use walk::{Steps, Walked};
pub use written_out::{EXPLICIT, WrittenOut};
