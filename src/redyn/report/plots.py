"""Charts over time, as data for both the page and the figures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from redyn.errors import InputError
from redyn.model import QUATERNION_SIZE, Link
from redyn.report.colours import OTHERS, joint_colour
from redyn.robot import Robot

Array = NDArray[np.float64]
Entries = Literal["velocities", "actuators", "coordinates"]

SLATE = OTHERS[2]  # for the last entry of a quaternion, which corresponds to no velocity


def turning(robot: Robot, of: Entries = "velocities") -> list[bool]:
    """Whether each velocity is angular, or each actuator or coordinate of the tree; modes that bend are not."""
    return [_turns(link) for link in _links(robot, of)]


def _turns(link: Link) -> bool:
    joint = link.joint
    return joint.part.startswith("twist") if joint.kind == "mode" else joint.kind != "prismatic"


def _links(robot: Robot, of: Entries) -> list[Link]:
    model = robot.model
    return {"velocities": model.driven, "actuators": model.actuators, "coordinates": model.located}[of]


def units(
    robot: Robot, angular: str, linear: str, between: str = " or ", of: Entries = "velocities", modes: bool = True
) -> str:
    """The unit of a quantity with one entry per velocity, actuator or coordinate; both for mixed joints.

    Without `modes` it is that of joints alone, see `joint_entries`.

    >>> import redyn
    >>> units(redyn.load("stanford"), "Nm", "N"), units(redyn.load("puma"), "Nm", "N")
    ('Nm or N', 'Nm')
    >>> units(redyn.load("flexible-beam"), "rad", "m", modes=False)
    'rad'
    """
    turns = [_turns(link) for link in _links(robot, of) if modes or link.joint.kind != "mode"]
    return angular if all(turns) else linear if not any(turns) else f"{angular}{between}{linear}"


def joint_entries(robot: Robot, of: Entries = "velocities") -> list[int]:
    """Which entries of qd, of tau ("actuators") or of q ("coordinates") are those of joints.

    Modes of flexible links have charts of their own, and no torque acts on them or beyond elastic gears.

    >>> import redyn
    >>> joint_entries(redyn.load("flexible-two-link")), joint_entries(redyn.load("elastic-joint-arm"), "actuators")
    ([0, 3], [0, 2])
    """
    found: list[int] = []
    start = 0
    for link in _links(robot, of):
        joint = link.joint
        size = joint.coordinates if of == "coordinates" else 1
        if joint.actuated if of == "actuators" else joint.kind != "mode":
            found += range(start, start + size)
        start += size
    return found


class Plot(NamedTuple):
    """A chart over time: one curve per column of `values`, (N, k). Curves named like joints have their colours."""

    title: str
    unit: str
    names: Sequence[str]
    values: ArrayLike
    beyond: ArrayLike | None = None  # (N, k): where a curve exceeds a limit, it is red
    lines: Sequence[float] = ()  # the exceeded limits, as horizontal lines
    bars: bool = False  # each curve is a row of bars, where its values are not zero

    def curves(self, count: int, where: str = "values") -> Array:
        """The checked values, (count, k)."""
        try:
            values = np.asarray(self.values, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"{where}: expected rows of numbers") from None
        values = values[:, None] if values.ndim == 1 else values
        if values.shape != (count, len(self.names)):
            expected = f"({count}, {len(self.names)}), one row per time and one column per name"
            raise InputError(f"{where}: expected shape {expected}, got {np.shape(self.values)}")
        return values

    def of_joints(self, joint_names: Sequence[str]) -> bool:
        """Whether its curves are those of the joints."""
        return list(self.names) == list(joint_names)

    def colours(self, joint_names: Sequence[str]) -> list[str]:
        """One per curve."""
        joints = self.of_joints(joint_names)
        return [joint_colour(k) if joints or k >= len(OTHERS) else OTHERS[k] for k in range(len(self.names))]


def short_names(names: Sequence[str], most: int = 8) -> list[str]:
    """Names that fit beside a row of bars: without the words that all share, or else their initials.

    >>> short_names(["left-foot.1", "right-foot.1"]), short_names(["left-front-foot", "left-middle-foot"])
    (['left', 'right'], ['front', 'middle'])
    >>> short_names(["left-front-foot", "right-middle-foot"])
    ['LF', 'RM']
    """
    words = [re.split(r"[-_. ]+", str(name)) for name in names]
    if len({len(row) for row in words}) > 1 or len(names) < 2:
        return [str(name) if len(str(name)) <= most else f"{str(name)[: most - 1]}…" for name in names]
    kept = [k for k, column in enumerate(zip(*words, strict=True)) if len(set(column)) > 1]
    short = [" ".join(row[k] for k in kept) for row in words]
    if max(map(len, short)) <= most:
        return short
    initials = ["".join(row[k] if row[k].isdigit() else row[k][:1].upper() for k in kept) for row in words]
    return initials if len(set(initials)) == len(names) else [f"{text[: most - 1]}…" for text in short]


class Other(NamedTuple):
    """The same plot of another run, drawn dashed, and the label of that run."""

    t: Array
    plot: Plot
    label: str
    dash: str = "dash"


class Line(NamedTuple):
    """A curve of its own: y over x, which may be the time t."""

    name: str
    colour: str
    dash: str  # solid, dash, or lengths such as 9px,4px
    t: Array
    x: Array
    y: Array


class Cross(NamedTuple):
    """A chart of curves that have their own times, or of a signal against another."""

    title: str
    unit: str
    against: str  # the label of the axis x; empty: time
    lines: Sequence[Line]


class Curves(NamedTuple):
    """Data for charts.js, column by column. The first `legend` curves appear in the legend."""

    names: list[str]
    colours: list[str]
    dashes: list[str]
    values: Array  # (N, k)
    beyond: NDArray[np.bool_]  # (N, k)
    legend: int
    joints: bool

    @property
    def red(self) -> list[int]:
        """The curves that exceed a limit somewhere."""
        return np.flatnonzero(self.beyond.any(axis=0)).tolist()


def curves(robot: Robot, t: Array, plot: Plot, others: Sequence[Other] = (), where: str = "values") -> Curves:
    """The curves of a plot at the times `t`, and those of other runs at the same times, as far as they last."""
    values = plot.curves(len(t), where)
    names, count = [str(name) for name in plot.names], len(plot.names)
    colours, dashes, beyond = plot_colours(robot, plot), ["solid"] * count, _beyond(plot, values)
    for other in others:
        second = other.plot.curves(len(other.t))
        more, red = np.full((len(t), second.shape[1]), np.nan), np.zeros((len(t), second.shape[1]), dtype=bool)
        marked = _beyond(other.plot, second)
        nearest = np.clip(np.searchsorted(other.t, t), 0, len(other.t) - 1)
        for k in range(second.shape[1]):
            more[:, k] = np.interp(t, other.t, second[:, k], right=np.nan)
            red[:, k] = marked[nearest, k] & np.isfinite(more[:, k])
        values, beyond = np.concatenate([values, more], axis=1), np.concatenate([beyond, red], axis=1)
        same = list(other.plot.names) == list(plot.names)
        colours = colours + (colours[:count] if same else plot_colours(robot, other.plot))
        dashes = dashes + [other.dash] * second.shape[1]
        names = names + [f"{name}, {other.label}" for name in other.plot.names]
    of_joints = plot.of_joints(robot.coordinate_names) or plot.of_joints(_driven(robot)) or shares_legend(robot, plot)
    return Curves(names, colours, dashes, values, beyond, count, of_joints)


def _beyond(plot: Plot, values: Array) -> NDArray[np.bool_]:
    return np.zeros(values.shape, dtype=bool) if plot.beyond is None else np.asarray(plot.beyond, dtype=bool)


def shares_legend(robot: Robot, plot: Plot) -> bool:
    """Whether its curves are the rates of the joints, or the torques on them, as in other plots."""
    names = robot.velocity_names
    jointed = [names[i] for i in joint_entries(robot)]
    pulled = [robot.torque_names[i] for i in joint_entries(robot, "actuators")]
    return bool(plot.names) and any(plot.of_joints(entries) for entries in (names, jointed, pulled))


def _driven(robot: Robot) -> list[str]:
    """The rates with actuators, which alone have torques where loops are closed."""
    return [robot.torque_names[i] for i in robot.driven_rates]


def plot_colours(robot: Robot, plot: Plot) -> list[str]:
    """One per curve: those of joints as in every picture."""
    if plot.of_joints(robot.coordinate_names):
        return coordinate_colours(robot)
    located = joint_entries(robot, "coordinates")
    if plot.of_joints([robot.coordinate_names[i] for i in located]):
        every = coordinate_colours(robot)
        return [every[i] for i in located]
    modes = bool(plot.names) and set(plot.names) <= set(robot.mode_names)
    if plot.of_joints(_driven(robot)) or modes or shares_legend(robot, plot):
        numbers = colour_numbers(robot)
        return [joint_colour(numbers[str(name)]) for name in plot.names]
    return plot.colours(robot.velocity_names)


def coordinate_colours(robot: Robot) -> list[str]:
    """Colour of each entry of q: that of its velocity."""
    colours: list[str] = []
    numbers = colour_numbers(robot)
    for link in robot.model.located:
        j, count = numbers[link.joint.label], link.joint.coordinates
        if count > 1:
            place = [joint_colour(j + 3 + k) for k in range(count - QUATERNION_SIZE)]
            colours += [*place, *(joint_colour(j + k) for k in range(3)), SLATE]
        elif count == 1:
            colours.append(joint_colour(j))
    return colours


def colour_numbers(robot: Robot) -> dict[str, int]:
    """Of every rate of the tree: as in qd, those that depend on others after them, and modes of flexible links last."""
    links = sorted((*robot.model.driven, *robot.model.located), key=lambda link: link.joint.kind == "mode")
    return {link.joint.label: k for k, link in reversed(list(enumerate(links)))}
