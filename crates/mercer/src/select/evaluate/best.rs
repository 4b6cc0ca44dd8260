//! The best value of one parameter in hindsight: the 'best power' of published experiments with walks.

use std::path::Path;

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::Evaluate;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::expression::{Expression, Learner};
use crate::gram::Engine;

/// The score of each value of one parameter on the test sets, and the value with the best score.
///
/// The best value is chosen *after* the test results are known, so its score is optimistic. It shows what the right
/// value would have given, not what to expect when the value must be chosen in advance. The nested choice of
/// [`Evaluate::run`] estimates the latter.
#[derive(Clone, Debug, PartialEq)]
pub struct BestOf {
    /// The parameter.
    pub parameter: String,
    /// The measure.
    pub score: &'static str,
    /// Every value with its mean score over the test sets; none where the measure is undefined.
    pub values: Vec<(String, Option<f64>)>,
    /// The index of the best one in `values`; ties go to the first. None where no value has a score.
    pub best: Option<usize>,
}

impl BestOf {
    /// The best value and its mean score.
    pub fn best(&self) -> Option<(&str, f64)> {
        let (value, score) = &self.values[self.best?];
        Some((value, (*score)?))
    }

    /// The caveat to show wherever the best value is shown.
    pub const NOTE: &'static str =
        "chosen after the test results were seen: optimistic, not what to expect on new objects";
}

/// Everything, with [`BestOf::NOTE`].
impl Serialize for BestOf {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let values: Vec<Value> =
            self.values.iter().map(|(value, mean)| json!({"value": value, "mean": mean})).collect();
        let best = self.best().map(|(value, mean)| json!({"value": value, "mean": mean}));
        json!({
            "parameter": self.parameter, "score": self.score, "values": values, "best": best,
            "chosen_on": "test sets", "note": Self::NOTE,
        })
        .serialize(to)
    }
}

impl Evaluate {
    /// Evaluates every value of one parameter of the kernel or the learner on the same outer splits. Other parameters
    /// are chosen inside the training sets as usual. Returns the value with the best mean score over the test sets.
    ///
    /// With `walk(…, p=1..7)` and the parameter `p` this is the 'best power' protocol. `journals` is a directory in
    /// which each evaluation has its own journal. The cost is that of searching the whole grid, plus one outer fit per
    /// value.
    ///
    /// ```
    /// use mercer::{data::generate, gram::Engine, select::{Evaluate, Protocol}};
    /// let data = generate::half_moons(40, 0.1, 1)?;
    /// let settings = Evaluate { protocol: Protocol::folds(2), ..Evaluate::of(&data)? };
    /// let kernel = "walk(rbf(gamma=1), p=[1, 2, 3])".parse()?;
    /// let found = settings.best_of("p", &data, &kernel, &"svc".parse()?, &Engine::new(), None)?;
    /// assert_eq!(found.values.len(), 3);
    /// let scores = found.values.iter().map(|(_, score)| score.unwrap());
    /// assert_eq!(found.best().unwrap().1, scores.fold(0.0, f64::max));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn best_of(
        &self,
        parameter: &str,
        data: &Dataset,
        kernel: &Expression,
        learner: &Learner,
        engine: &Engine,
        journals: Option<&Path>,
    ) -> Result<BestOf> {
        let methods = methods(parameter, kernel, learner)?;
        let mut values = Vec::with_capacity(methods.len());
        for (value, kernel, learner) in &methods {
            let report = self.run(data, kernel, learner, engine, journals.filter(|path| path.is_dir()))?;
            values.push((value.clone(), report.measures.first().and_then(|m| m.mean)));
        }
        let sign = if self.score.greater_is_better() { 1.0 } else { -1.0 };
        let mut best: Option<(usize, f64)> = None;
        for (at, score) in values.iter().enumerate().filter_map(|(at, v)| Some((at, sign * v.1?))) {
            if best.is_none_or(|(_, so_far)| score > so_far) {
                best = Some((at, score));
            }
        }
        let best = best.map(|(at, _)| at);
        Ok(BestOf { parameter: parameter.to_owned(), score: self.score.name(), values, best })
    }

    /// Checks, before any work, that [`Evaluate::best_of`] can be used with this parameter.
    pub fn check_best_of(parameter: &str, kernel: &Expression, learner: &Learner) -> Result<()> {
        methods(parameter, kernel, learner).map(drop)
    }
}

/// The kernel and the learner with each value of the parameter; all other ranges are kept.
fn methods(
    parameter: &str,
    kernel: &Expression,
    learner: &Learner,
) -> Result<Vec<(String, Expression, Learner)>> {
    let (of_kernel, of_learner) = (kernel.choices(), learner.choices());
    let places: Vec<usize> = (0..of_kernel.len()).filter(|&at| of_kernel[at].0 == parameter).collect();
    let in_learner = of_learner.iter().find(|(name, _)| name == parameter);
    let unfit = |domain: String| Error::Param { name: "best-of".into(), value: parameter.to_owned(), domain };
    match (&places[..], in_learner) {
        (&[at], None) => {
            let pick = |(i, value): (usize, &crate::expression::Value)| {
                Ok((value.to_string(), kernel.choose(at, i)?, learner.clone()))
            };
            of_kernel[at].1.iter().enumerate().map(pick).collect()
        }
        (&[], Some((name, values))) => {
            let with = |value: &crate::expression::Value| {
                Ok((value.to_string(), kernel.clone(), learner.with(name, value.clone())?))
            };
            values.iter().map(with).collect()
        }
        (&[], None) => {
            let open: Vec<&str> =
                of_kernel.iter().chain(&of_learner).map(|(name, _)| name.as_str()).collect();
            let domain = match open.is_empty() {
                true => "a parameter with a range, such as p of walk(rbf, p=1..7): there is none".to_owned(),
                false => format!("a parameter with a range: {}", open.join(", ")),
            };
            Err(unfit(domain))
        }
        _ => Err(unfit("a parameter that has a range in one place only".into())),
    }
}
