//! The kernel language: parses text into kernels over a data set, and prints them.
//!
//! `0.5*rbf(gamma=0.1)@age,weight + polynomial(degree=2)` consists of kernels by name with named parameters, `+` and
//! `*` between them, a positive factor in front, and `@` before the columns a kernel uses. Without `@` a kernel takes
//! every column of a suitable type. Ranges (`2^-5..2^15`, `1..7`) and lists (`[1, 3, 5]`) in place of a value mark what
//! a search may vary.
//!
//! Learners are written the same way: `svc(C=2^-5..2^15, weights=balanced)`.
//!
//! This module is the only dynamic layer of the library: everything else is statically typed.

/// The methods of a kernel that only changes the input of its inner kernel: all but `prepare`.
macro_rules! passes_on {
    ($inner:ident) => {
        fn fill(
            &self,
            rows: Part<'_, Self::Prepared>,
            cols: Part<'_, Self::Prepared>,
            out: &mut [f64],
        ) -> Result<()> {
            self.$inner.fill(rows, cols, out)
        }

        fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
            self.$inner.diagonal(of, out)
        }

        fn log_fill(
            &self,
            rows: Part<'_, Self::Prepared>,
            cols: Part<'_, Self::Prepared>,
            out: &mut [f64],
        ) -> Result<bool> {
            self.$inner.log_fill(rows, cols, out)
        }

        fn log_diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<bool> {
            self.$inner.log_diagonal(of, out)
        }

        fn definiteness(&self) -> Definiteness {
            self.$inner.definiteness()
        }

        fn is_transductive(&self) -> bool {
            self.$inner.is_transductive()
        }

        fn parts<'a>(
            &self,
            prepared: &'a Self::Prepared,
        ) -> Result<Option<$crate::kernel::FeatureParts<'a>>> {
            self.$inner.parts(prepared)
        }

        fn shortlists(
            &self,
            rows: &Self::Prepared,
            cols: &Self::Prepared,
            k: usize,
        ) -> Result<Option<$crate::kernel::Shortlists>> {
            self.$inner.shortlists(rows, cols, k)
        }

        fn tile_side(&self) -> usize {
            self.$inner.tile_side()
        }
    };
}

mod blocks;
mod by_columns;
mod categories;
mod change;
mod columns;
mod content;
mod entry;
mod explicit;
mod features;
mod filling;
mod fit;
mod forest;
mod gamma;
mod graphs;
mod learned;
mod learner;
mod lex;
mod mkl;
mod molecules;
mod nodes;
mod nystrom;
mod outline;
mod pairwise;
mod parse;
mod parts;
mod plan;
mod preparing;
mod registry;
mod relevance;
mod rows;
mod scaling;
mod series;
mod similarity;
mod smooth;
mod spread;
mod step;
mod strings;
mod terms;
mod tree;
mod value;
mod vectors;
mod visual;
mod walks;
mod wrappers;

pub use crate::text::Vocabulary;
pub use blocks::{Blocks, Matrices, Shared};
pub use by_columns::Player;
pub(crate) use by_columns::{Form, Given, MOST_COORDINATES, OfTrees, Over, Term};
pub use columns::{Field, Scope};
pub use entry::{Depends, Entry, Make};
pub(crate) use explicit::column_of;
pub(crate) use features::FeatureTable;
pub use filling::Filling;
pub use fit::Fitted;
#[cfg(test)]
pub(crate) use learner::trained;
pub use learner::{Learner, LearnerFacts, LeftOutPrediction, Predicts, Training, find_learner, learners};
pub use mkl::Decisions;
pub use outline::{Detail, outlines};
pub use plan::Plan;
pub use registry::{entries, find, names, operators, register};
pub use rows::LinearRows;
pub use scaling::Scaling;
pub use step::Step;
pub use tree::{Call, Expression};
pub(crate) use value::Columns;
pub use value::{Choice, Range, Setting, Value};
