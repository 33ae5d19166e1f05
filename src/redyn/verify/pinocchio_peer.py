"""Pinocchio, in redyn's order of joints and with its conventions.

`redyn verify` compares with it and `redyn bench` times it: the model and data are there to be called directly.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from redyn.description.schema import RobotDescription
from redyn.errors import RedynError
from redyn.verify.peers import ClosedDynamics
from redyn.verify.pinocchio_loops import Constraints, pinocchio_model

Array = NDArray[np.float64]

# Absolute and relative accuracy, mu and the most iterations: as exact as its proximal iterations get.
EXACT = (1e-14, 1e-14, 1e-10, 50)


class Pinocchio:
    """A Pinocchio model that answers one state at a time; each difference of convention is undone in one place."""

    name: str = "Pinocchio"
    module: str = "pinocchio"
    package: str = "pin"
    formats: tuple[str, ...] = (".urdf",)
    tolerance: float = 1e-11
    frees: bool = True
    rigid_loops: bool = True
    damping: bool = False
    springs: bool = False
    conventions: tuple[str, ...] = (
        "joints are matched by name: Pinocchio sorts the joints of a branch by name, redyn keeps the file's order",
        "Jacobians and momentum: redyn has angular rows first, Pinocchio linear ones",
        "momentum: about the world's origin in redyn, about the mass centre in Pinocchio",
        "a free joint: redyn's velocity is [angular; linear], Pinocchio's [linear; angular], both in the body's axes",
        "joints without limits are a cosine and a sine in Pinocchio's q",
        "friction and joint springs are left out in both: Pinocchio's recursions have none",
        "armature is part of both mass matrices; Pinocchio reads none from URDF, so it is given redyn's",
        "gravity is redyn's in both",
    )
    loop_conventions: tuple[str, ...] = (
        "loops: Pinocchio is given redyn's description body by body; a pin is two points of its axis, a ball is one",
        "forward_dynamics: by Pinocchio's constraintDynamics with loops closed, by its aba of the tree",
        "inverse_dynamics: Pinocchio has none with loops closed; the torques of forward_dynamics have to come back",
    )

    def __init__(self, model: Any, names: Sequence[str]) -> None:
        """`names` are redyn's joints in redyn's order."""
        self.pin: Any = importlib.import_module(self.module)
        self.model, self.names = model, list(names)
        theirs = list(model.names)[1:]
        if sorted(theirs) != sorted(self.names):
            raise RedynError(
                f"{model.name}: Pinocchio has the joints {', '.join(theirs)}, redyn {', '.join(self.names)}"
            )
        self.order = self._order()
        self.back = np.argsort(self.order)
        self.data = model.createData()

    @classmethod
    def read(cls, file: Path, names: Sequence[str], gravity: Array, armature: Array, free: bool = False) -> Self:
        """From a URDF; with `free` its root moves freely, by a joint that has the first of the names."""
        pin: Any = importlib.import_module(cls.module)
        base = [pin.JointModelFreeFlyer(), names[0]] if free else []
        try:
            model = pin.buildModelFromUrdf(str(file), *base)
        except Exception as error:
            reason = " ".join(str(error).replace(str(file), file.name).split())
            raise RedynError(f"Pinocchio does not accept it: {reason[:200]}") from None
        peer = cls(model, names)
        model.gravity.linear, model.armature = gravity, armature[peer.order]
        return peer

    @classmethod
    def build(
        cls, description: RobotDescription, names: Sequence[str], gravity: Array, armature: Array, damping: Array
    ) -> Self:
        """From redyn's description, without loops, friction and springs."""
        del damping
        peer = cls(pinocchio_model(description), names)
        peer.model.gravity.linear, peer.model.armature = gravity, armature[peer.order]
        return peer

    def closed_forward_dynamics(self, description: RobotDescription) -> ClosedDynamics:
        """With the loops of the description, by constraintDynamics."""
        constraints, settings = Constraints(self.model, description), self.pin.ProximalSettings(*EXACT)

        def answer(q: Array, qd: Array, tau: Array) -> Array:
            at, rates, torques = self.state(q, qd, tau)
            return constraints.forward_dynamics(at, rates, torques, settings)[self.back]

        return answer

    def knows(self, frame: str) -> bool:
        return bool(self.model.existFrame(frame, self.pin.FrameType.BODY))

    def frame(self, name: str) -> int:
        """The number of a link's frame."""
        return self.model.getFrameId(name, self.pin.FrameType.BODY)

    def _order(self) -> list[int]:
        """For each velocity of Pinocchio's, its index in redyn's; where joints begin in redyn's q is kept as well."""
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
            parts = (3, 4, 5, 0, 1, 2) if widths[name] == 6 else range(widths[name])  # a free joint: linear first
            order += [start + k for k in parts]
        return order

    def q(self, q: Array) -> Array:
        """Pinocchio's q: joints without limits are a cosine and a sine there."""
        parts: list[Array] = []
        for name, width in list(zip(self.model.names, self.model.nqs, strict=True))[1:]:
            start = self.q_start[name]
            values = q[start : start + width]
            parts.append(np.array([np.cos(values[0]), np.sin(values[0])]) if width == 2 else values)
        return np.concatenate(parts)

    def state(self, q: Array, *rates: Array) -> list[Array]:
        """Pinocchio's q, and velocities, accelerations or torques in its order."""
        return [self.q(q), *(np.ascontiguousarray(x[self.order]) for x in rates)]

    def _square(self, M: Any) -> Array:
        return np.reshape(M, (len(self.back), -1))[np.ix_(self.back, self.back)]

    def _symmetric(self, M: Any) -> Array:
        """Of a matrix whose upper half alone is filled."""
        full = np.array(M).reshape(self.model.nv, -1)
        return self._square(np.triu(full) + np.triu(full, 1).T)

    def inverse_dynamics(self, q: Array, qd: Array, qdd: Array) -> Array:
        return np.array(self.pin.rnea(self.model, self.data, *self.state(q, qd, qdd)))[self.back]

    def forward_dynamics(self, q: Array, qd: Array, tau: Array) -> Array:
        return np.array(self.pin.aba(self.model, self.data, *self.state(q, qd, tau)))[self.back]

    def mass_matrix(self, q: Array) -> Array:
        return self._symmetric(self.pin.crba(self.model, self.data, self.q(q)))

    def gravity_torque(self, q: Array) -> Array:
        return np.array(self.pin.computeGeneralizedGravity(self.model, self.data, self.q(q)))[self.back]

    def coriolis_vector(self, q: Array, qd: Array) -> Array:
        effects = np.array(self.pin.nonLinearEffects(self.model, self.data, *self.state(q, qd)))
        return effects[self.back] - self.gravity_torque(q)

    def inverse_dynamics_derivatives(self, q: Array, qd: Array, qdd: Array) -> Array:
        """By q and by qd, stacked."""
        self.pin.computeRNEADerivatives(self.model, self.data, *self.state(q, qd, qdd))
        return np.stack([self._square(self.data.dtau_dq), self._square(self.data.dtau_dv)])

    def forward_dynamics_derivatives(self, q: Array, qd: Array, tau: Array) -> Array:
        """By q, by qd and by tau, stacked."""
        self.pin.computeABADerivatives(self.model, self.data, *self.state(q, qd, tau))
        by_q, by_qd = self._square(self.data.ddq_dq), self._square(self.data.ddq_dv)
        return np.stack([by_q, by_qd, self._symmetric(self.data.Minv)])

    def com(self, q: Array) -> Array:
        return np.array(self.pin.centerOfMass(self.model, self.data, self.q(q)))

    def momentum(self, q: Array, qd: Array) -> Array:
        """About the world's origin; Pinocchio's is about the mass centre."""
        h = self.pin.computeCentroidalMomentum(self.model, self.data, *self.state(q, qd))
        angular, linear = np.array(h.angular), np.array(h.linear)
        return np.concatenate([angular + np.cross(self.com(q), linear), linear])

    def forward_kinematics(self, q: Array, frame: str) -> Array:
        self.pin.framesForwardKinematics(self.model, self.data, self.q(q))
        return np.array(self.data.oMf[self.frame(frame)].homogeneous)

    def jacobian(self, q: Array, frame: str) -> Array:
        """Angular rows first; Pinocchio has the linear ones first."""
        aligned = self.pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        J = self.pin.computeFrameJacobian(self.model, self.data, self.q(q), self.frame(frame), aligned)
        return np.array(J).reshape(6, -1)[[3, 4, 5, 0, 1, 2]][:, self.back]

    def answers(self, q: Array, qd: Array, x: Array, frame: str | None) -> dict[str, Array]:
        """Everything that is compared, at one state; x is an acceleration or a torque, as needed."""
        found = {
            "inverse_dynamics": self.inverse_dynamics(q, qd, x),
            "forward_dynamics": self.forward_dynamics(q, qd, x),
            "mass_matrix": self.mass_matrix(q),
            "gravity_torque": self.gravity_torque(q),
            "coriolis_vector": self.coriolis_vector(q, qd),
            "inverse_dynamics_derivatives": self.inverse_dynamics_derivatives(q, qd, x),
            "forward_dynamics_derivatives": self.forward_dynamics_derivatives(q, qd, x),
            "com": self.com(q),
            "momentum": self.momentum(q, qd),
        }
        if frame is None:
            return found
        return found | {
            "forward_kinematics": self.forward_kinematics(q, frame),
            "jacobian": self.jacobian(q, frame),
        }
