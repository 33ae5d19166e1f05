"""Every formula that a derivation prints, evaluated as it stands on the page, against the robot's own numbers."""

import re
from functools import cache, cached_property

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from known_robots import first_joints
from latex_numbers import Reader, sides, statements
from printed_page import Page
from random_robots import close, on_floats, random_tree
from redyn.symbolic.chapter.blocks import Chapter, Columns, Equation, Fold, Heading, Note, Table, Text
from redyn.symbolic.chapter.convective import mci, motion, vci
from redyn.symbolic.chapter.counts import counts
from redyn.symbolic.chapter.inertia import gim, masses
from redyn.symbolic.chapter.setting import Context, example_state
from redyn.symbolic.chapter.story import SECTIONS
from redyn.symbolic.notation import symbol_latex

EXACT, PRINTED = 1e-9, 1e-4  # five digits are printed
# What this reader does not know: derivatives, sums without bounds, the step in time; and a motion that is not this one.
SCHEMATIC = r"\\dot\{q\}_i\}|\\textstyle|_\{t\+1\}|\\ldots|^L = |^\\ddot\{\\g\{theta\}\} = \\b\{0\}$"
OTHERWISE = {
    r"\partial U / \partial \b{q}": r"(\g{gamma} + \g{kappa})",
    r"\b{f}(\dot{\g{theta}})": r"\b{f}",
    r"\b{f}(\dot{\b{q}})": r"\b{f}",
    r"\g{kappa}(\g{theta})": r"\g{kappa}",
}


def page_of(robot, sections=SECTIONS, **options):
    """A page without its operation counts, which take longest and hold no formula of the robot."""
    eqs = redyn.derive(robot, **options)
    at = Context(eqs, *example_state(eqs, None, None, None))
    chapter = Chapter("", "")
    for section in sections:
        if section is not counts:
            section(chapter, at)
    return at, chapter


def blocks_of(blocks):
    for block in blocks:
        yield block
        if isinstance(block, Columns):
            for _, inner in block.columns:
                yield from blocks_of(inner)


