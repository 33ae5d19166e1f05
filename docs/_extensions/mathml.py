"""Formulas as MathML, made when the site is built: pages need no script and no fonts of a network."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.util import logging

LOG = logging.getLogger(__name__)
TAG = re.compile(r"\\tag\{([^}]*)\}")  # the number of an equation, which stands beside it


def mathml(latex: str, display: str) -> str:
    """One formula; what surrounds several lines is added where it is left out, as Sphinx does for LaTeX."""
    text = TAG.sub("", re.sub(r"\\label\{[^}]*\}", "", latex)).strip()
    # latex2mathml numbers the rows of a starred environment no differently.
    text = re.sub(r"\\(begin|end)\{(?:align|gather|equation)\*?\}", _environment, text)
    if "\\\\" in text and "\\begin" not in text:
        text = rf"\begin{{aligned}}{text}\end{{aligned}}"
    return convert(text, display=display)


def _environment(found: re.Match[str]) -> str:
    return "" if "equation" in found[0] else rf"\{found[1]}{{aligned}}"


def _inline(self: Any, node: nodes.math) -> None:
    self.body.append(f'<span class="math">{_safe(node, "inline")}</span>')
    raise nodes.SkipNode


def _block(self: Any, node: nodes.math_block) -> None:
    tags = TAG.findall(node.astext()) or ([node["number"]] if node.get("number") else [])
    number = "".join(f'<span class="eqno">({tag})</span>' for tag in tags)
    names = "".join(f'<span id="{name}"></span>' for name in node.get("ids", []))
    self.body.append(f'<div class="math-block">{names}{number}{_safe(node, "block")}</div>\n')
    raise nodes.SkipNode


def _safe(node: nodes.Element, display: str) -> str:
    try:
        return mathml(node.astext(), display)
    except Exception as error:
        LOG.warning("formula %r: %s", node.astext(), error, location=node, type="mathml")
        return f"<code>{nodes.unescape(node.astext())}</code>"


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
