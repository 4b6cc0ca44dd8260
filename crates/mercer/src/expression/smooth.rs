//! Kernels on attributes of nodes, smoothed over the edges of their graph.
//!
//! The network of a column of nodes carries the attributes of all its nodes, so a fit to some of them knows those of the
//! others, and a model that stores the column stores them. Nothing is fitted to nodes that are not training objects: the
//! kernel inside is fitted to the attributes of the training objects, then it compares all nodes.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::columns::{Field, Scope, inner_of};
use super::features::{FeatureTable, rows_of};
use super::tree::{Call, Expression};
use super::value::Columns;
use crate::data::{Column, Dataset, Network, NodeAttributes, Nodes, Sparse, Values, Vectors};
use crate::error::{Error, Result, Warning};
use crate::kernel::node::{PreparedSmooth, Smoothed, Smoothing};
use crate::kernel::{Boxed, Definiteness, Kernel, Part};

/// Makes the kernel.
pub(super) fn smooth(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let smoothing = call.read(Smoothing::read)?;
    let (inner, columns) = (inner_of(call)?, scope.suitable(call)?);
    Nodes::take(scope.data, &columns, |nodes| {
        let network = nodes.network();
        let all = Described::of(inner, network, &columns[0])?;
        if !scope.fit.restores() {
            let message = format!(
                "{} uses the edges and attributes of all {} nodes of the graph, including those to be predicted: results are transductive and hold for this graph only",
                call.entry.facts.name,
                network.len()
            );
            scope.fit.warn(Warning::new("W_TRANSDUCTIVE", message));
        }
        // A kernel that is not fitted needs the types of its columns, but no objects.
        let needed = if inner.is_fitted() { nodes.len() } else { nodes.len().min(1) };
        let rows: Vec<usize> = nodes.chosen().iter().take(needed).map(|&node| node as usize).collect();
        let attributes = all.0.select(&rows).columns().to_vec();
        let training = scope.data.select(&(0..needed).collect::<Vec<_>>()).with_columns(attributes)?;
        let expression = inner.clone();
        let inner = scope.fit.kernel(inner, &Scope { data: &training, columns: None, ..*scope })?;
        let make = || Smoothed::new(inner, &*all.0, network.clone(), smoothing);
        let kernel = scope.fit.engine.run(make).map_err(|error| of_node(error, network, &columns[0]))?;
        let shown = scope.columns.map(<[String]>::to_vec);
        let known = AttributeCheck { own: all.0, print: OnceLock::new(), accepted: Mutex::default() };
        Ok(Boxed::new(OnNetwork { column: columns[0].clone(), shown, inner: expression, known, kernel }))
    })
}

/// The features of the kernel inside, smoothed: what each node has of them and of those around it.
pub(super) fn table(call: &Call, scope: &Scope<'_>) -> Result<FeatureTable> {
    let smoothing = call.read(Smoothing::read)?;
    let (inner, columns) = (inner_of(call)?, scope.suitable(call)?);
    Nodes::take(scope.data, &columns, |nodes| {
        let network = nodes.network();
        let all = Described::of(inner, network, &columns[0])?;
        let found = if scope.fit.restores() {
            inner.table(&Scope { data: &all.0, columns: None, ..*scope })
        } else {
            // Fitted to the attributes of the given nodes, as the kernel is.
            let rows: Vec<usize> = nodes.chosen().iter().map(|&node| node as usize).collect();
            let training = scope.data.with_columns(all.0.select(&rows).columns().to_vec())?;
            let steps = inner.fit(&training, scope.fit.engine)?.steps;
            inner.feature_table(&all.0, Some(steps))
        };
        let found = found.map_err(|error| of_node(error, network, &columns[0]))?;
        if !found.is_inner_product() || !found.whole.is_empty() {
            return Err(inner.without_features());
        }
        let values = Vectors::Sparse(Sparse::from_rows(found.names.len(), &found.rows)?);
        let smoothed = smoothing.apply(network, &values)?;
        let rows: Vec<usize> = nodes.chosen().iter().map(|&node| node as usize).collect();
        Ok(FeatureTable::plain(found.names, rows_of(&smoothed.select(&rows)), found.keys))
    })
}

