//! Valid and invalid series files.

use std::borrow::Cow;
use std::path::Path;

use proptest::prelude::*;

use super::super::{Gaps, Layout, Limits, Missing, SeriesOptions, read_bytes};
use super::*;
use crate::data::Series;

fn with(name: &str, text: &str, options: &Options) -> Result<Dataset> {
    read_bytes(Path::new(name), text.as_bytes(), options)
}

fn given(series: SeriesOptions) -> Options {
    Options { series, ..Options::default() }
}

fn gaps(gaps: Gaps) -> Options {
    given(SeriesOptions { gaps: Some(gaps), ..SeriesOptions::default() })
}

fn table(layout: Layout) -> Options {
    given(SeriesOptions { layout: Some(layout), ..SeriesOptions::default() })
}

fn series(data: &Dataset) -> Vec<Series> {
    match &data.column("series").unwrap().values {
        Values::Series(s) => s.clone(),
        other => panic!("{:?}", other.kind()),
    }
}

fn classes(data: &Dataset) -> Vec<String> {
    match data.target() {
        Some(Target::Classes(c)) => (0..c.len()).map(|i| c.get(i).unwrap().to_owned()).collect(),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn bad(name: &str, text: &str, options: &Options, code: Code, line: u64, column: u64) -> Error {
    let error = with(name, text, options).unwrap_err();
    match &error {
        Error::Parse { place, code: found, .. } => {
            assert_eq!((*found, place.line, place.column), (code, line, column), "{error}");
        }
        other => panic!("{other}"),
    }
    error
}

const TS: &str = "# about it\n@problemName p\n@timeStamps false\n@missing false\n@univariate false\n@dimensions 2\n\
                  @equalLength false\n@classLabel true up down\n@data\n1,2,3:4,5,6:up\n1.5,-2e1:0,0:down\n";

#[test]
fn a_ts_file() {
    let data = with("a.ts", TS, &Options::default()).unwrap();
    let s = series(&data);
    assert_eq!(s[0], Series::new(2, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap());
    assert_eq!(s[1], Series::new(2, vec![1.5, -20.0, 0.0, 0.0]).unwrap());
    assert_eq!((classes(&data), data.target_name()), (vec!["up".into(), "down".into()], Some("class")));
    for same in
        [TS.replace('\n', "\r\n"), TS.replace("@problemName", "@PROBLEMNAME"), TS.trim_end().to_owned()]
    {
        assert_eq!(with("a.ts", &same, &Options::default()).unwrap(), data);
        assert_eq!(with("unnamed", &same, &Options::default()).unwrap(), data);
    }
    let none = Options { no_target: true, ..Options::default() };
    assert!(with("a.ts", TS, &none).unwrap().target().is_none());
    let odd = TS.replace("@missing", "@colour");
    assert_eq!(with("a.ts", &odd, &Options::default()).unwrap().warnings()[0].code, "W_TS_TAG");
}

#[test]
fn regression_targets_and_no_target() {
    let numbers = "@univariate true\n@targetLabel true\n@data\n1,2:0.5\n3:1\n";
    let data = with("a.ts", numbers, &Options::default()).unwrap();
    assert_eq!((data.target(), data.target_name()), (Some(&Target::Numbers(vec![0.5, 1.0])), Some("target")));
    bad("a.ts", &numbers.replace("0.5", "x"), &Options::default(), Code::Label, 4, 5);
    let none =
        with("a.ts", "@univariate true\n@classLabel false\n@data\n1,2\n3\n", &Options::default()).unwrap();
    assert_eq!((none.target(), none.len()), (None, 2));
}

#[test]
fn row_48_headers_and_labels() {
    let all = Options::default();
    bad("a.ts", "@univariate true\n1,2:a\n", &all, Code::TsHeader, 2, 1);
    bad("a.ts", "@univariate true\n", &all, Code::TsHeader, 1, 1);
    bad("a.ts", &TS.replace("up\n", "left\n"), &all, Code::TsLabel, 10, 13);
    bad("a.ts", &TS.replace(":up\n", ":\n"), &all, Code::TsLabel, 10, 13);
    bad("a.ts", &TS.replace(":4,5,6:up", ",up"), &all, Code::TsLabel, 10, 1);
    bad("a.ts", &TS.replace("@timeStamps false", "@timeStamps true"), &all, Code::TsHeader, 3, 1);
    bad("a.ts", &TS.replace("@dimensions 2", "@dimensions 3"), &all, Code::TsHeader, 10, 1);
    bad("a.ts", &TS.replace("@dimensions 2", "@dimensions none"), &all, Code::TsHeader, 6, 1);
    bad("a.ts", &TS.replace("@univariate false", "@univariate maybe"), &all, Code::TsHeader, 5, 1);
    bad("a.ts", &TS.replace("1,2,3", "(0,1),(1,2),(2,3)"), &all, Code::TsHeader, 10, 1);
    bad("a.ts", &TS.replace("@dimensions 2\n", "").replace(":0,0", ""), &all, Code::TsHeader, 10, 1);
    assert_eq!(with("a.ts", &TS[..TS.find("1,2,3").unwrap()], &all).unwrap_err().code(), Code::Empty);
    bad("a.ts", &TS.replace("-2e1", "-2x"), &all, Code::Number, 11, 5);
    bad("a.ts", &TS.replace("-2e1", "1e999"), &all, Code::Overflow, 11, 5);
    bad("a.ts", &TS.replace("-2e1", "inf"), &all, Code::NonFinite, 11, 5);
}

#[test]
fn row_49_lengths_and_gaps() {
    let all = Options::default();
    bad("a.ts", &TS.replace("4,5,6", "4,5"), &all, Code::TsLength, 10, 7);
    let equal = TS.replace("@equalLength false", "@equalLength true\n@seriesLength 3");
    bad("a.ts", &equal, &all, Code::TsLength, 12, 1);
    let gap = TS.replace("4,5,6", "4,?,6").replace("1.5", "NaN");
    let error = bad("a.ts", &gap, &all, Code::TsMissing, 10, 9);
    assert!(error.hint().unwrap().contains("interpolate"));
    let filled = |how| series(&with("a.ts", &gap, &gaps(how)).unwrap());
    assert_eq!(filled(Gaps::Interpolate)[0].channel(1), [4.0, 5.0, 6.0]);
    assert_eq!(filled(Gaps::Interpolate)[1].channel(0), [-20.0, -20.0]);
    assert_eq!(filled(Gaps::Zero)[0].channel(1), [4.0, 0.0, 6.0]);
    assert!(filled(Gaps::Keep)[0].channel(1)[1].is_nan());
    let drop = Options { missing: Some(Missing::Drop), ..Options::default() };
    assert_eq!(with("a.ts", &gap, &drop).unwrap_err().code(), Code::Empty);
    let one = with("a.ts", &TS.replace("4,5,6", "4,?,6"), &drop).unwrap();
    assert_eq!((classes(&one), one.warnings()[0].code), (vec!["down".to_owned()], "W_DROPPED"));
    bad("a.ts", &TS.replace("4,5,6", "?,?,?"), &gaps(Gaps::Interpolate), Code::TsMissing, 10, 7);
}

#[test]
fn a_series_without_time_steps_is_missing() {
    let data = with("a.ts", &TS.replace("1,2,3:4,5,6", ":"), &Options::default()).unwrap();
    let column = data.column("series").unwrap();
    assert!(column.values.is_missing(0) && !column.values.is_missing(1));
}

#[test]
fn files_of_the_ucr_archive() {
    let text = "1\t0.5\t1.5\tNaN\n2\t1\tNaN\t3\n-1\t7\t8\t9\n";
    bad("X_TRAIN.tsv", text, &Options::default(), Code::TsMissing, 2, 5);
    let data = with("X_TRAIN.tsv", text, &gaps(Gaps::Interpolate)).unwrap();
    let s = series(&data);
    assert_eq!(
        s.iter().map(|s| s.values().to_vec()).collect::<Vec<_>>(),
        [vec![0.5, 1.5], vec![1.0, 2.0, 3.0], vec![7.0, 8.0, 9.0]]
    );
    assert_eq!(classes(&data), ["1", "2", "-1"]);
    let commas = with("X_TEST.txt", &text.replace('\t', ","), &gaps(Gaps::Interpolate)).unwrap();
    assert_eq!(commas, data);
    bad("X_TEST.tsv", "1\t2\n?\t3\n", &Options::default(), Code::Label, 2, 1);
    // The same text with another file name is a table, unless the format is given.
    assert!(with("x.tsv", "1\t2\n1\t3\n", &Options::default()).unwrap().column("x2").is_ok());
    let ucr = Options { format: Some(Format::Ucr), ..Options::default() };
    assert_eq!(series(&with("x.tsv", "1\t2\n1\t3\n", &ucr).unwrap())[1].values(), [3.0]);
}

#[test]
fn wide_tables() {
    let text = "name,x1,x2,x3,class\na,1,2,3,p\nb,4,5,,q\nc,6,,8,p\n";
    let options = table(Layout::Wide);
    let error = bad("a.csv", text, &options, Code::TsMissing, 4, 1);
    assert!(error.to_string().contains("x2"), "{error}");
    let mut options = table(Layout::Wide);
    options.series.gaps = Some(Gaps::Zero);
    options.id = Some("name".into());
    let data = with("a.csv", text, &options).unwrap();
    let lengths: Vec<_> = series(&data).iter().map(Series::len).collect();
    assert_eq!((lengths, data.columns().len()), (vec![3, 2, 3], 1));
    assert_eq!(
        (data.ids().unwrap(), classes(&data)[1].as_str()),
        (&["a", "b", "c"].map(String::from)[..], "q")
    );
    options.series.gaps = None;
    options.missing = Some(Missing::Drop);
    assert_eq!(with("a.csv", text, &options).unwrap().ids().unwrap(), ["a", "b"]);
    let words = "a,class\nx y,p\nz w,q\n";
    assert_eq!(with("a.csv", words, &table(Layout::Wide)).unwrap_err().code(), Code::TsHeader);
    // Other columns are kept next to the series; their missing values are handled separately.
    let wide = "ward,x1,x2,class\nn,1,2,p\n,3,4,q\ns,5,6,p\nn,5,6,q\n";
    let mut options = table(Layout::Wide);
    assert_eq!(with("a.csv", wide, &options).unwrap().column("ward").unwrap().missing(), 1);
    options.missing = Some(Missing::Drop);
    assert_eq!(with("a.csv", wide, &options).unwrap().len(), 3);
    options.missing = Some(Missing::Refuse);
    assert_eq!(with("a.csv", wide, &options).unwrap_err().code(), Code::Missing);
}

#[test]
fn long_tables() {
    let text = "id,time,value,class\nb,2,20,q\na,1,1,p\nb,1,10,q\na,3,3,p\na,2,2,p\n";
    let data = with("a.csv", text, &table(Layout::Long)).unwrap();
    let values: Vec<_> = series(&data).iter().map(|s| s.values().to_vec()).collect();
    assert_eq!(values, [vec![10.0, 20.0], vec![1.0, 2.0, 3.0]]);
    assert_eq!(
        (data.ids().unwrap(), classes(&data)),
        (&["b".to_owned(), "a".to_owned()][..], vec!["q".into(), "p".into()])
    );
    let all = table(Layout::Long);
    bad("a.csv", &text.replace("a,3,3,p", "a,3,3,q"), &all, Code::TsLabel, 5, 1);
    bad("a.csv", &text.replace("a,3,3", "a,1,3"), &all, Code::Syntax, 5, 1);
    bad("a.csv", &text.replace("a,3,3", "a,3,"), &all, Code::TsMissing, 5, 1);
    bad("a.csv", &text.replace("a,3,3", ",3,3"), &all, Code::TsHeader, 5, 1);
    bad("a.csv", &text.replace("time", "when"), &all, Code::TsHeader, 1, 1);
    let mut named = table(Layout::Long);
    named.series.time = Some("when".into());
    assert_eq!(with("a.csv", &text.replace("time", "when"), &named).unwrap(), data);
    // Dates in year-month-day order.
    let dates =
        text.replace(",1,", ",2024-01-31,").replace(",2,", ",2024-02-01,").replace(",3,", ",2024-10-01,");
    assert_eq!(series(&with("a.csv", &dates, &all).unwrap())[1].values(), [1.0, 2.0, 3.0]);
}

#[test]
fn long_tables_of_several_channels() {
    let wide = "id,time,x,y,class\na,1,1,10,p\na,2,2,20,p\nb,1,3,30,q\n";
    let data = with("a.csv", wide, &table(Layout::Long)).unwrap();
    assert_eq!(series(&data)[0], Series::new(2, vec![1.0, 2.0, 10.0, 20.0]).unwrap());
    let long =
        "id,time,channel,value,class\na,1,x,1,p\na,1,y,10,p\nb,1,x,3,q\na,2,x,2,p\na,2,y,20,p\nb,1,y,30,q\n";
    assert_eq!(with("a.csv", long, &table(Layout::Long)).unwrap(), data);
    bad("a.csv", &long.replace("b,1,y,30,q\n", ""), &table(Layout::Long), Code::TsLength, 4, 1);
    bad("a.csv", &long.replace("b,1,y", "b,2,y"), &table(Layout::Long), Code::TsLength, 7, 1);
}

fn ts_in_parts(bytes: &[u8], size: usize) -> Result<Dataset> {
    let text = Text::new(Path::new("a.ts"), Cow::Borrowed(bytes), &Limits::default())?;
    ts::read_in_parts(&text, &Options::default(), size)
}

proptest! {
    #[test]
    fn any_bytes_give_data_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200), which in 0usize..4) {
        let name = ["a.ts", "a_TRAIN.tsv", "a.csv", "a.csv"][which];
        let layout = [None, None, Some(Layout::Wide), Some(Layout::Long)][which];
        let _ = read_bytes(Path::new(name), &bytes, &given(SeriesOptions { layout, ..SeriesOptions::default() }));
    }

    #[test]
    fn mutations_and_parts_agree(
        edits in prop::collection::vec((0usize..200, prop::sample::select(b"@#:\n\r ,1x-?.e\xFF".to_vec())), 1..5),
        size in 1usize..60,
    ) {
        let mut bytes = TS.as_bytes().to_vec();
        for (at, byte) in edits {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        let one = ts_in_parts(&bytes, usize::MAX).map_err(|e| e.to_string());
        prop_assert_eq!(one, ts_in_parts(&bytes, size).map_err(|e| e.to_string()));
    }
}
