"""Rolling without slip: the rows of all contacts, the rates that follow from the independent ones, and the forces.

The point of a wheel that touches the ground is at rest. With z the normal of the ground and a the axle, e is the
direction in the plane of the wheel that leads most steeply from the ground, and the contact is at hub - r e; t = a x e
is the heading, and z x t points to the left. A row is the velocity of that point in one direction d, and so its
multiplier is the force of the ground in that direction. The spin is kept apart from the link that carries the axle: its
share is -r t . d, and what is left does not depend on the angle of the wheel.
"""

from __future__ import annotations

from collections.abc import Sequence

from redyn.algebra import Arithmetic, Propagation, Scalar, Vec3, Wrench, is_zero
from redyn.arithmetic.duals import Duals
from redyn.dynamics.constraints import Push, jacobian_row
from redyn.dynamics.kinematics import coordinate_rates, poses, propagations
from redyn.dynamics.least_squares import QR, SINGULAR
from redyn.errors import InputError
from redyn.model import Contact, Coupling, Model, RateMap, Rolling
from redyn.model.coupling import ConstantMap
from redyn.model.rolling import HEADING, LATERAL, ROLLER, VERTICAL

Rows = list[list[Scalar]]


def rate_map(model: Model, arith: Arithmetic, q: Sequence[Scalar] | None) -> RateMap:
    """G of a model some of whose rates depend on others, at the whole q of its tree."""
    reduction = model.reduction
    if isinstance(reduction, Rolling):
        if q is None:
            raise InputError("with wheels that roll, this depends on q as well: rates of joints follow from it")
        return RollingMap(model, reduction, arith, q)
    assert isinstance(reduction, Coupling)
    return ConstantMap(reduction, arith)


def contact_rows(
    model: Model, arith: Arithmetic, q: Sequence[Scalar], contacts: Sequence[Contact], up: Vec3
) -> list[Rows]:
    """A(q): of every contact, a row with an entry per link for each of its own rows."""
    B = propagations(model, arith, q)
    placed = poses(model, arith, B)
    const = arith.const
    normal = Vec3(const(up.x), const(up.y), const(up.z))
    return [_rows_of(model, arith, B, contact, placed[contact.carrier].R.T @ normal) for contact in contacts]


def _rows_of(model: Model, arith: Arithmetic, B: Sequence[Propagation], contact: Contact, z: Vec3) -> Rows:
    """`z`: the normal of the ground in the axes of the carrier."""
    return [jacobian_row(model, arith, B, _push(arith, contact, row, z), 0) for row in contact.rows]


def _push(arith: Arithmetic, contact: Contact, row: int, z: Vec3) -> Push:
    """A unit force of the ground on a contact."""
    const = arith.const
    a, hub = (Vec3(const(v.x), const(v.y), const(v.z)) for v in (contact.axle, contact.hub))
    if contact.kind == "blade":
        direction = a if row == LATERAL else z
        return Push(wrenches={contact.carrier: Wrench(hub.cross(direction), direction)})
    radius = const(contact.radius)
    e = z if contact.upright else _steepest(arith, a, z)
    t = a.cross(e)
    left = a if contact.upright else z.cross(t)
    c, s = (const(x) for x in contact.roller)
    direction, share = {
        HEADING: (t, const(1.0)),
        LATERAL: (left, const(0.0)),
        VERTICAL: (z, const(0.0)),
        ROLLER: (t * c + left * s, c),
    }[row]
    at = hub - e * radius
    torques = {contact.spin: -(radius * share)} if contact.spin and not is_zero(share) else {}
    return Push(torques=torques, wrenches={contact.carrier: Wrench(at.cross(direction), direction)})


def _steepest(arith: Arithmetic, a: Vec3, z: Vec3) -> Vec3:
    across = z - a * a.dot(z)
    return across * (1 / arith.sqrt(across.dot(across)))


class RollingMap:
    """The `RateMap` of wheels at one configuration."""

    def __init__(self, model: Model, rolling: Rolling, arith: Arithmetic, q: Sequence[Scalar]) -> None:
        self._model, self._rolling, self._arith, self._q = model, rolling, arith, q
        self.A = self._rows(arith, q)
        self._factors = QR(arith, [[row[i] for i in rolling.dependent] for row in self.A])
        units = range(len(rolling.independent))
        one, zero = arith.const(1.0), arith.const(0.0)
        self.columns: Rows = []  # of G
        for k, link in enumerate(rolling.independent):
            found = self._factors.solve([-row[link] for row in self.A])
            column = dict(zip(rolling.dependent, found, strict=True))
            column |= {other: one if i == k else zero for i, other in zip(units, rolling.independent, strict=True)}
            self.columns.append([column[i] for i in range(rolling.n)])
        self._along: Sequence[Scalar] | None = None  # the rates along which A_dot was taken last
        self._A_dot: Rows = []

    def _rows(self, arith: Arithmetic, q: Sequence[Scalar]) -> Rows:
        """A, as far as its rows count."""
        rolling = self._rolling
        every = contact_rows(self._model, arith, q, rolling.contacts, rolling.up)
        return [every[k][rolling.contacts[k].rows.index(row)] for k, row in rolling.rows]

    def to_tree(self, u: Sequence[Scalar]) -> list[Scalar]:
        total = [self._arith.const(0.0)] * self._rolling.n
        for x, column in zip(u, self.columns, strict=True):
            total = [t if is_zero(g) or is_zero(x) else t + g * x for t, g in zip(total, column, strict=True)]
        return total

    def bias(self, qd: Sequence[Scalar], u: Sequence[Scalar]) -> list[Scalar]:
        """A G = 0 at every q, so that A (G_dot u) = -A_dot (G u), and the independent rates have none."""
        moved, rolling = self.to_tree(u), self._rolling
        needed = [-_dot(row, moved, self._arith) for row in self._slopes(qd)]
        found = dict(zip(rolling.dependent, self._factors.solve(needed), strict=True))
        zero = self._arith.const(0.0)
        return [found.get(i, zero) for i in range(rolling.n)]

    def _slopes(self, qd: Sequence[Scalar]) -> Rows:
        """A_dot along the rates of all links."""
        if self._along is not qd:
            rates = coordinate_rates(self._model, self._arith, self._q, qd)
            duals = Duals(self._arith)
            moving = [duals.variable(x, [rate]) for x, rate in zip(self._q, rates, strict=True)]
            self._A_dot = [[duals.slopes(x, 1)[0] for x in row] for row in self._rows(duals, moving)]
            self._along = qd
        return self._A_dot

    def to_forces(self, forces: Sequence[Scalar]) -> list[Scalar]:
        return [_dot(column, forces, self._arith) for column in self.columns]

    @property
    def guards(self) -> list[Scalar]:
        """Positive as long as the independent rates determine the others."""
        dependent = [[row[i] for i in self._rolling.dependent] for row in self.A]
        return self._factors.pivots(dependent, SINGULAR)

    def multipliers(self, forces: Sequence[Scalar]) -> list[Scalar]:
        """lambda of the rows, A^T lambda being the forces at the dependent rates."""
        return self._factors.solve_transposed([forces[i] for i in self._rolling.dependent])


def _dot(a: Sequence[Scalar], b: Sequence[Scalar], arith: Arithmetic) -> Scalar:
    total = arith.const(0.0)
    for x, y in zip(a, b, strict=True):
        if not (is_zero(x) or is_zero(y)):
            total = total + x * y
    return total
