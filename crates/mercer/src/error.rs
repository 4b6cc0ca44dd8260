//! The library's one error type, the codes that name what went wrong, and warnings.
//!
//! Every message can be shown to a person as it is: where (file, line, column), a stable code, the
//! offending text and what was expected. [`Error::hint`] adds what to do about it.

use std::fmt;
use std::path::{Path, PathBuf};

/// The library's result type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $text:literal),* $(,)?) => {
        /// A stable name for each way an input can be wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code { $($(#[$doc])* $variant),* }

        impl Code {
            /// The code as it is printed, such as `E_NUMBER`.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $text),* }
            }

            /// Every code there is.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];
        }
    };
}

codes! {
    /// The file could not be opened or read.
    IoOpen = "E_IO_OPEN",
    /// The file could not be written.
    IoWrite = "E_IO_WRITE",
    /// Nothing to read: no bytes, no rows, or only comments.
    Empty = "E_EMPTY",
    /// Bytes that are not UTF-8 text: UTF-16, NUL bytes, Latin-1.
    Encoding = "E_ENCODING",
    /// A line longer than the limit.
    LineTooLong = "E_LINE_TOO_LONG",
    /// The file ends in the middle of something.
    Truncated = "E_TRUNCATED",
    /// The file changed while it was read.
    Changed = "E_CHANGED",
    /// Not a regular file: a device, a FIFO, a socket.
    NotRegular = "E_NOT_REGULAR",
    /// A value that is NaN or infinite.
    NonFinite = "E_NONFINITE",
    /// A number too large for a double, or a result that overflowed.
    Overflow = "E_OVERFLOW",
    /// A target value that cannot be used.
    Label = "E_LABEL",
    /// Text where a number was expected.
    Number = "E_NUMBER",
    /// A row with another number of fields than the first.
    Columns = "E_COLUMNS",
    /// A quote that never closes.
    Quote = "E_QUOTE",
    /// A header that cannot be used.
    Header = "E_HEADER",
    /// The target column is not there.
    Target = "E_TARGET",
    /// Too few classes, or too few members of one.
    Classes = "E_CLASSES",
    /// Sparse indices out of order.
    IndexOrder = "E_INDEX_ORDER",
    /// The same sparse index twice in a row.
    IndexDup = "E_INDEX_DUP",
    /// A sparse index that is no index.
    Index = "E_INDEX",
    /// Index 0 in a file whose indices start at 1.
    IndexBase = "E_INDEX_BASE",
    /// A dimension above the limit.
    DimLimit = "E_DIM_LIMIT",
    /// Text that does not follow the format's grammar.
    Syntax = "E_SYNTAX",
    /// Two data sets with different numbers of features.
    DimMismatch = "E_DIM_MISMATCH",
    /// An npy file with less data than its header promises.
    NpyShort = "E_NPY_SHORT",
    /// An npy element type that is not a number.
    NpyDtype = "E_NPY_DTYPE",
    /// An npy header that cannot be used.
    NpyHeader = "E_NPY_HEADER",
    /// A Parquet file that cannot be read.
    Parquet = "E_PARQUET",
    /// A Parquet column of a type without a meaning here.
    ParquetType = "E_PARQUET_TYPE",
    /// Compressed data that grows beyond reason.
    Ratio = "E_RATIO",
    /// Compressed data that cannot be decompressed.
    Compressed = "E_COMPRESSED",
    /// An archive member with an unsafe or repeated name.
    ZipName = "E_ZIP_NAME",
    /// A format nobody recognises.
    Format = "E_FORMAT",
    /// A missing value where one is needed.
    Missing = "E_MISSING",
    /// A column that is not there or has the wrong type.
    Column = "E_COLUMN",
    /// An object a kernel cannot take.
    Object = "E_OBJECT",
    /// A kernel matrix that is not square.
    GramShape = "E_K_SHAPE",
    /// A kernel matrix that is not symmetric.
    GramSymmetry = "E_K_SYMM",
    /// A kernel matrix with negative eigenvalues.
    GramDefinite = "E_K_PSD",
    /// A parameter outside its domain.
    Param = "E_PARAM",
    /// An expression that cannot be parsed or understood.
    Expression = "E_EXPRESSION",
    /// Work that would not fit in memory or on disk.
    MemoryPlan = "E_MEMORY_PLAN",
    /// An unfinished result that belongs to other work.
    Resume = "E_RESUME",
    /// The work was interrupted.
    Interrupted = "E_INTERRUPTED",
    /// A numerical routine did not reach its goal.
    Numeric = "E_NUMERIC",
    /// Values handed to the library that do not fit together.
    Usage = "E_USAGE",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where in a file something is. Lines and columns count from 1; 0 means unknown or not applicable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, as the user named it.
    pub file: PathBuf,
    /// The line, from 1; in binary formats, 0.
    pub line: u64,
    /// The column in characters, from 1; in binary formats, 0.
    pub column: u64,
}

