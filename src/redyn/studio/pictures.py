"""What the gallery shows of each robot: the text of its card, and its picture, which another process draws."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import warnings
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from importlib import metadata
from typing import TYPE_CHECKING, Any

from redyn.description import Entry, RobotDescription, gallery, to_data, to_yaml
from redyn.description.meshes import mesh_path
from redyn.errors import RedynError
from redyn.kernels import cache
from redyn.report.thumbnail import thumbnail
from redyn.robot import Robot, load
from redyn.studio.jobs import Job, Limits, Pool
from redyn.words import counted, tallied

if TYPE_CHECKING:
    from redyn.studio.state import State

PICTURES = "/pictures"  # where they are served
SECONDS = 60.0  # for one picture: large meshes take their time
LOOK = 0.05  # s
_SOURCES = ("algebra", "description", "dynamics", "kinematics", "model", "report")  # of the code that draws


def cards() -> list[dict[str, Any]]:
    """The robots of the gallery as the page takes them."""
    return [card(entry) for entry in gallery()]


def card(entry: Entry) -> dict[str, Any]:
    """
    >>> card(gallery(search="four-bar linkage")[0])["joints"]
    '3 revolute, 1 loop'
    """
    return {
        "name": entry.name,
        "title": entry.title,
        "group": entry.group,
        "joints": _joints(entry.joints, entry.loops),
        "source": entry.source,
        "estimated": entry.estimated,
    }


def own_card(state: State) -> dict[str, str]:
    """The robot that is shown, as the browser keeps it; without meshes, which are other files."""
    state.check_right()
    robot = state.robot.description
    kinds = [link.joint.type for link in robot.links if link.joint.type != "fixed"]
    return {
        "name": robot.name,
        "title": robot.title or robot.name,
        "joints": _joints(kinds, len(robot.loops)),
        "text": to_yaml(without_meshes(robot)),
    }


def _joints(kinds: Sequence[str], loops: int) -> str:
    return ", ".join(filter(None, [tallied(kinds), counted(loops, "loop") if loops else ""]))


def without_meshes(description: RobotDescription) -> RobotDescription:
    """The robot without shapes from other files."""

    def own(link: Any) -> Any:
        shapes = {key: [x for x in getattr(link, key) if x.file is None] for key in ("visual", "collision")}
        return link.model_copy(update=shapes)

    return description.model_copy(update={"links": [own(link) for link in description.links]})


def draw(_: Callable[[float, str], None], source: str | RobotDescription) -> str:
    """A picture, in a process of `Pictures`: that on disk, or a new one, which takes seconds where meshes are large."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = load(source) if isinstance(source, str) else Robot(source)
        name = picture_name(robot.description)
        kept = cache.read(name, cache.PICTURES)
        if kept is not None:
            return kept.decode()
        made = thumbnail(robot)
        cache.write(name, made.encode(), cache.PICTURES)
        return made


def picture_name(robot: RobotDescription) -> str:
    """Under which a picture is kept: it depends on the robot, the contents of its meshes and the code that draws."""
    digest = hashlib.sha256(_code().encode() + json.dumps(to_data(robot), sort_keys=True).encode())
    for shape in (shape for link in robot.links for shape in (*link.visual, *link.collision) if shape.file):
        digest.update(f"\0{shape.file}\0".encode())
        with contextlib.suppress(RedynError, OSError), mesh_path(robot, shape).open("rb") as file:  # or without it
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


@lru_cache
def _code() -> str:
    """Of what draws."""
    digest = hashlib.sha256()
    for path, contents in cache.sources(_SOURCES):
        digest.update(f"{path}\0".encode() + contents)
    with contextlib.suppress(metadata.PackageNotFoundError):
        digest.update(metadata.version("trimesh").encode())
    return digest.hexdigest()


class Pictures:
    """Draws pictures one after the other, in one process, which starts with the first; each is kept."""

    def __init__(self) -> None:
        self._pool = Pool(Limits(SECONDS, workers=1))
        self._jobs: dict[str, Job] = {}  # by robot of the gallery
        self._asked: Counter[str] = Counter()  # by how many
        self._known: frozenset[str] = frozenset()

    async def of_gallery(self, name: str, gone: Callable[[], Awaitable[bool]]) -> str:
        """SVG; empty if there is no such robot, or it cannot be drawn. `gone`: whether nobody waits for it any more."""
        if name not in self._known:
            self._known = frozenset(entry.name for entry in await asyncio.to_thread(gallery))
        if name not in self._known:
            return ""
        try:
            job = self._jobs[name] = self._jobs.get(name) or self._submit(name, name)
        except RedynError:  # asked for and left several times
            return ""
        self._asked[name] += 1
        while not job.over.is_set() and not await gone():
            await asyncio.sleep(LOOK)
        self._asked[name] -= 1
        if not self._asked[name] and job.state == "waiting":  # scrolled away: others come first
            job.cancel()
        if job.asked_to_stop.is_set() and self._jobs.get(name) is job:  # for that, or too slow: drawn when asked again
            del self._jobs[name]
        return str(job.result) if job.state == "done" else ""

    async def of(self, description: RobotDescription) -> str:
        """A robot that is not in the gallery, without its meshes, which are not trusted."""
        try:
            job = self._submit(without_meshes(description), "own")
        except RedynError:  # too many are waiting
            return ""
        while not job.over.is_set():
            await asyncio.sleep(LOOK)
        return str(job.result) if job.state == "done" else ""

    def _submit(self, source: str | RobotDescription, person: str) -> Job:
        return self._pool.submit("redyn.studio.pictures:draw", source, person=person)

    def close(self) -> None:
        self._pool.close()
