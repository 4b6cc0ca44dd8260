//! Kernels on attributes of nodes, smoothed over the graph: S·K·Sᵀ.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use super::Base;
use crate::budget::{self, Budget, matrix_bytes};
use crate::data::{Dense, FeatureRows, Kind, Network, Nodes, Sparse, Vectors};
use crate::error::{Error, Result};
use crate::kernel::vector::{Linear, PreparedVectors};
use crate::kernel::{
    Definiteness, Domain, Facts, FeatureColumns, FeatureParts, Kernel, OneOf, Parameter, Part, Prepared,
    Settings,
};
use crate::numeric::{Chebyshev, PANEL, Short, Symmetric, allocate};

/// Facts about smoothing.
#[doc(hidden)]
pub const SMOOTH: Facts = Facts {
    name: "smooth",
    summary: "A kernel on the attributes of nodes, smoothed over the edges of their graph.",
    formula: "(S·K·Sᵀ)_xy, Â = D^(-1/2)·(A + loops·I)·D^(-1/2); power: S = Â^p; pagerank: (1 - alpha)·(I - alpha·Â)⁻¹; heat: exp(-beta·(I - Â)); diffusion: exp(-beta·L), L = D - A",
    takes: "nodes of a graph, and a kernel on their attributes, the other columns of all nodes; transductive: defined only for the nodes of that graph",
    kinds: &[Kind::Nodes],
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[
        Parameter {
            name: "by",
            default: "power",
            domain: Domain::Word(Spreading::WORDS),
            doc: "how values spread along the edges",
            alias: None,
        },
        Parameter {
            name: "p",
            default: "2",
            domain: Domain::Whole(1, super::family::STEPS as u64),
            doc: "number of steps of by=power",
            alias: None,
        },
        Parameter {
            name: "alpha",
            default: "0.9",
            domain: Domain::Share,
            doc: "probability to continue the walk of by=pagerank, below 1",
            alias: None,
        },
        Parameter {
            name: "beta",
            default: "3",
            domain: Domain::Positive,
            doc: "how long by=heat and by=diffusion spread",
            alias: None,
        },
        Parameter {
            name: "loops",
            default: "1",
            domain: Domain::NonNegative,
            doc: "weight of the edge from each node to itself that is added first; by=diffusion does not depend on it",
            alias: None,
        },
    ],
    cost: "terms × edges × features once for the graph, then that of linear; without explicit features n² values of the kernel and terms × edges × n",
    reference: "Wu et al. 2019, Simplifying graph convolutional networks; Gasteiger, Weißenberger & Günnemann 2019, Diffusion improves graph learning",
    example: "smooth(linear, by=power, p=2)",
};

/// How values spread along the edges of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spreading {
    /// S = Â^p: p steps of a walk.
    Power,
    /// S = (1 - α)·(I - α·Â)⁻¹: where walks end that continue with probability α.
    Pagerank,
    /// S = exp(-β·(I - Â)): heat after the time β, normalised by degrees.
    Heat,
    /// S = exp(-β·L), L = D - A: heat after the time β.
    Diffusion,
}

impl OneOf for Spreading {
    const WORDS: &'static [&'static str] = &["power", "pagerank", "heat", "diffusion"];
    const ALL: &'static [Spreading] =
        &[Spreading::Power, Spreading::Pagerank, Spreading::Heat, Spreading::Diffusion];
}

