"""redyn verify: agrees where it should, and can disagree."""

import json
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import redyn
from random_robots import close, on_floats, random_tree
from redyn.bench.compare import URDF
from redyn.cli.main import app
from redyn.description.packages import robots_folder
from redyn.verify import compare
from redyn.verify.compare import verify
from redyn.verify.mujoco_peer import Mujoco

mujoco = pytest.importorskip("mujoco")


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", redyn.RedynWarning)
        yield


def verified(source, **options):
    return {item.peer: item for item in verify(source, **options)[1]}


@pytest.mark.parametrize("name", ["ur5", "puma", "stanford", "lagrange-pointing"])
def test_robots_agree(name):
    found = verified(robots_folder() / URDF[name] if name in URDF else name, states=20)
    assert {peer: len(item.rows) for peer, item in found.items()} == {"Pinocchio": 11, "MuJoCo": 11}
    rows = [row for item in found.values() for row in item.rows]
    assert all(row.agrees for row in rows), rows
    assert all(row.difference < 1e-12 for row in rows)


@pytest.mark.slow
def test_what_a_program_refuses_is_said():
    """MuJoCo does not take HyQ's impossible trunk."""
    found = verified(robots_folder() / URDF["hyq"], states=5)
    assert found["Pinocchio"].agrees
    assert len(found["Pinocchio"].rows) == 11
    assert "does not accept it" in found["MuJoCo"].skipped
    assert not found["MuJoCo"].rows


def test_a_wrong_answer_is_seen(monkeypatch):
    right = redyn.Robot.coriolis_vector
    monkeypatch.setattr(redyn.Robot, "coriolis_vector", lambda self, q, qd: right(self, q, qd) * (1 + 1e-6))
    for item in verify("puma", states=5)[1]:
        assert [row.quantity for row in item.rows if not row.agrees] == ["coriolis_vector"]
        assert not item.agrees


def test_what_is_not_determined_is_said():
    found = verified("kuka-kr5-printed", states=3)
    noted = {row.quantity: row.note for row in found["Pinocchio"].rows if row.note}
    assert set(noted) == {"forward_dynamics", "forward_dynamics_derivatives"}
    assert all("joint6" in note for note in noted.values())
    assert [row.quantity for row in found["MuJoCo"].rows if row.note] == ["forward_dynamics"]


