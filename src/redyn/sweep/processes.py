"""Shards computed by processes on this machine, each of which writes its own files."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

from redyn.errors import RedynError
from redyn.sweep.shard import Trust
from redyn.sweep.store import Folder
from redyn.words import counted

ATTEMPTS = 3  # of a shard whose process ends without an answer


class _Worker(threading.Thread):
    """Feeds one process, and starts another one should it be killed."""

    def __init__(self, folder: Folder, trust: Trust | None, shards: queue.SimpleQueue[int], answers: Any) -> None:
        super().__init__(daemon=True)
        self._folder, self._trust, self._shards, self._answers = folder, trust, shards, answers
        self._process: subprocess.Popen[str] | None = None
        self._ended = False

    def run(self) -> None:
        try:
            while not self._ended:
                try:
                    k = self._shards.get_nowait()
                except queue.Empty:
                    break
                self._answers.put(self._computed(k))
        except Exception as error:  # for the thread that waits for answers
            self._answers.put(error)
        finally:
            self.stop()

    def _computed(self, k: int) -> int | Exception:
        code: int | None = None
        for _ in range(ATTEMPTS):
            process = self._at_work()
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                process.stdin.write(f"{k}\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except (OSError, ValueError):
                line = ""
            if line:
                answer = json.loads(line)
                return RedynError(answer["error"]) if "error" in answer else int(answer["shard"])
            if self._ended:
                break
            code = process.wait()
            self._process = None
        return RedynError(
            f"shard {k}: {counted(ATTEMPTS, 'process', 'processes')} in a row ended while computing it (exit code "
            f"{code}); if memory runs out, give fewer samples per shard or fewer workers"
        )

    def _at_work(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "redyn.sweep.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            )
            first = {"folder": str(self._folder.path.resolve()), "trust": self._trust, "path": sys.path}
            assert self._process.stdin is not None
            self._process.stdin.write(json.dumps(first) + "\n")
        return self._process

    def stop(self) -> None:
        """End the process, whatever it does."""
        self._ended = True
        process = self._process
        if process is not None and process.poll() is None:
            process.kill()
            process.wait()


def by_processes(folder: Folder, shards: Sequence[int], count: int, trust: Trust | None) -> Iterator[int]:
    """Compute these shards with so many processes; yields each when its file is there."""
    waiting: queue.SimpleQueue[int] = queue.SimpleQueue()
    answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
    for k in shards:
        waiting.put(k)
    workers = [_Worker(folder, trust, waiting, answers) for _ in range(min(count, len(shards)))]
    try:
        for worker in workers:
            worker.start()
        for _ in shards:
            answer = answers.get()
            if isinstance(answer, Exception):
                raise answer
            yield answer
    finally:
        for worker in workers:
            worker.stop()
