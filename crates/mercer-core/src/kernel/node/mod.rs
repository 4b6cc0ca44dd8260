//! Kernels between the nodes of one graph: functions f(S) of a symmetric matrix S of the graph.
//!
//! Every such kernel is transductive: the similarity of two nodes depends on the whole graph, including the nodes to be
//! predicted. It is defined only for nodes of that graph.
//!
//! Up to some thousand nodes the full matrix is computed once and then looked up. For larger graphs only the entries
//! between the given objects are computed, by sparse products; with landmarks, a low-rank factor. The
//! eigendecomposition of S would give any f(S), but it is slower. Chebyshev sums
//! ([`Chebyshev`](crate::numeric::Chebyshev)) take a fraction of its time because S is sparse, and work for graphs
//! where it does not fit.

mod base;
pub mod closed;
mod facts;
mod family;
mod prepared;
mod propagation;
mod smooth;

pub use base::Base;
pub use family::Family;
pub use prepared::PreparedNodes;
pub use propagation::label_propagation;
pub use smooth::{PreparedSmooth, Smoothed, Smoothing, Spreading};

#[doc(hidden)]
pub use facts::{COMMUTE_TIME, DIFFUSION, P_STEP, PAGERANK, POWER, REGULARIZED_LAPLACIAN, VON_NEUMANN};
#[doc(hidden)]
pub use smooth::SMOOTH;

use std::fmt;
use std::sync::{Arc, Mutex};

use self::family::Function;
use self::prepared::{Held, Landmarks};
use super::{Definiteness, Kernel, Part, operators};
use crate::budget::Budget;
use crate::data::{Dense, Network, Nodes};
use crate::error::{Error, Result};
use crate::numeric::Symmetric;

/// A kernel f(S) between the nodes of a graph.
///
/// [`Family`] is the function, [`Base`] the matrix. With `landmarks` = r > 0 the kernel is replaced by its Nyström
/// approximation on r random nodes, C·W⁻¹·Cᵀ, which never needs more than r columns.
///
/// ```
/// use std::sync::Arc;
/// use mercer_core::{data::{Network, Nodes}, gram::Engine, kernel::node::{Base, Family, NodeKernel}};
/// let edges = [(0, 2), (0, 3), (1, 2), (1, 4), (2, 3), (3, 4)].map(|(a, b)| (a, b, 1.0));
/// let nodes = Nodes::all(Arc::new(Network::new(5, &edges)?));
/// let kernel = NodeKernel::new(Family::Diffusion { beta: 0.2 }, Base::Laplacian)?;
/// let k = Engine::new().gram(&kernel, &nodes)?;
/// assert!((k.at(0, 0) - 0.70).abs() < 0.005 && (k.at(0, 2) - 0.14).abs() < 0.005);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Kondor & Lafferty 2002; Smola & Kondor 2003; Zaki & Meira 2020, chapter 5.
#[derive(Clone, Debug)]
pub struct NodeKernel {
    family: Family,
    base: Base,
    landmarks: usize,
    budget: Budget,
    /// Cached results for the most recent network.
    known: Arc<Mutex<Option<Arc<Known>>>>,
}

/// Data shared by all objects of a network.
#[derive(Debug)]
struct Known {
    network: Arc<Network>,
    matrix: Symmetric,
    function: Function,
    values: Shared,
}

#[derive(Debug)]
enum Shared {
    Whole(Arc<Dense>),
    Landmarks(Landmarks),
    /// The full matrix is too large.
    Parts,
}

/// The error of values, relative to the largest value of the function.
const ERROR: f64 = 1e-14;
/// Maximum number of nodes for which the full matrix is stored: half a gigabyte.
const WHOLE: usize = 8192;

impl NodeKernel {
    /// The kernel of a family on a base matrix; see [`Family::check`] for the bases that a family accepts.
    pub fn new(family: Family, base: Base) -> Result<Self> {
        family.check(base)?;
        Ok(NodeKernel { family, base, landmarks: 0, budget: Budget::default(), known: Arc::default() })
    }

    /// Sets the number of Nyström landmarks; 0 computes exact values.
    #[must_use]
    pub fn with_landmarks(self, landmarks: usize) -> Self {
        NodeKernel { landmarks, known: Arc::default(), ..self }
    }

    /// Sets the budget, which can cancel the computation.
    #[must_use]
    pub fn with_budget(self, budget: Budget) -> Self {
        NodeKernel { budget, ..self }
    }

    /// The family.
    pub fn family(&self) -> Family {
        self.family
    }

    /// The base matrix.
    pub fn base(&self) -> Base {
        self.base
    }

    /// Entries between the given rows and columns only, for a network of any size, and a bound on the error of each
    /// entry.
    ///
    /// Time: one sparse product per column and term of the sum. Memory: 64 columns in addition to the entries.
    pub fn block(&self, network: &Network, rows: &[u32], columns: &[u32]) -> Result<(Dense, f64)> {
        self.check_nodes(network, rows)?;
        self.check_nodes(network, columns)?;
        let matrix = self.family.matrix(network, self.base);
        let function = self.family.function(&matrix, self.base, ERROR)?;
        let sum = function.sum(&self.family)?;
        Ok((sum.block(&matrix, rows, columns, &self.budget)?, sum.bound()))
    }

