//! Compiled expressions: what is computed, from which inputs, and what it depends on.
//!
//! A plan is an acyclic graph in which equal parts of an expression are one node. Parts that differ only in the last
//! operation (the gamma of a Gaussian, the kernel on standardised columns) share the nodes before it. What depends only
//! on the objects is computed once for all of them; what is fitted is computed once per split.

use std::collections::HashMap;
use std::fmt;

use xxhash_rust::xxh3::xxh3_128;

use super::change::{FitChange, settings};
use super::columns::inner_of;
use super::entry::{Depends, FromInside, Make, Way};
use super::relevance;
use super::tree::{Call, Expression};
use crate::data::Dataset;
use crate::error::{Error, Result};

/// An expression compiled for data with given columns.
///
/// ```
/// use mercer::{data::{Dataset, Dense}, expression::{Depends, Expression, Plan}};
/// let data = Dataset::of_vectors(Dense::from_rows(&[[0.0], [1.0], [3.0]]));
/// let twice: Expression = "normalize(linear) + 2*linear + center(linear)".parse()?;
/// let plan = Plan::of(&twice, &data)?;
/// assert_eq!(plan.len(), 5); // linear is one node; normalize, the multiple, center and the sum are the others
/// assert_eq!(plan.depends(), Depends::Training);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Debug)]
pub struct Plan {
    nodes: Vec<Node>,
    root: usize,
}

/// A node of a plan.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) what: What,
    /// The columns named by an enclosing `@`.
    pub(super) columns: Option<Vec<String>>,
    /// The node that transformed the columns; `None` for the original data.
    pub(super) changed: Option<usize>,
    pub(super) depends: Depends,
    /// Equal for nodes with the same values, in all plans over the same data.
    pub(super) key: u128,
    /// The number of nodes that use it.
    pub(super) uses: usize,
}

/// The operation of a node.
#[derive(Debug)]
pub(super) enum What {
    Sum(Vec<usize>),
    Product(Vec<usize>),
    Scale(f64, usize),
    /// The matrix of a whole kernel.
    Kernel(Expression),
    /// Distances shared by every gamma.
    Distances(Call, Make),
    /// exp(-gamma·D) of such distances.
    Gaussian(Call, usize),
    /// Data, not a matrix: columns transformed by a change fitted to the training objects.
    Changed(Call, FitChange, Vec<String>),
    /// A combination of the matrices of other nodes.
    Inside(Call, FromInside, Vec<usize>),
}

impl Plan {
    /// Compiles an expression without ranges. Nothing is computed.
    pub fn of(expression: &Expression, data: &Dataset) -> Result<Plan> {
        expression.check_depth()?;
        let mut compiler = Compiler { data, nodes: Vec::new(), places: HashMap::new() };
        let root = compiler.add(expression, None, None)?;
        Ok(Plan { nodes: compiler.nodes, root })
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Always false: a plan has at least one node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// What its values depend on besides their two objects.
    pub fn depends(&self) -> Depends {
        self.nodes[self.root].depends
    }

    pub(super) fn root(&self) -> usize {
        self.root
    }

    pub(super) fn node(&self, at: usize) -> &Node {
        &self.nodes[at]
    }

    /// The nodes whose matrices over all objects serve every split.
    pub(super) fn shared(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.is_shared())
    }
}

impl Node {
    /// Whether one matrix over all objects serves every split.
    pub(super) fn is_shared(&self) -> bool {
        matches!(self.what, What::Kernel(_) | What::Distances(..)) && !self.depends.is_fitted()
    }
}

/// Prints one node per line with its dependencies, each after its inputs.
impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, node) in self.nodes.iter().enumerate() {
            write!(f, "{at}: ")?;
            match &node.what {
                What::Sum(inputs) => write!(f, "sum of {inputs:?}")?,
                What::Product(inputs) => write!(f, "product of {inputs:?}")?,
                What::Scale(factor, input) => write!(f, "{factor} times [{input}]")?,
                What::Kernel(expression) => write!(f, "{expression}")?,
                What::Distances(call, _) => write!(f, "distances for {}", call.entry.facts.name)?,
                What::Gaussian(call, input) => write!(f, "{} of [{input}]", call.entry.facts.name)?,
                What::Changed(call, ..) => write!(f, "columns by {}", call.entry.facts.name)?,
                What::Inside(call, _, inputs) => write!(f, "{} of {inputs:?}", call.entry.facts.name)?,
            }
            node.changed.map_or(Ok(()), |by| write!(f, " on columns of [{by}]"))?;
            writeln!(f, "; depends on {}", node.depends.name())?;
        }
        Ok(())
    }
}

struct Compiler<'a> {
    data: &'a Dataset,
    nodes: Vec<Node>,
    /// The index of the node of each key.
    places: HashMap<u128, usize>,
}

