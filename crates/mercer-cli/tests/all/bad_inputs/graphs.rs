//! Rows 35 to 43: collections of graphs.

use crate::make::values;
use crate::run::Folder;
use crate::trust::Row;

/// A folder `D` with a small collection of graphs, one of its files replaced.
fn collection(part: &str, text: &str) -> Folder {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("D")).unwrap();
    for (name, content) in [
        ("A", "1, 2\n2, 1\n2, 3\n3, 2\n"),
        ("graph_indicator", "1\n1\n1\n2\n"),
        ("graph_labels", "1\n-1\n"),
        ("node_labels", "0\n0\n1\n0\n"),
    ] {
        folder.write(&format!("D/D_{name}.txt"), content);
    }
    folder.write(&format!("D/D_{part}.txt"), text);
    folder
}

#[track_caller]
fn bad(row: &Row, part: &str, text: &str, expected: &str) {
    row.refused(&collection(part, text), "gram D -k wl(h=2) -o K.npy -q", expected);
}

#[test]
fn row_35_graphs_whose_files_differ_in_length() {
    let row = Row::new(35);
    let expected = "D/D_node_labels.txt:4:1 E_TU_LENGTH 4 lines for 3 nodes";
    bad(&row, "graph_indicator", "1\n1\n1\n", expected);
    bad(&row, "node_labels", "0\n", "D/D_node_labels.txt:1:2 E_TU_LENGTH 1 lines for 4 nodes");
    let edges = "D/D_edge_labels.txt:3:2 E_TU_LENGTH 3 lines for 4 lines of edges";
    bad(&row, "edge_labels", "0\n0\n0\n", edges);
    let graphs = "D/D_graph_labels.txt:3:1 E_TU_LENGTH 3 lines for 2 graphs";
    bad(&row, "graph_labels", "1\n1\n1\n", graphs);
    bad(&row, "node_attributes", "1\n", "D/D_node_attributes.txt:1:2 E_TU_LENGTH 1 lines for 4 nodes");
}

#[test]
fn rows_36_to_38_edges_and_graphs_that_do_not_exist() {
    let [node, cross, id] = [36, 37, 38].map(Row::new);
    bad(&node, "A", "1, 2\n0, 1\n", "D/D_A.txt:2:1 E_TU_NODE edge '0, 1': nodes are numbered 1 to 4");
    bad(&node, "A", "1, 2\n1, 5\n", "D/D_A.txt:2:1 E_TU_NODE ");
    let joined = "D/D_A.txt:2:1 E_TU_CROSS edge '3, 4': its nodes are in graphs 1 and 2";
    bad(&cross, "A", "1, 2\n3, 4\n", joined);
    let gap = "D/D_graph_indicator.txt:3:1 E_TU_ID got graph 3, expected 1 or 2";
    bad(&id, "graph_indicator", "1\n1\n3\n3\n", gap);
    bad(&id, "graph_indicator", "2\n2\n1\n1\n", "D/D_graph_indicator.txt:1:1 E_TU_ID ");
    bad(&id, "graph_indicator", "1\n2\n1\n2\n", "D/D_graph_indicator.txt:3:1 E_TU_ID ");
    // An error after very many edges, within the memory limit.
    let edges = "1,1\n".repeat(10_000_000) + "1,9\n";
    let folder = collection("A", &edges);
    node.refused(&folder, "gram D -k wl(h=2) -o K.npy -q", "D/D_A.txt:10000001:1 E_TU_NODE ");
}

#[test]
fn row_39_graphs_without_edges_or_with_one_node() {
    let row = Row::new(39);
    let folder = collection("A", "1, 2\n2, 1\n2, 3\n3, 2\n");
    for kernel in [
        "vertex-histogram",
        "edge-histogram(ignore=others)",
        "wl(h=3)",
        "normalize(wl(h=3))",
        "wl-oa(h=3)",
        "shortest-path",
        "normalize(shortest-path)",
        "graphlet(size=3,ignore=others)",
        "random-walk",
        "normalize(random-walk)",
        "vertex-edge-histogram",
        "neighbourhood-hash",
        "normalize(neighbourhood-hash)",
        "propagation",
        "normalize(propagation)",
        "subgraph-matching",
        "normalize(subgraph-matching)",
        "graph-hopper",
        "normalize(graph-hopper)",
        "wwl",
        "return-probabilities",
        "rbf-of(return-probabilities(steps=0),gamma=1)",
        "core(wl(h=2))",
        "wl-of(shortest-path)",
        "pyramid-match",
        "normalize(pyramid-match)",
    ] {
        row.tried();
        folder.ok(&format!("gram D -k {kernel} -o K.npy -q"));
        let (rows, _, values) = values(&folder.read("K.npy"));
        assert!(rows == 2 && values.iter().all(|v| v.is_finite()), "{kernel}: {values:?}");
        std::fs::remove_file(folder.path("K.npy")).unwrap();
    }
}

