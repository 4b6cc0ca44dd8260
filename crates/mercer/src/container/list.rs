//! Long lists in a model, stored as a few arrays instead of many values in its document.
//!
//! The reader grants the document twice the size of the file, but a small JSON object takes twenty times its text. A
//! list of more than 64 items is therefore stored in arrays: the list `NAME/certificates` becomes
//! `NAME/certificates/present` (one byte per item, 0 for null) and, for each key of its items,
//! `NAME/certificates/KEY`. The document then holds a map `packed` from each key to the type of its values instead
//! of the items. Short lists stay in the document, where they are readable for people and for all versions.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Number, Value, json};

use super::array::Array;
use super::field::Field;
use super::file::Container;
use crate::error::shown;
use crate::error::{Code, Result};

/// Lists up to this length stay in the document.
const SHORT: usize = 64;
/// The key of items that are not objects.
const ITSELF: &str = "item";

impl Container {
    /// Stores a list under a name; returns the part of the document that [`Container::list`] reads.
    ///
    /// Long lists omit keys whose value is null, unless the other values are numbers: there null means NaN.
    pub(crate) fn put_list(&mut self, name: &str, items: Vec<Value>) -> Result<Value> {
        if items.len() <= SHORT {
            return Ok(Value::Array(items));
        }
        let n = items.len();
        let plain = !items.iter().all(|item| item.is_object() || item.is_null());
        let present = items.iter().map(|item| u8::from(!item.is_null())).collect::<Vec<_>>();
        let mut columns: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for (i, item) in items.into_iter().enumerate() {
            let entries = match item {
                Value::Object(entries) if !plain => entries,
                Value::Null => continue,
                other => Map::from_iter([(ITSELF.to_owned(), other)]),
            };
            for (key, value) in entries {
                columns.entry(key).or_insert_with(|| vec![Value::Null; n])[i] = value;
            }
        }
        self.insert(format!("{name}/present"), Array::list(present.clone()))?;
        let mut packed = Map::new();
        for (key, values) in columns {
            let kind = self.put_values(&format!("{name}/{key}"), &values, &present)?;
            packed.insert(key, kind);
        }
        Ok(json!({"packed": packed, "plain": plain}))
    }

    /// Stores the values of one key; returns their description for the document.
    fn put_values(&mut self, name: &str, values: &[Value], present: &[u8]) -> Result<Value> {
        let said = || values.iter().filter(|v| !v.is_null());
        let is_gappy = values.iter().zip(present).any(|(v, p)| v.is_null() && *p == 1);
        let is_double = |v: &Value| v.as_f64().is_some() && v.as_u64().is_none();
        let (kind, array) = if said().all(is_double) {
            // Null is NaN.
            let numbers = values.iter().map(|v| v.as_f64().unwrap_or(f64::NAN)).collect::<Vec<_>>();
            self.insert(name, Array::list(numbers))?;
            return Ok(json!({"type": "numbers"}));
        } else if said().all(Value::is_u64) {
            ("counts", Array::list(values.iter().map(|v| v.as_u64().unwrap_or(0)).collect::<Vec<_>>()))
        } else if said().all(Value::is_boolean) {
            ("flags", Array::list(values.iter().map(|v| u8::from(*v == true)).collect::<Vec<_>>()))
        } else if said().all(Value::is_string) {
            self.put_strings(name, values.iter().map(|v| v.as_str().unwrap_or_default()))?;
            return Ok(self.with_gaps(name, json!({"type": "texts"}), values, is_gappy));
        } else {
            // Anything else has few distinct values, each stored once in the document.
            let (mut known, mut distinct) = (HashMap::new(), Vec::new());
            let codes = values.iter().map(|v| {
                *known.entry(v.to_string()).or_insert_with(|| {
                    distinct.push(v.clone());
                    distinct.len() as u32 - 1
                })
            });
            let codes = codes.collect::<Vec<_>>();
            self.insert(name, Array::list(codes))?;
            return Ok(json!({"type": "values", "values": distinct}));
        };
        self.insert(name, array)?;
        Ok(self.with_gaps(name, json!({"type": kind}), values, is_gappy))
    }

    /// Records which items have no value, if any.
    fn with_gaps(&mut self, name: &str, mut kind: Value, values: &[Value], is_gappy: bool) -> Value {
        if is_gappy {
            let given = values.iter().map(|v| u8::from(!v.is_null())).collect::<Vec<_>>();
            self.arrays.insert(format!("{name}/given"), Array::list(given));
            kind["gaps"] = true.into();
        }
        kind
    }

