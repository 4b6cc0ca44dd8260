//! Random-walk kernels compared with their base kernels, by the protocol of Gavriilidis & Tefas.
//!
//! For a base kernel, inner product or RBF, a support vector machine with it (simple SVM) is compared with SVMs on
//! `normalize(walk(BASE, p, through))`. Walks go through all objects (PA, transductive), the training objects (PT) or
//! the support vectors of a first SVM (PSV). The protocol is 5×2-fold cross-validation; C, gamma and p are chosen by
//! 5-fold cross-validation within each training set. All methods use the same splits.
//!
//! Details that the paper leaves open are settled as follows, and stated in every [`RandomWalkReport`]:
//!
//! * The simple SVM uses `normalize(BASE)`, which equals every walk with p = 1, as in the paper.
//! * Among equal scores fewer steps, then the smaller gamma, then the smaller C is chosen.
//! * gamma is that of exp(-gamma·|x - y|²). The paper's text has gamma = 1/σ² and a kernel with 2σ², which would shift
//!   its grid by one power of two.
//! * *Best power*: for each p the inner folds choose C and gamma, and the p with the best accuracy over the test sets
//!   is shown. This p was selected on the test sets: the value is what a good choice of p would give, not an estimate
//!   of the method's accuracy. p = 1 is excluded, because several of the printed best powers are below the simple SVM.
//! * The first SVM of PSV has C = 1.
//! * Features of tables are standardised on each training set, because the paper's derivation assumes data of mean
//!   zero; generated ones are not scaled.
//! * Missing values are replaced by the median of their column in each training set, so that no object is lost.
//!
//! Tables III to VI need features of activities and folk dances that are not available. Substitutes are run with the
//! same protocols: EEG trials of 20 persons, leaving one person out at a time, and BasicMotions with its given split.

mod problems;
mod published;
mod render;
mod report;
mod run;
mod study;
#[cfg(test)]
mod tests;

pub use problems::{Loaded, PROBLEMS, Problem, Source, Tables};
pub use published::{Published, published, published_in};
pub use report::{Count, RandomWalkReport};
pub(super) use run::run;
pub use study::{Chosen, RandomWalkOutcome, WalkOutcome, memory_needed, study};

use crate::error::{Error, Result};

/// The base kernel of the walks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Base {
    /// `linear`: table I.
    InnerProduct,
    /// `rbf`: table II, which calls it the heat kernel.
    Rbf,
}

impl Base {
    /// Both, in the paper's order.
    pub const ALL: [Base; 2] = [Base::InnerProduct, Base::Rbf];

    /// `inner-product` or `rbf`.
    pub fn name(self) -> &'static str {
        match self {
            Base::InnerProduct => "inner-product",
            Base::Rbf => "rbf",
        }
    }

    /// The table of the paper.
    pub fn table(self) -> &'static str {
        self.table_of(Tables::Various)
    }

    /// The corresponding table of one of the paper's pairs.
    pub fn table_of(self, tables: Tables) -> &'static str {
        match (tables, self) {
            (Tables::Various, Base::InnerProduct) => "Table I, inner product",
            (Tables::Various, Base::Rbf) => "Table II, heat kernel (RBF)",
            (Tables::Activities, Base::InnerProduct) => "Substitute for table III, inner product",
            (Tables::Activities, Base::Rbf) => "Substitute for table IV, heat kernel (RBF)",
            (Tables::Dances, Base::InnerProduct) => "Substitute for table V, inner product",
            (Tables::Dances, Base::Rbf) => "Substitute for table VI, heat kernel (RBF)",
        }
    }
}

/// The objects that walks go through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub enum Method {
    /// All objects, including the test objects: transductive.
    #[serde(rename = "PA")]
    All,
    /// The training objects.
    #[serde(rename = "PT")]
    Train,
    /// The support vectors of a first SVM.
    #[serde(rename = "PSV")]
    Support,
}

impl Method {
    /// All three, in the paper's order.
    pub const ALL: [Method; 3] = [Method::All, Method::Train, Method::Support];

