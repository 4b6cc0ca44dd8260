//! Registry entries.
//!
//! An entry holds the functions that make its kernel, its dependencies, the computation of its matrices in a search,
//! and its explicit features. No code outside an entry's own file compares its name.

use super::blocks::{Blocks, Place};
use super::by_columns::{ByColumns, Decompose};
use super::change::FitChange;
use super::columns::{Field, Scope};
use super::features::{FeatureTable, MakeMap, Mapping, VectorMap};
use super::tree::{Call, Expression};
use crate::data::{Dataset, Dense, Kind};
use crate::distance::{Distance, NegativeSquaredDistance};
use crate::error::Result;
use crate::kernel::node::Family;
use crate::kernel::relevance::Difference;
use crate::kernel::{Boxed, Declared, Facts, Kernel, Settings};

/// What the value of a kernel for two objects depends on besides these two.
///
/// It determines what is computed once for all splits and what is fitted to the training objects of each. An entry that
/// declares too little would leak test objects into training; the law tests check every entry for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Depends {
    /// On nothing else: the value is independent of the other objects.
    Objects,
    /// On the whole graph whose nodes they are: transductive, although nothing is fitted.
    Graph,
    /// On the training objects.
    Training,
    /// On the training objects and their target.
    Target,
    /// On all objects, including those to be predicted: transductive.
    AllObjects,
}

impl Depends {
    /// Whether something is fitted to training objects: a search fits it on every split.
    pub fn is_fitted(self) -> bool {
        self >= Depends::Training
    }

    /// Whether values depend on the objects to be predicted: results then hold for these objects only.
    pub fn is_transductive(self) -> bool {
        matches!(self, Depends::Graph | Depends::AllObjects)
    }

    /// The name in messages and lists.
    pub fn name(self) -> &'static str {
        match self {
            Depends::Objects => "objects",
            Depends::Graph => "the graph of the nodes",
            Depends::Training => "training objects",
            Depends::Target => "training objects and target",
            Depends::AllObjects => "all objects",
        }
    }
}

/// A row of the registry: a kernel, a distance or a wrapper.
///
/// ```
/// use mercer::expression::{Depends, find};
/// let center = find("center").unwrap();
/// assert_eq!((center.arity(), center.depends()), (1, Depends::Training));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its documentation.
    pub facts: &'static Facts,
    make: Make,
    wraps: Wraps,
    is_distance: bool,
    depends: Depends,
    depends_on: Option<fn(&Call) -> Depends>,
    keeps_training: bool,
    has_logarithms: bool,
    pub(super) prepares: bool,
    pub(super) way: fn(&Call) -> Way,
    pub(super) map: Option<Mapping>,
    pub(super) asks_for_features: bool,
    pub(super) approximates: Option<fn(&Call) -> Option<Expression>>,
    pub(super) steps: Option<&'static str>,
    pub(super) rounds: Option<Rounds>,
    libsvm: Option<&'static str>,
    pub(super) difference: Option<Difference>,
    pub(super) derivative: Option<Derivative>,
    kept: &'static [&'static str],
    pub(super) family: Option<ReadFamily>,
    pub(super) by_columns: Option<ByColumns>,
}

