//! Walk kernels: compared with walks over matrices, and warnings of transductive ones.

use mercer::data::{Categories, Column, Dataset, Dense, Precomputed, Target, Values};
use mercer::expression::{Expression, Step};
use mercer::gram::{Markov, SupportWalk, TransductiveWalk, Transfer, Walk, normalize};
use mercer::kernel::{Definiteness, Kernel};
use mercer::learn::{ClassCodes, Learner as _, Svc};
use mercer::model::{Container, Model};
use mercer::solve::GramColumns;
use mercer::{Code, Error};

use crate::generate::Random;
use crate::support::{apart, block, cross, dense_data, engine, fit, gram, matrix, parse};

/// Balance: every combination of `features` values from 1 to `most`; the class compares the products of the two halves.
/// The order is seeded, so that the first objects are a fair sample.
fn balance(features: u32, most: usize) -> Dataset {
    let order = Random::new(7).permutation(most.pow(features));
    let x = matrix(order.len(), features as usize, |i, f| (order[i] / most.pow(f as u32) % most + 1) as f64);
    let class = |i: usize| {
        let (left, right) = x.row(i).split_at(features as usize / 2);
        match left.iter().product::<f64>().total_cmp(&right.iter().product()) {
            std::cmp::Ordering::Less => "right",
            std::cmp::Ordering::Equal => "balanced",
            std::cmp::Ordering::Greater => "left",
        }
    };
    let classes: Vec<_> = (0..x.rows()).map(|i| Some(class(i))).collect();
    dense_data(&x).with_target("class", Target::Classes(Categories::from_values(classes))).unwrap()
}

fn first(data: &Dataset, n: usize) -> Dataset {
    data.select(&(0..n).collect::<Vec<_>>())
}

fn rest(data: &Dataset, n: usize) -> Dataset {
    data.select(&(n..data.len()).collect::<Vec<_>>())
}

fn self_similarities(text: &str, new: &Dataset, training: &Dataset) -> Vec<f64> {
    let kernel = fit(text, training).kernel;
    engine().diagonal_of(&kernel, &kernel.prepare(new).unwrap()).unwrap()
}

const BASES: [&str; 3] = ["rbf(gamma=0.3)", "linear", "sigmoid(gamma=0.1, c=-1)"];

#[test]
fn walks_through_training_objects_equal_those_of_the_matrix() {
    let data = balance(4, 3);
    let (training, new) = (first(&data, 54), rest(&data, 54));
    for base in BASES {
        let (a, c) = (gram(base, &training), cross(base, &new, &training));
        let own = self_similarities(base, &new, &training);
        let walk = Walk::of(&a).unwrap();
        for p in 1..=7 {
            let text = format!("walk({base}, p={p}, through=train)");
            let scale = 1e-11 * walk.radius();
            assert!(apart(&gram(&text, &training), &walk.train(p).unwrap()) < scale, "{text}");
            assert!(apart(&cross(&text, &new, &training), &walk.cross(&c, p).unwrap()) < scale, "{text}");
            let want = walk.self_similarities(&c, &own, p).unwrap();
            let got = self_similarities(&text, &new, &training);
            assert!(got.iter().zip(&want).all(|(g, w)| (g - w).abs() < scale), "{text}");
            if p == 1 {
                assert_eq!(gram(&text, &training), a);
            } else {
                let kernel = fit(&text, &training).kernel;
                let among = engine().gram(&kernel, &new).unwrap();
                assert!(apart(&among, &walk.between(&c, &c, p).unwrap()) < scale, "{text}");
            }
            // The power itself, and both normalised.
            let factor = walk.factor(p);
            let whole = gram(&format!("walk({base}, p={p}, scale=none)"), &training);
            let want = matrix(54, 54, |i, j| walk.train(p).unwrap().at(i, j) * factor);
            assert!(apart(&whole, &want) < scale * factor, "{text}");
        }
    }
}

