"""Robots that drop and stand, against MuJoCo: time per simulated second where both are equally accurate.

Each program has its own law of contact, so each is compared with itself: its error is the largest difference, over the
run, of the height of the base from what its own much shorter steps give. Its longest step within a bound counts.
"""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from fnmatch import fnmatch
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.bench.timing import interleaved
from redyn.description.packages import robots_folder
from redyn.description.schema import RobotDescription
from redyn.description.transforms import as_frames
from redyn.dynamics.task import Task
from redyn.errors import InputError, RedynError, RedynWarning
from redyn.evaluate.ground import Ground
from redyn.kernels.machine import lane_width, processor
from redyn.kernels.runge_kutta import Method
from redyn.robot import Robot, load
from redyn.simulation import simulate, simulate_batch
from redyn.simulation.controllers import PD, pd
from redyn.verify.mujoco_build import mujoco_spec
from redyn.verify.mujoco_peer import Mujoco
from redyn.verify.peers import joint_names

Array = NDArray[np.float64]

BOUND = 1e-4  # m
DURATION, SAMPLE, DROP = 1.0, 0.01, 0.02  # s, s, m
MANY, STATES = 256, 4096  # motions, and states of the forward dynamics alone
STEPS = (5e-3, 2.5e-3, 2e-3, 1e-3, 5e-4, 4e-4, 2.5e-4, 2e-4, 1.25e-4, 1e-4, 8e-5, 6.25e-5, 5e-5, 2.5e-5)
REFERENCE = 1.25e-5  # for both, by RK4
METHODS: tuple[Method, ...] = ("rk4", "rkc")
INTEGRATORS = ("Euler", "implicitfast", "RK4")
STAGES = ("accuracy", "time")
LAW = {"slip": 0.05}
LEAST_MOMENT = 1e-12  # kg m^2, of a link in MuJoCo


@dataclass(frozen=True)
class Stand:
    """A robot of example-robot-data, what of it may touch the ground, and how it stands."""

    file: str
    contacts: tuple[Mapping[str, object], ...]
    pose: Mapping[str, float]  # by patterns of joint names, the first that matches; else 0
    kp: float
    kd: float


ROBOTS = {
    "hyq": Stand(
        "hyq_description/robots/hyq_no_sensors.urdf",
        tuple({"link": f"{leg}_foot", "radius": 0.02} for leg in ("lf", "rf", "lh", "rh")),
        {"?f_hfe*": 0.75, "?h_hfe*": -0.75, "?f_kfe*": -1.5, "?h_kfe*": 1.5},
        800.0,
        25.0,
    ),
    "solo12": Stand(
        "solo_description/robots/solo12.urdf",
        tuple({"link": f"{leg}_FOOT", "radius": 0.016} for leg in ("FL", "FR", "HL", "HR")),
        {"F?_HFE": 0.8, "H?_HFE": -0.8, "F?_KFE": -1.6, "H?_KFE": 1.6},
        4.0,
        0.1,
    ),
    "g1": Stand(
        "g1_description/urdf/g1_29dof_rev_1_0.urdf",
        tuple({"link": f"{side}_ankle_roll_link", "collision": True} for side in ("left", "right")),
        {"*hip_pitch*": -0.2, "*knee*": 0.4, "*ankle_pitch*": -0.2},
        200.0,
        5.0,
    ),
}


@dataclass(frozen=True)
class Theirs:
    """MuJoCo's way that is quickest within the bound."""

    integrator: str
    step: float
    error: float  # m
    seconds: float  # of computing per simulated second


@dataclass(frozen=True)
class GroundRow:
    """One robot. Seconds are those of one core."""

    robot: str
    dof: int
    contacts: int
    method: Method
    step: float
    error: float  # m
    seconds: float  # of computing per simulated second and robot
    feet: float  # what contacts add to the forward dynamics, as a share of it
    sink: float  # m, at the end, of the contact that is deepest
    carried: float  # normal forces at the end over the weight
    balance: float  # J, the worst error of energy of a run by dopri5, rtol 1e-9
    mujoco: Theirs | None
    tried: dict[str, dict[str, float]]  # errors, by method and step

    @property
    def real_time(self) -> float:
        return 1.0 / self.seconds

    @property
    def ratio(self) -> float | None:
        return None if self.mujoco is None else self.mujoco.seconds / self.seconds


