use std::sync::Arc;

use super::*;
use crate::data::{Dataset, Dense, Image, Labels, Network, NodeAttributes, Series};

fn covered(parts: &[ObjectPart]) -> Vec<u32> {
    parts.iter().flat_map(|p| p.places[0]..=p.places[1]).collect()
}

#[test]
fn stretches_cover_a_series_and_hidden_ones_are_straight() {
    let one = Series::new(2, vec![f64::NAN, 1.0, 4.0, 2.0, 3.0, 9.0, 1.0, 1.0, 1.0, 5.0, 5.0, 5.0]).unwrap();
    let all = Values::Series(vec![one.clone(), Series::new(1, vec![]).unwrap()]);
    for most in [1, 2, 4, 6, 9] {
        let parts = all.parts(0, most);
        assert_eq!(parts.len(), most.min(6));
        assert_eq!(covered(&parts), (0..6).collect::<Vec<_>>());
    }
    assert!(all.parts(1, 4).is_empty() && all.parts(2, 4).is_empty());
    let parts = all.parts(0, 3);
    let sets = [[true, false, true], [false, true, true], [true, true, false], [false; 3], [true; 3]];
    let seen = all.hiding(0, &parts, &sets.map(|s| s.to_vec())).unwrap();
    let Values::Series(seen) = seen else { panic!("series") };
    let near = |a: &[f64], b: &[f64]| {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12 || a.is_nan() && b.is_nan())
    };
    assert!(near(seen[0].channel(0), &[f64::NAN, 1.0, 5.0 / 3.0, 7.0 / 3.0, 3.0, 9.0]), "{seen:?}");
    assert!(near(seen[0].channel(1), &[1.0, 1.0, 7.0 / 3.0, 11.0 / 3.0, 5.0, 5.0]));
    assert!(near(seen[1].channel(0), &[4.0, 4.0, 4.0, 2.0, 3.0, 9.0]));
    assert!(near(seen[2].channel(0), &[f64::NAN, 1.0, 4.0, 2.0, 2.0, 2.0]));
    assert!(near(seen[3].channel(0), &[3.8; 6]) && near(seen[4].values(), one.values()));
    assert!(all.hiding(0, &parts, &[vec![true]]).is_err());
}

#[test]
fn blocks_of_an_image_get_its_mean() {
    let pixels: Vec<u8> = (0..5 * 4 * 3).map(|v| v as u8).collect();
    let all = Values::Images(vec![Image::new(5, 4, 3, pixels.clone()).unwrap(), Image::none()]);
    let parts = all.parts(0, 4);
    assert_eq!(parts.iter().map(|p| p.places.clone()).collect::<Vec<_>>()[1], [2, 0, 4, 1]);
    let Values::Images(seen) = all.hiding(0, &parts, &[vec![true, false, true, true]]).unwrap() else {
        panic!("images")
    };
    for (at, (old, new)) in pixels.chunks(3).zip(seen[0].pixels().chunks(3)).enumerate() {
        let inside = at % 5 >= 2 && at / 5 <= 1;
        // The means of 0, 3, …, 57 and so on are 28.5, 29.5 and 30.5.
        assert_eq!(new, if inside { &[29, 30, 31][..] } else { old }, "{at}");
    }
    assert!(all.parts(1, 4).is_empty());
}

#[test]
fn symbols_and_words_are_removed() {
    let strings = Values::Strings(vec![Some("ACGTAC".into()), None]);
    let parts = strings.parts(0, 3);
    assert_eq!(parts.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["AC", "GT", "AC"]);
    let seen = strings.hiding(0, &parts, &[vec![true, false, true], vec![false; 3]]).unwrap();
    assert_eq!(seen, Values::Strings(vec![Some("ACAC".into()), Some(String::new())]));
    let text = Values::Text(vec![Some(" naïve  support\nvectors win".into())]);
    let parts = text.parts(0, 10);
    assert_eq!(
        parts.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(),
        ["naïve", "support", "vectors", "win"]
    );
    let seen = text.hiding(0, &parts, &[vec![true, false, true, false]]).unwrap();
    assert_eq!(seen, Values::Text(vec![Some("naïve vectors".into())]));
    assert_eq!(text.parts(0, 2)[0].name, "naïve  support");
    assert!(strings.parts(1, 3).is_empty());
}

#[test]
fn nodes_of_a_graph_are_removed() {
    let path = Graph::undirected(5, &[(0, 3), (3, 1), (1, 4), (4, 2)]).unwrap();
    let path = path.with_node_labels(Labels::from_names(["a", "b", "c", "d", "e"])).unwrap();
    let all = Values::Graphs(vec![path]);
    let parts = all.parts(0, 9);
    assert_eq!((parts.len(), parts[2].name.as_str()), (5, "node 2 (c)"));
    // Groups are along the path.
    let groups = all.parts(0, 2);
    assert_eq!((&groups[0].places[..], &groups[1].places[..]), (&[0, 3][..], &[1, 4, 2][..]));
    let Values::Graphs(seen) = all.hiding(0, &groups, &[vec![false, true], vec![false, false]]).unwrap()
    else {
        panic!("graphs")
    };
    assert_eq!((seen[0].nodes(), seen[0].edges(), seen[1].nodes()), (3, 2, 0));
}

#[test]
fn edges_to_neighbours_are_removed_from_the_network() {
    let edges = [(0, 1, 1.0), (0, 2, 3.0), (0, 0, 1.0), (1, 2, 1.0), (2, 3, 1.0)];
    let names = ["p", "q", "r", "s"].map(str::to_owned).to_vec();
    let attributes = Dataset::of_vectors(Dense::from_rows(&[[1.0], [2.0], [3.0], [4.0]]));
    let network = Network::new(4, &edges).unwrap().with_names(names).unwrap();
    let network = Arc::new(network.with_attributes(attributes).unwrap());
    let all = Values::Nodes(Nodes::new(network, vec![3, 0]).unwrap());
    let parts = all.parts(1, 9);
    assert_eq!(parts.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["neighbour r", "neighbour q"]);
    assert_eq!(all.parts(1, 1).len(), 1);
    let Values::Nodes(seen) = all.hiding(1, &parts, &[vec![false, true]]).unwrap() else { panic!("nodes") };
    let network = seen.network();
    assert_eq!((seen.chosen(), network.weight(0, 2), network.weight(0, 1)), (&[0][..], None, Some(1.0)));
    assert_eq!((network.weight(0, 0), network.edges(), network.name(3)), (Some(1.0), 4, "s".to_owned()));
    assert!(matches!(network.attributes(), NodeAttributes::Known(_)));
    assert!(all.hiding(1, &parts, &[vec![true; 2], vec![true; 2]]).is_err());
}
