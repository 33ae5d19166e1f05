"""Files of loops beside a robot file: our own keys, those of Gepetto's parallel robots; read safely."""

import warnings

import pytest

import redyn
from four_bars import SECOND, four_bar, load, same_as_library
from random_robots import close

OWN = """
loops: [{name: cut, between: [crank, coupler], joint: revolute, at: [0.05, 0, 0], meets: [0.1, 0, 0]}]
actuated: [crank]
"""
GEPETTO = """
closed_loop: [["pin_A", "coupler-pin"]]
type: ["3d"]
name_mot: ["crank"]
"""
PIN = (
    '<link name="pin_A"/><joint name="pin_A_end" type="fixed"><parent link="crank"/><child link="pin_A"/>'
    '<origin xyz="0.05 0 0"/></joint>'
)


def beside(tmp_path, text, *parts, name="loops.yaml", **options):
    (tmp_path / "loops.yaml").write_text(text, encoding="utf-8")
    return load(tmp_path, four_bar(PIN, *parts), loops=name, **options)[0]


def test_our_own_keys(tmp_path):
    robot = beside(tmp_path, OWN)
    same_as_library(robot)
    assert robot.actuated == ["crank"]
    assert beside(tmp_path, OWN, actuated=["output"]).actuated == ["output"]
    assert beside(tmp_path, OWN.partition("actuated")[0], actuated=["output"]).actuated == ["output"]


def test_it_takes_the_place_of_loops_in_the_file(tmp_path):
    same_as_library(beside(tmp_path, OWN, SECOND))


def test_keys_of_gepetto(tmp_path):
    robot = beside(tmp_path, GEPETTO)
    same_as_library(robot)
    assert [(loop.between, loop.joint) for loop in robot.loops] == [(("pin_A", "coupler-pin"), "spherical")]
    assert robot.actuated == ["crank"]
    for text in (GEPETTO.replace("3d", "6D"), GEPETTO.replace('type: ["3d"]\n', "")):
        assert beside(tmp_path, text).loops[0].joint == "fixed"
    assert beside(tmp_path, GEPETTO, actuated=["output"]).actuated == ["output"]


def test_gepetto_may_name_joints_for_frames(tmp_path):
    robot = beside(tmp_path, GEPETTO.replace("pin_A", "pin_A_end").replace("coupler-pin", "coupler-pin-end"))
    same_as_library(robot)


JOINTS = GEPETTO + "joint_name: [coupler, output]\njoint_type: [{}, {}]\n"


def test_gepetto_changes_joint_types(tmp_path):
    robot = beside(tmp_path, JOINTS.format("SPHERICAL", "UJOINT_ZX"))
    links = {link.name: link for link in robot.description.links}
    assert (links["coupler"].joint.type, links["coupler"].axis) == ("spherical", None)
    assert (links["output"].joint.type, links["output"].axis, links["output"].axis2) == (
        "universal",
        (0, 0, 1),
        (1, 0, 0),
    )
    assert (robot.dof, robot.mobility) == (6, 3)
    close(robot.forward_kinematics(robot.neutral(), "coupler-pin")[:3, 3], [0.15 + 0.13 + 0.1, 0, 0])
    assert beside(tmp_path, JOINTS.format("FIXED", "UJOINT_ZX")).dof == 3


def test_gepetto_motors_that_mimic_others(tmp_path):
    text = four_bar(PIN).replace('link="output"/><', 'link="output"/><mimic joint="crank"/><', 1)
    (tmp_path / "loops.yaml").write_text(GEPETTO.replace('["crank"]', '["crank", "output"]'))
    robot, said = load(tmp_path, text, loops="loops.yaml")
    assert robot.actuated == ["crank"]
    assert "loops.yaml: name_mot: 'output' mimics another joint and is not driven on its own" in said


