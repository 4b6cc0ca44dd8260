//! Apache Parquet: flat tables of numbers, strings and times.
//!
//! The decoder is a dependency that trusts its input more than is safe here: its allocations are checked beforehand
//! ([`footer`], [`pages`]), and a panic inside it becomes an error.
//!
//! A null is rejected unless the user states a policy for missing values: a null may be intended, or the result of a
//! failed join. Nested values and decimals are rejected. Strings are read in any encoding, and their type is inferred
//! as in other tables. A feature that Arrow declares as a dictionary, such as a pandas categorical, is rejected until
//! its type is given: it is meant as categories, which inference from few values may miss ([`arrow`]).

mod arrow;
mod footer;
mod pages;
mod values;

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use parquet::schema::types::ColumnDescriptor;

use super::assemble::{self, Role};
use super::guard;
use super::{Options, roles, source::Source};
use crate::budget;
use crate::data::{Categories, Column, Dataset, Kind, Values};
use crate::error::{Code, Error, Result};
use pages::{JUDGED_FROM, Watched};
use values::Decoder;

/// Reads a flat table.
pub(crate) fn read(source: &Source, options: &Options) -> Result<Dataset> {
    if source.bytes.is_empty() {
        return Err(source.fault(Code::Empty, "the file is empty"));
    }
    footer::check(source.bytes).map_err(|reason| source.fault(Code::Parquet, reason))?;
    guard::caught(|| table(source, options))
        .unwrap_or_else(|| Err(source.fault(Code::Parquet, "the file is damaged: it cannot be decoded")))
}

fn table(source: &Source, options: &Options) -> Result<Dataset> {
    // The decoder needs to own its input; the pages share this one copy.
    budget::ask("the pages of a Parquet file", source.bytes.len() as u64)?;
    let bytes = Bytes::copy_from_slice(source.bytes);
    let metadata = ParquetMetaDataReader::new()
        .parse_and_finish(&bytes)
        .map_err(|e| damaged(source, "the footer", &e))?;
    let schema = metadata.file_metadata().schema_descr();

    let fields = schema.root_schema().get_fields();
    let names: Vec<&str> = fields.iter().map(|f| f.name()).collect();
    let mut seen = HashSet::with_capacity(names.len());
    for name in &names {
        if !seen.insert(*name) {
            return Err(source.fault(Code::Header, format!("two columns named '{name}'")));
        }
    }
    let roles = assemble::roles(source, &names, options)?;
    let limit = JUDGED_FROM.max((source.bytes.len() as u64).saturating_mul(options.limits.ratio));
    let rows = rows(source, &metadata, limit)?;

    let arrow = metadata.file_metadata().key_value_metadata();
    let arrow = arrow.and_then(|pairs| pairs.iter().find(|pair| pair.key == "ARROW:schema"));
    let dictionaries =
        arrow.and_then(|pair| pair.value.as_deref()).map(arrow::dictionaries).unwrap_or_default();
    let dictionaries: HashSet<String> = dictionaries.into_iter().collect();

    let file = Arc::new(Watched { bytes, ratio: options.limits.ratio });
    let mut decoder = Decoder::new(source, &file, &metadata, rows, limit, options.missing.is_some());
    let mut table = Vec::new();
    for leaf in 0..schema.num_columns() {
        let field = schema.get_column_root_idx(leaf);
        let (name, role) = (names[field], roles[field]);
        if role == Role::Ignore {
            continue;
        }
        let form = form(schema.columns()[leaf].as_ref());
        let form = match form {
            Ok(form) if form.is_time() && role == Role::Weight => Err("times".to_owned()),
            other => other,
        };
        let form = form.map_err(|found| {
            source
                .fault(
                    Code::ParquetType,
                    format!("column '{name}' holds {found}, expected numbers, strings or times"),
                )
                .with_hint(format!(
                    "leave it out with `ignore={name}`, or write it as another type, such as decimals as float64"
                ))
        })?;
        if role == Role::Feature && !options.kinds.contains_key(name) && dictionaries.contains(name) {
            let reason = format!("column '{name}' holds dictionary strings, expected numbers or strings");
            let hint = format!("declare them with `type={name}=categories`");
            return Err(source.fault(Code::ParquetType, reason).with_hint(hint));
        }
        let values = decoder.column(leaf, name, role, form)?;
        let values = match values {
            Values::Strings(strings) if role == Role::Feature => match options.kinds.get(name) {
                Some(Kind::Strings) => Values::Strings(strings),
                Some(Kind::Text) => Values::Text(strings),
                Some(Kind::Categories) => {
                    Values::Categories(Categories::from_values(strings.iter().map(Option::as_deref)))
                }
                _ => assemble::infer(strings),
            },
            other => other,
        };
        table.push((role, Column::new(name, values)));
    }
    roles::frame_index_as_ids(assemble::assemble(source, table, options)?, options)
}

