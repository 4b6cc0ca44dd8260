//! The dynamic programme of alignments, shared by all distances, for several pairs in parallel.
//!
//! One series is aligned with as many others as a vector register has lanes. Every cell is then a few vector
//! instructions, for any distance, and four rows at a time stay in registers. The alternative was vectors along the
//! anti-diagonals of one pair. They need shuffles at every step and are short at both ends, and matrices have enough
//! pairs.
//!
//! A distance is a [`Rule`]: it computes a cell from its three neighbours and the two time steps.

use std::array::from_fn;
use std::ops::Range;

use super::lanes::Lanes;
use crate::budget;

/// Rows that are computed together, in registers.
const BLOCK: usize = 4;

/// How a cell of the programme is computed.
pub(super) trait Rule<V: Lanes> {
    /// The data of a time step of the single series.
    type Row<'a>: Copy
    where
        Self: 'a,
        V: 'a;
    /// The data of a time step of the series in lanes.
    type Column<'a>: Copy
    where
        Self: 'a,
        V: 'a;
    /// The content of a cell, for every pair.
    type Cell: Copy;
    /// The value of cells outside the band.
    const OUTSIDE: Self::Cell;
    /// The cell (-1, -1), before both series.
    const CORNER: Self::Cell;

    fn row<'a>(&'a self, x: &'a [V::Scalar], i: usize) -> Self::Row<'a>;

    fn column<'a>(&'a self, y: &'a [V], j: usize) -> Self::Column<'a>;

    /// The cell (i, j) from those at (i - 1, j - 1), (i - 1, j) and (i, j - 1).
    fn cell(
        &self,
        at: (usize, usize),
        row: Self::Row<'_>,
        column: Self::Column<'_>,
        near: Near<Self::Cell>,
    ) -> Self::Cell;

    /// The result of a pair from its last cell, which is in column `len` - 1.
    fn value(&self, cell: Self::Cell, len: usize, lane: usize) -> f64;

    /// Number of columns after which [`Rule::enter`] and [`Rule::leave`] are called, for rules that process cells in
    /// parts.
    const STRIDE: usize = usize::MAX;

    /// Called before a part of a few rows is computed, with the cells to its left, the corner cell, and the cells
    /// above.
    #[inline(always)]
    fn enter(
        &self,
        _part: usize,
        _left: &mut [Self::Cell],
        _corner: &mut Self::Cell,
        _above: &mut [Self::Cell],
    ) {
    }

    /// Called after the part is computed, with its last column, the corner cell of the next part, and its last row.
    #[inline(always)]
    fn leave(
        &self,
        _part: usize,
        _left: &mut [Self::Cell],
        _corner: &mut Self::Cell,
        _last: &mut [Self::Cell],
    ) {
    }

    /// The cells (i, -1), before the first column.
    fn left_border(&self, _x: &[V::Scalar], out: &mut [Self::Cell]) {
        out.fill(Self::OUTSIDE);
    }

    /// The cells (-1, j), above the first row.
    fn upper_border(&self, _y: &[V], out: &mut [Self::Cell]) {
        out.fill(Self::OUTSIDE);
    }
}

/// The neighbours of a cell.
#[derive(Clone, Copy)]
pub(super) struct Near<C> {
    pub(super) diagonal: C,
    pub(super) up: C,
    pub(super) left: C,
}

impl<V: Lanes> Near<V> {
    /// The minimum of the three. `left` comes last because it is available last.
    #[inline(always)]
    pub(super) fn least(self) -> V {
        self.up.min(self.diagonal).min(self.left)
    }
}

/// Scratch memory for rows, reused from pair to pair.
pub(super) struct Space<C> {
    row: Vec<C>,
    left: Vec<C>,
}

impl<C: Copy> Space<C> {
    pub(super) fn new() -> Self {
        Space { row: Vec::new(), left: Vec::new() }
    }

    /// The cells at the end of series of `len` time steps.
    #[inline(always)]
    pub(super) fn end(&self, len: usize) -> C {
        self.row[len - 1]
    }

