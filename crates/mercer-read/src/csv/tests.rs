use std::borrow::Cow;
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::TargetKind;
use crate::data::{Kind, Target, Values};
use crate::{Limits, Missing, read_bytes};

fn with(text: &str, options: &Options) -> Result<Dataset> {
    read_bytes(Path::new("a.csv"), text.as_bytes(), options)
}

fn ok(text: &str) -> Dataset {
    with(text, &Options::default()).unwrap()
}

#[track_caller]
fn fails(text: &str, options: &Options, code: Code, line: u64, column: u64) -> Error {
    let error = with(text, options).unwrap_err();
    match &error {
        Error::Parse { place, code: found, .. } => {
            assert_eq!((*found, place.line, place.column), (code, line, column), "{error}");
        }
        other => panic!("{other}"),
    }
    error
}

#[track_caller]
fn bad(text: &str, code: Code, line: u64, column: u64) -> Error {
    fails(text, &Options::default(), code, line, column)
}

fn numbers(data: &Dataset, name: &str) -> Vec<f64> {
    match &data.column(name).unwrap().values {
        Values::Numbers(x) => x.values().to_vec(),
        other => panic!("{:?}", other.kind()),
    }
}

const IRIS: &str =
    "sepal,petal,colour,class\n5.1,1.4,red,setosa\n-4.9,1.3,red,setosa\n7.0,4.7,blue,versicolor\n";

#[test]
fn a_table() {
    let data = ok(IRIS);
    assert_eq!((data.len(), data.columns().len()), (3, 3));
    assert_eq!(numbers(&data, "sepal"), [5.1, -4.9, 7.0]);
    assert!(matches!(&data.columns()[2].values, Values::Categories(c) if c.levels() == ["red", "blue"]));
    assert_eq!(data.target_name(), Some("class"));
    assert!(matches!(data.target(), Some(Target::Classes(c)) if c.levels() == ["setosa", "versicolor"]));
    assert!(data.warnings().is_empty());
}

#[test]
fn rows_4_7_and_9_equivalent_files() {
    let plain = ok(IRIS);
    for same in [
        IRIS.replace('\n', "\r\n"),
        IRIS.replace('\n', "\r"),
        format!("\u{FEFF}{IRIS}"),
        IRIS.trim_end().to_owned(),
        format!("{IRIS}\n\n  \n"),
        IRIS.replace(',', ";"),
        IRIS.replace(',', "|"),
        IRIS.replace(',', "\t"),
        IRIS.replace(',', " , "),
        IRIS.replace("red", "\"red\"").replace("5.1", "\"5.1\""),
        format!("# a comment, really\n{IRIS}"),
    ] {
        assert_eq!(ok(&same), plain, "{same:?}");
    }
}

#[test]
fn line_ends_inside_quotes_are_unified_too() {
    let lf = ok("a,b\n\"x\ny\",1\n\"z\",2\n");
    assert_eq!(ok("a,b\r\n\"x\r\ny\",1\r\n\"z\",2\r\n"), lf);
    assert!(matches!(&lf.columns()[0].values, Values::Categories(c) if c.get(0) == Some("x\ny")));
}

#[test]
fn without_a_header() {
    let data = ok("1,2\n3,4\n");
    assert_eq!(numbers(&data, "x2"), [2.0, 4.0]);
    // A word of the first row occurs below it.
    let doubt = ok("5.1,3.5,setosa\n4.9,3.0,setosa\n");
    assert_eq!((doubt.len(), doubt.warnings()[0].code), (2, "W_HEADER"));
    assert!(doubt.warnings()[0].message.contains("`header=yes`"), "{:?}", doubt.warnings());
    let header = Options { header: Some(true), ..Options::default() };
    assert_eq!(with("5.1,3.5,setosa\n4.9,3.0,setosa\n", &header).unwrap().len(), 1);
    // Numbers in no order are a row, even with a name that occurs once.
    let cars = ok(
        "8,307.0,130.0,chevrolet chevelle,18.0\n8,350.0,165.0,buick skylark,15.0\n4,97.0,88.0,datsun,27\n",
    );
    assert_eq!((cars.len(), cars.columns().len(), codes(&cars)), (3, 5, vec!["W_HEADER"]));
    // Years and wavelengths are names, and so are words.
    for header in ["country,1960,1961,1962", "sample,400.5,401,401.5"] {
        let data = ok(&format!("{header}\na,1,2,3\nb,4,5,6\n"));
        assert_eq!((data.len(), codes(&data)), (2, vec!["W_HEADER"]));
        assert!(data.warnings()[0].message.contains("`header=no`"), "{:?}", data.warnings());
    }
    assert_eq!(ok("a,b,a b\n1,2,a b\n3,4,x\n").len(), 2);
    let told =
        with("5.1,3.5,setosa\n4.9,3.0,setosa\n", &Options { header: Some(false), ..Options::default() });
    assert_eq!(told.unwrap().len(), 2);
    let strict = Options { strict: true, ..Options::default() };
    fails("1.5,nan\n2,3\n", &strict, Code::NonFinite, 1, 5);
    assert_eq!(ok("1.5,nan\n2,3\n").columns()[1].missing(), 1);
}

#[test]
fn rows_2_3_and_23_empty_files() {
    bad("", Code::Empty, 0, 0);
    bad("\n\n", Code::Empty, 0, 0);
    bad("# a\n#\n# b, c\n", Code::Empty, 0, 0);
    bad("a,b\n", Code::Empty, 0, 0);
    bad("a,b\n\n\n", Code::Empty, 0, 0);
}

#[test]
fn row_8_a_long_line() {
    let options = Options { limits: Limits { line: 10, ..Limits::default() }, ..Options::default() };
    fails("a,b\n1,2\n1,222222222222\n", &options, Code::LineTooLong, 3, 1);
}

