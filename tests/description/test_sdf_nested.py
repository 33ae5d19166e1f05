"""Models inside models of SDF, and included ones, beside the same robot written as one model."""

import numpy as np
import pytest

import redyn
from redyn.description.placement import rpy_rotation, translation
from redyn.description.poses import origin
from sdf_elements import joint, link, load, pose, sdf

ARM = "0.3 -0.2 0.5 0.4 -0.3 1.1"  # of the nested model in the outer one
UPPER, FORE = "0.1 0.2 0.3 0.3 0.2 0.1", "0 0.4 0 0 0 0.7"
AXIS = "<axis><xyz>0.6 0 0.8</xyz></axis>"
OF_MODEL = '<axis><xyz expressed_in="__model__">0 0.6 0.8</xyz></axis>'


def text_of(T):
    there = origin(T)
    return " ".join(repr(x) for x in (*there["xyz"], *there["rpy"]))


def nested(inside=ARM, attributes="", relative=""):
    """A base, and an arm in a model of its own."""
    placed = f"<pose {relative}>{inside}</pose>"
    arm = [link("upper", UPPER), link("fore", FORE, attributes='relative_to="upper"')]
    arm.append(joint("elbow", "upper", "fore", inside=OF_MODEL))
    return f'<model name="arm" {attributes}>{placed}{"".join(arm)}</model>'


def flat(T):
    """The same in one model, T being the pose of the arm's."""
    upper = T @ pose(UPPER)
    axis = " ".join(repr(float(x)) for x in (upper @ pose(FORE))[:3, :3].T @ T[:3, :3] @ (0, 0.6, 0.8))
    parts = [link("base", "0 0 1 0 0 0"), link("upper", text_of(upper)), link("fore", text_of(upper @ pose(FORE)))]
    parts.append(joint("fix", "world", "base", "fixed", ""))
    parts.append(joint("shoulder", "base", "upper", inside=AXIS))
    parts.append(joint("elbow", "upper", "fore", inside=f"<axis><xyz>{axis}</xyz></axis>"))
    return sdf(*parts)


def outer(*parts):
    base = [link("base", "0 0 1 0 0 0"), joint("fix", "world", "base", "fixed", "")]
    return sdf(*base, *parts, joint("shoulder", "base", "arm::upper", inside=AXIS))


def same(one, other):
    rng = np.random.default_rng(3)
    q, qd, qdd = rng.uniform(-2, 2, (3, 5, 2))
    tau = [robot.inverse_dynamics(q, qd, qdd) for robot in (one, other)]
    np.testing.assert_allclose(tau[0], tau[1], rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(one.forward_kinematics(q, "arm::fore"), other.forward_kinematics(q, "fore"), atol=1e-12)


def test_a_model_in_a_model(tmp_path):
    robot, _ = load(tmp_path, outer(nested()))
    assert robot.joint_names == ["shoulder", "arm::elbow"]
    same(robot, load(tmp_path, flat(pose(ARM)))[0])


def test_its_pose_relative_to_a_link(tmp_path):
    robot, _ = load(tmp_path, outer(nested(relative='relative_to="base"')))
    same(robot, load(tmp_path, flat(translation(0, 0, 1) @ pose(ARM)))[0])


def test_a_placement_frame(tmp_path):
    """The pose is then that of the link named, not of the model."""
    robot, _ = load(tmp_path, outer(nested(attributes='placement_frame="upper"')))
    same(robot, load(tmp_path, flat(pose(ARM) @ np.linalg.inv(pose(UPPER))))[0])


def test_twice_nested(tmp_path):
    text = outer(
        f'<model name="arm"><pose>{ARM}</pose><model name="in"><pose>0 0 1 0 0 0</pose>{link("upper")}</model></model>'
    )
    robot, _ = load(tmp_path, text.replace("arm::upper", "arm::in::upper"))
    place = robot.forward_kinematics(np.zeros(1), "arm::in::upper")
    np.testing.assert_allclose(place, pose(ARM) @ translation(0, 0, 1), atol=1e-12)


@pytest.fixture
def model(tmp_path):
    """A Gazebo model `arm` beside that of the robot."""
    folder = tmp_path / "models" / "arm"
    folder.mkdir(parents=True)
    (folder / "model.config").write_text('<model><sdf version="1.7">arm.sdf</sdf></model>')
    text = nested("9 9 9 0 0 0").removeprefix('<model name="arm" >').removesuffix("</model>")
    (folder / "arm.sdf").write_text(sdf(text, model='name="other"'))
    (tmp_path / "models" / "robot").mkdir()
    return tmp_path / "models" / "robot"


@pytest.mark.parametrize("uri", ["model://arm", "model://arm/arm.sdf", "../arm/arm.sdf"])
def test_includes(model, uri):
    include = f"<include><uri>{uri}</uri><name>arm</name><pose>{ARM}</pose></include>"
    same(load(model, outer(include))[0], load(model, flat(pose(ARM)))[0])


def test_an_include_that_is_merged(model):
    include = f'<include merge="true"><uri>model://arm</uri><pose>{ARM}</pose></include>'
    robot, _ = load(model, outer(include).replace("arm::upper", "upper"))
    assert robot.joint_names == ["shoulder", "elbow"]
    flat_robot, _ = load(model, flat(pose(ARM)))
    q = np.array([0.3, -0.4])
    np.testing.assert_allclose(robot.mass_matrix(q), flat_robot.mass_matrix(q), rtol=1e-12)


@pytest.mark.parametrize(
    ("uri", "why"),
    [
        ("model://none", "'model://none' is not found"),
        ("https://fuel.gazebosim.org/x", "not on this machine"),
        ("../../secret.sdf", "leads outside"),
        ("robot.sdf", "models are nested too deeply, or include each other"),
    ],
)
def test_includes_that_fail(model, uri, why):
    (model.parents[1] / "secret.sdf").write_text(sdf(link("a")))
    with pytest.raises(redyn.DescriptionError, match=why):
        load(model, outer(f"<include><uri>{uri}</uri></include>"))


def test_a_robot_in_a_world(model):
    """What it stands on is left out."""
    ground = f'<model name="ground"><static>1</static>{link("plane")}</model>'
    inside = sdf(link("a"), joint("j", "world", "a")).split("\n", 1)[1]
    text = (
        f'<sdf version="1.7"><world name="w">{ground}<model name="robot">{inside.replace("</sdf>", "</world></sdf>")}'
    )
    robot, said = load(model, text)
    assert robot.joint_names == ["j"]
    assert any("model 'ground', which has no joints; left out" in text for text in said)


def test_axes_and_turns_of_the_oracle():
    """The angles of a pose are about fixed axes."""
    np.testing.assert_allclose(pose("1 2 3 0.1 0.2 0.3"), translation(1, 2, 3) @ rpy_rotation(0.1, 0.2, 0.3))
