//! Coverage on made data, and closed forms against fitting again.

use super::*;
use crate::data::Dense;
use crate::learn::Ridge;
use crate::numeric::algebra::test_support::*;
use crate::random::Random;
use proptest::prelude::*;

/// Whether a share of `n` trials is within four standard deviations of a probability, and a slack.
fn near(share: f64, expected: f64, n: f64, slack: f64) -> bool {
    (share - expected).abs() <= 4.0 * (expected * (1.0 - expected) / n).sqrt() + slack
}

#[test]
fn split_intervals_cover_as_often_as_they_say() {
    for confidence in [0.5, 0.8, 0.9, 0.95] {
        let (mut inside, trials) = (0usize, 4000);
        for seed in 0..trials {
            let mut random = Random::derived(7, seed as u64);
            // Errors with a heavy tail: nothing about their distribution is used.
            let mut error = || random.normal() / (0.05 + random.unit());
            let scores: Vec<f64> = (0..39).map(|_| error().abs()).collect();
            let known = CalibrationScores::new(&scores, &[0; 39], &[0; 39]).unwrap();
            let (low, high) = known.interval(0, confidence, |_| (0.0, 1.0));
            inside += usize::from((low..=high).contains(&error()));
        }
        // 39 objects: ⌈c · 40⌉ / 40 is exactly c for these confidences.
        assert!(near(inside as f64 / trials as f64, confidence, trials as f64, 0.0), "{confidence} {inside}");
    }
}

#[test]
fn sets_cover_as_often_as_they_say_for_every_score_and_class() {
    let draw = |random: &mut Random| {
        let x = 2.0 * random.normal();
        let logs = [0.0, 1.5 * x, 2.0 * x - 1.0];
        let weights: Vec<f64> = logs.iter().map(|l| l.exp()).collect();
        let mut at = random.unit() * weights.iter().sum::<f64>();
        let class = weights.iter().position(|w| {
            at -= w;
            at <= 0.0
        });
        // The model is wrong: its probabilities are flat.
        (logs.map(|l| 0.4 * l), class.unwrap_or(2))
    };
    for score in [ClassScore::LeastAmbiguous, ClassScore::Adaptive, ClassScore::Regularized] {
        let (mut inside, mut of) = ([0usize; 3], [0usize; 3]);
        let (mut marginal, trials) = (0usize, 3000);
        for seed in 0..trials {
            let mut random = Random::derived(3, seed as u64);
            let known: Vec<_> = (0..199).map(|_| draw(&mut random)).collect();
            let scores: Vec<f64> =
                known.iter().map(|(logs, y)| score.scores(logs, random.unit())[*y]).collect();
            let strata: Vec<usize> = known.iter().map(|(_, y)| *y).collect();
            let whole = CalibrationScores::new(&scores, &[0; 199], &[0; 199]).unwrap();
            let by_class = CalibrationScores::new(&scores, &[0; 199], &strata).unwrap();
            let (logs, y) = draw(&mut random);
            let own = score.scores(&logs, random.unit())[y];
            let included = |p: f64| CalibrationScores::is_included(p, 0.9);
            marginal += usize::from(included(whole.p_value(0, 1.0, |_| own)));
            inside[y] += usize::from(included(by_class.p_value(y, 1.0, |_| own)));
            of[y] += 1;
        }
        assert!(near(marginal as f64 / trials as f64, 0.9, trials as f64, 0.0), "{score:?} {marginal}");
        for c in 0..3 {
            let share = inside[c] as f64 / of[c] as f64;
            // Within a class n varies, so that coverage is up to 1 / (n + 1) above.
            assert!(near(share, 0.9, of[c] as f64, 0.02), "{score:?} class {c}: {share}");
        }
    }
}

