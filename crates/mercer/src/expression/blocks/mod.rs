//! The matrices of expressions, for many training/test splits of one data set.
//!
//! A search needs the same kernel at many gammas, powers and splits. Each expression is compiled into a [`Plan`]. What
//! does not depend on a split (distances, the matrix of a kernel that is not fitted) is computed once for all objects,
//! and a split selects its entries. What is fitted (scaling, centring, walks) is fitted to the training objects of each
//! split only. One eigendecomposition serves every power of a walk, one distance matrix every gamma.
//!
//! Fitting each kernel to each split with [`Expression::fit`] would be simpler, and is the fallback for kernels without
//! a faster method; for a grid over gamma and the steps of a walk it would repeat most of the work. The law tests
//! compare both.

mod block;

pub use block::Blocks;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::columns::Scope;
use super::entry::{Depends, Make};
use super::fit::Fit;
use super::gamma;
use super::plan::{Node, Plan, What};
use super::tree::{Call, Expression};
use super::walks::Passed;
use crate::data::{Dataset, Dense};
use crate::error::{Error, Result};
use crate::gram::{BlockTransform, Engine};
use crate::kernel::Boxed;
use crate::numeric::math;

/// The matrices of expressions over one data set.
///
/// ```
/// use mercer::{data::{Dataset, Dense}, expression::{Expression, Matrices, Shared}, gram::Engine};
/// let data = Dataset::of_vectors(Dense::from_rows(&[[0.0], [1.0], [3.0]]));
/// let engine = Engine::new();
/// let mut matrices = Matrices::new(&data, &engine);
/// let grid: Expression = "walk(rbf(gamma=[0.1, 1]), p=1..3)".parse()?;
/// let one = grid.pick(&[1, 0])?;
/// matrices.prepare(std::slice::from_ref(&one))?;
/// let blocks = matrices.blocks(&one, &[0, 2], &[1], &mut Shared::default())?;
/// assert!((blocks.cross.at(0, 0) - (-1.0f64).exp()).abs() < 1e-15); // p = 1: the objects 0 and 1 themselves
/// # Ok::<(), mercer::Error>(())
/// ```
pub struct Matrices<'a> {
    data: &'a Dataset,
    engine: &'a Engine,
    /// Matrices over all objects, by the key of their node.
    whole: HashMap<u128, Arc<Dense>>,
    /// The keys of distances, which are kept for the next gammas.
    distances: HashSet<u128>,
}

/// State that expressions share within one split.
#[derive(Default)]
pub struct Shared {
    changed: HashMap<u128, Arc<Dataset>>,
    distances: HashMap<u128, Arc<Blocks>>,
    walks: HashMap<String, Arc<Passed>>,
}

/// A node of a plan on one split.
pub(super) struct Place<'p> {
    matrices: &'p Matrices<'p>,
    plan: &'p Plan,
    node: &'p Node,
    train: &'p [usize],
    test: &'p [usize],
    work: &'p Work,
}

/// State of the evaluation of one plan on one split.
#[derive(Default)]
struct Work {
    shared: RefCell<Shared>,
    /// The matrices of nodes that several others use.
    known: RefCell<HashMap<usize, Blocks>>,
}

impl<'a> Matrices<'a> {
    /// Matrices over these objects, without computing anything yet.
    pub fn new(data: &'a Dataset, engine: &'a Engine) -> Self {
        Matrices { data, engine, whole: HashMap::new(), distances: HashSet::new() }
    }

    /// Computes on all cores what these expressions need over all objects, and drops what only other expressions
    /// needed. Distances are kept for the next gammas.
    pub fn prepare(&mut self, expressions: &[Expression]) -> Result<()> {
        let plans = expressions.iter().map(|e| Plan::of(e, self.data)).collect::<Result<Vec<_>>>()?;
        // In the order of the expressions, so that every run reports the same first error.
        let (mut wanted, mut seen) = (Vec::new(), HashSet::new());
        wanted.extend(plans.iter().flat_map(Plan::shared).filter(|node| seen.insert(node.key)));
        self.whole.retain(|key, _| self.distances.contains(key) || seen.contains(key));
        self.prepare_rounds(&wanted)?;
        for node in wanted {
            if self.whole.contains_key(&node.key) {
                continue;
            }
            let gram = self.engine.gram(&self.fit(node, self.data)?, self.data)?;
            if matches!(node.what, What::Distances(..)) {
                self.distances.insert(node.key);
            }
            self.whole.insert(node.key, Arc::new(gram));
        }
        Ok(())
    }

