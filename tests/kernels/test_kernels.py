"""Machine code equals the recursions, in every lane width, for every algorithm, whatever comes in."""

import multiprocessing
import subprocess
import sys
import threading

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from pinocchio_oracle import Oracle
from random_robots import close, on_floats, random_state, random_tree, trees
from redyn.dynamics.catalogue import ALGORITHMS, CATALOGUE, DERIVATIVES
from redyn.dynamics.task import Task
from redyn.kernels import machine
from redyn.kernels.kernel import Kernel, Kernels
from redyn.kernels.lower import lower
from redyn.kernels.program import Op, Program
from redyn.kernels.trace import trace

seeds = st.integers(0, 10**9)


def compiled(program, width):
    return Kernel(machine.Code(machine.compile_module(lower(program, width), width), width), width)


def run(kernel, program, inputs):
    outputs = [np.full((len(inputs[0]), width), np.nan) for width in program.outputs]
    return kernel(inputs, outputs), outputs


@pytest.mark.parametrize("width", [1, 2, 4, 8])
@pytest.mark.parametrize("algorithm", ["inverse_dynamics", "forward_dynamics", "mass_matrix", "udu", "kinetic_energy"])
@pytest.mark.parametrize("robot", ["stanford", "two-link"])
def test_every_width_and_every_tail(robot, algorithm, width):
    model, task = redyn.load(robot).model, Task(algorithm)
    program = trace(model, task)
    kernel = compiled(program, width)
    for n in (1, 2, 3, 4, 5, 7, 8, 9, 16, 23):
        inputs = [np.random.default_rng(n).uniform(-2, 2, (n, w)) for w in program.inputs]
        fine, outputs = run(kernel, program, inputs)
        assert fine
        for got, expected in zip(outputs, program.interpret(inputs), strict=True):
            close(got, expected)


def task_of(robot, name):
    asks = "frame" in CATALOGUE[name].options
    return Task(name, frame=robot.frame_names[-1] if asks else None)


@pytest.mark.slow
@settings(max_examples=4)
@given(trees, seeds)
def test_every_algorithm_equals_the_float_path(data, seed):
    fast, slow = redyn.load(data), on_floats(redyn.load(data))
    n = fast.dof
    rng = np.random.default_rng(seed)
    condition = np.linalg.cond(slow.mass_matrix(rng.uniform(-2, 2, n)))
    for name in (*ALGORITHMS, *DERIVATIVES):
        task = task_of(fast, name)
        inputs = [rng.uniform(-2, 2, (9, width)) for _, width in task.inputs(fast.model)]
        got, expected = (robot.evaluator(task, inputs) for robot in (fast, slow))
        for a, b in zip(got, expected, strict=True):
            assert a.shape == b.shape
            close(a, b, max(10.0, condition))


@settings(max_examples=6)
@given(trees, seeds)
def test_kernels_agree_with_pinocchio(data, seed):
    robot = redyn.load(data, friction=False, exact=True)
    oracle = Oracle(robot)
    q, qd, qdd = random_state(robot, seed, (6,))
    tau, acceleration, GIM = (
        robot.inverse_dynamics(q, qd, qdd),
        robot.forward_dynamics(q, qd, qdd),
        robot.mass_matrix(q),
    )
    for i in range(6):
        close(tau[i], oracle.inverse_dynamics(q[i], qd[i], qdd[i]))
        close(GIM[i], oracle.mass_matrix(q[i]))
        close(acceleration[i], oracle.forward_dynamics(q[i], qd[i], qdd[i]), np.linalg.cond(GIM[i]))


def test_a_hundred_thousand_states():
    """Chain of six against Pinocchio, state by state."""
    import pinocchio as pin

    robot = redyn.chain(6, seed=3)
    oracle = Oracle(robot)
    q, qd, qdd = np.random.default_rng(0).uniform(-np.pi, np.pi, (3, 100_000, 6))
    pool = pin.ModelPool(oracle.model, 1)
    columns = [np.asfortranarray(a.T) for a in (q, qd, qdd)]
    out = np.asfortranarray(np.empty((6, len(q))))
    pin.rneaInParallel(1, pool, *columns, out)
    scale = np.maximum(1.0, np.abs(out.T).max(axis=1))
    assert (np.abs(robot.inverse_dynamics(q, qd, qdd) - out.T).max(axis=1) < 1e-11 * scale).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
