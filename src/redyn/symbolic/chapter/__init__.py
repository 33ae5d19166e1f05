"""Worked examples: the derivation of a robot's equations as a page, a paper or a notebook."""

from redyn.symbolic.chapter.html import to_html
from redyn.symbolic.chapter.latex import to_latex
from redyn.symbolic.chapter.notebook import to_notebook
from redyn.symbolic.chapter.story import worked_example

__all__ = ["to_html", "to_latex", "to_notebook", "worked_example"]
