//! Compares every kernel with its definition, on random strings.

use std::collections::BTreeMap;

use super::*;
use crate::data::Dense;
use crate::gram::Engine;
use crate::kernel::Kernel;
use crate::random::Random;

/// Random strings over the given symbols, some of them empty, short or repeated.
pub(crate) fn strings(symbols: &str, count: usize, longest: usize, seed: u64) -> Strings {
    let mut random = Random::new(seed);
    let symbols: Vec<char> = symbols.chars().collect();
    let mut all: Vec<String> = Vec::new();
    for i in 0..count {
        if i > 2 && random.below(8) == 0 {
            all.push(all[random.below(i)].clone());
            continue;
        }
        let length = random.below(longest + 1);
        all.push((0..length).map(|_| symbols[random.below(symbols.len())]).collect());
    }
    all.into_iter().collect()
}

/// The Gram matrix of a function of two lists of symbols.
pub(crate) fn oracle(strings: &Strings, k: impl Fn(&[char], &[char]) -> f64) -> Dense {
    let all: Vec<Vec<char>> = strings.iter().map(|s| s.chars().collect()).collect();
    let mut out = Dense::zeros(all.len(), all.len());
    for (i, x) in all.iter().enumerate() {
        for (j, y) in all.iter().enumerate() {
            out.row_mut(i)[j] = k(x, y);
        }
    }
    out
}

/// Asserts exact equality, within a set and across two.
pub(crate) fn exact<K: Kernel<Strings>>(kernel: &K, strings: &Strings, expected: &Dense) {
    let engine = Engine::new();
    assert_eq!(engine.gram(kernel, strings).unwrap(), *expected, "{kernel}");
    let (first, rest): (Vec<usize>, Vec<usize>) = (0..strings.len()).partition(|i| i % 3 == 0);
    let cross = engine.cross(kernel, &strings.select(&first), &strings.select(&rest)).unwrap();
    for (a, &i) in first.iter().enumerate() {
        for (b, &j) in rest.iter().enumerate() {
            assert_eq!(cross.at(a, b), expected.at(i, j), "{kernel}: {i} {j}");
        }
    }
}

fn words(x: &[char], lengths: std::ops::RangeInclusive<usize>) -> BTreeMap<String, f64> {
    let mut out = BTreeMap::new();
    for length in lengths {
        for w in x.windows(length) {
            *out.entry(w.iter().collect()).or_insert(0.0) += 1.0;
        }
    }
    out
}

fn product(x: &BTreeMap<String, f64>, y: &BTreeMap<String, f64>) -> f64 {
    x.iter().filter_map(|(w, c)| Some(c * y.get(w)?)).sum()
}

#[test]
fn spectra_count_pairs_of_equal_kmers() {
    for (seed, symbols) in ["ab", "ACGT", "aé€z"].iter().enumerate() {
        let strings = strings(symbols, 40, 30, seed as u64);
        for k in [1, 2, 3, 7] {
            let spectrum = oracle(&strings, |x, y| product(&words(x, k..=k), &words(y, k..=k)));
            exact(&Spectrum::new(k).unwrap(), &strings, &spectrum);
            let blended = oracle(&strings, |x, y| product(&words(x, 1..=k), &words(y, 1..=k)));
            exact(&BlendedSpectrum::new(k).unwrap(), &strings, &blended);
            let shares = oracle(&strings, |x, y| {
                let (x, y) = (words(x, 1..=k), words(y, 1..=k));
                let total = x.values().sum::<f64>() * y.values().sum::<f64>();
                if total > 0.0 { product(&x, &y) / total } else { 0.0 }
            });
            exact(&WordDistribution::new(k).unwrap(), &strings, &shares);
            if k == 1 {
                exact(&SymbolDistribution::new(), &strings, &shares);
            }
        }
    }
}

