"""Shards on a Dask cluster. Workers compute and send back Parquet files; this process writes them.

So workers need no common file system, and a file is written once, by the process that is asked for it. Only a few
shards more than there are threads are handed out, so that memory stays bounded, here and at the scheduler.

What is sent to workers are functions defined within functions: they travel as code, and a scheduler or worker that
lacks redyn can be told so instead of failing to read them.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

from redyn.errors import MissingExtraError, RedynError, warn
from redyn.evaluate.threads import cores
from redyn.sweep.shard import Trust, facts
from redyn.sweep.store import Folder

AHEAD = 2  # shards handed out per thread
PATIENCE = 60.0  # s for a scheduler to answer and a first worker to come
LOOK = 0.5  # s between looks at a cluster from which nothing arrives
ATTEMPTS = 3  # of a shard whose workers keep dying, each with Dask's own three
LOCAL = "local"
CURE = "pip install 'redyn[sweep]' there, of version {version}"


def by_dask(
    folder: Folder,
    shards: Sequence[int],
    where: Any,
    count: int | None,
    trust: Trust | None,
    tell: Callable[[str], None],
) -> Iterator[int]:
    """Compute these shards on a cluster; yields each when its file is written.

    `where` is the address of a scheduler, a client or a cluster object of Dask's, or "local" for one on this machine.
    """
    dask = _distributed()
    with contextlib.ExitStack() as stack:
        client = _client(dask, where, count, stack)
        link = getattr(client, "dashboard_link", "")
        if link:
            tell(f"dashboard: {link}")
        _check_workers(client, tell)
        yield from _computed(dask, client, folder, shards, trust, tell)


def _distributed() -> Any:
    try:
        import distributed  # pyright: ignore[reportMissingImports, reportMissingTypeStubs]
    except ImportError:
        raise MissingExtraError("distributed", "sweep", "A sweep on a Dask cluster") from None
    return distributed  # pyright: ignore[reportUnknownVariableType]


def _client(dask: Any, where: Any, count: int | None, stack: contextlib.ExitStack) -> Any:
    if isinstance(where, dask.Client):
        return where
    if where == LOCAL:
        try:
            where = dask.LocalCluster(
                n_workers=count or cores(),
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,
            )
        except RuntimeError as error:  # workers read the script that starts them once more
            raise RedynError(
                f"--dask: no worker starts on this machine: {error} A script must be a file that calls `sweep.run` "
                'under `if __name__ == "__main__":`'
            ) from None
        stack.callback(where.close)
    elif isinstance(where, str) and "://" not in where:
        where = f"tcp://{where}"
    try:
        return stack.enter_context(_closing(dask.Client(where, timeout=PATIENCE / 4, set_as_default=False)))
    except (OSError, TimeoutError, ValueError) as error:
        raise RedynError(f"--dask: no scheduler answers at {where}: {error}; `dask scheduler` starts one") from None


@contextlib.contextmanager
def _closing(client: Any) -> Generator[Any]:
    """A client that logs nothing of connections that are lost: errors say so."""
    names = [name for name in logging.root.manager.loggerDict if name.startswith(("distributed", "tornado", "asyncio"))]
    before = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield client
    finally:
        with contextlib.suppress(Exception):
            client.close(timeout=2)
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)


def _check_workers(client: Any, tell: Callable[[str], None]) -> None:
    """There is one, and they all have this version of redyn."""
    if not _workers(client):
        tell("waiting for workers")
        with contextlib.suppress(TimeoutError):
            client.wait_for_workers(1, timeout=PATIENCE)
    if not _workers(client):
        address = client.scheduler.address
        raise RedynError(f"--dask: no worker within {PATIENCE:g} s; `dask worker {address}` starts one")

    def has_redyn() -> bool:
        import importlib.util

        return importlib.util.find_spec("redyn") is not None

    def about() -> dict[str, str]:
        from redyn.sweep.shard import facts

        return facts()

    own = facts()
    cure = CURE.format(version=own["redyn.version"])
    lacking = [address for address, has in _asked(client, has_redyn).items() if has is not True]
    if lacking:
        raise RedynError(f"--dask: the worker {lacking[0]} lacks the package redyn: {cure}")
    for address, other in _asked(client, about).items():
        if not isinstance(other, dict):
            raise RedynError(f"--dask: the worker {address} cannot run sweeps: {other}; {cure}")
        if other["redyn.version"] != own["redyn.version"]:
            raise RedynError(f"--dask: the worker {address} has redyn {other['redyn.version']}: {cure}")
        for name in ("redyn.processor", "redyn.numpy", "redyn.scipy"):
            if other[name] != own[name]:
                warn(
                    f"--dask: the worker {address} has another {name.removeprefix('redyn.')} ({other[name]}, here "
                    f"{own[name]}); results may differ in their last digits"
                )


def _asked(client: Any, question: Callable[[], Any]) -> dict[str, Any]:
    try:
        found: dict[str, Any] = client.run(question, on_error="return")
        return {address: answer for address, answer in found.items() if not isinstance(answer, OSError)}  # it is gone
    except (OSError, TimeoutError) as error:
        raise _gone(client, error) from None


def _workers(client: Any) -> dict[str, Any]:
    return client.scheduler_info(n_workers=-1).get("workers", {})


def _computed(
    dask: Any, client: Any, folder: Folder, shards: Sequence[int], trust: Trust | None, tell: Callable[[str], None]
) -> Iterator[int]:
    plan = folder.plan
    text, trusted = plan.to_json(), trust

    def compute(text: str, k: int, trusted: Any) -> bytes:
        from redyn.sweep.shard import from_json, run_shard
        from redyn.sweep.store import encoded

        return encoded(run_shard(from_json(text), k, trusted))

    waiting, attempts, out = list(reversed(shards)), dict[int, int](), dict[Any, int]()

    def submit(k: int) -> None:
        attempts[k] = attempts.get(k, 0) + 1
        key = f"redyn-sweep-{plan.hash[:12]}-{k}-{attempts[k]}"
        out[client.submit(compute, text, k, trusted, key=key, pure=False)] = k

    try:
        while waiting or out:
            if client.status != "running":
                raise _gone(client)
            threads = sum(worker.get("nthreads", 1) for worker in _workers(client).values())
            if not threads:
                tell("waiting for workers")
            while waiting and len(out) < AHEAD * max(1, threads):
                submit(waiting.pop())
            try:
                with client.as_current():
                    arrived = dask.wait(list(out), timeout=LOOK, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                continue
            for future in arrived:
                k = out[future]
                if future.status == "finished":
                    try:
                        content = future.result(timeout=10 * LOOK)
                    except TimeoutError:
                        continue  # its worker went after finishing; Dask computes it again
                    del out[future]
                    folder.write(k, content)
                    yield k
                    continue
                del out[future]
                if future.status == "error":
                    error = future.exception()
                    if not isinstance(error, dask.KilledWorker):
                        raise _explained(error, k)
                elif client.status != "running":
                    raise _gone(client)
                if attempts[k] >= ATTEMPTS:
                    raise RedynError(
                        f"shard {k}: workers keep dying while computing it; if memory runs out, give fewer samples "
                        "per shard"
                    )
                submit(k)
    except (OSError, dask.CancelledError) as error:
        raise _gone(client, error) from None
    finally:
        with contextlib.suppress(Exception):
            client.cancel(list(out), force=True)


def _gone(client: Any, error: BaseException | None = None) -> RedynError:
    why = f" ({error})" if isinstance(error, OSError) else ""  # what Dask says of futures is of no use
    return RedynError(
        f"--dask: the connection to the scheduler at {client.scheduler.address} is lost{why}; what is finished is "
        "kept, the same command goes on"
    )


def _explained(error: BaseException, k: int) -> BaseException:
    if isinstance(error, ModuleNotFoundError):
        cure = CURE.format(version=facts()["redyn.version"])
        return RedynError(f"--dask: a worker lacks the package {error.name}: {cure}")
    if isinstance(error, RedynError):
        return error
    return RedynError(f"shard {k}: {type(error).__name__}: {error}")
