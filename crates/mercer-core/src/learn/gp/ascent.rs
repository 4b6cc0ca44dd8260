//! Maximises a function of few numbers within bounds, from its gradient.

use crate::error::Result;

/// An ascent ends when no free coordinate of the gradient exceeds this.
const FLAT: f64 = 1e-5;
/// Gains below this share of the value, three times in a row, end an ascent.
const NO_GAIN: f64 = 1e-11;
/// The largest change of a coordinate in one step: parameters are logarithms.
const LONGEST: f64 = 2.0;
/// Halvings of a step before it is given up.
const HALVINGS: usize = 25;

/// Where an ascent ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ascent {
    /// The point.
    pub at: Vec<f64>,
    /// The value there.
    pub value: f64,
    /// How often the function was evaluated.
    pub evaluations: usize,
    /// Whether it ended because the gradient vanished or nothing was gained any more, not because of the limit.
    pub converged: bool,
}

/// A function to maximise: its value and gradient at a point, or `None` where it is not defined.
pub type Climbed<'a> = dyn FnMut(&[f64]) -> Result<Option<(f64, Vec<f64>)>> + 'a;

/// Ascends from a point to a local maximum within bounds, by projected steps of BFGS with halving.
///
/// A coordinate at a bound whose gradient points outwards is held. At most `most` evaluations. `None` if the function is
/// not defined at the start. The same input gives the same bits.
///
/// J. Nocedal and S. J. Wright, *Numerical optimization*, 2006, chapters 6 and 16; D. P. Bertsekas, *Projected Newton
/// methods for optimization problems with simple constraints*, SIAM Journal on Control and Optimization 20, 1982.
pub fn ascend(
    start: &[f64],
    bounds: &[(f64, f64)],
    most: usize,
    climbed: &mut Climbed<'_>,
) -> Result<Option<Ascent>> {
    let d = start.len();
    let clip = |at: Vec<f64>| -> Vec<f64> {
        at.into_iter().zip(bounds).map(|(v, (low, high))| v.clamp(*low, *high)).collect()
    };
    let mut at = clip(start.to_vec());
    let mut evaluations = 1;
    let Some((mut value, mut gradient)) = climbed(&at)? else { return Ok(None) };
    let mut curvature = Curvature::new(d);
    let (mut converged, mut idle) = (false, 0);
    while evaluations < most {
        let free: Vec<bool> = (0..d)
            .map(|i| {
                let (low, high) = bounds[i];
                !(at[i] <= low && gradient[i] < 0.0 || at[i] >= high && gradient[i] > 0.0)
            })
            .collect();
        let steepest = (0..d).filter(|&i| free[i]).map(|i| gradient[i].abs()).fold(0.0, f64::max);
        if steepest < FLAT {
            converged = true;
            break;
        }
        let mut direction = curvature.times(&gradient, &free);
        let mut slope = product(&direction, &gradient);
        if !(slope.is_finite() && slope > 0.0) {
            curvature = Curvature::new(d);
            direction = curvature.times(&gradient, &free);
            slope = product(&direction, &gradient);
        }
        let longest = direction.iter().map(|v| v.abs()).fold(0.0, f64::max);
        if longest > LONGEST {
            direction.iter_mut().for_each(|v| *v *= LONGEST / longest);
            slope *= LONGEST / longest;
        }
        // The first direction is the gradient itself, whose length says nothing about the distance.
        if curvature.is_new && longest.min(LONGEST) > 1.0 {
            let factor = 1.0 / longest.min(LONGEST);
            direction.iter_mut().for_each(|v| *v *= factor);
            slope *= factor;
        }
        let mut step = 1.0;
        let mut found = None;
        for _ in 0..HALVINGS {
            if evaluations >= most {
                break;
            }
            let next = clip(at.iter().zip(&direction).map(|(v, d)| v + step * d).collect());
            if next == at {
                break;
            }
            evaluations += 1;
            match climbed(&next)? {
                Some((other, there)) if there.iter().all(|g| g.is_finite()) => {
                    let moved: f64 = (0..d).map(|i| gradient[i] * (next[i] - at[i])).sum();
                    if other.is_finite() && other >= value + 1e-4 * moved.max(0.0) {
                        found = Some((next, other, there));
                        break;
                    }
                    // The maximum of the parabola through what is known.
                    let bend = slope * step - (other - value);
                    let shrunk = if bend > 0.0 { 0.5 * slope * step / bend } else { 0.5 };
                    step *= shrunk.clamp(0.1, 0.5);
                }
                _ => step *= 0.25,
            }
        }
        let Some((next, other, there)) = found else {
            // Rounding hides further gains along this direction; the gradient may still find some.
            if curvature.is_new || evaluations >= most {
                converged = evaluations < most;
                break;
            }
            curvature = Curvature::new(d);
            continue;
        };
        let moved: Vec<f64> = next.iter().zip(&at).map(|(a, b)| a - b).collect();
        let turned: Vec<f64> = gradient.iter().zip(&there).map(|(a, b)| a - b).collect();
        curvature.learn(&moved, &turned);
        let gain = other - value;
        (at, value, gradient) = (next, other, there);
        idle = if gain <= NO_GAIN * (1.0 + value.abs()) { idle + 1 } else { 0 };
        if idle >= 3 {
            converged = true;
            break;
        }
    }
    Ok(Some(Ascent { at, value, evaluations, converged }))
}