    /// Calls `take` with the entries of the given columns: the column, the node of the row, and the value. Rows that no
    /// edge reaches are zero and are skipped. Returns a bound on the error of a column's norm.
    ///
    /// `error` is relative to the largest value of the function, which is 1 for diffusion and regularised Laplacians.
    /// Columns of diffusion on the Laplacian sum to 1, so their norm is at least 1/√n: `error` = ε/√n makes each
    /// accurate to ε relative to its norm. Memory for 64 columns, whatever their number.
    ///
    /// ```
    /// use mercer_core::{data::generate, kernel::node::{Base, Family, NodeKernel}};
    /// let network = generate::power_law(2000, 3, 1)?;
    /// let kernel = NodeKernel::new(Family::Diffusion { beta: 0.1 }, Base::Laplacian)?;
    /// let mut sum = 0.0;
    /// let error = kernel.columns(&network, &[17], 1e-8 / 2000f64.sqrt(), |_, _, value| sum += value)?;
    /// assert!(error < 1e-9 && (sum - 1.0f64).abs() < 1e-8);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn columns(
        &self,
        network: &Network,
        columns: &[u32],
        error: f64,
        mut take: impl FnMut(usize, u32, f64),
    ) -> Result<f64> {
        self.check_nodes(network, columns)?;
        let error = crate::kernel::Domain::Positive.check("error", error)?.max(1e-15);
        let matrix = self.family.matrix(network, self.base);
        let function = self.family.function(&matrix, self.base, error)?;
        let sum = function.sum(&self.family)?;
        sum.columns(&matrix, columns, &self.budget, |column, range, value| {
            for (i, &node) in matrix.order()[range].iter().enumerate() {
                take(column, node, value(i));
            }
        })?;
        Ok(sum.bound())
    }

    fn check_nodes(&self, network: &Network, nodes: &[u32]) -> Result<()> {
        match nodes.iter().find(|&&node| node as usize >= network.len()) {
            Some(node) => Err(Error::usage(format!(
                "node {node} is out of range: the network has {} nodes",
                network.len()
            ))),
            None => Ok(()),
        }
    }

    /// f(S)·V for a matrix V with one row per node, and a bound on the error relative to the norm of a column of V.
    pub fn apply(&self, network: &Network, v: &Dense) -> Result<(Dense, f64)> {
        let matrix = self.family.matrix(network, self.base);
        let function = self.family.function(&matrix, self.base, ERROR)?;
        let sum = function.sum(&self.family)?;
        Ok((sum.apply(&matrix, v, &self.budget)?, sum.bound()))
    }

    /// The data shared by objects of this network, computed at first use.
    fn known(&self, network: &Arc<Network>) -> Result<Arc<Known>> {
        // A poisoned lock is safe to use: the value is always replaced as a whole.
        let last = || self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(known) = last().as_ref().filter(|k| k.network.identity() == network.identity()) {
            return Ok(known.clone());
        }
        // Not under the lock: a thread that waits below may run another task that takes the same lock.
        let matrix = self.family.matrix(network, self.base);
        let function = self.family.function(&matrix, self.base, ERROR)?;
        let values = match self.landmarks {
            0 if network.len() <= WHOLE => {
                Shared::Whole(Arc::new(function.whole(&self.family, &matrix, &self.budget)?))
            }
            0 => Shared::Parts,
            count => {
                Shared::Landmarks(Landmarks::new(function.sum(&self.family)?, &matrix, count, &self.budget)?)
            }
        };
        let known = Arc::new(Known { network: network.clone(), matrix, function, values });
        *last() = Some(known.clone());
        Ok(known)
    }
}

/// Equal if they are the same function.
impl PartialEq for NodeKernel {
    fn eq(&self, other: &Self) -> bool {
        (self.family, self.base, self.landmarks) == (other.family, other.base, other.landmarks)
    }
}

impl fmt::Display for NodeKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.family.print(f, self.base, self.landmarks)
    }
}

impl Kernel<Nodes> for NodeKernel {
    type Prepared = PreparedNodes;

    fn prepare(&self, objects: &Nodes) -> Result<PreparedNodes> {
        let known = self.known(objects.network())?;
        let held = match &known.values {
            Shared::Whole(values) => Held::Whole(values.clone()),
            Shared::Landmarks(landmarks) => Held::Factor(landmarks.features(objects.chosen())),
            Shared::Parts => {
                let sum = known.function.sum(&self.family)?;
                Held::block(sum, &known.matrix, objects.chosen(), &self.budget)?
            }
        };
        Ok(PreparedNodes::new(objects, held))
    }

    fn fill(
        &self,
        rows: Part<'_, PreparedNodes>,
        cols: Part<'_, PreparedNodes>,
        out: &mut [f64],
    ) -> Result<()> {
        if prepared::fill(&rows, &cols, out)? {
            return Ok(());
        }
        // Nodes of two sets that were prepared separately, in a network too large for the full matrix.
        let known = self.known(rows.set.network())?;
        let (own, theirs) = (rows.set.nodes(rows.range.clone()), cols.set.nodes(cols.range.clone()));
        let block = known.function.sum(&self.family)?.block(&known.matrix, own, theirs, &self.budget)?;
        out.copy_from_slice(block.values());
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, PreparedNodes>, out: &mut [f64]) -> Result<()> {
        prepared::diagonal(&of, out);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        self.family.definiteness(self.base)
    }

    fn is_transductive(&self) -> bool {
        true
    }
}

operators!([] NodeKernel);

#[cfg(test)]
mod tests;
