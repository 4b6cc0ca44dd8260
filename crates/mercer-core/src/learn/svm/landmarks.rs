//! Classification by a function of landmarks, for data too large for [`Svc`](super::Svc).

use std::time::Instant;

use super::super::learner::{ClassCodes, Learner, Resources};
use super::super::typed::{Classifier, fit_labels};
use super::problem::{DecisionFunction, check_weights};
use super::svc_model::pairs_of;
use super::{Certificate, Location, Scheme, SvcModel};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::learn::targets::check_codes;
use crate::random::Random;
use crate::solve::{Columns, Landmarked, Limits, MarginSolution, Penalties};
use crate::traits::{Domain, Kernel};

/// Support vector classification among functions of a random subset of the objects, the landmarks, with squared errors.
///
/// Minimises ½|f|² + Σ_i C_i·max(0, 1 - y_i·(f(x_i) + b))² over f = Σ_j α_j·k(x_j, ·) and a free b, where C_i is `c` times
/// the weight of the object times that of its class: the problem of [`LinearSvc`](crate::LinearSvc) on the coordinates
/// of `nystrom`, without computing them. More than two classes give one classifier per class against the rest.
///
/// * `c`: the cost of errors, finite and above 0. `landmarks`: their number, at least 1; all objects if there are fewer.
/// * `weights`, `class_weights`: factors of C for each object and for each class; by default 1.
/// * `seed`: draws the landmarks. `limits`: the tolerance, a bound on the gap relative to the objective, and the
///   stopping criteria. `engine`: threads, memory and time of [`LandmarkSvc::fit`].
///
/// Time O(m³) and, for each class, some tens of passes over n·m similarities, which are kept if half of the memory
/// suffices and otherwise computed in each pass; memory 16·m² bytes. Objectives are recomputed in double precision.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::learn::LandmarkSvc;
/// use mercer_core::Rbf;
/// let x = Vectors::from(Dense::from_rows(&[[-2.0], [-1.0], [1.0], [3.0]]));
/// let model = LandmarkSvc::new(10.0, 3).fit(&Rbf::new(0.5)?, &x, &["left", "left", "right", "right"])?;
/// assert!(model.certificate().is_some_and(|c| c.converged()));
/// assert_eq!(model.support().len(), 3);
/// assert_eq!(model.predict(&Vectors::from(Dense::from_rows(&[[0.9]])))?, ["right"]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Rudi, Carratino & Rosasco 2017 (the preconditioner); Keerthi & DeCoste 2005 (Newton's method).
#[derive(Clone, Debug)]
pub struct LandmarkSvc {
    c: f64,
    landmarks: usize,
    class_weights: Option<Vec<f64>>,
    weights: Option<Vec<f64>>,
    seed: u64,
    limits: Limits,
    resources: Resources,
}

impl LandmarkSvc {
    /// A classifier with this cost of errors and this many landmarks.
    pub fn new(c: f64, landmarks: usize) -> Self {
        LandmarkSvc {
            c,
            landmarks,
            class_weights: None,
            weights: None,
            seed: 0,
            limits: Limits::default(),
            resources: Resources::default(),
        }
    }

    /// Sets a factor of C for each class, in ascending order of their labels; each finite and above 0.
    #[must_use]
    pub fn with_class_weights(mut self, weights: Vec<f64>) -> Self {
        self.class_weights = Some(weights);
        self
    }

    /// Sets a factor of C for each training object; each finite and at least 0.
    #[must_use]
    pub fn with_weights(mut self, weights: Vec<f64>) -> Self {
        self.weights = Some(weights);
        self
    }

    /// Sets the seed that draws the landmarks.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the engine of the typed fit: its threads, its memory and its time.
    #[must_use]
    pub fn with_engine(mut self, engine: Engine) -> Self {
        self.resources.engine = Some(engine);
        self
    }

    /// Fits to labelled objects, with any positive semidefinite kernel.
    ///
    /// Reaching a limit is not an error, but reported by the certificate.
    pub fn fit<X: Sync + ?Sized, K: Kernel<X> + Clone, L: Ord + Clone>(
        &self,
        kernel: &K,
        objects: &X,
        labels: &[L],
    ) -> Result<Classifier<X, K, SvcModel, L>> {
        fit_labels(self, &self.resources, kernel, objects, labels)
    }