def test_derivatives_agree_with_pinocchio(name):
    import pinocchio as pin

    robot = redyn.load(random_tree(14, 7, prismatic=0.3, friction=False, fixed=0.0, serial=True), exact=True)
    for link in robot.description.links:
        assert not link.joint.damping
    oracle = Oracle(robot)
    q, qd, x = random_state(robot, 2, (5,))
    got = getattr(robot, f"{name}_derivatives")(q, qd, x)
    for i in range(5):
        function = pin.computeRNEADerivatives if name == "inverse_dynamics" else pin.computeABADerivatives
        expected = function(oracle.model, oracle.data, oracle._q(q[i]), qd[i], x[i])
        condition = np.linalg.cond(robot.mass_matrix(q[i])) if name == "forward_dynamics" else 1.0
        for a, b in zip(got, expected[: len(got)], strict=True):
            b = np.triu(b) + np.triu(b, 1).T if b is expected[-1] and name == "forward_dynamics" else b
            close(a[i], b, 10 * condition)


@pytest.mark.slow
@settings(max_examples=5)
@given(trees, seeds)
def test_derivatives_with_friction_and_armature(data, seed):
    robot = redyn.load(data)
    q, qd, x = random_state(robot, seed)
    h, n = 1e-6, robot.dof
    scale = np.linalg.cond(robot.mass_matrix(q))
    for method, arguments in (("inverse_dynamics", 2), ("forward_dynamics", 3)):
        derivatives = getattr(robot, f"{method}_derivatives")(q, qd, x)
        for k in range(arguments):
            columns = []
            for e in np.eye(n) * h:
                plus, minus = ([s + sign * e * (j == k) for j, s in enumerate((q, qd, x))] for sign in (1, -1))
                columns.append((getattr(robot, method)(*plus) - getattr(robot, method)(*minus)) / (2 * h))
            close(derivatives[k], np.array(columns).T, scale, tolerance=1e-6)


@pytest.mark.slow
@settings(max_examples=8)
@given(trees, seeds)
def test_regressor(data, seed):
    robot = redyn.load(data, friction=False)
    q, qd, qdd = random_state(robot, seed, (3,))
    rotors = np.array([link.joint.armature for link in robot.model.links]) * qdd
    close(robot.regressor(q, qd, qdd) @ robot.parameters, robot.inverse_dynamics(q, qd, qdd) - rotors)


# --- run-time parameters ------------------------------------------------------------------------------------------


def test_new_values_never_recompile(monkeypatch):
    robot, slow = redyn.load("puma"), on_floats(redyn.load("puma"))
    built = []
    original = Kernels._make
    monkeypatch.setattr(Kernels, "_make", lambda self, task, width: built.append(task) or original(self, task, width))
    monkeypatch.setattr("redyn.kernels.cache._loaded", {})
    rng = np.random.default_rng(0)
    q, qd, qdd = rng.uniform(-1, 1, (3, 8, 6))
    for trial in range(4):
        pull, wrench, load = rng.uniform(-9, 9, 3), rng.uniform(-5, 5, (8, 6)), rng.uniform(0.1, 1, (8, 10))
        kwargs = {"gravity": pull, "external": {"link4": wrench, 6: wrench[0]}, "payload": load}
        close(robot.inverse_dynamics(q, qd, qdd, **kwargs), slow.inverse_dynamics(q, qd, qdd, **kwargs))
        condition = np.linalg.cond(robot.mass_matrix(q)).max()
        close(robot.forward_dynamics(q, qd, qdd, **kwargs), slow.forward_dynamics(q, qd, qdd, **kwargs), condition)
        if trial == 0:
            count = len(built)
    assert len(built) == count


# --- sine and cosine ----------------------------------------------------------------------------------------------


