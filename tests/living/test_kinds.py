"""Motion, posing and dragging of robots whose state is more than one number per joint, in Node beside the library."""

import math

import numpy as np
import pytest

import redyn
from living_node import in_node
from node import needs_node
from redyn.living.coordinates import coordinates, layout
from redyn.living.module import names, standing
from redyn.living.sliders import freed, sliders
from redyn.living.start import start

BODY = {"mass": 1.5, "com": [0.05, -0.02, 0.1], "inertia": [0.03, 0.04, 0.05]}
CROSS = {"axis": [1, 0, 0], "axis2": [0, 1, 0]}
EVERY_JOINT = {
    "name": "every-joint",
    "convention": "frames",
    "links": [
        {"name": "base", "joint": {"name": "float", "type": "free"}, **BODY, "mass": 6.0},
        {"name": "ball", "parent": "base", "joint": "spherical", "xyz": [0.1, 0, 0.2], **BODY},
        {"name": "cross", "parent": "ball", "joint": "universal", "xyz": [0, 0, 0.3], **CROSS, **BODY},
        {"name": "tube", "parent": "base", "joint": "cylindrical", "xyz": [-0.2, 0.1, 0], "axis": [0, 1, 0], **BODY},
        {"name": "sled", "parent": "tube", "joint": "planar", "xyz": [0, 0.3, 0], **BODY},
    ],
    "end_effector": "cross",
}
TILTED = [0, 0, 0.3, 0.06, 0, 0.08, math.sqrt(0.99)]
ARM = {"mass": 1.0, "com": [0.15, 0, 0], "inertia": [0.001, 0.01, 0.01], "axis": [0, 0, 1]}
COUPLED = {
    "name": "coupled",
    "convention": "frames",
    "gravity": [0, -9.81, 0],
    "links": [
        {"name": "a", "joint": {"name": "j1", "type": "revolute"}, **ARM},
        {
            "name": "b",
            "joint": {"name": "j2", "type": "revolute", "mimic": {"joint": "j1", "multiplier": -2}},
            "xyz": [0.3, 0, 0],
            **ARM,
        },
        {"name": "c", "joint": {"name": "j3", "type": "revolute"}, "xyz": [0.3, 0, 0], **ARM},
    ],
}
ON_GROUND = {
    "name": "block",
    "convention": "frames",
    "links": [
        {
            "name": "block",
            "joint": {"name": "body", "type": "free", "initial": TILTED},
            **BODY,
        }
    ],
    "contacts": [{"link": "block", "box": [0.3, 0.2, 0.1]}],
}

NAMED = ("four-bar", "chaplygin-sleigh", "rolling-disk", "flexible-beam")

FALL = """
const motion = make();
const before = energy(motion);
let most = 0;
for (let k = 0; k < given.frames; k += 1) {
  motion.advance(1 / 60);
  most = Math.max(most, robot.kinetic_energy(motion.state.q, motion.state.qd));
}
const { q, qd, t } = motion.state;
const worst = Math.max(...robot.compare().map(({ error, tolerance }) => error / tolerance));
console.log(JSON.stringify({ q: [...q], qd: [...qd], t, change: energy(motion) - before, most, worst }));
"""


def fall(folder, robot, frames=30, **options):
    """What the page's own integration gives, and the library's at high accuracy."""
    q, qd = start(robot, None, options.pop("qd", None))
    found = in_node(folder, robot, FALL, start=(q, qd), frames=frames)
    run = redyn.simulate(robot, q, qd, frames / 60, rtol=1e-10, atol=1e-12, **options)
    return found, run


@needs_node
@pytest.mark.parametrize("source", [*NAMED, EVERY_JOINT, COUPLED])
def test_motion_is_that_of_the_library(tmp_path, source):
    robot = freed(redyn.load(source, mimic="couple"))
    qd = np.linspace(0.4, -0.3, robot.dof) if source is EVERY_JOINT else None
    found, run = fall(tmp_path, robot, qd=qd)
    assert found["worst"] <= 1.0
    assert found["t"] == pytest.approx(0.5, abs=1e-12)
    np.testing.assert_allclose(found["q"], run.q[-1], rtol=0, atol=2e-6)
    np.testing.assert_allclose(found["qd"], run.qd[-1], rtol=0, atol=1e-4)
    for i in robot.model.quaternions:
        assert np.linalg.norm(found["q"][i : i + 4]) == pytest.approx(1.0, abs=1e-14)
    if robot.loops:
        assert np.abs(robot.loop_error(found["q"])).max() < 1e-12
    else:
        lost = float(run.energy.total[-1] - run.energy.total[0])  # by what damps a beam
        assert found["change"] == pytest.approx(lost, abs=1e-6 * found["most"])


@needs_node
def test_a_robot_lands_on_the_ground(tmp_path):
    """It comes to rest, where the forces of the ground carry it; steps are shorter there than in the air."""
    robot = freed(redyn.load(ON_GROUND))
    ground = standing(robot)
    found = in_node(tmp_path, robot, FALL, frames=90, ground=ground)
    assert found["worst"] <= 1.0
    assert 0.0 < found["q"][2] < 0.1
    assert np.abs(found["qd"]).max() < 0.05
    forces = robot.contact_forces(found["q"], np.zeros(6), ground=ground)
    assert forces[:, 2].sum() == pytest.approx(1.5 * 9.81, rel=0.05)


