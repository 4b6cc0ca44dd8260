//! Objects that are almost the same.
//!
//! Every object gets a key from coarse values: numbers and times in steps of a hundredth of their spread, texts by the smallest
//! hashes of their 5-grams, graphs by the colours of their refined nodes, series and images by the means of their parts.
//! Objects with the same key that are not exact copies are almost the same. Each of a few shifted grids gives other keys,
//! so that a boundary between two steps separates a pair in some of them only.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash, Hasher};

use super::copies::is_coarse;
use super::view::{Cells, Feature, View, center_and_scale};
use super::{Finding, Severity};
use crate::budget;
use crate::data::{Dataset, Graph, Image, Series, Values};
use crate::error::Result;

/// Grids, each with other keys.
const GRIDS: usize = 4;
/// Hashes of a text in the key of each grid, and in all.
const PER_GRID: usize = 4;
const HASHES: usize = PER_GRID * GRIDS;
/// Numbers in a key, at most.
const KEYED: usize = 16;
/// A step, as a share of a feature's spread.
const STEP: f64 = 0.01;
/// The least similarity of two texts that are almost the same: the share of common 5-grams.
const ALIKE: f64 = 0.85;
/// Objects looked at, at most.
const MOST: usize = 50_000;
/// Numbers looked at, at most.
const MOST_CELLS: usize = 8_000_000;
/// Texts shorter than this are compared as a whole.
const SHORT: usize = 20;

type Fixed = BuildHasherDefault<DefaultHasher>;

/// Objects that are almost, not exactly, the same.
pub(super) fn of(data: &Dataset, view: &View, named: &[usize]) -> Result<Vec<Finding>> {
    let plain =
        data.columns().iter().enumerate().filter(|(at, _)| !named.contains(at)).map(|(_, c)| &c.values);
    let values: Vec<&Values> = plain.collect();
    // Few numbers, and those of a few values, meet by chance; similarities and nodes have no values to compare.
    let numbers: usize = values.iter().map(|v| v.width()).sum();
    let fine =
        view.features.iter().filter(|f| !named.contains(&f.column) && is_number(f) && f.codes().1 > 30);
    let few = fine.take(4).count() < 4;
    // A time is a number like any other.
    let plain = |v: &Values| matches!(v, Values::Numbers(_) | Values::Categories(_) | Values::Times(_));
    let rich = values.iter().any(|v| !plain(v));
    let opaque = values.iter().any(|v| matches!(v, Values::Precomputed(_) | Values::Nodes(_)));
    if opaque || is_coarse(data, view, named) || !rich && few {
        return Ok(Vec::new());
    }
    let many = data.len() > MOST || data.len() * numbers > MOST_CELLS;
    let rows: Vec<usize> = if many { view.rows.clone() } else { (0..data.len()).collect() };
    let numbers_of = |i: usize| -> Vec<f64> {
        let of = |v: &&Values| match v {
            Values::Numbers(x) => x.row(i).to_vec(),
            Values::Times(t) => vec![t.seconds()[i]],
            _ => Vec::new(),
        };
        values.iter().flat_map(of).collect()
    };
    let mut sketches = vec![Sketch::in_steps(&rows, &numbers_of)?];
    for values in values.iter().filter(|v| !matches!(v, Values::Numbers(_) | Values::Times(_))) {
        sketches.push(Sketch::of(values, &rows)?);
    }
    let mut almost = vec![false; rows.len()];
    let mut across = vec![false; rows.len()];
    for grid in 0..GRIDS {
        let mut first: HashMap<u64, Vec<usize>, Fixed> = HashMap::default();
        for (k, &i) in rows.iter().enumerate() {
            budget::check_after(64)?;
            let mut hasher = Fixed::default().build_hasher();
            sketches.iter().for_each(|s| s.hash(k, grid, &mut hasher));
            let members = first.entry(hasher.finish()).or_default();
            // The first few members stand for all.
            let met = members.iter().copied().find(|&m| {
                let j = rows[m];
                sketches.iter().all(|s| s.alike(k, m, &rows))
                    && values.iter().all(|v| is_close(v, i, j))
                    && !values.iter().all(|v| is_same(v, i, j))
            });
            if let Some(m) = met {
                (almost[k], almost[m]) = (true, true);
                if let Some(test) = data.test()
                    && test[i] != test[rows[m]]
                {
                    across[if test[i] { k } else { m }] = true;
                }
            }
            if members.len() < 4 {
                members.push(k);
            }
        }
    }
    let found: Vec<usize> = (0..rows.len()).filter(|&k| almost[k]).map(|k| rows[k]).collect();
    if found.len() < 4 || (found.len() as f64) < 0.01 * rows.len() as f64 {
        return Ok(Vec::new());
    }
    let crossing = across.iter().filter(|a| **a).count();
    let split = match crossing {
        0 => String::new(),
        n => format!(", {n} of them test objects almost as in the training set"),
    };
    let what = match values.iter().any(|v| matches!(v, Values::Graphs(_))) {
        true => "the same up to the order of nodes",
        false => "almost the same",
    };
    let message = format!("{} of {} objects are {what} as another one{split}", found.len(), rows.len());
    let advice =
        "scores may measure memorisation: keep such objects together by a column of groups (`group`)";
    let severity = if crossing > 0 { Severity::High } else { Severity::Medium };
    Ok(vec![
        Finding::new("W_NEAR_TWINS", severity, message, advice)
            .evidence("objects", found.len() as f64)
            .evidence("across_split", crossing as f64)
            .objects(found),
    ])
}

