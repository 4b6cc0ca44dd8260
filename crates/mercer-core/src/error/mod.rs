//! The error type of the library, the error codes, and warnings.
//!
//! Every message can be shown to users unchanged: position (file, line, column), a stable code, the offending text and
//! what was expected. [`Error::hint`] adds advice.

mod code;
mod nearest;
mod options;
mod shown;
mod warning;

use std::fmt;
use std::path::{Path, PathBuf};

pub use code::Code;
pub use nearest::nearest;
pub use options::Options;
#[doc(hidden)]
pub use shown::shown;
pub use warning::Warning;

/// The library's result type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A position in a file. Lines and columns count from 1; 0 means unknown or not applicable.
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

/// All errors of the library.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The operating system reported an error for a file.
    Io {
        /// The file.
        path: PathBuf,
        /// [`Code::IoOpen`] or [`Code::IoWrite`].
        code: Code,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The content of a file is invalid.
    Parse {
        /// Where.
        place: Place,
        /// The kind of error.
        code: Code,
        /// What was found and what was expected.
        reason: String,
        /// Advice.
        hint: Option<String>,
    },
    /// A kernel or learner expression is not valid syntax or not in the registry.
    Expression {
        /// The kind of expression: `kernel` or `learner`.
        what: &'static str,
        /// The whole expression.
        text: String,
        /// The offending part, as byte offsets into `text`.
        span: std::ops::Range<usize>,
        /// [`Code::Expression`], or [`Code::Param`] where a value lies outside its parameter's domain.
        code: Code,
        /// What is wrong.
        reason: String,
        /// Advice.
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
    /// A parameter for which an infinite sum diverges.
    Diverge {
        /// The parameter.
        name: String,
        /// The value given.
        value: f64,
        /// The upper bound (exclusive).
        bound: f64,
        /// The object that determines the bound, from 0, if any.
        index: Option<usize>,
    },
    /// A ν that is infeasible for classes of these sizes.
    Nu {
        /// The value given.
        value: f64,
        /// The largest feasible value.
        most: f64,
    },
    /// Too few classes, or too few members of one.
    Classes {
        /// Which classes, and what they are needed for.
        reason: String,
    },
    /// A column that is missing or of the wrong type.
    Column {
        /// The requested column.
        name: String,
        /// What is wrong with it.
        reason: String,
        /// Advice.
        hint: Option<String>,
    },
    /// An object that a kernel does not support.
    Object {
        /// Its index, from 0.
        index: usize,
        /// Why not.
        reason: String,
        /// Advice.
        hint: Option<String>,
    },
    /// A time series that a kernel does not support.
    Series {
        /// Its index, from 0.
        index: usize,
        /// [`Code::TsLength`] or [`Code::TsMissing`].
        code: Code,
        /// Why not.
        reason: String,
        /// Advice.
        hint: Option<String>,
    },
    /// A missing value where a value is required.
    Missing {
        /// The object's index, from 0.
        index: usize,
        /// The column.
        column: String,
    },
    /// Two data sets with different numbers of features.
    Dimension {
        /// The expected number.
        expected: usize,
        /// The number found.
        found: usize,
    },
    /// A value of a Gram matrix is NaN or infinite.
    NonFinite {
        /// Row of the entry, from 0.
        row: usize,
        /// Column of the entry, from 0.
        col: usize,
        /// True if the objects are finite, so that the kernel overflowed.
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
    /// A matrix that is not positive semidefinite, but has to be.
    NotPositiveDefinite {
        /// The smallest eigenvalue.
        lambda_min: f64,
        /// The largest eigenvalue.
        lambda_max: f64,
    },
    /// The computation does not fit in memory or on disk.
    MemoryPlan {
        /// Bytes needed.
        needed: u64,
        /// Bytes available.
        allowed: u64,
        /// What the bytes are for.
        what: String,
    },
    /// An unfinished result on disk belongs to another computation.
    Resume {
        /// The unfinished file.
        path: PathBuf,
        /// How it differs.
        reason: String,
    },
    /// The time limit was reached.
    Time {
        /// The time limit.
        allowed: std::time::Duration,
    },
    /// The computation was interrupted; results on disk are kept.
    Interrupted,
    /// A numerical routine failed.
    Numeric {
        /// Which routine, and why.
        reason: String,
    },
    /// Arguments that do not fit together.
    Usage {
        /// What does not fit.
        reason: String,
    },
}

impl Error {
    /// The content of a file is invalid.
    pub fn parse(place: Place, code: Code, reason: impl Into<String>) -> Self {
        Error::Parse { place, code, reason: reason.into(), hint: None }
    }

    /// A parameter outside its domain.
    pub fn param(name: &str, value: impl fmt::Display, domain: &str) -> Self {
        Error::Param { name: name.to_owned(), value: value.to_string(), domain: domain.to_owned() }
    }

    /// Arguments that do not fit together.
    pub fn usage(reason: impl Into<String>) -> Self {
        Error::Usage { reason: reason.into() }
    }

    /// The same error with advice, for kinds that have a hint which is still empty.
    #[must_use]
    pub fn with_hint(mut self, text: impl Into<String>) -> Self {
        match &mut self {
            Error::Parse { hint, .. }
            | Error::Expression { hint, .. }
            | Error::Column { hint, .. }
            | Error::Object { hint, .. }
            | Error::Series { hint, .. } => {
                hint.get_or_insert_with(|| text.into());
            }
            _ => {}
        }
        self
    }

    /// The same error with the index of its object mapped by `whole`, for objects derived from others.
    #[doc(hidden)]
    pub fn of_object(mut self, whole: impl FnOnce(usize) -> usize) -> Self {
        if let Error::Object { index, .. }
        | Error::Series { index, .. }
        | Error::Missing { index, .. }
        | Error::Diverge { index: Some(index), .. } = &mut self
        {
            *index = whole(*index);
        }
        self
    }

    /// The stable code of this error.
    pub fn code(&self) -> Code {
        match self {
            Error::Io { code, .. }
            | Error::Parse { code, .. }
            | Error::Series { code, .. }
            | Error::Expression { code, .. } => *code,
            Error::Nu { .. } => Code::Nu,
            Error::Classes { .. } => Code::Classes,
            Error::Param { .. } => Code::Param,
            Error::Diverge { .. } => Code::Diverge,
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
            Error::Time { .. } => Code::Time,
            Error::Interrupted => Code::Interrupted,
            Error::Numeric { .. } => Code::Numeric,
            Error::Usage { .. } => Code::Usage,
        }
    }

    /// Whether the input is the cause, rather than the system, the budget or the numerics.
    pub fn is_input(&self) -> bool {
        !matches!(
            self,
            Error::Time { .. }
                | Error::Interrupted
                | Error::Numeric { .. }
                | Error::Io { code: Code::IoWrite, .. }
        )
    }

    /// Whether the [`Budget`](crate::Budget) ended the computation.
    pub fn is_end_of_budget(&self) -> bool {
        matches!(self, Error::Time { .. } | Error::Interrupted | Error::MemoryPlan { .. })
    }

    /// Advice, if any.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::Parse { hint, .. }
            | Error::Expression { hint, .. }
            | Error::Column { hint, .. }
            | Error::Object { hint, .. }
            | Error::Series { hint, .. } => hint.clone(),
            Error::Missing { column, .. } => Some(format!(
                "drop such rows while reading (`missing=drop`), fill them from the training objects with impute(…), or give them similarity 0 with zero-extend(…@{column})"
            )),
            Error::NotPositiveDefinite { .. } => {
                Some("repair it with repair(…, method=clip), flip, shift or diffuse".into())
            }
            Error::MemoryPlan { what, .. } if what.contains("matri") => Some(
                "nystrom(…, rank=1000) around the kernel with linear-svc, linear-svr or ridge needs no such matrix, and so does explicit(…) of a kernel that counts"
                    .into(),
            ),
            Error::Resume { .. } => Some("finish that computation, remove the file, or use `fresh`".into()),
            Error::NonFinite { overflow: true, .. } => {
                Some("values this large need another scale: standardize(…) or a lower degree for vectors, normalize(…) around a kernel that counts or aligns".into())
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
            Error::Expression { what, text, span, reason, .. } => {
                let column = text.get(..span.start).map_or(0, |s| s.chars().count()) + 1;
                write!(f, "{what}:1:{column} {code} {reason}")
            }
            Error::Param { name, value, domain } => write!(f, "{code} {name} = {value}: must be {domain}"),
            Error::Diverge { name, value, bound, index } => {
                write!(f, "{code} {name} = {value}: the sum diverges; must be below {bound:.6e}")?;
                index.map_or(Ok(()), |i| write!(f, " (object {})", i + 1))
            }
            Error::Nu { value, most } => {
                write!(f, "{code} nu = {value}: must be at most {most} for classes of these sizes")
            }
            Error::Classes { reason } => write!(f, "{code} {reason}"),
            Error::Column { name, reason, .. } => write!(f, "{code} column '{name}': {reason}"),
            Error::Object { index, reason, .. } | Error::Series { index, reason, .. } => {
                write!(f, "{code} object {}: {reason}", index + 1)
            }
            Error::Missing { index, column } => {
                write!(f, "{code} object {}: no value in column '{column}'", index + 1)
            }
            Error::Dimension { expected, found } => {
                write!(f, "{code} {found} features, but the kernel expects {expected}")
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
            Error::Time { allowed } => write!(f, "{code} not done within {:.3} s", allowed.as_secs_f64()),
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

/// A number of bytes in readable form: `512 MB`, `1.5 GB`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readable_byte_counts() {
        assert_eq!(bytes(512_000_000), "512 MB");
        assert_eq!(bytes(1_500_000_000), "1.5 GB");
        assert_eq!(bytes(17), "17 B");
        assert_eq!(bytes(999_999), "1.0 MB");
    }

    #[test]
    fn places_print_their_known_components() {
        assert_eq!(Place::new("a.csv", 3, 7).to_string(), "a.csv:3:7");
        assert_eq!(Place::new("a.csv", 3, 0).to_string(), "a.csv:3");
        assert_eq!(Place::file("a.npy").to_string(), "a.npy");
    }
}
