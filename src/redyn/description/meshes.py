"""Resolves mesh paths. A robot file may refer only to files in its own folder or ROS package.

A file that the user trusts (`redyn.load(..., trust="files")`) may refer to any file on this machine.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from redyn.description.schema import RobotDescription, Shape
from redyn.errors import DescriptionError

_MARK = "package.xml"  # what makes a folder a ROS package
_SCHEME = re.compile(r"(?:package|model)://+([^/]+)/(.+)")
_INSIDE = ((), ("src",), ("share",), ("install", "share"), ("install", "*", "share"))  # of a folder or workspace
_PARTS = ("meshes", "urdf", "xacro", "robots")  # what a folder of a robot has, with or without package.xml
_FILES = ("urdf", "robots", "robot", "xacro", "model", "models", "sdf")  # where its robot files are
NEAR = 3  # levels above a file
_bounds: ContextVar[Path | None] = ContextVar("bounds", default=None)


@contextmanager
def within(folder: Path) -> Generator[None]:
    """Within this context, nothing above `folder` is accessed, and every folder in it may be a ROS package.

    For uploaded files: a `package.xml` above the folder where they are stored is unrelated, and
    archives often contain a package without its `package.xml`.
    """
    token = _bounds.set(folder.resolve())
    try:
        yield
    finally:
        _bounds.reset(token)


def mesh_path(robot: RobotDescription, shape: Shape) -> Path:
    """The file of a mesh; an error if the name leads outside or to no file."""
    return find_mesh(shape.file or "", robot.folder, robot.trusted)


def find_mesh(named: str, folder: Path | None, trusted: bool = False) -> Path:
    """The file of a mesh that a robot file in `folder` names."""
    if folder is None:
        raise DescriptionError(named[:200], "this robot was not read from a file, so its meshes have no folder")
    for root, path in _candidates(named, folder, trusted):
        try:
            resolved, bound = path.resolve(), root.resolve()
            if not trusted and not resolved.is_relative_to(bound):
                raise outside(named)
            if resolved.is_file():
                return resolved
        except (OSError, ValueError, RuntimeError):  # a name that no file can have, a loop of links
            continue
    raise DescriptionError(named[:200], f"no such mesh; looked from {folder}")


def outside(named: str) -> DescriptionError:
    return DescriptionError(
        named[:200],
        "leads outside the folder of the model (or the ROS package that contains it), which is not allowed; if you "
        "trust the file, load it with trust='files' (--trust files on the command line)",
    )


def own_root(folder: Path) -> Path:
    """The folder that a file in `folder` may access: the enclosing ROS package, else its own folder.

    A folder such as `urdf` beside one of meshes is part of a package, even if that has lost its package.xml.
    """
    bounds = _bounds.get()
    if bounds is not None:
        return bounds
    package = next((parent for parent in (folder, *folder.parents) if _is_package(parent)), None)
    if package is None and folder.name in _FILES and _looks_like_package(folder.parent):
        return folder.parent
    return package or folder


def _is_package(folder: Path) -> bool:
    try:
        return (folder / _MARK).is_file()
    except OSError:  # a folder without read permission, a name that is too long
        return False


def _candidates(named: str, folder: Path, trusted: bool) -> Iterator[tuple[Path, Path]]:
    """Pairs of a path and the folder that it must not leave."""
    match = _SCHEME.fullmatch(named)
    if match is not None:
        package, rest = match[1], match[2]
        bounds = _bounds.get()
        for root in _packages(package, folder) if bounds is None else _packages_within(bounds, package, folder):
            yield bounds or root, root / rest
    elif trusted and "://" not in named.removeprefix("file://"):
        yield folder, folder / named.removeprefix("file://").replace("\\", "/")
    elif "://" in named or Path(named).is_absolute() or re.match(r"[A-Za-z]:|[\\/~]", named):
        raise outside(named)
    else:
        yield own_root(folder), folder / named.replace("\\", "/")


def _packages(package: str, folder: Path) -> Iterator[Path]:
    """Folders that may be a package, as people have them, nearest first.

    Around the file: a folder of that name that holds it, or one beside those, in the `src` of a workspace or in an
    `install` or `share`. A folder beside them needs a package.xml, or the folders of a robot package; one that holds
    the file needs neither within three levels. Then the packages of a sourced ROS.
    """
    if package in (".", ".."):
        return
    for level, parent in enumerate((folder, *folder.parents)):
        if (parent.name == package and (level <= NEAR or _is_package(parent))) or _declared(parent) == package:
            yield parent
        for inside in _INSIDE:
            place = parent.joinpath(*(package if step == "*" else step for step in inside), package)
            if _is_package(place) or (level <= NEAR and parent != Path.home() and _looks_like_package(place)):
                yield place
    for places, tail in (("ROS_PACKAGE_PATH", ""), ("AMENT_PREFIX_PATH", "share"), ("COLCON_PREFIX_PATH", "*/share")):
        for place in filter(None, os.environ.get(places, "").split(os.pathsep)):
            root = Path(place) / tail.replace("*", package) / package
            if _is_package(root):
                yield root
    yield folder  # the package root, under another folder name
    if folder.name in _FILES:
        yield folder.parent


def _declared(folder: Path) -> str | None:
    """The name that a folder's package.xml gives."""
    try:
        with (folder / _MARK).open(encoding="utf-8", errors="replace") as file:
            match = re.search(r"<name>\s*([\w.-]+)\s*</name>", file.read(20_000))
    except OSError:
        return None
    return None if match is None else match[1]


def _looks_like_package(folder: Path) -> bool:
    try:
        return not folder.name.startswith(".") and any((folder / name).is_dir() for name in _PARTS)
    except OSError:
        return False


def package_of(named: str) -> str | None:
    """The package that a name begins with, `package://arm/a.stl`; None if it has none."""
    match = _SCHEME.fullmatch(named)
    return None if match is None else match[1]


def package_name(folder: Path) -> str:
    """The name of the package in a folder."""
    return _declared(folder) or folder.name


def find_package(package: str, folder: Path | None) -> Path | None:
    """The folder of a package that a file in `folder` refers to, without guessing."""
    if folder is None:
        return None
    bounds = _bounds.get()
    places = _packages(package, folder) if bounds is None else _packages_within(bounds, package, folder)
    return next((place for place in places if package in (place.name, _declared(place)) and place.is_dir()), None)


def _packages_within(bounds: Path, package: str, folder: Path) -> Iterator[Path]:
    """Folders of that name, nearest first; then the enclosing folders, which may have been renamed."""
    if package in (".", ".."):
        return
    around = [parent for parent in (folder.resolve(), *folder.resolve().parents) if parent.is_relative_to(bounds)]
    yield from (parent for parent in around if parent.name == package)
    yield from (parent / package for parent in around)
    yield from (found for found in sorted(bounds.rglob("*")) if found.name == package and found.is_dir())
    yield from around
