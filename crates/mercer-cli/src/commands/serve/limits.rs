//! Limits for clients: time, bytes, connections and workers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mercer::budget::allowed_memory;
use mercer::{Error, Result};

use super::ServeArgs;

/// The time a client has to send a request header, counted from the connection or the previous answer.
pub(super) const HEAD_TIME: Duration = Duration::from_secs(10);
/// The largest request header.
pub(super) const HEAD_BYTES: usize = 32 << 10;
/// The largest number of header lines.
pub(super) const HEAD_LINES: usize = 64;
/// The time a client may take before the rate of its body is checked.
pub(super) const BODY_START: Duration = Duration::from_secs(5);
/// The lowest rate of sending a body and of reading an answer, in bytes per second.
pub(super) const RATE: u64 = 10_000;
/// The time a client may read nothing of an answer.
pub(super) const ANSWER_STALL: Duration = Duration::from_secs(10);
/// The largest body that starts as light work.
pub(super) const LIGHT_BYTES: usize = 64 << 10;
/// The time light work has before it is restarted as heavy work.
pub(super) const LIGHT_TIME: Duration = Duration::from_millis(200);
/// The longest queue for light work.
pub(super) const LIGHT_QUEUE: usize = 512;
/// The longest queue for heavy work.
pub(super) const HEAVY_QUEUE: usize = 32;
/// Heavy requests processed at once.
pub(super) const HEAVY_WORKERS: usize = 2;
/// How long requests may continue after the server is stopped.
pub(super) const STOP_FINISH: Duration = Duration::from_millis(2500);
/// How long answers may be sent after that. Both together stay below five seconds.
pub(super) const STOP_SEND: Duration = Duration::from_millis(1000);

const MB: u64 = 1 << 20;
/// The default memory for all requests together.
const MEMORY: u64 = 2048 * MB;
/// The least memory for all requests together.
const LEAST_MEMORY: u64 = 64 * MB;

/// The limits that depend on the command line or the computer.
pub(super) struct Limits {
    /// The longest time from the header of a request to its answer.
    pub(super) time: Duration,
    /// The largest body.
    pub(super) body: usize,
    /// Bytes of all bodies being received, queued or sent.
    pub(super) bodies: u64,
    /// Bytes of all requests together.
    pub(super) memory: u64,
    /// Bytes of one light request, and the number processed at once.
    pub(super) light: (u64, usize),
    /// Bytes of one heavy request.
    pub(super) heavy: u64,
    /// Connections that are open at once.
    pub(super) connections: usize,
}

impl Limits {
    pub(super) fn new(args: &ServeArgs, threads: usize) -> Result<Self> {
        if args.max_body == 0 || args.max_body > 4096 {
            return Err(Error::param("--max-body", args.max_body, "megabytes from 1 to 4096"));
        }
        if args.timeout == 0 || args.timeout > 86_400 {
            return Err(Error::param("--timeout", args.timeout, "seconds from 1 to 86400"));
        }
        if args.connections == 0 || args.connections > 100_000 {
            return Err(Error::param("--connections", args.connections, "a whole number from 1 to 100000"));
        }
        let body = (args.max_body as u64) * MB;
        let memory = match args.memory {
            Some(given) => given.saturating_mul(MB),
            None => MEMORY.min(allowed_memory().unwrap_or(MEMORY)).max(LEAST_MEMORY).max(4 * body),
        };
        if memory < LEAST_MEMORY || memory < 4 * body {
            let least = (LEAST_MEMORY / MB).max(4 * args.max_body as u64);
            let domain = format!("megabytes from {least}: four times --max-body, and at least 64");
            return Err(Error::param("--memory", args.memory.unwrap_or(0), &domain));
        }
        // An eighth for bodies, an eighth for light work, the rest for heavy work.
        let bodies = (memory / 8).max(body);
        let light_workers = threads.clamp(2, 16);
        let light = memory / 8 / light_workers as u64;
        let heavy = (memory - bodies - memory / 8) / HEAVY_WORKERS as u64;
        Ok(Limits {
            time: Duration::from_secs(args.timeout),
            body: body as usize,
            bodies,
            memory,
            light: (light, light_workers),
            heavy,
            connections: args.connections.min(open_files()),
        })
    }
}

/// The connections that the limit of open files allows, with some files to spare.
fn open_files() -> usize {
    #[cfg(unix)]
    if let Some(most) = rustix::process::getrlimit(rustix::process::Resource::Nofile).current {
        return usize::try_from(most).unwrap_or(usize::MAX).saturating_sub(96).max(1);
    }
    usize::MAX
}

/// A number of bytes shared by all requests.
pub(super) struct Ledger {
    used: AtomicU64,
    most: u64,
}

impl Ledger {
    pub(super) fn new(most: u64) -> Arc<Self> {
        Arc::new(Ledger { used: AtomicU64::new(0), most })
    }

    pub(super) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// A share of nothing yet.
    pub(super) fn share(self: &Arc<Self>) -> Share {
        Share { ledger: self.clone(), bytes: 0 }
    }
}

/// Bytes taken from a ledger, given back when dropped.
pub(super) struct Share {
    ledger: Arc<Ledger>,
    bytes: u64,
}

impl Share {
    /// Takes more bytes, if that many are left.
    pub(super) fn grow(&mut self, bytes: u64) -> bool {
        let most = self.ledger.most;
        let take = |used: u64| used.checked_add(bytes).filter(|sum| *sum <= most);
        let taken = self.ledger.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok();
        if taken {
            self.bytes += bytes;
        }
        taken
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.ledger.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
