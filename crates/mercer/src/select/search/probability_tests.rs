//! Searches by measures of probabilities.

use super::{Grid, Search};
use crate::data::{Categories, Dataset, Dense, Target, generate};
use crate::gram::Engine;
use crate::select::{Objects, Protocol, Score, Split, Splits};

fn splits(data: &Dataset) -> Vec<Split> {
    Splits::new(&Protocol::folds(3), &Objects::of(data).unwrap(), 5).unwrap().iter().collect()
}

/// -Σ ln p / n and the Brier score, from folds predicted one by one.
#[test]
fn measures_of_probabilities_match_direct_computation() {
    let engine = Engine::new();
    for (data, scheme) in [
        (generate::half_moons(90, 0.3, 1).unwrap(), "one-versus-one"),
        (generate::rings(90, 0.3, 1).unwrap(), "one-versus-one"),
        (generate::rings(90, 0.3, 1).unwrap(), "one-versus-rest"),
    ] {
        let learner = format!("svc(C=[1, 10], scheme={scheme}, probability=yes)");
        let grid = Grid::new(&"rbf(gamma=[0.5, 2])".parse().unwrap(), &learner.parse().unwrap()).unwrap();
        let Some(Target::Classes(truth)) = data.target() else { panic!("classes") };
        let (splits, classes) = (splits(&data), truth.levels().len());
        for score in [Score::LogLoss, Score::Brier] {
            let search = Search::new(&data, &grid, score, &engine, 3).unwrap();
            let scores = search.run(&splits, None).unwrap();
            for configuration in 0..grid.len() {
                for (at, split) in splits.iter().enumerate() {
                    let fold = search.fold(configuration, split).unwrap();
                    let p = fold.prediction.probabilities.as_ref().unwrap();
                    let Some(Target::Classes(levels)) = &fold.prediction.target else { panic!("classes") };
                    let mut sum = 0.0;
                    for (row, &i) in split.test.iter().enumerate() {
                        let is = |c: usize| Some(levels.levels()[c].as_str()) == truth.get(i);
                        let one = |c: usize| (p.at(row, c) - f64::from(u8::from(is(c)))).powi(2);
                        sum += match score {
                            Score::LogLoss => {
                                (0..classes).find(|&c| is(c)).map_or(0.0, |c| -p.at(row, c).ln())
                            }
                            _ if classes == 2 => one(1),
                            _ => (0..classes).map(one).sum(),
                        };
                    }
                    let (found, expected) =
                        (scores.of(configuration)[at].unwrap(), sum / split.test.len() as f64);
                    assert!(
                        (found - expected).abs() < 1e-12,
                        "{score} {configuration} {at}: {found} {expected}"
                    );
                }
            }
            let best = scores.best().unwrap();
            let constant =
                if score == Score::LogLoss { (classes as f64).ln() } else { [0.25, 2.0 / 3.0][classes - 2] };
            assert!(scores.mean(best).unwrap() < 0.7 * constant, "{score}: {:?}", scores.mean(best));
        }
    }
}

#[test]
fn a_class_missing_from_training_has_no_probability() {
    let engine = Engine::new();
    let x = Dense::from_rows(&(0..12).map(|i| [f64::from(i)]).collect::<Vec<_>>());
    // The first class in the order of the data does not occur among the training objects.
    let names = (0..12).map(|i| Some(["z", "a", "m"][if i < 2 { 0 } else { 1 + i % 2 }]));
    let target = Target::Classes(Categories::from_values(names));
    let data = Dataset::of_vectors(x).with_target("c", target).unwrap();
    let grid = Grid::new(&"linear".parse().unwrap(), &"svc(probability=yes)".parse().unwrap()).unwrap();
    let search = Search::new(&data, &grid, Score::LogLoss, &engine, 0).unwrap();
    let split = Split { repetition: 0, fold: 0, train: (2..12).collect(), test: vec![0, 2] };
    let fold = search.fold(0, &split).unwrap();
    let p = fold.prediction.probabilities.as_ref().unwrap();
    let Some(Target::Classes(levels)) = &fold.prediction.target else { panic!("classes") };
    let own = levels.levels().iter().position(|l| l == "a").unwrap();
    let expected = 0.5 * (-f64::EPSILON.ln() - p.at(1, own).ln());
    let found = search.measure(Score::LogLoss, &fold.prediction, &split).unwrap().value().unwrap();
    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
}

#[test]
fn measures_of_probabilities_need_learners_that_give_them() {
    let (data, engine) = (generate::half_moons(30, 0.1, 1).unwrap(), Engine::new());
    for (learner, words) in [
        ("svc(C=2)", "svc(C=2) gives no probabilities without probability=yes"),
        ("svc(probability=[yes, no])", "without probability=yes"),
        ("knn", "knn gives no probabilities; gpc does, svc and nu-svc do with probability=yes"),
    ] {
        let grid = Grid::new(&"linear".parse().unwrap(), &learner.parse().unwrap()).unwrap();
        let error = Search::new(&data, &grid, Score::Brier, &engine, 0).err().unwrap().to_string();
        assert!(error.contains(words), "{error}");
        assert!(Search::new(&data, &grid, Score::Accuracy, &engine, 0).is_ok());
    }
}
