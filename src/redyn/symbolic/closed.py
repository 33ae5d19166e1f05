"""The recursions of redyn.dynamics over polynomials, and their results as expressions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import Any, cast

from redyn.algebra import MassMatrix, Mat3, Pose, Scalar, Vec3
from redyn.dynamics.algorithm import Conditions
from redyn.dynamics.catalogue import ALGORITHMS
from redyn.dynamics.inertia import composite_masses
from redyn.dynamics.kinematics import poses, propagations
from redyn.errors import InputError
from redyn.model import Frame, Model
from redyn.symbolic.bodies import SymbolicRobot, symbolic_model
from redyn.symbolic.flexible.beams import beam_constants, bent_angles
from redyn.symbolic.lagrange import Energies, Lagrange, directions, energies, lagrange
from redyn.symbolic.newton_euler import FreeBody, newton_euler
from redyn.symbolic.notation import Expr, sp
from redyn.symbolic.polynomials import Poly, Polynomials, letters
from redyn.symbolic.trigonometry import Writer, is_zero

LARGEST = 60_000  # terms of one closed form; longer ones are slow and unreadable


class ClosedForms:
    """Polynomials of every quantity, computed on first use."""

    def __init__(self, robot: SymbolicRobot, model: Model, expand: bool = False) -> None:
        """`expand`: formulas with every product multiplied out."""
        self.robot = robot
        self.model = without_friction(symbolic_model(model, robot))
        joints = [letters(angle + robot.bodies[i].zero, True) for i, angle in robot.angles]
        joints += [letters(angle, True) for angle in bent_angles(robot)]
        twists = {t.angle for b in robot.bodies for t in b.turns if t.cosine.free_symbols}
        twists |= {b.end_twist for b in robot.bodies if b.end_twist.free_symbols}
        rollers = [sp.sympify(x) for contact in robot.contacts for x in contact.roller]
        clamps = [x for body in robot.bodies if body.beam for x in beam_constants(body.beam)]
        twists |= {wave.args[0] for x in (*rollers, *clamps) for wave in x.atoms(sp.cos, sp.sin)}
        self.arith = Polynomials([*joints, *map(letters, sorted(twists, key=str))], self._symbols(), robot.quaternions)
        rates = [robot.qd[i] for i, _ in robot.angles]
        self.writer = Writer(self.arith, parallel_runs(robot), rates, robot.rates_about_points, expand)
        self.over = self.model.over(self.arith)
        self.write = cache(self.writer.write)  # equal polynomials are written once
        self.run = cache(self._run)
        self.free_bodies = cache(self._free_bodies)
        self.lagrange = cache(self._lagrange)

    def _symbols(self) -> set[Expr]:
        found: set[Expr] = {*self.robot.q, *self.robot.qd, *self.robot.qdd, *self.robot.body_rates}
        for body in self.robot.bodies:
            constants = [
                body.mass,
                body.zero,
                body.armature,
                body.stiffness,
                body.rest,
                *body.offset,
                *body.centre,
                *body.inertia,
                *body.end,
            ]
            constants += [body.gear_stiffness, *(beam_constants(body.beam) if body.beam else ())]
            constants += [x for t in body.turns for x in (t.cosine, t.sine)]
            found = found.union(*(x.free_symbols for x in constants))
        for loop in self.robot.loops:
            entries = [x for frame in (loop.A, loop.B) for x in frame.pose.o.components()]
            found = found.union(*(sp.sympify(x).free_symbols for x in (*entries, *loop.numbers)))
        for contact in self.robot.contacts:
            constants = (*contact.hub.components(), *contact.axle.components(), *contact.roller, contact.radius)
            found = found.union(*(sp.sympify(x).free_symbols for x in constants))
        return found.union(*(x.free_symbols for x in (*self.robot.gravity, *(self.robot.tip or ()))))

    def state(self, names: Sequence[str]) -> list[list[Poly]]:
        symbols = {"q": self.robot.q, "qd": self.robot.qd, "qdd": self.robot.qdd}
        return [[self.arith.element(x) for x in symbols[name]] for name in names]

    def _run(self, name: str) -> list[Poly]:
        """Runs one recursion; its first output, flattened."""
        algorithm = ALGORITHMS[name]
        world = Conditions(frame=self._tip()) if "frame" in algorithm.options else Conditions()
        flat = [self.arith.reduced(p) for p in algorithm.run(self.over, self.arith, self._columns(name), world)[0]]
        self.guard(name, flat)
        return flat

    def _columns(self, name: str) -> Any:
        return self.state(ALGORITHMS[name].state)

    def guard(self, name: str, flat: Sequence[Poly], instead: str = "") -> None:
        largest = max(map(len, flat), default=0)
        if largest > LARGEST:
            instead = instead or f"steps({name!r}) gives named intermediates"
            raise InputError(
                f"{name}: a closed form of {largest} terms is too long; {instead}, and numbers= or where= make it "
                f"shorter"
            )

    def _tip(self) -> Frame:
        zero, one = self.arith.const(cast(Scalar, 0.0)), self.arith.const(cast(Scalar, 1.0))
        assert self.robot.tip is not None
        o = [self.arith.element(x) for x in self.robot.tip]
        unit = Mat3(Vec3(one, zero, zero), Vec3(zero, one, zero), Vec3(zero, zero, one))
        return Frame(self.robot.tip_link, Pose(unit, Vec3(*o)))

    def matrix(self, name: str) -> list[list[Poly]]:
        flat, n = self.run(name), self.robot.dof
        return [flat[n * i : n * i + n] for i in range(len(flat) // n)]

    def written(self, entries: Sequence[Sequence[Poly]]) -> Any:
        """A SymPy matrix."""
        return sp.ImmutableMatrix([[self.write(p) for p in row] for row in entries])

    def write_torque(self, p: Poly) -> Expr:
        """Collected as an equation of motion: terms in accelerations, then in rates, then the rest."""
        total, rest = sp.Integer(0), p
        for qdd in self.robot.qdd:
            x = self.arith.element(qdd)
            coefficient = p.diff(x)
            total += self.write(coefficient) * qdd
            rest = rest - coefficient * x
        indices = [self.arith.index(qd) for qd in self.robot.qd]
        moving = self.arith.ring.from_dict({m: v for m, v in rest.terms() if any(m[k] for k in indices)})
        return total + self.write(moving) + self.write(rest - moving)

    def minor(self, rows: Sequence[int], columns: Sequence[int]) -> Expr:
        """A minor of the mass matrix; a row with a single nonzero entry reduces to a product."""
        M = self.matrix("mass_matrix")
        for i, row in enumerate(rows):
            entries = [(j, M[row][column]) for j, column in enumerate(columns) if M[row][column]]
            if len(entries) > 1:
                continue
            if not entries:
                return sp.Integer(0)
            ((j, entry),) = entries
            rest = self.minor([*rows[:i], *rows[i + 1 :]], [*columns[:j], *columns[j + 1 :]])
            return (-1) ** (i + j) * self.write(entry) * rest
        return self.write(self._expanded_minor(rows, columns))

    def _expanded_minor(self, rows: Sequence[int], columns: Sequence[int]) -> Poly:
        M = self.matrix("mass_matrix")
        if not rows:
            return self.arith.ring.one
        total = self.arith.ring.zero
        for k, column in enumerate(columns):
            entry = M[rows[0]][column]
            if entry:
                rest = [*columns[:k], *columns[k + 1 :]]
                term = entry * self._expanded_minor(rows[1:], rest)
                total = total - term if k % 2 else total + term
        total = self.arith.reduced(total)
        self.guard("determinant of the mass matrix", [total])
        return total

    @cached_property
    def poses(self) -> list[Pose]:
        """Axes and origin of every link in world coordinates; entry 0 is the world."""
        (q,) = self.state(("q",))
        return poses(self.over, self.arith, propagations(self.over, self.arith, q))

    @cached_property
    def composites(self) -> list[MassMatrix]:
        """M_tilde_i at the joint, in link axes (9.11d)."""
        (q,) = self.state(("q",))
        return composite_masses(self.over, propagations(self.over, self.arith, q))

    # --- the other two derivations -------------------------------------------------------------------------------

    def _free_bodies(self) -> list[FreeBody]:
        q, qd, qdd = self.state(("q", "qd", "qdd"))
        return newton_euler(self.robot, q, qd, qdd, self.arith.const, self.arith.sincos)

    def _lagrange(self) -> Lagrange:
        (q,) = self.state(("q",))
        found = energies(self.robot, q, self.arith.const, self.arith.sincos)
        reduced = self.arith.reduced
        at = Energies([[reduced(x) for x in row] for row in found.H], reduced(found.U))

        def derivative(k: int) -> Energies:
            return Energies([[self.along(x, k) for x in row] for row in at.H], self.along(at.U, k))

        return lagrange(at, derivative, self.arith.element(sp.Rational(1, 2)), self.robot.turning_rows)

    def along(self, p: Poly, k: int) -> Poly:
        """The derivative of a function of q along a unit rate k: by q_k, but for joints that turn about a point."""
        total = self.arith.ring.zero
        for symbol, rate in zip(self.robot.q, self._unit_rates[k], strict=True):
            if rate:
                total = total + self.arith.derivative(p, symbol) * rate
        return self.arith.of_unit_norm(total)

    @cached_property
    def _unit_rates(self) -> list[list[Poly]]:
        """q_dot for a unit of each rate: the columns of E(q)."""
        (q,) = self.state(("q",))
        return directions(self.robot, q, self.arith.const)

    def same(self, a: Poly, b: Poly) -> bool:
        """Whether two polynomials are equal for all angles."""
        return is_zero(a - b, self.arith)


def without_friction(model: Model) -> Model:
    """Friction contains a square root, so it is kept apart from the polynomials."""
    return replace(
        model,
        links=tuple(
            replace(link, joint=replace(link.joint, damping=0.0, coulomb=0.0, smoothing=1.0, gear_damping=0.0))
            for link in model.links
        ),
    )


def parallel_runs(robot: SymbolicRobot) -> list[list[int]]:
    """Runs of revolute joints with parallel axes, as indices among these; prismatic joints may lie between."""
    revolute = [i for i, _ in robot.angles]
    last: dict[int, int] = {}  # body -> the last revolute joint before it with a parallel axis
    chained: dict[int, int] = {}  # revolute joint -> the previous one in its run
    motors = {motor for _, motor, _ in robot.geared}  # they carry nothing: no angle is added to theirs
    for i, body in enumerate(robot.bodies):
        before = last.get(body.parent - 1) if body.parent and not body.turns and i not in motors else None
        if not body.single:
            continue
        if body.kind != "revolute":
            if before is not None:
                last[i] = before
            continue
        if before is not None and before not in chained.values():  # at a fork, one branch continues the run
            chained[i] = before
        last[i] = i
    runs: list[list[int]] = []
    for i in revolute:
        if i in chained:
            next(run for run in runs if run[-1] == revolute.index(chained[i])).append(revolute.index(i))
        else:
            runs.append([revolute.index(i)])
    return runs
