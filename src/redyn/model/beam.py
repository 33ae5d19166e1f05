"""A flexible link as a beam: constants of its mode shapes, from which the recursions make all that depends on bending.

The beam lies along x of its root frame, from the origin to its length. Elastic coordinates are the amplitudes of modes
of bending along y, of bending along z, and of torsion, in this order: u_y = sum phi_k e_k, u_z likewise, chi = sum
psi_k e_k. A bent beam is shorter along x, by u_x = -(e^T H(x) e) / 2 with H_kl the integral of phi_k' phi_l': the
*foreshortening*, without which a beam that spins would seem to grow softer. Kinetic and potential energy are
kept to second order in the amplitudes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from redyn.algebra import MassMatrix, Rotation, Scalar, Sym3, Vec3
from redyn.description.beams import Section, moments
from redyn.model.modes import Shapes, linear, mode_shapes

Array = NDArray[np.float64]

Vector = tuple[Scalar, ...]
Matrix = tuple[Vector, ...]


class Load(NamedTuple):
    """The body at the tip with which modes are computed: mass, its first moment along the beam, moments of inertia."""

    mass: float = 0.0
    moment: float = 0.0
    inertia: tuple[float, float, float] = (0.0, 0.0, 0.0)  # about x, y and z of the tip


@dataclass(frozen=True)
class Curves:
    """The shapes themselves, for those who draw them."""

    y: Shapes | None
    z: Shapes | None
    torsion: Shapes | None

    def values(self, x: Array, derivative: int = 0) -> tuple[Array, Array, Array]:
        """Of modes along y, along z and in torsion: a row for every mode, a column for every place."""
        still = np.zeros((0, len(x)))
        y, z, torsion = (still if s is None else s.at(x, derivative) for s in (self.y, self.z, self.torsion))
        return y, z, torsion


@dataclass(frozen=True, slots=True)
class Beam:
    """Constants of a flexible link. Bending modes come first, those along y before those along z."""

    name: str  # of the user's link
    length: Scalar
    along_y: int  # how many modes there are of each kind
    along_z: int
    torsion: int
    offset: Vec3  # from the origin of the link that carries it to its root, in that link's axes
    rotations: tuple[Rotation, ...]  # from those axes to the root's
    M: MassMatrix  # of the straight beam, about its root
    S: Vector  # of every bending mode, integral of phi dm
    W: Vector  # of x phi dm
    G: Matrix  # of every two, of phi_k phi_l dm, whichever way each bends
    P: Matrix  # of H dm, zero without foreshortening and for modes in different planes
    R: Matrix  # of x H dm
    H: Matrix  # H at the tip
    tip: Vector  # phi at the tip
    slope: Vector  # phi' there
    twist: Vector  # of every mode in torsion: its angle at the tip,
    T: Vector  # the integral of psi dIp,
    TT: Matrix  # and of every two, of psi_k psi_l dIp
    curves: Curves | None = field(repr=False, compare=False, default=None)

    @property
    def bending(self) -> int:
        return self.along_y + self.along_z

    @property
    def modes(self) -> int:
        return self.along_y + self.along_z + self.torsion

    @property
    def parts(self) -> tuple[str, ...]:
        """What the elastic coordinates are called."""
        counts = (("y", self.along_y), ("z", self.along_z), ("twist", self.torsion))
        return tuple(f"{kind}{k}" for kind, count in counts for k in range(1, count + 1))

    @property
    def spans(self) -> list[float]:
        """Of every elastic coordinate, an amplitude with which the tip leans by 0.05 rad or moves by L / 50."""
        slope, tip, twist = (np.abs(np.array(x, dtype=np.float64)) for x in (self.slope, self.tip, self.twist))
        moved = tip / (0.02 * np.float64(self.length))  # pyright: ignore[reportArgumentType]
        return (1.0 / np.concatenate([np.maximum(slope / 0.05, moved), twist / 0.05])).tolist()

    def same_plane(self, k: int, l: int) -> bool:
        """Whether two bending modes are in the same plane."""
        return (k < self.along_y) == (l < self.along_y)


BEAM_VECTORS, BEAM_MATRICES = ("S", "W", "tip", "slope", "twist", "T"), ("G", "P", "R", "H", "TT")


class Modes(NamedTuple):
    """A beam with the stiffness and the damping of its modes."""

    beam: Beam
    stiffness: list[float]
    damping: list[float]


def straight_mass(section: Section) -> MassMatrix:
    """The mass matrix of the straight beam about its root."""
    m, first, second = (float(section.moments(section.rho_A, power).sum()) for power in range(3))
    # Second moments of the cross-sections themselves that give a moment of inertia about x alone.
    half = float(section.moments(section.rho_Ip, 0).sum()) / 2
    return MassMatrix(m, Vec3(first, 0.0, 0.0), Sym3(second - half, 0.0, 0.0, half, 0.0, half))


def with_modes(
    name: str,
    section: Section,
    counts: tuple[int, int, int],
    load: Load,
    damping_ratio: float,
    stiffening: bool,
    offset: Vec3,
    rotations: tuple[Rotation, ...],
) -> Modes:
    """The beam with its modes, those of the clamped beam with a body at its tip.

    A bending mode is scaled so that its modal mass, the load's share included, is the mass of the beam; one in torsion
    so that its modal moment of inertia is half the beam's, which makes it a sine of amplitude 1 where there is no load.
    """
    straight = straight_mass(section)
    y = _bending(section, section.EIz, counts[0], load, load.inertia[2], straight)
    z = _bending(section, section.EIy, counts[1], load, load.inertia[1], straight)
    turning = _torsion(section, counts[2], load.inertia[0])
    bends = [shapes for shapes in (y, z) if shapes is not None]
    planes = np.repeat([0, 1], counts[:2])
    same = planes[:, None] == planes[None, :]
    L = np.array([section.length])
    if bends:
        x, w = _finest([shapes.basis.quadrature() for shapes in bends])
        phi, slope = (np.vstack([shapes.at(x, d) for shapes in bends]) for d in (0, 1))
        dm = w * linear(section.stations, section.rho_A, x)
        G, S, W = (phi * dm) @ phi.T, phi @ dm, phi @ (dm * x)
        beyond, first_beyond = _beyond(section, x)
        # The integral of H dm is that of phi_k' phi_l' times the mass beyond each place; that of x H dm likewise.
        P, R, H = ((slope * (w * weight)) @ slope.T * same for weight in (beyond, first_beyond, np.ones_like(x)))
        tip, end = (np.concatenate([shapes.at(L, d)[:, 0] for shapes in bends]) for d in (0, 1))
    else:
        G = P = R = H = np.zeros((0, 0))
        S = W = tip = end = np.zeros(0)
    T, TT, twist = np.zeros(0), np.zeros((0, 0)), np.zeros(0)
    if turning is not None:
        x, w = turning.basis.quadrature()
        psi, dI = turning.at(x), w * linear(section.stations, section.rho_Ip, x)
        T, TT, twist = psi @ dI, (psi * dI) @ psi.T, turning.at(L)[:, 0]
    if not stiffening:
        P, R, H = np.zeros_like(P), np.zeros_like(R), np.zeros_like(H)
    beam = Beam(
        name,
        section.length,
        *counts,
        offset,
        rotations,
        straight,
        S=_vector(S),
        W=_vector(W),
        G=_matrix(G),
        P=_matrix(P),
        R=_matrix(R),
        H=_matrix(H),
        tip=_vector(tip),
        slope=_vector(end),
        twist=_vector(twist),
        T=_vector(T),
        TT=_matrix(TT),
        curves=Curves(y, z, turning),
    )
    kinds = ((y, section.EIz), (z, section.EIy), (turning, section.GJ))
    stiffness = np.concatenate([_stiffness(shapes, section, per_length) for shapes, per_length in kinds if shapes])
    frequencies = np.concatenate([shapes.frequencies for shapes, _ in kinds if shapes])
    bare = np.concatenate([np.diag(G), np.diag(TT)])
    modal = np.where(bare > 0.0, bare, stiffness / frequencies**2)
    damping = 2.0 * damping_ratio * np.sqrt(stiffness * modal)
    return Modes(beam, stiffness.tolist(), damping.tolist())


def _stiffness(shapes: Shapes, section: Section, per_length: Array) -> Array:
    """Of every mode: the integral of EI phi''^2, or of GJ psi'^2. Modes of one kind are orthogonal in it."""
    x, w = shapes.basis.quadrature()
    top = shapes.at(x, shapes.basis.order)
    return (top * top) @ (w * linear(section.stations, per_length, x))


