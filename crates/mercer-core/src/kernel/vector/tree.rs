//! Diffusion on infinite trees: heaps, hierarchies, branching codes.

use std::fmt;

use crate::data::{Kind, Vectors};
use crate::error::{Error, Result};
use crate::kernel::node::closed;
use crate::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, Part, Prepared};
use crate::numeric::Short;

/// The diffusion kernel exp(-βL) of an infinite tree, between vertices given by whole numbers; a product over
/// coordinates.
///
/// Vertices are numbered from 1 in order of distance from vertex 1. In the rooted binary tree this is the numbering of
/// a heap: the children of i are 2i and 2i + 1. In the tree in which every vertex has k neighbours, vertex 1 has the
/// neighbours 2 to k + 1, vertex 2 also has k + 2 to 2k, and so on. The similarity depends on the distance of two
/// vertices, in the binary tree also on their depths: see [`regular_tree`](closed::regular_tree) and
/// [`binary_tree`](closed::binary_tree). Values are those of exp(-βL); use [`Normalize`](crate::kernel::Normalize) to
/// divide by self-similarities. Positive semidefinite.
///
/// * `k`: neighbours of each vertex, 2 to 1,000,000. * `beta` > 0: how far similarity spreads.
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, gram::Engine, kernel::vector::TreeDiffusion};
/// let vertices = Vectors::from(Dense::from_rows(&[[1.0], [2.0]])); // the root and a child of it
/// let k = Engine::new().gram(&TreeDiffusion::binary(0.7)?, &vertices)?;
/// assert!((k.at(0, 0) - 0.358751564).abs() < 1e-9 && (k.at(0, 1) - 0.165649978).abs() < 1e-9);
/// let k = Engine::new().gram(&TreeDiffusion::regular(3, 0.7)?, &vertices)?;
/// assert!((k.at(0, 0) - 0.2326773852).abs() < 1e-10 && (k.at(0, 1) - 0.1260741789).abs() < 1e-10);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Kondor & Lafferty 2002, Diffusion kernels on graphs and other discrete input spaces.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeDiffusion {
    shape: Shape,
    beta: f64,
    /// Similarities by distance in the tree of degree k; past the end of the table they are 0 to rounding.
    table: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Regular { k: u32 },
    Binary,
}

/// Vertices of objects, row after row.
#[derive(Clone, Debug)]
pub struct Vertices {
    rows: usize,
    width: usize,
    vertices: Vec<u64>,
}

impl Prepared for Vertices {
    fn len(&self) -> usize {
        self.rows
    }

    fn select(&self, chosen: &[usize]) -> Self {
        let vertices = chosen.iter().flat_map(|&i| self.row(i)).copied().collect();
        Vertices { rows: chosen.len(), width: self.width, vertices }
    }
}

const BETA: Parameter = Parameter {
    name: "beta",
    default: "1",
    domain: Domain::Positive,
    doc: "how far similarity spreads",
    alias: None,
};

/// The largest vertex: larger whole numbers are not all representable as doubles.
const LAST: f64 = 9_007_199_254_740_992.0;
/// Maximum number of steps for which similarities are tabulated.
const MOST_STEPS: usize = 4096;

