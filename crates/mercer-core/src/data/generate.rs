//! Synthetic data: the balance problems, shapes that are not linearly separable, and networks.
//!
//! Each data set has one column `x` of vectors and a target `class`. The balance problems are complete and
//! deterministic tables; the shapes depend on their parameters and a seed.

use std::f64::consts::{PI, TAU};

use super::{Categories, Dataset, Dense, Network, Target};
use crate::error::{Error, Result, nearest};
use crate::random::Random;

/// The number of objects in published experiments with [`half_moons`].
pub const HALF_MOONS: usize = 800;
/// The number of objects in published experiments with [`rings`].
pub const RINGS: usize = 685;
/// The number of objects in published experiments with [`swiss_roll`].
pub const SWISS_ROLL: usize = 1600;

/// The names that [`by_name`] accepts.
pub const NAMES: [&str; 6] = ["balance1", "balance", "balance3", "half-moons", "rings", "swiss-roll"];

/// Maximum number of objects.
const MOST: usize = 10_000_000;

/// A data set of one of [`NAMES`] in its published size: `half-moons` with noise 0.1, `rings` with noise 0.15,
/// `swiss-roll` with noise 0.3. Only these three depend on the seed.
///
/// ```
/// use mercer_core::data::generate;
/// assert_eq!(generate::by_name("swiss-roll", 42)?.len(), 1600);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn by_name(name: &str, seed: u64) -> Result<Dataset> {
    sized(name, None, None, seed)
}

/// A data set of one of [`NAMES`] with another number of objects or noise; the defaults are those of [`by_name`].
///
/// The balance problems are fixed, complete tables: specifying a number of objects or noise is an error.
///
/// ```
/// use mercer_core::data::generate;
/// assert_eq!(generate::sized("rings", Some(90), None, 42)?.len(), 90);
/// assert!(generate::sized("balance", Some(90), None, 42).is_err());
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn sized(name: &str, n: Option<usize>, noise: Option<f64>, seed: u64) -> Result<Dataset> {
    if let ("balance1" | "balance" | "balance3", true) = (name, n.is_some() || noise.is_some()) {
        let reason = format!("{name} is a fixed, complete table: it has no parameters for size or noise");
        return Err(Error::usage(reason));
    }
    match name {
        "balance1" => balance1(),
        "balance" => balance(),
        "balance3" => balance3(),
        "half-moons" => half_moons(n.unwrap_or(HALF_MOONS), noise.unwrap_or(0.1), seed),
        "rings" => rings(n.unwrap_or(RINGS), noise.unwrap_or(0.15), seed),
        "swiss-roll" => swiss_roll(n.unwrap_or(SWISS_ROLL), noise.unwrap_or(0.3), seed),
        _ => {
            let near = nearest(name, NAMES);
            let hint = near.first().map_or_else(String::new, |name| format!("; did you mean {name}?"));
            let domain = format!("one of {}{hint}", NAMES.join(", "));
            Err(Error::param("data", format!("'{name}'"), &domain))
        }
    }
}

/// All 400 pairs of whole numbers from 1 to 20; class `L` if the first is larger, `B` if they are equal, `R` otherwise.
///
/// ```
/// let data = mercer_core::data::generate::balance1()?;
/// assert_eq!((data.len(), data.columns()[0].values.width()), (400, 2));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn balance1() -> Result<Dataset> {
    scale(2, 20)
}

/// The balance scale: all 625 tuples (weight, distance, weight, distance) from 1 to 5; class `L`, `B` or `R` if the
/// left product is larger, equal or smaller. These are the same 625 objects as in the UCI data set of that name.
///
/// R. Siegler, *Three aspects of cognitive development*, Cognitive Psychology 8 (1976).
///
/// ```
/// let data = mercer_core::data::generate::balance()?;
/// assert_eq!(data.len(), 625);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn balance() -> Result<Dataset> {
    scale(4, 5)
}

