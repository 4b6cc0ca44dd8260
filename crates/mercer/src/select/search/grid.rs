//! The configurations of a search: every kernel of an expression with ranges, combined with every learner.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::expression::{Expression, Learner, Value};
use crate::random::Random;

/// The maximum number of configurations in a grid.
const MOST: usize = 1_000_000;

/// All combinations of the values that an expression and a learner leave open.
///
/// Configurations are numbered by kernel, then by learner; the last range in the text varies fastest.
///
/// ```
/// use mercer::select::Grid;
/// let grid = Grid::new(&"rbf(gamma=2^-3..2^0)".parse()?, &"svc(C=[1, 10])".parse()?)?;
/// assert_eq!(grid.len(), 8);
/// assert_eq!(grid.describe(3), ("rbf(gamma=0.25)".to_owned(), "svc(C=10)".to_owned()));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Grid {
    kernels: Vec<Expression>,
    learners: Vec<Learner>,
    names: Vec<String>,
    values: Vec<Vec<Value>>,
}

/// The kernel that all learners are fitted with; as it is, if they differ in what they learn of it.
fn shared(kernel: Expression, learners: &[Learner]) -> Result<Expression> {
    let wanted = learners.iter().map(|l| Ok(l.with_kernel(&kernel)?.0)).collect::<Result<Vec<_>>>()?;
    match wanted.split_first() {
        Some((first, others)) if others.iter().all(|other| other == first) => Ok(first.clone()),
        _ => Ok(kernel),
    }
}

impl Grid {
    /// All configurations. Fails when there are more than a million. Learners that learn the kernel's numbers get it as
    /// [`Learner::with_kernel`] gives it.
    pub fn new(expression: &Expression, learner: &Learner) -> Result<Self> {
        let (expression, learner) = &learner.with_kernel(expression)?;
        let (of_kernel, of_learner) = (expression.choices(), learner.choices());
        let sizes = |choices: &[(String, Vec<Value>)]| choices.iter().map(|c| c.1.len()).collect::<Vec<_>>();
        let (kernel_sizes, learner_sizes) = (sizes(&of_kernel), sizes(&of_learner));
        let total = kernel_sizes.iter().chain(&learner_sizes).try_fold(1usize, |all, n| all.checked_mul(*n));
        if total.is_none_or(|total| total > MOST) {
            return Err(Error::usage(format!(
                "the grid has more than {MOST} configurations: narrow the ranges"
            )));
        }
        let kernels = combinations(&kernel_sizes).map(|p| expression.pick(&p)).collect::<Result<_>>()?;
        let learners = combinations(&learner_sizes).map(|p| learner.pick(&p)).collect::<Result<_>>()?;
        let (names, values) = of_kernel.into_iter().chain(of_learner).unzip();
        Ok(Grid { kernels, learners, names, values })
    }

