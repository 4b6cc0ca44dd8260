//! Every input that cannot be used is refused with its place and a stable code, and leaves nothing behind.
//! Tests are named after the rows of the list of bad inputs.

use std::time::Duration;

use crate::make::{Column, gz, matrix, npy, parquet, values, zip, zst};
use crate::run::Folder;

/// Both a fault of this file and where it is: `gram` must begin its message with `expected`.
#[track_caller]
fn bad(name: &str, content: impl AsRef<[u8]>, expected: &str) {
    let folder = Folder::new();
    folder.write(name, content);
    folder.refused(&format!("gram {name} -k linear -o K.npy -q"), expected);
}

/// The same with a hint that says this.
#[track_caller]
fn hinted(name: &str, content: &str, more: &str, expected: &str, hint: &str) {
    let folder = Folder::new();
    folder.write(name, content);
    let run = folder.refused(&format!("gram {name} -k linear -o K.npy -q {more}"), expected);
    let found = run.err.lines().find_map(|l| l.strip_prefix("  hint: ")).unwrap_or_default();
    assert!(found.contains(hint), "{}", run.err);
}

/// The bytes of the Gram matrix of a file.
#[track_caller]
fn gram(name: &str, content: impl AsRef<[u8]>, more: &str) -> Vec<u8> {
    let folder = Folder::new();
    folder.write(name, content);
    folder.ok(&format!("gram {name} -k linear -o K.npy -q {more}"));
    folder.read("K.npy")
}

const TABLE: &str = "a,b,class\n1,2,p\n3,4.5,q\n-5,0.25,p\n";
const SPARSE: &str = "+1 1:1 2:2\n-1 1:3 2:4.5\n+1 1:-5 2:0.25\n";
const ARFF: &str = "@relation r\n@attribute a real\n@attribute b real\n@attribute class {p,q}\n@data\n1,2,p\n3,4.5,q\n-5,0.25,p\n";

const TEXTS: [(&str, &str); 3] = [("a.csv", TABLE), ("a.libsvm", SPARSE), ("a.arff", ARFF)];

#[test]
fn row_1_files_that_cannot_be_opened() {
    let folder = Folder::new();
    folder.refused(
        "gram none.csv -k linear -o K.npy",
        "none.csv E_IO_OPEN No such file or directory (os error 2)",
    );
    std::fs::create_dir(folder.path("d.csv")).unwrap();
    folder.refused("gram d.csv -k linear -o K.npy", "d.csv E_IO_OPEN Is a directory (os error 21)");
    folder.refused("gram a/b/c.csv -k linear -o K.npy", "a/b/c.csv E_IO_OPEN ");
}

#[test]
fn row_1_files_without_permission() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    let folder = Folder::new();
    folder.write("a.csv", TABLE);
    std::fs::set_permissions(folder.path("a.csv"), PermissionsExt::from_mode(0o000)).unwrap();
    std::fs::set_permissions(folder.path(""), PermissionsExt::from_mode(0o755)).unwrap();
    let mut command = folder.command("gram a.csv -k linear -o K.npy");
    if rustix::process::geteuid().is_root() {
        // Permissions do not stop root; the user nobody has none.
        command.uid(65534).gid(65534);
    }
    let Ok(output) = command.output() else {
        println!("skipped: another user cannot run the program where it was built");
        return;
    };
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.starts_with("a.csv E_IO_OPEN Permission denied (os error 13)"), "{error}");
}

#[test]
fn row_2_empty_files() {
    for name in ["a", "a.csv", "a.tsv", "a.libsvm", "a.arff", "a.npy", "a.npz", "a.parquet"] {
        bad(name, "", &format!("{name} E_EMPTY "));
    }
    bad("a.csv.gz", gz(b""), "a.csv.gz E_EMPTY ");
    bad("a.csv.zst", zst(b""), "a.csv.zst E_EMPTY ");
}

#[test]
fn row_3_only_blank_lines_and_comments() {
    for (name, comment) in [("a.csv", "# nothing\n"), ("a.libsvm", "# nothing\n"), ("a.arff", "% nothing\n")]
    {
        bad(name, "\n \n\t\n", &format!("{name} E_EMPTY "));
        bad(name, format!("\n{comment}\n"), &format!("{name} E_EMPTY "));
    }
}

#[test]
fn rows_4_7_and_9_ways_to_write_the_same() {
    for (name, text) in TEXTS {
        let plain = gram(name, text, "");
        let same = [
            format!("\u{FEFF}{text}"),
            text.replace('\n', "\r\n"),
            text.replace('\n', "\r"),
            text.trim_end().to_owned(),
            format!("{text}\n\n"),
        ];
        for (way, text) in same.iter().enumerate() {
            assert!(gram(name, text, "") == plain, "{name}, way {way}");
        }
    }
}

