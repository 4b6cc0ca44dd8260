"""Random calls of every public class, function and method with hostile arguments.

    python random_calls.py --calls 2000000 --seed 1        many calls, on all cores
    python random_calls.py --seed 1 --episode 4711         replay one episode, call by call

An episode makes an object and calls its methods a few times. It is determined by the seed and its number, so that every
finding can be reproduced. Episodes run in separate processes, so that a crash or a hang is a finding like any other.
"""

import argparse
import copy
import faulthandler
import inspect
import io
import json
import mmap
import os
import pickle
import random
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
import warnings

#: Seconds without a finished call after which an episode counts as a hang.
PATIENCE = 15.0
#: Seconds until the first call of a worker on an idle machine.
STARTING = 15.0
#: Address space of a worker. Larger requests must be refused before they are made.
ADDRESSES = 8 << 30
#: Exceptions of Python that are findings if our code raises them; callers should get clear error messages.
RAW = (
    AttributeError, KeyError, IndexError, NameError, AssertionError, ZeroDivisionError, OverflowError, RuntimeError, SystemError,
    StopIteration, UnicodeError, EOFError, ImportError, BufferError,
)  # fmt: skip
#: Messages of Python for values whose type was not checked.
RAW_TEXTS = re.compile(
    "'NoneType' object|unsupported operand|not subscriptable|not iterable|has no len|not supported between|can't multiply|"
    "unhashable|ambiguous|object is not callable|cannot unpack|not enough values to unpack|too many values to unpack|"
    "cannot be converted to '|can't convert|cannot be interpreted as an integer|must be real number, not|object cannot be cast"
)


class Finding(Exception):
    """A result that no call may have."""


def judged(error, package):
    """Why an exception is a finding; None for an ordinary error."""
    import mercer
    from sklearn.exceptions import NotFittedError

    text = str(error)
    if isinstance(error, mercer.InternalError) or "panic" in type(error).__name__.lower() or "panicked" in text:
        return "panic"
    if isinstance(error, (mercer.MercerError, NotFittedError)):
        # An error needs a message.
        return None if text.strip() else "no message"
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if frame.filename.startswith(package)]
    if isinstance(error, (RecursionError, SystemError)):
        return type(error).__name__
    # Errors inside other libraries are judged by where they were raised.
    last = frames[-1].filename if frames else ""
    if last.endswith("hostile_values.py") or isinstance(error, UnicodeEncodeError):
        return None  # raised by the argument itself, or text that is not Unicode
    if not ours or not last.startswith(package):
        inside = ours and not any(part in last for part in ("sklearn", "numpy", "scipy", "pandas", "networkx"))
        return type(error).__name__ if inside and isinstance(error, RAW) and last != __file__ else None
    line = frames[-1].line or ""
    if line.startswith("raise ") and not line.startswith("raise NotImplementedError"):
        return None
    if isinstance(error, IndexError) and frames[-1].name == "__getitem__":
        return None  # the right error for an index out of range or of a wrong type
    if isinstance(error, RAW):
        return type(error).__name__
    if isinstance(error, (TypeError, ValueError)) and RAW_TEXTS.search(text):
        return f"raw {type(error).__name__}"
    return None


class Calls:
    """Makes calls, counts them and judges their outcome."""

    def __init__(self, package, verbose=False):
        self.package, self.verbose = package, verbose
        self.made, self.refused = 0, 0
        self.beat = lambda: None
        self.findings = []

    def __call__(self, what, function, /, *args, **kwargs):
        """The result of a call; None if it raised an error."""
        self.made += 1
        self.beat()
        if self.verbose:
            print(f"{what}({shown(args)}, {shown(kwargs)})", file=sys.stderr, flush=True)
        try:
            return function(*args, **kwargs)
        except (MemoryError, Exception) as error:  # noqa: BLE001
            self.refused += 1
            why = judged(error, self.package)
            if function is getattr and isinstance(error, AttributeError) and "NoneType" not in str(error):
                why = None  # a missing attribute, as for hasattr
            if why is not None:
                frames = traceback.extract_tb(error.__traceback__)
                ours = [frame for frame in frames if frame.filename.startswith(self.package)]
                place = f"{os.path.basename(ours[-1].filename)}:{ours[-1].lineno}" if ours else "?"
                self.findings.append(
                    {"why": why, "call": what, "place": place, "error": f"{type(error).__name__}: {error}"[:300],
                     "arguments": f"{shown(args)}, {shown(kwargs)}"[:600]}
                )  # fmt: skip
            if self.verbose:
                print(f"    {type(error).__name__}: {error}"[:300], file=sys.stderr)
            return None
        except BaseException as error:
            # PanicException of pyo3 is not a subclass of Exception.
            if isinstance(error, KeyboardInterrupt):
                raise
            self.findings.append({"why": "panic", "call": what, "place": "?", "error": repr(error)[:300], "arguments": shown(args)[:600]})
            return None


