#![expect(clippy::excessive_precision, reason = "values as another program prints them")]
#![expect(clippy::needless_range_loop, reason = "several lists by one index")]

use proptest::prelude::*;

use super::*;
use crate::learn::learner::Predictor;
use crate::learn::{ClassCodes, PredictFrom};
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

#[test]
fn conjugate_gradients_find_the_exact_means_and_variances_that_are_no_smaller() {
    use crate::solve::GramColumns;
    let (x, y) = problem(300, 0.2, 9);
    let gram = rbf(&x, &x);
    let new: Vec<f64> = (0..60).map(|i| f64::from(i) / 8.0 - 0.5).collect();
    let (cross, own) = (rbf(&new, &x), vec![1.0; new.len()]);
    let weights: Vec<f64> = (0..300).map(|i| 0.5 + f64::from(i % 4)).collect();
    for (constant, weights) in [(true, None), (false, None), (true, Some(weights))] {
        let mut exact = given(1.3, 0.04, constant);
        exact.weights = weights.clone();
        let exact = exact.fit_gram(&gram, &y).unwrap();
        let expected = exact.posterior(&cross, &own).unwrap();
        let fit = |rank: usize| {
            let gp = IterativeGp::new(rank).with_scale(1.3).with_noise(0.04).with_constant_mean(constant);
            gp.fit_columns(&GramColumns::new(&gram).unwrap(), &y, weights.as_deref(), 0).unwrap()
        };
        let mut steps = Vec::new();
        for rank in [2, 6, 12, 300] {
            let model = fit(rank);
            assert!(model.converged() && model.error() <= model.wanted(), "{rank}: {}", model.error());
            assert!((model.constant() - exact.constant()).abs() < 0.01, "{}", model.constant());
            let found = model.posterior(&cross, &own).unwrap();
            // The exact means with the same constant.
            let rest: Vec<f64> = y.iter().map(|y| y - model.constant()).collect();
            let mut plain = given(1.3, 0.04, false);
            plain.weights = weights.clone();
            let means = plain.fit_gram(&gram, &rest).unwrap().means(&cross).unwrap();
            let mut excess = 0.0f64;
            for i in 0..new.len() {
                let apart = (found.means[i] - model.constant() - means[i]).abs();
                assert!(apart <= model.error() + 1e-9, "{rank} {i}: {apart} {}", model.error());
                let more = found.variances[i] - expected.variances[i];
                assert!(more > -1e-6, "{rank} {i}: {more}");
                excess = excess.max(more);
            }
            // With pivots for everything the kernel tells apart, the variances are the exact ones.
            let most = [(300, 1e-5), (12, 0.01), (0, f64::INFINITY)].iter().find(|m| rank >= m.0).unwrap().1;
            assert!(excess < most, "{rank}: {excess}");
            steps.push(model.steps());
        }
        assert!(steps[0] > steps[2], "{steps:?}");
        // The same bits on one thread.
        let alone = crate::gram::Engine::new().with_threads(1).unwrap();
        assert_eq!(alone.run(|| fit(6)), fit(6));
    }
    // Learned from all objects where they are few: as the exact fit learns.
    let learned = IterativeGp::new(12).fit_columns(&GramColumns::new(&gram).unwrap(), &y, None, 3).unwrap();
    let exact = GaussianProcess::new().fit_gram(&gram, &y).unwrap();
    assert!((learned.scale() / exact.scale() - 1.0).abs() < 1e-6);
    assert!((learned.noise() / exact.noise() - 1.0).abs() < 1e-6);
}

