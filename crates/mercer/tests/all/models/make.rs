//! Makes the golden models: `cargo test -p mercer --test all -- --ignored golden_models_are_made`.
//!
//! Existing models are kept: a model of an older version is valuable because it is old. Their answers are rewritten if
//! sums are computed in another order than before, which changes only the last digits.

use std::sync::Arc;

use mercer::data::{
    Categories, Column, Dataset, Dense, Graph, Image, Labels, Network, Nodes, Precomputed, Series, Sparse,
    Target, Values,
};
use mercer::model::{Array, BlendMember, Container, Model};
use serde_json::json;

use super::{folder, said};
use crate::support::{engine, parse};

/// Number of training objects of each model, and of new ones.
const TRAINING: usize = 24;
const NEW: usize = 7;

/// A number in [-1, 1) that depends only on `at`.
fn noise(at: usize) -> f64 {
    let mut random = mercer::random::Random::new(at as u64);
    2.0 * random.unit() - 1.0
}

/// Values of one type for the objects in a range: another range gives other objects of the same distribution.
fn values(kind: &str, objects: std::ops::Range<usize>) -> Values {
    let n = objects.len();
    let each = objects.clone();
    match kind {
        "numbers" => Values::Numbers(
            Dense::new(n, 2, each.flat_map(|i| [noise(2 * i), noise(2 * i + 1)]).collect()).unwrap(),
        ),
        "gaps" => {
            let with = |i: usize| if i.is_multiple_of(5) { f64::NAN } else { noise(3 * i) };
            Values::Numbers(Dense::new(n, 2, each.flat_map(|i| [with(i), noise(2 * i)]).collect()).unwrap())
        }
        "sparse" => {
            let rows: Vec<Vec<(u32, f64)>> =
                each.map(|i| vec![(i as u32 % 3, noise(i)), (3, 0.5), (4 + i as u32 % 2, 1.0)]).collect();
            Values::Sparse(Sparse::from_rows(6, &rows).unwrap())
        }
        "colours" => Values::Categories(Categories::from_values(
            each.map(|i| Some(["red", "green", "blue"][(noise(i) * 1.5 + 1.5) as usize])),
        )),
        "strings" => Values::Strings(
            each.map(|i| {
                Some(
                    (0..6 + i % 4)
                        .map(|j| b"acgt"[(noise(i * 16 + j) * 2.0 + 2.0) as usize] as char)
                        .collect(),
                )
            })
            .collect(),
        ),
        "text" => {
            let words = ["the", "gram", "matrix", "of", "a", "kernel", "is", "positive", "or", "learned"];
            let word = |at| words[(noise(at) * 5.0 + 5.0) as usize];
            Values::Text(
                each.map(|i| Some((0..6).map(|j| word(i * 8 + j)).collect::<Vec<_>>().join(" "))).collect(),
            )
        }
        "series" => Values::Series(
            each.map(|i| {
                let wave = |t: usize| (t as f64 * (0.5 + noise(i).abs())).sin() + 0.1 * noise(i * 32 + t);
                Series::new(1, (0..12 + i % 3).map(wave).collect()).unwrap()
            })
            .collect(),
        ),
        "graphs" => Values::Graphs(
            each.map(|i| {
                let nodes = 5 + i % 3;
                let edges: Vec<(u32, u32)> = (1..nodes as u32)
                    .map(|b| ((noise(i * 8 + b as usize).abs() * f64::from(b)) as u32, b))
                    .collect();
                let labels = Labels::from_names((0..nodes).map(|j| ["C", "N", "O"][(i + j * j) % 3]));
                Graph::undirected(nodes, &edges).unwrap().with_node_labels(labels).unwrap()
            })
            .collect(),
        ),
        "nodes" => {
            let all = TRAINING + NEW;
            let edges: Vec<(u32, u32, f64)> = (1..all as u32)
                .flat_map(|b| [(b - 1, b, 1.0), ((noise(b as usize).abs() * f64::from(b)) as u32, b, 0.5)])
                .filter(|(a, b, _)| a != b)
                .collect();
            let network = Arc::new(Network::listed(all, edges).unwrap());
            Values::Nodes(Nodes::new(network, each.map(|i| i as u32).collect()).unwrap())
        }
        "molecules" => {
            let text = |i: usize| {
                let chain = "C".repeat(1 + i % 4);
                let group = ["O", "C(=O)O", "c1ccccc1", "N"][(i * i) % 4];
                Arc::new(format!("{chain}{group}").parse().unwrap())
            };
            Values::Molecules(each.map(text).collect())
        }
        "images" => Values::Images(
            each.map(|i| {
                let dot = |at: usize| {
                    if (at % 40 + at / 40 * (i % 2)) % 8 < 4 { 30 + (i * 7 % 40) as u8 } else { 200 }
                };
                Image::new(40, 40, 1, (0..1600).map(dot).collect()).unwrap()
            })
            .collect(),
        ),
        "precomputed" => {
            let entry = |i: usize, j: usize| (-(noise(i) - noise(j)).powi(2)).exp();
            let k = Dense::new(
                n,
                TRAINING,
                objects.clone().flat_map(|i| (0..TRAINING).map(move |j| entry(i, j))).collect(),
            );
            let k = k.unwrap();
            Values::Precomputed(if objects.start == 0 {
                Precomputed::square(k).unwrap()
            } else {
                Precomputed::rows_of(k)
            })
        }
        other => panic!("no kind {other}"),
    }
}

