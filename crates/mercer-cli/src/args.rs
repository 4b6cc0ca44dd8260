//! The command line: the commands and the options they share.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::builder::ArgPredicate;
use clap::{Args, Parser, Subcommand, ValueEnum};
use mercer::data::{Alphabet, Kind};
use mercer::read::{
    ClassInHeader, Encoding, Format, Gaps, GraphOptions, Layout, Limits, Missing, MoleculeGroups,
    MoleculeOptions, Options, SequenceOptions, SeriesOptions, TargetKind,
};
use mercer::{Error, Result};

use crate::commands::{
    auto, compare, convert, evaluate, explain, fit, generate, gram, inspect, kernels, learners, map, predict,
    report, reproduce, serve, suggest,
};

/// Learning from any data through kernels.
#[derive(Debug, Parser)]
#[command(name = "mercer", version, max_term_width = 110)]
#[command(after_help = "Exit codes: 0 done, 1 failed, 2 bad input or usage, 130 interrupted.")]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The place of the options that every command has: after its own ones, before `--help`.
const COMMON: usize = 900;

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Print one JSON document instead of text
    #[arg(long, global = true, display_order = COMMON)]
    pub(crate) json: bool,
    /// Number of threads; results do not depend on it [default: all cores]
    #[arg(long, global = true, display_order = COMMON + 1, value_name = "N")]
    pub(crate) threads: Option<usize>,
    /// Random seed
    #[arg(long, global = true, display_order = COMMON + 2, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Print only results, warnings and errors
    #[arg(long, short, global = true, display_order = COMMON + 3)]
    pub(crate) quiet: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Search kernels and learners for the data, compare them, and save the best model; without DATA, on embedded data
    Auto(auto::AutoArgs),
    /// Fit a kernel and a learner to data, and save the model
    Fit(fit::FitArgs),
    /// Predict new objects with a model
    Predict(predict::PredictArgs),
    /// Explain what a model learned: which columns it uses, and what it makes of their values
    Explain(explain::ExplainArgs),
    /// Rank candidates for the next measurement by what a model of gp expects of them
    Suggest(suggest::SuggestArgs),
    /// Cross-validate a kernel and a learner; parameter ranges are searched inside the training sets
    Evaluate(evaluate::EvaluateArgs),
    /// Compare kernels and learners on the same splits of one or several data sets, with significance tests
    Compare(compare::CompareArgs),
    /// Convert a model to the format of LIBSVM, or from it
    Convert(convert::ConvertArgs),
    /// Generate a data set: balance, half-moons, rings, swiss-roll or a network
    Generate(generate::GenerateArgs),
    /// Compute a Gram matrix; resumable if written to an npy file
    Gram(gram::GramArgs),
    /// Write the objects' coordinates in a kernel's feature space
    Map(map::MapArgs),
    /// Describe a data file and what is wrong in it, a Gram matrix with its eigenvalues, or a model
    Inspect(inspect::InspectArgs),
    /// List the kernels, or explain one
    Kernels(kernels::KernelsArgs),
    /// List the learners, or explain one
    Learners(learners::LearnersArgs),
    /// Make an HTML page or plots from a document that --report wrote
    Report(report::ReportArgs),
    /// Rerun a published experiment and compare the results with the published numbers
    Reproduce(reproduce::ReproduceArgs),
    /// Serve predictions over HTTP, with a web page to paste data into
    Serve(serve::ServeArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    Man,
}

