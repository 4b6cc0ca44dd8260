//! Rows 20 to 34: tables, and sparse rows.

use super::{ARFF, SPARSE, TABLE};
use crate::make::values;
use crate::run::Folder;
use crate::trust::Row;

#[test]
fn rows_20_to_24_tables() {
    let [ragged, quote, header, empty, text] = [20, 21, 22, 23, 24].map(Row::new);
    ragged.bad("a.csv", "a,b,c\n1,2,3\n4,5\n6,7,8\n", "a.csv:3:1 E_COLUMNS expected 3 fields, got 2");
    ragged.bad("a.csv", "a,b\n1,2\n\n3,4,5\n", "a.csv:4:1 E_COLUMNS expected 2 fields, got 3");
    ragged.bad("a.tsv", "a\tb\n1\t2\n3\n4\t5\n", "a.tsv:3:1 E_COLUMNS expected 2 fields, got 1");
    ragged.bad("a.arff", ARFF.replace("3,4.5,q", "3,q"), "a.arff:7:1 E_COLUMNS ");
    quote.bad("a.csv", "a,b\n1,\"2\n3,4\n5,6\n", "a.csv:2:3 E_QUOTE ");
    quote.bad("a.csv", "a,\"b\n1,2\n", "a.csv:1:3 E_QUOTE ");
    header.bad("a.csv", "a,b,a\n1,2,3\n", "a.csv:1:5 E_HEADER ");
    header.bad("a.tsv", "a\ta\n1\t2\n", "a.tsv:1:3 E_HEADER ");
    empty.bad("a.csv", "a,b\n", "a.csv E_EMPTY ");
    empty.bad("a.csv", "a,b", "a.csv E_EMPTY ");
    empty.bad("a.tsv", "a\tb\n\n", "a.tsv E_EMPTY ");
    empty.bad("a.arff", ARFF.split_once("1,2,p").unwrap().0, "a.arff E_EMPTY ");
    let old = "age,b\n1,2\n3,4\nold,5\n";
    text.hinted("a.csv", old, "", "a.csv:4:1 E_NUMBER ", "--type age=categories");
    let run = text.bad("a.csv", old, "a.csv:4:1 E_NUMBER ");
    assert!(run.err.lines().next().unwrap().contains("'age'"), "{}", run.err);
}

#[test]
fn row_24_dirt() {
    let row = Row::new(24);
    let folder = Folder::new();
    let lines = |odd: &'static str| {
        (0..30).map(move |i| if i == 3 { format!("{odd},{i}\n") } else { format!("{i}.5,{i}\n") })
    };
    folder.write("a.csv", format!("age,b\n{}", lines("old").collect::<String>()));
    row.refused(&folder, "inspect a.csv -q --strict", "a.csv:5:1 E_NUMBER ");
    row.refused(&folder, "inspect a.csv -q --missing refuse", "a.csv:5:1 E_NUMBER ");
    row.tried();
    let run = folder.ok("inspect a.csv");
    assert!(
        run.err.contains("W_CELLS age: 1 of 30 cells are not numbers, e.g. 'old' in line 5"),
        "{}",
        run.err
    );
    assert!(!folder.ok("inspect a.csv --na old").err.contains("W_CELLS"));
}

#[test]
fn row_76_contradictory_dates() {
    let row = Row::new(76);
    let text = "day,b\n13/02/2024,1\n02/13/2024,2\n";
    row.hinted(
        "a.csv",
        text,
        "",
        "a.csv:3:1 E_DATE column 'day' holds dates of both orders",
        "--type day=strings",
    );
    row.hinted("a.csv", "day,b\nsoon,1\n", "--type day=times", "a.csv:2:1 E_DATE ", "");
    row.hinted(
        "a.csv",
        "day,b\n2024-02-30,1\n2024-13-01,2\n",
        "--type day=times",
        "a.csv:2:1 E_DATE '2024-02-30' in column 'day' is not a date",
        "",
    );
}

