use std::path::Path;

use parquet::basic::Compression;
use parquet::basic::Encoding;
use parquet::data_type::*;
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;

use super::*;
use crate::Missing;
use crate::data::Target;

/// A column to write: its values, and for optional columns which rows have one.
enum Data {
    Bool(Vec<bool>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
    Float(Vec<f32>),
    Double(Vec<f64>),
    Bytes(Vec<&'static [u8]>),
    Int96(Vec<u32>),
    Fixed(Vec<&'static [u8]>),
}

/// The columns of a row group.
type Group = Vec<(Data, Option<Vec<i16>>)>;

fn put<T: parquet::data_type::DataType>(
    column: &mut SerializedColumnWriter<'_>,
    values: &[T::T],
    there: Option<&[i16]>,
) {
    column.typed::<T>().write_batch(values, there, None).unwrap();
}

/// A file with the given row groups, each with one entry per column of the schema.
fn file(schema: &str, properties: WriterProperties, groups: &[Group]) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(&format!("message m {{ {schema} }}")).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties)).unwrap();
    for group in groups {
        let mut rows = writer.next_row_group().unwrap();
        for (data, there) in group {
            let mut column = rows.next_column().unwrap().unwrap();
            let there = there.as_deref();
            match data {
                Data::Bool(v) => put::<BoolType>(&mut column, v, there),
                Data::Int32(v) => put::<Int32Type>(&mut column, v, there),
                Data::Int64(v) => put::<Int64Type>(&mut column, v, there),
                Data::Float(v) => put::<FloatType>(&mut column, v, there),
                Data::Double(v) => put::<DoubleType>(&mut column, v, there),
                Data::Bytes(v) => {
                    let v: Vec<ByteArray> = v.iter().map(|b| b.to_vec().into()).collect();
                    put::<ByteArrayType>(&mut column, &v, there);
                }
                Data::Int96(v) => {
                    let v: Vec<Int96> = v.iter().map(|&n| vec![n, 0, 2_440_589].into()).collect();
                    put::<Int96Type>(&mut column, &v, there);
                }
                Data::Fixed(v) => {
                    let v: Vec<FixedLenByteArray> = v.iter().map(|b| b.to_vec().into()).collect();
                    put::<FixedLenByteArrayType>(&mut column, &v, there);
                }
            }
            column.close().unwrap();
        }
        rows.close().unwrap();
    }
    writer.into_inner().unwrap()
}

fn plain() -> WriterProperties {
    WriterProperties::builder().set_dictionary_enabled(false).build()
}

fn deltas() -> WriterProperties {
    WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_column_encoding("s".into(), Encoding::DELTA_LENGTH_BYTE_ARRAY)
        .set_column_encoding("y".into(), Encoding::DELTA_BYTE_ARRAY)
        .set_column_encoding("a".into(), Encoding::DELTA_BINARY_PACKED)
        .build()
}

fn load(bytes: &[u8], options: &Options) -> Result<Dataset> {
    read(&Source { name: Path::new("a.parquet"), bytes }, options)
}

fn code(bytes: &[u8], options: &Options) -> Code {
    load(bytes, options).unwrap_err().code()
}

fn numbers(data: &Dataset, name: &str) -> Vec<f64> {
    match &data.column(name).unwrap().values {
        Values::Numbers(x) => x.values().to_vec(),
        other => panic!("{name} holds {}", other.kind()),
    }
}

const SCHEMA: &str =
    "required int32 a; optional double b; required binary s (UTF8); required binary y (STRING);";

fn group() -> Group {
    vec![
        (Data::Int32(vec![1, -2, 3, 4]), None),
        (Data::Double(vec![0.5, 2.5, 3.5]), Some(vec![1, 0, 1, 1])),
        (Data::Bytes(vec![b"red", b"blue", b"red", b"red"]), None),
        (Data::Bytes(vec![b"p", b"q", b"p", b"q"]), None),
    ]
}

fn small(properties: WriterProperties) -> Vec<u8> {
    file(SCHEMA, properties, &[group(), group()])
}

