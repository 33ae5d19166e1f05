"""What an MJCF file may ask of MuJoCo's compiler: files of its own folder only, and moderate amounts of everything."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from redyn.description.meshes import outside, own_root
from redyn.description.xml_file import Element, parse_xml
from redyn.description.yaml_file import LARGEST_FILE
from redyn.errors import DescriptionError

MOST_FILES = 100  # included files
MOST_COPIES = 10_000  # by <replicate>, <composite> and <flexcomp>
LARGEST_PICTURE = 8192  # pixels or rows: textures and height fields
LARGEST_SIZE = 1_000_000  # numbers in <size>

_FOLDERS = ("meshdir", "texturedir", "assetdir")
_NESTED = ("include", "model")  # elements that name another MJCF file
_COPIES = ("replicate", "composite", "flexcomp")


def check_files(root: Element, path: Path) -> None:
    """An error where the file, or one that it includes, reaches outside or asks for too much."""
    seen = {path.resolve()}
    waiting = [root]
    bound = own_root(path.parent.resolve())
    while waiting:
        model = waiting.pop()
        _check_amounts(model)
        for element, place in _named_files(model, path.parent):
            resolved = _resolved(place)
            if resolved is None or not resolved.is_relative_to(bound):
                raise outside(f"{element.file}:{element.line}: {place.name}")
            if element.tag in _NESTED and resolved not in seen and resolved.is_file():
                seen.add(resolved)
                if len(seen) > MOST_FILES:
                    raise DescriptionError(root.file, f"includes more than {MOST_FILES} files")
                waiting.append(_included(resolved))


def _included(path: Path) -> Element:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise DescriptionError(path.name, f"the file is larger than {LARGEST_FILE // 1_000_000} MB")
        return parse_xml(path.read_bytes(), path.name)
    except OSError as error:
        raise DescriptionError(path.name, f"cannot be read: {error.strerror}") from None


def _walk(root: Element) -> Iterator[Element]:
    waiting = [root]
    while waiting:
        element = waiting.pop()
        yield element
        waiting.extend(element.children)


def _named_files(root: Element, folder: Path) -> Iterator[tuple[Element, Path]]:
    """Every element that names a file, with every place where the file may be looked for."""
    compilers = [element for element in _walk(root) if element.tag == "compiler"]
    folders = {"", *(element.attributes.get(name, "") for element in compilers for name in _FOLDERS)}
    for element in _walk(root):
        for name, value in element.attributes.items():
            if name.startswith("file") and value.strip():
                for inner in folders:
                    yield element, folder / inner.replace("\\", "/") / value.strip().replace("\\", "/")


def _resolved(place: Path) -> Path | None:
    try:
        return place.resolve()
    except (OSError, ValueError, RuntimeError):  # a name that no file can have, a loop of links
        return None


def _check_amounts(root: Element) -> None:
    waiting = [(root, 1)]
    while waiting:
        element, copies = waiting.pop()
        if element.tag in _COPIES:
            for count in _integers(element, "count"):
                copies *= max(1, count)
            if copies > MOST_COPIES:
                raise element.error(f"<{element.tag}> makes more than {MOST_COPIES:,} copies")
        for name in ("width", "height", "nrow", "ncol"):
            if element.tag in ("texture", "hfield") and max(_integers(element, name), default=0) > LARGEST_PICTURE:
                raise element.error(f"<{element.tag} {name}=...> is more than {LARGEST_PICTURE}")
        if element.tag == "size":
            for name in element.attributes:
                if name != "memory" and max(_integers(element, name), default=0) > LARGEST_SIZE:
                    raise element.error(f"<size {name}=...> is more than {LARGEST_SIZE:,}")
        waiting.extend((child, copies) for child in element.children)


def _integers(element: Element, name: str) -> list[int]:
    words = element.attributes.get(name, "").split()
    return [int(float(word)) for word in words if re.fullmatch(r"[0-9]{1,18}(\.[0-9]*)?([eE][0-9]{1,2})?", word)]
