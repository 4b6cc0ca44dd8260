//! Benchmarks mercer against the systems a user would choose instead, in one run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::machine::output;
use crate::python::{check, environment, install, put, target};
use crate::report::{Reading, Report, Row, TRIED};
use crate::worker::Worker;
use crate::{Outcome, cargo, machine, root};

/// Number of threads per system.
const THREADS: usize = 2;

/// A comparison on the same data: name, what is computed, the peer, and the target ratio.
struct Workload {
    name: &'static str,
    what: &'static str,
    peer: &'static str,
    target: Option<f64>,
}

/// Workloads whose table is one page of the documentation.
struct Page {
    name: &'static str,
    workloads: &'static [Workload],
}

const PAGES: [Page; 5] = [
    Page { name: "foundation", workloads: &FOUNDATION },
    Page { name: "svm", workloads: &SVMS },
    Page { name: "graph-speed", workloads: &GRAPHS },
    Page { name: "series", workloads: &SERIES },
    Page { name: "string-speed", workloads: &STRINGS },
];

const SERIES: [Workload; 7] = [
    Workload {
        name: "dtw-univariate",
        what: "400 series of 256 time steps, all pairs",
        peer: "aeon dtw_pairwise_distance",
        target: Some(15.0),
    },
    Workload {
        name: "dtw-univariate-dtaidistance",
        what: "400 series of 256 time steps, all pairs",
        peer: "dtaidistance distance_matrix_fast",
        target: Some(15.0),
    },
    Workload {
        name: "dtw-univariate-single",
        what: "400 series of 256 time steps, all pairs, single precision; the peer in double",
        peer: "aeon dtw_pairwise_distance",
        target: None,
    },
    Workload {
        name: "dtw-multivariate",
        what: "200 series of 6 channels and 128 time steps, all pairs",
        peer: "aeon dtw_pairwise_distance",
        target: None,
    },
    Workload {
        name: "dtw-multivariate-dtaidistance",
        what: "200 series of 6 channels and 128 time steps, all pairs",
        peer: "dtaidistance distance_matrix_fast",
        target: Some(6.0),
    },
    Workload {
        name: "gak",
        what: "400 series of 256 time steps, global alignment kernel, sigma 2",
        peer: "tslearn cdist_gak",
        target: Some(10.0),
    },
    Workload {
        name: "nearest-window",
        what: "1-nearest-neighbour with a learned window, ItalyPowerDemand and Trace; test errors",
        peer: "aeon dtw_pairwise_distance for each window",
        target: Some(10.0),
    },
];

const STRINGS: [Workload; 2] = [
    Workload {
        name: "spectrum-splice",
        what: "3190 strings of 60 symbols, 5-mers",
        peer: "scikit-learn CountVectorizer and a sparse product",
        target: Some(10.0),
    },
    Workload {
        name: "jensen-shannon",
        what: "1000 distributions over 2000 values, all distances",
        peer: "SciPy cdist",
        target: Some(25.0),
    },
];

const GRAPHS: [Workload; 6] = [
    Workload {
        name: "wl-mutag",
        what: "188 graphs, subtrees, h 5",
        peer: "GraKeL WeisfeilerLehman",
        target: Some(35.0),
    },
    Workload {
        name: "wl-nci1",
        what: "4110 graphs, subtrees, h 5",
        peer: "GraKeL WeisfeilerLehman",
        target: Some(15.0),
    },
    Workload {
        name: "shortest-path-enzymes",
        what: "600 graphs, label-label-length",
        peer: "GraKeL ShortestPath",
        target: Some(20.0),
    },
    Workload {
        name: "vertex-histogram-nci1",
        what: "4110 graphs, node labels",
        peer: "GraKeL VertexHistogram",
        target: None,
    },
    Workload {
        name: "wl-oa-ptc",
        what: "344 graphs, optimal assignment, h 5",
        peer: "GraKeL WeisfeilerLehmanOptimalAssignment",
        target: None,
    },
    Workload {
        name: "random-walk-mutag",
        what: "188 graphs, geometric walks without labels, decay 0.01",
        peer: "GraKeL RandomWalk (conjugate gradients)",
        target: Some(100.0),
    },
];

