//! Texts as weighted counts of terms, or as a few statistics, before a kernel.

use std::borrow::Cow;
use std::fmt;

use super::columns::{Scope, inner_of};
use super::content::{MEASURES, measures};
use super::features::FeatureTable;
use super::step::Step;
use super::tree::Call;
use super::value::Columns;
use crate::data::{Column, Dataset, Dense, Kind, Values};
use crate::error::{Error, Result, Warning};
use crate::kernel::{Boxed, Definiteness, Domain, Facts, Kernel, Parameter, Part};
use crate::text::{Analysis, LANGUAGES, STOP_LISTS, Vocabulary, WEIGHTS, Weight};

/// The name of the column of terms.
const TERMS_COLUMN: &str = "terms";

const TEXTS: &[Kind] = &[Kind::Text, Kind::Strings];

/// Facts about terms.
pub(super) const TERMS: Facts = Facts {
    name: "terms",
    summary: "Texts as weighted counts of the terms of the training texts, before a kernel or distance.",
    formula: "tf: f/l, the share of the text and not the count; tfidf: f·ln((H-h+½)/(h+½)); bm25: ln((H-h+½)/(h+½))·f(k+1)/(f+k(1-b+b·l/l̄)); f a term's count, l \
              the text's length, h of H training texts have the term; ln is below 0 where more than half have it",
    takes: "a kernel on numbers; fitted to the training texts",
    kinds: TEXTS,
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[
        Parameter {
            name: "weight",
            default: "tfidf",
            domain: Domain::Word(WEIGHTS),
            doc: "the weight of a term in a text, from its count, the length of the text and the document frequency",
            alias: None,
        },
        whole(
            "top",
            "0",
            0,
            10_000_000,
            "maximum number of terms, the most frequent ones of the training texts; 0 for all",
        ),
        whole("ngrams", "1", 1, 5, "maximum number of words of a term"),
        Parameter {
            name: "stem",
            default: "none",
            domain: Domain::Word(LANGUAGES),
            doc: "the language whose words are reduced to their stems (Snowball)",
            alias: None,
        },
        Parameter {
            name: "stop",
            default: "none",
            domain: Domain::Word(STOP_LISTS),
            doc: "the language whose most common words are left out",
            alias: None,
        },
        whole(
            "min-documents",
            "1",
            1,
            1_000_000_000,
            "keep terms that occur in at least this many training texts",
        ),
        Parameter {
            name: "k",
            default: "1.2",
            domain: Domain::NonNegative,
            doc: "term frequency saturation k in bm25",
            alias: None,
        },
        Parameter {
            name: "b",
            default: "0.75",
            domain: Domain::NonNegative,
            doc: "length normalisation b in bm25, from 0 to 1",
            alias: None,
        },
    ],
    cost: "that of the kernel; the length of the texts before",
    reference: "Robertson & Zaragoza 2009, The probabilistic relevance framework: BM25 and beyond",
    example: "terms(cosine, weight=bm25, stem=english)",
};

/// Facts about content.
pub(super) const CONTENT: Facts = Facts {
    name: "content",
    summary: "Texts as a few statistics each, before a kernel: columns words, distinct-words, mean-word-length, \
              compression, entropy, corpus-precision and corpus-recall.",
    formula: "compression: bytes after deflate over bytes before, 0 for an empty text; entropy: -Σ p ln p over words; precision: \
              the share of words among the top of the training texts; recall: the share of the top in the text; without words \
              all are 0 but compression",
    takes: "a kernel on numbers; fitted to the training texts",
    kinds: TEXTS,
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[
        whole(
            "top",
            "100",
            1,
            10_000_000,
            "the number of most frequent words of the training texts used as the corpus",
        ),
        Parameter {
            name: "stop",
            default: "english",
            domain: Domain::Word(STOP_LISTS),
            doc: "the language whose most common words are left out",
            alias: None,
        },
    ],
    cost: "that of the kernel; the length of the texts before",
    reference: "Castillo, Donato, Gionis, Murdock & Silvestri 2007, Know your neighbors; Ntoulas, Najork, Manasse & Fetterly 2006",
    example: "content(standardize(rbf(gamma=0.1)))",
};

