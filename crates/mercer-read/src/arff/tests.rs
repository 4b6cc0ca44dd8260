use std::borrow::Cow;
use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::data::Target;
use crate::{Limits, Missing};

fn with(text: &[u8], options: &Options, size: usize) -> Result<Dataset> {
    let text = Text::new(Path::new("a.arff"), Cow::Borrowed(text), &Limits::default())?;
    read_in_parts(&text, options, size)
}

fn ok(text: &str) -> Dataset {
    with(text.as_bytes(), &Options::default(), 1000).unwrap()
}

#[track_caller]
fn bad(text: &str, code: Code, line: u64, column: u64) -> Error {
    let error = with(text.as_bytes(), &Options::default(), 1000).unwrap_err();
    match &error {
        Error::Parse { place, code: found, .. } => {
            assert_eq!((*found, place.line, place.column), (code, line, column), "{error}");
        }
        other => panic!("{other}"),
    }
    error
}

const HEAD: &str = "% iris\n@RELATION iris\n\n@attribute 'petal length' REAL\n@attribute n integer [0,5]\n\
    @attribute colour {red, 'dark blue'}\n@attribute note string\n@attribute class {a,b}\n@data\n";

fn file(rows: &str) -> String {
    format!("{HEAD}{rows}")
}

#[test]
fn dense_rows() {
    let data = ok(&file("1.5, 2, red, 'it''', a\n".replace("''", "\\'").as_str()));
    assert_eq!(data.len(), 1);
    let data = ok(&file("1.5,2,red,'x y',a % one\n% none\n\n?,3,'dark blue',?,b\n"));
    assert_eq!((data.len(), data.columns().len()), (2, 4));
    assert_eq!(data.columns()[0].name, "petal length");
    assert_eq!(data.columns().iter().map(Column::missing).collect::<Vec<_>>(), [1, 0, 0, 1]);
    assert!(matches!(&data.columns()[2].values, Values::Categories(c) if c.get(1) == Some("dark blue")));
    assert!(matches!(&data.columns()[3].values, Values::Strings(s) if s[0].as_deref() == Some("x y")));
    assert!(matches!(data.target(), Some(Target::Classes(c)) if c.levels() == ["a", "b"]));
    assert_eq!(data.target_name(), Some("class"));
}

#[test]
fn texts_and_kinds() {
    let data = ok(&file("1,2,red,'the cat sat there',a\n1,2,red,\"a dog ran off\",b\n"));
    assert_eq!(data.columns()[3].values.kind(), Kind::Text);
    let options = Options { kinds: [("note".to_owned(), Kind::Strings)].into(), ..Options::default() };
    let data = with(file("1,2,red,'the cat sat there',a\n").as_bytes(), &options, 1000).unwrap();
    assert_eq!(data.columns()[3].values.kind(), Kind::Strings);
}

#[test]
fn sparse_rows_stay_sparse() {
    let data = ok(&file("{0 1.5, 1 2, 4 b}\n{2 'dark blue', 3 hi}\n{ }\n"));
    assert!(matches!(&data.column("x").unwrap().values, Values::Sparse(x)
        if (x.rows(), x.dim(), x.stored()) == (3, 2, 2)));
    assert!(matches!(&data.column("colour").unwrap().values, Values::Categories(c)
        if (c.get(0), c.get(1)) == (Some("red"), Some("dark blue"))));
    assert!(
        matches!(data.target(), Some(Target::Classes(c)) if (c.get(0), c.get(2)) == (Some("b"), Some("a")))
    );
}

#[test]
fn weights_after_rows() {
    let data = ok(&file("1,2,red,x,a, {0.5}\n1,2,red,x,b\n"));
    assert_eq!(data.weights(), Some(&[0.5, 1.0][..]));
    let data = ok(&file("{0 1}, {2}\n{0 2},{3}\n{}\n"));
    assert_eq!(data.weights(), Some(&[2.0, 3.0, 1.0][..]));
    bad(&file("1,2,red,x,a,{-1}\n"), Code::Param, 10, 14);
}

#[test]
fn missing_values() {
    let text = file("1,?,red,x,a\n1,2,red,x,b\n");
    let drop = Options { missing: Some(Missing::Drop), ..Options::default() };
    let data = with(text.as_bytes(), &drop, 1000).unwrap();
    assert_eq!((data.len(), data.warnings()[0].code), (1, "W_DROPPED"));
    let sparse = file("{0 ?, 3 q}\n{0 2, 3 q}\n");
    assert_eq!(with(sparse.as_bytes(), &drop, 1000).unwrap().len(), 1);
    bad(&sparse, Code::Missing, 10, 4);
    let text = file("1,2,red,x,?\n1,2,red,x,a\n");
    let data = crate::read_bytes(Path::new("a.arff"), text.as_bytes(), &Options::default()).unwrap();
    assert_eq!((data.len(), data.unlabelled().unwrap().len()), (1, 1));
    assert!(data.warnings()[0].to_string().contains("(line 10)"), "{:?}", data.warnings());
}

