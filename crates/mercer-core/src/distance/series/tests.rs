//! Compares every distance with its formula, cell by cell.

use proptest::prelude::*;

use super::*;
use crate::data::{Dense, Series};
use crate::distance::{Distance, NegativeSquaredDistance};
use crate::error::{Code, Error};
use crate::gram::Engine;
use crate::series::GlobalAlignment;

fn series(channels: usize, values: Vec<f64>) -> Series {
    Series::new(channels, values).unwrap()
}

fn one(values: &[f64]) -> Series {
    series(1, values.to_vec())
}

fn at(s: &Series, t: usize) -> Vec<f64> {
    (0..s.channels()).map(|c| s.channel(c)[t]).collect()
}

fn squared(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |sum, (x, y)| sum + (x - y) * (x - y))
}

fn apart(x: &[f64], y: &[f64]) -> f64 {
    if x.len() == 1 { (x[0] - y[0]).abs() } else { squared(x, y).sqrt() }
}

/// The full table of a dynamic programme with borders; cells outside of the band are `outside`.
fn table(
    band: Band,
    (n, m): (usize, usize),
    outside: f64,
    border: impl Fn(usize, usize) -> f64,
    cell: impl Fn(usize, usize, f64, f64, f64) -> f64,
) -> f64 {
    let rows = band.rows(n, m).unwrap_or_else(|| vec![0..m; n]);
    let mut d = vec![vec![outside; m + 1]; n + 1];
    for i in 0..=n {
        for j in 0..=m {
            if i == 0 || j == 0 {
                d[i][j] = border(i, j);
            } else if rows[i - 1].contains(&(j - 1)) {
                d[i][j] = cell(i - 1, j - 1, d[i - 1][j - 1], d[i - 1][j], d[i][j - 1]);
            }
        }
    }
    d[n][m]
}

fn corner(i: usize, j: usize) -> f64 {
    if i + j == 0 { 0.0 } else { f64::INFINITY }
}

fn dtw(x: &Series, y: &Series, band: Band) -> f64 {
    table(band, (x.len(), y.len()), f64::INFINITY, corner, |i, j, a, b, c| {
        squared(&at(x, i), &at(y, j)) + a.min(b).min(c)
    })
}

fn channel(s: &Series, c: usize) -> Series {
    one(s.channel(c))
}

fn distances<D: Distance<[Series]>>(d: D, x: &[Series]) -> Dense {
    Engine::new().distances(&NegativeSquaredDistance(d), x).unwrap()
}

/// Asserts that all distances agree with the formula, exactly or within `tolerance` of the largest.
fn agree<D: Distance<[Series]>>(
    d: D,
    x: &[Series],
    tolerance: f64,
    formula: impl Fn(&Series, &Series) -> f64,
) -> Result<(), TestCaseError> {
    let name = d.to_string();
    let found = distances(d, x);
    for i in 0..x.len() {
        for j in 0..x.len() {
            let wanted = if i == j { 0.0 } else { formula(&x[i], &x[j]) };
            let off = (found.at(i, j) - wanted).abs();
            prop_assert!(
                off <= tolerance * wanted.abs().max(1.0),
                "{name} {i} {j}: {} {wanted}",
                found.at(i, j)
            );
        }
    }
    Ok(())
}

fn sets() -> impl Strategy<Value = Vec<Series>> {
    (1usize..4, 1usize..20).prop_flat_map(|(channels, n)| {
        let one = (1usize..14).prop_flat_map(move |len| {
            prop::collection::vec(prop_oneof![-3.0f64..3.0, (-3i32..3).prop_map(f64::from)], len * channels)
        });
        prop::collection::vec(one.prop_map(move |v| series(channels, v)), n)
    })
}

