"""Robots on the ground, as the viewer and the charts show them: the ground itself, forces of contact and footprints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from redyn.evaluate.ground import Ground
from redyn.report.colours import joint_colour
from redyn.report.plots import Plot
from redyn.robot import Robot

Array = NDArray[np.float64]

LINES = 161  # of the mesh of the ground, in x and in y
FINE = 1201  # heights looked at to find where the ground bends
FLAT = 1e-9  # m: a ground whose heights differ by less is drawn as the usual floor
SLIPS = 0.1  # m/s: footprints are blue where the foot sticks, and red from this speed on
PRINTS = 6000  # most footprints
SAMPLES = 6000  # most instants that are looked at for footprints
SIZE = 0.014  # radius of a footprint, as a share of the robot's reach
CURVES = 12  # contacts with a curve of their own; more are added up link by link


class Contacts(Protocol):
    """What a run says of K contacts at T instants: see `Run.ground_contacts`."""

    @property
    def names(self) -> Sequence[str]: ...
    @property
    def points(self) -> Array: ...  # (T, K, 3)
    @property
    def forces(self) -> Array: ...  # (T, K, 3), on the robot
    @property
    def normals(self) -> Array: ...  # (T, K, 3)
    @property
    def gaps(self) -> Array: ...  # (T, K), negative: penetration
    @property
    def slip(self) -> Array: ...  # (T, K), m/s
    @property
    def centre_of_pressure(self) -> Array: ...  # (T, 3), NaN in flight
    @property
    def friction(self) -> float: ...


class Standing(NamedTuple):
    """The ground of a run, and what touches it."""

    ground: Ground
    contacts: Contacts


def touching(contacts: Contacts) -> NDArray[np.bool_]:
    """Which contacts bear on the ground: (T, K)."""
    return contacts.gaps < 0.0


def weight(robot: Robot) -> float:
    """In newtons; of a robot without gravity, that on Earth."""
    pull = float(np.linalg.norm(robot.gravity))
    return max(robot.total_mass, 1e-12) * (pull or 9.81)


def scene_data(
    robot: Robot,
    standing: Standing,
    times: Array,
    keep: NDArray[np.int_],
    box: tuple[Array, Array],
    size: float,
    pack: Any,
) -> dict[str, Any]:
    """Data for viewer.js. `box`: the corners of what moves; `size`: the robot's reach."""
    contacts, ground = standing.contacts, standing.ground
    axes = np.array([*ground.form.horizontal, ground.form.up])
    low, high = np.sort(np.stack(box) @ axes[:2].T, axis=0)
    return {
        "axes": axes.tolist(),  # of x, y and the height
        "surface": surface(ground, low, high, size, pack),
        "level": float(ground.height(*((low + high) / 2))),
        "names": [str(name) for name in contacts.names],
        "colours": [joint_colour(k) for k in range(len(contacts.names))],
        "points": pack(contacts.points[keep]),
        "forces": pack(np.where(touching(contacts)[keep][..., None], contacts.forces[keep], 0.0)),
        "normals": pack(contacts.normals[keep]),
        "pressure": pack(contacts.centre_of_pressure[keep]),
        "weight": weight(robot),
        "friction": float(np.max(contacts.friction)),
        "prints": pack(footprints(times, contacts, SIZE * size)),
        "printSize": SIZE * size,
        "slips": SLIPS,
    }


def surface(ground: Ground, low: Array, high: Array, margin: float, pack: Any) -> dict[str, Any] | None:
    """Heights on a mesh around what moves, with more lines where the ground bends; None if it is flat."""
    ends = [(float(low[k]) - 1.2 * margin, float(high[k]) + 1.2 * margin) for k in range(2)]
    some = [np.linspace(*span, 41) for span in ends]
    rough = _heights(ground, *some)
    fine = [np.linspace(*span, FINE) for span in ends]
    x = _bends(fine[0], _heights(ground, fine[0], some[1]))
    y = _bends(fine[1], _heights(ground, some[0], fine[1]).T)
    heights = _heights(ground, x, y)
    if np.ptp(heights) < FLAT and np.ptp(rough) < FLAT:
        return None
    return {"x": pack(x), "y": pack(y), "heights": pack(heights)}


def _heights(ground: Ground, x: Array, y: Array) -> Array:
    """(len(x), len(y))."""
    across, along = np.meshgrid(x, y, indexing="ij")
    return ground.height(across, along)


