//! Rows 78 to 83: numbers, dates, totals and encodings as they come.

use crate::make::{gz, matrix, zip};
use crate::run::Folder;
use crate::trust::Row;

/// A table of sixty rows after a header.
fn rows(header: &str, of: impl Fn(usize) -> String) -> String {
    format!("{header}\n{}", (0..60).map(|i| of(i) + "\n").collect::<String>())
}

/// The warnings of `inspect`, which must succeed.
#[track_caller]
fn warned(row: &Row, name: &str, content: impl AsRef<[u8]>) -> String {
    row.tried();
    let folder = Folder::new();
    folder.write(name, content);
    folder.ok(&format!("inspect {name} -q")).err
}

#[test]
fn row_78_numbers_written_in_two_ways() {
    let row = Row::new(78);
    row.hinted(
        "a.csv",
        "n;class\n1,5;a\n2.5;b\n3,5;a\n",
        "",
        "a.csv:2:1 E_NUMBER column 'n' holds both decimal points and decimal commas: '2.5' and '1,5' (lines 3 and 2)",
        "--type n=strings",
    );
    // Points separate thousands where another column has decimal commas; where nothing decides, both is said.
    let err = warned(&row, "a.csv", rows("n;p", |i| format!("1.{},5;{}.{}", 100 + i, 1 + i % 6, 100 + i)));
    assert!(
        err.contains("W_FORM p: read as numbers with decimal commas; the points separate thousands"),
        "{err}"
    );
    let err = warned(&row, "a.csv", rows("p;class", |i| format!("{}.{};a", 1 + i % 6, 100 + i)));
    assert!(err.contains("W_FORM p: ") && err.contains("as in '1.100'"), "{err}");
    // Two units, two kinds of number systems, and shares among percentages.
    for (one, other, said) in [
        ("#.5 kg", "#.5 lb", "W_MIXED x: numbers in different units, '10.5 kg' and '11.5 lb'"),
        ("#.5%", "0.#", "W_MIXED x: numbers in different units, '10.5%' and '0.11'"),
        ("0x#", "0x#", "W_MIXED x: 60 of 60 values are badly written numbers, e.g. '0x10'"),
    ] {
        let cell =
            |i: usize| if i.is_multiple_of(2) { one } else { other }.replace('#', &(10 + i).to_string());
        let err = warned(&row, "a.csv", rows("x,class", |i| cell(i) + ",a"));
        assert!(err.contains(said), "{err}");
    }
    // As numbers, they are refused where they are.
    row.hinted(
        "a.csv",
        &rows("x,class", |i| format!("{i}.5 {},a", ["kg", "lb"][i % 2])),
        "--type x=numbers --strict",
        "a.csv:2:1 E_NUMBER ",
        "--type x=",
    );
}

#[test]
fn row_79_late_rows_that_contradict() {
    let row = Row::new(79);
    let clear: String = (0..1500).map(|i| format!("{}/{}/2024,a\n", 1 + i % 12, 1 + i % 28)).collect();
    let text = format!("d,class\n{clear}{}", "25/2/2024,b\n".repeat(40));
    row.hinted(
        "a.csv",
        &text,
        "",
        "a.csv:14:1 E_DATE column 'd' holds dates of both orders: '25/2/2024' has the day first, '1/13/2024' the month \
         (lines 1502 and 14)",
        "--type d=strings",
    );
    // One of them among many is a missing value, with its line.
    let err = warned(&row, "a.csv", format!("d,class\n{clear}25/2/2024,b\n"));
    assert!(err.contains("W_CELLS d: 1 of 1501 cells") && err.contains("in line 1502"), "{err}");
    // Numbers whose commas turn out to be decimal, after others that had points.
    let points: String = (0..1500).map(|i| format!("{i}.25;a\n")).collect();
    let text = format!("n;class\n{points}{}", "1,5;b\n".repeat(400));
    row.bad("a.csv", text, "a.csv:1502:1 E_NUMBER column 'n' holds both decimal points and decimal commas");
}

#[test]
fn row_80_titles_and_totals() {
    let row = Row::new(80);
    let table = rows("shop,v,class", |i| format!("s{i},{},{}", i * 37 % 61, i % 2));
    let err = warned(&row, "a.csv", format!("{table}TOTAL,1830,\n"));
    assert!(err.contains("W_FRAME 1 line below the rows left out: 'TOTAL,1830,'"), "{err}");
    let err = warned(&row, "a.csv", format!("Report, monthly, 2024\nAuthor:,Bob,\n,,\n{table}"));
    assert!(err.contains("W_FRAME 3 lines above the header left out: 'Report, monthly, 2024'"), "{err}");
    // Strictly, every line belongs to the table.
    let folder = Folder::new();
    folder.write("a.csv", format!("Report, monthly, 2024\nby Finance\n\n{table}"));
    let run =
        row.refused(&folder, "inspect a.csv -q --strict", "a.csv:2:1 E_COLUMNS expected 3 fields, got 1");
    assert!(run.err.contains("  hint: "), "{}", run.err);
}

#[test]
fn row_81_tables_by_spaces() {
    let row = Row::new(81);
    let table = rows("n m   class", |i| format!("{:>7}   {i:<3} {} ", 7.5 * i as f64, ["a", "b"][i % 2]));
    let err = warned(&row, "a.txt", &table);
    assert!(err.contains("W_SPACES"), "{err}");
    let expected = "a.txt:62:1 E_COLUMNS expected 3 fields, got 2";
    row.hinted("a.txt", &format!("{table}1 2\n"), "", expected, "every row needs as many fields");
}

