//! k-nearest neighbours.

use std::borrow::Cow;

use super::learner::{ClassCodes, Learner, ModelOutput, PredictFrom, Predictor, Resources};
use super::targets::{check_codes, choose, finite, positive};
use super::typed::{Classifier, Regressor, fit_labels, fit_numbers};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::{Engine, Measure, Nearest, NeighboursNeeded};
use crate::numeric::check::check_values;
use crate::solve::Columns;
use crate::traits::Kernel;

/// How neighbours are weighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Neighbours {
    /// Equally.
    #[default]
    Uniform,
    /// By 1 / distance. For similarities this needs the self-similarities of new objects.
    Distance,
}

/// k-nearest neighbours: predicts from the training objects nearest to a new object.
///
/// Ties are broken by the lower index. For similarities, k(x, x) is the same for all neighbours of x and not needed to
/// find them.
///
/// * `k`: from 1 to the number of training objects.
/// * `measure`: whether the kernel gives similarities or distances; by default [`Measure::Similarity`].
/// * `neighbours`: whether neighbours count equally or by 1 / distance; by default [`Neighbours::Uniform`].
///
/// Fitting only takes the self-similarities; prediction takes O(n + k log k) per object, in addition to computing its
/// similarities. For the Euclidean distance of dense vectors all but a few of these are computed in single precision,
/// with a bound on its rounding that keeps the neighbours exact; in few dimensions a k-d tree leaves most of them out.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::{Knn, Rbf};
/// let x = Vectors::from(Dense::from_rows(&[[0.0], [1.0], [6.0]]));
/// let new = Vectors::from(Dense::from_rows(&[[0.9]]));
/// let kernel = Rbf::new(0.1)?;
/// assert_eq!(Knn::new(1).fit(&kernel, &x, &["a", "b", "b"])?.predict(&new)?, ["b"]);
/// assert_eq!(Knn::new(2).fit_values(&kernel, &x, &[3.0, 6.0, 100.0])?.predict(&new)?, [4.5]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// T. Cover and P. Hart, *Nearest neighbor pattern classification*, IEEE Transactions on Information Theory 13 (1967).
#[derive(Clone, Debug, PartialEq)]
pub struct Knn {
    k: usize,
    measure: Measure,
    neighbours: Neighbours,
    resources: Resources,
}

/// A k-nearest-neighbour classifier.
#[derive(Clone, Debug, PartialEq)]
pub struct KnnClassifier {
    near: Near,
    codes: Vec<usize>,
    classes: usize,
}

/// A k-nearest-neighbour regressor.
#[derive(Clone, Debug, PartialEq)]
pub struct KnnRegressor {
    near: Near,
    target: Vec<f64>,
}

/// The training objects as neighbours.
#[derive(Clone, Debug, PartialEq)]
struct Near {
    k: usize,
    measure: Measure,
    neighbours: Neighbours,
    /// Their self-similarities; for distances only the length is used.
    own: Vec<f64>,
}

impl Knn {
    /// k neighbours, at least 1, by similarity, weighted equally.
    pub fn new(k: usize) -> Self {
        let (measure, neighbours) = (Measure::default(), Neighbours::default());
        Knn { k, measure, neighbours, resources: Resources::default() }
    }

    /// Sets the measure.
    #[must_use]
    pub fn with_measure(self, measure: Measure) -> Self {
        Knn { measure, ..self }
    }

    /// Sets how neighbours are weighted.
    #[must_use]
    pub fn with_neighbours(self, neighbours: Neighbours) -> Self {
        Knn { neighbours, ..self }
    }

    /// Sets the engine of the typed fit: its threads, its memory and its time.
    #[must_use]
    pub fn with_engine(mut self, engine: Engine) -> Self {
        self.resources.engine = Some(engine);
        self
    }

    /// Stores labelled objects, to be compared by any kernel.
    pub fn fit<X: Sync + ?Sized, K: Kernel<X> + Clone, L: Ord + Clone>(
        &self,
        kernel: &K,
        objects: &X,
        labels: &[L],
    ) -> Result<Classifier<X, K, KnnClassifier, L>> {
        fit_labels(self, &self.resources, kernel, objects, labels)
    }

    /// Stores objects with a finite number each, to be compared by any kernel.
    pub fn fit_values<X: Sync + ?Sized, K: Kernel<X> + Clone>(
        &self,
        kernel: &K,
        objects: &X,
        target: &[f64],
    ) -> Result<Regressor<X, K, KnnRegressor>> {
        fit_numbers(self, &self.resources, kernel, objects, target)
    }

