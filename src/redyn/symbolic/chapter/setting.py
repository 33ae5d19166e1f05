"""The context of every section of a worked example: the equations, a state, and the dense view there.

The numbers are those of the formulas: the same axes, the same joint origins O_i, the same constants. The dense view of
the robot itself has its joint origins where the user's file puts them, at other points of the same axes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.algebra import Mat3, Pose, Vec3
from redyn.arithmetic import Floats
from redyn.description.schema import is_unit
from redyn.dynamics.algorithm import Conditions
from redyn.dynamics.catalogue import ALGORITHMS
from redyn.dynamics.denoc import Denoc
from redyn.dynamics.kinematics import forward_kinematics, jacobian, poses, propagations
from redyn.dynamics.passive import friction_torque, spring_torque
from redyn.errors import InputError, SingularError
from redyn.model import QUATERNION_SIZE, Frame, Model
from redyn.symbolic.bodies import Body, SymbolicRobot, symbolic_model
from redyn.symbolic.equations import Equations
from redyn.symbolic.kinematics import link_frames, symbolic_frame
from redyn.symbolic.notation import Expr, Typesetter, operations, sp
from redyn.symbolic.point import Point
from redyn.symbolic.polynomials import Poly

Array = NDArray[np.float64]
SHORT = 3  # joints; up to here closed forms are printed, beyond it named steps and numbers
SHORT_LOOPED = 7  # the same where loops are closed: their trees have short branches
TERMS = 600  # of all torques together, for the same purpose
_PARALLEL = 1e-9


def example_model(eqs: Equations, symbolic: SymbolicRobot) -> Model:
    """The numeric model of the formulas: joints and tips where the formulas have them."""
    model = symbolic_model(eqs.robot.model, symbolic)
    upright = Mat3(*(Vec3(*(float(a == b) for b in range(3))) for a in range(3)))
    frames = {f"end of link {i}": Frame(i, Pose(upright, Vec3(*b.end))) for i, b in enumerate(symbolic.bodies, 1)}
    links = tuple(replace(link, socket=link.joint.offset) for link in model.links)
    return replace(model, links=links, frames=frames).over(cast(Any, Point(eqs.values)))


@dataclass
class Context:
    eqs: Equations
    q: Array
    qd: Array
    qdd: Array

    @property
    def n(self) -> int:
        return self.eqs.dof

    @property
    def bodies(self) -> tuple[Body, ...]:
        return self.eqs.symbolic.bodies

    @property
    def looped(self) -> bool:
        """Whether the tree is what is left of a robot whose loops were cut."""
        return bool(self.eqs.symbolic.loops)

    @cached_property
    def short(self) -> bool:
        """Whether closed forms are worth printing."""
        most = SHORT_LOOPED if self.looped else SHORT
        bodies = self.n - sum(body.virtual for body in self.bodies)
        return bodies <= most and sum(map(len, self.eqs.closed.run("inverse_dynamics"))) <= TERMS

    # --- numbers at the state ------------------------------------------------------------------------------------

    @cached_property
    def symbolic(self) -> SymbolicRobot:
        """The model whose numbers are used: that of the formulas, or the robot's own if a symbol has no value."""
        return self.eqs.with_numbers() if self.eqs.valueless else self.eqs.symbolic

    @cached_property
    def model(self) -> Model:
        return example_model(self.eqs, self.symbolic)

    @cached_property
    def view(self) -> Denoc:
        """The book's dense quantities at the state."""
        g = np.array(self.model.gravity.components(), dtype=np.float64)
        return Denoc(self.model, self.q, self.qd, self.qdd, g)

    def run(self, name: str, *state: Array) -> Array:
        """One of the recursions over the numbers of the formulas."""
        columns = [cast("list[float]", x.tolist()) for x in state]
        return np.array(ALGORITHMS[name].run(self.model, Floats(), columns, Conditions())[0], dtype=np.float64)

    def link_pose(self, i: int) -> Array:
        """The frame of link i in the world, in numbers."""
        return self._at_state(forward_kinematics, link_frames(self.eqs.robot, self.symbolic)[i - 1])

    @cached_property
    def tip_pose(self) -> Array:
        return self._at_state(forward_kinematics, self._tip)

    @cached_property
    def tip_jacobian(self) -> Array:
        return self._at_state(jacobian, self._tip)

    @property
    def _tip(self) -> Frame:
        return symbolic_frame(self.eqs.robot, self.symbolic, self.symbolic, self.eqs.robot.frame_name())

    def number(self, expression: Expr) -> float:
        """The value of a constant of the symbolic robot."""
        return float(Point(self.eqs.values).const(expression)) if not self.eqs.valueless else float("nan")

    def _at_state(self, recursion: Callable[..., Any], frame: Frame) -> Array:
        """The value of a quantity of a frame."""
        point = Point(self.eqs.values)
        rows = [Vec3(*map(point.const, row.components())) for row in (frame.pose.R.x, frame.pose.R.y, frame.pose.R.z)]
        placed = Frame(frame.link, Pose(Mat3(*rows), Vec3(*map(point.const, frame.pose.o.components()))))
        return np.array(recursion(self.model, Floats(), self.q.tolist(), placed), dtype=np.float64)

    @cached_property
    def gravity_torque(self) -> Array:
        return -self.view.N.T @ self.view.w_gravity

    @cached_property
    def friction(self) -> Array:
        return np.array(friction_torque(self.model, Floats(), cast("list[float]", self.qd.tolist())), dtype=np.float64)

    @cached_property
    def springs(self) -> Array:
        return np.array(spring_torque(self.model, Floats(), cast("list[float]", self.q.tolist())), dtype=np.float64)

    @cached_property
    def torque(self) -> Array:
        """Torque of the motion, with rotors, springs and friction."""
        if self.eqs.symbolic.turning_rows:  # of which there is no dense view
            return self.run("inverse_dynamics", self.q, self.qd, self.qdd)
        return self.view.tau + self.view.armature * self.qdd + self.springs + self.friction

    @cached_property
    def forward_possible(self) -> bool:
        """Whether every joint moves some inertia."""
        if self.eqs.symbolic.turning_rows:
            return bool(np.linalg.matrix_rank(self.run("mass_matrix", self.q).reshape(self.n, self.n)) == self.n)
        try:
            return bool(np.isfinite(self.view.m_hat).all())
        except SingularError:
            return False

    @property
    def drive_in_general(self) -> str:
        """What the actuator of joint i supplies in addition to moving the links, as LaTeX."""
        rotor = r" + \mathit{armature}_i \ddot{\theta}_i" if self.geared else ""
        return rotor + (r" + \kappa_i" if self.sprung else "") + (" + f_i" if self.frictional else "")

    def drive(self, i: int) -> str:
        """The same for one joint, if it has a rotor, a spring or friction."""
        body, write = self.bodies[i - 1], Typesetter().write
        rotor = f" + {write(body.armature)} {write(self.eqs.qdd[i - 1])}" if body.armature != 0 else ""
        spring = rf" + \kappa_{{{i}}}" if body.stiffness != 0 else ""
        return rotor + spring + (f" + f_{{{i}}}" if body.damping != 0 or body.coulomb != 0 else "")

    def comparison(self, name: str, arguments: str) -> str:
        """A notebook cell that compares a quantity of the equations with the robot's."""
        ours, theirs = f"eqs.evaluate({name!r}, {arguments})", f"robot.{name}({arguments})"
        if self.eqs.valueless:
            return theirs
        return ours if self.eqs.contradictions else f"np.allclose({ours}, {theirs})"

    # --- properties of the robot ---------------------------------------------------------------------------------

    @property
    def serial(self) -> bool:
        return all(body.parent == i for i, body in enumerate(self.bodies))

    @cached_property
    def cut_points(self) -> list[tuple[int, int, Array]]:
        """Where loops are cut: the link that carries a frame (0: the ground), the loop, and its origin in the world."""
        arith = Floats()
        placed = poses(self.model, arith, propagations(self.model, arith, cast("list[float]", self.q.tolist())))
        found: list[tuple[int, int, Array]] = []
        for k, loop in enumerate(self.model.loops, start=1):
            for frame in (loop.A, loop.B) if loop.kind != "gear" else ():
                at = (placed[frame.link] @ frame.pose).o
                found.append((frame.link, k, np.array(at.components(), dtype=np.float64)))
        return found

    def children(self, i: int) -> list[int]:
        return [k for k, body in enumerate(self.bodies, start=1) if body.parent == i]

    @property
    def revolute(self) -> list[int]:
        return [i for i, body in enumerate(self.bodies, start=1) if body.kind == "revolute"]

    @property
    def prismatic(self) -> list[int]:
        return [i for i, body in enumerate(self.bodies, start=1) if body.kind == "prismatic"]

    @property
    def geared(self) -> list[int]:
        """Joints with a rotor."""
        return [i for i, body in enumerate(self.bodies, start=1) if body.armature != 0]

    @property
    def frictional(self) -> bool:
        return any(body.damping != 0 or body.coulomb != 0 for body in self.bodies)

    @property
    def sprung(self) -> bool:
        """Whether some joint has a spring."""
        return any(body.stiffness != 0 for body in self.bodies)

    @property
    def heavy(self) -> bool:
        """Whether gravity acts."""
        return any(g != 0 for g in self.eqs.symbolic.gravity)

    @cached_property
    def normal(self) -> Array | None:
        """Normal of the plane of motion: along revolute axes, perpendicular to prismatic ones; None if spatial."""
        e, turns = self.view.e, self.view.revolute
        if not turns.any():
            return None
        found = e[turns][0]
        along = np.abs(e @ found)
        return found if np.allclose(along, turns.astype(np.float64), rtol=0, atol=_PARALLEL) else None

    @property
    def planar(self) -> bool:
        return self.normal is not None

    @property
    def planar_arm(self) -> bool:
        """Whether it is like the book's planar examples: a serial chain of revolute joints about Z."""
        upright = self.normal is not None and abs(float(self.normal[2])) > 1 - _PARALLEL
        return bool(upright and self.serial and not self.prismatic)

    @cached_property
    def rods(self) -> bool:
        """A planar arm of uniform slender rods, the first joint at the origin."""
        if not self.planar_arm:
            return False
        for b in self.bodies:
            a, m = b.end[0], b.mass
            spin = m * a**2 / 12
            wanted = (a / 2, 0, 0, 0, 0, 0, spin, 0, spin, 0, 0)
            found = (*b.centre, *b.inertia, *b.end[1:])
            if (
                a == 0
                or b.armature != 0
                or b.zero != 0
                or any(sp.expand(x - y) for x, y in zip(found, wanted, strict=True))
            ):
                return False
        return not any(self.bodies[0].offset)

    # --- vectors in the world's axes, symbolic -------------------------------------------------------------------

    def _world(self, i: int, v: tuple[Expr, ...]) -> list[Expr]:
        closed = self.eqs.closed
        R = closed.poses[i].R
        parts = [closed.arith.element(x) for x in v]
        found: list[Expr] = []
        for row in (R.x, R.y, R.z):
            total: Poly = closed.arith.ring.zero
            for a, b in zip(row.components(), parts, strict=True):
                total = total + a * b
            found.append(closed.write(total))
        return found

    def _centre(self, i: int) -> list[Poly]:
        """C_i in the world."""
        pose = self.eqs.closed.poses[i]
        d = Vec3(*(self.eqs.closed.arith.element(x) for x in self.bodies[i - 1].centre))
        return list((pose.R @ d + pose.o).components())

    def c(self, i: int, j: int) -> list[Expr]:
        """From C_i to C_j."""
        return [self.eqs.closed.write(b - a) for a, b in zip(self._centre(i), self._centre(j), strict=True)]

    def c_dot(self, i: int, j: int) -> list[Expr]:
        """Its rate."""
        closed = self.eqs.closed
        (qd,) = closed.state(("qd",))
        found: list[Expr] = []
        for a, b in zip(self._centre(i), self._centre(j), strict=True):
            parts = [closed.along(b - a, k) * rate for k, rate in enumerate(qd)]
            found.append(closed.write(sum(parts, closed.arith.ring.zero)))
        return found

    def motion(self, i: int, j: int) -> list[Expr]:
        """B_ij p_j: the twist of link i at C_i for a unit rate of joint j."""
        closed, pose = self.eqs.closed, self.eqs.closed.poses[j]
        axis = Vec3(pose.R.x.z, pose.R.y.z, pose.R.z.z)
        zero = closed.arith.ring.zero
        if self.bodies[j - 1].kind == "revolute":
            ang, lin = axis, axis.cross(Vec3(*self._centre(i)) - pose.o)
        else:
            ang, lin = Vec3(zero, zero, zero), axis
        return [closed.write(x) for x in (*ang.components(), *lin.components())]

    def e(self, i: int) -> list[Expr]:
        """The unit vector along joint i."""
        return self._world(i, (0, 0, 1))

    def d(self, i: int) -> list[Expr]:
        """From O_i to C_i. A prismatic joint moves its link's origin by b_i from the joint."""
        body = self.bodies[i - 1]
        x, y, z = body.centre
        along = self.eqs.q[i - 1] + body.zero if body.kind == "prismatic" else 0
        return self._world(i, (x, y, z + along))

    def r(self, i: int, child: int | None = None) -> list[Expr]:
        """From C_i to the joint of a child, or to the tip where none is given."""
        body = self.bodies[i - 1]
        end = body.end if child is None else self.bodies[child - 1].offset
        return self._world(i, tuple(a - b for a, b in zip(end, body.centre, strict=True)))

    def r_number(self, i: int, child: int | None = None) -> Array:
        """The same in numbers."""
        return self.view.r[i - 1] if child is None else self.view.O[child - 1] - self.view.C[i - 1]

    def e_cross_d(self, i: int) -> list[Expr]:
        x, y, _ = self.bodies[i - 1].centre
        return self._world(i, (-y, x, 0))

    def composite(self, i: int) -> tuple[Expr, list[Expr], list[list[Expr]]]:
        """m_tilde_i, delta_tilde_i and I_tilde_i of (9.14), about C_i, in the axes of link i."""
        closed, body = self.eqs.closed, self.bodies[i - 1]
        M = closed.composites[i - 1]
        d = [closed.arith.element(x) for x in body.centre]
        h, S = M.h.components(), M.S.full()
        rows = [row.components() for row in (S.x, S.y, S.z)]
        delta = [M.m * a - b for a, b in zip(d, h, strict=True)]  # C_i minus the other mass centres
        about = [[rows[a][b] - h[a] * d[b] - d[a] * h[b] + M.m * d[a] * d[b] for b in range(3)] for a in range(3)]
        trace = about[0][0] + about[1][1] + about[2][2]
        inertia = [[(trace - about[a][b]) if a == b else -about[a][b] for b in range(3)] for a in range(3)]
        write = closed.write
        return write(M.m), [write(x) for x in delta], [[write(x) for x in row] for row in inertia]


