"""Untrusted files: stored in a private folder, unpacked within limits, and searched for robots.

Everything here that opens a file runs in a separate process (see reader.py), not in the server.
"""

from __future__ import annotations

import re
import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from redyn.errors import RedynError

LARGEST = 50_000_000  # bytes of an upload
LARGEST_UNPACKED = 250_000_000
MOST_FILES = 2000
ROBOTS = (".urdf", ".yaml", ".yml", ".xml")  # order in which an archive is searched
KEPT = (*ROBOTS, ".xacro", ".stl", ".dae", ".obj", ".mtl", ".ply", ".glb", ".gltf", ".bin", ".png", ".jpg", ".jpeg")
EXPECTED = "expected a .yaml, .urdf or .xml (MJCF) file, or a .zip with one and its meshes"
PIECE = 1 << 20
SNIFFED = 4096  # bytes by which a robot file is recognised


class UploadError(RedynError):
    """A refused file."""


def safe_name(name: str) -> str:
    """The last part of a path, reduced to characters that are safe in any file system.

    >>> safe_name("../../etc/my arm.urdf"), safe_name("..")
    ('my_arm.urdf', 'file')
    """
    last = re.split(r"[\\/]", name)[-1]
    clean = re.sub(r"[^\w.+-]", "_", last, flags=re.ASCII).strip(".")[-100:]
    return clean or "file"


def without_folder(message: str, folder: Path) -> str:
    """A message with the server's folder removed.

    >>> without_folder("/srv/x7/arm.urdf:3: no link", Path("/srv/x7"))
    'arm.urdf:3: no link'
    """
    for place in sorted({str(folder), str(folder.resolve()), folder.as_posix()}, key=len, reverse=True):
        message = re.sub(re.escape(place) + r"[\\/]+", "", message)
        message = re.sub(re.escape(place) + r"(?!\w)", "its folder", message)
    return message


# --- archives ----------------------------------------------------------------------------------------------------


def unpack(archive: Path, kept: tuple[str, ...] = KEPT) -> Path:
    """Unpacks the files of a zip with these suffixes into a folder next to it."""
    target = archive.parent / "unpacked"
    target.mkdir(mode=0o700)
    name = archive.name
    try:
        with zipfile.ZipFile(archive) as packed:
            entries = [entry for entry in packed.infolist() if not entry.is_dir()]
            if len(entries) > MOST_FILES:
                raise UploadError(f"{name}: more than {MOST_FILES} files")
            left = LARGEST_UNPACKED
            for entry in entries:
                inside = _inside(name, entry)
                if inside.suffix.lower() in kept:
                    left -= _extract(packed, entry, target / inside, left, name)
    except FileExistsError:
        raise UploadError(f"{name}: cannot be unpacked: two of its files have the same name") from None
    except OSError as error:
        raise UploadError(f"{name}: cannot be unpacked: {error.strerror}") from None
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, ValueError) as error:
        raise UploadError(f"{name}: cannot be unpacked: {error}") from None
    return target


def _inside(archive: str, entry: zipfile.ZipInfo) -> PurePosixPath:
    """Target path of an entry; an error if it is outside the folder or not a regular file."""
    shown = entry.filename[:100]
    path = PurePosixPath(entry.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or re.match(r"[A-Za-z]:", shown) or "\0" in entry.filename:
        raise UploadError(f"{archive}: {shown!r} leads out of the archive, which is not allowed")
    mode = entry.external_attr >> 16
    if mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode):
        raise UploadError(f"{archive}: {shown!r} is not a regular file, which is not allowed")
    if entry.flag_bits & 1:
        raise UploadError(f"{archive}: {shown!r} is encrypted")
    if len(path.parts) > 20 or any(len(part) > 200 for part in path.parts):
        raise UploadError(f"{archive}: {shown!r} is nested too deeply or named too long")
    return path


def _extract(packed: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path, left: int, archive: str) -> int:
    """Unpacks an entry and returns the bytes written. Sizes declared in the archive are not trusted."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    written = 0
    with packed.open(entry) as source, path.open("xb") as file:
        while piece := source.read(PIECE):
            written += len(piece)
            if written > left:
                raise UploadError(f"{archive}: more than {LARGEST_UNPACKED // 1_000_000} MB when unpacked")
            file.write(piece)
    return written


# --- which file is the robot -------------------------------------------------------------------------------------


def robots_in(folder: Path, archive: str) -> list[str]:
    """The robot files of an archive, the likeliest first, as paths within it.

    .urdf before .yaml before .xml; then one named like the archive, then those nearer to its root. Files
    that only have the extension of a robot file (settings in YAML, package.xml) are left out.
    """
    found = [path for path in folder.rglob("*") if path.suffix.lower() in ROBOTS and _is_robot(path)]
    if not found:
        xacro = next((path.name for path in sorted(folder.rglob("*.xacro"))), None)
        if xacro is not None:
            turned = xacro.removesuffix(".xacro").removesuffix(".urdf")
            raise UploadError(
                f"{archive}: contains xacro ({xacro}), which is not supported; convert it to URDF first: "
                f"xacro {xacro} > {turned}.urdf"
            )
        raise UploadError(f"{archive}: the archive contains no .urdf, .yaml or .xml file with a robot")
    own = Path(archive).stem.lower()

    def rank(path: Path) -> tuple[int, bool, int, str]:
        suffix = path.suffix.lower().replace(".yml", ".yaml")
        inside = path.relative_to(folder)
        return ROBOTS.index(suffix), path.stem.lower() != own, len(inside.parts), inside.as_posix()

    return [path.relative_to(folder).as_posix() for path in sorted(found, key=rank)]


def _is_robot(path: Path) -> bool:
    """Whether the beginning of a file looks like a robot; it is validated when it is read."""
    with path.open("rb") as file:
        head = file.read(SNIFFED)
    if path.suffix.lower() in (".yaml", ".yml"):
        return re.search(rb"(?m)^\s*[\"']?(convention|links)[\"']?\s*:", head) is not None
    if path.suffix.lower() == ".urdf":
        return True
    return re.search(rb"<\s*(mujoco|robot)\b", head.replace(b"\0", b"")) is not None  # UTF-16 has zeros between