impl TreeDiffusion {
    /// Facts about the regular tree.
    pub const REGULAR: Facts = Facts {
        name: "regular-tree",
        summary: "Diffusion on the infinite tree in which every vertex has k neighbours.",
        formula: "Π_i K(dist(x_i, y_i)), K(d) = (2·q^(1-d/2)/π)·∫₀^π e^(beta·(2√q·cos t - k))·sin t·(q·sin((d+1)t) - sin((d-1)t)) / (k² - 4q·cos² t) dt, q = k - 1",
        takes: "whole numbers from 1: vertices, numbered by distance from vertex 1",
        kinds: &[Kind::Numbers],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "k",
                default: "3",
                domain: Domain::Whole(2, 1_000_000),
                doc: "neighbours of each vertex: those of vertex 1 are 2 to k + 1, the others of vertex 2 follow, and so on",
                alias: None,
            },
            BETA,
        ],
        cost: "d times the depth of the tree",
        reference: "Chung & Yau 1999; Kondor & Lafferty 2002",
        example: "regular-tree(k=3, beta=0.7)",
    };

    /// Facts about the rooted binary tree.
    pub const BINARY: Facts = Facts {
        name: "binary-tree",
        summary: "Diffusion on the infinite rooted binary tree.",
        formula: "Π_i K₃(dist(x_i, y_i)) + K₃(depth x_i + depth y_i + 1), K₃ that of regular-tree(k=3)",
        takes: "whole numbers from 1: vertices numbered as in a heap: 2i and 2i + 1 are the children of i",
        kinds: &[Kind::Numbers],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[BETA],
        cost: "d times the depth of the tree",
        reference: "Kondor & Lafferty 2002",
        example: "binary-tree(beta=0.7)",
    };

    /// The kernel of the tree in which every vertex has k neighbours.
    pub fn regular(k: u32, beta: f64) -> Result<Self> {
        TreeDiffusion::REGULAR.check("k", f64::from(k))?;
        Ok(TreeDiffusion { shape: Shape::Regular { k }, beta, table: table(k, beta)? })
    }

    /// The kernel of the rooted binary tree.
    pub fn binary(beta: f64) -> Result<Self> {
        Ok(TreeDiffusion { shape: Shape::Binary, beta, table: table(3, beta)? })
    }

    /// The parent of a vertex other than vertex 1.
    fn parent(&self, vertex: u64) -> u64 {
        match self.shape {
            Shape::Binary => vertex / 2,
            Shape::Regular { k } => {
                let k = u64::from(k);
                if vertex <= k + 1 { 1 } else { (vertex - k - 2) / (k - 1) + 2 }
            }
        }
    }

    fn at(&self, distance: usize) -> f64 {
        self.table.get(distance).copied().unwrap_or(0.0)
    }

    /// The similarity of two vertices.
    fn between(&self, a: u64, b: u64) -> f64 {
        let (mut low, mut high, mut distance) = (a.min(b), a.max(b), 0);
        // A parent has the smaller number, so the larger of two vertices is never an ancestor of the other.
        while low != high && distance < self.table.len() {
            let up = self.parent(high);
            (low, high) = (low.min(up), low.max(up));
            distance += 1;
        }
        match self.shape {
            Shape::Regular { .. } => self.at(distance),
            Shape::Binary => self.at(distance) + self.at((a.ilog2() + b.ilog2()) as usize + 1),
        }
    }

    fn value(&self, x: &[u64], y: &[u64]) -> f64 {
        x.iter().zip(y).map(|(&a, &b)| self.between(a, b)).product()
    }
}

/// Similarities by distance, up to the largest that vertices can have or that is not 0 to rounding.
fn table(k: u32, beta: f64) -> Result<Vec<f64>> {
    BETA.check(beta)?;
    let (degree, root) = (f64::from(k), f64::from(k - 1).sqrt());
    // A walk gets no further than its number of steps, which is Poisson with this mean; Chernoff bounds its tail.
    let mean = degree * beta;
    let negligible = -45.0 - beta * (degree - 2.0 * root);
    let tail = |d: f64| d - mean - d * (d / mean).ln();
    let deepest = if k == 2 { MOST_STEPS } else { (LAST.ln() / f64::from(k - 1).ln()).ceil() as usize + 1 };
    let farthest = (2 * deepest + 1).min(MOST_STEPS);
    let mut values = Vec::new();
    for d in 0..=farthest {
        if d as f64 > mean && tail(d as f64) < negligible {
            break;
        }
        if d == MOST_STEPS {
            let domain = format!("smaller: similarity would spread over more than {MOST_STEPS} steps");
            return Err(Error::param("beta", beta, &domain));
        }
        values.push(closed::regular_tree(k, beta, d as u32)?);
    }
    if values.first().is_none_or(|own| *own <= 0.0) {
        return Err(Error::param("beta", beta, "smaller: every similarity would be 0 to rounding"));
    }
    Ok(values)
}

impl fmt::Display for TreeDiffusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.shape {
            Shape::Regular { k } => TreeDiffusion::REGULAR.print(f, &[], &[&k, &Short(self.beta)]),
            Shape::Binary => TreeDiffusion::BINARY.print(f, &[], &[&Short(self.beta)]),
        }
    }
}

impl Kernel<Vectors> for TreeDiffusion {
    type Prepared = Vertices;

    fn prepare(&self, objects: &Vectors) -> Result<Vertices> {
        let width = objects.dim();
        let mut vertices = Vec::with_capacity(objects.len() * width);
        let mut row = vec![0.0; width];
        for index in 0..objects.len() {
            match objects {
                Vectors::Dense(x) => row.copy_from_slice(x.row(index)),
                Vectors::Sparse(x) => {
                    row.fill(0.0);
                    x.scatter_row(index, &mut row);
                }
            }
            for &v in &row {
                if !((1.0..=LAST).contains(&v) && v.fract() == 0.0) {
                    return Err(Error::Object {
                        index,
                        reason: format!(
                            "{v} is not a vertex of a tree: vertices are whole numbers from 1 to {LAST}"
                        ),
                        hint: None,
                    });
                }
                vertices.push(v as u64);
            }
        }
        Ok(Vertices { rows: objects.len(), width, vertices })
    }