fn is_number(feature: &Feature) -> bool {
    matches!(feature.cells, Cells::Numbers(_))
}

/// What is compared of a column.
enum Sketch<'a> {
    /// Numbers of each object in units of a step.
    Numbers(Vec<Vec<f64>>),
    /// Texts, with the smallest hashes of their 5-grams.
    Texts(&'a [Option<String>], Vec<[u64; HASHES]>),
    /// A code for each object, which must be equal.
    Codes(Vec<u64>),
}

impl<'a> Sketch<'a> {
    fn of(values: &'a Values, rows: &[usize]) -> Result<Self> {
        let numbers = |of: &dyn Fn(usize) -> Vec<f64>| Sketch::in_steps(rows, of);
        match values {
            Values::Sparse(x) => numbers(&|i| {
                // Signed sums of hashed features: equal for equal objects, close for close ones.
                let mut out = vec![0.0; 12];
                let (indices, stored) = x.row(i);
                for (&f, &v) in indices.iter().zip(stored) {
                    let hash = mixed(u64::from(f));
                    out[(hash % 12) as usize] += if hash >> 63 == 0 { v } else { -v };
                }
                out
            }),
            Values::Series(v) => numbers(&|i| parts_of_series(&v[i])),
            Values::Images(v) => numbers(&|i| parts_of_image(&v[i])),
            Values::Strings(v) | Values::Text(v) => {
                let mut hashes = Vec::with_capacity(rows.len());
                for &i in rows {
                    let text = v[i].as_deref().unwrap_or_default();
                    budget::check_after(text.len())?;
                    hashes.push(smallest(text));
                }
                Ok(Sketch::Texts(v, hashes))
            }
            Values::Graphs(v) => {
                let mut codes = Vec::with_capacity(rows.len());
                for &i in rows {
                    budget::check_after(8 * (v[i].nodes() + v[i].edges()))?;
                    codes.push(colours(&v[i]));
                }
                Ok(Sketch::Codes(codes))
            }
            Values::Categories(c) => {
                Ok(Sketch::Codes(rows.iter().map(|&i| c.code(i).map_or(u64::MAX, u64::from)).collect()))
            }
            Values::Molecules(v) => {
                let mut codes = Vec::with_capacity(rows.len());
                for &i in rows {
                    budget::check_after(64 * v[i].atoms().len())?;
                    codes.push(BuildHasherDefault::<DefaultHasher>::default().hash_one(v[i].canonical()));
                }
                Ok(Sketch::Codes(codes))
            }
            Values::Numbers(_) | Values::Times(_) | Values::Precomputed(_) | Values::Nodes(_) => {
                Ok(Sketch::Codes(vec![0; rows.len()]))
            }
        }
    }

    /// Numbers of each object, which may have different lengths, divided by a step of their spread over all objects.
    fn in_steps(rows: &[usize], of: &dyn Fn(usize) -> Vec<f64>) -> Result<Self> {
        let mut all = Vec::with_capacity(rows.len());
        for &i in rows {
            let numbers = of(i);
            budget::check_after(numbers.len())?;
            all.push(numbers);
        }
        let width = all.iter().map(Vec::len).max().unwrap_or(0);
        for j in 0..width {
            budget::check_after(20 * all.len())?;
            let column: Vec<f64> = all.iter().filter_map(|v| v.get(j)).copied().collect();
            let step = center_and_scale(&column).map_or(1.0, |(_, scale)| scale * STEP);
            all.iter_mut().filter_map(|v| v.get_mut(j)).for_each(|v| *v /= step);
        }
        Ok(Sketch::Numbers(all))
    }

