"""One lock around building: neither CasADi's graphs nor LLVM's state bear two threads at once.

It is held across a fork, so that a child never inherits either of them in the middle of something.
"""

from __future__ import annotations

import os
import threading


class BuildLock:
    """A lock that its holder may take again, and that is new in a forked child."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self._acquire, after_in_parent=self._release, after_in_child=self._renew)

    def _acquire(self) -> None:
        self._lock.acquire()

    def _release(self) -> None:
        self._lock.release()

    def _renew(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *exception: object) -> None:
        self._lock.release()


building = BuildLock()
