"""Rates that depend on others by a G that depends on the configuration: every result against matrices written out.

The robot is a cart on two wheels that roll without slip, with an arm on it: the rates of the wheels and of the arm are
independent, those of the cart follow from them.
"""

import numpy as np
import pytest

import redyn
from random_robots import close, on_floats
from redyn.arithmetic import Arrays, Floats
from redyn.dynamics import reduced
from redyn.dynamics.algorithm import Conditions, Kind
from redyn.dynamics.catalogue import ALGORITHMS
from redyn.dynamics.drives import with_drive_columns
from redyn.dynamics.rolling import rate_map

RADIUS, TRACK = 0.1, 0.5


HINGE = {"type": "revolute", "damping": 0.05, "armature": 0.03}
WHEEL = {"joint": HINGE, "mass": 0.5, "com": [0, 0, 0], "inertia": [0.01, 0.02, 0.01], "rpy": [-np.pi / 2, 0, 0]}
ARM = {"joint": {**HINGE, "coulomb": 0.2}, "mass": 1.0, "com": [0.2, 0.05, 0.1], "inertia": [0.05, 0.06, 0.07]}
CART = {"joint": {"type": "planar"}, "mass": 5.0, "com": [-0.1, 0, 0.1], "inertia": [0.2, 0.01, 0, 0.3, 0, 0.4]}
ROBOT = {
    "name": "cart",
    "convention": "frames",
    "end_effector": "arm",
    "links": [
        {"name": "cart", **CART},
        {"name": "left", "parent": "cart", "xyz": [0, TRACK / 2, 0], **WHEEL},
        {"name": "right", "parent": "cart", "xyz": [0, -TRACK / 2, 0], **WHEEL},
        {"name": "arm", "parent": "cart", "xyz": [0.1, 0, 0.2], "rpy": [0.4, 0, 0], **ARM},
    ],
}
WHEELS = {"rolling": [{"wheel": side, "radius": RADIUS} for side in ("left", "right")]}


@pytest.fixture(scope="module")
def robots():
    """The tree, the robot that rolls, and a state of it."""
    tree = on_floats(redyn.load(ROBOT, exact=True))
    rolling = on_floats(redyn.load(ROBOT | WHEELS, exact=True))
    rng = np.random.default_rng(5)
    return tree, rolling, {"q": rng.uniform(-1, 1, 6)} | {k: rng.uniform(-3, 3, 3) for k in ("qd", "qdd", "tau", "phi")}


def G_of(q):
    """G, and complex where q is."""
    c, s = np.cos(q[2]), np.sin(q[2])
    ahead, turn = np.array([RADIUS / 2, RADIUS / 2, 0]), np.array([-1, 1, 0]) * RADIUS / TRACK
    return np.vstack([c * ahead, s * ahead, turn, np.eye(3)])


def whole(state):
    """G and G_dot, by a complex step, and the state of the tree."""
    q, u = state["q"], state["qd"]
    G = G_of(q)
    G_dot = G_of(q + 1e-30j * (G @ u)).imag / 1e-30
    return G, G_dot, {"q": q, "qd": G @ u, "qdd": G @ state["qdd"] + G_dot @ u}


def test_rates_and_forces(robots):
    model, state = robots[1].model, robots[2]
    found = rate_map(model, Floats(), state["q"].tolist())
    G, G_dot, x = whole(state)
    close(found.to_tree(state["qd"].tolist()), x["qd"])
    close(found.bias(x["qd"].tolist(), state["qd"].tolist()), G_dot @ state["qd"])
    close(found.to_forces(x["qdd"].tolist()), G.T @ x["qdd"])
    assert robots[1].dof == 3
    assert robots[1].nq == 6
    assert model.moved_by(model.frames["arm"].link) == [0, 1, 2]
    assert model.moved_by(model.frames["left"].link) == [0, 1]