/// Options for reading data.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct Reading {
    /// Format of the data [default: detected]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<FormatName>,
    /// Sheet of a spreadsheet or table of a database, as in book.xlsx::Sheet2 [default: the first sheet, the only table]
    #[arg(long, value_name = "NAME")]
    sheet: Option<String>,
    /// Read the result of this query of an SQLite database: one SELECT
    #[arg(long, value_name = "SQL", conflicts_with = "sheet")]
    query: Option<String>,
    /// Column to predict [default: one named class, target, label or y]
    #[arg(long, value_name = "COLUMN")]
    target: Option<String>,
    /// Treat no column as the target
    #[arg(long, conflicts_with = "target")]
    no_target: bool,
    /// Whether the target is classes or numbers [default: inferred]
    #[arg(long, value_enum, value_name = "KIND")]
    target_kind: Option<TargetName>,
    /// Column with the group of each object, such as the person; splits keep groups whole
    #[arg(long, alias = "groups", value_name = "COLUMN")]
    group: Option<String>,
    /// Column with the names of the objects
    #[arg(long, value_name = "COLUMN")]
    id: Option<String>,
    /// Column with the weights of the objects
    #[arg(long, value_name = "COLUMN")]
    weight: Option<String>,
    /// Column that says train or test for each object; objects with other values are left out
    #[arg(long, value_name = "COLUMN")]
    split_column: Option<String>,
    /// Column with the time of each object, a number or a date that begins with the year; it is not a feature, and splits
    /// then keep the order of time, as --protocol 'forward(5)' does
    #[arg(long, value_name = "COLUMN")]
    time_column: Option<String>,
    /// Columns to leave out, separated by commas
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Type of a column: COLUMN=numbers|categories|times|strings|text|molecules (SMILES)|images (paths of image files); may
    /// be repeated
    #[arg(long = "type", value_name = "COLUMN=KIND")]
    kinds: Vec<String>,
    /// How to treat missing values: keep, drop objects that lack a value the kernel uses, or refuse [default: keep;
    /// Parquet nulls: refuse]. Objects without a target are set aside in any case, unless refused
    #[arg(long, value_enum, value_name = "POLICY")]
    missing: Option<MissingName>,
    /// Refuse tables with cells that do not fit their column; recognise no dates, amounts, decimal commas or encodings
    #[arg(long)]
    strict: bool,
    /// Words or numbers that stand for a missing value, separated by commas, besides the empty field, ?, NA, N/A and null
    #[arg(long, value_name = "WORDS", value_delimiter = ',', allow_negative_numbers = true)]
    na: Vec<String>,
    /// Encoding of text: utf-8, utf-16le, utf-16be or windows-1252 [default: detected]
    #[arg(long, value_name = "ENCODING", value_parser = encoding)]
    encoding: Option<Encoding>,
    /// Field separator of CSV: one character [default: detected]
    #[arg(long, value_name = "CHAR")]
    delimiter: Option<char>,
    /// Whether CSV has a header line [default: detected]
    #[arg(long, value_name = "BOOL", value_parser = clap::builder::BoolishValueParser::new())]
    header: Option<bool>,
    /// First index of LIBSVM files, 0 or 1
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=1))]
    index_base: Option<u32>,
    /// The data is a precomputed kernel matrix: similarities between the objects
    #[arg(long)]
    precomputed: bool,
    /// Limit on the length of a line, in bytes
    #[arg(long, value_name = "BYTES")]
    max_line: Option<usize>,
    /// Limit on the dimension of sparse data
    #[arg(long, value_name = "N")]
    max_dim: Option<u64>,
    /// Limit on the ratio of decompressed to compressed size
    #[arg(long, value_name = "N")]
    max_ratio: Option<u64>,
    /// Limit on the size of a decoded image, in bytes
    #[arg(long, value_name = "BYTES")]
    max_image: Option<u64>,
    #[command(flatten)]
    graph: GraphReading,
    #[command(flatten)]
    series: SeriesReading,
    #[command(flatten)]
    sequences: SequenceReading,
    #[command(flatten)]
    molecules: MoleculeReading,
}

