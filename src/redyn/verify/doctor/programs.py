"""What other programs make of a file: whether they take it, and where their numbers differ from redyn's, and why."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from redyn.errors import InputError, RedynError
from redyn.robot import Robot
from redyn.verify.compare import random_states, rigid_tree
from redyn.verify.doctor.finding import Finding
from redyn.verify.doctor.others import OTHERS, Answers
from redyn.verify.mujoco_peer import Mujoco, from_urdf
from redyn.verify.peers import Peer, read
from redyn.verify.pinocchio_peer import Pinocchio
from redyn.verify.row import compared

Array = NDArray[np.float64]

STATES = 4
ALLOWED = 1e-8  # relative to the larger of 1 and the largest entry: what a file's digits cannot explain
QUANTITIES = {"mass_matrix": "mass matrix", "gravity_torque": "gravity torque", "com": "mass centre"}
# What in a file explains that programs differ or refuse.
CAUSES = (
    *("mass-negative", "mass-zero", "massless-tip", "massless-link", "no-mass", "inertia-zero"),
    *("inertia-negative", "inertia-triangle", "axis-zero", "axis-not-unit", "limit-missing", "limit-effort"),
    *("mimic", "not-a-number", "missing-value", "duplicate-name", "cycle", "two-parents", "unreachable"),
    *("joint-type", "joint-end", "joint-self", "joint-unnamed", "link-unnamed", "not-read", "limit-swapped"),
)
AGREED = (
    "All are given redyn's gravity; friction, springs and limits are left out. Joints that mimic others move on their "
    "own. They read the file without its shapes; with them, MuJoCo gives links without <inertial> their shapes' mass."
)


@dataclass
class Opinion:
    """One program: `accepts` is whether it takes the file, `says` its own words if it does not."""

    program: str
    version: str
    accepts: bool
    says: str = ""
    joints: int | None = None
    differences: list[str] = field(default_factory=list[str])
    agrees: list[str] = field(default_factory=list[str])
    why: str = ""

    @property
    def verdict(self) -> str:
        """In one line."""
        if not self.accepts:
            return f"refuses: {self.says}"
        if self.differences:
            return "differs: " + "; ".join(self.differences)
        return f"agrees ({', '.join(self.agrees)})" if self.agrees else self.says or "accepts"

    def data(self) -> dict[str, Any]:
        return asdict(self) | {"verdict": self.verdict}


def opinions(
    path: Path | None, data: bytes | None, robot: Robot | None, findings: list[Finding], tick: Callable[[str], None]
) -> list[Opinion]:
    """Of every installed program. `data` is the URDF of the file, if it is one."""
    found: list[Opinion] = []
    with tempfile.TemporaryDirectory() as folder:
        source = path
        if data is not None:
            source = Path(folder) / "robot.urdf"
            source.write_bytes(_without_shapes(data))
        at = None if robot is None else _States(robot)
        for peer in (Pinocchio, Mujoco):
            if importlib.util.find_spec(peer.module) is not None:
                tick(f"{peer.name} reads it")
                found.append(_peer(peer, source, at, findings))
        for other in OTHERS:
            if importlib.util.find_spec(other.module) is not None:
                tick(f"{other.name} reads it")
                found.append(_other(other, source, at, findings))
        for opinion in found:  # the name of the copy means nothing to the reader
            opinion.says = opinion.says.replace(f"{folder}{os.sep}", "")
    return found


def _without_shapes(data: bytes) -> bytes:
    """A URDF without shapes, whose files need not be there; `parse_xml` has refused entities."""
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError:  # a late XML declaration, which our own reader lets pass
        return data
    for link in root.findall("link"):
        for tag in ("visual", "collision"):
            for shape in link.findall(tag):
                link.remove(shape)
    return ElementTree.tostring(root, encoding="utf-8")


class _States:
    """The robot as the other programs have it, and our numbers at a few states."""

    def __init__(self, robot: Robot) -> None:
        self.robot = rigid_tree(robot)
        self.q = random_states(self.robot.tree, STATES).q
        self.ours = {
            "mass_matrix": self.robot.tree.mass_matrix(self.q),
            "gravity_torque": self.robot.tree.gravity_torque(self.q),
        }
        with contextlib.suppress(InputError):  # a robot without mass has no mass centre
            self.ours["com"] = self.robot.tree.com(self.q)

    def compare(self, answer: Callable[[Array], Answers], opinion: Opinion) -> None:
        theirs = [answer(q) for q in self.q]
        for name, title in QUANTITIES.items():
            if name not in self.ours or not all(name in some for some in theirs):
                continue
            row = compared(title, lambda name=name: self.ours[name], np.stack([s[name] for s in theirs]), ALLOWED)
            if row.agrees:
                opinion.agrees.append(f"{title} to {row.difference:.0e}")
            else:
                opinion.differences.append(f"{title} by {row.difference:.1e}{self._where(name, theirs)}")

    def _where(self, name: str, theirs: list[Answers]) -> str:
        """The joint at which the difference is largest."""
        if name == "com":
            return ""
        apart = np.abs(self.ours[name] - np.stack([some[name] for some in theirs])).max(axis=0)
        column = int((apart.max(axis=0) if apart.ndim == 2 else apart).argmax())
        names = [link.joint.name for link in self.robot.model.driven]
        return f", most at joint {names[column]!r}"


def _peer(kind: type[Peer], source: Path | None, at: _States | None, findings: list[Finding]) -> Opinion:
    opinion = Opinion(kind.name, metadata.version(kind.package), True)
    with _captured() as heard:
        try:
            if at is None:
                opinion.joints = _raw(kind, source)
                opinion.says = "accepts the file, which redyn does not" if opinion.joints is not None else ""
            else:
                peer = read(kind, at.robot, source)
                opinion.joints = at.robot.dof
                zero = np.zeros(at.robot.tree.dof)
                at.compare(lambda q: peer.answers(q, zero, zero, None), opinion)
        except RedynError as error:
            _refuse(opinion, str(error), heard(), findings)
    _explain(opinion, findings)
    return opinion


def _raw(kind: type[Peer], source: Path | None) -> int | None:
    """Degrees of freedom of a file that redyn cannot load; an error in words if the program refuses it too."""
    if source is None or source.suffix.lower() not in kind.formats:
        raise RedynError(f"{kind.name} does not read this format")
    if kind is Mujoco:
        return int(from_urdf(source, False).nv)
    pin: Any = importlib.import_module(kind.module)
    try:
        return int(pin.buildModelFromUrdf(str(source)).nv)
    except Exception as error:
        raise RedynError(f"Pinocchio does not accept it: {' '.join(str(error).split())[:200]}") from None


def _other(other: Any, source: Path | None, at: _States | None, findings: list[Finding]) -> Opinion:
    opinion = Opinion(other.name, metadata.version(other.package), True)
    if source is None or source.suffix.lower() not in other.formats:
        opinion.accepts, opinion.says = False, f"{other.name} does not read this format"
        return opinion
    with _captured() as heard:
        try:
            robot = None if at is None else at.robot
            opinion.joints, answer = other.read(source, robot)
            if at is not None and answer is not None:
                at.compare(answer, opinion)
            else:
                opinion.says = f"accepts the file; {other.limits}" if at is not None else "accepts the file"
        except Exception as error:  # whatever another program raises on a faulty file
            _refuse(opinion, " ".join(str(error).split()), heard(), findings)
    _explain(opinion, findings)
    return opinion


def _refuse(opinion: Opinion, reason: str, heard: str, findings: list[Finding]) -> None:
    opinion.accepts = False
    opinion.says = reason.removeprefix(f"{opinion.program} does not accept it: ")[:300]
    first = next((line.strip() for line in heard.splitlines() if "rror" in line), "")
    if first and first not in opinion.says:
        opinion.says = f"{opinion.says} ({first[:200]})"


def _explain(opinion: Opinion, findings: list[Finding]) -> None:
    """The findings that explain a refusal or a difference: those of the link or joint that the program names, first."""
    if opinion.accepts and not opinion.differences:
        return
    text = opinion.says + " ".join(opinion.differences)
    fit = [f for f in findings if f.severity != "note" and f.code in CAUSES]
    named = [f for f in fit if f.name and f"{f.name}'" in text] or fit
    if named:
        more = f" (and {len(named) - 1} more)" if len(named) > 1 else ""
        opinion.why = f"{named[0].where}: {named[0].what}{more}"


@contextlib.contextmanager
def _captured() -> Generator[Callable[[], str]]:
    """What a C++ library writes to standard error, kept out of our output; called, gives it so far."""
    sys.stderr.flush()
    try:
        kept = os.dup(2)
    except OSError:  # there is no standard error
        yield lambda: ""
        return
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)

        def heard() -> str:
            file.seek(0)
            return file.read(20_000).decode("utf-8", "replace")

        try:
            yield heard
        finally:
            sys.stderr.flush()
            os.dup2(kept, 2)
            os.close(kept)


def lines(opinion: Opinion) -> Iterator[str]:
    """For a terminal."""
    yield f"{opinion.program} {opinion.version}: {opinion.verdict}"
    if opinion.why:
        yield f"  because of {opinion.why}"
