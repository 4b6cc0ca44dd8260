//! What work will need, and whether the machine has it.

use crate::error::{Error, Result};

/// The share of available memory that work may plan to use.
const SHARE: f64 = 0.8;

/// The memory work may plan to use: four fifths of what is free, and of what the control group leaves.
///
/// `None` where the system does not tell.
pub fn allowed_memory() -> Option<u64> {
    let free = available_memory()?;
    let free = control_group_room().map_or(free, |room| room.min(free));
    Some((free as f64 * SHARE) as u64)
}

/// Refuses work that needs more bytes than `allowed`, before it starts.
pub fn check(what: &str, needed: u64, allowed: Option<u64>) -> Result<()> {
    match allowed {
        Some(allowed) if needed > allowed => {
            Err(Error::MemoryPlan { needed, allowed, what: what.to_owned() })
        }
        _ => Ok(()),
    }
}

/// Bytes of a matrix, saturating.
pub(crate) fn matrix_bytes(rows: usize, cols: usize, entry: usize) -> u64 {
    (rows as u64).saturating_mul(cols as u64).saturating_mul(entry as u64)
}

fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

fn control_group_room() -> Option<u64> {
    // Version 2 of control groups names the group on a line `0::/path`; version 1 has a memory controller.
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let number = |path: String| std::fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    groups.lines().find_map(|line| {
        let (limit, used) = if let Some(path) = line.strip_prefix("0::") {
            let base = format!("/sys/fs/cgroup{}", path.trim_end_matches('/'));
            (number(format!("{base}/memory.max")), number(format!("{base}/memory.current")))
        } else if let Some((_, path)) = line.split_once(":memory:") {
            let base = format!("/sys/fs/cgroup/memory{}", path.trim_end_matches('/'));
            (number(format!("{base}/memory.limit_in_bytes")), number(format!("{base}/memory.usage_in_bytes")))
        } else {
            (None, None)
        };
        Some(limit?.saturating_sub(used?))
    })
}

/// Bytes free on the file system that holds `path`, where the system tells.
#[cfg(unix)]
pub(crate) fn free_disk(path: &std::path::Path) -> Option<u64> {
    let space = rustix::fs::statvfs(path).ok()?;
    Some(space.f_bavail.saturating_mul(space.f_frsize))
}

/// Bytes free on the file system that holds `path`, where the system tells.
#[cfg(not(unix))]
pub(crate) fn free_disk(_path: &std::path::Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_does_not_fit() {
        assert!(check("a Gram", 10, Some(9)).is_err());
        assert!(check("a Gram", 9, Some(9)).is_ok());
        assert!(check("a Gram", u64::MAX, None).is_ok());
        assert_eq!(matrix_bytes(usize::MAX, usize::MAX, 8), u64::MAX);
    }
}
