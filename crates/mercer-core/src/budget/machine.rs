//! How much memory and disk space the computer has available.

use std::path::Path;

/// The share of available memory that a computation may use.
const SHARE: f64 = 0.8;

/// The memory a computation may use: four fifths of the least of free memory, control group limits and the address
/// space limit.
///
/// `None` if the system does not report it.
pub fn allowed_memory() -> Option<u64> {
    let free = available_memory();
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let grouped = control_group_room(&groups, Path::new("/sys/fs/cgroup"), free.unwrap_or(u64::MAX));
    let room = [free, grouped, address_room()].into_iter().flatten().min()?;
    Some((room as f64 * SHARE) as u64)
}

/// Bytes of a matrix, saturating.
#[doc(hidden)]
pub fn matrix_bytes(rows: usize, cols: usize, entry: usize) -> u64 {
    (rows as u64).saturating_mul(cols as u64).saturating_mul(entry as u64)
}

fn available_memory() -> Option<u64> {
    kilobytes("/proc/meminfo", "MemAvailable:")
}

/// A number of kilobytes from a line of a system file.
fn kilobytes(path: &str, key: &str) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix(key))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The bytes left under the tightest limit of this process's control groups and their ancestors, unless more than
/// `free`.
fn control_group_room(groups: &str, mounted: &Path, free: u64) -> Option<u64> {
    let rooms = groups.lines().flat_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
        // Version 2 of control groups has no list of controllers; in version 1 memory is one of them.
        let names = match controllers {
            "" => Some((mounted.to_owned(), ["memory.max", "memory.current", "inactive_file"])),
            list if list.split(',').any(|c| c == "memory") => Some((
                mounted.join("memory"),
                ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"],
            )),
            _ => None,
        };
        let groups = Path::new(path.trim_start_matches('/')).ancestors();
        names.into_iter().flat_map(move |(mounted, names)| {
            groups.filter_map(move |group| group_room(&mounted.join(group), names, free))
        })
    });
    rooms.min()
}

/// The bytes left under the limit of one control group. Inactive file pages count as used, but are reclaimed on demand.
fn group_room(group: &Path, [limit, used, reclaimed]: [&str; 3], free: u64) -> Option<u64> {
    let text = |name: &str| std::fs::read_to_string(group.join(name)).ok();
    let number = |name: &str| text(name)?.trim().parse::<u64>().ok();
    let (limit, used) = (number(limit)?, number(used)?);
    if limit.saturating_sub(used) >= free {
        return None;
    }
    let pages = text("memory.stat").and_then(|stat| {
        stat.lines().find_map(|l| l.strip_prefix(reclaimed)?.strip_prefix(' ')?.trim().parse::<u64>().ok())
    });
    Some(limit.saturating_sub(used.saturating_sub(pages.unwrap_or(0))))
}

/// Addresses that stacks, heap bookkeeping and code may need in addition.
#[cfg(unix)]
const HEAD_ROOM: u64 = 12 << 20;

/// The bytes left under the address space limit (`ulimit -v`), beyond which the allocator would abort the program.
#[cfg(unix)]
fn address_room() -> Option<u64> {
    let used = kilobytes("/proc/self/status", "VmSize:")?;
    Some(address_limit()?.saturating_sub(used).saturating_sub(HEAD_ROOM))
}

/// The address space limit, if any.
#[cfg(unix)]
pub fn address_limit() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::As).current
}

/// The address space limit, if any.
#[cfg(not(unix))]
pub fn address_limit() -> Option<u64> {
    None
}

#[cfg(not(unix))]
fn address_room() -> Option<u64> {
    None
}

/// Bytes free on the file system that holds `path`, if the system reports them.
#[cfg(unix)]
#[doc(hidden)]
pub fn free_disk(path: &std::path::Path) -> Option<u64> {
    let space = rustix::fs::statvfs(path).ok()?;
    Some(space.f_bavail.saturating_mul(space.f_frsize))
}

/// Bytes free on the file system that holds `path`, if the system reports them.
#[cfg(not(unix))]
pub(crate) fn free_disk(_path: &std::path::Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tightest_control_group_limit_applies() {
        let folder = tempfile::tempdir().unwrap();
        let group = |path: &str, names: [&str; 2], limit: &str, used: u64, stat: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(&path).unwrap();
            std::fs::write(path.join(names[0]), format!("{limit}\n")).unwrap();
            std::fs::write(path.join(names[1]), format!("{used}\n")).unwrap();
            std::fs::write(path.join("memory.stat"), stat).unwrap();
        };
        let room = |groups: &str| control_group_room(groups, folder.path(), 1 << 40);
        let second = ["memory.max", "memory.current"];
        group("a/b/c", second, "max", 10, "inactive_file 5\n");
        group("a/b", second, "1000", 400, "anon 7\ninactive_file 100\n");
        group("a", second, "5000", 500, "anon 7\n");
        assert_eq!(room("0::/a/b/c\n"), Some(700));
        assert_eq!(room("0::/a\n"), Some(4500));
        assert_eq!(room("0::/\n"), None);
        assert_eq!(control_group_room("0::/a\n", folder.path(), 4000), None);
        // A container may see its own group as the root, regardless of the path.
        let first = ["memory.limit_in_bytes", "memory.usage_in_bytes"];
        group("memory", first, "900", 100, "total_inactive_file 50\n");
        assert_eq!(room("9:pids:/x\n4:cpu,memory:/not/there\n0::/\n"), Some(850));
        group("memory", first, "900", 1000, "total_inactive_file 300\n");
        assert_eq!(room("4:memory:/\n"), Some(200));
        // More in use than the limit leaves nothing.
        group("memory", first, "900", 1000, "");
        assert_eq!(room("4:memory:/\n0::/a/b\n"), Some(0));
        assert_eq!(room(""), None);
    }
}
