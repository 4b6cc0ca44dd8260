//! A request's data in, predictions as JSON out.

use std::path::Path;

use axum::extract::{Query, Request};
use axum::http::header;
use mercer::data::{Column, Dataset, Dense, Precomputed, Values};
use mercer::gram::Engine;
use mercer::model::Model;
use mercer::read::{self, Options};
use mercer::{Code, Error, Place, Result};
use serde_json::{Map, Value, json};

use crate::commands::predict::suited;
use crate::commands::{explain, in_file, model as models, quoted};

/// Features of an explanation that are given at most.
const MOST_PARTS: usize = 100;

/// What a request wants.
pub(super) struct Asked {
    /// The name the data would have as a file, which helps to tell its format.
    name: String,
    json: bool,
    explain: Option<usize>,
}

impl Asked {
    pub(super) fn of(request: &Request) -> std::result::Result<Self, String> {
        let query = Query::<std::collections::HashMap<String, String>>::try_from_uri(request.uri());
        let Query(query) = query.map_err(|e| e.to_string())?;
        if let Some(other) = query.keys().find(|k| !matches!(k.as_str(), "name" | "explain")) {
            return Err(format!("unknown parameter '{other}': name and explain are known"));
        }
        let explain = match query.get("explain").map(|text| text.parse::<usize>()) {
            None => None,
            Some(Ok(most)) if most <= MOST_PARTS => Some(most).filter(|m| *m > 0),
            Some(_) => return Err(format!("explain takes a number from 0 to {MOST_PARTS}")),
        };
        let kind =
            request.headers().get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or_default();
        let json = kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json");
        let name = query.get("name").cloned().unwrap_or_else(|| "objects".into());
        Ok(Asked { name, json, explain })
    }
}

/// What the model is, in the words `mercer inspect` uses, with what a page needs to ask for.
pub(super) fn about(model: &Model) -> Value {
    let mut document = models::describe(model);
    document["summary"] = models::summary(model).into();
    document
}

/// Reads the objects, predicts them, and explains where that is asked for.
pub(super) fn answer(model: &Model, asked: &Asked, body: &[u8], engine: &Engine) -> Result<Value> {
    let name = Path::new(&asked.name);
    let data = match asked.json {
        true => from_json(model, body)?,
        false => from_file(model, name, body)?,
    };
    let prediction = model.predict(&data, engine).map_err(|e| in_file(name, e))?;
    let explanations = match asked.explain {
        Some(most) => {
            Some(explain::document(&model.explain(&data, most, engine).map_err(|e| in_file(name, e))?))
        }
        None => None,
    };
    let predictions: Vec<Value> = match prediction.numbers() {
        Some(numbers) => numbers.iter().map(|v| json!(v)).collect(),
        None => (0..data.len()).map(|i| json!(prediction.class(i))).collect(),
    };
    let rows = |values: &Dense| (0..values.rows()).map(|i| values.row(i).to_vec()).collect::<Vec<_>>();
    let probabilities = prediction
        .probabilities
        .as_ref()
        .map(|p| json!({"columns": model.machine().classes(), "values": rows(p)}));
    Ok(json!({
        "schema": "mercer/1", "objects": data.len(), "target": model.target().map(|g| &g.name), "ids": data.ids(),
        "classes": model.machine().classes(), "predictions": predictions,
        "decisions": {"columns": prediction.columns, "values": rows(&prediction.decisions)},
        "probabilities": probabilities, "explanations": explanations, "transductive": model.is_transductive(),
        "warnings": data.warnings().iter().map(ToString::to_string).collect::<Vec<_>>(),
    }))
}

fn from_file(model: &Model, name: &Path, body: &[u8]) -> Result<Dataset> {
    let options = Options::default();
    if let [column] = model.kept().columns()
        && matches!(column.values, Values::Precomputed(_))
    {
        let rows = read::read_bytes(name, body, &Options { no_target: true, ..options })?;
        let names: Vec<String> = rows.columns().iter().map(|c| c.name.clone()).collect();
        let similarities = Precomputed::rows_of(rows.vectors(&names)?.to_dense());
        return Dataset::new(vec![Column::new(&column.name, Values::Precomputed(similarities))]);
    }
    read::read_bytes(name, body, &suited(&options, model))
}

/// Objects with the names of columns, `{"objects": [{"age": 31, "sex": "f"}]}`, by way of the table they are.
fn from_json(model: &Model, body: &[u8]) -> Result<Dataset> {
    let name = Path::new("objects");
    let fault = |line: u64, reason: String| {
        Error::parse(Place { line, ..Place::file(name) }, Code::Syntax, reason)
            .with_hint("{\"objects\": [{\"column\": value, …}, …]}")
    };
    let document: Value =
        serde_json::from_slice(body).map_err(|e| fault(e.line() as u64, format!("not JSON: {e}")))?;
    let objects = document["objects"].as_array().ok_or_else(|| fault(0, "no list named objects".into()))?;
    let objects: Vec<&Map<String, Value>> = objects
        .iter()
        .map(|o| {
            o.as_object().ok_or_else(|| fault(0, "objects must be { … } with the names of columns".into()))
        })
        .collect::<Result<_>>()?;
    let mut names: Vec<&String> = objects.iter().flat_map(|o| o.keys()).collect();
    names.sort_unstable();
    names.dedup();
    if objects.is_empty() || names.is_empty() {
        return Err(fault(0, "no objects, or objects without columns".into()));
    }
    let cell = |value: Option<&Value>| match value {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => Ok(value.to_string()),
        Some(_) => Err(fault(0, "values must be numbers, texts, true, false or null".into())),
    };
    let mut table = names.iter().map(|n| quoted(n)).collect::<Vec<_>>().join(",") + "\n";
    for object in objects {
        let cells = names.iter().map(|n| Ok(quoted(&cell(object.get(*n))?))).collect::<Result<Vec<_>>>()?;
        // A line of one empty field would look like no line.
        table += &if cells.len() == 1 && cells[0].is_empty() { "\"\"".into() } else { cells.join(",") };
        table.push('\n');
    }
    from_file(model, Path::new("objects.csv"), table.as_bytes())
}