    /// Stores classes of objects with these self-similarities, the only part of the matrix that is used.
    pub fn fit_self_similarities(
        &self,
        own: &[f64],
        codes: &[usize],
        classes: usize,
    ) -> Result<KnnClassifier> {
        check_codes(codes, own.len(), classes)?;
        Ok(KnnClassifier { near: self.near_own(own)?, codes: codes.to_vec(), classes })
    }

    /// Stores values of objects with these self-similarities.
    pub fn fit_values_self_similarities(&self, own: &[f64], target: &[f64]) -> Result<KnnRegressor> {
        check_values(target, own.len(), "target values")?;
        Ok(KnnRegressor { near: self.near_own(own)?, target: target.to_vec() })
    }

    fn near_own(&self, own: &[f64]) -> Result<Near> {
        let n = own.len();
        positive("k", self.k)?;
        check_values(own, n, "self-similarities")?;
        if self.k > n {
            return Err(Error::param("k", self.k, &format!("at most {n}, the number of training objects")));
        }
        let (k, measure, neighbours) = (self.k, self.measure, self.neighbours);
        Ok(Near { k, measure, neighbours, own: own.to_vec() })
    }
}

impl Learner<ClassCodes> for Knn {
    type Model = KnnClassifier;

    fn fit_columns(&self, columns: &dyn Columns, target: &ClassCodes) -> Result<KnnClassifier> {
        self.fit_self_similarities(&columns.diagonal()?, target.codes(), target.classes())
    }
}

impl Learner<[f64]> for Knn {
    type Model = KnnRegressor;

    fn fit_columns(&self, columns: &dyn Columns, target: &[f64]) -> Result<KnnRegressor> {
        self.fit_values_self_similarities(&columns.diagonal()?, target)
    }
}

impl Predictor for KnnClassifier {
    type Output = usize;

    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<ModelOutput<usize>> {
        let (near, own) = self.near.of(new)?;
        let decisions = match self.near.neighbours {
            Neighbours::Uniform => self.shares(&near)?,
            Neighbours::Distance => self.weighted_shares(near.into_owned(), own)?,
        };
        Ok(ModelOutput { values: choose(&decisions), decisions })
    }

    fn neighbours_needed(&self) -> Option<NeighboursNeeded<'_>> {
        Some(self.near.needed())
    }

    fn compact(self) -> Result<(Self, Vec<usize>)> {
        let support = (0..self.codes.len()).collect();
        Ok((self, support))
    }

    fn needs_self_similarities(&self) -> bool {
        self.near.needs_own()
    }
}

impl Predictor for KnnRegressor {
    type Output = f64;

    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<ModelOutput<f64>> {
        let (near, own) = self.near.of(new)?;
        ModelOutput::numbers(match self.near.neighbours {
            Neighbours::Uniform => self.means(&near),
            Neighbours::Distance => self.weighted_means(near.into_owned(), own)?,
        })
    }

    fn neighbours_needed(&self) -> Option<NeighboursNeeded<'_>> {
        Some(self.near.needed())
    }

    fn compact(self) -> Result<(Self, Vec<usize>)> {
        let support = (0..self.target.len()).collect();
        Ok((self, support))
    }

    fn needs_self_similarities(&self) -> bool {
        self.near.needs_own()
    }
}

impl Near {
    /// Whether prediction needs distances, and so k(x, x) of new objects.
    fn needs_own(&self) -> bool {
        self.neighbours == Neighbours::Distance && self.measure == Measure::Similarity
    }

    /// What a search must find.
    fn needed(&self) -> NeighboursNeeded<'_> {
        NeighboursNeeded { k: self.k, measure: self.measure, own: &self.own }
    }

    /// The neighbours of each new object; for similarities with distances squared and without k(x, x).
    fn find(&self, cross: &Dense) -> Result<Nearest> {
        Nearest::among(cross, self.needed())
    }

    /// The neighbours from whatever is known of new objects, and their self-similarities.
    fn of<'a>(&self, new: &PredictFrom<'a>) -> Result<(Cow<'a, Nearest>, Option<&'a [f64]>)> {
        let PredictFrom::Neighbours { near, own } = new else {
            let (cross, own) = new.similarities()?;
            return Ok((Cow::Owned(self.find(cross)?), own));
        };
        if near.k() != self.k || near.rows().flatten().any(|&(j, _)| j >= self.own.len()) {
            let (k, n) = (self.k, self.own.len());
            return Err(Error::usage(format!("the model needs the {k} nearest of {n} training objects")));
        }
        Ok((Cow::Borrowed(near), *own))
    }

    /// The neighbours with their actual distances. For similarities `own` must hold k(x, x) of the new objects.
    fn with_distances(&self, near: Nearest, own: Option<&[f64]>) -> Result<Nearest> {
        if self.measure == Measure::Distance {
            return Ok(near);
        }
        near.with_roots(own.ok_or_else(|| {
            Error::usage("weights by distance need the self-similarities of the new objects")
        })?)
    }

    fn indices(&self, cross: &Dense) -> Result<Vec<Vec<usize>>> {
        Ok(self.find(cross)?.rows().map(|near| near.iter().map(|&(j, _)| j).collect()).collect())
    }
}

