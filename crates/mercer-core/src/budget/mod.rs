//! Memory limits, time limits and cancellation for a request or a command.
//!
//! A [`Budget`] is passed on in two ways. An [`Engine`](crate::gram::Engine) holds one for everything that takes an
//! engine. For readers, inner loops of kernels and allocations it is *ambient*: [`Budget::enter`] sets the budget of
//! the current thread while a closure runs, [`check`] and [`ask`] consult it, and [`carried`] takes it along to other
//! threads.
//!
//! Passing it explicitly would add an argument to every kernel, distance and parser, most of which would only pass it
//! on.
//!
//! Loops that cannot return an error stop early when [`is_spent`] is true. Their caller then calls [`check`] on the
//! same thread and discards their incomplete result.

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

/// Limits on the memory and time of a computation, and a flag that stops it.
///
/// Clones share the flag and the count of memory in use; so do budgets narrowed by [`with_time`](Self::with_time) and
/// [`with_memory`](Self::with_memory). Memory is counted if the program installed [`CountingAllocator`]; otherwise only
/// allocations announced with [`ask`](Self::ask) are compared with the limit.
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
    /// Set once a check finds too many bytes in use: all other checks of the same computation then fail too.
    exceeded: Arc<AtomicBool>,
}

#[derive(Clone, Copy, Debug)]
struct Deadline {
    at: Instant,
    allowed: Duration,
}

impl Budget {
    /// A budget of the memory now available on this computer ([`allowed_memory`]), without a time limit.
    pub fn of_system() -> Self {
        Budget { memory: allowed_memory(), ..Budget::default() }
    }

    /// The same budget with a time limit from now; an earlier deadline is kept.
    #[must_use]
    pub fn with_time(mut self, allowed: Duration) -> Self {
        // A deadline that overflows the clock is no limit.
        let Some(at) = Instant::now().checked_add(allowed) else { return self };
        if self.deadline.is_none_or(|known| at < known.at) {
            self.deadline = Some(Deadline { at, allowed });
        }
        self.exceeded = Arc::default();
        self
    }