/// All nodes of a network as objects, with the attributes that a kernel uses.
struct Described(Arc<Dataset>);

impl Described {
    fn of(inner: &Expression, network: &Arc<Network>, column: &str) -> Result<Self> {
        let known = known(network, column)?;
        let used = used_by(inner, known, network, column)?;
        let keeps_all = known.columns().iter().all(|c| used.contains(&c.name));
        if keeps_all && !used.contains(column) {
            return Ok(Described(known.clone()));
        }
        let kept = known.columns().iter().filter(|c| used.contains(&c.name)).cloned();
        let nodes = Column::new(column, Values::Nodes(Nodes::all(network.clone())));
        Dataset::new(kept.chain([nodes]).collect()).map(|all| Described(Arc::new(all)))
    }
}

/// The attributes of all nodes, or an error that says which node has none.
fn known<'a>(network: &'a Network, column: &str) -> Result<&'a Arc<Dataset>> {
    let (reason, hint) = match network.attributes() {
        NodeAttributes::Known(all) => return Ok(all),
        NodeAttributes::Absent => (
            "its nodes have no attributes that could be smoothed".to_owned(),
            "give a table with other columns and a row for every node of the graph",
        ),
        NodeAttributes::Incomplete { node, rows, count } => (
            format!(
                "smooth needs the attributes of every node: node '{}' has {rows} rows, and so have {} more of {} nodes not exactly one",
                network.name(*node),
                count - 1,
                network.len()
            ),
            "the table needs one row for each node of the graph, also for those without a target",
        ),
    };
    Err(Error::Column { name: column.to_owned(), reason, hint: Some(hint.into()) })
}

/// The attributes that a kernel inside uses or names, and the column of nodes if it uses that too.
fn used_by(
    inner: &Expression,
    known: &Dataset,
    network: &Arc<Network>,
    column: &str,
) -> Result<HashSet<String>> {
    // The columns without objects.
    let mut columns = known.select(&[]).columns().to_vec();
    columns.push(Column::new(column, Values::Nodes(Nodes::new(network.clone(), Vec::new())?)));
    let empty = Dataset::new(columns)?;
    let mut used: HashSet<String> = inner.columns_used(&empty)?.into_iter().collect();
    for name in inner.named_columns() {
        empty.column(name)?;
        used.insert(name.to_owned());
    }
    Ok(used)
}

/// An error about the attributes of a node, which are no objects of the data.
fn of_node(error: Error, network: &Network, column: &str) -> Error {
    let node = |index: usize| network.name(u32::try_from(index).unwrap_or(u32::MAX));
    match error {
        Error::Missing { index, column } => Error::Column {
            name: column,
            reason: format!(
                "is missing for node '{}', and smooth needs the attributes of every node",
                node(index)
            ),
            hint: Some("impute(…) inside smooth replaces missing values".into()),
        },
        Error::Object { index, reason, hint } => Error::Column {
            name: column.to_owned(),
            reason: format!("node '{}' {reason}", node(index)),
            hint,
        },
        other => other,
    }
}

impl Expression {
    /// The attributes of nodes that it uses in such data, by the names of their columns.
    ///
    /// They are not among the [columns it uses](Expression::columns_used): the networks of the nodes carry them.
    pub fn attributes_used(&self, data: &Dataset) -> Result<HashSet<String>> {
        let mut used = HashSet::new();
        for column in data.columns() {
            if let Values::Nodes(nodes) = &column.values
                && matches!(nodes.network().attributes(), NodeAttributes::Known(_))
            {
                self.collect_attributes(data, None, &column.name, nodes.network(), &mut used)?;
            }
        }
        Ok(used)
    }

    /// The data whose networks carry only the attributes of nodes that this expression uses: what a model stores.
    pub(crate) fn with_used_attributes(&self, data: &Dataset) -> Result<Dataset> {
        let used = self.attributes_used(data)?;
        let mut columns = data.columns().to_vec();
        for column in &mut columns {
            if let Values::Nodes(nodes) = &column.values {
                column.values = Values::Nodes(nodes.keeping_attributes(|name| used.contains(name)));
            }
        }
        data.with_columns(columns)
    }