/// The matrix S by which values at the nodes of a graph are smoothed; see [`Spreading`] for the four kinds.
///
/// Â = D^(-1/2)·(A + loops·I)·D^(-1/2) with the degrees D of A + loops·I; a node without edges keeps its values.
///
/// ```
/// use std::sync::Arc;
/// use mercer_core::data::{Dense, Network, Nodes, Vectors};
/// use mercer_core::gram::Engine;
/// use mercer_core::kernel::{node::{Smoothed, Smoothing}, vector::Linear};
/// let network = Arc::new(Network::new(2, &[(0, 1, 1.0)])?);
/// let words = Vectors::from(Dense::from_rows(&[[1.0, 0.0], [0.0, 1.0]]));
/// let kernel = Smoothed::new(Linear, &words, network.clone(), Smoothing::power(1)?)?;
/// let k = Engine::new().gram(&kernel, &Nodes::all(network))?;
/// // With a loop at each node, both have half of each word.
/// assert!((k.at(0, 1) - 0.5).abs() < 1e-15);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoothing {
    by: Spreading,
    p: u32,
    alpha: f64,
    beta: f64,
    loops: f64,
}

impl Smoothing {
    const DEFAULT: Smoothing = Smoothing { by: Spreading::Power, p: 2, alpha: 0.9, beta: 3.0, loops: 1.0 };

    /// S = Â^p with loops of weight 1, 1 ≤ p ≤ 64: the features of SGC.
    pub fn power(p: u32) -> Result<Self> {
        Smoothing { p, ..Smoothing::DEFAULT }.checked()
    }

    /// S = (1 - α)·(I - α·Â)⁻¹ with loops of weight 1, 0 < α < 1.
    pub fn pagerank(alpha: f64) -> Result<Self> {
        Smoothing { by: Spreading::Pagerank, alpha, ..Smoothing::DEFAULT }.checked()
    }

    /// S = exp(-β·(I - Â)) with loops of weight 1, β > 0.
    pub fn heat(beta: f64) -> Result<Self> {
        Smoothing { by: Spreading::Heat, beta, ..Smoothing::DEFAULT }.checked()
    }

    /// S = exp(-β·(D - A)), β > 0.
    pub fn diffusion(beta: f64) -> Result<Self> {
        Smoothing { by: Spreading::Diffusion, beta, ..Smoothing::DEFAULT }.checked()
    }

    /// Sets the weight of the added loops, at least 0.
    pub fn with_loops(self, loops: f64) -> Result<Self> {
        Smoothing { loops, ..self }.checked()
    }

