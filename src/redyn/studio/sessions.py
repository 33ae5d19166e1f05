"""Sessions of browser tabs, kept for a while after the tab is gone, within limits per user and in total."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakValueDictionary

from redyn.errors import RedynError
from redyn.studio.opening import Opened
from redyn.studio.shares import fair_share
from redyn.studio.state import State
from redyn.studio.threads import Threads
from redyn.studio.troubles import Troubles

if TYPE_CHECKING:
    from redyn.studio.desk import Desk

T = TypeVar("T")

FORGET = 30 * 60.0  # s until the session of a closed tab is dropped; its browser still has the work
AWAY = 60.0  # s for which a simulation continues for a page that lost its connection,
CLOSED = 5.0  # and for one that was closed or is being reloaded
MOST = 300  # sessions in total
MOST_EACH = 50  # open tabs per browser
MOST_STORED = 1_000_000_000  # bytes of uploads per browser
LEAST_FREE = 500_000_000  # bytes of the disk that uploads leave free
MOST_RESULTS = 20  # closed tabs whose results are kept


@dataclass
class Session:
    """The session of one browser tab; `key` addresses its uploads, `person` is its browser at an `address`."""

    state: State
    person: str = ""
    address: str = ""
    key: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    fresh: bool = True  # whether nothing has been done in it yet
    saved: str = ""  # `bundle.mark` of what was opened or saved last
    pages: int = 0  # connected pages
    left: float = field(default_factory=time.monotonic)  # time since which none is connected
    closing: bool = False  # whether the page announced its closing
    desk: Desk | None = None  # the page showing it
    following: asyncio.Task[None] | None = None  # task that builds the robot of the tables
    troubles: Troubles = field(default_factory=Troubles)
    threads: Threads = field(default_factory=Threads)
    uploads: asyncio.Lock = field(default_factory=asyncio.Lock)  # uploads of this user, in order of arrival
    arriving: set[Path] = field(default_factory=set[Path])  # folders of uploads not read yet

    async def run(self, function: Callable[..., T], *arguments: object) -> T:
        """Calls a function that takes a while, in a thread; users take turns."""
        return await self.threads.run(self.person, function, *arguments)

    def came(self) -> None:
        self.pages, self.closing = self.pages + 1, False

    def went(self) -> None:
        self.pages, self.left = self.pages - 1, time.monotonic()

    def look_after(self, now: float, expected: bool = False) -> None:
        """Frees the workers of a tab that is gone. `expected`: a page of its browser is on its way, maybe this one."""
        if self.pages <= 0 and now - self.left > (CLOSED if self.closing and not expected else AWAY):
            for job in self.state.jobs:
                job.cancel("stopped because its page was closed or away")


class Sessions:
    """All sessions, by the name of the tab."""

    def __init__(self, first: Opened) -> None:
        self.first, self._threads = first, Threads()
        self._by_tab: dict[str, Session] = {}
        self._uploads: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._expected: Counter[str] = Counter()  # pages per person that are being loaded

    @contextlib.contextmanager
    def expected(self, person: str) -> Generator[None]:
        """While a page is loaded, which may take longer than CLOSED: only once it is there it says whose tab it is."""
        self._expected[person] += 1
        try:
            yield
        finally:
            self._expected[person] -= 1
            if not self._expected[person]:
                del self._expected[person]

    def of(self, tab: str, person: str, address: str = "") -> Session:
        """The session of a tab, created if new. If there are too many, the one closed longest ago is dropped.

        Open tabs are limited per browser, and per address such that others always find room.
        """
        if tab not in self._by_tab:
            self.look_after()
            if sum(session.pages > 0 for session in self.of_person(person)) >= MOST_EACH:
                raise RedynError(f"{MOST_EACH} tabs of this browser are open already; close some of them")
            shown = [session for session in self._by_tab.values() if session.pages > 0]
            if sum(session.address == address for session in shown) >= fair_share(len(shown), MOST):
                raise RedynError("too many people are using this studio just now; try again later")
            if len(self._by_tab) >= MOST:
                gone = [name for name, session in self._by_tab.items() if session.pages <= 0]
                self._forget(min(gone, key=lambda name: self._by_tab[name].left))
            uploads = self._uploads.setdefault(person, asyncio.Lock())
            self._by_tab[tab] = Session(
                State.first(self.first), person, address, threads=self._threads, uploads=uploads
            )
        return self._by_tab[tab]

    def of_person(self, person: str) -> list[Session]:
        """All sessions of one browser."""
        return [session for session in self._by_tab.values() if session.person == person]

    def make_room(self, person: str) -> None:
        """Drops closed tabs of a browser if its uploads take too much of the disk; an error if that is not enough."""
        if self._disk_is_full():
            raise RedynError("the disk of the server is nearly full; try again later")
        tabs = [tab for tab, session in self._by_tab.items() if session.person == person]
        sizes = {tab: self._by_tab[tab].state.stored for tab in tabs}
        closed = [tab for tab in tabs if self._by_tab[tab].pages <= 0]
        for tab in sorted(closed, key=lambda tab: self._by_tab[tab].left):
            if sum(sizes.values()) <= MOST_STORED:
                break
            if sizes.pop(tab):
                self._forget(tab)
        if sum(sizes.values()) > MOST_STORED:
            taken, most = (f"{size / 1e6:,.0f}" for size in (sum(sizes.values()), MOST_STORED))
            raise RedynError(f"your uploads take {taken} MB of {most} MB already; close tabs with robots of your own")

    def _disk_is_full(self) -> bool:
        return shutil.disk_usage(tempfile.gettempdir()).free < LEAST_FREE

    def by_key(self, key: str) -> Session | None:
        found = (s for s in self._by_tab.values() if secrets.compare_digest(s.key.encode(), key.encode()))
        return next(found, None)

    def look_after(self) -> None:
        """Frees workers and results of closed tabs, and drops sessions closed long ago."""
        now = time.monotonic()
        for session in self._by_tab.values():
            session.look_after(now, session.person in self._expected)
            session.state.keep_folder()
        left = sorted((session.left, tab) for tab, session in self._by_tab.items() if session.pages <= 0)
        for place, (since, tab) in enumerate(reversed(left)):
            if now - since > FORGET:
                self._forget(tab)
            elif now - since > AWAY:
                self._by_tab[tab].state.let_go(simulations=place >= MOST_RESULTS)

    def _forget(self, tab: str) -> None:
        self._by_tab.pop(tab).state.close()

    def __len__(self) -> int:
        return len(self._by_tab)

    def close(self) -> None:
        self._threads.close()
        for tab in list(self._by_tab):
            self._forget(tab)
