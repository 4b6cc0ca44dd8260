//! Kernels and distances on strings and texts.

use std::path::{Path, PathBuf};
use std::time::Instant;

use mercer::data::{Alphabet, Column, Dataset, Dense, Strings, Values, Vectors};
use mercer::distance::{JensenShannon, NegativeSquaredDistance};
use mercer::expression::Expression;
use mercer::gram::Engine;
use mercer::kernel::Kernel;
use mercer::kernel::string::{FullSpectrum, GappedKmer, Spectrum};
use mercer::random::Random;
use mercer::read::{Options, read};

use crate::{Outcome, data};

/// Strings, texts or distributions in memory and the task on them.
pub(crate) enum Texts {
    Spectrum(Strings, Spectrum),
    Distances(Vectors),
    Gapped(Strings, GappedKmer),
}

impl Texts {
    /// The workload of that name, if there is one. `peers.py` has those with a peer.
    pub(crate) fn load(name: &str, folder: &Path) -> Outcome<Option<Self>> {
        Ok(Some(match name {
            "spectrum-splice" => Texts::Spectrum(column("splice/splice.csv", "sequence")?, Spectrum::new(5)?),
            "jensen-shannon" => Texts::Distances(data::dense(&folder.join("shares.f64"), 1000)?.into()),
            "gapped-kmer" => Texts::Gapped(dna(1288, 226), GappedKmer::new(10, 6)?),
            _ => return Ok(None),
        }))
    }

    pub(crate) fn run(&self, engine: &Engine) -> Outcome<Dense> {
        Ok(match self {
            Texts::Spectrum(strings, kernel) => engine.gram(kernel, strings)?,
            Texts::Distances(shares) => engine.distances(&NegativeSquaredDistance(JensenShannon), shares)?,
            Texts::Gapped(strings, kernel) => engine.gram(kernel, strings)?,
        })
    }
}

fn root() -> PathBuf {
    let default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    std::env::var_os("MERCER_DATA").map_or_else(default, PathBuf::from).join("strings")
}

/// Reads a string column of a table.
fn column(path: &str, name: &str) -> Outcome<Strings> {
    let data = read(&root().join(path), &Options::default())?;
    match &data.column(name)?.values {
        Values::Strings(values) | Values::Text(values) => Ok(values.iter().flatten().collect()),
        other => Err(format!("column {name} holds {}", other.kind()).into()),
    }
}

/// Random DNA sequences of about that length.
fn dna(count: usize, length: usize) -> Strings {
    let mut random = Random::new(1);
    let mut string = || {
        let own = length * 9 / 10 + random.below(length / 5 + 1);
        (0..own).map(|_| ["A", "C", "G", "T"][random.below(4)]).collect::<String>()
    };
    (0..count).map(|_| string()).collect()
}

/// The best time of some turns, in seconds.
fn best(turns: usize, mut work: impl FnMut() -> Outcome<()>) -> Outcome<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..turns {
        let start = Instant::now();
        work()?;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok(best)
}

/// Prints the measurements without a peer: gapped k-mers in pairs per second, BM25 in megabytes per second, and the
/// growth of the time to index all substrings.
pub(crate) fn figures() -> Outcome<()> {
    let engine = Engine::new();
    let (strings, kernel) = (dna(1288, 226), GappedKmer::new(10, 6)?);
    let seconds = best(3, || engine.gram::<_, _>(&kernel, &strings).map(drop).map_err(Into::into))?;
    let pairs = 1288.0 * 1289.0 / 2.0;
    println!(
        "gapped-kmer(l=10, k=6), 1288 strings of about 226 symbols: {seconds:.3} s, {:.0} pairs/s",
        pairs / seconds
    );

    let mut texts = Vec::new();
    for part in ["train", "test"] {
        let data = read(&root().join(format!("reuters_r8/reuters_r8_{part}.csv.gz")), &Options::default())?;
        let column = data.columns().first().ok_or("no texts")?;
        if let Values::Text(values) | Values::Strings(values) = &column.values {
            texts.extend(values.iter().cloned());
        }
    }
    let bytes: usize = texts.iter().flatten().map(String::len).sum();
    let data = Dataset::new(vec![Column::new("text", Values::Text(texts))])?;
    for stem in ["none", "english"] {
        let expression: Expression = format!("terms(linear, weight=bm25, stem={stem})").parse()?;
        let seconds = best(3, || {
            let fitted = expression.fit(&data, &engine)?;
            fitted.kernel.prepare(&data).map(drop).map_err(Into::into)
        })?;
        let speed = bytes as f64 / 1e6 / seconds;
        println!("bm25, {} texts, stem {stem}: {seconds:.3} s, {speed:.1} MB/s", data.len());
    }

    let mut per_symbol = Vec::new();
    for millions in [1, 2, 4, 8] {
        let strings = dna(100 * millions, 10_000);
        let symbols = strings.bytes() as f64;
        let seconds =
            best(3, || FullSpectrum::over(Alphabet::Dna).prepare(&strings).map(drop).map_err(Into::into))?;
        per_symbol.push(seconds / symbols);
        println!(
            "full-spectrum, {symbols:.0} symbols: prepared in {seconds:.3} s, {:.1} ns per symbol",
            1e9 * seconds / symbols
        );
    }
    let mean = per_symbol.iter().sum::<f64>() / per_symbol.len() as f64;
    let off = per_symbol.iter().map(|v| (v / mean - 1.0).abs()).fold(0.0, f64::max);
    println!("full-spectrum: at most {:.0} % deviation from linear growth", 100.0 * off);
    let strings = dna(1000, 10_000);
    let seconds =
        best(1, || engine.gram(&FullSpectrum::over(Alphabet::Dna), &strings).map(drop).map_err(Into::into))?;
    println!("full-spectrum, Gram matrix of 1000 strings of 10000 symbols: {seconds:.2} s");
    Ok(())
}