#[test]
fn rows_13_to_18_numbers() {
    let column = |value: &str| format!("a,b\n1,2\n3,{value}\n5,6\n");
    fails(&column("nan"), &Options { strict: true, ..Options::default() }, Code::NonFinite, 3, 3);
    assert_eq!(ok(&column("NaN")).columns()[1].missing(), 1);
    bad(&column("-inf"), Code::NonFinite, 3, 3);
    bad(&column("1e999"), Code::Overflow, 3, 3);
    let strict = Options { strict: true, ..Options::default() };
    fails(&column("\"1,5\""), &strict, Code::Number, 3, 3);
    fails("a;b\n1,5;2\n", &strict, Code::Number, 2, 1);
    assert_eq!(numbers(&ok(&column("\"1,5\"")), "b"), [2.0, 1.5, 6.0]);
    assert_eq!(numbers(&ok("a;b\n1,5;2\n"), "a"), [1.5]);
    for text in ["0x1F", "1_000", "１２"] {
        bad(&column(text), Code::Number, 3, 3);
    }
    assert_eq!(numbers(&ok(&column("4.9e-324")), "b")[1].to_bits(), 1);
}

#[test]
fn row_16_labels() {
    bad("a,class\n1,1\n2,nan\n", Code::Label, 3, 3);
    bad("a,class\n1,x\n2,NaN\n", Code::Label, 3, 3);
    for text in ["a,class\n1,x\n2,\n", "a,y\n1,1.5\n2,?\n", "a,y\n1,1\n2,NA\n"] {
        let data = ok(text);
        assert_eq!((data.len(), data.unlabelled().unwrap().len()), (1, 1), "{text}");
        assert!(data.warnings()[0].to_string().ends_with("(line 3)"), "{:?}", data.warnings());
        let refuse = Options { missing: Some(Missing::Refuse), ..Options::default() };
        fails(text, &refuse, Code::Label, 3, 3);
    }
    let mixed = "a,class\n1,1\n2,2\n3,x\n";
    bad(mixed, Code::Label, 4, 3);
    let classes = Options { target_kind: TargetKind::Classes, ..Options::default() };
    assert!(with(mixed, &classes).is_ok());
    let numbers = Options { target_kind: TargetKind::Numbers, ..Options::default() };
    fails("a,class\n1,x\n", &numbers, Code::Label, 2, 3);
}

#[test]
fn row_20_ragged_rows() {
    let error = bad("a,b,c\n1,2,3\n4,5\n", Code::Columns, 3, 1);
    assert!(error.to_string().contains("expected 3 fields, got 2"), "{error}");
    bad("a,b\n1,2\n\n3,4,5\n", Code::Columns, 4, 1);
}

#[test]
fn row_10_truncated() {
    bad("a,b,c\n1,2,3\n4,5", Code::Truncated, 3, 1);
    bad("a,b,c\n1,\"2\",3\n4,\"5\"", Code::Truncated, 3, 1);
    // Too many fields do not indicate a truncated file.
    bad("a,b\n1,2\n4,5,6", Code::Columns, 3, 1);
}

#[test]
fn row_21_unclosed_quote() {
    bad("a,b\n1,\"x\n3,4\n", Code::Quote, 2, 3);
    bad("a,b\n\"x\ny\",\"z\n3,4\n", Code::Quote, 3, 4);
    // An earlier error in the file is reported first.
    bad("a,b\n1,2\nx,2\n3,4\n5,\"6\n", Code::Number, 3, 1);
}

#[test]
fn rows_22_to_25_names() {
    bad("a,b,a\n1,2,3\n", Code::Header, 1, 5);
    let error = bad("age,b\n1,2\n3,4\n abc,5\n", Code::Number, 4, 1);
    assert!(error.to_string().contains("'age'"));
    assert!(error.hint().unwrap().contains("`type=age=categories`"));
    let options = Options { target: Some("clas".into()), ..Options::default() };
    let error = fails(IRIS, &options, Code::Target, 1, 1);
    assert!(error.to_string().contains("class"));
    let options = Options { group: Some("colur".into()), ..Options::default() };
    assert!(fails(IRIS, &options, Code::Column, 1, 1).hint().unwrap().contains("colour"));
}

#[test]
fn columns_count_characters() {
    bad("a,b\né,1\nü,2\nö,3\n\"€\",x\n", Code::Number, 5, 5);
}

#[test]
fn missing_values() {
    let text = "a,b,class\n1,x,u\n?,y,v\n3,NA,u\n4,x,v\n";
    let kept = ok(text);
    assert!(numbers(&kept, "a")[1].is_nan());
    assert_eq!((kept.columns()[0].missing(), kept.columns()[1].missing()), (1, 1));
    let dropped = with(text, &Options { missing: Some(Missing::Drop), ..Options::default() }).unwrap();
    assert_eq!(numbers(&dropped, "a"), [1.0, 4.0]);
    assert_eq!(dropped.warnings()[0].to_string(), "W_DROPPED 2 of 4 rows left out: a value is missing");
    assert!(matches!(&dropped.columns()[1].values, Values::Categories(c) if c.levels() == ["x"]));
    fails(text, &Options { missing: Some(Missing::Refuse), ..Options::default() }, Code::Missing, 3, 1);
    let all = Options { missing: Some(Missing::Drop), ..Options::default() };
    fails("a,b\n1,\n", &all, Code::Empty, 0, 0);
}

#[test]
fn roles() {
    let text = "id,who,w,a,z,score\nNA,ann,1,5,q,1.5\no2,bob,0.5,6,q,2\n";
    let options = Options {
        id: Some("id".into()),
        group: Some("who".into()),
        weight: Some("w".into()),
        target: Some("score".into()),
        ignore: vec!["z".into()],
        ..Options::default()
    };
    let data = with(text, &options).unwrap();
    assert_eq!(data.columns().len(), 1);
    assert_eq!(data.ids().unwrap(), ["NA", "o2"]);
    assert_eq!((data.group_name(), data.groups().unwrap().get(1)), (Some("who"), Some("bob")));
    assert_eq!(data.weights(), Some(&[1.0, 0.5][..]));
    assert_eq!(data.target(), Some(&Target::Numbers(vec![1.5, 2.0])));
    fails(&text.replace("0.5", "-0.5"), &options, Code::Param, 3, 8);
    fails(&text.replace("0.5", "nan"), &options, Code::NonFinite, 3, 8);
    fails(&text.replace("0.5", ""), &options, Code::Missing, 3, 8);
}

