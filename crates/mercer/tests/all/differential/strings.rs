//! Kernels and distances of strings, over lists of symbols.

use std::collections::BTreeMap;

use mercer::data::Values;
use mercer::expression::Call;

use super::{Pairs, Value, View, number, whole, word};

pub(super) const KERNELS: &[&str] = &[
    "symbol-distribution",
    "word-distribution",
    "spectrum",
    "blended-spectrum",
    "full-spectrum",
    "substring",
    "mismatch",
    "gapped-kmer",
    "subsequence",
    "weighted-degree",
    "weighted-degree-shifts",
    "local-alignment",
    "alignment-diffusion",
    "edit-distance",
];

/// A symbol; `None` outside the alphabet, which is equal to nothing.
type Symbol = Option<u32>;

fn equal(a: Symbol, b: Symbol) -> bool {
    a.is_some() && a == b
}

/// The symbols of a finite alphabet, in upper case.
fn listed(alphabet: &str) -> Option<&'static str> {
    match alphabet {
        "dna" => Some("ACGT"),
        "rna" => Some("ACGU"),
        "protein" => Some("ACDEFGHIKLMNPQRSTVWY"),
        _ => None,
    }
}

fn symbols(alphabet: &str, text: &str) -> Vec<Symbol> {
    match (alphabet, listed(alphabet)) {
        (_, Some(all)) => {
            let place = |c: char| all.chars().position(|a| a == c.to_ascii_uppercase());
            text.chars().map(|c| place(c).map(|p| p as u32)).collect()
        }
        ("bytes", _) => text.bytes().map(|b| Some(u32::from(b))).collect(),
        _ => text.chars().map(|c| Some(u32::from(c))).collect(),
    }
}

/// The size of the alphabet.
fn size(alphabet: &str) -> f64 {
    match (alphabet, listed(alphabet)) {
        (_, Some(all)) => all.len() as f64,
        ("bytes", _) => 256.0,
        // Unicode's code points without the surrogates.
        _ => 1_114_112.0 - 2048.0,
    }
}

/// The k-mers of that length, without those that contain a symbol outside the alphabet.
fn words(x: &[Symbol], length: usize) -> Vec<Vec<u32>> {
    x.windows(length).filter_map(|w| w.iter().copied().collect()).collect()
}

/// The reverse complement: A to T, C to G.
fn complement(w: &[u32]) -> Vec<u32> {
    w.iter().rev().map(|c| [3, 2, 1, 0][*c as usize]).collect()
}

pub(super) fn brute(call: &Call, view: View<'_>) -> Pairs {
    let texts: Vec<String> = match view.one(call) {
        Values::Strings(all) | Values::Text(all) => all.iter().map(|s| s.clone().unwrap()).collect(),
        other => panic!("{} are not strings", other.kind()),
    };
    let name = call.entry.facts.name;
    if name == "edit-distance" {
        let all: Vec<Vec<char>> = texts.iter().map(|s| s.chars().collect()).collect();
        let share = word(call, "scale") == "longest";
        return Box::new(move |i, j| edit_distance(&all[i], &all[j], share));
    }
    let alphabet = word(call, "alphabet").to_owned();
    let all: Vec<Vec<Symbol>> = texts.iter().map(|s| symbols(&alphabet, s)).collect();
    match name {
        "mismatch" | "gapped-kmer" => by_differences(call, &alphabet, all),
        "subsequence" => {
            let (k, decay) = (whole(call, "k"), number(call, "decay"));
            Box::new(move |i, j| Value::rounded(subsequence(&all[i], &all[j], k, decay)))
        }
        "weighted-degree" => {
            let d = whole(call, "d");
            Box::new(move |i, j| Value::rounded(weighted_degree(&all[i], &all[j], d)))
        }
        "weighted-degree-shifts" => {
            let (d, most) = (whole(call, "d"), whole(call, "shift") as isize);
            Box::new(move |i, j| {
                let mut sum = 0.0;
                for s in -most..=most {
                    let worth = if s == 0 { 1.0 } else { 0.5 / (s.abs() + 1) as f64 };
                    sum += worth * shifted_degree(&all[i], &all[j], d, s);
                }
                Value::rounded(sum)
            })
        }
        "local-alignment" => local_alignment(call, all),
        "alignment-diffusion" => alignment_diffusion(call, size(&alphabet) + 1.0, all),
        _ => by_words(call, &all),
    }
}

