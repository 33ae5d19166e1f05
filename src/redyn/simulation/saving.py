"""Runs as files: one zip archive with `run.json` and an array of NumPy for each of t, q, qd ...

Nothing in it is executed when it is read: there is no pickle, arrays are of numbers alone, and the robot is described
as in a robot file. `numpy.load` reads the arrays without redyn.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from redyn.description.ground_fields import GroundDescription
from redyn.errors import InputError, RedynError
from redyn.evaluate.ground import Ground, ground_of
from redyn.files import RUN, writing
from redyn.robot import Robot, from_data
from redyn.simulation import forces
from redyn.simulation.pushes import Push
from redyn.simulation.result import Conditions, Run
from redyn.version import __version__

Array = NDArray[np.float64]

FORMAT = 1  # of the file; a reader refuses later ones
HEAD = "run.json"
LARGEST_HEAD = 100_000_000  # bytes of run.json
MOST_NUMBERS = 2**31  # in all arrays
ARRAYS = ("t", "q", "qd", "qdd", "tau", "works")
_WRENCH = "wrench_"  # and a number: run.json has the names of the frames
_WHEN = (1980, 1, 1, 0, 0, 0)  # the date of all members, so that equal runs are equal files


def save(run: Run, path: str | Path, force: bool = False) -> Path:
    """Writes a run to one file, with all it has; see `Run.save`."""
    arrays: dict[str, Array] = {name: getattr(run, name) for name in ARRAYS}
    arrays |= {f"{_WRENCH}{k}": wrench for k, wrench in enumerate(run.wrenches.values())}
    with (
        writing(path, RUN, force) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        _add(archive, HEAD, json.dumps(_head(run)).encode())
        for name, array in arrays.items():
            buffer = io.BytesIO()
            npy.write_array(buffer, np.ascontiguousarray(array, dtype=np.float64), allow_pickle=False)
            _add(archive, f"{name}.npy", buffer.getvalue())
    return Path(path)


def _add(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    member = zipfile.ZipInfo(name, _WHEN)
    member.compress_type, member.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
    archive.writestr(member, content)


def _head(run: Run) -> dict[str, object]:
    gravity, payload, pushes, ground = run.conditions
    return {
        "format": FORMAT,
        "redyn": __version__,
        "robot": run.robot.to_data(),
        "acting": None if run.acting is run.robot else run.acting.to_data(),
        "method": run.method,
        "steps": run.steps,
        "rejected": run.rejected,
        "evaluations": run.evaluations,
        "ending": run.ending,
        "event": run.event,
        "forces": [element.name for element in forces.ELEMENTS],
        "wrenches": list(run.wrenches),
        "gravity": None if gravity is None else np.asarray(gravity).tolist(),
        "payload": None if payload is None else np.asarray(payload).tolist(),
        "pushes": [
            {"link": x.link, "force": x.force, "point": x.point, "start": x.start, "duration": x.duration}
            for x in pushes
        ],
        "ground": None if ground is None else ground.described.model_dump(mode="json", exclude_none=True),
    }


def load(path: str | Path) -> Run:
    """The run that `save` wrote; a RedynError that says what is wrong with any other file."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(archive, Path(path))
    except FileNotFoundError:
        raise RedynError(f"{path}: there is no such file") from None
    except OSError as error:
        raise RedynError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (zipfile.BadZipFile, EOFError, zipfile.zlib.error, NotImplementedError, RuntimeError):  # pyright: ignore
        raise RedynError(f"{path}: damaged, or no file of Run.save") from None


