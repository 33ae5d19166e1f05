"""The book, chapter 9: tables of data and of operation counts, and what it leaves open."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from redyn.errors import SingularError
from redyn.reproduce.closed_forms import rods
from redyn.reproduce.counts import CHOLESKY, REDYSIM, misprints, overtakes
from redyn.reproduce.errata.erratum import Erratum, Finding, Measure, largest, number, said
from redyn.reproduce.item import Array, Load
from redyn.reproduce.published import (
    FORWARD,
    INVERSE,
    TABLE_9_1,
    TABLE_9_6,
    Cells,
    Formula,
    walker_orin_additions_in_the_book,
)
from redyn.reproduce.torques import STANFORD_STOP, TIMES, T
from redyn.robot import Robot
from redyn.trajectory import cycloidal

STOPS = {
    "three-link": [np.pi] * 3,
    "puma": [np.pi] * 6,
    "stanford": STANFORD_STOP,
    "kuka-kr5-printed": [np.pi / 3] * 6,
}


def _along(robot: Robot, name: str) -> Array:
    """Torques along the motion of its example."""
    return robot.inverse_dynamics(*cycloidal(robot.initial, STOPS[name], T)(TIMES[::20]))


def _changed(robot: Robot, change: Callable[[int, dict[str, object]], dict[str, object]]) -> Robot:
    """The robot with fields of its links replaced."""
    links = [
        link.model_copy(update=change(i, {"r": link.r, "inertia": link.inertia}))
        for i, link in enumerate(robot.description.links)
    ]
    return Robot(robot.description.model_copy(update={"links": links}))


def _mirrored(robot: Robot, which: Sequence[int] | None = None) -> Robot:
    """With the other sign of r of these links, or of all."""

    def change(i: int, fields: dict[str, object]) -> dict[str, object]:
        r = np.asarray(fields["r"], dtype=np.float64)
        return {"r": tuple((-r).tolist())} if which is None or i in which else {}

    return _changed(robot, change)


def _no_inertia(load: Load) -> Sequence[Finding]:
    robot, repaired = load("kuka-kr5-printed"), load("kuka-kr5")
    q = robot.initial + 0.3
    i_66 = float(robot.mass_matrix(q)[5, 5])
    rank = int(np.linalg.matrix_rank(robot.mass_matrix(q), tol=1e-12))
    still = np.zeros(6)
    try:
        robot.forward_dynamics(q, still, still)
        singular = False
    except SingularError:
        singular = True
    whole = int(np.linalg.matrix_rank(repaired.mass_matrix(q), tol=1e-12))
    text = f"$i_{{66}} = 0$, the inertia matrix has rank {rank}: the free fall of Example 9.11 cannot be computed"
    return [said(text, singular and abs(i_66) < 1e-15 and rank == 5, whole == 6)]


def _signs_of_kuka(load: Load) -> Sequence[Finding]:
    robot = load("kuka-kr5-printed")
    change = largest(_along(_mirrored(robot, (4, 5)), robot.name), _along(robot, robot.name))
    return [said(f"the other sign changes the torques of Example 9.7 by up to {number(change)} Nm", change > 1e-6)]


def _beyond_the_tip(load: Load) -> Sequence[Finding]:
    robot = load("stanford")
    q = robot.initial
    view, last = robot.denoc(q), robot.forward_kinematics(q, robot.frame_names[-1])
    beyond = float((view.C[-1] - last[:3, 3]) @ last[:3, 2])
    change = largest(_along(_mirrored(robot, (5,)), "stanford"), _along(robot, "stanford"))
    text = f"$C_6$ lies {number(beyond)} m beyond the tip; the other sign changes torques by up to {number(change)} Nm"
    return [said(text, beyond > 0)]


def _rounded(load: Load) -> Sequence[Finding]:
    robot = load("three-link")
    change = largest(_along(rods(robot), "three-link"), _along(robot, "three-link"))
    return [said(f"torques of Example 9.4 differ from those by (9.42) by up to {number(change)} Nm", change > 1e-7)]


def _gyration(load: Load) -> Sequence[Finding]:
    robot = load("puma")
    radii = {
        i: float(np.sqrt(np.diag(robot.denoc(robot.initial).I_i[i - 1]).max() / m))
        for i, m in ((2, 15.761), (5, 1.052))
    }
    text = f"radii of gyration of {number(radii[2])} m (link 2, 0.432 m long) and {number(radii[5])} m (link 5, 1 kg)"
    return [said(text, radii[2] > 0.432)]


def _cells(table: dict[str, Cells], formulas: dict[str, tuple[Formula, Formula]]) -> Measure:
    def measure(_: Load) -> Sequence[Finding]:
        wrong = misprints(table, formulas)
        text = "; ".join(f"{author}, n = {n}: {cell} must be {right}" for (author, n, cell), right in wrong.items())
        return [said(text, bool(wrong))]

    return measure


def _walker_orin(_: Load) -> Sequence[Finding]:
    printed, right = walker_orin_additions_in_the_book(10), FORWARD[CHOLESKY][1](10)
    cell = int(TABLE_9_6[CHOLESKY][10][1][:-1])
    text = f"n = 10: the printed formula gives {printed:.0f}, the right one {right:.0f}, and the table has {cell}"
    return [said(text, abs(printed - cell) > 1, abs(right - cell) < 1)]


def _from_seven(_: Load) -> Sequence[Finding]:
    pair = FORWARD[REDYSIM], FORWARD[CHOLESKY]
    M, every = (overtakes(*pair, only) for only in (True, False))
    text = f"from n = {M} on in multiplications, from n = {every} on in all operations"
    return [said(text, every > 7, M == 7)]


def _reading_of_r(load: Load) -> Sequence[Finding]:
    found: list[Finding] = []
    for name, label in (("puma", "PUMA"), ("kuka-kr5-printed", "KUKA KR-5"), ("stanford", "Stanford arm")):
        robot = load(name)
        change = largest(_along(_mirrored(robot), name), _along(robot, name))
        found.append(
            said(f"{label}: the other reading changes the torques by up to {number(change)} Nm", change > 1e-6)
        )
    return found


def _products(load: Load) -> Sequence[Finding]:
    robot = load("kuka-kr5-printed")

    def change(_: int, fields: dict[str, object]) -> dict[str, object]:
        xx, xy, xz, yy, yz, zz = np.asarray(fields["inertia"], dtype=np.float64).tolist()
        return {"inertia": (xx, -xy, -xz, yy, -yz, zz)}

    moved = largest(_along(_changed(robot, change), robot.name), _along(robot, robot.name))
    return [said(f"the other sign changes the torques of Example 9.7 by up to {number(moved)} Nm", moved > 1e-6)]


def _upright(load: Load) -> Sequence[Finding]:
    robot = load("puma")
    q = robot.initial
    down, across = (robot.gravity_torque(q, gravity=g) for g in ([0, 0, -9.81], [0, -9.81, 0]))
    first, second = (number(float(x[1]) + 0.0) for x in (down, across))
    text = f"PUMA at rest: $\\tau_2$ is {first} Nm with gravity along -Z, {second} Nm along -Y"
    return [said(text, abs(down[1] - across[1]) > 1e-6)]


def _two_editions(load: Load) -> Sequence[Finding]:
    found: list[Finding] = []
    for one, two, label in (("stanford", "stanford-2003", "Stanford arm"), ("puma", "puma-2003", "PUMA")):
        first, second = load(one), load(two)
        gap = largest(
            first.forward_kinematics(np.zeros(6), first.frame_names[-1])[:3, 3],
            second.forward_kinematics(np.zeros(6), second.frame_names[-1])[:3, 3],
        )
        found.append(said(f"{label}: with all variables zero the tips are up to {number(gap)} m apart", gap > 1e-6))
    return found


ERRATA = [
    Erratum(
        "Table 9.5, link 6",
        "wrong numbers",
        "$\\mathbf{I}_6 = \\mathbf{0}$ and the mass centre on $Z_6$",
        "a small inertia; redyn's `kuka-kr5` has 3.3e-6 kg m² about each axis",
        "rank of the inertia matrix, and redyn's refusal by name of the joint",
        _no_inertia,
    ),
    Erratum(
        "Table 9.1",
        "slip",
        "421M in the last cell",
        "421A",
        "the formulas of the rows",
        _cells(TABLE_9_1, INVERSE),
    ),
    Erratum(
        "Table 9.6",
        "wrong numbers",
        "three cells that do not follow from their formulas",
        "see the effect",
        "the formulas of the rows, and Table I of the 2003 paper",
        _cells(TABLE_9_6, FORWARD),
    ),
    Erratum(
        "Table 9.6, Walker and Orin",
        "wrong numbers",
        "$\\frac{1}{6}n^3 + 7n^2 + \\frac{233}{3}n - 46$ additions",
        "$\\frac{233}{6}n$, as in the 2003 paper",
        "the table's own cell for $n = 10$",
        _walker_orin,
    ),
    Erratum(
        "9.4.1",
        "wrong in some cases",
        "efficient for $n \\ge 7$",
        "that counts multiplications only",
        "the formulas of Table 9.6 (`redyn reproduce table-9.6`)",
        _from_seven,
    ),
    Erratum(
        "Table 9.2",
        "wrong in some cases",
        "$I_{2,yy} = I_{2,zz} = 0.00208$",
        "$m_2 a_2^2/12 = 0.0020833$, which (9.42) means",
        "(9.42), evaluated",
        _rounded,
    ),
    Erratum(
        "Table 9.5, rows 5 and 6",
        "wrong in some cases",
        "$r_5$, $r_6$ with the sign of the other rows",
        "probably the opposite sign: compare the published mass centres of the same robot",
        "",
        _signs_of_kuka,
    ),
    Erratum(
        "Table 9.4, link 6",
        "wrong in some cases",
        "$r_{6,z} = -0.2$",
        "probably $+0.2$: the mass centre should be inside the link",
        "",
        _beyond_the_tip,
    ),
    Erratum(
        "Table 9.3",
        "wrong in some cases",
        "moments of inertia of links 2 and 5",
        "unknown: positive definite, but not those of such links",
        "",
        _gyration,
    ),
]
OPEN = [
    Erratum(
        "all tables",
        "wrong in some cases",
        "$\\mathbf{r}_i$, in frame $i+1$",
        "from $C_i$ to $O_{i+1}$, as the 2003 paper says in words: the mass centre seen from $O_{i+1}$ is "
        "$-\\mathbf{r}_i$",
        "",
        _reading_of_r,
    ),
    Erratum(
        "Table 9.5",
        "wrong in some cases",
        "$I_{xy}$, $I_{xz}$, $I_{yz}$",
        "read as elements of the tensor; products of inertia would have the other sign",
        "",
        _products,
    ),
    Erratum(
        "Examples 9.5-9.7, 9.9-9.11",
        "wrong in some cases",
        "no direction of gravity",
        "along $-Z_1$, the only one that gives the motions described; Example 9.1 has $+X_1$, Example 9.4 $-Y_1$",
        "",
        _upright,
    ),
    Erratum(
        "Tables 9.3, 9.4 and Table II of the paper",
        "wrong in some cases",
        "the same names",
        "different robots: twists, offsets and mass centres differ",
        "",
        _two_editions,
    ),
]
