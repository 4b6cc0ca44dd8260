//! The promises of the program, as verifiable statements.

use std::collections::BTreeSet;

use super::Line;
use crate::Outcome;

/// A promise: its id in the figures, a title, the statement, and remarks beyond the figures.
pub(super) struct Promise {
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) sentence: &'static str,
    pub(super) more: &'static str,
}

pub(super) const PROMISES: [Promise; 21] = [
    Promise {
        id: "bad-inputs",
        title: "Bad inputs",
        sentence: "An unusable input is refused with exit code 2 and one line with the position, a stable \
                   code and the reason. This happens within 5 seconds and within twice its size plus 256 MB \
                   of memory, without a panic, and without a file created or changed.",
        more: "The table below has a row for each type of bad input; its last column counts the variants tried.",
    },
    Promise {
        id: "kill",
        title: "Killed at any time",
        sentence: "A killed process leaves no partial output; the same command resumes the work and gives the same \
                   bytes. At most one tile of a matrix per thread is computed again, and in a search one kernel on \
                   one split per thread.",
        more: "Times are drawn at random from the length of a run, with fixed seeds. A unit test, \
               `finished_fits_are_recorded_immediately`, checks that a search records each task before it reports it \
               as done.",
    },
    Promise {
        id: "full-disk",
        title: "Full disk",
        sentence: "When the disk is full, the old file stays unchanged, the message has the code `E_IO_WRITE` or \
                   `E_MEMORY_PLAN`, and nothing is left behind that blocks the next run.",
        more: "Every output is tested with file size limits from 0 to one byte too few, and on a full file system \
               where the tests may mount one.",
    },
    Promise {
        id: "interrupt",
        title: "Ctrl-C",
        sentence: "Ctrl-C ends every long command within two seconds, with exit code 130; matrices and searches with \
                   a journal can be resumed later.",
        more: "The Python package's own test interrupts gram, fit and search (`test_real_work_is_interrupted`).",
    },
    Promise {
        id: "memory-plan",
        title: "Memory",
        sentence: "Work whose matrices need more than four fifths of the available memory is refused with \
                   `E_MEMORY_PLAN` before it starts; accepted work finishes within its limit. Available is \
                   the free memory, limited by control groups and `ulimit -v`.",
        more: "",
    },
    Promise {
        id: "determinism",
        title: "Reproducible bytes",
        sentence: "The same command gives the same bytes for any number of threads, every time, and after a kill: \
                   Gram matrices, models, predictions and the documents of evaluations and comparisons.",
        more: "Equal SHA-256, of which the first 16 digits are shown. They hold for one computer: other processors \
               round differently.",
    },
    Promise {
        id: "differential",
        title: "Correct values",
        sentence: "Every kernel and distance agrees with an independent, direct implementation of its formula.",
        more: "",
    },
    Promise {
        id: "libsvm",
        title: "Support vector machines",
        sentence: "On random problems of all five kinds, solutions are feasible, NumPy recomputes the same \
                   certificates, objectives are no worse than LIBSVM's, and predictions are the same. The \
                   problems include rows of zeros, equal objects, weights, classes of one member, C from \
                   1e-6 to 1e6 and scales from 1e-8 to 1e8.",
        more: "Matrices with negative eigenvalues and infeasible ν are refused. Fits of nu-svc whose classes overlap \
               more than ν allows have no margin, which a linear programme confirms. Problems whose rounding exceeds \
               the tolerance stall, and the certificate reports it.",
    },
    Promise {
        id: "metamorphic",
        title: "Invariances",
        sentence: "Results do not depend on the order of objects, columns and nodes or on the names of symbols, and \
                   they scale with the data by the factor that follows from the formula.",
        more: "",
    },
    Promise {
        id: "psd",
        title: "Positive semidefinite kernels",
        sentence: "A kernel declared positive semidefinite has no negative eigenvalues beyond rounding.",
        more: "",
    },
    Promise {
        id: "stability",
        title: "New objects change nothing",
        sentence: "New objects do not change the similarities of training objects: bit-identical where pairs are \
                   computed one by one, up to the last digits where matrices are multiplied.",
        more: "",
    },
    Promise {
        id: "golden-models",
        title: "Old models",
        sentence: "Models saved by earlier versions load and give the same predictions.",
        more: "",
    },
    Promise {
        id: "byte-flips",
        title: "Damaged models",
        sentence: "A model file with any byte changed is refused.",
        more: "",
    },
    Promise {
        id: "truncations",
        title: "Truncated models",
        sentence: "A model file truncated anywhere is refused.",
        more: "",
    },
    Promise {
        id: "crafted-headers",
        title: "Crafted models",
        sentence: "A malicious model file with a correct checksum is refused or loads as a consistent model; it \
                   never crashes the program.",
        more: "",
    },
    Promise {
        id: "allocation",
        title: "Memory for files",
        sentence: "Reading a file takes memory proportional to its size, whatever sizes it claims.",
        more: "",
    },
    Promise {
        id: "fuzz",
        title: "Random inputs",
        sentence: "Readers, expressions, models and the server's requests take arbitrary bytes without a panic, \
                   within bounds of time and memory.",
        more: "",
    },
    Promise {
        id: "python-calls",
        title: "Random Python calls",
        sentence: "Arbitrary arguments cause no panic, crash or hang in any public class, function or method \
                   of the Python package. Invalid ones are refused with an error that explains the problem.",
        more: "Calls run in separate processes with 8 GB of address space; a call that takes more than 15 seconds \
               counts as a hang. Errors that Python raises inside the package for an unchecked value count as \
               findings too. Functions that run published studies for minutes are called with arguments they refuse.",
    },
    Promise {
        id: "server-soak",
        title: "The server under attack",
        sentence: "Small valid requests are answered within one second at the 99th percentile, and memory \
                   stays within its bound. Two hundred clients are connected, most of them slow, half-open, \
                   heavy or malicious.",
        more: "Clients and server share the computer. The plot shows the slowest small request of each interval of \
               the run.",
    },
    Promise {
        id: "supply",
        title: "Dependencies",
        sentence: "Every dependency has an allowed licence, comes from the public registry, and is pinned.",
        more: "",
    },
    Promise {
        id: "unsafe",
        title: "Unsafe code",
        sentence: "Unsafe code is in few places, each with a comment why it is sound.",
        more: "",
    },
];

/// What these tests do not cover.
pub(super) const NOT_COVERED: [&str; 8] = [
    "Systems other than Linux on x86-64: signals, limits and full disks are tested only there.",
    "Power failures. Files are forced to disk before they are renamed, and records of a journal are compared with \
     their checksums after a restart; whether disks really store flushed data is not tested.",
    "Disks that fail with errors other than being full, and network file systems.",
    "Memory other than matrices: the data itself, prepared objects, and working memory of the solvers are not \
     planned. A run close to its limit with much data and few similarities may still run out of memory.",
    "Bit-identical results across processors: they hold for any number of threads on one type of processor.",
    "Correct values where no second implementation was available; the page says what each family was compared with.",
    "The prediction server under attack from many computers at once, and without an encrypting proxy.",
    "Bugs of the compiler, the standard library and dependencies, except where a test happens to find them.",
];

/// Refuses figures of unknown promises.
pub(super) fn check(lines: &[Line]) -> Outcome<()> {
    let known: BTreeSet<&str> = PROMISES.iter().map(|p| p.id).collect();
    let unknown: BTreeSet<&str> =
        lines.iter().map(|l| l.promise.as_str()).filter(|p| !known.contains(p)).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    Err(format!("figures of unknown promises: {unknown:?}; trust/promises.rs lists the known ones"))
}
