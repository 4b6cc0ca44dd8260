use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder, StringDictionaryBuilder};
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, DurationMillisecondArray, Float32Array, Float64Array, Int16Array,
    NullArray, RecordBatch, StringArray, TimestampMicrosecondArray, UInt64Array,
};
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};

use crate::data::{Dataset, Kind, Target, Values};
use crate::error::{Code, Result};
use crate::{Options, read_bytes};

/// A file of these columns, in two batches.
fn file(columns: Vec<(&str, ArrayRef)>, compression: Option<CompressionType>) -> Vec<u8> {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let mut out = Vec::new();
    let mut writer = FileWriter::try_new_with_options(&mut out, &batch.schema(), options).unwrap();
    writer.write(&batch.slice(0, 1)).unwrap();
    writer.write(&batch.slice(1, batch.num_rows() - 1)).unwrap();
    writer.finish().unwrap();
    drop(writer);
    out
}

fn read(bytes: &[u8]) -> Result<Dataset> {
    read_bytes(Path::new("a.feather"), bytes, &Options::default())
}

fn columns() -> Vec<(&'static str, ArrayRef)> {
    let mut colours = StringDictionaryBuilder::<Int8Type>::new();
    for colour in [Some("red"), Some("blue"), None, Some("red")] {
        colours.append_option(colour);
    }
    vec![
        ("f", Arc::new(Float64Array::from(vec![Some(0.1), None, Some(f64::NAN), Some(-2e300)]))),
        ("s", Arc::new(Float32Array::from(vec![0.5, 1.0, 2.0, 3.0]))),
        ("i", Arc::new(Int16Array::from(vec![1, -2, 3, 4]))),
        ("u", Arc::new(UInt64Array::from(vec![1, 2, 3, 1 << 60]))),
        ("b", Arc::new(BooleanArray::from(vec![true, false, true, true]))),
        ("c", Arc::new(colours.finish())),
        ("d", Arc::new(Date32Array::from(vec![0, 19_782, -1, 1]))),
        ("t", Arc::new(TimestampMicrosecondArray::from(vec![1_500_000, 0, 0, 0]).with_timezone("UTC"))),
        ("p", Arc::new(DurationMillisecondArray::from(vec![1500, 0, 1, 2]))),
        ("n", Arc::new(NullArray::new(4))),
        ("class", Arc::new(StringArray::from(vec!["x", "y, z", "x", "y, z"]))),
    ]
}

#[test]
fn columns_of_every_kind() {
    for compression in [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)] {
        let mut options = Options::default();
        options.kinds.extend(["d", "t"].map(|c| (c.to_owned(), Kind::Strings)));
        let data = read_bytes(Path::new("a.arrow"), &file(columns(), compression), &options).unwrap();
        let numbers = |name: &str| match &data.column(name).unwrap().values {
            Values::Numbers(x) => x.values().to_vec(),
            other => panic!("{name}: {}", other.kind()),
        };
        let strings = |name: &str| match &data.column(name).unwrap().values {
            Values::Strings(x) => x.iter().map(|s| s.clone().unwrap()).collect::<Vec<_>>(),
            other => panic!("{name}: {}", other.kind()),
        };
        let f = numbers("f");
        assert!(f[0] == 0.1 && f[1].is_nan() && f[2].is_nan() && f[3] == -2e300);
        assert_eq!(numbers("s"), [0.5, 1.0, 2.0, 3.0]);
        assert_eq!(numbers("i"), [1.0, -2.0, 3.0, 4.0]);
        assert_eq!(numbers("u")[3], (1u64 << 60) as f64);
        assert_eq!(numbers("b"), [1.0, 0.0, 1.0, 1.0]);
        assert_eq!(numbers("p"), [1.5, 0.0, 0.001, 0.002]);
        assert_eq!(strings("d"), ["1970-01-01", "2024-02-29", "1969-12-31", "1970-01-02"]);
        assert_eq!(strings("t")[0], "1970-01-01T00:00:01.500000Z");
        let Values::Categories(c) = &data.column("c").unwrap().values else { panic!() };
        assert_eq!((c.get(1), c.get(2), c.get(3)), (Some("blue"), None, Some("red")));
        assert!(matches!(data.target(), Some(Target::Classes(c)) if c.get(1) == Some("y, z")));
    }
}

#[test]
fn nested_columns_are_refused_unless_left_out() {
    let mut lists = ListBuilder::new(Int64Builder::new());
    (0..4).for_each(|i| lists.append_value([Some(i)]));
    let mut columns = columns();
    columns.push(("l", Arc::new(lists.finish())));
    let bytes = file(columns, None);
    assert_eq!(read(&bytes).unwrap_err().code(), Code::Nested);
    let options = Options { ignore: vec!["l".into()], ..Options::default() };
    assert_eq!(read_bytes(Path::new("a.arrow"), &bytes, &options).unwrap().len(), 4);
}

#[test]
fn damaged_files_are_errors() {
    let good = file(columns(), Some(CompressionType::LZ4_FRAME));
    for cut in [0, 6, 8, 19, good.len() / 2, good.len() - 1] {
        let code = read(&good[..cut]).unwrap_err().code();
        assert!(matches!(code, Code::Truncated | Code::Empty), "{cut}: {code}");
    }
    // Any byte may be wrong: an error or other values, never a panic, and never more memory than plausible.
    for at in (0..good.len()).step_by(3) {
        let mut bad = good.clone();
        bad[at] ^= 0x81;
        let budget = crate::budget::Budget::default().with_memory(256 << 20);
        let _ = budget.enter(|| read(&bad));
    }
    assert_eq!(
        read_bytes(Path::new("a.arrow"), b"\xFF\xFF\xFF\xFF\x10\0\0\0", &Options::default())
            .unwrap_err()
            .code(),
        Code::Format
    );
}

#[test]
fn a_column_of_zeros_is_not_a_bomb_until_it_is_large() {
    let zeros = |n: usize| -> Vec<(&'static str, ArrayRef)> {
        vec![("z", Arc::new(Float64Array::from(vec![0.0; n])))]
    };
    let small = file(zeros(100_000), Some(CompressionType::ZSTD));
    assert_eq!(read(&small).unwrap().len(), 100_000);
    let large = file(zeros(4_000_000), Some(CompressionType::ZSTD));
    assert_eq!(read(&large).unwrap_err().code(), Code::Ratio);
}
