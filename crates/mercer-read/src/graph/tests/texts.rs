use proptest::prelude::*;

use super::*;
use crate::Missing;

const GML: &str = r#"Creator "somebody" # a comment
graph [
  directed 0
  name "first"
  class "a"
  node [ id 10 label "C" weight 3 graphics [ x 1.0 y [ z 2 ] ] ]
  node [ label "O &amp; H" id 11 charge -0.5 ]
  node [ id 12 label "C" ]
  edge [ source 10 target 11 label "single" weight 1.5 ]
  edge [ source 12 target 11 label "double" weight 2 ]
]
# and another
graph
[
  directed 1 class "b"
  edge [ source 2 target 1 ]
  node [ id 1 ] node [ id 2 ]
]
"#;

#[test]
fn gml() {
    let data = text("a.gml", GML).unwrap();
    let [first, second] = graphs(&data) else { panic!() };
    assert_eq!(node_labels(first), ["C", "O & H", "C"]);
    assert_eq!(arcs(first), [(0, 1), (1, 0), (1, 2), (2, 1)]);
    assert_eq!(edge_labels(first), ["single", "single", "double", "double"]);
    assert_eq!(first.weights().unwrap(), [1.5, 1.5, 2.0, 2.0]);
    assert!(second.is_directed() && second.node_labels().is_none());
    assert_eq!(arcs(second), [(1, 0)]);
    assert_eq!(data.ids().unwrap(), ["first", "2"]);
    assert_eq!((classes(&data), data.target_name()), (vec!["a", "b"], Some("class")));
    assert_eq!(codes(&data), ["W_UNREAD"]);
    assert!(data.warnings()[0].message.contains("charge, weight"), "{:?}", data.warnings());
    // Neither a file name nor a particular line end is needed.
    assert_eq!(graphs(&text("data", GML).unwrap()), graphs(&data));
    assert_eq!(text("a.gml", &GML.replace('\n', "\r\n")).unwrap(), data);
}

#[test]
fn errors_in_gml() {
    for (content, code, line) in [
        ("graph [ node [ id 1 ]\nedge [ source 1 target 2 ] ]", Code::Graph, 2),
        ("graph [ node [ id 1 ]\nnode [ id 1 ] ]", Code::Graph, 2),
        ("graph [\nnode [ label 1 ] ]", Code::Syntax, 2),
        ("graph [\nedge [ source 1 ] ]", Code::Syntax, 2),
        ("graph [\nnode 1 ]", Code::Syntax, 2),
        ("graph [\n[ id 1 ] ]", Code::Syntax, 2),
        ("graph [\n\"id\" 1 ]", Code::Syntax, 2),
        ("graph [\nid ] ]", Code::Syntax, 2),
        ("graph [\ndirected 2 ]", Code::Syntax, 2),
        ("graph [\nnode [ id 1", Code::Truncated, 2),
        ("graph [ node [ id 1 ]\nlabel", Code::Truncated, 2),
        ("graph [ node [ id 1 ]\nlabel \"x", Code::Quote, 2),
        ("graph [ node [ id 1 label 2 ]\nnode [ id 2 ] ]", Code::Missing, 2),
        ("graph [ node [ id 1 ]\nedge [ source 1 target 1 weight x ] ]", Code::Number, 2),
        ("graph [ node [ id 1 ]\nedge [ source 1 target 1 weight nan ] ]", Code::NonFinite, 2),
        ("Creator 1", Code::Empty, 0),
    ] {
        let found = fault(text("a.gml", content));
        assert_eq!((found.0, found.1), (code, line), "{content}");
    }
}

#[test]
fn node_data_by_name() {
    let mut options = Options::default();
    options.graph.node_label = Some("atom".into());
    options.graph.edge_weight = Some("none".into());
    options.graph.node_attributes = vec!["z".into(), "x".into()];
    let gml = "graph [ node [ id 1 label 7 atom C x 1 z 2 ] node [ id 2 label 8 atom N x 3 z 4 ]
        edge [ source 1 target 2 weight 5 ] ]";
    let data = good("a.gml", gml, &options);
    let graph = &graphs(&data)[0];
    assert_eq!((node_labels(graph), graph.weights()), (vec!["C", "N"], None));
    assert_eq!(graph.node_attributes().unwrap().values(), [2.0, 1.0, 4.0, 3.0]);
    assert_eq!(codes(&data), ["W_UNREAD", "W_UNREAD"]);
    let lacking = gml.replace("x 3", "");
    assert_eq!(fault(read_bytes(Path::new("a.gml"), lacking.as_bytes(), &options)).0, Code::Missing);
    options.graph.node_label = Some("atm".into());
    let error = read_bytes(Path::new("a.gml"), gml.as_bytes(), &options).unwrap_err();
    assert_eq!((error.code(), error.hint().as_deref()), (Code::Column, Some("did you mean atom?")));
}