SINCOS = Program((1,), (2,), (Op("input"), Op("sin", 0), Op("cos", 0)), (1, 2))


@pytest.mark.parametrize("width", [1, 4, 8])
@pytest.mark.parametrize("limit", [1.0, 10.0, 1e3, 1e6, 1e9, 1e12, 1e14])
def test_sine_and_cosine(width, limit):
    """Absolute error at most 2^-52, and 2 ulp away from zeros, up to 1e14; multiples of pi/2 included."""
    rng = np.random.default_rng(1)
    near = np.round(rng.uniform(0, limit, 100) / (np.pi / 2)) * (np.pi / 2)
    x = np.concatenate([rng.uniform(-limit, limit, 300), near[np.abs(near) <= limit], [0.0, -0.0, 1e-300, limit]])
    _, (got,) = run(compiled(SINCOS, width), SINCOS, [x[:, None]])
    with mpmath.workprec(300):
        for value, pair in zip(x, got, strict=True):
            for function, result in zip((mpmath.sin, mpmath.cos), pair, strict=True):
                exact = function(mpmath.mpf(float(value)))
                error = abs(mpmath.mpf(float(result)) - exact)
                assert error <= 2.0**-52
                if abs(exact) > 1e-3:
                    assert error <= 2 * np.spacing(abs(float(exact)))


def test_huge_angles_and_what_is_not_a_number():
    x = np.array([1e15, -3e17, 1e22, 1e300, 0.5, np.inf, -np.inf, np.nan, 2.0])[:, None]
    fine, (got,) = run(compiled(SINCOS, 4), SINCOS, [x])
    assert not fine
    with mpmath.workprec(1200):
        for value, pair in zip(x[:5, 0], got[:5], strict=True):
            assert abs(pair[0] - float(mpmath.sin(mpmath.mpf(float(value))))) < 1e-9
            assert abs(pair[1] - float(mpmath.cos(mpmath.mpf(float(value))))) < 1e-9
    assert np.isnan(got[5:8]).all()
    np.testing.assert_allclose(got[8], [np.sin(2.0), np.cos(2.0)], rtol=1e-15)


def test_huge_angles_in_dynamics():
    robot = redyn.load("puma")
    q = np.zeros((9, 6))
    q[3] = 1e17
    within = np.arctan2(np.sin(q), np.cos(q))
    close(robot.gravity_torque(q), robot.gravity_torque(within), tolerance=1e-8)


# --- bad values and odd arrays ------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("column", range(6))
def test_one_bad_state_spoils_itself_only(value, column):
    robot = redyn.load("puma")
    q, qd, qdd = random_state(robot, 3, (11,))
    good = robot.inverse_dynamics(q, qd, qdd)
    for k, name in enumerate(("q", "qd", "qdd")):
        state = [a.copy() for a in (q, qd, qdd)]
        state[k][7, column] = value
        with pytest.raises(redyn.InputError, match=rf"{name}\[7, {column}\] is {value}"):
            robot.inverse_dynamics(*state)
        spoilt = robot.inverse_dynamics(*state, check=False)
        others = np.arange(11) != 7
        assert (spoilt[others] == good[others]).all()
    with pytest.raises(redyn.InputError, match=rf"q\[{column}\] is {value}"):
        robot.mass_matrix(np.where(np.arange(6) == column, value, 0.0))  # even where the result does not depend on it


def test_any_array_will_do():
    robot = redyn.load("stanford")
    q, qd, qdd = random_state(robot, 5, (33,))
    expected = robot.inverse_dynamics(q, qd, qdd)
    frozen = q.copy()
    frozen.flags.writeable = False
    wide = np.zeros((33, 12))
    wide[:, ::2] = q
    for other in (np.asfortranarray(q), frozen, wide[:, ::2], q[::-1][::-1], q.tolist(), memoryview(q)):
        assert (robot.inverse_dynamics(other, qd, qdd) == expected).all()
        assert (robot.forward_dynamics(other, qd, qdd) == robot.forward_dynamics(q, qd, qdd)).all()
    single = robot.inverse_dynamics(q.astype(np.float32), qd, qdd)
    close(single, robot.inverse_dynamics(q.astype(np.float32).astype(float), qd, qdd))
    assert single.dtype == np.float64
    assert robot.mass_matrix(np.zeros((0, 6))).shape == (0, 6, 6)
    assert robot.inverse_dynamics(np.zeros((0, 6)), np.zeros(6), np.zeros((0, 6))).shape == (0, 6)
    for n in range(1, 12):
        close(robot.inverse_dynamics(q[:n], qd[:n], qdd[:n]), expected[:n])
    frozen_one = q[0].copy()
    frozen_one.flags.writeable = False
    close(robot.inverse_dynamics(frozen_one, qd[0], qdd[0]), expected[0])