#[test]
fn normalised_walks_have_ones_on_the_diagonal() {
    let data = balance(2, 9);
    let (training, new) = (first(&data, 50), rest(&data, 50));
    let (a, c) = (gram("rbf(gamma=0.5)", &training), cross("rbf(gamma=0.5)", &new, &training));
    let walk = Walk::of(&a).unwrap();
    for p in [1, 2, 3, 7, 50] {
        let text = format!("normalize(walk(rbf(gamma=0.5), p={p}))");
        let k = gram(&text, &training);
        assert!((0..50).all(|i| k.at(i, i) == 1.0), "{text}");
        let mut want = walk.train(p).unwrap();
        let diagonal: Vec<f64> = (0..50).map(|i| want.at(i, i)).collect();
        normalize::train(&mut want).unwrap();
        assert!(apart(&k, &want) < 1e-9, "{text}");
        let mut want = walk.cross(&c, p).unwrap();
        let own = walk.self_similarities(&c, &[1.0; 31], p).unwrap();
        normalize::cross(&mut want, &own, &diagonal).unwrap();
        assert!(apart(&cross(&text, &new, &training), &want) < 1e-9, "{text}");
        assert_eq!(k, gram(&format!("normalize(walk(rbf(gamma=0.5), p={p}, scale=radius))"), &training));
    }
}

#[test]
fn definiteness_follows_the_power() {
    let data = balance(4, 3);
    let of = |text: &str| fit(text, &data).kernel.definiteness();
    for p in [2, 4] {
        assert_eq!(of(&format!("walk(sigmoid(gamma=1, c=-1), p={p})")), Definiteness::PositiveSemidefinite);
        assert_eq!(
            of(&format!("walk(sigmoid(gamma=1, c=-1), p={p}, through=all)")),
            Definiteness::PositiveSemidefinite
        );
    }
    for p in [1, 3] {
        assert_eq!(of(&format!("walk(sigmoid(gamma=1, c=-1), p={p})")), Definiteness::Indefinite);
        assert_eq!(
            of(&format!("walk(sigmoid(gamma=1, c=-1), p={p}, through=all)")),
            Definiteness::Indefinite
        );
        assert_eq!(of(&format!("walk(rbf, p={p})")), Definiteness::PositiveSemidefinite);
    }
}

/// The walk over inner products of centred data, computed by transforming the data.
#[test]
fn centred_inner_products_by_transforming_the_data() {
    let data = balance(4, 3);
    let (training, new) = (first(&data, 40), rest(&data, 40));
    let numbers = |d: &Dataset| d.vectors(&["x".into()]).unwrap().to_dense();
    let short = mercer::gram::LinearWalk::fit(&numbers(&training)).unwrap();
    for p in 1..=7 {
        let text = format!("walk(center(linear), p={p})");
        let of = |d: &Dataset| dense_data(&short.transform(&numbers(d), p).unwrap());
        assert!(apart(&gram(&text, &training), &gram("linear", &of(&training))) < 1e-9, "{p}");
        let direct = cross("linear", &of(&new), &of(&training));
        assert!(apart(&cross(&text, &new, &training), &direct) < 1e-9, "{p}");
    }
}

