"""What the five support vector estimators share: limits, weights, attributes in scikit-learn's signs, and classification."""

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from ._data import Objects
from ._errors import DataError, ParameterError
from ._estimator import Classifying, Estimator, target_name
from ._locations import Located
from ._values import flag, is_one_of, real, whole


class Vectors(Located, Estimator):
    """Base class of the five support vector estimators."""

    _weighted = True

    @property
    def _unfinished(self):
        if is_one_of(self.max_iter, (-1, None)):
            return ""
        return (
            f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing your data with StandardScaler or "
            "MinMaxScaler. "
        )

    def _limits(self):
        checked("shrinking", self.shrinking, "yes or no", isinstance(self.shrinking, (bool, np.bool_)))
        return {
            "tolerance": self.tol,
            "iterations": None if is_one_of(self.max_iter, (-1, None)) else self.max_iter,
            "cache": self.cache_size,
            "solver": self.solver,
            # As in scikit-learn, with a warning and a certificate that says so.
            "indefinite": "accept",
        }

    def _sample_weight(self, sample_weight, n, X):
        """Validated weights; negative ones are set to 0, which drops these objects, as in LIBSVM."""
        if sample_weight is not None:
            try:
                sample_weight = np.asarray(whole(sample_weight, "sample_weight"), dtype=np.float64)
            except OverflowError as error:
                raise DataError(f"sample_weight has a number outside the range of float64: {error}") from None
            if sample_weight.size and (sample_weight <= 0).all():
                raise DataError("Invalid input - all samples have zero or negative weights.")
        weights = super()._sample_weight(sample_weight, n, X)
        return None if weights is None else np.maximum(weights, 0.0)

    def _as_trained(self, X, reset):
        # As in scikit-learn: dense training data usually has few zeros.
        if not reset and sparse.issparse(X) and not getattr(self, "_sparse", True):
            raise DataError(f"cannot use sparse input in {type(self).__name__!r} trained on dense data: use X.toarray()")
        return super()._as_trained(X, reset)

    def _one(self, fitted):
        """Set the attributes of a single decision function."""
        places, coefficients, offset = fitted["classifiers"][0]
        self.support_ = fitted["support"][places].astype(np.int32)
        self.dual_coef_ = coefficients.reshape(1, -1)
        self.intercept_ = np.array([-offset])
        self.n_support_ = np.array([len(places)], dtype=np.int32)

    def _take(self, model):
        super()._take(model)
        self.fit_status_ = int(not model.trained()["converged"])
        self.shape_fit_ = (model.objects(),)

    def _remember(self, X, target, weights):
        """Set ``support_vectors_`` and the other attributes that come from the training objects."""
        self.__dict__.pop("support_vectors_", None)
        self.shape_fit_ = getattr(X, "shape", self.shape_fit_)
        self._gamma = 0.0 if self._is_precomputed() or self._is_function() else getattr(self.kernel_, "gamma", 0.0)
        if self._is_precomputed() or self._is_function():
            self.support_vectors_ = np.empty((0, 0))
        elif sparse.issparse(X):
            self.support_vectors_ = X[self.support_]
            family = sparse.csr_array if isinstance(X, sparse.sparray) else sparse.csr_matrix
            self.dual_coef_ = family(self.dual_coef_)
        elif isinstance(X, (np.ndarray, Objects)):
            self.support_vectors_ = X[self.support_]

    @property
    def coef_(self):
        """The weights of the features, if the kernel is linear; read-only."""
        name = self.kernel if isinstance(self.kernel, str) else getattr(self.kernel, "expression", None)
        if name != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        coef = self._coef(dense_of(self.dual_coef_), self.support_vectors_)
        if sparse.issparse(coef):
            coef.data.flags.writeable = False
        else:
            coef.flags.writeable = False
        return coef

    def _coef(self, dual, vectors):
        if sparse.issparse(vectors):
            return type(vectors)(sparse.csr_array(dual) @ vectors)
        return dual @ vectors


def penalty(C):
    """C as a finite number: infinity becomes 1e10, beyond which rounding errors dominate."""
    return 1e10 if real("C", C) == np.inf else C


def dense_of(matrix):
    return matrix.toarray() if sparse.issparse(matrix) else matrix


def checked(name, value, domain, right):
    """Raise an error for an invalid value of a parameter that exists for compatibility with scikit-learn."""
    if not right:
        raise ParameterError(f"{name} = {value!r}: must be {domain}")