/// Options with which nulls are read as missing values.
fn keeping() -> Options {
    Options { missing: Some(Missing::Keep), ..Options::default() }
}

#[test]
fn all_encodings_read_the_same() {
    let builder = WriterProperties::builder;
    let ways = [
        plain(),
        builder().build(),
        builder().set_compression(Compression::SNAPPY).build(),
        builder().set_compression(Compression::ZSTD(Default::default())).build(),
        builder().set_compression(Compression::GZIP(Default::default())).build(),
        builder()
            .set_compression(Compression::LZ4_RAW)
            .set_writer_version(WriterVersion::PARQUET_2_0)
            .build(),
        builder().set_dictionary_enabled(false).set_writer_version(WriterVersion::PARQUET_2_0).build(),
        deltas(),
    ];
    for way in ways {
        let data = load(&small(way), &keeping()).unwrap();
        assert_eq!(data.len(), 8);
        assert_eq!(numbers(&data, "a"), [1.0, -2.0, 3.0, 4.0, 1.0, -2.0, 3.0, 4.0]);
        let b = numbers(&data, "b");
        assert_eq!((b[0], b[2], b[5].is_nan()), (0.5, 2.5, true));
        let Values::Categories(s) = &data.column("s").unwrap().values else { panic!("not categories") };
        assert_eq!(s.levels(), ["red", "blue"]);
        assert!(matches!(data.target(), Some(Target::Classes(c)) if c.levels() == ["p", "q"]));
    }
}

#[test]
fn whole_numbers_follow_their_logical_type() {
    let schema = "required int32 u (UINT_32); required int64 v (INTEGER(64,false)); required boolean t;
        required float f; required int64 id; required int32 w (INTEGER(8,true));";
    let columns = vec![
        (Data::Int32(vec![-1, 7]), None),
        (Data::Int64(vec![-1, 7]), None),
        (Data::Bool(vec![true, false]), None),
        (Data::Float(vec![0.5, 1.5]), None),
        (Data::Int64(vec![9_007_199_254_740_992, 9_007_199_254_740_993]), None),
        (Data::Int32(vec![-8, 8]), None),
    ];
    let options = Options { id: Some("id".into()), ..Options::default() };
    let data = load(&file(schema, plain(), &[columns]), &options).unwrap();
    assert_eq!(numbers(&data, "u"), [4_294_967_295.0, 7.0]);
    assert_eq!(numbers(&data, "v"), [u64::MAX as f64, 7.0]);
    assert_eq!(numbers(&data, "t"), [1.0, 0.0]);
    assert_eq!(numbers(&data, "f"), [0.5, 1.5]);
    assert_eq!(numbers(&data, "w"), [-8.0, 8.0]);
    assert_eq!(data.ids().unwrap(), ["9007199254740992", "9007199254740993"]);
}

#[test]
fn strings_are_text_categories_or_sequences() {
    let schema = "required binary s (UTF8);";
    let of = |values: Vec<&'static [u8]>, options: &Options| {
        let data = load(&file(schema, plain(), &[vec![(Data::Bytes(values), None)]]), options);
        data.map(|d| d.columns()[0].values.kind())
    };
    let free = Options::default();
    assert_eq!(of(vec![b"a b c", b"d e f g"], &free).unwrap(), Kind::Text);
    assert_eq!(of(vec![b"acgt", b"gtac"], &free).unwrap(), Kind::Strings);
    let told = Options { kinds: [("s".to_string(), Kind::Categories)].into(), ..Options::default() };
    assert_eq!(of(vec![b"acgt", b"gtac"], &told).unwrap(), Kind::Categories);
    assert_eq!(of(vec![b"\xff"], &free).unwrap_err().code(), Code::Encoding);
}