def shown(value):
    """The repr of a value for a report, even if it fails."""
    try:
        return re.sub(r"\s+", " ", repr(value))[:400]
    except Exception as error:  # noqa: BLE001
        return f"<{type(value).__name__} without a repr: {type(error).__name__}>"


# ---------------------------------------------------------------------- public interface


def public():
    """Functions, estimators and other classes of the package, by name."""
    import mercer
    from sklearn.base import BaseEstimator

    functions, estimators, others = {}, {}, {}
    modules = [mercer, mercer.compare, mercer.datasets, mercer.matrices]
    for module in modules:
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value):
                if issubclass(value, (mercer.Kernel, Exception)):
                    continue
                (estimators if issubclass(value, BaseEstimator) else others)[name] = value
            elif callable(value):
                functions[f"{module.__name__}.{name}"] = value
    return functions, estimators, others


def methods(value):
    """The public methods and attributes of an object, and its special methods."""
    special = [n for n in ("__call__", "__len__", "__getitem__", "__iter__", "__eq__", "__hash__", "__repr__", "_repr_html_",
                           "__sklearn_tags__", "__add__", "__radd__", "__mul__", "__rmul__") if hasattr(type(value), n)]  # fmt: skip
    return [n for n in dir(type(value)) if not n.startswith("_")] + special