/// Makes a kernel from its parameters, its columns and the training objects.
pub type Make = fn(&Call, &Scope<'_>) -> Result<Boxed<Dataset>>;

/// Computes the matrices of a wrapper from those of the kernels inside.
pub(super) type FromInside = fn(&Call, &Place<'_>) -> Result<Blocks>;

/// Takes the settings that define the family of a kernel between nodes.
pub(super) type ReadFamily = fn(&mut Settings<'_>) -> Result<Family>;

/// Passes the matrix after each round to a function.
type EachRound = fn(&Call, &Scope<'_>, &mut dyn FnMut(usize, &Dense)) -> Result<()>;

/// The number of kernels an entry wraps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wraps {
    None,
    One,
    OneOrMore,
}

/// How a search computes the matrices of an entry.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
    /// By its kernel: once over all objects if it depends on nothing else, otherwise fitted to the training objects of
    /// each split.
    Kernel,
    /// exp(-gamma·D), with the matrix D of this kernel shared by every gamma.
    Gaussian(Make),
    /// On columns transformed by a change fitted to the training objects.
    Changed(FitChange),
    /// From the matrices of the kernels inside.
    Inside(FromInside),
}

/// Known derivatives by the parameters. Those of entries with [`Way::Gaussian`] follow from their distances.
#[derive(Clone, Copy, Debug)]
pub(super) enum Derivative {
    /// exp(-gamma·|x - y|₁).
    Laplacian,
    /// (1 + gamma·|x - y|² / alpha)^-alpha.
    RationalQuadratic,
    /// (gamma·x·y + c)^degree.
    Polynomial,
    /// A function of the similarities of two objects to each other and to themselves by the kernel inside.
    OfInside(InsidePairs),
}

/// Functions of k = k(x, y), a = k(x, x) and b = k(y, y).
#[derive(Clone, Copy, Debug)]
pub(super) enum InsidePairs {
    /// k / √(a·b).
    Normalized,
    /// k / (a + b - k).
    Tanimoto,
    /// 2·k / (a + b).
    Dice,
    /// exp(-gamma·(a + b - 2·k)).
    Gaussian,
}

/// A parameter whose smaller values are intermediate results of the computation for a larger one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounds {
    pub(super) parameter: &'static str,
    pub(super) each: EachRound,
}

impl Entry {
    const fn new(facts: &'static Facts, make: Make, wraps: Wraps) -> Entry {
        Entry {
            facts,
            make,
            wraps,
            is_distance: false,
            depends: Depends::Objects,
            depends_on: None,
            keeps_training: false,
            has_logarithms: false,
            prepares: false,
            way: |_| Way::Kernel,
            map: None,
            asks_for_features: false,
            approximates: None,
            steps: None,
            rounds: None,
            libsvm: None,
            difference: None,
            derivative: None,
            kept: &[],
            family: None,
            by_columns: None,
        }
    }

    /// A kernel, made from its parameters and columns.
    pub const fn kernel(facts: &'static Facts, make: Make) -> Entry {
        Entry::new(facts, make, Wraps::None)
    }

    /// A kernel on objects of type `X`, made from the settings of the parameters that its facts declare.
    ///
    /// ```
    /// use mercer::data::Vectors;
    /// use mercer::expression::Entry;
    /// use mercer::kernel::vector::Rbf;
    /// assert_eq!(Entry::of::<Vectors, Rbf>().facts.name, "rbf");
    /// ```
    pub const fn of<X, K>() -> Entry
    where
        X: Field + ?Sized + 'static,
        K: Declared + Kernel<X> + 'static,
        K::Prepared: 'static,
    {
        Entry::kernel(K::FACTS, |call, scope| scope.on::<X, K>(call, scope.declared(call)?))
    }

    /// A distance d between objects of type `X`, made from the settings of the parameters that its facts declare.
    pub const fn distance_of<X, D>() -> Entry
    where
        X: Field + ?Sized + 'static,
        D: Declared + Distance<X> + 'static,
        D::Prepared: 'static,
    {
        Entry::distance(D::FACTS, |call, scope| {
            scope.on::<X, _>(call, NegativeSquaredDistance(scope.declared::<D>(call)?))
        })
    }

    /// A distance d, representing the kernel -d²/2 that `make` makes.
    pub const fn distance(facts: &'static Facts, make: Make) -> Entry {
        Entry { is_distance: true, ..Entry::new(facts, make, Wraps::None) }
    }

    /// A wrapper of one kernel.
    pub const fn wrapper(facts: &'static Facts, make: Make) -> Entry {
        Entry::new(facts, make, Wraps::One)
    }

    /// A combination of one or more kernels.
    pub const fn joining(facts: &'static Facts, make: Make) -> Entry {
        Entry::new(facts, make, Wraps::OneOrMore)
    }

    /// The same, for values that depend on more than their two objects.
    #[must_use]
    pub const fn depending(self, depends: Depends) -> Entry {
        Entry { depends, ..self }
    }

    /// The same, for dependencies determined by parameters.
    #[must_use]
    pub(super) const fn depending_on(self, depends: fn(&Call) -> Depends) -> Entry {
        Entry { depends_on: Some(depends), ..self }
    }

    /// The same, for a kernel that compares new objects with all training objects, so that models store them all.
    #[must_use]
    pub const fn keeping_training(self) -> Entry {
        Entry { keeps_training: true, ..self }
    }

    /// The same, for a kernel with [`log_fill`](crate::kernel::Kernel::log_fill), because values may overflow.
    #[must_use]
    pub const fn with_logarithms(self) -> Entry {
        Entry { has_logarithms: true, ..self }
    }

    /// The same, for a wrapper that scales or completes values and does not change what is compared: outlines leave it out.
    #[must_use]
    pub const fn preparing(self) -> Entry {
        Entry { prepares: true, ..self }
    }

    pub(super) const fn by(self, way: fn(&Call) -> Way) -> Entry {
        Entry { way, ..self }
    }

    /// The same, with explicit features of vectors.
    pub(super) const fn mapping(self, map: VectorMap) -> Entry {
        Entry { map: Some(Mapping::Vectors(map)), ..self }
    }

    /// The same, with explicit features that depend on the objects or on the kernel inside.
    pub(super) const fn with_features(self, table: fn(&Call, &Scope<'_>) -> Result<FeatureTable>) -> Entry {
        Entry { map: Some(Mapping::Table(table)), ..self }
    }

    /// The same, with the explicit features of the kernel inside, of which some terms may have none.
    pub(super) const fn with_inner_features(
        self,
        table: fn(&Call, &Scope<'_>) -> Result<FeatureTable>,
    ) -> Entry {
        Entry { map: Some(Mapping::Inner(table)), ..self }
    }

    /// The same, with explicit features of a fixed number, whose map may be fitted.
    pub(super) const fn with_map(self, map: MakeMap) -> Entry {
        Entry { map: Some(Mapping::Fixed(map)), ..self }
    }

    /// The same, for an entry that requests explicit features, which learners use if they can.
    pub(super) const fn asking_for_features(self) -> Entry {
        Entry { asks_for_features: true, ..self }
    }

    /// The same, for an approximation, with the exact kernel.
    pub(super) const fn approximating(self, exact: fn(&Call) -> Option<Expression>) -> Entry {
        Entry { approximates: Some(exact), ..self }
    }

    /// The same, with the parameter that gives the number of applications of one expensive matrix.
    pub(super) const fn with_steps(self, parameter: &'static str) -> Entry {
        Entry { steps: Some(parameter), ..self }
    }

    pub(super) const fn with_rounds(self, rounds: Rounds) -> Entry {
        Entry { rounds: Some(rounds), ..self }
    }

    /// The same, for a kernel between nodes, with its family.
    pub(super) const fn of_family(self, family: ReadFamily) -> Entry {
        Entry { family: Some(family), ..self }
    }

    /// The same, for a kernel of the weighted sum of these differences of coordinates.
    pub(super) const fn of_differences(self, difference: Difference) -> Entry {
        Entry { difference: Some(difference), ..self }
    }

    /// The same, with known derivatives of its values by its parameters.
    pub(super) const fn with_derivative(self, derivative: Derivative) -> Entry {
        Entry { derivative: Some(derivative), ..self }
    }

    /// The same, with continuous parameters that are never learned, because values are no smooth function of them.
    pub(super) const fn keeping(self, kept: &'static [&'static str]) -> Entry {
        Entry { kept, ..self }
    }

    /// The same, with its name in LIBSVM model files.
    pub(super) const fn known_to_libsvm_as(self, name: &'static str) -> Entry {
        Entry { libsvm: Some(name), ..self }
    }

    /// The same, for a kernel that is the sum of its kernels on single columns, each of which may be one coordinate of a column
    /// of vectors. Shapley values of columns are exact and cheap then.
    #[must_use]
    pub const fn summing_columns(self) -> Entry {
        Entry { by_columns: Some(ByColumns::Sum), ..self }
    }

    /// The same, for the mean of its kernels on single columns.
    #[must_use]
    pub const fn averaging_columns(self) -> Entry {
        Entry { by_columns: Some(ByColumns::Mean), ..self }
    }

    /// The same, for the product of its kernels on single columns.
    #[must_use]
    pub const fn multiplying_columns(self) -> Entry {
        Entry { by_columns: Some(ByColumns::Product), ..self }
    }

    /// The same, for a kernel that is 1 for all objects.
    pub(super) const fn being_one(self) -> Entry {
        Entry { by_columns: Some(ByColumns::One), ..self }
    }

    /// The same, with a function that takes the kernel apart by columns.
    pub(super) const fn by_columns(self, decompose: Decompose) -> Entry {
        Entry { by_columns: Some(ByColumns::By(decompose)), ..self }
    }

    /// Whether Shapley values of columns may be exact in polynomial time, depending on the kernels inside.
    ///
    /// ```
    /// use mercer::expression::find;
    /// assert!(find("rbf").unwrap().is_known_by_columns());
    /// assert!(!find("sigmoid").unwrap().is_known_by_columns());
    /// ```
    pub fn is_known_by_columns(&self) -> bool {
        self.by_columns.is_some()
    }

    /// Whether a parameter is never learned.
    pub(super) fn is_kept(&self, parameter: &str) -> bool {
        self.kept.contains(&parameter)
    }

    /// The number of kernels it wraps; the minimum if [`Entry::takes_more`].
    pub fn arity(&self) -> usize {
        match self.wraps {
            Wraps::None => 0,
            Wraps::One | Wraps::OneOrMore => 1,
        }
    }

    /// Whether it may wrap more kernels than its arity.
    pub fn takes_more(&self) -> bool {
        self.wraps == Wraps::OneOrMore
    }

    /// Whether the kernels inside compare the attributes of all nodes of a graph, not columns of the objects.
    pub(super) fn takes_attributes(&self) -> bool {
        self.arity() > 0 && self.facts.kinds == [Kind::Nodes]
    }

    /// Whether it is a distance d, representing the kernel -d²/2.
    pub fn is_distance(&self) -> bool {
        self.is_distance
    }

    /// What its values depend on for all parameters; some parameters may add dependencies: [`Call::depends`].
    pub fn depends(&self) -> Depends {
        self.depends
    }

    /// Whether its kernel compares new objects with all training objects.
    pub(super) fn keeps(&self) -> bool {
        self.keeps_training
    }

    /// Whether its kernel can compute logarithms of its values.
    pub(super) fn has_logarithms(&self) -> bool {
        self.has_logarithms
    }

    /// Its name in LIBSVM model files, if it has one.
    pub(crate) fn libsvm(&self) -> Option<&'static str> {
        self.libsvm
    }

    /// Whether the entry takes precomputed similarities.
    pub(super) fn is_precomputed(&self) -> bool {
        self.facts.kinds == [Kind::Precomputed]
    }

    pub(super) fn make(&self, call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
        (self.make)(call, scope)
    }
}

impl Call {
    /// What the values of this use of an entry depend on, not counting the kernels inside it.
    pub fn depends(&self) -> Depends {
        let own = self.entry.depends_on.map_or(self.entry.depends, |depends| depends(self));
        // A word in place of a number, such as gamma=scale, is resolved by the training objects.
        match super::gamma::word_of(self) {
            Some(_) => own.max(Depends::Training),
            None => own,
        }
    }
}

impl Expression {
    /// What its values depend on besides their two objects: the strongest dependency of its parts.
    ///
    /// ```
    /// use mercer::expression::{Depends, Expression};
    /// let depends = |text: &str| text.parse::<Expression>().map(|e| e.depends());
    /// assert_eq!(depends("wl(h=3) + linear")?, Depends::Objects);
    /// assert_eq!(depends("standardize(rbf(gamma=1))")?, Depends::Training);
    /// assert_eq!(depends("walk(linear, p=2, through=all)")?, Depends::AllObjects);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn depends(&self) -> Depends {
        let of = |parts: &[Expression]| parts.iter().map(Self::depends).max().unwrap_or(Depends::Objects);
        match self {
            Expression::Sum(parts) | Expression::Product(parts) => of(parts),
            Expression::Scale(_, inner) | Expression::Group(inner, _) => inner.depends(),
            Expression::Call(call) => call.depends().max(of(&call.inner)),
        }
    }
}