#[test]
fn trailing_delimiter_in_every_row() {
    let data = ok("a,b,\n1,2,\n3,4,\n");
    assert_eq!((data.columns().len(), data.warnings()[0].code), (2, "W_UNNAMED"));
    let index = ok(",b\n0,2\n1,4\n");
    assert_eq!((index.columns().len(), index.ids().unwrap()), (1, &["0".to_owned(), "1".to_owned()][..]));
    assert_eq!(codes(&index), ["W_INDEX"]);
    // Numbers that do not ascend are values, and so are those that are wanted as such.
    assert_eq!(ok(",b\n3,2\n1,4\n").columns()[0].name, "x1");
    let wanted = Options { kinds: [("x1".to_owned(), Kind::Numbers)].into(), ..Options::default() };
    assert_eq!(with(",b\n0,2\n1,4\n", &wanted).unwrap().columns().len(), 2);
}

#[test]
fn given_kinds() {
    let options = Options { kinds: [("a".to_owned(), Kind::Categories)].into(), ..Options::default() };
    let data = with("a,b\n1,2\n1,x\nq,y\n", &options).unwrap();
    assert!(matches!(&data.columns()[0].values, Values::Categories(c) if c.levels() == ["1", "q"]));
    let options = Options { kinds: [("a".to_owned(), Kind::Graphs)].into(), ..Options::default() };
    assert_eq!(with("a\n1\n", &options).unwrap_err().code(), Code::Column);
}

#[test]
fn invalid_delimiters() {
    for d in [b'"', b'\n', 0xC3] {
        let options = Options { delimiter: Some(d), ..Options::default() };
        assert_eq!(with(IRIS, &options).unwrap_err().code(), Code::Param);
    }
}

#[test]
fn too_many_columns() {
    bad(&",".repeat(WIDEST), Code::DimLimit, 1, 1);
}

/// A table of n rows, the last column of which is made by `value`.
fn long(n: usize, value: impl Fn(usize) -> String) -> String {
    (0..n).fold("a,x\n".to_owned(), |text, i| text + &format!("{i},{}\n", value(i)))
}

fn codes(data: &Dataset) -> Vec<&'static str> {
    data.warnings().iter().map(|w| w.code).collect()
}

#[test]
fn a_few_odd_cells_become_missing_values() {
    let text = long(40, |i| if i == 7 { "A/5 21171".into() } else { format!("{i}.5") });
    let data = ok(&text);
    assert_eq!(data.columns()[1].missing(), 1);
    assert_eq!(
        data.warnings()[0].to_string(),
        "W_CELLS x: 1 of 40 cells are not numbers, e.g. 'A/5 21171' in line 9; they are missing values"
    );
    fails(&text, &Options { strict: true, ..Options::default() }, Code::Number, 9, 3);
    fails(&text, &Options { missing: Some(Missing::Refuse), ..Options::default() }, Code::Number, 9, 3);
    let dropped = with(&text, &Options { missing: Some(Missing::Drop), ..Options::default() }).unwrap();
    assert_eq!((dropped.len(), codes(&dropped)), (39, vec!["W_CELLS", "W_DROPPED"]));
    // Infinity too, where there are enough numbers; NaN is a missing value in any number of them.
    let data = ok(&long(40, |i| if i == 2 { "inf".into() } else { format!("{i}.5") }));
    assert_eq!((data.columns()[1].missing(), codes(&data)), (1, vec!["W_CELLS"]));
    for n in [2, 10, 40] {
        let data = ok(&long(n, |i| if i % 2 == 0 { "nan".into() } else { format!("{i}.5") }));
        assert_eq!((data.columns()[1].missing(), codes(&data)), (n.div_ceil(2), vec![]));
    }
    // In a target they are errors.
    let target = Options { target: Some("x".into()), ..Options::default() };
    fails(&text, &target, Code::Label, 9, 3);
}

#[test]
fn many_odd_cells_make_names() {
    let text = long(40, |i| if i % 4 == 0 { format!("PC {i}") } else { i.to_string() });
    let data = ok(&text);
    assert!(matches!(data.columns()[1].values, Values::Strings(_)));
    assert_eq!(
        data.warnings()[0].to_string(),
        "W_MIXED x: 30 of 40 values are numbers, 'PC 0' is none; read as strings, `type=x=numbers` makes such values missing"
    );
}

#[test]
fn later_rows_correct_the_sample() {
    let numbers_first = long(4000, |i| if i < 2000 { i.to_string() } else { format!("name {}", i % 7) });
    for size in [1000, usize::MAX] {
        let data = in_parts(&numbers_first, size).unwrap();
        assert!(matches!(&data.columns()[1].values, Values::Categories(_) | Values::Strings(_)), "{size}");
        assert_eq!(data.len(), 4000);
    }
    let few = long(4000, |i| if i < 3900 { i.to_string() } else { "?!".to_owned() });
    assert_eq!(codes(&in_parts(&few, 500).unwrap()), ["W_CELLS"]);
    // Dates of the other order contradict the first rows, unless there is a single one.
    let dates =
        |day: usize| move |i: usize| if i < day { "31/01/2024".to_owned() } else { "01/31/2024".to_owned() };
    let error = in_parts(&long(4000, dates(2000)), 1000).unwrap_err();
    assert!(error.to_string().contains("(lines 2 and 2002)"), "{error}");
    let error = in_parts(&long(4000, dates(3900)), 1000).unwrap_err();
    assert!(error.to_string().contains("(lines 2 and 3902)"), "{error}");
    assert_eq!(codes(&in_parts(&long(4000, dates(3999)), 1000).unwrap()), ["W_FORM", "W_CELLS"]);
}