    /// S·X: values at the nodes, one row for each, smoothed over the edges.
    ///
    /// ```
    /// use mercer_core::data::{Dense, Network, Vectors};
    /// use mercer_core::kernel::node::Smoothing;
    /// let network = Network::new(3, &[(0, 1, 1.0)])?;
    /// let x = Vectors::from(Dense::from_rows(&[[1.0], [0.0], [5.0]]));
    /// let smoothed = Smoothing::power(1)?.apply(&network, &x)?.to_dense();
    /// // The first two share their values, the third has no neighbour.
    /// assert!((smoothed.at(0, 0) - 0.5).abs() < 1e-15 && (smoothed.at(1, 0) - 0.5).abs() < 1e-15);
    /// assert_eq!(smoothed.at(2, 0), 5.0);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn apply(&self, network: &Network, x: &Vectors) -> Result<Vectors> {
        if x.len() != network.len() {
            return Err(Error::usage(format!(
                "attributes of {} nodes for a network of {}",
                x.len(),
                network.len()
            )));
        }
        self.of(network)?.vectors(x, &current())
    }

    /// Reads the settings of the parameters that the facts declare.
    #[doc(hidden)]
    pub fn read(settings: &mut Settings<'_>) -> Result<Self> {
        let smoothing = Smoothing {
            by: settings.read()?,
            p: settings.read()?,
            alpha: settings.read()?,
            beta: settings.read()?,
            loops: settings.read()?,
        };
        smoothing.checked()
    }

    fn checked(self) -> Result<Self> {
        SMOOTH.check("p", f64::from(self.p))?;
        SMOOTH.check("beta", self.beta)?;
        SMOOTH.check("loops", self.loops)?;
        match self.alpha > 0.0 && self.alpha < 1.0 {
            true => Ok(self),
            false if self.by != Spreading::Pagerank => Ok(self),
            false => Err(Error::param("alpha", self.alpha, "above 0 and below 1")),
        }
    }

    fn print(&self, f: &mut fmt::Formatter<'_>, inner: &dyn fmt::Display) -> fmt::Result {
        let (alpha, beta, loops) = (Short(self.alpha), Short(self.beta), Short(self.loops));
        SMOOTH.print(f, &[inner], &[&self.by, &self.p, &alpha, &beta, &loops])
    }

    /// The matrix that S is a function of, and the function.
    fn of(&self, network: &Network) -> Result<Smoother> {
        let (matrix, sum) = match self.by {
            Spreading::Power => (self.adjacency(network, 0.0), Chebyshev::power(self.p, 1.0)?),
            Spreading::Pagerank => {
                let sum = Chebyshev::resolvent(self.alpha, -1.0, 1.0, ERROR)?;
                (self.adjacency(network, 0.0), sum.scaled(1.0 - self.alpha))
            }
            Spreading::Heat => {
                (self.adjacency(network, -1.0), Chebyshev::exponential(self.beta, -2.0, 0.0, ERROR)?)
            }
            Spreading::Diffusion => {
                let matrix = Base::Laplacian.matrix(network, 0.0);
                let radius = matrix.radius_bound(40);
                let sum = Chebyshev::exponential(self.beta, -radius, 0.0, ERROR)?;
                (matrix, sum)
            }
        };
        Ok(Smoother { matrix, sum })
    }

    /// Â, with `added` on the diagonal.
    fn adjacency(&self, network: &Network, added: f64) -> Symmetric {
        let degrees: Vec<f64> = (0..network.len()).map(|i| network.degree(i) + self.loops).collect();
        let own = |d: &f64| if *d > 0.0 { self.loops / d } else { 1.0 };
        let diagonal: Vec<f64> = degrees.iter().map(|d| own(d) + added).collect();
        let roots: Vec<f64> = degrees.iter().map(|d| d.sqrt()).collect();
        let roots = &roots;
        // The product of the roots is exactly the same for both ends.
        Symmetric::new(&diagonal, |i| {
            network.row(i).map(move |(j, w)| (j, w / (roots[i] * roots[j as usize])))
        })
    }
}

/// The error of S relative to its largest eigenvalue.
const ERROR: f64 = 1e-15;
/// Maximum number of nodes for which the full matrix S·K·Sᵀ is stored: half a gigabyte.
const WHOLE: usize = 8192;
/// Smoothed sparse vectors with at least one value in this many are stored densely: that is smaller or hardly larger,
/// and products of dense vectors are many times faster.
const DENSE: usize = 8;

/// S as a function of a sparse matrix.
#[derive(Clone, Debug)]
struct Smoother {
    matrix: Symmetric,
    sum: Chebyshev,
}

impl Smoother {
    /// S·X for vectors with one row per node. Without a dense matrix between nodes.
    fn vectors(&self, x: &Vectors, budget: &Budget) -> Result<Vectors> {
        match x {
            Vectors::Dense(x) => self.sum.apply(&self.matrix, x, budget).map(Vectors::Dense),
            Vectors::Sparse(x) => self.sparse(x, budget),
        }
    }

