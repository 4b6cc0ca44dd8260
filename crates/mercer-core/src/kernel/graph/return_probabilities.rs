//! Sets of nodes compared by return probabilities of random walks, labels and attributes.

use super::{FeatureUse, GRAPHS, GraphFeatures, Ignore, OnGraphs, hash_of, switch};
use crate::budget;
use crate::data::Graph;
use crate::error::{Error, Result};
use crate::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, Part, Prepared, declared};
use crate::numeric::math;
use crate::parallel;

/// The mean similarity of the nodes of two graphs, by return probabilities of random walks, labels and attributes.
///
/// k(G, H) = 1/(n·m) Σ_{u ∈ G} Σ_{v ∈ H} \[l(u) = l(v)\]·exp(-gamma·|p_u - p_v|²)·exp(-attribute-gamma·|x_u - x_v|²), where
/// p_u lists the probabilities that a random walk from u is at u after 1, 2, …, `steps` steps. A walk leaves a node along
/// its edges in proportion to their weights, and ends at a node without any. Return probabilities tell nodes apart by the
/// structure around them. With `steps=0` only labels and attributes count, which is the baseline for graphs with
/// attributes. Nodes without labels or attributes differ in the rest alone.
///
/// k(G, H) is the inner product of the mean embeddings of two sets of nodes, so
/// `rbf-of(return-probabilities, gamma=…)` is a Gaussian of their maximum mean discrepancy, which is the kernel of the
/// paper and scores far higher than the inner product. The kernel with a graph without nodes is 0. Attributes of different
/// scale are best standardised: `rbf-of(standardize(return-probabilities), gamma=10)`.
///
/// Cost: for each graph n·steps·(n + arcs); for each pair its pairs of nodes with equal labels, times steps and attributes.
///
/// ```
/// use mercer_core::{data::Graph, gram::Engine, kernel::graph::ReturnProbabilities};
/// let path = Graph::undirected(3, &[(0, 1), (1, 2)])?;
/// let triangle = Graph::undirected(3, &[(0, 1), (1, 2), (2, 0)])?;
/// let k = Engine::new().gram(&ReturnProbabilities::new(2)?, &[path, triangle][..])?;
/// // After two steps every node of the triangle is back with probability 1/2, the middle of the path with 1, its ends with 1/2.
/// assert_eq!(k.at(1, 1), 1.0);
/// assert!((k.at(0, 1) - (2.0 + (-0.25f64).exp()) / 3.0).abs() < 1e-15);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Z. Zhang, M. Wang, Y. Xiang, Y. Huang and A. Nehorai, *RetGK: graph kernels based on return probabilities of random
/// walks*, NeurIPS 2018.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReturnProbabilities {
    steps: usize,
    gamma: f64,
    attribute_gamma: f64,
    labels: bool,
    ignore: Ignore,
}

impl ReturnProbabilities {
    /// The kernel of walks of this number of steps, 0 to 1000, with gamma = 1 and attribute-gamma = 0.1.
    pub fn new(steps: usize) -> Result<Self> {
        Self::FACTS.check("steps", steps as f64)?;
        Ok(ReturnProbabilities {
            steps,
            gamma: 1.0,
            attribute_gamma: 0.1,
            labels: true,
            ignore: Ignore::Nothing,
        })
    }

    /// Sets how fast similarity falls with the squared distance of return probabilities and of attributes, both above 0.
    pub fn with_gamma(self, gamma: f64, attribute_gamma: f64) -> Result<Self> {
        Self::FACTS.check("gamma", gamma)?;
        Self::FACTS.check("attribute-gamma", attribute_gamma)?;
        Ok(ReturnProbabilities { gamma, attribute_gamma, ..self })
    }

    /// Whether only nodes of equal labels are similar.
    #[must_use]
    pub fn with_labels(self, labels: bool) -> Self {
        ReturnProbabilities { labels, ..self }
    }