    fn fill(&self, rows: Part<'_, Vertices>, cols: Part<'_, Vertices>, out: &mut [f64]) -> Result<()> {
        if rows.set.width != cols.set.width {
            return Err(Error::Dimension { expected: rows.set.width, found: cols.set.width });
        }
        for (row, i) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.range.clone()) {
            let own = rows.set.row(i);
            row.iter_mut().zip(cols.range.clone()).for_each(|(v, j)| *v = self.value(own, cols.set.row(j)));
        }
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, Vertices>, out: &mut [f64]) -> Result<()> {
        out.iter_mut().zip(of.range.clone()).for_each(|(v, i)| *v = self.value(of.set.row(i), of.set.row(i)));
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::PositiveSemidefinite
    }
}

impl Vertices {
    fn row(&self, i: usize) -> &[u64] {
        &self.vertices[i * self.width..(i + 1) * self.width]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dense;
    use crate::gram::{Engine, eigenvalues};

    fn gram(kernel: &TreeDiffusion, vertices: &[[f64; 1]]) -> Dense {
        Engine::new().gram(kernel, &Vectors::from(Dense::from_rows(vertices))).unwrap()
    }

    /// Compares with distances found by walking a tree that is built vertex by vertex.
    #[test]
    fn vertex_numbers_give_the_distances_of_the_tree() {
        for k in [2u32, 3, 4, 7] {
            let mut parents = vec![0usize, 0];
            let mut next = 1;
            while parents.len() < 60 {
                let children = if next == 1 { k } else { k - 1 };
                parents.extend(std::iter::repeat_n(next, children as usize));
                next += 1;
            }
            let kernel = TreeDiffusion::regular(k, 0.4).unwrap();
            let way = |mut v: usize| {
                let mut out = vec![v];
                while v > 1 {
                    v = parents[v];
                    out.push(v);
                }
                out
            };
            for a in 1..60usize {
                for b in 1..60usize {
                    let (from, to) = (way(a), way(b));
                    let shared = from.iter().rev().zip(to.iter().rev()).take_while(|(x, y)| x == y).count();
                    let distance = from.len() + to.len() - 2 * shared;
                    let expected = closed::regular_tree(k, 0.4, distance as u32).unwrap();
                    let got = kernel.between(a as u64, b as u64);
                    assert!((got - expected).abs() < 1e-15, "{k} {a} {b}");
                }
            }
        }
    }

    #[test]
    fn binary_tree_and_products_over_coordinates() {
        let kernel = TreeDiffusion::binary(0.7).unwrap();
        for (i, j) in [(1, 1), (1, 2), (2, 2), (2, 3), (5, 12), (1, 1 << 40), ((1 << 40) + 1, 3 << 38)] {
            let expected = closed::binary_tree(0.7, i, j).unwrap();
            assert!((kernel.between(i, j) - expected).abs() < 1e-15, "{i} {j}");
        }
        let x = Vectors::from(Dense::from_rows(&[[1.0, 2.0], [3.0, 2.0], [9.0, 1.0]]));
        let k = Engine::new().gram(&kernel, &x).unwrap();
        assert_eq!(k.at(0, 2), kernel.between(1, 9) * kernel.between(2, 1));
        let every: Vec<[f64; 1]> = (1..64).map(|v| [f64::from(v)]).collect();
        for kernel in
            [kernel, TreeDiffusion::regular(4, 0.3).unwrap(), TreeDiffusion::regular(2, 9.0).unwrap()]
        {
            assert!(eigenvalues(&gram(&kernel, &every)).unwrap()[0] > -1e-13);
        }
    }

    #[test]
    fn small_similarities_are_accurate() {
        // exp(-beta·(k - 2√q)) is 1e-60 here; ratios are those of diffusion over long distances.
        let kernel = TreeDiffusion::regular(100, 1.7).unwrap();
        assert!(kernel.at(0) < 1e-50 && kernel.at(0) > 0.0);
        assert!(kernel.at(1) < kernel.at(0) && kernel.at(1) * 100.0 > kernel.at(0));
    }

    #[test]
    fn invalid_vertices_and_parameters_are_errors() {
        let one = TreeDiffusion::regular(3, 1.0).unwrap();
        for bad in [0.0, -1.0, 1.5, f64::NAN, 1e16] {
            let x = Vectors::from(Dense::from_rows(&[[1.0], [bad]]));
            assert!(matches!(Engine::new().gram(&one, &x), Err(Error::Object { index: 1, .. })), "{bad}");
        }
        for beta in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e9] {
            assert!(TreeDiffusion::regular(3, beta).is_err() && TreeDiffusion::binary(beta).is_err());
        }
        assert!(TreeDiffusion::regular(1, 1.0).is_err() && TreeDiffusion::regular(2, 1e5).is_err());
        assert_eq!(gram(&TreeDiffusion::regular(2, 0.5).unwrap(), &[[1.0], [LAST]]).at(0, 1), 0.0);
    }
}