@pytest.mark.parametrize(
    "name", [name for name, entry in ALGORITHMS.items() if not entry.divides and "q" in entry.state]
)
def test_results_by_their_kind(robots, name):
    tree, rolling, state = robots
    entry = ALGORITHMS[name]
    G, G_dot, x = whole(state)
    M = tree.mass_matrix(x["q"])
    frame = tree.model.frames["arm"]
    reductions = {
        Kind.FORCE: lambda f: G.T @ f,
        Kind.DRIVING: lambda f: G.T @ f,
        Kind.CONVECTIVE_FORCE: lambda h: G.T @ (h + M @ G_dot @ state["qd"]),
        Kind.SQUARE: lambda A: G.T @ A @ G,
        Kind.CONVECTIVE_SQUARE: lambda C: G.T @ (C @ G + M @ G_dot),
        Kind.COLUMNS: lambda J: J @ G,
        Kind.COLUMN_RATES: lambda J_dot: J_dot @ G + tree.jacobian(x["q"], "arm") @ G_dot,
        Kind.ROWS: lambda Y: G.T @ Y,
        Kind.COORDINATES: lambda rates: rates,
        Kind.PLAIN: lambda value: value,
    }
    run = [
        reduced.run(entry, model, Floats(), [values[key].tolist() for key in entry.state], Conditions(frame=frame))
        for model, values in ((rolling.model, state), (tree.model, x))
    ]
    *results, guards = run[0]
    assert min(guards, default=1.0) > 0.0
    for output, found, of_tree in zip(entry.outputs, results, run[1], strict=True):
        dense = np.array(of_tree).reshape(output.shape(tree.model))
        close(np.array(found).reshape(output.shape(rolling.model)), reductions[output.kind](dense))


def test_what_divides(robots):
    """qdd with inverse_dynamics(qdd) = tau; G^T M G is what is solved."""
    _, robot, state = robots
    q, qd, qdd = state["q"], state["qd"], state["qdd"]
    M = robot.mass_matrix(q)
    for method in ("recursive", "cholesky"):
        close(robot.forward_dynamics(q, qd, robot.inverse_dynamics(q, qd, qdd), method=method), qdd, np.linalg.cond(M))
    close(robot.inverse_mass_matrix(q), np.linalg.inv(M), np.linalg.cond(M))
    close(M @ robot.solve(q, state["phi"]), state["phi"], np.linalg.cond(M))
    U, D = robot.udu(q)
    close(U @ np.diag(D) @ U.T, M)


def test_power_is_the_rate_of_the_kinetic_energy(robots):
    """On level ground: dT/dt = u . (tau - friction), along one small step of the motion."""
    tree, robot, state = robots
    q, u, u_dot = state["q"], state["qd"], state["qdd"]
    G, _, x = whole(state)
    friction = G.T @ tree.friction_torque(x["qd"])
    weight = robot.gravity_torque(q)
    h = 1e-5

    def energy(t):
        """At q(t) and u(t), to the second order in t."""
        at = q + x["qd"] * t + (G @ u_dot + whole(state)[1] @ u) * t**2 / 2
        return robot.kinetic_energy(at, u + u_dot * t)

    rate = (energy(h) - energy(-h)) / (2 * h)
    assert rate == pytest.approx(u @ (robot.inverse_dynamics(q, u, u_dot) - friction - weight), rel=1e-7)


def test_columns_of_the_drives(robots):
    tree, robot, state = robots
    G, _, x = whole(state)
    bare = with_drive_columns(tree.model, np.zeros((6, 0)), x["q"], x["qd"], x["qdd"], True, True)
    found = with_drive_columns(robot.model, np.zeros((3, 0)), *(state[k] for k in ("q", "qd", "qdd")), True, True)
    close(found, G.T @ bare)
    rows = [np.stack([state[k]] * 4) for k in ("q", "qd", "qdd")]
    close(with_drive_columns(robot.model, np.zeros((4, 3, 0)), *rows, True, True), np.stack([found] * 4))


def test_batches(robots):
    _, robot, state = robots
    rows = [np.stack([state[k]] * 3) for k in ("q", "qd", "qdd")]
    columns = [list(x.T) for x in rows]
    found = reduced.run(ALGORITHMS["inverse_dynamics"], robot.model.over(Arrays()), Arrays(), columns, Conditions())[0]
    close(np.array(found).T, np.stack([robot.inverse_dynamics(*(state[k] for k in ("q", "qd", "qdd")))] * 3))
