//! Readers of data files: each format has its own module, and [`read`] picks the one for a file and returns a
//! [`Dataset`].
//!
//! Readers never trust their input. Sizes declared in a header are checked against the file before anything is
//! allocated, decompression is limited, and every error is an [`Error`] with file, line and column.
//!
//! Files of known but unsupported formats, such as PDF, HDF5 or pickle, are rejected with the format's name (`E_FORMAT`),
//! whatever the file is called.
//!
//! # Tables
//!
//! In CSV and TSV the first 1000 rows (fewer in very wide tables) determine the type of a column, and later rows correct
//! it. The first of these forms wins that at least nine tenths of the values have:
//!
//! | form | examples | column |
//! |---|---|---|
//! | truth values (all of them) | `true`, `FALSE` | numbers 1 and 0; as a target classes |
//! | dates and times | `2024-01-31`, `2024-01-31T12:00:00+01:00`, `31.1.24`, `1/31/2024 3:05 PM`, `31 Jan 2024` | times |
//! | durations | `1:30:00`, `PT1H30M`, `2 days 03:00:00`, `1h 30min` | numbers, in seconds |
//! | plain numbers | `1`, `-2.5e3` | numbers |
//! | written numbers | `$1,234.50`, `1.234,50 €`, `12.5%`, `1 234`, `(5.25)` | numbers; percentages as shares |
//!
//! The other values are then missing, counted in a warning (`W_CELLS`). What is read in another form than it looks is
//! said (`W_FORM`). In a column of dates a day above 12 decides between day and month first, and contradictory dates
//! are an error (`E_DATE`), unless a single cell contradicts twenty others; where nothing decides, `/` has the month
//! first and `.` the day. A comma is decimal if that is the only way to read some value of the column; where nothing
//! decides, other columns do, and then commas are decimal in tables with `;`. In a table with decimal commas the points
//! of `1.100` separate thousands if all values of the column allow it. Rows after the first 1000 count where those
//! leave the form open.
//!
//! A column of fewer than 20 values of which most are numbers is refused with the place of the first other value
//! (`E_NUMBER`): that is too little evidence. With more values it holds names (`W_MIXED`), as does a column of few whole
//! numbers among which a few codes repeat. Names are text if most values have three words or more, categories if there
//! are at most two distinct values or at most half as many as rows, and strings if not. [`Options::kinds`] overrides the
//! inferred types, and [`Options::strict`] allows plain numbers and truth values only, and refuses any other value.
//!
//! Without a header (the first row is all numbers) columns are named `x1`, `x2`, …. Missing values are empty fields,
//! `?`, `NA`, `N/A` and `null` in any case, and the words of [`Options::na`]; also `-`, `.`, `None`, `#N/A` in columns of
//! numbers and times; in ARFF only `?`. Rows without a target are set aside
//! ([`Dataset::unlabelled`]) and counted in a warning (`W_UNLABELLED`). Numeric classes are named in the shortest form:
//! `1` for `+1` and `1.0`.
//!
//! Text is UTF-8. UTF-16 is recognised by its byte order mark, and tables that are not UTF-8 are read as Windows-1252;
//! both are said (`W_ENCODING`). [`Options::encoding`] states another.
//!
//! Tables in other files are read as the same table in CSV would be:
//!
//! | format | what is read |
//! |---|---|
//! | xlsx, ods | one sheet: the first, or `book.xlsx::Sheet2`, or [`Options::sheet`]. Dates are ISO 8601 text; cells with errors are missing (`W_SHEET_ERRORS`), and so are formulas without a stored value (`W_FORMULAS`); of merged cells the first has the value (`W_MERGED`) |
//! | JSON | an array of records `[{"a": 1}, …]` or one record per line; a list of numbers is a series, other nested values are an error |
//! | Arrow, Feather | an IPC file; nulls and NaN are missing values, dictionaries of strings are categories |
//! | SQLite | a table: the only one, or `data.sqlite::table`, or the result of [`Options::query`], one `SELECT`. The file is only read; NULL is a missing value |
//!
//! In messages about sheets, databases and Arrow files the line is the row and the column is that of the cell.
//!
//! # Series
//!
//! All series are in one column named `series`; the other columns of the file are kept.
//!
//! | format | what is read | gaps | target |
//! |---|---|---|---|
//! | `.ts` | tags, `@data`, one line per series: channels separated by `:`, values by `,` | `?`, `NaN` | `class` or `target`, after the last `:` |
//! | UCR | files named `NAME_TRAIN.tsv` or `NAME_TEST.txt`, and lines of numbers separated by spaces that begin with one of a few whole numbers (`W_UCR`): the class, then values separated by tabs, commas or spaces | `NaN`; at the end of a line they end the series | `class` |
//! | wide table | CSV or TSV with [`Layout::Wide`]: the numeric columns, in order | missing values; at the end of a row they end the series | as in tables |
//! | long table | CSV or TSV with [`Layout::Long`]: columns `id`, `time`, optionally `channel`, and `value` | missing values | as in tables, the same in all rows of a series |
//!
//! A gap is an error unless [`SeriesOptions::gaps`] says otherwise. Timestamps in `.ts` files are rejected.
//!
//! # Sequences
//!
//! FASTA files give one column named `sequence`; objects are named after the first word of each header. The alphabet is
//! DNA, RNA or protein with ambiguity codes, and symbols become upper case, unless [`SequenceOptions`] says otherwise.
//! The target is read from the headers or from a table joined by name. Headers of one word that repeats, such as `>1` and
//! `>0`, are the classes (`W_HEADERS`). [`SequenceOptions::two`] gives a file for each of two classes. FASTQ files are read in the same way, four lines
//! per sequence, without the quality scores (`W_QUALITY`).
//!
//! # Images
//!
//! PNG, JPEG, BMP, GIF (the first frame), PNM and WebP files are recognised by their content. A folder of them gives
//! one column named `image`; objects are named after the files. If the files are in subfolders, the name of the
//! subfolder is the `class`. A table column of paths, relative to the table, becomes images with [`Options::kinds`]. An
//! image has at most 65536 pixels per side and [`Limits::image`] bytes. Images are stored as bytes: grey or RGB, with
//! an alpha channel last if any pixel is transparent. More than 8 bits per channel are rounded to 8. JPEG files are
//! rotated according to their EXIF orientation.
//!
//! # Molecules
//!
//! A text column holds molecules if its name contains `smiles` and most of its values are SMILES, or if all of the
//! first values are SMILES and look like structures rather than words. [`Options::kinds`] overrides both. A SMILES that
//! cannot be read is an error (`E_MOLECULE`) with its row and the place within it, unless
//! [`MoleculeOptions::skip_invalid`] leaves such objects out. Files named `.smi` or `.smiles` have one SMILES per line,
//! optionally followed by a name, in a column named `smiles`. SD files and mol files (V2000, V3000) are molecules in a
//! column named `graph`, with charges, isotopes, radicals and valences, without stereochemistry. Molecules that occur
//! twice, in whatever notation, are reported (`W_DUPLICATES`).
//!
//! # Several files
//!
//! A manifest in TOML joins files about the same objects by their ids, or by their order:
//!
//! ```toml
//! [[file]]
//! path = "patients.csv"     # the first file defines the objects
//! id = "patient"
//! target = "outcome"
//!
//! [[file]]
//! path = "ecg.ts"
//! name = "ecg"              # name of its column
//! by = "order"              # default: match objects by id
//! missing = "keep"          # objects not in this file: refuse, keep (value missing) or drop
//! ```
//!
//! A file may also have `format`, `group`, `weight`, `split`, `ignore` and `types = { column = "text" }`, and
//! `edges = "edges.csv"` if its objects are nodes of a graph.
//!
//! # Graphs
//!
//! Graphs are in one column named `graph`. Other data about a graph can be its target, id, group or weight. Anything
//! else, which may include further targets, is left out unless [`Options::kinds`] gives it a type.
//!
//! | format | what is read | labels, weights, attributes | target |
//! |---|---|---|---|
//! | TU collection | a folder with `NAME_A.txt` and `NAME_graph_indicator.txt`, or that first file | `NAME_node_labels.txt`, `NAME_edge_labels.txt`, `NAME_node_attributes.txt`, `NAME_edge_attributes.txt`; several label columns are combined into one | `class` from `NAME_graph_labels.txt`; `target`, or `target1`, `target2`, …, from `NAME_graph_attributes.txt` |
//! | GML | every `graph [ … ]` of a file | `label` of nodes and edges, `weight` of edges; others by [`GraphOptions`] | any value directly in `graph` |
//! | GraphML | every `<graph>` of a file | the same, by `attr.name` | data of the graph |
//! | SDF, mol | every molecule of a file, V2000 or V3000, as a molecule; as a graph if `graph` is declared to hold graphs, or [`GraphOptions`] are given | symbols of atoms, types of bonds; `x`, `y`, `z` on request | data fields |
//! | tables | `edges.csv` (or `NAME_edges.csv`): `graph,source,target`; in the same folder `nodes.csv`: `graph,node`; `graphs.csv`: `graph` | `label` of edges and nodes, `weight` of edges; other columns by [`GraphOptions`] | any column of `graphs.csv` |
//! | folder | every gml, graphml, sdf or mol file in it, in order of names | as in those | as in those, or any column of `graphs.csv` or `targets.csv`, whose column `graph` (or `file`, `id`, `name`) names the files |
//!
//! Columns of `graphs.csv` that are not the target become columns of the data set, next to the graphs. Edges are
//! undirected unless the format or [`GraphOptions::directed`] says otherwise. Loops are kept (`W_LOOPS`). Of repeated
//! edges the first is used (`W_MULTI_EDGE`). In TU collections, which list both directions of an edge, an edge listed
//! in one direction only counts as undirected (`W_ONE_WAY`): see [`GraphBuilder`](crate::data::GraphBuilder).
//!
//! # Nodes
//!
//! With [`GraphOptions::edges`] the rows of a table are nodes of one graph. The column `node` (or `id`, `name`, or
//! [`Options::id`]) names the nodes. The edge file is a table `source,target`, optionally with `weight`, GML or GraphML
//! (one graph), or a Matrix Market file whose row i is row i of the table. Nodes become a column named `node`.
//! Directions are ignored. Weights are at least 0. Weights of repeated edges are added, unless the file lists each edge
//! in both directions; such an edge counts once. Nodes that occur only in edges are part of the graph but are not
//! objects. The other columns are attributes of the nodes: if every node of the graph has a row, kernels can smooth them
//! over the edges ([`Dataset::with_node_attributes`]).

