use super::*;
use crate::data::{Categories, Column, Graph, Image, Kind, Labels, Network, Nodes, Series, Times, Values};
use crate::expression::entries;
use crate::random::Random;

/// Twelve columns or fewer of every kind that kernels by columns take. Numbers are whole and positive, so that all of them
/// are vertices of a tree, histograms and places on a ring.
fn data(n: usize) -> Dataset {
    let mut random = Random::new(11);
    let mut numbers = |width: usize| {
        let values = (0..n * width).map(|_| 1.0 + random.below(6) as f64).collect();
        Values::Numbers(Dense::new(n, width, values).unwrap())
    };
    let (a, b, c, v) = (numbers(1), numbers(1), numbers(1), numbers(3));
    let mut words = |of: &[&'static str]| {
        let drawn: Vec<Option<&str>> = (0..n).map(|_| Some(of[random.below(of.len())])).collect();
        Values::Categories(Categories::from_values(drawn))
    };
    let (p, q, r) = (words(&["x", "y", "z"]), words(&["m", "f"]), words(&["k", "l", "m", "n"]));
    let mut times = || Values::Times(Times::new((0..n).map(|_| 1e9 + 4e7 * random.unit()).collect()));
    let (t, u) = (times(), times());
    let strings: Vec<Option<String>> =
        (0..n).map(|_| Some((0..8).map(|_| ["A", "C", "G"][random.below(3)]).collect())).collect();
    let named = [("a", a), ("b", b), ("c", c), ("v", v), ("p", p), ("q", q), ("r", r), ("t", t), ("u", u)];
    let mut columns: Vec<Column> =
        named.into_iter().map(|(name, values)| Column::new(name, values)).collect();
    columns.push(Column::new("s", Values::Strings(strings)));
    let classes: Vec<&str> = (0..n).map(|_| ["yes", "no", "perhaps"][random.below(3)]).collect();
    let target = Target::Classes(Categories::from_values(classes.into_iter().map(Some)));
    Dataset::new(columns).unwrap().with_target("target", target).unwrap()
}

/// An expression for each entry that says how it follows from single columns.
const KNOWN: &[(&str, &str)] = &[
    ("linear", "linear@a,b,v"),
    ("polynomial", "polynomial(degree=3, c=1, gamma=0.1)@a,b,c,v"),
    ("rbf", "rbf(gamma=0.05)@a,b,c,v"),
    ("laplacian", "laplacian(gamma=0.1)@a,b,c,v"),
    ("chi2", "chi2(gamma=0.1)@a,b,c,v"),
    ("closed-chain", "closed-chain(n=7, beta=0.4)@a,b,c,v"),
    ("regular-tree", "regular-tree(k=3, beta=0.4)@a,b,c"),
    ("delta", "delta@p,q,a"),
    ("ones", "ones + rbf@a,b"),
    ("diffusion", "diffusion(beta=0.3)@p,q,r"),
    ("hypercube", "hypercube(beta=0.3)@p,q,r"),
    ("hamming", "hamming@p,q,r"),
    ("time", "time@t,u"),
    ("euclidean", "euclidean@a,b,v"),
    ("normalize", "normalize(rbf@[a,b] * spectrum(k=2)@s)"),
    ("rbf-of", "rbf-of(linear@[a,b] + spectrum(k=2)@s, gamma=0.05)"),
    ("mkl", "mkl(rbf(gamma=0.1)@[a,b], linear@c, diffusion@[p,q], method=alignment)"),
    ("learned", "learned(rbf@[a,b])"),
    ("column-sum", "column-sum(rbf(gamma=0.1))@a,b,v"),
    ("column-product", "column-product(laplacian(gamma=0.1))@a,b,v"),
    ("standardize", "standardize(rbf(gamma=scale))@a,b,c,v"),
    ("minmax", "minmax(laplacian(gamma=1))@a,b,c,v"),
    ("relevance", "relevance(rbf(gamma=1), steps=5)@a,b,c"),
    ("impute", "impute(standardize(rbf(gamma=0.2)))@a,b,v"),
    ("forest", "forest(trees=20, leaf=2)@a,b,v,p,q,t"),
    ("", "forest(trees=9, leaf=1)@a,b,v,p + rbf(gamma=0.05)@a,b,c"),
    (
        "",
        "0.5*normalize(forest(trees=9, mode=unsupervised, leaf=1))@a,b,c + standardize(forest(trees=5, leaf=1))@v,c",
    ),
    ("center", "center(rbf(gamma=0.05))@a,b,v"),
    ("", "standardize(center(rbf(gamma=0.3) + 0.5*linear))@a,b,c + center(forest(trees=7, leaf=1))@p,q,a"),
    ("", "(rbf@a,b + 0.5*linear@c) * diffusion@p,q + 2*(spectrum(k=2)@s * delta@r)"),
    ("", "standardize(rbf@[a,v] * polynomial(degree=2)@b) + column-sum(standardize(rbf))@a,b"),
];

