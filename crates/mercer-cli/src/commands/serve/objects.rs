//! Reads JSON objects by column name, `{"objects": [{"age": 31, "sex": "f"}]}`, as a table.
//!
//! They are read one by one within the memory budget of the request: a tree of values takes up to a hundred times the
//! memory of its text, and a table of all names that occur grows with the square of the text.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::Path;

use mercer::budget;
use mercer::data::{Dataset, Values};
use mercer::model::Model;
use mercer::{Code, Error, Place, Result};
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::json;

use super::answer::from_table;
use crate::commands::quoted;

/// Other names a table may have in addition to the columns of the model; with more, unknown names are left out.
const OTHERS: usize = 64;

/// The objects as data, and a warning about names that are left out.
pub(super) fn read(model: &Model, body: &[u8]) -> Result<(Dataset, Option<String>)> {
    let fault = |line: u64, reason: String| {
        Error::parse(Place { line, ..Place::file(Path::new("objects")) }, Code::Syntax, reason)
            .with_hint("{\"objects\": [{\"column\": value, …}, …]}")
    };
    let known = model.stored_objects().columns().iter();
    let numbers = known.filter(|c| matches!(c.values, Values::Numbers(_))).map(|c| c.name.as_str()).collect();
    let collected = Collected { numbers, table: RefCell::default(), reason: RefCell::default() };
    let mut reader = serde_json::Deserializer::from_slice(body);
    let done = (&collected).deserialize(&mut reader).and_then(|()| reader.end());
    budget::check()?;
    if let Err(error) = done {
        return Err(match collected.reason.take() {
            Some(reason) => fault(0, reason.into()),
            None => fault(error.line() as u64, format!("not JSON: {error}")),
        });
    }
    let Table { names, objects, is_there } = collected.table.into_inner();
    if !is_there {
        return Err(fault(0, "no list named objects".into()));
    }
    if objects.is_empty() || names.is_empty() {
        return Err(fault(0, "no objects, or objects without columns".into()));
    }
    let mut columns: Vec<(&str, u32)> = names.iter().map(|(name, i)| (name.as_str(), *i)).collect();
    columns.sort_unstable();
    let left_out = without_unknown(model, &mut columns);
    // The column of each name in the table.
    let mut order = vec![None; names.len()];
    columns.iter().enumerate().for_each(|(at, (_, name))| order[*name as usize] = Some(at));
    let values = (columns.len() as u64).saturating_mul(objects.len() as u64);
    budget::ask("the table of these objects", values.saturating_mul(2))?;
    let mut table = columns.iter().map(|(name, _)| quoted(name)).collect::<Vec<_>>().join(",") + "\n";
    let mut row = vec![""; columns.len()];
    for object in &objects {
        budget::check_often()?;
        row.fill("");
        for (name, text) in object {
            if let Some(at) = order[*name as usize] {
                row[at] = text;
            }
        }
        for (i, value) in row.iter().enumerate() {
            if i > 0 {
                table.push(',');
            }
            table.push_str(&quoted(value));
        }
        // A line with one empty field would look like an empty line.
        if let [""] = row[..] {
            table.push_str("\"\"");
        }
        table.push('\n');
    }
    drop(row);
    drop(objects);
    budget::check()?;
    Ok((from_table(model, Path::new("objects.csv"), table.as_bytes())?, left_out))
}

/// Removes names that are not columns of the model, if there are many of them.
fn without_unknown(model: &Model, columns: &mut Vec<(&str, u32)>) -> Option<String> {
    let known: HashSet<&str> = model.stored_objects().columns().iter().map(|c| c.name.as_str()).collect();
    if columns.len() <= 4 * known.len() + OTHERS {
        return None;
    }
    let before = columns.len();
    let first =
        columns.iter().find(|(name, _)| !known.contains(name)).map_or("", |(name, _)| name).to_owned();
    match columns.iter().any(|(name, _)| known.contains(name)) {
        true => columns.retain(|(name, _)| known.contains(name)),
        // The error will then name a missing column, which helps more than that there are no columns.
        false => columns.truncate(1),
    }
    Some(format!(
        "{} names that are not columns of the model are left out, such as '{first}'",
        before - columns.len()
    ))
}

/// The objects read so far.
struct Collected<'a> {
    /// Columns of the model that hold numbers: true and false are 1 and 0 there.
    numbers: HashSet<&'a str>,
    table: RefCell<Table>,
    /// Why the objects cannot be read, as a message of ours.
    reason: RefCell<Option<&'static str>>,
}

#[derive(Default)]
struct Table {
    names: HashMap<String, u32>,
    /// The nonempty values of each object, by the number of their name.
    objects: Vec<Vec<(u32, Box<str>)>>,
    is_there: bool,
}

impl Collected<'_> {
    fn refuse<E: serde::de::Error>(&self, reason: &'static str) -> E {
        *self.reason.borrow_mut() = Some(reason);
        E::custom(reason)
    }
}

