"""Section 3 of the paper: forward dynamics in link frames, block by block, and its own count of every step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from redyn.dynamics.denoc import cross
from redyn.reproduce.check import Check, near, statement
from redyn.reproduce.counts import RULES, overtakes
from redyn.reproduce.item import Array, Bars, Curve, Item, Load, Numbers, Panel, Result, tidy
from redyn.reproduce.published import FORWARD, Formula
from redyn.reproduce.torques import PAPER
from redyn.robot import Robot

E = np.array([0.0, 0.0, 1.0])
EARLIER: tuple[Formula, Formula] = (lambda n: 201 * n - 335, lambda n: 193 * n - 361)  # quoted in section 5


@dataclass(frozen=True)
class Slips:
    """Which misprints of section 3 are kept."""

    no_inertia: bool = False  # A.3(b): I_i is missing in I_hat_i
    top_for_bottom: bool = False  # C.3: mu_{i-1(t)} where mu_{i-1(b)} must stand
    frame: bool = False  # A.1: a_i in frame i+1, where it is in frame i


RIGHT = Slips()


@dataclass(frozen=True)
class Blocks:
    """I_hat, F, G of M_hat_i (16) and psi_hat (17), in frame i; and the accelerations."""

    M_hat: Array
    psi_hat: Array
    m_hat: Array
    qdd: Array


def rotations(robot: Robot, q: Array) -> tuple[Array, Array]:
    """Q_i and a_i (in frame i) from the DH table, for revolute joints."""
    links = robot.description.links
    alpha, a, b = (np.array([getattr(link, key) or 0.0 for link in links]) for key in ("alpha", "a", "b"))
    c, s, ca, sa = np.cos(q), np.sin(q), np.cos(alpha), np.sin(alpha)
    zero = np.zeros_like(q)
    Q = np.stack(
        [np.stack([c, -ca * s, sa * s], -1), np.stack([s, ca * c, -sa * c], -1), np.stack([zero, sa, ca], -1)], -2
    )
    return Q, np.stack([a * c, a * s, b], -1)


def in_link_frames(robot: Robot, q: Array, phi: Array, slips: Slips = RIGHT) -> Blocks:
    """A.1 to C.3 of section 3, for a robot whose joints are all revolute."""
    n, links = robot.dof, robot.description.links
    Q, a = rotations(robot, q)
    r = np.array([link.r for link in links], dtype=np.float64)  # from C_i to O_{i+1}, in frame i+1
    d = (np.einsum("nij,nj->ni", Q.transpose(0, 2, 1), a) if slips.frame else a) - np.einsum("nij,nj->ni", Q, r)  # A.1
    p_b = np.cross(E, d)
    I_bar, F_bar, G_bar = np.zeros((3, 3)), np.zeros((3, 3)), np.zeros((3, 3))
    eta = np.zeros(6)
    M_hat, psi_hat, psi = np.zeros((n, 6, 6)), np.zeros((n, 6)), np.zeros((n, 6))
    m_hat, tau_hat = np.zeros(n), np.zeros(n)
    for i in reversed(range(n)):
        mass, I_i = links[i].mass or 0.0, _tensor(links[i].inertia)
        c = cross(-r[i] - d[i + 1]) if i + 1 < n else np.zeros((3, 3))  # A.2: c_{i+1,i}, in frame i+1
        G = mass * np.eye(3) + G_bar  # A.3(b)
        F = F_bar + G_bar @ c
        I = I_bar + F_bar.T @ c - c @ F
        if not slips.no_inertia or i == n - 1:
            I = I + I_i
        I, F, G = (Q[i] @ x @ Q[i].T for x in (I, F, G))
        M_hat[i] = np.block([[I, F.T], [F, G]])  # (16)
        psi_hat[i] = np.concatenate([I @ E + F.T @ p_b[i], F @ E + G @ p_b[i]])  # A.4, (17)
        top, bottom = psi_hat[i, :3], psi_hat[i, 3:]
        m_hat[i] = E @ top + p_b[i] @ bottom  # A.5
        psi[i] = psi_hat[i] / m_hat[i]  # A.6
        I_bar, F_bar = I - np.outer(top, psi[i, :3]), F - np.outer(bottom, psi[i, :3])  # A.7
        G_bar = G - np.outer(bottom, psi[i, 3:])
        tau_hat[i] = phi[i] - E @ eta[:3] - p_b[i] @ eta[3:]  # A.10
        eta = tau_hat[i] * psi[i] + eta  # A.8
        if i:
            arm = -r[i - 1] - d[i]
            eta = np.concatenate([Q[i - 1] @ (eta[:3] + np.cross(eta[3:], arm)), Q[i - 1] @ eta[3:]])  # A.9
    qdd, mu = np.zeros(n), np.zeros(6)
    for i in range(n):
        if i:
            arm = -r[i - 1] - d[i]
            below = mu[:3] if slips.top_for_bottom else mu[3:]
            mu = np.concatenate([mu[:3], below + np.cross(arm, mu[:3])])  # C.3
        qdd[i] = tau_hat[i] / m_hat[i] - psi[i] @ mu  # B, C.1
        mu = mu + qdd[i] * np.concatenate([E, p_b[i]])  # C.2
        mu = np.concatenate([Q[i].T @ mu[:3], Q[i].T @ mu[3:]])
    return Blocks(M_hat, psi_hat, m_hat, qdd)


def _tensor(values: object) -> Array:
    xx, xy, xz, yy, yz, zz = np.asarray(values, dtype=np.float64)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


@dataclass(frozen=True)
class Step:
    """What the paper prints in braces: multiplications and additions, each as slope times n plus a constant."""

    name: str
    what: str
    M: tuple[int, int]
    A: tuple[int, int]


STEPS = [
    Step("A.1", "d_i", (4, 0), (2, 0)),
    Step("A.2", "c_i,i-1", (0, 0), (3, -3)),
    Step("A.3a", "M^_n", (0, 16), (0, 17)),
    Step("A.3b", "M^_i", (86, -179), (101, -215)),
    Step("A.4a", "ψ^_n", (0, 2), (0, 0)),
    Step("A.4b", "ψ^_i", (12, -36), (12, -36)),
    Step("A.5", "m^_i", (2, 0), (2, 0)),
    Step("A.6", "ψ_i", (6, -7), (0, 0)),
    Step("A.7a", "M^_nn", (0, 15), (0, 8)),
    Step("A.7b", "M^_ii", (21, -42), (21, -42)),
    Step("A.8a", "η_n", (0, 5), (0, 0)),
    Step("A.8b", "η_i", (6, -12), (6, -12)),
    Step("A.9", "η_i-1,i", (22, -26), (14, -18)),
    Step("A.10", "τ^_i", (2, -2), (3, -3)),
    Step("B", "τ~_i", (1, 0), (0, 0)),
    Step("C.1", "θ̈_i", (6, -6), (6, -6)),
    Step("C.2a", "μ_1", (0, 12), (0, 2)),
    Step("C.2b", "μ_i", (18, -18), (11, -11)),
    Step("C.3", "μ_i,i-1", (6, -6), (6, -6)),
]
# A.3(b) line by line, for link n-1 and for the others: the brace must be their sum over the n-2 links.
LINES_A3B = {
    "M": ([16, 9, 24, 14, 16], [16, 15, 24, 15, 16]),
    "A": ([3, 17, 2, 6, 22, 15, 6, 17], [3, 17, 9, 9, 22, 18, 6, 17]),
}


def total(part: str) -> tuple[int, int]:
    """The sum of all braces, as slope and constant."""
    pairs = [getattr(step, part) for step in STEPS]
    return sum(x for x, _ in pairs), sum(y for _, y in pairs)


def _linear(pair: tuple[int, int], letter: str) -> str:
    return f"({pair[0]}n {'-' if pair[1] < 0 else '+'} {abs(pair[1])}){letter}"


def _algorithm(load: Load) -> Result:
    checks: list[Check] = []
    rng = np.random.default_rng(1)
    sample: Blocks | None = None
    for name in ("puma", "puma-2003", "three-link"):
        robot = load(name)
        q, phi = rng.uniform(-1, 1, robot.dof), rng.uniform(-5, 5, robot.dof)
        found = in_link_frames(robot, q, phi)
        view = robot.denoc(q)
        sample = sample or found
        worst = float(np.linalg.cond(robot.mass_matrix(q)))
        checks.append(near(f"{name}, θ̈", found.qdd, robot.solve(q, phi), 1e-14 * worst, "redyn's solve(q, φ)"))
        checks.append(near(f"{name}, blocks of M^_1 (16)", found.M_hat[0], view.M_hat_i[0], 1e-12, "the dense view"))
        checks.append(near(f"{name}, m^_i", found.m_hat, view.m_hat, 1e-12, "the diagonal D of U D Uᵀ"))
    robot = load("puma")
    M, A = total("M"), total("A")
    printed = (191, -284), (187, -325)
    for part, (first, others) in LINES_A3B.items():
        brace = next(getattr(step, part) for step in STEPS if step.name == "A.3b")
        slope, constant = sum(others), sum(first) - 3 * sum(others)
        checks.append(
            Check(
                f"A.3(b): {part} of its lines, one link n-1 and n-3 others",
                (slope, constant) == brace,
                f"{_linear((slope, constant), part)}, as in its brace {_linear(brace, part)}",
                against="printed",
            )
        )
    checks += [
        Check("sum of the additions in braces", printed[1] == A, _linear(A, "A"), against="printed"),
        Check(
            f"sum of the multiplications in braces is {_linear(printed[0], 'M')}",
            printed[0] == M,
            _linear(M, "M"),
            "one multiplication per link is missing in the printed total; A.4(b) also counts n-3 of its n-2 links",
            "printed",
        ),
        _better_than_before(),
    ]
    rows: list[list[object]] = [
        [step.name, step.what, _linear(step.M, "M"), _linear(step.A, "A"), _at(step.M, 6), _at(step.A, 6)]
        for step in STEPS
    ]
    rows.append(["sum", "", _linear(M, "M"), _linear(A, "A"), _at(M, 6), _at(A, 6)])
    rows.append(["printed total", "", *(_linear(x, y) for x, y in zip(printed, "MA", strict=True)), 862, 797])
    rows.append(["earlier (1997)", "", "(201n - 335)M", "(193n - 361)A", *(int(f(6)) for f in EARLIER)])
    heights = {
        "multiplications": [float(_at(step.M, 6)) for step in STEPS],
        "additions": [float(_at(step.A, 6)) for step in STEPS],
    }
    own = robot_count()
    notes = [
        RULES,
        "(16) and (17): M^_i = [I^ Fᵀ; F G] and ψ^_i = [top; bottom], in the axes of frame i; A.7 calls F_ii H_ii.",
        f"redyn's own graph needs {own[0]}M {own[1]}A for n = 6 with φ given: it works about joint origins and "
        "regroups the inertial parameters. These counts are of the paper's steps, and of no program.",
    ]
    blocks = _block_rows(sample) if sample else []
    return Result(
        checks,
        [
            Numbers(["step", "computes", "multiplications", "additions", "M, n = 6", "A, n = 6"], rows),
            Numbers(["block of M^_3, PUMA", "x", "y", "z"], blocks, "blocks"),
        ],
        panels=[_growth()],
        bars=[Bars("operations for n = 6", [step.name for step in STEPS], heights, [])],
        notes=notes,
    )


def _at(pair: tuple[int, int], n: int) -> int:
    return pair[0] * n + pair[1]


def robot_count() -> tuple[int, int]:
    from redyn.robot import chain

    count = chain(6, seed=1).operation_count("solve")
    return count.multiplications, count.additions


def _better_than_before() -> Check:
    now = FORWARD["Saha (2003)"]
    in_M = overtakes(now, EARLIER, multiplications_only=True)
    in_A = next(n for n in range(1, 60) if now[1](n) < EARLIER[1](n))
    return statement(
        "it needs fewer multiplications than the author's earlier (201n - 335)M (193n - 361)A, for n = 6",
        now[0](6) < EARLIER[0](6),
        f"{now[0](6):.0f} and {EARLIER[0](6):.0f}; fewer multiplications from n = {in_M} on, additions from n = {in_A}",
    )


def _growth() -> Panel:
    n = np.arange(2.0, 16.0)
    M = total("M")
    curves = [
        Curve("printed total, 191n - 284", 191 * n - 284),
        Curve("sum of the braces, 192n - 284", M[0] * n + M[1], dashed=True),
        Curve("earlier, 201n - 335", 201 * n - 335),
    ]
    return Panel("multiplications", n, curves, x_label="joints")


def _block_rows(found: Blocks) -> list[list[object]]:
    M, psi_hat = found.M_hat[2], found.psi_hat[2]
    named = (("I^", M[:3, :3]), ("F", M[3:, :3]), ("G", M[3:, 3:]))
    rows: list[list[object]] = [[f"{name}, row {k + 1}", *tidy(block[k])] for name, block in named for k in range(3)]
    return [*rows, ["ψ^ top", *tidy(psi_hat[:3])], ["ψ^ bottom", *tidy(psi_hat[3:])]]


ITEMS = [
    Item(
        "paper-section-3",
        "Forward dynamics in link frames, and its count step by step",
        PAPER + "section 3, (16), (17)",
        _algorithm,
    )
]
