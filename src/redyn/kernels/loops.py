"""Numba's compiled functions on disk, held to the promise of our own kernels.

Numba's own cache is pickled machine code without a checksum: one flipped bit changes results without a word, one empty
index ends every run. Here the same contents go into our cache of kernels: private, checked, written at once or not at
all, compiled again when anything is wrong with them, and limited in size.

Numba notices changes only in the file of the function that it keeps, not in those of the functions that are called
there, so the key covers the source of every package that has such functions.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast

import numba  # pyright: ignore[reportMissingTypeStubs]
from numba.core import caching, compiler, config, serialize  # pyright: ignore[reportMissingTypeStubs]

from redyn.kernels import cache

_SOURCES = ("dynamics/laws", "kernels", "kinematics", "simulation")


class LoopCache(cast(Any, caching)._Cache):
    """What a Numba dispatcher asks for its compiled code, and gives it to."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    @property
    def cache_path(self) -> str:
        return str(cache.folder())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function for a signature; None if it must be compiled."""
        target_context.refresh()
        data = cache.read(self._name(sig, target_context.codegen()))
        if data is None:
            return None
        try:
            return cast(Any, compiler).CompileResult._rebuild(target_context, *pickle.loads(data))
        except Exception:  # whole, but of no use to this Numba: as good as missing
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled. What depends on addresses of this process cannot be kept."""
        if data.library.has_dynamic_globals or any(not part.can_cache for part in data.lifted):
            return
        with contextlib.suppress(Exception):  # a cache that does not work is no error
            cache.write(self._name(sig, data.codegen), cast(Any, serialize).dumps(data._reduce()))

    def _name(self, sig: Any, codegen: Any) -> str:
        function = self._function
        closed_over = [_printed(cell.cell_contents) for cell in function.__closure__ or ()]
        where = function.__module__, function.__qualname__, function.__code__.co_firstlineno
        vectors = cast(Any, config).LOOP_VECTORIZE
        version = cast(Any, numba).__version__, sys.version
        return cache.named("loop", where, closed_over, str(sig), codegen.magic_tuple(), vectors, version, _digest())

    def enable(self) -> None:
        """Always on."""

    def disable(self) -> None:
        """Always on."""

    def flush(self) -> None:
        """Entries are found by their key, so none is ever out of date."""


def _printed(value: Any) -> str:
    """A variable that a function closes over, as text that is the same in every process."""
    function = getattr(value, "py_func", value)
    return f"{function.__module__}.{function.__qualname__}" if callable(function) else repr(value)


@lru_cache(maxsize=1)
def _digest() -> str:
    digest = hashlib.sha256()
    for _, contents in cache.sources(_SOURCES):
        digest.update(contents)
    return digest.hexdigest()
