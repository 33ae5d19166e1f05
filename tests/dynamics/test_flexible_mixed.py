"""Links that bend in robots with closed loops, on wheels and on the ground."""

import numpy as np
import pytest
import yaml

import redyn


def four_bar():
    """Its coupler bends; what is fixed to it, the loop's pin too, is on its tip."""
    data = yaml.safe_load(redyn.load("four-bar").to_yaml())
    coupler = next(link for link in data["links"] if link["name"] == "coupler")
    for field in ("mass", "com", "inertia"):
        coupler.pop(field)
    coupler["flexible"] = {"length": 0.1, "rho_A": 30.0, "EI": 3.0, "modes": [2, 0, 0]}
    return redyn.load(data)


def test_a_coupler_that_bends():
    """Forward dynamics against multipliers, the tree's matrices and differences of the loop's rows."""
    robot = four_bar()
    tree = robot.tree
    assert robot.mobility == 3
    assert robot.independent == ["crank", "coupler.y1", "coupler.y2"]
    q = robot.random(2)
    qd = robot.transmission(q) @ [1.0, 0.05, 0.02]
    tau = np.zeros(robot.dof)
    tau[0] = 1.3
    J, step = robot.loop_jacobian(q), 1e-6
    rate = (robot.loop_jacobian(q + step * qd) - robot.loop_jacobian(q - step * qd)) / 2 / step
    count = len(J)
    whole = np.block([[tree.mass_matrix(q), -J.T], [J, np.zeros((count, count))]])
    forces = np.concatenate([tau - tree.inverse_dynamics(q, qd, np.zeros(robot.dof)), -rate @ qd])
    expected = np.linalg.lstsq(whole, forces, rcond=1e-13)[0][: robot.dof]
    found = robot.forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(found, expected, atol=1e-7 * np.abs(expected).max())
    with pytest.raises(redyn.InputError, match="in a robot with closed loops, actuators cannot supply the forces"):
        robot.inverse_dynamics(q, qd, found)


def test_a_run_with_a_closed_loop():
    robot = four_bar()
    run = redyn.simulate(robot, robot.initial, np.zeros(robot.dof), 0.2, method="rosenbrock", rtol=1e-8)
    assert np.abs(run.energy.balance).max() < 1e-8
    assert np.abs(robot.loop_error(run.q)).max() < 1e-9
    assert np.abs(run.q[:, 3]).max() > 1e-5


def wheeled():
    """A mast on a differential drive."""
    data = yaml.safe_load(redyn.load("differential-drive").to_yaml())
    beam = {"length": 1.0, "rho_A": 0.5, "EI": 5.0, "modes": [1, 1, 0], "tip": {"mass": 0.5}}
    base = data["links"][0]["name"]
    mount = {"xyz": [0, 0, 0.2], "rpy": [0, -np.pi / 2, 0], "joint": {"type": "fixed", "name": "clamp"}}
    data["links"].append({"name": "mast", "parent": base, "flexible": beam} | mount)
    return redyn.load(data)


def test_a_mast_on_wheels():
    robot = wheeled()
    assert robot.torque_names == ["left_spin", "right_spin"]
    assert robot.velocity_names == ["left_spin", "right_spin", "mast.y1", "mast.z1"]
    q, u = robot.random(1), np.array([1.0, -0.5, 0.1, 0.05])
    G = np.array([robot.rates(q, e) for e in np.eye(robot.dof)]).T
    np.testing.assert_allclose(robot.mass_matrix(q), G.T @ robot.tree.mass_matrix(q) @ G, atol=1e-12)
    tau = np.array([0.5, 0.2])
    acceleration = robot.forward_dynamics(q, u, tau)
    step = 1e-6
    later, earlier = (robot.rates(robot.integrate(q, robot.rates(q, u), s * step), u) for s in (1, -1))
    whole = G @ acceleration + (later - earlier) / 2 / step
    needed = robot.tree.inverse_dynamics(q, robot.rates(q, u), whole)
    driven = np.zeros(robot.tree.dof)
    driven[[robot.tree.velocity_names.index(name) for name in robot.torque_names]] = tau
    np.testing.assert_allclose(G.T @ needed, G.T @ driven, atol=1e-6)
    run = redyn.simulate(robot, robot.initial, np.zeros(4), 1.0, torque=[0.5, 0.4], rtol=1e-9)
    assert np.abs(run.energy.balance).max() < 1e-9
    with pytest.raises(redyn.InputError, match="in a robot with wheels, actuators cannot supply"):
        robot.gravity_torque(q)


