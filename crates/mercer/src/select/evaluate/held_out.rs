//! The scores of a fitted model on a test set that it has not seen.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::verdict::{Evidence, Measure, Verdict};
use super::{Evaluate, Predictions, Summary};
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::model::Model;
use crate::select::score::Bootstrap;
use crate::select::search::{Answers, baseline};
use crate::select::{Objects, Protocol, Split, Splits};

/// A model scored once on a test set, compared with the baseline of its training set.
#[derive(Clone, Debug, PartialEq)]
pub struct TestReport {
    /// The number of objects of the training set.
    pub train: usize,
    /// The number of objects that the model was fitted to, if it is known: fewer than those of the training set where time or
    /// memory were short, or where some were kept for calibration.
    pub fitted: Option<usize>,
    /// The number of test objects.
    pub objects: usize,
    /// The measures; the one for the verdict comes first.
    pub measures: Vec<Summary>,
    /// The name of the baseline: `majority` or `mean`.
    pub baseline: &'static str,
    /// Whether the baseline is beaten, by a paired test on the test objects.
    pub verdict: Verdict,
    /// The predictions.
    pub predictions: Predictions,
}

impl Evaluate {
    /// Predicts the test set of a data set by a model that was fitted to its training set, and scores the predictions by
    /// [`Evaluate::score`] and [`Evaluate::also`].
    ///
    /// The difference from the baseline, the majority class or the mean of the training set, is tested on the objects:
    /// see the table of [`crate::select::compare`]. One test set gives one score, so there is no deviation over splits.
    ///
    /// ```
    /// use mercer::{data::generate, gram::Engine, model::Model, select::Evaluate};
    /// let data = generate::half_moons(80, 0.1, 1)?.with_test((0..80).map(|i| i % 4 == 0).collect())?;
    /// let engine = Engine::new();
    /// let model = Model::fit(&data.training_set(), &"rbf(gamma=1)".parse()?, &"svc(C=10)".parse()?, 0, &engine)?;
    /// let found = Evaluate::of(&data)?.test_model(&model, &data, &engine)?;
    /// assert_eq!((found.train, found.objects, found.verdict.beaten), (60, 20, Some(true)));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn test_model(&self, model: &Model, data: &Dataset, engine: &Engine) -> Result<TestReport> {
        let (Some(test), Some(target)) = (data.test(), data.target()) else {
            return Err(Error::usage(
                "a model is scored on a test set with a target, and this data has none",
            ));
        };
        let (test, train): (Vec<usize>, Vec<usize>) = (0..data.len()).partition(|&i| test[i]);
        let prediction = model.predict(&data.select(&test), engine)?;
        let settings = Evaluate { protocol: Protocol::TrainTest, ..self.clone() };
        let splits = Splits::new(&settings.protocol, &Objects::of(data)?, settings.seed)?;
        let split = Split { repetition: 0, fold: 0, train, test };
        let (mut own, mut other) = (Answers::new(target), Answers::new(target));
        own.add(target, &split.test, &prediction)?;
        other.add(target, &split.test, &baseline(target, &split, &settings.protocol)?)?;
        own.add_groups(data.groups(), &split.test);
        other.add_groups(data.groups(), &split.test);
        let bootstrap = Bootstrap { level: settings.level, seed: settings.seed, ..Bootstrap::default() };
        let mut measures = Vec::new();
        for score in settings.measures() {
            measures.push(Summary {
                score,
                mean: own.measure(score)?.value(),
                sd: None,
                interval: own.interval(score, &bootstrap)?.value(),
                baseline_mean: other.measure(score)?.value(),
                baseline_sd: None,
                undefined: 0,
            });
        }
        let name = match target {
            Target::Classes(_) => "majority",
            Target::Numbers(_) => "mean",
        };
        let measure = |m: &Summary| Measure {
            score: m.score,
            own: vec![m.mean],
            baseline: vec![m.baseline_mean],
            mean: m.mean,
            baseline_mean: m.baseline_mean,
        };
        let evidence = Evidence {
            settings: &settings,
            splits: &splits,
            baseline: name,
            pooled: true,
            own: &own,
            other: &other,
            measures: measures.iter().map(measure).collect(),
        };
        let verdict = evidence.verdict()?;
        Ok(TestReport {
            train: split.train.len(),
            fitted: model.objects(),
            objects: split.test.len(),
            measures,
            baseline: name,
            verdict,
            predictions: Predictions::of_test(data, split.test, &own),
        })
    }
}