    /// The paper's name: PA, PT or PSV.
    pub fn name(self) -> &'static str {
        match self {
            Method::All => "PA",
            Method::Train => "PT",
            Method::Support => "PSV",
        }
    }

    /// The name, marked if transductive.
    pub fn label(self) -> &'static str {
        match self {
            Method::All => "PA (transductive)",
            other => other.name(),
        }
    }

    /// Whether the kernel uses the test objects.
    pub fn is_transductive(self) -> bool {
        self == Method::All
    }

    fn through(self) -> &'static str {
        match self {
            Method::All => "all",
            Method::Train => "train",
            Method::Support => "support",
        }
    }

    /// The column in the paper's tables, after that of the simple SVM.
    fn column(self) -> usize {
        match self {
            Method::All => 1,
            Method::Train => 2,
            Method::Support => 3,
        }
    }
}

/// The halves of the paper's tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Half {
    /// p chosen by the inner folds.
    Searched,
    /// The p with the best score on the test sets.
    BestPower,
}

impl Half {
    /// Both.
    pub const ALL: [Half; 2] = [Half::Searched, Half::BestPower];

    /// `grid search` or `best power`.
    pub fn name(self) -> &'static str {
        match self {
            Half::Searched => "grid search",
            Half::BestPower => "best power",
        }
    }
}

/// The grids and splits of the study.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct RandomWalkSettings {
    /// The values of C, as a range or list of the expression language.
    pub c: String,
    /// The values of gamma, likewise.
    pub gamma: String,
    /// The maximum number of steps: p runs from 1 to this.
    pub steps: u32,
    /// The number of repetitions of two-fold cross-validation.
    pub repetitions: usize,
    /// The number of inner folds.
    pub inner_folds: usize,
    /// The base kernels.
    pub bases: Vec<Base>,
    /// The walks; the simple SVM is always included.
    pub methods: Vec<Method>,
    /// Seed of the splits and the generated data.
    pub seed: u64,
}

impl RandomWalkSettings {
    /// The settings of the paper: C ∈ 2^-5..2^15, gamma ∈ 2^-15..2^3, p ∈ 1..7, 5×2 folds with 5 inner folds.
    pub fn full(seed: u64) -> Self {
        RandomWalkSettings {
            c: "2^-5..2^15".into(),
            gamma: "2^-15..2^3".into(),
            steps: 7,
            repetitions: 5,
            inner_folds: 5,
            bases: Base::ALL.to_vec(),
            methods: Method::ALL.to_vec(),
            seed,
        }
    }

    /// For a quick trial: every fourth exponent of both grids, 2×2 folds. Not for reported results.
    pub fn quick(seed: u64) -> Self {
        RandomWalkSettings {
            c: "2^-5..2^15 step 4".into(),
            gamma: "2^-15..2^3 step 4".into(),
            repetitions: 2,
            ..RandomWalkSettings::full(seed)
        }
    }

    /// Whether grids, steps and splits are those of the paper.
    pub fn is_full(&self) -> bool {
        let full = RandomWalkSettings::full(self.seed);
        let (bases, methods) = (self.bases.clone(), self.methods.clone());
        *self == RandomWalkSettings { bases, methods, ..full }
    }

    /// The kernel of the simple SVM.
    fn plain(&self, base: Base, loaded: &Loaded) -> String {
        wrap(format!("normalize({})", self.base(base)), loaded)
    }

    /// The kernels of a walk with two or more steps.
    fn walk(&self, base: Base, method: Method, loaded: &Loaded) -> Result<String> {
        if self.steps < 2 {
            return Err(Error::param("steps", self.steps, "at least 2"));
        }
        let steps: Vec<String> = (2..=self.steps).map(|p| p.to_string()).collect();
        let (base, steps, through) = (self.base(base), steps.join(", "), method.through());
        Ok(wrap(format!("normalize(walk({base}, p=[{steps}], through={through}))"), loaded))
    }

    fn base(&self, base: Base) -> String {
        match base {
            Base::InnerProduct => "linear".into(),
            Base::Rbf => format!("rbf(gamma={})", self.gamma),
        }
    }

    fn learner(&self) -> String {
        format!("svc(C={})", self.c)
    }
}

/// Scaling is the outer operation, so that a walk through all objects uses the scale of the training objects too.
fn wrap(kernel: String, loaded: &Loaded) -> String {
    let scaled = if loaded.scaled { format!("standardize({kernel})") } else { kernel };
    if loaded.gaps > 0 { format!("impute({scaled}, method=median)") } else { scaled }
}