    /// The matrices of kernels that differ only in a number of rounds: those of fewer rounds are intermediate results.
    fn prepare_rounds(&mut self, wanted: &[&Node]) -> Result<()> {
        let mut alike: HashMap<String, Vec<(&Node, &Call, usize)>> = HashMap::new();
        for node in wanted.iter().filter(|node| !self.whole.contains_key(&node.key)) {
            if let What::Kernel(Expression::Call(call)) = &node.what
                && let Some(rounds) = call.entry.rounds
            {
                let mut others = call.clone();
                others.place(rounds.parameter).into_iter().for_each(|at| others.settings[at] = 0.0.into());
                let key = format!("{others} {:?}", node.columns);
                let count = call.number(rounds.parameter)? as usize;
                alike.entry(key).or_default().push((node, call, count));
            }
        }
        for group in alike.into_values().filter(|group| group.len() > 1) {
            let Some((node, call, _)) = group.iter().max_by_key(|(_, _, count)| count) else { continue };
            let Some(rounds) = call.entry.rounds else { continue };
            let keys: HashMap<usize, u128> =
                group.iter().map(|(node, _, count)| (*count, node.key)).collect();
            let fit = Fit::new(self.engine, None);
            let scope = Scope { fit: &fit, data: self.data, columns: node.columns.as_deref() };
            let mut made = Vec::new();
            (rounds.each)(call, &scope, &mut |count, gram| {
                if let Some(key) = keys.get(&count) {
                    made.push((*key, Arc::new(gram.clone())));
                }
            })?;
            self.whole.extend(made);
        }
        Ok(())
    }

    /// The blocks of an expression without ranges for one split of the objects.
    ///
    /// `shared` is for all expressions of one split; another split needs a new one.
    pub fn blocks(
        &self,
        expression: &Expression,
        train: &[usize],
        test: &[usize],
        shared: &mut Shared,
    ) -> Result<Blocks> {
        let plan = Plan::of(expression, self.data)?;
        let work = Work { shared: RefCell::new(std::mem::take(shared)), ..Work::default() };
        let node = plan.node(plan.root());
        let blocks = Place { matrices: self, plan: &plan, node, train, test, work: &work }.evaluate();
        *shared = work.shared.into_inner();
        blocks
    }

    /// The kernel of a node, fitted to these objects.
    fn fit(&self, node: &Node, data: &Dataset) -> Result<Boxed<Dataset>> {
        let fit = Fit::new(self.engine, None);
        let scope = Scope { fit: &fit, data, columns: node.columns.as_deref() };
        match &node.what {
            What::Kernel(expression) => fit.kernel(expression, &scope),
            What::Distances(call, make) => (*make as Make)(call, &scope),
            _ => Err(Error::usage("a node that is not a kernel")),
        }
    }
}

