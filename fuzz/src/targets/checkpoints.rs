//! Modified recovery files of interrupted work.

use std::path::Path;
use std::sync::OnceLock;

use mercer::budget::Budget;
use mercer::data::{Categories, Dataset, Dense, Target, Vectors};
use mercer::gram::{Output, ToFile};
use mercer::kernel::Kernel;
use mercer::kernel::vector::Rbf;
use mercer::select::{Grid, Objects, Protocol, Score, Search, Splits};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::engine;
use crate::archive::empty;

/// Number of objects; the matrix has one tile, or several.
const OBJECTS: usize = 6;

/// The journal of a matrix. The first byte selects the meaning of the rest: the whole journal, the part after its
/// correct first line, or numbers that become valid records after it; and whether the partial file is complete.
pub(super) fn gram(bytes: &[u8]) {
    let Some((how, rest)) = bytes.split_first() else { return };
    let (Some(folder), Ok(kernel)) = (empty(), Rbf::new(0.7)) else { return };
    let points: Vec<f64> = (0..OBJECTS * 2).map(|i| (i * i % 7) as f64 / 3.0).collect();
    let Ok(points) = Dense::new(OBJECTS, 2, points).map(Vectors::from) else { return };
    let Ok(set) = Kernel::prepare(&kernel, &points) else { return };
    let path = folder.path().join("K.npy");
    let output = Output { path: &path, data: "d".into(), fresh: false };
    // Work cancelled before its first tile leaves a journal without tiles and a partial file.
    let stopped = Budget::default();
    stopped.stop();
    let _ = engine().clone().with_budget(stopped).gram_to_file::<Vectors, _, f64>(&kernel, &set, &output);
    let (journal, partial) = (folder.path().join("K.npy.journal"), folder.path().join("K.npy.partial"));
    let head = std::fs::read(&journal).unwrap_or_default();
    let records = match how % 3 {
        0 => rest.to_vec(),
        1 => [&head[..], rest].concat(),
        _ => {
            let records: Vec<u8> = rest.as_chunks::<8>().0.iter().flat_map(|n| sound(n, &head)).collect();
            [head, records].concat()
        }
    };
    let _ = std::fs::write(&journal, records);
    if how & 0x80 != 0 {
        let _ = std::fs::write(&partial, rest);
    }
    let Ok(written) = engine().gram_to_file::<Vectors, _, f64>(&kernel, &set, &output) else { return };
    let size = std::fs::metadata(&path).map_or(0, |m| m.len());
    assert_eq!(size, written.bytes, "the size of the matrix differs from the reported one");
    assert!(written.resumed <= written.tiles && !journal.exists() && !partial.exists(), "{written:?}");
    let matrix = mercer::read::matrix(&path, &mercer::read::Options::default());
    // Tiles have their own checksums: the matrix is correct for any journal.
    let fresh = engine().gram_of::<Vectors, _, f64>(&kernel, &set);
    assert!(matrix.is_ok_and(|m| fresh.is_ok_and(|f| m.values() == f.values())), "a wrong matrix");
}

/// A record of a tile with its checksum, for a journal with that beginning.
fn sound(number: &[u8; 8], head: &[u8]) -> Vec<u8> {
    let head = String::from_utf8_lossy(head);
    let identity = head.split_once("\"identity\":").map_or("", |(_, rest)| rest.trim_end());
    let identity = identity.strip_suffix('}').unwrap_or(identity);
    let (tile, sum) = (number[0], u64::from_le_bytes(*number));
    let record = format!("[{tile},{sum}]");
    let check = xxh3_64_with_seed(record.as_bytes(), xxh3_64(identity.as_bytes()));
    format!("{check:016x} {record}\n").into_bytes()
}

/// The journal of a search, after its correct first line unless the first byte says otherwise.
pub(super) fn search(bytes: &[u8]) {
    static TITLE: OnceLock<Vec<u8>> = OnceLock::new();
    let Some((how, rest)) = bytes.split_first() else { return };
    let Some(folder) = empty() else { return };
    let path = folder.path().join("search");
    let title = TITLE.get_or_init(|| {
        let _ = run_search(&path);
        let text = std::fs::read(&path).unwrap_or_default();
        text.split_inclusive(|b| *b == b'\n').next().unwrap_or_default().to_vec()
    });
    let journal = if how & 1 == 0 { rest.to_vec() } else { [title, rest].concat() };
    if std::fs::write(&path, journal).is_ok() && run_search(&path).is_some() {
        // The remaining work is done now, and the file is complete.
        assert!(run_search(&path).is_some(), "a finished search cannot be resumed");
    }
}

fn run_search(path: &Path) -> Option<()> {
    let points = Dense::new(8, 1, (0..8).map(|i| f64::from(i * i % 5)).collect()).ok()?;
    let classes = Categories::from_values(["a", "b", "a", "b", "a", "b", "a", "b"].map(Some));
    let data = Dataset::of_vectors(points).with_target("class", Target::Classes(classes)).ok()?;
    let grid = Grid::new(&"rbf(gamma=[0.1, 1])".parse().ok()?, &"svc".parse().ok()?).ok()?;
    let search = Search::new(&data, &grid, Score::Accuracy, engine(), 2).ok()?;
    let splits: Vec<_> =
        Splits::new(&Protocol::folds(2), &Objects::of(&data).ok()?, 1).ok()?.iter().collect();
    let scores = search.run(&splits, Some(path)).ok()?;
    let _ = scores.best().and_then(|best| scores.mean(best));
    Some(())
}
