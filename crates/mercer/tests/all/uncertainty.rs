//! Gaussian processes over every positive semidefinite entry of the registry: predictive variances, the order of objects,
//! and what they learn of kernels.

use mercer::data::{Dataset, Dense, Target};
use mercer::expression::entries;
use mercer::kernel::Definiteness;
use mercer::learn::{
    Approximation, ClassCodes, GaussianProcess, GpClassifier, IterativeGp, Posterior, ProcessModel,
};
use mercer::model::Model;
use mercer::solve::GramColumns;

use crate::generate::case;
use crate::support::{engine, parse};

/// The training matrix, the similarities of other objects to the training objects, and to themselves.
fn matrices(seed: u64, name: &str) -> Option<(Dense, Dense, Vec<f64>)> {
    let entry = mercer::expression::find(name)?;
    let case = case(entry, 14, seed)?;
    if case.expression.is_transductive() || case.train >= 14 {
        return None;
    }
    let train: Vec<usize> = (0..case.train).collect();
    let test: Vec<usize> = (case.train..case.data.len()).collect();
    let (known, new) = (case.data.select(&train), case.data.select(&test));
    let kernel = case.expression.fit(&known, engine()).ok()?.kernel;
    let gram = engine().gram(&kernel, &known).ok()?;
    let cross = engine().cross(&kernel, &new, &known).ok()?;
    let own = engine().diagonal_of(&kernel, &engine().prepare(&kernel, &new).ok()?).ok()?;
    let finite = |values: &[f64]| values.iter().all(|v| v.is_finite());
    (gram.rows() > 1 && finite(gram.values()) && finite(cross.values()) && finite(&own))
        .then_some((gram, cross, own))
}

fn posterior(gram: &Dense, cross: &Dense, own: &[f64], noise: f64) -> mercer::Result<Posterior> {
    let target: Vec<f64> = (0..gram.rows()).map(|i| ((i * 37 + 11) % 17) as f64 / 4.0 - 2.0).collect();
    let gp = GaussianProcess::new().with_scale(1.0).with_noise(noise).with_constant_mean(false);
    gp.fit_gram(gram, &target)?.posterior(cross, own)
}

