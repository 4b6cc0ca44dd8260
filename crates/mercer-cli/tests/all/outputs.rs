//! Outputs never overwrite inputs, never follow links, and killed runs leave nothing.

use std::os::unix::fs::symlink;

use crate::run::Folder;

fn table() -> String {
    let row = |i: usize| format!("{},{},{}\n", i % 7, (i * 5) % 11, ["a", "b"][i % 2]);
    std::iter::once("x,z,class\n".to_owned()).chain((0..40).map(row)).collect()
}

#[test]
fn no_command_writes_over_what_it_reads() {
    let folder = Folder::new();
    for name in ["a.csv", "new.csv"] {
        folder.write(name, table());
    }
    folder.ok("fit a.csv -k linear -l svc -o m.mercer -q");
    folder.ok("gram a.csv -k linear -o K.npy -q");
    folder.ok("evaluate a.csv -k linear -l svc --report run.json -q");
    symlink("a.csv", folder.path("soft.csv")).unwrap();
    std::fs::hard_link(folder.path("a.csv"), folder.path("hard.csv")).unwrap();
    std::fs::create_dir(folder.path("there")).unwrap();
    for args in [
        "fit a.csv -k linear -l svc -o a.csv",
        "fit a.csv -k linear -l svc -o soft.csv",
        "fit soft.csv -k linear -l svc -o hard.csv",
        "fit a.csv -k linear -l svc -o there/../a.csv",
        "fit a.csv -k linear -l svc --gram K.npy -o K.npy",
        "auto a.csv -o a.csv --force",
        "predict m.mercer a.csv -o a.csv",
        "predict m.mercer a.csv -o m.mercer",
        "evaluate a.csv -k linear -l ridge --journal a.csv",
        "evaluate a.csv -k linear -l svc --residuals a.csv",
        "convert m.mercer -o m.mercer",
        "gram a.csv -k linear -o a.csv",
        "gram a.csv -k linear --new new.csv -o new.csv",
        "map a.csv -k linear -o hard.csv",
        "inspect m.mercer --locations m.mercer",
        "report run.json -o run.json",
    ] {
        let run = folder.refused(args, "E_USAGE the output ");
        assert!(run.err.contains(" is the input "), "{args}: {}", run.err);
    }
    // Files of a manifest are inputs too, wherever the manifest is and whatever its name.
    let named = |path: &str| format!("[[file]]\npath = \"{path}\"\n");
    folder.write("m.toml", named("a.csv"));
    folder.write("there/m.list", named("../a.csv"));
    for args in [
        "fit m.toml -k linear -l svc -o a.csv",
        "gram m.toml -k linear -o soft.csv",
        "fit there/m.list --format manifest -k linear -l svc -o hard.csv",
        "predict m.mercer m.toml -o a.csv",
    ] {
        let run = folder.refused(args, "E_USAGE the output ");
        assert!(run.err.contains(" is the input "), "{args}: {}", run.err);
    }
    folder.ok("fit m.toml -k linear -l svc -o other.mercer -q");
    // Embedded data is not a file.
    folder.ok("fit iris -k linear -l svc -o iris -q");
}

#[test]
fn a_file_of_a_folder_of_data_is_not_replaced() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("g")).unwrap();
    for (name, text) in [("one.csv", "source,target\n0,1\n1,2\n"), ("two.csv", "source,target\n0,1\n")] {
        folder.write(&format!("g/{name}"), text);
    }
    let run = folder.run("gram g -k vertex-histogram -o g/one.csv");
    assert_eq!(run.code, Some(2), "{}", run.err);
    assert!(run.err.contains("would replace a file of the data"), "{}", run.err);
}

