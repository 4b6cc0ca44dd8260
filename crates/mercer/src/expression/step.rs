//! What wrappers learned from the training objects, in the order in which an expression is traversed.
//!
//! A model stores these steps instead of the training objects where possible. To add a fitted wrapper:
//!
//! 1. add a variant of [`Step`] that holds the results of the fit, with the form of each field in `steps!`;
//! 2. call `scope.fit.stored()?` in the wrapper's `make`: `None` means fit now, a step means use its content, checked
//!    against the given training objects; then call `scope.fit.record(step)` in both cases;
//! 3. if its kernel compares new objects with all training objects, add `keeping_training` in the registry.

use std::sync::Arc;

use serde_json::{Value, json};

mod terms;
mod visual;

use super::filling::Filling;
use super::mkl::Decisions;
use super::scaling::Scaling;
use crate::container::{Container, Field, Get, Put, Stored, stored};
use crate::data::{Dataset, Dense};
use crate::error::shown;
use crate::error::{Code, Error, Result};
use crate::gram::{Extension, FisherMap, Method, Passage, RepairReport};
use crate::kernel::image::Words;
use crate::kernel::series::LearnedSeries;
use crate::kernel::{FeatureColumns, Trees};
use crate::text::Vocabulary;

/// What one fitted wrapper learned from the training objects.
///
/// ```
/// use mercer::{data::{Dataset, Dense}, expression::{Expression, Step}, gram::Engine, model::Container};
/// let data = Dataset::of_vectors(Dense::from_rows(&[[1.0], [2.0], [6.0]]));
/// let (engine, expression) = (Engine::new(), "center(linear)".parse::<Expression>()?);
/// let fitted = expression.fit(&data, &engine)?;
/// assert_eq!(fitted.steps, [Step::Center { grand_mean: 9.0 }]);
///
/// let mut file = Container::new(serde_json::Value::Null);
/// let document = fitted.steps[0].put(&mut file, "step0")?;
/// let step = Step::get(&file, "step0", &file.field(&document))?;
/// let again = expression.restore(&data, vec![step], &engine)?;
/// assert_eq!(engine.gram(&again.kernel, &data)?, engine.gram(&fitted.kernel, &data)?);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Step {
    /// `standardize`, `minmax` and `relevance`: the scale of each number column.
    Scaling(Scaling),
    /// `impute`: the replacement of missing values in each column.
    Filling(Filling),
    /// `terms`: the terms of the training texts, with their document frequencies.
    Terms(Vocabulary),
    /// `visual`: the visual words of the training images, one vocabulary per descriptor.
    Visual(Vec<Words>),
    /// `center`.
    Center {
        /// The mean similarity of two training objects.
        grand_mean: f64,
    },
    /// `repair`.
    Repair {
        /// How new objects are treated.
        extension: Extension,
        /// What was changed.
        report: RepairReport,
    },
    /// `exponential`.
    Exponential {
        /// How objects are treated.
        extension: Extension,
    },
    /// `walk` through training objects.
    Walk {
        /// The objects the walk passes through, if they are the support vectors of a first model.
        support: Option<Vec<usize>>,
        /// How new objects enter the walk; `None` for one step.
        passage: Option<Passage>,
    },
    /// `markov`.
    Markov {
        /// The mean degree: the sum of similarities of a training object, averaged.
        mean_degree: f64,
    },
    /// `learned-dtw`.
    Window {
        /// The warping window as a share of the longer series.
        window: f64,
    },
    /// `rocket`, `hydra` and `intervals`: thresholds, and the mean and deviation of each feature.
    Series(LearnedSeries),
    /// `similarity`.
    References {
        /// The training objects used as references.
        chosen: Vec<usize>,
        /// The map from distances to features.
        map: FisherMap,
    },
    /// `mkl`: the factor of each kernel.
    Weights(Vec<f64>),
    /// `learned`: the kernel with the learned numbers.
    Learned {
        /// As text.
        kernel: String,
    },
    /// `fusion`: the models of each kernel.
    Fusion(Decisions),
    /// Transductive kernels: `walk` through all objects, `laplacian-walk`, `cluster`.
    Transductive {
        /// The similarities of all objects of the fit.
        gram: Dense,
    },
    /// `nystrom`.
    Landmarks {
        /// The landmarks, with the columns the kernel uses.
        objects: Dataset,
        /// The map from similarities to features: one row per landmark.
        map: Dense,
        /// The share of the trace of the training matrix that the approximation misses.
        error: f64,
    },
    /// `forest`: the trees.
    Forest(Arc<Trees>),
    /// `explicit`: the columns of each part of the features.
    Features(Vec<FeatureColumns>),
    /// `gamma=scale` and `gamma=auto`.
    Gamma {
        /// The value computed from the training vectors.
        gamma: f64,
    },
    /// `diffusion`: the number of values of each attribute.
    Alphabets {
        /// In the order of the columns.
        sizes: Vec<usize>,
    },
}