def total_operations(*groups: list[Expr]) -> int:
    return sum(operations(e) for group in groups for e in group)


def default_state(revolute: list[bool]) -> tuple[Array, Array, Array]:
    """A generic state: 30 and 45 degrees, different rates and accelerations."""
    dof = len(revolute)
    angles = np.resize(np.array([np.pi / 6, np.pi / 4, -np.pi / 3]), dof)
    q = np.where(revolute, angles, 0.4)
    return q, np.resize(np.array([1.0, -0.5, 0.8]), dof), np.resize(np.array([0.5, 1.5, -1.0]), dof)


def _default_q(eqs: Equations, single: Array) -> Array:
    """With a rotation of 60 degrees about an axis that is along none of the link's."""
    found: list[float] = []
    for body, value in zip(eqs.symbolic.bodies, cast("list[float]", single.tolist()), strict=True):
        if body.single:
            found.append(value)
        elif not body.continues:
            found += [0.4, 0.2, 0.3][: body.coordinates - QUATERNION_SIZE]
            found += [1 / 6, 1 / 3, 1 / 3, math.sqrt(3) / 2]
    return np.array(found)


def example_state(eqs: Equations, q: Array | None, qd: Array | None, qdd: Array | None) -> tuple[Array, Array, Array]:
    """The given parts of a state, with defaults for the rest."""
    chosen = default_state([body.kind == "revolute" for body in eqs.symbolic.bodies])
    if eqs.symbolic.turning_rows:
        chosen = (_default_q(eqs, chosen[0]), *chosen[1:])
    first, second, third = (a if a is not None else b for a, b in zip((q, qd, qdd), chosen, strict=True))
    for start, body in zip(eqs.symbolic.starts, eqs.symbolic.bodies, strict=True):
        turn = first[start + body.coordinates - QUATERNION_SIZE : start + body.coordinates]
        if body.coordinates > 1 and not is_unit(cast("list[float]", turn.tolist())):
            raise InputError(f"q: expected a quaternion x y z w of norm 1, got {', '.join(f'{x:g}' for x in turn)}")
    return first, second, third