/// Kernels that count equal k-mers of some lengths, each with a weight.
fn by_words(call: &Call, all: &[Vec<Symbol>]) -> Pairs {
    let name = call.entry.facts.name;
    let strands = call.entry.facts.parameters.iter().any(|p| p.name == "reverse-complement")
        && word(call, "reverse-complement") == "yes";
    let longest = all.iter().map(Vec::len).max().unwrap_or(0);
    let (lengths, decay) = match name {
        "symbol-distribution" => (1..=1, 1.0),
        "spectrum" => (whole(call, "k")..=whole(call, "k"), 1.0),
        "word-distribution" | "blended-spectrum" => (1..=whole(call, "k"), 1.0),
        "full-spectrum" => (1..=longest, 1.0),
        _ => {
            let most = whole(call, "longest");
            (whole(call, "shortest")..=if most == 0 { longest } else { most }, number(call, "decay"))
        }
    };
    let count = |x: &Vec<Symbol>| {
        let mut counts: BTreeMap<Vec<u32>, f64> = BTreeMap::new();
        for length in lengths.clone().filter(|l| *l <= x.len()) {
            for w in words(x, length) {
                // One key for both strands.
                let key = if strands { complement(&w).min(w) } else { w };
                *counts.entry(key).or_default() += 1.0;
            }
        }
        counts
    };
    let counts: Vec<BTreeMap<Vec<u32>, f64>> = all.iter().map(count).collect();
    let shares = name.ends_with("distribution");
    Box::new(move |i, j| {
        let (x, y) = (&counts[i], &counts[j]);
        let terms = x.iter().filter_map(|(w, c)| y.get(w).map(|d| decay.powi(w.len() as i32) * c * d));
        let sum: f64 = terms.sum();
        let totals = x.values().sum::<f64>() * y.values().sum::<f64>();
        match (shares, decay == 1.0) {
            (true, _) if totals == 0.0 => Value::exact(0.0),
            (true, _) => Value::rounded(sum / totals),
            (false, true) => Value::exact(sum),
            (false, false) => Value::rounded(sum),
        }
    })
}

