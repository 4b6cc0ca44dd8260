//! How much time and memory one input takes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// The most memory an input may take beyond what was there before it.
pub const MOST_BYTES: usize = 256 << 20;
/// The longest an input may take.
pub const MOST_TIME: Duration = Duration::from_secs(1);

/// Bytes held now, and the most held since they were last set.
static HELD: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
/// Above so many bytes the process ends.
static CEILING: AtomicUsize = AtomicUsize::new(usize::MAX);
static ENDING: AtomicBool = AtomicBool::new(false);

/// The system's allocator, which counts.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn took(bytes: usize) {
    let held = HELD.fetch_add(bytes, Relaxed) + bytes;
    PEAK.fetch_max(held, Relaxed);
    if held > CEILING.load(Relaxed) && !ENDING.swap(true, Relaxed) {
        // A refused allocation ends the process anyway, and says less.
        eprintln!("out of bounds: more than {MOST_BYTES} bytes for one input");
        std::process::abort();
    }
}

// SAFETY: every call goes to the system's allocator with the arguments it came with; counting touches atomics alone.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller's promises are those the system's allocator asks for.
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
        // Old and new may both be there for a moment.
        took(size);
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }
}

/// What an input took.
#[derive(Clone, Copy, Debug)]
pub struct Spent {
    /// How long it took.
    pub time: Duration,
    /// The most bytes held beyond those before it.
    pub bytes: usize,
}

/// Does the work; the process ends if it takes more than [`MOST_BYTES`]. Only one such work may be done at a time.
pub fn within(work: impl FnOnce()) -> Spent {
    CEILING.store(HELD.load(Relaxed).saturating_add(MOST_BYTES), Relaxed);
    let start = Instant::now();
    let ((), bytes) = peak_of(work);
    let time = start.elapsed();
    CEILING.store(usize::MAX, Relaxed);
    Spent { time, bytes }
}

/// What the work gives, and the most bytes held meanwhile beyond those before. Other threads must be idle.
pub fn peak_of<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = work();
    (result, PEAK.load(Relaxed).saturating_sub(before))
}

/// How long the processors have worked for this process, where the system says: waiting for other processes is not an
/// input's doing.
pub fn worked() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // Behind the name in parentheses: in the program and in the system, in hundredths of a second.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks()? + ticks()?)))
}
