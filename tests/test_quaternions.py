"""Quaternions: one definition of each formula, over floats, arrays, graphs and compiled loops, against SciPy."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import redyn
from random_robots import close
from redyn.algebra import normaliser, quaternion_rate, rotation_rows
from redyn.model import configuration
from redyn.simulation import manifold

SOLID = {"mass": 1, "com": [0.1, 0, 0], "inertia": [1, 1, 1]}


def drawn(seed):
    rng = np.random.default_rng(seed)
    q = rng.normal(size=4)
    return q / np.linalg.norm(q), rng.uniform(-2, 2, 3)


@settings(max_examples=30)
@given(st.integers(0, 10**9))
def test_rotations_and_rates(seed):
    q, omega = drawn(seed)
    close(np.array(rotation_rows(*q)), Rotation.from_quat(q).as_matrix())
    close(manifold.turned(*q, *omega), Rotation.from_quat(q).apply(omega))
    h = 1e-6
    ahead, behind = (Rotation.from_quat(q) * Rotation.from_rotvec(omega * s) for s in (h, -h))
    step = ahead.as_quat() * np.sign(ahead.as_quat() @ q) - behind.as_quat() * np.sign(behind.as_quat() @ q)
    close(quaternion_rate(*q, *(omega / 2)), step / (2 * h), tolerance=1e-8)


def test_projected_states_have_unit_quaternions():
    robot = redyn.load(
        {
            "name": "ball on a ship",
            "convention": "frames",
            "links": [
                {"name": "ship", "joint": {"type": "free"}, **SOLID},
                {"name": "hinge", "joint": {"type": "revolute"}, **SOLID},
                {"name": "ball", "joint": {"type": "spherical"}, **SOLID},
            ],
        }
    )
    rng = np.random.default_rng(0)
    q, qd = rng.uniform(-1, 1, (5, robot.nq)), rng.uniform(-1, 1, (5, robot.dof))
    found, rates = q.copy(), qd.copy()
    configuration.project(robot.model, found, rates)
    assert np.array_equal(rates, qd)
    for start in (3, 8):
        part = slice(start, start + 4)
        close(np.linalg.norm(found[:, part], axis=1), np.ones(5), tolerance=1e-15)
        close(found[:, part], q[:, part] / np.linalg.norm(q[:, part], axis=1)[:, None], tolerance=1e-15)
    assert np.array_equal(found[:, [0, 1, 2, 7]], q[:, [0, 1, 2, 7]])
    layout, one = manifold.layout_of(robot.model), q[0].copy()
    manifold.project(layout, one)
    close(one, found[0], tolerance=1e-15)
    single = q[0].copy()
    configuration.project(robot.model, single, qd[0])
    close(single, found[0], tolerance=1e-15)


def test_lengths_are_one_whatever_the_square_root():
    assert normaliser(lambda x: x**0.5)(0.0, 3.0, 0.0, 4.0) == (0.0, 0.6, 0.0, 0.8)