class Episodes:
    """Runs episodes."""

    def __init__(self, calls, folder):
        self.calls, self.folder = calls, folder
        self.functions, self.estimators, self.others = public()

    def run(self, seed, number):
        from hostile_values import Values

        self.values = Values(random.Random((seed << 40) + number))
        kinds = [
            (self.kernel, 38), (self.estimator, 34), (self.function, 12), (self.container, 8), (self.text, 4), (self.splits, 2),
            (self.search, 1), (self.evaluation, 0.3),
        ]  # fmt: skip
        chosen = self.values.random.choices([k for k, _ in kinds], [w for _, w in kinds])[0]
        try:
            chosen()
        except RecursionError as error:
            self.calls.findings.append(
                {"why": "RecursionError", "call": chosen.__name__, "place": "?", "error": str(error)[:200], "arguments": ""}
            )

    # ------------------------------------------------------------------ arguments

    def argument(self, name, n, kind=None):
        """A value for a parameter of this name, mostly a valid one."""
        v = self.values
        if v.chance(0.06):
            return v.odd()
        if name in ("X", "Y", "series", "graphs", "graph", "table", "objects", "values"):
            return v.objects(n if v.chance(0.9) else None, kind)
        if name in ("y", "truth", "a", "b", "scores", "pvalues", "groups", "targets"):
            return v.target(n)
        if name == "sample_weight":
            return v.weights(n)
        if name in ("K", "L", "T"):
            return v.of_kind("square", n) if v.chance(0.8) else v.damaged(n)
        if name in ("kernel", "metric", "base"):
            return v.one_of([lambda: self.some_kernel(), lambda: v.one_of(["rbf", "linear", "poly", "precomputed"]), v.scalar])()
        if name in ("path", "folder", "journal", "store", "data", "nodes"):
            return self.path()
        if name in ("threads", "n_jobs"):
            return v.one_of([None, None, 1, 1, 2, 0, -1, 2**63, "2", 1.5])
        if name in ("progress", "verbose", "client"):
            return v.one_of([None, None, False, 0, v.odd()]) if name == "client" else v.one_of([False, False, None, 0, ""])
        if name in ("estimator", "learner"):
            return v.one_of([self.some_estimator, lambda: "svc(C=1)", lambda: v.one_of(["knn(k=1)", "ridge", "svr", "nope"]), v.scalar])()
        if name in ("protocol", "inner", "cv"):
            return v.one_of(["2-fold", 2, 3, "leave-one-out", "holdout(0.5)", v.scalar()])
        return v.scalar()

    def some_kernel(self):
        try:
            return self.values.kernel(depth=1)
        except (ValueError, TypeError):
            return "rbf"

    def some_estimator(self):
        v = self.values
        made = v.one_of(list(self.estimators.values()))
        try:
            return made() if made.__name__ not in ("GridSearch", "RandomSearch") else made(self.estimators["SVC"](), {"C": [1.0]})
        except (ValueError, TypeError):
            return None

    def path(self):
        v = self.values
        inside = os.path.join(self.folder, v.one_of(["a", "b.mercer", "c.html", "d.json", "e"]))
        return v.one_of([inside, inside, inside, "", "no/such/folder/x", "\x00", self.folder, v.odd()])

    def call(self, what, function, n, kind=None, least=()):
        """Call a function with arguments for its signature."""
        v = self.values
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            return self.calls(what, function, *[v.scalar() for _ in range(v.one_of([0, 1, 1, 2]))])
        args, kwargs = [], {}
        for p in parameters:
            needed = p.default is inspect.Parameter.empty or p.name in least
            if p.kind is p.VAR_POSITIONAL:
                args += [v.scalar() for _ in range(v.one_of([0, 0, 1, 2]))]
            elif p.kind is p.VAR_KEYWORD:
                if v.chance(0.3):
                    kwargs[v.one_of(["C", "gamma", "kernel__gamma", "nope", "sample_weight"])] = v.scalar()
            elif needed and v.chance(0.98):
                kwargs[p.name] = self.argument(p.name, n, kind)
            elif v.chance(0.15):
                kwargs[p.name] = self.argument(p.name, n, kind)
            if p.kind is p.POSITIONAL_ONLY and p.name in kwargs:
                args.append(kwargs.pop(p.name))
        return self.calls(what, function, *args, **kwargs)

    # ------------------------------------------------------------------ episodes

    def poked(self, made, name, n, kind, avoid=()):
        """Use some methods and attributes of an object, and copy it."""
        v = self.values
        names = [m for m in methods(made) if m not in avoid]
        for _ in range(v.one_of([1, 2, 3, 5])):
            pick = v.random.random()
            if pick < 0.05:
                self.calls(f"pickle({name})", lambda: pickle.loads(pickle.dumps(made)))
            elif pick < 0.08:
                self.calls(f"copy({name})", v.one_of([copy.copy, copy.deepcopy]), made)
            elif pick < 0.1:
                from sklearn.base import clone

                self.calls(f"clone({name})", clone, made)
            elif pick < 0.18 and hasattr(made, "set_params"):
                known = list(getattr(type(made), "_get_param_names", made._names if hasattr(made, "_names") else list)())
                keys = [*known, "nope", "kernel__gamma", "kernel__kernel"] if known else ["nope"]
                key = v.one_of(keys)
                self.calls(f"{name}.set_params", made.set_params, **{key: self.argument(key, n)})
            else:
                method = v.one_of(names)
                value = self.calls(f"{name}.{method}", getattr, made, method)
                if callable(value):
                    out = self.call(f"{name}.{method}", value, n, kind)
                    if method == "__iter__" and out is not None:
                        self.calls(f"list({name})", lambda items: [x for x, _ in zip(items, range(50))], out)
                    if method in ("gram", "cross", "diagonal") and out is not None:
                        self.finite(f"{name}.{method}", out)

    def finite(self, what, values):
        import numpy as np

        if isinstance(values, np.ndarray) and values.dtype.kind == "f" and not np.isfinite(values).all():
            # Rounding to single precision may overflow; double precision must not.
            if values.dtype == np.float64:
                self.calls.findings.append({"why": "not finite", "call": what, "place": "?", "error": "NaN or infinity", "arguments": shown(values)})

    def kernel(self):
        v = self.values
        made = self.calls("kernel", v.kernel)
        if made is None:
            return
        name, kind, n = type(made).__name__, v.kind_for(made), v.count()
        for _ in range(v.one_of([0, 1, 2])):
            X = v.objects(n, kind)
            self.calls(f"{name}.fit", made.fit, X, *([v.target(n)] if v.chance(0.5) else []))
            K = self.calls(f"{name}.gram", made.gram, X)
            if K is not None:
                self.finite(f"{name}.gram", K)
        self.poked(made, name, n, kind)

    def estimator(self):
        v = self.values
        name = v.one_of(list(self.estimators))
        if name in ("GridSearch", "RandomSearch"):
            return self.search(name)
        made = self.call(name, self.estimators[name], 3)
        if made is None:
            return
        n = v.one_of([0, 1, 2, 5, 6, 6, 6])
        kernel = getattr(made, "kernel", None)
        kind = v.kind_for(kernel) if hasattr(kernel, "_kinds") else "square" if isinstance(kernel, str) and kernel == "precomputed" else "numbers"
        X, y = v.objects(n, kind), v.target(n)
        least = inspect.signature(made.fit).parameters
        given = {"sample_weight": v.weights(n)} if "sample_weight" in least and v.chance(0.3) else {}
        fitted = self.calls(f"{name}.fit", made.fit, X, y, **given)
        if fitted is not None:
            for method in v.random.sample(["predict", "transform", "decision_function", "score", "predict_proba"], 2):
                value = self.calls(f"{name}.{method}", getattr, made, method, None)
                if value is not None:
                    self.calls(f"{name}.{method}", value, X, *([y] if method == "score" else []))
            if v.chance(0.08):
                import mercer

                path = os.path.join(self.folder, "model.mercer")
                if self.calls("save", lambda: mercer.save(made, path) or True):
                    again = self.calls("load", mercer.load, path)
                    if again is not None:
                        self.calls(f"loaded {name}.predict", getattr(again, "predict", repr), X)
        self.poked(made, name, n, kind)

    def function(self):
        v = self.values
        name = v.one_of(list(self.functions))
        if name == "mercer.evaluate":
            return
        function = self.functions[name]
        if name == "mercer.reproduce":
            # Studies run for minutes and have their own tests: here only calls that raise errors.
            self.calls(name, function, v.scalar(), **{v.one_of(["only", "splits", "seed", "data"]): v.scalar()})
            return
        if name in ("mercer.datasets.load_mutag", "mercer.studies") and v.chance(0.95):
            return
        out = self.call(name, function, v.count())
        if out is not None and v.chance(0.1):
            self.calls(f"repr of {name}", repr, out)

    def container(self):
        v = self.values
        name = v.one_of(list(self.others))
        if name in ("Protocol", "StratifiedKFold", "GroupKFold", "FiveByTwo", "LeaveOneOut", "LeaveOneGroupOut", "Holdout", "GroupHoldout"):
            return self.splits(name)
        n = v.count()
        kind = {"Records": "table", "Graphs": "graphs", "Nodes": "nodes", "Series": "series"}.get(name)
        made = self.call(name, self.others[name], n, kind)
        if made is None:
            return
        self.poked(made, name, n, kind)
        if hasattr(made, "_data") and v.chance(0.5):
            kernel = self.calls("kernel", v.kernel)
            if kernel is not None:
                self.calls("kernel.gram", kernel.gram, made)

    def text(self):
        import mercer
        from hostile_values import TEXTS

        v = self.values
        text = v.one_of(TEXTS)
        for _ in range(v.one_of([0, 1, 2, 4])):
            at = int(v.random.random() * (len(text) + 1))
            text = v.one_of(
                [
                    lambda: text[:at] + v.one_of("()*+@=,.^[]\" 0aé\x00") + text[at:],
                    lambda: text[:at] + text[at + 1 :],
                    lambda: f"{v.one_of(['normalize', 'center', 'explicit', 'nystrom', 'tanimoto'])}({text})",
                    lambda: f"{text}{v.one_of(' +*')}{v.one_of(TEXTS)}",
                    lambda: "(" * 70 + text + ")" * 70,
                ]
            )()
        made = self.calls("mercer.kernel", mercer.kernel, text)
        if made is not None:
            again = self.calls("repr", repr, made)
            kind = v.kind_for(made)
            self.calls("gram", made.gram, v.objects(4, kind))
            del again

    def splits(self, name=None):
        v = self.values
        names = [n for n, c in self.others.items() if hasattr(c, "split")]
        name = name or v.one_of(names)
        made = self.call(name, self.others[name], 6)
        if made is None:
            return
        n = v.one_of([0, 1, 4, 8])
        out = self.calls(f"{name}.split", made.split, v.objects(n, "numbers"), v.target(n), v.one_of([None, v.target(n)]))
        if out is not None:
            self.calls(f"list({name}.split)", lambda: [part for part, _ in zip(out, range(50))])
        self.poked(made, name, n, "numbers")

    def search(self, name=None):
        v = self.values
        name = name or v.one_of(["GridSearch", "RandomSearch"])
        grid = v.one_of([{"C": [0.1, 1.0]}, {"C": [v.scalar()]}, {"nope": [1]}, {}, [], None, {"C": 3}, {"kernel": ["rbf", self.some_kernel()]}])
        inner = self.some_estimator() if v.chance(0.5) else self.estimators["SVC"]()
        more = {p: self.argument(p, 6) for p in ("cv", "scoring", "refit", "error_score", "n_iter", "random_state") if v.chance(0.2)}
        if name == "GridSearch":
            more.pop("n_iter", None), more.pop("random_state", None)
        more.setdefault("cv", 2)
        made = self.calls(name, self.estimators[name], inner, grid, **more)
        if made is None:
            return
        X, y = v.objects(6, "numbers"), v.target(6)
        self.calls(f"{name}.fit", made.fit, X, y)
        self.poked(made, name, 6, "numbers")

    def evaluation(self):
        import mercer

        v = self.values
        n = v.one_of([4, 6, 8])
        given = {p: self.argument(p, n) for p in ("protocol", "inner", "scoring", "scores", "search", "seed", "best_of", "groups") if v.chance(0.15)}
        given.setdefault("protocol", "2-fold")
        given.setdefault("inner", "2-fold")
        found = self.calls(
            "evaluate", mercer.evaluate, v.objects(n, "numbers"), v.target(n), self.argument("kernel", n), self.argument("learner", n),
            figures=v.chance(0.2), **given,
        )  # fmt: skip
        if found is not None:
            self.poked(found, "Evaluation", n, None)


