//! The registry of learners: documentation, parameters and fit function of each.

use std::fmt;

use super::Learner;
use super::fit::Training;
use crate::data::FeatureRows;
use crate::error::{Error, Result};
use crate::kernel::{Domain, Parameter};
use crate::learn::Trained;
use crate::solve::Columns;

/// What a learner predicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predicts {
    /// The class of an object.
    Classes,
    /// A number.
    Numbers,
    /// Classes or numbers, whichever the target holds.
    Either,
    /// Whether an object belongs to the region of the training objects: 1 or -1. No target is needed.
    Membership,
    /// Coordinates. No target is needed.
    Coordinates,
    /// The cluster of an object. No target is needed.
    Clusters,
}

impl Predicts {
    /// Whether it needs a target. If not, a given target is ignored, and predictions cannot be scored.
    ///
    /// ```
    /// use mercer::expression::find_learner;
    /// assert!(find_learner("svc").unwrap().predicts.needs_target());
    /// assert!(!find_learner("pca").unwrap().predicts.needs_target());
    /// ```
    pub fn needs_target(self) -> bool {
        match self {
            Predicts::Classes | Predicts::Numbers | Predicts::Either => true,
            Predicts::Membership | Predicts::Coordinates | Predicts::Clusters => false,
        }
    }
}

impl fmt::Display for Predicts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Predicts::Classes => "classes",
            Predicts::Numbers => "numbers",
            Predicts::Either => "classes or numbers",
            Predicts::Membership => "membership",
            Predicts::Coordinates => "coordinates",
            Predicts::Clusters => "clusters",
        })
    }
}

/// Facts about a learner, for the parser, the help, the documentation and the tests.
#[derive(Debug)]
pub struct LearnerFacts {
    /// Its name in expressions.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// What it minimises or does, in plain text.
    pub formula: &'static str,
    /// What it predicts.
    pub predicts: Predicts,
    /// Whether it is fitted to explicit features instead of similarities.
    pub features: bool,
    /// Whether objects may have weights.
    pub weighted: bool,
    /// Whether its models always give class probabilities; others do with `probability=yes`, where they have it.
    pub probabilities: bool,
    /// Its parameters, in positional order.
    pub parameters: &'static [Parameter],
    /// What fitting costs.
    pub cost: &'static str,
    /// The reference.
    pub reference: &'static str,
    /// An expression that uses it.
    pub example: &'static str,
    /// How it is fitted.
    pub(super) fit: Fit,
}

/// How a learner is fitted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fit {
    /// To similarities.
    Similarities(FitSimilarities),
    /// To similarities or to explicit features, with the same result.
    Both(FitSimilarities, FitFeatures),
    /// To explicit features.
    Features(FitFeatures),
}

