//! Explanations on molecules: contributions by feature, atom and bond add up, for inner products, ratios, Gaussians and
//! sums with terms that have no features.

use std::sync::Arc;

use mercer::data::{
    Categories, Column, Dataset, Dense, Molecule, Series, Target, Theme, Values, parse_molecules,
};
use mercer::insight::Figures;
use mercer::model::Model;

use crate::support::engine;

const SMILES: [&str; 16] = [
    "CCO",
    "CCCO",
    "CC(=O)O",
    "c1ccccc1",
    "Cc1ccccc1",
    "Oc1ccccc1",
    "CCN",
    "CC(C)O",
    "CCCCCC",
    "C1CCCCC1",
    "OC1CCCCC1",
    "NC(=O)c1ccccc1",
    "Clc1ccccc1",
    "CCOC(=O)C",
    "O=C1CCCCC1",
    "CC#N",
];

fn molecules() -> Vec<Arc<Molecule>> {
    parse_molecules(&SMILES.map(Some)).unwrap()
}

fn heavy(molecule: &Molecule) -> f64 {
    let polar = (0..molecule.atoms().len()).filter(|&i| molecule.symbol(i) != "C").count();
    molecule.atoms().len() as f64 - 2.5 * polar as f64
}

fn numbers() -> Dataset {
    let (all, size) = (molecules(), (0..SMILES.len()).map(|i| [i as f64, 0.3 * (i * i) as f64]));
    let y = all.iter().map(|m| heavy(m)).collect();
    let x = Dense::from_rows(&size.collect::<Vec<_>>());
    let columns = vec![Column::new("smiles", Values::Molecules(all)), Column::new("x", Values::Numbers(x))];
    Dataset::new(columns).unwrap().with_target("y", Target::Numbers(y)).unwrap()
}

fn classes() -> Dataset {
    let data = numbers();
    let code = |m: &Arc<Molecule>| Some(if heavy(m) > 2.0 { "greasy" } else { "polar" });
    let classes = Categories::from_values(molecules().iter().map(code));
    data.with_target("kind", Target::Classes(classes)).unwrap()
}

/// Kernels whose features all lie on atoms, and whether their weights are of single objects.
const ON_ATOMS: [(&str, bool); 16] = [
    ("ecfp(radius=2)", false),
    ("ecfp(radius=1, counts=product)", false),
    ("fcfp(radius=2, counts=presence)", false),
    ("atom-pairs", false),
    ("torsions + ecfp(radius=0)", false),
    ("molecule-paths(max-bonds=3)", false),
    ("atoms(wl(h=2))", false),
    ("wl-oa(h=2, edge-labels=yes)", false),
    ("normalize(atoms(wl-oa(h=1), labels=pharmacophore))", false),
    ("normalize(ecfp) + 0.5*normalize(atom-pairs)", false),
    ("tanimoto(ecfp(radius=2))", true),
    ("dice(atom-pairs)", true),
    ("tanimoto(ecfp(counts=presence)) + 2*dice(atoms(wl-oa(h=1))) + 0.1*atom-pairs", true),
    ("normalize(tanimoto(ecfp) + 3*tanimoto(atom-pairs + fcfp))", true),
    ("tanimoto(normalize(ecfp) + tanimoto(torsions + ecfp(radius=0)))", true),
    ("rbf-of(wl-oa(h=1), gamma=0.05) + 2*rbf-of(atom-pairs, gamma=0.002)", true),
];

