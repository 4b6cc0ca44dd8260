//! Nearest neighbours: the smallest distances of each object to others, without the matrix of all of them.

use std::cmp::Ordering;
use std::marker::PhantomData;
use std::ops::Range;

use super::Engine;
use super::engine::cross_tile;
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::check::{check_cross, check_values};
use crate::numeric::math::vectorised;
use crate::parallel;
use crate::traits::{Kernel, Part, Prepared};

/// The meaning of the values of a kernel or a matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measure {
    /// Kernel values: d²(x, t) = k(x, x) + k(t, t) - 2 k(x, t).
    #[default]
    Similarity,
    /// Non-negative distances; the triangle inequality is not required.
    Distance,
}

/// What a search for neighbours must find.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeighboursNeeded<'a> {
    /// The number of neighbours, at least 1.
    pub k: usize,
    /// What the values of the kernel mean.
    pub measure: Measure,
    /// The self-similarities of the objects among which neighbours are searched; for distances only their number is
    /// used.
    pub own: &'a [f64],
}

/// The k nearest of some objects for each of others, nearest first; ties are broken by the lower index.
///
/// For [`Measure::Similarity`] distances are squared and without k(x, x), which is the same for all neighbours of x.
#[derive(Clone, Debug, PartialEq)]
pub struct Nearest {
    k: usize,
    found: Vec<(usize, f64)>,
}

impl Nearest {
    /// The neighbours of each row of a matrix among its columns.
    ///
    /// ```
    /// use mercer_core::data::Dense;
    /// use mercer_core::gram::{Measure, Nearest, NeighboursNeeded};
    /// let distances = Dense::from_rows(&[[3.0, 1.0, 2.0, 1.0]]);
    /// let needed = NeighboursNeeded { k: 3, measure: Measure::Distance, own: &[0.0; 4] };
    /// let near = Nearest::among(&distances, needed)?;
    /// assert_eq!(near.rows().next(), Some(&[(1, 1.0), (3, 1.0), (2, 2.0)][..]));
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn among(cross: &Dense, needed: NeighboursNeeded<'_>) -> Result<Self> {
        let NeighboursNeeded { k, measure, own } = needed;
        check_cross(cross, own.len())?;
        check_k(k, own.len())?;
        let row = |i: usize| {
            let mut selection = Selection::new(k);
            selection.offer(cross.row(i), own, 0, measure).map_err(|fault| fault.in_row(i))?;
            Ok(selection.finish())
        };
        // Small problems use no other thread.
        let found = match cross.values().len() < PARALLEL {
            true => (0..cross.rows()).map(row).collect::<Result<Vec<_>>>()?,
            false => parallel::try_map(cross.rows(), row)?,
        };
        Ok(Nearest { k, found: found.concat() })
    }

    /// The number of neighbours of each object.
    pub fn k(&self) -> usize {
        self.k
    }

