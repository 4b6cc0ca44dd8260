# Made by stubs.py.
"""Learning from any data through kernels: scikit-learn estimators with a native engine.

>>> import mercer
>>> k = mercer.RBF(gamma=0.5) + 0.1 * mercer.Linear()
>>> k.gram([[0.0, 1.0], [2.0, 1.0]]).shape
(2, 2)
"""

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, Literal

from numpy.typing import ArrayLike

from ._errors import ConvergenceWarning as ConvergenceWarning
from ._errors import DataError as DataError
from ._errors import DataWarning as DataWarning
from ._errors import FileContentError as FileContentError
from ._errors import FileError as FileError
from ._errors import InternalError as InternalError
from ._errors import MemoryPlanError as MemoryPlanError
from ._errors import MercerError as MercerError
from ._errors import NotFittedError as NotFittedError
from ._errors import NotPositiveDefinite as NotPositiveDefinite
from ._errors import NumericError as NumericError
from ._errors import ParameterError as ParameterError
from ._errors import SparseKernelError as SparseKernelError
from .kernels import AlignmentDiffusion as AlignmentDiffusion
from .kernels import AllOnes as AllOnes
from .kernels import AtomPairs as AtomPairs
from .kernels import Atoms as Atoms
from .kernels import Bin as Bin
from .kernels import BinaryTree as BinaryTree
from .kernels import BlendedSpectrum as BlendedSpectrum
from .kernels import CategoricalDiffusion as CategoricalDiffusion
from .kernels import Center as Center
from .kernels import ChiSquared as ChiSquared
from .kernels import ClosedChain as ClosedChain
from .kernels import Cluster as Cluster
from .kernels import ColumnProduct as ColumnProduct
from .kernels import ColumnSum as ColumnSum
from .kernels import CommuteTime as CommuteTime
from .kernels import Content as Content
from .kernels import Convolution as Convolution
from .kernels import Core as Core
from .kernels import Cosine as Cosine
from .kernels import CosineDistance as CosineDistance
from .kernels import DTW as DTW
from .kernels import Delta as Delta
from .kernels import DerivativeDTW as DerivativeDTW
from .kernels import Dice as Dice
from .kernels import ECFP as ECFP
from .kernels import ERP as ERP
from .kernels import EdgeHistogram as EdgeHistogram
from .kernels import EditDistance as EditDistance
from .kernels import Euclidean as Euclidean
from .kernels import Explicit as Explicit
from .kernels import Exponential as Exponential
from .kernels import FCFP as FCFP
from .kernels import Forest as Forest
from .kernels import Fourier as Fourier
from .kernels import FullSpectrum as FullSpectrum
from .kernels import Fusion as Fusion
from .kernels import GappyKmer as GappyKmer
from .kernels import GlobalAlignment as GlobalAlignment
from .kernels import GraphHopper as GraphHopper
from .kernels import GraphSize as GraphSize
from .kernels import Graphlet as Graphlet
from .kernels import Hamming as Hamming
from .kernels import HammingDistance as HammingDistance
from .kernels import Hydra as Hydra
from .kernels import HypercubeDiffusion as HypercubeDiffusion
from .kernels import Impute as Impute
from .kernels import Intervals as Intervals
from .kernels import JensenShannon as JensenShannon
from .kernels import KDTW as KDTW
from .kernels import Kernel as Kernel
from .kernels import LCSS as LCSS
from .kernels import Laplacian as Laplacian
from .kernels import LaplacianWalk as LaplacianWalk
from .kernels import Learned as Learned
from .kernels import LearnedDTW as LearnedDTW
from .kernels import LearnedWindow as LearnedWindow
from .kernels import Linear as Linear
from .kernels import LocalAlignment as LocalAlignment
from .kernels import MSM as MSM
from .kernels import Markov as Markov
from .kernels import MinMax as MinMax
from .kernels import Mismatch as Mismatch
from .kernels import Mkl as Mkl
from .kernels import MoleculePaths as MoleculePaths
from .kernels import NeighbourhoodHash as NeighbourhoodHash
from .kernels import NodeDiffusion as NodeDiffusion
from .kernels import NodePower as NodePower
from .kernels import Normalize as Normalize
from .kernels import Nystrom as Nystrom
from .kernels import PStepWalk as PStepWalk
from .kernels import Pagerank as Pagerank
from .kernels import Polynomial as Polynomial
from .kernels import Precomputed as Precomputed
from .kernels import Product as Product
from .kernels import Propagation as Propagation
from .kernels import PyramidMatch as PyramidMatch
from .kernels import RBF as RBF
from .kernels import RBFOf as RBFOf
from .kernels import RandomWalk as RandomWalk
from .kernels import RandomWalkPower as RandomWalkPower
from .kernels import RationalQuadratic as RationalQuadratic
from .kernels import RegularTree as RegularTree
from .kernels import RegularizedLaplacian as RegularizedLaplacian
from .kernels import Relevance as Relevance
from .kernels import Repair as Repair
from .kernels import Resample as Resample
from .kernels import ReturnProbabilities as ReturnProbabilities
from .kernels import Rocket as Rocket
from .kernels import Scaled as Scaled
from .kernels import SeriesEuclidean as SeriesEuclidean
from .kernels import ShortestPath as ShortestPath
from .kernels import ShortestPathRbf as ShortestPathRbf
from .kernels import Sigmoid as Sigmoid
from .kernels import Signature as Signature
from .kernels import Similarity as Similarity
from .kernels import Smooth as Smooth
from .kernels import SoftDTW as SoftDTW
from .kernels import Spectrum as Spectrum
from .kernels import Standardize as Standardize
from .kernels import SubgraphMatching as SubgraphMatching
from .kernels import Subsequence as Subsequence
from .kernels import Substring as Substring
from .kernels import Sum as Sum
from .kernels import SymbolDistribution as SymbolDistribution
from .kernels import TWE as TWE
from .kernels import Tanimoto as Tanimoto
from .kernels import TensorSketch as TensorSketch
from .kernels import Terms as Terms
from .kernels import Time as Time
from .kernels import Torsions as Torsions
from .kernels import VertexEdgeHistogram as VertexEdgeHistogram
from .kernels import VertexHistogram as VertexHistogram
from .kernels import Visual as Visual
from .kernels import VonNeumann as VonNeumann
from .kernels import WassersteinWL as WassersteinWL
from .kernels import WeightedDTW as WeightedDTW
from .kernels import WeightedDegree as WeightedDegree
from .kernels import WeightedDegreeShifts as WeightedDegreeShifts
from .kernels import WeisfeilerLehman as WeisfeilerLehman
from .kernels import WeisfeilerLehmanOptimalAssignment as WeisfeilerLehmanOptimalAssignment
from .kernels import WlOf as WlOf
from .kernels import WordDistribution as WordDistribution
from .kernels import ZNormalize as ZNormalize
from .kernels import ZeroExtend as ZeroExtend
from .kernels import kernel as kernel
from ._data import Objects as Objects
from ._data import Records as Records
from ._data import Strings as Strings
from ._graphs import Graphs as Graphs
from ._graphs import Nodes as Nodes
from ._molecules import Molecules as Molecules
from ._series import Series as Series
from .svm import LandmarkSVC as LandmarkSVC
from .svm import LinearSVC as LinearSVC
from .svm import LinearSVR as LinearSVR
from .svm import NuSVC as NuSVC
from .svm import NuSVR as NuSVR
from .svm import OneClassSVM as OneClassSVM
from .svm import SVC as SVC
from .svm import SVR as SVR
from .functions import Function as Function
from .functions import Gram as Gram
from .splits import FiveByTwo as FiveByTwo
from .splits import Forward as Forward
from .splits import GroupHoldout as GroupHoldout
from .splits import GroupKFold as GroupKFold
from .splits import Holdout as Holdout
from .splits import LeaveOneGroupOut as LeaveOneGroupOut
from .splits import LeaveOneOut as LeaveOneOut
from .splits import Protocol as Protocol
from .splits import StratifiedKFold as StratifiedKFold
from .matrices import conjugate as conjugate
from .matrices import tensor as tensor
from .matrices import transitions as transitions
from .learn import KNeighborsClassifier as KNeighborsClassifier
from .learn import KNeighborsRegressor as KNeighborsRegressor
from .learn import KernelKMeans as KernelKMeans
from .learn import KernelPCA as KernelPCA
from .learn import KernelRidge as KernelRidge
from .learn import KernelRidgeClassifier as KernelRidgeClassifier
from .learn import Perceptron as Perceptron
from .learn import VotedPerceptron as VotedPerceptron
from .search import GridSearch as GridSearch
from .search import RandomSearch as RandomSearch
from .search import SCORES as SCORES
from .maps import FeatureMap as FeatureMap
from .maps import Fingerprint as Fingerprint
from .maps import WalkMap as WalkMap
from .workflow import Comparison as Comparison
from .workflow import CrossValidation as CrossValidation
from .reports import Evaluation as Evaluation
from .reports import evaluate as evaluate
from .reports import report as report
from .files import certify as certify
from .files import load as load
from .files import read as read
from .files import save as save
from .inspection import Inspection as Inspection
from .inspection import inspect as inspect
from .reproduction import Reproduction as Reproduction
from .reproduction import reproduce as reproduce
from .reproduction import studies as studies
from .automatic import AutoClassifier as AutoClassifier
from .automatic import AutoRegressor as AutoRegressor
from .automatic import auto as auto
from .gaussian import GaussianProcessClassifier as GaussianProcessClassifier
from .gaussian import GaussianProcessRegressor as GaussianProcessRegressor
from .gaussian import Suggestions as Suggestions
from .uncertainty import ConformalClassifier as ConformalClassifier
from .uncertainty import ConformalRegressor as ConformalRegressor
from .blends import BlendClassifier as BlendClassifier
from .blends import BlendRegressor as BlendRegressor
from . import automatic as automatic
from . import blends as blends
from . import datasets as datasets
from . import files as files
from . import functions as functions
from . import gaussian as gaussian
from . import grakel as grakel
from . import inspection as inspection
from . import kernels as kernels
from . import learn as learn
from . import maps as maps
from . import matrices as matrices
from . import reports as reports
from . import reproduction as reproduction
from . import search as search
from . import splits as splits
from . import svm as svm
from . import uncertainty as uncertainty
from . import workflow as workflow
from ._show import Facts

