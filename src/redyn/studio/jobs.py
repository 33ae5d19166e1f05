"""Long computations in other processes: scheduled fairly, with progress and cancellation, never blocking the server.

A worker is a thread here and a persistent process, since a new one takes a second to import everything. A stopped job
is first asked to return its results so far; a process that does not respond is killed, as is one that responds and then
takes too long. Users take turns: of those who wait, the one with the fewest running jobs is served next, ties going to
the one served least recently.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import signal
import threading
import time
from collections import Counter
from multiprocessing.connection import Connection
from typing import Any, cast

from redyn.errors import RedynError
from redyn.studio.troubles import fault

GRACE = 2.0  # s for a stopped job to respond,
PACKING = 30.0  # and then to return its results so far, which takes its time on a busy machine
QUIET = 0.05  # s between messages about progress
SECONDS = 300.0  # time limit of a job
MOST_EACH = 4  # jobs of one user that run or wait
MOST_KNOWN = 1000  # users whose last turn is remembered
MOST_SERVED = 200  # jobs per process, which is then replaced, to bound leaks


class Job:
    """A computation. `state` is waiting, running, done, failed or cancelled; it changes in another thread.

    `reason`: why it was stopped; empty if by the user.
    """

    def __init__(self, task: str, arguments: tuple[Any, ...], person: str = "", seconds: float = SECONDS) -> None:
        self.task, self.arguments, self.person, self.seconds = task, arguments, person, seconds
        self.state, self.progress, self.note, self.error, self.reason = "waiting", 0.0, "", "", ""
        self.result: Any = None
        self.began = 0.0
        self.asked_to_stop = threading.Event()
        self.over = threading.Event()

    @property
    def took(self) -> float:
        """Seconds since it started."""
        return time.monotonic() - self.began if self.began else 0.0

    def cancel(self, reason: str = "") -> None:
        if not self.asked_to_stop.is_set():
            self.reason = reason
            self.asked_to_stop.set()

    def finish(self, state: str, result: Any = None, error: str = "") -> None:
        self.result, self.error, self.arguments = result, error, ()
        self.state = state
        self.over.set()


class Pool:
    """A few workers and the queue of jobs. End it with `close`."""

    def __init__(self, size: int = 2, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._changed = threading.Condition()
        self._waiting: list[Job] = []
        self._running: list[Job] = []
        self._served: dict[str, int] = {}  # users in order of their last turn
        self._closed = False
        self._workers = [_Worker(self) for _ in range(size)]

    def submit(self, task: str, *arguments: Any, person: str = "") -> Job:
        """Run `module:function` with a function report(part, note) and these arguments, which must pickle."""
        job = Job(task, arguments, person, self.seconds)
        with self._changed:
            own = sum(other.person == person for other in (*self._waiting, *self._running))
            if own >= MOST_EACH:
                raise RedynError(f"{own} of your simulations or derivations run or wait already; cancel one first")
            self._waiting.append(job)
            self._changed.notify()
        return job

    def ahead_of(self, job: Job) -> int:
        """How many jobs are currently ahead of this one."""
        with self._changed:
            waiting, served = list(self._waiting), dict(self._served)
            busy = Counter(other.person for other in self._running)
        count = 0
        while waiting and (first := _next(waiting, busy, served)) is not job:
            waiting.remove(first)
            busy[first.person] += 1
            served[first.person] = max(served.values(), default=0) + 1
            count += 1
        return count

    def take(self) -> Job | None:
        """The next job, for a worker; None when the pool is closed."""
        with self._changed:
            while True:
                for job in [job for job in self._waiting if job.asked_to_stop.is_set()]:
                    self._waiting.remove(job)
                    job.finish("cancelled")
                if self._closed:
                    return None
                if self._waiting:
                    job = _next(self._waiting, Counter(other.person for other in self._running), self._served)
                    self._waiting.remove(job)
                    self._running.append(job)
                    turn = max(self._served.values(), default=0) + 1
                    self._served = {**dict(list(self._served.items())[-MOST_KNOWN:]), job.person: turn}
                    return job
                self._changed.wait(0.2)

    def done_with(self, job: Job) -> None:
        with self._changed:
            self._running.remove(job)

    def warm_up(self) -> None:
        """Starts the processes before the first job."""
        for worker in self._workers:
            worker.wake()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for worker in self._workers:
            worker.end()


def _next(waiting: list[Job], busy: Counter[str], served: dict[str, int]) -> Job:
    """The next job: of the user with the fewest running jobs, ties going to the one served least recently."""
    return min(waiting, key=lambda job: (busy[job.person], served.get(job.person, 0)))


class _Worker:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._lock = threading.Lock()
        self._process: Any = None
        self._connection: Connection | None = None
        self._closed, self._served = False, 0
        threading.Thread(target=self._work, name="redyn studio worker", daemon=True).start()

    def wake(self) -> None:
        with self._lock:
            self._open()

    def end(self) -> None:
        self._closed = True
        with contextlib.suppress(Exception):
            self._process.kill()

    def _open(self) -> Connection:
        """The connection to a live process."""
        if self._served >= MOST_SERVED:
            self._drop()
        if self._connection is None or not self._process.is_alive():
            context = multiprocessing.get_context("spawn")
            self._connection, theirs = context.Pipe()
            self._process = context.Process(target=serve, args=(theirs,), daemon=True)
            self._process.start()
            self._served = 0
            theirs.close()
        return self._connection

    def _work(self) -> None:
        while (job := self._pool.take()) is not None:
            try:
                with self._lock:
                    self._do(job, self._open())
            except Exception:  # the process died, or its message cannot be unpickled
                self._drop()
                if not self._closed:
                    job.finish("failed", error="the worker process ended before it was done; try again")
            finally:
                self._pool.done_with(job)

    def _do(self, job: Job, line: Connection) -> None:
        self._served += 1
        job.began = time.monotonic()
        line.send((job.task, job.arguments))
        job.state = "running"
        stopping, patience = 0.0, GRACE
        while True:
            if line.poll(0.05):
                kind, *content = line.recv()
                if kind == "progress":
                    job.progress, job.note = content
                elif kind == "stopping":
                    stopping, patience = time.monotonic(), PACKING
                else:
                    stopped = job.asked_to_stop.is_set()
                    return job.finish("cancelled" if stopped else kind, *content)
            if job.took > job.seconds:
                job.cancel(f"stopped after {job.seconds:g} s, the time limit of this server")
            if job.asked_to_stop.is_set():
                if not stopping:
                    stopping = time.monotonic()
                    line.send("stop")
                elif time.monotonic() - stopping > patience:
                    self._drop()
                    return job.finish("cancelled")
            if not self._process.is_alive() and not line.poll():
                raise EOFError

    def _drop(self) -> None:
        with contextlib.suppress(Exception):
            self._process.kill()
            self._process.join(1.0)
        if self._connection is not None:
            self._connection.close()
        self._connection = None


class Teller:
    """Called by a task with the fraction done and a note. A request to stop becomes a KeyboardInterrupt."""

    def __init__(self, line: Any) -> None:
        self._line, self._last, self._note = line, 0.0, ""

    def __call__(self, part: float, note: str = "") -> None:
        now = time.monotonic()
        if note != self._note or now - self._last > QUIET:
            self._last, self._note = now, note
            self._line.send(("progress", part, note))
        if self._line.poll():
            self._line.recv()
            self._line.send(("stopping",))
            signal.raise_signal(signal.SIGINT)


def serve(line: Any) -> None:
    """Main loop of a worker process: one task after the other."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    importlib.import_module("redyn.studio.work")
    interrupts = importlib.import_module("redyn.simulation.interrupts")
    while True:
        interrupts.forget()  # a previously stopped run belonged to somebody else
        try:
            order = line.recv()
        except (EOFError, OSError):
            return
        except KeyboardInterrupt:
            continue
        if not isinstance(order, tuple):
            continue  # a request to stop that came too late
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
        return "failed", None, fault(error)