MISTAKES = {
    "unknown key": (OWN + "links: []\n", "loops.yaml: links: unknown key"),
    "no loops": ("actuated: [crank]\n", "loops.yaml: loops: missing"),
    "a list": ("[1, 2]", "loops.yaml: expected loops: a list, and actuated: the joints that are driven"),
    "not YAML": ("loops: [", "loops.yaml:1: not valid YAML"),
    "an anchor": ("loops: &a []", "loops.yaml:1: not valid YAML: anchors and aliases"),
    "a tag": ("loops: !!python/object/apply:os.system [ls]", "loops.yaml:1: not valid YAML: tags such as"),
    "not UTF-8": ("\udcff", "loops.yaml: not UTF-8 text (byte 0)"),
    "long": (f"loops: [] # {'x' * 1_000_000}", "loops.yaml: the file is too long"),
    "wrong joint": (OWN.replace("revolute", "hinge"), "loops.yaml: loops[0].joint: expected 'revolute'"),
    "wrong link": (OWN.replace("[crank, c", "[crnk, c"), "loops[0].between: loop 'cut': no link is called 'crnk'; did"),
    "wrong motor": (OWN.replace("[crank]", "[crnk]"), "actuated[0]: no moving joint is called 'crnk'; did you mean"),
    "no motors": (OWN.replace("actuated: [crank]", ""), "bar.urdf: actuated: missing"),
    "no pairs": (GEPETTO.replace('["pin_A", "coupler-pin"]', '["pin_A"]'), "loops.yaml: closed_loop[0]: expected two"),
    "wrong type": (GEPETTO.replace("3d", "4d"), "loops.yaml: type[0]: expected '3d', '3D', '6d' or '6D', got '4d'"),
    "many types": (
        GEPETTO.replace('"3d"', '"3d", "3d"'),
        "type: expected 1 entries, as many as closed_loop has",
    ),
    "wrong frame": (GEPETTO.replace("pin_A", "pin_B"), "loops.yaml: loops[0].between: loop 'loop1': no link is called"),
    "wrong motors": (GEPETTO.replace('["crank"]', '["x"]'), "loops.yaml: actuated[0]: no moving joint is called 'x'"),
    "no Gepetto motors": (GEPETTO.partition("name_mot")[0], "loops.yaml: actuated: missing"),
    "unknown Gepetto key": (GEPETTO + "frame: x\n", "loops.yaml: frame: unknown key"),
    "wrong joint name": (
        JOINTS.format("FIXED", "FIXED").replace("[coupler", "[copler"),
        "joint_name: no joint is",
    ),
    "wrong joint type": (JOINTS.format("FIXED", "BALL"), "loops.yaml: joint_type[1]: expected 'FIXED', 'SPHERICAL'"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistakes(tmp_path, case):
    text, message = MISTAKES[case]
    (tmp_path / "loops.yaml").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(redyn.DescriptionError) as caught:
        load(tmp_path, four_bar(PIN), loops="loops.yaml")
    assert message in str(caught.value)


def test_only_from_the_folder_of_the_model_unless_trusted(tmp_path, monkeypatch):
    inside, outside = tmp_path / "model", tmp_path / "other"
    inside.mkdir()
    outside.mkdir()
    (outside / "loops.yaml").write_text(OWN)
    for name in ("../other/loops.yaml", str(outside / "loops.yaml"), outside / "loops.yaml"):
        with pytest.raises(redyn.DescriptionError, match=r"leads outside the folder of the model.*trust='files'"):
            load(inside, four_bar(PIN), loops=name)
        same_as_library(load(inside, four_bar(PIN), loops=name, trust="files")[0])
    (inside / "link.yaml").symlink_to(outside / "loops.yaml")
    with pytest.raises(redyn.DescriptionError, match="leads outside"):
        load(inside, four_bar(PIN), loops="link.yaml")
    (inside / "loops.yaml").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    same_as_library(load(inside, four_bar(PIN), loops="model/loops.yaml")[0])  # from the current folder
    (tmp_path / "package.xml").write_text("<package/>")  # a ROS package
    same_as_library(load(inside, four_bar(PIN), loops="../other/loops.yaml")[0])


@pytest.mark.parametrize("name", ["nothing.yaml", "x\0y", ".", "x" * 5000, ""])
def test_no_such_file(tmp_path, name):
    with pytest.raises(redyn.DescriptionError, match="loops: no such file"):
        load(tmp_path, four_bar(PIN), loops=name)


def test_beside_a_robot_file_in_yaml(tmp_path):
    text = redyn.load("four-bar").to_yaml()
    (tmp_path / "bar.yaml").write_text(text)
    (tmp_path / "loops.yaml").write_text("loops: [{between: [crank, coupler], joint: spherical, at: [0.05, 0, 0]}]")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = redyn.load(tmp_path / "bar.yaml", loops="loops.yaml")
    assert (robot.loops[0].joint, robot.actuated, robot.mobility) == ("spherical", ["crank"], 1)
