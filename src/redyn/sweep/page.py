"""Charts of a sweep and one HTML file with them: quantile bands, scatter, tornado charts of sensitivities."""

from __future__ import annotations

import html
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from redyn import files
from redyn.errors import InputError
from redyn.report.colours import FAINT, INK, PATH, joint_colour
from redyn.report.figures import blank_figure, dress, saved
from redyn.sweep.plan import Inverse, Simulate
from redyn.sweep.summary import QUANTILES, Sensitivity, Summary
from redyn.words import counted, suggestion

if TYPE_CHECKING:
    from redyn.sweep.result import Result

MOST_CHARTS, MOST_BANDS = 6, 6  # outputs with charts of their own: numbers, and arrays over time
MOST_BARS = 12
MOST_POINTS = 2000


def overview(result: Result, path: str | Path | None, outputs: Sequence[str] | None, force: bool) -> Any:
    """A row of charts per output."""
    whole = result.summary()
    known = [*(s.name for s in whole.outputs), *whole.series]
    for name in outputs or ():
        if name not in known:
            raise InputError(f"outputs: there is no {name!r} with charts{suggestion(name, known)}")
    chosen = list(outputs or _first(whole))
    figure = blank_figure(11.0, 2.9 * max(1, len(chosen)))
    grid = figure.add_gridspec(max(1, len(chosen)), 2)
    for row, name in enumerate(chosen):
        if name in whole.series:
            _band(figure.add_subplot(grid[row, :]), result, whole, name)
            continue
        _scatter(figure.add_subplot(grid[row, 0]), whole, name)
        _tornado(figure.add_subplot(grid[row, 1]), whole, name)
    figure.tight_layout()
    if path is not None:
        saved(figure, path, force)
    return figure


def _first(whole: Summary) -> list[str]:
    """The outputs that a report shows."""
    return [*(s.name for s in whole.outputs[:MOST_CHARTS]), *list(whole.series)[:MOST_BANDS]]


def _band(axes: Any, result: Result, whole: Summary, name: str) -> None:
    low, lower, middle, upper, high = whole.series[name]
    t, label = np.arange(len(middle), dtype=np.float64), "entry"
    run = result.spec.run
    if isinstance(run, Simulate | Inverse) and len(t) > 1:
        t, label = t * (run.duration / (len(t) - 1)), "time (s)"
    axes.fill_between(t, low, high, color=joint_colour(0), alpha=0.18, linewidth=0, label="5% to 95%")
    axes.fill_between(t, lower, upper, color=joint_colour(0), alpha=0.35, linewidth=0, label="25% to 75%")
    axes.plot(t, middle, color=joint_colour(0), linewidth=1.5, label="median")
    dress(axes, name)
    axes.set_xlabel(label, fontsize=8, color=INK)
    axes.legend(frameon=False, fontsize=7, labelcolor=INK)


def _ranked(whole: Summary, name: str) -> tuple[Sensitivity | None, list[tuple[str, float]]]:
    """The effects on an output, the largest first."""
    found = next((s for s in whole.sensitivities if s.output == name), None)
    if found is None:
        return None, []
    return found, sorted(found.effects.items(), key=lambda item: -abs(item[1]))


def _scatter(axes: Any, whole: Summary, name: str) -> None:
    _, ranked = _ranked(whole, name)
    y = whole.kept[name][:MOST_POINTS]
    if ranked:
        x, label = whole.kept[ranked[0][0]][:MOST_POINTS], ranked[0][0]
        axes.plot(x, y, ".", color=joint_colour(0), markersize=2, alpha=0.5)
    else:
        axes.hist(y[np.isfinite(y)], bins=40, color=joint_colour(0))
        label = name
    dress(axes, name)
    axes.set_xlabel(label, fontsize=8, color=INK, parse_math=False)


