//! FALKON: ridge regression on landmarks by preconditioned conjugate gradients.

use rayon::prelude::*;

use super::ridge::{Ridge, RidgeModel};
use crate::budget::{self, Budget};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::{Centering, check_finite, whitening};
use crate::numeric::algebra::{product, product_transposed, weighted_gram};
use crate::numeric::inverse;
use crate::numeric::math::dot;
use crate::solve::Columns;

/// Objects whose similarities to the landmarks are computed at a time.
const BATCH: usize = 512;
/// The relative residual at which the iteration stops.
const TOLERANCE: f64 = 1e-8;
/// The updated residual may be this many times smaller than the true one.
const DRIFT: f64 = 100.0;

/// The maximum number of iterations; with a good preconditioner a few tens suffice.
const ITERATIONS: usize = 500;

impl Ridge {
    /// Ridge regression among functions Σ_j α_j k(x_j, ·) of a subset of the objects, the landmarks, fitted to all
    /// objects.
    ///
    /// Minimises Σ_i (y_i - f(x_i))² + λ|f|² by conjugate gradients, preconditioned by the similarities of the
    /// landmarks. Needs n·m kernel values (kept in single precision if memory allows, otherwise recomputed in each
    /// iteration) and O(n·m) operations for each of a few tens of iterations, instead of n² and n³. With an intercept,
    /// similarities are centred by the landmarks and the offset is free.
    ///
    /// `landmarks` are ascending; the model has one coefficient for each. Fails if the iterations do not converge.
    ///
    /// ```
    /// use mercer_core::{data::Dense, Budget, learn::Ridge, solve::GramColumns};
    /// // The points 1, 2 and 3 on a line, y = 3 x: one landmark spans all functions there are.
    /// let k = Dense::from_rows(&[[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [3.0, 6.0, 9.0]]);
    /// let targets = Dense::from_rows(&[[3.0], [6.0], [9.0]]);
    /// let columns = GramColumns::new(&k)?;
    /// let few = Ridge::new(2.0).fit_landmarks(&columns, &[1], &targets, &Budget::default())?;
    /// let all = Ridge::new(2.0).fit_many(&k, &targets)?;
    /// let new = few.predict(&Dense::from_rows(&[[20.0]]))?; // the point 10
    /// assert!((new.at(0, 0) - all.predict(&Dense::from_rows(&[[10.0, 20.0, 30.0]]))?.at(0, 0)).abs() < 1e-4);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    ///
    /// Reference: Rudi, Carratino & Rosasco 2017, FALKON: an optimal large scale kernel method.
    pub fn fit_landmarks(
        &self,
        columns: &dyn Columns,
        landmarks: &[usize],
        targets: &Dense,
        budget: &Budget,
    ) -> Result<RidgeModel> {
        self.check()?;
        let n = columns.len();
        if !landmarks.is_sorted_by(|a, b| a < b) || landmarks.last().is_none_or(|&l| l >= n) {
            return Err(Error::usage("the landmarks must be ascending indices of objects"));
        }
        if targets.rows() != n {
            return Err(Error::usage(format!("{} targets for {n} objects", targets.rows())));
        }
        check_finite(targets)?;
        let system = Landmarked::new(self, columns, landmarks, budget)?;
        let mut alpha = Dense::zeros(landmarks.len(), targets.cols());
        let mut offsets = Vec::new();
        for t in 0..targets.cols() {
            let y: Vec<f64> = (0..n).map(|i| targets.at(i, t)).collect();
            let (own, offset) = system.solve(&y)?;
            own.iter().enumerate().for_each(|(j, v)| alpha.row_mut(j)[t] = *v);
            offsets.push(offset);
        }
        RidgeModel::from_parts(alpha, system.centering.map(|c| (c, offsets)))
    }
}