def test_an_arm_that_falls_on_the_ground():
    data = yaml.safe_load(redyn.load("flexible-beam").to_yaml())
    data["contacts"] = [{"link": "link1", "radius": 0.01}]
    robot = redyn.load(data)
    ground = {"height": -0.2, "normal": [0, 1, 0]}
    run = redyn.simulate(robot, [0.6, 0, 0], [0, 0, 0], 0.8, ground=ground, method="rosenbrock", rtol=1e-7)
    assert np.abs(run.energy.balance).max() < 1e-6
    assert robot.forward_kinematics(run.q)[:, 1, 3].min() == pytest.approx(-0.19, abs=0.02)
    pressed = [k for k in range(len(run.t)) if robot.contact_states(run.q[k], run.qd[k], ground).gaps[0] < -1e-4]
    q, qd = run.q[pressed[0]], run.qd[pressed[0]]
    by_q = robot.forward_dynamics_derivatives(q, qd, np.zeros(3), ground=ground)[0]
    step = 1e-7

    def acceleration(at):
        force = robot.contact_states(at, qd, ground)
        wrench = np.concatenate([np.zeros(3), force.forces[0]])
        lever = force.points[0] - robot.forward_kinematics(at)[:3, 3]
        wrench[:3] = np.cross(lever, force.forces[0])
        return robot.forward_dynamics(at, qd, np.zeros(3), external={"link1": wrench})

    expected = np.array([(acceleration(q + step * e) - acceleration(q - step * e)) / 2 / step for e in np.eye(3)]).T
    np.testing.assert_allclose(by_q, expected, rtol=2e-5, atol=1e-5 * np.abs(expected).max())


def test_mimic_joints_with_beams():
    """A joint that follows another, with flexible links on both."""
    beam = {"length": 0.4, "rho_A": 0.3, "EI": 4.0, "modes": [1, 0, 0]}
    links = [
        {"name": "a", "joint": {"type": "revolute", "name": "lead"}, "flexible": beam},
        {
            "name": "b",
            "joint": {"type": "revolute", "name": "follow", "mimic": {"joint": "lead", "multiplier": -2.0}},
            "xyz": [0.4, 0, 0],
            "flexible": beam,
        },
    ]
    data = {"name": "pair", "convention": "frames", "gravity": [0, -9.81, 0], "links": links}
    tied, free = (
        redyn.load(data, mimic="couple"),
        redyn.load(data | {"links": [links[0], links[1]]}, mimic="independent"),
    )
    assert tied.velocity_names == ["lead", "a.y1", "b.y1"]
    q, u, acceleration = np.array([0.3, 0.01, -0.02]), np.array([0.5, 0.1, 0.2]), np.array([1.0, -1.0, 2.0])
    G = np.array([[1.0, 0, 0], [0, 1, 0], [-2, 0, 0], [0, 0, 1]])
    np.testing.assert_allclose(
        tied.inverse_dynamics(q, u, acceleration),
        G.T @ free.inverse_dynamics(G @ q, G @ u, G @ acceleration),
        atol=1e-12,
    )


def test_a_wheel_behind_an_elastic_gear():
    """It has two rates, of which a file names one that is independent, or none at all."""
    data = yaml.safe_load(redyn.load("differential-drive").to_yaml())
    data["links"][2]["joint"] |= {"elastic": {"stiffness": 100}, "armature": 0.1}
    with pytest.raises(redyn.DescriptionError, match=r"no rate is called 'right_spin'; use .*right_spin\.motor"):
        redyn.load(data)
    data["independent"] = None
    robot = redyn.load(data)
    run = redyn.simulate(robot, robot.initial, np.zeros(robot.dof), 0.5, torque=[0.05] * 2, rtol=1e-9)
    assert np.abs(run.energy.balance).max() < 1e-9