const SVMS: [Workload; 8] = [
    Workload {
        name: "svc-precomputed-c1",
        what: "5000 objects, Gram in memory, C 1; decision values of all",
        peer: "LIBSVM (scikit-learn SVC)",
        target: Some(5.0),
    },
    Workload {
        name: "svc-precomputed-c100",
        what: "5000 objects, Gram in memory, C 100; decision values of all",
        peer: "LIBSVM (scikit-learn SVC)",
        target: Some(5.0),
    },
    Workload {
        name: "svc-rbf-20k",
        what: "20000 × 50 dense, gamma 0.02, C 1; 1000 decision values",
        peer: "LIBSVM (scikit-learn SVC)",
        target: None,
    },
    Workload {
        name: "svc-rbf-20k-onedal",
        what: "20000 × 50 dense, gamma 0.02, C 1; 1000 decision values; the peer in single precision",
        peer: "oneDAL f32 (scikit-learn-intelex SVC)",
        target: Some(1.3),
    },
    Workload {
        name: "svc-a9a",
        what: "20000 × 123 sparse, gamma 0.05, C 1; 1000 decision values",
        peer: "LIBSVM (scikit-learn SVC)",
        target: Some(5.0),
    },
    Workload {
        name: "svr-rbf",
        what: "6000 × 20 dense, gamma 0.05, C 10, epsilon 0.1; predictions of all",
        peer: "LIBSVM (scikit-learn SVR)",
        target: Some(5.0),
    },
    Workload {
        name: "grid-search",
        what: "690 × 14 dense, 11 values of C × 10 of gamma × 5 folds; mean accuracies",
        peer: "scikit-learn GridSearchCV (LIBSVM)",
        target: Some(10.0),
    },
    Workload {
        name: "svm-predict",
        what: "10000 support vectors × 10000 objects × 50 dimensions",
        peer: "LIBSVM (scikit-learn SVC)",
        target: Some(8.0),
    },
];

const FOUNDATION: [Workload; 7] = [
    Workload {
        name: "gram-rbf",
        what: "8000 × 100 dense, gamma 0.01",
        peer: "scikit-learn rbf_kernel",
        target: Some(4.0),
    },
    Workload {
        name: "gram-linear",
        what: "8000 × 100 dense",
        peer: "scikit-learn linear_kernel",
        target: None,
    },
    Workload {
        name: "gram-laplacian",
        what: "2000 × 100 dense, gamma 0.01",
        peer: "scikit-learn laplacian_kernel",
        target: None,
    },
    Workload {
        name: "gram-sparse-linear",
        what: "10000 × 123 sparse",
        peer: "scikit-learn linear_kernel",
        target: Some(4.0),
    },
    Workload {
        name: "gram-sparse-rbf",
        what: "10000 × 123 sparse, gamma 0.05",
        peer: "scikit-learn rbf_kernel",
        target: Some(4.0),
    },
    Workload {
        name: "read-tall",
        what: "CSV of 260,000 × 21 numbers, 100 MB",
        peer: "polars read_csv",
        target: Some(0.8),
    },
    Workload {
        name: "read-wide",
        what: "CSV of 72 × 7129 numbers, 10 MB",
        peer: "polars read_csv",
        target: Some(0.8),
    },
];

/// The page of the Python package, which `bench/table.py` measures and writes.
const TABLE: &str = "bench";

/// The options of the command line.
struct Request {
    words: Vec<String>,
    page: Option<String>,
    repeat: Option<usize>,
    small: bool,
    guard: bool,
    release: bool,
    record: bool,
}