    fn sparse(&self, x: &Sparse, budget: &Budget) -> Result<Vectors> {
        let columns = Transposed::of(x)?;
        let mut rows: Vec<Vec<(u32, f64)>> = vec![Vec::new(); x.rows()];
        let (mut stored, order) = (0usize, self.matrix.order());
        let gather = |range: Range<usize>, panel: &mut [[f64; PANEL]]| {
            for (k, column) in range.enumerate() {
                for (row, value) in columns.column(column) {
                    panel[self.matrix.place(row)][k] = value;
                }
            }
            Ok(())
        };
        self.sum.apply_panels(&self.matrix, x.dim(), budget, gather, |range, panel| {
            let before = stored;
            for (values, &node) in panel.iter().zip(order) {
                let row = &mut rows[node as usize];
                let found = range.clone().zip(values).filter(|(_, v)| **v != 0.0);
                row.extend(found.map(|(column, v)| (column as u32, *v)));
                stored += values[..range.len()].iter().filter(|v| **v != 0.0).count();
            }
            // Room for the lists twice, since they grow, and for the rows made of them.
            budget::ask("smoothed features", 44 * (stored - before) as u64)
        })?;
        if stored.saturating_mul(DENSE) < x.rows().saturating_mul(x.dim()) {
            return Sparse::from_rows(x.dim(), &rows).map(Vectors::Sparse);
        }
        budget::ask("smoothed features", matrix_bytes(x.rows(), x.dim(), 8))?;
        let mut out = allocate(x.rows(), x.dim());
        for (i, row) in rows.into_iter().enumerate() {
            let to = out.row_mut(i);
            row.into_iter().for_each(|(column, v)| to[column as usize] = v);
        }
        Ok(Vectors::Dense(out))
    }

    /// Rows of S·K·Sᵀ for chosen nodes, by panels of K: no matrix between all nodes unless all are chosen.
    fn rows<X: ?Sized, K: Kernel<X>>(
        &self,
        kernel: &K,
        set: &K::Prepared,
        chosen: &[u32],
        budget: &Budget,
    ) -> Result<Dense> {
        let (n, order) = (self.matrix.len(), self.matrix.order());
        budget::ask("similarities between nodes", matrix_bytes(chosen.len(), n, 8))?;
        let mut out = allocate(chosen.len(), n);
        let gather = |range: Range<usize>, panel: &mut [[f64; PANEL]]| {
            let mut tile = vec![0.0; n * range.len()];
            kernel.fill(Part::all(set), Part::new(set, range.clone()), &mut tile)?;
            for (to, &i) in panel.iter_mut().zip(order) {
                let at = i as usize * range.len();
                to[..range.len()].copy_from_slice(&tile[at..at + range.len()]);
            }
            Ok(())
        };
        let places: Vec<usize> = chosen.iter().map(|&i| self.matrix.place(i as usize)).collect();
        self.sum.apply_panels(&self.matrix, n, budget, gather, |range, panel| {
            for (i, &place) in places.iter().enumerate() {
                out.row_mut(i)[range.clone()].copy_from_slice(&panel[place][..range.len()]);
            }
            Ok(())
        })?;
        // The rows of S·K are columns of K·Sᵀ = (S·K)ᵀ.
        let half = out;
        budget::ask("similarities between nodes", matrix_bytes(chosen.len(), n, 8))?;
        let mut out = allocate(chosen.len(), n);
        let gather = |range: Range<usize>, panel: &mut [[f64; PANEL]]| {
            for (k, row) in range.enumerate() {
                let row = half.row(row);
                panel.iter_mut().zip(order).for_each(|(to, &i)| to[k] = row[i as usize]);
            }
            Ok(())
        };
        self.sum.apply_panels(&self.matrix, chosen.len(), budget, gather, |range, panel| {
            for (k, row) in range.enumerate() {
                let to = out.row_mut(row);
                panel.iter().zip(order).for_each(|(values, &i)| to[i as usize] = values[k]);
            }
            Ok(())
        })?;
        Ok(out)
    }
}

/// The columns of sparse vectors.
struct Transposed {
    starts: Vec<usize>,
    entries: Vec<(u32, f64)>,
}

impl Transposed {
    fn of(x: &Sparse) -> Result<Self> {
        budget::ask("columns of features", 16 * x.stored() as u64 + matrix_bytes(x.dim(), 2, 8))?;
        let mut starts = vec![0usize; x.dim() + 1];
        x.indices().iter().for_each(|&f| starts[f as usize + 1] += 1);
        (0..x.dim()).for_each(|f| starts[f + 1] += starts[f]);
        let mut next = starts.clone();
        let mut entries = vec![(0u32, 0.0); x.stored()];
        for i in 0..x.rows() {
            let (features, values) = x.row(i);
            for (&f, &v) in features.iter().zip(values) {
                entries[next[f as usize]] = (i as u32, v);
                next[f as usize] += 1;
            }
        }
        Ok(Transposed { starts, entries })
    }

