use proptest::prelude::*;
use serde_json::json;

use super::*;

fn small() -> Container {
    let mut c = Container::new(json!({"kernel": "rbf(gamma=0.1)", "é\"": [1, 2.5, null], "x": 0.1}));
    c.insert("alpha", Array::new(&[2, 2], vec![1.5, -0.0, 1e-300, f64::NAN]).unwrap()).unwrap();
    c.insert("codes", Array::list(vec![1u32, u32::MAX, 3])).unwrap();
    c.insert("text", Array::list(b"abc".to_vec())).unwrap();
    c.insert("nothing", Array::new(&[0, 4], Vec::<u64>::new()).unwrap()).unwrap();
    c.insert("half \"quoted\"", Array::list(vec![0.5f32])).unwrap();
    c
}

fn load(bytes: &[u8]) -> Result<Container> {
    Container::from_bytes("m.mercer", bytes)
}

fn code(bytes: &[u8]) -> Code {
    load(bytes).unwrap_err().code()
}

/// A file with that header after the fixed beginning, and a correct checksum.
fn sealed(rest: &str, data: &[u8]) -> Vec<u8> {
    let header = [BEGINNING, &[b'0'; DIGITS], b"\"", rest.as_bytes()].concat();
    resealed([&(header.len() as u64).to_le_bytes(), &header[..], data].concat())
}

fn resealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = checksum(&bytes);
    bytes[DIGITS_AT..DIGITS_AT + DIGITS].copy_from_slice(sum.as_bytes());
    bytes
}

const META: &str = r#","document":"{}","format":"mercer-model","program":"9.9.9","version":"1.0"}"#;

/// A sealed file of arrays described by `entries`.
fn with(entries: &str, data: &[u8]) -> Vec<u8> {
    sealed(&format!("{META}{entries}}}"), data)
}

#[test]
fn round_trip() {
    let c = small();
    let bytes = c.to_bytes().unwrap();
    let again = load(&bytes).unwrap();
    assert_eq!(again.document, c.document);
    assert_eq!(again.to_bytes().unwrap(), bytes);
    assert_eq!(again.f64s("alpha").unwrap()[1].to_bits(), (-0.0f64).to_bits());
    assert_eq!(again.u32s("codes").unwrap(), [1, u32::MAX, 3]);
    assert_eq!(again.u8s("text").unwrap(), b"abc");
    assert_eq!(again.array("nothing").unwrap().shape(), [0, 4]);
    assert_eq!(again.f32s("half \"quoted\"").unwrap(), [0.5]);

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("m.mercer");
    c.write(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), bytes);
    assert_eq!(Container::read(&path).unwrap().arrays.len(), 5);
    assert_eq!(Container::read(&dir.path().join("none")).unwrap_err().code(), Code::IoOpen);
}

#[test]
fn arrays_are_aligned() {
    let bytes = small().to_bytes().unwrap();
    let (header, _, data) = interpret(&bytes).unwrap();
    assert_eq!((bytes.len() - data.len()) % 8, 0);
    assert!(header.entries.values().all(|e| e.start % e.dtype.size() == 0));
}

#[test]
fn row_64_any_flipped_bit_and_any_truncation() {
    let whole = small().to_bytes().unwrap();
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << bit;
            assert_eq!(code(&bytes), Code::ModelChecksum, "byte {at} bit {bit}");
        }
        assert_eq!(code(&whole[..at]), Code::ModelChecksum, "cut at {at}");
    }
    assert_eq!(code(&[&whole[..], b"x"].concat()), Code::ModelChecksum);
    assert!(load(&whole[..9]).unwrap_err().hint().is_some());
}

