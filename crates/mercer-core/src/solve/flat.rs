//! SMO over all variables at once.
//!
//! Shrinking removes variables at a bound that cannot take part in a violating pair. The remaining variables are moved
//! to the front, so that rows get shorter and loops stay contiguous.

use super::cache::Cache;
use super::columns::View;
use super::pairs::{Ended, Pairs, Rows, rearrange};
use super::problem::End;
use super::proof::Stop;
use super::scan::Real;
use super::smo::State;
use crate::error::Result;

/// Iterations between two checks of the limits, with an attempt at shrinking.
const ROUND: u64 = 1000;

/// Moves pairs until converged, stopped, or the check failed `patience` times.
pub(super) fn flat<T: Real>(state: &mut State<'_>, patience: usize) -> Result<End> {
    let n = state.columns.len();
    let mut cache = Cache::<T>::new(n, state.limits.cache_bytes, 2);
    let mut order: Vec<u32> = (0..n as u32).collect();
    let mut pairs = Pairs::<T>::new(state.banks.clone(), &state.products, &state.diagonal);
    pairs.concave = state.concave;
    let (mut failed, mut counted) = (0, 0);
    let end = loop {
        let view = state.columns.view(order[..pairs.active].into())?;
        let mut rows = Cached { cache: &mut cache, order: &order, active: pairs.active, view: &*view };
        let most = ROUND.min(pairs.active as u64).min(state.left());
        let ended = pairs.run(&mut rows, state.limits.tolerance, most)?;
        drop(view);
        state.iterations += pairs.iterations - counted;
        counted = pairs.iterations;
        let mut stop = None;
        match ended {
            Ended::Spent => {
                state.take(&order, &pairs.banks);
                stop = state.met()?;
                if stop.is_none() {
                    if let Some((moves, active)) = pairs.idle_last().filter(|_| state.limits.shrinking) {
                        cache.rearrange(&moves, active);
                        rearrange(&mut order, &moves);
                        pairs.rearrange(&moves, active);
                    }
                    continue;
                }
            }
            Ended::Quiet => {}
            Ended::Curved { first, second, curvature } => {
                let (first, second) = (order[first] as usize, order[second] as usize);
                stop = Some(Stop::NegativeCurvature { first, second, curvature });
            }
        }
        let shrunk = pairs.active < n;
        state.take(&order, &pairs.banks);
        if let Some(stop) = stop {
            state.refresh()?;
            break End::Stopped(stop);
        }
        if let Some(end) = state.settle(&mut failed, patience, shrunk)? {
            break end;
        }
        pairs.active = n;
        pairs.set_products(order.iter().map(|&o| state.products[o as usize]));
    };
    state.rows_computed += cache.computed;
    Ok(end)
}

/// Cached rows of the variables in their current order.
struct Cached<'a, T> {
    cache: &'a mut Cache<T>,
    order: &'a [u32],
    active: usize,
    view: &'a dyn View,
}

impl<T: Real> Rows<T> for Cached<'_, T> {
    fn ensure(&mut self, position: usize, keep: usize) -> Result<()> {
        let object = self.order[position];
        match self.cache.has(object, self.active) {
            true => Ok(()),
            false => self.cache.ensure(&[object], self.order[keep], self.active, self.view),
        }
    }

    fn row(&self, position: usize) -> &[T] {
        self.cache.row(self.order[position])
    }
}
