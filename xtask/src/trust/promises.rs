//! What is promised, each in a sentence that anybody can hold against the program.

use std::collections::BTreeSet;

use super::Line;
use crate::Outcome;

/// A promise: its name in the figures, a title, the sentence, and what does not go into figures.
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
        sentence: "An input that cannot be used is refused with exit code 2 and one line that says where it is, a stable code and \
                   why: within 5 seconds, within twice its size and 256 MB of memory, without a panic, and without a file made \
                   or changed.",
        more: "The table below has a line for each kind of bad input; its last column counts the variants that were tried.",
    },
    Promise {
        id: "kill",
        title: "Killed at any moment",
        sentence: "A process that is killed leaves no half file; the same command goes on where it was and ends in the same \
                   bytes. Of a matrix at most one tile for each thread is done again, of a search the kernel that each thread \
                   was at on one split.",
        more: "Moments are drawn at random from the length of a run, with fixed seeds. That a search notes each task before it \
               tells that it is done is a unit test, `finished_fits_are_recorded_immediately`.",
    },
    Promise {
        id: "full-disk",
        title: "No room on the disk",
        sentence: "When the disk is full the old file stays as it was, the message has the code `E_IO_WRITE` or \
                   `E_MEMORY_PLAN`, and nothing is left that is in the way of the next run.",
        more: "Every output is tried with limits on the size of files from nothing up to a byte too few, and on a file system \
               that is full, where the tests may mount one.",
    },
    Promise {
        id: "interrupt",
        title: "Ctrl-C",
        sentence: "Ctrl-C ends every long command within two seconds, with exit code 130; matrices and searches with a journal \
                   go on later with what was done.",
        more: "The Python package's own test interrupts gram, fit and search (`test_real_work_is_interrupted`).",
    },
    Promise {
        id: "memory-plan",
        title: "Memory",
        sentence: "Work whose matrices need more than four fifths of the memory that is free, that control groups leave or that \
                   `ulimit -v` leaves is refused with `E_MEMORY_PLAN` before it starts; work that is accepted finishes within \
                   what it was given.",
        more: "",
    },
    Promise {
        id: "determinism",
        title: "The same bytes",
        sentence: "The same command gives the same bytes for any number of threads, every time, and after a kill: Gram matrices, \
                   models, predictions and the documents of evaluations and comparisons.",
        more: "Equal SHA-256, of which the first 16 digits are shown. They are those of one machine: other processors round \
               otherwise.",
    },
    Promise {
        id: "differential",
        title: "Right values",
        sentence: "Every kernel and distance agrees with a plain implementation of its formula, written apart from it.",
        more: "",
    },
    Promise {
        id: "libsvm",
        title: "Support vector machines",
        sentence: "On random problems of all five kinds, with rows of zeros, equal objects, weights, classes of one member, C from \
                   1e-6 to 1e6 and scales from 1e-8 to 1e8, solutions are feasible, their certificates are those that NumPy \
                   recomputes, their objectives are no worse than LIBSVM's, and predictions are the same.",
        more: "Refused are matrices with negative eigenvalues and ν beyond what the classes allow. Without a margin are fits of \
               nu-svc whose classes overlap more than ν allows, which a linear programme confirms. Stalled are problems whose \
               rounding is above the tolerance, and the certificate says so.",
    },
    Promise {
        id: "metamorphic",
        title: "Right relations",
        sentence: "What must not matter does not: the order of objects, columns, nodes and letters' names; and what must matter \
                   does, by the factor that follows from the formula.",
        more: "",
    },
    Promise {
        id: "psd",
        title: "Definite kernels",
        sentence: "A kernel that is called positive semidefinite has no negative eigenvalues beyond rounding.",
        more: "",
    },
    Promise {
        id: "stability",
        title: "New objects move nothing",
        sentence: "New objects leave the similarities of training objects as they were: to the bit where pairs are computed one by \
                   one, to the last digits where matrices are multiplied.",
        more: "",
    },
    Promise {
        id: "golden-models",
        title: "Old models",
        sentence: "Models saved by earlier versions load and predict what they did then.",
        more: "",
    },
    Promise {
        id: "byte-flips",
        title: "Damaged models",
        sentence: "A model file of which any byte was changed is refused.",
        more: "",
    },
    Promise {
        id: "truncations",
        title: "Models cut short",
        sentence: "A model file that was cut short anywhere is refused.",
        more: "",
    },
    Promise {
        id: "crafted-headers",
        title: "Crafted models",
        sentence: "A model file that was made to mislead, with a checksum that is right, is refused or loads as what it says; it \
                   never ends the program.",
        more: "",
    },
    Promise {
        id: "allocation",
        title: "Memory for files",
        sentence: "Reading a file takes memory in proportion to the file, whatever it says of itself.",
        more: "",
    },
    Promise {
        id: "fuzz",
        title: "Random inputs",
        sentence: "Readers, expressions, models and the server's requests take arbitrary bytes without a panic, within bounds of \
                   time and memory.",
        more: "",
    },
    Promise {
        id: "python-calls",
        title: "Random Python calls",
        sentence: "Every public class, function and method of the Python package takes arbitrary arguments without a panic, a crash of \
                   the process or a hang, and refuses them with an error that says what is wrong.",
        more: "Calls run in processes of their own with 8 GB of addresses; a call without an end after 15 seconds hangs. Errors that \
               Python raises inside the package where nobody looked at a value count as findings too. Functions that run published \
               studies for minutes are called with arguments they refuse.",
    },
    Promise {
        id: "server-soak",
        title: "The server under attack",
        sentence: "With two hundred clients of which most are slow, half-open, heavy or hostile, light honest requests are answered \
                   within one second at the 99th percentile, and memory stays within its bound.",
        more: "Clients and server share the machine. The plot shows every stretch of the run by its slowest light request.",
    },
    Promise {
        id: "supply",
        title: "What others made",
        sentence: "Every dependency has a licence that is allowed, comes from the public registry, and is pinned.",
        more: "",
    },
    Promise {
        id: "unsafe",
        title: "Unsafe code",
        sentence: "Unsafe code is in few places, each with the reason why it is sound.",
        more: "",
    },
];

/// What these tests cannot show.
pub(super) const NOT_COVERED: [&str; 8] = [
    "Other systems than Linux on x86-64: signals, limits and full disks are tested there alone.",
    "Loss of power. Files are forced to disk before they take their names, and what a journal names is compared with its checksum \
     after a restart; that disks keep what they say they keep is not tested.",
    "Disks that fail with errors other than being full, and network file systems.",
    "Memory beside matrices: the data itself, preparations of objects, and scratch of the solvers are not in the plan. A run that \
     is near its limit with very much data and few similarities may still run out.",
    "Bits across processors: results are equal for any number of threads on one kind of processor.",
    "Right values where no second implementation was at hand; the page says for each family what it was compared with.",
    "The prediction server under attack from many machines at once, and without a proxy that encrypts.",
    "Faults of the compiler, the standard library and dependencies, except where a test happens to meet them.",
];

/// Refuses figures of promises that nobody made.
pub(super) fn check(lines: &[Line]) -> Outcome<()> {
    let known: BTreeSet<&str> = PROMISES.iter().map(|p| p.id).collect();
    let unknown: BTreeSet<&str> =
        lines.iter().map(|l| l.promise.as_str()).filter(|p| !known.contains(p)).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    Err(format!("figures of promises that nobody made: {unknown:?}; trust/promises.rs lists those there are"))
}
