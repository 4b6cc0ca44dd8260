//! Runs long computations on their own threads, without the GIL, with progress reporting and cancellation by Ctrl-C.
//!
//! Work runs on a thread pool that is kept for each number of threads. The calling thread waits without the GIL and
//! checks for signals every few hundredths of a second. Ctrl-C cancels the work through its budget. The call returns
//! when the work has ended, so that nothing continues in the background. Work that has not ended after ten seconds, or
//! at a second Ctrl-C, is abandoned with a `RuntimeWarning`; it ends at its next check of the budget.
//!
//! A child made by `fork` has none of its parent's threads. Pools are therefore bound to the process that made them: a
//! child leaves the old ones alone and makes new ones. With rayon's global pool, every child of a process that had used
//! it would wait for ever.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mercer::budget::Budget;

use mercer::gram::{Engine, Progress};
use pyo3::prelude::*;

use crate::error::{OrRaise, exception, internal};

/// Interval at which the calling thread checks for signals and reports progress.
const TICK: Duration = Duration::from_millis(40);
/// How long cancelled work may take to end before its threads are abandoned. Loops check the budget every few
/// hundredths of a second, but a single step of linear algebra on a large matrix cannot be interrupted.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(10);
/// Stack size of a thread: nested kernels recurse, and Python's main thread has as much.
const STACK: usize = 8 << 20;

/// Number of threads and progress callback of a computation.
pub(crate) struct RunSettings {
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
}

impl RunSettings {
    pub(crate) fn new(threads: Option<usize>, progress: Option<Py<PyAny>>) -> Self {
        RunSettings { threads, progress }
    }
}

/// The thread pools of one process.
struct Pools {
    process: u32,
    by_threads: Mutex<HashMap<usize, Arc<rayon::ThreadPool>>>,
}

/// Never freed: a parent's pools must not be touched, and there is one set for each process.
static POOLS: AtomicPtr<Pools> = AtomicPtr::new(std::ptr::null_mut());

fn pools() -> &'static Pools {
    let known = POOLS.load(Ordering::Acquire);
    // SAFETY: the pointer is null or came from Box::into_raw below, and what it points to is never freed.
    if let Some(pools) = unsafe { known.as_ref() }
        && pools.process == std::process::id()
    {
        return pools;
    }
    let fresh = Pools { process: std::process::id(), by_threads: Mutex::default() };
    let fresh = Box::into_raw(Box::new(fresh));
    let winner = match POOLS.compare_exchange(known, fresh, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => fresh,
        // Another thread was faster. Ours has no threads yet and is small enough to leak.
        Err(other) => other,
    };
    // SAFETY: both come from Box::into_raw and are never freed.
    unsafe { &*winner }
}

fn pool(threads: usize) -> mercer::Result<Arc<rayon::ThreadPool>> {
    let mut known = pools().by_threads.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = known.get(&threads) {
        return Ok(pool.clone());
    }
    let made = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(STACK).build();
    let made =
        made.map_err(|e| mercer::Error::Numeric { reason: format!("threads could not be started: {e}") })?;
    let made = Arc::new(made);
    known.insert(threads, made.clone());
    Ok(made)
}

/// Drops a pool whose threads are busy with abandoned work.
fn forget(threads: usize) {
    let mut known = pools().by_threads.lock().unwrap_or_else(PoisonError::into_inner);
    known.remove(&threads);
}

