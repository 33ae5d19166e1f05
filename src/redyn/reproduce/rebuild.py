"""Rebuild items into a folder: pictures, pages, numbers and verdicts, and one page that shows them all."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from redyn import files
from redyn.errors import RedynError
from redyn.report.bundles import plotly_js
from redyn.reproduce.check import Check
from redyn.reproduce.draw import picture
from redyn.reproduce.interactive import divisions
from redyn.reproduce.item import Item, Load, Result
from redyn.reproduce.page import index_page, item_page, preview
from redyn.reproduce.registry import GROUPS, ITEMS, group
from redyn.robot import load as load_from_library

MARKDOWN = files.Kind("a page in Markdown by redyn", lambda head: b"redyn" in head)


def rebuild(item: Item, out: Path, load: Load = load_from_library, force: bool = False) -> Result:
    """Build one item and write its files; existing files of another kind are replaced only with `force`."""
    files.folder(out)
    try:
        result = item.build(load)
    except RedynError as error:  # a failing item is reported among the others
        result = Result([Check("the item can be rebuilt", False, str(error))], [])
    _write(item, result, out, force)
    return result


def write_index(out: Path, force: bool = False) -> Path:
    """index.html from all verdicts in the folder, including those of earlier runs."""
    groups: dict[str, list[dict[str, Any]]] = {title: [] for title in GROUPS}
    for name in ITEMS:
        path = out / f"{name}.json"
        if path.is_file():
            groups[group(name)].append(json.loads(path.read_text("utf-8")))
    files.write(out / "plotly.min.js", plotly_js().read_bytes(), files.SCRIPT, force)
    return files.write(out / "index.html", index_page(groups), files.HTML, force)


def _write(item: Item, result: Result, out: Path, force: bool) -> None:
    name = item.name
    made: list[str] = []
    drawn = picture(item, result, out / f"{name}.png", out / f"{name}-small.png", force)
    if drawn:
        made.append(f"{name}.png")
    for numbers in result.numbers:
        table = f"{name}-{numbers.part}.csv" if numbers.part else f"{name}.csv"
        files.write_csv(out / table, numbers.header, numbers.rows, force)
        made.append(table)
    if result.animation is not None:
        result.animation(out / f"{name}-motion.html", force)
        made.append(f"{name}-motion.html")
    if result.document:
        files.write(out / f"{name}.md", result.document, MARKDOWN, force)
        made.append(f"{name}.md")
    verdict = {
        "name": name,
        "title": item.title,
        "source": item.source,
        "outcome": result.outcome,
        "reason": result.reason,
        "unexplained": result.unexplained,
        "checks": [vars(check) for check in result.checks],
        "repairs": [vars(repair) for repair in result.repairs if repair.needed],
        "notes": list(result.notes),
        "picture": drawn,
        "preview": "" if drawn or not result.numbers else preview(result.numbers[0]),
        "files": made,
    }
    files.write(out / f"{name}.json", json.dumps(verdict, indent=2, ensure_ascii=False) + "\n", files.JSON, force)
    figures = divisions(replace(result, scenes=()) if result.animation else result)  # the player shows the robot better
    files.write(out / f"{name}.html", item_page(item, result, figures, made), files.HTML, force)