#[test]
fn conjugate_gradients_refuse_bad_input() {
    use crate::solve::GramColumns;
    let (x, y) = problem(20, 0.2, 9);
    let gram = rbf(&x, &x);
    let columns = GramColumns::new(&gram).unwrap();
    assert!(IterativeGp::new(4).with_noise(0.0).fit_columns(&columns, &y, None, 0).is_err());
    assert!(IterativeGp::new(4).with_scale(f64::NAN).fit_columns(&columns, &y, None, 0).is_err());
    assert!(IterativeGp::new(0).fit_columns(&columns, &y, None, 0).is_err());
    assert!(IterativeGp::new(4).fit_columns(&columns, &y[..19], None, 0).is_err());
    let error = IterativeGp::new(4).fit_columns(&columns, &y, Some(&[0.0; 20]), 0).unwrap_err();
    assert!(error.to_string().contains("weight"), "{error}");
    // Indefinite: found by a negative remaining diagonal, or by a direction of negative curvature.
    let mut indefinite = Dense::zeros(20, 20);
    (0..20).for_each(|i| indefinite.row_mut(i)[(i + 10) % 20] = 1.0);
    (0..20).for_each(|i| indefinite.row_mut(i)[i] = 0.5);
    let columns = GramColumns::new(&indefinite).unwrap();
    for rank in [1, 20] {
        let gp = IterativeGp::new(rank).with_scale(1.0).with_noise(0.01);
        let error = gp.fit_columns(&columns, &y, None, 0).unwrap_err();
        assert!(matches!(error, Error::NotPositiveDefinite { .. }), "{error}");
    }
    let nothing = Dense::zeros(20, 20);
    let gp = IterativeGp::new(3).with_scale(1.0).with_noise(0.01);
    assert!(gp.fit_columns(&GramColumns::new(&nothing).unwrap(), &y, None, 0).is_err());
}

/// At the end of expectation propagation each object's tilted distribution has the mean and variance of the approximation.
#[test]
fn expectation_propagation_matches_means_and_variances() {
    let (x, _) = problem(9, 0.1, 4);
    let (gram, scale) = (rbf(&x, &x), 3.0);
    let signs: Vec<f64> = x.iter().map(|x| if (2.0 * x).sin() > 0.1 { 1.0 } else { -1.0 }).collect();
    let fit = expectation::fit(&gram, &signs, scale).unwrap().unwrap();
    let (means, variances) = fit.latent(&gram, &[1.0; 9]).unwrap();
    for i in 0..9 {
        // The approximation without the factor of the object: τ = w, ν = α + w·mean.
        let (tau, mean, v) = (fit.roots[i] * fit.roots[i], means[i], variances[i]);
        let nu = fit.alpha[i] + tau * mean;
        let rest = 1.0 - v * tau;
        let (m, v_without) = ((mean - v * nu) / rest, v / rest);
        let (mut all, mut first, mut second) = (0.0, 0.0, 0.0);
        for k in -6000..=6000 {
            let z = 0.0015 * f64::from(k);
            let f = m + v_without.sqrt() * z;
            let weight = (-0.5 * z * z).exp() * crate::numeric::normal_probability(signs[i] * f);
            all += weight;
            first += weight * f;
            second += weight * f * f;
        }
        let (first, second) = (first / all, second / all);
        assert!((first - mean).abs() < 1e-7, "{i}: {first} {mean}");
        assert!((second - first * first - v).abs() < 1e-7, "{i}: {} {v}", second - first * first);
    }
}

/// The probability that two correlated normal variables are above 0 has a closed form.
#[test]
fn expectation_propagation_comes_close_to_the_exact_likelihood() {
    for (scale, k) in [(1.0, 0.5), (4.0, 0.9), (0.2, -0.7), (30.0, 0.0)] {
        let gram = Dense::from_rows(&[[1.0, k], [k, 1.0]]);
        let correlation = scale * k / (scale + 1.0);
        let exact = |same: f64| (0.25 + (same * correlation).asin() / (2.0 * PI)).ln();
        for (signs, exact) in [([1.0, 1.0], exact(1.0)), ([-1.0, 1.0], exact(-1.0))] {
            let fit = expectation::fit(&gram, &signs, scale).unwrap().unwrap();
            assert!(
                (fit.log_likelihood - exact).abs() < 0.015,
                "{scale} {k}: {} {exact}",
                fit.log_likelihood
            );
        }
    }
    // A single object is matched exactly.
    let alone = expectation::fit(&Dense::from_rows(&[[2.0]]), &[1.0], 1.5).unwrap().unwrap();
    assert!((alone.log_likelihood - 0.5f64.ln()).abs() < 1e-12, "{}", alone.log_likelihood);
}

