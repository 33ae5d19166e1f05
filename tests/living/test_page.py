"""Living pages: what they contain, and what they do in a browser, on a desk and on a phone."""

import json
import math

import numpy as np
import pytest

import redyn
from browser import PATIENCE, listen
from commands import printed
from redyn.errors import InputError
from redyn.kinematics import link_poses
from redyn.living.page import page
from redyn.living.sliders import freed, sliders
from redyn.living.stretch import points, stretches
from redyn.report.scene import scene
from report_page import unpacked

HOSTILE = "</script><img src=x onerror=alert(1)>"


# --- without a browser ------------------------------------------------------------------------------------------


def test_what_sliders_there_are():
    free = freed(redyn.load("stanford"))
    found = {slider.name: slider for slider in sliders(free)}
    assert tuple(found) == free.parameter_names
    assert "link3.b" not in found  # the joint's own variable
    nominal = dict(zip(free.parameter_names, free.nominal_parameters, strict=True))
    for name, slider in found.items():
        assert slider.low < slider.high
        assert slider.low - 1e-9 <= nominal[name] <= slider.high + 1e-9
    assert found["link2.mass"].unit == "kg"
    assert (found["joint3.damping"].unit, found["joint1.damping"].unit) == ("Ns/m", "Nms/rad")
    own = redyn.load("two-link").free("link2.inertia", "joint1.coulomb", "payload")
    assert freed(own) is own
    assert {slider.group for slider in sliders(own)} == {"Inertias", "Coulomb friction", "Payload"}
    many = freed(redyn.chain(20))
    assert {slider.group for slider in sliders(many)} == {"Masses", "Gravity", "Payload"}


@pytest.mark.parametrize("name", ["puma", "stanford", "franka-panda"])
def test_shapes_follow_lengths(name):
    """Points at other lengths, by their slopes, are those of the robot with these lengths."""
    free = freed(redyn.load(name))
    lengths = [k for k, slider in enumerate(sliders(free)) if slider.group == "Lengths"]
    q = free.initial

    def drawn(robot):
        return scene(robot, [0.0], q)

    moved = stretches(free, lengths, drawn)
    values = free.nominal_parameters
    rng = np.random.default_rng(0)
    values[lengths] *= rng.uniform(0.8, 1.3, len(lengths))
    other = free.at(values)
    expected, found = points(drawn(other)), points(drawn(free))
    for entry in moved:
        by = values[entry["parameter"]] - free.nominal_parameters[entry["parameter"]]
        for path, slope in entry["moves"]:
            found[tuple(path)] = found[tuple(path)] + by * np.array(slope)
    assert {path for path in expected if path[-1] not in ("drum", "top")} <= set(found)
    for path, point in expected.items():
        kind = drawn(other)["links"][path[1]]["solids"][path[3]]["kind"] if "solids" in path else ""
        if path[-1] not in ("drum", "top") and kind != "stub":  # these are set apart by the thickness of links
            np.testing.assert_allclose(found[path], point, atol=1e-9, err_msg=str(path))
    np.testing.assert_allclose(link_poses(other, q), link_poses(free.rebuilt(values), q), atol=1e-12)


def test_starts_where_it_falls(tmp_path):
    def start(robot, **given):
        text = page(robot, tmp_path / "a.html", **given).read_text("utf-8")
        return json.loads(unpacked(text, "data"))["start"]

    robot = redyn.load("one-link")  # its file starts it hanging still
    assert start(robot) == {"q": [0.6], "qd": [0], "control": "free"}
    assert start(robot, q=[0.25], qd=[2]) == {"q": [0.25], "qd": [2], "control": "free"}
    with pytest.raises(InputError, match="q"):
        page(robot, tmp_path / "b.html", q=[0.1, 0.2])
    with pytest.raises(InputError, match="qd"):
        page(robot, tmp_path / "b.html", qd=[0.1, 0.2])
    assert not (tmp_path / "b.html").exists()


def test_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "wrote two_link.html" in printed("page", "two-link", "--free", "*.mass, gravity.y", "--q", "0, 90 deg")
    data = json.loads(unpacked((tmp_path / "two_link.html").read_text("utf-8"), "data"))
    assert [slider["name"] for slider in data["sliders"]] == ["link1.mass", "link2.mass", "gravity.y"]
    assert data["start"]["q"] == pytest.approx([0.0, math.pi / 2])
    assert "Example: redyn page" in printed("page", "--help")


# --- in the browser ---------------------------------------------------------------------------------------------


def opened(browser, path, width=1366, height=768, phone=False):
    context = browser.new_context(
        viewport={"width": width, "height": height}, has_touch=phone, is_mobile=phone, device_scale_factor=1
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    complaints = listen(page, "file:")
    page.goto(path)
    page.wait_for_selector("html[data-ready=true]")
    return page, complaints


CALLS = """(given) => given.map(([q, qd, x, p]) => [
    redyn.inverse_dynamics(q, qd, x, p), redyn.forward_dynamics(q, qd, x, p), redyn.mass_matrix(q, p),
    redyn.coriolis_matrix(q, qd, p), redyn.gravity_torque(q, p), redyn.forward_kinematics(q, p),
    redyn.link_poses(q, p), redyn.potential_energy(q, p)])"""


def close(found, expected, scale=1.0):
    expected = np.asarray(expected)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * max(1.0, np.abs(expected).max()) * scale)