/// The rows of each group, if their sum is plausible for the file size.
fn rows(source: &Source, metadata: &ParquetMetaData, limit: u64) -> Result<Vec<u64>> {
    let mut sum = 0u64;
    let mut rows = Vec::new();
    for group in metadata.row_groups() {
        let n = u64::try_from(group.num_rows())
            .map_err(|_| source.fault(Code::Parquet, format!("a row group of {} rows", group.num_rows())))?;
        sum = sum.saturating_add(n);
        rows.push(n);
    }
    if sum == 0 {
        return Err(source.fault(Code::Empty, "no rows"));
    }
    if sum > limit / 8 {
        let size = source.bytes.len();
        return Err(source.fault(Code::Parquet, format!("the footer declares {sum} rows in {size} bytes")));
    }
    Ok(rows)
}

/// How the bits of a column are interpreted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Bool,
    Signed32,
    Unsigned32,
    Signed64,
    Unsigned64,
    Float,
    Double,
    String,
    /// Days since 1 January 1970.
    Days,
    /// Times since then, in this many parts of a second.
    Time(u32),
    /// The day and the nanosecond in it, as older programs write them.
    Int96,
}

impl Form {
    /// Whether the values are dates or times.
    pub(crate) fn is_time(self) -> bool {
        matches!(self, Form::Days | Form::Time(_) | Form::Int96)
    }
}

/// The form of a column, or the name of its unsupported type.
fn form(column: &ColumnDescriptor) -> Result<Form, String> {
    if column.max_rep_level() > 0 || column.path().parts().len() > 1 || column.max_def_level() > 1 {
        return Err("nested or repeated values".into());
    }
    let (logical, converted) = (column.logical_type_ref(), column.converted_type());
    let described = || match (logical, converted) {
        (Some(logical), _) => {
            let name = format!("{logical:?}");
            format!("{} values", name.split(['(', ' ', '{']).next().unwrap_or_default().to_lowercase())
        }
        (None, ConvertedType::NONE) => format!("{} values", column.physical_type()),
        (None, converted) => format!("{converted} values"),
    };
    let parts = match (logical, converted) {
        (Some(LogicalType::Timestamp(time)), _) => Some(match time.unit {
            TimeUnit::MILLIS => 1000,
            TimeUnit::MICROS => 1_000_000,
            TimeUnit::NANOS => 1_000_000_000,
        }),
        (None, ConvertedType::TIMESTAMP_MILLIS) => Some(1000),
        (None, ConvertedType::TIMESTAMP_MICROS) => Some(1_000_000),
        _ => None,
    };
    match (column.physical_type(), parts) {
        (Type::INT64, Some(parts)) => return Ok(Form::Time(parts)),
        (Type::INT32, None)
            if matches!((logical, converted), (Some(LogicalType::Date), _) | (None, ConvertedType::DATE)) =>
        {
            return Ok(Form::Days);
        }
        (Type::INT96, None) => return Ok(Form::Int96),
        _ => {}
    }
    let whole = match (logical, converted) {
        (None, ConvertedType::NONE) => Some(true),
        (Some(LogicalType::Integer(int)), _) => Some(int.is_signed),
        (Some(_), _) => None,
        (
            None,
            ConvertedType::INT_8 | ConvertedType::INT_16 | ConvertedType::INT_32 | ConvertedType::INT_64,
        ) => Some(true),
        (
            None,
            ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64,
        ) => Some(false),
        _ => None,
    };
    let text = match logical {
        Some(LogicalType::String | LogicalType::Enum) => true,
        Some(_) => false,
        None => matches!(converted, ConvertedType::UTF8 | ConvertedType::ENUM),
    };
    match (column.physical_type(), whole) {
        (Type::BOOLEAN, _) => Ok(Form::Bool),
        (Type::INT32, Some(true)) => Ok(Form::Signed32),
        (Type::INT32, Some(false)) => Ok(Form::Unsigned32),
        (Type::INT64, Some(true)) => Ok(Form::Signed64),
        (Type::INT64, Some(false)) => Ok(Form::Unsigned64),
        (Type::FLOAT, _) => Ok(Form::Float),
        (Type::DOUBLE, _) => Ok(Form::Double),
        (Type::BYTE_ARRAY, _) if text => Ok(Form::String),
        _ => Err(described()),
    }
}

fn damaged(source: &Source, what: &str, error: &ParquetError) -> Error {
    source.fault(Code::Parquet, format!("{what} cannot be read: {error}"))
}

#[cfg(test)]
#[path = "parquet/tests.rs"]
mod tests;
