"""The extension module: opaque types and the functions on them."""

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

__version__: str

#: Called with the stage, the finished steps and all steps of a computation.
Listener = Callable[[str, int, int], object]

#: (name, codes, levels) for classes, or (name, numbers).
Target = tuple[str, NDArray[np.uint32], list[str]] | tuple[str, NDArray[np.float64]]

#: The classes of objects: a code per object, and the names of the classes.
Classes = tuple[NDArray[np.int64], list[str]]

#: A dense array, or a CSR matrix: values, columns, offsets of rows, number of columns.
Features = NDArray[np.float64] | tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64], int]

class Data:
    """Objects as typed columns, converted once."""

    def __new__(cls, columns: Sequence[tuple[str, str, Any]]) -> Data:
        """Makes columns from (name, kind, values); the type of the values depends on the kind."""

    def __len__(self) -> int: ...
    def columns(self) -> list[tuple[str, str]]:
        """The name and the kind of each column."""

    def column(self, name: str) -> Data:
        """A data set with the named column only."""

    def numbers(self, name: str) -> NDArray[np.float64] | None:
        """The values of a numeric column, one row per object; None if the column is not dense and numeric."""

    def texts(self, name: str) -> list[str | None] | None:
        """The categories or texts of a column, None for missing values; None if the column holds neither."""

    def canonical(self, scaffold: bool) -> list[str]:
        """The canonical SMILES of each molecule of the first column, or of its Bemis–Murcko scaffold."""

    @staticmethod
    def valid_molecules(
        name: str, texts: Sequence[str | None], skip_invalid: bool, largest_fragment: bool
    ) -> tuple[Data, list[int]]:
        """Molecules in a column of this name: all that can be read, or their largest parts, and the rows that are kept."""

    def fingerprints(self, radius: int, size: int, features: bool, counts: bool) -> NDArray[np.uint8] | NDArray[np.uint16]:
        """The Morgan fingerprints of the molecules of the first column, folded into `size` places: counts or bits."""

    def clusters(self, cutoff: float) -> list[int]:
        """The number of the cluster of each molecule of the first column."""

    def width(self) -> int:
        """The number of features over all columns."""

    def to_bytes(self) -> bytes:
        """Serialises the columns; ``from_bytes`` reads them."""

    @staticmethod
    def from_bytes(bytes: bytes) -> Data:
        """Reads the bytes of ``to_bytes``."""

    def followed_by(self, others: Data) -> Data:
        """These objects and, after them, others with the same columns."""

    def select(self, rows: Sequence[int] | NDArray[np.integer[Any]]) -> Data:
        """The selected objects, in the given order."""

