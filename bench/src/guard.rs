//! Guards against slow-downs: the speed of a few kinds of work relative to a plain loop in the same process.
//!
//! `cargo xtask bench --guard` builds this program as the tests do, runs it, and fails if a ratio is less than
//! [`LEAST`] of the one in bench/guard.txt; with `--release`, as a release, and of the one in bench/guard-release.txt. Both sides
//! run on one thread, in turns, and the least processor time of each counts, so that other work on the computer hardly matters; a
//! ratio that is too low is measured again before it fails. By the clock, other work would interrupt the plain loop, the longer
//! side, in every turn, and make all ratios high enough.
//!
//! Ratios depend on the processor: one model may have a ratio several times that of another with the same instructions, and
//! the least of all would then hide most slow-downs. So there is a section for each model. A model without one is compared
//! with the least of its kind, the models with the same vector instructions; a kind without any with the least of the closest
//! kind, and may then be slower by more: see [`LEAST_OF_OTHER`].

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use mercer::data::{Dense, Graph, Labels, Series, Strings, Values, Vectors};
use mercer::distance::series::Dtw;
use mercer::distance::{EditDistance, Euclidean, NegativeSquaredDistance};
use mercer::gram::Engine;
use mercer::kernel::graph::WeisfeilerLehman;
use mercer::kernel::string::Spectrum;
use mercer::kernel::vector::Rbf;
use mercer::learn::{ClassCodes, Knn, Learner, Predictor, Svc};
use mercer::random::Random;
use mercer::read::{Options, read};
use mercer::solve::GramColumns;

use crate::plain::{self, Table};
use crate::{Outcome, generate};

/// The least share of the recorded ratio that passes.
const LEAST: f64 = 0.7;
/// The same for a kind of processor without recorded ratios, relative to the least of the closest kind: a plain loop gains
/// less from wide vectors than the library.
const LEAST_OF_OTHER: f64 = 0.3;
/// Turns of both sides, at least and at most.
const TURNS: (usize, usize) = (7, 60);
/// Measurements of a ratio that is recorded.
const RECORDS: usize = 3;
/// Seconds after which there are no further turns, once there are enough.
const LONGEST: f64 = 8.0;
/// Kinds of processors of one architecture, each next to the closest.
const X86: [&str; 3] = ["x86-64-v4", "x86-64-v3", "x86_64"];

type Side = Box<dyn Fn() -> Outcome<f64>>;

/// One kind of work, by the library and by a plain loop; both return the same number.
struct Guard {
    name: &'static str,
    ours: Side,
    plain: Side,
    /// How much the numbers may differ, relative to their size.
    tolerance: f64,
}

/// Compares all ratios with the recorded ones; with `record`, writes them instead.
pub(crate) fn run(file: &Path, record: bool) -> Outcome<()> {
    let one = Engine::new().with_threads(1)?;
    // Everything runs in the pool of one thread, including readers, which take no engine. Errors are passed as text.
    one.run(|| guarded(file, record).map_err(|e| e.to_string())).map_err(Into::into)
}

fn guarded(file: &Path, record: bool) -> Outcome<()> {
    let processor = Processor::here();
    let mut known = Recorded::read(file)?;
    let (own, source) = match known.of(&processor) {
        Some(found) => found,
        None if record => (BTreeMap::new(), Source::Model),
        None => {
            return Err(
                format!("{} has no ratios: cargo xtask bench --guard --record", file.display()).into()
            );
        }
    };
    let share = source.share();
    match &source {
        Source::Model => println!("{processor}"),
        _ if record => println!("{processor}: not recorded yet"),
        Source::Kind => println!("{processor}: not recorded; {share} of the least of its kind is required"),
        Source::Closest(kind) => {
            println!("{processor}: not recorded; {share} of the least of {kind} is required");
        }
    }
    let mut slow = Vec::new();
    let mut found = BTreeMap::new();
    for guard in guards()? {
        let least = if record { None } else { own.get(guard.name).map(|ratio| share * ratio) };
        let (mut ratio, mut turns) = guard.ratio(least)?;
        // Recorded is the least of several: a lucky ratio would make later ones look slow.
        for _ in 1..if record { RECORDS } else { 1 } {
            let (again, more) = guard.ratio(least)?;
            (ratio, turns) = (ratio.min(again), turns + more);
        }
        found.insert(guard.name.to_owned(), ratio);
        let was = own.get(guard.name).map_or("not recorded".to_owned(), |was| format!("recorded {was:.2}"));
        let verdict = match least {
            Some(least) if ratio < least => "  SLOWER",
            None if !record => "  NOT RECORDED",
            _ => "",
        };
        println!("{:<14} {ratio:8.2} × a plain loop, {was}, {turns} turns{verdict}", guard.name);
        if !verdict.is_empty() {
            slow.push(guard.name);
        }
    }
    if record {
        known.0.insert(processor.to_string(), found);
        known.write(file)?;
        println!("written to {}", file.display());
        return Ok(());
    }
    match slow.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "{} fell below {share} of the recorded ratio, or has none; if that is intended, record new ones: \
             cargo xtask bench --guard --record",
            slow.join(", ")
        )
        .into()),
    }
}

