//! Models of LIBSVM, which it keeps as text.

mod convert;
mod parse;
mod write;

use std::path::Path;

pub use convert::LibsvmParts;

use crate::data::Sparse;
use crate::error::Result;
use crate::read::open::open;

macro_rules! names {
    ($(#[$doc:meta])* $name:ident { $($(#[$each:meta])* $variant:ident = $text:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$each])* $variant),* }

        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The name in the file.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }
        }
    };
}

names! {
    /// What the machine does.
    SvmType {
        /// Classes, with penalty C.
        CSvc = "c_svc",
        /// Classes, with the share of errors nu.
        NuSvc = "nu_svc",
        /// The region most objects are in.
        OneClass = "one_class",
        /// Numbers, within epsilon.
        EpsilonSvr = "epsilon_svr",
        /// Numbers, with the share of errors nu.
        NuSvr = "nu_svr",
    }
}

names! {
    /// The kernel.
    KernelType {
        /// u·v
        Linear = "linear",
        /// (gamma·u·v + coef0)^degree
        Polynomial = "polynomial",
        /// exp(-gamma·|u - v|²)
        Rbf = "rbf",
        /// tanh(gamma·u·v + coef0)
        Sigmoid = "sigmoid",
        /// Similarities computed elsewhere.
        Precomputed = "precomputed",
    }
}

impl SvmType {
    /// Whether it tells classes apart.
    pub fn is_classifier(self) -> bool {
        matches!(self, SvmType::CSvc | SvmType::NuSvc)
    }
}

/// The support vectors of a model.
#[derive(Clone, Debug, PartialEq)]
pub enum Support {
    /// Vectors. Feature j has index j + `index_base` in the file.
    Vectors {
        /// The vectors; the format does not say of how many features, so the highest index decides.
        vectors: Sparse,
        /// The index of the first feature: 1, or 0 for files that use index 0.
        index_base: u32,
    },
    /// The numbers, from 1, of training objects whose similarities were computed elsewhere.
    Serial(Vec<u32>),
}

impl Support {
    /// The number of support vectors.
    pub fn len(&self) -> usize {
        match self {
            Support::Vectors { vectors, .. } => vectors.rows(),
            Support::Serial(numbers) => numbers.len(),
        }
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A model of LIBSVM: everything its text files say, checked for consistency.
///
/// Numbers are written with as many digits as it takes to read the same ones back.
///
/// ```
/// use mercer::model::{LibsvmModel, SvmType};
/// let text = "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.25\nlabel 1 -1\n\
///             nr_sv 1 1\nSV\n0.75 1:2 3:-1 \n-0.75 2:1.5 \n";
/// let model = LibsvmModel::from_bytes("svm.model", text.as_bytes())?;
/// assert_eq!((model.svm_type, model.gamma, model.total_sv()), (SvmType::CSvc, Some(0.5), 2));
/// assert_eq!(model.coefficients, [[0.75, -0.75]]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LibsvmModel {
    /// What the machine does.
    pub svm_type: SvmType,
    /// The kernel.
    pub kernel_type: KernelType,
    /// The degree of a polynomial kernel.
    pub degree: Option<u32>,
    /// The gamma of polynomial, RBF and sigmoid kernels.
    pub gamma: Option<f64>,
    /// The constant of polynomial and sigmoid kernels.
    pub coef0: Option<f64>,
    /// The number of classes; 2 where there are none.
    pub nr_class: usize,
    /// What is subtracted from each decision value, one per pair of classes.
    pub rho: Vec<f64>,
    /// The classes.
    pub label: Option<Vec<i64>>,
    /// The slopes of the probabilities, one per pair of classes; the scale of the noise in regression.
    pub prob_a: Option<Vec<f64>>,
    /// The offsets of the probabilities, one per pair of classes.
    pub prob_b: Option<Vec<f64>>,
    /// The decision values at which the probability of a one-class model rises.
    pub prob_density_marks: Option<Vec<f64>>,
    /// The number of support vectors of each class, in the order of `label`.
    pub nr_sv: Option<Vec<usize>>,
    /// `nr_class - 1` rows of one coefficient per support vector.
    pub coefficients: Vec<Vec<f64>>,
    /// The support vectors.
    pub support: Support,
}

impl LibsvmModel {
    /// The number of support vectors.
    pub fn total_sv(&self) -> usize {
        self.support.len()
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self> {
        LibsvmModel::from_bytes(path, &open(path)?)
    }

    /// Reads bytes as if they were a file of that name.
    pub fn from_bytes(name: impl AsRef<Path>, bytes: &[u8]) -> Result<Self> {
        parse::model(name.as_ref(), bytes)
    }

    /// The text of the file. Fails where the parts of the model do not fit together.
    pub fn to_text(&self) -> Result<String> {
        write::text(self)
    }

    /// Writes the file: whole or not at all.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = self.to_text()?;
        crate::files::write_whole(path, |out| out.write_all(text.as_bytes()))
    }
}

/// The number of pairs of classes.
fn pairs(classes: usize) -> Option<usize> {
    classes.checked_mul(classes.checked_sub(1)?).map(|n| n / 2)
}

#[cfg(test)]
mod tests;
