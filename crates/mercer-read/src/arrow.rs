//! Arrow IPC files, which are Feather files of version 2: flat tables.
//!
//! The decoder is a dependency that trusts its input more than is safe here: positions and decompressed sizes are
//! checked beforehand, and a panic inside it becomes an error. Numbers, booleans, strings, dates and times are read;
//! times as ISO 8601 text, durations as seconds. A dictionary of strings, such as a pandas categorical, holds
//! categories. Nulls and NaN are missing values, as in pandas. Nested values and bytes are refused.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal128Type, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{Block, root_as_footer, root_as_message};
use arrow_schema::{ArrowError, DataType, TimeUnit};

use super::reserve::check_spread;
use super::rows::{Places, Rows};
use super::{Options, calendar, guard, roles, source::Source, unpack};
use crate::budget;
use crate::data::{Dataset, Kind};
use crate::error::{Code, Error, Result};

/// The first and the last bytes of a file.
pub(super) const MAGIC: &[u8] = b"ARROW1";

pub(crate) fn read(source: &Source, options: &Options) -> Result<Dataset> {
    if source.bytes.is_empty() {
        return Err(source.fault(Code::Empty, "the file is empty"));
    }
    if !source.bytes.starts_with(MAGIC) {
        return Err(source
            .fault(Code::Arrow, "not an Arrow file, or one of the form for streams")
            .with_hint("write it with pyarrow.feather.write_feather or pyarrow.ipc.new_file"));
    }
    guard::caught(|| table(source, options))
        .unwrap_or_else(|| Err(source.fault(Code::Arrow, "the file is damaged: it cannot be decoded")))
}

fn table(source: &Source, options: &Options) -> Result<Dataset> {
    let size = source.bytes.len();
    let cut = || source.fault(Code::Truncated, "the file ends before its footer");
    if size < 20 || !source.bytes.ends_with(MAGIC) {
        return Err(cut());
    }
    let length =
        source.bytes.get(size - 10..size - 6).and_then(|b| b.try_into().ok()).map(i32::from_le_bytes);
    let start = length.and_then(|n| usize::try_from(n).ok()).and_then(|n| (size - 10).checked_sub(n));
    let footer = start.and_then(|start| source.bytes.get(start..size - 10)).ok_or_else(cut)?;
    let footer = root_as_footer(footer).map_err(|e| damaged(source, "the footer", &e.to_string()))?;
    let schema = footer.schema().ok_or_else(|| damaged(source, "the footer", "it has no schema"))?;
    let schema = Arc::new(try_fb_to_schema(schema).map_err(|e| failed(source, &e))?);
    let mut own = options.clone();
    for field in schema.fields() {
        let name = field.name();
        if options.ignore.contains(name) {
            continue;
        }
        let kind = field.data_type();
        refuse(kind).map_err(|(code, found)| {
            source
                .fault(code, format!("column '{name}' holds {found}, expected numbers, strings or times"))
                .with_hint(format!("leave it out with `ignore={name}`"))
        })?;
        if matches!(kind, DataType::Dictionary(_, value) if is_text(value)) {
            own.kinds.entry(name.clone()).or_insert(Kind::Categories);
        }
    }

    budget::ask("an Arrow file", size as u64)?;
    let bytes = Buffer::from(source.bytes.to_vec());
    let mut decoder = FileDecoder::new(Arc::clone(&schema), footer.version());
    let mut left = unpack::JUDGED_FROM.max((size as u64).saturating_mul(options.limits.ratio));
    for block in footer.dictionaries().iter().flatten() {
        let part = checked(source, &bytes, block, &mut left)?;
        decoder.read_dictionary(block, &part).map_err(|e| failed(source, &e))?;
    }
    let mut rows = Rows::new(source.name, Places::Cells).with_header();
    rows.begin(0);
    schema.fields().iter().for_each(|f| rows.push(Some(f.name())));
    rows.end()?;
    let (mut count, width) = (0u64, schema.fields().len() as u64);
    for block in footer.recordBatches().iter().flatten() {
        budget::check()?;
        let part = checked(source, &bytes, block, &mut left)?;
        let batch = decoder.read_record_batch(block, &part).map_err(|e| failed(source, &e))?;
        let Some(batch) = batch else { continue };
        check_spread(
            "the table of an Arrow file",
            (count + batch.num_rows() as u64) * width,
            2,
            size as u64,
        )?;
        write(&batch, &mut count, &mut rows)?;
    }
    if count == 0 {
        return Err(source.fault(Code::Empty, "no rows"));
    }
    roles::frame_index_as_ids(rows.read(&own, Vec::new())?, options)
}