impl Guard {
    /// The ratio of the best times, measured until it reaches `least` or the turns are used up; and the turns.
    fn ratio(&self, least: Option<f64>) -> Outcome<(f64, usize)> {
        let (ours, plain) = ((self.ours)()?, (self.plain)()?);
        if (ours - plain).abs() > self.tolerance * plain.abs() {
            return Err(format!("{}: the library gives {ours}, the plain loop {plain}", self.name).into());
        }
        let mut best = [f64::INFINITY; 2];
        let mut turns = 0;
        let began = Instant::now();
        loop {
            for (best, side) in best.iter_mut().zip([&self.ours, &self.plain]) {
                let start = seconds();
                std::hint::black_box(side()?);
                *best = best.min(seconds() - start);
            }
            turns += 1;
            let ratio = best[1] / best[0];
            let enough = if least.is_none() { TURNS.1 / 2 } else { TURNS.0 };
            let late = turns >= TURNS.0 && began.elapsed().as_secs_f64() > LONGEST;
            if turns >= TURNS.1 || late || turns >= enough && least.is_none_or(|least| ratio >= least) {
                return Ok((ratio, turns));
            }
        }
    }
}

/// The processor time of this thread in seconds, where the system tells it; otherwise the time since the first call.
fn seconds() -> f64 {
    #[cfg(unix)]
    {
        let spent = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        spent.tv_sec as f64 + 1e-9 * spent.tv_nsec as f64
    }
    #[cfg(not(unix))]
    {
        static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        START.get_or_init(Instant::now).elapsed().as_secs_f64()
    }
}

/// A processor: its kind, by the vector instructions that the library uses, and its model.
struct Processor {
    kind: &'static str,
    /// Maker, family and model, where the system tells them; their names in words may be the same for different models.
    model: Option<String>,
}

impl Processor {
    fn here() -> Self {
        let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        Processor { kind: kind(), model: model(&text) }
    }
}

impl std::fmt::Display for Processor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.model {
            Some(model) => write!(f, "{}/{model}", self.kind),
            None => f.write_str(self.kind),
        }
    }
}

fn kind() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512dq") {
            return X86[0];
        }
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            return X86[1];
        }
    }
    std::env::consts::ARCH
}

/// The model from the text of Linux about processors, as one word: of x86 such as `AuthenticAMD-26-2`, of ARM such as
/// `0x41-0xd0c`.
fn model(text: &str) -> Option<String> {
    let value = |key: &str| {
        let pairs = text.lines().filter_map(|line| line.split_once(':'));
        pairs.map(|(k, v)| (k.trim(), v.trim())).find(|(k, v)| *k == key && !v.is_empty()).map(|(_, v)| v)
    };
    let parts = match value("vendor_id") {
        Some(maker) => vec![maker, value("cpu family")?, value("model")?],
        None => vec![value("CPU implementer")?, value("CPU part")?],
    };
    Some(parts.join("-").replace(char::is_whitespace, "_"))
}

