//! Ridge regression on landmarks.

use super::ridge::{Ridge, RidgeModel};
use crate::budget::Budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::check_finite;
use crate::numeric::math::dot;
use crate::solve::{Columns, Landmarked};

impl Ridge {
    /// Ridge regression among functions Σ_j α_j k(x_j, ·) of a subset of the objects, the landmarks, fitted to all
    /// objects.
    ///
    /// Minimises Σ_i (y_i - f(x_i))² + λ|f|² by conjugate gradients, preconditioned by the similarities of the
    /// landmarks: see [`Landmarked`]. Needs n·m kernel values (kept if memory allows, otherwise recomputed in
    /// each of a few tens of iterations), O(m³) operations and two m × m matrices, instead of n² and n³.
    /// The solution is refined until its residual, recomputed in double precision, is below 1e-7. With an intercept,
    /// landmarks are centred and the offset is free.
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
        if targets.rows() != n {
            return Err(Error::usage(format!("{} targets for {n} objects", targets.rows())));
        }
        check_finite(targets)?;
        let (lambda, intercept) = (self.lambda(), self.has_intercept());
        let system = Landmarked::new(columns, landmarks, lambda, n as f64, intercept, budget)?;
        let mut alpha = Dense::zeros(landmarks.len(), targets.cols());
        let mut offsets = Vec::new();
        for t in 0..targets.cols() {
            let y: Vec<f64> = (0..n).map(|i| targets.at(i, t)).collect();
            let (own, fitted) = system.squares(&y, lambda, intercept)?;
            own.iter().enumerate().for_each(|(j, v)| alpha.row_mut(j)[t] = *v);
            // α sums to 0, so centring the columns of K_nm only subtracts a constant.
            let constant = system.centring().map_or(0.0, |c| dot(&c.row_means, &own));
            let left = y.iter().zip(&fitted).map(|(y, f)| y - f).sum::<f64>() / n as f64;
            offsets.push(left + constant);
        }
        RidgeModel::from_parts(alpha, system.centring().map(|c| (c.clone(), offsets)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Vectors;
    use crate::gram::{Centering, Engine, whitening};
    use crate::kernel::vector::Rbf;
    use crate::learn::LinearMap;
    use crate::numeric::algebra::product;
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
