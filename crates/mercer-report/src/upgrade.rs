//! Conversion of run documents of earlier versions.

use serde_json::{Map, Value};

/// The schema of the run documents that this version writes and draws.
pub const SCHEMA: &str = "mercer/2";

/// Converts a run document of an earlier schema to [`SCHEMA`]; returns false if the schema is unknown.
///
/// Schema 2 renamed keys to common terms (`divisions` to `splits`, `cells` to `configurations` or `results`, `guess` to
/// `baseline`, …); nothing else changed.
///
/// ```
/// use serde_json::json;
/// let mut document = json!({"schema": "mercer/1", "command": "evaluate", "divisions": 10, "cells": 4});
/// assert!(mercer_report::upgrade(&mut document));
/// assert_eq!(document, json!({"schema": "mercer/2", "command": "evaluate", "splits": 10, "configurations": 4}));
/// assert!(!mercer_report::upgrade(&mut json!({"schema": "mercer/9"})));
/// ```
pub fn upgrade(document: &mut Value) -> bool {
    match document["schema"].as_str() {
        Some(SCHEMA) => true,
        Some("mercer/1") => {
            from_first(document);
            document["schema"] = SCHEMA.into();
            true
        }
        _ => false,
    }
}

/// Renames the keys of schema 1, at any depth.
fn from_first(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(from_first),
        Value::Object(map) => {
            let is_comparison = map.contains_key("methods");
            let renamed = std::mem::take(map).into_iter().map(|(key, mut value)| {
                from_first(&mut value);
                (renamed(&key, &value, is_comparison).map_or(key, str::to_owned), value)
            });
            *map = renamed.collect::<Map<_, _>>();
        }
        _ => {}
    }
}

fn renamed(key: &str, value: &Value, is_comparison: bool) -> Option<&'static str> {
    Some(match key {
        "divisions" => "splits",
        "inner_divisions" => "inner_splits",
        "division" => "split",
        "cells" if is_comparison => "results",
        "cells" => "configurations",
        "cells_tried" => "configurations_tried",
        "guess" => "baseline",
        "against_guess" => "against_baseline",
        "beats_guess" => "beats_baseline",
        "beats_plain" => "beats_simple_baseline",
        "plain" if value.is_boolean() => "simple_baseline",
        "plain" => "base_kernel",
        "machines" => "classifiers",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_the_first_schema_become_those_of_this() {
        for name in ["auto", "compare"] {
            let read = |file: String| -> Value {
                let path = format!("{}/tests/{file}", env!("CARGO_MANIFEST_DIR"));
                serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
            };
            let mut old = read(format!("first-schema/{name}.json"));
            assert!(upgrade(&mut old));
            let new = read(format!("samples/{name}.json"));
            assert_eq!(shape(&old), shape(&new), "{name}");
        }
    }

    /// The keys at every depth, without the values.
    fn shape(value: &Value) -> Value {
        match value {
            Value::Array(items) => items.iter().map(shape).collect(),
            Value::Object(map) => {
                map.iter().map(|(k, v)| (k.clone(), shape(v))).collect::<Map<_, _>>().into()
            }
            _ => Value::Null,
        }
    }
}