/// The inverse of the negative Hessian, as far as it is known.
struct Curvature {
    rows: Vec<Vec<f64>>,
    is_new: bool,
}

impl Curvature {
    fn new(d: usize) -> Self {
        let row = |i: usize| (0..d).map(|j| f64::from(u8::from(i == j))).collect();
        Curvature { rows: (0..d).map(row).collect(), is_new: true }
    }

    /// The direction of ascent in the free coordinates.
    fn times(&self, gradient: &[f64], free: &[bool]) -> Vec<f64> {
        let one = |(i, row): (usize, &Vec<f64>)| match free[i] {
            true => (0..row.len()).filter(|&j| free[j]).map(|j| row[j] * gradient[j]).sum(),
            false => 0.0,
        };
        self.rows.iter().enumerate().map(one).collect()
    }

    /// The update of BFGS by a step and the change of the gradient along it; left out where the function bends upwards.
    fn learn(&mut self, moved: &[f64], turned: &[f64]) {
        let bend = product(moved, turned);
        let size = (product(moved, moved) * product(turned, turned)).sqrt();
        if bend.is_nan() || bend <= 1e-10 * size {
            return;
        }
        if self.is_new {
            let scale = bend / product(turned, turned);
            self.rows.iter_mut().enumerate().for_each(|(i, row)| row[i] = scale);
            self.is_new = false;
        }
        let through: Vec<f64> = self.rows.iter().map(|row| product(row, turned)).collect();
        let factor = (1.0 + product(&through, turned) / bend) / bend;
        for (i, row) in self.rows.iter_mut().enumerate() {
            for (j, v) in row.iter_mut().enumerate() {
                *v += factor * moved[i] * moved[j] - (through[i] * moved[j] + moved[i] * through[j]) / bend;
            }
        }
    }
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The banana of Rosenbrock, upside down, with its maximum 0 at (1, 1).
    fn banana(x: &[f64]) -> (f64, Vec<f64>) {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        (-(a * a + 100.0 * b * b), vec![2.0 * a + 400.0 * x[0] * b, -200.0 * b])
    }

    #[test]
    fn a_curved_ridge_is_climbed() {
        let found =
            ascend(&[-1.2, 1.0], &[(-5.0, 5.0); 2], 500, &mut |x| Ok(Some(banana(x)))).unwrap().unwrap();
        assert!(found.converged && found.value > -1e-8, "{found:?}");
        assert!(found.at.iter().all(|v| (v - 1.0).abs() < 1e-4), "{found:?}");
    }

    #[test]
    fn bounds_hold_and_are_reached() {
        let found = ascend(&[-1.2, 1.0], &[(-5.0, 0.5), (-5.0, 5.0)], 500, &mut |x| {
            assert!(x[0] <= 0.5);
            Ok(Some(banana(x)))
        });
        let found = found.unwrap().unwrap();
        // Along x = 0.5 the best is y = 0.25.
        assert!(found.converged && found.at[0] == 0.5 && (found.at[1] - 0.25).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn where_the_function_is_not_defined_is_avoided() {
        // log x - x, defined for x > 0, has its maximum at 1.
        let mut climbed = |x: &[f64]| Ok((x[0] > 0.0).then(|| (x[0].ln() - x[0], vec![1.0 / x[0] - 1.0])));
        let found = ascend(&[3.0], &[(-9.0, 9.0)], 100, &mut climbed).unwrap().unwrap();
        assert!((found.at[0] - 1.0).abs() < 1e-4, "{found:?}");
        assert_eq!(ascend(&[-3.0], &[(-9.0, 9.0)], 100, &mut climbed).unwrap(), None);
        let few = ascend(&[3.0], &[(-9.0, 9.0)], 2, &mut climbed).unwrap().unwrap();
        assert!(!few.converged && few.evaluations == 2);
    }
}