impl Compiler<'_> {
    fn add(
        &mut self,
        expression: &Expression,
        columns: Option<&[String]>,
        changed: Option<usize>,
    ) -> Result<usize> {
        match expression {
            Expression::Sum(parts) => {
                let inputs = self.add_all(parts, columns, changed)?;
                self.node(What::Sum(inputs), "+", columns, changed)
            }
            Expression::Product(parts) => {
                let inputs = self.add_all(parts, columns, changed)?;
                self.node(What::Product(inputs), "*", columns, changed)
            }
            Expression::Scale(factor, inner) => {
                let factor = factor.number().ok_or_else(|| {
                    Error::param("factor", factor, "one value: a range is for a search to choose from")
                })?;
                let input = self.add(inner, columns, changed)?;
                self.node(What::Scale(factor, input), &factor.to_string(), columns, changed)
            }
            Expression::Group(inner, own) => self.add(inner, Some(own), changed),
            Expression::Call(call) => self.add_call(call, expression, columns, changed),
        }
    }

    fn add_all(
        &mut self,
        parts: &[Expression],
        columns: Option<&[String]>,
        changed: Option<usize>,
    ) -> Result<Vec<usize>> {
        if parts.is_empty() {
            return Err(Error::usage("an empty sum or product of kernels"));
        }
        parts.iter().map(|part| self.add(part, columns, changed)).collect()
    }

    fn add_call(
        &mut self,
        call: &Call,
        expression: &Expression,
        columns: Option<&[String]>,
        changed: Option<usize>,
    ) -> Result<usize> {
        let columns = call.columns.as_deref().or(columns);
        match (call.entry.way)(call) {
            Way::Kernel => {
                self.node(What::Kernel(expression.clone()), &expression.to_string(), columns, changed)
            }
            Way::Gaussian(distances) => {
                let distances = What::Distances(call.clone(), distances);
                // Of all settings, distances do not depend on gamma alone.
                let all = call.entry.facts.parameters.iter().zip(&call.settings);
                let own =
                    all.filter(|(parameter, _)| parameter.name != "gamma").map(|(_, s)| format!(" {s}"));
                let name = format!("distances {}{}", call.entry.facts.name, own.collect::<String>());
                let distances = self.node(distances, &name, columns, changed)?;
                let gaussian = What::Gaussian(call.clone(), distances);
                self.node(gaussian, &expression.to_string(), columns, changed)
            }
            Way::Changed(fit) => {
                let inner = inner_of(call)?;
                // Changed columns keep their names and types.
                let used = inner.columns_used_within(self.data, columns)?;
                let within = relevance::within(call);
                let name = format!("{}{}{used:?}{within:?}", call.entry.facts.name, settings(call));
                let data = self.node(What::Changed(call.clone(), fit, used), &name, columns, changed)?;
                self.add(inner, columns, Some(data))
            }
            Way::Inside(from) => {
                let inputs = self.add_all(&call.inner, columns, changed)?;
                let own = call.settings.iter().map(|s| format!(" {s}")).collect::<String>();
                let name = format!("{}{own}", call.entry.facts.name);
                self.node(What::Inside(call.clone(), from, inputs), &name, columns, changed)
            }
        }
    }

    /// Adds a node over its inputs, or finds an existing equal one.
    fn node(
        &mut self,
        what: What,
        name: &str,
        columns: Option<&[String]>,
        changed: Option<usize>,
    ) -> Result<usize> {
        let inputs: &[usize] = match &what {
            What::Sum(inputs) | What::Product(inputs) | What::Inside(_, _, inputs) => inputs,
            What::Scale(_, input) | What::Gaussian(_, input) => std::slice::from_ref(input),
            What::Kernel(_) | What::Distances(..) | What::Changed(..) => &[],
        };
        let before = changed.map(|at| self.nodes[at].key);
        let of: Vec<u128> = inputs.iter().map(|&i| self.nodes[i].key).collect();
        let key = xxh3_128(format!("{before:?} {name} {columns:?} {of:?}").as_bytes());
        if let Some(&known) = self.places.get(&key) {
            return Ok(known);
        }
        let own = match &what {
            What::Kernel(expression) => expression.depends(),
            What::Gaussian(call, _) | What::Inside(call, ..) => call.depends(),
            What::Changed(call, ..) => call.depends(),
            _ => Depends::Objects,
        };
        let below = inputs.iter().chain(&changed).map(|&i| self.nodes[i].depends);
        let depends = below.fold(own, Depends::max);
        for &at in inputs {
            self.nodes[at].uses += 1;
        }
        let columns = columns.map(<[String]>::to_vec);
        self.nodes.push(Node { what, columns, changed, depends, key, uses: 0 });
        self.places.insert(key, self.nodes.len() - 1);
        Ok(self.nodes.len() - 1)
    }
}
