//! Nodes of one graph, read with their edges.

use std::path::PathBuf;

use super::super::super::{GraphOptions, Options, read};
use crate::data::{Dataset, NodeAttributes, Nodes, Values};
use crate::error::{Code, Result};

const NODES: &str = "node,split,age,class\n3,train,1,a\n1,test,2,b\n2,val,3,b\n9,train,4,a\n";

struct Files(tempfile::TempDir);

impl Files {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
        Files(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, edges: &str) -> Result<Dataset> {
        self.read_with(edges, |_| {})
    }

    fn read_with(&self, edges: &str, change: impl FnOnce(&mut Options)) -> Result<Dataset> {
        let graph = GraphOptions { edges: Some(self.path(edges)), ..GraphOptions::default() };
        let mut options = Options { graph, ..Options::default() };
        change(&mut options);
        read(&self.path("nodes.csv"), &options)
    }
}

fn nodes(data: &Dataset) -> &Nodes {
    match &data.column("node").unwrap().values {
        Values::Nodes(nodes) => nodes,
        other => panic!("{}", other.kind()),
    }
}

/// The weights between the objects of a data set.
fn weights(data: &Dataset) -> Vec<Vec<f64>> {
    let nodes = nodes(data);
    let weight = |&a: &u32, b: &u32| nodes.network().weight(a as usize, *b).unwrap_or(0.0);
    nodes.chosen().iter().map(|a| nodes.chosen().iter().map(|b| weight(a, b)).collect()).collect()
}

#[test]
fn an_edge_table_connects_the_rows_of_a_table() {
    // Node 7 has no row, node 9 no edge; one edge occurs twice.
    let files = Files::new(&[
        ("nodes.csv", NODES),
        ("e.csv", "source,target,weight\n1,3,2\n3,2,1\n7,2,1\n1,3,0.5\n"),
    ]);
    let data = files.read("e.csv").unwrap();
    assert_eq!((data.len(), data.target_name()), (4, Some("class")));
    assert_eq!(data.ids().unwrap(), ["3", "1", "2", "9"]);
    assert_eq!(nodes(&data).network().names().unwrap(), ["1", "2", "3", "7", "9"]);
    assert_eq!(weights(&data)[0], [0.0, 2.5, 1.0, 0.0]);
    assert!(data.warnings().iter().any(|w| w.code == "W_NO_EDGES"));
    assert!(data.column("age").is_ok() && data.column("split").is_ok());
    // Fewer rows of the table give the same network, as long as they include the nodes without edges.
    let files = Files::new(&[
        ("nodes.csv", "node\n9\n1\n"),
        ("e.csv", "source,target,weight\n3,2,1\n1,3,2.5\n7,2,1\n"),
    ]);
    let part = files.read("e.csv").unwrap();
    assert_eq!(nodes(&part).network().identity(), nodes(&data).network().identity());
}

#[test]
fn edges_in_both_directions_count_once() {
    let both = "source\ttarget\n1\t3\n3\t1\n2\t3\n3\t2\n9\t9\n";
    let files = Files::new(&[("nodes.csv", NODES), ("e.tsv", both)]);
    assert_eq!(weights(&files.read("e.tsv").unwrap())[0], [0.0, 1.0, 1.0, 0.0]);
}

