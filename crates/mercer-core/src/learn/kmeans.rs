//! k-means clustering in feature space.

use super::learner::{Learner, ModelOutput, PredictFrom, Predictor, Resources};
use super::rows::whole;
use super::targets::{finite, positive};
use super::typed::{KernelModel, Unlabelled, fit_objects};
use crate::budget::{self, Budget, matrix_bytes};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::{Engine, check_symmetric};
use crate::numeric::check::{check_cross, check_values};
use crate::parallel;
use crate::random::Random;
use crate::solve::{Columns, Stop};
use crate::traits::Kernel;

/// Kernel k-means: clusters that minimise Σ_i |φ(x_i) - m_c(i)|², with m_c the mean of cluster c in feature space.
///
/// |φ(x) - m_c|² = k(x, x) - (2/|c|) Σ_{j∈c} k(x, x_j) + (1/|c|²) Σ_{j,l∈c} K_jl. Each restart chooses initial objects
/// by k-means++ (each next one with probability proportional to its squared distance from those chosen), then assigns
/// objects to the nearest mean until none changes. The restart of least inertia wins, the first in a tie. An empty
/// cluster takes the object farthest from its own mean, so every cluster has members. Clusters are numbered by their
/// first members: object 0 is in cluster 0.
///
/// * `clusters`: from 1 to the number of objects.
/// * `restarts`: at least 1; by default 10.
/// * `iterations`: the maximum number of iterations per restart, at least 1; by default 300.
/// * `seed`: by default 0; the same seed gives the same clusters.
///
/// For indefinite similarities the inertia need not decrease, and a restart may reach its iteration limit. Time O(n²)
/// for the first iteration of a restart, then O(n) for each object that changes its cluster.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::{KernelKMeans, Linear};
/// let x = Vectors::from(Dense::from_rows(&[[0.0], [1.0], [10.0], [11.0]]));
/// let model = KernelKMeans::new(2).with_seed(5).fit(&Linear, &x)?;
/// assert_eq!(model.fitted().assignments(), [0, 0, 1, 1]);
/// assert_eq!(model.fitted().inertia(), 1.0);
/// assert!(model.is_converged());
/// assert_eq!(model.predict(&Vectors::from(Dense::from_rows(&[[9.0]])))?, [1]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// I. Dhillon, Y. Guan and B. Kulis, *Kernel k-means, spectral clustering and normalized cuts*, KDD 2004; D. Arthur
/// and S. Vassilvitskii, *k-means++: the advantages of careful seeding*, SODA 2007.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelKMeans {
    clusters: usize,
    restarts: usize,
    iterations: usize,
    seed: u64,
    resources: Resources,
}

/// Clusters of training objects, to which new ones can be assigned.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelKMeansModel {
    assignments: Vec<usize>,
    means: Means,
    inertia: f64,
    converged: bool,
    iterations: usize,
}

/// The sizes of the clusters and the squared norms of their means.
#[derive(Clone, Debug, PartialEq)]
struct Means {
    sizes: Vec<usize>,
    norms: Vec<f64>,
}

impl KernelKMeans {
    /// This many clusters, at least 1.
    pub fn new(clusters: usize) -> Self {
        KernelKMeans { clusters, restarts: 10, iterations: 300, seed: 0, resources: Resources::default() }
    }

    /// Sets the number of restarts, at least 1.
    #[must_use]
    pub fn with_restarts(self, restarts: usize) -> Self {
        KernelKMeans { restarts, ..self }
    }

    /// Sets the maximum number of iterations per restart, at least 1.
    #[must_use]
    pub fn with_iterations(self, iterations: usize) -> Self {
        KernelKMeans { iterations, ..self }
    }

    /// Sets the engine of the typed fit: its threads, its memory and its time.
    #[must_use]
    pub fn with_engine(mut self, engine: Engine) -> Self {
        self.resources.engine = Some(engine);
        self
    }

    /// Sets an additional budget that can stop the fit.
    #[must_use]
    #[doc(hidden)]
    pub fn with_budget(mut self, budget: Budget) -> Self {
        self.resources.budget = budget;
        self
    }

