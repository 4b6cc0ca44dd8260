//! Support vector machines: classification, regression, and the support of a distribution.
//!
//! All five problems are solved by [`crate::solve`] in one form, and every fit comes with a [`Certificate`]: primal and
//! dual objective recomputed in double precision, so that their difference bounds how far the fit is from optimal.

mod binary;
mod certificate;
mod classify;
mod coupling;
mod one_class;
mod probabilistic;
mod probability;
mod problem;
mod regress;
mod sigmoid;
mod svc_machine;

pub use certificate::{Certificate, Location};
pub use classify::{Margin, Scheme, Svc};
pub use one_class::{OneClass, OneClassMachine};
pub use probabilistic::{ProbabilisticSvc, ProbabilisticSvcMachine};
pub use probability::Calibration;
pub use problem::Machine;
pub use regress::{Svr, SvrMachine, Tube};
pub use sigmoid::Sigmoid;
pub use svc_machine::SvcMachine;

#[cfg(test)]
mod tests;
