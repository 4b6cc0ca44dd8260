//! The terms of training texts, and texts as weighted counts of them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use rayon::prelude::*;

use super::Analysis;
use crate::budget;
use crate::data::Sparse;
use crate::error::{Error, Result};

/// Terms are looked up for every word of every text, by a hash that is made for that.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Quick(u64);

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = xxhash_rust::xxh3::xxh3_64_with_seed(bytes, self.0);
    }

    // Behind every text stands a byte that ends it; one text alone needs none.
    fn write_u8(&mut self, _end: u8) {}
}

/// A table by term.
type ByTerm<T> = HashMap<String, T, BuildHasherDefault<Quick>>;

/// What a term weighs in a text.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(hidden)]
pub enum Weight {
    /// How often it is there, f.
    Count,
    /// Whether it is there.
    Binary,
    /// f over the number of terms of the text, l.
    Tf,
    /// f·ln((H - h + ½)/(h + ½)), for H training texts of which h have the term.
    TfIdf,
    /// ln((H - h + ½)/(h + ½))·f(k + 1)/(f + k(1 - b + b·l/l̄)), l̄ the mean of l over training texts.
    Bm25 {
        /// How soon more of the same term stops to matter.
        k: f64,
        /// How far long texts are held to be merely longer.
        b: f64,
    },
}

/// The words for weights in expressions.
#[doc(hidden)]
pub const WEIGHTS: &[&str] = &["tfidf", "bm25", "tf", "count", "binary"];

/// What was learned from training texts: their terms, and what weights are made of.
///
/// A term that no training text has is dropped from new texts, but counts in their length.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    /// The terms, the most frequent first, equally frequent ones in alphabetical order.
    terms: Vec<String>,
    /// How many training texts have each.
    documents: Vec<u64>,
    /// How many training texts there were.
    texts: u64,
    /// How many terms a training text had on average.
    mean_length: f64,
    numbers: ByTerm<u32>,
}

impl PartialEq for Vocabulary {
    fn eq(&self, other: &Self) -> bool {
        (&self.terms, &self.documents, self.texts, self.mean_length)
            == (&other.terms, &other.documents, other.texts, other.mean_length)
    }
}

/// Texts that one thread takes apart at a time; the cut has no part in the result.
const CHUNK: usize = 512;

/// How often terms are in some texts, and in how many of them.
#[derive(Default)]
struct Tally {
    /// How often each term was found, in how many texts, and in which last.
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
    /// The terms of texts, each of which may come in several parts: those of at least so many texts, and of these the most
    /// frequent; 0 for all.
    #[doc(hidden)]
    pub fn fit(analysis: &Analysis, texts: &[Vec<&str>], least: u64, top: usize) -> Result<Self> {
        // Whole numbers add up the same in any order.
        let tally = texts
            .par_chunks(CHUNK)
            .map(budget::carried(|chunk| Tally::of(analysis, chunk)))
            .reduce(Tally::default, Tally::join);
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

    /// A vocabulary from what was kept of one: its terms, how many training texts have each, how many texts there were, and how
    /// many terms these had on average.
    #[doc(hidden)]
    pub fn new(terms: Vec<String>, documents: Vec<u64>, texts: u64, mean_length: f64) -> Result<Self> {
        if terms.len() >= u32::MAX as usize {
            return Err(Error::usage("more than 2^32 different terms"));
        }
        let numbers: ByTerm<u32> = terms.iter().cloned().zip(0..).collect();
        if numbers.len() != terms.len() {
            return Err(Error::usage("a vocabulary with a term twice"));
        }
        Ok(Vocabulary { terms, documents, texts, mean_length, numbers })
    }

    /// The terms, the most frequent first.
    pub fn terms(&self) -> &[String] {
        &self.terms
    }

    /// How many training texts have each term.
    pub fn documents(&self) -> &[u64] {
        &self.documents
    }

    /// How many training texts there were.
    pub fn texts(&self) -> u64 {
        self.texts
    }

    /// How many terms a training text had on average.
    pub fn mean_length(&self) -> f64 {
        self.mean_length
    }

    /// Whether a term is among them.
    #[doc(hidden)]
    pub fn has(&self, term: &str) -> bool {
        self.numbers.contains_key(term)
    }

    /// ln((H - h + ½)/(h + ½)) of a term: below 0 for one that more than half of the texts have.
    fn idf(&self, term: u32) -> f64 {
        let (all, own) = (self.texts as f64, self.documents[term as usize] as f64);
        ((all - own + 0.5) / (own + 0.5)).ln()
    }

    /// Texts as weighted counts of the terms.
    #[doc(hidden)]
    pub fn apply(&self, analysis: &Analysis, texts: &[Vec<&str>], weight: Weight) -> Result<Sparse> {
        let idf: Vec<f64> = match weight {
            Weight::TfIdf | Weight::Bm25 { .. } => {
                (0..self.terms.len() as u32).map(|t| self.idf(t)).collect()
            }
            _ => Vec::new(),
        };
        let rows: Vec<Vec<(u32, f64)>> = texts
            .par_chunks(CHUNK)
            .flat_map_iter(budget::carried(|chunk: &[Vec<&str>]| {
                let (mut words, mut found) = (Vec::new(), Vec::new());
                let idf = &idf;
                chunk
                    .iter()
                    .map(move |parts| {
                        found.clear();
                        let mut length = 0;
                        for text in parts {
                            length += analysis
                                .each_term(text, &mut words, |term| found.extend(self.numbers.get(term)));
                        }
                        found.sort_unstable();
                        let weighed =
                            |run: &[u32]| (run[0], self.weigh(weight, run[0], run.len(), length, idf));
                        found.chunk_by(|a, b| a == b).map(weighed).filter(|(_, v)| *v != 0.0).collect()
                    })
                    .collect::<Vec<_>>()
            }))
            .collect();
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
                // Training texts without terms have no mean length, and no terms either.
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
    fn weights_follow_their_definitions() {
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
        // Three of five texts have an a: its idf is below 0.
        assert!(vocabulary.idf(0) < 0.0);
    }

    #[test]
    fn the_most_frequent_terms_and_those_of_enough_texts() {
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
