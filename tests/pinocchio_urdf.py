"""Pinocchio's own reading of an exported URDF, in redyn's joint order."""

import numpy as np
import pinocchio as pin


def configuration(model, names, q):
    """q of the joints `names` as Pinocchio has it: joints without limits are a cosine and a sine there."""
    values = dict(zip(names, q, strict=True))
    parts = []
    for name, width in list(zip(model.names, model.nqs, strict=True))[1:]:
        parts += [np.cos(values[name]), np.sin(values[name])] if width == 2 else [values[name]]
    return np.array(parts)


class Exported:
    def __init__(self, model, names):
        self.model, self.data, self.names = model, model.createData(), names
        self.order = [names.index(name) for name in list(model.names)[1:]]

    def inverse_dynamics(self, q, qd, qdd):
        at = configuration(self.model, self.names, q)
        tau = np.empty(len(self.order))
        tau[self.order] = pin.rnea(self.model, self.data, at, qd[self.order], qdd[self.order])
        return tau

    def mass_matrix(self, q):
        M = pin.crba(self.model, self.data, configuration(self.model, self.names, q))
        back = np.argsort(self.order)
        return (np.triu(M) + np.triu(M, 1).T)[np.ix_(back, back)]

    def pose(self, q, frame):
        pin.framesForwardKinematics(self.model, self.data, configuration(self.model, self.names, q))
        return self.data.oMf[self.model.getFrameId(frame, pin.FrameType.BODY)].homogeneous
