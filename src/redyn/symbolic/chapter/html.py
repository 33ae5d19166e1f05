"""A worked example as one self-contained HTML file: formulas in MathML, the drawing in SVG."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, cast

from latex2mathml import converter  # pyright: ignore[reportMissingTypeStubs]

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

_convert = cast(Any, converter).convert
_WIDTH, _HEIGHT = 520.0, 340.0  # of a drawing


def to_html(chapter: Chapter) -> str:
    writer = _Writer()
    body = writer.blocks(chapter.blocks)
    parts = {
        "title": escaped(chapter.title),
        "subtitle": escaped(chapter.subtitle),
        "style": files("redyn.symbolic.chapter").joinpath("page.css").read_text("utf-8"),
        "contents": writer.contents(),
        "body": body,
    }
    template = files("redyn.symbolic.chapter").joinpath("page.html").read_text("utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)  # in one pass: parts may hold {{...}}


# A minus after an equals sign, a comma or an opening bracket is a sign, set close to what follows.
_SIGN = re.compile(r"(<mo[^>]*>(?:&#x0003D;|&#x0002C;|&#x00028;|\[)</mo>(?:<mspace[^>]*/>)*)<mo>&#x02212;</mo>")


@cache
def math(latex: str, display: bool = False) -> str:
    """MathML of a formula. Browsers render bold letters as separate characters, not from an attribute."""
    found = str(_convert(spelled(latex), display="block" if display else "inline"))
    found = _SIGN.sub(r'\1<mo form="prefix">&#x02212;</mo>', found)
    found = re.sub(r'<mn mathvariant="bold">(\d)</mn>', lambda m: f"<mn>{chr(0x1D7CE + int(m[1]))}</mn>", found)
    return re.sub(r'<mi mathvariant="bold-italic">&#x0*(3[0-9A-F]{2});</mi>', _bold_greek, found)


def _bold_greek(match: re.Match[str]) -> str:
    code = int(match[1], 16)
    if code == 0x3D5:  # the phi of \\phi stands apart from the alphabet
        return f"<mi>{chr(0x1D753)}</mi>"
    first, bold = (0x3B1, 0x1D736) if code >= 0x3B1 else (0x391, 0x1D71C)
    return f"<mi>{chr(bold + code - first)}</mi>"


def escaped(text: str) -> str:
    return html.escape(text).replace(DOLLAR, "$")


def prose(text: str) -> str:
    """Text with formulas between dollar signs."""
    parts = text.split("$")
    return "".join(math(part) if k % 2 else escaped(part) for k, part in enumerate(parts))


class _Writer:
    def __init__(self) -> None:
        self._headings: list[tuple[str, str]] = []

    def contents(self) -> str:
        return "".join(f'<li><a href="#{anchor}">{prose(text)}</a></li>' for anchor, text in self._headings)

    def blocks(self, blocks: Sequence[Block]) -> str:
        return "\n".join(self.block(b) for b in blocks if not isinstance(b, Code))

    def block(self, block: Block) -> str:
        match block:
            case Heading(text, 1):
                anchor = f"section-{len(self._headings) + 1}"
                self._headings.append((anchor, text))
                return f'<h2 id="{anchor}"><span class="number">{len(self._headings)}</span>{prose(text)}</h2>'
            case Heading(text, _):
                return f"<h3>{prose(text)}</h3>"
            case Text(text):
                return f"<p>{prose(text)}</p>"
            case Equation(rows, number):
                lines = "".join(f'<div class="line">{math(row, True)}</div>' for row in rows)
                tag = f'<div class="tag">{html.escape(number)}</div>' if number else ""
                return f'<div class="equation"><div class="lines">{lines}</div>{tag}</div>'
            case Table(header, rows, caption):
                return self._table(header, rows, caption)
            case Note(title, text):
                return f"<aside><strong>{escaped(title)}:</strong> {prose(text)}</aside>"
            case Columns(columns):
                cells = "".join(f"<div><h4>{escaped(title)}</h4>{self.blocks(inner)}</div>" for title, inner in columns)
                return f'<div class="columns">{cells}</div>'
            case Fold(title, inner):
                return f"<details><summary>{escaped(title)}</summary>{self.blocks(inner)}</details>"
            case Drawing():
                return _svg(block)
            case Code():
                return ""

    def _table(self, header: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
        head = "".join(f"<th>{prose(cell)}</th>" for cell in header) if any(header) else ""
        body = "".join("<tr>" + "".join(f"<td>{prose(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        note = f"<caption>{prose(caption)}</caption>" if caption else ""
        top = f"<thead><tr>{head}</tr></thead>" if head else ""
        return f'<div class="wide"><table>{note}{top}<tbody>{body}</tbody></table></div>'


def _svg(drawing: Drawing) -> str:
    """Scaled to its box; y points up."""
    points = [p for s in drawing.strokes for p in s.points] + [m.at for m in drawing.marks]
    low = [min(p[k] for p in points) for k in (0, 1)]
    high = [max(p[k] for p in points) for k in (0, 1)]
    margin = 34.0
    scale = min(
        (_WIDTH - 2 * margin) / max(high[0] - low[0], 1e-9), (_HEIGHT - 2 * margin) / max(high[1] - low[1], 1e-9)
    )
    left = (_WIDTH - scale * (high[0] - low[0])) / 2
    bottom = (_HEIGHT - scale * (high[1] - low[1])) / 2

    def place(p: tuple[float, float]) -> tuple[float, float]:
        return left + scale * (p[0] - low[0]), _HEIGHT - bottom - scale * (p[1] - low[1])

    shapes: list[str] = []
    for stroke in drawing.strokes:
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in map(place, stroke.points))
        arrow = ' marker-end="url(#tip)"' if stroke.kind in ("axis", "gravity", "joint", "arc", "force") else ""
        shapes.append(f'<polyline class="{stroke.kind}" points="{path}"{arrow}/>')
    for mark in drawing.marks:
        x, y = place(mark.at)
        if mark.kind == "revolute":
            shapes.append(f'<circle class="revolute" cx="{x:.1f}" cy="{y:.1f}" r="6.5"/>')
        elif mark.kind == "cut":
            shapes.append(f'<circle class="cut" cx="{x:.1f}" cy="{y:.1f}" r="9"/>')
        elif mark.kind == "prismatic":
            shapes.append(f'<rect class="prismatic" x="{x - 9:.1f}" y="{y - 9:.1f}" width="18" height="18"/>')
        elif mark.kind == "centre":
            shapes.append(f'<circle class="centre" cx="{x:.1f}" cy="{y:.1f}" r="3.5"/>')
        else:
            shapes.append(f'<text x="{x:.1f}" y="{y + 5:.1f}" text-anchor="middle">{_label(mark.label)}</text>')
    return (
        f'<figure><svg viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" role="img"><defs><marker id="tip" viewBox="0 0 8 8" '
        f'refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>'
        f"{''.join(shapes)}</svg><figcaption>{prose(drawing.caption)}</figcaption></figure>"
    )


_GREEK = {"phi": "\u03c6", "psi": "\u03c8", "theta": "\u03b8", "beta": "\u03b2"}


def _label(latex: str) -> str:
    r"""`\mathbf{e}_{1}` or `O_{1}, O_{2}` as SVG text."""
    shown: list[str] = []
    for part in latex.split(", "):
        part = re.sub(r"^\\(phi|psi|theta|beta)(?![a-z])", lambda m: _GREEK[m[1]], part)
        match = re.fullmatch(r"(?:\\mathbf\{(\w)\}|(\w))(?:_\{([\w']+)\})?", part)
        if match is None:
            shown.append(html.escape(part))
            continue
        bold, plain, subscript = match.groups()
        letter = f'<tspan font-weight="bold">{bold}</tspan>' if bold else f'<tspan font-style="italic">{plain}</tspan>'
        below = f'<tspan dy="4" font-size="70%">{subscript}</tspan><tspan dy="-4">\u200b</tspan>' if subscript else ""
        shown.append(letter + below)
    return ", ".join(shown)
