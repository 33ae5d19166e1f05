"""Rolling without slip: the rows of all contacts, the rates that follow from the independent ones, and the forces.

The point of a wheel that touches the ground is at rest. With z the normal of the ground and a the axle, e is the
direction in the plane of the wheel that leads most steeply from the ground, and the contact is at hub - r e; t = a x e
is the heading, and z x t points to the left. A row is the velocity of that point in one direction d, and so its
multiplier is the force of the ground in that direction. The spin is kept apart from the link that carries the axle: its
share is -r t . d, and what is left does not depend on the angle of the wheel.
"""

from __future__ import annotations

from collections.abc import Sequence

from redyn.algebra import Arithmetic, Scalar, Vec3, Wrench, is_zero
from redyn.arithmetic.duals import Duals
from redyn.dynamics.constraints import Push, jacobian_row
from redyn.dynamics.kinematics import coordinate_rates, poses, propagations
from redyn.dynamics.least_squares import QR, SINGULAR
from redyn.errors import InputError
from redyn.model import Contact, Coupling, Model, RateMap, Rolling
from redyn.model.coupling import ConstantMap
from redyn.model.model import offsets
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


def contact_points(
    model: Model, arith: Arithmetic, q: Sequence[Scalar], contacts: Sequence[Contact], up: Vec3
) -> list[list[Scalar]]:
    """Where every contact touches the ground, in world axes."""
    placed = poses(model, arith, propagations(model, arith, q))
    found: list[list[Scalar]] = []
    for contact in contacts:
        pose = placed[contact.carrier]
        at, _, _ = _axes(arith, contact, pose.R.T @ _constant(arith, up))
        found.append(list((pose.o + pose.R @ at).components()))
    return found


class ContactRows:
    """A(q): of every contact, a row with an entry per link for each of its own rows."""

    def __init__(
        self, model: Model, arith: Arithmetic, q: Sequence[Scalar], contacts: Sequence[Contact], up: Vec3
    ) -> None:
        B = propagations(model, arith, q)
        self._placed = poses(model, arith, B)
        self._contacts, self._arith = contacts, arith
        normal = _constant(arith, up)
        self._pushes: list[list[Push]] = []
        self.rows: list[Rows] = []
        for contact in contacts:
            z = self._placed[contact.carrier].R.T @ normal
            pushes = [_push(arith, contact, row, z) for row in contact.rows]
            self._pushes.append(pushes)
            self.rows.append([jacobian_row(model, arith, B, push, 0) for push in pushes])

    def forces(self, multipliers: Sequence[Scalar]) -> list[Scalar]:
        """The force on every contact in world axes, given a multiplier for each row of each contact."""
        found: list[Scalar] = []
        before = 0
        for contact, pushes in zip(self._contacts, self._pushes, strict=True):
            zero = self._arith.const(0.0)
            total = Vec3(zero, zero, zero)
            for k, push in enumerate(pushes):
                total = total + push.wrenches[contact.carrier].force * multipliers[before + k]
            found += (self._placed[contact.carrier].R @ total).components()
            before += len(pushes)
        return found


def _constant(arith: Arithmetic, v: Vec3) -> Vec3:
    return Vec3(arith.const(v.x), arith.const(v.y), arith.const(v.z))


def _axes(arith: Arithmetic, contact: Contact, z: Vec3) -> tuple[Vec3, Vec3, Vec3]:
    """In the axes of the carrier: where it touches the ground, the heading and across it; z is the normal there."""
    a, hub = _constant(arith, contact.axle), _constant(arith, contact.hub)
    if contact.kind == "blade":
        return hub, a.cross(z), a
    e = z if contact.upright else _steepest(arith, a, z)
    t = a.cross(e)
    return hub - e * arith.const(contact.radius), t, a if contact.upright else z.cross(t)


def _push(arith: Arithmetic, contact: Contact, row: int, z: Vec3) -> Push:
    """A unit force of the ground on a contact."""
    const = arith.const
    at, t, left = _axes(arith, contact, z)
    c, s = (const(x) for x in contact.roller)
    direction, share = {
        HEADING: (t, const(1.0)),
        LATERAL: (left, const(0.0)),
        VERTICAL: (z, const(0.0)),
        ROLLER: (t * c + left * s, c),
    }[row]
    spins = contact.spin and not is_zero(share)
    torques = {contact.spin: -(const(contact.radius) * share)} if spins else {}
    return Push(torques=torques, wrenches={contact.carrier: Wrench(at.cross(direction), direction)})


def _steepest(arith: Arithmetic, a: Vec3, z: Vec3) -> Vec3:
    across = z - a * a.dot(z)
    return across * (1 / arith.sqrt(across.dot(across)))


