"""Robots on wheels against verified numbers, against Pinocchio with multipliers, and the identities of mechanics."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from random_robots import close, on_floats
from vehicles import GOLDEN, NAMES, WheelOracle, described, disk, random_vehicle, sleigh, vehicle

pytestmark = pytest.mark.filterwarnings("ignore:.*do not determine the other rates")
SPINS = ["fl_spin", "fr_spin", "rl_spin", "rr_spin"]


@pytest.mark.parametrize("name", NAMES)
def test_golden_states(name):
    robot, order = vehicle(name), GOLDEN["robots"][name]["order"]
    actuated = [order.index(label) for label in robot.torque_names]
    for case in GOLDEN["cases"][name]:
        q, u, tau = np.array(case["q"]), case["u"], np.array(case["tau"])
        close(robot.rates(q, u), case["qd"])
        close(robot.mass_matrix(q), case["Mu"])
        close(robot.coriolis_vector(q, u), case["bias"])
        close(robot.forward_dynamics(q, u, tau[actuated]), case["ud"], factor=10)
        torque = robot.inverse_dynamics(q, u, case["ud"])
        close(robot.forward_dynamics(q, u, torque), case["ud"], factor=10)
        if name != "mec":
            close(torque, tau[actuated])


def test_mecanum_torques_are_the_least():
    robot = vehicle("mec")
    assert robot.torque_names == SPINS
    assert robot.actuated == SPINS
    case = GOLDEN["cases"]["mec"][0]
    q, u = np.array(case["q"]), np.array(case["u"])
    found, given_torque = robot.inverse_dynamics(q, u, case["ud"]), np.array(case["tau"])[3:]
    unit = np.eye(4)
    still = robot.forward_dynamics(q, u, np.zeros(4))
    effect = np.array([robot.forward_dynamics(q, u, row) - still for row in unit]).T
    close(effect @ found, effect @ given_torque, factor=100)
    idle = np.linalg.svd(effect)[2][-1]  # a combination of torques that moves nothing
    assert abs(idle @ found) < 1e-12
    assert abs(idle @ given_torque) > 1e-3


def test_disk_against_its_equation():
    """Of a thin disk: in the axes of a leaning frame, by Euler angles; its steady motions have no accelerations."""
    entry = GOLDEN["rolling_disk"]
    robot = redyn.load(disk(independent=["body.wx", "body.wy", "body.wz"]))
    A, C, m, r, g = (entry[key] for key in ("A", "C", "m", "r", "g"))
    for steady in entry["steady"]:
        theta, psd, phd = steady["theta"], steady["psd"], steady["phd"]
        spin = phd + psd * np.cos(theta)
        off = (C + m * r**2) * spin * psd * np.sin(theta) - A * psd**2 * np.sin(theta) * np.cos(theta)
        assert abs(off + m * g * r * np.cos(theta)) < 1e-12
        q = np.array([0, 0, r * np.sin(theta), np.sin(theta / 2), 0, 0, np.cos(theta / 2)])
        # Axis z leans by theta about x: z = (0, -sin, cos), yaw about (0, 0, 1), which the body sees as (0, sin, cos).
        w = np.array([0, psd * np.sin(theta), psd * np.cos(theta) + phd])
        acceleration = robot.forward_dynamics(q, w, np.zeros(3))
        # In the body's own axes the angular velocity turns backwards with the spin.
        close(acceleration, np.cross(w, [0, 0, phd]), factor=100)


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_random_vehicles_against_pinocchio(seed):
    robot = redyn.load(random_vehicle(seed), exact=True)
    oracle, rng = WheelOracle(robot), np.random.default_rng(seed)
    q = robot.random(rng)
    if robot.description.links[0].joint.type == "free":
        q[3:5] *= 0.1
        q[3:7] /= np.linalg.norm(q[3:7])
        q = oracle.standing(q)
    u, tau = rng.normal(size=robot.dof), rng.normal(size=len(robot.torque_names))
    rates = robot.rates(q, u)
    assert np.abs(oracle.rows(q) @ rates).max() < 1e-10 * max(1.0, np.abs(rates).max())
    u_dot = robot.forward_dynamics(q, u, tau)
    expected, forces = oracle.forward_dynamics(q, rates, tau)
    step = 1e-5
    ahead, behind = (robot.rates(oracle.moved(q, rates, s), u + s * u_dot) for s in (step, -step))
    size = max(1.0, np.abs(expected).max())
    np.testing.assert_allclose((ahead - behind) / (2 * step), expected, rtol=0, atol=2e-5 * size)
    labels = [link.joint.label for link in robot.model.links]
    if robot.model.reduction.turned is None:
        own = [labels.index(name) for name in robot.velocity_names]
        np.testing.assert_allclose(u_dot, expected[own], rtol=0, atol=1e-7 * size)
    if len(robot.torque_names) == robot.dof:
        np.testing.assert_allclose(robot.inverse_dynamics(q, u, u_dot), tau, rtol=0, atol=1e-9 * max(1, size))
    # What the ground does to the tree is the same, however the wheels of an axle share it.
    total, whole = robot.rolling_forces(q, u, tau), np.zeros(robot.tree.dof)
    for name, point in robot.rolling_points(q).items():
        J = oracle.oracle.jacobian(q, name)
        whole += total[name] @ (J[3:] + np.cross(J[:3], point - oracle.oracle.pose(q, name)[:3, 3], axis=0))
    np.testing.assert_allclose(whole, forces, rtol=0, atol=1e-6 * max(1.0, np.abs(forces).max()))


@pytest.mark.parametrize("name", NAMES)
def test_one_definition_over_any_scalar(name):
    """Kernels, batches, NumPy and floats agree."""
    robot, rng = vehicle(name), np.random.default_rng(1)
    plain = on_floats(robot)
    q = np.array([robot.random(rng) for _ in range(20)])
    u, tau = rng.normal(size=(20, robot.dof)), rng.normal(size=(20, len(robot.torque_names)))
    calls = {
        "forward_dynamics": (q, u, tau),
        "inverse_dynamics": (q, u, u),
        "rates": (q, u),
        "coriolis_matrix": (q, u),
        "kinetic_energy": (q, u),
        "jacobian": (q, "platform"),
        "forward_dynamics_derivatives": (q, u, tau),
    }
    for method, arguments in calls.items():
        many, reference = getattr(robot, method)(*arguments), getattr(plain, method)(*arguments)
        one = getattr(robot, method)(*(x if isinstance(x, str) else x[3] for x in arguments))
        for a, b, c in zip(*(x if isinstance(x, tuple) else (x,) for x in (many, reference, one)), strict=True):
            close(a, b, factor=100)
            close(a[3], c, factor=100)


@pytest.mark.parametrize("name", [*NAMES, "disk", "sleigh"])
def test_identities(name):
    robot = vehicle(name) if name in NAMES else redyn.load({"disk": disk, "sleigh": sleigh}[name]())
    rng = np.random.default_rng(4)
    for _ in range(5):
        q, u, tau = robot.random(rng), rng.normal(size=robot.dof), rng.normal(size=len(robot.torque_names))
        rates = robot.rates(q, u)
        tree = robot.tree
        close(robot.kinetic_energy(q, u), tree.kinetic_energy(q, rates))
        close(u @ robot.mass_matrix(q) @ u / 2, robot.kinetic_energy(q, u))
        close(robot.coriolis_matrix(q, u) @ u, robot.coriolis_vector(q, u), factor=10)
        step = 1e-6
        M = [robot.mass_matrix(tree.integrate(q, rates, s)) for s in (step, -step)]
        skew = (M[0] - M[1]) / (2 * step) - 2 * robot.coriolis_matrix(q, u)
        assert np.abs(skew + skew.T).max() < 1e-6
        u_dot = robot.forward_dynamics(q, u, tau)
        close(robot.solve(q, robot.mass_matrix(q) @ u_dot), u_dot, factor=100)
        close(robot.inverse_mass_matrix(q) @ robot.mass_matrix(q), np.eye(robot.dof), factor=100)
        close(sum(robot.torque_parts(q, u, u_dot)), robot.inverse_dynamics(q, u, u_dot), factor=100)
        Y = robot.regressor(q, u, u_dot)
        smooth = redyn.Robot(robot.description, friction=False)
        close(Y @ robot.parameters, smooth.inverse_dynamics(q, u, u_dot), factor=100)
        frame = robot.link_names[-1]
        J_dot = robot.jacobian_rate(q, u, frame)
        J = [robot.jacobian(tree.integrate(q, rates, s), frame) for s in (step, -step)]
        np.testing.assert_allclose(J_dot, (J[0] - J[1]) / (2 * step), atol=1e-6)
        close(robot.jacobian(q, frame) @ u, tree.jacobian(q, frame) @ rates, factor=10)


@pytest.mark.parametrize("name", [*NAMES, "disk", "sleigh"])
def test_linearize_equals_differences(name):
    robot = vehicle(name) if name in NAMES else redyn.load({"disk": disk, "sleigh": sleigh}[name]())
    rng = np.random.default_rng(2)
    q, u, tau = robot.random(rng), rng.normal(size=robot.dof), rng.normal(size=len(robot.torque_names))
    A, B = robot.linearize(q, u, tau)
    m, n = robot.tree.dof, robot.dof
    assert A.shape == (m + n, m + n)
    assert B.shape == (m + n, len(tau))
    step, span = 1e-4, 1e-6

    def after(dx, du):
        """Where the motion is after a short time, seen from where it is without deviations."""
        start = robot.integrate(q, dx[:m])
        run = redyn.simulate(robot, start, u + dx[m:], step, tau + du, method="rk4", step=step, sample=step)
        return run.q[-1], run.qd[-1]

    q0, u0 = after(np.zeros(m + n), np.zeros(len(tau)))

    def change(dx, du):
        q1, u1 = after(dx, du)
        return np.concatenate([robot.difference(q0, q1), u1 - u0])

    zero_x, zero_u = np.zeros(m + n), np.zeros(len(tau))
    flow = np.array([change(span * e, zero_u) - change(-span * e, zero_u) for e in np.eye(m + n)]).T / (2 * span)
    np.testing.assert_allclose((flow - np.eye(m + n)) / step, A, atol=2e-2 * max(1, np.abs(A).max()))
    drive = np.array([change(zero_x, span * e) - change(zero_x, -span * e) for e in np.eye(len(tau))]).T / (2 * span)
    np.testing.assert_allclose(drive / step, B, atol=2e-2 * max(1, np.abs(B).max()))
    A2, B2 = robot.linearize(q, u, tau, step=step)
    np.testing.assert_allclose(flow, A2, atol=1e-6)
    np.testing.assert_allclose(drive, B2, atol=1e-6)
    many = robot.linearize(np.array([q, q]), np.array([u, u]), np.array([tau, tau]))
    close(many[0][1], A)


def test_forces_on_wheels_carry_the_cart():
    """On a straight start the ground's push is mass times acceleration, and coaxial wheels share what is sideways."""
    robot = vehicle("agv")
    q = robot.neutral()
    forces = robot.rolling_forces(q, [0, 0], [0.4, 0.4])
    u_dot = robot.forward_dynamics(q, [0, 0], [0.4, 0.4])
    assert abs(sum(forces.values())[0] - robot.total_mass * 0.1 * u_dot[0]) < 1e-10
    turning = robot.rolling_forces(q, [3.0, 5.0], [0.0, 0.0])
    assert abs(turning["left"][1] - turning["right"][1]) < 1e-12
    assert turning["left"][1] > 0.1


