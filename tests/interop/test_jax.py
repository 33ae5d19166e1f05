"""redyn inside JAX: against the robot's own methods, which have oracles of their own."""

import gc
import importlib
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import redyn

jax = pytest.importorskip("jax")
jnp = jax.numpy

ARM, FREE = "kuka-kr5", "dual-arm-satellite"


@pytest.fixture(autouse=True)
def float64():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def state(robot, count=None, seed=0):
    rng = np.random.default_rng(seed)
    q = np.array([robot.random(rng) for _ in range(count or 1)])
    qd, u = rng.uniform(-1, 1, (2, count or 1, robot.dof))
    return (q, qd, u) if count else (q[0], qd[0], u[0])


def close(found, expected, tolerance=1e-12):
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * max(1.0, abs(np.asarray(b)).max(initial=0.0)))


METHODS = {
    "forward_kinematics": "q",
    "jacobian": "q",
    "jacobian_rate": "qv",
    "link_motion": "qvu",
    "com": "q",
    "momentum": "qv",
    "inverse_dynamics": "qvu",
    "forward_dynamics": "qvu",
    "solve": "qu",
    "mass_matrix": "q",
    "inverse_mass_matrix": "q",
    "udu": "q",
    "coriolis_matrix": "qv",
    "coriolis_vector": "qv",
    "gravity_torque": "q",
    "friction_torque": "v",
    "spring_torque": "q",
    "kinetic_energy": "qv",
    "potential_energy": "q",
    "joint_wrenches": "qvu",
    "regressor": "qvu",
    "inverse_dynamics_derivatives": "qvu",
    "forward_dynamics_derivatives": "qvu",
}


@pytest.mark.parametrize("name", METHODS)
def test_every_method(name):
    robot = redyn.load("three-link")
    function, method = getattr(redyn.jax.functions(robot), name), getattr(robot, name)
    for count in (None, 9):
        given = dict(zip("qvu", state(robot, count), strict=True))
        arguments = [given[key] for key in METHODS[name]]
        close(function(*arguments), method(*arguments))
    shaped = [x.reshape(3, 3, -1) for x in arguments]
    close(jax.tree.map(lambda x: x.reshape(9, *x.shape[2:]), function(*shaped)), method(*arguments))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["forward_kinematics", "inverse_dynamics", "forward_dynamics", "mass_matrix"])
def test_methods_of_a_free_base(name):
    robot = redyn.load(FREE)
    link = (robot.frame_names[-1],) if name == "forward_kinematics" else ()
    function, method = getattr(redyn.jax.functions(robot), name), getattr(robot, name)
    given = dict(zip("qvu", state(robot, 5), strict=True))
    arguments = [given[key] for key in METHODS[name]]
    close(function(*arguments, *link), method(*arguments, *link))


def test_options():
    robot = redyn.load(ARM)
    f, (q, qd, u) = redyn.jax.functions(robot), state(robot, 4)
    gravity, wrench, payload = [0.0, 1.0, -3.0], [1.0, 2, 3, 4, 5, 6], [2.0, 0, 0, 0.1, 0.1, 0, 0.1, 0, 0, 0.1]
    for options in ({"gravity": gravity}, {"external": {"link4": wrench, 2: wrench}}, {"payload": payload}):
        close(f.inverse_dynamics(q, qd, u, **options), robot.inverse_dynamics(q, qd, u, **options))
    close(f.forward_dynamics(q, qd, u, method="cholesky"), robot.forward_dynamics(q, qd, u, method="cholesky"), 1e-9)
    close(f.coriolis_matrix(q, qd, "christoffel"), robot.coriolis_matrix(q, qd, "christoffel"))
    close(f.jacobian(q, "link3"), robot.jacobian(q, "link3"))
    by_gravity = jax.jacobian(lambda g: f.inverse_dynamics(q[0], qd[0], u[0], gravity=g))(jnp.array(gravity))
    step = [robot.inverse_dynamics(q[0], qd[0], u[0], gravity=np.array(gravity) + x) for x in np.eye(3)]
    close(by_gravity, (step - robot.inverse_dynamics(q[0], qd[0], u[0], gravity=gravity)).T, 1e-10)


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
@pytest.mark.parametrize("jacobian", ["jacfwd", "jacrev"])
def test_derivatives(name, jacobian):
    """Against the derivatives that are written as a recursion."""
    robot = redyn.load(ARM)
    given, function = state(robot), getattr(redyn.jax.functions(robot), name)
    found = getattr(jax, jacobian)(function, (0, 1, 2))(*given)
    expected = list(getattr(robot, f"{name}_derivatives")(*given))
    if name == "inverse_dynamics":
        expected.append(robot.mass_matrix(given[0]))
    for a, b in zip(found, expected, strict=True):
        close(a, b, 1e-10)


