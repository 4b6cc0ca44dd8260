"""Threads, interruption, child processes, progress, internal errors."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import numpy as np
import pytest

import mercer
from mercer import _mercer

X = np.random.default_rng(0).standard_normal((300, 6))
y = (X[:, 0] > 0).astype(int)


def test_the_number_of_threads_does_not_change_a_bit():
    k = mercer.RBF(gamma=0.1)
    one = k.gram(X, threads=1)
    assert (one == k.gram(X, threads=2)).all() and (one == k.gram(X, threads=3)).all()
    a, b = (mercer.SVC(threads=t).fit(X, y).decision_function(X) for t in (1, 3))
    assert (a == b).all()
    for bad in (0, 5000):
        with pytest.raises(mercer.ParameterError, match="threads"):
            k.gram(X, threads=bad)


def test_the_gil_is_released():
    """Another Python thread keeps counting during native work."""
    counted, going = [0], [True]

    def count():
        while going[0]:
            counted[0] += 1
            time.sleep(0.001)

    other = threading.Thread(target=count)
    other.start()
    _mercer._work(0.5, False, 1, None)
    going[0] = False
    other.join()
    assert counted[0] > 50


def test_a_panic_is_an_exception():
    with pytest.raises(mercer.InternalError, match="on purpose"):
        _mercer._panic()
    assert mercer.RBF().gram(X).shape == (300, 300)


@pytest.fixture
def default_signal_handler():
    """Python's own handler of Ctrl-C, which background processes start without."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_interruption_cancels_the_work(default_signal_handler):
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(KeyboardInterrupt):
            _mercer._work(20.0, False, 1, None)
    assert time.monotonic() - start < 1.5


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_work_that_cannot_be_cancelled_is_abandoned_with_a_warning(default_signal_handler):
    """At the second Ctrl-C, or after ten seconds."""
    for after in [0.3, 1.0]:
        threading.Timer(after, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    start = time.monotonic()
    with pytest.warns(RuntimeWarning, match="has not ended yet"), pytest.raises(KeyboardInterrupt):
        _mercer._work(6.0, True, 1, None)
    assert 0.8 < time.monotonic() - start < 2.5
    # The next call does not wait for threads that are still busy.
    start = time.monotonic()
    mercer.RBF().gram(X, threads=1)
    assert time.monotonic() - start < 1.5


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize("work", ["dtw", "gak", "svc"])
def test_nothing_continues_after_an_interruption(work):
    """The process uses no CPU time once the call has returned."""
    code = textwrap.dedent(
        f"""
        import threading, os, signal, time, numpy as np, mercer
        signal.signal(signal.SIGINT, signal.default_int_handler)
        rng = np.random.default_rng(0)
        work = {work!r}
        # One pair of long series takes many seconds.
        series = [rng.standard_normal(40000) for _ in range(3)]
        X = rng.standard_normal((6000, 100)); y = rng.integers(0, 2, len(X))
        threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        try:
            if work == "svc":
                mercer.SVC(C=1e6, gamma=1.0, tol=1e-12).fit(X, y)
            else:
                kernel = mercer.DTW() if work == "dtw" else mercer.GlobalAlignment()
                kernel.gram(series)
        except KeyboardInterrupt:
            late = time.monotonic() - start - 1.0
            before = time.process_time()
            time.sleep(1.0)
            print("stopped", late, time.process_time() - before)
        """
    )
    out = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=120)
    assert out.stdout.startswith("stopped"), out
    late, spent = map(float, out.stdout.split()[1:])
    assert late < 3.0, out
    assert spent < 0.1, out


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize("work", ["fit", "search", "gram"])
def test_real_work_is_interrupted(work):
    """Runs in a separate process, so that an early or late signal does no harm."""
    code = textwrap.dedent(
        f"""
        import threading, os, signal, time, numpy as np, mercer
        signal.signal(signal.SIGINT, signal.default_int_handler)
        rng = np.random.default_rng(0)
        X = rng.standard_normal((20000, 200)); y = rng.integers(0, 2, len(X))
        threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        try:
            if {work!r} == "fit":
                mercer.SVC(C=1e4, gamma=1.0).fit(X, y)
            elif {work!r} == "search":
                mercer.GridSearch(mercer.SVC(kernel=mercer.RBF()), {{"C": 10.0 ** np.arange(9)}}).fit(X[:4000], y[:4000])
            else:
                for _ in range(100): mercer.Laplacian().gram(X[:9000])
        except KeyboardInterrupt:
            print("stopped after", time.monotonic() - start - 1.0)
        """
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert out.stdout.startswith("stopped after"), out
    # Two seconds, and some reserve for a busy machine.
    assert float(out.stdout.split()[-1]) < 3.0, out


def child(queue):
    queue.put(float(mercer.RBF(gamma=0.1).gram(X).sum()))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork of Unix")
def test_a_forked_child_creates_its_own_threads():
    expected = float(mercer.RBF(gamma=0.1).gram(X).sum())
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    process = context.Process(target=child, args=(queue,))
    process.start()
    assert queue.get(timeout=30) == expected
    process.join(30)
    assert process.exitcode == 0
    # The threads of the parent still work.
    assert float(mercer.RBF(gamma=0.1).gram(X).sum()) == expected


def test_joblib_processes():
    from sklearn.model_selection import cross_val_score

    assert len(cross_val_score(mercer.SVC(), X, y, cv=3, n_jobs=2)) == 3


def test_progress_is_reported():
    reported = []
    mercer.GridSearch(
        mercer.SVC(kernel=mercer.RBF()), {"C": [1.0, 10.0]}, cv=3, progress=lambda *a: reported.append(a), refit=False
    ).fit(X, y)
    assert reported and reported[-1] == ("fits", 6, 6)
    reported.clear()
    mercer.RBF().gram(X, progress=lambda *a: reported.append(a))
    assert reported[-1][0] == "gram" and reported[-1][1] == reported[-1][2]


def test_progress_bars(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    mercer.RBF().gram(X, progress=True)
    assert "gram [####" in capsys.readouterr().err


def test_errors_of_a_progress_callback_cancel_the_work():
    def listener(*_):
        raise ZeroDivisionError

    start = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        mercer.RBF().gram(X, progress=listener)
    assert time.monotonic() - start < 2


def test_work_that_does_not_fit_in_memory_is_refused():
    wide = np.zeros((3_000_000, 1))
    with pytest.raises(mercer.MemoryPlanError) as caught:
        mercer.RBF().gram(wide)
    assert caught.value.needed == 8 * 3_000_000**2 and isinstance(caught.value, MemoryError)
