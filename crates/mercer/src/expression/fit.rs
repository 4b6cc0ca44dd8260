//! Makes kernels over a data set from expressions.

use std::cell::{Cell, RefCell};
use std::collections::{HashSet, VecDeque};

use super::columns::Scope;
use super::scaling::Scaling;
use super::step::Step;
use super::tree::Expression;
use crate::data::Dataset;
use crate::error::{Error, Result, Warning};
use crate::gram::Engine;
use crate::kernel::combine::{Product, Scale, Sum};
use crate::kernel::{Boxed, Kernel};

/// A kernel ready to compare objects, with the warnings and steps of its fit.
#[derive(Debug)]
pub struct Fitted {
    /// The kernel.
    pub kernel: Boxed<Dataset>,
    /// Warnings, such as constant columns under scaling.
    pub warnings: Vec<Warning>,
    /// What was fitted, in the order of the expression; [`Expression::restore`] makes the same kernel from it.
    pub steps: Vec<Step>,
}

impl Fitted {
    /// Whether the kernel was fitted to every object it can compare, including those to be predicted: results then hold
    /// for these objects only, and must say so wherever they are shown.
    ///
    /// ```
    /// use mercer::{data::{Dataset, Dense}, expression::Expression, gram::Engine};
    /// let data = Dataset::of_vectors(Dense::from_rows(&[[1.0], [2.0], [4.0]]));
    /// let fit = |text: &str| text.parse::<Expression>()?.fit(&data, &Engine::new());
    /// assert!(fit("normalize(walk(rbf, p=3, through=all))")?.is_transductive());
    /// assert!(!fit("normalize(walk(rbf, p=3, through=train))")?.is_transductive());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn is_transductive(&self) -> bool {
        self.kernel.is_transductive()
    }
}

impl Expression {
    /// Makes the kernel; fits scaling, centring, repair and the like to the training objects.
    ///
    /// Columns are resolved here: a kernel without `@` takes every column of `training` of a suitable type.
    ///
    /// ```
    /// use mercer::{data::{Dataset, Dense}, expression::Expression, gram::Engine};
    /// let data = Dataset::of_vectors(Dense::from_rows(&[[5.9, 3.0], [6.9, 3.1]]));
    /// let engine = Engine::new();
    /// let kernel = "center(linear)".parse::<Expression>()?.fit(&data, &engine)?.kernel;
    /// let k = engine.gram(&kernel, &data)?;
    /// assert!((k.at(0, 0) + k.at(0, 1)).abs() < 1e-12);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn fit(&self, training: &Dataset, engine: &Engine) -> Result<Fitted> {
        engine.budget().enter(|| self.walk(training, Fit::new(engine, None)))
    }

    /// Makes the kernel again from the steps that a fit recorded, without fitting anything.
    ///
    /// `training` holds the stored training objects: all of them, in the same order, if [`Expression::needs_training`];
    /// otherwise any of them, even none. It must have the columns the expression used, in the same order; others are
    /// not needed. Steps that do not match the expression are refused.
    ///
    /// The values are bit-identical to those of the fitted kernel. The only computation is the preparation of the
    /// stored objects.
    pub fn restore(&self, training: &Dataset, steps: Vec<Step>, engine: &Engine) -> Result<Fitted> {
        engine.budget().enter(|| self.walk(training, Fit::new(engine, Some(steps))))
    }

    fn walk(&self, training: &Dataset, fit: Fit<'_>) -> Result<Fitted> {
        self.check_depth()?;
        let kernel = fit.kernel(self, &Scope { fit: &fit, data: training, columns: None })?;
        if fit.replay.is_some_and(|left| left.into_inner().next().is_some()) {
            return Err(Error::usage("more stored steps than the expression has"));
        }
        Ok(Fitted { kernel, warnings: fit.warnings.into_inner(), steps: fit.steps.into_inner() })
    }

    /// Whether its kernel compares new objects with all training objects, as `center` and `repair` do: a model must
    /// then store them all.
    ///
    /// ```
    /// # use mercer::expression::Expression;
    /// assert!("rbf(gamma=1) + center(linear)".parse::<Expression>()?.needs_training());
    /// assert!(!"standardize(rbf(gamma=1))".parse::<Expression>()?.needs_training());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn needs_training(&self) -> bool {
        match self {
            Expression::Sum(parts) | Expression::Product(parts) => parts.iter().any(Self::needs_training),
            Expression::Scale(_, inner) | Expression::Group(inner, _) => inner.needs_training(),
            Expression::Call(call) => call.entry.keeps() || call.inner.iter().any(Expression::needs_training),
        }
    }

    /// The columns it uses in such data.
    pub fn columns_used(&self, data: &Dataset) -> Result<Vec<String>> {
        self.columns_used_within(data, None)
    }

    /// The same, with the columns of an enclosing `@` for parts that name none.
    pub(super) fn columns_used_within(
        &self,
        data: &Dataset,
        named: Option<&[String]>,
    ) -> Result<Vec<String>> {
        let (mut used, mut seen) = (Vec::new(), HashSet::new());
        self.collect_used(data, named, &mut |name| {
            if seen.insert(name.clone()) {
                used.push(name);
            }
        })?;
        Ok(used)
    }

    fn collect_used(
        &self,
        data: &Dataset,
        columns: Option<&[String]>,
        used: &mut dyn FnMut(String),
    ) -> Result<()> {
        match self {
            Expression::Sum(parts) | Expression::Product(parts) => {
                parts.iter().try_for_each(|e| e.collect_used(data, columns, used))
            }
            Expression::Scale(_, inner) => inner.collect_used(data, columns, used),
            Expression::Group(inner, own) => inner.collect_used(data, Some(own), used),
            Expression::Call(call) => {
                let columns = call.columns.as_deref().or(columns);
                if call.entry.facts.kinds.is_empty() {
                    return call.inner.iter().try_for_each(|e| e.collect_used(data, columns, used));
                }
                call.columns_among(data, columns)?.into_iter().for_each(used);
                Ok(())
            }
        }
    }
}

