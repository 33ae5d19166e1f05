"""Another program that has read the same robot."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from redyn.description.schema import RobotDescription
from redyn.description.to_urdf import to_urdf
from redyn.errors import RedynWarning
from redyn.robot import Robot

Array = NDArray[np.float64]
ClosedDynamics = Callable[[Array, Array, Array], Array]  # the accelerations of q, qd and tau, with loops closed


class Peer(Protocol):
    """Another program behind redyn's conventions."""

    name: str
    module: str
    package: str
    formats: tuple[str, ...]  # the files that it reads itself; others are written to URDF for it
    frees: bool  # whether it can let a robot's base move freely; otherwise it is given a floating joint
    # Of the larger of 1 and the largest entry; forward dynamics times the condition number of the mass matrix.
    tolerance: float
    damping: bool  # whether it has damping; none has redyn's Coulomb friction
    springs: bool  # whether it has the joint springs of the file that it has read
    conventions: tuple[str, ...]
    loop_conventions: tuple[str, ...]  # of robots with closed loops, in addition
    rigid_loops: bool  # whether loops stay closed there

    @classmethod
    def read(cls, file: Path, names: Sequence[str], gravity: Array, armature: Array, free: bool = False) -> Self: ...
    @classmethod
    def build(
        cls, description: RobotDescription, names: Sequence[str], gravity: Array, armature: Array, damping: Array
    ) -> Self:
        """The tree of a description, without a file."""
        ...

    def closed_forward_dynamics(self, description: RobotDescription) -> ClosedDynamics:
        """The accelerations with loops closed, of q, qd and tau; an error that says why there are none."""
        ...

    def knows(self, frame: str) -> bool: ...
    def answers(self, q: Array, qd: Array, x: Array, frame: str | None) -> dict[str, Array]: ...


P = TypeVar("P", bound=Peer)


def joint_names(robot: Robot) -> list[str]:
    """The joints as an exported URDF names them; one that becomes several there is named by its parts."""
    joints = [link.joint for link in robot.model.driven if not link.joint.continues]
    return [joint.label if joint.single else joint.name for joint in joints]


def read(kind: type[P], robot: Robot, source: Path | None = None, floating_base: bool = False) -> P:
    """A program that has read the robot's own file where it can, and redyn's export of the robot to URDF otherwise.

    A robot with loops, which Pinocchio does not read, it is given body by body.
    """
    armature = np.array([float(link.joint.armature) for link in robot.model.driven])  # pyright: ignore[reportArgumentType]
    if robot.loops:
        damping = np.array([float(link.joint.damping) for link in robot.model.driven])  # pyright: ignore[reportArgumentType]
        return kind.build(robot.description, joint_names(robot), robot.gravity, armature, damping)
    readable = source is not None and source.suffix.lower() in kind.formats
    with tempfile.TemporaryDirectory() as folder:
        if source is None or not readable or (floating_base and not kind.frees):
            file, free = Path(folder) / "robot.urdf", False
            bare = [link.model_copy(update={"visual": [], "collision": []}) for link in robot.description.links]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RedynWarning)  # about what URDF cannot hold, which is set below
                file.write_text(to_urdf(robot.description.model_copy(update={"links": bare})), "utf-8")
        else:
            file, free = source, floating_base
        return kind.read(file, joint_names(robot), robot.gravity, armature, free)


def common_frame(peer: Peer, robot: Robot) -> str | None:
    """A frame that both know: the end effector, or else the last link or frame; None if there is none."""
    names = [robot.model.end_effector, *reversed(robot.link_names), *reversed(robot.frame_names)]
    return next((name for name in names if name is not None and peer.knows(name)), None)
