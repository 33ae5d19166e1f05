"""A Dask scheduler and workers as processes on loopback, which tests may kill."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

PATIENCE = 120.0  # s: a loaded machine takes its time


def wait_for(condition, what, process=None):
    """Until it holds; never for a fixed time."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        if process is not None:
            assert process.poll() is None, f"ended while waiting for {what}: {process.communicate()[1]}"
        time.sleep(0.02)


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def environment(**more):
    """Modules of this process are found in those that it starts."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)} | more


class Cluster:
    """Started and killed piece by piece; what is left at the end is ended."""

    def __init__(self, folder: Path):
        self.folder, self.port = folder, free_port()
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.scheduler, self.workers, self._all = None, [], []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self._all:
            if process.poll() is None:
                process.kill()
            process.communicate()

    def _start(self, *words, env=None):
        command = [sys.executable, "-m", "dask", *map(str, words)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen(command, cwd=self.folder, env=env or environment(), **quiet)
        self._all.append(process)
        return process

    def start_scheduler(self):
        words = ("scheduler", "--host", "127.0.0.1", "--port", self.port, "--no-dashboard")
        self.scheduler = self._start(*words)

        def answers():
            with socket.socket() as probe:
                return probe.connect_ex(("127.0.0.1", self.port)) == 0

        wait_for(answers, "the scheduler", self.scheduler)

    def start_worker(self, env=None):
        words = ("worker", self.address, "--nthreads", 1, "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
        words += ("--local-directory", self.folder / f"worker{len(self._all)}", "--death-timeout", "60")
        self.workers.append(self._start(*words, env=env))

    def kill_worker(self):
        kill(self.workers.pop(0))

    def kill_scheduler(self):
        kill(self.scheduler)
        while self.workers:  # they would wait for it to come back
            kill(self.workers.pop())


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.wait()