/// The system (ZᵀCZ + λI)·β = ZᵀC·y, Z = K_nm·M, α = M·β, where M·Mᵀ = K_mm⁺ and C subtracts the mean with an
/// intercept.
struct Landmarked<'a> {
    columns: &'a dyn Columns,
    landmarks: Vec<u32>,
    budget: &'a Budget,
    lambda: f64,
    centering: Option<Centering>,
    map: Dense,
    /// The inverse of the system of the landmarks, scaled up to all objects.
    preconditioner: Dense,
    /// K_nm, if it fits in memory.
    kept: Option<Dense<f32>>,
}

impl<'a> Landmarked<'a> {
    fn new(ridge: &Ridge, columns: &'a dyn Columns, landmarks: &[usize], budget: &'a Budget) -> Result<Self> {
        let (n, m) = (columns.len(), landmarks.len());
        let landmarks: Vec<u32> = landmarks.iter().map(|&l| l as u32).collect();
        let mut own = Dense::zeros(m, m);
        columns.exact(&landmarks, &landmarks, own.values_mut())?;
        let centering = match ridge.has_intercept() {
            true => Some(Centering::fit(&own)?),
            false => None,
        };
        if let Some(centering) = &centering {
            centering.apply_train(&mut own)?;
        }
        let map = whitening(&own)?;
        let mut mapped = product(&own, &map);
        if centering.is_some() {
            subtract_means(&mut mapped);
        }
        let mut square = weighted_gram(&mapped, &vec![n as f64 / m as f64; m], None);
        (0..square.rows()).for_each(|i| square.row_mut(i)[i] += ridge.lambda());
        let preconditioner = inverse(square)?;
        let mut system = Landmarked {
            columns,
            landmarks,
            budget,
            lambda: ridge.lambda(),
            centering,
            map,
            preconditioner,
            kept: None,
        };
        let room = budget::room().is_none_or(|bytes| budget::matrix_bytes(n, m, 4) <= bytes / 2);
        if room {
            system.kept = Some(system.similarities()?);
        }
        Ok(system)
    }

    /// K_nm in single precision.
    fn similarities(&self) -> Result<Dense<f32>> {
        let (n, m) = (self.columns.len(), self.landmarks.len());
        let mut out = crate::numeric::allocate::<f32>(n, m);
        let blocks = out.values_mut().par_chunks_mut((BATCH * m).max(1)).enumerate();
        let done = blocks.map(budget::carried(|(at, out): (usize, &mut [f32])| {
            let tile = self.tile(at * BATCH..at * BATCH + out.len() / m.max(1))?;
            out.iter_mut().zip(tile.values()).for_each(|(to, v)| *to = *v as f32);
            Ok(())
        }));
        done.collect::<Vec<Result<()>>>().into_iter().collect::<Result<()>>()?;
        Ok(out)
    }

    /// Rows of K_nm, centred with an intercept.
    fn tile(&self, rows: std::ops::Range<usize>) -> Result<Dense> {
        self.budget.check()?;
        budget::check()?;
        let m = self.landmarks.len();
        let mut tile = Dense::zeros(rows.len(), m);
        if let Some(kept) = &self.kept {
            let from = kept.block(rows);
            tile.values_mut().iter_mut().zip(from).for_each(|(to, &v)| *to = f64::from(v));
            return Ok(tile);
        }
        let rows: Vec<u32> = rows.map(|i| i as u32).collect();
        self.columns.exact(&rows, &self.landmarks, tile.values_mut())?;
        if let Some(centering) = &self.centering {
            centering.apply_cross(&mut tile)?;
        }
        Ok(tile)
    }

    /// Calls `work` for batches of rows of K_nm, in parallel; results are in order.
    fn each<T: Send>(&self, work: impl Fn(std::ops::Range<usize>, &Dense) -> T + Sync) -> Result<Vec<T>> {
        let n = self.columns.len();
        let starts: Vec<usize> = (0..n).step_by(BATCH).collect();
        let done = starts.into_par_iter().map(budget::carried(|start: usize| {
            let rows = start..(start + BATCH).min(n);
            Ok(work(rows.clone(), &self.tile(rows)?))
        }));
        done.collect::<Vec<Result<T>>>().into_iter().collect()
    }