const fn whole(
    name: &'static str,
    default: &'static str,
    low: u64,
    high: u64,
    doc: &'static str,
) -> Parameter {
    Parameter { name, default, domain: Domain::Whole(low, high), doc, alias: None }
}

/// Makes the kernel of `terms`.
pub(super) fn terms(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let fitted = fitted(call, scope)?;
    let training = fitted.apply(input_of(call, scope)?.as_ref())?;
    let inner = scope.fit.kernel(inner_of(call)?, &Scope { data: &training, columns: None, ..*scope })?;
    Ok(Boxed::new(OnText { fitted, shown: scope.columns.map(<[String]>::to_vec), inner }))
}

/// The features of the kernel inside, named by terms.
pub(super) fn table(call: &Call, scope: &Scope<'_>) -> Result<FeatureTable> {
    let fitted = fitted(call, scope)?;
    let counts = fitted.apply(scope.data)?;
    let mut all = inner_of(call)?.table(&Scope { data: &counts, columns: None, ..*scope })?;
    all.names = fitted.rename(all.names);
    Ok(all)
}

/// The terms of the training texts, or the stored ones.
fn fitted(call: &Call, scope: &Scope<'_>) -> Result<Terms> {
    let columns = scope.suitable(call)?;
    let b = call.number("b")?;
    if b > 1.0 {
        return Err(Error::param("b", b, "from 0 to 1"));
    }
    let weight = match call.word("weight")? {
        "count" => Weight::Count,
        "binary" => Weight::Binary,
        "tf" => Weight::Tf,
        "tfidf" => Weight::TfIdf,
        _ => Weight::Bm25 { k: call.number("k")?, b },
    };
    let analysis = Analysis::new(call.get("ngrams")?, call.word("stem")?, call.word("stop")?);
    let (least, top) = (call.get("min-documents")?, call.get("top")?);
    let vocabulary = match scope.fit.stored()? {
        None => {
            let vocabulary = Vocabulary::fit(&analysis, &texts(scope.data, &columns)?, least, top)?;
            if vocabulary.terms().is_empty() {
                let message = format!("no term in column {}: all vectors are zero", columns.join(", "));
                scope.fit.warn(Warning::new("W_NO_TERMS", message));
            }
            vocabulary
        }
        Some(Step::Terms(vocabulary)) => vocabulary,
        Some(other) => return Err(other.misplaced(TERMS.name)),
    };
    scope.fit.record(Step::Terms(vocabulary.clone()));
    let settings = format!(
        "weight={}, top={top}, {analysis}, min-documents={least}, k={}, b={b}",
        call.word("weight")?,
        call.number("k")?
    );
    Ok(Terms { columns, analysis, weight, vocabulary, settings })
}

/// Makes the kernel of `content`.
pub(super) fn content(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let columns = scope.suitable(call)?;
    let (top, stop) = (call.get("top")?, call.word("stop")?);
    let analysis = Analysis::new(1, "none", stop);
    let popular = match scope.fit.stored()? {
        None => Vocabulary::fit(&analysis, &texts(scope.data, &columns)?, 1, top)?,
        Some(Step::Terms(popular)) => popular,
        Some(other) => return Err(other.misplaced(CONTENT.name)),
    };
    scope.fit.record(Step::Terms(popular.clone()));
    let fitted = Content { columns, analysis, popular, settings: format!("top={top}, stop={stop}") };
    let training = fitted.apply(input_of(call, scope)?.as_ref())?;
    let inner = scope.fit.kernel(inner_of(call)?, &Scope { data: &training, columns: None, ..*scope })?;
    Ok(Boxed::new(OnText { fitted, shown: scope.columns.map(<[String]>::to_vec), inner }))
}

/// The training objects for the kernel inside: all of them if it is fitted, otherwise only their columns.
fn input_of<'s>(call: &Call, scope: &Scope<'s>) -> Result<Cow<'s, Dataset>> {
    let fitted = inner_of(call)?.is_fitted();
    Ok(if fitted { Cow::Borrowed(scope.data) } else { Cow::Owned(scope.data.select(&[])) })
}

