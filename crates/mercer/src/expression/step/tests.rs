use super::*;
use crate::container::Array;

/// A file with one step in it, changed by `edit`.
fn read(step: &Step, edit: impl FnOnce(&mut Container)) -> Result<Step> {
    let mut file = Container::new(Value::Null);
    file.document = step.put(&mut file, "s")?;
    edit(&mut file);
    let file = Container::from_bytes("m.mercer", &file.to_bytes()?)?;
    Step::get(&file, "s", &file.root())
}

#[track_caller]
fn refused(step: &Step, code: Code, edit: impl FnOnce(&mut Container)) {
    let error = read(step, edit).unwrap_err();
    assert_eq!(error.code(), code, "{error}");
}

fn set(name: &'static str, numbers: Vec<f64>) -> impl FnOnce(&mut Container) {
    move |file| {
        file.arrays.insert(name.into(), Array::list(numbers));
    }
}

fn report(method: Method) -> RepairReport {
    RepairReport {
        method,
        negative: 1,
        lambda_min: -1.0,
        lambda_max: 2.0,
        negative_share: 0.25,
        relative_change: f64::INFINITY,
    }
}

fn project() -> Step {
    let extension = Extension::Project {
        values: vec![2.0, -1.0],
        mapped: vec![2.0, 1.0],
        vectors: Dense::from_rows(&[[0.6, 0.8, 0.0], [0.8, -0.6, 0.0]]),
        identity: false,
    };
    Step::Repair { extension, report: report(Method::Flip) }
}

#[test]
fn steps_round_trip() {
    let shift = Step::Repair {
        extension: Extension::Shift { n: 3, amount: 0.1 + 0.2 },
        report: report(Method::Shift),
    };
    for step in [project(), shift, Step::Center { grand_mean: 1.0 / 3.0 }] {
        assert_eq!(read(&step, |_| {}).unwrap(), step);
    }
}

#[test]
fn inconsistent_repairs_are_refused() {
    let step = project();
    refused(&step, Code::ModelCount, set("s/mapped", vec![1.0]));
    refused(&step, Code::ModelCount, |f| f.document["objects"] = json!(4));
    refused(&step, Code::ModelCount, set("s/values", vec![]));
    refused(&step, Code::ModelSyntax, set("s/values", vec![2.0, 0.0]));
    refused(&step, Code::ModelSyntax, set("s/mapped", vec![2.0, -1.0]));
    refused(&step, Code::ModelNonFinite, set("s/mapped", vec![2.0, f64::NAN]));
    refused(&step, Code::ModelSyntax, set("s/vectors", vec![0.0; 6]));
    refused(&step, Code::ModelSyntax, |f| f.document["report"]["method"] = json!("shift"));
    refused(&step, Code::ModelSyntax, |f| f.document["report"]["method"] = json!("mend"));
    refused(&step, Code::ModelSyntax, |f| f.document["report"]["method"] = json!({"diffuse": {"beta": 0}}));
    refused(&step, Code::ModelSyntax, |f| f.document["report"]["negative"] = json!(-1));
    refused(&step, Code::ModelSyntax, |f| f.document["identity"] = json!(1));
    refused(&step, Code::ModelSyntax, |f| f.document["shift"] = json!(-1));
    refused(&step, Code::ModelSyntax, |f| f.document["step"] = json!("dance"));
    refused(&step, Code::ModelSyntax, |f| {
        f.arrays.remove("s/vectors");
    });
}

/// A walk of three steps over three objects, and one through two of them.
fn walks() -> [Step; 2] {
    use crate::gram::Walk;
    let gram = Dense::from_rows(&[[1.0, 0.5, 2.0], [0.5, 1.0, 0.0], [2.0, 0.0, 1.0]]);
    let few = Dense::from_rows(&[[1.0, 0.5], [0.5, 1.0]]);
    let passage = |gram: &Dense, p| Some(Walk::of(gram).unwrap().passage(p, false).unwrap());
    [
        Step::Walk { support: None, passage: passage(&gram, 3) },
        Step::Walk { support: Some(vec![0, 2]), passage: passage(&few, 2) },
    ]
}

#[test]
fn walks_round_trip() {
    let similar = Dense::from_rows(&[[1.0, 0.1 + 0.2], [0.1 + 0.2, 1.0]]);
    let [three, few] = walks();
    let one = Step::Walk { support: None, passage: None };
    for step in
        [three, few, one, Step::Markov { mean_degree: 1.0 / 3.0 }, Step::Transductive { gram: similar }]
    {
        assert_eq!(read(&step, |_| {}).unwrap(), step);
    }
}

#[test]
fn inconsistent_walks_are_refused() {
    let [three, few] = walks();
    refused(&three, Code::ModelSyntax, |f| f.document["through"] = json!("thick and thin"));
    refused(&three, Code::ModelCount, |f| f.document["passage"]["objects"] = json!(4));
    refused(&three, Code::ModelCount, |f| f.document["passage"]["negative"] = json!(4));
    refused(&three, Code::ModelCount, |f| f.document["passage"]["weight"] = json!(-1));
    refused(&three, Code::ModelSyntax, |f| f.document["passage"]["map"] = json!("no"));
    refused(&three, Code::ModelSyntax, |f| {
        f.arrays.remove("s/map");
    });
    refused(&three, Code::ModelNonFinite, |f| {
        f.arrays.insert("s/map".into(), Array::new(&[1, 3], vec![1.0, f64::NAN, 1.0]).unwrap());
    });
    refused(&few, Code::ModelSyntax, |f| {
        f.arrays.remove("s/support");
    });
    let known = Step::Transductive { gram: Dense::from_rows(&[[1.0, 0.5], [0.5, 1.0]]) };
    refused(&known, Code::ModelCount, |f| f.document["objects"] = json!(3));
    refused(&known, Code::ModelCount, |f| {
        f.arrays.insert("s/gram".into(), Array::new(&[2, 2], vec![1.0, 0.5, 0.4, 1.0]).unwrap());
    });
}

#[test]
fn inconsistent_scalings_are_refused() {
    use crate::data::{Column, Dataset, Values};
    let numbers = Values::Numbers(Dense::from_rows(&[[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]]));
    let data = Dataset::new(vec![Column::new("x", numbers)]).unwrap();
    for fit in [Scaling::standard, Scaling::unit_interval] {
        let (scaling, _) = fit(&data, &["x".into()]).unwrap();
        let step = Step::Scaling(scaling);
        assert_eq!(read(&step, |_| {}).unwrap(), step);
        refused(&step, Code::ModelCount, set("s/factor", vec![1.0]));
        refused(&step, Code::ModelNonFinite, set("s/offset", vec![1.0, f64::INFINITY]));
        refused(&step, Code::ModelCount, |f| f.document["columns"][0]["width"] = json!(3));
        refused(&step, Code::ModelCount, |f| f.document["columns"][0]["width"] = json!(1));
        refused(&step, Code::ModelCount, |f| {
            f.arrays.insert("s/bounded".into(), Array::list(vec![0u8]));
        });
        refused(&step, Code::ModelSyntax, |f| {
            f.arrays.insert("s/bounded".into(), Array::list(vec![2u8, 0]));
        });
        refused(&step, Code::ModelSyntax, |f| {
            f.arrays.insert("s/bounded".into(), Array::list(vec![1u8, 0]));
            f.arrays.insert("s/least".into(), Array::list(vec![2.0, 0.0]));
            f.arrays.insert("s/most".into(), Array::list(vec![1.0, 0.0]));
        });
    }
}
