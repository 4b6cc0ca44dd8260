use super::marked::{Marked, Moves, Which};
use super::tree::Tree;
use crate::data::{Categories, Column, Dataset, Dense, Target, Values};
use crate::expression::columns::Scope;
use crate::expression::fit::Fit;
use crate::expression::{Expression, Step};
use crate::gram::Engine;
use crate::kernel::Boxed;
use crate::learn::{Covariance, Marginal};
use crate::random::Random;

/// Two useful columns of different lengths, one without use, and words.
fn data(n: usize, classes: bool) -> Dataset {
    let mut random = Random::new(9);
    let columns: Vec<Vec<f64>> = (0..3).map(|_| (0..n).map(|_| random.normal()).collect()).collect();
    let value = |i: usize, noise: f64| (1.5 * columns[0][i]).sin() + 0.3 * columns[1][i] + 0.1 * noise;
    let y: Vec<f64> = (0..n).map(|i| value(i, random.normal())).collect();
    let words: Vec<Option<String>> = (0..n)
        .map(|i| Some(["abab", "abba", "bbaa", "aabb"][(i * 7 + i / 3) % 4].repeat(1 + i % 3)))
        .collect();
    let of = |c: &Vec<f64>| Values::Numbers(Dense::new(n, 1, c.clone()).unwrap());
    let data = Dataset::new(vec![
        Column::new("a", of(&columns[0])),
        Column::new("b", of(&columns[1])),
        Column::new("none", of(&columns[2])),
        Column::new("word", Values::Strings(words)),
    ]);
    let target = match classes {
        true => Target::Classes(Categories::from_values(
            y.iter().map(|y| Some(if *y > 0.0 { "up" } else { "down" })),
        )),
        false => Target::Numbers(y),
    };
    data.unwrap().with_target("y", target).unwrap()
}

