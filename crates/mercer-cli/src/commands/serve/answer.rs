//! Predictions: from the body of a request to the JSON of the answer.

use std::io::{self, Write};
use std::path::Path;

use bytes::Bytes;
use mercer::budget;
use mercer::data::{Column, Dataset, Dense, Precomputed, Values};
use mercer::gram::Engine;
use mercer::model::{Contribution, ExplainBy, Explanation, Model, NearMolecule, ObjectEvidence};
use mercer::read::{self, Options};
use mercer::{Error, Result};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::objects;
use crate::commands::sure::Sure;
use crate::commands::{in_file, model as models, reasons};

/// Features of an explanation at most.
const MOST_PARTS: usize = 100;

/// The query of a prediction request.
pub(super) struct PredictQuery {
    /// The name of the data as a file, which helps to detect its format.
    name: String,
    json: bool,
    explain: Option<usize>,
    by: ExplainBy,
    nearest: Option<usize>,
    confidence: Option<f64>,
    typicality: bool,
}

impl PredictQuery {
    /// Parses the query string and the content type.
    pub(super) fn new(query: &str, kind: &[u8]) -> std::result::Result<Self, String> {
        let (mut name, mut explain, mut by, mut nearest) = (None, None, None, None);
        let (mut confidence, mut typicality) = (None, None);
        for pair in query.split('&').filter(|p| !p.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let slot = match decoded(key)?.as_str() {
                "name" => &mut name,
                "explain" => &mut explain,
                "by" => &mut by,
                "nearest" => &mut nearest,
                "confidence" => &mut confidence,
                "typicality" => &mut typicality,
                other => {
                    return Err(format!(
                        "unknown parameter '{other}': name, explain, by, nearest, confidence and typicality are known"
                    ));
                }
            };
            if slot.replace(decoded(value)?).is_some() {
                return Err(format!("the parameter '{key}' is given twice"));
            }
        }
        let number = |name: &str, given: Option<String>| match given.map(|text| text.parse::<usize>()) {
            None => Ok(None),
            Some(Ok(most)) if most <= MOST_PARTS => Ok(Some(most).filter(|m| *m > 0)),
            Some(_) => Err(format!("{name} takes a number from 0 to {MOST_PARTS}")),
        };
        let (explain, nearest) = (number("explain", explain)?, number("nearest", nearest)?);
        let between = |c: &f64| *c > 0.0 && *c < 1.0;
        let confidence = match confidence.map(|text| text.parse::<f64>()) {
            None => None,
            Some(Ok(c)) if between(&c) => Some(c),
            Some(_) => return Err("confidence takes a number between 0 and 1, such as 0.9".into()),
        };
        let typicality = match typicality.as_deref() {
            None | Some("no") => false,
            Some("" | "yes") => true,
            Some(_) => return Err("typicality takes yes or no".into()),
        };
        let by = by.as_deref().map_or(Ok(ExplainBy::Any), ExplainBy::of_word);
        let by = by.map_err(|_| format!("by takes {}", ExplainBy::WORDS.join(", ")))?;
        let kind = kind.split(|b| *b == b';').next().unwrap_or_default();
        let json = kind.trim_ascii().eq_ignore_ascii_case(b"application/json");
        let name = name.unwrap_or_else(|| "objects".into());
        Ok(PredictQuery { name, json, explain, by, nearest, confidence, typicality })
    }
}

/// Decodes a part of a query string.
fn decoded(text: &str) -> std::result::Result<String, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || bytes.next().and_then(|b| char::from(b).to_digit(16));
                let (Some(high), Some(low)) = (digit(), digit()) else {
                    return Err("a % in the query without two hexadecimal digits".into());
                };
                (high * 16 + low) as u8
            }
            other => other,
        });
    }
    String::from_utf8(out).map_err(|_| "the query is not UTF-8".into())
}

/// The description of the model by `mercer inspect`, with a summary for the page.
pub(super) fn about(model: &Model) -> Value {
    let mut document = models::describe(model);
    document["summary"] = models::summary(model).into();
    document["training_molecules"] = model.has_training_molecules().into();
    document
}

/// The document for the client.
pub(super) struct Answered {
    pub(super) document: Bytes,
    pub(super) objects: usize,
}