    /// Sets the seed.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        KernelKMeans { seed, ..self }
    }

    /// Clusters objects, with any kernel. The model predicts the cluster of the nearest mean, from 0.
    pub fn fit<X: Sync + ?Sized, K: Kernel<X> + Clone>(
        &self,
        kernel: &K,
        objects: &X,
    ) -> Result<KernelModel<X, K, KernelKMeansModel, Unlabelled>> {
        fit_objects(self, &self.resources, kernel, objects)
    }

    /// Clusters the objects of a symmetric Gram matrix; fails with [`Error::Interrupted`] at the next iteration after a
    /// stop.
    fn fit_gram(&self, gram: &Dense) -> Result<KernelKMeansModel> {
        positive("restarts", self.restarts)?;
        positive("iterations", self.iterations)?;
        check_symmetric(gram)?;
        let (n, budget) = (gram.rows(), &self.resources.budget);
        if self.clusters > n {
            let domain = format!("at most {n}, the number of objects");
            return Err(Error::param("clusters", self.clusters, &domain));
        }
        let diagonal: Vec<f64> = (0..n).map(|i| gram.at(i, i)).collect();
        let mut random = Random::new(self.seed);
        let mut best: Option<KernelKMeansModel> = None;
        let per_batch = 2 * rayon::current_num_threads().max(1);
        budget::ask(
            "sums over clusters",
            matrix_bytes(self.clusters, n, 8).saturating_mul(per_batch as u64),
        )?;
        for first_of_batch in (0..self.restarts).step_by(per_batch) {
            budget.check()?;
            // Drawn one after another, so that restarts do not depend on the number of threads.
            let starts = (first_of_batch..self.restarts.min(first_of_batch + per_batch))
                .map(|_| first(gram, &diagonal, self.clusters, &mut random))
                .collect::<Result<Vec<_>>>()?;
            let runs =
                parallel::map(starts.len(), |k| self.iterate(gram, &diagonal, starts[k].clone(), budget));
            for next in runs {
                let next = next?;
                if best.as_ref().is_none_or(|best| next.inertia < best.inertia) {
                    best = Some(next);
                }
            }
        }
        best.ok_or_else(|| Error::param("restarts", self.restarts, "at least 1"))
    }

    /// One restart, iterated until no object changes its cluster.
    ///
    /// The sums of similarities to the members of each cluster are updated for the objects that moved. When none moves
    /// any more they are computed anew, so that rounding in the updates does not decide the result.
    fn iterate(
        &self,
        gram: &Dense,
        diagonal: &[f64],
        mut of: Vec<usize>,
        budget: &Budget,
    ) -> Result<KernelKMeansModel> {
        let n = gram.rows();
        // Objects only move for a gain beyond rounding; otherwise equally near means could exchange them forever.
        let rounding = 8.0 * f64::EPSILON * diagonal.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        let mut gaps = vec![0.0; n];
        let mut values = vec![0.0; self.clusters];
        let (mut converged, mut iterations) = (false, 0);
        fill_empty(&mut of, &mut gaps, self.clusters);
        let mut sums = Sums::of(gram, &of, self.clusters)?;
        while iterations < self.iterations && !converged {
            budget.check()?;
            iterations += 1;
            let means = sums.means(&of)?;
            let mut next = of.clone();
            for i in 0..n {
                means.gaps(|c| sums.rows[c][i], &mut values);
                let mut to = of[i];
                for c in 0..values.len() {
                    if values[c] < values[to] && values[c] < values[of[i]] - rounding {
                        to = c;
                    }
                }
                next[i] = to;
                gaps[i] = diagonal[i] + values[to];
            }
            fill_empty(&mut next, &mut gaps, self.clusters);
            let moved: Vec<usize> = (0..n).filter(|&i| next[i] != of[i]).collect();
            converged = moved.is_empty() && sums.exact;
            if moved.is_empty() && !sums.exact {
                // The same iteration again, with sums that were not updated.
                iterations -= 1;
                sums = Sums::of(gram, &next, self.clusters)?;
            } else if 4 * moved.len() > n {
                sums = Sums::of(gram, &next, self.clusters)?;
            } else {
                moved.iter().try_for_each(|&i| sums.shift(gram, i, of[i], next[i]))?;
            }
            of = next;
        }
        number(&mut of, self.clusters);
        let sums = Sums::of(gram, &of, self.clusters)?;
        let means = sums.means(&of)?;
        let own = |i: usize| {
            let mut values = vec![0.0; self.clusters];
            means.gaps(|c| sums.rows[c][i], &mut values);
            diagonal[i] + values[of[i]]
        };
        let inertia: f64 = (0..n).map(own).sum();
        if !inertia.is_finite() {
            return Err(Error::Numeric { reason: "the inertia of the clusters overflows".into() });
        }
        Ok(KernelKMeansModel { assignments: of, means, inertia: inertia.max(0.0), converged, iterations })
    }
}

