//! Data sets included in the library; README.md in this folder lists their sources.

use std::borrow::Cow;
use std::path::Path;

use crate::data::Dataset;
use crate::error::Result;
use crate::{Options, TuFile};

/// The names of the data sets.
pub const NAMES: [&str; 3] = ["promoters", "mutag", "iris"];

/// The files of MUTAG by the suffix of their names.
const MUTAG: [(&str, &[u8]); 5] = [
    ("A", include_bytes!("MUTAG_A.txt.gz")),
    ("graph_indicator", include_bytes!("MUTAG_graph_indicator.txt.gz")),
    ("graph_labels", include_bytes!("MUTAG_graph_labels.txt.gz")),
    ("node_labels", include_bytes!("MUTAG_node_labels.txt.gz")),
    ("edge_labels", include_bytes!("MUTAG_edge_labels.txt.gz")),
];

/// The meaning of the numbers in MUTAG's files.
const ELEMENTS: [&str; 7] = ["C", "N", "O", "F", "I", "Cl", "Br"];
const BONDS: [&str; 4] = ["ar", "1", "2", "3"];

const IRIS: &[u8] = include_bytes!("iris.csv");

const PROMOTERS: &[u8] = include_bytes!("promoters.csv");

/// 106 DNA sequences of 57 nucleotides from *E. coli*: 53 promoters, where transcription of a gene begins (`promoter`),
/// and 53 other sequences (`other`).
///
/// Towell, Shavlik & Noordewier 1990, Refinement of approximate domain theories by knowledge-based neural networks.
///
/// ```
/// let promoters = mercer_read::embedded::promoters()?;
/// assert_eq!((promoters.len(), promoters.target_name()), (106, Some("class")));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn promoters() -> Result<Dataset> {
    read_promoters(&Options::default())
}

/// 188 nitro compounds as molecular graphs, labelled mutagenic (`1`) or not (`-1`).
///
/// Nodes are labelled by element: `C`, `N`, `O`, `F`, `I`, `Cl`, `Br`. Edges are labelled by bond type as in MOL2
/// files: `ar` aromatic, `1` single, `2` double, `3` triple. The published collection uses numbers from 0 in these
/// orders.
///
/// Debnath, Lopez de Compadre, Debnath, Shusterman & Hansch 1991, Structure-activity relationship of mutagenic aromatic and
/// heteroaromatic nitro compounds.
///
/// ```
/// let mutag = mercer_read::embedded::mutag()?;
/// assert_eq!((mutag.len(), mutag.target_name()), (188, Some("class")));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn mutag() -> Result<Dataset> {
    read_mutag(&Options::default())
}

/// 150 iris flowers of three species, with four measurements each.
///
/// Fisher 1936, The use of multiple measurements in taxonomic problems.
///
/// ```
/// let iris = mercer_read::embedded::iris()?;
/// assert_eq!((iris.len(), iris.columns().len()), (150, 4));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn iris() -> Result<Dataset> {
    read_iris(&Options::default())
}

/// The data set with this name, read with the given options; `None` if there is none.
pub fn read(name: &str, options: &Options) -> Option<Result<Dataset>> {
    match name {
        "promoters" => Some(read_promoters(options)),
        "mutag" => Some(read_mutag(options)),
        "iris" => Some(read_iris(options)),
        _ => None,
    }
}

fn read_promoters(options: &Options) -> Result<Dataset> {
    crate::read_bytes(Path::new("promoters.csv"), PROMOTERS, options)
}

fn read_iris(options: &Options) -> Result<Dataset> {
    crate::read_bytes(Path::new("iris.csv"), IRIS, options)
}

fn read_mutag(options: &Options) -> Result<Dataset> {
    let open = |part: &str| {
        let Some((part, packed)) = MUTAG.iter().find(|(name, _)| *name == part) else { return Ok(None) };
        let name = format!("MUTAG_{part}.txt").into();
        let bytes = crate::unpacked(Path::new(&name), packed, &options.limits)?;
        let bytes = match *part {
            "node_labels" => named(&bytes, &ELEMENTS),
            "edge_labels" => named(&bytes, &BONDS),
            _ => bytes,
        };
        Ok(Some(TuFile { name, bytes: Cow::Owned(bytes) }))
    };
    crate::read_tu(Path::new("MUTAG"), &open, options)
}

/// Replaces the numbers in lines by names.
fn named(lines: &[u8], names: &[&str]) -> Vec<u8> {
    let name = |line: &str| line.trim().parse().ok().and_then(|at: usize| names.get(at).copied());
    let text = String::from_utf8_lossy(lines);
    text.lines().flat_map(|line| [name(line).unwrap_or(line), "\n"]).collect::<String>().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Graph, Target, Values};

    #[test]
    fn mutag_is_complete() {
        let data = mutag().unwrap();
        let Values::Graphs(graphs) = &data.columns()[0].values else { panic!() };
        let sum = |of: fn(&Graph) -> usize| graphs.iter().map(of).sum::<usize>();
        assert_eq!((graphs.len(), sum(Graph::nodes), sum(Graph::edges)), (188, 3371, 3721));
        let Some(Target::Classes(classes)) = data.target() else { panic!() };
        let count = |name| (0..classes.len()).filter(|&i| classes.get(i) == Some(name)).count();
        assert_eq!((count("1"), count("-1")), (125, 63));
        let summary = crate::data::GraphSummary::of(graphs);
        assert_eq!((summary.node_labels, summary.edge_labels), (Some(7), Some(4)));
        // The first molecule is a carbon ring with a nitro group.
        let first: Vec<&str> = graphs[0].node_labels().unwrap().iter().collect();
        assert_eq!((first[0], first.iter().filter(|l| **l == "O").count()), ("C", 2));
        assert!(data.warnings().is_empty());
    }

    #[test]
    fn promoters_are_complete() {
        let data = promoters().unwrap();
        let Values::Strings(strings) = &data.columns()[0].values else { panic!() };
        assert!(strings.iter().flatten().all(|s| s.len() == 57 && s.bytes().all(|b| b"acgt".contains(&b))));
        let Some(Target::Classes(classes)) = data.target() else { panic!() };
        let count = |name| (0..classes.len()).filter(|&i| classes.get(i) == Some(name)).count();
        assert_eq!((strings.len(), count("promoter"), count("other")), (106, 53, 53));
        assert!(data.warnings().is_empty());
    }

    #[test]
    fn by_name() {
        for name in NAMES {
            assert!(read(name, &Options::default()).unwrap().is_ok(), "{name}");
        }
        assert!(read("none", &Options::default()).is_none());
    }
}
