//! The Gram matrix of an expression as a function of its learned numbers, and its derivatives.
//!
//! Values go up the tree, derivatives of the likelihood by the entries of each matrix come down it. What depends on no
//! learned number is computed once. Kernels without known derivatives are computed again, and differ by central
//! differences.

use std::sync::Arc;

use super::super::change::Change;
use super::super::columns::{Scope, inner_of};
use super::super::entry::{Derivative, Way};
use super::super::fit::Fit;
use super::super::relevance;
use super::super::scaling::Scaling;
use super::super::tree::{Call, Expression};
use super::marked::{Learnable, Marked, Moves, Slot};
use crate::data::{Dataset, Dense, Vectors};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::kernel::Boxed;
use crate::kernel::relevance::Difference;
use crate::kernel::vector::{Linear, SquaredDistance};
use crate::learn::{Covariance, entrywise};
use crate::parallel;

/// Half the step of differences, of the logarithm or the odds.
const STEP: f64 = 1e-4;
/// Numbers with derivatives move within these factors of their start, others within fewer.
const WIDE: f64 = 1e8;
const NARROW: f64 = 1e3;

/// A learned number with its start.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) moves: Moves,
    pub(super) start: f64,
    /// Whether it decides how fast similarity falls: other starts differ in these.
    pub(super) is_width: bool,
    pub(super) bounds: (f64, f64),
}

/// The weights of coordinates of one `relevance`.
#[derive(Clone, Debug)]
pub(super) struct Weighed {
    scaling: Scaling,
    first: usize,
    count: usize,
    difference: Difference,
}

impl Weighed {
    /// The scaling with these values.
    pub(super) fn scaling(&self, values: &[f64]) -> Scaling {
        let own = &values[self.first..self.first + self.count];
        let factors: Vec<f64> = own.iter().map(|&w| self.difference.factor(w)).collect();
        self.scaling.clone().weighted(&factors)
    }
}

/// The Gram matrix of some objects by the learned numbers.
pub(super) struct Tree<'a> {
    root: Node,
    pub(super) parameters: Vec<Parameter>,
    pub(super) weighed: Vec<Weighed>,
    values: Vec<f64>,
    engine: &'a Engine,
}

struct Node {
    form: Form,
    /// The last matrix.
    value: Dense,
}

enum Form {
    Fixed,
    Sum(Vec<Node>),
    Product(Vec<Node>),
    Scale(Slot, Box<Node>),
    /// A function of distances that do not change.
    OfDistances(Dense, Falls),
    /// A function of a weighted sum of the differences of coordinates.
    OfDifferences {
        x: Dense,
        difference: Difference,
        first: usize,
        falls: Falls,
    },
    /// (γ·⟨x, y⟩ + c)^degree.
    Polynomial {
        products: Dense,
        gamma: Slot,
        c: Slot,
        degree: i32,
    },
    /// A function of k(x, y), k(x, x) and k(y, y) of the kernel inside.
    OfInside(Pairs, Box<Node>),
    /// Computed again for other numbers.
    Again {
        marked: Box<Marked>,
        columns: Option<Vec<String>>,
        fitted: Arc<Dataset>,
        objects: Arc<Dataset>,
    },
}

/// How similarity falls with distance.
#[derive(Clone, Copy, Debug)]
enum Falls {
    /// exp(-γ·D).
    Exponentially { gamma: Slot },
    /// (1 + γ·D / α)^-α.
    ByPower { gamma: Slot, alpha: Slot },
}

/// A similarity by k = k(x, y), a = k(x, x) and b = k(y, y).
#[derive(Clone, Copy, Debug)]
enum Pairs {
    /// k / √(a·b).
    Normalized,
    /// k / (a + b - k).
    Tanimoto,
    /// 2·k / (a + b).
    Dice,
    /// exp(-γ·(a + b - 2·k)).
    Gaussian { gamma: Slot },
}

