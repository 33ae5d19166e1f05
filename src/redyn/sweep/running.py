"""redyn.sweep.run: compute the shards of a sweep that are missing."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from redyn.errors import InputError
from redyn.progress import Progress
from redyn.sweep.cluster import by_dask
from redyn.sweep.plan import Function, Source, spec
from redyn.sweep.processes import by_processes
from redyn.sweep.result import Result
from redyn.sweep.shard import Trust, prepared, run_shard
from redyn.sweep.store import Folder, encoded


def run(
    source: Source,
    folder: str | Path,
    *,
    workers: int = 1,
    dask: Any = None,
    shard: str | tuple[int, int] | None = None,
    trust: Trust | None = None,
    progress: bool | Callable[[float], object] = True,
    tell: Callable[[str], None] | None = None,
) -> Result:
    """Compute what is missing of a sweep in a folder, which is made if it is not there; returns its results.

    source: a specification, see `redyn.sweep.spec`. A folder that holds another one is refused.
    workers: processes on this machine; 1 computes in this one.
    dask: the address of a scheduler, a client or cluster of Dask's, or "local" for a cluster on this machine, with so
        many `workers`.
    shard: "k/K", the k-th of K parts (k from 1), for arrays of jobs that share the folder.
    trust: "code" lets a specification from a file run the function that it names.
    progress: a bar where somebody sees it, or a function that is told the part that is done, 0 to 1.
    tell: is told what happens, such as the address of Dask's dashboard.

    Whatever ends it, finished shards stay: the same call goes on. Rows do not depend on how they were computed.

    >>> import redyn, tempfile
    >>> plan = {"robot": "two-link", "samples": 64, "vary": {"q": redyn.sweep.Sobol("-pi", "pi")},
    ...         "run": {"simulate": {"duration": 0.1}}, "outputs": ["tip", "energy_error"]}
    >>> result = redyn.sweep.run(plan, tempfile.mkdtemp())
    >>> bool(result.to_pandas()["energy_error"].max() < 1e-6)
    True
    """
    if not isinstance(workers, int) or isinstance(workers, bool) or workers < 1:  # pyright: ignore
        raise InputError(f"workers: expected a number from 1, got {workers!r}")
    if trust not in (None, "code"):
        raise InputError(f"trust: expected 'code' or None, got {trust!r}")
    part = _part(shard)
    own = isinstance(source, dict) and callable(source.get("run"))
    plan = spec(source)
    trust = "code" if own else trust  # the caller's own function
    whole = prepared(plan, trust)  # says what is wrong before anything is written
    store = Folder.made(folder, plan)
    missing = store.missing()
    mine = [k for k in missing if k % part[1] == part[0] - 1]
    if mine and not isinstance(plan.run, Function) and (workers > 1 or dask is not None):
        whole.values(range(1))  # kernels are on disk when the workers begin

    def computed() -> Iterator[int]:
        if dask is not None:
            count = workers if workers > 1 else None
            return by_dask(store, mine, dask, count, trust, tell or _say)
        if workers > 1 and len(mine) > 1:
            return by_processes(store, mine, workers, trust)
        return _serially(store, mine, trust)

    sizes = {k: len(plan.rows(k)) for k in mine}
    total = sum(sizes.values())
    with Progress("sweep", max(1, total), progress, unit="samples") as bar:
        done = 0
        try:
            for k in computed() if mine else ():
                done += sizes[k]
                bar.show(done)
        except KeyboardInterrupt as interrupt:
            interrupt.add_note(f"{store.status()}; the same call goes on")
            raise
    return Result(store)


def _serially(store: Folder, shards: Sequence[int], trust: Trust | None) -> Iterator[int]:
    for k in shards:
        store.write(k, encoded(run_shard(store.plan, k, trust)))
        yield k


def _part(shard: str | tuple[int, int] | None) -> tuple[int, int]:
    if shard is None:
        return 1, 1
    if isinstance(shard, str):
        match = re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", shard)
        shard = (int(match[1]), int(match[2])) if match else (0, 0)
    k, K = shard
    if not 1 <= k <= K:
        raise InputError(f"shard: expected k/K with k from 1 to K, such as 3/16, got {shard!r}")
    return k, K


def _say(text: str) -> None:
    if sys.stderr.isatty():
        print(f"redyn sweep: {text}", file=sys.stderr)
