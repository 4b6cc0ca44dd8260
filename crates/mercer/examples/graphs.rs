//! Molecules as graphs: predicts which are mutagenic, and their size: `cargo run --example graphs`.

use mercer::data::{Graph, embedded};
use mercer::kernel::graph::{Ignore, ShortestPath, VertexHistogram, WeisfeilerLehman};
use mercer::prelude::*;

fn main() -> Result<()> {
    let mutag = embedded::mutag()?;
    let [Column { values: Values::Graphs(molecules), .. }] = mutag.columns() else { return Ok(()) };
    let Some(Target::Classes(classes)) = mutag.target() else { return Ok(()) };
    let labels: Vec<&str> = (0..molecules.len()).filter_map(|i| classes.get(i)).collect();

    // Every fourth molecule is held out.
    let part = |held_out: bool| (0..molecules.len()).filter(move |i| (i % 4 == 0) == held_out);
    let graphs = |held_out| -> Vec<Graph> { part(held_out).map(|i| molecules[i].clone()).collect() };
    let (train, test) = (graphs(false), graphs(true));
    let truth: Vec<&str> = part(true).map(|i| labels[i]).collect();
    let known: Vec<&str> = part(false).map(|i| labels[i]).collect();
    println!("{} molecules to learn from, {} to predict", train.len(), test.len());

    // Edges are labelled by bond; labels that a kernel does not use must be ignored explicitly.
    let subtrees = Normalize(WeisfeilerLehman::new(3)?.with_edge_labels(true));
    let shortest = Normalize(ShortestPath::default().ignoring(Ignore::EdgeLabels));
    let wl = Svc::new(10.0).fit(&subtrees, &train[..], &known)?;
    let paths = Svc::new(10.0).fit(&shortest, &train[..], &known)?;
    for (name, predicted) in
        [("subtrees (WL)", wl.predict(&test[..])?), ("shortest paths", paths.predict(&test[..])?)]
    {
        let right = predicted.iter().zip(&truth).filter(|(a, b)| a == b).count();
        println!("{name}: {right} of {} right", test.len());
    }

    let atoms: Vec<f64> = train.iter().map(|g| g.nodes() as f64).collect();
    let counts = VertexHistogram::ignoring(Ignore::EdgeLabels);
    let model = Ridge::new(1e-6).fit(&counts, &train[..], &atoms)?;
    println!(
        "atoms of the first: {:.1} predicted, {} counted",
        model.predict(&test[..1])?[0],
        test[0].nodes()
    );
    Ok(())
}
