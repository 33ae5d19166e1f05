"""Closing loops, following branches, and completing states from the actuated joints."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from mechanisms import GOLDEN, NAMES, definition, mechanism, moving, random_loops, states
from random_robots import close, on_floats

ANALYTIC = ["four-bar", "hoeken", "slider-crank"]


@pytest.mark.parametrize("name", NAMES)
def test_golden_assembly(name):
    """From the guess of the file to the closed pose beside it, and to rounding."""
    robot, entry = mechanism(name), GOLDEN["mechanisms"][name]["assembly"]
    found = robot.assemble(entry["guess"])
    assert np.abs(robot.loop_error(found)).max() < 1e-13
    close(found, entry["closed"], tolerance=0.3)  # which of many near poses is taken is a matter of metric


@pytest.mark.parametrize("name", ["four-bar", "3-RRR", "excavator", "rssr"])
def test_from_far_away(name):
    """Where every joint is at zero; the library's robots are found from there as well."""
    robot = mechanism(name)
    found = robot.assemble(robot.neutral())
    assert np.abs(robot.loop_error(found)).max() < 1e-12


@settings(max_examples=15, deadline=None)
@given(random_loops, st.integers(0, 100))
def test_random_loops_close_again(data, seed):
    robot = on_floats(redyn.load(data, exact=True))
    rng = np.random.default_rng(seed)
    q = robot.random(rng)
    pushed = robot.integrate(q, rng.uniform(-0.02, 0.02, robot.dof))
    found = robot.assemble(pushed)
    assert np.abs(robot.loop_error(found)[list(robot.model.closure.rows)]).max(initial=0.0) < 1e-12


def test_joints_that_are_held():
    robot = mechanism("four-bar")
    q = robot.assemble([0.4, 2.0, 2.5], fixed=["j_crank"])
    assert q[0] == 0.4
    many = robot.assemble([[0.4, 2.0, 2.5], [0.5, 2.0, 2.5]], fixed=["j_crank"])
    assert many[:, 0].tolist() == [0.4, 0.5]
    assert np.abs(robot.loop_error(many)).max() < 1e-13
    with pytest.raises(redyn.InputError, match="has no joint 'j_cranck'; did you mean 'j_crank'"):
        robot.assemble(q, fixed=["j_cranck"])
    with pytest.raises(redyn.AssemblyError, match="loop 'cut' cannot be closed"):
        robot.assemble([0.4, 0.5, 2.5], fixed=["j_crank", "j_output"])


def test_impossible_lengths():
    """A warning at loading, an error that names the loop and its gap afterwards, never NaN."""
    data = definition("four-bar")
    data["loops"] = [data["loops"][0] | {"frames": [{"xyz": [0.05, 0, 0]}, {"xyz": [0.6, 0, 0]}]}]
    with pytest.warns(redyn.RedynWarning, match="loop 'cut' cannot be closed"):
        robot = redyn.load(data)
    for ask in (
        lambda: robot.mobility,
        lambda: robot.forward_dynamics(np.zeros(3), np.zeros(3), np.zeros(3)),
        lambda: robot.transmission(np.zeros(3)),
        lambda: robot.assemble(np.zeros(3)),
        lambda: robot.complete([0.0]),
    ):
        with pytest.raises(redyn.AssemblyError, match=r"loop 'cut' .* mm"):
            ask()
    assert np.isfinite(robot.loop_error(np.zeros(3))).all()
    assert robot.forward_dynamics(np.zeros(3), np.zeros(3), np.zeros(3), loops=False).shape == (3,)


def test_planes_that_do_not_meet():
    """A pin whose two ends lie in different planes of a planar mechanism: no joint can bring them together."""
    data = definition("four-bar")
    data["loops"] = [data["loops"][0] | {"frames": [{"xyz": [0.05, 0, 0.01]}, {"xyz": [0.1, 0, 0]}]}]
    with pytest.warns(redyn.RedynWarning, match="stays open by 10 mm"):
        redyn.load(data)


def test_few_digits():
    """A file with right angles of five digits: what no joint can correct is taken as zero, and said."""
    data = definition("slider-crank")
    data["loops"] = [data["loops"][0] | {"frames": [{"rpy": [-1.5708, 0, 0]}, {"xyz": [1.0, 0, 0]}]}]
    with pytest.warns(redyn.RedynWarning, match="taken as zero"):
        robot = redyn.load(data)
    assert (robot.mobility, len(robot.model.closure.rows)) == (1, 2)
    state = states("slider-crank")[1]
    q, qd = robot.project(state["q"], state["qd"])
    close(robot.forward_dynamics(q, qd, state["tau"]), state["qdd"], tolerance=1e-4)


@pytest.mark.parametrize("name", ANALYTIC)
def test_a_whole_turn_of_the_crank(name):
    """Followed all the way round, a crank-rocker is where it was, and its rates are the differences."""
    robot = mechanism(name)
    angles = np.linspace(-1.17, -0.4, 40) if name == "slider-crank" else np.linspace(0, 2 * np.pi, 200)
    path = robot.complete(angles[:, None], [1.0], [0.0], near=robot.initial)
    assert np.abs(robot.loop_error(path.q)).max() < 1e-12
    step = angles[1] - angles[0]
    close(path.qd[1:-1], (path.q[2:] - path.q[:-2]) / (2 * step), tolerance=0.05)
    close(path.qdd[1:-1], (path.qd[2:] - path.qd[:-2]) / (2 * step), tolerance=0.05)
    if name != "slider-crank":
        close(np.cos(path.q[-1]), np.cos(path.q[0]), tolerance=1e-10)
    missing = np.einsum("nij,nj->ni", robot.loop_jacobian(path.q), path.qd)
    assert np.abs(missing).max() < 1e-12


