"""How the studio bears a class: start-up, first paint, jogging by many pages at once, memory. On this machine only.

    python scripts/studio_load.py                       # everything, some minutes
    python scripts/studio_load.py jog --clients 50      # one part

Pages without a browser speak the protocol of NiceGUI's pages over their own WebSocket; first paint and the class of
browsers need Playwright and Chromium. Every part starts a server of its own. Figures are printed as they come, and a
slow or busy machine shows: compare runs on the same machine only.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path
from queue import Queue
from typing import Any

import httpx
import numpy as np
import websockets.asyncio.client

PAUSE = 0.04  # s between messages of a slider that moves, as in jog.js
GREETING = "document_id=load&next_message_id=0&implicit_handshake=true"

JOGGED = re.compile(r'setValues\\",\[[^\]]*\],([\d.]+)\]')  # the number of the last jog message that was heard


class Server:
    """A studio in a process of its own."""

    def __init__(self, robot: str) -> None:
        self.began = time.perf_counter()
        command = [sys.executable, "-m", "redyn", "studio", robot, "--port", "0", "--no-browser"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        told: Queue[str] = Queue()
        threading.Thread(target=self._listen, args=(told,), daemon=True).start()
        self.url = told.get(timeout=120)
        self.announced = time.perf_counter() - self.began
        self.port = int(re.search(r":(\d+)/", self.url)[1])  # type: ignore[index]
        while True:
            with contextlib.suppress(httpx.HTTPError):
                httpx.get(self.url.partition("?")[0], timeout=60)
                break
            time.sleep(0.01)
        self.answered = time.perf_counter() - self.began

    def _listen(self, told: Queue[str]) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(r"http://\S+", line):
                told.put(found[0])
            elif "Traceback" in line or "Error" in line:
                print("server:", line, end="")

    def processes(self) -> dict[int, str]:
        """The server and its children, by process id."""
        found = {self.process.pid: "server"}
        for folder in Path("/proc").iterdir():
            with contextlib.suppress(OSError, ValueError, IndexError):
                parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                if parent == self.process.pid:
                    found[int(folder.name)] = "child"
        return found

    def memory(self) -> tuple[float, float]:
        """MB of the server, and of its children."""
        sizes: dict[str, float] = {"server": 0.0, "child": 0.0}
        for process, kind in self.processes().items():
            with contextlib.suppress(OSError):
                pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
                sizes[kind] += pages * os.sysconf("SC_PAGE_SIZE") / 1e6
        return sizes["server"], sizes["child"]

    def cpu(self) -> float:
        """Seconds of processor time that the server itself has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(60)


@contextlib.contextmanager
def running(robot: str) -> Generator[Server]:
    server = Server(robot)
    try:
        yield server
    finally:
        server.end()


class Page:
    """A page without a browser. It understands as much as is needed to jog, to edit and to wait."""

    def __init__(self, server: Server, name: str) -> None:
        self.server, self.name = server, name
        self.parts: dict[str, tuple[int, str]] = {}  # module -> element and its listener
        self.received = self.weight = 0  # messages and characters
        self.idle = asyncio.Event()
        self.sent: dict[int, float] = {}  # jog messages that are not answered yet
        self.waits: list[float] = []
        self.number = 0
        self.cells: list[tuple[int, str]] = []  # tables and their listeners
        self._next = 0
        self._root = 0

    async def open(self) -> None:
        async with httpx.AsyncClient(follow_redirects=True, timeout=120) as http:
            text = (await http.get(self.server.url)).text
            jar = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
        self.client = re.search(r"'client_id': '([^']+)'", text)[1]  # type: ignore[index]
        query = f"EIO=4&transport=websocket&client_id={self.client}&tab_id={self.name}&{GREETING}"
        url = f"ws://127.0.0.1:{self.server.port}/_nicegui_ws/socket.io/?{query}"
        self.line = await websockets.asyncio.client.connect(
            url, additional_headers={"Cookie": jar}, max_size=None, max_queue=None, compression=None, open_timeout=120
        )
        await self.line.recv()
        await self.line.send("40")
        await self.line.recv()
        self._listening = asyncio.create_task(self._listen())

    async def close(self) -> None:
        self._listening.cancel()
        await self.line.close()

    async def say(self, name: str, content: Any) -> None:
        await self.line.send("42" + json.dumps([name, content]))

    async def event(self, target: tuple[int, str], content: Any) -> None:
        message = {"client_id": self.client, "id": target[0], "listener_id": target[1], "args": [json.dumps(content)]}
        await self.say("event", message)

    async def ready(self) -> None:
        """Once the page is built and its first motion is shown."""
        await asyncio.wait_for(self.idle.wait(), 300)

    async def jog(self, joint: int, value: float) -> None:
        self.number += 1
        self.sent[self.number] = time.perf_counter()
        await self.event(
            self.parts["jog"], {"name": "jog", "value": {"joint": joint, "value": value, "number": self.number}}
        )

    async def _listen(self) -> None:
        async for said in self.line:
            now = time.perf_counter()
            assert isinstance(said, str)
            self.received, self.weight = self.received + 1, self.weight + len(said)
            if said == "2":
                await self.line.send("3")
            elif said.startswith("42"):
                await self._hear(said, now)

    async def _hear(self, said: str, now: float) -> None:
        kind = said[4 : said.index('"', 4)]
        if kind == "update":
            self._update(json.loads(said[2:])[1])
        elif found := JOGGED.search(said):
            heard = float(found[1])
            for number in [number for number in self.sent if number <= heard]:
                self.waits.append(now - self.sent.pop(number))
        elif kind == "run_javascript":
            question = json.loads(said[2:])[1]
            if question.get("request_id"):
                answer = {"client_id": self.client, "request_id": question["request_id"], "result": None}
                await self.say("javascript_response", answer)
        if self.received % 20 == 0:
            with contextlib.suppress(AttributeError):
                self._next = max(self._next, int(re.search(r'"_id":(\d+)', said)[1]) + 1)  # type: ignore[index]
                await self.say("ack", {"client_id": self.client, "next_message_id": self._next})

    def _update(self, elements: dict[str, Any]) -> None:
        for key, element in elements.items():
            if not isinstance(element, dict):
                continue
            props = element.get("props", {})
            if props.get("id") == "studio":
                self._root = int(key)
                if "data-busy" in props:
                    self.idle.clear()
                elif self.parts:
                    self.idle.set()
            for event in element.get("events", []):
                if event["type"] == "part":
                    module = Path(str(props.get("source", ""))).stem
                    self.parts.setdefault(module, (int(key), event["listener_id"]))
                if event["type"] == "cellValueChanged":
                    self.cells.append((int(key), event["listener_id"]))