/// Kernels that compare all pairs of k-mers by the number of positions where they differ.
fn by_differences(call: &Call, alphabet: &str, all: Vec<Vec<Symbol>>) -> Pairs {
    let strands = word(call, "reverse-complement") == "yes";
    let gapped = call.entry.facts.name == "gapped-kmer";
    let (length, worth) = if gapped {
        let (l, k) = (whole(call, "l"), whole(call, "k"));
        let worth = match word(call, "weights") {
            "gapped" => (0..=l).map(|d| choose(l - d, k)).collect::<Vec<f64>>(),
            other => gkm_svm(l, k, size(alphabet), other == "truncated"),
        };
        (l, worth)
    } else {
        let (k, m) = (whole(call, "k"), whole(call, "m"));
        (k, (0..=k).map(|d| near_both(k, m, d, size(alphabet))).collect())
    };
    let counts = !gapped || word(call, "weights") == "gapped";
    let centre = gapped.then(|| (number(call, "half-life"), number(call, "peak"))).filter(|c| c.0 > 0.0);
    let windows = move |x: &[Symbol]| -> Vec<(Vec<u32>, f64)> {
        let most = (x.len() + 1).saturating_sub(length);
        let one = |i: usize| {
            let w: Option<Vec<u32>> = x[i..i + length].iter().copied().collect();
            let away = (i as f64 - (most as f64 - 1.0) / 2.0).abs();
            let weight = centre.map_or(1.0, |(h, peak)| (peak * (-away / h).exp2() + 1.0).floor().min(peak));
            w.map(|w| (w, weight))
        };
        (0..most).filter_map(one).collect()
    };
    // A k-mer that is its own reverse complement counts once, not for both strands.
    let twice: Vec<BTreeMap<Vec<u32>, f64>> = match strands && counts {
        true => all.iter().map(|x| palindromes(call, &windows(x))).collect(),
        false => vec![BTreeMap::new(); all.len()],
    };
    Box::new(move |i, j| {
        let apart = |a: &[u32], b: &[u32]| worth[a.iter().zip(b).filter(|(x, y)| x != y).count()];
        let (mut sum, mut scale) = (0.0, 0.0);
        for (a, v) in &windows(&all[i]) {
            for (b, w) in &windows(&all[j]) {
                let both = apart(a, b) + if strands { apart(a, &complement(b)) } else { 0.0 };
                sum += v * w * both;
                scale += v * w * both.abs();
            }
        }
        sum -= twice[i].iter().map(|(f, c)| c * twice[j].get(f).copied().unwrap_or(0.0)).sum::<f64>();
        // Weights of filters are rounded sums of products.
        if counts { Value::exact(sum) } else { Value::of(sum, 20.0 * scale.max(sum.abs())) }
    })
}

/// The weights of gkm-SVM as in its paper: a filter from weights of gapped k-mers with m mismatches, which a recursion
/// over l and k gives, and its inner product with itself over all l-mers.
fn gkm_svm(l: usize, k: usize, b: f64, truncated: bool) -> Vec<f64> {
    let mut old = vec![vec![1.0; k + 1]; k + 1];
    for length in 1..=l {
        let mut new = vec![vec![1.0; k + 1]; k + 1];
        for kept in 1..=k {
            new[kept][0] = old[kept][0] + (b - 1.0) * old[kept - 1][0];
            for m in 1..=kept {
                new[kept][m] = new[kept - 1][m - 1] * (kept as f64 - length as f64) / kept as f64;
            }
        }
        old = new;
    }
    let total = choose(l, k) * b.powi(l as i32);
    let mut filter: Vec<f64> = (0..=l)
        .map(|d| {
            let part = |m: usize| old[k][m] / total * choose(l - d, k - m) * choose(d, m);
            (0..=d.min(k)).map(part).sum()
        })
        .collect();
    if truncated {
        let end = filter.iter().position(|h| *h < 1e-50).unwrap_or(l + 1);
        filter.iter_mut().skip(end).for_each(|h| *h = 0.0);
    }
    // `pairs[p][q]`: l-mers that differ at p positions from the one and at q from the other.
    let together = |d: usize| {
        let mut pairs = vec![vec![0.0; l + 2]; l + 2];
        pairs[0][0] = 1.0;
        for place in 0..l {
            let mut next = vec![vec![0.0; l + 2]; l + 2];
            for p in 0..=place {
                for q in 0..=place {
                    let now = pairs[p][q];
                    if place < d {
                        next[p][q + 1] += now;
                        next[p + 1][q] += now;
                        next[p + 1][q + 1] += now * (b - 2.0);
                    } else {
                        next[p][q] += now;
                        next[p + 1][q + 1] += now * (b - 1.0);
                    }
                }
            }
            pairs = next;
        }
        (0..=l).map(|p| (0..=l).map(|q| pairs[p][q] * filter[p] * filter[q]).sum::<f64>()).sum()
    };
    (0..=l).map(together).collect()
}

