"""Robots with closed loops against the truth of 14 mechanisms, and the identities of mechanics."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from mechanisms import GOLDEN, NAMES, definition, mechanism, moving, random_loops, rotation, states
from pinocchio_oracle import ClosedOracle
from random_robots import close, on_floats
from redyn.arithmetic import Arrays, Floats
from redyn.description.placement import rpy_rotation
from redyn.description.transforms.frames import origin
from redyn.dynamics import reduced
from redyn.dynamics.task import Task, conditions_of
from redyn.evaluate.columns import scalars
from redyn.kernels.trace import trace
from redyn.kinematics.linear import null_space

# Of max(1, |reference|): the light links of the leg and the many rows of the spatial robots leave fewer digits.
TOLERANCE = {"hoeken-leg": 1e-9, "delta": 1e-10, "stewart": 1e-10}
CLOSED = ["forward_dynamics", "inverse_dynamics", "gravity_torque", "transmission", "reduced_mass_matrix", "projection"]


def gamma(robot, q, qd):
    return -robot.evaluator(Task("loop_accelerations"), [q, qd, np.zeros_like(qd)])[0]


@pytest.mark.parametrize("name", NAMES)
def test_ranks_and_mobility(name):
    robot, entry = mechanism(name), GOLDEN["mechanisms"][name]
    assert len(robot.model.rows) == entry["rows"]
    assert (robot.model.closure.rank, robot.mobility, robot.dof) == (
        entry["rank"],
        entry["mobility"],
        entry["tree_dof"],
    )
    assert robot.velocity_names == entry["joint_velocities"]


@pytest.mark.parametrize("name", NAMES)
def test_golden_states(name):
    robot, tolerance = mechanism(name), TOLERANCE.get(name, 1e-11)
    driven = [robot.velocity_names.index(joint) for joint in robot.actuated]
    for state in states(name):
        q, qd, tau = state["q"], state["qd"], state["tau"]
        close(robot.forward_dynamics(q, qd, tau), state["qdd"], tolerance=tolerance)
        torque = robot.inverse_dynamics(q, qd, np.array(state["inverse"]["qdd"]))
        close(torque[driven], state["inverse"]["actuated_torque"])
        assert not np.delete(torque, driven).any()  # passive joints carry nothing
        close(robot.gravity_torque(q)[driven], state["hold_still"])
        close(robot.transmission(q), state["transmission"])
        close(robot.mass_matrix(q, reduced=True), state["reduced_mass_matrix"])
        close(robot.kinetic_energy(q, qd), state["kinetic_energy"])
        close(robot.potential_energy(q), state["potential_energy"])


@pytest.mark.parametrize("name", NAMES)
def test_golden_multipliers(name):
    """Unique ones agree; the others are not shown as numbers."""
    robot = mechanism(name)
    for state in states(name):
        wrenches = robot.loop_wrenches(state["q"], state["qd"], state["tau"])
        reference = iter(state["multipliers"])
        for loop, wrench in zip(robot.model.loops, wrenches, strict=True):
            for row in range(6):
                if row not in loop.rows:
                    assert wrench[row] == 0.0
                    continue
                value = next(reference)
                if np.isnan(value):
                    assert np.isnan(wrench[row])
                else:
                    close(wrench[row], value, tolerance=1e-10)


@pytest.mark.parametrize("name", ["four-bar", "3-RRR", "bricard", "rssr", "parallelogram-arm"])
@pytest.mark.parametrize("algorithm", CLOSED)
def test_one_definition_over_any_scalar(name, algorithm):
    """Floats, arrays, the interpreter of the traced program and kernels of any width."""
    robot, task = mechanism(name), Task(algorithm)
    golden = states(name)
    named = {"q": "q", "qd": "qd", "tau": "tau", "qdd": "qdd"}
    inputs = [np.array([state[named[vector]] for state in golden]) for vector in task.base.state]
    found = robot.evaluator(task, inputs)
    model, count = robot.model, len(task.entry.outputs)
    interpreted = trace(model, task).interpret(inputs)
    for got, expected in zip(interpreted, found, strict=True):
        close(got.reshape(expected.shape), expected, tolerance=1e-12)
    for arith in (Arrays(), Floats()):
        rows = range(len(golden)) if isinstance(arith, Floats) else [slice(None)]
        for row in rows:
            columns = [scalars(np.ascontiguousarray(a[row])) for a in inputs]
            conditions, working = conditions_of(model.over(arith), task, {})
            values = reduced.run(task.entry, working, arith, columns, conditions)[:count]
            for flat, expected in zip(values, found, strict=True):
                want = expected[row].reshape(*(() if isinstance(row, int) else (len(golden),)), -1)
                got = np.stack(np.broadcast_arrays(*[np.asarray(x, dtype=float) for x in flat]), axis=-1)
                close(np.broadcast_to(got, want.shape), want, tolerance=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_identities(name):
    """Inverse after forward, J qdd = gamma, and multipliers that do no work."""
    robot = mechanism(name)
    q, qd, tau = moving(robot, 3, count=4)
    driven = list(robot.model.closure.driven)
    tau[:, [i for i in range(robot.dof) if i not in driven]] = 0.0
    qdd = robot.forward_dynamics(q, qd, tau)
    held = robot.tree.inverse_dynamics(q, qd, qdd) - tau  # J^T lambda
    torque = robot.inverse_dynamics(q, qd, qdd)
    assert np.abs(torque - tau).max() < 1e-10 * max(1.0, np.abs(held).max())
    J = robot.loop_jacobian(q)
    missing = np.einsum("nij,nj->ni", J, qdd) - gamma(robot, q, qd)
    assert np.abs(missing).max() < 1e-11 * max(1.0, np.abs(qdd).max())
    power = np.einsum("ni,ni->n", held, qd)
    assert np.abs(power).max() < 1e-11 * max(1.0, np.abs(held * qd).max())


def turned(data, R):
    """The whole mechanism, gravity included, fixed to the world in another attitude."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = R, (0.1, -0.2, 0.3)
    base = {"name": "turned", "parent": "world", "joint": {"type": "fixed", "name": "turning"}, **origin(pose)}
    ends = {"world": "turned"}
    links = [link | {"parent": ends.get(link["parent"], link["parent"])} for link in data["links"]]
    loops = [loop | {"between": [ends.get(end, end) for end in loop["between"]]} for loop in data["loops"]]
    return data | {"links": [base, *links], "loops": loops, "gravity": [float(x) for x in R @ data["gravity"]]}


