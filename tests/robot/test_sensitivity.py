"""Largest torques change with masses and lengths as robots do that are built with other numbers."""

import numpy as np
import pytest

import redyn
from redyn.robot import peak_sensitivity


@pytest.mark.parametrize("name", ["kuka-kr5", "stanford"])
def test_peaks_of_rebuilt_robots(name):
    robot = redyn.load(name)
    motion = redyn.trajectory.cycloidal(robot.initial, robot.initial + 0.8, 1.0)
    state = motion(np.linspace(0.0, 1.0, 201))
    found = peak_sensitivity(robot, *state)
    peaks = np.abs(robot.inverse_dynamics(*state)).max(axis=0)
    np.testing.assert_allclose(found.peaks, peaks)
    sizes = np.abs(found.changes).max(axis=1)
    assert (np.diff(sizes) <= 0).all()
    for k, parameter in enumerate(found.names[:5]):
        free, h = robot.free(parameter), 1e-4
        moved = [
            np.abs(free.inverse_dynamics(*state, parameters=[found.nominal[k] * (1 + sign * h)])).max(axis=0)
            for sign in (1, -1)
        ]
        numeric = 0.01 * (moved[0] - moved[1]) / (2 * h)
        np.testing.assert_allclose(found.changes[k], numeric, atol=2e-3 * sizes[k])


def test_robots_that_leave_nothing_open():
    robot = redyn.load("flexible-two-link")
    with pytest.raises(redyn.InputError, match="mode shapes"):
        peak_sensitivity(robot, *np.zeros((3, 1, robot.dof)))
