use proptest::prelude::*;

use super::*;
use crate::data::Dense;
use crate::select::{Objects, Protocol, Splits};

const A: [f64; 12] =
    [0.85, 0.9589, 0.9103, 0.6901, 0.7201, 0.9494, 0.6021, 0.9285, 0.9188, 0.7872, 0.7212, 0.7114];
const B: [f64; 12] =
    [0.8247, 0.9854, 0.8918, 0.6353, 0.7673, 0.9523, 0.6772, 0.973, 0.9909, 0.779, 0.7646, 0.6778];

fn close(got: Option<f64>, want: f64) {
    let got = got.unwrap();
    assert!((got - want).abs() <= 1e-9 * want.abs().max(1e-9), "{got} {want}");
}

fn zeros(n: usize) -> Vec<f64> {
    vec![0.0; n]
}

/// Values from SciPy 1.17.1: wilcoxon, ttest_rel, binomtest; the corrected t from its formula with SciPy's t
/// distribution.
#[test]
fn two_methods_match_scipy() {
    let test = wilcoxon(&A, &B, Zeros::Wilcoxon).unwrap();
    assert_eq!((test.statistic, test.p, test.exact, test.n), (Some(25.0), Some(0.30126953125), true, 12));
    assert_eq!(test.first_larger, Some(false));
    let test = paired_t(&A, &B).unwrap();
    close(test.statistic, -1.1489283163841413);
    close(test.p, 0.27495524712811364);
    let test = corrected_t(&A, &B, 0.25).unwrap();
    close(test.statistic, -0.5744641581920706);
    close(test.p, 0.5772128294545574);
    let test = sign_test(&A, &B).unwrap();
    assert_eq!((test.statistic, test.n), (Some(5.0), 12));
    close(test.p, 0.7744140625);
}

/// SciPy 1.17.1: `wilcoxon(…, method='asymptotic', correction=False)` with three pairs made equal, and exact for fifty
/// distinct differences. Zeros with few differences: all sign patterns counted in NumPy.
#[test]
fn ranks_with_ties_and_zeros() {
    let a: Vec<f64> = (0..80).map(|i| f64::from(i * 37 % 101)).collect();
    let mut b: Vec<f64> = (0..80).map(|i| f64::from(i * 53 % 97)).collect();
    [5, 11, 60].iter().for_each(|&i: &usize| b[i] = a[i]);
    for (how, statistic, p) in
        [(Zeros::Wilcoxon, 1373.5, 0.6430875263143763), (Zeros::Pratt, 1525.5, 0.6676938310376348)]
    {
        let test = wilcoxon(&a, &b, how).unwrap();
        assert!(!test.exact);
        assert_eq!(test.statistic, Some(statistic));
        close(test.p, p);
    }
    let fifty: Vec<f64> =
        (0..50).map(|i| f64::from((i * 29) % 53 + 1) * if (i * 7) % 5 < 2 { -1.0 } else { 1.0 }).collect();
    let test = wilcoxon(&fifty, &zeros(50), Zeros::Wilcoxon).unwrap();
    assert!(test.exact && test.statistic == Some(506.0));
    close(test.p, 0.20795951830847592);
    let x = [3.0, -1.0, 2.0, 2.0, 0.0, -2.0, 4.0, 1.0, 0.0, 5.0, 1.0, -1.0];
    let test = wilcoxon(&x, &zeros(12), Zeros::Wilcoxon).unwrap();
    assert_eq!((test.statistic, test.p, test.n), (Some(11.0), Some(0.109375), 10));
    let test = wilcoxon(&x, &zeros(12), Zeros::Pratt).unwrap();
    assert_eq!((test.statistic, test.p, test.n), (Some(17.0), Some(0.12890625), 10));
    // Differences of 0.1 that differ only by rounding share a rank.
    let test = wilcoxon(&[0.9, 0.8, 0.7, 0.3], &[0.8, 0.7, 0.6, 0.5], Zeros::Wilcoxon).unwrap();
    assert_eq!(test.statistic, Some(4.0));
    let test = wilcoxon(&[0.3], &[0.1 + 0.2], Zeros::Wilcoxon).unwrap();
    assert_eq!((test.n, test.p), (0, Some(1.0)));
}

