use std::time::Duration;

use super::*;
use crate::budget::Budget;
use crate::data::{Categories, Column, Dataset, Dense, Precomputed, Sparse, Target, Values, generate};
use crate::error::Error;
use crate::expression::Expression;
use crate::gram::Engine;
use crate::model::Model;
use crate::random::Random;
use crate::select::{Protocol, Score};

fn classes(n: usize, class: impl Fn(usize) -> &'static str) -> Target {
    Target::Classes(Categories::from_values((0..n).map(|i| Some(class(i)))))
}

fn numbers(name: &str, values: Vec<f64>) -> Column {
    Column::new(name, Values::Numbers(Dense::new(values.len(), 1, values).unwrap()))
}

fn noise(n: usize, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    (0..n).map(|_| random.normal()).collect()
}

fn words(n: usize, word: impl Fn(usize) -> &'static str) -> Values {
    Values::Categories(Categories::from_values((0..n).map(|i| Some(word(i)))))
}

/// Columns with two alternating classes.
fn alternating(columns: Vec<Column>) -> Dataset {
    let data = Dataset::new(columns).unwrap();
    let n = data.len();
    data.with_target("class", classes(n, |i| if i % 2 == 0 { "a" } else { "b" })).unwrap()
}

fn quick() -> AutoSettings {
    AutoSettings { protocol: Some(Protocol::folds(3)), budget: None, ..AutoSettings::default() }
}

fn proposed(data: &Dataset) -> Vec<String> {
    let proposal = propose(data, &Engine::new()).unwrap();
    assert!(proposal.candidates[0].simple);
    assert_eq!(proposal.candidates.iter().filter(|c| c.simple).count(), 1);
    written(&proposal.candidates)
}

fn written(candidates: &[Candidate]) -> Vec<String> {
    candidates.iter().map(|c| format!("{} | {}", c.kernel, c.learner.name())).collect()
}

#[track_caller]
fn has(proposed: &[String], wanted: &[&str]) {
    for text in wanted {
        assert!(proposed.iter().any(|p| p.starts_with(text)), "{text} is not in {proposed:#?}");
    }
}

/// The first configuration of every candidate fits, predicts, and can be saved and loaded.
#[track_caller]
fn all_fit(data: &Dataset) {
    let engine = Engine::new();
    for candidate in propose(data, &engine).unwrap().candidates {
        let grid = candidate.grid().unwrap();
        let model = Model::fit(data, grid.kernel(0), grid.learner(0), 0, &engine)
            .unwrap_or_else(|e| panic!("{}: {e}", candidate.kernel));
        let bytes = model.to_bytes().unwrap();
        let again = Model::from_bytes("m", &bytes, &engine).unwrap();
        let predicted = model.predict(data, &engine).unwrap();
        assert_eq!(predicted.target, again.predict(data, &engine).unwrap().target, "{}", candidate.kernel);
        assert!(!candidate.reason.is_empty());
    }
}

#[test]
fn numbers_are_standardised() {
    let data = alternating(vec![numbers("x", noise(20, 1)), numbers("y", noise(20, 2))]);
    let proposed = proposed(&data);
    assert_eq!(proposed[0], "standardize(linear) | svc");
    has(
        &proposed,
        &[
            "standardize(linear) | knn",
            "standardize(rbf(gamma=[0.015, 0.0625, 0.25, 1])) | svc",
            "standardize(polynomial(degree=[2, 3]",
            "standardize(laplacian(",
            "normalize(walk(standardize(rbf(",
        ],
    );
    assert!(!proposed.iter().any(|p| p.contains("chi2")), "{proposed:?}");
    all_fit(&data);
}

#[test]
fn counts_get_a_chi_squared_kernel() {
    let data = alternating(vec![numbers("x", (0..20).map(f64::from).collect())]);
    // Objects i and i + 10 are 10 apart: (10)² / (2i + 10), whose mean over i = 0 … 9 is 5.7407.
    let mean = (0..10).map(|i| 100.0 / f64::from(2 * i + 10)).sum::<f64>() / 10.0;
    let text = format!("chi2(gamma=[{:.4}", 0.1 / mean);
    has(&proposed(&data), &[&text]);
    all_fit(&data);
}