#[test]
fn nulls_follow_the_policy_and_labels_may_not_be_null() {
    let bytes = small(plain());
    let with = |missing| load(&bytes, &Options { missing: Some(missing), ..Options::default() });
    let dropped = with(Missing::Drop).unwrap();
    assert_eq!((dropped.len(), dropped.warnings()[0].code), (6, "W_DROPPED"));
    let error = with(Missing::Refuse).unwrap_err();
    assert_eq!(error.to_string(), "a.parquet E_MISSING row 2: no value in column 'b'");
    let target = Options { target: Some("b".into()), ..keeping() };
    assert_eq!(code(&bytes, &Options { missing: Some(Missing::Refuse), ..target }), Code::Label);
    let absent = Options { target: Some("yy".into()), ..Options::default() };
    let error = load(&bytes, &absent).unwrap_err();
    assert_eq!(error.code(), Code::Target);
    assert!(error.hint().unwrap().contains('y'));
}

#[test]
fn nulls_need_a_stated_policy() {
    let bytes = small(plain());
    let error = load(&bytes, &Options::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a.parquet E_PARQUET_TYPE column 'b' holds a null in row 2, expected a value in every row"
    );
    assert!(error.hint().unwrap().contains("`missing=keep`"));
    let ignoring = Options { ignore: vec!["b".into()], ..Options::default() };
    assert_eq!(load(&bytes, &ignoring).unwrap().len(), 8);
    // An optional column without nulls is like any other.
    let full = vec![(Data::Double(vec![1.0, 2.0]), Some(vec![1, 1]))];
    assert_eq!(load(&file("optional double b;", plain(), &[full]), &Options::default()).unwrap().len(), 2);
    let names = vec![(Data::Bytes(vec![b"p"]), Some(vec![1, 0]))];
    let names = file("optional binary s (UTF8);", plain(), &[names]);
    assert_eq!(code(&names, &Options::default()), Code::ParquetType);
    assert_eq!(load(&names, &keeping()).unwrap().columns()[0].missing(), 1);
}

#[test]
fn non_finite_values_have_a_position() {
    let of = |name: &str, value: f64| {
        let schema = format!("required double {name}; required int32 a;");
        let columns = vec![(Data::Double(vec![1.0, value]), None), (Data::Int32(vec![1, 2]), None)];
        load(&file(&schema, plain(), &[columns]), &Options::default()).unwrap_err()
    };
    let error = of("x", f64::NAN);
    assert_eq!(error.code(), Code::NonFinite);
    assert!(error.to_string().contains("column 'x' at row 2"), "{error}");
    assert_eq!(of("x", f64::INFINITY).code(), Code::NonFinite);
    assert_eq!(of("y", f64::NAN).code(), Code::Label);
}

#[test]
fn unsupported_types_are_named_unless_ignored() {
    let cases = [
        ("required int32 z (DECIMAL(5,2));", Data::Int32(vec![1])),
        ("required int64 z (TIME(MICROS,true));", Data::Int64(vec![1])),
        ("required binary z;", Data::Bytes(vec![b"raw"])),
        ("required binary z (JSON);", Data::Bytes(vec![b"{}"])),
        ("required fixed_len_byte_array(2) z;", Data::Fixed(vec![b"ab"])),
        ("required group z { required int32 i; }", Data::Int32(vec![1])),
    ];
    for (column, data) in cases {
        let schema = format!("{column} required int32 a;");
        let bytes = file(&schema, plain(), &[vec![(data, None), (Data::Int32(vec![1]), None)]]);
        let error = load(&bytes, &Options::default()).unwrap_err();
        assert_eq!(error.code(), Code::ParquetType, "{column}");
        assert!(error.to_string().contains("'z'") && !error.to_string().contains('{'), "{error}");
        let ignoring = Options { ignore: vec!["z".into()], ..Options::default() };
        assert_eq!(load(&bytes, &ignoring).unwrap().columns().len(), 1, "{column}");
    }
}

#[test]
fn damaged_files() {
    let plain_options = Options::default();
    assert_eq!(code(&[], &plain_options), Code::Empty);
    assert_eq!(code(b"PAR0 nothing here", &plain_options), Code::Parquet);
    let good = small(plain());
    let mut footer = good.clone();
    let at = footer.len() - 8;
    footer[at..at + 4].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(code(&footer, &plain_options), Code::Parquet);
    let compressed = small(WriterProperties::builder().set_compression(Compression::SNAPPY).build());
    let mut page = compressed.clone();
    page[4..60].fill(0xff);
    assert_eq!(code(&page, &plain_options), Code::Parquet);
    let empty = file("required int32 a;", plain(), &[]);
    assert_eq!(code(&empty, &plain_options), Code::Empty);
}

