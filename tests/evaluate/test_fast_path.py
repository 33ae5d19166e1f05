"""The fast path answers as the general path does, or leaves the answer to it."""

from __future__ import annotations

import gc
import sys
import threading
import weakref

import numpy as np
import pytest

import redyn
from mechanisms import moving
from redyn.dynamics.catalogue import (
    ALGORITHMS,
    BY_PARAMETERS,
    CATALOGUE,
    DERIVATIVES,
    LOOP_ALGORITHMS,
    ROLLING_ALGORITHMS,
)
from redyn.dynamics.task import Task
from redyn.evaluate.threads import NUMBERS_PER_THREAD
from redyn.kernels import builtin, numpy_abi

pytestmark = pytest.mark.skipif(not numpy_abi.is_as_expected(), reason="this Python has no fast path")

ROBOTS = ("puma", "planar-biped", "dual-arm-satellite")


@pytest.fixture(scope="module", params=ROBOTS)
def robot(request):
    return redyn.load(request.param)


@pytest.fixture(scope="module")
def puma():
    return redyn.load("puma")


@pytest.fixture(scope="module")
def agv():
    return redyn.load("agv")


@pytest.fixture(scope="module")
def four_bar():
    return redyn.load("four-bar")


@pytest.fixture
def slow(monkeypatch):
    """A PUMA whose calls all take the general path."""
    monkeypatch.setattr(builtin, "is_possible", lambda inputs, shapes: False)
    made = redyn.load("puma")
    made.mass_matrix(np.zeros(6))  # while it is patched
    assert made.evaluator.plan(Task("mass_matrix")).fast is None
    return made


def frame_of(robot):
    return robot.model.end_effector or robot.frame_names[-1]


def states(robot, algorithm, count, gravity=False):
    """Random input arrays of an algorithm; those of one state if `count` is None."""
    rng = np.random.default_rng(1)
    entry = CATALOGUE[algorithm]
    n = 1 if count is None else count
    arrays = [
        np.array([robot.random(rng) for _ in range(n)]) if name == "q" else rng.normal(size=(n, robot.dof))
        for name in entry.base.state
    ]
    if gravity:
        arrays.append(rng.normal(size=(n, 3)))
    return [np.ascontiguousarray(a[0]) for a in arrays] if count is None else arrays


def task_of(robot, algorithm, gravity=False):
    asks = "frame" in CATALOGUE[algorithm].options
    return Task(algorithm, frame=frame_of(robot) if asks else None, gravity=gravity)


def as_tuple(result):
    return result if isinstance(result, tuple) else (result,)


def test_a_new_algorithm_has_a_fast_path(puma, four_bar):
    """Whatever is in the catalogue: nothing about single algorithms is known to the fast path."""
    for algorithm in [name for name in CATALOGUE if name not in BY_PARAMETERS]:
        robot = four_bar if algorithm in LOOP_ALGORITHMS else puma
        assert robot.evaluator.plan(task_of(robot, algorithm)).fast is not None


@pytest.mark.parametrize("count", [None, 1, 3, 4, 8, 11])
@pytest.mark.parametrize("algorithm", [*ALGORITHMS, *DERIVATIVES])
def test_same_results_as_the_general_path(puma, algorithm, count):
    check_paths(puma, algorithm, states(puma, algorithm, count))


@pytest.mark.parametrize("count", [None, 3, 11])
@pytest.mark.parametrize("algorithm", [*ROLLING_ALGORITHMS, "forward_dynamics", "inverse_dynamics"])
def test_wheels_take_the_same_paths(agv, algorithm, count):
    check_paths(agv, algorithm, states(agv, algorithm, count))


@pytest.mark.parametrize("count", [None, 1, 3, 8, 11])
@pytest.mark.parametrize(
    "algorithm", [name for name, entry in CATALOGUE.items() if entry.closed or name in LOOP_ALGORITHMS]
)
def test_closed_loops_take_the_same_paths(four_bar, algorithm, count):
    q, qd, tau = moving(four_bar, 2, count or 1)
    qdd = four_bar.forward_dynamics(q, qd, tau)
    vectors = {"q": q, "qd": qd, "qdd": qdd, "tau": tau}
    arrays = [vectors[name] for name in CATALOGUE[algorithm].base.state]
    check_paths(four_bar, algorithm, [a[0].copy() for a in arrays] if count is None else arrays)


