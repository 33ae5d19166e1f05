"""The largest difference between redyn and each installed program, over many states of one robot."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from redyn.description import Trust
from redyn.dynamics.catalogue import CATALOGUE
from redyn.errors import RedynError, SingularError
from redyn.robot import Robot, load
from redyn.verify.closed import loop_rows
from redyn.verify.mujoco_peer import Mujoco
from redyn.verify.peers import Peer, common_frame, read
from redyn.verify.pinocchio_peer import Pinocchio
from redyn.verify.row import Row, States, compared

Array = NDArray[np.float64]

TRIES = 20  # random configurations, one of which is not singular
ON_WHEELS = "wheels: the tree without them is compared, since neither program rolls"
RIGID = "flexible links and elastic gears: the rigid robot is compared, since neither program has them"
SNAPPED = 1e-7  # tolerance if nearly right angles are taken for right angles


PEERS: tuple[type[Peer], ...] = (Pinocchio, Mujoco)


@dataclass(frozen=True)
class Comparison:
    """redyn and one program; `skipped` says why nothing was compared."""

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
    """Compare every quantity with each installed program, at random states."""
    robot = load(source, floating_base=floating_base, exact=exact, allow_unphysical=allow_unphysical, trust=trust)
    peers = installed()
    tick("choosing states")
    # Neither program rolls: of a robot on wheels, what it is made of is compared.
    compared_robot, whole = rigid_tree(robot), (ON_WHEELS,) if robot.model.contacts else ()
    if gives(robot):
        whole = (*whole, RIGID)
    at = random_states(compared_robot, states)
    found: list[Comparison] = []
    for peer, version in peers:
        tick(f"{peer.name}: reading")
        try:
            peer_robot = read(peer, compared_robot, Path(source), floating_base)
            rows = _rows(compared_robot, peer_robot, at, exact, tick)
        except RedynError as error:
            found.append(Comparison(peer.name, version, (), skipped=str(error)))
        else:
            conventions = peer.conventions + (peer.loop_conventions if robot.loops else ())
            found.append(Comparison(peer.name, version, conventions + whole, rows))
    return robot, found


def gives(robot: Robot) -> bool:
    """Whether links bend or gears give."""
    return any(link.flexible is not None or link.joint.elastic is not None for link in robot.description.links)


def rigid_tree(robot: Robot) -> Robot:
    """What other programs have of a robot: rigid, and without wheels that roll."""
    bare = robot.tree if robot.model.contacts else robot
    return bare.rigid() if gives(robot) else bare


def random_states(robot: Robot, count: int) -> States:
    """Random states; where loops are closed, q and qd keep them so, and only the actuators act."""
    rng = np.random.default_rng(0)
    away, qd, x = rng.uniform(-2, 2, (3, count, robot.dof))
    if not robot.loops:
        return States(robot.integrate(robot.neutral(), away), qd, x)
    q = np.array([_regular(robot, rng) for _ in range(count)])
    qd = np.einsum("nij,nj->ni", robot.transmission(q), qd[:, : robot.mobility])
    driven = np.isin(np.arange(robot.dof), robot.driven_rates)
    return States(q, qd, x * driven)


def _regular(robot: Robot, rng: np.random.Generator) -> Array:
    """A random closed configuration at which the independent rates determine the others."""
    for _ in range(TRIES):
        q = robot.random(rng)
        try:
            robot.transmission(q)
        except SingularError:
            continue
        return q
    raise RedynError(f"{robot.name}: no configuration was found that is not singular; nothing can be compared")


def installed() -> list[tuple[type[Peer], str]]:
    """The programs that are installed, with their versions."""
    here = [(peer, metadata.version(peer.package)) for peer in PEERS if importlib.util.find_spec(peer.module)]
    if not here:
        raise RedynError("verify compares with other programs: pip install pin, or pip install 'redyn[mujoco]'")
    return here


def _rows(robot: Robot, peer: Peer, states: States, exact: bool, tick: Callable[[str], None]) -> list[Row]:
    robot = _without_coulomb(robot if peer.springs else _without(robot, "stiffness", exact), peer.damping, exact)
    frame = common_frame(peer, robot)
    tick(f"{peer.name}: answering")
    theirs = [peer.answers(*state, frame) for state in zip(*states, strict=True)]
    condition = np.array([np.linalg.cond(answer["mass_matrix"]) for answer in theirs])
    allowed = peer.tolerance if exact else SNAPPED
    rows: list[Row] = []
    for name, ours in _calls(robot.tree, *states, frame).items():
        if name not in theirs[0]:
            continue
        tick(f"{peer.name}: {name}")
        title = f"{name} of the tree" if robot.loops and CATALOGUE[name].closed is not None else name
        expected = np.stack([answer[name] for answer in theirs])
        inverted = CATALOGUE[name].base.divides * (2 if CATALOGUE[name].by else 1)
        rows.append(compared(title, ours, expected, allowed, condition**inverted))
    if robot.loops:
        tick(f"{peer.name}: closed loops")
        rows += loop_rows(robot, peer, states, allowed, condition)
    return rows


def _without_coulomb(robot: Robot, damping: bool, exact: bool) -> Robot:
    """The same robot without Coulomb friction, or without any friction."""
    if not damping:
        return Robot(robot.description, friction=False, exact=exact)
    return _without(robot, "coulomb", exact)


def _without(robot: Robot, field: str, exact: bool) -> Robot:
    """The same robot with a field of its joints set to zero."""
    links = [
        link.model_copy(update={"joint": link.joint.model_copy(update={field: 0.0})})
        if getattr(link.joint, field)
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
        "spring_torque": lambda: robot.spring_torque(q),
        "kinetic_energy": lambda: robot.kinetic_energy(q, qd),
        "com": lambda: robot.com(q),
        "momentum": lambda: robot.momentum(q, qd),
        "inverse_dynamics_derivatives": lambda: np.stack(robot.inverse_dynamics_derivatives(q, qd, x), axis=1),
        "forward_dynamics_derivatives": lambda: np.stack(robot.forward_dynamics_derivatives(q, qd, x), axis=1),
        "forward_kinematics": lambda: robot.forward_kinematics(q, frame),
        "jacobian": lambda: robot.jacobian(q, frame),
    }
