"""Progress bars: tqdm if it is installed, otherwise a line on the terminal."""

import sys
import time


class Bars:
    """Show the progress (stage, done, total) reported by the native engine, one bar per stage."""

    def __init__(self):
        self.stage, self.bar = None, None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            tqdm = Line
        self.tqdm = tqdm

    def __call__(self, stage, done, total):
        if self.bar is None or stage != self.stage or done < self.bar.n or total != self.bar.total:
            self.close()
            self.stage, self.bar = stage, self.tqdm(total=total, desc=stage)
        self.bar.update(done - self.bar.n)

    def close(self):
        if self.bar is not None:
            self.bar.close()
            self.bar = None


class Line:
    """Replacement for tqdm, with what :class:`Bars` needs."""

    def __init__(self, total, desc):
        self.total, self.desc, self.n, self.start = total, desc, 0, time.monotonic()

    def update(self, steps):
        self.n += steps
        filled = int(30 * self.n / max(self.total, 1))
        passed = time.monotonic() - self.start
        left = passed * (self.total - self.n) / self.n if self.n else float("nan")
        bar = "#" * filled + "-" * (30 - filled)
        sys.stderr.write(f"\r{self.desc} [{bar}] {self.n}/{self.total} {passed:.0f} s, {left:.0f} s left ")
        sys.stderr.flush()

    def close(self):
        sys.stderr.write("\n")


class shown:
    """``with shown(progress) as listener``: the progress callback for native calls, or None."""

    def __init__(self, progress):
        if progress is True:
            self.listener = Bars()
        elif callable(progress):
            self.listener = progress
        else:
            self.listener = None

    def __enter__(self):
        return self.listener

    def __exit__(self, *_):
        if isinstance(self.listener, Bars):
            self.listener.close()