    /// Computes every cell for `x` of `n` time steps and `y` of `m`; the last row is kept.
    #[inline(always)]
    pub(super) fn run<V: Lanes, R: Rule<V, Cell = C>>(
        &mut self,
        rule: &R,
        (x, n): (&[V::Scalar], usize),
        (y, m): (&[V], usize),
        band: Option<&[Range<usize>]>,
    ) {
        self.row.resize(m, R::OUTSIDE);
        self.left.resize(n, R::OUTSIDE);
        rule.upper_border(y, &mut self.row);
        rule.left_border(x, &mut self.left);
        let columns = |i: usize| band.map_or(0..m, |rows| rows[i].clone());
        self.row[columns(0).end..].fill(R::OUTSIDE);
        let mut i = 0;
        let mut done = 0..m;
        while i < n {
            // The rest of the table is invalid; the caller checks the budget.
            if budget::is_spent_after(BLOCK * m * V::WIDTH / 2) {
                return;
            }
            let start = columns(i).start;
            let corner = match (i, start) {
                (0, _) => R::CORNER,
                (_, 0) => self.left[i - 1],
                _ if start > done.start => self.row[start - 1],
                _ => R::OUTSIDE,
            };
            if i + BLOCK <= n {
                let bands: [_; BLOCK] = from_fn(|r| columns(i + r));
                done = bands[0].start..bands[BLOCK - 1].end;
                self.block(rule, (x, i), y, corner, &bands);
                i += BLOCK;
            } else {
                done = columns(i);
                self.block(rule, (x, i), y, corner, &[columns(i)]);
                i += 1;
            }
        }
    }

    /// Computes some rows with the given included columns `bands`. `corner` is the cell above and to the left of the
    /// first.
    #[inline(always)]
    fn block<V: Lanes, R: Rule<V, Cell = C>, const B: usize>(
        &mut self,
        rule: &R,
        (x, i): (&[V::Scalar], usize),
        y: &[V],
        corner: C,
        bands: &[Range<usize>; B],
    ) {
        let (start, end) = (bands[0].start, bands[B - 1].end);
        let rows: [R::Row<'_>; B] = from_fn(|r| rule.row(x, i + r));
        let mut left: [C; B] = from_fn(|r| if start == 0 { self.left[i + r] } else { R::OUTSIDE });
        let mut corner = corner;
        // Within this range all rows are included; only outside of it each row must be checked.
        let inner = bands[B - 1].start..bands[0].end.max(bands[B - 1].start);
        for (part, is_inner) in [(start..inner.start, false), (inner.clone(), true), (inner.end..end, false)]
        {
            let offset = part.start;
            let cells = &mut self.row[part];
            if is_inner {
                for (part, cells) in cells.chunks_mut(R::STRIDE).enumerate() {
                    rule.enter(part, &mut left, &mut corner, cells);
                    let offset = offset + part * R::STRIDE;
                    for (at, cell) in cells.iter_mut().enumerate() {
                        let j = offset + at;
                        let column = rule.column(y, j);
                        let above = *cell;
                        let (mut diagonal, mut up) = (corner, above);
                        for r in 0..B {
                            let near = Near { diagonal, up, left: left[r] };
                            let value = rule.cell((i + r, j), rows[r], column, near);
                            diagonal = left[r];
                            left[r] = value;
                            up = value;
                        }
                        corner = above;
                        *cell = up;
                    }
                    rule.leave(part, &mut left, &mut corner, cells);
                }
            } else {
                for (at, cell) in cells.iter_mut().enumerate() {
                    let j = offset + at;
                    let column = rule.column(y, j);
                    let above = *cell;
                    let (mut diagonal, mut up) = (corner, above);
                    for r in 0..B {
                        let near = Near { diagonal, up, left: left[r] };
                        let value = match bands[r].contains(&j) {
                            true => rule.cell((i + r, j), rows[r], column, near),
                            false => R::OUTSIDE,
                        };
                        diagonal = left[r];
                        left[r] = value;
                        up = value;
                    }
                    corner = above;
                    *cell = up;
                }
            }
        }
    }
}

/// The implementation shared by rules whose cells are numbers, whose rows and columns are time steps, and whose value
/// outside the band is infinite.
macro_rules! of_points {
    ($points:ident, $lanes:ident) => {
        type Row<'a>
            = $points::Row<'a>
        where
            Self: 'a,
            $lanes: 'a;
        type Column<'a>
            = $points::Column<'a>
        where
            Self: 'a,
            $lanes: 'a;
        type Cell = $lanes;
        const OUTSIDE: $lanes = $lanes::INFINITY;
        const CORNER: $lanes = $lanes::ZERO;

        #[inline(always)]
        fn row<'a>(&'a self, x: &'a [$lanes::Scalar], i: usize) -> $points::Row<'a> {
            self.0.row(x, i)
        }

        #[inline(always)]
        fn column<'a>(&'a self, y: &'a [$lanes], j: usize) -> $points::Column<'a> {
            self.0.column(y, j)
        }

        #[inline(always)]
        fn value(&self, cell: $lanes, _len: usize, lane: usize) -> f64 {
            cell.get(lane)
        }
    };
}
pub(super) use of_points;

/// Time steps as vectors of channels.
pub(super) trait Points<V: Lanes>: Copy {
    /// A time step of the single series.
    type Row<'a>: Copy
    where
        V: 'a;
    /// A time step of the series in lanes.
    type Column<'a>: Copy
    where
        V: 'a;

