use proptest::prelude::*;

use super::*;
use crate::data::Dense;
use crate::error::Result;

/// Twenty objects of two classes with ties among their decision values.
const Y: [usize; 20] = [1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1];
const S: [f64; 20] = [
    1.3, -0.2, -1.0, 2.6, 0.2, -0.7, 0.9, -1.2, 0.4, -0.5, -0.7, 0.6, 0.9, -0.6, 0.4, 0.8, -1.6, -0.3, -1.0,
    0.8,
];
const P: [f64; 20] = [
    0.786, 0.45, 0.269, 0.931, 0.55, 0.332, 0.711, 0.231, 0.599, 0.378, 0.332, 0.646, 0.711, 0.354, 0.599,
    0.69, 0.168, 0.426, 0.269, 0.69,
];
/// Fifteen objects of three classes.
const Y3: [usize; 15] = [2, 2, 2, 0, 0, 1, 1, 1, 2, 0, 1, 0, 0, 2, 0];
const LABELS3: [usize; 15] = [2, 1, 0, 2, 0, 0, 0, 1, 2, 1, 1, 0, 1, 2, 1];
const P3: [[f64; 3]; 15] = [
    [0.14, 0.36, 0.5],
    [0.35, 0.36, 0.29],
    [0.61, 0.39, 0.0],
    [0.3, 0.05, 0.65],
    [0.42, 0.33, 0.25],
    [0.66, 0.15, 0.19],
    [0.5, 0.25, 0.25],
    [0.09, 0.62, 0.29],
    [0.03, 0.4, 0.57],
    [0.26, 0.7, 0.04],
    [0.27, 0.67, 0.06],
    [0.66, 0.14, 0.2],
    [0.32, 0.46, 0.22],
    [0.02, 0.3, 0.68],
    [0.33, 0.37, 0.3],
];

fn truth() -> Vec<bool> {
    Y.iter().map(|&y| y == 1).collect()
}

fn close(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-12 * want.abs().max(1.0), "{got} {want}");
}

fn column(values: &[f64]) -> Dense {
    Dense::new(values.len(), 1, values.to_vec()).unwrap()
}

/// Values from scikit-learn 1.9.1; interpolated precision from a direct computation in NumPy 2.4.6 of its definition.
#[test]
fn two_classes_match_scikit_learn() {
    let labels: Vec<usize> = S.iter().map(|&s| usize::from(s > 0.5)).collect();
    let (decisions, probabilities) = (column(&S), column(&P));
    let both = Dense::new(20, 2, P.iter().flat_map(|p| [1.0 - p, *p]).collect()).unwrap();
    let truth = Truth::Classes { codes: &Y, classes: 2 };
    for p in [&probabilities, &both] {
        let predicted = Predicted {
            labels: Some(&labels),
            decisions: Some(&decisions),
            probabilities: Some(p),
            numbers: None,
        };
        for (score, want) in [
            ("accuracy", 0.75),
            ("balanced-accuracy", 0.7291666666666667),
            ("f1", 0.6666666666666666),
            ("f1-macro", 0.7333333333333334),
            ("f1-micro", 0.75),
            ("f1-weighted", 0.7466666666666667),
            ("matthews", 0.47075654176200415),
            ("auc", 0.8489583333333334),
            ("auc-macro", 0.8489583333333334),
            ("average-precision", 0.8295454545454546),
            ("interpolated-precision", 0.8295454545454546),
            ("interpolated-precision-11", 0.8305785123966942),
            ("log-loss", 0.5322361593027035),
            ("brier", 0.17820739999999996),
        ] {
            let score: Score = score.parse().unwrap();
            close(score.measure(&truth, &predicted).unwrap().value().unwrap(), want);
        }
    }
    // Two columns of decision values rank as their difference does.
    let twice = Dense::new(20, 2, S.iter().flat_map(|s| [-s, *s]).collect()).unwrap();
    let predicted = Predicted { decisions: Some(&twice), ..Predicted::default() };
    close(Score::Auc.measure(&truth, &predicted).unwrap().value().unwrap(), 0.8489583333333334);
    // Probabilities are used where there are no decision values.
    let predicted = Predicted { probabilities: Some(&both), ..Predicted::default() };
    close(Score::Auc.measure(&truth, &predicted).unwrap().value().unwrap(), 0.8489583333333334);
}

