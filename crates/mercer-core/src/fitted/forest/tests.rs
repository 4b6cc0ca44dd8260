use super::*;
use crate::data::{Categories, Dense, Times, Values};
use crate::gram::Engine;
use crate::random::Random;

fn numbers(name: &str, values: &[f64]) -> Column {
    Column::new(name, Values::Numbers(Dense::new(values.len(), 1, values.to_vec()).unwrap()))
}

fn categories(name: &str, values: &[Option<&str>]) -> Column {
    Column::new(name, Values::Categories(Categories::from_values(values.iter().copied())))
}

fn classes(values: &[usize]) -> Target {
    let names: Vec<String> = values.iter().map(usize::to_string).collect();
    Target::Classes(Categories::from_values(names.iter().map(|n| Some(n.as_str()))))
}

/// Numbers with ties and gaps, categories with gaps, times, and a target that depends on some of them.
fn table(n: usize, seed: u64, classes_of: usize) -> (Vec<Column>, Target, Target) {
    let mut random = Random::new(seed);
    let mut column = |gaps: usize, ties: bool| -> Vec<f64> {
        let value = |r: &mut Random| if ties { r.below(5) as f64 } else { r.normal() };
        (0..n)
            .map(|_| if gaps > 0 && random.below(gaps) == 0 { f64::NAN } else { value(&mut random) })
            .collect()
    };
    let (a, b, c) = (column(0, false), column(4, true), column(6, false));
    let names = ["red", "green", "blue", "grey"];
    let colour: Vec<Option<&str>> =
        (0..n).map(|_| (random.below(7) > 0).then(|| names[random.below(4)])).collect();
    let times: Vec<f64> = (0..n).map(|_| (random.below(1000) * 7919) as f64).collect();
    let y: Vec<f64> = (0..n)
        .map(|i| {
            let known = if b[i].is_nan() { 1.5 } else { b[i] };
            a[i] + 0.5 * known - if colour[i] == Some("red") { 1.0 } else { 0.0 } + 0.3 * random.normal()
        })
        .collect();
    let half = classes_of as f64 / 2.0;
    let codes: Vec<usize> = y.iter().map(|v| ((v + half).max(0.0) as usize).min(classes_of - 1)).collect();
    let columns = vec![
        numbers("b", &b),
        categories("colour", &colour),
        numbers("a", &a),
        numbers("c", &c),
        Column::new("when", Values::Times(Times::new(times))),
    ];
    (columns, classes(&codes), Target::Numbers(y))
}

fn select(columns: &[Column], rows: &[usize]) -> Vec<Column> {
    columns.iter().map(|c| Column::new(&c.name, c.values.select(rows))).collect()
}

const MODES: [TreeMode; 3] = [TreeMode::Extra, TreeMode::Random, TreeMode::Unsupervised];

#[test]
fn the_kernel_is_the_share_of_trees_with_a_common_leaf() {
    let (columns, targets, _) = table(60, 1, 3);
    for mode in MODES {
        let kernel = Forest::new(7).unwrap().with_mode(mode).fit(&columns, Some(&targets)).unwrap();
        let leaves = kernel.leaves(&columns).unwrap();
        let k = Engine::new().gram(&kernel, &columns[..]).unwrap();
        for i in 0..60 {
            for j in 0..60 {
                let same = (0..7).filter(|t| leaves[7 * i + t] == leaves[7 * j + t]).count();
                assert_eq!(k.at(i, j), same as f64 / 7.0);
            }
        }
    }
}

/// The training objects in each leaf of each tree.
fn members(kernel: &ForestKernel, columns: &[Column]) -> Vec<Vec<usize>> {
    let trees = kernel.trees().len();
    let mut out = vec![Vec::new(); kernel.trees().leaves()];
    for (at, leaf) in kernel.leaves(columns).unwrap().into_iter().enumerate() {
        out[leaf as usize].push(at / trees);
    }
    out
}

