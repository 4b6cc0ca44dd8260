//! Candidates for the next measurement.

use crate::run::Folder;

/// Measurements of a curve with its maximum near 0.6, and candidates.
fn curve() -> Folder {
    let folder = Folder::new();
    let row = |i: usize| {
        let x = (i * 37 % 20) as f64 / 20.0;
        (x, (2.5 * x).sin())
    };
    let rows: String = (0..20).map(row).map(|(x, y)| format!("{x},{y}\n")).collect();
    folder.write("measured.csv", format!("x,yield\n{rows}"));
    let candidates: String = (0..30).map(|i| format!("c{i},{}\n", f64::from(i) / 15.0)).collect();
    folder.write("candidates.csv", format!("name,x\n{candidates}"));
    folder.ok("fit measured.csv --target yield -k rbf -l gp -o m.mercer");
    folder
}

#[test]
fn candidates_are_ranked_and_batches_differ() {
    let folder = curve();
    let all = folder.ok("suggest m.mercer candidates.csv --id name --maximize");
    let lines: Vec<&str> = all.out.lines().collect();
    assert_eq!(lines[0], "name,prediction,std,expected-improvement");
    assert_eq!(lines.len(), 31, "{}", all.out);
    let score = |line: &str| line.rsplit(',').next().unwrap().parse::<f64>().unwrap();
    assert!(lines[1..].windows(2).all(|w| score(w[0]) >= score(w[1])), "{}", all.out);
    let least =
        folder.ok("suggest m.mercer candidates.csv --id name --minimize --by confidence-bound --beta 0");
    assert!(least.out.lines().nth(1).unwrap().split(',').nth(1).unwrap().parse::<f64>().unwrap() < 0.2);
    let batch = folder.ok("suggest m.mercer candidates.csv --id name --by variance --batch 3 -o next.csv");
    assert_eq!(batch.out, "next.csv: 3 of 30 candidates\n");
    let text = String::from_utf8(folder.read("next.csv")).unwrap();
    let names: Vec<&str> = text.lines().skip(1).map(|line| line.split(',').next().unwrap()).collect();
    // The farthest from the data comes first; its neighbour is then known too.
    assert_eq!((names.len(), names[0]), (3, "c29"));
    assert_ne!(names[1], "c28");
    let json = folder.ok("suggest m.mercer candidates.csv --maximize --batch 2 --best 0.5 --json").json();
    assert_eq!(json["suggestions"].as_array().unwrap().len(), 2);
    assert_eq!(json["by"], "expected-improvement");
    assert_eq!(
        folder.ok("suggest m.mercer candidates.csv --maximize --threads 1").out,
        folder.ok("suggest m.mercer candidates.csv --maximize --threads 2").out
    );
}

#[test]
fn bad_input_is_refused_with_what_to_do() {
    let folder = curve();
    let goal = folder.refused("suggest m.mercer candidates.csv", "E_USAGE");
    assert!(goal.err.contains("--maximize or --minimize"), "{}", goal.err);
    folder.ok("fit measured.csv --target yield -k rbf -l svr -o svr.mercer");
    let without = folder.refused("suggest svr.mercer candidates.csv --maximize", "svr.mercer");
    assert!(without.err.contains("svr predicts none"), "{}", without.err);
    assert!(without.err.contains("-l gp"), "{}", without.err);
    folder.write("empty.csv", "x\n");
    folder.refused("suggest m.mercer empty.csv --maximize", "empty.csv");
    folder.write("gap.csv", "x\n0.1\n\n0.3\nNaN\n");
    folder.refused("suggest m.mercer gap.csv --maximize", "gap.csv");
    folder.write("other.csv", "z\n0.1\n");
    folder.refused("suggest m.mercer other.csv --maximize", "other.csv");
    for (wrong, named) in [
        ("--maximize --batch 0", "batch"),
        ("--by confidence-bound --maximize --beta=-1", "beta"),
        ("--maximize --best nan", "best"),
    ] {
        let run = folder.refused(&format!("suggest m.mercer candidates.csv {wrong}"), "E_PARAM");
        assert!(run.err.contains(named), "{}", run.err);
    }
}
