"""A pytest plugin that runs the installed tests of other projects with mercer's classes and functions.

``cargo xtask outside`` uses it. The replacement happens when the plugin is loaded, before test modules are imported.
Their tests are not copied: they run from where they are installed.

Tests that are expected to fail are listed in ``deviations.txt`` with a reason. The run fails if a listed test passes or
does not exist. ``--outside-report FILE`` writes the results of each suite as JSON.
"""

import json
import pathlib
import re

import pytest

HERE = pathlib.Path(__file__).resolve().parent

#: Suites and their modules. A name that starts with "./" is a file of this folder.
SUITES = {
    "svm": ["sklearn.svm.tests.test_svm"],
    "svm-sparse": ["sklearn.svm.tests.test_sparse"],
    "kernel-ridge": ["sklearn.tests.test_kernel_ridge"],
    "kernel-pca": ["sklearn.decomposition.tests.test_kernel_pca"],
    "neighbors": ["sklearn.neighbors.tests.test_neighbors"],
    "check-estimator": ["./test_checks.py"],
    "aeon": [
        "aeon.distances.tests.test_distances",
        "aeon.distances.tests.test_pairwise",
        "aeon.distances.tests.test_numba_distance_parameters",
        "aeon.distances.tests.test_sklearn_compatibility",
        "aeon.distances.elastic.tests.test_distance_correctness",
        "aeon.distances.elastic.tests.test_bounding",
    ],
    "grakel": ["./test_grakel_interface.py"],
}


def put_estimators():
    """Replace the estimators of scikit-learn by those of mercer."""
    import sklearn.decomposition
    import sklearn.kernel_ridge
    import sklearn.neighbors
    import sklearn.svm

    import mercer

    places = {
        sklearn.svm: ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "LinearSVC", "LinearSVR"],
        sklearn.kernel_ridge: ["KernelRidge"],
        sklearn.decomposition: ["KernelPCA"],
        sklearn.neighbors: ["KNeighborsClassifier", "KNeighborsRegressor"],
    }
    for module, names in places.items():
        for name in names:
            setattr(module, name, getattr(mercer, name))


put_estimators()


def pytest_addoption(parser):
    parser.addoption("--outside-report", help="write the results to this file, as JSON")
    parser.addoption("--outside-suites", default="", help="the suites to run, separated by commas")


def pytest_configure(config):
    config.outside = Results(config)
    config.pluginmanager.register(config.outside, "outside-results")
    names = [name for name in config.getoption("--outside-suites").split(",") if name]
    if "aeon" in names:
        import series_in_place

        series_in_place.put()


class Results:
    """Marks the expected deviations and counts the results of every suite."""

    def __init__(self, config):
        self.config = config
        self.entries = read_deviations(HERE / "deviations.txt")
        self.counts = {}
        self.modules = {module: suite for suite, modules in SUITES.items() for module in modules}

    def suite_of(self, item):
        module = item.module.__name__
        return self.modules.get(module) or self.modules.get(f"./{module}.py", module)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        kept, left_out = [], []
        for item in items:
            (kept if concerns_us(item, self.suite_of(item)) else left_out).append(item)
        items[:] = kept
        if left_out:
            self.config.hook.pytest_deselected(items=left_out)
        used = set()
        for item in items:
            name = f"{self.suite_of(item)}::{item.name}"
            for entry in self.entries:
                if entry["pattern"].fullmatch(name) and not (entry["but"] and entry["but"].fullmatch(name)):
                    used.add(entry["text"])
                    item.add_marker(pytest.mark.xfail(reason=entry["reason"], strict=True))
                    break
        ran = {self.suite_of(item) for item in items}
        self.unused = [e["text"] for e in self.entries if e["suite"] in ran and e["text"] not in used]
        self.reasons = {}

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        outcome = yield
        report = outcome.get_result()
        report.outside_suite = self.suite_of(item)

    def pytest_runtest_logreport(self, report):
        counts = self.counts.setdefault(
            report.outside_suite, {"passed": 0, "deviations": 0, "failed": 0, "skipped": 0, "seconds": 0.0, "wrong": []}
        )
        counts["seconds"] += report.duration
        if report.failed:
            counts["failed"] += 1
            counts["wrong"].append(report.nodeid.rpartition("/")[2])
        elif report.skipped and hasattr(report, "wasxfail"):
            counts["deviations"] += 1
            reason = report.wasxfail.removeprefix("reason: ")
            self.reasons[reason] = self.reasons.get(reason, 0) + 1
        elif report.skipped:
            counts["skipped"] += 1
        elif report.when == "call" and report.passed:
            counts["passed"] += 1

    def pytest_sessionfinish(self, session, exitstatus):
        path = self.config.getoption("--outside-report")
        if path:
            out = {
                "suites": self.counts,
                "reasons": getattr(self, "reasons", {}),
                "unused": getattr(self, "unused", []),
                "notes": notes(self.counts),
                "exit": int(exitstatus),
            }
            pathlib.Path(path).write_text(json.dumps(out))


def notes(suites):
    """Notes on the suites that ran."""
    out = []
    if "aeon" in suites:
        from series_in_place import ANSWERED, REPLACED

        out.append(
            f"aeon: {ANSWERED['mercer']} calls computed by mercer for {', '.join(REPLACED)}; {ANSWERED['aeon']} left to aeon, whose "
            "definition differs there (Itakura band, window at unequal lengths, additional parameters)"
        )
    if "grakel" in suites:
        out.append("grakel: the installed package ships data for its tests but no tests, so its data and interface are tested here")
    return out


def concerns_us(item, suite):
    """Whether a test uses what was replaced: some tests of the suites neighbors and aeon, all tests of others."""
    if suite == "aeon":
        import series_in_place

        return series_in_place.concerns_us(item)
    if suite != "neighbors":
        return True
    import inspect

    code = inspect.getsource(item.function)
    ours = re.compile(r"KNeighbors(Classifier|Regressor)\b")
    params = getattr(getattr(item, "callspec", None), "params", {})
    named = [getattr(v, "__name__", type(v).__name__) for v in flat(params.values())]
    given = [name for name in named if name.endswith(("NearestNeighbors", "NeighborsClassifier", "NeighborsRegressor"))]
    # A test with an estimator as parameter is run if that is ours, other tests if their code names ours.
    return any(ours.fullmatch(name) for name in given) if given else bool(ours.search(body(code)))


def flat(values):
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from flat(value)
        else:
            yield value


def body(code):
    """The code of a function without its decorators."""
    return code[code.index("def ") :]


def pattern_of(text):
    """The pattern of a test name, in which ``*`` stands for any text."""
    return re.compile(".*".join(map(re.escape, text.split("*"))), re.DOTALL)


def read_deviations(path):
    """Read the file of deviations: a line ``reason: …``, followed by the indented tests to which it applies.

    ``A but not B`` names the tests that are like A and not like B.
    """
    out, reason = [], None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        if text.startswith("reason:"):
            reason = text.removeprefix("reason:").strip()
        elif line[0].isspace() and reason and "::" in text:
            named, _, but = text.partition(" but not ")
            out.append(
                {
                    "text": text, "suite": text.partition("::")[0], "reason": reason, "pattern": pattern_of(named),
                    "but": pattern_of(but) if but else None,
                }  # fmt: skip
            )
        else:
            raise pytest.UsageError(f"{path.name}:{number}: expected 'reason: …', or below one an indented SUITE::TEST")
    return out
