"""Passive joints in closed form: from the independent joints to a closed position, on either branch."""

from functools import cache

import numpy as np
import pytest

import redyn
from redyn.symbolic.loops.passive import SIGN
from redyn.symbolic.loops.states import random_state

SMALL, LARGE = ["four-bar", "slider-crank", "hoeken", "five-bar"], ["andrews", "parallelogram-arm", "excavator"]


@cache
def derived(name):
    return redyn.derive(name)


def solved(eqs, q, signs):
    """All joints from the independent ones alone, loop after loop, with a sign for each."""
    independent = eqs.loops.closure.independent
    values = dict(eqs.values) | {eqs.q[i]: float(q[i]) for i in independent}
    for dyad, sign in zip(eqs.loops.dyads, signs, strict=True):
        values[SIGN] = sign
        for part in (dyad.first, dyad.second):
            values[eqs.q[part.joint]] = float(part.solution.subs(values))
    return np.array([values[s] for s in eqs.q])


def signs_of(eqs, q):
    values = dict(eqs.values) | dict(zip(eqs.q, q, strict=True))
    return [1 if float(dyad.first.branch.subs(values)) > 0 else -1 for dyad in eqs.loops.dyads]


@pytest.mark.parametrize("name", [*SMALL, *(pytest.param(name, marks=pytest.mark.slow) for name in LARGE)])
def test_independent_joints_give_a_closed_position(name):
    eqs = derived(name)
    robot, rng = eqs.robot, np.random.default_rng(4)
    turns = np.array([body.kind == "revolute" for body in eqs.symbolic.bodies])
    for _ in range(2):
        q = random_state(robot, rng).q
        signs = signs_of(eqs, q)
        found = solved(eqs, q, signs)
        assert np.abs(robot.loop_error(found)).max() < 1e-9
        off = np.where(turns, np.sin((found - q) / 2), found - q)
        np.testing.assert_allclose(off, 0.0, atol=1e-8)  # on the branch that is told by its sign
        last = [*signs[:-1], -signs[-1]]
        other = solved(eqs, q, last)
        assert np.abs(robot.loop_error(other)).max() < 1e-9  # the other way to assemble the last loop
        assert np.abs(np.sin((other - q)[turns] / 2)).max() > 1e-3


def test_law_of_cosines_of_a_four_bar():
    (dyad,) = derived("four-bar").loops.dyads
    assert str(dyad.first.branch) == "sin(theta_3)"
    assert dyad.first.B == 0
    assert str(dyad.first.A) == "2*a_2*a_3"


def test_position_of_a_slider():
    """b = -a_1 s_1 +- sqrt(a_2^2 - a_1^2 c_1^2), as the slider of the library lies along -y."""
    (dyad,) = derived("slider-crank").loops.dyads
    assert dyad.first.slides
    assert str(dyad.first.square) == "-a_1**2*cos(theta_1)**2 + a_2**2"


@pytest.mark.parametrize("name", ["3-rrr", "bricard"])
def test_where_there_is_none(name):
    assert derived(name).loops.dyads is None