class Checked:
    """Reads a page from top to bottom; `count` is how many equalities it has tried."""

    def __init__(self, at, chapter):
        self.page, self.at, self.count, self.skipped = Page(at), at, 0, []
        for block in blocks_of(chapter.blocks):
            match block:
                case Heading(text, _):
                    self.page.heading, self.page.text = text, ""
                case Text(text):
                    self.page.text = text
                    for formula in text.split("$")[1::2]:
                        self.formula([formula])
                case Note(_, text):  # quotes what is wrong; its numbers are right
                    for formula in text.split("$")[1::2]:
                        if re.search(r"= -?\d+\.", formula):
                            self.formula([formula])
                case Equation(rows, _):
                    self.formula(rows)
                case _:
                    pass

    def formula(self, rows):
        if self.page.heading.startswith("Accelerations") and not self.at.forward_possible:
            return None  # its factors do not exist
        found = [s for s in statements(rows) if "=" in s]
        if found and re.search(r"= N / D$", found[0]):  # a long fraction with its two parts named
            above, below = (sides(s)[1] for s in found[1:])
            *lefts, _ = sides(found[0])
            return self.compare([*lefts, rf"\frac{{{above}}}{{{below}}}"], {})
        for statement in found:
            if re.search(SCHEMATIC, statement):
                self.skipped.append(statement)
                continue
            if children := re.fullmatch(r"\\xi_\{(\d+)\} = \\\{(.*)\\\}", statement):
                assert self.page.children(int(children[1])) == [int(k) for k in children[2].split(",")]
                continue
            for formula, same in OTHERWISE.items():
                statement = statement.replace(formula, same)
            for bindings in self.bindings(statement):
                self.compare(sides(statement), bindings)
        return None

    def bindings(self, statement):
        """The links that a formula in i and j is about."""
        n, view = self.page.n, self.page.view
        letters = {c for group in re.findall(r"_(\{[^{}]*\}|\w)", statement) for c in re.findall("[ij]", group)}
        if not letters:
            return [{}]
        every = range(1, n + 1)
        if "j" not in letters:
            chosen = self.at.prismatic if statement.startswith(r"\b{p}_i = \begin{bmatrix} \b{0}") else every
            chosen = self.at.revolute if r"\b{e}_i \times \b{d}_i \end" in statement else chosen
            revolute, prismatic = (rf"\tau_i = \b{{e}}_i^{{T}} \b{{{x}}}_i" in statement for x in "nf")
            chosen = self.at.revolute if revolute else self.at.prismatic if prismatic else chosen
            return [{"i": i} for i in chosen]
        pairs = [(i, j) for i in every for j in every]
        if statement.startswith("i_{ij}"):
            pairs = [(i, j) for i, j in pairs if view.carries(j, i) and (i != j or i not in self.at.geared)]
        elif statement.startswith("c_{ij}") and r"\tilde{\b{H}}_{ij}" in statement:
            pairs = [(i, j) for i, j in pairs if view.carries(j, i) and i != j]
        elif statement.startswith("c_{ij}"):
            pairs = [(i, j) for i, j in pairs if view.carries(i, j)]
        elif statement.startswith(r"\tilde{\b{H}}_{ij}"):
            pairs = [(i, j) for i, j in pairs if view.carries(j, i) and i != j]
        else:
            pairs = [(i, self.page.parent(i)) for i in every]
            if r"\b{c}_{ij}" in statement or r"\b{c}}_{ij}" in statement:
                pairs = [(i, j) for i, j in pairs if j]
        return [{"i": i, "j": j} for i, j in pairs]

    def compare(self, parts, bindings):
        values = [self.value(part.strip(), bindings, first=k == 0) for k, part in enumerate(parts)]
        printed = any(re.search(r"\d\.\d|10\^", part) for part in parts)
        tolerance = PRINTED if printed or "dot{K}" in parts[0] or r"\partial L" in parts[0] else EXACT
        scale = max(float(np.abs(v).max()) for v in values)
        for value in values[1:]:
            pair = (np.asarray(v) if np.any(v) else 0.0 for v in (values[0], value))  # a zero is of any shape
            difference = float(np.abs(np.subtract(*pair)).max())
            assert difference <= tolerance * scale + self.rounding, (self.page.heading, parts, bindings, values)
            self.count += 1

    @cached_property
    def rounding(self):
        """What is left where large terms cancel."""
        page = self.page
        sizes = (page.robot.mass_matrix(page.q), page.robot.coriolis_matrix(page.q, page.qd), page.tau, page.w)
        return 1e-12 * max(float(np.abs(x).max()) for x in sizes)

    def value(self, latex, bindings, first):
        reader = Reader(self.page.look, self.page.children, bindings)
        if first and "convective" in self.page.heading and (element := re.fullmatch(r"c_\{([^{}]*)\}", latex)):
            return self.page.convective(*reader.indices(element[1]))
        if first and (element := re.fullmatch(r"(\\frac\{d\}\{dt\} )?\\frac\{\\partial L\}\{\\partial (.*)\}", latex)):
            return self.derivative(element[2], bool(element[1]))
        if first and (element := re.fullmatch(r"\\text\{(centrifugal|Coriolis)\}_\{(\d)\}", latex)):
            return self.split(element[1], int(element[2]))
        if element := re.fullmatch(r"(-?)(\\tfrac\{1\}\{2\} \\dot\{H\}|S)_\{([^{}]*)\}", latex):
            i, j = reader.indices(element[3])
            return (-1.0 if element[1] else 1.0) * self.half(i, j, symmetric=element[2] != "S")
        return reader.value(latex)

    def derivative(self, by, in_time):
        """dL/dq, dL/dqd or d/dt of it, which is dL/dq and the forces that are not of a potential."""
        eqs, page = self.at.eqs, self.page
        (symbol,) = (s for s in (*eqs.q, *eqs.qd) if symbol_latex(s.name) == by)
        if not in_time:
            return page.slope(symbol)
        k = eqs.qd.index(symbol)
        return page.slope(eqs.q[k]) + float(page.tau[k] - page.friction[k])

    def split(self, kind, i):
        """Centrifugal terms are what is left when one joint moves at a time."""
        robot, q, qd = self.page.robot, self.page.q, self.page.qd
        alone = sum(robot.coriolis_vector(q, qd * row)[i - 1] for row in np.eye(len(qd)))
        return float(alone if kind == "centrifugal" else robot.coriolis_vector(q, qd)[i - 1] - alone)

    def half(self, i, j, symmetric):
        C = self.page.robot.coriolis_matrix(self.page.q, self.page.qd, form="christoffel")
        return float((C + C.T if symmetric else C - C.T)[i - 1, j - 1]) / 2