#[test]
fn links_are_not_followed() {
    let folder = Folder::new();
    folder.write("a.csv", table());
    folder.write("victim", "old");
    for (link, args) in [
        ("K.npy.partial", "gram a.csv -k linear -o K.npy"),
        ("K.npy.journal", "gram a.csv -k linear -o K.npy"),
        ("j", "evaluate a.csv -k rbf(gamma=[1,2]) -l svc --protocol 2-fold --journal j"),
    ] {
        symlink("victim", folder.path(link)).unwrap();
        let run = folder.run(args);
        assert_eq!(run.code, Some(1), "{args}: {}", run.err);
        assert!(run.err.contains("a symbolic link where a recovery file belongs"), "{args}: {}", run.err);
        assert_eq!(folder.read("victim"), b"old");
        let _ = std::fs::remove_file(folder.path(link));
        let _ = std::fs::remove_file(folder.path("K.npy.partial"));
    }
    // An output that is a link is replaced; the target of the link stays.
    symlink("victim", folder.path("m.mercer")).unwrap();
    folder.ok("fit a.csv -k linear -l svc -o m.mercer -q");
    assert_eq!(folder.read("victim"), b"old");
    folder.ok("inspect m.mercer");
}

#[test]
fn temporary_files_of_killed_runs_are_removed_by_the_next() {
    let folder = Folder::new();
    folder.write("a.csv", table());
    let mut child = std::process::Command::new("true").spawn().unwrap();
    let gone = child.id();
    child.wait().unwrap();
    let left = format!("m.mercer.{gone}-0-1763361600000000000.partial");
    let alive = format!("m.mercer.{}-0-1763361600000000000.partial", std::process::id());
    for name in [left.as_str(), alive.as_str(), "other.partial"] {
        folder.write(name, "half");
    }
    folder.ok("fit a.csv -k linear -l svc -o m.mercer -q");
    assert!(!folder.has(&left));
    assert!(folder.has(&alive) && folder.has("other.partial"));
}

/// Changed digits in a journal are detected and do not change the result.
#[test]
fn damaged_journals_give_the_same_result() {
    let folder = Folder::new();
    folder.write("a.csv", table());
    let args = "evaluate a.csv -k rbf(gamma=[0.1,1]) -l svc(C=[1,10]) --protocol 2-fold --json --journal j";
    let without_time = |run: crate::run::Run| {
        let mut document = run.json();
        document.as_object_mut().unwrap().retain(|key, _| !key.contains("seconds"));
        (document["folds"].clone(), document["measures"].clone(), document["warnings"].clone())
    };
    let whole = without_time(folder.ok(args));
    let bytes = folder.read("j");
    let title = bytes.iter().position(|b| *b == b'\n').unwrap();
    let digits: Vec<usize> = (title..bytes.len()).filter(|&at| bytes[at].is_ascii_digit()).collect();
    for &at in digits.iter().step_by(digits.len() / 12 + 1) {
        let mut changed = bytes.clone();
        changed[at] = if changed[at] == b'9' { b'8' } else { changed[at] + 1 };
        folder.write("j", &changed);
        let run = folder.ok(args);
        assert!(run.err.contains("W_RESUME"), "byte {at}: {}", run.err);
        assert!(without_time(run) == whole, "byte {at}");
    }
    // Journals of earlier versions have no checksums.
    folder.write("j", [b"mercer search journal 1", &bytes[23..]].concat());
    let run = folder.run(args);
    assert_eq!(run.code, Some(2));
    assert!(run.out.contains("has no checksums"), "{}", run.out);
}

/// More than 10,000 binary classifiers, and a search over kernels for them.
#[test]
fn models_of_many_classes_are_kept() {
    let folder = Folder::new();
    let row = |i: usize| format!("{},{},c{}\n", i % 160, (i * 7 % 13) as f64 / 50.0, i % 160);
    folder.write("m.csv", "x,z,class\n".to_owned() + &(0..480).map(row).collect::<String>());
    folder.ok("fit m.csv -k rbf(gamma=1) -l svc -o m.mercer -q");
    let own = folder.ok("predict m.mercer m.csv --json").json();
    assert_eq!(own["score"]["value"].as_f64().unwrap_or(1.0), 1.0);
    folder.ok("inspect m.mercer");
    let run = folder.run("auto m.csv --budget 2 --sample 480 -o auto.mercer --no-report -q");
    assert!(run.code == Some(0) || run.code == Some(1), "{}{}", run.out, run.err);
    folder.ok("predict auto.mercer m.csv -o p.csv");
}