@dataclass(frozen=True)
class GroundReport:
    processor: str
    lanes: int
    bound: float
    duration: float
    rows: list[GroundRow]

    def to_data(self) -> dict[str, object]:
        data = asdict(self)
        for row, measured in zip(data["rows"], self.rows, strict=True):
            row["mujoco_over_redyn"], row["times_real_time"] = measured.ratio, measured.real_time
        return data


def available() -> list[str]:
    folder = robots_folder()
    return [name for name, stand in ROBOTS.items() if folder and (folder / stand.file).is_file()]


def compare_ground(
    robots: list[str], seconds: float, tick: Callable[[str], None] = lambda _: None, bound: float = BOUND
) -> GroundReport:
    """Measure every robot, for some seconds each."""
    if not robots:
        raise InputError("bench ground: its robots come from example-robot-data: pip install example-robot-data pin")
    for name in robots:
        if name not in ROBOTS:
            raise InputError(f"bench ground: expected robots among {', '.join(ROBOTS)}, got {name!r}")
    rows = [_measure(name, seconds, tick, bound) for name in robots]
    _, cpu, _ = processor()
    return GroundReport(cpu, lane_width(), bound, DURATION, rows)


@dataclass(frozen=True)
class Standing:
    """A robot above the ground and what holds its joints."""

    robot: Robot
    ground: Ground
    control: PD
    q: Array

    def heights(self, step: float, method: Method = "rk4") -> Array:
        """Of the base over time, (samples,)."""
        found = simulate_batch(
            self.robot, self.q, np.zeros(self.robot.dof), DURATION, self.control, step, SAMPLE, ground=self.ground,
            method=method, threads=1, check=False, progress=False,
        )  # fmt: skip
        return found.q[:, 0, 2]


def standing(name: str) -> Standing:
    """A robot as it is let go, on the default ground but for a slip of 0.05 m/s."""
    stand, folder = ROBOTS[name], robots_folder()
    if folder is None or not (folder / stand.file).is_file():
        raise InputError(f"{name} comes from the package example-robot-data: pip install example-robot-data pin")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedynWarning)
        plain = load(folder / stand.file, floating_base=True, friction=False)
        robot = plain.with_contacts([dict(contact) for contact in stand.contacts])
    target = [next((x for p, x in stand.pose.items() if fnmatch(j, p)), 0.0) for j in robot.joint_names[1:]]
    q = robot.neutral()
    q[7:] = target
    ground = robot.ground(LAW)
    q[2] = DROP - float(robot.contact_states(q, np.zeros(robot.dof), ground).gaps.min())
    return Standing(robot, ground, pd(robot, target, stand.kp, stand.kd), q)