@pytest.mark.parametrize("name", NAMES)
def test_in_any_orientation(name):
    robot = redyn.load(turned(definition(name), rotation(5)), exact=True, allow_unphysical=True)
    entry, state = GOLDEN["mechanisms"][name], states(name)[1]
    assert (robot.model.closure.rank, robot.mobility) == (entry["rank"], entry["mobility"])
    q, qd = state["q"], state["qd"]
    close(robot.forward_dynamics(q, qd, state["tau"]), state["qdd"], tolerance=10 * TOLERANCE.get(name, 1e-11))
    expected = mechanism(name).inverse_dynamics(q, qd, state["qdd"])
    close(robot.inverse_dynamics(q, qd, state["qdd"]), expected, tolerance=1e-10)


def four_bar_cut_at_the_ground():
    """The golden four-bar with the pin between output and ground cut: the coupler hangs on the crank."""
    data = definition("four-bar")
    crank, output, coupler = (dict(link) for link in data["links"])
    coupler |= {"parent": "crank", "xyz": [0.05, 0, 0], "joint": {"type": "revolute", "name": "j_coupler"}}
    output |= {"parent": "coupler", "xyz": [0.1, 0, 0], "joint": {"type": "revolute", "name": "j_output"}}
    loop = {"name": "ground", "between": ["world", "output"], "joint": "revolute"}
    loop |= {"at": [0.15, 0, 0], "meets": [0.13, 0, 0]}
    return data | {"links": [crank, coupler, output], "loops": [loop]}  # mass centres are half way: same from both ends