    /// Every combination of the given kernels and learners. Such a grid has no parameter names.
    ///
    /// Kernels that differ in one number only share the most work when they are adjacent.
    ///
    /// ```
    /// use mercer::select::Grid;
    /// let grid = Grid::of(vec!["linear".parse()?, "rbf".parse()?], vec!["svc".parse()?])?;
    /// assert_eq!((grid.len(), grid.describe(1).0), (2, "rbf(gamma=1)".to_owned()));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn of(kernels: Vec<Expression>, learners: Vec<Learner>) -> Result<Self> {
        let open = kernels.iter().any(|k| !k.choices().is_empty());
        if open || learners.iter().any(|l| !l.choices().is_empty()) {
            return Err(Error::usage("a kernel or learner still has a range of values to choose from"));
        }
        if kernels.len().checked_mul(learners.len()).is_none_or(|total| total > MOST) {
            return Err(Error::usage(format!("the grid has more than {MOST} configurations")));
        }
        let kernels = kernels.into_iter().map(|kernel| shared(kernel, &learners)).collect::<Result<_>>()?;
        Ok(Grid { kernels, learners, names: Vec::new(), values: Vec::new() })
    }

    /// The number of configurations.
    pub fn len(&self) -> usize {
        self.kernels.len() * self.learners.len()
    }

    /// True when there are no configurations, which happens for an empty list of values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The kernels, in order.
    pub fn kernels(&self) -> &[Expression] {
        &self.kernels
    }

    /// The learners, in order.
    pub fn learners(&self) -> &[Learner] {
        &self.learners
    }

    /// The kernel of a configuration.
    pub fn kernel(&self, configuration: usize) -> &Expression {
        &self.kernels[configuration / self.learners.len()]
    }

    /// The learner of a configuration.
    pub fn learner(&self, configuration: usize) -> &Learner {
        &self.learners[configuration % self.learners.len()]
    }

    /// The kernel and the learner of a configuration as text.
    pub fn describe(&self, configuration: usize) -> (String, String) {
        (self.kernel(configuration).to_string(), self.learner(configuration).to_string())
    }

    /// The names of the searched parameters, the kernel's first.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The values of each searched parameter, in the order of the names.
    pub fn values(&self) -> &[Vec<Value>] {
        &self.values
    }

    /// The index of a configuration's value in the values of each parameter.
    pub fn position(&self, configuration: usize) -> Vec<usize> {
        let mut rest = configuration;
        let mut out: Vec<usize> = Vec::with_capacity(self.values.len());
        for values in self.values.iter().rev() {
            out.push(rest % values.len().max(1));
            rest /= values.len().max(1);
        }
        out.reverse();
        out
    }

    /// The parameters whose value in a configuration is the smallest or largest of several: a wider range may score
    /// higher.
    pub fn at_edge(&self, configuration: usize) -> Vec<&str> {
        let positions = self.position(configuration);
        let edge = |(at, values): (&usize, &Vec<Value>)| {
            let number = |v: &Value| if let Value::Number(n) = v { Some(*n) } else { None };
            let numbers = values.iter().map(number).collect::<Option<Vec<f64>>>();
            numbers
                .filter(|all| all.len() > 2)
                .is_some_and(|all| all.iter().all(|v| *v >= all[*at]) || all.iter().all(|v| *v <= all[*at]))
        };
        let edges = positions.iter().zip(&self.values).map(edge);
        self.names.iter().zip(edges).filter(|(_, e)| *e).map(|(name, _)| name.as_str()).collect()
    }

    /// This many configurations sampled without replacement, in ascending order; all if there are no more.
    pub fn sample(&self, count: usize, seed: u64) -> Vec<usize> {
        let mut all: Vec<usize> = (0..self.len()).collect();
        if count >= all.len() {
            return all;
        }
        let mut random = Random::new(seed);
        for at in 0..count {
            let other = at + random.below(all.len() - at);
            all.swap(at, other);
        }
        all.truncate(count);
        all.sort_unstable();
        all
    }

    /// Runs of consecutive kernels that share most of their work: those that differ only in the steps of a walk.
    pub(super) fn families(&self, wanted: &[usize]) -> Vec<Range<usize>> {
        let base = |at: usize| self.kernels[wanted[at]].without_steps();
        let mut out: Vec<Range<usize>> = Vec::new();
        for at in 0..wanted.len() {
            match out.last_mut() {
                Some(last) if base(last.start) == base(at) => last.end = at + 1,
                _ => out.push(at..at + 1),
            }
        }
        out
    }
}

/// Every combination of indices, the last varying fastest.
fn combinations(sizes: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    let total: usize = sizes.iter().product();
    let sizes = sizes.to_vec();
    (0..total).map(move |number| {
        let mut rest = number;
        let mut out: Vec<usize> = sizes
            .iter()
            .rev()
            .map(|&n| {
                let at = rest % n;
                rest /= n;
                at
            })
            .collect();
        out.reverse();
        out
    })
}
