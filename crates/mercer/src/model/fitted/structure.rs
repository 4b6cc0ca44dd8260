//! Contributions by node and edge of a graph, by atom and bond of a molecule, or by time step of a series.

use serde::Serialize;

use crate::budget;
use crate::data::{Dataset, DrawStyle, Graph, Molecule, Theme, Values};
use crate::error::Result;
use crate::expression::FeatureTable;

/// The contributions of the nodes and edges of an object.
///
/// The amount of a feature is divided equally among its occurrences, and that of an occurrence equally among its nodes
/// and the edges between them. So the amounts of all nodes and edges add up to those of all features with places. The
/// nodes of a series are its time steps, and an occurrence is a stretch of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StructureWeights {
    /// The column of graphs, molecules or series.
    pub column: String,
    /// The contribution of each node, atom or time step.
    pub nodes: Vec<f64>,
    /// The contribution of each edge, as pairs of nodes in ascending order; of each bond, in the order of the molecule.
    pub edges: Vec<f64>,
}

impl StructureWeights {
    /// The image of a molecule with these weights as SVG; `None` if it is too large to draw, or another one.
    ///
    /// ```
    /// use mercer::data::{Molecule, Theme};
    /// use mercer::model::StructureWeights;
    /// let molecule: Molecule = "CO".parse().unwrap();
    /// let weights = StructureWeights { column: "smiles".into(), nodes: vec![0.1, -0.3], edges: vec![0.2] };
    /// assert!(weights.to_svg(&molecule, Theme::Light).unwrap().contains("negative"));
    /// ```
    pub fn to_svg(&self, molecule: &Molecule, theme: Theme) -> Option<String> {
        let fits = (self.nodes.len(), self.edges.len()) == (molecule.atoms().len(), molecule.bonds().len());
        let style = DrawStyle { weights: Some((&self.nodes, &self.edges)), theme, ..DrawStyle::default() };
        if fits { molecule.to_svg(&style) } else { None }
    }
}

/// The structures of an object.
pub(super) struct Structures;

/// A structure while its weights are summed.
struct Structure<'d> {
    column: &'d str,
    /// The neighbours of each node with the number of the edge.
    around: Vec<Vec<(u32, u32)>>,
    weights: StructureWeights,
    /// When each node was last part of an occurrence.
    seen: Vec<u64>,
    is_used: bool,
    /// Whether occurrences are stretches; weights are then differences until [`Structure::finished`].
    of_series: bool,
}

impl Structures {
    /// The weights of the nodes and edges of object i, from the amounts of its features, in the order of its row.
    pub(super) fn of(
        data: &Dataset,
        i: usize,
        table: &FeatureTable,
        amounts: &[(u32, f64, f64, f64)],
    ) -> Result<Vec<StructureWeights>> {
        let columns = data.columns().iter();
        let mut all: Vec<Structure<'_>> = columns
            .filter_map(|column| {
                let (around, of_series) = match &column.values {
                    Values::Graphs(graphs) => (of_graph(&graphs[i]), false),
                    Values::Molecules(molecules) => (of_molecule(&molecules[i]), false),
                    Values::Series(series) => (vec![Vec::new(); series[i].len()], true),
                    _ => return None,
                };
                Some(Structure { of_series, ..Structure::new(&column.name, around) })
            })
            .collect();
        if all.is_empty() {
            return Ok(Vec::new());
        }
        let mut sorted: Vec<(u32, f64)> = amounts.iter().map(|a| (a.0, a.3)).collect();
        sorted.sort_unstable_by_key(|a| a.0);
        let number = |feature: u32| sorted.binary_search_by_key(&feature, |a| a.0).ok();
        let mut times = vec![0u32; sorted.len()];
        table.places(data, i, &mut |_, feature, _| {
            if let Some(at) = number(feature) {
                times[at] += 1;
            }
        })?;
        budget::check()?;
        let mut round = 0;
        table.places(data, i, &mut |column, feature, nodes| {
            let Some(at) = number(feature).filter(|_| !budget::is_spent_often()) else { return };
            if let Some(structure) = all.iter_mut().find(|s| s.column == column) {
                round += 1;
                structure.add(sorted[at].1 / f64::from(times[at]), nodes, round);
            }
        })?;
        budget::check()?;
        Ok(all.into_iter().filter(|s| s.is_used).map(Structure::finished).collect())
    }
}

