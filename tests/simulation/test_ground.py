"""Motion on the ground: closed forms, golden runs (golden_contact.json has its sources), energy, batches, warnings.

The golden file is a copy of the verified numbers that the project keeps beside its design; see its `about`.
"""

import json
import math
import warnings
from pathlib import Path

import numpy as np
import pytest
import yaml
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import redyn
from bodies import at, ball, block, body, moving, point
from redyn.description.packages import robots_folder
from redyn.simulation.ground_steps import fastest_decay

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "golden_contact.json").read_text())
EXACT = {"rtol": 1e-11, "atol": 1e-12, "method": "dopri5"}


def law(entry, **others):
    names = {"k": "stiffness", "d": "dissipation", "mu": "friction", "vs": "slip"}
    return {name: entry[key] for key, name in names.items() if key in entry} | others


# --- closed forms -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", GOLDEN["hunt_crossley_impact"]["rows"], ids=lambda row: f"{row['d']}-{row['v_in']}")
def test_impact(row):
    entry = GOLDEN["hunt_crossley_impact"]
    ground = law(entry | row)
    robot = point(entry["mass"])
    run = redyn.simulate(robot, at(z=1e-3), moving(z=-row["v_in"]), 0.1, ground=ground, gravity=[0, 0, 0], **EXACT)
    assert run.qd[-1, 5] == pytest.approx(row["v_out"], rel=2e-8)
    assert np.abs(run.energy.balance).max() < 1e-9


def test_bouncing_ball():
    entry = GOLDEN["bouncing_ball"]
    times = [row[0] for row in entry["apex_time_height"]]
    for robot, radius in ((point(entry["mass"]), 0.0), (ball(entry["mass"], 0.1), 0.1)):
        start = at(z=entry["drop"] + radius)
        run = redyn.simulate(robot, start, np.zeros(6), 1.2, ground=law(entry), sample=[0.0, *times], **EXACT)
        assert run.q[1:, 2] - radius == pytest.approx([row[1] for row in entry["apex_time_height"]], rel=1e-7)
        assert np.abs(run.qd[1:, 5]).max() < 2e-7


def test_sliding_block_comes_to_rest_as_the_closed_form_says():
    entry = GOLDEN["sliding_block"]
    robot, ground = point(), law(entry, stiffness=1e5)
    start = at(z=-2 * entry["g"] / 1e5)
    times = [0.0, *(row["t"] for row in entry["times"])]
    run = redyn.simulate(robot, start, moving(x=entry["v0"]), 0.5, ground=ground, sample=times, **EXACT)
    assert run.qd[1:, 3] == pytest.approx([row["v"] for row in entry["times"]], rel=1e-7)
    assert run.q[1:, 0] == pytest.approx(entry["distances"], rel=1e-8)


def test_creep_on_a_slope_is_as_told():
    entry = GOLDEN["sliding_block"]
    angle, speed = entry["slope"]["angle"], entry["slope"]["creep_speed"]
    ground = law(entry, slope=angle, direction=0.4)
    robot = point()
    told = robot.ground(ground)
    assert told.creep(angle) == pytest.approx(speed, rel=1e-12)
    run = redyn.simulate(robot, at(), np.zeros(6), 1.0, ground=ground)
    rate = run.qd[-1, 3:]
    assert np.linalg.norm(rate) == pytest.approx(speed, rel=1e-6)
    downhill = -np.array([math.cos(angle) * math.cos(0.4), math.cos(angle) * math.sin(0.4), math.sin(angle)])
    assert rate / np.linalg.norm(rate) == pytest.approx(downhill, abs=1e-6)
    assert told.creep(0.6) == math.inf  # too steep for this friction


def test_rolling_ball():
    entry = GOLDEN["rolling_ball"]
    robot = ball(entry["m"], entry["R"])
    ground = {"stiffness": 1e5, "friction": entry["mu"], "slip": entry["regularised"]["vs"]}
    start = at(z=entry["R"] - entry["m"] * 9.81 / 1e5)
    run = redyn.simulate(robot, start, moving(x=entry["v0"]), 1.0, ground=ground, sample=0.5, rtol=1e-9)
    along = Rotation.from_quat(run.q[-1, 3:]).apply(run.qd[-1, 3:])[0]
    assert along == pytest.approx(entry["regularised"]["v1"], rel=1e-7)
    assert run.q[-1, 0] == pytest.approx(entry["regularised"]["x1"], rel=1e-7)
    assert run.ground_contacts.slip[-1, 0] < 1e-8  # it rolls