/// Values from scikit-learn 1.9.1.
#[test]
fn three_classes_match_scikit_learn() {
    let p = Dense::from_rows(&P3);
    let predicted = Predicted { labels: Some(&LABELS3), probabilities: Some(&p), ..Predicted::default() };
    let truth = Truth::Classes { codes: &Y3, classes: 3 };
    for (score, want) in [
        ("accuracy", 0.4666666666666667),
        ("balanced-accuracy", 0.4777777777777777),
        ("f1-macro", 0.47676767676767673),
        ("f1-micro", 0.4666666666666667),
        ("f1-weighted", 0.47434343434343434),
        ("matthews", 0.20945945945945946),
        ("auc-macro", 0.6252749719416386),
        ("auc-weighted", 0.6302693602693604),
        ("mean-average-precision", 0.5278796820463487),
        ("log-loss", 3.277769560657271),
        ("brier", 0.6496533333333333),
    ] {
        let score: Score = score.parse().unwrap();
        close(score.measure(&truth, &predicted).unwrap().value().unwrap(), want);
    }
    let confusion = Confusion::new(&Y3, &LABELS3, 3).unwrap();
    let rows: Vec<&[u64]> = confusion.rows().collect();
    assert_eq!(rows, [[2, 3, 1], [2, 2, 0], [1, 1, 3]]);
    close(confusion.recall(2).unwrap(), 0.6);
    close(confusion.precision(2).unwrap(), 0.75);
    for name in ["f1", "auc", "average-precision", "interpolated-precision", "interpolated-precision-11"] {
        let error = name.parse::<Score>().unwrap().measure(&truth, &predicted).unwrap_err();
        assert!(error.to_string().contains("two classes and there are 3"), "{error}");
    }
}

/// Values from scikit-learn 1.9.1.
#[test]
fn numbers_match_scikit_learn() {
    let a = [1.83, -3.6, -0.96, -0.03, -1.35, -0.15, 4.02, -1.56];
    let b = [1.2, -4.52, -1.06, -0.21, -1.22, -0.38, 3.78, -1.92];
    for scale in [1.0, 1e-160, 1e170] {
        let of = |v: &[f64]| v.iter().map(|x| x * scale).collect::<Vec<_>>();
        let (a, b) = (of(&a), of(&b));
        close(mae(&a, &b).unwrap().value().unwrap() / scale, 0.3487499999999999);
        close(rmse(&a, &b).unwrap().value().unwrap() / scale, 0.4391326678806758);
        close(r2(&a, &b).unwrap().value().unwrap(), 0.9586023496326351);
    }
}

/// Points from scikit-learn 1.9.1 (`roc_curve` without dropping points, `precision_recall_curve`).
#[test]
fn curves_match_scikit_learn() {
    let roc = roc_curve(&truth(), &S).unwrap().value().unwrap();
    assert_eq!(roc.len(), 16);
    for (at, x, y, threshold) in [
        (0, 0.0, 0.0, None),
        (3, 0.0, 0.5, Some(0.9)),
        (4, 0.08333333333333333, 0.625, Some(0.8)),
        (12, 0.6666666666666666, 1.0, Some(-0.7)),
        (15, 1.0, 1.0, Some(-1.6)),
    ] {
        close(roc[at].x, x);
        close(roc[at].y, y);
        assert_eq!(roc[at].threshold, threshold);
    }
    let curve = precision_recall_curve(&truth(), &S).unwrap().value().unwrap();
    assert_eq!(curve.len(), 15);
    for (at, recall, precision) in [(0, 0.125, 1.0), (3, 0.625, 0.8333333333333334), (14, 1.0, 0.4)] {
        close(curve[at].x, recall);
        close(curve[at].y, precision);
    }
}