/// Weights 1 / distance, relative to the nearest to prevent overflow; if neighbours are at distance 0, only those.
fn weigh(near: &[(usize, f64)]) -> impl Iterator<Item = (usize, f64)> + '_ {
    // The neighbours are sorted, so the first is the nearest.
    let nearest = near.first().map_or(0.0, |&(_, d)| d);
    let weight = move |d: f64| if nearest > 0.0 { nearest / d } else { f64::from(u8::from(d <= 0.0)) };
    near.iter().map(move |&(j, d)| (j, weight(d)))
}

impl KnnClassifier {
    /// The most common class among the neighbours of each new object (rows), from its similarities or distances to
    /// the training objects (columns): the largest of [`class_fractions`](Self::class_fractions), the lowest class in a
    /// tie.
    pub fn predict(&self, cross: &Dense) -> Result<Vec<usize>> {
        Ok(choose(&self.class_fractions(cross)?))
    }

    /// The fraction of each class (columns) among the neighbours of each new object (rows).
    pub fn class_fractions(&self, cross: &Dense) -> Result<Dense> {
        self.shares(&self.near.find(cross)?)
    }

    fn shares(&self, near: &Nearest) -> Result<Dense> {
        self.tally(near, |near| near.iter().map(|&(j, _)| (j, 1.0)).collect())
    }

    /// Like [`class_fractions`](Self::class_fractions), with neighbours weighted by 1 / distance; if some are at distance
    /// 0, only those.
    ///
    /// For similarities, `own` must hold the self-similarities k(x, x) of the new objects; for distances it is unused.
    /// The largest fraction is the predicted class, the lowest class in a tie.
    pub fn weighted_class_fractions(&self, cross: &Dense, own: Option<&[f64]>) -> Result<Dense> {
        self.weighted_shares(self.near.find(cross)?, own)
    }

    fn weighted_shares(&self, near: Nearest, own: Option<&[f64]>) -> Result<Dense> {
        self.tally(&self.near.with_distances(near, own)?, |near| weigh(near).collect())
    }

    fn tally(
        &self,
        found: &Nearest,
        weights: impl Fn(&[(usize, f64)]) -> Vec<(usize, f64)>,
    ) -> Result<Dense> {
        let mut shares = Dense::zeros(found.len(), self.classes);
        for (i, near) in found.rows().enumerate() {
            let (row, weights) = (shares.row_mut(i), weights(near));
            weights.iter().for_each(|&(j, w)| row[self.codes[j]] += w);
            let total: f64 = weights.iter().map(|(_, w)| w).sum();
            row.iter_mut().for_each(|share| *share /= total);
        }
        finite(shares)
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The class of each training object.
    #[doc(hidden)]
    pub fn codes(&self) -> &[usize] {
        &self.codes
    }

    /// How neighbours are weighted.
    pub fn weighting(&self) -> Neighbours {
        self.near.neighbours
    }

    /// k, the measure, and the self-similarities of the training objects.
    #[doc(hidden)]
    pub fn parts(&self) -> (usize, Measure, &[f64]) {
        (self.near.k, self.near.measure, &self.near.own)
    }

    /// The indices of the neighbours of each new object, nearest first.
    pub fn neighbours(&self, cross: &Dense) -> Result<Vec<Vec<usize>>> {
        self.near.indices(cross)
    }
}

impl KnnRegressor {
    /// The mean over the neighbours of each new object (rows), from its similarities or distances to the training
    /// objects (columns).
    pub fn predict(&self, cross: &Dense) -> Result<Vec<f64>> {
        Ok(self.means(&self.near.find(cross)?))
    }

    fn means(&self, near: &Nearest) -> Vec<f64> {
        near.rows().map(|near| self.mean(near.iter().map(|&(j, _)| (j, 1.0)))).collect()
    }

    /// The mean weighted by 1 / distance; if neighbours are at distance 0, the mean of those.
    ///
    /// For similarities, `own` must hold the self-similarities k(x, x) of the new objects; for distances it is unused.
    /// Squared distances that are negative by rounding count as 0.
    pub fn predict_weighted(&self, cross: &Dense, own: Option<&[f64]>) -> Result<Vec<f64>> {
        self.weighted_means(self.near.find(cross)?, own)
    }

