//! Molecules as labelled graphs.

use std::sync::{Arc, LazyLock};

use mercer_molecules::{Molecule, MoleculeError, Order, features};

use super::{Graph, GraphBuilder, Labels, Names};
use crate::budget;
use crate::error::{Error, Result};
use crate::parallel;

/// How the atoms of a molecule are labelled in its graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AtomLabels {
    /// The element: `C`.
    #[default]
    Element,
    /// Element, aromaticity, neighbours, hydrogens and charge: `c2H1`, `N+3H1`.
    Atom,
    /// Donor, acceptor, aromatic, halogen, basic, acidic: `donor+acceptor`.
    Pharmacophore,
}

/// The orders of bonds, as edge labels; every graph of a molecule shares this table.
static ORDERS: LazyLock<Arc<Names>> = LazyLock::new(|| {
    let mut names = Names::new();
    for order in [Order::Single, Order::Double, Order::Triple, Order::Quadruple, Order::Aromatic] {
        names.intern(order.name());
    }
    Arc::new(names)
});

/// The graph of a molecule: atoms are nodes with labels of a scheme, bonds are edges labelled by their order.
///
/// ```
/// use mercer_core::data::{AtomLabels, Molecule, molecule_graph};
/// let phenol: Molecule = "Oc1ccccc1".parse().unwrap();
/// let graph = molecule_graph(&phenol, AtomLabels::Atom)?;
/// assert_eq!((graph.nodes(), graph.edges()), (7, 7));
/// assert_eq!(graph.node_labels().unwrap().get(0), "O1H1");
/// assert_eq!(graph.edge_labels().unwrap().get(1), "single");
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn molecule_graph(molecule: &Molecule, labels: AtomLabels) -> Result<Graph> {
    let n = molecule.atoms().len();
    let names: Vec<String> = match labels {
        AtomLabels::Element => (0..n).map(|i| molecule.symbol(i).to_owned()).collect(),
        AtomLabels::Atom => (0..n).map(|i| atom_name(molecule, i)).collect(),
        AtomLabels::Pharmacophore => features(molecule).into_iter().map(|f| f.name()).collect(),
    };
    let edges = molecule.bonds().iter().map(|b| (b.atoms[0], b.atoms[1])).collect();
    let codes = molecule.bonds().iter().map(|b| b.order as u32).collect();
    let mut builder = GraphBuilder::undirected(n).edges(edges).node_labels(Labels::from_names(names));
    if let Some(orders) = Labels::from_codes(codes, Arc::clone(&ORDERS)) {
        builder = builder.edge_labels(orders);
    }
    Ok(builder.build()?.0)
}

/// A molecule, or why its text is none.
pub type ParsedMolecule = std::result::Result<Arc<Molecule>, MoleculeError>;

/// Each molecule from its SMILES, or why it cannot be read, in parallel; a missing or empty text is a molecule without
/// atoms. Fails only when the budget is spent.
///
/// ```
/// let parsed = mercer_core::data::try_molecules(&[Some("CCO"), Some("C1CC")])?;
/// assert!(parsed[0].is_ok() && parsed[1].is_err());
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn try_molecules(texts: &[Option<&str>]) -> Result<Vec<ParsedMolecule>> {
    parallel::try_map(texts.len(), |i| {
        budget::check_often()?;
        let Some(text) = texts[i].map(str::trim).filter(|text| !text.is_empty()) else {
            return Ok(Ok(Arc::default()));
        };
        Ok(text.parse().map(Arc::new))
    })
}

/// Molecules from their SMILES, as [`try_molecules`]. The error of the first text that cannot be read has its number and
/// a caret below the place.
///
/// ```
/// use mercer_core::data::parse_molecules;
/// let molecules = parse_molecules(&[Some("CCO"), None])?;
/// assert_eq!((molecules[0].atoms().len(), molecules[1].is_empty()), (3, true));
/// let error = parse_molecules(&[Some("C"), Some("C1CC")]).unwrap_err();
/// assert!(error.to_string().ends_with("C1CC\n   ^"));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn parse_molecules(texts: &[Option<&str>]) -> Result<Vec<Arc<Molecule>>> {
    let refused = |(index, one): (usize, ParsedMolecule)| {
        one.map_err(|error| {
            let text = texts[index].unwrap_or_default().trim();
            let reason = format!("{error}\n  {}", error.with_caret(text).replace('\n', "\n  "));
            Error::Object { index, reason, hint: None }
        })
    };
    try_molecules(texts)?.into_iter().enumerate().map(refused).collect()
}

/// The graphs of molecules.
pub fn molecule_graphs(molecules: &[Arc<Molecule>], labels: AtomLabels) -> Result<Vec<Graph>> {
    molecules.iter().map(|molecule| molecule_graph(molecule, labels)).collect()
}

/// Element, aromaticity, charge, neighbours and hydrogens in one label.
fn atom_name(molecule: &Molecule, i: usize) -> String {
    let atom = &molecule.atoms()[i];
    let symbol = molecule.symbol(i);
    let mut name = if atom.aromatic { symbol.to_lowercase() } else { symbol.to_owned() };
    if atom.charge != 0 {
        name.push_str(&format!("{:+}", atom.charge));
    }
    name.push_str(&molecule.degree(i).to_string());
    if atom.hydrogens > 0 {
        name.push_str(&format!("H{}", atom.hydrogens));
    }
    name
}
