"""Joint springs: beside MuJoCo, by identities, in closed form, in files, kernels and simulations."""

import warnings

import casadi
import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn

ARM = """<mujoco><compiler angle="radian"/>
  <option gravity="0.3 -1 -9.81"><flag energy="enable" contact="disable"/></option>
  <worldbody><body pos="0 0 1">
    <joint name="hinge" axis="0 1 0.3" stiffness="7" springref="0.4" damping="0.2"/>
    <geom type="capsule" size=".05 .2" pos="0.1 0 0.2"/>
    <body pos="0 0 .4" euler="0.3 0.2 0">
      <joint name="slide" type="slide" axis="1 0 0.2" stiffness="120" springref="-0.05" ref="0.1" armature="0.1"/>
      <geom type="box" size=".1 .05 .07" pos="0.1 0.02 0"/>
      <body pos="0.2 0 0"><joint name="last" axis="1 0 0" stiffness="3"/>
        <geom type="sphere" size=".08" pos="0.1 0.1 0"/></body></body></body></worldbody></mujoco>"""


def sprung(name, **more):
    """A robot of the library, every joint with a spring."""
    description = redyn.load(name).description
    links = [
        link.model_copy(update={"joint": link.joint.model_copy(update={"stiffness": 4.0 + i, "rest": 0.2 - 0.3 * i})})
        for i, link in enumerate(description.links)
    ]
    return redyn.Robot(description.model_copy(update={"links": links}), **more)


def pendulum(**joint):
    rod = {"a": 1.0, "b": 0, "alpha": 0, "mass": 3.0, "r": [0.5, 0, 0], "inertia": {"yy": 0.25, "zz": 0.25}}
    return redyn.load(
        {
            "name": "rod",
            "convention": "dh",
            "gravity": [0, 0, 0],
            "links": [{"joint": {"type": "revolute", **joint}, **rod}],
        }
    )


def test_like_mujoco(tmp_path):
    """Hinges and a slide with other places of rest: torques, accelerations and the energy."""
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    robot = redyn.load(path, exact=True)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    for q, qd, x in np.random.default_rng(0).normal(size=(20, 3, 3)):
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, x
        mujoco.mj_inverse(model, data)
        assert np.abs(robot.inverse_dynamics(q, qd, x) - data.qfrc_inverse).max() < 1e-10
        data.qfrc_applied[:] = x
        mujoco.mj_forward(model, data)
        assert np.abs(robot.forward_dynamics(q, qd, x) - data.qacc).max() < 1e-10
        assert abs(robot.potential_energy(q) - data.energy[0]) < 1e-10
        assert np.abs(robot.spring_torque(q) + robot.friction_torque(qd) + data.qfrc_passive).max() < 1e-10


