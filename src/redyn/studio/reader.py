"""Reads one upload in a separate process with limited memory: `python -m redyn.studio.reader BYTES`.

It reads one request as a line of JSON, writes one response as JSON, and exits. Large results (meshes, columns
of numbers) are left as plain arrays in the folder of the upload. So whatever an untrusted file does to a parser happens
here: the server allocates nothing for it and waits only for a limited time (see readers.py).
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import os
import sys
import threading
import time
import warnings
from collections.abc import Generator
from pathlib import Path
from typing import Any, cast

from redyn.errors import RedynError, RedynWarning
from redyn.studio import uploads
from redyn.studio.uploads import UploadError, without_folder

MEMORY = 1_000_000_000  # default memory limit in bytes, on top of an idle reader's
SECONDS = 30.0  # time limit
LARGEST_ANSWER = 5_000_000  # bytes
MOST_NOTES = 50
TABLE = "table.npz"  # columns of numbers, in the folder of the upload
TOO_MUCH = "needs too much memory to be read"

Answer = dict[str, Any]


def carry_out(order: Answer) -> Answer:
    """The answer to a request: {robot, table, exercise or work: ...}, or {error: ...} without paths of this machine."""
    folder = Path(order["folder"])
    name = str(order["name"])
    try:
        if order["kind"] == "robot":
            done = read_robot(folder / name, order.get("choice"))
        else:
            done = {"table": read_table, "exercise": read_exercise, "session": read_session}[order["kind"]](
                folder / name
            )
    except RedynError as error:
        done = {"error": str(error)}
    except MemoryError:
        done = {"error": f"{name}: {TOO_MUCH}"}
    except RecursionError:
        done = {"error": f"{name}: nested too deeply to be read"}
    except Exception as error:  # raised by a parser on an untrusted file
        done = {"error": f"{name}: cannot be read ({type(error).__name__}: {error})"}
    return cast(Answer, _cleaned(done, folder))


def _cleaned(value: Any, folder: Path) -> Any:
    """The response with the folder removed from all texts."""
    if isinstance(value, str):
        return without_folder(without_folder(value, folder / "unpacked"), folder)
    if isinstance(value, list):
        return [_cleaned(x, folder) for x in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: _cleaned(x, folder) for key, x in cast("dict[str, Any]", value).items()}
    return value


def read_robot(path: Path, choice: str | None = None) -> Answer:
    """The robot of a file or archive: `choice` is one of its robots, by default the likeliest."""
    from redyn.description import to_data
    from redyn.description.meshes import within
    from redyn.report.shapes import look
    from redyn.robot import Robot, load
    from redyn.studio.opening import check_size, meshes_name
    from redyn.studio.prepared import save_meshes

    folder, robots = path.parent, list[str]()
    file = path
    if path.suffix.lower() == ".zip":
        target = folder / "unpacked"
        target = target if target.is_dir() else uploads.unpack(path)
        robots = uploads.robots_in(target, path.name)
        if choice is not None and choice not in robots:
            raise UploadError(f"{path.name}: contains no robot {choice!r}")
        file = target / (choice or robots[0])
    elif path.suffix.lower() not in uploads.ROBOTS:
        raise UploadError(f"{path.name}: {uploads.EXPECTED}")
    with within(folder / "unpacked" if robots else folder), _recorded_warnings() as notes:
        robot = load(file)
        check_size(robot.description)
        description = robot.description
        description = description.model_copy(update={"links": [_relative(link, file) for link in description.links]})
        robot = Robot(description)
        place = file.parent.relative_to(folder).as_posix()
        save_meshes(folder / meshes_name(place), look(robot))
    return {
        "robot": to_data(description),
        "place": place,
        "notes": notes[:MOST_NOTES],
        "robots": robots,
        "chosen": choice or (robots[0] if robots else ""),
    }


def _relative(link: Any, file: Path) -> Any:
    """A link with mesh paths relative to the robot's file: MuJoCo may give absolute ones."""

    def shape(x: Any) -> Any:
        if x.file is None or not Path(x.file).is_absolute():
            return x
        return x.model_copy(update={"file": Path(os.path.relpath(x.file, file.parent)).as_posix()})

    return link.model_copy(
        update={"visual": [shape(x) for x in link.visual], "collision": [shape(x) for x in link.collision]}
    )


def read_table(path: Path) -> Answer:
    """The columns of a CSV file."""
    import numpy as np

    from redyn.trajectory import read_table as read

    if path.suffix.lower() != ".csv":
        raise UploadError(f"{path.name}: expected a .csv file with a column t")
    table = read(path, gaps=True)
    names = list(table.columns)
    values = np.stack([table.times, *table.columns.values()])
    np.savez(path.parent / TABLE, values=values)
    return {"table": names}


def read_exercise(path: Path) -> Answer:
    """An exercise as plain data; its robot can be built."""
    from redyn.exercises import load
    from redyn.studio.opening import check_size

    if path.suffix.lower() not in (".yaml", ".yml"):
        raise UploadError(f"{path.name}: expected a .yaml file with an exercise")
    exercise = load(path)
    if exercise.robot is not None:
        check_size(exercise.robot.description)
    return {"exercise": exercise.data.model_dump(mode="json", exclude_unset=True)}


def read_session(path: Path) -> Answer:
    """The work of a session; its files are unpacked beside it."""
    from redyn.studio.bundle import unpack

    work, files = unpack(path)
    return {"work": work, "files": files}


@contextlib.contextmanager
def _recorded_warnings() -> Generator[list[str]]:
    """Warnings about the robot, each once. Nothing else runs in this process, so the global filters are safe."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RedynWarning)
        yield notes
    notes += dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, RedynWarning))


# --- limits ------------------------------------------------------------------------------------------------------


def set_bounds(memory: int) -> None:
    """Limits additional memory and disables core dumps, as far as the platform can."""
    try:
        import resource
    except ImportError:  # Windows: only declared sizes are checked and the time is limited
        return
    with contextlib.suppress(ValueError, OSError):  # already stricter
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    used = _address_space()
    if used:
        with contextlib.suppress(ValueError, OSError):
            return resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))
    # On macOS, limits of the address space are not enforced, and the usage is unknown.
    unit = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit + memory

    def watch() -> None:
        while resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit < most:
            time.sleep(0.05)
        os._exit(OUT_OF_MEMORY)

    threading.Thread(target=watch, daemon=True).start()
    return None


OUT_OF_MEMORY = 99  # exit code


def _address_space() -> int:
    """Size of the address space of this process in bytes; 0 if unknown."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        return pages * os.sysconf("SC_PAGE_SIZE")
    return 0


def main(memory: int) -> None:
    """Handles one request."""
    for name in ("redyn.report.scene", "redyn.studio.opening", "redyn.studio.prepared", "trimesh"):
        with contextlib.suppress(ImportError):  # drawing is optional
            importlib.import_module(name)  # import what every robot needs before the request arrives
    gc.freeze()  # spare the garbage collector what is imported
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # keeps output of libraries out of the response
    sys.stdout = io.TextIOWrapper(os.fdopen(os.dup(2), "wb"))
    set_bounds(memory)
    line = sys.stdin.buffer.readline()
    if not line:
        return
    answer = json.dumps(carry_out(json.loads(line))).encode()
    if len(answer) > LARGEST_ANSWER:
        answer = json.dumps({"error": "this robot is too large for the studio"}).encode()
    out.write(answer)
    out.close()
    os._exit(0)  # skip cleanup: there may be much to free


if __name__ == "__main__":
    main(int(sys.argv[1]))
