//! Kernels restored from a model file.

use mercer::Error;
use mercer::data::{Column, Dataset, Dense, Values};
use mercer::expression::{Expression, Fitted, Step, entries};
use mercer::model::Container;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::generate::{Random, case};
use crate::support::{dataset, engine, numbers, parse, sparse};

/// The steps written to the bytes of a file and read again.
fn through_a_file(steps: &[Step]) -> Vec<Step> {
    let mut file = Container::new(Value::Null);
    let put = |(i, step): (usize, &Step)| step.put(&mut file, &format!("step/{i}")).unwrap();
    let documents: Vec<Value> = steps.iter().enumerate().map(put).collect();
    file.document = json!({ "steps": documents });
    let file = Container::from_bytes("m.mercer", &file.to_bytes().unwrap()).unwrap();
    let fields = file.root().get("steps").unwrap().items().unwrap();
    let get = |(i, f)| Step::get(&file, &format!("step/{i}"), f).unwrap();
    fields.iter().enumerate().map(get).collect()
}

fn bits(k: &Dense) -> Vec<u64> {
    k.values().iter().map(|v| v.to_bits()).collect()
}

/// Compares the kernel with the one restored from its steps and the training objects that a model would store.
fn same_after_a_file(expression: &Expression, training: &Dataset, new: &Dataset) -> Result<Fitted, String> {
    let shown = |e: Error| format!("{expression}: {e}");
    let fitted = expression.fit(training, engine()).map_err(shown)?;
    let steps = through_a_file(&fitted.steps);
    if steps != fitted.steps {
        return Err(format!("{expression}: the steps changed"));
    }
    // If the kernel does not need them all, some training objects represent the support.
    let support: Vec<usize> = (0..training.len()).step_by(3).collect();
    let support = training.select(&support);
    let kept = if expression.needs_training() { training } else { &support };
    let restored = expression.restore(kept, steps, engine()).map_err(shown)?;
    if restored.steps != fitted.steps {
        return Err(format!("{expression}: the restored kernel has different steps"));
    }
    for (rows, cols) in [(new, &support), (&support, &support)] {
        let before = engine().cross(&fitted.kernel, rows, cols).map_err(shown)?;
        let after = engine().cross(&restored.kernel, rows, cols).map_err(shown)?;
        if bits(&before) != bits(&after) {
            return Err(format!("{expression}: different bits"));
        }
    }
    let before = engine().gram(&fitted.kernel, &support).map_err(shown)?;
    let after = engine().gram(&restored.kernel, &support).map_err(shown)?;
    if bits(&before) != bits(&after) {
        return Err(format!("{expression}: different bits in the Gram matrix"));
    }
    Ok(restored)
}

/// Columns of every type that wrappers treat differently, with missing values in one.
fn table(n: usize, seed: u64) -> Dataset {
    let mut random = Random::new(seed);
    let mut column = |gaps: bool| -> Vec<f64> {
        let value = |r: &mut Random| {
            if gaps && r.once_in(4) { f64::NAN } else { r.between(-2.0, 2.0) }
        };
        (0..n).map(|_| value(&mut random)).collect()
    };
    let (a, b, gap) = (column(false), column(false), column(true));
    let wide = Dense::new(n, 2, [column(false), column(false)].concat()).unwrap();
    let texts = (0..n).map(|_| Some((0..6).map(|_| *random.pick(&["a", "c", "g"])).collect::<String>()));
    dataset(vec![
        numbers("a", &a),
        numbers("b", &b),
        Column::new("wide", Values::Numbers(wide.clone())),
        Column::new("sparse", Values::Sparse(sparse(&wide))),
        numbers("gap", &gap),
        Column::new("s", Values::Strings(texts.collect())),
    ])
}

const ZOO: &[&str] = &[
    "rbf(gamma=0.5)@a,b",
    "center(standardize(rbf(gamma=0.5)))@a,b + 0.5*repair(sigmoid(gamma=1,c=0), method=clip)@wide",
    "standardize(minmax(rbf(gamma=1)))@[a,wide,sparse]",
    "minmax(standardize(center(linear)))@[a,sparse]",
    "zero-extend(standardize(rbf(gamma=1)))@gap + linear@a",
    "zero-extend(center(rbf(gamma=1))@[gap,b])",
    "convolution(center(delta), parts=substrings, length=2)@s",
    "convolution(standardize(rbf(gamma=1)), parts=columns)@a,wide",
    "column-sum(standardize(rbf(gamma=0.3)))@[a,b,wide]",
    "column-product(center(rbf(gamma=0.3)))@a,b",
    "normalize(center(polynomial(degree=2)))@a,b * rbf-of(repair(sigmoid(gamma=2,c=-1), method=flip)@wide, gamma=0.5)",
    "repair(repair(sigmoid(gamma=3,c=1), method=shift), method=diffuse, beta=0.5)@a,wide",
    "repair(linear, method=clip)@a,b",
    "center(center(rbf(gamma=1)))@a + ones",
    "normalize(walk(rbf(gamma=1), p=5))@a,b + walk(sigmoid(gamma=1, c=-1), p=3, scale=none)@wide",
    "walk(standardize(markov(rbf(gamma=0.5))), p=2)@[a,sparse] * walk(linear, p=1)@b",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn restored_kernels_give_the_same_bits(n in 4usize..40, seed in any::<u64>()) {
        let data = table(n, seed);
        let cut = n - n / 3;
        let training = data.select(&(0..cut).collect::<Vec<_>>());
        let new = data.select(&(cut..n).collect::<Vec<_>>());
        for text in ZOO {
            same_after_a_file(&parse(text), &training, &new).map_err(TestCaseError::fail)?;
        }
    }
}