def test_springs_that_redyn_lacks_are_said(tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "ball.xml"
    path.write_text(ARM.replace('name="last" axis="1 0 0"', 'name="last" type="ball"'))
    with pytest.warns(redyn.RedynWarning, match=r"springs of ball and free joints \(1\)"):
        robot = redyn.load(path)
    assert [link.joint.stiffness for link in robot.description.links if link.joint.type == "revolute"] == [7.0]


@settings(max_examples=15)
@given(st.sampled_from(["puma", "stanford"]), st.integers(0, 10**6))
def test_identities(name, seed):
    """Forward undoes inverse dynamics, parts add up, the torque is the slope of the energy; derivatives."""
    robot = sprung(name)
    q, qd, x = np.random.default_rng(seed).uniform(-1, 1, (3, robot.dof))
    tau = robot.inverse_dynamics(q, qd, x)
    assert np.allclose(robot.forward_dynamics(q, qd, tau), x, rtol=0, atol=1e-9)
    assert np.allclose(robot.forward_dynamics(q, qd, tau, method="cholesky"), x, rtol=0, atol=1e-8)
    assert np.allclose(sum(robot.torque_parts(q, qd, x)), tau, rtol=0, atol=1e-11)
    joints = [link.joint for link in robot.description.links]
    springs = [joint.stiffness * (value - joint.rest) for joint, value in zip(joints, q, strict=True)]
    assert np.allclose(robot.spring_torque(q), springs, rtol=0, atol=1e-14)
    everything = robot.all_parameters(friction=True, armature=True)
    assert np.allclose(robot.regressor(q, qd, x, friction=True, armature=True) @ everything, tau - springs)
    bare = redyn.load(name)
    by_q = robot.inverse_dynamics_derivatives(q, qd, x)[0] - bare.inverse_dynamics_derivatives(q, qd, x)[0]
    assert np.allclose(by_q, np.diag([joint.stiffness for joint in joints]), rtol=0, atol=1e-10)
    h = 1e-6 * np.eye(robot.dof)
    slope = [(robot.potential_energy(q + d) - robot.potential_energy(q - d)) / 2e-6 for d in h]
    assert np.allclose(slope, robot.gravity_torque(q) + springs, rtol=0, atol=1e-6)
    forward = [(robot.forward_dynamics(q + d, qd, tau) - robot.forward_dynamics(q - d, qd, tau)) / 2e-6 for d in h]
    found = robot.forward_dynamics_derivatives(q, qd, tau)[0]
    assert np.abs(np.transpose(forward) - found).max() < 1e-6 * max(1.0, np.abs(found).max())


def test_all_arithmetics_agree():
    """Kernels one by one and in lanes, floats and CasADi."""
    robot = sprung("puma")
    q, qd, x = np.random.default_rng(1).uniform(-1, 1, (3, 37, 6))
    batch = robot.inverse_dynamics(q, qd, x)
    assert np.allclose([robot.inverse_dynamics(*s) for s in zip(q, qd, x, strict=True)], batch, rtol=0, atol=1e-12)
    function = robot.casadi("inverse_dynamics")
    assert np.allclose(function(*(casadi.DM(v[0]) for v in (q, qd, x))).full()[:, 0], batch[0], rtol=0, atol=1e-12)
    on_floats = robot.evaluator.kernels
    robot.evaluator.kernels = None
    try:
        assert np.allclose(robot.forward_dynamics(q, qd, batch), x, rtol=0, atol=1e-9)
    finally:
        robot.evaluator.kernels = on_floats


def test_long_chains():
    """Rolled kernels have the springs, at angles of many turns as well."""
    rod = {"joint": {"type": "revolute", "stiffness": 3.0, "rest": 0.1, "damping": 0.1}, "a": 0.1, "b": 0, "alpha": 0.3}
    rod |= {"mass": 0.1, "r": [0.05, 0, 0], "inertia": {"xx": 1e-4, "yy": 1e-4, "zz": 1e-4}}
    links = [rod | {"joint": rod["joint"] | {"stiffness": 3.0 + i % 3}} for i in range(100)]
    robot = redyn.load({"name": "chain", "convention": "dh", "links": links})
    bare = redyn.load(
        {"name": "bare", "convention": "dh", "links": [k | {"joint": k["joint"] | {"stiffness": 0}} for k in links]}
    )
    q, qd, x = np.random.default_rng(2).uniform(-0.5, 0.5, (3, 5, 100))
    stiffness = np.array([3.0 + i % 3 for i in range(100)])
    for turns in (0.0, 3e14):
        at = q.copy()
        at[:, 7] += turns
        tau = robot.inverse_dynamics(at, qd, x)
        expected = bare.inverse_dynamics(at, qd, x) + stiffness * (at - 0.1)
        assert np.abs(tau - expected).max() < 1e-12 * np.abs(expected).max()
        assert np.abs(robot.forward_dynamics(at, qd, tau) - x).max() < 1e-8 * max(1.0, np.abs(tau).max())


def test_a_followers_spring_acts_on_its_leader():
    data = yaml.safe_load(redyn.load("two-link").to_yaml())
    data["links"][1]["joint"] = {
        "type": "revolute",
        "stiffness": 5,
        "rest": 0.3,
        "mimic": {"joint": "joint1", "multiplier": -2, "offset": 0.1},
    }
    robot = redyn.load(data, mimic="couple")
    q = 0.4
    follower = -2 * q + 0.1
    assert robot.spring_torque([q]) == pytest.approx([-2 * 5 * (follower - 0.3)])
    del data["links"][1]["joint"]["stiffness"]
    bare = redyn.load(data, mimic="couple")
    stored = robot.potential_energy([q]) - bare.potential_energy([q])
    assert stored == pytest.approx(5 * (follower - 0.3) ** 2 / 2)
    run = redyn.simulate(robot, [q], [0.0], 2.0, rtol=1e-10)
    assert np.abs(run.energy.balance).max() < 1e-7


def test_an_oscillator_in_closed_form():
    """One rod without weight on a spring: q = rest + (q0 - rest) cos(w t), by every kind of run."""
    robot = pendulum(stiffness=5, rest="30 deg")
    inertia = 0.25 + 3.0 * 0.25
    t = np.linspace(0, 4, 401)
    exact = np.pi / 6 + (1.0 - np.pi / 6) * np.cos(np.sqrt(5 / inertia) * t)
    run = redyn.simulate(robot, [1.0], [0.0], 4.0, rtol=1e-12, atol=1e-13)
    assert np.abs(run.q[:, 0] - exact).max() < 1e-9
    assert np.abs(run.energy.balance).max() < 1e-11
    assert np.ptp(run.energy.potential) > 0.1
    batch = redyn.simulate_batch(robot, [[1.0]] * 9, [0.0], 4.0, step=1e-3, sample=0.01)
    assert np.abs(batch.q[:, :, 0] - exact[:, None]).max() < 1e-9
    A, _ = robot.linearize([0.2], [0.0], [0.0])
    assert A[1, 0] == pytest.approx(-5 / inertia)


def test_pd_control_holds_the_springs_off():
    robot = sprung("two-link")
    run = redyn.simulate(
        robot, [0.0, 0.0], [0.0, 0.0], 8.0, torque=redyn.control.pd_gravity(robot, [0.5, -0.4], 60, 25)
    )
    assert np.abs(run.q[-1] - [0.5, -0.4]).max() < 1e-4


def test_files():
    robot = sprung("stanford")
    assert redyn.load(yaml.safe_load(robot.to_yaml())).description == robot.description
    assert robot.lock({"joint2": 0.1}).description.links[2].joint.stiffness == 6.0
    assert robot.subtree("link3").description.links[0].joint.stiffness == 6.0
    both = robot.attach(redyn.load("two-link"))
    assert [link.joint.stiffness for link in both.description.links][:6] == [4.0, 5.0, 6.0, 7.0, 8.0, 9.0]
    assert sprung("puma", friction=False).spring_torque(np.ones(6)).all()
    with pytest.warns(redyn.RedynWarning, match=r"joint1: URDF cannot express its spring, of stiffness 4\.0"):
        assert "spring: stiffness 4.0, at rest at 0.2" in robot.to_urdf()
    assert pendulum(stiffness=5, rest="90 deg").description.links[0].joint.rest == pytest.approx(np.pi / 2)


@pytest.mark.parametrize(
    ("joint", "message"),
    [
        ({"type": "revolute", "stiffness": -1}, "greater than or equal to 0"),
        ({"type": "revolute", "stiffness": "stiff"}, r"links\[0\]\.joint\.stiffness"),
        ({"type": "spherical", "stiffness": 1}, "springs act at revolute, prismatic and helical joints"),
        ({"type": "planar", "rest": 1}, "springs act at revolute, prismatic and helical joints"),
        ({"type": "fixed", "stiffness": 1}, "stiffness does not apply to a fixed joint"),
    ],
)
def test_springs_where_there_can_be_none(joint, message):
    link = {"joint": joint, "mass": 1, "inertia": [1, 1, 1]}
    with pytest.raises(redyn.RedynError, match=message):
        redyn.load({"name": "r", "convention": "frames", "links": [link]})


def test_degrees_are_asked_about():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pendulum(stiffness=5, rest=90)
    assert any("joint.rest" in str(warning.message) for warning in caught)
