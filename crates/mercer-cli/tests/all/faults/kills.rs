//! Killed at any time: no file is ever incomplete, little work is repeated, and the result is the same to the byte.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::{Seeded, folder, table};
use crate::make::values;
use crate::run::{Folder, Run, start};
use crate::trust::{full, measured};

/// The number of kills for each command.
fn kills(all: usize) -> usize {
    if full() { all } else { 5 }
}

/// Starts a command and kills it after a while; returns whether it was still running.
fn killed(folder: &Folder, args: &str, after: Duration) -> bool {
    let mut child = start(&mut folder.command(args));
    std::thread::sleep(after);
    child.kill().unwrap();
    Run::finished(child).code.is_none()
}

const GRAM: &str = "gram mutag -k random-walk(steps=20) -o K.npy -q";

/// The journal of a Gram matrix: the side of its tiles, and the finished ones.
fn journal(folder: &Folder) -> Option<(usize, BTreeSet<usize>)> {
    let bytes = std::fs::read(folder.path("K.npy.journal")).ok()?;
    let end = bytes.iter().position(|b| *b == b'\n')?;
    let header: Value = serde_json::from_slice(&bytes[..end]).unwrap();
    // An incomplete last line is not a record.
    let records = std::str::from_utf8(&bytes[end + 1..]).unwrap().split_inclusive('\n');
    let records = records.filter_map(|line| line.strip_suffix('\n')?.split_once(' '));
    let tiles = records.map(|(_, record)| serde_json::from_str::<(usize, u64)>(record).unwrap().0).collect();
    Some((header["identity"]["tile"].as_u64().unwrap() as usize, tiles))
}

/// Compares an unfinished matrix with the whole one: tiles in the journal must be complete. Returns the number of tiles
/// that were begun but are not in the journal.
fn lost(folder: &Folder, whole: &[u8]) -> usize {
    let (Some((side, done)), true) = (journal(folder), folder.has("K.npy.partial")) else { return 0 };
    let (n, _, expected) = values(whole);
    let header = whole.len() - 8 * n * n;
    let bytes = folder.read("K.npy.partial");
    assert_eq!(bytes.len(), whole.len());
    let found: Vec<f64> =
        bytes[header..].chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();
    let across = n.div_ceil(side);
    let blocks = (0..across).flat_map(|i| (i..across).map(move |j| (i, j)));
    let mut begun = 0;
    for (number, (i, j)) in blocks.enumerate() {
        let rows = i * side..n.min((i + 1) * side);
        let mut entries = rows.flat_map(|r| (j * side..n.min((j + 1) * side)).map(move |c| r * n + c));
        if done.contains(&number) {
            let same = entries.all(|e| found[e].to_bits() == expected[e].to_bits());
            assert!(same, "tile {number} is in the journal but incomplete");
        } else {
            // No similarity of these graphs is 0.
            begun += usize::from(entries.any(|e| found[e] != 0.0));
        }
    }
    begun
}