/// All 729 tuples of six whole numbers from 1 to 3; class `L`, `B` or `R` if the product of the first three is larger
/// than, equal to or smaller than that of the last three.
///
/// ```
/// let data = mercer_core::data::generate::balance3()?;
/// assert_eq!(data.len(), 729);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn balance3() -> Result<Dataset> {
    scale(6, 3)
}

/// Every tuple of `features` numbers from 1 to `levels`, the last changing fastest, with the sign of the products'
/// difference.
fn scale(features: u32, levels: usize) -> Result<Dataset> {
    let n = levels.pow(features);
    let half = features as usize / 2;
    let (mut values, mut classes) = (Vec::with_capacity(n * features as usize), Vec::with_capacity(n));
    for number in 0..n {
        let digit = |place: u32| number / levels.pow(features - 1 - place) % levels + 1;
        let tuple: Vec<usize> = (0..features).map(digit).collect();
        let (left, right) = (tuple[..half].iter().product::<usize>(), tuple[half..].iter().product());
        classes.push(match left.cmp(&right) {
            std::cmp::Ordering::Greater => 0,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Less => 2,
        });
        values.extend(tuple.iter().map(|&v| v as f64));
    }
    labelled(Dense::new(n, features as usize, values)?, classes, &["L", "B", "R"])
}

/// Two interleaving half circles of radius 1: the upper one around (0, 0), the lower one around (1, 0.5).
///
/// Classes `upper` and `lower` alternate; the angle is uniform in [0, π]. `noise` is the standard deviation of the
/// normal noise added to each coordinate, at least 0. Published size: 800.
///
/// ```
/// let data = mercer_core::data::generate::half_moons(800, 0.1, 42)?;
/// assert_eq!(data.len(), 800);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn half_moons(n: usize, noise: f64, seed: u64) -> Result<Dataset> {
    let point = |class: u32, random: &mut Random| {
        let (sin, cos) = (PI * random.unit()).sin_cos();
        if class == 0 { [cos, sin] } else { [1.0 - cos, 0.5 - sin] }
    };
    shape(n, noise, seed, &["upper", "lower"], point)
}

/// Three concentric rings of radius 1, 2 and 3.
///
/// Classes `inner`, `middle` and `outer` alternate; the angle is uniform. `noise` is the standard deviation of the
/// normal noise added to each coordinate, at least 0. Published size: 685.
///
/// ```
/// let data = mercer_core::data::generate::rings(685, 0.15, 42)?;
/// assert_eq!(data.len(), 685);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn rings(n: usize, noise: f64, seed: u64) -> Result<Dataset> {
    let point = |class: u32, random: &mut Random| {
        let (sin, cos) = (TAU * random.unit()).sin_cos();
        let radius = f64::from(class + 1);
        [radius * cos, radius * sin]
    };
    shape(n, noise, seed, &["inner", "middle", "outer"], point)
}

/// A rolled sheet in space, (t cos t, h, t sin t) with t from 1.5π to 4.5π and h from 0 to 21, in four strips by t.
///
/// Classes `1` to `4` alternate, from the inside out; t is uniform within the strip, h uniform. `noise` is the standard
/// deviation of the normal noise added to each coordinate, at least 0. Published size: 1600.
///
/// ```
/// let data = mercer_core::data::generate::swiss_roll(1600, 0.3, 42)?;
/// assert_eq!((data.len(), data.columns()[0].values.width()), (1600, 3));
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// J. Tenenbaum, V. de Silva and J. Langford, Science 290 (2000); constants as in S. Marsland, *Machine Learning*,
/// 2009.
pub fn swiss_roll(n: usize, noise: f64, seed: u64) -> Result<Dataset> {
    let point = |class: u32, random: &mut Random| {
        let t = 1.5 * PI * (1.0 + 2.0 * (f64::from(class) + random.unit()) / 4.0);
        let height = 21.0 * random.unit();
        [t * t.cos(), height, t * t.sin()]
    };
    shape(n, noise, seed, &["1", "2", "3", "4"], point)
}