#[test]
fn walks_through_support_vectors_fit_a_model_first() {
    let data = balance(4, 3);
    let (training, new) = (first(&data, 50), rest(&data, 50));
    let base = "rbf(gamma=0.3)";
    let (a, c) = (gram(base, &training), cross(base, &new, &training));
    let Some(Target::Classes(classes)) = training.target() else { panic!("no classes") };
    let codes: Vec<usize> = (0..50).map(|i| classes.code(i).unwrap() as usize).collect();
    for cost in [1.0, 100.0] {
        let columns = GramColumns::new(&a).unwrap();
        let trained = Svc::new(cost).fit_columns(&columns, &ClassCodes::new(&codes[..], 3)).unwrap();
        let support = trained.support().to_vec();
        let walk = SupportWalk::of(&a, &support).unwrap();
        for p in [1, 2, 3, 5] {
            let text = format!("walk({base}, p={p}, through=support, C={cost})");
            assert!(apart(&gram(&text, &training), &walk.train(p).unwrap()) < 1e-10, "{text}");
            assert!(apart(&cross(&text, &new, &training), &walk.cross(&c, p).unwrap()) < 1e-10, "{text}");
            let want = walk.self_similarities(&c, &[1.0; 31], p).unwrap();
            let got = self_similarities(&text, &new, &training);
            assert!(got.iter().zip(&want).all(|(g, w)| (g - w).abs() < 1e-10), "{text}");
            if p > 1 {
                let steps = fit(&text, &training).steps;
                let [Step::Walk { support: Some(kept), .. }] = steps.as_slice() else { panic!("{steps:?}") };
                assert_eq!(*kept, support);
            }
        }
    }
    // The walk passes through fewer objects if not all are support vectors.
    assert!(matches!(&fit("walk(linear, through=support, C=10)", &training).steps[..],
        [Step::Walk { support: Some(s), .. }] if s.len() < 50));
}

#[test]
fn support_vectors_need_a_target() {
    let bare = dense_data(&Dense::from_rows(&[[1.0], [2.0], [4.0]]));
    let error = parse("walk(rbf, through=support)").fit(&bare, engine()).unwrap_err();
    assert!(error.code() == Code::Column && error.to_string().contains("target"), "{error}");
    let one = Categories::from_values([Some("a"); 3]);
    let one = bare.clone().with_target("y", Target::Classes(one)).unwrap();
    assert!(parse("walk(rbf, through=support)").fit(&one, engine()).is_err());
    let gap = Categories::from_values([Some("a"), None, Some("b")]);
    let gap = bare.clone().with_target("y", Target::Classes(gap)).unwrap();
    let error = parse("walk(rbf, through=support)").fit(&gap, engine()).unwrap_err();
    assert!(matches!(error, Error::Missing { index: 1, ref column } if column == "y"), "{error}");
    // With a numeric target, the first model is a regression.
    let numbers = bare.clone().with_target("y", Target::Numbers(vec![1.0, 5.0, -3.0])).unwrap();
    assert_eq!(gram("walk(rbf, p=2, through=support)", &numbers).rows(), 3);
    let flat = bare.clone().with_target("y", Target::Numbers(vec![1.0; 3])).unwrap();
    let error = parse("walk(rbf, through=support)").fit(&flat, engine()).unwrap_err();
    assert!(error.to_string().contains("support vectors"), "{error}");
    // A first model cannot be fitted to indefinite similarities.
    let k = Precomputed::square(Dense::from_rows(&[[1.0, 2.0], [2.0, 1.0]])).unwrap();
    let k = Dataset::new(vec![Column::new("k", Values::Precomputed(k))]).unwrap();
    let k = k.with_target("y", Target::Classes(Categories::from_values(["a", "b"].map(Some)))).unwrap();
    let error = parse("walk(precomputed, through=support)").fit(&k, engine()).unwrap_err();
    assert!(
        matches!(error, Error::NotPositiveDefinite { lambda_min, .. } if (lambda_min + 1.0).abs() < 1e-12)
    );
    // Training objects of only some of the classes.
    let classes = Categories::from_values(["a", "b", "c"].map(Some));
    let some = bare.with_target("y", Target::Classes(classes)).unwrap().select(&[0, 2]);
    assert_eq!(gram("walk(rbf, through=support)", &some).rows(), 2);
}