fn far(a: &[Dense], b: &[Dense]) -> f64 {
    let values = |all: &[Dense]| all.iter().flat_map(|m| m.values().to_vec()).collect::<Vec<f64>>();
    let (a, b) = (values(a), values(b));
    assert_eq!(a.len(), b.len());
    let scale = b.iter().fold(1e-3f64, |m, v| m.max(v.abs()));
    a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / scale
}

/// Every entry that claims it, found in the registry: its Shapley values are those of the sum over all sets of columns, on
/// which the model is evaluated.
#[test]
fn formulas_equal_the_sum_over_all_sets() {
    for entry in entries().into_iter().filter(|e| e.is_known_by_columns()) {
        let name = entry.facts.name;
        // Landmarks have a test of their own: coordinates are in single precision.
        let is_known = name == "nystrom" || KNOWN.iter().any(|(known, _)| *known == name);
        assert!(is_known, "{name} has no expression in this test");
    }
    let (data, engine) = (data(36), Engine::new());
    for (name, text) in KNOWN {
        let learner = if *name == "learned" { "gp" } else { "svc(C=2)" };
        let fitted = match learner {
            "gp" => {
                let y = (0..data.len()).map(|i| (i as f64 * 0.7).sin()).collect();
                Dataset::new(data.columns().to_vec()).unwrap().with_target("y", Target::Numbers(y)).unwrap()
            }
            _ => data.clone(),
        };
        let model = Model::fit(&fitted, &text.parse().unwrap(), &learner.parse().unwrap(), 0, &engine);
        let model = model.unwrap_or_else(|e| panic!("{text}: {e}"));
        let background = model.background(Some(&data), 5, 1).unwrap();
        let new = data.select(&[0, 7, 19]);
        let found = model.attributions(&new, &background, &AttributionOptions::default(), &engine).unwrap();
        assert_eq!(found.method, AttributionMethod::Formula, "{text}");
        assert!(found.gap < 1e-9, "{text}: {}", found.gap);
        let objects = align(&model.kept, &new, &[0, 1, 2]).unwrap();
        let job = Job {
            model: &model,
            columns: &found.columns,
            objects: &objects,
            background: &background.objects,
        };
        let sample = model.predict(&new, &engine).unwrap();
        let views = Views::of(&model, ExplainedOutput::Decision, &sample).unwrap();
        assert!((2..=12).contains(&found.columns.len()), "{text}");
        let sets = Sets::of(found.columns.len(), 12, &AttributionOptions::default());
        let (all, _) = composed::evaluated(&job, &sets, &views, &engine).unwrap();
        assert!(far(&found.values, &all) < 1e-9, "{text}: {}", far(&found.values, &all));
    }
}