#[test]
fn killed_while_writing_a_matrix() {
    let folder = Folder::new();
    let started = Instant::now();
    folder.ok(&format!("{GRAM} --threads 2"));
    let long = started.elapsed();
    let whole = folder.read("K.npy");
    let mut random = Seeded(1);
    let (mut kills_made, mut runs, mut most_lost, mut resumed) = (0, 0, 0.0f64, 0);
    let mut old = "an older matrix".as_bytes().to_vec();
    folder.write("K.npy", &old);
    while kills_made < kills(100) {
        let threads = 1 + runs % 3;
        runs += 1;
        if killed(&folder, &format!("{GRAM} --threads {threads}"), random.duration(long)) {
            kills_made += 1;
            // If killed between its last two steps, the new matrix is in place and the journal still exists.
            let now = folder.read("K.npy");
            assert!(
                now == old || now == whole,
                "kill {kills_made}: the file in place is neither old nor new"
            );
            let begun = lost(&folder, &whole);
            assert!(begun <= threads, "kill {kills_made}: {begun} tiles of {threads} threads lost");
            most_lost = most_lost.max(begun as f64 / threads as f64);
        }
        // Sometimes the resumed run is killed again.
        if random.unit() < 0.5 {
            let noted =
                journal(&folder).filter(|_| folder.has("K.npy.partial")).map_or(0, |j| j.1.len() as u64);
            let done = folder.ok(&format!("{GRAM} --json --threads {}", 1 + runs % 4)).json();
            assert_eq!(done["tiles_resumed"], noted, "{done}");
            assert!(folder.read("K.npy") == whole, "kill {kills_made}: other bytes");
            assert_eq!(folder.listing().len(), 1, "{:?}", folder.listing());
            resumed += noted;
            old = format!("the matrix before run {runs}").into_bytes();
            folder.write("K.npy", &old);
        }
    }
    folder.ok(GRAM);
    assert!(folder.read("K.npy") == whole);
    measured(
        "kill",
        &json!({ "command": "gram", "kills": kills_made, "tiles written and not noted, per thread, at most": most_lost, "tiles gone on with": resumed }),
    );
}

const SEARCH: &str = "evaluate a.csv -k standardize(rbf(gamma=2^-3..2^2)) -l svc(C=2^-2..2^5) --protocol 3-fold \
                      --inner 3-fold --seed 5 --json";

/// The scores in the journal of a search: round, configuration and split of each.
fn noted(folder: &Folder) -> Vec<(u64, u64, u64)> {
    let text = String::from_utf8(std::fs::read(folder.path("j")).unwrap_or_default()).unwrap();
    let whole = text.rsplit_once('\n').map_or("", |(lines, _)| lines);
    let records = whole.lines().skip(1).map(|l| l.split_once(' ').unwrap().1);
    let scores = records.flat_map(|l| serde_json::from_str::<Vec<Value>>(l).unwrap());
    scores.map(|s| (s[0].as_u64().unwrap(), s[1].as_u64().unwrap(), s[2].as_u64().unwrap())).collect()
}

#[test]
fn killed_while_searching() {
    let folder = folder(150, 3);
    let started = Instant::now();
    let whole = folder.ok(&format!("{SEARCH} --threads 2")).out;
    let long = started.elapsed();
    let mut random = Seeded(2);
    let (mut kills_made, mut runs, mut gone_on) = (0, 0, 0);
    while kills_made < kills(100) {
        let threads = 1 + runs % 3;
        runs += 1;
        let before = noted(&folder);
        if killed(&folder, &format!("{SEARCH} --journal j --threads {threads}"), random.duration(long)) {
            kills_made += 1;
            // The last line may be incomplete; earlier records stay, and their fits are not repeated.
            let after = noted(&folder);
            assert!(after.starts_with(&before), "kill {kills_made}: notes were lost");
            let each: BTreeSet<_> = after.iter().collect();
            assert_eq!(each.len(), after.len(), "kill {kills_made}: fits were done twice");
        }
        if random.unit() < 0.5 {
            gone_on += noted(&folder).len();
            let run = folder.ok(&format!("{SEARCH} --journal j --threads {}", 1 + runs % 4));
            assert!(run.out == whole, "kill {kills_made}: another result");
            let all = noted(&folder);
            // Six kernels with eight values of C each on nine inner splits.
            assert_eq!((all.len(), all.iter().collect::<BTreeSet<_>>().len()), (6 * 8 * 9, 6 * 8 * 9));
            std::fs::remove_file(folder.path("j")).unwrap();
        }
    }
    measured("kill", &json!({ "command": "evaluate", "kills": kills_made, "fits gone on with": gone_on }));
}

