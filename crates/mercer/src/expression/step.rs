//! What wrappers learned from the training objects, in the order in which an expression is traversed.
//!
//! A model stores these steps instead of the training objects where possible. To add a fitted wrapper:
//!
//! 1. add a variant of [`Step`] that holds the results of the fit, with its lines in `name`, `put` and `get`;
//! 2. call `scope.fit.stored()?` in the wrapper's `make`: `None` means fit now, a step means use its content, checked
//!    against the given training objects; then call `scope.fit.record(step)` in both cases;
//! 3. if its kernel compares new objects with all training objects, add `keeping_training` in the registry.

use serde_json::{Value, json};

mod terms;
mod visual;

use self::terms::{get_terms, put_terms};
use self::visual::{get_words, put_words};
use super::explicit::{get_columns, put_columns};
use super::filling::Filling;
use super::mkl::Decisions;
use super::scaling::Scaling;
use crate::container::{Array, Container, Field};
use crate::data::{Dataset, Dense};
use crate::error::shown;
use crate::error::{Code, Error, Result};
use crate::gram::{Extension, FisherMap, Method, Passage, RepairReport};
use crate::kernel::FeatureColumns;
use crate::kernel::image::Words;
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
    /// `standardize` and `minmax`: the scale of each number column.
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
    /// `similarity`.
    References {
        /// The training objects used as references.
        chosen: Vec<usize>,
        /// The map from distances to features.
        map: FisherMap,
    },
    /// `mkl`: the factor of each kernel.
    Weights(Vec<f64>),
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

