"""Derivations of robots with closed loops: every formula as it stands on the page, against the robot's own numbers."""

import re
from functools import cache

import numpy as np
import pytest

import redyn
from latex_numbers import Reader, sides, statements
from printed_loops import DEFINED, LoopPage
from random_robots import close, on_floats
from redyn.symbolic.chapter import to_html, to_latex, to_notebook, worked_example
from redyn.symbolic.chapter.blocks import Chapter, Code, Columns, Equation, Fold, Heading, Note, Table, Text
from redyn.symbolic.chapter.html import math
from redyn.symbolic.chapter.loops.ending import agreement, counts
from redyn.symbolic.chapter.loops.setting import LoopSetting
from redyn.symbolic.chapter.loops.story import SECTIONS, loop_example
from redyn.symbolic.loops.states import example

SMALL = ["four-bar", "slider-crank", "hoeken", "five-bar", "3-rrr", "andrews"]
LARGE = ["parallelogram-arm", "excavator"]
NUMBERS = ["stewart", "delta"]
# Not read: derivatives and limits, and what a position far from here would be.
SCHEMATIC = r"\\partial|\\ldots|\\pm|N = \d|j = \d|\\sum|_A\^|_B\b|\\b\{z\}|\[0, 0, 1\]"
FUZZY = r"\\b\{[JG]\}|J_|\\(phi|Gamma|lambda|det|nu)|\\g\{(phi|lambda|nu)|dot\{\\b\{G|bar\{I\}'|G'"
EXACT, PRINTED, BY_DIFFERENCES = 1e-9, 1e-4, 2e-5


@cache
def page_of(name):
    """A page without its operation counts and its own comparisons, which take longest."""
    robot = on_floats(redyn.load(name))
    eqs = None if name in NUMBERS else redyn.derive(robot)
    at = LoopSetting(robot, example(robot, None, None, None), eqs)
    chapter = Chapter("", "")
    for section in SECTIONS:
        if section not in (counts, agreement):
            section(chapter, at)
    return at, chapter


