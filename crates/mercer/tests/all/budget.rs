//! Memory and time limits: every registry entry must respect the budget.
//!
//! Kernels and learners are taken from the registry, so that a new one is tested automatically. Objects grow until the
//! work exceeds its time limit; then it must end with `E_TIME` soon after.

use std::sync::Arc;
use std::time::{Duration, Instant};

use mercer::data::{
    Categories, Column, Dataset, Dense, Graph, Image, Kind, Network, Nodes, Precomputed, Series, Sparse,
    Target, Times, Values,
};
use mercer::expression::{Expression, Learner, entries, learners};
use mercer::gram::{Engine, Spectrum};
use mercer::model::Model;
use mercer::{Budget, Error, Result};

use crate::generate::Random;
use crate::support::parse;

/// The time limit, and how much later work may end: a debug build is up to a hundred times slower between two checks.
const ALLOWED: Duration = Duration::from_millis(50);
const SLACK: Duration = Duration::from_millis(300);

/// The sizes of objects: symbols of a string, time steps, coordinates, nodes.
const SIZES: [usize; 5] = [1 << 8, 1 << 10, 1 << 12, 1 << 14, 1 << 16];

/// The type of data that the innermost kernel takes.
fn kind_of(expression: &Expression) -> Kind {
    match expression {
        Expression::Sum(parts) | Expression::Product(parts) => kind_of(&parts[0]),
        Expression::Scale(_, inner) | Expression::Group(inner, _) => kind_of(inner),
        Expression::Call(call) => match call.inner.first() {
            Some(inner) if call.entry.facts.kinds.is_empty() || kind_of(inner) != Kind::Numbers => {
                kind_of(inner)
            }
            _ => call.entry.facts.kinds.first().copied().unwrap_or(Kind::Numbers),
        },
    }
}

/// Two large objects of a type, or the nodes of one large graph.
fn large(kind: Kind, size: usize, random: &mut Random) -> Values {
    let text = |words: &[&str], between: &str, random: &mut Random| {
        let one = |_| Some((0..size).map(|_| *random.pick(words)).collect::<Vec<_>>().join(between));
        (0..2).map(one).collect::<Vec<_>>()
    };
    let edges = |n: usize, random: &mut Random| {
        let ring = (1..n as u32).map(|i| (i - 1, i));
        let chords = (0..n).map(|i| (i as u32, random.below(n) as u32)).filter(|(a, b)| a != b);
        ring.chain(chords).collect::<Vec<_>>()
    };
    match kind {
        Kind::Strings => Values::Strings(text(&["A", "C", "G", "T"], "", random)),
        Kind::Text => Values::Text(text(&["the", "kernel", "trick", "a", "margin"], " ", random)),
        Kind::Series => {
            let one = |_| Series::new(1, (0..size).map(|_| random.unit()).collect()).unwrap();
            Values::Series((0..2).map(one).collect())
        }
        Kind::Graphs => {
            let n = size / 4;
            let mut one = || {
                let mut edges = edges(n, random);
                edges.iter_mut().for_each(|(a, b)| (*a, *b) = (*a.min(b), *a.max(b)));
                edges.sort_unstable();
                edges.dedup();
                Graph::undirected(n, &edges).unwrap()
            };
            Values::Graphs(vec![one(), one()])
        }
        Kind::Nodes => {
            let n = size / 8;
            let edges: Vec<_> = edges(n, random).into_iter().map(|(a, b)| (a, b, 1.0)).collect();
            Values::Nodes(Nodes::all(Arc::new(Network::new(n, &edges).unwrap())))
        }
        Kind::Molecules => {
            // Long chains with rings; below the limit on atoms.
            let units = (size / 8).clamp(1, 1200);
            let text = format!("{}N", "CC(O)c1ccc(cc1)".repeat(units));
            let one: Arc<mercer::data::Molecule> = Arc::new(text.parse().unwrap());
            Values::Molecules(vec![Arc::clone(&one), one])
        }
        Kind::Images => {
            let side = (size as f64).sqrt() as usize;
            let mut one = || {
                let pixels = (0..side * side).map(|_| random.below(256) as u8).collect();
                Image::new(side, side, 1, pixels).unwrap()
            };
            Values::Images(vec![one(), one()])
        }
        Kind::Categories => Values::Categories(Categories::from_values([Some("red"), Some("blue")])),
        Kind::Times => Values::Times(Times::new(vec![0.0, 1e9])),
        Kind::Precomputed => {
            Values::Precomputed(Precomputed::square(Dense::from_rows(&[[2.0, 1.0], [1.0, 2.0]])).unwrap())
        }
        Kind::Sparse => {
            let row = |_| (0..size as u32).map(|f| (f, 1.0 + random.below(3) as f64)).collect::<Vec<_>>();
            Values::Sparse(Sparse::from_rows(size, &(0..2).map(row).collect::<Vec<_>>()).unwrap())
        }
        // Positive integers: valid as histograms, ring positions and tree vertices too.
        _ => {
            let numbers = (0..2 * size).map(|_| 1.0 + random.below(3) as f64).collect();
            Values::Numbers(Dense::new(2, size, numbers).unwrap())
        }
    }
}

