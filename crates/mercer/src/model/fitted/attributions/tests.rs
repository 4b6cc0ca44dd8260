use super::*;
use crate::data::{Categories, Column, Times, Values};
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
        assert!(KNOWN.iter().any(|(known, _)| *known == name), "{name} has no expression in this test");
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
        let all = composed::enumerated(&job, &views, &engine).unwrap();
        assert!(far(&found.values, &all) < 1e-9, "{text}: {}", far(&found.values, &all));
    }
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
