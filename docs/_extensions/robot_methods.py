"""The methods of a robot in sections: those into which its source is divided, the dynamics first."""

from __future__ import annotations

import inspect
import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from redyn import Robot

if TYPE_CHECKING:
    from sphinx.application import Sphinx

TITLES = {  # of the lines `# --- name ---` in the source
    "dynamics": "Dynamics",
    "motion": "Kinematics",
    "the whole robot about its mass centre, and a frame of it": "Mass centre and operational space",
    "loops": "Closed loops",
    "wheels": "Wheels",
    "ground": "Ground",
    "vibration": "Vibration",
    "transforms, export and what follows from several calls": "Other robots made of this one, files, export",
    "": "What it consists of",
}
HIDDEN = ("helpers",)


def sections() -> dict[str, list[str]]:
    """The public members of the class by section, in the order of the source.

    >>> made = sections()
    >>> "inverse_dynamics" in made["dynamics"], "joint_names" in made[""]
    (True, True)
    """
    found: dict[str, list[str]] = {}
    section = ""
    for line in inspect.getsource(Robot).splitlines():
        divider = re.match(r"    # --- (.*?) -+$", line)
        member = re.match(r"    def ([a-z]\w*)\(", line)
        if divider:
            section = divider[1]
        elif member and member[1] not in found.get(section, []):
            found.setdefault(section, []).append(member[1])
    return found


def text() -> str:
    made, listed = "", sections()
    for section in [*TITLES, *(name for name in listed if name not in TITLES and name not in HIDDEN)]:
        title = TITLES.get(section, section.capitalize())
        made += f"{title}\n{'-' * len(title)}\n\n"
        for name in listed.get(section, []):
            holds = isinstance(inspect.getattr_static(Robot, name), property | cached_property)
            made += f".. auto{'property' if holds else 'method'}:: Robot.{name}\n"
        made += "\n"
    return made


def _write(app: Sphinx) -> None:
    target = Path(app.srcdir, "_generated", "robot_methods.inc")
    if not target.exists() or target.read_text("utf-8") != text():
        target.write_text(text(), "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", _write, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
