use super::*;
use crate::{Missing, read};

struct Folder(tempfile::TempDir);

impl Folder {
    fn of(files: &[(&str, &str)]) -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        files.iter().for_each(|(name, text)| std::fs::write(folder.0.path().join(name), text).unwrap());
        folder
    }

    fn read(&self) -> Result<Dataset> {
        read(self.0.path(), &Options::default())
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }
}

const EDGES: &str = "graph,source,target,label,weight\ng1,a,b,s,1\ng1,b,c,d,2\ng2,a,Na,s,3\n";
const NODES: &str = "graph,node,label\ng2,Na,Na\ng1,a,C\ng1,b,N\ng1,c,C\ng2,a,NA\ng1,d,O\n";
const GRAPHS: &str = "graph,class,size\ng2,yes,5\ng1,no,7\n";

#[test]
fn an_edge_table_only() {
    let data = Folder::of(&[("edges.csv", EDGES)]).read().unwrap();
    let [first, second] = graphs(&data) else { panic!() };
    assert_eq!(arcs(first), [(0, 1), (1, 0), (1, 2), (2, 1)]);
    assert_eq!(edge_labels(first), ["s", "s", "d", "d"]);
    assert_eq!(first.weights().unwrap(), [1.0, 1.0, 2.0, 2.0]);
    assert_eq!((second.nodes(), first.node_labels()), (2, None));
    assert_eq!((data.ids().unwrap(), data.target()), (&["g1".to_owned(), "g2".to_owned()][..], None));
    assert_eq!(codes(&data), [""; 0]);
}

#[test]
fn three_tables() {
    let files = [("edges.csv", EDGES), ("nodes.csv", NODES), ("graphs.csv", GRAPHS)];
    let data = Folder::of(&files).read().unwrap();
    // In the order of the graph table.
    let [second, first] = graphs(&data) else { panic!() };
    assert_eq!((first.nodes(), node_labels(first)), (4, vec!["C", "N", "C", "O"]));
    // Text that means a missing value elsewhere is a label here.
    assert_eq!((node_labels(second), arcs(second)), (vec!["Na", "NA"], vec![(0, 1), (1, 0)]));
    assert_eq!(
        (classes(&data), data.ids().unwrap()),
        (vec!["yes", "no"], &["g2".to_owned(), "g1".into()][..])
    );
    assert_eq!(data.columns().iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["graph", "size"]);

    let prefixed = Folder::of(&[
        ("m_edges.tsv", &EDGES.replace(',', "\t")),
        ("m_nodes.csv", NODES),
        ("m_graphs.csv", GRAPHS),
        ("other.csv", "a,b\n1,2\n"),
    ]);
    assert_eq!(prefixed.read().unwrap(), data);
    assert_eq!(read(&prefixed.path("m_edges.tsv"), &Options::default()).unwrap(), data);
    let plain = Options { format: Some(crate::Format::Tsv), no_target: true, ..Options::default() };
    assert_eq!(read(&prefixed.path("m_edges.tsv"), &plain).unwrap().len(), 3);
}

#[test]
fn a_graph_without_nodes_is_empty() {
    let data = Folder::of(&[("edges.csv", EDGES), ("graphs.csv", "graph\ng2\nnone\ng1\n")]).read().unwrap();
    assert_eq!(graphs(&data).iter().map(Graph::nodes).collect::<Vec<_>>(), [2, 0, 3]);
}

#[test]
fn edges_in_both_directions_and_others() {
    let both = Folder::of(&[("edges.csv", "graph,source,target\n1,a,b\n1,b,a\n2,a,a\n")]);
    let data = both.read().unwrap();
    assert_eq!((graphs(&data)[0].edges(), codes(&data)), (1, vec!["W_LOOPS"]));
    let some = Folder::of(&[("edges.csv", "graph,source,target\n1,a,b\n1,b,a\n2,a,b\n")]);
    assert_eq!(codes(&some.read().unwrap()), ["W_MULTI_EDGE"]);
    let mut options = Options::default();
    options.graph.directed = true;
    let data = read(&some.path("edges.csv"), &options).unwrap();
    assert_eq!((arcs(&graphs(&data)[1]), codes(&data)), (vec![(0, 1)], vec![]));
}

