"""Expands xacro files by the package `xacro`, within the same bounds as other files.

xacro evaluates expressions as Python and opens any file that is named. A robot file may be untrusted, so here it gets
neither: expressions may not reach attributes that lead out of its sandbox, and files must be those of the model's own
package or of packages around it, unless the user trusts the file. `$(find arm)` stays `package://arm` in the result, so
that meshes are found as those of a URDF are.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.util
import io
import re
import threading
from collections.abc import Callable, Collection, Generator, Mapping
from pathlib import Path
from typing import Any

from redyn.description.meshes import find_package, outside, own_root, package_name
from redyn.description.yaml_file import LARGEST_FILE
from redyn.errors import DescriptionError, InputError

_FIND = "package://"
_LOCK = threading.Lock()  # xacro keeps its state in module variables
_UNSAFE = ("_", "gi_", "f_", "cr_", "ag_", "tb_", "co_", "func_", "im_", "mro", "format")  # ways out of a sandbox
_MOST = 1_000_000  # of a number in an expression: counts and repetitions stay small
_ENTITIES = re.compile(r"<!(DOCTYPE|ENTITY)")


def has_xacro() -> bool:
    return importlib.util.find_spec("xacro") is not None


def expand(path: Path, arguments: Mapping[str, object] | None, trusted: bool) -> bytes:
    """The URDF that a xacro file stands for."""
    given = {str(name): _text(value) for name, value in (arguments or {}).items()}
    with _LOCK, _guarded(path, trusted) as xacro, contextlib.redirect_stderr(io.StringIO()):
        try:
            document = xacro.process_file(str(path), mappings=given, verbosity=0)
            expanded = str(document.toprettyxml(indent="  "))
        except (DescriptionError, InputError):
            raise
        except RecursionError:
            raise DescriptionError(str(path)[:200], "its macros are nested too deeply, or call themselves") from None
        except Exception as error:  # anything that an expression or a parser may raise
            raise _explained(path, error, given) from None
    return re.sub(f"file:/*{_FIND}", _FIND, expanded).encode("utf-8")


def _text(value: object) -> str:
    """An argument as the command line of xacro has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _explained(path: Path, error: Exception, given: Mapping[str, str]) -> DescriptionError:
    inner: object = error
    while isinstance(inner := getattr(inner, "exc", None), Exception):
        if isinstance(inner, DescriptionError):
            return inner
    reason = " ".join(str(error).split())[:300]
    missing = re.search(r"Undefined substitution argument (\S+)", reason)
    if missing is not None:
        name = missing[1]
        hint = f"load(..., arguments={{{name!r}: ...}}), or `redyn doctor --arg {name}=...`"
        have = f"; given are {', '.join(given)}" if given else ""
        return DescriptionError(str(path)[:200], f"xacro needs the argument {name!r}: {hint}{have}")
    return DescriptionError(str(path)[:200], f"xacro cannot expand it: {reason or type(error).__name__}")