    /// The number of objects whose neighbours were searched.
    pub fn len(&self) -> usize {
        self.found.len() / self.k
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The neighbours of every object, in order: index and distance.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[(usize, f64)]> {
        self.found.chunks_exact(self.k)
    }

    /// The same neighbours with distances in place of squared ones, from k(x, x) of the objects whose neighbours these
    /// are. Squared distances that are negative by rounding count as 0.
    pub fn with_roots(mut self, own: &[f64]) -> Result<Self> {
        check_values(own, self.len(), "self-similarities of new objects")?;
        for (row, (near, own)) in self.found.chunks_exact_mut(self.k).zip(own).enumerate() {
            for (col, d) in near {
                *d = (*d + own).max(0.0).sqrt();
                if !d.is_finite() {
                    return Err(Error::NonFinite { row, col: *col, overflow: true });
                }
            }
        }
        Ok(self)
    }
}

impl Engine {
    /// The nearest of `cols` for each object of `rows`; `needed` holds the self-similarities of `cols`.
    ///
    /// Tiles are searched as they are computed, so memory does not grow with the number of pairs. For kernels with
    /// [short lists](Kernel::shortlists) only the pairs on them are computed; the result has the same bits.
    pub fn nearest_of<X: ?Sized, K: Kernel<X>>(
        &self,
        kernel: &K,
        rows: &K::Prepared,
        cols: &K::Prepared,
        needed: NeighboursNeeded<'_>,
    ) -> Result<Nearest> {
        let NeighboursNeeded { k, measure, own } = needed;
        check_values(own, cols.len(), "self-similarities")?;
        check_k(k, cols.len())?;
        self.run(|| {
            let lists = match measure {
                Measure::Similarity => kernel.shortlists(rows, cols, k)?,
                Measure::Distance => None,
            };
            let search = Search { kernel, sets: [rows, cols], needed, objects: PhantomData };
            let found = match lists {
                Some(lists) if lists.len() == rows.len() => search.listed(&lists)?,
                _ => search.all()?,
            };
            Ok(Nearest { k, found })
        })
    }
}

fn check_k(k: usize, objects: usize) -> Result<()> {
    if (1..=objects).contains(&k) {
        return Ok(());
    }
    Err(Error::param("k", k, &format!("from 1 to {objects}, the number of training objects")))
}

/// Entries of a cross matrix from which its rows are searched in parallel.
const PARALLEL: usize = 1 << 17;
/// Parts into which a search is split at least, if there are as many tiles.
const PARTS: usize = 16;
/// Objects with a short list that are compared by one task.
const LISTED: usize = 64;

/// A search among prepared objects.
struct Search<'a, X: ?Sized, K: Kernel<X>> {
    kernel: &'a K,
    sets: [&'a K::Prepared; 2],
    needed: NeighboursNeeded<'a>,
    objects: PhantomData<fn(&X)>,
}

impl<X: ?Sized, K: Kernel<X>> Search<'_, X, K> {
    /// All pairs, tile by tile. Few rows are split by columns too; the split depends only on sizes.
    fn all(&self) -> Result<Vec<(usize, f64)>> {
        let (n, m, side) = (self.sets[0].len(), self.sets[1].len(), self.kernel.tile_side().max(1));
        let blocks = n.div_ceil(side).max(1);
        let stripe = m.div_ceil(PARTS.div_ceil(blocks)).next_multiple_of(side);
        let starts = |end: usize, step: usize| (0..end).step_by(step);
        let parts: Vec<(usize, usize)> =
            starts(n, side).flat_map(|top| starts(m, stripe).map(move |left| (top, left))).collect();
        let part = |(top, left): (usize, usize)| {
            self.part(top..(top + side).min(n), left..(left + stripe).min(m), side)
        };
        let found = parallel::try_map(parts.len(), |p| part(parts[p]))?;
        let mut out = Vec::with_capacity(n * self.needed.k);
        for stripes in found.chunks(m.div_ceil(stripe).max(1)) {
            for i in 0..stripes[0].len() {
                let near = stripes.iter().flat_map(|stripe| &stripe[i].kept);
                out.extend(Selection::smallest(self.needed.k, near.copied().collect()));
            }
        }
        Ok(out)
    }

    /// The nearest of some columns for each of some rows.
    fn part(&self, rows: Range<usize>, cols: Range<usize>, side: usize) -> Result<Vec<Selection>> {
        let mut selections: Vec<Selection> = rows.clone().map(|_| Selection::new(self.needed.k)).collect();
        let mut tile = Vec::new();
        for left in cols.clone().step_by(side) {
            budget::check()?;
            let others = left..(left + side).min(cols.end);
            tile.resize(rows.len() * others.len(), 0.0);
            cross_tile(self.kernel, self.sets, &rows, &others, &mut tile)?;
            let values = tile.chunks_exact(others.len());
            for (i, (selection, values)) in selections.iter_mut().zip(values).enumerate() {
                selection
                    .offer(values, &self.needed.own[others.clone()], left, self.needed.measure)
                    .map_err(|fault| fault.in_row(rows.start + i))?;
            }
        }
        Ok(selections)
    }

