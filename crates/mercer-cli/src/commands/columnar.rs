//! A table of results by columns, written as CSV, Arrow or Parquet.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_ipc::writer::FileWriter;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;

use super::quoted;

/// The values of a column.
pub(crate) enum Cells {
    Text(Vec<Option<String>>),
    Number(Vec<Option<f64>>),
    /// Shares, with four decimals in CSV.
    Share(Vec<f64>),
    Whole(Vec<i64>),
    /// `yes` or `no` in CSV.
    Flag(Vec<bool>),
}

impl Cells {
    /// Numbers without missing ones.
    pub(crate) fn numbers(values: impl IntoIterator<Item = f64>) -> Self {
        Self::Number(values.into_iter().map(Some).collect())
    }

    /// Texts without missing ones.
    pub(crate) fn texts(values: impl IntoIterator<Item = String>) -> Self {
        Self::Text(values.into_iter().map(Some).collect())
    }

    fn text(&self, i: usize) -> String {
        match self {
            Self::Text(values) => values[i].clone().unwrap_or_default(),
            Self::Number(values) => values[i].map_or_else(String::new, |v| v.to_string()),
            Self::Share(values) => format!("{:.4}", values[i]),
            Self::Whole(values) => values[i].to_string(),
            Self::Flag(values) => if values[i] { "yes" } else { "no" }.to_owned(),
        }
    }

    fn array(&self) -> ArrayRef {
        match self {
            Self::Text(values) => Arc::new(StringArray::from_iter(values.iter().map(Option::as_deref))),
            Self::Number(values) => Arc::new(Float64Array::from(values.clone())),
            Self::Share(values) => Arc::new(Float64Array::from(values.clone())),
            Self::Whole(values) => Arc::new(Int64Array::from(values.clone())),
            Self::Flag(values) => Arc::new(BooleanArray::from(values.clone())),
        }
    }

    fn field(&self, name: &str) -> parquet::errors::Result<Arc<Type>> {
        let (physical, logical) = match self {
            Self::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Self::Number(_) | Self::Share(_) => (Physical::DOUBLE, None),
            Self::Whole(_) => (Physical::INT64, None),
            Self::Flag(_) => (Physical::BOOLEAN, None),
        };
        let some = matches!(self, Self::Text(_) | Self::Number(_));
        let repetition = if some { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let made = Type::primitive_type_builder(name, physical);
        Ok(Arc::new(made.with_logical_type(logical).with_repetition(repetition).build()?))
    }

    fn put<W: Write + Send>(
        &self,
        group: &mut SerializedRowGroupWriter<'_, W>,
    ) -> parquet::errors::Result<()> {
        let Some(mut column) = group.next_column()? else { return Ok(()) };
        match self {
            Self::Text(values) => {
                let there: Vec<ByteArray> =
                    values.iter().flatten().map(|v| ByteArray::from(v.as_str())).collect();
                column.typed::<ByteArrayType>().write_batch(&there, Some(&levels(values)), None)?
            }
            Self::Number(values) => {
                let there: Vec<f64> = values.iter().flatten().copied().collect();
                column.typed::<DoubleType>().write_batch(&there, Some(&levels(values)), None)?
            }
            Self::Share(values) => column.typed::<DoubleType>().write_batch(values, None, None)?,
            Self::Whole(values) => column.typed::<Int64Type>().write_batch(values, None, None)?,
            Self::Flag(values) => column.typed::<BoolType>().write_batch(values, None, None)?,
        };
        column.close()
    }
}

/// Whether each value is there, as Parquet counts it.
fn levels<T>(values: &[Option<T>]) -> Vec<i16> {
    values.iter().map(|v| i16::from(v.is_some())).collect()
}

/// A format of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Csv,
    Arrow,
    Parquet,
}

impl Form {
    /// The format of a file, by its extension; CSV for any other.
    pub(crate) fn of(path: &Path) -> Self {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
        match ending.as_str() {
            "arrow" | "feather" => Self::Arrow,
            "parquet" => Self::Parquet,
            _ => Self::Csv,
        }
    }
}

/// Columns of equal length with their names.
pub(crate) struct Columns {
    rows: usize,
    columns: Vec<(String, Cells)>,
}

impl Columns {
    /// A table of `rows` rows; columns are added by [`Columns::push`].
    pub(crate) fn new(rows: usize) -> Self {
        Self { rows, columns: Vec::new() }
    }

