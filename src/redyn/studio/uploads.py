"""Files from strangers: bounded in size, kept in a private folder of the session, never able to reach out of it."""

from __future__ import annotations

import re
import stat
import threading
import warnings
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from redyn.description import RobotDescription, read
from redyn.errors import RedynError, RedynWarning

LARGEST = 50_000_000  # bytes of an upload
LARGEST_UNPACKED = 250_000_000
MOST_FILES = 2000
ROBOTS = (".yaml", ".yml", ".urdf", ".xml")
KEPT = (*ROBOTS, ".stl", ".dae", ".obj", ".mtl", ".ply", ".glb", ".gltf", ".bin", ".png", ".jpg", ".jpeg")
PIECE = 1 << 20

_warnings = threading.Lock()  # the list of warnings is the whole process's


class UploadError(RedynError):
    """A file that is not taken, and why."""


def safe_name(name: str) -> str:
    """The last part of a name, with nothing in it that a file system could take amiss.

    >>> safe_name("../../etc/my arm.urdf"), safe_name("..")
    ('my_arm.urdf', 'file')
    """
    last = re.split(r"[\\/]", name)[-1]
    clean = re.sub(r"[^\w.+-]", "_", last, flags=re.ASCII).strip(".")[-100:]
    return clean or "file"


def save(folder: Path, name: str, data: bytes) -> Path:
    """The upload as a file of its own folder."""
    if len(data) > LARGEST:
        raise UploadError(f"{safe_name(name)}: larger than {LARGEST // 1_000_000} MB")
    if not data:
        raise UploadError(f"{safe_name(name)}: the file is empty")
    number = sum(1 for _ in folder.iterdir())
    own = folder / f"{number:04d}"
    own.mkdir(mode=0o700)
    path = own / safe_name(name)
    path.write_bytes(data)
    return path


def read_robot(path: Path) -> tuple[RobotDescription, list[str]]:
    """The robot in an uploaded file, and the warnings on the way."""
    suffix = path.suffix.lower()
    if suffix == ".zip":
        path = _robot_in(unpack(path))
    elif suffix not in ROBOTS:
        raise UploadError(
            f"{path.name}: expected a .yaml, .urdf or .xml (MJCF) file, or a .zip with one and its meshes"
        )
    with _warnings, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RedynWarning)
        try:
            description = read(path)
        except RedynError as error:
            raise UploadError(without_folder(str(error), path.parent)) from None
    return description, [str(w.message) for w in caught if issubclass(w.category, RedynWarning)]


def without_folder(message: str, folder: Path) -> str:
    """A message without the place where this server keeps the file."""
    return message.replace(f"{folder}/", "").replace(f"{folder}\\", "").replace(str(folder), "the upload")


def unpack(archive: Path) -> Path:
    """The contents of a zip, in a folder beside it."""
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
                if inside.suffix.lower() in KEPT:
                    left -= _extract(packed, entry, target / inside, left, name)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        raise UploadError(f"{name}: cannot be unpacked: {error}") from None
    return target


def _inside(archive: str, entry: zipfile.ZipInfo) -> PurePosixPath:
    """Where an entry goes; an error if that is not below the folder, or if it is no plain file."""
    shown = entry.filename[:100]
    path = PurePosixPath(entry.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or re.match(r"[A-Za-z]:", shown) or "\0" in entry.filename:
        raise UploadError(f"{archive}: {shown!r} leads out of the archive, which is not allowed")
    mode = entry.external_attr >> 16
    if mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode):
        raise UploadError(f"{archive}: {shown!r} is no plain file, which is not allowed")
    if entry.flag_bits & 1:
        raise UploadError(f"{archive}: {shown!r} is encrypted")
    if len(path.parts) > 20 or any(len(part) > 200 for part in path.parts):
        raise UploadError(f"{archive}: {shown!r} is nested too deeply or named too long")
    return path


def _extract(packed: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path, left: int, archive: str) -> int:
    """Bytes written. What an archive says about its sizes is not believed."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    written = 0
    with packed.open(entry) as source, path.open("xb") as file:
        while piece := source.read(PIECE):
            written += len(piece)
            if written > left:
                raise UploadError(f"{archive}: more than {LARGEST_UNPACKED // 1_000_000} MB when unpacked")
            file.write(piece)
    return written


def _robot_in(folder: Path) -> Path:
    """The one robot file of an archive: a .urdf, else a .yaml, else an .xml that is no package.xml."""
    for suffixes in ((".urdf",), (".yaml", ".yml"), (".xml",)):
        found = sorted(p for p in folder.rglob("*") if p.suffix.lower() in suffixes and p.name != "package.xml")
        if len(found) > 1:
            names = ", ".join(str(p.relative_to(folder)) for p in found[:5])
            raise UploadError(f"the archive holds several robots ({names}); leave one")
        if found:
            return found[0]
    raise UploadError("the archive holds no .urdf, .yaml or .xml file")