    /// Only the pairs on the lists; objects without one are compared with all.
    fn listed(&self, lists: &[Option<Vec<usize>>]) -> Result<Vec<(usize, f64)>> {
        let one = |i: usize, list: &[usize]| -> Result<Vec<(usize, f64)>> {
            let chosen = self.sets[1].select(list);
            let mut values = vec![0.0; list.len()];
            self.kernel.fill(Part::new(self.sets[0], i..i + 1), Part::all(&chosen), &mut values)?;
            let own: Vec<f64> = list.iter().map(|&j| self.needed.own[j]).collect();
            let mut selection = Selection::new(self.needed.k);
            selection
                .offer(&values, &own, 0, self.needed.measure)
                .map_err(|fault| Fault { col: list[fault.col], ..fault }.in_row(i))?;
            Ok(selection.finish().into_iter().map(|(at, d)| (list[at], d)).collect())
        };
        let block = |start: usize| -> Result<Vec<(usize, f64)>> {
            budget::check()?;
            let mut found = Vec::with_capacity(LISTED * self.needed.k);
            for (i, list) in lists.iter().enumerate().skip(start).take(LISTED) {
                // The place of an object without a list is filled below.
                match list {
                    Some(list) => found.extend(one(i, list)?),
                    None => found.resize(found.len() + self.needed.k, (0, 0.0)),
                }
            }
            Ok(found)
        };
        let starts: Vec<usize> = (0..lists.len()).step_by(LISTED).collect();
        let mut found = parallel::try_map(starts.len(), |b| block(starts[b]))?.concat();
        let without: Vec<usize> = (0..lists.len()).filter(|&i| lists[i].is_none()).collect();
        if !without.is_empty() {
            let rows = self.sets[0].select(&without);
            let rest: Search<'_, X, K> = Search {
                kernel: self.kernel,
                sets: [&rows, self.sets[1]],
                needed: self.needed,
                objects: PhantomData,
            };
            let near = rest.all().map_err(|e| numbered(e, &without))?;
            for (&i, near) in without.iter().zip(near.chunks_exact(self.needed.k)) {
                found[i * self.needed.k..(i + 1) * self.needed.k].copy_from_slice(near);
            }
        }
        Ok(found)
    }
}

/// An error of selected objects, with their numbers in the whole set.
fn numbered(error: Error, chosen: &[usize]) -> Error {
    let at = |i: usize| chosen.get(i).copied().unwrap_or(i);
    match error {
        Error::NonFinite { row, col, overflow } => Error::NonFinite { row: at(row), col, overflow },
        other => other.of_object(at),
    }
}

/// The smallest distances so far.
struct Selection {
    k: usize,
    /// Distances from here on are not among the k smallest.
    limit: f64,
    kept: Vec<(usize, f64)>,
}

/// A value that is no distance.
struct Fault {
    col: usize,
    value: f64,
    measure: Measure,
}

impl Fault {
    fn in_row(self, row: usize) -> Error {
        match self.measure {
            Measure::Similarity => Error::NonFinite { row, col: self.col, overflow: true },
            Measure::Distance => {
                let reason = format!("a negative distance, {}", self.value);
                Error::Object { index: row, reason, hint: None }
            }
        }
    }
}

/// Distances that are compared with the limit together.
const LANES: usize = 16;

impl Selection {
    fn new(k: usize) -> Self {
        Selection { k, limit: f64::INFINITY, kept: Vec::new() }
    }