pub(super) type FitSimilarities = fn(&Learner, &dyn Columns, &Training<'_>) -> Result<Trained>;
pub(super) type FitFeatures = fn(&Learner, FeatureRows<'_>, &Training<'_>) -> Result<Trained>;

const fn parameter(
    name: &'static str,
    default: &'static str,
    domain: Domain,
    doc: &'static str,
) -> Parameter {
    Parameter { name, default, domain, doc, alias: None }
}

const YES_NO: Domain = Domain::Word(&["no", "yes"]);
const C: Parameter =
    parameter("C", "1", Domain::Positive, "the penalty of errors relative to the width of the margin");
const NU: Parameter = parameter(
    "nu",
    "0.5",
    Domain::Share,
    "approximate share of objects inside the margin or outside the region",
);
const EPSILON: Parameter =
    parameter("epsilon", "0.1", Domain::NonNegative, "errors up to this size are not penalised");
const WEIGHTS: Parameter = parameter(
    "weights",
    "none",
    Domain::ClassWeights,
    "factor of C for each class; balanced: n / (classes · members) of the training set",
);
const SCHEME: Parameter = parameter(
    "scheme",
    "one-versus-one",
    Domain::Word(&["one-versus-one", "one-versus-rest"]),
    "how more than two classes are reduced to binary classifiers",
);
const LINEAR_SCHEME: Parameter = parameter(
    "scheme",
    "one-versus-rest",
    Domain::Word(&["one-versus-rest", "crammer-singer"]),
    "how more than two classes are treated; crammer-singer: all in one problem, with the absolute loss whatever `loss` says",
);
const PROBABILITY: Parameter = parameter(
    "probability",
    "no",
    YES_NO,
    "whether to fit class probabilities too, by five-fold cross-validation: about five more fits",
);
const TOLERANCE: Parameter = parameter(
    "tolerance",
    "1e-3",
    Domain::Positive,
    "the largest violation of the optimality conditions at convergence",
);
/// Maximum number of passes over all objects: more would run for days without benefit.
const MOST_PASSES: u64 = 1_000_000;
const ITERATIONS: Parameter =
    parameter("iterations", "1e8", Domain::Whole(0, u64::MAX), "maximum number of SMO steps");
const SOLVER: Parameter = parameter(
    "solver",
    "auto",
    Domain::Word(&["auto", "smo", "active-set"]),
    "smo: pairs of variables; active-set: all free variables together, exact up to rounding; auto: smo, then active-set if it converges slowly",
);
const INDEFINITE: Parameter = parameter(
    "indefinite",
    "refuse",
    Domain::Word(&["refuse", "accept"]),
    "what to do where the kernel is not positive semidefinite; accept: as LIBSVM does, a solution that satisfies the optimality \
     conditions, with a warning that there may be better ones",
);
const SECONDS: Parameter =
    parameter("seconds", "0", Domain::NonNegative, "maximum time for each model; 0 for no limit");
const CACHE: Parameter =
    parameter("cache", "1000", Domain::Positive, "megabytes of cache for rows of the kernel matrix");
const LOSS: Parameter = parameter(
    "loss",
    "squared",
    Domain::Word(&["squared", "absolute"]),
    "whether errors are penalised squared or linearly",
);
const BIAS: Parameter = parameter(
    "bias",
    "1",
    Domain::NonNegative,
    "the value of a constant feature, which gives the model an intercept; 0 for none",
);
const EPOCHS: Parameter = parameter(
    "epochs",
    "1000",
    Domain::Whole(1, 1000 * MOST_PASSES),
    "maximum number of passes over the objects",
);
const LEARN: Parameter = parameter(
    "learn",
    "defaults",
    Domain::Word(&["defaults", "all", "none"]),
    "the numbers of the kernel that are learned by the marginal likelihood: parameters at their defaults and weights of terms without a \
     factor; all continuous ones; or none. Weights of relevance are learned unless none. A kernel with ranges is searched instead",
);
const ROUNDS: &str = "maximum number of passes over the objects";

/// Learners on similarities first, then those on explicit features.
static LEARNERS: &[LearnerFacts] = &[
    LearnerFacts {
        name: "svc",
        summary: "Support vector classification with penalty C.",
        formula: "min ½|w|² + C·Σ w_i·max(0, 1 - y_i·f(x_i)); hard margin: no error allowed, C not used",
        predicts: Predicts::Classes,
        features: false,
        weighted: true,
        probabilities: false,
        parameters: &[
            C,
            WEIGHTS,
            SCHEME,
            parameter(
                "margin",
                "soft",
                Domain::Word(&["soft", "hard"]),
                "hard: no error is allowed, C is not used",
            ),
            PROBABILITY,
            TOLERANCE,
            ITERATIONS,
            SECONDS,
            CACHE,
            SOLVER,
            INDEFINITE,
        ],
        cost: "between n and n² rows' entries for each pair of classes",
        reference: "Cortes & Vapnik 1995",
        example: "svc(C=10, weights=balanced)",
        fit: Fit::Similarities(Learner::fit_soft_svc),
    },
    LearnerFacts {
        name: "nu-svc",
        summary: "Support vector classification parametrised by the share nu of objects inside the margin.",
        formula: "min ½|w|² - ν·Σw·ρ + Σ w_i·max(0, ρ - y_i·f(x_i))",
        predicts: Predicts::Classes,
        features: false,
        weighted: true,
        probabilities: false,
        parameters: &[
            NU,
            SCHEME,
            PROBABILITY,
            TOLERANCE,
            ITERATIONS,
            SECONDS,
            CACHE,
            WEIGHTS,
            SOLVER,
            INDEFINITE,
        ],
        cost: "between n and n² rows' entries for each pair of classes",
        reference: "Schölkopf, Smola, Williamson & Bartlett 2000",
        example: "nu-svc(nu=0.2)",
        fit: Fit::Similarities(Learner::fit_nu_svc),
    },
    LearnerFacts {
        name: "landmark-svc",
        summary: "Support vector classification by a function of some objects, for data too large for svc.",
        formula: "min ½|f|² + C·Σ w_i·max(0, 1 - y_i·(f(x_i) + b))² over f = Σ_j α_j·k(x_j, ·), x_j the landmarks",
        predicts: Predicts::Classes,
        features: false,
        weighted: true,
        probabilities: false,
        parameters: &[
            C,
            parameter(
                "landmarks",
                "1000",
                Domain::Whole(1, 100_000),
                "number of randomly chosen objects that span the function; all if there are fewer",
            ),
            WEIGHTS,
            parameter(
                "tolerance",
                "1e-3",
                Domain::Positive,
                "the largest gap between the objectives at convergence, relative to the objective",
            ),
            SECONDS,
        ],
        cost: "m³ for m landmarks, and some tens of passes over n × m entries for each class; memory 16·m² bytes",
        reference: "Rudi, Carratino & Rosasco 2017; Keerthi & DeCoste 2005",
        example: "landmark-svc(C=10, landmarks=5000)",
        fit: Fit::Similarities(Learner::fit_landmark_svc),
    },
    LearnerFacts {
        name: "svr",
        summary: "Support vector regression: errors within a tube of half-width epsilon are not penalised.",
        formula: "min ½|w|² + C·Σ w_i·max(0, |y_i - f(x_i)| - ε)",
        predicts: Predicts::Numbers,
        features: false,
        weighted: true,
        probabilities: false,
        parameters: &[C, EPSILON, TOLERANCE, ITERATIONS, SECONDS, CACHE, SOLVER, INDEFINITE],
        cost: "between n and n² rows' entries",
        reference: "Vapnik 1995",
        example: "svr(C=10, epsilon=0.05)",
        fit: Fit::Similarities(Learner::fit_epsilon_svr),
    },
    LearnerFacts {
        name: "nu-svr",
        summary: "Support vector regression whose tube excludes about a share nu of the objects.",
        formula: "min ½|w|² + C·(ν·Σw·ε + Σ w_i·max(0, |y_i - f(x_i)| - ε))",
        predicts: Predicts::Numbers,
        features: false,
        weighted: true,
        probabilities: false,
        parameters: &[C, NU, TOLERANCE, ITERATIONS, SECONDS, CACHE, SOLVER, INDEFINITE],
        cost: "between n and n² rows' entries",
        reference: "Schölkopf, Smola, Williamson & Bartlett 2000",
        example: "nu-svr(C=10, nu=0.3)",
        fit: Fit::Similarities(Learner::fit_nu_svr),
    },
    LearnerFacts {
        name: "one-class",
        summary: "One-class SVM: the region that contains all but about a share nu of the objects.",
        formula: "min ½|w|² - ν·n·ρ + Σ w_i·max(0, ρ - w·φ(x_i)); f(x) = w·φ(x) - ρ",
        predicts: Predicts::Membership,
        features: false,
        weighted: true,
        probabilities: false,
        parameters: &[NU, TOLERANCE, ITERATIONS, SECONDS, CACHE, SOLVER, INDEFINITE],
        cost: "between n and n² rows' entries",
        reference: "Schölkopf, Platt, Shawe-Taylor, Smola & Williamson 2001",
        example: "one-class(nu=0.05)",
        fit: Fit::Similarities(Learner::fit_one_class),
    },
    LearnerFacts {
        name: "ridge",
        summary: "Kernel ridge regression; classes by targets ±1.",
        formula: "min Σ (y_i - f(x_i))² + λ·|f|²",
        predicts: Predicts::Either,
        features: false,
        weighted: false,
        probabilities: false,
        parameters: &[
            parameter(
                "lambda",
                "1",
                Domain::PositiveOr(&["learned"]),
                "the weight of the squared norm of the function; learned: of 21 values around the scale of the kernel, the one with the least squared leave-one-out error",
            ),
            parameter("intercept", "no", YES_NO, "whether to fit an unpenalised constant"),
            parameter(
                "landmarks",
                "0",
                Domain::Whole(0, 100_000),
                "number of randomly chosen landmark objects that span the function; 0: all",
            ),
        ],
        cost: "n³/3, and memory for two n × n matrices; 9·n³ more and memory for four where lambda is learned; with m landmarks some tens of passes over n × m entries",
        reference: "Saunders, Gammerman & Vovk 1998; landmarks: Rudi, Carratino & Rosasco 2017",
        example: "ridge(lambda=0.1)",
        fit: Fit::Both(Learner::fit_ridge, Learner::fit_ridge_features),
    },
    LearnerFacts {
        name: "gp",
        summary: "Gaussian process regression: a mean and a standard deviation for every prediction.",
        formula: "y ~ N(b, s·K + σ²·W⁻¹); mean b + s·kᵀC⁻¹(y - b), variance s·k(x, x) - s²·kᵀC⁻¹k, C = s·K + σ²·W⁻¹",
        predicts: Predicts::Numbers,
        features: false,
        weighted: true,
        probabilities: false,
        parameters: &[
            parameter(
                "noise",
                "learned",
                Domain::PositiveOr(&["learned", "none"]),
                "the variance σ² of an observation; learned: by the marginal likelihood",
            ),
            parameter(
                "scale",
                "learned",
                Domain::PositiveOr(&["learned"]),
                "the factor s of the kernel; learned: by the marginal likelihood",
            ),
            parameter(
                "mean",
                "constant",
                Domain::Word(&["constant", "zero", "linear"]),
                "constant: b is fitted, under a flat prior; zero: b = 0; linear: a function of the columns of numbers besides, which \
                 adds 10000*standardize(linear) to the kernel, a nearly flat prior of its slopes",
            ),
            LEARN,
            parameter(
                "landmarks",
                "0",
                Domain::Whole(0, 100_000),
                "number of randomly chosen objects that the function is known through, by Titsias' bound; 0: all. With solver=cg the \
                 pivots of the preconditioner, 256 where 0",
            ),
            parameter(
                "solver",
                "cholesky",
                Domain::Word(&["cholesky", "cg"]),
                "cg: conjugate gradients, without a matrix of all pairs; noise and scale are learned from at most 2,000 objects, and \
                 variances are at least the exact ones",
            ),
        ],
        cost: "n³/3, and 9·n³ more where noise or scale is learned; some tens of m³ for the kernel's numbers, m at most 1,000 objects; \
               memory for four n × n matrices; with m landmarks n·m²; with solver=cg n² similarities for each of some tens of steps, \
               and memory for n·(3·m + 256) numbers",
        reference: "Rasmussen & Williams 2006; landmarks: Titsias 2009; cg: Gardner et al. 2018",
        example: "gp(noise=0.1)",
        fit: Fit::Similarities(Learner::fit_gp),
    },
    LearnerFacts {
        name: "gpc",
        summary: "Gaussian process classification: classes with probabilities.",
        formula: "p(y | f) = 1 / (1 + exp(-y·f)), or Φ(y·f) with ep; f ~ N(0, s·K); the mean of p(y | f) over a normal approximation of f",
        predicts: Predicts::Classes,
        features: false,
        weighted: false,
        probabilities: true,
        parameters: &[
            parameter(
                "scale",
                "learned",
                Domain::PositiveOr(&["learned"]),
                "the factor s of the kernel; learned: by the approximate marginal likelihood",
            ),
            parameter(
                "approximation",
                "laplace",
                Domain::Word(&["laplace", "ep"]),
                "Laplace's approximation around the mode, or expectation propagation, which matches means and variances; the kernel's numbers are \
                 learned with the former",
            ),
            LEARN,
        ],
        cost: "some tens of n³ for each class; some tens of m³ for the kernel's numbers, m at most 1,000 objects; memory for four n × n matrices",
        reference: "Williams & Barber 1998; Minka 2001 (ep); Rasmussen & Williams 2006, chapter 3",
        example: "gpc(scale=2)",
        fit: Fit::Similarities(Learner::fit_gpc),
    },
    LearnerFacts {
        name: "perceptron",
        summary: "The perceptron: each misclassified object is added to the weights.",
        formula: "where y_i·(Σ_j α_j·y_j·k(x_j, x_i) + b) ≤ 0, α_i grows by 1 and b by y_i",
        predicts: Predicts::Classes,
        features: false,
        weighted: false,
        probabilities: false,
        parameters: &[
            parameter("rounds", "100", Domain::Whole(1, MOST_PASSES), ROUNDS),
            parameter("bias", "yes", YES_NO, "whether to fit the bias b"),
        ],
        cost: "n entries for each mistake",
        reference: "Rosenblatt 1958; Aizerman, Braverman & Rozonoer 1964",
        example: "perceptron(rounds=50)",
        fit: Fit::Similarities(Learner::fit_perceptron),
    },
    LearnerFacts {
        name: "voted-perceptron",
        summary: "The voted perceptron: all intermediate perceptrons vote.",
        formula: "sign Σ_m c_m·sign(v_m·x), c_m the number of objects that v_m classified before its next mistake",
        predicts: Predicts::Classes,
        features: false,
        weighted: false,
        probabilities: false,
        parameters: &[
            parameter("rounds", "10", Domain::Whole(1, MOST_PASSES), ROUNDS),
            parameter(
                "rule",
                "vote",
                Domain::Word(&["vote", "average", "last"]),
                "how the weight vectors are combined",
            ),
            parameter(
                "order",
                "given",
                Domain::Word(&["given", "shuffled"]),
                "the order of the objects; shuffled by the seed",
            ),
            parameter("bias", "no", YES_NO, "whether 1 is added to the kernel"),
        ],
        cost: "n entries for each mistake",
        reference: "Freund & Schapire 1999",
        example: "voted-perceptron(rounds=10, rule=average)",
        fit: Fit::Similarities(Learner::fit_voted),
    },
    LearnerFacts {
        name: "knn",
        summary: "Nearest neighbours: predicts the class or number of the k nearest training objects.",
        formula: "d²(x, t) = k(x, x) + k(t, t) - 2·k(x, t)",
        predicts: Predicts::Either,
        features: false,
        weighted: false,
        probabilities: false,
        parameters: &[
            parameter("k", "5", Domain::Whole(1, u64::MAX), "the number of neighbours"),
            parameter(
                "measure",
                "similarity",
                Domain::Word(&["similarity", "distance"]),
                "whether the matrix holds similarities or distances",
            ),
            parameter(
                "weights",
                "uniform",
                Domain::Word(&["uniform", "distance"]),
                "distance: neighbours are weighted by 1 / distance",
            ),
        ],
        cost: "fitting computes only the self-similarities; n entries for each prediction",
        reference: "Cover & Hart 1967",
        example: "knn(k=3)",
        fit: Fit::Similarities(Learner::fit_knn),
    },
    LearnerFacts {
        name: "pca",
        summary: "Kernel principal components: coordinates along which the objects vary most.",
        formula: "x ↦ Σ_i k̂(x, x_i)·u_ik / √λ_k for k = 1, 2, …; k̂ the centred kernel, K̂·u_k = λ_k·u_k",
        predicts: Predicts::Coordinates,
        features: false,
        weighted: false,
        probabilities: false,
        parameters: &[parameter(
            "components",
            "2",
            Domain::Whole(1, u64::MAX),
            "maximum number of components; those without variance are left out",
        )],
        cost: "about 9·n³, and memory for five n × n matrices",
        reference: "Schölkopf, Smola & Müller 1998",
        example: "pca(components=3)",
        fit: Fit::Both(Learner::fit_pca, Learner::fit_pca_features),
    },
    LearnerFacts {
        name: "kmeans",
        summary: "Kernel k-means: clusters whose members are close to their mean in feature space.",
        formula: "min Σ_i |φ(x_i) - m_c(i)|², m_c the mean of the members of cluster c",
        predicts: Predicts::Clusters,
        features: false,
        weighted: false,
        probabilities: false,
        parameters: &[
            parameter("k", "3", Domain::Whole(1, u64::MAX), "the number of clusters"),
            parameter(
                "restarts",
                "10",
                Domain::Whole(1, MOST_PASSES),
                "number of initialisations, chosen by the seed; the best is kept",
            ),
            parameter(
                "iterations",
                "300",
                Domain::Whole(1, MOST_PASSES),
                "maximum passes per initialisation",
            ),
        ],
        cost: "n² for each pass, and memory for the n × n matrix",
        reference: "Dhillon, Guan & Kulis 2004; Arthur & Vassilvitskii 2007",
        example: "kmeans(k=4, restarts=20)",
        fit: Fit::Similarities(Learner::fit_kmeans),
    },
    LearnerFacts {
        name: "linear-svc",
        summary: "Linear support vector classification on explicit features, for very many objects.",
        formula: "min ½|w|² + C·Σ w_i·loss(max(0, 1 - y_i·(w·x_i + b))), b regularised",
        predicts: Predicts::Classes,
        features: true,
        weighted: true,
        probabilities: false,
        parameters: &[C, WEIGHTS, LOSS, BIAS, EPOCHS, TOLERANCE, SECONDS, LINEAR_SCHEME],
        cost: "two passes over the stored values for each epoch",
        reference: "Hsieh, Chang, Lin, Keerthi & Sundararajan 2008; Crammer & Singer 2001",
        example: "linear-svc(C=0.1)",
        fit: Fit::Features(Learner::fit_linear_svc),
    },
    LearnerFacts {
        name: "linear-svr",
        summary: "Linear support vector regression on explicit features, for very many objects.",
        formula: "min ½|w|² + C·Σ w_i·loss(max(0, |y_i - w·x_i - b| - ε)), b regularised",
        predicts: Predicts::Numbers,
        features: true,
        weighted: true,
        probabilities: false,
        parameters: &[C, EPSILON, LOSS, BIAS, EPOCHS, TOLERANCE, SECONDS],
        cost: "two passes over the stored values for each epoch",
        reference: "Ho & Lin 2012",
        example: "linear-svr(C=10, epsilon=0)",
        fit: Fit::Features(Learner::fit_linear_svr),
    },
];

/// Models whose predictions are averaged. It is not listed: its members are fitted, each with its own kernel and learner.
pub(super) static BLEND: LearnerFacts = LearnerFacts {
    name: "blend",
    summary: "The weighted mean of the predictions of several models.",
    formula: "Σ w_m·f_m(x), Σ w_m = 1; of classes f_m(x) are probabilities",
    predicts: Predicts::Either,
    features: false,
    weighted: false,
    probabilities: false,
    parameters: &[],
    cost: "that of its members",
    reference: "Caruana, Niculescu-Mizil, Crew & Ksikes 2004",
    example: "blend",
    fit: Fit::Similarities(|_, _, _| {
        Err(Error::usage("a blend is not fitted to similarities: its members are, each with its own kernel"))
    }),
};

/// All learners.
pub fn learners() -> &'static [LearnerFacts] {
    LEARNERS
}

/// Finds a learner by name.
pub fn find_learner(name: &str) -> Option<&'static LearnerFacts> {
    LEARNERS.iter().find(|f| f.name == name)
}
