//! Support vector machines: classification, regression and one-class models.
//!
//! [`crate::solve`] solves all five problems in one form, and every fit has a [`Certificate`]: primal and dual
//! objective, recomputed in double precision, so that their difference bounds the distance to the optimum.

mod binary;
mod certificate;
mod classify;
mod coupling;
mod landmarks;
mod left_out;
mod one_class;
mod probabilistic;
mod probability;
mod problem;
mod regress;
mod sigmoid;
mod svc_model;

pub use certificate::{Certificate, Location};
pub use classify::{Margin, Scheme, Svc};
pub use landmarks::LandmarkSvc;
pub use left_out::LeftOut;
pub use one_class::{OneClass, OneClassModel};
pub use probabilistic::{ProbabilisticSvc, ProbabilisticSvcModel};
pub use probability::Calibration;
pub use problem::DecisionFunction;
pub use regress::{Svr, SvrModel, Tube};
pub use sigmoid::Sigmoid;
pub use svc_model::SvcModel;

#[cfg(test)]
mod tests;
