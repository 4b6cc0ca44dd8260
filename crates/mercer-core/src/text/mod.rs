//! From text to terms: Unicode words, without stop words, stemmed, as single words or n-grams.

mod stop;
mod vocabulary;
mod words;

use std::borrow::Cow;
use std::fmt;

use frostem::{Algorithm, Stemmer};

use crate::budget;

pub use vocabulary::Vocabulary;
#[doc(hidden)]
pub use vocabulary::{WEIGHTS, Weight};
pub(crate) use words::each_word;

/// The languages with a stemmer, as named in expressions; the first is none.
#[doc(hidden)]
pub const LANGUAGES: &[&str] = &[
    "none",
    "english",
    "danish",
    "dutch",
    "finnish",
    "french",
    "german",
    "italian",
    "norwegian",
    "portuguese",
    "russian",
    "spanish",
    "swedish",
];

/// The stop-word lists, as named in expressions.
#[doc(hidden)]
pub const STOP_LISTS: &[&str] = &["none", "english"];

/// How a text is split into terms.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub struct Analysis {
    language: &'static str,
    stemmer: Option<Stemmer>,
    stop: bool,
    ngrams: usize,
}

impl fmt::Debug for Analysis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Analysis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stop = if self.stop { "english" } else { "none" };
        write!(f, "ngrams={}, stem={}, stop={stop}", self.ngrams, self.language)
    }
}

impl Analysis {
    /// N-grams of 1 to `ngrams` words, stemmed in one of [`LANGUAGES`], without the stop words of one of
    /// [`STOP_LISTS`].
    #[doc(hidden)]
    pub fn new(ngrams: usize, language: &str, stop: &str) -> Self {
        let language = LANGUAGES.iter().find(|l| **l == language).copied().unwrap_or("none");
        // Every language of the list is compiled in.
        let stemmer = Algorithm::from_name(language).ok().map(Stemmer::new);
        Analysis { language, stemmer, stop: stop == "english", ngrams: ngrams.max(1) }
    }

    /// Calls `visit` for every term of a text and returns their number. `words` is scratch memory.
    #[doc(hidden)]
    pub fn each_term(&self, text: &str, words: &mut Vec<String>, mut visit: impl FnMut(&str)) -> usize {
        let mut count = 0;
        words.clear();
        each_word(text, |word| {
            // The caller checks the budget.
            if budget::is_spent_after(32) {
                return;
            }
            if self.stop && stop::is_stop_word(word) {
                return;
            }
            let term = match &self.stemmer {
                Some(stemmer) => stemmer.stem(word),
                None => Cow::Borrowed(word),
            };
            if term.is_empty() {
                return;
            }
            visit(&term);
            count += 1;
            if self.ngrams > 1 {
                words.push(term.into_owned());
            }
        });
        for length in 2..=self.ngrams {
            for run in words.windows(length) {
                if budget::is_spent_after(32 * length) {
                    return count;
                }
                visit(&run.join(" "));
                count += 1;
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(analysis: Analysis, text: &str) -> Vec<String> {
        let mut out = Vec::new();
        let count = analysis.each_term(text, &mut Vec::new(), |t| out.push(t.to_owned()));
        assert_eq!(count, out.len());
        out
    }

    #[test]
    fn words_stems_and_ngrams() {
        let text = "The foxes weren't running over the Café.";
        let plain = ["the", "foxes", "weren't", "running", "over", "the", "café"];
        assert_eq!(terms(Analysis::new(1, "none", "none"), text), plain);
        assert_eq!(terms(Analysis::new(1, "english", "english"), text), ["fox", "run", "café"]);
        assert_eq!(
            terms(Analysis::new(2, "none", "english"), text),
            ["foxes", "running", "café", "foxes running", "running café"]
        );
        assert!(terms(Analysis::new(3, "german", "none"), " -- ").is_empty());
    }

    #[test]
    fn every_language_stems_anything() {
        for language in LANGUAGES {
            let analysis = Analysis::new(1, language, "none");
            assert_eq!(analysis.stemmer.is_some(), *language != "none", "{language}");
            for text in [
                "",
                "a",
                "ß",
                "ἀλφάβητον τις",
                "İstanbul ıspanak",
                "日本語 テキスト",
                "\u{301}\u{301} ﬁne",
                "йогурт",
            ] {
                terms(analysis, text);
                terms(analysis, &text.repeat(50));
            }
        }
    }
}
