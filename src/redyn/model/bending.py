"""Flexible links while a model is built: their tables, their loads, and the rows of links that their modes become."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from redyn.algebra import MassMatrix, Propagation, Rotation, Sym3, Twist, Vec3
from redyn.arithmetic import Floats
from redyn.description.beams import Section, section
from redyn.description.flexible_fields import FlexibleDescription, RigidDescription
from redyn.description.schema import ELASTIC, LinkDescription, RobotDescription
from redyn.errors import DescriptionError
from redyn.model.beam import Load, straight_mass, with_modes
from redyn.model.joint import Joint
from redyn.model.model import Link

STILL = Vec3(0.0, 0.0, 0.0)


class Root(NamedTuple):
    """Where a beam is clamped, in the axes of the link that carries it."""

    described: LinkDescription
    offset: Vec3
    rotations: tuple[Rotation, ...]

    @property
    def flexible(self) -> FlexibleDescription:
        assert self.described.flexible is not None
        return self.described.flexible


def rigid_part(body: RigidDescription) -> LinkDescription:
    """A rigid body on one of the ends, as parts of bodies are given."""
    return LinkDescription.model_construct(mass=body.mass, com=body.com, r=None, inertia=body.inertia)


def mode_joint(name: str) -> Joint:
    """An elastic coordinate before its stiffness is known."""
    numbers = dict.fromkeys(("damping", "coulomb", "stiffness", "rest", "armature"), 0.0)
    still = Twist(STILL, STILL)
    return Joint(name, "mode", still, STILL, (), 0.0, 0, smoothing=1e-3, **numbers)


def mode_row(tip: Link, before: int, count: int) -> list[Link]:
    """The links of a beam's modes, of which `before` come before them; the last is the body at the tip."""
    empty = MassMatrix(0.0, STILL, Sym3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    parents = [tip.parent, *range(before + 1, before + count)]
    row = [replace(tip, M=empty, com=STILL, virtual=True, parent=parent) for parent in parents]
    return [*row[:-1], replace(tip, parent=parents[-1])]


def initial_values(robot: RobotDescription, links: Sequence[Link]) -> list[list[float]]:
    """Of every link, the coordinates that are its own in the initial configuration; beams are straight."""
    given = {str(k.joint.name): list(k.joint.initial or k.joint.neutral) for k in robot.links}
    found: list[list[float]] = []
    for link in links:
        joint = link.joint
        if joint.kind == "mode":
            found.append([0.0])
        elif joint.part in ELASTIC:
            found.append(given[joint.name][:1])
        else:
            own, given[joint.name] = given[joint.name][: joint.coordinates], given[joint.name][joint.coordinates :]
            found.append(own)
    return found


def with_beams(
    links: Sequence[Link], roots: dict[int, Root], q: Sequence[Sequence[float]], friction: bool
) -> list[Link]:
    """Links with the modes of every beam, given by the first link of its row, from 0.

    Mode shapes are those with all that the tip carries at the configuration q, unless the file says otherwise.
    """
    found = list(links)
    M_tilde = [link.M for link in links]
    arith = Floats()
    for i in reversed(range(len(links))):
        link = links[i]
        if i in roots:
            count = sum(roots[i].flexible.modes)
            carried = M_tilde[i + count - 1]
            table = section(roots[i].described)
            found[i : i + count] = _row(found[i : i + count], roots[i], table, carried, friction)
            straight = Propagation(Vec3(table.length, 0.0, 0.0), ())
            below = Propagation(roots[i].offset, roots[i].rotations)
            on_parent = (carried.to_parent(straight) + straight_mass(table)).to_parent(below)
        elif link.joint.kind == "mode":
            continue
        else:
            on_parent = M_tilde[i].to_parent(link.joint.propagation(q[i], arith))
        if link.parent:
            M_tilde[link.parent - 1] = M_tilde[link.parent - 1] + on_parent
    return found


def _row(row: Sequence[Link], root: Root, table: Section, carried: MassMatrix, friction: bool) -> list[Link]:
    flexible, name = root.flexible, str(root.described.name)
    load = _load(flexible, carried)
    if flexible.modes[2] and not table.rho_Ip.any():
        what = "" if load.inertia[0] > 0.0 else "; nor has what it carries"
        if flexible.modes[2] > 1 or what:
            raise DescriptionError(
                f"link {name!r}: flexible.rho_Ip",
                f"missing; the beam has no inertia about its axis{what}, so that no {_th(flexible)}mode can twist it",
            )
    beam, stiffness, damping = with_modes(
        name,
        table,
        flexible.modes,
        load,
        flexible.damping_ratio if friction else 0.0,
        flexible.stiffening,
        root.offset,
        root.rotations,
    )
    found: list[Link] = []
    for k, (link, part) in enumerate(zip(row, beam.parts, strict=True)):
        joint = replace(link.joint, stiffness=stiffness[k], damping=damping[k], part=part)
        found.append(replace(link, joint=joint, beam=beam if k == 0 else None))
    return found


def _th(flexible: FlexibleDescription) -> str:
    return "second " if flexible.modes[2] > 1 else ""


def _load(flexible: FlexibleDescription, carried: MassMatrix) -> Load:
    given = flexible.load
    if given.kind == "given":
        return Load(given.mass, given.moment, given.inertia)
    if given.kind == "none":
        return Load()
    m, hx, _, _, xx, _, yy, _, _, zz = (float(x) for x in carried.parameters())  # pyright: ignore[reportArgumentType]
    return Load(m, hx, (xx, yy, zz))