impl Pairs {
    /// The similarity, and its derivatives by k, by a and by γ. It is symmetric in a and b.
    fn at(self, k: f64, a: f64, b: f64, values: &[f64]) -> [f64; 4] {
        match self {
            Pairs::Normalized if a > 0.0 && b > 0.0 => {
                let size = (a * b).sqrt();
                [k / size, 1.0 / size, -0.5 * k / (size * a), 0.0]
            }
            Pairs::Tanimoto if a + b - k > 0.0 => {
                let all = a + b - k;
                [k / all, (a + b) / (all * all), -k / (all * all), 0.0]
            }
            Pairs::Dice if a + b > 0.0 => {
                let all = a + b;
                [2.0 * k / all, 2.0 / all, -2.0 * k / (all * all), 0.0]
            }
            Pairs::Gaussian { gamma } => {
                let gamma = gamma.value(values);
                let distance = (a + b - 2.0 * k).max(0.0);
                let near = (-gamma * distance).exp();
                [near, 2.0 * gamma * near, -gamma * near, -distance * near]
            }
            _ => [0.0; 4],
        }
    }
}

impl Falls {
    /// The similarity, and its derivatives by the distance, by γ and by α.
    fn at(self, distance: f64, values: &[f64]) -> [f64; 4] {
        match self {
            Falls::Exponentially { gamma } => {
                let gamma = gamma.value(values);
                let near = (-gamma * distance).exp();
                [near, -gamma * near, -distance * near, 0.0]
            }
            Falls::ByPower { gamma, alpha } => {
                let (gamma, alpha) = (gamma.value(values), alpha.value(values));
                let base = 1.0 + gamma * distance / alpha;
                let near = (-alpha * base.ln()).exp();
                let less = near / base;
                let by_alpha = near * (gamma * distance / (alpha * base) - base.ln());
                [near, -gamma * less, -distance * less, by_alpha]
            }
        }
    }

    fn slots(self) -> [Option<usize>; 2] {
        let place = |slot| if let Slot::Learned(at) = slot { Some(at) } else { None };
        match self {
            Falls::Exponentially { gamma } => [place(gamma), None],
            Falls::ByPower { gamma, alpha } => [place(gamma), place(alpha)],
        }
    }
}

/// What a tree is made from.
struct Maker<'a> {
    engine: &'a Engine,
    parameters: Vec<Parameter>,
    weighed: Vec<Weighed>,
}

/// The objects of a part of an expression: those that wrappers are fitted to, and those that are compared.
#[derive(Clone)]
struct Here<'c> {
    fitted: Arc<Dataset>,
    objects: Arc<Dataset>,
    columns: Option<&'c [String]>,
}

impl<'a> Tree<'a> {
    /// The tree of a marked expression: wrappers are fitted to all training objects, the matrix is that of those chosen.
    pub(super) fn new(
        marked: &Marked,
        learnable: Vec<Learnable>,
        scope: &Scope<'a>,
        chosen: &[usize],
        engine: &'a Engine,
    ) -> Result<Tree<'a>> {
        let parameter = |l: Learnable| {
            let at = l.moves.place_of(l.written);
            Parameter {
                name: l.name,
                moves: l.moves,
                start: at,
                is_width: false,
                bounds: (at - NARROW.ln(), at + NARROW.ln()),
            }
        };
        let parameters = learnable.into_iter().map(parameter).collect();
        let mut maker = Maker { engine, parameters, weighed: Vec::new() };
        let here = Here {
            fitted: Arc::new(scope.data.clone()),
            objects: Arc::new(scope.data.select(chosen)),
            columns: scope.columns,
        };
        let root = maker.node(marked, &here)?;
        let Maker { mut parameters, weighed, .. } = maker;
        for parameter in &mut parameters {
            if parameter.moves == Moves::Odds {
                parameter.bounds = (Moves::Odds.place_of(1e-3), Moves::Odds.place_of(1.0 - 1e-4));
            }
            let (low, high) = parameter.bounds;
            parameter.start = parameter.start.clamp(low, high);
        }
        Ok(Tree { root, values: vec![0.0; parameters.len()], parameters, weighed, engine })
    }

    /// Whether a part has no known derivatives.
    pub(super) fn is_computed_again(&self) -> bool {
        self.root.is_computed_again()
    }

    /// The numbers at a point.
    pub(super) fn values(&self, at: &[f64]) -> Vec<f64> {
        self.parameters.iter().zip(at).map(|(parameter, at)| parameter.moves.to_value(*at)).collect()
    }
}