fn objects(kinds: &[&str], range: std::ops::Range<usize>) -> Dataset {
    Dataset::new(kinds.iter().map(|kind| Column::new(*kind, values(kind, range.clone()))).collect()).unwrap()
}

/// Name, types of columns, kernel, learner, and the target: number of classes, 0 for numbers, 1 for none.
const MODELS: &[(&str, &[&str], &str, &str, usize)] = &[
    ("table", &["numbers", "colours"], "rbf(gamma=1)@numbers + 0.5*delta@colours", "svc(C=2)", 2),
    ("probabilities", &["numbers"], "standardize(rbf(gamma=0.5))", "svc(C=2,probability=yes)", 3),
    ("rest", &["numbers"], "minmax(polynomial(degree=2))", "nu-svc(nu=0.1,scheme=one-versus-rest)", 3),
    ("categories", &["colours"], "diffusion(beta=0.3)", "svc", 2),
    ("strings", &["strings"], "normalize(spectrum(k=2))", "svc", 2),
    ("text", &["text"], "terms(cosine)", "svc", 2),
    ("series", &["series"], "dtw(window=0.2)", "knn(k=3)", 2),
    ("graphs", &["graphs"], "wl(h=2)", "svc", 2),
    ("nodes", &["nodes"], "node-diffusion(beta=0.5)", "svc", 2),
    ("svr", &["sparse"], "rbf(gamma=0.5)", "svr(C=5,epsilon=0.1)", 0),
    ("ridge", &["numbers"], "linear + ones", "ridge(lambda=0.1)", 0),
    ("one-class", &["numbers"], "rbf(gamma=1)", "one-class(nu=0.2)", 1),
    ("perceptron", &["numbers"], "polynomial(degree=2)", "perceptron", 2),
    ("voted", &["strings"], "subsequence(k=2)", "voted-perceptron", 2),
    ("pca", &["numbers"], "center(rbf(gamma=1))", "pca(components=2)", 1),
    ("kmeans", &["numbers"], "rbf(gamma=1)", "kmeans(k=3)", 1),
    ("features", &["sparse"], "linear", "linear-svc", 2),
    ("steps", &["gaps", "numbers"], "impute(standardize(rbf(gamma=0.5)))", "svc", 2),
    ("repaired", &["numbers"], "center(repair(sigmoid(gamma=1,c=-1), method=clip))", "svc", 2),
    ("walk", &["numbers"], "walk(rbf(gamma=1), p=3, through=train)", "svc", 2),
    (
        "similarity",
        &["numbers", "colours"],
        "similarity(rbf(gamma=0.5)@numbers, delta@colours, references=6)",
        "svc",
        2,
    ),
    (
        "mkl",
        &["numbers", "colours"],
        "mkl(rbf(gamma=0.5)@numbers, delta@colours, method=alignment)",
        "svc",
        2,
    ),
    ("images", &["images"], "visual(linear, words=2)", "svc", 2),
    ("precomputed", &["precomputed"], "precomputed", "svc", 2),
    ("landmarks", &["numbers"], "standardize(nystrom(rbf(gamma=0.5), rank=6))", "linear-svc", 2),
    (
        "written-out",
        &["strings", "numbers"],
        "explicit(normalize(spectrum(k=2))@strings + linear@numbers)",
        "linear-svc",
        2,
    ),
];

