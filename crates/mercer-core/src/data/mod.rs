//! Input data: objects of many kinds, and the data set that holds them.
//!
//! A [`Dataset`] is a list of named, typed [`Column`]s over the same objects, with an optional target, groups, ids and
//! weights. Readers create it and kernels use its columns; this module depends on neither.

mod alphabet;
mod categories;
pub(crate) mod class_weights;
mod column;
mod dataset;
mod dense;
mod fingerprint;
mod form;
pub mod generate;
mod graph;
mod image;
mod molecule_bits;
mod molecule_clusters;
mod molecules;
mod nodes;
mod parts;
mod precomputed;
mod ragged;
mod rows;
mod series;
mod sets;
mod sparse;
mod strings;
mod times;
mod vectors;

pub use alphabet::Alphabet;
pub use categories::Categories;
pub use class_weights::ClassWeights;
pub use column::{Column, Kind, Values};
#[doc(hidden)]
pub use dataset::list;
pub use dataset::{Dataset, Target};
pub use dense::{Dense, Lender};
pub use form::{CellForm, DateOrder, DecimalMark, Unit};
pub use graph::{Graph, GraphBuilder, GraphSummary, Labels, Names, Spread, Tally};
pub use image::Image;
pub use mercer_molecules::{DrawStyle, Invariants, MOST_DRAWN, Molecule, MoleculeError, Theme, environments};
pub use molecule_bits::{FingerprintPlace, morgan_fingerprints};
pub use molecule_clusters::{butina, scaffolds};
pub use molecules::{
    AtomLabels, ParsedMolecule, molecule_graph, molecule_graphs, parse_molecules, try_molecules,
};
pub use nodes::{Network, NodeAttributes, Nodes};
pub use parts::ObjectPart;
pub use precomputed::Precomputed;
pub use ragged::Ragged;
pub use rows::FeatureRows;
pub use series::Series;
pub use sparse::Sparse;
pub use strings::Strings;
pub use times::{DAY, Times, civil_date, civil_days, days_of_month, show_time};
pub use vectors::Vectors;