def test_out():
    robot = redyn.load("puma")
    q, qd, qdd = random_state(robot, 5, (33,))
    out = np.empty((33, 6))
    assert robot.inverse_dynamics(q, qd, qdd, out=out) is out
    close(out, robot.inverse_dynamics(q, qd, qdd))
    robot.inverse_dynamics(q, qd, qdd, out=qdd)  # even onto an input
    close(qdd, out)
    U, D = np.empty((33, 6, 6)), np.empty((33, 6))
    assert robot.udu(q, out=(U, D))[1] is D
    strided = np.empty((33, 12))[:, ::2]
    robot.coriolis_vector(q, qd, out=strided)
    close(strided, robot.coriolis_vector(q, qd))


def test_results_that_are_held_stay():
    """Memory is used again only when nobody holds the array or a view of it."""
    robot = redyn.load("puma")
    q, qd, qdd = random_state(robot, 5, (4096,))
    held = [robot.inverse_dynamics(q * k, qd, qdd) for k in range(6)]
    views = [robot.mass_matrix(q * k)[10:20, 2] for k in range(6)]
    for _ in range(10):
        robot.inverse_dynamics(q, qd, qdd)
        robot.mass_matrix(q)
    for k in range(6):
        assert (held[k] == robot.inverse_dynamics(q * k, qd, qdd)).all()
        assert (views[k] == robot.mass_matrix(q * k)[10:20, 2]).all()


def test_what_callers_do_to_results_does_no_harm():
    robot = redyn.load("puma")
    q, qd, qdd = random_state(robot, 5, (4096,))
    expected = robot.inverse_dynamics(q, qd, qdd).copy()

    def check():
        again = robot.inverse_dynamics(q, qd, qdd)
        assert again.shape == (4096, 6)
        assert again.flags.writeable
        assert (again == expected).all()

    for change in ("shape", "dtype", "strides", "writeable"):
        for _ in range(5):
            result = robot.inverse_dynamics(q, qd, qdd)
            if change == "shape":
                result.shape = (6, 4096)
            elif change == "dtype":
                result.dtype = np.int64
            elif change == "strides":
                result = np.lib.stride_tricks.as_strided(result, strides=(0, 8))
            else:
                result.flags.writeable = False
            del result
            check()


def test_the_short_way_checks_shapes():
    robot = redyn.load("puma")
    for _ in range(6):
        robot.inverse_dynamics(np.ones((8, 6)), np.ones((8, 6)), np.ones((8, 6)))
        robot.inverse_dynamics(np.ones(6), np.ones(6), np.ones(6))
    for shape in ((8, 6, 3), (8, 5), (6, 8), (5,), (), (2, 8, 6)):
        bad = np.ones(shape)
        with pytest.raises(redyn.InputError, match="expected 6 numbers"):
            robot.inverse_dynamics(bad, bad, bad)


# --- threads and processes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_threads_give_the_same(threads):
    robot = redyn.load("puma")
    q, qd, qdd = random_state(robot, 5, (1003,))
    assert (robot.inverse_dynamics(q, qd, qdd, threads=threads) == robot.inverse_dynamics(q, qd, qdd)).all()
    U, D = robot.udu(q, threads=threads)
    close(U @ (D[:, :, None] * np.swapaxes(U, 1, 2)), robot.mass_matrix(q))
    qd[900, 2] = np.nan
    with pytest.raises(redyn.InputError, match=r"qd\[900, 2\]"):
        robot.inverse_dynamics(q, qd, qdd, threads=threads)


