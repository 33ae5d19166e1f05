"""Errata: each printed formula errs, each corrected one does not, and the page says by how much."""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import redyn
from redyn.reproduce.errata.erratum import compared, number
from redyn.reproduce.errata.page import STATEMENTS, errata_page, key, position
from redyn.reproduce.errata.summary import DOCUMENTS, evaluated
from redyn.reproduce.registry import ITEMS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "errata.md"
ALL = [(document, erratum) for document in DOCUMENTS for erratum in (*document.errata, *document.open)]
NUMBER = r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?"


@pytest.fixture(scope="module")
def found():
    return evaluated(cache(redyn.load))


@pytest.mark.parametrize(("document", "erratum"), ALL, ids=[f"{d.title}: {e.where}" for d, e in ALL])
def test_the_printed_errs_and_the_corrected_does_not(found, document, erratum):
    findings = found[key(document, erratum)]
    assert findings or erratum.severity == "slip"
    for finding in findings:
        assert finding.wrong, finding
        assert finding.right, finding


def test_the_page_is_what_they_give(found):
    """Word for word; numbers to their two digits, and to one in the last."""
    fresh, kept = errata_page(DOCUMENTS, found), PAGE.read_text("utf-8")
    assert re.sub(NUMBER, "#", fresh) == re.sub(NUMBER, "#", kept)
    values, written = ([float(x) for x in re.findall(NUMBER, text)] for text in (fresh, kept))
    np.testing.assert_allclose(values, written, rtol=0.06)


def test_places_are_unique():
    keys = [key(document, erratum) for document, erratum in ALL]
    assert len(set(keys)) == len(keys)


def test_commands_on_the_page_exist():
    names = re.findall(r"`redyn reproduce ([^`]+)`", PAGE.read_text("utf-8"))
    assert len(names) > 15
    assert {name for text in names for name in text.split()} <= set(ITEMS)
    assert {item for *_, item in STATEMENTS} <= set(ITEMS)


def test_formulas_can_be_typeset():
    """Every formula on the page is LaTeX that a converter understands, and no cell of a table is cut by a bar."""
    from latex2mathml.converter import convert

    text = PAGE.read_text("utf-8")
    formulas = re.findall(r"\$([^$\n]+)\$", text)
    assert len(formulas) > 100
    for formula in formulas:
        assert "<math" in convert(formula), formula
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({row.count("|") for row in block.splitlines()}) == 1, block.splitlines()[0]


def test_what_is_no_erratum_is_noticed():
    right = compared("x", [1.0, 2.0], [1.0, 2.0], [1.0, 2.0], "m")
    assert not right.wrong
    assert right.right
    both = compared("x", [1.0, 2.5], [1.0, 2.1], [1.0, 2.0], "m")
    assert both.wrong
    assert not both.right
    assert both.effect == "x: off by up to 0.5 m"
    assert number(123456.0) == "120000"


def test_errata_of_the_book_are_in_its_order():
    rows = [position(erratum) for erratum in sorted(DOCUMENTS[0].errata, key=position)]
    assert rows[0] == (4, "d")
    assert rows == sorted(rows)
    lines = PAGE.read_text("utf-8").splitlines()
    places = [line for line in lines if line.startswith(("| (9.11c)", "| (9.16k)", "| (9.41a)"))]
    assert [re.search(r"9\.\d+", line)[0] for line in places] == ["9.11", "9.16", "9.41"]
