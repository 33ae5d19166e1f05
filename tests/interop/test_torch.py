"""redyn inside PyTorch: against the robot's own methods, which have oracles of their own."""

import copy
import importlib

import numpy as np
import pytest

import redyn

torch = pytest.importorskip("torch")

ARM = redyn.load("three-link")
NAMES = ["inverse_dynamics", "forward_dynamics", "joint_wrenches", "regressor", "link_motion"]


def state(robot, count=None, seed=0, **options):
    rng = np.random.default_rng(seed)
    q = np.array([robot.random(rng) for _ in range(count or 1)])
    arrays = [q, *rng.uniform(-1, 1, (2, count or 1, robot.dof))]
    return [torch.tensor(x if count else x[0], **options) for x in arrays]


def close(found, expected, tolerance=1e-12):
    expected = np.asarray(expected)
    np.testing.assert_allclose(found.detach(), expected, rtol=0, atol=tolerance * max(1.0, abs(expected).max()))


@pytest.mark.parametrize("name", NAMES)
def test_methods(name):
    function, method = getattr(redyn.torch.functions(ARM), name), getattr(ARM, name)
    for count in (None, 9):
        given = state(ARM, count)
        found, expected = function(*given), method(*(x.numpy() for x in given))
        for a, b in zip(found, expected, strict=True):
            close(a, b)


def test_more_dimensions():
    given = state(ARM, 9)
    found = redyn.torch.functions(ARM).inverse_dynamics(*(x.reshape(3, 3, -1) for x in given))
    close(found.reshape(9, -1), ARM.inverse_dynamics(*(x.numpy() for x in given)))


def test_tensors_are_read_where_they_lie(monkeypatch):
    import redyn.interop.torch as module

    seen = []

    def spy(kernel, inputs, outputs, threads):
        seen.append([x.ctypes.data for x in (*inputs, *outputs)])
        return kernel(inputs, outputs)

    monkeypatch.setattr(module, "run_slices", spy)
    given = state(ARM, 100)
    found = redyn.torch.functions(ARM).inverse_dynamics(*given)
    assert seen == [[x.data_ptr() for x in (*given, found)]]


@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "kinetic_energy"])
def test_gradients_by_differences(name):
    given = state(ARM, 2, requires_grad=True)[: 2 if name == "kinetic_energy" else 3]
    function = getattr(redyn.torch.functions(ARM), name)
    assert torch.autograd.gradcheck(function, given, atol=1e-4, rtol=1e-4)
    assert torch.autograd.gradgradcheck(function, given, atol=1e-2, rtol=1e-3)


def test_gradients_of_some_arguments():
    f, (q, qd, u) = redyn.torch.functions(ARM), state(ARM, 4)
    u.requires_grad_()
    (gradient,) = torch.autograd.grad(f.forward_dynamics(q, qd, u).sum(), u)
    close(gradient, ARM.inverse_mass_matrix(q.numpy()).sum(axis=1), 1e-10)
    one = qd[0].clone().requires_grad_()  # a single row goes with all, and has the sum of their gradients
    f.inverse_dynamics(q, one, u.detach()).sum().backward()
    _, by_qd = ARM.inverse_dynamics_derivatives(q.numpy(), one.detach().numpy(), u.detach().numpy())
    close(one.grad, by_qd.sum(axis=(0, 1)), 1e-10)
    _, D = f.udu(q.requires_grad_())  # only one of two results is used
    D.sum().backward()
    assert q.grad.abs().max() > 0


def test_transforms():
    f, (q, qd, u) = redyn.torch.functions(ARM), state(ARM, 5)
    vmap, jacrev, jacfwd = torch.func.vmap, torch.func.jacrev, torch.func.jacfwd
    plain = [x.numpy() for x in (q, qd, u)]
    close(vmap(f.inverse_dynamics)(q, qd, u), ARM.inverse_dynamics(*plain))
    close(vmap(f.inverse_dynamics, (1, None, 0))(q.T, qd[0], u), ARM.inverse_dynamics(plain[0], plain[1][0], plain[2]))
    by_q, by_qd = ARM.inverse_dynamics_derivatives(*plain)
    for jacobian in (jacrev, jacfwd):
        found = vmap(jacobian(f.inverse_dynamics, (0, 1)))(q, qd, u)
        close(found[0], by_q, 1e-10)
        close(found[1], by_qd, 1e-10)
    close(torch.func.grad(f.potential_energy)(q[0]), ARM.gravity_torque(plain[0][0]))
    close(torch.func.hessian(f.kinetic_energy, 1)(q[0], qd[0]), ARM.mass_matrix(plain[0][0]))
    _, along = torch.func.jvp(f.jacobian, (q[0],), (qd[0],))
    close(along, ARM.jacobian_rate(plain[0][0], plain[1][0]))