def _bends(x: Array, heights: Array) -> Array:
    """LINES of the places x, half of them evenly and half where the slope changes most."""
    change = np.zeros(len(x))
    change[1:-1] = np.abs(np.diff(heights, n=2, axis=0)).max(axis=1)
    density = np.full(len(x), 1.0 / len(x)) + (change / change.sum() if change.sum() > 1e-12 else 0.0)
    share: Array = np.cumsum(density) - density[0]
    return np.interp(np.linspace(0.0, float(share[-1]), LINES), share, x)


def footprints(times: Array, contacts: Contacts, size: float) -> Array:
    """A row for every place where a foot stood: the time, the point, the normal, and how fast it slipped there.

    A foot that slides leaves one after another, half a footprint apart. The slip is the mean speed along the ground,
    weighted by the normal force, so that the instant of impact counts for little.
    """
    stride = -(-len(times) // SAMPLES)
    t = times[::stride] - times[0]
    points, normals, slip = (x[::stride] for x in (contacts.points, contacts.normals, contacts.slip))
    bears = touching(contacts)[::stride]
    force = np.maximum(np.einsum("tki,tki->tk", contacts.forces[::stride], normals), 0.0)
    rows: list[Array] = []
    for k in range(points.shape[1]):
        for group in _stands(points[:, k], bears[:, k], size):
            load = force[group, k] + 1e-12
            first = group[0]
            speed = float(load @ slip[group, k] / load.sum())
            rows.append(np.concatenate([[t[first]], points[first, k], normals[first, k], [speed]]))
    found = np.array(rows).reshape(-1, 8)
    found = found[np.argsort(found[:, 0], kind="stable")]
    return found[:: max(1, -(-len(found) // PRINTS))]


def _stands(points: Array, bears: NDArray[np.bool_], size: float) -> list[NDArray[np.intp]]:
    """Instants during which a foot stood within half a footprint of where it was at the first of them."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], bears, [False]]))).reshape(-1, 2)
    found: list[NDArray[np.intp]] = []
    for start, stop in edges:
        at = int(start)
        while at < stop:
            away = np.linalg.norm(points[at:stop] - points[at], axis=1) > size / 2
            end = at + int(away.argmax()) if away.any() else int(stop)
            found.append(np.arange(at, end, dtype=np.intp))
            at = end
    return found


def charts(robot: Robot, contacts: Contacts) -> list[Plot]:
    """Normal forces, which foot stands when, the centre of pressure, and slip; of many contacts link by link."""
    groups = _groups([str(name) for name in contacts.names])
    bears = touching(contacts)
    normal = np.where(bears, np.einsum("tki,tki->tk", contacts.forces, contacts.normals), 0.0)
    slip = np.where(bears, contacts.slip, 0.0)
    names = list(groups)
    forces = np.stack([normal[:, own].sum(axis=1) for own in groups.values()], axis=1)
    stands = np.stack([bears[:, own].any(axis=1) for own in groups.values()], axis=1)
    speeds = np.stack([slip[:, own].max(axis=1) for own in groups.values()], axis=1)
    pressed = _level_axes(robot)
    return [
        Plot("Contact with the ground", "", names, stands, bars=True),
        Plot("Normal forces", "N", names, forces),
        Plot("Centre of pressure", "m", ["xyz"[k] for k in pressed], contacts.centre_of_pressure[:, pressed]),
        Plot("Slip", "m/s", names, speeds),
    ]


def columns(contacts: Contacts) -> dict[str, Array]:
    """For tables: of every contact its force and its gap; then the centre of pressure."""
    found: dict[str, Array] = {}
    for k, name in enumerate(contacts.names):
        found |= {f"contact_{name}_f{axis}": contacts.forces[:, k, i] for i, axis in enumerate("xyz")}
        found |= {f"contact_{name}_gap": contacts.gaps[:, k], f"contact_{name}_slip": contacts.slip[:, k]}
    return found | {f"pressure_{axis}": contacts.centre_of_pressure[:, i] for i, axis in enumerate("xyz")}


def _level_axes(robot: Robot) -> list[int]:
    """The two axes of the world that are the most level."""
    pull = np.abs(robot.gravity)
    upright = int(pull.argmax()) if pull.any() else 2
    return [k for k in range(3) if k != upright]


def _groups(names: Sequence[str]) -> dict[str, list[int]]:
    """Contacts by the name under which they are drawn: their own, or of many that of the link before the dot."""
    many = len(names) > CURVES
    found: dict[str, list[int]] = {}
    for k, name in enumerate(names):
        found.setdefault(name.rpartition(".")[0] or name if many else name, []).append(k)
    return found
