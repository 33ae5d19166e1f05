"""Angles whose unit is doubtful get a hint with the place and the cure; sensible robots get none."""

import warnings

import pytest

import redyn
from redyn.cli.options import positions
from redyn.description.packages import robots_folder

LINK = {"joint": "revolute", "a": 1, "b": 0, "alpha": 0, "mass": 1, "com": [0, 0, 0], "inertia": [1, 1, 1]}
FRAME = {"joint": "revolute", "mass": 1, "com": [0, 0, 0], "inertia": [1, 1, 1]}


def robot(link, convention="dh"):
    return {"name": "arm", "convention": convention, "links": [dict(LINK if convention == "dh" else FRAME), link]}


def joint(kind="revolute", **fields):
    return {**FRAME, "joint": {"type": kind, **fields}}


DOUBTFUL = {
    "alpha": (robot({**LINK, "alpha": 90}), r"links\[1\]\.alpha: 90 is taken as radians \(14\.3 turns\); write 90 deg"),
    "text": (robot({**LINK, "alpha": "-90"}), r"links\[1\]\.alpha: -90 .*write -90 deg for degrees, or -90 rad"),
    "initial theta": (robot({**LINK, "theta": 180}), r"links\[1\]\.theta: 180 "),
    "theta of a slide": (robot({**LINK, "joint": "prismatic", "b": None, "theta": 180}), r"links\[1\]\.theta: 180 "),
    "rpy": (robot({**FRAME, "rpy": [0, 0, 90]}, "frames"), r"links\[1\]\.rpy\[2\]: 90 "),
    "limits": (robot(joint(limits=[-170, 170]), "frames"), r"links\[1\]\.joint\.limits\[0\]: -170 .*\(and 1 more\)"),
    "one limit": (robot(joint(limits=[0, 45]), "frames"), r"links\[1\]\.joint\.limits\[1\]: 45 "),
    "offset": (robot(joint(offset=90), "frames"), r"links\[1\]\.joint\.offset: 90 "),
    "initial": (robot(joint(initial=[30]), "frames"), r"links\[1\]\.joint\.initial: 30 "),
    "screw": (robot(joint("helical", pitch=0.1, initial=90), "frames"), r"links\[1\]\.joint\.initial: 90 "),
    "one of several": (robot(joint("planar", initial=[9, 9, 90]), "frames"), r"links\[1\]\.joint\.initial\[2\]: 90 "),
    "follower": (
        robot(joint(mimic={"joint": "joint1", "offset": 90}), "frames"),
        r"links\[1\]\.joint\.mimic\.offset: 90 ",
    ),
    "shape": (
        robot({**FRAME, "visual": [{"type": "sphere", "radius": 1, "rpy": [90, 0, 0]}]}, "frames"),
        r"links\[1\]\.visual\[0\]\.rpy\[0\]: 90 ",
    ),
    "degrees of a slide": (
        robot(joint("prismatic", limits=[0, "90 deg"]), "frames"),
        r"links\[1\]\.joint\.limits\[1\]: '90 deg' is not a length; it is taken as 1.5708 m",
    ),
}


