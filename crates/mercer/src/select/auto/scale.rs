//! How a method is fitted to more objects than exact kernels can do.

use crate::data::{Dataset, FeatureRows, Vectors};
use crate::error::{Error, Result};
use crate::expression::{Expression, Learner, LinearRows};
use crate::gram::Engine;

/// Up to this many training objects methods are fitted exactly, if memory suffices.
const EXACT: usize = 5000;
/// The matrices of doubles that an exact fit may need.
const MATRICES: u64 = 4;
/// The number of objects that show whether a kernel has explicit features.
const SHOWN: usize = 64;
/// Kernels with more explicit features of numbers than this are fitted through landmarks.
const MOST_FEATURES: usize = 2000;
/// The largest product of objects and landmarks.
const ENTRIES: usize = 50_000_000;

/// A method as it is fitted to many objects.
pub(super) struct Scaled {
    pub(super) kernel: Expression,
    pub(super) learner: Learner,
    /// How it differs from the method that was asked for, if it does.
    pub(super) how: Option<String>,
}

/// The number of objects up to which methods are fitted exactly: 5000, or as many as have room for their matrices.
pub(super) fn exact(engine: &Engine) -> usize {
    let fits = |room: u64| (room as f64 / (8 * MATRICES) as f64).sqrt() as usize;
    engine.memory().map_or(EXACT, |room| EXACT.min(fits(room)))
}

/// The method for this training set: the given one up to 5000 objects; beyond, a linear model on explicit features
/// where the kernel has some, and otherwise a function of landmarks. Depends on the data and the method alone, never on
/// time.
pub(super) fn at_scale(
    kernel: &Expression,
    learner: &Learner,
    data: &Dataset,
    engine: &Engine,
) -> Result<Scaled> {
    let (n, exact) = (data.len(), exact(engine));
    if n <= exact || !matches!(learner.name(), "svc" | "svr" | "ridge") {
        return Ok(Scaled { kernel: kernel.clone(), learner: learner.clone(), how: None });
    }
    let rows: Vec<usize> = (0..SHOWN.min(n)).map(|i| i * (n / SHOWN.min(n))).collect();
    if let Some(kernel) = with_features(kernel, &data.select(&rows), engine)? {
        let how = format!("fitted to explicit features, because there are more than {exact} objects");
        let (kernel, learner) = match learner.name() {
            "ridge" => (explicit(&kernel)?, learner.clone()),
            _ => (kernel, format!("linear-{learner}").parse()?),
        };
        return Ok(Scaled { kernel, learner, how: Some(how) });
    }
    let landmarks = (ENTRIES / n).clamp(200, 1000);
    let how = format!("fitted through {landmarks} landmarks, because there are more than {exact} objects");
    let (kernel, learner) = match learner.name() {
        "svr" => (
            kernel.wrapped("nystrom", &format!("rank={}", landmarks.min(500)))?,
            format!("linear-{learner}").parse()?,
        ),
        "ridge" => {
            let learner = learner.with("landmarks", landmarks as f64)?;
            // A penalty is learned from all eigenvalues, which a fit to landmarks does not have.
            (kernel.clone(), if learner.learns_lambda() { learner.with("lambda", 1.0)? } else { learner })
        }
        _ => {
            let text = learner.to_string().replacen("svc", "landmark-svc", 1);
            (kernel.clone(), text.parse::<Learner>()?.with("landmarks", landmarks as f64)?)
        }
    };
    Ok(Scaled { kernel, learner, how: Some(how) })
}

/// The kernel in a form that has explicit features, if there is one.
fn with_features(kernel: &Expression, few: &Dataset, engine: &Engine) -> Result<Option<Expression>> {
    for candidate in [kernel.clone(), explicit(kernel)?] {
        let suits = candidate.fit(few, engine).and_then(|fitted| {
            let rows = LinearRows::of(&candidate, &fitted.kernel, few, engine)?;
            let rows = rows.get()?;
            let is_sparse = matches!(rows, FeatureRows::Vectors(Vectors::Sparse(_)));
            Ok(is_sparse || rows.dim() <= MOST_FEATURES)
        });
        match suits {
            Ok(true) => return Ok(Some(candidate)),
            Err(error @ (Error::Interrupted | Error::Time { .. })) => return Err(error),
            _ => {}
        }
    }
    Ok(None)
}

/// The kernel computed by its explicit features.
fn explicit(kernel: &Expression) -> Result<Expression> {
    match kernel.writes_features() {
        true => Ok(kernel.clone()),
        false => kernel.wrapped("explicit", ""),
    }
}