    fn hash(&self, k: usize, grid: usize, hasher: &mut impl Hasher) {
        match self {
            Sketch::Numbers(v) => {
                // Of many numbers a few make the key, others in every grid: the more, the more often a boundary separates.
                let width = v[k].len();
                for t in 0..width.min(KEYED) {
                    let salt = mixed((t * GRIDS + grid) as u64);
                    let j = if width <= KEYED { t } else { (salt % width as u64) as usize };
                    let shift = (salt >> 11) as f64 / (1u64 << 53) as f64;
                    ((v[k][j] + shift).floor() as i64).hash(hasher);
                }
            }
            Sketch::Texts(_, v) => v[k][PER_GRID * grid..PER_GRID * (grid + 1)].hash(hasher),
            Sketch::Codes(v) => v[k].hash(hasher),
        }
    }

    /// Whether the k-th and the m-th object, with the same key, are close. Keys of codes say so already.
    fn alike(&self, k: usize, m: usize, rows: &[usize]) -> bool {
        match self {
            Sketch::Codes(_) => true,
            Sketch::Numbers(v) => {
                // A few numbers may differ by more where there are many.
                let apart = |(a, b): (&f64, &f64)| (a - b).abs() > 1.0 || a.is_nan() != b.is_nan();
                let off = v[k].iter().zip(&v[m]).filter(|&pair| apart(pair)).count();
                v[k].len() == v[m].len() && 50 * off <= v[k].len()
            }
            Sketch::Texts(texts, hashes) => match (&texts[rows[k]], &texts[rows[m]]) {
                (Some(a), Some(b)) if a == b => true,
                (Some(a), Some(b)) if a.len() >= SHORT && b.len() >= SHORT => {
                    // Equal hashes estimate the similarity; only close texts are compared in full.
                    let equal = hashes[k].iter().zip(&hashes[m]).filter(|(x, y)| x == y).count();
                    3 * equal >= 2 * HASHES && jaccard(a, b) >= ALIKE
                }
                (a, b) => a == b,
            },
        }
    }
}

/// Whether sparse vectors, series or images with the same parts are close as a whole: their squared distance is at most a
/// ten-thousandth of their squared lengths.
fn is_close(values: &Values, i: usize, j: usize) -> bool {
    const SMALL: f64 = 1e-4;
    match values {
        Values::Sparse(x) => {
            let ((f, a), (g, b)) = (x.row(i), x.row(j));
            let square = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>();
            let partner = |feature: &u32| g.binary_search(feature).map_or(0.0, |at| b[at]);
            let product: f64 = f.iter().zip(a).map(|(feature, v)| v * partner(feature)).sum();
            let lengths = square(a) + square(b);
            lengths - 2.0 * product <= SMALL * lengths
        }
        Values::Series(v) => {
            let (a, b) = (v[i].values(), v[j].values());
            let (mut apart, mut lengths) = (0.0, 0.0);
            a.iter().zip(b).filter(|(x, y)| !x.is_nan() && !y.is_nan()).for_each(|(x, y)| {
                apart += (x - y).powi(2);
                lengths += x * x + y * y;
            });
            a.len() == b.len() && apart <= SMALL * lengths
        }
        Values::Images(v) => {
            let (a, b) = (v[i].pixels(), v[j].pixels());
            let apart: u64 = a.iter().zip(b).map(|(x, y)| u64::from(x.abs_diff(*y))).sum();
            a.len() == b.len() && apart <= 4 * a.len() as u64
        }
        _ => true,
    }
}

fn is_same(values: &Values, i: usize, j: usize) -> bool {
    match values {
        Values::Numbers(x) => x.row(i).iter().zip(x.row(j)).all(|(a, b)| a == b || a.is_nan() && b.is_nan()),
        Values::Times(t) => t.seconds()[i].to_bits() == t.seconds()[j].to_bits(),
        Values::Sparse(x) => x.row(i) == x.row(j),
        Values::Strings(v) | Values::Text(v) => v[i] == v[j],
        Values::Series(v) => v[i] == v[j],
        Values::Images(v) => v[i] == v[j],
        Values::Graphs(v) => v[i] == v[j],
        _ => true,
    }
}