#[test]
fn rows_5_and_6_not_utf_8() {
    let utf16 = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    for (name, text) in TEXTS {
        let little = [b"\xFF\xFE", &utf16(text)[..]].concat();
        bad(name, &little, &format!("{name}:1:1 E_ENCODING UTF-16 byte order mark at byte offset 0"));
        let big: Vec<u8> = little.chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect();
        bad(name, &big, &format!("{name}:1:1 E_ENCODING UTF-16 byte order mark at byte offset 0"));
        let nul = text.replacen("4.5", "4\u{0}5", 1);
        let line = 1 + nul[..nul.find('\0').unwrap()].matches('\n').count();
        bad(name, nul, &format!("{name}:{line}:"));
    }
    bad("a.csv", TABLE.replace("4.5", "4\u{0}5"), "a.csv:3:4 E_ENCODING NUL byte at byte offset 19");
    bad("a.csv", b"a,b\n1,\xE9\n", "a.csv:2:3 E_ENCODING ");
}

#[test]
fn row_8_a_line_of_ten_megabytes() {
    let line = " ".repeat(10_000_000);
    let folder = Folder::new();
    folder.write("a.csv", format!("a,b\n{line}1,2\n"));
    folder.refused_within(276, "gram a.csv -k linear -o K.npy -q", "a.csv:2:1 E_LINE_TOO_LONG ");
    let run = folder.refused("gram a.csv -k linear -o K.npy -q", "a.csv:2:1 E_LINE_TOO_LONG ");
    assert!(run.err.contains("--max-line"), "{}", run.err);
    folder.ok("gram a.csv -k linear -o K.npy -q --max-line 11000000");
    bad("a.libsvm", format!("1{line}1:1\n"), "a.libsvm:1:1 E_LINE_TOO_LONG ");
}

#[test]
fn row_10_files_cut_short() {
    bad("a.csv", "a,b,c\n1,2,3\n4,5", "a.csv:3:1 E_TRUNCATED the file ends after 2 of 3 fields");
    bad("a.csv", "a,b\n1,2\n3,\"4", "a.csv:3:3 E_QUOTE ");
    bad("a.libsvm", "1 1:2\n-1 1:3 2:", "a.libsvm:2:8 E_TRUNCATED ");
    bad("a.arff", ARFF.split_once("@attribute class").unwrap().0, "a.arff:4:1 E_TRUNCATED ");
    bad("a.arff", format!("{ARFF}1,2,'p"), "a.arff:9:5 E_TRUNCATED ");
    bad("a.arff", format!("{ARFF}1,2"), "a.arff:9:1 E_TRUNCATED ");
    let packed = gz(TABLE.as_bytes());
    bad("a.csv.gz", &packed[..packed.len() - 9], "a.csv.gz E_TRUNCATED ");
    let packed = zst(TABLE.as_bytes());
    bad("a.csv.zst", &packed[..packed.len() - 3], "a.csv.zst E_TRUNCATED ");
    let packed = zip(&[("x.npy", &matrix(2, &[1.0, 2.0, 3.0, 4.0]))]);
    bad("a.npz", &packed[..packed.len() / 2], "a.npz E_TRUNCATED ");
    let array = matrix(2, &[1.0, 2.0, 3.0, 4.0]);
    bad("a.npy", &array[..array.len() - 3], "a.npy E_NPY_SHORT ");
    bad("a.npy", &array[..40], "a.npy E_NPY_");
}

#[test]
fn row_11_a_file_that_grows_meanwhile() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let folder = Folder::new();
    folder.write("a.csv", format!("a,b\n{}", "1,2\n".repeat(500_000)));
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            use std::io::Write;
            let mut file = std::fs::File::options().append(true).open(folder.path("a.csv")).unwrap();
            while !done.load(Ordering::Relaxed) {
                file.write_all(b"3,4\n").unwrap();
                std::thread::sleep(Duration::from_micros(20));
            }
        });
        // A run whose reading no append falls into succeeds; it is never killed.
        let changed = (0..20).any(|_| {
            let run = folder.run("inspect a.csv -q");
            assert!(matches!(run.code, Some(0 | 2)), "{:?} {}", run.code, run.err);
            run.code == Some(2) && run.err.starts_with("a.csv E_CHANGED ")
        });
        done.store(true, Ordering::Relaxed);
        assert!(changed, "twenty runs noticed nothing");
    });
}

