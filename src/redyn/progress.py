"""Progress of long computations."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any


class Progress:
    """A progress bar on standard error, shown after two seconds if that is a terminal.

    A function instead of True is called with the fraction done, 0 to 1, some twenty times a second. With `unit`, what
    the total counts, the bar also has the rate.
    """

    def __init__(
        self, what: str, total: float, wanted: bool | Callable[[float], object] = True, unit: str = ""
    ) -> None:
        self._tell = wanted if callable(wanted) else None
        self._what, self._total, self._wanted = what, total, wanted is True and sys.stderr.isatty()
        self._started = time.perf_counter()
        self._bar: Any = None
        self._unit = unit
        self._job: Any = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self, done: float) -> None:
        if self._tell is not None:
            self._tell(float(done) / self._total)
        if not self._wanted or time.perf_counter() - self._started < 2.0:
            return
        if self._bar is None:
            from rich.console import Console
            from rich.progress import Progress as Bar
            from rich.progress import TextColumn

            columns = [*Bar.get_default_columns(), TextColumn("{task.fields[rate]}")]
            self._bar = Bar(*columns, console=Console(stderr=True), transient=True)
            self._job = self._bar.add_task(self._what, total=self._total, rate="")
            self._bar.start()
        self._bar.update(self._job, completed=done, rate=self._rate(done))

    def _rate(self, done: float) -> str:
        seconds = time.perf_counter() - self._started
        return f"{done / seconds:,.3g} {self._unit}/s" if self._unit else ""