#[test]
fn errors_in_rows() {
    bad(&file("1,2,red,x\n"), Code::Columns, 10, 1);
    bad(&file("1,2,red,x,a,7\n"), Code::Columns, 10, 1);
    bad(&file("1,2,green,x,a\n"), Code::Label, 10, 5);
    bad(&file("1,2,red,x,c\n"), Code::Label, 10, 11);
    bad(&file("nan,2,red,x,a\n"), Code::NonFinite, 10, 1);
    bad(&file("1e999,2,red,x,a\n"), Code::Overflow, 10, 1);
    bad(&file("abc,2,red,x,a\n"), Code::Number, 10, 1);
    bad(&file("1,,red,x,a\n"), Code::Syntax, 10, 3);
    bad(&file("1,2,red,'x,a\n"), Code::Quote, 10, 9);
    bad(&file("1,2,red,'x'y,a\n"), Code::Syntax, 10, 12);
    bad(&file("1,2,red,x,a\n{0 1}\n"), Code::Syntax, 11, 1);
    bad(&file("{0 1, 0 2}\n"), Code::IndexDup, 10, 7);
    bad(&file("{1 1, 0 2}\n"), Code::IndexOrder, 10, 7);
    bad(&file("{9 1}\n"), Code::Index, 10, 2);
    bad(&file("{-1 1}\n"), Code::Index, 10, 2);
    bad(&file("{0 nan}\n"), Code::NonFinite, 10, 4);
    bad(&file("{0}\n"), Code::Syntax, 10, 3);
}

#[test]
fn errors_in_the_header() {
    bad("% a\n\n", Code::Empty, 0, 0);
    bad("a,b\n1,2\n", Code::Syntax, 1, 1);
    bad("@relation x\n@attribute a blob\n@data\n1\n", Code::Syntax, 2, 14);
    bad("@relation x\n@attribute a real\n@attribute a real\n@data\n1,2\n", Code::Header, 3, 12);
    bad("@relation x\n@attribute a {p,p}\n@data\np\n", Code::Syntax, 2, 17);
    bad("@relation x\n@attribute a\n@data\np\n", Code::Syntax, 2, 13);
    bad("@relation x\n@data\n1\n", Code::Syntax, 2, 1);
    bad("@relation x\nfoo\n", Code::Syntax, 2, 1);
    bad(HEAD, Code::Empty, 0, 0);
}

#[test]
fn row_10_truncated() {
    let whole = file("1,2,red,'x y',a\n");
    for cut in 20..HEAD.len() - 2 {
        assert_eq!(
            with(&whole.as_bytes()[..cut], &Options::default(), 1000).unwrap_err().code(),
            Code::Truncated,
            "{:?}",
            &whole[..cut]
        );
    }
    bad(&file("1,2,red,'x"), Code::Truncated, 10, 9);
    bad(&file("1,2,red"), Code::Truncated, 10, 1);
    bad(&file("{0 1, 1 2"), Code::Truncated, 10, 10);
}

proptest! {
    #[test]
    fn any_bytes_give_data_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = with(&bytes, &Options::default(), 50);
        let _ = with(&[HEAD.as_bytes(), &bytes].concat(), &Options::default(), 50);
    }

    #[test]
    fn mutations_and_parts_agree(
        sparse in any::<bool>(),
        edits in prop::collection::vec((0usize..300, prop::sample::select(b"{}'\"\\%,\n\r 1x?@-\xFF\x00".to_vec())), 1..6),
        size in 1usize..40,
    ) {
        let rows = if sparse { "{0 1.5, 4 b}, {2}\n{}\n{2 'dark blue'}\n" } else { "1,2,red,'x',a\n?,3,red,y,b\n1,2,red,z,a\n" };
        let mut bytes = file(rows).into_bytes();
        for (at, byte) in edits {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        let one = with(&bytes, &Options::default(), usize::MAX).map_err(|e| e.to_string());
        let parts = with(&bytes, &Options::default(), size).map_err(|e| e.to_string());
        // Compared as text: a missing number is not equal to itself.
        prop_assert_eq!(format!("{one:?}"), format!("{parts:?}"));
    }
}

#[test]
fn sparse_rows_that_would_expand_too_much() {
    let mut text = String::from("@relation x\n");
    for j in 0..20_000 {
        text += &format!("@attribute a{j} {{p,q}}\n");
    }
    text += "@data\n";
    text += &"{}\n".repeat(20_000);
    assert_eq!(with(text.as_bytes(), &Options::default(), 1000).unwrap_err().code(), Code::MemoryPlan);
}
