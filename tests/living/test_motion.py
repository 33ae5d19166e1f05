"""The integrator, the controllers and the pull of a living page, in Node."""

import numpy as np
import pytest

import redyn
from living_node import in_node
from node import needs_node
from redyn.living.coordinates import layout
from redyn.living.sliders import freed


def inertias(robot):
    return np.array([one["inertia"] for one in layout(robot, robot.initial)["actuators"]])


@pytest.mark.slow
@needs_node
def test_a_fall_keeps_its_energy_and_is_that_of_the_library(tmp_path):
    robot = freed(redyn.load("kuka-kr5"))
    script = """
    const motion = make();
    const before = energy(motion);
    let most = 0;
    for (let k = 0; k < 60; k += 1) {
      motion.advance(1 / 60);
      most = Math.max(most, robot.kinetic_energy(motion.state.q, motion.state.qd));
    }
    console.log(JSON.stringify([[...motion.state.q], motion.state.t, Math.abs(energy(motion) - before), most]));
    """
    q, t, change, most = in_node(tmp_path, robot, script)
    assert t == pytest.approx(1.0, abs=1e-12)
    assert change < 1e-6 * most
    expected = redyn.simulate(redyn.load("kuka-kr5"), robot.initial, np.zeros(6), 1.0, rtol=1e-10, atol=1e-12).q[-1]
    np.testing.assert_allclose(q, expected, rtol=0, atol=1e-6)


@pytest.mark.slow
@needs_node
def test_controllers_hold_and_friction_stops(tmp_path):
    """Also with friction that is stiff at rest, and gains that need shorter steps."""
    plain = redyn.load("two-link")
    rough = {"coulomb": 2.0, "damping": 0.5}
    links = [k.model_copy(update={"joint": k.joint.model_copy(update=rough)}) for k in plain.description.links]
    robot = freed(redyn.Robot(plain.description.model_copy(update={"links": links})))
    script = """
    const end = (control, omega, target) => {
      const motion = make();
      Object.assign(motion.state, { control, omega });
      motion.state.target.set(target);
      for (let k = 0; k < 240; k += 1) motion.advance(1 / 60);
      return [[...motion.state.q], [...motion.now().tau], motion.longestStep()];
    };
    const at = [0.5, -0.7];
    console.log(JSON.stringify([end("pdg", 8, at), end("computed", 8, at), end("pd", 30, at), end("free", 8, [0, 0])]));
    """
    with_gravity, computed, stiff, fallen = in_node(tmp_path, robot, script, start=([0.0, 0.3], [0.0, 0.0]))
    np.testing.assert_allclose(computed[0], [0.5, -0.7], atol=1e-6)
    np.testing.assert_allclose(computed[1], robot.inverse_dynamics([0.5, -0.7], [0, 0], [0, 0]), atol=1e-3)
    kp = 8.0**2 * inertias(robot)
    assert (np.abs(np.array(with_gravity[0]) - [0.5, -0.7]) < 2.01 / kp).all()  # as near as friction lets it come
    kp = 30.0**2 * inertias(robot)
    sag = np.abs(np.array(stiff[0]) - [0.5, -0.7])
    assert (sag < (np.abs(robot.gravity_torque(stiff[0])) + 2.0) / kp + 1e-3).all()
    assert stiff[2] < 1e-3
    run = redyn.simulate(robot, [0.0, 0.3], [0.0, 0.0], 4.0, method="radau", rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(fallen[0], run.q[-1], atol=1e-3)


@needs_node
def test_addresses(tmp_path):
    robot = freed(redyn.load("three-link"))
    script = """
    import { decode, encode } from "./share.js";
    const motion = make();
    const { parameter_names: names, nominal_parameters: nominal } = robot;
    const form = { names, nominal, start: given.start, torques: 3, controls: ["free", "pd"] };
    const same = encode(motion.state, motion.parameters, form);
    motion.advance(0.5);
    motion.parameters[1] = 1 / 3;
    Object.assign(motion.state, { control: "pd", omega: 4.5 });
    const text = encode(motion.state, motion.parameters, form);
    const back = decode("#" + text, form);
    const again = ["q", "qd"].every((key) => back[key].every((x, i) => x === motion.state[key][i]));
    const wrong = decode("#q=1,2&qd=1,2,x&p.none=3&control=magic&omega=-1&zeta=&%&torque=1", form);
    const { parameters, control, omega, errors } = back;
    console.log(JSON.stringify([same, again, [...parameters], control, omega, errors, wrong.errors.length]));
    """
    same, again, parameters, control, omega, none, wrong = in_node(tmp_path, robot, script)
    assert same == ""
    assert again
    assert parameters == [[1, 1 / 3]]
    assert (control, omega, none, wrong) == ("pd", 4.5, [], 8)
