"""Reads one upload in a process of its own, which gives up on too much memory: `python -m redyn.studio.reader BYTES`.

One order comes in as a line of JSON, one answer goes out as JSON, and the process ends. Large results (meshes, columns
of numbers) are left as plain arrays in the folder of the upload. So whatever a stranger's file does to a parser, it
does it here: the server allocates nothing for it, and waits no longer than it wants to (see readers.py).
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

MEMORY = 1_000_000_000  # bytes that reading may take, beyond what an idle reader takes, unless others are given
SECONDS = 30.0  # that reading may last
LARGEST_ANSWER = 5_000_000  # bytes
MOST_NOTES = 50
TABLE = "table.npz"  # the columns of numbers, in the folder of the upload
TOO_MUCH = "needs too much memory to be read"

Answer = dict[str, Any]


def carry_out(order: Answer) -> Answer:
    """What an order asks for: {robot: ...} or {table: ...}; or {error: ...}, where no path of this machine stands."""
    folder = Path(order["folder"])
    name = str(order["name"])
    try:
        done = read_table(folder / name) if order["kind"] == "table" else read_robot(folder / name, order.get("choice"))
    except RedynError as error:
        done = {"error": str(error)}
    except MemoryError:
        done = {"error": f"{name}: {TOO_MUCH}"}
    except RecursionError:
        done = {"error": f"{name}: nested too deeply to be read"}
    except Exception as error:  # of a parser, about a stranger's bytes
        done = {"error": f"{name}: cannot be read ({type(error).__name__}: {error})"}
    return cast(Answer, _cleaned(done, folder))


def _cleaned(value: Any, folder: Path) -> Any:
    """The same answer without the folder in any of its texts."""
    if isinstance(value, str):
        return without_folder(without_folder(value, folder / "unpacked"), folder)
    if isinstance(value, list):
        return [_cleaned(x, folder) for x in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: _cleaned(x, folder) for key, x in cast("dict[str, Any]", value).items()}
    return value


def read_robot(path: Path, choice: str | None = None) -> Answer:
    """The robot of a file, or of an archive: `choice` is one of its robots, the likeliest unless given."""
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
            raise UploadError(f"{path.name}: holds no robot {choice!r}")
        file = target / (choice or robots[0])
    elif path.suffix.lower() not in uploads.ROBOTS:
        raise UploadError(f"{path.name}: {uploads.EXPECTED}")
    with within(folder / "unpacked" if robots else folder), _heard() as notes:
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
    """A link whose meshes are named as seen from the robot's file: MuJoCo may name them from the root."""

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


@contextlib.contextmanager
def _heard() -> Generator[list[str]]:
    """The warnings about the robot, each once. Nothing else runs in this process."""
    notes: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RedynWarning)
        yield notes
    notes += dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, RedynWarning))


# --- bounds -----------------------------------------------------------------------------------------------------


def set_bounds(memory: int) -> None:
    """No more memory than that on top of what this process has, no core dumps; as far as the platform can."""
    try:
        import resource
    except ImportError:  # Windows: sizes that files declare are checked, and the time is limited
        return
    with contextlib.suppress(ValueError, OSError):  # stricter already
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    used = _address_space()
    if used:
        with contextlib.suppress(ValueError, OSError):
            return resource.setrlimit(resource.RLIMIT_AS, (used + memory, used + memory))
    # Elsewhere a limit of the address space is not kept, or what is used cannot be known: macOS.
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
    """Bytes of addresses that this process has reserved; 0 where it cannot be known."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        return pages * os.sysconf("SC_PAGE_SIZE")
    return 0


def main(memory: int) -> None:
    """One order, one answer."""
    for name in ("redyn.report.scene", "redyn.studio.opening", "redyn.studio.prepared", "trimesh"):
        with contextlib.suppress(ImportError):  # drawing is an extra
            importlib.import_module(name)  # what every robot needs, before the order comes
    gc.freeze()  # what is imported is not looked through again and again
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
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
    os._exit(0)  # without tidying up: there may be much to free


if __name__ == "__main__":
    main(int(sys.argv[1]))
