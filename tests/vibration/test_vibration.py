"""Natural frequencies, sag, centre lines, frequency responses."""

import json
from pathlib import Path

import numpy as np
import pytest
import yaml

import redyn

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "golden_flex.json").read_text())


def hub_beam(entry, count):
    rigid = {"inertia": [entry["hub_inertia"] / 2, entry["hub_inertia"] / 2, entry["hub_inertia"]]}
    tip = {"mass": entry["tip_mass"], "inertia": [entry["tip_inertia"] / 2] * 2 + [entry["tip_inertia"]]}
    beam = {"length": entry["L"], "rho_A": entry["rhoA"], "EI": entry["EI"], "modes": [count, 0, 0], "hub": rigid}
    links = [{"joint": "revolute", "flexible": beam | {"tip": tip}}]
    return redyn.load({"name": "hub", "convention": "frames", "gravity": [0, 0, 0], "links": links})


@pytest.mark.parametrize("entry", GOLDEN["hub_beam"], ids=["loaded", "bare"])
def test_a_beam_on_a_hub(entry):
    """Assumed modes of the truth to rounding, the exact roots within 0.02 % with two modes."""
    for count, expected in entry["omega_assumed_modes"].items():
        robot = hub_beam(entry, int(count))
        np.testing.assert_allclose(robot.frequencies([0.0] * robot.nq), expected, rtol=1e-9)
    two = hub_beam(entry, 2).frequencies([0.0, 0.0, 0.0])
    np.testing.assert_allclose(two, entry["omega_exact"][:2], rtol=2e-4)


@pytest.mark.parametrize("entry", GOLDEN["two_link_frequencies_fe"], ids=["straight", "bent"])
@pytest.mark.parametrize("loaded_at", [0.0, np.pi / 2])
def test_two_links_against_finite_elements(entry, loaded_at):
    data = yaml.safe_load(redyn.load("flexible-two-link").to_yaml())
    data["links"][1]["joint"]["initial"] = loaded_at  # where the modes of the first link are computed
    robot = redyn.load(data)
    q = np.array([0.3, 0, 0, entry["theta2"], 0, 0])
    free = robot.frequencies(q) / (2 * np.pi)
    np.testing.assert_allclose(free[:3], entry["free_Hz"], rtol=2e-4)
    locked = robot.frequencies(q, locked=robot.joint_names) / (2 * np.pi)
    np.testing.assert_allclose(locked, entry["locked_Hz"], rtol=2e-4)


def test_a_chain_of_rods_comes_near():
    """Rigid rods with springs between them, another model of the same beam: 1 / N^2 away from it."""
    L, rho, EI, payload = 0.5, 0.2, 1.0, 0.1
    beam = {"length": L, "rho_A": rho, "EI": EI, "modes": [3, 0, 0], "tip": {"mass": payload}}
    base = {"joint": "revolute", "mass": 0.0}
    flexible = redyn.load({"name": "beam", "convention": "frames", "links": [base | {"flexible": beam}]})
    expected = flexible.frequencies([0.0] * 4, locked=["joint1"])[:2]
    errors = []
    for count in (8, 16):
        h = L / count
        rod = {"mass": rho * h, "com": [h / 2, 0, 0], "inertia": [0, rho * h**3 / 12, rho * h**3 / 12]}
        links = [rod | {"joint": {"type": "revolute", "stiffness": 2 * EI / h}}]
        links += [
            rod | {"joint": {"type": "revolute", "stiffness": EI / h}, "xyz": [h, 0, 0]} for _ in range(count - 1)
        ]
        links.append({"joint": "fixed", "xyz": [h, 0, 0], "mass": payload, "com": [0, 0, 0], "inertia": [0, 0, 0]})
        chain = redyn.load({"name": "rods", "convention": "frames", "links": links})
        errors.append(np.abs(chain.frequencies(np.zeros(count))[:2] / expected - 1))
    assert (errors[1] < 0.006).all()
    assert (errors[0] / errors[1] > 3).all()


def test_pendulum_and_what_falls():
    """Weight drives a hanging arm back; upright it has no frequency."""
    robot = redyn.load("one-link")
    assert robot.frequencies([0.0]) == pytest.approx([np.sqrt(9.81 * 1.5)])  # gravity is along x
    assert len(robot.frequencies([np.pi])) == 0
    assert len(robot.frequencies([0.0], locked=["joint1"])) == 0


