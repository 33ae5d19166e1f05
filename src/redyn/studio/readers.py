"""The server's side of reading uploads: processes that read one file each (see reader.py), a few concurrently."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, cast

from redyn.studio.reader import LARGEST_ANSWER, MEMORY, OUT_OF_MEMORY, SECONDS, TOO_MUCH, Answer
from redyn.studio.uploads import UploadError, without_folder

MOST = 4  # concurrent readers; each may take `reader.MEMORY`


class Readers:
    """Starts readers, one in advance, and kills those that take too long. End it with `close`."""

    def __init__(self, most: int = MOST, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        self._free, self._seconds, self._memory = threading.BoundedSemaphore(most), seconds, memory
        self._lock = threading.Lock()
        self._spare: subprocess.Popen[bytes] | None = None
        self._running: set[subprocess.Popen[bytes]] = set()
        self._closed = False

    def warm_up(self) -> None:
        """Starts a reader for the first upload: a new process takes a second to import what it needs."""
        with self._lock:
            if self._spare is None and not self._closed:
                self._spare = _start(self._memory)

    def read(self, kind: str, folder: Path, name: str, choice: str | None = None) -> Answer:
        """Reads a file and returns the response; blocks, so call it in a thread. UploadError if it failed."""
        order = {"kind": kind, "folder": str(folder), "name": name, "choice": choice}
        with self._free:
            process = self._take()
            try:
                answer = _ask(process, json.dumps(order).encode() + b"\n", self._seconds)
            except subprocess.TimeoutExpired:
                reason = f"could not be read within {self._seconds:g} s; it is too large or damaged"
                raise UploadError(f"{name}: {reason}") from None
            finally:
                self._end(process)
        found = _understood(answer, process.returncode, name)
        if "error" in found:
            raise UploadError(without_folder(str(found["error"]), folder))
        return found

    def close(self) -> None:
        with self._lock:
            self._closed = True
            processes = [*self._running, *([self._spare] if self._spare else [])]
        for process in processes:
            self._end(process)

    def _take(self) -> subprocess.Popen[bytes]:
        with self._lock:
            process, self._spare = self._spare or _start(self._memory), None
            self._running.add(process)
        threading.Thread(target=self.warm_up, daemon=True).start()
        return process

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            self._running.discard(process)
        with contextlib.suppress(OSError):
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()


def _start(memory: int) -> subprocess.Popen[bytes]:
    # One thread: with limited memory, a process cannot allocate buffers for many threads.
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "redyn.studio.reader", str(memory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    )


def _ask(process: subprocess.Popen[bytes], order: bytes, seconds: float) -> bytes:
    """The response, of at most LARGEST_ANSWER bytes."""
    assert process.stdin is not None
    assert process.stdout is not None
    late = threading.Event()

    def give_up() -> None:
        late.set()  # first: the end of the process is noticed before `kill` returns
        process.kill()

    timer = threading.Timer(seconds, give_up)
    timer.start()
    try:
        with contextlib.suppress(OSError):  # it may have exited: then there is no response either
            process.stdin.write(order)
            process.stdin.close()
        answer = process.stdout.read(LARGEST_ANSWER + 1)
        process.wait()
    finally:
        timer.cancel()
    if late.is_set() and not answer:
        raise subprocess.TimeoutExpired(process.args, seconds)
    return answer


def _understood(answer: bytes, code: int | None, name: str) -> Answer:
    try:
        found: object = json.loads(answer) if len(answer) <= LARGEST_ANSWER else None
    except ValueError:
        found = None
    if isinstance(found, dict):
        return cast("dict[str, Any]", found)
    if code == OUT_OF_MEMORY:
        raise UploadError(f"{name}: {TOO_MUCH}")
    raise UploadError(f"{name}: reading it failed: it is damaged, or {TOO_MUCH}")
