use proptest::prelude::*;

use super::*;
use crate::learn::PredictFrom;
use crate::learn::learner::Predictor;
use crate::random::Random;

fn rbf(x: &[f64], y: &[f64]) -> Dense {
    let values = x.iter().flat_map(|a| y.iter().map(move |b| (-0.5 * (a - b) * (a - b)).exp())).collect();
    Dense::new(x.len(), y.len(), values).unwrap()
}

fn problem(n: usize, noise: f64, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let mut random = Random::new(seed);
    let x: Vec<f64> = (0..n).map(|_| 6.0 * random.unit()).collect();
    let y = x.iter().map(|x| 3.0 + (1.3 * x).sin() + noise * random.normal()).collect();
    (x, y)
}

fn given(scale: f64, noise: f64, constant: bool) -> GaussianProcess {
    GaussianProcess::new().with_scale(scale).with_noise(noise).with_constant_mean(constant)
}

#[test]
fn the_spectrum_and_the_factor_give_the_same_likelihood() {
    let (x, y) = problem(17, 0.2, 1);
    let gram = rbf(&x, &x);
    let weights: Vec<f64> = (0..17).map(|i| 0.5 + f64::from(i % 3)).collect();
    for constant in [false, true] {
        for weights in [None, Some(weights.clone())] {
            let evidence = Evidence::new(&gram, &y, weights.as_deref(), constant).unwrap();
            for (scale, noise) in [(1.0, 0.1), (4.0, 0.01), (0.3, 2.0)] {
                let mut gp = given(scale, noise, constant);
                gp.weights = weights.clone();
                let model = gp.fit_gram(&gram, &y).unwrap();
                let other = evidence.log_likelihood(scale, noise);
                assert!((model.log_likelihood() - other).abs() < 1e-9, "{} {other}", model.log_likelihood());
            }
        }
    }
}

#[test]
fn learned_scale_and_noise_are_the_best_of_a_grid() {
    let (x, y) = problem(60, 0.3, 5);
    let gram = rbf(&x, &x);
    for constant in [false, true] {
        let model = GaussianProcess::new().with_constant_mean(constant).fit_gram(&gram, &y).unwrap();
        for i in -6..=6 {
            for j in -6..=6 {
                let (scale, noise) = (10f64.powf(0.5 * f64::from(i)), 10f64.powf(0.5 * f64::from(j)));
                let other = given(scale, noise, constant).fit_gram(&gram, &y).unwrap();
                assert!(other.log_likelihood() <= model.log_likelihood() + 1e-9, "{scale} {noise}");
            }
        }
        assert!((model.noise().sqrt() - 0.3).abs() < 0.1, "{}", model.noise());
        // A given scale or noise is kept, and the other is best for it.
        let kept =
            GaussianProcess::new().with_constant_mean(constant).with_scale(2.0).fit_gram(&gram, &y).unwrap();
        assert_eq!(kept.scale(), 2.0);
        assert!(
            (kept.noise() - model.noise()).abs() < 0.05 && kept.log_likelihood() <= model.log_likelihood()
        );
        let kept =
            GaussianProcess::new().with_constant_mean(constant).with_noise(0.09).fit_gram(&gram, &y).unwrap();
        assert!(kept.noise() == 0.09 && kept.log_likelihood() <= model.log_likelihood());
        for factor in [0.9, 1.1] {
            let other = given(kept.scale() * factor, 0.09, constant).fit_gram(&gram, &y).unwrap();
            assert!(other.log_likelihood() < kept.log_likelihood());
        }
    }
}