/// The report without the predictions, which are among the figures of a run.
impl Serialize for TestReport {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let measure = |m: &Summary| -> Value {
            json!({
                "score": m.score, "greater_is_better": m.score.greater_is_better(), "value": m.mean,
                "interval": m.interval, "baseline": m.baseline_mean,
            })
        };
        json!({
            "train": self.train, "fitted": self.fitted, "objects": self.objects, "baseline": self.baseline,
            "measures": self.measures.iter().map(measure).collect::<Vec<_>>(),
            "verdict": self.verdict.document(),
        })
        .serialize(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, Dense};

    /// Two classes on a line. The last fifth is the test set; its classes are reversed if `poisoned`.
    fn line(poisoned: bool) -> Dataset {
        let n = 100;
        let x = (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 } + 0.3 * (i as f64 * 0.7).sin()).collect();
        let class = |i: usize| if i.is_multiple_of(2) != (poisoned && i >= 80) { "a" } else { "b" };
        let classes = Categories::from_values((0..n).map(|i| Some(class(i))));
        let data = Dataset::of_vectors(Dense::new(n, 1, x).unwrap());
        let data = data.with_target("y", Target::Classes(classes)).unwrap();
        data.with_test((0..n).map(|i| i >= 80).collect()).unwrap()
    }

    fn tested(data: &Dataset, learner: &str) -> TestReport {
        let engine = Engine::new();
        let (kernel, learner) = ("linear".parse().unwrap(), learner.parse().unwrap());
        let model = Model::fit(&data.training_set(), &kernel, &learner, 0, &engine).unwrap();
        Evaluate::of(data).unwrap().test_model(&model, data, &engine).unwrap()
    }

    #[test]
    fn reversed_classes_of_the_test_set_give_a_score_of_zero() {
        let good = tested(&line(false), "svc");
        assert_eq!((good.measures[0].mean, good.verdict.beaten), (Some(1.0), Some(true)));
        assert_eq!((good.train, good.objects, good.predictions.objects[0]), (80, 20, 80));
        let bad = tested(&line(true), "svc");
        assert_eq!((bad.measures[0].mean, bad.verdict.beaten), (Some(0.0), Some(false)));
        assert!(
            bad.verdict.sentence.contains("WORSE than the majority-class baseline"),
            "{}",
            bad.verdict.sentence
        );
    }

    #[test]
    fn the_objects_that_the_model_knows_are_counted() {
        let data = line(false);
        let of = |rows: &[usize]| {
            let (kernel, learner, engine) =
                ("linear".parse().unwrap(), "svc".parse().unwrap(), Engine::new());
            let model = Model::fit(&data.select(rows), &kernel, &learner, 0, &engine).unwrap();
            let again = Model::from_bytes("m", &model.to_bytes().unwrap(), &engine).unwrap();
            let settings = Evaluate::of(&data).unwrap();
            [model, again].map(|m| settings.test_model(&m, &data, &engine).unwrap())
        };
        for found in of(&(0..30).collect::<Vec<_>>()) {
            assert_eq!((found.train, found.fitted, found.objects), (80, Some(30), 20));
        }
        for found in of(&(0..80).collect::<Vec<_>>()) {
            assert_eq!((found.train, found.fitted), (80, Some(80)));
        }
    }

    #[test]
    fn numbers_and_unseen_classes_are_scored() {
        let data = line(false);
        let y: Vec<f64> = (0..data.len()).map(|i| (i % 7) as f64 + 0.5).collect();
        let numbers = data.clone().with_target("y", Target::Numbers(y)).unwrap();
        let found = tested(&numbers, "ridge");
        assert!(found.measures[0].mean.is_some() && found.baseline == "mean");
        let class = |i: usize| if i >= 90 { "new" } else { ["a", "b"][i % 2] };
        let classes = Categories::from_values((0..100).map(|i| Some(class(i))));
        let unseen = data.with_target("y", Target::Classes(classes)).unwrap();
        let found = tested(&unseen, "svc");
        assert_eq!(found.measures[0].mean, Some(0.5));
        let plain = Dataset::of_vectors(Dense::zeros(3, 1));
        let model = Model::fit(
            &line(false).training_set(),
            &"linear".parse().unwrap(),
            &"svc".parse().unwrap(),
            0,
            &Engine::new(),
        );
        let settings = Evaluate::of(&line(false)).unwrap();
        assert!(settings.test_model(&model.unwrap(), &plain, &Engine::new()).is_err());
    }
}
