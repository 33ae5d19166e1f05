"""One robot, many states, several programs: how far apart they are."""

from __future__ import annotations

import importlib.util
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from redyn.description import Trust
from redyn.description.to_urdf import to_urdf
from redyn.dynamics.catalogue import CATALOGUE
from redyn.errors import RedynError, RedynWarning, SingularError
from redyn.robot import Robot, load
from redyn.verify.mujoco_peer import Mujoco
from redyn.verify.pinocchio_peer import Pinocchio

Array = NDArray[np.float64]

SNAPPED = 1e-7  # with right angles taken for right angles


class Peer(Protocol):
    """Another program, its conventions undone: it answers in redyn's."""

    name: str
    module: str
    package: str
    formats: tuple[str, ...]  # the files that it reads itself; others are written to URDF for it
    frees: bool  # whether it can set a robot free from the world itself; it is given a floating joint otherwise
    # Of the larger of 1 and the largest entry; forward dynamics times the condition of the mass matrix.
    tolerance: float
    damping: bool  # whether it has damping; none has redyn's Coulomb friction
    conventions: tuple[str, ...]

    def __init__(
        self, file: Path, names: Sequence[str], gravity: Array, armature: Array, free: bool = False
    ) -> None: ...
    def knows(self, frame: str) -> bool: ...
    def answers(self, q: Array, qd: Array, x: Array, frame: str | None) -> dict[str, Array]: ...


PEERS: tuple[type[Peer], ...] = (Pinocchio, Mujoco)


@dataclass(frozen=True)
class Row:
    """One quantity: the largest difference at any state, as a share of the larger of 1 and the largest entry."""

    quantity: str
    difference: float
    allowed: float
    note: str = ""

    @property
    def agrees(self) -> bool:
        return self.difference <= self.allowed


@dataclass(frozen=True)
class Comparison:
    """redyn beside one program; `skipped` says why nothing was compared."""

    peer: str
    version: str
    conventions: tuple[str, ...]
    rows: list[Row] = field(default_factory=list[Row])
    skipped: str = ""

    @property
    def agrees(self) -> bool:
        return all(row.agrees for row in self.rows)


def verify(
    source: str | Path,
    states: int = 100,
    exact: bool = True,
    floating_base: bool = False,
    allow_unphysical: bool = False,
    tick: Callable[[str], None] = lambda _: None,
    trust: Trust | None = None,
) -> tuple[Robot, list[Comparison]]:
    """Compare every quantity with what each installed program says, at random states."""
    robot = load(source, floating_base=floating_base, exact=exact, allow_unphysical=allow_unphysical, trust=trust)
    found: list[Comparison] = []
    for peer, version in installed():
        tick(f"{peer.name}: reading")
        try:
            rows = _rows(robot, _peer(robot, Path(source), peer, floating_base), states, exact, tick)
        except RedynError as error:
            found.append(Comparison(peer.name, version, (), skipped=str(error)))
        else:
            found.append(Comparison(peer.name, version, peer.conventions, rows))
    return robot, found


def installed() -> list[tuple[type[Peer], str]]:
    """The programs that are here, and their versions."""
    here = [(peer, metadata.version(peer.package)) for peer in PEERS if importlib.util.find_spec(peer.module)]
    if not here:
        raise RedynError("verify compares with other programs: pip install pin, or pip install 'redyn[mujoco]'")
    return here


def joint_names(robot: Robot) -> list[str]:
    """The joints as an exported URDF has them: those that are rows of single joints there by their parts."""
    joints = [link.joint for link in robot.model.driven if not link.joint.follows]
    return [joint.name if joint.coordinates > 1 else joint.label for joint in joints]