def test_completed_states_are_golden():
    """ReDySim's four-bar at 45 rpm, from its crank alone."""
    robot = mechanism("four-bar")
    rows = GOLDEN["inverse_along_motions"]["four-bar at 45 rpm"]
    crank = np.array([[row["crank"]] for row in rows])
    rate = rows[0]["qd"][0]
    found = robot.complete(crank, [rate], near=rows[0]["q"])
    for k, row in enumerate(rows):
        close(found.qd[k], row["qd"], tolerance=1e-10)
        close(found.qdd[k], row["qdd"], tolerance=1e-9)
        close(np.exp(1j * found.q[k]), np.exp(1j * np.array(row["q"])), tolerance=1e-10)


def test_completing_one_state():
    robot = mechanism("five-bar")
    q0 = robot.initial
    driven = [robot.velocity_names.index(name) for name in robot.actuated]
    state = robot.complete(q0[driven] + [0.05, -0.05], [0.3, 0.4])
    assert state.q.shape == (4,)
    close(state.q[driven], q0[driven] + np.array([0.05, -0.05]))
    close(state.qd, robot.transmission(state.q) @ [0.3, 0.4], tolerance=1e-10)
    with pytest.raises(redyn.InputError, match="q_a: expected 2 numbers for the actuated joints"):
        robot.complete([0.1])


def test_out_of_reach():
    """A rocker that is driven further than it can go."""
    robot = redyn.load(definition("four-bar") | {"actuated": ["j_output"]})
    start = robot.initial[1]
    with pytest.raises(redyn.AssemblyError, match=r"loop 'cut'.*(out of its reach|another branch)"):
        robot.complete([start + 1.5])


def test_too_few_actuated_joints():
    robot = redyn.load(definition("five-bar") | {"actuated": ["j_left"]})
    with pytest.raises(redyn.InputError, match="cannot determine a robot of mobility 2"):
        robot.complete([0.1])


@pytest.mark.parametrize("name", ["four-bar", "bricard", "rssr", "3-RRR"])
def test_projection(name):
    """The nearest closed state, of one or many; one that is closed stays."""
    robot = mechanism(name)
    q, qd, _ = moving(robot, 2, count=3)
    rng = np.random.default_rng(0)
    off = np.array([robot.integrate(row, rng.uniform(-1e-3, 1e-3, robot.dof)) for row in q])
    found, rates = robot.project(off, qd + rng.uniform(-1e-2, 1e-2, qd.shape))
    assert np.abs(robot.loop_error(found)).max() < 1e-12
    assert np.abs(np.einsum("nij,nj->ni", robot.loop_jacobian(found), rates)).max() < 1e-11
    # Rates are nearest in the metric of the mass matrix: what was taken off does no work on closed motions.
    G, M = robot.transmission(found), robot.mass_matrix(found)
    given = rng.uniform(-1, 1, qd.shape)
    rates = robot.project(found, given)[1]
    close(np.einsum("nij,nik,nk->nj", G, M, given - rates), np.zeros((3, robot.mobility)), tolerance=1e-10)
    again, same = robot.project(found[0], rates[0])
    close(again, found[0], tolerance=1e-12)
    close(same, rates[0], tolerance=1e-11)


def test_projection_at_a_singular_position():
    entry = GOLDEN["inverse_along_motions"]["2-four-bar flat"]
    robot = mechanism("2-four-bar")
    q, qd = robot.project(entry["q"], [1.0, -1.0, 1.0, -1.0, 1.0])
    assert np.abs(robot.loop_error(q)).max() < 1e-12
    assert np.abs(robot.loop_jacobian(q) @ qd).max() < 1e-9


def test_random_configurations_are_closed():
    robot = mechanism("3-RRR")
    many = np.array([robot.random(seed) for seed in range(5)])
    assert np.abs(robot.loop_error(many)).max() < 1e-12
    assert np.ptp(many, axis=0).max() > 0.1
    assert (robot.random(3) == robot.random(3)).all()


def test_a_tree_has_no_loops():
    robot = redyn.load("puma")
    assert (robot.loops, robot.mobility, robot.actuated) == ([], 6, robot.joint_names)
    assert robot.loop_error(robot.initial).shape == (0,)
    assert robot.loop_jacobian(np.zeros((4, 6))).shape == (4, 0, 6)
    assert (robot.transmission(robot.initial) == np.eye(6)).all()
    assert robot.tree is robot
    assert (robot.assemble(robot.initial) == robot.initial).all()
    close(robot.mass_matrix(robot.initial, reduced=True), robot.mass_matrix(robot.initial))
    with pytest.raises(redyn.InputError, match="puma has no loops"):
        robot.loop_wrenches(np.zeros(6), np.zeros(6), np.zeros(6))


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "five-bar", "3-rrr", "stewart", "delta"])
def test_library(name):
    """Loads without a warning, closed, and reads back as itself."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot = redyn.load(name)
    assert np.abs(robot.loop_error(robot.initial)).max() < 1e-13
    assert robot.independent == [n for n in robot.velocity_names if n.partition(".")[0] in robot.actuated]