#[test]
fn worked_values() {
    let (x, y) = ([0.0, 1.0, 2.5], [1.0, -1.0, 0.5]);
    let model = given(1.0, 0.1, false).fit_gram(&rbf(&x, &x), &y).unwrap();
    let new = [0.5, 4.0];
    let found = model.posterior(&rbf(&new, &x), &[1.0, 1.0]).unwrap();
    // By the formula, with the inverse.
    let mut k = rbf(&x, &x);
    (0..3).for_each(|i| k.row_mut(i)[i] += 0.1);
    let g = inverse(k).unwrap();
    for (i, row) in [0, 1].map(|i| rbf(&new, &x).row(i).to_vec()).iter().enumerate() {
        let gk: Vec<f64> = (0..3).map(|r| dot(g.row(r), row)).collect();
        assert!((found.means[i] - dot(&gk, &y)).abs() < 1e-13);
        assert!((found.variances[i] - (1.0 - dot(&gk, row))).abs() < 1e-13);
    }
}

#[test]
fn weights_are_repeated_measurements() {
    // Three observations of one object equal their mean with weight 3, up to a constant of the likelihood.
    let (x, y) = ([0.0, 1.0, 1.0, 1.0, 2.0], [0.3, 1.0, 1.2, 1.4, 0.1]);
    let all = given(1.5, 0.2, true).fit_gram(&rbf(&x, &x), &y).unwrap();
    let (few, mean) = ([0.0, 1.0, 2.0], [0.3, 1.2, 0.1]);
    let weighted = given(1.5, 0.2, true).with_weights(vec![1.0, 3.0, 1.0]);
    let weighted = weighted.fit_gram(&rbf(&few, &few), &mean).unwrap();
    let new = [0.4, 5.0];
    let a = all.posterior(&rbf(&new, &x), &[1.0; 2]).unwrap();
    let b = weighted.posterior(&rbf(&new, &few), &[1.0; 2]).unwrap();
    for i in 0..2 {
        assert!((a.means[i] - b.means[i]).abs() < 1e-12 && (a.variances[i] - b.variances[i]).abs() < 1e-12);
    }
    // A weight of 0 leaves the object out.
    let without = given(1.5, 0.2, true).with_weights(vec![1.0, 0.0, 3.0, 0.0, 1.0]);
    let (without, used) = without.fit_gram(&rbf(&x, &x), &y).unwrap().compact().unwrap();
    assert_eq!(used, [0, 2, 4]);
    let c = without.posterior(&rbf(&new, &few), &[1.0; 2]).unwrap();
    assert!((c.means[0] - b.means[0]).abs() < 1e-12);
}

#[test]
fn joint_predictions_agree_with_single_ones_and_samples_have_their_mean_and_variance() {
    let (x, y) = problem(12, 0.1, 3);
    let new = [0.2, 1.0, 1.1, 9.0];
    for constant in [false, true] {
        let model = given(1.2, 0.05, constant).fit_gram(&rbf(&x, &x), &y).unwrap();
        let cross = rbf(&new, &x);
        let single = model.posterior(&cross, &[1.0; 4]).unwrap();
        let (means, covariance) = model.joint(&cross, &rbf(&new, &new)).unwrap();
        for i in [0, 1, 2, 3] {
            assert!((means[i] - single.means[i]).abs() < 1e-13);
            assert!((covariance.at(i, i) - single.variances[i]).abs() < 1e-12);
        }
        let draws = normal_samples(&means, &covariance, 20_000, 7).unwrap();
        assert_eq!(draws, normal_samples(&means, &covariance, 20_000, 7).unwrap());
        for i in 0..4 {
            for j in 0..4 {
                let product = |r: usize| (draws.at(r, i) - means[i]) * (draws.at(r, j) - means[j]);
                let found = (0..20_000).map(product).sum::<f64>() / 20_000.0;
                let size = (covariance.at(i, i) * covariance.at(j, j)).sqrt();
                assert!((found - covariance.at(i, j)).abs() < 0.05 * size, "{found} {}", covariance.at(i, j));
            }
        }
    }
}

