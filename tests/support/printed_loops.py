"""What the letters of a derivation with closed loops stand for, taken from the robot itself.

phi is read off the page, and tried at open states apart; J is its derivative by differences, so that the printed J and
all that follows from it are compared with something else than themselves. Letters that a page defines (K, Delta, A, B,
C, X, Y) have the value of their definition.
"""

import re

import numpy as np

from latex_numbers import Reader, sides, statements
from printed_page import Page, column
from redyn.symbolic.chapter.blocks import Equation

STEP = 1e-6
TREE = (
    "The spanning tree",
    "Vectors",
    "Mass matrices",
    "The generalized",
    "The matrix of",
    "Convective",
    "The equations",
)
DEFINED = r"(K_\{[\d,]+\}|\\Delta(_\{\d+\})?|A|B|C|X|Y)"


class LoopPage(Page):
    """The numbers of a robot with loops at the state of its page."""

    def __init__(self, at, chapter):
        super().__init__(at.tree)
        self.loop_at, self.closed = at, at.robot
        self.independent, self.dependent, self.driven = at.independent, at.dependent, at.driven
        self.defined, self.sigma = {}, 1.0
        self.phi_rows = self._phi_rows(chapter)
        self.G = self.closed.transmission(self.q)
        self.u, self.u_dot = self.qd[self.independent], self.qdd[self.independent]
        self.nu = self.qdd - self.G @ self.u_dot
        self.tau_tree, self.tau_closed = self.tau, self.closed.inverse_dynamics(self.q, self.qd, self.qdd)
        self.J = self._differences()
        self.multipliers = np.linalg.lstsq(self.J.T, self.tau_tree - self.tau_closed, rcond=None)[0]

    def _phi_rows(self, chapter):
        found = {}
        for block in chapter.blocks:
            if isinstance(block, Equation):
                for statement in statements(block.rows):
                    if match := re.match(r"\\phi_\{(\d+)\} = ", statement):
                        found[int(match[1])] = sides(statement)[1]
        return [found[k] for k in sorted(found)]

    def phi(self, q):
        """The printed phi at any q."""
        kept = self.q, dict(self.scalars)
        self.q = np.asarray(q, dtype=float)
        self.scalars = self._scalars()
        values = np.array([Reader(self.look, self.children).value(row) for row in self.phi_rows])
        self.q, self.scalars = kept
        return values

    def _differences(self):
        steps = STEP * np.eye(len(self.q))
        return np.array([(self.phi(self.q + s) - self.phi(self.q - s)) / (2 * STEP) for s in steps]).T

    def look(self, name, subscript, reader):
        if (name, subscript) in self.defined:
            return self.defined[name, subscript]
        found = self._of_loops(name, subscript, reader)
        return super().look(name, subscript, reader) if found is None else found

    @property
    def in_tree(self):
        return self.heading.startswith(TREE)

    def _of_loops(self, name, subscript, reader):
        if self.in_tree:
            return None
        u, p, a = self.independent, self.dependent, self.driven
        held = self.closed.gravity_torque(self.q, loops=False)
        h = self.robot.coriolis_vector(self.q, self.qd)
        whole = {
            ("b J", ""): lambda: self.J,
            ("b J", "u"): lambda: self.J[:, u],
            ("b J", "p"): lambda: self.J[:, p],
            ("g phi", ""): lambda: column(self.phi(self.q)),
            ("dot g phi", ""): lambda: column(self.J @ self.qd),
            ("ddot g phi", ""): lambda: column(np.zeros(len(self.J))),
            ("dot b J", ""): lambda: self._J_dot(),
            ("g Gamma", ""): lambda: column(self.J @ self.qdd),
            ("b G", ""): lambda: self.G,
            ("b G", "a"): lambda: self.G[a],
            ("dot b G", ""): lambda: self._G_dot(),
            ("b u", ""): lambda: column(self.u),
            ("dot b u", ""): lambda: column(self.u_dot),
            ("g nu", ""): lambda: column(self.nu),
            ("g nu", "p"): lambda: column(self.nu[p]),
            ("dot g theta", "p"): lambda: column(self.qd[p]),
            ("g lambda", ""): lambda: column(self.multipliers),
            ("g tau", ""): lambda: column(self.tau_closed),
            ("g tau", "a"): lambda: column(self.tau_closed[a]),
            ("g tau", "p"): lambda: column(self.tau_closed[p]),
            ("g tau^t", ""): lambda: column(self.tau_tree),
            ("g tau^t", "a"): lambda: column(self.tau_tree[a]),
            ("g tau^t", "p"): lambda: column(self.tau_tree[p]),
            ("g varphi", ""): lambda: column(self.tau_closed - h - held - self._passive()),
            ("bar b I", ""): lambda: self.closed.mass_matrix(self.q, reduced=True),
            ("bar b h", ""): lambda: column(self.G.T @ (self.robot.mass_matrix(self.q) @ self.nu + h)),
            ("bar g gamma", ""): lambda: column(self.G.T @ held),
            ("bar g kappa", ""): lambda: column(self.G.T @ self.robot.spring_torque(self.q)),
            ("bar b f", ""): lambda: column(self.G.T @ self.robot.friction_torque(self.qd)),
            ("bar h", ""): lambda: float((self.G.T @ (self.robot.mass_matrix(self.q) @ self.nu + h))[0]),
            ("bar I'", ""): lambda: self._slope(),
            ("bar f", ""): lambda: float((self.G.T @ self.robot.friction_torque(self.qd))[0]),
            ("bar kappa", ""): lambda: float((self.G.T @ self.robot.spring_torque(self.q))[0]),
            ("b 0", ""): lambda: np.zeros((1, 1)),
            ("b O", ""): lambda: np.zeros((1, 1)),
            ("b Y", ""): lambda: np.linalg.solve(self.robot.udu(self.q)[0], self.J.T),
            ("sigma", ""): lambda: self.sigma,
        }
        if (name, subscript) in whole:
            return whole[name, subscript]()
        if name in ("bar I", "bar gamma"):
            return self._barred(name, [u.index(k - 1) for k in reader.indices(subscript)] if subscript else [])
        if name in ("G", "G'", "J") and subscript:
            i, j = (k - 1 for k in reader.indices(subscript))
            if name == "J":
                return float(self.J[i, j])
            return float(self.G[i, u.index(j)]) if name == "G" else float(self.nu[i] / self.u[0] ** 2)
        if name in ("phi", "Gamma", "nu", "lambda", "tau^t") and subscript:
            (i,) = reader.indices(subscript) if "," in subscript else [reader.index(subscript)]
            values = {"Gamma": self.J @ self.qdd, "nu": self.nu, "lambda": self.multipliers, "tau^t": self.tau_tree}
            return float((values[name] if name in values else self.phi(self.q))[i - 1])
        if name == "tau" and subscript.isdigit():
            return float(self.tau_closed[int(subscript) - 1])
        return None

    def _passive(self):
        return self.robot.spring_torque(self.q) + self.robot.friction_torque(self.qd)

    def _barred(self, name, places):
        if name == "bar I":
            return float(self.closed.mass_matrix(self.q, reduced=True)[tuple(places or (0, 0))])
        return float((self.G.T @ self.closed.gravity_torque(self.q, loops=False))[places[0] if places else 0])

    def _along(self, distance):
        """A closed position further along the rates."""
        return self.closed.assemble(
            self.q + distance * self.qd, fixed=[self.closed.joint_names[i] for i in self.independent]
        )

    def _J_dot(self):
        h = 1e-4
        kept, values = self.q, []
        for distance in (h, -h):
            self.q = kept + distance * self.qd
            values.append(self._differences())
        self.q = kept
        return (values[0] - values[1]) / (2 * h)

    def _G_dot(self):
        h = 1e-5
        return (self.closed.transmission(self._along(h)) - self.closed.transmission(self._along(-h))) / (2 * h)

    def _slope(self):
        """Of the reduced inertia by the independent joint, along closed positions."""
        h = 1e-5
        found = [self.closed.mass_matrix(self._along(d / self.u[0]), reduced=True)[0, 0] for d in (h, -h)]
        return float(found[0] - found[1]) / (2 * h)
