"""Resource limits of MJCF models, checked before MuJoCo's compiler starts, including copies, attachments and meshes.

The limits are far above any robot. A small file can expand to a huge model: a count in <replicate>, a model that
attaches two models that attach two more, a mesh that is generated from one number.
"""

from __future__ import annotations

import re
from math import prod
from pathlib import Path
from typing import NamedTuple

from redyn.description.mjcf_files import LARGEST_MESHES, Model
from redyn.description.xml_file import DEEPEST, MOST_ELEMENTS, Element

MOST_BODIES = 5_000  # MuJoCo takes seconds for these; its time grows quadratically
MOST_COPIES = 10_000  # by <replicate>, <composite> and <flexcomp>
MOST_LEVELS = DEEPEST  # nesting depth of elements
MOST_PAIRS = 10_000_000  # pairs of velocities on the same branch: the entries of MuJoCo's mass matrix
MOST_DOUBLINGS = 10
MOST_NUMBERS = 10_000  # in the state of one sensor or actuator
LARGEST_SIZE = 1_000_000
LEVELS = "levels of elements, with what is included"

_COPIES = ("replicate", "composite", "flexcomp")
_DOFS = {"freejoint": 6, "joint": 3}  # upper bound, except for free joints
_BESIDE = ("sensor", "actuator", "tendon", "equality", "contact", "deformable", "custom")  # sections
_NO_AIM = {"name", "cutoff", "noise", "user", "dim", "datatype", "needstage", "delay", "interp", "interval", "nsample"}
_NO_AIM |= {"num", "data", "reduce", "plugin", "instance", "class"}  # attributes of sensors that are not references
_STATE = ("dim", "num", "actdim", "nsample")
_OF_ELEMENTS = {
    **{("texture", name): 8192 for name in ("width", "height")},
    **{("hfield", name): 8192 for name in ("nrow", "ncol")},
    ("mesh", "params"): 360,  # the resolution of a built-in mesh, or an angle
    ("size", "nkey"): 10_000,
}


class Tally(NamedTuple):
    """Resources of an element. Joints are `loose` until their body is counted."""

    elements: int = 0
    bodies: int = 0
    loose: int = 0
    dofs: int = 0
    pairs: int = 0
    meshes: int = 0  # bytes
    copies: int = 0  # made by <replicate>
    beside: int = 0  # elements outside the bodies, which MuJoCo copies with what they refer to
    aimless: int = 0  # sensors that refer to no object
    numbers: int = 0  # in the state of sensors and actuators
    depth: int = 0

    def plus(self, other: Tally) -> Tally:
        sums = Tally._make(a + b for a, b in zip(self, other, strict=True))
        return sums._replace(depth=max(self.depth, other.depth))

    def times(self, count: int) -> Tally:
        return Tally._make(count * amount for amount in self)._replace(depth=self.depth)

    def as_body(self) -> Tally:
        """Adds the joints of a body above everything in the body."""
        own = self.loose
        pairs = self.pairs + own * (self.dofs + own)
        return self._replace(bodies=self.bodies + 1, loose=0, dofs=self.dofs + own, pairs=pairs)


def check_amounts(model: Model) -> None:
    """Raises an error if the model exceeds a limit."""
    _Counter().whole(model, 0)