#[test]
fn row_82_damaged_archives() {
    let row = Row::new(82);
    let folder = Folder::new();
    let table = rows("a,b", |i| format!("{i},{}", i * 7 % 13));
    let packed = gz(table.as_bytes());
    let mut changed = packed.clone();
    changed[packed.len() - 6] ^= 0x10;
    let array = zip(&[("x.npy", &matrix(2, &[1.0, 2.0, 3.0, 4.0]))]);
    for (name, bytes, expected) in [
        ("cut.csv.gz", &packed[..packed.len() - 9], "cut.csv.gz E_TRUNCATED "),
        ("changed.csv.gz", &changed[..], "changed.csv.gz E_COMPRESSED "),
        ("cut.npz", &array[..array.len() / 2], "cut.npz E_TRUNCATED "),
    ] {
        folder.write(name, bytes);
        let run = row.refused(&folder, &format!("inspect {name} -q"), expected);
        assert!(run.err.contains("  hint: the file was not copied or downloaded completely"), "{}", run.err);
    }
}

#[test]
fn row_83_new_files_written_otherwise() {
    let row = Row::new(83);
    let folder = Folder::new();
    let line = |i: usize| {
        format!("{}/{}/2024,\"1.{},50\",{} kg,{}", 1 + i % 28, 1 + i % 12, 100 + i, 50 + i * 37 % 41, i % 2)
    };
    folder.write("train.csv", rows("when,price,w,class", line));
    folder.ok("fit train.csv -k standardize(rbf)@price,w+time@when -l svc -o m.mercer -q");
    let new = |name: &str, header: &str, lines: &str| folder.write(name, format!("{header}\n{lines}"));
    new("columns.csv", "when,cost,w", "3/4/2024,5,70 kg\n");
    new("words.csv", "when,price,w", "soon,\"1,50\",70 kg\n");
    new("orders.csv", "when,price,w", "12/31/2024,\"1,50\",70 kg\n31/12/2024,\"1,50\",70 kg\n");
    new("marks.csv", "when,price,w", "1/12/2024,\"1,5\",70 kg\n1/12/2024,\"2.5\",70 kg\n");
    for (name, expected) in [
        ("columns.csv", "columns.csv E_COLUMN column 'price': is not in the data"),
        ("words.csv", "words.csv:2:1 E_DATE 'soon' in column 'when' is not a date"),
        ("orders.csv", "orders.csv:2:1 E_DATE column 'when' holds dates of both orders"),
        ("marks.csv", "marks.csv:2:11 E_NUMBER column 'price' holds both decimal points and decimal commas"),
    ] {
        row.refused(&folder, &format!("predict m.mercer {name} -o p.csv -q"), expected);
    }
    // Another form is read as it is written, and said.
    new("other.csv", "when,price,w", "12/31/2024,\"1,234.50\",70 lb\n");
    row.tried();
    let err = folder.ok("predict m.mercer other.csv -q").err;
    for said in [
        "W_FORM when: read as dates with the month first, by '12/31/2024' in line 2; the data of the model has dates with the \
         day first",
        "the data of the model has numbers with decimal commas",
        "W_FORM w: read as amounts in lb; the data of the model has amounts in kg",
    ] {
        assert!(err.contains(said), "{err}");
    }
}

#[test]
fn row_84_strings_that_are_no_molecules() {
    let row = Row::new(84);
    let folder = Folder::new();
    let table = |smiles: &str| format!("smiles,y\nCCO,1\n\"{smiles}\",2\nCCN,3\nCCC,4\n");
    let gram = "gram a.csv --type smiles=molecules -k tanimoto(ecfp) -o K.npy -q";
    for (smiles, reason, caret) in [
        ("C1CC", "ring bond 1 is never closed, at character 2", "   ^"),
        ("c1ccccc", "ring bond 1 is never closed, at character 2", "   ^"),
        ("CC(C", "a ( without its ), at character 3", "    ^"),
        ("CC)C", "", ""),
        ("C[NH3+", "a [ without its ], at character 2", "   ^"),
        ("C[Xx]", "there is no element Xx, at character 3", "    ^"),
        ("C(C)(C)(C)(C)C", "", ""),
        ("c1cccc1", "", ""),
    ] {
        folder.write("a.csv", table(smiles));
        let expected = format!("a.csv E_MOLECULE row 2, column 'smiles': {reason}");
        let run = row.refused(&folder, gram, &expected);
        assert!(run.err.contains(&format!("  {smiles}\n")), "{}", run.err);
        assert!(caret.is_empty() || run.err.lines().any(|line| line == caret), "{}", run.err);
        assert!(run.err.contains("  hint: ") && run.err.contains("--skip-invalid"), "{}", run.err);
        row.tried();
        let left = folder.ok("inspect a.csv --target y --type smiles=molecules --skip-invalid -q");
        assert!(left.err.contains("W_INVALID 1 of 4 rows left out"), "{}", left.err);
    }
    // An empty cell is a missing molecule, which the kernel names.
    folder.write("a.csv", table(""));
    row.refused(&folder, gram, "a.csv E_MISSING object 2: no value in column 'smiles'");
    // Ten thousand atoms are a molecule; mixtures and copies in another notation are said.
    row.tried();
    folder.write("long.csv", format!("smiles,y\n{},1\nCCO,2\n", "C".repeat(10_000)));
    folder.ok("gram long.csv --type smiles=molecules -k tanimoto(ecfp) -q");
    row.tried();
    folder.write("b.csv", "smiles,y\nCCO,1\nOCC,2\n[Na+].CC(=O)[O-],3\nCCC,4\nCCCC,5\nCCCCC,6\n");
    let err = folder.ok("inspect b.csv --target y -q").err;
    assert!(err.contains("W_MIXTURES") && err.contains("W_DUPLICATES"), "{err}");
}