@pytest.mark.parametrize("name", ["kuka-kr5", "stanford", "franka-panda"])
def test_numbers_are_those_of_the_library(browser, tmp_path, name):
    robot = redyn.load(name)
    free = freed(robot)
    path = page(robot, tmp_path / "arm.html")
    shown, complaints = opened(browser, path.as_uri())
    rng = np.random.default_rng(5)
    nominal = free.nominal_parameters
    rows = nominal + np.where(nominal == 0.0, 0.1, nominal) * rng.uniform(-0.3, 0.5, (6, len(nominal)))
    rows[0] = nominal
    states = [(free.random(rng), *rng.uniform(-3, 3, (2, free.dof))) for _ in rows]
    given = [[*(x.tolist() for x in state), p.tolist()] for state, p in zip(states, rows, strict=True)]
    for (q, qd, x), p, answer in zip(states, rows, shown.evaluate(CALLS, given), strict=True):
        tau, qdd, M, C, g, T, poses, V = answer
        close(tau, free.inverse_dynamics(q, qd, x, parameters=p))
        mass = free.mass_matrix(q, parameters=p)
        close(qdd, free.forward_dynamics(q, qd, x, parameters=p), np.linalg.cond(mass))
        close(M, mass)
        close(C, free.coriolis_matrix(q, qd, parameters=p))
        close(g, free.gravity_torque(q, parameters=p))
        close(T, free.forward_kinematics(q, parameters=p))
        close(poses, free.link_motion(q, 0 * q, 0 * q, parameters=p).pose)
        close(V, free.potential_energy(q, parameters=p))
    q, qd, x = states[0]
    tau = shown.evaluate("(s) => redyn.inverse_dynamics(...s)", [q.tolist(), qd.tolist(), x.tolist()])
    close(tau, robot.inverse_dynamics(q, qd, x))  # nothing is said of parameters
    assert shown.evaluate("redyn.parameter_names") == list(free.parameter_names)
    assert shown.evaluate("redyn.compare().every((one) => one.agrees)")
    assert complaints == []


def test_a_page_is_used(browser, tmp_path):
    """Falls, is changed, dragged, controlled, shared and reset."""
    path = page(redyn.load("two-link"), tmp_path / "arm.html", title=HOSTILE)
    shown, complaints = opened(browser, path.as_uri())
    find, ask = shown.get_by_test_id, shown.evaluate
    assert find("title").text_content() == HOSTILE

    find("run").click()
    shown.wait_for_function("redyn.state.t > 0.5")
    find("run").click()
    stopped = ask("redyn.state")
    assert ask("redyn.potential_energy(redyn.state.q)") < -0.01
    whole = "redyn.kinetic_energy(redyn.state.q, redyn.state.qd) + redyn.potential_energy(redyn.state.q)"
    assert abs(ask(whole)) < 1e-6  # it started level with its base, at rest
    shown.wait_for_timeout(200)
    assert ask("redyn.state") == stopped

    # What is shown is of the numbers that the sliders say.
    find("tab-numbers").click()
    find("field-link2.mass").fill("2.5")
    find("field-link2.mass").press("Enter")
    find("field-link2.a").fill("0.6")
    find("field-link2.a").press("Enter")
    values = dict(zip(ask("redyn.parameter_names"), ask("redyn.parameters"), strict=True))
    assert (values["link1.mass"], values["link2.mass"], values["link2.a"]) == (1.0, 2.5, 0.6)
    find("tab-equations").click()
    free = freed(redyn.load("two-link"))
    p, q, qd = (np.array(ask(f"redyn.{x}")) for x in ("parameters", "state.q", "state.qd"))
    M = free.mass_matrix(q, parameters=p)
    cells = find("table-M").locator("td").all_text_contents()
    np.testing.assert_allclose([float(x) for x in cells], M.ravel(), rtol=1e-3)
    find("wanted-0").fill("2")
    tau = free.inverse_dynamics(q, qd, [2.0, 0.0], parameters=p)
    shown_tau = find("table-inverse").locator("tbody tr").nth(1).locator("td").nth(1).text_content()
    assert float(shown_tau) == pytest.approx(tau[1], rel=1e-3)

    # A link to this state brings it back, to the last digit.
    find("share").click()
    address = find("link").input_value()
    assert address.startswith(path.as_uri() + "#q=")
    again, more = opened(browser, address)
    for what in ("redyn.parameters", "redyn.state.q", "redyn.state.qd", "redyn.state.control"):
        assert again.evaluate(what) == ask(what)
    again.evaluate("() => { location.hash = '#q=0.1,0.2&nonsense=1'; }")
    again.wait_for_function("redyn.state.q[0] === 0.1 && redyn.state.qd[0] === 0")
    assert "nonsense" in again.get_by_test_id("touching").text_content()
    assert more == []

    find("reset").click()
    assert ask("redyn.parameters") == ask("redyn.nominal_parameters")
    assert ask("redyn.state.q") == [0, 0]
    assert "#" not in shown.url

    # Dragged while it stands still: its tip comes to where the pointer goes.
    box = find("view3d").bounding_box()
    found = ask("() => redyn.onScreen([1.9, 0, 0])")
    to = ask("() => redyn.onScreen([1.2, 0.9, 0])")
    shown.mouse.move(*found)
    shown.mouse.down()
    shown.mouse.move(*to, steps=6)
    shown.mouse.up()
    assert box["x"] < to[0] < box["x"] + box["width"]
    x, y = ask("redyn.forward_kinematics(redyn.state.q).slice(0, 2).map((row) => row[3])")
    assert math.hypot(x - 1.2, y - 0.9) < 0.25
    assert ask("redyn.state.qd") == [0, 0]

    # Held by computed torque at the target of a slider.
    find("control").select_option("computed")
    find("run").click()
    find("tab-joints").click()
    find("field-q0").fill("0.4")
    find("field-q0").press("Enter")
    shown.wait_for_function("Math.abs(redyn.state.q[0] - 0.4) < 1e-3 && Math.abs(redyn.state.qd[0]) < 1e-3")
    find("run").click()
    assert complaints == []


