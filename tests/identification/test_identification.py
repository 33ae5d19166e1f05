"""Base parameters, fits and physical consistency, on robots whose truth is known."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational, cos, expand, lambdify, sin, symbols

import redyn
from random_robots import close, on_floats, random_state, random_tree, trees
from redyn.description import to_data
from redyn.identification import (
    States,
    base_parameters,
    condition,
    exciting_motion,
    fit_base,
    identify,
    limits_of,
    parameter_names,
    physical_parameters,
    pseudo_inertia,
    recording,
    symbolic_groupings,
    with_parameters,
)
from redyn.identification.physical import ten_numbers


@pytest.fixture(scope="module")
def kuka():
    return redyn.load("kuka-kr5")


@pytest.fixture(scope="module")
def motion(kuka):
    return exciting_motion(kuka, 20.0, 5, tries=10, steps=2)


def measured(robot, motion, rows, share, seed, columns=("qd", "qdd")):
    """A recording with noise of that share of every joint's torque."""
    t = np.linspace(0.0, motion.duration, rows)
    q, qd, qdd = motion(t)
    tau = robot.inverse_dynamics(q, qd, qdd)
    noise = share * np.sqrt((tau**2).mean(axis=0))
    tau = tau + noise * np.random.default_rng(seed).normal(size=tau.shape)
    return recording(robot, t, q, tau, **{k: v for k, v in (("qd", qd), ("qdd", qdd)) if k in columns})


# --- the regressor and the base parameters ------------------------------------------------------------------------


@settings(max_examples=16)
@given(data=trees, seed=st.integers(0, 10**6), friction=st.booleans(), armature=st.booleans())
def test_regressor_columns_of_drives(data, seed, friction, armature):
    robot = on_floats(redyn.load(data))
    for batch in ((), (3,)):
        q, qd, qdd = random_state(robot, seed, batch)
        Y = robot.regressor(q, qd, qdd, friction=friction, armature=armature)
        p = robot.all_parameters(friction, armature)
        assert Y.shape == (*batch, robot.dof, len(p))
        assert len(parameter_names(robot, friction, armature)) == len(p)
        tau = robot.inverse_dynamics(q, qd, qdd)
        drives = np.array([link.joint.armature for link in robot.model.links])
        rest = (0 if friction else robot.friction_torque(qd)) + (0 if armature else drives * qdd)
        close(Y @ p + rest, tau)
    q, qd, qdd = random_state(robot, seed, (3,))
    mixed = robot.regressor(q, qd[0], qdd, friction=True, armature=True)  # one rate for the whole batch
    close(mixed @ robot.all_parameters(True, True), robot.inverse_dynamics(q, qd[0], qdd))