/// Both approximations find the same classes, probabilities sum to 1, and far from the data nothing is known.
#[test]
fn approximations_agree_on_what_is_clear() {
    let (x, _) = problem(30, 0.1, 6);
    let gram = rbf(&x, &x);
    let codes = ClassCodes::new(x.iter().map(|x| (*x / 2.01) as usize).collect::<Vec<_>>(), 3);
    let both = [Approximation::Laplace, Approximation::ExpectationPropagation]
        .map(|a| GpClassifier::new().with_approximation(a).fit_gram(&gram, &codes).unwrap());
    let new = [1.0, 3.0, 5.0, 90.0];
    let found = both.map(|model| model.probabilities(&rbf(&new, &x), &[1.0; 4]).unwrap());
    for p in &found {
        for i in 0..3 {
            assert!(p.at(i, i) > 0.7, "{p:?}");
        }
        assert!((0..3).all(|c| (p.at(3, c) - 1.0 / 3.0).abs() < 1e-9));
        assert!((0..4).all(|i| (p.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12));
    }
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

/// exp(-γ·(a - b)²) for every γ = exp(at[0]).
struct Width<'a> {
    x: &'a [f64],
    last: Dense,
    gamma: f64,
}

impl<'a> Width<'a> {
    fn new(x: &'a [f64]) -> Self {
        Width { x, last: Dense::default(), gamma: 1.0 }
    }
}

fn with_gamma(gamma: f64, x: &[f64], y: &[f64]) -> Dense {
    let values = x.iter().flat_map(|a| y.iter().map(move |b| (-gamma * (a - b) * (a - b)).exp()));
    Dense::new(x.len(), y.len(), values.collect()).unwrap()
}

impl Covariance for Width<'_> {
    fn gram(&mut self, at: &[f64]) -> crate::error::Result<Dense> {
        self.gamma = at[0].exp();
        self.last = with_gamma(self.gamma, self.x, self.x);
        Ok(self.last.clone())
    }

    fn slope(&mut self, by_gram: &Dense) -> crate::error::Result<Vec<f64>> {
        let n = self.x.len();
        let one = |i: usize, j: usize| {
            let d = self.x[i] - self.x[j];
            -self.gamma * d * d * self.last.at(i, j) * by_gram.at(i, j)
        };
        Ok(vec![(0..n).flat_map(|i| (0..n).map(move |j| (i, j))).map(|(i, j)| one(i, j)).sum()])
    }
}

const X: [f64; 8] = [0.0, 0.7, 1.1, 1.9, 2.4, 3.3, 4.2, 5.1];
const NEW: [f64; 3] = [0.5, 3.0, 9.0];

fn close(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() < within, "{found:e}, expected {expected:e}");
}

/// scikit-learn 1.9.1: GaussianProcessRegressor(ConstantKernel(1.7) * RBF(0.9) + WhiteKernel(0.05), optimizer=None,
/// alpha=0), predict(return_std=True), log_marginal_likelihood(eval_gradient=True).
#[test]
fn regression_equals_scikit_learn() {
    let y = [0.3, 1.2, 0.9, -0.4, -0.8, 0.1, 0.6, -0.2];
    let gamma = 1.0 / (2.0 * 0.9 * 0.9);
    let gram = with_gamma(gamma, &X, &X);
    let model = given(1.7, 0.05, false).fit_gram(&gram, &y).unwrap();
    let found = model.posterior(&with_gamma(gamma, &NEW, &X), &[1.0; 3]).unwrap();
    let means = [9.9531349521095303e-01, -3.0733175189078515e-01, -6.9777443623643347e-05];
    let deviations = [0.2997405859209651, 0.3149351627332321, 1.3228756477844332];
    for i in 0..3 {
        close(found.means[i], means[i], 1e-12);
        close(found.deviations(model.noise())[i], deviations[i], 1e-12);
    }
    close(model.log_likelihood(), -7.562074805533683, 1e-12);
    let marginal = Marginal::of_numbers(y.to_vec(), None, false, None, None).unwrap();
    let slope = marginal.at(&gram, &[1.7f64.ln(), 0.05f64.ln()]).unwrap().unwrap();
    close(slope.value, -7.562074805533683, 1e-12);
    close(slope.by_own[0], -1.9739472558185822, 1e-10);
    close(slope.by_own[1], -0.6706762404363465, 1e-10);
    let mut width = Width::new(&X);
    width.gram(&[gamma.ln()]).unwrap();
    // γ = 1 / (2·l²): a change of log l by 1 changes log γ by -2.
    close(-2.0 * width.slope(&slope.by_gram).unwrap()[0], 2.526661279386306, 1e-10);
}