fn kernel(text: &str) -> Expression {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// For every way to differentiate: the matrix is that of the kernel with these numbers, and derivatives are those of
/// differences of the likelihood.
#[test]
fn matrices_and_derivatives_are_those_of_the_kernel() {
    let engine = Engine::new();
    let data = data(18, false);
    let Some(Target::Numbers(y)) = data.target() else { panic!() };
    let marginal = Marginal::of_numbers(y.clone(), None, true, None, None).unwrap();
    let all: Vec<usize> = (0..18).collect();
    for text in [
        "rbf",
        "laplacian",
        "rational-quadratic",
        "polynomial(degree=3)",
        "rbf@a + 3*linear@b + polynomial",
        "rbf@a * laplacian@b",
        "rbf@a * (rbf@b + delta@word)",
        "standardize(rbf@a + linear@b)",
        "normalize(polynomial)",
        "tanimoto(rbf@a + linear@b + polynomial)",
        "dice(polynomial + rbf)",
        "rbf-of(polynomial)",
        "rbf-of(spectrum(k=2)@word)",
        "normalize(subsequence(k=2, decay=0.6)@word) + rbf@a",
        "center(rbf)",
        "(rbf + linear)@a,b",
        "relevance(rbf)@a,b,none",
        "relevance(laplacian)@a,b,none + linear",
        "relevance(rational-quadratic)@a,b,none",
    ] {
        let expression = kernel(text);
        let (marked, learnable) = Marked::of(&expression, Which::All).unwrap();
        let fit = Fit::new(&engine, None);
        let scope = Scope { fit: &fit, data: &data, columns: None };
        let mut tree = Tree::new(&marked, learnable, &scope, &all, &engine).unwrap();
        let mut at: Vec<f64> = tree
            .parameters
            .iter()
            .enumerate()
            .map(|(i, p)| {
                let shift = if p.bounds.0 < p.bounds.1 { 0.3 - 0.2 * (i % 3) as f64 } else { 0.0 };
                p.start + shift
            })
            .collect();
        // As the wrapper makes it.
        let values = tree.values(&at);
        let made = Fit::new(&engine, None);
        made.preset(tree.weighed.iter().map(|weighed| weighed.scaling(&values)).collect());
        let there = Scope { fit: &made, data: &data, columns: None };
        let expected = engine.gram(&made.kernel(&marked.with(&values), &there).unwrap(), &data).unwrap();
        let found = tree.gram(&at).unwrap();
        let size = expected.values().iter().fold(0.0f64, |m, v| m.max(v.abs()));
        for (a, b) in found.values().iter().zip(expected.values()) {
            assert!((a - b).abs() < 1e-10 * size, "{text}: {a} {b}");
        }
        let own: Vec<f64> = marginal.own_start(&found).unwrap().iter().map(|v| v + 0.2).collect();
        let mut value = |at: &[f64]| {
            let slope = marginal.at(&tree.gram(at).unwrap(), &own).unwrap().unwrap();
            (slope.value, tree.slope(&slope.by_gram).unwrap())
        };
        let (_, slope) = value(&at);
        for i in 0..at.len() {
            let middle = at[i];
            at[i] = middle + 1e-4;
            let above = value(&at).0;
            at[i] = middle - 1e-4;
            let below = value(&at).0;
            at[i] = middle;
            let difference = (above - below) / 2e-4;
            // A learned γ within relevance is held at 1.
            if slope[i] != 0.0 || !text.contains("relevance") {
                assert!(
                    (difference - slope[i]).abs() < 2e-4 * (1.0 + slope[i].abs()),
                    "{text} {i}: {} {difference}",
                    slope[i]
                );
            }
        }
    }
}

fn learned_text(steps: &[Step]) -> String {
    let text = steps.iter().find_map(|step| match step {
        Step::Learned { kernel } => Some(kernel.clone()),
        _ => None,
    });
    text.unwrap()
}

#[test]
fn what_is_learned_is_stored_and_restored_bit_by_bit() {
    let engine = Engine::new();
    for (classes, text) in [
        (false, "learned(rbf)"),
        (true, "learned(rbf@a + linear@b)"),
        (false, "learned(standardize(relevance(rbf)@[a,b,none]) + 2*delta@word, which=defaults)"),
        (false, "normalize(learned(polynomial(gamma=scale))) + center(learned(laplacian))"),
    ] {
        let data = data(40, classes);
        let expression = kernel(text);
        let fitted = expression.fit(&data, &engine).unwrap();
        let told = fitted.warnings.iter().find(|w| w.code == "W_LEARNED").unwrap().to_string();
        let said = told.split_once(" has the highest").unwrap().0;
        // Four digits are enough for people.
        let digits =
            |number: &str| number.trim_matches(['0', '.']).matches(|c: char| c.is_ascii_digit()).count();
        let numbers = said.split(|c: char| !(c.is_ascii_digit() || c == '.'));
        assert!(numbers.map(digits).max().is_some_and(|most| most <= 4), "{said}");
        let again = expression.restore(&data, fitted.steps.clone(), &engine).unwrap();
        assert_eq!(engine.gram(&again.kernel, &data).unwrap(), engine.gram(&fitted.kernel, &data).unwrap());
        // The order of the objects does not matter, bit by bit, up to the objects' own order in the matrix.
        let turned: Vec<usize> = (0..40).rev().collect();
        let other = expression.fit(&data.select(&turned), &engine).unwrap();
        if !text.contains("center") && !text.contains("standardize") && !text.contains("relevance") {
            assert_eq!(learned_text(&other.steps), learned_text(&fitted.steps), "{text}");
        }
        // A file with another kernel is refused.
        let mut steps = fitted.steps;
        steps[0] = Step::Learned { kernel: "linear".into() };
        assert!(expression.restore(&data, steps, &engine).is_err());
    }
}

#[test]
fn columns_and_terms_without_use_get_little_weight() {
    let (data, engine) = (data(80, false), Engine::new());
    let fitted = kernel("learned(relevance(rbf)@[a,b,none])").fit(&data, &engine).unwrap();
    let Some(Step::Scaling(_)) = fitted.steps.get(1) else { panic!("{:?}", fitted.steps) };
    // Other values of the column without use change hardly anything, besides a constant, which the mean absorbs.
    let mut columns = data.columns().to_vec();
    columns[2].values = columns[2].values.select(&(0..80).rev().collect::<Vec<_>>());
    let other = data.with_columns(columns).unwrap();
    let centred = |kernel: &Boxed<Dataset>, data: &Dataset| {
        let k = engine.gram(kernel, data).unwrap();
        let means: Vec<f64> = (0..80).map(|i| k.row(i).iter().sum::<f64>() / 80.0).collect();
        let all = means.iter().sum::<f64>() / 80.0;
        (0..80 * 80).map(|at| k.values()[at] - means[at / 80] - means[at % 80] + all).collect::<Vec<f64>>()
    };
    let changes = |kernel: &Boxed<Dataset>| {
        let (own, others) = (centred(kernel, &data), centred(kernel, &other));
        let apart: f64 = own.iter().zip(&others).map(|(a, b)| (a - b).abs()).sum();
        apart / own.iter().map(|v| v.abs()).sum::<f64>()
    };
    assert!(changes(&fitted.kernel) < 0.05, "{}", changes(&fitted.kernel));
    let sum = kernel("learned(rbf@a + rbf@none)").fit(&data, &engine).unwrap();
    let text = learned_text(&sum.steps);
    assert!(changes(&sum.kernel) < 0.05, "{text}: {}", changes(&sum.kernel));
    let Expression::Sum(terms) = kernel(&text) else { panic!("{text}") };
    let weight = |at: usize| match &terms[at] {
        Expression::Scale(factor, _) => factor.number().unwrap(),
        other => panic!("{other}"),
    };
    assert!((weight(0) + weight(1) - 1.0).abs() < 1e-12);
}

#[test]
fn defaults_are_learned_and_written_numbers_stay() {
    let (data, engine) = (data(40, false), Engine::new());
    let learned = |text: &str| learned_text(&kernel(text).fit(&data, &engine).unwrap().steps);
    let text = learned("learned(rbf(gamma=0.7)@a + 2*rbf@b, which=defaults)");
    assert!(text.contains("rbf(gamma=0.7)@a") && text.contains("2*rbf(gamma="), "{text}");
    assert!(!text.contains("2*rbf(gamma=1)"), "{text}");
    assert!(!learned("learned(rbf(gamma=0.7))").contains("0.7)"));
    // Nothing to learn from.
    let same = data.clone().with_target("y", Target::Numbers(vec![2.0; 40])).unwrap();
    let fitted = kernel("learned(rbf(gamma=0.7))").fit(&same, &engine).unwrap();
    assert_eq!(learned_text(&fitted.steps), "rbf(gamma=0.7)");
    assert!(fitted.warnings.iter().any(|w| w.message.contains("all targets are equal")));
    let few = kernel("learned(rbf)").fit(&data.select(&[0, 1, 2, 3]), &engine).unwrap();
    assert!(few.warnings.iter().any(|w| w.message.contains("fewer than five")));
    for refused in ["learned(rbf + learned(linear))", "learned(center(relevance(rbf)@[a,b]))"] {
        assert!(kernel(refused).fit(&data, &engine).is_err(), "{refused}");
    }
    let bare = Dataset::new(data.columns().to_vec()).unwrap();
    assert!(kernel("learned(rbf)").fit(&bare, &engine).unwrap_err().to_string().contains("target"));
    assert!((Moves::Odds.to_value(Moves::Odds.place_of(0.3)) - 0.3).abs() < 1e-15);
}

#[test]
fn a_large_training_set_is_sampled() {
    let (data, engine) = (data(400, false), Engine::new());
    let fitted = kernel("learned(rbf, objects=60)").fit(&data, &engine).unwrap();
    assert!(fitted.warnings.iter().any(|w| w.message.contains("60 of 400 objects")), "{:?}", fitted.warnings);
}