#[test]
fn alphabets_ignore_case_and_skip_other_symbols() {
    let strings = strings("ACGTacgtN-", 40, 30, 7);
    let clean = |w: &String| w.chars().all(|c| "ACGT".contains(c));
    let upper = |x: &[char]| x.iter().map(char::to_ascii_uppercase).collect::<Vec<_>>();
    let own = |x: &[char]| words(&upper(x), 3..=3).into_iter().filter(|(w, _)| clean(w)).collect();
    let expected = oracle(&strings, |x, y| product(&own(x), &own(y)));
    exact(&Spectrum::new(3).unwrap().over(Alphabet::Dna, false).unwrap(), &strings, &expected);

    let both = |x: &[char]| {
        let mut out: BTreeMap<String, f64> = BTreeMap::new();
        for (w, c) in own(x) {
            let back: String =
                w.chars().rev().map(|c| "TGCA".chars().nth("ACGT".find(c).unwrap()).unwrap()).collect();
            *out.entry(w.min(back)).or_insert(0.0) += c;
        }
        out
    };
    let expected = oracle(&strings, |x, y| product(&both(x), &both(y)));
    exact(&Spectrum::new(3).unwrap().over(Alphabet::Dna, true).unwrap(), &strings, &expected);
    assert!(Spectrum::new(3).unwrap().over(Alphabet::Protein, true).is_err());
}

#[test]
fn warnings_count_short_strings_and_symbols_outside_the_alphabet() {
    let strings: Strings = ["acg", "ac", "", "acgN"].into_iter().collect();
    let kernel = Spectrum::new(3).unwrap().over(Alphabet::Dna, false).unwrap();
    let notes: Vec<String> = kernel.notes(&strings).iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "W_SHORT 2 of 4 strings have fewer than 3 symbols: their similarity is 0",
            "W_ALPHABET 1 of 9 symbols are outside the alphabet dna, and match nothing"
        ]
    );
    assert!(Spectrum::new(1).unwrap().notes(&strings.select(&[0, 1])).is_empty());
}

fn differ(a: &[char], b: &[char]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a != b).count()
}

fn choose(n: usize, k: usize) -> f64 {
    if k > n { 0.0 } else { (0..k).fold(1.0, |b, i| b * (n - i) as f64 / (i + 1) as f64) }
}

fn back(x: &[char]) -> Vec<char> {
    x.iter().rev().map(|c| "TGCA".chars().nth("ACGT".find(*c).unwrap()).unwrap()).collect()
}

/// Features as k-mers in which `-` is any symbol; a feature and its reverse complement are one, and each occurrence
/// counts once.
fn canonical(strings: &Strings, features: impl Fn(&[char]) -> Vec<Vec<char>>) -> Dense {
    let other = |w: &[char]| -> Vec<char> {
        w.iter().rev().map(|c| if *c == '-' { '-' } else { back(&[*c])[0] }).collect()
    };
    oracle(strings, |x, y| {
        let count = |x: &[char]| {
            let mut counts = std::collections::HashMap::<Vec<char>, f64>::new();
            features(x).into_iter().for_each(|w| *counts.entry(w.clone().min(other(&w))).or_default() += 1.0);
            counts
        };
        let theirs = count(y);
        count(x).iter().map(|(w, c)| c * theirs.get(w).copied().unwrap_or(0.0)).sum()
    })
}

fn subsets(n: usize, k: usize) -> Vec<Vec<usize>> {
    (0u32..1 << n)
        .filter(|m| m.count_ones() as usize == k)
        .map(|m| (0..n).filter(|i| m >> i & 1 == 1).collect())
        .collect()
}

fn gapped(word: &[char], kept: &[usize]) -> Vec<char> {
    word.iter().enumerate().map(|(i, c)| if kept.contains(&i) { *c } else { '-' }).collect()
}

#[test]
fn palindromes_count_once_in_every_kernel() {
    // ACGT is its own reverse complement.
    let strings: Strings = ["ACGT", "ACGTACGT", "AATTCG", "GGGG"].into_iter().collect();
    let counted =
        Engine::new().gram(&Spectrum::new(4).unwrap().over(Alphabet::Dna, true).unwrap(), &strings).unwrap();
    assert_eq!((counted.at(0, 0), counted.at(0, 1)), (1.0, 2.0));
    exact(&Mismatch::over(4, 0, Alphabet::Dna, true).unwrap(), &strings, &counted);
    exact(&GappedKmer::over(4, 4, Alphabet::Dna, true).unwrap(), &strings, &counted);
}

