//! Explicit features of series: convolutions, quantiles and iterated integrals by their definitions.
//!
//! Convolutions are single-precision sums in the documented order, because a threshold is often one of their values. What
//! is random is part of the definition, so the streams are those of the library.

use mercer::data::{Series, Values};
use mercer::expression::Call;
use mercer::random::{Random, derive_seed};

use super::{Pairs, Value, View, whole, word};

pub(super) const KERNELS: &[&str] = &["rocket", "hydra", "intervals", "signature"];

/// A series as its chosen channels.
type Channels = Vec<Vec<f64>>;

pub(super) fn brute(call: &Call, view: View<'_>) -> Pairs {
    let Values::Series(all) = view.one(call) else { panic!("no series") };
    let chosen = |s: &Series| match whole(call, "channel") {
        0 => (0..s.channels()).map(|c| s.channel(c).to_vec()).collect(),
        one => vec![s.channel(one - 1).to_vec()],
    };
    let all: Vec<Channels> = all.iter().map(chosen).collect();
    let longest = all[..view.train].iter().map(|s| s[0].len()).max().unwrap();
    let (rows, sparse): (Vec<Vec<f64>>, bool) = match call.entry.facts.name {
        "rocket" => (rocket(call, &all, &all[..view.train], longest), false),
        "hydra" => (all.iter().map(|s| hydra(call, s, longest)).collect(), true),
        "intervals" => (all.iter().map(|s| intervals(call, s, longest)).collect(), false),
        _ => {
            let rows: Vec<Vec<f64>> = all.iter().map(|s| signature(call, s)).collect();
            return Box::new(move |i, j| {
                let products = || rows[i].iter().zip(&rows[j]).map(|(a, b)| a * b);
                Value::of(products().sum(), products().map(f64::abs).sum::<f64>() * 32.0)
            });
        }
    };
    let rows: Vec<Vec<f64>> =
        rows.into_iter().map(|row| row.into_iter().map(|v| f64::from(v as f32)).collect()).collect();
    products(if word(call, "scale") == "none" { Some(rows) } else { scaled(rows, view.train, sparse) })
}

/// Inner products of features in single precision; no case where rounding decides.
fn products(rows: Option<Vec<Vec<f64>>>) -> Pairs {
    Box::new(move |i, j| {
        let Some(rows) = &rows else { return Value { k: 0.0, scale: f64::INFINITY } };
        let product = || rows[i].iter().zip(&rows[j]).map(|(a, b)| a * b);
        Value::of(product().sum(), 1e7 * product().map(f64::abs).sum::<f64>())
    })
}