    /// Takes the values of the objects from `first` on, which are behind all taken before.
    ///
    /// Most groups of values have none below the limit, which takes one comparison each, in vector code.
    fn offer(
        &mut self,
        values: &[f64],
        own: &[f64],
        first: usize,
        measure: Measure,
    ) -> std::result::Result<(), Fault> {
        vectorised(
            #[inline(always)]
            || {
                for (group, (values, own)) in values.chunks(LANES).zip(own.chunks(LANES)).enumerate() {
                    let some = match measure {
                        Measure::Similarity => {
                            let new = |v: f64, own: f64| {
                                let d = own - 2.0 * v;
                                (d < self.limit) | !d.is_finite()
                            };
                            values.iter().zip(own).fold(false, |some, (&v, &own)| some | new(v, own))
                        }
                        Measure::Distance => {
                            values.iter().fold(false, |some, &d| some | (d < self.limit.max(0.0)))
                        }
                    };
                    if some {
                        self.take(values, own, first + group * LANES, measure)?;
                    }
                }
                Ok(())
            },
        )
    }

    #[inline(never)]
    fn take(
        &mut self,
        values: &[f64],
        own: &[f64],
        first: usize,
        measure: Measure,
    ) -> std::result::Result<(), Fault> {
        for (j, (&value, own)) in (first..).zip(values.iter().zip(own)) {
            let (d, good) = match measure {
                Measure::Similarity => {
                    let d = own - 2.0 * value;
                    (d, d.is_finite())
                }
                Measure::Distance => (value, value >= 0.0),
            };
            if !good {
                return Err(Fault { col: j, value, measure });
            }
            // Later ones at the same distance have a higher index and are not among the k nearest.
            if d < self.limit {
                self.kept.push((j, d));
                if self.kept.len() == (2 * self.k).max(16) {
                    self.kept.select_nth_unstable_by(self.k - 1, nearer);
                    self.kept.truncate(self.k);
                    self.limit = self.kept[self.k - 1].1;
                }
            }
        }
        Ok(())
    }

    fn finish(self) -> Vec<(usize, f64)> {
        Selection::smallest(self.k, self.kept)
    }

    fn smallest(k: usize, mut kept: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
        kept.sort_unstable_by(nearer);
        kept.truncate(k);
        kept
    }
}

