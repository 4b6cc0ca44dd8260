//! The joint distribution of a Gaussian process at several objects.

use std::sync::Arc;

use super::Model;
use crate::data::{Dataset, Dense};
use crate::error::{Error, Result};
use crate::gram::{Engine, Silent};
use crate::learn::{GpModel, normal_samples};
use crate::model::align::align;

impl Model {
    /// The mean and the covariance of the function at all objects together, for models of `gp`. The covariance of new
    /// observations has [`GpModel::noise`] more on its diagonal.
    ///
    /// Time O(n² m + n m²) and memory for an m × m matrix, for m objects.
    ///
    /// ```
    /// use mercer::{data::{Dataset, Dense, Target}, gram::Engine, model::Model};
    /// let x = |values: &[f64]| Dataset::of_vectors(Dense::new(values.len(), 1, values.to_vec()).unwrap());
    /// let data = x(&[0.0, 1.0]).with_target("y", Target::Numbers(vec![0.0, 2.0]))?;
    /// let (kernel, learner, engine) = ("rbf(gamma=1)".parse()?, "gp(noise=0.1, scale=1)".parse()?, Engine::new());
    /// let model = Model::fit(&data, &kernel, &learner, 0, &engine)?;
    /// let (means, covariance) = model.predict_joint(&x(&[0.4, 0.5, 9.0]), &engine)?;
    /// assert!(means[0] < means[1] && covariance.at(0, 1) > 0.05 && covariance.at(0, 2) < covariance.at(0, 1));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn predict_joint(&self, data: &Dataset, engine: &Engine) -> Result<(Vec<f64>, Dense)> {
        let Some(model) = self.trained.model_as::<GpModel>() else {
            return Err(Error::usage(format!(
                "{} predicts no joint distribution: fit gp, a Gaussian process",
                self.learner.name()
            )));
        };
        engine.budget().check()?;
        let quiet = engine.clone().with_progress(Arc::new(Silent));
        let rows: Vec<usize> = (0..data.len()).collect();
        let set = quiet.prepare(&self.kernel, &align(&self.kept, data, &rows)?)?;
        let own: Dense = quiet.gram_of(&self.kernel, &set)?;
        let cross: Dense = quiet.cross_of(&self.kernel, &set, self.prepared(engine)?)?;
        engine.run(|| model.joint(&cross, &own))
    }

    /// Samples of the function at all objects together, for models of `gp`: one row per sample, which depends on the seed
    /// alone. Time O(m³ / 3) more than [`predict_joint`](Self::predict_joint).
    pub fn sample(&self, data: &Dataset, count: usize, seed: u64, engine: &Engine) -> Result<Dense> {
        let (means, covariance) = self.predict_joint(data, engine)?;
        engine.run(|| normal_samples(&means, &covariance, count, seed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Target;

    #[test]
    fn joint_predictions_agree_with_single_ones() {
        let x = Dense::new(20, 1, (0..20).map(|i| f64::from(i) / 3.0).collect()).unwrap();
        let y = Target::Numbers((0..20).map(|i| (f64::from(i) / 3.0).sin()).collect());
        let data = Dataset::of_vectors(x).with_target("y", y).unwrap();
        let engine = Engine::new();
        let fit = |learner: &str| {
            Model::fit(&data, &"rbf".parse().unwrap(), &learner.parse().unwrap(), 0, &engine).unwrap()
        };
        let model = fit("gp(noise=0.01)");
        let new = Dataset::of_vectors(Dense::from_rows(&[[0.3], [2.2], [9.0]]));
        let single = model.predict(&new, &engine).unwrap();
        let (means, covariance) = model.predict_joint(&new, &engine).unwrap();
        let deviations = single.deviations.unwrap();
        for i in 0..3 {
            let variance: f64 = covariance.at(i, i);
            assert!(((variance + 0.01).sqrt() - deviations[i]).abs() < 1e-9);
        }
        assert_eq!(means.len(), 3);
        assert_eq!(model.sample(&new, 4, 1, &engine).unwrap(), model.sample(&new, 4, 1, &engine).unwrap());
        let error = fit("ridge").predict_joint(&new, &engine).unwrap_err();
        assert!(error.to_string().contains("fit gp"), "{error}");
    }
}
