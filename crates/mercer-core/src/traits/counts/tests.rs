use std::collections::HashMap;

use super::*;

/// Object i holds feature f (a 128-bit hash) for about one object in 1 + f/2.
fn counts_of(i: usize) -> HashMap<u128, u64> {
    let count = |f: usize| if i.is_multiple_of(1 + f / 2) { 1 + ((i * 7 + f * 3) % 5) as u64 } else { 0 };
    let hash = |f: usize| xxhash_rust::xxh3::xxh3_128(&f.to_le_bytes());
    (0..90).map(|f| (hash(f), count(f))).filter(|(_, c)| *c > 0).collect()
}

fn set(objects: std::ops::Range<usize>, factor: u64) -> Counts {
    Counts::collect(objects.len(), |at, bag| {
        for (hash, count) in counts_of(objects.start + at) {
            // Adds features one by one, by count, and both ways.
            match hash % 3 {
                0 => (0..count * factor).for_each(|_| bag.add(hash)),
                1 => bag.add_many(hash, count * factor),
                _ => {
                    bag.add(hash);
                    bag.add_many(hash, count * factor - 1);
                }
            }
        }
        Ok(())
    })
    .unwrap()
}

fn sum(i: usize, j: usize, g: impl Fn(u64, u64) -> u64) -> f64 {
    let theirs = counts_of(j);
    counts_of(i).iter().filter_map(|(f, &c)| Some(g(c, *theirs.get(f)?))).sum::<u64>() as f64
}

#[test]
fn tiles_are_sums_over_shared_features() {
    // The second factor exceeds the exact range of single precision.
    for factor in [1, 1 << 12] {
        let (a, b) = (set(0..100, factor), set(60..130, factor));
        let chosen = a.select(&[70, 3, 3, 99]);
        let square = (factor * factor) as f64;
        let check = |rows: Part<'_, Counts>, cols: Part<'_, Counts>, i0: &[usize], j0: &[usize]| {
            let mut out = vec![f64::NAN; rows.len() * cols.len()];
            fill_products(&rows, &cols, &mut out);
            let mut minima = vec![f64::NAN; out.len()];
            fill_minima(&rows, &cols, &mut minima);
            let (mut got, mut least) = (out.iter(), minima.iter());
            for &i in i0 {
                for &j in j0 {
                    assert_eq!(*got.next().unwrap(), square * sum(i, j, |x, y| x * y), "{i} {j}");
                    assert_eq!(*least.next().unwrap(), factor as f64 * sum(i, j, u64::min), "{i} {j}");
                }
            }
        };
        let all = |r: std::ops::Range<usize>| r.collect::<Vec<usize>>();
        check(Part::new(&a, 0..100), Part::new(&a, 0..100), &all(0..100), &all(0..100));
        check(Part::new(&a, 7..9), Part::new(&a, 8..60), &all(7..9), &all(8..60));
        check(Part::new(&a, 0..100), Part::new(&b, 0..70), &all(0..100), &all(60..130));
        check(Part::new(&b, 0..70), Part::new(&a, 0..100), &all(60..130), &all(0..100));
        check(Part::new(&chosen, 0..4), Part::new(&chosen, 0..4), &[70, 3, 3, 99], &[70, 3, 3, 99]);
        check(Part::new(&chosen, 0..4), Part::new(&a, 0..100), &[70, 3, 3, 99], &all(0..100));
        assert_eq!(a.sums.squares[5], square * sum(5, 5, |x, y| x * y));
        assert_eq!(a.sums.totals[5], factor as f64 * sum(5, 5, u64::min));
    }
}

#[test]
fn nothing_to_count() {
    let none = Counts::collect(0, |_, _| Ok(())).unwrap();
    assert_eq!((none.len(), none.hashes().len()), (0, 0));
    let empty = Counts::collect(3, |_, _| Ok(())).unwrap();
    let mut out = [f64::NAN; 9];
    fill_products(&Part::new(&empty, 0..3), &Part::new(&empty, 0..3), &mut out);
    assert_eq!(out, [0.0; 9]);
    let other = set(0..3, 1);
    fill_minima(&Part::new(&empty, 0..3), &Part::new(&other, 0..3), &mut out);
    assert_eq!(out, [0.0; 9]);
    assert!(Counts::collect(20, |i, _| if i == 17 { Err(Error::usage("x")) } else { Ok(()) }).is_err());
}

#[test]
fn the_most_frequent_features_come_first() {
    let set = set(0..100, 1);
    let mut owners = vec![0; set.hashes().len()];
    (0..100).for_each(|i| set.row(i).0.iter().for_each(|&f| owners[f as usize] += 1));
    assert!(owners.is_sorted_by(|a, b| a >= b) && owners[0] == 100);
    assert!((0..100).all(|i| set.row(i).0.is_sorted_by(|a, b| a < b)));
}