def test_compile():
    """Without a break of the graph, called first inside it. `aot_eager` needs no C++ compiler."""
    robot = redyn.load("puma")
    f, (q, qd, u) = redyn.torch.functions(robot), state(robot, 5)

    def loss(q):
        return (f.inverse_dynamics(q, qd, u, gravity=torch.zeros(3)) ** 2).sum() + f.jacobian(q, "link3").sum()

    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    gradients = []
    for function in (compiled, loss):
        x = q.clone().requires_grad_()
        function(x).backward()
        gradients.append(x.grad)
    close(gradients[0], gradients[1])


def test_quaternions():
    robot = redyn.load("dual-arm-satellite")
    f, (q, qd, u) = redyn.torch.functions(robot), state(robot)
    v = torch.tensor(np.random.default_rng(1).uniform(-1, 1, robot.dof))
    _, along = torch.func.jvp(lambda q: f.inverse_dynamics(q, qd, u), (q,), (f.coordinate_rates(q, v),))
    close(along, robot.inverse_dynamics_derivatives(q.numpy(), qd.numpy(), u.numpy())[0] @ v.numpy(), 1e-10)


def test_free_parameters():
    robot = redyn.load("three-link").free("*.mass")
    f, (q, qd, u) = redyn.torch.functions(robot), state(robot)
    masses = torch.tensor(robot.nominal_parameters, requires_grad=True)
    f.inverse_dynamics(q, qd, u, parameters=masses).sum().backward()
    plain = [x.numpy() for x in (q, qd, u)]
    close(masses.grad, robot.sensitivity("inverse_dynamics", *plain).sum(axis=0), 1e-10)
    close(f.inverse_dynamics(q, qd, u), robot.inverse_dynamics(*plain))


def test_other_numbers():
    f = redyn.torch.functions(ARM)
    q, *_ = state(ARM)
    single = f.gravity_torque(q.float().requires_grad_())
    assert single.dtype == torch.float32
    close(single, ARM.gravity_torque(q.float().numpy()), 1e-6)
    assert f.gravity_torque([0, 1, 0]).dtype == torch.float64
    assert f.gravity_torque(q.float(), [0.0, 0.0, -9.81]).dtype == torch.float32
    assert f.gravity_torque(torch.zeros(0, 3)).shape == (0, 3)
    for wrong, message in (
        (torch.zeros(2), r"q: expected an array of shape \(3,\) or \(..., 3\), got shape \(2,\)"),
        (torch.zeros(3, dtype=torch.complex64), "q: expected real numbers"),
        (torch.zeros(3, device="meta"), "q is on meta; redyn.torch computes on the CPU"),
    ):
        with pytest.raises(redyn.InputError, match=message):
            f.gravity_torque(wrong)
    with pytest.raises(redyn.InputError, match=r"do not fit together: q \(4, 3\), qd \(5, 3\)"):
        f.coriolis_vector(torch.zeros(4, 3), torch.zeros(5, 3))


def test_tracing_takes_down_the_operation():
    """Not the numbers of the state it was traced with."""
    f, (q, qd, _) = redyn.torch.functions(ARM), state(ARM)
    _, along = torch.func.linearize(f.gravity_torque, q)
    close(along(qd), ARM.inverse_dynamics_derivatives(q.numpy(), np.zeros(3), np.zeros(3))[0] @ qd.numpy(), 1e-10)
    make_fx = importlib.import_module("torch.fx.experimental.proxy_tensor").make_fx
    close(make_fx(lambda q: f.gravity_torque(q))(q)(qd), ARM.gravity_torque(qd.numpy()))


@pytest.mark.parametrize("strategy", ["reverse-mode", "forward-mode"])
def test_vectorized_jacobians(strategy):
    f, (q, qd, u) = redyn.torch.functions(ARM), state(ARM)
    found = torch.autograd.functional.jacobian(f.inverse_dynamics, (q, qd, u), vectorize=True, strategy=strategy)
    close(found[0], ARM.inverse_dynamics_derivatives(q.numpy(), qd.numpy(), u.numpy())[0], 1e-10)
    close(found[2], ARM.mass_matrix(q.numpy()), 1e-10)


def test_compiled_transforms():
    f, (q, qd, u) = redyn.torch.functions(ARM), state(ARM, 4)
    by_q, _ = ARM.inverse_dynamics_derivatives(q.numpy(), qd.numpy(), u.numpy())
    for jacobian in (torch.func.jacrev, torch.func.jacfwd):
        torch.compiler.reset()
        compiled = torch.compile(torch.func.vmap(jacobian(f.inverse_dynamics)), backend="aot_eager", fullgraph=True)
        close(compiled(q, qd, u), by_q, 1e-10)


def test_a_module_with_functions_is_copied_and_saved(tmp_path):
    module = torch.nn.Module()
    module.functions, module.weight = redyn.torch.functions(ARM), torch.nn.Parameter(torch.zeros(3))
    torch.save(module, tmp_path / "module.pt")
    q, *_ = state(ARM)
    for again in (copy.deepcopy(module), torch.load(tmp_path / "module.pt", weights_only=False)):
        close(again.functions.gravity_torque(q), ARM.gravity_torque(q.numpy()))