__version__: str

class _Compare(ModuleType):
    def __call__(self, methods: Mapping[Any, Any] | Sequence[Any], X: Any, y: ArrayLike, *, cv: int | Any | Sequence[Any] | None = None, scoring: str | Callable[..., Any] | Sequence[Any] | Mapping[Any, Any] | None = None, groups: ArrayLike | None = None, sample_weight: ArrayLike | None = None, random_state: int = 0, n_jobs: int | None = None, progress: bool | Callable[..., Any] = False) -> Comparison: ...
    @staticmethod
    def adjust(pvalues: ArrayLike, method: Literal['holm', 'bonferroni', 'benjamini-hochberg', 'none'] = 'holm') -> Any: ...
    @staticmethod
    def corrected_t(a: ArrayLike, b: ArrayLike, test_per_train: float) -> Any: ...
    @staticmethod
    def estimators(methods: Mapping[Any, Any] | Sequence[Any], X: Any, y: ArrayLike, *, cv: int | Any | Sequence[Any] | None = None, scoring: str | Callable[..., Any] | Sequence[Any] | Mapping[Any, Any] | None = None, groups: ArrayLike | None = None, sample_weight: ArrayLike | None = None, random_state: int = 0, n_jobs: int | None = None, progress: bool | Callable[..., Any] = False) -> Comparison: ...
    @staticmethod
    def five_by_two_f(a: ArrayLike, b: ArrayLike) -> Any: ...
    @staticmethod
    def five_by_two_t(a: ArrayLike, b: ArrayLike) -> Any: ...
    @staticmethod
    def friedman(scores: ArrayLike, *, greater_is_better: bool = True, alpha: float = 0.05) -> Any: ...
    @staticmethod
    def holm(pvalues: ArrayLike) -> Any: ...
    @staticmethod
    def mcnemar(truth: ArrayLike, a: ArrayLike, b: ArrayLike) -> Any: ...
    @staticmethod
    def paired_t(a: ArrayLike, b: ArrayLike) -> Any: ...
    @staticmethod
    def sign_test(a: ArrayLike, b: ArrayLike) -> Any: ...
    @staticmethod
    def wilcoxon(a: ArrayLike, b: ArrayLike, *, zeros: Literal['wilcoxon', 'pratt'] = 'wilcoxon') -> Any: ...

compare: _Compare

def threads() -> int: ...