#[test]
fn gapped_kmers_agree_at_k_positions() {
    let strings = strings("ACGT", 30, 25, 11);
    for (l, k) in [(1, 1), (4, 2), (5, 5), (8, 3), (9, 9)] {
        let pair = |a: &[char], b: &[char]| choose(l - differ(a, b), k);
        let all = |x: &[char], y: &[char]| {
            x.windows(l).map(|a| y.windows(l).map(|b| pair(a, b)).sum::<f64>()).sum::<f64>()
        };
        exact(&GappedKmer::new(l, k).unwrap(), &strings, &oracle(&strings, all));
    }
    for (l, k) in [(1, 1), (4, 2), (5, 5), (5, 4), (6, 6), (7, 4)] {
        exact(
            &GappedKmer::over(l, k, Alphabet::Dna, true).unwrap(),
            &strings,
            &canonical(&strings, |x| {
                x.windows(l)
                    .flat_map(|a| subsets(l, k).into_iter().map(|at| gapped(a, &at)).collect::<Vec<_>>())
                    .collect()
            }),
        );
    }
    assert!(GappedKmer::new(3, 4).is_err());
    assert!(GappedKmer::over(13, 4, Alphabet::Protein, false).is_err());
    assert!(GappedKmer::new(32, 16).is_err());
}

#[test]
fn mismatch_kernel_equals_explicit_neighbourhoods() {
    let strings = strings("ACGT", 15, 12, 12);
    let symbols = ['A', 'C', 'G', 'T'];
    for (k, m) in [(1, 0), (2, 1), (3, 1), (4, 2)] {
        let mut every: Vec<Vec<char>> = vec![Vec::new()];
        for _ in 0..k {
            let longer = |w: &Vec<char>| symbols.map(|c| [&w[..], &[c]].concat());
            every = every.iter().flat_map(longer).collect();
        }
        let near = |x: &[char], w: &[char]| x.windows(k).filter(|a| differ(a, w) <= m).count() as f64;
        let expected = oracle(&strings, |x, y| every.iter().map(|w| near(x, w) * near(y, w)).sum());
        exact(&Mismatch::new(k, m).unwrap(), &strings, &expected);
        let near = |x: &[char]| -> Vec<Vec<char>> {
            x.windows(k).flat_map(|a| every.iter().filter(move |w| differ(a, w) <= m).cloned()).collect()
        };
        exact(&Mismatch::over(k, m, Alphabet::Dna, true).unwrap(), &strings, &canonical(&strings, near));
    }
    assert!(Mismatch::new(2, 2).is_err());
}

#[test]
fn long_strings_and_large_alphabets() {
    // More k-mers than are compared in pairs, and more symbols than fit into a table of buckets.
    let strings: Strings = strings("ACDEFGHIKLMNPQRSTVWY", 3, 40, 13)
        .iter()
        .chain(["ACDEFGHIKL".repeat(260).as_str()])
        .map(str::to_owned)
        .collect();
    let (l, k) = (6, 5);
    let expected = oracle(&strings, |x, y| {
        let pair = |a: &[char], b: &[char]| choose(l - differ(a, b), k);
        x.windows(l).map(|a| y.windows(l).map(|b| pair(a, b)).sum::<f64>()).sum::<f64>()
    });
    exact(&GappedKmer::over(l, k, Alphabet::Protein, false).unwrap(), &strings, &expected);
}

#[test]
fn full_spectrum_equals_explicit_substrings() {
    // Few symbols give deep trees, many strings give nodes with many suffixes.
    for (symbols, count, longest) in [("a", 20, 12), ("ab", 60, 25), ("ACGT", 40, 60), ("aé€zN", 300, 9)] {
        let strings = strings(symbols, count, longest, 21);
        let all = |x: &[char]| words(x, 1..=x.len().max(1));
        let tables: Vec<_> = strings.iter().map(|s| all(&s.chars().collect::<Vec<_>>())).collect();
        let mut expected = Dense::zeros(count, count);
        for i in 0..count {
            for j in 0..count {
                expected.row_mut(i)[j] = product(&tables[i], &tables[j]);
            }
        }
        exact(&FullSpectrum::default(), &strings, &expected);
    }
}

