"""The functions of a robot, named and called like its methods, for the arrays of another package."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from redyn.dynamics.task import Task
from redyn.errors import InputError
from redyn.evaluate import NOT_FREE, world_inputs
from redyn.evaluate.singular import may_be_singular
from redyn.interop.source import Source
from redyn.kinematics.robot_like import LinkName
from redyn.robot import Robot
from redyn.robot.robot import LinkMotions

External = Mapping[str | int, Any]


class Plan(NamedTuple):
    """What a call needs to know, looked up once."""

    source: Source
    key: str  # the name of the source
    inputs: tuple[tuple[str, int], ...]  # their names and widths


class Functions(ABC):
    """Each takes arrays of shape (n,), (N, n) or with more dimensions in front, which broadcast against each other.

    `gravity`, `external` and `payload` are as in the methods of a robot, `parameters` are those of a robot some of
    whose numbers are left open (see `Robot.free`); all of them are differentiable arguments. Results that are not
    finite come back as they are. Quaternions in q are brought to length 1.

    Derivatives are by the coordinates q themselves; `inverse_dynamics_derivatives` and `forward_dynamics_derivatives`
    are matrices in the tangent space, as those of the robot.
    """

    def __init__(self, robot: Robot) -> None:
        if not isinstance(robot, Robot):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"robot: expected a robot, as redyn.load gives it, got {type(robot).__name__}")
        self.robot, self._nominal = robot, robot.evaluator.parameters
        self._keys: dict[tuple[object, ...], str] = {}
        self._plans: dict[str, Plan] = {}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.robot!r}>"

    @abstractmethod
    def _call(self, key: str, values: Sequence[Any]) -> tuple[Any, ...]:
        """The outputs of a plan, given a value for each input."""

    # --- motion -----------------------------------------------------------------------------------------------

    def forward_kinematics(self, q: Any, link: LinkName = None, *, parameters: Any = None) -> Any:
        """The pose of a frame in the world: (..., 4, 4)."""
        return self._run_at("forward_kinematics", link, (q,), parameters)

    def jacobian(self, q: Any, link: LinkName = None, *, parameters: Any = None) -> Any:
        """(..., 6, dof), angular rows first, world axes, at the origin of the frame."""
        return self._run_at("jacobian", link, (q,), parameters)

    def jacobian_rate(self, q: Any, qd: Any, link: LinkName = None, *, parameters: Any = None) -> Any:
        """The time derivative of `jacobian` along the motion qd."""
        return self._run_at("jacobian_rate", link, (q, qd), parameters)

    def link_motion(self, q: Any, qd: Any, qdd: Any, *, parameters: Any = None) -> Any:
        """How every link moves, as in `Robot.link_motion`."""
        return LinkMotions(*self._run("link_motion", (q, qd, qdd), parameters))

    def com(self, q: Any, *, parameters: Any = None) -> Any:
        """The mass centre of all moving links, in the world."""
        return self._run("com", (q,), parameters)

    def momentum(self, q: Any, qd: Any, *, parameters: Any = None) -> Any:
        """Angular momentum about the world's origin, then linear momentum, in world axes."""
        return self._run("momentum", (q, qd), parameters)

    def coordinate_rates(self, q: Any, qd: Any, *, parameters: Any = None) -> Any:
        """dq/dt, (..., nq): qd itself but for quaternions, free bases, wheels and coupled joints."""
        return self._run("coordinate_rates", (q, qd), parameters)

    def rates(self, q: Any, qd: Any, *, parameters: Any = None) -> Any:
        """Of a robot on wheels: the rates of all joints of the tree."""
        if not self.robot.model.contacts:
            raise InputError(f"rates: for robots on wheels; {self.robot.name} has none")
        return self._run("rates", (q, qd), parameters)

    def loop_error(self, q: Any, *, parameters: Any = None) -> Any:
        """How far every row of the loops is open."""
        return self._run(self._of_loops("loop_error"), (q,), parameters)

    def loop_jacobian(self, q: Any, *, parameters: Any = None) -> Any:
        """(..., rows, dof): the rates of all rows are its product with qd."""
        return self._run(self._of_loops("loop_jacobian"), (q,), parameters)

    def transmission(self, q: Any, *, parameters: Any = None) -> Any:
        """G with qd = G u for the independent rates u."""
        return self._run(self._of_loops("transmission"), (q,), parameters)

    def _of_loops(self, algorithm: str) -> str:
        if not self.robot.model.loops:
            raise InputError(f"{algorithm}: for robots with closed loops; {self.robot.name} has none")
        return algorithm

    # --- dynamics ---------------------------------------------------------------------------------------------

    def inverse_dynamics(
        self,
        q: Any,
        qd: Any,
        qdd: Any,
        external: External | None = None,
        payload: Any = None,
        gravity: Any = None,
        *,
        parameters: Any = None,
    ) -> Any:
        """The torques (forces, for prismatic joints) that a motion needs."""
        return self._run_in_world("inverse_dynamics", (q, qd, qdd), parameters, gravity, external, payload)

    def forward_dynamics(
        self,
        q: Any,
        qd: Any,
        tau: Any,
        external: External | None = None,
        payload: Any = None,
        gravity: Any = None,
        method: Literal["recursive", "cholesky"] = "recursive",
        *,
        parameters: Any = None,
    ) -> Any:
        """The joint accelerations."""
        if method not in ("recursive", "cholesky"):
            raise InputError(f"method: expected 'recursive' or 'cholesky', got {method!r}")
        name = "forward_dynamics" if method == "recursive" else "forward_dynamics_cholesky"
        return self._run_in_world(name, (q, qd, tau), parameters, gravity, external, payload)

    def solve(self, q: Any, phi: Any, *, parameters: Any = None) -> Any:
        """x with mass_matrix(q) x = phi."""
        return self._run("solve", (q, phi), parameters)

    def mass_matrix(self, q: Any, *, parameters: Any = None) -> Any:
        """The generalized inertia matrix, armature included: (..., dof, dof)."""
        return self._run("mass_matrix", (q,), parameters)

    def inverse_mass_matrix(self, q: Any, *, parameters: Any = None) -> Any:
        return self._run("inverse_mass_matrix", (q,), parameters)

    def udu(self, q: Any, *, parameters: Any = None) -> Any:
        """U (unit upper triangular) and the diagonal D with mass_matrix = U diag(D) U^T."""
        return self._run("udu", (q,), parameters)

    def coriolis_matrix(
        self, q: Any, qd: Any, form: Literal["mci", "christoffel"] | None = None, *, parameters: Any = None
    ) -> Any:
        """C with C qd = coriolis_vector, in either form (see `Robot.coriolis_matrix`)."""
        chosen = form or ("christoffel" if self.robot.model.flexible else "mci")
        if chosen not in ("mci", "christoffel"):
            raise InputError(f"form: expected 'mci' or 'christoffel', got {form!r}")
        return self._run(f"coriolis_matrix_{chosen}", (q, qd), parameters)

    def coriolis_vector(self, q: Any, qd: Any, *, parameters: Any = None) -> Any:
        """The vector of convective inertia terms."""
        return self._run("coriolis_vector", (q, qd), parameters)

    def gravity_torque(self, q: Any, gravity: Any = None, *, parameters: Any = None) -> Any:
        """What the actuators must supply to hold still."""
        return self._run_in_world("gravity_torque", (q,), parameters, gravity)

    def friction_torque(self, qd: Any, *, parameters: Any = None) -> Any:
        """What the actuators must supply to overcome friction."""
        return self._run("friction_torque", (qd,), parameters)

    def spring_torque(self, q: Any, *, parameters: Any = None) -> Any:
        """What the actuators must supply to hold the joint springs."""
        return self._run("spring_torque", (q,), parameters)

    def kinetic_energy(self, q: Any, qd: Any, *, parameters: Any = None) -> Any:
        """Of all links and rotors: one number for each state."""
        return self._run("kinetic_energy", (q, qd), parameters)

    def potential_energy(self, q: Any, gravity: Any = None, *, parameters: Any = None) -> Any:
        """Zero with the mass centre at the world's origin: one number for each state."""
        return self._run_in_world("potential_energy", (q,), parameters, gravity)

    def joint_wrenches(
        self,
        q: Any,
        qd: Any,
        qdd: Any,
        external: External | None = None,
        gravity: Any = None,
        *,
        parameters: Any = None,
    ) -> Any:
        """Moment and force of each parent on its child, in the child's axes, at the joint: (..., links, 6)."""
        if self.robot.model.loops:
            raise InputError("joint_wrenches: not for robots with closed loops, where some components are undetermined")
        return self._run_in_world("joint_wrenches", (q, qd, qdd), parameters, gravity, external)

    def regressor(self, q: Any, qd: Any, qdd: Any, gravity: Any = None, *, parameters: Any = None) -> Any:
        """Y, (..., dof, 10 links): Y @ robot.parameters is the torque without friction, armature and springs."""
        return self._run_in_world("regressor", (q, qd, qdd), parameters, gravity)

    def inverse_dynamics_derivatives(self, q: Any, qd: Any, qdd: Any, *, parameters: Any = None) -> Any:
        """dtau/dq (in the tangent space) and dtau/dqd."""
        return self._run("inverse_dynamics_derivatives", (q, qd, qdd), parameters)

    def forward_dynamics_derivatives(self, q: Any, qd: Any, tau: Any, *, parameters: Any = None) -> Any:
        """dqdd/dq (in the tangent space), dqdd/dqd and dqdd/dtau."""
        return self._run("forward_dynamics_derivatives", (q, qd, tau), parameters)

    # --- helpers ----------------------------------------------------------------------------------------------

    def _run_in_world(
        self,
        algorithm: str,
        state: tuple[Any, ...],
        parameters: Any,
        gravity: Any = None,
        external: External | None = None,
        payload: Any = None,
    ) -> Any:
        if gravity is None and external is None and payload is None:
            return self._run(algorithm, state, parameters)
        used, values = world_inputs(self.robot.named_frame, gravity, external, payload)
        key = self._key(algorithm, None, used["gravity"], used["external"], used["payload"])
        return self._answer(key, (*state, *values), parameters)

    def _run_at(self, algorithm: str, link: LinkName, values: tuple[Any, ...], parameters: Any) -> Any:
        return self._answer(self._key(algorithm, self.robot.frame_name(link)), values, parameters)

    def _run(self, algorithm: str, values: tuple[Any, ...], parameters: Any) -> Any:
        return self._answer(self._key(algorithm), values, parameters)

    def _answer(self, key: str, values: tuple[Any, ...], parameters: Any) -> Any:
        nominal = self._nominal
        if nominal is not None:
            values = (*values, nominal if parameters is None else parameters)
        elif parameters is not None:
            raise InputError(f"parameters: {NOT_FREE}")
        found = self._call(key, values)
        return found[0] if len(found) == 1 else found

    def _key(
        self,
        algorithm: str,
        frame: str | None = None,
        gravity: bool = False,
        external: tuple[str, ...] = (),
        payload: bool = False,
    ) -> str:
        """The key of the plan of a task, which is made if need be."""
        asked = (algorithm, frame, gravity, external, payload)
        key = self._keys.get(asked)
        if key is None:
            plan = self._made(Task(*asked))
            key = self._keys[asked] = plan.key
            self._plans[key] = plan
        return key

    def _made(self, task: Task) -> Plan:
        """The plan of a task, or the error that the robot's own method raises."""
        robot, evaluator = self.robot, self.robot.evaluator
        source, model = Source.of(evaluator, task), evaluator.model
        if task.algorithm == "com":
            robot.com(robot.initial)
        if task.base.divides and may_be_singular(robot.model):
            plain = Task(task.algorithm)
            still = [robot.initial if name == "q" else [0.0] * width for name, width in plain.inputs(model)]
            evaluator(plain, still[: len(plain.base.state)])
        return Plan(source, source.name, tuple(task.inputs(model)))

    def _check_shapes(self, plan: Plan, values: Sequence[Any]) -> None:
        """That every value has the numbers of one state last."""
        for (name, width), value in zip(plan.inputs, values, strict=True):
            shape = tuple(value.shape)
            if not shape or shape[-1] != width:
                raise InputError(f"{name}: expected an array of shape ({width},) or (..., {width}), got shape {shape}")


def misfit(plan: Plan, values: Sequence[Any]) -> InputError:
    """For values whose dimensions in front do not broadcast."""
    shapes = ", ".join(f"{name} {tuple(value.shape)}" for (name, _), value in zip(plan.inputs, values, strict=True))
    return InputError(f"{plan.source.task.algorithm}: the numbers of states do not fit together: {shapes}")
