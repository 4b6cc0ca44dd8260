//! The nearest neighbours are exactly those of the full matrix.

use proptest::prelude::*;

use super::*;
use crate::data::Dense;
use crate::distance::NegativeSquaredDistance;
use crate::distance::series::ChannelChoice;
use crate::gram::Engine;

fn cross(dtw: Dtw, queries: &[Series], known: &[Series]) -> Dense {
    Engine::new().cross_distances(&NegativeSquaredDistance(dtw), queries, known).unwrap()
}

/// The first minimum of a row.
fn first_least(row: &[f64]) -> (usize, f64) {
    row.iter().enumerate().fold((0, f64::INFINITY), |best, (i, &d)| if d < best.1 { (i, d) } else { best })
}

fn sets() -> impl Strategy<Value = (Vec<Series>, Vec<Series>)> {
    (1usize..3, any::<bool>(), 1usize..18).prop_flat_map(|(channels, even, length)| {
        let lengths = if even { length..length + 1 } else { 1..18 };
        let one = lengths.prop_flat_map(move |len| {
            // Few distinct values give ties; small differences give almost equal pairs.
            let value = prop_oneof![(-2i32..3).prop_map(f64::from), (0.9999f64..1.0001), -3.0f64..3.0];
            prop::collection::vec(value, len * channels).prop_map(move |v| Series::new(channels, v).unwrap())
        });
        (prop::collection::vec(one.clone(), 1..6), prop::collection::vec(one, 1..24))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn neighbours_equal_those_of_the_matrix(
        (queries, known) in sets(),
        window in prop_oneof![Just(1.0), Just(0.0), 0.0f64..1.0, (2u32..9).prop_map(f64::from)],
        itakura in prop::option::of(1.0f64..3.0),
        independent in any::<bool>(),
    ) {
        let band = itakura.map_or(Band::SakoeChiba { window }, |slope| Band::Itakura { slope });
        let channels = if independent { ChannelChoice::INDEPENDENT } else { ChannelChoice::default() };
        let dtw = Dtw::default().within(band).on(channels);
        let d = cross(dtw, &queries, &known);
        let found = Nearest::new(dtw, &known).unwrap().of(&queries).unwrap();
        for (q, found) in found.into_iter().enumerate() {
            prop_assert_eq!(found, first_least(d.row(q)));
        }
    }

    /// For every bound and pair: within the bound the result equals the full table exactly, beyond it there is none.
    #[test]
    fn pruning_never_changes_a_sum((queries, known) in sets(), window in 0.0f64..1.0, part in 0.0f64..2.0) {
        let dtw = Dtw::default().within(Band::SakoeChiba { window });
        let (x, y) = (PreparedSeries::plain(&queries, ChannelChoice::default()).unwrap(), PreparedSeries::plain(&known, ChannelChoice::default()).unwrap());
        let full = f64::INFINITY;
        let mut space = Space::default();
        for q in 0..queries.len() {
            for i in 0..known.len() {
                let mut ask = |bound| squared((&x, q), (&y, i), dtw.band(), bound, &mut space);
                let sum = ask(full).unwrap();
                prop_assert_eq!(sum.sqrt(), cross(dtw, &queries[q..q + 1], &known[i..i + 1]).at(0, 0));
                prop_assert_eq!(ask(sum), Some(sum));
                prop_assert_eq!(ask(sum * part), (sum <= sum * part).then_some(sum));
                if sum > 0.0 {
                    prop_assert_eq!(ask(sum.next_down()), None);
                }
                let (a, b) = (&x.planes()[0], &y.planes()[0]);
                let bound = lower_bound(
                    (a.values(q), b.values(i)),
                    a.channels(),
                    (envelope(a, q, dtw.band()).as_ref(), envelope(b, i, dtw.band()).as_ref()),
                );
                prop_assert!(bound <= sum, "{} {}", bound, sum);
            }
        }
    }

    /// The learned window equals the one found by leave-one-out with full matrices.
    #[test]
    fn learned_windows_equal_those_of_matrices((_, known) in sets(), codes in prop::collection::vec(0u32..2, 24)) {
        prop_assume!(known.len() > 1);
        let classes = &codes[..known.len()];
        let errors = |w: usize| {
            let dtw = Dtw::default().within(Band::SakoeChiba { window: w as f64 / 100.0 });
            let d = cross(dtw, &known, &known);
            let wrong = |i: &usize| {
                let mut row = d.row(*i).to_vec();
                row[*i] = f64::INFINITY;
                classes[first_least(&row).0] != classes[*i]
            };
            (0..known.len()).filter(wrong).count()
        };
        let best = (0..=100).map(|w| (errors(w), w)).min().unwrap();
        let learned = learn_window(&known, classes, ChannelChoice::default()).unwrap();
        prop_assert_eq!((learned.errors, learned.window), (best.0, best.1 as f64 / 100.0));
    }
}

/// Almost equal pairs, where the diagonal is optimal: a bound summed in another order exceeds the sum, and no neighbour
/// would be found.
#[test]
fn near_identical_pairs_are_found() {
    let mut random = crate::random::Random::new(7);
    let mut series = |noise: f64, base: &[f64]| {
        let v: Vec<f64> = base.iter().map(|b| b + noise * (random.unit() - 0.5)).collect();
        Series::new(1, v).unwrap()
    };
    let base: Vec<f64> = (0..64).map(|i| (f64::from(i) * 0.3).sin()).collect();
    for noise in [1e-3, 1e-9, 1e-15] {
        for window in [0.0, 0.1, 1.0] {
            let dtw = Dtw::default().within(Band::SakoeChiba { window });
            let known: Vec<Series> = (0..40).map(|_| series(noise, &base)).collect();
            let queries: Vec<Series> = (0..10).map(|_| series(noise, &base)).collect();
            let d = cross(dtw, &queries, &known);
            let found = Nearest::new(dtw, &known).unwrap().of(&queries).unwrap();
            for (q, found) in found.into_iter().enumerate() {
                assert_eq!(found, first_least(d.row(q)), "{noise} {window}");
            }
        }
    }
}

#[test]
fn invalid_searches_are_an_error() {
    let one = Series::new(1, vec![1.0]).unwrap();
    let two = Series::new(2, vec![1.0, 2.0]).unwrap();
    assert!(Nearest::new(Dtw::default(), &[]).is_err());
    let nearest = Nearest::new(Dtw::default(), std::slice::from_ref(&one)).unwrap();
    assert!(nearest.of(&[two]).is_err());
    assert_eq!(nearest.of(&[]).unwrap(), []);
    let alone = learn_window(std::slice::from_ref(&one), &[0], ChannelChoice::default()).unwrap();
    assert_eq!((alone.window, alone.errors), (0.0, 0));
    assert!(learn_window(&[one.clone(), one], &[0], ChannelChoice::default()).is_err());
}