/// State shared while an expression is fitted.
pub(super) struct Fit<'a> {
    pub(super) engine: &'a Engine,
    warnings: RefCell<Vec<Warning>>,
    steps: RefCell<Vec<Step>>,
    /// The remaining steps of an earlier fit, when a kernel is restored.
    replay: Option<RefCell<std::vec::IntoIter<Step>>>,
    /// Number of kernels made so far.
    made: Cell<usize>,
    /// The scalings that the next uses of `relevance` take instead of learning their own.
    preset: RefCell<VecDeque<Scaling>>,
}

/// Maximum number of kernels of an expression: nested sums over columns multiply, so a text of a hundred characters
/// could require more work than anyone can wait for.
const MOST_KERNELS: usize = 1 << 20;

impl<'a> Fit<'a> {
    pub(super) fn new(engine: &'a Engine, replay: Option<Vec<Step>>) -> Self {
        let replay = replay.map(|steps| RefCell::new(steps.into_iter()));
        let (warnings, steps, preset) = (RefCell::default(), RefCell::default(), RefCell::default());
        Fit { engine, warnings, steps, replay, made: Cell::new(0), preset }
    }

    /// The next stored step; `None` when fitting.
    pub(super) fn stored(&self) -> Result<Option<Step>> {
        let Some(replay) = &self.replay else { return Ok(None) };
        let next = replay.borrow_mut().next();
        next.map(Some).ok_or_else(|| Error::usage("fewer stored steps than the expression has"))
    }

    /// The steps that are not restored yet.
    pub(super) fn left(&self) -> Option<Vec<Step>> {
        self.replay.as_ref().map(|replay| replay.borrow().as_slice().to_vec())
    }

    /// Whether wrappers are restored from stored steps; warnings were given when they were fitted.
    pub(super) fn restores(&self) -> bool {
        self.replay.is_some()
    }

    /// Records what a wrapper was fitted to, or restored from.
    pub(super) fn record(&self, step: Step) {
        self.steps.borrow_mut().push(step);
    }

    /// Sets what the next uses of `relevance` take, in their order.
    pub(super) fn preset(&self, scalings: Vec<Scaling>) {
        self.preset.borrow_mut().extend(scalings);
    }

    /// What the next use of `relevance` takes, if it is set.
    pub(super) fn next_preset(&self) -> Option<Scaling> {
        self.preset.borrow_mut().pop_front()
    }

    pub(super) fn warn(&self, warning: Warning) {
        self.warnings.borrow_mut().push(warning);
    }

    pub(super) fn kernel(&self, expression: &Expression, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
        self.made.set(self.made.get() + 1);
        if self.made.get() > MOST_KERNELS {
            return Err(Error::usage(format!("an expression of more than {MOST_KERNELS} kernels")));
        }
        match expression {
            Expression::Sum(terms) => self.fold(terms, scope, |a, b| Boxed::new(Sum(a, b))),
            Expression::Product(factors) => self.fold(factors, scope, |a, b| Boxed::new(Product(a, b))),
            Expression::Scale(factor, inner) => {
                let factor = factor.number().ok_or_else(|| {
                    Error::param("factor", factor, "one value: a range is for a search to choose from")
                })?;
                Ok(Boxed::new(Scale::new(factor, self.kernel(inner, scope)?)?))
            }
            Expression::Group(inner, columns) => {
                self.kernel(inner, &Scope { columns: Some(columns), ..*scope })
            }
            Expression::Call(call) => {
                let columns = call.columns.as_deref().or(scope.columns);
                call.entry.make(call, &Scope { columns, ..*scope })
            }
        }
    }

    fn fold(
        &self,
        parts: &[Expression],
        scope: &Scope<'_>,
        join: impl Fn(Boxed<Dataset>, Boxed<Dataset>) -> Boxed<Dataset>,
    ) -> Result<Boxed<Dataset>> {
        let kernels = parts.iter().map(|e| self.kernel(e, scope)).collect::<Result<Vec<_>>>()?;
        balanced(kernels, &join).ok_or_else(|| Error::usage("an empty sum or product of kernels"))
    }
}

/// Joins kernels in pairs, then the pairs, and so on, so that a long sum is not deeply nested.
pub(super) fn balanced<K>(mut kernels: Vec<K>, join: &dyn Fn(K, K) -> K) -> Option<K> {
    while kernels.len() > 1 {
        let mut next = Vec::with_capacity(kernels.len().div_ceil(2));
        let mut rest = kernels.into_iter();
        while let Some(first) = rest.next() {
            next.push(match rest.next() {
                Some(second) => join(first, second),
                None => first,
            });
        }
        kernels = next;
    }
    kernels.pop()
}