def _bending(
    section: Section, EI: Array, count: int, load: Load, inertia: float, straight: MassMatrix
) -> Shapes | None:
    if not count:
        return None
    body = np.array([[load.mass, load.moment], [load.moment, inertia]])
    shapes, modal = mode_shapes(section.stations, section.rho_A, EI, count, 2, body)
    return shapes.scaled(np.sqrt(float(straight.m) / modal))  # pyright: ignore[reportArgumentType]


def _torsion(section: Section, count: int, inertia: float) -> Shapes | None:
    if not count:
        return None
    shapes, modal = mode_shapes(section.stations, section.rho_Ip, section.GJ, count, 1, np.array([[inertia]]))
    half = float(section.moments(section.rho_Ip, 0).sum()) / 2
    if half > 0.0:
        return shapes.scaled(np.sqrt(half / modal))
    return shapes.scaled(1.0 / shapes.at(section.stations[-1:])[:, 0])


def _beyond(section: Section, x: Array) -> tuple[Array, Array]:
    """The mass beyond each place, and its first moment about the root."""
    stations, rho = section.stations, section.rho_A
    panel = np.clip(np.searchsorted(stations, x, side="right") - 1, 0, len(stations) - 2)
    whole = [section.moments(rho, power) for power in (0, 1)]
    here, end = linear(stations, rho, x), stations[1:][panel]
    rest = [moments(x, end, here, rho[panel, 1], power) for power in (0, 1)]
    after = [np.concatenate([np.cumsum(w[::-1])[::-1], [0.0]])[panel + 1] for w in whole]
    return rest[0] + after[0], rest[1] + after[1]


def _finest(rules: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    return max(rules, key=lambda rule: len(rule[0]))


def _vector(a: Array) -> Vector:
    return tuple(a.tolist())


def _matrix(a: Array) -> Matrix:
    return tuple(tuple(row) for row in a.tolist())