#[test]
fn atoms_and_bonds_add_up_to_the_decision() {
    for (kernel, local) in ON_ATOMS {
        for (data, learner) in
            [(numbers(), "ridge(lambda=0.05)"), (numbers(), "svr(C=10)"), (classes(), "svc(C=10)")]
        {
            let (expression, learner) = (kernel.parse().unwrap(), learner.parse().unwrap());
            let model = Model::fit(&data, &expression, &learner, 0, engine()).unwrap();
            let prediction = model.predict(&data, engine()).unwrap();
            let explanations = model.explain(&data, 3, engine()).unwrap();
            for (i, why) in explanations.iter().enumerate() {
                let expected = match prediction.numbers() {
                    Some(numbers) => numbers[i],
                    None => prediction.decisions.at(i, 0).abs(),
                };
                let near = |a: f64, b: f64| (a - b).abs() < 1e-8 * (1.0 + expected.abs() + a.abs());
                assert!(near(why.value, expected), "{kernel} {i}: {} for {expected}", why.value);
                let parts: f64 = why.parts.iter().map(|p| p.amount).sum();
                assert!(near(why.offset + parts + why.rest, expected), "{kernel} {i}");
                let [structure] = why.structures.as_slice() else { panic!("{kernel}: {:?}", why.structures) };
                let sum: f64 = structure.nodes.iter().chain(&structure.edges).sum();
                assert!(near(sum, expected - why.offset), "{kernel} {i}: {sum} {expected} {}", why.offset);
                let molecule = &molecules()[i];
                assert_eq!(structure.nodes.len(), molecule.atoms().len());
                assert_eq!(structure.edges.len(), molecule.bonds().len());
                assert!(structure.to_svg(molecule, Theme::Page).unwrap().starts_with("<svg"));
                assert_eq!(why.local, local, "{kernel}");
            }
            assert!(!model.weights(5).unwrap().is_empty(), "{kernel}");
        }
    }
}

/// One molecule without a value makes kernels `zero-extend(…)`. Explanations pass through it; the object without a value has
/// no parts.
#[test]
fn explanations_pass_through_zero_extension() {
    let some = SMILES.iter().enumerate().map(|(i, s)| if i == 2 { None } else { Some(*s) });
    let gappy = parse_molecules(&some.collect::<Vec<_>>()).unwrap();
    let full = numbers();
    let Target::Numbers(y) = full.target().unwrap().clone() else { panic!() };
    let words = SMILES.iter().map(|s| Some((*s).to_owned())).collect();
    let columns = vec![
        Column::new("smiles", Values::Molecules(gappy)),
        Column::new("other", Values::Molecules(molecules().into_iter().rev().collect())),
        Column::new("word", Values::Strings(words)),
    ];
    let data = Dataset::new(columns).unwrap().with_target("y", Target::Numbers(y)).unwrap();
    for (kernel, columns) in [
        ("zero-extend(ecfp)@smiles", 1),
        ("tanimoto(zero-extend(ecfp)@smiles)", 1),
        ("tanimoto(zero-extend(wl-oa(h=1))@smiles) + 0.1 * zero-extend(atom-pairs)@smiles", 1),
        ("rbf-of(zero-extend(wl-oa(h=1))@smiles, gamma=0.05)", 1),
        ("column-sum(zero-extend(ecfp))@smiles,other + 0.1 * spectrum(k=2)@word", 2),
    ] {
        for learner in ["ridge(lambda=0.05)", "svr(C=10)"] {
            let (expression, learner) = (kernel.parse().unwrap(), learner.parse().unwrap());
            let model = Model::fit(&data, &expression, &learner, 0, engine()).unwrap();
            let prediction = model.predict(&data, engine()).unwrap();
            for (i, why) in model.explain(&data, 3, engine()).unwrap().iter().enumerate() {
                let expected = prediction.numbers().unwrap()[i];
                let parts: f64 = why.parts.iter().map(|p| p.amount).sum();
                assert!((why.offset + parts + why.rest - expected).abs() < 1e-8, "{kernel} {i}");
                let drawn = if i == 2 { columns - 1 } else { columns };
                assert_eq!(why.structures.len(), drawn, "{kernel} {i}");
                if columns == 1 {
                    let all = why.structures.iter().flat_map(|s| s.nodes.iter().chain(&s.edges));
                    assert!((all.sum::<f64>() - (expected - why.offset)).abs() < 1e-8, "{kernel} {i}");
                }
            }
            assert!(!model.weights(5).unwrap().is_empty(), "{kernel}");
        }
    }
    // The Gaussian of an object without a value would be more than 0, so such a kernel has no features.
    let model = Model::fit(
        &data,
        &"zero-extend(rbf-of(ecfp, gamma=0.1))@smiles".parse().unwrap(),
        &"ridge".parse().unwrap(),
        0,
        engine(),
    )
    .unwrap();
    assert!(model.explain(&data, 3, engine()).is_err());
    assert!(model.explain(&data.select(&[0, 1]), 3, engine()).is_err());
}

