//! The values of one Parquet column, row group after row group.

use std::sync::Arc;

use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::DataType;
use parquet::file::metadata::ParquetMetaData;

use super::pages::{Checked, Watched};
use super::{Form, damaged};
use crate::assemble::{self, Role};
use crate::budget;
use crate::data::{DAY, Dense, Times, Values, show_time};
use crate::error::{Code, Error, Result};
use crate::source::Source;

/// Number of values decoded between two size checks.
const BATCH: usize = 1024;

pub(super) struct Decoder<'a> {
    source: &'a Source<'a>,
    file: &'a Arc<Watched>,
    metadata: &'a ParquetMetaData,
    /// The rows of each group.
    rows: Vec<u64>,
    /// The bytes that may still be decoded, for all columns together.
    left: u64,
    /// Whether a policy for nulls was given.
    nulls: bool,
}

/// The output of decoding.
enum Sink {
    Numbers(Vec<f64>),
    Names(Vec<Option<String>>),
}

/// Seconds since 1970 of nanoseconds in a day (low, high) and its Julian number.
fn int96(data: &[u32]) -> f64 {
    const EPOCH: f64 = 2_440_588.0;
    let part = |i: usize| f64::from(data.get(i).copied().unwrap_or(0));
    (part(2) - EPOCH) * DAY + (part(1) * 4_294_967_296.0 + part(0)) / 1e9
}

impl<'a> Decoder<'a> {
    pub(super) fn new(
        source: &'a Source<'a>,
        file: &'a Arc<Watched>,
        metadata: &'a ParquetMetaData,
        rows: Vec<u64>,
        limit: u64,
        nulls: bool,
    ) -> Self {
        Decoder { source, file, metadata, rows, left: limit, nulls }
    }

    /// All values of a column; nulls are NaN or `None`. Whole numbers that name objects or groups become text, because
    /// large ones are not distinct as doubles. Times that name objects, groups or classes become text as well.
    pub(super) fn column(&mut self, leaf: usize, name: &str, role: Role, form: Form) -> Result<Values> {
        let naming = matches!(role, Role::Id | Role::Group) && !matches!(form, Form::Float | Form::Double);
        let naming = naming || form.is_time() && role == Role::Target;
        let mut sink =
            if naming || form == Form::String { Sink::Names(Vec::new()) } else { Sink::Numbers(Vec::new()) };
        // Objects without a target are set aside.
        let nulls = self.nulls;
        self.nulls |= role == Role::Target;
        for group in 0..self.rows.len() {
            self.chunk(&mut sink, leaf, group, name, role, form)?;
        }
        self.nulls = nulls;
        Ok(match sink {
            Sink::Numbers(values) if form.is_time() => Values::Times(Times::new(values)),
            Sink::Numbers(values) => Values::Numbers(Dense::new(values.len(), 1, values)?),
            Sink::Names(values) => Values::Strings(values),
        })
    }