/// Reads the objects, predicts them, and explains them if requested; the document has at most `most` bytes.
pub(super) fn answer(
    model: &Model,
    query: &PredictQuery,
    body: &[u8],
    engine: &Engine,
    most: u64,
) -> Result<Answered> {
    let name = Path::new(&query.name);
    let (data, left_out) = match query.json {
        true => objects::read(model, body)?,
        false => (from_file(model, name, body)?, None),
    };
    budget::check()?;
    let prediction = model.predict(&data, engine).map_err(|e| in_file(name, e))?;
    budget::check()?;
    if model.conformal().is_none() && (query.confidence.is_some() || query.typicality) {
        return Err(Error::usage(
            "this model was fitted without a calibration: confidence and typicality need one fitted with --conformal",
        ));
    }
    let sure =
        Sure::of(model, &data, (query.confidence, query.typicality), engine).map_err(|e| in_file(name, e))?;
    budget::check()?;
    // Objects that cannot be explained are predicted all the same.
    let explained = query.explain.map(|most| model.explained(&data, most, query.by, None, engine));
    let (explanations, explained_by, not_explained) = match explained {
        None => (None, None, None),
        Some(Ok(why)) => (Some(why.all), Some((why.by.name(), why.note)), None),
        Some(Err(error)) if error.is_end_of_budget() => return Err(error),
        Some(Err(error)) => (None, None, Some(unexplained(&in_file(name, error)))),
    };
    let nearest = match query.nearest.filter(|_| model.has_training_molecules()) {
        Some(most) => Some(model.nearest_molecules(&data, most, engine).map_err(|e| in_file(name, e))?),
        None => None,
    };
    budget::check()?;
    let predictions: Vec<Value> = match prediction.numbers() {
        Some(numbers) => numbers.iter().map(|v| json!(v)).collect(),
        None => (0..data.len()).map(|i| json!(prediction.class(i))).collect(),
    };
    let classes = model.trained().classes();
    let document = Document {
        schema: crate::console::SCHEMA,
        objects: data.len(),
        target: model.target().map(|g| g.name.as_str()),
        ids: data.ids(),
        rows: data.rows().map(|rows| rows.iter().map(|row| row + 1).collect()),
        classes,
        predictions,
        decisions: Table { columns: &prediction.columns, values: Rows(&prediction.decisions) },
        probabilities: prediction.probabilities.as_ref().map(|p| Table { columns: classes, values: Rows(p) }),
        deviations: prediction.deviations.as_deref(),
        confidence: query.confidence,
        sets: sure.sets(),
        p_values: sure.p_values(model),
        intervals: sure.intervals(),
        typicality: sure.typicality.as_deref(),
        in_domain: sure.in_domain(),
        explanations: explanations
            .as_deref()
            .map(|all| all.iter().enumerate().map(|(i, why)| Why::new(why, &data, i)).collect()),
        nearest,
        explained_by: explained_by.as_ref().map(|by| by.0),
        explained_note: explained_by.as_ref().and_then(|by| by.1.as_deref()),
        not_explained,
        transductive: model.is_transductive(),
        warnings: data
            .warnings()
            .iter()
            .chain(&model.unseen(&data))
            .chain(&sure.warnings(model))
            .map(ToString::to_string)
            .chain(left_out)
            .collect(),
    };
    let mut out = Bounded { bytes: Vec::new(), most, unseen: 0 };
    let written = serde_json::to_writer(&mut out, &document);
    budget::check()?;
    if let Err(error) = written {
        return Err(match out.bytes.len() as u64 >= most.saturating_sub(BLOCK) {
            true => Error::MemoryPlan { needed: most + 1, allowed: most, what: "the answer".into() },
            false => Error::Numeric { reason: format!("the answer cannot be written: {error}") },
        });
    }
    Ok(Answered { document: out.bytes.into(), objects: data.len() })
}

/// Bytes written at once at most.
const BLOCK: u64 = 64 << 10;

/// A buffer of limited size that also checks the budget.
struct Bounded {
    bytes: Vec<u8>,
    most: u64,
    unseen: usize,
}