impl Reading {
    /// Files that are read in addition to the data.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &PathBuf> {
        let sequences = &self.sequences;
        self.graph.edges.iter().chain(&sequences.table).chain(&sequences.positive).chain(&sequences.negative)
    }

    /// Whether data is read without a target on purpose.
    pub(crate) fn ignores_target(&self) -> bool {
        self.no_target
    }

    /// The name of the id column.
    pub(crate) fn id_name(&self) -> &str {
        self.id.as_deref().unwrap_or("id")
    }

    /// Whether objects with missing values are dropped.
    pub(crate) fn drops_missing(&self) -> bool {
        matches!(self.missing, Some(MissingName::Drop))
    }

    /// The library's reading options.
    pub(crate) fn options(&self) -> Result<Options> {
        let mut kinds = BTreeMap::new();
        for text in &self.kinds {
            let known = [
                Kind::Numbers,
                Kind::Categories,
                Kind::Times,
                Kind::Strings,
                Kind::Text,
                Kind::Molecules,
                Kind::Graphs,
                Kind::Images,
            ];
            let parsed = text.rsplit_once('=').and_then(|(column, kind)| {
                known.into_iter().find(|k| k.name() == kind).map(|k| (column.to_owned(), k))
            });
            let (column, kind) = parsed.ok_or_else(|| Error::Param {
                name: "--type".into(),
                value: text.clone(),
                domain: "COLUMN=numbers, categories, times, strings, text, molecules, graphs or images"
                    .into(),
            })?;
            kinds.insert(column, kind);
        }
        let delimiter = match self.delimiter {
            Some(c) if !c.is_ascii() || c == '"' || c == '\n' || c == '\r' => {
                return Err(Error::Param {
                    name: "--delimiter".into(),
                    value: c.to_string(),
                    domain: "one ASCII character other than a quote or line end".into(),
                });
            }
            other => other.map(|c| c as u8),
        };
        let standard = Limits::default();
        Ok(Options {
            format: self.format.map(FormatName::format),
            sheet: self.sheet.clone(),
            query: self.query.clone(),
            target: self.target.clone(),
            no_target: self.no_target,
            target_kind: match self.target_kind {
                None => TargetKind::Infer,
                Some(TargetName::Classes) => TargetKind::Classes,
                Some(TargetName::Numbers) => TargetKind::Numbers,
            },
            group: self.group.clone(),
            id: self.id.clone(),
            weight: self.weight.clone(),
            split: self.split_column.clone(),
            time: self.time_column.clone(),
            ignore: self.ignore.clone(),
            kinds,
            forms: BTreeMap::new(),
            optional_names: false,
            optional_id: false,
            keep_unlabelled: false,
            // The columns that a kernel uses are known only after the data is read: see `sets::drop_missing`.
            drop_later: true,
            missing: self.missing.map(|policy| match policy {
                MissingName::Keep => Missing::Keep,
                MissingName::Drop => Missing::Drop,
                MissingName::Refuse => Missing::Refuse,
            }),
            strict: self.strict,
            na: self.na.clone(),
            encoding: self.encoding,
            delimiter,
            header: self.header,
            index_base: self.index_base,
            precomputed: self.precomputed,
            graph: self.graph.options(),
            series: self.series.options(),
            sequences: self.sequences.options(),
            molecules: self.molecules.options(),
            limits: Limits {
                line: self.max_line.unwrap_or(standard.line),
                dim: self.max_dim.unwrap_or(standard.dim),
                ratio: self.max_ratio.unwrap_or(standard.ratio),
                image: self.max_image.unwrap_or(standard.image),
            },
        })
    }
}

/// Options for reading graphs.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Reading graphs")]
struct GraphReading {
    /// The objects are nodes of one graph; this file has its edges: a table source,target[,weight], GML, GraphML or
    /// Matrix Market
    #[arg(long, value_name = "FILE")]
    edges: Option<PathBuf>,
    /// Treat edges as directed where the file does not say
    #[arg(long)]
    directed: bool,
    /// Attribute with the node labels in GML, GraphML and tables; none for no labels [default: label]
    #[arg(long, value_name = "NAME")]
    node_label: Option<String>,
    /// Attribute with the edge labels; none for no labels [default: label]
    #[arg(long, value_name = "NAME")]
    edge_label: Option<String>,
    /// Attribute with the edge weights; none for no weights [default: weight]
    #[arg(long, value_name = "NAME")]
    edge_weight: Option<String>,
    /// Numeric fields to use as node attributes, separated by commas; for molecules x, y and z
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    node_attributes: Vec<String>,
    /// Numeric fields to use as edge attributes, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    edge_attributes: Vec<String>,
}

