#!/usr/bin/env python3
"""Installs redyn with the oldest versions that pyproject.toml admits, and tries it (scripts/smoke.py).

    scripts/lower_bounds.py [FOLDER]     make a virtual environment there (.venv/lower), install, try
    scripts/lower_bounds.py --print      the constraints alone, as pip reads them

Packages that redyn does not name itself come in their newest versions, as they would for a user. Run it with the oldest
Python that pyproject.toml admits. It needs a package index and takes a few minutes; ./test checks only that every
dependency has a lower bound.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ("test", "docs")  # extras for the people who work on redyn: their newest versions are meant
LARGE = ("torch",)  # gigabytes, and its oldest version is tied to a Python and a CUDA: not tried here
REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?:\[[^]]*\])?\s*(?:(?P<sign>>=|==)\s*(?P<bound>[0-9][0-9.]*))?")


def bounds(project: dict[str, object]) -> dict[str, str | None]:
    """Of every package that users install, the oldest version that is admitted; None where nothing is said."""
    extras: dict[str, list[str]] = project.get("optional-dependencies", {})  # pyright: ignore[reportAssignmentType]
    named: list[str] = [*project["dependencies"]]  # pyright: ignore[reportIndexIssue, reportGeneralTypeIssues]
    for extra, requirements in extras.items():
        named += requirements if extra not in TOOLS + LARGE else []
    found: dict[str, str | None] = {}
    for requirement in named:
        match = REQUIREMENT.fullmatch(requirement)
        if match is None:
            raise SystemExit(f"{requirement!r}: expected NAME>=VERSION or NAME==VERSION")
        if match["name"] != project["name"]:
            found[match["name"]] = match["bound"]
    return found


def read_project() -> dict[str, object]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def constraints(project: dict[str, object]) -> str:
    """`name==bound` line by line; pip takes 1.2 for 1.2.0."""
    return "".join(f"{name}=={bound}\n" for name, bound in bounds(project).items() if bound)


def main(arguments: list[str]) -> None:
    project = read_project()
    if arguments == ["--print"]:
        print(constraints(project), end="")
        return
    oldest = str(project["requires-python"]).removeprefix(">=")
    if ".".join(map(str, sys.version_info[:2])) != oldest:
        print(f"note: this is Python {sys.version.split()[0]}; the oldest that redyn admits is {oldest}")
    folder = Path(arguments[0]) if arguments else ROOT / ".venv/lower"
    venv.create(folder, clear=True, with_pip=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    listed = folder / "constraints.txt"
    listed.write_text(constraints(project), "utf-8")
    extras = ",".join(extra for extra in project["optional-dependencies"] if extra not in TOOLS + LARGE)  # pyright: ignore
    subprocess.run([python, "-m", "pip", "install", "--constraint", listed, f"{ROOT}[{extras}]"], check=True)
    subprocess.run([python, "-m", "pip", "check"], check=True)
    subprocess.run([python, "-I", ROOT / "scripts/smoke.py"], check=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except subprocess.CalledProcessError as error:
        raise SystemExit(error.returncode) from None