def _measure(name: str, seconds: float, tick: Callable[[str], None], bound: float) -> GroundRow:
    tick(f"{name}: {STAGES[0]}")
    made = standing(name)
    robot, ground = made.robot, made.ground
    reference = made.heights(REFERENCE)
    ours: dict[Method, tuple[float, float, dict[str, float]]] = {
        m: _longest(partial(made.heights, method=m), STEPS, reference, bound) for m in METHODS
    }
    peer = MujocoStanding.of(made)
    theirs = None if peer is None else peer.ways(bound)
    tick(f"{name}: {STAGES[1]}")
    starts, still = np.tile(made.q, (MANY, 1)), np.zeros((MANY, robot.dof))
    starts[:, 2] += np.linspace(0.0, DROP, MANY)
    # Pieces of a run, whose cost is the same all along.
    spans = {m: step * max(10, round(0.02 / step)) for m, (step, _, _) in ours.items()}
    calls: dict[object, Callable[[], object]] = {
        m: partial(
            simulate_batch, robot, starts, still, spans[m], made.control, step, ground=ground, method=m, threads=1,
            check=False, progress=False,
        )
        for m, (step, _, _) in ours.items()
    }  # fmt: skip
    for way in theirs or []:
        assert peer is not None
        calls[way[0]] = peer.runner(way[0], way[1])
    calls |= _dynamics(robot, ground)
    best = interleaved(calls, seconds)
    run = simulate(robot, made.q, np.zeros(robot.dof), DURATION, made.control, "dopri5", rtol=1e-9, ground=ground)
    contacts = run.ground_contacts
    assert contacts is not None
    found = [Theirs(*way, best[way[0]] / DURATION) for way in theirs or []]
    quickest = min(METHODS, key=lambda m: best[m] / spans[m])
    return GroundRow(
        robot=name,
        dof=robot.dof,
        contacts=len(ground.names),
        method=quickest,
        step=ours[quickest][0],
        error=ours[quickest][1],
        seconds=best[quickest] / MANY / spans[quickest],
        feet=best["standing"] / best["plain"] - 1,
        sink=float(-contacts.gaps[-1].min()),
        carried=float(contacts.normal_forces[-1].sum() / ground.weight),
        balance=float(np.abs(run.energy.balance).max()),
        mujoco=min(found, key=lambda way: way.seconds, default=None),
        tried={m: tried for m, (_, _, tried) in ours.items()},
    )


def _dynamics(robot: Robot, ground: Ground) -> dict[object, Callable[[], object]]:
    """The forward dynamics alone, with contacts and without, as kernels on the same states."""
    rng = np.random.default_rng(0)
    q = robot.integrate(robot.neutral(), rng.uniform(-0.3, 0.3, (STATES, robot.dof)))
    qd, tau = rng.uniform(-1, 1, (2, STATES, robot.dof))
    tasks = {"plain": Task("forward_dynamics"), "standing": Task("forward_dynamics", ground=ground.form)}
    rows = np.tile(ground.numbers, (STATES, 1))
    kernels, out = robot.evaluator.kernels, np.empty((STATES, robot.dof))
    return {
        name: partial(kernels.get(task), [q, qd, tau, *([rows] if task.ground else [])], [out])
        for name, task in tasks.items()
    }


def _longest(
    heights: Callable[[float], Array | None], steps: tuple[float, ...], reference: Array, bound: float
) -> tuple[float, float, dict[str, float]]:
    """The longest step within the bound, its error, and the errors of those that were tried."""
    tried: dict[str, float] = {}
    for step in steps:
        found = heights(step)
        error = float("inf") if found is None else float(np.abs(found - reference).max())
        tried[f"{step:g}"] = error = error if np.isfinite(error) else float("inf")
        if error < bound:
            return step, error, tried
    raise RedynError(f"no step down to {steps[-1]:g} s keeps the height within {bound:g} m")


def _solid(description: RobotDescription) -> RobotDescription:
    """With moments of inertia that MuJoCo accepts, where a file has links that are thinner than a rod."""
    links = [link.model_copy(update={"inertia": _thick(link.inertia)}) for link in as_frames(description).links]
    return as_frames(description).model_copy(update={"links": links})