def test_another_cut():
    """The same mechanism cut elsewhere moves alike, and a pin that was cut carries what the joint carried."""
    first = mechanism("four-bar")
    with pytest.warns(redyn.RedynWarning, match="open by"):
        second = redyn.load(four_bar_cut_at_the_ground(), exact=True)
    assert second.mobility == 1
    for state in states("four-bar"):
        q, qd = state["q"], state["qd"]
        # Absolute angles of coupler and output; in the second tree both are seen from their other ends.
        coupler, output = q[1] + q[2], q[1]
        other = [q[0], coupler + np.pi - q[0], (output + np.pi) - (coupler + np.pi)]
        rates = [qd[0], qd[1] + qd[2] - qd[0], -qd[2]]
        torque = np.array([0.7, 0.0, 0.0])
        a = first.forward_dynamics(q, qd, torque)
        b = second.forward_dynamics(np.array(other), np.array(rates), torque)
        close(b, [a[0], a[1] + a[2] - a[0], -a[2]], tolerance=1e-10)
        pin = second.loop_wrenches(np.array(other), np.array(rates), torque)[0]
        joint = first.joint_wrenches(q, qd, a)[first.link_names.index("output")]
        c, s = np.cos(q[1]), np.sin(q[1])
        force = np.array([c * joint[3] - s * joint[4], s * joint[3] + c * joint[4]])  # from link to world axes
        close(pin[3:5], force, tolerance=1e-9)
        assert np.isnan(pin[5])
        assert np.isnan(joint[5])


@settings(max_examples=40, deadline=None)
@given(random_loops, st.integers(0, 100))
def test_random_loops(data, seed):
    """Any joint that closes a loop anywhere in a random tree: rates, gamma and dynamics against dense matrices."""
    robot = on_floats(redyn.load(data, exact=True, friction=False))
    rng = np.random.default_rng(seed)
    closure = robot.model.closure
    q = robot.random(rng)
    rows = list(closure.rows)
    assert np.abs(robot.loop_error(q)[rows]).max(initial=0.0) < 1e-11
    J = robot.loop_jacobian(q)
    h = 1e-6
    direction = rng.normal(size=robot.dof)
    ahead, behind = (robot.loop_error(robot.integrate(q, direction, t)) for t in (h, -h))
    close((ahead - behind) / (2 * h), J @ direction, tolerance=1e-7)
    free = null_space(J)
    qd = free @ np.ones(free.shape[1])
    rate_ahead, rate_behind = (robot.loop_jacobian(robot.integrate(q, qd, t)) @ qd for t in (h, -h))
    g = gamma(robot, q[None], qd[None])[0]
    close(-(rate_ahead - rate_behind)[rows] / (2 * h), g[rows], tolerance=2e-6)
    tau = rng.uniform(-3, 3, robot.dof)
    M, bias = robot.mass_matrix(q), robot.tree.inverse_dynamics(q, qd, np.zeros(robot.dof))
    kept = J[rows]
    if len(rows) and closure.rank == len(rows):
        share = np.linalg.svd(kept, compute_uv=False)
        if share[-1] < 1e-3 * share[0]:
            return  # near a singular position, where dense matrices lose digits as well
        whole = np.block([[M, -kept.T], [kept, np.zeros((len(rows), len(rows)))]])
        reference = np.linalg.solve(whole, np.concatenate([tau - bias, g[rows]]))[: robot.dof]
        close(robot.forward_dynamics(q, qd, tau), reference, factor=np.linalg.cond(M), tolerance=1e-9)


@settings(max_examples=15, deadline=None)
@given(random_loops.filter(lambda data: data["loops"][0]["joint"] in ("spherical", "fixed", "revolute")))
def test_pinocchio(data):
    """Random trees with a ball, a weld or a pin between any two of their links."""
    robot = on_floats(redyn.load(data, exact=True, friction=False))
    closure, (q,), (qd,), (tau,) = robot.model.closure, *moving(robot, 3)
    J = robot.loop_jacobian(q)[list(closure.rows)]
    values = np.linalg.svd(J, compute_uv=False)
    if closure.deficient or not len(values) or values[-1] < 1e-2 * values[0]:
        return  # its proximal iterations lose digits there
    reference = ClosedOracle(robot).forward_dynamics(q, qd, tau)
    close(robot.forward_dynamics(q, qd, tau), reference, factor=np.linalg.cond(robot.mass_matrix(q)), tolerance=1e-9)