/// What a Gaussian process learned about its kernel changes numbers, and hides no features: those of a term without any, too.
#[test]
fn explanations_pass_through_learned_kernels() {
    let data = numbers();
    for (kernel, whole) in [
        ("tanimoto(ecfp + atom-pairs)@smiles", false),
        ("ecfp + wl-oa(h=1)", false),
        ("tanimoto(ecfp)@smiles + standardize(rbf)@x", true),
    ] {
        let model = Model::fit(&data, &kernel.parse().unwrap(), &"gp".parse().unwrap(), 0, engine()).unwrap();
        assert!(model.expression().to_string().starts_with("learned("), "{}", model.expression());
        let prediction = model.predict(&data, engine()).unwrap();
        for (i, why) in model.explain(&data, 3, engine()).unwrap().iter().enumerate() {
            let expected = prediction.numbers().unwrap()[i];
            let parts: f64 = why.parts.iter().map(|p| p.amount).sum();
            assert!(
                (why.offset + parts + why.rest - expected).abs() < 1e-6 * expected.abs().max(1.0),
                "{kernel} {i}"
            );
            assert_eq!(why.structures.len(), 1, "{kernel} {i}");
            let all = why.structures.iter().flat_map(|s| s.nodes.iter().chain(&s.edges));
            let drawn = all.sum::<f64>();
            assert!(
                whole || (drawn - (expected - why.offset)).abs() < 1e-6 * expected.abs().max(1.0),
                "{kernel} {i}"
            );
        }
        assert!(!model.weights(5).unwrap().is_empty(), "{kernel}");
    }
}

/// Where every atom of a molecule looks like every other, all have the same weight.
#[test]
fn equal_atoms_have_equal_weights() {
    let data = numbers();
    for kernel in ["tanimoto(ecfp(radius=2))", "wl-oa(h=2)", "rbf-of(ecfp, gamma=0.01)"] {
        let model =
            Model::fit(&data, &kernel.parse().unwrap(), &"ridge(lambda=0.1)".parse().unwrap(), 0, engine())
                .unwrap();
        for at in [3, 9] {
            let why = &model.explain(&data.select(&[at]), 1, engine()).unwrap()[0].structures[0];
            for all in [&why.nodes, &why.edges] {
                assert!(all.iter().all(|w| (w - all[0]).abs() < 1e-9), "{kernel} {}: {all:?}", SMILES[at]);
            }
        }
    }
}

