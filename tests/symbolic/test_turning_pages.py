"""Pages of robots with planar, spherical and free joints: what they print is the robot's."""

import re

import nbformat
import numpy as np
import pytest

import redyn
from browser import listen
from latex_numbers import Reader, sides, statements
from random_robots import on_floats
from redyn.arithmetic import Floats
from redyn.dynamics.kinematics import poses, propagations
from redyn.symbolic.chapter import to_html, to_latex, to_notebook, worked_example
from redyn.symbolic.chapter.blocks import Equation, Heading, Table
from redyn.symbolic.chapter.setting import Context, example_state
from redyn.symbolic.chapter.sketch import sketch
from redyn.symbolic.notation import symbol_latex
from several_rates import several

PAGES = ["spherical-pendulum", "free-body", "mobile-arm"]
_made = {}


def page(name):
    """The equations, the state and the chapter."""
    if name not in _made:
        eqs = redyn.derive(on_floats(several(name)))
        _made[name] = eqs, Context(eqs, *example_state(eqs, None, None, None)), worked_example(eqs)
    return _made[name]


class Letters:
    """What the letters of these pages stand for."""

    def __init__(self, eqs, at):
        self.robot, self.at, self.eqs = eqs.robot, at, eqs
        placed = poses(at.model, Floats(), propagations(at.model, Floats(), at.q.tolist()))
        self.placed = [np.vstack([np.column_stack([_rows(p.R), p.o.components()]), [0, 0, 0, 1]]) for p in placed]
        self.scalars = {}
        known = dict(eqs.values)
        for symbols, numbers in ((eqs.q, at.q), (eqs.qd, at.qd), (eqs.qdd, at.qdd)):
            known |= dict(zip(symbols, numbers, strict=True))
        for s, value in known.items():
            Reader(lambda *key, x=value: self.scalars.setdefault(key[:2], float(x)), list).value(symbol_latex(s.name))

    def look(self, name, subscript, reader):
        robot, q, qd, qdd = self.robot, self.at.q, self.at.qd, self.at.qdd
        if (name, subscript) in self.scalars:
            return self.scalars[name, subscript]
        if name in ("c", "s") and subscript.isdigit():
            angle = self.scalars["theta", subscript]
            return float(np.cos(angle) if name == "c" else np.sin(angle))
        J = robot.jacobian(q)
        if name == "b T":
            if subscript == "0E":
                return robot.forward_kinematics(q)
            j, i = reader.indices(subscript)
            return np.linalg.inv(self.placed[j]) @ self.placed[i]
        known = {
            "b J": lambda: {"": J, "v": J[3:], r"\omega": J[:3]}[subscript],
            "b v": lambda: (J @ qd)[3:].reshape(3, 1),
            "V": lambda: float(np.linalg.norm((J @ qd)[3:])),
            "i": lambda: robot.mass_matrix(q)[tuple(k - 1 for k in reader.indices(subscript))],
            "h": lambda: robot.coriolis_vector(q, qd)[int(subscript) - 1],
            "gamma": lambda: robot.gravity_torque(q)[int(subscript) - 1],
            "tau": lambda: robot.inverse_dynamics(q, qd, qdd)[int(subscript) - 1],
            "K": lambda: float(robot.kinetic_energy(q, qd)),
            "U": lambda: float(robot.potential_energy(q)),
        }
        return known[name]()


def _rows(R):
    return np.array([row.components() for row in (R.x, R.y, R.z)], dtype=float)


LEFTS = (
    r"(\\left\()?\\b\{[TJv]\}_\{[0-9Ev\\a-z]+\}(\\right\)_\{\w+\})?|V_\{E\}\^\{2\}|i_\{\d\d\}|[KU]|h_\{\d\}"
    r"|\\(gamma|tau)_\{\d\}"
)