def _peer(robot: Robot, source: Path, kind: type[Peer], floating_base: bool) -> Peer:
    """A program that has read the user's own file where it can, and redyn's export of it to URDF otherwise."""
    armature = np.array([float(link.joint.armature) for link in robot.model.driven])  # pyright: ignore[reportArgumentType]
    with tempfile.TemporaryDirectory() as folder:
        file = source
        free = floating_base and kind.frees and file.suffix.lower() in kind.formats
        if file.suffix.lower() not in kind.formats or floating_base > free:
            file = Path(folder) / "robot.urdf"
            bare = [link.model_copy(update={"visual": [], "collision": []}) for link in robot.description.links]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RedynWarning)  # of what URDF cannot hold and does not matter here
                file.write_text(to_urdf(robot.description.model_copy(update={"links": bare})), "utf-8")
        return kind(file, joint_names(robot), robot.gravity, armature, free)


def _rows(robot: Robot, peer: Peer, states: int, exact: bool, tick: Callable[[str], None]) -> list[Row]:
    robot = _without_coulomb(robot, peer.damping, exact)
    names = [robot.model.end_effector, *reversed(robot.link_names), *reversed(robot.frame_names)]
    frame = next((name for name in names if name is not None and peer.knows(name)), None)
    away, qd, x = np.random.default_rng(0).uniform(-2, 2, (3, states, robot.dof))
    q = robot.integrate(robot.neutral(), away)
    tick(f"{peer.name}: answering")
    theirs = [peer.answers(*state, frame) for state in zip(q, qd, x, strict=True)]
    condition = np.array([np.linalg.cond(answer["mass_matrix"]) for answer in theirs])
    allowed = peer.tolerance if exact else SNAPPED
    rows: list[Row] = []
    for name, ours in _calls(robot, q, qd, x, frame).items():
        if name not in theirs[0]:
            continue
        tick(f"{peer.name}: {name}")
        try:
            values = ours()
        except SingularError as error:
            rows.append(Row(name, 0.0, allowed, f"not determined: {error}"))
            continue
        expected = np.stack([answer[name] for answer in theirs])
        scale = np.maximum(1.0, np.abs(expected).reshape(states, -1).max(axis=1))
        apart = np.abs(values - expected).reshape(states, -1).max(axis=1) / scale
        if name in CATALOGUE and CATALOGUE[name].base.divides:
            apart /= condition ** (2 if CATALOGUE[name].by else 1)
        rows.append(Row(name, float(apart.max()), allowed))
    return rows


def _without_coulomb(robot: Robot, damping: bool, exact: bool) -> Robot:
    """The same robot with its damping alone, or without friction altogether."""
    if not damping:
        return Robot(robot.description, friction=False, exact=exact)
    links = [
        link.model_copy(update={"joint": link.joint.model_copy(update={"coulomb": 0.0})})
        if link.joint.coulomb
        else link
        for link in robot.description.links
    ]
    return Robot(robot.description.model_copy(update={"links": links}), exact=exact)


def _calls(robot: Robot, q: Array, qd: Array, x: Array, frame: str | None) -> dict[str, Callable[[], Array]]:
    return {
        "inverse_dynamics": lambda: robot.inverse_dynamics(q, qd, x),
        "forward_dynamics": lambda: robot.forward_dynamics(q, qd, x),
        "mass_matrix": lambda: robot.mass_matrix(q),
        "gravity_torque": lambda: robot.gravity_torque(q),
        "coriolis_vector": lambda: robot.coriolis_vector(q, qd),
        "friction_torque": lambda: robot.friction_torque(qd),
        "kinetic_energy": lambda: robot.kinetic_energy(q, qd),
        "com": lambda: robot.com(q),
        "momentum": lambda: robot.momentum(q, qd),
        "inverse_dynamics_derivatives": lambda: np.stack(robot.inverse_dynamics_derivatives(q, qd, x), axis=1),
        "forward_dynamics_derivatives": lambda: np.stack(robot.forward_dynamics_derivatives(q, qd, x), axis=1),
        "forward_kinematics": lambda: robot.forward_kinematics(q, frame),
        "jacobian": lambda: robot.jacobian(q, frame),
    }
