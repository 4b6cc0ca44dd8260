use std::collections::HashSet;

use proptest::prelude::*;

use super::*;

fn all(protocol: &str, objects: &Objects, seed: u64) -> Result<Vec<Split>> {
    Ok(Splits::new(&protocol.parse()?, objects, seed)?.iter().collect())
}

/// Training and test set together hold every object once, both in ascending order.
fn complete(split: &Split, n: usize) -> bool {
    let mut together = [split.train.clone(), split.test.clone()].concat();
    let ordered = split.train.is_sorted() && split.test.is_sorted();
    together.sort_unstable();
    ordered && together == (0..n).collect::<Vec<_>>() && !split.train.is_empty() && !split.test.is_empty()
}

/// Within each repetition every object is tested exactly once.
fn tested_once(splits: &[Split], n: usize) -> bool {
    splits.chunk_by(|a, b| a.repetition == b.repetition).all(|repetition| {
        let mut tested: Vec<usize> = repetition.iter().flat_map(|s| s.test.clone()).collect();
        tested.sort_unstable();
        let numbered = repetition.iter().enumerate().all(|(f, s)| s.fold == f);
        numbered && tested == (0..n).collect::<Vec<_>>()
    })
}

fn apart(split: &Split, groups: &[usize]) -> bool {
    let of = |part: &[usize]| part.iter().map(|&i| groups[i]).collect::<HashSet<_>>();
    of(&split.train).is_disjoint(&of(&split.test))
}

fn within_one(counts: impl Iterator<Item = usize> + Clone) -> bool {
    counts.clone().max().unwrap_or(0) - counts.min().unwrap_or(0) <= 1
}

#[test]
fn errors_state_the_reason() {
    let message = |protocol: &str, objects: &Objects| all(protocol, objects, 1).unwrap_err().to_string();
    let ten = Objects::new(10);
    assert!(message("11-fold", &ten).contains("10 objects are too few for 11"));
    assert!(message("group-3-fold", &ten).contains("the data has none"));
    assert!(message("leave-one-group-out", &ten).contains("the data has none"));
    assert!(message("train-test", &ten).contains("training and test set"));
    assert!(message("leave-one-out", &Objects::new(1)).contains("1 objects"));
    assert!(message("holdout(0.5)", &Objects::new(0)).contains("0 objects"));
    let rare = Objects::new(5).with_classes(&[3, 3, 9, 3, 3]).unwrap();
    assert!(message("2-fold", &rare).contains("class '9' has 1 member, too few for 2 folds"));
    let grouped = Objects::new(4).with_groups(&[5, 5, 6, 6]).unwrap();
    assert!(message("group-3-fold", &grouped).contains("2 groups are too few for 3"));
    assert!(
        message("leave-one-group-out", &Objects::new(2).with_groups(&[1, 1]).unwrap()).contains("1 groups")
    );
    assert!(
        message("train-test", &Objects::new(2).with_test(&[true; 2]).unwrap())
            .contains("training set is empty")
    );
    let by_hand = Protocol::Folds { folds: 0, repetitions: 1 };
    assert!(matches!(Splits::new(&by_hand, &ten, 1), Err(Error::Param { .. })));
    let by_hand = Protocol::Holdout { share: f64::NAN, repetitions: 1 };
    assert!(matches!(Splits::new(&by_hand, &ten, 1), Err(Error::Param { .. })));
}

#[test]
fn predefined_training_and_test_sets() {
    let objects = Objects::new(4).with_test(&[false, true, false, true]).unwrap();
    let expected = Split { repetition: 0, fold: 0, train: vec![0, 2], test: vec![1, 3] };
    assert_eq!(all("train-test", &objects, 1).unwrap(), [expected]);
}

#[test]
fn leave_one_out() {
    let splits = all("leave-one-out", &Objects::new(3), 1).unwrap();
    assert_eq!(splits[1], Split { repetition: 0, fold: 1, train: vec![0, 2], test: vec![1] });
    let objects = Objects::new(4).with_groups(&[40, 7, 40, 9]).unwrap();
    let splits = all("leave-one-group-out", &objects, 1).unwrap();
    let tests: Vec<_> = splits.into_iter().map(|s| s.test).collect();
    assert_eq!(tests, [vec![1], vec![3], vec![0, 2]]);
}

