"""A robot as its file has it, faults included: what the checks look at.

A file that cannot be loaded still has a survey. Numbers that cannot be read are None, joints to links that do not exist
are left out, and both have been reported by the reader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from redyn.description.schema import Shape
from redyn.description.tree import Ends, Tree, spanning_tree
from redyn.verify.doctor.finding import Finding

Array = NDArray[np.float64]


@dataclass
class Body:
    """A link. The tensor is about the mass centre, on axes that `turn` takes to those of the link."""

    name: str
    line: int | None = None
    inertial: bool = False  # whether the file says anything of its mass
    mass: float | None = None
    com: Array | None = None
    given: Array | None = None  # (3, 3), as written
    turn: Array = field(default_factory=lambda: np.eye(3))
    visual: list[Shape] = field(default_factory=list[Shape])
    collision: list[Shape] = field(default_factory=list[Shape])
    lines: dict[str, int] = field(default_factory=dict[str, int])  # of mass, com, inertia

    @property
    def inertia(self) -> Array | None:
        """About the mass centre, on the axes of the link."""
        return None if self.given is None else self.turn @ self.given @ self.turn.T

    @property
    def massive(self) -> bool:
        """Whether it has any inertia, or numbers that cannot be read."""
        if not self.inertial:
            return False
        return self.mass is None or self.mass != 0.0 or self.given is None or bool(self.given.any())

    def line_of(self, what: str) -> int | None:
        return self.lines.get(what, self.line)


@dataclass
class Hinge:
    """A joint between two links, of any type; `kind` is the word of the file."""

    name: str
    kind: str
    parent: str
    child: str
    pose: Array  # of the child in the parent, at zero
    line: int | None = None
    axis: Array | None = None
    limited: bool = False  # whether the file has any limits here
    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None
    damping: float | None = None
    friction: float | None = None
    armature: float = 0.0
    mimic: str | None = None
    lines: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def moves(self) -> bool:
        return self.kind != "fixed"

    @property
    def turns(self) -> bool:
        return self.kind in ("revolute", "continuous", "helical")

    @property
    def single(self) -> bool:
        return self.kind in ("revolute", "continuous", "prismatic", "helical")

    def line_of(self, what: str) -> int | None:
        return self.lines.get(what, self.line)


@dataclass
class Survey:
    """A robot file: its links and joints, and what the reader found wrong."""

    name: str
    file: str
    kind: str  # URDF, SDF, MJCF or YAML
    bodies: dict[str, Body]
    hinges: dict[str, Hinge]
    folder: Path | None = None
    trusted: bool = False
    gravity: Array | None = None  # None: the format has none
    loops: int = 0
    admitted: str = ""  # why the file has bodies that cannot exist, in its own words
    findings: list[Finding] = field(default_factory=list[Finding])

    @cached_property
    def tree(self) -> Tree:
        return spanning_tree((Ends(h.name, h.parent, h.child) for h in self.hinges.values()), "")

    @cached_property
    def roots(self) -> list[str]:
        """Links that no joint carries, that of the largest tree first."""
        roots = [name for name in self.bodies if name not in self.tree.carried]
        return sorted(roots, key=lambda name: -len(self.carried_by(name)))

    @cached_property
    def children(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, ends in self.tree.carried.items():
            found.setdefault(ends.parent, []).append(name)
        return found

    def hinge(self, link: str) -> Hinge | None:
        """The joint that carries a link."""
        ends = self.tree.carried.get(link)
        return None if ends is None else self.hinges[ends.joint]

    def carried_by(self, link: str) -> list[str]:
        """A link and all that it carries."""
        found, waiting = list[str](), [link]
        while waiting:
            name = waiting.pop()
            found.append(name)
            waiting += self.children.get(name, [])[::-1]
        return found

    @cached_property
    def poses(self) -> dict[str, Array]:
        """Of every link in the frame of its root, with joints at zero."""
        found: dict[str, Array] = {}
        for root in self.roots:
            found[root] = np.eye(4)
            for name in self.carried_by(root)[1:]:
                ends = self.tree.carried[name]
                found[name] = found[ends.parent] @ self.hinges[ends.joint].pose
        return found

    @cached_property
    def groups(self) -> list[list[str]]:
        """Links that fixed joints make one body, the one nearest to the root first."""
        group: dict[str, list[str]] = {}
        for root in self.roots:
            for name in self.carried_by(root):
                hinge = self.hinge(name)
                group[name] = [] if hinge is None or hinge.moves else group[hinge.parent]
                group[name].append(name)
        return list({id(names): names for names in group.values()}.values())

    @cached_property
    def group_of(self) -> dict[str, list[str]]:
        return {name: names for names in self.groups for name in names}

    @cached_property
    def reach(self) -> float:
        """The longest way along the joints from the root, in metres."""
        far = dict.fromkeys(self.roots, 0.0)
        for root in self.roots:
            for name in self.carried_by(root)[1:]:
                hinge = self.hinge(name)
                assert hinge is not None
                far[name] = far[hinge.parent] + float(np.linalg.norm(hinge.pose[:3, 3]))
        return max(far.values(), default=0.0)

    def moving(self) -> Iterator[Hinge]:
        return (hinge for hinge in self.hinges.values() if hinge.moves)

    def fixed_to_ground(self, link: str) -> bool:
        """Whether no joint moves it."""
        return self.group_of[link][0] in self.roots


Check = Callable[[Survey], Iterator[Finding]]