impl Step {
    /// Its name in files.
    pub fn name(&self) -> &'static str {
        match self {
            Step::Scaling(_) => "scaling",
            Step::Filling(_) => "filling",
            Step::Terms(_) => "terms",
            Step::Visual(_) => "visual",
            Step::Center { .. } => "center",
            Step::Repair { .. } => "repair",
            Step::Exponential { .. } => "exponential",
            Step::Walk { .. } => "walk",
            Step::Markov { .. } => "markov",
            Step::Window { .. } => "window",
            Step::References { .. } => "references",
            Step::Weights(_) => "weights",
            Step::Fusion(_) => "fusion",
            Step::Transductive { .. } => "transductive",
            Step::Landmarks { .. } => "landmarks",
            Step::Features(_) => "features",
            Step::Gamma { .. } => "gamma",
            Step::Alphabets { .. } => "alphabets",
        }
    }

    /// Stores the step's arrays under a name; returns the part of the document that [`Step::get`] needs.
    pub fn put(&self, container: &mut Container, prefix: &str) -> Result<Value> {
        let mut document = match self {
            Step::Scaling(scaling) => scaling.put(container, prefix)?,
            Step::Filling(filling) => filling.put(container, prefix)?,
            Step::Terms(vocabulary) => put_terms(vocabulary, container, prefix)?,
            Step::Visual(words) => put_words(words, container, prefix)?,
            Step::Center { grand_mean } => json!({"grand_mean": grand_mean}),
            Step::Repair { extension, report } => {
                let mut document = put_extension(extension, container, prefix)?;
                document["report"] = json!(report);
                document
            }
            Step::Exponential { extension } => put_extension(extension, container, prefix)?,
            Step::Walk { support, passage } => {
                put_walk(support.as_deref(), passage.as_ref(), container, prefix)?
            }
            Step::Markov { mean_degree } => json!({"mean_degree": mean_degree}),
            Step::Window { window } => json!({"window": window}),
            Step::References { chosen, map } => put_references(chosen, map, container, prefix)?,
            Step::Weights(weights) => {
                container.insert(format!("{prefix}/weights"), Array::list(weights.clone()))?;
                json!({})
            }
            Step::Fusion(Decisions { coefficients, offsets, held_out }) => {
                container.insert(format!("{prefix}/coefficients"), matrix(coefficients)?)?;
                container.insert(format!("{prefix}/offsets"), Array::list(offsets.clone()))?;
                container.insert(format!("{prefix}/held-out"), matrix(held_out)?)?;
                json!({})
            }
            Step::Transductive { gram } => {
                container.insert(format!("{prefix}/gram"), matrix(gram)?)?;
                json!({"objects": gram.rows()})
            }
            Step::Landmarks { objects, map, error } => {
                container.insert(format!("{prefix}/map"), matrix(map)?)?;
                let objects = container.put_dataset(&format!("{prefix}/objects"), objects)?;
                json!({"objects": objects, "error": error})
            }
            Step::Features(columns) => put_columns(columns, container, prefix)?,
            Step::Gamma { gamma } => json!({"gamma": gamma}),
            Step::Alphabets { sizes } => {
                let sizes = sizes.iter().map(|&s| s as u64).collect::<Vec<_>>();
                container.insert(format!("{prefix}/sizes"), Array::list(sizes))?;
                json!({})
            }
        };
        document["step"] = self.name().into();
        Ok(document)
    }

    /// The step stored under a name with that part of the document.
    ///
    /// Everything is checked except whether it matches the expression and the training objects, which
    /// [`Expression::restore`](super::Expression::restore) checks.
    pub fn get(container: &Container, prefix: &str, field: &Field<'_>) -> Result<Step> {
        let name = field.get("step")?;
        match name.text()? {
            "scaling" => Scaling::get(container, prefix, field).map(Step::Scaling),
            "filling" => Filling::get(container, prefix, field).map(Step::Filling),
            "terms" => get_terms(container, prefix, field).map(Step::Terms),
            "visual" => get_words(container, prefix, field).map(Step::Visual),
            "center" => Ok(Step::Center { grand_mean: field.get("grand_mean")?.number()? }),
            "repair" => {
                let report = get_report(&field.get("report")?)?;
                let extension = get_extension(container, prefix, field)?;
                let shifts = matches!(extension, Extension::Shift { .. });
                let walks = matches!(extension, Extension::Exponential { .. });
                let diffuses = matches!(report.method, Method::Diffuse { .. });
                if shifts != (report.method == Method::Shift) || walks && !diffuses {
                    return Err(
                        field.fault(Code::ModelSyntax, "the method of the repair differs from its report")
                    );
                }
                Ok(Step::Repair { extension, report })
            }
            "exponential" => match get_extension(container, prefix, field)? {
                extension @ Extension::Exponential { .. } => Ok(Step::Exponential { extension }),
                _ => Err(field.fault(Code::ModelSyntax, "not an exponential")),
            },
            "walk" => get_walk(container, prefix, field),
            "markov" => Ok(Step::Markov { mean_degree: field.get("mean_degree")?.number()? }),
            "window" => {
                let stored = field.get("window")?;
                match stored.number()? {
                    window if (0.0..=1.0).contains(&window) => Ok(Step::Window { window }),
                    _ => Err(stored.fault(Code::ModelSyntax, "a window outside 0..1")),
                }
            }
            "references" => get_references(container, prefix, field),
            "weights" => {
                let weights = container.finite(&format!("{prefix}/weights"))?.to_vec();
                if weights.iter().any(|w| *w < 0.0) {
                    return Err(field.fault(Code::ModelSyntax, "a negative weight"));
                }
                Ok(Step::Weights(weights))
            }
            // The shapes are checked against each other and the training objects where they are used.
            "fusion" => Ok(Step::Fusion(Decisions {
                coefficients: container.matrix(&format!("{prefix}/coefficients"))?,
                offsets: container.finite(&format!("{prefix}/offsets"))?.to_vec(),
                held_out: container.matrix(&format!("{prefix}/held-out"))?,
            })),
            "transductive" => get_transductive(container, prefix, field),
            "landmarks" => {
                let objects = field.get("objects")?;
                let objects = container.dataset(&format!("{prefix}/objects"), objects.value())?;
                let map: Dense = container.matrix(&format!("{prefix}/map"))?;
                let error = field.get("error")?;
                match error.number()? {
                    share if (0.0..=1.0).contains(&share) => {
                        Ok(Step::Landmarks { objects, map, error: share })
                    }
                    _ => Err(error.fault(Code::ModelSyntax, "an error outside 0..1")),
                }
            }
            "features" => get_columns(container, prefix, field).map(Step::Features),
            "gamma" => {
                let stored = field.get("gamma")?;
                match stored.number()? {
                    gamma if gamma > 0.0 && gamma.is_finite() => Ok(Step::Gamma { gamma }),
                    _ => Err(stored.fault(Code::ModelSyntax, "a gamma that is not positive")),
                }
            }
            "alphabets" => {
                let stored = container.u64s(&format!("{prefix}/sizes"))?.iter();
                let sizes = stored.map(|&s| usize::try_from(s).unwrap_or(usize::MAX)).collect();
                Ok(Step::Alphabets { sizes })
            }
            other => Err(name
                .fault(Code::ModelSyntax, format!("{} is not a step known to this version", shown(other)))),
        }
    }

    /// The error for a stored step of another type than the expression has.
    pub(super) fn misplaced(&self, expected: &str) -> Error {
        Error::usage(format!("a stored step {}, but the expression has {expected}", self.name()))
    }
}