/// The features of k-mers that are their own reverse complement, with their counts: k-mers within m mismatches, or
/// symbols at k positions, 4 for every other position.
fn palindromes(call: &Call, words: &[(Vec<u32>, f64)]) -> BTreeMap<Vec<u32>, f64> {
    let mut counts: BTreeMap<Vec<u32>, f64> = BTreeMap::new();
    let Some(length) = words.first().map(|w| w.0.len()) else { return counts };
    if call.entry.facts.name == "mismatch" {
        let m = whole(call, "m");
        for number in 0..4u32.pow(length as u32 / 2) {
            if length % 2 == 1 {
                break;
            }
            let half: Vec<u32> = (0..length / 2).map(|p| number >> (2 * p) & 3).collect();
            let word = [half.clone(), complement(&half)].concat();
            let near = |a: &&(Vec<u32>, f64)| a.0.iter().zip(&word).filter(|(x, y)| x != y).count() <= m;
            let count = words.iter().filter(near).count();
            if count > 0 {
                counts.insert(word, count as f64);
            }
        }
        return counts;
    }
    let k = whole(call, "k");
    for places in (0..1u32 << length).filter(|p| p.count_ones() as usize == k) {
        let kept = |p: usize| places >> p & 1 == 1;
        if (0..length).any(|p| kept(p) != kept(length - 1 - p)) {
            continue;
        }
        for (a, weight) in words {
            if (0..length).all(|p| !kept(p) || a[p] == 3 - a[length - 1 - p]) {
                let feature = (0..length).map(|p| if kept(p) { a[p] } else { 4 }).collect();
                *counts.entry(feature).or_default() += weight;
            }
        }
    }
    counts
}

/// The number of k-mers within m mismatches of both of two k-mers that differ at d positions, symbol by symbol:
/// `ways[p][q]` prefixes differ at p positions from the one and at q from the other.
fn near_both(k: usize, m: usize, d: usize, size: f64) -> f64 {
    let mut ways = vec![vec![0.0; k + 2]; k + 2];
    ways[0][0] = 1.0;
    for place in 0..k {
        let mut next = vec![vec![0.0; k + 2]; k + 2];
        for p in 0..=place {
            for q in 0..=place {
                let now = ways[p][q];
                if place < d {
                    next[p][q + 1] += now;
                    next[p + 1][q] += now;
                    next[p + 1][q + 1] += now * (size - 2.0);
                } else {
                    next[p][q] += now;
                    next[p + 1][q + 1] += now * (size - 1.0);
                }
            }
        }
        ways = next;
    }
    ways.iter().take(m + 1).flat_map(|row| row.iter().take(m + 1)).sum()
}

fn choose(n: usize, k: usize) -> f64 {
    // Pascal's triangle.
    let mut row = vec![1.0];
    for _ in 0..n {
        let next = row.windows(2).map(|w| w[0] + w[1]).collect::<Vec<f64>>();
        row = [vec![1.0], next, vec![1.0]].concat();
    }
    row.get(k).copied().unwrap_or(0.0)
}

/// Over all pairs of positions of k equal symbols in order: `sums[i][j]` sums those that end at i and j.
fn subsequence(x: &[Symbol], y: &[Symbol], k: usize, decay: f64) -> f64 {
    let start = |i: usize, j: usize| if equal(x[i], y[j]) { decay * decay } else { 0.0 };
    let powers: Vec<f64> = (0..=x.len() + y.len()).map(|n| decay.powi(n as i32)).collect();
    let mut sums: Vec<Vec<f64>> = (0..x.len()).map(|i| (0..y.len()).map(|j| start(i, j)).collect()).collect();
    for _ in 1..k {
        let longer = |i: usize, j: usize| {
            let mut sum = 0.0;
            if equal(x[i], y[j]) {
                for a in 0..i {
                    for b in 0..j {
                        sum += sums[a][b] * powers[i - a + j - b];
                    }
                }
            }
            sum
        };
        sums = (0..x.len()).map(|i| (0..y.len()).map(|j| longer(i, j)).collect()).collect();
    }
    sums.iter().flatten().sum()
}