#[test]
fn substrings_by_length() {
    let strings = strings("ACGTn", 40, 30, 22);
    let some = Substring::new(1.0).unwrap().of_lengths(2, 4).unwrap();
    let expected = oracle(&strings, |x, y| product(&words(x, 2..=4), &words(y, 2..=4)));
    exact(&some, &strings, &expected);
    let decayed = Substring::new(0.7).unwrap();
    let expected = oracle(&strings, |x, y| {
        let (x, y) = (words(x, 1..=x.len().max(1)), words(y, 1..=y.len().max(1)));
        x.iter().filter_map(|(w, c)| Some(0.7f64.powi(w.chars().count() as i32) * c * y.get(w)?)).sum()
    });
    let k = Engine::new().gram(&decayed, &strings).unwrap();
    for (a, b) in k.values().iter().zip(expected.values()) {
        assert!((a - b).abs() <= 1e-12 * b.abs(), "{a} {b}");
    }
    // Symbols outside the alphabet match nothing.
    let dna = FullSpectrum::over(Alphabet::Dna);
    let clean = |x: &[char]| {
        words(x, 1..=x.len().max(1)).into_iter().filter(|(w, _)| !w.contains('n')).collect::<BTreeMap<_, _>>()
    };
    exact(&dna, &strings, &oracle(&strings, |x, y| product(&clean(x), &clean(y))));
    assert!(Substring::new(0.5).unwrap().of_lengths(3, 2).is_err());
}

fn close<K: Kernel<Strings>>(kernel: &K, strings: &Strings, expected: &Dense) {
    let k = Engine::new().gram(kernel, strings).unwrap();
    for (at, (a, b)) in k.values().iter().zip(expected.values()).enumerate() {
        assert!((a - b).abs() <= 1e-12 * b.abs(), "{kernel}: {at}: {a} {b}");
    }
}

#[test]
fn subsequence_kernel_equals_enumeration() {
    fn places(n: usize, k: usize) -> Vec<Vec<usize>> {
        if k == 0 {
            return vec![Vec::new()];
        }
        let mut out = Vec::new();
        for last in k - 1..n {
            out.extend(places(last, k - 1).into_iter().map(|p| [p, vec![last]].concat()));
        }
        out
    }
    let strings = strings("abcé", 20, 9, 41);
    for (k, decay) in [(1, 0.5), (2, 0.8), (3, 1.0), (4, 0.3)] {
        let features = |x: &[char]| {
            let mut out: BTreeMap<String, f64> = BTreeMap::new();
            for p in places(x.len(), k) {
                let span = p[k - 1] - p[0] + 1;
                *out.entry(p.iter().map(|&i| x[i]).collect()).or_insert(0.0) += f64::powi(decay, span as i32);
            }
            out
        };
        let expected = oracle(&strings, |x, y| product(&features(x), &features(y)));
        close(&Subsequence::new(k, decay).unwrap(), &strings, &expected);
    }
}

#[test]
fn weighted_degree_equals_its_definition() {
    let unequal = strings("ACGTN", 30, 40, 42);
    let error = Engine::new().gram(&WeightedDegree::new(3).unwrap(), &unequal).unwrap_err();
    assert!(error.to_string().contains("one length"), "{error}");
    // Of one length: cut or padded.
    let strings: Strings = unequal
        .iter()
        .map(|s| s.chars().chain("ACGTN".chars().cycle()).take(25).collect::<String>())
        .collect();
    for d in [1, 2, 5, 60] {
        let total = (d * (d + 1)) as f64;
        let agree = |x: &[char], y: &[char], l: usize| {
            let both = x.len().min(y.len());
            (l..=both).filter(|&end| x[end - l..end] == y[end - l..end]).count() as f64
        };
        let value = |x: &[char], y: &[char]| {
            (1..=d).map(|l| 2.0 * (d - l + 1) as f64 / total * agree(x, y, l)).sum::<f64>()
        };
        close(&WeightedDegree::new(d).unwrap(), &strings, &oracle(&strings, value));
    }
}

