//! Runs the workloads of mercer in the comparison with other systems.
//!
//! `cargo xtask bench` starts this program once per workload, next to a peer with the same commands, and lets the two
//! take turns. Commands are read from standard input, one per line:
//!
//! * `run` does the work once and prints `seconds` and the time;
//! * `end` writes a sample of the last result, prints `peak` and the peak memory of this process, and exits.
//!
//! `ready` is printed when the data are loaded and the work has been done once to warm up.

mod data;
mod generate;
mod graphs;
mod guard;
mod models;
mod plain;
mod series;
mod strings;
mod workload;

use std::error::Error;
use std::io::{BufRead, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use workload::Workload;

/// Any error: it is printed and ends the program.
type Outcome<T> = Result<T, Box<dyn Error>>;

const USAGE: &str = "usage: mercer-bench work WORKLOAD FOLDER | mercer-bench growth FOLDER | \
                     mercer-bench graphs SET KERNEL | mercer-bench strings | \
                     mercer-bench generate-csv FILE MEGABYTES | mercer-bench guard FILE [--record]";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["work", name, folder] => work(name, Path::new(folder)),
        ["growth", folder] => models::growth(Path::new(folder)),
        ["strings"] => strings::figures(),
        ["guard", file] => guard::run(Path::new(file), false),
        ["guard", file, "--record"] => guard::run(Path::new(file), true),
        ["graphs", name, kernel] => graphs::once(name, kernel),
        ["generate-csv", file, megabytes] => megabytes
            .parse()
            .map_err(Box::from)
            .and_then(|megabytes: u64| generate::csv(Path::new(file), megabytes * 1_000_000)),
        _ => Err(USAGE.into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn work(name: &str, folder: &Path) -> Outcome<()> {
    let workload = Workload::load(name, folder)?;
    let mut result = Some(workload.run()?);
    println!("ready");
    for line in std::io::stdin().lock().lines() {
        match line?.trim() {
            "run" => {
                // The last result is freed before the clock starts, as in the peer.
                drop(result.take());
                let start = Instant::now();
                let new = workload.run()?;
                println!("seconds {}", start.elapsed().as_secs_f64());
                result = Some(new);
            }
            "end" => {
                let sample = result.as_ref().map(|r| r.sample()).unwrap_or_default();
                write_sample(&folder.join(format!("{name}.mercer.f64")), &sample)?;
                println!("peak {}", peak_memory().unwrap_or(0));
                return Ok(());
            }
            other => return Err(format!("unknown command: {other}").into()),
        }
        std::io::stdout().flush()?;
    }
    Ok(())
}

fn write_sample(path: &Path, sample: &[f64]) -> Outcome<()> {
    let bytes: Vec<u8> = sample.iter().flat_map(|v| v.to_le_bytes()).collect();
    Ok(std::fs::write(path, bytes)?)
}

/// The peak memory of this process in bytes, if the system reports it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