/// Nyström coordinates are in single precision, so that models follow formulas to about 7 digits; the formulas themselves are
/// those of the sum over landmarks, which is enumerated in double precision. Linear models on coordinates and on leaves too.
#[test]
fn landmarks_and_linear_models_equal_the_sum_over_all_sets() {
    let (data, engine) = (data(40), Engine::new());
    let background = |model: &Model| model.background(Some(&data), 5, 1).unwrap();
    let new = data.select(&[0, 7, 19]);
    for (kernel, learner, digits) in [
        ("nystrom(rbf(gamma=0.05), rank=8)@a,b,c,v", "svc(C=2)", 1e-4),
        ("nystrom(rbf(gamma=0.05), rank=8)@a,b,c,v", "linear-svc(C=2)", 1e-4),
        (
            "standardize(nystrom(rbf(gamma=0.3)@[a,b] + forest(trees=9)@[c,v], rank=10))",
            "ridge(lambda=0.1)",
            1e-4,
        ),
        ("standardize(nystrom(rbf(gamma=0.3), rank=10))@a,b,v", "linear-svc(C=2)", 1e-4),
        ("forest(trees=20, leaf=2)@a,b,v,p,q", "linear-svc(C=2)", 1e-9),
    ] {
        let fitted = match learner.starts_with("ridge") {
            true => {
                let y = (0..data.len()).map(|i| (i as f64 * 0.7).sin()).collect();
                Dataset::new(data.columns().to_vec()).unwrap().with_target("y", Target::Numbers(y)).unwrap()
            }
            false => data.clone(),
        };
        let model = model(kernel, learner, &fitted);
        let background = background(&model);
        let found = model.attributions(&new, &background, &AttributionOptions::default(), &engine).unwrap();
        assert_eq!(found.method, AttributionMethod::Formula, "{kernel} {learner}");
        assert!(found.gap < digits, "{kernel} {learner}: {}", found.gap);
        let objects = align(&model.kept, &new, &[0, 1, 2]).unwrap();
        let (columns, background) = (&found.columns, &background.objects);
        let job = Job { model: &model, columns, objects: &objects, background };
        let sample = model.predict(&new, &engine).unwrap();
        let views = Views::of(&model, ExplainedOutput::Decision, &sample).unwrap();
        let sets = Sets::of(columns.len(), 12, &AttributionOptions::default());
        let (all, _) = composed::evaluated(&job, &sets, &views, &engine).unwrap();
        assert!(far(&found.values, &all) < digits, "{kernel} {learner}: {}", far(&found.values, &all));
    }
    // In double precision: a support vector machine whose support objects are all landmarks has W⁺·W = 1, so that the weights
    // of the landmarks are its own, and the values are those of the exact kernel.
    let few = data.select(&(0..12).collect::<Vec<_>>());
    let of = |kernel: &str| {
        let model = model(kernel, "svc(C=1e6)", &few);
        let background = model.background(Some(&data), 5, 1).unwrap();
        model.attributions(&new, &background, &AttributionOptions::default(), &engine).unwrap().values
    };
    let (near, exact) =
        (of("nystrom(laplacian(gamma=1), rank=12)@a,b,c,v"), of("laplacian(gamma=1)@a,b,c,v"));
    assert!(far(&near, &exact) < 1e-4, "{}", far(&near, &exact));
}

fn model(kernel: &str, learner: &str, data: &Dataset) -> Model {
    Model::fit(data, &kernel.parse().unwrap(), &learner.parse().unwrap(), 0, &Engine::new()).unwrap()
}

#[test]
fn equal_columns_get_equal_values_and_columns_like_the_background_none() {
    let mut data = data(30);
    let mut columns = data.columns().to_vec();
    // Column b is column a again, and the background has one value of c.
    columns[1].values = columns[0].values.clone();
    data = data.with_columns(columns).unwrap();
    let engine = Engine::new();
    let c = |i: usize| match &data.column("c").unwrap().values {
        Values::Numbers(x) => x.at(i, 0),
        _ => panic!("numbers"),
    };
    let same: Vec<usize> = (0..30).filter(|&i| c(i) == c(0)).collect();
    let model = model("rbf(gamma=0.05)@a,b,c,v", "svc", &data);
    let background = model.background(Some(&data.select(&same)), 20, 0).unwrap();
    let options = AttributionOptions::default();
    let found = model.attributions(&data.select(&same[..3]), &background, &options, &engine).unwrap();
    for values in &found.values {
        for i in 0..3 {
            assert!((values.at(i, 0) - values.at(i, 1)).abs() < 1e-12);
            assert!(values.at(i, 2).abs() < 1e-12 && values.at(i, 0) != 0.0);
        }
    }
}

