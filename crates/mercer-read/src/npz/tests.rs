use std::io::Write;
use std::path::Path;

use proptest::prelude::*;
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

use std::io::Cursor;

use super::*;
use crate::data::{Dense, Target, Values};
use crate::npy::header;

fn array(rows: u64, cols: u64, values: &[f64]) -> Vec<u8> {
    let mut out = header(rows, cols, "<f8");
    out.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    out
}

fn whole(values: &[i64]) -> Vec<u8> {
    let text = format!("{{'descr': '<i8', 'fortran_order': False, 'shape': ({},), }}\n", values.len());
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend_from_slice(&(text.len() as u16).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
    out.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    out
}

fn archive(members: &[(&str, Vec<u8>)], method: CompressionMethod) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        let options = SimpleFileOptions::default().compression_method(method);
        writer.start_file(*name, options).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn small() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("X.npy", array(3, 2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])),
        ("y.npy", whole(&[0, 1, 0])),
        ("age.npy", array(3, 1, &[30.0, 40.0, 50.0])),
        ("who.npy", whole(&[9_007_199_254_740_992, 9_007_199_254_740_993, 7])),
    ]
}

fn load(bytes: &[u8], options: &Options) -> Result<Dataset> {
    read(&Source { name: Path::new("a.npz"), bytes }, options)
}

fn code(bytes: &[u8], options: &Options) -> Code {
    load(bytes, options).unwrap_err().code()
}

#[test]
fn members_become_columns_target_and_groups() {
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let options = Options { group: Some("who".into()), ..Options::default() };
        let data = load(&archive(&small(), method), &options).unwrap();
        let names: Vec<_> = data.columns().iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["x", "age"]);
        assert_eq!(
            data.columns()[0].values,
            Values::Numbers(Dense::from_rows(&[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
        );
        assert!(matches!(data.target(), Some(Target::Classes(c)) if c.levels() == ["0", "1"]));
        // The first two are equal as doubles.
        assert_eq!(data.groups().unwrap().levels(), ["9007199254740992", "9007199254740993", "7"]);
    }
}

#[test]
fn only_one_member_is_renamed() {
    let both = [("X.npy", array(1, 1, &[1.0])), ("x.npy", array(1, 1, &[2.0]))];
    let data = load(&archive(&both, CompressionMethod::Stored), &Options::default()).unwrap();
    let names: Vec<_> = data.columns().iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["X", "x"]);
}

#[test]
fn a_kernel_matrix_comes_from_its_member() {
    let members = [
        ("K.npy", array(2, 2, &[1.0, 0.5, 0.5, 1.0])),
        ("y.npy", whole(&[1, 2])),
        ("X.npy", array(2, 1, &[1.0, 2.0])),
    ];
    let options = Options { precomputed: true, ..Options::default() };
    let data = load(&archive(&members, CompressionMethod::Deflated), &options).unwrap();
    assert!(matches!(data.column("k").unwrap().values, Values::Precomputed(_)));
    assert!(matches!(data.column("x").unwrap().values, Values::Numbers(_)));
    let alone = archive(&[("arr_0.npy", array(1, 1, &[1.0]))], CompressionMethod::Stored);
    assert!(matches!(load(&alone, &options).unwrap().columns()[0].values, Values::Precomputed(_)));
    let skew = archive(&[("gram.npy", array(1, 2, &[1.0, 2.0]))], CompressionMethod::Stored);
    assert_eq!(code(&skew, &options), Code::GramShape);
    let none = archive(&[("a.npy", array(1, 1, &[1.0]))], CompressionMethod::Stored);
    assert_eq!(code(&none, &options), Code::Column);
}