    /// Adds a column.
    pub(crate) fn push(&mut self, name: impl Into<String>, cells: Cells) {
        self.columns.push((name.into(), cells));
    }

    /// Writes the table. Columns of Arrow and Parquet files have distinct names.
    pub(crate) fn write(&self, out: &mut dyn Write, form: Form) -> io::Result<()> {
        match form {
            Form::Csv => self.csv(out, true),
            Form::Arrow => self.arrow(out),
            Form::Parquet => self.parquet(out),
        }
    }

    /// Writes CSV, with the names of the columns if they are wanted.
    pub(crate) fn csv(&self, out: &mut dyn Write, named: bool) -> io::Result<()> {
        if named {
            let names: Vec<String> = self.columns.iter().map(|(name, _)| quoted(name)).collect();
            writeln!(out, "{}", names.join(","))?;
        }
        for i in 0..self.rows {
            let cells: Vec<String> = self.columns.iter().map(|(_, cells)| quoted(&cells.text(i))).collect();
            writeln!(out, "{}", cells.join(","))?;
        }
        Ok(())
    }

    fn arrow(&self, out: &mut dyn Write) -> io::Result<()> {
        let names = self.distinct();
        let columns = names.into_iter().zip(self.columns.iter().map(|(_, cells)| cells.array()));
        let batch = RecordBatch::try_from_iter(columns).map_err(io::Error::other)?;
        let mut writer = FileWriter::try_new(out, &batch.schema()).map_err(io::Error::other)?;
        writer.write(&batch).and_then(|()| writer.finish()).map_err(io::Error::other)
    }

    fn parquet(&self, out: &mut dyn Write) -> io::Result<()> {
        let made = || -> parquet::errors::Result<Vec<u8>> {
            let names = self.distinct();
            let fields: Vec<Arc<Type>> = (self.columns.iter().zip(&names))
                .map(|((_, cells), name)| cells.field(name))
                .collect::<parquet::errors::Result<_>>()?;
            let schema = Arc::new(Type::group_type_builder("predictions").with_fields(fields).build()?);
            let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
            let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties))?;
            let mut group = writer.next_row_group()?;
            self.columns.iter().try_for_each(|(_, cells)| cells.put(&mut group))?;
            group.close()?;
            writer.into_inner()
        };
        out.write_all(&made().map_err(io::Error::other)?)
    }

    /// The names, with a number behind those that repeat an earlier one.
    fn distinct(&self) -> Vec<String> {
        let mut out: Vec<String> = Vec::with_capacity(self.columns.len());
        for (name, _) in &self.columns {
            let mut one = name.clone();
            let mut number = 2;
            while out.contains(&one) {
                one = format!("{name}_{number}");
                number += 1;
            }
            out.push(one);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use mercer::read::{Missing, Options};

    use super::*;

    fn table() -> Columns {
        let mut out = Columns::new(2);
        out.push("id", Cells::texts(["a".to_owned(), "=b".to_owned()]));
        out.push("id", Cells::Number(vec![Some(0.5), None]));
        out.push("row", Cells::Whole(vec![1, 2]));
        out.push("p", Cells::Share(vec![0.25, 1.0]));
        out.push("in_domain", Cells::Flag(vec![true, false]));
        out
    }

    #[test]
    fn csv_is_text() {
        let mut out = Vec::new();
        table().write(&mut out, Form::Csv).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "id,id,row,p,in_domain\na,0.5,1,0.2500,yes\n\"'=b\",,2,1.0000,no\n");
    }

    #[test]
    fn files_are_read_back() {
        for (form, name) in [(Form::Arrow, "a.arrow"), (Form::Parquet, "a.parquet")] {
            assert_eq!(Form::of(Path::new(name)), form);
            let mut out = Vec::new();
            table().write(&mut out, form).unwrap();
            let options = Options { missing: Some(Missing::Keep), ..Options::default() };
            let data = mercer::read::read_bytes(Path::new(name), &out, &options).unwrap();
            let names: Vec<&str> = data.columns().iter().map(|c| c.name.as_str()).collect();
            assert_eq!(data.len(), 2, "{name}");
            assert!(names.contains(&"id_2") && names.contains(&"p"), "{name}: {names:?}");
        }
    }
}