/// Derives names, writing and reading of steps. A step has a name in files, its variant with names for the fields, and
/// for each field what [`stored!`] needs; `= VALUE` is for fields of the file that are not among those of the variant.
macro_rules! steps {
    (@part $field:ident) => { $field };
    (@part $field:ident $part:expr) => { $part };
    ($($name:literal = ($($shape:tt)*) {
        $($field:ident: $form:ident $(as $key:literal)? $(= $part:expr)?
            $(, where $ok:expr => $code:ident $reason:expr)*;)*
    })*) => {
        impl Step {
            /// Its name in files.
            #[allow(unused_variables)]
            pub fn name(&self) -> &'static str {
                match self {
                    $($($shape)* => $name,)*
                }
            }
        }

        impl Stored for Step {
            fn put(&self, put: &mut Put<'_>) -> Result<()> {
                match self {
                    $($($shape)* => {
                        $(stored!(@put put $form ($field $($key)?) (steps!(@part $field $($part)?)));)*
                    })*
                }
                put.say("step", self.name())
            }

            fn get(get: &Get<'_>) -> Result<Self> {
                let name = get.field.get("step")?;
                Ok(match name.text()? {
                    $($name => {
                        $(stored!(@get get $field $form ($field $($key)?) () () $(($ok) $code ($reason))*);)*
                        $($shape)*
                    })*
                    other => {
                        let reason = format!("{} is not a step known to this version", shown(other));
                        return Err(name.fault(Code::ModelSyntax, reason));
                    }
                })
            }
        }
    };
}

