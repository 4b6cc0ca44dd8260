"""What parameters that many classes share mean: one table, from which their docstrings are completed."""

import re
import sys
import textwrap

#: The entry of a docstring for each shared parameter.
TEXTS = {
    "kernel": """\
kernel : Kernel, str or callable, default "rbf"
    A kernel of mercer, its text in the expression language, "precomputed", a callable, or one of scikit-learn's names
    "linear", "poly", "rbf", "sigmoid", which use ``gamma``, ``degree`` and ``coef0``.""",
    "gamma": """\
gamma : {"scale", "auto"} or float, default "scale"
    Parameter of the kernels "rbf", "poly", "sigmoid", "laplacian" and "chi2", where the kernel is given by name:
    ``"scale"`` is 1 / (n_features · variance of X), ``"auto"`` is 1 / n_features.""",
    "degree": """\
degree : int, default 3
    Degree of the kernel "poly".""",
    "coef0": """\
coef0 : float, default 0.0
    Constant of the kernels "poly" and "sigmoid".""",
    "class_weight": """\
class_weight : dict or "balanced", optional
    Factors of C by class; ``"balanced"`` makes them inversely proportional to the number of objects of each class.""",
    "scheme": """\
scheme : {"one-versus-one", "one-versus-rest"}, default "one-versus-one"
    Reduction of more than two classes to binary classifiers.""",
    "probability": """\
probability : bool, default False
    Whether to fit probabilities as well, on five held-out folds.""",
    "decision_function_shape": """\
decision_function_shape : {"ovr", "ovo"}, default "ovr"
    Columns of ``decision_function``: one per class, or one per pair of classes.""",
    "break_ties": """\
break_ties : bool, default False
    Whether ties of votes are broken by the largest decision value instead of the order of classes.""",
    "shrinking": """\
shrinking : bool, default True
    Accepted for compatibility with scikit-learn: the solver decides itself, and the result is the same.""",
    "tol": """\
tol : float, default 0.001
    The largest violation of the optimality conditions at convergence.""",
    "max_iter": """\
max_iter : int, default -1
    Largest number of iterations; -1 stands for the engine's own limit.""",
    "cache_size": """\
cache_size : float, default 1000
    Megabytes for rows of the Gram matrix.""",
    "verbose": """\
verbose : bool, default False
    True shows a progress bar.""",
    "solver": """\
solver : {"auto", "smo", "active-set"}, default "auto"
    "smo" optimises pairs of variables, as LIBSVM does. "active-set" solves for all free variables together, exactly
    up to rounding. "auto" starts with pairs and switches to the active set when progress is slow.""",
    "threads": """\
threads : int, optional
    Number of threads; all cores by default.""",
    "progress": """\
progress : bool or callable, default False
    True for a progress bar, or a function of (stage, done, total).""",
}

#: A line of a docstring that stands for entries of the table: ``<gamma> <degree>``.
LINE = re.compile(r"^( *)((?:<\w+> ?)+)$", re.M)


def documented(made):
    """Complete the docstring of a class: lines such as ``<gamma> <degree>`` become the entries of these parameters.

    Entries that differ in a class are in its own docstring.
    """
    if made.__doc__ is None and sys.flags.optimize > 1:
        return made
    made.__doc__ = LINE.sub(lambda line: entries(line[2], line[1]), made.__doc__)
    return made


def entries(names, indent):
    return "\n".join(textwrap.indent(TEXTS[name], indent) for name in re.findall(r"\w+", names))
