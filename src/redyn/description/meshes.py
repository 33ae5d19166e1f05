"""Resolves mesh paths. A robot file may refer only to files in its own folder or ROS package.

A file that the user trusts (`redyn.load(..., trust="files")`) may refer to any file on this machine.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from redyn.description.schema import RobotDescription, Shape
from redyn.errors import DescriptionError

_MARK = "package.xml"  # what makes a folder a ROS package
_SCHEME = re.compile(r"(?:package|model)://+([^/]+)/(.+)")
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
    named = shape.file or ""
    if robot.folder is None:
        raise DescriptionError(named[:200], "this robot was not read from a file, so its meshes have no folder")
    for root, path in _candidates(named, robot.folder, robot.trusted):
        try:
            resolved, bound = path.resolve(), root.resolve()
            if not robot.trusted and not resolved.is_relative_to(bound):
                raise outside(named)
            if resolved.is_file():
                return resolved
        except (OSError, ValueError, RuntimeError):  # a name that no file can have, a loop of links
            continue
    raise DescriptionError(named[:200], f"no such mesh; looked from {robot.folder}")


def outside(named: str) -> DescriptionError:
    return DescriptionError(
        named[:200],
        "leads outside the folder of the model (or the ROS package that contains it), which is not allowed; if you "
        "trust the file, load it with trust='files' (--trust files on the command line)",
    )


def own_root(folder: Path) -> Path:
    """The folder that a file in `folder` may access: the enclosing ROS package, else its own folder."""
    bounds = _bounds.get()
    if bounds is not None:
        return bounds
    return next((parent for parent in (folder, *folder.parents) if _is_package(parent)), folder)


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
    if package in (".", ".."):
        return
    for parent in (folder, *folder.parents):
        if parent.name == package and (parent == folder or _is_package(parent)):
            yield parent
        if _is_package(parent / package):
            yield parent / package
    yield folder  # the package root, under another folder name


def _packages_within(bounds: Path, package: str, folder: Path) -> Iterator[Path]:
    """Folders of that name, nearest first; then the enclosing folders, which may have been renamed."""
    if package in (".", ".."):
        return
    around = [parent for parent in (folder.resolve(), *folder.resolve().parents) if parent.is_relative_to(bounds)]
    yield from (parent for parent in around if parent.name == package)
    yield from (parent / package for parent in around)
    yield from (found for found in sorted(bounds.rglob("*")) if found.name == package and found.is_dir())
    yield from around