def test_an_open_loop_is_left_to_the_general_path(four_bar):
    """A guard that is not positive counts like a result that is not finite."""
    q, still = four_bar.initial, np.zeros(3)
    four_bar.forward_dynamics(q, still, still)
    fast = four_bar.evaluator.plan(Task("forward_dynamics")).fast
    assert fast.new(q, still, still) is not None
    assert fast.new(q + 0.1, still, still) is None
    assert np.isfinite(fast.with_options((q + 0.1, still, still), {"check": False})).all()


def check_paths(robot, algorithm, inputs):
    task = task_of(robot, algorithm)
    expected = robot.evaluator(task, inputs)
    fast = robot.evaluator.plan(task).fast
    found = fast.new(*inputs)
    assert found is not None
    for result, wanted in zip(as_tuple(found), expected, strict=True):
        assert np.shape(result) == wanted.shape
        np.testing.assert_array_equal(result, wanted)
    np.testing.assert_array_equal(as_tuple(fast.with_options(inputs, {"check": False}))[0], expected[0])
    outputs = tuple(np.full_like(wanted, np.nan) for wanted in expected)
    filled = fast.with_options(inputs, {"out": outputs if len(outputs) > 1 else outputs[0]})
    assert filled is (outputs if len(outputs) > 1 else outputs[0])
    for output, wanted in zip(outputs, expected, strict=True):
        np.testing.assert_array_equal(output, wanted)


@pytest.mark.parametrize("count", [None, 8])
def test_robots_with_quaternions_and_trees(robot, count):
    for algorithm in ("inverse_dynamics", "forward_dynamics", "jacobian", "coordinate_rates"):
        task, inputs = task_of(robot, algorithm), states(robot, algorithm, count)
        (expected,) = robot.evaluator(task, inputs)
        np.testing.assert_array_equal(robot.evaluator.plan(task).fast.new(*inputs), expected)


@pytest.mark.parametrize("count", [None, 8, 1000, 6000])
def test_gravity_is_an_input_like_others(puma, count):
    task, inputs = task_of(puma, "inverse_dynamics", gravity=True), states(puma, "inverse_dynamics", count, True)
    (expected,) = puma.evaluator(task, inputs)
    for _ in range(2):
        np.testing.assert_array_equal(puma.inverse_dynamics(*inputs[:3], gravity=inputs[3]), expected)