#[test]
fn leaves_have_enough_objects_and_are_as_deep_as_allowed() {
    let (columns, targets, values) = table(150, 2, 4);
    for (target, mode) in
        [(&targets, TreeMode::Extra), (&values, TreeMode::Extra), (&targets, TreeMode::Unsupervised)]
    {
        for leaf in [1, 2, 7] {
            let forest = Forest::new(10).unwrap().with_leaf(leaf).unwrap().with_mode(mode);
            let kernel = forest.clone().fit(&columns, Some(target)).unwrap();
            assert!(members(&kernel, &columns).iter().all(|own| own.len() >= leaf), "{forest}");
            let stump = forest.with_depth(2).unwrap().fit(&columns, Some(target)).unwrap();
            assert!(stump.trees().leaves() <= 40, "four leaves each");
            assert!(stump.trees().leaves() > 20, "most of them are cut twice");
        }
    }
    // Full-grown trees separate classes.
    let kernel = Forest::new(10).unwrap().with_leaf(1).unwrap().fit(&columns, Some(&targets)).unwrap();
    let Target::Classes(c) = &targets else { panic!("classes") };
    for own in members(&kernel, &columns) {
        assert!(own.iter().all(|&i| c.code(i) == c.code(own[0])));
    }
}

/// Σ over both sides of Σ_k (sum of labels)² / count.
fn judged(labels: &[Vec<f64>], left: &[bool]) -> f64 {
    let mut score = 0.0;
    for side in [true, false] {
        let count = left.iter().filter(|l| **l == side).count() as f64;
        if count == 0.0 {
            return f64::NEG_INFINITY;
        }
        for k in 0..labels[0].len() {
            let sum: f64 = labels.iter().zip(left).filter(|(_, l)| **l == side).map(|(y, _)| y[k]).sum();
            score += sum * sum / count;
        }
    }
    score
}

/// With all columns as candidates, the first cut of mode=random on a bootstrap sample is the best of all cuts, tried one by
/// one on the same sample.
#[test]
fn the_best_cut_is_found() {
    for seed in 0..12 {
        let (columns, two, values) = table(40, 100 + seed, 2);
        for target in [&two, &values] {
            let forest = Forest::new(1).unwrap().with_mode(TreeMode::Random).with_leaf(1).unwrap();
            let forest = forest.with_depth(1).unwrap().with_candidates(99).unwrap().with_seed(seed);
            let kernel = forest.fit(&columns, Some(target)).unwrap();
            // The bootstrap sample, drawn again.
            let mut random = Random::derived(seed, 0);
            let rows: Vec<usize> = (0..40).map(|_| random.below(40)).collect();
            let sample = select(&columns, &rows);
            let labels: Vec<Vec<f64>> = match target.select(&rows) {
                Target::Numbers(y) => y.into_iter().map(|v| vec![v]).collect(),
                Target::Classes(c) => (0..40)
                    .map(|i| (0..2).map(|k| f64::from(u8::from(c.code(i) == Some(k)))).collect())
                    .collect(),
            };
            // The variance does not depend on the mean, the score does.
            let mean: f64 = labels.iter().map(|y| y[0]).sum::<f64>() / 40.0;
            let labels: Vec<Vec<f64>> = match target {
                Target::Numbers(_) => labels.iter().map(|y| vec![y[0] - mean]).collect(),
                Target::Classes(_) => labels,
            };
            let leaves = kernel.leaves(&sample).unwrap();
            let found = judged(&labels, &leaves.iter().map(|l| *l == leaves[0]).collect::<Vec<_>>());
            let known = TreeColumns::of(&columns);
            let cells = known.cells(&sample).unwrap();
            let mut best = f64::NEG_INFINITY;
            for c in 0..known.width() {
                let of: Vec<f64> = (0..40).map(|i| cells.row(i)[c]).collect();
                let mut cuts: Vec<Box<dyn Fn(f64) -> bool>> = Vec::new();
                match known.is_set(c) {
                    true => {
                        (0..16u32).for_each(|set| cuts.push(Box::new(move |v| set >> (v as u32) & 1 == 1)))
                    }
                    false => of.iter().for_each(|&cut| cuts.push(Box::new(move |v| v <= cut))),
                }
                cuts.push(Box::new(|_| true));
                for cut in cuts {
                    for missing in [true, false] {
                        let left: Vec<bool> =
                            of.iter().map(|&v| if v.is_nan() { missing } else { cut(v) }).collect();
                        best = best.max(judged(&labels, &left));
                    }
                }
            }
            assert!((found - best).abs() <= 1e-9 * best.abs().max(1.0), "{seed}: {found} {best}");
        }
    }
}

