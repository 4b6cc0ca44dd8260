use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;

use proptest::prelude::*;

use super::super::tu::{self, File};
use super::*;
use crate::data::{GraphBuilder, Labels};
use crate::error::Place;
use crate::{TargetKind, read};

/// Files of a collection by the suffix of their names.
type Parts<'a> = BTreeMap<&'a str, String>;

fn parts<'a>(parts: &[(&'a str, &str)]) -> Parts<'a> {
    parts.iter().map(|(k, v)| (*k, (*v).to_owned())).collect()
}

fn collection(parts: &Parts<'_>, options: &Options) -> Result<Dataset> {
    let open = |part: &str| {
        let file = |text: &String| File {
            name: format!("D_{part}.txt").into(),
            bytes: Cow::Owned(text.clone().into_bytes()),
        };
        Ok(parts.get(part).map(file))
    };
    tu::read(Path::new("D"), &open, options)
}

/// Two graphs: a triangle with a tail, listed in both directions, and a single node.
fn small() -> Parts<'static> {
    parts(&[
        ("A", "1, 2\n2, 1\n2, 3\n3, 2\n1, 3\n3, 1\n3, 4\n4, 3\n"),
        ("graph_indicator", "1\n1\n1\n1\n2\n"),
        ("graph_labels", "1\n-1\n"),
        ("node_labels", "0\n0\n1\n2\n0\n"),
        ("edge_labels", "5\n5\n6\n6\n5\n5\n7\n7\n"),
        ("node_attributes", "0.5, 1\n1.5,2\n2.5 , 3\n3.5, -4e-1\n0, 0\n"),
        ("edge_attributes", "1\n1\n2\n2\n3\n3\n4\n4\n"),
    ])
}

fn with(part: &'static str, text: &str) -> Parts<'static> {
    let mut parts = small();
    parts.insert(part, text.to_owned());
    parts
}

#[track_caller]
fn bad(part: &'static str, text: &str, code: Code, file: &str, line: u64) {
    match collection(&with(part, text), &Options::default()).unwrap_err() {
        Error::Parse { place: Place { file: found, line: at, .. }, code: is, reason, .. } => {
            assert_eq!((is, found.to_str().unwrap(), at), (code, file, line), "{reason}");
        }
        other => panic!("{other}"),
    }
}

#[test]
fn all_files() {
    let data = collection(&small(), &Options::default()).unwrap();
    let [g, single] = graphs(&data) else { panic!() };
    assert_eq!(arcs(g), [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1), (2, 3), (3, 2)]);
    assert_eq!(node_labels(g), ["0", "0", "1", "2"]);
    assert_eq!(edge_labels(g), ["5", "5", "5", "6", "5", "6", "7", "7"]);
    assert_eq!(g.node_attributes().unwrap().row(3), [3.5, -0.4]);
    assert_eq!(g.edge_attributes().unwrap().values(), [1.0, 3.0, 1.0, 2.0, 3.0, 2.0, 4.0, 4.0]);
    assert_eq!((single.nodes(), single.edges(), node_labels(single)), (1, 0, vec!["0"]));
    assert_eq!((classes(&data), data.target_name()), (vec!["1", "-1"], Some("class")));
    assert_eq!(data.ids().unwrap(), ["1", "2"]);
    assert_eq!((codes(&data), g.is_directed()), (vec![], false));
}

#[test]
fn equivalent_files() {
    let data = collection(&small(), &Options::default()).unwrap();
    let spaced = small().into_iter().map(|(k, v)| (k, v.replace(',', " ,  ").replace('\n', " \r\n")));
    assert_eq!(collection(&spaced.collect(), &Options::default()).unwrap(), data);
    let tight = small().into_iter().map(|(k, v)| (k, v.replace(' ', "").trim_end().to_owned()));
    assert_eq!(collection(&tight.collect(), &Options::default()).unwrap(), data);
    let blank = small().into_iter().map(|(k, v)| (k, v + "\n \n"));
    assert_eq!(collection(&blank.collect(), &Options::default()).unwrap(), data);
    let spaces = with("A", &small()["A"].replace(',', ""));
    assert_eq!(collection(&spaces, &Options::default()).unwrap(), data);
}

#[test]
fn only_two_files_are_needed() {
    let all = parts(&[("A", "2,1\n1,2\n"), ("graph_indicator", "1\n1\n")]);
    let data = collection(&all, &Options::default()).unwrap();
    assert_eq!((graphs(&data)[0].edges(), data.target()), (1, None));
    assert!(graphs(&data)[0].node_labels().is_none());
    for part in ["A", "graph_indicator"] {
        let mut less = all.clone();
        less.remove(part);
        assert_eq!(collection(&less, &Options::default()).unwrap_err().code(), Code::IoOpen);
    }
}