/// The sums of the similarities of every object to the members of each cluster.
struct Sums {
    /// A row per cluster.
    rows: Vec<Vec<f64>>,
    /// Whether they were computed from the members, not updated.
    exact: bool,
}

impl Sums {
    /// Adds whole rows of the matrix, which is symmetric.
    fn of(gram: &Dense, of: &[usize], clusters: usize) -> Result<Self> {
        let mut rows = vec![vec![0.0; of.len()]; clusters];
        for (j, &c) in of.iter().enumerate() {
            budget::check_after(of.len())?;
            rows[c].iter_mut().zip(gram.row(j)).for_each(|(sum, v)| *sum += v);
        }
        Ok(Sums { rows, exact: true })
    }

    /// Moves object i between clusters.
    fn shift(&mut self, gram: &Dense, i: usize, from: usize, to: usize) -> Result<()> {
        budget::check_after(2 * gram.cols())?;
        self.rows[from].iter_mut().zip(gram.row(i)).for_each(|(sum, v)| *sum -= v);
        self.rows[to].iter_mut().zip(gram.row(i)).for_each(|(sum, v)| *sum += v);
        self.exact = false;
        Ok(())
    }

    fn means(&self, of: &[usize]) -> Result<Means> {
        let mut sizes = vec![0usize; self.rows.len()];
        of.iter().for_each(|&c| sizes[c] += 1);
        let mut norms = vec![0.0; self.rows.len()];
        for (i, &c) in of.iter().enumerate() {
            norms[c] += self.rows[c][i] / sizes[c] as f64 / sizes[c] as f64;
        }
        match norms.iter().position(|v| !v.is_finite()) {
            Some(c) => Err(Error::Numeric { reason: format!("the mean of cluster {c} overflows") }),
            None => Ok(Means { sizes, norms }),
        }
    }
}

/// The initial clusters: objects around those chosen by k-means++.
fn first(gram: &Dense, diagonal: &[f64], clusters: usize, random: &mut Random) -> Result<Vec<usize>> {
    let n = diagonal.len();
    let mut of = vec![0; n];
    let mut nearest = vec![f64::INFINITY; n];
    let mut picked = vec![false; n];
    for c in 0..clusters {
        budget::check_after(8 * n)?;
        let next = if c == 0 { random.below(n) } else { draw(&nearest, &picked, random.unit()) };
        picked[next] = true;
        for i in 0..n {
            let squared = ((diagonal[i] - gram.at(next, i)) + (diagonal[next] - gram.at(next, i))).max(0.0);
            if squared < nearest[i] {
                (nearest[i], of[i]) = (squared, c);
            }
        }
        // Also if an equal object was chosen before, so that no cluster starts empty.
        (nearest[next], of[next]) = (0.0, c);
    }
    Ok(of)
}

/// The object at which the cumulative weight of objects not yet chosen exceeds the fraction `unit` of the total; the
/// first of them if all weights are 0.
fn draw(weights: &[f64], picked: &[bool], unit: f64) -> usize {
    let free = || (0..weights.len()).filter(|&i| !picked[i]);
    let top = free().fold(0.0, |m: f64, i| m.max(weights[i]));
    // Relative to the largest, so that the sum stays finite.
    let share = |i: usize| if top > 0.0 && top.is_finite() { weights[i] / top } else { 0.0 };
    let mut left = unit * free().map(share).sum::<f64>();
    let mut last = None;
    for i in free().filter(|&i| share(i) > 0.0) {
        last = Some(i);
        left -= share(i);
        if left < 0.0 {
            break;
        }
    }
    last.or_else(|| free().next()).unwrap_or(0)
}

