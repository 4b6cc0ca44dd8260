use super::*;
use crate::data::Series;
use crate::gram::Engine;
use crate::kernel::{FeatureMap, Kernel};
use crate::random::Random;
use crate::series::FittedSeries;

fn walks(count: usize, channels: usize, lengths: std::ops::Range<usize>, seed: u64) -> Vec<Series> {
    let mut random = Random::new(seed);
    let mut one = |_| {
        let length = lengths.start + random.below(lengths.len());
        let mut values = Vec::new();
        for _ in 0..channels {
            let mut level = 0.0;
            values.extend((0..length).map(|_| {
                level += random.normal();
                level
            }));
        }
        Series::new(channels, values).unwrap()
    };
    (0..count).map(&mut one).collect()
}

/// The convolution by its definition, at every time step.
fn convolution(x: &[f64], [a, b, c]: [usize; 3], dilation: usize) -> Vec<f64> {
    let value = |t: usize, weight: usize| {
        let at = (t + weight * dilation).checked_sub(4 * dilation);
        at.and_then(|at| x.get(at)).copied().unwrap_or(0.0)
    };
    let weight = |j: usize| if [a, b, c].contains(&j) { 2.0 } else { -1.0 };
    (0..x.len()).map(|t| (0..9).map(|j| weight(j) * value(t, j)).sum()).collect()
}

/// All shares equal those of a plain loop, up to values within rounding of a threshold.
#[test]
fn shares_by_definition() {
    for (channels, lengths, seed) in [(1, 60..61, 1), (1, 5..40, 2), (3, 30..50, 3)] {
        let (train, new) = (walks(4, channels, lengths.clone(), seed), walks(5, channels, lengths, seed + 9));
        let fitted = Rocket::new(1000).unwrap().with_scale(Scale::None).fit(&train).unwrap();
        let found = fitted.prepare(&new).unwrap();
        let plan = fitted.plan();
        let bank = &plan.banks[0];
        let mut equal = 0;
        for (i, s) in new.iter().enumerate() {
            for (f, share) in found.rows().row(i).iter().enumerate() {
                let place = bank.place_of(f).unwrap();
                let mut sum = vec![0.0; s.len()];
                for &c in bank.channels_of(&place) {
                    let own = convolution(s.channel(c as usize), LARGE[place.kernel], place.dilation);
                    sum.iter_mut().zip(own).for_each(|(a, b)| *a += b);
                }
                let padded = (place.kernel + dilation_number(bank, place.dilation)).is_multiple_of(2);
                let margin = 4 * place.dilation;
                let steps =
                    if padded || 2 * margin >= s.len() { 0..s.len() } else { margin..s.len() - margin };
                let threshold = f64::from(bank.threshold(f));
                let n = steps.len() as f64;
                let count =
                    |slack: f64| steps.clone().filter(|&t| sum[t] > threshold + slack).count() as f64 / n;
                let share = f64::from(*share);
                assert!(share <= count(-1e-4) + 1e-6 && share >= count(1e-4) - 1e-6, "{i} {f}");
                equal += usize::from((share - count(0.0)).abs() < 1e-6);
            }
        }
        assert!(equal * 1000 > 990 * 5 * fitted.width(), "{equal} of {}", 5 * fitted.width());
    }
}

fn dilation_number(bank: &Bank, dilation: usize) -> usize {
    let mut all: Vec<usize> = bank.places().map(|p| p.dilation).collect();
    all.dedup();
    all.iter().position(|d| *d == dilation).unwrap()
}

#[test]
fn scaled_features_have_mean_zero_and_self_similarity_one() {
    let train = walks(30, 1, 40..41, 5);
    for variant in [Variant::Mini, Variant::Multi] {
        let fitted = Rocket::new(2000).unwrap().with_variant(variant).fit(&train).unwrap();
        let gram = Engine::new().gram(&fitted, &train[..]).unwrap();
        let trace: f64 = (0..30).map(|i| gram.at(i, i)).sum();
        assert!((trace / 30.0 - 1.0).abs() < 1e-4, "{trace}");
        let sum: f64 = gram.values().iter().sum();
        assert!(sum.abs() < 1e-3, "{sum}");
        let want = if variant == Variant::Mini { 1932 } else { 1344 };
        assert_eq!(fitted.width(), want);
        assert_eq!(fitted.features(&train).unwrap().names.len(), want);
    }
}

#[test]
fn any_length_works() {
    let mut train = walks(6, 2, 1..30, 7);
    train.push(Series::new(2, vec![1.0, -1.0]).unwrap());
    for variant in [Variant::Mini, Variant::Multi] {
        let fitted = Rocket::new(700).unwrap().with_variant(variant).fit(&train).unwrap();
        let longer = walks(2, 2, 200..201, 8);
        assert!(fitted.prepare(&longer).unwrap().rows().values().iter().all(|v| v.is_finite()));
        let restored =
            FittedSeries::restore(Rocket::new(700).unwrap().with_variant(variant), fitted.learned().clone());
        let (a, b) = (fitted.prepare(&train).unwrap(), restored.unwrap().prepare(&train).unwrap());
        assert_eq!(a.rows(), b.rows());
        assert!(FittedSeries::restore(Rocket::new(7000).unwrap(), fitted.learned().clone()).is_err());
        let other = walks(1, 3, 9..10, 1);
        assert!(fitted.prepare(&other).is_err());
    }
    assert!(Rocket::new(84).unwrap().fit(&[]).is_err());
    assert!(Rocket::new(84).unwrap().fit(&[Series::new(1, vec![1e31, 0.0]).unwrap()]).is_err());
    assert!(Rocket::new(84).unwrap().on(3).fit(&train).is_err());
}

#[test]
fn names_and_places() {
    let train = walks(5, 3, 60..61, 4);
    let fitted = Rocket::new(84).unwrap().with_scale(Scale::None).fit(&train).unwrap();
    let features = fitted.features(&train).unwrap();
    assert!(features.names[0].starts_with("ppv(1-2-3, dilation 1, above "), "{}", features.names[0]);
    assert!(features.names[83].contains("channels"));
    // A feature without places has share 0, and one with places does not.
    let mut found = vec![false; 84];
    let one = &train[1..2];
    fitted
        .places(one, &mut |feature, place| {
            found[feature as usize] = true;
            assert!(place[0] <= place[1] && place[1] < 60);
        })
        .unwrap();
    let shares = fitted.prepare(one).unwrap();
    assert!(shares.rows().row(0).iter().zip(&found).all(|(share, found)| (*share > 0.0) == *found));
    let multi = Rocket::new(672).unwrap().with_variant(Variant::Multi).fit(&train).unwrap();
    let names = multi.features(&train).unwrap().names;
    assert!(names[671].starts_with("lspv(differences, 7-8-9, dilation 1, above"), "{}", names[671]);
}