    /// The list stored under a name; `field` is its part of the document.
    pub(crate) fn list<'a>(&'a self, name: &str, field: &Field<'a>) -> Result<List<'a>> {
        if let Value::Array(items) = field.value() {
            return Ok(List { field: field.clone(), held: Held::Document(items) });
        }
        let packed = field.get("packed")?;
        let Value::Object(keys) = packed.value() else {
            return Err(packed.fault(Code::ModelSyntax, "a map is needed"));
        };
        let present = self.u8s(&format!("{name}/present"))?;
        let mut columns = Vec::with_capacity(keys.len());
        for key in keys.keys() {
            let (name, said) = (format!("{name}/{key}"), packed.get(key)?);
            let (values, len) = self.values(&name, &said)?;
            self.check_len(&name, len, present.len())?;
            let given = match said.find("gaps")?.map(|f| f.flag()).transpose()? {
                Some(true) => {
                    let given = self.u8s(&format!("{name}/given"))?;
                    self.check_len(&format!("{name}/given"), given.len(), present.len())?;
                    Some(given)
                }
                _ => None,
            };
            columns.push((key.as_str(), values, given));
        }
        let plain = field.get("plain")?.flag()?;
        Ok(List { field: field.clone(), held: Held::Arrays { present, columns, plain } })
    }

    /// The values of one key and their number.
    fn values<'a>(&'a self, name: &str, said: &Field<'a>) -> Result<(Packed<'a>, usize)> {
        let kind = said.get("type")?;
        Ok(match kind.text()? {
            "numbers" => self.f64s(name).map(|v| (Packed::Numbers(v), v.len()))?,
            "counts" => self.u64s(name).map(|v| (Packed::Counts(v), v.len()))?,
            "flags" => self.u8s(name).map(|v| (Packed::Flags(v), v.len()))?,
            "texts" => self.strings(name).map(|v| (v.len(), Packed::Texts(v))).map(|(n, v)| (v, n))?,
            "values" => {
                let values = said.get("values")?;
                let Value::Array(distinct) = values.value() else {
                    return Err(values.fault(Code::ModelSyntax, "a list is needed"));
                };
                let codes = self.u32s(name)?;
                if let Some(bad) = codes.iter().find(|&&c| c as usize >= distinct.len()) {
                    let reason = format!("index {bad} into {} distinct values", distinct.len());
                    return Err(values.fault(Code::ModelCount, reason));
                }
                (Packed::Values(codes, distinct), codes.len())
            }
            other => {
                return Err(
                    kind.fault(Code::ModelSyntax, format!("{} is not a type of values", shown(other)))
                );
            }
        })
    }

    /// Stores strings as `name/bytes` and `name/ends`.
    pub(crate) fn put_strings(
        &mut self,
        name: &str,
        strings: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<()> {
        self.put_strings_in(format!("{name}/bytes"), format!("{name}/ends"), strings)
    }

    /// Stores strings as two arrays: their bytes, and where each ends.
    pub(crate) fn put_strings_in(
        &mut self,
        bytes_name: String,
        ends_name: String,
        strings: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<()> {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for s in strings {
            bytes.extend_from_slice(s.as_ref().as_bytes());
            ends.push(bytes.len() as u64);
        }
        self.insert(bytes_name, Array::list(bytes))?;
        self.insert(ends_name, Array::list(ends))
    }

    /// The strings stored as `name/bytes` and `name/ends`.
    pub(crate) fn strings(&self, name: &str) -> Result<Vec<&str>> {
        self.strings_in(&format!("{name}/bytes"), &format!("{name}/ends"))
    }

    /// The strings of two arrays.
    pub(crate) fn strings_in(&self, name: &str, ends_name: &str) -> Result<Vec<&str>> {
        let ends = self.u64s(ends_name)?;
        let text = std::str::from_utf8(self.u8s(name)?)
            .map_err(|e| self.fault(Code::ModelSyntax, format!("'{name}': {e}")))?;
        let mut out = Vec::with_capacity(ends.len());
        let mut start = 0;
        for &end in ends {
            let own = usize::try_from(end).ok().and_then(|end| Some((end, text.get(start..end)?)));
            let Some((end, own)) = own else {
                let reason = format!("'{name}': no string ends at byte {end}");
                return Err(self.fault(Code::ModelSyntax, reason));
            };
            out.push(own);
            start = end;
        }
        if start != text.len() {
            let reason = format!("'{name}': {} bytes do not belong to any string", text.len() - start);
            return Err(self.fault(Code::ModelCount, reason));
        }
        Ok(out)
    }
}

/// A list of a model, in its document or in arrays.
pub(crate) struct List<'a> {
    field: Field<'a>,
    held: Held<'a>,
}

enum Held<'a> {
    Document(&'a [Value]),
    Arrays { present: &'a [u8], columns: Vec<(&'a str, Packed<'a>, Option<&'a [u8]>)>, plain: bool },
}

