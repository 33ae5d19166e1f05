"""Pinned runs: results that stay when the robot or the forms change, to be compared with others."""

from __future__ import annotations

import base64
import json
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from redyn.errors import InputError
from redyn.studio.signals import GROUPS, Array, Signal, Source, Trace
from redyn.words import counted

MOST = 8  # pinned runs
MOST_NUMBERS = 100_000  # of one run
MOST_SIGNALS = 2_000
LONGEST = 60  # characters of a name
LARGEST = 3_000_000  # bytes of a run that the browser sends back
# For each pinned run, as Plotly and SVG write them.
COLOURS = ("#d1495b", "#2e933c", "#b36b00", "#6f2dbd", "#8d5524", "#c2377b", "#6b7800", "#0a7f5a")
DASHES = (
    *("9px,4px", "2px,3px", "9px,3px,2px,3px", "18px,4px"),
    *("18px,3px,2px,3px", "4px,7px", "2px,7px", "9px,3px,2px,3px,2px,3px"),
)
TIME = "t"
_COLOUR = re.compile(r"#[0-9a-f]{6}")
_KEY = re.compile(r"[0-9a-f]{12}")


@dataclass
class Pin:
    """A pinned run. `key` identifies it in the browser, `place` decides on its dashes."""

    key: str
    name: str
    colour: str
    place: int
    trace: Trace
    shown: bool = True

    @property
    def dash(self) -> str:
        return DASHES[self.place]


@dataclass
class Board:
    """The pinned runs of a tab, and what is compared: the signal y, over time or against x, or minus another run's."""

    pins: list[Pin] = field(default_factory=list[Pin])
    y: str = ""
    x: str = TIME
    minus: str = ""  # key of a run; empty: the signal itself
    present: dict[str, bool] = field(default_factory=dict[str, bool])  # switches of the present results
    expected: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])  # pins whose numbers are to come

    def pin(self, traces: list[Trace]) -> str:
        """Pins results. Returns a note."""
        if len(self.pins) + len(traces) > MOST:
            raise InputError(
                f"{counted(len(self.pins), 'run')} pinned, and the limit is {MOST}: remove some in the tab Compare"
            )
        notes: list[str] = []
        for trace in traces:
            if not len(trace.t):
                raise InputError("nothing to pin: the result has no finite values")
            kept = trace.thinned(MOST_NUMBERS)
            place = next(k for k in range(MOST) if all(pin.place != k for pin in self.pins))
            pin = Pin(secrets.token_hex(6), self._free(trace.about), COLOURS[place], place, kept)
            self.pins.append(pin)
            thinned = f" with {len(kept.t):,} of its {len(trace.t):,} rows: a pinned run holds {MOST_NUMBERS:,} numbers"
            notes.append(f"Pinned as “{pin.name}”{thinned if len(kept.t) < len(trace.t) else ''}")
        return "; ".join(notes)

    def find(self, key: object) -> Pin:
        """The pin with this key."""
        for pin in self.pins:
            if pin.key == key:
                return pin
        raise InputError("that run is no longer pinned")

    def rename(self, key: object, name: str) -> None:
        pin, name = self.find(key), " ".join(name.split())
        if not name or len(name) > LONGEST:
            raise InputError(f"name of a run: expected 1 to {LONGEST} characters")
        if any(other.name == name for other in self.pins if other is not pin):
            raise InputError(f"another pinned run is called {name}: choose another name")
        pin.name = name

    def recolour(self, key: object, colour: str) -> None:
        pin = self.find(key)
        if not _COLOUR.fullmatch(colour):
            raise InputError(f"colour of {pin.name}: expected one such as #1b6ca8")
        pin.colour = colour

    def remove(self, key: object) -> None:
        self.pins.remove(self.find(key))
        if self.minus == key:
            self.minus = ""

    def _free(self, name: str) -> str:
        """The name, with a number if it is taken."""
        name = name[: LONGEST - 3].strip()
        taken = {pin.name for pin in self.pins}
        return next(x for x in (name, *(f"{name} {k}" for k in range(2, MOST + 2))) if x not in taken)

    # --- in the browser ------------------------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """All but the numbers, which the browser saves apart, once for each run."""
        pins = [
            {"key": pin.key, "name": pin.name, "colour": pin.colour, "place": pin.place, "shown": pin.shown}
            for pin in self.pins
        ]
        return {"pins": pins, "y": self.y, "x": self.x, "minus": self.minus, "present": self.present}

    @staticmethod
    def restored(data: dict[str, Any]) -> Board:
        """From the browser: `take` has to follow for each run."""
        y, x, minus = (str(data[name])[:300] for name in ("y", "x", "minus"))
        present = {str(key)[:20]: on is True for key, on in list(data["present"].items())[:4]}
        pins: list[dict[str, Any]] = [dict(pin) for pin in data["pins"]]
        places: list[int] = [pin["place"] for pin in pins]
        right = all(
            _KEY.fullmatch(pin["key"]) and _COLOUR.fullmatch(pin["colour"]) and pin["place"] in range(MOST)
            for pin in pins
        )
        if len(set(places)) < len(places) or not right:
            raise ValueError("not pinned runs")
        return Board([], y, x, minus, present, pins)

    def take(self, key: str, trace: Trace) -> None:
        """The numbers of a restored run."""
        about = next((pin for pin in self.expected if pin["key"] == key), None)
        if about is None:
            raise InputError("a pinned run that is not in the list")
        self.expected.remove(about)
        name = self._free(" ".join(str(about["name"]).split()) or "run")
        self.pins.append(Pin(key, name, about["colour"], about["place"], trace, about["shown"] is True))


def packed(trace: Trace) -> str:
    """A run as the browser saves it."""
    return json.dumps(
        {
            "source": trace.source,
            "about": trace.about,
            "signals": [list(signal) for signal in trace.signals],
            "numbers": base64.b64encode(np.column_stack([trace.t, trace.values]).astype("<f8").tobytes()).decode(),
        }
    )


def unpacked(path: Path) -> Trace:
    """The same, from a browser, which may send anything."""
    if path.stat().st_size > LARGEST:
        raise InputError(f"a pinned run is larger than {LARGEST // 1_000_000} MB")
    try:
        return _trace(json.loads(path.read_bytes()))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        raise InputError("a pinned run saved in the browser cannot be read") from None


def _trace(data: dict[str, Any]) -> Trace:
    signals = tuple(Signal(*(str(text)[:300] for text in signal)) for signal in data["signals"])
    numbers: Array = np.frombuffer(base64.b64decode(data["numbers"], validate=True), "<f8").astype(np.float64)
    table = numbers.reshape(-1, len(signals) + 1)
    if not (0 < len(signals) <= MOST_SIGNALS and 0 < len(numbers) <= max(MOST_NUMBERS, 2 * (MOST_SIGNALS + 1))):
        raise ValueError("too few or too many numbers")
    if any(signal.group not in GROUPS for signal in signals) or len({x.key for x in signals}) < len(signals):
        raise ValueError("not the signals of a run")
    if not np.isfinite(table).all() or not (np.diff(table[:, 0]) > 0).all():
        raise ValueError("not numbers over time")
    source: Source = "inverse" if data["source"] == "inverse" else "forward"
    return Trace(source, str(data["about"])[:300], table[:, 0].copy(), signals, table[:, 1:].copy())
