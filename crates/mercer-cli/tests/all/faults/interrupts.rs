//! Ctrl-C: the program ends within two seconds with exit code 130, whatever it is doing, and can be resumed. `auto` takes a few
//! seconds to keep the best so far.

use std::process::Child;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::{Seeded, folder, table};
use crate::run::{Folder, Run, start, stretched};
use crate::trust::{full, measured};

const MOST: Duration = Duration::from_secs(2);
/// The same where the best so far is fitted and saved.
const KEEPING: Duration = Duration::from_secs(6);

/// Interrupts a command after a while, if it is still running; returns how long it took to end.
#[track_caller]
fn interrupted(folder: &Folder, args: &str, after: Duration) -> Option<Duration> {
    let child = start(&mut folder.command(args));
    std::thread::sleep(after);
    stopped(child, args)
}

/// Interrupts a program, if it is still running; returns how long it took to end.
#[track_caller]
fn stopped(child: Child, args: &str) -> Option<Duration> {
    let asked = Instant::now();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let run = Run::finished(child);
    if run.code == Some(0) {
        return None;
    }
    assert_eq!(run.code, Some(130), "{args}: {}", run.err);
    let keeps = run.err.contains("interrupted: keeping the best method so far");
    // A signal before the handler is set ends the program like any other.
    assert!(keeps || run.err.contains("E_INTERRUPTED") || run.err.is_empty(), "{args}: {}", run.err);
    let most = if keeps { KEEPING } else { MOST };
    assert!(asked.elapsed() < stretched(most), "{args}: {:?}", asked.elapsed());
    Some(asked.elapsed())
}

/// Data that keeps every command busy for some seconds.
fn work() -> (Folder, Vec<(&'static str, String)>) {
    let folder = folder(1500, 30);
    folder.ok("fit a.csv -k chi2(gamma=0.01) -l knn(k=3) -o m.mercer -q");
    folder.write("many.csv", table(12_000, 30));
    let choices = "-k rbf(gamma=2^-6..2^2) -l svc(C=2^-3..2^8) --protocol 10-fold --inner 5-fold";
    let commands = vec![
        ("gram", "gram many.csv -k chi2(gamma=0.01)+chi2(gamma=0.1) -o K.npy".to_owned()),
        ("evaluate", format!("evaluate a.csv {choices}")),
        ("compare", format!("compare a.csv {choices} -k chi2(gamma=[0.01,0.1])")),
        ("auto", "auto a.csv --budget none -o auto.mercer --force".to_owned()),
        ("fit", "fit many.csv -k rbf(gamma=0.5) -l svc(C=10000) -o n.mercer".to_owned()),
        // Its eigenvalues are one step, which cannot be interrupted.
        ("fit pca", "fit a.csv -k rbf(gamma=0.5) -l pca(components=9) -o n.mercer".to_owned()),
        ("predict", "predict m.mercer many.csv -o p.csv".to_owned()),
    ];
    (folder, commands)
}

#[test]
fn every_long_command_can_be_interrupted() {
    let (folder, commands) = work();
    let before = folder.listing();
    let (mut random, mut slowest, mut count) = (Seeded(4), Duration::ZERO, 0);
    for (name, args) in &commands {
        let wanted = if full() { 8 } else { 1 };
        let (mut heard, mut within) = (0, Duration::from_millis(2000));
        while heard < wanted {
            // Not before the handler is set; in the short form once during the work.
            let after = if full() { random.duration(within) } else { within.mul_f64(0.3) };
            let Some(took) = interrupted(&folder, args, Duration::from_millis(60) + after) else {
                // The files of a finished run are its output, not left over.
                let made = folder.listing().into_keys().filter(|f| !before.contains_key(f));
                made.for_each(|f| std::fs::remove_file(f).unwrap());
                within = within.mul_f64(0.7);
                assert!(within > Duration::from_millis(50), "{name} is done before it can be interrupted");
                continue;
            };
            heard += 1;
            slowest = slowest.max(took);
            // Only the unfinished work of a Gram matrix may be left.
            let left: Vec<_> = folder.listing().into_keys().filter(|f| !before.contains_key(f)).collect();
            let known = |f: &std::path::PathBuf| {
                f.ends_with("K.npy.partial")
                    || f.ends_with("K.npy.journal")
                    // The best method so far is kept.
                    || f.ends_with("auto.mercer")
                    || f.ends_with("auto.html")
            };
            assert!(left.iter().all(known), "{name} leaves {left:?}");
        }
        count += heard;
    }
    let seconds = (slowest.as_secs_f64() * 100.0).ceil() / 100.0;
    let names: Vec<&str> = commands.iter().map(|c| c.0).collect();
    measured(
        "interrupt",
        &json!({ "interrupts": count, "commands": names.join(", "), "slowest, s": seconds }),
    );
}

/// Starts a command and waits until its journal grew twice, and for `more` time.
#[track_caller]
fn at_work(folder: &Folder, args: &str, journal: &str, more: Duration) -> Child {
    let mut child = start(&mut folder.command(args));
    let length = || folder.path(journal).metadata().map_or(0, |m| m.len());
    let (started, mut seen, mut grew) = (Instant::now(), 0, 0);
    while grew < 3 && child.try_wait().unwrap().is_none() {
        assert!(started.elapsed() < Duration::from_secs(60), "{args}: nothing is noted");
        let now = length();
        grew += usize::from(now > seen);
        seen = now;
        std::thread::sleep(Duration::from_micros(500));
    }
    std::thread::sleep(more);
    child
}

/// Work done before Ctrl-C is not repeated.
#[test]
fn interrupted_work_resumes() {
    let folder = folder(200, 4);
    // Long enough to be interrupted on any computer.
    let gram = "gram mutag -k random-walk(steps=100) -o K.npy --threads 1";
    folder.ok(gram);
    let whole = folder.read("K.npy");
    std::fs::remove_file(folder.path("K.npy")).unwrap();
    let search = "evaluate a.csv -k standardize(rbf(gamma=2^-4..2^3)) -l svc(C=2^-2..2^7) --protocol 5-fold --inner 3-fold --json";
    let result = folder.ok(search).out;
    let (mut random, mut stops, mut resumed) = (Seeded(5), 0, 0);
    for _ in 0..if full() { 10 } else { 2 } {
        let more = random.duration(Duration::from_millis(100));
        let child = at_work(&folder, gram, "K.npy.journal", more);
        stops += usize::from(stopped(child, gram).is_some());
        let done = folder.ok(&format!("{gram} --json")).json();
        resumed += done["tiles_resumed"].as_u64().unwrap();
        assert!(folder.read("K.npy") == whole);
        // The journal must not contain models that were interrupted.
        let noted = format!("{search} --journal j");
        let child = at_work(&folder, &noted, "j", random.duration(Duration::from_millis(100)));
        stops += usize::from(stopped(child, &noted).is_some());
        assert!(folder.ok(&noted).out == result, "another result after Ctrl-C");
        std::fs::remove_file(folder.path("j")).unwrap();
        std::fs::remove_file(folder.path("K.npy")).unwrap();
    }
    assert!(stops > 0 && resumed > 0, "{stops} stops, {resumed} tiles");
    measured(
        "interrupt",
        &json!({ "interrupts": stops, "commands": "gram, evaluate", "tiles gone on with": resumed,
                 "gone on with to the same bytes": stops }),
    );
}
