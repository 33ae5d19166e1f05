"""A font for formulas: without one, brackets around matrices are as small as letters. STIX Two Math, from a wheel."""

from __future__ import annotations

import base64
import io
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

# Letters, Greek, accents, punctuation, arrows, operators, brackets, letters of mathematics.
RANGES = [(0x20, 0x17F), (0x2B0, 0x3FF), (0x2000, 0x23FF), (0x27C0, 0x29FF), (0x2A00, 0x2AFF), (0x1D400, 0x1D7FF)]
STYLE = """/* STIX Two Math, (c) The STIX Fonts Project Authors, SIL Open Font License 1.1; a part of its glyphs. */
@font-face {{ font-family: "STIX Two Math"; src: url("data:font/woff;base64,{data}") format("woff"); }}
math {{ font-family: "STIX Two Math", math; }}
"""


def style() -> str:
    """A style sheet that holds the font itself: browsers may refuse to load fonts beside a local file."""
    from fontTools import subset
    from fontTools.ttLib import TTFont

    font = TTFont(io.BytesIO(files("ziamath").joinpath("fonts/STIXTwoMath-Regular.ttf").read_bytes()))
    options = subset.Options(layout_features=["ssty", "dtls", "flac"], notdef_outline=True)
    chosen = subset.Subsetter(options)
    chosen.populate(unicodes=[code for low, high in RANGES for code in range(low, high + 1)])
    chosen.subset(font)
    font.flavor = "woff"
    made = io.BytesIO()
    font.save(made)
    return STYLE.format(data=base64.b64encode(made.getvalue()).decode())


def _write(app: Sphinx) -> None:
    target = Path(app.srcdir, "_generated", "static", "math-font.css")
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(style(), "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("builder-inited", _write, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
