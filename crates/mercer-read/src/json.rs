//! JSON: an array of records, or one record per line.
//!
//! A record is an object whose values are numbers, strings, booleans or null; its keys are the columns, in the order of
//! their first appearance. A key that a record lacks, and null, are missing values. A list of numbers in every record
//! is a series. Other nested values are refused with their line. Records are also found as the only array in an
//! object, as in `{"data": [{…}, …]}`.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::Options;
use super::reserve::check_spread;
use super::rows::{Places, Rows};
use super::text::{Fault, Text, shown};
use crate::budget;
use crate::data::{Column, Dataset, Series, Values};
use crate::error::{Code, Result};

/// What the file should look like.
const HINT: &str = "records are read: [{\"a\": 1, \"b\": \"x\"}, …] or one {…} per line; pandas writes them with \
                    DataFrame.to_json(…, orient=\"records\")";

pub(super) fn read(text: &Text<'_>, name: &Path, options: &Options) -> Result<Dataset> {
    let table = table(text.as_str()).map_err(|fault| text.error(fault))?;
    table.dataset(text, name, options)
}

/// Records as columns.
#[derive(Default)]
struct Table {
    keys: Vec<String>,
    index: HashMap<String, usize>,
    /// For each key the number of the last record that has it, from 1.
    last: Vec<usize>,
    /// For each record its offset, and its values by column.
    records: Vec<(usize, Vec<(usize, Value)>)>,
    /// Bytes for which memory was requested, and those held.
    asked: usize,
    held: usize,
}

#[derive(Debug, Clone, PartialEq)]
enum Value {
    Missing,
    Text(String),
    List(Vec<f64>),
    /// What a value is that cannot be in a table.
    Nested(&'static str),
}

fn table(all: &str) -> Result<Table, Fault> {
    let (mut at, mut closing) = (0, None);
    skip(all, &mut at);
    if all[at..].starts_with('[') {
        (at, closing) = (at + 1, Some(b']'));
    } else if let Some(inner) = wrapped(&all[at..]) {
        (at, closing) = (at + inner, Some(b']'));
    }
    let mut table = Table::default();
    loop {
        skip(all, &mut at);
        match (all.as_bytes().get(at), closing) {
            (None, None) => break,
            (None, Some(_)) => {
                let reason = format!("the file ends within the array, after {} records", table.records.len());
                return Err(Fault::new(all.len().saturating_sub(1), Code::Truncated, reason));
            }
            (Some(b']'), Some(_)) if table.records.is_empty() => break,
            (Some(b'{'), _) => {}
            (Some(_), _) => {
                let reason = format!("JSON, but not records: {}", kind(&all[at..]));
                return Err(Fault::new(at, Code::Format, reason).hint(HINT));
            }
        }
        at = table.record(all, at)?;
        if closing.is_none() {
            continue;
        }
        skip(all, &mut at);
        match all.as_bytes().get(at) {
            Some(b',') => at += 1,
            Some(b']') => break,
            None => {
                let reason = format!("the file ends within the array, after {} records", table.records.len());
                return Err(Fault::new(all.len().saturating_sub(1), Code::Truncated, reason));
            }
            Some(_) => return Err(Fault::new(at, Code::Syntax, "expected ',' or ']' after a record")),
        }
    }
    if table.records.is_empty() {
        return Err(Fault::new(0, Code::Empty, "no records").hint(HINT));
    }
    let is_list = |(_, value): &(usize, Value)| matches!(value, Value::List(_));
    if let (None, [(at, only)]) = (closing, table.records.as_slice())
        && only.iter().any(is_list)
    {
        return Err(Fault::new(*at, Code::Format, "JSON, but not records: an object of lists").hint(HINT));
    }
    Ok(table)
}

/// What a value begins like.
fn kind(rest: &str) -> String {
    match rest.as_bytes().first() {
        Some(b'[') => "an array".into(),
        _ => {
            shown(&rest.chars().take(20).take_while(|c| !c.is_whitespace() && *c != ',').collect::<String>())
        }
    }
}

fn skip(all: &str, at: &mut usize) {
    let rest = &all.as_bytes()[*at..];
    *at += rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
}

/// The offset after `[` of the only array of records in an object, such as `{"data": [{…}]}`, whose other values are
/// not nested.
fn wrapped(all: &str) -> Option<usize> {
    // A record per line is more common. The object must be the whole file.
    let mut values = serde_json::Deserializer::from_str(all).into_iter::<Outer>();
    let outer = values.next()?.ok()?;
    if !all[values.byte_offset()..].trim().is_empty() || outer.arrays != 1 || outer.nested {
        return None;
    }
    // Strings may hold brackets, so the first that opens outside of strings is searched.
    let (mut quoted, mut escaped) = (false, false);
    let open = all.bytes().position(|b| {
        let found = b == b'[' && !quoted;
        match b {
            _ if escaped => escaped = false,
            b'\\' => escaped = quoted,
            b'"' => quoted = !quoted,
            _ => {}
        }
        found
    })?;
    let first = all[open + 1..].trim_start();
    first.starts_with('{').then_some(open + 1)
}

/// What is in an object: the number of arrays, and whether it has objects.
#[derive(Default)]
struct Outer {
    arrays: usize,
    nested: bool,
}

impl<'de> serde::Deserialize<'de> for Outer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Shape;
        impl<'de> Visitor<'de> for Shape {
            type Value = Outer;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Outer, A::Error> {
                let mut outer = Outer::default();
                while map.next_key::<IgnoredAny>()?.is_some() {
                    match map.next_value_seed(Cell { lists: false })? {
                        Value::Nested("an object") => outer.nested = true,
                        Value::Nested(_) => outer.arrays += 1,
                        _ => {}
                    }
                }
                Ok(outer)
            }
        }
        deserializer.deserialize_map(Shape)
    }
}