/// Formulas with SciPy 1.17.1's t and F distributions; the F point is the published one.
#[test]
fn five_by_two() {
    let a = [0.91, 0.92, 0.90, 0.93, 0.92, 0.91, 0.94, 0.90, 0.92, 0.93];
    let b = [0.88, 0.90, 0.89, 0.88, 0.90, 0.87, 0.91, 0.88, 0.89, 0.90];
    let t = five_by_two_t(&a, &b).unwrap();
    close(t.statistic, 2.022599587389727);
    close(t.p, 0.0990413520209898);
    let f = five_by_two_f(&a, &b).unwrap();
    close(f.statistic, 4.090909090909092);
    close(f.p, 0.06668099709344728);
    assert_eq!(f.first_larger, Some(true));
    let point = |f| crate::select::distribution::fisher_upper(f, 10.0, 5.0);
    assert!(point(4.735) > 0.05 && point(4.745) < 0.05);
    assert!(five_by_two_f(&a[1..], &b[1..]).is_err() && five_by_two_t(&a[..2], &b[..2]).is_err());
    assert_eq!(five_by_two_f(&a, &a).unwrap().p, Some(1.0));
    let shifted = a.map(|v| v + 0.01);
    let test = five_by_two_f(&shifted, &a).unwrap();
    assert_eq!((test.p, test.statistic), (None, None));
    assert!(test.remark.is_some());
}

#[test]
fn delong_matches_its_definition() {
    // Computed from the definition in NumPy 2.4.6.
    let y = [1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1].map(|y| y == 1);
    let a = [
        1.3, -0.2, -1.0, 2.6, 0.2, -0.7, 0.9, -1.2, 0.4, -0.5, -0.7, 0.6, 0.9, -0.6, 0.4, 0.8, -1.6, -0.3,
        -1.0, 0.8,
    ];
    let b = [
        0.8, -0.0, -1.4, 2.7, 2.1, -0.2, -0.7, 0.5, 0.7, -1.4, 0.2, 0.6, 0.3, -1.2, -0.6, 0.8, -0.5, -0.6,
        -0.6, 2.7,
    ];
    let test = delong_test(&y, &a, &b).unwrap();
    close(test.statistic, 1.0048144893844102);
    close(test.p, 0.3149861855861549);
    assert_eq!(delong_test(&y, &a, &a).unwrap().p, Some(1.0));
    assert_eq!(delong_test(&[true; 3], &a[..3], &b[..3]).unwrap().p, None);
}

#[test]
fn mcnemar_counts_disagreements() {
    let truth = [1; 12];
    let a = [1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1];
    let b = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 1];
    let test = mcnemar(&truth, &a, &b).unwrap();
    // 8 against 1: 2 · (1 + 9) / 512.
    assert_eq!((test.n, test.statistic, test.exact), (9, Some(8.0), true));
    close(test.p, 20.0 / 512.0);
    assert_eq!(mcnemar(&truth, &a, &a).unwrap().p, Some(1.0));
    assert!(mcnemar(&truth, &a[1..], &b).is_err() && mcnemar(&[], &[], &[]).is_err());
}

/// Areas under the ROC curve of four trees on fourteen data sets: Demšar 2006, table 6.
const DEMSAR: [[f64; 4]; 14] = [
    [0.763, 0.768, 0.771, 0.798],
    [0.599, 0.591, 0.590, 0.569],
    [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657],
    [0.882, 0.888, 0.886, 0.898],
    [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685],
    [0.583, 0.583, 0.563, 0.625],
    [0.775, 0.838, 0.866, 0.875],
    [1.0, 1.0, 1.0, 1.0],
    [0.940, 0.962, 0.965, 0.962],
    [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.9751, 0.975],
    [0.957, 0.978, 0.946, 0.970],
];

