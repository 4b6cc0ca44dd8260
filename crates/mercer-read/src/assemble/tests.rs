use std::path::Path;

use super::*;

fn source() -> Source<'static> {
    Source { name: Path::new("table"), bytes: &[] }
}

fn numbers(name: &str, values: &[f64]) -> Column {
    Column::new(name, Values::Numbers(Dense::new(values.len(), 1, values.to_vec()).unwrap()))
}

fn strings(name: &str, values: &[&str]) -> Column {
    Column::new(name, Values::Strings(values.iter().map(|v| Some((*v).to_owned())).collect()))
}

fn build(columns: Vec<Column>, options: &Options) -> Result<Dataset> {
    let names: Vec<_> = columns.iter().map(|c| c.name.clone()).collect();
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let roles = roles(&source(), &names, options)?;
    let table = roles.into_iter().zip(columns).filter(|(r, _)| *r != Role::Ignore).collect();
    assemble(&source(), table, options)
}

#[test]
fn the_target_is_found_by_name_in_any_case() {
    let table = || vec![numbers("a", &[1.0, 2.0]), numbers("Y", &[0.0, 1.0]), strings("Class", &["p", "q"])];
    let data = build(table(), &Options::default()).unwrap();
    assert_eq!(data.target_name(), Some("Class"));
    assert_eq!(data.columns().len(), 2);
    let data = build(table(), &Options { no_target: true, ..Options::default() }).unwrap();
    assert_eq!((data.target(), data.columns().len()), (None, 3));
    let data = build(table(), &Options { ignore: vec!["Class".into()], ..Options::default() }).unwrap();
    assert_eq!(data.target_name(), Some("Y"));
}

#[test]
fn error_for_a_missing_column_suggests_the_nearest() {
    let table = || vec![numbers("weight", &[1.0]), numbers("age", &[1.0])];
    let target = Options { target: Some("aeg".into()), ..Options::default() };
    let error = build(table(), &target).unwrap_err();
    assert_eq!((error.code(), error.hint().as_deref()), (Code::Target, Some("did you mean age?")));
    let group = Options { group: Some("person".into()), ..Options::default() };
    assert_eq!(build(table(), &group).unwrap_err().code(), Code::Column);
}

#[test]
fn few_whole_numbers_are_classes() {
    let few = build(vec![numbers("a", &[1.0; 3]), numbers("y", &[-1.0, 1.0, -0.0])], &Options::default());
    let Some(Target::Classes(c)) = few.unwrap().target().cloned() else { panic!("not classes") };
    assert_eq!(c.levels(), ["-1", "1", "0"]);
    let many: Vec<f64> = (0..21).map(f64::from).collect();
    for values in [&many[..], &[0.5, 1.0]] {
        let data = build(vec![numbers("a", values), numbers("y", values)], &Options::default()).unwrap();
        assert!(matches!(data.target(), Some(Target::Numbers(_))));
    }
    let options = Options { target_kind: TargetKind::Numbers, ..Options::default() };
    let data = build(vec![strings("s", &["p"]), strings("y", &["2.5"])], &options).unwrap();
    assert_eq!(data.target(), Some(&Target::Numbers(vec![2.5])));
    let bad = build(vec![strings("s", &["p"]), strings("y", &["x"])], &options);
    assert_eq!(bad.unwrap_err().code(), Code::Label);
}

#[test]
fn groups_ids_and_weights_are_not_features() {
    let options = Options {
        group: Some("person".into()),
        id: Some("name".into()),
        weight: Some("w".into()),
        ..Options::default()
    };
    let table = |w: f64| {
        vec![
            numbers("a", &[1.0, 2.0]),
            numbers("person", &[7.0, 7.0]),
            strings("name", &["p", "q"]),
            numbers("w", &[1.0, w]),
        ]
    };
    let data = build(table(2.0), &options).unwrap();
    assert_eq!(data.columns().len(), 1);
    assert_eq!(data.groups().unwrap().levels(), ["7"]);
    assert_eq!(data.ids().unwrap(), ["p", "q"]);
    assert_eq!(data.weights().unwrap(), [1.0, 2.0]);
    assert_eq!(build(table(-2.0), &options).unwrap_err().code(), Code::Param);
}

#[test]
fn missing_values_follow_the_policy() {
    let table = || vec![numbers("a", &[1.0, f64::NAN, 3.0]), strings("b", &["p", "q", "r"])];
    let with = |missing| build(table(), &Options { missing: Some(missing), ..Options::default() });
    assert_eq!(with(Missing::Keep).unwrap().columns()[0].missing(), 1);
    let dropped = with(Missing::Drop).unwrap();
    assert_eq!((dropped.len(), dropped.warnings()[0].code), (2, "W_DROPPED"));
    let error = with(Missing::Refuse).unwrap_err();
    assert_eq!(error.code(), Code::Missing);
    assert_eq!(error.to_string(), "table E_MISSING row 2: no value in column 'a'");
    let unlabelled = || vec![numbers("a", &[1.0, 2.0]), numbers("y", &[1.0, f64::NAN])];
    let data = build(unlabelled(), &Options::default()).unwrap();
    assert_eq!(
        data.warnings()[0].to_string(),
        "W_UNLABELLED 1 of 2 rows have no value in target 'y' (row 2)"
    );
    assert_eq!(data.set_aside_unlabelled().len(), 1);
    let refuse = Options { missing: Some(Missing::Refuse), ..Options::default() };
    assert_eq!(build(unlabelled(), &refuse).unwrap_err().code(), Code::Label);
}

#[test]
fn given_kinds_override_inferred_kinds() {
    let with = |name: &str, kind, column: Column| {
        let kinds = [(name.to_string(), kind)].into();
        build(vec![column], &Options { kinds, ..Options::default() })
    };
    let codes = with("a", Kind::Categories, numbers("a", &[3.0, f64::NAN])).unwrap();
    let Values::Categories(c) = &codes.columns()[0].values else { panic!("not categories") };
    assert_eq!((c.get(0), c.get(1)), (Some("3"), None));
    let parsed = with("s", Kind::Numbers, strings("s", &["1.5"])).unwrap();
    assert_eq!(parsed.columns()[0].values, Values::Numbers(Dense::from_rows(&[[1.5]])));
    assert_eq!(with("s", Kind::Numbers, strings("s", &["x"])).unwrap_err().code(), Code::Number);
    assert_eq!(with("s", Kind::Graphs, strings("s", &["x"])).unwrap_err().code(), Code::Column);
}

#[test]
fn strings_are_text_categories_or_sequences() {
    let kind = |values: &[&str]| infer(values.iter().map(|v| Some((*v).to_owned())).collect()).kind();
    assert_eq!(kind(&["one two three", "four five six", "x"]), Kind::Text);
    assert_eq!(kind(&["a", "b", "a", "b"]), Kind::Categories);
    assert_eq!(kind(&["acgt", "gtca", "acgt"]), Kind::Strings);
}

#[test]
fn different_lengths_are_an_error() {
    let error = build(vec![numbers("a", &[1.0]), numbers("b", &[1.0, 2.0])], &Options::default());
    let error = error.unwrap_err();
    assert_eq!(error.code(), Code::Columns);
    assert!(error.to_string().contains("'a' has 1 objects and 'b' has 2"), "{error}");
}