#[test]
fn row_77_a_test_file_with_other_columns() {
    let row = Row::new(77);
    let folder = Folder::new();
    let rows: String = (0..30).map(|i| format!("{i},{},{}\n", i * 7 % 13, i % 2)).collect();
    folder.write("train.csv", format!("a,b,class\n{rows}"));
    folder.write("short.csv", "b,class\n1,0\n2,1\n");
    folder.write("words.csv", "a,b,class\nx y z,1,0\nu v w,2,1\n");
    folder.write("empty.csv", "a,b,class\n");
    for (test, expected) in [
        ("short.csv", "short.csv E_COLUMN no column 'a'"),
        ("words.csv", "words.csv:2:1 E_NUMBER "),
        ("empty.csv", "empty.csv E_EMPTY "),
        ("none.csv", "none.csv E_IO_OPEN "),
    ] {
        for command in ["fit train.csv -k linear -o m.mercer -q", "evaluate train.csv -k linear -q"] {
            row.refused(&folder, &format!("{command} --test {test}"), expected);
        }
    }
}

#[test]
fn row_25_a_target_that_does_not_exist() {
    let row = Row::new(25);
    row.hinted("a.csv", TABLE, "--target clas", "a.csv:1:1 E_TARGET no column 'clas'", "class");
    row.hinted("a.csv", TABLE, "--target zzzzzz", "a.csv:1:1 E_TARGET ", "a, b, class");
    row.hinted("a.arff", ARFF, "--target clas", "a.arff:", "class");
}

#[test]
fn row_26_classes() {
    let row = Row::new(26);
    let folder = Folder::new();
    let rows = |class: &str, n: usize| (0..n).map(|i| format!("{i},{class}\n")).collect::<String>();
    folder.write("one.csv", format!("a,class\n{}", rows("p", 30)));
    folder.write("few.csv", format!("a,class\n{}{}{}", rows("p", 30), rows("q", 1), rows("r", 2)));
    for command in [
        "auto one.csv",
        "fit one.csv -l svc -o m.mercer -q",
        "evaluate one.csv -q",
        "compare one.csv -k linear -q",
    ] {
        row.refused(&folder, command, "one.csv E_CLASSES 1 class only");
    }
    let run = row.refused(&folder, "auto few.csv", "few.csv E_CLASSES class 'r' has 2 of the objects");
    assert!(run.err.contains("\n  hint: "), "{}", run.err);
    for command in ["evaluate few.csv -q --protocol 3-fold", "compare few.csv -k linear -q --protocol 3-fold"]
    {
        row.refused(&folder, command, "few.csv E_CLASSES class 'q' has 1 member, too few for 3 folds");
    }
    let probabilities = "fit few.csv -k linear -l svc --probabilities -o m.mercer -q";
    row.tried();
    let run = folder.ok(probabilities);
    assert!(run.err.contains("W_FOLDS"), "{}", run.err);
    folder.write("enough.csv", format!("a,class\n{}{}", rows("p", 30), rows("q", 3)));
    row.tried();
    folder.ok("auto enough.csv");
    folder.write("none.csv", "a,b\n1,2\n");
    row.refused(&folder, "auto none.csv", "none.csv E_TARGET ");
}

#[test]
fn row_27_a_constant_column_scaled() {
    let row = Row::new(27);
    let folder = Folder::new();
    folder.write("a.csv", "a,b\n1,7\n2,7\n4,7\n");
    for kernel in ["standardize(linear)", "minmax(rbf(gamma=1))", "standardize(cosine)"] {
        row.tried();
        let run = folder.ok(&format!("gram a.csv -k {kernel} -o K.npy"));
        assert!(run.err.lines().any(|l| l.starts_with("W_CONSTANT ") && l.contains('b')), "{}", run.err);
        assert!(values(&folder.read("K.npy")).2.iter().all(|v| v.is_finite()));
    }
}

#[test]
fn rows_28_to_31_and_33_sparse_rows() {
    let [order, twice, index, base, syntax] = [28, 29, 30, 31, 33].map(Row::new);
    order.bad("a.libsvm", "1 1:1\n1 3:1 2:1\n", "a.libsvm:2:7 E_INDEX_ORDER ");
    order.bad("a.libsvm", "1 1:1\n1 1:1 9:2 2:1\n", "a.libsvm:2:11 E_INDEX_ORDER ");
    twice.bad("a.libsvm", "1 1:1\n1 2:1 2:1\n", "a.libsvm:2:7 E_INDEX_DUP ");
    index.bad("a.libsvm", "1 1:1\n1 -2:1\n", "a.libsvm:2:3 E_INDEX ");
    index.bad("a.libsvm", "1 1:1\n1 x:1\n", "a.libsvm:2:3 E_INDEX ");
    index.bad("a.libsvm", "1 1:1\n1 1.5:1\n", "a.libsvm:2:3 E_INDEX ");
    base.hinted("a.libsvm", "1 0:1 1:2\n-1 1:3\n", "", "a.libsvm:1:3 E_INDEX_BASE ", "--index-base 0");
    base.gram("a.libsvm", "1 0:1 1:2\n-1 1:3\n", "--index-base 0");
    base.bad("a.libsvm", "1 1:2\n-1 0:1 1:3\n", "a.libsvm:2:4 E_INDEX_BASE ");
    syntax.bad("a.libsvm", "1 1:1\n1 1:\n", "a.libsvm:2:3 E_SYNTAX ");
    syntax.bad("a.libsvm", "1 1: 2:3\n", "a.libsvm:1:3 E_SYNTAX ");
    syntax.bad("a.libsvm", "1 1 2\n", "a.libsvm:1:3 E_SYNTAX ");
}