def test_no_program_at_all(monkeypatch):
    monkeypatch.setattr(compare.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(redyn.RedynError, match=r"pip install pin, or pip install 'redyn\[mujoco\]'"):
        verify("puma")


def test_one_program_is_enough(monkeypatch):
    find = compare.importlib.util.find_spec
    monkeypatch.setattr(compare.importlib.util, "find_spec", lambda name: None if name == "mujoco" else find(name))
    assert list(verified("two-link", states=3)) == ["Pinocchio"]


# --- armature and damping, over random robots ----------------------------------------------------------------------


def mjcf(data):
    """A random tree in MuJoCo's own format, written by hand: nothing of redyn's importers or exporters is in it."""
    children = {}
    for i, link in enumerate(data["links"]):
        default = data["links"][i - 1]["name"] if i else "world"
        children.setdefault(link.get("parent", default), []).append(link)

    def body(link):
        numbers = lambda values: " ".join(map(repr, values))  # noqa: E731
        joint, moments = link["joint"], link["inertia"]
        drive = " ".join(f'{name}="{joint.get(field, 0.0)!r}"' for name, field in FIELDS.items())
        kind = {"revolute": "hinge", "prismatic": "slide"}.get(joint["type"])
        text = f'<body name="{link["name"]}" pos="{numbers(link["xyz"])}" euler="{numbers(link["rpy"])}">'
        if kind:
            ref = -joint.get("offset", 0.0)  # the value that its joint has where it is drawn
            place = f'type="{kind}" axis="{numbers(link["axis"])}" ref="{ref!r}"'
            text += f'<joint name="{link["name"]}_joint" {place} {drive}/>'
        full = numbers([moments[k] for k in ("xx", "yy", "zz", "xy", "xz", "yz")])
        text += f'<inertial pos="{numbers(link["com"])}" mass="{link["mass"]!r}" fullinertia="{full}"/>'
        return text + "".join(map(body, children.get(link["name"], []))) + "</body>"

    inner = "".join(map(body, children["world"]))
    return (
        f'<mujoco><compiler angle="radian" eulerseq="XYZ"/><option gravity="{" ".join(map(repr, data["gravity"]))}"/>'
        f"<worldbody>{inner}</worldbody></mujoco>"
    )


FIELDS = {"armature": "armature", "damping": "damping", "frictionloss": "coulomb"}


def driven(seed, n):
    """A tree whose every joint has armature, damping and Coulomb friction."""
    data, rng = random_tree(seed, n), np.random.default_rng(seed)
    for link in data["links"]:
        if link["joint"]["type"] != "fixed":
            link["joint"] |= {"armature": float(rng.uniform(0.01, 0.5)), "damping": float(rng.uniform(0.1, 2))}
            link["joint"]["name"] = f"{link['name']}_joint"
    return data


@settings(max_examples=60)
@given(seed=st.integers(0, 10**9), n=st.integers(1, 8))
def test_armature_and_damping_agree_with_mujoco(tmp_path_factory, seed, n):
    """redyn reads plain data, MuJoCo the same robot in MJCF; no file of one is made by the other."""
    data = driven(seed, n)
    path = tmp_path_factory.mktemp("mjcf") / "robot.xml"
    path.write_text(mjcf(data))
    robot = on_floats(redyn.load(data, exact=True))
    order = mujoco.MjModel.from_xml_path(str(path))
    names = [order.joint(j).name for j in range(order.njnt)]
    peer = Mujoco.read(path, names, robot.gravity, np.zeros(robot.dof))
    to = [robot.joint_names.index(name) for name in names]
    rng = np.random.default_rng(seed)
    q, qd, x = rng.uniform(-2, 2, (3, robot.dof))
    answer = peer.answers(q[to], qd[to], x[to], robot.link_names[-1])
    smooth = on_floats(compare._without_coulomb(robot, damping=True, exact=True))
    back = np.argsort(to)
    M = answer["mass_matrix"][np.ix_(back, back)]
    close(smooth.mass_matrix(q), M)
    damping = {link["joint"]["name"]: link["joint"]["damping"] for link in data["links"] if "name" in link["joint"]}
    expected = np.array([damping[name] for name in robot.joint_names]) * qd
    close(answer["friction_torque"][back], expected)
    close(smooth.friction_torque(qd), expected)
    close(smooth.inverse_dynamics(q, qd, x), answer["inverse_dynamics"][back])
    close(smooth.forward_dynamics(q, qd, x), answer["forward_dynamics"][back], np.linalg.cond(M))
    close(smooth.gravity_torque(q), answer["gravity_torque"][back])
    close(smooth.coriolis_vector(q, qd), answer["coriolis_vector"][back])
    close(smooth.kinetic_energy(q, qd), answer["kinetic_energy"])
    close(smooth.com(q), answer["com"])
    close(smooth.momentum(q, qd), answer["momentum"])
    close(smooth.forward_kinematics(q, robot.link_names[-1]), answer["forward_kinematics"])
    close(smooth.jacobian(q, robot.link_names[-1]), answer["jacobian"][:, back])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["yaml", "urdf", "xml"])
def test_files_with_armature_and_damping(tmp_path, kind):
    data = driven(11, 5)
    path = tmp_path / f"tree.{kind}"
    robot = redyn.load(data)
    match kind:
        case "yaml":
            robot.to_yaml(path)
        case "urdf":
            robot.to_urdf(path)
        case _:
            path.write_text(mjcf(data))
    _, found = verify(path, states=10)
    for item in found:
        assert item.agrees, item
        assert not item.skipped
        assert len(item.rows) == 11


@pytest.mark.slow
def test_armature_and_damping_matter(tmp_path, monkeypatch):
    """Were either left out, it would be seen."""
    path = tmp_path / "tree.xml"
    path.write_text(mjcf(driven(11, 5)))
    plain = compare._without_coulomb
    monkeypatch.setattr(compare, "_without_coulomb", lambda robot, damping, exact: plain(robot, False, exact))
    wrong = {row.quantity for row in verified(path, states=3)["MuJoCo"].rows if not row.agrees}
    assert wrong == {"friction_torque", "inverse_dynamics", "forward_dynamics"}
    monkeypatch.undo()
    monkeypatch.setattr(compare, "load", lambda source, **options: without_armature(redyn.load(source, **options)))
    wrong = {row.quantity for row in verified(path, states=3)["MuJoCo"].rows if not row.agrees}
    assert {"mass_matrix", "kinetic_energy", "inverse_dynamics"} <= wrong


def without_armature(robot):
    links = [
        link.model_copy(update={"joint": link.joint.model_copy(update={"armature": 0.0})})
        for link in robot.description.links
    ]
    return redyn.Robot(robot.description.model_copy(update={"links": links}), exact=True)