#[test]
fn several_label_columns_are_combined() {
    let data = collection(&with("node_labels", "0, 1\n0,1\n0,  2\n1,1\n0,1\n"), &Options::default()).unwrap();
    assert_eq!(node_labels(&graphs(&data)[0]), ["0,1", "0,1", "0,2", "1,1"]);
}

#[test]
fn edges_in_any_order() {
    let all = parts(&[
        ("A", "3,4\n1,2\n4,3\n2,1\n"),
        ("graph_indicator", "1\n1\n2\n2\n"),
        ("edge_labels", "b\na\nb\na\n"),
        ("edge_attributes", "3\n1\n4\n2\n"),
    ]);
    let data = collection(&all, &Options::default()).unwrap();
    assert_eq!(graphs(&data).iter().map(edge_labels).collect::<Vec<_>>(), [["a", "a"], ["b", "b"]]);
    assert_eq!(graphs(&data)[0].edge_attributes().unwrap().values(), [1.0, 1.0]);
    assert_eq!(graphs(&data)[1].edge_attributes().unwrap().values(), [3.0, 3.0]);
}

#[test]
fn targets() {
    let mut all = small();
    all.insert("graph_attributes", "0.5, 2\n1.5, 3\n".into());
    let read = |target: Option<&str>, kind| {
        let options = Options { target: target.map(str::to_owned), target_kind: kind, ..Options::default() };
        collection(&all, &options)
    };
    assert_eq!(read(None, TargetKind::Infer).unwrap().target_name(), Some("class"));
    let second = read(Some("target2"), TargetKind::Infer).unwrap();
    assert_eq!(second.target(), Some(&Target::Numbers(vec![2.0, 3.0])));
    // Other targets are not columns: they would leak the one to predict.
    assert_eq!(second.columns().len(), 1);
    assert_eq!(
        read(Some("class"), TargetKind::Numbers).unwrap().target(),
        Some(&Target::Numbers(vec![1.0, -1.0]))
    );
    assert_eq!(read(Some("target"), TargetKind::Infer).unwrap_err().code(), Code::Target);

    let mut one = small();
    one.remove("graph_labels");
    one.insert("graph_attributes", "0.5\n1\n".into());
    let data = collection(&one, &Options::default()).unwrap();
    assert_eq!((data.target_name(), data.target()), (Some("target"), Some(&Target::Numbers(vec![0.5, 1.0]))));

    // A class file gives classes, even with more of them than would be inferred.
    let n = 30;
    let many: Vec<String> = (1..=n).map(|i| i.to_string()).collect();
    let lines = many.join("\n");
    let all = parts(&[("A", "1,1\n"), ("graph_indicator", &lines), ("graph_labels", &lines)]);
    assert_eq!(classes(&collection(&all, &Options::default()).unwrap()).len(), n);
}

#[test]
fn row_35_lengths() {
    for part in ["node_labels", "node_attributes"] {
        bad(part, "0\n0\n1\n2\n0\n0\n", Code::TuLength, &format!("D_{part}.txt"), 6);
        bad(part, "0\n0\n1\n", Code::TuLength, &format!("D_{part}.txt"), 3);
    }
    for part in ["edge_labels", "edge_attributes"] {
        bad(part, "0\n0\n1\n", Code::TuLength, &format!("D_{part}.txt"), 3);
    }
    bad("graph_labels", "1\n", Code::TuLength, "D_graph_labels.txt", 1);
    bad("graph_indicator", "1\n1\n1\n1\n", Code::TuLength, "D_node_labels.txt", 5);
    let error = collection(&with("node_labels", "0\n0\n1\n"), &Options::default()).unwrap_err().to_string();
    assert!(error.contains("3 lines for 5 nodes"), "{error}");
}

#[test]
fn rows_36_to_38_edges_and_ids() {
    for edge in ["0, 1", "1, 0", "6, 1", "1, 6", "-1, 2", "4294967297, 1", "99999999999999999999, 1"] {
        bad("A", &format!("1,2\n{edge}\n2,1\n"), Code::TuNode, "D_A.txt", 2);
    }
    bad("A", "1,2\n2,1\n4,5\n", Code::TuCross, "D_A.txt", 3);
    for ids in
        ["1\n1\n3\n", "0\n1\n", "2\n2\n", "1\n2\n1\n", "1\n2\n2\n4\n", "1\n1\nx\n", "1\n\n1\n", "1\n1.5\n"]
    {
        let fault = collection(&with("graph_indicator", ids), &Options::default()).unwrap_err();
        assert_eq!(fault.code(), Code::TuId, "{ids:?}");
    }
    bad("graph_indicator", "1\n1\n3\n", Code::TuId, "D_graph_indicator.txt", 3);
}

