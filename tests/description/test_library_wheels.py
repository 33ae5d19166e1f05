"""The robots on wheels of the library are those of the verified numbers, and their runs are."""

import numpy as np
import pytest

import redyn
from random_robots import close
from vehicles import GOLDEN, described, disk, sleigh

NAMES = {"agv": "agv", "car": "car", "mecanum": "mec"}
TORQUES = {
    "agv": [1.0, 0.6],
    "car": lambda t, q, qd: np.array([0.4, 0.02 * np.cos(2 * t)]),
    "mecanum": lambda t, q, qd: np.array([0.5, 0.3, 0.2 * np.sin(t), 0.4]),
}


def physics(description):
    """What of a file matters to motion."""
    keys = ("name", "parent", "xyz", "axis", "mass", "com", "inertia")
    links = [{key: getattr(link, key) for key in keys} for link in description.links]
    return links, [link.joint.name for link in description.links], description.gravity, description.rolling


@pytest.mark.parametrize("name", NAMES)
def test_library_has_the_verified_robots(name):
    mine = redyn.load(name)
    other = redyn.load(described(NAMES[name], independent=mine.velocity_names))
    for a, b in zip(*(physics(robot.description) for robot in (mine, other)), strict=True):
        if isinstance(a, list) and a and isinstance(a[0], dict):
            for link, given in zip(a, b, strict=True):
                assert (link["name"], link["parent"], link["axis"]) == (given["name"], given["parent"], given["axis"])
                for key in ("xyz", "mass", "com", "inertia"):
                    np.testing.assert_allclose(link[key], given[key], rtol=1e-15, atol=0)
        else:
            assert a == b
    assert not mine.notes


@pytest.mark.parametrize("name", NAMES)
def test_golden_runs_by_name(name):
    robot, given = redyn.load(name), GOLDEN["simulations"][NAMES[name]]
    start = np.array(given["start"])
    q, u = start[: robot.nq], start[robot.nq :]
    run = redyn.simulate(robot, q, u, 3.0, torque=TORQUES[name], rtol=1e-10, atol=1e-11, sample=0.5)
    np.testing.assert_allclose(run.q, given["q"], atol=1e-8)
    np.testing.assert_allclose(run.qd, given["u"], atol=1e-8)


def test_disk_and_sleigh_are_the_verified_ones():
    for name, other in (("rolling-disk", disk()), ("chaplygin-sleigh", sleigh(independent=["base.vx", "base.angle"]))):
        mine, given = redyn.load(name), redyn.load(other)
        rng = np.random.default_rng(0)
        for _ in range(3):
            q, (u, tau) = mine.random(rng), rng.uniform(-1, 1, (2, mine.dof))
            close(mine.forward_dynamics(q, u, tau), given.forward_dynamics(q, u, tau))
    start = GOLDEN["rolling_disk"]["state0"]
    np.testing.assert_allclose(redyn.load("rolling-disk").initial, start[:7], rtol=1e-15)


def test_sleigh_runs_as_its_closed_form():
    given, robot = GOLDEN["chaplygin_sleigh"], redyn.load("chaplygin-sleigh")
    run = redyn.simulate(robot, np.zeros(3), [given["v0"], given["w0"]], 4.0, rtol=1e-12, atol=1e-13, sample=1.0)
    np.testing.assert_allclose(run.qd, np.transpose([given["v"], given["w"]]), atol=1e-10)
    np.testing.assert_allclose(run.q[:, 2], given["psi"], atol=1e-10)
    np.testing.assert_allclose(run.q[:, :2], given["xy"], atol=1e-10)


def test_steady_circles_of_the_disk():
    """At the lean, turning and spin of the verified cases the height stays."""
    robot, radius = redyn.load("rolling-disk"), GOLDEN["rolling_disk"]["r"]
    from redyn.symbolic.rolling.euler import free_state

    for case in GOLDEN["rolling_disk"]["steady"]:
        theta = case["theta"]
        at = np.array([0.0, radius * np.cos(theta), radius * np.sin(theta), 0.0, theta, 0.0])
        q, omega = free_state(at, np.array([case["psd"], 0.0, case["phd"]]))
        run = redyn.simulate(robot, q, omega, 2.0, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(run.q[:, 2], radius * np.sin(theta), atol=1e-10)


def test_omni_wheels_roll_along_their_heading():
    """Turning on the spot, all wheels spin alike; ahead, the front wheel glides sideways on its rollers."""
    robot = redyn.load("omni")
    spins = robot.rates(robot.neutral(), [0, 0, 1.0])[3:]
    np.testing.assert_allclose(np.abs(spins), 0.2 / 0.05, rtol=1e-12)
    assert len(set(np.sign(spins))) == 1
    np.testing.assert_allclose(robot.rates(robot.neutral(), [1.0, 0, 0])[3:].sum(), 0.0, atol=1e-12)
    assert abs(robot.rates(robot.neutral(), [1.0, 0, 0])[3]) < 1e-12