/// The paper prints mean ranks 3.143, 2.000, 2.893, 1.964 and a critical difference of 1.25; statistics with tie
/// correction and pairwise p values from SciPy 1.17.1 (friedmanchisquare, f, studentized_range).
#[test]
fn friedman_and_nemenyi() {
    let result = friedman(&Dense::from_rows(&DEMSAR), true).unwrap();
    for (got, want) in result.ranks.iter().zip([3.143, 2.0, 2.893, 1.964]) {
        assert!((got - want).abs() < 5e-4);
    }
    close(result.chi_square.statistic, 10.228346456692925);
    close(result.chi_square.p, 0.016721580328441323);
    close(result.iman_davenport.statistic, 4.1851301115241695);
    close(result.iman_davenport.p, 0.011620659515310975);
    assert_eq!(result.iman_davenport.degrees, [3.0, 39.0]);
    let nemenyi = result.nemenyi(0.05).unwrap();
    close(Some(nemenyi.critical_difference), 1.253559147117606);
    close(Some(nemenyi.p.at(0, 3)), 0.0741847950687442);
    close(Some(nemenyi.p.at(1, 3)), 0.999859449385133);
    assert_eq!(nemenyi.p.at(2, 2), 1.0);
    assert_eq!(nemenyi.groups, [vec![3, 1, 2, 0]]);
    // The paper's 10 % critical difference, 1.12, separates the two pairs.
    let groups = result.nemenyi(0.1).unwrap().groups;
    assert_eq!(groups, [vec![3, 1, 2], vec![2, 0]]);
    let lower = friedman(&Dense::new(14, 4, DEMSAR.concat().iter().map(|v| -v).collect()).unwrap(), false);
    assert_eq!(lower.unwrap(), result);
}

#[test]
fn friedman_edge_cases() {
    let agreed =
        friedman(&Dense::from_rows(&[[3.0, 2.0, 1.0], [9.0, 8.0, 7.0], [0.3, 0.2, 0.1]]), true).unwrap();
    close(agreed.iman_davenport.p, 1.0 / 36.0);
    assert_eq!(agreed.iman_davenport.statistic, None);
    close(agreed.chi_square.statistic, 6.0);
    let equal = friedman(&Dense::from_rows(&[[1.0, 1.0], [2.0, 2.0]]), true).unwrap();
    assert_eq!((equal.chi_square.p, equal.iman_davenport.p), (Some(1.0), Some(1.0)));
    assert_eq!(equal.nemenyi(0.05).unwrap().groups, [vec![0, 1]]);
    assert!(friedman(&Dense::zeros(1, 3), true).is_err() && friedman(&Dense::zeros(3, 1), true).is_err());
    assert!(friedman(&Dense::from_rows(&[[1.0, f64::NAN], [1.0, 2.0]]), true).is_err());
    assert!(agreed.nemenyi(0.0).is_err());
}

/// Benjamini and Hochberg: SciPy 1.17.1 `false_discovery_control`; Holm by hand.
#[test]
fn corrections() {
    let p = [0.01, 0.02, 0.03, 0.005, 0.2, 0.04, 0.9];
    let check = |correction: Correction, want: [f64; 7]| {
        let got = correction.adjust(&p).unwrap();
        got.iter().zip(want).for_each(|(g, w)| close(Some(*g), w));
    };
    check(
        Correction::BenjaminiHochberg,
        [0.035, 0.04666666666666667, 0.0525, 0.035, 0.23333333333333336, 0.056, 0.9],
    );
    check(Correction::Holm, [0.06, 0.1, 0.12, 0.035, 0.4, 0.12, 0.9]);
    check(Correction::Bonferroni, [0.07, 0.14, 0.21, 0.035, 1.0, 0.28, 1.0]);
    check(Correction::None, p);
    for correction in Correction::ALL {
        assert_eq!(correction.adjust(&[]).unwrap(), Vec::<f64>::new());
        assert!(correction.adjust(&[f64::NAN]).is_err() && correction.adjust(&[1.5]).is_err());
        assert_eq!(correction.to_string().parse::<Correction>().unwrap(), correction);
    }
    assert!("holmes".parse::<Correction>().is_err());
}