#[test]
fn lines_that_are_not_edges() {
    bad("A", "1,2\n1\n2,1\n", Code::Syntax, "D_A.txt", 2);
    bad("A", "1,2\n1,2,3\n2,1\n", Code::Syntax, "D_A.txt", 2);
    bad("A", "1,2\na,2\n", Code::Number, "D_A.txt", 2);
    bad("A", "1,2\n1.5,2\n", Code::Number, "D_A.txt", 2);
    bad("A", "1,2\n\n2,1\n", Code::Syntax, "D_A.txt", 2);
    bad("A", "1,2\n2,", Code::Truncated, "D_A.txt", 2);
    bad("A", "1,2\n2", Code::Truncated, "D_A.txt", 2);
    bad("A", "", Code::Empty, "D_A.txt", 0);
    bad("node_labels", "0\n\n1\n2\n0\n", Code::Syntax, "D_node_labels.txt", 2);
    bad("graph_labels", "1\nnan\n", Code::Label, "D_graph_labels.txt", 2);
    bad("graph_labels", "1,0\n0,1\n", Code::Label, "D_graph_labels.txt", 1);
}

#[test]
fn row_40_loops_repeated_edges_and_single_directions() {
    let data = collection(
        &parts(&[("A", "1,1\n1,2\n2,1\n1,2\n2,3\n"), ("graph_indicator", "1\n1\n1\n")]),
        &Options::default(),
    )
    .unwrap();
    assert_eq!(codes(&data), ["W_LOOPS", "W_MULTI_EDGE", "W_ONE_WAY"]);
    assert_eq!(arcs(&graphs(&data)[0]), [(0, 0), (0, 1), (1, 0), (1, 2), (2, 1)]);
    assert!(data.warnings().iter().all(|w| w.message.starts_with("1 edge ")), "{:?}", data.warnings());
}

#[test]
fn directions_are_kept_on_request() {
    let all = parts(&[("A", "1,2\n2,3\n3,2\n"), ("graph_indicator", "1\n1\n1\n")]);
    let mut options = Options::default();
    let loose =
        collection(&parts(&[("A", "1,2\n2,3\n"), ("graph_indicator", "1\n1\n1\n")]), &options).unwrap();
    assert!(loose.warnings()[0].message.contains("`directed`"), "{:?}", loose.warnings());
    options.graph.directed = true;
    let data = collection(&all, &options).unwrap();
    assert_eq!(arcs(&graphs(&data)[0]), [(0, 1), (1, 2), (2, 1)]);
    assert!(graphs(&data)[0].is_directed() && codes(&data).is_empty());
}

#[test]
fn row_41_attributes() {
    bad("node_attributes", "0,1\n0,1\n1\n2,1\n0,1\n", Code::TuAttributes, "D_node_attributes.txt", 3);
    bad("node_attributes", "0,1\n0,1\n1,2,3\n2,1\n0,1\n", Code::TuAttributes, "D_node_attributes.txt", 3);
    bad("node_attributes", "0\n0\nnan\n2\n0\n", Code::NonFinite, "D_node_attributes.txt", 3);
    bad("node_attributes", "0\n0\n1e999\n2\n0\n", Code::Overflow, "D_node_attributes.txt", 3);
    bad("node_attributes", "0\n0\nx\n2\n0\n", Code::Number, "D_node_attributes.txt", 3);
}

#[test]
fn a_folder_and_its_edge_list() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("D");
    std::fs::create_dir(&folder).unwrap();
    for (part, text) in small() {
        let mut bytes = text.into_bytes();
        let mut name = format!("D_{part}.txt");
        if part.contains("edge") {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(&bytes).unwrap();
            bytes = encoder.finish().unwrap();
            name += ".gz";
        }
        std::fs::write(folder.join(name), bytes).unwrap();
    }
    let data = collection(&small(), &Options::default()).unwrap();
    for path in [folder.clone(), folder.join("D_A.txt")] {
        assert_eq!(read(&path, &Options::default()).unwrap(), data);
    }
    std::fs::write(folder.join("E_A.txt"), "1,2\n").unwrap();
    assert_eq!(read(&folder, &Options::default()).unwrap_err().code(), Code::Format);
    assert_eq!(read(&folder.join("D_A.txt"), &Options::default()).unwrap(), data);
}