fn bands() -> impl Strategy<Value = Band> {
    prop_oneof![
        Just(Band::FULL),
        (0.0f64..1.0).prop_map(|window| Band::SakoeChiba { window }),
        (2u32..8).prop_map(|w| Band::SakoeChiba { window: f64::from(w) }),
        (1.0f64..4.0).prop_map(|slope| Band::Itakura { slope }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn warping(x in sets(), band in bands()) {
        // The order of operations is the same, so results are exactly equal.
        agree(Dtw::default().within(band), &x, 0.0, |x, y| dtw(x, y, band).sqrt())?;
        let independent = |x: &Series, y: &Series| {
            (0..x.channels()).fold(0.0, |sum, c| sum + dtw(&channel(x, c), &channel(y, c), band)).sqrt()
        };
        agree(Dtw::default().within(band).on(ChannelChoice::INDEPENDENT), &x, 0.0, independent)?;
        let last = x[0].channels();
        let alone = |x: &Series, y: &Series| dtw(&channel(x, last - 1), &channel(y, last - 1), band).sqrt();
        agree(Dtw::default().within(band).on(ChannelChoice::at(last)), &x, 0.0, alone)?;
        agree(Dtw::default().within(band).single(true), &x, 3e-6, |x, y| dtw(x, y, band).sqrt())?;
    }

    #[test]
    fn slopes_and_weights(x in sets(), band in bands(), g in 0.0f64..1.0) {
        let slope = |s: &Series| {
            let of = |v: &[f64]| -> Vec<f64> {
                let n = v.len();
                let inner = |i: usize| ((v[i] - v[i - 1]) + (v[i + 1] - v[i - 1]) / 2.0) / 2.0;
                match n {
                    1 => vec![0.0],
                    2 => vec![v[1] - v[0]; 2],
                    _ => (0..n).map(|i| inner(i.clamp(1, n - 2))).collect(),
                }
            };
            series(s.channels(), (0..s.channels()).flat_map(|c| of(s.channel(c))).collect())
        };
        agree(DerivativeDtw::default().within(band), &x, 0.0, |x, y| dtw(&slope(x), &slope(y), band).sqrt())?;
        let weighted = |x: &Series, y: &Series| {
            let half = x.len().max(y.len()) as f64 / 2.0;
            let d = table(band, (x.len(), y.len()), f64::INFINITY, corner, |i, j, a, b, c| {
                let weight = 1.0 / (1.0 + (-g * (i.abs_diff(j) as f64 - half)).exp());
                squared(&at(x, i), &at(y, j)) * weight + a.min(b).min(c)
            });
            d.sqrt()
        };
        agree(WeightedDtw::new(g).unwrap().within(band), &x, 1e-14, weighted)?;
    }

    #[test]
    fn edits(x in sets(), band in bands(), g in -1.0f64..1.0) {
        let erp = |x: &Series, y: &Series| {
            let constant = vec![g; x.channels()];
            let gap = |s: &Series, t| apart(&at(s, t), &constant);
            let border = |i: usize, j: usize| {
                (0..i).fold(0.0, |s, t| s + gap(x, t)) + (0..j).fold(0.0, |s, t| s + gap(y, t))
            };
            table(band, (x.len(), y.len()), f64::INFINITY, border, |i, j, a, b, c| {
                (a + apart(&at(x, i), &at(y, j))).min(b + gap(x, i)).min(c + gap(y, j))
            })
        };
        agree(Erp::new(g).unwrap().within(band), &x, 1e-14, erp)?;
        let epsilon = g.abs();
        let lcss = |x: &Series, y: &Series| {
            // Time steps outside the band never match; matches before and after them count.
            let rows = band.rows(x.len(), y.len()).unwrap_or_else(|| vec![0..y.len(); x.len()]);
            let common = table(Band::FULL, (x.len(), y.len()), 0.0, |_, _| 0.0, |i, j, a, b, c| {
                let matches = rows[i].contains(&j) && apart(&at(x, i), &at(y, j)) <= epsilon;
                if matches { a + 1.0 } else { b.max(c) }
            });
            1.0 - common / x.len().min(y.len()) as f64
        };
        agree(Lcss::new(epsilon).unwrap().within(band), &x, 0.0, lcss)?;
    }

    #[test]
    fn moves_and_stiffness(x in sets(), band in bands(), c in 0.0f64..2.0, nu in 0.0f64..0.5) {
        let cost = |new: f64, old: f64, other: f64| {
            let between = old <= new && new <= other || old >= new && new >= other;
            if between { c } else { c + (new - old).abs().min((new - other).abs()) }
        };
        let msm = |x: &Series, y: &Series| {
            (0..x.channels()).fold(0.0, |sum, k| {
                let (x, y) = (x.channel(k), y.channel(k));
                sum + table(band, (x.len(), y.len()), f64::INFINITY, corner, |i, j, a, b, d| {
                    let before = |t: usize| t.saturating_sub(1);
                    (a + (x[i] - y[j]).abs())
                        .min(b + cost(x[i], x[before(i)], y[j]))
                        .min(d + cost(y[j], x[i], y[before(j)]))
                })
            })
        };
        agree(Msm::new(c).unwrap().within(band), &x, 1e-14, msm)?;
        let twe = |x: &Series, y: &Series| {
            let zero = vec![0.0; x.channels()];
            let before = |s: &Series, t: usize| if t == 0 { zero.clone() } else { at(s, t - 1) };
            table(band, (x.len(), y.len()), f64::INFINITY, corner, |i, j, a, b, d| {
                let stiff = 2.0 * nu * i.abs_diff(j) as f64;
                (a + apart(&at(x, i), &at(y, j)) + apart(&before(x, i), &before(y, j)) + stiff)
                    .min(b + apart(&at(x, i), &before(x, i)) + nu + c)
                    .min(d + apart(&at(y, j), &before(y, j)) + nu + c)
            })
        };
        agree(Twe::new(nu, c).unwrap().within(band), &x, 1e-13, twe)?;
    }

    #[test]
    fn sums_over_alignments(x in sets(), band in bands(), gamma in 0.01f64..3.0, triangle in 0usize..6) {
        // Logarithms cell by cell.
        let add = |a: f64, b: f64| {
            let high = a.max(b);
            if high == f64::NEG_INFINITY { high } else { high + ((a - high).exp() + (b - high).exp()).ln() }
        };
        let start = |i: usize, j: usize| if i + j == 0 { 0.0 } else { f64::NEG_INFINITY };
        let soft = |x: &Series, y: &Series| {
            -gamma * table(band, (x.len(), y.len()), f64::NEG_INFINITY, start, |i, j, a, b, c| {
                add(add(a, b), c) - squared(&at(x, i), &at(y, j)) / gamma
            })
        };
        let divergence = |x: &Series, y: &Series| (soft(x, y) - (soft(x, x) + soft(y, y)) / 2.0).max(0.0).sqrt();
        // The root of a difference of nearly equal numbers has half the digits.
        agree(SoftDtw::new(gamma).unwrap().within(band), &x, 1e-6, divergence)?;

        let log = |x: &Series, y: &Series| {
            table(Band::FULL, (x.len(), y.len()), f64::NEG_INFINITY, start, |i, j, a, b, c| {
                let mut e = (-squared(&at(x, i), &at(y, j)) / (2.0 * gamma * gamma)).exp();
                if triangle > 0 {
                    e *= (1.0 - i.abs_diff(j) as f64 / triangle as f64).max(0.0);
                }
                add(add(a, b), c) + (e / (2.0 - e)).ln()
            })
        };
        let kernel = GlobalAlignment::new(gamma).unwrap().triangular(triangle);
        let k = Engine::new().gram(&kernel, &x[..]).unwrap();
        for i in 0..x.len() {
            for j in 0..x.len() {
                let wanted = (log(&x[i], &x[j]) - (log(&x[i], &x[i]) + log(&x[j], &x[j])) / 2.0).exp();
                prop_assert!((k.at(i, j) - wanted).abs() <= 1e-12, "{i} {j}: {} {wanted}", k.at(i, j));
            }
        }
    }
}

#[test]
fn long_series_neither_overflow_nor_vanish() {
    let wave =
        |n: usize, shift: f64| one(&(0..n).map(|i| (i as f64 * 0.05 + shift).sin()).collect::<Vec<_>>());
    let x = [wave(3000, 0.0), wave(2900, 0.1), wave(3000, 2.0)];
    let k = Engine::new().gram(&GlobalAlignment::new(0.1).unwrap(), &x[..]).unwrap();
    assert!(k.values().iter().all(|v| v.is_finite() && *v >= 0.0));
    // With little smoothing the soft distance equals the hard one, although every local similarity is far below 1e-308.
    let far = [one(&[0.0, 100.0, 0.0, 50.0]), one(&[30.0, 0.0, 80.0])];
    let soft = distances(SoftDtw::new(1e-3).unwrap(), &far).at(0, 1);
    let hard = distances(Dtw::default(), &far).at(0, 1);
    assert!((soft - hard).abs() < 1e-4 * hard, "{soft} {hard}");
}

#[test]
fn invalid_series_are_an_error() {
    let gap = [one(&[1.0, 2.0]), one(&[1.0, f64::NAN])];
    let error = Engine::new().gram(&NegativeSquaredDistance(Dtw::default()), &gap[..]).unwrap_err();
    assert_eq!(error.code(), Code::TsMissing);
    assert!(error.to_string().contains("object 2") && error.to_string().contains("time step 2"), "{error}");
    let none = [one(&[1.0]), one(&[])];
    assert!(matches!(
        Engine::new().gram(&NegativeSquaredDistance(Dtw::default()), &none[..]),
        Err(Error::Missing { index: 1, .. })
    ));
    let unequal = [one(&[1.0, 2.0]), one(&[1.0])];
    let error =
        Engine::new().gram(&NegativeSquaredDistance(SeriesEuclidean::default()), &unequal[..]).unwrap_err();
    assert_eq!(error.code(), Code::TsLength);
    let mixed = [one(&[1.0, 2.0]), series(2, vec![1.0, 2.0])];
    assert_eq!(
        Engine::new().gram(&NegativeSquaredDistance(Dtw::default()), &mixed[..]).unwrap_err().code(),
        Code::Object
    );
    let two = [series(2, vec![1.0, 2.0])];
    let error = Engine::new()
        .cross_distances(&NegativeSquaredDistance(Dtw::default()), &two[..], &unequal[..])
        .unwrap_err();
    assert_eq!(error.code(), Code::DimMismatch);
    let third = Dtw::default().on(ChannelChoice::at(3));
    assert_eq!(
        Engine::new().gram(&NegativeSquaredDistance(third), &two[..]).unwrap_err().code(),
        Code::Object
    );
    let huge = [one(&[1e200]), one(&[-1e200])];
    for k in ["dtw", "soft-dtw"] {
        let error = match k {
            "dtw" => Engine::new().gram(&NegativeSquaredDistance(Dtw::default()), &huge[..]).unwrap_err(),
            _ => Engine::new()
                .gram(&NegativeSquaredDistance(SoftDtw::new(1.0).unwrap()), &huge[..])
                .unwrap_err(),
        };
        assert!(matches!(error.code(), Code::Overflow | Code::NonFinite), "{error}");
    }
    let far = Engine::new().gram(&GlobalAlignment::new(1.0).unwrap(), &huge[..]).unwrap();
    assert_eq!((far.at(0, 1), far.at(1, 1)), (0.0, 1.0));
    let empty: [Series; 0] = [];
    assert_eq!(Engine::new().gram(&NegativeSquaredDistance(Dtw::default()), &empty[..]).unwrap().rows(), 0);
}

#[test]
fn euclidean_distance_equals_its_definition() {
    let x: Vec<Series> =
        (0..5).map(|s| series(2, (0..74).map(|i| f64::from(i * s).sin()).collect::<Vec<_>>())).collect();
    let d = distances(SeriesEuclidean::default(), &x);
    for i in 0..5 {
        for j in 0..5 {
            let naive: f64 = (0..37).map(|t| squared(&at(&x[i], t), &at(&x[j], t))).sum();
            assert!((d.at(i, j) - naive.sqrt()).abs() < 1e-13);
        }
    }
    let second = distances(SeriesEuclidean::default().on(2), &x);
    let naive: f64 = (0..37).map(|t| (x[1].channel(1)[t] - x[3].channel(1)[t]).powi(2)).sum();
    assert!((second.at(1, 3) - naive.sqrt()).abs() < 1e-13);
}

/// Without warping, matches before an unmatched time step still count after it.
#[test]
fn narrow_bands_keep_earlier_matches() {
    let two = [one(&[2.0, 2.0, 5.0, 1.0]), one(&[2.0, 0.0, 5.0, 3.0])];
    let narrow = Lcss::new(0.5).unwrap().within(Band::SakoeChiba { window: 0.0 });
    assert_eq!(distances(narrow, &two).at(0, 1), 0.5);
    // For different lengths a match may lead out of the band.
    let two = [one(&[1.0, 2.0]), one(&[1.0, 9.0, 9.0, 9.0, 2.0])];
    assert_eq!(distances(narrow, &two).at(0, 1), 0.0);
    let steep = Lcss::new(0.5).unwrap().within(Band::Itakura { slope: 2.0 });
    assert_eq!(distances(steep, &two).at(0, 1), 0.0);
}

/// Values of aeon 1.6.0 (dtw_distance, wdtw_distance, lcss_distance, msm_distance, twe_distance) and tslearn 0.10.0
/// (soft_dtw, gak). aeon's costs are squared; here the root is taken. aeon's ERP starts from the total sum of gaps
/// instead of the sum so far, and its soft-DTW is clipped at 0, so these two are not compared.
#[test]
fn values_agree_with_aeon_and_tslearn() {
    let x = one(&[0.5, 1.25, -0.75, 2.0, 1.0, 0.25, -1.5, 0.0]);
    let y = one(&[0.25, -0.5, 1.75, 1.5, 0.75, -1.0, -0.25, 0.5]);
    let z = one(&[1.0, 0.0, 2.0, -1.0, 0.5]);
    let a = series(2, vec![0.5, 1.25, -0.75, 2.0, 1.0, 1.0, 0.0, 0.5, -0.5, 2.0]);
    let b = series(2, vec![0.25, -0.5, 1.75, 1.5, 0.75, 0.0, 1.5, -1.0, 0.25, 0.5]);
    let (small, large) = ([x, y, z], [a, b]);
    let near = |found: f64, wanted: f64| {
        assert!((found - wanted).abs() < 1e-13 * wanted.max(1.0), "{found} {wanted}")
    };
    let d = distances(Dtw::default(), &small);
    near(d.at(0, 1), 2.25f64.sqrt());
    near(d.at(0, 2), 3.9375f64.sqrt());
    near(distances(Dtw::default(), &large).at(0, 1), 6.5625f64.sqrt());
    let quarter = Dtw::default().within(Band::SakoeChiba { window: 0.25 });
    near(distances(quarter, &small).at(0, 1), 2.25f64.sqrt());
    let d = distances(WeightedDtw::new(0.1).unwrap(), &small);
    near(d.at(0, 1), 0.9499277298922693f64.sqrt());
    near(d.at(0, 2), 1.7573623001119056f64.sqrt());
    let d = distances(Lcss::new(0.5).unwrap(), &small);
    near(d.at(0, 1), 0.125);
    near(d.at(0, 2), 0.2);
    let d = distances(Msm::new(0.5).unwrap(), &small);
    near(d.at(0, 1), 4.75);
    near(d.at(0, 2), 5.75);
    near(distances(Msm::new(0.5).unwrap(), &large).at(0, 1), 8.25);
    let twe = Twe::new(0.05, 0.5).unwrap();
    near(distances(twe, &small).at(0, 1), 8.7);
    near(distances(twe, &small).at(0, 2), 10.45);
    near(distances(twe, &large).at(0, 1), 10.470960095325365);
    let d = distances(SoftDtw::new(0.5).unwrap(), &small);
    near(d.at(0, 1), 2.3916282865414846f64.sqrt());
    near(d.at(0, 2), 4.1794544204995345f64.sqrt());
    let gak = GlobalAlignment::new(1.5).unwrap();
    let k = Engine::new().gram(&gak, &small[..]).unwrap();
    near(k.at(0, 1), 0.41670343880142324);
    near(k.at(0, 2), 0.21913697206027644);
    near(Engine::new().gram(&gak, &large[..]).unwrap().at(0, 1), 0.0908432303981647);
}