impl GraphReading {
    fn options(&self) -> GraphOptions {
        GraphOptions {
            directed: self.directed,
            node_label: self.node_label.clone(),
            edge_label: self.edge_label.clone(),
            edge_weight: self.edge_weight.clone(),
            node_attributes: self.node_attributes.clone(),
            edge_attributes: self.edge_attributes.clone(),
            edges: self.edges.clone(),
        }
    }
}

/// Options for reading time series.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Reading time series")]
struct SeriesReading {
    /// Layout of time series in a CSV or TSV table: wide (one row per series) or long (one row per value, with columns
    /// for id and time)
    #[arg(long, value_enum, value_name = "LAYOUT")]
    series: Option<LayoutName>,
    /// Time column of a long table [default: time]
    #[arg(long, value_name = "COLUMN")]
    series_time: Option<String>,
    /// Channel column of a long table [default: channel, if there is one]
    #[arg(long, value_name = "COLUMN")]
    series_channel: Option<String>,
    /// Value column of a long table [default: value; without it every numeric column is a channel]
    #[arg(long, value_name = "COLUMN")]
    series_value: Option<String>,
    /// How to treat missing values in series: refuse, keep, interpolate or zero [default: as --missing, else refuse]
    #[arg(long, value_enum, value_name = "POLICY")]
    series_missing: Option<GapsName>,
}

impl SeriesReading {
    fn options(&self) -> SeriesOptions {
        SeriesOptions {
            layout: self.series.map(|layout| match layout {
                LayoutName::Wide => Layout::Wide,
                LayoutName::Long => Layout::Long,
            }),
            time: self.series_time.clone(),
            channel: self.series_channel.clone(),
            value: self.series_value.clone(),
            gaps: self.series_missing.map(|gaps| match gaps {
                GapsName::Refuse => Gaps::Refuse,
                GapsName::Keep => Gaps::Keep,
                GapsName::Interpolate => Gaps::Interpolate,
                GapsName::Zero => Gaps::Zero,
            }),
        }
    }
}

/// Options for reading sequences.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Reading sequences")]
struct SequenceReading {
    /// Alphabet: dna, rna, protein, or unicode and bytes for any symbol [default: the smallest that fits]
    #[arg(long, value_name = "ALPHABET", value_parser = alphabet)]
    alphabet: Option<Alphabet>,
    /// Keep lower-case symbols instead of converting them to upper case
    #[arg(long)]
    keep_case: bool,
    /// Where the class is in a FASTA header: last, the number of a field between spaces or bars (1 if headers hold only
    /// the class), or KEY for fields KEY=class [default: class, target, label or y, if every header has it; the header itself
    /// if it is one word that repeats]
    #[arg(long, value_name = "WHERE")]
    class_in_header: Option<String>,
    /// FASTA or FASTQ file with the sequences of one class, in place of DATA; --negative gives the other
    #[arg(long, value_name = "FILE", requires = "negative", conflicts_with = "data")]
    positive: Option<PathBuf>,
    /// FASTA or FASTQ file with the sequences of the other class
    #[arg(long, value_name = "FILE", requires = "positive", conflicts_with_all = ["target", "table", "class_in_header"])]
    negative: Option<PathBuf>,
    /// Table with the classes and other columns of FASTA sequences, joined on its column id (or the one of --id)
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
}