    fn chunk(
        &mut self,
        sink: &mut Sink,
        leaf: usize,
        group: usize,
        name: &str,
        role: Role,
        form: Form,
    ) -> Result<()> {
        let source = self.source;
        let what = format!("column '{name}'");
        let chunk = self.metadata.row_group(group).columns().get(leaf).ok_or_else(|| {
            source.fault(Code::Parquet, format!("{what} is not in row group {}", group + 1))
        })?;
        let pages =
            Checked::new(self.file, chunk, self.rows[group]).map_err(|e| damaged(source, &what, &e))?;
        let reader = get_column_reader(chunk.column_descr_ptr(), Box::new(pages));
        let number = |sink: &mut Sink, value: f64| match sink {
            Sink::Numbers(values) if value.is_finite() => {
                values.push(value);
                Ok(8)
            }
            Sink::Numbers(values) => {
                let at = format!("row {}", values.len() + 1);
                Err(assemble::non_finite(source, &what, role, &at, value))
            }
            Sink::Names(values) => {
                values.push(Some(value.to_string()));
                Ok(8)
            }
        };
        let whole = |sink: &mut Sink, value: i128| match sink {
            Sink::Numbers(values) => {
                values.push(value as f64);
                Ok(8)
            }
            Sink::Names(values) => {
                values.push(Some(value.to_string()));
                Ok(24)
            }
        };
        let time = |sink: &mut Sink, seconds: f64| match sink {
            Sink::Numbers(values) => {
                values.push(seconds);
                Ok(8)
            }
            Sink::Names(values) => {
                values.push(Some(show_time(seconds)));
                Ok(48)
            }
        };
        match (reader, form) {
            (ColumnReader::Int32ColumnReader(r), Form::Days) => {
                self.drain(r, sink, group, &what, |s, v| time(s, f64::from(*v) * DAY))
            }
            (ColumnReader::Int64ColumnReader(r), Form::Time(parts)) => {
                self.drain(r, sink, group, &what, |s, v| time(s, *v as f64 / f64::from(parts)))
            }
            (ColumnReader::Int96ColumnReader(r), Form::Int96) => {
                self.drain(r, sink, group, &what, |s, v| time(s, int96(v.data())))
            }
            (ColumnReader::BoolColumnReader(r), _) => {
                self.drain(r, sink, group, &what, |s, v| whole(s, i128::from(*v)))
            }
            (ColumnReader::Int32ColumnReader(r), Form::Unsigned32) => {
                self.drain(r, sink, group, &what, |s, v| whole(s, i128::from(*v as u32)))
            }
            (ColumnReader::Int32ColumnReader(r), _) => {
                self.drain(r, sink, group, &what, |s, v| whole(s, i128::from(*v)))
            }
            (ColumnReader::Int64ColumnReader(r), Form::Unsigned64) => {
                self.drain(r, sink, group, &what, |s, v| whole(s, i128::from(*v as u64)))
            }
            (ColumnReader::Int64ColumnReader(r), _) => {
                self.drain(r, sink, group, &what, |s, v| whole(s, i128::from(*v)))
            }
            (ColumnReader::FloatColumnReader(r), _) => {
                self.drain(r, sink, group, &what, |s, v| number(s, f64::from(*v)))
            }
            (ColumnReader::DoubleColumnReader(r), _) => {
                self.drain(r, sink, group, &what, |s, v| number(s, *v))
            }
            (ColumnReader::ByteArrayColumnReader(r), _) => self.drain(r, sink, group, &what, |sink, v| {
                let Sink::Names(values) = sink else { return Ok(0) };
                let text = std::str::from_utf8(v.data()).map_err(|_| {
                    let row = values.len() + 1;
                    source.fault(Code::Encoding, format!("{what} at row {row}: not UTF-8 text"))
                })?;
                values.push(Some(text.to_owned()));
                Ok(8 + text.len() as u64)
            }),
            (ColumnReader::Int96ColumnReader(_) | ColumnReader::FixedLenByteArrayColumnReader(_), _) => {
                Err(source.fault(Code::ParquetType, format!("{what} holds neither numbers nor strings")))
            }
        }
    }

    /// The error for a null in the row after those in the sink.
    fn null(&self, sink: &Sink, what: &str) -> Error {
        let row = 1 + match sink {
            Sink::Numbers(values) => values.len(),
            Sink::Names(values) => values.len(),
        };
        self.source
            .fault(Code::ParquetType, format!("{what} holds a null in row {row}, expected a value in every row"))
            .with_hint("leave such rows out with `missing=drop`, or keep nulls as missing values with `missing=keep`")
    }

    /// Passes every value of a chunk to `put`, which returns the number of bytes stored.
    fn drain<T: DataType>(
        &mut self,
        mut reader: ColumnReaderImpl<T>,
        sink: &mut Sink,
        group: usize,
        what: &str,
        mut put: impl FnMut(&mut Sink, &T::T) -> Result<u64>,
    ) -> Result<()> {
        let promised = self.rows[group];
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        let mut rows = 0u64;
        loop {
            budget::check()?;
            values.clear();
            levels.clear();
            let (records, present, _) = reader
                .read_records(BATCH, Some(&mut levels), None, &mut values)
                .map_err(|e| damaged(self.source, what, &e))?;
            if records == 0 {
                break;
            }
            rows += records as u64;
            let mut next = values.iter().take(present);
            for i in 0..records {
                // Columns without nulls have no levels.
                let kept = match levels.get(i) {
                    Some(0) if !self.nulls => return Err(self.null(sink, what)),
                    Some(0) => {
                        match sink {
                            Sink::Numbers(values) => values.push(f64::NAN),
                            Sink::Names(values) => values.push(None),
                        }
                        8
                    }
                    _ => match next.next() {
                        Some(value) => put(sink, value)?,
                        None => break,
                    },
                };
                self.left = self.left.checked_sub(kept).ok_or_else(|| {
                    let size = self.source.bytes.len();
                    self.source
                        .fault(Code::Ratio, format!("{what} is too large for a file of {size} bytes"))
                        .with_hint("if you trust the file, raise the limit with `max-ratio`")
                })?;
            }
            if rows > promised {
                break;
            }
        }
        if rows == promised {
            return Ok(());
        }
        Err(self.source.fault(
            Code::Parquet,
            format!("{what} has {rows} rows in group {}, the footer declares {promised}", group + 1),
        ))
    }
}
