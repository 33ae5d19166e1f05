"""All errata, evaluated: the item `errata`, and the page docs/errata.md."""

from __future__ import annotations

from functools import cache

from redyn.reproduce.check import Check, short
from redyn.reproduce.errata import assignment, book, book_tables, note, paper, slides
from redyn.reproduce.errata.erratum import CLOSE, Document, Finding
from redyn.reproduce.errata.page import SEVERITIES, counted_kinds, errata_page, key, kinds
from redyn.reproduce.item import Item, Load, Numbers, Result

DOCUMENTS = [
    Document("The book, chapter 9: equations", book.ERRATA),
    Document("The book, chapter 9: tables and counts", book_tables.ERRATA, book_tables.OPEN),
    Document("Saha (2003)", paper.ERRATA),
    Document("The Newton-Euler assignment", assignment.ERRATA),
    Document("The lecture slides", slides.ERRATA, slides.OPEN),
    Document("The note on state space", note.ERRATA),
]


def evaluated(load: Load) -> dict[str, list[Finding]]:
    """The findings of every erratum, by `key`; robots are loaded once."""
    kept = cache(load)
    return {
        key(document, erratum): list(erratum.measure(kept)) if erratum.measure else []
        for document in DOCUMENTS
        for erratum in (*document.errata, *document.open)
    }


def _errata(load: Load) -> Result:
    found = evaluated(load)
    checks: list[Check] = []
    rows: list[list[object]] = []
    for document in DOCUMENTS:
        all_of = [(x, found[key(document, x)]) for x in document.errata]
        unconfirmed = [x.where for x, findings in all_of if not all(f.wrong and f.right for f in findings)]
        checks.append(
            Check(
                f"{document.title}: everything that is printed holds",
                False,
                counted_kinds(document),
                f"each is confirmed, and each corrected formula agrees with its reference to {short(CLOSE)}"
                if not unconfirmed
                else "",
                "printed",
            )
        )
        rows.extend(
            [
                document.title,
                x.where,
                x.severity,
                x.printed,
                x.correct,
                "; ".join(f.effect for f in findings),
                x.reference,
            ]
            for x, findings in all_of
        )
    header = ["source", "where", "kind", "printed", "correct", "effect", "checked against"]
    counts: list[list[object]] = [[x.title, *(str(n) for n in kinds(x).values())] for x in DOCUMENTS]
    numbers = [Numbers(["source", *SEVERITIES], counts), Numbers(header, rows, "list")]
    return Result(checks, numbers, document=errata_page(DOCUMENTS, found))


ITEMS = [Item("errata", "Errata of the sources", "the book, the paper, the assignment, the slides, the note", _errata)]
