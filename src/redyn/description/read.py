"""Reads a description from a library name, a file or plain data."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from importlib import resources
from os import PathLike
from pathlib import Path
from typing import Literal

from redyn.description import xacro
from redyn.description.checks import check_moves, check_physical
from redyn.description.given import Given, Loops, given_loops
from redyn.description.mjcf import parse_mjcf
from redyn.description.packages import package_arguments, package_file
from redyn.description.schema import RobotDescription
from redyn.description.sdf import parse_sdf
from redyn.description.sdf_nested import Place
from redyn.description.transforms import floating
from redyn.description.urdf import parse_urdf
from redyn.description.xacro_expand import expand, has_xacro
from redyn.description.xml_file import parse_xml
from redyn.description.yaml_file import LARGEST_FILE, decoded, from_mapping, parse_yaml
from redyn.errors import DescriptionError, InputError

_YAML, _XML = (".yaml", ".yml"), (".urdf", ".sdf", ".xml")
_USD = (".usd", ".usda", ".usdc", ".usdz")

Trust = Literal["files"]
Source = str | PathLike[str] | Mapping[str, object]


def library() -> list[str]:
    """Names of the built-in robots.

    >>> library()[:3]
    ['3-rrr', 'abb-irb-120', 'abb-irb-1200-5-0.9']
    """
    folder = resources.files("redyn.description") / "library"
    return sorted(entry.name.removesuffix(".yaml") for entry in folder.iterdir() if entry.name.endswith(".yaml"))


def read(
    source: Source,
    *,
    floating_base: bool = False,
    allow_unphysical: bool = False,
    trust: Trust | None = None,
    loops: Loops | None = None,
    actuated: Sequence[str] | None = None,
    arguments: Mapping[str, object] | None = None,
) -> RobotDescription:
    """The description of a library name, a path or a mapping; `floating_base` puts it on a free joint.

    `example-robot-data:ur5` and `robot_descriptions:panda_description` are files of those packages.

    A file may read others (meshes, includes of MJCF) in its own folder only, unless `trust` is "files". `loops` and
    `actuated` take the place of what the source says of them; with False it has no loops. `arguments` are those of a
    xacro file.
    """
    if trust not in (None, "files"):
        raise InputError(f"trust: expected 'files' or None, got {trust!r}")
    named = isinstance(source, str) and source in library()
    path = _path(source) if isinstance(source, str | PathLike) and not named else None
    if path is not None and is_xacro(path) and isinstance(source, str):
        arguments = {**package_arguments(source), **(arguments or {})}
    given = given_loops(loops, actuated, path, trust == "files")
    if isinstance(source, Mapping):
        description, origin = from_mapping({**source, **given.fields}), ""
    elif path is not None:
        description, origin = _read_file(path, trust == "files", given, arguments), path.name
    elif named:
        origin = str(source)
        text = (resources.files("redyn.description") / "library" / f"{origin}.yaml").read_text("utf-8")
        description = parse_yaml(text, origin, given.fields)
    else:
        raise DescriptionError("", f"load takes a library name, a path or a dict, got {type(source).__name__}")
    if arguments and (path is None or not is_xacro(path)):
        raise InputError("arguments: only xacro files (.xacro) take arguments")
    if not allow_unphysical:
        check_physical(description, origin)
    if floating_base:
        description = floating(description)
    check_moves(description, origin)
    return description


def _path(source: str | PathLike[str]) -> Path:
    return (package_file(source) if isinstance(source, str) else None) or Path(source)


def _read_file(
    path: Path, trusted: bool, given: Given, arguments: Mapping[str, object] | None = None
) -> RobotDescription:
    shown = str(path)[:200]
    if "\n" in shown:
        raise DescriptionError("", "load takes a path or a dict, not the text of a file")
    try:
        if "\0" in str(path) or not path.is_file():
            raise FileNotFoundError
        data = _bytes(path, arguments, trusted)
        parse = _parse_text if path.suffix.lower() in _YAML else _parse_xml
        description = given.changed(parse(data, path, trusted, given.fields))
        return description.placed_in(path.resolve().parent, trusted)
    except FileNotFoundError:
        close = difflib.get_close_matches(shown, library(), 1)
        hint = f"did you mean {close[0]!r}?" if close else "`redyn list` shows the library"
        raise DescriptionError(shown, f"neither a robot of the library nor a file; {hint}") from None
    except OSError as error:
        raise DescriptionError(shown, f"cannot be read: {error.strerror}") from None


def is_xacro(path: Path) -> bool:
    return path.suffix.lower() == xacro.SUFFIX


def _bytes(path: Path, arguments: Mapping[str, object] | None, trusted: bool) -> bytes:
    """The contents of a robot file; of xacro, the URDF that it stands for."""
    shown, suffix = str(path)[:200], path.suffix.lower()
    if suffix in _USD:
        raise DescriptionError(
            shown,
            "USD is not read; export the robot as URDF or MJCF from the program that made it (as Isaac Sim can)",
        )
    if suffix not in (*_YAML, *_XML, xacro.SUFFIX):
        raise DescriptionError(shown, "expected a .yaml, .urdf, .xacro, .sdf or .xml (MJCF) file")
    if path.stat().st_size > LARGEST_FILE:
        raise DescriptionError(shown, f"the file is larger than {LARGEST_FILE // 1_000_000} MB")
    if suffix != xacro.SUFFIX:
        return path.read_bytes()
    if not has_xacro():
        raise xacro.unexpanded(shown, f"its name ends in {xacro.SUFFIX}")
    data = expand(path, arguments, trusted)
    if len(data) > LARGEST_FILE:
        raise DescriptionError(shown, f"expanded, it is larger than {LARGEST_FILE // 1_000_000} MB")
    return data


def xml_bytes(path: Path, arguments: Mapping[str, object] | None = None, trusted: bool = False) -> bytes | None:
    """The XML of a robot file, expanded if it is xacro; None for one in YAML."""
    return None if path.suffix.lower() in _YAML else _bytes(path, arguments, trusted)


def _parse_text(data: bytes, path: Path, trusted: bool, extra: Mapping[str, object]) -> RobotDescription:
    del trusted
    return parse_yaml(decoded(data, str(path)[:200]), path.name, extra)


def xml_name(path: Path) -> str:
    """What errors call a file: lines of xacro are those of what it expands to."""
    return f"{path.name}{xacro.EXPANDED}" if is_xacro(path) else path.name


def _parse_xml(data: bytes, path: Path, trusted: bool, extra: Mapping[str, object]) -> RobotDescription:
    """URDF, SDF or MJCF, according to the root element."""
    root = parse_xml(data, xml_name(path))
    if root.tag == "mujoco":
        return parse_mjcf(root, path, extra, trusted)
    return (
        parse_sdf(root, extra, Place(path.resolve().parent, trusted)) if root.tag == "sdf" else parse_urdf(root, extra)
    )
