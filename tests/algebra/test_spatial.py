"""Spatial algebra against matrices written out, and against bodies made of particles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from random_robots import close
from redyn.algebra import (
    ArticulatedInertia,
    AxisCycle,
    MassMatrix,
    Propagation,
    RotationX,
    RotationZ,
    Twist,
    Vec3,
    Wrench,
    acceleration_matrix,
)

seeds = st.integers(0, 2**32 - 1)
CYCLE = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])  # the child's x, y, z are the parent's y, z, x


def cross(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def matrix(apply, kind):
    """The 6x6 matrix of a linear map of twists or wrenches."""
    columns = [apply(kind(Vec3(*e[:3]), Vec3(*e[3:]))).components() for e in np.eye(6)]
    return np.array(columns).T


def random_propagation(rng, slides):
    """A propagation, the rotation from the child's axes to the parent's, and its origin in the parent's."""
    offset, slide, alpha, theta = rng.normal(size=3), rng.normal(size=3) * slides, *rng.uniform(-4, 4, 2)
    turns = (RotationX(np.cos(alpha), np.sin(alpha)), AxisCycle(), RotationZ(np.cos(theta), np.sin(theta)))
    R = Rotation.from_euler("x", alpha).as_matrix() @ CYCLE @ Rotation.from_euler("z", theta).as_matrix()
    B = Propagation(Vec3(*offset), turns, Vec3(*slide) if slides else None)
    return B, R, offset + R @ slide


def dense(R, p):
    """B_ij (9.4d), with the change of axes: the child's twist from the parent's."""
    return np.block([[R.T, np.zeros((3, 3))], [-R.T @ cross(p), R.T]])


def particles(rng, count=5):
    """Masses and places of a body, and its mass matrix about the origin."""
    m, r = rng.uniform(0.1, 2, count), rng.normal(size=(count, 3))
    I = sum(mass * (place @ place * np.eye(3) - np.outer(place, place)) for mass, place in zip(m, r, strict=True))
    numbers = [m.sum(), *(m @ r), I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]]
    return m, r, MassMatrix.of_parameters(numbers)


@pytest.mark.parametrize("slides", [False, True])
@given(seeds)
def test_propagations_are_their_matrices(slides, seed):
    B, R, p = random_propagation(np.random.default_rng(seed), slides)
    close(matrix(lambda t: B @ t, Twist), dense(R, p))
    close(matrix(lambda w: B.T @ w, Wrench), dense(R, p).T)


@given(seeds)
def test_mass_matrices_are_those_of_particles(seed):
    rng = np.random.default_rng(seed)
    m, r, M = particles(rng)
    expected = sum(mass * (J := np.hstack([-cross(x), np.eye(3)])).T @ J for mass, x in zip(m, r, strict=True))
    close(matrix(lambda t: M @ t, Twist), expected)
    omega, omega_dot, a = rng.normal(size=(3, 3))
    accelerations = a + np.cross(omega_dot, r) + np.cross(omega, np.cross(omega, r))
    forces = m[:, None] * accelerations
    wrench = M.inertia_wrench(acceleration_matrix(Vec3(*omega), Vec3(*omega_dot)), Vec3(*a))
    close(wrench.components(), [*np.cross(r, forces).sum(axis=0), *forces.sum(axis=0)])


@pytest.mark.parametrize("slides", [False, True])
@given(seeds)
def test_inertia_is_carried_to_the_parent(slides, seed):
    """B^T M B of (9.11d) and (9.39d), and the dyad that a joint takes away."""
    rng = np.random.default_rng(seed)
    B, R, p = random_propagation(rng, slides)
    _, _, M = particles(rng)
    rigid, carry = matrix(lambda t: M @ t, Twist), dense(R, p)
    close(matrix(lambda t: M.to_parent(B) @ t, Twist), carry.T @ rigid @ carry)
    whole = ArticulatedInertia.of_rigid(M, 0.0)
    close(matrix(lambda t: whole @ t, Twist), rigid)
    psi = rng.normal(size=6)
    wrench, divided = (Wrench(Vec3(*x[:3]), Vec3(*x[3:])) for x in (psi, psi / 3))
    left = whole.less_dyad(divided, wrench)
    rest = rigid - np.outer(psi, psi) / 3
    close(matrix(lambda t: left @ t, Twist), rest)
    close(matrix(lambda t: left.to_parent(B) @ t, Twist), carry.T @ rest @ carry)