#[test]
fn missing_values_go_their_own_way() {
    let mut random = Random::new(5);
    let gaps: Vec<f64> = (0..60).map(|i| if i % 3 == 0 { f64::NAN } else { random.normal() }).collect();
    let noise: Vec<f64> = (0..60).map(|_| random.normal()).collect();
    let colour: Vec<Option<&str>> = (0..60).map(|i| (i % 3 != 0).then_some(["a", "b"][i % 2])).collect();
    let target = classes(&(0..60).map(|i| usize::from(i % 3 == 0)).collect::<Vec<_>>());
    for mode in [TreeMode::Extra, TreeMode::Random] {
        for columns in [
            vec![numbers("gaps", &gaps), numbers("noise", &noise)],
            vec![categories("c", &colour), numbers("noise", &noise)],
        ] {
            let forest =
                Forest::new(9).unwrap().with_mode(mode).with_candidates(2).unwrap().with_depth(1).unwrap();
            let kernel = forest.fit(&columns, Some(&target)).unwrap();
            let k = Engine::new().gram(&kernel, &columns[..]).unwrap();
            assert!((0..60).all(|i| k.at(0, i) == f64::from(u8::from(i % 3 == 0))), "{kernel}");
        }
    }
}

#[test]
fn trees_without_labels_do_not_depend_on_them() {
    let (columns, targets, values) = table(50, 3, 3);
    let forest = Forest::new(5).unwrap().with_mode(TreeMode::Unsupervised);
    let fit = |target: Option<&Target>| forest.fit(&columns, target).unwrap().trees().arrays();
    assert_eq!(fit(None), fit(Some(&targets)));
    assert_eq!(fit(None), fit(Some(&values)));
    let other = forest.clone().with_seed(1).fit(&columns, None).unwrap();
    assert_ne!(fit(None), other.trees().arrays());
    // Scales and names of a column do not matter, nor does the order of columns.
    let mut moved = columns.clone();
    moved.reverse();
    assert_eq!(fit(None), forest.fit(&moved, None).unwrap().trees().arrays());
}

#[test]
fn rare_categories_of_many_are_one() {
    let names: Vec<String> =
        (0..300).map(|i| format!("level {}", if i < 200 { i % 50 } else { i })).collect();
    let values: Vec<Option<&str>> = names.iter().map(|n| Some(n.as_str())).collect();
    let columns = [categories("c", &values)];
    let target = classes(&(0..300).map(|i| i % 2).collect::<Vec<_>>());
    let kernel = Forest::new(5).unwrap().fit(&columns, Some(&target)).unwrap();
    assert_eq!(Forest::merged_categories(kernel.trees(), &columns), [("c".to_owned(), 150)]);
    let TreeColumnKind::Categories { levels, rest } = &kernel.trees().columns().columns()[0].kind else {
        panic!("categories")
    };
    assert!(*rest && levels.len() == 63 && levels.contains(&"level 49".to_owned()));
    // A rare category and an unknown one are alike.
    let two = [categories("c", &[Some("level 299"), Some("never seen")])];
    let leaves = kernel.leaves(&two).unwrap();
    assert_eq!(leaves[..5], leaves[5..]);
}

