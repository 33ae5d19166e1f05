"""Distributions of the numbers that a sweep varies: each maps uniform draws in [0, 1) to values, one by one.

In a file each is a mapping with one of their names, and perhaps `relative` and `together`:

    {uniform: [low, high]}            {sobol: [low, high]}              quasi-random: points of a Sobol sequence
    {normal: [mean, deviation]}       {normal: {mean: 1, deviation: 0.1, low: 0.5, high: 1.5}}   cut off there
    {loguniform: [low, high]}         {choice: [1, 2, 5]}
    {grid: [0, 0.5, 1]}               {grid: {low: 0, high: 1, count: 11}}         all combinations of all grids
    {rotation: 20 deg}                of a quaternion: any turn of at most that angle; pi is any orientation

`relative: factor` multiplies the robot's own number by the value, `relative: offset` adds it. Where a name stands for
several numbers, each has its own draw; with `together: true` they share one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from redyn.description.fields import items_of
from redyn.description.numbers import parse_angle, shown
from redyn.words import counted, suggestion

Array = NDArray[np.float64]
Relative = Literal["factor", "offset"]

MOST_VALUES = 100_000  # of a grid or a choice


@dataclass(frozen=True)
class Distribution:
    """What all have. `draws`: how many uniform numbers a value takes; `quasi`: whether they are of Sobol's sequence."""

    _: KW_ONLY
    relative: Relative | None = None
    together: bool = False

    name: ClassVar[str] = ""
    draws: ClassVar[int] = 1
    quasi: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.relative not in (None, "factor", "offset"):
            raise ValueError(f"relative: expected factor or offset, got {shown(self.relative)}")
        self._check()

    def _check(self) -> None:
        raise NotImplementedError

    def at(self, u: Array) -> Array:
        """The values of uniform draws, (N,) of (N,), each independent of the others."""
        raise NotImplementedError

    def placed(self, values: Array, nominal: float) -> Array:
        """Values of a number that is `nominal` in the robot's file."""
        if self.relative == "factor":
            return nominal * values
        return nominal + values if self.relative == "offset" else values

    def to_data(self) -> dict[str, Any]:
        """As in a file, with plain numbers."""
        own = [f.name for f in fields(self) if f.name not in ("relative", "together")]
        found = {name: getattr(self, name) for name in own}
        data: dict[str, Any] = {self.name: {k: _plain(v) for k, v in found.items() if v is not None}}
        if list(found) == ["values"]:
            data = {self.name: _plain(found["values"])}
        if self.relative is not None:
            data["relative"] = self.relative
        if self.together:
            data["together"] = True
        return data


def _plain(value: Any) -> Any:
    return list(cast("tuple[float, ...]", value)) if isinstance(value, tuple) else value


def _numbers(dist: Distribution, *names: str) -> None:
    """Field by field, numbers or their text as floats."""
    for name in names:
        value = getattr(dist, name)
        if value is not None:
            try:
                object.__setattr__(dist, name, parse_angle(value))
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None


def _list(dist: Any) -> None:
    items = items_of(dist.values)
    if not items or len(items) > MOST_VALUES:
        raise ValueError(f"expected a list of 1 to {MOST_VALUES:,} numbers, got {shown(dist.values)}")
    object.__setattr__(dist, "values", tuple(parse_angle(item) for item in items))


@dataclass(frozen=True)
class Uniform(Distribution):
    """Evenly between two numbers.

    >>> Uniform(-1, 3).at(np.array([0.0, 0.5]))
    array([-1.,  1.])
    """

    low: float
    high: float
    name = "uniform"

    def _check(self) -> None:
        _numbers(self, "low", "high")
        if not self.low <= self.high:
            raise ValueError(f"low, {self.low:g}, is above high, {self.high:g}")

    def at(self, u: Array) -> Array:
        return self.low + (self.high - self.low) * u


@dataclass(frozen=True)
class Sobol(Uniform):
    """Evenly between two numbers, and quasi-random: all such numbers of a sweep are points of one Sobol sequence.

    A power of two of samples covers best.
    """

    name = "sobol"
    quasi = True