impl Place<'_> {
    /// The engine that computes matrices.
    pub(super) fn engine(&self) -> &Engine {
        self.matrices.engine
    }

    /// The training objects of the split, by their indices in the data.
    pub(super) fn train(&self) -> &[usize] {
        self.train
    }

    /// The selected columns.
    pub(super) fn columns(&self) -> Option<&[String]> {
        self.node.columns.as_deref()
    }

    fn inputs(&self) -> &[usize] {
        match &self.node.what {
            What::Inside(_, _, inputs) => inputs,
            _ => &[],
        }
    }

    /// The number of kernels inside.
    pub(super) fn count(&self) -> usize {
        self.inputs().len()
    }

    fn at(&self, node: usize) -> Place<'_> {
        Place { node: self.plan.node(node), ..*self }
    }

    /// The matrices of a kernel inside.
    pub(super) fn inside(&self, at: usize) -> Result<Blocks> {
        let input = self.inputs().get(at).ok_or_else(|| Error::usage("a wrapper without its kernel"))?;
        self.node_at(*input)
    }

    /// The matrices of the kernel inside, transformed by what `fit` makes of the training block.
    pub(super) fn transformed<T: BlockTransform>(
        &self,
        fit: impl FnOnce(&Dense) -> Result<T>,
    ) -> Result<Blocks> {
        let mut blocks = self.inside(0)?;
        let transform = fit(&blocks.train)?;
        let known = transform.of_gram(&blocks.train).map_err(|e| numbered_in(self.train, e))?;
        let new = transform.of_block(&blocks.cross, &blocks.own).map_err(|e| numbered_in(self.test, e))?;
        transform.gram(&known, &mut blocks.train);
        transform.block(&new, &known, blocks.cross.values_mut());
        transform.diagonal(&new, &mut blocks.own);
        Ok(blocks)
    }

    /// The matrix of a kernel inside among training and test objects together, in this order.
    pub(super) fn among_all(&self, at: usize) -> Result<Dense> {
        let input = *self.inputs().get(at).ok_or_else(|| Error::usage("a wrapper without its kernel"))?;
        let together: Vec<usize> = self.train.iter().chain(self.test).copied().collect();
        let mut shared = Shared::default();
        // Columns transformed by outer wrappers stay as they are; inner transformations are fitted to all objects.
        if let Some(changed) = self.node.changed {
            shared.changed.insert(self.plan.node(changed).key, self.changed_data(changed)?);
        }
        let work = Work { shared: RefCell::new(shared), ..Work::default() };
        let node = self.plan.node(input);
        let place = Place { node, train: &together, test: &[], work: &work, ..*self };
        place.evaluate().map(|blocks| blocks.train)
    }

    /// The decomposition of a walk over a kernel inside, computed once for all numbers of steps.
    pub(super) fn passed(&self, how: &str, make: impl FnOnce() -> Result<Passed>) -> Result<Arc<Passed>> {
        let of = self.inputs().first().map(|&input| self.plan.node(input).key);
        let key = format!("{how} {of:?}");
        if let Some(known) = self.work.shared.borrow().walks.get(&key) {
            return Ok(known.clone());
        }
        let made = Arc::new(make()?);
        let mut shared = self.work.shared.borrow_mut();
        // Grids iterate over the powers first, so decompositions of other bases are not needed again.
        shared.walks.clear();
        shared.walks.insert(key, made.clone());
        Ok(made)
    }

    /// The training objects with the columns of this node.
    pub(super) fn training(&self) -> Result<Dataset> {
        Ok(match self.node.changed {
            Some(changed) => self.changed_data(changed)?.select(&(0..self.train.len()).collect::<Vec<_>>()),
            None => self.matrices.data.select(self.train),
        })
    }

    /// Training then test objects with the columns of this node.
    fn local(&self) -> Result<Arc<Dataset>> {
        match self.node.changed {
            Some(changed) => self.changed_data(changed),
            None => {
                let rows: Vec<usize> = self.train.iter().chain(self.test).copied().collect();
                Ok(Arc::new(self.matrices.data.select(&rows)))
            }
        }
    }

    /// Training then test objects with columns transformed by a change fitted to the training objects.
    fn changed_data(&self, at: usize) -> Result<Arc<Dataset>> {
        let place = self.at(at);
        if let Some(known) = self.work.shared.borrow().changed.get(&place.node.key) {
            return Ok(known.clone());
        }
        let What::Changed(call, fit, used) = &place.node.what else {
            return Err(Error::usage("a node that does not transform columns"));
        };
        let local = place.local()?;
        let data = Arc::new(fit(call, &place.training()?, used)?.0.apply(&local)?);
        self.work.shared.borrow_mut().changed.insert(place.node.key, data.clone());
        Ok(data)
    }

    fn node_at(&self, at: usize) -> Result<Blocks> {
        let place = self.at(at);
        // Entries of a matrix over all objects are cheap to select again.
        if place.node.uses < 2 || place.whole().is_some() {
            return place.evaluate();
        }
        if let Some(known) = self.work.known.borrow().get(&at) {
            return Ok(known.clone());
        }
        let blocks = place.evaluate()?;
        self.work.known.borrow_mut().insert(at, blocks.clone());
        Ok(blocks)
    }

    /// The matrix of this node over all objects, if it was computed.
    fn whole(&self) -> Option<&Dense> {
        self.matrices.whole.get(&self.node.key).map(Arc::as_ref)
    }

    fn evaluate(&self) -> Result<Blocks> {
        match &self.node.what {
            What::Sum(inputs) => self.fold(inputs, |a, b| a + b),
            What::Product(inputs) => self.fold(inputs, |a, b| a * b),
            What::Scale(factor, input) => {
                let mut blocks = self.node_at(*input)?;
                blocks.map(|v| factor * v);
                Ok(blocks)
            }
            What::Kernel(expression) => self.kernel(expression),
            What::Distances(..) => self.computed(),
            What::Gaussian(call, distances) => self.gaussian(call, *distances),
            What::Inside(call, from, _) => from(call, self),
            What::Changed(..) => Err(Error::usage("columns in place of a matrix")),
        }
    }

    fn fold(&self, inputs: &[usize], join: fn(f64, f64) -> f64) -> Result<Blocks> {
        let (first, rest) =
            inputs.split_first().ok_or_else(|| Error::usage("an empty sum or product of kernels"))?;
        let mut all = self.node_at(*first)?;
        for &input in rest {
            all.join(&self.node_at(input)?, join);
        }
        Ok(all)
    }

    /// A whole kernel: fitted to the training objects if it depends on them.
    fn kernel(&self, expression: &Expression) -> Result<Blocks> {
        if !expression.is_fitted() {
            return self.computed();
        }
        let (n, local) = (self.train.len(), self.local()?);
        let (training, test): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (n..local.len()).collect());
        // A kernel on nodes knows the whole graph too, but what is fitted inside it is fitted to the training objects.
        if expression.depends() == Depends::AllObjects {
            let kernel = self.matrices.fit(self.node, &local)?;
            let whole = self.engine().gram(&kernel, &*local)?;
            return Ok(Blocks::cut(&whole, &training, &test));
        }
        let known = local.select(&training);
        let kernel = self.matrices.fit(self.node, &known)?;
        Blocks::compute(&kernel, &known, &local.select(&test), self.engine())
    }

    /// A kernel without other dependencies: entries of its matrix over all objects, or computed on transformed columns.
    fn computed(&self) -> Result<Blocks> {
        if let Some(whole) = self.whole() {
            return Ok(Blocks::cut(whole, self.train, self.test));
        }
        let pick = |data: &Dataset, train: &[usize], test: &[usize], kernel: &Boxed<Dataset>| {
            Blocks::compute(kernel, &data.select(train), &data.select(test), self.engine())
        };
        match self.node.changed {
            Some(changed) => {
                let data = self.changed_data(changed)?;
                let n = self.train.len();
                let (train, test): (Vec<usize>, Vec<usize>) = ((0..n).collect(), (n..data.len()).collect());
                pick(&data, &train, &test, &self.matrices.fit(self.node, &data)?)
            }
            None => {
                let data = self.matrices.data;
                pick(data, self.train, self.test, &self.matrices.fit(self.node, data)?)
            }
        }
    }

    /// exp(-gamma·D) with the distances shared by all gammas.
    fn gaussian(&self, call: &Call, distances: usize) -> Result<Blocks> {
        let place = self.at(distances);
        let known = self.work.shared.borrow().distances.get(&place.node.key).cloned();
        let distances = match known {
            Some(known) => known,
            None => {
                let blocks = Arc::new(place.evaluate()?);
                self.work.shared.borrow_mut().distances.insert(place.node.key, blocks.clone());
                blocks
            }
        };
        let gamma = self.gamma(call)?;
        let mut blocks = (*distances).clone();
        for values in [blocks.train.values_mut(), blocks.cross.values_mut(), &mut blocks.own] {
            math::vectorised(
                #[inline(always)]
                || values.iter_mut().for_each(|v| *v = math::exp(-gamma * *v)),
            );
        }
        Ok(blocks)
    }

    /// The given gamma, or the one computed from the training objects of the split.
    fn gamma(&self, call: &Call) -> Result<f64> {
        let Some(word) = gamma::word_of(call) else { return call.number("gamma") };
        let training = self.training()?;
        gamma::of_columns(word, &training, &call.columns_among(&training, self.columns())?)
    }
}

/// Errors give the index of the object in the data, not in the split.
fn numbered_in(rows: &[usize], error: Error) -> Error {
    match error {
        Error::Object { index, reason, hint } => {
            Error::Object { index: rows.get(index).copied().unwrap_or(index), reason, hint }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests;