#[test]
fn row_65_newer_versions() {
    let of = |version: &str| sealed(&format!("{}}}", META.replace("1.0", version)), b"");
    assert!(load(&of("1.0")).is_ok() && load(&of("1.7")).is_ok());
    let error = load(&of("2.0")).unwrap_err();
    assert_eq!(error.code(), Code::ModelVersion);
    let text = error.to_string();
    assert!(text.contains("'2.0'") && text.contains("9.9.9") && text.contains(PROGRAM), "{text}");
    assert_eq!(code(&of("99999.0")), Code::ModelVersion);
    for version in ["0.9", "", "1", "+1.0", "x.y", "1.", "99999999999999999999.0"] {
        assert_eq!(code(&of(version)), Code::ModelSyntax, "{version}");
    }
}

#[test]
fn inconsistent_headers_are_refused() {
    let entry = |dtype: &str, shape: &str, from: u64, to: u64| {
        format!(r#""dtype":"{dtype}","shape":{shape},"data_offsets":[{from},{to}]"#)
    };
    let one = |dtype, shape, from, to| format!(r#","a":{{{}}}"#, entry(dtype, shape, from, to));
    assert!(load(&with(&one("F64", "[1]", 0, 8), &[0; 8])).is_ok());
    let max = u64::MAX;
    for (entries, data) in [
        (one("F64", "[1]", 0, 8), 16),
        (one("F64", "[1]", 0, 8), 4),
        (one("F64", "[2]", 0, 8), 8),
        (one("F64", "[1]", 8, 0), 8),
        (one("F64", "[1]", max, max), 8),
        (one("F64", "[1]", max - 7, max), 8),
        (one("F64", "[4294967296,4294967296,4]", 0, 0), 0),
        (one("F64", "[2305843009213693952]", 0, 0), 0),
        (one("F64", "[18446744073709551615,0,3]", 0, 0), 0),
        (one("F64", "[-1]", 0, 8), 8),
        (one("F64", "[1.0]", 0, 8), 8),
        (one("F64", "[1,1,1,1,1,1,1,1,1]", 0, 8), 8),
        (one("F64", "1", 0, 8), 8),
        (one("BF16", "[4]", 0, 8), 8),
        (one("f64", "[1]", 0, 8), 8),
        (one("U8", "[4]", 0, 4) + &one("U8", "[4]", 4, 8), 8),
        (one("U8", "[4]", 0, 4) + &one("U8", "[4]", 2, 6).replace('a', "b"), 6),
        (r#","a":{"dtype":"U8","shape":[8]}"#.to_owned(), 8),
        (r#","a":7"#.to_owned(), 8),
        (format!(r#","a":{{{},"more":1}}"#, entry("U8", "[8]", 0, 8)), 8),
        (format!(r#","a":{{{},"dtype":"U8"}}"#, entry("U8", "[8]", 0, 8)), 8),
        (r#","__metadata__":{}"#.to_owned(), 0),
    ] {
        assert_eq!(code(&with(&entries, &vec![0; data])), Code::ModelSyntax, "{entries}");
    }
    let two = one("U8", "[4]", 4, 8) + &one("U8", "[4]", 0, 4).replace("\"a\"", "\"b\"");
    let arrays = load(&with(&two, b"01234567")).unwrap();
    assert_eq!(arrays.u8s("b").unwrap(), b"0123");
}

#[test]
fn malformed_headers_are_refused() {
    for len in [0, 7, 65, MAX_HEADER as u64, MAX_HEADER as u64 + 1, u64::MAX] {
        let mut bytes = with("", b"");
        bytes[..8].copy_from_slice(&len.to_le_bytes());
        assert_eq!(code(&resealed(bytes)), Code::ModelSyntax, "{len}");
    }
    assert_eq!(code(&sealed("", b"")), Code::ModelSyntax);
    assert_eq!(code(&sealed("}", b"")), Code::ModelSyntax);
    assert_eq!(code(&sealed(&format!("{META}}} x"), b"")), Code::ModelSyntax);
    assert_eq!(code(&sealed(&META.replace("mercer-model", "other-model"), b"")), Code::ModelSyntax);
    assert_eq!(code(&sealed(&format!(r#","document":"1"{META}}}"#), b"")), Code::ModelSyntax);
    for document in [r#"{\"a\":1,\"a\":2}"#, "", "x", "[1", &"[".repeat(10_000), &"{\\\"a\\\":".repeat(500)] {
        let text = META.replace("{}", document);
        assert_eq!(code(&sealed(&format!("{text}}}"), b"")), Code::ModelSyntax, "{document:.40}");
    }
    let mut bytes = with("", b"");
    bytes[DIGITS_AT + DIGITS + 30] = 0xFF;
    assert_eq!(code(&resealed(bytes)), Code::ModelSyntax);
    assert_eq!(code(b"PK\x03\x04 some other kind of file, rather long"), Code::ModelSyntax);
}

#[test]
fn many_small_parts_are_bounded() {
    let list = format!("[{}0]", "0,".repeat(2_000_000));
    assert_eq!(code(&sealed(&format!("{}}}", META.replace("{}", &list)), b"")), Code::ModelSyntax);
}

#[test]
fn unreadable_content_is_not_written() {
    let mut deep = json!(1);
    for _ in 0..101 {
        deep = json!([deep]);
    }
    assert_eq!(Container::new(deep).to_bytes().unwrap_err().code(), Code::Usage);
    let mut c = small();
    assert_eq!(c.insert("alpha", Array::list(vec![1u8])).unwrap_err().code(), Code::Usage);
    assert_eq!(c.insert(METADATA, Array::list(vec![1u8])).unwrap_err().code(), Code::Usage);
    c.arrays.insert(METADATA.into(), Array::list(vec![1u8]));
    assert_eq!(c.to_bytes().unwrap_err().code(), Code::Usage);
}

#[test]
fn getters_refuse() {
    let c = load(&small().to_bytes().unwrap()).unwrap();
    assert_eq!(c.f64s("beta").unwrap_err().code(), Code::ModelSyntax);
    assert_eq!(c.f64s("codes").unwrap_err().code(), Code::ModelSyntax);
    assert_eq!(
        c.finite("alpha").unwrap_err().to_string(),
        "m.mercer E_MODEL_NONFINITE value 4 of 'alpha' is NaN"
    );
    assert_eq!(c.matrix("alpha").unwrap_err().code(), Code::ModelNonFinite);
    assert_eq!(c.u64s("nothing").unwrap().len(), 0);
    let mut c = Container::new(json!({}));
    c.insert("m", Array::new(&[1, 2], vec![1.0, 2.0]).unwrap()).unwrap();
    c.insert("v", Array::list(vec![1.0, 2.0])).unwrap();
    assert_eq!(c.matrix("m").unwrap(), Dense::from_rows(&[[1.0, 2.0]]));
    assert_eq!(c.matrix("v").unwrap_err().code(), Code::ModelSyntax);
    assert_eq!(c.finite_of("v", 3).unwrap_err().code(), Code::ModelCount);
}

proptest! {
    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(load(&bytes).is_err());
    }

    #[test]
    fn any_sealed_header(
        edits in prop::collection::vec((0usize..2000, prop::sample::select(b"{}[]\",:019a\\ -\xFF\x00".to_vec())), 0..6),
        cut in 0usize..2000,
    ) {
        let mut bytes = small().to_bytes().unwrap();
        for (at, byte) in edits {
            let at = DIGITS_AT + DIGITS + at % (bytes.len() - DIGITS_AT - DIGITS);
            bytes[at] = byte;
        }
        if cut.is_multiple_of(3) {
            bytes.truncate((DIGITS_AT + DIGITS).max(cut));
        }
        if let Ok(container) = load(&resealed(bytes)) {
            prop_assert!(load(&container.to_bytes().unwrap()).is_ok());
        }
    }

    #[test]
    fn doubles_in_documents_round_trip(v in any::<f64>().prop_filter("finite", |v| v.is_finite())) {
        let c = load(&Container::new(json!({"v": v})).to_bytes().unwrap()).unwrap();
        prop_assert_eq!(c.root().get("v").unwrap().number().unwrap().to_bits(), v.to_bits());
    }
}