/// Bins of equal width as scikit-learn 1.9.1's `calibration_curve`.
#[test]
fn calibration_tables() {
    let table = calibration(&truth(), &P, 4, Binning::Width).unwrap().value().unwrap();
    let observed: Vec<f64> = table.bins.iter().map(|b| b.observed).collect();
    assert_eq!(observed, [0.0, 0.25, 0.5, 1.0]);
    for (bin, want) in table.bins.iter().zip([0.1995, 0.35125, 0.6495, 0.8585]) {
        close(bin.predicted, want);
        assert!(bin.interval.low <= bin.observed && bin.observed <= bin.interval.high);
    }
    let gap: f64 = table.bins.iter().map(|b| b.count as f64 / 20.0 * (b.predicted - b.observed).abs()).sum();
    close(table.expected_error, gap);
    close(table.largest_error, 0.1995);
    let table = calibration(&truth(), &P, 4, Binning::Count).unwrap().value().unwrap();
    assert_eq!(table.bins.iter().map(|b| b.count).sum::<usize>(), 20);
    assert!(table.bins.iter().all(|b| (4..=6).contains(&b.count)));
    // One bin for equal probabilities, and the last bin includes 1.
    let table = calibration(&[true, false, true], &[1.0; 3], 3, Binning::Count).unwrap().value().unwrap();
    assert_eq!(table.bins.len(), 1);
    assert!(calibration(&[true], &[1.0], 3, Binning::Width).unwrap().value().is_some());
    assert!(calibration(&[true], &[1.5], 3, Binning::Width).is_err());
    assert!(calibration(&[true], &[f64::NAN], 3, Binning::Width).is_err());
    assert!(calibration(&[true], &[0.5], 0, Binning::Width).is_err());
    assert!(calibration(&[], &[], 3, Binning::Width).unwrap().reason().is_some());
}

/// Wilson: SciPy 1.17.1 `binomtest.proportion_ci`. DeLong: direct computation of the definition in NumPy 2.4.6.
#[test]
fn intervals() {
    for (k, n, level, low, high) in [
        (9, 10, 0.95, 0.5958499732047615, 0.9821237869049271),
        (0, 5, 0.9, 0.0, 0.35111650076510126),
        (50, 200, 0.99, 0.18002137781390665, 0.3360332593992649),
        (7, 7, 0.95, 0.6456695649333126, 1.0),
    ] {
        let interval = wilson(k, n, level).unwrap().value().unwrap();
        close(interval.low, low);
        close(interval.high, high);
    }
    assert!(wilson(0, 0, 0.95).unwrap().reason().is_some());
    assert!(wilson(3, 2, 0.95).is_err() && wilson(1, 2, 1.0).is_err());
    let interval = delong(&truth(), &S, 0.95).unwrap().value().unwrap();
    close(interval.low, 0.6677705150556514);
    assert_eq!(interval.high, 1.0);
    let interval = delong(&truth(), &S, 0.5).unwrap().value().unwrap();
    let half = 0.6744897501960817 * 0.008545978760822512f64.sqrt();
    close(interval.high, 0.8489583333333334 + half);
    assert!(delong(&[true, true, false], &[1.0, 2.0, 3.0], 0.95).unwrap().reason().is_some());
    assert!(delong(&[true, true], &[1.0, 2.0], 0.95).unwrap().reason().is_some());
    let interval = mean_over_folds(&[0.8, 0.9, 0.85, 0.95, 0.9], 0.25, 0.95).unwrap().value().unwrap();
    close(interval.low, 0.7738213917263298);
    close(interval.high, 0.9861786082736704);
    assert!(mean_over_folds(&[0.8], 0.25, 0.95).unwrap().reason().is_some());
    assert!(mean_over_folds(&[0.8; 2], f64::NAN, 0.95).is_err());
}