/// scikit-learn 1.9.1: GaussianProcessClassifier(ConstantKernel(2.5) * RBF(0.8), optimizer=None): base_estimator_.f_cached,
/// log_marginal_likelihood(eval_gradient=True).
#[test]
fn classification_equals_scikit_learn() {
    let codes = ClassCodes::new(vec![0, 0, 1, 1, 0, 1, 1, 0], 2);
    let gamma = 1.0 / (2.0 * 0.8 * 0.8);
    let gram = with_gamma(gamma, &X, &X);
    let model = GpClassifier::new().with_scale(2.5).fit_gram(&gram, &codes).unwrap();
    let latent = [
        -0.9330481178245771,
        -0.33897048416087816,
        0.20220799949968227,
        0.39041570245619706,
        0.16259176672239484,
        0.7136093924744584,
        0.6750460461689982,
        -0.4589517863880086,
    ];
    let alpha = model.alphas().next().unwrap();
    for i in 0..8 {
        close(2.5 * dot(gram.row(i), alpha), latent[i], 1e-6);
    }
    close(model.log_likelihood(), -6.268547526575219, 1e-8);
    let slope = Marginal::of_classes(&codes, None, Approximation::Laplace)
        .unwrap()
        .at(&gram, &[2.5f64.ln()])
        .unwrap()
        .unwrap();
    close(slope.by_own[0], -0.46714804758820383, 1e-6);
    let mut width = Width::new(&X);
    width.gram(&[gamma.ln()]).unwrap();
    close(-2.0 * width.slope(&slope.by_gram).unwrap()[0], -0.6509284997812299, 1e-6);
    // scikit-learn approximates the mean of the logistic function by five error functions.
    let found = model.probabilities(&with_gamma(gamma, &NEW, &X), &[1.0; 3]).unwrap();
    for (i, expected) in [0.3805713643197919, 0.5840024455472701, 0.49999884511790726].into_iter().enumerate()
    {
        close(found.at(i, 1), expected, 1e-3);
        close(found.at(i, 0) + found.at(i, 1), 1.0, 1e-15);
    }
}

