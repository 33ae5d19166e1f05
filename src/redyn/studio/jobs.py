"""Long work in other processes: told how far it is, cancelled at once, and never in the way of the server.

A worker is a thread here and a process that stays, since a new one takes a second to import everything. A job that is
cancelled is asked to stop and so hands back what it has; a process that does not listen is ended.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import queue
import signal
import threading
import time
from multiprocessing.connection import Connection
from typing import Any, cast

from redyn.errors import RedynError

GRACE = 2.0  # s that a cancelled job has to hand back what it has
QUIET = 0.05  # s between messages about progress


class Job:
    """A piece of work. `state` is waiting, running, done, failed or cancelled; it changes in another thread."""

    def __init__(self, task: str, arguments: tuple[Any, ...]) -> None:
        self.task, self.arguments = task, arguments
        self.state, self.progress, self.note, self.error = "waiting", 0.0, "", ""
        self.result: Any = None
        self.asked_to_stop = threading.Event()
        self.over = threading.Event()

    def cancel(self) -> None:
        self.asked_to_stop.set()

    def finish(self, state: str, result: Any = None, error: str = "") -> None:
        self.result, self.error, self.arguments = result, error, ()
        self.state = state
        self.over.set()


class Pool:
    """A few workers and one queue. Give up the pool with `close`."""

    def __init__(self, size: int = 2) -> None:
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._workers = [_Worker(self._jobs) for _ in range(size)]

    def submit(self, task: str, *arguments: Any) -> Job:
        """Run `module:function` with a function tell(part, note) and these arguments, which must pickle."""
        job = Job(task, arguments)
        self._jobs.put(job)
        return job

    def warm_up(self) -> None:
        """Starts the processes before the first job comes."""
        for worker in self._workers:
            worker.wake()

    def close(self) -> None:
        for _ in self._workers:
            self._jobs.put(None)
        for worker in self._workers:
            worker.end()


class _Worker:
    def __init__(self, jobs: queue.SimpleQueue[Job | None]) -> None:
        self._jobs = jobs
        self._lock = threading.Lock()
        self._process: Any = None
        self._connection: Connection | None = None
        self._closed = False
        threading.Thread(target=self._work, name="redyn studio worker", daemon=True).start()

    def wake(self) -> None:
        with self._lock:
            self._open()

    def end(self) -> None:
        self._closed = True
        with contextlib.suppress(Exception):
            self._process.kill()

    def _open(self) -> Connection:
        """The line to a process that lives."""
        if self._connection is None or not self._process.is_alive():
            context = multiprocessing.get_context("spawn")
            self._connection, theirs = context.Pipe()
            self._process = context.Process(target=serve, args=(theirs,), daemon=True)
            self._process.start()
            theirs.close()
        return self._connection

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            if job.asked_to_stop.is_set():
                job.finish("cancelled")
                continue
            try:
                with self._lock:
                    self._do(job, self._open())
            except Exception:  # the process died, or what it sent cannot be read
                self._drop()
                if not self._closed:
                    job.finish("failed", error="the process that did this work ended before it was done; try again")

    def _do(self, job: Job, line: Connection) -> None:
        line.send((job.task, job.arguments))
        job.state = "running"
        stopping = 0.0
        while True:
            if line.poll(0.05):
                kind, *content = line.recv()
                if kind != "progress":
                    stopped = job.asked_to_stop.is_set()
                    return job.finish("cancelled" if stopped else kind, *content)
                job.progress, job.note = content
            if job.asked_to_stop.is_set():
                if not stopping:
                    stopping = time.monotonic()
                    line.send("stop")
                elif time.monotonic() - stopping > GRACE:
                    self._drop()
                    return job.finish("cancelled")
            if not self._process.is_alive() and not line.poll():
                raise EOFError

    def _drop(self) -> None:
        with contextlib.suppress(Exception):
            self._process.kill()
            self._process.join(1.0)
        self._connection = None


class Teller:
    """What a task calls with the part done and a note. An order to stop becomes an interrupt, as Ctrl-C is."""

    def __init__(self, line: Any) -> None:
        self._line, self._last, self._note = line, 0.0, ""

    def __call__(self, part: float, note: str = "") -> None:
        now = time.monotonic()
        if note != self._note or now - self._last > QUIET:
            self._last, self._note = now, note
            self._line.send(("progress", part, note))
        if self._line.poll():
            self._line.recv()
            signal.raise_signal(signal.SIGINT)


def serve(line: Any) -> None:
    """The life of a worker's process: one task after the other."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    importlib.import_module("redyn.studio.work")
    while True:
        try:
            order = line.recv()
        except (EOFError, OSError):
            return
        except KeyboardInterrupt:
            continue
        if not isinstance(order, tuple):
            continue  # an order to stop that came too late
        try:
            answer = _carry_out(line, *cast("tuple[str, tuple[Any, ...]]", order))
        except KeyboardInterrupt:
            answer = ("cancelled",)
        with contextlib.suppress(KeyboardInterrupt):
            line.send(answer)


def _carry_out(line: Any, task: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    module, _, function = task.partition(":")
    try:
        return "done", getattr(importlib.import_module(module), function)(Teller(line), *arguments)
    except RedynError as error:
        return "failed", None, str(error)
    except MemoryError:
        return "failed", None, "there is not enough memory for this"
    except Exception as error:
        return "failed", None, f"this did not work, which is a fault of redyn's ({type(error).__name__}: {error})"