impl Table {
    /// Reads the record at an offset; returns the offset after it.
    fn record(&mut self, all: &str, at: usize) -> Result<usize, Fault> {
        let mut values = serde_json::Deserializer::from_str(&all[at..]).into_iter::<Record>();
        let record = match values.next() {
            Some(Ok(record)) => record,
            Some(Err(error)) => {
                // Lines and columns of the error count from the record.
                let line = error.line().saturating_sub(1);
                let start = all[at..].split_inclusive('\n').take(line).map(str::len).sum::<usize>();
                let offset = at + start + error.column().saturating_sub(1);
                let offset =
                    (0..=offset.min(all.len())).rev().find(|&i| all.is_char_boundary(i)).unwrap_or(0);
                let code = if error.is_eof() { Code::Truncated } else { Code::Syntax };
                let message = error.to_string();
                let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
                return Err(Fault::new(offset, code, format!("not JSON: {message}")));
            }
            None => return Err(Fault::new(at, Code::Truncated, "the file ends before a record")),
        };
        let end = at + values.byte_offset();
        let mut own: Vec<(usize, Value)> = Vec::with_capacity(record.0.len());
        for (key, value) in record.0 {
            let column = match self.index.get(&key) {
                Some(&column) => column,
                None => {
                    self.index.insert(key.clone(), self.keys.len());
                    self.keys.push(key.clone());
                    self.last.push(0);
                    self.keys.len() - 1
                }
            };
            // The number of the last record that had the key.
            if std::mem::replace(&mut self.last[column], self.records.len() + 1) == self.records.len() + 1 {
                let reason = format!("the key {} occurs twice in a record", shown(&key));
                return Err(Fault::new(at, Code::Header, reason));
            }
            if let Value::Nested(what) = value {
                let reason = format!("{what} under the key {}, expected a number or text", shown(&key));
                return Err(Fault::new(at, Code::Nested, reason).hint(
                    "give every value a key of its own, as pandas.json_normalize does; DataFrame.to_json needs orient=\"records\"",
                ));
            }
            self.held += 48
                + match &value {
                    Value::Text(text) => text.len(),
                    Value::List(list) => 8 * list.len(),
                    _ => 0,
                };
            own.push((column, value));
        }
        if self.held >= self.asked {
            let more = self.held.max(1 << 20);
            budget::ask("the records of a JSON file", more as u64)?;
            self.asked += more;
        }
        budget::check_often()?;
        self.records.push((at, own));
        Ok(end)
    }

