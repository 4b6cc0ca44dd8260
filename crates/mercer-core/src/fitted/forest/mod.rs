//! The kernel of a forest of decision trees: the share of trees in which two objects fall into the same leaf.
//!
//! [`Forest`] has the settings; [`Forest::fit`] grows the trees, each on its own and from its own random stream, so that they
//! do not depend on threads. [`ForestKernel`] is the kernel. `columns.rs` turns columns of a table into numbers with gaps,
//! `grow.rs` grows a tree, `trees.rs` holds all of them, and `rules.rs` writes leaves as conditions.

mod columns;
mod grow;
mod rules;
mod shares;
mod trees;

use std::fmt;
use std::sync::Arc;

pub use columns::{TreeColumn, TreeColumnKind};
pub use trees::{TreeArrays, Trees};

use crate::budget;
use crate::data::{Column, Kind, Sparse, Target, Vectors};
use crate::error::{Error, Result};
use crate::kernel::vector::{Linear, PreparedVectors};
use crate::kernel::{Definiteness, Domain, Facts, FeatureParts, Kernel, OneOf, Parameter, Part, declared};
use crate::parallel;
use columns::{Encoded, TreeColumns};
use grow::{Classes, Grower, Labels, Numbers, Unlabelled};

/// How trees are grown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TreeMode {
    /// All training objects; of random cuts, one for each of some columns, the best (extremely randomised trees).
    Extra,
    /// A bootstrap sample of the training objects; the best cut of some columns (random forest).
    Random,
    /// A random cut of a random column; the target is not used.
    Unsupervised,
}

impl OneOf for TreeMode {
    const WORDS: &'static [&'static str] = &["extra", "random", "unsupervised"];
    const ALL: &'static [TreeMode] = &[TreeMode::Extra, TreeMode::Random, TreeMode::Unsupervised];
}

/// The settings of a forest, before it is fitted.
///
/// k(x, y) is the share of trees in which x and y fall into the same leaf: an inner product of as many indicators of leaves
/// as there are trees, each 1/√trees. Trees separate classes by Gini's index and numbers by their variance.
///
/// * Columns of numbers, of categories and of times are used together. A time is four numbers: the time itself, the hour, the
///   day of the week and the month.
/// * Scales and monotone changes of single columns matter little, and columns that do not help are rarely split.
/// * A missing value goes its own way: to the side of a cut where it fits better, or to one side alone. Where no training
///   object of a node lacks the value, it goes with the larger part; so do categories that the node does not have.
/// * A split of categories is a set of them. Of more than 64 categories of a column, the 63 most frequent are told apart.
///
/// Fitting takes about trees · n · log n · candidates steps, an object trees · depth.
///
/// ```
/// use mercer_core::data::{Categories, Column, Dense, Target, Values};
/// use mercer_core::{fitted::Forest, gram::Engine};
/// let x = Column::new("x", Values::Numbers(Dense::from_rows(&[[0.0], [0.1], [9.0], [f64::NAN]])));
/// let target = Target::Classes(Categories::from_values(["low", "low", "high", "high"].map(Some)));
/// let columns = [x];
/// let kernel = Forest::new(20)?.with_leaf(1)?.fit(&columns, Some(&target))?;
/// let k = Engine::new().gram(&kernel, &columns[..])?;
/// assert_eq!((k.at(0, 0), k.at(0, 2)), (1.0, 0.0));
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Breiman 2001, Random forests; Geurts, Ernst & Wehenkel 2006, Extremely randomized trees; Scornet 2016, Random forests
/// and kernel methods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forest {
    trees: usize,
    leaf: usize,
    mode: TreeMode,
    depth: usize,
    candidates: usize,
    seed: u64,
}

/// Objects that a thread looks up at once.
const AT_ONCE: usize = 64;

const fn whole(
    name: &'static str,
    default: &'static str,
    low: u64,
    high: u64,
    doc: &'static str,
) -> Parameter {
    Parameter { name, default, domain: Domain::Whole(low, high), doc, alias: None }
}