@pytest.mark.parametrize("name", PAGES)
def test_printed_formulas_are_those_of_the_robot(name):
    eqs, at, chapter = page(name)
    letters, tried, heading = Letters(eqs, at), {}, ""
    for block in chapter.blocks:
        heading = block.text if isinstance(block, Heading) else heading
        for statement in statements(block.rows) if isinstance(block, Equation) else ():
            parts = [part.strip() for part in sides(statement)]
            # What names a vector of the recursions is not read here.
            parts = [part for part in parts if not re.search(r"\\b\{[pBMNIPn]\}|_i|\\g\{|\\partial", part)]
            if len(parts) < 2 or not re.fullmatch(LEFTS, parts[0]) or "N / D" in statement:
                continue
            values = [Reader(letters.look, list).value(part) for part in parts if "(\\," not in part]
            for value in values[1:]:
                scale = max(1.0, float(np.abs(values[0]).max()))
                tolerance = 1e-4 if re.search(r"\d\.\d", statement) else 1e-10
                assert np.abs(np.subtract(values[0], value)).max() < tolerance * scale, (heading, statement)
                left = re.sub(r"\d", "", parts[0])
                tried[left] = tried.get(left, 0) + 1
    assert tried[r"\tau_{}"] >= 3 * eqs.dof - eqs.dof % 2  # the equations of motion, by Lagrange, by Newton-Euler
    assert {"K", "U", r"\b{J}_{v}", r"\b{J}_{\omega}", "V_{E}^{}"} <= tried.keys()


@pytest.mark.parametrize("name", PAGES)
def test_pages_papers_and_notebooks(name):
    eqs, _, chapter = page(name)
    html = to_html(chapter)
    assert "merror" not in html
    assert f"{eqs.dof} degrees of freedom" in html
    assert r"\begin{tikzpicture}" in to_latex(chapter)
    cells = [c.source for c in nbformat.reads(to_notebook(chapter), 4).cells if c.cell_type == "code"]
    assert any("eqs.jacobian()" in c for c in cells)
    space = {}
    for cell in cells:
        *lines, last = cell.split("\n")
        exec("\n".join(lines), space)
        if last.startswith("np.allclose"):
            assert eval(last, space), last
        else:
            exec(last, space)
    verdicts = [row for block in chapter.blocks if isinstance(block, Table) for row in block.rows if "DeNOC" in row[0]]
    assert len(verdicts) == 2
    assert all("equal" in row[1] for row in verdicts)


def test_long_ones_are_given_in_numbers():
    eqs = redyn.derive(several("one-of-each"))
    chapter = worked_example(eqs)
    at = Context(eqs, *example_state(eqs, None, None, None))
    assert not at.short
    tau = at.eqs.robot.inverse_dynamics(at.q, at.qd, at.qdd)
    assert np.allclose(at.torque, tau, rtol=1e-10)
    assert f"{tau[0]:.5g}" in to_html(chapter)


def test_angles_lengths_and_the_force_are_drawn():
    eqs = redyn.derive("three-link")
    drawing = sketch(Context(eqs, *example_state(eqs, None, None, None)))
    labels = {m.label for m in drawing.marks if m.kind == "label"}
    wanted = (
        {rf"\theta_{{{i}}}" for i in (1, 2, 3)}
        | {f"a_{{{i}}}" for i in (1, 2, 3)}
        | {f"X_{{{i}}}" for i in (1, 2, 3, 4)}
    )
    assert wanted | {r"\mathbf{f}_{e}", r"\mathbf{g}"} <= labels
    arcs = [np.array(s.points) for s in drawing.strokes if s.kind == "arc"]
    turned = []
    for arc, origin in zip(arcs, [(0, 0), *(m.at for m in drawing.marks if m.kind == "revolute")][1:], strict=True):
        a, b = (np.array(arc[k]) - origin for k in (0, -1))
        turned.append(np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b))
    assert np.allclose(turned, [np.pi / 6, np.pi / 4, -np.pi / 3])


def test_states_are_checked():
    eqs = redyn.derive(several("spherical-pendulum"))
    with pytest.raises(redyn.RedynError, match="q: expected a quaternion x y z w of norm 1, got 1, 1, 0, 0"):
        worked_example(eqs, np.array([1.0, 1.0, 0.0, 0.0]))


@pytest.mark.parametrize("width", [1100, 400])
def test_page_in_a_browser(browser, tmp_path, width):
    path = tmp_path / "page.html"
    path.write_text(to_html(page("spherical-pendulum")[2]), "utf-8")
    tab = browser.new_page(viewport={"width": width, "height": 900})
    complaints = listen(tab, path.as_uri())
    tab.goto(path.as_uri())
    assert complaints == []
    assert not tab.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    tab.close()