    /// K_nm·v.
    fn times(&self, v: &[f64]) -> Result<Vec<f64>> {
        Ok(self.each(|_, tile| (0..tile.rows()).map(|i| dot(tile.row(i), v)).collect::<Vec<_>>())?.concat())
    }

    /// K_nmᵀ·u.
    fn times_transposed(&self, u: &[f64]) -> Result<Vec<f64>> {
        let parts = self.each(|rows, tile| {
            let mut out = vec![0.0; tile.cols()];
            for (i, weight) in u[rows].iter().enumerate() {
                out.iter_mut().zip(tile.row(i)).for_each(|(o, v)| *o += weight * v);
            }
            out
        })?;
        let mut out = vec![0.0; self.landmarks.len()];
        parts.iter().for_each(|part| out.iter_mut().zip(part).for_each(|(o, v)| *o += v));
        Ok(out)
    }

    fn centred(&self, mut u: Vec<f64>) -> Vec<f64> {
        if self.centering.is_some() {
            let mean = u.iter().sum::<f64>() / u.len() as f64;
            u.iter_mut().for_each(|v| *v -= mean);
        }
        u
    }

    /// Mᵀ·w.
    fn map_transposed(&self, w: Vec<f64>) -> Result<Vec<f64>> {
        Ok(product(&Dense::new(1, w.len(), w)?, &self.map).into_values())
    }

    /// M·β.
    fn spread(&self, beta: &[f64]) -> Result<Vec<f64>> {
        Ok(product_transposed(&Dense::new(1, beta.len(), beta.to_vec())?, &self.map).into_values())
    }

    /// α and the offset for one target.
    fn solve(&self, y: &[f64]) -> Result<(Vec<f64>, f64)> {
        let wanted = self.map_transposed(self.times_transposed(&self.centred(y.to_vec()))?)?;
        let mut residual = wanted.clone();
        let first = dot(&residual, &residual).sqrt();
        let mut beta = vec![0.0; residual.len()];
        let conditioned =
            |r: &[f64]| -> Vec<f64> { (0..r.len()).map(|i| dot(self.preconditioner.row(i), r)).collect() };
        let mut z = conditioned(&residual);
        let mut direction = z.clone();
        let mut product = dot(&residual, &z);
        let mut done = first == 0.0;
        for _ in 0..ITERATIONS {
            if done {
                break;
            }
            let across = self.centred(self.times(&self.spread(&direction)?)?);
            let mut image = self.map_transposed(self.times_transposed(&across)?)?;
            image.iter_mut().zip(&direction).for_each(|(v, d)| *v += self.lambda * d);
            let step = product / dot(&direction, &image);
            beta.iter_mut().zip(&direction).for_each(|(b, d)| *b += step * d);
            residual.iter_mut().zip(&image).for_each(|(r, v)| *r -= step * v);
            z = conditioned(&residual);
            let next = dot(&residual, &z);
            let (turn, size) = (next / product, dot(&residual, &residual).sqrt());
            direction.iter_mut().zip(&z).for_each(|(d, z)| *d = z + turn * *d);
            product = next;
            done = size <= TOLERANCE * first;
        }
        // The updated residual may have drifted, so it is recomputed.
        let across = self.centred(self.times(&self.spread(&beta)?)?);
        let image = self.map_transposed(self.times_transposed(&across)?)?;
        let left = wanted.iter().zip(&image).zip(&beta).map(|((w, v), b)| (w - v - self.lambda * b).powi(2));
        done = done && left.sum::<f64>().sqrt() <= DRIFT * TOLERANCE * first;
        if !done || beta.iter().any(|b| !b.is_finite()) {
            let reason = format!(
                "ridge regression on landmarks did not converge in {ITERATIONS} iterations: raise lambda"
            );
            return Err(Error::Numeric { reason });
        }
        let alpha = self.spread(&beta)?;
        let offset = match self.centering {
            None => 0.0,
            Some(_) => {
                let fitted = self.times(&alpha)?;
                y.iter().zip(&fitted).map(|(y, f)| y - f).sum::<f64>() / y.len() as f64
            }
        };
        Ok((alpha, offset))
    }
}

