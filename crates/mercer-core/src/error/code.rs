//! Stable names for what can be wrong.

use std::fmt;

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
    /// Files that cannot be joined: ids missing, twice, or without a match.
    Join = "E_JOIN",
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
    /// Files of a TU collection whose numbers of lines do not fit together.
    TuLength = "E_TU_LENGTH",
    /// An edge to a node that is not there, in a TU collection.
    TuNode = "E_TU_NODE",
    /// An edge that joins two graphs of a TU collection.
    TuCross = "E_TU_CROSS",
    /// Numbers of graphs with gaps or out of order, in a TU collection.
    TuId = "E_TU_ID",
    /// Attributes of different width in a TU collection.
    TuAttributes = "E_TU_ATTR",
    /// Parts of a graph that do not fit together: an edge to a node that is not there, a node given twice.
    Graph = "E_GRAPH",
    /// A `.ts` file whose header is missing or contradicts itself.
    TsHeader = "E_TS_HEADER",
    /// A class that the header of a `.ts` file does not list.
    TsLabel = "E_TS_LABEL",
    /// Series of other lengths than their file says, or than a distance can compare.
    TsLength = "E_TS_LENGTH",
    /// A gap in a series where every value is needed.
    TsMissing = "E_TS_MISSING",
    /// A picture that cannot be decoded, or is too large.
    Image = "E_IMAGE",
    /// Text before the first header of a FASTA file, or a header without a name.
    FastaHeader = "E_FASTA_HEADER",
    /// A header without a sequence.
    SequenceEmpty = "E_SEQ_EMPTY",
    /// Two sequences of one name.
    SequenceDup = "E_SEQ_DUP",
    /// A letter outside the alphabet.
    Alphabet = "E_ALPHABET",
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
    /// A ν that no machine can have with classes of these sizes.
    Nu = "E_NU",
    /// A parameter with which an infinite sum has no value.
    Diverge = "E_DIVERGE",
    /// An expression that cannot be parsed or understood.
    Expression = "E_EXPRESSION",
    /// Work that would not fit in memory or on disk.
    MemoryPlan = "E_MEMORY_PLAN",
    /// An unfinished result that belongs to other work.
    Resume = "E_RESUME",
    /// Work that was not done in the time it had.
    Time = "E_TIME",
    /// The work was interrupted.
    Interrupted = "E_INTERRUPTED",
    /// A numerical routine did not reach its goal.
    Numeric = "E_NUMERIC",
    /// A model file that does not follow its format.
    ModelSyntax = "E_MODEL_SYNTAX",
    /// A model file whose bytes are not those that were written.
    ModelChecksum = "E_MODEL_CHECKSUM",
    /// A model file of a version that is not read here.
    ModelVersion = "E_MODEL_VERSION",
    /// A model with a value that is NaN or infinite.
    ModelNonFinite = "E_MODEL_NONFINITE",
    /// A model whose counts contradict each other or its content.
    ModelCount = "E_MODEL_COUNT",
    /// Values handed to the library that do not fit together.
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