def test_small_oscillation():
    """The linearised four-bar about its hanging rest swings with the golden frequency."""
    entry, robot = GOLDEN["four_bar_small_oscillation"], mechanism("four-bar")
    A, B = robot.linearize(entry["q"], np.zeros(3), np.zeros(3))
    assert A.shape == (2, 2)
    assert B.shape == (2, 1)
    close(-A[1, 0], entry["omega_squared"], tolerance=1e-10)
    close(1 / B[1, 0], entry["reduced_inertia"])


def driven_twice():
    """A four-bar with two motors."""
    return redyn.load(definition("four-bar") | {"actuated": ["j_crank", "j_output"]}, exact=True)


def driven_elsewhere():
    """A robot whose actuators are not its independent rates: more motions than motors."""
    return redyn.load(definition("five-bar") | {"actuated": ["j_left_rod"]}, exact=True)


@pytest.mark.parametrize(
    "robot",
    [*("four-bar", "five-bar", "rssr", "bricard", "parallelogram-arm"), driven_twice, driven_elsewhere],
    ids=lambda x: x if isinstance(x, str) else x.__name__,
)
def test_derivatives(robot):
    """Of forward and inverse dynamics in the independent rates, against differences along closed states."""
    few = robot is driven_elsewhere
    robot = mechanism(robot) if isinstance(robot, str) else robot()
    independent, driven = (list(x) for x in (robot.model.closure.independent, robot.model.closure.driven))
    (q,), (qd,), _ = moving(robot, 5)
    G, u = robot.transmission(q), qd[independent]
    tau = np.zeros(robot.dof)
    tau[driven] = 0.3
    qdd = robot.forward_dynamics(q, qd, tau)
    by_q, by_u, by_tau = robot.forward_dynamics_derivatives(q, qd, tau)
    torque_by_q, torque_by_u = robot.inverse_dynamics_derivatives(q, qd, qdd)
    h = 1e-5

    def at(dq, du):
        there = robot.assemble(robot.integrate(q, G @ dq))
        return there, robot.transmission(there) @ (u + du)

    def accelerations(there, rates):
        bias = gamma(robot, there[None], rates[None])[0]
        J, others = robot.loop_jacobian(there), [i for i in range(robot.dof) if i not in independent]
        x = np.zeros(robot.dof)
        x[independent] = qdd[independent]
        x[others] = np.linalg.lstsq(J[:, others], bias - J @ x, rcond=1e-9)[0]
        return x

    for k in range(robot.mobility):
        step = np.eye(robot.mobility)[k] * h
        for slope, torque_slope, ends in (
            (by_q[:, k], torque_by_q[:, k], (at(step, 0 * step), at(-step, 0 * step))),
            (by_u[:, k], torque_by_u[:, k], (at(0 * step, step), at(0 * step, -step))),
        ):
            values = [robot.forward_dynamics(*end, tau)[independent] for end in ends]
            close((values[0] - values[1]) / (2 * h), slope, tolerance=1e-6)
            if few:
                continue  # a motion that its motor can make is not one any more when it is moved aside
            values = [robot.inverse_dynamics(*end, accelerations(*end))[driven] for end in ends]
            close((values[0] - values[1]) / (2 * h), torque_slope, tolerance=1e-6)
    more = tau.copy()
    more[driven[0]] += 1.0
    close((robot.forward_dynamics(q, qd, more) - qdd)[independent], by_tau[:, 0], tolerance=1e-9)


def test_redundant_actuation():
    """Driven at crank and output: of all torques that do it, the shortest."""
    entry = GOLDEN["inverse_along_motions"]["four-bar driven at crank and output, least norm"]
    robot = redyn.load(definition("four-bar") | {"actuated": ["j_crank", "j_output"]}, exact=True)
    assert robot.mobility == 1
    torque = robot.inverse_dynamics(entry["q"], entry["qd"], entry["qdd"])
    close(torque[:2], entry["torque"])
    assert torque[2] == 0.0