    /// C times the weight of each object and of its class.
    fn costs(&self, target: &ClassCodes) -> Result<Vec<f64>> {
        let (codes, classes) = (target.codes(), target.classes());
        let factors = self.class_weights.clone().unwrap_or_else(|| vec![1.0; classes]);
        factors.iter().try_for_each(|w| Domain::Positive.check("class weight", *w).map(drop))?;
        if factors.len() != classes {
            return Err(Error::usage(format!("{} class weights for {classes} classes", factors.len())));
        }
        let weights = check_weights(self.weights.as_deref(), codes.len())?;
        let costs: Vec<f64> = codes.iter().zip(&weights).map(|(&c, w)| self.c * factors[c] * w).collect();
        let empty = |c: &usize| !codes.iter().zip(&costs).any(|(code, cost)| code == c && *cost > 0.0);
        match (0..classes).find(empty) {
            Some(c) => {
                Err(Error::Classes { reason: format!("all objects of class {c} (from 0) have weight 0") })
            }
            None => Ok(costs),
        }
    }
}

impl Learner<ClassCodes> for LandmarkSvc {
    type Model = SvcModel;

    fn fit_columns(&self, columns: &dyn Columns, target: &ClassCodes) -> Result<SvcModel> {
        let started = Instant::now();
        Domain::Positive.check("c", self.c)?;
        if self.landmarks == 0 {
            return Err(Error::param("landmarks", self.landmarks, "a whole number of at least 1"));
        }
        let n = columns.len();
        check_codes(target.codes(), n, target.classes())?;
        let costs = self.costs(target)?;
        let landmarks = match self.landmarks < n {
            true => Random::derived(self.seed, 0xfa1c).sample(n, self.landmarks),
            false => (0..n).collect(),
        };
        let (scheme, classes) = (Scheme::OneVersusRest, target.classes());
        let pairs = pairs_of(scheme, classes);
        let total = 2.0 * costs.iter().sum::<f64>();
        let system = Landmarked::new(columns, &landmarks, 1.0, total, false, &self.limits.budget)?;
        let mut models = Vec::with_capacity(pairs.len());
        for &(_, positive) in &pairs {
            let sign = |&c: &usize| if c == positive { 1.0 } else { -1.0 };
            let signs: Vec<f64> = target.codes().iter().map(sign).collect();
            let mut limits = self.limits.clone();
            limits.time = limits.time.map(|t| t.saturating_sub(started.elapsed()));
            let solved = system.margin(Penalties { signs: &signs, costs: &costs }, &limits)?;
            models.push(decision(solved, &landmarks, started));
        }
        let target: Vec<u32> = target.codes().iter().map(|&c| c as u32).collect();
        let support_classes = landmarks.iter().map(|&l| target[l]).collect();
        Ok(SvcModel { classes, scheme, pairs, models, support: landmarks, support_classes, target })
    }
}