/// Every kernel of the registry.
#[test]
fn every_entry_can_be_restored() {
    for entry in entries() {
        for seed in 0..40 {
            let n = 3 + seed as usize % 9;
            let case = case(entry, n, seed).unwrap();
            let mut training = case.data.select(&(0..case.train).collect::<Vec<_>>());
            let new = case.data.select(&(case.train..n).collect::<Vec<_>>());
            if case.expression.fit(&training, engine()).unwrap().is_transductive() {
                // It compares only the objects it was fitted to.
                training = case.data.clone();
            }
            let same = same_after_a_file(&case.expression, &training, &new);
            assert!(same.is_ok(), "seed {seed}: {}", same.unwrap_err());
        }
    }
}

#[test]
fn additional_columns_change_nothing() {
    let data = table(12, 3);
    let keep = |names: &[&str]| {
        let columns = names.iter().map(|n| data.column(n).unwrap().clone());
        Dataset::new(columns.collect()).unwrap()
    };
    let (training, wider) = (keep(&["a", "b"]), keep(&["wide", "b", "s", "a"]));
    for text in ["standardize(rbf(gamma=1))", "column-sum(linear)", "center(rbf(gamma=1))"] {
        let restored = same_after_a_file(&parse(text), &training, &training).unwrap();
        let same = engine().cross(&restored.kernel, &training, &training).unwrap();
        assert_eq!(engine().cross(&restored.kernel, &wider, &training).unwrap(), same, "{text}");
    }
}

#[test]
fn steps_that_do_not_fit_are_refused() {
    let data = table(9, 1);
    let steps = |text: &str| parse(text).fit(&data, engine()).unwrap().steps;
    let refused = |text: &str, steps: Vec<Step>| {
        let error = parse(text).restore(&data, steps, engine()).expect_err(text);
        assert!(matches!(error, Error::Usage { .. } | Error::Shape { .. } | Error::Param { .. }), "{error}");
    };
    refused("center(linear)@a", vec![]);
    refused("linear@a", steps("center(linear)@a"));
    refused("center(linear)@a", steps("standardize(linear)@a"));
    refused("standardize(linear)@a", steps("center(linear)@a"));
    refused("standardize(linear)@a", steps("standardize(linear)@b"));
    refused("standardize(linear)@a", steps("standardize(linear)@a,b"));
    refused("standardize(linear)@a,b", steps("standardize(linear)@a"));
    refused("repair(linear)@a", steps("center(linear)@a"));
    refused("repair(linear, method=clip)@a", steps("repair(linear, method=flip)@a"));
    refused("center(linear)@a", vec![Step::Center { grand_mean: f64::NAN }]);
    // Fewer training objects than the repair was fitted to.
    let few = data.select(&[0, 1, 2]);
    for text in
        ["repair(sigmoid(gamma=1,c=0))@a", "walk(rbf)@a", "walk(rbf, through=all)@a", "cluster(rbf)@a"]
    {
        assert!(
            matches!(parse(text).restore(&few, steps(text), engine()), Err(Error::Shape { .. })),
            "{text}"
        );
    }
    refused("walk(rbf, p=3)@a", steps("walk(rbf, p=1)@a"));
    refused("walk(rbf, p=1)@a", steps("walk(rbf, p=3)@a"));
    refused("walk(rbf, through=all)@a", steps("walk(rbf)@a"));
    refused("walk(rbf, through=support)@a", steps("walk(rbf)@a"));
    refused("markov(rbf)@a", vec![Step::Markov { mean_degree: -1.0 }]);
    refused("markov(rbf)@a", steps("cluster(rbf)@a"));
    let Step::Walk { passage, .. } = &steps("walk(rbf, p=3)@a")[0] else { panic!("no walk") };
    for support in [vec![], vec![3, 3], vec![9]] {
        let step = Step::Walk { support: Some(support), passage: passage.clone() };
        refused("walk(rbf, p=3, through=support)@a", vec![step]);
    }
}