    /// Sets the features of graphs to ignore.
    #[must_use]
    pub fn ignoring(self, ignore: Ignore) -> Self {
        ReturnProbabilities { ignore, ..self }
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "return-probabilities",
        summary: "Mean similarity of nodes by return probabilities of random walks, labels and attributes.",
        formula: "1/(n·m) Σ_uv [l(u) = l(v)]·exp(-gamma·|p_u - p_v|² - attribute-gamma·|x_u - x_v|²), p_u = (P¹_uu, …, P^steps_uu)",
        takes: "graphs with node attributes, node labels or none; weights",
        kinds: GRAPHS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "steps",
                default: "20",
                domain: Domain::Whole(0, 1000),
                doc: "longest walk; 0 compares labels and attributes alone",
                alias: None,
            },
            Parameter {
                name: "gamma",
                default: "1",
                domain: Domain::Positive,
                doc: "how fast similarity falls with squared distance of return probabilities",
                alias: None,
            },
            Parameter {
                name: "attribute-gamma",
                default: "0.1",
                domain: Domain::Positive,
                doc: "how fast similarity falls with squared distance of attributes",
                alias: None,
            },
            switch("labels", "yes", "compare only nodes with the same label"),
            Ignore::PARAMETER,
        ],
        cost: "pairs of nodes with equal labels, times steps and attributes",
        reference: "Zhang et al. 2018, RetGK: graph kernels based on return probabilities of random walks",
        example: "rbf-of(return-probabilities(steps=20), gamma=10)",
    };

    fn prepare_one(&self, graph: &Graph) -> Result<NodeSet> {
        let (n, rows) = (graph.nodes(), graph.node_attributes());
        let dimensions = rows.map_or(0, |rows| rows.cols());
        let width = self.steps + dimensions;
        let needed = budget::matrix_bytes(n, width + 2, size_of::<f64>());
        budget::ask(&format!("return probabilities of {n} nodes"), needed)?;
        let labels = graph.node_labels().filter(|_| self.labels);
        let mut order: Vec<(u128, usize)> = (0..n).map(|i| (hash_of(labels, i), i)).collect();
        order.sort_unstable();
        let mut coordinates = vec![0.0; n * width];
        let root = self.gamma.sqrt();
        let mut walk = Walk::new(graph)?;
        for (place, &(_, i)) in order.iter().enumerate() {
            walk.returns(i, self.steps, |step, p| coordinates[step * n + place] = root * p)?;
        }
        let root = self.attribute_gamma.sqrt();
        for (place, &(_, i)) in order.iter().enumerate() {
            let row = rows.map_or(&[][..], |rows| rows.row(i));
            for (k, x) in row.iter().enumerate() {
                coordinates[(self.steps + k) * n + place] = root * x;
            }
        }
        if coordinates.iter().any(|x| !x.is_finite()) {
            return Err(Error::usage("the attributes of the graph are too large for this attribute-gamma"));
        }
        let mut runs: Vec<(u128, std::ops::Range<usize>)> = Vec::new();
        for (place, &(label, _)) in order.iter().enumerate() {
            match runs.last_mut() {
                Some((last, range)) if *last == label => range.end = place + 1,
                _ => runs.push((label, place..place + 1)),
            }
        }
        let mut set = NodeSet { n, dimensions, runs, coordinates, own: 0.0 };
        set.own = self.compare(&set, &set, &mut Vec::new())?;
        Ok(set)
    }

    fn compare(&self, a: &NodeSet, b: &NodeSet, row: &mut Vec<f64>) -> Result<f64> {
        if a.n == 0 || b.n == 0 {
            return Ok(0.0);
        }
        if a.dimensions != b.dimensions {
            return Err(Error::Dimension { expected: a.dimensions, found: b.dimensions });
        }
        let width = self.steps + a.dimensions;
        let (mut i, mut j, mut sum) = (0, 0, 0.0);
        while let (Some((x, of_a)), Some((y, of_b))) = (a.runs.get(i), b.runs.get(j)) {
            if x == y {
                for u in of_a.clone() {
                    budget::check_after(of_b.len() * (8 + width))?;
                    row.clear();
                    row.resize(of_b.len(), 0.0);
                    sum += math::vectorised(|| a.near(u, b, of_b, width, row));
                }
            }
            i += usize::from(x <= y);
            j += usize::from(y <= x);
        }
        Ok(sum / (a.n as f64 * b.n as f64))
    }
}

/// The nodes of a graph as points.
#[derive(Clone, Debug)]
struct NodeSet {
    n: usize,
    /// The number of attributes.
    dimensions: usize,
    /// Nodes are in the order of their labels: each label with its nodes.
    runs: Vec<(u128, std::ops::Range<usize>)>,
    /// Return probabilities by step, then attributes, each for all nodes and scaled by the root of its gamma.
    coordinates: Vec<f64>,
    /// k(G, G).
    own: f64,
}

