//! One budget of memory and time for a request or a command, cancellation included.
//!
//! A [`Budget`] travels in two ways. An [`Engine`](crate::gram::Engine) carries it to everything that is handed an engine. For
//! readers, for the inner loops of kernels and for allocations it is *ambient*: [`Budget::enter`] makes it the budget of the
//! current thread while some work runs, [`check`] and [`ask`] consult it, and [`carried`] takes it along to other threads.
//!
//! Handing it to every function instead would have put one more argument into each kernel, distance and parser, where most of
//! them would only pass it on.
//!
//! Loops that cannot return an error leave early where [`is_spent`] says so; whatever called them asks [`check`] afterwards, on
//! the same thread, and never uses what they left.

mod counting;
mod machine;

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

pub use counting::CountingAllocator;
pub use machine::{address_limit, allowed_memory};
#[doc(hidden)]
pub use machine::{free_disk, matrix_bytes};

use crate::error::{Error, Result};

/// The memory and the time that some work may use, and the flag that stops it.
///
/// Clones share the flag and the count of memory in use; so do budgets made narrower by [`with_time`](Self::with_time) and
/// [`with_memory`](Self::with_memory). Memory is counted where the program installed
/// [`CountingAllocator`]; without it only what is asked for beforehand is compared with the limit.
///
/// ```
/// use mercer_core::Budget;
/// let budget = Budget::default();
/// let same = budget.clone();
/// assert!(budget.check().is_ok());
/// same.stop();
/// assert_eq!(budget.check().unwrap_err().code().as_str(), "E_INTERRUPTED");
///
/// let small = Budget::default().with_memory(1 << 20);
/// assert_eq!(small.ask("a table", 2 << 20).unwrap_err().code().as_str(), "E_MEMORY_PLAN");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Budget {
    stopped: Arc<AtomicBool>,
    deadline: Option<Deadline>,
    memory: Option<u64>,
    /// Bytes allocated and not yet freed.
    used: Arc<AtomicI64>,
    /// Set once a check found too many bytes in use: all other checks of the same work then fail too.
    exceeded: Arc<AtomicBool>,
}

#[derive(Clone, Copy, Debug)]
struct Deadline {
    at: Instant,
    allowed: Duration,
}

impl Budget {
    /// A budget of the memory the machine has to give now ([`allowed_memory`]), and of any time.
    pub fn of_machine() -> Self {
        Budget { memory: allowed_memory(), ..Budget::default() }
    }

    /// The same budget, ending after so much time from now; an earlier end stays.
    #[must_use]
    pub fn with_time(mut self, allowed: Duration) -> Self {
        // A time too far away to be counted is no limit.
        let Some(at) = Instant::now().checked_add(allowed) else { return self };
        if self.deadline.is_none_or(|known| at < known.at) {
            self.deadline = Some(Deadline { at, allowed });
        }
        self.exceeded = Arc::default();
        self
    }

    /// The same budget with so many bytes of memory.
    #[must_use]
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self.exceeded = Arc::default();
        self
    }

    /// Stops the work at its next look at the budget.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether [`stop`](Self::stop) was called.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// The bytes the work may use in all, where they are limited.
    pub fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// The bytes the work may still plan to use, where they are limited.
    pub fn room(&self) -> Option<u64> {
        self.memory.map(|bytes| bytes.saturating_sub(self.used()))
    }

    /// The bytes in use by work under this budget, as far as they are counted.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed).max(0) as u64
    }

    /// An error once the work was stopped, its time is over, or it uses more memory than it may.
    #[inline]
    pub fn check(&self) -> Result<()> {
        if self.is_stopped() {
            return Err(Error::Interrupted);
        }
        if let Some(deadline) = &self.deadline
            && Instant::now() >= deadline.at
        {
            return Err(Error::Time { allowed: deadline.allowed });
        }
        if let Some(allowed) = self.memory {
            let used = self.used();
            if used > allowed || self.exceeded.load(Ordering::Relaxed) {
                self.exceeded.store(true, Ordering::Relaxed);
                return Err(Error::MemoryPlan {
                    needed: used.max(allowed.saturating_add(1)),
                    allowed,
                    what: "this work".into(),
                });
            }
        }
        Ok(())
    }

    /// Refuses an allocation of so many bytes that would not fit, before it is made.
    pub fn ask(&self, what: &str, bytes: u64) -> Result<()> {
        fits(what, bytes, self.room())
    }

    /// Makes this the budget of the current thread while `work` runs.
    pub fn enter<R>(&self, work: impl FnOnce() -> R) -> R {
        /// Restores the budget that was there before, after a panic too.
        struct Entered(Option<Budget>);
        impl Drop for Entered {
            fn drop(&mut self) {
                counting::settle();
                let before = self.0.take();
                counting::count_for(before.as_ref().map(|b| &*b.used));
                let own = AMBIENT.try_with(|ambient| ambient.replace(before));
                drop(own);
            }
        }
        counting::settle();
        let before = AMBIENT.try_with(|ambient| ambient.replace(Some(self.clone()))).ok().flatten();
        let entered = Entered(before);
        counting::count_for(Some(&self.used));
        let done = work();
        drop(entered);
        done
    }
}