def test_too_few_actuators():
    robot = redyn.load(definition("five-bar") | {"actuated": ["j_left"]}, exact=True)
    state = states("five-bar")[1]
    q, qd = state["q"], state["qd"]
    with pytest.raises(redyn.RedynError, match="unbalanced"):
        robot.inverse_dynamics(q, qd, state["qdd"])
    tau = np.array([1.5, 0.0, 0.0, 0.0])
    qdd = robot.forward_dynamics(q, qd, tau)  # a motion that this one actuator does make
    close(robot.inverse_dynamics(q, qd, qdd), tau, tolerance=1e-10)


@pytest.mark.parametrize("name", ["four-bar", "slider-crank"])
def test_on_a_floating_base(name):
    """The wrench that the base would need comes back, and a base without one moves freely."""
    fixed = mechanism(name)
    robot = redyn.load(definition(name), exact=True, floating_base=True)
    assert robot.mobility == fixed.mobility + 6
    state = states(name)[2]
    q = np.concatenate([[0, 0, 0, 0, 0, 0, 1], state["q"]])
    still = np.concatenate([np.zeros(6), state["qd"]])
    motion = np.concatenate([np.zeros(6), state["qdd"]])
    torque = robot.inverse_dynamics(q, still, motion)
    close(torque[6:], fixed.inverse_dynamics(state["q"], state["qd"], state["qdd"]), tolerance=1e-10)
    momentum_rate = torque[3:6]
    weight = robot.total_mass * robot.gravity
    h = 1e-6
    ahead, behind = (
        fixed.momentum(*fixed.project(fixed.integrate(state["q"], state["qd"], t), state["qd"] + t * state["qdd"]))[3:]
        for t in (h, -h)
    )
    close(momentum_rate, (ahead - behind) / (2 * h) - weight, tolerance=1e-5)
    free = robot.forward_dynamics(q, still, np.zeros(robot.dof))
    close(robot.inverse_dynamics(q, still, free), np.zeros(robot.dof), tolerance=1e-9)


def test_joints_that_mimic_others():
    """Two five-bar drives geared together: the tie and the loop hold at once."""
    data = definition("five-bar")
    data["links"] = [dict(link) for link in data["links"]]
    left, right = (next(k for k in data["links"] if k["name"] == name) for name in ("left", "right"))
    start = left["joint"]["initial"][0] + right["joint"]["initial"][0]
    right["joint"] = right["joint"] | {"mimic": {"joint": "j_left", "multiplier": -1.0, "offset": start}}
    robot = redyn.load(data | {"actuated": ["j_left"]}, mimic="couple", exact=True)
    assert (robot.dof, robot.mobility) == (3, 1)
    q = robot.initial
    qd = robot.transmission(q) @ [0.7]
    qdd = robot.forward_dynamics(q, qd, np.array([0.4, 0.0, 0.0]))
    close(robot.inverse_dynamics(q, qd, qdd), [0.4, 0.0, 0.0], tolerance=1e-10)
    whole = mechanism("five-bar")
    names = whole.velocity_names
    ties = {"j_left": (0, 1.0), "j_left_rod": (1, 1.0), "j_right": (0, -1.0), "j_right_rod": (2, 1.0)}

    def spread(x, shift=0.0):
        return np.array([ties[n][1] * x[ties[n][0]] + (shift if n == "j_right" else 0.0) for n in names])

    torque = whole.inverse_dynamics(spread(q, start), spread(qd), spread(qdd))
    close(torque[names.index("j_left")] - torque[names.index("j_right")], 0.4, tolerance=1e-10)


def test_a_door_on_two_hinges():
    """Coaxial pins: the second adds rows that no motion feels."""
    door = {"name": "door", "joint": {"type": "revolute", "name": "hinge"}, "mass": 10, "com": [0.4, 0, 0.5]}
    door |= {"inertia": [1, 1.5, 0.6], "xyz": [0.1, 0.2, 0.3], "rpy": [0.3, -0.2, 0.5]}
    loop = {"between": ["world", "door"], "joint": "revolute", "at": [0, 0, 0]}
    axis = rpy_rotation(0.3, -0.2, 0.5)[:3, 2]
    loop |= {"at": [float(x) for x in np.array([0.1, 0.2, 0.3]) + 0.8 * axis], "axis": [float(x) for x in axis]}
    robot = redyn.load(
        {"name": "door", "convention": "frames", "links": [door], "loops": [loop], "actuated": ["hinge"]}
    )
    assert (robot.mobility, robot.model.closure.rank, len(robot.model.rows)) == (1, 0, 5)
    close(robot.forward_dynamics([0.3], [0.5], [2.0]), robot.tree.forward_dynamics([0.3], [0.5], [2.0]))
    close(robot.inverse_dynamics([0.3], [0.5], [2.0]), robot.tree.inverse_dynamics([0.3], [0.5], [2.0]))
    assert np.isnan(robot.loop_wrenches([0.3], [0.5], [2.0])[0, [0, 1, 3, 4, 5]]).all()