#[test]
fn columns_by_name() {
    let folder = Folder::of(&[("edges.csv", "graph,source,target,kind,x,y\n1,a,b,s,1,2\n1,b,c,d,3,4\n")]);
    let mut options = Options::default();
    options.graph.edge_label = Some("kind".into());
    options.graph.edge_attributes = vec!["y".into()];
    let data = read(folder.0.path(), &options).unwrap();
    assert_eq!(edge_labels(&graphs(&data)[0]), ["s", "s", "d", "d"]);
    assert_eq!(graphs(&data)[0].edge_attributes().unwrap().values(), [2.0, 2.0, 4.0, 4.0]);
    assert_eq!(codes(&data), ["W_UNREAD"]);
    options.graph.edge_attributes = vec!["q".into()];
    let error = read(folder.0.path(), &options).unwrap_err();
    assert_eq!(
        (error.code(), error.hint().as_deref()),
        (Code::Column, Some("the columns are graph, source, target, kind, x, y"))
    );
}

#[test]
fn inconsistent_tables() {
    let at = |edges: &str, nodes: &str, graphs: &str| {
        let files = [("edges.csv", edges), ("nodes.csv", nodes), ("graphs.csv", graphs)];
        let found = fault(Folder::of(&files).read());
        (found.0, found.1)
    };
    assert_eq!(at(&EDGES.replace("g1,b,c", "g1,b,z"), NODES, GRAPHS), (Code::Graph, 3));
    assert_eq!(at(&EDGES.replace("g2,a", "g3,a"), NODES, GRAPHS), (Code::Graph, 4));
    assert_eq!(at(EDGES, &NODES.replace("g1,d", "g1,a"), GRAPHS), (Code::Graph, 7));
    assert_eq!(at(EDGES, NODES, &GRAPHS.replace("g1", "g2")), (Code::Graph, 3));
    assert_eq!(at(&EDGES.replace("d,2", "d,x"), NODES, GRAPHS), (Code::Number, 3));
    assert_eq!(at(&EDGES.replace("d,2", "d,"), NODES, GRAPHS), (Code::Missing, 3));
    assert_eq!(at(&EDGES.replace("source", "from"), NODES, GRAPHS), (Code::Header, 1));
    assert_eq!(at(EDGES, NODES, &GRAPHS.replace("graph", "g")), (Code::Header, 1));
    assert_eq!(at(&format!("{EDGES}g1,a\n"), NODES, GRAPHS), (Code::Columns, 5));
}

#[test]
fn a_folder_of_graph_files() {
    let triangle = "graph [ id 9 node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] ]";
    let files = [("b.gml", triangle), ("a.gml", "graph [ node [ id 1 ] ]"), ("notes.txt", "nothing")];
    let data = Folder::of(&files).read().unwrap();
    assert_eq!(data.ids().unwrap(), ["a", "b"]);
    assert_eq!(graphs(&data).iter().map(Graph::nodes).collect::<Vec<_>>(), [1, 2]);

    let with = |table: &str| Folder::of(&[files[0], files[1], ("targets.csv", table)]);
    let data = with("file,y\nb.gml,1.5\na.gml,2.5\n").read().unwrap();
    assert_eq!(data.target(), Some(&Target::Numbers(vec![1.5, 2.5])));
    assert_eq!(graphs(&data).iter().map(Graph::nodes).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(fault(with("file,y\nb,1\nc,2\n").read()), (Code::Graph, 3, 1));
    assert_eq!(fault(with("file,y\nb,1\n").read()).0, Code::Graph);
    let data = with("file,y\nb,1\na,\n").read().unwrap();
    assert_eq!((data.len(), data.unlabelled().map(Dataset::len)), (1, Some(1)));
    let drop = Options { missing: Some(Missing::Drop), ..Options::default() };
    let data = read(with("file,y\nb,1\na,\n").0.path(), &drop).unwrap();
    assert_eq!((data.len(), codes(&data)), (1, vec!["W_DROPPED", "W_DROPPED"]));
}

#[test]
fn a_folder_without_graphs() {
    let folder = Folder::of(&[("notes.txt", "nothing")]);
    let error = folder.read().unwrap_err();
    assert_eq!(error.code(), Code::IoOpen);
    assert!(error.to_string().contains("Is a directory (os error 21), without graphs"), "{error}");
    let two = Folder::of(&[("a_edges.csv", EDGES), ("b_edges.csv", EDGES)]);
    assert_eq!(two.read().unwrap_err().code(), Code::Format);
}