#[test]
fn the_bootstrap() {
    let x: Vec<f64> = (0..200).map(|i| f64::from((i * 37) % 101) / 10.0).collect();
    let mean = |drawn: &[usize]| Some(drawn.iter().map(|&i| x[i]).sum::<f64>() / 200.0);
    let bootstrap = Bootstrap { resamples: 4000, level: 0.9, seed: 3 };
    let interval = bootstrap.interval(200, mean).unwrap().value().unwrap();
    // By the central limit theorem: mean ± 1.645 · sd / √n.
    let centre = x.iter().sum::<f64>() / 200.0;
    let sd = (x.iter().map(|v| (v - centre).powi(2)).sum::<f64>() / 200.0).sqrt();
    let half = 1.645 * sd / 200f64.sqrt();
    assert!((interval.low - (centre - half)).abs() < 0.08 * half, "{interval:?}");
    assert!((interval.high - (centre + half)).abs() < 0.08 * half, "{interval:?}");
    // The same bits on any number of threads.
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| bootstrap.interval(200, mean)).unwrap().value().unwrap(), interval);
    }
    assert_ne!(Bootstrap { seed: 4, ..bootstrap }.interval(200, mean).unwrap().value().unwrap(), interval);
    assert!(bootstrap.interval(3, |_| None).unwrap().reason().is_some());
    assert!(bootstrap.interval(0, mean).unwrap().reason().is_some());
    assert!(Bootstrap { resamples: 1, ..bootstrap }.interval(5, |_| Some(1.0)).is_err());
}

#[test]
fn intervals_of_scores_contain_their_value() {
    let p = Dense::from_rows(&P3);
    let of_classes = Predicted { labels: Some(&LABELS3), probabilities: Some(&p), ..Predicted::default() };
    let of_numbers = Predicted { numbers: Some(&P), ..Predicted::default() };
    let bootstrap = Bootstrap { resamples: 400, ..Bootstrap::default() };
    for &score in Score::ALL {
        let (truth, predicted) = match score.needs() {
            Needs::Numbers => (Truth::Numbers(&S), of_numbers),
            _ => (Truth::Classes { codes: &Y3, classes: 3 }, of_classes),
        };
        let Ok(Measured::Value(value)) = score.measure(&truth, &predicted) else { continue };
        let interval = score.interval(&truth, &predicted, &bootstrap).unwrap().value().unwrap();
        assert!(interval.low <= value && value <= interval.high, "{score} {value} {interval:?}");
        let wilson = matches!(score, Score::Accuracy | Score::F1Micro);
        assert_eq!(interval.method, if wilson { "Wilson" } else { "bootstrap percentile" });
    }
    let decisions = column(&S);
    let predicted = Predicted { decisions: Some(&decisions), ..Predicted::default() };
    let two = Truth::Classes { codes: &Y, classes: 2 };
    assert_eq!(Score::Auc.interval(&two, &predicted, &bootstrap).unwrap().value().unwrap().method, "DeLong");
}