enum Packed<'a> {
    Numbers(&'a [f64]),
    Counts(&'a [u64]),
    Flags(&'a [u8]),
    Texts(Vec<&'a str>),
    Values(&'a [u32], &'a [Value]),
}

impl<'a> List<'a> {
    pub(crate) fn len(&self) -> usize {
        match &self.held {
            Held::Document(items) => items.len(),
            Held::Arrays { present, .. } => present.len(),
        }
    }

    /// Passes the items to a function one at a time: all at once would take much more memory than the arrays.
    pub(crate) fn each(&self, mut take: impl FnMut(usize, &Field<'_>) -> Result<()>) -> Result<()> {
        (0..self.len()).try_for_each(|i| take(i, &self.field.item(i, &self.item(i))))
    }

    fn item(&self, i: usize) -> Cow<'a, Value> {
        let (present, columns, plain) = match &self.held {
            Held::Document(items) => return items.get(i).map_or(Cow::Owned(Value::Null), Cow::Borrowed),
            Held::Arrays { present, columns, plain } => (present, columns, *plain),
        };
        if present.get(i) != Some(&1) {
            return Cow::Owned(Value::Null);
        }
        let given = columns.iter().filter(|(_, _, given)| given.is_none_or(|g| g.get(i) == Some(&1)));
        let mut entries = given.map(|(key, values, _)| ((*key).to_owned(), values.get(i)));
        Cow::Owned(match plain {
            true => entries.next().map_or(Value::Null, |(_, value)| value),
            false => Value::Object(entries.collect()),
        })
    }
}

impl Packed<'_> {
    fn get(&self, i: usize) -> Value {
        let value = match self {
            Packed::Numbers(v) => v.get(i).and_then(|&x| Number::from_f64(x)).map(Value::Number),
            Packed::Counts(v) => v.get(i).map(|&x| x.into()),
            Packed::Flags(v) => v.get(i).map(|&x| (x == 1).into()),
            Packed::Texts(v) => v.get(i).map(|&x| x.into()),
            Packed::Values(codes, distinct) => codes.get(i).and_then(|&c| distinct.get(c as usize)).cloned(),
        };
        value.unwrap_or(Value::Null)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back(items: Vec<Value>) -> (Value, Vec<Value>) {
        let mut c = Container::new(Value::Null);
        let said = c.put_list("x/list", items).unwrap();
        c.document = json!({"list": said});
        let c = Container::from_bytes("m", &c.to_bytes().unwrap()).unwrap();
        let field = c.root().get("list").unwrap();
        let mut found = Vec::new();
        let list = c.list("x/list", &field).unwrap();
        list.each(|_, item| {
            found.push(item.value().clone());
            Ok(())
        })
        .unwrap();
        (c.document["list"].clone(), found)
    }

    #[test]
    fn short_and_long_lists_round_trip() {
        for n in [0usize, 1, 64, 65, 3000] {
            let all: Vec<Value> = (0..n)
                .map(|i| {
                    let mut item = json!({"name": format!("é{i}"), "kind": "numbers", "width": i, "gap": 0.1 * i as f64,
                        "stop": if i % 2 == 0 { json!("converged") } else { json!({"curved": {"at": i % 4}}) }, "done": i % 3 == 0});
                    if i % 5 == 0 {
                        item["missing"] = true.into();
                        item["category"] = "x".into();
                    }
                    if i % 7 == 0 { Value::Null } else { item }
                })
                .collect();
            let (said, found) = back(all.clone());
            assert_eq!(found, all, "{n}");
            assert_eq!(said.is_array(), n <= 64);
            let texts: Vec<Value> = (0..n).map(|i| format!("class {i}").into()).collect();
            assert_eq!(back(texts.clone()).1, texts);
            let counts: Vec<Value> = (0..n).map(|i| i.into()).collect();
            assert_eq!(back(counts.clone()).1, counts);
            assert_eq!(back(vec![Value::Null; n]).1, vec![Value::Null; n]);
        }
        // Null is NaN among numbers.
        let numbers: Vec<Value> =
            (0..100).map(|i| json!({"gap": if i == 3 { Value::Null } else { json!(i as f64) }})).collect();
        assert_eq!(back(numbers.clone()).1, numbers);
    }

    #[test]
    fn changed_lists_are_refused() {
        let items: Vec<Value> = (0..100).map(|i| json!({"name": "x", "stop": [i % 2]})).collect();
        let mut c = Container::new(Value::Null);
        let said = c.put_list("l", items).unwrap();
        let refused = |c: &Container, said: &Value| c.list("l", &c.field(said)).map(|_| ()).is_err();
        assert!(!refused(&c, &said));
        for (name, array) in [
            ("l/present", Array::list(vec![1u8; 99])),
            ("l/name/ends", Array::list(vec![9u64; 100])),
            ("l/stop", Array::list(vec![2u32; 100])),
            ("l/stop", Array::list(vec![0u32; 99])),
        ] {
            let mut changed = c.clone();
            changed.arrays.insert(name.into(), array);
            assert!(refused(&changed, &said), "{name}");
        }
        for (key, value) in [("type", json!("other")), ("type", json!("counts")), ("gaps", json!(true))] {
            let mut changed = said.clone();
            changed["packed"]["name"][key] = value;
            assert!(refused(&c, &changed), "{key}");
        }
        assert!(refused(&c, &json!({"packed": 3})) && refused(&c, &json!("list")));
    }
}
