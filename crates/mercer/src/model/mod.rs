//! Fitted models in files.
//!
//! A [`Model`] is one `.mercer` file: named arrays in the safetensors layout, which many programs can read, and one
//! JSON document that describes them. A [`Container`] is such a file in memory; [`Field`] reads its document with
//! errors that give the position. Data sets are stored with [`Container::put_dataset`] and read with
//! [`Container::dataset`], trained models with [`Persist::put`] and [`Persist::get`]. [`LibsvmModel`] reads and writes
//! LIBSVM's text models.
//!
//! Loading executes no code and trusts no input: any bytes give a container or an [`Error`](crate::Error), in time and
//! memory bounded by their number.

mod align;
mod fitted;
mod libsvm;
mod sniff;
mod trained;
mod unseen;

pub use crate::container::{Array, Container, Field, Numbers};
pub use fitted::{
    Acquisition, AttributionMethod, AttributionOptions, Attributions, BACKGROUND, Background, BackgroundFrom,
    BlendMember, Calibration, ColumnEffect, ConformalBy, ConformalMethod, ConformalScore, Contribution,
    EffectPoint, ExplainBy, Explained, ExplainedOutput, Explanation, FeatureExample, Goal, Influence, Model,
    ModelTarget, NearMolecule, PermutationImportance, Regions, StructureWeights, Substitutions, Suggest,
    Suggestion, Weight, without_missing,
};
#[doc(hidden)]
pub use fitted::{CalibrationParts, logs_of, strata_of};
pub(crate) use fitted::{Mean, class_values, sharpened};
pub use libsvm::{KernelType, LibsvmModel, LibsvmParts, Support, SvmType};
pub use sniff::is_model;
pub use trained::Persist;
pub(crate) use unseen::Unseen;
