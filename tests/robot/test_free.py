"""Robots some of whose numbers are left open answer as robots that were built with these numbers."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import redyn
from redyn.description.packages import robots_folder
from redyn.kernels import machine

TOLERANCE = 1e-11
CALLS = {
    "inverse_dynamics": "qva",
    "forward_dynamics": "qva",
    "mass_matrix": "q",
    "coriolis_matrix": "qv",
    "coriolis_vector": "qv",
    "gravity_torque": "q",
    "kinetic_energy": "qv",
    "potential_energy": "q",
    "com": "q",
    "momentum": "qv",
    "forward_kinematics": "q",
    "jacobian": "q",
    "inverse_dynamics_derivatives": "qva",
    "forward_dynamics_derivatives": "qva",
    "linearize": "qva",
    "joint_wrenches": "qva",
    "regressor": "qva",
}
ROWS = 5


def state(robot, count=ROWS, seed=0):
    rng = np.random.default_rng(seed)
    q = np.array([robot.random(rng) for _ in range(count)])
    return q, *rng.standard_normal((2, count, robot.dof))


def varied(free, count=ROWS, seed=1):
    """Numbers near the nominal ones that a robot can have: zeros stay, but those of masses and gravity move."""
    rng = np.random.default_rng(seed)
    return free.nominal_parameters * (1 + 0.1 * rng.random((count, 1)) * np.ones(len(free.parameter_names)))


def parts(result):
    return result if isinstance(result, tuple) else (result,)


def assert_close(found, expected, factor=1.0):
    for a, b in zip(parts(found), parts(expected), strict=True):
        assert a.shape == b.shape
        assert np.abs(a - b).max(initial=0.0) <= TOLERANCE * factor * max(1.0, np.abs(b).max(initial=0.0))


def assert_as_rebuilt(free, P, calls):
    q, qd, x = state(free, len(P))
    for name in calls:
        arguments = (q, qd, x)[: len(CALLS[name])]
        together = parts(getattr(free, name)(*arguments, parameters=P))
        for i in range(len(P)):
            alone = getattr(free.rebuilt(P[i]), name)(*(a[i] for a in arguments))
            assert_close(tuple(a[i] for a in together), parts(alone), factor=1e3 if "forward" in name else 1.0)


@pytest.mark.parametrize("call", CALLS)
def test_as_robots_built_with_these_numbers(call):
    free = redyn.load("puma").free("*.mass", "*.com", "*.inertia", "joint2.damping", "joint3.armature", "link2.a")
    assert_as_rebuilt(free, varied(free, 3), [call])


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("stanford", ("link2.mass", "link3.com", "gravity")),
        ("dual-arm-satellite", ("*.mass", "*.inertia")),
        ("planar-biped", ("*.mass", "*.xyz")),
        ("four-bar", ("*.mass", "*.com")),
        ("differential-drive", ("*.mass", "*.damping")),
        ("elastic-joint-arm", ("*.mass", "joint1.armature", "joint1.damping")),
        ("lagrange-two-link", ("link2.a", "link1.a")),
    ],
)
def test_other_kinds_of_robots(name, names):
    free = redyn.load(name).free(*names)
    P = varied(free, 3)
    if free.model.loops:
        q = np.array([free.initial] * len(P))
        tau = np.ones((len(P), free.dof))
        found = free.forward_dynamics(q, np.zeros(free.dof), tau, parameters=P)
        for i in range(len(P)):
            assert_close(found[i], free.rebuilt(P[i]).forward_dynamics(q[i], np.zeros(free.dof), tau[i]), 1e3)
        return
    assert_as_rebuilt(free, P, ["forward_dynamics", "kinetic_energy", "forward_kinematics"])


def test_against_pinocchio():
    """Masses that Pinocchio is given directly."""
    pinocchio = pytest.importorskip("pinocchio")
    folder = robots_folder()
    if folder is None:
        pytest.skip("example-robot-data is not installed")
    path = folder / "ur_description/urdf/ur5_robot.urdf"
    peer = pinocchio.buildModelFromUrdf(str(path))
    robot = redyn.load(path, exact=True, friction=False)
    names = [f"{name}.mass" for name in robot.link_names]
    free = robot.free(*names)
    rng = np.random.default_rng(3)
    scale = 1 + rng.random(len(names))
    P = free.nominal_parameters * scale
    q, qd, x = rng.standard_normal((3, robot.dof))
    tau = free.inverse_dynamics(q, qd, x, parameters=P)
    for name, factor in zip(robot.link_names, scale, strict=True):
        place = next(f for f in peer.frames if f.name == name and f.type == pinocchio.FrameType.BODY)
        own = robot.description.links[[link.name for link in robot.description.links].index(name)]
        extra = pinocchio.Inertia(own.mass * (factor - 1), np.array(own.com), np.zeros((3, 3)))
        joint = place.parentJoint
        peer.inertias[joint] = peer.inertias[joint] + place.placement.act(extra)
    assert_close(tau, pinocchio.rnea(peer, peer.createData(), q, qd, x))


def test_a_changed_mass_keeps_centre_and_inertia():
    free = redyn.load("two-link").free("link2.mass")
    q, qd, x = state(free)
    base = free.inverse_dynamics(q, qd, x, parameters=[0.0])
    one = free.inverse_dynamics(q, qd, x, parameters=[1.0])
    three = free.inverse_dynamics(q, qd, x, parameters=[3.0])
    assert_close(three - base, 3 * (one - base))


def test_names_are_in_the_order_of_links_then_as_given():
    free = redyn.load("two-link").free("gravity.y", "link2.com.x", "*.mass", "joint1.damping", "link1.mass")
    assert free.parameter_names == ("link1.mass", "joint1.damping", "link2.com.x", "link2.mass", "gravity.y")


@pytest.mark.parametrize("algorithm", ["inverse_dynamics", "forward_dynamics"])
def test_derivatives_equal_differences(algorithm):
    free = redyn.load("puma").free("link3.mass", "*.com", "link4.inertia", "joint2.damping", "gravity", "link2.a")
    q, qd, x = state(free)
    P = varied(free)
    call = getattr(free, algorithm)
    qd_slope, slopes, q_slope = getattr(free, f"{algorithm}_derivatives")(
        q, qd, x, by=("qd", "parameters", "q"), parameters=P
    )
    assert_close((q_slope, qd_slope), getattr(free, f"{algorithm}_derivatives")(q, qd, x, parameters=P)[:2])
    h = 1e-5
    for k in range(P.shape[1]):
        step = h * np.eye(P.shape[1])[k]
        numeric = (call(q, qd, x, parameters=P + step) - call(q, qd, x, parameters=P - step)) / (2 * h)
        assert np.abs(slopes[..., k] - numeric).max() <= 2e-6 * max(1.0, np.abs(slopes).max())


def test_sensitivities_of_other_calls_equal_differences():
    free = redyn.load("puma").free("link2.a", "link3.mass")
    q, qd, _ = state(free)
    p, h = free.nominal_parameters, 1e-6
    for name, arguments in (("forward_kinematics", (q,)), ("mass_matrix", (q,)), ("kinetic_energy", (q, qd))):
        found = free.sensitivity(name, *arguments)
        for k in range(2):
            step = h * np.eye(2)[k]
            numeric = getattr(free, name)(*arguments, parameters=p + step)
            numeric = (numeric - getattr(free, name)(*arguments, parameters=p - step)) / (2 * h)
            assert np.abs(found[..., k] - numeric).max() < 1e-8 * max(1.0, np.abs(numeric).max())


def test_new_values_never_compile(monkeypatch):
    free = redyn.load("two-link").free("*.mass", "link1.a")
    q, qd, x = state(free)
    run = {"duration": 0.02, "step": 0.01}

    def everything(P):
        free.forward_dynamics(q, qd, x, parameters=P)
        free.forward_dynamics(q[0], qd[0], x[0], parameters=P[0])
        redyn.simulate_batch(free, q, qd, **run, parameters=P)
        redyn.simulate(free, q[0], qd[0], 0.02, parameters=P[0])
        free.at(P[1]).inverse_dynamics_derivatives(q, qd, x)

    everything(varied(free))

    def refuse(*_):
        raise AssertionError("compiled")

    monkeypatch.setattr(machine, "compile_module", refuse)
    everything(varied(free, seed=7))


def test_simulations():
    free = redyn.load("puma").free("*.mass", "joint2.damping")
    q, qd, _ = state(free)
    P = varied(free)
    batch = redyn.simulate_batch(free, q, qd, 0.02, parameters=P)
    for i in (0, 3):
        alone = redyn.simulate_batch(free.rebuilt(P[i]), q[i], qd[i], 0.02)
        assert_close(batch.q[-1, i], alone.q[-1, 0])
    run = redyn.simulate(free, q[0], qd[0], 0.1, parameters=P[0])
    alone = redyn.simulate(free.rebuilt(P[0]), q[0], qd[0], 0.1)
    assert_close(run.q, alone.q, 10)
    assert np.abs(run.energy.balance).max() < 1e-6


@pytest.mark.parametrize("name", ["four-bar", "differential-drive", "dual-arm-satellite"])
def test_simulations_of_other_kinds(name):
    """Loops are closed, wheels roll and quaternions turn by kernels that take the same numbers."""
    free = redyn.load(name).free("*.mass")
    P = varied(free, 1)[0]
    q, qd = free.initial, np.zeros(free.dof)
    tau = np.full(len(free.torque_names), 0.3)
    push = {} if free.model.loops or free.model.contacts else {"external": {free.link_names[0]: [0, 0, 0, 1, 0, 0]}}
    run = redyn.simulate(free, q, qd, 0.1, torque=tau, parameters=P, **push)
    alone = redyn.simulate(free.rebuilt(P), q, qd, 0.1, torque=tau, **push)
    assert_close(run.q, alone.q, 100)
    batch = redyn.simulate_batch(free, q, qd, 0.01, torque=tau, parameters=[P, P])
    assert_close(batch.q[-1, 1], redyn.simulate_batch(free.rebuilt(P), q, qd, 0.01, torque=tau).q[-1, 0])


def test_casadi_and_exported_code_take_parameters():
    from redyn.symbolic.export.functions import functions

    free = redyn.load("two-link").free("*.mass", "link2.a")
    q, qd, x = (a[0] for a in state(free))
    p = varied(free)[0]
    found = np.array(free.casadi("inverse_dynamics")(q, qd, x, p)).ravel()
    assert_close(found, free.inverse_dynamics(q, qd, x, parameters=p))
    (function,) = functions(free, "inverse")
    assert [argument.name for argument in function.inputs] == ["q", "qd", "qdd", "parameters"]


def test_at_one_row_everything_is_of_these_numbers(tmp_path):
    free = redyn.load("two-link").free("*.mass", "link1.a", "gravity")
    other = free.at([2.0, 1.5, 3.0, 0.0, -1.6, 0.0])
    assert other.total_mass == pytest.approx(5.0)
    assert other.gravity.tolist() == [0.0, -1.6, 0.0]
    other.to_yaml(tmp_path / "arm.yaml")
    again, (q, qd, x) = redyn.load(tmp_path / "arm.yaml"), state(free)
    assert_close(other.inverse_dynamics(q, qd, x), again.inverse_dynamics(q, qd, x))
    assert_close(other.torque_parts(q, qd, x), again.torque_parts(q, qd, x))
    assert_close(free.torque_parts(q, qd, x, parameters=other.nominal_parameters), again.torque_parts(q, qd, x))
    pose = again.forward_kinematics([0.3, 0.4])
    assert_close(other.inverse_kinematics(pose, start=[0.3, 0.4])[0].q, np.array([0.3, 0.4]), 100)
    copied = pickle.loads(pickle.dumps(other))
    assert_close(copied.inverse_dynamics(q, qd, x), again.inverse_dynamics(q, qd, x))


def test_a_payload_is_a_parameter_as_well():
    free = redyn.load("puma").free("payload")
    q, qd, x = state(free)
    ten = np.array([2.0, 0.2, 0.1, 0.4, 0.3, 0.01, 0.4, 0.02, 0.03, 0.42])
    found = free.inverse_dynamics(q, qd, x, parameters=ten)
    assert_close(found, redyn.load("puma").inverse_dynamics(q, qd, x, payload=ten))
    assert_close(found, free.rebuilt(ten).inverse_dynamics(q, qd, x))


def test_a_row_without_inertia_is_refused_by_name():
    free = redyn.load("kuka-kr5").free("link6.mass", "link6.com", "link6.inertia")
    q, qd, x = state(free)
    P = np.tile(free.nominal_parameters, (ROWS, 1))
    P[2] = 0.0
    with pytest.raises(redyn.SingularError, match="joint6"):
        free.forward_dynamics(q, qd, x, parameters=P)


def test_physical_sense_is_checked_when_asked():
    free = redyn.load("puma").free("link2.mass", "link3.inertia", "joint1.damping", "payload")
    good = np.tile(free.nominal_parameters, (4, 1))
    assert free.is_physical(good).all()
    bad = good.copy()
    bad[0, free.parameter_names.index("link2.mass")] = -1.0
    bad[1, free.parameter_names.index("link3.inertia.xx")] = 100.0
    bad[2, free.parameter_names.index("payload.mx")] = 1.0
    assert free.is_physical(bad).tolist() == [False, False, False, True]
    for row, text in enumerate(("link2.mass is negative", "link3.inertia has", "payload has a first moment")):
        with pytest.raises(redyn.InputError, match=text):
            free.check_physical(bad[row])


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ((), "name at least one"),
        (("link2.mas",), "is no parameter"),
        (("link9.mass",), "did you mean|the names are"),
        (("link1.com", "link1.r"), "with the other sign"),
        ((3,), "expected names"),
    ],
)
def test_bad_names(names, message):
    with pytest.raises(redyn.InputError, match=message):
        redyn.load("two-link").free(*names)


def test_what_depends_on_the_numbers_when_loaded_is_refused():
    with pytest.raises(redyn.InputError, match="closed loops"):
        redyn.load("four-bar").free("*.xyz" if redyn.load("four-bar").description.convention == "frames" else "*.a")
    with pytest.raises(redyn.InputError, match="mode shapes"):
        redyn.load("flexible-two-link").free("link2.mass")
    with pytest.raises(redyn.InputError, match="friction=False"):
        redyn.load("puma", friction=False).free("joint1.damping")


def test_what_a_flexible_link_does_not_carry():
    """Mode shapes depend on what is at and beyond the tip, not on what is before it or on its root."""
    beam = {"length": 0.8, "rho_A": 0.5, "EI": 40, "modes": [2, 0, 0]}
    body = {"mass": 0.4, "com": [0.1, 0, 0.05], "inertia": [0.01, 0.02, 0.02]}
    links = [
        {"name": "base", "joint": "revolute", **body},
        {"name": "boom", "joint": "revolute", "rpy": [1.0, 0, 0], "flexible": beam, **body},
        {"name": "hand", "joint": "revolute", "xyz": [0.8, 0, 0], **body},
    ]
    robot = redyn.load({"name": "crane", "convention": "frames", "links": links})
    free = robot.free("base.mass", "base.inertia", "boom.mass", "boom.com", "gravity")
    assert_as_rebuilt(free, varied(free, 2), ["inverse_dynamics", "forward_dynamics", "potential_energy"])
    with pytest.raises(redyn.InputError, match=r"free: hand\.mass: the mode shapes of 'boom'"):
        robot.free("*.mass")


def test_bad_values():
    free, robot = redyn.load("two-link").free("*.mass"), redyn.load("two-link")
    zero = np.zeros(2)
    with pytest.raises(redyn.InputError, match=r"parameters: expected 2 numbers"):
        free.inverse_dynamics(zero, zero, zero, parameters=[1.0])
    with pytest.raises(redyn.InputError, match=r"parameters\[1\] is nan"):
        free.inverse_dynamics(zero, zero, zero, parameters=[1.0, np.nan])
    with pytest.raises(redyn.InputError, match="parameters holds 3"):
        free.inverse_dynamics(np.zeros((2, 2)), zero, zero, parameters=np.ones((3, 2)))
    for call in (
        lambda: robot.inverse_dynamics(zero, zero, zero, parameters=[1.0, 1.0]),
        lambda: robot.inverse_dynamics_derivatives(zero, zero, zero, by=["parameters"]),
        lambda: redyn.simulate(robot, zero, zero, 0.1, parameters=[1.0, 1.0]),
        lambda: redyn.simulate_batch(robot, zero, zero, 0.1, parameters=[1.0, 1.0]),
    ):
        with pytest.raises(redyn.InputError, match="left open"):
            call()
    with pytest.raises(redyn.InputError, match="by: expected"):
        free.inverse_dynamics_derivatives(zero, zero, zero, by=["tau"])