#[test]
fn degenerate_pairs() {
    assert!(wilcoxon(&[], &[], Zeros::Pratt).is_err() && paired_t(&[1.0], &[]).is_err());
    assert!(sign_test(&[f64::NAN], &[1.0]).is_err() && sign_test(&[f64::MAX], &[-f64::MAX]).is_err());
    assert_eq!(paired_t(&[1.0], &[2.0]).unwrap().p, None);
    assert_eq!(paired_t(&[0.9, 0.8, 0.7], &[0.8, 0.7, 0.6]).unwrap().p, None);
    assert_eq!(paired_t(&[1.0, 2.0], &[1.0, 2.0]).unwrap().p, Some(1.0));
    assert!(corrected_t(&A, &B, 0.0).is_err() && corrected_t(&A, &B, f64::INFINITY).is_err());
    let scaled = |v: &[f64], s: f64| v.iter().map(|x| x * s).collect::<Vec<_>>();
    for scale in [1e-300, 1e300] {
        let test = paired_t(&scaled(&A, scale), &scaled(&B, scale)).unwrap();
        close(test.p, 0.27495524712811364);
    }
}

fn sets() -> (Comparison, Vec<String>) {
    let methods = ["trees", "trees m", "trees_cf", "both"];
    let data: Vec<String> = (1..=14).map(|i| format!("set{i}")).collect();
    let mut table = Comparison::new("auc", true, &methods, &data).unwrap();
    for (d, row) in DEMSAR.iter().enumerate() {
        for (m, &v) in row.iter().enumerate() {
            table.set(m, d, &[Some(v - 0.01), Some(v + 0.01), None]).unwrap();
        }
    }
    (table, data)
}

#[test]
fn tests_over_data_sets() {
    let (table, _) = sets();
    let tests = table.test(&ComparisonSettings::default()).unwrap();
    let friedman = tests.friedman.as_ref().unwrap();
    close(friedman.chi_square.statistic, 10.228346456692925);
    assert_eq!(tests.pairs.len(), 6);
    // The first tree against the last, counted by hand from the table above.
    let pair = &tests.pairs[2];
    assert_eq!((pair.a, pair.b), (0, 3));
    assert_eq!((pair.count.wins, pair.count.ties, pair.count.losses), (2, 1, 11));
    assert_eq!(
        pair.tests.iter().map(|t| t.name).collect::<Vec<_>>(),
        ["Wilcoxon signed-rank", "sign test", "paired t"]
    );
    let raw: Vec<f64> = tests.pairs.iter().map(|p| p.tests[0].p.unwrap()).collect();
    let adjusted: Vec<f64> = tests.pairs.iter().map(|p| p.adjusted.unwrap()).collect();
    assert_eq!(adjusted, Correction::Holm.adjust(&raw).unwrap());
    for pair in &tests.pairs {
        assert_eq!(pair.better.is_some(), pair.adjusted.unwrap() < 0.05);
        let reported = pair.sentence.contains("is better than");
        assert_eq!(reported, pair.better.is_some(), "{}", pair.sentence);
    }
    let plain = ComparisonSettings { correction: Correction::None, ..ComparisonSettings::default() };
    let tests = table.test(&plain).unwrap();
    let pair = &tests.pairs[2];
    assert_eq!((pair.adjusted, pair.better), (pair.tests[0].p, Some(3)));
    assert!(pair.sentence.starts_with("both is better than trees (p = 0.0"), "{}", pair.sentence);
    assert!(pair.sentence.ends_with(", Wilcoxon signed-rank)"), "{}", pair.sentence);
    assert!(table.test(&ComparisonSettings { alpha: 2.0, ..ComparisonSettings::default() }).is_err());
}