impl Place {
    /// A whole file.
    pub fn file(file: impl AsRef<Path>) -> Self {
        Place { file: file.as_ref().to_owned(), line: 0, column: 0 }
    }

    /// A position in a file.
    pub fn new(file: impl AsRef<Path>, line: u64, column: u64) -> Self {
        Place { file: file.as_ref().to_owned(), line, column }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
            if self.column > 0 {
                write!(f, ":{}", self.column)?;
            }
        }
        Ok(())
    }
}

/// Everything that can go wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The operating system refused a file.
    Io {
        /// The file.
        path: PathBuf,
        /// [`Code::IoOpen`] or [`Code::IoWrite`].
        code: Code,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file's content is not what it should be.
    Parse {
        /// Where.
        place: Place,
        /// What kind of fault.
        code: Code,
        /// What was found and what was expected.
        reason: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// A kernel expression cannot be parsed or does not fit the registry.
    Expression {
        /// The whole expression.
        text: String,
        /// The offending part, as byte offsets into `text`.
        span: std::ops::Range<usize>,
        /// What is wrong.
        reason: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// A parameter outside its domain.
    Param {
        /// The parameter.
        name: String,
        /// The value given.
        value: String,
        /// The values allowed.
        domain: String,
    },
    /// A column that is not there, or not of the type needed.
    Column {
        /// The column asked for.
        name: String,
        /// What is wrong with it.
        reason: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// One object that a kernel cannot take.
    Object {
        /// Its index, from 0.
        index: usize,
        /// Why not.
        reason: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// A missing value where one is needed.
    Missing {
        /// The object's index, from 0.
        index: usize,
        /// The column.
        column: String,
    },
    /// Two data sets whose numbers of features differ.
    Dimension {
        /// What the first has.
        expected: usize,
        /// What the second has.
        found: usize,
    },
    /// A value of a Gram matrix is NaN or infinite.
    NonFinite {
        /// Row of the entry, from 0.
        row: usize,
        /// Column of the entry, from 0.
        col: usize,
        /// True when finite objects gave it: the kernel overflowed.
        overflow: bool,
    },
    /// A matrix of the wrong shape.
    Shape {
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// A similarity matrix that is not symmetric.
    NotSymmetric {
        /// Row of the largest difference, from 0.
        row: usize,
        /// Column of the largest difference, from 0.
        col: usize,
        /// The difference |K_ij - K_ji|.
        difference: f64,
    },
    /// A matrix that should be positive semidefinite and is not.
    NotPositiveDefinite {
        /// The smallest eigenvalue.
        lambda_min: f64,
        /// The largest eigenvalue.
        lambda_max: f64,
    },
    /// The work would not fit.
    MemoryPlan {
        /// Bytes the work needs.
        needed: u64,
        /// Bytes it may have.
        allowed: u64,
        /// What the bytes are for and where they would go.
        what: String,
    },
    /// An unfinished result on disk belongs to other work.
    Resume {
        /// The unfinished file.
        path: PathBuf,
        /// How it differs.
        reason: String,
    },
    /// The work was interrupted; what is on disk is kept.
    Interrupted,
    /// A numerical routine did not reach its goal.
    Numeric {
        /// Which, and why.
        reason: String,
    },
    /// Values handed to the library that do not fit together.
    Usage {
        /// What does not fit.
        reason: String,
    },
}

impl Error {
    /// A file's content is not what it should be.
    pub fn parse(place: Place, code: Code, reason: impl Into<String>) -> Self {
        Error::Parse { place, code, reason: reason.into(), hint: None }
    }

    /// A parameter outside its domain.
    pub fn param(name: &str, value: impl fmt::Display, domain: &str) -> Self {
        Error::Param { name: name.to_owned(), value: value.to_string(), domain: domain.to_owned() }
    }

    /// Values that do not fit together.
    pub fn usage(reason: impl Into<String>) -> Self {
        Error::Usage { reason: reason.into() }
    }

    /// The same error with advice, where its kind has room for it and has none yet.
    #[must_use]
    pub fn with_hint(mut self, text: impl Into<String>) -> Self {
        match &mut self {
            Error::Parse { hint, .. }
            | Error::Expression { hint, .. }
            | Error::Column { hint, .. }
            | Error::Object { hint, .. } => {
                hint.get_or_insert_with(|| text.into());
            }
            _ => {}
        }
        self
    }

    /// The stable code of this error.
    pub fn code(&self) -> Code {
        match self {
            Error::Io { code, .. } | Error::Parse { code, .. } => *code,
            Error::Expression { .. } => Code::Expression,
            Error::Param { .. } => Code::Param,
            Error::Column { .. } => Code::Column,
            Error::Object { .. } => Code::Object,
            Error::Missing { .. } => Code::Missing,
            Error::Dimension { .. } => Code::DimMismatch,
            Error::NonFinite { overflow: true, .. } => Code::Overflow,
            Error::NonFinite { overflow: false, .. } => Code::NonFinite,
            Error::Shape { .. } => Code::GramShape,
            Error::NotSymmetric { .. } => Code::GramSymmetry,
            Error::NotPositiveDefinite { .. } => Code::GramDefinite,
            Error::MemoryPlan { .. } => Code::MemoryPlan,
            Error::Resume { .. } => Code::Resume,
            Error::Interrupted => Code::Interrupted,
            Error::Numeric { .. } => Code::Numeric,
            Error::Usage { .. } => Code::Usage,
        }
    }

    /// Whether the user's input is at fault, rather than the machine or the numbers.
    pub fn is_input(&self) -> bool {
        !matches!(self, Error::Interrupted | Error::Numeric { .. } | Error::Io { code: Code::IoWrite, .. })
    }

    /// What to do about it, where there is something to say.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Parse { hint, .. }
            | Error::Expression { hint, .. }
            | Error::Column { hint, .. }
            | Error::Object { hint, .. } => hint.clone(),
            Error::Missing { column, .. } => Some(format!(
                "drop such rows while reading (--missing drop), or give them similarity 0 with zero-extend(…@{column})"
            )),
            Error::NotPositiveDefinite { .. } => {
                Some("repair it with repair(…, method=clip), flip, shift or diffuse".into())
            }
            Error::Resume { .. } => Some("finish that work, remove the file, or pass --fresh".into()),
            Error::NonFinite { overflow: true, .. } => {
                Some("scale the data (standardize(…)), or lower the degree".into())
            }
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self.code();
        match self {
            Error::Io { path, source, .. } => write!(f, "{} {code} {source}", path.display()),
            Error::Parse { place, reason, .. } => write!(f, "{place} {code} {reason}"),
            Error::Expression { text, span, reason, .. } => {
                let column = text.get(..span.start).map_or(0, |s| s.chars().count()) + 1;
                write!(f, "kernel:1:{column} {code} {reason}")
            }
            Error::Param { name, value, domain } => write!(f, "{code} {name} = {value}: must be {domain}"),
            Error::Column { name, reason, .. } => write!(f, "{code} column '{name}': {reason}"),
            Error::Object { index, reason, .. } => write!(f, "{code} object {}: {reason}", index + 1),
            Error::Missing { index, column } => {
                write!(f, "{code} object {}: no value in column '{column}'", index + 1)
            }
            Error::Dimension { expected, found } => {
                write!(f, "{code} {found} features where the kernel knows {expected}")
            }
            Error::NonFinite { row, col, overflow } => {
                let what = if *overflow { "the kernel overflows" } else { "NaN or infinity" };
                write!(f, "{code} {what} at entry ({}, {})", row + 1, col + 1)
            }
            Error::Shape { expected, found } => write!(f, "{code} expected {expected}, found {found}"),
            Error::NotSymmetric { row, col, difference } => {
                write!(
                    f,
                    "{code} not symmetric: entries ({0}, {1}) and ({1}, {0}) differ by {difference:.3e}",
                    row + 1,
                    col + 1
                )
            }
            Error::NotPositiveDefinite { lambda_min, lambda_max } => {
                write!(
                    f,
                    "{code} not positive semidefinite: eigenvalues from {lambda_min:.6e} to {lambda_max:.6e}"
                )
            }
            Error::MemoryPlan { needed, allowed, what } => {
                write!(f, "{code} {what} needs {}, {} may be used", bytes(*needed), bytes(*allowed))
            }
            Error::Resume { path, reason } => {
                write!(f, "{} {code} unfinished work: {reason}", path.display())
            }
            Error::Interrupted => write!(f, "{code} interrupted"),
            Error::Numeric { reason } | Error::Usage { reason } => write!(f, "{code} {reason}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// A number of bytes for people: `512 MB`, `1.5 GB`.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut value = n as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if value >= 10.0 || unit == 0 {
        format!("{value:.0} {}", UNITS[unit])
    } else {
        format!("{value:.1} {}", UNITS[unit])
    }
}

/// Something worth saying that does not stop the work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// A stable name, such as `W_CONSTANT`.
    pub code: &'static str,
    /// What was noticed.
    pub message: String,
}

impl Warning {
    /// A warning with its code and message.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Warning { code, message: message.into() }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code, self.message)
    }
}

/// The names among `known` nearest to `wanted`, best first: what a user probably meant.
pub fn nearest<'a>(wanted: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let wanted = wanted.to_lowercase();
    let limit = (wanted.chars().count() / 3).max(1) + 1;
    let mut scored: Vec<_> = known
        .into_iter()
        .map(|name| (edits(&wanted, &name.to_lowercase()), name))
        .filter(|(d, name)| *d <= limit || name.to_lowercase().contains(&wanted) && wanted.len() > 2)
        .collect();
    scored.sort();
    scored.into_iter().map(|(_, name)| name).take(3).collect()
}

fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut corner = i;
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let next = (corner + usize::from(ca != *cb)).min(row[j] + 1).min(row[j + 1] + 1);
            corner = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct() {
        let mut seen: Vec<_> = Code::ALL.iter().map(|c| c.as_str()).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), Code::ALL.len());
    }

    #[test]
    fn nearest_names() {
        assert_eq!(nearest("rgf", ["rbf", "linear", "polynomial"]), ["rbf"]);
        assert_eq!(nearest("poly", ["rbf", "linear", "polynomial"]), ["polynomial"]);
        assert!(nearest("zebra", ["rbf", "linear"]).is_empty());
    }

    #[test]
    fn bytes_for_people() {
        assert_eq!(bytes(512_000_000), "512 MB");
        assert_eq!(bytes(1_500_000_000), "1.5 GB");
        assert_eq!(bytes(17), "17 B");
        assert_eq!(bytes(999_999), "1.0 MB");
    }

    #[test]
    fn places_print_as_much_as_they_know() {
        assert_eq!(Place::new("a.csv", 3, 7).to_string(), "a.csv:3:7");
        assert_eq!(Place::new("a.csv", 3, 0).to_string(), "a.csv:3");
        assert_eq!(Place::file("a.npy").to_string(), "a.npy");
    }
}