def test_box_comes_to_rest_and_its_weight_is_carried():
    entry = GOLDEN["box"]
    robot = block(entry["size"], entry["mass"])
    run = redyn.simulate(robot, entry["flat"]["start"], np.zeros(6), 1.5, ground=law(entry, dissipation=20))
    assert run.q[-1, 2] == pytest.approx(entry["flat"]["rest_z"], rel=1e-9)
    pressed = run.ground_contacts
    assert pressed.forces[-1].sum(axis=0) == pytest.approx([0, 0, entry["flat"]["force"]], rel=1e-6, abs=1e-6)
    assert pressed.centre_of_pressure[-1] == pytest.approx([0, 0, -2 * 0.000367875], abs=1e-3)
    assert np.isnan(pressed.centre_of_pressure[0]).all()  # in flight
    assert pressed.gaps[0].min() > 0.2


@pytest.mark.parametrize("method", ["dopri5", "radau"])
def test_tilted_box(method):
    entry = GOLDEN["box"]
    tilted = entry["tilted"]
    robot, start = block(entry["size"], entry["mass"]), np.array(tilted["start"])
    turn = Rotation.from_quat(start[3:])
    rates = np.concatenate([tilted["w_body"], turn.inv().apply(tilted["v"])])
    run = redyn.simulate(robot, start, rates, 0.35, ground=law(entry), rtol=1e-10, method=method, sample=0.35)
    velocity = Rotation.from_quat(run.q[-1, 3:]).apply(run.qd[-1, 3:])
    found = np.concatenate([run.q[-1], velocity, run.qd[-1, :3]])
    wrong = np.abs(found - tilted["t035"])
    assert wrong[:10].max() < 2e-7
    assert wrong[10:].max() < 2e-6
    assert abs(run.energy.balance[-1]) < 1e-8