def _thick(inertia: tuple[float, ...] | None) -> tuple[float, ...] | None:
    if inertia is None:
        return None
    xx, xy, xz, yy, yz, zz = inertia
    moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    if moments[0] > LEAST_MOMENT and moments[0] + moments[1] > moments[2]:
        return inertia
    tensor = axes @ np.diag(np.maximum(moments, max(0.500001 * moments[2], LEAST_MOMENT))) @ axes.T
    return tuple(float(tensor[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))


def _ignored(message: str) -> None:
    """A warning of MuJoCo's."""


class MujocoStanding:
    """The same robot in MuJoCo: its contacts as spheres on a plane, position servos with the same gains."""

    def __init__(self, made: Standing) -> None:
        mujoco: Any = importlib.import_module(Mujoco.module)
        robot, control = made.robot, made.control
        spec = mujoco_spec(_solid(robot.description))
        spec.compiler.fusestatic = True
        friction = [made.ground.friction, 0.0, 0.0]
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], friction=friction, condim=3, contype=1, conaffinity=0
        )
        frames = robot.forward_kinematics
        still = robot.neutral()
        for point in robot.model.contact_points:
            link = robot.model.links[point.link - 1].name
            back = np.linalg.inv(frames(still, link))
            centre = robot.contact_states(still, np.zeros(robot.dof), made.ground)
            k = robot.contact_names.index(point.name)
            at = centre.points[k] + point.radius * centre.normals[k]
            spec.body(link).add_geom(
                type=mujoco.mjtGeom.mjGEOM_SPHERE,
                size=[point.radius, 0, 0],
                pos=(back @ [*at, 1.0])[:3],
                friction=friction,
                condim=3,
                contype=0,
                conaffinity=1,
                mass=0.0,
            )
        for name, kp, kd in zip(robot.joint_names[1:], control.kp, control.kd, strict=True):
            servo = spec.add_actuator(name=name, target=name, trntype=mujoco.mjtTrn.mjTRN_JOINT)
            servo.set_to_position(kp=float(kp), kv=float(kd))
        try:
            model = spec.compile()
        except ValueError as error:
            raise RedynError(f"MuJoCo does not accept it: {error}") from None
        self._peer = Mujoco(model, joint_names(robot), robot.gravity, by_name=True)
        flags = mujoco.mjtDisableBit
        model.opt.disableflags &= ~(int(flags.mjDSBL_CONSTRAINT) | int(flags.mjDSBL_ACTUATION))
        mujoco.set_mju_user_warning(_ignored)  # steps that diverge are expected, and found
        self._mujoco, self._model, self._data = mujoco, model, self._peer.data
        self._servos = [model.actuator(name).id for name in robot.joint_names[1:]]
        self._targets, self._start = control.target, self._peer.q(made.q)

    @classmethod
    def of(cls, made: Standing) -> MujocoStanding | None:
        """None if it is not installed, or does not take the robot."""
        if importlib.util.find_spec(Mujoco.module) is None:
            return None
        try:
            return cls(made)
        except RedynError:
            return None

    def _begin(self, integrator: str, step: float) -> None:
        kinds = self._mujoco.mjtIntegrator
        self._model.opt.integrator = getattr(kinds, f"mjINT_{integrator.upper()}")
        self._model.opt.timestep = step
        self._mujoco.mj_resetData(self._model, self._data)
        self._data.qpos[:] = self._start
        self._data.ctrl[self._servos] = self._targets

    def heights(self, integrator: str, step: float) -> Array | None:
        """Of the base over time; None if it diverges."""
        self._begin(integrator, step)
        found = [float(self._data.qpos[2])]
        for _ in range(round(DURATION / SAMPLE)):
            self._mujoco.mj_step(self._model, self._data, nstep=round(SAMPLE / step))
            found.append(float(self._data.qpos[2]))
        return None if any(warning.number for warning in self._data.warning) else np.array(found)

    def ways(self, bound: float) -> list[tuple[str, float, float]]:
        """Of every integrator that keeps within the bound: its name, longest step and error."""
        reference = self.heights("RK4", REFERENCE)
        found: list[tuple[str, float, float]] = []
        for integrator in INTEGRATORS if reference is not None else ():
            assert reference is not None
            try:
                step, error, _ = _longest(partial(self.heights, integrator), STEPS, reference, bound)
            except RedynError:
                continue
            found.append((integrator, step, error))
        return found

    def runner(self, integrator: str, step: float) -> Callable[[], object]:
        """A whole run in one call."""

        def run() -> None:
            self._begin(integrator, step)
            self._mujoco.mj_step(self._model, self._data, nstep=round(DURATION / step))

        return run