#[test]
fn rules_tell_who_is_in_a_leaf() {
    let (columns, targets, _) = table(80, 4, 3);
    let kernel = Forest::new(3).unwrap().with_depth(3).unwrap().fit(&columns, Some(&targets)).unwrap();
    let all: Vec<u32> = (0..kernel.trees().leaves() as u32).collect();
    let rules = kernel.trees().rules(&all);
    assert_eq!(rules.len(), all.len());
    assert!(rules[0].starts_with("tree 1, leaf 1: ") && rules[all.len() - 1].starts_with("tree 3, leaf "));
    let some = kernel.trees().rules(&[all[2], all[all.len() - 1]]);
    assert_eq!(some, [rules[2].clone(), rules[all.len() - 1].clone()]);

    // Every rule, read again, holds for the members of its leaf and for nobody else.
    let Values::Categories(colour) = &columns[1].values else { panic!("colours") };
    let number = |name: &str, i: usize| {
        let known = TreeColumns::of(&columns);
        let at = (0..known.width()).find(|&c| known.name(c) == name).unwrap_or_else(|| panic!("{name}"));
        known.cells(&columns).unwrap().row(i)[at]
    };
    // Days and five digits are rounded, and numbers close to a cut are not decided.
    let read = |text: &str| text.parse::<f64>().ok();
    let holds = |condition: &str, i: usize| -> Option<bool> {
        let (condition, missing) = match condition.strip_suffix(" or missing") {
            Some(rest) => (rest, true),
            None => (condition, false),
        };
        let near = |a: f64, b: f64| b.is_finite() && (a - b).abs() <= 1e-3 * b.abs();
        if let Some(rest) = condition.strip_prefix("colour ") {
            let known = colour.get(i);
            let set =
                |text: &str| text.trim_matches(['{', '}']).split(", ").map(str::to_owned).collect::<Vec<_>>();
            let inside = |set: &[String]| known.is_some_and(|k| set.iter().any(|s| s == k));
            return Some(match rest {
                "missing" => known.is_none(),
                "not missing" => known.is_some(),
                "any" => true,
                _ if known.is_none() => missing,
                _ => {
                    match (rest.strip_prefix("= "), rest.strip_prefix("in "), rest.strip_prefix("not in ")) {
                        (Some(one), ..) => inside(&[one.to_owned()]),
                        (_, Some(some), _) => inside(&set(some)),
                        (_, _, Some(others)) => !inside(&set(others)),
                        _ => !inside(&[rest.strip_prefix("≠ ")?.to_owned()]),
                    }
                }
            });
        }
        if condition.contains("1970-") {
            return None;
        }
        let words: Vec<&str> = condition.split(' ').collect();
        if let Some(name) = condition.strip_suffix(" not missing") {
            return Some(!number(name, i).is_nan());
        }
        if let Some(name) = condition.strip_suffix(" missing") {
            return Some(number(name, i).is_nan());
        }
        let (low, name, high) = match words.as_slice() {
            [low, "<", name @ .., "≤", high] => (read(low)?, name.join(" "), read(high)?),
            [name @ .., ">", low] => (read(low)?, name.join(" "), f64::INFINITY),
            [name @ .., "≤", high] => (f64::NEG_INFINITY, name.join(" "), read(high)?),
            other => panic!("{other:?}"),
        };
        let v = number(&name, i);
        match v.is_nan() {
            true => Some(missing),
            false if near(v, low) || near(v, high) => None,
            false => Some(low < v && v <= high),
        }
    };
    let mut decided = 0;
    for (leaf, own) in members(&kernel, &columns).iter().enumerate() {
        let conditions = rules[leaf].split_once(": ").unwrap().1;
        for i in 0..80 {
            let all: Option<Vec<bool>> = conditions.split(" and ").map(|c| holds(c, i)).collect();
            if let Some(all) = all {
                assert_eq!(all.iter().all(|h| *h), own.contains(&i), "{}: {i}", rules[leaf]);
                decided += 1;
            }
        }
    }
    assert!(decided > 500, "{decided}");
}

