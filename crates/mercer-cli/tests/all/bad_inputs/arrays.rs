//! Rows 51 to 55: arrays and Parquet files.

use crate::make::{Column, gz, matrix, npy, parquet, zip};
use crate::run::{Folder, Run};
use crate::trust::{Row, full};

#[test]
fn row_51_an_array_without_its_values() {
    let row = Row::new(51);
    let folder = Folder::new();
    let empty = npy("'<f8'", false, "(65536, 65536)", b"");
    assert!(empty.len() <= 129);
    folder.write("a.npy", &empty);
    row.refused(&folder, "gram a.npy -k linear -o K.npy -q", "a.npy E_NPY_SHORT ");
    row.refused(&folder, "inspect a.npy -q", "a.npy E_NPY_SHORT ");
    row.refused(&folder, "inspect a.npy -q --precomputed", "a.npy E_NPY_SHORT ");
    row.bad("a.npy", npy("'>f4'", true, "(65536, 65536)", b""), "a.npy E_NPY_SHORT ");
    row.bad("a.npy", npy("'<f8'", false, "(2147483648, 4)", &[0; 64]), "a.npy E_NPY_SHORT ");
    row.bad("a.npz", zip(&[("x.npy", &empty)]), "a.npz/x.npy E_NPY_SHORT ");
    row.bad("a.npy.gz", gz(&empty), "a.npy.gz E_NPY_SHORT ");
}

#[test]
fn row_52_array_headers() {
    let row = Row::new(52);
    let eight = [0; 8];
    for kind in ["'|O'", "'<c16'", "'<M8[s]'", "[('a', '<f8')]"] {
        row.bad("a.npy", npy(kind, false, "(1, 1)", &eight), "a.npy E_NPY_DTYPE ");
    }
    // One text per object is read; more are not.
    for (kind, shape) in [("'<U1'", "(1, 2)"), ("'|S4'", "(1, 2)")] {
        row.bad("a.npy", npy(kind, false, shape, &eight), "a.npy E_NPY_DTYPE ");
    }
    let spaces = " ".repeat(11_000);
    for shape in [
        &format!("(1, {spaces}1)"),
        "(4294967296, 4294967296)",
        "(18446744073709551616, 1)",
        "(-1, 1)",
        "(1, x)",
        "(1",
    ] {
        row.bad("a.npy", npy("'<f8'", false, shape, &eight), "a.npy E_NPY_HEADER ");
    }
    row.bad("a.npy", b"\x93NUMPY\x01", "a.npy E_NPY_HEADER ");
    row.bad("a.npy", b"\x93NUMPY\x09\x00\x10\x00", "a.npy E_NPY_HEADER ");
    row.bad("a.npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff", "a.npy E_NPY_HEADER ");
    row.bad("a.npy", npy("'<f8'", false, "(1, 1)", &[0; 9]), "a.npy E_NPY_HEADER ");
}

#[test]
fn row_53_byte_and_storage_order() {
    let row = Row::new(53);
    let rows = [[1.5, -2.0], [3.25, 0.1], [7.0, 1e-3]];
    let flat = rows.concat();
    let plain = row.gram("a.npy", matrix(3, &flat), "");
    let big: Vec<u8> = flat.iter().flat_map(|v| v.to_be_bytes()).collect();
    assert!(row.gram("a.npy", npy("'>f8'", false, "(3, 2)", &big), "") == plain);
    let transposed = (0..2).flat_map(|j| rows.iter().map(move |row| row[j]));
    let fortran: Vec<u8> = transposed.clone().flat_map(f64::to_le_bytes).collect();
    assert!(row.gram("a.npy", npy("'<f8'", true, "(3, 2)", &fortran), "") == plain);
    let both: Vec<u8> = transposed.flat_map(f64::to_be_bytes).collect();
    assert!(row.gram("a.npy", npy("'>f8'", true, "(3, 2)", &both), "") == plain);
}

