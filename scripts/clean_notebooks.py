#!/usr/bin/env python3
"""Bring notebooks into the form in which they are kept: no outputs, no counters, plain metadata, numbered cells.

    scripts/clean_notebooks.py [NOTEBOOK ...]        by default those of docs/course

Run it after you edited a notebook in Jupyter: what changes in the file is then what you changed.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, cast

import nbformat  # pyright: ignore[reportMissingTypeStubs]

COURSE = Path(__file__).resolve().parents[1] / "docs" / "course"
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
_nb = cast(Any, nbformat)


def clean(text: str) -> str:
    """The notebook in its normal form; the same if it is in that form already."""
    book = _nb.reads(text, as_version=4)
    cells: list[Any] = []
    for k, cell in enumerate(book.cells, start=1):
        source = str(cell.source).strip("\n")
        made = _nb.v4.new_markdown_cell(source) if cell.cell_type == "markdown" else _nb.v4.new_code_cell(source)
        made["id"] = f"cell-{k}"
        cells.append(made)
    plain = _nb.v4.new_notebook(cells=cells, metadata=METADATA)
    _nb.validate(plain)
    return str(_nb.writes(plain)).rstrip("\n") + "\n"


def main() -> None:
    for path in [Path(name) for name in sys.argv[1:]] or sorted(COURSE.rglob("*.ipynb")):
        before = path.read_text("utf-8")
        after = clean(before)
        if after != before:
            path.write_text(after, "utf-8", newline="\n")
            print(f"{path}: cleaned")


if __name__ == "__main__":
    main()
