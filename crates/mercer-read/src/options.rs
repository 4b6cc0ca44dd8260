//! What a reader may be told.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use crate::data::{Alphabet, Kind};

/// The file formats there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Comma-separated values with a header (or `;`, `|`, as sniffed).
    Csv,
    /// Tab-separated values with a header.
    Tsv,
    /// `label index:value …` lines, as LIBSVM and SVMlight write them.
    Libsvm,
    /// Weka's attribute-relation format.
    Arff,
    /// One NumPy array.
    Npy,
    /// A zip archive of NumPy arrays.
    Npz,
    /// Apache Parquet.
    Parquet,
    /// A folder of graphs as the TU-Dortmund collection has them: `NAME_A.txt`, `NAME_graph_indicator.txt`, ….
    Tu,
    /// Graphs in the graph modelling language.
    Gml,
    /// Graphs in GraphML.
    Graphml,
    /// A table of the edges of many graphs, with tables of nodes and graphs beside it.
    Edges,
    /// Molecules in MDL mol files and SD files, V2000 or V3000.
    Sdf,
    /// A folder of graph files.
    Folder,
    /// A manifest in TOML that joins several files.
    Manifest,
    /// Time series as sktime and aeon write them, with a header of tags.
    Ts,
    /// Time series as the UCR archive has them: the class, then values with tabs, commas or spaces between them.
    Ucr,
    /// Sequences with a header each.
    Fasta,
    /// Sequences with a header and qualities each, four lines; the qualities are not read.
    Fastq,
    /// A folder of pictures, perhaps in a subfolder for each class, or one picture.
    Images,
}

impl Format {
    /// Every format there is.
    pub const ALL: [Format; 19] = [
        Format::Csv,
        Format::Tsv,
        Format::Libsvm,
        Format::Arff,
        Format::Npy,
        Format::Npz,
        Format::Parquet,
        Format::Tu,
        Format::Gml,
        Format::Graphml,
        Format::Edges,
        Format::Sdf,
        Format::Folder,
        Format::Ts,
        Format::Ucr,
        Format::Fasta,
        Format::Fastq,
        Format::Manifest,
        Format::Images,
    ];

    /// The name used in options and messages.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Libsvm => "libsvm",
            Format::Arff => "arff",
            Format::Npy => "npy",
            Format::Npz => "npz",
            Format::Parquet => "parquet",
            Format::Tu => "tu",
            Format::Gml => "gml",
            Format::Graphml => "graphml",
            Format::Edges => "edges",
            Format::Sdf => "sdf",
            Format::Folder => "folder",
            Format::Manifest => "manifest",
            Format::Ts => "ts",
            Format::Ucr => "ucr",
            Format::Fasta => "fasta",
            Format::Fastq => "fastq",
            Format::Images => "images",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What happens to a missing value (an empty field, `?`, `NA`, `N/A`, `null`, a Parquet null).
///
/// Where no policy is stated values are kept, except that Parquet nulls are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It is kept as missing. A kernel that needs the value refuses it by name; `zero-extend` gives it
    /// similarity 0; kernels on categories say what it means to them.
    Keep,
    /// Objects with a missing value are left out, and counted in a warning.
    Drop,
    /// It is an error, with its position.
    Refuse,
}

/// How a target is understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TargetKind {
    /// Text is classes; whole numbers with at most 20 distinct values are classes; other numbers are numbers.
    #[default]
    Infer,
    /// Every distinct value is a class.
    Classes,
    /// Every value is a number.
    Numbers,
}

/// Bounds on what a file may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest line, in bytes.
    pub line: usize,
    /// The largest dimension of sparse vectors.
    pub dim: u64,
    /// The largest growth by decompression, judged once 16 MiB have come out; pictures may grow four times as much.
    pub ratio: u64,
    /// The most bytes of a decoded picture.
    pub image: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { line: 8 << 20, dim: 100_000_000, ratio: 400, image: 256 << 20 }
    }
}

/// What of a graph's file becomes the graph. The default is what most files mean.
///
/// Names of labels, weights and attributes are for formats that name what nodes and edges carry: GML, GraphML and tables of
/// edges. Molecules have the attributes `x`, `y` and `z`; TU collections need no names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphOptions {
    /// Edges have a direction where the format does not say.
    pub directed: bool,
    /// What labels nodes; `none` for nothing. When not given it is `label`, where nodes have it.
    pub node_label: Option<String>,
    /// What labels edges; `none` for nothing. When not given it is `label`, where edges have it.
    pub edge_label: Option<String>,
    /// What weighs edges; `none` for nothing. When not given it is `weight`, where edges have it.
    pub edge_weight: Option<String>,
    /// Numbers that become attributes of nodes, in this order.
    pub node_attributes: Vec<String>,
    /// Numbers that become attributes of edges, in this order.
    pub edge_attributes: Vec<String>,
    /// The edges between the objects, which are nodes of one graph: a table `source,target` and perhaps `weight`, GML, GraphML, or
    /// a Matrix Market file.
    pub edges: Option<PathBuf>,
}