#[test]
fn tests_of_folds() {
    let objects = Objects::new(40).with_classes(&[[0; 20], [1; 20]].concat()).unwrap();
    let some = |v: &[f64]| v.iter().map(|&v| Some(v)).collect::<Vec<_>>();
    let names = |protocol: Option<Protocol>, a: &[Option<f64>], b: &[Option<f64>]| {
        let mut table = Comparison::new("rmse", false, &["a", "b"], &["data"]).unwrap();
        if let Some(protocol) = protocol {
            table = table.with_protocol(protocol, &Splits::new(&protocol, &objects, 1).unwrap());
        }
        table.set(0, 0, a).unwrap();
        table.set(1, 0, b).unwrap();
        let tests = table.test(&ComparisonSettings::default()).unwrap();
        assert!(tests.friedman.is_none());
        let pair = tests.pairs[0].clone();
        (pair.tests.iter().map(|t| t.name).collect::<Vec<_>>(), pair)
    };
    let (a, b) = (some(&A[..10]), some(&B[..10]));
    assert_eq!(names(Some(Protocol::FIVE_BY_TWO), &a, &b).0, ["combined 5×2cv F", "5×2cv t"]);
    assert_eq!(names(Some(Protocol::folds(10)), &a, &b).0, ["corrected resampled t"]);
    assert_eq!(names(None, &a, &b).0, ["paired t"]);
    let mut holes = a.clone();
    holes[3] = None;
    let (tests, pair) = names(Some(Protocol::FIVE_BY_TWO), &holes, &b);
    assert_eq!((tests, pair.tests[0].n), (vec!["corrected resampled t"], 9));
    // Smaller is better: a is better by far.
    let low: Vec<Option<f64>> = (0..10).map(|i| Some(1.0 + 0.01 * f64::from(i % 3))).collect();
    let high: Vec<Option<f64>> = (0..10).map(|i| Some(3.0 + 0.02 * f64::from(i % 4))).collect();
    let (_, pair) = names(Some(Protocol::FIVE_BY_TWO), &low, &high);
    assert_eq!((pair.better, pair.count.wins), (Some(0), 10));
    assert_eq!(pair.sentence, "a is better than b (p < 0.001, combined 5×2cv F)");
    let (_, pair) = names(None, &a[..1], &b[..1]);
    assert_eq!(pair.sentence, "no test between a and b: fewer than two pairs of scores");
    let (_, pair) = names(None, &[Some(1.0), Some(1.0)], &[Some(2.0), Some(2.0)]);
    assert!(pair.sentence.contains("no test between a and b: the differences are all the same"));
    let (_, pair) = names(None, &[], &[]);
    assert!(pair.tests.is_empty());
}

#[test]
fn invalid_tables_are_rejected() {
    assert!(Comparison::new("auc", true, &["a", "a"], &["x"]).is_err());
    assert!(Comparison::new("auc", true, &["a"], &[] as &[&str]).is_err());
    let mut table = Comparison::new("auc", true, &["a", "b"], &["x"]).unwrap();
    assert!(table.set(2, 0, &[]).is_err() && table.set(0, 1, &[]).is_err());
    assert!(table.set(0, 0, &[Some(f64::NAN)]).is_err());
    table.set(0, 0, &[Some(1.0), None]).unwrap();
    assert!(table.set(1, 0, &[Some(1.0)]).is_err());
    assert_eq!((table.mean(0, 0), table.sd(0, 0), table.mean(1, 0)), (Some(1.0), None, None));
    assert!(table.scores(9, 9).is_empty());
    // A table with an empty result can still be rendered.
    let tests = table.test(&ComparisonSettings::default()).unwrap();
    assert!(tests.text().contains('–'));
    table.set(0, 0, &[Some(f64::MAX), Some(-f64::MAX), Some(f64::MAX), Some(f64::MAX)]).unwrap();
    assert!(table.mean(0, 0).is_some_and(f64::is_finite));
}

fn small() -> Comparison {
    let mut table = Comparison::new("accuracy", true, &["rbf", "a|b_c"], &["iris", "w&ne", "x"]).unwrap();
    let values = [[0.8, 0.84], [0.5, 0.7], [0.8, 0.8]];
    for (d, row) in values.iter().enumerate() {
        table.set(0, d, &row.map(Some)).unwrap();
        table.set(1, d, &row.map(|v| Some(v - 0.1 * (d as f64 - 1.0)))).unwrap();
    }
    table
}