#[test]
fn degenerate_cases_have_a_value_or_a_reason() {
    let value = |m: Result<Measured>| m.unwrap().value();
    assert_eq!(value(accuracy(&[], &[])), None);
    assert_eq!(value(balanced_accuracy(&[], &[], 2)), None);
    assert_eq!(value(balanced_accuracy(&[1, 1], &[1, 0], 2)), Some(0.5));
    assert_eq!(value(f1(&[0, 0], &[0, 0], 2, Average::Binary)), None);
    assert_eq!(value(f1(&[0, 0], &[1, 0], 2, Average::Binary)), Some(0.0));
    assert_eq!(value(f1(&[0, 0], &[0, 0], 2, Average::Macro)), Some(1.0));
    assert_eq!(value(matthews(&[1, 1], &[1, 0], 2)), None);
    assert_eq!(value(matthews(&[1, 0], &[1, 1], 2)), Some(0.0));
    assert_eq!(value(auc(&[true], &[0.0])), None);
    assert_eq!(value(auc(&[], &[])), None);
    assert_eq!(value(auc(&[true, false], &[0.0, -0.0])), Some(0.5));
    assert_eq!(value(average_precision(&[false], &[0.0], Interpolation::ElevenPoints)), None);
    assert_eq!(value(average_precision(&[true], &[0.0], Interpolation::ElevenPoints)), Some(1.0));
    assert_eq!(value(r2(&[2.0, 2.0], &[1.0, 3.0])), None);
    assert_eq!(value(r2(&[2.0], &[1.0])), None);
    assert_eq!(value(mae(&[], &[])), None);
    assert_eq!(value(rmse(&[f64::MAX], &[-f64::MAX])), None);
    assert_eq!(value(rmse(&[f64::MAX, 0.0], &[0.0, 0.0])).map(|v| v < f64::MAX), Some(true));
    assert_eq!(value(rmse(&[5e-324], &[0.0])), Some(5e-324));
    assert_eq!(value(log_loss(&[], &Dense::zeros(0, 2), 2)), None);
    assert_eq!(value(log_loss(&[0], &Dense::from_rows(&[[0.0, 1.0]]), 2)), Some(-f64::EPSILON.ln()));
    assert_eq!(value(log_loss(&[1], &Dense::from_rows(&[[0.0, 1.0]]), 2)), Some(0.0));
    assert!(roc_curve(&[true], &[0.0]).unwrap().reason().is_some());
    assert!(precision_recall_curve(&[false], &[0.0]).unwrap().reason().is_some());
    // A fold without class 0: the mean is over the classes that occur.
    let p = Dense::from_rows(&[[0.1, 0.8, 0.1], [0.2, 0.1, 0.7]]);
    let predicted = Predicted { decisions: Some(&p), ..Predicted::default() };
    let truth = Truth::Classes { codes: &[1, 2], classes: 3 };
    assert_eq!(value(Score::AucMacro.measure(&truth, &predicted)), Some(1.0));
    let truth = Truth::Classes { codes: &[1, 1], classes: 3 };
    assert_eq!(value(Score::AucMacro.measure(&truth, &predicted)), None);
}

#[test]
fn invalid_input_is_rejected() {
    assert!(accuracy(&[0], &[]).is_err());
    assert!(f1(&[0], &[2], 2, Average::Macro).is_err());
    assert!(matthews(&[usize::MAX - 1], &[0], usize::MAX).is_err());
    assert!(auc(&[true, false], &[f64::NAN, 0.0]).is_err());
    assert!(mae(&[1.0], &[f64::INFINITY]).is_err());
    assert!(log_loss(&[0], &Dense::from_rows(&[[0.4, 0.4]]), 2).is_err());
    assert!(log_loss(&[0], &Dense::from_rows(&[[-0.5, 1.5]]), 2).is_err());
    assert!(brier(&[0], &Dense::from_rows(&[[1.0]]), 1).is_err());
    assert!(brier(&[0], &Dense::from_rows(&[[1.0, 0.0]]), 3).is_err());
    assert!(Confusion::new(&[0], &[0], usize::MAX).is_err());
    let classes = Truth::Classes { codes: &[0, 1], classes: 2 };
    let nothing = Predicted::default();
    for &score in Score::ALL {
        assert!(score.measure(&classes, &nothing).is_err(), "{score}");
        assert!(score.measure(&Truth::Numbers(&[1.0]), &nothing).is_err(), "{score}");
    }
    let far = Truth::Classes { codes: &[0, 5], classes: 2 };
    assert!(Score::Accuracy.measure(&far, &Predicted { labels: Some(&[0, 1]), ..nothing }).is_err());
    assert!("accuracey".parse::<Score>().unwrap_err().to_string().contains("did you mean accuracy?"));
}

#[test]
fn names_parse_to_their_score() {
    for &score in Score::ALL {
        assert_eq!(score.to_string().parse::<Score>().unwrap(), score);
        assert!(!score.summary().is_empty());
    }
    assert_eq!("MCC".parse::<Score>().unwrap(), Score::Matthews);
    assert_eq!("balanced_accuracy".parse::<Score>().unwrap(), Score::BalancedAccuracy);
}