def test_free_base_carries_its_weight():
    """Three wheels under a free base: the forces of the ground are unique, and hold it up."""
    seed = next(k for k in range(100) if random_vehicle(k)["name"].startswith("steered"))
    description = random_vehicle(seed)
    links = [link for link in description["links"] if link["name"] in ("platform", "rear", "fork", "front")]
    links[0] |= {"joint": {"name": "base", "type": "free"}, "xyz": [0, 0, 0]}
    wheels = [wheel for wheel in description["rolling"] if wheel["wheel"] in ("rear", "front")]
    robot = redyn.load({**description, "links": links, "rolling": wheels})
    q = robot.neutral()
    tau = robot.inverse_dynamics(q, np.zeros(robot.dof), np.zeros(robot.dof))
    forces = robot.rolling_forces(q, np.zeros(robot.dof), tau)
    assert abs(sum(forces.values())[2] - 9.81 * robot.total_mass) < 1e-8


def test_singular_choices_are_named_with_a_better_one():
    with pytest.warns(redyn.RedynWarning, match="rear_spin and steer do not determine .*; steer and front_spin do"):
        robot = redyn.load(described("car", independent=["rear_spin", "steer"]))
    q = robot.neutral()
    q[4] = np.pi / 2
    with pytest.raises(redyn.SingularError, match=r"rear_spin, steer do not determine .* \[steer, front_spin\]"):
        robot.forward_dynamics(q, [1.0, 0.0], [0.0, 0.0])
    with pytest.raises(redyn.SingularError, match="in row 1"):
        robot.forward_dynamics(np.array([0 * q, q]), [1.0, 0.0], [0.0, 0.0])
    better = redyn.load(described("car"))
    assert better.velocity_names == ["steer", "front_spin"]
    assert np.isfinite(better.forward_dynamics(q, [0.0, 1.0], [0.0, 0.0])).all()