#[test]
fn dates_durations_amounts_and_percentages() {
    let text = "day;at;took;cost;rate;ok\n31.01.2024;2024-01-31T12:00:00Z;0:30:00;1.234,50 €;12,5 %;TRUE\n\
                01.02.2024;2024-02-01;1:00:00;7 €;0;false\n";
    let data = ok(text);
    let times = |name: &str| match &data.column(name).unwrap().values {
        Values::Times(t) => (t.show(0), t.show(1)),
        other => panic!("{:?}", other.kind()),
    };
    assert_eq!(times("day"), ("2024-01-31".into(), "2024-02-01".into()));
    assert_eq!(times("at"), ("2024-01-31 12:00:00".into(), "2024-02-01".into()));
    assert_eq!(numbers(&data, "took"), [1800.0, 3600.0]);
    assert_eq!(numbers(&data, "cost"), [1234.5, 7.0]);
    assert_eq!(numbers(&data, "rate"), [0.125, 0.0]);
    assert_eq!(numbers(&data, "ok"), [1.0, 0.0]);
    let said: Vec<String> = data.warnings().iter().map(ToString::to_string).collect();
    assert!(
        said.iter().any(|w| w.contains("day: read as dates with the day first, by '31.01.2024' in line 2")),
        "{said:?}"
    );
    assert!(said.iter().any(|w| w.contains("cost: read as amounts in € with decimal commas")), "{said:?}");
    // Strictly, they are names.
    let strict = with(text, &Options { strict: true, ..Options::default() }).unwrap();
    assert!(matches!(strict.column("day").unwrap().values, Values::Categories(_)));
    assert!(strict.warnings().is_empty());
}

#[test]
fn words_for_missing_values() {
    let text = "a,b\n1,x\nunknown,none\n-,y\n4.5,-\n2,x\n";
    let options = Options { na: vec!["Unknown".into()], ..Options::default() };
    let data = with(text, &options).unwrap();
    assert_eq!((data.columns()[0].missing(), data.columns()[1].missing()), (2, 0));
    let all = Options { na: vec!["unknown".into(), "none".into(), "-".into()], ..Options::default() };
    assert_eq!(with(text, &all).unwrap().columns()[1].missing(), 2);
}

#[test]
fn contradictions_name_both_lines() {
    let error = bad("d,b\n13/02/2024,1\n02/13/2024,2\n", Code::Date, 3, 1);
    assert!(
        error.to_string().ends_with("(lines 2 and 3)") && error.hint().unwrap().contains("type=d=strings")
    );
    let error = bad("d;b\n1,5;1\n2.5;2\n", Code::Number, 2, 1);
    assert!(error.to_string().ends_with("(lines 3 and 2)"), "{error}");
    // A column that is left out contradicts nothing.
    let ignore = Options { ignore: vec!["d".into()], ..Options::default() };
    assert!(with("d,b\n13/02/2024,1\n02/13/2024,2\n", &ignore).is_ok());
    let strings = Options { kinds: [("d".to_owned(), Kind::Strings)].into(), ..Options::default() };
    assert!(with("d,b\n13/02/2024,1\n02/13/2024,2\n", &strings).is_ok());
}

#[test]
fn headers_that_do_not_name_the_first_column() {
    // As R writes tables: with spaces, tabs or commas, quoted or not.
    let lines = [
        "\"cyl\"|\"mpg\"|\"note\"",
        "\"Mazda RX4\"|6|21|NA",
        "\"Datsun 710\"|4|22.8|3",
        "\"Fiat X1\"|4|27.3|1",
        "",
    ];
    for delimiter in [" ", ",", "\t"] {
        let text = lines.join("\n").replace('|', delimiter);
        let data = ok(&text);
        assert_eq!(data.ids().unwrap()[2].split_whitespace().next(), Some("Fiat"), "{text}");
        assert_eq!(numbers(&data, "mpg"), [21.0, 22.8, 27.3], "{text}");
        assert!(codes(&data).contains(&"W_INDEX"), "{text}: {:?}", data.warnings());
    }
    // Numbers that number the rows, and names that repeat, which are a column.
    let data = ok("a,b\n1,5,x\n2,6,y\n3,7,x\n");
    assert_eq!((data.ids().unwrap().len(), data.columns()[0].name.as_str()), (3, "a"));
    let data = ok("a,b\nx,5,1\nx,6,2\ny,7,3\n");
    assert_eq!((data.ids(), data.columns().len()), (None, 3));
    // A delimiter at the end of every row, a row too long, and a header that is asked for are errors as before.
    for text in ["a,b\n1,2,\n3,4,\n", "a,b\n1,2\n3,4,5\n"] {
        assert_eq!(with(text, &Options::default()).unwrap_err().code(), Code::Columns, "{text}");
    }
    let strict = Options { strict: true, ..Options::default() };
    assert_eq!(with("a,b\n1,5,x\n2,6,y\n", &strict).unwrap_err().code(), Code::Columns);
}

#[test]
fn lines_of_counts_and_titles_of_two_cells() {
    let rows: String = (0..20).map(|i| format!("{},{},{},{}\n", i, i * 3 % 7, i * 5 % 11, i % 2)).collect();
    let data = ok(&format!("20,3\n{rows}"));
    assert_eq!((data.len(), data.columns().len(), codes(&data)), (20, 4, vec!["W_FRAME"]));
    let counted = format!("20,3,no\n{rows}");
    assert_eq!(with(&counted, &Options::default()).unwrap_err().code(), Code::Columns, "one field less");
    let table: String = (0..20).map(|i| format!("s{i},{i},{},{},{}\n", i * 3, i * i, i % 2)).collect();
    let data = ok(&format!("Orders,2024\nExported,by sales\n\nshop,a,b,c,d\n{table}"));
    assert_eq!((data.len(), data.columns()[1].name.as_str(), codes(&data)), (20, "a", vec!["W_FRAME"]));
    // A narrow table may have rows of two values.
    assert_eq!(with("a,b\n1,2\n3,4\n5,6,7\n", &Options::default()).unwrap_err().code(), Code::Columns);
}

