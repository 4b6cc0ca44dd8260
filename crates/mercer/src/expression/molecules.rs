//! Kernels on columns of molecules, and their graphs.

use std::fmt;
use std::sync::Arc;

use super::columns::{Field, Scope, inner_of};
use super::entry::Entry;
use super::features::FeatureTable;
use super::tree::Call;
use crate::data::{AtomLabels, Column, Dataset, Molecule, Values, molecule_graphs};
use crate::error::{Error, Result};
use crate::kernel::counts::Describe;
use crate::kernel::molecule::OnMolecules;
use crate::kernel::{Boxed, Definiteness, Domain, Facts, Kernel, Parameter, Part};

impl Field for [Arc<Molecule>] {
    fn take<R>(data: &Dataset, columns: &[String], work: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        match columns {
            [one] => match &data.column(one)?.values {
                Values::Molecules(molecules) => work(molecules),
                other => Err(Error::Column {
                    name: one.clone(),
                    reason: format!("holds {}, not molecules", other.kind()),
                    hint: None,
                }),
            },
            _ => Err(Error::usage("a kernel on molecules takes one column: add several with +")),
        }
    }
}

/// The registry entry of a kernel that counts fragments of molecules.
pub(super) const fn counting<K>() -> Entry
where
    K: Kernel<[Arc<Molecule>]> + OnMolecules + Describe<Objects = [Arc<Molecule>]> + 'static,
    K::Prepared: 'static,
{
    Entry::of::<[Arc<Molecule>], K>()
        .with_features(|call, scope| scope.counted(call, scope.declared::<K>(call)?))
}

/// Facts about the choice of atom labels.
pub(super) const ATOMS: Facts = Facts {
    name: "atoms",
    summary: "Labels the atoms of molecules, before a kernel on graphs.",
    formula: "k of the graphs of the molecules; labels=element: C; atom: element, aromaticity, charge, neighbours and hydrogens; pharmacophore: donor, acceptor, …",
    takes: "a kernel on graphs",
    kinds: &[],
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[Parameter {
        name: "labels",
        default: "atom",
        domain: Domain::Word(&["element", "atom", "pharmacophore"]),
        doc: "what the label of an atom says",
        alias: None,
    }],
    cost: "that of the kernel",
    reference: "Ralaivola, Swamidass, Saigo & Baldi 2005, Graph kernels for chemical informatics",
    example: "atoms(wl-oa(h=3), labels=pharmacophore)",
};

/// A kernel on the graphs of molecules.
pub(super) fn atoms(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let (labels, columns) = labels_and_columns(call, scope)?;
    let training = relabelled(scope.data, &columns, labels)?;
    let inner = scope.fit.kernel(inner_of(call)?, &Scope { data: &training, ..*scope })?;
    Ok(Boxed::new(OnAtoms { labels, columns, inner }))
}

/// The features of the kernel inside, on the graphs of molecules.
pub(super) fn atoms_table(call: &Call, scope: &Scope<'_>) -> Result<FeatureTable> {
    let (labels, columns) = labels_and_columns(call, scope)?;
    let graphs = relabelled(scope.data, &columns, labels)?;
    let table = inner_of(call)?.table(&Scope { data: &graphs, ..*scope })?;
    Ok(table.converted(move |data| relabelled(data, &columns, labels)))
}

/// The labels of a call, and the columns of molecules that it uses.
fn labels_and_columns(call: &Call, scope: &Scope<'_>) -> Result<(AtomLabels, Vec<String>)> {
    let labels = match call.word("labels")? {
        "element" => AtomLabels::Element,
        "atom" => AtomLabels::Atom,
        _ => AtomLabels::Pharmacophore,
    };
    let inner = inner_of(call)?;
    let mut columns = inner.columns_used_within(scope.data, scope.columns)?;
    columns
        .retain(|name| matches!(scope.data.column(name), Ok(c) if matches!(c.values, Values::Molecules(_))));
    if columns.is_empty() {
        return Err(Error::Column {
            name: "*".into(),
            reason: "atoms finds no molecules that its kernel uses".into(),
            hint: Some("columns of molecules are read from SMILES: `type=COLUMN=molecules`".into()),
        });
    }
    Ok((labels, columns))
}

/// The data set with these molecules as graphs.
fn relabelled(data: &Dataset, columns: &[String], labels: AtomLabels) -> Result<Dataset> {
    let change = |column: &Column| match &column.values {
        Values::Molecules(all) if columns.contains(&column.name) => {
            if let Some(index) = all.iter().position(|m| m.is_empty()) {
                return Err(Error::Missing { index, column: column.name.clone() });
            }
            Ok(Column::new(&column.name, Values::Graphs(molecule_graphs(all, labels)?)))
        }
        _ => Ok(column.clone()),
    };
    data.with_columns(data.columns().iter().map(change).collect::<Result<_>>()?)
}

/// A kernel on the graphs of molecules with chosen labels.
struct OnAtoms<K> {
    labels: AtomLabels,
    columns: Vec<String>,
    inner: K,
}

impl<K: fmt::Display> fmt::Display for OnAtoms<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels = match self.labels {
            AtomLabels::Element => "element",
            AtomLabels::Atom => "atom",
            AtomLabels::Pharmacophore => "pharmacophore",
        };
        write!(f, "atoms({}, labels={labels})", self.inner)
    }
}

impl<K: Kernel<Dataset>> Kernel<Dataset> for OnAtoms<K> {
    type Prepared = K::Prepared;

    fn prepare(&self, objects: &Dataset) -> Result<Self::Prepared> {
        self.inner.prepare(&relabelled(objects, &self.columns, self.labels)?)
    }

    passes_on!(inner);
}
