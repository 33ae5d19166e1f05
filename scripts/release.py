#!/usr/bin/env python3
"""Builds what would be released and tries it as a user would.

    scripts/release.py [FOLDER]     build into FOLDER (dist/), check, install, try; it needs a package index

1. Builds the source distribution and, from it, the wheel; `twine check --strict` reads their descriptions.
2. Checks their contents: pure Python, every file of the package and no others in the wheel; their size.
3. Installs the wheel alone with every Python from 3.11 on that is found, in new environments: dynamics work, and what
   needs an extra names it. Then with the extras (without torch), and runs scripts/smoke.py.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path
from shutil import which

ROOT = Path(__file__).resolve().parents[1]
LARGEST = 4e6  # bytes of a distribution: pictures of the site or results of runs would exceed it
PYTHONS = ("python3.11", "python3.12", "python3.13", "python3.14")
EXTRAS = "ui,identify,mujoco,jax,gym,sweep,xacro"
PLAIN = """
import numpy as np, redyn
robot = redyn.load("puma")
tau = robot.inverse_dynamics(np.zeros(6), np.ones(6), np.ones(6))
assert np.allclose(robot.forward_dynamics(np.zeros(6), np.ones(6), tau), 1)
run = redyn.simulate(robot, np.zeros(6), np.zeros(6), 0.1)
try:
    run.plot()
except redyn.RedynError as error:
    assert "pip install 'redyn[ui]'" in str(error), error
else:
    raise SystemExit("plots without the extra [ui]?")
"""


def faults_of_wheel(names: list[str], size: int, sources: list[str]) -> list[str]:
    """What is wrong with the contents of a wheel; `sources` are the files of src."""
    packed = {name for name in names if ".dist-info/" not in name}
    faults = [f"{name} is missing" for name in sorted(set(sources) - packed)]
    faults += [f"{name} should not be there" for name in sorted(packed - set(sources))]
    if not any(name.endswith("licenses/LICENSE") for name in names):
        faults.append("the licence is missing")
    if size > LARGEST:
        faults.append(f"{size / 1e6:.1f} MB are more than {LARGEST / 1e6:.1f} MB")
    return faults


def sources() -> list[str]:
    """The files of the package that git knows, as paths inside a wheel."""
    listed = subprocess.run(["git", "ls-files", "src/redyn"], cwd=ROOT, check=True, capture_output=True, text=True)
    return [line.removeprefix("src/") for line in listed.stdout.splitlines()]


def runs(python: str) -> bool:
    return which(python) is not None and subprocess.run([python, "--version"], capture_output=True).returncode == 0


def environment(folder: Path, python: str) -> Path:
    """The interpreter of a new virtual environment."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def install(python: Path, *what: str) -> None:
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what], check=True)


def build(folder: Path, scratch: Path) -> tuple[Path, Path]:
    tools = scratch / "tools"
    venv.create(tools, with_pip=True)
    python = tools / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    install(python, "build", "twine")
    subprocess.run([python, "-m", "build", "--outdir", folder, ROOT], check=True, stdout=subprocess.DEVNULL)
    (wheel,), (archive,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    subprocess.run([python, "-m", "twine", "check", "--strict", wheel, archive], check=True)
    return wheel, archive


def check(wheel: Path, archive: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        faults = faults_of_wheel(opened.namelist(), wheel.stat().st_size, sources())
    if not wheel.name.endswith("-py3-none-any.whl"):
        faults.append("the wheel is not pure Python")
    with tarfile.open(archive) as opened:
        inside = {Path(*Path(name).parts[1:]).as_posix() for name in opened.getnames()}
    wanted = {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "test", "demo"}
    faults += [f"{name} is missing in the sdist" for name in sorted(wanted - inside)]
    if faults:
        raise SystemExit("\n".join(faults))
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB; {archive.name}: {archive.stat().st_size / 1e6:.2f} MB")


def main(arguments: list[str]) -> None:
    folder = Path(arguments[0] if arguments else ROOT / "dist").resolve()
    if folder.exists() and any(folder.iterdir()):
        raise SystemExit(f"{folder} is not empty")
    with tempfile.TemporaryDirectory() as place:
        scratch = Path(place)
        wheel, archive = build(folder, scratch)
        check(wheel, archive)
        for name in filter(runs, PYTHONS):
            python = environment(scratch / name, name)
            install(python, str(wheel))
            subprocess.run([python, "-I", "-c", PLAIN], check=True, cwd=scratch)
            print(f"{name}: the wheel alone works")
            install(python, f"{wheel}[{EXTRAS}]")
            subprocess.run([python, "-m", "pip", "check"], check=True)
            subprocess.run([python, "-I", ROOT / "scripts/smoke.py"], check=True, cwd=scratch)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except subprocess.CalledProcessError as error:
        raise SystemExit(error.returncode) from None
