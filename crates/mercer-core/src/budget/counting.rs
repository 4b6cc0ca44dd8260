//! An allocator that counts the bytes in use, in total and per budget.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI64, Ordering};

/// How many bytes a thread may gain or lose before it updates the shared counters, to avoid doing so at every
/// allocation.
const STEP: i64 = 64 << 10;

/// Called to end the program when the system has no more memory.
static EXHAUSTED: OnceLock<fn(usize) -> !> = OnceLock::new();

/// The bytes in use by the whole process.
static TOTAL: AtomicI64 = AtomicI64::new(0);

/// Bytes a thread has not yet added to the shared counters, and its budget's counter.
struct Local {
    bytes: Cell<i64>,
    counter: Cell<*const AtomicI64>,
}

thread_local! {
    // Without a destructor, so that it is valid at the first and the last allocation of a thread.
    static LOCAL: Local = const { Local { bytes: Cell::new(0), counter: Cell::new(std::ptr::null()) } };
}

/// The system's allocator with counting.
///
/// A program installs it so that [`Budget`](super::Budget) can count memory in use:
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: mercer_core::budget::CountingAllocator = mercer_core::budget::CountingAllocator;
/// ```
///
/// Bytes are charged to the budget of the allocating thread and credited to that of the freeing thread. What outlives a
/// computation, such as its result, stays charged to it. Counting costs about two nanoseconds per allocation.
#[derive(Clone, Copy, Debug, Default)]
pub struct CountingAllocator;

impl CountingAllocator {
    /// The bytes in use by the whole process, accurate to about 64 kB per thread; 0 unless this allocator is installed.
    pub fn in_use() -> u64 {
        TOTAL.load(Ordering::Relaxed).max(0) as u64
    }

    /// Sets a function that ends the program when the system refuses memory that no budget foresaw; collections would
    /// abort.
    ///
    /// The function gets the number of bytes requested. It may be called on any thread, and must not allocate. Programs
    /// that survive a refused allocation, such as servers, do not need it.
    pub fn when_exhausted(end: fn(usize) -> !) {
        let _ = EXHAUSTED.set(end);
    }

    /// Uses one heap for all threads. glibc reserves 64 MB of addresses per thread, which would be wasted under a limit
    /// of the address space. Call it before starting threads.
    pub fn share_one_heap() {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        {
            // SAFETY: the declaration matches glibc's.
            unsafe extern "C" {
                fn mallopt(parameter: i32, value: i32) -> i32;
            }
            const M_ARENA_MAX: i32 = -8;
            // SAFETY: a function of the C library that takes two numbers and sets an internal parameter.
            let _ = unsafe { mallopt(M_ARENA_MAX, 1) };
        }
    }

    /// Returns freed memory to the system. glibc keeps what each thread freed for that thread, so without this a
    /// process ends up holding the largest computation of every thread. Does nothing on other systems.
    pub fn give_back() {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        {
            // SAFETY: the declaration matches glibc's.
            unsafe extern "C" {
                fn malloc_trim(pad: usize) -> std::ffi::c_int;
            }
            // SAFETY: it takes a number and may be called at any time from any thread.
            unsafe { malloc_trim(0) };
        }
    }
}

/// Counts the memory returned by the system's allocator; if there is none, calls the function set by `when_exhausted`.
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
    // A thread without locals is about to end.
    let _ = LOCAL.try_with(|local| {
        let sum = local.bytes.get() + bytes;
        local.bytes.set(sum);
        if sum.abs() >= STEP {
            flush(local);
        }
    });
}

#[cold]
fn flush(local: &Local) {
    let bytes = local.bytes.replace(0);
    TOTAL.fetch_add(bytes, Ordering::Relaxed);
    // SAFETY: the pointer is null or was set by `count_for`, whose caller keeps the counter alive until replacing it.
    if let Some(counter) = unsafe { local.counter.get().as_ref() } {
        counter.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// Adds this thread's pending bytes to the shared counters.
pub(super) fn settle() {
    let _ = LOCAL.try_with(|local| {
        if local.bytes.get() != 0 {
            flush(local);
        }
    });
}

/// Sets the counter of this thread. It must live until another replaces it.
pub(super) fn count_for(counter: Option<&AtomicI64>) {
    let _ = LOCAL.try_with(|local| local.counter.set(counter.map_or(std::ptr::null(), std::ptr::from_ref)));
}

// SAFETY: every call is passed to the system's allocator unchanged; counting only touches thread-local numbers and
// allocates nothing.
unsafe impl GlobalAlloc for CountingAllocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller upholds the contract of the system's allocator.
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
