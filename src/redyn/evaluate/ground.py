"""The ground of a robot: what a user gives, with defaults from the robot's weight, and contacts at states."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import ValidationError

from redyn.arithmetic import Arrays
from redyn.description.ground_fields import OWN_KEYS, SHAPE_KEYS, GridDescription, GroundDescription, Law
from redyn.description.heights import parse_height
from redyn.description.schema import RobotDescription
from redyn.description.yaml_file import translated
from redyn.dynamics import surface
from redyn.dynamics.task import Task
from redyn.errors import DescriptionError, InputError
from redyn.evaluate.evaluator import Evaluator
from redyn.model import GroundForm, Model
from redyn.words import counted, suggestion

Array = NDArray[np.float64]

CONTACTS = "contacts"  # the key by which a call names contacts
FRICTION, SLIP = 0.7, 0.02  # m/s
SINK = 1e-3  # m, by which a robot sinks in at rest on CARRYING contacts, or on all if it has fewer
CARRYING = 4
DAMPING_RATIO = 0.6  # of the motion up and down at rest
STANDARD_GRAVITY = 9.81


class ContactStates(NamedTuple):
    """All K contacts at one state or at N of them, in world axes."""

    points: Array  # (N, K, 3), where each touches the ground, or would
    forces: Array  # (N, K, 3), of the ground on the robot
    normals: Array  # (N, K, 3)
    velocities: Array  # (N, K, 3), of the robot at the points
    gaps: Array  # (N, K), negative where it is in the ground

    @property
    def normal_forces(self) -> Array:
        return (self.forces * self.normals).sum(axis=-1)

    @property
    def slip(self) -> Array:
        """The tangential speed at every point, (N, K)."""
        along = (self.velocities * self.normals).sum(axis=-1, keepdims=True)
        return np.linalg.norm(self.velocities - along * self.normals, axis=-1)


@dataclass(frozen=True, eq=False)
class Ground:
    """A ground with all its numbers; `print` it. Its `height(x, y)` takes arrays.

    >>> import redyn
    >>> block = {"name": "block", "convention": "frames", "links": [{"name": "block", "joint": "free", "mass": 2.0,
    ...     "com": [0, 0, 0], "inertia": [0.01, 0.01, 0.01]}], "contacts": [{"link": "block", "box": [0.2, 0.2, 0.1]}]}
    >>> ground = redyn.load(block).ground({"slope": "10 deg"})
    >>> ground.stiffness, round(float(ground.height(1.0, 0.0)), 4)
    (4905.0, 0.1763)
    """

    names: tuple[str, ...]  # of the contacts
    law: Law
    stiffness: float
    friction: float
    dissipation: float | None  # of the smooth law
    slip: float | None
    damping: float | None  # of ReDySim's law
    tangential_damping: float | None
    form: GroundForm = field(repr=False)
    shape: Array = field(repr=False)  # its numbers, in the order of kernels
    radii: Array = field(repr=False)
    grid: GridDescription | None = field(repr=False)
    weight: float = field(repr=False)
    defaulted: tuple[str, ...] = field(repr=False)  # what was not given
    described: GroundDescription = field(repr=False)

    @property
    def compiled(self) -> bool:
        """Whether it is part of kernels: the smooth law on planes, slopes, steps and expressions."""
        return self.law == "smooth" and self.grid is None

    @cached_property
    def numbers(self) -> Array:
        """What kernels take: the law and the shape."""
        law = (self.stiffness, self.dissipation or 0.0, self.friction, self.slip or 1.0)
        return np.concatenate([law, self.shape])

    @cached_property
    def block(self) -> Array:
        """What compiled loops take, see `pressing`."""
        smooth = self.law == "smooth"
        law = [
            0.0 if smooth else 1.0,
            self.stiffness,
            (self.dissipation if smooth else self.damping) or 0.0,
            self.friction,
            (self.slip if smooth else self.tangential_damping) or 0.0,
        ]
        axes = [*self.form.up, *self.form.horizontal[0], *self.form.horizontal[1]]
        grid = [0.0, 0.0]
        if self.grid is not None:
            rows = [x for row in self.grid.heights for x in row]
            grid = [len(self.grid.x), len(self.grid.y), *self.grid.x, *self.grid.y, *rows]
        return np.array([*law, *axes, *grid], dtype=np.float64)

    def height(self, x: ArrayLike, y: ArrayLike) -> Array:
        """How high it is at places, by the coordinates across the direction up (x and y where that is z)."""
        a, b = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
        if self.grid is not None:
            from redyn.evaluate.pressing import grid_heights

            out = np.empty(a.size)
            grid_heights(self.block, np.ascontiguousarray(a).ravel(), np.ascontiguousarray(b).ravel(), out)
            return out.reshape(a.shape)
        if self.form.kind == "level":
            return np.full(a.shape, self.shape[0])
        if self.form.kind == "plane":
            n, (e1, e2) = self.shape[:3], (np.array(e) for e in self.form.horizontal)
            return (self.shape[3] - (n @ e1) * a - (n @ e2) * b) / (n @ np.array(self.form.up))
        numbers = cast(Any, list(self.shape))
        return np.asarray(surface.height(self.form, numbers, cast(Any, a), cast(Any, b), Arrays()))

    def creep(self, angle: float) -> float:
        """The speed at which a body creeps down a slope that holds it: slip tan(a) / sqrt(friction^2 - tan(a)^2).

        Infinite where the slope does not hold it; of the smooth law. ReDySim's creeps by its tangential damping.
        """
        steep = math.tan(angle)
        if abs(steep) >= self.friction:
            return math.inf
        if self.slip is None:
            return self.weight * math.sin(angle) / (len(self.names) * (self.tangential_damping or math.inf))
        return self.slip * steep / math.sqrt(self.friction**2 - steep**2)

    def __str__(self) -> str:
        shapes = {
            "level": f"level at {self.shape[0]:g} m" if self.form.kind == "level" else "",
            "plane": "a plane",
            "surface": "a smooth surface",
            "given": "",
        }
        shape = shapes[self.form.kind]
        if self.grid is not None:
            shape = f"a grid of {len(self.grid.x)} x {len(self.grid.y)} heights"
        if self.form.kind == "plane" and self.grid is None:
            tilt = math.acos(min(1.0, float(self.shape[:3] @ np.array(self.form.up))))
            shape = f"a slope of {math.degrees(tilt):.4g} degrees"
        carrying = min(CARRYING, len(self.names))
        lines = [
            f"ground: {shape}; {counted(len(self.names), 'contact')}: {', '.join(self.names[:8])}"
            + (" ..." if len(self.names) > 8 else ""),
            f"  law         {self.law}",
            self._line(
                "stiffness",
                "N/m",
                f"at rest it sinks {self.weight / carrying / self.stiffness * 1e3:.3g} mm on "
                + counted(carrying, "contact"),
            ),
            self._line("friction", "", ""),
        ]
        if self.law == "smooth":
            lines.append(self._line("dissipation", "s/m", "a factor 1 + dissipation * speed on the way in"))
            lines.append(
                self._line("slip", "m/s", f"creep on a slope of 10 degrees {self.creep(math.radians(10)):.2g} m/s")
            )
        else:
            lines += [self._line("damping", "N s/m", ""), self._line("tangential_damping", "N s/m", "")]
        return "\n".join(lines)

    def _line(self, name: str, unit: str, note: str) -> str:
        said = "default" if name in self.defaulted else "given"
        value = f"{getattr(self, name):.6g} {unit}".strip()
        return f"  {name:<11} {value} ({said}{'; ' + note if note else ''})"


Given = Mapping[str, Any] | bool | Ground | None


# --- from what is given --------------------------------------------------------------------------------------------


def contacts_of(given: Given) -> Any:
    """The contacts that a call names; None if it names none."""
    return given[CONTACTS] if isinstance(given, Mapping) and CONTACTS in given else None


def ground_of(model: Model, description: RobotDescription, given: Given) -> Ground:
    """The ground of a robot: what a call gives, else what its file says, else defaults from its weight."""
    if isinstance(given, Ground):
        if given.names != tuple(point.name for point in model.contact_points):
            raise InputError(f"ground: this one is of other contacts than those of {description.name}")
        return given
    described = _described(description.ground, given)
    if not model.contact_points:
        if description.contacts:
            raise InputError(
                f"ground: the contacts of {description.name} are on links that are fixed to the world; load it with "
                "floating_base=True"
            )
        raise InputError(
            f"ground: {description.name} has no contacts; name what may touch the ground in its file (contacts:), or "
            "here, as in ground={'contacts': [{'link': 'foot', 'radius': 0.02}]}"
        )
    up = _up(description)
    form, shape = _shape(described, up)
    return _completed(model, description, described, form, shape)


def _described(own: GroundDescription | None, given: Given) -> GroundDescription:
    """What a call gives, and the rest from the file, where both are of one law and shape."""
    if given is None or given is True:
        return own or GroundDescription()
    if not isinstance(given, Mapping):
        raise InputError(f"ground: expected True, or a dict such as {{'friction': 0.8}}, got {given!r}")
    keys = dict(given)
    keys.pop(CONTACTS, None)
    known = list(GroundDescription.model_fields)
    wrong = next((str(key) for key in keys if key not in known), None)
    if wrong is not None:
        raise InputError(f"ground: unknown key {wrong!r}{suggestion(wrong, [*known, CONTACTS])}")
    if own is not None:
        kept = own.model_dump(exclude_none=True)
        if any(key in keys for key in SHAPE_KEYS):
            kept = {key: value for key, value in kept.items() if key not in SHAPE_KEYS}
        if keys.get("law", own.law) != own.law:
            kept = {key: value for key, value in kept.items() if key not in (*OWN_KEYS[own.law], "law", "stiffness")}
        keys = kept | keys
    try:
        return GroundDescription.model_validate(keys)
    except ValidationError as error:
        raise InputError(f"ground: {translated(error, '')}") from None
    except DescriptionError as error:
        raise InputError(f"ground: {error}") from None


def _up(description: RobotDescription) -> Array:
    """Against gravity; along z without."""
    g = np.array(description.gravity)
    size = float(np.linalg.norm(g))
    up = -g / size if size else np.array([0.0, 0.0, 1.0])
    return np.where(np.abs(up) < 1e-12, 0.0, up)


def _shape(described: GroundDescription, up: Array) -> tuple[GroundForm, Array]:
    """The form of a ground and the numbers of its shape."""
    direction = cast("tuple[float, float, float]", tuple(up.tolist()))
    height, steps = described.height, described.steps or []
    expression = parse_height(height) if isinstance(height, str) else None
    base = 0.0 if height is None or isinstance(height, str) else height
    tilted = described.normal is not None or bool(described.slope)
    over = bool(expression or steps or described.grid)
    form = GroundForm("surface" if over else "level", direction, expression, len(steps))
    e1, e2 = (np.array(e) for e in form.horizontal)
    if (over or described.slope) and np.count_nonzero(up) != 1:
        raise InputError(
            "ground: heights, steps, slopes and grids are measured along an axis of the world, and gravity lies along "
            "none; give the normal of a plane instead"
        )
    if described.grid is not None:
        return GroundForm("given", direction), np.zeros(0)
    n = up
    if described.normal is not None:
        n = np.array(described.normal) / np.linalg.norm(described.normal)
        if n @ up <= 1e-3:
            raise InputError(f"ground: the normal {list(described.normal)} does not point up, which is {up.tolist()}")
    elif described.slope:
        turn = described.direction or 0.0
        n = up * math.cos(described.slope) - (e1 * math.cos(turn) + e2 * math.sin(turn)) * math.sin(described.slope)
    if not over:
        if not tilted:
            return form, np.array([base])
        return GroundForm("plane", direction), np.array([*n, base * (n @ up)])
    numbers = [base, -(n @ e1) / (n @ up), -(n @ e2) / (n @ up)]
    for step in steps:
        width = step.width or max(abs(step.rise), 1e-6)
        numbers += [step.at, step.rise, width, math.cos(step.direction), math.sin(step.direction)]
    return form, np.array(numbers)


def _completed(
    model: Model, description: RobotDescription, described: GroundDescription, form: GroundForm, shape: Array
) -> Ground:
    mass = sum(cast(float, link.M.m) for link in model.links)
    g = float(np.linalg.norm(description.gravity)) or STANDARD_GRAVITY
    carrying = min(CARRYING, len(model.contact_points))
    defaulted: list[str] = []

    def chosen(name: str, usual: float) -> float:
        value = getattr(described, name)
        if value is None:
            defaulted.append(name)
            return usual
        return cast(float, value)

    if described.stiffness is None and not mass > 0:
        raise InputError(f"ground: {description.name} has no mass to choose a stiffness by; give stiffness")
    stiffness = chosen("stiffness", mass * g / (carrying * SINK))
    frequency = math.sqrt(carrying * stiffness / mass) if mass > 0 else 100.0
    friction = chosen("friction", FRICTION)
    smooth = described.law == "smooth"
    critical = 2 * math.sqrt(stiffness * max(mass, 0.0) / carrying)
    return Ground(
        names=tuple(point.name for point in model.contact_points),
        law=described.law,
        stiffness=stiffness,
        friction=friction,
        dissipation=chosen("dissipation", 2 * DAMPING_RATIO * frequency / g) if smooth else None,
        slip=chosen("slip", SLIP) if smooth else None,
        damping=None if smooth else chosen("damping", critical),
        tangential_damping=None if smooth else chosen("tangential_damping", critical),
        form=form,
        shape=shape,
        radii=np.array([point.radius for point in model.contact_points]),
        grid=described.grid,
        weight=mass * g,
        defaulted=tuple(defaulted),
        described=described,
    )


# --- contacts at states --------------------------------------------------------------------------------------------


def contact_states(
    evaluator: Evaluator, ground: Ground, q: ArrayLike, qd: ArrayLike, options: Mapping[str, Any]
) -> ContactStates:
    """All contacts at one state or a batch, under any law and on any ground."""
    if ground.grid is None:
        task = Task("contact_states", ground=ground.form)
        points, forces, normals, velocities, gaps = evaluator(task, [q, qd, ground.numbers], **options)
        found = ContactStates(points, forces, normals, velocities, gaps)
        if ground.law == "smooth":
            return found
        from redyn.evaluate.pressing import forces_of

        pushed = np.empty((gaps.size, 3))
        n, v = (np.ascontiguousarray(a).reshape(-1, 3) for a in (normals, velocities))
        forces_of(ground.block, np.ascontiguousarray(gaps).ravel(), n, v, pushed)
        return found._replace(forces=pushed.reshape(forces.shape))
    from redyn.evaluate.pressing import STATE, grid_states

    motion = evaluator(Task("contact_motion"), [q, qd], **options)[0]
    count = len(ground.names)
    rows = np.ascontiguousarray(motion).reshape(-1, motion.shape[-2] * motion.shape[-1])
    states = np.empty((len(rows), count * STATE))
    grid_states(ground.block, ground.radii, rows, states)
    whole = states.reshape((*motion.shape[:-2], count, STATE))
    points, forces, normals, velocities = (np.ascontiguousarray(whole[..., k : k + 3]) for k in (0, 3, 6, 9))
    return ContactStates(points, forces, normals, velocities, np.ascontiguousarray(whole[..., 12]))


def given_wrenches(ground: Ground, states: ContactStates) -> Array:
    """What a kernel takes where the law is not part of it: wrenches about the centres of contacts, in world axes."""
    arms = -ground.radii[:, None] * states.normals
    wrenches = np.concatenate([np.cross(arms, states.forces), states.forces], axis=-1)
    return np.ascontiguousarray(wrenches).reshape((*wrenches.shape[:-2], -1))


def ground_inputs(
    evaluator: Evaluator, ground: Ground, q: ArrayLike, qd: ArrayLike, options: Mapping[str, Any]
) -> tuple[GroundForm, Array]:
    """The form of the ground in a task of the dynamics, and its input."""
    if ground.compiled:
        return ground.form, ground.numbers
    return GroundForm("given", ground.form.up), given_wrenches(
        ground, contact_states(evaluator, ground, q, qd, options)
    )
