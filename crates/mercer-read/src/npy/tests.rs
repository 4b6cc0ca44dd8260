use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::Missing;

pub(crate) fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
    let fortran = if fortran { "True" } else { "False" };
    let text = format!("{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
    let mut out = b"\x93NUMPY\x01\x00".to_vec();
    out.extend_from_slice(&(text.len() as u16).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
    out.extend_from_slice(data);
    out
}

fn matrix(rows: u64, cols: u64, values: &[f64]) -> Vec<u8> {
    let mut out = header(rows, cols, "<f8");
    out.extend(values.iter().flat_map(|v| v.to_le_bytes()));
    out
}

fn source(bytes: &[u8]) -> Source<'_> {
    Source { name: Path::new("a.npy"), bytes }
}

fn values(bytes: &[u8]) -> Result<Values> {
    read(&source(bytes), &Options::default()).map(|data| data.columns()[0].values.clone())
}

fn code(bytes: &[u8]) -> Code {
    values(bytes).unwrap_err().code()
}

#[test]
fn every_order_and_type_gives_the_same_values() {
    let expected = Values::Numbers(Dense::from_rows(&[[1.0, -2.0, 3.0], [4.0, 5.0, 6.0]]));
    let c = [1i8, -2, 3, 4, 5, 6];
    let f = [1i8, 4, -2, 5, 3, 6];
    for (fortran, order) in [(false, c), (true, f)] {
        let cases: [(&str, Vec<u8>); 9] = [
            ("'|i1'", order.iter().map(|&v| v as u8).collect()),
            ("'<i2'", order.iter().flat_map(|&v| i16::from(v).to_le_bytes()).collect()),
            ("'>i4'", order.iter().flat_map(|&v| i32::from(v).to_be_bytes()).collect()),
            ("'<i8'", order.iter().flat_map(|&v| i64::from(v).to_le_bytes()).collect()),
            ("'<f4'", order.iter().flat_map(|&v| f32::from(v).to_le_bytes()).collect()),
            ("'>f4'", order.iter().flat_map(|&v| f32::from(v).to_be_bytes()).collect()),
            ("'<f8'", order.iter().flat_map(|&v| f64::from(v).to_le_bytes()).collect()),
            ("'>f8'", order.iter().flat_map(|&v| f64::from(v).to_be_bytes()).collect()),
            ("\"=f8\"", order.iter().flat_map(|&v| f64::from(v).to_le_bytes()).collect()),
        ];
        for (descr, data) in cases {
            assert_eq!(values(&npy(descr, fortran, "(2, 3)", &data)).unwrap(), expected, "{descr}");
        }
    }
    let bools = values(&npy("'|b1'", false, "(3,)", &[0, 1, 1])).unwrap();
    assert_eq!(bools, Values::Numbers(Dense::from_rows(&[[0.0], [1.0], [1.0]])));
    let unsigned = values(&npy("'|u1'", false, "(2L, 1L)", &[0, 255])).unwrap();
    assert_eq!(unsigned, Values::Numbers(Dense::from_rows(&[[0.0], [255.0]])));
}

#[test]
fn versions_two_and_three_have_longer_headers() {
    for version in [2, 3] {
        let text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}\n";
        let mut bytes = vec![0x93, b'N', b'U', b'M', b'P', b'Y', version, 0, text.len() as u8, 0, 0, 0];
        bytes.extend_from_slice(text);
        bytes.extend_from_slice(&2.5f64.to_le_bytes());
        assert_eq!(values(&bytes).unwrap(), Values::Numbers(Dense::from_rows(&[[2.5]])));
    }
}

#[test]
fn denormals_are_exact() {
    let tiny = f64::from_bits(1);
    assert_eq!(values(&matrix(1, 1, &[tiny])).unwrap(), Values::Numbers(Dense::from_rows(&[[tiny]])));
}