/// Gives each empty cluster the object farthest from its own mean among clusters of several objects.
fn fill_empty(of: &mut [usize], gaps: &mut [f64], clusters: usize) {
    let mut sizes = vec![0usize; clusters];
    of.iter().for_each(|&c| sizes[c] += 1);
    for empty in 0..clusters {
        if sizes[empty] > 0 {
            continue;
        }
        let spare = (0..of.len()).filter(|&i| sizes[of[i]] > 1);
        let far = spare.reduce(|far, i| if gaps[i] > gaps[far] { i } else { far });
        // There is one, because there are fewer other clusters than objects.
        if let Some(i) = far {
            sizes[of[i]] -= 1;
            sizes[empty] += 1;
            (of[i], gaps[i]) = (empty, 0.0);
        }
    }
}

/// Numbers the clusters in the order of their first members.
fn number(of: &mut [usize], clusters: usize) {
    let mut names = vec![None; clusters];
    let mut used = 0;
    for c in of {
        *c = *names[*c].get_or_insert_with(|| {
            used += 1;
            used - 1
        });
    }
}

impl Means {
    /// |φ(x) - m_c|² - k(x, x) for each cluster c, from the sum of the similarities of x to its members.
    fn gaps(&self, sum: impl Fn(usize) -> f64, out: &mut [f64]) {
        for (c, out) in out.iter_mut().enumerate() {
            *out = self.norms[c] - 2.0 * (sum(c) / self.sizes[c] as f64);
        }
    }
}

impl Learner<()> for KernelKMeans {
    type Model = KernelKMeansModel;

    fn fit_columns(&self, columns: &dyn Columns, (): &()) -> Result<KernelKMeansModel> {
        positive("clusters", self.clusters)?;
        let gram = whole(columns, 0, "the matrix of the clusters, in memory,")?;
        self.fit_gram(&gram)
    }
}

impl Predictor for KernelKMeansModel {
    /// The number of a cluster, from 0.
    type Output = usize;

    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<ModelOutput<usize>> {
        let (cross, own) = new.similarities()?;
        let own = own.ok_or_else(|| {
            Error::usage("distances from clusters need the self-similarities of new objects")
        })?;
        let (values, decisions) = self.predict_with_distances(cross, own)?;
        Ok(ModelOutput { values, decisions })
    }

    fn compact(self) -> Result<(Self, Vec<usize>)> {
        let support = (0..self.assignments.len()).collect();
        Ok((self, support))
    }

    fn needs_self_similarities(&self) -> bool {
        true
    }

    fn stops(&self) -> Vec<Stop> {
        vec![if self.converged { Stop::Settled } else { Stop::Iterations }]
    }
}

impl KernelKMeansModel {
    /// The cluster of each training object.
    pub fn assignments(&self) -> &[usize] {
        &self.assignments
    }

    /// The number of objects in each cluster, at least 1.
    pub fn sizes(&self) -> &[usize] {
        &self.means.sizes
    }

    /// The sum of the squared distances from the objects to the means of their clusters.
    pub fn inertia(&self) -> f64 {
        self.inertia
    }

    /// Whether the best restart ended because no object changed its cluster.
    pub fn converged(&self) -> bool {
        self.converged
    }

    /// The number of iterations of the best restart.
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// The cluster of the nearest mean for each new object (rows) from its similarities to the training objects
    /// (columns); the lowest in a tie. Time O(n) each.
    pub fn predict(&self, cross: &Dense) -> Result<Vec<usize>> {
        Ok(nearest(&self.gaps(cross)?))
    }

    /// Like [`predict`](Self::predict), with the distances |φ(x) - m_c| of each new object (rows) from the mean of each
    /// cluster (columns).
    ///
    /// `own` holds the self-similarities k(x, x) of the new objects. Negative squares, from rounding or indefinite
    /// similarities, count as 0.
    ///
    /// ```
    /// use mercer_core::{data::Dense, learn::{KernelKMeans, Learner}, solve::GramColumns};
    /// let k = Dense::from_rows(&[[1.0, 3.0], [3.0, 9.0]]); // the points 1 and 3 on a line
    /// let model = KernelKMeans::new(2).fit_columns(&GramColumns::new(&k)?, &())?;
    /// let (clusters, distances) = model.predict_with_distances(&Dense::from_rows(&[[7.0, 21.0]]), &[49.0])?;
    /// assert_eq!((clusters, distances.row(0)), (vec![1], &[6.0, 4.0][..])); // the point 7
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn predict_with_distances(&self, cross: &Dense, own: &[f64]) -> Result<(Vec<usize>, Dense)> {
        let mut gaps = self.gaps(cross)?;
        check_values(own, cross.rows(), "self-similarities of new objects")?;
        // Uses the squares without k(x, x), which are not clipped, so that no false ties arise.
        let clusters = nearest(&gaps);
        for (i, own) in own.iter().enumerate() {
            gaps.row_mut(i).iter_mut().for_each(|v| *v = (own + *v).max(0.0).sqrt());
        }
        Ok((clusters, finite(gaps)?))
    }