#[test]
fn labels_that_look_like_names() {
    let names = r#"graph [ node [ id 1 label "a" ] node [ id 2 label "b" ] node [ id 3 label "c" ] ]"#;
    assert_eq!(codes(&text("a.gml", names).unwrap()), ["W_NAMES"]);
    assert_eq!(codes(&text("a.gml", &names.replace("\"c\"", "\"a\"")).unwrap()), [""; 0]);
    let options = Options {
        graph: crate::GraphOptions { node_label: Some("none".into()), ..Default::default() },
        ..Options::default()
    };
    let data = good("a.gml", names, &options);
    assert!(graphs(&data)[0].node_labels().is_none());
}

const GRAPHML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE graphml [ <!ENTITY big "bigger"> ]>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="label" attr.type="string"><default>C</default></key>
  <key id="d1" for="edge" attr.name="weight" attr.type="double"/>
  <key id="d2" for="graph" attr.name="y" attr.type="double"/>
  <key id="d3" for="node" yfiles.type="nodegraphics"/>
  <graph id="G1" edgedefault="undirected">
    <data key="d2">0.5</data>
    <node id="n0"><data key="d0">O &lt; <![CDATA[N]]></data><data key="d3"><y:ShapeNode/></data></node>
    <node id="n1"/>
    <edge source="n0" target="n1"><data key="d1">2.5</data></edge>
  </graph>
  <graph id="G2" edgedefault="undirected">
    <data key="d2">1</data>
    <edge source="a" target="b" directed="true"><data key="d1">1</data></edge>
    <node id="a"/><node id="b"/>
  </graph>
</graphml>
"#;

#[test]
fn graphml() {
    let data = text("a.graphml", GRAPHML).unwrap();
    let [first, second] = graphs(&data) else { panic!() };
    assert_eq!(node_labels(first), ["O < N", "C"]);
    assert_eq!(first.weights().unwrap(), [2.5, 2.5]);
    assert!(!first.is_directed() && second.is_directed());
    assert_eq!((arcs(second), node_labels(second)), (vec![(0, 1)], vec!["C", "C"]));
    assert_eq!(data.ids().unwrap(), ["G1", "G2"]);
    assert_eq!(data.target(), Some(&Target::Numbers(vec![0.5, 1.0])));
    assert_eq!(codes(&data), [""; 0]);
    assert_eq!(graphs(&text("a.xml", GRAPHML).unwrap()), graphs(&data));
}

#[test]
fn errors_in_graphml() {
    let at = |from: &str, to: &str| fault(text("a.graphml", &GRAPHML.replacen(from, to, 1)));
    assert_eq!(at("target=\"n1\"", "target=\"n7\""), (Code::Graph, 12, 5));
    assert_eq!(at("<node id=\"n1\"/>", "<node id=\"n0\"/>"), (Code::Graph, 11, 5));
    assert_eq!(at("<node id=\"n1\"/>", "<node/>"), (Code::Syntax, 11, 5));
    assert_eq!(at("<node id=\"n1\"/>", "<node id=\"n1\"/><hyperedge/>").0, Code::Graph);
    assert_eq!(at("<node id=\"n1\"/>", "<node id=\"n1\"><graph/></node>").0, Code::Graph);
    assert_eq!(at("<node id=\"n1\"/>", "<node id=\"n1\"><data key=\"d9\">1</data></node>").0, Code::Syntax);
    assert_eq!(at("edgedefault=\"undirected\"", "edgedefault=\"both\"").0, Code::Syntax);
    assert_eq!(at("2.5", "2,5").0, Code::Number);
    assert_eq!(at("0.5", "&big;").0, Code::Syntax);
    assert_eq!(at("id=\"G1\"", "id=\"&big;\"").0, Code::Syntax);
    assert_eq!(at("</graph>", "</grap>").0, Code::Syntax);
    assert_eq!(at("<data key=\"d2\">0.5</data>", "").0, Code::Label);
    let mixed =
        "<edge source=\"n0\" target=\"n1\" directed=\"true\"><data key=\"d1\">1</data></edge></graph>";
    assert_eq!(at("</graph>", mixed).0, Code::Graph);
    let cut = &GRAPHML[..GRAPHML.len() / 2];
    assert_eq!(fault(text("a.graphml", cut)).0, Code::Truncated);
    assert_eq!(fault(text("a.graphml", "<svg></svg>")).0, Code::Syntax);
    assert_eq!(fault(text("a.graphml", "<graphml></graphml>")).0, Code::Empty);
    let dropped = Options { missing: Some(Missing::Drop), ..Options::default() };
    let data = good("a.graphml", &GRAPHML.replacen("<data key=\"d2\">0.5</data>", "", 1), &dropped);
    assert_eq!((data.len(), codes(&data)), (1, vec!["W_DROPPED"]));
}

