"""Models inside models of SDF, and included ones, put into one model.

What is inside the model `arm` is called `arm::link` afterwards, as in Gazebo, and its poses are relative to the frame
`arm::__model__`. With merge="true" the names stay as they are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from redyn.description.meshes import NEAR, outside, own_root
from redyn.description.poses import origin
from redyn.description.schema import WORLD
from redyn.description.sdf_frames import MODEL, Frames, is_true
from redyn.description.xml_file import Element, parse_xml
from redyn.description.yaml_file import LARGEST_FILE

DEEPEST = 20  # models in models; deeper ones include each other
NESTED = (1, 7)  # the version whose frames are used for what is nested
_PATHS = ("GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "SDF_PATH", "GAZEBO_MODEL_PATH")
_CONFIG = "model.config"  # what makes a folder a model of Gazebo
_PARTS = ("link", "joint", "frame", "model", "include")
_INSIDE = ("inertial", "visual", "collision")


@dataclass(frozen=True)
class Place:
    """Where a file is, and what it may read."""

    folder: Path | None
    trusted: bool = False


@dataclass(frozen=True)
class _Scope:
    """The names in a model, as the flat model has them."""

    prefix: str
    frame: str  # its __model__

    def __call__(self, name: str) -> str:
        name = name.strip()
        if name in ("", WORLD, "__root__"):
            return WORLD if name else ""
        return self.frame if name == MODEL else f"{self.prefix}{name}"


def version_of(root: Element) -> tuple[int, int]:
    """1.4 or later; an error for others."""
    match = re.fullmatch(r"(\d{1,3})\.(\d{1,3})", root.text("version"))
    if match is None or (version := (int(match[1]), int(match[2]))) < (1, 4) or version[0] > 1:
        given = root.attributes["version"][:60]
        raise root.error(f"SDF 1.4 or later (1.x) is supported, got {given!r}; `gz sdf -p` converts older files")
    return version


def flattened(model: Element, version: tuple[int, int], place: Place) -> tuple[Element, tuple[int, int]]:
    """The same model without others in it, and the version whose rules it follows."""
    if not any(child.tag in ("model", "include") for child in model.children):
        return model, version
    parts = [part for child in model.children for part in _parts(child, version, _Scope("", MODEL), place, 0)]
    return replace(model, children=parts), max(version, NESTED)


def _parts(child: Element, version: tuple[int, int], scope: _Scope, place: Place, depth: int) -> Iterator[Element]:
    """A child of a model, in the flat model."""
    if depth > DEEPEST:
        raise child.error("models are nested too deeply, or include each other")
    if child.tag == "model":
        yield from _nested(child, version, scope, place, depth)
    elif child.tag == "include":
        inner, own, there = included(child, place)
        yield from _nested(inner, own, scope, there, depth, merged=is_true(child.attributes.get("merge", "")))
    elif child.tag != "frame" or version >= NESTED:  # frames have no meaning before
        yield _renamed(child, version, scope)


def _nested(
    model: Element, version: tuple[int, int], outer: _Scope, place: Place, depth: int, merged: bool = False
) -> Iterator[Element]:
    name = model.text("name")
    frame = f"{outer.prefix}_merged__{name}{MODEL}" if merged else f"{outer.prefix}{name}::{MODEL}"
    scope = _Scope(outer.prefix if merged else f"{outer.prefix}{name}::", frame)
    own = [child for child in model.children if child.tag in _PARTS]  # not its pose
    inside = [part for child in own for part in _parts(child, version, scope, place, depth + 1)]
    canonical = model.attributes.get("canonical_link", "").strip()
    first = next((part.attributes["name"] for part in inside if part.tag == "link"), "")
    if not canonical and not first:
        return  # a light or a plugin
    attached = scope(canonical) if canonical else first
    pose = model.find("pose")
    relative = "" if pose is None else _relative_to(pose)
    placement = model.attributes.get("placement_frame", "").strip()
    at = Element(model.file, "pose", {} if pose is None else dict(pose.attributes), model.line)
    at.content = "0 0 0 0 0 0" if pose is None or not pose.content.strip() else pose.content
    at.attributes |= {"relative_to": outer(relative) or outer.frame}
    if placement:
        middle = f"{frame}placement__"
        yield Element(model.file, "frame", {"name": middle, "attached_to": attached}, model.line, [at])
        at = _back(model, version, place, placement, middle)
    yield Element(model.file, "frame", {"name": frame, "attached_to": attached}, model.line, [at])
    yield from inside


def _back(model: Element, version: tuple[int, int], place: Place, placement: str, frame: str) -> Element:
    """The pose of a model in its own placement frame, which is in `frame`."""
    bare = replace(
        model,
        attributes={key: value for key, value in model.attributes.items() if key != "placement_frame"},
        children=[child for child in model.children if child.tag != "pose"],
    )
    flat, own = flattened(bare, version, place)
    there = origin(np.asarray(np.linalg.inv(Frames(flat, own).named(model, placement)), dtype=np.float64))
    numbers = " ".join(repr(x) for x in (*there["xyz"], *there["rpy"]))
    return Element(model.file, "pose", {"relative_to": frame}, model.line, content=numbers)


def _renamed(part: Element, version: tuple[int, int], scope: _Scope) -> Element:
    """A link, joint or frame with the names of the flat model, and with all defaults of its version written out."""
    if part.tag not in ("link", "joint", "frame"):
        return part
    made = _copy(part)
    made.attributes["name"] = f"{scope.prefix}{part.text('name')}"
    for element in (made, *(child for child in made.children if child.tag in _INSIDE)):
        for pose in element.all("pose"):
            relative = _relative_to(pose)
            if relative:
                pose.attributes["relative_to"] = scope(relative)
    if part.tag == "link" and scope.prefix + scope.frame != MODEL:
        _placed(made, scope.frame)
    if part.tag == "frame":
        made.attributes["attached_to"] = scope(part.attributes.get("attached_to", "")) or scope.frame
    if part.tag == "joint":
        _rejoin(made, version, scope)
    return made


def _placed(link: Element, frame: str) -> None:
    """The pose of a link is relative to its model, unless it says otherwise."""
    pose = link.find("pose")
    if pose is None:
        pose = Element(link.file, "pose", {}, link.line, content="0 0 0 0 0 0")
        link.children.append(pose)
    elif not pose.content.strip():
        pose.content = "0 0 0 0 0 0"
    if not _relative_to(pose):
        pose.attributes["relative_to"] = frame


def _rejoin(joint: Element, version: tuple[int, int], scope: _Scope) -> None:
    for tag in ("parent", "child", "gearbox_reference_body"):
        for end in joint.all(tag):
            inner = end.find("link")
            holder = inner if inner is not None and not end.content.strip() else end
            holder.content = scope(holder.content)
    for tag in ("axis", "axis2"):
        for axis in joint.all(tag):
            for mimic in axis.all("mimic"):
                mimic.attributes["joint"] = scope(mimic.attributes.get("joint", ""))
            for xyz in axis.all("xyz"):
                named = xyz.attributes.get("expressed_in", "").strip()
                of_model = version <= (1, 4) or is_true(axis.content_of("use_parent_model_frame"))
                if named or of_model:
                    xyz.attributes["expressed_in"] = scope(named) or scope.frame


def _relative_to(pose: Element) -> str:
    return (pose.attributes.get("relative_to") or pose.attributes.get("frame", "")).strip()


def _copy(element: Element) -> Element:
    children = [_copy(child) for child in element.children]
    return replace(element, attributes=dict(element.attributes), children=children)


def included(include: Element, place: Place) -> tuple[Element, tuple[int, int], Place]:
    """The model that an <include> stands for, its version, and where it is."""
    uri = include.content_of("uri")
    if not uri:
        raise include.error("<include> needs a <uri>")
    file = _file(include, uri, place)
    if file.stat().st_size > LARGEST_FILE:
        raise include.error(f"{uri[:60]}: larger than {LARGEST_FILE // 1_000_000} MB")
    root = parse_xml(file.read_bytes(), file.name)
    models = root.all("model") if root.tag == "sdf" else []
    if len(models) != 1:
        raise include.error(f"{uri[:60]}: expected an SDF file with one <model>, got {len(models)}")
    model = _copy(models[0])
    model.attributes["name"] = include.content_of("name") or model.text("name")
    frame = include.content_of("placement_frame")
    pose = include.find("pose")
    if pose is not None:
        model.children = [*(child for child in model.children if child.tag != "pose"), _copy(pose)]
    if frame:
        model.attributes["placement_frame"] = frame
    _move_files(model, file.parent, place)
    return model, version_of(root), Place(file.parent, place.trusted)


def _move_files(model: Element, folder: Path, place: Place) -> None:
    """Meshes are named relative to the file that includes: its folder is the one that the robot has."""
    if place.folder is None or folder == place.folder:
        return
    for element in model.walk():
        if element.tag == "uri" and element.content.strip() and "://" not in element.content:
            element.content = os.path.relpath(folder / element.content.strip(), place.folder)


def _file(include: Element, uri: str, place: Place) -> Path:
    if place.folder is None:
        raise include.error("<include> needs a file: this text has no folder")
    scheme, mark, rest = uri.partition("://")
    named = rest if mark else uri
    if mark and scheme not in ("model", "file", "package"):
        raise include.error(f"{uri[:60]!r} is not on this machine: <include> is followed to files alone")
    for folder in _candidates(named, place, bool(mark)):
        file = _model_file(folder)
        if file is None:
            continue
        allowed = place.trusted or file.is_relative_to(own_root(place.folder).resolve()) or _is_model(file.parent)
        if not allowed:
            raise outside(uri)
        return file
    raise include.error(f"{uri[:60]!r} is not found; put that model beside this one, or set {_PATHS[0]}")


def _candidates(named: str, place: Place, by_name: bool) -> Iterator[Path]:
    assert place.folder is not None
    if by_name and not Path(named).is_absolute() and ".." not in Path(named).parts:
        for folder in (place.folder, *place.folder.resolve().parents[: NEAR + 1]):
            yield folder / named
            yield folder / "models" / named
        for variable in _PATHS:
            for folder in filter(None, os.environ.get(variable, "").split(os.pathsep)):
                yield Path(folder) / named
    else:
        yield place.folder / named


def _is_model(folder: Path) -> bool:
    return any((parent / _CONFIG).is_file() for parent in (folder, folder.parent))


def _model_file(path: Path) -> Path | None:
    """The SDF of a folder of a model, or the file itself."""
    try:
        path = path.resolve()
        if path.is_file():
            return path
        config = path / _CONFIG
        if config.is_file():
            with config.open(encoding="utf-8", errors="replace") as file:
                named = re.findall(r"<sdf[^>]*>\s*([^<\s]+)\s*</sdf>", file.read(50_000))
            found = [path / name for name in reversed(named) if (path / name).resolve().is_relative_to(path)]
            return next((file for file in found if file.is_file()), None)
        return path / "model.sdf" if (path / "model.sdf").is_file() else None
    except (OSError, ValueError):
        return None