steps! {
    "scaling" = (Step::Scaling(scaling)) { scaling: part; }
    "filling" = (Step::Filling(filling)) { filling: part; }
    "terms" = (Step::Terms(vocabulary)) { vocabulary: part; }
    "visual" = (Step::Visual(words)) { words: part; }
    "center" = (Step::Center { grand_mean }) { grand_mean: number; }
    "repair" = (Step::Repair { extension, report }) {
        report: nested;
        extension: part,
            where fits_report(&extension, &report)
                => ModelSyntax "the method of the repair differs from its report";
    }
    "exponential" = (Step::Exponential { extension }) {
        extension: part,
            where matches!(extension, Extension::Exponential { .. }) => ModelSyntax "not an exponential";
    }
    "walk" = (Step::Walk { support, passage }) { support: through; passage: optional; }
    "markov" = (Step::Markov { mean_degree }) { mean_degree: number; }
    "window" = (Step::Window { window }) {
        window: number, where (0.0..=1.0).contains(&window) => ModelSyntax "a window outside 0..1";
    }
    "series" = (Step::Series(LearnedSeries { channels, length, constants, means, deviations })) {
        channels: count, where (1..=1 << 20).contains(&channels) => ModelCount format!("{channels} channels");
        length: count, where (1..=1 << 31).contains(&length) => ModelCount format!("{length} time steps");
        constants: numbers;
        means: numbers;
        deviations: numbers,
            where deviations.len() == means.len()
                => ModelCount format!("{} deviations of {} features", deviations.len(), means.len()),
            where deviations.iter().all(|d| *d >= 0.0) => ModelSyntax "a negative deviation";
    }
    "references" = (Step::References { chosen, map }) { chosen: sizes; map: part; }
    "weights" = (Step::Weights(weights)) {
        weights: numbers, where weights.iter().all(|w| *w >= 0.0) => ModelSyntax "a negative weight";
    }
    "learned" = (Step::Learned { kernel }) {
        kernel: text, where kernel.parse::<super::Expression>().is_ok() => ModelSyntax "not a kernel";
    }
    // The shapes are checked against each other and the training objects where they are used.
    "fusion" = (Step::Fusion(Decisions { coefficients, offsets, held_out })) {
        coefficients: matrix;
        offsets: numbers;
        held_out: matrix as "held-out";
    }
    "transductive" = (Step::Transductive { gram }) {
        gram: matrix;
        objects: count = gram.rows(),
            where (gram.rows(), gram.cols()) == (objects, objects) && crate::gram::symmetry(&gram)?.2 == 0.0
                => ModelCount format!("similarities are not a symmetric matrix of {objects} objects");
    }
    "landmarks" = (Step::Landmarks { objects, map, error }) {
        objects: dataset;
        map: matrix;
        error: number, where (0.0..=1.0).contains(&error) => ModelSyntax "an error outside 0..1";
    }
    "forest" = (Step::Forest(trees)) { trees: part; }
    "features" = (Step::Features(columns)) { columns: part; }
    "gamma" = (Step::Gamma { gamma }) {
        gamma: number, where gamma > 0.0 => ModelSyntax "a gamma that is not positive";
    }
    "alphabets" = (Step::Alphabets { sizes }) { sizes: sizes; }
}

impl Step {
    /// Stores the step's arrays under a name; returns the part of the document that [`Step::get`] needs.
    pub fn put(&self, container: &mut Container, prefix: &str) -> Result<Value> {
        container.put_stored(prefix, self)
    }

    /// The step stored under a name with that part of the document.
    ///
    /// Everything is checked except whether it matches the expression and the training objects, which
    /// [`Expression::restore`](super::Expression::restore) checks.
    pub fn get(container: &Container, prefix: &str, field: &Field<'_>) -> Result<Step> {
        container.stored(prefix, field)
    }

    /// The error for a stored step of another type than the expression has.
    pub(super) fn misplaced(&self, expected: &str) -> Error {
        Error::usage(format!("a stored step {}, but the expression has {expected}", self.name()))
    }
}

/// Whether a repair can have that report.
fn fits_report(extension: &Extension, report: &RepairReport) -> bool {
    match extension {
        Extension::Shift { .. } => report.method == Method::Shift,
        Extension::Project { .. } => report.method != Method::Shift,
        Extension::Exponential { .. } => matches!(report.method, Method::Diffuse { .. }),
    }
}

impl Stored for Extension {
    fn put(&self, put: &mut Put<'_>) -> Result<()> {
        match self {
            Extension::Shift { n, amount } => {
                put.count("objects", n)?;
                put.number("shift", amount)
            }
            Extension::Project { values, mapped, vectors, identity } => {
                put.count("objects", vectors.cols())?;
                put.numbers("values", values)?;
                put.numbers("mapped", mapped)?;
                put.matrix("vectors", vectors)?;
                put.flag("identity", identity)
            }
            Extension::Exponential { values, vectors, beta, subtracted } => {
                put.count("objects", vectors.cols())?;
                put.numbers("values", values)?;
                put.matrix("vectors", vectors)?;
                put.number("beta", beta)?;
                put.number("subtracted", subtracted)
            }
        }
    }