    /// |φ(x) - m_c|² - k(x, x) of new objects (rows) for each cluster (columns).
    fn gaps(&self, cross: &Dense) -> Result<Dense> {
        check_cross(cross, self.assignments.len())?;
        let mut out = Dense::zeros(cross.rows(), self.sizes().len());
        let mut sums = vec![0.0; self.sizes().len()];
        for i in 0..cross.rows() {
            sums.fill(0.0);
            cross.row(i).iter().zip(&self.assignments).for_each(|(v, &c)| sums[c] += v);
            self.means.gaps(|c| sums[c], out.row_mut(i));
        }
        finite(out)
    }

    /// The squared norm of the mean of each cluster, |m_c|².
    #[doc(hidden)]
    pub fn norms(&self) -> &[f64] {
        &self.means.norms
    }

    /// A model from its parts: clusters numbered by their first members, with the given sizes.
    #[doc(hidden)]
    pub fn from_parts(
        assignments: Vec<usize>,
        sizes: Vec<usize>,
        norms: Vec<f64>,
        inertia: f64,
        (iterations, converged): (usize, bool),
    ) -> Result<Self> {
        check_values(&norms, sizes.len(), "norms of means")?;
        check_values(&[inertia], 1, "inertias")?;
        let mut members = Vec::new();
        for (index, &cluster) in assignments.iter().enumerate() {
            match members.len() {
                known if cluster < known => members[cluster] += 1,
                known if cluster == known && known < sizes.len() => members.push(1),
                known => {
                    let reason =
                        format!("cluster {cluster} out of order after {known} of {} clusters", sizes.len());
                    return Err(Error::Object { index, reason, hint: None });
                }
            }
        }
        if members.is_empty() || members != sizes {
            return Err(Error::usage("the sizes of the clusters do not match the assignments"));
        }
        if inertia < 0.0 || iterations == 0 {
            return Err(Error::usage("the inertia is negative, or there are no iterations"));
        }
        Ok(KernelKMeansModel { assignments, means: Means { sizes, norms }, inertia, converged, iterations })
    }
}

