"""Derivatives along directions and gradients, of programs and of kernels."""

import numpy as np
import pytest

import redyn
from redyn.dynamics.task import Task
from redyn.kernels.derived import Mode, derived_program, signature
from redyn.kernels.program import Op, Program

PUMA = redyn.load("puma")
FORWARD, REVERSE = Mode("forward", (0, 1)), Mode("reverse", (0, 1))


def states(widths, count=5, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.uniform(-1, 1, (count, width)) for width in widths]


@pytest.mark.parametrize("algorithm", ["inverse_dynamics", "forward_dynamics"])
def test_against_the_recursion_for_derivatives(algorithm):
    """That one is written by hand, this one comes out of automatic differentiation."""
    program = derived_program(PUMA.model, Task(algorithm), (FORWARD,))
    q, qd, u, dq, dqd = states([6] * 5)
    by_q, by_qd, *_ = getattr(PUMA, f"{algorithm}_derivatives")(q, qd, u)
    expected = np.einsum("nij,nj->ni", by_q, dq) + np.einsum("nij,nj->ni", by_qd, dqd)
    (found,) = program.interpret([q, qd, u, dq, dqd])
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * abs(expected).max())


@pytest.mark.parametrize("algorithm", ["mass_matrix", "regressor", "udu"])
def test_reverse_is_the_transpose_of_forward(algorithm):
    task = Task(algorithm)
    by = tuple(range(len(task.base.state)))
    forward, reverse = ((Mode(kind, by),) for kind in ("forward", "reverse"))
    x = states([6] * len(by))
    dx, w = states([6] * len(by), seed=1), states(derived_program(PUMA.model, task).outputs, seed=2)
    dy = derived_program(PUMA.model, task, forward).interpret([*x, *dx])
    gradients = derived_program(PUMA.model, task, reverse).interpret([*x, *w])
    left = sum((a * b).sum(axis=1) for a, b in zip(w, dy, strict=True))
    right = sum((a * b).sum(axis=1) for a, b in zip(gradients, dx, strict=True))
    np.testing.assert_allclose(left, right, rtol=1e-11)


def test_second_derivatives_by_differences():
    modes = (Mode("reverse", (0,)), Mode("forward", (0,)))
    q, w, dq = *states([6]), *states([1], seed=1), *states([6], seed=2)
    (found,) = derived_program(PUMA.model, Task("potential_energy"), modes).interpret([q, w, dq])
    step = 1e-5
    gradient = derived_program(PUMA.model, Task("potential_energy"), modes[:1])
    (after,), (before,) = (gradient.interpret([q + s * step * dq, w]) for s in (1, -1))
    np.testing.assert_allclose(found, (after - before) / (2 * step), rtol=1e-6, atol=1e-6)


def test_kernels_compute_the_program():
    modes = (REVERSE,)
    kernels, task = PUMA.evaluator.kernels, Task("inverse_dynamics")
    inputs = states([6] * 4, count=11)
    expected = derived_program(PUMA.model, task, modes).interpret(inputs)
    for width in (1, None):
        outputs = [np.empty_like(x) for x in expected]
        assert kernels.derived(task, modes, width)(inputs, outputs)
        for found, wanted in zip(outputs, expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-10)
    assert kernels.derived(task, modes) is kernels.derived(task, modes)
    assert kernels.derived(task) is kernels.get(task)  # nothing to mark: the kernel that everybody uses


def test_signatures():
    task = Task("mass_matrix")
    assert signature(PUMA.model, task).outputs == ((6, 6),)
    assert signature(PUMA.model, task, (Mode("reverse", (0,)),)) == (((6,), (6, 6)), ((6,),))
    assert signature(PUMA.model, task, (Mode("forward", (0,)),)) == (((6,), (6,)), ((6, 6),))
    twice = (Mode("reverse", (0,)), Mode("forward", (1,)))
    assert signature(PUMA.model, task, twice) == (((6,), (6, 6), (6, 6)), ((6,),))


def test_results_are_marked_where_a_guard_is_not_positive():
    ops = (Op("input", 0, 0), Op("input", 0, 1), Op("add", 0, 1))
    program = Program((2,), (1,), ops, (2,), (0, 1))
    x = np.array([[1.0, 2.0], [0.0, 2.0], [1.0, -2.0], [1e-300, 1e300]])
    (found,) = program.marked().interpret([x])
    np.testing.assert_array_equal(found, program.interpret([x])[0])
    assert np.isnan(found[:, 0]).tolist() == [False, True, True, False]
    assert program.marked().guards == ()


def test_open_loops_have_no_derivatives():
    robot = redyn.load("four-bar")
    q = np.array([robot.initial, robot.initial + np.array([0.0, 0.3, 0.0])])
    kernel = robot.evaluator.kernels.derived(Task("forward_dynamics"), (Mode("forward", (2,)),))
    out = np.empty((2, 3))
    kernel([q, np.zeros((2, 3)), np.zeros((2, 3)), np.ones((2, 3))], [out])
    assert np.isfinite(out[0]).all()
    assert np.isnan(out[1]).all()


def test_what_would_take_minutes_is_refused(monkeypatch):
    monkeypatch.setattr("redyn.kernels.derived.LONGEST", 100)
    with pytest.raises(redyn.InputError, match="derivatives of order 1 of inverse_dynamics take"):
        derived_program(PUMA.model, Task("inverse_dynamics"), (FORWARD,))