#[test]
fn tables_by_two_spaces_and_without_their_tabs() {
    let table = "   id        heduc   mixed     years   div\n   9   12-15 years      No    10.546    No\n  11    < 12 years      \
                 No    34.943    No\n  13   16+ years       Yes     2.834   Yes\n";
    for name in ["a.csv", "a.tsv", "a.txt"] {
        let data = read_bytes(Path::new(name), table.as_bytes(), &Options::default()).unwrap();
        assert_eq!(numbers(&data, "years"), [10.546, 34.943, 2.834], "{name}");
        assert_eq!(data.columns()[1].name, "heduc", "{name}");
        assert!(codes(&data).contains(&"W_SPACES"), "{name}");
    }
    let spaced = " ID Status T\n0 M 1 100\n1 M 2 105\n2 F 1 7\n";
    let data = read_bytes(Path::new("a.tsv"), spaced.as_bytes(), &Options::default()).unwrap();
    assert_eq!((data.ids().map(<[String]>::len), numbers(&data, "T")), (Some(3), vec![100.0, 105.0, 7.0]));
}

#[test]
fn few_phrases_that_repeat_are_categories() {
    let phrases =
        ["Adelie Penguin (Pygoscelis adeliae)", "Gentoo penguin (Pygoscelis papua)", "1. < HS Grad"];
    let text = |n: usize| {
        let rows: String = (0..n).map(|i| format!("\"{}\",{i}\n", phrases[i % 3])).collect();
        format!("species,v\n{rows}")
    };
    assert!(matches!(&ok(&text(60)).columns()[0].values, Values::Categories(c) if c.levels().len() == 3));
    assert!(matches!(ok(&text(12)).columns()[0].values, Values::Text(_)));
    let notes: String = (0..60).map(|i| format!("the parcel number {i} came late,{i}\n")).collect();
    assert!(matches!(ok(&format!("note,v\n{notes}")).columns()[0].values, Values::Text(_)));
}

#[test]
fn dates_without_separators() {
    let day = |i: usize| format!("{}{:02}{:02}", 1958 + i / 28, 1 + i % 12, 1 + i % 28);
    let table = |of: &dyn Fn(usize) -> String| {
        let rows: String = (0..300).map(|i| format!("{},{}\n", of(i), i % 7)).collect();
        format!("day,v\n{rows}")
    };
    let data = ok(&table(&day));
    let Values::Times(times) = &data.column("day").unwrap().values else { panic!("{:?}", data.columns()[0]) };
    assert_eq!((times.show(0), times.show(29)), ("1958-01-01".into(), "1959-06-02".into()));
    assert_eq!(
        data.warnings()[0].to_string(),
        "W_FORM day: read as dates without separators, as in '19580101' in line 2"
    );
    // New data of a model is read alike, however little there is of it.
    let forms = data.forms().map(|(name, form)| (name.to_owned(), form)).collect();
    let known = Options { forms, kinds: [("day".to_owned(), Kind::Times)].into(), ..Options::default() };
    let new = with("day,v\n20240131,1\n", &known).unwrap();
    assert!(matches!(&new.columns()[0].values, Values::Times(t) if t.show(0) == "2024-01-31"));
    // One number that is no date, few rows, given numbers, a target, and --strict: numbers.
    let numeric = |text: &str, options: &Options| {
        let data = with(text, options).unwrap();
        assert!(data.warnings().is_empty(), "{:?}", data.warnings());
        matches!(data.columns()[0].values, Values::Numbers(_))
    };
    let other = table(&|i| if i == 250 { "19581301".into() } else { day(i) });
    assert!(numeric(&other, &Options::default()));
    assert!(numeric("day,v\n20240131,1\n20240201,2\n", &Options::default()));
    let given = Options { kinds: [("day".to_owned(), Kind::Numbers)].into(), ..Options::default() };
    assert!(numeric(&table(&day), &given));
    assert!(numeric(&table(&day), &Options { strict: true, ..Options::default() }));
    let target = Options { target: Some("day".into()), ..Options::default() };
    let data = with(&table(&day), &target).unwrap();
    assert!(matches!(data.target(), Some(Target::Numbers(y)) if y[0] == 19_580_101.0));
}

#[test]
fn given_times() {
    let times = Options { kinds: [("d".to_owned(), Kind::Times)].into(), ..Options::default() };
    let data = with("d,b\n03/04/2024,1\n", &times).unwrap();
    assert!(matches!(&data.columns()[0].values, Values::Times(t) if t.show(0).starts_with("2024-0")));
    fails("d,b\nyesterday,1\n", &times, Code::Date, 2, 1);
}

#[test]
fn encodings() {
    let table = "name,class\nJosé,a\nÉva,b\n";
    let latin: Vec<u8> = table.chars().map(|c| c as u8).collect();
    let wide: Vec<u8> =
        "\u{FEFF}".chars().chain(table.chars()).flat_map(|c| (c as u16).to_le_bytes()).collect();
    let plain = ok(table);
    for bytes in [&latin, &wide] {
        let data = read_bytes(Path::new("a.csv"), bytes, &Options::default()).unwrap();
        assert_eq!((data.columns(), codes(&data)), (plain.columns(), vec!["W_ENCODING"]));
        let strict = Options { strict: true, ..Options::default() };
        assert_eq!(read_bytes(Path::new("a.csv"), bytes, &strict).unwrap_err().code(), Code::Encoding);
    }
    let told = Options { encoding: Some(crate::Encoding::Windows1252), strict: true, ..Options::default() };
    assert_eq!(read_bytes(Path::new("a.csv"), &latin, &told).unwrap(), plain);
}

fn in_parts(text: &str, size: usize) -> Result<Dataset> {
    within(text, size, usize::MAX, &Options::default())
}

/// Reads in parts of `size` bytes and stores at most `reserve` bytes before the whole text is known to be valid.
fn within(text: &str, size: usize, reserve: usize, options: &Options) -> Result<Dataset> {
    let text = Text::new(Path::new("a.csv"), Cow::Borrowed(text.as_bytes()), &Limits::default())?;
    read_in_parts(&text, Format::Csv, options, typing::is_missing, size, &Reserve::bytes(reserve))
}

