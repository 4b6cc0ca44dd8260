//! Inputs that once broke something, each with its story.

use mercer::data::{Column, Dataset, Sparse, Values};
use mercer::gram::Engine;
use mercer::model::{Container, Model};
use mercer_fuzz::{MOST_TIME, find, peak_of, within};

use crate::alone;

/// Runs an input that is kept in `tests/known/`, three times if it is slow.
#[allow(dead_code)]
fn holds(target: &str, name: &str) {
    let _one = alone();
    let bytes = std::fs::read(mercer_fuzz::folder().join("tests/known").join(name)).unwrap();
    let run = find(target).unwrap().run;
    let fast = (0..3).any(|_| within(|| run(&bytes)).time < MOST_TIME);
    assert!(fast, "{name}: more than {MOST_TIME:?}");
}

/// Features were named one by one, all 2²⁷ of an imported model or 2³¹ of a file that says so, whichever occur.
#[test]
fn sparse_vectors_of_many_features_are_not_written_out() {
    let _one = alone();
    let engine = Engine::new().with_threads(1).unwrap();
    let text = "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0.25\nlabel 1 -1\nnr_sv 1 1\nSV\n0.75 1:2 3:-1 \n-0.75 2:1.5 \n";
    let model = Model::from_bytes("svm.model", text.as_bytes(), &engine).unwrap();
    let new = Sparse::from_rows(100_000_001, &[vec![(2, 1.0), (100_000_000, 5.0)]]).unwrap();
    let new = Dataset::new(vec![Column::new("x", Values::Sparse(new))]).unwrap();
    let (why, bytes) = peak_of(|| (model.explain(&new, 9, &engine), model.weights(9)));
    let (why, weights) = (why.0.unwrap(), why.1.unwrap());
    assert_eq!(why[0].parts[0].feature, "x[3]");
    assert_eq!(weights.iter().map(|w| w.feature.as_str()).collect::<Vec<_>>(), ["x[1]", "x[2]", "x[3]"]);
    assert!(bytes < 1 << 20, "{bytes} bytes to explain three features");

    let file = std::fs::read(mercer_fuzz::folder().join("../crates/mercer/tests/golden/features.mercer")).unwrap();
    let mut wide = Container::from_bytes("m", &file).unwrap();
    wide.document["kept"]["columns"][0]["width"] = (1u64 << 31).into();
    let wide = Model::from_container(&wide, &engine).unwrap();
    let (_, bytes) = peak_of(|| wide.predict(wide.kept(), &engine).is_ok());
    assert!(bytes < 1 << 20, "{bytes} bytes to refuse a model");
}

/// Two columns of 2³² features each were put side by side with indices that began again at 0.
#[test]
fn features_side_by_side_have_indices() {
    let _one = alone();
    let far = Sparse::from_rows(1 << 32, &[vec![(7, 1.0)]]).unwrap();
    let column = |name: &str| Column::new(name, Values::Sparse(far.clone()));
    let data = Dataset::new(vec![column("a"), column("b")]).unwrap();
    assert!(data.vectors(&["a".into()]).is_ok());
    assert!(data.vectors(&["a".into(), "b".into()]).is_err());
}
