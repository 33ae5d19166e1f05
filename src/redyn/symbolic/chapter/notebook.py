"""A worked example as a Jupyter notebook: the text as Markdown, and cells that compute the same with redyn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import nbformat  # pyright: ignore[reportMissingTypeStubs]

from redyn.symbolic.chapter.blocks import (
    DOLLAR,
    Block,
    Chapter,
    Code,
    Columns,
    Drawing,
    Equation,
    Fold,
    Heading,
    Note,
    Table,
    Text,
    spelled,
)

_nb = cast(Any, nbformat)
_SIGNS = {"<": "&lt;", ">": "&gt;", "&": "&amp;", DOLLAR: r"\$"}


def to_notebook(chapter: Chapter) -> str:
    """The notebook as JSON, without outputs."""
    cells: list[Any] = []
    pending = [f"# {_plain(chapter.title)}\n\n*{_plain(chapter.subtitle)}*"]

    def flush() -> None:
        if pending:
            cells.append(_nb.v4.new_markdown_cell("\n\n".join(pending)))
            pending.clear()

    for block in chapter.blocks:
        if isinstance(block, Code):
            flush()
            cells.append(_nb.v4.new_code_cell(block.source))
        else:
            if isinstance(block, Heading) and block.level == 1:
                flush()
            pending.append(_markdown(block))
    flush()
    for k, cell in enumerate(cells):
        cell["id"] = f"cell-{k + 1}"  # deterministic output
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    book = _nb.v4.new_notebook(cells=cells, metadata=kernel)
    _nb.validate(book)
    return str(_nb.writes(book)) + "\n"


def _plain(text: str) -> str:
    """Escapes Markdown; formulas between dollar signs are kept."""
    parts = text.split("$")
    for k in range(0, len(parts), 2):
        parts[k] = "".join(_SIGNS.get(c, f"\\{c}" if c in "\\`*_{}[]#|~^" else c) for c in parts[k])
    return spelled("$".join(parts))


def _markdown(block: Block) -> str:
    match block:
        case Heading(text, level):
            return f"{'#' * (level + 1)} {_plain(text)}"
        case Text(text):
            return _plain(text)
        case Equation(rows, number):
            lines = " \\\\ ".join(f"& {spelled(row)}" for row in rows)
            tag = (
                rf" \tag{{{number.strip('()')}}}"
                if number.count("(") == 1
                else rf" \qquad \text{{{number}}}"
                if number
                else ""
            )
            return f"$$\\begin{{aligned}} {lines} \\end{{aligned}}{tag}$$"
        case Table(header, rows, caption):
            return _table(header, rows, caption)
        case Note(title, text):
            return f"> **{_plain(title)}:** {_plain(text)}"
        case Columns(columns):
            return "\n\n".join(f"**{_plain(title)}**\n\n{_all(inner)}" for title, inner in columns)
        case Fold(title, inner):
            return f"<details><summary>{_plain(title)}</summary>\n\n{_all(inner)}\n\n</details>"
        case Drawing() | Code():
            return ""


def _all(blocks: Sequence[Block]) -> str:
    return "\n\n".join(_markdown(b) for b in blocks)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(_plain(cell) for cell in cells) + " |"

    table = [line(header), "|" + "---|" * len(header), *(line(row) for row in rows)]
    return "\n".join(table) + (f"\n\n*{_plain(caption)}*" if caption else "")
