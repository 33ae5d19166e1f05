"""The files of an MJCF model: included and attached models, and meshes.

MuJoCo searches for a file relative to the file that refers to it and to the main one: included files in these folders,
meshes in the folder given by the last <compiler> of the whole model. So every path that it
may open is checked first: none may be outside the folder of the model, unless the user trusts the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from redyn.description.meshes import outside, own_root
from redyn.description.xml_file import MOST_ELEMENTS, Element, parse_xml
from redyn.description.yaml_file import LARGEST_FILE
from redyn.errors import DescriptionError

MOST_FILES = 100  # included and attached
LARGEST_MESHES = 100_000_000  # bytes of all meshes; MuJoCo needs some 35 times as much memory

MOST_NAMED = 5_000  # meshes
MOST_FOLDERS = 10  # folders to search for them

_FOLDERS = ("meshdir", "assetdir")
_ELSEWHERE = re.compile(r"[\\/]{2}|[A-Za-z][A-Za-z0-9+.-]*:")  # another machine, a drive, a URL
DROPPED = ("texture", "hfield")  # not used by redyn; MuJoCo never opens their files


@dataclass
class Model:
    """A main file with all its includes; attached models are separate."""

    folder: Path
    root: Element
    parts: list[tuple[Element, Path]] = field(default_factory=list[tuple[Element, Path]])
    included: dict[int, Element] = field(default_factory=dict[int, Element])  # by id() of the <include>
    attached: dict[str, Model] = field(default_factory=dict[str, "Model"])  # by name of the <model>
    meshes: dict[int, Path] = field(default_factory=dict[int, Path])  # by id() of the element that refers to one

    def elements(self) -> Iterator[tuple[Element, Path]]:
        """Every element of every file, with the folder of that file."""
        for root, path in self.parts:
            for element in root.walk():
                yield element, path.parent

    def all_meshes(self) -> set[Path]:
        """Files of this model and of those that it attaches."""
        return set(self.meshes.values()).union(*(model.all_meshes() for model in self.attached.values()))

    def children(self, element: Element) -> list[Element]:
        """Children of an element with includes resolved."""
        inner: list[Element] = []
        for child in element.children:
            found = self.included.get(id(child))
            inner += self.children(found) if found is not None else [child]
        return inner


def read_files(root: Element, path: Path, trusted: bool) -> Model:
    """The model of a file with the root element `root`; an error if it leaves its folder."""
    bound = None if trusted else own_root(path.parent.resolve())
    return _Reader(bound).model(root, path, ())


class _Reader:
    def __init__(self, bound: Path | None) -> None:
        self.bound = bound  # None: anywhere
        self.files = self.elements = self.bytes = self.named = 0
        self.models: dict[Path, Model] = {}

    def model(self, root: Element, path: Path, above: tuple[Path, ...]) -> Model:
        resolved = path.resolve()
        if resolved in above:
            raise DescriptionError(f"{root.file}", "this model contains itself")
        model = Model(path.parent, root)
        self._add(model, root, path, {resolved})
        folders = self._folders(model)
        for element, folder in list(model.elements()):
            if element.tag == "model" and element.attributes.get("file"):
                found = self._found(element, element.attributes["file"], [model.folder], False)
                if found is not None:
                    name = element.attributes.get("name") or found.stem
                    model.attached[name] = self._attached(found, (*above, resolved))
            elif element.tag != "include":
                self._named(model, element, [folder, *folders])
        return model

    def _attached(self, path: Path, above: tuple[Path, ...]) -> Model:
        if path not in self.models:
            self.models[path] = self.model(self._parsed(path), path, above)
        return self.models[path]

    def _add(self, model: Model, root: Element, path: Path, seen: set[Path]) -> None:
        """A file of a model, and those that it includes."""
        self.elements += sum(1 for _ in root.walk())
        if self.elements > MOST_ELEMENTS:
            raise DescriptionError(model.root.file, f"more than {MOST_ELEMENTS:,} elements, includes counted")
        model.parts.append((root, path))
        for element in root.walk():
            if element.tag != "include" or not element.attributes.get("file"):
                continue
            found = self._found(element, element.attributes["file"], [path.parent, model.folder], False)
            if found is not None and found not in seen:  # MuJoCo refuses missing files, and including a file twice
                seen.add(found)
                inner = self._parsed(found)
                model.included[id(element)] = inner
                self._add(model, inner, found, seen)

    def _parsed(self, path: Path) -> Element:
        self.files += 1
        if self.files > MOST_FILES:
            raise DescriptionError(path.name, f"the model includes more than {MOST_FILES} files")
        try:
            self.bytes += path.stat().st_size
            if self.bytes > LARGEST_FILE:
                raise DescriptionError(path.name, f"the model's files are larger than {LARGEST_FILE // 1_000_000} MB")
            return parse_xml(path.read_bytes(), path.name)
        except OSError as error:
            raise DescriptionError(path.name, f"cannot be read: {error.strerror}") from None

    def _named(self, model: Model, element: Element, folders: list[Path]) -> None:
        """Files that an element refers to."""
        for name, value in element.attributes.items():
            if name.startswith("file") and value.strip() and element.tag not in DROPPED:
                self.named += 1
                if self.named > MOST_NAMED:
                    raise element.error(f"the model names more than {MOST_NAMED:,} files")
                found = self._found(element, value, folders, True)
                if found is not None:
                    model.meshes[id(element)] = found

    def _folders(self, model: Model) -> list[Path]:
        """Folders that MuJoCo may search for the meshes of a model."""
        named = {""}
        for element, _ in model.elements():
            for name in _FOLDERS if element.tag == "compiler" else ():
                folder = element.attributes.get(name, "")
                if self.bound is not None and _ELSEWHERE.match(folder):
                    raise _outside(element, folder)
                named.add(folder)
        if len(named) > MOST_FOLDERS:
            raise DescriptionError(model.root.file, f"more than {MOST_FOLDERS} folders of meshes")
        return [model.folder / name.replace("\\", "/") for name in sorted(named)]

    def _found(self, element: Element, named: str, folders: Sequence[Path], strips: bool) -> Path | None:
        """The first file of that name in the folders; an error if one outside might be opened."""
        slashed = named.replace("\\", "/")
        if self.bound is not None and _ELSEWHERE.match(named):
            raise _outside(element, named)
        last = [slashed.rpartition("/")[2]] if strips else []  # <compiler> may strip folders from file names
        names = dict.fromkeys((named, slashed, *last))
        found: list[Path] = []
        beyond: list[Path] = []
        for place in (folder / name for folder in folders for name in names if name):
            resolved = _resolved(place)
            if resolved is None:
                continue
            if self.bound is not None and not resolved.is_relative_to(self.bound):
                beyond.append(resolved)
            elif _exists(resolved):
                found.append(resolved)
        if any(map(_exists, beyond)) or (beyond and not found):
            raise _outside(element, named)
        if found and not found[0].is_file():
            raise element.error(f"{named[:200]!r} is not a regular file")
        return found[0] if found else None


def _outside(element: Element, named: str) -> DescriptionError:
    last = re.split(r"[\\/]", named)[-1][:100]
    return outside(f"{element.file}:{element.line}: {last}")


def _resolved(place: Path) -> Path | None:
    try:
        return place.resolve()
    except (OSError, ValueError, RuntimeError):  # a name that no file can have, a loop of links
        return None


def _exists(path: Path) -> bool:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:  # it exists, though this user may not read it
        return True
    return True
