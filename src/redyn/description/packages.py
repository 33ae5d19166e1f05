"""Robots of installed packages: `example-robot-data:ur5`, `robot_descriptions:panda_description`.

Nothing is imported, run or fetched. The files of example-robot-data come with the package. Those of robot_descriptions
are found if the package has cloned them before: importing one of its modules would clone, so where it keeps a file is
read from the module's source.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import sys
from collections import Counter
from functools import lru_cache
from pathlib import Path

from redyn.errors import DescriptionError
from redyn.words import suggestion

EXAMPLES, DESCRIPTIONS = "example-robot-data", "robot_descriptions"
PACKAGES = (EXAMPLES, DESCRIPTIONS)
_SUFFIX = "_description"  # of modules; may be left out
_PATHS = ("URDF_PATH", "MJCF_PATH", "XACRO_PATH")
_ARGUMENTS = "XACRO_ARGS"
_TAILS = (f"share/{EXAMPLES}/robots", f"cmeel.prefix/share/{EXAMPLES}/robots")  # conda or a system; PyPI


def package_file(source: str) -> Path | None:
    """The file of a robot such as `example-robot-data:ur5`; None if the text does not begin with a package."""
    package, colon, name = source.partition(":")
    if not colon or package not in PACKAGES:
        return None
    if package == EXAMPLES:
        return _example(source, name)
    return _description(source, name)


def package_arguments(source: str) -> dict[str, str]:
    """The arguments with which a package expands the xacro file of a robot; none for other robots."""
    package, colon, name = source.partition(":")
    root = _root() if colon and package == DESCRIPTIONS else None
    if root is None or f"{name.removesuffix(_SUFFIX)}{_SUFFIX}" not in _modules():
        return {}
    for statement in _module(root, f"{name.removesuffix(_SUFFIX)}{_SUFFIX}"):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if isinstance(statement, ast.Assign) and isinstance(target, ast.Name) and target.id == _ARGUMENTS:
            return {str(key): str(value) for key, value in ast.literal_eval(statement.value).items()}
    return {}


def package_robots() -> list[str]:
    """The robots of both packages that can be loaded here, such as `example-robot-data:ur5`."""
    names = _modules() if _cache().is_dir() else []
    cached = [name for name in names if (file := _stored(name)) is not None and file.is_file()]
    return [*(f"{EXAMPLES}:{name}" for name in sorted(_examples())), *(f"{DESCRIPTIONS}:{name}" for name in cached)]


def robots_folder() -> Path | None:
    """Where the package example-robot-data keeps its robots."""
    places = [Path(place) / tail for place in (*sys.path, sys.prefix) for tail in _TAILS]
    return next((place for place in places if place.is_dir()), None)


def _example(source: str, name: str) -> Path:
    folder = robots_folder()
    if folder is None:
        raise DescriptionError(source[:200], f"{EXAMPLES} is not installed: pip install {EXAMPLES}")
    robots = _examples()
    short = {names[0]: names[1] for names in _single(folder)}
    file = robots.get(name) or short.get(name)
    if file is None:
        known = sorted(robots.keys() | short.keys())
        raise DescriptionError(source[:200], f"{EXAMPLES} has no such robot{suggestion(name, known)}")
    return file


def _examples() -> dict[str, Path]:
    """Files by robot: their stems without `_robot`, and the folder's name where several have the same stem."""
    files = _files(robots_folder())
    stems = Counter(_stem(file) for file in files)
    return {_stem(file) if stems[_stem(file)] == 1 else _folder(file): file for file in files}


def _single(folder: Path) -> list[tuple[str, Path]]:
    """Folders with one robot, so that `hyq` is `hyq_no_sensors`."""
    files = _files(folder)
    count = Counter(_folder(file) for file in files)
    return [(_folder(file), file) for file in files if count[_folder(file)] == 1]


def _files(folder: Path | None) -> list[Path]:
    if folder is None:
        return []
    return sorted(file for kind in ("urdf", "sdf") for file in folder.glob(f"*/*/*.{kind}"))


def _stem(file: Path) -> str:
    return file.stem.removesuffix("_robot")


def _folder(file: Path) -> str:
    return file.parents[1].name.removesuffix("_description").removesuffix("_data").removesuffix("_simple")


def _description(source: str, name: str) -> Path:
    if _root() is None:
        raise DescriptionError(source[:200], f"{DESCRIPTIONS} is not installed: pip install {DESCRIPTIONS}")
    modules = _modules()
    name = f"{name.removesuffix(_SUFFIX)}{_SUFFIX}"
    if name not in modules:
        raise DescriptionError(source[:200], f"{DESCRIPTIONS} has no such robot{suggestion(name, modules)}")
    file = _stored(name)
    if file is None:
        raise DescriptionError(source[:200], "its file is made by a program such as xacro, which is not run")
    if not file.is_file():
        hint = f"import {DESCRIPTIONS}.{name}, in Python, downloads it"
        raise DescriptionError(source[:200], f"not in the cache of {DESCRIPTIONS} ({file}); {hint}")
    return file


def _root() -> Path | None:
    spec = importlib.util.find_spec(DESCRIPTIONS)
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def _modules() -> list[str]:
    root = _root()
    return sorted(file.stem for file in root.glob(f"*{_SUFFIX}.py") if file.stem[0] != "_") if root else []


def _module(root: Path, name: str) -> list[ast.stmt]:
    return ast.parse((root / f"{name}.py").read_text("utf-8")).body


def _stored(name: str) -> Path | None:
    """Where the cache keeps the file of a robot, whether it is there or not."""
    root = _root()
    if root is None:
        return None
    values: dict[str, str] = {}
    for statement in _module(root, name):
        target = statement.target if isinstance(statement, ast.AnnAssign) else None
        if isinstance(statement, ast.Assign):
            target = statement.targets[0]
        if isinstance(target, ast.Name) and isinstance(statement, ast.Assign | ast.AnnAssign):
            value = _text(statement.value, values, root)
            if value is not None:
                values[target.id] = value
    found = next((values[key] for key in _PATHS if key in values), None)
    return None if found is None else Path(found)


def _text(value: ast.expr | None, values: dict[str, str], root: Path) -> str | None:
    """A string of the module: a literal, another name, parts of a path, or the folder of a repository."""
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value.value
    if isinstance(value, ast.Name):
        return values.get(value.id)
    if not isinstance(value, ast.Call) or not value.args:
        return None
    called = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
    parts = [_text(part, values, root) for part in value.args]
    if called == "join":
        known = [part for part in parts if part is not None]
        return str(Path(*known)) if len(known) == len(parts) else None
    if called.endswith("clone_to_cache") and parts[0] is not None:
        return _repository(parts[0], root)
    return None


def _repository(name: str, root: Path) -> str | None:
    folder = _repositories(root / "_repositories.py").get(name)
    if folder is None:
        return None
    commit = os.environ.get("ROBOT_DESCRIPTION_COMMIT")
    return str(_cache() / f"{folder}-{commit}" / folder if commit else _cache() / folder)


def _cache() -> Path:
    return Path(os.environ.get("ROBOT_DESCRIPTIONS_CACHE", "~/.cache/robot_descriptions")).expanduser()


@lru_cache(maxsize=1)
def _repositories(file: Path) -> dict[str, str]:
    """Folders in the cache by repository."""
    folders: dict[str, str] = {}
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(value, ast.Call):
                    for word in value.keywords:
                        if word.arg == "cache_path" and isinstance(word.value, ast.Constant):
                            folders[str(key.value)] = str(word.value.value)
    return folders
