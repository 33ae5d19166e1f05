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
import shutil
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
LOADED = '\\"load\\",{\\"scenes'  # the 3D view is loaded
ENERGY = "Energy"  # a plot of the forward dynamics


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
            elif "Traceback" in line or "Error" in line or "not understood" in line:
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
        self.idle, self.loaded, self.simulated = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.sent: dict[int, float] = {}  # jog messages that are not answered yet
        self.waits: list[float] = []
        self.number = 0
        self.buttons: dict[str, tuple[int, str]] = {}  # test id -> element and its listener
        self.table: tuple[int, str] | None = None
        self.busy = False

    async def open(self) -> None:
        async with httpx.AsyncClient(follow_redirects=True, timeout=120) as http:
            text = (await http.get(self.server.url)).text
            jar = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
        self.client = re.search(r"'client_id': '([^']+)'", text)[1]  # type: ignore[index]
        query = f"EIO=4&transport=websocket&client_id={self.client}&tab_id={self.name}&{GREETING}"
        url = f"ws://127.0.0.1:{self.server.port}/_nicegui_ws/socket.io/?{query}"
        self.line = await websockets.asyncio.client.connect(
            url, additional_headers={"Cookie": jar}, max_size=None, max_queue=None, open_timeout=120
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

    async def edit(self, row: int, column: str, text: str) -> float:
        """Edits a cell; seconds until the robot, its motion and its torques are shown again."""
        assert self.table is not None
        began, self.loaded = time.perf_counter(), asyncio.Event()
        content = {"colId": column, "newValue": text, "data": {"table": "geometry", "row": row}}
        await self.event(self.table, content)
        await asyncio.wait_for(self.loaded.wait(), 120)
        return time.perf_counter() - began

    async def click(self, name: str) -> None:
        await self.event(self.buttons[name], {})

    async def simulate(self) -> float:
        """Runs the forward dynamics; seconds until its plots are there."""
        began, self.simulated = time.perf_counter(), asyncio.Event()
        await self.click("run-forward")
        await asyncio.wait_for(self.simulated.wait(), 300)
        return time.perf_counter() - began

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
        if said.startswith('42["update"'):
            return self._update(json.loads(said[2:])[1])
        if LOADED in said:
            self.loaded.set()
        if ENERGY in said:
            self.simulated.set()
        if found := JOGGED.search(said):
            heard = float(found[1])
            for number in [number for number in self.sent if number <= heard]:
                self.waits.append(now - self.sent.pop(number))
        if '"request_id"' in said:  # it has nothing to tell that the server asks for, such as work that is kept
            question = json.loads(said[2:])[1]
            answer = {"client_id": self.client, "request_id": question["request_id"], "result": None}
            await self.say("javascript_response", answer)
        if self.received % 20 == 0 and (found := re.search(r'"_id":(\d+)', said)):
            await self.say("ack", {"client_id": self.client, "next_message_id": int(found[1]) + 1})
        return None

    def _update(self, elements: dict[str, Any]) -> None:
        for key, element in elements.items():
            if not isinstance(element, dict):
                continue
            props = element.get("props", {})
            if props.get("id") == "studio":
                self.busy = "data-busy" in props
                if not self.busy and self.parts:
                    self.idle.set()
            for event in element.get("events", []):
                if event["type"] == "click":
                    self.buttons[str(props.get("data-testid"))] = int(key), event["listener_id"]
                if event["type"] == "part":
                    module = Path(str(props.get("source", ""))).stem
                    self.parts.setdefault(module, (int(key), event["listener_id"]))
                if event["type"] == "cellValueChanged" and self.table is None:
                    self.table = int(key), event["listener_id"]


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
    """A slider that moves on and on, as jog.js sends it; the next message waits for the answer to the last one."""
    loop, end = asyncio.get_running_loop(), time.perf_counter() + options.seconds
    due = loop.time() + np.random.default_rng(int(10 * phase)).random() / options.rate
    while time.perf_counter() < end:
        await asyncio.sleep(max(0.0, due - loop.time()))
        while page.sent and not options.impolite:
            await asyncio.sleep(0.002)
        due = max(due + 1 / options.rate, loop.time())
        await page.jog(0, 0.5 * float(np.sin(2 * time.perf_counter() + phase)))
    limit = time.perf_counter() + 20
    while page.sent and time.perf_counter() < limit:
        await asyncio.sleep(0.01)


def memory(options: argparse.Namespace) -> None:
    """Of the server and its workers, over many edits of one page and many tabs that are opened and closed."""
    with running(options.robot) as server:
        asyncio.run(_memory(server, options))


async def _memory(server: Server, options: argparse.Namespace) -> None:
    def tell(what: str) -> None:
        own, others = server.memory()
        print(f"memory {what}: server {own:.0f} MB, its other processes {others:.0f} MB", flush=True)

    page = Page(server, "editor")
    await page.open()
    await page.ready()
    await asyncio.sleep(3)
    await page.simulate()
    waits: list[float] = []
    rng = np.random.default_rng()
    for k in range(options.edits + 1):
        if k % max(options.edits // 5, 1) == 0:
            tell(f"after {k} edits")
        if k < options.edits:
            waits.append(await page.edit(0, "b", f"{0.41 + 0.1 * rng.random():.8f}"))
    told("edits: until the 3D view is loaded", waits)
    await page.simulate()
    await page.close()
    for k in range(options.tabs + 1):
        if k % max(options.tabs // 5, 1) == 0:
            tell(f"after {k} tabs")
        page = Page(server, f"tab{k}")
        await page.open()
        await page.ready()
        await page.close()


def group(options: argparse.Namespace) -> None:
    """A class: every page edits, simulates and jogs, each at its own pace."""
    with running(options.robot) as server:
        asyncio.run(_group(server, options))


async def _group(server: Server, options: argparse.Namespace) -> None:
    pages = [Page(server, f"student{k}") for k in range(options.students)]
    opened: list[float] = []

    async def come(page: Page) -> None:
        began = time.perf_counter()
        await page.open()
        await page.ready()
        opened.append(time.perf_counter() - began)

    await asyncio.gather(*(come(page) for page in pages))  # all at once, as at the begin of a lecture
    told(f"class: {options.students} pages opened at once are complete", opened)
    edits: list[float] = []
    runs: list[float] = []

    async def work(page: Page) -> None:
        rng = np.random.default_rng()  # robots that were never compiled before
        for _ in range(5):
            await asyncio.sleep(8 * rng.random())
            edits.append(await page.edit(0, "b", f"{0.41 + 0.1 * rng.random():.8f}"))
            await asyncio.sleep(4 * rng.random())
            runs.append(await page.simulate())
            for step in range(25):
                await page.jog(0, 0.02 * step)
                await asyncio.sleep(PAUSE)

    await asyncio.gather(*(work(page) for page in pages))
    told("class: edits until the 3D view is loaded", edits)
    told("class: simulations of 10 s, with their time in the queue", runs)
    told("class: jogs", [wait for page in pages for wait in page.waits])
    own, others = server.memory()
    print(f"class: memory of the server {own:.0f} MB, of its other processes {others:.0f} MB")
    for page in pages:
        await page.close()


FIRST = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
FLAGS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--no-sandbox"]


def paint(options: argparse.Namespace) -> None:
    """First paint, the whole page, and the 3D view, in a browser; without and with what it has stored."""
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with running(options.robot) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        figures: dict[str, list[float]] = {}
        for _ in range(options.runs):
            context = browser.new_context(viewport={"width": 1366, "height": 768})
            for visit in ("first visit", "second visit"):
                page = context.new_page()
                page.set_default_timeout(300_000)
                began = time.perf_counter()
                page.goto(server.url)
                page.wait_for_function(f"{FIRST} > 0")
                figures.setdefault(f"{visit}: first paint", []).append(page.evaluate(FIRST) / 1000)
                for name, selector in (("page", "#studio"), ("3D view", "[data-loaded]")):
                    page.wait_for_selector(selector, state="attached")
                    figures.setdefault(f"{visit}: {name}", []).append(time.perf_counter() - began)
                page.close(run_before_unload=False)
            context.close()
        browser.close()
    for name, seconds in figures.items():
        told(f"paint, {name}", seconds)


PARTS: dict[str, Callable[[argparse.Namespace], None]] = {
    "start": start,
    "paint": paint,
    "jog": jog,
    "class": group,
    "memory": memory,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all by default")
    parser.add_argument("--robot", default="kuka-kr5")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--clients", type=int, default=50, help="pages that jog")
    parser.add_argument("--rate", type=float, default=1 / PAUSE, help="jog messages per second of each page")
    parser.add_argument("--seconds", type=float, default=10.0, help="of jogging")
    parser.add_argument("--impolite", action="store_true", help="pages jog on while the last jog is not answered")
    parser.add_argument("--students", type=int, default=30, help="pages of a class")
    parser.add_argument("--edits", type=int, default=500)
    parser.add_argument("--tabs", type=int, default=200)
    options = parser.parse_args()
    for part in options.parts or PARTS:
        PARTS[part](options)


if __name__ == "__main__":
    main()