#[test]
fn a_constant_column_does_not_fill_the_memory() {
    // One dictionary entry of 64 KiB, referenced four thousand times in a few bytes.
    let long: &'static [u8] = Box::leak(vec![b'a'; 1 << 16].into_boxed_slice());
    let values = vec![long; 4096];
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let bytes = file("required binary s (UTF8);", properties, &[vec![(Data::Bytes(values), None)]]);
    assert!(bytes.len() < 100_000);
    assert_eq!(code(&bytes, &Options::default()), Code::Ratio);
}

#[test]
fn every_truncation_is_an_error() {
    let bytes = small(WriterProperties::builder().set_compression(Compression::SNAPPY).build());
    for end in 0..bytes.len() {
        assert!(load(&bytes[..end], &Options::default()).is_err(), "{end}");
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = load(&bytes, &Options::default());
        let mut wrapped = b"PAR1".to_vec();
        wrapped.extend_from_slice(&bytes);
        wrapped.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        wrapped.extend_from_slice(b"PAR1");
        let _ = load(&wrapped, &Options::default());
    }

    #[test]
    fn changed_bytes_do_not_panic(
        way in 0usize..4,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let builder = WriterProperties::builder();
        let properties = match way {
            0 => builder.build(),
            1 => builder.set_compression(Compression::SNAPPY).build(),
            2 => deltas(),
            _ => builder.set_dictionary_enabled(false).set_writer_version(WriterVersion::PARQUET_2_0).build(),
        };
        let mut bytes = small(properties);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = load(&bytes, &Options::default());
    }
}

#[test]
fn dates_and_timestamps_are_times() {
    for (column, data, expected) in [
        ("required int32 z (DATE);", Data::Int32(vec![-1, 19_782]), ["1969-12-31", "2024-02-29"]),
        (
            "required int64 z (TIMESTAMP(MILLIS,true));",
            Data::Int64(vec![1500, 0]),
            ["1970-01-01 00:00:01.500", "1970-01-01"],
        ),
        (
            "required int64 z (TIMESTAMP(NANOS,false));",
            Data::Int64(vec![86_400_000_000_000, 0]),
            ["1970-01-02", "1970-01-01"],
        ),
        (
            "required int64 z (TIMESTAMP_MICROS);",
            Data::Int64(vec![60_000_000, 0]),
            ["1970-01-01 00:01:00", "1970-01-01"],
        ),
        ("required int96 z;", Data::Int96(vec![1_000_000_000, 0]), ["1970-01-02 00:00:01", "1970-01-02"]),
    ] {
        let schema = format!("{column} required int32 a;");
        let bytes = file(&schema, plain(), &[vec![(data, None), (Data::Int32(vec![1, 2]), None)]]);
        let data = load(&bytes, &Options::default()).unwrap();
        let Values::Times(times) = &data.columns()[0].values else { panic!("{column}") };
        let shown: Vec<String> = times.seconds().iter().map(|t| crate::data::show_time(*t)).collect();
        assert_eq!(shown, expected, "{column}");
        // As names of objects, and as classes.
        let id = Options { id: Some("z".into()), ..Options::default() };
        assert_eq!(load(&bytes, &id).unwrap().ids().unwrap(), expected, "{column}");
        let target = Options { target: Some("z".into()), ..Options::default() };
        assert!(
            matches!(load(&bytes, &target).unwrap().target(), Some(Target::Classes(c)) if c.levels() == expected)
        );
    }
    // A null is a missing time.
    let bytes = file(
        "optional int64 z (TIMESTAMP(MILLIS,true)); required int32 a;",
        plain(),
        &[vec![(Data::Int64(vec![5]), Some(vec![1, 0])), (Data::Int32(vec![1, 2]), None)]],
    );
    assert_eq!(load(&bytes, &keeping()).unwrap().columns()[0].missing(), 1);
}
