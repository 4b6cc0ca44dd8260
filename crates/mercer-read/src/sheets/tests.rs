use std::io::{Cursor, Write};
use std::path::Path;

use super::*;
use crate::data::{Kind, Target, Values};
use crate::{Missing, read_bytes};

/// A zip archive of these members.
fn zipped(members: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

const RELATIONS: &str = r#"<Relationships>
    <Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="/xl/worksheets/other.xml"/>
    </Relationships>"#;
const STYLES: &str = r#"<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/></numFmts>
    <cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
    <cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="22"/></cellXfs></styleSheet>"#;
const STRINGS: &str =
    "<sst><si><t>age</t></si><si><r><t>cl</t></r><r><t xml:space=\"preserve\">ass</t></r></si>
    <si><t>a &amp; b_x000A_c</t><rPh><t>no</t></rPh></si></sst>";

/// A workbook with the sheets First (these rows), and Second.
fn workbook(rows: &str, more: &str) -> Vec<u8> {
    let sheet = format!("<worksheet><sheetData>{rows}</sheetData>{more}</worksheet>");
    zipped(&[
        ("[Content_Types].xml", "<Types/>"),
        (
            "xl/workbook.xml",
            r#"<workbook xmlns:r="r"><sheets><sheet name="First" sheetId="5" r:id="rId1"/>
               <sheet name="Second" sheetId="6" r:id="rId2"/></sheets></workbook>"#,
        ),
        ("xl/_rels/workbook.xml.rels", RELATIONS),
        ("xl/sharedStrings.xml", STRINGS),
        ("xl/styles.xml", STYLES),
        ("xl/worksheets/sheet1.xml", &sheet),
        (
            "xl/worksheets/other.xml",
            "<worksheet><sheetData><row><c t=\"str\"><v>x</v></c></row><row><c><v>7</v></c></row></sheetData></worksheet>",
        ),
    ])
}

fn read(bytes: &[u8], sheet: Option<&str>) -> Result<Dataset> {
    let options = Options { sheet: sheet.map(str::to_owned), ..Options::default() };
    read_bytes(Path::new("book.xlsx"), bytes, &options)
}

fn text(data: &Dataset, column: &str) -> Vec<Option<String>> {
    match &data.column(column).unwrap().values {
        Values::Strings(s) | Values::Text(s) => s.clone(),
        Values::Categories(c) => (0..c.len()).map(|i| c.get(i).map(str::to_owned)).collect(),
        other => panic!("{}", other.kind()),
    }
}

fn codes(data: &Dataset) -> Vec<&str> {
    data.warnings().iter().map(|w| w.code).collect()
}

#[test]
fn cells_of_every_kind() {
    let rows = r#"<row r="2"><c r="B2" t="s"><v>0</v></c><c r="C2" t="inlineStr"><is><t>day</t></is></c>
        <c r="D2" t="str"><v>note</v></c><c r="E2" t="inlineStr"><is><t>ok</t></is></c><c r="F2" t="s"><v>1</v></c></row>
        <row r="3"><c r="B3"><v>30.5</v></c><c r="C3" s="1"><v>45292</v></c><c r="D3" t="s"><v>2</v></c>
        <c r="E3" t="b"><v>1</v></c><c r="F3" t="str"><f>"p"</f><v>p</v></c></row>
        <row r="5"><c r="B5" t="e"><v>#DIV/0!</v></c><c r="C5" s="2"><v>45292.5</v></c><c r="E5" t="b"><v>0</v></c>
        <c r="F5" t="str"><v>n</v></c></row>"#;
    let data = read(&workbook(rows, "<mergeCells><mergeCell ref=\"B7:B8\"/></mergeCells>"), None).unwrap();
    assert_eq!(data.len(), 2);
    let Values::Numbers(age) = &data.column("age").unwrap().values else { panic!() };
    assert!(age.at(0, 0) == 30.5 && age.at(1, 0).is_nan());
    assert_eq!(data.column("ok").unwrap().values.kind(), Kind::Numbers);
    assert_eq!(text(&data, "note")[0].as_deref(), Some("a & b\nc"));
    assert!(matches!(data.target(), Some(Target::Classes(c)) if c.get(1) == Some("n")));
    assert_eq!(codes(&data), ["W_SHEETS", "W_SHEET_ERRORS", "W_MERGED"]);
    assert!(data.warnings()[1].message.contains("B5"), "{}", data.warnings()[1].message);
    // Dates are text in ISO form, whatever a table makes of it.
    let mut options = Options { sheet: Some("First".into()), ..Options::default() };
    options.kinds.insert("day".into(), Kind::Strings);
    let data = read_bytes(Path::new("a"), &workbook(rows, ""), &options).unwrap();
    assert_eq!(text(&data, "day"), [Some("2024-01-01".into()), Some("2024-01-01T12:00:00".into())]);
}

#[test]
fn sheets_are_chosen_by_name() {
    let rows = "<row><c t=\"str\"><v>a</v></c></row><row><c><v>1</v></c></row>";
    let book = workbook(rows, "");
    assert_eq!(read(&book, Some("Second")).unwrap().columns()[0].name, "x");
    let error = read(&book, Some("Secund")).unwrap_err();
    assert_eq!(error.code(), Code::Sheet);
    assert!(error.to_string().contains("Second") && error.hint().unwrap().contains("First"), "{error}");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("b.xlsx");
    std::fs::write(&path, &book).unwrap();
    let inside = format!("{}::Second", path.display());
    assert_eq!(crate::read(Path::new(&inside), &Options::default()).unwrap().len(), 1);
    assert_eq!(crate::format_of(Path::new(&inside), &Options::default()).unwrap(), Format::Xlsx);
    let both = Options { sheet: Some("First".into()), ..Options::default() };
    assert_eq!(crate::read(Path::new(&inside), &both).unwrap_err().code(), Code::Usage);
    assert_eq!(read_bytes(Path::new("a.csv"), b"a\n1\n", &both).unwrap_err().code(), Code::Usage);
}

#[test]
fn titles_blank_rows_and_far_tables() {
    let rows = r#"<row r="1"><c r="C1" t="str"><v>Report</v></c></row>
        <row r="4"><c r="C4" t="str"><v>a</v></c><c r="D4" t="str"><v>b</v></c><c r="E4" t="str"><v>class</v></c></row>
        <row r="5"/><row r="6"><c r="C6"><v>1</v></c><c r="D6"><v>2</v></c><c r="E6" t="str"><v>x</v></c></row>
        <row r="9"><c r="C9"><v>1</v></c><c r="D9"/></row>"#;
    let data = read(&workbook(rows, ""), Some("First")).unwrap();
    let said: Vec<String> = data.warnings().iter().map(ToString::to_string).collect();
    assert_eq!((data.len(), data.unlabelled().map(Dataset::len)), (1, Some(1)), "{said:?}");
    let options = Options { missing: Some(Missing::Drop), ..Options::default() };
    let data = read_bytes(Path::new("b.xlsx"), &workbook(rows, ""), &options).unwrap();
    assert_eq!((data.len(), data.columns().len()), (1, 2));
    assert!(codes(&data).contains(&"W_TITLE"));
}

#[test]
fn damaged_workbooks() {
    let good = workbook("<row><c><v>1</v></c></row>", "");
    for cut in [30, good.len() / 2, good.len() - 10] {
        let error = read(&good[..cut], None).unwrap_err();
        assert!(matches!(error.code(), Code::Truncated | Code::Compressed), "{cut}: {error}");
    }
    for (rows, code) in [
        ("<row><c t=\"s\"><v>99</v></c></row>", Code::Syntax),
        ("<row><c r=\"1A\"><v>1</v></c></row>", Code::Syntax),
        ("<row r=\"99999999\"><c><v>1</v></c></row>", Code::DimLimit),
        ("<row><c r=\"AAAA1\"><v>1</v></c></row>", Code::DimLimit),
        ("<row><c><v>1</c></row>", Code::Syntax),
        ("<row><c><v>&x;</v></c></row>", Code::Syntax),
        ("", Code::Empty),
    ] {
        let error = read(&workbook(rows, ""), None).unwrap_err();
        assert_eq!(error.code(), code, "{rows}: {error}");
    }
    let empty = zipped(&[("xl/workbook.xml", "<workbook/>"), ("xl/_rels/workbook.xml.rels", RELATIONS)]);
    assert_eq!(read(&empty, None).unwrap_err().code(), Code::Empty);
}

#[test]
fn bombs_are_refused() {
    // A member that expands a thousand times.
    let blank = " ".repeat(40 << 20);
    assert_eq!(read(&workbook(&blank, ""), None).unwrap_err().code(), Code::Ratio);
    // Two cells at opposite corners, in many rows.
    let far: String =
        (1..3000).map(|i| format!("<row r=\"{i}\"><c r=\"XFD{i}\"><v>1</v></c></row>")).collect();
    let far = format!("<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>{far}");
    assert_eq!(read(&workbook(&far, ""), None).unwrap_err().code(), Code::MemoryPlan);
}

fn ods(tables: &str) -> Vec<u8> {
    let content = format!(
        "<office:document-content><office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body>\
         </office:document-content>"
    );
    zipped(&[("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", &content)])
}

#[test]
fn opendocument() {
    let cell = |kind: &str, value: &str, shown: &str| {
        format!(
            "<table:table-cell office:value-type=\"{kind}\" {value}><text:p>{shown}</text:p></table:table-cell>"
        )
    };
    let blank = "<table:table-cell table:number-columns-repeated=\"1020\"/>";
    let head = ["n", "day", "ok", "note", "class"].map(|name| cell("string", "", name)).concat();
    let one = [
        cell("float", "office:value=\"1.5\"", "1,5"),
        cell("date", "office:date-value=\"2024-01-31\"", "31.01.24"),
        cell("boolean", "office:boolean-value=\"true\"", "WAHR"),
        cell("string", "", "two<text:s text:c=\"2\"/>spaces</text:p><text:p>and a line"),
        cell("string", "", "p"),
    ]
    .concat();
    let two = [
        cell("string", "calcext:value-type=\"error\"", "#DIV/0!"),
        cell("time", "office:time-value=\"PT06H30M00S\"", "06:30"),
        "<table:table-cell table:number-columns-spanned=\"2\" office:value-type=\"boolean\" office:boolean-value=\"false\"/>"
            .to_owned(),
        "<table:covered-table-cell/>".to_owned(),
        cell("string", "", "q"),
    ]
    .concat();
    let row = |cells: &str, more: &str| format!("<table:table-row {more}>{cells}{blank}</table:table-row>");
    let table = format!(
        "<table:table table:name=\"S\"><table:table-column/><table:table-header-rows>{}</table:table-header-rows>{}{}{}\
         </table:table><table:table table:name=\"T\"/>",
        row(&head, ""),
        row(&one, "table:number-rows-repeated=\"2\""),
        row(&two, ""),
        row("", "table:number-rows-repeated=\"1048000\""),
    );
    let mut options = Options::default();
    options.kinds.insert("day".into(), Kind::Strings);
    options.kinds.insert("note".into(), Kind::Strings);
    let data = read_bytes(Path::new("a.ods"), &ods(&table), &options).unwrap();
    assert_eq!(data.len(), 3);
    let Values::Numbers(n) = &data.column("n").unwrap().values else { panic!() };
    assert!(n.at(0, 0) == 1.5 && n.at(1, 0) == 1.5 && n.at(2, 0).is_nan());
    assert_eq!(
        text(&data, "day"),
        [Some("2024-01-31".into()), Some("2024-01-31".into()), Some("06:30:00".into())]
    );
    assert_eq!(text(&data, "note")[0].as_deref(), Some("two  spaces\nand a line"));
    assert_eq!(codes(&data), ["W_SHEETS", "W_SHEET_ERRORS", "W_MERGED"]);
    // A column that is not here may be on another sheet.
    options.target = Some("price".into());
    let hint = read_bytes(Path::new("a.ods"), &ods(&table), &options).unwrap_err().hint().unwrap();
    assert!(hint.contains("the others are 'T': choose one with `sheet`; the columns are"), "{hint}");
    let options = Options { sheet: Some("U".into()), ..Options::default() };
    let error = read_bytes(Path::new("a"), &ods(&table), &options).unwrap_err();
    assert!(error.code() == Code::Sheet && error.hint().unwrap().contains('T'), "{error}");
    let options = Options { sheet: Some("T".into()), ..Options::default() };
    assert_eq!(read_bytes(Path::new("a"), &ods(&table), &options).unwrap_err().code(), Code::Empty);
}

#[test]
fn opendocument_bombs() {
    let cell =
        |more: &str| format!("<table:table-cell office:value-type=\"float\" office:value=\"1\" {more}/>");
    let bomb = |row: &str, cells: &str| {
        let table = format!(
            "<table:table table:name=\"S\"><table:table-row {row}>{cells}</table:table-row></table:table>"
        );
        read_bytes(Path::new("a.ods"), &ods(&table), &Options::default()).unwrap_err().code()
    };
    let wide = cell("table:number-columns-repeated=\"16384\"");
    assert_eq!(bomb("table:number-rows-repeated=\"1048576\"", &wide), Code::MemoryPlan);
    assert_eq!(bomb("table:number-rows-repeated=\"9999999999\"", &cell("")), Code::DimLimit);
    assert_eq!(bomb("", &cell("table:number-columns-repeated=\"99999999999999999999\"")), Code::Syntax);
    assert_eq!(bomb("", &cell("table:number-columns-repeated=\"18446744073709551615\"")), Code::DimLimit);
    let long = "x".repeat(1 << 20);
    let long = format!(
        "<table:table-cell table:number-columns-repeated=\"16000\"><text:p>{long}</text:p></table:table-cell>"
    );
    assert_eq!(bomb("", &long), Code::MemoryPlan);
}

/// Files of other programs: `visits.xlsx` by openpyxl 3.1, `visits.ods` by pandas 3.0 with odfpy 1.4, both with the rows
/// below and a second sheet.
#[test]
fn files_of_other_programs() {
    let csv = "age,day,seen,town,ok,class\n30.5,2024-01-31,2024-01-31T06:30:00,Ulm,true,a\n\
               41,2023-12-01,2023-12-01,\"Bonn, old\",false,b\n,2022-02-28,2022-02-28T23:59:59,Ulm,true,a\n\
               7,2000-02-29,2000-02-29T12:00:00,Köln,false,b\n";
    let mut options = Options::default();
    options.kinds.extend(["day", "seen"].map(|c| (c.to_owned(), Kind::Strings)));
    let expected = read_bytes(Path::new("a.csv"), csv.as_bytes(), &options).unwrap();
    let xlsx = include_bytes!("made/visits.xlsx");
    let data = read_bytes(Path::new("visits.xlsx"), xlsx, &options).unwrap();
    // NaN is not equal to itself.
    let shown = |data: &Dataset| format!("{:?}", data.columns());
    assert_eq!(shown(&data), shown(&expected));
    assert_eq!(data.target(), expected.target());
    let ods = include_bytes!("made/visits.ods");
    let data = read_bytes(Path::new("visits.ods"), ods, &options).unwrap();
    assert_eq!(data.target(), expected.target());
    for column in ["age", "day", "town", "ok"] {
        let shown = |data: &Dataset| format!("{:?}", data.column(column).unwrap());
        assert_eq!(shown(&data), shown(&expected));
    }
    for (name, bytes) in [("a.xlsx", xlsx.as_slice()), ("a.ods", ods.as_slice())] {
        let options = Options { sheet: Some("Doses".into()), ..Options::default() };
        let data = read_bytes(Path::new(name), bytes, &options).unwrap();
        let Values::Numbers(mg) = &data.column("mg").unwrap().values else { panic!() };
        assert_eq!(mg.values(), [5.0, 7.25]);
    }
}

#[test]
fn formulas_without_a_value_are_said() {
    let rows = r#"<row r="1"><c r="A1" t="str"><v>a</v></c><c r="B1" t="str"><v>b</v></c><c r="C1" t="str"><v>class</v></c></row>
        <row r="2"><c r="A2"><v>1</v></c><c r="B2"><f>A2*2</f></c><c r="C2" t="str"><v>p</v></c></row>
        <row r="3"><c r="A3"><v>2</v></c><c r="B3"><f>A3*2</f><v></v></c><c r="C3" t="str"><f>"q"</f><v>q</v></c></row>"#;
    let data = read(&workbook(rows, ""), Some("First")).unwrap();
    assert_eq!((data.column("b").unwrap().missing(), codes(&data)), (2, vec!["W_FORMULAS"]));
    assert!(
        data.warnings()[0].message.starts_with("2 cells have a formula without a stored value, B2 first")
    );
    // An empty text is a value.
    let rows = rows.replace("<c r=\"B2\"><f>A2*2</f></c>", "<c r=\"B2\" t=\"str\"><f>x</f><v></v></c>");
    assert!(
        read(&workbook(&rows, ""), Some("First")).unwrap().warnings()[0].message.starts_with("1 cell has")
    );
}
