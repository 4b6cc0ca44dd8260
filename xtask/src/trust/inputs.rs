//! The list of bad inputs: the result of each, and the result of other systems where tried.

/// A type of bad input.
pub(super) struct Row {
    pub(super) number: u64,
    pub(super) input: &'static str,
    pub(super) gets: &'static str,
    /// The result of other systems; empty if not tried.
    pub(super) others: &'static str,
}

/// The other systems and their versions.
pub(super) const PEERS: &str = "Others are scikit-learn 1.9.1, numpy 2.4.6, LIBSVM 3.37 and GraKeL 0.1.11, tried by hand beforehand; an empty entry means \
     that nothing was tried.";

const fn row(number: u64, input: &'static str, gets: &'static str, others: &'static str) -> Row {
    Row { number, input, gets, others }
}

pub(super) const ROWS: [Row; 65] = [
    row(
        1,
        "file missing, a directory, or without permission",
        "`E_IO_OPEN` with the path and the system's reason",
        "",
    ),
    row(2, "empty file", "`E_EMPTY`", "scikit-learn's svmlight reader gives a matrix of shape (0, 1)"),
    row(3, "only blank lines or comments", "`E_EMPTY`", "scikit-learn gives shape (0, 1)"),
    row(4, "UTF-8 byte order mark", "accepted, the same result", "scikit-learn raises ValueError"),
    row(5, "UTF-16 byte order mark", "`E_ENCODING` with the offset", ""),
    row(6, "NUL byte in text, bytes that are not UTF-8", "`E_ENCODING` with the offset", ""),
    row(7, "lines that end in CRLF or CR", "accepted, the same result", ""),
    row(8, "a line of 10 MB", "`E_LINE_TOO_LONG`; `--max-line` raises the limit", ""),
    row(9, "last line without a line end", "accepted, the same result", ""),
    row(10, "file truncated within a token", "`E_TRUNCATED`", ""),
    row(11, "file that grows or shrinks while it is read", "`E_CHANGED`, never a signal", ""),
    row(12, "cyclic links, FIFO, socket, /dev/zero", "`E_NOT_REGULAR`", ""),
    row(13, "NaN as a feature", "`E_NONFINITE` with line and column", "the svmlight reader accepts it"),
    row(14, "infinity as a feature", "`E_NONFINITE` with line and column", "the svmlight reader accepts it"),
    row(15, "1e999", "`E_OVERFLOW`", "accepted as infinity"),
    row(16, "NaN as a label", "`E_LABEL`", "accepted"),
    row(17, "decimal comma", "`E_NUMBER`", ""),
    row(18, "hexadecimal, 1_000, digits beyond ASCII", "`E_NUMBER`", ""),
    row(19, "the smallest numbers, 4.9e-324", "accepted, exact to the bit", ""),
    row(20, "row with too few or too many fields", "`E_COLUMNS` with both numbers", ""),
    row(21, "unclosed quote", "`E_QUOTE` where it opens", ""),
    row(22, "duplicate column name", "`E_HEADER`", ""),
    row(23, "header without rows", "`E_EMPTY`", ""),
    row(24, "text in a column of numbers", "`E_NUMBER` with the column's name", ""),
    row(25, "missing target column", "`E_TARGET` with the nearest names", ""),
    row(26, "one class only, or a class too small for the folds", "`E_CLASSES`", ""),
    row(27, "constant column with scaling", "`W_CONSTANT`, no NaN", ""),
    row(28, "LIBSVM: descending indices", "`E_INDEX_ORDER`", ""),
    row(29, "LIBSVM: duplicate index", "`E_INDEX_DUP`", ""),
    row(30, "LIBSVM: negative or missing index", "`E_INDEX`", ""),
    row(
        31,
        "LIBSVM: index 0 although indices begin at 1",
        "`E_INDEX_BASE`, unless `--index-base 0`",
        "the svmlight reader accepts it and infers the index base",
    ),
    row(
        32,
        "LIBSVM: index 2147483647 or 10^11",
        "`E_DIM_LIMIT`",
        "the svmlight reader accepts 2147483647 columns, and raises OverflowError for 10^11",
    ),
    row(33, "LIBSVM: no value, no colon", "`E_SYNTAX`", ""),
    row(34, "new objects with more features than in training", "`E_DIM_MISMATCH`", ""),
    row(35, "TU: files of different lengths", "`E_TU_LENGTH` with both counts", ""),
    row(36, "TU: edge to node 0 or beyond the last", "`E_TU_NODE`", ""),
    row(37, "TU: edge between two graphs", "`E_TU_CROSS`", ""),
    row(38, "TU: numbers of graphs with gaps or out of order", "`E_TU_ID`", ""),
    row(
        39,
        "graph without edges, or of one node",
        "accepted, all similarities finite",
        "GraKeL: NaN (shortest paths), ZeroDivisionError (SVM theta), ValueError (edge histogram, NSPD)",
    ),
    row(
        40,
        "loops, duplicate edges, edges in one direction",
        "a documented rule, and a warning with their number",
        "",
    ),
    row(41, "TU: attributes of different width", "`E_TU_ATTR`", ""),
    row(
        42,
        "graph smaller than the graphlets",
        "similarities 0 and `W_SMALL`, never NaN",
        "GraKeL gives NaN in the whole row",
    ),
    row(43, "two graphs of 20 000 nodes in a random-walk kernel", "`E_MEMORY_PLAN` before the work", ""),
    row(44, "FASTA: sequence before the first header", "`E_FASTA_HEADER`", ""),
    row(45, "FASTA: empty sequence, duplicate name", "`E_SEQ_EMPTY`, `E_SEQ_DUP`", ""),
    row(46, "FASTA: symbol outside the alphabet", "`E_ALPHABET` with line and column", ""),
    row(47, "string shorter than k", "similarity 0 and `W_SHORT`; normalised 0, not NaN", ""),
    row(48, ".ts without @data, undeclared class", "`E_TS_HEADER`, `E_TS_LABEL`", ""),
    row(
        49,
        "series of unequal lengths for a kernel that needs equal ones, missing values",
        "`E_TS_LENGTH`, `E_TS_MISSING`",
        "",
    ),
    row(50, "constant series, z-normalised", "zeros and `W_CONSTANT`, never NaN", ""),
    row(
        51,
        "npy of 129 bytes that claims 32 GiB",
        "`E_NPY_SHORT`, nothing allocated",
        "numpy tries to allocate 32 GiB",
    ),
    row(52, "npy of objects, header above 10 kB, shape above 2^64", "`E_NPY_DTYPE`, `E_NPY_HEADER`", ""),
    row(53, "npy in big-endian or Fortran order", "accepted, the same bits", ""),
    row(54, "Parquet: damaged footer or page, truncated", "`E_PARQUET`", ""),
    row(55, "Parquet: nulls, nested, decimal, dictionary", "`E_PARQUET_TYPE` with the column", ""),
    row(56, "gzip, zip or zstd bomb; zip with ../ or a duplicate name", "`E_RATIO`, `E_ZIP_NAME`", ""),
    row(
        57,
        "kernel matrix not square, asymmetric, with NaN, indefinite",
        "`E_K_SHAPE`, `E_K_SYMM`, `E_NONFINITE`, `E_K_PSD` with the eigenvalues",
        "scikit-learn accepts an asymmetric matrix without a warning",
    ),
    row(
        58,
        "parameter outside its domain, infeasible ν, diverging sum, overflow",
        "`E_PARAM`, `E_NU`, `E_DIVERGE` with the bound, `E_OVERFLOW` with the pair",
        "",
    ),
    row(59, "LIBSVM model: nr_sv above total_sv", "`E_MODEL_COUNT`", "LIBSVM: segmentation fault"),
    row(60, "LIBSVM model: total_sv -1", "`E_MODEL_…`", "LIBSVM: segmentation fault"),
    row(61, "LIBSVM model: total_sv 2000000000", "`E_MODEL_COUNT`", "LIBSVM: segmentation fault"),
    row(
        62,
        "LIBSVM model: NaN in a support vector",
        "`E_MODEL_NONFINITE`",
        "LIBSVM predicts -1 with a decision value of NaN",
    ),
    row(
        63,
        "LIBSVM model: garbled support vector",
        "`E_MODEL_SYNTAX`",
        "LIBSVM loads it and predicts differently",
    ),
    row(64, "model with any byte changed, or truncated", "`E_MODEL_CHECKSUM`", ""),
    row(65, "model of a newer version", "`E_MODEL_VERSION` with the release that wrote it", ""),
];