# ---------------------------------------------------------------------- processes


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def worker(seed, first, step, wanted, beat_path):
    """Run episodes until enough calls are made; print the findings to standard output."""
    import mercer

    faulthandler.enable()
    warnings.simplefilter("ignore")
    package = os.path.dirname(os.path.abspath(mercer.__file__))
    calls = Calls(package)
    with open(beat_path, "r+b") as file, tempfile.TemporaryDirectory() as folder:
        beat = mmap.mmap(file.fileno(), 32)
        os.chdir(folder)
        episodes = Episodes(calls, folder)
        output = sys.stdout
        sys.stdout = io.StringIO()
        number = first
        while calls.made < wanted:
            calls.beat = lambda: struct.pack_into("<3q", beat, 0, number, calls.made, calls.refused)
            calls.beat()
            episodes.run(seed, number)
            for found in calls.findings:
                print(json.dumps({"seed": seed, "episode": number, **found}), file=output, flush=True)
            calls.findings.clear()
            if sys.stdout.tell() > 1 << 16:
                sys.stdout = io.StringIO()
            number += step
        calls.beat()


class Process:
    """A worker that is restarted after the episode that ended it."""

    def __init__(self, seed, first, step, wanted, folder):
        self.seed, self.number, self.step, self.wanted = seed, first, step, wanted
        self.beat_path, self.out_path = (os.path.join(folder, f"{name}{first}") for name in ("beat", "out"))
        self.error_path = os.path.join(folder, f"error{first}")
        self.done, self.refused, self.findings = 0, 0, []
        open(self.out_path, "w").close()
        self.start()

    def start(self):
        with open(self.beat_path, "wb") as file:
            file.write(b"\0" * 32)
        self.seen, self.since = None, time.monotonic()
        command = [sys.executable, __file__, "--worker", str(self.seed), str(self.number), str(self.step), str(self.wanted - self.done), self.beat_path]
        environment = {**os.environ, "RAYON_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        with open(self.out_path, "a") as out, open(self.error_path, "w") as error:
            self.process = subprocess.Popen(command, stdout=out, stderr=error, env=environment, preexec_fn=limited)

    def state(self):
        with open(self.beat_path, "rb") as file:
            return struct.unpack_from("<3q", file.read())

    def is_over(self):
        """Check the worker; whether all its calls are made."""
        code = self.process.poll()
        state = self.state()
        if code is None:
            if state != self.seen:
                self.seen, self.since = state, time.monotonic()
            # Python and its packages need time to start.
            elif time.monotonic() - self.since > (PATIENCE if state[1] else 4 * STARTING):
                # faulthandler prints where it hangs.
                self.process.send_signal(signal.SIGABRT)
                self.process.wait()
                return self.ended("hang", state)
            return False
        if code == 0:
            self.done, self.refused = self.done + state[1], self.refused + state[2]
            return True
        return self.ended(f"ended with {code}", state)

    def ended(self, why, state):
        with open(self.error_path, errors="replace") as file:
            error = file.read()
        found = {"seed": self.seed, "episode": state[0], "why": why, "call": "?", "place": "?", "error": error[:1500], "arguments": ""}
        self.findings.append(found)
        self.done, self.refused = self.done + max(state[1], 1), self.refused + state[2]
        self.number = state[0] + self.step
        if self.done >= self.wanted or len(self.findings) > 200:
            return True
        self.start()
        return False

    def all_findings(self):
        with open(self.out_path) as file:
            return [json.loads(line) for line in file] + self.findings


def drive(seed, calls, processes=None):
    """Make a number of calls; returns the number made, the number of errors, and the findings."""
    processes = processes or os.cpu_count() or 1
    with tempfile.TemporaryDirectory() as folder:
        running = [Process(seed, w, processes, -(-calls // processes), folder) for w in range(processes)]
        over = set()
        while len(over) < len(running):
            over |= {w for w, process in enumerate(running) if w not in over and process.is_over()}
            time.sleep(0.1)
        findings = [found for process in running for found in process.all_findings()]
        return sum(p.done for p in running), sum(p.refused for p in running), findings


def replay(seed, episode):
    """Replay one episode and print every call to standard error."""
    import mercer

    faulthandler.enable()
    warnings.simplefilter("ignore")
    calls = Calls(os.path.dirname(os.path.abspath(mercer.__file__)), verbose=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Episodes(calls, folder).run(seed, episode)
    return calls.findings


def summary(findings):
    """Findings grouped by kind and place, with one episode of each."""
    kinds = {}
    for found in findings:
        kinds.setdefault((found["why"], found["place"], found["call"] if found["place"] == "?" else ""), []).append(found)
    lines = []
    for alike in sorted(kinds.values(), key=len, reverse=True):
        first = alike[0]
        episode = first.get("episode", "of this run")
        lines.append(f"{len(alike)} x {first['why']} in {first['call']} at {first['place']}, episode {episode}: {first['error']} <- {first['arguments']}")
    return "\n".join(lines)


def main():
    if sys.argv[1:2] == ["--worker"]:
        return worker(*map(int, sys.argv[2:6]), sys.argv[6])
    parser = argparse.ArgumentParser(description="random calls of everything public")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--processes", type=int)
    parser.add_argument("--episode", type=int)
    given = parser.parse_args()
    if given.episode is not None:
        findings = replay(given.seed, given.episode)
    else:
        started = time.monotonic()
        made, refused, findings = drive(given.seed, given.calls, given.processes)
        print(f"{made} calls, {refused} refused, {len(findings)} findings, {time.monotonic() - started:.0f} s")
        write_counts(made, refused, findings)
    if findings:
        print(summary(findings))
        sys.exit(1)


def write_counts(made, refused, findings):
    """Write a line of counts for `cargo xtask trust`."""
    path = os.environ.get("MERCER_TRUST_FIGURES")
    if path:
        figures = {"calls": made, "refused": refused, "panics, crashes, hangs and raw errors": len(findings)}
        with open(path, "a") as file:
            file.write(json.dumps({"promise": "python-calls", "test": "random_calls", "figures": figures}) + "\n")


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    main()