#[test]
fn row_40_loops_repeated_edges_and_single_directions() {
    let row = Row::new(40);
    let run = collection("A", "1, 1\n1, 2\n2, 1\n2, 1\n2, 3\n").ok("inspect D");
    for warning in [
        "W_LOOPS 1 edge from a node to itself, kept",
        "W_MULTI_EDGE 1 edge between nodes that already have one, ignored",
        "W_ONE_WAY 1 edge in one direction only, taken as undirected",
    ] {
        row.tried();
        assert!(run.err.contains(warning), "{}", run.err);
    }
}

#[test]
fn row_41_attributes_of_different_width() {
    let row = Row::new(41);
    let expected = "D/D_node_attributes.txt:3:1 E_TU_ATTR 1 attributes, but the first line has 2";
    bad(&row, "node_attributes", "1, 2\n3, 4\n5\n6, 7\n", expected);
    bad(&row, "node_attributes", "1\n2, 3\n4\n5\n", "D/D_node_attributes.txt:2:1 E_TU_ATTR ");
    bad(&row, "node_attributes", "1\n2\nnan\n3\n", "D/D_node_attributes.txt:3:1 E_NONFINITE ");
}

#[test]
fn row_42_graphs_smaller_than_a_graphlet() {
    let row = Row::new(42);
    let folder = collection("graph_labels", "1\n-1\n");
    for (size, all) in [(3, [1.0, 0.0, 0.0, 0.0]), (4, [0.0; 4]), (5, [0.0; 4])] {
        row.tried();
        let run = folder.ok(&format!("gram D -k normalize(graphlet(size={size},ignore=others)) -o K.npy"));
        let small = if size == 3 { 1 } else { 2 };
        assert!(run.err.contains(&format!("W_SMALL {small} of 2 graphs")), "{}", run.err);
        assert_eq!(values(&folder.read("K.npy")).2, all, "{size}");
    }
}

#[test]
fn row_43_graphs_too_large_for_a_product() {
    let row = Row::new(43);
    let folder = Folder::new();
    std::fs::create_dir(folder.path("D")).unwrap();
    let n = 20_000;
    let (mut edges, mut graphs, mut labels) = (String::new(), String::new(), String::new());
    for graph in 0..2 {
        for i in 1..=n {
            let (at, next) = (graph * n + i, graph * n + i % n + 1);
            edges += &format!("{at}, {next}\n{next}, {at}\n");
            graphs += &format!("{}\n", graph + 1);
            // Labels without a short period, so that walks have to be counted in the product graph.
            labels += &format!("{}\n", (i * i + 7 * i) % 5);
        }
    }
    folder.write("D/D_A.txt", edges);
    folder.write("D/D_graph_indicator.txt", graphs);
    folder.write("D/D_node_labels.txt", labels);
    folder.write("D/D_graph_labels.txt", "1\n-1\n");
    for kernel in [
        "random-walk(kind=geometric,decay=0.01)",
        "random-walk(kind=exponential)",
        "normalize(random-walk(kind=geometric,decay=0.01))",
    ] {
        let started = std::time::Instant::now();
        let run = row.refused(&folder, &format!("gram D -k {kernel} -o K.npy -q"), "");
        assert!(run.err.contains("E_MEMORY_PLAN a product graph of "), "{kernel}: {}", run.err);
        assert!(started.elapsed().as_secs() < 5, "{kernel}: {:?}", started.elapsed());
    }
}

#[test]
fn invalid_graph_files() {
    for (name, content, expected) in [
        (
            "a.gml",
            "graph [\n  node [ id 1 ]\n  edge [ source 1 target 2 ]\n]\n",
            "a.gml:3:3 E_GRAPH an edge to node '2'",
        ),
        ("a.gml", "graph [\n  node [ id 1 ]\n", "a.gml:1:1 E_TRUNCATED "),
        (
            "a.graphml",
            "<graphml>\n<graph>\n<node/>\n</graph></graphml>",
            "a.graphml:3:1 E_SYNTAX <node> without id",
        ),
        (
            "a.graphml",
            "<!DOCTYPE g [<!ENTITY a \"x\"><!ENTITY b \"&a;&a;\">]>\n<graphml><graph id=\"&b;\"></graph></graphml>",
            "a.graphml:2:10 E_SYNTAX attribute id",
        ),
        ("a.sdf", "m\n\n\n  1  1  0  0  0  0  0  0  0  0999 V2000\n", "a.sdf:4:40 E_TRUNCATED "),
        ("a.sdf", "m\n\n\n  x  1  0  0  0  0  0  0  0  0999 V2000\n", "a.sdf:4:1 E_SYNTAX "),
        (
            "a_edges.csv",
            "graph,source\n1,2\n",
            "a_edges.csv:1:1 E_HEADER no column 'target' in the table of edges",
        ),
    ] {
        let folder = Folder::new();
        folder.write(name, content);
        folder.refused(&format!("gram {name} -k wl(h=2) -o K.npy -q"), expected);
    }
}