#[test]
fn every_format_gives_the_same_network() {
    let graphml = r#"<graphml><key id="w" for="edge" attr.name="weight"/><graph edgedefault="directed">
        <node id="1"/><node id="2"/><node id="3"/><node id="9"/>
        <edge source="1" target="3"><data key="w">2</data></edge><edge source="3" target="2"><data key="w">1</data></edge>
        <edge source="2" target="3"><data key="w">1.5</data></edge></graph></graphml>"#;
    let gml = "graph [ node [ id 1 ] node [ id 2 ] node [ id 3 ] node [ id 9 ]
        edge [ source 1 target 3 weight 2 ] edge [ source 3 target 2 weight 1 ] edge [ source 2 target 3 weight 1.5 ] ]";
    // Row i of the matrix is row i of the table: 3, 1, 2, 9.
    let market = "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n4 4 2\n2 1 2\n3 1 2.5\n";
    let general = "%%MatrixMarket matrix coordinate real general\n4 4 4\n2 1 2\n3 1 2.5\n1 2 2\n1 3 2.5\n";
    let table = "source,target,weight\n1,3,2\n3,2,1\n2,3,1.5\n";
    let files = Files::new(&[
        ("nodes.csv", NODES),
        ("e.csv", table),
        ("e.graphml", graphml),
        ("e.gml", gml),
        ("e.mtx", market),
        ("g.mtx", general),
    ]);
    let expected = files.read("e.csv").unwrap();
    assert_eq!(weights(&expected)[0], [0.0, 2.0, 2.5, 0.0]);
    for name in ["e.graphml", "e.gml", "e.mtx", "g.mtx"] {
        let data = files.read(name).unwrap();
        assert_eq!(nodes(&data), nodes(&expected), "{name}");
    }
}

#[test]
fn a_column_splits_the_nodes() {
    let files = Files::new(&[("nodes.csv", NODES), ("e.csv", "source,target\n1,3\n3,2\n")]);
    let data = files.read_with("e.csv", |o| o.split = Some("split".into())).unwrap();
    assert_eq!((data.len(), data.test().unwrap()), (3, &[false, true, false][..]));
    assert_eq!(nodes(&data).network().len(), 4);
    assert!(data.column("split").is_err() && data.warnings().iter().any(|w| w.code == "W_SPLIT"));
    assert_eq!(data.select(&[1]).test().unwrap(), [true]);
    for column in ["age", "nothing"] {
        let error = files.read_with("e.csv", |o| o.split = Some(column.into())).unwrap_err();
        assert_eq!(error.code(), Code::Column, "{error}");
    }
}

#[test]
fn errors_have_their_codes() {
    let head = "%%MatrixMarket matrix coordinate pattern general\n";
    let cases = [
        ("e.csv", "from,to\n1,2\n".to_owned(), Code::Header),
        ("e.csv", "source,target,weight\n1,3,nan\n".to_owned(), Code::NonFinite),
        ("e.csv", "source,target,weight\n1,3,-2\n".to_owned(), Code::Number),
        ("e.csv", "source,target\nx,y\n".to_owned(), Code::Graph),
        ("e.csv", "source,target\n1\n".to_owned(), Code::Columns),
        ("e.mtx", "1 2 3\n".to_owned(), Code::Format),
        ("e.mtx", "%%MatrixMarket matrix array real general\n4 4\n".to_owned(), Code::Format),
        ("e.mtx", head.to_owned(), Code::Truncated),
        ("e.mtx", format!("{head}3 3 1\n1 2\n"), Code::GramShape),
        ("e.mtx", format!("{head}4 4 99999999999\n1 2\n"), Code::Truncated),
        ("e.mtx", format!("{head}4 4 2\n1 2\n"), Code::Truncated),
        ("e.mtx", format!("{head}4 4 1\n1 2\n1 3\n"), Code::Syntax),
        ("e.mtx", format!("{head}4 4 1\n0 2\n"), Code::Index),
        ("e.mtx", format!("{head}4 4 1\n1 5\n"), Code::Index),
        ("e.mtx", format!("{head}4 4 1\n1 2 7\n"), Code::Syntax),
        ("e.mtx", format!("{}4 4 1\n1 2 inf\n", head.replace("pattern", "real")), Code::NonFinite),
        ("e.mtx", format!("{}4 4 1\n1 2 -1\n", head.replace("pattern", "real")), Code::Syntax),
        ("e.sdf", String::new(), Code::Format),
    ];
    for (name, text, code) in cases {
        let files = Files::new(&[("nodes.csv", NODES), (name, &text)]);
        let error = files.read(name).expect_err(&text);
        assert_eq!(error.code(), code, "{text:?}: {error}");
    }
    let files = Files::new(&[("nodes.csv", "a,class\n1,x\n2,y\n"), ("e.csv", "source,target\n1,2\n")]);
    assert_eq!(files.read("e.csv").unwrap_err().code(), Code::Header);
    assert!(files.read_with("e.csv", |o| o.id = Some("a".into())).is_ok());
    let files = Files::new(&[("nodes.csv", "node,class\n1,x\n1,y\n"), ("e.csv", "source,target\n1,2\n")]);
    // The same node may occur twice: it is two objects.
    assert_eq!(files.read("e.csv").unwrap().len(), 2);
    assert_eq!(files.read("absent.csv").unwrap_err().code(), Code::IoOpen);
}

