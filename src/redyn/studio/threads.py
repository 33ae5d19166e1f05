"""Threads of the server for what takes seconds at most, such as building a robot, shared fairly by all users."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import os
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

MOST = max(2, min(4, os.cpu_count() or 1))  # more would not be faster, as Python runs one at a time, but delay pages
EACH = MOST // 2  # of one user

T = TypeVar("T")


class Threads:
    """A user has at most `each` threads at a time; of those who wait, the one with the fewest goes first."""

    def __init__(self, most: int = MOST, each: int = EACH) -> None:
        self._most, self._each = most, each
        self._executor = ThreadPoolExecutor(most, "redyn studio thread")
        self._running: Counter[str] = Counter()
        self._waiting: list[tuple[str, asyncio.Future[None]]] = []

    async def run(self, person: str, function: Callable[..., T], *arguments: object) -> T:
        """The result of a function, called in a thread when it is this user's turn."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append((person, turn))
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._waiting = [waiting for waiting in self._waiting if waiting[1] is not turn]
            else:
                self._leave(person)
            raise
        work = self._executor.submit(contextvars.copy_context().run, function, *arguments)

        def ended(_: Future[T]) -> None:  # of the thread, which goes on if nobody waits for it any more
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(self._leave, person)

        work.add_done_callback(ended)
        return await asyncio.wrap_future(work)

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)

    def _leave(self, person: str) -> None:
        self._running[person] -= 1
        if not self._running[person]:
            del self._running[person]
        self._admit()

    def _admit(self) -> None:
        while self._running.total() < self._most:
            ready = [waiting for waiting in self._waiting if self._running[waiting[0]] < self._each]
            if not ready:
                return
            first = min(ready, key=lambda waiting: self._running[waiting[0]])
            self._waiting.remove(first)
            person, turn = first
            if not turn.done():
                self._running[person] += 1
                turn.set_result(None)