fn weighted_degree(x: &[Symbol], y: &[Symbol], d: usize) -> f64 {
    let n = x.len().min(y.len());
    let mut sum = 0.0;
    for l in 1..=d.min(n) {
        let agree = (0..=n - l).filter(|i| (*i..i + l).all(|at| equal(x[at], y[at]))).count();
        sum += 2.0 * (d - l + 1) as f64 / (d as f64 * (d as f64 + 1.0)) * agree as f64;
    }
    sum
}

/// The same for k-mers from i in the one and from i + shift in the other string on.
fn shifted_degree(x: &[Symbol], y: &[Symbol], d: usize, shift: isize) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        for l in 1..=d {
            let agree = (i..i + l).all(|at| {
                let other = usize::try_from(at as isize + shift).ok().and_then(|to| y.get(to));
                matches!((x.get(at), other), (Some(a), Some(b)) if equal(*a, *b))
            });
            if !agree {
                break;
            }
            sum += 2.0 * (d - l + 1) as f64 / (d as f64 * (d as f64 + 1.0));
        }
    }
    sum
}

/// All alignments: `ends[i][j]` sums those whose last pair is x_i with y_j, over every possible previous pair.
fn local_alignment(call: &Call, all: Vec<Vec<Symbol>>) -> Pairs {
    let parameter = |name: &str| number(call, name);
    let (beta, open, extend) = (parameter("beta"), parameter("open"), parameter("extend"));
    let (same, other) = (parameter("match"), parameter("mismatch"));
    let table = word(call, "scores") == "blosum62";
    let log = word(call, "log") == "yes";
    let gap = move |g: usize| if g == 0 { 1.0 } else { (-beta * (open + extend * (g - 1) as f64)).exp() };
    let pair = move |a: Symbol, b: Symbol| match (table, a, b) {
        (true, Some(a), Some(b)) => (beta * blosum62(a, b)).exp(),
        (true, _, _) => 0.0,
        (false, _, _) => (beta * if equal(a, b) { same } else { other }).exp(),
    };
    Box::new(move |i, j| {
        let (x, y) = (&all[i], &all[j]);
        let gaps: Vec<f64> = (0..x.len().max(y.len())).map(gap).collect();
        let mut ends = vec![vec![0.0; y.len()]; x.len()];
        let mut sum = 1.0;
        for i in 0..x.len() {
            for j in 0..y.len() {
                let mut before = 1.0;
                for a in 0..i {
                    let row: f64 = (0..j).map(|b| ends[a][b] * gaps[j - b - 1]).sum();
                    before += row * gaps[i - a - 1];
                }
                ends[i][j] = pair(x[i], y[j]) * before;
                sum += ends[i][j];
            }
        }
        if log {
            // ln of a rounded number close to 1.
            return Value::of(sum.ln() / beta, 1.0 / beta);
        }
        // One rounded exponential for each pair of the alignment.
        Value::of(sum, sum * (1.0 + x.len().min(y.len()) as f64))
    })
}

/// BLOSUM62 in the usual order of amino acids.
fn blosum62(a: u32, b: u32) -> f64 {
    const ORDER: &str = "ARNDCQEGHILKMFPSTWYV";
    const HALF: [&[i8]; 20] = [
        &[4],
        &[-1, 5],
        &[-2, 0, 6],
        &[-2, -2, 1, 6],
        &[0, -3, -3, -3, 9],
        &[-1, 1, 0, 0, -3, 5],
        &[-1, 0, 0, 2, -4, 2, 5],
        &[0, -2, 0, -1, -3, -2, -2, 6],
        &[-2, 0, 1, -1, -3, 0, 0, -2, 8],
        &[-1, -3, -3, -3, -1, -3, -3, -4, -3, 4],
        &[-1, -2, -3, -4, -1, -2, -3, -4, -3, 2, 4],
        &[-1, 2, 0, -1, -3, 1, 1, -2, -1, -3, -2, 5],
        &[-1, -1, -2, -3, -1, 0, -2, -3, -2, 1, 2, -1, 5],
        &[-2, -3, -3, -3, -2, -3, -3, -3, -1, 0, 0, -3, 0, 6],
        &[-1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4, 7],
        &[1, -1, 1, 0, -1, 0, 0, 0, -1, -2, -2, 0, -1, -2, -1, 4],
        &[0, -1, 0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1, 1, 5],
        &[-3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1, 1, -4, -3, -2, 11],
        &[-2, -2, -2, -3, -2, -1, -2, -3, 2, -1, -1, -2, -1, 3, -3, -2, -2, 2, 7],
        &[0, -3, -3, -3, -1, -2, -2, -3, -3, 3, 1, -2, 1, -1, -2, -2, 0, -3, -1, 4],
    ];
    let symbol = |code: u32| listed("protein").unwrap().chars().nth(code as usize).unwrap();
    let place = |code: u32| ORDER.chars().position(|c| c == symbol(code)).unwrap();
    let (a, b) = (place(a).max(place(b)), place(a).min(place(b)));
    f64::from(HALF[a][b])
}