@pytest.mark.parametrize("name", ["four-bar", "stewart", "bricard"])
def test_parts_and_regressor(name):
    """Parts of the torque add up, and Y times the parameters is what the actuators supply."""
    robot = mechanism(name)
    q, qd, tau = moving(robot, 1, count=3)
    qdd = robot.forward_dynamics(q, qd, tau)
    torque = robot.inverse_dynamics(q, qd, qdd)
    close(sum(robot.torque_parts(q, qd, qdd)), torque, tolerance=1e-10)
    close(robot.regressor(q, qd, qdd) @ robot.parameters, torque, tolerance=1e-10)


def test_what_is_refused():
    robot = mechanism("four-bar")
    state = states("four-bar")[1]
    q, qd, qdd = state["q"], state["qd"], state["qdd"]
    still, off = np.zeros(3), np.array([0.0, 0.0, 0.3])
    with pytest.raises(redyn.AssemblyError, match=r"loop 'cut' is open by .* mm; use robot.assemble"):
        robot.forward_dynamics(q + off, qd, still)
    with pytest.raises(redyn.AssemblyError, match=r"qd opens loop 'cut' at .* mm/s; use robot.project"):
        robot.inverse_dynamics(q, qd + off, qdd)
    with pytest.raises(redyn.AssemblyError, match=r"qdd opens loop 'cut' at"):
        robot.inverse_dynamics(q, qd, qdd + off)
    with pytest.raises(redyn.AssemblyError, match="in row 2"):
        robot.forward_dynamics(np.array([q, q, q + off]), qd, still)
    found = robot.forward_dynamics(q + off, qd, still, check=False)
    assert np.isfinite(found).all()  # whatever it means
    close(
        robot.forward_dynamics(q + off, qd, still, loops=False),
        robot.tree.forward_dynamics(q + off, qd, still),
    )


def test_redysim_starts_open():
    """Its own four-bar start: an error that says by how much, and a closed pose nearby."""
    robot = mechanism("four-bar")
    start = np.radians([0.0, 145.54, 130.54])
    close(np.linalg.norm(robot.loop_error(start)), GOLDEN["redysim_defects"]["redysim_fourbar_initials_gap_m"], 1e5)
    with pytest.raises(redyn.AssemblyError, match="loop 'cut' is open by"):
        robot.forward_dynamics(start, np.zeros(3), np.zeros(3))
    assert np.abs(robot.loop_error(robot.assemble(start))).max() < 1e-13


def test_flat_position_is_named():
    """Where the bars of the two four-bars lie flat, the rank falls from 4 to 2."""
    entry = GOLDEN["inverse_along_motions"]["2-four-bar flat"]
    robot = mechanism("2-four-bar")
    with pytest.raises(redyn.SingularError, match="rank 2 there, 4 elsewhere"):
        robot.forward_dynamics(entry["q"], np.zeros(5), np.zeros(5))
    with pytest.raises(redyn.SingularError, match="singular position in row 1"):
        robot.transmission(np.array([states("2-four-bar")[0]["q"], entry["q"]]))


@pytest.mark.parametrize("motion", ["four-bar at 45 rpm", "3-RRR on ReDySim's circle"])
def test_inverse_along_motions(motion):
    name = motion.split()[0]
    robot = mechanism(name)
    driven = list(robot.model.closure.driven)
    for row in GOLDEN["inverse_along_motions"][motion]:
        torque = robot.inverse_dynamics(row["q"], row["qd"], row["qdd"])[driven]
        reference = row["crank_torque"] if "crank_torque" in row else row["torque"]
        close(torque, np.atleast_1d(reference))