/// Name, types of columns, the members of a blend with their weights, and the target.
#[allow(clippy::type_complexity)]
const BLENDS: &[(&str, &[&str], &[(f64, &str, &str)], usize)] = &[
    (
        "blend",
        &["numbers", "colours"],
        &[
            (0.5, "standardize(rbf(gamma=0.5))@numbers", "svc(C=2)"),
            (0.3, "delta@colours + linear@numbers", "ridge(lambda=0.5)"),
            (0.2, "linear@numbers", "knn(k=3)"),
        ],
        3,
    ),
    (
        "blend-numbers",
        &["numbers", "strings"],
        &[
            (0.75, "rbf(gamma=0.5)@numbers", "ridge(lambda=0.1)"),
            (0.25, "normalize(spectrum(k=2))@strings", "svr(C=5, epsilon=0.1)"),
        ],
        0,
    ),
];

fn with_target(data: Dataset, classes: usize) -> Dataset {
    let n = data.len();
    match classes {
        1 => data,
        0 => data
            .with_target(
                "y",
                Target::Numbers((0..n).map(|i| 2.0 * noise(2 * i) - noise(2 * i + 1)).collect()),
            )
            .unwrap(),
        classes => {
            let class = |i: usize| ["1", "2", "3"][((noise(2 * i) + 1.0) / 2.0 * classes as f64) as usize];
            let values = Categories::from_values((0..n).map(|i| Some(class(i))));
            data.with_target("class", Target::Classes(values)).unwrap()
        }
    }
}

/// New objects with the predictions of a model.
fn answers(model: &Model, new: &Dataset) -> Container {
    let (words, numbers) = said(&model.predict(new, engine()).unwrap());
    let mut c = Container::new(json!(null));
    let schema = c.put_dataset("objects", new).unwrap();
    c.document = json!({"schema": schema, "words": words, "processor": super::golden::processor()});
    c.insert("numbers", Array::list(numbers)).unwrap();
    c
}

#[test]
#[ignore = "writes the files that the other tests compare with"]
fn golden_models_are_made() {
    for golden in super::Golden::all() {
        let again = answers(&golden.load(), &golden.objects());
        super::golden::assert_near(&golden, again.f64s("numbers").unwrap());
        again.write(&folder().join(&golden.name).with_extension("answers")).unwrap();
    }
    let place = |name: &str| folder().join(name);
    for (name, kinds, kernel, learner, classes) in MODELS {
        let path = place(&format!("{name}.mercer"));
        if path.exists() {
            continue;
        }
        let data = with_target(objects(kinds, 0..TRAINING), *classes);
        let model = Model::fit(&data, &parse(kernel), &learner.parse().unwrap(), 7, engine())
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let new = objects(kinds, TRAINING..TRAINING + NEW);
        answers(&model, &new).write(&path.with_extension("answers")).unwrap();
        model.save(&path).unwrap();
    }
    for (name, kinds, members, classes) in BLENDS {
        let path = place(&format!("{name}.mercer"));
        if path.exists() {
            continue;
        }
        let data = with_target(objects(kinds, 0..TRAINING), *classes);
        let member = |(weight, kernel, learner): &(f64, &str, &str)| {
            let model = Model::fit(&data, &parse(kernel), &learner.parse().unwrap(), 7, engine()).unwrap();
            BlendMember { model, weight: *weight, sharpness: 1.5 }
        };
        let model = Model::blend(members.iter().map(member).collect(), &data, 7).unwrap();
        let new = objects(kinds, TRAINING..TRAINING + NEW);
        answers(&model, &new).write(&path.with_extension("answers")).unwrap();
        model.save(&path).unwrap();
    }
    let path = place("libsvm.model");
    if !path.exists() {
        let data = with_target(objects(&["sparse"], 0..TRAINING), 3);
        let model =
            Model::fit(&data, &parse("rbf(gamma=0.5)"), &"svc(C=2)".parse().unwrap(), 7, engine()).unwrap();
        model.to_libsvm().unwrap().write(&path).unwrap();
        let model = Model::load(&path, engine()).unwrap();
        // LIBSVM's own files hold vectors in a column named x.
        let new = Dataset::new(vec![Column::new("x", values("sparse", TRAINING..TRAINING + NEW))]).unwrap();
        answers(&model, &new).write(&path.with_extension("answers")).unwrap();
    }
}