/// Where ratios come from.
#[derive(Debug, PartialEq)]
enum Source {
    /// The same model.
    Model,
    /// The least of all models of the kind.
    Kind,
    /// The least of all models of another kind.
    Closest(String),
}

impl Source {
    /// The share of the ratio that passes.
    fn share(&self) -> f64 {
        match self {
            Source::Model | Source::Kind => LEAST,
            Source::Closest(_) => LEAST_OF_OTHER,
        }
    }
}

type Ratios = BTreeMap<String, f64>;

/// Ratios by processor and name. A processor is a kind, or a kind and a model with `/` between.
struct Recorded(BTreeMap<String, Ratios>);

impl Recorded {
    fn read(file: &Path) -> Outcome<Self> {
        let text = if file.exists() { std::fs::read_to_string(file)? } else { String::new() };
        Recorded::parse(&text).map_err(|reason| format!("{}: {reason}", file.display()).into())
    }

    /// Lines of processor, name and ratio; `#` begins a comment.
    fn parse(text: &str) -> Outcome<Self> {
        let mut out: BTreeMap<String, Ratios> = BTreeMap::new();
        for line in text.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty()) {
            let [processor, name, ratio] = line.split_whitespace().collect::<Vec<_>>()[..] else {
                return Err(format!("expected processor, name and ratio: {line}").into());
            };
            out.entry(processor.to_owned()).or_default().insert(name.to_owned(), ratio.parse()?);
        }
        Ok(Recorded(out))
    }

    /// The ratios to compare a processor with, and where they come from.
    fn of(&self, processor: &Processor) -> Option<(Ratios, Source)> {
        if let Some(own) = self.0.get(&processor.to_string()).filter(|_| processor.model.is_some()) {
            return Some((own.clone(), Source::Model));
        }
        let place = |kind: &str| X86.iter().position(|k| *k == kind);
        let apart = |other: &str| match (place(processor.kind), place(other)) {
            _ if processor.kind == other => 0,
            (Some(a), Some(b)) => a.abs_diff(b),
            _ => usize::MAX,
        };
        let closest = self.0.keys().map(|key| kind_of(key)).min_by_key(|kind| apart(kind))?;
        let mut least = Ratios::new();
        for (_, ratios) in self.0.iter().filter(|(key, _)| kind_of(key) == closest) {
            for (name, &ratio) in ratios {
                least.entry(name.clone()).and_modify(|least| *least = ratio.min(*least)).or_insert(ratio);
            }
        }
        let source = match closest == processor.kind {
            true => Source::Kind,
            false => Source::Closest(closest.to_owned()),
        };
        Some((least, source))
    }

    fn write(&self, file: &Path) -> Outcome<()> {
        let (profile, option) = match cfg!(debug_assertions) {
            true => ("the profile of the tests", ""),
            false => ("a release", " --release"),
        };
        let mut text = format!(
            "# The speed of some work relative to a plain loop, in {profile}.\n\
             # Written by `cargo xtask bench --guard{option} --record`.\n"
        );
        for (processor, ratios) in &self.0 {
            for (name, ratio) in ratios {
                writeln!(text, "{processor} {name} {ratio:.2}")?;
            }
        }
        Ok(std::fs::write(file, text)?)
    }
}

fn normal(count: usize, width: usize, seed: u64) -> Table {
    let mut random = Random::new(seed);
    (0..count).map(|_| (0..width).map(|_| random.normal()).collect()).collect()
}

fn vectors(rows: &[Vec<f64>]) -> Outcome<Vectors> {
    let width = rows.first().map_or(0, Vec::len);
    Ok(Dense::new(rows.len(), width, rows.concat())?.into())
}

fn words(count: usize, length: usize, symbols: &[u8], seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let mut word = || (0..length).map(|_| char::from(symbols[random.below(symbols.len())])).collect();
    (0..count).map(|_| word()).collect()
}

fn total(k: &Dense) -> f64 {
    k.values().iter().sum()
}

fn guards() -> Outcome<Vec<Guard>> {
    Ok(vec![rbf()?, dtw()?, edit(), spectrum()?, weisfeiler_lehman()?, svc()?, nearest()?, csv()?])
}