/// Derivatives are those of central differences, for every combination of what is learned.
#[test]
fn derivatives_are_those_of_differences() {
    let (x, y) = problem(14, 0.2, 8);
    let weights: Vec<f64> = (0..14).map(|i| 0.5 + f64::from(i % 3)).collect();
    let codes =
        |count: usize| ClassCodes::new((0..14).map(|i| (i * 5 + i / 3) % count).collect::<Vec<_>>(), count);
    let numbers = |weights: &Option<Vec<f64>>, constant, scale, noise| {
        Marginal::of_numbers(y.clone(), weights.clone(), constant, scale, noise).unwrap()
    };
    let some = Some(weights);
    let all = [
        numbers(&None, false, None, None),
        numbers(&some, true, None, None),
        numbers(&None, true, Some(1.3), None),
        numbers(&some, false, None, Some(0.1)),
        numbers(&None, true, Some(0.7), Some(0.2)),
        Marginal::of_classes(&codes(2), None, Approximation::Laplace).unwrap(),
        Marginal::of_classes(&codes(3), None, Approximation::Laplace).unwrap(),
        Marginal::of_classes(&codes(3), Some(2.0), Approximation::Laplace).unwrap(),
        Marginal::of_classes(&codes(2), None, Approximation::ExpectationPropagation).unwrap(),
        Marginal::of_classes(&codes(3), None, Approximation::ExpectationPropagation).unwrap(),
    ];
    for (k, marginal) in all.iter().enumerate() {
        let mut width = Width::new(&x);
        let own = marginal.own_start(&with_gamma(0.5, &x, &x)).unwrap();
        let mut at: Vec<f64> = [vec![0.5f64.ln()], own.iter().map(|v| v + 0.1).collect()].concat();
        let mut value = |at: &[f64]| {
            let gram = width.gram(&at[..1]).unwrap();
            let slope = marginal.at(&gram, &at[1..]).unwrap().unwrap();
            let mut gradient = width.slope(&slope.by_gram).unwrap();
            gradient.extend(&slope.by_own);
            (slope.value, gradient)
        };
        let (_, gradient) = value(&at);
        assert_eq!(gradient.len(), at.len());
        for i in 0..at.len() {
            let middle = at[i];
            at[i] = middle + 1e-5;
            let above = value(&at).0;
            at[i] = middle - 1e-5;
            let below = value(&at).0;
            at[i] = middle;
            let difference = (above - below) / 2e-5;
            assert!(
                (difference - gradient[i]).abs() < 1e-6 * (1.0 + gradient[i].abs()),
                "{k} {i}: {} {difference}",
                gradient[i]
            );
        }
    }
}

#[test]
fn the_highest_likelihood_is_that_of_a_grid_or_higher() {
    let (x, y) = problem(40, 0.3, 5);
    let marginal = Marginal::of_numbers(y.clone(), None, true, None, None).unwrap();
    let starts: Vec<Vec<f64>> = [-2.0, 0.0, 2.0].iter().map(|v| vec![*v]).collect();
    let ends = marginal.highest(&mut Width::new(&x), &starts, &[(-10.0, 10.0)], 100).unwrap();
    let best = &ends[0];
    assert!(best.converged && ends.len() == 3, "{ends:?}");
    for i in -20..=20 {
        let gamma = (0.3 * f64::from(i)).exp();
        let model = GaussianProcess::new().fit_gram(&with_gamma(gamma, &x, &x), &y).unwrap();
        assert!(model.log_likelihood() <= best.value + 1e-6, "{gamma}: {} {best:?}", model.log_likelihood());
    }
    // The same numbers on one thread.
    let alone = crate::gram::Engine::new().with_threads(1).unwrap();
    let again = alone.run(|| marginal.highest(&mut Width::new(&x), &starts, &[(-10.0, 10.0)], 100)).unwrap();
    assert_eq!(again, ends);
}

#[test]
fn classifiers_refuse_or_tell_bad_input() {
    let (x, _) = problem(8, 0.1, 2);
    let gram = rbf(&x, &x);
    let codes = ClassCodes::new(vec![0, 1, 0, 1, 0, 1, 0, 1], 2);
    let indefinite = Dense::from_rows(&[[0.0, 1.0], [1.0, 0.0]]);
    let error = GpClassifier::new().fit_gram(&indefinite, &ClassCodes::new(vec![0, 1], 2)).unwrap_err();
    assert!(matches!(error, Error::NotPositiveDefinite { .. }), "{error}");
    assert!(GpClassifier::new().with_scale(0.0).fit_gram(&gram, &codes).is_err());
    assert!(GpClassifier::new().fit_gram(&gram, &ClassCodes::new(vec![0; 7], 2)).is_err());
    let error = GpClassifier::new().fit_gram(&gram, &ClassCodes::new(vec![0; 8], 2)).unwrap_err();
    assert!(error.to_string().contains("two or more classes"), "{error}");
    // Two objects are enough, and equal objects with different classes are equally likely in both.
    let model = GpClassifier::new()
        .fit_gram(&Dense::from_rows(&[[1.0, 1.0], [1.0, 1.0]]), &ClassCodes::new(vec![0, 1], 2));
    let found = model.unwrap().probabilities(&Dense::from_rows(&[[1.0, 1.0]]), &[1.0]).unwrap();
    assert!((found.at(0, 0) - 0.5).abs() < 1e-9, "{found:?}");
    // Separable classes: the scale stays within its bounds.
    let far = ClassCodes::new((0..8).map(|i| usize::from(x[i] > 3.0)).collect::<Vec<_>>(), 2);
    assert!(GpClassifier::new().fit_gram(&gram, &far).unwrap().scale() <= 1.0001e4);
}