#[test]
fn variances_of_every_entry_are_between_none_and_the_prior() {
    let mut looked = std::collections::BTreeSet::new();
    for entry in entries() {
        let name = entry.facts.name;
        if entry.facts.definiteness != Definiteness::PositiveSemidefinite {
            continue;
        }
        for (gram, cross, own) in (0..12).filter_map(|seed| matrices(1000 + seed, name)) {
            let n = gram.rows();
            let diagonal: Vec<f64> = (0..n).map(|i| gram.at(i, i)).collect();
            let size = diagonal.iter().sum::<f64>() / n as f64;
            let largest = diagonal.iter().chain(&own).fold(0.0f64, |m, v| m.max(*v));
            if size <= 0.0 || largest > 1e6 * size {
                continue;
            }
            // A matrix that is indefinite by an entry's parameters is refused.
            let Ok(found) = posterior(&gram, &cross, &own, 0.1 * size) else { continue };
            let slack = 1e-9 * largest;
            for (v, prior) in found.variances.iter().zip(&own) {
                assert!(*v >= 0.0 && *v <= prior + slack, "{name}: {v} of {prior}");
            }
            // At training objects: less than the noise; without noise none, up to the jitter of at most 1e-6.
            let at = posterior(&gram, &gram, &diagonal, 0.1 * size).unwrap();
            assert!(at.variances.iter().all(|v| *v <= 0.1 * size + slack), "{name}: {:?}", at.variances);
            let exact = posterior(&gram, &gram, &diagonal, 0.0).unwrap();
            assert!(exact.variances.iter().all(|v| *v <= 1e-5 * largest), "{name}: {:?}", exact.variances);
            // The order of the training objects changes nothing.
            let turned: Vec<usize> = (0..n).rev().collect();
            let columns = |m: &Dense| {
                let mut out = Dense::zeros(m.rows(), n);
                for i in 0..m.rows() {
                    out.row_mut(i).iter_mut().zip(&turned).for_each(|(v, &j)| *v = m.at(i, j));
                }
                out
            };
            let target: Vec<f64> = (0..n).map(|i| ((i * 37 + 11) % 17) as f64 / 4.0 - 2.0).collect();
            let other: Vec<f64> = turned.iter().map(|&i| target[i]).collect();
            let gp = GaussianProcess::new().with_scale(1.0).with_noise(0.1 * size).with_constant_mean(false);
            let model = gp.fit_gram(&columns(&gram.select(&turned)), &other).unwrap();
            let again = model.posterior(&columns(&cross), &own).unwrap();
            for i in 0..own.len() {
                assert!(
                    (again.means[i] - found.means[i]).abs() < 1e-8 * (1.0 + found.means[i].abs()),
                    "{name}"
                );
                assert!((again.variances[i] - found.variances[i]).abs() < 1e-8 * largest, "{name}");
            }
            // Classifiers too: probabilities sum to 1.
            let codes = ClassCodes::new((0..n).map(|i| i % 2).collect::<Vec<_>>(), 2);
            for approximation in [Approximation::Laplace, Approximation::ExpectationPropagation] {
                let gpc = GpClassifier::new().with_scale(1.0 / size).with_approximation(approximation);
                let p = gpc.fit_gram(&gram, &codes).unwrap().probabilities(&cross, &own).unwrap();
                assert!((0..p.rows()).all(|i| (p.at(i, 0) + p.at(i, 1) - 1.0).abs() < 1e-12), "{name}");
            }
            // Conjugate gradients: variances between the exact ones and the prior, means as close as they say.
            if n >= 5 {
                for rank in [1, n] {
                    let gp = IterativeGp::new(rank).with_scale(1.0).with_noise(0.1 * size);
                    let columns = GramColumns::new(&gram).unwrap();
                    let many = gp.with_constant_mean(false).fit_columns(&columns, &target, None, 0).unwrap();
                    let by = many.posterior(&cross, &own).unwrap();
                    let top = (0..n).fold(0.0f64, |m, i| m.max(gram.at(i, i)));
                    for i in 0..own.len() {
                        assert!(by.variances[i] >= found.variances[i] - slack, "{name}: {by:?} {found:?}");
                        assert!(by.variances[i] <= own[i] + slack, "{name}: {by:?} {own:?}");
                        let near = many.error() * (own[i] / top).max(1.0).sqrt() + 1e-8;
                        assert!((by.means[i] - found.means[i]).abs() <= near, "{name}: {by:?} {found:?}");
                    }
                }
            }
            looked.insert(name);
        }
    }
    let all = entries();
    let missed: Vec<_> = all
        .iter()
        .filter(|e| e.facts.definiteness == Definiteness::PositiveSemidefinite)
        .map(|e| e.facts.name)
        .filter(|name| !looked.contains(name))
        .collect();
    // Nodes of one graph and transductive kernels have no objects besides those they are fitted to.
    let whole: Vec<_> = missed
        .iter()
        .filter(|name| {
            let entry = mercer::expression::find(name).unwrap();
            entry.facts.kinds != [mercer::data::Kind::Nodes] && !entry.depends().is_transductive()
        })
        .collect();
    assert!(whole.is_empty(), "never tested: {whole:?}");
}

fn curve(n: usize) -> Dataset {
    let x: Vec<f64> = (0..2 * n).map(|i| ((i * 7919) % 1000) as f64 / 250.0).collect();
    let noise = |i: usize| 0.2 * (((i * 31) % 17) as f64 / 17.0 - 0.5);
    let y = (0..n).map(|i| (3.0 * x[2 * i]).sin() + noise(i)).collect();
    let data = Dataset::of_vectors(Dense::new(n, 2, x).unwrap());
    data.with_target("y", Target::Numbers(y)).unwrap()
}

#[test]
fn a_plain_kernel_is_learned_and_a_written_one_is_not() {
    let data = curve(40);
    let fit = |kernel: &str, learner: &str| {
        Model::fit(&data, &parse(kernel), &learner.parse().unwrap(), 0, engine()).unwrap()
    };
    let likelihood =
        |model: &Model| model.trained().model_as::<mercer::learn::GpModel>().unwrap().log_likelihood();
    let plain = fit("rbf", "gp");
    assert_eq!(plain.learned_kernels().count(), 1);
    assert!(likelihood(&plain) > likelihood(&fit("rbf", "gp(learn=none)")));
    assert_eq!(fit("rbf(gamma=0.3)", "gp").learned_kernels().count(), 0);
    assert_eq!(fit("rbf(gamma=0.3)", "gp(learn=all)").learned_kernels().count(), 1);
    // The column that the target does not depend on gets less weight, and the likelihood more.
    let each = fit("relevance(rbf)", "gp");
    assert!(likelihood(&each) > likelihood(&plain) + 1.0, "{} {}", likelihood(&each), likelihood(&plain));
    // Predictions of a stored model need nothing else.
    let again = Model::from_bytes("m.mercer", &each.to_bytes().unwrap(), engine()).unwrap();
    assert_eq!(again.predict(&data, engine()).unwrap(), each.predict(&data, engine()).unwrap());
    assert_eq!(again.learned_kernels().collect::<Vec<_>>(), each.learned_kernels().collect::<Vec<_>>());
}