mod absent;
#[cfg(any(feature = "archives", feature = "sheets"))]
mod archive;
mod arff;
#[cfg(feature = "arrow")]
mod arrow;
mod assemble;
mod build;
#[cfg(any(feature = "arrow", feature = "sheets"))]
mod calendar;
mod columns;
mod csv;
mod dates;
pub mod embedded;
mod encoding;
mod evidence;
mod fasta;
mod finish;
mod foreign;
mod form;
mod graph;
#[cfg(any(
    feature = "archives",
    feature = "arrow",
    feature = "images",
    feature = "parquet",
    feature = "sheets"
))]
mod guard;
mod images;
mod inner;
mod json;
mod libsvm;
mod manifest;
mod molecules;
mod npy;
#[cfg(feature = "archives")]
mod npz;
#[doc(hidden)]
pub mod number;
#[doc(hidden)]
pub mod open;
mod options;
mod pace;
mod parallel;
#[cfg(feature = "parquet")]
mod parquet;
mod parts;
mod pieces;
mod reserve;
mod roles;
mod rows;
mod series;
#[cfg(feature = "sheets")]
mod sheets;
mod sniff;
mod source;
#[cfg(feature = "sqlite")]
mod sqlite;
#[doc(hidden)]
pub mod text;
mod times;
mod typing;
mod unpack;
mod written;

