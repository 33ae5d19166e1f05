"""A Pinocchio model of a redyn description, built link by link with Pinocchio's own transforms."""

import numpy as np
import pinocchio as pin

from redyn.description.loops import loop_frames


def turn(axis, angle):
    return pin.SE3(pin.exp3(np.asarray(axis, dtype=float) * angle), np.zeros(3))


def shift(x, y, z):
    return pin.SE3(np.eye(3), np.array([x, y, z], dtype=float))


X, Y, Z = np.eye(3)


def placements(link, convention):
    """Before the joint, its axis, and after it."""
    kind = link.joint.type
    if convention == "frames":
        R = pin.rpy.rpyToMatrix(*(link.rpy or (0.0, 0.0, 0.0)))
        axis = np.array(link.axis or (0.0, 0.0, 1.0))
        return pin.SE3(R, np.array(link.xyz or (0.0, 0.0, 0.0))), axis / np.linalg.norm(axis), pin.SE3.Identity()
    tail = shift(link.a or 0, 0, 0) * turn(X, link.alpha or 0)
    if convention == "dh":
        head = turn(Z, link.theta or 0) if kind != "revolute" else pin.SE3.Identity()
        along = shift(0, 0, link.b or 0) if kind != "prismatic" else pin.SE3.Identity()
        return head, Z, along * tail
    head = tail * (turn(Z, link.theta or 0) if kind != "revolute" else pin.SE3.Identity())
    return head, Z, shift(0, 0, link.d or 0) if kind != "prismatic" else pin.SE3.Identity()


def unit(axis):
    return np.array(axis, dtype=float) / np.linalg.norm(axis)


def joint_models(link, axis, own_universal):
    """Pinocchio's joints for one of redyn's, one after the other, each with what its q and its v are called there."""
    kind = link.joint.type
    if kind == "spherical":
        return [(pin.JointModelSpherical(), ["qx", "qy", "qz", "qw"], ["wx", "wy", "wz"])]
    if kind == "free":
        places = ["x", "y", "z", "qx", "qy", "qz", "qw"], ["vx", "vy", "vz", "wx", "wy", "wz"]
        return [(pin.JointModelFreeFlyer(), *places)]
    if kind == "helical":
        return [(pin.JointModelHelicalUnaligned(axis, link.joint.pitch), [""], [""])]
    if kind == "universal":
        second = unit(link.axis2)
        if own_universal:  # right for torques, but its derivatives leave out that its motion matrix changes with q
            return [(pin.JointModelUniversal(axis, second), *[["first", "second"]] * 2)]
        turns = (axis, "first"), (second, "second")
        return [(pin.JointModelRevoluteUnaligned(e), [part], [part]) for e, part in turns]
    if kind == "cylindrical":
        turn, slide = pin.JointModelRevoluteUnaligned(axis), pin.JointModelPrismaticUnaligned(axis)
        return [(turn, ["angle"], ["angle"]), (slide, ["along"], ["along"])]
    if kind == "planar":
        assert np.allclose(axis, Z), "plane axes are a convention: only z is the same everywhere"
        slides = [(pin.JointModelPrismaticUnaligned(e), [part], [part]) for e, part in ((X, "x"), (Y, "y"))]
        return [*slides, (pin.JointModelRevoluteUnaligned(Z), ["angle"], ["angle"])]
    turns = kind == "revolute"
    return [((pin.JointModelRevoluteUnaligned if turns else pin.JointModelPrismaticUnaligned)(axis), [""], [""])]


