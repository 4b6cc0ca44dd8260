//! Rows 71 to 75 and 88: spreadsheets, databases, JSON, Arrow files, bzip2 and xz.

use crate::make::zip;
use crate::run::{Folder, Run};
use crate::trust::Row;

/// A file of the corpus of the fuzzer.
fn corpus(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../fuzz/corpus/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// A workbook with this XML in its only sheet, S.
fn xlsx(rows: &str) -> Vec<u8> {
    let book = b"<workbook><sheets><sheet name=\"S\" id=\"a\"/></sheets></workbook>";
    let relations = b"<Relationships><Relationship Id=\"a\" Target=\"s.xml\"/></Relationships>";
    let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
    zip(&[
        ("[Content_Types].xml", b"<Types/>"),
        ("xl/workbook.xml", book),
        ("xl/_rels/workbook.xml.rels", relations),
        ("xl/s.xml", sheet.as_bytes()),
    ])
}

fn ods(rows: &str) -> Vec<u8> {
    let content = format!(
        "<d><office:spreadsheet><table:table table:name=\"S\">{rows}</table:table></office:spreadsheet></d>"
    );
    let kind = b"application/vnd.oasis.opendocument.spreadsheet";
    zip(&[("mimetype", kind), ("content.xml", content.as_bytes())])
}

#[test]
fn row_71_spreadsheets() {
    let row = Row::new(71);
    let good = xlsx("<row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c><c><v>5</v></c></row>");
    assert!(row.gram("a.xlsx", &good, "") == row.gram("a.csv", "1,2\n3,5\n", ""));
    // The content counts, not the name.
    assert!(row.gram("a.csv", &good, "") == row.gram("a.csv", "1,2\n3,5\n", ""));
    row.bad("a.xlsx", xlsx(&" ".repeat(60 << 20)), "a.xlsx E_RATIO ");
    let far: String =
        (1..3000).map(|i| format!("<row r=\"{i}\"><c r=\"XFD{i}\"><v>1</v></c></row>")).collect();
    row.bad("a.xlsx", xlsx(&format!("<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>{far}")), "E_MEMORY_PLAN ");
    row.bad("a.xlsx", xlsx("<row r=\"4000000000\"><c><v>1</v></c></row>"), "a.xlsx/xl/s.xml E_DIM_LIMIT ");
    let cell = "<table:table-cell office:value-type=\"float\" office:value=\"1\" table:number-columns-repeated=\"16384\"/>";
    let rows = format!("<table:table-row table:number-rows-repeated=\"1048576\">{cell}</table:table-row>");
    row.bad("a.ods", ods(&rows), "E_MEMORY_PLAN ");
    for cut in [20, 100, good.len() / 2, good.len() - 5] {
        row.bad("a.xlsx", &good[..cut], "a.xlsx E_");
    }
    row.bad("a.xlsx", xlsx("<row><c><v>1</row>"), "a.xlsx/xl/s.xml E_SYNTAX ");
    row.bad(
        "a.xlsx",
        "a,b\n1,2\n",
        "a.xlsx E_FORMAT named as a file of format xlsx, but this is text, which looks like csv",
    );
    let folder = Folder::new();
    folder.write("a.xlsx", &good);
    for args in ["a.xlsx --sheet Sheet1", "a.xlsx::Sheet1"] {
        let run = row.refused(&folder, &format!("gram {args} -k linear -o K.npy -q"), "a.xlsx E_SHEET ");
        assert!(run.err.contains("the sheets are 'S'"), "{}", run.err);
    }
    folder.write("b.csv", "a,b\n1,2\n");
    row.refused(&folder, "gram b.csv --sheet S -k linear -o K.npy -q", "b.csv E_USAGE ");
}

#[test]
fn row_72_databases() {
    let row = Row::new(72);
    let good = corpus("sqlite/table");
    let folder = Folder::new();
    folder.write("a.db", &good);
    for sql in [
        "DELETE FROM t",
        "DROP TABLE t",
        "SELECT 1 AS a; DROP TABLE t",
        "PRAGMA journal_mode = DELETE",
        "ATTACH 'b.db' AS b",
        "VACUUM INTO 'b.db'",
        "SELECT missing FROM t",
        "SELECT",
    ] {
        let run = Run::of(folder.command("gram a.db -k linear -o K.npy -q --query").arg(sql));
        row.tried();
        assert!(run.code == Some(2) && run.err.starts_with("a.db E_QUERY "), "{sql}: {}", run.err);
        assert!(std::fs::read(folder.path("a.db")).unwrap() == good && !folder.path("b.db").exists());
    }
    let run = row.refused(&folder, "gram a.db::u -k linear -o K.npy -q", "a.db E_SHEET ");
    assert!(run.err.contains("the tables are t"), "{}", run.err);
    let mut bad = good.clone();
    bad[100..].fill(0xA5);
    for bytes in [&good[..60], &good[..512], &bad] {
        row.bad("a.db", bytes, "a.db E_");
    }
    folder.write("a.db-wal", "x");
    row.refused(&folder, "gram a.db -k linear -o K.npy -q", "a.db E_CHANGED ");
}

#[test]
fn row_73_json() {
    let row = Row::new(73);
    assert!(row.gram("a.json", "[{\"a\": 1}, {\"a\": 2}]", "") == row.gram("a.csv", "a\n1\n2\n", ""));
    assert!(row.gram("a.csv", "{\"a\": 1}\n{\"a\": 2}\n", "") == row.gram("a.csv", "a\n1\n2\n", ""));
    row.bad("a.json", "{\"a\": 1}\n{\"a\": {\"b\": 1}}\n", "a.json:2:1 E_NESTED ");
    row.bad("a.json", "[{\"a\": [\"x\"]}]", "a.json:1:2 E_NESTED ");
    row.bad("a.json", "[[1, 2], [3, 4]]", "a.json:1:2 E_FORMAT ");
    row.bad("a.json", "{\"a\": [1, 2], \"b\": [3, 4]}", "a.json:1:1 E_FORMAT ");
    row.bad("a.json", "[{\"a\": 1},\n {\"a\": 2}", "a.json:2:9 E_TRUNCATED ");
    row.bad("a.json", "{\"a\": 1}\n{\"a\": 1 2}\n", "a.json:2:9 E_SYNTAX ");
    row.bad("a.json", "a,b\n1,2\n", "a.json:1:1 E_FORMAT ");
    row.bad("a.json", format!("[{}", "[".repeat(100_000)), "a.json");
    row.bad("a.json", "", "a.json E_EMPTY ");
}

#[test]
fn row_74_arrow() {
    let row = Row::new(74);
    let good = corpus("arrow/plain");
    row.gram("a.arrow", &good, "--ignore b,class --missing drop");
    for cut in [6, 20, good.len() / 2, good.len() - 1] {
        row.bad("a.arrow", &good[..cut], "a.arrow E_TRUNCATED ");
    }
    let mut footer = good.clone();
    let at = footer.len() - 10;
    footer[at..at + 4].copy_from_slice(&i32::MAX.to_le_bytes());
    row.bad("a.arrow", footer, "a.arrow E_TRUNCATED ");
    let mut body = good.clone();
    body[at - 200..at - 20].fill(0xFF);
    row.bad("a.arrow", body, "a.arrow E_ARROW ");
}

#[test]
fn row_75_bzip2_and_xz() {
    let row = Row::new(75);
    for ending in ["bz2", "xz"] {
        let name = format!("a.csv.{ending}");
        let good = corpus(&format!("packed/table.{ending}"));
        row.gram(&name, &good, "");
        for cut in [14, good.len() / 2, good.len() - 1] {
            row.bad(&name, &good[..cut], &format!("{name} E_TRUNCATED "));
        }
        let mut bad = good.clone();
        bad[good.len() / 2] ^= 0x40;
        row.bad(&name, bad, &format!("{name} E_COMPRESSED "));
        let bomb =
            std::fs::read(format!("{}/../mercer-read/src/unpack/zeros.{ending}", env!("CARGO_MANIFEST_DIR")));
        row.bad(&name, bomb.unwrap(), &format!("{name} E_RATIO "));
    }
}

#[test]
fn row_88_json_that_changes_its_shape() {
    let row = Row::new(88);
    for (content, expected) in [
        ("{\"s\": [1, 2]}\n{\"s\": 3}\n", "a.jsonl:2:1 E_NESTED a single value under the key 's'"),
        ("{\"s\": [1, 2]}\n{\"t\": 3}\n", "a.jsonl:2:1 E_NESTED no list of numbers under the key 's'"),
        ("{\"s\": 1}\n{\"s\": [3]}\n", "a.jsonl:1:1 E_NESTED a single value under the key 's'"),
        ("{\"a\": 1}\n[1]\n", "a.jsonl:2:1 E_FORMAT "),
        ("{\"a\": 1}\n3\n", "a.jsonl:2:1 E_FORMAT "),
        ("{\"a\": 1}\na,b\n", "a.jsonl:2:1 E_FORMAT "),
        ("{\"a\": 1}\n{\"a\": {\"b\": 1}}\n", "a.jsonl:2:1 E_NESTED an object under the key 'a'"),
        ("{\"a\": 1}\n{\"a\": 2, \"a\": 3}\n", "a.jsonl:2:1 E_HEADER the key 'a' occurs twice"),
        ("{\"a\": 1}\n{\"a\": \n{\"a\": 3}\n", "a.jsonl:"),
    ] {
        row.bad("a.jsonl", content, expected);
    }
    // Records with other keys each must not fill the memory.
    let keys: String = (0..40_000).map(|i| format!("{{\"k{i}\": 1}}\n")).collect();
    row.bad("a.jsonl", keys, "E_MEMORY_PLAN ");
    // A key that comes later is a column with missing values before.
    let later: String = (0..30)
        .map(|i| if i < 10 { format!("{{\"a\": {i}}}\n") } else { format!("{{\"b\": 5, \"a\": {i}}}\n") })
        .collect();
    let folder = Folder::new();
    folder.write("b.jsonl", later);
    row.tried();
    let seen = folder.ok("inspect b.jsonl --json").json();
    assert_eq!(seen["columns"][1]["missing"], 10, "{seen}");
    // New objects of another shape than those of the model.
    let lines = |of: &dyn Fn(usize) -> String| (0..20).map(|i| of(i) + "\n").collect::<String>();
    folder
        .write("t.jsonl", lines(&|i| format!("{{\"x\": {}, \"class\": \"{}\"}}", i % 7, ["a", "b"][i % 2])));
    folder.ok("fit t.jsonl -k linear -l svc -o m.mercer -q");
    for (content, expected) in [
        ("{\"x\": [1, 2]}\n", "new.jsonl"),
        ("{\"y\": 1}\n", "new.jsonl E_COLUMN column 'x': is not in the data"),
        ("{\"x\": {\"value\": 1}}\n", "new.jsonl:1:1 E_NESTED "),
    ] {
        folder.write("new.jsonl", content);
        row.refused(&folder, "predict m.mercer new.jsonl -o p.csv -q", expected);
    }
}