/// Turns of a loop between two looks.
const ALL_TURNS: u32 = 1024;
/// Steps of a loop between two looks.
const ALL_STEPS: usize = 1 << 15;

thread_local! {
    static AMBIENT: RefCell<Option<Budget>> = const { RefCell::new(None) };
    static TURNS: Cell<u32> = const { Cell::new(0) };
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

/// The budget of the current thread.
pub fn current() -> Option<Budget> {
    AMBIENT.try_with(|ambient| ambient.borrow().clone()).ok().flatten()
}

/// An error once the budget of the current thread is spent; nothing where there is none.
#[inline(never)]
pub fn check() -> Result<()> {
    counting::settle();
    AMBIENT.try_with(|ambient| ambient.borrow().as_ref().map_or(Ok(()), Budget::check)).unwrap_or(Ok(()))
}

/// The outcome of some work, or why it was cut short: what work made of a spent budget counts for nothing, an error neither.
pub(crate) fn finished<R>(done: Result<R>) -> Result<R> {
    check()?;
    done
}

/// [`check`] in a loop whose turns take less than a microsecond: looks once in 1024 calls of this thread.
#[inline]
pub fn check_often() -> Result<()> {
    if is_turn() { look() } else { Ok(()) }
}

/// Whether the budget of the current thread is spent, for loops that cannot return an error.
///
/// What such a loop leaves behind is worthless; its caller finds out by [`check`], on the same thread.
pub fn is_spent() -> bool {
    check().is_err()
}

/// [`is_spent`] in a loop whose turns take less than a microsecond: looks once in 1024 calls of this thread, and at every call
/// once the budget is spent, so that loops around it leave at once too.
#[inline]
pub fn is_spent_often() -> bool {
    is_turn() && look().is_err()
}

/// [`is_spent`] in a loop whose turns differ in length: looks once in 2^15 steps of this thread.
///
/// A step is what takes some nanoseconds, such as a cell of a dynamic programme or an edge of a graph.
#[inline]
pub fn is_spent_after(steps: usize) -> bool {
    is_due(steps) && look().is_err()
}

/// [`check`] in a loop whose turns differ in length: see [`is_spent_after`].
#[inline]
pub fn check_after(steps: usize) -> Result<()> {
    if is_due(steps) { look() } else { Ok(()) }
}

/// [`check`], and the next look is at once where it fails.
#[cold]
#[inline(never)]
fn look() -> Result<()> {
    check().inspect_err(|_| {
        let _ = STEPS.try_with(|steps| steps.set(usize::MAX));
        let _ = TURNS.try_with(|turns| turns.set(ALL_TURNS));
    })
}

#[inline]
fn is_due(steps: usize) -> bool {
    let due = |done: &Cell<usize>| {
        let all = done.get().saturating_add(steps);
        let is_due = all >= ALL_STEPS;
        done.set(if is_due { 0 } else { all });
        is_due
    };
    STEPS.try_with(due).unwrap_or(false)
}

#[inline]
fn is_turn() -> bool {
    let turn = |turns: &Cell<u32>| {
        let next = turns.get() + 1;
        let is_turn = next >= ALL_TURNS;
        turns.set(if is_turn { 0 } else { next });
        is_turn
    };
    TURNS.try_with(turn).unwrap_or(false)
}

/// The bytes that work on the current thread may still plan to use: what its budget leaves, or else the machine.
pub fn room() -> Option<u64> {
    counting::settle();
    let budget = AMBIENT.try_with(|ambient| ambient.borrow().as_ref().map(Budget::room)).ok().flatten();
    budget.unwrap_or_else(allowed_memory)
}

/// Refuses an allocation of so many bytes that does not fit, before it is made: see [`room`].
pub fn ask(what: &str, bytes: u64) -> Result<()> {
    // Nothing small is worth asking the machine for.
    if bytes < 1 << 16 {
        return Ok(());
    }
    fits(what, bytes, room())
}

/// Refuses what needs more bytes than there are.
#[doc(hidden)]
pub fn fits(what: &str, needed: u64, allowed: Option<u64>) -> Result<()> {
    match allowed {
        Some(allowed) if needed > allowed => {
            Err(Error::MemoryPlan { needed, allowed, what: what.to_owned() })
        }
        _ => Ok(()),
    }
}

/// The work under the budget of the current thread, on whichever thread it is called.
///
/// For closures handed to other threads:
/// ```
/// use mercer_core::budget::{self, Budget};
/// let budget = Budget::default();
/// budget.enter(|| {
///     let work = budget::carried(|n: u64| budget::check().map(|()| n + 1));
///     std::thread::scope(|s| s.spawn(|| assert_eq!(work(1).unwrap(), 2)).join().unwrap());
///     budget.stop();
///     std::thread::scope(|s| s.spawn(|| assert!(work(1).is_err())).join().unwrap());
/// });
/// ```
pub fn carried<A, R>(work: impl Fn(A) -> R) -> impl Fn(A) -> R {
    let budget = current();
    move |argument| match &budget {
        Some(budget) => budget.enter(|| work(argument)),
        None => work(argument),
    }
}

/// [`carried`] for closures with a state of their own, as `map_init` and `for_each_init` take them.
pub fn carried_with<S, A, R>(work: impl Fn(&mut S, A) -> R) -> impl Fn(&mut S, A) -> R {
    let budget = current();
    move |state, argument| match &budget {
        Some(budget) => budget.enter(|| work(state, argument)),
        None => work(state, argument),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spent_budget_is_seen_at_every_look() {
        let over = Budget::default().with_time(Duration::ZERO);
        over.enter(|| {
            assert!((0..=ALL_STEPS).any(|_| is_spent_after(1)));
            assert!(is_spent_after(1) && is_spent_often() && check_after(0).is_err());
        });
        assert!(!is_spent_after(1) && !is_spent_often() && check_after(1).is_ok());
    }

    #[test]
    fn time_ends_and_the_earlier_end_stays() {
        let over = Budget::default().with_time(Duration::ZERO);
        assert_eq!(over.check().unwrap_err().code().as_str(), "E_TIME");
        assert!(over.clone().with_time(Duration::from_secs(60)).check().is_err());
        assert!(Budget::default().with_time(Duration::MAX).check().is_ok());
        assert!(Budget::default().with_time(Duration::from_secs(60)).check().is_ok());
    }

    #[test]
    fn memory_that_was_exceeded_stays_exceeded() {
        let budget = Budget::default().with_memory(100);
        budget.used.store(101, Ordering::Relaxed);
        assert_eq!(budget.check().unwrap_err().code().as_str(), "E_MEMORY_PLAN");
        budget.used.store(0, Ordering::Relaxed);
        assert!(budget.clone().check().is_err(), "a loop that left early must be followed by an error");
        assert!(budget.ask("a table", 100).is_ok() && budget.ask("a table", 101).is_err());
    }

    #[test]
    fn the_budget_of_a_thread_is_that_of_the_innermost_work() {
        assert!(current().is_none() && check().is_ok());
        let (outer, inner) = (Budget::default(), Budget::default());
        inner.stop();
        outer.enter(|| {
            assert!(check().is_ok());
            inner.enter(|| assert!(check().is_err()));
            assert!(check().is_ok());
            let broken = std::panic::catch_unwind(|| inner.enter(|| std::panic::resume_unwind(Box::new(()))));
            assert!(broken.is_err() && check().is_ok());
        });
        assert!(current().is_none());
    }
}
