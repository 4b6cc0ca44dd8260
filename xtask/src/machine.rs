//! The computer on which figures were measured.

use std::process::Command;

use crate::Outcome;

/// The processor, its cores and the memory, in one line.
pub(crate) fn describe() -> String {
    let processor = read("/proc/cpuinfo", "model name").unwrap_or_else(|| "processor unknown".to_owned());
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = read("/proc/meminfo", "MemTotal")
        .and_then(|v| v.strip_suffix("kB")?.trim().parse::<f64>().ok())
        .map_or_else(|| "memory unknown".to_owned(), |kb| format!("{:.0} GiB of memory", kb / 1048576.0));
    format!("{processor}, {cores} cores, {memory}")
}

/// The reason why times would not be reliable, if other work is running: the load average of the last minute.
pub(crate) fn busy() -> Option<String> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    let load: f64 = text.split_whitespace().next()?.parse().ok()?;
    (load > 0.5).then(|| format!("other work is running (load average {load:.1})"))
}

fn read(path: &str, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|l| l.strip_prefix(key))?;
    Some(line.trim_start().strip_prefix(':')?.trim().to_owned())
}

/// The standard output of a command; its error output when it fails.
pub(crate) fn output(command: &mut Command) -> Outcome<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let done = command.output().map_err(|e| format!("{name} could not be started: {e}"))?;
    if !done.status.success() {
        return Err(format!("{name} failed:\n{}", String::from_utf8_lossy(&done.stderr)));
    }
    Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned())
}