#[test]
fn missing_values_are_an_error() {
    let error = values(&npy("'<f8'", false, "(65536, 65536)", &[])).unwrap_err();
    assert_eq!(error.code(), Code::NpyShort);
    assert!(
        error.to_string().contains("34359738368 bytes") && error.to_string().contains("has 0"),
        "{error}"
    );
    // The product overflows 64 bits only when counted in bytes.
    assert_eq!(code(&npy("'<f8'", false, "(18446744073709551615,)", &[])), Code::NpyShort);
}

#[test]
fn error_names_non_numeric_types() {
    for descr in ["'|O'", "'<U0'", "'<c16'", "'<M8[ns]'", "[('a', '<f8'), ('b', '<i4')]", "'<f16'"] {
        let error = values(&npy(descr, false, "(1, 1)", &[0; 16])).unwrap_err();
        assert_eq!(error.code(), Code::NpyDtype, "{descr}");
        assert!(error.to_string().contains(descr), "{error}");
    }
}

#[test]
fn texts_are_names_of_classes() {
    let mut data = Vec::new();
    for name in ["yes", "no\0", "yes", "no\0"] {
        data.extend(name.chars().flat_map(|c| u32::from(c).to_le_bytes()));
    }
    let Values::Categories(found) = values(&npy("'<U3'", false, "(4,)", &data)).unwrap() else {
        panic!("not categories")
    };
    assert_eq!((found.get(0), found.get(1), found.len()), (Some("yes"), Some("no"), 4));
    let sequences = values(&npy("'|S2'", false, "(3,)", b"acgtt\0")).unwrap();
    let expected = ["ac", "gt", "t"].map(|s| Some(s.to_owned()));
    assert_eq!(sequences, Values::Strings(expected.to_vec()));
    // An empty text is missing; two per object, or bytes that are no character, are an error.
    let options = Options { missing: Some(Missing::Keep), ..Options::default() };
    let bytes = npy("'|S1'", false, "(2,)", b"a\0");
    assert!(read(&source(&bytes), &options).unwrap().columns()[0].values.is_missing(1));
    assert_eq!(code(&npy("'|S1'", false, "(1, 2)", b"ab")), Code::NpyDtype);
    assert_eq!(code(&npy("'<U1'", false, "(1,)", &[0xff; 4])), Code::NpyDtype);
}

#[test]
fn invalid_headers() {
    for shape in [
        "(-1, 3)",
        "(2, 18446744073709551615)",
        "(99999999999999999999,)",
        "[2, 3]",
        "(0, 99999999999, 99999999999)",
    ] {
        assert_eq!(code(&npy("'<f8'", false, shape, &[0; 8])), Code::NpyHeader, "{shape}");
    }
    for shape in ["()", "(1, 1, 1)"] {
        let error = values(&npy("'<f8'", false, shape, &[0; 8])).unwrap_err();
        assert_eq!(error.code(), Code::NpyHeader);
        assert!(error.to_string().contains("expected 1 or 2"), "{error}");
    }
    let long = format!("(1, 1){}", " ".repeat(11_000));
    assert_eq!(code(&npy("'<f8'", false, &long, &[0; 8])), Code::NpyHeader);
    assert_eq!(code(&npy("'<f8'", false, "(1,)", &[0; 9])), Code::NpyHeader);
    assert_eq!(code(b"\x93NUMPY\x04\x00\x00\x00"), Code::NpyHeader);
    assert_eq!(code(b"\x93NUMPX\x01\x00\x00\x00"), Code::NpyHeader);
    let mut twice = npy("'<f8', 'descr': '<f4'", false, "(1,)", &[0; 8]);
    assert_eq!(code(&twice), Code::NpyHeader);
    twice.truncate(20);
    assert_eq!(code(&twice), Code::NpyHeader);
}