#[test]
fn long_tables_read_the_same_in_any_parts() {
    let mut text = String::from("a,b,c,class\n");
    for i in 0..3000 {
        text += &format!("{},{:?},\"q{}\n\",k{}\n", i, f64::from(i) * -0.37, i % 11, i % 3);
    }
    let whole = in_parts(&text, usize::MAX).unwrap();
    assert_eq!(numbers(&whole, "b")[2999], 2999.0 * -0.37);
    for size in [1, 100, 4096] {
        assert_eq!(in_parts(&text, size).unwrap(), whole);
    }
    let late = text + "1,2,3,nan\n";
    for size in [1, 100, 4096, usize::MAX] {
        let error = in_parts(&late, size).unwrap_err();
        assert!(
            matches!(&error, Error::Parse { place, code: Code::Label, .. } if (place.line, place.column) == (6002, 7)),
            "{error}"
        );
    }
}

#[test]
fn any_reserve_gives_the_same_result() {
    let mut text = String::from("a,b,c,d,class\n");
    for i in 0..30_000 {
        text += &format!("{i},w{i},\"q{}\",{},k{}\n", i % 11, if i % 7 == 0 { "" } else { "5" }, i % 3);
    }
    let whole = in_parts(&text, usize::MAX).unwrap();
    let shown = |data: &Dataset| format!("{data:?}");
    for reserve in [0, 1 << 19, 1 << 20, 3 << 20] {
        for size in [10_000, 100_000] {
            let data = within(&text, size, reserve, &Options::default()).unwrap();
            assert_eq!(shown(&data), shown(&whole), "{reserve} {size}");
        }
    }
    // The first error is found among stored parts, parts only checked, and dropped rows.
    let drop = Options { missing: Some(Missing::Drop), ..Options::default() };
    for (bad, code, column) in
        [("x,w,q,5,k1", Code::Number, 1), ("1,w,q,5,nan", Code::Label, 9), ("1,w", Code::Columns, 1)]
    {
        let faulty = format!("{text}{bad}\n{text}");
        for reserve in [0, 1 << 19, usize::MAX] {
            for options in [&Options::default(), &drop] {
                let strict = Options { strict: true, ..options.clone() };
                let error = within(&faulty, 10_000, reserve, &strict).unwrap_err();
                assert!(
                    matches!(&error, Error::Parse { place, code: found, .. }
                        if (*found, place.line, place.column) == (code, 30_002, column)),
                    "{error}"
                );
            }
        }
    }
    let gaps = within(&text, 10_000, 0, &drop).unwrap();
    assert_eq!(shown(&gaps), shown(&within(&text, 10_000, usize::MAX, &drop).unwrap()));
}

proptest! {
    #[test]
    fn any_bytes_give_data_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = read_bytes(Path::new("a.csv"), &bytes, &Options::default());
    }

    #[test]
    fn mutations_and_parts_agree(
        edits in prop::collection::vec((0usize..110, prop::sample::select(b"\",\n\r 1x?;-.e\xFF\0".to_vec())), 1..6),
        size in 1usize..60,
    ) {
        let mut bytes = IRIS.as_bytes().to_vec();
        for (at, byte) in edits {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        let one = read_bytes(Path::new("a.csv"), &bytes, &Options::default());
        if let Ok(text) = String::from_utf8(bytes) {
            let parts = in_parts(&text, size);
            // Compared as text: a missing number is NaN, which is not equal to itself.
            let shown = |read: crate::error::Result<Dataset>| format!("{:?}", read.map_err(|e| e.to_string()));
            prop_assert_eq!(shown(one), shown(parts));
        }
    }
}

#[test]
fn titles_notes_and_totals_are_left_out() {
    let text = "Report 2024,,\nby Finance,,\n,,\nid,age,class\n1,50,0\n2,60,1\n3,40,1\nTotal,150,\n\nSource: records\n";
    let data = ok(text);
    assert_eq!((data.len(), data.target_name()), (3, Some("class")));
    assert_eq!(numbers(&data, "age"), [50.0, 60.0, 40.0]);
    assert_eq!(codes(&data), ["W_FRAME", "W_FRAME"]);
    assert!(data.warnings()[0].message.starts_with("3 lines above the header left out: 'Report 2024,,', …"));
    let strict = Options { strict: true, ..Options::default() };
    assert!(with(text, &strict).is_err());
    assert_eq!(ok("sep=;\na;b\n1;2\n").columns().len(), 2);
}

#[test]
fn types_follow_from_the_training_rows() {
    let options = Options { split: Some("set".into()), ..Options::default() };
    let read = |test: &str| {
        let rows: String = (0..40).map(|i| format!("train,{i}.5,03/04/2024,yes\n")).collect();
        let tests: String = (0..80).map(|_| format!("test,{test}\n")).collect();
        crate::read_bytes(Path::new("a.csv"), format!("set,x,when,ok\n{tests}{rows}").as_bytes(), &options)
            .unwrap()
    };
    let plain = read("1.5,03/04/2024,no");
    // Whatever the test rows hold, columns have the same types and the training rows the same values.
    for test in ["many words here,13/04/2024,perhaps", "\"1,5\",04/13/2024,5", "-,-,-"] {
        let data = read(test);
        assert_eq!(data.training_set(), plain.training_set(), "{test}");
        assert!(data.forms().eq(plain.forms()));
    }
}