/// The values for a background are the mean of those for its parts.
#[test]
fn values_are_linear_in_the_background() {
    let (data, engine) = (data(30), Engine::new());
    let options = AttributionOptions::default();
    for kernel in ["laplacian(gamma=0.1)@a,b,v * diffusion@p,q", "polynomial(degree=2)@a,b,c"] {
        let model = model(kernel, "svc", &data);
        let of = |rows: &[usize]| {
            let background = model.background(Some(&data.select(rows)), 30, 0).unwrap();
            model.attributions(&data.select(&[4, 5]), &background, &options, &engine).unwrap().values
        };
        let (first, second, both) = (of(&[0, 1]), of(&[2, 3]), of(&[0, 1, 2, 3]));
        for ((a, b), both) in first.iter().zip(&second).zip(&both) {
            let mean = a.values().iter().zip(b.values()).map(|(a, b)| 0.5 * (a + b)).collect();
            assert!(far(&[Dense::new(2, a.cols(), mean).unwrap()], std::slice::from_ref(both)) < 1e-12);
        }
    }
}

#[test]
fn any_model_is_explained_by_evaluating_it() {
    let (data, engine) = (data(40), Engine::new());
    let few = data.select(&[1, 2]);
    for (kernel, learner, output) in [
        ("rbf@a,b,c", "knn(k=3)", ExplainedOutput::Decision),
        ("sigmoid(gamma=0.01)@a,b,c", "svc", ExplainedOutput::Decision),
        ("rbf@a,b,c", "svc(probability=yes)", ExplainedOutput::Probability),
        ("linear@a,b,v", "linear-svc", ExplainedOutput::Decision),
    ] {
        let model = model(kernel, learner, &data);
        let background = model.background(Some(&data), 4, 0).unwrap();
        let options = AttributionOptions { output, ..AttributionOptions::default() };
        let exact = model.attributions(&few, &background, &options, &engine).unwrap();
        assert!(exact.method.is_exact() && exact.gap < 1e-9, "{kernel} {learner} {}", exact.gap);
        let options = AttributionOptions { most_enumerated: 0, orders: 200, ..options };
        let drawn = model.attributions(&few, &background, &options, &engine).unwrap();
        // An additive model has a formula; the others are estimated.
        if learner == "linear-svc" {
            assert_eq!(drawn.method, AttributionMethod::Formula);
            continue;
        }
        assert_eq!(drawn.method, AttributionMethod::Sampled { orders: 200 });
        assert!(drawn.gap < 1e-9);
        let errors = drawn.errors.unwrap();
        for (v, values) in drawn.values.iter().enumerate() {
            for i in 0..2 {
                for j in 0..values.cols() {
                    let (error, off) =
                        (errors[v].at(i, j), (values.at(i, j) - exact.values[v].at(i, j)).abs());
                    assert!(off <= 5.0 * error + 1e-9, "{kernel} {learner}: {off} of {error}");
                }
            }
        }
    }
}

/// Coordinates of a column of vectors, dense or sparse, are columns of their own.
#[test]
fn coordinates_of_sparse_vectors_are_explained_like_dense_ones() {
    let (data, engine) = (data(24), Engine::new());
    let Values::Numbers(v) = &data.column("v").unwrap().values else { panic!("numbers") };
    let rows: Vec<Vec<(u32, f64)>> = (0..24)
        .map(|i| (0..3u32).map(|f| (f, v.at(i, f as usize) - 1.0)).filter(|(_, v)| *v != 0.0).collect())
        .collect();
    let moved = (0..24).flat_map(|i| v.row(i).iter().map(|v| v - 1.0).collect::<Vec<_>>()).collect();
    let dense = Values::Numbers(Dense::new(24, 3, moved).unwrap());
    let sparse = Values::Sparse(crate::data::Sparse::from_rows(3, &rows).unwrap());
    let of = |values: Values| {
        let data = data.with_columns(vec![Column::new("v", values)]).unwrap();
        let model = model("rbf(gamma=0.1)", "svc", &data);
        let background = model.background(Some(&data), 6, 0).unwrap();
        let options = AttributionOptions::default();
        let formula = model.attributions(&data, &background, &options, &engine).unwrap();
        assert_eq!(formula.columns[1].to_string(), "v[2]");
        formula.values
    };
    assert!(far(&of(sparse), &of(dense)) < 1e-6);
}