impl Request {
    fn parse(arguments: &[String]) -> Outcome<Self> {
        let mut request = Request {
            words: Vec::new(),
            page: None,
            repeat: None,
            small: false,
            guard: false,
            release: false,
            record: false,
        };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--small" => request.small = true,
                "--guard" => request.guard = true,
                "--release" => request.release = true,
                "--record" => request.record = true,
                "--repeat" => {
                    let number = arguments.next().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
                    request.repeat = Some(number.ok_or("--repeat takes a number of runs, at least 1")?);
                }
                "--page" => {
                    let known =
                        |name: &&String| **name == TABLE || PAGES.iter().any(|p| p.name == name.as_str());
                    let page = arguments.next().filter(known);
                    let names = "--page takes foundation, svm, graph-speed, series, string-speed or bench";
                    request.page = Some(page.ok_or(names)?.clone());
                }
                option if option.starts_with('-') => return Err(format!("unknown option: {option}")),
                word => request.words.push(word.to_owned()),
            }
        }
        match (request.record || request.release) && !request.guard {
            true => Err("--record and --release belong to --guard".to_owned()),
            false => Ok(request),
        }
    }

    fn turns(&self) -> usize {
        self.repeat.unwrap_or(5)
    }

    fn wants(&self, name: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|w| name.contains(w.as_str()))
    }
}

/// The programs and the data folder.
struct Place {
    mercer: PathBuf,
    python: PathBuf,
    peers: PathBuf,
    data: PathBuf,
}

/// Times the selected workloads, prints the tables and, if all were run, writes them to the documentation.
pub(crate) fn run(arguments: &[String]) -> Outcome<()> {
    let request = Request::parse(arguments)?;
    if request.guard {
        return guard(request.release, request.record);
    }
    let python = peers()?;
    if request.page.as_deref() != Some(TABLE) {
        pages(&request, &python)?;
    }
    match request.page.as_deref() {
        None | Some(TABLE) => table(&request, &python),
        Some(_) => Ok(()),
    }
}

/// The speed of a few kinds of work relative to plain loops, compared with the recorded ratios; or records them. In the
/// profile of the tests, so that nothing is built again, or in that of releases, whose settings can cost more than any code.
pub(crate) fn guard(release: bool, record: bool) -> Outcome<()> {
    // With --workspace, dependencies have the features they have in the tests.
    let mut build = cargo();
    build.args(["build", "--workspace", "--bin", "mercer-bench"]);
    // Incremental compilation splits a crate into many parts and inlines less: plain loops take longer, and
    // all ratios would be met.
    build.env("CARGO_INCREMENTAL", "0");
    let (folder, file) = match release {
        true => ("release", "bench/guard-release.txt"),
        false => ("debug", "bench/guard.txt"),
    };
    if release {
        build.arg("--release");
    }
    check(&mut build)?;
    let mut command = Command::new(target().join(folder).join("mercer-bench"));
    command.arg("guard").arg(root().join(file));
    if record {
        command.arg("--record");
    }
    check(&mut command)
}

/// The Python package compared with its peers.
fn table(request: &Request, python: &Path) -> Outcome<()> {
    // Ratios of a release that lost its speed are not worth measuring.
    if request.words.is_empty() {
        guard(true, false)?;
    }
    println!("building the Python package and the program");
    check(cargo().args(["build", "--release", "--package", "mercer-python", "--package", "mercer-cli"]))?;
    put(python, "release")?;
    let mut command = Command::new(python);
    command.arg(root().join("bench/table.py"));
    if let Some(turns) = request.repeat {
        command.args(["--repeat", &turns.to_string()]);
    }
    if !request.words.is_empty() {
        command.arg("--only").args(&request.words);
    }
    check(&mut command)
}

/// The library compared with its peers, page by page.
fn pages(request: &Request, python: &Path) -> Outcome<()> {
    let place = set_up(python)?;
    if request.words.is_empty() {
        wait_until_idle()?;
    }
    let sparse = prepare(&place)?;
    let versions = versions(&place)?;
    for page in PAGES.iter().filter(|p| request.page.as_ref().is_none_or(|name| name == p.name)) {
        let mut report = Report::new(page.name, machine::describe(), &versions, request.turns(), THREADS);
        if ["foundation", "svm"].contains(&page.name) {
            report.note(sparse.clone());
        }
        for workload in page.workloads.iter().filter(|w| request.wants(w.name)) {
            match compare(&place, workload, request.turns()) {
                // oneDAL is not available on every platform.
                Err(reason) if workload.name.ends_with("onedal") => {
                    report.note(format!("{} was left out: {reason}.", workload.name));
                }
                row => report.add(row?),
            }
        }
        if page.name == "foundation" && request.wants("read-csv") {
            for row in read_csv(&place, request)? {
                report.add_reading(row);
            }
        }
        if page.name == "svm" && request.wants("growth") {
            report.add_growth(growth(&place)?);
        }
        print!("\n{}", report.tables());
        if request.words.is_empty() {
            let name = format!("docs/results/{}.md", page.name);
            let path = root().join(&name);
            std::fs::create_dir_all(root().join("docs/results")).map_err(|e| e.to_string())?;
            let old = std::fs::read_to_string(&path).unwrap_or_default();
            let tried = old.find(TRIED).map_or("", |at| &old[at..]);
            std::fs::write(&path, report.document(tried)).map_err(|e| format!("{}: {e}", path.display()))?;
            println!("\nwritten to {name}");
        }
    }
    Ok(())
}