#[test]
fn a_linear_mean_is_a_part_of_the_kernel() {
    let data = curve(40);
    let fit =
        |learner: &str| Model::fit(&data, &parse("rbf(gamma=1)"), &learner.parse().unwrap(), 0, engine());
    let linear = fit("gp(mean=linear, learn=none)").unwrap();
    let kernel = linear.expression().to_string();
    assert!(kernel.ends_with("rbf(gamma=1) + 10000*standardize(linear)"), "{kernel}");
    // Far from the data the mean goes on along a line: second differences are small compared with the first ones.
    let far = Dense::from_rows(&[[20.0, 0.0], [30.0, 0.0], [40.0, 0.0]]);
    let y = linear.predict(&Dataset::of_vectors(far), engine()).unwrap();
    let y = y.numbers().unwrap();
    assert!(((y[2] - y[1]) - (y[1] - y[0])).abs() < 1e-6 * (1.0 + (y[1] - y[0]).abs()), "{y:?}");
    // A matrix has no columns.
    let gram = engine().gram(&linear.expression().fit(&data, engine()).unwrap().kernel, &data).unwrap();
    let columns = GramColumns::new(&gram).unwrap();
    let given = "gp(mean=linear, learn=none)".parse().unwrap();
    let error = Model::fit_to(&data, linear.expression(), &given, 0, engine(), Some(&columns)).unwrap_err();
    assert!(error.to_string().contains("mean"), "{error}");
}

#[test]
fn many_objects_are_fitted_by_conjugate_gradients() {
    let data = curve(60);
    let fit = |learner: &str| {
        Model::fit(&data, &parse("rbf(gamma=1)"), &learner.parse().unwrap(), 0, engine()).unwrap()
    };
    let given = "noise=0.01, scale=1, mean=zero";
    let exact = fit(&format!("gp({given})"));
    let many = fit(&format!("gp({given}, solver=cg, landmarks=20)"));
    let numbers = |model: &Model| model.predict(&data, engine()).unwrap();
    let (a, b) = (numbers(&exact), numbers(&many));
    let error = many.trained().model_as::<mercer::learn::IterativeGpModel>().unwrap().error();
    let pairs = a.numbers().unwrap().iter().zip(b.numbers().unwrap());
    assert!(pairs.clone().all(|(a, b)| (a - b).abs() <= error + 1e-9), "{error} {a:?} {b:?}");
    let (a, b) = (a.deviations.unwrap(), b.deviations.unwrap());
    assert!(a.iter().zip(&b).all(|(a, b)| *b >= a - 1e-9 && *b < a + 0.1), "{a:?} {b:?}");
    let again = Model::from_bytes("m.mercer", &many.to_bytes().unwrap(), engine()).unwrap();
    assert_eq!(numbers(&again), numbers(&many));
    let without =
        Model::fit(&data, &parse("rbf"), &"gp(solver=cg, noise=none)".parse().unwrap(), 0, engine());
    assert!(without.unwrap_err().to_string().contains("noise"));
}

#[test]
fn a_model_is_fitted_as_a_search_evaluates_it() {
    use mercer::select::{Grid, Score, Search, Split};
    let data = curve(40);
    let split = Split { repetition: 0, fold: 0, train: (0..30).collect(), test: (30..40).collect() };
    for (kernel, learner) in [("rbf", "gp"), ("rbf@x + linear", "gp(learn=all)"), ("rbf", "gp(learn=none)")] {
        let kernel = kernel.replace("@x", "");
        let grid = Grid::new(&parse(&kernel), &learner.parse().unwrap()).unwrap();
        let search = Search::new(&data, &grid, Score::R2, engine(), 0).unwrap();
        let fold = search.fold(0, &split).unwrap();
        let model =
            Model::fit(&data.select(&split.train), &parse(&kernel), &learner.parse().unwrap(), 0, engine());
        let direct = model.unwrap().predict(&data.select(&split.test), engine()).unwrap();
        let (a, b) = (fold.prediction.numbers().unwrap(), direct.numbers().unwrap());
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6), "{kernel} {learner}: {a:?} {b:?}");
    }
}