#[test]
fn arrays_of_any_origin_are_checked() {
    let (columns, targets, _) = table(30, 6, 2);
    let kernel = Forest::new(4).unwrap().fit(&columns, Some(&targets)).unwrap();
    let (arrays, known) = (kernel.trees().arrays(), kernel.trees().columns().columns().to_vec());
    assert_eq!(Trees::from_arrays(known.clone(), arrays.clone()).unwrap(), **kernel.trees());
    let refused = |edit: &dyn Fn(&mut TreeArrays)| {
        let mut other = arrays.clone();
        edit(&mut other);
        assert!(Trees::from_arrays(known.clone(), other).is_err());
    };
    refused(&|a| a.coordinates[0] = u32::MAX);
    refused(&|a| a.coordinates[0] = 99);
    refused(&|a| *a.coordinates.last_mut().unwrap() = 0);
    refused(&|a| a.sizes[0] += 1);
    refused(&|a| a.sizes[1] = u32::MAX);
    refused(&|a| {
        a.sizes.pop();
    });
    refused(&|a| {
        a.missing.pop();
    });
    refused(&|a| a.cuts.push(0.0));
    refused(&|a| a.sets.push(0));
    refused(&|a| a.coordinates.push(u32::MAX));
    let wide = TreeColumnKind::Categories { levels: (0..64).map(|i| i.to_string()).collect(), rest: true };
    let wide = vec![TreeColumn { name: "c".into(), kind: wide, gaps: false }];
    assert!(Trees::from_arrays(wide, TreeArrays::default()).is_err());
    assert!(ForestKernel::restore(Forest::new(5).unwrap(), kernel.trees().clone()).is_err());
}

#[test]
fn what_cannot_be_used_is_refused() {
    let x = numbers("x", &[1.0, 2.0, 3.0]);
    let columns = std::slice::from_ref(&x);
    let forest = Forest::new(2).unwrap();
    let refused =
        |columns: &[Column], target: Option<&Target>| forest.fit(columns, target).unwrap_err().to_string();
    assert!(refused(columns, None).contains("target"));
    assert!(refused(columns, Some(&Target::Numbers(vec![1.0, f64::NAN, 2.0]))).contains("target"));
    assert!(refused(columns, Some(&classes(&[1, 2]))).contains("3 objects"));
    let endless = numbers("x", &[1.0, f64::INFINITY, 3.0]);
    assert!(refused(&[endless], Some(&classes(&[0, 1, 1]))).contains("infinity"));
    let kernel = forest.fit(columns, Some(&classes(&[0, 1, 1]))).unwrap();
    assert!(kernel.leaves(&[numbers("y", &[1.0])]).is_err());
    assert!(kernel.leaves(&[categories("x", &[Some("a")])]).is_err());
    assert!(kernel.leaves(&[Column::new("x", Values::Numbers(Dense::zeros(1, 2)))]).is_err());
    // One object, equal objects, and objects without values are leaves.
    for column in [numbers("x", &[1.0]), numbers("x", &[2.0, 2.0]), numbers("x", &[f64::NAN, f64::NAN])] {
        let target = classes(&(0..column.values.len()).collect::<Vec<_>>());
        let kernel = forest.fit(std::slice::from_ref(&column), Some(&target)).unwrap();
        assert_eq!(kernel.trees().leaves(), 2);
    }
}

#[test]
fn huge_numbers_are_cut() {
    let columns = [numbers("x", &[-1.7e308, 1.7e308, -1e308, 1e308])];
    let target = Target::Numbers(vec![-1.7e308, 1.7e308, -1.7e308, 1.7e308]);
    for mode in MODES {
        let forest = Forest::new(20).unwrap().with_leaf(1).unwrap().with_mode(mode);
        let kernel = forest.fit(&columns, Some(&target)).unwrap();
        assert!(kernel.trees().leaves() > 25, "{mode:?}: {}", kernel.trees().leaves());
    }
}