/// Waits up to five minutes for the load to fall, after a build for example: pages have only times of an idle computer.
fn wait_until_idle() -> Outcome<()> {
    for _ in 0..60 {
        if machine::busy().is_none() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_secs(5));
    }
    machine::busy().map_or(Ok(()), |reason| {
        Err(format!(
            "nothing was measured: {reason}; workloads given by name are measured without writing a page"
        ))
    })
}

/// How the training time grows: lines of objects, seconds, iterations, rows computed, support vectors.
fn growth(place: &Place) -> Outcome<Vec<Vec<f64>>> {
    println!("growth");
    let mut command = Command::new(&place.mercer);
    command.arg("growth").arg(&place.data).env("RAYON_NUM_THREADS", THREADS.to_string());
    let lines = output(&mut command)?;
    let numbers = |line: &str| line.split(' ').map(|w| w.parse::<f64>().map_err(|e| e.to_string())).collect();
    lines.lines().map(numbers).collect()
}

/// A Python environment with the peers, which are installed once.
fn peers() -> Outcome<PathBuf> {
    let python = environment("bench-venv")?;
    install(&python, &["numpy", "scipy", "scikit-learn", "grakel==0.1.11"])?;
    install(&python, &["aeon", "dtaidistance", "tslearn", "rapidfuzz", "polars"])?;
    install(&python, &["rdkit", "scikit-fingerprints"])?;
    // Not available on every platform: its workload is then left out.
    if let Err(reason) = install(&python, &["scikit-learn-intelex"]) {
        println!("scikit-learn-intelex could not be installed: {reason}");
    }
    Ok(python)
}

/// Builds the mercer program of the benchmark.
fn set_up(python: &Path) -> Outcome<Place> {
    let target = target();
    println!("building mercer-bench");
    check(cargo().args(["build", "--release", "--package", "mercer-bench"]))?;
    Ok(Place {
        mercer: target.join("release/mercer-bench"),
        python: python.to_path_buf(),
        peers: root().join("bench/peers.py"),
        data: target.join("bench-data"),
    })
}