def _tornado(axes: Any, whole: Summary, name: str) -> None:
    found, ranked = _ranked(whole, name)
    ranked = ranked[:MOST_BARS]
    places = np.arange(len(ranked))[::-1]
    effects = np.array([effect for _, effect in ranked])
    axes.barh(places, effects, color=[joint_colour(0) if e >= 0 else PATH for e in effects], height=0.7)
    axes.axvline(0, color=FAINT, linewidth=0.6)
    explained = "" if found is None else f", R² = {found.explained:.2f}"
    dress(axes, f"change of {name} from 5% to 95%{explained}")
    axes.margins(x=0.05)
    axes.autoscale(axis="x")
    axes.set_yticks(places, [label for label, _ in ranked], fontsize=7, color=INK)  # after `dress`, which has its own
    for tick in axes.get_yticklabels():
        tick.set_parse_math(False)


def write_page(result: Result, path: str | Path, force: bool = False) -> Path:
    """The report."""
    files.check(path, files.HTML, force)
    whole, plan = result.summary(), result.spec
    name = str(plan.robot.get("name", "robot"))
    parts = [
        f"<h1>Sweep of {_text(name)}</h1>",
        f"<p>{_text(str(result.status))}. Seed {plan.seed}, specification {plan.hash[:12]}. "
        f"Quantiles and charts are of {_share(whole.every)}.</p>",
        "<h2>What varies</h2>",
        _table(
            ("name", "distribution"),
            [(label, ", ".join(f"{k} {_short(v)}" for k, v in d.to_data().items())) for label, d in plan.vary.items()],
        ),
        "<h2>Failures</h2>",
        _table(("reason", "samples"), [(reason, f"{count:,}") for reason, count in whole.failures.items()])
        if whole.failures
        else "<p>None.</p>",
    ]
    heads = ("column", "mean", "deviation", "least", *(f"{q:.0%}" for q in QUANTILES), "largest")
    for title, found in (("Varied numbers", whole.varied), ("Outputs", whole.outputs)):
        if found:
            rows = [(s.name, *(f"{x:.5g}" for x in (s.mean, s.deviation, s.low, *s.quantiles, s.high))) for s in found]
            parts += [f"<h2>{title}</h2>", _table(heads, rows)]
    more = len(whole.outputs) + len(whole.series) - len(_first(whole))
    note = f" {counted(more, 'output')} more in the folder." if more else ""
    parts += [
        "<h2>Charts</h2>",
        "<p>Bars: how an output changes when one number moves from its 5% to its 95% quantile, by linear regression on "
        f"all of them; R² is the share of the variance that this explains.{note}</p>",
        _svg(overview(result, None, None, False)),
    ]
    page = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="generator" content="redyn">'
        f"<title>Sweep of {_text(name)}</title><style>{_STYLE}</style></head><body>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )
    return files.write(path, page, files.HTML, force)


_STYLE = (
    "body{font:15px/1.45 system-ui,sans-serif;color:#1f2933;max-width:70rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;font-size:13px;display:block;overflow-x:auto}"
    "th,td{padding:.2rem .7rem;text-align:right;border-bottom:1px solid #e4e7eb}"
    "th:first-child,td:first-child{text-align:left}svg{max-width:100%;height:auto}"
)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{_text(cell)}</th>" for cell in heads)
    body = "".join("<tr>" + "".join(f"<td>{_text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _svg(figure: Any) -> str:
    target = io.StringIO()
    figure.savefig(target, format="svg")
    return target.getvalue()[target.getvalue().index("<svg") :]


def _share(every: int) -> str:
    return "all samples" if every == 1 else f"one sample in {every:,}"


def _short(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{k} {v:g}" for k, v in cast("dict[str, float]", value).items())
    if isinstance(value, list):
        entries = cast("list[float]", value)
        shown = ", ".join(f"{x:g}" for x in entries[:6])
        return shown + (f", ... ({len(entries)})" if len(entries) > 6 else "")
    return str(value)


def _text(text: str) -> str:
    return html.escape(text)