impl NodeSet {
    /// The sum of similarities of one node with some nodes of another graph; `row` has a zero for each of these.
    #[inline(always)]
    fn near(
        &self,
        u: usize,
        other: &NodeSet,
        nodes: &std::ops::Range<usize>,
        width: usize,
        row: &mut [f64],
    ) -> f64 {
        for k in 0..width {
            let x = self.coordinates[k * self.n + u];
            let values = &other.coordinates[k * other.n..][nodes.clone()];
            row.iter_mut().zip(values).for_each(|(s, y)| *s -= (x - y) * (x - y));
        }
        math::exp_all(row);
        row.iter().sum()
    }
}

/// Graphs as sets of points.
#[derive(Clone, Debug)]
pub struct NodeSets(Vec<NodeSet>);

impl Prepared for NodeSets {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        NodeSets(self.0.select(chosen))
    }
}

/// Random walks on a graph.
struct Walk<'g> {
    graph: &'g Graph,
    /// The probability of each arc at its source.
    shares: Vec<f64>,
    now: Vec<f64>,
    next: Vec<f64>,
}

impl<'g> Walk<'g> {
    fn new(graph: &'g Graph) -> Result<Self> {
        let weight = |arc: usize| graph.weights().map_or(1.0, |w| w[arc]);
        if let Some(bad) = graph.weights().and_then(|w| w.iter().find(|w| **w < 0.0)) {
            return Err(Error::Object {
                index: 0,
                reason: format!("an edge has weight {bad}; random walks need weights of at least 0"),
                hint: Some("use ignore=weights to give all edges the same weight".into()),
            });
        }
        let n = graph.nodes();
        let mut shares = Vec::with_capacity(graph.arcs().count());
        for i in 0..n {
            // Relative to the largest weight, so that the sum of the largest numbers is finite.
            let most = graph.outgoing(i).map(weight).fold(0.0, f64::max);
            let total: f64 = graph.outgoing(i).map(|arc| weight(arc) / most).sum();
            shares.extend(
                graph.outgoing(i).map(|arc| if most > 0.0 { weight(arc) / most / total } else { 0.0 }),
            );
        }
        Ok(Walk { graph, shares, now: vec![0.0; n], next: vec![0.0; n] })
    }

    /// Calls a function with each step, from 0, and the probability that a walk from this node is back after it.
    fn returns(&mut self, from: usize, steps: usize, mut each: impl FnMut(usize, f64)) -> Result<()> {
        self.now.fill(0.0);
        self.now[from] = 1.0;
        for step in 0..steps {
            budget::check_after(self.now.len() + 2 * self.shares.len())?;
            self.next.fill(0.0);
            for (i, &p) in self.now.iter().enumerate().filter(|(_, p)| **p > 0.0) {
                for (arc, &j) in self.graph.outgoing(i).zip(self.graph.neighbours(i)) {
                    self.next[j as usize] += p * self.shares[arc];
                }
            }
            std::mem::swap(&mut self.now, &mut self.next);
            each(step, self.now[from]);
        }
        Ok(())
    }
}

declared!(ReturnProbabilities { steps, gamma, attribute_gamma, labels, ignore });

impl OnGraphs for ReturnProbabilities {
    fn graph_features(&self) -> GraphFeatures {
        GraphFeatures {
            node_labels: FeatureUse::switch(self.labels, "labels=yes"),
            weights: FeatureUse::Used,
            direction: FeatureUse::Used,
            node_attributes: FeatureUse::Used,
            ..GraphFeatures::STRUCTURE
        }
    }

    fn ignore(&self) -> Ignore {
        self.ignore
    }
}

impl Kernel<[Graph]> for ReturnProbabilities {
    type Prepared = NodeSets;

    fn prepare(&self, graphs: &[Graph]) -> Result<NodeSets> {
        let graphs = self.admit(graphs)?;
        let one = |i: usize| self.prepare_one(&graphs[i]).map_err(|e| e.of_object(|_| i));
        parallel::try_map(graphs.len(), one).map(NodeSets)
    }

    fn fill(&self, rows: Part<'_, NodeSets>, cols: Part<'_, NodeSets>, out: &mut [f64]) -> Result<()> {
        let (mut room, mut entries) = (Vec::new(), out.iter_mut());
        for a in &rows.set.0[rows.range.clone()] {
            for (b, v) in cols.set.0[cols.range.clone()].iter().zip(&mut entries) {
                *v = self.compare(a, b, &mut room)?;
            }
        }
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, NodeSets>, out: &mut [f64]) -> Result<()> {
        out.iter_mut().zip(&of.set.0[of.range.clone()]).for_each(|(v, graph)| *v = graph.own);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::PositiveSemidefinite
    }

    fn tile_side(&self) -> usize {
        16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dense, Labels};
    use crate::gram::Engine;