fn mixed(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Hashes of all 5-grams of a text, without case and spaces.
fn grams(text: &str) -> Vec<u64> {
    let plain: Vec<u8> =
        text.bytes().filter(|b| !b.is_ascii_whitespace()).map(|b| b.to_ascii_lowercase()).collect();
    let of = |gram: &[u8]| gram.iter().fold(0u64, |hash, &b| mixed(hash ^ u64::from(b)));
    if plain.len() < 5 { vec![of(&plain)] } else { plain.windows(5).map(of).collect() }
}

/// The smallest hash of the 5-grams under each of some hash functions (Broder 1997): the share that two texts have in
/// common estimates their similarity.
fn smallest(text: &str) -> [u64; HASHES] {
    let mut least = [u64::MAX; HASHES];
    for gram in grams(text) {
        let (a, b) = (mixed(gram), mixed(gram ^ 0x5851_f42d_4c95_7f2d) | 1);
        for (i, least) in least.iter_mut().enumerate() {
            *least = (*least).min(a.wrapping_add(b.wrapping_mul(i as u64 + 1)));
        }
    }
    least
}

/// The share of 5-grams that two texts have in common.
fn jaccard(a: &str, b: &str) -> f64 {
    let sorted = |text: &str| {
        let mut grams = grams(text);
        grams.sort_unstable();
        grams.dedup();
        grams
    };
    let (a, b) = (sorted(a), sorted(b));
    let common = a.iter().filter(|g| b.binary_search(g).is_ok()).count();
    common as f64 / (a.len() + b.len() - common).max(1) as f64
}

/// The means of eight parts of the first three channels, and the length.
fn parts_of_series(series: &Series) -> Vec<f64> {
    let mut out = vec![series.len() as f64];
    for c in 0..series.channels().min(3) {
        let channel = series.channel(c);
        for part in 0..8 {
            let own = &channel[part * channel.len() / 8..(part + 1) * channel.len() / 8];
            out.push(own.iter().sum::<f64>() / own.len().max(1) as f64);
        }
    }
    out
}

/// The means of sixteen parts of all channels together, and the size.
fn parts_of_image(image: &Image) -> Vec<f64> {
    let (width, height, channels) = (image.width(), image.height(), image.channels());
    let mut out = vec![width as f64, height as f64];
    for part in 0..16 {
        let (px, py) = (part % 4, part / 4);
        let (mut sum, mut count) = (0u64, 0u64);
        for y in py * height / 4..(py + 1) * height / 4 {
            let line = (y * width + px * width / 4) * channels..(y * width + (px + 1) * width / 4) * channels;
            let own = &image.pixels()[line];
            sum += own.iter().map(|&p| u64::from(p)).sum::<u64>();
            count += own.len() as u64;
        }
        out.push(sum as f64 / count.max(1) as f64);
    }
    out
}

/// A hash of the colours of the nodes after four rounds of refinement (Weisfeiler and Leman 1968): equal for graphs that
/// differ in the order of their nodes only.
fn colours(graph: &Graph) -> u64 {
    let n = graph.nodes();
    let labels = graph.node_labels();
    let attributes = |i: usize| {
        graph.node_attributes().map_or(0, |x| x.row(i).iter().fold(0, |h, v| mixed(h ^ v.to_bits())))
    };
    let mut own: Vec<u64> =
        (0..n).map(|i| labels.map_or(0, |l| mixed(l.hash(i) as u64)) ^ attributes(i)).collect();
    let edge = |arc: usize| graph.edge_labels().map_or(0, |l| l.hash(arc) as u64);
    for _ in 0..4 {
        let next = (0..n).map(|i| {
            let one = |arc: usize| mixed(own[graph.target(arc) as usize] ^ edge(arc).rotate_left(29));
            let around = graph.outgoing(i).fold(0u64, |sum, arc| sum.wrapping_add(one(arc)));
            mixed(own[i] ^ around.rotate_left(17))
        });
        own = next.collect();
    }
    let all = own.iter().fold(0u64, |sum, &c| sum.wrapping_add(mixed(c)));
    mixed(all ^ (n as u64).rotate_left(40) ^ graph.edges() as u64)
}
