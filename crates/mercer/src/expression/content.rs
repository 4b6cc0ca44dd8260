//! Statistics of a whole text.

use std::collections::HashMap;
use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;

use crate::budget;
use crate::data::Dense;
use crate::error::Result;
use crate::parallel;
use crate::text::{Analysis, Vocabulary};

/// The statistics of a text, in order.
///
/// | name | what it is |
/// |---|---|
/// | `words` | number of words |
/// | `distinct-words` | number of distinct words |
/// | `mean-word-length` | mean number of characters of a word |
/// | `compression` | bytes after compression (deflate) over bytes before; 0 for an empty text |
/// | `entropy` | -Σ p ln p of the distribution of its words |
/// | `corpus-precision` | the share of its words that are among the most frequent of the training texts |
/// | `corpus-recall` | the share of those frequent words that it contains |
///
/// A text without words has 0 for all word statistics; its compression is that of its other characters.
pub(super) const MEASURES: [&str; 7] = [
    "words",
    "distinct-words",
    "mean-word-length",
    "compression",
    "entropy",
    "corpus-precision",
    "corpus-recall",
];

/// The statistics of texts, one row each; `popular` are the most frequent words of the training texts.
pub(super) fn measures(analysis: &Analysis, popular: &Vocabulary, texts: &[Vec<&str>]) -> Result<Dense> {
    let rows: Vec<[f64; 7]> = parallel::map(texts.len(), |i| match budget::is_spent_after(1) {
        true => [0.0; 7],
        false => measure(analysis, popular, &texts[i].join("\n")),
    });
    budget::check()?;
    Dense::new(rows.len(), MEASURES.len(), rows.concat())
}

fn measure(analysis: &Analysis, popular: &Vocabulary, text: &str) -> [f64; 7] {
    let mut counts: HashMap<String, f64> = HashMap::new();
    let (mut characters, mut known) = (0usize, 0usize);
    let words = analysis.each_term(text, &mut Vec::new(), |word| {
        characters += word.chars().count();
        known += usize::from(popular.has(word));
        match counts.get_mut(word) {
            Some(count) => *count += 1.0,
            None => {
                counts.insert(word.to_owned(), 1.0);
            }
        }
    });
    if words == 0 {
        return [0.0, 0.0, 0.0, compression(text), 0.0, 0.0, 0.0];
    }
    let total = words as f64;
    let recalled = counts.keys().filter(|word| popular.has(word)).count();
    // Sort before summing: hash maps have no fixed order.
    let mut sorted: Vec<f64> = counts.into_values().collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let entropy = -sorted.iter().map(|c| c / total * (c / total).ln()).sum::<f64>();
    [
        total,
        sorted.len() as f64,
        characters as f64 / total,
        compression(text),
        entropy.max(0.0),
        known as f64 / total,
        recalled as f64 / popular.terms().len().max(1) as f64,
    ]
}

/// The size of a text after compression as a share of that before.
fn compression(text: &str) -> f64 {
    if text.is_empty() {
        return 0.0;
    }
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail.
    let packed = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish()).map_or(0, |p| p.len());
    packed as f64 / text.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_about_texts() {
        let analysis = Analysis::new(1, "none", "none");
        let training = vec![vec!["a a b c"], vec!["a b d"]];
        let popular = Vocabulary::fit(&analysis, &training, 1, 2).unwrap();
        assert_eq!(popular.terms(), ["a", "b"]);
        let repeated = "spam ".repeat(200);
        let texts = [vec!["a xyz a"], vec![repeated.as_str()], vec!["", " "], vec!["b", "a"]];
        let x = measures(&analysis, &popular, &texts).unwrap();
        let entropy = -(2.0 / 3.0 * f64::ln(2.0 / 3.0) + 1.0 / 3.0 * f64::ln(1.0 / 3.0));
        let row = x.row(0);
        assert_eq!((row[0], row[1], row[5], row[6]), (3.0, 2.0, 2.0 / 3.0, 0.5));
        assert!((row[2] - 5.0 / 3.0).abs() < 1e-15 && (row[4] - entropy).abs() < 1e-15);
        assert!(x.at(1, 3) < 0.05 && x.at(1, 3) > 0.0 && x.at(1, 4) == 0.0);
        // No words, only the characters between its parts.
        assert_eq!((&x.row(2)[..3], &x.row(2)[4..]), (&[0.0; 3][..], &[0.0; 3][..]));
        assert!(x.at(2, 3) > 0.0 && x.at(2, 3).is_finite());
        assert_eq!(measures(&analysis, &popular, &[vec![""], vec![]]).unwrap().values(), [0.0; 14]);
        let symbols = measures(&analysis, &popular, &[vec!["?! ".repeat(50).as_str()]]).unwrap();
        assert!(symbols.at(0, 3) > 0.0 && symbols.at(0, 3) < 0.2, "{}", symbols.at(0, 3));
        assert_eq!((x.at(3, 5), x.at(3, 6)), (1.0, 1.0));
    }
}