#[test]
fn errors_in_members_have_codes() {
    let stored = |members: &[(&str, Vec<u8>)]| archive(members, CompressionMethod::Stored);
    let plain = Options::default();
    let lengths = stored(&[("X.npy", array(2, 1, &[1.0, 2.0])), ("b.npy", array(3, 1, &[1.0; 3]))]);
    let error = load(&lengths, &plain).unwrap_err();
    assert_eq!(error.code(), Code::Columns);
    assert!(error.to_string().contains("'x' has 2 objects and 'b' has 3"), "{error}");
    let target = Options { target: Some("labels".into()), ..Options::default() };
    let error = load(&stored(&[("label.npy", whole(&[1]))]), &target).unwrap_err();
    assert_eq!((error.code(), error.hint().as_deref()), (Code::Target, Some("did you mean label?")));
    let nan = stored(&[("X.npy", array(1, 1, &[1.0])), ("y.npy", array(1, 1, &[f64::NAN]))]);
    assert_eq!(code(&nan, &plain), Code::Label);
    let nan = stored(&[("X.npy", array(1, 1, &[f64::NAN]))]);
    assert_eq!(code(&nan, &plain), Code::NonFinite);
    let text = stored(&[("X.npy", array(1, 1, &[1.0])), ("readme.txt", b"hi".to_vec())]);
    assert_eq!(code(&text, &plain), Code::Syntax);
    let ignored = Options { ignore: vec!["readme.txt".into()], ..Options::default() };
    assert_eq!(load(&text, &ignored).unwrap().len(), 1);
    let short = stored(&[("X.npy", header(1 << 16, 1 << 16, "<f8"))]);
    let error = load(&short, &plain).unwrap_err();
    assert_eq!(error.code(), Code::NpyShort);
    assert!(error.to_string().starts_with("a.npz/X.npy"), "{error}");
    assert_eq!(code(&stored(&[]), &plain), Code::Empty);
    assert_eq!(code(&[], &plain), Code::Empty);
}

/// Replaces `from` by `to` in every copy of a name, without changing lengths.
fn rename(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    for at in 0..bytes.len() - from.len() {
        if bytes[at..].starts_with(from) {
            bytes[at..at + to.len()].copy_from_slice(to);
        }
    }
    bytes
}

#[test]
fn unsafe_or_duplicate_names() {
    let plain = Options::default();
    let two = [("aaaaaa.npy", array(1, 1, &[1.0])), ("bbbbbb.npy", array(1, 1, &[2.0]))];
    let bytes = archive(&two, CompressionMethod::Stored);
    for name in [b"bbbbbb", b"../etc", b"/etc/a", b"a/../b", b"a\\..\\b", b"C:evil"] {
        assert_eq!(code(&rename(bytes.clone(), b"aaaaaa", name), &plain), Code::ZipName, "{name:?}");
    }
    assert_eq!(code(&rename(bytes, b"aaaaaa", b"\xff\xff\xff\xff\xff\xff"), &plain), Code::ZipName);
}

#[test]
fn decompression_bombs_stop_early() {
    let zeros = array(4 << 20, 1, &vec![0.0; 4 << 20]);
    let bytes = archive(&[("X.npy", zeros)], CompressionMethod::Deflated);
    let plain = Options::default();
    assert_eq!(code(&bytes, &plain), Code::Ratio);
    let mut trusting = Options::default();
    trusting.limits.ratio = 2000;
    assert_eq!(load(&bytes, &trusting).unwrap().len(), 4 << 20);
}

#[test]
fn damage_and_truncation_are_distinguished() {
    let plain = Options::default();
    let bytes = archive(&small(), CompressionMethod::Deflated);
    assert_eq!(code(&bytes[..bytes.len() / 2], &plain), Code::Truncated);
    assert_eq!(code(b"not a zip", &plain), Code::Compressed);
    let mut flipped = archive(&small(), CompressionMethod::Stored);
    let at = flipped.windows(8).position(|w| w == 6.0f64.to_le_bytes()).unwrap();
    flipped[at] ^= 1;
    assert_eq!(code(&flipped, &plain), Code::Compressed);
}

#[test]
fn every_truncation_is_an_error() {
    let bytes = archive(&small(), CompressionMethod::Deflated);
    for end in 0..bytes.len() {
        assert!(load(&bytes[..end], &Options::default()).is_err(), "{end}");
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = columns(&Source { name: Path::new("a.npz"), bytes: &bytes }, &Options::default());
    }

    #[test]
    fn changed_bytes_do_not_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut bytes = archive(&small(), CompressionMethod::Stored);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        // Without the guard, so that a panic of the zip crate would fail the test.
        let _ = columns(&Source { name: Path::new("a.npz"), bytes: &bytes }, &Options::default());
    }
}