def beside_a_beam(stiffness, axis=(0, 0, 1)):
    """A pendulum of 20 m, a joint that turns about the vertical, and a beam; gravity along the axis of that joint."""
    axis = np.asarray(axis) / np.linalg.norm(axis)
    down = {"gravity": (-9.81 * axis).tolist()}
    across = np.cross(axis, [0.3, -0.5, 0.8])
    beam = {"length": 0.1, "rho_A": 0.1, "EI": stiffness, "modes": [3, 3, 0]}
    pendulum = {
        "name": "pendulum",
        "axis": across.tolist(),
        "mass": 1.0,
        "com": (-20.0 * axis).tolist(),
        "inertia": [0, 0, 0],
    }
    turning = {
        "name": "turning",
        "axis": axis.tolist(),
        "mass": 2.0,
        "com": [0.3, 0.1, -0.2],
        "inertia": [0.1, 0.1, 0.1],
    }
    still = {"name": "beam", "joint": "fixed", "flexible": beam}
    links = [{"joint": "revolute", "parent": "world", **link} for link in (pendulum, turning, still)]
    return redyn.load({"name": "stiff-and-slow", "convention": "frames", "links": links, **down}, exact=True)


@pytest.mark.parametrize("stiffness", [1.0, 1e6, 1e12])
def test_slow_modes_beside_stiff_ones(stiffness):
    """However stiff the beam: the pendulum has its frequency, and what turns about the vertical has none."""
    for axis in ((0, 0, 1), (0.6, -0.3, 0.9), (-0.1, 0.7, 0.2)):
        robot = beside_a_beam(stiffness, axis)
        found = robot.frequencies(robot.initial)
        assert len(found) == robot.dof - 1
        assert found[0] == pytest.approx(np.sqrt(9.81 / 20), rel=1e-9)
        shapes = robot.vibration(robot.initial).shapes
        np.testing.assert_allclose(shapes.T @ robot.mass_matrix(robot.initial) @ shapes, np.eye(len(found)), atol=1e-9)


def test_elastic_gears():
    """Locked motors: springs against the links; free ones: motors swing as well."""
    robot = redyn.load("elastic-joint-arm")
    q = robot.sag(robot.initial)
    locked = robot.frequencies(q, locked=robot.joint_names)
    assert len(locked) == 2
    assert len(robot.frequencies(q)) > 2
    rigid = robot.rigid()
    M = rigid.mass_matrix(q[1::2]) - np.diag([1.2, 0.5])
    K = rigid.inverse_dynamics_derivatives(q[1::2], [0, 0], [0, 0])[0] + np.diag([4000, 1500])
    np.testing.assert_allclose(locked**2, np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real), rtol=1e-10)


def test_shapes():
    robot = redyn.load("flexible-space-arm")
    modes = robot.vibration(robot.initial, locked=robot.joint_names[1:])
    M, K = robot.mass_matrix(robot.initial), robot.inverse_dynamics_derivatives(robot.initial, *[np.zeros(19)] * 2)[0]
    held = [robot.velocity_names.index(name) for name in robot.joint_names[1:]]
    assert not modes.shapes[held].any()
    np.testing.assert_allclose(modes.shapes.T @ M @ modes.shapes, np.eye(len(modes.frequencies)), atol=1e-9)
    assert (np.diff(modes.frequencies) >= 0).all()
    stiffness = modes.shapes.T @ K @ modes.shapes
    np.testing.assert_allclose(np.diag(stiffness), modes.frequencies**2, rtol=1e-9)
    assert ((modes.damping_ratios > 0.001) & (modes.damping_ratios < 0.02)).all()
    assert max(modes.share(0).values()) == 1.0


def test_sag_is_at_rest():
    for name in ("flexible-beam", "elastic-joint-arm"):
        robot = redyn.load(name)
        q = robot.sag(robot.random(1))
        still = np.zeros(robot.dof)
        needed = robot.inverse_dynamics(q, still, still)
        assert np.abs(needed[robot.model.undriven]).max() < 1e-11
        assert robot.forward_dynamics(q, still, needed) == pytest.approx(0.0, abs=1e-9)
    robot = redyn.load("flexible-beam")
    pushed = robot.sag([0.0, 0.0, 0.0], external={"link1": [0, 0, 0, 0, 0.5, 0]}, gravity=[0, 0, 0])
    lifted = robot.forward_kinematics(pushed)[1, 3]
    assert lifted == pytest.approx(0.5 * 0.5**3 / 3, rel=2e-3)
    rows = robot.sag([[0.0, 0, 0], [1.0, 0, 0]])
    np.testing.assert_allclose(rows[1], robot.sag([1.0, 0, 0]), atol=1e-13)


def test_a_load_that_buckles():
    beam = {"length": 1.0, "rho_A": 0.1, "EI": 1.0, "modes": [2, 0, 0], "tip": {"mass": 0.4}}
    links = [{"joint": "fixed", "flexible": beam}]
    down = redyn.load({"name": "mast", "convention": "frames", "gravity": [-9.81, 0, 0], "links": links})
    with pytest.raises(redyn.SingularError, match="buckles"):
        down.sag(down.neutral())  # Euler: pi^2 / 4 = 2.47 N; the tip weighs 3.9 N
    up = redyn.load({"name": "rope", "convention": "frames", "gravity": [9.81, 0, 0], "links": links})
    weightless = redyn.load({"name": "rod", "convention": "frames", "gravity": [0, 0, 0], "links": links})
    assert up.frequencies([0, 0])[0] > weightless.frequencies([0, 0])[0]


