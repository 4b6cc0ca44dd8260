//! JSON from untrusted files: duplicate keys and deep nesting are refused, memory is limited.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Bytes of memory that may still be allocated.
pub(super) struct Budget(Cell<usize>);

impl Budget {
    pub(super) fn new(bytes: usize) -> Self {
        Budget(Cell::new(bytes))
    }

    /// Takes bytes from the budget, or fails.
    pub(super) fn take<E: serde::de::Error>(&self, bytes: usize) -> Result<(), E> {
        match self.0.get().checked_sub(bytes) {
            Some(left) => {
                self.0.set(left);
                Ok(())
            }
            None => Err(E::custom("more values than a file of this size may have")),
        }
    }
}

/// Upper bound on the bytes per list item while the list grows.
const ITEM: usize = 3 * size_of::<Value>();
/// Upper bound on the bytes per map entry, with half-full nodes.
pub(super) const ENTRY: usize = 128;
/// Bytes of a map's first entry: a node with room for eleven.
const NODE: usize = 11 * (size_of::<String>() + size_of::<Value>()) + 32;
/// Bytes of a string besides its characters.
const STRING: usize = 32;

/// Parses a JSON value. The parser refuses nesting of 128 levels.
pub(super) fn parse(text: &str, budget: &Budget) -> Result<Value, serde_json::Error> {
    let mut parser = serde_json::Deserializer::from_str(text);
    let value = Tree(budget).deserialize(&mut parser)?;
    parser.end()?;
    Ok(value)
}

/// Whether the value is nested less than `levels` levels deep.
pub(super) fn is_shallow(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels > 0 && items.iter().all(|v| is_shallow(v, levels - 1)),
        Value::Object(map) => levels > 0 && map.values().all(|v| is_shallow(v, levels - 1)),
        _ => true,
    }
}

#[derive(Clone, Copy)]
struct Tree<'b>(&'b Budget);

impl<'de> DeserializeSeed<'de> for Tree<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tree<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("a number outside the range of a double"))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Value, E> {
        self.0.take(STRING + value.len())?;
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(self)? {
            self.0.take(ITEM)?;
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Map::new();
        while let Some(key) = map.next_key::<String>()? {
            if entries.is_empty() {
                self.0.take(NODE)?;
            }
            self.0.take(ENTRY + STRING + key.len())?;
            if entries.contains_key(&key) {
                return Err(A::Error::custom(format!("duplicate key {}", crate::error::shown(&key))));
            }
            let value = map.next_value_seed(self)?;
            entries.insert(key, value);
        }
        Ok(Value::Object(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Option<Value> {
        parse(text, &Budget::new(10_000)).ok()
    }

    #[test]
    fn values_equal_those_of_serde_json() {
        let text = r#"{"a":[1,-2,2.5,1e-7,null,true,"x\u00e9\n"],"b":{"c":[]},"d":18446744073709551615}"#;
        assert_eq!(parsed(text), serde_json::from_str(text).ok());
    }

    #[test]
    fn refusals() {
        for text in ["", "{", "[1,]", "1 2", r#"{"a":1,"a":2}"#, r#"{"b":[{"a":1,"a":2}]}"#, "1e999", "NaN"] {
            assert_eq!(parsed(text), None, "{text}");
        }
        assert_eq!(parsed(&"[".repeat(100_000)), None);
        assert_eq!(parsed(&format!("{}{}", "[".repeat(200), "]".repeat(200))), None);
        assert_eq!(parsed(&format!("[{}0]", "0,".repeat(1000))), None);
        assert_eq!(parsed(&format!("\"{}\"", "x".repeat(10_000))), None);
    }

    #[test]
    fn depth() {
        assert!(is_shallow(&serde_json::json!([[1]]), 2));
        assert!(!is_shallow(&serde_json::json!([{"a": [1]}]), 2));
    }
}