class RollingMap:
    """The `RateMap` of wheels at one configuration.

    Where the velocity of a planar base is taken in its own axes, the rates of the tree are T times those that some of
    which are independent: T turns x and y by the angle of the base.
    """

    def __init__(self, model: Model, rolling: Rolling, arith: Arithmetic, q: Sequence[Scalar]) -> None:
        self._model, self._rolling, self._arith, self._q = model, rolling, arith, q
        self._turn = None if rolling.turned is None else arith.sincos(q[offsets(model.links)[rolling.turned + 2]])
        self._contacts, self.A = self._rows(arith, q)
        self._dependent = [[x for i, x in enumerate(self._to_own(row)) if i in rolling.dependent] for row in self.A]
        self._factors = QR(arith, self._dependent)
        one, zero = arith.const(1.0), arith.const(0.0)
        self.columns: Rows = []  # of G
        for link in rolling.independent:
            found = self._factors.solve([-self._to_own(row)[link] for row in self.A])
            column = dict(zip(rolling.dependent, found, strict=True))
            column |= {other: one if other == link else zero for other in rolling.independent}
            self.columns.append(self._from_own([column[i] for i in range(rolling.n)]))
        self._along: Sequence[Scalar] | None = None  # the rates along which A_dot was taken last
        self._A_dot: Rows = []

    def _to_own(self, forces: Sequence[Scalar]) -> list[Scalar]:
        """T^T forces: of forces, or a row of a Jacobian."""
        found = list(forces)
        if self._turn is not None and self._rolling.turned is not None:
            (s, c), i = self._turn, self._rolling.turned
            found[i], found[i + 1] = c * forces[i] + s * forces[i + 1], c * forces[i + 1] - s * forces[i]
        return found

    def _from_own(self, rates: Sequence[Scalar]) -> list[Scalar]:
        """T rates."""
        found = list(rates)
        if self._turn is not None and self._rolling.turned is not None:
            (s, c), i = self._turn, self._rolling.turned
            found[i], found[i + 1] = c * rates[i] - s * rates[i + 1], s * rates[i] + c * rates[i + 1]
        return found

    def _rows(self, arith: Arithmetic, q: Sequence[Scalar]) -> tuple[ContactRows, Rows]:
        """All rows of the contacts, and A: those that count."""
        rolling = self._rolling
        every = ContactRows(self._model, arith, q, rolling.contacts, rolling.up)
        return every, [every.rows[k][rolling.contacts[k].rows.index(row)] for k, row in rolling.rows]

    def to_tree(self, u: Sequence[Scalar]) -> list[Scalar]:
        total = [self._arith.const(0.0)] * self._rolling.n
        for x, column in zip(u, self.columns, strict=True):
            total = [t if is_zero(g) or is_zero(x) else t + g * x for t, g in zip(total, column, strict=True)]
        return total

    def bias(self, qd: Sequence[Scalar], u: Sequence[Scalar]) -> list[Scalar]:
        """A G = 0 at every q, so that A (G_dot u) = -A_dot (G u), and the independent rates have none.

        Of a base in its own axes G_dot u is T x + T_dot w, where w are the rates themselves.
        """
        moved, rolling, zero = self.to_tree(u), self._rolling, self._arith.const(0.0)
        turning = [zero] * rolling.n  # T_dot w
        if rolling.turned is not None:
            i = rolling.turned
            turning[i], turning[i + 1] = -(qd[i + 2] * moved[i + 1]), qd[i + 2] * moved[i]
        slopes = self._slopes(qd)
        needed = [
            -_dot(slope, moved, self._arith) - _dot(row, turning, self._arith)
            for slope, row in zip(slopes, self.A, strict=True)
        ]
        found = dict(zip(rolling.dependent, self._factors.solve(needed), strict=True))
        bent = self._from_own([found.get(i, zero) for i in range(rolling.n)])
        return [x if is_zero(y) else x + y for x, y in zip(bent, turning, strict=True)]

    def _slopes(self, qd: Sequence[Scalar]) -> Rows:
        """A_dot along the rates of all links."""
        if self._along is not qd:
            rates = coordinate_rates(self._model, self._arith, self._q, qd)
            duals = Duals(self._arith)
            moving = [duals.variable(x, [rate]) for x, rate in zip(self._q, rates, strict=True)]
            self._A_dot = [[duals.slopes(x, 1)[0] for x in row] for row in self._rows(duals, moving)[1]]
            self._along = qd
        return self._A_dot

    def to_forces(self, forces: Sequence[Scalar]) -> list[Scalar]:
        return [_dot(column, forces, self._arith) for column in self.columns]

    @property
    def guards(self) -> list[Scalar]:
        """Positive as long as the independent rates determine the others."""
        return self._factors.pivots(self._dependent, SINGULAR)

    def ground_forces(self, forces: Sequence[Scalar]) -> list[Scalar]:
        """The force of the ground on every contact, world axes: A^T lambda are the forces at the dependent rates.

        Rows that count for others have their share of a multiplier, so that the forces are the least ones possible.
        """
        own = self._to_own(forces)
        found = self._factors.solve_transposed([own[i] for i in self._rolling.dependent])
        shares = [[self._arith.const(x) for x in row] for row in self._rolling.shares]
        return self._contacts.forces([_dot(row, found, self._arith) for row in shares])


def _dot(a: Sequence[Scalar], b: Sequence[Scalar], arith: Arithmetic) -> Scalar:
    total = arith.const(0.0)
    for x, y in zip(a, b, strict=True):
        if not (is_zero(x) or is_zero(y)):
            total = total + x * y
    return total