class Oracle:
    """Answers in redyn's joint order. Pinocchio itself is given the joints depth first, which it relies on."""

    def __init__(self, robot, own_universal=False):
        description, model = robot.description, pin.Model()
        model.gravity.linear = np.array(description.gravity)
        where = {"world": (0, pin.SE3.Identity()), "base": (0, pin.SE3.Identity())}
        self.frames, armature, offset, q_names, v_names = {}, [], [], [], []
        self.ends = {}
        stack = [link for link in reversed(description.links) if link.parent in where]
        while stack:
            link = stack.pop()
            stack += [child for child in reversed(description.links) if child.parent == link.name]
            base, mount = where[link.parent]
            before, axis, after = placements(link, description.convention)
            if link.joint.type == "fixed":
                joint, pose = base, mount * before * after
            else:
                joint, place, pose = base, mount * before, after
                for kind, q_parts, v_parts in joint_models(link, axis, own_universal):
                    joint = model.addJoint(joint, kind, place, f"{link.joint.name}/{len(v_names)}")
                    place = pin.SE3.Identity()
                    armature += [link.joint.armature] * len(v_parts)
                    offset += [link.joint.offset] * len(q_parts)
                    q_names += [f"{link.joint.name}.{part}".rstrip(".") for part in q_parts]
                    v_names += [f"{link.joint.name}.{part}".rstrip(".") for part in v_parts]
                self.ends[link.name] = joint
            where[link.name] = (joint, pose)
            if link.mass:
                com = np.array(link.com) if link.com is not None else -np.array(link.r)
                xx, xy, xz, yy, yz, zz = link.inertia
                inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
                model.appendBodyToJoint(joint, pin.Inertia(link.mass, com, inertia), pose)
            self.frames[link.name] = model.addFrame(pin.Frame(link.name, joint, pose, pin.FrameType.OP_FRAME))
        model.armature = np.array(armature)
        self.model, self.data = model, model.createData()
        self.offset = np.array(offset)
        self.q_to_pin = [robot.coordinate_names.index(name) for name in q_names]
        self.to_pin = [robot.velocity_names.index(name) for name in v_names]  # redyn's vector[to_pin] is Pinocchio's
        self.back = np.argsort(self.to_pin)
        self.link_names = robot.link_names

    def _q(self, q):
        return np.asarray(q)[self.q_to_pin] + self.offset

    def inverse_dynamics(self, q, qd, qdd, external=()):
        qd, qdd = qd[self.to_pin], qdd[self.to_pin]
        return pin.rnea(self.model, self.data, self._q(q), qd, qdd, self._forces(q, external))[self.back]

    def forward_dynamics(self, q, qd, tau):
        return pin.aba(self.model, self.data, self._q(q), qd[self.to_pin], tau[self.to_pin])[self.back]

    def mass_matrix(self, q):
        M = pin.crba(self.model, self.data, self._q(q))
        return (np.triu(M) + np.triu(M, 1).T)[np.ix_(self.back, self.back)]

    def gravity_torque(self, q):
        return pin.computeGeneralizedGravity(self.model, self.data, self._q(q))[self.back]

    def pose(self, q, frame):
        pin.framesForwardKinematics(self.model, self.data, self._q(q))
        return self.data.oMf[self.frames[frame]].homogeneous

    def jacobian(self, q, frame):
        aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        J = pin.computeFrameJacobian(self.model, self.data, self._q(q), self.frames[frame], aligned)
        return J.reshape(6, -1)[[3, 4, 5, 0, 1, 2]][:, self.back]

    def kinetic_energy(self, q, qd):
        """Of the links by Pinocchio (whose releases differ on rotors, so they are left out there), plus the rotors."""
        links, qd = self.model.copy(), qd[self.to_pin]
        links.armature = np.zeros(links.nv)
        return pin.computeKineticEnergy(links, self.data, self._q(q), qd) + 0.5 * self.model.armature @ qd**2

    def potential_energy(self, q):
        return pin.computePotentialEnergy(self.model, self.data, self._q(q))

    def com(self, q):
        return pin.centerOfMass(self.model, self.data, self._q(q)).copy()

    def joint_wrenches(self, q, qd, qdd):
        """Parent on child, [moment; force], in the axes and at the origin of each joint."""
        self.inverse_dynamics(q, qd, qdd)
        forces = [self.data.f[self.ends[name]] for name in self.link_names]
        return np.array([np.concatenate([f.angular, f.linear]) for f in forces])

    def momentum(self, q, qd):
        """About the world's origin, angular first."""
        h = pin.computeCentroidalMomentum(self.model, self.data, self._q(q), qd[self.to_pin])
        return np.concatenate([h.angular + np.cross(self.data.com[0], h.linear), h.linear])

    def inverse_dynamics_derivatives(self, q, qd, qdd):
        state = self._q(q), qd[self.to_pin], qdd[self.to_pin]
        pin.computeRNEADerivatives(self.model, self.data, *state)
        back = np.ix_(self.back, self.back)
        return self.data.dtau_dq[back], self.data.dtau_dv[back]

    def integrate(self, q, v):
        at = pin.integrate(self.model, self._q(q), v[self.to_pin])
        return (at - self.offset)[np.argsort(self.q_to_pin)]

    def jacobian_rate(self, q, qd, frame):
        aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        pin.computeJointJacobiansTimeVariation(self.model, self.data, self._q(q), qd[self.to_pin])
        pin.updateFramePlacements(self.model, self.data)
        J = pin.getFrameJacobianTimeVariation(self.model, self.data, self.frames[frame], aligned)
        return J.reshape(6, -1)[[3, 4, 5, 0, 1, 2]][:, self.back]

    def _forces(self, q, external):
        """World wrenches at frame origins, [moment; force], as Pinocchio's forces in joint axes."""
        forces = pin.StdVec_Force()
        for _ in range(self.model.njoints):
            forces.append(pin.Force.Zero())
        pin.framesForwardKinematics(self.model, self.data, self._q(q))
        for name, wrench in external:
            frame = self.model.frames[self.frames[name]]
            at = self.data.oMf[self.frames[name]]
            aligned = pin.SE3(at.rotation.T, np.zeros(3))
            local = aligned.act(pin.Force(np.array(wrench[3:]), np.array(wrench[:3])))
            forces[frame.parentJoint] += frame.placement.act(local)
        return forces