impl Forest {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "forest",
        summary: "The share of trees of a forest in which two records fall into the same leaf.",
        formula: "1/trees · Σ_t [leaf_t(x) = leaf_t(y)]; trees fitted to the training objects and their target",
        takes: "columns of numbers, categories and times together, with missing values; classes or numbers of the training objects \
                as a target, unless mode=unsupervised",
        kinds: &[Kind::Numbers, Kind::Categories, Kind::Times],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            whole("trees", "200", 1, 100_000, "the number of trees"),
            whole("leaf", "3", 1, 1_000_000_000, "the least number of training objects in a leaf"),
            Parameter {
                name: "mode",
                default: "extra",
                domain: Domain::Word(TreeMode::WORDS),
                doc: "extra: the best of random cuts, all training objects; random: the best cut, a bootstrap sample for each tree; \
                      unsupervised: a random cut, without the target",
                alias: None,
            },
            whole(
                "depth",
                "0",
                0,
                10_000,
                "the largest number of cuts on the way to a leaf; 0 for any number",
            ),
            whole(
                "candidates",
                "0",
                0,
                1_000_000_000,
                "the number of columns compared for a cut; 0 for √d of d with classes, d with numbers (a third of d with mode=random)",
            ),
            whole("seed", "0", 0, 1 << 53, "the random numbers"),
        ],
        cost: "an entry: the number of trees; fitting: trees · n · log n · candidates",
        reference: "Geurts, Ernst & Wehenkel 2006, Extremely randomized trees; Scornet 2016, Random forests and kernel methods",
        example: "forest(trees=100, leaf=5)",
    };

    /// A forest of this many trees, with the defaults of the other settings.
    pub fn new(trees: usize) -> Result<Self> {
        Forest::FACTS.check("trees", trees as f64)?;
        Ok(Forest { trees, leaf: 3, mode: TreeMode::Extra, depth: 0, candidates: 0, seed: 0 })
    }

    /// The same with at least this many training objects in a leaf.
    pub fn with_leaf(self, leaf: usize) -> Result<Self> {
        Forest::FACTS.check("leaf", leaf as f64)?;
        Ok(Forest { leaf, ..self })
    }

    /// The same with trees grown in this way.
    #[must_use]
    pub fn with_mode(self, mode: TreeMode) -> Self {
        Forest { mode, ..self }
    }

    /// The same with at most this many cuts on the way to a leaf; 0 for any number.
    pub fn with_depth(self, depth: usize) -> Result<Self> {
        Forest::FACTS.check("depth", depth as f64)?;
        Ok(Forest { depth, ..self })
    }

    /// The same with this many columns compared for a cut; 0 for the default.
    pub fn with_candidates(self, candidates: usize) -> Result<Self> {
        Forest::FACTS.check("candidates", candidates as f64)?;
        Ok(Forest { candidates, ..self })
    }

    /// The same with other random numbers.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Forest { seed, ..self }
    }

    /// Grows the trees on training objects. Their order, and the names of columns, decide which random numbers are used.
    pub fn fit(&self, columns: &[Column], target: Option<&Target>) -> Result<ForestKernel> {
        let known = TreeColumns::of(columns);
        let encoded = Encoded::of(&known, &known.cells(columns)?);
        let arrays = match target.filter(|_| self.mode != TreeMode::Unsupervised) {
            None if self.mode != TreeMode::Unsupervised => {
                return Err(Error::Column {
                    name: "target".into(),
                    reason: "is not named: forest is fitted to the target".into(),
                    hint: Some("name the target, or use forest(mode=unsupervised)".into()),
                });
            }
            None => self.grow(&encoded, &Unlabelled)?,
            Some(Target::Classes(classes)) => self.grow(&encoded, &Classes::of(classes, encoded.len())?)?,
            Some(Target::Numbers(numbers)) => self.grow(&encoded, &Numbers::of(numbers, encoded.len())?)?,
        };
        ForestKernel::restore(self.clone(), Arc::new(Trees::new(known, arrays)?))
    }

    fn grow<L: Labels>(&self, encoded: &Encoded, labels: &L) -> Result<TreeArrays> {
        let d = encoded.width();
        let candidates = match (self.candidates, L::KIND) {
            (0, grow::LabelKind::Classes) => (d as f64).sqrt().ceil() as usize,
            (0, grow::LabelKind::Numbers) if self.mode == TreeMode::Random => d.div_ceil(3),
            (0, grow::LabelKind::Numbers) => d,
            (_, grow::LabelKind::Nothing) => 1,
            (given, _) => given.min(d),
        };
        let one =
            |tree: usize| Grower::new(encoded, labels, self, candidates.max(1), tree as u64).grow(self.depth);
        let grown = parallel::try_map(self.trees, one)?;
        budget::check()?;
        TreeArrays::joined(grown)
    }

    /// The categories of columns that are not told apart, because there are more than 64: the column and their number.
    pub fn merged_categories(trees: &Trees, columns: &[Column]) -> Vec<(String, usize)> {
        trees.columns().merged(columns)
    }
}