#[test]
fn alignment_diffusion_equals_its_recursion() {
    let strings = strings("ACGT", 16, 7, 43);
    for (beta, n) in [(0.05, 0), (0.5, 7), (0.2, 12), (0.2, 4)] {
        let kernel = AlignmentDiffusion::new(beta, n, Alphabet::Dna).unwrap();
        let (a, e) = (5.0, f64::exp(-5.0 * beta));
        let t = (1.0 - e) / (1.0 + (a - 1.0) * e);
        assert!((kernel.factor() - t).abs() < 1e-15);
        let same = |x: char, y: char| if x == y { 1.0 } else { t };
        let expected = oracle(&strings, |x, y| {
            let mut layer = vec![vec![0.0; y.len() + 1]; x.len() + 1];
            if n == 0 {
                for i in 0..=x.len() {
                    for j in 0..=y.len() {
                        let mut v = if i + j == 0 { 1.0 } else { 0.0 };
                        v += if i > 0 { t * layer[i - 1][j] } else { 0.0 };
                        v += if j > 0 { t * layer[i][j - 1] } else { 0.0 };
                        v +=
                            if i > 0 && j > 0 { same(x[i - 1], y[j - 1]) * layer[i - 1][j - 1] } else { 0.0 };
                        layer[i][j] = v;
                    }
                }
                return layer[x.len()][y.len()];
            }
            layer[0][0] = 1.0;
            for _ in 0..n {
                let old = layer.clone();
                for i in 0..=x.len() {
                    for j in 0..=y.len() {
                        let mut v = old[i][j];
                        v += if i > 0 { t * old[i - 1][j] } else { 0.0 };
                        v += if j > 0 { t * old[i][j - 1] } else { 0.0 };
                        v += if i > 0 && j > 0 { same(x[i - 1], y[j - 1]) * old[i - 1][j - 1] } else { 0.0 };
                        layer[i][j] = v;
                    }
                }
            }
            layer[x.len()][y.len()]
        });
        close(&kernel, &strings, &expected);
        assert_eq!(kernel.notes(&strings).is_empty(), n != 4);
    }
}

/// l, k, whether truncated, and the weights c[0], …, c[4] that LS-GKM (commit d7ef90f) prints with `-v 4`.
pub(super) const LS_GKM_WEIGHTS: &[(usize, usize, bool, &[f64])] = &[
    (8, 5, false, &[0.321457, 0.077866, 0.003708, -0.004532, 0.000412]),
    (6, 4, false, &[0.466064, 0.098877, -0.006592, -0.006592, 0.005127]),
    (8, 5, true, &[0.252312, 0.074891, 0.017370, 0.001897, 0.000082]),
    (10, 6, true, &[0.169598, 0.055735, 0.014950, 0.002779, 0.000253]),
    (11, 7, true, &[0.220005, 0.060412, 0.013319, 0.001775, 0.000104]),
    (6, 4, true, &[0.393196, 0.111719, 0.019553, 0.000000, 0.000000]),
];

/// The lower triangles of `gkmmatrix -d 4` of LS-GKM (commit d7ef90f) for four sequences of 100 nucleotides.
#[test]
fn gapped_kmers_have_the_values_of_ls_gkm() {
    let strings: Strings = [
        "CTTCTAAAGTGACTGGTGATTTGCTGACCAGAGGCGCTTGTCATGGGACCAGGGAGGGAATGCATCATTCATCAGGGTCCATTCCCGTGGTGCCTTCCGG",
        "ACCAGGCGGAAGCAGCCGGAACTGTGCTGGGCTGGAGCTGAGGACTGGGCCAGGGGGTCAGTGAAGACAGATAAAGCTCAGAGCAGCTGGAGGCTCAAGG",
        "GAGGCTTTCACGAAAATGCGAGCGGCTTCGGCAAGGGGCGGGGCCGCTGGACGTGGATGAAAGCTACAGAGCCAGCGTGGACCAATCAGACCTCTTTGGG",
        "GGGACGGTGCGTAGAGCGATGCCCACGCCGGCCAACCGGATGTCGGGGCTTGCGCGGGAGGGCGGGACTTGGCGCCGGCTGTGGCTACTCAGGGGCCAGG",
    ]
    .into_iter()
    .collect();
    let kernel = |l, k| GappedKmer::over(l, k, Alphabet::Dna, true).unwrap().weighted(GapWeights::Truncated);
    // -t 0 -l 11 -k 7; -t 2 -l 10 -k 6; -t 2 -l 11 -k 7; -t 4 -l 10 -k 6, whose weights by position are those of 91 l-mers.
    let cases = [
        (
            GappedKmer::over(11, 7, Alphabet::Dna, true).unwrap(),
            [0.0109079, 0.0107108, 0.0187933, 0.0112397, 0.0130992, 0.0204444],
        ),
        (kernel(10, 6).unwrap(), [0.0209299, 0.0211438, 0.0341268, 0.0235268, 0.0288232, 0.0387779]),
        (kernel(11, 7).unwrap(), [0.00329712, 0.00287552, 0.00640995, 0.00383715, 0.00340432, 0.00749122]),
        (
            kernel(10, 6).unwrap().centred(50.0, 50).unwrap(),
            [0.0238213, 0.022079, 0.0370832, 0.0231704, 0.0289006, 0.0392089],
        ),
    ];
    for (kernel, expected) in cases {
        let gram = Engine::new().gram(&kernel, &strings).unwrap();
        let mut expected = expected.into_iter();
        for i in 0..4 {
            for j in 0..i {
                let found = gram.at(i, j) / (gram.at(i, i) * gram.at(j, j)).sqrt();
                let expected = expected.next().unwrap();
                assert!((found / expected - 1.0).abs() < 3e-5, "{kernel} {i} {j}: {found} {expected}");
            }
        }
    }
}

