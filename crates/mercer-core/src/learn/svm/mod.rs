//! Support vector machines: classification, regression, and the support of a distribution.
//!
//! All five problems are solved by [`crate::solve`] in one form, and every fit comes with a [`Certificate`]: primal and
//! dual objective recomputed in double precision, so that their difference bounds how far the fit is from optimal.

mod binary;
mod certificate;
mod classify;
mod coupling;
mod one_class;
mod probability;
mod problem;
mod regress;
mod sigmoid;

pub use certificate::{Certificate, Location};
pub use classify::{Margin, Scheme, Svc, SvcMachine};
pub use one_class::{OneClass, OneClassMachine};
pub use probability::Calibration;
pub use problem::Machine;
pub use regress::{Svr, SvrMachine, Tube};
pub use sigmoid::Sigmoid;

#[cfg(test)]
mod tests;