use std::borrow::Cow;
use std::path::Path;

use self::source::Source;
use self::text::Text;
// Modules of the core crate under their original names, so that `crate::data` and the like work here.
use mercer_core::{budget, data, error, gram, solve};

use crate::data::{Dataset, Dense, Kind};
use crate::error::{Code, Error, Place, Result, Warning};

pub use columns::FileColumns;
pub use encoding::Encoding;
pub(crate) use graph::tu::{File as TuFile, read as read_tu};
pub use inner::file_of;
pub use manifest::manifest_files;
pub use npy::header as npy_header;
pub use options::{
    ClassInHeader, Format, Gaps, GraphOptions, Layout, Limits, Missing, MoleculeGroups, MoleculeOptions,
    Options, SequenceOptions, SeriesOptions, TargetKind,
};

pub use pieces::Pieces;
pub use reserve::check_spread;

/// Reads a file of any known format, optionally compressed with gzip, zstd, bzip2 or xz, or a folder of graphs or images.
/// `FILE::NAME` is a sheet of a spreadsheet or a table of a database.
///
/// ```
/// use mercer_read::{Options, read};
/// let path = std::env::temp_dir().join("mercer-read-example.csv");
/// std::fs::write(&path, "a,b,class\n1,2,yes\n3,4,no\n").unwrap();
/// let data = read(&path, &Options::default())?;
/// assert_eq!((data.len(), data.columns().len()), (2, 2));
/// assert_eq!(data.target_name(), Some("class"));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn read(path: &Path, options: &Options) -> Result<Dataset> {
    read_parts(path, options, Parts::Split)
}