impl<'d> Structure<'d> {
    fn new(column: &'d str, around: Vec<Vec<(u32, u32)>>) -> Self {
        let nodes = around.len();
        let edges = around.iter().flatten().map(|(_, edge)| *edge as usize + 1).max().unwrap_or(0);
        let weights =
            StructureWeights { column: column.to_owned(), nodes: vec![0.0; nodes], edges: vec![0.0; edges] };
        Structure { column, around, weights, seen: vec![0; nodes], is_used: false, of_series: false }
    }

    /// Divides an amount among the time steps of a stretch, as a difference at its ends.
    fn add_stretch(&mut self, amount: f64, first: u32, last: u32) {
        let (first, end) = (first as usize, last as usize + 1);
        let share = amount / end.saturating_sub(first).max(1) as f64;
        for (at, share) in [(first, share), (end, -share)] {
            if let Some(step) = self.weights.nodes.get_mut(at) {
                *step += share;
            }
        }
    }

    fn finished(mut self) -> StructureWeights {
        if self.of_series {
            let mut sum = 0.0;
            self.weights.nodes.iter_mut().for_each(|step| {
                sum += *step;
                *step = sum;
            });
        }
        self.weights
    }

    /// Divides an amount among the nodes of an occurrence and the edges between them.
    fn add(&mut self, amount: f64, nodes: &[u32], round: u64) {
        self.is_used = true;
        if let (true, &[first, last]) = (self.of_series, nodes) {
            return self.add_stretch(amount, first, last);
        }
        for &node in nodes.iter().filter(|&&n| (n as usize) < self.around.len()) {
            self.seen[node as usize] = round;
        }
        let (mut inside, mut between) = (Vec::new(), Vec::new());
        for &node in nodes.iter().filter(|&&n| (n as usize) < self.around.len()) {
            // A node that the list names twice counts once.
            if self.seen[node as usize] != round {
                continue;
            }
            self.seen[node as usize] = round | TAKEN;
            inside.push(node);
            for &(other, edge) in &self.around[node as usize] {
                // The other end was taken before: both are inside.
                if self.seen[other as usize] == round | TAKEN {
                    between.push(edge);
                }
            }
        }
        let share = amount / (inside.len() + between.len()).max(1) as f64;
        inside.into_iter().for_each(|n| self.weights.nodes[n as usize] += share);
        between.into_iter().for_each(|e| self.weights.edges[e as usize] += share);
    }
}

/// Marks nodes of an occurrence that have their share.
const TAKEN: u64 = 1 << 63;

/// The neighbours of each node with the number of the edge: edges in ascending order of their two nodes.
fn of_graph(graph: &Graph) -> Vec<Vec<(u32, u32)>> {
    let mut around = vec![Vec::new(); graph.nodes()];
    let edges = graph.arcs().filter(|(from, to)| graph.is_directed() || from <= to);
    for ((from, to), number) in edges.zip(0u32..) {
        around[from as usize].push((to, number));
        if from != to {
            around[to as usize].push((from, number));
        }
    }
    around
}

fn of_molecule(molecule: &Molecule) -> Vec<Vec<(u32, u32)>> {
    let of = |atom: usize| molecule.neighbours(atom).iter().map(|n| (n.atom, n.bond)).collect();
    (0..molecule.atoms().len()).map(of).collect()
}

/// The number of nodes and atoms of an object.
pub(super) fn size(data: &Dataset, i: usize) -> usize {
    let of = |values: &Values| match values {
        Values::Graphs(graphs) => graphs[i].nodes(),
        Values::Molecules(molecules) => molecules[i].atoms().len(),
        Values::Series(series) => series[i].len(),
        _ => 0,
    };
    data.columns().iter().map(|c| of(&c.values)).sum()
}