proptest! {
    #[test]
    fn the_mean_of_the_logistic_function_is_a_probability(mean in -50.0..50.0f64, variance in 0.0..1e4f64) {
        let p = latent::mean_logistic(mean, variance);
        prop_assert!((0.0..=1.0).contains(&p));
        prop_assert!((p + latent::mean_logistic(-mean, variance) - 1.0).abs() < 1e-12);
        // By a finer rule.
        let (step, mut sum, mut total) = (1e-3, 0.0, 0.0);
        for k in -9000..=9000 {
            let z = step * f64::from(k);
            let weight = (-0.5 * z * z).exp();
            sum += weight / (1.0 + (-(mean + variance.sqrt() * z)).exp());
            total += weight;
        }
        prop_assert!((p - sum / total).abs() < 1e-6, "{p} {}", sum / total);
    }
}

/// With all objects as landmarks the bound is the likelihood and predictions are exact; with fewer it is below.
#[test]
fn landmarks_bound_the_likelihood() {
    let (x, y) = problem(60, 0.3, 5);
    let gram = with_gamma(0.4, &x, &x);
    let new = [0.2, 1.0, 4.4, 9.0];
    let cross = with_gamma(0.4, &new, &x);
    for constant in [false, true] {
        let exact = given(1.5, 0.1, constant).fit_gram(&gram, &y).unwrap();
        let columns = crate::solve::GramColumns::new(&gram).unwrap();
        let of = |landmarks: &[usize]| {
            let gp = SparseGp::new().with_scale(1.5).with_noise(0.1).with_constant_mean(constant);
            gp.fit_landmarks(&columns, landmarks, &y).unwrap()
        };
        let all = of(&(0..60).collect::<Vec<_>>());
        close(all.bound(), exact.log_likelihood(), 1e-4);
        close(all.constant(), exact.constant(), 1e-5);
        let (a, b) = (all.posterior(&cross, &[1.0; 4]).unwrap(), exact.posterior(&cross, &[1.0; 4]).unwrap());
        for i in 0..4 {
            // A jitter of 1e-10 hides directions whose share is up to its root.
            close(a.means[i], b.means[i], 5e-5);
            close(a.variances[i], b.variances[i], 5e-5);
        }
        let mut last = f64::NEG_INFINITY;
        for count in [3, 6, 12] {
            let some: Vec<usize> = (0..count).collect();
            let few = of(&some);
            // More landmarks never lower the bound.
            assert!(few.bound() >= last - 1e-6 && few.bound() <= exact.log_likelihood() + 1e-6);
            assert!(few.missed() >= 0.0 && few.missed() <= 1.0);
            last = few.bound();
            let at = few.posterior(&Dense::zeros(1, count), &[1.0]).unwrap();
            assert!(at.variances[0] >= 1.5 - 1e-12);
        }
        // Learned: at least as high as these.
        let learned = SparseGp::new().with_constant_mean(constant);
        let learned = learned.fit_landmarks(&columns, &(0..12).collect::<Vec<_>>(), &y).unwrap();
        assert!(learned.bound() >= last - 1e-6, "{} {last}", learned.bound());
    }
    let columns = crate::solve::GramColumns::new(&gram).unwrap();
    for wrong in [&[][..], &[3, 1], &[60]] {
        assert!(SparseGp::new().fit_landmarks(&columns, wrong, &y).is_err());
    }
    assert!(SparseGp::new().with_noise(0.0).fit_landmarks(&columns, &[1, 2], &y).is_err());
}