@settings(max_examples=8)
@given(data=trees, seed=st.integers(0, 10**6), drives=st.booleans())
def test_base_parameters_say_all_that_torques_show(data, seed, drives):
    """The base regressor gives every torque, has full rank, and what it groups away changes none."""
    robot = on_floats(redyn.load(data, exact=True))
    base = base_parameters(robot, drives, drives)
    q, qd, qdd = random_state(robot, seed, (max(10, 60 // robot.dof * 3),))
    full = robot.regressor(q, qd, qdd, friction=drives, armature=drives)
    parameters = robot.all_parameters(drives, drives)
    Y = base.regressor(q, qd, qdd)
    close(Y @ base.values, full @ parameters, tolerance=1e-8)
    scaled = Y.reshape(-1, base.count)
    scaled = scaled / np.linalg.norm(scaled, axis=0)
    assert np.linalg.svd(scaled, compute_uv=False)[-1] > 1e-10
    rng = np.random.default_rng(seed)
    hidden = np.eye(len(parameters)) - np.linalg.pinv(base.matrix) @ base.matrix
    close(full @ (hidden @ rng.normal(size=len(parameters))), np.zeros(full.shape[:-1]), tolerance=1e-7)


@pytest.mark.parametrize("n", [3, 4, 6])
def test_general_chains_have_7n_minus_4_base_parameters(n):
    assert base_parameters(on_floats(redyn.chain(n, seed=2))).count == 7 * n - 4


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), [("puma", 36), ("kuka-kr5", 36), ("one-link", 3), ("stanford", 33)])
def test_library_robots(name, count):
    """Those of the PUMA are 36, as is well known."""
    assert base_parameters(redyn.load(name)).count == count


def test_parameters_of_the_lagrange_slides():
    """beta_1 ... beta_5 of the two-link arm follow from its base parameters, and span all that its links can show."""
    robot = redyn.load("lagrange-two-link")
    base = base_parameters(robot)
    assert base.groupings == ["mx1 + 0.7 m2", "my1", "Izz1 + 0.49 m2", "mx2", "my2", "Izz2"]
    m1, m2, l1, l2 = 1.3, 0.9, 0.7, 0.5
    corner = 0.25 * m2 * l2**2 + m2 * l2**2 / 12
    slides = {
        "beta_1": ({"Izz1": 1, "m2": l1**2, "Izz2": 1}, m1 * l1**2 / 3 + m2 * l1**2 + corner),
        "beta_2": ({"Izz2": 1}, corner),
        "beta_3": ({"mx2": l1}, 0.5 * m2 * l1 * l2),
        "beta_4": ({"mx1": 1, "m2": l1}, (0.5 * m1 + m2) * l1),
        "beta_5": ({"mx2": 1}, 0.5 * m2 * l2),
    }
    rows = []
    for combination, value in slides.values():
        coefficients = base.express(combination)
        assert coefficients is not None
        np.testing.assert_allclose(coefficients @ base.values, value, rtol=1e-12)
        rows.append(coefficients)
    # With l1 known beta_3 is l1 beta_5, so four remain; the other two base parameters are the my of links off their
    # axes, which the slides' links do not have.
    assert np.linalg.matrix_rank(np.array(rows)) == 4
    assert {base.groupings[k] for k in np.flatnonzero(~np.any(rows, axis=0))} == {"my1", "my2"}
    assert base.express({"m1": 1.0}) is None
    with pytest.raises(redyn.InputError, match="no parameter is called 'm3'"):
        base.express({"m3": 1.0})


def test_the_slides_five_parameters_and_their_regressor_come_out():
    """Linear Parameterization of Robot Dynamics: beta_1 ... beta_5 and Y (s2 for the slide's s1, l1 for its l)."""
    eqs = redyn.derive("lagrange-two-link", where={"d_1x": "a_1/2", "d_2x": "l_2/2"})
    form = eqs.linear
    m1, m2, l1, l2, Ic1, Ic2, g = symbols("m_1 m_2 a_1 l_2 I_1zz I_2zz g", real=True)
    half, quarter = Rational(1, 2), Rational(1, 4)
    Io1 = Ic1 + quarter * m1 * l1**2
    corner = quarter * m2 * l2**2 + Ic2
    beta = [Io1 + m2 * l1**2 + corner, corner, half * m2 * l1 * l2, (half * m1 + m2) * l1, half * m2 * l2]
    assert [named(b) for b in form.parameters] == [b.expand() for b in beta]
    (q1, q2), (w1, w2), (a1, a2) = (list(map(named, v)) for v in (eqs.q, eqs.qd, eqs.qdd))
    Y = [
        [a1, a2, cos(q2) * (2 * a1 + a2) - 2 * sin(q2) * (w1 + half * w2) * w2, g * cos(q1), g * cos(q1 + q2)],
        [0, a1 + a2, cos(q2) * a1 + sin(q2) * w1**2, 0, g * cos(q1 + q2)],
    ]
    for i, row in enumerate(Y):
        for j, entry in enumerate(row):
            assert (named(form.regressor[i, j]) - expand(entry)).expand() == 0, (i, j)


def named(expression):
    """The same with plain symbols of these names."""
    return expand(expression.xreplace({s: symbols(s.name, real=True) for s in expression.free_symbols}))


@given(robot_seed=st.integers(0, 2**32 - 1), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=6)
def test_linear_forms_give_the_torques(robot_seed, seed):
    """Of random arms of two joints, any geometry: Y beta is the torque, and no beta can be spared."""
    robot = on_floats(redyn.load(random_tree(robot_seed, 2, convention="dh", fixed=0, friction=False, serial=True)))
    eqs = redyn.derive(robot)
    form = eqs.linear
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.uniform(-2, 2, (3, 40, 2))
    beta = np.array([float(b.subs(eqs.values)) for b in form.parameters])
    weight = {s: value for s, value in eqs.values.items() if s.name.startswith("g")}
    zeros = {s: value for s, value in eqs.values.items() if s not in weight}  # of joints, where they have an offset
    run = lambdify([*eqs.q, *eqs.qd, *eqs.qdd, *weight], form.regressor.subs(zeros))
    motion = np.concatenate([q, qd, qdd], axis=1)
    Y = np.array([run(*row, *weight.values()) for row in motion])
    np.testing.assert_allclose(Y @ beta, robot.inverse_dynamics(q, qd, qdd), rtol=1e-9, atol=1e-9)
    elsewhere = np.concatenate([run(*row, *rng.uniform(-9, 9, len(weight))) for row in motion])
    assert np.linalg.matrix_rank(elsewhere) == len(beta)


def test_with_unknown_lengths_the_slides_five_are_the_base():
    """Torques of all arms of that kind, lengths free, lie in a space of five dimensions: that of the slides' Y."""
    rng = np.random.default_rng(0)
    t = rng.uniform(-2, 2, (3, 30, 2))
    (q1, q2), (w1, w2), (a1, a2) = t[0].T, t[1].T, t[2].T
    c1, c2, s2, c12, g = np.cos(q1), np.cos(q2), np.sin(q2), np.cos(q1 + q2), 9.81
    o = np.zeros(30)
    first = [a1, a2, c2 * (2 * a1 + a2) - 2 * s2 * (w1 + 0.5 * w2) * w2, g * c1, g * c12]
    second = [o, a1 + a2, c2 * a1 + s2 * w1**2, o, g * c12]
    Y = np.concatenate([np.stack(first, axis=1), np.stack(second, axis=1)])
    torques = []
    for _ in range(12):
        m1, m2, l1, l2 = rng.uniform(0.3, 2.0, 4)
        data = to_data(redyn.load("lagrange-two-link").description)
        for link, m, length in zip(data["links"], (m1, m2), (l1, l2), strict=False):
            link |= {"mass": m, "com": [length / 2, 0, 0], "inertia": [0, m * length**2 / 12, m * length**2 / 12]}
        data["links"][1]["a"] = l1
        torques.append(on_floats(redyn.load(data)).inverse_dynamics(*t).T.reshape(-1))
    torques = np.array(torques).T
    assert np.linalg.matrix_rank(torques, tol=1e-9 * np.linalg.norm(torques)) == 5
    left = torques - Y @ np.linalg.lstsq(Y, torques, rcond=None)[0]
    assert np.abs(left).max() < 1e-11 * np.abs(torques).max()


@pytest.mark.parametrize("name", ["three-link", "stanford", "lagrange-two-link", "newton-euler-rp"])
def test_symbolic_groupings_have_the_values_of_the_numeric_ones(name):
    """Read back as a formula with the table's lengths and the robot's parameters, each gives its value."""
    robot = redyn.load(name)
    base = base_parameters(robot)
    known = dict(zip(base.names, robot.parameters, strict=True))
    for i, link in enumerate(robot.description.links, start=1):
        known |= {f"{field}{i}": getattr(link, field) for field in "abd" if getattr(link, field)}
    texts = symbolic_groupings(base)
    for text, value in zip(texts, base.values, strict=True):
        product = re.sub(r"(?<=[\w)]) (?=[\w(])", " * ", text.replace("²", "**2"))
        assert eval(product, {}, known) == pytest.approx(value, rel=1e-9, abs=1e-12)
    assert not any("." in text for text in texts)


def test_groupings_of_robots_without_a_table_or_right_angles_are_numbers():
    for data in (random_tree(3, 3, fixed=0), random_tree(9, 3, fixed=0, convention="dh")):
        base = base_parameters(on_floats(redyn.load(data)))
        assert [text.split()[0] for text in symbolic_groupings(base)] == [text.split()[0] for text in base.groupings]


# --- the fit --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say(kuka, motion):
    """Over 200 seeds the 95 % intervals of the plain fit hold the true base parameters 90 to 99 % of the time."""
    base = base_parameters(kuka)
    t = np.linspace(0.0, motion.duration, 401)
    q, qd, qdd = motion(t)
    tau = kuka.inverse_dynamics(q, qd, qdd)
    noise = 0.01 * np.sqrt((tau**2).mean(axis=0))
    held = []
    for seed in range(200):
        noisy = tau + noise * np.random.default_rng(seed).normal(size=tau.shape)
        low, high = fit_base(base, States(t, q, qd, qdd, noisy)).intervals.T
        held.append((low <= base.values) & (base.values <= high))
    held = np.array(held)
    assert 0.93 < held.mean() < 0.97
    assert held.mean(axis=0).min() > 0.88
    assert held.mean(axis=0).max() <= 1.0


def test_noise_with_a_memory_widens_the_intervals(kuka, motion):
    base = base_parameters(kuka)
    t = np.linspace(0.0, motion.duration, 801)
    q, qd, qdd = motion(t)
    tau = kuka.inverse_dynamics(q, qd, qdd)
    held = []
    for seed in range(30):
        white = np.random.default_rng(seed).normal(size=tau.shape)
        slow = np.zeros_like(white)
        for k in range(1, len(t)):
            slow[k] = 0.8 * slow[k - 1] + 0.6 * white[k]
        fit = fit_base(base, States(t, q, qd, qdd, tau + 0.01 * np.abs(tau).mean(axis=0) * slow))
        held.append(np.abs(fit.values - base.values) <= 1.96 * fit.deviations)
    assert 0.8 < np.mean(held) <= 1.0  # without it: 0.47


@pytest.mark.slow
@pytest.mark.parametrize("columns", [("qd",), ()])
def test_kuka_with_noise_of_one_percent(kuka, motion, columns):
    """From q and torque alone or with rates: the torque error on motion of another kind is far below 2 %."""
    rng = np.random.default_rng(4)
    wrong = kuka.parameters * np.repeat(rng.uniform(0.7, 1.4, 6), 10)
    start = with_parameters(kuka, wrong)  # the truth is not the start
    found = identify(start, measured(kuka, motion, 2001, 0.01, 7, columns))
    assert found.error < 0.015  # of which 1 % is the noise itself
    assert (found.errors < 0.02).all()
    assert found.prior_errors.max() > 0.05
    other = redyn.trajectory.cycloidal(np.full(6, -0.9), [1.0, 0.4, 0.9, -1.2, 1.1, 0.7], 3.0)
    q, qd, qdd = other(np.linspace(0.0, 3.0, 200))
    tau = kuka.inverse_dynamics(q, qd, qdd)
    left = np.sqrt(((found.robot.inverse_dynamics(q, qd, qdd) - tau) ** 2).mean(axis=0) / (tau**2).mean(axis=0))
    assert (left[:5] < 0.02).all(), left  # the sixth moves next to nothing: 4e-6 Nm
    assert left[5] < 0.1


@pytest.mark.slow
def test_friction_and_armature_are_found(motion, kuka):
    truth_values = np.concatenate(
        [kuka.parameters, [2, 3, 2, 0.1, 0.1, 0.05], [4, 5, 3, 0.2, 0.2, 0.1], np.full(6, 0.3)]
    )
    truth = with_parameters(kuka, truth_values, friction=True, armature=True)
    found = identify(kuka, measured(truth, motion, 2001, 0.01, 3), armature=True)
    assert found.error < 0.015
    drives = found.robot.all_parameters(True, True)[60:]
    np.testing.assert_allclose(drives[:12], truth_values[60:72], rtol=0.1)
    fit = found.fit
    truth_base = fit.base.matrix @ truth_values
    assert (np.abs(fit.values - truth_base) < 5 * fit.deviations).all()
    np.testing.assert_allclose(drives[15:], truth_values[75:], rtol=0.1)  # the links of the arm may share in the others
    # What is not estimated comes from the file: the start has the true drives.
    start = with_parameters(truth, truth_values, friction=True, armature=True)
    kept = identify(start, measured(truth, motion, 2001, 0.01, 3), friction=False, armature=False)
    assert kept.error < 0.015
    assert (kept.robot.all_parameters(True, True)[60:] == truth_values[60:]).all()


def test_result_is_physical_and_its_file_loads(tmp_path, kuka, motion):
    """Noise of 20 % drives the plain fit to impossible bodies; the robot that comes out is possible."""
    found = identify(kuka, measured(kuka, motion, 401, 0.2, 5), friction=True)
    for ten in found.robot.parameters.reshape(-1, 10):
        assert np.linalg.eigvalsh(pseudo_inertia(ten))[0] > 0
    assert (found.robot.all_parameters(True, True)[60:] >= 0).all()
    path = tmp_path / "fitted.yaml"
    found.robot.to_yaml(path)
    again = redyn.load(path)
    q, qd, qdd = random_state(kuka, 0, (5,))
    close(again.inverse_dynamics(q, qd, qdd), found.robot.inverse_dynamics(q, qd, qdd))
    assert np.isfinite(again.forward_dynamics(q, qd, qdd)).all()
    assert "identified from" in path.read_text()


@pytest.mark.slow
def test_physical_fit_is_the_plain_fit_where_that_is_possible(kuka, motion):
    """Little noise: the constraints bind nowhere that torques show, so both fits agree."""
    t = np.linspace(0.0, motion.duration, 801)
    q, qd, qdd = motion(t)
    tau = kuka.inverse_dynamics(q, qd, qdd)
    tau = tau + 1e-4 * np.sqrt((tau**2).mean(axis=0)) * np.random.default_rng(0).normal(size=tau.shape)
    start = with_parameters(kuka, kuka.parameters * 1.1)
    fit = fit_base(base_parameters(start), States(t, q, qd, qdd, tau))
    values = fit.base.matrix @ physical_parameters(fit)
    whitened = fit.factor @ values - fit.right
    assert np.abs(whitened).max() < 3.0  # standard deviations of the fit
    plain = fit.factor @ fit.values - fit.right
    assert np.abs(plain).max() < 1e-4
    assert np.abs(fit.predict(q, qd, qdd) - kuka.inverse_dynamics(q, qd, qdd)).max() < 1e-4 * np.abs(tau).max()


def test_outliers_and_what_was_never_moved(kuka, motion):
    clean = measured(kuka, motion, 1001, 0.01, 1)
    spoiled = clean.tau.copy()
    rng = np.random.default_rng(0)
    for _ in range(60):
        spoiled[rng.integers(1001), rng.integers(6)] *= -30
    found = identify(kuka, recording(kuka, clean.t, clean.q, spoiled, clean.qd, clean.qdd))
    assert 30 < found.fit.outliers < 90
    assert found.error < 0.02
    still = clean.q.copy()
    still[:, 3:] = 0.3
    zero = clean.qd.copy()
    zero[:, 3:] = 0.0
    tau = kuka.inverse_dynamics(still, zero, zero * 0)
    tau += 1e-3 * np.random.default_rng(1).normal(size=tau.shape)
    with pytest.warns(redyn.RedynWarning, match=r"the motion does not show|unexplained"):
        kept = identify(kuka, recording(kuka, clean.t, still, tau, zero, zero * 0), friction=False)
    assert not np.isfinite(kept.fit.deviations).all()
    assert kept.fit.unseen
    start, end = kuka.parameters[50:], kept.robot.parameters[50:]
    np.testing.assert_allclose(end, start, atol=0.5 * np.abs(start).max())  # link 6 stays near the file


# --- parameters and motions -----------------------------------------------------------------------------------------


@settings(max_examples=16)
@given(data=trees, seed=st.integers(0, 10**6))
def test_parameters_go_into_a_description_and_come_back(data, seed):
    robot = on_floats(redyn.load(data))
    other = on_floats(redyn.load(random_tree(seed, 4, fixed=0)))
    tens = [other.parameters.reshape(-1, 10)[i % other.dof] for i in range(robot.dof)]
    values = np.concatenate([*tens, np.random.default_rng(seed).uniform(0, 2, 3 * robot.dof)])
    changed = with_parameters(robot, values, friction=True, armature=True)
    close(changed.all_parameters(True, True), values)
    again = redyn.load(to_data(changed.description))
    close(again.all_parameters(True, True), values)


@given(seed=st.integers(0, 10**9))
@settings(max_examples=12)
def test_pseudo_inertia_and_back(seed):
    ten = np.random.default_rng(seed).normal(size=10)
    np.testing.assert_allclose(ten_numbers(pseudo_inertia(ten)), ten, atol=1e-14)


@settings(max_examples=6)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 4), harmonics=st.integers(3, 7))
def test_exciting_motions_keep_the_limits(seed, n, harmonics):
    robot = on_floats(redyn.load(random_tree(seed, n, fixed=0)))
    rng = np.random.default_rng(seed)
    low = rng.uniform(-2, 0, n)
    position = np.stack([low, low + rng.uniform(0.1, 3, n)], axis=1)
    speed, acceleration = rng.uniform(0.3, 3, n), rng.uniform(0.5, 9, n)
    motion = exciting_motion(
        robot, 7.0, harmonics, position=position, speed=speed, acceleration=acceleration, tries=2, steps=1, seed=seed
    )
    q, qd, qdd = motion(np.linspace(0.0, 7.0, 5001))
    assert (q >= position[:, 0] - 1e-3).all()
    assert (q <= position[:, 1] + 1e-3).all()
    assert (np.abs(qd) <= speed).all()
    assert (np.abs(qdd) <= acceleration).all()
    assert np.abs(qd[[0, -1]]).max() < 1e-9
    assert np.abs(qdd[[0, -1]]).max() < 1e-9
    step = 7.0 / 5000
    np.testing.assert_allclose(np.gradient(q, step, axis=0)[5:-5], qd[5:-5], atol=1e-3 * max(1, speed.max()))


def test_shaping_betters_the_condition(kuka):
    seen = []
    shaped = exciting_motion(kuka, 20.0, speed=1.0, tries=6, steps=8, tick=lambda step, found: seen.append(found))
    assert min(seen) < 0.95 * seen[0]  # seen[0] is the best of six that were drawn
    reached = condition(base_parameters(kuka), shaped, limits_of(kuka, speed=1.0))
    assert reached < 1.02 * min(seen)
    rough = exciting_motion(kuka, 20.0, speed=1.0, tries=1, steps=0, seed=3)
    assert reached < condition(base_parameters(kuka), rough, limits_of(kuka, speed=1.0))
    with pytest.raises(redyn.InputError, match="lower below upper"):
        exciting_motion(kuka, position=np.zeros((6, 2)))
    with pytest.raises(redyn.InputError, match="harmonics"):
        exciting_motion(kuka, harmonics=1)