@dataclass(frozen=True)
class Normal(Distribution):
    """Gauss's, cut off at `low` and `high` where they are given.

    >>> Normal(2.0, 0.1, low=1.95).at(np.array([0.0, 0.9])).round(3)
    array([1.95 , 2.148])
    """

    mean: float
    deviation: float
    low: float | None = None
    high: float | None = None
    name = "normal"

    def _check(self) -> None:
        _numbers(self, "mean", "deviation", "low", "high")
        if not self.deviation > 0:
            raise ValueError(f"deviation: expected a positive number, got {self.deviation:g}")
        start, end = self._span
        if not start < end:
            raise ValueError("low and high leave nothing of the distribution")

    @cached_property
    def _span(self) -> tuple[float, float]:
        from scipy.special import ndtr  # pyright: ignore[reportMissingTypeStubs]

        low, high = ((x - self.mean) / self.deviation if x is not None else None for x in (self.low, self.high))
        return 0.0 if low is None else float(ndtr(low)), 1.0 if high is None else float(ndtr(high))

    def at(self, u: Array) -> Array:
        from scipy.special import ndtri  # pyright: ignore[reportMissingTypeStubs]

        start, end = self._span
        share = np.clip(start + (end - start) * u, 2.0**-54, 1.0 - 2.0**-53)  # 0 and 1 are infinitely far away
        found = self.mean + self.deviation * cast(Array, ndtri(share))
        return np.clip(found, self.low, self.high) if (self.low, self.high) != (None, None) else found


@dataclass(frozen=True)
class LogUniform(Distribution):
    """Between two positive numbers, evenly in their logarithm.

    >>> LogUniform(0.01, 1.0).at(np.array([0.0, 0.5])).round(9)
    array([0.01, 0.1 ])
    """

    low: float
    high: float
    name = "loguniform"

    def _check(self) -> None:
        _numbers(self, "low", "high")
        if not 0 < self.low <= self.high:
            raise ValueError(f"expected 0 < low <= high, got {self.low:g} and {self.high:g}")

    def at(self, u: Array) -> Array:
        start, end = np.log(self.low), np.log(self.high)
        return np.clip(np.exp(np.ascontiguousarray(start + (end - start) * u)), self.low, self.high)


@dataclass(frozen=True)
class Choice(Distribution):
    """One of several numbers, each as likely.

    >>> Choice([1, 2, 5]).at(np.array([0.0, 0.4, 0.999]))
    array([1., 2., 5.])
    """

    values: Sequence[float]
    name = "choice"

    def _check(self) -> None:
        _list(self)

    def at(self, u: Array) -> Array:
        return np.array(self.values)[np.minimum((u * len(self.values)).astype(np.intp), len(self.values) - 1)]


@dataclass(frozen=True)
class Grid(Distribution):
    """Each of these numbers, with every combination of all grids of a sweep; the last one changes fastest.

    >>> Grid.spaced(0, 1, 3).values
    (0.0, 0.5, 1.0)
    """

    values: Sequence[float]
    name = "grid"
    draws = 0

    @classmethod
    def spaced(cls, low: float, high: float, count: int, **options: Any) -> Grid:
        """`count` numbers from `low` through `high`."""
        return cls(np.linspace(parse_angle(low), parse_angle(high), int(count)).tolist(), **options)

    def _check(self) -> None:
        _list(self)

    def at(self, u: Array) -> Array:
        """Of whole numbers: which of the values."""
        return np.array(self.values)[u.astype(np.intp)]