/// What happens to the rows and the column of a predefined split.
#[derive(Clone, Copy, PartialEq)]
enum Parts {
    /// Rows of neither set and the column are removed.
    Split,
    /// All rows and the column are kept, to be joined with other files first.
    Kept,
}

fn read_parts(path: &Path, options: &Options, parts: Parts) -> Result<Dataset> {
    if let Some((positive, negative)) = &options.sequences.two {
        return shaped(path, options, parts, |own| fasta::two_classes(positive, negative, own));
    }
    if let Some((file, name)) = inner::split(path) {
        return read_parts(&file, &inside(options, &name)?, parts);
    }
    if manifest::is_one(path, options) {
        // The manifest says which column splits, and joined files must keep all objects.
        let own = Options { keep_unlabelled: true, ..options.clone() };
        let (data, split) = manifest::read_joined(path, &own)?;
        // Other files describe all nodes of the first, also those of neither set.
        let mut data = described(data, [&split, &None])?;
        if let Some(column) = &split {
            data = parts::split_by_column(data, column, path)?;
        }
        return Ok(if options.keep_unlabelled { data } else { data.set_aside_unlabelled() });
    }
    shaped(path, options, parts, |own| read_columns(path, own))
}

/// Reads all columns by `read`, and takes those away that are not for kernels: splits and times. Objects without a target
/// are set aside.
fn shaped(
    path: &Path,
    options: &Options,
    parts: Parts,
    read: impl FnOnce(&Options) -> Result<Dataset>,
) -> Result<Dataset> {
    budget::check()?;
    // Readers of text know the test rows by the split column, and infer no type from them.
    let mut own = Options { time: None, keep_unlabelled: true, ..options.clone() };
    if let Some(column) = &options.split {
        // The values of this column are names, even if they look like numbers.
        own.kinds.insert(column.clone(), Kind::Categories);
    }
    let mut data = read(&own)?;
    // Nodes of neither set, and those without a target, are described too.
    data = described(data, [&options.split, &options.time])?;
    if let Some(column) = options.split.as_ref().filter(|_| parts == Parts::Split) {
        data = parts::split_by_column(data, column, path)?;
    }
    if let Some(column) = &options.time {
        data = times::by_column(data, column, path)?;
    }
    Ok(if options.keep_unlabelled { data } else { data.set_aside_unlabelled() })
}

/// The data, whose nodes know the columns of all rows as their attributes, except for those that only arrange the rows.
fn described(data: Dataset, arranging: [&Option<String>; 2]) -> Result<Dataset> {
    data.with_node_attributes_of(|column| arranging.iter().all(|name| name.as_ref() != Some(&column.name)))
}

fn read_columns(path: &Path, options: &Options) -> Result<Dataset> {
    if let Some(edges) = &options.graph.edges {
        return graph::nodes::read(path, edges, options);
    }
    let several = several(path, options)?;
    if let Some(column) = options.kinds.iter().find(|(_, kind)| **kind == Kind::Nodes).map(|(name, _)| name) {
        let reason = format!("column '{column}' holds nodes of a graph, but no edges are given");
        return Err(Error::parse(Place::file(path), Code::Column, reason)
            .with_hint("give the edge file with `edges=FILE`"));
    }
    match several {
        Some(Format::Images) => images::read_folder(path, options),
        Some(format) if !path.is_dir() => graph::folder::read_companion(path, format, options),
        Some(_) => molecules::in_columns(graph::folder::read(path, options)?, path, options),
        None => {
            let data = dispatch(path, Cow::Owned(open::open(path)?), options)?;
            if images::are_wanted(options) { images::in_columns(data, path, options) } else { Ok(data) }
        }
    }
}

/// The options for a sheet or table that the path names.
fn inside(options: &Options, name: &str) -> Result<Options> {
    match &options.sheet {
        Some(other) if other != name => Err(Error::usage(format!(
            "the path names '{name}' and the option `sheet` '{other}': give one of them"
        ))),
        _ => Ok(Options { sheet: Some(name.to_owned()), ..options.clone() }),
    }
}