proptest! {
    /// The area is the share of correctly ordered pairs, counted one by one. It does not depend on the order of the
    /// objects and becomes 1 - area when the decision values are negated.
    #[test]
    fn areas_by_counting(pairs in prop::collection::vec((any::<bool>(), -3i8..4), 2..40), shift in 0usize..40) {
        let (truth, values): (Vec<bool>, Vec<f64>) = pairs.iter().map(|&(t, v)| (t, f64::from(v))).unzip();
        let got = auc(&truth, &values).unwrap().value();
        let (mut right, mut count) = (0.0, 0.0);
        for (i, _) in truth.iter().enumerate().filter(|(_, t)| **t) {
            for (j, _) in truth.iter().enumerate().filter(|(_, t)| !**t) {
                count += 1.0;
                right += if values[i] > values[j] { 1.0 } else if values[i] == values[j] { 0.5 } else { 0.0 };
            }
        }
        prop_assert_eq!(got.is_some(), count > 0.0);
        if let Some(got) = got {
            prop_assert!((got - right / count).abs() < 1e-12);
            let mut rotated = pairs.clone();
            rotated.rotate_left(shift % pairs.len());
            let (truth2, values2): (Vec<bool>, Vec<f64>) = rotated.iter().map(|&(t, v)| (t, f64::from(v))).unzip();
            prop_assert_eq!(auc(&truth2, &values2).unwrap().value(), Some(got));
            let negated: Vec<f64> = values.iter().map(|v| -v).collect();
            prop_assert!((auc(&truth, &negated).unwrap().value().unwrap() - (1.0 - got)).abs() < 1e-12);
            // The placements of both classes have the area as mean.
            let placements = Placements::new(&truth, &values).unwrap();
            for part in [placements.positive, placements.negative] {
                prop_assert!((part.iter().sum::<f64>() / part.len() as f64 - got).abs() < 1e-12);
            }
        }
    }

    /// Interpolation never lowers the value, and all measures stay in their range.
    #[test]
    fn precisions(pairs in prop::collection::vec((any::<bool>(), -3i8..4), 1..40)) {
        let (truth, values): (Vec<bool>, Vec<f64>) = pairs.iter().map(|&(t, v)| (t, f64::from(v))).unzip();
        let of = |how| average_precision(&truth, &values, how).unwrap().value();
        let (plain, all, eleven) =
            (of(Interpolation::None), of(Interpolation::AllPoints), of(Interpolation::ElevenPoints));
        prop_assert_eq!(plain.is_some(), truth.contains(&true));
        if let (Some(plain), Some(all), Some(eleven)) = (plain, all, eleven) {
            prop_assert!(plain <= all + 1e-12 && all <= 1.0 + 1e-12);
            prop_assert!((0.0..=1.0 + 1e-12).contains(&eleven));
        }
    }

    /// The counts of the matrix give the same accuracy, and the two-class correlation has its textbook form.
    #[test]
    fn tallies(pairs in prop::collection::vec((0usize..2, 0usize..2), 1..50)) {
        let (truth, predicted): (Vec<usize>, Vec<usize>) = pairs.into_iter().unzip();
        let c = Confusion::new(&truth, &predicted, 2).unwrap();
        let at = |t, p| c.count(t, p) as f64;
        let (tp, tn, fp, fn_) = (at(1, 1), at(0, 0), at(0, 1), at(1, 0));
        let n = truth.len() as f64;
        prop_assert!((accuracy(&truth, &predicted).unwrap().value().unwrap() - (tp + tn) / n).abs() < 1e-12);
        let below = ((tp + fp) * (tp + fn_) * (tn + fp) * (tn + fn_)).sqrt();
        if let Some(got) = matthews(&truth, &predicted, 2).unwrap().value() {
            let want = if below > 0.0 { (tp * tn - fp * fn_) / below } else { 0.0 };
            prop_assert!((got - want).abs() < 1e-12);
        }
        if let Some(got) = f1(&truth, &predicted, 2, Average::Binary).unwrap().value() {
            prop_assert!((got - 2.0 * tp / (2.0 * tp + fp + fn_)).abs() < 1e-12);
        }
    }
}