/// Points of alternating classes with noise.
fn shape<const D: usize>(
    n: usize,
    noise: f64,
    seed: u64,
    names: &[&str],
    point: impl Fn(u32, &mut Random) -> [f64; D],
) -> Result<Dataset> {
    if n > MOST {
        return Err(Error::param("n", n, &format!("at most {MOST}")));
    }
    if !noise.is_finite() || noise < 0.0 {
        return Err(Error::param("noise", noise, "a finite number of at least 0"));
    }
    let mut random = Random::new(seed);
    let classes: Vec<u32> = (0..n).map(|i| (i % names.len()) as u32).collect();
    let mut values = Vec::with_capacity(n * D);
    for &class in &classes {
        let place = point(class, &mut random);
        values.extend(place.iter().map(|v| v + noise * random.normal()));
    }
    labelled(Dense::new(n, D, values)?, classes, names)
}

fn labelled(x: Dense, classes: Vec<u32>, names: &[&str]) -> Result<Dataset> {
    let levels = names.iter().map(|&n| n.to_owned()).collect();
    Dataset::of_vectors(x).with_target("class", Target::Classes(Categories::from_codes(classes, levels)))
}

/// A network grown by preferential attachment: each new node is joined to `joins` nodes, with a probability
/// proportional to their degree, so that degrees follow a power law with exponent 3 (Barabási & Albert 1999).
///
/// It starts from a complete graph of `joins` + 1 nodes. Time and memory O(nodes · joins).
///
/// ```
/// use mercer_core::data::generate;
/// let network = generate::power_law(1000, 5, 1)?;
/// assert_eq!((network.len(), network.edges()), (1000, 15 + 994 * 5));
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn power_law(nodes: usize, joins: usize, seed: u64) -> Result<Network> {
    if joins == 0 || nodes <= joins || nodes > MOST {
        return Err(Error::param("nodes", nodes, &format!("above joins = {joins} ≥ 1 and at most {MOST}")));
    }
    let mut random = Random::new(seed);
    let mut edges = Vec::with_capacity(nodes * joins);
    // Both ends of each edge: a random entry is a node with a probability proportional to its degree.
    let mut ends: Vec<u32> = Vec::with_capacity(2 * nodes * joins);
    let mut join = |a: u32, b: u32, ends: &mut Vec<u32>| {
        edges.push((a, b, 1.0));
        ends.extend([a, b]);
    };
    for a in 0..=joins as u32 {
        (0..a).for_each(|b| join(b, a, &mut ends));
    }
    let mut chosen: Vec<u32> = Vec::with_capacity(joins);
    for new in joins as u32 + 1..nodes as u32 {
        chosen.clear();
        while chosen.len() < joins {
            let other = ends[random.below(ends.len())];
            if !chosen.contains(&other) {
                chosen.push(other);
            }
        }
        chosen.iter().for_each(|&other| join(other, new, &mut ends));
    }
    Network::new(nodes, &edges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Values;

    fn parts(data: &Dataset) -> (&Dense, Vec<&str>) {
        let Values::Numbers(x) = &data.columns()[0].values else { panic!("numbers expected") };
        let Some(Target::Classes(c)) = data.target() else { panic!("classes expected") };
        (x, (0..c.len()).map(|i| c.get(i).unwrap()).collect())
    }

    fn counts(data: &Dataset, names: &[&str]) -> Vec<usize> {
        let (_, classes) = parts(data);
        names.iter().map(|n| classes.iter().filter(|c| c == &n).count()).collect()
    }

    #[test]
    fn balance_problems_are_complete_and_correctly_labelled() {
        let sides = ["L", "B", "R"];
        assert_eq!(counts(&balance1().unwrap(), &sides), [190, 20, 190]);
        // As the description of the UCI data set states: 288 L, 49 B, 288 R.
        assert_eq!(counts(&balance().unwrap(), &sides), [288, 49, 288]);
        for (data, features, top) in
            [(balance1().unwrap(), 2, 20.0), (balance().unwrap(), 4, 5.0), (balance3().unwrap(), 6, 3.0)]
        {
            let (x, classes) = parts(&data);
            assert_eq!(x.cols(), features);
            let mut seen = std::collections::HashSet::new();
            for (i, class) in classes.iter().enumerate() {
                let row = x.row(i);
                assert!(row.iter().all(|v| (1.0..=top).contains(v) && v.fract() == 0.0));
                assert!(seen.insert(format!("{row:?}")));
                let sign =
                    row[..features / 2].iter().product::<f64>() - row[features / 2..].iter().product::<f64>();
                let expected = if sign > 0.0 {
                    "L"
                } else if sign < 0.0 {
                    "R"
                } else {
                    "B"
                };
                assert_eq!(*class, expected);
            }
            assert_eq!(seen.len(), top.powi(features as i32) as usize);
        }
        let first = parts(&balance().unwrap()).0.row(1).to_vec();
        assert_eq!(first, [1.0, 1.0, 1.0, 2.0]);
    }

    #[test]
    fn shapes_without_noise_lie_on_their_curves() {
        let data = half_moons(101, 0.0, 3).unwrap();
        let (x, classes) = parts(&data);
        for (i, class) in classes.iter().enumerate() {
            let (u, v) = (x.at(i, 0), x.at(i, 1));
            let (u, v) = if *class == "upper" { (u, v) } else { (1.0 - u, 0.5 - v) };
            assert!((u.hypot(v) - 1.0).abs() < 1e-12 && v >= 0.0);
        }
        let data = rings(30, 0.0, 3).unwrap();
        let (x, classes) = parts(&data);
        for (i, class) in classes.iter().enumerate() {
            let radius = ["inner", "middle", "outer"].iter().position(|c| c == class).unwrap() as f64 + 1.0;
            assert!((x.at(i, 0).hypot(x.at(i, 1)) - radius).abs() < 1e-12);
        }
        let data = swiss_roll(400, 0.0, 3).unwrap();
        let (x, classes) = parts(&data);
        for (i, class) in classes.iter().enumerate() {
            let t = x.at(i, 0).hypot(x.at(i, 2));
            let strip = ((t / (1.5 * PI) - 1.0) * 2.0).floor() + 1.0;
            assert_eq!(strip.to_string(), *class);
            assert!((t * t.cos() - x.at(i, 0)).abs() < 1e-9 && (0.0..21.0).contains(&x.at(i, 1)));
        }
    }

    #[test]
    fn sizes_seeds_and_noise() {
        assert_eq!(counts(&by_name("half-moons", 1).unwrap(), &["upper", "lower"]), [400, 400]);
        assert_eq!(counts(&by_name("rings", 1).unwrap(), &["inner", "middle", "outer"]), [229, 228, 228]);
        assert_eq!(counts(&by_name("swiss-roll", 1).unwrap(), &["1", "2", "3", "4"]), [400; 4]);
        for name in NAMES {
            let (a, b, c) = (by_name(name, 1).unwrap(), by_name(name, 1).unwrap(), by_name(name, 2).unwrap());
            assert_eq!(a, b);
            assert_eq!(a == c, name.starts_with("balance"));
        }
        // The deviation from the inner ring equals the noise.
        let data = rings(30_000, 0.05, 9).unwrap();
        let (x, _) = parts(&data);
        let off: Vec<f64> = (0..30_000).step_by(3).map(|i| x.at(i, 0).hypot(x.at(i, 1)) - 1.0).collect();
        let spread = (off.iter().map(|r| r * r).sum::<f64>() / off.len() as f64).sqrt();
        assert!((spread - 0.05).abs() < 0.002, "{spread}");
        assert_eq!(rings(0, 0.1, 1).unwrap().len(), 0);
        assert!(
            rings(10, f64::NAN, 1).is_err()
                && rings(10, -1.0, 1).is_err()
                && rings(usize::MAX, 0.0, 1).is_err()
        );
        assert!(by_name("halfmoons", 1).unwrap_err().to_string().contains("did you mean half-moons?"));
    }
}