def test_derivatives_by_quaternions():
    """Along motions they are those of the tangent space; along the length of a quaternion nothing changes."""
    robot = redyn.load(FREE)
    f, (q, qd, u) = redyn.jax.functions(robot), state(robot)
    by_q, *_ = robot.inverse_dynamics_derivatives(q, qd, u)
    v = np.random.default_rng(3).uniform(-1, 1, robot.dof)
    rates = f.coordinate_rates(q, v)
    _, along = jax.jvp(lambda q: f.inverse_dynamics(q, qd, u), (q,), (rates,))
    close(along, by_q @ v, 1e-10)
    step = 1e-6
    after, before = (robot.inverse_dynamics(robot.integrate(q, v, s * step), qd, u) for s in (1, -1))
    close(along, (after - before) / (2 * step), 1e-6)
    (start,) = robot.model.quaternions
    longer = np.zeros(robot.nq)
    longer[start : start + 4] = q[start : start + 4]
    _, along = jax.jvp(lambda q: f.inverse_dynamics(q, qd, u), (q,), (longer,))
    close(along, np.zeros(robot.dof), 1e-12)
    close(f.inverse_dynamics(q + 0.5 * longer, qd, u), robot.inverse_dynamics(q, qd, u))


def test_derivatives_of_matrices():
    robot = redyn.load("three-link")
    f, (q, qd, _) = redyn.jax.functions(robot), state(robot)
    by_q = jax.jacrev(f.mass_matrix)(q)
    C = robot.coriolis_matrix(q, qd, form="christoffel")
    christoffel = 0.5 * (by_q + by_q.transpose(0, 2, 1) - by_q.transpose(2, 1, 0))
    close(jnp.einsum("ijk,k->ij", christoffel, qd), C, 1e-11)
    J = jax.jacfwd(lambda q: f.forward_kinematics(q)[:3, 3])(q)
    close(J, robot.jacobian(q)[3:])
    close(jax.jvp(f.jacobian, (q,), (qd,))[1], robot.jacobian_rate(q, qd))


def test_second_derivatives():
    robot = redyn.load("three-link")
    f, (q, qd, u) = redyn.jax.functions(robot), state(robot)
    close(jax.hessian(f.kinetic_energy, 1)(q, qd), robot.mass_matrix(q))
    own = redyn.jax.functions(robot, kernels=False)

    def cost(functions):
        return lambda q: jnp.sum(functions.forward_dynamics(q, qd, u) ** 2)

    found = jax.hessian(cost(f))(q)
    close(found, found.T, 1e-10)
    close(jax.jacrev(jax.jacrev(cost(f)))(q), found, 1e-10)
    close(jax.hessian(cost(own))(q), found, 1e-10)
    step = 1e-5
    gradient = jax.jit(jax.grad(cost(f)))
    slopes = [(gradient(q + step * e) - gradient(q - step * e)) / (2 * step) for e in np.eye(3)]
    close(found, np.array(slopes), 1e-6)


def test_vmap():
    robot = redyn.load("three-link")
    f, (q, qd, u) = redyn.jax.functions(robot), state(robot, 6)
    close(jax.vmap(f.inverse_dynamics)(q, qd, u), robot.inverse_dynamics(q, qd, u))
    twice = jax.vmap(jax.vmap(f.inverse_dynamics, (0, None, 0)), (None, 0, None))(q, qd, u)
    close(twice[2], robot.inverse_dynamics(q, qd[2], u))
    axes = jax.vmap(f.inverse_dynamics, (1, None, 1))(q.T, qd[0], u.T)
    close(axes, robot.inverse_dynamics(q, qd[0], u))
    close(jax.vmap(jax.jacrev(f.inverse_dynamics))(q, qd, u), robot.inverse_dynamics_derivatives(q, qd, u)[0], 1e-10)
    assert f.inverse_dynamics(q[:0], qd[:0], u[:0]).shape == (0, 3)


def test_scan():
    """A motion, and how its end depends on every torque."""
    robot = redyn.load("two-link")
    f, step = redyn.jax.functions(robot), 0.01

    def end(torques):
        def follow(carried, tau):
            q, qd = carried
            qd = qd + step * f.forward_dynamics(q, qd, tau)
            return (q + step * qd, qd), None

        return jax.lax.scan(follow, (jnp.zeros(2), jnp.zeros(2)), torques)[0][0]

    def plain(torques):
        q, qd = np.zeros(2), np.zeros(2)
        for tau in torques:
            qd = qd + step * robot.forward_dynamics(q, qd, tau)
            q = q + step * qd
        return q

    torques = np.random.default_rng(0).normal(size=(30, 2))
    close(jax.jit(end)(torques), plain(torques))
    found = jax.jit(jax.jacrev(end))(torques)
    for k, joint in ((0, 1), (29, 0), (13, 1)):
        other = torques.copy()
        other[k, joint] += 1e-6
        close(found[:, k, joint], (plain(other) - plain(torques)) / 1e-6, 1e-6)
    close(jax.jit(jax.jacfwd(end))(torques), found, 1e-11)