/// The decision function of a solution, over the landmarks.
fn decision(solved: MarginSolution, landmarks: &[usize], started: Instant) -> DecisionFunction {
    let location = |&slack: &f64| if slack > 0.0 { Location::Inside } else { Location::Outside };
    let locations: Vec<Location> = solved.slack.iter().map(location).collect();
    let bounded = locations.iter().filter(|&&l| l == Location::Inside).count();
    let certificate = Certificate {
        primal: solved.primal,
        dual: solved.dual,
        gap: solved.gap,
        violation: solved.violation,
        iterations: solved.iterations,
        rows_computed: landmarks.len() as u64,
        seconds: started.elapsed().as_secs_f64(),
        stop: solved.stop,
        free: 0,
        bounded,
        no_margin: false,
    };
    DecisionFunction {
        support: landmarks.to_vec(),
        coefficients: solved.alpha,
        offset: -solved.intercept,
        certificate: Some(certificate),
        locations,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dense, Vectors};
    use crate::kernel::vector::Rbf;
    use crate::learn::{LinearParameters, LinearSvc};
    use crate::solve::{GramColumns, Loss, Stop};

    fn problem(n: usize, classes: usize) -> (Vectors, ClassCodes, Dense) {
        let mut random = Random::new(6);
        let x = Dense::new(n, 3, (0..3 * n).map(|_| random.normal()).collect()).unwrap();
        let noisy = |i: usize| x.at(i, 0) * x.at(i, 1) + 0.3 * x.at(i, 2);
        let codes: Vec<usize> =
            (0..n).map(|i| if noisy(i) > 0.4 { classes - 1 } else { usize::from(noisy(i) > 0.0) }).collect();
        let x = Vectors::from(x);
        let gram = Engine::new().gram(&Rbf::new(0.4).unwrap(), &x).unwrap();
        (x, ClassCodes::new(codes, classes), gram)
    }

    fn tight() -> Limits {
        Limits { tolerance: 1e-9, ..Limits::default() }
    }

    /// With all objects as landmarks, the coordinates of the exact kernel have the same optimum up to the penalty of the
    /// intercept.
    #[test]
    fn all_landmarks_equal_the_linear_model_on_coordinates() {
        let (_, codes, gram) = problem(90, 2);
        let found = LandmarkSvc::new(2.0, 90).with_limits(tight());
        let found = found.fit_columns(&GramColumns::new(&gram).unwrap(), &codes).unwrap();
        let certificate = found.classifiers()[0].certificate.clone().unwrap();
        assert!(certificate.converged(), "{certificate:?}");
        let map = crate::gram::whitening(&gram).unwrap();
        let z = Vectors::from(crate::numeric::algebra::product(&gram, &map));
        let parameters =
            LinearParameters { c: 2.0, loss: Loss::Squared, bias: Some(10.0), epochs: 100_000, seed: 1 };
        let linear = LinearSvc::new(2.0).with_parameters(parameters);
        let linear = linear.with_limits(Limits { tolerance: 1e-6, ..Limits::default() });
        let linear = linear.fit_features((&z).into(), &codes).unwrap();
        let bounds = linear.classifiers()[0].duality();
        // Any solution costs at most the penalty b²/(2·bias²) more in the linear problem, and no less.
        let penalty = found.classifiers()[0].offset.powi(2) / 200.0;
        let rounding = 1e-6 * bounds.primal;
        assert!(bounds.primal - bounds.dual < 0.01 * bounds.primal, "{bounds:?}");
        assert!(bounds.dual <= certificate.primal + penalty + rounding, "{bounds:?} {certificate:?}");
        assert!(certificate.dual <= bounds.primal + rounding, "{bounds:?} {certificate:?}");
        let (a, b) = (found.decisions(&gram).unwrap(), linear.decide(&z).unwrap());
        assert!((0..90).all(|i| a.at(i, 0).abs() < 0.3 || a.at(i, 0).signum() == b[0][i].signum()));
    }

    #[test]
    fn the_bound_is_below_every_objective() {
        let (_, codes, gram) = problem(120, 2);
        let columns = GramColumns::new(&gram).unwrap();
        let best = LandmarkSvc::new(1.0, 30).with_limits(tight()).fit_columns(&columns, &codes).unwrap();
        let best = best.classifiers()[0].certificate.clone().unwrap();
        for tolerance in [1.0, 0.3, 1e-1, 1e-2, 1e-4] {
            let limits = Limits { tolerance, ..Limits::default() };
            let found = LandmarkSvc::new(1.0, 30).with_limits(limits).fit_columns(&columns, &codes).unwrap();
            let found = found.classifiers()[0].certificate.clone().unwrap();
            assert!(found.converged() && found.violation <= tolerance);
            assert!(
                found.dual <= best.primal * (1.0 + 1e-12) && best.dual <= found.primal,
                "{found:?} {best:?}"
            );
            assert!(found.primal - found.dual <= tolerance * found.primal * (1.0 + 1e-9));
        }
    }

    #[test]
    fn weights_equal_duplicates_and_classes_have_one_function_each() {
        let (x, codes, gram) = problem(60, 3);
        let columns = GramColumns::new(&gram).unwrap();
        let model = LandmarkSvc::new(5.0, 60).with_limits(tight()).fit_columns(&columns, &codes).unwrap();
        assert_eq!((model.classifiers().len(), model.support().len()), (3, 60));
        let right = model.predict(&gram).unwrap().iter().zip(codes.codes()).filter(|(a, b)| a == b).count();
        assert!(right > 50, "{right}");
        let twice: Vec<usize> = (0..60).chain(0..60).collect();
        let doubled = Engine::new().gram(&Rbf::new(0.4).unwrap(), &x.select(&twice)).unwrap();
        let same: Vec<usize> = twice.iter().map(|&i| codes.codes()[i]).collect();
        let one = LandmarkSvc::new(5.0, 60).with_weights(vec![2.0; 60]).with_limits(tight());
        let one = one.fit_columns(&columns, &codes).unwrap();
        let two = LandmarkSvc::new(5.0, 120).with_limits(tight());
        let two = two.fit_columns(&GramColumns::new(&doubled).unwrap(), &ClassCodes::new(same, 3)).unwrap();
        for (a, b) in one.classifiers().iter().zip(two.classifiers()) {
            let (a, b) = (a.certificate.as_ref().unwrap(), b.certificate.as_ref().unwrap());
            assert!((a.primal - b.primal).abs() < 1e-5 * b.primal, "{} {}", a.primal, b.primal);
        }
    }

    #[test]
    fn threads_and_memory_do_not_change_the_model() {
        let mut random = Random::new(6);
        let x = Dense::new(3000, 2, (0..6000).map(|_| random.normal()).collect()).unwrap();
        let labels: Vec<bool> = (0..3000).map(|i| x.at(i, 0) * x.at(i, 1) > 0.3 * random.normal()).collect();
        let x = Vectors::from(x);
        let fit = |engine: Engine| {
            let model = LandmarkSvc::new(1.0, 80).with_seed(3).with_engine(engine);
            let model = model.fit(&Rbf::new(0.4).unwrap(), &x, &labels).unwrap();
            model.fitted().classifiers()[0].coefficients.clone()
        };
        let one = fit(Engine::new().with_threads(1).unwrap());
        assert_eq!(one, fit(Engine::new().with_threads(3).unwrap()));
        // With little memory, similarities are computed in every pass.
        assert_eq!(one, fit(Engine::new().with_memory(1_200_000)));
        let refused = LandmarkSvc::new(1.0, 80).with_engine(Engine::new().with_memory(50_000));
        let refused = refused.fit(&Rbf::new(0.4).unwrap(), &x, &labels).err().unwrap();
        assert!(refused.to_string().contains("80 × 80 landmarks"), "{refused}");
    }

    #[test]
    fn limits_and_invalid_arguments() {
        let (_, codes, gram) = problem(40, 2);
        let columns = GramColumns::new(&gram).unwrap();
        let fit = |svc: LandmarkSvc| svc.fit_columns(&columns, &codes);
        let limits = Limits { iterations: 0, ..Limits::default() };
        let stopped = fit(LandmarkSvc::new(1.0, 10).with_limits(limits)).unwrap();
        assert_eq!(stopped.classifiers()[0].certificate.as_ref().unwrap().stop, Stop::Iterations);
        assert!(fit(LandmarkSvc::new(0.0, 10)).is_err());
        assert!(fit(LandmarkSvc::new(1.0, 0)).is_err());
        assert!(fit(LandmarkSvc::new(1.0, 10).with_class_weights(vec![1.0])).is_err());
        assert!(fit(LandmarkSvc::new(1.0, 10).with_weights(vec![0.0; 40])).is_err());
        let indefinite = Dense::from_rows(&[[0.0, 1.0], [1.0, 0.0]]);
        let refused = LandmarkSvc::new(1.0, 2)
            .fit_columns(&GramColumns::new(&indefinite).unwrap(), &ClassCodes::new([0, 1], 2))
            .unwrap_err();
        assert!(refused.to_string().contains("positive semidefinite"), "{refused}");
    }
}