#[test]
fn missing_numbers_count_as_the_mean() {
    let mut x = noise(20, 1);
    x[3] = f64::NAN;
    let y = noise(20, 2);
    let data = alternating(vec![numbers("x", x.clone()), numbers("y", y.clone())]);
    let proposed = proposed(&data);
    assert_eq!(proposed[0], "standardize(column-sum(zero-extend(linear))) | svc");
    has(&proposed, &["rbf-of(standardize(column-sum(zero-extend(linear))), gamma=["]);
    all_fit(&data);
    // The same similarities as after imputing the mean by hand, scaled by the known values.
    let known: Vec<f64> = x.iter().copied().filter(|v| !v.is_nan()).collect();
    let scale = |of: &[f64], v: f64| {
        let n = of.len() as f64;
        let mean = of.iter().sum::<f64>() / n;
        let sd = (of.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
        if v.is_nan() { 0.0 } else { (v - mean) / sd }
    };
    let rows: Vec<[f64; 2]> = x.iter().zip(&y).map(|(a, b)| [scale(&known, *a), scale(&y, *b)]).collect();
    let engine = Engine::new();
    let expression: Expression =
        "rbf-of(standardize(column-sum(zero-extend(linear))), gamma=0.5)".parse().unwrap();
    let kernel = expression.fit(&data, &engine).unwrap().kernel;
    let gram = engine.gram(&kernel, &data).unwrap();
    for i in 0..20 {
        for j in 0..20 {
            let d: f64 = (0..2).map(|c| (rows[i][c] - rows[j][c]).powi(2)).sum();
            assert!((gram.at(i, j) - (-0.5 * d).exp()).abs() < 1e-12, "{i} {j}");
        }
    }
}

#[test]
fn categories_are_compared_for_equality() {
    let data = alternating(vec![
        Column::new("colour", words(20, |i| ["red", "green", "blue"][i % 3])),
        Column::new("size", words(20, |i| ["s", "m"][i / 2 % 2])),
    ]);
    let proposed = proposed(&data);
    assert_eq!(proposed[0], "column-sum(delta) | svc");
    has(&proposed, &["rbf-of(column-sum(delta), gamma=[", "column-sum(delta) * column-sum(delta)"]);
    all_fit(&data);
}

#[test]
fn mixed_records_are_added_and_multiplied() {
    let mut colours: Vec<_> = (0..20).map(|i| Some(["red", "green", "blue"][i % 3])).collect();
    colours[4] = None;
    let data = alternating(vec![
        numbers("x", noise(20, 1)),
        Column::new("a colour", Values::Categories(Categories::from_values(colours))),
        Column::new("dna", Values::Strings((0..20).map(|i| Some("ACGTTGCA"[i % 4..].to_owned())).collect())),
    ]);
    let proposed = proposed(&data);
    assert!(
        proposed[0].starts_with("standardize(linear) + column-sum(zero-extend(delta))@"),
        "{}",
        proposed[0]
    );
    let join = |sign: &str| proposed.iter().any(|p| p.contains("standardize(rbf") && p.contains(sign));
    assert!(join(" + rbf-of(column-sum("), "{proposed:#?}");
    assert!(join(" * rbf-of(column-sum("), "{proposed:#?}");
    has(&proposed, &["standardize(rbf(", "rbf-of(column-sum(", "normalize(spectrum("]);
    all_fit(&data);
}

#[test]
fn sparse_numbers_strings_and_text() {
    let rows: Vec<Vec<(u32, f64)>> = (0..20).map(|i| vec![(i % 5, 1.0), (7 + i % 3, 2.0)]).collect();
    let sparse = Values::Sparse(Sparse::from_rows(12, &rows).unwrap());
    let data = alternating(vec![Column::new("x", sparse.clone())]);
    let texts = proposed(&data);
    assert_eq!(texts[0], "linear | svc");
    has(&texts, &["cosine | svc", "rbf(gamma=["]);
    all_fit(&data);
    // Sparse and dense columns: each kernel uses its own.
    all_fit(&alternating(vec![Column::new("x", sparse), numbers("y", noise(20, 3))]));

    let dna = (0..20).map(|i| Some("ACGTTGCAACG"[i % 4..i % 4 + 6].to_owned())).collect();
    let data = alternating(vec![Column::new("dna", Values::Strings(dna))]);
    has(&proposed(&data), &["normalize(spectrum(k=[2, 3, 4, 5]", "normalize(weighted-degree("]);
    all_fit(&data);
    let text = (0..20).map(|i| (i != 5).then(|| format!("word{} and word{}", i % 3, i % 5))).collect();
    let data = alternating(vec![Column::new("text", Values::Text(text))]);
    assert!(proposed(&data)[0].contains("terms("), "{:?}", proposed(&data));
    all_fit(&data);
}

/// Strings of random symbols; those of every second one contain a motif, on one of both strands.
fn with_motif(symbols: &str, n: usize, length: impl Fn(usize) -> usize, motif: [&str; 2]) -> Dataset {
    let mut random = Random::new(5);
    let symbols: Vec<char> = symbols.chars().collect();
    let one = |i: usize| {
        let mut text: String = (0..length(i)).map(|_| symbols[random.below(symbols.len())]).collect();
        if i.is_multiple_of(2) {
            let motif = motif[random.below(2)];
            let at = random.below(text.len() - motif.len());
            text.replace_range(at..at + motif.len(), motif);
        }
        Some(text)
    };
    alternating(vec![Column::new("site", Values::Strings((0..n).map(one).collect()))])
}

#[test]
fn sequences_have_kmers_with_gaps() {
    let motif = ["GATAAGC", "GCTTATC"];
    let dna = with_motif("acgtACGT", 20, |_| 100, motif);
    let texts = proposed(&dna);
    assert!(texts[0].starts_with("normalize(symbol-distribution(alphabet=dna"), "{texts:#?}");
    has(
        &texts,
        &[
            "normalize(gapped-kmer(l=8, k=5, alphabet=dna, reverse-complement=[yes, no], weights=gapped, half-life=0",
            "normalize(gapped-kmer(l=10, k=[6, 7], alphabet=dna, reverse-complement=[yes, no], weights=truncated",
            "normalize(gapped-kmer(l=8, k=6, alphabet=dna, reverse-complement=[yes, no], weights=gapped, half-life=[12, 36]",
            "normalize(weighted-degree-shifts(d=5, shift=[1, 4], alphabet=dna)) | svc",
        ],
    );
    all_fit(&dna);
    // Of several lengths, with ambiguous symbols and a missing string.
    let mut uneven = with_motif("ACGTACGTACGTN", 20, |i| 40 + i, motif).columns()[0].values.clone();
    if let Values::Strings(all) = &mut uneven {
        all[3] = None;
    }
    let uneven = alternating(vec![Column::new("site", uneven)]);
    has(&proposed(&uneven), &["normalize(zero-extend(gapped-kmer(l=8, k=5, alphabet=dna"]);
    assert!(!proposed(&uneven).iter().any(|p| p.contains("weighted-degree")));
    all_fit(&uneven);
    // RNA has one strand; proteins are not DNA; codes and names are neither.
    let rna = with_motif("ACGU", 20, |i| 40 + i, ["GAUAAGC", "GAUAAGC"]);
    has(&proposed(&rna), &["normalize(gapped-kmer(l=8, k=5, alphabet=rna, reverse-complement=no"]);
    all_fit(&rna);
    let proteins = with_motif("ACDEFGHIKLMNPQRSTVWY", 20, |i| 40 + i, ["WWCCHH", "WWCCHH"]);
    has(
        &proposed(&proteins),
        &["normalize(gapped-kmer(l=5, k=[2, 3], alphabet=protein, reverse-complement=no"],
    );
    all_fit(&proteins);
    for codes in [with_motif("ACGT", 20, |_| 12, motif), with_motif("xyz0123", 20, |_| 40, motif)] {
        has(&proposed(&codes), &["normalize(spectrum(k=[2, 3, 4, 5], alphabet=unicode"]);
    }
}

/// Motifs on either strand are found by k-mers with gaps, with both strands as one.
#[test]
fn the_other_strand_is_used_where_motifs_are_on_both() {
    let data = with_motif("ACGT", 240, |i| 60 + i % 7, ["TGACTCATCG", "CGATGAGTCA"]);
    let engine = Engine::new();
    let report = run(&data, &quick(), &engine, &mut |_| {}).unwrap();
    assert!(report.trials[0].summary.mean.unwrap() > 0.85, "{:?}", report.trials[0].summary);
    let model = report.refit(&data, &engine).unwrap().model;
    let kernel = model.expression().to_string();
    assert!(kernel.contains("gapped-kmer") && kernel.contains("reverse-complement=yes"), "{kernel}");
}

#[test]
fn indefinite_similarities_are_repaired() {
    let x = noise(20, 1);
    let matrix = |f: &dyn Fn(f64, f64) -> f64| {
        let values = x.iter().flat_map(|a| x.iter().map(|b| f(*a, *b))).collect();
        let square = Precomputed::square(Dense::new(20, 20, values).unwrap()).unwrap();
        alternating(vec![Column::new("K", Values::Precomputed(square))])
    };
    let good = matrix(&|a, b| (-(a - b) * (a - b)).exp());
    assert_eq!(proposed(&good)[0], "precomputed | svc");
    let bad = matrix(&|a, b| (a * b - 1.0).tanh());
    has(&proposed(&bad), &["repair(precomputed, method=[clip, flip, shift]"]);
    for data in [good, bad] {
        let report = run(&data, &quick(), &Engine::new(), &mut |_| {}).unwrap();
        assert!(report.skipped.is_empty(), "{:?}", report.skipped);
        report.refit(&data, &Engine::new()).unwrap();
    }
}

#[test]
fn weighted_objects_get_learners_with_weights() {
    let data = alternating(vec![numbers("x", noise(20, 1))]).with_weights(vec![0.5; 20]).unwrap();
    assert!(proposed(&data).iter().all(|p| p.ends_with("| svc")), "{:?}", proposed(&data));
    all_fit(&data);
    let data = data.with_target("y", Target::Numbers(noise(20, 4))).unwrap();
    assert!(proposed(&data).iter().all(|p| p.ends_with("| svr")), "{:?}", proposed(&data));
}

#[test]
fn ranges_for_numbers_follow_their_spread() {
    let x = Dataset::new(vec![numbers("x", noise(20, 1))]).unwrap();
    // Half the values 100 below their mean and half 100 above: a standard deviation of 100.
    let y = (0..20).map(|i| if i % 2 == 0 { 400.0 } else { 600.0 }).collect();
    let data = x.with_target("y", Target::Numbers(y)).unwrap();
    let proposal = propose(&data, &Engine::new()).unwrap();
    let learners: Vec<String> = proposal.candidates.iter().map(|c| c.learner.to_string()).collect();
    assert!(learners.contains(&"svr(C=[10, 100, 1000, 10000], epsilon=[1, 10])".to_owned()), "{learners:?}");
    assert!(
        learners.iter().any(|l| l.starts_with("ridge(")) && learners.iter().any(|l| l.starts_with("knn("))
    );
    all_fit(&data);
}

#[test]
fn graphs_have_two_baselines() {
    let path = |i: u32| {
        let labels = (0..3 + i % 4).map(|v| if v % 2 == i % 2 { "C" } else { "O" });
        let edges: Vec<_> = (1..3 + i % 4).map(|v| (v - 1, v)).collect();
        let graph = crate::data::Graph::undirected(3 + i as usize % 4, &edges).unwrap();
        graph.with_node_labels(crate::data::Labels::from_names(labels)).unwrap()
    };
    let data = alternating(vec![Column::new("graph", Values::Graphs((0..20).map(path).collect()))]);
    let proposal = propose(&data, &Engine::new()).unwrap();
    let plain: Vec<String> =
        proposal.candidates.iter().filter(|c| c.simple).map(|c| c.kernel.to_string()).collect();
    assert!(plain[0].starts_with("rbf-of(vertex-histogram(ignore=others), gamma=["), "{plain:?}");
    assert!(plain[1].starts_with("rbf-of(graph-size(ignore=others), gamma=["), "{plain:?}");
    assert_eq!(plain.len(), 2);
    let all: Vec<String> = proposal.candidates.iter().map(|c| c.kernel.to_string()).collect();
    has(&all, &["normalize(wl(h=[1, 2, 3, 4, 5]", "normalize(wl-oa(h=[1, 3, 5]"]);
    all_fit(&data);
}

#[test]
fn columns_without_kernels_are_reported() {
    let nothing = Column::new("nothing", Values::Numbers(Dense::zeros(20, 0)));
    let data = alternating(vec![numbers("x", noise(20, 1)), nothing.clone()]);
    let proposal = propose(&data, &Engine::new()).unwrap();
    assert_eq!(proposal.unused, [("nothing".to_owned(), "it holds no numbers".to_owned())]);
    let alone = alternating(vec![nothing]);
    assert!(matches!(propose(&alone, &Engine::new()), Err(Error::Column { .. })));
}

#[test]
fn images_become_visual_words() {
    let image = |i: usize| crate::data::Image::new(6, 5, 1, (0..30).map(|p| (p * (i + 3)) as u8).collect());
    let mut images: Vec<_> = (0..20).map(|i| image(i).unwrap()).collect();
    let data = |images: &[_]| alternating(vec![Column::new("photo", Values::Images(images.to_vec()))]);
    let proposal = propose(&data(&images), &Engine::new()).unwrap();
    assert!(proposal.candidates[0].kernel.to_string().starts_with("visual(linear, "));
    all_fit(&data(&images));
    images[3] = crate::data::Image::none();
    let proposal = propose(&data(&images), &Engine::new()).unwrap();
    assert!(proposal.candidates[0].kernel.to_string().starts_with("zero-extend(visual(linear, "));
    all_fit(&data(&images));
}

/// Series of two shapes at varying places.
fn shapes(n: usize, length: usize) -> Values {
    let mut random = Random::new(8);
    let one = |i: usize| {
        let at = random.below(length / 2);
        let bump = |t: usize| if t >= at && t < at + length / 4 { 1.0 } else { 0.0 };
        let tooth = |t: usize| bump(t) * ((t - at.min(t)) as f64 / (length / 4) as f64);
        let value = |t: usize| if i.is_multiple_of(2) { bump(t) } else { 2.0 * tooth(t) };
        let noisy: Vec<f64> = (0..length).map(|t| value(t) + 0.2 * random.normal()).collect();
        crate::data::Series::new(1, noisy).unwrap()
    };
    Values::Series((0..n).map(one).collect())
}

#[test]
fn series_have_explicit_features() {
    let data = alternating(vec![Column::new("wave", shapes(20, 40))]);
    let texts = proposed(&data);
    has(
        &texts,
        &[
            "rocket(variant=mini, features=10000",
            "intervals(",
            "rocket(variant=multi, features=50000",
            "learned-dtw(",
        ],
    );
    assert!(texts.iter().any(|t| t.contains(" + hydra(") && t.ends_with("| ridge")), "{texts:#?}");
    assert!(texts.iter().any(|t| t.starts_with("rocket(") && t.ends_with("| svc")), "{texts:#?}");
    all_fit(&data);
    let engine = Engine::new();
    let report = run(&alternating(vec![Column::new("wave", shapes(60, 40))]), &quick(), &engine, &mut |_| {});
    let report = report.unwrap();
    assert!(report.skipped.is_empty(), "{:?}", report.skipped);
    let of = |name: &str| report.trials.iter().find(|t| t.candidate.kernel.to_string().starts_with(name));
    assert!(of("rocket(variant=mini").unwrap().summary.mean.unwrap() > 0.9);
    // Long or many series: no windows are learned.
    let long = alternating(vec![Column::new("wave", shapes(30, 2000))]);
    assert!(!proposed(&long).iter().any(|t| t.starts_with("learned-dtw(")));
    // Numbers, and a table next to the series.
    let y = Target::Numbers(noise(20, 3));
    let wave = || Column::new("wave", shapes(20, 40));
    let regression = Dataset::new(vec![wave()]).unwrap().with_target("y", y).unwrap();
    assert!(!proposed(&regression).iter().any(|t| t.starts_with("learned-dtw(")));
    all_fit(&regression);
    let both = alternating(vec![wave(), numbers("x", noise(20, 1)), numbers("z", noise(20, 2))]);
    let texts = proposed(&both);
    assert!(
        texts.iter().any(|t| t.contains("rocket(") && t.contains(" + ") && t.contains("forest(")),
        "{texts:#?}"
    );
    all_fit(&both);
}

#[test]
fn tables_have_trees_and_relevance() {
    let mut y = noise(20, 2);
    let day = |i: usize| 86_400.0 * i as f64;
    let times = Values::Times(crate::data::Times::new((0..20).map(day).collect()));
    let columns = |y: &[f64]| {
        vec![
            numbers("x", noise(20, 1)),
            numbers("y", y.to_vec()),
            Column::new("size", words(20, |i| ["s", "m", "l"][i / 2 % 3])),
            Column::new("day", times.clone()),
        ]
    };
    let data = alternating(columns(&y));
    has(&proposed(&data), &["forest(", "relevance(rbf(gamma=[0.3, 1, 3])"]);
    assert!(proposed(&data).iter().any(|t| t.contains(" + forest(")), "{:#?}", proposed(&data));
    all_fit(&data);
    // Missing values are no obstacle for trees; weights for columns need all values.
    y[4] = f64::NAN;
    let data = alternating(columns(&y));
    has(&proposed(&data), &["forest("]);
    assert!(!proposed(&data).iter().any(|t| t.contains("relevance(")));
    all_fit(&data);
    // One column has no use for either.
    let one = alternating(vec![numbers("x", noise(20, 1))]);
    assert!(!proposed(&one).iter().any(|t| t.contains("forest(") || t.contains("relevance(")));
    // Trees and smooth similarities together with strings.
    let dna = (0..20).map(|i| Some("ACGTTGCAACG"[i % 4..i % 4 + 6].to_owned())).collect();
    let mixed =
        alternating([columns(&noise(20, 2)), vec![Column::new("dna", Values::Strings(dna))]].concat());
    assert!(proposed(&mixed).iter().any(|t| t.starts_with("forest(") && t.contains('@')));
    all_fit(&mixed);
}

/// Steps of one column and noise in others: trees win over similarities.
#[test]
fn trees_win_on_steps() {
    let n = 200;
    let mut random = Random::new(6);
    let columns: Vec<Vec<f64>> = (0..8).map(|_| (0..n).map(|_| random.unit()).collect()).collect();
    let class = |i: usize| if ((columns[0][i] * 4.0) as usize).is_multiple_of(2) { "even" } else { "odd" };
    let target = classes(n, class);
    let named = columns.iter().enumerate().map(|(c, v)| numbers(&format!("x{c}"), v.clone())).collect();
    let data = Dataset::new(named).unwrap().with_target("class", target).unwrap();
    let engine = Engine::new();
    let report = run(&data, &quick(), &engine, &mut |_| {}).unwrap();
    let best = report.trials[0].candidate.kernel.to_string();
    assert!(best.contains("forest(") || best.contains("relevance("), "{best}");
    let model = report.refit(&data, &engine).unwrap().model;
    assert!(Model::from_bytes("m", &model.to_bytes().unwrap(), &engine).is_ok());
}

#[test]
fn attributes_of_nodes_are_smoothed() {
    let n = 40u32;
    let edges: Vec<(u32, u32, f64)> =
        (0..n).flat_map(|i| [(i, (i + 2) % n, 1.0), (i, (i + 4) % n, 1.0)]).collect();
    let network = std::sync::Arc::new(crate::data::Network::new(n as usize, &edges).unwrap());
    let nodes = Column::new("node", Values::Nodes(crate::data::Nodes::all(network)));
    let sparse: Vec<Vec<(u32, f64)>> = (0..n).map(|i| vec![(i % 5, 1.0), (7 + i % 2, 0.3)]).collect();
    let words = Column::new("words", Values::Sparse(Sparse::from_rows(12, &sparse).unwrap()));
    let whole = alternating(vec![nodes.clone(), words, numbers("age", noise(40, 5))]);
    let data = whole.clone().with_node_attributes().unwrap();
    let texts = proposed(&data);
    has(&texts, &["normalize(smooth(standardize(linear@age) + normalize(linear@words), by=power"]);
    all_fit(&data);
    // Nodes without attributes have nothing to smooth, and neither have those of which some are unknown.
    assert!(!proposed(&alternating(vec![nodes])).iter().any(|t| t.contains("smooth(")));
    assert!(!proposed(&whole).iter().any(|t| t.contains("smooth(")));
}

#[test]
fn attributes_of_graphs_are_compared() {
    let graph = |i: usize, scale: f64| {
        let n = 3 + i % 4;
        let edges: Vec<_> = (1..n as u32).map(|v| (v - 1, v)).collect();
        let rows = noise(2 * n, i as u64).into_iter().enumerate();
        let rows = rows.map(|(at, v)| (v + (i % 2) as f64) * if at % 2 == 0 { 1.0 } else { scale });
        let attributes = Dense::new(n, 2, rows.collect()).unwrap();
        crate::data::Graph::undirected(n, &edges).unwrap().with_node_attributes(attributes).unwrap()
    };
    let graphs = |scale: f64| Values::Graphs((0..20).map(|i| graph(i, scale)).collect());
    let even = alternating(vec![Column::new("graph", graphs(2.0))]);
    has(
        &written(&propose(&even, &Engine::new()).unwrap().candidates),
        &["wwl(h=[1, 2, 3]", "rbf-of(return-probabilities(steps=0", "rbf-of(return-probabilities(steps=20"],
    );
    all_fit(&even);
    let uneven = alternating(vec![Column::new("graph", graphs(1000.0))]);
    has(
        &written(&propose(&uneven, &Engine::new()).unwrap().candidates),
        &["standardize(wwl(h=[1, 2, 3]", "rbf-of(standardize(return-probabilities(steps=0"],
    );
    all_fit(&uneven);
}

/// Everything that does not depend on time.
fn results(report: &AutoReport) -> Vec<String> {
    let one = |t: &Trial| format!("{} {:?} {:?}", t.candidate.kernel, t.scores, t.chosen);
    report.trials.iter().map(one).collect()
}

#[test]
fn results_depend_on_the_seed_and_not_on_threads() {
    let data = generate::half_moons(60, 0.25, 1).unwrap();
    let on = |threads, seed| {
        let engine = Engine::new().with_threads(threads).unwrap();
        let report = run(&data, &AutoSettings { seed, ..quick() }, &engine, &mut |_| {}).unwrap();
        let refit = report.refit(&data, &engine).unwrap();
        (results(&report), report.verdict(), refit.model.to_bytes().unwrap())
    };
    let one = on(1, 3);
    assert!(one == on(3, 3));
    assert_ne!(one.0, on(2, 4).0);
}

#[test]
fn a_nonlinear_kernel_wins_on_rings() {
    let data = generate::rings(120, 0.05, 1).unwrap();
    let engine = Engine::new();
    let settings = AutoSettings { budget: None, ..AutoSettings::default() };
    let mut events = 0;
    let report = run(&data, &settings, &engine, &mut |_| events += 1).unwrap();
    assert_eq!(events, 2 * report.trials.len());
    let verdict = report.verdict();
    assert!(verdict.beats_baseline == Some(true) && verdict.beats_simple == Some(true), "{verdict:?}");
    assert!(report.trials[0].summary.mean.unwrap() > 0.95);
    let refit = report.refit(&data, &engine).unwrap();
    assert_eq!((refit.objects, refit.why), (120, None));
    let predicted = refit.model.predict(&data, &engine).unwrap();
    let Some(Target::Classes(truth)) = data.target() else { panic!() };
    let right = (0..120).filter(|&i| predicted.class(i) == truth.get(i)).count();
    assert!(right > 114, "{right}");
    // Each trial's mean is that of its scores, and the first trial has the largest mean.
    for t in report.trials.iter().filter(|t| t.blend.is_empty()) {
        let mean = t.scores.iter().flatten().sum::<f64>() / t.scores.len() as f64;
        assert!((mean - t.summary.mean.unwrap()).abs() < 1e-12);
        assert!(mean <= report.trials[0].summary.mean.unwrap() + 1e-12);
    }
}

#[test]
fn nothing_beats_the_baseline_on_noise() {
    let n = 90;
    let data = Dataset::new(vec![numbers("x", noise(n, 1)), numbers("y", noise(n, 2))]).unwrap();
    let even =
        data.clone().with_target("c", classes(n, |i| if i % 3 == 0 { "rare" } else { "often" })).unwrap();
    let report = run(&even, &quick(), &Engine::new(), &mut |_| {}).unwrap();
    assert_eq!(report.baseline.scores, [Some(2.0 / 3.0); 3]);
    let verdict = report.verdict();
    assert_eq!((verdict.beats_baseline, verdict.learned), (Some(false), Some(false)), "{verdict:?}");
    let first = &verdict.sentences[0];
    assert!(
        first.starts_with("No method is shown to beat the majority-class baseline by accuracy"),
        "{first}"
    );
    let numbers = data.with_target("y", Target::Numbers(noise(n, 7))).unwrap();
    let verdict = run(&numbers, &quick(), &Engine::new(), &mut |_| {}).unwrap().verdict();
    assert!(
        verdict.sentences[0].starts_with("No method is shown to beat the mean baseline by rmse"),
        "{verdict:?}"
    );
}

#[test]
fn numbers_are_learned() {
    let x = noise(60, 1);
    let y = x.iter().map(|v| 100.0 * (2.0 * v).sin()).collect();
    let data = Dataset::new(vec![numbers("x", x)]).unwrap().with_target("y", Target::Numbers(y)).unwrap();
    let engine = Engine::new();
    let report = run(&data, &quick(), &engine, &mut |_| {}).unwrap();
    assert_eq!(report.score, Score::Rmse);
    let verdict = report.verdict();
    assert_eq!(verdict.beats_baseline, Some(true), "{verdict:?}");
    let (best, baseline) = (report.trials[0].summary.mean.unwrap(), report.baseline.summary.mean.unwrap());
    assert!(best < 0.5 * baseline, "{best} {baseline}");
    report.refit(&data, &engine).unwrap();
}

#[test]
fn candidates_beyond_the_budget_are_listed() {
    let data = generate::half_moons(80, 0.2, 1).unwrap();
    let engine = Engine::new();
    let budget = Some(Duration::from_nanos(1));
    let report = run(&data, &AutoSettings { budget, ..quick() }, &engine, &mut |_| {}).unwrap();
    let all = propose(&data, &engine).unwrap().candidates.len();
    assert_eq!((report.trials.len(), report.skipped.len()), (1, all - 1));
    assert!(report.trials[0].candidate.simple);
    assert!(report.skipped.iter().all(|s| s.why == "the time was used up"), "{:?}", report.skipped[0].why);
    let model = report.refit(&data, &engine).unwrap().model;
    assert_eq!(model.objects(), Some(80));
    // A tried candidate has the same scores as in a full run.
    let whole = run(&data, &quick(), &engine, &mut |_| {}).unwrap();
    let plain = whole.trials.iter().find(|t| t.candidate.simple).unwrap();
    assert_eq!(plain.scores, report.trials[0].scores);
}

/// Where even the simple baseline has no time for its choices, it has the middle value of each range.
#[test]
fn a_candidate_without_choices_has_middle_values() {
    let data = alternating(vec![numbers("x", noise(20, 1)), numbers("y", noise(20, 2))]);
    let candidates = propose(&data, &Engine::new()).unwrap().candidates;
    let middle = candidates[0].middle().unwrap();
    assert!(middle.simple && middle.grid().unwrap().len() == 1);
    assert_eq!(middle.learner.to_string(), "svc");
    for candidate in &candidates {
        assert_eq!(candidate.middle().unwrap().grid().unwrap().len(), 1, "{}", candidate.kernel);
    }
}

#[test]
fn work_stops_when_its_time_is_used_up() {
    let engine = Engine::new();
    let clock = clock::Clock::new(Some(Duration::from_millis(60)));
    let endless = |engine: &Engine| -> crate::Result<()> {
        loop {
            engine.budget().check()?;
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    assert!(clock.during(1.0, &engine, endless).unwrap().is_none());
    assert!(clock.spent() >= 0.06);
    let clock = clock::Clock::new(Some(Duration::from_secs(60)));
    assert_eq!(clock.during(1.0, &engine, |_| Ok(7)).unwrap(), Some(7));
    let stopped = Budget::default();
    stopped.stop();
    let engine = engine.with_budget(stopped);
    assert!(matches!(clock.during(1.0, &engine, endless), Err(Error::Interrupted)));
    assert!(clock.spent() < 10.0);
}

#[test]
fn few_objects_and_too_few_objects() {
    let x = numbers("x", vec![0.0, 0.1, 0.2, 5.0, 5.1, 5.2]);
    let data = Dataset::new(vec![x]).unwrap();
    let six = data.clone().with_target("c", classes(6, |i| if i < 3 { "a" } else { "b" })).unwrap();
    let engine = Engine::new();
    let settings = AutoSettings { budget: None, ..AutoSettings::default() };
    let report = run(&six, &settings, &engine, &mut |_| {}).unwrap();
    assert_eq!(report.protocol, Protocol::folds(3));
    assert_eq!(report.trials[0].summary.mean, Some(1.0));
    report.refit(&six, &engine).unwrap();
    let y = data.clone().with_target("y", Target::Numbers(vec![0.0, 1.0, 2.0, 50.0, 51.0, 52.0])).unwrap();
    run(&y, &settings, &engine, &mut |_| {}).unwrap().refit(&y, &engine).unwrap();

    let refused = |data: &Dataset| run(data, &settings, &engine, &mut |_| {}).unwrap_err().to_string();
    let one = data.clone().with_target("c", classes(6, |_| "a")).unwrap();
    assert!(refused(&one).contains("1 class only"), "{}", refused(&one));
    let two = data.clone().with_target("c", classes(6, |i| if i < 2 { "a" } else { "b" })).unwrap();
    assert!(refused(&two).contains("class 'a' has 2 of the objects"), "{}", refused(&two));
    let same = data.clone().with_target("y", Target::Numbers(vec![1.0; 6])).unwrap();
    assert!(refused(&same).contains("the same for all"), "{}", refused(&same));
    assert!(refused(&data).contains("no target"), "{}", refused(&data));
    assert!(refused(&six.select(&[])).contains("0 class only"), "{}", refused(&six.select(&[])));
}

#[test]
fn groups_stay_together() {
    let n = 60;
    let group: Vec<String> = (0..n).map(|i| format!("g{}", i / 10)).collect();
    let data = alternating(vec![numbers("x", noise(n, 1))])
        .with_groups("g", Categories::from_values(group.iter().map(|g| Some(g.as_str()))))
        .unwrap();
    let settings = AutoSettings { budget: None, ..AutoSettings::default() };
    let report = run(&data, &settings, &Engine::new(), &mut |_| {}).unwrap();
    assert_eq!(report.protocol, Protocol::folds(6).grouped());
    assert!(report.skipped.is_empty());
    report.refit(&data, &Engine::new()).unwrap();
    let report = run(&data, &quick(), &Engine::new(), &mut |_| {}).unwrap();
    assert_eq!(report.protocol, Protocol::folds(3).grouped());
}

#[test]
fn large_data_is_searched_on_a_sample_and_fitted_whole() {
    let data = generate::half_moons(300, 0.1, 1).unwrap();
    let engine = Engine::new();
    let settings = AutoSettings { sample: 60, ..quick() };
    let report = run(&data, &settings, &engine, &mut |_| {}).unwrap();
    assert_eq!((report.objects, report.used, report.scored()), (300, 60, 300));
    // The best methods and the simple baseline are scored on all objects, each of which is tested once.
    let singles = report.trials.iter().filter(|t| t.blend.is_empty()).count();
    assert!(singles > 1 && singles <= 5, "{singles}");
    assert!(report.trials.iter().any(|t| t.candidate.simple));
    for trial in &report.trials {
        let mut tested = trial.predictions.objects.clone();
        tested.sort_unstable();
        assert!(trial.objects == 300 && tested.iter().copied().eq(0..300));
    }
    assert!(
        report.screened.iter().all(|t| t.objects == 60 && t.predictions.objects.iter().max() > Some(&60))
    );
    assert!(report.trials[0].summary.mean.unwrap() > 0.9);
    let refit = report.refit(&data, &engine).unwrap();
    assert_eq!((refit.objects, refit.model.objects(), refit.why), (300, Some(300), None));
    // No time left: the model of the searched sample is kept.
    let short = AutoSettings { budget: Some(Duration::from_nanos(1)), ..settings };
    let report = run(&data, &short, &engine, &mut |_| {}).unwrap();
    let refit = report.refit(&data, &engine).unwrap();
    assert_eq!(refit.objects, 60);
    assert!(refit.why.unwrap().starts_with("all 300 would take about"));
    assert!(report.refit(&data.select(&[0, 1]), &engine).is_err());
}

/// A blend is one more row, whose scores are those of its predictions, and is fitted as one model where it is best.
#[test]
fn blends_are_judged_and_fitted() {
    let n = 120;
    let (x, z, e) = (noise(n, 1), noise(n, 2), noise(n, 3));
    let y: Vec<f64> = (0..n).map(|i| (2.0 * x[i]).sin() + z[i] + 0.7 * e[i]).collect();
    let class = |i: usize| ["a", "b", "c"][usize::from(y[i] > -0.5) + usize::from(y[i] > 0.6)];
    let columns = vec![numbers("x", x.clone()), numbers("z", z.clone())];
    let data = Dataset::new(columns).unwrap();
    let engine = Engine::new();
    for target in [Target::Numbers(y.clone()), classes(n, class)] {
        let data = data.clone().with_target("y", target).unwrap();
        let mut report = run(&data, &quick(), &engine, &mut |_| {}).unwrap();
        let place = report.trials.iter().position(|t| !t.blend.is_empty()).expect("a blend");
        assert_eq!(report.trials.iter().filter(|t| !t.blend.is_empty()).count(), 1);
        let trial = &report.trials[place];
        assert!(trial.blend.len() > 1 && trial.candidate.learner.is_blend());
        assert!((trial.blend.iter().map(|p| p.weight).sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!((trial.scores.len(), trial.predictions.objects.len()), (3, n));
        let mean = trial.scores.iter().flatten().sum::<f64>() / 3.0;
        assert!((mean - trial.summary.mean.unwrap()).abs() < 1e-12);
        // It counts in the correction for the choice.
        assert_eq!(report.claim.unwrap().methods, report.trials.len());
        // Behind the single best, unless it is better by more than a standard error.
        let single = report.single().unwrap();
        let sign = if report.score.greater_is_better() { 1.0 } else { -1.0 };
        let d: Vec<f64> =
            trial.scores.iter().zip(&single.scores).map(|(a, b)| sign * (a.unwrap() - b.unwrap())).collect();
        let gain = d.iter().sum::<f64>() / 3.0;
        let error = (d.iter().map(|v| (v - gain).powi(2)).sum::<f64>() / 6.0).sqrt();
        assert_eq!(place == 0, gain > error, "{gain} {error}");
        // Where it is best, it is the model.
        report.trials[..=place].rotate_right(1);
        let sentences = report.verdict().sentences.join(" ");
        assert!(sentences.contains("The blend is the weighted mean of the predictions of 0."), "{sentences}");
        let refit = report.refit(&data, &engine).unwrap();
        let model = refit.model;
        assert_eq!((refit.objects, model.objects(), refit.not_blended), (n, Some(n), None));
        assert_eq!(model.members().len(), report.trials[0].blend.len());
        let new = data.select(&[0, 5, 50, 119]);
        let again = Model::from_bytes("m", &model.to_bytes().unwrap(), &engine).unwrap();
        let prediction = again.predict(&new, &engine).unwrap();
        assert_eq!(prediction, model.predict(&new, &engine).unwrap());
        if let Some(found) = prediction.numbers() {
            let mut mean = [0.0; 4];
            for member in model.members() {
                let own = member.model.predict(&new, &engine).unwrap();
                mean.iter_mut().zip(own.numbers().unwrap()).for_each(|(m, v)| *m += member.weight * v);
            }
            assert!(mean.iter().zip(found).all(|(a, b)| (a - b).abs() < 1e-9));
        } else {
            let p = prediction.probabilities.unwrap();
            assert!((0..4).all(|i| (p.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12));
        }
        // After an interruption there is a single model, in time.
        let quick = report.refit_quickly(&data, &engine).unwrap().model;
        assert!(quick.members().is_empty());
    }
}

/// There is nothing to judge a blend by: a single split, splits forward in time, a perfect method.
#[test]
fn blends_that_cannot_be_judged_are_not_offered() {
    let n = 60;
    let (x, e) = (noise(n, 1), noise(n, 2));
    let y: Vec<f64> = (0..n).map(|i| (2.0 * x[i]).sin() + 0.5 * e[i]).collect();
    let data = Dataset::new(vec![numbers("x", x)]).unwrap().with_target("y", Target::Numbers(y)).unwrap();
    let is_blended = |protocol: &str, data: &Dataset| {
        let settings = AutoSettings { protocol: Some(protocol.parse().unwrap()), ..quick() };
        let report = run(data, &settings, &Engine::new(), &mut |_| {}).unwrap();
        report.trials.iter().any(|t| !t.blend.is_empty())
    };
    assert!(is_blended("3-fold", &data) && is_blended("2x3", &data));
    assert!(!is_blended("holdout(0.3)", &data));
    let times = (0..n).map(|i| 86400.0 * i as f64).collect();
    assert!(!is_blended("forward(3)", &data.with_times("day", times).unwrap()));
}

#[test]
fn other_scores() {
    let data = generate::half_moons(60, 0.2, 1).unwrap();
    let engine = Engine::new();
    for score in [Score::BalancedAccuracy, Score::Auc, Score::Matthews] {
        let report =
            run(&data, &AutoSettings { score: Some(score), ..quick() }, &engine, &mut |_| {}).unwrap();
        assert!(report.trials[0].summary.mean.unwrap() > 0.8, "{score}");
        assert!(!report.verdict().sentences.is_empty());
    }
    for score in [Score::Rmse, Score::LogLoss] {
        let settings = AutoSettings { score: Some(score), ..quick() };
        assert!(run(&data, &settings, &engine, &mut |_| {}).unwrap_err().is_input());
    }
}

#[test]
fn a_rare_class_is_spread_and_reported() {
    let n = 43;
    let name = |i: usize| if i >= 41 { "rare" } else { ["a", "b"][i % 2] };
    let data = Dataset::new(vec![numbers("x", (0..n).map(|i| (i % 2) as f64).collect())]).unwrap();
    let data = data.with_target("c", classes(n, name)).unwrap();
    let settings = AutoSettings { budget: None, ..AutoSettings::default() };
    let report = run(&data, &settings, &Engine::new(), &mut |_| {}).unwrap();
    assert!(report.warnings.iter().any(|w| w.code == "W_RARE"), "{:?}", report.warnings);
    assert_eq!(report.splits, 10);
}

#[test]
fn interruption_is_passed_on() {
    let engine = Engine::new();
    engine.budget().stop();
    let data = generate::half_moons(60, 0.2, 1).unwrap();
    assert!(matches!(run(&data, &AutoSettings::default(), &engine, &mut |_| {}), Err(Error::Interrupted)));
}

/// What was finished before an interruption is kept, with a model.
#[test]
fn interrupted_work_keeps_the_best_so_far() {
    let engine = Engine::new().with_budget(Budget::default());
    let data = generate::rings(90, 0.1, 1).unwrap();
    let mut finished = 0;
    let report = run(&data, &quick(), &engine, &mut |event| {
        finished += usize::from(matches!(event, Event::Finished(_)));
        if finished == 3 {
            engine.budget().stop();
        }
    })
    .unwrap();
    assert!(report.is_interrupted && report.trials.len() == 3);
    assert!(report.verdict().sentences.len() > 1 && report.claim.is_some());
    let best = report.trials[0].summary.mean;
    assert!(report.trials.iter().all(|t| t.summary.mean <= best));
    let refit = report.refit(&data, &engine).unwrap();
    assert_eq!((refit.objects, refit.is_usual, refit.why), (90, true, None));
    assert_eq!(refit.model.expression().to_string(), report.trials[0].typical().0);
    // The same three methods have the same scores without the interruption.
    let whole = run(&data, &quick(), &Engine::new(), &mut |_| {}).unwrap();
    for trial in &report.trials {
        let same = |t: &&Trial| {
            t.candidate.kernel == trial.candidate.kernel && t.candidate.learner == trial.candidate.learner
        };
        assert_eq!(whole.trials.iter().find(same).unwrap().scores, trial.scores);
    }
}

/// A function that changes faster than the ranges of the first stage foresee.
#[test]
fn ranges_are_widened_where_the_best_value_is_at_an_edge() {
    let x = noise(150, 1);
    let y = x.iter().map(|v| (9.0 * v).sin()).collect();
    let data = Dataset::new(vec![numbers("x", x)]).unwrap().with_target("y", Target::Numbers(y)).unwrap();
    let report = run(&data, &quick(), &Engine::new(), &mut |_| {}).unwrap();
    let first = propose(&data, &Engine::new()).unwrap().candidates.len();
    let of = |t: &&Trial| t.candidate.reason.contains("beyond the range");
    let wider = report.trials.iter().find(of).expect("a wider range");
    assert!(report.trials.len() + report.skipped.len() > first);
    let narrow = report.trials.iter().find(|t| !of(t)).unwrap();
    assert!(wider.summary.mean < narrow.summary.mean, "{:?} {:?}", wider.summary, narrow.summary);
}

/// Numbers and words that each know half of the target: the verdict says what each is worth.
#[test]
fn columns_that_contribute_are_named() {
    let n = 80;
    let x = noise(n, 3);
    let word = |i: usize| if (i / 3).is_multiple_of(2) { "left" } else { "right" };
    let y = (0..n).map(|i| x[i] + if word(i) == "left" { 1.0 } else { -1.0 }).collect();
    let strings = Column::new("word", words(n, word));
    let data = Dataset::new(vec![numbers("x", x.clone()), strings])
        .unwrap()
        .with_target("y", Target::Numbers(y))
        .unwrap();
    let report = run(&data, &quick(), &Engine::new(), &mut |_| {}).unwrap();
    assert_eq!(report.contributions.len(), 2, "{:?}", report.contributions);
    // Either alone leaves the other's part unexplained.
    assert!(report.contributions.iter().all(|c| c.with < 0.6 * c.without), "{:?}", report.contributions);
    let sentences = report.verdict().sentences;
    assert!(sentences.iter().any(|s| s.contains("with and without each kind of column")), "{sentences:?}");
}

/// A sample whose matrices do not fit into memory is searched on as many objects as do.
#[test]
fn a_search_keeps_within_memory() {
    let n = 3_000;
    let columns: Vec<Vec<f64>> = (0..2).map(|j| noise(n, 100 + j)).collect();
    let y: Vec<f64> = (0..n).map(|i| (3.0 * columns[0][i]).tanh() + columns[1][i]).collect();
    let columns = columns.into_iter().enumerate().map(|(j, v)| numbers(&format!("x{j}"), v)).collect();
    let data = Dataset::new(columns).unwrap().with_target("y", Target::Numbers(y)).unwrap();
    let engine = Engine::new().with_threads(2).unwrap().with_budget(Budget::default().with_memory(10 << 20));
    let report = run(&data, &AutoSettings { sample: n, ..quick() }, &engine, &mut |_| {}).unwrap();
    assert!((150..300).contains(&report.used) && report.objects == n, "{}", report.used);
    let told = report.warnings.iter().find(|w| w.code == "W_MEMORY").unwrap();
    assert!(
        told.message.starts_with(&format!("the search uses {} in place of 3000 objects", report.used)),
        "{told}"
    );
    assert!(report.skipped.iter().all(|s| !s.why.contains("may be used")), "{:?}", report.skipped);
}

/// A table whose Gram matrix of 128 MB does not fit into the memory that there is with the factors that it needs.
#[test]
fn a_large_table_is_fitted_through_landmarks_by_plan() {
    let n = 4_000;
    let columns: Vec<Vec<f64>> = (0..9).map(|j| noise(n, 100 + j)).collect();
    let y: Vec<f64> = (0..n).map(|i| (columns[0][i] * columns[1][i]).tanh() + columns[2][i]).collect();
    let columns = columns.into_iter().enumerate().map(|(j, v)| numbers(&format!("x{j}"), v)).collect();
    let data = Dataset::new(columns).unwrap().with_target("y", Target::Numbers(y.clone())).unwrap();
    let engine = Engine::new().with_budget(Budget::default().with_memory(1 << 27));
    let report = run(&data, &AutoSettings { sample: 240, ..quick() }, &engine, &mut |_| {}).unwrap();
    let refit = report.refit(&data, &engine).unwrap();
    assert_eq!(refit.objects, n);
    match report.trials[0].candidate.learner.name() {
        "knn" => assert!(refit.approximate.is_none()),
        _ => {
            let why = refit.approximate.unwrap();
            assert!(why.contains("landmarks") && why.contains("more than 2"), "{why}");
        }
    }
    let new = data.select(&(0..500).collect::<Vec<_>>());
    let Some(Target::Numbers(found)) = refit.model.predict(&new, &engine).unwrap().target else { panic!() };
    let mse = found.iter().zip(&y).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / 500.0;
    assert!(mse < 0.5, "{mse}");
}