/// Objects of each kind with parts: two classes that differ in a known part of the object.
fn of_parts(kind: Kind) -> Dataset {
    let mut random = Random::new(3);
    let n = 24;
    let mut noise = || 0.1 * random.unit();
    let is_second = |i: usize| i % 2 == 1;
    let values = match kind {
        Kind::Series => {
            let bump = |i: usize, t: usize| if is_second(i) && (12..16).contains(&t) { 2.0 } else { 0.0 };
            let one = |i: usize| Series::new(1, (0..32).map(|t| bump(i, t) + noise()).collect()).unwrap();
            Values::Series((0..n).map(one).collect())
        }
        Kind::Images => {
            let spot = |i: usize, at: usize| is_second(i) && at % 32 >= 24 && at / 32 < 8;
            let mut pixel = |i: usize, at: usize| if spot(i, at) { 250 } else { (100.0 * noise()) as u8 };
            let mut one =
                |i: usize| Image::new(32, 32, 1, (0..1024).map(|at| pixel(i, at)).collect()).unwrap();
            Values::Images((0..n).map(&mut one).collect())
        }
        Kind::Text => {
            let one =
                |i: usize| format!("a film {} about nothing", if is_second(i) { "great" } else { "dull" });
            Values::Text((0..n).map(|i| Some(one(i))).collect())
        }
        Kind::Strings => {
            let one = |i: usize| format!("ACACACAC{}ACACACAC", if is_second(i) { "GGGG" } else { "TTTT" });
            Values::Strings((0..n).map(|i| Some(one(i))).collect())
        }
        _ => {
            let one = |i: usize| {
                let labels = ["C", "C", "C", if is_second(i) { "N" } else { "O" }, "C"];
                let path = Graph::undirected(5, &[(0, 1), (1, 2), (2, 3), (3, 4)]).unwrap();
                path.with_node_labels(Labels::from_names(labels)).unwrap()
            };
            Values::Graphs((0..n).map(one).collect())
        }
    };
    let classes = (0..n).map(|i| Some(if is_second(i) { "second" } else { "first" }));
    let target = Target::Classes(Categories::from_values(classes));
    Dataset::new(vec![Column::new("what", values)]).unwrap().with_target("class", target).unwrap()
}

/// For every kind the part that makes the difference has the largest amount, for learners with and without coefficients, and
/// the amounts are those of all sets of parts, on which a model is evaluated one by one.
#[test]
fn hidden_parts_explain_any_kernel() {
    let engine = Engine::new();
    for (kind, kernel, part) in [
        (Kind::Series, "rbf-of(dtw, gamma=0.5)", "time steps 12-15"),
        (Kind::Series, "dtw", "time steps 12-15"),
        (
            Kind::Images,
            "visual(rbf(gamma=1), words=4, components=8, block=8, blocks=1, step=4)",
            "pixels x 16-31, y 0-15",
        ),
        (Kind::Text, "terms(rbf(gamma=1), weight=count)", "great"),
        (Kind::Strings, "subsequence(k=2)", "GGGG"),
        (Kind::Graphs, "random-walk(decay=0.1)", "node 3 (N)"),
    ] {
        let few = match kind {
            Kind::Series => Some(8),
            Kind::Images => Some(4),
            _ => Some(5),
        };
        let data = of_parts(kind);
        for learner in ["svc(C=10)", "knn(k=3)"] {
            if kernel == "dtw" && learner != "knn(k=3)" {
                continue;
            }
            let model = model(kernel, learner, &data);
            let options = AttributionOptions { parts: few, ..AttributionOptions::default() };
            let new = data.select(&[3, 5]);
            let (why, method) = model.explain_by_parts(&new, 3, &options, &engine).unwrap();
            assert!(method.is_exact(), "{kernel} {learner}");
            let decisions = model.predict(&new, &engine).unwrap().decisions;
            for (i, why) in why.iter().enumerate() {
                // Fisher vectors are of the image as a whole, so that every block matters.
                if kind != Kind::Images {
                    assert_eq!(why.parts[0].feature, part, "{kernel} {learner}: {:?}", why.parts);
                    assert!(why.parts[0].amount > 0.0);
                }
                let sum = why.offset + why.rest + why.parts.iter().map(|p| p.amount).sum::<f64>();
                assert!((sum - why.value).abs() < 1e-9, "{kernel} {learner}: {sum} {}", why.value);
                let row = decisions.row(i);
                assert!(
                    row.iter().any(|d| (d.abs() - why.value.abs()).abs() < 1e-9),
                    "{row:?} {}",
                    why.value
                );
            }
            let first = align(&model.kept, &new, &[0]).unwrap();
            let column = &first.columns()[0].values;
            let parts = column.parts(0, few.unwrap());
            // One prediction after the other, by the definition.
            let worth = |set: usize| {
                let visible: Vec<bool> = (0..parts.len()).map(|j| set >> j & 1 == 1).collect();
                let object = column.hiding(0, &parts, &[visible]).unwrap();
                let object = Dataset::new(vec![Column::new("what", object)]).unwrap();
                let row = model.predict(&object, &engine).unwrap().decisions.row(0).to_vec();
                row[row.len() - 1]
            };
            let all: Vec<f64> = (0..1 << parts.len()).map(worth).collect();
            let values = crate::numeric::shapley::of_all_coalitions(&all, parts.len());
            for told in &why[0].parts {
                let at = parts.iter().position(|p| told.nodes == [p.places.clone()]).unwrap();
                assert!((told.amount - values[at]).abs() < 1e-9, "{kernel} {learner}: {told:?} {values:?}");
            }
        }
    }
    let numbers = model("rbf@a,b", "svc", &data(20));
    let told = numbers.explain_by_parts(&data(20), 3, &AttributionOptions::default(), &engine);
    assert!(told.unwrap_err().to_string().contains("this model uses numbers"));
}