#[test]
fn row_12_no_regular_file() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let folder = Folder::new();
    std::os::unix::fs::symlink("b.csv", folder.path("a.csv")).unwrap();
    std::os::unix::fs::symlink("a.csv", folder.path("b.csv")).unwrap();
    mknodat(CWD, folder.path("fifo.csv"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    for name in ["a.csv", "fifo.csv", "/dev/zero"] {
        folder.refused(&format!("gram {name} -k linear -o K.npy"), &format!("{name} E_NOT_REGULAR "));
    }
}

#[test]
fn rows_13_to_18_numbers() {
    for (value, code) in [
        ("nan", "E_NONFINITE"),
        ("NaN", "E_NONFINITE"),
        ("inf", "E_NONFINITE"),
        ("-Infinity", "E_NONFINITE"),
        ("1e999", "E_OVERFLOW"),
        ("-1e400", "E_OVERFLOW"),
        ("0x1F", "E_NUMBER"),
        ("1_000", "E_NUMBER"),
        ("１２", "E_NUMBER"),
    ] {
        let with = |text: &str| text.replace("4.5", value);
        bad("a.csv", with(TABLE), &format!("a.csv:3:3 {code} "));
        bad("a.libsvm", with(SPARSE), &format!("a.libsvm:2:8 {code} "));
        bad("a.arff", with(ARFF), &format!("a.arff:7:3 {code} "));
    }
    let array = matrix(2, &[1.0, 2.0, f64::NAN, 4.0]);
    bad("a.npy", array, "a.npy E_NONFINITE NaN in the array at row 2, column 1");
}

#[test]
fn row_16_labels() {
    bad("a.csv", "a,class\n1,1\n2,nan\n", "a.csv:3:3 E_LABEL ");
    bad("a.csv", "a,y\n1,1.5\n2,NaN\n", "a.csv:3:3 E_LABEL ");
    bad("a.csv", "a,class\n1,p\n2,\n", "a.csv:3:3 E_LABEL ");
    bad("a.libsvm", "1 1:2\nnan 1:3\n", "a.libsvm:2:1 E_LABEL ");
    bad("a.arff", ARFF.replace("4.5,q", "4.5,?"), "a.arff:7:7 E_LABEL ");
}

#[test]
fn row_17_decimal_commas() {
    bad("a.csv", "a;b\n1;2\n3;4,5\n", "a.csv:3:3 E_NUMBER ");
    bad("a.csv", "a,b\n1,2\n3,\"4,5\"\n", "a.csv:3:3 E_NUMBER ");
    bad("a.libsvm", "1 1:2\n1 1:4,5\n", "a.libsvm:2:3 E_NUMBER ");
}

#[test]
fn row_19_denormals_survive_to_the_bit() {
    for (name, text) in [("a.csv", "a\n4.9e-324\n1\n"), ("a.libsvm", "1 1:4.9e-324\n1 1:1\n")] {
        let k = values(&gram(name, text, "")).2;
        assert_eq!(k[1].to_bits(), 1, "{name}");
    }
    let folder = Folder::new();
    folder.write("a.csv", "a\n4.9e-324\n1\n");
    folder.ok("gram a.csv -k linear -o K.csv -q");
    let text = String::from_utf8(folder.read("K.csv")).unwrap();
    let back: f64 = text.lines().next().unwrap().split(',').nth(1).unwrap().parse().unwrap();
    assert_eq!(back.to_bits(), 1);
}

#[test]
fn rows_20_to_24_tables() {
    bad("a.csv", "a,b,c\n1,2,3\n4,5\n6,7,8\n", "a.csv:3:1 E_COLUMNS expected 3 fields, got 2");
    bad("a.csv", "a,b\n1,2\n\n3,4,5\n", "a.csv:4:1 E_COLUMNS expected 2 fields, got 3");
    bad("a.arff", ARFF.replace("3,4.5,q", "3,q"), "a.arff:7:1 E_COLUMNS ");
    bad("a.csv", "a,b\n1,\"2\n3,4\n5,6\n", "a.csv:2:3 E_QUOTE ");
    bad("a.csv", "a,b,a\n1,2,3\n", "a.csv:1:5 E_HEADER ");
    bad("a.csv", "a,b\n", "a.csv E_EMPTY ");
    bad("a.tsv", "a\tb\n\n", "a.tsv E_EMPTY ");
    bad("a.arff", ARFF.split_once("1,2,p").unwrap().0, "a.arff E_EMPTY ");
    hinted("a.csv", "age,b\n1,2\n3,4\nold,5\n", "", "a.csv:4:1 E_NUMBER ", "--type age=categories");
    let folder = Folder::new();
    folder.write("a.csv", "age,b\n1,2\n3,4\nold,5\n");
    let run = folder.refused("gram a.csv -k linear -o K.npy", "a.csv:4:1 E_NUMBER ");
    assert!(run.err.lines().next().unwrap().contains("'age'"), "{}", run.err);
}

#[test]
fn row_25_no_such_target() {
    hinted("a.csv", TABLE, "--target clas", "a.csv:1:1 E_TARGET no column 'clas'", "class");
    hinted("a.csv", TABLE, "--target zzzzzz", "a.csv:1:1 E_TARGET ", "a, b, class");
    hinted("a.arff", ARFF, "--target clas", "a.arff:", "class");
}

#[test]
fn row_26_classes() {
    let folder = Folder::new();
    let rows = |class: &str, n: usize| (0..n).map(|i| format!("{i},{class}\n")).collect::<String>();
    folder.write("one.csv", format!("a,class\n{}", rows("p", 30)));
    folder.refused("auto one.csv", "one.csv E_CLASSES 1 class only");
    folder.write("few.csv", format!("a,class\n{}{}{}", rows("p", 30), rows("q", 1), rows("r", 2)));
    let run = folder.refused("auto few.csv", "few.csv E_CLASSES class 'r' has 2 of the objects");
    assert!(run.err.contains("\n  hint: "), "{}", run.err);
    folder.write("enough.csv", format!("a,class\n{}{}", rows("p", 30), rows("q", 3)));
    folder.ok("auto enough.csv");
    folder.write("none.csv", "a,b\n1,2\n");
    assert_eq!(folder.run("auto none.csv").code, Some(2));
}

#[test]
fn row_27_a_constant_column_scaled() {
    let folder = Folder::new();
    folder.write("a.csv", "a,b\n1,7\n2,7\n4,7\n");
    for kernel in ["standardize(linear)", "minmax(rbf(gamma=1))"] {
        let run = folder.ok(&format!("gram a.csv -k {kernel} -o K.npy"));
        assert!(run.err.lines().any(|l| l.starts_with("W_CONSTANT ") && l.contains('b')), "{}", run.err);
        assert!(values(&folder.read("K.npy")).2.iter().all(|v| v.is_finite()));
    }
}

#[test]
fn rows_28_to_31_and_33_sparse_rows() {
    bad("a.libsvm", "1 1:1\n1 3:1 2:1\n", "a.libsvm:2:7 E_INDEX_ORDER ");
    bad("a.libsvm", "1 1:1\n1 2:1 2:1\n", "a.libsvm:2:7 E_INDEX_DUP ");
    bad("a.libsvm", "1 1:1\n1 -2:1\n", "a.libsvm:2:3 E_INDEX ");
    bad("a.libsvm", "1 1:1\n1 x:1\n", "a.libsvm:2:3 E_INDEX ");
    hinted("a.libsvm", "1 0:1 1:2\n-1 1:3\n", "", "a.libsvm:1:3 E_INDEX_BASE ", "--index-base 0");
    gram("a.libsvm", "1 0:1 1:2\n-1 1:3\n", "--index-base 0");
    bad("a.libsvm", "1 1:1\n1 1:\n", "a.libsvm:2:3 E_SYNTAX ");
    bad("a.libsvm", "1 1: 2:3\n", "a.libsvm:1:3 E_SYNTAX ");
    bad("a.libsvm", "1 1 2\n", "a.libsvm:1:3 E_SYNTAX ");
}

#[test]
fn row_32_indices_beyond_the_limit() {
    let folder = Folder::new();
    for index in ["2147483647", "100000000000", "99999999999999999999999"] {
        folder.write("a.libsvm", format!("1 1:1\n1 {index}:1\n"));
        folder.refused_within(256, "gram a.libsvm -k linear -o K.npy -q", "a.libsvm:2:3 E_DIM_LIMIT ");
    }
    folder.write("a.libsvm", "1 1:1\n1 2147483647:1\n");
    folder.ok("gram a.libsvm -k linear -o K.npy -q --max-dim 3000000000");
}

#[test]
fn row_34_more_features_than_before() {
    let folder = Folder::new();
    folder.write("train.libsvm", SPARSE);
    folder.write("test.libsvm", "1 1:1 3:1\n");
    let more = "test.libsvm E_DIM_MISMATCH 3 features where the kernel knows 2";
    for kernel in ["linear", "rbf(gamma=1)", "standardize(linear)", "normalize(linear)+cosine"] {
        folder.refused(&format!("gram train.libsvm --new test.libsvm -k {kernel} -o K.npy -q"), more);
    }
    folder.refused("map train.libsvm --new test.libsvm -k linear -o K.npy -q", more);
    folder.write("test.libsvm", "1 1:1\n");
    folder.ok("gram train.libsvm --new test.libsvm -k linear -o K.npy -q");
}

#[test]
fn row_51_an_array_without_its_values() {
    let folder = Folder::new();
    folder.write("a.npy", npy("'<f8'", false, "(65536, 65536)", b""));
    folder.refused_within(256, "gram a.npy -k linear -o K.npy -q", "a.npy E_NPY_SHORT ");
    folder.refused_within(256, "inspect a.npy -q", "a.npy E_NPY_SHORT ");
}

#[test]
fn row_52_array_headers() {
    let eight = [0; 8];
    bad("a.npy", npy("'|O'", false, "(1, 1)", &eight), "a.npy E_NPY_DTYPE ");
    bad("a.npy", npy("'<U2'", false, "(1, 1)", &eight), "a.npy E_NPY_DTYPE ");
    let spaces = " ".repeat(11_000);
    bad("a.npy", npy("'<f8'", false, &format!("(1, {spaces}1)"), &eight), "a.npy E_NPY_HEADER ");
    bad("a.npy", npy("'<f8'", false, "(4294967296, 4294967296)", &eight), "a.npy E_NPY_HEADER ");
    bad("a.npy", npy("'<f8'", false, "(18446744073709551616, 1)", &eight), "a.npy E_NPY_HEADER ");
    bad("a.npy", npy("'<f8'", false, "(-1, 1)", &eight), "a.npy E_NPY_HEADER ");
    bad("a.npy", b"\x93NUMPY\x01", "a.npy E_NPY_HEADER ");
    bad("a.npy", npy("'<f8'", false, "(1, 1)", &[0; 9]), "a.npy E_NPY_HEADER ");
}

#[test]
fn row_53_byte_and_storage_order() {
    let rows = [[1.5, -2.0], [3.25, 0.1], [7.0, 1e-3]];
    let flat = rows.concat();
    let plain = gram("a.npy", matrix(3, &flat), "");
    let big: Vec<u8> = flat.iter().flat_map(|v| v.to_be_bytes()).collect();
    assert!(gram("a.npy", npy("'>f8'", false, "(3, 2)", &big), "") == plain);
    let turned = (0..2).flat_map(|j| rows.iter().map(move |row| row[j]));
    let fortran: Vec<u8> = turned.clone().flat_map(f64::to_le_bytes).collect();
    assert!(gram("a.npy", npy("'<f8'", true, "(3, 2)", &fortran), "") == plain);
    let both: Vec<u8> = turned.flat_map(f64::to_be_bytes).collect();
    assert!(gram("a.npy", npy("'>f8'", true, "(3, 2)", &both), "") == plain);
}

#[test]
fn row_54_damaged_parquet() {
    let good = parquet(
        "required double a; required double b;",
        &[Column::Double(&[1.0, 2.0, 3.0], None), Column::Double(&[4.0, 5.0, 6.0], None)],
    );
    gram("a.parquet", &good, "");
    for length in [u32::MAX, good.len() as u32, 0] {
        let mut footer = good.clone();
        let at = footer.len() - 8;
        footer[at..at + 4].copy_from_slice(&length.to_le_bytes());
        bad("a.parquet", footer, "a.parquet E_PARQUET ");
    }
    let mut page = good.clone();
    page[4..40].fill(0xFF);
    bad("a.parquet", page, "a.parquet E_PARQUET ");
    for cut in [4, 30, good.len() / 2, good.len() - 1] {
        bad("a.parquet", &good[..cut], "a.parquet E_PARQUET ");
    }
}

#[test]
fn row_55_parquet_columns() {
    let one = Column::Double(&[1.0, 2.0], None);
    let nested =
        parquet("required double a; required group z { required int32 i; }", &[one, Column::Int32(&[1, 2])]);
    bad("a.parquet", nested, "a.parquet E_PARQUET_TYPE column 'z'");
    let decimal = parquet("required int32 z (DECIMAL(5,2));", &[Column::Int32(&[1, 2])]);
    bad("a.parquet", decimal, "a.parquet E_PARQUET_TYPE column 'z'");
    let nulls = parquet("optional double z;", &[Column::Double(&[1.0], Some(&[1, 0]))]);
    bad("a.parquet", &nulls, "a.parquet E_PARQUET_TYPE column 'z' holds a null in row 2");
    // Whoever states a policy gets it; a null is then a missing value, which this kernel cannot take.
    let folder = Folder::new();
    folder.write("a.parquet", &nulls);
    let kept = "a.parquet E_MISSING object 2: no value in column 'z'";
    folder.refused("gram a.parquet -k linear -o K.npy -q --missing keep", kept);
    folder.refused("gram a.parquet -k linear -o K.npy -q --missing refuse", "a.parquet E_MISSING row 2");
    folder.ok("gram a.parquet -k zero-extend(linear) -o L.npy -q --missing keep");
    folder.ok("gram a.parquet -k linear -o M.npy -q --missing drop");
    // What Arrow calls a dictionary is read when its kind is stated. The file was written by pyarrow 26.0.1: columns x
    // (double), colour (dictionary of strings) and size (strings).
    folder.write("d.parquet", include_bytes!("data/dictionary.parquet"));
    let refused = "d.parquet E_PARQUET_TYPE column 'colour'";
    let run = folder.refused("gram d.parquet -k delta@size -o D.npy -q", refused);
    assert!(run.err.contains("--type colour=categories"), "{}", run.err);
    folder.ok("gram d.parquet -k delta -o D.npy -q --type colour=categories");
    folder.ok("gram d.parquet -k linear -o D.npy -q --target colour");
    folder.ok("gram d.parquet -k delta@size -o D.npy -q --ignore colour");
    folder.ok("fit d.parquet -k delta -l svc -o m.mercer -q --target size --type colour=categories");
    folder.ok("predict m.mercer d.parquet -q");
    // Other strings are read whatever their encoding. Only this kernel, which takes numbers, refuses them.
    let strings = parquet("required binary z (UTF8);", &[Column::Text(&["p", "q", "p", "p"])]);
    folder.write("a.parquet", strings);
    folder.refused("gram a.parquet -k linear -o K.npy -q", "a.parquet E_COLUMN");
    folder.ok("gram a.parquet -k delta -o K.npy -q");
}

/// Twice the file and 256 MB are enough to find a fault in its last line, however small its fields.
#[cfg(target_os = "linux")]
#[test]
fn bad_tables_of_tiny_fields() {
    let folder = Folder::new();
    // One letter a row takes two bytes in the file and fifty-six as a string.
    let strings = format!("a\n{}q,\n", "q\n".repeat(6 << 20));
    // An empty field takes one byte in the file and eight as a missing number.
    let empty = format!("1,1,1,1,1,1,1,1\n{}x,1,1,1,1,1,1,1\n", ",,,,,,,\n".repeat(5 << 20));
    for (text, flags, expected) in [
        (strings, "--delimiter , --type a=strings", "a.csv:6291458:1 E_COLUMNS "),
        (empty, "", "a.csv:5242882:1 E_NUMBER "),
    ] {
        folder.write("a.csv", &text);
        let most = text.len() as u64 / (1 << 19) + 256;
        folder.refused_within(most, &format!("gram a.csv -k linear -o K.npy -q {flags}"), expected);
    }
}

/// The same for as many columns of text as there may be; more are refused at once.
#[cfg(target_os = "linux")]
#[test]
fn bad_tables_of_very_many_columns() {
    let folder = Folder::new();
    let row =
        |columns: usize, cell: &dyn Fn(usize) -> String| (0..columns).map(cell).collect::<Vec<_>>().join(",");
    let widest = 1 << 19;
    let mut text = row(widest, &|i| format!("c{i}"));
    for r in 0..5 {
        text += &format!("\n{}", row(widest, &|i| format!("k{}", (r + i) % 10)));
    }
    text += "\nk,k\n";
    folder.write("a.csv", &text);
    let most = text.len() as u64 / (1 << 19) + 256;
    folder.refused_within(
        most,
        "gram a.csv -k linear -o K.npy -q",
        "a.csv:7:1 E_COLUMNS expected 524288 fields",
    );
    folder.write("a.csv", row(widest + 1, &|_| "k".into()) + "\n");
    let expected = "a.csv:1:1 E_DIM_LIMIT 524289 columns; at most 524288 can be read";
    folder.refused_within(256, "gram a.csv -k linear -o K.npy -q", expected);
}

/// A folder `D` with a small collection of graphs, one of its files replaced.
fn collection(part: &str, text: &str) -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("D")).unwrap();
    for (name, content) in [
        ("A", "1, 2\n2, 1\n2, 3\n3, 2\n"),
        ("graph_indicator", "1\n1\n1\n2\n"),
        ("graph_labels", "1\n-1\n"),
        ("node_labels", "0\n0\n1\n0\n"),
    ] {
        folder.write(&format!("D/D_{name}.txt"), content);
    }
    folder.write(&format!("D/D_{part}.txt"), text);
    folder
}