/// Mean 0 and deviation 1 over the training rows. `None` if it depends on rounding whether a feature varies.
fn scaled(rows: Vec<Vec<f64>>, train: usize, sparse: bool) -> Option<Vec<Vec<f64>>> {
    let (n, width) = (train as f64, rows[0].len());
    let mut scales = Vec::with_capacity(width);
    for f in 0..width {
        let own = || rows[..train].iter().map(|row| row[f]);
        let mean = own().sum::<f64>() / n;
        let deviation = (own().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
        let constant = own().all(|v| v == rows[0][f]);
        if !constant && deviation < 1e-5 * mean.abs() {
            return None;
        }
        let more = if sparse { (own().filter(|v| *v == 0.0).count() as f64 / n).powi(4) + 1e-8 } else { 0.0 };
        scales.push((mean, if constant { 0.0 } else { 1.0 / (deviation + more) }));
    }
    let varying = scales.iter().filter(|s| s.1 > 0.0).count().max(1) as f64;
    let scale = |row: &Vec<f64>| -> Vec<f64> {
        let one = |(v, (mean, factor)): (&f64, &(f64, f64))| match sparse && *v == 0.0 {
            true => 0.0,
            false => (v - mean) * factor / varying.sqrt(),
        };
        row.iter().zip(&scales).map(one).collect()
    };
    Some(rows.iter().map(scale).collect())
}

/// The value of a series in single precision, 0 beyond its ends.
fn at(x: &[f32], t: isize) -> f32 {
    usize::try_from(t).ok().and_then(|t| x.get(t)).copied().unwrap_or(0.0)
}

fn single(x: &[f64], differences: bool) -> Vec<f32> {
    let x: Vec<f32> = x.iter().map(|v| *v as f32).collect();
    if differences { x.windows(2).map(|w| w[1] - w[0]).collect() } else { x }
}

/// The positions of the weights 2.
fn large() -> Vec<[usize; 3]> {
    let mut all = Vec::new();
    for a in 0..9 {
        for b in a + 1..9 {
            (b + 1..9).for_each(|c| all.push([a, b, c]));
        }
    }
    all
}

fn convolution(x: &[Vec<f32>], channels: &[usize], kernel: [usize; 3], d: usize) -> Vec<f32> {
    let d = d as isize;
    let one = |c: usize, t: isize| {
        let tap = |j: usize| at(&x[c], t + (j as isize - 4) * d);
        let mut sum = -tap(4);
        [0, 1, 2, 3, 5, 6, 7, 8].iter().for_each(|j| sum -= tap(*j));
        kernel.iter().for_each(|j| sum += 3.0 * tap(*j));
        sum
    };
    let steps = 0..x[0].len() as isize;
    steps.map(|t| channels.iter().map(|c| one(*c, t)).reduce(|a, b| a + b).unwrap()).collect()
}

/// Dilations with their numbers of thresholds.
fn dilations(length: usize, thresholds: usize, most: usize) -> Vec<(usize, usize)> {
    let count = thresholds.min(most);
    let ratio = ((length as f64 - 1.0) / 8.0).max(1.0);
    let all: Vec<usize> = (0..count)
        .map(|i| (ratio.powf(if count == 1 { 0.0 } else { i as f64 / (count - 1) as f64 }) + 1e-9) as usize)
        .collect();
    let mut distinct = all.clone();
    distinct.dedup();
    let share = |d: &usize| all.iter().filter(|o| *o == d).count() as f64 * thresholds as f64 / count as f64;
    let mut out: Vec<(usize, usize)> = distinct.iter().map(|d| (*d, share(d) as usize)).collect();
    let (mut at, parts) = (0, out.len());
    while out.iter().map(|d| d.1).sum::<usize>() < thresholds {
        out[at % parts].1 += 1;
        at += 1;
    }
    out
}

fn rocket(call: &Call, all: &[Channels], training: &[Channels], longest: usize) -> Vec<Vec<f64>> {
    let multi = word(call, "variant") == "multi";
    let thresholds = (whole(call, "features") / if multi { 672 } else { 84 }).max(1);
    let channels = all[0].len();
    let mut rows = vec![Vec::new(); all.len()];
    for representation in 0..if multi { 2 } else { 1 } {
        let seed = derive_seed(whole(call, "seed") as u64, representation as u64);
        let of =
            |s: &Channels| -> Vec<Vec<f32>> { s.iter().map(|x| single(x, representation == 1)).collect() };
        let (x, known): (Vec<_>, Vec<_>) =
            (all.iter().map(of).collect(), training.iter().map(of).collect::<Vec<_>>());
        let length = if representation == 1 { (longest - 1).max(1) } else { longest };
        let mut features: Vec<Vec<[f64; 4]>> = vec![Vec::new(); all.len()];
        let mut number = 0;
        for (place, (d, count)) in
            dilations(length, thresholds, whole(call, "dilations")).into_iter().enumerate()
        {
            for (k, kernel) in large().into_iter().enumerate() {
                let combination = (place * 84 + k) as u64;
                let subset = subset(channels, &mut Random::derived(seed, combination));
                let chosen = Random::derived(derive_seed(seed, u64::MAX), combination).below(known.len());
                let mut sorted = convolution(&known[chosen], &subset, kernel, d);
                sorted.sort_by(f32::total_cmp);
                let biases: Vec<f32> = (0..count).map(|i| quantile(&sorted, number + i)).collect();
                number += count;
                for (own, x) in features.iter_mut().zip(&x) {
                    let c = convolution(x, &subset, kernel, d);
                    let inside = (place + k) % 2 == 1 && c.len() > 8 * d;
                    let c = if inside { &c[4 * d..c.len() - 4 * d] } else { &c[..] };
                    own.extend(biases.iter().map(|b| pooled(c, *b)));
                }
            }
        }
        for (row, own) in rows.iter_mut().zip(&features) {
            (0..if multi { 4 } else { 1 }).for_each(|k| row.extend(own.iter().map(|four| four[k])));
        }
    }
    rows
}

fn subset(channels: usize, random: &mut Random) -> Vec<usize> {
    let most = channels.min(9);
    let count = ((most as f64 + 1.0).powf(random.unit()) as usize).clamp(1, most);
    let mut chosen = Vec::new();
    while chosen.len() < count {
        let one = random.below(channels);
        if !chosen.contains(&one) {
            chosen.push(one);
        }
    }
    chosen.sort_unstable();
    chosen
}

/// The quantile of sorted values that belongs to a feature.
fn quantile(sorted: &[f32], number: usize) -> f32 {
    let q = f64::from((((number + 1) as f64 * ((5f64.sqrt() + 1.0) / 2.0)) % 1.0) as f32);
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = q * last as f64;
    let (low, high) = (sorted[place as usize], sorted[(place as usize + 1).min(last)]);
    (f64::from(low) + (f64::from(high) - f64::from(low)) * place.fract()) as f32
}

/// Share, mean excess, mean position and longest run of the values above a threshold.
fn pooled(c: &[f32], bias: f32) -> [f64; 4] {
    let above: Vec<usize> = (0..c.len()).filter(|t| c[*t] > bias).collect();
    let (n, count) = (c.len().max(1) as f64, above.len() as f64);
    if above.is_empty() {
        return [0.0, 0.0, -1.0 / n, 0.0];
    }
    let excess: f64 = above.iter().map(|t| f64::from(c[*t] - bias)).sum();
    let longest = c.split(|v| *v <= bias).map(<[f32]>::len).max().unwrap_or(0);
    [count / n, excess / count, above.iter().sum::<usize>() as f64 / count / n, longest as f64 / n]
}

fn hydra(call: &Call, s: &Channels, longest: usize) -> Vec<f64> {
    let (groups, kernels, seed) = (whole(call, "groups"), whole(call, "kernels"), whole(call, "seed") as u64);
    let mut out = Vec::new();
    let mut dilation = 1;
    while dilation == 1 || 8 * dilation < longest {
        for group in 0..groups {
            let number = (out.len() / (2 * kernels)) as u64;
            let mut random = Random::derived(seed, number);
            let weights: Vec<[f32; 9]> = (0..kernels)
                .map(|_| {
                    let w: [f64; 9] = std::array::from_fn(|_| random.normal());
                    let mean = w.iter().sum::<f64>() / 9.0;
                    let centred = w.map(|v| v - mean);
                    let sum: f64 = centred.iter().map(|v| v.abs()).sum();
                    centred.map(|v| (v / sum) as f32)
                })
                .collect();
            let mut random = Random::derived(derive_seed(seed, u64::MAX), number);
            let differences = group >= groups.div_ceil(2);
            let drawn: Vec<usize> = match s.len() {
                1 => vec![0],
                several => (0..(several / 2).clamp(2, 8)).map(|_| random.below(several)).collect(),
            };
            let mut x = vec![0.0f32; single(&s[0], differences).len()];
            for c in drawn {
                x.iter_mut().zip(single(&s[c], differences)).for_each(|(x, v)| *x += v);
            }
            let mut sums = vec![[0.0f64; 2]; kernels];
            for t in 0..x.len() as isize {
                let value = |w: &[f32; 9]| {
                    (0..9)
                        .fold(0.0f32, |sum, j| sum + w[j] * at(&x, t + (j as isize - 4) * dilation as isize))
                };
                let values: Vec<f32> = weights.iter().map(value).collect();
                let (mut best, mut worst) = (0, 0);
                for k in 1..kernels {
                    best = if values[k] > values[best] { k } else { best };
                    worst = if values[k] < values[worst] { k } else { worst };
                }
                sums[best][0] += f64::from(values[best]);
                sums[worst][1] += 1.0;
            }
            let scale = longest as f64 / s[0].len() as f64;
            out.extend(sums.iter().flatten().map(|v| (v * scale).max(0.0).sqrt()));
        }
        dilation *= 2;
    }
    out
}

fn intervals(call: &Call, s: &Channels, longest: usize) -> Vec<f64> {
    let mut out = Vec::new();
    for x in s {
        let last = (x.len() - 1) as f64;
        let place = |t: usize| if longest == 1 { last / 2.0 } else { last * t as f64 / (longest - 1) as f64 };
        let value = |t: usize| {
            let (low, share) = (place(t).floor() as usize, place(t).fract());
            x[low] * (1.0 - share) + x[(low + 1).min(x.len() - 1)] * share
        };
        let x: Vec<f64> = if x.len() == longest { x.clone() } else { (0..longest).map(value).collect() };
        let first: Vec<f64> = x.windows(2).map(|w| w[1] - w[0]).collect();
        let second: Vec<f64> = first.windows(2).map(|w| w[1] - w[0]).collect();
        let smooth = |t: usize| {
            let near = |k: isize| first[(t as isize + k).clamp(0, first.len() as isize - 1) as usize];
            (-2..=2).map(near).sum::<f64>() / 5.0
        };
        let smooth: Vec<f64> = (0..first.len()).map(smooth).collect();
        let frequency = |f: usize| {
            let angle = |t: usize| std::f64::consts::TAU * ((f * t) % longest) as f64 / longest as f64;
            let (re, im) = x
                .iter()
                .enumerate()
                .fold((0.0, 0.0), |(re, im), (t, v)| (re + v * angle(t).cos(), im - v * angle(t).sin()));
            re.hypot(im)
        };
        let frequencies: Vec<f64> = (0..=longest / 2).map(frequency).collect();
        let floor = 1e-9 * x.iter().map(|v| v.abs()).fold(0.0, f64::max);
        let total = 1e-9 * x.iter().map(|v| v.abs()).sum::<f64>();
        let mut all = vec![(x, floor), (smooth, floor), (second, floor)];
        if word(call, "fourier") == "yes" {
            all.push((frequencies, total));
        }
        for (values, floor) in all {
            let m = values.len();
            for level in 0..whole(call, "depth") {
                let n = 1usize << level;
                if n > m {
                    break;
                }
                let bounds: Vec<usize> = (0..=n).map(|i| i * m / n).collect();
                let mut lengths: Vec<usize> = bounds.windows(2).map(|b| b[1] - b[0]).collect();
                let mut ranges: Vec<(usize, usize)> = bounds.windows(2).map(|b| (b[0], b[1])).collect();
                lengths.sort_unstable();
                if n > 1 && lengths[(n - 1) / 2] > 1 {
                    let shift = (m as f64 / n as f64 / 2.0).ceil() as usize;
                    ranges.extend_from_within(..n - 1);
                    ranges[n..].iter_mut().for_each(|(a, b)| (*a, *b) = (*a + shift, *b + shift));
                }
                for (a, b) in ranges {
                    let mut own = values[a..b].to_vec();
                    let mean = own.iter().sum::<f64>() / own.len() as f64;
                    own.sort_by(f64::total_cmp);
                    let count = 1 + (own.len() - 1) / whole(call, "every");
                    for i in 0..count {
                        let q = if count == 1 { 0.5 } else { i as f64 / (count - 1) as f64 };
                        let place = q * (own.len() - 1) as f64;
                        let (low, share) = ((place + 1e-9).floor() as usize, place - (place + 1e-9).floor());
                        let v = own[low] + (own[(low + 1).min(own.len() - 1)] - own[low]) * share;
                        let v = if i % 2 == 1 { v - mean } else { v };
                        out.push(if v.abs() <= floor { 0.0 } else { v });
                    }
                }
            }
        }
    }
    out
}

/// All words, the shorter ones first, each by the product rule for a path continued by a line.
fn signature(call: &Call, s: &Channels) -> Vec<f64> {
    let (scale, steps) = (super::number(call, "scale"), s[0].len());
    let (time, follows) = (word(call, "time") == "yes", word(call, "lead-lag") == "yes");
    let d = s.len() * if follows { 2 } else { 1 } + usize::from(time);
    let mut path: Vec<Vec<f64>> = Vec::new();
    for t in 1..steps {
        for half in 0..if follows { 2 } else { 1 } {
            let mut v = vec![0.0; d];
            s.iter().enumerate().for_each(|(c, x)| v[half * s.len() + c] = scale * (x[t] - x[t - 1]));
            if time {
                v[d - 1] = 1.0 / (steps - 1) as f64 / if follows { 2.0 } else { 1.0 };
            }
            path.push(v);
        }
    }
    let mut words: Vec<Vec<usize>> = vec![Vec::new()];
    let mut start = 0;
    for _ in 0..whole(call, "level") {
        let end = words.len();
        for at in start..end {
            (0..d).for_each(|c| words.push([&words[at][..], &[c]].concat()));
        }
        start = end;
    }
    let integral = |word: &Vec<usize>| {
        // The integrals of all beginnings of the word.
        let mut known = vec![0.0; word.len() + 1];
        known[0] = 1.0;
        for v in &path {
            for k in (1..=word.len()).rev() {
                let (mut product, mut sum) = (1.0, known[k]);
                for i in 1..=k {
                    product *= v[word[k - i]] / i as f64;
                    sum += known[k - i] * product;
                }
                known[k] = sum;
            }
        }
        known[word.len()]
    };
    words.iter().map(integral).collect()
}