impl Covariance for Tree<'_> {
    fn gram(&mut self, at: &[f64]) -> Result<Dense> {
        self.values = self.values(at);
        self.root.compute(&self.values, self.engine)?;
        Ok(self.root.value.clone())
    }

    fn slope(&mut self, by_gram: &Dense) -> Result<Vec<f64>> {
        let mut slope = vec![0.0; self.parameters.len()];
        let moves: Vec<Moves> = self.parameters.iter().map(|parameter| parameter.moves).collect();
        self.root.descend(by_gram, &self.values, &moves, self.engine, &mut slope)?;
        let by = slope.iter().zip(&moves).zip(&self.values);
        Ok(by.map(|((slope, moves), value)| slope * moves.slope(*value)).collect())
    }
}

impl Maker<'_> {
    fn node(&mut self, marked: &Marked, here: &Here<'_>) -> Result<Node> {
        if !marked.learns() {
            return self.fixed(&marked.with(&[]), here);
        }
        let form = match marked {
            Marked::Sum(parts) => Form::Sum(self.nodes(parts, here)?),
            Marked::Product(parts) => Form::Product(self.nodes(parts, here)?),
            Marked::Scale(slot, inner) => {
                let inner = self.node(inner, here)?;
                Form::Scale(*slot, Box::new(inner))
            }
            Marked::Group(inner, columns) => {
                return self.node(inner, &Here { columns: Some(columns), ..here.clone() });
            }
            Marked::Call { call, slots, inner } => {
                let columns = call.columns.as_deref().or(here.columns);
                return self.call(marked, call, slots, inner, &Here { columns, ..here.clone() });
            }
        };
        let mut node = Node { form, value: Dense::default() };
        // Weights start where every term contributes alike.
        if let Form::Sum(terms) = &mut node.form {
            self.even(terms)?;
        }
        Ok(node)
    }

    fn nodes(&mut self, parts: &[Marked], here: &Here<'_>) -> Result<Vec<Node>> {
        parts.iter().map(|part| self.node(part, here)).collect()
    }

    fn even(&mut self, terms: &mut [Node]) -> Result<()> {
        let values: Vec<f64> = self.parameters.iter().map(|p| p.moves.to_value(p.start)).collect();
        for term in terms {
            if let Form::Scale(Slot::Learned(at), inner) = &mut term.form {
                inner.compute(&values, self.engine)?;
                let n = inner.value.rows();
                let size = (0..n).map(|i| inner.value.at(i, i).abs()).sum::<f64>() / n.max(1) as f64;
                if size.is_finite() && size > 0.0 {
                    self.start(*at, 1.0 / size, false);
                } else {
                    self.start(*at, 1.0, false);
                }
            }
        }
        Ok(())
    }

    fn start(&mut self, at: usize, value: f64, is_width: bool) {
        let parameter = &mut self.parameters[at];
        parameter.start = parameter.moves.place_of(value);
        parameter.is_width = is_width;
        parameter.bounds = (parameter.start - WIDE.ln(), parameter.start + WIDE.ln());
    }

    /// The kernel fitted to the training objects.
    fn kernel(&self, expression: &Expression, here: &Here<'_>) -> Result<Boxed<Dataset>> {
        let fit = Fit::new(self.engine, None);
        fit.kernel(expression, &Scope { fit: &fit, data: &here.fitted, columns: here.columns })
    }

    fn fixed(&self, expression: &Expression, here: &Here<'_>) -> Result<Node> {
        let kernel = self.kernel(expression, here)?;
        Ok(Node { form: Form::Fixed, value: self.engine.gram(&kernel, &*here.objects)? })
    }

    fn call(
        &mut self,
        marked: &Marked,
        call: &Call,
        slots: &[Option<usize>],
        inner: &[Marked],
        here: &Here<'_>,
    ) -> Result<Node> {
        if relevance::is_relevance(call)
            && let Some(node) = self.relevance(call, inner, here)?
        {
            return Ok(node);
        }
        let slot = |name: &str| -> Result<Slot> {
            match call.place(name).and_then(|at| slots.get(at).copied().flatten()) {
                Some(at) => Ok(Slot::Learned(at)),
                None => call.number(name).map(Slot::Given),
            }
        };
        let made = |form| Node { form, value: Dense::default() };
        if let Way::Changed(fit) = (call.entry.way)(call)
            && !relevance::is_relevance(call)
        {
            let used = inner_of(call)?.columns_used_within(&here.fitted, here.columns)?;
            let (change, _) = fit(call, &here.fitted, &used)?;
            let changed = Here {
                fitted: Arc::new(change.apply(&here.fitted)?),
                objects: Arc::new(change.apply(&here.objects)?),
                columns: here.columns,
            };
            let inside = inner.first().ok_or_else(|| Error::usage("a wrapper without a kernel"))?;
            return self.node(inside, &changed);
        }
        // gamma=scale is computed by the kernel itself.
        let gamma = call.place("gamma").and_then(|at| slots.get(at).copied().flatten());
        let is_word = gamma.is_none() && super::super::gamma::word_of(call).is_some();
        if let (Way::Gaussian(distances), false) = ((call.entry.way)(call), is_word)
            && inner.is_empty()
        {
            let others_learned =
                slots.iter().flatten().count() > usize::from(matches!(slot("gamma")?, Slot::Learned(_)));
            if !others_learned {
                let fit = Fit::new(self.engine, None);
                let scope = Scope { fit: &fit, data: &here.fitted, columns: here.columns };
                let kernel = distances(call, &scope)?;
                let distances = self.engine.gram(&kernel, &*here.objects)?;
                let falls = Falls::Exponentially { gamma: slot("gamma")? };
                return Ok(self.of_distances(distances, falls));
            }
        }
        let vectors =
            || -> Result<Vectors> { here.objects.vectors(&call.suitable(&here.fitted, here.columns)?) };
        match call.entry.derivative {
            Some(Derivative::Laplacian) if !is_word => {
                let x = vectors()?.to_dense();
                let distances = differences(&x, Difference::Absolute, &vec![1.0; x.cols()]);
                Ok(self.of_distances(distances, Falls::Exponentially { gamma: slot("gamma")? }))
            }
            Some(Derivative::RationalQuadratic) if !is_word => {
                let distances = self.engine.gram(&SquaredDistance, &vectors()?)?;
                let (gamma, alpha) = (slot("gamma")?, slot("alpha")?);
                if let Slot::Learned(at) = alpha {
                    self.start(at, 1.0, false);
                    // Beyond, the kernel is a Gaussian.
                    self.parameters[at].bounds = (1e-4f64.ln(), 1e6f64.ln());
                }
                Ok(self.of_distances(distances, Falls::ByPower { gamma, alpha }))
            }
            Some(Derivative::Polynomial) if !is_word => {
                let products = self.engine.gram(&Linear, &vectors()?)?;
                let n = products.rows();
                let size = (0..n).map(|i| products.at(i, i)).sum::<f64>() / n.max(1) as f64;
                let (gamma, c) = (slot("gamma")?, slot("c")?);
                if let Slot::Learned(at) = gamma {
                    self.start(at, if size > 0.0 { 1.0 / size } else { 1.0 }, true);
                }
                if let Slot::Learned(at) = c {
                    self.start(at, 1.0, false);
                }
                let degree = call.number("degree")? as i32;
                Ok(made(Form::Polynomial { products, gamma, c, degree }))
            }
            Some(Derivative::OfInside(pairs)) if inner.len() == 1 => {
                let mut inside = self.node(&inner[0], here)?;
                let pairs = match pairs {
                    super::super::entry::InsidePairs::Normalized => Pairs::Normalized,
                    super::super::entry::InsidePairs::Tanimoto => Pairs::Tanimoto,
                    super::super::entry::InsidePairs::Dice => Pairs::Dice,
                    super::super::entry::InsidePairs::Gaussian => Pairs::Gaussian { gamma: slot("gamma")? },
                };
                if let Pairs::Gaussian { gamma: Slot::Learned(at) } = pairs {
                    let values: Vec<f64> =
                        self.parameters.iter().map(|p| p.moves.to_value(p.start)).collect();
                    inside.compute(&values, self.engine)?;
                    let k = &inside.value;
                    let distance = |i: usize, j: usize| k.at(i, i) + k.at(j, j) - 2.0 * k.at(i, j);
                    let middle = median(k.rows(), distance);
                    self.start(at, 1.0 / middle, true);
                }
                Ok(made(Form::OfInside(pairs, Box::new(inside))))
            }
            _ if marked.has_relevance() => Err(Error::Param {
                name: "kernel".into(),
                value: call.to_string(),
                domain: format!(
                    "no relevance inside {} here: its weights are learned in sums, products, and wrappers of columns",
                    call.entry.facts.name
                ),
            }),
            _ => Ok(made(Form::Again {
                marked: Box::new(marked.clone()),
                columns: here.columns.map(<[String]>::to_vec),
                fitted: here.fitted.clone(),
                objects: here.objects.clone(),
            })),
        }
    }

    fn of_distances(&mut self, distances: Dense, falls: Falls) -> Node {
        if let [Some(at), _] = falls.slots() {
            let middle = median(distances.rows(), |i, j| distances.at(i, j));
            self.start(at, 1.0 / middle, true);
        }
        Node { form: Form::OfDistances(distances, falls), value: Dense::default() }
    }

    /// Weights of coordinates, which γ would only multiply.
    fn relevance(&mut self, call: &Call, inner: &[Marked], here: &Here<'_>) -> Result<Option<Node>> {
        let difference = relevance::difference(call)?;
        let mut columns = here.columns;
        let (mut inside, mut factors) = (inner.first(), Vec::new());
        loop {
            match inside {
                Some(Marked::Group(within, named)) => {
                    (inside, columns) = (Some(within.as_ref()), Some(named.as_slice()));
                }
                Some(Marked::Scale(factor, within)) => {
                    factors.push(*factor);
                    inside = Some(within.as_ref());
                }
                _ => break,
            }
        }
        let Some(Marked::Call { call: leaf, slots, .. }) = inside else { return Ok(None) };
        let columns = leaf.columns.as_deref().or(columns);
        let used = leaf.suitable(&here.fitted, columns)?;
        relevance::check_numbers(&here.fitted, &used)?;
        let (scaling, _) = Scaling::standard(&here.fitted, &used)?;
        let scaled = Change::Scaling(scaling.clone()).apply(&here.objects)?;
        let x = scaled.vectors(&used)?.to_dense();
        let equal = differences(&x, difference, &vec![1.0; x.cols()]);
        let middle = median(x.rows(), |i, j| equal.at(i, j));
        let first = self.parameters.len();
        let names = scaling.columns().flat_map(|(name, width)| {
            (1..=width).map(move |at| if width > 1 { format!("{name}[{at}]") } else { name.to_owned() })
        });
        for name in names {
            let start = -middle.ln();
            self.parameters.push(Parameter {
                name: format!("weight of column {name}"),
                moves: Moves::Logarithm,
                start,
                is_width: true,
                bounds: (start - WIDE.ln(), start + WIDE.ln()),
            });
        }
        // The weights take the place of a learned γ.
        let gamma = leaf.place("gamma").and_then(|at| slots.get(at).copied().flatten());
        if let Some(at) = gamma {
            self.parameters[at].start = 0.0;
            self.parameters[at].bounds = (0.0, 0.0);
        }
        let gamma = Slot::Given(if gamma.is_some() { 1.0 } else { leaf.number("gamma")? });
        let falls = match leaf.entry.derivative {
            Some(Derivative::RationalQuadratic) => {
                let alpha = match leaf.place("alpha").and_then(|at| slots.get(at).copied().flatten()) {
                    Some(at) => {
                        self.start(at, 1.0, false);
                        self.parameters[at].bounds = (1e-4f64.ln(), 1e6f64.ln());
                        Slot::Learned(at)
                    }
                    None => Slot::Given(leaf.number("alpha")?),
                };
                Falls::ByPower { gamma, alpha }
            }
            _ => Falls::Exponentially { gamma },
        };
        self.weighed.push(Weighed { scaling, first, count: self.parameters.len() - first, difference });
        let mut node =
            Node { form: Form::OfDifferences { x, difference, first, falls }, value: Dense::default() };
        for factor in factors {
            node = Node { form: Form::Scale(factor, Box::new(node)), value: Dense::default() };
        }
        Ok(Some(node))
    }
}