@needs_node
def test_hands_move_robots(tmp_path):
    """A coordinate of a loop takes the others along; angles of quaternions; how points move; what a pull moves."""
    robot = freed(redyn.load("four-bar"))
    script = """
    import { createPosing } from "./posing.js";
    import { createLever, reachFor } from "./pull.js";
    const motion = make();
    const posing = createPosing(robot.operations, given.layout, motion.parameters, motion);
    posing.set(given.rows[1], motion.state.q[1] + 0.3);
    const set = [...motion.state.q];
    posing.setRate(given.layout.independent[0], 0.7);
    const rates = [...motion.state.qd];
    posing.set(given.rows[2], 100); // out of reach
    const stuck = [...motion.state.q];
    const lever = createLever(robot.operations, motion.parameters, given.layout, 3);
    const { x } = lever.at(motion.state.q, 1, [0.02, 0.01, 0]);
    const goal = [x[0] + 0.004, x[1] - 0.004, x[2]];
    reachFor(lever, posing, motion, { link: 1, local: [0.02, 0.01, 0], goal }, given.layout, given.rows, 0.2);
    const off = Math.hypot(...lever.at(motion.state.q, 1, [0.02, 0.01, 0]).x.map((y, k) => y - goal[k]));
    console.log(JSON.stringify([set, rates, stuck, [...motion.state.q], off, Math.hypot(0.004, 0.004)]));
    """
    set_, rates, stuck, dragged, off, before = in_node(tmp_path, robot, script, rows=coordinates(robot, robot.initial))
    assert set_[1] == pytest.approx(robot.initial[1] + 0.3, abs=1e-9)
    for q in (set_, stuck, dragged):
        assert np.abs(robot.loop_error(q)).max() < 1e-9
    np.testing.assert_allclose(robot.loop_jacobian(set_) @ rates, 0.0, atol=1e-9)
    assert off < before


@needs_node
def test_turns_and_pulls_of_every_joint(tmp_path):
    robot = freed(redyn.load(EVERY_JOINT))
    q = robot.random(3)
    script = """
    import { angles, createPosing } from "./posing.js";
    import { createLever } from "./pull.js";
    const motion = make();
    const posing = createPosing(robot.operations, given.layout, motion.parameters, motion);
    const lever = createLever(robot.operations, motion.parameters, given.layout, motion.state.qd.length);
    const { x, J } = lever.at(motion.state.q, 3, [0, 0, 0]);
    const mobility = motion.mobility(J);
    const pitch = given.rows.findIndex(({ name }) => name === "float.pitch");
    posing.set(given.rows[pitch], 0.4);
    posing.set(given.rows[pitch + 1], -1.1);
    const { index } = given.rows[pitch];
    const rows = J.map((row) => [...row]);
    console.log(JSON.stringify([x, rows, mobility, angles(motion.state.q, index), [...motion.state.q]]));
    """
    rows = coordinates(robot, q)
    x, J, mobility, angles, turned = in_node(tmp_path, robot, script, start=(q, np.zeros(robot.dof)), rows=rows)
    np.testing.assert_allclose(x, robot.forward_kinematics(q, "cross")[:3, 3], atol=1e-12)
    expected = robot.jacobian(q, "cross")[3:]
    np.testing.assert_allclose(J, expected, atol=1e-12)
    assert mobility == pytest.approx(np.trace(expected @ np.linalg.solve(robot.mass_matrix(q), expected.T)), rel=1e-9)
    assert angles[1:] == pytest.approx([0.4, -1.1])
    assert np.linalg.norm(turned[3:7]) == pytest.approx(1.0)


def test_what_pages_leave_open():
    """Lengths of loops, wheels and beams stay; masses where modes are computed with them."""
    groups = {name: {slider.group for slider in sliders(freed(redyn.load(name)))} for name in ("car", "flexible-beam")}
    assert all("Lengths" not in found for found in groups.values())
    assert "Masses" in groups["car"]
    assert {s.group for s in sliders(freed(redyn.load("flexible-space-arm")))} == {"Gravity", "Payload"}
    plain = freed(redyn.load("two-link", friction=False))
    assert "Damping" not in {slider.group for slider in sliders(plain)}


def test_what_is_driven_and_where_it_starts():
    car = freed(redyn.load("car"))
    q, qd = start(car, None, None)
    assert (qd != 0.0).all()  # nothing would move it
    assert [one["place"] for one in layout(car, q)["actuators"]] == [5, 4]
    assert "friction_torque" not in names(car)
    arm = freed(redyn.load("elastic-joint-arm"))
    found = layout(arm, arm.initial)
    assert [one["actuated"] for one in found["actuators"]] == [True, False, True, False]
    M = arm.mass_matrix(arm.initial)
    assert found["actuators"][2]["inertia"] >= M[2, 2] + M[3, 3] - 1e-12  # the motor, and what its gear carries
    space = freed(redyn.load("dual-arm-satellite"))
    q, qd = start(space, None, None)
    np.testing.assert_allclose(space.momentum(q, qd), 0.0, atol=1e-9)
    assert not any(one["actuated"] for one in layout(space, q)["actuators"][:6])