/// Statistics of the collections from their SOURCE files and the literature.
#[test]
fn known_collections() {
    let folder = std::env::var("MERCER_DATA").unwrap_or_else(|_| "../../../shared/data".into());
    let folder = Path::new(&folder).join("graphs");
    for (name, count, nodes, edges) in [
        ("MUTAG", 188, 3371, 3721),
        ("PTC_MR", 344, 4915, 5054),
        ("ENZYMES", 600, 19580, 37282),
        ("PROTEINS", 1113, 43471, 81044),
        ("NCI1", 4110, 122_747, 132_753),
        ("DD", 1178, 334_925, 843_046),
    ] {
        if !folder.join(name).is_dir() {
            println!("skipped: {name} is not in {}", folder.display());
            continue;
        }
        let data = read(&folder.join(name), &Options::default()).unwrap();
        let all = graphs(&data);
        assert_eq!((all.len(), all.iter().map(Graph::nodes).sum::<usize>()), (count, nodes), "{name}");
        assert_eq!(all.iter().map(Graph::edges).sum::<usize>(), edges, "{name}");
        assert_eq!(codes(&data), [""; 0], "{name}");
    }
}

/// The files of a collection for the given graphs.
fn tu_files(all: &[Graph]) -> Parts<'static> {
    let mut parts = Parts::new();
    let mut first = 1;
    for (g, graph) in all.iter().enumerate() {
        for (i, label) in graph.node_labels().unwrap().iter().enumerate() {
            *parts.entry("graph_indicator").or_default() += &format!("{}\n", g + 1);
            *parts.entry("node_labels").or_default() += &format!("{label}\n");
            let row = graph.node_attributes().unwrap().row(i);
            *parts.entry("node_attributes").or_default() += &format!("{}, {}\n", row[0], row[1]);
        }
        for ((a, b), label) in graph.arcs().zip(graph.edge_labels().unwrap().iter()) {
            *parts.entry("A").or_default() += &format!("{}, {}\n", a + first, b + first);
            *parts.entry("edge_labels").or_default() += &format!("{label}\n");
        }
        first += graph.nodes() as u32;
    }
    parts
}

fn any_graph() -> impl Strategy<Value = Graph> {
    (1usize..7).prop_flat_map(|n| {
        let edges = prop::collection::vec((0..n as u32, 0..n as u32, 0u8..3), 0..12);
        let labels = prop::collection::vec(0u8..3, n);
        let numbers = prop::collection::vec(-1e6..1e6, 2 * n);
        (edges, labels, numbers).prop_map(move |(edges, labels, numbers)| {
            let pairs = edges.iter().map(|e| (e.0, e.1)).collect();
            let kinds = Labels::from_names(edges.iter().map(|e| e.2.to_string()));
            let builder = GraphBuilder::undirected(n).edges(pairs).edge_labels(kinds);
            let builder = builder.node_labels(Labels::from_names(labels.iter().map(|l| l.to_string())));
            let rows = crate::data::Dense::new(n, 2, numbers).unwrap();
            builder.node_attributes(rows).build().unwrap().0
        })
    })
}

proptest! {
    #[test]
    fn written_graphs_are_read_back(all in prop::collection::vec(any_graph(), 1..5)) {
        let parts = tu_files(&all);
        prop_assume!(parts.contains_key("A"));
        let data = collection(&parts, &Options::default()).unwrap();
        prop_assert_eq!(graphs(&data), &all[..]);
    }

    #[test]
    fn any_bytes_give_data_or_an_error(
        edits in prop::collection::vec((0usize..7, 0usize..40, prop::sample::select(b",\n 012x-.e\xFF\x00".to_vec())), 1..8),
    ) {
        let names: Vec<&'static str> = small().into_keys().collect();
        let mut files: BTreeMap<&str, Vec<u8>> = small().into_iter().map(|(k, v)| (k, v.into_bytes())).collect();
        for (which, at, byte) in edits {
            let file = files.get_mut(names[which]).unwrap();
            let at = at % file.len();
            file[at] = byte;
        }
        let open = |part: &str| {
            Ok(files.get(part).map(|bytes| File { name: part.into(), bytes: Cow::Borrowed(bytes) }))
        };
        let _ = tu::read(Path::new("D"), &open, &Options::default());
    }
}