    fn returns(graph: &Graph, from: usize, steps: usize) -> Vec<f64> {
        let mut all = vec![0.0; steps];
        Walk::new(graph).unwrap().returns(from, steps, |step, p| all[step] = p).unwrap();
        all
    }

    #[test]
    fn walks_return_as_on_paper() {
        let triangle = Graph::undirected(3, &[(0, 1), (1, 2), (2, 0)]).unwrap();
        assert_eq!(returns(&triangle, 1, 4), [0.0, 0.5, 0.25, 0.375]);
        let circle = Graph::directed(3, &[(0, 1), (1, 2), (2, 0)]).unwrap();
        assert_eq!(returns(&circle, 0, 6), [0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        // Along the edge of weight 3 with probability 3/4, back with probability 1.
        let star =
            Graph::undirected(3, &[(0, 1), (0, 2)]).unwrap().with_weights(vec![3.0, 1.0, 3.0, 1.0]).unwrap();
        assert_eq!(returns(&star, 1, 2), [0.0, 0.75]);
        assert_eq!(returns(&Graph::undirected(1, &[]).unwrap(), 0, 2), [0.0, 0.0]);
        assert_eq!(returns(&Graph::undirected(1, &[(0, 0)]).unwrap(), 0, 2), [1.0, 1.0]);
        // A walk ends at a node without arcs.
        assert_eq!(returns(&Graph::directed(2, &[(0, 1)]).unwrap(), 0, 2), [0.0, 0.0]);
    }

    #[test]
    fn large_and_small_weights_have_the_same_shares() {
        for scale in [1e-300, 1.0, 1e308] {
            let star = Graph::undirected(3, &[(0, 1), (0, 2)]).unwrap();
            let star = star.with_weights(vec![scale; 4]).unwrap();
            assert_eq!(returns(&star, 1, 2), [0.0, 0.5]);
        }
        let negative = Graph::undirected(2, &[(0, 1)]).unwrap().with_weights(vec![-1.0, -1.0]).unwrap();
        let error = Engine::new().gram(&ReturnProbabilities::new(1).unwrap(), &[negative][..]).unwrap_err();
        assert!(error.to_string().contains("weight -1"), "{error}");
    }

    #[test]
    fn without_steps_labels_and_attributes_alone_count() {
        let graph = |names: [&str; 2], x: [f64; 2]| {
            let edge = Graph::undirected(2, &[(0, 1)]).unwrap().with_node_labels(Labels::from_names(names));
            edge.unwrap().with_node_attributes(Dense::new(2, 1, x.to_vec()).unwrap()).unwrap()
        };
        let graphs = [graph(["C", "O"], [0.0, 1.0]), graph(["O", "N"], [3.0, 0.0])];
        let kernel = ReturnProbabilities::new(0).unwrap().with_gamma(7.0, 0.25).unwrap();
        let k = Engine::new().gram(&kernel, &graphs[..]).unwrap();
        assert_eq!((k.at(0, 0), k.at(0, 1)), (0.5, (-1.0f64).exp() / 4.0));
        let all = Engine::new().gram(&kernel.with_labels(false), &graphs[..]).unwrap();
        let expected = [9.0, 0.0, 4.0, 1.0].iter().map(|d: &f64| (-0.25 * d).exp()).sum::<f64>() / 4.0;
        assert!((all.at(0, 1) - expected).abs() < 1e-15);
    }

    #[test]
    fn faults_are_said() {
        let one = Graph::undirected(1, &[]).unwrap();
        let with = |cols: usize| {
            one.clone().with_node_attributes(Dense::new(1, cols, vec![1e300; cols]).unwrap()).unwrap()
        };
        let engine = Engine::new();
        let kernel = ReturnProbabilities::new(1).unwrap();
        assert!(matches!(
            engine.gram(&kernel, &[with(1), with(2)][..]),
            Err(Error::Dimension { .. } | Error::Object { .. })
        ));
        assert!(engine.gram(&kernel, &[with(1), one.clone()][..]).is_err());
        let large = kernel.with_gamma(1.0, 1e300).unwrap();
        assert!(engine.gram(&large, &[with(1)][..]).unwrap_err().to_string().contains("too large"));
        assert!(ReturnProbabilities::new(1001).is_err() && kernel.with_gamma(0.0, 1.0).is_err());
        assert!(kernel.with_gamma(1.0, f64::NAN).is_err());
        let empty = Graph::undirected(0, &[]).unwrap();
        assert_eq!(engine.gram(&kernel, &[empty, one][..]).unwrap().values(), [0.0, 0.0, 0.0, 1.0]);
    }
}