class Checked:
    """Reads a page from top to bottom; `count` is how many equalities it has tried."""

    def __init__(self, at, chapter):
        self.page, self.at, self.count, self.skipped, self.kinds = LoopPage(at, chapter), at, 0, [], set()
        self.waiting = []  # for the letters that are defined below it
        for block, following in zip(chapter.blocks, [*chapter.blocks[1:], Text("")], strict=True):
            if isinstance(following, Text):  # which sign a formula has is said below it
                self.sign(following.text)
            match block:
                case Heading(text, 1):
                    self.page.heading, self.page.text = text, ""
                case Text(text):
                    self.page.text = text
                    if not self.page.in_tree:
                        for formula in text.split("$")[1::2]:
                            self.formula([formula])
                case Equation(rows, _) if not self.page.in_tree:
                    self.formula(rows)
                case _:
                    pass

    def sign(self, text):
        if match := re.search(r"\$\\sigma\$ is the sign of \$(.*?)\$", text):
            self.page.sigma = 1.0 if self.value(match[1]) > 0 else -1.0

    def formula(self, rows):
        found = [s for s in statements(rows) if "=" in s]
        if found and re.search(r"= N / D$", found[0]):
            above, below = (sides(s)[1] for s in found[1:])
            *lefts, _ = sides(found[0])
            self.compare([*lefts, rf"\frac{{{above}}}{{{below}}}"])
            return
        for statement in found:
            if re.search(SCHEMATIC, statement):
                self.skipped.append(statement)
            elif match := re.match(rf"{DEFINED} = ", statement):
                name, subscript = re.fullmatch(r"\\?(\w+?)(?:_\{([\d,]+)\})?", match[1]).groups()
                self.page.defined[name, subscript or ""] = self.value(sides(statement)[1])
                if name == "C":  # the last of the three
                    self.compare(sides(self.waiting.pop()))
            elif re.match(r"A .* = C$|.* \+ 2 B .* \+ C = 0$", statement):
                self.waiting.append(statement)
            else:
                self.compare(sides(statement.replace(r"\g{phi}(\g{theta})", r"\g{phi}")))

    def compare(self, parts):
        values = [self.value(part.strip()) for part in parts]
        printed = any(re.search(r"\d\.\d|10\^", part) for part in parts)
        fuzzy = re.search(FUZZY, " ".join(parts))
        tolerance = PRINTED if printed else BY_DIFFERENCES if fuzzy else EXACT
        scale = max(float(np.abs(v).max()) for v in values)
        for value in values[1:]:
            if re.fullmatch(r"\\theta_\{\d+\}", parts[0].strip()) and not self.page.in_tree:
                assert abs(np.sin((values[0] - value) / 2)) < EXACT, parts  # up to whole turns
            else:
                pair = (np.asarray(v) if np.any(v) else 0.0 for v in (values[0], value))
                difference = float(np.abs(np.subtract(*pair)).max())
                assert difference <= tolerance * scale + self.rounding(parts), (self.page.heading, parts, values)
            self.count += 1
            self.kinds.add(re.sub(r"[\d,]+", "", parts[0].strip()))

    def rounding(self, parts):
        """What is left where large terms cancel: of rows by the sizes of links, of torques by theirs."""
        page = self.page
        if re.search(r"phi|Gamma|\\b\{J\} \\dot|\\b\{J\} \\b\{G\}|\\b\{O\}|\\b\{0\}", " ".join(parts)):
            sizes = np.abs(page.J).max(), np.abs(page.J).max() * np.abs(page.qdd).max(), np.abs(page.tau_tree).max()
            return 1e-7 * float(max(sizes))
        return 1e-12 * max(float(np.abs(x).max()) for x in (page.tau_tree, page.w))

    def value(self, latex):
        reader = Reader(self.page.look, self.page.children)
        if latex == r"\det \b{J}_{p}":
            return float(np.linalg.det(self.page.J[:, self.page.dependent]))
        return reader.value(latex)


@pytest.mark.parametrize("name", [*SMALL, *(pytest.param(name, marks=pytest.mark.slow) for name in LARGE)])
def test_printed_formulas_are_those_of_the_robot(name):
    at, chapter = page_of(name)
    found = Checked(at, chapter)
    assert found.count > 40
    wanted = {r"\phi_{}", r"\Gamma_{}", r"\nu_{}", r"\b{J}", r"\g{tau}_{a}", r"\bar{\b{I}}"}
    assert wanted - {kind for kind in found.kinds if kind} <= {r"\b{J}"}  # a wide J is printed element by element
    if name in SMALL:
        assert any(kind.startswith(r"\bar{\gamma}") for kind in found.kinds) or not at.robot.gravity.any()
        assert any(kind.startswith(r"\bar{I}") for kind in found.kinds)
    if len(at.independent) == 1 and name in SMALL:
        assert r"\tfrac{}{} \bar{I}'" in found.kinds


@pytest.mark.parametrize("name", [*SMALL, *LARGE])
def test_printed_closure_holds_for_open_positions_too(name):
    """phi is the distance from A to B in other axes than the robot's: as long, at any q."""
    at, chapter = page_of(name)
    page = LoopPage(at, chapter)
    rng = np.random.default_rng(2)
    owner = [row.loop for row in at.loops.closure.rows]
    for _ in range(3):
        q = page.q + rng.normal(size=len(page.q))
        printed, own, first = page.phi(q), at.robot.loop_error(q), 0
        for k, loop in enumerate(at.robot.model.loops):
            linear = [first + i for i, row in enumerate(loop.rows) if row >= 3]
            mine = printed[[i for i, other in enumerate(owner) if other == k]]
            close(np.linalg.norm(mine), np.linalg.norm(own[linear]))
            first += len(loop.rows)