/// The bytes of a block, if they are in the file and their decompressed size is plausible.
fn checked(source: &Source, bytes: &Buffer, block: &Block, left: &mut u64) -> Result<Buffer> {
    let outside = || damaged(source, "the footer", "a block is outside the file");
    let number = |n: i64| usize::try_from(n).map_err(|_| outside());
    let (offset, head, body) =
        (number(block.offset())?, number(block.metaDataLength().into())?, number(block.bodyLength())?);
    let length = head.checked_add(body).ok_or_else(outside)?;
    let end = offset.checked_add(length).filter(|end| *end <= bytes.len()).ok_or_else(outside)?;
    let all = &bytes.as_slice()[offset..end];
    // A marker and the length of the rest come before the message; older files have only the length.
    let start = if all.starts_with(&[0xFF; 4]) { 8 } else { 4 };
    let message = all.get(start..head).ok_or_else(outside)?;
    let message = root_as_message(message).map_err(|e| damaged(source, "a message", &e.to_string()))?;
    let batch = message.header_as_record_batch().or_else(|| message.header_as_dictionary_batch()?.data());
    let content = all.get(head..).unwrap_or(&[]);
    for buffer in batch.filter(|b| b.compression().is_some()).and_then(|b| b.buffers()).iter().flatten() {
        let at = usize::try_from(buffer.offset()).map_err(|_| outside())?;
        if buffer.length() < 8 {
            continue;
        }
        let claimed = content.get(at..).and_then(|c| c.first_chunk()).copied().map(i64::from_le_bytes);
        // -1 stands for a buffer that is stored as it is.
        let claimed = u64::try_from(claimed.ok_or_else(outside)?).unwrap_or(buffer.length().unsigned_abs());
        *left = left.checked_sub(claimed).ok_or_else(|| {
            let size = source.bytes.len();
            source
                .fault(Code::Ratio, format!("the columns are too large for a file of {size} bytes"))
                .with_hint("if you trust the file, raise the limit with `max-ratio`")
        })?;
        budget::ask("a column of an Arrow file", claimed)?;
    }
    Ok(bytes.slice_with_length(offset, length))
}

/// Whether a type is text.
fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// An error with a description for types that a table cannot hold.
fn refuse(kind: &DataType) -> std::result::Result<(), (Code, String)> {
    match kind {
        DataType::Null
        | DataType::Boolean
        | DataType::Date32
        | DataType::Date64
        | DataType::Time32(_)
        | DataType::Time64(_)
        | DataType::Timestamp(..)
        | DataType::Duration(_)
        | DataType::Decimal128(..) => Ok(()),
        kind if kind.is_integer() || kind.is_floating() || is_text(kind) => Ok(()),
        DataType::Dictionary(_, value) => refuse(value),
        DataType::List(_)
        | DataType::LargeList(_)
        | DataType::ListView(_)
        | DataType::LargeListView(_)
        | DataType::FixedSizeList(..)
        | DataType::Struct(_)
        | DataType::Map(..)
        | DataType::Union(..) => Err((Code::Nested, "nested values".into())),
        other => Err((Code::Column, format!("{other} values"))),
    }
}

/// Adds the rows of a batch.
fn write(batch: &RecordBatch, count: &mut u64, rows: &mut Rows<'_>) -> Result<()> {
    let columns: Vec<Cells<'_>> = batch.columns().iter().map(cells).collect();
    for i in 0..batch.num_rows() {
        *count += 1;
        rows.begin(*count);
        columns.iter().for_each(|put| put(i, rows));
        rows.end()?;
    }
    Ok(())
}

/// Adds the cell of a row to the rows.
type Cells<'a> = Box<dyn Fn(usize, &mut Rows<'_>) + 'a>;

fn cells(array: &ArrayRef) -> Cells<'_> {
    let put = present(array);
    match array.logical_nulls() {
        None => put,
        Some(nulls) => Box::new(move |i, rows| if nulls.is_null(i) { rows.push(None) } else { put(i, rows) }),
    }
}