#[test]
fn remembered_forms_decide() {
    let forms = |of: &str| {
        let text = format!("a;b;c\n{of}\n");
        ok(&text)
            .forms()
            .map(|(name, form)| (name.to_owned(), form))
            .collect::<std::collections::BTreeMap<_, _>>()
    };
    let known = forms("31/01/2024;1,5;yes");
    assert_eq!(known.len(), 3);
    let options = Options { forms: known, ..Options::default() };
    let data = with("a;b;c\n03/04/2024;1.234;no\n", &options).unwrap();
    assert_eq!(data.warnings(), []);
    assert_eq!((numbers(&data, "b"), numbers(&data, "c")), (vec![1234.0], vec![0.0]));
    let Values::Times(times) = &data.columns()[0].values else { panic!() };
    assert_eq!(crate::data::show_time(times.seconds()[0]), "2024-04-03");
    // What is written otherwise is read as it is written, and said.
    let other = with("a;b;c\n12/31/2024;2.25;no\n", &options).unwrap();
    assert_eq!((numbers(&other, "b"), codes(&other)), (vec![2.25], vec!["W_FORM"]));
    assert!(other.warnings()[0].message.contains("the data of the model has dates with the day first"));
}

#[test]
fn spellings_of_true_and_false_are_two_classes() {
    let data = ok("a,class\n1,Yes\n2,no\n3,YES\n4,No\n");
    let Some(Target::Classes(classes)) = data.target() else { panic!() };
    assert_eq!(
        (classes.levels(), codes(&data)),
        (&["yes".to_owned(), "no".to_owned()][..], vec!["W_SPELLING"])
    );
    let data = ok("city,b\nRome,1\nParis,2\nROME,3\nRome,1\nParis,1\nROME,2\n");
    assert_eq!(codes(&data), ["W_SPELLING"]);
}

/// Rows of a table after a header.
fn rows(header: &str, of: impl Iterator<Item = String>) -> String {
    std::iter::once(header.to_owned()).chain(of).map(|line| line + "\n").collect()
}

#[test]
fn points_separate_thousands_where_other_columns_have_decimal_commas() {
    let table = |header: &str, of: &dyn Fn(usize) -> String| rows(header, (0..60).map(of));
    for text in [
        table("n;p;class", &|i| format!("1.{},{};{}.{};a", 100 + i, 10 + i, 1 + i % 6, 100 + i)),
        table("n;p;class", &|i| format!("{},5;{}.{};a", 57 + i, 1 + i % 6, 100 + i)),
        table("n,p,class", &|i| format!("\"{},5\",{}.{},a", 57 + i, 1 + i % 6, 100 + i)),
    ] {
        let data = ok(&text);
        assert_eq!(numbers(&data, "p")[..2], [1100.0, 2101.0], "{text}");
        let said =
            |part: &str| data.warnings().iter().any(|w| w.code == "W_FORM" && w.message.contains(part));
        assert!(said("p: read as numbers with decimal commas; the points separate thousands"), "{data:?}");
        // What was decided is remembered: the same text means the same alone.
        let forms = data.forms().map(|(name, form)| (name.to_owned(), form)).collect();
        let again = with("n;p;class\n1,5;1.100;a\n", &Options { forms, ..Options::default() }).unwrap();
        assert_eq!(numbers(&again, "p"), [1100.0]);
    }
    // Nothing decides: decimal points, and a warning.
    let data = ok(&table("n;class", &|i| format!("{}.{};a", 1 + i % 6, 100 + i)));
    assert_eq!((numbers(&data, "n")[0], codes(&data)), (1.1, vec!["W_FORM"]));
    assert!(data.warnings()[0].message.contains("as in '1.100'"), "{}", data.warnings()[0].message);
    // Values that cannot have thousands, other columns with points, and tables with commas as delimiter are silent.
    for (text, first) in [
        (table("n;class", &|i| format!("{}.{};a", i % 6, 100 + i)), 0.1),
        (
            table("n;class", &|i| {
                format!("{};a", if i == 0 { "1.100".into() } else { (1900 + i).to_string() })
            }),
            1.1,
        ),
        (table("n;m;class", &|i| format!("{}.{};{i}.5;a", 1 + i % 6, 100 + i)), 1.1),
        (table("n,class", &|i| format!("{}.{},a", 1 + i % 6, 100 + i)), 1.1),
    ] {
        let data = ok(&text);
        assert_eq!((numbers(&data, "n")[0], data.warnings()), (first, &[][..]), "{text}");
    }
    // A column that had decimal points for certain keeps them in a table with decimal commas.
    let mixed = ok("n;p;class\n1,5;1.25;a\n2,5;1.100;b\n");
    let forms = mixed.forms().map(|(name, form)| (name.to_owned(), form)).collect();
    let again = with("n;p;class\n1,5;1.100;a\n", &Options { forms, ..Options::default() }).unwrap();
    assert_eq!(numbers(&again, "p"), [1.1]);
}

#[test]
fn later_rows_decide_what_the_first_leave_open() {
    let open = |i: usize| format!("{}/{}/2024,a", 1 + i % 12, 1 + i % 12);
    let dates = |last: &str| rows("d,class", (0..1500).map(open).chain((0..40).map(|_| last.to_owned())));
    let data = ok(&dates("25/2/2024,b"));
    assert_eq!((data.columns()[0].missing(), codes(&data)), (0, vec!["W_FORM"]));
    assert!(data.warnings()[0].message.contains("day first, by '25/2/2024' in line 1502"));
    // Dates of both orders are refused wherever they are; one cell among many is a missing value.
    let clear = |i: usize| format!("{}/{}/2024,a", 1 + i % 12, 1 + i % 28);
    let first = || (0..1500).map(clear);
    bad(&rows("d,class", first().chain((0..40).map(|_| "25/2/2024,b".to_owned()))), Code::Date, 14, 1);
    let one = ok(&rows("d,class", first().chain(["25/2/2024,b".to_owned()])));
    assert_eq!((one.columns()[0].missing(), codes(&one)), (1, vec!["W_FORM", "W_CELLS"]));
    // Commas that turn out to be decimal.
    let thousands = |i: usize| format!("\"{},{}\",a", 1 + i % 9, 100 + i % 900);
    let halves = |i: usize| format!("\"{i},5\",b");
    let data = ok(&rows("n,class", (0..1500).map(thousands).chain((0..40).map(halves))));
    let n = numbers(&data, "n");
    assert_eq!((n[0], n[1500], codes(&data)), (1.1, 0.5, vec!["W_FORM"]));
    // Plain numbers among which later ones have decimal commas, which also decides other columns.
    let plain = |i: usize| format!("{i},{}.{},a", 1 + i % 9, 100 + i % 900);
    let commas = |i: usize| format!("\"{i},5\",{}.{},a", 1 + i % 9, 100 + i % 900);
    let data = ok(&rows("n,p,class", (0..1500).map(plain).chain((0..40).map(commas))));
    assert_eq!((numbers(&data, "n")[1500], numbers(&data, "p")[0]), (0.5, 1100.0));
}