fn subtract_means(rows: &mut Dense) {
    let n = rows.rows().max(1) as f64;
    let mut means = vec![0.0; rows.cols()];
    for i in 0..rows.rows() {
        means.iter_mut().zip(rows.row(i)).for_each(|(m, v)| *m += v / n);
    }
    for i in 0..rows.rows() {
        rows.row_mut(i).iter_mut().zip(&means).for_each(|(v, m)| *v -= m);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Vectors;
    use crate::gram::Engine;
    use crate::kernel::vector::Rbf;
    use crate::learn::LinearMap;
    use crate::random::Random;
    use crate::solve::GramColumns;

    fn problem(n: usize) -> (Dense, Dense) {
        let mut random = Random::new(2);
        let x = Dense::new(n, 3, (0..3 * n).map(|_| random.normal()).collect()).unwrap();
        let y = (0..n).flat_map(|i| [x.at(i, 0).sin() + 4.0, x.at(i, 1) * x.at(i, 2)]).collect();
        let k = Engine::new().gram(&Rbf::new(0.3).unwrap(), &Vectors::from(x)).unwrap();
        (k, Dense::new(n, 2, y).unwrap())
    }

    /// The same problem in the coordinates of the Nyström approximation, solved directly.
    #[test]
    fn agrees_with_ridge_on_coordinates() {
        let (k, y) = problem(120);
        let landmarks: Vec<usize> = (0..120).step_by(4).collect();
        let pick = |rows: &[usize]| {
            let values =
                rows.iter().flat_map(|&i| landmarks.iter().map(move |&j| (i, j))).map(|(i, j)| k.at(i, j));
            Dense::new(rows.len(), landmarks.len(), values.collect()).unwrap()
        };
        let all: Vec<usize> = (0..120).collect();
        for intercept in [false, true] {
            let ridge = Ridge::new(0.05).with_intercept(intercept);
            let found =
                ridge.fit_landmarks(&GramColumns::new(&k).unwrap(), &landmarks, &y, &Budget::default());
            let found = found.unwrap().predict(&pick(&all)).unwrap();
            let (mut own, mut cross) = (pick(&landmarks), pick(&all));
            if intercept {
                let centering = Centering::fit(&own).unwrap();
                centering.apply_train(&mut own).unwrap();
                centering.apply_cross(&mut cross).unwrap();
            }
            let z = Vectors::from(product(&cross, &whitening(&own).unwrap()));
            let direct = LinearMap::ridge(&z, &y, 0.05, intercept).unwrap().decide(&z).unwrap();
            for (a, b) in found.values().iter().zip(direct.values()) {
                assert!((a - b).abs() < 1e-4, "{intercept}: {a} {b}");
            }
        }
    }

    #[test]
    fn all_objects_as_landmarks_equal_ridge_regression() {
        let (k, y) = problem(60);
        let all: Vec<usize> = (0..60).collect();
        for intercept in [false, true] {
            let ridge = Ridge::new(0.5).with_intercept(intercept);
            let found = ridge.fit_landmarks(&GramColumns::new(&k).unwrap(), &all, &y, &Budget::default());
            let (found, exact) = (found.unwrap().predict(&k).unwrap(), ridge.fit_many(&k, &y).unwrap());
            let exact = exact.predict(&k).unwrap();
            assert!(
                found.values().iter().zip(exact.values()).all(|(a, b)| (a - b).abs() < 1e-4),
                "{intercept}"
            );
        }
    }

    #[test]
    fn invalid_arguments_are_rejected() {
        let (k, y) = problem(10);
        let (columns, ridge) = (GramColumns::new(&k).unwrap(), Ridge::new(1.0));
        let budget = Budget::default();
        for landmarks in [&[][..], &[3, 1], &[10]] {
            assert!(ridge.fit_landmarks(&columns, landmarks, &y, &budget).is_err());
        }
        assert!(ridge.fit_landmarks(&columns, &[0], &y.select(&[0]), &budget).is_err());
        budget.stop();
        assert!(matches!(ridge.fit_landmarks(&columns, &[0, 4], &y, &budget), Err(Error::Interrupted)));
    }
}
