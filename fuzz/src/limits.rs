//! Measures and limits the time and memory of one input.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Maximum additional memory for one input.
pub const MOST_BYTES: usize = 256 << 20;
/// Maximum time for one input.
pub const MOST_TIME: Duration = Duration::from_secs(1);

/// Bytes allocated now, and the peak since the last reset.
static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
/// The process ends above this many bytes.
static CEILING: AtomicUsize = AtomicUsize::new(usize::MAX);
static ENDING: AtomicBool = AtomicBool::new(false);

/// The system's allocator with counting.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn took(bytes: usize) {
    let held = HELD.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(held, Relaxed);
    if held > CEILING.load(Relaxed) && !ENDING.swap(true, Relaxed) {
        // A refused allocation would end the process anyway, with less information.
        eprintln!("out of bounds: more than {MOST_BYTES} bytes for one input");
        std::process::abort();
    }
}

// SAFETY: every call is forwarded unchanged to the system's allocator; counting uses only atomics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller guarantees what the system's allocator requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The old and the new block may exist at the same time.
        took(size);
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// The resources used by an input.
#[derive(Clone, Copy, Debug)]
pub struct Spent {
    /// The elapsed time.
    pub time: Duration,
    /// The peak of additional bytes.
    pub bytes: usize,
}

/// Runs the work; the process ends if it takes more than [`MOST_BYTES`]. Only one call may run at a time.
pub fn within(work: impl FnOnce()) -> Spent {
    CEILING.store(HELD.load(Relaxed).saturating_add(MOST_BYTES), Relaxed);
    let start = Instant::now();
    let ((), bytes) = peak_of(work);
    let time = start.elapsed();
    CEILING.store(usize::MAX, Relaxed);
    Spent { time, bytes }
}

/// The result of the work, and the peak of additional bytes. Other threads must be idle.
pub fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = work();
    (result, PEAK.load(Relaxed).saturating_sub(before))
}

/// The CPU time of this process, where the system provides it: waiting for other processes does not count.
pub fn worked() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // After the name in parentheses: user and system time in hundredths of a second.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks()? + ticks()?)))
}