/// The median of the distances above 0 of at most 1,000 pairs; 1 if there are none.
fn median(n: usize, distance: impl Fn(usize, usize) -> f64) -> f64 {
    // Pairs at growing distances in the list, so that every object is in some of them.
    let mut found: Vec<f64> = (0..1000)
        .map(|k| (k % n.max(1), (k % n.max(1) + 1 + k / n.max(1)) % n.max(1)))
        .filter(|(i, j)| i != j)
        .map(|(i, j)| distance(i, j))
        .filter(|d| d.is_finite() && *d > 0.0)
        .collect();
    found.sort_by(f64::total_cmp);
    found.get(found.len() / 2).copied().unwrap_or(1.0)
}

/// Σ_c w_c · difference of coordinate c, for all pairs.
fn differences(x: &Dense, difference: Difference, weights: &[f64]) -> Dense {
    let n = x.rows();
    let mut out = Dense::zeros(n, n);
    parallel::for_chunks_mut(out.values_mut(), n.max(1), 8, |i, row: &mut [f64]| {
        for (j, v) in row.iter_mut().enumerate() {
            let pairs = x.row(i).iter().zip(x.row(j)).zip(weights);
            *v = match difference {
                Difference::Squared => pairs.map(|((a, b), w)| w * (a - b) * (a - b)).sum(),
                Difference::Absolute => pairs.map(|((a, b), w)| w * (a - b).abs()).sum(),
            };
        }
    });
    out
}