def load_quietly(source, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", redyn.RedynWarning)
        return redyn.load(source, **options)


@pytest.mark.parametrize("case", DOUBTFUL)
def test_doubtful_units_are_told(case, tmp_path):
    data, message = DOUBTFUL[case]
    with pytest.warns(redyn.RedynWarning, match=f"^arm: {message}"):
        loaded = redyn.load(data, mimic="couple")
    # saved with its unit, it is in doubt no more
    path = tmp_path / "saved.yaml"
    loaded.to_yaml(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert redyn.load(path, mimic="couple").description == loaded.description


def test_the_file_is_named(tmp_path):
    path = tmp_path / "arm.yaml"
    path.write_text("name: x\nconvention: dh\nlinks:\n  - {joint: revolute, a: 1, b: 0, alpha: 90, mass: 0}\n")
    with pytest.warns(redyn.RedynWarning, match=r"^arm\.yaml: links\[0\]\.alpha: 90 is taken as radians"):
        redyn.load(path)


CLEAR = [
    robot({**LINK, "alpha": "90 deg"}),
    robot({**LINK, "alpha": "90 rad"}),
    robot({**LINK, "alpha": "7*pi"}),
    robot({**LINK, "alpha": 6.2832}),
    robot({**LINK, "a": 90, "b": 360}),
    robot(joint(limits=[-10, 10]), "frames"),
    robot(joint(limits=[-31.4159, 62.8319]), "frames"),
    robot(joint(limits=["-20*pi", "170 rad"]), "frames"),
    robot(joint(limits=[-999999, 1e16]), "frames"),
    robot(joint("prismatic", limits=[-170, 170], offset=90, initial=45), "frames"),
    robot(joint("free", initial=[90, 90, 90, 0, 0, 0, 1]), "frames"),
    robot(joint("planar", initial=[90, 90, 1]), "frames"),
]


@pytest.mark.parametrize("data", CLEAR)
def test_what_is_clear_is_not_doubted(data):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        redyn.load(data)


@pytest.mark.parametrize("name", redyn.library())
def test_no_robot_of_the_library_is_doubted(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        redyn.load(name)


def test_no_public_robot_is_doubted():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for path in sorted(robots_folder().rglob("*.urdf")):
            try:
                redyn.description.read(path)
            except redyn.DescriptionError:
                continue
    assert not [str(warning.message) for warning in caught if "radians" in str(warning.message)]
    assert len(caught) < 40  # most of them are quiet


ARM = """<robot name="r">
<link name="base"/>
<link name="arm"><inertial><origin rpy="{inertial}"/><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><origin rpy="{visual}"/><geometry><sphere radius="1"/></geometry></visual></link>
<joint name="turn" type="{kind}"><parent link="base"/><child link="arm"/>
<origin rpy="{place}"/>
<limit {limits}/></joint></robot>"""
PLAIN = {"inertial": "0 0 0", "visual": "0 0 0", "place": "0 0 0", "kind": "revolute", "limits": 'lower="-1" upper="1"'}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"limits": 'lower="-170" upper="170"'},
            r"arm\.urdf:8: limits of joint 'turn' are -170 and 170; URDF uses radians",
        ),
        ({"limits": 'upper="90"'}, r"arm\.urdf:8: limits of joint 'turn' are 0 and 90"),
        ({"place": "0 0 90"}, r"arm\.urdf:7: <origin rpy=...> has 90, more than a turn; URDF uses radians"),
        ({"inertial": "180 0 0"}, r"arm\.urdf:3: <origin rpy=...> has 180"),
        ({"visual": "0 -90 0"}, r"arm\.urdf:5: <origin rpy=...> has -90"),
    ],
)
def test_degrees_in_urdf(tmp_path, changes, message):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM.format(**PLAIN | changes))
    with pytest.warns(redyn.RedynWarning, match=message):
        redyn.load(path)


@pytest.mark.parametrize("changes", [{}, {"kind": "prismatic", "limits": 'upper="90"'}, {"limits": 'upper="1e16"'}])
def test_radians_in_urdf(tmp_path, changes):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM.format(**PLAIN | changes))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        redyn.load(path)


def test_degrees_in_a_pose():
    arm = redyn.load("three-link")
    with pytest.warns(redyn.RedynWarning, match="pose: 90 is taken as radians"):
        arm.attach(arm, pose=([0, 0, 0], [0, 0, 90]))


@pytest.mark.parametrize(
    ("robot", "text", "told"),
    [
        ("puma", "0, 90, 0, 0, 0, 0", True),
        ("puma", "90", True),
        ("puma", "90 deg", False),
        ("puma", "0, 90 rad, 0, 0, 0, 0", False),
        ("puma", "3*pi", False),
        ("puma", "1 2 3 4 5 6", False),
        ("stanford", "0 0 90 0 0 0", False),  # which slides
        ("dual-arm-satellite", "90 90 90 0 0 0 1 0 0 0 0 0 0", False),  # a place
    ],
)
def test_degrees_on_the_command_line(robot, text, told):
    loaded = redyn.load(robot)
    if "," not in text and len(text.split()) > 2:
        text = " ".join(text.split()[: loaded.nq]) + " 0" * (loaded.nq - len(text.split()))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        values = positions("--q", text, loaded)
    assert len(values) == loaded.nq
    assert [str(warning.message).startswith("--q: 90 is taken as radians; write 90 deg") for warning in caught] == [
        True
    ] * told
