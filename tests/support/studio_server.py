"""A studio that runs beside the tests, in a process of its own."""

import os
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from queue import Queue


class Server:
    """`url` has the token; `log` holds the lines that it has written so far."""

    def __init__(self, *arguments, port=0, environment=None):
        self.log: list[str] = []
        self._arguments, self._environment = arguments, environment
        self._start(port)

    def restart(self):
        """Ends it and starts it again at the same address."""
        self.end()
        self._start(self.port)

    def _start(self, port):
        arguments, environment = self._arguments, self._environment
        command = [sys.executable, "-m", "redyn", "studio", "--port", str(port), *arguments]
        command += [] if "--browser" in arguments else ["--no-browser"]
        own = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}  # NiceGUI looks
        environment = {**own, **(environment or {})}
        self.process = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        told: Queue[re.Match | None] = Queue()
        threading.Thread(target=self._listen, args=(self.process.stdout, told), daemon=True).start()
        found = told.get(timeout=300)
        assert found, "".join(self.log)
        self.url, self.port = found[0], int(found[1])
        self.origin = self.url.partition("?")[0]
        self._wait()

    def _listen(self, lines, told):
        """Tells the address, on whatever line it comes, and None if the server ends without one."""
        for line in lines:
            self.log.append(line)
            if found := re.search(r"http://[^ ]+:(\d+)/\S*", line):
                told.put(found)
        told.put(None)

    def _wait(self):
        end = time.monotonic() + 300
        while True:
            try:
                return urllib.request.urlopen(self.origin, timeout=60).close()
            except urllib.error.HTTPError:
                return None  # it answers: with its door
            except OSError:
                assert self.process.poll() is None, "".join(self.log)
                assert time.monotonic() < end
                time.sleep(0.1)

    def memory(self):
        """Bytes of memory that it holds."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def end(self):
        self.process.terminate()
        self.process.wait(120)


@contextmanager
def running(*arguments, port=0, environment=None):
    server = Server(*arguments, port=port, environment=environment)
    try:
        yield server
    finally:
        server.end()


@contextmanager
def sound(*arguments, environment=None):
    """One that must not have logged an error by its end."""
    with running(*arguments, environment=environment) as server:
        yield server
    assert not [line for line in server.log if "Traceback" in line], "".join(server.log)


@contextmanager
def classroom(folder, password):
    """A sound one with a password, and a cache of its own in the folder."""
    (folder / "password.txt").write_text(password)
    arguments = ("two-link", "--password-file", str(folder / "password.txt"))
    with sound(*arguments, environment={"REDYN_CACHE": str(folder / "cache")}) as server:
        yield server