@pytest.mark.parametrize("name", [*SMALL, *LARGE, "bricard", *NUMBERS])
def test_pages_hold_together(name):
    _, chapter = page_of(name)
    titles = [b.text for b in chapter.blocks if isinstance(b, Heading) and b.level == 1]
    for wanted in (
        "The mechanism and its cuts",
        "Conditions of the cut joints, and mobility",
        "The equations of motion of the tree",
        "Closure: the conditions on the joint variables",
        "Rates and accelerations that keep the loops closed",
        "Equations of motion with the cut joints as wrenches",
        "Transmission: all rates from the independent ones",
        "The reduced equation of motion",
        "Inverse dynamics: what the actuators supply",
        "The passive joints of the closed mechanism",
        "References",
    ):
        assert wanted in titles
    page = to_html(chapter)
    assert page.count("<math") == page.count("</math>") > 50
    assert not re.search(r"\\(mathbf|boldsymbol|frac|b\{|g\{)|merror|<script", page)
    assert not re.search(r"\bnan\b|\binf\b|zoo|\ue000", page)
    paper = to_latex(chapter)
    assert paper.count(r"\begin{equation*}") == paper.count(r"\end{equation*}")
    assert len(to_notebook(chapter)) > 5000
    words = " ".join(b.text for b in chapter.blocks if isinstance(b, Text | Note))
    assert "Saha and W. O. Schiehlen" in words
    assert "Chaudhary" in words
    for formula in (f for b in chapter.blocks if isinstance(b, Text | Note) for f in b.text.split("$")[1::2]):
        assert formula.count("{") == formula.count("}")


def words_of(name):
    _, chapter = page_of(name)
    return " ".join(b.text for b in chapter.blocks if isinstance(b, Text | Note))


def tables_of(name):
    _, chapter = page_of(name)
    return {b.caption: b for b in chapter.blocks if isinstance(b, Table)}


@pytest.mark.parametrize(
    ("name", "counted"),
    [("four-bar", (-2, 1, 1)), ("andrews", (-8, 1, 1)), ("3-rrr", (-3, 3, 3)), ("bricard", (0, 1)), ("stewart", (6, 6)),
     ("delta", (3, 3)), ("parallelogram-arm", (1, 4)), ("excavator", (-8, 4))],
)  # fmt: skip
def test_counts_of_mobility(name, counted):
    """Kutzbach in space, Gruebler in the plane where there is one, and what is true."""
    rows = tables_of(name)["Mobility."].rows
    assert tuple(int(row[-1].strip("$")) for row in rows) == counted
    for _, sum_, value in rows:
        assert Reader(None, None).value(sum_.strip("$")) == int(value.strip("$"))


def test_redundant_rows_are_explained():
    verdicts = tables_of("four-bar")["5 rows, of which 2 are needed."].rows
    assert [row[0] for row in verdicts if row[2] == "holds always"] == ["wx", "wy", "vz"]
    assert "parallel to $z$ of $A$" in words_of("four-bar")
    assert "cut.wx, cut.wy, cut.vz" in words_of("four-bar")
    assert "which of them depend" in words_of("bricard").lower()
    assert "15 rows, of which all are needed." in tables_of("stewart")


def test_what_closed_forms_there_are_is_said():
    assert "law of cosines" in words_of("four-bar")
    assert "Freudenstein" in words_of("four-bar")
    assert "Freudenstein" not in words_of("slider-crank")
    assert "two points where they meet" in words_of("five-bar")  # of two circles
    for name in ("3-rrr", "bricard", "stewart"):
        assert "Newton's method" in words_of(name)
        assert "No closed form of the passive joint variables was found" in words_of(name)