    fn weighted_means(&self, near: Nearest, own: Option<&[f64]>) -> Result<Vec<f64>> {
        let near = self.near.with_distances(near, own)?;
        Ok(near.rows().map(|near| self.mean(weigh(near))).collect())
    }

    /// The number of each training object.
    #[doc(hidden)]
    pub fn target(&self) -> &[f64] {
        &self.target
    }

    /// How neighbours are weighted.
    pub fn weighting(&self) -> Neighbours {
        self.near.neighbours
    }

    /// k, the measure, and the self-similarities of the training objects.
    #[doc(hidden)]
    pub fn parts(&self) -> (usize, Measure, &[f64]) {
        (self.near.k, self.near.measure, &self.near.own)
    }

    /// The indices of the neighbours of each new object, nearest first.
    pub fn neighbours(&self, cross: &Dense) -> Result<Vec<Vec<usize>>> {
        self.near.indices(cross)
    }

    /// Σ weight · target / Σ weight, which lies between the targets and therefore never overflows.
    fn mean(&self, weighted: impl Iterator<Item = (usize, f64)>) -> f64 {
        let (mut mean, mut total) = (0.0, 0.0);
        for (j, weight) in weighted {
            total += weight;
            let share = if total > 0.0 { weight / total } else { 0.0 };
            mean = mean * (1.0 - share) + self.target[j] * share;
        }
        mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::learner::on_gram::OnGram;
    use crate::numeric::algebra::test_support::*;
    use proptest::prelude::*;

    #[test]
    fn mismatched_arguments_are_rejected() {
        let k = worked_gram();
        let codes = [0, 1, 1, 0, 0];
        assert!(Knn::new(0).with_measure(Measure::Distance).fit_codes(&k, &codes, 2).is_err());
        let error = Knn::new(6).with_measure(Measure::Similarity).fit_codes(&k, &codes, 2).unwrap_err();
        assert!(matches!(error, Error::Param { .. }));
        let learner = Knn::new(2).with_measure(Measure::Distance);
        assert!(learner.fit_codes(&k, &codes[1..], 2).is_err());
        assert!(learner.fit_codes(&k, &[3; 5], 2).is_err());
        assert!(learner.on_values(&k, &[f64::NAN; 5]).is_err());
        assert!(learner.on_values(&Dense::zeros(0, 0), &[]).is_err());
        let model = learner.fit_codes(&k, &codes, 2).unwrap();
        assert!(model.predict(&Dense::zeros(1, 4)).is_err());
        let error = model.predict(&Dense::from_rows(&[[1.0, 2.0, -1.0, 0.0, 0.0]])).unwrap_err();
        assert!(matches!(error, Error::Object { index: 0, .. }));
        let values = Knn::new(2).with_measure(Measure::Similarity).on_values(&k, &[1.0; 5]).unwrap();
        assert!(values.predict_weighted(&k, None).is_err());
        assert!(values.predict_weighted(&k, Some(&[1.0])).is_err());
        assert!(values.predict(&Dense::from_rows(&[[-1e308; 5]])).is_err());
    }

    #[test]
    fn ties() {
        let train = Dense::zeros(4, 4);
        let four = Knn::new(4).with_measure(Measure::Distance).fit_codes(&train, &[0, 1, 0, 1], 3).unwrap();
        // Two of each class: the lower class wins, whichever is nearer.
        let new = Dense::from_rows(&[[3.0, 2.0, 3.0, 1.0], [1.0; 4], [1.0, 2.0, 1.0, 9.0]]);
        assert_eq!(four.predict(&new).unwrap(), [0, 0, 0]);
        let one = Knn::new(1).with_measure(Measure::Distance).fit_codes(&train, &[1, 0, 0, 1], 2).unwrap();
        assert_eq!(one.neighbours(&Dense::from_rows(&[[1.0; 4]])).unwrap(), [[0]]);
        assert_eq!(one.predict(&Dense::from_rows(&[[1.0; 4]])).unwrap(), [1]);
    }

    #[test]
    fn weights_at_distance_zero() {
        let model = Knn::new(3).with_measure(Measure::Distance);
        let model = model.on_values(&Dense::zeros(3, 3), &[1.0, 3.0, 100.0]).unwrap();
        let new = Dense::from_rows(&[[0.0, 0.0, 5.0], [1.0, 2.0, 4.0], [1e-320, 1e-320, 1e300]]);
        let got = model.predict_weighted(&new, None).unwrap();
        for (got, want) in got.iter().zip([2.0, (1.0 + 1.5 + 25.0) / 1.75, 2.0]) {
            assert!((got - want).abs() < 1e-12, "{got} {want}");
        }
        let far = Knn::new(2).with_measure(Measure::Distance);
        let far = far.on_values(&Dense::zeros(2, 2), &[f64::MAX, f64::MAX]).unwrap();
        assert_eq!(far.predict(&Dense::zeros(1, 2)).unwrap(), [f64::MAX]);
    }

    #[test]
    fn models_predict_from_neighbours_and_refuse_those_of_another_search() {
        let gram = worked_gram();
        let model = Knn::new(2).on_values(&gram, &[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        let needed = Predictor::neighbours_needed(&model).unwrap();
        let near = Nearest::among(&gram, needed).unwrap();
        let from = |near: &Nearest| model.predict_from(&PredictFrom::Neighbours { near, own: None });
        assert_eq!(from(&near).unwrap().values, model.predict(&gram).unwrap());
        let three = Nearest::among(&gram, NeighboursNeeded { k: 3, ..needed }).unwrap();
        let wide = Dense::from_rows(&[[9.0, 9.0, 9.0, 9.0, 9.0, 0.0]]);
        let among_six = NeighboursNeeded { k: 2, measure: Measure::Distance, own: &[0.0; 6] };
        for other in [three, Nearest::among(&wide, among_six).unwrap()] {
            let message = from(&other).unwrap_err().to_string();
            assert!(message.contains("the 2 nearest of 5"), "{message}");
        }
        // Other models need all similarities.
        let pca = crate::learn::KernelPca::new(1).fit_alone(&gram).unwrap();
        assert!(pca.predict_from(&PredictFrom::Neighbours { near: &near, own: None }).is_err());
    }

    fn squared(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn agrees_with_brute_force(x in vectors(), at in any::<(prop::sample::Index, prop::sample::Index)>()) {
            prop_assume!(x.rows() > 2);
            let split = 2 + at.0.index(x.rows() - 2);
            let train = x.select(&(0..split).collect::<Vec<_>>());
            let new = x.select(&(split..x.rows()).collect::<Vec<_>>());
            let k = 1 + at.1.index(split);
            let (gram, c) = (linear(&train), cross(&new, &train));
            let own: Vec<f64> = (0..new.rows()).map(|i| squared(new.row(i), &vec![0.0; x.cols()])).collect();
            let target: Vec<f64> = (0..split).map(|i| i as f64 * 1.5 - 2.0).collect();
            let codes: Vec<usize> = (0..split).map(|i| i % 3).collect();
            let learner = Knn::new(k).with_measure(Measure::Similarity);
            let values = learner.on_values(&gram, &target).unwrap();
            let classes = learner.fit_codes(&gram, &codes, 3).unwrap();
            let (means, weighted) = (values.predict(&c).unwrap(), values.predict_weighted(&c, Some(&own)).unwrap());
            let chosen = classes.predict(&c).unwrap();
            for i in 0..new.rows() {
                let mut order: Vec<usize> = (0..split).collect();
                order.sort_by(|&a, &b| squared(new.row(i), train.row(a)).total_cmp(&squared(new.row(i), train.row(b))));
                prop_assert_eq!(&values.neighbours(&c).unwrap()[i], &order[..k]);
                let mean = order[..k].iter().map(|&j| target[j]).sum::<f64>() / k as f64;
                prop_assert!((means[i] - mean).abs() < 1e-12 * split as f64);
                let w = |j: usize| 1.0 / squared(new.row(i), train.row(j)).sqrt();
                let total: f64 = order[..k].iter().map(|&j| w(j)).sum();
                let mean = order[..k].iter().map(|&j| w(j) * target[j]).sum::<f64>() / total;
                prop_assert!((weighted[i] - mean).abs() < 1e-5);
                let votes = |c: usize| order[..k].iter().filter(|&&j| codes[j] == c).count();
                prop_assert!((0..3).all(|c| votes(c) <= votes(chosen[i])));
                let (plain, near) =
                    (classes.class_fractions(&c).unwrap(), classes.weighted_class_fractions(&c, Some(&own)).unwrap());
                for class in 0..3 {
                    prop_assert!((plain.at(i, class) - votes(class) as f64 / k as f64).abs() < 1e-12);
                    let sum: f64 = order[..k].iter().filter(|&&j| codes[j] == class).map(|&j| w(j)).sum();
                    prop_assert!((near.at(i, class) - sum / total).abs() < 1e-5);
                }
            }
        }
    }
}