#[test]
fn transductive_walks_equal_those_of_the_matrix() {
    let data = balance(4, 3);
    let (training, new) = (first(&data, 54), rest(&data, 54));
    let old: Vec<usize> = (0..54).collect();
    for base in BASES {
        let k = gram(base, &data);
        let walk = TransductiveWalk::of(&k, &old).unwrap();
        for p in 1..=7 {
            let text = format!("walk({base}, p={p}, through=all)");
            let kernel = fit(&text, &data).kernel;
            let (train, cross, own) = walk.blocks(p).unwrap();
            assert_eq!(engine().gram(&kernel, &training).unwrap(), train, "{text}");
            assert_eq!(engine().cross(&kernel, &new, &training).unwrap(), cross, "{text}");
            let set = kernel.prepare(&new).unwrap();
            assert_eq!(engine().diagonal_of(&kernel, &set).unwrap(), own, "{text}");
            // The training block differs from that of the training objects alone.
            if p > 1 {
                assert!(apart(&train, &gram(&format!("walk({base}, p={p})"), &training)) > 1e-6, "{text}");
            }
        }
    }
}

#[test]
fn markov_and_related_walks_equal_those_of_the_matrix() {
    let data = balance(4, 3);
    let base = "rbf(gamma=0.3)";
    let markov = Markov::of(&gram(base, &data)).unwrap();
    let s = markov.symmetric();
    assert!(apart(&gram(&format!("markov({base})"), &data), &s) < 1e-14);
    let walk = Walk::of(&s).unwrap();
    for p in 1..=7 {
        for through in ["train", "all"] {
            let text = format!("walk(markov({base}), p={p}, through={through})");
            assert!(apart(&gram(&text, &data), &walk.train(p).unwrap()) < 1e-13, "{text}");
        }
        for a in [2.0, 3.5] {
            let text = format!("laplacian-walk({base}, p={p}, a={a})");
            let want = markov.laplacian(a).unwrap().train(p).unwrap();
            assert_eq!(gram(&text, &data), want, "{text}");
            let whole = gram(&format!("laplacian-walk({base}, p={p}, a={a}, scale=none)"), &data);
            let want = matrix(81, 81, |i, j| want.at(i, j) * a.powi(p as i32 - 1));
            assert!(apart(&whole, &want) < 1e-11 * a.powi(p as i32), "{text}");
        }
    }
    for (text, transfer) in [
        ("transfer=linear", Transfer::Linear),
        ("transfer=step, keep=3", Transfer::Step { keep: 3 }),
        ("transfer=linear-step, keep=4", Transfer::LinearStep { keep: 4 }),
        ("transfer=polynomial, t=2.5", Transfer::Polynomial { t: 2.5 }),
    ] {
        assert_eq!(
            gram(&format!("cluster({base}, {text})"), &data),
            markov.cluster(transfer).unwrap(),
            "{text}"
        );
    }
    // New objects under the symmetric Markov walk: k / √(d·d') with sums over the training objects.
    let (training, new) = (first(&data, 60), rest(&data, 60));
    let (a, c) = (gram(base, &training), cross(base, &new, &training));
    let sum = |row: &[f64]| row.iter().sum::<f64>();
    let want = matrix(21, 60, |i, j| c.at(i, j) / (sum(c.row(i)) * sum(a.row(j))).sqrt());
    assert!(apart(&cross(&format!("markov({base})"), &new, &training), &want) < 1e-14);
}

#[test]
fn an_object_similar_to_none_has_similarity_zero() {
    let training = dense_data(&Dense::from_rows(&[[0.0], [1.0]]));
    let new = dense_data(&Dense::from_rows(&[[1e6], [0.5], [26.5]]));
    let c = cross("markov(rbf(gamma=1))", &new, &training);
    assert_eq!(c.row(0), [0.0, 0.0]);
    assert!(c.row(1)[0] > 0.0 && self_similarities("markov(rbf(gamma=1))", &new, &training)[0] == 0.0);
    // exp(-702) and exp(-650): tiny, but not 0.
    assert!(self_similarities("markov(rbf(gamma=1))", &new, &training)[2].is_finite());
    let error = parse("markov(linear)").fit(&dense_data(&Dense::from_rows(&[[1.0], [-3.0]])), engine());
    assert!(matches!(error, Err(Error::Object { index: 0, .. })));
    for text in ["laplacian-walk(linear)", "walk(markov(linear), p=3)"] {
        let error = parse(text).fit(&dense_data(&Dense::from_rows(&[[1.0], [-3.0]])), engine()).unwrap_err();
        assert!(error.hint().unwrap().contains("rbf"), "{error}");
    }
    assert!("laplacian-walk(rbf, a=1.5)".parse::<Expression>().is_err());
    assert!("walk(rbf, p=0)".parse::<Expression>().is_err());
    assert!("walk(rbf, p=2.5)".parse::<Expression>().is_err());
}