def test_numbers_of_the_tables():
    """Torques, transmission and state of a page are the robot's."""
    at, _ = page_of("excavator")
    robot, tables = at.robot, tables_of("excavator")
    torques = next(t for caption, t in tables.items() if caption.startswith("Torques"))
    tree, closed = robot.inverse_dynamics(*at.state, loops=False), robot.inverse_dynamics(*at.state)
    for i, (_, mine, own) in enumerate(torques.rows):
        value = Reader(None, None).value(mine.strip("$"))
        assert value == pytest.approx(tree[i], rel=1e-4)
        assert (
            own == "passive"
            if closed[i] == 0.0
            else Reader(None, None).value(own.strip("$")) == pytest.approx(closed[i], rel=1e-4)
        )
    G = next(t for caption, t in tables.items() if "at the state of the example" in caption and "nu" in caption)
    for row, wanted in zip(G.rows, robot.transmission(at.state.q), strict=True):
        found = [Reader(None, None).value(cell.strip("$")) for cell in row[1:-1]]
        assert found == pytest.approx(wanted, rel=1e-4, abs=1e-9)


def test_a_given_state_is_completed_and_an_open_one_refused():
    eqs = redyn.derive("four-bar")
    chapter = worked_example(eqs, np.array([0.7]), np.array([2.0]), np.array([-1.0]))
    setup = next(b.source for b in chapter.blocks if isinstance(b, Code))
    space = {}
    exec(setup, space)
    assert space["q"][0] == pytest.approx(0.7)
    assert space["qd"][0] == pytest.approx(2.0)
    assert space["qdd"][0] == pytest.approx(-1.0)
    assert abs(eqs.robot.loop_error(space["q"])).max() < 1e-12
    eqs.robot.inverse_dynamics(space["q"], space["qd"], space["qdd"])  # refuses what does not keep loops closed
    with pytest.raises(redyn.InputError, match=r"loop 'cut' is open by 21\.8 mm"):
        worked_example(eqs, np.array([0.0, 2.5, 2.3]))
    with pytest.raises(redyn.InputError, match="do not keep the loops closed"):
        worked_example(eqs, None, np.array([1.0, 2.0, 3.0]))


@pytest.mark.parametrize("name", ["four-bar", *(pytest.param(x, marks=pytest.mark.slow) for x in ("bricard", "delta"))])
def test_notebooks_run(name):
    robot = redyn.load(name)
    eqs = None if name in NUMBERS else redyn.derive(robot)
    chapter = loop_example(robot, eqs)
    space = {}
    for block in chapter.blocks:
        if isinstance(block, Code):
            *lines, last = block.source.splitlines()
            exec("\n".join(lines), space)
            try:
                found = eval(last, space)
            except SyntaxError:
                exec(last, space)
                found = None
            assert found is not False, block.source


def test_what_is_wrong_is_found():
    """The reader of this file notices a wrong sign."""
    at, chapter = page_of("four-bar")
    blocks = list(chapter.blocks)
    place = next(i for i, b in enumerate(blocks) if isinstance(b, Equation) and b.rows[0].startswith(r"G_{31} = -"))
    blocks[place] = Equation((blocks[place].rows[0].replace(r"G_{31} = -", "G_{31} = ", 1),))
    with pytest.raises(AssertionError):
        Checked(at, Chapter("", "", blocks))
    assert not any(isinstance(b, Columns | Fold) for b in blocks)  # it reads none


@pytest.mark.parametrize("name", [*SMALL, *LARGE, "bricard", *NUMBERS])
def test_examples_are_away_from_singular_positions(name):
    at, _ = page_of(name)
    assert np.abs(at.state.qd).max() < 10.0


def test_a_sign_is_set_close_to_its_number():
    for formula in ("a = -b", r"(-2)", r"\left[ 1, \; -2 \right]"):
        assert math(formula).count('<mo form="prefix">&#x02212;</mo>') == 1
    assert 'form="prefix">&#x02212;' not in math("a - b")


@pytest.mark.parametrize("name", ["four-bar", "stewart"])
def test_page_in_a_browser(browser, tmp_path, name):
    path = tmp_path / "page.html"
    path.write_text(to_html(page_of(name)[1]), "utf-8")
    page = browser.new_page(viewport={"width": 1000, "height": 900})
    page.goto(path.as_uri())
    cut = page.evaluate(
        "[...document.querySelectorAll('.lines')].filter(e => e.scrollWidth > e.clientWidth + 1).length"
    )
    assert cut == 0
    assert not page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