fn rbf() -> Outcome<Guard> {
    let rows = normal(400, 20, 1);
    let x = vectors(&rows)?;
    Ok(Guard {
        name: "rbf-gram",
        ours: Box::new(move || Ok(total(&Engine::new().gram(&Rbf::new(0.05)?, &x)?))),
        plain: Box::new(move || Ok(plain::rbf(&rows, 0.05))),
        tolerance: 1e-9,
    })
}

fn dtw() -> Outcome<Guard> {
    let rows = normal(24, 128, 2);
    let series = rows.iter().map(|r| Series::new(1, r.clone())).collect::<Result<Vec<_>, _>>()?;
    Ok(Guard {
        name: "dtw",
        ours: Box::new(move || {
            Ok(total(&Engine::new().distances(&NegativeSquaredDistance(Dtw::default()), &series[..])?))
        }),
        plain: Box::new(move || Ok(plain::dtw(&rows))),
        tolerance: 1e-9,
    })
}

fn edit() -> Guard {
    let texts = words(60, 60, b"abcdefgh", 3);
    let strings: Strings = texts.iter().collect();
    Guard {
        name: "edit-distance",
        ours: Box::new(move || {
            let kernel = NegativeSquaredDistance(EditDistance::default());
            Ok(total(&Engine::new().distances(&kernel, &strings)?))
        }),
        plain: Box::new(move || Ok(plain::edit(&texts))),
        tolerance: 1e-9,
    }
}

fn spectrum() -> Outcome<Guard> {
    let texts = words(80, 150, b"ACGT", 4);
    let (strings, kernel): (Strings, _) = (texts.iter().collect(), Spectrum::new(5)?);
    Ok(Guard {
        name: "spectrum",
        ours: Box::new(move || Ok(total(&Engine::new().gram(&kernel, &strings)?))),
        plain: Box::new(move || Ok(plain::spectrum(&texts, 5))),
        tolerance: 1e-9,
    })
}

