//! Options of the readers.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Encoding;
use crate::data::{Alphabet, CellForm, Kind};

/// The supported file formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Format {
    /// Comma-separated values with a header (or separated by `;` or `|`, detected).
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
    /// A sheet of an Excel workbook.
    Xlsx,
    /// A sheet of an OpenDocument spreadsheet.
    Ods,
    /// Records: an array of objects, or one object per line.
    Json,
    /// Apache Arrow IPC, also called Feather.
    Arrow,
    /// A table or a query of an SQLite database.
    Sqlite,
    /// A folder of graphs in the format of the TU Dortmund collection: `NAME_A.txt`, `NAME_graph_indicator.txt`, ….
    Tu,
    /// Graphs in GML, the Graph Modelling Language.
    Gml,
    /// Graphs in GraphML.
    Graphml,
    /// A table of the edges of many graphs, with tables of nodes and graphs in the same folder.
    Edges,
    /// Molecules in MDL mol files and SD files, V2000 or V3000.
    Sdf,
    /// A folder of graph files.
    Folder,
    /// A manifest in TOML that joins several files.
    Manifest,
    /// Time series in the `.ts` format of sktime and aeon, with a header of tags.
    Ts,
    /// Time series as in the UCR archive: the class, then values separated by tabs, commas or spaces.
    Ucr,
    /// Sequences, each with a header.
    Fasta,
    /// Sequences, each with a header and quality scores, in four lines; the quality scores are not read.
    Fastq,
    /// Molecules as SMILES, one per line, optionally followed by a name.
    Smiles,
    /// A folder of images, optionally with one subfolder per class, or a single image.
    Images,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 25] = [
        Format::Csv,
        Format::Tsv,
        Format::Libsvm,
        Format::Arff,
        Format::Npy,
        Format::Npz,
        Format::Parquet,
        Format::Xlsx,
        Format::Ods,
        Format::Json,
        Format::Arrow,
        Format::Sqlite,
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
        Format::Smiles,
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
            Format::Xlsx => "xlsx",
            Format::Ods => "ods",
            Format::Json => "json",
            Format::Arrow => "arrow",
            Format::Sqlite => "sqlite",
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
            Format::Smiles => "smiles",
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
/// By default values are kept, except that Parquet nulls are rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Missing {
    /// It is kept as missing. A kernel that needs the value rejects the object; `zero-extend` gives it similarity 0;
    /// kernels on categories document how they treat it.
    Keep,
    /// Objects with a missing value are left out and counted in a warning.
    Drop,
    /// It is an error that reports its position.
    Refuse,
}

/// How the target is interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TargetKind {
    /// Text means classes, as do whole numbers with at most 20 distinct values; other numbers are regression targets.
    #[default]
    Infer,
    /// Every distinct value is a class.
    Classes,
    /// Every value is a number.
    Numbers,
}

/// Limits on the resources a file may require.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Limits {
    /// The maximum length of a line, in bytes.
    pub line: usize,
    /// The maximum dimension of sparse vectors.
    pub dim: u64,
    /// The maximum decompression ratio, checked once the output exceeds 16 MiB; images may use four times as much.
    pub ratio: u64,
    /// The maximum size of a decoded image, in bytes.
    pub image: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { line: 8 << 20, dim: 100_000_000, ratio: 400, image: 256 << 20 }
    }
}

/// Which parts of a graph file are read. The default suits most files.
///
/// Names of labels, weights and attributes apply to formats with named node and edge data: GML, GraphML and edge
/// tables. Molecules have the attributes `x`, `y` and `z`; TU collections need no names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GraphOptions {
    /// Edges are directed if the format does not specify it.
    #[serde(skip_serializing_if = "is_standard")]
    pub directed: bool,
    /// The node data used as labels; `none` for no labels. The default is `label`, if nodes have it.
    #[serde(skip_serializing_if = "is_standard")]
    pub node_label: Option<String>,
    /// The edge data used as labels; `none` for no labels. The default is `label`, if edges have it.
    #[serde(skip_serializing_if = "is_standard")]
    pub edge_label: Option<String>,
    /// The edge data used as weights; `none` for no weights. The default is `weight`, if edges have it.
    #[serde(skip_serializing_if = "is_standard")]
    pub edge_weight: Option<String>,
    /// Numeric node data that become node attributes, in this order.
    #[serde(skip_serializing_if = "is_standard")]
    pub node_attributes: Vec<String>,
    /// Numeric edge data that become edge attributes, in this order.
    #[serde(skip_serializing_if = "is_standard")]
    pub edge_attributes: Vec<String>,
    /// The edge file, if the objects are nodes of one graph: a table `source,target`, optionally with `weight`, GML,
    /// GraphML, or a Matrix Market file.
    #[serde(skip_serializing_if = "is_standard")]
    pub edges: Option<PathBuf>,
}

