//! Shapley values of the columns of a sum over leaves: what a model on the kernel of a forest is.

use super::ForestKernel;
use super::trees::{LEAF, Node};
use crate::budget;
use crate::data::{Column, Dense};
use crate::error::{Error, Result};
use crate::parallel;

/// Objects of one block.
const AT_ONCE: usize = 8;

impl ForestKernel {
    /// The leaves of weighted objects as values of leaves: Σ over objects of weight times the feature that k(x, ·) has there,
    /// so that Σ_z w_z·k(x, z) is the sum of the values of the leaves of x. `weights` has a row per object.
    pub fn leaf_values(&self, objects: &[Column], weights: &Dense) -> Result<Dense> {
        let (leaves, trees) = (self.leaves(objects)?, self.trees.len().max(1));
        if leaves.len() != trees * weights.rows() {
            return Err(Error::Shape {
                expected: format!("the weights of {} objects", leaves.len() / trees),
                found: weights.rows().to_string(),
            });
        }
        budget::ask("values of leaves", budget::matrix_bytes(self.trees.leaves(), weights.cols(), 8))?;
        let mut values = Dense::zeros(self.trees.leaves(), weights.cols());
        let unit = 1.0 / trees as f64;
        for (i, own) in leaves.chunks_exact(trees).enumerate() {
            budget::check_after(trees)?;
            for &leaf in own {
                let row = values.row_mut(leaf as usize).iter_mut();
                row.zip(weights.row(i)).for_each(|(v, w)| *v += unit * w);
            }
        }
        Ok(values)
    }

    /// The Shapley values of players in the sum of the values of an object's leaves, the mean over `outside`: a set of players
    /// is worth the sum for an object that has their coordinates from x and the others from an object of `outside`.
    ///
    /// `players` names the player of each coordinate (`trees().columns().coordinates()`), `count` of
    /// them; `values` has a row per leaf and a column per output. The result has a row per object, and for each player the
    /// values of all outputs.
    ///
    /// A leaf is reached by the objects that have some players' coordinates from x, p of them, and others', q, from z; in the
    /// game of its value v each of the p gets v·(p-1)!·q!/(p+q)!, each of the q gets -v·p!·(q-1)!/(p+q)!. Both sums are
    /// passed up the tree to the cut that decided for a player, so that a pair of objects takes as many steps as there are
    /// nodes that a mixture of both can reach.
    ///
    /// ```
    /// use mercer_core::data::{Categories, Column, Dense, Target, Values};
    /// use mercer_core::fitted::Forest;
    /// let of = |rows: &[[f64; 2]]| {
    ///     let column = |c: usize| Dense::new(rows.len(), 1, rows.iter().map(|r| r[c]).collect());
    ///     Ok::<_, mercer_core::Error>([Column::new("a", Values::Numbers(column(0)?)), Column::new("b", Values::Numbers(column(1)?))])
    /// };
    /// let data = of(&[[0.0, 5.0], [0.1, 5.0], [9.0, 5.0], [9.1, 5.0]])?;
    /// let target = Target::Classes(Categories::from_values(["low", "low", "high", "high"].map(Some)));
    /// let kernel = Forest::new(9)?.with_leaf(1)?.fit(&data, Some(&target))?;
    /// let values = kernel.leaf_values(&data, &Dense::from_rows(&[[-1.0], [-1.0], [1.0], [1.0]]))?;
    /// let found = kernel.shapley(&of(&[[9.0, 5.0]])?, &of(&[[0.0, 5.0]])?, &values, &[0, 1], 2)?;
    /// // Only the first column tells them apart.
    /// assert!(found.at(0, 0) > 1.9 && found.at(0, 1) == 0.0);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    ///
    /// S. Lundberg et al., *From local explanations to global understanding with explainable AI for trees*, Nature Machine
    /// Intelligence 2020 (interventional); G. Laberge and Y. Pequignot, *Understanding interventional TreeSHAP*, 2022.
    pub fn shapley(
        &self,
        objects: &[Column],
        outside: &[Column],
        values: &Dense,
        players: &[usize],
        count: usize,
    ) -> Result<Dense> {
        let columns = self.trees.columns();
        let (inside, outside) = (columns.cells(objects)?, columns.cells(outside)?);
        let outputs = values.cols();
        let fits = players.len() == columns.width() && players.iter().all(|&p| p < count);
        if !fits || values.rows() != self.trees.leaves() {
            return Err(Error::usage("players or values that do not fit the trees"));
        }
        budget::ask("the values of columns", budget::matrix_bytes(inside.rows(), count * outputs, 8))?;
        let weights = Weights::of(count.min(players.len()));
        let width = count * outputs;
        let mut out = Dense::zeros(inside.rows(), width);
        let share = 1.0 / outside.rows().max(1) as f64;
        parallel::chunks_mut(out.values_mut(), AT_ONCE * width.max(1), |at, part| {
            let mut walk =
                Walk { players, weights: &weights, state: vec![Side::Open; count], stack: Vec::new() };
            for (i, own) in part.chunks_exact_mut(width.max(1)).enumerate() {
                let x = inside.row(at * AT_ONCE + i);
                for b in 0..outside.rows() {
                    for tree in 0..self.trees.len() {
                        let (nodes, start) = self.trees.tree(tree);
                        for v in 0..outputs {
                            budget::check_after(nodes.len().min(256))?;
                            let value = |leaf: u32| share * values.at(leaf as usize, v);
                            walk.add(nodes, start, x, outside.row(b), value, &mut |player, amount| {
                                own[player * outputs + v] += amount;
                            });
                        }
                    }
                }
            }
            Ok(())
        })?;
        Ok(out)
    }
}