#[test]
fn row_54_damaged_parquet() {
    let row = Row::new(54);
    let good = parquet(
        "required double a; required double b;",
        &[Column::Double(&[1.0, 2.0, 3.0], None), Column::Double(&[4.0, 5.0, 6.0], None)],
    );
    row.gram("a.parquet", &good, "");
    for length in [u32::MAX, good.len() as u32, 0] {
        let mut footer = good.clone();
        let at = footer.len() - 8;
        footer[at..at + 4].copy_from_slice(&length.to_le_bytes());
        row.bad("a.parquet", footer, "a.parquet E_PARQUET ");
    }
    let mut page = good.clone();
    page[4..40].fill(0xFF);
    row.bad("a.parquet", page, "a.parquet E_PARQUET ");
    for cut in [4, 30, good.len() / 2, good.len() - 1] {
        row.bad("a.parquet", &good[..cut], "a.parquet E_PARQUET ");
    }
    // Every byte changed, one at a time: values may differ, but reading always ends.
    let folder = Folder::new();
    let step = if full() { 1 } else { 61 };
    for at in (0..good.len()).step_by(step) {
        row.tried();
        let mut bytes = good.clone();
        bytes[at] ^= 0x81;
        folder.write("a.parquet", &bytes);
        let run: Run = folder.run("gram a.parquet -k linear -q");
        assert!(matches!(run.code, Some(0 | 2)), "byte {at}: {:?} {}", run.code, run.err);
        assert!(run.code == Some(0) || run.err.starts_with("a.parquet E_"), "byte {at}: {}", run.err);
    }
}

#[test]
fn row_55_parquet_columns() {
    let row = Row::new(55);
    let one = Column::Double(&[1.0, 2.0], None);
    let nested =
        parquet("required double a; required group z { required int32 i; }", &[one, Column::Int32(&[1, 2])]);
    row.bad("a.parquet", nested, "a.parquet E_PARQUET_TYPE column 'z'");
    let decimal = parquet("required int32 z (DECIMAL(5,2));", &[Column::Int32(&[1, 2])]);
    row.bad("a.parquet", decimal, "a.parquet E_PARQUET_TYPE column 'z'");
    let nulls = parquet("optional double z;", &[Column::Double(&[1.0], Some(&[1, 0]))]);
    row.bad("a.parquet", &nulls, "a.parquet E_PARQUET_TYPE column 'z' holds a null in row 2");
    // With a policy a null is a missing value, which this kernel cannot handle.
    let folder = Folder::new();
    folder.write("a.parquet", &nulls);
    let kept = "a.parquet E_MISSING object 2: no value in column 'z'";
    row.refused(&folder, "gram a.parquet -k linear -o K.npy -q --missing keep", kept);
    let refused = "gram a.parquet -k linear -o K.npy -q --missing refuse";
    row.refused(&folder, refused, "a.parquet E_MISSING row 2");
    folder.ok("gram a.parquet -k zero-extend(linear) -o L.npy -q --missing keep");
    folder.ok("gram a.parquet -k linear -o M.npy -q --missing drop");
    // Arrow dictionaries are read if their type is given. The file was written by pyarrow 26.0.1: columns x (double),
    // colour (dictionary of strings) and size (strings).
    folder.write("d.parquet", include_bytes!("../data/dictionary.parquet"));
    let refused = "d.parquet E_PARQUET_TYPE column 'colour'";
    let run = row.refused(&folder, "gram d.parquet -k delta@size -o D.npy -q", refused);
    assert!(run.err.contains("--type colour=categories"), "{}", run.err);
    folder.ok("gram d.parquet -k delta -o D.npy -q --type colour=categories");
    folder.ok("gram d.parquet -k linear -o D.npy -q --target colour");
    folder.ok("gram d.parquet -k delta@size -o D.npy -q --ignore colour");
    folder.ok("fit d.parquet -k delta -l svc -o m.mercer -q --target size --type colour=categories");
    folder.ok("predict m.mercer d.parquet -q");
    // Other strings are read whatever their encoding; only this numeric kernel refuses them.
    let strings = parquet("required binary z (UTF8);", &[Column::Text(&["p", "q", "p", "p"])]);
    folder.write("a.parquet", strings);
    row.refused(&folder, "gram a.parquet -k linear -o K.npy -q", "a.parquet E_COLUMN");
    row.tried();
    folder.ok("gram a.parquet -k delta -o K.npy -q");
}