    fn column(&self, f: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.entries[self.starts[f]..self.starts[f + 1]].iter().map(|&(row, v)| (row as usize, v))
    }
}

/// A kernel K on attributes of the nodes of a graph, smoothed over its edges: S·K·Sᵀ.
///
/// Where K has explicit features ([`Kernel::parts`]), the features of every node are smoothed once, S·Φ, by sparse
/// products, and the kernel is their inner product: linear models use them as rows, and no matrix between nodes is
/// formed. Other kernels are computed panel by panel, and S is applied to both sides of each; up to 8192 nodes the whole
/// matrix is kept, beyond that only the rows of prepared nodes.
///
/// The attributes of all nodes are used, also of those to be predicted: results are transductive. Positive semidefinite
/// if K is.
pub struct Smoothed<X: ?Sized, K: Kernel<X>> {
    kernel: K,
    smoothing: Smoothing,
    network: Arc<Network>,
    values: Values<K::Prepared>,
    objects: PhantomData<fn(&X)>,
}

enum Values<P> {
    /// The smoothed features of all nodes, and what their columns stand for.
    Features { smoothed: Vectors, columns: Vec<FeatureColumns> },
    /// The attributes of all nodes, and the whole matrix once it is computed.
    Similarities { smoother: Smoother, set: P, whole: Mutex<Option<Arc<Dense>>> },
}

impl<X: ?Sized, K: Kernel<X>> Smoothed<X, K> {
    /// The kernel for attributes of all nodes of a network, one object per node in their order.
    ///
    /// Time: terms × edges × features, where `terms` is p for powers, about 0.5·√(1/(1 - alpha))·ln 10¹⁵ for PageRank, and
    /// grows with √beta for heat.
    pub fn new(kernel: K, attributes: &X, network: Arc<Network>, smoothing: Smoothing) -> Result<Self> {
        let smoother = smoothing.of(&network)?;
        let set = kernel.prepare(attributes)?;
        if set.len() != network.len() {
            return Err(Error::usage(format!(
                "attributes of {} nodes for a network of {}",
                set.len(),
                network.len()
            )));
        }
        let smooth = |parts: FeatureParts<'_>| -> Result<(Vectors, Vec<FeatureColumns>)> {
            let columns = parts.columns();
            Ok((smoother.vectors(&*written(&parts, &columns)?, &current())?, columns))
        };
        let values = match kernel.parts(&set)?.map(smooth).transpose()? {
            Some((smoothed, columns)) => Values::Features { smoothed, columns },
            None => Values::Similarities { smoother, set, whole: Mutex::default() },
        };
        Ok(Smoothed { kernel, smoothing, network, values, objects: PhantomData })
    }

    /// The network whose nodes it compares.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The smoothed features of all nodes, where the kernel inside has explicit features.
    pub fn features(&self) -> Option<&Vectors> {
        match &self.values {
            Values::Features { smoothed, .. } => Some(smoothed),
            Values::Similarities { .. } => None,
        }
    }

    /// Nodes of another network with the attributes of all its nodes, to be compared with those of the kernel's own
    /// network: the same features, smoothed over the other edges.
    ///
    /// Only where the kernel inside has explicit features. Results for new nodes are inductive: nothing is fitted to them.
    pub fn prepare_elsewhere(&self, attributes: &X, nodes: &Nodes) -> Result<PreparedSmooth> {
        let Values::Features { smoothed: own, columns } = &self.values else {
            return Err(elsewhere(
                "the kernel inside smooth has no explicit features, and so no values for nodes of other graphs",
            ));
        };
        let network = nodes.network();
        let smoother = self.smoothing.of(network)?;
        let set = self.kernel.prepare(attributes)?;
        if set.len() != network.len() {
            return Err(Error::usage(format!(
                "attributes of {} nodes for a network of {}",
                set.len(),
                network.len()
            )));
        }
        let Some(parts) = self.kernel.parts(&set)? else {
            return Err(elsewhere("the kernel inside smooth has no explicit features of these attributes"));
        };
        let features = written(&parts, columns)?;
        if features.dim() != own.dim() {
            return Err(Error::Dimension { expected: own.dim(), found: features.dim() });
        }
        let rows: Vec<usize> = nodes.chosen().iter().map(|&i| i as usize).collect();
        let smoothed = smoother.vectors(&features, &current())?.select(&rows);
        let smoothed = match (own, smoothed) {
            (Vectors::Dense(_), Vectors::Sparse(x)) => {
                budget::ask("features of nodes", matrix_bytes(x.rows(), x.dim(), 8))?;
                Vectors::Dense(Vectors::Sparse(x).to_dense())
            }
            (Vectors::Sparse(_), Vectors::Dense(x)) => {
                let row = |i: usize| (0..).zip(x.row(i).iter().copied()).filter(|(_, v)| *v != 0.0).collect();
                let rows: Vec<Vec<(u32, f64)>> = (0..x.rows()).map(row).collect();
                Vectors::Sparse(Sparse::from_rows(x.cols(), &rows)?)
            }
            (_, same) => same,
        };
        let held = Held::Features(Linear.prepare(&smoothed)?);
        Ok(PreparedSmooth { chosen: nodes.chosen().to_vec(), held })
    }
}