@pytest.mark.slow
def test_actuators_with_rotors_and_springs_are_like_redyns(tmp_path):
    """What redyn reads of actuators is felt in MuJoCo as well, and so are springs."""
    text = mjcf(driven(4, 3))
    rotor = '<actuator><motor joint="part0_joint" gear="-3" armature="0.1" damping="0.2"/></actuator></mujoco>'
    path = tmp_path / "rotor.xml"
    path.write_text(text.replace("</mujoco>", rotor).replace("<joint ", '<joint stiffness="5" '))
    try:
        mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        pytest.skip("this mujoco has no armature of actuators")
    found = verified(path, states=5)["MuJoCo"]
    assert not found.skipped
    assert found.agrees, found
    assert "spring_torque" in [row.quantity for row in found.rows]


def test_a_free_joint_is_turned_into_redyns_speeds(tmp_path):
    """A single body, by Newton and Euler in its own axes: about its origin, angular part first."""
    path = tmp_path / "free.xml"
    path.write_text(
        '<mujoco><worldbody><body name="b"><freejoint name="f"/><inertial pos=".1 .2 -.3" mass="2" '
        'fullinertia=".3 .4 .5 .01 .02 .03"/></body></worldbody></mujoco>'
    )
    g = np.array([1.0, -2.0, -9.0])
    peer = Mujoco.read(path, ["f"], g, np.zeros(6))
    rng = np.random.default_rng(2)
    from scipy.spatial.transform import Rotation

    turn = Rotation.random(rng=rng)
    q = np.concatenate([rng.normal(size=3), turn.as_quat()])  # x y z w
    v, a = rng.normal(size=(2, 6))
    skew = lambda u: np.cross(np.eye(3), u)  # noqa: E731
    c, m = np.array([0.1, 0.2, -0.3]), 2.0
    inertia = np.array([[0.3, 0.01, 0.02], [0.01, 0.4, 0.03], [0.02, 0.03, 0.5]]) - m * skew(c) @ skew(c)
    M = np.block([[inertia, m * skew(c)], [-m * skew(c), m * np.eye(3)]])
    w, u = v[:3], v[3:]
    momentum = M @ v
    bias = np.concatenate([np.cross(w, momentum[:3]) + np.cross(u, momentum[3:]), np.cross(w, momentum[3:])])
    pull = turn.inv().apply(g)
    weight = -np.concatenate([m * np.cross(c, pull), m * pull])
    answer = peer.answers(q, v, a, "b")
    close(answer["mass_matrix"], M)
    close(answer["coriolis_vector"], bias)
    close(answer["gravity_torque"], weight)
    close(answer["inverse_dynamics"], M @ a + bias + weight)
    close(answer["forward_dynamics"], np.linalg.solve(M, a - bias - weight))
    close(answer["jacobian"], np.kron(np.eye(2), turn.as_matrix()))
    close(answer["forward_kinematics"][:3, :3], turn.as_matrix())


# --- the command ---------------------------------------------------------------------------------------------------


def run(*arguments):
    return CliRunner().invoke(app, ["verify", *map(str, arguments)])


def test_command_prints_tables_and_conventions():
    shown = run("two-link", "--states", 3)
    assert shown.exit_code == 0
    for text in (
        "compared with Pinocchio",
        "compared with MuJoCo",
        "inverse_dynamics",
        "agrees",
        "[linear, world axes",
    ):
        assert text in shown.output
    assert "DIFFERS" not in shown.output


def test_command_as_json():
    lines = run("two-link", "one-link", "--states", 3, "--json").output.splitlines()
    data = [json.loads(line) for line in lines]
    assert [item["robot"] for item in data] == ["two-link", "one-link"]
    assert [peer["peer"] for peer in data[0]["peers"]] == ["Pinocchio", "MuJoCo"]
    assert all(row["agrees"] for item in data for peer in item["peers"] for row in peer["rows"])


def test_command_as_markdown_goes_on_after_a_bad_file(tmp_path):
    (tmp_path / "bad.urdf").write_text("<robot><link/></robot>")
    shown = run(tmp_path / "bad.urdf", "two-link", "kuka-kr5-printed", "--states", 3, "--markdown")
    header, rule, bad, good, odd = shown.stdout.splitlines()
    assert header.startswith("| robot | joints | Pinocchio ")
    assert rule == "|---|---|---|---|"
    assert "bad.urdf:1" in bad
    assert good.startswith("| two-link | 2 | ")
    assert "forward_dynamics not determined" in odd
    assert all(line.count("|") == 5 for line in (header, bad, good, odd))
    assert isinstance(shown.exception, redyn.RedynError)  # what main turns into exit code 2
    assert "bad.urdf" in str(shown.exception)


@pytest.mark.parametrize("states", [0, 100_001])
def test_bad_number_of_states(states):
    assert "--states: expected from 1 to 100000" in str(run("puma", "--states", states).exception)
