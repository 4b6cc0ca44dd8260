//! Stable error codes.

use std::fmt;

macro_rules! codes {
    ($($(#[$doc:meta])* $variant:ident = $text:literal),* $(,)?) => {
        /// A stable name for each kind of error.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code { $($(#[$doc])* $variant),* }

        impl Code {
            /// The code as printed, such as `E_NUMBER`.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$variant => $text),* }
            }

            /// All codes.
            pub const ALL: &'static [Code] = &[$(Code::$variant),*];
        }
    };
}

codes! {
    /// The file could not be opened or read.
    IoOpen = "E_IO_OPEN",
    /// The file could not be written.
    IoWrite = "E_IO_WRITE",
    /// Empty input: no bytes, no rows, or only comments.
    Empty = "E_EMPTY",
    /// Bytes that are not UTF-8 text: UTF-16, NUL bytes, Latin-1.
    Encoding = "E_ENCODING",
    /// A line longer than the limit.
    LineTooLong = "E_LINE_TOO_LONG",
    /// The file ends unexpectedly.
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
    /// Dates that contradict each other.
    Date = "E_DATE",
    /// A row whose number of fields differs from that of the first row.
    Columns = "E_COLUMNS",
    /// An unclosed quote.
    Quote = "E_QUOTE",
    /// A header that cannot be used.
    Header = "E_HEADER",
    /// Files that cannot be joined: ids missing, repeated, or without a match.
    Join = "E_JOIN",
    /// The target column is missing.
    Target = "E_TARGET",
    /// Too few classes, or too few members of one.
    Classes = "E_CLASSES",
    /// Sparse indices out of order.
    IndexOrder = "E_INDEX_ORDER",
    /// The same sparse index twice in a row.
    IndexDup = "E_INDEX_DUP",
    /// An invalid sparse index.
    Index = "E_INDEX",
    /// Index 0 in a file whose indices start at 1.
    IndexBase = "E_INDEX_BASE",
    /// A dimension above the limit.
    DimLimit = "E_DIM_LIMIT",
    /// Text that violates the grammar of the format.
    Syntax = "E_SYNTAX",
    /// Two data sets with different numbers of features.
    DimMismatch = "E_DIM_MISMATCH",
    /// Files of a TU data set with inconsistent numbers of lines.
    TuLength = "E_TU_LENGTH",
    /// An edge to a non-existent node, in a TU data set.
    TuNode = "E_TU_NODE",
    /// An edge between two graphs of a TU data set.
    TuCross = "E_TU_CROSS",
    /// Graph numbers with gaps or out of order, in a TU data set.
    TuId = "E_TU_ID",
    /// Attributes of different width in a TU data set.
    TuAttributes = "E_TU_ATTR",
    /// An inconsistent graph: an edge to a non-existent node, or a node given twice.
    Graph = "E_GRAPH",
    /// A `.ts` file whose header is missing or inconsistent.
    TsHeader = "E_TS_HEADER",
    /// A class that the header of a `.ts` file does not list.
    TsLabel = "E_TS_LABEL",
    /// Series whose lengths differ from those declared in the file, or that a distance cannot compare.
    TsLength = "E_TS_LENGTH",
    /// A missing value in a series where every value is required.
    TsMissing = "E_TS_MISSING",
    /// An image that cannot be decoded, or is too large.
    Image = "E_IMAGE",
    /// A SMILES that does not describe a molecule.
    Molecule = "E_MOLECULE",
    /// Text before the first header of a FASTA file, or a header without a name.
    FastaHeader = "E_FASTA_HEADER",
    /// A header without a sequence.
    SequenceEmpty = "E_SEQ_EMPTY",
    /// Two sequences with the same name.
    SequenceDup = "E_SEQ_DUP",
    /// A symbol outside the alphabet.
    Alphabet = "E_ALPHABET",
    /// An npy file with less data than its header declares.
    NpyShort = "E_NPY_SHORT",
    /// An npy element type that is not a number.
    NpyDtype = "E_NPY_DTYPE",
    /// An npy header that cannot be used.
    NpyHeader = "E_NPY_HEADER",
    /// A Parquet file that cannot be read.
    Parquet = "E_PARQUET",
    /// A Parquet column of an unsupported type.
    ParquetType = "E_PARQUET_TYPE",
    /// An Arrow file that cannot be read.
    Arrow = "E_ARROW",
    /// An SQLite database that cannot be read.
    Database = "E_DATABASE",
    /// SQL that is not one query, or a query that fails.
    Query = "E_QUERY",
    /// A sheet or table that the file does not have, or several of which none is chosen.
    Sheet = "E_SHEET",
    /// A nested value where a table needs a single one.
    Nested = "E_NESTED",
    /// Compressed data whose expansion exceeds the limit.
    Ratio = "E_RATIO",
    /// Compressed data that cannot be decompressed.
    Compressed = "E_COMPRESSED",
    /// An archive member with an unsafe or repeated name.
    ZipName = "E_ZIP_NAME",
    /// An unrecognised format.
    Format = "E_FORMAT",
    /// A missing value where a value is required.
    Missing = "E_MISSING",
    /// A column that is missing or of the wrong type.
    Column = "E_COLUMN",
    /// An object that a kernel does not support.
    Object = "E_OBJECT",
    /// A kernel matrix that is not square.
    GramShape = "E_K_SHAPE",
    /// A kernel matrix that is not symmetric.
    GramSymmetry = "E_K_SYMM",
    /// A kernel matrix with negative eigenvalues.
    GramDefinite = "E_K_PSD",
    /// A parameter outside its domain.
    Param = "E_PARAM",
    /// A ν that is infeasible for classes of these sizes.
    Nu = "E_NU",
    /// A parameter for which an infinite sum diverges.
    Diverge = "E_DIVERGE",
    /// An invalid expression.
    Expression = "E_EXPRESSION",
    /// A computation that does not fit in memory or on disk.
    MemoryPlan = "E_MEMORY_PLAN",
    /// An unfinished result that belongs to another computation.
    Resume = "E_RESUME",
    /// The time limit was reached.
    Time = "E_TIME",
    /// The computation was interrupted.
    Interrupted = "E_INTERRUPTED",
    /// A numerical routine failed.
    Numeric = "E_NUMERIC",
    /// A model file that violates its format.
    ModelSyntax = "E_MODEL_SYNTAX",
    /// A model file whose checksum does not match.
    ModelChecksum = "E_MODEL_CHECKSUM",
    /// A model file of an unsupported version.
    ModelVersion = "E_MODEL_VERSION",
    /// A model with a value that is NaN or infinite.
    ModelNonFinite = "E_MODEL_NONFINITE",
    /// A model with inconsistent counts.
    ModelCount = "E_MODEL_COUNT",
    /// Arguments that do not fit together.
    Usage = "E_USAGE",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
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
}