/// Two groups of nodes; the explained node has neighbours in both, and those of its own group carry the prediction.
#[test]
fn neighbours_of_nodes_are_hidden_in_their_network() {
    let mut edges = Vec::new();
    for group in [0u32, 8] {
        for i in 0..8 {
            for j in (i + 1)..8 {
                if (i + j) % 3 != 0 {
                    edges.push((group + i, group + j, 1.0));
                }
            }
        }
    }
    edges.extend([(16, 1, 1.0), (16, 2, 1.0), (16, 9, 0.5)]);
    let names = (0..17).map(|i| format!("n{i}")).collect();
    let network = Network::new(17, &edges).unwrap().with_names(names).unwrap();
    let x: Vec<f64> = (0..17).map(|i| if i < 8 { 1.0 } else { -1.0 } + 0.05 * (i as f64).sin()).collect();
    let nodes = Values::Nodes(Nodes::all(std::sync::Arc::new(network)));
    let target =
        Target::Classes(Categories::from_values((0..17).map(|i| Some(if i < 8 { "a" } else { "b" }))));
    let all = Dataset::new(vec![
        Column::new("node", nodes),
        Column::new("x", Values::Numbers(Dense::new(17, 1, x).unwrap())),
    ]);
    let data = all.unwrap().with_target("group", target).unwrap().with_node_attributes().unwrap();
    let (known, new) = (data.select(&(0..16).collect::<Vec<_>>()), data.select(&[16]));
    let engine = Engine::new();
    for (kernel, learner) in [
        ("node-diffusion(beta=0.5)@node", "svc(C=10)"),
        ("smooth(rbf(gamma=1)@x)", "svc(C=10)"),
        ("smooth(linear@x)", "linear-svc(C=1)"),
        ("smooth(rbf(gamma=1)@x)", "knn(k=3)"),
    ] {
        let model = Model::fit(&known, &kernel.parse().unwrap(), &learner.parse().unwrap(), 0, &engine);
        let model = model.unwrap_or_else(|e| panic!("{kernel}: {e}"));
        let (why, method) = model
            .explain_by_parts(&new, 5, &AttributionOptions::default(), &engine)
            .unwrap_or_else(|e| panic!("{kernel}: {e}"));
        let why = &why[0];
        assert!(method.is_exact());
        assert_eq!(why.class.as_deref(), Some("a"), "{kernel} {learner}");
        let amount = |name: &str| why.parts.iter().find(|p| p.feature == name).unwrap().amount;
        assert_eq!(why.parts.len(), 3);
        let own = amount("neighbour n1") + amount("neighbour n2");
        assert!(own > 0.0 && own > amount("neighbour n9"), "{kernel} {learner}: {:?}", why.parts);
        let whole = model.predict(&new, &engine).unwrap().decisions;
        let sum = why.offset + why.parts.iter().map(|p| p.amount).sum::<f64>();
        assert!(whole.row(0).iter().any(|d| (d.abs() - sum.abs()).abs() < 1e-9), "{kernel}: {sum} {whole:?}");
    }
}