/// Numbers of its own for each fold's model are hardly random, because p-values are means over the models: sets then hold
/// the true class too often.
#[test]
fn one_random_number_per_object_makes_coverage_exact() {
    let trials = 3000;
    let mut inside = [0usize; 2];
    for seed in 0..trials {
        let mut random = Random::derived(11, seed as u64);
        let draw = |random: &mut Random| {
            let p = 0.55 + 0.1 * random.unit();
            let y = usize::from(random.unit() > p);
            ([p.ln(), (1.0 - p).ln()], y)
        };
        let known: Vec<_> = (0..200).map(|_| draw(&mut random)).collect();
        let folds: Vec<usize> = (0..200).map(|i| i % 10).collect();
        let score = |logs: &[f64], u: f64| ClassScore::Adaptive.scores(logs, u);
        let scores: Vec<f64> = known.iter().map(|(logs, y)| score(logs, random.unit())[*y]).collect();
        let known = CalibrationScores::new(&scores, &folds, &[0; 200]).unwrap();
        let (logs, y) = draw(&mut random);
        let own: Vec<f64> = (0..10).map(|_| random.unit()).collect();
        let one = known.p_value(0, 1.0, |_| score(&logs, own[0])[y]);
        let several = known.p_value(0, 1.0, |fold| score(&logs, own[fold])[y]);
        for (n, p) in inside.iter_mut().zip([one, several]) {
            *n += usize::from(CalibrationScores::is_included(p, 0.9));
        }
    }
    let share = inside.map(|n| n as f64 / trials as f64);
    assert!(near(share[0], 0.9, trials as f64, 0.005), "{share:?}");
    assert!(share[1] > 0.95, "{share:?}");
}

#[test]
fn ties_are_broken_by_chance() {
    let trials = 4000;
    let mut inside = [0usize; 2];
    for seed in 0..trials {
        let mut random = Random::derived(13, seed as u64);
        // Scores with three values only, as the shares of two neighbours give.
        let mut draw = || (3.0 * random.unit()).floor();
        let scores: Vec<f64> = (0..99).map(|_| draw()).collect();
        let (new, tie) = (draw(), random.unit());
        let known = CalibrationScores::new(&scores, &[0; 99], &[0; 99]).unwrap();
        for (n, tie) in inside.iter_mut().zip([tie, 1.0]) {
            *n += usize::from(CalibrationScores::is_included(known.p_value(0, tie, |_| new), 0.8));
        }
    }
    let share = inside.map(|n| n as f64 / trials as f64);
    assert!(near(share[0], 0.8, trials as f64, 0.01), "{share:?}");
    assert!(share[1] > 0.95, "{share:?}");
}

#[test]
fn too_few_objects_leave_nothing_out() {
    let known = CalibrationScores::new(&[1.0; 8], &[0; 8], &[0; 8]).unwrap();
    assert_eq!(known.interval(0, 0.9, |_| (0.0, 1.0)), (f64::NEG_INFINITY, f64::INFINITY));
    assert!(CalibrationScores::is_included(known.p_value(0, 0.0, |_| 5.0), 0.9));
    assert_eq!((known.p_value(3, 0.5, |_| 5.0), known.objects(3)), (1.0, 0));
    assert_eq!([0.5, 0.8, 0.9, 0.95, 0.99].map(CalibrationScores::fewest), [1, 4, 9, 19, 99]);
    assert!(CalibrationScores::new(&[f64::NAN], &[0], &[0]).is_err());
    assert!(CalibrationScores::new(&[1.0], &[0, 1], &[0]).is_err());
    assert!(CalibrationScores::new(&[1.0], &[0], &[9]).is_err());
    for confidence in [0.0, 1.0, -0.1, 1.5, f64::NAN, f64::INFINITY] {
        assert!(check_confidence(confidence).is_err(), "{confidence}");
    }
    assert!(check_confidence(0.9).is_ok());
}

