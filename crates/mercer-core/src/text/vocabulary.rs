//! The vocabulary of training texts, and texts as weighted term counts.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::Analysis;
use crate::budget;
use crate::data::Sparse;
use crate::error::{Error, Result};
use crate::parallel;

/// A fast hash for looking up every word of every text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quick(u64);

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxhash_rust::xxh3::xxh3_64_with_seed(bytes, self.0);
    }

    // Strings are hashed with a terminating byte, which a single string does not need.
    fn write_u8(&mut self, _end: u8) {}
}

/// A hash map by term.
type ByTerm<T> = HashMap<String, T, BuildHasherDefault<Quick>>;

/// The weight of a term in a text.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(hidden)]
pub enum Weight {
    /// The number of occurrences, f.
    Count,
    /// 1 if it occurs.
    Binary,
    /// f divided by the number of terms of the text, l.
    Tf,
    /// f·ln((H - h + ½)/(h + ½)), for H training texts of which h contain the term.
    TfIdf,
    /// ln((H - h + ½)/(h + ½))·f(k + 1)/(f + k(1 - b + b·l/l̄)), l̄ the mean of l over training texts.
    Bm25 {
        /// Saturation of repeated terms.
        k: f64,
        /// Strength of the normalisation by text length.
        b: f64,
    },
}

/// The names of weights in expressions.
#[doc(hidden)]
pub const WEIGHTS: &[&str] = &["tfidf", "bm25", "tf", "count", "binary"];

/// The vocabulary learned from training texts: their terms and the statistics for weights.
///
/// A term that no training text contains is dropped from new texts, but counts in their length.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    /// The terms, the most frequent first, equally frequent ones in alphabetical order.
    terms: Vec<String>,
    /// The number of training texts that contain each term.
    documents: Vec<u64>,
    /// The number of training texts.
    texts: u64,
    /// The mean number of terms per training text.
    mean_length: f64,
    numbers: ByTerm<u32>,
}

impl PartialEq for Vocabulary {
    fn eq(&self, other: &Self) -> bool {
        (&self.terms, &self.documents, self.texts, self.mean_length)
            == (&other.terms, &other.documents, other.texts, other.mean_length)
    }
}

/// Number of texts that one thread processes at a time; it does not affect the result.
const CHUNK: usize = 512;

/// Term counts and document frequencies of some texts.
#[derive(Default)]
struct Tally {
    /// For each term its count, the number of texts, and the last text that contains it.
    terms: ByTerm<(u64, u64, usize)>,
    length: u64,
}

impl Tally {
    fn of(analysis: &Analysis, texts: &[Vec<&str>]) -> Self {
        let mut tally = Tally::default();
        let mut words = Vec::new();
        for (i, parts) in texts.iter().enumerate() {
            for text in parts {
                let count = analysis.each_term(text, &mut words, |term| match tally.terms.get_mut(term) {
                    Some((all, documents, last)) => {
                        *all += 1;
                        *documents += u64::from(*last != i);
                        *last = i;
                    }
                    None => {
                        tally.terms.insert(term.to_owned(), (1, 1, i));
                    }
                });
                tally.length += count as u64;
            }
        }
        tally
    }

    fn join(mut self, other: Tally) -> Self {
        if self.terms.len() < other.terms.len() {
            return other.join(self);
        }
        for (term, (all, documents, _)) in other.terms {
            let own = self.terms.entry(term).or_default();
            *own = (own.0 + all, own.1 + documents, 0);
        }
        self.length += other.length;
        self
    }
}

impl Vocabulary {
    /// The terms of texts, each of which may consist of several parts: terms of at least `least` texts, of these the
    /// `top` most frequent; 0 for all.
    #[doc(hidden)]
    pub fn fit(analysis: &Analysis, texts: &[Vec<&str>], least: u64, top: usize) -> Result<Self> {
        // Whole numbers give the same sum in any order.
        let chunks: Vec<&[Vec<&str>]> = texts.chunks(CHUNK).collect();
        let tallies = parallel::map(chunks.len(), |k| Tally::of(analysis, chunks[k]));
        let tally = tallies.into_iter().fold(Tally::default(), Tally::join);
        budget::check()?;
        let mut all: Vec<(String, (u64, u64, usize))> =
            tally.terms.into_iter().filter(|(_, (_, documents, _))| *documents >= least).collect();
        all.sort_unstable_by(|a, b| b.1.0.cmp(&a.1.0).then_with(|| a.0.cmp(&b.0)));
        if top > 0 {
            all.truncate(top);
        }
        let (terms, documents) = all.into_iter().map(|(term, (_, documents, _))| (term, documents)).unzip();
        let mean_length = tally.length as f64 / (texts.len() as f64).max(1.0);
        Vocabulary::new(terms, documents, texts.len() as u64, mean_length)
    }

    /// A vocabulary from stored values: its terms, the number of training texts that contain each, the number of texts,
    /// and the mean number of terms per text.
    #[doc(hidden)]
    pub fn new(terms: Vec<String>, documents: Vec<u64>, texts: u64, mean_length: f64) -> Result<Self> {
        if terms.len() >= u32::MAX as usize {
            return Err(Error::usage("more than 2^32 different terms"));
        }
        let numbers: ByTerm<u32> = terms.iter().cloned().zip(0..).collect();
        if numbers.len() != terms.len() {
            return Err(Error::usage("a vocabulary has the same term twice"));
        }
        Ok(Vocabulary { terms, documents, texts, mean_length, numbers })
    }

    /// The terms, the most frequent first.
    pub fn terms(&self) -> &[String] {
        &self.terms
    }

    /// The number of training texts that contain each term.
    pub fn documents(&self) -> &[u64] {
        &self.documents
    }