fn put_extension(extension: &Extension, container: &mut Container, prefix: &str) -> Result<Value> {
    match extension {
        Extension::Shift { n, amount } => Ok(json!({"objects": n, "shift": amount})),
        Extension::Project { values, mapped, vectors, identity } => {
            container.insert(format!("{prefix}/values"), Array::list(values.clone()))?;
            container.insert(format!("{prefix}/mapped"), Array::list(mapped.clone()))?;
            container.insert(format!("{prefix}/vectors"), matrix(vectors)?)?;
            Ok(json!({"objects": vectors.cols(), "identity": identity}))
        }
        Extension::Exponential { values, vectors, beta, subtracted } => {
            container.insert(format!("{prefix}/values"), Array::list(values.clone()))?;
            container.insert(format!("{prefix}/vectors"), matrix(vectors)?)?;
            Ok(json!({"objects": vectors.cols(), "beta": beta, "subtracted": subtracted}))
        }
    }
}

fn get_extension(container: &Container, prefix: &str, field: &Field<'_>) -> Result<Extension> {
    let n = field.get("objects")?.count()?;
    if let Some(shift) = field.find("shift")? {
        let amount = shift.number()?;
        if amount < 0.0 {
            return Err(shift.fault(Code::ModelSyntax, "a negative shift"));
        }
        return Ok(Extension::Shift { n, amount });
    }
    let values = container.finite(&format!("{prefix}/values"))?;
    if let Some(subtracted) = field.find("subtracted")? {
        let vectors: Dense = container.matrix(&format!("{prefix}/vectors"))?;
        if (vectors.rows(), vectors.cols()) != (n, n) || values.len() != n {
            let reason =
                format!("{} eigenvalues with {} eigenvectors of {n} objects", values.len(), vectors.rows());
            return Err(field.fault(Code::ModelCount, reason));
        }
        let (beta, subtracted) = (field.get("beta")?.number()?, subtracted.number()?);
        return Ok(Extension::Exponential { values: values.to_vec(), vectors, beta, subtracted });
    }
    let mapped = container.finite_of(&format!("{prefix}/mapped"), values.len())?;
    let fault = |code, reason: String| Err(field.fault(code, reason));
    if let Some(at) = values.iter().zip(mapped).position(|(v, f)| *v == 0.0 || *f <= 0.0) {
        return fault(Code::ModelSyntax, format!("eigenvalue {} is invalid for a repair", at + 1));
    }
    let vectors: Dense = container.matrix(&format!("{prefix}/vectors"))?;
    // Without eigenvectors, no array confirms their length, but nothing is allocated for it either.
    if vectors.rows() != values.len() || vectors.cols() != n {
        let found = format!("{} × {}", vectors.rows(), vectors.cols());
        let reason = format!("eigenvectors of shape {found}, expected {} × {n}", values.len());
        return fault(Code::ModelCount, reason);
    }
    let identity = field.get("identity")?.flag()?;
    Ok(Extension::Project { values: values.to_vec(), mapped: mapped.to_vec(), vectors, identity })
}

fn get_report(field: &Field<'_>) -> Result<RepairReport> {
    let method = field.get("method")?;
    let known = serde_json::from_value::<Method>(method.value().clone()).ok();
    let valid = known.filter(|m| !matches!(m, Method::Diffuse { beta } if *beta <= 0.0));
    // A value that overflows a double is stored as null.
    let number = |key: &str, beyond: f64| match field.find(key)? {
        Some(number) => number.number(),
        None => Ok(beyond),
    };
    Ok(RepairReport {
        method: valid.ok_or_else(|| method.fault(Code::ModelSyntax, "not a method of repair"))?,
        negative: field.get("negative")?.count()?,
        lambda_min: number("lambda_min", f64::NEG_INFINITY)?,
        lambda_max: number("lambda_max", f64::INFINITY)?,
        negative_share: number("negative_share", 1.0)?,
        relative_change: number("relative_change", f64::INFINITY)?,
    })
}

fn matrix(a: &Dense) -> Result<Array> {
    Array::new(&[a.rows(), a.cols()], a.values().to_vec())
}

