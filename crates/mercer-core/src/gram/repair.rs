//! Converting indefinite similarities to dot products.

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use super::extension::Extension;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::Spectrum;
use crate::numeric::algebra::{frobenius, mirror, weighted_gram};

/// The treatment of negative eigenvalues. Given K = U Λ Uᵀ, the repaired matrix is U f(Λ) Uᵀ.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Method {
    /// f(λ) = max(λ, 0): treats negative eigenvalues as noise. The nearest positive semidefinite matrix.
    Clip,
    /// f(λ) = |λ|: treats negative eigenvalues as information.
    Flip,
    /// f(λ) = λ - λmin: only self-similarities change, all by the same amount.
    Shift,
    /// f(λ) = exp(β (λ - λmax)), β > 0: diffusion over the similarities. The factor exp(-β λmax) prevents overflow and
    /// scales all similarities alike.
    Diffuse {
        /// The diffusion parameter β.
        beta: f64,
    },
}

/// A summary of a repair.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct RepairReport {
    /// The method used.
    pub method: Method,
    /// How many eigenvalues were below minus the tolerance.
    pub negative: usize,
    /// The smallest eigenvalue before.
    pub lambda_min: f64,
    /// The largest eigenvalue before.
    pub lambda_max: f64,
    /// Σ |λ| over the negative eigenvalues / Σ |λ| over all, in [0, 1]: how far K was from positive semidefinite.
    pub negative_share: f64,
    /// |K' - K| / |K| in the Frobenius norm, K' the repaired matrix.
    pub relative_change: f64,
}

/// A repair fitted to the training similarities, which applies to new objects the same way.
///
/// With k_x the similarities of x to the training objects, clip and flip define k'(x, ·) = k_x U diag(f(λ)/λ) Uᵀ, which
/// for a training object is its row of the repaired matrix. [`features`](Repair::features) are k_x U diag(√f(λ)/λ),
/// whose dot products are the repaired similarities of any two objects. Components with |λ| ≤ tolerance (n · ε · max
/// |λ| unless given) carry no information about new objects and are dropped; f(0) = 0, so nothing is lost.
///
/// Diffuse keeps every eigenvalue, including f(0) = e^(-β λmax) > 0. New objects are extended as in
/// [`Extension::Exponential`]; a training object's own row needs its position ([`Extension::features_of`]).
///
/// Shift adds -λmin to self-similarities and leaves the similarities of different objects unchanged. Clip, flip and
/// shift leave a matrix without negative eigenvalues, and the rows of new objects, unchanged.
///
/// Time O(n³) to fit, O(n r) per new object, r the number of components kept.
///
/// ```
/// use mercer_core::{data::Dense, gram::{Method, Repair}};
/// let k = Dense::from_rows(&[[0.0, 1.0], [1.0, 0.0]]); // eigenvalues 1 and -1
/// let repair = Repair::fit(&k, Method::Clip)?;
/// assert!(repair.train().values().iter().all(|v| (v - 0.5).abs() < 1e-12));
/// assert_eq!((repair.report().negative, repair.report().negative_share), (1, 0.5));
/// let new = repair.apply_cross(&Dense::from_rows(&[[1.0, 0.5]]))?;
/// assert!((new.at(0, 0) - 0.75).abs() < 1e-12 && (new.at(0, 1) - 0.75).abs() < 1e-12);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    train: Dense,
    report: RepairReport,
    extension: Extension,
}

impl Repair {
    /// Fits a repair to a symmetric matrix of similarities of the training objects.
    pub fn fit(k: &Dense, method: Method) -> Result<Self> {
        let spectrum = Spectrum::of(k)?;
        let zero = spectrum.tolerance();
        Self::from_spectrum(k, &spectrum, method, zero)
    }

    /// Like [`Repair::fit`], with eigenvalues up to `tolerance` · max |λ| counted as zero, 0 ≤ tolerance < 1.
    pub fn fit_with(k: &Dense, method: Method, tolerance: f64) -> Result<Self> {
        if !(0.0..1.0).contains(&tolerance) {
            return Err(Error::param("tolerance", tolerance, "in [0, 1)"));
        }
        let spectrum = Spectrum::of(k)?;
        let zero = tolerance * spectrum.radius();
        Self::from_spectrum(k, &spectrum, method, zero)
    }