GEARED = {
    "name": "geared",
    "convention": "dh",
    "gravity": [0, -9.81, 0],
    "links": [
        {"joint": {"type": "revolute", "armature": 0.3, "damping": 0.2, "coulomb": 0.5}, "a": 0.4, "b": 0, "alpha": 0,
         "mass": 2, "r": [0.2, 0, 0], "inertia": {"xx": 0.01, "yy": 0.03, "zz": 0.03}},
        {"joint": {"type": "prismatic", "armature": 0.7, "coulomb": 1.5}, "theta": 0, "a": 0.1, "alpha": "pi/2",
         "mass": 1, "r": [0.05, 0.02, 0], "inertia": {"xx": 0.01, "yy": 0.02, "zz": 0.02}},
    ],
}  # fmt: skip
FORK = {  # a tree that is small enough for closed forms: one link carries two
    "name": "fork",
    "convention": "dh",
    "gravity": [0, 0, -9.81],
    "links": [
        {"name": "stem", "joint": "revolute", "a": 0.3, "b": 0.1, "alpha": "pi/2", "mass": 2, "r": [0.1, 0, 0.02],
         "inertia": {"xx": 0.01, "yy": 0.03, "zz": 0.02}},
        {"name": "left", "parent": "stem", "joint": {"type": "revolute", "damping": 0.1}, "a": 0.2, "b": 0, "alpha": 0,
         "mass": 1, "r": [0.1, 0, 0], "inertia": {"yy": 0.003, "zz": 0.003}},
        {"name": "right", "parent": "stem", "joint": "prismatic", "theta": "pi/2", "a": 0, "alpha": 0,
         "mass": 0.5, "r": [0, 0, 0.2], "inertia": {"xx": 0.002, "yy": 0.002}},
    ],
}  # fmt: skip
CRAIG = {  # Craig's d along a joint: the joint's origin is not where the parent's x axis ends
    "name": "craig",
    "convention": "modified-dh",
    "links": [
        {"joint": "revolute", "alpha": 0, "a": 0, "d": 0.3, "mass": 2, "com": [0.1, 0, -0.1]},
        {"joint": "revolute", "alpha": "pi/2", "a": 0.4, "d": 0.2, "mass": 1, "com": [0.1, 0.05, 0]},
        {"joint": "prismatic", "alpha": "pi/2", "a": 0.1, "theta": 0.0, "mass": 1, "com": [0, 0, 0.1]},
    ],
}  # fmt: skip
for link in CRAIG["links"]:
    link["inertia"] = [0.1, 0.1, 0.1]
SPRUNG = FORK | {"links": [dict(link) for link in FORK["links"]]}
SPRUNG["links"][1]["joint"] = {"type": "revolute", "damping": 0.1, "stiffness": 5, "rest": 0.3}
SPRUNG["links"][2]["joint"] = {"type": "prismatic", "stiffness": 40, "rest": -0.2}
ROBOTS = {
    name: (lambda name=name: redyn.load(name))
    for name in [
        "one-link",
        "two-link",
        "three-link",
        "gripper",
        "newton-euler-rr",
        "newton-euler-rp",
        "lagrange-two-link",
        "lagrange-pointing",
        "point-mass",
        "stanford",
        "puma",
        "kuka-kr5-printed",
    ]
}
ROBOTS |= {
    "geared": lambda: redyn.load(GEARED),
    "fork": lambda: redyn.load(FORK),
    "sprung": lambda: redyn.load(SPRUNG),
    "craig": lambda: redyn.load(CRAIG),
    "stanford-3": lambda: first_joints("stanford", 3),
    "tree": lambda: redyn.load(random_tree(5, 6)),
    "weightless": lambda: redyn.load(redyn.load("two-link").description.model_dump() | {"gravity": (0.0, 0.0, 0.0)}),
}


