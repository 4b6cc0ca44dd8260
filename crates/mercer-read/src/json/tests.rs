use std::path::Path;

use crate::data::{Dataset, Target, Values};
use crate::error::{Code, Error, Result};
use crate::{Missing, Options, read_bytes};

fn read(text: &str) -> Result<Dataset> {
    read_bytes(Path::new("a.json"), text.as_bytes(), &Options::default())
}

fn fault(text: &str) -> (Code, u64, u64) {
    match read(text).unwrap_err() {
        Error::Parse { place, code, hint, reason } => {
            assert!(!reason.is_empty() && (code != Code::Nested || hint.is_some()));
            (code, place.line, place.column)
        }
        other => panic!("{other}"),
    }
}

#[test]
fn arrays_lines_and_wrapped_arrays_are_the_same_table() {
    let csv = read_bytes(
        Path::new("a.csv"),
        b"a,b,c,class\n1,x,true,p\n2.5,y,false,n\n,x,true,p\n-1e-7,x,false,n\n",
        &Options::default(),
    )
    .unwrap();
    let records = [
        r#"{"a": 1, "b": "x", "c": true, "class": "p"}"#,
        r#"{"b": "y", "a": 2.5, "c": false, "class": "n"}"#,
        r#"{"a": null, "b": "x", "c": true, "class": "p"}"#,
        r#"{"a": -1e-7, "b": "x", "c": false, "class": "n"}"#,
    ];
    for text in [
        format!("[{}]", records.join(",\n ")),
        records.join("\n"),
        records.join("\n") + "\n\n",
        format!("{{\"note\": \"[x]\", \"n\": 4, \"data\": [{}]}}", records.join(",")),
        format!("\u{FEFF}[{}]\n", records.join(",")),
    ] {
        let data = read(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(format!("{:?}", data.columns()), format!("{:?}", csv.columns()), "{text}");
        assert_eq!(data.target(), csv.target());
    }
}

#[test]
fn keys_that_come_later_and_records_that_lack_one() {
    let data = read("{\"a\": 1}\n{\"a\": 2, \"b\": 5}\n{\"b\": 6}\n").unwrap();
    assert_eq!(data.columns().iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    assert!(data.columns()[0].values.is_missing(2) && data.columns()[1].values.is_missing(0));
}

#[test]
fn lists_of_numbers_are_series() {
    let data = read("[{\"s\": [1, 2, 3], \"class\": \"a\"}, {\"s\": [4.5, 5], \"class\": \"b\"}]").unwrap();
    let Values::Series(series) = &data.column("s").unwrap().values else { panic!() };
    assert_eq!((series[0].len(), series[1].len()), (3, 2));
    assert!(matches!(data.target(), Some(Target::Classes(_))));
    assert_eq!(read("{\"s\": [1, 2]}\n{\"s\": [3]}\n").unwrap().len(), 2);
    assert_eq!(fault("{\"s\": [1]}\n{\"s\": 2}\n"), (Code::Nested, 2, 1));
    assert_eq!(fault("{\"s\": [1]}\n{\"s\": null}\n"), (Code::Nested, 2, 1));
    let drop = Options { missing: Some(Missing::Drop), ..Options::default() };
    let text = b"{\"s\": [1], \"x\": 1}\n{\"s\": [2], \"x\": null}\n";
    assert_eq!(read_bytes(Path::new("a.jsonl"), text, &drop).unwrap_err().code(), Code::Missing);
}

#[test]
fn nested_values_are_refused_with_their_line() {
    assert_eq!(fault("{\"a\": 1}\n{\"a\": {\"b\": 2}}\n"), (Code::Nested, 2, 1));
    assert_eq!(fault("[{\"a\": [\"x\", \"y\"]}]"), (Code::Nested, 1, 2));
    assert_eq!(fault("[{\"a\": [[1]]}]"), (Code::Nested, 1, 2));
}

#[test]
fn other_shapes_are_refused() {
    assert_eq!(fault("[[1, 2], [3, 4]]"), (Code::Format, 1, 2));
    assert_eq!(fault("[1, 2]"), (Code::Format, 1, 2));
    assert_eq!(fault("{\"a\": 1}\n[1]\n"), (Code::Format, 2, 1));
    // Columns instead of records, as pandas writes by default.
    assert_eq!(fault("{\"a\": {\"0\": 1}, \"b\": {\"0\": 2}}").0, Code::Nested);
    assert_eq!(fault("[]").0, Code::Empty);
    assert_eq!(fault("{\"a\": 1, \"a\": 2}").0, Code::Header);
}

#[test]
fn damage_is_reported_where_it_is() {
    assert_eq!(fault("[{\"a\": 1},\n {\"a\": 2}"), (Code::Truncated, 2, 9));
    assert_eq!(fault("[{\"a\": 1},\n {\"a\": "), (Code::Truncated, 2, 7));
    assert_eq!(fault("[{\"a\": 1}\n {\"a\": 2}]"), (Code::Syntax, 2, 2));
    assert_eq!(fault("{\"a\": 1}\n{\"a\": 1,}\n").0, Code::Syntax);
    assert_eq!(fault("{\"a\": 1}\n{\"a\": 1e999}\n").1, 2);
    // The reader of tables names the line of the record.
    let text = b"{\"a\": 1, \"class\": \"x\"}\n\n{\"a\": 2, \"class\": null}\n";
    let refuse = Options { missing: Some(Missing::Refuse), ..Options::default() };
    let error = read_bytes(Path::new("a.json"), text, &refuse).unwrap_err();
    assert!(error.to_string().starts_with("a.json:3 E_LABEL"), "{error}");
}
