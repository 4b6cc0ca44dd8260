//! How much of the time for a run is over, and work that ends with it.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::gram::Engine;

/// Time to spend, from when it was made.
#[derive(Clone, Debug)]
pub(super) struct Clock {
    started: Instant,
    total: Option<Duration>,
}

impl Clock {
    /// So much time from now on; `None` for any.
    pub(super) fn new(total: Option<Duration>) -> Self {
        Clock { started: Instant::now(), total }
    }

    /// Seconds since it was made.
    pub(super) fn spent(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }

    /// Seconds left of a share of it; infinity without a limit.
    pub(super) fn left(&self, share: f64) -> f64 {
        self.total.map_or(f64::INFINITY, |total| share * total.as_secs_f64() - self.spent())
    }

    /// Does work until a share of the time is over; `None` when it was not done by then.
    ///
    /// The engine that the work is given has a budget that ends then, or when that of the engine given here does.
    pub(super) fn during<R>(
        &self,
        share: f64,
        engine: &Engine,
        work: impl FnOnce(&Engine) -> Result<R>,
    ) -> Result<Option<R>> {
        if self.total.is_none() {
            return work(engine).map(Some);
        }
        let own = engine.budget().clone().with_time(Duration::from_secs_f64(self.left(share).max(0.0)));
        match work(&engine.clone().with_budget(own)) {
            Ok(done) => Ok(Some(done)),
            // The time of the whole run may be over too, which is for others to say.
            Err(Error::Time { .. }) if engine.budget().check().is_ok() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// What fits took, by learner.
#[derive(Debug, Default)]
pub(super) struct Measured(HashMap<&'static str, f64>);

impl Measured {
    /// Notes that so much work of a learner took so many seconds. The slowest counts.
    pub(super) fn note(&mut self, learner: &'static str, work: f64, seconds: f64) {
        let rate = self.0.entry(learner).or_insert(0.0);
        *rate = rate.max(seconds / work.max(1.0));
    }

    /// The seconds so much work of a learner will take: 0 where nothing is known of it.
    pub(super) fn expect(&self, learner: &'static str, work: f64) -> f64 {
        self.0.get(learner).map_or(0.0, |rate| rate * work)
    }
}