/// Writes the data that both systems read; returns a description of the sparse data for the report.
fn prepare(place: &Place) -> Outcome<String> {
    let folder = std::env::var_os("MERCER_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
    let real = Some(folder.join("libsvm/a9a/a9a.gz")).filter(|p| p.exists());
    let mut command = Command::new(&place.python);
    command.arg(&place.peers).arg("prepare").arg(&place.data);
    command.args(real.iter());
    println!("writing data");
    check(&mut command)?;
    Ok(match real {
        Some(_) => "Sparse data are the first rows of a9a.".to_owned(),
        None => "Sparse data were GENERATED in the shape of a9a (123 binary features, 14 per row, skewed \
                 frequencies): a9a itself was not found."
            .to_owned(),
    })
}

/// The versions of everything timed.
fn versions(place: &Place) -> Outcome<String> {
    let rustc = output(Command::new("rustc").arg("--version"))?;
    let peers = output(Command::new(&place.python).arg(&place.peers).arg("versions"))?;
    let python = output(Command::new(&place.python).arg("--version"))?;
    let rustc = rustc.split(" (").next().unwrap_or(&rustc).to_owned();
    Ok(format!("{rustc}, {python}, {}", peers.lines().collect::<Vec<_>>().join(", ")))
}

/// Runs both systems alternately and keeps the best time of each.
fn compare(place: &Place, workload: &Workload, repeat: usize) -> Outcome<Row> {
    println!("{}", workload.name);
    let mut peer = Command::new(&place.python);
    peer.arg(&place.peers).args(["work", workload.name]).arg(&place.data);
    let mut peer = Worker::start(workload.peer, &mut peer, THREADS)?;
    let mut mercer = start_mercer(place, workload.name, THREADS)?;
    let (mut theirs, mut ours) = (f64::INFINITY, f64::INFINITY);
    for turn in 1..=repeat {
        let (their, our) = (peer.run()?, mercer.run()?);
        println!("  run {turn}: {} {their:.3} s, mercer {our:.3} s", workload.peer);
        theirs = theirs.min(their);
        ours = ours.min(our);
    }
    let (peer_peak, peak) = (peer.end()?, mercer.end()?);
    let difference = difference(
        &place.data.join(format!("{}.peer.f64", workload.name)),
        &place.data.join(format!("{}.mercer.f64", workload.name)),
    )?;
    Ok(Row {
        name: workload.name,
        what: workload.what,
        peer: workload.peer,
        theirs,
        ours,
        target: workload.target,
        difference,
        peer_peak,
        peak,
    })
}

/// Reads a large CSV file on one thread and on two; compared with pandas, if it is installed.
fn read_csv(place: &Place, request: &Request) -> Outcome<Vec<Reading>> {
    let megabytes: u64 = if request.small { 100 } else { 1000 };
    let file = place.data.join("numbers.csv");
    let there = std::fs::metadata(&file).map_or(0, |m| m.len());
    if there.abs_diff(megabytes * 1_000_000) > 1_000_000 {
        println!("writing a CSV file of {megabytes} MB");
        check(Command::new(&place.mercer).arg("generate-csv").arg(&file).arg(megabytes.to_string()))?;
    }
    let bytes = std::fs::metadata(&file).map_err(|e| format!("{}: {e}", file.display()))?.len() as f64;
    println!("read-csv");
    let mut workers = Vec::new();
    if output(Command::new(&place.python).args(["-c", "import pandas"])).is_ok() {
        let mut peer = Command::new(&place.python);
        peer.arg(&place.peers).args(["work", "read-csv"]).arg(&place.data);
        workers.push(("pandas read_csv", 1, Worker::start("pandas", &mut peer, 1)?, f64::INFINITY));
    }
    for threads in [1, 2] {
        workers.push(("mercer", threads, start_mercer(place, "read-csv", threads)?, f64::INFINITY));
    }
    for turn in 1..=request.turns() {
        for (who, threads, worker, best) in &mut workers {
            let seconds = worker.run()?;
            println!("  run {turn}: {who}, threads {threads}: {seconds:.3} s");
            *best = best.min(seconds);
        }
    }
    let row = |(system, threads, worker, seconds): (&'static str, usize, Worker, f64)| {
        Ok(Reading { system, threads, seconds, bytes, peak: worker.end()? })
    };
    workers.into_iter().map(row).collect()
}

fn start_mercer(place: &Place, name: &str, threads: usize) -> Outcome<Worker> {
    Worker::start("mercer", Command::new(&place.mercer).args(["work", name]).arg(&place.data), threads)
}

/// The largest |a - b| / max |a| over two samples of the same entries.
fn difference(theirs: &Path, ours: &Path) -> Outcome<f64> {
    let (theirs, ours) = (numbers(theirs)?, numbers(ours)?);
    if theirs.len() != ours.len() || theirs.is_empty() {
        return Err(format!("samples of {} and {} entries", theirs.len(), ours.len()));
    }
    let largest = theirs.iter().fold(0.0f64, |m, v| m.max(v.abs())).max(f64::MIN_POSITIVE);
    let apart = |(a, b): (&f64, &f64)| if (a - b).is_nan() { f64::INFINITY } else { (a - b).abs() };
    Ok(theirs.iter().zip(&ours).map(apart).fold(0.0f64, f64::max) / largest)
}

fn numbers(path: &Path) -> Outcome<Vec<f64>> {
    let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(bytes.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect())
}
