//! The steps of the active-set method: all free variables at once, or one pair.

use super::super::factor::Factor;
use super::super::proof::Stop;
use super::{Active, Free, Worst};
use crate::error::Result;
use crate::numeric::math::dot;

impl Active<'_> {
    /// The step to the optimum of the free variables, by block elimination; the sums of the banks do not change.
    fn direction(&self, slopes: &[f64]) -> Vec<f64> {
        let mut sought: Vec<f64> = slopes.to_vec();
        self.factor.forward(&mut sought);
        let mut members = Vec::new();
        for bank in 0..self.banks.len() {
            let mut y: Vec<f64> = self.free.iter().map(|f| if f.bank == bank { 1.0 } else { 0.0 }).collect();
            if y.contains(&1.0) {
                self.factor.forward(&mut y);
                members.push(y);
            }
        }
        let mut small = Factor::default();
        for (b, y) in members.iter().enumerate() {
            let entries: Vec<f64> = members[..b].iter().map(|x| dot(x, y)).collect();
            small.push(&entries, dot(y, y));
        }
        let mut levels: Vec<f64> = members.iter().map(|y| dot(y, &sought)).collect();
        small.forward(&mut levels);
        small.backward(&mut levels);
        for (y, level) in members.iter().zip(&levels) {
            sought.iter_mut().zip(y).for_each(|(s, v)| *s -= level * v);
        }
        self.factor.backward(&mut sought);
        sought.iter_mut().for_each(|s| *s = -*s);
        self.centre_by_bank(&mut sought);
        sought
    }

    /// Subtracts from the values of each bank's free variables their mean.
    fn centre_by_bank(&self, values: &mut [f64]) {
        for bank in 0..self.banks.len() {
            let of = |f: &Free| f.bank == bank;
            let count = self.free.iter().filter(|f| of(f)).count();
            let sum: f64 = self.free.iter().zip(&*values).filter(|(f, _)| of(f)).map(|(_, v)| v).sum();
            let mean = sum / count.max(1) as f64;
            values.iter_mut().zip(&self.free).filter(|(_, f)| of(f)).for_each(|(v, _)| *v -= mean);
        }
    }

    /// Moves the free variables to their optimum, or to the first bound on the way.
    pub(super) fn newton(&mut self) -> Result<()> {
        self.iterations += 1;
        self.tries += 1;
        let mut slopes: Vec<f64> = self.free.iter().map(|f| self.products[f.object] + f.slope).collect();
        self.centre_by_bank(&mut slopes);
        let way = self.direction(&slopes);
        let moves: Vec<(usize, f64)> = self.free.iter().map(|f| f.object).zip(way.iter().copied()).collect();
        let bend = self.held.combine(&moves)?;
        let slope: f64 = slopes.iter().zip(&way).map(|(s, w)| s * w).sum();
        let curvature: f64 = moves.iter().map(|(o, w)| w * bend[*o]).sum();
        if !(slope < 0.0 && slope.is_finite()) {
            self.stuck = true;
            return Ok(());
        }
        // A step of length 1 is optimal except along directions with a ridge, where it is too short. The remaining
        // error is mostly along these directions, so the length is recomputed.
        let found = if curvature > 0.0 { -slope / curvature } else { f64::INFINITY };
        let wanted = if self.tries % 2 == 1 { found.min(1.0) } else { found };
        let room = |f: &Free, w: f64| {
            let beta = self.banks[f.bank].beta[f.object];
            if w > 0.0 {
                (f.high - beta) / w
            } else if w < 0.0 {
                (f.low - beta) / w
            } else {
                f64::INFINITY
            }
        };
        let first = self.free.iter().zip(&way).map(|(f, &w)| room(f, w)).fold(f64::INFINITY, f64::min);
        let length = wanted.min(first);
        if !length.is_finite() || bend.iter().any(|b| !b.is_finite()) {
            self.stuck = true;
            return Ok(());
        }
        let met: Vec<bool> =
            self.free.iter().zip(&way).map(|(f, &w)| first <= wanted && room(f, w) <= first).collect();
        for ((f, &w), met) in self.free.iter().zip(&way).zip(met) {
            let beta = &mut self.banks[f.bank].beta[f.object];
            *beta = match (met, w > 0.0) {
                (true, true) => f.high,
                (true, false) => f.low,
                (false, _) => (*beta + length * w).clamp(f.low, f.high),
            };
        }
        self.products.iter_mut().zip(&bend).for_each(|(p, b)| *p += length * b);
        self.stale += 1;
        self.count(-length * (slope + 0.5 * length * curvature.max(0.0)));
        let left = self.leave(|f, bank| {
            let beta = bank.beta[f.object];
            beta <= f.low || beta >= f.high
        })?;
        self.stuck = left && length == 0.0;
        Ok(())
    }

    /// Records the decrease of the objective.
    fn count(&mut self, fall: f64) {
        self.idle = if fall > 4.0 * f64::EPSILON * self.scale { 0 } else { self.idle + 1 };
    }

    /// Moves only the worst pair, which always makes progress.
    pub(super) fn pair(&mut self, worst: &Worst) -> Result<Result<(), Stop>> {
        self.iterations += 1;
        self.stuck = false;
        let (bank, i, j) = (worst.bank, worst.up, worst.down);
        let entry = self.held.entries(i, &[j])?.first().copied().unwrap_or(0.0);
        let curvature = match self.curvature(i, j, entry) {
            Ok(curvature) => curvature,
            Err(stop) => return Ok(Err(stop)),
        };
        let b = &mut self.banks[bank];
        let ((room_i, end_i), (room_j, end_j)) = (b.room_up(i), b.room_down(j));
        let wanted = if curvature > 0.0 { worst.gap() / curvature } else { f64::INFINITY };
        let size = wanted.min(room_i).min(room_j);
        b.beta[i] = if size == room_i { end_i } else { b.beta[i] + size };
        b.beta[j] = if size == room_j { end_j } else { b.beta[j] - size };
        let bend = self.held.combine(&[(i, size), (j, -size)])?;
        self.products.iter_mut().zip(&bend).for_each(|(p, b)| *p += b);
        self.stale += 1;
        self.count(size * (worst.gap() - 0.5 * size * curvature.max(0.0)));
        self.leave(|f, _| f.bank == bank && (f.object == i || f.object == j))?;
        for (object, up) in [(i, true), (j, false)] {
            let b = &self.banks[bank];
            if b.rise(object) == b.fall(object) {
                let entered = self.enter(bank, object, up)?;
                if entered.is_err() {
                    return Ok(entered);
                }
            }
        }
        self.tries = 0;
        Ok(Ok(()))
    }
}