/// The plain recursion over positions.
fn alignment_diffusion(call: &Call, a: f64, all: Vec<Vec<Symbol>>) -> Pairs {
    let (beta, n) = (number(call, "beta"), whole(call, "n"));
    let t = -(-a * beta).exp_m1() / (1.0 + (a - 1.0) * (-a * beta).exp());
    Box::new(move |i, j| {
        let (x, y) = (&all[i], &all[j]);
        // The table of the last number of positions; with none, only (0, 0) is possible.
        let mut table = vec![vec![0.0; y.len() + 1]; x.len() + 1];
        table[0][0] = 1.0;
        let kappa = |i: usize, j: usize| if equal(x[i - 1], y[j - 1]) { 1.0 } else { t };
        let step = |old: &Vec<Vec<f64>>, new: &mut Vec<Vec<f64>>, stay: bool| {
            for i in 0..=x.len() {
                for j in 0..=y.len() {
                    let mut sum = if stay { old[i][j] } else { f64::from(u8::from(i + j == 0)) };
                    let from = if stay { old } else { &*new };
                    sum += if i > 0 { t * from[i - 1][j] } else { 0.0 };
                    sum += if j > 0 { t * from[i][j - 1] } else { 0.0 };
                    sum += if i > 0 && j > 0 { kappa(i, j) * from[i - 1][j - 1] } else { 0.0 };
                    new[i][j] = sum;
                }
            }
        };
        if n == 0 {
            let old = table.clone();
            step(&old, &mut table, false);
        }
        for _ in 0..n {
            let old = table.clone();
            step(&old, &mut table, true);
        }
        let k = table[x.len()][y.len()];
        Value::of(k, k * (1.0 + (x.len() + y.len() + n) as f64))
    })
}

fn edit_distance(x: &[char], y: &[char], share: bool) -> Value {
    let mut row: Vec<usize> = (0..=y.len()).collect();
    for (i, a) in x.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in y.iter().enumerate() {
            next.push((row[j] + usize::from(a != b)).min(row[j + 1] + 1).min(next[j] + 1));
        }
        row = next;
    }
    let longest = x.len().max(y.len()).max(1) as f64;
    let d = row[y.len()] as f64 / if share { longest } else { 1.0 };
    if share { Value::rounded(-d * d / 2.0) } else { Value::exact(-d * d / 2.0) }
}

/// The share of positions that differ, including those beyond the shorter string.
pub(super) fn hamming_distance(all: Vec<Option<String>>) -> Pairs {
    let all: Vec<Vec<char>> = all.iter().map(|s| s.as_ref().unwrap().chars().collect()).collect();
    Box::new(move |i, j| {
        let (x, y) = (&all[i], &all[j]);
        let longest = x.len().max(y.len());
        let differ = (0..longest).filter(|at| x.get(*at) != y.get(*at)).count();
        let d = differ as f64 / longest.max(1) as f64;
        Value::rounded(-d * d / 2.0)
    })
}
