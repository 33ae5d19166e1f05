"""The page of errata in Markdown, written from what evaluating them gave."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from redyn.reproduce.check import short
from redyn.reproduce.errata.erratum import CLOSE, NOTICED, Document, Erratum, Finding, Severity
from redyn.words import counted

Found = Mapping[str, Sequence[Finding]]  # by document and place
SEVERITIES: tuple[Severity, ...] = ("wrong numbers", "wrong in some cases", "slip")
HEAD = """# Errata of the sources

<!-- Made by `redyn reproduce errata`; do not edit. -->

redyn implements S. K. Saha's *Recursive Robot Dynamics* (chapter 9 of his robotics textbook, "the book") and his paper
of 2003, and compares itself with an assignment, lecture slides and a note. This page lists what in them does not hold:
what is printed, what is right, and what the difference amounts to. Every number on it is computed by
`redyn reproduce errata`, which evaluates the printed and the corrected formula; a test repeats that and compares this
page with the result.

- **wrong numbers**: following the page gives wrong results.
- **wrong in some cases**: wrong for some robots or uses, or unclear.
- **slip**: a typing error that changes no number.

A printed formula is listed as wrong only if its error exceeds {noticed}; each corrected one agrees with its reference
to {close} or better. States and robots are examples: errors grow with rates, and with masses. Where a reference is
"redyn's recursions", these agree with Pinocchio and MuJoCo to eleven digits on public robots
([verified.md](verified.md)). What redyn makes of everything else in the sources is in [checklist.md](checklist.md).
"""
STATEMENTS = [
    (
        "the book, Example 9.9: joint 2 of the PUMA rotates positively because of $a_3$",
        "the sign is right; with $a_3 = 0$ it is the same",
        "fig-9.17",
    ),
    (
        "the book, Example 9.10: joint 3 of the Stanford arm slides out once joint 2 has turned by 90°, after 1 s",
        "it slides out much earlier",
        "fig-9.18",
    ),
    (
        "the book, Example 9.11: free fall of the KUKA KR-5",
        "impossible with Table 9.5 as printed",
        "fig-9.19",
    ),
    (
        "the book, 9.3: (9.32)-(9.33) is one of the best algorithms",
        "its refinement ReDySim is; the algorithm as it stands is not",
        "table-9.1",
    ),
    (
        "the book, 9.4: integrating recursive accelerations needs fewer evaluations",
        "the number is the same; they are smoother only at the level of rounding",
        "claim-smoothness",
    ),
    (
        "the paper, section 4: forced motions of the three-link arm exactly match",
        "accelerations do; motions diverge, because they are unstable",
        "paper-section-4",
    ),
    (
        "the paper, Fig. 4: joint 2 of the Stanford arm passes zero a little after 0.5 s",
        "much later; with the error of (9.16d) it comes near",
        "paper-fig-4",
    ),
    (
        "the paper, Fig. 6: the PUMA leaves its path after about 6 s",
        "it depends on the integrator",
        "paper-fig-6",
    ),
]


def key(document: Document, erratum: Erratum) -> str:
    return f"{document.title}: {erratum.where}: {erratum.printed}"


def position(erratum: Erratum) -> tuple[int, str]:
    """(9.7c) before (9.11c); what has no such number keeps its order, at the end."""
    number = re.search(r"\(9\.(\d+)([a-z]?)", erratum.where)
    return (int(number[1]), number[2]) if number else (1000, "")


def errata_page(documents: Sequence[Document], found: Found) -> str:
    parts = [HEAD.format(noticed=short(NOTICED), close=short(CLOSE)), _summary(documents)]
    for document in documents:
        parts.append(_document(document, found))
    parts.append(_statements())
    return "\n".join(parts)


def _statements() -> str:
    lines = ["## Statements of the texts that computation does not confirm", ""]
    lines += ["Each command writes a page with the numbers.", "", "| statement | result | command |", "|---|---|---|"]
    lines += [f"| {said} | {result} | `redyn reproduce {item}` |" for said, result, item in STATEMENTS]
    return "\n".join(lines) + "\n"


def _summary(documents: Sequence[Document]) -> str:
    rows = ["| source | " + " | ".join(SEVERITIES) + " |", "|---|---|---|---|"]
    total: dict[Severity, int] = dict.fromkeys(SEVERITIES, 0)
    for document in documents:
        counts = kinds(document)
        for severity in SEVERITIES:
            total[severity] += counts[severity]
        rows.append(f"| {document.title} | " + " | ".join(str(counts[x]) for x in SEVERITIES) + " |")
    rows.append("| **all** | " + " | ".join(f"**{total[x]}**" for x in SEVERITIES) + " |")
    return "\n".join(rows) + "\n"


def _document(document: Document, found: Found) -> str:
    lines = [f"## {document.title}", ""]
    measured = sorted((x for x in document.errata if x.measure), key=position)
    slips = sorted((x for x in document.errata if not x.measure), key=position)
    if measured:
        lines += ["| where | printed | correct | effect | checked against |", "|---|---|---|---|---|"]
        lines += [_row(document, x, found) for x in measured]
        lines.append("")
    if slips:
        lines += ["Slips:", "", "| where | printed | correct |", "|---|---|---|"]
        lines += [f"| {x.where} | {x.printed} | {x.correct} |" for x in slips]
        lines.append("")
    if document.open:
        lines += ["Left open:", "", "| where | printed | how redyn reads it | effect |", "|---|---|---|---|"]
        lines += [
            f"| {x.where} | {x.printed} | {x.correct} | {_effects(found[key(document, x)])} |" for x in document.open
        ]
        lines.append("")
    return "\n".join(lines)


def _row(document: Document, erratum: Erratum, found: Found) -> str:
    where = f"{erratum.where}<br>**{erratum.severity}**" if erratum.severity != "slip" else f"{erratum.where}<br>slip"
    effect = _effects(found[key(document, erratum)])
    reference = erratum.reference or "a suspicion: the source does not decide it"
    return f"| {where} | {erratum.printed} | {erratum.correct} | {effect} | {reference} |"


def _effects(findings: Sequence[Finding]) -> str:
    return "<br>".join(x.effect for x in findings)


def kinds(document: Document) -> dict[Severity, int]:
    """How many errata of each kind."""
    return {severity: sum(x.severity == severity for x in document.errata) for severity in SEVERITIES}


def counted_kinds(document: Document) -> str:
    return ", ".join(
        f"{n} {severity}" if severity != "slip" else counted(n, "slip") for severity, n in kinds(document).items() if n
    )