impl SequenceReading {
    fn options(&self) -> SequenceOptions {
        SequenceOptions {
            alphabet: self.alphabet,
            keep_case: self.keep_case,
            class: self.class_in_header.as_deref().map(ClassInHeader::from_word),
            two: self.positive.clone().zip(self.negative.clone()),
            table: self.table.clone(),
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LayoutName {
    Wide,
    Long,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum GapsName {
    Refuse,
    Keep,
    Interpolate,
    Zero,
}

/// Options for reading molecules.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Reading molecules")]
struct MoleculeReading {
    /// Leave out objects whose SMILES cannot be read, with a count, instead of stopping at the first
    #[arg(long)]
    skip_invalid: bool,
    /// Keep only the largest part of mixtures, such as the acid of a salt
    #[arg(long)]
    largest_fragment: bool,
    /// Groups of similar molecules, which splits keep together: scaffold (Bemis–Murcko), or butina(CUTOFF), clusters by
    /// the Tanimoto distance of ECFP4 bits
    #[arg(long, value_name = "GROUPS", value_parser = molecule_groups, conflicts_with = "group")]
    group_by: Option<MoleculeGroups>,
}

impl MoleculeReading {
    fn options(&self) -> MoleculeOptions {
        MoleculeOptions {
            skip_invalid: self.skip_invalid,
            largest_fragment: self.largest_fragment,
            group_by: self.group_by,
        }
    }
}

fn molecule_groups(word: &str) -> std::result::Result<MoleculeGroups, String> {
    MoleculeGroups::from_word(word)
        .ok_or_else(|| "scaffold, butina or butina(CUTOFF), a cutoff from 0 to 1".into())
}

fn alphabet(name: &str) -> std::result::Result<Alphabet, String> {
    let names = Alphabet::ALL.map(Alphabet::name).join(", ");
    Alphabet::from_name(name).ok_or_else(|| format!("one of {names}"))
}

/// Formats by name.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum FormatName {
    Csv,
    Tsv,
    Libsvm,
    Arff,
    Npy,
    Npz,
    Parquet,
    Xlsx,
    Ods,
    Json,
    Arrow,
    Sqlite,
    Tu,
    Gml,
    Graphml,
    Edges,
    Sdf,
    Folder,
    Ts,
    Ucr,
    Fasta,
    Fastq,
    Smiles,
    Manifest,
    Images,
}

impl FormatName {
    fn format(self) -> Format {
        match self {
            FormatName::Csv => Format::Csv,
            FormatName::Tsv => Format::Tsv,
            FormatName::Libsvm => Format::Libsvm,
            FormatName::Arff => Format::Arff,
            FormatName::Npy => Format::Npy,
            FormatName::Npz => Format::Npz,
            FormatName::Parquet => Format::Parquet,
            FormatName::Xlsx => Format::Xlsx,
            FormatName::Ods => Format::Ods,
            FormatName::Json => Format::Json,
            FormatName::Arrow => Format::Arrow,
            FormatName::Sqlite => Format::Sqlite,
            FormatName::Tu => Format::Tu,
            FormatName::Gml => Format::Gml,
            FormatName::Graphml => Format::Graphml,
            FormatName::Edges => Format::Edges,
            FormatName::Sdf => Format::Sdf,
            FormatName::Folder => Format::Folder,
            FormatName::Manifest => Format::Manifest,
            FormatName::Ts => Format::Ts,
            FormatName::Ucr => Format::Ucr,
            FormatName::Fasta => Format::Fasta,
            FormatName::Fastq => Format::Fastq,
            FormatName::Smiles => Format::Smiles,
            FormatName::Images => Format::Images,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum TargetName {
    Classes,
    Numbers,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum MissingName {
    Keep,
    Drop,
    Refuse,
}

/// The name of the data in two files, those of --positive and --negative.
pub(crate) const BOTH: &str = "sequences";

fn encoding(name: &str) -> std::result::Result<Encoding, String> {
    let names = || Encoding::ALL.map(Encoding::name).join(", ");
    Encoding::from_name(name).ok_or_else(|| format!("must be one of {}", names()))
}

/// A data file and the options for reading it.
#[derive(Clone, Debug, Args)]
pub(crate) struct DataArgs {
    /// CSV, TSV, XLSX, ODS, JSON, LIBSVM, ARFF, npy, npz, Parquet, Arrow, SQLite, ts, UCR, FASTA, FASTQ, SMILES, GML,
    /// GraphML or SDF file, plain or compressed with gzip, zstd, bzip2 or xz, or a folder of graphs: a TU collection,
    /// tables of edges, or files of one graph each. FILE::NAME is a sheet or a table of a database
    // Commands list the options for reading last; the headings before them are not for the data.
    #[arg(value_name = "DATA", help_heading = None::<&'static str>)]
    #[arg(required = false, required_unless_present = "positive")]
    #[arg(default_value_if("positive", ArgPredicate::IsPresent, BOTH))]
    pub(crate) data: PathBuf,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

impl DataArgs {
    /// The input files.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.data).chain(self.reading.inputs())
    }
}