#[test]
fn ratio_of_test_to_training_objects() {
    let objects = Objects::new(10);
    let ratio =
        |protocol: &str| Splits::new(&protocol.parse().unwrap(), &objects, 1).unwrap().test_per_train();
    assert_eq!(ratio("5x2"), 1.0);
    assert_eq!(ratio("5-fold"), 0.25);
    assert!((ratio("holdout(0.2)") - 0.25).abs() < 1e-15);
    assert!(Splits::new(&Protocol::folds(2), &objects, 1).unwrap().get(2).is_none());
}

#[test]
fn group_folds_are_stratified() {
    // Twenty groups of three, half of them of class 1 only: each of the five folds gets two of each kind.
    let groups: Vec<usize> = (0..60).map(|i| i / 3).collect();
    let classes: Vec<usize> = groups.iter().map(|g| g % 2).collect();
    let objects = Objects::new(60).with_classes(&classes).unwrap().with_groups(&groups).unwrap();
    for seed in 0..20 {
        for split in all("group-5-fold", &objects, seed).unwrap() {
            assert_eq!(split.test.len(), 12);
            assert_eq!(split.test.iter().filter(|&&i| classes[i] == 1).count(), 6);
        }
        let half = &all("group-holdout(0.5)", &objects, seed).unwrap()[0];
        assert_eq!(half.test.iter().filter(|&&i| classes[i] == 1).count(), 15);
        assert_eq!(half.test.len(), 30);
    }
}

#[test]
fn seeds_matter() {
    let groups: Vec<usize> = (0..60).map(|i| i / 3).collect();
    let objects = Objects::new(60).with_groups(&groups).unwrap();
    for protocol in ["5-fold", "5x2", "group-5-fold", "holdout(0.3)", "group-holdout(0.3)"] {
        assert_eq!(all(protocol, &objects, 3).unwrap(), all(protocol, &objects, 3).unwrap());
        let distinct: HashSet<Vec<usize>> =
            (0..20).map(|seed| all(protocol, &objects, seed).unwrap()[0].test.clone()).collect();
        assert!(distinct.len() >= 19, "{protocol}: {}", distinct.len());
    }
    let repeated = all("5x2", &objects, 1).unwrap();
    let distinct: HashSet<_> = repeated.iter().map(|s| s.test.clone()).collect();
    assert_eq!(distinct.len(), 10);
}

/// Classes and groups of 2 to 80 objects.
fn labelled() -> impl Strategy<Value = (Vec<usize>, Vec<usize>)> {
    (2usize..80, 1usize..5, 2usize..12).prop_flat_map(|(n, classes, groups)| {
        (prop::collection::vec(0..classes, n), prop::collection::vec(0..groups, n))
    })
}