def test_free_parameters():
    robot = redyn.load("three-link").free("*.mass", "link2.a")
    f, (q, qd, u) = redyn.jax.functions(robot), state(robot, 3)
    nominal = robot.nominal_parameters
    close(f.inverse_dynamics(q, qd, u), robot.inverse_dynamics(q, qd, u))
    rows = nominal * np.array([[1.0], [1.1], [0.9]])
    close(f.forward_dynamics(q, qd, u, parameters=rows), robot.forward_dynamics(q, qd, u, parameters=rows), 1e-11)
    found = jax.jacrev(lambda p: f.forward_dynamics(q[0], qd[0], u[0], parameters=p))(nominal)
    close(found, robot.sensitivity("forward_dynamics", q[0], qd[0], u[0]), 1e-10)
    bare = redyn.load("three-link").free("link3.mass", "link3.inertia")
    with pytest.raises(redyn.SingularError):
        bare.forward_dynamics(q[0], qd[0], u[0], parameters=np.zeros(7))
    rows = np.array([bare.nominal_parameters, np.zeros(7)])
    found = redyn.jax.functions(bare).forward_dynamics(q[:2], qd[:2], u[:2], parameters=rows)
    assert jnp.isnan(found).any(axis=1).tolist() == [False, True]
    with pytest.raises(redyn.InputError, match="no numbers of this robot are left open"):
        redyn.jax.functions(redyn.load("three-link")).com(q, parameters=nominal)


def test_closed_loops_and_wheels():
    robot = redyn.load("four-bar")
    f = redyn.jax.functions(robot)
    q = np.array([robot.initial, robot.initial + np.array([0.0, 0.3, 0.0])])
    still = np.zeros(3)
    found = f.forward_dynamics(q, still, still)
    close(found[0], robot.forward_dynamics(q[0], still, still), 1e-10)
    assert jnp.isnan(found[1]).all()
    close(f.loop_error(q), robot.loop_error(q))
    close(jax.jacfwd(f.loop_error)(q[0]), robot.loop_jacobian(q[0]))
    cart = redyn.load("differential-drive")
    wheels = redyn.jax.functions(cart)
    close(wheels.rates(cart.neutral(), [1.0, 0.5]), cart.rates(cart.neutral(), [1.0, 0.5]))
    with pytest.raises(redyn.InputError, match="for robots with closed loops"):
        wheels.loop_error(cart.neutral())
    with pytest.raises(redyn.InputError, match="for robots on wheels"):
        f.rates(q[0], still)


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
def test_the_operations_for_other_devices(name):
    """They agree with the kernels, and are exported for a GPU, which is not needed for that."""
    robot = redyn.load("three-link")
    given = [jnp.asarray(x) for x in state(robot, 7)]
    f, own = redyn.jax.functions(robot), redyn.jax.functions(robot, kernels=False)
    close(getattr(own, name)(*given), getattr(f, name)(*given))

    def loss(functions):
        return jax.grad(lambda *x: jnp.sum(getattr(functions, name)(*x) ** 2), (0, 1, 2))

    close(jax.jit(loss(own))(*given), jax.jit(loss(f))(*given))
    export = importlib.import_module("jax.export")
    made = export.export(jax.jit(loss(f)), platforms=["cuda"])(*given)
    assert made.platforms == ("cuda",)
    assert "custom_call" not in made.mlir_module()
    here = export.export(jax.jit(getattr(own, name)), platforms=["cpu", "tpu"])(*given)
    close(here.call(*given), getattr(robot, name)(*given))


def test_on_the_cpu_it_is_the_kernel():
    f = redyn.jax.functions(redyn.load("three-link"))
    text = jax.jit(f.mass_matrix).lower(jnp.zeros((5, 3))).as_text()
    assert text.count("stablehlo.custom_call @redyn_") == 1
    assert "stablehlo.cosine" not in text


def test_code_outlives_the_robot():
    robot = redyn.load("three-link")
    q, qd, u = state(robot, 5)
    expected = robot.inverse_dynamics(q, qd, u)
    compiled = jax.jit(redyn.jax.functions(robot).inverse_dynamics).lower(q, qd, u).compile()
    del robot
    gc.collect()
    close(compiled(q, qd, u), expected)