    fn from_spectrum(k: &Dense, spectrum: &Spectrum, method: Method, zero: f64) -> Result<Self> {
        let (lambda_min, lambda_max) = (spectrum.values[0], spectrum.values[spectrum.n() - 1]);
        let negative = spectrum.values.iter().filter(|v| **v < -zero).count();
        let (train, extension) = match method {
            Method::Shift => shift(k, if negative > 0 { -lambda_min } else { 0.0 }),
            Method::Clip => map_negative(k, spectrum, zero, |lambda| lambda.max(0.0)),
            Method::Flip => map_negative(k, spectrum, zero, f64::abs),
            Method::Diffuse { beta } => {
                if !(beta.is_finite() && beta > 0.0) {
                    return Err(Error::param("beta", beta, "positive and finite"));
                }
                let train = spectrum.rebuild(|lambda| (beta * (lambda - lambda_max)).exp());
                (train, Extension::of_exponential(spectrum, beta, lambda_max))
            }
        };
        let radius = spectrum.radius();
        let share = |values: &[f64]| values.iter().map(|v| v.abs() / radius).sum::<f64>();
        let (norm, difference) = (frobenius(k.values()), distance(&train, k));
        let report = RepairReport {
            method,
            negative,
            lambda_min,
            lambda_max,
            negative_share: if negative == 0 {
                0.0
            } else {
                share(&spectrum.values[..negative]) / share(&spectrum.values)
            },
            relative_change: if norm > 0.0 { difference / norm } else { 0.0 },
        };
        Ok(Repair { train, report, extension })
    }

    /// The repaired training matrix: positive semidefinite up to rounding, exactly symmetric.
    pub fn train(&self) -> &Dense {
        &self.train
    }

    /// The repaired training matrix, without a copy.
    pub fn into_train(self) -> Dense {
        self.train
    }

    /// The summary of the repair.
    pub fn report(&self) -> &RepairReport {
        &self.report
    }

    /// The extension to new objects, stored with a model.
    pub fn extension(&self) -> &Extension {
        &self.extension
    }

    /// The repaired similarities of new objects, see [`Extension::apply_cross`].
    pub fn apply_cross(&self, cross: &Dense) -> Result<Dense> {
        self.extension.apply_cross(cross)
    }

    /// The repaired self-similarities of new objects, see [`Extension::self_similarities`].
    pub fn self_similarities(&self, cross: &Dense, own: &[f64]) -> Result<Vec<f64>> {
        self.extension.self_similarities(cross, own)
    }

    /// Coordinates whose dot products are the repaired similarities, see [`Extension::features`].
    pub fn features(&self, cross: &Dense) -> Result<Option<Dense>> {
        self.extension.features(cross)
    }
}

fn shift(k: &Dense, amount: f64) -> (Dense, Extension) {
    let mut train = k.clone();
    for i in 0..k.rows() {
        train.row_mut(i)[i] += amount;
    }
    mirror(&mut train);
    (train, Extension::Shift { n: k.rows(), amount })
}

/// Clip and flip change negative eigenvalues only. The change is added to K, so that everything else, and a matrix
/// without negative eigenvalues, stays identical.
fn map_negative(k: &Dense, spectrum: &Spectrum, zero: f64, f: impl Fn(f64) -> f64) -> (Dense, Extension) {
    let weights: Vec<f64> = spectrum.values.iter().map(|&v| if v < -zero { f(v) - v } else { 0.0 }).collect();
    let identity = weights.iter().all(|w| *w == 0.0);
    let train = weighted_gram(&spectrum.vectors, &weights, Some(k));
    (train, project(spectrum, zero, f, identity))
}

fn project(spectrum: &Spectrum, zero: f64, f: impl Fn(f64) -> f64, identity: bool) -> Extension {
    let kept: Vec<usize> = (0..spectrum.n())
        .rev()
        .filter(|&k| spectrum.values[k].abs() > zero && f(spectrum.values[k]) > 0.0)
        .collect();
    let values: Vec<f64> = kept.iter().map(|&k| spectrum.values[k]).collect();
    let mapped = values.iter().map(|&v| f(v)).collect();
    Extension::Project { values, mapped, vectors: spectrum.vectors.select(&kept), identity }
}