/// The texts of columns; the texts of an object are parts of one document.
fn texts<'d>(data: &'d Dataset, columns: &[String]) -> Result<Vec<Vec<&'d str>>> {
    let mut out = vec![Vec::with_capacity(columns.len()); data.len()];
    for name in columns {
        let values = match &data.column(name)?.values {
            Values::Text(values) | Values::Strings(values) => values,
            other => {
                let reason = format!("holds {}, not text", other.kind());
                return Err(Error::Column { name: name.clone(), reason, hint: None });
            }
        };
        for (index, (parts, value)) in out.iter_mut().zip(values).enumerate() {
            parts.push(value.as_deref().ok_or_else(|| Error::Missing { index, column: name.clone() })?);
        }
    }
    Ok(out)
}

/// Computes weighted counts of terms of texts.
pub(super) struct Terms {
    columns: Vec<String>,
    analysis: Analysis,
    weight: Weight,
    vocabulary: Vocabulary,
    settings: String,
}

impl Terms {
    /// The data with one column: the counts.
    pub(super) fn apply(&self, data: &Dataset) -> Result<Dataset> {
        let counts = self.vocabulary.apply(&self.analysis, &texts(data, &self.columns)?, self.weight)?;
        data.with_columns(vec![Column::new(TERMS_COLUMN, Values::Sparse(counts))])
    }

    /// The feature names of a kernel on the counts, with terms in place of their indices.
    pub(super) fn rename(&self, names: Vec<String>) -> Vec<String> {
        let prefix = format!("{TERMS_COLUMN}[");
        let term = |name: &str| {
            let number = name.strip_prefix(&prefix)?.strip_suffix(']')?.parse::<usize>().ok()?;
            self.vocabulary.terms().get(number.checked_sub(1)?).cloned()
        };
        let single = self.vocabulary.terms().first().filter(|_| self.vocabulary.terms().len() == 1);
        names
            .into_iter()
            .map(|name| match single {
                Some(only) if name == TERMS_COLUMN => only.clone(),
                _ => term(&name).unwrap_or(name),
            })
            .collect()
    }
}

/// Computes a few statistics of each text.
struct Content {
    columns: Vec<String>,
    analysis: Analysis,
    popular: Vocabulary,
    settings: String,
}

/// A transformation of texts into other columns.
trait FromText: Send + Sync {
    const NAME: &'static str;

    fn settings(&self) -> &str;

    /// The data with only those columns.
    fn apply(&self, data: &Dataset) -> Result<Dataset>;
}

impl FromText for Content {
    const NAME: &'static str = CONTENT.name;

    fn settings(&self) -> &str {
        &self.settings
    }

    fn apply(&self, data: &Dataset) -> Result<Dataset> {
        let all = measures(&self.analysis, &self.popular, &texts(data, &self.columns)?)?;
        let column = |(j, name): (usize, &&str)| {
            let values = (0..all.rows()).map(|i| all.at(i, j)).collect();
            Ok(Column::new(*name, Values::Numbers(Dense::new(all.rows(), 1, values)?)))
        };
        data.with_columns(MEASURES.iter().enumerate().map(column).collect::<Result<_>>()?)
    }
}

impl FromText for Terms {
    const NAME: &'static str = TERMS.name;

    fn settings(&self) -> &str {
        &self.settings
    }

    fn apply(&self, data: &Dataset) -> Result<Dataset> {
        Terms::apply(self, data)
    }
}

/// A kernel on transformed texts.
struct OnText<F, K> {
    fitted: F,
    shown: Option<Vec<String>>,
    inner: K,
}

impl<F: FromText, K: fmt::Display> fmt::Display for OnText<F, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({}, {})", F::NAME, self.inner, self.fitted.settings())?;
        self.shown.as_deref().map_or(Ok(()), |columns| Columns(columns).fmt(f))
    }
}

impl<F: FromText, K: Kernel<Dataset>> Kernel<Dataset> for OnText<F, K> {
    type Prepared = K::Prepared;

    fn prepare(&self, objects: &Dataset) -> Result<Self::Prepared> {
        self.inner.prepare(&self.fitted.apply(objects)?)
    }

    passes_on!(inner);
}