/// A matrix of the same shape, each entry by its place.
fn filled(n: usize, entry: impl Fn(usize, usize) -> f64 + Sync) -> Dense {
    let mut out = Dense::zeros(n, n);
    parallel::for_chunks_mut(out.values_mut(), n.max(1), 8, |i, row: &mut [f64]| {
        row.iter_mut().enumerate().for_each(|(j, v)| *v = entry(i, j));
    });
    out
}

/// Σ_ij of some numbers for each pair, with the same bits for any number of threads.
fn summed<const N: usize>(n: usize, entry: impl Fn(usize, usize) -> [f64; N] + Sync) -> [f64; N] {
    let rows = parallel::map(n, |i| {
        let mut sum = [0.0; N];
        for j in 0..n {
            sum.iter_mut().zip(entry(i, j)).for_each(|(s, v)| *s += v);
        }
        sum
    });
    rows.iter().fold([0.0; N], |mut all, row| {
        all.iter_mut().zip(row).for_each(|(a, v)| *a += v);
        all
    })
}

fn computed_again(
    marked: &Marked,
    values: &[f64],
    columns: Option<&[String]>,
    (fitted, objects): (&Dataset, &Dataset),
    engine: &Engine,
) -> Result<Dense> {
    let fit = Fit::new(engine, None);
    let kernel = fit.kernel(&marked.with(values), &Scope { fit: &fit, data: fitted, columns })?;
    engine.gram(&kernel, objects)
}

