//! Rows 13 to 19: invalid numbers, and the smallest valid ones.

use super::{ARFF, SERIES, SPARSE, TABLE};
use crate::make::{Column, matrix, npy, parquet, values};
use crate::run::Folder;
use crate::trust::Row;

#[test]
fn rows_13_14_15_and_18_numbers() {
    let rows = [13, 14, 15, 18].map(Row::new);
    let [nan, infinite, large, odd] = &rows;
    for (row, value, code) in [
        (nan, "nan", "E_NONFINITE"),
        (nan, "NaN", "E_NONFINITE"),
        (nan, "-nan", "E_NONFINITE"),
        (infinite, "inf", "E_NONFINITE"),
        (infinite, "-Infinity", "E_NONFINITE"),
        (large, "1e999", "E_OVERFLOW"),
        (large, "-1e400", "E_OVERFLOW"),
        (odd, "0x1F", "E_NUMBER"),
        (odd, "0x1p3", "E_NUMBER"),
        (odd, "1_000", "E_NUMBER"),
        (odd, "１２", "E_NUMBER"),
        (odd, "٣", "E_NUMBER"),
    ] {
        let with = |text: &str| text.replace("4.5", value);
        // In a table of text NaN is a missing value, unless cells must be plain.
        let is_nan = value.to_ascii_lowercase().ends_with("nan");
        for (name, text) in [("a.csv", with(TABLE)), ("a.tsv", with(TABLE).replace(',', "\t"))] {
            let expected = format!("{name}:3:3 {code} ");
            if !is_nan {
                row.bad(name, text, &expected);
                continue;
            }
            let folder = Folder::new();
            folder.write(name, text);
            row.refused(&folder, &format!("gram {name} -k linear -o K.npy -q --strict"), &expected);
            row.tried();
            assert!(folder.ok(&format!("inspect {name}")).out.contains("numbers        1"), "{name} {value}");
        }
        row.bad("a.libsvm", with(SPARSE), &format!("a.libsvm:2:8 {code} "));
        row.bad("a.arff", with(ARFF), &format!("a.arff:7:3 {code} "));
        // In series NaN is a missing value: see row 49.
        if is_nan {
            continue;
        }
        row.bad("a.ts", SERIES.replace("2,3", &format!("{value},3")), &format!("a.ts:4:3 {code} "));
    }
    let single = |v: f32| npy("'<f4'", false, "(1, 1)", &v.to_le_bytes());
    for (row, value, name) in [(nan, f64::NAN, "NaN"), (infinite, f64::INFINITY, "inf")] {
        let place = format!("a.npy E_NONFINITE {name} in the array at row 2, column 1");
        row.bad("a.npy", matrix(2, &[1.0, 2.0, value, 4.0]), &place);
        row.bad("a.npy", single(value as f32), "a.npy E_NONFINITE ");
        let column = parquet("required double z;", &[Column::Double(&[1.0, value], None)]);
        row.bad("a.parquet", column, "a.parquet E_NONFINITE ");
    }
}

#[test]
fn row_16_labels() {
    let row = Row::new(16);
    row.bad("a.csv", "a,class\n1,1\n2,nan\n", "a.csv:3:3 E_LABEL ");
    row.bad("a.csv", "a,y\n1,1.5\n2,NaN\n", "a.csv:3:3 E_LABEL ");
    row.bad("a.csv", "a,y\n1,1.5\n2,inf\n", "a.csv:3:3 E_LABEL ");
    row.bad("a.libsvm", "1 1:2\nnan 1:3\n", "a.libsvm:2:1 E_LABEL ");
    row.bad("a.libsvm", "1 1:2\ninf 1:3\n", "a.libsvm:2:1 E_LABEL ");
}

#[test]
fn row_17_decimal_commas() {
    let row = Row::new(17);
    // In a table they are recognised and said aloud; strictly, or among decimal points, they are errors.
    let folder = Folder::new();
    for (name, text) in [
        ("a.csv", "a;b\n1;2\n3;4,5\n"),
        ("b.csv", "a,b\n1,2\n3,\"4,5\"\n"),
        ("c.tsv", "a\tb\n1\t2\n3\t4,5\n"),
    ] {
        folder.write(name, text);
        row.refused(
            &folder,
            &format!("gram {name} -k linear -o K.npy -q --strict"),
            &format!("{name}:3:3 E_NUMBER "),
        );
        row.tried();
        let run = folder.ok(&format!("gram {name} -k linear -o K.npy -q"));
        assert!(
            run.err.contains("W_FORM b: read as numbers with decimal commas, by '4,5' in line 3"),
            "{}",
            run.err
        );
        assert_eq!(values(&folder.read("K.npy")).2[3], 9.0 + 4.5 * 4.5);
    }
    row.bad(
        "a.csv",
        "a;b\n1;2.5\n3;4,5\n",
        "a.csv:3:3 E_NUMBER column 'b' holds both decimal points and decimal commas",
    );
    row.bad("a.libsvm", "1 1:2\n1 1:4,5\n", "a.libsvm:2:3 E_NUMBER ");
}

#[test]
fn row_19_denormals_survive_to_the_bit() {
    let row = Row::new(19);
    let arff = "@relation r\n@attribute a real\n@data\n4.9e-324\n1\n";
    let array = matrix(2, &[f64::from_bits(1), 1.0]);
    let column = parquet("required double z;", &[Column::Double(&[f64::from_bits(1), 1.0], None)]);
    for (name, content) in [
        ("a.csv", b"a\n4.9e-324\n1\n".to_vec()),
        ("a.libsvm", b"1 1:4.9e-324\n1 1:1\n".to_vec()),
        ("a.arff", arff.into()),
        ("a.npy", array),
        ("a.parquet", column),
    ] {
        let k = values(&row.gram(name, content, "")).2;
        assert_eq!(k[1].to_bits(), 1, "{name}");
    }
    let folder = Folder::new();
    folder.write("a.csv", "a\n4.9e-324\n1\n");
    folder.ok("gram a.csv -k linear -o K.csv -q");
    let text = String::from_utf8(folder.read("K.csv")).unwrap();
    let back: f64 = text.lines().next().unwrap().split(',').nth(1).unwrap().parse().unwrap();
    assert_eq!(back.to_bits(), 1);
}
