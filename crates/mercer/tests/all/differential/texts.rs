//! Texts as counts of terms, and as statistics.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use frostem::{Algorithm, Stemmer};
use mercer::data::{Column, Dataset, Dense, Sparse, Values};
use mercer::expression::Call;

use super::vectors::Point;
use super::{Pairs, View, brute as any_brute, number, whole, word};

pub(super) const KERNELS: &[&str] = &["terms", "content"];

/// The words of the generated texts that are on the English list.
const STOP: [&str; 6] = ["the", "a", "at", "is", "and", "don't"];

/// The words of a generated text: separated by white space, without surrounding punctuation.
fn words(text: &str) -> Vec<String> {
    let bare = |w: &str| w.trim_matches([',', '.', '!', '-']).to_lowercase();
    text.split_whitespace().map(bare).filter(|w| !w.is_empty()).collect()
}

/// The texts of an object, one for each column.
fn parts(columns: &[&Column], i: usize) -> Vec<String> {
    let one = |c: &&Column| match &c.values {
        Values::Text(all) | Values::Strings(all) => all[i].clone().unwrap(),
        other => panic!("{} are not texts", other.kind()),
    };
    columns.iter().map(one).collect()
}

/// Texts as word counts, with one index per word.
pub(super) fn word_counts(columns: &[&Column], n: usize) -> Vec<Point> {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut count = |i: usize| {
        let mut point = Point::new();
        for w in parts(columns, i).iter().flat_map(|t| words(t)) {
            let next = numbers.len();
            *point.entry(*numbers.entry(w).or_insert(next)).or_default() += 1.0;
        }
        point
    };
    (0..n).map(&mut count).collect()
}

/// The terms of an object: n-grams of stemmed words without stop words, within a text.
fn terms(texts: &[String], ngrams: usize, stem: &str, stop: &str) -> Vec<String> {
    let stemmer = Algorithm::from_name(stem).ok().map(Stemmer::new);
    let mut out = Vec::new();
    for text in texts {
        let kept = words(text).into_iter().filter(|w| stop == "none" || !STOP.contains(&w.as_str()));
        let stems: Vec<String> = match &stemmer {
            Some(stemmer) => kept.map(|w| stemmer.stem(&w).into_owned()).filter(|w| !w.is_empty()).collect(),
            None => kept.collect(),
        };
        for length in 1..=ngrams {
            out.extend(stems.windows(length).map(|run| run.join(" ")));
        }
    }
    out
}

pub(super) fn brute(call: &Call, view: View<'_>) -> Pairs {
    let columns = view.columns(call);
    let columns = if call.entry.facts.name == "terms" {
        vec![Column::new("terms", Values::Sparse(weighted(call, view, &columns)))]
    } else {
        content(call, view, &columns)
    };
    let made = Dataset::new(columns).unwrap();
    any_brute(&call.inner[0], View { data: &made, train: view.train, named: None })
}

fn weighted(call: &Call, view: View<'_>, columns: &[&Column]) -> Sparse {
    let (ngrams, stem, stop) = (whole(call, "ngrams"), word(call, "stem"), word(call, "stop"));
    let all: Vec<Vec<String>> =
        (0..view.len()).map(|i| terms(&parts(columns, i), ngrams, stem, stop)).collect();
    let training = &all[..view.train];
    // The count of each term, and the number of training texts that contain it.
    let mut known: BTreeMap<&String, (usize, usize)> = BTreeMap::new();
    for text in training {
        text.iter().for_each(|t| known.entry(t).or_default().0 += 1);
        text.iter().collect::<BTreeSet<_>>().iter().for_each(|t| known.entry(t).or_default().1 += 1);
    }
    let mut order: Vec<(&String, (usize, usize))> =
        known.into_iter().filter(|(_, (_, h))| *h >= whole(call, "min-documents")).collect();
    // The map is in alphabetical order, which the stable sort keeps among ties.
    order.sort_by_key(|(_, (f, _))| std::cmp::Reverse(*f));
    let top = whole(call, "top");
    order.truncate(if top == 0 { usize::MAX } else { top });
    let texts = view.train as f64;
    let mean = training.iter().map(Vec::len).sum::<usize>() as f64 / texts;
    let (k, b) = (number(call, "k"), number(call, "b"));
    let row = |text: &Vec<String>| {
        let length = text.len() as f64;
        let weigh = |(at, (term, (_, h))): (usize, &(&String, (usize, usize)))| {
            let f = text.iter().filter(|t| t == term).count() as f64;
            let idf = ((texts - *h as f64 + 0.5) / (*h as f64 + 0.5)).ln();
            let value = match word(call, "weight") {
                _ if f == 0.0 => 0.0,
                "count" => f,
                "binary" => 1.0,
                "tf" => f / length,
                "tfidf" => f * idf,
                _ => idf * f * (k + 1.0) / (f + k * (1.0 - b + b * length / mean)),
            };
            (at as u32, value)
        };
        order.iter().enumerate().map(weigh).filter(|(_, v)| *v != 0.0).collect::<Vec<(u32, f64)>>()
    };
    Sparse::from_rows(order.len(), &all.iter().map(row).collect::<Vec<_>>()).unwrap()
}

fn content(call: &Call, view: View<'_>, columns: &[&Column]) -> Vec<Column> {
    let stop = word(call, "stop");
    let of = |i: usize| terms(&[parts(columns, i).join("\n")], 1, "none", stop);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for i in 0..view.train {
        of(i).into_iter().for_each(|w| *counts.entry(w).or_default() += 1);
    }
    let mut order: Vec<(String, usize)> = counts.into_iter().collect();
    order.sort_by_key(|(_, f)| std::cmp::Reverse(*f));
    let popular: BTreeSet<String> = order.into_iter().take(whole(call, "top")).map(|(w, _)| w).collect();
    let measures = |i: usize| -> [f64; 7] {
        let own = of(i);
        let text = parts(columns, i).join("\n");
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text.as_bytes()).unwrap();
        let packed = encoder.finish().unwrap().len() as f64;
        let compression = if text.is_empty() { 0.0 } else { packed / text.len() as f64 };
        if own.is_empty() {
            return [0.0, 0.0, 0.0, compression, 0.0, 0.0, 0.0];
        }
        let total = own.len() as f64;
        let distinct: BTreeSet<&String> = own.iter().collect();
        let characters: usize = own.iter().map(|w| w.chars().count()).sum();
        let share = |w: &&String| own.iter().filter(|o| o == w).count() as f64 / total;
        [
            total,
            distinct.len() as f64,
            characters as f64 / total,
            compression,
            -distinct.iter().map(|w| share(w) * share(w).ln()).sum::<f64>(),
            own.iter().filter(|w| popular.contains(*w)).count() as f64 / total,
            distinct.iter().filter(|w| popular.contains(**w)).count() as f64 / popular.len().max(1) as f64,
        ]
    };
    let rows: Vec<[f64; 7]> = (0..view.len()).map(measures).collect();
    let column = |at: usize| {
        let values = rows.iter().map(|r| r[at]).collect();
        Column::new(format!("m{at}"), Values::Numbers(Dense::new(rows.len(), 1, values).unwrap()))
    };
    (0..7).map(column).collect()
}