#[test]
fn terminal_text() {
    let table = small();
    assert_eq!(
        table.test(&ComparisonSettings::default()).unwrap().text(),
        r"                       rbf            a|b_c
iris       0.820 ± 0.028    0.920 ± 0.028 *
w&ne       0.600 ± 0.141 *  0.600 ± 0.141 *
x          0.800 ± 0.000 *  0.700 ± 0.000
mean rank           1.50 *           1.50 *

accuracy, mean ± sd over folds; larger is better; * best
Friedman test, Iman–Davenport F(1, 2) = 0.00, p = 1.00
Nemenyi critical difference 1.132 at 0.05; not distinguishable: rbf = a|b_c
no significant difference between rbf and a|b_c (p = 1.00, Wilcoxon signed-rank); rbf wins 1, ties 1, loses 1
"
    );
}

#[test]
fn markdown_and_latex() {
    let table = small();
    let tests = table.test(&ComparisonSettings::default()).unwrap();
    assert_eq!(
        tests.markdown(),
        r"|           |               rbf |           a\|b\_c |
| --------- | ----------------: | ----------------: |
| iris      |     0.820 ± 0.028 | **0.920 ± 0.028** |
| w&ne      | **0.600 ± 0.141** | **0.600 ± 0.141** |
| x         | **0.800 ± 0.000** |     0.700 ± 0.000 |
| mean rank |          **1.50** |          **1.50** |

accuracy, mean ± sd over folds; larger is better

- Friedman test, Iman–Davenport F(1, 2) = 0.00, p = 1.00
- Nemenyi critical difference 1.132 at 0.05; not distinguishable: rbf = a\|b\_c
- no significant difference between rbf and a\|b\_c (p = 1.00, Wilcoxon signed-rank); rbf wins 1, ties 1, loses 1
"
    );
    assert_eq!(
        tests.latex(),
        r"\begin{tabular}{lrr}
\toprule
          &                        rbf &                     a|b\_c \\
\midrule
iris      &          0.820 $\pm$ 0.028 & \textbf{0.920 $\pm$ 0.028} \\
w\&ne     & \textbf{0.600 $\pm$ 0.141} & \textbf{0.600 $\pm$ 0.141} \\
x         & \textbf{0.800 $\pm$ 0.000} &          0.700 $\pm$ 0.000 \\
mean rank &              \textbf{1.50} &              \textbf{1.50} \\
\bottomrule
\end{tabular}

accuracy, mean $\pm$ sd over folds; larger is better
\begin{itemize}
\item Friedman test, Iman--Davenport F(1, 2) = 0.00, p = 1.00
\item Nemenyi critical difference 1.132 at 0.05; not distinguishable: rbf = a|b\_c
\item no significant difference between rbf and a|b\_c (p = 1.00, Wilcoxon signed-rank); rbf wins 1, ties 1, loses 1
\end{itemize}
"
    );
}

#[test]
fn json_layout() {
    let (table, data) = sets();
    let json = serde_json::json!(table.test(&ComparisonSettings::default()).unwrap());
    assert_eq!(json["version"], 1);
    assert_eq!(json["data"].as_array().unwrap().len(), data.len());
    assert_eq!(json["results"].as_array().unwrap().len(), 4 * 14);
    assert_eq!(json["results"][0]["scores"][2], serde_json::Value::Null);
    assert!((json["results"][0]["mean"].as_f64().unwrap() - 0.763).abs() < 1e-12);
    assert_eq!(json["pairs"].as_array().unwrap().len(), 6);
    assert_eq!(json["pairs"][0]["tests"][0]["name"], "Wilcoxon signed-rank");
    assert!(json["nemenyi"]["critical_difference"].as_f64().unwrap() > 1.25);
    assert_eq!(json["friedman"]["ranks"].as_array().unwrap().len(), 4);
}

#[test]
fn names_cannot_control_a_terminal() {
    let mut table = Comparison::new("auc", true, &["\u{1b}[31mred", "b\nc"], &["x"]).unwrap();
    table.set(0, 0, &[Some(1.0), Some(2.0)]).unwrap();
    table.set(1, 0, &[Some(1.0), Some(2.5)]).unwrap();
    let tests = table.test(&ComparisonSettings::default()).unwrap();
    for out in [tests.text(), tests.markdown(), tests.latex()] {
        assert!(!out.contains('\u{1b}') && !out.contains("b\nc"));
    }
}

