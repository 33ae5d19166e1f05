"""Items about closed loops: their numbers are the golden ones, and another mechanism is told from the right one."""

import numpy as np
import pytest

import redyn
from mechanisms import GOLDEN, definition
from random_robots import close
from redyn.reproduce import iftomm, redysim, squeezer
from redyn.reproduce.registry import GROUPS, ITEMS, group


def test_reference_numbers_are_the_golden_ones():
    motions = GOLDEN["inverse_along_motions"]
    assert [row["crank_torque"] for row in motions["four-bar at 45 rpm"]] == redysim.CRANK_TORQUES
    close(redysim.EIGHTHS, [row["crank"] for row in motions["four-bar at 45 rpm"]])
    circle = motions["3-RRR on ReDySim's circle"]
    assert [row["torque"] for row in circle] == redysim.CIRCLE_TORQUES
    assert [row["t"] for row in circle] == redysim.INSTANTS
    defects = GOLDEN["redysim_defects"]
    assert defects["redysim_fourbar_initials_gap_m"] == redysim.FOUR_BAR_GAP
    assert defects["redysim_3RRR_fordyn_initials_gap_m"] == redysim.RRR_GAP
    exact = GOLDEN["exact_n_four_bar"]
    assert (exact["times"], exact["theta"]) == (iftomm.TIMES, iftomm.ANGLES)
    bricard = GOLDEN["simulations"]["bricard"]
    assert (bricard["times"], bricard["P3"]) == (iftomm.P3_TIMES, iftomm.P3)
    squeezed = GOLDEN["simulations"]["andrews"]
    assert (list(squeezer.COMPUTED), list(squeezer.COMPUTED.values())) == (squeezed["times"], squeezed["q"])


def test_published_digits_of_the_squeezer():
    published = GOLDEN["published"]["andrews"]
    assert list(squeezer.PUBLISHED) == published["order"]
    for column, key in ((1, "q"), (2, "qd")):
        assert [float(row[column]) for row in squeezer.PUBLISHED.values()] == published[key]
    assert [float(x) for x in squeezer.START] == published["initial_acceleration"][:2]
    names = {"DRIVE": "mom", "STIFFNESS": "c0", "REST": "l0", "XB": "xb", "YB": "yb", "XC": "xc", "YC": "yc"}
    names |= {"SC": "sc", "SD": "sd"}
    assert {ours: getattr(squeezer, ours) for ours in names} == {
        ours: published["parameters"][theirs] for ours, theirs in names.items()
    }


def test_the_spring_is_the_gradient_of_its_energy():
    robot = redyn.load("andrews")
    law, sprung = squeezer.spring_and_drive(robot).py_func, robot.joint_names.index("K3")

    def energy(angle):
        c, s = np.cos(angle), np.sin(angle)
        end = np.array([squeezer.XB, squeezer.YB]) + np.array([[c, -s], [s, c]]) @ [squeezer.SD, -squeezer.SC]
        stretch = np.linalg.norm(end - [squeezer.XC, squeezer.YC]) - squeezer.REST
        return 0.5 * squeezer.STIFFNESS * stretch**2

    still, h = np.zeros(robot.dof), 1e-6
    for angle in (0.04, 0.2, 0.45):
        q = robot.initial
        q[sprung] = angle
        torque = law(0.0, q, still)
        close(torque[sprung], -(energy(angle + h) - energy(angle - h)) / (2 * h), tolerance=1e-7)
        assert torque[robot.joint_names.index("K1")] == squeezer.DRIVE
        assert np.count_nonzero(torque) == 2


def test_two_four_bars_are_those_of_the_benchmark():
    """The item's own definition, against the golden one."""
    robot, reference = iftomm.two_four_bars(), redyn.load(definition("2-four-bar"))
    for state in GOLDEN["mechanisms"]["2-four-bar"]["states"]:
        q, qd, tau = (np.array(state[key]) for key in ("q", "qd", "tau"))
        close(robot.forward_dynamics(q, qd, tau), reference.forward_dynamics(q, qd, tau))
    close(robot.initial, GOLDEN["exact_n_four_bar"]["q0"])
    close(robot.transmission(robot.initial) @ [-1.0], GOLDEN["exact_n_four_bar"]["qd0"])
    close(robot.loop_error(iftomm.FLAT), np.zeros(10))


def test_the_exact_pendulum():
    """By its equation of motion, and at the start."""
    t, h = np.linspace(0.1, 9.9, 50), 1e-4
    theta = iftomm.pendulum(t)
    bend = (iftomm.pendulum(t + h) - 2 * theta + iftomm.pendulum(t - h)) / h**2
    close(3.0 * bend, -9.81 * 3.5 * np.cos(theta), tolerance=1e-6)
    close(iftomm.pendulum(np.zeros(1)), [np.pi / 2])


@pytest.mark.slow
def test_other_bars_differ(monkeypatch):
    right = iftomm.two_four_bars()

    def heavier():
        links = list(right.description.links)
        links[1] = links[1].model_copy(update={"mass": 1.02})
        return redyn.Robot(right.description.model_copy(update={"links": links}))

    monkeypatch.setattr(iftomm, "two_four_bars", heavier)
    assert ITEMS["two-four-bars"].build(redyn.load).unexplained


@pytest.mark.slow
def test_open_starts_are_named():
    """ReDySim's own: 26.1 mm, and 8.8 and 9.6 mm."""
    for name, wide in (("four-bar", "open by 26.1 mm"), ("3-rrr", "open by 8.8 and 9.6 mm")):
        assert wide in ITEMS[name].build(redyn.load).reason


def test_groups():
    assert [name for name in ITEMS if group(name) == "Closed loops"] == list(GROUPS["Closed loops"])
    assert all(group(name) in GROUPS for name in ITEMS)
