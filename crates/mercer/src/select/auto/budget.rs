//! A time budget, and work that ends with it.

use std::collections::HashMap;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::gram::{Cancel, Engine};

/// How long the watch sleeps between two looks at the clock.
const LOOK: Duration = Duration::from_millis(20);

/// Time to spend, from when it was made.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    started: Instant,
    total: Option<Duration>,
}

impl Budget {
    /// So much time from now on; `None` for any.
    pub(super) fn new(total: Option<Duration>) -> Self {
        Budget { started: Instant::now(), total }
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
    /// The work is told through the engine it is given, as it is when the one given here is told to stop.
    pub(super) fn during<R>(
        &self,
        share: f64,
        engine: &Engine,
        work: impl FnOnce(&Engine) -> Result<R>,
    ) -> Result<Option<R>> {
        if self.total.is_none() {
            return work(engine).map(Some);
        }
        let told = Cancel::default();
        let own = engine.clone().with_cancel(told.clone());
        // The sender goes when the work ends, whichever way, and the watch with it.
        let (end, ended) = mpsc::channel::<()>();
        let done = std::thread::scope(|scope| {
            let told = &told;
            scope.spawn(move || {
                while ended.recv_timeout(LOOK) == Err(mpsc::RecvTimeoutError::Timeout) {
                    if engine.cancel().is_stopped() || self.left(share) <= 0.0 {
                        told.stop();
                    }
                }
            });
            let end = end;
            let done = work(&own);
            drop(end);
            done
        });
        match done {
            Ok(done) => Ok(Some(done)),
            Err(Error::Interrupted) if !engine.cancel().is_stopped() => Ok(None),
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
