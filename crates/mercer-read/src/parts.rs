//! Predefined training and test sets, given by a column.

use std::path::Path;

use super::text::shown;
use crate::data::{Dataset, Values};
use crate::error::{Code, Error, Place, Result, Warning};

/// Splits the data by a column of `train` and `test`. The column and objects with other values are removed.
pub(super) fn split_by_column(data: Dataset, column: &str, path: &Path) -> Result<Dataset> {
    let fault = |reason: String| Error::parse(Place::file(path), Code::Column, reason);
    let names = match data.columns().iter().find(|c| c.name == column).map(|c| &c.values) {
        Some(Values::Categories(names)) => names,
        Some(other) => {
            return Err(fault(format!("column '{column}' holds {}, not `train` and `test`", other.kind())));
        }
        None => return Err(fault(format!("no column '{column}' with the training and test sets"))),
    };
    let part = |i: usize| names.get(i).and_then(is_test);
    let rows: Vec<usize> = (0..data.len()).filter(|&i| part(i).is_some()).collect();
    let test: Vec<bool> = rows.iter().filter_map(|&i| part(i)).collect();
    if !(test.contains(&true) && test.contains(&false)) {
        let known: Vec<String> = names.levels().iter().take(6).map(|l| shown(l)).collect();
        let reason = format!("column '{column}' needs `train` and `test`, but has {}", known.join(", "));
        return Err(fault(reason));
    }
    let left = data.len() - rows.len();
    let mut warnings = data.warnings().to_vec();
    if left > 0 {
        let message = format!("{left} objects left out: '{column}' is neither `train` nor `test`");
        warnings.push(Warning::new("W_SPLIT", message));
    }
    let columns = data.columns().iter().filter(|c| c.name != column).cloned().collect();
    let data = data.with_columns(columns)?.select(&rows).with_test(test)?.with_warnings(warnings);
    Ok(data.led_by_training())
}

/// Whether the value of such a column means the test set; `None` if it means neither set.
pub(super) fn is_test(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "train" | "training" => Some(false),
        "test" | "testing" => Some(true),
        _ => None,
    }
}
