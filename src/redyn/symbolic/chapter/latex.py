"""A worked example as LaTeX: one file, the article class, amsmath and TikZ."""

from __future__ import annotations

from collections.abc import Sequence

from redyn.symbolic.chapter.blocks import (
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

_PREAMBLE = r"""% Made by redyn.
\documentclass[11pt]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage[a4paper,margin=25mm]{geometry}
\usepackage{amsmath,amssymb,booktabs,graphicx,longtable,tikz}
\setcounter{MaxMatrixCols}{30}
\allowdisplaybreaks
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.6em plus 0.2em}
\newsavebox{\widebox}
% A formula or a table that is wider than the page shrinks to it.
\newcommand{\fit}[1]{\sbox{\widebox}{#1}\ifdim\wd\widebox>\linewidth\resizebox{\linewidth}{!}{\usebox{\widebox}}\else\usebox{\widebox}\fi}
"""
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "·": r"\textperiodcentered{}",
    "²": r"\textsuperscript{2}",
}


def to_latex(chapter: Chapter) -> str:
    body = "\n\n".join(filter(None, (_block(b) for b in chapter.blocks)))
    return (
        f"{_PREAMBLE}\\title{{{_escaped(chapter.title)}}}\n\\author{{{_escaped(chapter.subtitle)}}}\n\\date{{}}\n"
        f"\\begin{{document}}\n\\maketitle\n\n{body}\n\n\\end{{document}}\n"
    )


def _escaped(text: str) -> str:
    """Commands and letters that plain LaTeX has no font for are no part of a name."""
    return "".join(_SPECIAL.get(c, c if ord(c) < 0x180 else "?") for c in text)


def prose(text: str) -> str:
    parts = text.split("$")
    return "".join(f"${spelled(part)}$" if k % 2 else _escaped(part) for k, part in enumerate(parts))


def _block(block: Block) -> str:
    match block:
        case Heading(text, 1):
            return f"\\section{{{prose(text)}}}"
        case Heading(text, _):
            return f"\\subsection*{{{prose(text)}}}"
        case Text(text):
            return prose(text)
        case Equation(rows, number):
            return _equation(rows, number)
        case Table(header, rows, caption):
            return _table(header, rows, caption)
        case Note(title, text):
            return f"\\begin{{quote}}\n\\textbf{{{_escaped(title)}.}} {prose(text)}\n\\end{{quote}}"
        case Columns(columns):
            width = f"{0.96 / len(columns):.3f}\\linewidth"
            cells = [
                f"\\begin{{minipage}}[t]{{{width}}}\n\\textbf{{{_escaped(title)}}}\n\n"
                + "\n\n".join(_block(b) for b in inner)
                + "\n\\end{minipage}"
                for title, inner in columns
            ]
            return "\\noindent " + "\\hfill\n".join(cells)
        case Fold(title, inner):
            return f"\\paragraph{{{_escaped(title)}}}\n\n" + _folded(inner)
        case Drawing():
            return _tikz(block)
        case Code():
            return ""


def _equation(rows: Sequence[str], number: str) -> str:
    rows = [spelled(row) for row in rows]
    inner = r"\begin{aligned} " + " \\\\\n".join(f"& {row}" for row in rows) + r" \end{aligned}"
    tag = rf" \tag*{{{_escaped(number)}}}" if number else ""
    room = r"0.84\linewidth" if number else r"\linewidth"
    return (
        rf"\begin{{equation*}} \begin{{minipage}}{{{room}}} \fit{{$\displaystyle {inner}$}} \end{{minipage}}{tag} "
        r"\end{equation*}"
    )


def _folded(blocks: Sequence[Block]) -> str:
    """Many short lines, one below the other, over pages."""
    lines = [f"& {spelled(row)}" for b in blocks if isinstance(b, Equation) for row in b.rows]
    return "{\\small\n\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}}"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    head = " & ".join(prose(cell) for cell in header) + " \\\\ \\midrule\n" if any(header) else ""
    body = " \\\\\n".join(" & ".join(prose(cell) for cell in row) for row in rows)
    note = f"\\par\\smallskip\\emph{{{prose(caption)}}}" if caption else ""
    columns = "l" * len(rows[0])
    tabular = f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{head}{body} \\\\\n\\bottomrule\n\\end{{tabular}}"
    return f"\\begin{{center}}\n\\fit{{{tabular}}}{note}\n\\end{{center}}"


def _tikz(drawing: Drawing) -> str:
    points = [p for s in drawing.strokes for p in s.points] + [m.at for m in drawing.marks]
    width = max(p[0] for p in points) - min(p[0] for p in points)
    height = max(p[1] for p in points) - min(p[1] for p in points)
    scale = min(9.0 / max(width, 1e-9), 6.0 / max(height, 1e-9))

    def at(p: tuple[float, float]) -> str:
        return f"({scale * p[0]:.3f},{scale * p[1]:.3f})"

    style = {
        "link": "line width=4pt, gray!60",
        "axis": "->, gray",
        "joint": "->, thick, blue!60!black",
        "gravity": "->, thick",
    }
    lines = [f"\\draw[{style[s.kind]}] {' -- '.join(map(at, s.points))};" for s in drawing.strokes]
    shape = {
        "revolute": "circle, draw, thick, fill=white, inner sep=2.2pt, label=below right:",
        "prismatic": "rectangle, draw, thick, fill=white, inner sep=3pt, label=below right:",
        "centre": "circle, fill=black, inner sep=1.3pt, label=above right:",
    }
    for m in drawing.marks:
        if m.kind == "label":
            lines.append(f"\\node at {at(m.at)} {{${m.label}$}};")
        else:
            lines.append(f"\\node[{shape[m.kind]}{{${m.label}$}}] at {at(m.at)} {{}};")
    picture = "\n".join(lines)
    return (
        f"\\begin{{center}}\n\\begin{{tikzpicture}}[>=latex]\n{picture}\n\\end{{tikzpicture}}\n\n"
        f"\\emph{{{prose(drawing.caption)}}}\n\\end{{center}}"
    )
