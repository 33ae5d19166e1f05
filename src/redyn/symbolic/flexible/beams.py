"""Beams in the derivation after Lagrange: columns of their particles, and integrals over products of these.

Nothing is shared with redyn.dynamics.beams but the constants. A point of a beam is at

    r(x) = x X + sum phi_k(x) e_k Y_k - sum H_kl(x) e_k e_l X / 2,      Y_k the axis along which mode k bends,

in the axes of its root: a sum of functions of x times vectors. So is its velocity, per unit rate of each coordinate,
and the integral of a product of two such sums needs the integrals of products of functions alone. Those of phi_k H_lm
and H_kl H_mn are of third and fourth order in the amplitudes, and left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from redyn.algebra import RotationX, RotationZ, Vec3
from redyn.model import Beam
from redyn.model.beam import BEAM_MATRICES, BEAM_VECTORS
from redyn.symbolic.bodies import SymbolicRobot
from redyn.symbolic.newton_euler import Convert, SinCos, Vector, apply, cross, plus
from redyn.symbolic.notation import Expr, sp

Function = tuple[str, int, int]  # one, x, phi_k or H_kl
Sums = dict[Function, Vector]  # a vector times each function of x

ONE, X = ("one", 0, 0), ("x", 0, 0)


def beam_constants(beam: Beam) -> list[Expr]:
    """All of them."""
    found: list[Any] = [beam.length, beam.M.m, beam.M.h.x, beam.M.S.xx, beam.M.S.yy, *beam.offset.components()]
    found += [x for name in BEAM_VECTORS for x in getattr(beam, name)]
    found += [x for name in BEAM_MATRICES for row in getattr(beam, name) for x in row]
    found += [x for turn in beam.rotations if isinstance(turn, RotationX | RotationZ) for x in (turn.c, turn.s)]
    return [sp.sympify(x) for x in found]


def bent_angles(robot: SymbolicRobot) -> list[Expr]:
    """By which the tips of beams turn: u_y', u_z' and the twist, as far as there are such modes."""
    found: list[Expr] = []
    for i, body in enumerate(robot.bodies):
        if body.beam is not None:
            angles = tip_angles(body.beam, robot.q[i : i + body.beam.modes], sp.sympify)
            found += [angle for angle in angles if angle != 0]
    return found


def tip_angles(beam: Beam, e: Sequence[Any], convert: Convert) -> tuple[Any, Any, Any]:
    """u_y', u_z' and the twist of the tip."""
    y, bending = beam.along_y, beam.bending
    parts = ((beam.slope[:y], e[:y]), (beam.slope[y:], e[y:bending]), (beam.twist, e[bending:]))
    sums = (sum((convert(a) * b for a, b in zip(*part, strict=True)), convert(0)) for part in parts)
    about_z, about_y, about_x = sums
    return about_z, about_y, about_x


@dataclass(frozen=True)
class Root:
    """Origin and axes of the root of a beam in the world."""

    O: Vector
    axes: list[Vector]  # X, Y and Z of the root


def root_of(beam: Beam, O: Vector, R: Sequence[Vector], convert: Convert) -> Root:
    """Given origin and axes (columns of R) of the link that carries it."""
    axes: list[Vector] = []
    for k in range(3):
        v = Vec3(*(convert(int(i == k)) for i in range(3)))
        for turn in reversed(_converted(beam, convert)):
            v = turn.to_parent(v)
        axes.append(apply(R, list(v.components())))
    return Root(plus(O, apply(R, [convert(x) for x in beam.offset.components()])), axes)


def _converted(beam: Beam, convert: Convert) -> list[RotationX | RotationZ]:
    turns = (turn for turn in beam.rotations if isinstance(turn, RotationX | RotationZ))  # there are no others
    return [type(turn)(convert(turn.c), convert(turn.s)) for turn in turns]


class Particles:
    """Of one beam at its elastic coordinates."""

    def __init__(self, beam: Beam, e: Sequence[Any], root: Root, convert: Convert) -> None:
        self.beam, self.e, self.root, self.convert = beam, e, root, convert
        self.zero, self.half = convert(0), convert(sp.Rational(1, 2))

    def _along(self, k: int) -> Vector:
        """The axis along which mode k bends."""
        return self.root.axes[1 if k < self.beam.along_y else 2]

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Of modes that bend along the same axis."""
        count = range(self.beam.bending)
        return [(k, l) for k in count for l in count if self.beam.same_plane(k, l)]

    @property
    def place(self) -> Sums:
        """From the root to a point of the centre line, in the world."""
        found: Sums = {X: self.root.axes[0]}
        for k in range(self.beam.bending):
            found[("phi", k, 0)] = _times(self._along(k), self.e[k])
        for k, l in self.pairs:
            found[("H", k, l)] = _times(self.root.axes[0], -self.half * self.e[k] * self.e[l])
        return found

    def carried(self, axis: Vector, linear: Vector) -> Sums:
        """Velocities where the root turns about `axis` and its origin moves by `linear`, per unit rate."""
        return {ONE: linear} | {function: cross(axis, v) for function, v in self.place.items()}

    def bending(self, k: int) -> Sums:
        """Velocities for a unit rate of mode k, which bends."""
        found: Sums = {("phi", k, 0): self._along(k)}
        for a, l in self.pairs:
            if a == k:
                found[("H", k, l)] = _times(self.root.axes[0], -self.e[l])
        return found

    def integral(self, f: Function, g: Function) -> Any:
        """Of the product of two functions, dm."""
        beam, (a, b) = self.beam, sorted((f, g), key=lambda item: ("one", "x", "phi", "H").index(item[0]))
        match a[0], b[0]:
            case "one", "one":
                found = beam.M.m
            case "one", "x":
                found = beam.M.h.x
            case "x", "x":
                found = beam.M.S.xx + beam.M.S.yy
            case "one", "phi":
                found = beam.S[b[1]]
            case "x", "phi":
                found = beam.W[b[1]]
            case "phi", "phi":
                found = beam.G[a[1]][b[1]]
            case "one", "H":
                found = beam.P[b[1]][b[2]]
            case "x", "H":
                found = beam.R[b[1]][b[2]]
            case _:
                return self.zero
        return self.convert(found)

    def product(self, a: Sums, b: Sums) -> Any:
        """The integral of a . b dm."""
        total = self.zero
        for f, v in a.items():
            for g, w in b.items():
                total = total + self.integral(f, g) * dot(v, w)
        return total

    def weight(self, g: Vector) -> Any:
        """-g . r dm, summed over all particles."""
        total = -self.convert(self.beam.M.m) * dot(g, self.root.O)
        for function, v in self.place.items():
            total = total - self.integral(ONE, function) * dot(g, v)
        return total

    def spin(self, a: Any, b: Any) -> Any:
        """What cross-sections add that turn about the beam with the rates a and b of the root."""
        return self.convert(2 * self.beam.M.S.yy) * a * b

    def at_tip(self) -> Vector:
        """From the root to the tip."""
        values = {X: self.beam.length} | {("phi", k, 0): x for k, x in enumerate(self.beam.tip)}
        values |= {("H", k, l): self.beam.H[k][l] for k, l in self.pairs}
        return self._at(self.place, values)

    def tip_velocity(self, k: int) -> Vector:
        """Of the tip, for a unit rate of mode k."""
        if k >= self.beam.bending:
            return [self.zero] * 3
        values: dict[Function, Any] = {("phi", k, 0): self.beam.tip[k]}
        values |= {("H", k, l): self.beam.H[k][l] for a, l in self.pairs if a == k}
        return self._at(self.bending(k), values)

    def tip_axes(self, sincos: SinCos) -> tuple[list[Vector], list[Vector]]:
        """The axes of the tip, X, Y and Z, and those about which it turns with u_y', u_z' and the twist."""
        (X_, Y_, Z_), turned_about = self.root.axes, list[Vector]()
        beam = self.beam
        about_z, about_y, about_x = tip_angles(beam, self.e, self.convert)
        turned_about.append(Z_)
        if beam.along_y:
            s, c = sincos(about_z)
            X_, Y_ = _mixed(X_, Y_, c, s), _mixed(Y_, X_, c, -s)
        turned_about.append(_times(Y_, self.convert(-1)))  # u_z' lifts the tip: about -y
        if beam.along_z:
            s, c = sincos(about_y)
            X_, Z_ = _mixed(X_, Z_, c, s), _mixed(Z_, X_, c, -s)
        turned_about.append(X_)
        if beam.torsion:
            s, c = sincos(about_x)
            Y_, Z_ = _mixed(Y_, Z_, c, s), _mixed(Z_, Y_, c, -s)
        return [X_, Y_, Z_], turned_about

    def tip_turn(self, k: int, about: Sequence[Vector]) -> Vector:
        """How the tip turns, for a unit rate of mode k."""
        if k >= self.beam.bending:
            return _times(about[2], self.convert(self.beam.twist[k - self.beam.bending]))
        return _times(about[0 if k < self.beam.along_y else 1], self.convert(self.beam.slope[k]))

    def _at(self, sums: Sums, values: dict[Function, Any]) -> Vector:
        total: Vector = [self.zero] * 3
        for function, v in sums.items():
            total = [t + self.convert(values[function]) * x for t, x in zip(total, v, strict=True)]
        return total


def _mixed(a: Vector, b: Vector, c: Any, s: Any) -> Vector:
    return [c * x + s * y for x, y in zip(a, b, strict=True)]


def _times(v: Vector, factor: Any) -> Vector:
    return [x * factor for x in v]


def dot(a: Vector, b: Vector) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
