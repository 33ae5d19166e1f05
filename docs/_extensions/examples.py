"""Examples of the gallery: their sections, the style of their pictures, and the record of those that ran."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx


GALLERY = Path(__file__).resolve().parents[1] / "gallery"
RECORD = GALLERY / "ran.json"
SECTIONS = ("basics", "motion", "structure", "mechanisms", "flexible", "parameters", "control", "tools")
COLOURS = ("#1f77b4", "#d95f02", "#1b9e77", "#7b4fa3", "#c2185b", "#6b6b6b", "#b8860b")


ORDER = [f"gallery/{section}" for section in SECTIONS]


def style(config: Any, name: str) -> None:
    """Before each example."""
    import matplotlib as mpl
    from cycler import cycler

    mpl.rcParams.update(
        {
            "figure.figsize": (7.2, 4.4),
            "figure.dpi": 130,
            "figure.constrained_layout.use": True,
            "font.size": 10,
            "axes.titlesize": 11,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.color": "#e4e4e4",
            "grid.linewidth": 0.7,
            "axes.axisbelow": True,
            "axes.prop_cycle": cycler(color=COLOURS),
            "legend.frameon": False,
            "lines.linewidth": 1.6,
        }
    )


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def _seen(app: Sphinx) -> None:
    """Before any runs: one that is changed meanwhile did not run as it then is."""
    app.examples_seen = {p.relative_to(GALLERY).as_posix(): digest(p) for p in sorted(GALLERY.rglob("*.py"))}


def _record(app: Sphinx, error: Exception | None) -> None:
    """After a build in which every example ran: tests run those that differ from this.

    sphinx-gallery raises an error before, where one has failed.
    """
    if error is None and app.config.sphinx_gallery_conf["plot_gallery"] is True:
        RECORD.write_text(json.dumps(app.examples_seen, indent=1) + "\n", "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", _seen, priority=50)
    app.connect("build-finished", _record, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
