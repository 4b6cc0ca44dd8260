//! Kernels between the nodes of one graph: functions f(S) of a symmetric matrix S that the graph gives.
//!
//! Every such kernel is transductive: similarity of two nodes depends on all the graph, nodes to be predicted too. It is
//! known for every node of the graph, and for no others.
//!
//! Up to some thousand nodes the whole matrix is computed once and looked up; beyond, only the entries between the
//! objects at hand, by sparse products; and with landmarks a factor of low rank. The eigendecomposition of S, from which
//! any f(S) would follow, lost: Chebyshev sums ([`Chebyshev`](crate::numeric::Chebyshev)) take a fraction of its time
//! because S is sparse, and go on where it cannot.

mod base;
pub mod closed;
mod facts;
mod family;
mod prepared;
mod propagation;

pub use base::Base;
pub use family::Family;
pub use prepared::PreparedNodes;
pub use propagation::label_propagation;

#[doc(hidden)]
pub use facts::{COMMUTE_TIME, DIFFUSION, P_STEP, PAGERANK, POWER, REGULARIZED_LAPLACIAN, VON_NEUMANN};

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
/// [`Family`] says which function, [`Base`] of which matrix. With `landmarks` = r > 0 it is replaced by its Nyström
/// factor on r nodes drawn at random, C·W⁻¹·Cᵀ, which never needs more than r columns.
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
    /// What was computed for the network it met last.
    known: Arc<Mutex<Option<Arc<Known>>>>,
}

/// What all objects of a network share.
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
    /// Too large to be computed whole.
    Parts,
}

/// How exact values are, beside the largest that the function has.
const ERROR: f64 = 1e-14;
/// Up to so many nodes the whole matrix is kept: half a gigabyte.
const WHOLE: usize = 8192;

impl NodeKernel {
    /// The kernel of a family on a base matrix; see [`Family::check`] for the bases a family takes.
    pub fn new(family: Family, base: Base) -> Result<Self> {
        family.check(base)?;
        Ok(NodeKernel { family, base, landmarks: 0, budget: Budget::default(), known: Arc::default() })
    }

    /// The same kernel by way of so many landmarks; 0 for the exact one.
    #[must_use]
    pub fn with_landmarks(self, landmarks: usize) -> Self {
        NodeKernel { landmarks, known: Arc::default(), ..self }
    }

    /// The same kernel, whose work stops when it is asked to.
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

    /// Entries between some nodes and others, computed for them alone whatever the size of the network, and a bound of
    /// the error of each.
    ///
    /// Time for one sparse product per column and term of the sum; memory for 64 columns besides the entries.
    pub fn block(&self, network: &Network, rows: &[u32], columns: &[u32]) -> Result<(Dense, f64)> {
        self.check_nodes(network, rows)?;
        self.check_nodes(network, columns)?;
        let matrix = self.family.matrix(network, self.base);
        let function = self.family.function(&matrix, self.base, ERROR)?;
        let sum = function.sum(&self.family)?;
        Ok((sum.block(&matrix, rows, columns, &self.budget)?, sum.bound()))
    }

    /// Hands the columns of some nodes to `take`, entry by entry: which column, the node of the row, the value; rows that no
    /// edge leads to are zero and left out. Gives a bound of the error of a column's length.
    ///
    /// `error` is what may be left out beside the largest value of the function, which is 1 for diffusion and regularised
    /// Laplacians. Columns of diffusion on the Laplacian add up to 1, so that none is shorter than 1/√n: `error` = ε/√n makes
    /// each exact to ε beside its own length. Memory for 64 columns, whatever their number.
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
            Some(node) => Err(Error::usage(format!("node {node} of a network of {}", network.len()))),
            None => Ok(()),
        }
    }

    /// f(S)·V for a matrix V with a row for each node, and a bound of the error beside the length of a column of V.
    pub fn apply(&self, network: &Network, v: &Dense) -> Result<(Dense, f64)> {
        let matrix = self.family.matrix(network, self.base);
        let function = self.family.function(&matrix, self.base, ERROR)?;
        let sum = function.sum(&self.family)?;
        Ok((sum.apply(&matrix, v, &self.budget)?, sum.bound()))
    }

    /// What objects of this network share, computed when it is met first.
    fn known(&self, network: &Arc<Network>) -> Result<Arc<Known>> {
        // A panic elsewhere leaves nothing half done here: the value is replaced whole.
        let last = || self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(known) = last().as_ref().filter(|k| k.network.identity() == network.identity()) {
            return Ok(known.clone());
        }
        // Not under the lock: a thread that waits in the work below may be given other work that asks for it too.
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

/// Equal when they are the same function.
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
        // Nodes of two sets that were prepared apart, in a network too large to be known whole.
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