class _Counter:
    def __init__(self) -> None:
        self.known: dict[int, Tally] = {}  # totals of whole models, which may be attached many times

    def whole(self, model: Model, level: int) -> Tally:
        """Resources of attaching a model."""
        if id(model) not in self.known:
            total = self.tally(model, model.root, level, 1)
            if total.aimless and total.copies > MOST_DOUBLINGS:
                raise model.root.error(
                    "MuJoCo doubles the sensors that refer to no object (user, clock, ...) with each copy, of which "
                    f"there are {total.copies:,}; remove them, or make at most {MOST_DOUBLINGS} copies"
                )
            if total.beside * total.copies > MOST_ELEMENTS:
                raise model.root.error(_too_much(model.root, MOST_ELEMENTS, "sensors, actuators and the like, copied"))
            self.known[id(model)] = total._replace(copies=0, beside=0)
        return self.known[id(model)]

    def tally(self, model: Model, element: Element, level: int, copies: int) -> Tally:
        """Resources of an element with its children; `copies` is how often it is made in its own model."""
        if level > MOST_LEVELS:
            raise element.error(_too_much(element, MOST_LEVELS, LEVELS))
        _check_numbers(element)
        made = 1
        if element.tag in _COPIES:
            made = prod(max(1, count) for count in _integers(element, "count"))
            copies *= made
            if copies > MOST_COPIES:
                raise element.error(f"<{element.tag}> makes more than {MOST_COPIES:,} copies")
        total = self._own(model, element, level, made)
        for child in model.children(element):
            inner = self.tally(model, child, level + 1, copies)
            total = total.plus(inner.times(made) if element.tag == "replicate" else inner)
        if element.tag == "body":
            total = total.as_body()
        elif element.tag == "replicate":
            total = total._replace(copies=total.copies + made)
        elif element.tag in _BESIDE:
            total = total._replace(beside=total.elements, aimless=_aimless(model, element))
        total = total._replace(depth=total.depth + 1)
        _check(element, total)
        return total

    def _own(self, model: Model, element: Element, level: int, made: int) -> Tally:
        """Resources of the element alone."""
        numbers = sum(sum(_integers(element, name)) for name in _STATE)
        own = Tally(elements=made, meshes=_bytes(model, element), numbers=numbers)
        if element.tag in ("composite", "flexcomp"):
            cells = prod(count + 1 for count in _integers(element, "cellcount"))
            points = _points(model.meshes[id(element)]) if id(element) in model.meshes else 0
            made += points + (cells if "cellcount" in element.attributes else 0)
            return own._replace(elements=made, bodies=made, dofs=3 * made)
        if element.tag == "attach":
            attached = model.attached.get(element.attributes.get("model", ""))
            for inner in [attached] if attached is not None else model.attached.values():  # a name generated by MuJoCo
                own = own.plus(self.whole(inner, level + 1))
            return own
        free = element.tag == "joint" and element.attributes.get("type") == "free"
        return own._replace(loose=6 if free else _DOFS.get(element.tag, 0))


def _aimless(model: Model, section: Element) -> int:
    sensors = model.children(section) if section.tag == "sensor" else []
    return sum(not set(sensor.attributes) - _NO_AIM for sensor in sensors)


def _bytes(model: Model, element: Element) -> int:
    try:
        return model.meshes[id(element)].stat().st_size if id(element) in model.meshes else 0
    except OSError:
        return 0  # MuJoCo reports that it cannot be read


def _check(element: Element, total: Tally) -> None:
    for amount, most, what in (
        (total.depth, MOST_LEVELS, LEVELS),
        (total.bodies, MOST_BODIES, "bodies, with all copies"),
        (total.elements, MOST_ELEMENTS, "elements, with all copies"),
        (total.pairs, MOST_PAIRS, "pairs of joints that carry each other"),
        (total.meshes, LARGEST_MESHES, "bytes of meshes"),
        (total.numbers, LARGEST_SIZE, "numbers in sensors and actuators, with all copies"),
    ):
        if amount > most:
            raise element.error(_too_much(element, most, what))


def _too_much(element: Element, most: int, what: str) -> str:
    return f"<{element.tag[:60]}> makes more than {most:,} {what}"


def _check_numbers(element: Element) -> None:
    for name in element.attributes:
        most = _OF_ELEMENTS.get((element.tag, name), MOST_NUMBERS if name in _STATE else None)
        if element.tag == "size" and name != "memory" and most is None:
            most = 1_000 if name.startswith("nuser_") else LARGEST_SIZE
        if most is not None and max(_integers(element, name), default=0) > most:
            raise element.error(f"<{element.tag} {name}=...> is more than {most:,}")


def _points(path: Path) -> int:
    """An upper bound on the points of the mesh of a flexible body."""
    try:
        if path.suffix.lower() == ".obj":
            data = path.read_bytes() if path.stat().st_size <= LARGEST_MESHES else b""
            return data.count(b"\nv ") + data.count(b"\nv\t") + 1
        return path.stat().st_size // 12  # three single-precision numbers
    except OSError:
        return 0


def _integers(element: Element, name: str) -> list[int]:
    words = element.attributes.get(name, "").split()
    return [int(float(word)) for word in words if re.fullmatch(r"\+?[0-9]{1,18}(\.[0-9]*)?([eE]\+?[0-9]{1,2})?", word)]