/// A term without features contributes as a whole, and one inside of a ratio leaves none.
#[test]
fn terms_without_features_count_as_a_whole() {
    let data = numbers();
    let fit = |kernel: &str| {
        Model::fit(&data, &kernel.parse().unwrap(), &"ridge(lambda=0.1)".parse().unwrap(), 0, engine())
            .unwrap()
    };
    let model = fit("tanimoto(ecfp) + standardize(rbf(gamma=0.5))@x");
    let prediction = model.predict(&data, engine()).unwrap();
    for most in [0, 1, 100] {
        for (i, why) in model.explain(&data, most, engine()).unwrap().iter().enumerate() {
            let parts: f64 = why.parts.iter().map(|p| p.amount).sum();
            assert!(why.parts.len() <= most);
            let whole = why.parts.iter().find(|p| p.feature.ends_with("as a whole"));
            assert!(
                most < 100 || whole.is_some_and(|p| p.feature.starts_with("standardize(")),
                "{:?}",
                why.parts
            );
            assert!((why.offset + parts + why.rest - prediction.numbers().unwrap()[i]).abs() < 1e-9);
            assert!(why.parts.windows(2).all(|p| p[0].amount.abs() >= p[1].amount.abs()));
        }
    }
    for kernel in [
        "tanimoto(ecfp + standardize(rbf(gamma=0.5))@x)",
        "ecfp * atom-pairs",
        "rbf-of(tanimoto(ecfp), gamma=1)",
    ] {
        assert!(fit(kernel).explain(&data, 3, engine()).is_err(), "{kernel}");
        assert!(kernel.parse::<mercer::expression::Expression>().unwrap().explicit_features(&data).is_err());
    }
    assert!(
        "tanimoto(ecfp)".parse::<mercer::expression::Expression>().unwrap().explicit_features(&data).is_err()
    );
}

#[test]
fn models_know_their_nearest_training_molecules() {
    let data = numbers().select(&(0..12).collect::<Vec<_>>());
    let model =
        Model::fit(&data, &"tanimoto(ecfp)".parse().unwrap(), &"svr(C=10)".parse().unwrap(), 0, engine())
            .unwrap();
    let again = Model::from_bytes("m.mercer", &model.to_bytes().unwrap(), engine()).unwrap();
    let near = again.nearest_molecules(&numbers(), 3, engine()).unwrap();
    assert_eq!(near, model.nearest_molecules(&numbers(), 3, engine()).unwrap());
    for (i, near) in near.iter().enumerate() {
        assert_eq!(near.len(), 3);
        assert!(near.windows(2).all(|w| w[0].similarity >= w[1].similarity));
        assert_eq!(near[0].similarity == 1.0, i < 12, "{}", SMILES[i]);
        assert!(near.iter().all(|n| n.target == Some(heavy(&molecules()[n.index]).to_string())));
    }
    // Chlorobenzene is nearest to other benzenes.
    assert!(near[12].iter().all(|n| n.smiles.contains("c1ccccc1")));
    let other =
        Model::fit(&data, &"linear@x".parse().unwrap(), &"ridge".parse().unwrap(), 0, engine()).unwrap();
    assert!(!other.has_training_molecules() && other.nearest_molecules(&data, 1, engine()).is_err());
}

#[test]
fn reports_have_drawings_and_cliffs() {
    for (data, learner) in [(numbers(), "ridge(lambda=0.1)"), (classes(), "svc(C=1)")] {
        let figures =
            Figures::of(&data, &"tanimoto(ecfp)".parse().unwrap(), &learner.parse().unwrap(), 0, engine())
                .unwrap();
        let drivers = figures.drivers.unwrap();
        assert!(
            drivers.features.iter().all(|f| f.molecule.as_ref().is_some_and(|svg| svg.starts_with("<svg")))
        );
        assert!(
            drivers.objects.iter().all(|o| o.molecule.as_ref().is_some_and(|svg| svg.starts_with("<svg")))
        );
        assert!(drivers.about.contains("rule"), "{}", drivers.about);
        let cliffs = figures.cliffs.unwrap();
        assert_eq!(cliffs.molecules, 16);
        assert!(
            cliffs
                .pairs
                .iter()
                .all(|p| p.similarity >= 0.5 && p.molecules[0].target != p.molecules[1].target)
        );
        let Some(Target::Numbers(y)) = data.target() else { continue };
        // By all pairs.
        let best = cliffs.pairs.iter().map(|p| p.difference.unwrap() / (1.0 - p.similarity.min(0.95)));
        assert!(best.is_sorted_by(|a, b| a >= b) && !cliffs.pairs.is_empty());
        assert!(cliffs.pairs[0].difference.unwrap() <= y.iter().fold(0.0f64, |m, v| m.max(v.abs())) * 2.0);
        let roles: Vec<_> = drivers.objects.iter().map(|o| o.shown_for.unwrap()).collect();
        assert_eq!(roles.iter().filter(|r| r.ends_with("error")).count(), 4, "{roles:?}");
    }
}