/// Formaldehyde in V2000, and carbon monoxide in V3000.
const SDF: &str = "formaldehyde
  by hand

  4  3  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 C   0  0  0  0  0  0
    1.2000    0.0000    0.0000 O   0  0
   -0.6000    0.9000    0.0000 H   0  0
   -0.6000   -0.9000   -0.5000 H   0  0
  1  2  2  0
  1  3  1  0
  1  4  1  0
M  CHG  1   1   0
M  END
>  <name with spaces> (1)
first line
second line

> <active>
yes

> <logp>
0.35

$$$$


  by hand
  0  0  0     0  0            999 V3000
M  V30 BEGIN CTAB
M  V30 COUNTS 2 1 0 0 0
M  V30 BEGIN ATOM
M  V30 10 C 0 0 0 0 CHG=-1
M  V30 7 O -
M  V30 1.1 0 0 0 CHG=1
M  V30 END ATOM
M  V30 BEGIN BOND
M  V30 1 3 7 10
M  V30 END BOND
M  V30 END CTAB
M  END
> <active>
no
$$$$
";

/// Options that keep molecules graphs.
fn as_graphs() -> Options {
    Options { kinds: [("graph".to_owned(), crate::data::Kind::Graphs)].into(), ..Options::default() }
}

#[test]
fn molecules_as_graphs() {
    let options = Options { target: Some("active".into()), ..as_graphs() };
    let data = good("a.sdf", SDF, &options);
    let [first, second] = graphs(&data) else { panic!() };
    assert_eq!(node_labels(first), ["C", "O", "H", "H"]);
    assert_eq!(arcs(first), [(0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (3, 0)]);
    assert_eq!(edge_labels(first), ["2", "1", "1", "2", "1", "1"]);
    assert_eq!((node_labels(second), edge_labels(second)), (vec!["C", "O"], vec!["3", "3"]));
    assert_eq!(classes(&data), ["yes", "no"]);
    assert_eq!(data.ids().unwrap(), ["formaldehyde", "2"]);
    assert_eq!(codes(&data), [""; 0]);
    assert!(first.node_attributes().is_none());
    // The format is also detected by content, and a mol file is one molecule.
    assert_eq!(graphs(&good("data", SDF, &options)), graphs(&data));
    let single = &SDF[..SDF.find(">  <name").unwrap()];
    assert_eq!(graphs(&good("a.mol", single, &as_graphs())), &graphs(&data)[..1]);

    let mut spatial = Options::default();
    spatial.graph.node_attributes = vec!["x".into(), "z".into()];
    let data = good("a.sdf", SDF, &spatial);
    assert_eq!(graphs(&data)[0].node_attributes().unwrap().row(3), [-0.6, -0.5]);
    assert_eq!(graphs(&data)[1].node_attributes().unwrap().row(1), [1.1, 0.0]);
}

fn molecules(data: &Dataset) -> &[std::sync::Arc<crate::data::Molecule>] {
    match &data.column("graph").unwrap().values {
        Values::Molecules(all) => all,
        other => panic!("{}", other.kind()),
    }
}

/// A V2000 molecule of single atoms and bonds: symbols with what follows them, bonds, property lines.
fn v2000(atoms: &[&str], bonds: &[&str], properties: &[&str]) -> String {
    let mut out = format!("m\n\n\n{:3}{:3}  0  0  0  0  0  0  0  0999 V2000\n", atoms.len(), bonds.len());
    for atom in atoms {
        out += &format!("    0.0000    0.0000    0.0000 {atom}\n");
    }
    for line in bonds.iter().chain(properties) {
        out += &format!("{line}\n");
    }
    out + "M  END\n$$$$\n"
}

#[test]
fn molecules_with_charges_isotopes_and_radicals() {
    let options = Options { target: Some("active".into()), ..Options::default() };
    let data = good("a.sdf", SDF, &options);
    let texts: Vec<&str> = molecules(&data).iter().map(|m| m.text()).collect();
    assert_eq!((texts, classes(&data)), (vec!["C=O", "[C-]#[O+]"], vec!["yes", "no"]));
    let one = |text: &str| molecules(&good("a.sdf", text, &Options::default()))[0].canonical();
    let smiles = |text: &str| text.parse::<crate::data::Molecule>().unwrap().canonical();
    // A charge in the atom line, and in a property line that replaces it.
    let bond = ["  1  2  1  0"];
    assert_eq!(one(&v2000(&["C   0  0", "O   0  5"], &bond, &[])), smiles("C[O-]"));
    assert_eq!(one(&v2000(&["C   0  0", "N   0  5"], &bond, &["M  CHG  1   2   1"])), smiles("C[NH3+]"));
    assert_eq!(one(&v2000(&["C   0  0", "C   0  0"], &bond, &["M  ISO  1   2  13"])), smiles("C[13CH3]"));
    assert_eq!(one(&v2000(&["C   1  0", "D   0  0"], &bond, &[])), smiles("[13CH3][2H]"));
    assert_eq!(one(&v2000(&["C   0  0", "C   0  0"], &bond, &["M  RAD  1   2   2"])), smiles("C[CH2]"));
    assert_eq!(one(&v2000(&["Na  0  3  0  0  0 15"], &[], &[])), smiles("[Na+]"));
    assert_eq!(one(&v2000(&["R#  0  0", "C   0  0"], &bond, &[])), smiles("*C"));
    // Aromatic bonds get a Kekulé structure, whatever the file calls them.
    let ring = |kinds: [u8; 6]| {
        let bonds: Vec<String> =
            (0..6).map(|i| format!("{:3}{:3}{:3}  0", i + 1, (i + 1) % 6 + 1, kinds[i])).collect();
        one(&v2000(&["C   0  0"; 6], &bonds.iter().map(String::as_str).collect::<Vec<_>>(), &[]))
    };
    assert_eq!(ring([4; 6]), smiles("c1ccccc1"));
    assert_eq!(ring([1, 2, 1, 2, 1, 2]), smiles("c1ccccc1"));
    // Without its charges, carbon monoxide has an oxygen of valence 3.
    let neutral = SDF.replace(" CHG=1\n", "\n");
    let error = read_bytes(Path::new("a.sdf"), neutral.as_bytes(), &options).unwrap_err();
    assert!(error.code() == Code::Molecule && error.to_string().contains("O has valence 3"), "{error}");
}

#[test]
fn molecules_that_cannot_be_sanitised() {
    let bad = v2000(&["C   0  0", "F   0  0", "Xx  0  0"], &["  1  2  2  0"], &[]);
    let good_one = v2000(&["C   0  0"], &[], &[]);
    for (text, line, said) in [
        (bad.clone(), 7, "molecule 1 ('m'): there is no element \"Xx\""),
        (good_one.clone() + &bad.replace("Xx", "C "), 13, "molecule 2 ('m'): F has valence 2"),
        (bad.replace("Xx", "C ").replace("1  2  2", "1  2  8"), 8, "is a query"),
        (bad.replace("Xx", "C ").replace("1  2  2", "1  2  9"), 8, "coordination bond"),
    ] {
        match read_bytes(Path::new("a.sdf"), text.as_bytes(), &Options::default()).unwrap_err() {
            Error::Parse { place, code: Code::Molecule, reason, hint } => {
                assert!(place.line == line && reason.contains(said), "{place:?} {reason}");
                assert!(hint.unwrap().contains("skip-invalid"));
            }
            other => panic!("{other}"),
        }
    }
    let mut options = Options::default();
    options.molecules.skip_invalid = true;
    let data = good("a.sdf", &format!("{bad}{good_one}"), &options);
    assert_eq!((data.len(), codes(&data)), (1, vec!["W_INVALID"]));
    assert_eq!(fault(read_bytes(Path::new("a.sdf"), bad.as_bytes(), &options)).0, Code::Molecule);
    // The same file as graphs.
    assert_eq!(graphs(&good("a.sdf", &bad, &as_graphs()))[0].nodes(), 3);
    // Copies are warned about, and scaffolds are groups.
    options.molecules.group_by = crate::MoleculeGroups::from_word("scaffold");
    let data = good("a.sdf", &good_one.repeat(2), &options);
    assert_eq!((codes(&data), data.groups().is_some()), (vec!["W_DUPLICATES"], true));
}

#[test]
fn fields_of_molecules() {
    let options = Options { target: Some("logp".into()), ..Options::default() };
    let lacking = read_bytes(Path::new("a.sdf"), SDF.as_bytes(), &options);
    assert_eq!(fault(lacking).0, Code::Label);
    let options = Options { target: Some("actve".into()), ..Options::default() };
    let error = read_bytes(Path::new("a.sdf"), SDF.as_bytes(), &options).unwrap_err();
    assert!(error.code() == Code::Target && error.hint().unwrap().contains("active"), "{error}");
    let options = Options {
        kinds: [("active".to_owned(), crate::data::Kind::Categories)].into(),
        id: Some("active".into()),
        ..Options::default()
    };
    assert_eq!(good("a.sdf", SDF, &options).ids().unwrap(), ["yes", "no"]);
    let options = Options { id: None, ..options };
    let data = good("a.sdf", SDF, &options);
    assert_eq!(data.columns().len(), 2);
    let options = Options {
        kinds: [("logp".to_owned(), crate::data::Kind::Numbers)].into(),
        missing: Some(Missing::Drop),
        ..Options::default()
    };
    assert_eq!(good("a.sdf", SDF, &options).len(), 1);
}

#[test]
fn invalid_molecules() {
    let at = |from: &str, to: &str| {
        let found = fault(text("a.sdf", &SDF.replacen(from, to, 1)));
        (found.0, found.1)
    };
    assert_eq!(at("  4  3  0", "  x  3  0"), (Code::Syntax, 4));
    assert_eq!(at("  4  3  0", "  5  3  0"), (Code::Syntax, 9));
    assert_eq!(at("  4  3  0", "  4  4  0"), (Code::Syntax, 12));
    assert_eq!(at("  1  4  1  0", "  1  5  1  0"), (Code::Graph, 11));
    assert_eq!(at("  1  4  1  0", "  0  4  1  0"), (Code::Graph, 11));
    assert_eq!(at("   -0.6000   -0.9000", "   -0.6000      nan "), (Code::NonFinite, 8));
    assert_eq!(at("M  END\n>  <", ">  <"), (Code::Syntax, 13));
    assert_eq!(at("> <active>", "active"), (Code::Syntax, 18));
    assert_eq!(at("COUNTS 2 1", "COUNTS 2 2"), (Code::Syntax, 40));
    assert_eq!(at("COUNTS 2 1", "COUNTS 2"), (Code::Syntax, 40));
    assert_eq!(at("1 3 7 10", "1 3 7 11"), (Code::Graph, 37));
    assert_eq!(at("1 3 7 10", "1 3 7"), (Code::Syntax, 37));
    let cut = &SDF[..SDF.find("  1  3  1").unwrap()];
    assert_eq!(fault(text("a.sdf", cut)).0, Code::Truncated);
    assert_eq!(fault(text("a.sdf", &cut.replace("  1  2  2", "$$$$"))), (Code::Truncated, 9, 1));
}

#[test]
fn a_molecule_without_atoms() {
    let none = "none\n\n\n  0  0  0  0  0  0  0  0  0  0999 V2000\nM  END\n$$$$\n";
    let data = good("a.sdf", none, &as_graphs());
    assert_eq!((data.len(), graphs(&data)[0].nodes()), (1, 0));
    assert!(molecules(&text("a.sdf", none).unwrap())[0].is_empty());
}

proptest! {
    #[test]
    fn any_bytes_give_graphs_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300), which in 0usize..3) {
        let name = ["a.gml", "a.graphml", "a.sdf"][which];
        let _ = read_bytes(Path::new(name), &bytes, &Options::default());
    }

    #[test]
    fn edited_files_give_graphs_or_an_error(
        edits in prop::collection::vec((0usize..2000, prop::sample::select(b"<>[]\"&; \n019x-$M\xFF\x00".to_vec())), 1..6),
        which in 0usize..3,
        cut in 0usize..2000,
    ) {
        let (name, text) = [("a.gml", GML), ("a.graphml", GRAPHML), ("a.sdf", SDF)][which];
        let mut bytes = text.as_bytes().to_vec();
        for (at, byte) in edits {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        bytes.truncate(bytes.len().max(1) - cut.saturating_sub(1000) % bytes.len());
        let _ = read_bytes(Path::new(name), &bytes, &Options::default());
    }
}