proptest! {
    #[test]
    fn folds((classes, groups) in labelled(), k in 2usize..6, repetitions in 1usize..4, seed: u64) {
        let n = classes.len();
        let objects = Objects::new(n).with_classes(&classes).unwrap();
        let counts = (0..5).map(|c| classes.iter().filter(|&&x| x == c).count());
        let possible = n >= k && counts.clone().all(|c| c == 0 || c >= k);
        let splits = all(&format!("{repetitions}x{k}-fold"), &objects, seed);
        prop_assert_eq!(splits.is_ok(), possible);
        if let Ok(splits) = splits {
            prop_assert_eq!(splits.len(), k * repetitions);
            prop_assert!(splits.iter().all(|s| complete(s, n)));
            prop_assert!(tested_once(&splits, n));
            for repetition in splits.chunks(k) {
                prop_assert!(within_one(repetition.iter().map(|s| s.test.len())));
                for c in 0..5 {
                    let of_class = |s: &Split| s.test.iter().filter(|&&i| classes[i] == c).count();
                    prop_assert!(within_one(repetition.iter().map(of_class)));
                }
            }
        }
        // Whole groups.
        let objects = Objects::new(n).with_groups(&groups).unwrap();
        let present: HashSet<_> = groups.iter().collect();
        let largest = present.iter().map(|g| groups.iter().filter(|x| x == g).count()).max().unwrap();
        let plain = all(&format!("group-{k}-fold"), &objects, seed);
        prop_assert_eq!(plain.is_ok(), present.len() >= k);
        if let Ok(plain) = plain {
            let sizes = plain.iter().map(|s| s.test.len());
            prop_assert!(sizes.clone().max().unwrap() - sizes.min().unwrap() <= largest);
            let objects = objects.with_classes(&classes).unwrap();
            for splits in [plain, all(&format!("group-{k}-fold"), &objects, seed).unwrap()] {
                prop_assert!(tested_once(&splits, n));
                prop_assert!(splits.iter().all(|s| complete(s, n) && apart(s, &groups)));
            }
            let held = all("group-holdout(0.3)", &objects, seed).unwrap();
            prop_assert!(complete(&held[0], n) && apart(&held[0], &groups));
            let left = all("leave-one-group-out", &objects, seed).unwrap();
            prop_assert!(tested_once(&left, n) && left.iter().all(|s| complete(s, n) && apart(s, &groups)));
        }
    }

    #[test]
    fn holdouts((classes, _) in labelled(), share in 0.01f64..0.99, seed: u64) {
        let n = classes.len();
        let objects = Objects::new(n).with_classes(&classes).unwrap();
        let split = &all(&format!("holdout({share})"), &objects, seed).unwrap()[0];
        prop_assert!(complete(split, n));
        prop_assert_eq!(split.test.len(), ((share * n as f64).round() as usize).clamp(1, n - 1));
        let real = split.test.len() as f64 / n as f64;
        for c in 0..5 {
            let members = classes.iter().filter(|&&x| x == c).count() as f64;
            let tested = split.test.iter().filter(|&&i| classes[i] == c).count() as f64;
            prop_assert!((tested - real * members).abs() < 1.0 + 1e-9);
        }
    }

    #[test]
    fn nested_splits((classes, groups) in labelled(), outer in 0usize..4, inner in 0usize..4, seed: u64, grouped: bool) {
        let n = classes.len();
        let texts = ["2-fold", "leave-one-out", "group-2-fold", "holdout(0.4)"];
        let mut objects = Objects::new(n).with_classes(&classes).unwrap();
        if grouped {
            objects = objects.with_groups(&groups).unwrap();
        }
        let (outer, inner): (Protocol, Protocol) = (texts[outer].parse().unwrap(), texts[inner].parse().unwrap());
        let Ok(splits) = nested(&outer, &inner, &objects, seed) else { return Ok(()) };
        for split in splits {
            let Ok(split) = split else { continue };
            prop_assert!(complete(&split.outer, n));
            for inner in &split.inner {
                let mut together = [inner.train.clone(), inner.test.clone()].concat();
                together.sort_unstable();
                prop_assert_eq!(&together, &split.outer.train);
                prop_assert!(!grouped || apart(inner, &groups));
            }
        }
    }
}

#[test]
fn nested_seeds_and_rare_classes() {
    let classes = [vec![0; 20], vec![1; 4]].concat();
    let objects = Objects::new(24).with_classes(&classes).unwrap();
    let (outer, inner) = (Protocol::FIVE_BY_TWO, Protocol::folds(5));
    let make = |seed| nested(&outer, &inner, &objects, seed).unwrap().collect::<Result<Vec<_>>>().unwrap();
    let splits = make(1);
    assert_eq!(splits, make(1));
    assert_ne!(splits, make(2));
    assert_eq!(splits.len(), 10);
    // Each training set has two members of class 1: they are spread over two of the five inner folds.
    for split in &splits {
        let with = split.inner.iter().filter(|s| s.test.iter().any(|&i| classes[i] == 1)).count();
        assert_eq!((split.inner.len(), with), (5, 2));
    }
    assert!(nested(&outer, &Protocol::TrainTest, &objects, 1).is_err());
    // Three groups, one left out: two remain, for two inner folds instead of five.
    let groups = Objects::new(9).with_groups(&[0, 0, 0, 1, 1, 1, 2, 2, 2]).unwrap();
    for split in nested(&Protocol::LeaveOneGroupOut, &inner, &groups, 1).unwrap() {
        assert_eq!(split.unwrap().inner.len(), 2);
    }
    let two = Objects::new(4).with_groups(&[0, 0, 1, 1]).unwrap();
    let mut splits = nested(&Protocol::LeaveOneGroupOut, &inner, &two, 1).unwrap();
    assert!(splits.next().unwrap().unwrap_err().to_string().contains("one group only"));
}