fn distance(a: &Dense, b: &Dense) -> f64 {
    let differences: Vec<f64> = a.values().iter().zip(b.values()).map(|(x, y)| x - y).collect();
    frobenius(&differences)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::eigenvalues;
    use crate::numeric::algebra::test_support::*;
    use crate::numeric::algebra::{largest, product};
    use proptest::prelude::*;

    const METHODS: [Method; 4] = [Method::Clip, Method::Flip, Method::Shift, Method::Diffuse { beta: 0.5 }];

    #[test]
    fn worked_by_hand() {
        // Eigenvalues 3 along (1, 1) and -1 along (1, -1).
        let k = Dense::from_rows(&[[1.0, 2.0], [2.0, 1.0]]);
        let near = |method, want: [[f64; 2]; 2]| {
            let repair = Repair::fit(&k, method).unwrap();
            assert!(apart(repair.train(), &Dense::from_rows(&want)) < 1e-12, "{method:?}");
            repair.report().clone()
        };
        let report = near(Method::Clip, [[1.5, 1.5], [1.5, 1.5]]);
        assert_eq!(report.negative, 1);
        assert!((report.lambda_min + 1.0).abs() < 1e-12 && (report.negative_share - 0.25).abs() < 1e-12);
        assert!((report.relative_change - 1.0 / 10f64.sqrt()).abs() < 1e-12);
        near(Method::Flip, [[2.0, 1.0], [1.0, 2.0]]);
        near(Method::Shift, [[2.0, 2.0], [2.0, 2.0]]);
        let e = (-2.0f64).exp();
        near(
            Method::Diffuse { beta: 0.5 },
            [[(1.0 + e) / 2.0, (1.0 - e) / 2.0], [(1.0 - e) / 2.0, (1.0 + e) / 2.0]],
        );
        let shift = Repair::fit(&k, Method::Shift).unwrap();
        assert!(
            matches!(shift.extension(), Extension::Shift { n: 2, amount } if (amount - 1.0).abs() < 1e-12)
        );
        let new = Dense::from_rows(&[[0.3, 0.4]]);
        assert_eq!(shift.apply_cross(&new).unwrap(), new);
        assert!((shift.self_similarities(&new, &[1.0]).unwrap()[0] - 2.0).abs() < 1e-12);
        assert_eq!(shift.features(&new).unwrap(), None);
    }

    #[test]
    fn extremes() {
        for method in METHODS {
            for bad in [Dense::zeros(0, 0), Dense::zeros(1, 2), Dense::from_rows(&[[f64::NAN]])] {
                assert!(Repair::fit(&bad, method).is_err());
            }
            let lopsided = Dense::from_rows(&[[1.0, 2.0], [0.0, 1.0]]);
            assert!(Repair::fit(&lopsided, method).is_err());
            assert!(Repair::fit_with(&worked_gram(), method, 1.5).is_err());
            let zero = Repair::fit(&Dense::zeros(2, 2), method).unwrap();
            // The exponential of the zero matrix is the identity.
            let diffuses = matches!(method, Method::Diffuse { .. });
            let want =
                if diffuses { Dense::from_rows(&[[1.0, 0.0], [0.0, 1.0]]) } else { Dense::zeros(2, 2) };
            assert!(apart(zero.train(), &want) < 1e-15);
            assert_eq!(zero.report().relative_change, 0.0);
            let one = Repair::fit(&Dense::from_rows(&[[-2.0]]), method).unwrap();
            assert!(one.train().at(0, 0) >= 0.0 && one.report().negative_share == 1.0);
            assert!(one.apply_cross(&Dense::zeros(1, 2)).is_err());
            assert!(one.features(&Dense::from_rows(&[[f64::NAN]])).is_err());
            assert_eq!(one.apply_cross(&Dense::zeros(0, 1)).unwrap(), Dense::zeros(0, 1));
            assert!(one.self_similarities(&Dense::zeros(1, 1), &[]).is_err());
        }
        for beta in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(
                Repair::fit(&worked_gram(), Method::Diffuse { beta }),
                Err(Error::Param { .. })
            ));
        }
        // This β would overflow without the scale.
        let far = Repair::fit(&worked_gram(), Method::Diffuse { beta: 1e3 }).unwrap();
        assert!(far.train().find_non_finite().is_none() && far.train().at(0, 0) > 0.0);
    }

    #[test]
    fn diffuse_keeps_eigenvalues_of_zero() {
        // The graph from the book chapter: S = A - D is singular.
        let mut s = Dense::zeros(5, 5);
        for (i, j) in [(0, 2), (0, 3), (1, 2), (1, 4), (2, 3), (3, 4)] {
            for (a, b) in [(i, j), (j, i)] {
                s.row_mut(a)[b] += 1.0;
                s.row_mut(a)[a] -= 1.0;
            }
        }
        let repair = Repair::fit(&s, Method::Diffuse { beta: 0.2 }).unwrap();
        for (got, want) in repair.train().row(0).iter().zip([0.69740577, 0.01448878, 0.13680833]) {
            assert!((got - want).abs() < 1e-8, "{got} {want}");
        }
        // A new object with the similarities of the first has the same walks, except for the empty walk.
        let new = s.select(&[0]);
        let (row, own) =
            (repair.apply_cross(&new).unwrap(), repair.self_similarities(&new, &[-2.0]).unwrap());
        let half = Spectrum::of(&s).unwrap().rebuild(|v| (0.1 * v).exp());
        for j in 0..5 {
            assert!((row.at(0, j) - (repair.train().at(0, j) - half.at(0, j))).abs() < 1e-12);
        }
        let walked = repair.train().at(0, 0) - 2.0 * half.at(0, 0) + 1.0;
        assert!((own[0] - (walked + 1.0)).abs() < 1e-12, "{}", own[0]);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn serializes_to_json() {
        let repair = Repair::fit(&worked_gram(), Method::Diffuse { beta: 0.5 }).unwrap();
        let json = serde_json::to_value(repair.report()).unwrap();
        assert_eq!(json["method"]["diffuse"]["beta"], 0.5);
        assert_eq!(json["negative"], 0);
    }

    /// Components below 1e-6 of the largest count as zero, so that dividing by them loses few digits.
    fn fitted(k: &Dense, method: Method) -> Repair {
        Repair::fit_with(k, method, 1e-6).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn repaired_matrices_are_psd(k in symmetric()) {
            for method in METHODS {
                let repair = Repair::fit(&k, method).unwrap();
                let values = eigenvalues(repair.train()).unwrap();
                prop_assert!(values[0] >= -1e-12 * largest(k.values()).max(1.0), "{:?} {:?}", method, values);
                let report = repair.report();
                prop_assert!((0.0..=1.0).contains(&report.negative_share));
                prop_assert!(report.relative_change.is_finite() && report.relative_change >= 0.0);
            }
        }

        #[test]
        fn training_objects_passed_as_new_agree(k in symmetric()) {
            for method in METHODS {
                let repair = fitted(&k, method);
                // Diffuse needs the position of the training object: see below.
                if matches!(method, Method::Diffuse { .. }) { continue }
                let rows = repair.apply_cross(&k).unwrap();
                let room = 1e-5 * largest(k.values()).max(1e-300);
                for i in 0..k.rows() {
                    for j in 0..k.rows() {
                        if method != Method::Shift || i != j {
                            let (a, b) = (rows.at(i, j), repair.train().at(i, j));
                            prop_assert!((a - b).abs() <= room.max(1e-8), "{:?} {} {}", method, a, b);
                        }
                    }
                }
                let own: Vec<f64> = (0..k.rows()).map(|i| k.at(i, i)).collect();
                for (i, v) in repair.self_similarities(&k, &own).unwrap().iter().enumerate() {
                    prop_assert!((v - repair.train().at(i, i)).abs() <= room.max(1e-8));
                }
            }
        }

        #[test]
        fn clip_and_flip_agree_to_rounding(k in symmetric()) {
            for method in [Method::Clip, Method::Flip] {
                let repair = Repair::fit(&k, method).unwrap();
                let room = 1e-11 * largest(k.values());
                prop_assert!(apart(&repair.apply_cross(&k).unwrap(), repair.train()) <= room);
                let features = repair.features(&k).unwrap().unwrap();
                prop_assert!(apart(&linear(&features), repair.train()) <= room);
            }
        }

        #[test]
        fn features_have_the_repaired_dot_products(k in symmetric(), new in prop::collection::vec(-3.0..3.0f64, 24)) {
            let n = k.rows();
            let new = Dense::new(2, n, new[..2 * n].to_vec()).unwrap();
            for method in METHODS {
                let repair = fitted(&k, method);
                let places: Vec<Option<usize>> = (0..n).map(Some).collect();
                let Some(train) = repair.extension().features_of(&k, &places).unwrap() else { continue };
                let room = 1e-5 * largest(k.values()).max(1e-3);
                prop_assert!(apart(&linear(&train), repair.train()) <= room, "{:?}", method);
                if repair.report().negative > 0 {
                    let features = repair.features(&new).unwrap().unwrap();
                    let got = cross(&features, &train);
                    let want = repair.apply_cross(&new).unwrap();
                    let room = 1e-9 * (1.0 + largest(want.values()) + largest(features.values()));
                    prop_assert!(apart(&got, &want) <= room, "{:?}", method);
                }
            }
        }

        #[test]
        fn matrices_without_negative_eigenvalues_are_unchanged(x in vectors()) {
            // A ridge keeps every eigenvalue away from zero.
            let mut k = linear(&x);
            (0..x.rows()).for_each(|i| k.row_mut(i)[i] += 1.0);
            for method in [Method::Clip, Method::Flip, Method::Shift] {
                let repair = Repair::fit(&k, method).unwrap();
                prop_assert_eq!(repair.train(), &k);
                prop_assert_eq!(&repair.apply_cross(&k).unwrap(), &k);
                prop_assert_eq!((repair.report().negative, repair.report().relative_change), (0, 0.0));
            }
        }

        #[test]
        fn clip_of_a_singular_gram_changes_rounding_only(x in vectors()) {
            let k = linear(&x);
            let repair = Repair::fit(&k, Method::Clip).unwrap();
            prop_assert!(apart(repair.train(), &k) <= 1e-13 * largest(k.values()));
        }

        #[test]
        fn flip_keeps_squares(k in symmetric()) {
            let flipped = Repair::fit(&k, Method::Flip).unwrap().into_train();
            let room = 1e-11 * (1.0 + largest(k.values()).powi(2));
            prop_assert!(apart(&product(&flipped, &flipped), &product(&k, &k)) <= room);
        }
    }
}
