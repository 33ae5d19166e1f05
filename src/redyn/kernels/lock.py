"""One lock around building: neither CasADi's graphs nor LLVM's state bear two threads at once.

It is held across a fork, with the locks of Numba's compiler and of llvmlite, so that a child never inherits any of them
in the middle of something, taken by a thread that it has not got. A fork therefore waits until others have compiled.
"""

from __future__ import annotations

import os
import sys
import threading
from contextlib import ExitStack
from typing import Any, cast


class BuildLock:
    """A lock that its holder may take again, and that is new in a forked child."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._held = ExitStack()  # during a fork: the locks of others
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self._acquire, after_in_parent=self._release, after_in_child=self._renew)

    def _acquire(self) -> None:
        self._lock.acquire()
        for lock in _locks_of_others():
            self._held.enter_context(lock)

    def _release(self) -> None:
        self._held.close()
        self._lock.release()

    def _renew(self) -> None:
        self._held.close()  # this thread took them before the fork, so it may release them
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *exception: object) -> None:
        self._lock.release()


def _locks_of_others() -> list[Any]:
    """In the order in which whoever takes several takes them; of modules that are loaded only."""
    found: list[Any] = []
    if (numba := sys.modules.get("numba.core.compiler_lock")) is not None:
        found.append(getattr(numba, "global_compiler_lock", None))
    if (llvm := cast(Any, sys.modules.get("llvmlite.binding.ffi"))) is not None:
        found.append(getattr(getattr(llvm, "lib", None), "_lock", None))
    return [lock for lock in found if lock is not None]


building = BuildLock()