#[test]
fn empty_arrays_and_non_finite_values() {
    assert_eq!(code(&[]), Code::Empty);
    assert_eq!(code(&npy("'<f8'", false, "(0, 3)", &[])), Code::Empty);
    assert_eq!(code(&npy("'<f8'", false, "(99999999999, 0)", &[])), Code::Empty);
    let error = values(&matrix(2, 2, &[1.0, 2.0, 3.0, f64::NAN])).unwrap_err();
    assert_eq!(error.code(), Code::NonFinite);
    assert!(error.to_string().contains("row 2, column 2"), "{error}");
    assert_eq!(code(&matrix(1, 1, &[f64::INFINITY])), Code::NonFinite);
}

#[test]
fn a_gram_matrix_is_square_and_symmetric() {
    let options = Options { precomputed: true, ..Options::default() };
    let gram = |bytes: &[u8]| read(&source(bytes), &options);
    let data = gram(&matrix(2, 2, &[1.0, 0.5, 0.5 + 1e-9, 1.0])).unwrap();
    assert_eq!((data.columns()[0].name.as_str(), data.len()), ("k", 2));
    assert_eq!(gram(&matrix(2, 3, &[0.0; 6])).unwrap_err().code(), Code::GramShape);
    assert_eq!(gram(&npy("'|u1'", false, "(4,)", &[0; 4])).unwrap_err().code(), Code::GramShape);
    let error = gram(&matrix(2, 2, &[1.0, 0.5, 0.6, 1.0])).unwrap_err();
    assert_eq!(error.code(), Code::GramSymmetry);
    assert!(error.to_string().contains("entry (2, 1) is 0.6"), "{error}");
    assert_eq!(gram(&matrix(1, 1, &[f64::NAN])).unwrap_err().code(), Code::NonFinite);
    assert_eq!(read_matrix(&source(&matrix(2, 3, &[0.0; 6]))).unwrap().cols(), 3);
    assert_eq!(read_matrix(&source(&matrix(1, 1, &[f64::NAN]))).unwrap_err().code(), Code::NonFinite);
    assert_eq!(
        read_matrix(&source(&npy("'|u1'", false, "(4,)", &[0; 4]))).unwrap_err().code(),
        Code::NpyHeader
    );
}

#[test]
fn a_target_needs_a_column() {
    let options = Options { target: Some("y".into()), ..Options::default() };
    assert_eq!(read(&source(&matrix(1, 1, &[1.0])), &options).unwrap_err().code(), Code::Target);
}

#[test]
fn written_headers_are_aligned_and_read_back() {
    for (rows, cols, dtype) in [(1, 1, "<f8"), (100_000, 100_000, "<f4"), (u64::MAX, 1, "<f8")] {
        let bytes = header(rows, cols, dtype);
        assert_eq!(bytes.len() % 64, 0);
        let parsed = header::parse(&source(&bytes)).unwrap();
        assert_eq!((parsed.shape, parsed.start), (vec![rows, cols], bytes.len()));
        assert!(!parsed.fortran && !parsed.big_endian);
    }
}

#[test]
fn every_truncation_is_an_error() {
    let bytes = matrix(3, 2, &[1.0; 6]);
    for end in 0..bytes.len() {
        assert!(values(&bytes[..end]).is_err(), "{end}");
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = values(&bytes);
        let mut prefixed = b"\x93NUMPY\x01\x00\x40\x00".to_vec();
        prefixed.extend_from_slice(&bytes);
        let _ = values(&prefixed);
        let _ = read_matrix(&source(&prefixed));
    }

    #[test]
    fn headers_of_arbitrary_text_do_not_panic(text in "[{}()\\[\\]'\":, a-z0-9é|<]{0,80}") {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend_from_slice(&(text.len() as u16).to_le_bytes());
        bytes.extend_from_slice(text.as_bytes());
        let _ = values(&bytes);
    }

    #[test]
    fn changed_bytes_do_not_panic(at in 0usize..176, byte: u8) {
        let mut bytes = matrix(3, 2, &[1.0; 6]);
        prop_assert_eq!(bytes.len(), 176);
        bytes[at] = byte;
        for precomputed in [false, true] {
            let options = Options { precomputed, missing: Some(Missing::Refuse), ..Options::default() };
            let _ = read(&source(&bytes), &options);
        }
    }
}
