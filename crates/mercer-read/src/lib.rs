//! Files in, [`Dataset`]s out: one file per format, and one place that picks.
//!
//! Readers never trust their input: sizes promised by a header are checked against the file before
//! anything is allocated, compressed data may not grow beyond reason, and every fault is an
//! [`Error`] with file, line and column.
//!
//! A file of a format that is known and not read, such as Excel's, PDF, HDF5 or JSON, is refused by name (`E_FORMAT`), whatever its
//! own name says.
//!
//! # Tables
//!
//! In CSV and TSV the kind of a column is judged by the first 1000 rows. It holds numbers if more values are
//! numbers (or meant as such: `nan`, `1e999`, `1,5`) than text; from then on anything else in it, anywhere in
//! the file, is an error. Otherwise it holds text if most values have three words or more, categories if
//! there are at most two distinct values or at most half as many as rows, and strings if not. A column that says `true` and `false`
//! alone, in any case, holds the numbers 1 and 0, as it does in NumPy, Parquet and data frames; as a target it holds classes.
//! [`Options::kinds`] overrides all of it.
//!
//! Without a header (the first row is all numbers) columns are named `x1`, `x2`, …. Missing values are empty
//! fields, `?`, `NA`, `N/A` and `null` in any case; ARFF knows only `?`. A missing label is an error, unless
//! rows with missing values are dropped. Numeric classes are named as whole numbers are: `1` for `+1` and `1.0`.
//!
//! # Series
//!
//! Series come in one column named `series`, with what stands beside them.
//!
//! | format | what is read | gaps | target |
//! |---|---|---|---|
//! | `.ts` | tags, `@data`, a line for each series: channels with `:` between them, values with `,` | `?`, `NaN` | `class` or `target`, behind the last `:` |
//! | UCR | files named `NAME_TRAIN.tsv` or `NAME_TEST.txt`, and text of numbers in one exponential notation: the class, then values with tabs, commas or spaces between them | `NaN`; at the end of a line its end | `class` |
//! | wide table | CSV or TSV with [`Layout::Wide`]: the columns of numbers, in their order | missing values; at the end of a row its end | as in tables |
//! | long table | CSV or TSV with [`Layout::Long`]: columns `id`, `time`, perhaps `channel`, and `value` | missing values | as in tables, one for all rows of a series |
//!
//! A gap is an error unless [`SeriesOptions::gaps`] says otherwise. Time stamps in `.ts` files are refused.
//!
//! # Sequences
//!
//! FASTA files give one column named `sequence`, named after the first word of each header. Letters are those of DNA, RNA or
//! protein with their ambiguity codes, made upper case, unless [`SequenceOptions`] say otherwise; what is to be predicted stands
//! in the headers or in a table joined by name. FASTQ files are read likewise, four lines for each sequence, without the qualities
//! (`W_QUALITY`).
//!
//! # Pictures
//!
//! PNG, JPEG, BMP, GIF (the first frame), PNM and WebP files, told apart by their content. A folder of them gives one column named
//! `image`; objects are named after the files. Where the files lie in subfolders, the name of the subfolder is the `class`. A
//! column of a table that holds paths, relative to the table, becomes pictures with [`Options::kinds`]. A picture has at most
//! 65536 pixels along a side and [`Limits::image`] bytes. Pictures are kept as bytes: grey or colours, with a last channel where
//! something shines through; those of more than 8 bits per channel are rounded. JPEG files that say how they were held are turned.
//!
//! # Records of several files
//!
//! A manifest in TOML joins files about the same objects by their ids, or by their order:
//!
//! ```toml
//! [[file]]
//! path = "patients.csv"     # the first file says which objects there are
//! id = "patient"
//! target = "outcome"
//!
//! [[file]]
//! path = "ecg.ts"
//! name = "ecg"              # names its column
//! by = "order"              # without, ids say which object is which
//! missing = "keep"          # objects it lacks: refuse, keep (without a value) or drop
//! ```
//!
//! A file may also have `format`, `group`, `weight`, `split`, `ignore` and `types = { column = "text" }`.
//!
//! # Graphs
//!
//! Graphs come in one column named `graph`. What is known of them besides is a target, ids, groups or weights; other
//! facts, which may be further targets, are left out unless [`Options::kinds`] gives them a kind.
//!
//! | format | what is read | labels, weights, attributes | target |
//! |---|---|---|---|
//! | TU collection | a folder with `NAME_A.txt` and `NAME_graph_indicator.txt`, or that first file | `NAME_node_labels.txt`, `NAME_edge_labels.txt`, `NAME_node_attributes.txt`, `NAME_edge_attributes.txt`; several columns of labels make one | `class` from `NAME_graph_labels.txt`; `target`, or `target1`, `target2`, …, from `NAME_graph_attributes.txt` |
//! | GML | every `graph [ … ]` of a file | `label` of nodes and edges, `weight` of edges; others by [`GraphOptions`] | any value directly in `graph` |
//! | GraphML | every `<graph>` of a file | the same, by `attr.name` | data of the graph |
//! | SDF, mol | every molecule of a file, V2000 or V3000 | symbols of atoms, types of bonds; `x`, `y`, `z` when asked for | data fields |
//! | tables | `edges.csv` (or `NAME_edges.csv`): `graph,source,target`; beside it `nodes.csv`: `graph,node`; `graphs.csv`: `graph` | `label` of edges and nodes, `weight` of edges; other columns by [`GraphOptions`] | any column of `graphs.csv` |
//! | folder | every gml, graphml, sdf or mol file in it, in order of names | as in those | as in those, or any column of `graphs.csv` or `targets.csv`, whose column `graph` (or `file`, `id`, `name`) names the files |
//!
//! Columns of `graphs.csv` that are not the target become columns of the data set, beside the graphs: there the user wrote
//! what belongs to an object. Edges have no direction unless the format says so or [`GraphOptions::directed`] does. Loops are
//! kept (`W_LOOPS`), of repeated edges the first counts (`W_MULTI_EDGE`), and in TU collections, where both directions of an edge
//! are expected, one alone counts for both (`W_ONE_WAY`): see [`GraphBuilder`](crate::data::GraphBuilder).
//!
//! # Nodes
//!
//! With [`GraphOptions::edges`] the rows of a table are nodes of one graph: its column `node` (or `id`, `name`, or
//! [`Options::id`]) names them, and the file of edges joins them: a table `source,target` and perhaps `weight`, GML, GraphML (one
//! graph), or a Matrix Market file whose row i is row i of the table. Nodes become a column named `node`. Directions do not
//! matter; weights of repeated edges add up, unless the file has each edge in both directions, which then counts once; weights
//! are at least 0. Nodes that only edges name belong to the graph without being objects.