impl Write for Bounded {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let piece = &piece[..piece.len().min(BLOCK as usize)];
        self.unseen += piece.len();
        if self.unseen as u64 >= BLOCK {
            self.unseen = 0;
            budget::check().map_err(io::Error::other)?;
        }
        if (self.bytes.len() + piece.len()) as u64 > self.most {
            return Err(io::Error::other("too long"));
        }
        self.bytes.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The answer. Serialised directly: as a tree of JSON values it would take many times the memory.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'a str,
    objects: usize,
    target: Option<&'a str>,
    ids: Option<&'a [String]>,
    /// The row of each object in the request, counted from 1, where others were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<Vec<usize>>,
    classes: &'a [String],
    predictions: Vec<Value>,
    decisions: Table<'a>,
    probabilities: Option<Table<'a>>,
    /// The standard deviation of each number, for learners that predict distributions.
    #[serde(skip_serializing_if = "Option::is_none")]
    deviations: Option<&'a [f64]>,
    /// What is true with this confidence, for calibrated models.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sets: Option<Vec<Vec<&'a str>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    p_values: Option<Value>,
    /// Infinite ends are null.
    #[serde(skip_serializing_if = "Option::is_none")]
    intervals: Option<Vec<[Option<f64>; 2]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    typicality: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_domain: Option<Vec<bool>>,
    explanations: Option<Vec<Why<'a>>>,
    nearest: Option<Vec<Vec<NearMolecule>>>,
    explained_by: Option<&'a str>,
    /// How explanations by columns were computed, and what they compare with.
    #[serde(skip_serializing_if = "Option::is_none")]
    explained_note: Option<&'a str>,
    not_explained: Option<Value>,
    transductive: bool,
    warnings: Vec<String>,
}

#[derive(Serialize)]
struct Table<'a> {
    columns: &'a [String],
    values: Rows<'a>,
}

struct Rows<'a>(&'a Dense);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq((0..self.0.rows()).map(|i| self.0.row(i)))
    }
}

/// An explanation, with the fields of [`reasons::document`].
#[derive(Serialize)]
struct Why<'a> {
    class: Option<&'a str>,
    value: f64,
    offset: f64,
    rest: f64,
    local: bool,
    features: Vec<Part<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structures: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<&'a ObjectEvidence>,
}

#[derive(Serialize)]
struct Part<'a> {
    feature: &'a str,
    weight: f64,
    count: f64,
    amount: f64,
    nodes: &'a [Vec<u32>],
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    share: Option<f64>,
}

impl<'a> Why<'a> {
    fn new(why: &'a Explanation, data: &Dataset, i: usize) -> Self {
        let part = |p: &'a Contribution| Part {
            feature: &p.feature,
            weight: p.weight,
            count: p.count,
            amount: p.amount,
            nodes: &p.nodes,
            error: p.error,
            share: p.share,
        };
        Why {
            class: why.class.as_deref(),
            value: why.value,
            offset: why.offset,
            rest: why.rest,
            local: why.local,
            features: why.parts.iter().map(part).collect(),
            structures: (!why.structures.is_empty()).then(|| reasons::structures(why, data, i)),
            evidence: why.evidence.as_ref(),
        }
    }
}

/// Why there is no explanation, with a hint.
fn unexplained(error: &Error) -> Value {
    json!({"code": error.code().as_str(), "message": error.to_string(), "hint": error.hint()})
}

pub(super) fn from_file(model: &Model, name: &Path, body: &[u8]) -> Result<Dataset> {
    read_for(model, name, body, Options::default())
}

/// The objects of a table whose first line is the header and whose other lines are objects, all of them.
pub(super) fn from_table(model: &Model, name: &Path, table: &[u8]) -> Result<Dataset> {
    read_for(model, name, table, Options { header: Some(true), ..Options::default() })
}

fn read_for(model: &Model, name: &Path, body: &[u8], options: Options) -> Result<Dataset> {
    if let [column] = model.stored_objects().columns()
        && matches!(column.values, Values::Precomputed(_))
    {
        let rows = read::read_bytes(name, body, &Options { no_target: true, ..options })?;
        let names: Vec<String> = rows.columns().iter().map(|c| c.name.clone()).collect();
        let similarities = Precomputed::rows_of(rows.vectors(&names)?.to_dense());
        return Dataset::new(vec![Column::new(&column.name, Values::Precomputed(similarities))]);
    }
    let (options, _) = model.options_for(name, &options);
    model.without_missing(read::read_bytes(name, body, &options)?, &options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_as_the_training_data_was() {
        let options = Options { delimiter: Some(b'|'), header: Some(false), ..Options::default() };
        let text = "1|2|a\n-1|2|b\n2|1|a\n-2|1|b\n";
        let given = Options { target: Some("x3".into()), ..options.clone() };
        let data = read::read_bytes("t.csv".as_ref(), text.as_bytes(), &given).unwrap();
        let (kernel, learner) = ("linear".parse().unwrap(), "svc".parse().unwrap());
        let model = Model::fit(&data, &kernel, &learner, 0, &Engine::new()).unwrap();
        let model = model.with_reading(&given, &data, "t.csv".as_ref());
        let found = from_file(&model, "new.csv".as_ref(), b"5|0\n-5|0\n").unwrap();
        let told = model.predict(&found, &Engine::new()).unwrap();
        assert_eq!((told.class(0), told.class(1)), (Some("a"), Some("b")));
    }
}