fn put_walk(
    support: Option<&[usize]>,
    passage: Option<&Passage>,
    container: &mut Container,
    prefix: &str,
) -> Result<Value> {
    let mut document = json!({"through": if support.is_some() { "support" } else { "train" }});
    if let Some(support) = support {
        let indices: Vec<u64> = support.iter().map(|&i| i as u64).collect();
        container.insert(format!("{prefix}/support"), Array::list(indices))?;
    }
    if let Some(passage) = passage {
        let (n, map, negative, weight) = passage.parts();
        document["passage"] =
            json!({"objects": n, "negative": negative, "weight": weight, "map": map.is_some()});
        if let Some(map) = map {
            container.insert(format!("{prefix}/map"), matrix(map)?)?;
        }
    }
    Ok(document)
}

fn get_walk(container: &Container, prefix: &str, field: &Field<'_>) -> Result<Step> {
    let through = field.get("through")?;
    let support = match through.text()? {
        "train" => None,
        "support" => {
            let stored = container.u64s(&format!("{prefix}/support"))?.iter();
            // An index out of range is refused when it is used.
            Some(stored.map(|&i| usize::try_from(i).unwrap_or(usize::MAX)).collect())
        }
        other => {
            let reason = format!("{} is not a valid `through` of a walk", shown(other));
            return Err(through.fault(Code::ModelSyntax, reason));
        }
    };
    let Some(stored) = field.find("passage")? else { return Ok(Step::Walk { support, passage: None }) };
    let map = match stored.get("map")?.flag()? {
        true => Some(container.matrix(&format!("{prefix}/map"))?),
        false => None,
    };
    let (n, negative) = (stored.get("objects")?.count()?, stored.get("negative")?.count()?);
    let passage = Passage::from_parts(n, map, negative, stored.get("weight")?.number()?);
    let passage = passage.map_err(|e| stored.fault(Code::ModelCount, e.to_string()))?;
    Ok(Step::Walk { support, passage: Some(passage) })
}

fn put_references(
    chosen: &[usize],
    map: &FisherMap,
    container: &mut Container,
    prefix: &str,
) -> Result<Value> {
    let wide = |indices: &[usize]| Array::list(indices.iter().map(|&i| i as u64).collect::<Vec<_>>());
    let (inputs, kept, mean, deviation, whitening) = map.parts();
    container.insert(format!("{prefix}/chosen"), wide(chosen))?;
    container.insert(format!("{prefix}/kept"), wide(kept))?;
    container.insert(format!("{prefix}/mean"), Array::list(mean.to_vec()))?;
    container.insert(format!("{prefix}/deviation"), Array::list(deviation.to_vec()))?;
    if let Some(whitening) = whitening {
        container.insert(format!("{prefix}/whitening"), matrix(whitening)?)?;
    }
    Ok(json!({"distances": inputs, "full": whitening.is_some()}))
}

fn get_references(container: &Container, prefix: &str, field: &Field<'_>) -> Result<Step> {
    // An index out of range is refused when it is used.
    let narrow = |name: &str| {
        let stored = container.u64s(&format!("{prefix}/{name}"))?.iter();
        Ok::<_, Error>(stored.map(|&i| usize::try_from(i).unwrap_or(usize::MAX)).collect::<Vec<_>>())
    };
    let (chosen, kept) = (narrow("chosen")?, narrow("kept")?);
    let mean = container.finite_of(&format!("{prefix}/mean"), kept.len())?.to_vec();
    let deviation = container.finite_of(&format!("{prefix}/deviation"), kept.len())?.to_vec();
    let whitening = match field.get("full")?.flag()? {
        true => Some(container.matrix(&format!("{prefix}/whitening"))?),
        false => None,
    };
    let inputs = field.get("distances")?.count()?;
    let map = FisherMap::from_parts(inputs, kept, mean, deviation, whitening);
    let map = map.map_err(|e| field.fault(Code::ModelCount, e.to_string()))?;
    Ok(Step::References { chosen, map })
}

fn get_transductive(container: &Container, prefix: &str, field: &Field<'_>) -> Result<Step> {
    let gram: Dense = container.matrix(&format!("{prefix}/gram"))?;
    let n = field.get("objects")?.count()?;
    if (gram.rows(), gram.cols()) != (n, n) || crate::gram::symmetry(&gram)?.2 != 0.0 {
        let reason = format!("similarities are not a symmetric matrix of {n} objects");
        return Err(field.fault(Code::ModelCount, reason));
    }
    Ok(Step::Transductive { gram })
}

#[cfg(test)]
mod tests;
