"""What the letters of a derivation stand for, taken from the robot itself: the oracle of the printed formulas.

Everything is in world axes and at the mass centres, as the dense view has it, but where the page says that it writes
vectors in the axes of a link. Only the axes and the joint origins are the page's own, and they are checked apart.
"""

import re

import numpy as np

from latex_numbers import Reader
from redyn.arithmetic import Floats
from redyn.dynamics.kinematics import poses, propagations
from redyn.symbolic.notation import symbol_latex

CROSS = "xyz"
PAIRED = {"b c", "dot b c", "b B", "dot b B", "tilde b H", "i", "u"}  # letters with two subscripts


def column(v):
    return np.asarray(v, dtype=float).reshape(-1, 1)


class Page:
    """The numbers behind a page at its state; `heading` and `text` are what stands above a formula."""

    def __init__(self, at):
        self.at, self.robot = at, at.eqs.robot.tree  # of a robot with loops, what is left when they are cut
        self.q, self.qd, self.qdd = at.q, at.qd, at.qdd
        self.view = v = self.robot.denoc(self.q, self.qd, self.qdd)
        self.n, self.heading, self.text = v.n, "", ""
        placed = poses(at.model, Floats(), propagations(at.model, Floats(), self.q.tolist()))
        self.R = [np.array([row.components() for row in (p.R.x, p.R.y, p.R.z)], dtype=float) for p in placed]
        self.placed = [np.array([*p.o.components()], dtype=float) for p in placed]
        self.O = np.vstack([np.zeros(3), at.view.O])
        self.C = np.vstack([np.zeros(3), v.C])
        self.g = np.array(self.robot.gravity, dtype=float)
        lift = np.concatenate([np.zeros(3), -self.g])
        self.t = np.vstack([np.zeros(6), v.t.reshape(-1, 6)])
        self.t_dot = np.vstack([lift, v.t_dot.reshape(-1, 6) + lift])
        self.w = v.w - v.w_gravity
        self.tau = self.robot.inverse_dynamics(self.q, self.qd, self.qdd)
        self.friction = self.robot.friction_torque(self.qd)
        self.christoffel = self.robot.coriolis_matrix(self.q, self.qd, form="christoffel")
        self.tip = np.array([0.7, -1.1, 0.4])  # a force that the end effector exerts
        self.scalars = self._scalars()

    # --- plain symbols ------------------------------------------------------------------------------------------

    def _scalars(self):
        found = {}
        eqs = self.at.eqs
        known = dict(eqs.values)
        for symbols, numbers in ((eqs.q, self.q), (eqs.qd, self.qd), (eqs.qdd, self.qdd)):
            known |= dict(zip(symbols, numbers, strict=True))

        def keep(name, subscript, reader):
            found[name, subscript] = self._pending
            return 0.0

        for s, value in known.items():
            self._pending = float(value)
            Reader(keep, self.children).value(symbol_latex(s.name))
        return found

    def children(self, i):
        return [k for k in range(1, self.n + 1) if self.parent(k) == i]

    def parent(self, i):
        return int(self.view.parent[i - 1])

    def subtree(self, i):
        return [k for k in range(1, self.n + 1) if self.view.carries(i, k)]

    def look(self, name, subscript, reader):
        if (name, subscript) in self.scalars:
            return self.scalars[name, subscript]
        for rule in (self._abbreviation, self._whole, self._indexed):
            value = rule(name, subscript, reader)
            if value is not None:
                return value
        raise KeyError(f"{name}_{{{subscript}}}")

    def _abbreviation(self, name, subscript, reader):
        """c_{12}, s_{12} and theta_dot_{12}."""
        parts = subscript.split(",") if "," in subscript else list(subscript)
        if not subscript or not all(part.isdigit() for part in parts):
            return None
        numbers = [int(part) for part in parts]
        if 9 < int(subscript.replace(",", "")) <= self.n:  # no sum: there is such a joint
            numbers = [int(subscript)]
        if name in ("c", "s"):
            angle = sum(self.q[k - 1] for k in numbers)
            return float(np.cos(angle) if name == "c" else np.sin(angle))
        if name in ("dot theta", "ddot theta") and len(numbers) > 1:
            rates = self.qd if name == "dot theta" else self.qdd
            return float(sum(rates[k - 1] for k in numbers))
        return None

    # --- matrices of the whole robot --------------------------------------------------------------------------------

    def _whole(self, name, subscript, reader):
        v, robot, q, qd, qdd = self.view, self.robot, self.q, self.qd, self.qdd
        state_space = self.heading.startswith("State space")
        if (name, subscript) == ("b f", "e"):
            return column(self.tip)
        if name in ("b T", "b J") or (name, subscript) in (("b v", "E"), ("V", "E")):
            return self._moving(name, subscript, reader)
        if "orthogonal complement" in self.heading and name in ("b 1", "b O", "b 0"):  # blocks of the whole robot
            return {"b 1": np.eye(6), "b O": np.zeros((6, 6)), "b 0": np.zeros((6, 1))}[name]
        if (name, subscript) in (("b N", "l"), ("b N", "d")):
            return v.N_l if subscript == "l" else v.N_d
        if subscript:
            return None
        if state_space:
            known = {
                "b M": lambda: robot.mass_matrix(q),
                "b V": lambda: column(robot.coriolis_vector(q, qd) + self.friction),
                "b G": lambda: column(robot.gravity_torque(q) + robot.spring_torque(q)),
                "b B": lambda: robot.jacobian(q)[3:].T,
                "g tau": lambda: column(robot.inverse_dynamics(q, qd, qdd, external=self._on_tip())),
            }
            if name in known:
                return known[name]()
        known = {
            "b I": lambda: robot.mass_matrix(q),
            "b H": lambda: robot.mass_matrix(q),
            "b C": lambda: robot.coriolis_matrix(q, qd, form="mci" if "convective" in self.heading else "christoffel"),
            "dot b H": lambda: self.christoffel + self.christoffel.T,
            "b S": lambda: (self.christoffel - self.christoffel.T) / 2,
            "b N": lambda: v.N,
            "dot b N": lambda: v.N_dot,
            "b M": lambda: v.M,
            "b W": lambda: v.W,
            "b t": lambda: column(v.t),
            "dot b t": lambda: column(v.t_dot),
            "b w^C": lambda: column(v.w_C),
            "b w^E": lambda: column(v.w_E),
            "b 0": lambda: column(np.zeros(3)),
            "b h": lambda: column(robot.coriolis_vector(q, qd)),
            "b f": lambda: column(self.friction),
            "b U": lambda: robot.udu(q)[0],
            "b D": lambda: np.diag(robot.udu(q)[1]),
            "g gamma": lambda: column(robot.gravity_torque(q)),
            "g kappa": lambda: column(robot.spring_torque(q)),
            "g tau": lambda: column(self.tau),
            "g theta": lambda: column(q),
            "dot g theta": lambda: column(qd),
            "ddot g theta": lambda: column(qdd),
            "dot b q": lambda: column(qd),
            "ddot b q": lambda: column(qdd),
            "g varphi": lambda: column(v.GIM @ qdd),
            "K": lambda: float(robot.kinetic_energy(q, qd)),
            "U": lambda: float(robot.potential_energy(q)),
            "dot K": self._power,
            "b 1": lambda: np.eye(3),
            "b O": lambda: np.zeros((3, 3)),
            "b g": lambda: column(self.g),
            "pi": lambda: np.pi,
        }
        return known[name]() if name in known else None

    def _moving(self, name, subscript, reader):
        """Poses, the Jacobian of the end effector, and its velocity."""
        if name == "b T":
            if subscript == "0E":
                return self.robot.forward_kinematics(self.q)
            j, i = reader.indices(subscript)
            return np.linalg.inv(self._pose(j)) @ self._pose(i)
        J = self.robot.jacobian(self.q)
        if name == "b J":
            return {"": J, "v": J[3:], r"\omega": J[:3]}[subscript]
        v = (J @ self.qd)[3:]
        return column(v) if name == "b v" else float(np.linalg.norm(v))

    def _pose(self, i):
        if i and self.at.eqs.symbolic.tabled:
            return self.robot.forward_kinematics(self.q, i)
        found = np.eye(4)
        found[:3, :3], found[:3, 3] = self.R[i], self.placed[i]
        return found

    def slope(self, symbol):
        """dL/d(symbol), by differences of the energies."""
        eqs, h = self.at.eqs, 1e-6
        total = 0.0
        for sign in (1.0, -1.0):
            q, qd = (
                [x + sign * h * (s == symbol) for s, x in zip(symbols, values, strict=True)]
                for symbols, values in ((eqs.q, self.q), (eqs.qd, self.qd))
            )
            total += sign * (self.robot.kinetic_energy(q, qd) - self.robot.potential_energy(q))
        return float(total) / (2 * h)

    def _on_tip(self):
        return {} if self.robot.model.end_effector is None else {self.robot.model.end_effector: [0, 0, 0, *-self.tip]}

    def _power(self):
        """The rate of the kinetic energy along the motion, by differences."""
        h = 1e-5
        energy = [
            self.robot.kinetic_energy(self.q + s * h * self.qd + h * h * self.qdd / 2, self.qd + s * h * self.qdd)
            for s in (1, -1)
        ]
        return float(energy[0] - energy[1]) / (2 * h)

    # --- of one link, or of two -------------------------------------------------------------------------------------

    def _indexed(self, name, subscript, reader):
        if name == "b a":
            (i,) = reader.indices(re.fullmatch(r"C_\{?(\w+)\}?", subscript)[1])
            return self._turned(i, self.t_dot[i, 3:] + self.g)
        if name == "tilde I":
            i, pair = subscript.split(",")
            return float(
                self._tensor(int(i), self.view.I_tilde[int(i) - 1])[CROSS.index(pair[0]), CROSS.index(pair[1])]
            )
        if name in PAIRED or "," in subscript:
            return self._of_two(name, *reader.indices(subscript))
        i = reader.index(subscript)
        if not 1 <= i <= self.n:
            return self._beyond(name, i)
        return self._of_one(name, i)

    def _beyond(self, name, i):
        """The ground, and what would follow the last link."""
        if i == 0 and name in ("b t", "dot b t"):
            return column(self.t[0] if name == "b t" else self.t_dot[0])
        sizes = {"b f": 3, "b n": 3, "tilde m": 1}
        if name in ("tilde b M", "hat b M"):
            return np.zeros((6, 6))
        return column(np.zeros(sizes.get(name, 6)))

    def _turned(self, i, vector):
        """In the axes of link i where the page says so."""
        return column(self.R[i].T @ vector if "own axes" in self.heading else vector)

    def _tensor(self, i, tensor):
        return self.R[i].T @ tensor @ self.R[i] if "axes of link $i$" in self.text else tensor

    def _force(self, i):
        return sum(self.view.m[k - 1] * self.t_dot[k, 3:] for k in self.subtree(i))

    def _moment(self, i):
        total = np.zeros(3)
        for k in self.subtree(i):
            total = total + self._euler(k) + np.cross(self.C[k] - self.O[i], self.view.m[k - 1] * self.t_dot[k, 3:])
        return total

    def _euler(self, k):
        w, I = self.t[k, :3], self.view.I_i[k - 1]
        return I @ self.t_dot[k, :3] + np.cross(w, I @ w)

    def _eta(self, i, own=True):
        """What the articulated bodies from link i on hand inward."""
        v = self.view
        phi_hat = np.linalg.solve(v.U, v.GIM @ self.qdd)
        links = [k for k in self.subtree(i) if own or k != i]
        return sum((v.B(k, i).T @ v.psi[k - 1] * phi_hat[k - 1] for k in links), np.zeros(6))

    def _mu(self, i):
        return (self.view.N @ self.qdd).reshape(-1, 6)[i - 1]

    def _of_one(self, name, i):
        v, k = self.view, i - 1
        part = slice(6 * k, 6 * i)
        phi = v.GIM @ self.qdd
        known = {
            "b e": lambda: column(v.e[k]),
            "b d": lambda: column(self.C[i] - self.O[i]),
            "b r": lambda: column(self._onward(i)),
            "b p": lambda: column(v.p[k]),
            "b t": lambda: column(self.t[i]),
            "dot b t": lambda: column(self.t_dot[i]),
            "b w": lambda: column(self.w[part]),
            "tilde b w": lambda: column((v.N_l.T @ self.w)[part]),
            "tilde b w^g": lambda: column((v.N_l.T @ v.w_gravity)[part]),
            "b w'": lambda: column(v.w_prime[part]),
            "tilde b w'": lambda: column(v.w_tilde_prime[part]),
            "b t'": lambda: column(v.t_prime[part]),
            "b M": lambda: v.M_i[k],
            "b M'": lambda: v.M_prime_i[k],
            "tilde b M": lambda: v.M_tilde_i[k],
            "tilde b M'": lambda: v.M_tilde_prime_i[k],
            "b W": lambda: v.W_i[k],
            "g Omega": lambda: v.Omega_i[k],
            "b I": lambda: v.I_i[k],
            "tilde m": lambda: float(v.m_tilde[k]),
            "tilde g delta": lambda: column(self._delta(i)),
            "tilde b I": lambda: self._tensor(i, v.I_tilde[k]),
            "m": lambda: float(v.m[k]),
            "hat b M": lambda: v.M_hat_i[k],
            "hat g psi": lambda: column(v.psi_hat[k]),
            "g psi": lambda: column(v.psi[k]),
            "hat m": lambda: float(self.robot.udu(self.q)[1][k]),
            "mathit armature": lambda: float(v.armature[k]),
            "h": lambda: float(self.robot.coriolis_vector(self.q, self.qd)[k]),
            "gamma": lambda: float(self.robot.gravity_torque(self.q)[k]),
            "kappa": lambda: float(self.robot.spring_torque(self.q)[k]),
            "f": lambda: float(self.friction[k]),
            "F": lambda: float(self.tau[k] - self.friction[k]),
            "tau": lambda: float(self.tau[k]),
            "theta": lambda: float(self.q[k]),
            "dot theta": lambda: float(self.qd[k]),
            "ddot theta": lambda: float(self.qdd[k]),
            "g omega": lambda: self._turned(i, self.t[i, :3]),
            "dot g omega": lambda: self._turned(i, self.t_dot[i, :3]),
            "b f": lambda: self._turned(i, self._force(i)),
            "b n": lambda: self._turned(i, self._moment(i)),
            "varphi": lambda: float(phi[k]),
            "hat varphi": lambda: float(np.linalg.solve(v.U, phi)[k]),
            "tilde varphi": lambda: float(np.linalg.solve(v.U, phi)[k] / v.m_hat[k]),
            "g eta": lambda: column(self._eta(i)),
            "bar g eta": lambda: column(self._eta(i, own=False)),
            "g mu": lambda: column(self._mu(i)),
            "bar g mu": lambda: column(self._mu(i) - v.p[k] * self.qdd[k]),
        }
        return known[name]() if name in known else None

    def _delta(self, i):
        delta = self.view.delta_tilde[i - 1]
        return self.R[i].T @ delta if "axes of link $i$" in self.text else delta

    def _onward(self, i):
        following = self.children(i)
        return (self.O[following[0]] - self.C[i]) if following else self.at.view.r[i - 1]

    def _of_two(self, name, i, j):
        v = self.view
        if name == "g eta":
            return column(self._eta(i, own=False) if i <= self.n else np.zeros(6))
        if name == "g mu":
            return column(self._mu(i) - v.p[i - 1] * self.qdd[i - 1])
        if name == "b r":
            return column(self.O[j] - self.C[i])
        if not (1 <= i <= self.n and 1 <= j <= self.n):
            return np.eye(6) if name == "b B" and j == 0 else np.zeros((6, 6))
        known = {
            "b c": lambda: column(v.C[j - 1] - v.C[i - 1]),
            "b B": lambda: v.B(i, j),
            "dot b B": lambda: v.B_dot(i, j),
            "dot b c": lambda: column(v.t_i(j)[3:] - v.t_i(i)[3:]),
            "tilde b H": lambda: v.H_tilde(i, j),
            "i": lambda: float(self.robot.mass_matrix(self.q)[i - 1, j - 1]),
            "u": lambda: float(self.robot.udu(self.q)[0][i - 1, j - 1]),
        }
        return known[name]() if name in known else None

    def convective(self, i, j):
        """c_ij, which is written like a cosine."""
        return float(self.robot.coriolis_matrix(self.q, self.qd)[i - 1, j - 1])
