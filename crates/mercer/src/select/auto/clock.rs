//! Tracks the time budget of a run and limits work to it.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::gram::Engine;

/// A time budget that starts when it is created.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    started: Instant,
    total: Option<Duration>,
}

impl Clock {
    /// A budget of this much time from now; `None` for no limit.
    pub(super) fn new(total: Option<Duration>) -> Self {
        Clock { started: Instant::now(), total }
    }

    /// Seconds since the start.
    pub(super) fn spent(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Seconds left of a share of the budget; infinity without a limit.
    pub(super) fn left(&self, share: f64) -> f64 {
        self.total.map_or(f64::INFINITY, |total| share * total.as_secs_f64() - self.spent())
    }

    /// Runs work for at most this many seconds; `None` when it was not finished by then.
    pub(super) fn within<R>(
        &self,
        seconds: f64,
        engine: &Engine,
        work: impl FnOnce(&Engine) -> Result<R>,
    ) -> Result<Option<R>> {
        match self.total {
            None => work(engine).map(Some),
            Some(_) => limited(Duration::from_secs_f64(seconds.clamp(0.0, MOST)), engine, work),
        }
    }

    /// Runs work until a share of the budget is used up; `None` when it was not finished by then.
    ///
    /// The engine passed to the work has a time limit that ends then, or when that of the given engine does.
    pub(super) fn during<R>(
        &self,
        share: f64,
        engine: &Engine,
        work: impl FnOnce(&Engine) -> Result<R>,
    ) -> Result<Option<R>> {
        self.within(self.left(share), engine, work)
    }
}

/// The longest time in seconds that a limit may name.
const MOST: f64 = 1e9;

/// Runs work with a time limit; `None` when it was not finished by then.
fn limited<R>(time: Duration, engine: &Engine, work: impl FnOnce(&Engine) -> Result<R>) -> Result<Option<R>> {
    let own = engine.budget().clone().with_time(time);
    match work(&engine.clone().with_budget(own)) {
        Ok(done) => Ok(Some(done)),
        // The caller's own budget may have ended too: its error is passed on.
        Err(Error::Time { .. }) if engine.budget().check().is_ok() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Time per unit of work, by learner.
#[derive(Debug, Default)]
pub(super) struct Measured(HashMap<&'static str, f64>);

impl Measured {
    /// Records that an amount of work by a learner took this many seconds. Keeps the slowest rate.
    pub(super) fn note(&mut self, learner: &'static str, work: f64, seconds: f64) {
        let rate = self.0.entry(learner).or_insert(0.0);
        *rate = rate.max(seconds / work.max(1.0));
    }

    /// The expected seconds for an amount of work by a learner; 0 where none was recorded.
    pub(super) fn expect(&self, learner: &'static str, work: f64) -> f64 {
        self.0.get(learner).map_or(0.0, |rate| rate * work)
    }
}
