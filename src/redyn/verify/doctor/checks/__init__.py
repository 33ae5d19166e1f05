"""The checks, by what they look at; each is a function that yields findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from redyn.verify.doctor.checks.alike import placeholders, symmetry
from redyn.verify.doctor.checks.inertias import inertias
from redyn.verify.doctor.checks.joints import drives, limits, mimics
from redyn.verify.doctor.checks.masses import balance, masses, moved_masses
from redyn.verify.doctor.checks.shapes import meshes, rooms_and_masses
from redyn.verify.doctor.checks.sizes import gravity, sizes
from redyn.verify.doctor.checks.structure import structure
from redyn.verify.doctor.finding import Finding
from redyn.verify.doctor.solid import Rooms
from redyn.verify.doctor.survey import Survey

CHECKS: tuple[Callable[[Survey, Rooms], Iterator[Finding]], ...] = (
    structure,
    masses,
    moved_masses,
    balance,
    inertias,
    meshes,
    rooms_and_masses,
    placeholders,
    symmetry,
    limits,
    drives,
    mimics,
    sizes,
    gravity,
)
