"""The work of every browser tab, kept on the server for a while after the tab is gone; how much of it, and whose."""

from __future__ import annotations

import asyncio
import secrets
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from redyn.errors import RedynError
from redyn.studio.opening import Opened
from redyn.studio.state import State
from redyn.studio.troubles import Troubles

if TYPE_CHECKING:
    from redyn.studio.desk import Desk

FORGET = 30 * 60.0  # s until a tab that is gone is forgotten; its browser has the work still
AWAY = 60.0  # s that a simulation goes on for a page that lost its connection,
CLOSED = 5.0  # and for one that was closed, or is being loaded again
MOST = 200  # tabs that are remembered
MOST_EACH = 50  # tabs of one browser that are open
MOST_RESULTS = 20  # tabs without a page whose simulations are


@dataclass
class Session:
    """The work of one browser tab; `key` is what its uploads are addressed to, `person` the browser it is in."""

    state: State
    person: str = ""
    key: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    fresh: bool = True  # whether nothing was done in it yet
    pages: int = 0  # that are connected
    left: float = field(default_factory=time.monotonic)  # since when there is none
    closing: bool = False  # whether the page said that it goes
    desk: Desk | None = None  # the page that shows it
    following: asyncio.Task[None] | None = None  # the robot of the tables being made
    troubles: Troubles = field(default_factory=Troubles)
    uploads: asyncio.Lock = field(default_factory=asyncio.Lock)  # of this person, one after the other as they came
    arriving: set[Path] = field(default_factory=set[Path])  # folders of uploads that are not read yet

    def came(self) -> None:
        self.pages, self.closing = self.pages + 1, False

    def went(self) -> None:
        self.pages, self.left = self.pages - 1, time.monotonic()

    def look_after(self, now: float) -> None:
        """Frees the workers of a tab that is gone."""
        if self.pages <= 0 and now - self.left > (CLOSED if self.closing else AWAY):
            for job in self.state.jobs:
                job.cancel("stopped because its page was closed or away")


class Sessions:
    """By the name of the tab."""

    def __init__(self, first: Opened) -> None:
        self.first = first
        self._by_tab: dict[str, Session] = {}
        self._uploads: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def of(self, tab: str, person: str) -> Session:
        """The session of a tab, a new one for a new tab. The one that was left first makes room for it, if need be."""
        if tab not in self._by_tab:
            self.look_after()
            if sum(session.pages > 0 for session in self.of_person(person)) >= MOST_EACH:
                raise RedynError(f"{MOST_EACH} tabs of this browser are open already; close some of them")
            if len(self._by_tab) >= MOST:
                gone = [name for name, session in self._by_tab.items() if session.pages <= 0]
                if not gone:
                    raise RedynError("too many people are using this studio just now; try again later")
                self._forget(min(gone, key=lambda name: self._by_tab[name].left))
            uploads = self._uploads.setdefault(person, asyncio.Lock())
            self._by_tab[tab] = Session(State.first(self.first), person, uploads=uploads)
        return self._by_tab[tab]

    def of_person(self, person: str) -> list[Session]:
        """All of one browser."""
        return [session for session in self._by_tab.values() if session.person == person]

    def by_key(self, key: str) -> Session | None:
        found = (s for s in self._by_tab.values() if secrets.compare_digest(s.key.encode(), key.encode()))
        return next(found, None)

    def look_after(self) -> None:
        """Frees workers, lets go of results that nobody looks at, and forgets tabs that were closed long ago."""
        now = time.monotonic()
        for session in self._by_tab.values():
            session.look_after(now)
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
        for tab in list(self._by_tab):
            self._forget(tab)
