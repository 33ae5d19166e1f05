"""Timing on a noisy machine: every contestant in turn, a few times each, again and again, and the best of each."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

TURNS = 5


def interleaved(
    calls: Mapping[str, Callable[[], object]], seconds: float, tick: Callable[[], None] = lambda: None
) -> dict[str, float]:
    """The best time of each call, in seconds. Short calls are repeated so that the clock can see them."""
    repeats = {name: _repeats(call) for name, call in calls.items()}
    best = dict.fromkeys(calls, float("inf"))
    end = time.perf_counter() + seconds
    rounds = 0
    while rounds < 3 or time.perf_counter() < end:
        for name, call in calls.items():
            for _ in range(TURNS):  # the first finds the caches as the one before left them
                start = time.perf_counter()
                for _ in range(repeats[name]):
                    call()
                best[name] = min(best[name], (time.perf_counter() - start) / repeats[name])
        rounds += 1
        tick()
    return best


def _repeats(call: Callable[[], object]) -> int:
    """How many calls the clock should see at once; the first few compile, import or find their caches cold."""
    shortest = float("inf")
    for _ in range(6):
        start = time.perf_counter()
        call()
        shortest = min(shortest, time.perf_counter() - start)
    return max(1, int(1e-4 / max(shortest, 1e-9)))
