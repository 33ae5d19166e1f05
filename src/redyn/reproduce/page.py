"""The page of an item and the index page: plain HTML that opens from a folder, without a network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from redyn.reproduce.check import Against
from redyn.reproduce.item import OUTCOMES, Item, Numbers, Outcome, Result
from redyn.version import __version__

SHOWN = 60  # rows of a table that a page shows; the file has them all
STYLE = """
:root { --ink: #1f2933; --faint: #7b8794; --line: #e4e7eb; --blue: #1b6ca8; }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; color: var(--ink);
  background: #f5f7fa; }
main { max-width: 1240px; margin: 0 auto; padding: 28px 24px 60px; }
h1 { font-size: 28px; margin: 0 0 4px; } h2 { font-size: 19px; margin: 34px 0 12px; }
a { color: var(--blue); text-decoration: none; } a:hover { text-decoration: underline; }
.faint { color: var(--faint); } .small { font-size: 13.5px; }
.badge { display: inline-block; padding: 1px 10px; border-radius: 999px; font-size: 13px; font-weight: 600;
  white-space: nowrap; }
.agrees { background: #d9f2dd; color: #1b6e2b; } .repair { background: #dcebfa; color: #15548a; }
.unprinted { background: #e6e8ec; color: #3e4c59; }
.differs { background: #fdeccb; color: #8a5a00; } .unexplained { background: #fbdada; color: #a11d1d; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(350px, 1fr)); gap: 18px; }
.card { background: white; border: 1px solid var(--line); border-radius: 10px; overflow: hidden; display: flex;
  flex-direction: column; }
.card .preview { height: 176px; display: flex; align-items: center; justify-content: center; overflow: hidden;
  border-bottom: 1px solid var(--line); background: white; }
.card .preview img { max-width: 100%; max-height: 100%; }
.card .text { padding: 12px 16px 14px; display: flex; flex-direction: column; gap: 6px; flex: 1; }
.card h3 { margin: 0; font-size: 16px; } .card .links { margin-top: auto; font-size: 13.5px; }
.reason { font-size: 13.5px; color: #52606d; display: -webkit-box; -webkit-line-clamp: 5; -webkit-box-orient: vertical;
  overflow: hidden; }
.sheet { background: white; border: 1px solid var(--line); border-radius: 10px; padding: 16px 20px; margin: 14px 0;
  overflow-x: auto; }
.sheet td:first-child { white-space: nowrap; }
table { border-collapse: collapse; font-size: 13.5px; } th, td { text-align: left; padding: 3px 14px 3px 0;
  border-bottom: 1px solid var(--line); vertical-align: top; font-variant-numeric: tabular-nums; }
.preview table { font-size: 10.5px; color: #52606d; } .preview td, .preview th { padding: 1px 8px 1px 0; }
ul.classes { list-style: none; padding: 0; line-height: 1.9; }
img.drawing { max-width: 100%; display: block; margin: 0 auto; }
iframe.player { width: 100%; height: 760px; padding: 0; }
"""


KINDS: dict[Outcome, str] = {
    "agrees": "agrees",
    "agrees with repair": "repair",
    "no printed numbers": "unprinted",
    "differs": "differs",
}
HELD_AGAINST: dict[Against, str] = {
    "printed": "printed numbers or formulas",
    "text": "a statement of the text",
    "computation": "computation",
}


def badge(outcome: Outcome, unexplained: bool) -> str:
    kind = "unexplained" if unexplained else KINDS[outcome]
    return f'<span class="badge {kind}" title="{escape(OUTCOMES[outcome])}">{escape(outcome)}</span>'


def item_page(item: Item, result: Result, figures: Sequence[str], files: Sequence[str]) -> str:
    """Verdict, checks, interactive figures and numbers of one item."""
    rows = "".join(
        f"<tr><td>{'✓ holds' if check.holds else '✗ differs'}</td><td>{escape(check.what)}</td>"
        f"<td>{escape(check.found)}{f'<br>{escape(check.why)}' if check.why and not check.holds else ''}</td>"
        f'<td class="faint">{HELD_AGAINST[check.against]}</td></tr>'
        for check in result.checks
    )
    rows = f"<tr><th></th><th>check</th><th>result</th><th>compared with</th></tr>{rows}"
    corrected = "".join(f"<li>{escape(x.what)}, because {escape(x.evidence)}.</li>" for x in result.repairs if x.needed)
    notes = "".join(f"<li>{escape(note)}</li>" for note in result.notes)
    parts = [
        f'<p class="small"><a href="index.html">all items</a></p><h1>{escape(item.title)}</h1>',
        f'<p class="faint">{escape(item.source)} &nbsp; {badge(result.outcome, result.unexplained)} &nbsp; '
        f"{escape(OUTCOMES[result.outcome])}</p>",
        f'<div class="sheet"><table>{rows}</table></div>',
        f"<h2>Corrections</h2><ul>{corrected}</ul>" if corrected else "",
        *(f'<iframe class="sheet player" src="{escape(name)}"></iframe>' for name in files if name.endswith(".html")),
        f'<div class="sheet"><img class="drawing" src="{escape(item.name)}.png" alt=""></div>'
        if result.diagrams
        else "",
        *(f'<div class="sheet">{figure}</div>' for figure in figures),
        f"<h2>Notes</h2><ul>{notes}</ul>" if notes else "",
        *(
            f'<h2>Numbers</h2><div class="sheet">{_table(numbers, SHOWN)}</div>'
            for numbers in result.numbers
            if len(numbers.rows) <= SHOWN
        ),
        "<h2>Files</h2><p>" + " &nbsp; ".join(_link(name) for name in files) + "</p>",
    ]
    script = '<script src="plotly.min.js"></script>' if figures else ""
    return _page(item.title, "".join(parts), script)


def index_page(groups: dict[str, list[dict[str, Any]]]) -> str:
    """All items of the folder, by their verdict files."""
    verdicts = [verdict for group in groups.values() for verdict in group]
    counts: dict[Outcome, int] = {
        outcome: sum(verdict["outcome"] == outcome for verdict in verdicts) for outcome in OUTCOMES
    }
    summary = "".join(
        f'<li>{badge(outcome, False)} {n} <span class="small faint">{escape(OUTCOMES[outcome])}</span></li>'
        for outcome, n in counts.items()
    )
    unexplained = [verdict["name"] for verdict in verdicts if verdict["unexplained"]]
    warning = (
        f'<p><span class="badge unexplained">differs for unknown reasons</span> {escape(", ".join(unexplained))}</p>'
    )
    parts = [
        "<h1>The sources, reproduced</h1>",
        '<p class="faint">Figures, tables, exercises and benchmarks of robot dynamics, recomputed by redyn '
        f'{escape(__version__)} and compared with the sources.</p><ul class="classes">{summary}</ul>',
        warning if unexplained else "",
    ]
    for title, group in groups.items():
        if group:
            parts.append(f'<h2>{escape(title)}</h2><div class="grid">{"".join(map(_card, group))}</div>')
    return _page("The sources, reproduced", "".join(parts))


def preview(numbers: Numbers) -> str:
    """The first rows of a table, for the card of an item without a picture."""
    return _table(Numbers(numbers.header[:5], [row[:5] for row in numbers.rows]), 8)


def _card(verdict: dict[str, Any]) -> str:
    name = escape(verdict["name"])
    picture = f'<img src="{name}-small.png" alt="" loading="lazy">' if verdict["picture"] else verdict["preview"]
    links = " &nbsp; ".join(_link(file) for file in verdict["files"])
    return (
        f'<div class="card"><a class="preview" href="{name}.html">{picture}</a><div class="text">'
        f'<h3><a href="{name}.html">{escape(verdict["title"])}</a></h3>'
        f'<div class="small faint">{escape(verdict["source"])}</div>'
        f"<div>{badge(verdict['outcome'], verdict['unexplained'])}</div>"
        f'<div class="reason">{escape(verdict["reason"])}</div><div class="links">{links}</div></div></div>'
    )


def _table(numbers: Numbers, most: int) -> str:
    head = "".join(f"<th>{escape(str(name))}</th>" for name in numbers.header)
    body = "".join("<tr>" + "".join(f"<td>{_cell(x)}</td>" for x in row) + "</tr>" for row in numbers.rows[:most])
    return f"<table><tr>{head}</tr>{body}</table>"


def _cell(value: object) -> str:
    """Six digits; rounding errors of zero are shown as zero, also in tables of differences."""
    if isinstance(value, float):
        return "0" if abs(value) < 1e-12 else f"{value:.6g}"
    return escape(str(value))


def _link(name: str) -> str:
    return f'<a href="{escape(name)}">{escape(name)}</a>'


def _page(title: str, body: str, script: str = "") -> str:
    return (
        '<!doctype html><!-- Made by redyn. --><html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title>"
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style>{script}</head>'
        f"<body><main>{body}</main></body></html>\n"
    )