    fn row<'a>(self, x: &'a [V::Scalar], i: usize) -> Self::Row<'a>;
    fn column<'a>(self, y: &'a [V], j: usize) -> Self::Column<'a>;
    /// |x_i - y_j|².
    fn squared(self, x: Self::Row<'_>, y: Self::Column<'_>) -> V;
    /// |x_i - y_j|.
    fn apart(self, x: Self::Row<'_>, y: Self::Column<'_>) -> V;
    /// |x_i - x_k|.
    fn rows_apart(self, x: Self::Row<'_>, other: Self::Row<'_>) -> V;
    /// |y_j - y_k|.
    fn columns_apart(self, y: Self::Column<'_>, other: Self::Column<'_>) -> V;
    /// |x_i - (g, …, g)|.
    fn row_from(self, x: Self::Row<'_>, g: V) -> V;
    /// |y_j - (g, …, g)|.
    fn column_from(self, y: Self::Column<'_>, g: V) -> V;
}

/// One channel.
#[derive(Clone, Copy)]
pub(super) struct One;

/// The given number of channels.
#[derive(Clone, Copy)]
pub(super) struct Many(pub(super) usize);

#[inline(always)]
fn square<V: Lanes>(v: V) -> V {
    v.mul(v)
}

impl<V: Lanes> Points<V> for One {
    type Row<'a>
        = V
    where
        V: 'a;
    type Column<'a>
        = V
    where
        V: 'a;

    #[inline(always)]
    fn row(self, x: &[V::Scalar], i: usize) -> V {
        V::splat(x[i])
    }

    #[inline(always)]
    fn column(self, y: &[V], j: usize) -> V {
        y[j]
    }

    #[inline(always)]
    fn squared(self, x: V, y: V) -> V {
        square(x.sub(y))
    }

    #[inline(always)]
    fn apart(self, x: V, y: V) -> V {
        x.sub(y).abs()
    }

    #[inline(always)]
    fn rows_apart(self, x: V, other: V) -> V {
        x.sub(other).abs()
    }

    #[inline(always)]
    fn columns_apart(self, y: V, other: V) -> V {
        y.sub(other).abs()
    }

    #[inline(always)]
    fn row_from(self, x: V, g: V) -> V {
        x.sub(g).abs()
    }

    #[inline(always)]
    fn column_from(self, y: V, g: V) -> V {
        y.sub(g).abs()
    }
}

impl<V: Lanes> Points<V> for Many {
    type Row<'a>
        = &'a [V::Scalar]
    where
        V: 'a;
    type Column<'a>
        = &'a [V]
    where
        V: 'a;

    #[inline(always)]
    fn row(self, x: &[V::Scalar], i: usize) -> &[V::Scalar] {
        &x[i * self.0..(i + 1) * self.0]
    }

    #[inline(always)]
    fn column(self, y: &[V], j: usize) -> &[V] {
        &y[j * self.0..(j + 1) * self.0]
    }

    #[inline(always)]
    fn squared(self, x: &[V::Scalar], y: &[V]) -> V {
        x.iter().zip(y).fold(V::ZERO, |sum, (&x, &y)| sum.add(square(V::splat(x).sub(y))))
    }

    #[inline(always)]
    fn apart(self, x: &[V::Scalar], y: &[V]) -> V {
        Points::<V>::squared(self, x, y).sqrt()
    }

    #[inline(always)]
    fn rows_apart(self, x: &[V::Scalar], other: &[V::Scalar]) -> V {
        length(x.iter().zip(other).map(|(&x, &o)| V::splat(x).sub(V::splat(o))))
    }

    #[inline(always)]
    fn columns_apart(self, y: &[V], other: &[V]) -> V {
        length(y.iter().zip(other).map(|(&y, &o)| y.sub(o)))
    }

    #[inline(always)]
    fn row_from(self, x: &[V::Scalar], g: V) -> V {
        length(x.iter().map(|&x| V::splat(x).sub(g)))
    }

    #[inline(always)]
    fn column_from(self, y: &[V], g: V) -> V {
        length(y.iter().map(|&y| y.sub(g)))
    }
}

/// The Euclidean norm of vectors.
#[inline(always)]
fn length<V: Lanes>(parts: impl Iterator<Item = V>) -> V {
    parts.fold(V::ZERO, |sum, v| sum.add(square(v))).sqrt()
}