/// Every wrapper of a transductive kernel is transductive, with a warning.
#[test]
fn every_transductive_kernel_gives_a_warning() {
    let data = first(&balance(4, 3), 12);
    let others = rest(&balance(4, 3), 12);
    for inner in ["walk(rbf, p=2, through=all)", "laplacian-walk(rbf)", "cluster(rbf)"] {
        for text in [
            "K",
            "K@x",
            "2*K",
            "K + linear",
            "linear * K",
            "normalize(K)",
            "center(K)",
            "rbf-of(K)",
            "zero-extend(K)",
            "repair(K)",
            "walk(K, p=3)",
            "markov(K)",
            "column-sum(K)",
            "column-product(K)",
            "standardize(K)",
            "minmax(K)",
            "walk(markov(K), p=3, through=support)",
        ] {
            let text = text.replace('K', inner);
            let fitted = fit(&text, &data);
            assert!(fitted.is_transductive() && fitted.kernel.is_transductive(), "{text}");
            assert!(fitted.warnings.iter().any(|w| w.code == "W_TRANSDUCTIVE"), "{text}");
            // Taken one by one, the coordinates of other objects equal those of training objects.
            if text.starts_with("column-") {
                continue;
            }
            let error = engine().gram(&fitted.kernel, &others).expect_err(&text);
            assert!(error.to_string().contains("transductive"), "{text}: {error}");
            assert!(
                matches!(error, Error::Object { index: 0, .. }) && error.hint().is_some(),
                "{text}: {error}"
            );
        }
    }
    for text in ["rbf", "walk(rbf, p=3)", "walk(rbf, through=support)", "markov(rbf)", "center(walk(rbf))"] {
        let fitted = fit(text, &data);
        assert!(!fitted.is_transductive() && fitted.warnings.is_empty(), "{text}");
    }
}

/// A transductive kernel identifies its objects by the columns it uses.
#[test]
fn objects_are_identified_by_content() {
    let data = balance(2, 4);
    let kernel = fit("walk(rbf, p=3, through=all)", &data).kernel;
    let all = engine().gram(&kernel, &data).unwrap();
    let order = Random::new(3).permutation(16);
    let x = data.vectors(&["x".into()]).unwrap().to_dense().select(&order);
    let bare = dense_data(&x);
    assert_eq!(engine().gram(&kernel, &bare).unwrap(), block(&all, &order, &order));
}