/// (p-1)!·q!/(p+q)! for numbers of players up to a limit.
struct Weights {
    all: Vec<f64>,
    side: usize,
}

impl Weights {
    fn of(players: usize) -> Self {
        let side = players + 1;
        let mut all = vec![0.0; side * side];
        for q in 0..side {
            if side > 1 {
                all[side + q] = 1.0 / (q + 1) as f64;
            }
            for p in 1..side.saturating_sub(1) {
                all[(p + 1) * side + q] = all[p * side + q] * p as f64 / (p + q + 1) as f64;
            }
        }
        Weights { all, side }
    }

    /// What each of p players, and each of q, gets of a value of 1; 0 where there are none.
    fn at(&self, p: usize, q: usize) -> (f64, f64) {
        (self.all[p * self.side + q], self.all[q * self.side + p])
    }
}

/// Where the coordinates of a player are from.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Open,
    Inside,
    Outside,
}

/// A cut that decided for a player.
struct Decision {
    player: usize,
    /// The child on the way of the object outside.
    other: usize,
    decided: (usize, usize),
    /// The sums below the child on the way of x, once they are known.
    first: Option<(f64, f64)>,
}

/// A walk through the leaves that mixtures of two objects reach.
struct Walk<'a> {
    players: &'a [usize],
    weights: &'a Weights,
    state: Vec<Side>,
    stack: Vec<Decision>,
}

impl Walk<'_> {
    fn add(
        &mut self,
        nodes: &[Node],
        start: usize,
        x: &[f64],
        z: &[f64],
        value: impl Fn(u32) -> f64,
        add: &mut impl FnMut(usize, f64),
    ) {
        let (mut at, mut p, mut q) = (0, 0usize, 0usize);
        loop {
            let node = &nodes[at];
            if node.coordinate != LEAF {
                let coordinate = node.coordinate as usize;
                let player = self.players[coordinate];
                let child = node.child as usize - start;
                let [inside, outside] =
                    [x, z].map(|cells| child + usize::from(!node.takes_left(cells[coordinate])));
                at = match self.state[player] {
                    Side::Inside => inside,
                    Side::Outside => outside,
                    Side::Open if inside == outside => inside,
                    Side::Open => {
                        self.state[player] = Side::Inside;
                        self.stack.push(Decision { player, other: outside, decided: (p, q), first: None });
                        p += 1;
                        inside
                    }
                };
                continue;
            }
            let v = value(node.child);
            let (own, other) = self.weights.at(p, q);
            let mut sums = (v * own, v * other);
            loop {
                let Some(last) = self.stack.last_mut() else { return };
                match last.first {
                    None => {
                        last.first = Some(sums);
                        self.state[last.player] = Side::Outside;
                        (p, q) = (last.decided.0, last.decided.1 + 1);
                        at = last.other;
                        break;
                    }
                    Some((gained, lost)) => {
                        add(last.player, gained - sums.1);
                        sums = (gained + sums.0, lost + sums.1);
                        self.state[last.player] = Side::Open;
                        self.stack.pop();
                    }
                }
            }
        }
    }
}