/// Data for an expression, with alternating classes.
fn data(expression: &Expression, size: usize) -> Dataset {
    let mut random = Random::new(size as u64);
    let kind = kind_of(expression);
    let mut names = expression.named_columns();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        names.push("x");
    }
    let columns = names.into_iter().map(|name| Column::new(name, large(kind, size, &mut random)));
    let data = Dataset::new(columns.collect()).unwrap();
    let classes: Vec<_> = (0..data.len()).map(|i| Some(["no", "yes"][i % 2])).collect();
    data.with_target("class", Target::Classes(Categories::from_values(classes))).unwrap()
}

fn code(error: &Error) -> &str {
    error.code().as_str()
}

/// Runs work under a time limit; it must end in time. It is tried up to three times, in case the computer is busy.
fn timed<R>(what: &str, work: impl Fn(&Engine) -> Result<R>) -> Result<R> {
    timed_with(SLACK, what, work)
}

fn timed_with<R>(slack: Duration, what: &str, work: impl Fn(&Engine) -> Result<R>) -> Result<R> {
    let mut late = Duration::ZERO;
    for _ in 0..3 {
        let engine = Engine::new().with_budget(Budget::default().with_time(ALLOWED));
        let started = Instant::now();
        let done = work(&engine);
        late = started.elapsed();
        if late <= ALLOWED + slack {
            return done;
        }
    }
    panic!("{what}: ended after {late:?}, allowed were {ALLOWED:?}");
}

#[test]
fn every_kernel_respects_the_time_limit() {
    let mut over = Vec::new();
    for entry in entries() {
        let name = entry.facts.name;
        let expression = match entry.arity() {
            0 => name.parse::<Expression>().unwrap_or_else(|_| parse(entry.facts.example)),
            _ => parse(entry.facts.example),
        };
        let Ok(expression) = expression.pick(&vec![0; expression.choices().len()]) else { continue };
        let work = |engine: &Engine, data: &Dataset| {
            let fitted = expression.fit(data, engine)?;
            engine.gram(&fitted.kernel, data)
        };
        let mut quick = None;
        for size in SIZES {
            let data = data(&expression, size);
            let done = timed(&format!("{expression} of {size}"), |engine| work(engine, &data));
            match done.map_err(|e| code(&e).to_owned()) {
                Ok(_) => quick = Some(data),
                Err(code) if code == "E_TIME" => {
                    over.push(name);
                    break;
                }
                // Larger ones are refused for another reason, such as overflow.
                Err(_) => break,
            }
        }
        if let Some(data) = quick {
            let engine = Engine::new().with_budget(Budget::default().with_memory(1 << 18));
            if let Err(error) = work(&engine, &data) {
                assert_eq!(code(&error), "E_MEMORY_PLAN", "{expression}: {error}");
            }
        }
    }
    // Kernels that once exceeded their time limit.
    for known in [
        "gak",
        "local-alignment",
        "subsequence",
        "mismatch",
        "gapped-kmer",
        "alignment-diffusion",
        "shortest-path",
        "subgraph-matching",
        "graph-hopper",
        "dtw",
        "edit-distance",
        "pyramid-match",
    ] {
        assert!(over.contains(&known), "{known} is not among {over:?}");
    }
}

#[test]
fn every_learner_respects_the_time_limit() {
    let mut over = Vec::new();
    // An eigendecomposition cannot be interrupted; its time depends on the computer.
    let mut random = Random::new(0);
    let mut gram = Dense::zeros(1024, 1024);
    for i in 0..1024 {
        for j in 0..=i {
            let value = random.unit();
            (gram.row_mut(i)[j], gram.row_mut(j)[i]) = (value, value);
        }
    }
    let started = Instant::now();
    Spectrum::of(&gram).unwrap();
    let slack = SLACK + 2 * started.elapsed();
    for facts in learners() {
        let text = match facts.name {
            // Passes that never converge: classes are random.
            name @ ("perceptron" | "voted-perceptron") => format!("{name}(rounds=1000000)"),
            "kmeans" => "kmeans(restarts=1000000)".to_owned(),
            name => name.to_owned(),
        };
        let Ok(learner) = text.parse::<Learner>().or_else(|_| facts.example.parse::<Learner>()) else {
            continue;
        };
        let Ok(learner) = learner.pick(&vec![0; learner.choices().len()]) else { continue };
        let expression = parse(if facts.features { "linear" } else { "rbf(gamma=0.5)" });
        for n in [64, 256, 1024, 4096] {
            let mut random = Random::new(n as u64);
            let values = (0..8 * n).map(|_| random.between(-1.0, 1.0)).collect();
            let column = Column::new("x", Values::Numbers(Dense::new(n, 8, values).unwrap()));
            let x = Dataset::new(vec![column]).unwrap();
            let numbers = Target::Numbers((0..n).map(|_| random.unit()).collect());
            let classes: Vec<_> = (0..n).map(|_| Some(*random.pick(&["a", "b", "c"]))).collect();
            let classes = Target::Classes(Categories::from_values(classes));
            let tried = [numbers, classes].map(|target| {
                let data = x.clone().with_target("y", target).unwrap();
                timed_with(slack, &format!("{learner} of {n}"), |engine| {
                    Model::fit(&data, &expression, &learner, 0, engine)
                })
            });
            let codes = tried.map(|done| done.err().map(|e| code(&e).to_owned()));
            if codes.contains(&Some("E_TIME".to_owned())) {
                over.push(facts.name);
                break;
            }
        }
    }
    for known in ["svc", "svr", "nu-svc", "ridge", "perceptron", "kmeans", "pca", "landmark-svc"] {
        assert!(over.contains(&known), "{known} is not among {over:?}");
    }
}