#[test]
fn planted_outliers_are_untypical_and_the_rest_is_uniform() {
    let (mut random, m) = (Random::new(5), 99);
    let mut low = 0;
    let trials = 600;
    for _ in 0..trials {
        let points: Vec<f64> = (0..m).map(|_| random.normal()).collect();
        let distances = points.iter().flat_map(|a| points.iter().map(move |b| (a - b).abs())).collect();
        let known = Typicality::new(&Dense::new(m, m, distances).unwrap(), 3).unwrap();
        let to = |new: f64| points.iter().map(|p| (p - new).abs()).collect::<Vec<_>>();
        low += usize::from(known.p_value(&to(random.normal())) <= 0.1);
        assert_eq!(known.p_value(&to(40.0)), 0.01);
    }
    assert!(near(low as f64 / trials as f64, 0.1, trials as f64, 0.0), "{low}");
    assert!(Typicality::new(&Dense::zeros(1, 1), 1).is_err());
    assert!(Typicality::from_parts(Dense::from_rows(&[[2.0, 1.0], [1.0, 2.0], [1.0, 2.0]])).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn order_does_not_matter(scores in prop::collection::vec(0.0..5.0f64, 1..40), seed in any::<u64>(), new in 0.0..5.0f64) {
        let n = scores.len();
        let (folds, strata): (Vec<usize>, Vec<usize>) = (0..n).map(|i| (i % 3, (i / 2) % 2)).unzip();
        let strata: Vec<usize> = strata.iter().map(|s| (*s).min(n - 1)).collect();
        let known = CalibrationScores::new(&scores, &folds, &strata).unwrap();
        let mut order: Vec<usize> = (0..n).collect();
        Random::new(seed).shuffle(&mut order);
        let pick = |all: &[usize]| order.iter().map(|&i| all[i]).collect::<Vec<_>>();
        let moved: Vec<f64> = order.iter().map(|&i| scores[i]).collect();
        let other = CalibrationScores::new(&moved, &pick(&folds), &pick(&strata)).unwrap();
        prop_assert_eq!(&known, &other);
        for s in 0..2 {
            let p = |of: &CalibrationScores| of.p_value(s, 0.5, |f| new + f as f64);
            prop_assert_eq!(p(&known), p(&other));
        }
    }

    /// A larger confidence never gives a smaller set or interval.
    #[test]
    fn regions_are_nested(scores in prop::collection::vec(0.0..5.0f64, 2..40), centres in prop::collection::vec(-1.0..1.0f64, 3)) {
        let n = scores.len();
        let folds: Vec<usize> = (0..n).map(|i| i % 3).collect();
        let known = CalibrationScores::new(&scores, &folds, &vec![0; n]).unwrap();
        let at = |c: f64| known.interval(0, c, |f| (centres[f], 1.0));
        let mut before = at(0.5);
        for c in [0.6, 0.7, 0.8, 0.9, 0.95] {
            let now = at(c);
            prop_assert!(now.0 <= before.0 && now.1 >= before.1);
            before = now;
        }
    }

    #[test]
    fn leave_one_out_models_equal_fitting_again(
        x in vectors(), seed in any::<u64>(), exponent in -2.0..1.0f64, intercept in any::<bool>(),
    ) {
        let n = x.rows();
        prop_assume!(n > 2);
        let mut random = Random::new(seed);
        let y = Dense::new(n, 2, (0..2 * n).map(|_| random.normal()).collect()).unwrap();
        let lambda = 10f64.powf(exponent);
        let learner = Ridge::new(lambda).with_intercept(intercept);
        let k = linear(&x);
        let model = learner.fit_many(&k, &y).unwrap();
        let left_out = RidgeLeaveOneOut::new(&k, lambda, &model).unwrap();
        let new = Dense::new(2, x.cols(), (0..2 * x.cols()).map(|_| random.normal()).collect()).unwrap();
        let to = cross(&new, &x);
        let whole = model.predict(&to).unwrap();
        for i in 0..n {
            let rest: Vec<usize> = (0..n).filter(|j| *j != i).collect();
            let part = learner.fit_many(&linear(&x.select(&rest)), &y.select(&rest)).unwrap();
            let want = part.predict(&cross(&new, &x.select(&rest))).unwrap();
            for t in 0..2 {
                let got = left_out.predict(&to, &whole, t).unwrap();
                for r in 0..2 {
                    let (a, b) = (got.at(r, i), want.at(r, t));
                    prop_assert!((a - b).abs() < 1e-6 * (1.0 + b.abs()), "{} {}", a, b);
                }
            }
        }
        let residuals = learner.leave_one_out(&k, &y).unwrap();
        prop_assert!(apart(&residuals, left_out.residuals()) < 1e-6 * (1.0 + largest(&residuals)));
    }
}

fn largest(values: &Dense) -> f64 {
    values.values().iter().fold(0.0, |a, v| a.max(v.abs()))
}
