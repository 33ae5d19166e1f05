"""The recursion for derivatives against CasADi's differentiation of the inverse dynamics, and against Pinocchio."""

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from pinocchio_oracle import Oracle
from random_robots import close, on_floats, random_joints, random_motion, random_state, random_tree
from redyn.arithmetic import graph
from redyn.description.packages import robots_folder
from redyn.dynamics import reduced
from redyn.dynamics.algorithm import Conditions
from redyn.dynamics.catalogue import ALGORITHMS
from redyn.dynamics.task import Task
from redyn.kernels.program import operands, read_function
from redyn.kernels.trace import casadi_function, trace

seeds = st.integers(0, 10**9)


def differentiated(robot):
    """dtau/dq in the tangent space, dtau/dqd and the mass matrix by automatic differentiation."""
    model, arith = robot.evaluator.model, graph.Graph()
    (q, q_), (qd, qd_), (qdd, qdd_) = (
        graph.inputs(name, width) for name, width in (("q", model.nq), ("qd", model.dof), ("qdd", model.dof))
    )

    def run(name, *state):
        return ca.vertcat(*reduced.run(ALGORITHMS[name], model, arith, state, Conditions())[0])

    tau = run("inverse_dynamics", q_, qd_, qdd_)
    tangent = ca.jacobian(run("coordinate_rates", q_, qd_), qd)
    outputs = ca.mtimes(ca.jacobian(tau, q), tangent), ca.jacobian(tau, qd), ca.jacobian(tau, qdd)
    function = ca.Function("derivatives", [q, qd, qdd], [ca.densify(x) for x in outputs])
    return lambda *state: [np.array(x) for x in function(*state)]


def compare(robot, motion):
    q, qd, qdd = motion
    by_ad = differentiated(robot)
    mine = robot.inverse_dynamics_derivatives(q, qd, qdd)
    tau = robot.inverse_dynamics(q, qd, qdd)
    rows = range(len(q))
    expected = [by_ad(q[row], qd[row], qdd[row]) for row in rows]
    conditions = [np.linalg.cond(M) for _, _, M in expected]
    for row in rows:
        for k in range(2):
            close(mine[k][row], expected[row][k])
    if max(conditions) > 1e8:
        return
    forward = robot.forward_dynamics_derivatives(q, qd, tau)
    for row, condition in enumerate(conditions):
        by_q, by_qd, M = expected[row]
        inverse = np.linalg.inv(M)
        for got, reference in zip(forward, (-inverse @ by_q, -inverse @ by_qd, inverse), strict=True):
            close(got[row], reference, condition)


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(1, 9))
def test_trees(seed, n):
    """Revolute and prismatic joints, with friction and armature."""
    robot = on_floats(redyn.load(random_tree(seed, n), exact=True))
    compare(robot, random_state(robot, seed, (2,)))


@settings(max_examples=30, deadline=None)
@given(seeds, st.integers(1, 5))
def test_joints_of_any_kind(seed, n):
    """Helical, spherical, free, universal and planar ones among them, anywhere in the tree."""
    robot = on_floats(redyn.load(random_joints(seed, n, friction=True), exact=True))
    compare(robot, random_motion(robot, seed, (2,)))


@pytest.mark.parametrize("kind", ["helical", "cylindrical", "universal", "planar", "spherical", "free"])
def test_a_moving_joint_of_each_kind(kind):
    """Behind another joint, and in front of one: nothing is at rest."""
    tree = random_joints(5, 3, kinds=("revolute",), friction=True)
    other = random_joints(6, 3, kinds=(kind,), friction=True)
    tree["links"][1] = other["links"][1] | {"parent": "part0"}
    tree["links"][2]["parent"] = "part1"
    robot = on_floats(redyn.load(tree, exact=True))
    compare(robot, random_motion(robot, 0, (3,)))


@settings(max_examples=3, deadline=None)
@given(seeds, st.integers(1, 3))
def test_kernels(seed, n):
    """Traced and compiled, with regrouped inertial parameters."""
    robot = redyn.load(random_joints(seed, n, friction=True), exact=True)
    compare(robot, random_motion(robot, seed, (5,)))


def test_slope_of_friction():
    robot = redyn.load(random_tree(3, 4), exact=True)
    q, qd, qdd = random_state(robot, 3)
    by_qd = robot.inverse_dynamics_derivatives(q, qd, qdd)[1]
    smooth = redyn.load(random_tree(3, 4), exact=True, friction=False).inverse_dynamics_derivatives(q, qd, qdd)[1]
    step = 1e-6 * np.eye(robot.dof)
    slopes = [(robot.friction_torque(qd + h) - robot.friction_torque(qd - h)) / 2e-6 for h in step]
    close(by_qd - smooth, np.array(slopes), tolerance=1e-7)


ROBOTS = {
    "ur5": "ur_description/urdf/ur5_robot.urdf",
    "panda": "panda_description/urdf/panda.urdf",
    "hyq": "hyq_description/robots/hyq_no_sensors.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
}


@pytest.mark.filterwarnings("ignore::redyn.errors.RedynWarning")
@pytest.mark.parametrize("name", ROBOTS)
def test_published_robots(name):
    robot = redyn.load(robots_folder() / ROBOTS[name], friction=False, exact=True, floating_base=name == "hyq")
    on_floats(robot)
    oracle, (q, qd, qdd) = Oracle(robot), random_motion(robot, 7)
    mine = robot.inverse_dynamics_derivatives(q, qd, qdd)
    for got, reference in zip(mine, oracle.inverse_dynamics_derivatives(q, qd, qdd), strict=True):
        close(got, reference)


def test_fewer_operations_than_automatic_differentiation():
    """Panda took 3,245 multiplications and 2,927 additions by it, its forward dynamics 5,847 and 5,181."""
    with pytest.warns(redyn.errors.RedynWarning):
        robot = redyn.load(robots_folder() / ROBOTS["panda"], friction=False)
    inverse = robot.operation_count("inverse_dynamics_derivatives")
    forward = robot.operation_count("forward_dynamics_derivatives")
    assert sum(inverse) < 3550
    assert sum(forward) < 6900


def test_order_of_operations():
    """Kernels of matrices work entry by entry, joint by joint; the results stay where they were."""
    robot = redyn.load(random_joints(11, 3), exact=True)
    task = Task("inverse_dynamics_derivatives")
    program, as_read = trace(robot.evaluator.model, task), read_function(casadi_function(robot.evaluator.model, task))
    assert program.count() == as_read.count()
    assert all(x < k for k, op in enumerate(program.ops) for x in operands(op))
    motion = random_motion(robot, 3, (4,))
    for got, expected in zip(program.interpret(motion), as_read.interpret(motion), strict=True):
        np.testing.assert_array_equal(got, expected)
