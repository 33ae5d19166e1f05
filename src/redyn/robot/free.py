"""A robot some of whose numbers are left open: inputs of every call, beside the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike
from pydantic import ValidationError

from redyn.description import RobotDescription, transforms
from redyn.description.checks import complete
from redyn.description.parameters import PAYLOAD, Parameter, free_parameters, with_parameters
from redyn.description.physical import parameter_faults
from redyn.description.yaml_file import translated
from redyn.dynamics.catalogue import ALGORITHMS, BY_PARAMETERS
from redyn.dynamics.task import Task
from redyn.errors import InputError
from redyn.evaluate import Array, world_inputs
from redyn.evaluate.ground import Given as GroundGiven
from redyn.kinematics.robot_like import LinkName
from redyn.model import GroundForm, Model, freed
from redyn.model.build import ordered
from redyn.robot.robot import External, Mimic, Options, Robot
from redyn.words import counted, suggestion

T = TypeVar("T")


def _at_parameters(method: Callable[..., T]) -> Callable[..., T]:
    """A call that is made of several, or of one robot: it is asked of the robot at the given parameters."""

    @wraps(method)
    def asked(self: FreeRobot, *arguments: Any, parameters: ArrayLike | None = None, **options: Any) -> T:
        robot = self if parameters is None else self.at(parameters)
        return method(robot, *arguments, **options)

    return asked


class FreeRobot(Robot):
    """A robot whose every call takes `parameters=`, (P,) or (N, P), in the order of `parameter_names`.

    Without them the numbers are those of the robot that was freed, `nominal_parameters`. Names mean the fields of a
    robot file: a changed mass keeps the mass centre, and the inertia about it. Axes stay where they are when lengths
    change. Calls of the dynamics and kinematics take a row of parameters for each state; those that are about one robot
    (inverse kinematics, vibration, simulation) take one row.

    >>> import redyn
    >>> robot = redyn.load("kuka-kr5").free("*.mass", "joint2.damping")
    >>> len(robot.parameter_names)
    7
    >>> tau, = robot.inverse_dynamics_derivatives(robot.initial, [0] * 6, [0] * 6, by=["parameters"])
    >>> tau.shape
    (6, 7)
    """

    def __init__(
        self,
        description: RobotDescription,
        names: Sequence[str],
        options: tuple[bool, bool, Mimic] = (True, False, "independent"),
    ) -> None:
        self._names, self._origin = tuple(names), cast("FreeRobot | None", None)
        self._free = free_parameters(description, names, ordered(description.links))
        friction, exact, mimic = options
        super().__init__(description, friction=friction, exact=exact, mimic=mimic)

    def _build(self) -> Model:
        friction, exact, mimic = self._options
        return freed(self.description, self._free, friction, exact, mimic == "couple")

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, {counted(len(self._free), 'free parameter')}>"

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (self.description, self._names, self._options, self._values)

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """What each entry of `parameters` is."""
        return tuple(parameter.name for parameter in self._free)

    @property
    def free_parameters(self) -> tuple[Parameter, ...]:
        """The numbers that are left open, with the fields of the description that they are."""
        return tuple(self._free)

    @property
    def nominal_parameters(self) -> Array:
        """The numbers that calls without `parameters` have: (P,)."""
        return self._values.copy()

    @property
    def _values(self) -> Array:
        assert self.evaluator.parameters is not None
        return self.evaluator.parameters

    def at(self, parameters: ArrayLike) -> FreeRobot:
        """This robot with other nominal parameters, (P,): everything it has and answers is of these. Compiles nothing.

        >>> import redyn
        >>> robot = redyn.load("two-link").free("*.mass")
        >>> robot.at([2.0, 3.0]).total_mass
        5.0
        """
        values = self._row(parameters)
        other = self._bound(values)
        other.description = with_parameters(self.description, self._free, values.tolist())
        assert self.model.free is not None
        other.model = self.model.free.at(self.model, values.tolist())
        for name in ("parameters", "_moves_mass"):  # computed once, of the other numbers
            other.__dict__.pop(name, None)
        return other

    def _bound(self, rows: Array) -> FreeRobot:
        """The same where calls give no parameters: they have these, perhaps one row for each state."""
        other = FreeRobot.__new__(FreeRobot)  # not a copy, which is made as pickles are, by building it again
        other.__dict__.update(self.__dict__)
        other.evaluator, other._origin = self.evaluator.at(rows), self._origin or self
        return other

    def rebuilt(self, parameters: ArrayLike | None = None) -> Robot:
        """An ordinary robot with these parameters, whose kernels are its own. What it carries is a link `payload`.

        >>> import redyn
        >>> redyn.load("two-link").free("*.mass").rebuilt([2.0, 3.0])
        <Robot 'two-link': 2 joints, 5 kg>
        """
        robot = self if parameters is None else self.at(parameters)
        friction, exact, mimic = robot._options
        description = robot.description
        carried = {p.component: x for p, x in zip(robot._free, robot._values, strict=True) if p.group == "payload"}
        if any(carried.values()):
            m, x, y, z, *tensor = (carried.get(k, 0.0) for k in range(len(PAYLOAD)))
            if not m > 0.0:
                raise InputError("payload: a body with moments and without mass is no link; give payload.m above 0")
            cx, cy, cz = x / m, y / m, z / m
            xx, xy, yy, xz, yz, zz = tensor
            about_centre = (
                xx - m * (cy * cy + cz * cz),
                xy + m * cx * cy,
                xz + m * cx * cz,
                yy - m * (cx * cx + cz * cz),
                yz + m * cy * cz,
                zz - m * (cx * cx + cy * cy),
            )
            description = transforms.with_payload(robot._with_tip, robot.frame_name(), m, (cx, cy, cz), about_centre)
        return Robot(description, friction=friction, exact=exact, mimic=mimic)

    def check_physical(self, parameters: ArrayLike) -> None:
        """Raise if no robot can have these parameters, (P,) or (N, P): negative masses, impossible inertias, ...

        >>> import redyn
        >>> redyn.load("two-link").free("*.mass").check_physical([[1.0, 2.0], [1.0, -2.0]])
        Traceback (most recent call last):
        redyn.errors.InputError: parameters: link2.mass is negative in row 1 (and in no other)
        """
        values = np.atleast_2d(self._rows(parameters))
        for name, why, rows in parameter_faults(self.description, self._free, values):
            if rows.any():
                more = counted(int(rows.sum()) - 1, "more row") if rows.sum() > 1 else "no other"
                raise InputError(f"parameters: {name} {why} in row {int(np.argmax(rows))} (and in {more})")

    def is_physical(self, parameters: ArrayLike) -> Any:
        """Whether a robot can have these parameters: for (P,) one answer, for (N, P) an array of N."""
        given = self._rows(parameters)
        found = np.ones(len(np.atleast_2d(given)), dtype=bool)
        for _, _, rows in parameter_faults(self.description, self._free, np.atleast_2d(given)):
            found &= ~rows
        return found if given.ndim == 2 else bool(found[0])

    def sensitivity(self, algorithm: str, *state: ArrayLike, link: LinkName = None, **options: Unpack[Options]) -> Any:
        """The derivatives of what a call returns by the parameters, exact: one more axis of length P at the end.

        `algorithm` is the name of the call, `state` its state vectors, `link` its frame where it is about one.

        >>> import redyn
        >>> robot = redyn.load("two-link").free("link1.a", "link2.a")
        >>> robot.sensitivity("forward_kinematics", [0.0, 0.0])[:3, 3].round(3)    # of the tip's position
        array([[1., 1.],
               [0., 0.],
               [0., 0.]])
        """
        if algorithm not in ALGORITHMS:
            raise InputError(f"algorithm: none is called {algorithm!r}{suggestion(algorithm, list(ALGORITHMS))}")
        entry = ALGORITHMS[algorithm]
        if len(state) != len(entry.state):
            raise InputError(f"{algorithm}: expected {', '.join(entry.state)}, got {counted(len(state), 'array')}")
        name = BY_PARAMETERS[f"{algorithm}_by_parameters"].name
        if "frame" in entry.options:
            return self._run_at(name, link, state, options)
        return self._run(name, state, options)

    def to_data(self) -> dict[str, Any]:
        """As plain data, with what is left open: see `Robot.to_data`."""
        return {**super().to_data(), "free": list(self._names), "values": self._values.tolist()}

    def to_yaml(self, *arguments: Any, **options: Any) -> str:
        """The robot file of these numbers: see `Robot.to_yaml`."""
        return (
            self.rebuilt().to_yaml(*arguments, **options) if self._carries else super().to_yaml(*arguments, **options)
        )

    def to_urdf(self, *arguments: Any, **options: Any) -> str:
        """The robot of these numbers as URDF: see `Robot.to_urdf`."""
        return (
            self.rebuilt().to_urdf(*arguments, **options) if self._carries else super().to_urdf(*arguments, **options)
        )

    @property
    def _carries(self) -> bool:
        return any(p.group == "payload" and x for p, x in zip(self._free, self._values, strict=True))

    transform = _at_parameters(Robot.transform)
    manipulability = _at_parameters(Robot.manipulability)
    workspace = _at_parameters(Robot.workspace)
    inverse_kinematics = _at_parameters(Robot.inverse_kinematics)
    inverse_kinematics_all = _at_parameters(Robot.inverse_kinematics_all)
    base_velocity = _at_parameters(Robot.base_velocity)
    generalized_jacobian = _at_parameters(Robot.generalized_jacobian)
    assemble = _at_parameters(Robot.assemble)
    complete = _at_parameters(Robot.complete)
    project = _at_parameters(Robot.project)
    loop_wrenches = _at_parameters(Robot.loop_wrenches)
    rolling_points = _at_parameters(Robot.rolling_points)
    rolling_forces = _at_parameters(Robot.rolling_forces)
    torque_parts = _at_parameters(Robot.torque_parts)
    denoc = _at_parameters(Robot.denoc)
    dh_parameters = _at_parameters(Robot.dh_parameters)
    ground = _at_parameters(Robot.ground)
    frequencies = _at_parameters(Robot.frequencies)
    vibration = _at_parameters(Robot.vibration)
    sag = _at_parameters(Robot.sag)
    shape = _at_parameters(Robot.shape)
    frequency_response = _at_parameters(Robot.frequency_response)

    def _like(
        self, description: RobotDescription, friction: bool | None = None, mimic: Mimic | None = None
    ) -> FreeRobot:
        """Another robot with the same names left open, as far as they are there."""
        own = self._options
        options = (own[0] if friction is None else friction, own[1], mimic or own[2])
        return FreeRobot(description, self._names, options)

    # The parameters are the last input of every task.

    def _run(self, algorithm: str, values: tuple[Any, ...], options: Any) -> Any:
        return super()._run(algorithm, (*values, options.pop("parameters", self._values)), options)

    def _run_at(self, algorithm: str, link: LinkName, values: tuple[Any, ...], options: Any) -> Any:
        return super()._run_at(algorithm, link, (*values, options.pop("parameters", self._values)), options)

    def _run_in_world(
        self,
        algorithm: str,
        state: tuple[Any, ...],
        options: Any,
        gravity: ArrayLike | None = None,
        external: External | None = None,
        payload: ArrayLike | None = None,
        ground: tuple[GroundForm, Array] | None = None,
    ) -> Any:
        if gravity is None and external is None and payload is None and ground is None:
            return self._run(algorithm, state, options)
        used, values = world_inputs(self.named_frame, gravity, external, payload, ground)
        given = (*state, *values, options.pop("parameters", self._values))
        return self._answer(None, Task(algorithm, **used), given, options)

    def _on_ground(
        self,
        algorithm: str,
        state: tuple[Any, ...],
        options: Any,
        gravity: ArrayLike | None = None,
        external: External | None = None,
        payload: ArrayLike | None = None,
    ) -> Any:
        if "parameters" not in options:
            return super()._on_ground(algorithm, state, options, gravity, external, payload)
        bound = self._bound(self._rows(options.pop("parameters")))  # forces of some grounds are found with calls
        return bound._on_ground(algorithm, state, options, gravity, external, payload)

    # What is made of the robot once is made of the origin, and has the parameters of this one.

    @property
    def tree(self) -> Robot:
        return self._as_this(super().tree if self._origin is None else self._origin.tree)

    def touching(self, ground: GroundGiven) -> Robot:
        return self._as_this((super() if self._origin is None else self._origin).touching(ground))

    def _as_this(self, made: Robot) -> Robot:
        if made is self or made is self._origin:
            return self
        assert isinstance(made, FreeRobot)
        return made.at(self._values) if self._values.ndim == 1 else made._bound(self._values)

    def _rows(self, parameters: ArrayLike) -> Array:
        """(P,) or (N, P)."""
        return self.evaluator.arguments.arrays([("parameters", len(self._free))], [parameters])[0]

    def _row(self, parameters: ArrayLike) -> Array:
        values = self._rows(parameters)
        if values.ndim != 1:
            raise InputError(f"parameters: expected one row of {len(self._free)}, got shape {values.shape}")
        if not np.isfinite(values).all():
            raise InputError(f"parameters: {self.parameter_names[int(np.argmin(np.isfinite(values)))]} is not finite")
        return values


def _again(
    description: RobotDescription, names: tuple[str, ...], options: tuple[bool, bool, Mimic], values: Array
) -> FreeRobot:
    return FreeRobot(description, names, options).at(values)


def from_data(data: Mapping[str, Any], folder: Path | None = None) -> Robot:
    """The robot that `Robot.to_data` described; `folder` is where its meshes are, if anywhere.

    >>> import redyn
    >>> from_data(redyn.load("two-link").to_data())
    <Robot 'two-link': 2 joints, 2 kg>
    """
    try:
        described = RobotDescription.model_validate(data["description"])
    except ValidationError as error:
        raise translated(error, "") from None
    description = described if folder is None else described.placed_in(folder)
    friction, exact, mimic = bool(data["friction"]), bool(data["exact"]), data["mimic"]
    if mimic not in ("independent", "couple"):
        raise InputError(f"mimic: expected 'independent' or 'couple', got {mimic!r}")
    if "free" not in data:
        return Robot(complete(description), friction=friction, exact=exact, mimic=mimic)
    names = tuple(str(name) for name in data["free"])
    return _again(complete(description), names, (friction, exact, mimic), np.array(data["values"], dtype=np.float64))