def test_large_batches(puma):
    for count in (1365, 1366, 4096, 2 * NUMBERS_PER_THREAD // 24 + 8):
        inputs = states(puma, "inverse_dynamics", count)
        expected = np.array(puma.evaluator(Task("inverse_dynamics"), inputs)[0])
        np.testing.assert_array_equal(puma.inverse_dynamics(*inputs), expected)
        np.testing.assert_array_equal(puma.inverse_dynamics(*inputs, threads=1), expected)
        np.testing.assert_array_equal(puma.inverse_dynamics(*inputs, threads=2), expected)


@pytest.mark.parametrize("count", [4, 8, 100, 127, 128, 300])
def test_one_state_goes_with_a_batch(puma, count):
    q, qd, qdd = states(puma, "inverse_dynamics", count)
    expected = puma.inverse_dynamics(q, np.tile(qd[0], (count, 1)), np.tile(qdd[0], (count, 1)))
    for _ in range(2):
        np.testing.assert_array_equal(puma.inverse_dynamics(q, qd[0].copy(), qdd[0].copy()), expected)


def arguments_of_every_kind():
    rng = np.random.default_rng(2)
    q, qd, qdd = rng.normal(size=(3, 6))
    Q = rng.normal(size=(5, 6))
    wide = rng.normal(size=(5, 12))
    nan = q.copy()
    nan[3] = np.nan
    yield from (
        (q, qd, qdd.tolist()),
        (q.astype(np.float32), qd, qdd),
        (q, qd, np.arange(6)),
        (q, qd, qdd.astype(">f8")),
        (wide[:, ::2], Q, Q),
        (np.asfortranarray(Q), Q, Q),
        (np.asmatrix(Q), Q, Q),
        (np.ma.masked_array(q, mask=False), qd, qdd),
        (q[:5], qd, qdd),
        (Q, Q[:4], Q),
        (q[None, None], qd, qdd),
        (np.float64(1.0), qd, qdd),
        (nan, qd, qdd),
        (q, np.array([0, 0, 0, np.inf, 0, 0.0]), qdd),
        (Q[:0], Q[:0], Q[:0]),
        (q, qd, None),
        (q, qd, "torque"),
        (q, qd, qdd.astype(complex)),
        (q, qd, qdd > 0),
        (Q.astype(object), Q, Q),
        (1e300 * q, 1e300 * qd, 1e300 * qdd),
        (np.frombuffer(b"x" + q.tobytes(), np.uint8)[1:].view(np.float64), qd, qdd),
    )


def outcome(call):
    try:
        return np.array(call())
    except redyn.RedynError as error:
        return type(error), str(error)


@pytest.mark.parametrize("values", list(arguments_of_every_kind()))
def test_whatever_is_passed_the_answer_is_that_of_the_general_path(puma, slow, values):
    good = states(puma, "inverse_dynamics", None)
    puma.inverse_dynamics(*good)
    puma.inverse_dynamics(*states(puma, "inverse_dynamics", 8))
    for options in ({}, {"check": False}, {"threads": 1}, {"threads": 0}, {"out": np.zeros(6)}, {"out": np.zeros(3)}):
        wanted = outcome(lambda o=options: slow.inverse_dynamics(*values, **o))
        found = outcome(lambda o=options: puma.inverse_dynamics(*values, **o))
        if isinstance(wanted, tuple):
            assert found == wanted
        else:
            np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("count", [None, 8])
def test_given_arrays_are_spared_by_an_error(puma, count):
    q, qd, qdd = states(puma, "inverse_dynamics", count)
    puma.inverse_dynamics(q, qd, qdd)
    out = np.full_like(qd, 7.0)
    bad = q.copy()
    bad.flat[2] = np.nan
    with pytest.raises(redyn.RedynError, match="is nan"):
        puma.inverse_dynamics(bad, qd, qdd, out=out)
    assert (out == 7.0).all()
    frozen = np.zeros_like(qd)
    frozen.flags.writeable = False
    with pytest.raises(redyn.RedynError, match="read-only"):
        puma.inverse_dynamics(q, qd, qdd, out=frozen)
    with pytest.raises(redyn.RedynError, match="out: expected a float64 array of shape"):
        puma.inverse_dynamics(q, qd, qdd, out=np.zeros((2, 6)))


@pytest.mark.parametrize("count", [None, 8, 200])
def test_given_arrays_may_be_the_inputs(puma, count):
    q, qd, qdd = states(puma, "inverse_dynamics", count)
    expected = np.array(puma.inverse_dynamics(q, qd, qdd))
    assert puma.inverse_dynamics(q, qd, qdd, out=qdd) is qdd
    np.testing.assert_array_equal(qdd, expected)


def test_an_argument_is_never_taken_for_an_output():
    robot = redyn.load("three-link")
    q, gravity = np.array([0.1, 0.2, 0.3]), np.array([0.0, -5.0, 0.0])
    for _ in range(3):
        first = robot.gravity_torque(q)
        pulled = robot.gravity_torque(q, gravity)
        np.testing.assert_array_equal(gravity, [0.0, -5.0, 0.0])
        assert abs(pulled - first).max() > 0.1
    with pytest.raises(TypeError):
        robot.mass_matrix(q, np.zeros((3, 3)))


def test_unknown_keywords_are_refused(puma):
    q = states(puma, "mass_matrix", None)[0]
    for _ in range(3):
        puma.mass_matrix(q)
        with pytest.raises(TypeError, match="thread"):
            puma.mass_matrix(q, thread=1)
        with pytest.raises(TypeError, match="links"):
            puma.jacobian(q, links="link3", check=True)


def test_quaternions_are_checked():
    robot = redyn.load("dual-arm-satellite")
    q, qd, tau = states(robot, "forward_dynamics", None)
    for _ in range(2):
        expected = robot.forward_dynamics(q, qd, tau)
    stretched = q.copy()
    stretched[3:7] *= 1 + 1e-9  # within the tolerance: made unit first
    np.testing.assert_allclose(robot.forward_dynamics(stretched, qd, tau), expected, rtol=1e-12)
    stretched[3:7] *= 1.1
    with pytest.raises(redyn.RedynError, match="quaternion"):
        robot.forward_dynamics(stretched, qd, tau)


def test_links_by_name_index_and_default(puma):
    q = states(puma, "jacobian", None)[0]
    for _ in range(2):
        np.testing.assert_array_equal(puma.jacobian(q), puma.jacobian(q, "link6"))
        np.testing.assert_array_equal(puma.jacobian(q, 6), puma.jacobian(q, link="link6"))
        np.testing.assert_array_equal(puma.jacobian(q, np.int64(1)), puma.jacobian(q, 1))
        with pytest.raises(redyn.RedynError, match="got True"):
            puma.jacobian(q, True)
        with pytest.raises(redyn.RedynError, match="expected a frame"):
            puma.jacobian(q, [1])  # pyright: ignore


def test_singular_joints_are_found_at_every_call():
    robot = redyn.load("kuka-kr5-printed")
    for _ in range(4):
        with pytest.raises(redyn.SingularError, match="moves no inertia"):
            robot.forward_dynamics(np.zeros(6), np.zeros(6), np.zeros(6))


def test_no_reference_is_lost_or_kept(puma):
    q, qd, qdd = states(puma, "inverse_dynamics", None)
    nan = np.full(6, np.nan)
    puma.evaluator(Task("inverse_dynamics"), (q, qd, qdd))
    out = np.zeros(6)
    kernel = puma.evaluator.plan(Task("inverse_dynamics")).fast._kernel
    watched = (q, qd, qdd, nan, out, None, np.ndarray, q.dtype)
    before = [sys.getrefcount(x) for x in watched]
    for _ in range(1000):
        kernel.new(q, qd, qdd)
        kernel.new(q, qd, nan)  # refused
        kernel.new(q, qd)
        kernel.fill(q, qd, qdd, out)
    after = [sys.getrefcount(x) for x in watched]
    assert all(abs(a - b) < 100 for a, b in zip(before, after, strict=True))


def test_several_threads_at_once(puma):
    batches = [states(puma, "inverse_dynamics", count) for count in (5, 60, 127, 500)]
    expected = [np.array(puma.inverse_dynamics(*batch)) for batch in batches]
    wrong: list[int] = []

    def work(k):
        out = np.zeros_like(expected[k])
        for _ in range(300):
            puma.inverse_dynamics(*batches[k], out=out)
            if not (out == expected[k]).all() or not (puma.inverse_dynamics(*batches[k]) == expected[k]).all():
                wrong.append(k)

    workers = [threading.Thread(target=work, args=(k % 4,)) for k in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


def test_code_is_freed_with_its_robot():
    robot = redyn.chain(4, seed=77)
    q = np.zeros(4)
    for _ in range(3):
        robot.inverse_dynamics(q, q, q)
    code = weakref.ref(robot.evaluator.kernels.get(Task("inverse_dynamics"), 1).code)
    function = robot.evaluator.plan(Task("inverse_dynamics")).fast.new
    expected = robot.inverse_dynamics(q, q, q)
    del robot
    gc.collect()
    assert code() is not None  # as long as the function is held
    np.testing.assert_array_equal(function(q, q, q), expected)
    del function
    gc.collect()
    assert code() is None


def test_a_struct_of_another_layout_is_noticed(monkeypatch):
    monkeypatch.setattr(numpy_abi, "DIMS", 24)
    assert numpy_abi.is_as_expected.__wrapped__() is False
    monkeypatch.setattr(numpy_abi, "DIMS", 16)
    assert numpy_abi.is_as_expected.__wrapped__() is True
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    assert numpy_abi.is_as_expected.__wrapped__() is False