#[test]
fn rows_of_totals_without_gaps_are_left_out() {
    let shops = |label: &dyn Fn(usize) -> String, last: &str| {
        let row = |i: usize| format!("{}{},{}", label(i), i * 37 % 61, (i * 17 % 59) as f64 / 10.0);
        rows("shop,v,u", (0..60).map(row).chain(last.lines().map(str::to_owned)))
    };
    let (v, u): (usize, f64) =
        ((0..60).map(|i| i * 37 % 61).sum(), (0..60).map(|i| (i * 17 % 59) as f64 / 10.0).sum());
    let named = |i: usize| format!("shop{i},");
    for last in [
        "TOTAL,1,2".to_owned(),
        "Grand total,5,6".into(),
        "Summe,5,6\nMittelwert,1,2.5".into(),
        format!("Celkem,{v},{u:.1}"),
    ] {
        let data = ok(&shops(&named, &last));
        assert_eq!((data.len(), codes(&data)), (60, vec!["W_FRAME"]), "{last}");
    }
    let text = rows("v,u", (0..60).map(|i| format!("{},{}", i * 37 % 61, (i * 17 % 59) as f64 / 10.0)));
    let data = ok(&format!("{text}{v},{u:.1}\n"));
    assert_eq!((data.len(), codes(&data)), (60, vec!["W_FRAME"]));
    let strict = Options { strict: true, ..Options::default() };
    assert_eq!(with(&format!("{text}{v},{u:.1}\n"), &strict).unwrap().len(), 61);
    // A word that is a value of the column, and numbers that are no sums, are rows.
    let words = |i: usize| if i.is_multiple_of(2) { "sum,".to_owned() } else { "max,".into() };
    assert_eq!(ok(&shops(&words, "sum,5,6")).len(), 61);
    assert_eq!(ok(&shops(&named, "Celkem,5,6")).len(), 61);
}

#[test]
fn runs_of_spaces_separate_fields() {
    let text = rows(
        "n m   class",
        (0..60).map(|i| format!("{:>7}   {i:<3} {} ", 7.5 * i as f64, ["a", "b"][i % 2])),
    );
    for name in ["a.txt", "a.csv"] {
        let data = read_bytes(Path::new(name), text.as_bytes(), &Options::default()).unwrap();
        assert_eq!((data.len(), data.columns().len(), data.target_name()), (60, 2, Some("class")));
        assert_eq!((numbers(&data, "n")[2], codes(&data)), (15.0, vec!["W_SPACES"]));
    }
    fails(&format!("{text}1 2\n"), &Options::default(), Code::Columns, 62, 1);
    // Sentences, and names of two words, are one column.
    for text in ["title\nthe cat\na dog\n", "first last\nAda Lovelace\nAlan Turing\n", "a b\n1 x\nx 1\n"] {
        assert_eq!(ok(text).columns().len(), 1, "{text}");
    }
}

#[test]
fn mixed_units_and_other_signs_are_named() {
    let message = |cells: [&str; 2]| {
        let data = ok(&rows(
            "x,class",
            (0..40).map(|i| format!("{},a", cells[i % 2].replace('#', &(i + 10).to_string()))),
        ));
        let all: Vec<String> = data.warnings().iter().map(|w| format!("{} {}", w.code, w.message)).collect();
        (data.columns()[0].values.kind(), all.join("\n"))
    };
    for (cells, said) in [
        (["#.5%", "0.#"], "numbers in different units, '10.5%' and '0.11'"),
        (["€#.5", "$#.5"], "'€10.5'"),
        (["#.5 kg", "#.5 lb"], "'11.5 lb'"),
    ] {
        let (kind, all) = message(cells);
        assert!(kind == Kind::Strings && all.starts_with("W_MIXED x: ") && all.contains(said), "{all}");
    }
    for (cells, said) in [
        (["(#.25)", "#.5"], "W_FORM x: read as numbers with brackets as minus, by '(10.25)' in line 2"),
        (["−#.25", "#.5"], "W_FORM x: read as numbers with other minus signs, by '−10.25' in line 2"),
        (["#.25-", "#.5"], "W_FORM x: read as numbers with other minus signs, by '10.25-' in line 2"),
        (
            ["\"1,#0.5\"", "(#.5)"],
            "W_FORM x: read as numbers with separated thousands and brackets as minus, by",
        ),
        (["(#.25 €)", "#.5 €"], "W_FORM x: read as amounts in € with brackets as minus"),
    ] {
        let (kind, all) = message(cells);
        assert!(kind == Kind::Numbers && all.contains(said), "{all}");
    }
    let (_, all) = message(["0x#", "0x#"]);
    assert!(all.contains("40 of 40 values are badly written numbers, e.g. '0x10'"), "{all}");
}

#[test]
fn titles_of_several_cells_are_left_out() {
    let table = "day,v,class\n1.1.2024,5.5,a\n2.1.2024,6.5,b\n3.1.2024,7.5,a\n14.1.2024,7.5,a\n";
    for title in ["Report, monthly, 2024\nAuthor:,Bob,\n,,\n", "Report, monthly, 2024\n,,\n"] {
        let data = ok(&format!("{title}{table}"));
        assert_eq!((data.len(), data.target_name(), data.columns().len()), (4, Some("class"), 2), "{title}");
        assert!(codes(&data).contains(&"W_FRAME"));
    }
    // Rows of a table in front of an empty one are rows.
    assert_eq!(frame::after_titles("a,b,c\n1,2,x\n3,4,y\n,,\nd,e,f\n5,6,z\n7,8,z\n", 0, b','), 0);
}