fn weisfeiler_lehman() -> Outcome<Guard> {
    let mut random = Random::new(5);
    let (mut graphs, mut lists) = (Vec::new(), Vec::new());
    for _ in 0..60 {
        let nodes = 18 + random.below(10);
        let labels: Vec<u32> = (0..nodes).map(|_| random.below(4) as u32).collect();
        // A tree and a few more edges, each once.
        let mut edges: Vec<(u32, u32)> = (1..nodes).map(|i| (random.below(i) as u32, i as u32)).collect();
        for _ in 0..6 {
            let (a, b) = (random.below(nodes) as u32, random.below(nodes) as u32);
            if a < b && !edges.contains(&(a, b)) {
                edges.push((a, b));
            }
        }
        let mut neighbours = vec![Vec::new(); nodes];
        for &(a, b) in &edges {
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        let names = Labels::from_names(labels.iter().map(u32::to_string));
        graphs.push(Graph::undirected(nodes, &edges)?.with_node_labels(names)?);
        lists.push((labels, neighbours));
    }
    let kernel = WeisfeilerLehman::new(4)?;
    Ok(Guard {
        name: "wl",
        ours: Box::new(move || Ok(total(&Engine::new().gram(&kernel, &graphs[..])?))),
        plain: Box::new(move || Ok(plain::weisfeiler_lehman(&lists, 4))),
        tolerance: 1e-9,
    })
}

fn svc() -> Outcome<Guard> {
    let rows = normal(400, 8, 6);
    let codes: Vec<usize> = rows.iter().map(|x| usize::from(x[0] * x[1] + 0.5 * x[2] > 0.0)).collect();
    let signs: Vec<f64> = codes.iter().map(|&c| 2.0 * c as f64 - 1.0).collect();
    let gram = Engine::new().gram(&Rbf::new(0.2)?, &vectors(&rows)?)?;
    let table: Table = (0..gram.rows()).map(|i| gram.row(i).to_vec()).collect();
    Ok(Guard {
        name: "svc",
        ours: Box::new(move || {
            let target = ClassCodes::new(codes.clone(), 2);
            let model = Svc::new(1.0).fit_columns(&GramColumns::new(&gram)?, &target)?;
            model.certificates().first().map(|c| c.dual).ok_or_else(|| "no certificate".into())
        }),
        plain: Box::new(move || Ok(plain::svc(&table, &signs, 1.0))),
        tolerance: 1e-3,
    })
}

fn nearest() -> Outcome<Guard> {
    let (known, new) = (normal(3000, 20, 7), normal(100, 20, 8));
    // The target of an object is its index, so that the mean of the neighbours' is that of their indices.
    let target: Vec<f64> = (0..known.len()).map(|i| i as f64).collect();
    let kernel = NegativeSquaredDistance(Euclidean);
    let model = Knn::new(5).fit_values(&kernel, &vectors(&known)?, &target)?;
    let queries = vectors(&new)?;
    Ok(Guard {
        name: "knn",
        ours: Box::new(move || Ok(5.0 * model.predict(&queries)?.iter().sum::<f64>())),
        plain: Box::new(move || Ok(plain::nearest(&new, &known, 5))),
        tolerance: 1e-9,
    })
}

fn csv() -> Outcome<Guard> {
    let folder = std::env::temp_dir();
    let path: PathBuf = folder.join(format!("mercer-guard-{}.csv", std::process::id()));
    generate::csv(&path, 1_000_000)?;
    let (ours, plain) = (TemporaryFile(path.clone()), path);
    Ok(Guard {
        name: "read-csv",
        ours: Box::new(move || {
            let table = read(&ours.0, &Options::default())?;
            let sum = table.columns().iter().map(|column| match &column.values {
                Values::Numbers(x) => x.values().iter().sum::<f64>(),
                _ => f64::NAN,
            });
            Ok(sum.sum())
        }),
        plain: Box::new(move || Ok(plain::csv(&plain))),
        tolerance: 1e-9,
    })
}

/// A file that is removed with its owner.
struct TemporaryFile(PathBuf);

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        // Nothing depends on its removal.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The kind of a processor that was recorded.
fn kind_of(key: &str) -> &str {
    key.split_once('/').map_or(key, |(kind, _)| kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# comment\nx86-64-v4 dtw 3\nx86-64-v4/AuthenticAMD-26-2 dtw 9\nx86-64-v4/GenuineIntel-6-143 dtw 2.5\n\
                        x86-64-v4/GenuineIntel-6-143 svc 1\n";

    fn processor(kind: &'static str, model: Option<&str>) -> Processor {
        Processor { kind, model: model.map(str::to_owned) }
    }

    #[test]
    fn a_model_has_its_own_ratios_and_others_the_least_of_their_kind() {
        let known = Recorded::parse(TEXT).unwrap();
        let (own, source) = known.of(&processor(X86[0], Some("AuthenticAMD-26-2"))).unwrap();
        assert_eq!((own["dtw"], own.len(), source), (9.0, 1, Source::Model));
        for model in [None, Some("AuthenticAMD-25-17")] {
            let (least, source) = known.of(&processor(X86[0], model)).unwrap();
            assert_eq!((least["dtw"], least["svc"], &source), (2.5, 1.0, &Source::Kind));
            assert_eq!(source.share(), LEAST);
        }
        let (least, source) = known.of(&processor(X86[1], None)).unwrap();
        assert_eq!((least["dtw"], &source), (2.5, &Source::Closest(X86[0].to_owned())));
        assert_eq!(source.share(), LEAST_OF_OTHER);
        assert!(Recorded::parse("").unwrap().of(&processor(X86[0], None)).is_none());
        assert!(Recorded::parse("x86-64-v4 dtw").is_err() && Recorded::parse("x86-64-v4 dtw fast").is_err());
    }

    #[test]
    fn models_of_processors() {
        let x86 = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 26\nmodel\t\t: 2\nmodel name\t: AMD EPYC\n";
        assert_eq!(model(x86).unwrap(), "AuthenticAMD-26-2");
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n";
        assert_eq!(model(arm).unwrap(), "0x41-0xd0c");
        assert!(model("").is_none() && model("vendor_id : AuthenticAMD\n").is_none());
        assert_eq!(processor(X86[0], Some("a-1")).to_string(), "x86-64-v4/a-1");
    }
}
