"""The robot that users hold. Every method checks its arguments and runs one recursion."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike

from redyn import files
from redyn.description import (
    JointDescription,
    LoopDescription,
    RobotDescription,
    Source,
    Trust,
    random_chain,
    read,
    to_yaml,
    transforms,
)
from redyn.description.beams import total_mass
from redyn.description.given import Loops
from redyn.description.loops import pose_notes
from redyn.description.schema import COORDINATES, WORLD
from redyn.description.to_urdf import to_urdf
from redyn.dynamics import convective
from redyn.dynamics.catalogue import CATALOGUE, DRIVEN, GROUND_ALGORITHMS, LOOP_ALGORITHMS, ROLLING_ALGORITHMS
from redyn.dynamics.denoc import Denoc
from redyn.dynamics.driven import undriven_rates
from redyn.dynamics.drives import drive_parameters, with_drive_columns
from redyn.dynamics.task import Task
from redyn.errors import InputError, warn
from redyn.evaluate import NOT_FREE, Arguments, Array, Evaluator, Output, normal, world_inputs
from redyn.evaluate.flexible import refuse_flexible
from redyn.evaluate.ground import ContactStates, Ground, contact_states, contacts_of, ground_inputs, ground_of
from redyn.evaluate.ground import Given as GroundGiven
from redyn.kernels.program import Count
from redyn.kernels.trace import casadi_function, trace
from redyn.model import ROW_NAMES, Frame, GroundForm, Model, build, configuration
from redyn.model.bending import initial_values
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.kinematics.all_solutions import AllSolutions
    from redyn.kinematics.dh import DHTable
    from redyn.kinematics.inverse import Solutions
    from redyn.kinematics.loops import State
    from redyn.kinematics.manipulability import Manipulability
    from redyn.kinematics.operational import OperationalSpace
    from redyn.kinematics.robot_like import LinkName
    from redyn.kinematics.workspace import Workspace
    from redyn.robot.free import FreeRobot
    from redyn.vibration import Response, Vibration

Mimic = Literal["independent", "couple"]  # whether joints that mimic others are free, or tied to them
External = Mapping[str | int, ArrayLike]


class Options(TypedDict, total=False):
    """Keywords that every call takes."""

    threads: int | None  # None: as many as help
    check: bool  # False: a result that is not finite comes back as it is
    out: Output  # an array to fill, or a tuple of them where several come back
    parameters: ArrayLike  # of a robot some of whose numbers are left open, see `Robot.free`: (P,) or (N, P)


class ClosingOptions(Options, total=False):
    """Those of calls that are also of use without the loops of a robot.

    A keyword of its own would cost every call some 10 ns, which is a fortieth of it.
    """

    loops: bool  # False: of the bare tree
    ground: GroundGiven  # what it stands on, see `Robot.ground`


class ReducedOptions(Options, total=False):
    """Those of the mass matrix."""

    reduced: bool  # True: of the independent rates


class GroundedOptions(Options, total=False):
    """Those of calls in which the robot may stand on the ground."""

    ground: GroundGiven


class Threads(TypedDict, total=False):
    """Keywords of calls that make their result from several arrays."""

    threads: int | None
    check: bool
    ground: GroundGiven
    parameters: ArrayLike


_plain = cache(Task)  # tasks without options, made once
_FRAME_KEYS = (str, type(None), int)  # a bool is no index of a link, although it equals one
_GRAVITY = object()  # marks the fast path of an algorithm with gravity as an input


class LinkMotions(NamedTuple):
    """Per moving link, in world axes: see `Robot.link_motion`."""

    pose: Array
    twist: Array
    twist_rate: Array
    force: Array
    moment: Array


class Driven(NamedTuple):
    """Torques and accelerations of the same shape: see `Robot.driven`."""

    tau: Array
    qdd: Array


class TorqueParts(NamedTuple):
    """Of the same shape each; their sum is the torque. See `Robot.torque_parts`."""

    inertia: Array
    coriolis: Array
    gravity: Array
    friction: Array
    springs: Array


class Robot:
    """A robot and its dynamics. Angles in radians, SI units; every array is one state or a batch of N.

    >>> import redyn
    >>> robot = redyn.load("three-link")
    >>> robot.inverse_dynamics([0, 0, 0], [0, 0, 0], [0, 0, 0]).round(5)
    array([4.34583, 1.54998, 0.32373])
    """

    def __init__(
        self,
        description: RobotDescription,
        *,
        friction: bool = True,
        exact: bool = False,
        mimic: Mimic = "independent",
    ) -> None:
        self.description = description
        self._options = (friction, exact, mimic)
        self.model: Model = self._build()
        self.notes: tuple[str, ...] = ()  # about its loops and wheels, which `load` reports
        if self.model.contacts:
            self._roll()
        failure = self._close() if description.loops else ""
        self.evaluator = Evaluator(self.model, failure)
        self._fast: dict[object, Any] = {}  # fast paths by what is asked, from the first call on
        self._tree: Robot | None = None
        self._touching: dict[str, Robot] = {}  # with other contacts, by what these are

    def _build(self) -> Model:
        friction, exact, mimic = self._options
        return build(self.description, friction=friction, exact=exact, couple=mimic == "couple")

    def _roll(self) -> None:
        """Find out which rates are independent while its wheels roll."""
        from redyn.kinematics.rolling import analyse

        if self.model.reduction is not None:
            raise InputError(f"{self.name}: joints that mimic others cannot be tied in a robot on wheels")
        self.model, notes = analyse(self.model, self.description)
        self.notes = tuple(notes)

    def _close(self) -> str:
        """Find out what the loops of the robot come down to; why they cannot be closed, if that is so."""
        from redyn.kinematics.closure import analyse

        found = analyse(self.model, self.description, self._described_initial())
        said = [*pose_notes(self.description), *found.notes, *([found.failure] if found.failure else [])]
        self.model, self.notes = found.model, tuple(said)
        self._initial = found.initial
        return found.failure

    def __repr__(self) -> str:
        return f"<Robot {self.name!r}: {self.size}, {self.total_mass:.4g} kg>"

    def _repr_html_(self) -> str:
        """In a notebook: its joints and links as a table. `redyn.show(robot)` is the robot in 3D."""
        from redyn.robot.table import html_table

        return html_table(self.description, self.size, self.total_mass)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (self.description, *self._options)

    @property
    def name(self) -> str:
        return self.description.name

    @property
    def size(self) -> str:
        """In words: how many joints, and velocities where some have several."""
        joints = len(self.joint_names)
        if joints == self.dof:
            return counted(joints, "joint")
        return f"{counted(joints, 'joint')}, {counted(self.dof, 'velocity', 'velocities')}"

    @property
    def dof(self) -> int:
        return self.model.dof

    @cached_property
    def nq(self) -> int:
        """How many numbers q has: one per joint rate of the tree, and one more for every quaternion."""
        return self.model.nq

    @property
    def joint_names(self) -> list[str]:
        """The joints that move on their own, in the order of q. Modes of flexible links are no joints: `mode_names`."""
        return list(dict.fromkeys(link.joint.name for link in self.model.located if link.joint.kind != "mode"))

    @property
    def mode_names(self) -> list[str]:
        """The modes of flexible links, in the order of q.

        >>> import redyn
        >>> redyn.load("flexible-two-link").mode_names
        ['link1.y1', 'link1.y2', 'link2.y1', 'link2.y2']
        """
        return [link.joint.label for link in self.model.located if link.joint.kind == "mode"]

    @property
    def velocity_names(self) -> list[str]:
        """What each entry of qd is, and of tau without wheels: the joint, and where it has several, which of them."""
        return [link.joint.label for link in self.model.driven]

    @property
    def torque_names(self) -> list[str]:
        """What each entry of tau is: as `velocity_names`, unless a robot on wheels has its actuators elsewhere."""
        return [link.joint.label for link in self.model.actuators]

    @property
    def coordinate_names(self) -> list[str]:
        """What each entry of q is."""
        types = {str(link.joint.name): link.joint.type for link in self.description.links}
        found: list[str] = []
        for joint in (link.joint for link in self.model.located):
            if joint.single:
                found.append(joint.label)
            elif not joint.continues:
                found += [f"{joint.name}.{part}" for part in COORDINATES[types[joint.name]]]
        return found

    @property
    def link_names(self) -> list[str]:
        """The moving bodies."""
        return [self.model.links[i - 1].name for i in self.model.bodies]

    @property
    def frame_names(self) -> list[str]:
        """Every frame that can be asked for by name, fixed links included."""
        return [name for name in self.model.frames if name != WORLD]

    @property
    def gravity(self) -> Array:
        return np.array(self.description.gravity)

    @property
    def total_mass(self) -> float:
        """Of all links, fixed ones included."""
        return sum(map(total_mass, self.description.links))

    @property
    def initial(self) -> Array:
        """The joint values that the file starts from (zero where it does not say), with loops closed."""
        return self._initial.copy()

    @cached_property
    def _initial(self) -> Array:
        return self._described_initial()

    def _described_initial(self) -> Array:
        given = np.concatenate(initial_values(self.description, self.model.located))
        return Arguments(self.model).configuration("initial", given)

    @property
    def limits(self) -> Array:
        """Lower and upper limit of every joint, (dof, 2); infinite where the file has none.

        With wheels, of every joint of the tree.
        """
        return self._limits.copy()

    @cached_property
    def _limits(self) -> Array:
        none = (-np.inf, np.inf)
        values = {link.joint.name: link.joint.limits or none for link in self.description.links}
        joints = [link.joint for link in self.model.located]
        return np.array([none if k.kind == "mode" or k.turns_motor else values[k.name] for k in joints])

    @property
    def effort_limits(self) -> Array:
        """The largest torque or force of every actuator, as in tau; infinite where the file has none.

        >>> import redyn
        >>> redyn.load("two-link").effort_limits
        array([inf, inf])
        """
        values = {link.joint.name: link.joint.effort_limit for link in self.description.links}
        joints = [link.joint for link in self.model.actuators]
        return np.array([values.get(joint.name) or np.inf if joint.actuated else np.inf for joint in joints])

    def neutral(self) -> Array:
        """The configuration with every joint at zero."""
        return configuration.neutral(self.model)

    def random(self, rng: np.random.Generator | int | None = None) -> Array:
        """A configuration within the limits; joints without limits turn within +-pi or slide within +-1 m.

        Flexible links are bent by a few hundredths of their length. Where loops are closed, one that can be reached
        from the initial configuration, whatever the limits.
        """
        widest = configuration.spans(self.model)
        lower, upper = np.where(np.isfinite(self.limits.T), self.limits.T, np.array([-widest, widest]))
        try:
            generator = np.random.default_rng(rng)
        except (TypeError, ValueError):
            raise InputError(f"random: expected a generator, a seed or None, got {rng!r}") from None
        if self.model.loops:
            from redyn.kinematics import loops

            return loops.wandered(self, generator)
        return configuration.random(self.model, lower, upper, generator)

    def integrate(self, q: ArrayLike, v: ArrayLike, dt: ArrayLike = 1.0) -> Array:
        """Where the robot is after moving from q for a time dt at constant velocities v: q + v dt but for quaternions.

        With wheels, v are the rates of all joints, as `rates` gives them.

        >>> import redyn
        >>> redyn.load("two-link").integrate([0.1, 0.2], [1.0, 2.0], 0.5)
        array([0.6, 1.2])
        """
        start = self.configuration("q", q)
        width = self.model.tangent
        rate = normal("v", v, width, counted(width, "number"))
        try:
            step = rate * np.asarray(dt, dtype=np.float64)[..., None]
        except (TypeError, ValueError):
            raise InputError(f"dt: expected a time, or one for each state, got {dt!r}") from None
        return self._on_pairs(configuration.integrate, start, step)

    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Array:
        """The velocities that lead from q0 to q1 in one second: `integrate(q0, difference(q0, q1))` is q1."""
        start, end = self.configuration("q0", q0), self.configuration("q1", q1)
        return self._on_pairs(configuration.difference, start, end)

    def configuration(self, name: str, q: ArrayLike) -> Array:
        """Joint values as an array, (nq,) or (N, nq), its quaternions of length 1; an error that begins with `name`.

        >>> import redyn
        >>> redyn.load("two-link").configuration("q", [0, 1])
        array([0., 1.])
        """
        return self.evaluator.arguments.configuration(name, q)

    def _on_pairs(self, run: Callable[[Model, Array, Array], Array], a: Array, b: Array) -> Array:
        """Of one state or many; a single one goes with all of the other's."""
        if a.ndim == b.ndim == 2 and len(a) != len(b):
            raise InputError(
                f"{counted(len(a), 'state')} and {len(b)} do not go together; give equal numbers, or one state"
            )
        counts = [len(x) for x in (a, b) if x.ndim == 2]
        first, second = (np.broadcast_to(x, (counts[0] if counts else 1, x.shape[-1])) for x in (a, b))
        result = run(self.model, first, second)
        return result if counts else result[0]

    def to_yaml(self, path: str | Path | None = None, force: bool = False) -> str:
        """The robot file; `redyn.load` reads it back as the same robot. Written to `path` if one is given.

        A file there that is no robot file is replaced only with `force`.
        """
        text = to_yaml(self.description)
        if path is not None:
            files.write(path, text, files.ROBOT, force)
        return text

    def to_data(self) -> dict[str, Any]:
        """The robot as plain data for JSON, with the options that it was loaded with: see `from_data`."""
        friction, exact, mimic = self._options
        described = self.description.model_dump(mode="json", exclude_defaults=True)
        return {"description": described, "friction": friction, "exact": exact, "mimic": mimic}

    # --- loops ------------------------------------------------------------------------------------------------

    @property
    def loops(self) -> list[LoopDescription]:
        """The joints that close loops, as the file has them; each has rows, which `loop_error` lists in order."""
        return list(self.description.loops)

    @property
    def mobility(self) -> int:
        """How many rates are independent: `dof` less the independent rows of its loops.

        >>> import redyn
        >>> four_bar = redyn.load("four-bar")
        >>> four_bar.dof, four_bar.mobility
        (3, 1)
        """
        if self.model.loops:
            self.evaluator.plan(_plain("transmission"))  # says why its loops cannot be closed, if that is so
        return self.model.mobility

    @property
    def actuated(self) -> list[str]:
        """The joints that are driven, in the order of tau: all of them unless there are loops or wheels."""
        if self.model.contacts:
            return list(dict.fromkeys(link.joint.name for link in self.model.actuators))
        chosen = self.description.actuated
        return [name for name in self.joint_names if chosen is None or name in chosen]

    @property
    def driven_rates(self) -> list[int]:
        """Where the actuated joints are in tau, and in qd unless wheels roll."""
        if self.model.contacts:
            return list(range(len(self.model.actuators)))
        chosen = set(self.actuated)
        joints = [link.joint for link in self.model.driven]
        return [i for i, joint in enumerate(joints) if joint.actuated and joint.name in chosen]

    @property
    def independent(self) -> list[str]:
        """The rates from which all others follow, as in `velocity_names`: the actuated ones as far as they can be."""
        names = self.velocity_names
        return names if self.model.closure is None else [names[i] for i in self.model.closure.independent]

    @property
    def tree(self) -> Robot:
        """The robot without its loops and wheels, every joint of which moves on its own and is driven."""
        if not (self.description.loops or self.description.rolling):
            return self
        if self._tree is None:
            free: dict[str, object] = {"loops": [], "rolling": [], "independent": None, "actuated": None}
            self._tree = self._like(self.description.model_copy(update=free))
        return self._tree

    def assemble(self, q: ArrayLike, fixed: Sequence[str] = ()) -> Array:
        """A configuration near q with its loops closed: (nq,) or (N, nq). The joints named in `fixed` stay.

        It may lie on another branch than expected where q is far from closed. AssemblyError, which names the loop,
        where none is found.

        >>> import redyn
        >>> robot = redyn.load("four-bar")
        >>> q = robot.assemble([0.0, 2.5, 2.3], fixed=["crank"])
        >>> bool(abs(robot.loop_error(q)).max() < 1e-12)
        True
        """
        from redyn.kinematics import loops

        return loops.assemble(self, q, fixed)

    def complete(
        self,
        q_a: ArrayLike,
        qd_a: ArrayLike | None = None,
        qdd_a: ArrayLike | None = None,
        near: ArrayLike | None = None,
    ) -> State:
        """q, qd and qdd of all joints, from those of the actuated ones (in the order of `actuated`).

        Rows of q_a, (N, n), are followed one after the other, from the configuration `near` (the initial one unless
        given), so that the branch stays the same. Rates and accelerations are zero unless given.

        >>> import numpy as np, redyn
        >>> robot = redyn.load("four-bar")
        >>> turn = robot.complete(np.linspace(0, 2 * np.pi, 50)[:, None], [4.71])
        >>> turn.q.shape, bool(abs(robot.loop_error(turn.q)).max() < 1e-12)
        ((50, 3), True)
        """
        from redyn.kinematics import loops

        return loops.complete(self, q_a, qd_a, qdd_a, near)

    def project(self, q: ArrayLike, qd: ArrayLike) -> tuple[Array, Array]:
        """The nearest q and qd that its loops allow, in the metric of the mass matrix."""
        from redyn.kinematics import loops

        return loops.project(self, q, qd)

    def loop_error(self, q: ArrayLike, **options: Unpack[Options]) -> Array:
        """How far every row of the loops is open, (rows,) or (N, rows): metres, and sines of angles."""
        return self._run("loop_error", (q,), options) if self.model.loops else self._no_rows(q, ())

    def loop_jacobian(self, q: ArrayLike, **options: Unpack[Options]) -> Array:
        """J, (rows, dof): the rates of all rows are J qd, which is zero while loops stay closed."""
        return self._run("loop_jacobian", (q,), options) if self.model.loops else self._no_rows(q, (self.dof,))

    def _no_rows(self, q: ArrayLike, shape: tuple[int, ...]) -> Array:
        return np.zeros((*self.configuration("q", q).shape[:-1], 0, *shape))

    def loop_wrenches(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        external: External | None = None,
        payload: ArrayLike | None = None,
        gravity: ArrayLike | None = None,
    ) -> Array:
        """What the first link of every loop exerts on the second, (L, 6) or (N, L, 6): moment, then force.

        In the axes of the joint's frame on the first link, at its origin on the second. NaN where the loops leave a
        component open, as across the plane of a planar mechanism: `undetermined` names them. Of a gear, the torque on
        its second joint stands as the moment about z.
        """
        from redyn.kinematics import loops

        closure = loops.closure_of(self)
        count = len(closure.rows)
        if count:
            found = self._run_in_world("loop_multipliers", (q, qd, tau), {}, gravity, external, payload)
        else:
            found = self.forward_dynamics(q, qd, tau)[..., :0]
        states = np.broadcast_to(np.atleast_2d(self.configuration("q", q)), (len(np.atleast_2d(found)), self.nq))
        wrenches = loops.loop_wrenches(self, np.atleast_2d(found), np.ascontiguousarray(states))
        return wrenches if found.ndim == 2 else wrenches[0]

    @property
    def undetermined(self) -> list[str]:
        """The rows of loops whose multipliers are not determined, such as `cut.vz`: see `loop_wrenches`."""
        from redyn.kinematics import loops

        rows, closure = self.model.rows, loops.closure_of(self)
        loose = closure.rows if closure.deficient else closure.undetermined
        return [f"{rows[k][0].name}.{ROW_NAMES[rows[k][1]]}" for k in loose]

    def transmission(self, q: ArrayLike, **options: Unpack[Options]) -> Array:
        """G, (dof, mobility): qd = G u for the independent rates u, which are the actuated ones where they can be.

        >>> import redyn
        >>> robot = redyn.load("four-bar")
        >>> robot.transmission(robot.initial).shape
        (3, 1)
        """
        if not self.model.loops:
            shape = self.configuration("q", q).shape[:-1]
            return np.broadcast_to(np.eye(self.dof), (*shape, self.dof, self.dof)).copy()
        return self._run("transmission", (q,), options)

    # --- wheels -----------------------------------------------------------------------------------------------

    def rates(self, q: ArrayLike, qd: ArrayLike, **options: Unpack[Options]) -> Array:
        """The rates of all joints of the tree that follow from the independent ones: S(q) qd. With N in front for many.

        >>> import redyn
        >>> robot = redyn.load("differential-drive")
        >>> robot.rates(robot.neutral(), [1.0, 1.0])[:3].round(3).tolist()
        [0.1, 0.0, 0.0]
        """
        return self._run("rates", (q, qd), options)

    def rolling_points(self, q: ArrayLike) -> dict[str, Array]:
        """Where every wheel touches the ground, by the name of its link: (3,) or (N, 3), world axes."""
        return self._per_wheel(self._run("rolling_points", (q,), {}) if self.model.contacts else np.zeros((0, 3)))

    def rolling_forces(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        external: External | None = None,
        payload: ArrayLike | None = None,
        gravity: ArrayLike | None = None,
    ) -> dict[str, Array]:
        """What the ground exerts on every wheel, by the name of its link: a force, (3,) or (N, 3), in world axes.

        It acts where the wheel touches the ground (see `rolling_points`). Wheels on one axle share what only their sum
        is determined of, so that the forces are the least ones. A base with a planar joint is carried by its plane, and
        then forces along the normal are zero here.

        >>> import redyn
        >>> robot = redyn.load("differential-drive")
        >>> forces = robot.rolling_forces(robot.neutral(), [0.0, 0.0], [0.2, 0.2])
        >>> sorted(forces) == sorted(contact.link for contact in robot.description.rolling)
        True
        """
        if not self.model.contacts:
            return {}
        return self._per_wheel(self._run_in_world("rolling_forces", (q, qd, tau), {}, gravity, external, payload))

    def _per_wheel(self, found: Array) -> dict[str, Array]:
        return {contact.name: found[..., k, :].copy() for k, contact in enumerate(self.model.contacts)}

    # --- ground -----------------------------------------------------------------------------------------------

    @property
    def contact_names(self) -> list[str]:
        """What may touch the ground, in the order of `contact_forces`: links, and numbers where one has several."""
        return [point.name for point in self.model.contact_points]

    def with_contacts(self, contacts: object) -> Robot:
        """A new robot with other contacts, as in a robot file: a list, or "collision" for the shapes of its file.

        >>> import redyn
        >>> redyn.load("two-link").with_contacts([{"link": "link2", "radius": 0.05}]).contact_names
        ['link2']
        """
        return self._like(transforms.with_contacts(self.description, contacts))

    def touching(self, ground: GroundGiven) -> Robot:
        """This robot, or one with the contacts that a ground names; made once."""
        contacts = contacts_of(ground)
        if contacts is None:
            return self
        key = repr(contacts)
        if key not in self._touching:
            self._touching[key] = self.with_contacts(contacts)
        return self._touching[key]

    def ground(self, ground: GroundGiven = True) -> Ground:
        """The ground as a run has it, with what is not given chosen by the robot's weight; `print` it.

        ground: True, what the robot's file says; or a dict with the keys of a file (`height`, `normal`, `slope`,
            `direction`, `steps`, `grid`, `law`, `stiffness`, `friction`, `dissipation`, `slip`, `damping`,
            `tangential_damping`), and `contacts`, which take the place of those of the file.

        >>> import redyn
        >>> robot = redyn.load("two-link", floating_base=True)
        >>> print(robot.ground({"contacts": [{"link": "link2", "radius": 0.05}], "friction": 0.5}))
        ground: level at 0 m; 1 contact: link2
          law         smooth
          stiffness   19620 N/m (default; at rest it sinks 1 mm on 1 contact)
          friction    0.5 (given)
          dissipation 12.1157 s/m (default; a factor 1 + dissipation * speed on the way in)
          slip        0.02 m/s (default; creep on a slope of 10 degrees 0.0075 m/s)
        """
        acting = self.touching(ground)
        return ground_of(acting.model, acting.description, ground)

    def contact_forces(
        self, q: ArrayLike, qd: ArrayLike, ground: GroundGiven = None, **options: Unpack[Options]
    ) -> Array:
        """The force of the ground on every contact, in world axes: (K, 3) or (N, K, 3), ordered as `contact_names`.

        `ground` as in `Robot.ground`; None is that of the robot's file. `contact_states` tells more.
        """
        return self.contact_states(q, qd, ground, **options).forces

    def contact_states(
        self, q: ArrayLike, qd: ArrayLike, ground: GroundGiven = None, **options: Unpack[Options]
    ) -> ContactStates:
        """All contacts: points, forces, normals, velocities of the robot there and gaps, in world axes."""
        acting = self.touching(ground)
        return contact_states(acting.evaluator, acting.ground(ground), q, qd, options)

    # --- motion -----------------------------------------------------------------------------------------------

    def forward_kinematics(self, q: ArrayLike, link: LinkName = None, **options: Unpack[Options]) -> Array:
        """The 4x4 pose of a frame in the world: (4, 4) or (N, 4, 4)."""
        return self._run_at("forward_kinematics", link, (q,), options)

    def jacobian(self, q: ArrayLike, link: LinkName = None, **options: Unpack[Options]) -> Array:
        """6 x dof, angular rows first, world axes, at the origin of the frame."""
        return self._run_at("jacobian", link, (q,), options)

    def jacobian_rate(self, q: ArrayLike, qd: ArrayLike, link: LinkName = None, **options: Unpack[Options]) -> Array:
        """The time derivative of `jacobian` along the motion qd."""
        return self._run_at("jacobian_rate", link, (q, qd), options)

    def transform(self, q: ArrayLike, link: LinkName = None, seen_from: LinkName = 0) -> Array:
        """The 4x4 pose of a frame in the axes of another, by default of the world: (4, 4) or (N, 4, 4).

        A point x of `link` is at transform @ x as seen from the other; exchanging the two gives the inverse.

        >>> import redyn
        >>> robot = redyn.load("two-link")
        >>> robot.transform([0.7, 0.2], "link2", seen_from="link1").round(4)[:2]
        array([[ 0.9801, -0.1987,  0.    ,  0.9801],
               [ 0.1987,  0.9801,  0.    ,  0.1987]])
        """
        there, here = self.forward_kinematics(q, link), self.forward_kinematics(q, seen_from)
        R = here[..., :3, :3].swapaxes(-1, -2)
        T = np.zeros_like(there)
        T[..., :3, :3] = R @ there[..., :3, :3]
        T[..., :3, 3] = (R @ (there[..., :3, 3] - here[..., :3, 3])[..., None])[..., 0]
        T[..., 3, 3] = 1.0
        return T

    def manipulability(self, q: ArrayLike, link: LinkName = None) -> Manipulability:
        """How well a frame can be moved from q, in which directions, and how near it is to a singular position.

        See `redyn.kinematics.manipulability`.

        >>> import redyn
        >>> stretched = redyn.load("three-link").manipulability([0.3, 0.0, 0.0])
        >>> float(stretched.regularity.round(6)), stretched.singular
        (0.0, ('joint1, joint2, joint3',))
        """
        from redyn.kinematics import manipulability

        return manipulability(self, q, link)

    def workspace(self, link: LinkName = None, samples: int = 20_000, seed: int = 0) -> Workspace:
        """Points that a frame reaches with all joints within their limits: see `redyn.kinematics.workspace`."""
        from redyn.kinematics import workspace

        return workspace(self, link, samples, seed)

    def inverse_kinematics(
        self,
        pose: ArrayLike,
        link: LinkName = None,
        start: ArrayLike | None = None,
        *,
        mask: ArrayLike | None = None,
        limits: bool = True,
        tolerance: float = 1e-10,
        count: int = 8,
        tries: int = 100,
        seed: int = 0,
    ) -> Solutions:
        """Joint positions that bring a frame to a 4x4 pose, as (q, error), nearest to `start` first.

        None found: an empty list whose `reason` says why. See `redyn.kinematics.inverse_kinematics` for the options.

        >>> import redyn
        >>> robot = redyn.load("puma")
        >>> pose = robot.forward_kinematics([0.1, -0.6, 0.4, 0.5, 0.9, 0.2])
        >>> solutions = robot.inverse_kinematics(pose)
        >>> len(solutions), solutions[0].q.round(6).tolist()
        (8, [0.1, -0.6, 0.4, 0.5, 0.9, 0.2])
        """
        from redyn.kinematics import inverse_kinematics

        robot = self.tree if self.model.contacts else self  # wheels restrict rates, not where the joints may be
        return inverse_kinematics(
            robot, pose, link, start, mask=mask, limits=limits, tolerance=tolerance, count=count, tries=tries, seed=seed
        )

    def inverse_kinematics_all(
        self,
        pose: ArrayLike,
        link: LinkName = None,
        start: ArrayLike | None = None,
        *,
        mask: ArrayLike | None = None,
        tolerance: float = 1e-10,
        seed: int = 0,
    ) -> AllSolutions:
        """All joint positions that bring a frame to a 4x4 pose: in closed form where the arm has one, else by search.

        See `redyn.kinematics.inverse_kinematics_all`.

        >>> import redyn
        >>> robot = redyn.load("stanford")
        >>> found = robot.inverse_kinematics_all(robot.forward_kinematics([0.1, 0.6, 0.4, 0.5, 0.9, 0.2]))
        >>> found.solutions.shape, found.exact, bool(found.residuals.max() < 1e-12)
        ((8, 6), True, True)
        """
        from redyn.kinematics import inverse_kinematics_all

        robot = self.tree if self.model.contacts else self
        return inverse_kinematics_all(robot, pose, link, start, mask=mask, tolerance=tolerance, seed=seed)

    def base_velocity(self, q: ArrayLike, rates: ArrayLike, momentum: ArrayLike | None = None) -> Array:
        """How the base of a free-flying robot moves with its joints: (6,) or (N, 6), angular first, in its axes.

        `rates` are those of the joints after the base; the robot's momentum, zero unless given, stays.
        """
        from redyn.kinematics import base_velocity

        return base_velocity(self, q, rates, momentum)

    def generalized_jacobian(self, q: ArrayLike, link: LinkName = None) -> Array:
        """Of a free-flying robot at rest: 6 x (dof - 6), a frame's twist from the joint rates alone."""
        from redyn.kinematics import generalized_jacobian

        return generalized_jacobian(self, q, link)

    def link_motion(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, **options: Unpack[Options]) -> LinkMotions:
        """How every link moves, and the inertia force and moment of its mass centre (D_i and Delta_i of Newton-Euler).

        Arrays of shape (L, 4, 4), (L, 6), (L, 6), (L, 3), (L, 3), with N in front for a batch; world axes, twists at
        the origin of the link frame, gravity apart.
        """
        return LinkMotions(*self._run("link_motion", (q, qd, qdd), options))

    def com(self, q: ArrayLike, **options: Unpack[Options]) -> Array:
        """The mass centre of all moving links, in the world."""
        if not self._moves_mass:
            raise InputError(f"com: {self.name} has no mass that moves")
        return self._run("com", (q,), options)

    @cached_property
    def _moves_mass(self) -> bool:
        return self.model.flexible or sum(cast(float, link.M.m) for link in self.model.links) != 0.0

    def momentum(self, q: ArrayLike, qd: ArrayLike, **options: Unpack[Options]) -> Array:
        """Angular momentum about the world's origin, then linear momentum, in world axes."""
        return self._run("momentum", (q, qd), options)

    # --- the whole robot about its mass centre, and a frame of it ------------------------------------------------

    def centroidal_momentum(self, q: ArrayLike, qd: ArrayLike, **options: Unpack[Options]) -> Array:
        """Angular momentum about the mass centre, then linear momentum, in world axes: (6,) or (N, 6)."""
        return self._about_com("centroidal_momentum", (q, qd), options)

    def centroidal_momentum_matrix(self, q: ArrayLike, **options: Unpack[Options]) -> Array:
        """A, (6, dof), with A qd = centroidal_momentum (Orin, Goswami and Lee 2013).

        >>> import redyn
        >>> robot = redyn.load("quadruped")
        >>> A = robot.centroidal_momentum_matrix(robot.initial)
        >>> A.shape, float((A[5, 5] / robot.total_mass).round(12))
        ((6, 18), 1.0)
        """
        return self._about_com("centroidal_momentum_matrix", (q,), options)

    def centroidal_momentum_rate(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, **options: Unpack[Options]
    ) -> Array:
        """The rate of `centroidal_momentum`: A qdd + A_dot qd, of which the last is what there is at qdd = 0.

        By Newton and Euler it is the moment about the mass centre and the force of all that acts from outside, weight
        included.
        """
        return self._about_com("centroidal_momentum_rate", (q, qd, qdd), options)

    def centroidal_inertia(self, q: ArrayLike, **options: Unpack[Options]) -> Array:
        """The rotational inertia about the mass centre with all joints locked, in world axes: (3, 3) or (N, 3, 3)."""
        return self._about_com("centroidal_inertia", (q,), options)

    def _about_com(self, algorithm: str, values: tuple[Any, ...], options: Any) -> Array:
        if not self._moves_mass:
            raise InputError(f"{algorithm}: {self.name} has no mass that moves")
        return self._run(algorithm, values, options)

    def operational_inertia(
        self, q: ArrayLike, link: LinkName = None, mask: ArrayLike | None = None, **options: Unpack[Options]
    ) -> Array:
        """Lambda = (J M^-1 J^T)^-1: the wrench on a frame that accelerates it by one unit, joints free (Khatib 1987).

        mask: which of six directions count, turns about x, y, z, then x, y, z; all unless given. Lambda is then of
            these k alone, (k, k) or (N, k, k), and the frame is free in the others.

        SingularError if the frame cannot move in all of them.

        >>> import redyn
        >>> robot = redyn.load("two-link")
        >>> robot.operational_inertia([0.4, 1.0], mask=[0, 0, 0, 1, 1, 0]).round(3)
        array([[0.334, 0.113],
               [0.113, 1.607]])
        """
        return self.operational_space(q, link, mask, **options).inertia

    def dynamically_consistent_inverse(
        self, q: ArrayLike, link: LinkName = None, mask: ArrayLike | None = None, **options: Unpack[Options]
    ) -> Array:
        """M^-1 J^T Lambda, (dof, k): the inverse of J with the least kinetic energy. See `operational_inertia`."""
        return self.operational_space(q, link, mask, **options).inverse

    def operational_space(
        self, q: ArrayLike, link: LinkName = None, mask: ArrayLike | None = None, **options: Unpack[Options]
    ) -> OperationalSpace:
        """Inertia, dynamically consistent inverse and Jacobian of a frame, and the projector on its null space.

        >>> import numpy as np, redyn
        >>> robot = redyn.load("puma")
        >>> tip = robot.operational_space(robot.initial, mask=[0, 0, 0, 1, 1, 1])
        >>> tau = tip.null_space.T @ [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]    # moves the arm, and leaves its tip
        >>> bool(abs(tip.jacobian @ robot.solve(robot.initial, tau)).max() < 1e-9)
        True
        """
        from redyn.kinematics.operational import OperationalSpace, chosen_rows, operational_inertia

        if options.get("out") is not None:
            raise InputError("out: not of operational-space quantities, which come back as new arrays")
        rows = chosen_rows(mask)
        numbers: Options = {"parameters": options["parameters"]} if "parameters" in options else {}
        J = self.jacobian(q, link, **numbers)[..., rows, :]
        A, response = self._run_at("operational_space", link, (q,), dict(options))
        inertia = operational_inertia("operational_space", A, rows)
        return OperationalSpace(inertia, response[..., rows] @ inertia, J)

    # --- dynamics ---------------------------------------------------------------------------------------------

    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        external: External | None = None,
        payload: ArrayLike | None = None,
        gravity: ArrayLike | None = None,
        **options: Unpack[ClosingOptions],
    ) -> Array:
        """The torques (forces, for prismatic joints) that a motion needs: Eqs. (9.32)-(9.35).

        Where loops are closed, those of the actuated joints, and zero at the others; of more actuators than the motion
        needs, the least in the sense of squares. The wrench of a floating base is that which somebody has to supply.
        `loops=False` is of the bare tree.
        """
        if options:
            if not options.pop("loops", True) and self.model.loops:
                return self.tree.inverse_dynamics(q, qd, qdd, external, payload, gravity, **options)
            if "ground" in options:
                return self._on_ground("inverse_dynamics", (q, qd, qdd), options, gravity, external, payload)
        return self._run_in_world("inverse_dynamics", (q, qd, qdd), options, gravity, external, payload)

    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        external: External | None = None,
        payload: ArrayLike | None = None,
        gravity: ArrayLike | None = None,
        method: Literal["recursive", "cholesky"] = "recursive",
        **options: Unpack[ClosingOptions],
    ) -> Array:
        """The joint accelerations, order n by Eqs. (9.38)-(9.41); `method="cholesky"` is the order n^3 way.

        Where loops are closed they stay closed; `loops=False` is of the bare tree. `ground` is what the robot stands
        on, as in `simulate`.
        """
        if options:
            if not options.pop("loops", True) and self.model.loops:
                return self.tree.forward_dynamics(q, qd, tau, external, payload, gravity, method, **options)
            if "ground" in options and method in ("recursive", "cholesky"):
                name = "forward_dynamics" if method == "recursive" else "forward_dynamics_cholesky"
                return self._on_ground(name, (q, qd, tau), options, gravity, external, payload)
        if method == "recursive":
            return self._run_in_world("forward_dynamics", (q, qd, tau), options, gravity, external, payload)
        if method != "cholesky":
            raise InputError(f"method: expected 'recursive' or 'cholesky', got {method!r}")
        return self._run_in_world("forward_dynamics_cholesky", (q, qd, tau), options, gravity, external, payload)

    def driven(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        joint_qdd: ArrayLike,
        external: External | None = None,
        payload: ArrayLike | None = None,
        gravity: ArrayLike | None = None,
        **options: Unpack[GroundedOptions],
    ) -> Driven:
        """The torques that give the joints these accelerations, one for each that is driven, and all of qdd.

        What has no actuator moves as it must, and its torques are zero: a floating base, the modes of flexible links,
        the links beyond elastic gears (of such a joint, the acceleration is its motor's). `ground` is what the robot
        stands on, as in `simulate`: the forces on its feet are those of the state q, qd.

        >>> import redyn
        >>> robot = redyn.load("dual-arm-satellite")
        >>> tau, qdd = robot.driven(robot.neutral(), [0] * 12, [1, 0, 0, 0, 0, 0])
        >>> tau.round(3)[4:8].tolist(), round(float(qdd[2]), 3)
        ([0.0, 0.0, 4.004, 1.591], -0.099)
        """
        free = set(undriven_rates(self.model))
        driven = [i for i in range(self.dof) if i not in free]
        wanted = normal("joint_qdd", joint_qdd, len(driven), f"{counted(len(driven), 'number')}, one per joint")
        whole = np.zeros((*wanted.shape[:-1], self.dof))
        whole[..., driven] = wanted
        options.setdefault("ground", None)
        return Driven(*self._on_ground("driven", (q, qd, whole), options, gravity, external, payload))

    def solve(self, q: ArrayLike, phi: ArrayLike, **options: Unpack[Options]) -> Array:
        """x with mass_matrix(q) x = phi, order n: Eqs. (9.38)-(9.41) alone."""
        return self._run("solve", (q, phi), options)

    def mass_matrix(self, q: ArrayLike, **options: Unpack[ReducedOptions]) -> Array:
        """The generalized inertia matrix (9.15), armature included.

        Of the tree, whether or not loops are closed; `reduced` gives that of the independent rates, G^T M G.
        """
        if options and options.pop("reduced", False) and self.model.loops:
            return self._run("reduced_mass_matrix", (q,), options)
        return self._run("mass_matrix", (q,), options)

    def inverse_mass_matrix(self, q: ArrayLike, **options: Unpack[Options]) -> Array:
        return self._run("inverse_mass_matrix", (q,), options)

    def udu(self, q: ArrayLike, **options: Unpack[Options]) -> tuple[Array, Array]:
        """U (unit upper triangular) and the diagonal D with mass_matrix = U diag(D) U^T."""
        return self._run("udu", (q,), options)

    def coriolis_matrix(
        self, q: ArrayLike, qd: ArrayLike, form: convective.Form | None = None, **options: Unpack[Options]
    ) -> Array:
        """C with C qd = coriolis_vector: the book's MCI (9.16), or `form="christoffel"`.

        Unless a form is given, it is the book's, "mci", but for robots with flexible links, which have only the other.
        """
        if form is None:
            form = "christoffel" if self.model.flexible else "mci"
        if form == "mci":
            return self._run("coriolis_matrix_mci", (q, qd), options)
        if form != "christoffel":
            raise InputError(f"form: expected 'mci' or 'christoffel', got {form!r}")
        return self._run("coriolis_matrix_christoffel", (q, qd), options)

    def coriolis_vector(self, q: ArrayLike, qd: ArrayLike, **options: Unpack[Options]) -> Array:
        """The vector of convective inertia terms h (9.19)."""
        return self._run("coriolis_vector", (q, qd), options)

    def gravity_torque(
        self, q: ArrayLike, gravity: ArrayLike | None = None, **options: Unpack[ClosingOptions]
    ) -> Array:
        """What the actuators must supply to hold still; where loops are closed, zero at joints without actuators."""
        if options and not options.pop("loops", True) and self.model.loops:
            return self.tree.gravity_torque(q, gravity, **options)
        return self._run_in_world("gravity_torque", (q,), options, gravity)

    def friction_torque(self, qd: ArrayLike, **options: Unpack[Options]) -> Array:
        """What the actuators must supply to overcome friction."""
        return self._run("friction_torque", (qd,), options)

    def spring_torque(self, q: ArrayLike, **options: Unpack[Options]) -> Array:
        """What the actuators must supply to hold the joint springs: stiffness * (q - rest)."""
        return self._run("spring_torque", (q,), options)

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike, **options: Unpack[Options]) -> Array:
        """Of all links and rotors: () or (N,)."""
        return self._run("kinetic_energy", (q, qd), options)

    def potential_energy(self, q: ArrayLike, gravity: ArrayLike | None = None, **options: Unpack[Options]) -> Array:
        """Zero with the mass centre at the world's origin: () or (N,)."""
        return self._run_in_world("potential_energy", (q,), options, gravity)

    def joint_wrenches(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        external: External | None = None,
        gravity: ArrayLike | None = None,
        **options: Unpack[Options],
    ) -> Array:
        """Moment and force of each parent on its child, (L, 6) or (N, L, 6) for the L moving links, as `link_names`.

        In the axes of the child's link frame, at the joint. A joint of several degrees of freedom has one of them.
        Where loops are closed, components that they leave open are NaN, as in `loop_wrenches`.
        """
        found = self._run_in_world("joint_wrenches", (q, qd, qdd), options, gravity, external)
        if self.model.loops:
            from redyn.kinematics import loop_forces

            found[...] = loop_forces.mark_undetermined(self, q, found)
        return found

    def inverse_dynamics_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        by: Sequence[str] | None = None,
        **options: Unpack[GroundedOptions],
    ) -> tuple[Array, ...]:
        """dtau/dq and dtau/dqd, (dof, dof) each; dtau/dqdd is the mass matrix.

        `by` chooses others, or another order: of "q", "qd" and "parameters", which are those of a robot some of whose
        numbers are left open (see `free`): (dof, P).

        Where loops are closed, the torques are those of the actuators and the rates the independent ones, from which q
        and all rates follow: (actuated rates, mobility) each.
        """
        if by is not None:
            return self._derivatives("inverse_dynamics", (q, qd, qdd), by, options)
        if "ground" in options:
            return self._on_ground("inverse_dynamics_derivatives", (q, qd, qdd), options)
        return self._run("inverse_dynamics_derivatives", (q, qd, qdd), options)

    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        by: Sequence[str] | None = None,
        **options: Unpack[GroundedOptions],
    ) -> tuple[Array, ...]:
        """dqdd/dq, dqdd/dqd and dqdd/dtau, (dof, dof) each; the last is the inverse of the mass matrix.

        `by` chooses others, or another order: of "q", "qd", "tau" and "parameters", as in
        `inverse_dynamics_derivatives`.

        Where loops are closed, of the independent rates, by those and by the torques of the actuators: (mobility,
        mobility) twice and (mobility, actuated rates).

        `ground`: on a ground with the smooth law, as in `simulate`; derivatives of its forces are part of them.
        """
        if by is not None:
            return self._derivatives("forward_dynamics", (q, qd, tau), by, options)
        if "ground" in options:
            return self._on_ground("forward_dynamics_derivatives", (q, qd, tau), options)
        return self._run("forward_dynamics_derivatives", (q, qd, tau), options)

    def _derivatives(self, name: str, state: tuple[Any, ...], by: Any, options: Any) -> tuple[Array, ...]:
        """The derivatives of an algorithm by what is named, in that order."""
        entry = f"{name}_derivatives"
        known = [*CATALOGUE[entry].by, "parameters"]
        chosen = cast("list[str]", [by] if isinstance(by, str) else list(by))
        for given in chosen:
            if given not in known:
                raise InputError(f"by: expected some of {', '.join(known)}, got {given!r}")
        if options.get("out") is not None:
            raise InputError("out: not with by; the derivatives come back as new arrays")
        if "parameters" in chosen and self.model.free is None:
            raise InputError(f"by: {NOT_FREE}")
        found: dict[str, Array] = {}
        run = self._on_ground if options.setdefault("ground", None) is not None else self._in_own_world
        if any(given != "parameters" for given in chosen):
            found |= zip(known, run(entry, state, dict(options)), strict=False)
        if "parameters" in chosen:
            found["parameters"] = run(f"{name}_by_parameters", state, dict(options))
        return tuple(found[given] for given in chosen)

    def _in_own_world(self, algorithm: str, state: tuple[Any, ...], options: Any) -> Any:
        options.pop("ground")
        return self._run(algorithm, state, options)

    def regressor(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        gravity: ArrayLike | None = None,
        friction: bool = False,
        armature: bool = False,
        **options: Unpack[Options],
    ) -> Array:
        """Y, (dof, 10 L): Y @ parameters is the torque without friction, armature and springs.

        On request columns follow for the first two: damping of every joint, then Coulomb friction, then armature, as in
        `all_parameters`.
        """
        Y = self._run_in_world("regressor", (q, qd, qdd), options, gravity)
        return with_drive_columns(self.model, Y, q, qd, qdd, friction, armature) if friction or armature else Y

    @cached_property
    def parameters(self) -> Array:
        """Ten per moving link, m, mc, Ixx, Ixy, Iyy, Ixz, Iyz, Izz, at the origin and in the axes of its frame."""
        refuse_flexible(self.model, _plain("regressor"))
        return np.array(self.model.parameters(), dtype=np.float64)

    def all_parameters(self, friction: bool = False, armature: bool = False) -> Array:
        """What multiplies the columns of `regressor` with the same options.

        >>> import redyn
        >>> robot = redyn.load("puma")
        >>> state = [0.1] * 6, [0.2] * 6, [0.3] * 6
        >>> full = robot.regressor(*state, friction=True, armature=True) @ robot.all_parameters(True, True)
        >>> bool(abs(full - robot.inverse_dynamics(*state)).max() < 1e-12)
        True
        """
        return np.concatenate([self.parameters, drive_parameters(self.model, friction, armature)])

    def casadi(self, algorithm: str) -> Any:
        """A casadi.Function: one column per state vector in, one per output out (matrices flat, row by row)."""
        return casadi_function(self.model, self._task(algorithm))

    def operation_count(self, algorithm: str) -> Count:
        """Multiplications and additions of the graph that runs; sines and cosines are not counted.

        >>> import redyn
        >>> redyn.load("three-link").operation_count("inverse_dynamics")
        Count(multiplications=33, additions=23)
        """
        return trace(self.model, self._task(algorithm)).count()

    def denoc(
        self,
        q: ArrayLike,
        qd: ArrayLike | None = None,
        qdd: ArrayLike | None = None,
        gravity: ArrayLike | None = None,
    ) -> Denoc:
        """The book's dense quantities at one state, in world axes and at the mass centres. `print` it."""
        if self.model.loops:
            raise InputError("denoc: the dense view is of trees; that of the bare tree is robot.tree.denoc(...)")
        if not self.model.simple or any(link.joint.kind == "helical" for link in self.model.links):
            raise InputError("denoc: the dense view is of free revolute and prismatic joints alone")
        still = np.zeros(self.dof)
        values = {"q": q, "qd": still if qd is None else qd, "qdd": still if qdd is None else qdd}
        meaning = f"{counted(self.dof, 'number')}, one per joint"
        arrays = [normal(name, value, self.dof, meaning) for name, value in values.items()]
        pull = self.gravity if gravity is None else normal("gravity", gravity, 3, "an acceleration")
        if any(a.ndim == 2 for a in (*arrays, pull)):
            raise InputError("denoc shows one state; give q of shape (dof,), not a batch")
        if not all(np.isfinite(a).all() for a in (*arrays, pull)):
            raise InputError("denoc: expected finite numbers")
        return Denoc(self.model, arrays[0], arrays[1], arrays[2], pull)

    # --- vibration --------------------------------------------------------------------------------------------

    def frequencies(self, q: ArrayLike, locked: Iterable[str] = ()) -> Array:
        """The natural frequencies about q at rest, undamped, in rad/s, lowest first; joints named in `locked` are held.

        What nothing drives back (a free joint without weight or spring) or what falls over has no frequency and is left
        out. Weight counts: it makes a pendulum swing, and stiffens or softens what bends. A locked joint with an
        elastic gear holds its motor.

        >>> import redyn
        >>> robot = redyn.load("flexible-two-link")
        >>> robot.frequencies(robot.initial, locked=robot.joint_names).round(2)
        array([  3.  ,  10.63,  16.83, 100.22])
        """
        return self.vibration(q, locked).frequencies

    def vibration(self, q: ArrayLike, locked: Iterable[str] = ()) -> Vibration:
        """The natural modes about q at rest: frequencies, damping ratios and shapes. See `frequencies`.

        >>> import redyn
        >>> robot = redyn.load("flexible-beam")
        >>> modes = robot.vibration(robot.sag(robot.initial), locked=["joint1"])
        >>> modes.hertz.round(2), modes.shapes.shape
        (array([ 2.16, 15.86]), (3, 2))
        """
        from redyn.vibration import vibration

        return vibration(self, q, locked)

    def sag(self, q: ArrayLike, external: External | None = None, gravity: ArrayLike | None = None) -> Array:
        """q with its modes, and its links beyond elastic gears, where they rest under their load; joints are held.

        SingularError if there is no such shape near: the weight buckles a link.

        >>> import redyn
        >>> robot = redyn.load("flexible-beam")
        >>> q = robot.sag([0.0, 0.0, 0.0])
        >>> round(float(robot.forward_kinematics(q)[1, 3]), 4)
        -0.0562
        """
        from redyn.vibration import sag

        return sag(self, q, external, gravity)

    def shape(self, q: ArrayLike, link: str, points: int = 21) -> Array:
        """The centre line of a flexible link from root to tip, in world axes: (points, 3), or (N, points, 3).

        >>> import redyn
        >>> redyn.load("spin-up").shape([0.0, 0.1, 0.0, 0.0], "link1", 3).round(3)
        array([[0.   , 0.   , 0.   ],
               [4.999, 0.068, 0.   ],
               [9.998, 0.2  , 0.   ]])
        """
        from redyn.vibration import centre_line

        return centre_line(self, q, link, points)

    def frequency_response(
        self,
        q: ArrayLike,
        torque: str | None = None,
        link: LinkName = None,
        direction: ArrayLike | None = None,
        frequencies: ArrayLike | None = None,
        locked: Iterable[str] = (),
    ) -> Response:
        """From an oscillating torque at a joint (the first) to the position of a frame (the end effector), about q.

        That is the transfer function of `linearize`, along `direction` (in which the joint moves the frame, unless
        given). `redyn.bode(response)` is a Bode plot.

        >>> import redyn
        >>> robot = redyn.load("flexible-beam")
        >>> response = robot.frequency_response(robot.initial, "joint1", frequencies=[1.0, 15.0])
        >>> abs(response.values).round(3)
        array([3.751, 0.174])
        """
        from redyn.vibration import frequency_response

        return frequency_response(self, q, torque, link, direction, frequencies, locked)

    # --- transforms, export and what follows from several calls ------------------------------------------------

    def to_urdf(self, path: str | Path | None = None, force: bool = False) -> str:
        """The robot as URDF, whatever it was read from; written to `path` if one is given.

        A file there that is no URDF is replaced only with `force`.

        Frames keep their names and poses. URDF has no gravity, rotor inertia or initial values: they become comments,
        with a RedynWarning for those that change the dynamics. Loops become elements that redyn reads back, and other
        programs ignore.
        """
        text = to_urdf(self.description)
        if path is not None:
            files.write(path, text, files.URDF, force)
        return text

    def with_payload(
        self, mass: float, com: ArrayLike = (0, 0, 0), inertia: ArrayLike = (0,) * 6, link: LinkName = None
    ) -> Robot:
        """A new robot that carries a rigid body, as a fixed link `payload` on the end effector or another frame.

        `com` is in the axes of that frame; `inertia` is about it: xx xy xz yy yz zz, or 3x3.

        >>> import redyn
        >>> redyn.load("puma").with_payload(2.5, com=[0, 0, 0.1], inertia=[0.01, 0, 0, 0.01, 0, 0.02])
        <Robot 'puma': 6 joints, 40 kg>
        """
        name, frame = self.named_frame(link)
        if frame.link == 0:
            raise InputError(f"with_payload: {name!r} is fixed to the world")
        return self._like(transforms.with_payload(self._with_tip, name, mass, com, inertia))

    def with_points(
        self, points: Sequence[tuple[LinkName, Sequence[float]]], name: str = "point"
    ) -> tuple[Robot, list[str]]:
        """A new robot with a frame at each of these points, given by a frame and coordinates in it; and their names.

        The axes of the new frames are arbitrary.

        >>> import numpy as np, redyn
        >>> robot, names = redyn.load("two-link").with_points([("link2", [-0.5, 0, 0])])
        >>> names, np.round(robot.forward_kinematics([0, 0], "point1")[:3, 3], 9).tolist()
        (['point1'], [1.5, 0.0, 0.0])
        """
        listed = [(self.frame_name(link), [float(x) for x in point]) for link, point in points]
        description, names = transforms.with_points(self._with_tip, listed, name)
        return self._like(description), names

    def rigid(self) -> Robot:
        """A new robot whose links do not bend and whose gears do not give; straight links keep their mass.

        >>> import redyn
        >>> redyn.load("flexible-two-link").rigid()
        <Robot 'flexible-two-link': 2 joints, 1.3 kg>
        """
        return self._like(transforms.rigid(self.description))

    def lock(self, joints: Mapping[str, float | Sequence[float] | None]) -> Robot:
        """A new robot with these joints fixed at a value, or at their initial value where that is None.

        Joints that mimic a locked one, or follow it through a gear, are fixed with it, where it holds them (with a
        warning if they moved on their own here). A joint that follows another cannot be locked alone: lock its leader.
        Loops of which no joint moves any more are left out.

        >>> import redyn
        >>> redyn.load("puma").lock({"joint1": 0.2, "joint6": None}).joint_names
        ['joint2', 'joint3', 'joint4', 'joint5']
        """
        locked = self._like(transforms.lock(self.description, joints))
        along = [name for name in self.joint_names if name not in joints and name not in locked.joint_names]
        if along:
            shown = ", ".join(map(repr, along))
            warn(f"lock: fixed too, since {'it follows' if len(along) == 1 else 'they follow'} a locked joint: {shown}")
        return locked

    def attach(
        self, other: Robot, link: LinkName = None, pose: ArrayLike | tuple[ArrayLike, ArrayLike] | None = None
    ) -> Robot:
        """A new robot with the base of `other` at `pose`, 4x4 or (xyz, rpy), in a frame of this one.

        Its base becomes the fixed link `<other>_base`, and its names get a prefix if one of them is taken. Gravity is
        that of this robot. The end effector is that of `other` if it sits on this one's. Joints that mimic others are
        tied as in the robot that has them. If only one robot has loops, all joints of the other are driven.

        >>> import redyn
        >>> redyn.load("three-link").attach(redyn.load("two-link"), pose=([0, 0, 0.1], [0, 0, 0])).joint_names
        ['joint1', 'joint2', 'joint3', 'two-link_joint1', 'two-link_joint2']
        """
        if not isinstance(other, Robot):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"attach: expected a robot, got {type(other).__name__}")
        where, name = transforms.pose_matrix(pose), self.frame_name(link)
        kinds: set[Mimic] = {robot._options[-1] for robot in (self, other) if _followers(robot.description)}
        if len(kinds) > 1:
            raise InputError("attach: joints that mimic others are tied in one robot only; load both with one mimic=")
        both = transforms.attach(self._with_tip, other._with_tip, name, where)
        return self._like(both, mimic=kinds.pop() if kinds else None)

    def subtree(self, link: str | int) -> Robot:
        """A new robot of this link, its joint and all that it carries; the frame of its parent becomes the world.

        Loops that leave it are left out, with a warning.

        >>> import redyn
        >>> redyn.load("puma").subtree("link4").joint_names
        ['joint4', 'joint5', 'joint6']
        """
        name = self.frame_name(link)
        if name == WORLD:
            raise InputError("subtree: name a link, not the world")
        return self._like(transforms.subtree(self._with_tip, name))

    def dh_parameters(self, link: LinkName = None, modified: bool = False) -> DHTable:
        """The DH table of the joints that lead to a frame, the book's form or Craig's; with base and tool."""
        from redyn.kinematics.dh import dh_parameters

        return dh_parameters(self.model, self.frame_name(link), modified)

    def torque_parts(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, gravity: ArrayLike | None = None
    ) -> TorqueParts:
        """What the torque is made of: the parts add up to `inverse_dynamics`.

        >>> import redyn
        >>> redyn.load("one-link").torque_parts([0.0], [1.0], [2.0]).inertia.round(3)
        array([0.667])
        """
        if self.model.contacts:
            return self._wheeled_parts(q, qd, qdd, gravity)
        springs = self.spring_torque(q)
        parts = (
            self.inverse_dynamics(q, np.zeros(self.dof), qdd, gravity=np.zeros(3), loops=False) - springs,
            self.coriolis_vector(q, qd),
            self.gravity_torque(q, gravity, loops=False),
            self.friction_torque(qd),
            springs,
        )
        if self.model.loops:
            from redyn.kinematics import loop_forces

            parts = loop_forces.driving_parts(self, q, parts)
        return TorqueParts(*(np.array(part) for part in np.broadcast_arrays(*parts)))

    def _wheeled_parts(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, gravity: ArrayLike | None) -> TorqueParts:
        """Torques of the actuators: each part as what they supply when it is all there is."""
        still, none = np.zeros(self.dof), np.zeros(3)
        smooth = self._like(self.description, friction=False)
        springs = smooth.inverse_dynamics(q, still, still, gravity=none)
        moving = smooth.inverse_dynamics(q, qd, still, gravity=none)
        parts = (
            smooth.inverse_dynamics(q, still, qdd, gravity=none) - springs,
            moving - springs,
            self.gravity_torque(q, gravity),
            self.inverse_dynamics(q, qd, still, gravity=none) - moving,
            springs,
        )
        return TorqueParts(*(np.array(part) for part in np.broadcast_arrays(*parts)))

    def linearize(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, step: float | None = None, **options: Unpack[Threads]
    ) -> tuple[Array, Array]:
        """A, (2 dof, 2 dof), and B, (2 dof, dof), of the state (q, qd) driven by tau; with N in front for a batch.

        Small deviations x from the motion through that state follow d/dt x = A x + B u, or x_next = A x + B u over
        `step` seconds with u held; those of q are in the tangent space, as `difference` gives them.

        A and B are those of the one state. At an equilibrium the discrete form is exact for any step; along a motion
        they change meanwhile, so that it is off by an amount of the order of step^2 in one step, and of step over a
        fixed time: first order. Take A and B along the motion where that matters.

        Where loops are closed, the state is of the independent rates (see `independent`) and tau of the actuators. With
        wheels, deviations of q are those of all joints of the tree, and qd has the independent rates.

        >>> import redyn
        >>> A, B = redyn.load("one-link").linearize([0.0], [0.0], [0.0])
        >>> A.shape, B.round(3).tolist()
        ((2, 2), [[0.0], [3.0]])
        """
        by_q, by_qd, by_tau = self.forward_dynamics_derivatives(q, qd, tau, **options)
        n, width = by_tau.shape[-2:]
        m = by_q.shape[-1]  # directions in which q can be changed
        flow = np.zeros((*by_q.shape[:-2], m + n + width, m + n + width))  # of (q, qd, tau), with tau held
        if self.model.contacts:
            slopes, G = self._run("rates_derivatives", (q, qd), options)
            drift = configuration.deviation_rates(self.model, np.atleast_2d(self.rates(q, qd, **options)))
            flow[..., :m, :m] = slopes + (drift if flow.ndim == 3 else drift[0])
            flow[..., :m, m : m + n] = G
        else:
            flow[..., :n, n : 2 * n] = np.eye(n)
            if self.model.quaternions:
                flow[..., :n, :n] = self._drift(q, qd, flow.ndim == 3)
        flow[..., m : m + n, :] = np.concatenate([by_q, by_qd, by_tau], axis=-1)
        if step is not None:
            flow = _over_step(flow, step)
        return flow[..., : m + n, : m + n].copy(), flow[..., : m + n, m + n :].copy()

    def _drift(self, q: ArrayLike, qd: ArrayLike, many: bool) -> Array:
        """How deviations of a motion change while its rates stay, which they do where q holds quaternions."""
        rates = normal("qd", qd, self.dof, counted(self.dof, "number"))
        drift = configuration.deviation_rates(self.model, np.atleast_2d(rates))
        if self.model.closure is not None:
            G = self.transmission(q).reshape(-1, self.dof, self.model.mobility)
            drift = (drift @ G)[:, list(self.model.closure.independent)]
        return drift if many else drift[0]

    @property
    def _with_tip(self) -> RobotDescription:
        """The description with its end effector named, so that it stays when links are added."""
        return self.description.model_copy(update={"end_effector": self.model.end_effector})

    def _like(self, description: RobotDescription, friction: bool | None = None, mimic: Mimic | None = None) -> Robot:
        """Another robot, built with the options of this one but for those that are given."""
        own = self._options
        return _rebuild(description, own[0] if friction is None else friction, own[1], mimic or own[2])

    def free(self, *names: str) -> FreeRobot:
        """A robot some of whose numbers are left open: every call of it takes `parameters=`, beside the state.

        names: fields of links and joints as in a robot file, `*` for any: "link2.mass", "link3.com", "*.inertia",
            "link1.inertia.xx", "joint2.damping" (coulomb, armature, stiffness), "gravity", "payload", and lengths:
            "link3.a" and "link3.b" of DH tables, "tool.xyz" of frames.

        One kernel serves all values: new ones never compile. See `FreeRobot`.

        >>> import redyn
        >>> robot = redyn.load("two-link").free("*.mass", "link2.a")
        >>> robot.parameter_names
        ('link1.mass', 'link2.mass', 'link2.a')
        >>> still = [0.0, 0.0]
        >>> robot.inverse_dynamics(still, still, [1.0, 0.0], parameters=[[1.0, 1.0, 1.0], [1.0, 2.0, 1.0]]).round(3)
        array([[22.287,  5.738],
               [39.252, 11.393]])
        """
        from redyn.robot.free import FreeRobot

        if not self._options[0]:
            for name in names:
                if name.endswith((".damping", ".coulomb")):
                    raise InputError(f"free: {name}: this robot was loaded with friction=False")
        return FreeRobot(self.description, names, self._options)

    # --- helpers ----------------------------------------------------------------------------------------------

    def frame_name(self, link: LinkName = None) -> str:
        """The name behind a name, a link's index (0: the world), or None, the end effector."""
        if isinstance(link, bool) or not isinstance(link, str | int | np.integer | None):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"link: expected a frame's name or a link's index, got {link!r}")
        if link is None:
            if self.model.end_effector is None:
                raise InputError(
                    f"{self.name} has several tips: name a frame with link=, or give end_effector in its file"
                )
            return self.model.end_effector
        if isinstance(link, str):
            if link not in self.model.frames:
                close = difflib.get_close_matches(link, self.frame_names, 1)
                hint = f"did you mean {close[0]!r}?" if close else f"the frames are {', '.join(self.frame_names[:12])}"
                raise InputError(f"link: {self.name} has no frame {link!r}; {hint}")
            return link
        names = self.link_names
        if not 0 <= link <= len(names):
            raise InputError(f"link: expected an index from 1 to {len(names)}, or 0 for the world, got {link}")
        return names[int(link) - 1] if link else WORLD

    def named_frame(self, link: LinkName = None) -> tuple[str, Frame]:
        """The name of a frame and what the model knows of it."""
        name = self.frame_name(link)
        return name, self.model.frames[name]

    def _task(self, algorithm: str) -> Task:
        if algorithm not in CATALOGUE:
            raise InputError(f"no algorithm is called {algorithm!r}; they are {', '.join(CATALOGUE)}")
        if algorithm in LOOP_ALGORITHMS and not self.model.loops:
            raise InputError(f"{algorithm} is for robots with closed loops; {self.name} has none")
        if algorithm in ROLLING_ALGORITHMS and not self.model.contacts:
            raise InputError(f"{algorithm} is for robots on wheels; {self.name} has none")
        refuse_flexible(self.model, Task(algorithm))
        if algorithm == DRIVEN.name:
            undriven_rates(self.model)
        if algorithm in GROUND_ALGORITHMS:
            return Task(algorithm, ground=self.ground().form if "ground" in CATALOGUE[algorithm].options else None)
        asks = "frame" in CATALOGUE[algorithm].options
        return Task(algorithm, frame=self.frame_name() if asks else None)

    # What every call comes down to. The fast path answers most; what it does not, because an argument is not a float64
    # array of the right shape or a result not finite, the evaluator answers or refuses with an error.

    def _run(self, algorithm: str, values: tuple[Any, ...], options: Any) -> Any:
        """An algorithm without a frame, in the robot's own world: an array, or a tuple of several."""
        fast = self._fast.get(algorithm)
        if fast is not None:
            found = fast.with_options(values, options) if options else fast.new(*values)
            if found is None and not options:
                found = fast.large(values)
            if found is not None:
                return found
        return self._answer(algorithm, _plain(algorithm), values, options)

    def _run_at(self, algorithm: str, link: LinkName, values: tuple[Any, ...], options: Any) -> Any:
        """An algorithm that is about a frame."""
        key = (algorithm, link) if link.__class__ in _FRAME_KEYS else None
        fast = self._fast.get(key)
        if fast is not None:
            found = fast.with_options(values, options) if options else fast.new(*values)
            if found is None and not options:
                found = fast.large(values)
            if found is not None:
                return found
        return self._answer(key, Task(algorithm, frame=self.frame_name(link)), values, options)

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
        """An algorithm that gravity, wrenches, the ground or a payload act on."""
        alone = external is None and payload is None and ground is None
        if alone:
            if gravity is None:
                return self._run(algorithm, state, options)
            fast = self._fast.get((algorithm, _GRAVITY))
            if fast is not None:
                found = fast.with_options((*state, gravity), options)
                if found is not None:
                    return found
        used, values = world_inputs(self.named_frame, gravity, external, payload, ground)
        key = (algorithm, _GRAVITY) if alone else None
        return self._answer(key, Task(algorithm, **used), (*state, *values), options)

    def _on_ground(
        self,
        algorithm: str,
        state: tuple[Any, ...],
        options: Any,
        gravity: ArrayLike | None = None,
        external: External | None = None,
        payload: ArrayLike | None = None,
    ) -> Any:
        """An algorithm of the dynamics with the ground that `options` has, if any."""
        given = options.pop("ground")
        if given is None or given is False:
            return self._run_in_world(algorithm, state, options, gravity, external, payload)
        acting = self.touching(given)
        ground = acting.ground(given)
        if CATALOGUE[algorithm].by and not ground.compiled:
            what = "a grid of heights" if ground.grid is not None else f"law: {ground.law}"
            raise InputError(
                f"{algorithm}: derivatives exist for the smooth law on planes, slopes, steps and expressions, not for "
                f"{what}"
            )
        inputs = ground_inputs(acting.evaluator, ground, state[0], state[1], {})
        return acting._run_in_world(algorithm, state, options, gravity, external, payload, inputs)

    def _answer(self, key: object, task: Task, values: tuple[Any, ...], options: Any) -> Any:
        """The general path; from now on the fast path of the task is found under `key`."""
        if key is not None and key not in self._fast:
            self._fast[key] = self.evaluator.plan(task).fast
        return self.evaluator.answer(task, values, options)


