//! Formats of one file, read from memory.

use std::path::Path;
use std::time::Duration;

use mercer::budget::Budget;
use mercer::data::Dataset;
use mercer::model::Container;
use mercer::read::{
    Format, Layout, Missing, MoleculeGroups, MoleculeOptions, Options, SeriesOptions, read_bytes,
};
use mercer::read::{Gaps, GraphOptions};

/// Reads with the options; the data must round-trip through a model file.
fn read(name: &str, bytes: &[u8], options: &Options) {
    if let Ok(data) = read_bytes(Path::new(name), bytes, options) {
        kept(&data);
    }
}

/// Stores a data set in a container and reads it again.
pub(super) fn kept(data: &Dataset) {
    let mut container = Container::new(serde_json::Value::Null);
    // Some values are refused there, such as infinite ones.
    let Ok(schema) = container.put_dataset("data", data) else { return };
    match container.dataset("data", &schema) {
        Ok(again) => {
            assert_eq!(again.columns().len(), data.columns().len(), "columns were lost in a container")
        }
        Err(e) => panic!("stored data cannot be read: {e}"),
    }
}

fn of(format: Format) -> Options {
    Options { format: Some(format), ..Options::default() }
}

pub(super) fn arff(bytes: &[u8]) {
    read("a.arff", bytes, &of(Format::Arff));
    read("a.arff", bytes, &Options { missing: Some(Missing::Drop), ..of(Format::Arff) });
}

pub(super) fn csv(bytes: &[u8]) {
    read("a.csv", bytes, &of(Format::Csv));
    read("a.tsv", bytes, &Options { missing: Some(Missing::Drop), no_target: true, ..of(Format::Tsv) });
    for layout in [Layout::Wide, Layout::Long] {
        let series = SeriesOptions { layout: Some(layout), ..SeriesOptions::default() };
        read("a.csv", bytes, &Options { series, ..of(Format::Csv) });
    }
}

pub(super) fn fasta(bytes: &[u8]) {
    read("a.fasta", bytes, &of(Format::Fasta));
}

pub(super) fn smiles(bytes: &[u8]) {
    read("a.smi", bytes, &of(Format::Smiles));
    let molecules = MoleculeOptions {
        skip_invalid: true,
        largest_fragment: true,
        group_by: Some(MoleculeGroups::Scaffold),
    };
    read("a.smi", bytes, &Options { molecules, ..of(Format::Smiles) });
}

pub(super) fn gml(bytes: &[u8]) {
    read("a.gml", bytes, &of(Format::Gml));
}

pub(super) fn graphml(bytes: &[u8]) {
    read("a.graphml", bytes, &of(Format::Graphml));
}

pub(super) fn images(bytes: &[u8]) {
    read("a.png", bytes, &of(Format::Images));
}

pub(super) fn libsvm(bytes: &[u8]) {
    read("a.svm", bytes, &of(Format::Libsvm));
    read("a.svm", bytes, &Options { index_base: Some(0), ..of(Format::Libsvm) });
}

pub(super) fn npy(bytes: &[u8]) {
    read("a.npy", bytes, &of(Format::Npy));
    read("a.npy", bytes, &Options { precomputed: true, ..of(Format::Npy) });
}

pub(super) fn npz(bytes: &[u8]) {
    read("a.npz", bytes, &of(Format::Npz));
    read("a.npz", bytes, &Options { precomputed: true, ..of(Format::Npz) });
}

/// Compressed files.
pub(super) fn packed(bytes: &[u8]) {
    read("a.csv.gz", bytes, &of(Format::Csv));
}

pub(super) fn parquet(bytes: &[u8]) {
    read("a.parquet", bytes, &of(Format::Parquet));
}

pub(super) fn sdf(bytes: &[u8]) {
    read("a.sdf", bytes, &of(Format::Sdf));
    let node_attributes = ["x", "y", "z"].map(str::to_owned).to_vec();
    read(
        "a.sdf",
        bytes,
        &Options { graph: GraphOptions { node_attributes, ..GraphOptions::default() }, ..of(Format::Sdf) },
    );
}

pub(super) fn sheets(bytes: &[u8]) {
    read("a.xlsx", bytes, &of(Format::Xlsx));
    read("a.ods", bytes, &of(Format::Ods));
}

pub(super) fn json(bytes: &[u8]) {
    read("a.json", bytes, &of(Format::Json));
    read("a.json", bytes, &Options { missing: Some(Missing::Drop), ..of(Format::Json) });
}

pub(super) fn arrow(bytes: &[u8]) {
    read("a.arrow", bytes, &of(Format::Arrow));
}

/// Databases, and queries of one.
pub(super) fn sqlite(bytes: &[u8]) {
    read("a.sqlite", bytes, &of(Format::Sqlite));
    if let Ok(query) = std::str::from_utf8(bytes) {
        // Two pages: the schema of a table and its rows.
        let database = include_bytes!("../../corpus/sqlite/table");
        let options = Options { query: Some(query.to_owned()), ..of(Format::Sqlite) };
        // Some queries have no end.
        let budget = Budget::default().with_time(Duration::from_millis(300));
        budget.enter(|| read("a.sqlite", database, &options));
    }
}

/// A name without an extension: the format is recognised by the content.
pub(super) fn sniffed(bytes: &[u8]) {
    read("data", bytes, &Options::default());
}

pub(super) fn ts(bytes: &[u8]) {
    read("a.ts", bytes, &of(Format::Ts));
    let series = SeriesOptions { gaps: Some(Gaps::Interpolate), ..SeriesOptions::default() };
    read("a.ts", bytes, &Options { series, ..of(Format::Ts) });
}

pub(super) fn ucr(bytes: &[u8]) {
    read("A_TRAIN.tsv", bytes, &of(Format::Ucr));
}