fn add(slope: &mut [f64], slot: Slot, amount: f64) {
    if let Slot::Learned(at) = slot {
        slope[at] += amount;
    }
}

impl Node {
    fn is_computed_again(&self) -> bool {
        match &self.form {
            Form::Sum(parts) | Form::Product(parts) => parts.iter().any(Node::is_computed_again),
            Form::Scale(_, inner) | Form::OfInside(_, inner) => inner.is_computed_again(),
            Form::Again { .. } => true,
            _ => false,
        }
    }

    /// Computes the matrix with these values.
    fn compute(&mut self, values: &[f64], engine: &Engine) -> Result<()> {
        crate::budget::check()?;
        self.value = match &mut self.form {
            Form::Fixed => return Ok(()),
            Form::Sum(parts) | Form::Product(parts) if parts.is_empty() => {
                return Err(Error::usage("an empty sum or product of kernels"));
            }
            Form::Sum(parts) => {
                parts.iter_mut().try_for_each(|part| part.compute(values, engine))?;
                filled(parts[0].value.rows(), |i, j| parts.iter().map(|part| part.value.at(i, j)).sum())
            }
            Form::Product(parts) => {
                parts.iter_mut().try_for_each(|part| part.compute(values, engine))?;
                filled(parts[0].value.rows(), |i, j| parts.iter().map(|part| part.value.at(i, j)).product())
            }
            Form::Scale(slot, inner) => {
                inner.compute(values, engine)?;
                let factor = slot.value(values);
                filled(inner.value.rows(), |i, j| factor * inner.value.at(i, j))
            }
            Form::OfDistances(distances, falls) => {
                filled(distances.rows(), |i, j| falls.at(distances.at(i, j), values)[0])
            }
            Form::OfDifferences { x, difference, first, falls } => {
                let distances = differences(x, *difference, &values[*first..*first + x.cols()]);
                filled(x.rows(), |i, j| falls.at(distances.at(i, j), values)[0])
            }
            Form::Polynomial { products, gamma, c, degree } => {
                let (gamma, c) = (gamma.value(values), c.value(values));
                filled(products.rows(), |i, j| (gamma * products.at(i, j) + c).powi(*degree))
            }
            Form::OfInside(pairs, inner) => {
                inner.compute(values, engine)?;
                let k = &inner.value;
                filled(k.rows(), |i, j| pairs.at(k.at(i, j), k.at(i, i), k.at(j, j), values)[0])
            }
            Form::Again { marked, columns, fitted, objects } => {
                computed_again(marked, values, columns.as_deref(), (fitted, objects), engine)?
            }
        };
        Ok(())
    }