/// The attributes of a network: the names of the columns, and the numbers of one of them by node.
fn attributes(data: &Dataset, column: &str) -> (Vec<String>, Vec<f64>) {
    let NodeAttributes::Known(all) = nodes(data).network().attributes() else { panic!("not known") };
    let Values::Numbers(x) = &all.column(column).unwrap().values else { panic!("no numbers") };
    (all.columns().iter().map(|c| c.name.clone()).collect(), x.values().to_vec())
}

#[test]
fn the_network_knows_the_attributes_of_all_nodes() {
    let edges = "source,target\n1,3\n3,2\n9,2\n";
    let files = Files::new(&[("nodes.csv", NODES), ("e.csv", edges)]);
    // The split and the target are no attributes; node 2, of neither set, has some.
    let data = files.read_with("e.csv", |o| o.split = Some("split".into())).unwrap();
    assert_eq!((data.len(), data.training_set().len()), (3, 2));
    assert_eq!(attributes(&data, "age"), (vec!["age".to_owned()], vec![2.0, 3.0, 1.0, 4.0]));
    assert_eq!(attributes(&data.select(&[0]), "age").1.len(), 4);
    // A node of an edge without a row.
    let files = Files::new(&[("nodes.csv", NODES), ("e.csv", "source,target\n1,3\n3,7\n8,7\n")]);
    let data = files.read("e.csv").unwrap();
    let found = nodes(&data).network().attributes();
    assert!(matches!(found, NodeAttributes::Incomplete { node: 3, rows: 0, count: 2 }), "{found:?}");
    assert_eq!(nodes(&data).network().name(3), "7");
}

#[test]
fn a_manifest_joins_nodes_edges_and_words() {
    let manifest = "[[file]]\npath = \"nodes.csv\"\nsplit = \"split\"\ntarget = \"class\"\nedges = \"e.csv\"\nignore = [\"age\"]\n\
                    [[file]]\npath = \"words.libsvm\"\nname = \"words\"\nby = \"order\"\n";
    let words = "1 1:3\n1 2:1\n2 1:2 3:1\n2 2:9\n";
    let all = [("nodes.csv", NODES), ("e.csv", "source,target\n1,3\n3,2\n9,2\n"), ("words.libsvm", words)];
    let files = Files::new(&[&all[..], &[("all.toml", manifest)]].concat());
    let data = read(&files.path("all.toml"), &Options::default()).unwrap();
    assert_eq!((data.len(), data.test().unwrap()), (3, &[false, true, false][..]));
    let names: Vec<&str> = data.columns().iter().map(|c| c.name.as_str()).collect();
    assert_eq!((names, data.target_name()), (vec!["node", "words"], Some("class")));
    let NodeAttributes::Known(found) = nodes(&data).network().attributes() else { panic!("not known") };
    let Values::Sparse(words) = &found.column("words").unwrap().values else { panic!("not sparse") };
    // By the names of the nodes: 1, 2, 3, 9.
    assert_eq!(
        (found.columns().len(), words.row(0).0, words.row(1).0, words.row(2).1),
        (1, &[1][..], &[0, 2][..], &[3.0][..])
    );
    assert_eq!(crate::manifest_files(&files.path("all.toml")).len(), 3);
}
