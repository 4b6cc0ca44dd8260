//! Little address space: a result or an ordinary error, never a signal.

use std::process::Command;

use serde_json::json;

use super::folder;
use crate::run::{Folder, Run};
use crate::trust::{full, measured};

/// Runs the program with a limited address space, in megabytes, on all cores and with the system's own heaps.
fn within(folder: &Folder, megabytes: u64, args: &str) -> Run {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -v $0 && exec \"$@\""]).arg((megabytes << 10).to_string());
    shell.arg(env!("CARGO_BIN_EXE_mercer"));
    Run::of(&mut folder.set_up(shell, args))
}

#[test]
fn a_far_feature_takes_no_memory() {
    let folder = Folder::new();
    folder.write("far.svm", "1 100000000:1\n-1 1:1\n1 100000000:2\n-1 1:3\n");
    let least = (8..200).find(|&mb| within(&folder, mb, "--version").code == Some(0)).unwrap();
    for args in [
        "fit far.svm -k linear -l linear-svc -o m.mercer -q --threads 2",
        "predict m.mercer far.svm --threads 2",
        "fit far.svm -k standardize(linear) -l linear-svc -o s.mercer -q --threads 2",
        "predict s.mercer far.svm --threads 2",
    ] {
        let run = within(&folder, least + 64, args);
        assert_eq!(run.code, Some(0), "{args}: {}", run.err);
        if args.starts_with("predict") {
            assert_eq!(run.out, "prediction\n1\n-1\n1\n-1\n", "{args}");
        }
    }
    assert!(folder.read("m.mercer").len() + folder.read("s.mercer").len() < 50_000);
}

#[test]
fn little_address_space_is_no_signal() {
    let folder = folder(300, 2);
    folder.ok("fit a.csv -k rbf(gamma=1) -l svc -o model.mercer -q");
    let commands = [
        "fit a.csv -k rbf(gamma=1) -l svc -o t.mercer -q",
        "evaluate a.csv -k mkl(rbf(gamma=1),linear) -l svc --protocol 2-fold -q",
        "auto a.csv --budget 1 -o u.mercer --no-report --force -q",
        "gram a.csv -k rbf(gamma=1) -o K.npy --fresh -q",
        "gram a.csv -k rbf(gamma=1) --json",
        "predict model.mercer a.csv -o p.csv",
        "inspect model.mercer",
        "map a.csv -k rbf(gamma=1) -o phi.npy -q",
    ];
    // With less the system cannot even load the program.
    let least = (8..200).find(|&mb| within(&folder, mb, "--version").code == Some(0)).unwrap();
    let extra: &[u64] =
        if full() { &[0, 2, 4, 6, 8, 10, 12, 16, 20, 30, 40, 60, 100, 200] } else { &[1, 8, 24] };
    let (mut done, mut refused) = (0, 0);
    for args in commands {
        for megabytes in extra.iter().map(|more| least + more) {
            let run = within(&folder, megabytes, args);
            let told = format!("{args} within {megabytes} MB: {:?} {}{}", run.code, run.out, run.err);
            match run.code {
                Some(0) => done += 1,
                Some(1 | 2) => {
                    let text = format!("{}{}", run.out, run.err);
                    let known =
                        text.contains("E_MEMORY_PLAN") || text.contains("threads could not be started");
                    assert!(known, "{told}");
                    refused += 1;
                }
                _ => panic!("{told}"),
            }
        }
    }
    measured(
        "memory-plan",
        &json!({"runs with little address space": done + refused, "refused in order": refused, "signals": 0}),
    );
}
