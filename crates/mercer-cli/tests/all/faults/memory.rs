//! Work that does not fit into memory is refused before it starts, and work that is not refused fits.

use std::process::Command;
use std::time::Duration;

use serde_json::json;

use super::{folder, table};
use crate::run::{Folder, Run};
use crate::trust::{full, measured, skipped};

const MB: u64 = 1 << 20;

/// Commands that need matrices, with a number of objects that makes these large. The short form uses the first few.
const COMMANDS: [(&str, usize); 9] = [
    ("gram a.csv -k rbf(gamma=1)", 3000),
    ("evaluate a.csv -k rbf(gamma=1) -l svc(C=0.1) --protocol 2-fold", 800),
    ("map a.csv -k rbf(gamma=1) -o phi.npy", 900),
    ("fit a.csv -k rbf(gamma=1) -l ridge -o m.mercer", 1700),
    ("fit a.csv -k rbf(gamma=1) -l pca(components=2) -o m.mercer", 900),
    ("compare a.csv -k rbf(gamma=1) -k linear -l svc(C=0.1) --protocol 2-fold", 800),
    ("gram a.csv -k repair(sigmoid(gamma=1,c=-1))", 900),
    ("gram a.csv -k walk(rbf(gamma=1),p=2)", 900),
    ("gram a.csv -k rbf(gamma=1) --transitions 3 -o T.npy", 1000),
];

/// Runs the program with a limited address space, in bytes, and one heap for its two threads: a heap for each thread
/// would reserve address space that it never uses.
fn within(folder: &Folder, bytes: u64, args: &str) -> Run {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -v $0 && exec \"$@\""]).arg((bytes >> 10).to_string());
    shell.env("MALLOC_ARENA_MAX", "1").arg(env!("CARGO_BIN_EXE_mercer"));
    Run::of(&mut folder.set_up(shell, &format!("{args} -q --threads 2")))
}

/// The bytes in an error such as `needs 72.0 MB, …`.
fn needed(run: &Run) -> Option<u64> {
    let mut words = run.err.split(" needs ").nth(1)?.split([' ', ',']);
    let (number, unit) = (words.next()?.parse::<f64>().ok()?, words.next()?);
    let scale = ["B", "kB", "MB", "GB"].iter().position(|u| *u == unit).or((unit == "bytes").then_some(0))?;
    Some((number * 1000f64.powi(scale as i32)) as u64)
}

fn refused(run: &Run) -> bool {
    run.code == Some(2) && run.err.contains("E_MEMORY_PLAN") && run.took < Duration::from_secs(5)
}

/// The smallest address space in which a command works on a few objects.
fn least_space(args: &str) -> u64 {
    let few = folder(20, 2);
    let fits = |bytes: u64| within(&few, bytes, args).code == Some(0);
    let (mut low, mut high) = (16 * MB, 512 * MB);
    assert!(fits(high), "{args}");
    while high - low > 2 * MB {
        let middle = (low + high) / 2;
        if fits(middle) { high = middle } else { low = middle }
    }
    high
}

#[test]
fn refused_before_the_work_or_finished() {
    let (mut too_much, mut kept, mut between) = (0, 0, 0);
    let commands = if full() { &COMMANDS[..] } else { &COMMANDS[..3] };
    for &(args, rows) in commands {
        let folder = folder(rows, 2);
        let base = least_space(args);
        let first = within(&folder, base + 8 * MB, args);
        assert!(refused(&first), "{args}: {:?} {}", first.code, first.err);
        let mut plan = needed(&first).unwrap_or_else(|| panic!("{args}: {}", first.err));
        // A later request may only be reached once the first one fits.
        let first = plan;
        for percent in [125, 130, 135, 140, 150] {
            plan = plan.max(needed(&within(&folder, base + first * percent / 100, args)).unwrap_or(0));
        }
        assert!(plan > 20 * MB, "{args}: {plan}");
        let steps = if full() { 10 } else { 2 };
        for step in 1..=2 * steps {
            // From little memory up to twice the plan. Plans may use four fifths of the free memory.
            let share = step as f64 / steps as f64;
            let bytes = base + (share * plan as f64) as u64;
            let run = within(&folder, bytes, args);
            let told =
                format!("{args}: plan {plan}, given {bytes} ({share} of it): {:?} {}", run.code, run.err);
            if share <= 1.0 {
                assert!(refused(&run), "{told}");
                too_much += 1;
            } else if share >= 1.3 {
                assert_eq!(run.code, Some(0), "{told}");
                kept += 1;
            } else {
                assert!(run.code == Some(0) || refused(&run), "{told}");
                between += 1;
            }
        }
        assert!(!folder.listing().keys().any(|f| f.ends_with("partial")));
    }
    measured(
        "memory-plan",
        &json!({ "commands": commands.len(), "refused before the work": too_much, "accepted and finished": kept,
                 "either, near the line": between }),
    );
}

/// Limits of control groups count too, of the group itself and of its parents. They are files in the program's own
/// mount namespace, which only root may create.
#[test]
fn limits_of_control_groups() {
    let folder = Folder::new();
    folder.write("a.csv", table(1000, 2));
    std::fs::create_dir(folder.path("groups")).unwrap();
    let own = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let plan = 8 * 1000 * 1000u64;
    let tell = |room: u64, cached: u64| {
        for line in own.lines() {
            let mut fields = line.splitn(3, ':').skip(1);
            let (controllers, path) =
                (fields.next().unwrap(), fields.next().unwrap().trim_start_matches('/'));
            let (at, names) = match controllers {
                "" => ("groups".to_owned(), ["memory.max", "memory.current", "inactive_file"]),
                list if list.split(',').any(|c| c == "memory") => (
                    "groups/memory".to_owned(),
                    ["memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"],
                ),
                _ => continue,
            };
            // The group itself has no limit, its outermost parent has.
            let (outer, inner) = (folder.path(&at), folder.path(&format!("{at}/{path}")));
            std::fs::create_dir_all(&inner).unwrap();
            for (group, limit) in [(&inner, 1u64 << 62), (&outer, 100_000_000 + room)] {
                std::fs::write(group.join(names[0]), limit.to_string()).unwrap();
                std::fs::write(group.join(names[1]), (100_000_000 + cached).to_string()).unwrap();
                std::fs::write(group.join("memory.stat"), format!("{} {cached}\n", names[2])).unwrap();
            }
        }
    };
    let run = || {
        let mut shell = Command::new("unshare");
        let script = "mount --bind groups /sys/fs/cgroup && exec \"$@\"";
        shell.args(["-m", "sh", "-c", script, "sh", env!("CARGO_BIN_EXE_mercer")]);
        Run::of(&mut folder.set_up(shell, "gram a.csv -k linear -q --threads 2"))
    };
    tell(1 << 40, 0);
    if own.is_empty() || run().code != Some(0) {
        skipped("memory-plan", "a mount namespace can only be created by root");
        return;
    }
    let mut tried = 0;
    for (share, cached, fits) in [
        (0.5, 0, false),
        (1.2, 0, false),
        // Other memory of the program counts too.
        (2.2, 0, true),
        (3.0, 0, true),
        (2.2, 50_000_000, true),
        (1.2, 50_000_000, false),
    ] {
        tried += 1;
        tell((share * plan as f64) as u64, cached);
        let run = run();
        match fits {
            true => assert_eq!(run.code, Some(0), "{share}: {}", run.err),
            false => assert!(refused(&run), "{share}: {:?} {}", run.code, run.err),
        }
    }
    measured("memory-plan", &json!({ "limits of control groups": tried }));
}
