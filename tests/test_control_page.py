"""The page on control: its examples run, and its second derivatives are right."""

import re
from pathlib import Path

import numpy as np
import pytest

import redyn

PAGE = Path(__file__).parents[1] / "docs" / "control.md"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The names that the examples leave behind, all blocks run in order."""
    names: dict[str, object] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("page"))
        for block in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL):
            exec(compile(block, str(PAGE), "exec"), names)
    return names


def test_what_the_page_says(page):
    run, q = page["run"], page["q"]
    assert np.abs(run.q[-1] - q - 0.4).max() < 1e-6
    assert page["used"].max() < 1.001
    assert np.median(page["used"].max(axis=1)) > 0.99


def test_second_derivatives(page):
    """Differences of the exact first derivatives, which are not CasADi's."""
    robot, second = page["arm"], page["second"]
    rng = np.random.default_rng(0)
    state, qdd, weights = rng.normal(size=4), rng.normal(size=2), rng.normal(size=2)
    hessian, slope = (np.array(x) for x in second(state, qdd, weights))

    def slopes(x):
        return weights @ np.hstack(robot.inverse_dynamics_derivatives(x[:2], x[2:], qdd))

    np.testing.assert_allclose(slope.ravel(), slopes(state), atol=1e-10)
    step = 1e-6
    wanted = [(slopes(state + step * e) - slopes(state - step * e)) / (2 * step) for e in np.eye(4)]
    np.testing.assert_allclose(hessian, wanted, atol=1e-7)


def test_operational_space_in_casadi():
    robot = redyn.load("puma")
    q = robot.random(0)
    A, response = robot.casadi("operational_space")(q)
    tip = robot.operational_space(q)
    np.testing.assert_allclose(np.array(A).reshape(6, 6) @ tip.inertia, np.eye(6), atol=1e-8)
    np.testing.assert_allclose(np.array(response).reshape(6, 6) @ tip.inertia, tip.inverse, atol=1e-8)