    fn collect_attributes(
        &self,
        data: &Dataset,
        named: Option<&[String]>,
        column: &str,
        network: &Arc<Network>,
        used: &mut HashSet<String>,
    ) -> Result<()> {
        match self {
            Expression::Sum(parts) | Expression::Product(parts) => {
                parts.iter().try_for_each(|e| e.collect_attributes(data, named, column, network, used))
            }
            Expression::Scale(_, inner) => inner.collect_attributes(data, named, column, network, used),
            Expression::Group(inner, own) => inner.collect_attributes(data, Some(own), column, network, used),
            Expression::Call(call) => {
                let named = call.columns.as_deref().or(named);
                for inner in &call.inner {
                    if !call.entry.takes_attributes() {
                        inner.collect_attributes(data, named, column, network, used)?;
                    } else if call.columns_among(data, named)?.iter().any(|c| c == column) {
                        used.extend(used_by(inner, known(network, column)?, network, column)?);
                        // A kernel inside may smooth its own attributes.
                        inner.collect_attributes(data, None, column, network, used)?;
                    }
                }
                Ok(())
            }
        }
    }
}

/// Whether the nodes of new objects have the attributes that the kernel was made from.
struct AttributeCheck {
    own: Arc<Dataset>,
    print: OnceLock<u128>,
    /// The last attributes that were found equal.
    accepted: Mutex<Option<Arc<Dataset>>>,
}

impl AttributeCheck {
    fn check(&self, nodes: &Nodes, column: &str) -> Result<()> {
        let NodeAttributes::Known(given) = nodes.network().attributes() else { return Ok(()) };
        let accepted = || self.accepted.lock().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(given, &self.own) || accepted().as_ref().is_some_and(|last| Arc::ptr_eq(last, given)) {
            return Ok(());
        }
        let is_attribute = |c: &&Column| !matches!(c.values, Values::Nodes(_));
        let print = |columns: Vec<Column>| Ok::<_, Error>(Dataset::new(columns)?.fingerprint());
        let own: Vec<Column> = self.own.columns().iter().filter(is_attribute).cloned().collect();
        // New objects need not have attributes: the kernel knows those of all nodes.
        let theirs: Vec<Column> = own.iter().filter_map(|c| given.column(&c.name).ok().cloned()).collect();
        if theirs.len() < own.len() {
            return Ok(());
        }
        let known = match self.print.get() {
            Some(known) => *known,
            None => {
                let made = print(own)?;
                *self.print.get_or_init(|| made)
            }
        };
        if print(theirs)? != known {
            return Err(Error::Column {
                name: column.to_owned(),
                reason: "the attributes of its nodes differ from those in training; a transductive kernel is defined on one graph and its attributes".into(),
                hint: Some("fit again, or leave the attributes out: the model knows those of all nodes".into()),
            });
        }
        *accepted() = Some(given.clone());
        Ok(())
    }
}

/// A smoothed kernel on a column of nodes.
struct OnNetwork {
    column: String,
    /// The columns as the expression named them, if it did.
    shown: Option<Vec<String>>,
    /// The kernel on attributes, for those of other graphs.
    inner: Expression,
    known: AttributeCheck,
    kernel: Smoothed<Dataset, Boxed<Dataset>>,
}

impl fmt::Display for OnNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kernel.fmt(f)?;
        self.shown.as_deref().map_or(Ok(()), |columns| Columns(columns).fmt(f))
    }
}

impl Kernel<Dataset> for OnNetwork {
    type Prepared = PreparedSmooth;

    fn prepare(&self, objects: &Dataset) -> Result<PreparedSmooth> {
        Nodes::take(objects, std::slice::from_ref(&self.column), |nodes| {
            let network = nodes.network();
            if network.identity() == self.kernel.network().identity() {
                self.known.check(nodes, &self.column)?;
                return self.kernel.prepare(nodes);
            }
            // Nodes of a graph that grew, or of another one: its own attributes are smoothed over its own edges.
            match network.attributes() {
                NodeAttributes::Known(_) => {
                    let all = Described::of(&self.inner, network, &self.column)?;
                    let prepared = self.kernel.prepare_elsewhere(&all.0, nodes);
                    prepared.map_err(|error| of_node(error, network, &self.column))
                }
                _ => self.kernel.prepare(nodes),
            }
        })
    }

    passes_on!(kernel);
}