#[track_caller]
fn bad_graphs(part: &str, text: &str, expected: &str) {
    collection(part, text).refused("gram D -k wl(h=2) -o K.npy -q", expected);
}

#[test]
fn row_35_graphs_whose_files_differ_in_length() {
    let expected = "D/D_node_labels.txt:4:1 E_TU_LENGTH 4 lines for 3 nodes";
    bad_graphs("graph_indicator", "1\n1\n1\n", expected);
    bad_graphs("node_labels", "0\n", "D/D_node_labels.txt:1:2 E_TU_LENGTH 1 lines for 4 nodes");
    bad_graphs(
        "edge_labels",
        "0\n0\n0\n",
        "D/D_edge_labels.txt:3:2 E_TU_LENGTH 3 lines for 4 lines of edges",
    );
    bad_graphs("graph_labels", "1\n1\n1\n", "D/D_graph_labels.txt:3:1 E_TU_LENGTH 3 lines for 2 graphs");
}

#[test]
fn rows_36_to_38_edges_and_graphs_that_are_not_there() {
    bad_graphs("A", "1, 2\n0, 1\n", "D/D_A.txt:2:1 E_TU_NODE edge '0, 1': there are nodes 1 to 4");
    bad_graphs("A", "1, 2\n1, 5\n", "D/D_A.txt:2:1 E_TU_NODE ");
    bad_graphs("A", "1, 2\n3, 4\n", "D/D_A.txt:2:1 E_TU_CROSS edge '3, 4': its nodes are in graphs 1 and 2");
    bad_graphs(
        "graph_indicator",
        "1\n1\n3\n3\n",
        "D/D_graph_indicator.txt:3:1 E_TU_ID graph 3 where 1 or 2 is expected",
    );
    bad_graphs("graph_indicator", "2\n2\n1\n1\n", "D/D_graph_indicator.txt:1:1 E_TU_ID ");
    // A fault behind very many small edges, within the memory that is allowed.
    let edges = "1,1\n".repeat(10_000_000) + "1,9\n";
    let folder = collection("A", &edges);
    let most = 2 * (edges.len() as u64 >> 20) + 256;
    folder.refused_within(most, "gram D -k wl(h=2) -o K.npy -q", "D/D_A.txt:10000001:1 E_TU_NODE ");
}