def test_sleigh_is_never_singular():
    robot = redyn.load(sleigh())
    assert robot.velocity_names == ["base.vx", "base.angle"]
    for angle in np.linspace(0, 2 * np.pi, 9):
        rates = robot.rates([0, 0, angle], [2.0, 0.5])
        close(rates, [2 * np.cos(angle), 2 * np.sin(angle), 0.5])


def test_a_disk_that_lies_flat_has_places_and_no_rates():
    robot = redyn.load(disk())
    close(robot.forward_kinematics(robot.neutral(), "disk"), np.eye(4))
    close(robot.potential_energy(robot.neutral()), 0.0)
    with pytest.raises(redyn.SingularError, match="do not determine"):
        robot.forward_dynamics(robot.neutral(), [1.0, 0.0, 0.0], [0.0, 0.0, 0.0])


def test_too_few_actuators():
    robot = redyn.load(described("agv", actuated=["left_spin"]))
    assert robot.torque_names == ["left_spin"]
    q = robot.neutral()
    u_dot = robot.forward_dynamics(q, [1.0, 0.5], [0.3])
    close(robot.inverse_dynamics(q, [1.0, 0.5], u_dot), [0.3], factor=100)
    with pytest.raises(redyn.InputError, match=r"actuated joints \(left_spin\) cannot supply"):
        robot.inverse_dynamics(q, [1.0, 0.5], [1.0, 1.0])


def test_what_depends_on_q_says_so():
    robot = vehicle("agv")
    with pytest.raises(redyn.InputError, match="depends on q as well"):
        robot.friction_torque([1.0, 1.0])