def test_loads_that_are_given_buckle_as_well():
    """A force along a strut, or gravity other than the robot's own: Euler's load is 24.67 N."""
    beam = {"length": 1.0, "rho_A": 1e-3, "EI": 10.0, "modes": [3, 3, 0], "tip": {"mass": 1.0}}
    links = [{"joint": "fixed", "flexible": beam}]
    strut = redyn.load({"name": "strut", "convention": "frames", "gravity": [0, 0, 0], "links": links})

    tip = {}
    for along in (0.0, 24.0):
        q = strut.sag(strut.neutral(), external={"link1.tip": [0, 0, 0, -along, 0.01, 0]})
        tip[along] = strut.forward_kinematics(q, "link1.tip")[1, 3]
    ratio = np.sqrt(24.0 / 10.0)  # of a beam-column: the deflection is F / (P k) (tan k - k), k = sqrt(P / EI)
    assert tip[24.0] == pytest.approx(0.01 / (24.0 * ratio) * (np.tan(ratio) - ratio), rel=1e-2)
    assert tip[0.0] == pytest.approx(0.01 / 30.0, rel=1e-3)
    for load in ({"external": {"link1.tip": [0, 0, 0, -25.0, 0, 0]}}, {"gravity": [-25.0, 0, 0]}):
        with pytest.raises(redyn.SingularError, match="its load buckles it"):
            strut.sag(strut.neutral(), **load)


def test_eulers_buckling_load():
    """The lowest frequency of a mast vanishes at pi^2 EI / 4 L^2, to what two modes and a light beam give."""

    def lowest(force):
        beam = {"length": 1.0, "rho_A": 1e-4, "EI": 1.0, "modes": [2, 0, 0], "tip": {"mass": force / 9.81}}
        links = [{"joint": "fixed", "flexible": beam}]
        robot = redyn.load({"name": "mast", "convention": "frames", "gravity": [-9.81, 0, 0], "links": links})
        return len(robot.frequencies([0.0, 0.0]))

    limit = np.pi**2 / 4
    assert lowest(0.98 * limit) == 2
    assert lowest(1.02 * limit) == 1


def test_centre_line():
    robot = redyn.load("flexible-space-arm")
    q = robot.random(3)
    for link in ("left-panel", "upper-boom"):
        line = robot.shape(q, link, 9)
        np.testing.assert_allclose(line[0], robot.forward_kinematics(q, f"{link}.root")[:3, 3], atol=1e-13)
        np.testing.assert_allclose(line[-1], robot.forward_kinematics(q, f"{link}.tip")[:3, 3], atol=1e-12)
    fine = robot.shape(q, "upper-boom", 400)
    length = np.linalg.norm(np.diff(fine, axis=0), axis=1).sum()
    assert length == pytest.approx(2.5, abs=2e-5)  # foreshortening keeps the length, to second order
    with pytest.raises(redyn.InputError, match="no flexible link"):
        robot.shape(q, "shoulder")


def test_response_is_that_of_linearize():
    robot = redyn.load("flexible-two-link")
    q = robot.initial
    omega = np.array([0.5, 3.0, 20.0])
    response = robot.frequency_response(q, "joint2", "link2", [0, 1, 0], omega)
    A, B = robot.linearize(q, np.zeros(6), np.zeros(6))
    C = np.concatenate([robot.jacobian(q, "link2")[4], np.zeros(6)])
    expected = [C @ np.linalg.solve(1j * w * np.eye(12) - A, B[:, 3]) for w in omega]
    np.testing.assert_allclose(response.values, expected, rtol=1e-9)
    assert response.torque == "joint2"
    with pytest.raises(redyn.InputError, match="'joint9' is no joint that is free"):
        robot.frequency_response(q, "joint9")


def test_clear_errors():
    robot = redyn.load("flexible-two-link")
    with pytest.raises(redyn.InputError, match="no joint is called 'joint3'; did you mean"):
        robot.frequencies(robot.initial, locked=["joint3"])
    with pytest.raises(redyn.InputError, match="locked: expected names of joints, got 5"):
        robot.frequencies(robot.initial, locked=5)
    with pytest.raises(redyn.InputError, match="one configuration"):
        robot.frequencies(np.zeros((2, 6)))
    with pytest.raises(redyn.InputError, match="closed loops or wheels"):
        redyn.load("four-bar").frequencies([0, 0, 0])


def test_bode(tmp_path):
    robot = redyn.load("flexible-beam")
    response = robot.frequency_response(robot.initial)
    assert response.phase[0] == pytest.approx(-180, abs=1)
    redyn.bode([response, response], tmp_path / "bode.png", ["one", "two"])
    assert (tmp_path / "bode.png").stat().st_size > 10_000
    with pytest.raises(redyn.InputError, match="1 response and 2 names"):
        redyn.bode(response, names=["a", "b"])