/// The format of data in several files; `path` is their folder or one of the files.
fn several(path: &Path, options: &Options) -> Result<Option<Format>> {
    if path.is_dir() {
        if options.format == Some(Format::Images) {
            return Ok(Some(Format::Images));
        }
        return match graph::folder::format(path) {
            Err(_) if images::holds_some(path)? => Ok(Some(Format::Images)),
            format => format.map(Some),
        };
    }
    let format = options.format.or_else(|| graph::folder::by_name(path));
    Ok(format.filter(|f| matches!(f, Format::Tu | Format::Edges)))
}

/// Reads bytes as if they were a file named `name`, which is used for messages and to choose the format. Other files
/// that a table refers to are not read.
pub fn read_bytes(name: &Path, bytes: &[u8], options: &Options) -> Result<Dataset> {
    shaped(name, options, Parts::Split, |own| dispatch(name, Cow::Borrowed(bytes), own))
}

/// The format of a file, as [`read`] would choose it.
pub fn format_of(path: &Path, options: &Options) -> Result<Format> {
    if options.sequences.two.is_some() {
        return Ok(Format::Fasta);
    }
    if let Some((file, name)) = inner::split(path) {
        return format_of(&file, &inside(options, &name)?);
    }
    if manifest::is_one(path, options) {
        return Ok(Format::Manifest);
    }
    if let Some(format) = several(path, options)? {
        return Ok(format);
    }
    let bytes = unpack::unpack(path, Cow::Owned(open::open(path)?), &options.limits)?;
    sniff::format(path, &bytes, options)
}

/// Reads an npy file as a matrix, whatever its rows represent.
pub fn matrix(path: &Path, options: &Options) -> Result<Dense> {
    let bytes = unpack::unpack(path, Cow::Owned(open::open(path)?), &options.limits)?;
    match sniff::format(path, &bytes, options)? {
        Format::Npy => npy::read_matrix(&Source { name: path, bytes: &bytes }),
        other => Err(Error::parse(
            Place::file(path),
            Code::Format,
            format!("a matrix is read from npy, not {other}"),
        )),
    }
}

/// Decompresses bytes embedded in the library.
pub(crate) fn unpacked(name: &Path, bytes: &[u8], limits: &Limits) -> Result<Vec<u8>> {
    Ok(unpack::unpack(name, Cow::Borrowed(bytes), limits)?.into_owned())
}

fn dispatch(name: &Path, bytes: Cow<'_, [u8]>, options: &Options) -> Result<Dataset> {
    budget::check()?;
    let bytes = unpack::unpack(name, bytes, &options.limits)?;
    let (bytes, marked) = match options.strict && options.encoding.is_none() {
        true => (bytes, None),
        false => encoding::decoded(name, bytes, options.encoding)?,
    };
    let format = sniff::format(name, &bytes, options)?;
    let (bytes, sniffed) = match format {
        Format::Csv | Format::Tsv if !options.strict && options.encoding.is_none() => {
            encoding::sniffed(name, bytes)?
        }
        _ => (bytes, None),
    };
    let data = read_as(format, name, bytes, options)?;
    let said: Vec<_> = marked.into_iter().chain(sniffed).chain(data.warnings().iter().cloned()).collect();
    Ok(data.with_warnings(said))
}