#[test]
fn row_39_graphs_without_edges_or_with_one_node() {
    let folder = collection("A", "1, 2\n2, 1\n2, 3\n3, 2\n");
    for kernel in [
        "vertex-histogram",
        "edge-histogram(ignore=others)",
        "wl(h=3)",
        "normalize(wl(h=3))",
        "wl-oa(h=3)",
        "shortest-path",
        "graphlet(size=3,ignore=others)",
    ] {
        folder.ok(&format!("gram D -k {kernel} -o K.npy -q"));
        let (rows, _, values) = values(&folder.read("K.npy"));
        assert!(rows == 2 && values.iter().all(|v| v.is_finite()), "{kernel}: {values:?}");
        std::fs::remove_file(folder.path("K.npy")).unwrap();
    }
}

#[test]
fn row_40_loops_repeated_edges_and_single_directions() {
    let run = collection("A", "1, 1\n1, 2\n2, 1\n2, 1\n2, 3\n").ok("inspect D");
    for warning in [
        "W_LOOPS 1 edge from a node to itself: kept",
        "W_MULTI_EDGE 1 edge between nodes that had one already: the first of them counts",
        "W_ONE_WAY 1 edge in one direction alone: counted in both",
    ] {
        assert!(run.err.contains(warning), "{}", run.err);
    }
}