#[test]
fn bad_input_is_refused_or_told() {
    let (x, y) = problem(8, 0.1, 2);
    let gram = rbf(&x, &x);
    let indefinite = Dense::from_rows(&[[0.0, 1.0], [1.0, 0.0]]);
    for gp in [given(1.0, 0.1, false), given(1.0, 100.0, false)] {
        let error = gp.fit_gram(&indefinite, &[1.0, 2.0]).unwrap_err();
        assert!(matches!(error, Error::NotPositiveDefinite { .. }), "{error}");
        assert!(error.hint().unwrap().contains("repair"));
    }
    let mut broken = gram.clone();
    broken.row_mut(0)[0] = -3.0;
    assert!(matches!(GaussianProcess::new().fit_gram(&broken, &y), Err(Error::NotPositiveDefinite { .. })));
    // Equal objects without noise.
    let twice = [1.0, 1.0, 2.0];
    let model = given(1.0, 0.0, false).fit_gram(&rbf(&twice, &twice), &[1.0, 1.0, 0.0]).unwrap();
    assert!(model.jitter() > 0.0);
    // Constant targets.
    let model = GaussianProcess::new().fit_gram(&gram, &[7.0; 8]).unwrap();
    assert!(model.is_flat() && (model.constant() - 7.0).abs() < 1e-12);
    let error = GaussianProcess::new().fit_gram(&rbf(&x[..4], &x[..4]), &y[..4]).unwrap_err();
    assert!(error.to_string().contains("at least 5 objects"), "{error}");
    assert!(given(1.0, 0.1, true).fit_gram(&rbf(&x[..1], &x[..1]), &y[..1]).is_err());
    assert!(given(1.0, 0.1, false).fit_gram(&rbf(&x[..1], &x[..1]), &y[..1]).is_ok());
    assert!(given(0.0, 0.1, false).fit_gram(&gram, &y).is_err());
    assert!(given(1.0, f64::NAN, false).fit_gram(&gram, &y).is_err());
    assert!(given(1.0, 0.1, false).fit_gram(&gram, &y[1..]).is_err());
    assert!(given(1.0, 0.1, false).with_weights(vec![-1.0; 8]).fit_gram(&gram, &y).is_err());
    assert!(given(1.0, 0.1, false).with_weights(vec![0.0; 8]).fit_gram(&gram, &y).is_err());
    let model = given(1.0, 0.1, false).fit_gram(&gram, &y).unwrap();
    assert!(model.predict_from(&PredictFrom::Similarities { cross: &gram, own: None }).is_err());
}

proptest! {
    #[test]
    fn leave_one_out_equals_refitting(seed in any::<u64>(), noise in 0.01..1.0f64, constant in any::<bool>()) {
        let (x, y) = problem(7, 0.3, seed);
        let gp = given(1.3, noise, constant);
        let found = gp.leave_one_out(&rbf(&x, &x), &y).unwrap();
        for i in 0..7 {
            let rest = |v: &[f64]| -> Vec<f64> { (0..7).filter(|&j| j != i).map(|j| v[j]).collect() };
            let (xs, ys) = (rest(&x), rest(&y));
            let model = gp.fit_gram(&rbf(&xs, &xs), &ys).unwrap();
            let one = model.posterior(&rbf(&[x[i]], &xs), &[1.0]).unwrap();
            prop_assert!((one.means[0] - found.means[i]).abs() < 1e-8);
            prop_assert!((one.variances[0] + noise - found.variances[i]).abs() < 1e-8);
        }
    }

    /// Without a constant: at most the prior; never below 0; none at training objects without noise.
    #[test]
    fn variances_are_between_none_and_the_prior(seed in any::<u64>(), noise in 0.0..0.5f64) {
        let (x, y) = problem(9, 0.1, seed);
        let model = given(2.0, noise, false).fit_gram(&rbf(&x, &x), &y).unwrap();
        let (new, _) = problem(20, 0.1, seed ^ 5);
        let found = model.posterior(&rbf(&new, &x), &[1.0; 20]).unwrap();
        prop_assert!(found.variances.iter().all(|v| (0.0..=2.0).contains(v)));
        let exact = given(2.0, 0.0, false).fit_gram(&rbf(&x, &x), &y).unwrap();
        let at = exact.posterior(&rbf(&x, &x), &[1.0; 9]).unwrap();
        prop_assert!(at.variances.iter().all(|v| *v < 1e-5), "{:?}", at.variances);
    }
}
