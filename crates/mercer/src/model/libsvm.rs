//! LIBSVM's text models.

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
            /// All values.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// The name in the file.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text),* }
            }
        }
    };
}

names! {
    /// LIBSVM's SVM type.
    SvmType {
        /// Classification with penalty C.
        CSvc = "c_svc",
        /// Classification with the share of errors nu.
        NuSvc = "nu_svc",
        /// The region that contains most objects.
        OneClass = "one_class",
        /// Regression with an epsilon tube.
        EpsilonSvr = "epsilon_svr",
        /// Regression with the share of errors nu.
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
        /// Precomputed similarities.
        Precomputed = "precomputed",
    }
}

impl SvmType {
    /// Whether it is a classifier.
    pub fn is_classifier(self) -> bool {
        matches!(self, SvmType::CSvc | SvmType::NuSvc)
    }
}

/// The support vectors of a model.
#[derive(Clone, Debug, PartialEq)]
pub enum Support {
    /// Vectors. Feature j has index j + `index_base` in the file.
    Vectors {
        /// The vectors; the format does not store the number of features, so it is the highest index.
        vectors: Sparse,
        /// The index of the first feature: 1, or 0 for files that use index 0.
        index_base: u32,
    },
    /// The numbers, from 1, of the training objects of a precomputed matrix.
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

    /// True when there are no support vectors.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A LIBSVM model: the content of its text file, checked for consistency.
///
/// Numbers are written with as many digits as needed to read the same numbers back.
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
    /// The SVM type.
    pub svm_type: SvmType,
    /// The kernel.
    pub kernel_type: KernelType,
    /// The degree of a polynomial kernel.
    pub degree: Option<u32>,
    /// The gamma of polynomial, RBF and sigmoid kernels.
    pub gamma: Option<f64>,
    /// The constant of polynomial and sigmoid kernels.
    pub coef0: Option<f64>,
    /// The number of classes; 2 for regression and one-class models.
    pub nr_class: usize,
    /// The constants subtracted from the decision values, one per pair of classes.
    pub rho: Vec<f64>,
    /// The classes.
    pub label: Option<Vec<i64>>,
    /// The slopes of the probability sigmoids, one per pair of classes; the noise scale in regression.
    pub prob_a: Option<Vec<f64>>,
    /// The offsets of the probability sigmoids, one per pair of classes.
    pub prob_b: Option<Vec<f64>>,
    /// The decision values at which the probability of a one-class model increases.
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

    /// Reads the bytes of a file of that name.
    pub fn from_bytes(name: impl AsRef<Path>, bytes: &[u8]) -> Result<Self> {
        parse::model(name.as_ref(), bytes)
    }

    /// The text of the file. Fails if the model is inconsistent.
    pub fn to_text(&self) -> Result<String> {
        write::text(self)
    }

    /// Writes the file atomically.
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