@cache
def page_by_name(name):
    return page_of(on_floats(ROBOTS[name]()))


@pytest.mark.slow
@pytest.mark.parametrize("name", ROBOTS)
def test_printed_formulas_are_those_of_the_robot(name):
    found = Checked(*page_by_name(name))
    assert found.count > 40
    assert len(found.skipped) <= 8


@pytest.mark.slow
@settings(max_examples=8)
@given(seed=st.integers(0, 10**6), n=st.integers(4, 6), convention=st.sampled_from(["dh", "modified-dh", "frames"]))
def test_printed_formulas_of_trees(seed, n, convention):
    """Rotors, friction, lumped parts and prismatic joints included, printed in numbers."""
    found = Checked(*page_of(on_floats(redyn.load(random_tree(seed, n, convention=convention))), numbers=True))
    assert found.count > 40


@pytest.mark.slow
@settings(max_examples=5)
@given(
    parents=st.tuples(st.integers(0, 1), st.integers(0, 2)),
    slides=st.lists(st.booleans(), min_size=3, max_size=3),
    twists=st.lists(st.sampled_from([0, 1, -1]), min_size=3, max_size=3),
)
def test_printed_formulas_of_small_trees(parents, slides, twists):
    """Closed forms: three links, each on the ground or on one before it, at right angles."""
    names = ("", "first", "second", "third")
    links = []
    for i, parent in enumerate((0, *parents)):
        link = {"name": names[i + 1], "joint": {"type": "prismatic" if slides[i] else "revolute", "damping": 0.1 * i}}
        link |= {"parent": names[parent] or "world", "a": 0.3, "alpha": twists[i] * np.pi / 2, "mass": 1.0 + i}
        link |= {"theta": 0.0} if slides[i] else {"b": 0.1}
        links.append(link | {"r": [0.1, 0.0, 0.0], "inertia": {"xx": 0.01, "yy": 0.02, "zz": 0.02}})
    found = Checked(*page_of(on_floats(redyn.load({"name": "tree", "convention": "dh", "links": links}))))
    assert found.count > 100


# --- tables ---------------------------------------------------------------------------------------------------------


def rotation(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]] if axis == "x" else [[c, -s, 0], [s, c, 0], [0, 0, 1]])


@pytest.mark.slow
@pytest.mark.parametrize("name", ROBOTS)
def test_printed_tables_place_the_joints(name):
    """The tables of geometry and mass centres, followed as their captions say, lead to the robot's own joints."""
    at, chapter = page_by_name(name)
    page = Page(at)
    geometry, inertia = [b for b in chapter.blocks if isinstance(b, Table)][:2]

    def value(cell):
        return Reader(page.look, page.children).value(cell.strip("$"))

    R, O = [np.eye(3)], [np.zeros(3)]
    far = {0: (np.zeros(3), np.eye(3))}  # of a DH row: where its link ends
    for i, row in enumerate(geometry.rows, start=1):
        cells = dict(zip(geometry.header, row, strict=True))
        turns = at.bodies[i - 1].kind == "revolute"
        if "variable" in cells:
            j = int(cells["parent"])
            before = np.eye(3)
            for axis, angle in re.findall(r"R_([xz])\(([^$]*)\)\$", cells["constant rotations"]):
                before = before @ rotation(axis, value(angle))
            O.append(O[j] + R[j] @ value(cells["offset to the joint"])[:, 0])
            own = R[j] @ before @ (rotation("z", value(cells["variable"])) if turns else np.eye(3))
            slide = 0.0 if turns else value(cells["variable"])
            R.append(own)
            if not turns:  # the axes slide along; O_i stays on the parent
                O[i] = O[i] + own[:, 2] * slide
            page_O = O[i] - own[:, 2] * slide
        else:
            j = int(cells.get("parent", i - 1))
            start, axes = far[j]
            b, theta, a, alpha = (value(cells[key]) for key in ("$b_i$", r"$\theta_i$", "$a_i$", r"$\alpha_i$"))
            own = axes @ rotation("z", theta)
            R.append(own)
            O.append(start)
            far[i] = (start + axes[:, 2] * b + own[:, 0] * a, own @ rotation("x", alpha))
            page_O = start
        close(own, page.R[i])
        close(page_O, page.O[i])
        along = page.view.e[i - 1]
        close(own[:, 2], along)  # z lies along the robot's joint,
        close(np.cross(along, page_O - page.view.O[i - 1]) if turns else 0.0, 0.0)  # and O_i on its axis
        _, mass, d, tensor = inertia.rows[i - 1]
        close(value(mass), page.view.m[i - 1])
        close(page_O + own @ value(d)[:, 0], page.view.C[i - 1])
        close(own @ value(tensor) @ own.T, page.view.I_i[i - 1])