    /// Adds the derivatives by the values of what has these derivatives by the matrix.
    fn descend(
        &self,
        by: &Dense,
        values: &[f64],
        moves: &[Moves],
        engine: &Engine,
        slope: &mut [f64],
    ) -> Result<()> {
        let n = by.rows();
        match &self.form {
            Form::Fixed => {}
            Form::Sum(parts) => {
                for part in parts {
                    part.descend(by, values, moves, engine, slope)?;
                }
            }
            Form::Product(parts) => {
                for (k, part) in parts.iter().enumerate() {
                    if matches!(part.form, Form::Fixed) {
                        continue;
                    }
                    let others = |i: usize, j: usize| -> f64 {
                        let others = parts.iter().enumerate().filter(|(other, _)| *other != k);
                        others.map(|(_, other)| other.value.at(i, j)).product()
                    };
                    let own = filled(n, |i, j| by.at(i, j) * others(i, j));
                    part.descend(&own, values, moves, engine, slope)?;
                }
            }
            Form::Scale(slot, inner) => {
                if let Slot::Learned(_) = slot {
                    add(slope, *slot, entrywise(by, &inner.value));
                }
                if !matches!(inner.form, Form::Fixed) {
                    let factor = slot.value(values);
                    let own = filled(n, |i, j| factor * by.at(i, j));
                    inner.descend(&own, values, moves, engine, slope)?;
                }
            }
            Form::OfDistances(distances, falls) => {
                let [gamma, alpha] = summed(n, |i, j| {
                    let [_, _, gamma, alpha] = falls.at(distances.at(i, j), values);
                    [by.at(i, j) * gamma, by.at(i, j) * alpha]
                });
                let [of_gamma, of_alpha] = falls.slots();
                of_gamma.into_iter().for_each(|at| slope[at] += gamma);
                of_alpha.into_iter().for_each(|at| slope[at] += alpha);
            }
            Form::OfDifferences { x, difference, first, falls } => {
                let d = x.cols();
                let distances = differences(x, *difference, &values[*first..*first + d]);
                if let [_, Some(at)] = falls.slots() {
                    let [alpha] = summed(n, |i, j| [by.at(i, j) * falls.at(distances.at(i, j), values)[3]]);
                    slope[at] += alpha;
                }
                let rows = parallel::map(n, |i| {
                    let mut sum = vec![0.0; d];
                    for j in 0..n {
                        let factor = by.at(i, j) * falls.at(distances.at(i, j), values)[1];
                        let pairs = x.row(i).iter().zip(x.row(j));
                        match difference {
                            Difference::Squared => {
                                let pairs = sum.iter_mut().zip(pairs);
                                pairs.for_each(|(s, (a, b))| *s += factor * (a - b) * (a - b));
                            }
                            Difference::Absolute => {
                                sum.iter_mut()
                                    .zip(pairs)
                                    .for_each(|(s, (a, b))| *s += factor * (a - b).abs());
                            }
                        }
                    }
                    sum
                });
                for row in rows {
                    slope[*first..*first + d].iter_mut().zip(row).for_each(|(s, v)| *s += v);
                }
            }
            Form::Polynomial { products, gamma, c, degree } => {
                let (g, shift) = (gamma.value(values), c.value(values));
                let [of_gamma, of_c] = summed(n, |i, j| {
                    let product = products.at(i, j);
                    let less = by.at(i, j) * f64::from(*degree) * (g * product + shift).powi(*degree - 1);
                    [less * product, less]
                });
                add(slope, *gamma, of_gamma);
                add(slope, *c, of_c);
            }
            Form::OfInside(pairs, inner) => {
                let k = &inner.value;
                let at = |i: usize, j: usize| pairs.at(k.at(i, j), k.at(i, i), k.at(j, j), values);
                if let Pairs::Gaussian { gamma } = pairs {
                    let [of_gamma] = summed(n, |i, j| [by.at(i, j) * at(i, j)[3]]);
                    add(slope, *gamma, of_gamma);
                }
                if !matches!(inner.form, Form::Fixed) {
                    let mut own = filled(n, |i, j| by.at(i, j) * at(i, j)[1]);
                    // Row i and column i depend on k(x_i, x_i) alike.
                    let of_self =
                        parallel::map(n, |i| 2.0 * (0..n).map(|j| by.at(i, j) * at(i, j)[2]).sum::<f64>());
                    of_self.iter().enumerate().for_each(|(i, v)| own.row_mut(i)[i] += v);
                    inner.descend(&own, values, moves, engine, slope)?;
                }
            }
            Form::Again { marked, columns, fitted, objects } => {
                for at in marked.parameters() {
                    let (moves, value) = (moves[at], values[at]);
                    let place = moves.place_of(value);
                    let shifted = |by: f64| {
                        let mut values = values.to_vec();
                        values[at] = moves.to_value(place + by);
                        computed_again(marked, &values, columns.as_deref(), (fitted, objects), engine)
                    };
                    // Where a neighbour is outside of the kernel's domain, the difference is one-sided.
                    let (above, below) = (shifted(STEP), shifted(-STEP));
                    let (above, below, width) = match (above, below) {
                        (Ok(above), Ok(below)) => (above, below, 2.0 * STEP),
                        (Err(Error::Interrupted), _) | (_, Err(Error::Interrupted)) => {
                            return Err(Error::Interrupted);
                        }
                        (Ok(above), Err(_)) => (above, self.value.clone(), STEP),
                        (Err(_), Ok(below)) => (self.value.clone(), below, STEP),
                        (Err(error), Err(_)) => return Err(error),
                    };
                    let change = entrywise(by, &above) - entrywise(by, &below);
                    // By the place, and from there by the value.
                    slope[at] += change / width / moves.slope(value).max(f64::MIN_POSITIVE);
                }
            }
        }
        Ok(())
    }
}