/// Reads the decoded bytes of a file of a known format.
fn read_as(format: Format, name: &Path, bytes: Cow<'_, [u8]>, options: &Options) -> Result<Dataset> {
    let text = |bytes| Text::new(name, bytes, &options.limits);
    let source = Source { name, bytes: &bytes };
    if let Some(option) = unused(format, options) {
        let reason = format!("`{option}` is given, but {format} files have none");
        return Err(source
            .fault(Code::Usage, reason)
            .with_hint("`sheet` is for xlsx, ods and sqlite, `query` for sqlite"));
    }
    let data = match format {
        Format::Npy => npy::read(&source, options),
        #[cfg(feature = "archives")]
        Format::Npz => npz::read(&source, options),
        #[cfg(not(feature = "archives"))]
        Format::Npz => Err(absent::error(name, "npz files", "archives")),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::read(&source, options),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(absent::error(name, "Parquet files", "parquet")),
        table if options.precomputed => Err(source
            .fault(Code::Format, format!("precomputed similarities are read from npy or npz, not {table}"))
            .with_hint("numpy.save writes npy files")),
        format @ (Format::Csv | Format::Tsv) => match options.series.layout {
            Some(layout) => series::read_table(&text(bytes)?, format, layout, options),
            None => csv::read(&text(bytes)?, format, options),
        },
        Format::Json => json::read(&text(bytes)?, name, options),
        #[cfg(feature = "arrow")]
        Format::Arrow => arrow::read(&source, options),
        #[cfg(not(feature = "arrow"))]
        Format::Arrow => Err(absent::error(name, "Arrow files", "arrow")),
        #[cfg(feature = "sheets")]
        format @ (Format::Xlsx | Format::Ods) => sheets::read(&source, format, options),
        #[cfg(not(feature = "sheets"))]
        Format::Xlsx | Format::Ods => Err(absent::error(name, "spreadsheets", "sheets")),
        #[cfg(feature = "sqlite")]
        Format::Sqlite => sqlite::read(&source, options),
        #[cfg(not(feature = "sqlite"))]
        Format::Sqlite => Err(absent::error(name, "SQLite databases", "sqlite")),
        Format::Ucr if sniff::is_surprising(name, options) => {
            let data = series::read(&text(bytes)?, Format::Ucr, options)?;
            let message = "read as series: the class first in each line, then values; if it is a table, use `format=csv`";
            let warnings = [data.warnings(), &[Warning::new("W_UCR", message)]].concat();
            Ok(data.with_warnings(warnings))
        }
        format @ (Format::Ts | Format::Ucr) => series::read(&text(bytes)?, format, options),
        Format::Libsvm => libsvm::read(&text(bytes)?, options),
        Format::Arff => arff::read(&text(bytes)?, options),
        format @ (Format::Fasta | Format::Fastq) => fasta::read(&text(bytes)?, format, options),
        Format::Images => images::read_file(name, &bytes, options),
        Format::Manifest => {
            Err(source.fault(Code::Format, "a manifest must be read from a path, not from bytes"))
        }
        Format::Smiles => return molecules::read(&text(bytes)?, options),
        format => graph::read(name, bytes, format, options),
    }?;
    molecules::in_columns(data, name, options)
}

/// The option that names a part of the file, if files of this format have no parts.
fn unused(format: Format, options: &Options) -> Option<&'static str> {
    let parts = matches!(format, Format::Xlsx | Format::Ods | Format::Sqlite);
    match () {
        () if options.query.is_some() && format != Format::Sqlite => Some("query"),
        () if options.sheet.is_some() && !parts => Some("sheet"),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;
    use crate::error::Code;

    const TABLE: &[u8] = b"a,b,class\n1,2,yes\n3,4,no\n";

    fn gz(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn files_bytes_and_archives_read_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let options = Options::default();
        let plain = read_bytes(Path::new("t.csv"), TABLE, &options).unwrap();
        for (name, bytes) in [
            ("t.csv", TABLE.to_vec()),
            ("t.csv.gz", gz(TABLE)),
            ("t.csv.zst", zstd::encode_all(TABLE, 1).unwrap()),
            ("misnamed", gz(TABLE)),
        ] {
            let path = dir.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(read(&path, &options).unwrap(), plain);
        }
    }

    #[test]
    fn formats_are_detected() {
        let options = Options::default();
        let arff = b"@relation r\n@attribute a real\n@attribute class {p,q}\n@data\n1,p\n";
        for (bytes, columns) in
            [(&b"+1 1:2 3:4\n-1 2:1\n"[..], 1), (arff, 1), (b"a\tb\n1\t2\n", 2), (b"a;b\n1;2\n", 2)]
        {
            assert_eq!(read_bytes(Path::new("data"), bytes, &options).unwrap().columns().len(), columns);
        }
        assert_eq!(read_bytes(Path::new("data"), b"", &options).unwrap_err().code(), Code::Empty);
        assert_eq!(read_bytes(Path::new("data"), b"a\0b\n1\n", &options).unwrap_err().code(), Code::Encoding);
        assert_eq!(read_bytes(Path::new("data.gz"), &gz(b""), &options).unwrap_err().code(), Code::Empty);
    }

    proptest! {
        #[test]
        fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), which in 0usize..6) {
            let name = ["a", "a.csv", "a.tsv", "a.svm", "a.arff", "a.fa"][which];
            let _ = read_bytes(Path::new(name), &bytes, &Options::default());
        }

        #[test]
        fn damaged_archives_never_panic(at in 0usize..60, byte in any::<u8>(), zst in any::<bool>()) {
            let mut bytes = if zst { zstd::encode_all(TABLE, 1).unwrap() } else { gz(TABLE) };
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = read_bytes(Path::new("a.csv"), &bytes, &Options::default());
        }
    }
}
