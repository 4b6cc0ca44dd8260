//! Access to values of a JSON document, with errors that give their path.

use std::path::Path;

use serde_json::Value;

use crate::error::shown;
use crate::error::{Code, Error, Place, Result};

/// A value in a model's document, together with its path.
///
/// ```
/// use mercer::model::Container;
/// let c = Container::new(serde_json::json!({"steps": [{"factor": 2.5}, {"factor": "x"}]}));
/// let steps = c.root().get("steps")?.items()?;
/// assert_eq!(steps[0].get("factor")?.number()?, 2.5);
/// let error = steps[1].get("factor")?.number().unwrap_err();
/// assert_eq!(error.to_string(), "model E_MODEL_SYNTAX document/steps/1/factor: a number is needed");
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Field<'a> {
    file: &'a Path,
    path: String,
    value: &'a Value,
}

impl<'a> Field<'a> {
    pub(crate) fn root(file: &'a Path, value: &'a Value) -> Self {
        Field { file, path: "document".into(), value }
    }

    /// The value as it is.
    pub fn value(&self) -> &'a Value {
        self.value
    }

    /// The entry of a map.
    pub fn get(&self, key: &str) -> Result<Field<'a>> {
        let found = self.find(key)?;
        found.ok_or_else(|| self.fault(Code::ModelSyntax, format!("missing entry {}", shown(key))))
    }

    /// The entry of a map, if it has one that is not null.
    pub fn find(&self, key: &str) -> Result<Option<Field<'a>>> {
        let Value::Object(map) = self.value else { return Err(self.needed("a map")) };
        let present = map.get(key).filter(|v| !v.is_null());
        Ok(present.map(|value| Field { file: self.file, path: format!("{}/{key}", self.path), value }))
    }

    /// The items of a list.
    pub fn items(&self) -> Result<Vec<Field<'a>>> {
        let Value::Array(items) = self.value else { return Err(self.needed("a list")) };
        let item = |(i, value)| Field { file: self.file, path: format!("{}/{i}", self.path), value };
        Ok(items.iter().enumerate().map(item).collect())
    }

    /// Item `i` of the list at this path, with a value stored elsewhere.
    pub(crate) fn item<'b>(&self, i: usize, value: &'b Value) -> Field<'b>
    where
        'a: 'b,
    {
        Field { file: self.file, path: format!("{}/{i}", self.path), value }
    }

    /// A string.
    pub fn text(&self) -> Result<&'a str> {
        self.value.as_str().ok_or_else(|| self.needed("a string"))
    }

    /// A finite number.
    pub fn number(&self) -> Result<f64> {
        self.value.as_f64().filter(|v| v.is_finite()).ok_or_else(|| self.needed("a number"))
    }

    /// A non-negative integer.
    pub fn count(&self) -> Result<usize> {
        let count = self.value.as_u64().and_then(|n| usize::try_from(n).ok());
        count.ok_or_else(|| self.needed("a whole number from 0"))
    }

    /// True or false.
    pub fn flag(&self) -> Result<bool> {
        self.value.as_bool().ok_or_else(|| self.needed("true or false"))
    }

    /// An error in this value.
    pub fn fault(&self, code: Code, reason: impl AsRef<str>) -> Error {
        Error::parse(Place::file(self.file), code, format!("{}: {}", self.path, reason.as_ref()))
    }

    fn needed(&self, what: &str) -> Error {
        self.fault(Code::ModelSyntax, format!("{what} is needed"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn types_are_distinguished() {
        let value = json!({"t": "x", "n": 1.5, "i": 3, "neg": -1, "b": true, "l": [1], "z": null});
        let root = Field::root(Path::new("m"), &value);
        let get = |key: &str| root.get(key).unwrap();
        assert_eq!(get("t").text().unwrap(), "x");
        assert_eq!((get("n").number().unwrap(), get("i").number().unwrap()), (1.5, 3.0));
        assert_eq!(get("i").count().unwrap(), 3);
        assert!(get("b").flag().unwrap());
        assert_eq!(get("l").items().unwrap().len(), 1);
        assert!(root.find("z").unwrap().is_none() && root.find("y").unwrap().is_none());
        for error in [
            root.get("y").map(|_| ()),
            root.text().map(|_| ()),
            get("n").count().map(|_| ()),
            get("neg").count().map(|_| ()),
            get("t").flag().map(|_| ()),
            get("t").items().map(|_| ()),
            get("t").get("x").map(|_| ()),
            get("b").number().map(|_| ()),
        ] {
            assert_eq!(error.unwrap_err().code(), Code::ModelSyntax);
        }
    }
}