/// Restored from a file: the same bits for the objects of the fit, and others are refused.
#[test]
fn walks_are_restored_from_files() {
    let data = balance(4, 3);
    let (training, new) = (first(&data, 50), rest(&data, 50));
    for (text, all) in [
        ("normalize(walk(rbf(gamma=0.3), p=4))", false),
        ("walk(sigmoid(gamma=1, c=-1), p=3, scale=none)", false),
        ("walk(rbf(gamma=0.3), p=3, through=support, C=5)", false),
        ("walk(rbf(gamma=0.3), p=1, through=support)", false),
        ("walk(markov(rbf(gamma=0.3)), p=5)", false),
        ("normalize(walk(rbf(gamma=0.3), p=3, through=all))", true),
        ("laplacian-walk(rbf(gamma=0.3), p=4) + linear", true),
        ("cluster(rbf(gamma=0.3), transfer=linear-step, keep=3)", true),
    ] {
        let seen = if all { &data } else { &training };
        let fitted = fit(text, seen);
        let mut file = Container::new(serde_json::Value::Null);
        let put = |(i, s): (usize, &Step)| s.put(&mut file, &format!("step/{i}")).unwrap();
        let documents: Vec<_> = fitted.steps.iter().enumerate().map(put).collect();
        file.document = serde_json::json!({ "steps": documents });
        let file = Container::from_bytes("m.mercer", &file.to_bytes().unwrap()).unwrap();
        let fields = file.root().get("steps").unwrap().items().unwrap();
        let get = |(i, f)| Step::get(&file, &format!("step/{i}"), f).unwrap();
        let steps: Vec<Step> = fields.iter().enumerate().map(get).collect();
        assert_eq!(steps, fitted.steps, "{text}");
        assert!(parse(text).needs_training());
        let restored = parse(text).restore(seen, steps, engine()).unwrap();
        let values = |k| engine().cross(k, &new, &training).unwrap();
        assert_eq!(values(&restored.kernel), values(&fitted.kernel), "{text}");
        assert_eq!(restored.kernel.definiteness(), fitted.kernel.definiteness(), "{text}");
        assert_eq!(restored.is_transductive(), all, "{text}");
        let printed = restored.kernel.to_string();
        assert_eq!(gram(&printed, seen), gram(text, seen), "{printed}");
        if all {
            let stranger = dense_data(&Dense::from_rows(&[[0.5, 0.5, 0.5, 0.5]]));
            let error = engine().gram(&restored.kernel, &stranger).unwrap_err();
            assert!(error.to_string().contains("transductive"), "{error}");
        }
    }
}

/// Models with walks predict the same after saving and loading, and classify balance well.
#[test]
fn models_with_walks_are_saved() {
    let data = balance(4, 4);
    let (training, new) = (first(&data, 200), rest(&data, 200));
    for (kernel, all) in [
        ("normalize(walk(rbf(gamma=0.1), p=3))", false),
        ("normalize(walk(rbf(gamma=0.1), p=3, through=support, C=10))", false),
        ("normalize(walk(rbf(gamma=0.1), p=3, through=all))", true),
    ] {
        let seen = if all { &data } else { &training };
        let learner = "svc(C=1000)".parse().unwrap();
        let model = Model::fit(seen, &parse(kernel), &learner, 0, engine()).unwrap();
        assert_eq!(model.is_transductive(), all);
        let again = Model::from_bytes("m.mercer", &model.to_bytes().unwrap(), engine()).unwrap();
        let (before, after) =
            (model.predict(&new, engine()).unwrap(), again.predict(&new, engine()).unwrap());
        assert_eq!(before.decisions, after.decisions, "{kernel}");
        assert_eq!(again.is_transductive(), all);
        let Some(Target::Classes(truth)) = new.target() else { panic!("no classes") };
        let right = (0..new.len()).filter(|&i| before.class(i) == truth.get(i)).count();
        assert!(right as f64 > 0.7 * new.len() as f64, "{kernel}: {right} of {}", new.len());
        if all {
            let stranger = dense_data(&Dense::from_rows(&[[0.5, 0.5, 0.5, 0.5]]));
            let error = again.predict(&stranger, engine()).map(|_| ()).unwrap_err();
            assert!(error.to_string().contains("transductive"), "{error}");
        }
    }
}

#[test]
fn a_search_may_choose_the_power() {
    let expression = parse("normalize(walk(rbf(gamma=1), p=1..7, through=[train, support]))");
    let choices = expression.choices();
    assert_eq!(
        choices.iter().map(|(n, v)| (n.as_str(), v.len())).collect::<Vec<_>>(),
        [("p", 7), ("through", 2)]
    );
    let picked = expression.pick(&[4, 0]).unwrap();
    assert_eq!(picked.to_string(), "normalize(walk(rbf(gamma=1), p=5, through=train, C=1, scale=radius))");
}