/// The cells of an array that are not null.
fn present(array: &ArrayRef) -> Cells<'_> {
    macro_rules! numbers {
        ($kind:ty) => {{
            let values = array.as_primitive::<$kind>();
            Box::new(move |i, rows: &mut Rows<'_>| rows.push(Some(&values.value(i).to_string())))
        }};
    }
    match array.data_type() {
        DataType::Boolean => {
            let values = array.as_boolean();
            Box::new(move |i, rows| rows.push(Some(if values.value(i) { "true" } else { "false" })))
        }
        DataType::Int8 => numbers!(Int8Type),
        DataType::Int16 => numbers!(Int16Type),
        DataType::Int32 => numbers!(Int32Type),
        DataType::Int64 => numbers!(Int64Type),
        DataType::UInt8 => numbers!(UInt8Type),
        DataType::UInt16 => numbers!(UInt16Type),
        DataType::UInt32 => numbers!(UInt32Type),
        DataType::UInt64 => numbers!(UInt64Type),
        DataType::Float16 => {
            let values = array.as_primitive::<Float16Type>();
            Box::new(move |i, rows| rows.push_number(values.value(i).to_f64()))
        }
        DataType::Float32 => {
            let values = array.as_primitive::<Float32Type>();
            Box::new(move |i, rows| rows.push_number(f64::from(values.value(i))))
        }
        DataType::Float64 => {
            let values = array.as_primitive::<Float64Type>();
            Box::new(move |i, rows| rows.push_number(values.value(i)))
        }
        DataType::Decimal128(..) => {
            let values = array.as_primitive::<Decimal128Type>();
            Box::new(move |i, rows| rows.push(Some(&values.value_as_string(i))))
        }
        DataType::Utf8 => {
            let values = array.as_string::<i32>();
            Box::new(move |i, rows| rows.push(Some(values.value(i))))
        }
        DataType::LargeUtf8 => {
            let values = array.as_string::<i64>();
            Box::new(move |i, rows| rows.push(Some(values.value(i))))
        }
        DataType::Utf8View => {
            let values = array.as_string_view();
            Box::new(move |i, rows| rows.push(Some(values.value(i))))
        }
        DataType::Date32 => {
            let values = array.as_primitive::<Date32Type>();
            Box::new(move |i, rows| rows.push(calendar::date(values.value(i).into()).as_deref()))
        }
        DataType::Date64 => {
            let values = array.as_primitive::<Date64Type>();
            Box::new(move |i, rows| rows.push(instant(values.value(i), 1000, true).as_deref()))
        }
        DataType::Timestamp(unit, zone) => {
            let (unit, zoned) = (parts(*unit), zone.is_some());
            let values = whole(array);
            Box::new(move |i, rows| {
                let text = instant(values(i), unit, false).map(|t| if zoned { t + "Z" } else { t });
                rows.push(text.as_deref());
            })
        }
        DataType::Time32(unit) | DataType::Time64(unit) => {
            let (unit, values) = (parts(*unit), whole(array));
            Box::new(move |i, rows| rows.push(Some(&calendar::time(values(i).div_euclid(unit)))))
        }
        DataType::Duration(unit) => {
            let (unit, values) = (parts(*unit), whole(array));
            Box::new(move |i, rows| rows.push_number(values(i) as f64 / unit as f64))
        }
        DataType::Dictionary(..) => match array.as_any_dictionary_opt() {
            Some(dictionary) => {
                let (keys, put) = (dictionary.normalized_keys(), cells(dictionary.values()));
                Box::new(move |i, rows| put(keys[i], rows))
            }
            None => Box::new(|_, rows| rows.push(None)),
        },
        // Other types were refused, except for columns that are left out.
        _ => Box::new(|_, rows| rows.push(None)),
    }
}

/// Parts of a second.
fn parts(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}

/// The values of an array of times as whole numbers, whatever their unit and size.
fn whole(array: &ArrayRef) -> impl Fn(usize) -> i64 + use<> {
    let data = array.to_data();
    let narrow = array.data_type().primitive_width() == Some(4);
    move |i| {
        if narrow {
            data.buffer::<i32>(0).get(i).copied().map_or(0, i64::from)
        } else {
            data.buffer::<i64>(0).get(i).copied().unwrap_or(0)
        }
    }
}

/// The time that is this many parts of a second after 1 January 1970; without the time if it is midnight and `short`.
fn instant(value: i64, unit: i64, short: bool) -> Option<String> {
    let (seconds, rest) = (value.div_euclid(unit), value.rem_euclid(unit));
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let date = calendar::date(days)?;
    if short && second == 0 && rest == 0 {
        return Some(date);
    }
    let digits = unit.ilog10() as usize;
    let fraction = if rest == 0 { String::new() } else { format!(".{rest:0digits$}") };
    Some(format!("{date}T{}{fraction}", calendar::time(second)))
}

fn damaged(source: &Source, what: &str, why: &str) -> Error {
    source.fault(Code::Arrow, format!("{what} cannot be read: {why}"))
}

fn failed(source: &Source, error: &ArrowError) -> Error {
    damaged(source, "the file", &error.to_string())
}

#[cfg(test)]
#[path = "arrow/tests.rs"]
mod tests;
