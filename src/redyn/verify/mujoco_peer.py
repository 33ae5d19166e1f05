"""What MuJoCo says of an MJCF or a URDF, in redyn's order of joints and with its conventions.

Contacts, limits, Coulomb friction, tendons, equalities, actuators, springs and fluids are switched off: redyn has none
of them in its recursions. Damping and armature stay.

A free joint is where the two differ most. MuJoCo's q has the quaternion as w x y z and its speeds are [velocity of the
origin in world axes; angular velocity in body axes]; redyn's q has it as x y z w and its speeds are [angular; linear],
both in body axes. So their speeds are S(q) times redyn's, their accelerations S(q) times redyn's plus a drift, and
redyn's torques are S(q)^T times theirs.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.description.mjcf_compile import compiled
from redyn.errors import RedynError
from redyn.words import counted

Array = NDArray[np.float64]

FREE, BALL = 0, 1  # mjJNT_FREE, mjJNT_BALL
IGNORED = ("jnt_stiffness", "tendon_stiffness", "tendon_damping", "tendon_armature", "body_gravcomp")


class Mujoco:
    """Answers one state at a time; differences of convention are undone here, each in one place."""

    name: str = "MuJoCo"
    module: str = "mujoco"
    package: str = "mujoco"
    formats: tuple[str, ...] = (".urdf", ".xml", ".mjcf")
    tolerance: float = 1e-11
    frees: bool = False
    damping: bool = True
    conventions: tuple[str, ...] = (
        "joints are matched by name in a URDF, by their order in an MJCF, where both programs keep the file's",
        "Jacobians: redyn has angular rows first; MuJoCo gives the two halves apart",
        "momentum: about the world's origin in redyn, about the mass centre in MuJoCo",
        "the mass centre leaves out what is fixed to the world, whose mass MuJoCo counts",
        "a free joint: MuJoCo's quaternion is w x y z, its velocity is [linear, world axes; angular, body axes]",
        "damping acts in both; Coulomb friction, a constraint in MuJoCo, is left out in both",
        "contacts, limits, tendons, equalities, actuators, springs and fluids are switched off in MuJoCo",
        "armature is part of both mass matrices; URDF has none, so MuJoCo is given redyn's there",
        "armature of a free joint: MuJoCo has it on accelerations in world axes, which adds armature * (omega x v)",
        "gravity is redyn's in both",
        "derivatives: MuJoCo has them by differences only, so they are not compared",
    )

    def __init__(self, file: Path, names: Sequence[str], gravity: Array, armature: Array, free: bool = False) -> None:
        assert not free
        self.mujoco: Any = importlib.import_module(self.module)
        urdf = b"<robot" in file.read_bytes()  # whatever it is called
        self.model = model = self._compiled(file, urdf)
        theirs = [model.joint(j).name for j in range(model.njnt)]
        if urdf and sorted(theirs) != sorted(names):
            raise RedynError(f"{file.name}: MuJoCo has the joints {', '.join(theirs)}, redyn {', '.join(names)}")
        if len(theirs) != len(names):
            raise RedynError(f"{file.name}: MuJoCo has {counted(len(theirs), 'joint')}, redyn {len(names)}")
        self.joints = [theirs.index(name) for name in names] if urdf else list(range(model.njnt))
        self.data = self.mujoco.MjData(model)
        if urdf:
            self._set_armature(armature)
        model.opt.gravity[:] = gravity
        model.opt.density = model.opt.viscosity = 0.0
        flags = self.mujoco.mjtDisableBit  # what the file disables stays off
        model.opt.disableflags |= int(flags.mjDSBL_CONSTRAINT) | int(flags.mjDSBL_ACTUATION)
        for field in IGNORED:
            values = getattr(model, field, None)  # the newer ones are not in every mujoco
            if values is not None:
                values[:] = 0.0

    def _set_armature(self, armature: Array) -> None:
        """Redyn's, which is the same number for all velocities of a joint, in their order."""
        at = 0
        for kind, _, row in self._slices():
            width = {FREE: 6, BALL: 3}.get(kind, 1)
            self.model.dof_armature[row : row + width] = armature[at]
            at += width

    def _compiled(self, file: Path, urdf: bool) -> Any:
        if not urdf:
            return compiled(file)
        earlier = self.mujoco.get_mju_user_warning()
        self.mujoco.set_mju_user_warning(_silent)  # or it writes MUJOCO_LOG.TXT wherever the user stands
        try:
            spec = self.mujoco.MjSpec.from_file(str(file))
            spec.memory = -1  # as large as it has to be, whatever the file asks for
            spec.compiler.fusestatic = False  # keeps the frames of fixed links
            for part in [*spec.geoms, *spec.meshes]:
                spec.delete(part)  # files of shapes need not be there
            return spec.compile()
        except Exception as error:
            reason = " ".join(str(error).split()).removeprefix("Error: ")
            raise RedynError(f"MuJoCo does not accept it: {reason[:200]}") from None
        finally:
            self.mujoco.set_mju_user_warning(earlier)

    def knows(self, frame: str) -> bool:
        return self.mujoco.mj_name2id(self.model, self.mujoco.mjtObj.mjOBJ_BODY, frame) > 0

    def _slices(self) -> list[tuple[int, int, int]]:
        """Of every joint in redyn's order: its kind, and where it begins in their q and in their speeds."""
        model = self.model
        return [(int(model.jnt_type[j]), int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j])) for j in self.joints]

    def _q(self, q: Array) -> Array:
        theirs, at = np.empty(self.model.nq), 0
        for kind, start, _ in self._slices():
            width = {FREE: 7, BALL: 4}.get(kind, 1)
            values = q[at : at + width]
            if kind in (FREE, BALL):  # x y z w becomes w x y z
                values = np.concatenate([values[:-4], values[-1:], values[-4:-1]])
            theirs[start : start + width] = values
            at += width
        return theirs

    def _speeds(self, theirs: Array) -> Array:
        """S: their speeds are S times redyn's."""
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

    def _drift(self, theirs: Array, qd: Array) -> Array:
        """What their accelerations have beside S times redyn's: the body turns under its linear velocity."""
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
        """Everything that is compared, at one state; x is an acceleration or a torque, as it is needed."""
        mujoco, model, data = self.mujoco, self.model, self.data
        at = self._q(q)
        S, drift = self._speeds(at), self._drift(at, qd)
        rotors = model.dof_armature * drift  # what armature has beside redyn's
        back = np.linalg.inv(S)
        data.qpos[:], data.qvel[:] = at, 0.0
        mujoco.mj_forward(model, data)
        gravity = data.qfrc_bias.copy()
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
            "friction_torque": -S.T @ data.qfrc_passive,
            "kinetic_energy": np.array(0.5 * data.qvel @ M @ data.qvel),
        }
        return found | self._whole() | (self._frame(frame, S) if frame is not None else {})

    def _matrix(self, multiply: Callable[[Array, Array], object]) -> Array:
        rows = np.empty((self.model.nv, self.model.nv))
        for row, unit in zip(rows, np.eye(self.model.nv), strict=True):
            multiply(row, unit)
        return rows.T

    def _whole(self) -> dict[str, Array]:
        """Mass centre of what moves, and momentum about the world's origin; theirs is about the mass centre of all."""
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


def _silent(_: str) -> None:
    """Takes a warning of MuJoCo's compiler."""