    fn get(get: &Get<'_>) -> Result<Self> {
        let n = get.count("objects")?;
        if let Some(shift) = get.field.find("shift")? {
            let amount = shift.number()?;
            get.ensure(amount >= 0.0, "shift", Code::ModelSyntax, "a negative shift")?;
            return Ok(Extension::Shift { n, amount });
        }
        let (values, vectors) = (get.numbers("values")?, get.matrix("vectors")?);
        // Without eigenvectors, no array confirms their length, but nothing is allocated for it either.
        let fits = (vectors.rows(), vectors.cols()) == (values.len(), n);
        let reason = format!("eigenvectors of shape {} × {}", vectors.rows(), vectors.cols());
        let reason = format!("{reason}, expected {} × {n}", values.len());
        get.ensure(fits, "vectors", Code::ModelCount, reason)?;
        if let Some(subtracted) = get.field.find("subtracted")? {
            get.check_len("values", values.len(), n)?;
            let (beta, subtracted) = (get.number("beta")?, subtracted.number()?);
            return Ok(Extension::Exponential { values, vectors, beta, subtracted });
        }
        let mapped = get.numbers("mapped")?;
        get.check_len("mapped", mapped.len(), values.len())?;
        if let Some(at) = values.iter().zip(&mapped).position(|(v, f)| *v == 0.0 || *f <= 0.0) {
            let reason = format!("eigenvalue {} is invalid for a repair", at + 1);
            return Err(get.field.fault(Code::ModelSyntax, reason));
        }
        Ok(Extension::Project { values, mapped, vectors, identity: get.flag("identity")? })
    }
}

impl Stored for RepairReport {
    fn put(&self, put: &mut Put<'_>) -> Result<()> {
        put.document = json!(self);
        Ok(())
    }

    fn get(get: &Get<'_>) -> Result<Self> {
        let method = get.field.get("method")?;
        let known = serde_json::from_value::<Method>(method.value().clone()).ok();
        let valid = known.filter(|m| !matches!(m, Method::Diffuse { beta } if *beta <= 0.0));
        // A value that overflows a double is stored as null.
        let number = |key: &str, beyond: f64| match get.field.find(key)? {
            Some(number) => number.number(),
            None => Ok(beyond),
        };
        Ok(RepairReport {
            method: valid.ok_or_else(|| method.fault(Code::ModelSyntax, "not a method of repair"))?,
            negative: get.count("negative")?,
            lambda_min: number("lambda_min", f64::NEG_INFINITY)?,
            lambda_max: number("lambda_max", f64::INFINITY)?,
            negative_share: number("negative_share", 1.0)?,
            relative_change: number("relative_change", f64::INFINITY)?,
        })
    }
}

stored! { Passage: m, get {
    objects: count = m.parts().0;
    map: matrix when "map" = m.parts().1;
    negative: count = m.parts().2;
    weight: number = m.parts().3;
} => Passage::from_parts(objects, map, negative, weight) }

stored! { FisherMap: m, get {
    distances: count = m.parts().0;
    kept: sizes = m.parts().1;
    mean: numbers = m.parts().2;
    deviation: numbers = m.parts().3;
    whitening: matrix when "full" = m.parts().4;
} => FisherMap::from_parts(distances, kept, mean, deviation, whitening) }

impl Put<'_> {
    fn text(&mut self, key: &str, text: &str) -> Result<()> {
        self.say(key, text)
    }

    /// The objects a walk passes through: all training objects, or the support vectors of a first model.
    fn through(&mut self, key: &str, support: &Option<Vec<usize>>) -> Result<()> {
        self.say("through", if support.is_some() { "support" } else { "train" })?;
        support.as_ref().map_or(Ok(()), |support| self.sizes(key, support))
    }
}

impl Get<'_> {
    fn text(&self, key: &str) -> Result<String> {
        Ok(self.field.get(key)?.text()?.to_owned())
    }

    fn through(&self, key: &str) -> Result<Option<Vec<usize>>> {
        let through = self.field.get("through")?;
        match through.text()? {
            "train" => Ok(None),
            "support" => self.sizes(key).map(Some),
            other => {
                let reason = format!("{} is not a valid `through` of a walk", shown(other));
                Err(through.fault(Code::ModelSyntax, reason))
            }
        }
    }
}

#[cfg(test)]
mod tests;