/// A blend of numbers on two columns, of members that use one and both: the values by the formula are those of the definition.
#[test]
fn values_of_a_blend_are_the_mean_of_those_of_its_members() {
    let n = 30;
    let mut random = Random::new(3);
    let mut column = || -> Vec<f64> { (0..n).map(|_| random.normal()).collect() };
    let (a, b) = (column(), column());
    let y: Vec<f64> = a.iter().zip(&b).map(|(a, b)| (2.0 * a).sin() + a * b).collect();
    let values = |v: &[f64]| Values::Numbers(Dense::new(v.len(), 1, v.to_vec()).unwrap());
    let of = |a: &[f64], b: &[f64]| {
        Dataset::new(vec![Column::new("a", values(a)), Column::new("b", values(b))]).unwrap()
    };
    let data = of(&a, &b).with_target("y", Target::Numbers(y.clone())).unwrap();
    let engine = Engine::new();
    let member = |weight, kernel: &str, learner: &str| crate::model::BlendMember {
        model: Model::fit(&data, &kernel.parse().unwrap(), &learner.parse().unwrap(), 0, &engine).unwrap(),
        weight,
        sharpness: 1.0,
    };
    let both = || member(0.75, "rbf(gamma=0.5)", "ridge(lambda=0.1)");
    let model =
        Model::blend(vec![both(), member(0.25, "standardize(linear)@b", "svr(C=10)")], &data, 0).unwrap();
    let (x, other) = (data.select(&[4]), data.select(&[17]));
    let background = model.background(Some(&other), 1, 0).unwrap();
    let options = AttributionOptions::default();
    let found = model.attributions(&x, &background, &options, &engine).unwrap();
    assert_eq!(found.method, AttributionMethod::Formula);
    assert!(model.is_known_by_columns(&engine).unwrap());
    let f = |a: f64, b: f64| model.predict(&of(&[a], &[b]), &engine).unwrap().numbers().unwrap()[0];
    let (own, none) = (f(a[4], b[4]), f(a[17], b[17]));
    let (only_a, only_b) = (f(a[4], b[17]), f(a[17], b[4]));
    let of_a = 0.5 * ((only_a - none) + (own - only_b));
    let of_b = 0.5 * ((only_b - none) + (own - only_a));
    assert!((found.values[0].at(0, 0) - of_a).abs() < 1e-9 && (found.values[0].at(0, 1) - of_b).abs() < 1e-9);
    assert!((found.base[0] - none).abs() < 1e-12);
    // What needs one model says so.
    for error in [
        model.explain(&x, 3, &engine).map(|_| ()),
        model.explain_by_objects(&x, 3, &engine).map(|_| ()),
        model.weights(3).map(|_| ()),
        model.influences(3).map(|_| ()),
    ] {
        assert!(error.unwrap_err().to_string().contains("this model is a blend of 2 models"));
    }
    assert_eq!(model.explained(&x, 2, ExplainBy::Any, None, &engine).unwrap().by, ExplainBy::Columns);
    // Of classes, the mean of probabilities is evaluated for all sets of columns.
    let classes = y.iter().map(|y| Some(if *y > 0.0 { "yes" } else { "no" }));
    let data = of(&a, &b).with_target("y", Target::Classes(Categories::from_values(classes))).unwrap();
    let member = |weight, kernel: &str| crate::model::BlendMember {
        model: Model::fit(&data, &kernel.parse().unwrap(), &"svc".parse().unwrap(), 0, &engine).unwrap(),
        weight,
        sharpness: 2.0,
    };
    let model = Model::blend(vec![member(0.5, "rbf"), member(0.5, "linear@a")], &data, 0).unwrap();
    for output in [ExplainedOutput::Decision, ExplainedOutput::Probability] {
        let options = AttributionOptions { output, ..AttributionOptions::default() };
        let found = model.attributions(&x, &background, &options, &engine).unwrap();
        assert!(found.method == AttributionMethod::Enumerated && found.gap < 1e-9);
    }
}