def _has_probability(self):
    if not self.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class VectorClassifier(Classifying, ClassifierMixin, Vectors):
    def fit(self, X, y, sample_weight=None):
        """Fit the binary classifiers: one per pair of classes, or one per class (``scheme``)."""
        shape = self.decision_function_shape
        checked("decision_function_shape", shape, "'ovr' or 'ovo'", is_one_of(shape, ("ovr", "ovo")))
        flag("break_ties", self.break_ties)
        codes, names = self._classes(y, X)
        weights = self._sample_weight(sample_weight, len(codes), X)
        if weights is not None and len(np.unique(codes[weights > 0])) < 2:
            raise DataError(self._one_class_left)
        return self._fit(X, (target_name(y), codes, names), weights)

    _one_class_left = "Invalid input - all samples with positive weights belong to the same class"

    def _take(self, model):
        super()._take(model)
        # Models of LIBSVM do not contain the number of iterations.
        self.n_iter_ = np.atleast_1d(np.asarray(getattr(self, "n_iter_", 0), dtype=np.int32))

    def _attributes(self, fitted):
        classes, support = fitted["support_classes"], fitted["support"]
        self.class_weight_ = fitted["class_weights"]
        # scikit-learn lists support vectors class by class.
        order = np.argsort(classes, kind="stable")
        place = np.empty(len(order), dtype=int)
        place[order] = np.arange(len(order))
        self.support_ = support[order].astype(np.int32)
        known = len(getattr(self, "classes_", ())) or int(classes.max(initial=0)) + 1
        self.n_support_ = np.bincount(classes, minlength=known).astype(np.int32)
        pairs, parts = fitted["pairs"], fitted["classifiers"]
        if len(parts) == 1:
            at, coefficients, offset = parts[0]
            self.dual_coef_ = np.zeros((1, len(support)))
            self.dual_coef_[0, place[at]] = coefficients
            self.intercept_ = np.array([-offset])
        elif fitted["one_versus_one"]:
            # For a pair (a, b), scikit-learn's values are positive for a, ours for b; row b - 1 is a's, row a is b's.
            self.dual_coef_ = np.zeros((known - 1, len(support)))
            self.intercept_ = np.empty(len(parts))
            for number, ((a, b), (at, coefficients, offset)) in enumerate(zip(pairs, parts)):
                own = classes[at]
                rows = np.where(own == a, b - 1, a)
                self.dual_coef_[rows, place[at]] = -coefficients
                self.intercept_[number] = offset
        else:
            self.dual_coef_ = np.zeros((len(parts), len(support)))
            for row, (at, coefficients, _) in enumerate(parts):
                self.dual_coef_[row, place[at]] = coefficients
            self.intercept_ = np.array([-offset for _, _, offset in parts])
        # scikit-learn's sigmoids take values that are positive for the first class of a pair.
        sigmoids = np.asarray(fitted.get("sigmoids", []), dtype=float).reshape(-1, 2)
        self.probA_, self.probB_ = sigmoids[:, 0], 0.0 - sigmoids[:, 1]

    def _coef(self, dual, vectors):
        if len(self.classes_) == 2 or self.scheme == "one-versus-rest":
            return super()._coef(dual, vectors)
        # For a pair (a, b) the coefficients of a's support vectors are in row b - 1, those of b's in row a.
        ends = np.cumsum(self.n_support_)
        own = [slice(end - count, end) for end, count in zip(ends, self.n_support_)]
        rows = np.zeros((len(self.classes_) * (len(self.classes_) - 1) // 2, dual.shape[1]))
        pairs = ((a, b) for a in range(len(own)) for b in range(a + 1, len(own)))
        for row, (a, b) in zip(rows, pairs):
            row[own[a]], row[own[b]] = dual[b - 1, own[a]], dual[a, own[b]]
        return super()._coef(rows, vectors)

    def predict(self, X):
        """Predict the class of each object.

        Ties of votes go to the first class, as in LIBSVM, or with ``break_ties=True`` to the class with the largest
        decision value.
        """
        if flag("break_ties", self.break_ties) and is_one_of(self.decision_function_shape, ("ovo",)):
            raise ParameterError("break_ties must be False when decision_function_shape is 'ovo'")
        prediction = self._predict_native(X)
        if self.break_ties and prediction["decisions"].shape[1] > 1:
            return self.classes_[np.argmax(self._decided(prediction["decisions"]), axis=1)]
        return self._predicted(prediction)

    def decision_function(self, X):
        """Compute decision values: positive for the second of two classes; for more classes, one column per class.

        ``decision_function_shape="ovo"`` gives one column per pair of classes, positive for the first.
        """
        return self._decided(self._predict_native(X)["decisions"])

    def _decided(self, values):
        if values.shape[1] == 1:
            return values[:, 0]
        if self.scheme == "one-versus-rest":
            return values
        if self.decision_function_shape == "ovo":
            return -values
        return votes(-values, len(self.classes_))

    @available_if(_has_probability)
    def predict_proba(self, X):
        """Compute the probability of each class, calibrated on held-out objects."""
        prediction = self._predict_native(X)
        if "probabilities" not in prediction:
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        return prediction["probabilities"]

    @available_if(_has_probability)
    def predict_log_proba(self, X):
        """Compute the logarithm of :meth:`predict_proba`."""
        return np.log(self.predict_proba(X))


def votes(pairs, classes):
    """Convert values of pairs (positive for the first) to one per class: its votes plus a fraction for confidence."""
    won, sums = np.zeros((2, len(pairs), classes))
    number = 0
    for a in range(classes):
        for b in range(a + 1, classes):
            value = pairs[:, number]
            sums[:, a] += value
            sums[:, b] -= value
            won[:, a] += value >= 0
            won[:, b] += value < 0
            number += 1
    return won + sums / (3 * (np.abs(sums) + 1))
