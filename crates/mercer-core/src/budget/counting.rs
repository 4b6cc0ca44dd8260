//! An allocator that counts the bytes in use, for all work and for the work of one budget.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering};

/// How many bytes a thread may gain or lose before it tells the counters, so that they are not touched at every allocation.
const STEP: i64 = 64 << 10;

/// What ends the program when the system has no more memory to give.
static EXHAUSTED: OnceLock<fn(usize) -> !> = OnceLock::new();

/// The bytes in use by the whole process.
static TOTAL: AtomicI64 = AtomicI64::new(0);

/// What a thread has not told the counters yet, and whose counter it is.
struct Local {
    bytes: Cell<i64>,
    counter: Cell<*const AtomicI64>,
}

thread_local! {
    // Without a destructor: it is there for the first and the last allocation of a thread.
    static LOCAL: Local = const { Local { bytes: Cell::new(0), counter: Cell::new(std::ptr::null()) } };
}

/// The system's allocator, counting.
///
/// A program installs it to have [`Budget`](super::Budget) know what is in use:
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: mercer_core::budget::CountingAllocator = mercer_core::budget::CountingAllocator;
/// ```
///
/// Bytes are counted for the budget of the thread that allocates and given back to the budget of the thread that frees, so
/// what outlives its work, such as a result, stays counted for it. One allocation costs about two nanoseconds more.
#[derive(Clone, Copy, Debug, Default)]
pub struct CountingAllocator;

impl CountingAllocator {
    /// The bytes in use by the whole process, to about 64 kB a thread; 0 where this allocator is not installed.
    pub fn in_use() -> u64 {
        TOTAL.load(Ordering::Relaxed).max(0) as u64
    }

    /// Ends the program in an orderly way where the system refuses memory that no budget foresaw: collections would abort it.
    ///
    /// The function is handed the bytes that were asked for. It may be called on any thread, and must not allocate. Programs
    /// that outlive a refusal, such as servers, do without.
    pub fn when_exhausted(end: fn(usize) -> !) {
        let _ = EXHAUSTED.set(end);
    }

    /// Keeps one heap for all threads, where the system is known to reserve 64 MB of addresses for each: under a limit of the
    /// address space they would be missing elsewhere. Call it before threads start.
    pub fn share_one_heap() {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        {
            // SAFETY: as glibc declares it.
            unsafe extern "C" {
                fn mallopt(parameter: i32, value: i32) -> i32;
            }
            const M_ARENA_MAX: i32 = -8;
            // SAFETY: a function of the C library that takes two numbers and sets a number of its own.
            let _ = unsafe { mallopt(M_ARENA_MAX, 1) };
        }
    }

    /// Gives freed memory back to the system. glibc keeps what each thread freed for that thread, so that a process whose threads
    /// take turns at large work would come to hold the largest work of each. Elsewhere it does nothing.
    pub fn give_back() {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        {
            // SAFETY: as glibc declares it.
            unsafe extern "C" {
                fn malloc_trim(pad: usize) -> std::ffi::c_int;
            }
            // SAFETY: it takes a number and may be called at any time from any thread.
            unsafe { malloc_trim(0) };
        }
    }
}

/// What the system's allocator gave, counted; the end of the program where it gave nothing and that is wanted.
#[inline]
fn counted(got: *mut u8, gained: i64, asked: usize) -> *mut u8 {
    if got.is_null() {
        refused(asked);
    } else {
        count(gained);
    }
    got
}

#[cold]
fn refused(asked: usize) {
    if let Some(end) = EXHAUSTED.get() {
        end(asked);
    }
}

#[inline]
fn count(bytes: i64) {
    // Where a thread has no locals any more, it is about to end.
    let _ = LOCAL.try_with(|local| {
        let sum = local.bytes.get() + bytes;
        local.bytes.set(sum);
        if sum.abs() >= STEP {
            tell(local);
        }
    });
}

#[cold]
fn tell(local: &Local) {
    let bytes = local.bytes.replace(0);
    TOTAL.fetch_add(bytes, Ordering::Relaxed);
    // SAFETY: the pointer is null or was set by `count_for`, whose caller keeps the counter alive until it sets another.
    if let Some(counter) = unsafe { local.counter.get().as_ref() } {
        counter.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// Tells the counters what this thread has gained or lost since it last did.
pub(super) fn settle() {
    let _ = LOCAL.try_with(|local| {
        if local.bytes.get() != 0 {
            tell(local);
        }
    });
}

/// Counts for this counter from now on. It must live until another takes its place on this thread.
pub(super) fn count_for(counter: Option<&AtomicI64>) {
    let _ = LOCAL.try_with(|local| local.counter.set(counter.map_or(std::ptr::null(), std::ptr::from_ref)));
}

// SAFETY: every call is handed to the system's allocator unchanged; counting touches thread-local numbers alone, and
// allocates nothing.
unsafe impl GlobalAlloc for CountingAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those of the system's allocator.
        let got = unsafe { System.alloc(layout) };
        counted(got, layout.size() as i64, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        let got = unsafe { System.alloc_zeroed(layout) };
        counted(got, layout.size() as i64, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        let got = unsafe { System.realloc(old, layout, size) };
        counted(got, size as i64 - layout.size() as i64, size)
    }

    #[inline]
    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(old, layout) };
        count(-(layout.size() as i64));
    }
}