    fn dataset(self, text: &Text<'_>, name: &Path, options: &Options) -> Result<Dataset> {
        let Table { keys, records, .. } = self;
        let mut is_list = vec![false; keys.len()];
        for (column, value) in records.iter().flat_map(|(_, own)| own) {
            is_list[*column] |= matches!(value, Value::List(_)) && !options.ignore.contains(&keys[*column]);
        }
        let (listed, plain): (Vec<usize>, Vec<usize>) = (0..keys.len()).partition(|&c| is_list[c]);
        // Records with different keys must not fill the memory.
        let cells = (keys.len() as u64).saturating_mul(records.len() as u64);
        check_spread("the table of a JSON file", cells, 2, text.as_str().len() as u64)?;

        let mut series: Vec<Vec<Series>> = vec![Vec::new(); listed.len()];
        let mut rows = Rows::new(name, Places::Lines).with_header();
        rows.begin(1);
        plain.iter().for_each(|&c| rows.push(Some(&keys[c])));
        rows.end()?;
        let (mut line, mut from) = (1, 0);
        let all = text.as_str().as_bytes();
        let mut own: Vec<Option<&Value>> = Vec::new();
        for (offset, values) in &records {
            line += memchr::memchr_iter(b'\n', &all[from..*offset]).count() as u64;
            from = *offset;
            own.clear();
            own.resize(keys.len(), None);
            values.iter().for_each(|(column, value)| own[*column] = Some(value));
            for (&column, series) in listed.iter().zip(&mut series) {
                series.push(as_series(own[column]).map_err(|found| {
                    let key = shown(&keys[column]);
                    let reason = format!("{found} under the key {key}, where other records have lists");
                    text.error(
                        Fault::new(*offset, Code::Nested, reason)
                            .hint("a series needs a list in every record"),
                    )
                })?);
            }
            rows.begin(line);
            for &column in &plain {
                rows.push(match own[column] {
                    Some(Value::Text(text)) => Some(text),
                    _ => None,
                });
            }
            rows.end()?;
        }
        let series =
            listed.iter().zip(series).map(|(&c, all)| Column::new(keys[c].clone(), Values::Series(all)));
        if plain.is_empty() {
            return Dataset::new(series.collect());
        }
        let data = rows.read(options, Vec::new())?;
        if listed.is_empty() {
            return Ok(data);
        }
        if data.len() != records.len() {
            let reason = "records with lists cannot be left out for a missing value";
            let fault = Fault::new(0, Code::Missing, reason);
            return Err(text.error(fault.hint("keep missing values with `missing=keep`")));
        }
        let columns = data.columns().iter().cloned().chain(series).collect();
        data.with_columns(columns)
    }
}

/// A value as a series, or what it is instead.
fn as_series(value: Option<&Value>) -> std::result::Result<Series, String> {
    match value {
        Some(Value::List(list)) => Series::new(1, list.clone()).map_err(|e| e.to_string()),
        None | Some(Value::Missing) => Err("no list of numbers".to_owned()),
        Some(_) => Err("a single value".to_owned()),
    }
}

/// The keys and values of an object.
struct Record(Vec<(String, Value)>);

impl<'de> serde::Deserialize<'de> for Record {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Record;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a record")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Record, A::Error> {
                let mut out = Vec::new();
                while let Some(key) = map.next_key::<String>()? {
                    out.push((key, map.next_value_seed(Cell { lists: true })?));
                }
                Ok(Record(out))
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

/// One value; lists of numbers are kept if `lists`.
struct Cell {
    lists: bool,
}

impl<'de> DeserializeSeed<'de> for Cell {
    type Value = Value;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Cell {
    type Value = Value;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_unit<E>(self) -> std::result::Result<Value, E> {
        Ok(Value::Missing)
    }
    fn visit_bool<E>(self, v: bool) -> std::result::Result<Value, E> {
        Ok(Value::Text(v.to_string()))
    }
    fn visit_i64<E>(self, v: i64) -> std::result::Result<Value, E> {
        Ok(Value::Text(v.to_string()))
    }
    fn visit_u64<E>(self, v: u64) -> std::result::Result<Value, E> {
        Ok(Value::Text(v.to_string()))
    }
    fn visit_f64<E>(self, v: f64) -> std::result::Result<Value, E> {
        Ok(Value::Text(v.to_string()))
    }
    fn visit_str<E>(self, v: &str) -> std::result::Result<Value, E> {
        Ok(Value::Text(v.to_owned()))
    }
    fn visit_string<E>(self, v: String) -> std::result::Result<Value, E> {
        Ok(Value::Text(v))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Value::Nested("an object"))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> std::result::Result<Value, A::Error> {
        if !self.lists {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(Value::Nested("a list"));
        }
        let (mut list, mut plain) = (Vec::new(), true);
        while let Some(value) = seq.next_element_seed(Cell { lists: false })? {
            match value {
                Value::Text(text) if plain => match text.parse::<f64>() {
                    Ok(number) if number.is_finite() => list.push(number),
                    _ => plain = false,
                },
                _ => plain = false,
            }
        }
        Ok(if plain && !list.is_empty() { Value::List(list) } else { Value::Nested("a list") })
    }
}

#[cfg(test)]
#[path = "json/tests.rs"]
mod tests;