def _followers(description: RobotDescription) -> list[JointDescription]:
    """The joints that mimic others."""
    return [link.joint for link in description.links if link.joint.mimic is not None]


def _over_step(flow: Array, step: object) -> Array:
    """The matrix exponential over a time step."""
    from scipy.linalg import expm  # pyright: ignore[reportMissingTypeStubs, reportUnknownVariableType]

    if isinstance(step, bool) or not isinstance(step, Real) or not 0.0 < float(step) < np.inf:
        raise InputError(f"step: expected a time above 0 s, got {step!r}")
    return cast(Array, expm(flow * float(step))) if flow.size else flow


def _rebuild(description: RobotDescription, with_friction: bool, exact: bool, mimic: Mimic) -> Robot:
    return Robot(description, friction=with_friction, exact=exact, mimic=mimic)


def load(
    source: Source,
    *,
    floating_base: bool = False,
    friction: bool = True,
    mimic: Mimic = "independent",
    exact: bool = False,
    allow_unphysical: bool = False,
    trust: Trust | None = None,
    loops: Loops | None = None,
    actuated: Sequence[str] | None = None,
    arguments: Mapping[str, object] | None = None,
) -> Robot:
    """A robot from the library, a .yaml, .urdf, .xacro, .sdf or .xml (MJCF) file, or a dict; `gallery` lists names.

    `example-robot-data:ur5` is a robot of that package, `robot_descriptions:panda_description` one that the package
    robot_descriptions has downloaded before.

    `floating_base=True` lets what is fixed to the world move freely: q then begins with x y z of the base and its
    quaternion x y z w, qd with its angular and linear velocity in its own axes.
    Joints of the file that mimic others move on their own, with a warning; `mimic="couple"` ties them to their leaders,
    exactly, so that q holds the leaders alone.

    `friction=False` leaves friction out of every torque (armature and springs stay). `exact=True` keeps rotations as
    the file has them; otherwise entries within 1e-8 of 0 and +-1 are taken for those, which moves results by some 1e-9
    at most and makes right angles cost nothing.

    Files may be untrusted, so one may read others (meshes, what an MJCF includes) of its own folder only, or of the
    ROS package that holds it; `trust="files"` lets a file that you trust name any file of this machine.

    `loops` are joints that close loops, a list of mappings as in a robot file or the path of a YAML file beside it, and
    `actuated` names the joints that are driven then; both take the place of what the file says. `loops=False` loads the
    bare tree. `arguments` are those of a xacro file, which needs the extra `[xacro]`.

    >>> load("puma")
    <Robot 'puma': 6 joints, 37.5 kg>
    """
    if mimic not in ("independent", "couple"):
        raise InputError(f"mimic: expected 'independent' or 'couple', got {mimic!r}")
    description = read(
        source,
        floating_base=floating_base,
        allow_unphysical=allow_unphysical,
        trust=trust,
        loops=loops,
        actuated=actuated,
        arguments=arguments,
    )
    followers = _followers(description)
    if followers and mimic == "independent":
        first, more = followers[0], f" (and {len(followers) - 1} more)" if len(followers) > 1 else ""
        leader = first.mimic.joint if first.mimic else ""
        warn(
            f"{description.source or description.name}: joint {first.name!r} mimics {leader!r}{more}; redyn takes such "
            "joints as independent, mimic='couple' ties them"
        )
    robot = Robot(description, friction=friction, exact=exact, mimic=mimic)
    for note in robot.notes:
        warn(f"{description.source or description.name}: {note}")
    return robot


def chain(n: int, seed: int = 0) -> Robot:
    """A random serial robot of n revolute joints in standard DH, with no convenient zeros.

    >>> chain(4, seed=1).dof
    4
    """
    return Robot(random_chain(n, seed))
