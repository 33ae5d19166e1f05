"""What Pinocchio says of a URDF, in redyn's order of joints and with its conventions."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.errors import RedynError

Array = NDArray[np.float64]


class Pinocchio:
    """Answers one state at a time; differences of convention are undone here, each in one place."""

    name: str = "Pinocchio"
    module: str = "pinocchio"
    package: str = "pin"
    formats: tuple[str, ...] = (".urdf",)
    tolerance: float = 1e-11
    frees: bool = True
    damping: bool = False
    conventions: tuple[str, ...] = (
        "joints are matched by name: Pinocchio orders them by name within a branch, redyn as the file has them",
        "Jacobians and momentum: redyn has angular rows first, Pinocchio linear ones",
        "momentum: about the world's origin in redyn, about the mass centre in Pinocchio",
        "a free joint: redyn's velocity is [angular; linear], Pinocchio's [linear; angular], both in the body's axes",
        "joints without limits are a cosine and a sine in Pinocchio's q",
        "friction is left out in both: Pinocchio's recursions have none",
        "armature is part of both mass matrices; Pinocchio reads none from URDF, so it is given redyn's",
        "gravity is redyn's in both",
    )

    def __init__(self, file: Path, names: Sequence[str], gravity: Array, armature: Array, free: bool = False) -> None:
        self.pin: Any = importlib.import_module(self.module)
        base = [self.pin.JointModelFreeFlyer(), names[0]] if free else []
        try:
            self.model = self.pin.buildModelFromUrdf(str(file), *base)
        except Exception as error:
            reason = " ".join(str(error).replace(str(file), file.name).split())
            raise RedynError(f"Pinocchio does not accept it: {reason[:200]}") from None
        self.model.gravity.linear = gravity
        self.names = list(names)
        theirs = list(self.model.names)[1:]
        if sorted(theirs) != sorted(self.names):
            raise RedynError(
                f"{file.name}: Pinocchio has the joints {', '.join(theirs)}, redyn {', '.join(self.names)}"
            )
        self.order = self._places()
        self.back = np.argsort(self.order)
        self.model.armature = armature[self.order]
        self.data = self.model.createData()

    def knows(self, frame: str) -> bool:
        return bool(self.model.existFrame(frame, self.pin.FrameType.BODY))

    def _places(self) -> list[int]:
        """Redyn's place of each of their velocities; of q, redyn's first place by joint is kept beside."""
        widths = dict(zip(self.model.names, self.model.nvs, strict=True))
        planar = [joint for joint in list(self.model.joints)[1:] if "Planar" in joint.shortname()]
        if planar:
            raise RedynError("Pinocchio's planar joints move in x and y whatever the axis")
        self.q_start: dict[str, int] = {}
        v_start: dict[str, int] = {}
        q, v = 0, 0
        for name in self.names:
            self.q_start[name], v_start[name] = q, v
            q, v = q + {6: 7, 3: 4}.get(widths[name], 1), v + widths[name]
        order: list[int] = []
        for name in list(self.model.names)[1:]:
            start = v_start[name]
            places = (3, 4, 5, 0, 1, 2) if widths[name] == 6 else range(widths[name])
            order += [start + k for k in places]
        return order

    def q(self, q: Array) -> Array:
        """Joints without limits are a cosine and a sine there."""
        parts: list[Array] = []
        for name, width in list(zip(self.model.names, self.model.nqs, strict=True))[1:]:
            start = self.q_start[name]
            values = q[start : start + width]
            parts.append(np.array([np.cos(values[0]), np.sin(values[0])]) if width == 2 else values)
        return np.concatenate(parts)

    def _square(self, M: Array) -> Array:
        return np.reshape(M, (len(self.back), -1))[np.ix_(self.back, self.back)]

    def answers(self, q: Array, qd: Array, x: Array, frame: str | None) -> dict[str, Array]:
        """Everything that is compared, at one state; x is an acceleration or a torque, as it is needed."""
        pin, model, data, back = self.pin, self.model, self.data, self.back
        at, v, a = self.q(q), qd[self.order], x[self.order]
        nothing = np.zeros(model.nv)
        M = np.array(pin.crba(model, data, at)).reshape(model.nv, -1)  # the upper half alone is filled
        gravity = np.array(pin.rnea(model, data, at, nothing, nothing))
        found = {
            "inverse_dynamics": np.array(pin.rnea(model, data, at, v, a))[back],
            "forward_dynamics": np.array(pin.aba(model, data, at, v, a))[back],
            "mass_matrix": self._square(np.triu(M) + np.triu(M, 1).T),
            "gravity_torque": gravity[back],
            "coriolis_vector": (np.array(pin.rnea(model, data, at, v, nothing)) - gravity)[back],
        }
        pin.computeRNEADerivatives(model, data, at, v, a)
        found["inverse_dynamics_derivatives"] = np.stack([self._square(data.dtau_dq), self._square(data.dtau_dv)])
        pin.computeABADerivatives(model, data, at, v, a)
        inverse = np.array(data.Minv).reshape(model.nv, -1)
        by_tau = np.triu(inverse) + np.triu(inverse, 1).T
        parts = (self._square(data.ddq_dq), self._square(data.ddq_dv), self._square(by_tau))
        found["forward_dynamics_derivatives"] = np.stack(parts)
        return found | self._whole(at, v) | (self._frame(at, frame) if frame is not None else {})

    def _whole(self, at: Array, v: Array) -> dict[str, Array]:
        """Mass centre and momentum; theirs is about the mass centre."""
        pin, model, data = self.pin, self.model, self.data
        centre = np.array(pin.centerOfMass(model, data, at, v))
        h = pin.computeCentroidalMomentum(model, data, at, v)
        angular, linear = np.array(h.angular), np.array(h.linear)
        return {"com": centre, "momentum": np.concatenate([angular + np.cross(centre, linear), linear])}

    def _frame(self, at: Array, frame: str) -> dict[str, Array]:
        pin, model, data = self.pin, self.model, self.data
        pin.computeJointJacobians(model, data, at)
        pin.updateFramePlacements(model, data)
        k = model.getFrameId(frame, pin.FrameType.BODY)
        J = np.array(pin.getFrameJacobian(model, data, k, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)).reshape(6, -1)
        jacobian = np.vstack([J[3:], J[:3]])[:, self.back]  # theirs has the linear rows first
        return {"forward_kinematics": np.array(data.oMf[k].homogeneous), "jacobian": jacobian}