def _read(archive: zipfile.ZipFile, path: Path) -> Run:
    sizes = {member.filename: member.file_size for member in archive.infolist()}
    if HEAD not in sizes or sizes[HEAD] > LARGEST_HEAD:
        raise RedynError(f"{path}: no file of Run.save: it has no {HEAD}")
    try:
        head: dict[str, Any] = json.loads(archive.read(HEAD))
        number = head["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise RedynError(f"{path}: {HEAD} is damaged") from None
    if not isinstance(number, int) or not 1 <= number <= FORMAT:
        raise RedynError(
            f"{path}: written by redyn {str(head.get('redyn'))[:20]} in format {number!r}, this is {__version__} and "
            f"reads formats up to {FORMAT}; install a newer redyn"
        )
    if sum(sizes.values()) > 8 * MOST_NUMBERS:
        raise RedynError(f"{path}: too large: {sum(sizes.values()) / 1e9:.1f} GB of arrays")
    try:
        return _run(head, path, lambda name: _array(archive, name, sizes))
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise RedynError(f"{path}: damaged: {type(error).__name__}: {str(error)[:200]}") from None


def _array(archive: zipfile.ZipFile, name: str, sizes: dict[str, int]) -> Array:
    """An array of float64, no larger than its member of the archive."""
    with archive.open(f"{name}.npy") as file:
        version = npy.read_magic(file)
        if version != (1, 0):
            raise ValueError(f"{name}.npy: expected version 1.0 of NumPy's format, got {version}")
        shape, fortran, dtype = npy.read_array_header_1_0(file)
        count = int(np.prod(shape, dtype=object))
        if dtype != np.float64 or fortran or count * 8 + file.tell() != sizes[f"{name}.npy"]:
            raise ValueError(f"{name}.npy: expected rows of float64")
        return np.frombuffer(file.read(count * 8), dtype=np.float64).reshape(shape).copy()


def _run(head: dict[str, Any], path: Path, array: Callable[[str], Array]) -> Run:
    folder = path.resolve().parent  # in which meshes are looked for, as beside a robot file
    robot = from_data(head["robot"], folder)
    acting = robot if head["acting"] is None else from_data(head["acting"], folder)
    t, q, qd, qdd, tau, works = (array(name) for name in ARRAYS)
    wrenches = {str(name): array(f"{_WRENCH}{k}") for k, name in enumerate(head["wrenches"])}
    known = [element.name for element in forces.ELEMENTS]
    widths = (robot.nq, robot.dof, robot.dof, len(robot.model.actuators), len(head["forces"]))
    for name, values, width in zip(ARRAYS[1:], (q, qd, qdd, tau, works), widths, strict=True):
        if values.shape != (len(t), width):
            raise InputError(f"{path}: {name} has shape {values.shape}, expected {(len(t), width)}")
    if t.ndim != 1 or not len(t) or any(w.shape != (len(t), 6) for w in wrenches.values()):
        raise InputError(f"{path}: t and the wrenches do not fit together")
    if not set(head["forces"]) <= set(known):
        raise InputError(f"{path}: unknown force elements: {', '.join(map(str, set(head['forces']) - set(known)))}")
    done = np.zeros((len(t), len(known)))  # elements that a later redyn added did nothing
    done[:, [known.index(name) for name in head["forces"]]] = works
    rows = [None if head[key] is None else np.array(head[key], dtype=np.float64) for key in ("gravity", "payload")]
    for key, row, width in zip(("gravity", "payload"), rows, (3, 10), strict=True):
        if row is not None and row.shape != (width,):
            raise InputError(f"{path}: {key} has shape {row.shape}, expected {(width,)}")
    pushes = tuple(Push(**push) for push in head["pushes"])
    return Run(
        robot,
        t,
        q,
        qd,
        qdd,
        tau,
        done,
        wrenches,
        Conditions(rows[0], rows[1], pushes, _ground(acting, head["ground"])),
        method=str(head["method"]),
        steps=int(head["steps"]),
        rejected=int(head["rejected"]),
        evaluations=int(head["evaluations"]),
        acting=acting,
        ending=str(head["ending"]),
        event=None if head["event"] is None else int(head["event"]),
    )


def _ground(acting: Robot, saved: Any) -> Ground | None:
    if saved is None:
        return None
    described = GroundDescription.model_validate(saved)
    return ground_of(acting.model, acting.description.model_copy(update={"ground": described}), True)