# --- a robot --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def standing():
    """HyQ above the ground, its controller, and the ground of the golden run."""
    if robots_folder() is None:
        pytest.skip("example-robot-data is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = redyn.load("example-robot-data:hyq", floating_base=True, friction=False, exact=True)
    feet = ("lf_foot", "rf_foot", "lh_foot", "rh_foot")
    target = [0.0 if "haa" in name else 0.75 * (1 if name[1] == "f" else -1) for name in robot.joint_names[1:]]
    target = [-2 * x if "kfe" in name else x for name, x in zip(robot.joint_names[1:], target, strict=True)]
    q = robot.neutral()
    q[7:] = target
    q[2] = 0.07 - min(robot.forward_kinematics(q, foot)[2, 3] for foot in feet)
    ground = {"contacts": [{"link": foot, "radius": 0.02} for foot in feet]} | law(GOLDEN["hyq_standing"]["law"])
    return robot, q, redyn.control.pd(robot, target, 800, 25), ground


def test_hyq_stands(standing):
    robot, q, control, ground = standing
    entry = GOLDEN["hyq_standing"]
    starts = np.tile(q, (8, 1))
    starts[:, 2] += np.linspace(0, 0.1, 8)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # its steps are short enough
        batch = redyn.simulate_batch(robot, starts, np.zeros(18), 2.0, control, step=1e-4, ground=ground)
    assert batch.q[-1, 0, 2] == pytest.approx(entry["measured"]["z_after_2_s"]["h1e4"], abs=1e-9)
    pressed = robot.contact_forces(batch.q[-1], batch.qd[-1], ground)
    assert pressed[0, :, 2].sum() == pytest.approx(entry["sum_of_normal_forces_after_2_s"], rel=1e-4)
    assert pressed[:, :, 2].sum(axis=1) == pytest.approx(entry["weight"], rel=1e-2)


def test_a_batch_is_the_same_as_single_runs(standing):
    robot, q, control, ground = standing
    for more in ({}, {"height": "0.01*sin(9*x)"}):
        run = redyn.simulate(robot, q, np.zeros(18), 0.1, control, "rk4", 2e-4, ground=ground | more, sample=0.1)
        batch = redyn.simulate_batch(robot, [q] * 5, np.zeros(18), 0.1, control, step=2e-4, ground=ground | more)
        assert np.abs(batch.q[-1] - run.q[-1]).max() < 1e-12
        assert np.abs(batch.qd[-1] - run.qd[-1]).max() < 1e-10


def test_a_table_of_targets_is_held_piece_by_piece(standing):
    robot, q, control, ground = standing
    rows = np.array([control.target, 0.9 * control.target])[:, None]
    table = redyn.control.pd(robot, rows, 800, 25)
    batch = redyn.simulate_batch(robot, [q], np.zeros(18), 0.02, table, step=2e-4, ground=ground)
    state = [q], np.zeros(18)
    for row in rows[:, 0]:
        part = redyn.simulate_batch(
            robot, *state, 0.01, redyn.control.pd(robot, row, 800, 25), step=2e-4, ground=ground
        )
        state = part.q[-1], part.qd[-1]
    assert np.abs(batch.q[-1] - state[0]).max() < 1e-13


def test_chebyshevs_method_takes_longer_steps_where_friction_limits_them(standing):
    """A decay of 8 per step: RK4 is wrong there, this one is not. In lanes, one by one and around calls alike."""
    robot, start = point(), at(z=-1e-3)
    ground = {"stiffness": 19620.0, "friction": 0.5, "slip": 0.005, "dissipation": 0.0}
    step = 0.1 / round(0.1 / (8 * 0.005 / (0.5 * 9.81)))
    exact = redyn.simulate(robot, start, moving(x=0.001), 0.1, ground=ground, rtol=1e-10, sample=0.1)
    ends = {}
    for method in ("rk4", "rkc"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if method == "rk4" else "error")
            found = redyn.simulate_batch(robot, start, moving(x=0.001), 0.1, step=step, ground=ground, method=method)
        ends[method] = abs(found.qd[-1, 0, 3] - exact.qd[-1, 3])
    assert ends["rkc"] < 1e-4 < ends["rk4"]
    robot, q, control, ground = standing
    one, many = (
        redyn.simulate_batch(robot, [q] * count, np.zeros(18), 0.1, control, 2.5e-4, ground=ground, method="rkc")
        for count in (1, 9)
    )
    assert np.abs(many.q[-1] - one.q[-1]).max() < 1e-12
    with pytest.raises(redyn.InputError, match="rk4 or rkc"):
        redyn.simulate_batch(robot, q, np.zeros(18), 0.1, method="rk5")


def test_chebyshevs_method_is_of_order_two():
    arm = redyn.load("two-link")
    exact = redyn.simulate(arm, [0.3, 0.2], [0, 0], 0.5, rtol=1e-12).q[-1]
    steps = (1e-2, 5e-3)
    runs = [redyn.simulate_batch(arm, [[0.3, 0.2]], [0, 0], 0.5, step=h, method="rkc") for h in steps]
    coarse, fine = (np.abs(run.q[-1, 0] - exact).max() for run in runs)
    assert coarse / fine == pytest.approx(4.0, rel=0.1)
    arm.evaluator.kernels = None
    around = redyn.simulate_batch(arm, [[0.3, 0.2]], [0, 0], 0.5, step=1e-2, method="rkc")
    assert np.abs(around.q[-1] - runs[0].q[-1]).max() < 1e-12


# --- other grounds, and laws with branches ----------------------------------------------------------------------------


def test_redysims_law_against_an_independent_integration():
    """A point thrown obliquely: f_y = -K y - C_v min(ydot, 0), friction clipped on each axis by itself."""
    K, C, H, mu, m = 2500.0, 60.0, 30.0, 0.7, 2.0
    ground = {"law": "redysim", "stiffness": K, "damping": C, "tangential_damping": H, "friction": mu}

    def rate(t, y):
        x, v = y[:3], y[3:]
        force = np.zeros(3)
        if x[2] < 0:
            force[2] = -K * x[2] - C * min(v[2], 0.0)
            force[:2] = np.clip(-H * v[:2], -mu * force[2], mu * force[2])
        return [*v, *(force / m - [0, 0, 9.81])]

    robot = point(m)
    run = redyn.simulate(robot, at(z=0.02), moving(0.8, -0.3, -0.5), 0.4, ground=ground, rtol=1e-10)
    found = solve_ivp(rate, (0, 0.4), [0, 0, 0.02, 0.8, -0.3, -0.5], rtol=1e-10, atol=1e-12, max_step=1e-3)
    assert run.q[-1, :3] == pytest.approx(found.y[:3, -1], abs=2e-8)
    assert run.qd[-1, 3:] == pytest.approx(found.y[3:, -1], abs=2e-6)
    assert np.abs(run.energy.balance).max() < 1e-7
    pressed = robot.contact_forces(run.q, run.qd, ground)
    below = run.q[:, 2] < 0
    assert pressed[~below].any() == np.False_
    normal = K * -run.q[below, 2] - C * np.minimum(run.qd[below, 5], 0)
    assert pressed[below, 0, 2] == pytest.approx(normal, rel=1e-12)
    assert pressed[below, 0, 1] == pytest.approx(np.clip(-H * run.qd[below, 4], -mu * normal, mu * normal), abs=1e-9)


def test_redysims_law_where_y_is_up():
    """Its own axes: gravity along -y, and friction along x and z."""
    robot = point(gravity=[0, -9.81, 0])
    ground = {"law": "redysim", "stiffness": 2500, "damping": 10, "tangential_damping": 1e4, "friction": 0.5}
    force = robot.contact_forces(at(y=-0.01), moving(0.1, -0.2, -3.0), ground)[0]
    assert force == pytest.approx([-0.5 * 27, 27, 0.5 * 27])


def waves(x, y):
    return 0.03 * np.sin(3 * x) * np.cos(2 * y)


def test_a_grid_is_the_surface_that_it_samples():
    x, y = np.linspace(-1, 1, 81), np.linspace(-0.8, 0.8, 65)
    grid = {"grid": {"x": x, "y": y, "heights": waves(x[:, None], y)}}
    smooth = {"height": "0.03*sin(3*x)*cos(2*y)"}
    robot = ball()
    near = np.random.default_rng(0).uniform(-0.7, 0.7, (2, 200))
    assert np.abs(robot.ground(grid).height(*near) - waves(*near)).max() < 1e-6
    assert robot.ground(grid).height(x[:, None], y) == pytest.approx(waves(x[:, None], y), abs=1e-15)
    runs = [
        redyn.simulate(robot, at(0.1, 0.1, 0.2), moving(0.5), 0.5, ground=g | {"stiffness": 1e4})
        for g in (grid, smooth)
    ]
    assert np.abs(runs[0].q[-1] - runs[1].q[-1]).max() < 2e-4
    assert np.abs(runs[0].energy.balance).max() < 1e-5
    beyond = robot.ground(grid).height([5.0, -5.0], [0.1, 7.0])
    assert beyond == pytest.approx([waves(1.0, 0.1), waves(-1.0, 0.8)], abs=1e-5)


@pytest.mark.parametrize(
    "ground", [{"law": "redysim"}, {"grid": {"x": [-3, 0, 3], "y": [-3, 3], "heights": [[0, 0], [0.1, 0], [0, 0]]}}]
)
def test_batches_of_laws_with_branches_are_the_same_as_single_runs(ground):
    robot = block()
    starts = np.array([at(z=0.06 + 0.01 * k) for k in range(3)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        batch = redyn.simulate_batch(robot, starts, moving(0.3), 0.05, step=1e-3, ground=ground)
        for k in range(3):
            run = redyn.simulate(robot, starts[k], moving(0.3), 0.05, method="rk4", step=1e-3, ground=ground)
            assert np.abs(batch.q[-1, k] - run.q[-1]).max() < 1e-12


def test_a_polyhedron_of_listed_points_tumbles_and_comes_to_rest_on_a_face():
    """A tetrahedron: all of its energy goes into the ground, and three corners carry it."""
    corners = 0.1 * np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    robot = body(1.2, [0.008] * 3, [{"points": corners.tolist()}])
    assert robot.contact_names == ["body.1", "body.2", "body.3", "body.4"]
    start = at(z=0.4)
    start[3:] = Rotation.from_rotvec([0.3, 0.4, 0.2]).as_quat()
    run = redyn.simulate(robot, start, [4.0, -3.0, 2.0, 0.5, 0.2, 0.0], 2.5, ground=True, rtol=1e-9)
    assert np.abs(run.energy.balance).max() < 1e-6
    assert run.energy.kinetic[-1] < 1e-6
    pressed = run.ground_contacts
    assert (pressed.normal_forces[-1] > 0.5).sum() == 3
    assert pressed.forces[-1].sum(axis=0) == pytest.approx([0, 0, 1.2 * 9.81], abs=1e-4)
    face = 0.1 / math.sqrt(3)  # from the centre to a face
    assert run.q[-1, 2] == pytest.approx(face - 1.2 * 9.81 / 3 / run.ground.stiffness, abs=1e-6)
    assert (np.linalg.norm(pressed.forces, axis=2) <= 1.2208 * pressed.normal_forces + 1e-9).all()  # in its cone


def test_a_step_carries_at_two_heights():
    robot = point()
    ground = {"steps": [{"at": 0.5, "rise": 0.1, "width": 0.05}]}
    for x, height in ((0.0, 0.0), (1.0, 0.1)):
        run = redyn.simulate(robot, at(x=x, z=height + 0.01), np.zeros(6), 1.0, ground=ground)
        assert run.q[-1, 2] == pytest.approx(height - 1e-3, abs=1e-5)
    assert run.ground.height([0.0, 0.5, 1.0], 0.0) == pytest.approx([0, 0.05, 0.1], abs=1e-12)


# --- defaults, energy and warnings --------------------------------------------------------------------------------


def test_defaults_follow_from_the_weight():
    """It sinks in by 1 mm on four contacts, and settles with the damping ratio 0.6."""
    light, heavy = block(mass=0.5), block(mass=50.0)
    for robot in (light, heavy):
        run = redyn.simulate(robot, at(z=0.052), np.zeros(6), 1.5, ground=True)
        assert run.q[-1, 2] == pytest.approx(0.049, abs=2e-6)
    ground = light.ground()
    assert heavy.ground().stiffness == pytest.approx(100 * ground.stiffness)
    damping = ground.dissipation * 9.81 / (2 * math.sqrt(4 * ground.stiffness / 0.5))
    assert damping == pytest.approx(0.6)
    assert "stiffness" in str(ground)
    assert "default" in str(ground)
    given = light.ground({"stiffness": 3e4, "friction": 0.2})
    assert (given.stiffness, given.friction) == (3e4, 0.2)
    assert "stiffness   30000 N/m (given" in str(given)


def test_what_the_file_says_is_kept_and_a_call_may_change_it():
    robot = block(ground={"stiffness": 8e3, "friction": 0.4, "slope": "10 deg"})
    assert robot.ground().friction == 0.4
    changed = robot.ground({"friction": 0.9})
    assert (changed.stiffness, changed.friction, changed.form.kind) == (8e3, 0.9, "plane")
    assert robot.ground({"height": 0.2}).form.kind == "level"
    assert robot.ground({"law": "redysim"}).law == "redysim"
    again = redyn.load(yaml.safe_load(robot.to_yaml()))
    assert again.description == robot.description


def test_too_long_a_step_is_told():
    """RK4 follows a decay of 2.7 per step; a point of 2 kg that slides slowly decays at mu g / slip."""
    robot, start = point(), at(z=-1e-3)
    ground = {"stiffness": 19620.0, "friction": 0.5, "slip": 0.005, "dissipation": 0.0}
    rate = 0.5 * 9.81 / 0.005
    found = fastest_decay(robot, robot.ground(ground), start[None], moving(x=1e-6)[None])
    assert found.rate == pytest.approx(rate, rel=1e-3)
    with pytest.warns(redyn.RedynWarning, match="too long for the friction"):
        redyn.simulate(robot, start, moving(x=0.001), 0.1, method="rk4", step=3.0 / rate, ground=ground)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        redyn.simulate(robot, start, moving(x=0.001), 0.1, method="rk4", step=2.0 / rate, ground=ground)
    with pytest.warns(redyn.RedynWarning, match="'body'"):
        redyn.simulate_batch(robot, start, moving(x=0.001), 0.3, step=3e-3, ground=ground)


def test_pushes_act_beside_the_ground():
    """A robot with frames for pushes has the same contacts; its energy balance closes."""
    robot = block()
    push = redyn.Push("body", force=[30, 0, 0], point=[0, 0, 0.02], start=0.1, duration=0.05)
    run = redyn.simulate(robot, at(z=0.05), np.zeros(6), 0.4, ground=True, pushes=push, rtol=1e-9)
    assert run.q[-1, 0] > 0.005
    assert np.abs(run.energy.balance).max() < 1e-6
    assert run.energy.ground[-1] < -0.01
    assert run.ground_contacts.forces.shape == (41, 8, 3)


def test_without_ground_there_is_none():
    run = redyn.simulate(redyn.load("two-link"), [0.1, 0.2], [0, 0], 0.1)
    assert run.ground is None
    assert run.ground_contacts is None
    assert not run.energy.ground.any()


@pytest.mark.parametrize(
    ("ground", "message"),
    [
        ({"stifness": 3}, "did you mean 'stiffness'"),
        ({"stiffness": -3}, "greater than 0"),
        ({"height": "sin(z)"}, "'z' is not known"),
        ({"height": "__import__('os')"}, "expected a number or an expression"),
        ({"height": "x^2.5"}, "whole number"),
        ({"normal": [0, 0, 0]}, "expected a direction"),
        ({"normal": [0, 0, -1]}, "does not point up"),
        ({"normal": [0, 0, 1], "slope": 0.1}, "either normal, or slope"),
        ({"slope": 1.6}, "below 85 degrees"),
        ({"direction": 0.3}, "give slope as well"),
        ({"law": "hard"}, "smooth"),
        ({"law": "redysim", "slip": 0.1}, "slip belongs to law: smooth"),
        ({"damping": 5}, "damping belongs to law: redysim"),
        ({"grid": {"x": [0, 1], "y": [0, 0], "heights": [[0, 0], [0, 0]]}}, "increasing"),
        ({"grid": {"x": [0, 1], "y": [0, 1], "heights": [[0, 0]]}}, "heights"),
        ({"grid": {"x": [0, 1], "y": [0, 1], "heights": [[0, 0], [0, 0]]}, "height": 1}, "the whole ground"),
        ({"contacts": [{"link": "bdy"}]}, "did you mean 'body'"),
        ({"contacts": "feet"}, "or collision"),
        ({"contacts": []}, "has no contacts"),
        (3.5, "expected True, or a dict"),
    ],
)
def test_bad_grounds_are_refused(ground, message):
    with pytest.raises(redyn.RedynError, match=message):
        redyn.simulate(block(), at(z=0.1), np.zeros(6), 0.1, ground=ground)


def test_other_bad_input_is_refused():
    robot = block()
    state = at(z=0.1), np.zeros(6)
    with pytest.raises(redyn.InputError, match="no contacts"):
        redyn.simulate(redyn.load("two-link"), [0, 0], [0, 0], 0.1, ground=True)
    fixed = redyn.load("two-link").description.model_copy(update={"contacts": []})
    with pytest.raises(redyn.InputError, match="has no contacts"):
        redyn.Robot(fixed).contact_forces([0, 0], [0, 0])
    with pytest.raises(redyn.InputError, match="derivatives exist for the smooth law"):
        robot.forward_dynamics_derivatives(*state, np.zeros(6), ground={"law": "redysim"})
    tilted = block(gravity=[1.0, 0, -9.0])
    with pytest.raises(redyn.InputError, match="along an axis"):
        tilted.ground({"height": "x"})
    assert tilted.ground().form.kind == "level"
    arm = redyn.load("two-link")
    with pytest.raises(redyn.InputError, match="saturate"):
        redyn.simulate_batch(arm, [0, 0], [0, 0], 0.01, redyn.control.pd(arm, 0.0, 1, 1), saturate=5.0)
    with pytest.raises(redyn.InputError, match="target"):
        redyn.control.pd(robot, [1.0, 2.0], 1, 1)