/// The position of the smallest value of each row, the first in a tie.
fn nearest(gaps: &Dense) -> Vec<usize> {
    let least = |row: &[f64]| (1..row.len()).fold(0, |best, c| if row[c] < row[best] { c } else { best });
    (0..gaps.rows()).map(|i| least(gaps.row(i))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::learner::on_gram::OnGram;
    use crate::numeric::algebra::test_support::*;
    use proptest::prelude::*;

    #[test]
    fn mismatched_arguments_are_rejected() {
        assert!(KernelKMeans::new(0).fit_alone(&worked_gram()).is_err());
        let two = KernelKMeans::new(2);
        assert!(two.clone().with_restarts(0).fit_alone(&worked_gram()).is_err());
        assert!(two.clone().with_iterations(0).fit_alone(&worked_gram()).is_err());
        assert!(KernelKMeans::new(6).fit_alone(&worked_gram()).is_err());
        assert!(two.fit_alone(&Dense::zeros(0, 0)).is_err());
        assert!(two.fit_alone(&Dense::from_rows(&[[f64::NAN; 2]; 2])).is_err());
        assert!(two.fit_alone(&Dense::from_rows(&[[f64::MAX; 9]; 9])).is_err());
        let model = two.fit_alone(&worked_gram()).unwrap();
        assert!(model.predict(&Dense::zeros(1, 4)).is_err());
        assert!(model.predict(&Dense::zeros(0, 5)).unwrap().is_empty());
        for own in [&[][..], &[1.0, 1.0], &[f64::NAN], &[f64::INFINITY]] {
            assert!(model.predict_with_distances(&Dense::zeros(1, 5), own).is_err());
        }
        let stopped = Budget::default();
        stopped.stop();
        assert!(matches!(two.with_budget(stopped).fit_alone(&worked_gram()), Err(Error::Interrupted)));
    }

    #[test]
    fn equal_objects_fill_all_clusters() {
        let model = KernelKMeans::new(3).fit_alone(&Dense::from_rows(&[[0.3; 7]; 7])).unwrap();
        assert!(model.converged() && model.inertia() < 1e-14);
        assert!(model.sizes().iter().all(|&s| s > 0));
    }

    #[test]
    fn an_empty_cluster_takes_the_farthest_object() {
        let (mut of, mut gaps) = (vec![0, 0, 0, 2], vec![1.0, 3.0, 2.0, 9.0]);
        fill_empty(&mut of, &mut gaps, 4);
        assert_eq!(of, [0, 1, 3, 2]);
    }

    #[test]
    fn separate_groups_are_found() {
        let mut random = Random::new(1);
        let mut x = Dense::zeros(60, 2);
        for i in 0..60 {
            let centre = [[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]][i % 3];
            (0..2).for_each(|d| x.row_mut(i)[d] = centre[d] + random.unit());
        }
        for seed in 0..20 {
            let model = KernelKMeans::new(3).with_seed(seed).fit_alone(&linear(&x)).unwrap();
            assert!(model.assignments().iter().enumerate().all(|(i, &c)| c == i % 3));
            assert_eq!(model.predict(&linear(&x)).unwrap(), model.assignments());
        }
    }

    /// The inertia of clusters of points, by their means.
    fn explicit(x: &Dense, of: &[usize], clusters: usize) -> f64 {
        let mut sum = 0.0;
        for c in 0..clusters {
            let members: Vec<usize> = (0..x.rows()).filter(|&i| of[i] == c).collect();
            for d in 0..x.cols() {
                let mean = members.iter().map(|&i| x.at(i, d)).sum::<f64>() / members.len() as f64;
                sum += members.iter().map(|&i| (x.at(i, d) - mean).powi(2)).sum::<f64>();
            }
        }
        sum
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn inertia_equals_that_of_points(x in vectors(), at in any::<prop::sample::Index>(), seed in any::<u64>()) {
            let clusters = 1 + at.index(x.rows());
            let learner = KernelKMeans::new(clusters).with_seed(seed);
            let k = linear(&x);
            let model = learner.fit_alone(&k).unwrap();
            prop_assert!((model.inertia() - explicit(&x, model.assignments(), clusters)).abs() < 1e-10);
            prop_assert!(model.converged());
            prop_assert!(model.sizes().iter().all(|&s| s > 0));
            prop_assert_eq!(&learner.fit_alone(&k).unwrap(), &model);
            prop_assert_eq!(model.predict(&k).unwrap(), model.assignments());
            // More restarts with the same seed are never worse.
            let one = learner.with_restarts(1).fit_alone(&k).unwrap();
            prop_assert!(model.inertia() <= one.inertia());
        }

        #[test]
        fn distances_equal_those_of_points(x in vectors(), at in any::<prop::sample::Index>()) {
            let clusters = 1 + at.index(x.rows());
            let k = linear(&x);
            let model = KernelKMeans::new(clusters).fit_alone(&k).unwrap();
            let own: Vec<f64> = (0..x.rows()).map(|i| k.at(i, i)).collect();
            let (found, distances) = model.predict_with_distances(&k, &own).unwrap();
            prop_assert_eq!(&found, &model.predict(&k).unwrap());
            for c in 0..clusters {
                let members: Vec<usize> = (0..x.rows()).filter(|&i| model.assignments()[i] == c).collect();
                let mean = |d: usize| members.iter().map(|&m| x.at(m, d)).sum::<f64>() / members.len() as f64;
                for i in 0..x.rows() {
                    let squared: f64 = (0..x.cols()).map(|d| (x.at(i, d) - mean(d)).powi(2)).sum();
                    prop_assert!((distances.at(i, c).powi(2) - squared).abs() < 1e-10);
                }
            }
        }

        #[test]
        fn any_symmetric_matrix(k in symmetric(), at in any::<prop::sample::Index>()) {
            let clusters = 1 + at.index(k.rows());
            let model = KernelKMeans::new(clusters).with_iterations(20).fit_alone(&k).unwrap();
            prop_assert!(model.sizes().iter().all(|&s| s > 0) && model.iterations() <= 20);
        }
    }
}