def test_many_python_threads_at_once():
    robot = redyn.chain(5, seed=77)  # no kernel of it exists yet: building, too, happens at once
    states = [random_state(robot, k, (500,)) for k in range(8)]
    results, errors = {}, []

    def work(k):
        try:
            for _ in range(20):
                results[k] = robot.inverse_dynamics(*states[k]), robot.forward_dynamics(*states[k], threads=2)
        except Exception as error:
            errors.append(error)

    workers = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not errors
    for k in range(8):
        assert (results[k][0] == robot.inverse_dynamics(*states[k])).all()
        assert (results[k][1] == robot.forward_dynamics(*states[k])).all()


@pytest.mark.slow
def test_fork_while_another_thread_builds():
    """The child neither hangs nor finds the compilers in the middle of something."""
    code = (
        "import os, threading, time, numpy as np, redyn\n"
        "redyn.chain(3, seed=os.getpid()).gravity_torque(np.zeros((8, 3)))\n"  # imports all: Python minds a fork in one
        "def build(): redyn.chain(25, seed=os.getpid()).coriolis_matrix(np.zeros((8, 25)), np.zeros((8, 25)))\n"
        "thread = threading.Thread(target=build); thread.start(); time.sleep(0.3)\n"
        "pid = os.fork()\n"
        "z = np.zeros((8, 4))\n"
        "redyn.chain(4, seed=os.getpid()).inverse_dynamics(z, z, z)\n"
        "if pid == 0: os._exit(0)\n"
        "thread.join(); print(os.waitpid(pid, 0)[1])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600)
    assert result.stdout.strip() == "0"


def _child(robot, q, queue):
    queue.put(robot.inverse_dynamics(q, q, q, threads=2))
    queue.put(redyn.load("two-link").mass_matrix(np.zeros((8, 2))))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(method):
    robot = redyn.load("puma")
    q = random_state(robot, 1, (300,))[0]
    expected = robot.inverse_dynamics(q, q, q, threads=2)
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    process = context.Process(target=_child, args=(robot, q, queue))
    process.start()
    assert (queue.get(timeout=600) == expected).all()
    assert queue.get(timeout=600).shape == (8, 2, 2)
    process.join(300)


# --- long chains --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [61, 100, 150])
def test_long_chains(n):
    robot, slow = redyn.chain(n, seed=n), on_floats(redyn.chain(n, seed=n))
    q, qd, x = (0.3 * a for a in random_state(robot, n, (7,)))
    close(robot.inverse_dynamics(q, qd, x), slow.inverse_dynamics(q, qd, x))
    condition = np.linalg.cond(slow.mass_matrix(q[0]))
    close(robot.forward_dynamics(q, qd, x), slow.forward_dynamics(q, qd, x), condition)
    oracle = Oracle(robot)
    close(robot.inverse_dynamics(q[0], qd[0], x[0]), oracle.inverse_dynamics(q[0], qd[0], x[0]))
    for size in (1, 2, 5):
        close(robot.inverse_dynamics(q[:size], qd[:size], x[:size], threads=2), robot.inverse_dynamics(q, qd, x)[:size])
    q[4, 60] = np.nan
    with pytest.raises(redyn.InputError, match=r"q\[4, 60\] is nan"):
        robot.forward_dynamics(q, qd, x)


def test_long_chain_with_drives():
    """Friction, armature and offsets vary along the chain."""
    data = redyn.chain(70, seed=2).description.model_dump(exclude_none=True)
    rng = np.random.default_rng(0)
    for link in data["links"]:
        link["joint"] |= {
            "damping": rng.random(),
            "coulomb": rng.random(),
            "armature": 0.01 * rng.random(),
            "offset": rng.random(),
        }
    robot, slow = redyn.load(data), on_floats(redyn.load(data))
    q, qd, x = random_state(robot, 1, (4,))
    close(robot.inverse_dynamics(q, qd, x), slow.inverse_dynamics(q, qd, x))
    close(robot.forward_dynamics(q, qd, x), slow.forward_dynamics(q, qd, x), np.linalg.cond(slow.mass_matrix(q[0])))


def test_a_thousand_links():
    robot = redyn.chain(1000)
    q, qd, x = (0.1 * a for a in random_state(robot, 1, (4,)))
    acceleration = robot.forward_dynamics(q, qd, x)
    condition = 1e9  # what a thousand links are good for
    close(robot.inverse_dynamics(q, qd, acceleration), x, condition)


# --- counts and graphs --------------------------------------------------------------------------------------------


def test_operation_counts_of_a_general_robot():
    """Six revolute joints in general position: below the best published counts of Tables 9.1 and 9.6."""
    robot = redyn.chain(6, seed=1)
    inverse, solve = robot.operation_count("inverse_dynamics"), robot.operation_count("solve")
    assert inverse.multiplications <= 400
    assert inverse.additions <= 330
    assert solve.multiplications <= 620
    assert solve.additions <= 530


def test_counts_are_those_of_the_code_that_runs():
    program = trace(redyn.load("puma").model, Task("inverse_dynamics"))
    assert redyn.load("puma").operation_count("inverse_dynamics") == program.count()
    text = lower(program, 4)
    assert text.count("fmul contract") >= sum(op.name == "mul" for op in program.ops)


def test_casadi_functions():
    robot = redyn.load("stanford")
    q, qd, tau = random_state(robot, 2)
    close(np.array(robot.casadi("forward_dynamics")(q, qd, tau)).ravel(), robot.forward_dynamics(q, qd, tau))
    close(np.array(robot.casadi("mass_matrix")(q)).reshape(6, 6), robot.mass_matrix(q))


def test_without_llvm_the_float_path_answers():
    code = (
        "import sys; sys.modules['llvmlite'] = None; sys.modules['llvmlite.binding'] = None\n"
        "import redyn, numpy as np; r = redyn.load('puma'); q = np.ones((5, 6))\n"
        "print(r.evaluator.kernels, r.inverse_dynamics(q, q, q)[0, 1])\n"
        "print(r.inverse_dynamics_derivatives(q, q, q)[0].shape)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=600)
    robot = redyn.load("puma")
    q = np.ones((5, 6))
    nothing, value, shape = result.stdout.split(maxsplit=2)
    assert nothing == "None"
    assert float(value) == pytest.approx(robot.inverse_dynamics(q, q, q)[0, 1], rel=1e-12)
    assert shape.strip() == "(5, 6, 6)"


FRAGMENTED = """
import ctypes
import numpy as np
import redyn

libc, GB = ctypes.CDLL(None), 1 << 30
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


def reserved(size):
    return libc.mmap(None, size, 0, 0x4022, -1, 0)


robots = [redyn.load(name) for name in ("kuka-kr5", "ur5e", "three-link")]
redyn.load("puma").mass_matrix(np.zeros((64, 6)))  # everything that is loaded on the way is there
memory = np.ones(60_000_000)
block = reserved(60 * GB)
for size in (1 << 24, 1 << 20, 1 << 16, 1 << 12):  # no room above the block
    while (place := reserved(size)) > block:
        pass
    libc.munmap(place, size)
sizes = [8, 8, 8, 8, 8, 64, 64, 128, 128, 256, 256, 512, 512, 1024, 1024, 2048, 2048, 4096, 4096]
for k, size in zip(range(19, 0, -1), sizes):  # holes in it, 3 GB apart, small ones first
    libc.munmap(block + 3 * GB * k, size << 10)
for robot in robots:
    print(robot.forward_dynamics(np.zeros((64, robot.dof)), np.zeros(robot.dof), np.zeros(robot.dof)).shape[0])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for memory")
def test_memory_in_pieces_that_are_far_apart():
    """Code and constants of a kernel are near each other, or the addresses between them would not fit."""
    done = subprocess.run([sys.executable, "-c", FRAGMENTED], capture_output=True, text=True)
    assert done.stdout.split() == ["64"] * 3, done.stderr[-2000:]