    /// The number of training texts.
    pub fn texts(&self) -> u64 {
        self.texts
    }

    /// The mean number of terms per training text.
    pub fn mean_length(&self) -> f64 {
        self.mean_length
    }

    /// Whether the vocabulary contains a term.
    #[doc(hidden)]
    pub fn has(&self, term: &str) -> bool {
        self.numbers.contains_key(term)
    }

    /// ln((H - h + ½)/(h + ½)) of a term: below 0 for a term in more than half of the texts.
    fn idf(&self, term: u32) -> f64 {
        let (all, own) = (self.texts as f64, self.documents[term as usize] as f64);
        ((all - own + 0.5) / (own + 0.5)).ln()
    }

    /// Texts as weighted term counts.
    #[doc(hidden)]
    pub fn apply(&self, analysis: &Analysis, texts: &[Vec<&str>], weight: Weight) -> Result<Sparse> {
        let idf: Vec<f64> = match weight {
            Weight::TfIdf | Weight::Bm25 { .. } => {
                (0..self.terms.len() as u32).map(|t| self.idf(t)).collect()
            }
            _ => Vec::new(),
        };
        let buffers = || (Vec::new(), Vec::new());
        let rows: Vec<Vec<(u32, f64)>> = parallel::map_with(texts.len(), 64, buffers, |(words, found), i| {
            found.clear();
            let mut length = 0;
            for text in &texts[i] {
                length += analysis.each_term(text, words, |term| found.extend(self.numbers.get(term)));
            }
            found.sort_unstable();
            let weighed = |run: &[u32]| (run[0], self.weigh(weight, run[0], run.len(), length, &idf));
            found.chunk_by(|a, b| a == b).map(weighed).filter(|(_, v)| *v != 0.0).collect()
        });
        budget::check()?;
        Sparse::from_rows(self.terms.len(), &rows)
    }

    fn weigh(&self, weight: Weight, term: u32, count: usize, length: usize, idf: &[f64]) -> f64 {
        let f = count as f64;
        match weight {
            Weight::Count => f,
            Weight::Binary => 1.0,
            Weight::Tf => f / length as f64,
            Weight::TfIdf => f * idf[term as usize],
            Weight::Bm25 { k, b } => {
                // If the training texts have no terms, their mean length is 0 and no term has a weight.
                let relative = length as f64 / self.mean_length.max(f64::MIN_POSITIVE);
                idf[term as usize] * f * (k + 1.0) / (f + k * (1.0 - b + b * relative))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn analysis() -> Analysis {
        Analysis::new(1, "none", "none")
    }

    fn fit(texts: &[&str]) -> (Vocabulary, Vec<Vec<String>>) {
        let parts: Vec<Vec<&str>> = texts.iter().map(|t| vec![*t]).collect();
        let vocabulary = Vocabulary::fit(&analysis(), &parts, 1, 0).unwrap();
        let words = texts.iter().map(|t| t.split(' ').map(str::to_owned).collect()).collect();
        (vocabulary, words)
    }

    #[test]
    fn weights_agree_with_their_definitions() {
        let texts = ["a b a c", "a a a", "d b", "c c d e f g h", "a"];
        let (vocabulary, words) = fit(&texts);
        assert_eq!(vocabulary.terms()[..2], ["a", "c"]);
        let parts: Vec<Vec<&str>> = texts.iter().map(|t| vec![*t]).collect();
        let mean = words.iter().map(Vec::len).sum::<usize>() as f64 / 5.0;
        let (k, b) = (1.2, 0.75);
        for weight in [Weight::Count, Weight::Binary, Weight::Tf, Weight::TfIdf, Weight::Bm25 { k, b }] {
            let x = vocabulary.apply(&analysis(), &parts, weight).unwrap();
            for (i, own) in words.iter().enumerate() {
                let mut row = vec![0.0; vocabulary.terms().len()];
                x.scatter_row(i, &mut row);
                for (term, v) in vocabulary.terms().iter().zip(row) {
                    let f = own.iter().filter(|w| *w == term).count() as f64;
                    let h = words.iter().filter(|t| t.contains(term)).count() as f64;
                    let idf = ((5.0 - h + 0.5) / (h + 0.5)).ln();
                    let l = own.len() as f64;
                    let expected = match weight {
                        Weight::Count => f,
                        Weight::Binary => f.min(1.0),
                        Weight::Tf => f / l,
                        Weight::TfIdf => f * idf,
                        Weight::Bm25 { .. } => idf * f * (k + 1.0) / (f + k * (1.0 - b + b * l / mean)),
                    };
                    assert!((v - expected).abs() < 1e-12, "{weight:?} {term} {i}: {v} {expected}");
                }
            }
        }
        // Three of five texts contain an a: its idf is below 0.
        assert!(vocabulary.idf(0) < 0.0);
    }

    #[test]
    fn terms_are_limited_by_frequency_and_number_of_texts() {
        let parts = vec![vec!["b b b a"], vec!["a c"], vec!["c", "d"]];
        let terms = |least, top| Vocabulary::fit(&analysis(), &parts, least, top).unwrap().terms;
        assert_eq!(terms(1, 0), ["b", "a", "c", "d"]);
        assert_eq!(terms(1, 2), ["b", "a"]);
        assert_eq!(terms(2, 0), ["a", "c"]);
        assert!(terms(9, 0).is_empty());
    }

    #[test]
    fn new_terms_are_dropped_and_count_in_the_length() {
        let (vocabulary, _) = fit(&["a b"]);
        let x = vocabulary.apply(&analysis(), &[vec!["a x y z"], vec![""]], Weight::Tf).unwrap();
        assert_eq!(x.row(0).1, [0.25]);
        assert_eq!(x.row(1).1, [] as [f64; 0]);
    }
}
