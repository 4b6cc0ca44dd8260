//! The JSON header of the safetensors layout: the position of each array.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::array::{Array, Dtype, MAX_DIMENSIONS, product};
use super::json::{Budget, ENTRY};
use crate::error::shown;

/// The key of the metadata strings in the header.
pub(super) const METADATA: &str = "__metadata__";

/// The parsed header.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) metadata: BTreeMap<String, String>,
    pub(super) entries: BTreeMap<String, Entry>,
}

/// The position, type and shape of one array.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) dtype: Dtype,
    pub(super) shape: Vec<usize>,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Reads a header. Every array is charged to the memory budget.
pub(super) fn parse(text: &str, budget: &Budget) -> Result<Header, serde_json::Error> {
    let mut parser = serde_json::Deserializer::from_str(text);
    let header = Whole(budget).deserialize(&mut parser)?;
    parser.end()?;
    Ok(header)
}

/// Checks that the arrays fill exactly `len` bytes, without overlaps, each with the size of its shape.
pub(super) fn check_layout(header: &Header, len: usize) -> Result<(), String> {
    let mut spans = Vec::with_capacity(header.entries.len());
    for (name, entry) in &header.entries {
        let size = product(&entry.shape).and_then(|n| n.checked_mul(entry.dtype.size()));
        if entry.end > len {
            return Err(format!("array {} ends at byte {} of {len}", shown(name), entry.end));
        }
        let has = entry.end.checked_sub(entry.start);
        if has.is_none() || size != has {
            let type_name = entry.dtype.name();
            return Err(format!(
                "array {} of {type_name} {:?} has bytes {} to {}",
                shown(name),
                entry.shape,
                entry.start,
                entry.end
            ));
        }
        spans.push((entry.start, entry.end));
    }
    spans.sort_unstable();
    let mut at = 0;
    for (start, end) in spans {
        if start != at {
            let what = if start < at { "overlap" } else { "leave a gap" };
            return Err(format!("arrays {what} at byte {}", start.min(at)));
        }
        at = end;
    }
    if at == len { Ok(()) } else { Err(format!("{} bytes do not belong to any array", len - at)) }
}

/// Appends `,"name":{…}` for an array at byte `start`; returns the byte at which it ends.
pub(super) fn write_entry(out: &mut String, name: &str, array: &Array, start: usize) -> usize {
    let dtype = array.numbers().dtype();
    let end = start + array.numbers().len() * dtype.size();
    let entry = serde_json::json!({
        "dtype": dtype.name(),
        "shape": array.shape(),
        "data_offsets": [start, end],
    });
    out.push_str(&format!(",{}:{entry}", serde_json::Value::from(name)));
    end
}

struct Whole<'b>(&'b Budget);

impl<'de> DeserializeSeed<'de> for Whole<'_> {
    type Value = Header;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Header, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Whole<'_> {
    type Value = Header;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of arrays")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Header, A::Error> {
        let mut metadata = None;
        let mut entries = BTreeMap::new();
        while let Some(key) = map.next_key::<String>()? {
            if key == METADATA {
                let Texts(texts) = map.next_value()?;
                if metadata.replace(texts).is_some() {
                    return Err(A::Error::duplicate_field(METADATA));
                }
                continue;
            }
            let raw: RawEntry = map.next_value()?;
            self.0.take(2 * ENTRY + key.len())?;
            let (start, end) = raw.data_offsets;
            let entry = Entry { dtype: raw.dtype, shape: raw.shape.0, start, end };
            if entries.contains_key(&key) {
                return Err(A::Error::custom(format!("duplicate array {}", shown(&key))));
            }
            entries.insert(key, entry);
        }
        Ok(Header { metadata: metadata.ok_or_else(|| A::Error::missing_field(METADATA))?, entries })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEntry {
    dtype: Dtype,
    shape: Shape,
    data_offsets: (usize, usize),
}

/// A shape; more than [`MAX_DIMENSIONS`] dimensions are refused while reading.
struct Shape(Vec<usize>);

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Dimensions;

        impl<'de> Visitor<'de> for Dimensions {
            type Value = Shape;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a shape of at most {MAX_DIMENSIONS} dimensions")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Shape, A::Error> {
                let mut shape = Vec::new();
                while let Some(d) = seq.next_element()? {
                    if shape.len() == MAX_DIMENSIONS {
                        return Err(A::Error::invalid_length(shape.len() + 1, &self));
                    }
                    shape.push(d);
                }
                Ok(Shape(shape))
            }
        }

        deserializer.deserialize_seq(Dimensions)
    }
}

/// Strings by unique name.
struct Texts(BTreeMap<String, String>);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;

        impl<'de> Visitor<'de> for Entries {
            type Value = Texts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of strings")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Texts, A::Error> {
                let mut texts = BTreeMap::new();
                while let Some((key, text)) = map.next_entry::<String, String>()? {
                    // Few names have a meaning; the limit bounds the memory.
                    if texts.len() == 64 {
                        return Err(A::Error::custom("more than 64 strings"));
                    }
                    if texts.contains_key(&key) {
                        return Err(A::Error::custom(format!("duplicate string {}", shown(&key))));
                    }
                    texts.insert(key, text);
                }
                Ok(Texts(texts))
            }
        }

        deserializer.deserialize_map(Entries)
    }
}
