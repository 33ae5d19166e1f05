"""Ctrl-C during a run: the first ends the run, which keeps what it has; a second one is raised.

A loop of runs could not be left otherwise: every Ctrl-C would end one run, and the next would begin. At a prompt, the
first Ctrl-C is forgotten once the user has had the time to look at what came back.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from typing import Any

from redyn.simulation.callbacks import Callbacks

PAUSE = 1.0  # s between two runs, from which on somebody at a prompt has read the result of the first


class _Earlier:
    """What happened in this process before: whether Ctrl-C ended a run, and when the last run was over."""

    interrupted = False
    over = 0.0


def forget() -> None:
    """Whatever was interrupted before has nothing to do with what comes now."""
    _Earlier.interrupted = False


def begin() -> None:
    """A run begins."""
    if hasattr(sys, "ps1") and time.monotonic() - _Earlier.over > PAUSE:
        forget()


def is_second() -> bool:
    """Ctrl-C was pressed: whether it is to be raised."""
    second, _Earlier.interrupted = _Earlier.interrupted, not _Earlier.interrupted
    return second


def end() -> None:
    """A run is over."""
    _Earlier.over = time.monotonic()


class Interrupts:
    """While a run goes on in compiled code, Ctrl-C asks it to stop; `second` tells afterwards whether to raise it.

    An exception that rises just as compiled code calls Python would be lost: so the loop sees a flag. Only if Ctrl-C
    comes again in the same run it rises at once, for something may keep the run from seeing the flag.
    """

    def __init__(self, callbacks: Callbacks) -> None:
        self._callbacks, self._before = callbacks, None
        self._pressed = self.second = False

    def __enter__(self) -> None:
        if threading.current_thread() is not threading.main_thread():
            return
        before = signal.getsignal(signal.SIGINT)
        if before is signal.default_int_handler or getattr(before, "of_redyn", False):
            begin()
            self._before = before
            signal.signal(signal.SIGINT, self._handler())

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            end()

    def _handler(self) -> Any:
        def stop(number: int, frame: object) -> None:
            del number, frame
            again, self._pressed = self._pressed, True
            self.second = is_second() or self.second
            self._callbacks.fail(KeyboardInterrupt())
            if again:
                raise KeyboardInterrupt

        stop.of_redyn = True  # pyright: ignore[reportFunctionMemberAccess]
        return stop
