//! Reading takes time and memory proportional to the file: measured at three sizes, for every format and for shapes of
//! files that once took quadratic time.

use std::fmt::Write as _;
use std::io::{Cursor, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mercer::Code;
use mercer::budget::Budget;
use mercer::data::Dataset;
use mercer::read::{Format, Gaps, Layout, Options, SeriesOptions, npy_header, read};
use parquet::data_type::DoubleType;
use parquet::file::writer::SerializedFileWriter;

/// The sizes, as multiples of the smallest.
const SIZES: [usize; 3] = [1, 4, 16];
/// The approximate size of the smallest file in bytes.
const BASE: usize = 48 << 10;
/// Time that grows at most as size to this power counts as linear.
const EXPONENT: f64 = 1.3;
/// Times below this are too short to measure growth.
const FLOOR: Duration = Duration::from_millis(64);
/// Memory that a reader may use besides that per byte of its file.
const FREE: u64 = 64 << 20;
/// Memory that a reader may use per byte of its decompressed file.
const PER_BYTE: u64 = 250;

/// A shape of files in a format: its name, and a function that writes files of about a given size and returns the path.
struct Shape {
    name: &'static str,
    options: Options,
    /// Whether reading must succeed; others may be refused, as fast as they would be read.
    good: bool,
    make: fn(&Path, usize) -> PathBuf,
}

fn shape(name: &'static str, make: fn(&Path, usize) -> PathBuf) -> Shape {
    Shape { name, options: Options::default(), good: true, make }
}

impl Shape {
    fn with(self, options: Options) -> Self {
        Shape { options, ..self }
    }

    fn may_be_refused(self) -> Self {
        Shape { good: false, ..self }
    }
}

fn put(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

/// Numbered lines of text.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(|i| line(i) + "\n").collect()
}

fn table(rows: usize, columns: usize, between: &str) -> String {
    let row = |cell: &dyn Fn(usize) -> String| (0..columns).map(cell).collect::<Vec<_>>().join(between);
    row(&|j| format!("c{j}")) + "\n" + &lines(rows, |i| row(&|j| ((i * 7 + j * 3) % 100).to_string()))
}

fn npy(rows: usize, cols: usize) -> Vec<u8> {
    let mut out = npy_header(rows as u64, cols as u64, "<f8");
    out.extend((0..rows * cols).flat_map(|i| (i as f64).to_le_bytes()));
    out
}

fn parquet_file(rows: usize, columns: usize) -> Vec<u8> {
    let fields: String = (0..columns).map(|j| format!("required double c{j};")).collect();
    let schema = parquet::schema::parser::parse_message_type(&format!("message m {{ {fields} }}")).unwrap();
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let values: Vec<f64> = (0..rows).map(|i| i as f64 * 0.37).collect();
    for _ in 0..columns {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&values, None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.into_inner().unwrap()
}

/// A zip archive of these members.
fn zipped(members: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in members {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(content.as_bytes()).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// A workbook with one sheet of numbers.
fn xlsx(rows: usize, columns: usize) -> Vec<u8> {
    let row = |i: usize| {
        let cells: String =
            (0..columns).map(|j| format!("<c><v>{}</v></c>", (i * 7919 + j * 31) % 1009)).collect();
        format!("<row>{cells}</row>")
    };
    let sheet: String = (0..rows).map(row).collect();
    zipped(&[
        ("xl/workbook.xml", "<workbook><sheets><sheet name=\"S\" id=\"a\"/></sheets></workbook>"),
        (
            "xl/_rels/workbook.xml.rels",
            "<Relationships><Relationship Id=\"a\" Target=\"s.xml\"/></Relationships>",
        ),
        ("xl/s.xml", &format!("<worksheet><sheetData>{sheet}</sheetData></worksheet>")),
    ])
}

/// A spreadsheet with one sheet of numbers.
fn ods(rows: usize, columns: usize) -> Vec<u8> {
    let row = |i: usize| {
        let cell = |j: usize| {
            let value = (i * 7919 + j * 31) % 1009;
            format!("<table:table-cell office:value-type=\"float\" office:value=\"{value}\"/>")
        };
        format!("<table:table-row>{}</table:table-row>", (0..columns).map(cell).collect::<String>())
    };
    let sheet: String = (0..rows).map(row).collect();
    let content =
        format!("<d><office:spreadsheet><table:table>{sheet}</table:table></office:spreadsheet></d>");
    zipped(&[("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", &content)])
}

fn arrow_file(rows: usize, columns: usize) -> Vec<u8> {
    use arrow_array::{ArrayRef, Float64Array, RecordBatch};
    let column = |j: usize| -> (String, ArrayRef) {
        let values: Float64Array = (0..rows).map(|i| Some((i * columns + j) as f64 * 0.37)).collect();
        (format!("c{j}"), Arc::new(values))
    };
    let batch = RecordBatch::try_from_iter((0..columns).map(column)).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

fn sqlite_file(path: &Path, rows: usize, columns: usize) {
    let names = (0..columns).map(|j| format!("c{j}")).collect::<Vec<_>>().join(", ");
    let mut database = rusqlite::Connection::open(path).unwrap();
    let change = database.transaction().unwrap();
    change.execute(&format!("CREATE TABLE t({names})"), []).unwrap();
    for i in 0..rows {
        let values = (0..columns).map(|j| (i * 7 + j * 3).to_string()).collect::<Vec<_>>().join(", ");
        change.execute(&format!("INSERT INTO t VALUES ({values})"), []).unwrap();
    }
    change.commit().unwrap();
    database.close().unwrap();
}

fn gml(count: usize, extra: impl Fn(usize) -> String) -> String {
    lines(count, |i| {
        format!(
            "graph [ {} node [ id 1 label \"a\" ] node [ id 2 label \"b\" ] edge [ source 1 target 2 ] ]",
            extra(i)
        )
    })
}

fn molecule(fields: &str) -> String {
    let atom = "    0.0000    0.0000    0.0000 C   0  0\n";
    format!(
        "m\n\n\n  2  1  0     0  0            999 V2000\n{atom}{atom}  1  2  1  0\nM  END\n{fields}$$$$\n"
    )
}

fn tu(folder: &Path, graphs: usize, attributes: &str) -> PathBuf {
    put(folder, "t_graph_indicator.txt", lines(2 * graphs, |i| (i / 2 + 1).to_string()));
    put(folder, "t_graph_labels.txt", lines(graphs, |i| (i % 2).to_string()));
    put(folder, "t_node_labels.txt", lines(2 * graphs, |i| (i % 7).to_string()));
    if !attributes.is_empty() {
        put(folder, "t_graph_attributes.txt", attributes);
    }
    put(folder, "t_A.txt", lines(graphs, |i| format!("{}, {}", 2 * i + 1, 2 * i + 2)))
}

fn sparse_arff(attributes: usize, kind: &str, rows: usize) -> String {
    let head = lines(attributes, |j| format!("@attribute a{j} {kind}"));
    format!("@relation r\n{head}@data\n{}", lines(rows, |_| "{0 1}".into()))
}

fn graphml(keys: usize, nodes: usize) -> String {
    let mut text = "<graphml>".to_owned();
    for k in 0..keys {
        let _ = write!(text, "<key id=\"d{k}\" for=\"node\" attr.name=\"n{k}\"><default>1</default></key>");
    }
    text += "<graph edgedefault=\"undirected\">";
    (0..nodes).for_each(|i| text += &format!("<node id=\"{i}\"/>"));
    text + "</graph></graphml>"
}

fn long() -> Options {
    let series = SeriesOptions { layout: Some(Layout::Long), ..SeriesOptions::default() };
    Options { series, ..Options::default() }
}

/// The shapes of files in a format. A format without shapes fails the test.
fn shapes(format: Format) -> Vec<Shape> {
    match format {
        Format::Csv => vec![
            shape("rows", |f, n| put(f, "a.csv", table(n / 12, 4, ","))),
            shape("columns", |f, n| put(f, "a.csv", table(8, n / 30, ","))),
            shape("names", |f, n| {
                put(f, "a.csv", "a,b\n".to_owned() + &lines(n / 12, |i| format!("w{i},v{i}")))
            }),
            shape("an error at the end, compressed", |f, n| {
                let text = table(n / 3, 4, ",") + "1,2\n";
                let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                packed.write_all(text.as_bytes()).unwrap();
                put(f, "a.csv.gz", packed.finish().unwrap())
            })
            .may_be_refused(),
            shape("long, a channel for each series", |f, n| {
                let text = lines(n / 14, |i| format!("s{i},1,c{i},2"));
                put(f, "a.csv", "id,time,channel,value\n".to_owned() + &text)
            })
            .with(long())
            .may_be_refused(),
            shape("long", |f, n| {
                let text = lines(n / 14, |i| format!("s{},{i},2", i % 50));
                put(f, "a.csv", "id,time,value\n".to_owned() + &text)
            })
            .with(long()),
            shape("wide series with gaps", |f, n| {
                let text = lines(n / 10, |i| if i % 2 == 0 { "1,,3,4".into() } else { "1,2,3,4".into() });
                put(f, "a.csv", "a,b,c,d\n".to_owned() + &text)
            })
            .with(Options {
                series: SeriesOptions {
                    layout: Some(Layout::Wide),
                    gaps: Some(Gaps::Zero),
                    ..SeriesOptions::default()
                },
                ..Options::default()
            }),
        ],
        Format::Tsv => vec![shape("rows", |f, n| put(f, "a.tsv", table(n / 12, 4, "\t")))],
        Format::Libsvm => vec![
            shape("rows", |f, n| {
                put(f, "a.svm", lines(n / 14, |i| format!("{} 1:2 {}:1", i % 2, i % 90 + 2)))
            }),
            shape("a feature for each", |f, n| {
                put(f, "a.svm", lines(n / 14, |i| format!("{} {}:1", i % 2, i + 1)))
            }),
        ],
        Format::Arff => vec![
            shape("rows", |f, n| {
                let head = "@relation r\n@attribute a real\n@attribute b real\n@data\n".to_owned();
                put(f, "a.arff", head + &lines(n / 5, |i| format!("{},{}", i % 10, i % 7)))
            }),
            shape("sparse numbers", |f, n| put(f, "a.arff", sparse_arff(n / 40, "real", n / 12))),
            shape("sparse names", |f, n| put(f, "a.arff", sparse_arff(n / 40, "{0,1}", n / 12)))
                .may_be_refused(),
        ],
        Format::Npy => vec![shape("rows", |f, n| put(f, "a.npy", npy(n / 32, 4)))],
        Format::Npz => vec![shape("members", |f, n| {
            let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
            for i in 0..n / 400 {
                let options = zip::write::SimpleFileOptions::default();
                writer.start_file(format!("m{i}.npy"), options).unwrap();
                writer.write_all(&npy(8, 1)).unwrap();
            }
            put(f, "a.npz", writer.finish().unwrap().into_inner())
        })],
        Format::Parquet => vec![
            shape("rows", |f, n| put(f, "a.parquet", parquet_file(n / 8, 2))),
            shape("columns", |f, n| put(f, "a.parquet", parquet_file(2, n / 400))),
        ],
        Format::Xlsx => vec![
            shape("rows", |f, n| put(f, "a.xlsx", xlsx(n / 90, 4))),
            shape("columns", |f, n| put(f, "a.xlsx", xlsx(4, (n / 90).min(16_000)))),
            shape("far cells", |f, n| {
                let far: String = (1..n / 40)
                    .map(|i| format!("<row r=\"{i}\"><c r=\"XFD{i}\"><v>1</v></c></row>"))
                    .collect();
                let first = "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>";
                let book = "<workbook><sheets><sheet name=\"S\" id=\"a\"/></sheets></workbook>";
                let relation = "<Relationships><Relationship Id=\"a\" Target=\"s.xml\"/></Relationships>";
                let sheet = format!("<worksheet><sheetData>{first}{far}</sheetData></worksheet>");
                let members = [
                    ("xl/workbook.xml", book),
                    ("xl/_rels/workbook.xml.rels", relation),
                    ("xl/s.xml", &sheet),
                ];
                put(f, "a.xlsx", zipped(&members))
            })
            .may_be_refused(),
        ],
        Format::Ods => vec![
            shape("rows", |f, n| put(f, "a.ods", ods(n / 300, 4))),
            shape("columns", |f, n| put(f, "a.ods", ods(4, (n / 300).min(16_000)))),
        ],
        Format::Json => vec![
            shape("lines", |f, n| {
                put(f, "a.jsonl", lines(n / 30, |i| format!("{{\"a\": {i}, \"b\": \"x{}\"}}", i % 7)))
            }),
            shape("array", |f, n| {
                let records = (0..n / 30).map(|i| format!("{{\"a\": {i}, \"b\": {}}}", i % 7));
                put(f, "a.json", format!("[{}]", records.collect::<Vec<_>>().join(",\n")))
            }),
            shape("columns", |f, n| {
                let keys = (0..n / 60).map(|j| format!("\"c{j}\": {j}")).collect::<Vec<_>>().join(", ");
                put(f, "a.jsonl", lines(4, |_| format!("{{{keys}}}")))
            }),
            shape("lists", |f, n| {
                let list = (0..50).map(|j| j.to_string()).collect::<Vec<_>>().join(", ");
                put(f, "a.jsonl", lines(n / 200, |_| format!("{{\"s\": [{list}]}}")))
            }),
            shape("other keys in every record", |f, n| {
                put(f, "a.jsonl", lines(n / 16, |i| format!("{{\"k{i}\": {i}}}")))
            })
            .may_be_refused(),
        ],
        Format::Arrow => vec![
            shape("rows", |f, n| put(f, "a.arrow", arrow_file(n / 32, 4))),
            shape("columns", |f, n| put(f, "a.arrow", arrow_file(4, n / 300))),
        ],
        Format::Sqlite => vec![
            shape("rows", |f, n| {
                sqlite_file(&f.join("a.sqlite"), n / 20, 4);
                f.join("a.sqlite")
            }),
            shape("columns", |f, n| {
                sqlite_file(&f.join("a.sqlite"), n / 4000, 1000);
                f.join("a.sqlite")
            }),
        ],
        Format::Tu => vec![
            shape("graphs", |f, n| tu(f, n / 30, "")),
            shape("attributes", |f, n| tu(f, 4, &lines(4, |_| vec!["1"; n / 8].join(",")))),
        ],
        Format::Gml => vec![
            shape("graphs", |f, n| put(f, "a.gml", gml(n / 90, |_| String::new()))),
            shape("a key for each graph", |f, n| put(f, "a.gml", gml(n / 90, |i| format!("k{i} {i}")))),
            shape("target in any case", |f, n| {
                let cases = ["class", "Class", "CLASS", "cLASS", "target", "TARGET", "label", "Label"];
                put(f, "a.gml", gml(n / 90, move |i| format!("{} {}", cases[i % 8], i % 3)))
            })
            .may_be_refused(),
        ],
        Format::Graphml => vec![
            shape("nodes", |f, n| put(f, "a.graphml", graphml(1, n / 20))),
            shape("keys with defaults", |f, n| put(f, "a.graphml", graphml(n / 150, n / 40))),
            shape("keys between graphs", |f, n| {
                let one = |i: usize| {
                    format!(
                        "<key id=\"d{i}\" attr.name=\"n{i}\"><default>1</default></key><graph><node id=\"1\"/></graph>"
                    )
                };
                let text: String = (0..n / 100).map(one).collect();
                put(f, "a.graphml", format!("<graphml>{text}</graphml>"))
            }),
        ],
        Format::Edges => vec![
            shape("rows", |f, n| {
                let text = lines(n / 12, |i| format!("g{},{i},{}", i % 60, i + 1));
                put(f, "edges.csv", "graph,source,target\n".to_owned() + &text)
            }),
            shape("columns", |f, n| {
                let more: String = (0..n / 20).map(|j| format!(",c{j}")).collect();
                let cells = ",1".repeat(n / 20);
                put(f, "edges.csv", format!("graph,source,target{more}\ng,1,2{cells}\ng,2,3{cells}\n"))
            }),
        ],
        Format::Sdf => vec![
            shape("molecules", |f, n| {
                put(f, "a.sdf", (0..n / 140).map(|_| molecule("")).collect::<String>())
            }),
            shape("a field for each", |f, n| {
                let one = |i: usize| molecule(&format!("> <k{i}>\n{i}\n\n"));
                put(f, "a.sdf", (0..n / 160).map(one).collect::<String>())
            }),
        ],
        Format::Folder => vec![shape("files", |f, n| {
            (0..n / 400).for_each(|i| drop(put(f, &format!("g{i}.gml"), gml(4, |j| format!("k{i}x{j} 1")))));
            f.to_owned()
        })],
        Format::Ts => vec![
            shape("series", |f, n| {
                let head = "@problemName p\n@univariate true\n@classLabel true a b\n@data\n".to_owned();
                put(f, "a.ts", head + &lines(n / 10, |i| format!("1,2,3,4:{}", ["a", "b"][i % 2])))
            }),
            shape("a class for each", |f, n| {
                let classes: String = (0..n / 20).map(|i| format!(" c{i}")).collect();
                let head = format!("@problemName p\n@univariate true\n@classLabel true{classes}\n@data\n");
                put(f, "a.ts", head + &lines(n / 20, |i| format!("1,2,3:c{i}")))
            }),
        ],
        Format::Ucr => {
            vec![shape("series", |f, n| {
                put(f, "a_TRAIN.tsv", lines(n / 8, |i| format!("{}\t1\t2\t3", i % 3)))
            })]
        }
        Format::Smiles => {
            vec![shape("molecules", |f, n| put(f, "a.smi", lines(n / 16, |i| format!("CCOC(=O)C m{i}"))))]
        }
        Format::Fasta => {
            vec![shape("sequences", |f, n| put(f, "a.fasta", lines(n / 16, |i| format!(">s{i}\nACGTACGT"))))]
        }
        Format::Fastq => {
            vec![shape("sequences", |f, n| {
                put(f, "a.fastq", lines(n / 20, |i| format!("@s{i}\nACGT\n+\nIIII")))
            })]
        }
        Format::Manifest => vec![shape("columns", |f, n| {
            put(f, "a.csv", table(4, n / 40, ",").replace("c0,", "id,"));
            put(f, "b.csv", table(4, n / 40, ",").replace("c0,", "id,"));
            let text = "[[file]]\npath = \"a.csv\"\nid = \"id\"\n[[file]]\npath = \"b.csv\"\nid = \"id\"\nname = \"b\"\n";
            put(f, "all.toml", text)
        })],
        Format::Images => vec![shape("files", |f, n| {
            let image = image::GrayImage::from_pixel(8, 8, image::Luma([7]));
            let mut bytes = Cursor::new(Vec::new());
            image.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
            (0..n / 800).for_each(|i| drop(put(f, &format!("i{i}.png"), bytes.get_ref())));
            f.to_owned()
        })],
        other => panic!("no test files for the reader of {other}"),
    }
}

/// The CPU time of this thread, where the system provides it; otherwise the elapsed time.
fn worked() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let known = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let known = known.and_then(|text| text.split(' ').next()?.parse().ok());
    known.map_or_else(|| START.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
}

fn size(path: &Path) -> u64 {
    match path.is_dir() {
        true => std::fs::read_dir(path).unwrap().map(|e| size(&e.unwrap().path())).sum(),
        false => path.metadata().unwrap().len(),
    }
}

/// The shorter time of two runs under a memory limit per byte, and the result.
fn measured(shape: &Shape, multiple: usize, base: usize) -> (Duration, mercer::Result<Dataset>) {
    let folder = tempfile::tempdir().unwrap();
    let path = (shape.make)(folder.path(), base * multiple);
    // Compressed files count by their decompressed size; only text is compressed.
    let bytes = size(folder.path()).max((base * multiple) as u64);
    let budget = Budget::default().with_memory(FREE + PER_BYTE * bytes);
    let run = || {
        let before = worked();
        let found = budget.enter(|| read(&path, &shape.options));
        (worked() - before, found)
    };
    let (first, found) = run();
    (first.min(run().0), found)
}

#[test]
fn reading_takes_time_and_memory_proportional_to_the_file() {
    // One thread, so that its time is the total.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let mut slow = Vec::new();
    for format in Format::ALL {
        for shape in shapes(format) {
            let times = pool.install(|| SIZES.map(|multiple| measured(&shape, multiple, BASE)));
            for (_, found) in &times {
                let Err(error) = found else { continue };
                assert!(!shape.good, "{format}, {}: {error}", shape.name);
                // Refusal by a limit of the reader is fine, exhausting the budget is not.
                let spent = error.code() == Code::MemoryPlan && error.to_string().contains("this work");
                assert!(!spent, "{format}, {}: {error}", shape.name);
            }
            let [small, _, large] = times.map(|(time, _)| time);
            let growth = large.as_secs_f64() / small.max(FLOOR / 16).as_secs_f64();
            let exponent = growth.ln() / (SIZES[2] as f64).ln();
            println!("{:8} {:34} {small:>12.1?} {large:>12.1?} {exponent:.2}", format.name(), shape.name);
            if large > FLOOR && exponent > EXPONENT {
                slow.push(format!("{format}, {}: size^{exponent:.2}", shape.name));
            }
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

#[test]
fn every_reader_respects_the_budget() {
    for format in Format::ALL {
        let shape = &shapes(format)[0];
        let folder = tempfile::tempdir().unwrap();
        let path = (shape.make)(folder.path(), 16 * BASE);
        let over = Budget::default().with_time(Duration::ZERO);
        let found = over.enter(|| read(&path, &shape.options).map(drop));
        assert_eq!(found.unwrap_err().code(), Code::Time, "{format}");
        // A folder is read file by file, and each of these is small.
        if matches!(format, Format::Folder | Format::Images | Format::Manifest) {
            continue;
        }
        let small = Budget::default().with_memory(size(&path) / 2);
        let found = small.enter(|| read(&path, &shape.options).map(drop));
        assert_eq!(found.unwrap_err().code(), Code::MemoryPlan, "{format}");
        assert!(small.used() < 1 << 20, "{format}: {} bytes are not freed", small.used());
    }
}

#[test]
fn columns_of_a_wide_table_are_found_by_name() {
    use mercer::data::{Column, Dense, Values};
    let count = 50_000;
    let column = |j: usize| Column::new(format!("c{j}"), Values::Numbers(Dense::from_rows(&[[j as f64]])));
    let data = Dataset::new((0..count).map(column).collect()).unwrap();
    let names: Vec<String> = (0..count).rev().map(|j| format!("c{j}")).collect();
    let before = worked();
    let found = data.vectors(&names).unwrap().to_dense();
    assert!(worked() - before < Duration::from_secs(2), "columns are searched linearly");
    assert!((0..count).all(|j| found.at(0, j) == (count - 1 - j) as f64));
    assert!(data.select(&[0, 0]).column("c7").is_ok() && data.column("c50000").is_err());
    assert!(data.has_column("c0") && !data.has_column("c"));
    let twice = Dataset::new((0..20).chain([7]).map(column).collect());
    assert!(twice.unwrap_err().to_string().contains("'c7'"));
}

#[test]
fn scaling_sparse_vectors_scales_with_stored_values() {
    use mercer::data::Sparse;
    use mercer::expression::{Expression, Step};
    use mercer::gram::Engine;
    let far = 99_999_999;
    let x = Sparse::from_rows(far + 1, &[vec![(far as u32, 1.0)], vec![(0, 2.0)], vec![(0, 5.0)]]).unwrap();
    let near = Sparse::from_rows(2, &[vec![(1, 1.0)], vec![(0, 2.0)], vec![(0, 5.0)]]).unwrap();
    let (engine, budget) = (Engine::new(), Budget::default().with_memory(16 << 20));
    for kernel in ["standardize(rbf(gamma=0.5))", "minmax(linear)"] {
        let expression: Expression = kernel.parse().unwrap();
        let gram = |x: &Sparse| {
            let data = Dataset::of_vectors(x.clone());
            let fitted = expression.fit(&data, &engine).unwrap();
            let mut file = mercer::model::Container::new(serde_json::Value::Null);
            let document = fitted.steps[0].put(&mut file, "s").unwrap();
            let step = Step::get(&file, "s", &file.field(&document)).unwrap();
            assert_eq!(step, fitted.steps[0]);
            let again = expression.restore(&data, vec![step], &engine).unwrap();
            let (found, kept) =
                (engine.gram(&fitted.kernel, &data).unwrap(), engine.gram(&again.kernel, &data).unwrap());
            assert_eq!(found, kept);
            found
        };
        // One stays sparse, the other becomes dense: sums of the same numbers in another order.
        let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * (1.0 + a.abs());
        budget.enter(|| {
            let (found, expected) = (gram(&x), gram(&near));
            assert!(
                found.values().iter().zip(expected.values()).all(close),
                "{kernel}: {found:?} {expected:?}"
            );
        });
        assert!(budget.check().is_ok(), "{kernel}: memory grows with the dimension");
    }
}

#[test]
fn linear_models_scale_with_stored_values() {
    use mercer::data::{Categories, Sparse, Target};
    use mercer::gram::Engine;
    use mercer::model::Model;
    let far = 99_999_999;
    let rows = [vec![(far as u32, 1.0)], vec![(0, 1.0)], vec![(0, 2.0)], vec![(far as u32, 2.0)]];
    let x = Dataset::of_vectors(Sparse::from_rows(far + 1, &rows).unwrap());
    let classes = Target::Classes(Categories::from_values(["a", "b", "b", "a"].map(Some)));
    let numbers = Target::Numbers(vec![1.0, -1.0, -2.0, 2.0]);
    let (engine, budget) = (Engine::new(), Budget::default().with_memory(64 << 20));
    let folder = tempfile::tempdir().unwrap();
    for (learner, target) in [("linear-svc", classes), ("linear-svr", numbers)] {
        for kernel in ["linear", "standardize(linear)"] {
            let path = folder.path().join("m.mercer");
            let data = x.clone().with_target("y", target.clone()).unwrap();
            budget.enter(|| {
                let learner = learner.parse().unwrap();
                let model = Model::fit(&data, &kernel.parse().unwrap(), &learner, 0, &engine).unwrap();
                model.save(&path).unwrap();
                let again = Model::load(&path, &engine).unwrap();
                let found = again.predict(&x, &engine).unwrap();
                assert_eq!(found, model.predict(&x, &engine).unwrap(), "{learner} {kernel}");
                if let Some(Target::Classes(found)) = &found.target {
                    assert_eq!((found.get(0), found.get(2)), (Some("a"), Some("b")));
                }
                // Feature names are made only for features that occur.
                if kernel == "linear" {
                    assert_eq!(again.explain(&x, 1, &engine).unwrap().len(), 4);
                }
            });
            assert!(budget.check().is_ok(), "{learner} {kernel}: memory grows with the dimension");
            assert!(size(&path) < 100_000, "{learner} {kernel}: a model of {} bytes", size(&path));
        }
    }
}

#[test]
fn apostrophes_against_spreadsheet_formulas_are_removed() {
    let text = "name,class\n\"'=1+1\",a\n\"''-x\",b\n'=2,a\n\"'x\",b\n\"'@c\",a\n";
    let kinds = [("name".to_owned(), mercer::data::Kind::Strings)].into();
    let options = Options { kinds, ..Options::default() };
    let data = mercer::read::read_bytes(Path::new("a.csv"), text.as_bytes(), &options).unwrap();
    let mercer::data::Values::Strings(found) = &data.column("name").unwrap().values else { panic!() };
    let found: Vec<&str> = found.iter().flatten().map(String::as_str).collect();
    assert_eq!(found, ["=1+1", "'-x", "'=2", "'x", "@c"]);
}
