"""How the formulas of a page were compared with other derivations and with the compiled functions."""

from __future__ import annotations

from redyn.symbolic.chapter.blocks import Chapter, Code, Heading, Table, Text
from redyn.symbolic.equations import Equations


def table_of_agreement(chapter: Chapter, eqs: Equations, how: str) -> None:
    """`how` says what is compared."""
    verdicts = {True: "equal", False: "different", None: "not compared"}
    rows = tuple((c.what, f"{verdicts[c.equal]}{c.how}") for c in eqs.check().comparisons)
    chapter.add(Heading("Agreement"), Text(how), Table(("compared", "verdict"), rows), Code("print(eqs.check())"))