@contextlib.contextmanager
def _guarded(path: Path, trusted: bool) -> Generator[Any]:
    """xacro, with its access to files and to Python bounded."""
    xacro: Any = importlib.import_module("xacro")
    inner: Any = importlib.import_module("xacro.substitution_args")
    folder = path.resolve().parent
    parse, evaluate, from_arguments = xacro.parse, xacro.safe_eval, inner._eval

    def located(named: str) -> str:
        """A file that is named, in full."""
        package, rest = _split(named)
        if package is not None:
            root = find_package(package, folder)
            if root is None:
                hint = "put it beside the package of the file, or set ROS_PACKAGE_PATH"
                raise DescriptionError(named[:200], f"package {package!r} is not found; {hint}")
            place, bound = root / rest, root
        else:
            current = Path(str((xacro.filestack or [path])[-1] or path)).resolve().parent
            place, bound = current / named, own_root(current)
        if not trusted and not place.resolve().is_relative_to(bound.resolve()):
            raise outside(named)
        return str(place)

    def parsed(text: Any, filename: Any = None) -> Any:
        if text is None:
            file = Path(str(filename))
            if not trusted and not _allowed(file, folder):
                raise outside(str(filename))
            if file.is_file() and file.stat().st_size > LARGEST_FILE:
                raise DescriptionError(file.name, f"the file is larger than {LARGEST_FILE // 1_000_000} MB")
            if file.is_file() and _ENTITIES.search(file.read_text("utf-8", "replace")):
                raise DescriptionError(file.name, "entities are not allowed in a robot file, nor is a DOCTYPE")
        return parse(text, filename)

    def safe(expression: str, symbols: Any, local: Any = None) -> Any:
        check_expression(expression)
        return evaluate(expression, symbols, local)

    def of_arguments(expression: str, context: Any) -> Any:
        names = {*context.get("arg", {}), *inner._eval_dict, "arg", "dirname"} - {"__builtins__"}
        check_expression(expression, names)
        return from_arguments(expression, context)

    def environment(name: str, default: str | None = None) -> str:
        if trusted:
            import os

            return os.environ.get(name, default or "")
        if default is not None:
            return default
        raise DescriptionError(path.name, f"$(env {name}) reads this machine's environment; load it with trust='files'")

    def optional(name: str, default: str = "") -> str:
        return environment(name, default)

    def find(package: str) -> str:
        return f"{_FIND}{package}"

    functions = {"env": environment, "optenv": optional, "find": find}
    changes: list[tuple[Any, str, Callable[..., Any]]] = [
        (xacro, "parse", parsed),
        (xacro, "safe_eval", safe),
        (xacro, "abs_filename_spec", located),
        (inner, "_eval", of_arguments),
        (inner, "_eval_find", find),
        (inner, "_eval_env", environment),
        (inner, "_eval_optenv", optional),
    ]
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in changes]
    table = dict(inner._eval_dict)
    try:
        for owner, name, value in changes:
            setattr(owner, name, value)
        inner._eval_dict.update(functions)
        yield xacro
    finally:
        for owner, name, value in before:
            setattr(owner, name, value)
        inner._eval_dict.update(table)


def _split(named: str) -> tuple[str | None, str]:
    """Package and path of a name that begins with what `$(find ...)` gives."""
    if not named.startswith(_FIND):
        return None, named
    package, _, rest = named.removeprefix(_FIND).partition("/")
    return package, rest


def _allowed(file: Path, folder: Path) -> bool:
    """Whether a file is of the model's own package, or of one that can be found from it."""
    resolved = file.resolve()
    if resolved.is_relative_to(own_root(folder).resolve()):
        return True
    roots = (own_root(parent) for parent in resolved.parents[:1])
    return any(find_package(package_name(root), folder) == root for root in roots)


def check_expression(expression: str, names: Collection[str] | None = None) -> None:
    """An error for an expression that may leave xacro's sandbox; `names`: the only ones that it may use.

    >>> check_expression("2 * pi * radius")
    >>> check_expression("().__class__")
    Traceback (most recent call last):
    redyn.errors.DescriptionError: ().__class__: '__class__' is not allowed in an expression
    """
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # for xacro to say
    own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in ast.walk(tree):
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        inside = isinstance(node, ast.Attribute) and name.startswith(_UNSAFE)
        unknown = isinstance(node, ast.Name) and names is not None and name not in names and name not in own
        if inside or name.startswith("__") or unknown:
            raise DescriptionError(expression[:60], f"{name[:60]!r} is not allowed in an expression")
        huge = isinstance(node, ast.Constant) and isinstance(node.value, int) and abs(node.value) > _MOST
        if huge and any(isinstance(other, ast.Call | ast.Pow | ast.Mult) for other in ast.walk(tree)):
            raise DescriptionError(expression[:60], "numbers beyond a million are not allowed in an expression")
