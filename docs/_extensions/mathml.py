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
# Of several lines, latex2mathml knows two kinds, of which one needs no number.
ENVIRONMENT = re.compile(r"\\(begin|end)\{(align|aligned|gather|gathered|equation)\*?\}")


def mathml(latex: str, display: str) -> str:
    r"""One formula; what surrounds several lines is added where it is left out, as Sphinx does for LaTeX.

    >>> mathml(r"a = b \tag{9.2}", "inline").count("9.2")
    0
    >>> [mathml(text, "block").count("<mtr>") for text in (r"\begin{align*} a &= b \\ c &= d \end{align*}", r"a \\ b")]
    [2, 2]
    """
    text = TAG.sub("", re.sub(r"\\label\{[^}]*\}", "", latex)).strip()
    text = ENVIRONMENT.sub(lambda found: "" if found[2] == "equation" else rf"\{found[1]}{{split}}", text)
    if "\\\\" in text and "\\begin" not in text:
        text = rf"\begin{{split}}{text}\end{{split}}"
    # Browsers align columns by their style alone.
    return re.sub(r'columnalign="(\w+)"', r'style="text-align: \1"', convert(text, display=display))


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