#[test]
fn row_32_indices_beyond_the_limit() {
    let row = Row::new(32);
    for index in ["2147483647", "100000000000", "99999999999999999999999"] {
        row.bad("a.libsvm", format!("1 1:1\n1 {index}:1\n"), "a.libsvm:2:3 E_DIM_LIMIT ");
    }
    row.gram("a.libsvm", "1 1:1\n1 2147483647:1\n", "--max-dim 3000000000");
}

#[test]
fn row_34_more_features_than_before() {
    let row = Row::new(34);
    let folder = Folder::new();
    folder.write("train.libsvm", SPARSE);
    folder.write("test.libsvm", "1 1:1 3:1\n");
    folder.ok("fit train.libsvm -k linear -l svc -o m.mercer -q");
    let more = "test.libsvm E_DIM_MISMATCH 3 features, but the kernel expects 2";
    for kernel in ["linear", "rbf(gamma=1)", "standardize(linear)", "normalize(linear)+cosine"] {
        row.refused(&folder, &format!("gram train.libsvm --new test.libsvm -k {kernel} -o K.npy -q"), more);
    }
    row.refused(&folder, "map train.libsvm --new test.libsvm -k linear -o K.npy -q", more);
    row.refused(&folder, "predict m.mercer test.libsvm -o p.csv -q", more);
    folder.write("test.libsvm", "1 1:1\n");
    row.tried();
    folder.ok("gram train.libsvm --new test.libsvm -k linear -o K.npy -q");
}

/// 256 MB plus twice the size of the file suffice to find an error in its last line, however small its fields.
#[cfg(target_os = "linux")]
#[test]
fn bad_tables_of_tiny_fields() {
    let [ragged, text] = [20, 24].map(Row::new);
    // One character per row takes two bytes in the file and fifty-six as a string.
    let strings = format!("a\n{}q,\n", "q\n".repeat(6 << 20));
    // An empty field takes one byte in the file and eight as a missing number.
    let empty = format!("1,1,1,1,1,1,1,1\n{}x,1,1,1,1,1,1,1\n", ",,,,,,,\n".repeat(5 << 20));
    for (row, text, flags, expected) in [
        (ragged, strings, "--delimiter , --type a=strings", "a.csv:6291458:1 E_COLUMNS "),
        // Without --strict the last field would be missing, and the whole table is needed to know it.
        (text, empty, "--strict", "a.csv:5242882:1 E_NUMBER "),
    ] {
        let folder = Folder::new();
        folder.write("a.csv", &text);
        row.refused(&folder, &format!("gram a.csv -k linear -o K.npy -q {flags}"), expected);
    }
}

/// The same for very many text columns; more than there may be are refused at once.
#[cfg(target_os = "linux")]
#[test]
fn bad_tables_of_very_many_columns() {
    let row = Row::new(20);
    let folder = Folder::new();
    let line = |columns: usize, field: &dyn Fn(usize) -> String| {
        (0..columns).map(field).collect::<Vec<_>>().join(",")
    };
    let (wide, widest) = (1 << 19, 1 << 19);
    let mut text = line(wide, &|i| format!("c{i}"));
    for r in 0..3 {
        text += &format!("\n{}", line(wide, &|i| format!("k{}", (r + i) % 10)));
    }
    text += "\nk,k\n";
    folder.write("a.csv", &text);
    row.refused(&folder, "gram a.csv -k linear -o K.npy -q", "a.csv:5:1 E_COLUMNS expected 524288 fields");
    folder.write("a.csv", line(widest + 1, &|_| "k".into()) + "\n");
    let expected = "a.csv:1:1 E_DIM_LIMIT 524289 columns; at most 524288 can be read";
    row.refused(&folder, "gram a.csv -k linear -o K.npy -q", expected);
}
