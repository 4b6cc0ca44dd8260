//! Places to work at: some for light requests, a few for heavy ones.
//!
//! A place has threads of its own, so that heavy work cannot keep light work waiting in a queue that both share; the system
//! divides the processors among threads. A place is taken until its work has really ended: work that was told to stop and has
//! not noticed yet still holds it, so that such work cannot pile up.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use mercer::{Error, Result};
use rayon::ThreadPool;
use tokio::sync::oneshot;

/// Places of one kind and those who wait for them.
pub(super) struct Lane {
    pub(super) name: &'static str,
    pub(super) places: usize,
    /// The most that wait.
    longest: usize,
    state: Mutex<State>,
}

struct State {
    free: Vec<Arc<ThreadPool>>,
    /// By size and by when they came: small requests are served first.
    waiting: BTreeMap<(usize, u64), oneshot::Sender<Place>>,
    came: u64,
}

/// So many already wait that another would wait too long.
pub(super) struct Busy;

impl Lane {
    /// A lane of so many places, each with so many threads.
    pub(super) fn new(
        name: &'static str,
        places: usize,
        threads: usize,
        longest: usize,
    ) -> Result<Arc<Self>> {
        let pool = |_| {
            let builder = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let named = builder.thread_name(move |i| format!("{name} {i}"));
            named.build().map(Arc::new)
        };
        let free = (0..places).map(pool).collect::<std::result::Result<Vec<_>, _>>();
        let free =
            free.map_err(|e| Error::Numeric { reason: format!("threads could not be started: {e}") })?;
        let state = Mutex::new(State { free, waiting: BTreeMap::new(), came: 0 });
        Ok(Arc::new(Lane { name, places, longest, state }))
    }

    /// Waits for a place. Those with a smaller `size` come first; where too many wait, the largest is sent away.
    pub(super) async fn place(self: &Arc<Self>, size: usize) -> std::result::Result<Place, Busy> {
        let (key, receiver) = {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(pool) = state.free.pop() {
                return Ok(Place { lane: self.clone(), pool: Some(pool) });
            }
            if state.waiting.len() >= self.longest {
                match state.waiting.last_entry() {
                    // Its receiver learns that nobody will send.
                    Some(last) if last.key().0 > size => drop(last.remove()),
                    _ => return Err(Busy),
                }
            }
            state.came += 1;
            let key = (size, state.came);
            let (sender, receiver) = oneshot::channel();
            state.waiting.insert(key, sender);
            (key, receiver)
        };
        let _waiting = Waiting { lane: self, key };
        receiver.await.map_err(|_| Busy)
    }

    /// How many wait, and how many places are taken.
    pub(super) fn load(&self) -> (usize, usize) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.waiting.len(), self.places - state.free.len())
    }
}

/// Leaves the queue when dropped.
struct Waiting<'a> {
    lane: &'a Lane,
    key: (usize, u64),
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.lane.state.lock().unwrap_or_else(PoisonError::into_inner).waiting.remove(&self.key);
    }
}

/// A place that is taken; dropped, it goes to the next who waits.
pub(super) struct Place {
    lane: Arc<Lane>,
    pool: Option<Arc<ThreadPool>>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some(mut pool) = self.pool.take() else { return };
        loop {
            let next = {
                let mut state = self.lane.state.lock().unwrap_or_else(PoisonError::into_inner);
                match state.waiting.pop_first() {
                    Some((_, next)) => next,
                    None => return state.free.push(pool),
                }
            };
            match next.send(Place { lane: self.lane.clone(), pool: Some(pool) }) {
                Ok(()) => return,
                // Whoever waited has left.
                Err(mut place) => match place.pool.take() {
                    Some(back) => pool = back,
                    None => return,
                },
            }
        }
    }
}

impl Place {
    /// Does the work on this place's threads. The place is free again when the work has ended, even where nobody waits for it
    /// any longer. Nothing comes back from work that panicked.
    pub(super) async fn work<R: Send + 'static>(
        self,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Option<R> {
        let pool = self.pool.clone()?;
        let (sender, receiver) = oneshot::channel();
        pool.spawn(move || {
            let done = catch_unwind(AssertUnwindSafe(work));
            drop(self);
            let _ = sender.send(done.ok());
        });
        receiver.await.ok().flatten()
    }
}
