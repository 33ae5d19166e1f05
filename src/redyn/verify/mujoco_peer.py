"""MuJoCo, in redyn's order of joints and with its conventions.

Contacts, limits, Coulomb friction, tendons, equalities, actuators and fluids are switched off: redyn has none
of them in its recursions. Damping, armature and the springs of hinges and slides stay.

A free joint is where the two differ most. MuJoCo's q has the quaternion as w x y z and its speeds are [velocity of the
origin in world axes; angular velocity in body axes]; redyn's q has it as x y z w and its speeds are [angular; linear],
both in body axes. So MuJoCo's speeds are S(q) times redyn's, its accelerations S(q) times redyn's plus a drift,
and redyn's torques are S(q)^T times MuJoCo's.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from redyn.description.mjcf_compile import compiled
from redyn.description.schema import RobotDescription
from redyn.errors import RedynError
from redyn.verify.mujoco_build import mujoco_spec
from redyn.verify.peers import ClosedDynamics
from redyn.words import counted

Array = NDArray[np.float64]

FREE, BALL = 0, 1  # mjJNT_FREE, mjJNT_BALL
IGNORED = ("tendon_stiffness", "tendon_damping", "tendon_armature", "body_gravcomp")


class Mujoco:
    """A MuJoCo model that answers one state at a time; each difference of convention is undone in one place."""

    name: str = "MuJoCo"
    module: str = "mujoco"
    package: str = "mujoco"
    formats: tuple[str, ...] = (".urdf", ".xml", ".mjcf")
    tolerance: float = 1e-11
    frees: bool = False
    rigid_loops: bool = False
    damping: bool = True
    fuse: bool = False  # whether fixed links of a URDF are merged: quicker, but their frames are then unknown
    conventions: tuple[str, ...] = (
        "joints are matched by name in a URDF, by their order in an MJCF, where both programs keep the file's",
        "Jacobians: redyn has angular rows first; MuJoCo gives the two halves apart",
        "momentum: about the world's origin in redyn, about the mass centre in MuJoCo",
        "the mass centre leaves out what is fixed to the world, whose mass MuJoCo counts",
        "a free joint: MuJoCo's quaternion is w x y z, its velocity is [linear, world axes; angular, body axes]",
        "damping acts in both; Coulomb friction, a constraint in MuJoCo, is left out in both",
        "contacts, limits, tendons, equalities, actuators and fluids are switched off in MuJoCo",
        "springs of hinges and slides act in both; URDF has none, so they are left out in both there",
        "armature is part of both mass matrices; URDF has none, so MuJoCo is given redyn's there",
        "armature of a free joint: MuJoCo has it on accelerations in world axes, which adds armature * (omega x v)",
        "gravity is redyn's in both",
        "derivatives: MuJoCo has them by differences only, so they are not compared",
    )
    loop_conventions: tuple[str, ...] = (
        "loops: MuJoCo is given the tree of redyn's description body by body, and compared with the tree",
    )

    def __init__(self, model: Any, names: Sequence[str], gravity: Array, by_name: bool) -> None:
        """`names` are redyn's joints in redyn's order; joints match by name or, without `by_name`, in order."""
        self.mujoco: Any = importlib.import_module(self.module)
        self.model = model
        theirs = [model.joint(j).name for j in range(model.njnt)]
        if by_name and sorted(theirs) != sorted(names):
            raise RedynError(f"MuJoCo has the joints {', '.join(theirs)}, redyn {', '.join(names)}")
        if len(theirs) != len(names):
            raise RedynError(f"MuJoCo has {counted(len(theirs), 'joint')}, redyn {len(names)}")
        self.joints = [theirs.index(name) for name in names] if by_name else list(range(model.njnt))
        self.data = self.mujoco.MjData(model)
        model.opt.gravity[:] = gravity
        model.opt.density = model.opt.viscosity = 0.0
        flags = self.mujoco.mjtDisableBit  # what the file disables stays off
        model.opt.disableflags |= int(flags.mjDSBL_CONSTRAINT) | int(flags.mjDSBL_ACTUATION)
        for field in IGNORED:
            values = getattr(model, field, None)  # the newer ones are not in every mujoco
            if values is not None:
                values[:] = 0.0
        model.jnt_stiffness[model.jnt_type <= BALL] = 0.0  # redyn has springs at single values only
        self.springs: bool = True

    @classmethod
    def read(cls, file: Path, names: Sequence[str], gravity: Array, armature: Array, free: bool = False) -> Self:
        """From an MJCF or a URDF."""
        assert not free
        urdf = b"<robot" in file.read_bytes()  # whatever it is called
        peer = cls(from_urdf(file, cls.fuse) if urdf else compiled(file), names, gravity, by_name=urdf)
        if urdf:
            peer.springs = False
            peer._set(peer.model.dof_armature, armature)
        return peer

    @classmethod
    def build(
        cls, description: RobotDescription, names: Sequence[str], gravity: Array, armature: Array, damping: Array
    ) -> Self:
        """From redyn's description, without loops and springs."""
        peer = cls(_compiled(lambda _: mujoco_spec(description)), names, gravity, by_name=True)
        peer.springs = False
        peer._set(peer.model.dof_armature, armature)
        peer._set(peer.model.dof_damping, damping)
        return peer

    def _set(self, theirs: Array, values: Array) -> None:
        """A field of the velocities, from redyn's, which is the same number for all velocities of a joint."""
        at = 0
        for kind, _, row in self._slices():
            width = {FREE: 6, BALL: 3}.get(kind, 1)
            theirs[row : row + width] = values[at]
            at += width

    def closed_forward_dynamics(self, description: RobotDescription) -> ClosedDynamics:
        raise RedynError("MuJoCo's loops are soft constraints, which give way under load")

    def knows(self, frame: str) -> bool:
        return self.mujoco.mj_name2id(self.model, self.mujoco.mjtObj.mjOBJ_BODY, frame) > 0

    def _slices(self) -> list[tuple[int, int, int]]:
        """Of every joint in redyn's order: its kind, and where it begins in MuJoCo's qpos and qvel."""
        model = self.model
        return [(int(model.jnt_type[j]), int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])) for j in self.joints]

    def q(self, q: Array) -> Array:
        theirs, at = np.empty(self.model.nq), 0
        for kind, start, _ in self._slices():
            width = {FREE: 7, BALL: 4}.get(kind, 1)
            values = q[at : at + width]
            if kind in (FREE, BALL):  # x y z w becomes w x y z
                values = np.concatenate([values[:-4], values[-1:], values[-4:-1]])
            theirs[start : start + width] = values
            at += width
        return theirs

    def speeds(self, theirs: Array) -> Array:
        """S: MuJoCo's speeds are S times redyn's."""
        S, at = np.zeros((self.model.nv, self.model.nv)), 0
        for kind, start, row in self._slices():
            if kind == FREE:
                S[row : row + 3, at + 3 : at + 6] = self._rotation(theirs[start + 3 : start + 7])
                S[row + 3 : row + 6, at : at + 3] = np.eye(3)
            else:
                width = 3 if kind == BALL else 1
                S[row : row + width, at : at + width] = np.eye(width)
            at += {FREE: 6, BALL: 3}.get(kind, 1)
        return S

    def state(self, q: Array, qd: Array, x: Array) -> list[Array]:
        """MuJoCo's qpos, qvel, and accelerations or torques; of robots without free joints, where S is constant."""
        theirs = self.q(q)
        S = self.speeds(theirs)
        return [theirs, S @ qd, S @ x]

    def _drift(self, theirs: Array, qd: Array) -> Array:
        """MuJoCo's accelerations less S times redyn's: the axes of the linear velocity rotate with the body."""
        drift, at = np.zeros(self.model.nv), 0
        for kind, start, row in self._slices():
            if kind == FREE:
                turning = np.cross(qd[at : at + 3], qd[at + 3 : at + 6])
                drift[row : row + 3] = self._rotation(theirs[start + 3 : start + 7]) @ turning
            at += {FREE: 6, BALL: 3}.get(kind, 1)
        return drift

    def _rotation(self, quaternion: Array) -> Array:
        R = np.empty(9)
        self.mujoco.mju_quat2Mat(R, np.ascontiguousarray(quaternion))
        return R.reshape(3, 3)

    def answers(self, q: Array, qd: Array, x: Array, frame: str | None) -> dict[str, Array]:
        """Everything that is compared, at one state; x is an acceleration or a torque, as needed."""
        mujoco, model, data = self.mujoco, self.model, self.data
        at = self.q(q)
        S, drift = self.speeds(at), self._drift(at, qd)
        rotors = model.dof_armature * drift  # armature acts on MuJoCo's accelerations, drift included
        back = np.linalg.inv(S)
        data.qpos[:], data.qvel[:] = at, 0.0
        mujoco.mj_forward(model, data)
        gravity, springs = data.qfrc_bias.copy(), -data.qfrc_passive  # at rest, springs are all that is passive
        data.qpos[:], data.qvel[:], data.qacc[:] = at, S @ qd, S @ x + drift
        mujoco.mj_inverse(model, data)
        needed = data.qfrc_inverse - rotors
        data.qfrc_applied[:] = back.T @ x + rotors
        mujoco.mj_forward(model, data)
        M = self._matrix(lambda row, unit: mujoco.mj_mulM(model, data, row, unit))
        found = {
            "inverse_dynamics": S.T @ needed,
            "forward_dynamics": back @ (data.qacc - drift),
            "mass_matrix": S.T @ M @ S,
            "gravity_torque": S.T @ gravity,
            "coriolis_vector": S.T @ (data.qfrc_bias - gravity + M @ drift - rotors),
            "friction_torque": -S.T @ (data.qfrc_passive + springs),
            "kinetic_energy": np.array(0.5 * data.qvel @ M @ data.qvel),
        }
        if model.jnt_stiffness.any():
            found["spring_torque"] = S.T @ springs
        return found | self._whole() | (self._frame(frame, S) if frame is not None else {})

    def _matrix(self, multiply: Callable[[Array, Array], object]) -> Array:
        rows = np.empty((self.model.nv, self.model.nv))
        for row, unit in zip(rows, np.eye(self.model.nv), strict=True):
            multiply(row, unit)
        return rows.T

    def _whole(self) -> dict[str, Array]:
        """Mass centre of the moving bodies, and momentum about the origin; MuJoCo's is about the mass centre."""
        model, data = self.model, self.data
        moving = model.body_weldid != 0
        mass = model.body_mass * moving
        self.mujoco.mj_subtreeVel(model, data)
        linear = model.body_subtreemass[0] * data.subtree_linvel[0]
        angular = data.subtree_angmom[0] + np.cross(data.subtree_com[0], linear)
        centre = mass @ data.xipos / mass.sum() if mass.sum() else np.zeros(3)
        return {"com": centre, "momentum": np.concatenate([angular, linear])}

    def _frame(self, frame: str, S: Array) -> dict[str, Array]:
        body = self.model.body(frame).id
        linear, angular = np.empty((2, 3, self.model.nv))
        self.mujoco.mj_jacBody(self.model, self.data, linear, angular, body)
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = self.data.xmat[body].reshape(3, 3), self.data.xpos[body]
        return {"forward_kinematics": pose, "jacobian": np.vstack([angular, linear]) @ S}


def from_urdf(file: Path, fuse: bool) -> Any:
    def read(mujoco: Any) -> Any:
        spec = mujoco.MjSpec.from_file(str(file))
        spec.memory = -1  # as large as it has to be, whatever the file asks for
        spec.compiler.fusestatic = fuse
        for part in [*spec.geoms, *spec.meshes]:
            spec.delete(part)  # files of shapes need not be there
        return spec

    return _compiled(read)


def _compiled(make: Callable[[Any], Any]) -> Any:
    """A model from the specification that is made; what MuJoCo does not like is an error in words."""
    mujoco: Any = importlib.import_module("mujoco")
    earlier = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(_silent)  # or it writes MUJOCO_LOG.TXT into the working directory
    try:
        return make(mujoco).compile()
    except RedynError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split()).removeprefix("Error: ")
        raise RedynError(f"MuJoCo does not accept it: {reason[:200]}") from None
    finally:
        mujoco.set_mju_user_warning(earlier)


def _silent(_: str) -> None:
    """Discards a warning of MuJoCo's compiler."""
