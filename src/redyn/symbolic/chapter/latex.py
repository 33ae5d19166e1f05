"""A worked example as LaTeX: one file, the article class, amsmath and TikZ."""

from __future__ import annotations

from collections.abc import Sequence

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

_PREAMBLE = r"""% Made by redyn.
\documentclass[11pt,fleqn]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage[a4paper,margin=25mm]{geometry}
\usepackage{amsmath,amssymb,booktabs,graphicx,longtable,tikz}
\setcounter{MaxMatrixCols}{30}
\allowdisplaybreaks
\setlength{\mathindent}{1.5em}
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.6em plus 0.2em}
\newsavebox{\widebox}
% Shrinks a formula or table that is wider than the page.
\newcommand{\fit}[1]{\sbox{\widebox}{#1}\ifdim\wd\widebox>\linewidth\resizebox{\linewidth}{!}{\usebox{\widebox}}\else\usebox{\widebox}\fi}
"""
_MATRIX = r"\begin{bmatrix}"
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    DOLLAR: r"\$",
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
    title = f"{_escaped(chapter.title)}\\\\[1ex] \\large {_escaped(chapter.subtitle)}"
    return (
        f"{_PREAMBLE}\\title{{{title}}}\n\\author{{}}\n\\date{{}}\n"
        f"\\begin{{document}}\n\\maketitle\n\n{_joined(chapter.blocks)}\n\n\\end{{document}}\n"
    )


def _joined(blocks: Sequence[Block], narrow: bool = False) -> str:
    """A formula continues the paragraph above it: an empty line before it would start an empty paragraph."""
    text = ""
    for block in blocks:
        written = _equation(block, narrow) if isinstance(block, Equation) else _block(block)
        if written:
            text += ("\n" if isinstance(block, Equation) else "\n\n") * bool(text) + written
    return text


def _escaped(text: str) -> str:
    """Removes commands, and letters for which plain LaTeX has no font."""
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
        case Equation():
            return _equation(block)
        case Table(header, rows, caption):
            return _table(header, rows, caption)
        case Note(title, text):
            return f"\\begin{{quote}}\n\\textbf{{{_escaped(title)}:}} {prose(text)}\n\\end{{quote}}"
        case Columns(columns):
            width = f"{0.96 / len(columns):.3f}\\linewidth"
            cells = [
                f"\\begin{{minipage}}[t]{{{width}}}\\setlength{{\\mathindent}}{{0pt}}\n\\textbf{{{_escaped(title)}}}\n\n"
                + _joined(inner, narrow=True)
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


def _equation(equation: Equation, narrow: bool = False) -> str:
    """A formula with its equation number, which takes a larger part of the line in a narrow column."""
    number = equation.number
    rows = [spelled(row) for row in equation.rows]
    apart = " \\\\[8pt]\n" if any(_MATRIX in row for row in rows) else " \\\\\n"  # or matrices would touch
    inner = r"\begin{aligned} " + apart.join(f"& {row}" for row in rows) + r" \end{aligned}"
    tag = rf" \tag*{{{_escaped(number)}}}" if number else ""
    indent, letter = (0.03, 0.042) if narrow else (0.06, 0.0135)  # of the line
    width = rf"{1 - indent - letter * len(number):.3f}\linewidth"
    return (
        rf"\begin{{equation*}} \begin{{minipage}}{{{width}}} \fit{{$\displaystyle {inner}$}} \end{{minipage}}{tag} "
        r"\end{equation*}"
    )


def _folded(blocks: Sequence[Block]) -> str:
    """Many short lines, one below the other, across pages."""
    lines = [f"& {spelled(row)}" for b in blocks if isinstance(b, Equation) for row in b.rows]
    return "{\\small\n\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}}"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    """Splits a table into pieces that fit on a page, each with its header; the caption stays with the last."""
    head = " & ".join(prose(cell) for cell in header) + " \\\\ \\midrule\n" if any(header) else ""
    tall = any(_MATRIX in cell for row in rows for cell in row)
    apart = " \\\\ \\addlinespace[8pt]\n" if tall else " \\\\\n"  # or matrices would touch
    length = 8 if tall else 30
    note = f"\\par\\smallskip\\emph{{{prose(caption)}}}" if caption else ""
    parts = [rows[k : k + length] for k in range(0, len(rows), length)]
    pieces: list[str] = []
    for k, part in enumerate(parts):
        body = apart.join(" & ".join(prose(cell) for cell in row) for row in part)
        tabular = (
            f"\\begin{{tabular}}{{{'l' * len(rows[0])}}}\n\\toprule\n{head}{body} \\\\\n\\bottomrule\n\\end{{tabular}}"
        )
        below = note if k == len(parts) - 1 else ""
        pieces.append(
            f"\\begin{{center}}\n\\begin{{minipage}}{{\\linewidth}}\\centering\n\\fit{{{tabular}}}{below}\n"
            "\\end{minipage}\n\\end{center}"
        )
    return "\n".join(pieces)


def _tikz(drawing: Drawing) -> str:
    points = [p for s in drawing.strokes for p in s.points] + [m.at for m in drawing.marks]
    width = max(p[0] for p in points) - min(p[0] for p in points)
    height = max(p[1] for p in points) - min(p[1] for p in points)
    scale = min(9.0 / max(width, 1e-9), 6.0 / max(height, 1e-9))

    def at(p: tuple[float, float]) -> str:
        return f"({scale * p[0]:.3f},{scale * p[1]:.3f})"

    style = {
        "link": "line width=4pt, gray!60",
        "slide": "line width=2.2pt, gray",
        "curve": "thick, blue!60!black",
        "axis": "->, gray",
        "joint": "->, thick, blue!60!black",
        "gravity": "->, thick",
        "force": "->, thick, red!70!black",
        "arc": "->, blue!60!black",
        "guide": "densely dashed, gray",
        "length": "gray!80!black",
    }
    lines = [f"\\draw[{style[s.kind]}] {' -- '.join(map(at, s.points))};" for s in drawing.strokes]
    shape = {
        "revolute": "circle, draw, thick, fill=white, inner sep=2.2pt",
        "prismatic": "rectangle, draw, thick, fill=white, inner sep=4pt",
        "cut": "circle, draw, thick, dashed, orange!70!black, inner sep=3.6pt",
        "centre": "circle, fill=black, inner sep=1.3pt",
    }
    for m in drawing.marks:
        if m.kind == "label":
            lines.append(f"\\node at {at(m.at)} {{\\small ${m.label}$}};")
        else:
            lines.append(f"\\node[{shape[m.kind]}] at {at(m.at)} {{}};")
    picture = "\n".join(lines)
    return (
        f"\\begin{{center}}\n\\begin{{tikzpicture}}[>=latex]\n{picture}\n\\end{{tikzpicture}}\n\n"
        f"\\emph{{{prose(drawing.caption)}}}\n\\end{{center}}"
    )
