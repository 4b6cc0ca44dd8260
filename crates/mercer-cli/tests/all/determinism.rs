//! The same bytes for any number of threads, every time, and after a kill: matrices, models, predictions, evaluations.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;
use sha2::{Digest, Sha256};

use crate::run::{Folder, Run, start};
use crate::trust::{full, measured};

/// A kind of data: its file, and a kernel for it.
struct Kind {
    name: &'static str,
    folder: Folder,
    data: &'static str,
    kernel: &'static str,
    /// Whether methods are compared on it too.
    compared: bool,
}

/// Pseudorandom numbers, the same in every run.
fn noise(i: usize, j: usize) -> f64 {
    let x = ((i * 7919 + j * 104_729 + 13) as f64).sin() * 43_758.545_3;
    x - x.floor()
}

fn tables() -> Kind {
    let folder = Folder::new();
    let mut text = "a,b,c,d,class\n".to_owned();
    for i in 0..240 {
        let row: Vec<f64> = (0..4).map(|j| noise(i, j)).collect();
        let class = ["p", "q", "r"][(3.0 * (row[0] * row[1] + 0.5 * noise(i, 9)).fract()) as usize];
        let cells: Vec<String> = row.iter().map(f64::to_string).collect();
        text += &format!("{},{class}\n", cells.join(","));
    }
    folder.write("data.csv", text);
    Kind {
        name: "a table, rbf",
        folder,
        data: "data.csv",
        kernel: "standardize(rbf(gamma=0.5))",
        compared: true,
    }
}

fn graphs() -> Kind {
    Kind {
        name: "graphs, wl",
        folder: Folder::new(),
        data: "mutag",
        kernel: "normalize(wl(h=3))",
        compared: false,
    }
}

fn strings() -> Kind {
    let folder = Folder::new();
    let symbol = |i, j| ["a", "c", "g", "t"][(4.0 * noise(i, j)) as usize];
    let sequence = |i: usize| (0..40 + i % 30).map(|j| symbol(i / (1 + i % 2), j)).collect::<String>();
    let text: String = (0..90).map(|i| format!(">s{i} class={}\n{}\n", i % 2, sequence(i))).collect();
    folder.write("data.fasta", text);
    Kind {
        name: "strings, spectrum",
        folder,
        data: "data.fasta",
        kernel: "normalize(spectrum(k=3))",
        compared: false,
    }
}

fn series() -> Kind {
    let folder = Folder::new();
    let mut text = "@univariate true\n@classLabel true up down\n@data\n".to_owned();
    for i in 0..60 {
        let class = if i % 2 == 0 { "up" } else { "down" };
        let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
        let values: Vec<String> =
            (0..25 + i % 7).map(|j| (sign * j as f64 / 9.0 + 2.0 * noise(i, j)).to_string()).collect();
        text += &format!("{}:{class}\n", values.join(","));
    }
    folder.write("data.ts", text);
    Kind { name: "series, dtw", folder, data: "data.ts", kernel: "znormalize(dtw)", compared: false }
}

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

/// Runs all commands on a kind of data with this number of threads; the SHA-256 of each result.
fn results(kind: &Kind, threads: usize) -> Vec<(&'static str, String)> {
    let Kind { folder, data, kernel, .. } = kind;
    let on = format!("--threads {threads} -q");
    folder.ok(&format!("gram {data} -k {kernel} -o K.npy {on}"));
    // A support vector machine cannot learn from a distance; nearest neighbours can.
    let learner = if kernel.contains("dtw") { "knn(k=3)" } else { "svc(C=2,probability=yes)" };
    folder.ok(&format!("fit {data} -k {kernel} -l {learner} -o m.mercer {on}"));
    folder.ok(&format!("predict m.mercer {data} --decisions -o p.csv {on}"));
    let choices = if kernel.contains("dtw") { "knn(k=[1,3])" } else { "svc(C=[0.5,2])" };
    let evaluate =
        format!("evaluate {data} -k {kernel} -l {choices} --protocol 3-fold --inner 2-fold --json {on}");
    let mut all = vec![
        ("gram", hash(&folder.read("K.npy"))),
        ("model", hash(&folder.read("m.mercer"))),
        ("predictions", hash(&folder.read("p.csv"))),
        ("evaluate", hash(folder.ok(&evaluate).out.as_bytes())),
    ];
    if kind.compared {
        let compare = format!(
            "compare {data} -k {kernel} -k linear -l {choices} --protocol 3-fold --inner 2-fold --json {on}"
        );
        all.push(("compare", hash(folder.ok(&compare).out.as_bytes())));
    }
    for file in ["K.npy", "m.mercer", "p.csv"] {
        std::fs::remove_file(folder.path(file)).unwrap();
    }
    all
}

/// Repeats all commands on one kind of data with every number of threads.
fn the_same_every_time(kind: &Kind) {
    let (threads, repeats): (&[usize], usize) = if full() { (&[1, 2, 4, 8], 20) } else { (&[1, 8], 2) };
    let known = results(kind, threads[0]);
    let mut runs = 1;
    for &threads in threads {
        for _ in 0..repeats {
            runs += 1;
            for ((what, new), (_, old)) in results(kind, threads).into_iter().zip(&known) {
                assert_eq!(new, *old, "{}: {what} on {threads} threads", kind.name);
            }
        }
    }
    // Different results have different hashes: the comparison is not trivial.
    let distinct: BTreeSet<&String> = known.iter().map(|(_, hash)| hash).collect();
    assert_eq!(distinct.len(), known.len());
    let shown =
        known.iter().map(|(what, hash)| format!("{what} {}", &hash[..16])).collect::<Vec<_>>().join(", ");
    let threads: Vec<String> = threads.iter().map(usize::to_string).collect();
    measured(
        "determinism",
        &json!({ "data": kind.name, "results": known.len() * runs, "threads": threads.join(", "), "SHA-256": shown }),
    );
}

#[test]
fn tables_give_the_same_bytes() {
    the_same_every_time(&tables());
}

#[test]
fn graphs_give_the_same_bytes() {
    the_same_every_time(&graphs());
}

#[test]
fn strings_give_the_same_bytes() {
    the_same_every_time(&strings());
}

#[test]
fn series_give_the_same_bytes() {
    the_same_every_time(&series());
}

/// Killed on some threads and finished on others.
#[test]
fn the_same_bytes_after_a_kill() {
    let folder = Folder::new();
    let work = "gram mutag -k random-walk(steps=12) -o K.npy -q";
    folder.ok(&format!("{work} --threads 1"));
    let known = hash(&folder.read("K.npy"));
    let mut kills = 0;
    for (i, &threads) in [1, 2, 4, 8].iter().enumerate().take(if full() { 4 } else { 2 }) {
        for repeat in 0..if full() { 20 } else { 2 } {
            std::fs::remove_file(folder.path("K.npy")).unwrap();
            let mut child = start(&mut folder.command(&format!("{work} --threads {threads}")));
            std::thread::sleep(Duration::from_millis(40 + 10 * repeat));
            child.kill().unwrap();
            kills += usize::from(Run::finished(child).code.is_none());
            let other = [1, 2, 4, 8][(i + 1) % 4];
            folder.ok(&format!("{work} --threads {other}"));
            assert_eq!(
                hash(&folder.read("K.npy")),
                known,
                "killed on {threads} threads, finished on {other}"
            );
        }
    }
    assert!(kills > 0, "never killed at work");
    measured(
        "determinism",
        &json!({ "data": "graphs, random-walk, killed and finished", "results": kills, "SHA-256": &known[..16] }),
    );
}