const NO_LIST: &str = "no list named objects";
const NO_OBJECT: &str = "objects must be { … } with the names of columns";
const NO_VALUE: &str = "values must be numbers, strings, true, false or null";

impl<'de> DeserializeSeed<'de> for &Collected<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<(), D::Error> {
        deserializer.deserialize_any(Whole(self))
    }
}

/// Makes a visitor refuse these kinds of values for this reason.
macro_rules! otherwise {
    ($reason:expr; $($visit:ident $kind:ty),*) => {
        $(fn $visit<E: serde::de::Error>(self, _: $kind) -> std::result::Result<Self::Value, E> {
            Err(self.0.refuse($reason))
        })*
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str($reason)
        }
    };
}

/// The whole document.
struct Whole<'a, 'b>(&'a Collected<'b>);

impl<'de> Visitor<'de> for Whole<'_, '_> {
    type Value = ();
    otherwise!(NO_LIST; visit_bool bool, visit_i64 i64, visit_u64 u64, visit_f64 f64, visit_str &str);

    fn visit_unit<E: serde::de::Error>(self) -> std::result::Result<(), E> {
        Err(self.0.refuse(NO_LIST))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> std::result::Result<(), A::Error> {
        Err(self.0.refuse(NO_LIST))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "objects" {
                map.next_value_seed(Seed(List(self.0)))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// Reads any value with a visitor.
struct Seed<V>(V);

impl<'de, V: Visitor<'de>> DeserializeSeed<'de> for Seed<V> {
    type Value = V::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> std::result::Result<V::Value, D::Error> {
        deserializer.deserialize_any(self.0)
    }
}

/// The list of objects.
struct List<'a, 'b>(&'a Collected<'b>);

impl<'de> Visitor<'de> for List<'_, '_> {
    type Value = ();
    otherwise!(NO_LIST; visit_bool bool, visit_i64 i64, visit_u64 u64, visit_f64 f64, visit_str &str);

    fn visit_unit<E: serde::de::Error>(self) -> std::result::Result<(), E> {
        Err(self.0.refuse(NO_LIST))
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> std::result::Result<(), A::Error> {
        Err(self.0.refuse(NO_LIST))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<(), A::Error> {
        {
            // If the list is given twice, the last one counts.
            let mut table = self.0.table.borrow_mut();
            *table = Table { is_there: true, ..Table::default() };
        }
        while let Some(object) = list.next_element_seed(Seed(Object(self.0)))? {
            budget::check_often().map_err(A::Error::custom)?;
            self.0.table.borrow_mut().objects.push(object);
        }
        Ok(())
    }
}

/// One object.
struct Object<'a, 'b>(&'a Collected<'b>);

impl<'de> Visitor<'de> for Object<'_, '_> {
    type Value = Vec<(u32, Box<str>)>;
    otherwise!(NO_OBJECT; visit_bool bool, visit_i64 i64, visit_u64 u64, visit_f64 f64, visit_str &str);

    fn visit_unit<E: serde::de::Error>(self) -> std::result::Result<Self::Value, E> {
        Err(self.0.refuse(NO_OBJECT))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> std::result::Result<Self::Value, A::Error> {
        Err(self.0.refuse(NO_OBJECT))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> std::result::Result<Self::Value, A::Error> {
        let mut values = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            budget::check_often().map_err(A::Error::custom)?;
            let is_number = self.0.numbers.contains(key.as_str());
            let name = {
                let mut table = self.0.table.borrow_mut();
                let next = table.names.len() as u32;
                *table.names.entry(key).or_insert(next)
            };
            let text = map.next_value_seed(Seed(Field(self.0, is_number)))?;
            values.push((name, text));
        }
        values.shrink_to_fit();
        Ok(values)
    }
}

/// One value, as text.
struct Field<'a, 'b>(&'a Collected<'b>, bool);

impl<'de> Visitor<'de> for Field<'_, '_> {
    type Value = Box<str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NO_VALUE)
    }

    fn visit_unit<E: serde::de::Error>(self) -> std::result::Result<Box<str>, E> {
        Ok("".into())
    }

    fn visit_bool<E: serde::de::Error>(self, yes: bool) -> std::result::Result<Box<str>, E> {
        Ok(if self.1 { u8::from(yes).to_string() } else { yes.to_string() }.into())
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> std::result::Result<Box<str>, E> {
        Ok(number.to_string().into())
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> std::result::Result<Box<str>, E> {
        Ok(number.to_string().into())
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> std::result::Result<Box<str>, E> {
        Ok(json!(number).to_string().into())
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> std::result::Result<Box<str>, E> {
        Ok(text.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> std::result::Result<Box<str>, A::Error> {
        Err(self.0.refuse(NO_VALUE))
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> std::result::Result<Box<str>, A::Error> {
        Err(self.0.refuse(NO_VALUE))
    }
}
