"""Models whose numbers are left open: parameters of a file become inputs of every kernel.

A model has nominal numbers throughout. `Free` knows which of its constants depend on parameters, and how: inertias are
made from mass, mass centre and inertia of the parts that are lumped into a link; places are affine in lengths, since
axes stay where the nominal robot has them; the rest are the numbers themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from redyn.algebra import MassMatrix, Mat3, Scalar, Sym3, Vec3, symmetric_product
from redyn.model.model import Frame, Model


@dataclass(frozen=True, slots=True)
class Value:
    """A number of a file: a parameter, by its number, or a constant."""

    constant: float
    parameter: int | None = None

    def at(self, parameters: Sequence[Scalar]) -> Scalar:
        return self.constant if self.parameter is None else parameters[self.parameter]


@dataclass(frozen=True, slots=True)
class Place:
    """A point that moves with lengths: affine in them."""

    constant: Vec3
    slopes: tuple[tuple[int, Vec3], ...] = ()  # by parameter

    def at(self, parameters: Sequence[Scalar]) -> Vec3:
        found = self.constant
        for k, slope in self.slopes:
            found = found + slope * parameters[k]
        return found


@dataclass(frozen=True, slots=True)
class Part:
    """A rigid body lumped into a link: about its mass centre, in its own axes, which are at R, o in the link's."""

    mass: Value
    com: tuple[Value, Value, Value]
    sign: float  # -1 where r is left open, which is the mass centre with the other sign
    inertia: tuple[Value, ...]
    R: Mat3
    o: Place

    def centre(self, parameters: Sequence[Scalar]) -> Vec3:
        """The mass centre, in its own axes."""
        x, y, z = (value.at(parameters) for value in self.com)
        return Vec3(x, y, z) if self.sign > 0 else Vec3(-x, -y, -z)

    def at(self, parameters: Sequence[Scalar]) -> MassMatrix:
        m, c = self.mass.at(parameters), self.centre(parameters)
        xx, xy, xz, yy, yz, zz = (value.at(parameters) for value in self.inertia)
        half = (xx + yy + zz) * 0.5
        about_centre = Sym3(half - xx, -xy, -xz, half - yy, -yz, half - zz)
        spread = symmetric_product(c * (m * 0.5), c)  # m c c^T
        return MassMatrix(m, c * m, about_centre + spread).rotated(self.R).moved(self.o.at(parameters))


@dataclass(frozen=True, slots=True)
class Lumped:
    """All parts of a link some of whose numbers are left open, and what is added to them as ten numbers."""

    link: int  # from 0
    parts: tuple[Part, ...]
    payload: tuple[Value, ...] = ()  # at the end effector, which is at R, o in the axes of the link
    R: Mat3 | None = None
    o: Place | None = None

    def at(self, parameters: Sequence[Scalar]) -> MassMatrix:
        bodies = [part.at(parameters) for part in self.parts]
        if self.payload:
            assert self.R is not None
            assert self.o is not None
            body = MassMatrix.of_parameters([value.at(parameters) for value in self.payload])
            bodies.append(body.rotated(self.R).moved(self.o.at(parameters)))
        total = bodies[0]
        for body in bodies[1:]:
            total = total + body
        return total

    def centre(self, parameters: Sequence[Scalar], M: MassMatrix) -> Vec3:
        """The mass centre of all; of a single part it is known without its mass, which may be zero."""
        if len(self.parts) == 1 and not self.payload:
            part = self.parts[0]
            return part.R @ part.centre(parameters) + part.o.at(parameters)
        if isinstance(M.m, int | float) and M.m == 0.0:
            return Vec3(0.0, 0.0, 0.0)
        return Vec3(M.h.x / M.m, M.h.y / M.m, M.h.z / M.m)


@dataclass(frozen=True, slots=True)
class Free:
    """Which constants of a model depend on parameters."""

    names: tuple[str, ...]
    nominal: tuple[float, ...]
    bodies: tuple[Lumped, ...] = ()
    drives: tuple[tuple[int, str, int], ...] = ()  # a link from 0, a field of its joint, a parameter
    gravity: tuple[Value, Value, Value] | None = None
    offsets: tuple[tuple[int, Place], ...] = ()  # of joints, by link
    anchors: tuple[tuple[int, Place], ...] = ()
    sockets: tuple[tuple[int, Place], ...] = ()
    frames: tuple[tuple[str, Place], ...] = ()
    points: tuple[tuple[int, Place], ...] = ()  # that may touch the ground

    @property
    def weighs(self) -> bool:
        """Whether inertias are among them."""
        return bool(self.bodies) or any(field == "armature" for _, field, _ in self.drives)

    def at(self, model: Model, parameters: Sequence[Scalar]) -> Model:
        """The model with these numbers, whatever they are in it now."""
        links = list(model.links)
        for lumped in self.bodies:
            M = lumped.at(parameters)
            links[lumped.link] = replace(links[lumped.link], M=M, com=lumped.centre(parameters, M))
        for i, field, k in self.drives:
            links[i] = replace(links[i], joint=replace(links[i].joint, **{field: parameters[k]}))
        for i, place in self.offsets:
            links[i] = replace(links[i], joint=replace(links[i].joint, offset=place.at(parameters)))
        for field, places in (("anchor", self.anchors), ("socket", self.sockets)):
            for i, place in places:
                links[i] = replace(links[i], **{field: place.at(parameters)})
        frames = dict(model.frames)
        for name, place in self.frames:
            frame = frames[name]
            frames[name] = Frame(frame.link, replace(frame.pose, o=place.at(parameters)))
        points = list(model.contact_points)
        for i, place in self.points:
            points[i] = replace(points[i], at=place.at(parameters))
        changed: dict[str, Any] = {}
        if self.gravity is not None:
            changed["gravity"] = Vec3(*(value.at(parameters) for value in self.gravity))
        return replace(model, links=tuple(links), frames=frames, contact_points=tuple(points), **changed)