/// Series of two frequencies, some with a bump, of one or two channels and different lengths.
fn series(channels: usize) -> Dataset {
    let one = |i: usize| {
        let length = 30 + 2 * (i % 4);
        let speed = if i.is_multiple_of(2) { 0.3 } else { 0.8 };
        let value = |k: usize| {
            let t = (k % length) as f64;
            (speed * t + i as f64).sin() + if i.is_multiple_of(3) && k % length == 12 { 2.0 } else { 0.0 }
        };
        Series::new(channels, (0..channels * length).map(value).collect()).unwrap()
    };
    let n = 14;
    let classes = Categories::from_values((0..n).map(|i| Some(["slow", "fast"][i % 2])));
    Dataset::new(vec![Column::new("signal", Values::Series((0..n).map(one).collect()))])
        .unwrap()
        .with_target("kind", Target::Classes(classes))
        .unwrap()
}

/// Where every feature that is not 0 lies somewhere, the contributions of time steps add up to the decision; the names of
/// features say what they are.
#[test]
fn time_steps_add_up_to_the_decision() {
    for (kernel, name) in [
        ("rocket(features=84, scale=none)", "ppv("),
        (
            "rocket(features=700, scale=none, variant=mini) + intervals(fourier=no, scale=none)",
            "rocket: ppv(",
        ),
        ("hydra(groups=4, scale=none)", "best("),
        ("intervals(depth=3, fourier=no, scale=none)", "quantile 0.000(steps 1 to "),
    ] {
        for channels in [1, 2] {
            let data = series(channels);
            let model =
                Model::fit(&data, &kernel.parse().unwrap(), &"svc(C=10)".parse().unwrap(), 0, engine())
                    .unwrap();
            let prediction = model.predict(&data, engine()).unwrap();
            for (i, why) in model.explain(&data, 4, engine()).unwrap().iter().enumerate() {
                let expected = prediction.decisions.at(i, 0).abs();
                let near = |a: f64, b: f64| (a - b).abs() < 1e-4 * (1.0 + expected + why.offset.abs());
                assert!(near(why.value, expected), "{kernel} {i}: {} for {expected}", why.value);
                let [structure] = why.structures.as_slice() else { panic!("{kernel}: {:?}", why.structures) };
                assert_eq!(structure.nodes.len(), 30 + 2 * (i % 4));
                let sum: f64 = structure.nodes.iter().sum();
                assert!(near(sum, expected - why.offset), "{kernel} {i}: {sum} {expected} {}", why.offset);
                assert!(why.parts.iter().all(|p| p.nodes.iter().all(|s| s.len() == 2 && s[0] <= s[1])));
            }
            let weights = model.weights(100_000).unwrap();
            assert!(weights.iter().any(|w| w.feature.starts_with(name)), "{kernel}: {}", weights[0].feature);
        }
    }
    // Scaled features, a linear model, and a model restored from a file.
    let data = series(1);
    for learner in ["linear-svc", "ridge(lambda=0.01, intercept=yes)"] {
        let model = Model::fit(
            &data,
            &"rocket(features=500)".parse().unwrap(),
            &learner.parse().unwrap(),
            0,
            engine(),
        )
        .unwrap();
        let again = Model::from_bytes("m.mercer", &model.to_bytes().unwrap(), engine()).unwrap();
        let (a, b) = (model.explain(&data, 3, engine()).unwrap(), again.explain(&data, 3, engine()).unwrap());
        assert_eq!(a, b);
        assert!(a.iter().all(|why| why.parts.len() == 3 && !why.structures.is_empty()), "{learner}");
    }
}