# --- the sentences around them --------------------------------------------------------------------------------------


def words(chapter):
    return " ".join(b.text for b in blocks_of(chapter.blocks) if isinstance(b, Text | Note))


def tags(chapter):
    return [b.number for b in blocks_of(chapter.blocks) if isinstance(b, Equation) and b.number]


@pytest.mark.slow
def test_tags_of_the_books_examples():
    """(9.27), (9.29)-(9.31) are of two slender rods, (9.23f) of one, (9.42b, c, d) of three; other arms have none."""
    two = {"(9.27a)", "(9.27d)", "(9.28b)", "(9.29)", "(9.30a)", "(9.30b)", "(9.30c)", "(9.30d)", "(9.31a)", "(9.31b)"}
    one = {"(9.23f)", "(9.24a)", "(9.24c)"}
    three = {"(9.42b)", "(9.42c)", "(9.42d)"}
    special = one | two | three
    for robot, options, wanted in (
        ("two-link", {}, two),
        ("two-link", {"rods": False}, set()),
        ("one-link", {}, one),
        ("three-link", {"rods": True}, three),
        ("three-link", {}, set()),  # Table 9.2 rounds an inertia: these are no rods
        ("newton-euler-rr", {}, set()),
        ("newton-euler-rp", {}, set()),
        ("point-mass", {}, set()),
    ):
        _, chapter = page_of(redyn.load(robot), (masses, gim, mci, vci, motion), **options)
        assert set(tags(chapter)) & special == wanted, robot
        assert "(9.42a)" in tags(chapter)
        assert "(9.10a)" not in tags(chapter)


def test_without_gravity_no_weight_is_mentioned():
    _, chapter = page_by_name("weightless")
    assert "(9.10a)" in tags(chapter)
    assert "(9.42a)" not in tags(chapter)
    assert "gamma" not in str(chapter.blocks)
    assert "eight" not in words(chapter)  # weight, weights


def test_springs_are_in_every_form():
    at, chapter = page_by_name("sprung")
    rows = [row for b in blocks_of(chapter.blocks) if isinstance(b, Equation) for row in b.rows]
    k, rest = "k_{2}", r"\mathit{rest}_{2}"
    assert rf"\kappa_{{2}} = {k} \left(\theta_{{2}} - {rest}\right)" in rows
    assert any(r"\g{kappa}(\g{theta})" in row and row.endswith(r"= \g{tau}") for row in rows)
    assert any(row.startswith("U = ") and k in row and rest in row for row in rows)  # Lagrange
    assert any(row.startswith(r"\tau_{2} = (\,\b{n}_{2})_z + \kappa_{2}") for row in rows)  # Newton-Euler
    assert r"\b{G} = \g{gamma} + \g{kappa}" in words(chapter)  # the state space
    assert r"- \g{gamma} - \g{kappa} - \b{f}$ given" in words(chapter)
    assert at.eqs.check().ok