/// How sequence files are read. By default the class is read from `class=…` in the headers, if all have it; if headers
/// are a few words that repeat, they are the class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SequenceOptions {
    /// The alphabet. The default is DNA, RNA or protein, whichever is the smallest that fits.
    #[serde(skip_serializing_if = "is_standard")]
    pub alphabet: Option<Alphabet>,
    /// Symbols keep their case instead of becoming upper case.
    #[serde(skip_serializing_if = "is_standard")]
    pub keep_case: bool,
    /// Where the class is in a header.
    #[serde(skip_serializing_if = "is_standard")]
    pub class: Option<ClassInHeader>,
    /// Two files, whose sequences are of the class `positive` and of the class `negative`. They are read in place of the
    /// path.
    #[serde(skip_serializing_if = "is_standard")]
    pub two: Option<(PathBuf, PathBuf)>,
    /// A table of data about the sequences, joined by its column `id` (or the one given by [`Options::id`]).
    #[serde(skip_serializing_if = "is_standard")]
    pub table: Option<PathBuf>,
}

/// Where the class is in the header of a sequence. Header fields are separated by white space or `|`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClassInHeader {
    /// The field with this number, from 1; the first is the name of the sequence.
    Piece(usize),
    /// The last field.
    Last,
    /// The value after `key=`.
    Key(String),
}

impl ClassInHeader {
    /// Parses `last`, a number, or a key.
    pub fn from_word(word: &str) -> Self {
        match (word, word.parse::<usize>()) {
            ("last", _) => ClassInHeader::Last,
            (_, Ok(n)) if n > 0 => ClassInHeader::Piece(n),
            _ => ClassInHeader::Key(word.to_owned()),
        }
    }
}

/// How a table is laid out that holds series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// One row per series: its numeric columns are the time steps, in order. Missing values at the end of a row end the
    /// series.
    Wide,
    /// One row per value: the series it belongs to ([`Options::id`]), the time, optionally the channel, and the value.
    /// Alternatively one row per time step, with one numeric column per channel. Rows may be in any order.
    Long,
}

/// How gaps in series are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Gaps {
    /// A gap is an error (`E_TS_MISSING`) that reports its position.
    Refuse,
    /// It is kept as NaN. Distances reject the series with its number.
    Keep,
    /// Linear interpolation between the neighbouring values; at the ends the nearest value.
    Interpolate,
    /// Filled with 0.
    Zero,
}

/// How series are read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SeriesOptions {
    /// The layout of series in a CSV or TSV table; `None` if the table holds no series.
    #[serde(skip_serializing_if = "is_standard")]
    pub layout: Option<Layout>,
    /// The column of a long table that holds the time. The default is `time`.
    #[serde(skip_serializing_if = "is_standard")]
    pub time: Option<String>,
    /// The column of a long table that names the channel. The default is `channel`, if there is one.
    #[serde(skip_serializing_if = "is_standard")]
    pub channel: Option<String>,
    /// The column of a long table that holds the values. The default is `value`, if there is one; otherwise every
    /// numeric column is a channel.
    #[serde(skip_serializing_if = "is_standard")]
    pub value: Option<String>,
    /// How gaps are handled. The default follows [`Options::missing`]; without that, gaps are rejected.
    #[serde(skip_serializing_if = "is_standard")]
    pub gaps: Option<Gaps>,
}

/// How molecules are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MoleculeOptions {
    /// Objects whose SMILES cannot be read are left out and counted in a warning, instead of being an error.
    #[serde(skip_serializing_if = "is_standard")]
    pub skip_invalid: bool,
    /// Of a mixture, such as a salt, only the largest part is kept.
    #[serde(skip_serializing_if = "is_standard")]
    pub largest_fragment: bool,
    /// The objects get groups of similar molecules, which splits keep together.
    #[serde(skip_serializing_if = "is_standard")]
    pub group_by: Option<MoleculeGroups>,
}

/// Groups of similar molecules.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MoleculeGroups {
    /// The same Bemis–Murcko scaffold; molecules without rings form one group.
    Scaffold,
    /// Butina's clusters by the Tanimoto distance of ECFP4 bits.
    Butina {
        /// The greatest distance from the centre of a cluster, from 0 to 1.
        cutoff: f64,
    },
}

impl MoleculeGroups {
    /// Parses `scaffold`, `butina` (a cutoff of 0.4) or `butina(0.3)`.
    pub fn from_word(word: &str) -> Option<Self> {
        let inside = |word: &str| word.strip_prefix("butina(")?.strip_suffix(')')?.trim().parse::<f64>().ok();
        match word.trim() {
            "scaffold" => Some(MoleculeGroups::Scaffold),
            "butina" => Some(MoleculeGroups::Butina { cutoff: 0.4 }),
            other => inside(other)
                .filter(|cutoff| (0.0..=1.0).contains(cutoff))
                .map(|cutoff| MoleculeGroups::Butina { cutoff }),
        }
    }
}

