//! Runs the programs of `examples/`.

use std::path::PathBuf;
use std::process::Command;

/// The program of that name. A full `cargo test` has built it; a single test builds it here.
fn program(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    let folder = own.parent().and_then(|deps| deps.parent()).unwrap().join("examples");
    let path = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if !path.exists() {
        let built =
            Command::new(env!("CARGO")).args(["build", "--quiet", "--workspace", "--example", name]).status();
        assert!(built.unwrap().success(), "{name} cannot be built");
    }
    path
}

/// The lines that a program prints.
fn lines(name: &str) -> Vec<String> {
    let output = Command::new(program(name)).output().unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn typed_fit() {
    let lines = lines("typed_fit");
    assert_eq!(lines[0], "classes: [Round, Square]");
    assert!(lines[1].ends_with("of 10 objects"), "{lines:?}");
    assert_eq!(lines[2..4], ["proved optimal: true", "more than half: [true, false]"]);
    assert_eq!(lines[4], "numbers: [1.50, 2.40]");
}

#[test]
fn text_expression() {
    let lines = lines("text_expression");
    assert!(lines[0].starts_with("kernel: standardize(rbf(gamma=0.5))@"), "{lines:?}");
    assert_eq!(lines[1], "learner: svc(C=10)");
    assert!(lines[2].ends_with("of 100 training objects are kept"), "{lines:?}");
    let right: usize = lines[3].split(' ').next().unwrap().parse().unwrap();
    assert!(right >= 46 && lines[3].ends_with("of 50 test objects are right"), "{lines:?}");
}

#[test]
fn own_kernel() {
    assert_eq!(lines("own_kernel"), [r#"normalize(shared): ["party", "cake"]"#]);
}

#[test]
fn graphs() {
    let lines = lines("graphs");
    assert_eq!(lines[0], "141 molecules to learn from, 47 to predict");
    for line in &lines[1..3] {
        let right: usize = line.split(": ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
        assert!(right >= 34, "{line}");
    }
    assert!(lines[3].starts_with("atoms of the first: "), "{lines:?}");
    let numbers: Vec<f64> = lines[3].split(' ').filter_map(|word| word.parse().ok()).collect();
    assert!((numbers[0] - numbers[1]).abs() < 0.2, "{lines:?}");
}

#[test]
fn search() {
    let lines = lines("search");
    assert_eq!(lines[0], "12 configurations, 185 fits");
    assert_eq!(lines.iter().filter(|l| l.starts_with("fold ")).count(), 5);
    assert!(lines[6].starts_with("accuracy: 0.9"), "{lines:?}");
    assert_eq!(lines[7], "majority-class baseline: 0.333");
}