/// What of a file of sequences becomes data. The default takes the class from `class=…` in the headers, where all have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SequenceOptions {
    /// The letters there may be. When not given, those of DNA, RNA or protein, whichever is the narrowest that fits.
    pub alphabet: Option<Alphabet>,
    /// Letters stay as they are, instead of becoming upper case.
    pub keep_case: bool,
    /// Where a header says the class.
    pub class: Option<ClassInHeader>,
    /// A table of what is known of the sequences, whose column `id` (or the one of [`Options::id`]) names them.
    pub table: Option<PathBuf>,
}

/// Where the header of a sequence says its class. Its pieces stand between white space or bars.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClassInHeader {
    /// The piece of that number, from 1; the name of the sequence is the first.
    Piece(usize),
    /// The last piece.
    Last,
    /// Behind `key=`.
    Key(String),
}

impl ClassInHeader {
    /// `last`, a number, or a key.
    pub fn from_word(word: &str) -> Self {
        match (word, word.parse::<usize>()) {
            ("last", _) => ClassInHeader::Last,
            (_, Ok(n)) if n > 0 => ClassInHeader::Piece(n),
            _ => ClassInHeader::Key(word.to_owned()),
        }
    }
}

/// How series stand in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A row for each series: its columns of numbers are its moments, in their order. Missing values at the end of a row
    /// are its end.
    Wide,
    /// A row for each value: which series it is of ([`Options::id`]), when, perhaps in which channel, and the value; or a
    /// row for each moment, with a column of numbers for each channel. Rows may be in any order.
    Long,
}

/// What happens to gaps in series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gaps {
    /// A gap is an error (`E_TS_MISSING`), with its position.
    Refuse,
    /// It is kept as NaN. Distances refuse the series by number.
    Keep,
    /// A straight line from the value before to the value after; at the ends the nearest value.
    Interpolate,
    /// 0.
    Zero,
}

/// How series are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeriesOptions {
    /// How a CSV or TSV table holds series; `None` when it holds none.
    pub layout: Option<Layout>,
    /// The column of a long table that says when. When not given it is `time`.
    pub time: Option<String>,
    /// The column of a long table that names the channel. When not given it is `channel`, if there is one.
    pub channel: Option<String>,
    /// The column of a long table that holds the values. When not given it is `value`, if there is one, else every column of
    /// numbers is a channel.
    pub value: Option<String>,
    /// What happens to gaps. When not given [`Options::missing`] decides, and without it they are refused.
    pub gaps: Option<Gaps>,
}

/// What a reader may be told. The default reads what it finds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The format; sniffed when not given.
    pub format: Option<Format>,
    /// The target column. When not given, a column named `class`, `target`, `label` or `y` (in any case) is it.
    pub target: Option<String>,
    /// Read no target, whatever the columns are called.
    pub no_target: bool,
    /// How the target is understood.
    pub target_kind: TargetKind,
    /// The column naming the group (the person) each object belongs to.
    pub group: Option<String>,
    /// The column naming the objects.
    pub id: Option<String>,
    /// The column of weights.
    pub weight: Option<String>,
    /// The column that says which part an object came in, `train` or `test`; others are left out.
    pub split: Option<String>,
    /// Columns to leave out.
    pub ignore: Vec<String>,
    /// Kinds of columns, where inference would guess otherwise.
    pub kinds: BTreeMap<String, Kind>,
    /// Names in `target`, `ignore` and `kinds` that the file does not have are passed over, not refused.
    pub optional_names: bool,
    /// What happens to missing values. When not given they are kept, but a null in a Parquet column is refused.
    pub missing: Option<Missing>,
    /// The field separator of CSV; sniffed when not given.
    pub delimiter: Option<u8>,
    /// Whether CSV has a header; sniffed when not given.
    pub header: Option<bool>,
    /// The first index of LIBSVM files, 0 or 1. When not given it is 1, and an index 0 is an error.
    pub index_base: Option<u32>,
    /// A square npy or npz matrix is a Gram matrix, not vectors.
    pub precomputed: bool,
    /// What of a graph's file becomes the graph.
    pub graph: GraphOptions,
    /// How series are read.
    pub series: SeriesOptions,
    /// What of a file of sequences becomes data.
    pub sequences: SequenceOptions,
    /// Bounds on what a file may ask for.
    pub limits: Limits,
}

impl Options {
    /// The policy for missing values of formats where leaving a value out is ordinary.
    pub(super) fn missing_or_keep(&self) -> Missing {
        self.missing.unwrap_or(Missing::Keep)
    }
}