/// Whether an option has its default, so that files and documents need not say it.
fn is_standard<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Options of the readers. With the defaults, format and column types are detected.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    /// The format; detected by default.
    #[serde(skip_serializing_if = "is_standard")]
    pub format: Option<Format>,
    /// The target column. The default is a column named `class`, `target`, `label` or `y` (in any case).
    #[serde(skip_serializing_if = "is_standard")]
    pub target: Option<String>,
    /// Read no target, whatever the columns are called.
    #[serde(skip_serializing_if = "is_standard")]
    pub no_target: bool,
    /// The sheet of a spreadsheet or the table of a database. The default is the first visible sheet, or the only
    /// table.
    #[serde(skip_serializing_if = "is_standard")]
    pub sheet: Option<String>,
    /// The query whose result is read from a database: one `SELECT`.
    #[serde(skip_serializing_if = "is_standard")]
    pub query: Option<String>,
    /// How the target is interpreted.
    #[serde(skip_serializing_if = "is_standard")]
    pub target_kind: TargetKind,
    /// The column with the group of each object, such as the person it comes from.
    #[serde(skip_serializing_if = "is_standard")]
    pub group: Option<String>,
    /// The column with the names of the objects.
    #[serde(skip_serializing_if = "is_standard")]
    pub id: Option<String>,
    /// The column with the weights of the objects.
    #[serde(skip_serializing_if = "is_standard")]
    pub weight: Option<String>,
    /// The column that assigns objects to the training set (`train`) or the test set (`test`); other objects are left
    /// out.
    #[serde(skip_serializing_if = "is_standard")]
    pub split: Option<String>,
    /// The column with the time of each object: a number, or a date and time that begins with the year. It is not a
    /// feature; splits that keep the order of time use it.
    #[serde(skip_serializing_if = "is_standard")]
    pub time: Option<String>,
    /// Columns to leave out.
    #[serde(skip_serializing_if = "is_standard")]
    pub ignore: Vec<String>,
    /// Types of columns, where the inferred type is wrong.
    #[serde(skip_serializing_if = "is_standard")]
    pub kinds: BTreeMap<String, Kind>,
    /// How the cells of columns are written, as [`Dataset::forms`](crate::data::Dataset::forms) tells of a file that was
    /// read before. A column that is written otherwise is read by its own evidence, with a warning.
    #[serde(skip_serializing_if = "is_standard")]
    pub forms: BTreeMap<String, CellForm>,
    /// Names in `target`, `ignore` and `kinds` that the file does not have are ignored instead of being an error.
    #[serde(skip_serializing_if = "is_standard")]
    pub optional_names: bool,
    /// The same for `id`.
    #[serde(skip_serializing_if = "is_standard")]
    pub optional_id: bool,
    /// Objects without a target stay among the others, with a missing target, instead of being set aside as
    /// [`Dataset::unlabelled`](crate::data::Dataset::unlabelled).
    #[serde(skip_serializing_if = "is_standard")]
    pub keep_unlabelled: bool,
    /// How missing values are handled. By default they are kept, but a null in a Parquet column is an error.
    #[serde(skip_serializing_if = "is_standard")]
    pub missing: Option<Missing>,
    /// Every cell must be plain: no cell of another form becomes a missing value, no dates, amounts, decimal commas or
    /// encodings are recognised.
    #[serde(skip_serializing_if = "is_standard")]
    pub strict: bool,
    /// Words that stand for a missing value, in addition to the usual ones. Numbers such as `-999` are compared as numbers.
    #[serde(skip_serializing_if = "is_standard")]
    pub na: Vec<String>,
    /// The encoding of text; detected by default.
    #[serde(skip_serializing_if = "is_standard")]
    pub encoding: Option<Encoding>,
    /// With [`Missing::Drop`], tables keep rows with missing values, for a caller that drops them by the columns it uses
    /// ([`Dataset::without_missing`](crate::data::Dataset::without_missing)).
    #[serde(skip_serializing_if = "is_standard")]
    pub drop_later: bool,
    /// The field separator of CSV; detected by default.
    #[serde(skip_serializing_if = "is_standard")]
    pub delimiter: Option<u8>,
    /// Whether CSV has a header; detected by default.
    #[serde(skip_serializing_if = "is_standard")]
    pub header: Option<bool>,
    /// The first index in LIBSVM files, 0 or 1. The default is 1, and then an index 0 is an error.
    #[serde(skip_serializing_if = "is_standard")]
    pub index_base: Option<u32>,
    /// A square npy or npz matrix is a Gram matrix, not vectors.
    #[serde(skip_serializing_if = "is_standard")]
    pub precomputed: bool,
    /// Which parts of a graph file are read.
    #[serde(skip_serializing_if = "is_standard")]
    pub graph: GraphOptions,
    /// How series are read.
    #[serde(skip_serializing_if = "is_standard")]
    pub series: SeriesOptions,
    /// How sequence files are read.
    #[serde(skip_serializing_if = "is_standard")]
    pub sequences: SequenceOptions,
    /// How molecules are read.
    #[serde(skip_serializing_if = "is_standard")]
    pub molecules: MoleculeOptions,
    /// Limits on the resources a file may require.
    #[serde(skip_serializing_if = "is_standard")]
    pub limits: Limits,
}

impl Options {
    /// The policy for missing values in formats where omitted values are normal.
    pub(super) fn missing_or_keep(&self) -> Missing {
        match self.missing {
            Some(Missing::Drop) if self.drop_later => Missing::Keep,
            other => other.unwrap_or(Missing::Keep),
        }
    }
}