mod absent;
mod arff;
mod assemble;
mod build;
mod columns;
mod csv;
pub mod embedded;
mod fasta;
mod finish;
mod foreign;
mod graph;
#[cfg(any(feature = "archives", feature = "images", feature = "parquet"))]
mod guard;
mod images;
mod libsvm;
mod manifest;
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
mod series;
mod sniff;
mod source;
#[doc(hidden)]
pub mod text;
mod unpack;

use std::borrow::Cow;
use std::path::Path;

use self::source::Source;
use self::text::Text;
// What the readers know of the crate below, by the names it has there.
use mercer_core::{budget, data, error, gram, solve};

use crate::data::{Dataset, Dense, Kind};
use crate::error::{Code, Error, Place, Result};

pub use columns::FileColumns;
pub(crate) use graph::tu::{File as TuFile, read as read_tu};
pub use manifest::manifest_files;
pub use npy::header as npy_header;
pub use options::{
    ClassInHeader, Format, Gaps, GraphOptions, Layout, Limits, Missing, Options, SequenceOptions,
    SeriesOptions, TargetKind,
};

pub use pieces::Pieces;
pub use reserve::check_spread;

/// Reads a file of any known format, compressed with gzip or zstd or not, or a folder of graphs or pictures.
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
    budget::check()?;
    if manifest::is_one(path, options) {
        return manifest::read_joined(path, options);
    }
    let several = match (&options.graph.edges, &options.split) {
        (edges, Some(column)) => {
            // Its values are names, whatever they look like.
            let mut own = Options { split: None, ..options.clone() };
            own.kinds.insert(column.clone(), Kind::Categories);
            own.graph.edges.clone_from(edges);
            return parts::divided(read(path, &own)?, column, path);
        }
        (Some(edges), None) => return graph::nodes::read(path, edges, options),
        (None, None) => several(path, options)?,
    };
    if let Some(column) = options.kinds.iter().find(|(_, kind)| **kind == Kind::Nodes).map(|(name, _)| name) {
        let reason = format!("column '{column}' is nodes of a graph");
        return Err(Error::parse(Place::file(path), Code::Column, reason)
            .with_hint("`edges=FILE` names the file of their edges"));
    }
    match several {
        Some(Format::Images) => images::read_folder(path, options),
        Some(format) if !path.is_dir() => graph::folder::read_beside(path, format, options),
        Some(_) => graph::folder::read(path, options),
        None => {
            let data = dispatch(path, Cow::Owned(open::open(path)?), options)?;
            if images::are_wanted(options) { images::in_columns(data, path, options) } else { Ok(data) }
        }
    }
}