#[test]
fn shifts_add_to_the_weighted_degree() {
    let mut random = Random::new(4);
    let one = |_| (0..30).map(|_| ['A', 'C', 'G', 'T', 'N'][random.below(5)]).collect::<String>();
    let strings: Strings = (0..20).map(one).collect::<Vec<_>>().into_iter().collect();
    let engine = Engine::new();
    let plain = engine.gram(&WeightedDegree::new(4).unwrap().over(Alphabet::Dna), &strings).unwrap();
    for shift in [0, 1, 5, 40] {
        let kernel = WeightedDegreeShifts::new(4, shift).unwrap().over(Alphabet::Dna);
        let gram = engine.gram(&kernel, &strings).unwrap();
        if shift == 0 {
            assert_eq!(gram.values(), plain.values());
        }
        let least = crate::gram::Certificate::of(&gram).unwrap();
        assert!(least.is_psd(), "{shift}: {least:?}");
        // A string moved by one position is more similar with shifts than without.
        let moved: Strings = ["AAACGTTGCA", "TAAACGTTGC"].into_iter().collect();
        let value = engine.gram(&kernel, &moved).unwrap().at(0, 1);
        assert_eq!(value > 2.0, shift > 0, "{shift}: {value}");
    }
    let unequal: Strings = ["ACG", "AC"].into_iter().collect();
    assert!(engine.gram(&WeightedDegreeShifts::new(2, 1).unwrap(), &unequal).is_err());
    assert!(WeightedDegreeShifts::new(0, 1).is_err() && WeightedDegreeShifts::new(1, 1001).is_err());
}

/// Weights by position: symmetric for both strands, between 1 and the peak, without effect where all are equal.
#[test]
fn centred_kmers_count_more() {
    let engine = Engine::new();
    let both: Strings = ["ACGTTGCAGG", "CCTGCAACGT", "AAAACGAAAA", "CGAAAAAAAA"].into_iter().collect();
    for weights in [GapWeights::Gapped, GapWeights::Estimated, GapWeights::Truncated] {
        let kernel = GappedKmer::over(4, 2, Alphabet::Dna, true).unwrap().weighted(weights).unwrap();
        let flat = engine.gram(&kernel, &both).unwrap();
        let centred = engine.gram(&kernel.clone().centred(2.0, 20).unwrap(), &both).unwrap();
        // The second string is the reverse complement of the first.
        for gram in [&flat, &centred] {
            assert_eq!((gram.at(0, 0), gram.at(0, 2)), (gram.at(1, 1), gram.at(1, 2)));
            assert!(crate::gram::Certificate::of(gram).unwrap().is_psd());
        }
        // With a peak of 1 all weights are 1, and a half-life of 0 removes them.
        let one = engine.gram(&kernel.clone().centred(2.0, 1).unwrap(), &both).unwrap();
        let none = kernel.clone().centred(2.0, 20).unwrap().centred(0.0, 20).unwrap();
        assert_eq!(one.values(), flat.values());
        assert_eq!(engine.gram(&none, &both).unwrap().values(), flat.values());
    }
}
