//! Joint predictions of Gaussian processes: covariances of new objects, and samples of the function.

use super::Model;
use crate::data::{Dataset, Dense};
use crate::error::{Error, Result};
use crate::gram::{Engine, Silent};
use crate::learn::normal_samples;
use crate::model::align::align;

impl Model {
    /// The means of the function at new objects and their covariance, without the noise of observations; the model must be
    /// of `gp`.
    ///
    /// Time O(n² m + n m²) for m new objects and n training objects, memory for two m × m matrices and one of m × n. With
    /// landmarks, or r pivots of conjugate gradients, n² becomes n·r; the covariance is then that of these models.
    ///
    /// ```
    /// use mercer::{data::{Dataset, Dense, Target}, gram::Engine, model::Model};
    /// let x = Dense::new(8, 1, (0..8).map(f64::from).collect())?;
    /// let y = Target::Numbers((0..8).map(|i| f64::from(i).sin()).collect());
    /// let (data, engine) = (Dataset::of_vectors(x).with_target("y", y)?, Engine::new());
    /// let model = Model::fit(&data, &"rbf".parse()?, &"gp".parse()?, 0, &engine)?;
    /// let new = Dataset::of_vectors(Dense::from_rows(&[[2.4], [2.5]]));
    /// let (means, covariance) = model.joint(&new, &engine)?;
    /// assert!((means[0] - 2.4f64.sin()).abs() < 0.1 && covariance.at(0, 1) > 0.0);
    /// let samples = model.samples(&new, 5, 0, &engine)?; // five functions, at the two objects
    /// assert_eq!((samples.rows(), samples.cols()), (5, 2));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn joint(&self, data: &Dataset, engine: &Engine) -> Result<(Vec<f64>, Dense)> {
        let Some(gp) = self.trained.process() else {
            return Err(Error::usage(format!("{} predicts no covariances: gp does", self.learner.name())));
        };
        let all: Vec<usize> = (0..data.len()).collect();
        let quiet = engine.clone().with_progress(std::sync::Arc::new(Silent));
        let objects = align(&self.kept, data, &all)?;
        let set = quiet.prepare(&self.kernel, &objects)?;
        let cross = quiet.cross_of(&self.kernel, &set, self.prepared(&quiet)?)?;
        let own = quiet.gram_of(&self.kernel, &set)?;
        quiet.run(|| gp.joint(&cross, &own))
    }

    /// Samples of the function at new objects (columns), one per row, without the noise of observations; the model must be
    /// of `gp`. They depend on the seed alone.
    pub fn samples(&self, data: &Dataset, count: usize, seed: u64, engine: &Engine) -> Result<Dense> {
        let (means, covariance) = self.joint(data, engine)?;
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
        let (means, covariance) = model.joint(&new, &engine).unwrap();
        let deviations = single.deviations.unwrap();
        for (i, deviation) in deviations.iter().enumerate() {
            let variance: f64 = covariance.at(i, i);
            assert!(((variance + 0.01).sqrt() - deviation).abs() < 1e-9);
        }
        assert_eq!(means.len(), 3);
        assert_eq!(model.samples(&new, 4, 1, &engine).unwrap(), model.samples(&new, 4, 1, &engine).unwrap());
        for many in ["gp(noise=0.01, landmarks=8)", "gp(noise=0.01, solver=cg)"] {
            let model = fit(many);
            let single = model.predict(&new, &engine).unwrap().deviations.unwrap();
            let (_, covariance) = model.joint(&new, &engine).unwrap();
            for (i, deviation) in single.iter().enumerate() {
                let found: f64 = covariance.at(i, i) + model.trained().process().unwrap().noise();
                assert!((found.sqrt() - deviation).abs() < 1e-9, "{many}");
            }
            assert_eq!(model.samples(&new, 4, 1, &engine).unwrap().rows(), 4);
        }
        let error = fit("ridge").joint(&new, &engine).unwrap_err();
        assert!(error.to_string().contains("gp does"), "{error}");
    }
}