def test_other_numbers():
    robot = redyn.load("three-link")
    f = redyn.jax.functions(robot)
    assert f.gravity_torque([0, 1, 0]).dtype == np.float64
    single = f.gravity_torque(jnp.array([0, 1, 0], dtype=jnp.float32))
    assert single.dtype == np.float64
    close(single, robot.gravity_torque([0, 1, 0]))
    for wrong, message in (
        (np.zeros(2), r"q: expected an array of shape \(3,\) or \(..., 3\), got shape \(2,\)"),
        (0.0, r"got shape \(\)"),
        (np.zeros(3, dtype=complex), "q: expected real numbers, got values of type complex128"),
        (np.zeros(3, dtype=bool), "q: expected real numbers"),
    ):
        with pytest.raises(redyn.InputError, match=message):
            f.gravity_torque(wrong)
    with pytest.raises(redyn.InputError, match=r"do not fit together: q \(4, 3\), qd \(5, 3\)"):
        f.coriolis_vector(np.zeros((4, 3)), np.zeros((5, 3)))
    assert jnp.isnan(f.gravity_torque([np.nan, 0.0, 0.0])).any()


def test_float32_alone_is_refused():
    f = redyn.jax.functions(redyn.load("three-link"))
    jax.config.update("jax_enable_x64", False)
    with pytest.raises(redyn.InputError, match=r'jax.config.update\("jax_enable_x64", True'):
        f.gravity_torque(jnp.zeros(3))


def test_robots_that_have_no_answer():
    with pytest.raises(redyn.SingularError, match="joint 'joint6' moves no inertia"):
        redyn.jax.functions(redyn.load("kuka-kr5-printed")).forward_dynamics(*np.zeros((3, 6)))
    with pytest.raises(redyn.InputError, match="too large for code without loops"):
        redyn.jax.functions(redyn.chain(70)).inverse_dynamics(*np.zeros((3, 70)))
    with pytest.raises(redyn.InputError, match="expected a robot"):
        redyn.jax.functions("puma")
    f = redyn.jax.functions(redyn.load("two-link"))
    with pytest.raises(redyn.InputError, match="form: expected 'mci' or 'christoffel'"):
        f.coriolis_matrix([0.0, 0.0], [0.0, 0.0], "other")
    with pytest.raises(redyn.InputError, match="method: expected 'recursive'"):
        f.forward_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], method="other")
    assert repr(f) == "<JaxFunctions of <Robot 'two-link': 2 joints, 2 kg>>"


def test_without_jit():
    robot = redyn.load("three-link")
    f, (q, qd, u) = redyn.jax.functions(robot), state(robot)
    with jax.disable_jit():
        close(f.inverse_dynamics(q, qd, u), robot.inverse_dynamics(q, qd, u))
        close(jax.grad(f.potential_energy)(q), robot.gravity_torque(q))


def test_functions_are_pickled():
    f = redyn.jax.functions(redyn.load("three-link"))
    found = f.gravity_torque([0, 1, 0])
    close(pickle.loads(pickle.dumps(f)).gravity_torque([0, 1, 0]), found)


ON_TWO_DEVICES = """
import jax, numpy as np, redyn
jax.config.update("jax_enable_x64", True)
f = redyn.jax.functions(redyn.load("three-link"))
q, qd, u = np.random.default_rng(0).normal(size=(3, 8, 3))
mesh, P = jax.sharding.Mesh(np.array(jax.devices()), ("x",)), jax.sharding.PartitionSpec

def loss(q, qd, u):
    return (f.forward_dynamics(q, qd, u) ** 2).sum()

def shared(q, qd, u):
    return jax.lax.psum(loss(q, qd, u), "x")

spread = jax.shard_map(shared, mesh=mesh, in_specs=(P("x"), P(), P("x")), out_specs=P())
found, expected = (jax.jit(jax.grad(g, (0, 1, 2)))(q, qd[0], u) for g in (spread, loss))
print(len(jax.devices()), max(float(abs(a - b).max() / abs(b).max()) for a, b in zip(found, expected)))
"""


@pytest.mark.skipif(not hasattr(jax, "shard_map"), reason="an older JAX, without jax.shard_map")
def test_gradients_over_two_devices():
    """Of an argument that all devices share, the gradient is the sum over them."""
    environment = os.environ | {"XLA_FLAGS": "--xla_force_host_platform_device_count=2", "JAX_PLATFORMS": "cpu"}
    given = {"capture_output": True, "text": True, "check": True, "env": environment}
    devices, error = subprocess.run([sys.executable, "-c", ON_TWO_DEVICES], **given).stdout.split()
    assert int(devices) == 2
    assert float(error) < 1e-12