declared!(Forest { trees, leaf, mode, depth, candidates, seed });

/// The kernel of a fitted forest.
#[derive(Clone, Debug)]
pub struct ForestKernel {
    forest: Forest,
    trees: Arc<Trees>,
}

impl ForestKernel {
    /// The kernel of trees that were fitted with these settings.
    #[doc(hidden)]
    pub fn restore(forest: Forest, trees: Arc<Trees>) -> Result<Self> {
        if trees.len() != forest.trees {
            return Err(Error::usage(format!("{} stored trees, expected {}", trees.len(), forest.trees)));
        }
        Ok(ForestKernel { forest, trees })
    }

    /// The trees.
    pub fn trees(&self) -> &Arc<Trees> {
        &self.trees
    }

    /// The value of the feature of a leaf: 1/√trees.
    pub fn unit(&self) -> f64 {
        1.0 / (self.trees.len() as f64).sqrt()
    }

    /// The leaves of objects, one of each tree, object after object. Leaves are numbered over all trees.
    pub fn leaves(&self, objects: &[Column]) -> Result<Vec<u32>> {
        let cells = self.trees.columns().cells(objects)?;
        let trees = self.trees.len();
        budget::ask("the leaves of objects", budget::matrix_bytes(cells.rows(), trees, 4))?;
        let mut leaves = vec![0u32; cells.rows() * trees];
        parallel::chunks_mut(&mut leaves, AT_ONCE * trees, |at, part| {
            for (i, own) in part.chunks_exact_mut(trees).enumerate() {
                budget::check_after(16 * trees)?;
                self.trees.find(cells.row(at * AT_ONCE + i), own);
            }
            Ok(())
        })?;
        Ok(leaves)
    }
}

impl fmt::Display for ForestKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.forest.fmt(f)
    }
}

impl Kernel<[Column]> for ForestKernel {
    type Prepared = PreparedVectors;

    fn prepare(&self, objects: &[Column]) -> Result<Self::Prepared> {
        let (leaves, trees) = (self.leaves(objects)?, self.trees.len());
        budget::ask("the leaves of objects as features", budget::matrix_bytes(leaves.len(), 2, 8))?;
        let offsets = (0..=leaves.len() / trees.max(1)).map(|i| i * trees).collect();
        let values = vec![self.unit(); leaves.len()];
        Linear.prepare(&Vectors::Sparse(Sparse::new(self.trees.leaves(), offsets, leaves, values)?))
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        Linear.fill(rows, cols, out)?;
        self.count(out);
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        Linear.diagonal(of, out)?;
        self.count(out);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::PositiveSemidefinite
    }

    fn parts<'a>(&self, prepared: &'a Self::Prepared) -> Result<Option<FeatureParts<'a>>> {
        Linear.parts(prepared)
    }
}

impl ForestKernel {
    /// Removes the rounding of inner products: they are counts over the number of trees.
    fn count(&self, out: &mut [f64]) {
        let trees = self.trees.len() as f64;
        out.iter_mut().for_each(|v| *v = (*v * trees).round() / trees);
    }
}

#[cfg(test)]
mod tests;
