"""Matrices as HTML: a table between brackets, whose entries may name their equation."""

from __future__ import annotations

import html
from collections.abc import Callable

Hint = Callable[[int, int], str]


def matrix_html(cells: list[list[str]], name: str, hint: Hint | None = None, markup: bool = False) -> str:
    """`hint(i, j)`: tooltip of an entry. `markup`: cells are our own MathML and are not escaped."""
    rows: list[str] = []
    for i, row in enumerate(cells):
        entries: list[str] = []
        for j, cell in enumerate(row):
            title = f' title="{html.escape(hint(i, j))}" tabindex="0"' if hint else ""
            entries.append(f"<td{title}>{cell if markup else html.escape(cell)}</td>")
        rows.append(f"<tr>{''.join(entries)}</tr>")
    return f'<span class="matrix-name">{name} =</span><table class="matrix">{"".join(rows)}</table>'


def table_html(head: list[str], body: list[list[str]]) -> str:
    """A plain table of text; its first column names the rows."""
    heads = "".join(f"<th>{html.escape(cell)}</th>" for cell in head)
    rows = "".join(
        f"<tr><th>{html.escape(row[0])}</th>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row[1:])}</tr>"
        for row in body
    )
    return f'<table class="plain"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'
