"""What is asked of a robot: an algorithm, the frame it is about, and what is given with each call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from redyn.algebra import MassMatrix, Scalar, Vec3, Wrench
from redyn.dynamics.algorithm import Algorithm, Conditions, Entry, Shape
from redyn.dynamics.catalogue import CATALOGUE
from redyn.dynamics.contact import Ground
from redyn.model import Frame, GroundForm, Model, Rolling

# Operations per pair of links of the mass matrix, and of its elimination, where rates depend on others.
_REDUCED, _SOLVED = 32, 85
_TOUCH = 100  # operations of a contact with the ground
CONTROL = ("target", "kp", "kd")  # inputs of a controlled robot, one number of each per actuator
_CARRIED = 30  # operations that carry a row of closed loops along a link


@dataclass(frozen=True)
class Task:
    """An algorithm by its name in the catalogue, the frame it asks about, and which options are inputs."""

    algorithm: str
    frame: str | None = None
    gravity: bool = False
    external: tuple[str, ...] = ()
    payload: bool = False
    ground: GroundForm | None = None
    controlled: bool = False  # whether tau has springs and dampers towards targets added to it, see `controlled`
    guarded: bool = True  # whether states are refused at which loops are open or singular; otherwise it is smooth there

    @property
    def entry(self) -> Entry:
        return CATALOGUE[self.algorithm]

    @property
    def base(self) -> Algorithm:
        """The recursion behind it."""
        return self.entry.base

    @property
    def differentiated(self) -> tuple[str, ...]:
        """The state vectors by which the outputs are differentiated; empty if they are not."""
        return self.entry.by

    def inputs(self, model: Model) -> list[tuple[str, int]]:
        """Name and width of every input array."""
        widths = {"q": model.nq, "tau": len(model.actuators)}
        state = [(name, widths.get(name, model.dof)) for name in self.base.state]
        gravity = [("gravity", 3)] if self.gravity else []
        wrenches = [(f"external[{name!r}]", 6) for name in self.external]
        width = 0 if self.ground is None else self.ground.width(len(model.contact_points))
        ground = [("ground", width)] if self.ground is not None else []
        springs = [(name, len(model.actuators)) for name in CONTROL] if self.controlled else []
        payload = [("payload", 10)] if self.payload else []
        free = [("parameters", len(model.free.names))] if model.free is not None else []
        return [*state, *gravity, *wrenches, *ground, *springs, *payload, *free]

    def operations(self, model: Model) -> int:
        """About how many a straight-line program has that grow with the square of the joints, or faster."""
        coupled = 0 if model.reduction is None else (_SOLVED if self.base.divides else _REDUCED)
        touching = 0 if self.ground is None else _TOUCH * len(model.contact_points)
        if self.differentiated:
            touching *= model.tangent
        found = (self.entry.per_pair + coupled) * model.pairs + self._of_rows(model) + touching
        if model.free is not None and "parameters" in self.differentiated:
            found *= 1 + len(model.free.names) // 2
        return found

    def _of_rows(self, model: Model) -> int:
        """Those of the rows of closed loops; derivatives have about as many again for each independent rate."""
        if model.closure is None or self.entry.closed is None:
            return 0
        every = model.rows
        paths = [
            {*model.path(loop.A.link), *model.path(loop.B.link)} for loop, _ in (every[k] for k in model.closure.rows)
        ]
        count, times = len(paths), 1 + model.mobility if self.differentiated else 1
        carried = _CARRIED * sum(map(len, paths))
        products = sum(len(a & b) for i, a in enumerate(paths) for b in paths[: i + 1])
        return times * (carried + 2 * products + count**3 // 3)

    def shapes(self, model: Model) -> tuple[Shape, ...]:
        """Shape of every output, for one state."""
        return tuple(output.shape(model) for output in self.entry.outputs)


def with_parameters(model: Model, named: Mapping[str, Sequence[Scalar]]) -> Model:
    """The model with the numbers that are inputs of every call, if there are such."""
    return model if model.free is None else model.free.at(model, named["parameters"])


def conditions_of(model: Model, task: Task, named: Mapping[str, Sequence[Scalar]]) -> tuple[Conditions, Model]:
    """The conditions of a task, and the model with its payload, given the run-time parameters by name."""
    conditions = Conditions(frame=model.frames[task.frame] if task.frame else None, guarded=task.guarded)
    if model.free is not None:
        conditions.parameters = named["parameters"]
    if task.gravity:
        conditions.gravity = Vec3(*named["gravity"])
    wrenches: list[tuple[Frame, Wrench]] = []
    for name in task.external:
        w = named[f"external[{name!r}]"]
        wrenches.append((model.frames[name], Wrench(Vec3(*w[:3]), Vec3(*w[3:]))))
    conditions.external = wrenches
    if task.ground is not None:
        conditions.ground = Ground(task.ground, named["ground"])
    if task.payload:
        assert model.end_effector is not None
        model = model.with_payload(MassMatrix.of_parameters(named["payload"]), model.frames[model.end_effector])
    return conditions, model


def state_of(model: Model, task: Task, named: Mapping[str, Sequence[Scalar]]) -> list[Sequence[Scalar]]:
    """The state vectors of a task; in tau, what springs and dampers add where the robot is controlled.

    tau + kp (target - q) - kd qd at joints of one coordinate; others, such as a free base, have no target.
    """
    state = [named[name] for name in task.base.state]
    if not task.controlled:
        return state
    q, qd, tau = state
    target, kp, kd = (named[name] for name in CONTROL)
    supplied = list(tau)
    for i, place in enumerate(controlled(model)):
        if place is not None:
            supplied[i] = tau[i] + kp[i] * (target[i] - q[place]) - kd[i] * qd[i]
    return [q, qd, supplied]


def controlled(model: Model) -> list[int | None]:
    """For every actuator, where its joint is in q; None where it has several coordinates, or nothing drives it."""
    assert not isinstance(model.reduction, Rolling)
    places = zip(model.driven, model.starts, strict=True)
    return [start if link.joint.single and link.joint.actuated else None for link, start in places]