# --- parts -------------------------------------------------------------------------------------------------------


def told(name: str, seconds: list[float]) -> None:
    """Prints the median, the 95th percentile and the largest, in ms."""
    values = 1000 * np.array(seconds)
    if len(values):
        shown = (np.median(values), np.percentile(values, 95), values.max())
        print(f"{name}: median {shown[0]:.0f} ms, 95 % within {shown[1]:.0f} ms, at most {shown[2]:.0f} ms", flush=True)


def start(options: argparse.Namespace) -> None:
    """From the command to the first answer, and to a page whose motion is computed."""

    async def first(server: Server) -> None:
        page = Page(server, "first")
        await page.open()
        await page.ready()
        ready.append(time.perf_counter() - server.began)
        await page.close()

    announced: list[float] = []
    answered: list[float] = []
    ready: list[float] = []
    for _ in range(options.runs):
        with running(options.robot) as server:
            announced.append(server.announced)
            answered.append(server.answered)
            asyncio.run(first(server))
    told("start: the address is printed", announced)
    told("start: the server answers", answered)
    told("start: the first page is complete", ready)


def jog(options: argparse.Namespace) -> None:
    """Many pages whose sliders move at the same time."""
    with running(options.robot) as server:
        asyncio.run(_jog(server, options))


async def _jog(server: Server, options: argparse.Namespace) -> None:
    pages = [Page(server, f"tab{k}") for k in range(options.clients)]
    for page in pages:
        await page.open()
    await asyncio.gather(*(page.ready() for page in pages))
    await asyncio.sleep(2)
    for run in range(options.runs):
        for page in pages:
            page.waits, page.received, page.weight = [], 0, 0
        cpu, began = server.cpu(), time.perf_counter()
        await asyncio.gather(*(_move(page, options, 0.7 * k) for k, page in enumerate(pages)))
        took = time.perf_counter() - began
        waits = [wait for page in pages for wait in page.waits]
        told(f"jog, run {run + 1}: {options.clients} pages", waits)
        messages, weight = sum(page.received for page in pages), sum(page.weight for page in pages)
        print(
            f"    {len(waits) / took:.0f} of {options.clients * options.rate:.0f} jogs per second answered, "
            f"{messages / len(waits):.1f} messages and {weight / len(waits):.0f} bytes each; "
            f"the server used {(server.cpu() - cpu) / took:.2f} cores",
            flush=True,
        )
    for page in pages:
        await page.close()


async def _move(page: Page, options: argparse.Namespace, phase: float) -> None:
    """A slider that moves on and on, as jog.js sends it; the next message waits for the last one if it is polite."""
    loop, end = asyncio.get_running_loop(), time.perf_counter() + options.seconds
    due = loop.time() + np.random.default_rng(int(10 * phase)).random() / options.rate
    while time.perf_counter() < end:
        await asyncio.sleep(max(0.0, due - loop.time()))
        while options.polite and page.sent:
            await asyncio.sleep(0.002)
        due = max(due + 1 / options.rate, loop.time())
        await page.jog(0, 0.5 * float(np.sin(2 * time.perf_counter() + phase)))
    limit = time.perf_counter() + 20
    while page.sent and time.perf_counter() < limit:
        await asyncio.sleep(0.01)


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {"start": start, "jog": jog}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--robot", default="kuka-kr5")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--clients", type=int, default=50, help="pages that jog")
    parser.add_argument("--rate", type=float, default=1 / PAUSE, help="jog messages per second of each page")
    parser.add_argument("--seconds", type=float, default=10.0, help="of jogging")
    parser.add_argument("--polite", action="store_true", help="a page sends the next jog once the last is answered")
    options = parser.parse_args()
    for part in options.parts or PARTS:
        PARTS[part](options)


if __name__ == "__main__":
    main()