/// The features in these columns.
fn written<'a>(parts: &FeatureParts<'a>, columns: &[FeatureColumns]) -> Result<Cow<'a, Vectors>> {
    Ok(match parts.rows() {
        Some(FeatureRows::Vectors(vectors)) => Cow::Borrowed(vectors),
        Some(FeatureRows::Single(x)) => {
            let values = x.values().iter().map(|v| f64::from(*v)).collect();
            Cow::Owned(Vectors::Dense(Dense::new(x.rows(), x.cols(), values)?))
        }
        None => Cow::Owned(Vectors::Sparse(parts.write(columns)?)),
    })
}

/// The error for a node of another graph.
fn elsewhere(why: &str) -> Error {
    Error::Object {
        index: 0,
        reason: format!(
            "is a node of another graph than that of the training objects, and the kernel is defined on one graph: {why}"
        ),
        hint: Some(
            "use the same edges and the same node table for both; a graph with new nodes needs a new fit"
                .into(),
        ),
    }
}

/// The budget in force.
fn current() -> Budget {
    budget::current().unwrap_or_default()
}

impl<X: ?Sized, K: Kernel<X>> fmt::Display for Smoothed<X, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.smoothing.print(f, &self.kernel)
    }
}

/// Nodes prepared for a smoothed kernel.
#[derive(Clone, Debug)]
pub struct PreparedSmooth {
    chosen: Vec<u32>,
    held: Held,
}

#[derive(Clone, Debug)]
enum Held {
    /// The smoothed features of the objects.
    Features(PreparedVectors),
    /// The similarities of all nodes.
    Whole(Arc<Dense>),
    /// The similarities of each object to all nodes: rows of the matrix, by object.
    Rows { rows: Arc<Dense>, places: Vec<usize> },
}

impl Prepared for PreparedSmooth {
    fn len(&self) -> usize {
        self.chosen.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        let held = match &self.held {
            Held::Features(features) => Held::Features(features.select(chosen)),
            Held::Whole(values) => Held::Whole(values.clone()),
            Held::Rows { rows, places } => {
                Held::Rows { rows: rows.clone(), places: chosen.iter().map(|&i| places[i]).collect() }
            }
        };
        PreparedSmooth { chosen: chosen.iter().map(|&i| self.chosen[i]).collect(), held }
    }
}