/// The format of data in several files, of which the path is the folder or one.
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

/// Reads bytes as if they were a file of that name, which serves messages and the choice of format.
/// Other files that a table names are not read.
pub fn read_bytes(name: &Path, bytes: &[u8], options: &Options) -> Result<Dataset> {
    dispatch(name, Cow::Borrowed(bytes), options)
}

/// The format of a file, as [`read`] would pick it.
pub fn format_of(path: &Path, options: &Options) -> Result<Format> {
    if manifest::is_one(path, options) {
        return Ok(Format::Manifest);
    }
    if let Some(format) = several(path, options)? {
        return Ok(format);
    }
    let bytes = unpack::unpack(path, Cow::Owned(open::open(path)?), &options.limits)?;
    sniff::format(path, &bytes, options)
}

/// Reads an npy file as a matrix, whatever its rows stand for.
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

/// Bytes that come with the library, decompressed.
pub(crate) fn unpacked(name: &Path, bytes: &[u8], limits: &Limits) -> Result<Vec<u8>> {
    Ok(unpack::unpack(name, Cow::Borrowed(bytes), limits)?.into_owned())
}

fn dispatch(name: &Path, bytes: Cow<'_, [u8]>, options: &Options) -> Result<Dataset> {
    budget::check()?;
    let bytes = unpack::unpack(name, bytes, &options.limits)?;
    let text = |bytes| Text::new(name, bytes, &options.limits);
    let source = Source { name, bytes: &bytes };
    match sniff::format(name, &bytes, options)? {
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
        format @ (Format::Ts | Format::Ucr) => series::read(&text(bytes)?, format, options),
        Format::Libsvm => libsvm::read(&text(bytes)?, options),
        Format::Arff => arff::read(&text(bytes)?, options),
        format @ (Format::Fasta | Format::Fastq) => fasta::read(&text(bytes)?, format, options),
        Format::Images => images::read_file(name, &bytes, options),
        Format::Manifest => {
            Err(source.fault(Code::Format, "a manifest names other files: it is read from its own"))
        }
        format => graph::read(name, bytes, format, options),
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
    fn a_file_and_its_bytes_are_the_same() {
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
    fn each_format_is_found() {
        let options = Options::default();
        let arff = b"@relation r\n@attribute a real\n@attribute class {p,q}\n@data\n1,p\n";
        for (bytes, columns) in
            [(&b"+1 1:2 3:4\n-1 2:1\n"[..], 1), (arff, 1), (b"a\tb\n1\t2\n", 2), (b"a;b\n1;2\n", 2)]
        {
            assert_eq!(read_bytes(Path::new("data"), bytes, &options).unwrap().columns().len(), columns);
        }
        assert_eq!(read_bytes(Path::new("data"), b"", &options).unwrap_err().code(), Code::Empty);
        assert_eq!(
            read_bytes(Path::new("data"), b"\xFF\xFEa\0", &options).unwrap_err().code(),
            Code::Encoding
        );
        assert_eq!(read_bytes(Path::new("data.gz"), &gz(b""), &options).unwrap_err().code(), Code::Empty);
    }

    proptest! {
        #[test]
        fn any_bytes_of_any_name(bytes in prop::collection::vec(any::<u8>(), 0..200), which in 0usize..6) {
            let name = ["a", "a.csv", "a.tsv", "a.svm", "a.arff", "a.fa"][which];
            let _ = read_bytes(Path::new(name), &bytes, &Options::default());
        }

        #[test]
        fn damaged_archives(at in 0usize..60, byte in any::<u8>(), zst in any::<bool>()) {
            let mut bytes = if zst { zstd::encode_all(TABLE, 1).unwrap() } else { gz(TABLE) };
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = read_bytes(Path::new("a.csv"), &bytes, &Options::default());
        }
    }
}