def test_friction_and_rotors_are_in_every_form():
    at, chapter = page_by_name("geared")
    rows = [row for b in blocks_of(chapter.blocks) if isinstance(b, Equation) for row in b.rows]

    def row(start):
        return next(r for r in rows if r.startswith(start))

    assert r"\tau_i - f_i" in row(r"\frac{d}{dt}")  # Lagrange
    assert r"+ f_{1} = " in row(r"\tau_{1} = (\,\b{n}_{1})_z")  # Newton-Euler
    assert r"\mathit{armature}_{1} \ddot{\theta}_{1} + f_{1}" in row(r"\tau_{1} = \b{p}_{1}^{T}")  # the recursion
    assert row(r"\b{I} \ddot").endswith(r"+ \b{f}(\dot{\g{theta}}) = \g{tau}")
    assert r"\b{f}(\dot{\b{q}})" in words(chapter)  # the state space
    assert r"\g{tau} - \b{h} - \g{gamma} - \b{f}$ given" in words(chapter)
    tables = [b for b in chapter.blocks if isinstance(b, Table)]
    side_by_side = next(b for b in tables if "Newton-Euler" in b.header)
    tau = at.eqs.robot.inverse_dynamics(at.q, at.qd, at.qdd)
    for k, cells in enumerate(side_by_side.rows):
        assert cells[1:] == (cells[1],) * 3
        assert float(cells[1].strip("$")) == pytest.approx(tau[k], rel=1e-4)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.slow
def test_notes_change_something(name):
    """No erratum is named that amounts to nothing at the state of the example."""
    _, chapter = page_by_name(name)
    for note in (b for b in chapter.blocks if isinstance(b, Note)):
        assert not re.search(r"(\$|[^a] = )-?0\$", note.text), note  # but theta = 0 is a place
    assert "1\\pi" not in str(chapter.blocks)


def test_notes_where_they_apply():
    found = {name: words(page_by_name(name)[1]) for name in ("newton-euler-rp", "point-mass", "fork", "two-link")}
    assert "(9.41a)" not in found["newton-euler-rp"]  # the factors couple nothing there
    assert "(9.28b)" not in found["newton-euler-rp"]  # two links, but no rods
    assert "(9.23d)" not in found["point-mass"]  # one link, but no rod
    assert "(9.16d)" in found["fork"]
    assert "(9.11c)" not in found["fork"]  # printed for chains
    assert "(9.29)" in found["two-link"]
    assert "R_y" in found["two-link"]
    assert "planar serial chain of 2 moving links (RP)" in found["newton-euler-rp"]
    assert "1 moving link (" in found["point-mass"]


def test_notes_keep_what_the_file_says():
    """Signs, units and letters: r is a vector, R would be a rotation."""
    said = "r_3 = [a; b]^T is {1, 2} & costs $5 at 100% <off> #1 ~ \\x"
    description = redyn.load("two-link").description.model_dump() | {"defects": [said]}
    _, chapter = page_of(redyn.load(description))
    note = next(b for b in chapter.blocks if isinstance(b, Note) and b.title == "About the source")
    assert note.text.startswith("r_3 = [a; b]^T is {1, 2} & costs")
    from redyn.symbolic.chapter import html, latex, notebook

    assert "r_3 = [a; b]^T is {1, 2} &amp; costs $5 at 100% &lt;off&gt; #1 ~ \\x." in html.prose(note.text)
    paper = latex.prose(note.text)
    assert r"r\_3 = [a; b]\textasciicircum{}T is \{1, 2\} \& costs \$5 at 100\% <off> \#1" in paper
    cell = notebook.to_notebook(Chapter("", "", [note]))
    assert r"r\\_3 = \\[a; b\\]\\^T is \\{1, 2\\} &amp; costs \\$5 at 100% &lt;off&gt; \\#1" in cell


def test_folded_steps_end_in_the_torques():
    """A robot of more joints: the lines of the recursion, read one after the other."""
    at, chapter = page_by_name("tree")
    page = Page(at)
    fold = next(b for b in chapter.blocks if isinstance(b, Fold) and "inverse dynamics" in b.title)
    reader = Reader(page.look, page.children)
    for block in fold.blocks:
        left, right = sides(block.rows[0])
        value = reader.value(right)
        if tau := re.fullmatch(r"\\tau_\{(\d+)\}", left.strip()):
            assert value == pytest.approx(page.tau[int(tau[1]) - 1], rel=1e-4, abs=1e-4)
        else:
            name, subscript = re.fullmatch(r"(\w)_\{(\d+)\}", left.strip()).groups()
            page.scalars[name, subscript] = value