def test_a_mechanism_is_used(browser, tmp_path):
    """Closed loops: they fall, are turned by a slider and by hand, driven, and stay closed; a link brings them back."""
    robot = freed(redyn.load("four-bar"))
    path = page(redyn.load("four-bar"), tmp_path / "bars.html")
    shown, complaints = opened(browser, path.as_uri())
    find, ask = shown.get_by_test_id, shown.evaluate
    opening = "Math.max(...redyn.loop_error(redyn.state.q).map(Math.abs))"
    assert ask("redyn.compare().every((one) => one.agrees)")
    assert "computed" not in find("control").locator("option").evaluate_all("(all) => all.map(({ value }) => value)")

    find("run").click()
    shown.wait_for_function("redyn.state.t > 0.3")
    find("run").click()
    assert ask(opening) < 1e-12
    find("share").click()
    again, more = opened(browser, find("link").input_value())
    for what in ("redyn.state.q", "redyn.state.qd", "redyn.state.tau", "redyn.state.qdd"):
        assert again.evaluate(what) == ask(what)
    again.close()
    find("reset").click()

    find("field-q0").fill("0.5")
    find("field-q0").press("Enter")
    q = ask("redyn.state.q")
    assert q[0] == pytest.approx(0.5, abs=1e-9)
    assert ask(opening) < 1e-9
    crank = robot.link_motion(q, [0] * 3, [0] * 3).pose[0]
    at = (crank @ [0.025, 0, 0, 1])[:3]
    shown.mouse.move(*ask("(at) => redyn.onScreen(at)", at.tolist()))
    shown.mouse.down()
    shown.mouse.move(*ask("(at) => redyn.onScreen(at)", [at[0] - 0.01, at[1] + 0.01, at[2]]), steps=4)
    shown.mouse.up()
    assert ask("redyn.state.q")[0] > 0.6
    assert ask(opening) < 1e-9
    ask("(q) => redyn.set({ q })", q)
    find("tab-equations").click()
    find("wanted-0").fill("3")
    needed = float(find("table-needed").locator("td").first.text_content())
    full = robot.complete(q[:1], [0.0], [3.0], near=q)
    assert needed == pytest.approx(robot.inverse_dynamics(full.q, full.qd, full.qdd)[0], rel=1e-3)

    find("tab-joints").click()
    find("control").select_option("torque")
    find("field-tau0").fill("0.2")
    find("field-tau0").press("Enter")
    assert ask("redyn.state.tau") == [0.2, 0, 0]
    qdd = robot.forward_dynamics(q, [0.0] * 3, [0.2, 0.0, 0.0])
    np.testing.assert_allclose(ask("redyn.state.qdd"), qdd, rtol=1e-7)
    assert complaints == more == []


def test_on_a_phone(browser, tmp_path):
    path = page(redyn.load("kuka-kr5"), tmp_path / "arm.html")
    shown, complaints = opened(browser, path.as_uri(), 375, 667, phone=True)
    find = shown.get_by_test_id
    for tab in ("joints", "numbers", "equations", "plots"):
        find(f"tab-{tab}").tap()
        assert shown.evaluate("document.documentElement.scrollWidth") == 375
        assert find(f"tab-{tab}").get_attribute("aria-selected") == "true"
    find("tab-joints").tap()
    slider = find("slider-q1").bounding_box()
    assert slider["height"] >= 30
    assert slider["width"] > 100
    shown.touchscreen.tap(slider["x"] + slider["width"] * 0.75, slider["y"] + slider["height"] / 2)
    shown.wait_for_function("Math.abs(redyn.state.q[1] - Math.PI / 2) < 0.3")
    find("run").tap()
    shown.wait_for_function("redyn.state.t > 0.3")
    find("run").tap()
    assert complaints == []
