"""Long computations in other processes: scheduled fairly, with progress and cancellation, never blocking the server.

A worker is a thread here and a persistent process, since a new one takes a second to import everything. A stopped job
is first asked to return its results so far; a process that does not respond is killed, as is one that responds and then
takes too long, and one that needs too much memory fails. Users take turns: of those who wait, the one with the fewest
running jobs is served next, ties going to the one who has used the least time of late, then to the one served least
recently. A user is a browser, which becomes another one by deleting its cookies: so a new one counts as if it had used
what others at its address have on average, and the jobs of an address are limited too.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import os
import pickle
import signal
import threading
import time
from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple, cast

from redyn.errors import RedynError
from redyn.studio.reader import OUT_OF_MEMORY, set_bounds
from redyn.studio.shares import fair_share
from redyn.studio.troubles import fault

GRACE = 2.0  # s for a stopped job to respond,
PACKING = 30.0  # and then to return its results so far, which takes its time on a busy machine
QUIET = 0.05  # s between messages about progress
MOST = 300  # jobs that run or wait, of everybody
NICE = 2  # of worker processes
WINDOW = 600.0  # s for which the time that a user has used counts
LARGEST_RESULT = 200_000_000  # bytes: they come into the memory of the server
MOST_KNOWN = 1000  # users whose last turn is remembered
MOST_SERVED = 200  # jobs per process, which is then replaced, to bound leaks


@dataclass(frozen=True)
class Limits:
    """Of jobs, as set on the command line."""

    seconds: float = 300.0  # of one job
    memory: int = 2_000_000_000  # bytes of one job, in addition to those of an idle worker
    jobs: int = 4  # of one user that run or wait
    workers: int = 2  # jobs that run at the same time
    spare: int = 0  # workers that one user leaves to others

    @property
    def together(self) -> int:
        """Jobs of one user that run at the same time."""
        return max(1, self.workers - self.spare)

    def check(self) -> None:
        if not self.seconds > 0:
            raise RedynError(f"--limit: expected seconds above 0, got {self.seconds:g}")
        if self.memory < 100_000_000:
            raise RedynError(f"--memory: expected 100 MB or more, got {self.memory // 1_000_000}")
        for option, value, most in (("jobs", self.jobs, MOST), ("workers", self.workers, 64)):
            if not 1 <= value <= most:
                raise RedynError(f"--{option}: expected a number from 1 to {most}, got {value}")


class Job:
    """A computation. `state` is waiting, running, done, failed or cancelled; it changes in another thread.

    `reason`: why it was stopped; empty if by the user.
    """

    def __init__(
        self, task: str, arguments: tuple[Any, ...], person: str = "", address: str = "", seconds: float = 300.0
    ) -> None:
        self.task, self.arguments, self.person, self.address = task, arguments, person, address
        self.seconds = seconds
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

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._changed = threading.Condition()
        self._waiting: list[Job] = []
        self._running: list[Job] = []
        self._served: dict[str, int] = {}  # users in order of their last turn
        self._past: deque[tuple[float, _Use]] = deque()  # ends of jobs, and the time they used
        self._closed = False
        self._workers = [_Worker(self) for _ in range(self.limits.workers)]

    def submit(self, task: str, *arguments: Any, person: str = "", address: str = "") -> Job:
        """Run `module:function` with a function report(part, note) and these arguments, which must pickle."""
        job = Job(task, arguments, person, address, self.limits.seconds)
        with self._changed:
            every = [*self._waiting, *self._running]
            own = sum(other.person == person for other in every)
            if own >= self.limits.jobs:
                raise RedynError(f"{own} of your simulations or derivations run or wait already; cancel one first")
            if sum(other.address == address for other in every) >= fair_share(len(every), MOST):
                raise RedynError("too many simulations or derivations wait already; try again later")
            self._waiting.append(job)
            self._changed.notify_all()
        return job

    def ahead_of(self, job: Job) -> int:
        """How many jobs are currently ahead of this one."""
        with self._changed:
            waiting, turns = list(self._waiting), self._turns()
        count = 0
        while waiting and (first := turns.next(waiting)) is not job:
            waiting.remove(first)
            turns.busy[first.person] += 1
            turns.served[first.person] = max(turns.served.values(), default=0) + 1
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
                turns = self._turns() if self._waiting else _Turns([], Counter(), {})
                allowed = [job for job in self._waiting if turns.busy[job.person] < self.limits.together]
                if allowed:
                    job = turns.next(allowed)
                    self._waiting.remove(job)
                    self._running.append(job)
                    turn = max(self._served.values(), default=0) + 1
                    self._served = {**dict(list(self._served.items())[-MOST_KNOWN:]), job.person: turn}
                    return job
                self._changed.wait(0.2)

    def done_with(self, job: Job) -> None:
        with self._changed:
            self._running.remove(job)
            self._past.append((time.monotonic(), _Use(job.person, job.address, job.took)))
            self._changed.notify_all()

    def _turns(self) -> _Turns:
        since = time.monotonic() - WINDOW
        while self._past and self._past[0][0] < since:
            self._past.popleft()
        used = [use for _, use in self._past]
        used += [_Use(job.person, job.address, job.took) for job in (*self._running, *self._waiting)]
        return _Turns(used, Counter(job.person for job in self._running), dict(self._served))

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


class _Use(NamedTuple):
    """Time of a worker that somebody used."""

    person: str
    address: str
    seconds: float


class _Turns:
    """Whose turn it is: see the head of this file."""

    def __init__(self, used: list[_Use], busy: Counter[str], served: dict[str, int]) -> None:
        self.busy, self.served = busy, served
        self._used: defaultdict[str, float] = defaultdict(float)
        of_address: defaultdict[str, float] = defaultdict(float)
        people: defaultdict[str, set[str]] = defaultdict(set)
        for use in used:
            self._used[use.person] += use.seconds
            of_address[use.address] += use.seconds
            people[use.address].add(use.person)
        self._average = {address: of_address[address] / len(people[address]) for address in people}

    def next(self, waiting: list[Job]) -> Job:
        return min(waiting, key=lambda job: (self.busy[job.person], self.used(job), self.served.get(job.person, 0)))

    def used(self, job: Job) -> float:
        """Seconds of this user of late, or of others at the address on average if that is more."""
        return max(self._used[job.person], self._average.get(job.address, 0.0))


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
            self._process = context.Process(target=serve, args=(theirs, self._pool.limits.memory), daemon=True)
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
                code = None
                with contextlib.suppress(Exception):
                    self._process.join(1.0)
                    code = self._process.exitcode
                self._drop()
                if not self._closed:
                    job.finish("failed", error=self._why(code))
            finally:
                self._pool.done_with(job)

    def _why(self, code: int | None) -> str:
        """Why a process ended by itself, from its exit code."""
        limit = f"{self._pool.limits.memory / 1e6:,.0f} MB of memory, the limit of this server"
        if code == OUT_OF_MEMORY:
            return f"it needs more than {limit}"
        perhaps = f", maybe because it needs more than {limit}" if code is not None and code < 0 else "; try again"
        return f"the worker process ended before it was done{perhaps}"

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
                elif kind == "memory":
                    self._drop()  # what it has allocated may stay allocated
                    return job.finish("failed", error=self._why(OUT_OF_MEMORY))
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


def serve(line: Any, memory: int) -> None:
    """Main loop of a worker process: one task after the other. Pages go first, so it is nice to the server."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICE)
    with contextlib.suppress(OSError):  # if the machine runs out of memory, not the server is killed
        Path("/proc/self/oom_score_adj").write_text("500", "ascii")
    importlib.import_module("redyn.studio.work")
    interrupts = importlib.import_module("redyn.simulation.interrupts")
    set_bounds(memory)
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
            line.send_bytes(_packed(answer))


def _packed(answer: tuple[Any, ...]) -> bytes:
    try:
        packed = pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        return pickle.dumps(("memory",))
    if len(packed) <= LARGEST_RESULT:
        return packed
    size, most = (f"{x / 1e6:,.0f} MB" for x in (len(packed), LARGEST_RESULT))
    return pickle.dumps(("failed", None, f"the result has {size}, more than the {most} that this server takes"))


def _carry_out(line: Any, task: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    module, _, function = task.partition(":")
    try:
        return "done", getattr(importlib.import_module(module), function)(Teller(line), *arguments)
    except RedynError as error:
        return "failed", None, str(error)
    except MemoryError:
        return ("memory",)
    except Exception as error:
        return "failed", None, fault(error)
