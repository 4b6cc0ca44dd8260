//! Row 56: archives that unpack to far more than their size, or outside of their folder.

use crate::make::{gz, matrix, npy, zip, zst};
use crate::trust::Row;

#[test]
fn row_56_archives() {
    let row = Row::new(56);
    let zeros = vec![b'0'; 60 << 20];
    let array = npy("'<f8'", false, "(2621440, 3)", &vec![0; 60 << 20]);
    let twice = gz(&gz(&zeros));
    assert!(twice.len() < 1000, "{}", twice.len());
    for (name, bytes, code) in [
        ("a.csv.gz", gz(&zeros), "E_RATIO"),
        ("a.csv.zst", zst(&zeros), "E_RATIO"),
        ("a.libsvm.gz", gz(&zeros), "E_RATIO"),
        ("a.npz", zip(&[("x.npy", &array)]), "E_RATIO"),
        ("a.npy.gz", gz(&array), "E_RATIO"),
        // A frame with a window of 2^41 bytes.
        ("a.csv.zst", b"\x28\xB5\x2F\xFD\x00\xF8\x01\x00\x00".to_vec(), "E_"),
        // Compressed twice: the second layer is not unpacked, and the result is not text.
        ("a.csv.gz", twice, "E_"),
    ] {
        assert!(bytes.len() < 100_000);
        row.bad(name, bytes, &format!("{name}{}", if code == "E_RATIO" { " E_RATIO " } else { "" }));
    }
    let small = matrix(2, &[1.0, 2.0]);
    row.gram("a.npz", zip(&[("x.npy", &small)]), "");
    for name in ["../x.npy", "a/../../x.npy", "/x.npy", "..\\x.npy", "C:\\x.npy", "./../x.npy"] {
        row.bad("a.npz", zip(&[(name, &small)]), "a.npz E_ZIP_NAME ");
    }
    row.bad("a.npz", zip(&[("x.npy", &small), ("x.npy", &small)]), "a.npz E_ZIP_NAME ");
}