class ClosedOracle(Oracle):
    """The same with loops: spherical ones are 3D contacts, fixed ones 6D, a pin is two points of its axis."""

    def __init__(self, robot):
        super().__init__(robot)
        self.constraints = pin.StdVec_RigidConstraintModel()
        self.constraint_data = pin.StdVec_RigidConstraintData()
        for loop, where in zip(robot.loops, loop_frames(robot.description), strict=True):
            first, second = (pin.SE3(T) for T in where)
            ends = []
            for name, placement in zip(loop.between, (first, second), strict=True):
                frame = None if name == "world" else self.model.frames[self.frames[name]]
                ends.append((0, placement) if frame is None else (frame.parentJoint, frame.placement * placement))
            for shifted, kind in self._contacts(loop.joint):
                placed = [(joint, placement * shifted) for joint, placement in ends]
                (a, A), (b, B) = placed
                self.constraints.append(
                    pin.RigidConstraintModel(kind, self.model, a, A, b, B, pin.ReferenceFrame.LOCAL)
                )
        self.constraint_data = [constraint.createData() for constraint in self.constraints]

    @staticmethod
    def _contacts(joint):
        here, along = pin.SE3.Identity(), shift(0, 0, 0.5)
        point, whole = pin.ContactType.CONTACT_3D, pin.ContactType.CONTACT_6D
        return {
            "spherical": [(here, point)],
            "fixed": [(here, whole)],
            "revolute": [(here, point), (along, point)],
        }[joint]

    def forward_dynamics(self, q, qd, tau):
        pin.initConstraintDynamics(self.model, self.data, self.constraints, self.constraint_data)
        settings = pin.ProximalSettings(1e-14, 1e-14, 1e-10, 50)
        state = self._q(q), qd[self.to_pin], tau[self.to_pin]
        found = pin.constraintDynamics(self.model, self.data, *state, self.constraints, self.constraint_data, settings)
        return found[self.back]