    /// The same budget with a memory limit in bytes.
    #[must_use]
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self.exceeded = Arc::default();
        self
    }

    /// The same memory limit without a time limit, and with a flag of its own: for what is still to be done after this
    /// budget was stopped.
    ///
    /// ```
    /// use mercer_core::Budget;
    /// let budget = Budget::default();
    /// budget.stop();
    /// assert!(budget.check().is_err() && budget.renewed().check().is_ok());
    /// ```
    #[must_use]
    pub fn renewed(&self) -> Self {
        Budget { stopped: Arc::default(), exceeded: Arc::default(), deadline: None, ..self.clone() }
    }

    /// Stops the computation at its next check of the budget.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Whether [`stop`](Self::stop) was called.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// The memory limit in bytes, if any.
    pub fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// The bytes still available under the limit, if any.
    pub fn room(&self) -> Option<u64> {
        self.memory.map(|bytes| bytes.saturating_sub(self.used()))
    }

    /// The counted bytes in use under this budget.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed).max(0) as u64
    }

    /// An error once the computation was stopped, its time is over, or it exceeds its memory limit.
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

    /// An error if an allocation of this many bytes would exceed the limit; called before allocating.
    pub fn ask(&self, what: &str, bytes: u64) -> Result<()> {
        fits(what, bytes, self.room())
    }

    /// Makes this the budget of the current thread while `work` runs.
    pub fn enter<R>(&self, work: impl FnOnce() -> R) -> R {
        /// Restores the previous budget, also after a panic.
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

/// Loop iterations between two checks.
const CALLS_PER_CHECK: u32 = 1024;
/// Steps of a loop between two checks.
const STEPS_PER_CHECK: usize = 1 << 15;

thread_local! {
    static AMBIENT: RefCell<Option<Budget>> = const { RefCell::new(None) };
    static CALLS: Cell<u32> = const { Cell::new(0) };
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

/// The budget of the current thread.
pub fn current() -> Option<Budget> {
    AMBIENT.try_with(|ambient| ambient.borrow().clone()).ok().flatten()
}

/// An error once the budget of the current thread is spent; `Ok` without a budget.
#[inline(never)]
pub fn check() -> Result<()> {
    counting::settle();
    AMBIENT.try_with(|ambient| ambient.borrow().as_ref().map_or(Ok(()), Budget::check)).unwrap_or(Ok(()))
}

/// A result, or an error if the budget is spent. Whatever was computed after the budget ran out, errors included, is
/// discarded.
pub(crate) fn finished<R>(done: Result<R>) -> Result<R> {
    check()?;
    done
}

/// [`check`] for loops whose iterations take less than a microsecond: checks once in 1024 calls of this thread.
#[inline]
pub fn check_often() -> Result<()> {
    if is_due_call() { check_now() } else { Ok(()) }
}

/// Whether the budget of the current thread is spent, for loops that cannot return an error.
///
/// The result of a loop that stopped early is incomplete; its caller detects this with [`check`], on the same thread.
pub fn is_spent() -> bool {
    check().is_err()
}

/// [`is_spent`] for loops whose iterations take less than a microsecond. Checks once in 1024 calls of this thread, and
/// at every call once the budget is spent, so that enclosing loops stop at once too.
#[inline]
pub fn is_spent_often() -> bool {
    is_due_call() && check_now().is_err()
}

/// [`is_spent`] for loops whose iterations vary in length: checks once in 2^15 steps of this thread.
///
/// A step takes a few nanoseconds, such as a cell of a dynamic programme or an edge of a graph.
#[inline]
pub fn is_spent_after(steps: usize) -> bool {
    is_due(steps) && check_now().is_err()
}

/// [`check`] for loops whose iterations vary in length: see [`is_spent_after`].
#[inline]
pub fn check_after(steps: usize) -> Result<()> {
    if is_due(steps) { check_now() } else { Ok(()) }
}

/// [`check`]; after a failure the next call checks again at once.
#[cold]
#[inline(never)]
fn check_now() -> Result<()> {
    check().inspect_err(|_| {
        let _ = STEPS.try_with(|steps| steps.set(usize::MAX));
        let _ = CALLS.try_with(|calls| calls.set(CALLS_PER_CHECK));
    })
}

#[inline]
fn is_due(steps: usize) -> bool {
    let due = |done: &Cell<usize>| {
        let all = done.get().saturating_add(steps);
        let is_due = all >= STEPS_PER_CHECK;
        done.set(if is_due { 0 } else { all });
        is_due
    };
    STEPS.try_with(due).unwrap_or(false)
}

#[inline]
fn is_due_call() -> bool {
    let count = |calls: &Cell<u32>| {
        let next = calls.get() + 1;
        let is_due_call = next >= CALLS_PER_CHECK;
        calls.set(if is_due_call { 0 } else { next });
        is_due_call
    };
    CALLS.try_with(count).unwrap_or(false)
}

/// The bytes still available to the current thread: what its budget leaves, or else what the computer has free.
pub fn room() -> Option<u64> {
    counting::settle();
    let budget = AMBIENT.try_with(|ambient| ambient.borrow().as_ref().map(Budget::room)).ok().flatten();
    budget.unwrap_or_else(allowed_memory)
}

/// An error if an allocation of this many bytes does not fit; called before allocating: see [`room`].
pub fn ask(what: &str, bytes: u64) -> Result<()> {
    // Small allocations are not worth a query of the system.
    if bytes < 1 << 16 {
        return Ok(());
    }
    fits(what, bytes, room())
}

/// An error if more bytes are needed than allowed.
#[doc(hidden)]
pub fn fits(what: &str, needed: u64, allowed: Option<u64>) -> Result<()> {
    match allowed {
        Some(allowed) if needed > allowed => {
            Err(Error::MemoryPlan { needed, allowed, what: what.to_owned() })
        }
        _ => Ok(()),
    }
}

/// A closure that runs under the current thread's budget, on whichever thread it is called.
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

/// [`carried`] for closures with a state argument, as in `map_init` and `for_each_init`.
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
    fn a_spent_budget_is_seen_at_every_check() {
        let over = Budget::default().with_time(Duration::ZERO);
        over.enter(|| {
            assert!((0..=STEPS_PER_CHECK).any(|_| is_spent_after(1)));
            assert!(is_spent_after(1) && is_spent_often() && check_after(0).is_err());
        });
        assert!(!is_spent_after(1) && !is_spent_often() && check_after(1).is_ok());
    }

    #[test]
    fn time_limits_expire_and_the_earlier_deadline_is_kept() {
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
    fn the_innermost_budget_of_a_thread_applies() {
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
