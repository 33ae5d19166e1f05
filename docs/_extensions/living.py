"""A living page of every robot of the library that can have one, and the page that shows them all."""

from __future__ import annotations

import hashlib
import html
import json
import re
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

import redyn
from redyn.report.thumbnail import thumbnail

if TYPE_CHECKING:
    from sphinx.application import Sphinx

PACKAGE = Path(redyn.__file__).parent
MADE_OF = (
    "living",
    "report",
    "symbolic/export",
    "description/library",
    "dynamics",
    "version.py",
)  # what pages depend on
TITLES = {
    "book": "Robots of the book",
    "lectures": "Lectures and assignments",
    "industrial": "Industrial arms",
    "mechanisms": "Closed loops",
    "wheels": "Robots on wheels",
    "flexible": "Flexible links and gears",
    "trees": "Trees",
    "humanoids": "Bipeds",
    "legged": "Legged robots",
}
OPENING = """# Living pages of the library

Each picture opens a page on which the dynamics of the robot run in the browser: let it fall, drag it, change its
masses, read its matrices. The pages need no network and can be sent as single files. [What a page does](../pages.md)
describes them; [Robots by name](../robots.md) has the sources of the numbers.

"""


def stamp() -> str:
    """Changes when a file changes that pages are made of."""
    files = [f for part in MADE_OF for f in ([PACKAGE / part] if "." in part else sorted((PACKAGE / part).rglob("*")))]
    digest = hashlib.sha256()
    for file in files:
        if file.is_file() and "__pycache__" not in file.parts:
            digest.update(file.read_bytes())
    return digest.hexdigest()


def make(name: str, folder: str) -> tuple[str, str]:
    """Writes the picture and the living page of a robot; returns its name, and why it has no page."""
    robot = redyn.load(name)
    Path(folder, f"{name}.svg").write_text(thumbnail(robot), "utf-8")
    try:
        redyn.page(robot, Path(folder, f"{name}.html"), force=True)
    except redyn.RedynError as error:
        return name, re.split(r"[.;] ", str(error).split(": ", 1)[-1])[0]
    return name, ""


def _all(folder: Path) -> dict[str, str]:
    """Why each robot has no page, or nothing if it has one."""
    from sphinx.util.display import status_iterator

    known, wanted = folder / "made.json", stamp()
    if known.exists() and (data := json.loads(known.read_text("utf-8")))["stamp"] == wanted:
        return data["reasons"]
    reasons: dict[str, str] = {}
    names = redyn.library()
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        made = pool.map(make, names, [str(folder)] * len(names))
        for name, why in status_iterator(made, "living pages ... ", length=len(names), stringify_func=lambda x: x[0]):
            reasons[name] = why
    known.write_text(json.dumps({"stamp": wanted, "reasons": reasons}), "utf-8")
    return reasons


def _listing(reasons: dict[str, str]) -> str:
    entries = redyn.gallery()
    groups = list(dict.fromkeys([*TITLES, *(entry.group for entry in entries)]))
    text = OPENING
    for group in groups:
        cards = [_card(e.name, e.title or e.name) for e in entries if e.group == group and reasons.get(e.name) == ""]
        if cards:
            title = TITLES.get(group, group.capitalize())
            text += f"## {title}\n\n" + '<div class="robots">\n' + "\n".join(cards) + "\n</div>\n\n"
    refused = [f"| `{name}` | {why} |" for name, why in reasons.items() if why]
    if refused:
        text += "## Robots without a living page\n\n"
        text += "`redyn simulate ROBOT --html` writes a page that plays a motion of them.\n\n"
        text += "| robot | reason |\n|---|---|\n" + "\n".join(refused) + "\n"
    return text


def _card(name: str, title: str) -> str:
    """The picture of a robot, which opens its page."""
    return (
        f'<a class="robot" href="../living/{name}.html"><img src="../living/{name}.svg" alt="" loading="lazy">'
        f"<b>{html.escape(name)}</b><span>{html.escape(title)}</span></a>"
    )


def _write(app: Sphinx) -> None:
    folder = Path(app.srcdir, "_generated", "extra", "living")
    folder.mkdir(parents=True, exist_ok=True)
    reasons = _all(folder) if app.config.living_pages else dict.fromkeys(redyn.library(), "not built")
    text = _listing(reasons)
    target = Path(app.srcdir, "_generated", "living.md")
    if not target.exists() or target.read_text("utf-8") != text:
        target.write_text(text, "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_config_value("living_pages", True, "env", bool)
    app.connect("builder-inited", _write, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