fn nearer(a: &(usize, f64), b: &(usize, f64)) -> Ordering {
    a.1.partial_cmp(&b.1).unwrap_or(Ordering::Equal).then(a.0.cmp(&b.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Sparse, Vectors};
    use crate::distance::{Euclidean, NegativeSquaredDistance};
    use crate::kernel::vector::{Linear, Rbf};
    use crate::random::Random;

    fn normal(count: usize, dim: usize, seed: u64) -> Dense {
        let mut random = Random::new(seed);
        Dense::new(count, dim, (0..count * dim).map(|_| random.normal()).collect()).unwrap()
    }

    fn similar(own: &[f64], k: usize) -> NeighboursNeeded<'_> {
        NeighboursNeeded { k, measure: Measure::Similarity, own }
    }

    /// Every distance sorted, ties by index.
    fn sorted(cross: &Dense, own: &[f64], k: usize) -> Vec<(usize, f64)> {
        let row = |i: usize| {
            let mut all: Vec<(usize, f64)> =
                cross.row(i).iter().zip(own).map(|(v, own)| own - 2.0 * v).enumerate().collect();
            all.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            all.truncate(k);
            all
        };
        (0..cross.rows()).flat_map(row).collect()
    }

    fn agrees<K: Kernel<Vectors>>(kernel: &K, new: &Vectors, known: &Vectors, k: usize) {
        let engine = Engine::new();
        let (rows, cols) = (kernel.prepare(new).unwrap(), kernel.prepare(known).unwrap());
        let own = engine.diagonal_of(kernel, &cols).unwrap();
        let cross = engine.cross_of(kernel, &rows, &cols).unwrap();
        let near = engine.nearest_of(kernel, &rows, &cols, similar(&own, k)).unwrap();
        assert_eq!((near.k(), near.len()), (k, new.len()));
        assert_eq!(near.found, sorted(&cross, &own, k));
        assert_eq!(near, Nearest::among(&cross, similar(&own, k)).unwrap());
    }

    /// Screened in single precision, streamed by tiles, and selected from a matrix: the same bits as sorting everything.
    #[test]
    fn the_same_as_sorting_all_distances() {
        for (n, m, dim, k) in [(70, 1100, 13, 5), (3, 700, 4, 1), (300, 300, 2, 300), (20, 2000, 50, 40)] {
            let (new, known) = (normal(n, dim, 1), normal(m, dim, 2));
            let (new, known) = (Vectors::Dense(new), Vectors::Dense(known));
            agrees(&NegativeSquaredDistance(Euclidean), &new, &known, k);
            agrees(&Rbf::new(0.02).unwrap(), &new, &known, k);
            agrees(&Linear, &new, &known, k);
        }
        // Ties everywhere, equal vectors, and sparse vectors.
        let grid =
            |n: usize| Dense::new(n, 2, (0..2 * n).map(|i| (i * i % 17 % 5) as f64).collect()).unwrap();
        let (new, known) = (Vectors::Dense(grid(90)), Vectors::Dense(grid(4000)));
        agrees(&NegativeSquaredDistance(Euclidean), &new, &known, 7);
        // Few dimensions and many vectors, half of them copies: a tree is used.
        let known = normal(6000, 2, 5);
        let copies = known.select(&(0..6000).map(|i| i / 2).collect::<Vec<_>>());
        let new = Vectors::Dense(copies.select(&(0..600).map(|i| 7 * i).collect::<Vec<_>>()));
        agrees(&NegativeSquaredDistance(Euclidean), &new, &Vectors::Dense(copies), 5);
        let rows: Vec<Vec<(u32, f64)>> = (0..500).map(|i| vec![(i % 7, f64::from(i % 11))]).collect();
        let sparse = Vectors::Sparse(Sparse::from_rows(7, &rows).unwrap());
        agrees(&NegativeSquaredDistance(Euclidean), &sparse, &sparse, 9);
    }

    #[test]
    fn bits_do_not_depend_on_threads() {
        let (new, known) = (Vectors::Dense(normal(500, 8, 3)), Vectors::Dense(normal(3000, 8, 4)));
        for k in [1, 6] {
            let kernel = NegativeSquaredDistance(Euclidean);
            let found = [1, 2, 5].map(|threads| {
                let engine = Engine::new().with_threads(threads).unwrap();
                let (rows, cols) = (kernel.prepare(&new).unwrap(), kernel.prepare(&known).unwrap());
                engine.nearest_of(&kernel, &rows, &cols, similar(&[0.0; 3000], k)).unwrap()
            });
            assert!(found[0] == found[1] && found[1] == found[2]);
        }
    }

    #[test]
    fn values_that_are_no_distances_are_refused() {
        let (mut cross, own) = (Dense::zeros(3, 40), [0.0; 40]);
        cross.row_mut(1)[30] = -0.5;
        let error =
            Nearest::among(&cross, NeighboursNeeded { measure: Measure::Distance, ..similar(&own, 2) })
                .unwrap_err();
        assert!(
            matches!(&error, Error::Object { index: 1, reason, .. } if reason.contains("-0.5")),
            "{error}"
        );
        assert!(Nearest::among(&cross, similar(&own, 2)).is_ok());
        cross.row_mut(2)[33] = f64::MAX;
        let error = Nearest::among(&cross, similar(&own, 2)).unwrap_err();
        assert!(matches!(error, Error::NonFinite { row: 2, col: 33, overflow: true }), "{error}");
        for k in [0, 41] {
            assert!(Nearest::among(&cross, similar(&own, k)).is_err());
        }
        assert!(Nearest::among(&cross, similar(&own[1..], 1)).is_err());
    }
}
