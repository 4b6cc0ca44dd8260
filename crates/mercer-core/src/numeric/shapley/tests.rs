use super::*;
use crate::random::Random;

/// Factors of random games, and the values over all sets of players by their formula.
fn brute(players: usize, games: usize, value: impl Fn(&[f64]) -> f64, rows: [&[Vec<f64>]; 2]) -> Vec<f64> {
    let mut out = vec![0.0; players * games];
    for game in 0..games {
        let of = |set: usize| {
            let chosen: Vec<f64> = (0..players).map(|j| rows[1 - (set >> j & 1)][j][game]).collect();
            value(&chosen)
        };
        let all: Vec<f64> = (0..1 << players).map(of).collect();
        let values = of_all_coalitions(&all, players);
        values.into_iter().enumerate().for_each(|(j, v)| out[j * games + game] = v);
    }
    out
}

fn random_rows(
    players: usize,
    games: usize,
    seed: u64,
    mut draw: impl FnMut(&mut Random) -> f64,
) -> Vec<Vec<f64>> {
    let mut random = Random::new(seed);
    (0..players).map(|_| (0..games).map(|_| draw(&mut random)).collect()).collect()
}

fn slices(rows: &[Vec<f64>]) -> Vec<&[f64]> {
    rows.iter().map(Vec::as_slice).collect()
}

fn far(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn products_equal_the_sum_over_all_sets() {
    for players in 1..=12 {
        // Not a multiple of any number of lanes.
        let games = 7;
        for (seed, negative) in [(1, 0.0), (2, 0.5)] {
            let draw = |random: &mut Random| match random.below(5) {
                0 => 0.0,
                1 => 1.0,
                _ => random.unit() - negative,
            };
            let p = random_rows(players, games, seed, draw);
            let q = random_rows(players, games, seed + 10, draw);
            let mut fast = vec![0.0; players * games];
            add_products(&slices(&p), &slices(&q), &mut fast);
            let slow = brute(players, games, |chosen| chosen.iter().product(), [&p, &q]);
            assert!(far(&fast, &slow) < 1e-14, "{players} players: {}", far(&fast, &slow));
        }
    }
}

#[test]
fn powers_equal_the_sum_over_all_sets() {
    for players in [1, 2, 3, 5, 8, 12] {
        for degree in [1, 2, 3, 5, 9] {
            let p = random_rows(players, 3, 3, |random| random.unit() - 0.4);
            let q = random_rows(players, 3, 4, |random| random.unit() - 0.4);
            let mut fast = vec![0.0; players * 3];
            add_powers(&slices(&p), &slices(&q), 0.7, degree, &mut fast);
            let value = |chosen: &[f64]| (0.7 + chosen.iter().sum::<f64>()).powi(degree as i32);
            let slow = brute(players, 3, value, [&p, &q]);
            let scale = slow.iter().fold(1.0f64, |m, v| m.max(v.abs()));
            assert!(far(&fast, &slow) < 1e-12 * scale, "{players} players, degree {degree}");
        }
    }
}

/// Σ φ_j = v(everyone) - v(nobody) far beyond the number of players that can be enumerated, without loss of digits: every
/// factor is positive, and factors outside are at most those inside, so that all values are of one sign.
#[test]
fn many_players_lose_no_digits() {
    for players in [20, 100, 301] {
        let q = random_rows(players, 5, 1, |random| 0.5 + 0.4 * random.unit());
        let p: Vec<Vec<f64>> = q.iter().map(|row| row.iter().map(|v| v + 0.1).collect()).collect();
        let mut fast = vec![0.0; players * 5];
        add_products(&slices(&p), &slices(&q), &mut fast);
        for game in 0..5 {
            let product = |rows: &[Vec<f64>]| rows.iter().map(|row| row[game]).product::<f64>();
            let (sum, all) =
                ((0..players).map(|j| fast[j * 5 + game]).sum::<f64>(), product(&p) - product(&q));
            assert!((0..players).all(|j| fast[j * 5 + game] > 0.0));
            assert!((sum / all - 1.0).abs() < 1e-12, "{players}: {sum} {all}");
        }
    }
}

#[test]
fn equal_players_get_equal_values_and_idle_ones_nothing() {
    let p = [vec![0.9], vec![0.3], vec![0.9], vec![0.5]];
    let q = [vec![0.2], vec![0.3], vec![0.2], vec![0.8]];
    let mut values = vec![0.0; 4];
    add_products(&slices(&p), &slices(&q), &mut values);
    assert!((values[0] - values[2]).abs() < 1e-16 && values[1] == 0.0, "{values:?}");
    // A second call adds.
    add_products(&slices(&p), &slices(&q), &mut values);
    let mut once = vec![0.0; 4];
    add_products(&slices(&p), &slices(&q), &mut once);
    assert_eq!(values, once.iter().map(|v| 2.0 * v).collect::<Vec<_>>());
}

#[test]
fn quadrature_integrates_polynomials() {
    for count in [1usize, 2, 3, 7, 50, 200] {
        let nodes = gauss_legendre(count);
        assert!(nodes.iter().all(|(t, w)| (0.0..1.0).contains(t) && *w > 0.0));
        for power in [0, 1, count, 2 * count - 1] {
            let found: f64 = nodes.iter().map(|(t, w)| w * t.powi(power as i32)).sum();
            assert!(
                (found * (power + 1) as f64 - 1.0).abs() < 1e-12,
                "{count} nodes, power {power}: {found}"
            );
        }
    }
}

#[test]
fn orders_estimate_what_all_sets_give() {
    let value = |set: usize| if set.count_ones() >= 2 { 1.0 } else { 0.1 * (set & 1) as f64 };
    let exact = of_all_coalitions(&(0..16).map(value).collect::<Vec<_>>(), 4);
    let (mut sums, count) = ([0.0; 4], 4000);
    for order in Orders::new(4, 5).take(count) {
        let mut set = 0;
        for j in order {
            sums[j] += (value(set | 1 << j) - value(set)) / count as f64;
            set |= 1 << j;
        }
    }
    assert!(far(&sums, &exact) < 0.03, "{sums:?} {exact:?}");
    assert!((sums.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(of_all_coalitions(&[0.0; 3], 2).is_empty());
}