proptest! {
    /// p by counting every sign pattern.
    #[test]
    fn wilcoxon_by_counting(d in prop::collection::vec(-4i8..5, 1..11), pratt: bool) {
        let a: Vec<f64> = d.iter().map(|&d| f64::from(d)).collect();
        let how = if pratt { Zeros::Pratt } else { Zeros::Wilcoxon };
        let test = wilcoxon(&a, &zeros(a.len()), how).unwrap();
        let ranked: Vec<f64> = a.iter().copied().filter(|v| pratt || *v != 0.0).collect();
        let rank = |v: f64| {
            let below = ranked.iter().filter(|w| w.abs() < v.abs()).count() as f64;
            let equal = ranked.iter().filter(|w| w.abs() == v.abs()).count() as f64;
            below + (equal + 1.0) / 2.0
        };
        let live: Vec<f64> = ranked.iter().copied().filter(|v| *v != 0.0).collect();
        let ranks: Vec<f64> = live.iter().map(|&v| rank(v)).collect();
        let total: f64 = ranks.iter().sum();
        let sum = |signs: u32| (0..ranks.len()).filter(|i| signs >> i & 1 == 1).map(|i| ranks[i]).sum::<f64>();
        let positive: f64 = live.iter().zip(&ranks).filter(|(v, _)| **v > 0.0).map(|(_, r)| r).sum();
        let far = (positive - total / 2.0).abs();
        let extreme = (0..1u32 << ranks.len()).filter(|&s| (sum(s) - total / 2.0).abs() >= far - 1e-9).count();
        let p = extreme as f64 / f64::from(1u32 << ranks.len());
        prop_assert!((test.p.unwrap() - p).abs() < 1e-12, "{:?} {}", test, p);
    }

    /// Swapping the methods changes no p value and reverses the direction.
    #[test]
    fn tests_are_symmetric(pairs in prop::collection::vec((0.0f64..1.0, 0.0f64..1.0), 10)) {
        let (a, b): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        type Of = fn(&[f64], &[f64]) -> crate::Result<Test>;
        let tests: [Of; 5] =
            [sign_test, paired_t, five_by_two_t, five_by_two_f, |a, b| wilcoxon(a, b, Zeros::Pratt)];
        for test in tests {
            let (there, back) = (test(&a, &b).unwrap(), test(&b, &a).unwrap());
            prop_assert_eq!(there.p, back.p);
            prop_assert!((0.0..=1.0).contains(&there.p.unwrap()));
            prop_assert_eq!(there.first_larger.map(|f| !f), back.first_larger);
        }
    }

    /// Adjusted values keep the order, are no smaller than the raw ones, and Holm is at most Bonferroni.
    #[test]
    fn adjusted_values(p in prop::collection::vec(0.0f64..=1.0, 1..20)) {
        let holm = Correction::Holm.adjust(&p).unwrap();
        let bonferroni = Correction::Bonferroni.adjust(&p).unwrap();
        let hochberg = Correction::BenjaminiHochberg.adjust(&p).unwrap();
        for i in 0..p.len() {
            prop_assert!(p[i] <= hochberg[i] + 1e-15 && hochberg[i] <= holm[i] + 1e-15 && holm[i] <= bonferroni[i] + 1e-15);
            for j in 0..p.len() {
                prop_assert!(p[i] > p[j] || (holm[i] <= holm[j] && hochberg[i] <= hochberg[j]));
            }
        }
    }

    /// Mean ranks sum to k(k+1)/2, whatever the scores.
    #[test]
    fn rank_sums(rows in prop::collection::vec(prop::array::uniform4(0u8..4), 2..9)) {
        let scores = Dense::new(rows.len(), 4, rows.concat().iter().map(|&v| f64::from(v)).collect()).unwrap();
        let result = friedman(&scores, true).unwrap();
        prop_assert!((result.ranks.iter().sum::<f64>() - 10.0).abs() < 1e-9);
        prop_assert!((0.0..=1.0).contains(&result.iman_davenport.p.unwrap()));
        let groups = result.nemenyi(0.05).unwrap().groups;
        prop_assert!((0..4).all(|m| groups.iter().any(|g| g.contains(&m))));
    }
}