impl PreparedSmooth {
    /// The similarity of object i to a node.
    fn to_node(&self, i: usize, node: u32) -> f64 {
        match &self.held {
            Held::Whole(values) => values.at(self.chosen[i] as usize, node as usize),
            Held::Rows { rows, places } => rows.at(places[i], node as usize),
            Held::Features(_) => f64::NAN,
        }
    }
}

/// The similarity of two objects, read from the row of the node that comes first: then both orders give the same bits.
fn value((a, i): (&PreparedSmooth, usize), (b, j): (&PreparedSmooth, usize)) -> f64 {
    match a.chosen[i] <= b.chosen[j] {
        true => a.to_node(i, b.chosen[j]),
        false => b.to_node(j, a.chosen[i]),
    }
}

impl<X: ?Sized, K: Kernel<X>> Kernel<Nodes> for Smoothed<X, K> {
    type Prepared = PreparedSmooth;

    fn prepare(&self, objects: &Nodes) -> Result<PreparedSmooth> {
        if objects.network().identity() != self.network.identity() {
            return Err(elsewhere("the attributes of its nodes are not known"));
        }
        let chosen = objects.chosen();
        let held = match &self.values {
            Values::Features { smoothed: features, .. } => {
                let rows: Vec<usize> = chosen.iter().map(|&i| i as usize).collect();
                let bytes = match features {
                    Vectors::Dense(x) => matrix_bytes(rows.len(), x.cols(), 16),
                    Vectors::Sparse(x) => 24 * rows.iter().map(|&i| x.row(i).0.len() as u64).sum::<u64>(),
                };
                budget::ask("features of nodes", bytes)?;
                Held::Features(Linear.prepare(&features.select(&rows))?)
            }
            Values::Similarities { smoother, set, whole } if self.network.len() <= WHOLE => {
                let last = || whole.lock().unwrap_or_else(PoisonError::into_inner);
                let known = last().clone();
                Held::Whole(match known {
                    Some(known) => known,
                    // Not under the lock: a thread that waits below may run another task that takes the same lock.
                    None => {
                        let all: Vec<u32> = (0..self.network.len() as u32).collect();
                        let made = Arc::new(smoother.rows(&self.kernel, set, &all, &current())?);
                        *last() = Some(made.clone());
                        made
                    }
                })
            }
            Values::Similarities { smoother, set, .. } => {
                let mut distinct = chosen.to_vec();
                distinct.sort_unstable();
                distinct.dedup();
                let places = chosen.iter().map(|node| distinct.partition_point(|d| d < node)).collect();
                let rows = Arc::new(smoother.rows(&self.kernel, set, &distinct, &current())?);
                Held::Rows { rows, places }
            }
        };
        Ok(PreparedSmooth { chosen: chosen.to_vec(), held })
    }

    fn fill(
        &self,
        rows: Part<'_, PreparedSmooth>,
        cols: Part<'_, PreparedSmooth>,
        out: &mut [f64],
    ) -> Result<()> {
        if let (Held::Features(a), Held::Features(b)) = (&rows.set.held, &cols.set.held) {
            return Linear.fill(Part::new(a, rows.range), Part::new(b, cols.range), out);
        }
        for (row, i) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.range.clone()) {
            for (v, j) in row.iter_mut().zip(cols.range.clone()) {
                *v = value((rows.set, i), (cols.set, j));
            }
        }
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, PreparedSmooth>, out: &mut [f64]) -> Result<()> {
        if let Held::Features(features) = &of.set.held {
            return Linear.diagonal(Part::new(features, of.range), out);
        }
        out.iter_mut().zip(of.range.clone()).for_each(|(v, i)| *v = of.set.to_node(i, of.set.chosen[i]));
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        self.kernel.definiteness()
    }

    fn is_transductive(&self) -> bool {
        true
    }

    fn parts<'a>(&self, prepared: &'a PreparedSmooth) -> Result<Option<FeatureParts<'a>>> {
        match &prepared.held {
            Held::Features(features) => Linear.parts(features),
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
#[path = "smooth_tests.rs"]
mod tests;