#[test]
fn row_41_attributes_of_different_width() {
    let expected = "D/D_node_attributes.txt:3:1 E_TU_ATTR 1 attributes where the first line has 2";
    bad_graphs("node_attributes", "1, 2\n3, 4\n5\n6, 7\n", expected);
    bad_graphs("node_attributes", "1\n2\nnan\n3\n", "D/D_node_attributes.txt:3:1 E_NONFINITE ");
}

#[test]
fn row_42_graphs_smaller_than_a_graphlet() {
    let folder = collection("graph_labels", "1\n-1\n");
    let run = folder.ok("gram D -k normalize(graphlet(size=3,ignore=others)) -o K.npy");
    assert!(run.err.contains("W_SMALL 1 of 2 graphs"), "{}", run.err);
    let (_, _, values) = values(&folder.read("K.npy"));
    assert_eq!(values, [1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn rows_44_to_46_sequences() {
    for (content, expected) in [
        ("acgt\n>a\nacgt\n", "a.fasta:1:1 E_FASTA_HEADER 'acgt' before the first '>'"),
        (">a\nac\n>b\n>c\nac\n", "a.fasta:3:1 E_SEQ_EMPTY no sequence for 'b'"),
        (">a\nac\n>b\nac\n>a\nac\n", "a.fasta:5:1 E_SEQ_DUP 'a' is there already"),
        (">a\nacgt\nac-t\n", "a.fasta:3:3 E_ALPHABET '-' in 'a' is no letter of dna"),
        (">a\nMKVLE*\n", "a.fasta:2:6 E_ALPHABET '*' in 'a' is no letter of protein"),
        (">a\nac1\n", "a.fasta:2:3 E_ALPHABET '1' in 'a' is no letter of dna"),
    ] {
        let folder = Folder::new();
        folder.write("a.fasta", content);
        let run = folder.run("inspect a.fasta");
        assert_eq!(run.code, Some(2), "{}", run.err);
        assert!(run.err.contains(expected), "{}", run.err);
    }
}

#[test]
fn row_47_strings_shorter_than_a_word() {
    let folder = Folder::new();
    folder.write("a.fasta", ">a\nacgtt\n>b\nac\n>c\nacgta\n");
    let run = folder.ok("gram a.fasta -k normalize(spectrum(k=4)) -o K.npy");
    assert!(run.err.contains("W_SHORT 1 of 3 strings have fewer than 4 letters"), "{}", run.err);
    let (_, _, values) = values(&folder.read("K.npy"));
    let expected = [1.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 1.0];
    assert!(values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{values:?}");
}

#[test]
fn graph_files_that_are_none() {
    for (name, content, expected) in [
        (
            "a.gml",
            "graph [\n  node [ id 1 ]\n  edge [ source 1 target 2 ]\n]\n",
            "a.gml:3:3 E_GRAPH an edge to node '2'",
        ),
        ("a.gml", "graph [\n  node [ id 1 ]\n", "a.gml:1:1 E_TRUNCATED "),
        (
            "a.graphml",
            "<graphml>\n<graph>\n<node/>\n</graph></graphml>",
            "a.graphml:3:1 E_SYNTAX <node> without id",
        ),
        (
            "a.graphml",
            "<!DOCTYPE g [<!ENTITY a \"x\"><!ENTITY b \"&a;&a;\">]>\n<graphml><graph id=\"&b;\"></graph></graphml>",
            "a.graphml:2:10 E_SYNTAX attribute id",
        ),
        ("a.sdf", "m\n\n\n  1  1  0  0  0  0  0  0  0  0999 V2000\n", "a.sdf:4:40 E_TRUNCATED "),
        ("a.sdf", "m\n\n\n  x  1  0  0  0  0  0  0  0  0999 V2000\n", "a.sdf:4:1 E_SYNTAX "),
        (
            "a_edges.csv",
            "graph,source\n1,2\n",
            "a_edges.csv:1:1 E_HEADER no column 'target' in a table of edges",
        ),
    ] {
        let folder = Folder::new();
        folder.write(name, content);
        folder.refused(&format!("gram {name} -k wl(h=2) -o K.npy -q"), expected);
    }
}

#[test]
fn row_56_archives() {
    let zeros = vec![b'0'; 60 << 20];
    let array = npy("'<f8'", false, "(2621440, 3)", &vec![0; 60 << 20]);
    let folder = Folder::new();
    for (name, bytes) in [
        ("a.csv.gz", gz(&zeros)),
        ("a.csv.zst", zst(&zeros)),
        ("a.npz", zip(&[("x.npy", &array)])),
        ("a.npy.gz", gz(&array)),
    ] {
        assert!(bytes.len() < 100_000);
        folder.write(name, bytes);
        folder.refused_within(
            256,
            &format!("gram {name} -k linear -o K.npy -q"),
            &format!("{name} E_RATIO "),
        );
    }
    let small = matrix(2, &[1.0, 2.0]);
    gram("a.npz", zip(&[("x.npy", &small)]), "");
    for name in ["../x.npy", "a/../../x.npy", "/x.npy", "..\\x.npy"] {
        bad("a.npz", zip(&[(name, &small)]), "a.npz E_ZIP_NAME ");
    }
    bad("a.npz", zip(&[("x.npy", &small), ("x.npy", &small)]), "a.npz E_ZIP_NAME ");
}

#[test]
fn row_57_kernel_matrices() {
    let folder = Folder::new();
    let cases: [(&str, usize, &[f64]); 4] = [
        ("E_K_SHAPE", 2, &[1.0, 0.5, 0.0, 0.5, 1.0, 0.0]),
        ("E_K_SYMM", 2, &[1.0, 0.5, 0.4, 1.0]),
        ("E_K_SYMM", 2, &[1.0, 0.5, 0.5 + 2e-8, 1.0]),
        ("E_NONFINITE", 2, &[1.0, f64::NAN, f64::NAN, 1.0]),
    ];
    for (code, rows, values) in cases {
        folder.write("G.npy", matrix(rows, values));
        let expected = format!("G.npy {code} ");
        folder.refused("gram G.npy --precomputed -k precomputed -o K.npy -q", &expected);
        folder.refused("inspect G.npy --precomputed", &expected);
        folder.refused("inspect G.npy --as gram", &expected);
    }
    folder.write("G.npy", matrix(2, &[1.0, 2.0, 2.0, 1.0]));
    let run = folder.refused("inspect G.npy --require-psd", "G.npy E_K_PSD ");
    assert!(run.err.contains("-1.0000") && run.err.contains("hint: repair"), "{}", run.err);
    folder.refused("map G.npy --precomputed -k precomputed -o K.npy -q", "G.npy E_K_PSD ");
    folder.ok("map G.npy --precomputed -k repair(precomputed,method=clip) -o K.npy -q");
    folder.write("G.csv", "1,0\n0,1\n");
    assert!(folder.run("inspect G.csv --precomputed").err.starts_with("G.csv E_FORMAT "));
}

const SERIES: &str = "@univariate true\n@classLabel true up down\n@data\n1,2,3:up\n2,1:down\n";

#[test]
fn rows_48_and_49_time_series() {
    let folder = Folder::new();
    let refused = |content: &str, kernel: &str, expected: &str| {
        folder.write("a.ts", content);
        folder.refused(&format!("gram a.ts -k {kernel} -o K.npy -q"), expected);
    };
    refused("@univariate true\n1,2:up\n", "dtw", "a.ts:2:1 E_TS_HEADER ");
    refused(&SERIES.replace("@data\n", ""), "dtw", "a.ts:3:1 E_TS_HEADER ");
    refused(&SERIES.replace("1:down", "1:left"), "dtw", "a.ts:5:5 E_TS_LABEL ");
    refused(&SERIES.replace("2,3", "?,3"), "dtw", "a.ts:4:3 E_TS_MISSING ");
    refused(SERIES, "series-euclidean", "E_TS_LENGTH object 2: ");
    folder.write("a.ts", SERIES.replace("2,3", "?,3"));
    folder.ok("gram a.ts -k dtw -o M.npy -q --series-missing interpolate");
    folder.refused("gram a.ts -k dtw -o L.npy -q --series-missing keep", "E_TS_MISSING object 1: ");
}

#[test]
fn row_50_constant_series() {
    let folder = Folder::new();
    folder.write("a.ts", "@univariate true\n@classLabel false\n@data\n5,5,5\n1,2,3\n");
    let run = folder.ok("gram a.ts -k znormalize(dtw) -o K.npy");
    assert!(run.err.contains("W_CONSTANT"), "{}", run.err);
}