#[test]
fn memory_of_mkl_is_planned_before_the_fit() {
    let expression = parse("mkl(rbf(gamma=1), linear, laplacian(gamma=1))");
    let (n, mut random) = (400, Random::new(1));
    let values = (0..n).map(|_| random.unit()).collect();
    let x = Dataset::new(vec![Column::new("x", Values::Numbers(Dense::new(n, 1, values).unwrap()))]);
    let classes: Vec<_> = (0..n).map(|i| Some(["a", "b"][i % 2])).collect();
    let data = x.unwrap().with_target("y", Target::Classes(Categories::from_values(classes))).unwrap();
    // One matrix fits, those of all kernels do not.
    let engine = Engine::new().with_budget(Budget::default().with_memory(3 << 20));
    let refused = expression.fit(&data, &engine).map(drop).unwrap_err();
    assert_eq!(code(&refused), "E_MEMORY_PLAN", "{refused}");
    timed("mkl", |engine| expression.fit(&data, engine).map(drop)).err();
}

#[test]
fn kernels_use_the_budget_of_their_caller() {
    let data = data(&parse("rbf"), 64);
    for text in ["center(rbf)", "walk(rbf)", "similarity(rbf)", "repair(rbf)", "markov(rbf)"] {
        let short = Engine::new().with_budget(Budget::default().with_time(Duration::from_secs(3600)));
        let fitted = parse(text).fit(&data, &short).unwrap();
        // The computation that fitted it was cancelled; another one may use it, and only its own budget cancels it.
        short.budget().stop();
        Engine::new().gram(&fitted.kernel, &data).unwrap_or_else(|e| panic!("{text}: {e}"));
        let over = Engine::new().with_budget(Budget::default().with_time(Duration::ZERO));
        assert_eq!(code(&over.gram(&fitted.kernel, &data).unwrap_err()), "E_TIME", "{text}");
    }
}

#[test]
fn deeply_nested_kernels_are_refused_and_others_need_little_stack() {
    let work = || {
        let nested = |depth: usize| {
            format!("{}rbf(gamma=1){}", "normalize(".repeat(depth), ")".repeat(depth)).parse::<Expression>()
        };
        assert!(nested(64).is_err() && nested(100_000).is_err());
        let mut scaled = parse("rbf(gamma=1)");
        let refused = loop {
            match scaled.clone().scaled(2.0) {
                Ok(next) => scaled = next,
                Err(error) => break error,
            }
        };
        assert!(refused.to_string().contains("nested"), "{refused}");
        let data = data(&scaled, 8);
        for expression in [scaled, nested(60).unwrap()] {
            let fitted = expression.fit(&data, crate::support::engine()).unwrap();
            assert!(crate::support::engine().gram(&fitted.kernel, &data).is_ok());
            assert!(!expression.to_string().is_empty());
        }
    };
    // The stack size of a pool thread.
    std::thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn landmarks_without_columns_are_restored() {
    let data = data(&parse("rbf"), 8);
    for text in ["nystrom(ones, rank=3)", "nystrom(ones + rbf, rank=2)"] {
        let (expression, learner) = (parse(text), "svc".parse::<Learner>().unwrap());
        let model = Model::fit(&data, &expression, &learner, 0, crate::support::engine()).unwrap();
        let bytes = model.to_bytes().unwrap();
        let again = Model::from_bytes("model", &bytes, crate::support::engine()).unwrap();
        let predicted =
            |model: &Model| format!("{:?}", model.predict(&data, crate::support::engine()).unwrap());
        assert_eq!(predicted(&model), predicted(&again), "{text}");
    }
}