/// The default number of threads: `RAYON_NUM_THREADS`, or all cores.
fn default_threads() -> usize {
    let named = std::env::var("RAYON_NUM_THREADS").ok().and_then(|n| n.trim().parse().ok());
    named
        .filter(|n| (1..=4096).contains(n))
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// The progress of a computation, shared with the calling thread.
#[derive(Default)]
struct Meter {
    stage: Mutex<String>,
    total: AtomicU64,
    done: AtomicU64,
}

impl Progress for Meter {
    fn begin(&self, stage: &str, total: u64) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage.to_owned();
        self.total.store(total, Ordering::Relaxed);
        self.done.store(0, Ordering::Relaxed);
    }

    fn advance(&self, steps: u64) {
        self.done.fetch_add(steps, Ordering::Relaxed);
    }

    fn end(&self) {
        self.done.store(self.total.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

impl Meter {
    fn report(&self, py: Python<'_>, listener: &Py<PyAny>) -> PyResult<()> {
        let stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if !stage.is_empty() {
            let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
            listener.call1(py, (stage, done.min(total), total))?;
        }
        Ok(())
    }
}

/// Runs work of at most a millisecond on the calling thread: waking another one would take longer. No thread is started,
/// no signal is checked. A panic becomes an exception.
///
/// The calling thread becomes the only member of a pool of its own, once, so that parallel loops in the work run on it
/// alone. Such a pool needs no other thread, so it also works in a child made by `fork`.
pub(crate) fn run_here<T>(py: Python<'_>, work: impl FnOnce(&Engine) -> mercer::Result<T>) -> PyResult<T> {
    thread_local! {
        static ALONE: () = {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
            // Its registry stays with the thread for ever. An error means that the thread is in a pool already.
            if let Ok(pool) = pool {
                std::mem::forget(pool);
            }
        };
    }
    ALONE.with(|()| {
        let engine = Engine::under(Budget::default());
        let outcome = catch_unwind(AssertUnwindSafe(|| engine.budget().enter(|| work(&engine))));
        outcome.map_err(|panic| internal(py, &panic_message(&*panic)))?.or_raise(py)
    })
}

/// Runs work on a thread pool and waits for it while handling signals. A panic becomes an exception.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    settings: RunSettings,
    work: impl FnOnce(&Engine) -> mercer::Result<T> + Send + 'static,
) -> PyResult<T> {
    let threads = settings.threads.unwrap_or_else(default_threads);
    if !(1..=4096).contains(&threads) {
        let error = mercer::Error::param("threads", threads, "a whole number from 1 to 4096");
        return Err(exception(py, &error));
    }
    let pool = pool(threads).or_raise(py)?;
    let (budget, meter) = (Budget::default(), Arc::new(Meter::default()));
    let mut engine = Engine::new().with_budget(budget.clone());
    if settings.progress.is_some() {
        engine = engine.with_progress(meter.clone());
    }
    let (sender, receiver) = sync_channel(1);
    pool.spawn(move || {
        let outcome = catch_unwind(AssertUnwindSafe(|| engine.budget().enter(|| work(&engine))));
        // The caller may have stopped waiting.
        let _ = sender.send(outcome);
    });
    drop(pool);
    // A signal or an error of the progress callback cancels the work. The caller gets that error, not the result of the
    // work.
    let mut stopped: Option<(PyErr, Instant)> = None;
    // A receiver is not `Sync`: the lock makes it usable while the GIL is released.
    let receiver = Mutex::new(receiver);
    loop {
        let received =
            py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK));
        match (received, stopped.take()) {
            (Ok(_) | Err(RecvTimeoutError::Disconnected), Some((error, _))) => return Err(error),
            (Ok(Ok(outcome)), None) => {
                if let Some(listener) = &settings.progress {
                    meter.report(py, listener)?;
                }
                return outcome.or_raise(py);
            }
            (Ok(Err(panic)), None) => return Err(internal(py, &panic_message(&*panic))),
            (Err(RecvTimeoutError::Disconnected), None) => {
                return Err(internal(py, "the worker thread was lost"));
            }
            (Err(RecvTimeoutError::Timeout), Some((error, since))) => {
                let is_repeated = py.check_signals().is_err();
                if is_repeated || since.elapsed() > CANCEL_TIMEOUT {
                    // The abandoned threads end on their own.
                    forget(threads);
                    warn_abandoned(py);
                    return Err(error);
                }
                stopped = Some((error, since));
            }
            (Err(RecvTimeoutError::Timeout), None) => {
                let reported =
                    settings.progress.as_ref().map_or(Ok(()), |listener| meter.report(py, listener));
                if let Err(error) = py.check_signals().and(reported) {
                    budget.stop();
                    stopped = Some((error, Instant::now()));
                }
            }
        }
    }
}

/// Warns that abandoned work is still running.
fn warn_abandoned(py: Python<'_>) {
    let text = c"mercer: the interrupted computation has not ended yet; it continues in the background until its next \
                 check for cancellation";
    let category = py.get_type::<pyo3::exceptions::PyRuntimeWarning>();
    // Where warnings are errors, the caller still gets the KeyboardInterrupt.
    if PyErr::warn(py, &category, text, 1).is_err() {
        drop(PyErr::take(py));
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("internal error, please report it: {}", text.unwrap_or_else(|| "panic".to_owned()))
}

/// Panics, for tests of panic handling.
#[pyfunction]
fn _panic(py: Python<'_>) -> PyResult<()> {
    #[allow(clippy::panic)]
    run(py, RunSettings::new(None, None), |_| panic!("on purpose"))
}

/// Runs for `seconds` unless it is cancelled; `uncancellable` ignores cancellation. For tests of interruption.
#[pyfunction]
fn _work(
    py: Python<'_>,
    seconds: f64,
    uncancellable: bool,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<()> {
    run(py, RunSettings::new(threads, progress), move |engine| {
        let start = Instant::now();
        while start.elapsed().as_secs_f64() < seconds {
            std::thread::sleep(Duration::from_millis(5));
            if !uncancellable {
                engine.budget().check()?;
            }
        }
        Ok(())
    })
}

/// The default number of threads: `RAYON_NUM_THREADS`, or all cores.
#[pyfunction]
fn threads() -> usize {
    default_threads()
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_panic, module)?)?;
    module.add_function(wrap_pyfunction!(_work, module)?)?;
    module.add_function(wrap_pyfunction!(threads, module)?)
}