class Fitted:
    """A kernel fitted to training objects."""

    def gram(
        self, data: Data, single: bool = False, threads: int | None = None, progress: Listener | None = None
    ) -> NDArray[Any]:
        """The Gram matrix of the objects."""

    def cross(
        self, rows: Data, cols: Data, single: bool = False, threads: int | None = None, progress: Listener | None = None
    ) -> NDArray[Any]:
        """The kernel matrix of new objects (rows) and others (columns)."""

    def distances(
        self, rows: Data, cols: Data | None = None, threads: int | None = None, progress: Listener | None = None
    ) -> NDArray[np.float64]:
        """The distances |φ(x) - φ(y)| between ``rows`` and ``cols``, or among ``rows``."""

    def nearest(
        self, rows: Data, cols: Data | None, k: int, threads: int | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The distances and the indices of the ``k`` nearest of ``cols`` for each of ``rows``, or among ``rows``."""

    def fisher_vectors(
        self, kernel: str, training: Data, data: Data, threads: int | None = None, progress: Listener | None = None
    ) -> NDArray[np.float64]:
        """The Fisher vectors of objects, for a similarity kernel fitted to training objects."""

    def prepare(self, data: Data, threads: int | None = None) -> Prepared:
        """Prepares objects once, for matrices computed in blocks."""

    def diagonal(self, data: Data, threads: int | None = None) -> NDArray[np.float64]:
        """The self-similarities k(x, x) of objects."""

    def to_bytes(self) -> bytes:
        """Serialises what was fitted to the training objects; ``restore_kernel`` reads it."""

    def features(
        self, kernel: str, training: Data, data: Data, threads: int | None = None, columns: FeatureColumns | None = None
    ) -> tuple[list[str], Features]:
        """The explicit features of objects under the fitted kernel: names and values."""

    def feature_columns(self, kernel: str, training: Data, threads: int | None = None) -> FeatureColumns:
        """The columns of the explicit features of the training objects."""

    def is_transductive(self) -> bool:
        """Whether it can only compare objects that it was fitted to."""

    def warnings(self) -> list[str]:
        """The warnings from fitting."""

class FeatureColumns:
    """The columns of the features that a training set has."""

    def names(self) -> list[str]:
        """The names of the columns."""

class Prepared:
    """Objects prepared for a fitted kernel."""

    def __len__(self) -> int: ...
    def side(self) -> int:
        """The side of a tile: blocks start at multiples of it."""

    def block(
        self,
        rows: tuple[int, int],
        cols: tuple[int, int],
        other: Prepared | None = None,
        single: bool = False,
        distances: bool = False,
        threads: int | None = None,
    ) -> NDArray[Any]:
        """A block of the Gram matrix, or of the matrix with another set; with ``distances``, of the distance matrix."""

class Model:
    """A fitted model."""

    def predict(self, data: Data, threads: int | None = None, progress: Listener | None = None) -> dict[str, Any]:
        """Predicts objects; returns ``codes`` or ``numbers``, ``decisions``, ``columns``, ``probabilities``."""

    def explain(
        self, data: Data, most: int, theme: str, by: str, background: Data | None = None, threads: int | None = None
    ) -> str:
        """Explains predictions, as JSON: by features or support objects, with images of molecules."""

    def attributions(
        self,
        data: Data,
        background: Data | None,
        size: int,
        probabilities: bool,
        orders: int,
        seed: int,
        choice: str = "random",
        threads: int | None = None,
    ) -> str:
        """The Shapley values of columns, as JSON."""
        ...
    def nearest_molecules(self, data: Data, most: int, threads: int | None = None) -> str:
        """The training molecules nearest to each molecule, as JSON."""

    def substitutions(self, data: Data, threads: int | None = None) -> str:
        """What every substitution of one symbol of a string would change, as JSON."""

    def regions(
        self, data: Data, confidence: float, groups: Sequence[str] | None = None, threads: int | None = None
    ) -> dict[str, Any]:
        """Sets of classes (``p_values``) or ``intervals`` that hold the true value with a confidence, and ``warnings``."""

    def typicality(self, data: Data, threads: int | None = None) -> NDArray[np.float64]:
        """How typical each object is of the training objects, as a p-value, for a calibrated model."""

    def calibration(self) -> str | None:
        """How it was calibrated, as JSON; None if it was not."""

    def learned_kernels(self) -> list[str]:
        """The kernels that learning by evidence gave, as expressions; empty where none was learned."""

    def setting(self, name: str) -> float | None:
        """A number of the learner's settings as the fitted model holds it; None if it has no such setting."""

    def joint(self, data: Data, threads: int | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The means and the covariance of a Gaussian process at all objects together."""

    def sample(self, data: Data, count: int, seed: int, threads: int | None = None) -> NDArray[np.float64]:
        """Samples of a Gaussian process at all objects together, one row per sample."""

    def suggest(
        self, data: Data, goal: str, by: str, beta: float, best: float | None = None, batch: int | None = None, threads: int | None = None
    ) -> list[NDArray[Any]]:
        """Candidates for the next measurement, the best first: their indices, scores, means and deviations."""

    def read(self, path: str | PathLike[str]) -> tuple[Data, list[str]]:
        """Reads new objects from a file as the training data was read; returns them with the reader's warnings."""

    def reading(self) -> str | None:
        """The options by which the training data was read from a file, as JSON; None if it came from no file."""

    def members(self) -> list[tuple[float, str, str]]:
        """The weight, the kernel and the learner of each member of a blend; empty for other models."""

    def trained(self) -> dict[str, Any]:
        """The fitted parts of the model."""

    def certificates(self) -> list[tuple[str, str]]:
        """The name and the certificate (JSON) of each optimisation problem."""

    def unfinished(self) -> list[str]:
        """The warnings of the solver, one line each."""

    def warnings(self) -> list[str]:
        """The warnings from fitting."""

    def classes(self) -> list[str]:
        """The names of the classes, in the order of their codes."""

    def expressions(self) -> tuple[str, str]:
        """The kernel and the learner, as text."""

    def columns(self) -> list[tuple[str, str, int]]:
        """The columns that new objects must have: name, kind, number of features."""

    def target(self) -> tuple[str, bool] | None:
        """The name of the target and whether it holds classes."""

    def objects(self) -> int | None:
        """The number of training objects, if it is known."""

    def is_transductive(self) -> bool:
        """Whether it can only predict objects that it was fitted to."""

    def to_bytes(self) -> bytes:
        """Serialises the model; ``from_bytes`` reads it."""

    def save(self, path: str | PathLike[str], note: str | None = None) -> None:
        """Writes a model file atomically, with a note for ``note``."""

    def note(self) -> str | None:
        """The note of the model file, if it has one."""

class Calibration:
    """Scores of calibration objects."""

    def __new__(
        cls, scores: NDArray[np.float64], folds: NDArray[np.int64], strata: NDArray[np.int64]
    ) -> Calibration:
        """The score, the fold and the stratum of each calibration object."""

    def objects(self, stratum: int) -> int:
        """The number of calibration objects of a stratum."""

    def p_values(
        self,
        scores: Sequence[NDArray[np.float64]],
        strata: NDArray[np.int64],
        ties: NDArray[np.float64],
        by_class: bool,
    ) -> NDArray[np.float64]:
        """The p-value of each class for each object, from its scores by the model of each fold."""

    def intervals(
        self, confidence: float, centres: NDArray[np.float64], scales: NDArray[np.float64], strata: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """The interval of each object; ``centres`` and ``scales`` hold a row for each fold."""

def fit_conformal(
    kernel: str,
    learner: str,
    data: Data,
    y: Target,
    method: str,
    by: str = "all",
    score: str | None = None,
    groups: Sequence[str] | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Listener | None = None,
) -> Model:
    """Fits a kernel and a learner and calibrates the model."""

def class_scores(logs: NDArray[np.float64], score: str, chances: NDArray[np.float64]) -> NDArray[np.float64]:
    """The conformal score of each class for each object, from the logarithms of class probabilities."""

def chances(data: Data, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two random numbers of each object, which follow from its content and the seed."""

def included(p_values: NDArray[np.float64], confidence: float) -> NDArray[np.bool_]:
    """Which values belong to the sets of a confidence, from their p-values."""

def fewest(confidence: float) -> int:
    """The fewest calibration objects with which something can be left out at a confidence."""

def sample(n: int, count: int, seed: int) -> list[int]:
    """``count`` distinct numbers below n, ascending."""

def typicality(
    references: NDArray[np.float64], distances: NDArray[np.float64], k: int
) -> NDArray[np.float64]:
    """The p-value of each new object from its distances to reference objects."""

def kernels() -> list[dict[str, Any]]:
    """The registry entries of all kernels and wrappers."""

def learner_facts() -> list[dict[str, Any]]:
    """The registry entries of all learners."""

def scores() -> list[tuple[str, str, bool, str]]:
    """All measures of predictions: name, required input, whether larger is better, and a summary."""

def check_parameter(kernel: str, name: str, value: float) -> None:
    """Raises an error if a value is outside the domain of a parameter."""

def canonical(text: str) -> str:
    """The canonical text of a kernel."""

def canonical_learner(text: str) -> str:
    """The canonical text of a learner, without parameters at their defaults."""

def parse(text: str) -> tuple[Any, ...]:
    """Parses a kernel to nested tuples, each beginning with "sum", "product", "scale", "group" or "call"."""

def parse_learner(text: str) -> tuple[str, dict[str, Any]]:
    """Parses a learner to its name and parameters."""

def fit_kernel(
    kernel: str,
    data: Data,
    threads: int | None = None,
    progress: Listener | None = None,
    y: Target | None = None,
) -> Fitted:
    """Fits a kernel to training objects and, if given, to their target."""

def restore_kernel(kernel: str, data: Data, bytes: bytes, threads: int | None = None) -> Fitted:
    """Restores a fitted kernel from its training objects and the bytes of ``Fitted.to_bytes``, without fitting again."""

def nearest(
    array: NDArray[np.float64], k: int, others: bool = False, threads: int | None = None
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The distances and the indices of the ``k`` nearest columns for each row of a matrix of distances."""

def gram(
    kernel: str, data: Data, single: bool = False, threads: int | None = None, progress: Listener | None = None
) -> tuple[NDArray[Any], list[str]]:
    """Fits a kernel to objects and computes their Gram matrix; returns the matrix and the warnings."""

def features(kernel: str, data: Data, threads: int | None = None) -> tuple[list[str], Features]:
    """The explicit features of objects: names and values."""

def node_columns(
    kernel: str, data: Data, nodes: Sequence[int], threads: int | None = None, progress: Listener | None = None
) -> tuple[NDArray[np.float64], float]:
    """Similarities of objects to chosen nodes of their graph, and a bound on the error of each value."""

def certify(array: NDArray[np.float64], threads: int | None = None) -> tuple[str, NDArray[np.float64]]:
    """The certificate of a matrix as JSON, and its eigenvalues in ascending order."""

def transitions(array: NDArray[np.float64], p: int, threads: int | None = None) -> NDArray[np.float64]:
    """The transition probabilities of p steps of a Markov walk."""

def tensor(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """The tensor product of two Gram matrices."""

def conjugate(array: NDArray[np.float64], mixtures: NDArray[np.float64]) -> NDArray[np.float64]:
    """Tᵀ·K·T."""

def feature_map(
    array: NDArray[np.float64],
    map: str,
    rank: int | None = None,
    tolerance: float | None = None,
    threads: int | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """The feature map of a Gram matrix: kept eigenvalues, their eigenvectors in rows, training coordinates."""

def apply_feature_map(
    map: str,
    values: NDArray[np.float64],
    vectors: NDArray[np.float64],
    cross: NDArray[np.float64],
    threads: int | None = None,
) -> NDArray[np.float64]:
    """Coordinates of new objects from their similarities to the training objects."""

def walk_map(
    array: NDArray[np.float64], steps: int, threads: int | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """A walk over inner products as a linear map: the mean, the matrix, and the largest eigenvalue."""

def generate_points(
    name: str, n: int | None = None, noise: float | None = None, seed: int = 0
) -> tuple[NDArray[np.float64], Classes]:
    """Generates points and their classes."""

def generate_power_law(nodes: int, joins: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Generates a network by preferential attachment; returns the sources and the targets of its edges."""

def embedded_data(name: str) -> tuple[Data, Classes]:
    """Loads an embedded data set and its classes."""

def numbers_of(data: Data) -> tuple[NDArray[np.float64], list[str]]:
    """Joins the numeric columns to one array; returns it with the column names."""

def strings_of(data: Data) -> list[str | None]:
    """The strings of the first column."""

def read_file(
    path: str | PathLike[str], options: str
) -> tuple[
    Data,
    tuple[NDArray[np.int64] | NDArray[np.float64], list[str] | None] | None,
    list[str] | None,
    list[str | None] | None,
    list[str],
]:
    """Reads a file of data. Options are a JSON object."""

def read_table(
    text: str, options: str
) -> tuple[
    Data,
    tuple[NDArray[np.int64] | NDArray[np.float64], list[str] | None] | None,
    list[str] | None,
    list[str | None] | None,
    list[str],
]:
    """Reads the text of a table with a header. Options are a JSON object."""

def fit(
    kernel: str,
    learner: str,
    data: Data,
    y: Target | None = None,
    weights: Sequence[float] | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Listener | None = None,
) -> Model:
    """Fits a kernel and a learner."""

def load(path: str | PathLike[str]) -> Model:
    """Reads a model from a file."""

def from_bytes(bytes: bytes) -> Model:
    """Reads a model from the bytes of a file."""

def automatic(
    data: Data,
    y: Target,
    groups: Sequence[str] | None,
    protocol: str | None,
    score: str | None,
    seconds: float | None,
    sample: int,
    seed: int,
    figures: bool,
    threads: int | None = None,
    progress: Listener | None = None,
) -> tuple[str, Model]:
    """Searches kernels and learners within a time budget; returns the run document as JSON, and the final model."""

def evaluate(
    kernel: str,
    learner: str,
    data: Data,
    y: Target,
    weights: Sequence[float] | None,
    groups: Sequence[str] | None,
    protocol: str | None,
    inner: str,
    score: str | None,
    also: Sequence[str] | None,
    search: str,
    seed: int,
    figures: bool,
    journal: str | PathLike[str] | None = None,
    threads: int | None = None,
    progress: Listener | None = None,
    best_of: str | None = None,
    test: Sequence[bool] | None = None,
    times: Sequence[float] | None = None,
    splits: Sequence[tuple[Sequence[int], Sequence[int]]] | None = None,
) -> str:
    """Evaluates a kernel and a learner, choosing from their parameter ranges; returns the run document as JSON."""

def inspect(
    data: Data,
    y: Target | None = None,
    groups: Sequence[str] | None = None,
    test: Sequence[bool] | None = None,
    time: str | None = None,
    seed: int = 0,
) -> str:
    """Examines data and describes its columns; returns JSON."""

def leave_one_out(
    kernel: str,
    learner: str,
    data: Data,
    y: Target,
    threads: int | None = None,
    progress: Listener | None = None,
) -> tuple[NDArray[np.float64], bool]:
    """Leave-one-out residuals of ridge regression, and whether the kernel was fitted to all objects."""

def first_configuration(kernel: str, learner: str) -> tuple[str, str]:
    """The kernel and the learner of the first grid point."""

def report_page(document: str) -> str:
    """Renders a run document as a self-contained HTML page."""

def report_plots(document: str, format: str) -> list[tuple[str, bytes]]:
    """Renders the plots of a run document; returns file names and contents."""

def search(
    kernels: Sequence[str],
    learners: Sequence[str],
    seeds: Sequence[int],
    configurations: Sequence[int],
    data: Data,
    y: Target,
    weights: Sequence[float] | None,
    splits: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]],
    score: str,
    threads: int | None = None,
    progress: Listener | None = None,
) -> tuple[NDArray[np.float64], list[bool]]:
    """Scores of configurations (rows) on splits (columns), NaN where there is none, and which converged."""

def make_splits(
    protocol: str,
    n: int,
    classes: Sequence[int] | None = None,
    groups: Sequence[int] | None = None,
    seed: int = 0,
    times: Sequence[float] | None = None,
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The splits of a protocol, each as arrays of training and test objects."""

def measure(
    score: str,
    truth: Sequence[float],
    classes: int,
    labels: Sequence[float] | None = None,
    decisions: NDArray[np.float64] | None = None,
    probabilities: NDArray[np.float64] | None = None,
) -> float | None:
    """Computes a measure of predictions, None where it is undefined; with ``classes`` = 0 the target is numeric."""

def compare_two(test: str, a: Sequence[float], b: Sequence[float], option: float | None) -> dict[str, Any]:
    """Runs the named test on two lists of paired scores."""

def mcnemar(truth: Sequence[int], a: Sequence[int], b: Sequence[int]) -> dict[str, Any]:
    """McNemar's test of the predictions of two classifiers."""

def friedman(scores: NDArray[np.float64], greater_is_better: bool, alpha: float) -> dict[str, Any]:
    """Friedman's test with Nemenyi's post-hoc test: columns are methods, rows are data sets."""

def adjust(p: Sequence[float], method: str) -> list[float]:
    """Adjusts p values for multiple testing."""

def reproduce(
    study: str, options: str, threads: int | None = None, progress: Listener | None = None
) -> tuple[str, str, str]:
    """Runs a study; returns its report as text and as Markdown, and the run document as JSON."""

def studies() -> list[tuple[str, str, list[str]]]:
    """The studies: name, summary, and options besides the seed."""

def threads() -> int:
    """The default number of threads: ``RAYON_NUM_THREADS``, or all cores."""

def _panic() -> None:
    """Panics, for tests of panic handling."""

def _work(seconds: float, uncancellable: bool, threads: int | None, progress: Listener | None) -> None:
    """Runs for some seconds unless it is cancelled; for tests of interruption."""