#[test]
fn forward_trains_on_the_past_alone() {
    let protocol = Protocol::Forward { folds: 3 };
    let splits: Vec<_> = Splits::new(&protocol, &Objects::new(8), 1).unwrap().iter().collect();
    let sets: Vec<_> = splits.iter().map(|s| (s.train.clone(), s.test.clone())).collect();
    let before = |n: usize| (0..n).collect::<Vec<_>>();
    assert_eq!(sets, [(before(2), vec![2, 3]), (before(4), vec![4, 5]), (before(6), vec![6, 7])]);
    // Objects in any order, with two of the same time: these stay together.
    let times = [5.0, 1.0, 4.0, 2.0, 2.0, 3.0, 6.0, 0.0];
    let objects = Objects::new(8).with_times(&times).unwrap();
    for split in &Splits::new(&protocol, &objects, 7).unwrap() {
        let latest = split.train.iter().map(|&i| times[i]).fold(f64::MIN, f64::max);
        assert!(split.test.iter().all(|&i| times[i] > latest), "{split:?}");
        assert!(!split.train.is_empty() && !split.test.is_empty());
    }
    let ratio = Splits::new(&protocol, &Objects::new(8), 1).unwrap().test_per_train();
    assert!((ratio - (2.0 / 2.0 + 2.0 / 4.0 + 2.0 / 6.0) / 3.0).abs() < 1e-12);
    let same = Objects::new(8).with_times(&[1.0; 8]).unwrap();
    assert!(Splits::new(&protocol, &same, 1).unwrap_err().to_string().contains("the same time"));
    assert!(Splits::new(&protocol, &Objects::new(3), 1).is_err());
    assert!(Objects::new(1).with_times(&[f64::NAN]).is_err());
}

#[test]
fn inner_splits_keep_the_order_of_time() {
    let times: Vec<f64> = (0..30).map(|i| f64::from(i * 7 % 30)).collect();
    let objects = Objects::new(30).with_times(&times).unwrap();
    let (outer, inner) = (Protocol::Forward { folds: 4 }, Protocol::folds(3));
    for split in nested(&outer, &inner, &objects, 1).unwrap() {
        let split = split.unwrap();
        assert_eq!(split.inner.len(), 3);
        for inner in &split.inner {
            let latest = inner.train.iter().map(|&i| times[i]).fold(f64::MIN, f64::max);
            assert!(inner.test.iter().all(|&i| times[i] > latest));
            assert!(inner.train.iter().chain(&inner.test).all(|i| split.outer.train.contains(i)));
        }
    }
    // A first block of one time step leaves one inner split at least where it can be split.
    let few = Objects::new(4);
    assert!(nested(&Protocol::Forward { folds: 1 }, &inner, &few, 1).unwrap().all(|s| s.is_ok()));
}

#[test]
fn given_splits_are_checked() {
    let refused = [
        vec![],
        vec![(vec![], vec![1])],
        vec![(vec![0], vec![])],
        vec![(vec![0, 0], vec![1])],
        vec![(vec![0, 1], vec![1])],
        vec![(vec![0], vec![9])],
    ];
    for splits in refused {
        assert!(Splits::given(splits.clone(), 3).is_err(), "{splits:?}");
    }
    let twice = Splits::given(vec![(vec![0], vec![2, 1]), (vec![0], vec![1])], 3).unwrap();
    assert_eq!(twice.get(0).unwrap().test, [1, 2]);
    assert!(!twice.tests_once() && (twice.test_per_train() - 1.5).abs() < 1e-12);
}