/// How to check that a written file is complete.
#[derive(Clone, Copy)]
enum Whole {
    /// Every run writes the same bytes.
    Same,
    /// The bytes depend on timing; this command accepts a complete file and refuses half of one.
    TakenBy(&'static str),
}

/// Commands that write a file at once: arguments, the file, and how to check that it is complete. `m.mercer`,
/// `n.mercer` and `run.json` exist beforehand.
const WRITERS: [(&str, &str, Whole); 11] = [
    ("fit a.csv -k rbf(gamma=1) -l svc -o f.mercer -q", "f.mercer", Whole::Same),
    ("predict m.mercer a.csv --decisions -o p.csv -q", "p.csv", Whole::Same),
    (
        "auto a.csv --budget 1 -o u.mercer --no-report --force -q",
        "u.mercer",
        Whole::TakenBy("inspect u.mercer --json"),
    ),
    (
        "evaluate a.csv -k rbf(gamma=1) -l svc --protocol 3-fold --report e.json -q",
        "e.json",
        Whole::TakenBy("report e.json -o check.html -q"),
    ),
    (
        "compare a.csv -k rbf(gamma=1) -k linear -l svc --protocol 3-fold --report c.json -q",
        "c.json",
        Whole::TakenBy("report c.json -o check.html -q"),
    ),
    ("gram a.csv -k rbf(gamma=1) -o K.csv -q", "K.csv", Whole::Same),
    ("map a.csv -k rbf(gamma=1) -o phi.npy -q", "phi.npy", Whole::Same),
    ("convert n.mercer -o v.model -q", "v.model", Whole::Same),
    ("report run.json -o r.html -q", "r.html", Whole::Same),
    ("generate rings --n 20000 -o g.csv -q", "g.csv", Whole::Same),
    ("reproduce chapter --report w.json -q", "w.json", Whole::TakenBy("report w.json -o check.html -q")),
];

/// Files that are written at once are the old or the new ones, whenever the program is killed, and temporary files do
/// not disturb later runs.
#[test]
fn killed_while_writing_files() {
    let folder = folder(200, 3);
    // LIBSVM needs integer classes.
    folder.write("b.csv", table(200, 3).replace(",p\n", ",1\n").replace(",q\n", ",2\n"));
    folder.ok("fit a.csv -k rbf(gamma=1) -l svc -o m.mercer -q");
    folder.ok("fit b.csv -k rbf(gamma=1) -l svc -o n.mercer -q");
    folder.ok("evaluate a.csv -k rbf(gamma=1) -l svc --protocol 3-fold --report run.json -q");
    let mut random = Seeded(3);
    for (args, name, whole) in WRITERS {
        let started = Instant::now();
        folder.ok(args);
        let (long, new) = (started.elapsed(), folder.read(name));
        let is_whole = |now: &[u8]| match whole {
            Whole::Same => now == new,
            Whole::TakenBy(command) => folder.run(command).code == Some(0),
        };
        assert!(is_whole(&new), "{args}");
        if let Whole::TakenBy(command) = whole {
            folder.write(name, &new[..new.len() / 2]);
            assert_eq!(folder.run(command).code, Some(2), "{command} takes half of a file");
        }
        let (mut made, mut tries, mut replaced) = (0, 0, 0);
        while made < kills(if matches!(whole, Whole::Same) { 30 } else { 25 }) {
            tries += 1;
            let old = format!("before run {tries}").into_bytes();
            folder.write(name, &old);
            // Most of the time passes before the file is written: only the last part matters.
            if killed(&folder, args, long.mul_f64(0.5) + random.duration(long.mul_f64(0.5))) {
                made += 1;
                let now = folder.read(name);
                replaced += usize::from(now != old);
                let what = "leaves neither the old file nor a whole new one";
                assert!(now == old || is_whole(&now), "{args}: kill {made} {what}");
            }
        }
        folder.ok(args);
        assert!(is_whole(&folder.read(name)), "{args}");
        let mut left = folder.listing().into_keys().map(|f| f.display().to_string());
        let left = left.find(|f| f.contains("partial"));
        assert!(left.is_none(), "{args} leaves {left:?}");
        let command = args.split(' ').next().unwrap();
        let figures =
            json!({ "command": command, "kills": made, "killed after the new file was in place": replaced });
        measured("kill", &figures);
    }
}