@dataclass(frozen=True)
class Rotation(Distribution):
    """Of a quaternion in q: the robot's own orientation, turned by at most `within`; all such turns are as likely.

    >>> Rotation().within == np.pi
    True
    """

    within: float = np.pi
    name = "rotation"
    draws = 3

    def _check(self) -> None:
        _numbers(self, "within")
        if not 0 < self.within <= np.pi + 1e-12:
            raise ValueError(f"within: expected an angle above 0 and at most pi, got {self.within:g}")
        if self.relative is not None:
            raise ValueError("relative: a rotation turns the robot's own orientation anyway")

    def turned(self, u: Array, nominal: Array) -> Array:
        """Quaternions x y z w, (N, 4) of (N, 3) draws and one quaternion."""
        # Volume grows as (1 - cos angle): its integral, angle - sin angle, is even. Halving is exact to the last bit.
        goal = np.ascontiguousarray(u[:, 0]) * (self.within - np.sin(self.within))
        low, high = np.zeros(len(u)), np.full(len(u), self.within)
        for _ in range(60):
            angle = 0.5 * (low + high)
            above = angle - np.sin(angle) > goal
            low, high = np.where(above, low, angle), np.where(above, angle, high)
        half, z = 0.25 * (low + high), 2.0 * np.ascontiguousarray(u[:, 1]) - 1.0
        round_z, radius = 2.0 * np.pi * np.ascontiguousarray(u[:, 2]), np.sqrt(np.maximum(1.0 - z * z, 0.0))
        s, w = np.sin(half), np.cos(half)
        x, y, z = s * radius * np.cos(round_z), s * radius * np.sin(round_z), s * z
        a, b, c, d = (float(v) for v in nominal)
        found = (
            d * x + a * w + b * z - c * y,
            d * y - a * z + b * w + c * x,
            d * z + a * y - b * x + c * w,
            d * w - a * x - b * y - c * z,
        )
        length = np.sqrt(found[0] * found[0] + found[1] * found[1] + found[2] * found[2] + found[3] * found[3])
        return np.stack([part / length for part in found], axis=1)


KINDS: dict[str, type[Distribution]] = {
    kind.name: kind for kind in (Uniform, Normal, LogUniform, Choice, Grid, Sobol, Rotation)
}


def distribution(data: object) -> Distribution:
    """A distribution from what a file has; ValueError with the reason otherwise.

    >>> distribution({"normal": [1, 0.1], "relative": "factor"}) == Normal(1, 0.1, relative="factor")
    True
    """
    if isinstance(data, Distribution):
        return data
    if not isinstance(data, Mapping):
        raise ValueError(f"expected a distribution such as {{uniform: [0, 1]}}, got {shown(data)}")
    entries = {str(key): value for key, value in cast("Mapping[object, object]", data).items()}
    relative, together = entries.pop("relative", None), entries.pop("together", False)
    if len(entries) != 1:
        raise ValueError(f"expected one of {', '.join(KINDS)}, got {shown(list(entries))}")
    (name, given), options = entries.popitem(), {"relative": relative, "together": _flag(together)}
    if name not in KINDS:
        raise ValueError(f"no distribution is called {name!r}{suggestion(name, list(KINDS))}")
    kind = cast(Any, KINDS[name])
    own = [f.name for f in fields(kind) if f.name not in options]
    if isinstance(given, Mapping):
        named = {str(key): value for key, value in cast("Mapping[object, object]", given).items()}
        if name == "grid" and set(named) == {"low", "high", "count"}:
            count = parse_angle(named["count"])
            if not 1 <= count <= MOST_VALUES or count != int(count):
                raise ValueError(f"count: expected a whole number from 1, got {shown(named['count'])}")
            return Grid.spaced(cast(float, named["low"]), cast(float, named["high"]), int(count), **cast(Any, options))
        wrong = [key for key in named if key not in own]
        if wrong:
            raise ValueError(f"{name}: unknown key {wrong[0]!r}{suggestion(wrong[0], own)}")
    elif own == ["values"]:
        named = {"values": given}
    else:
        items = items_of(given)
        items = [given] if items is None else items
        if len(items) > len(own):
            raise ValueError(f"{name}: expected {', '.join(own)}, got {counted(len(items), 'number')}")
        named = dict(zip(own, items, strict=False))
    try:
        return kind(**named, **options)
    except TypeError:
        needed = [n for n in own if n not in named and not hasattr(kind, n)]
        raise ValueError(f"{name}: {', '.join(needed)} missing; expected {', '.join(own)}") from None
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _flag(value: object) -> bool:
    if value in (True, "true", "yes"):
        return True
    if value in (False, "false", "no"):
        return False
    raise ValueError(f"together: expected true or false, got {shown(value)}")
