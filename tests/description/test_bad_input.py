"""Every mistake gets a clear error: what, where, and what would be right."""

import datetime

import pytest

import redyn
from redyn.description import yaml_file

LINK = {"joint": "revolute", "a": 1, "b": 0, "alpha": 0, "mass": 1, "com": [0, 0, 0], "inertia": [1, 1, 1]}
FIXED = {**LINK, "joint": "fixed", "theta": 0}
GOOD = {"name": "arm", "convention": "dh", "links": [dict(LINK), dict(LINK), dict(LINK)]}


def edited(index, remove=(), **changes):
    """A robot whose link `index` is changed."""
    links = [dict(link) for link in GOOD["links"]]
    links[index].update(changes)
    for key in remove:
        del links[index][key]
    return {**GOOD, "links": links}


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


BAD_ROBOTS = {
    "unknown key of the robot": ({**GOOD, "colour": "red"}, "colour: unknown key"),
    "unknown key of a link": (edited(1, mas=2), r"links\[1\]\.mas: unknown key"),
    "unknown key of a joint": (
        edited(1, joint={"type": "revolute", "friction": 1}),
        r"links\[1\]\.joint\.friction: unknown key",
    ),
    "no name": ({k: v for k, v in GOOD.items() if k != "name"}, "name: missing"),
    "no convention": ({k: v for k, v in GOOD.items() if k != "convention"}, "convention: missing"),
    "no links": ({**GOOD, "links": []}, "links: .*at least 1"),
    "links are not a list": ({**GOOD, "links": 3}, "links: "),
    "unknown convention": ({**GOOD, "convention": "craig"}, "convention: expected 'dh', 'modified-dh' or 'frames'"),
    "no joint": (edited(2, ["joint"]), r"links\[2\]\.joint: missing"),
    "unknown joint": (
        edited(2, joint="hinge"),
        r"links\[2\]\.joint\.type: expected 'revolute', 'prismatic', .*'free' or 'fixed', got 'hinge'",
    ),
    "no mass": (edited(0, ["mass"]), r"links\[0\]\.mass: missing; write the mass in kg"),
    "no mass centre": (edited(0, ["com"]), r"links\[0\]\.com: missing; give com"),
    "no inertia": (edited(0, ["inertia"]), r"links\[0\]\.inertia: missing; six numbers"),
    "no DH parameter": (edited(2, ["alpha"]), r"links\[2\]\.alpha: missing; a revolute joint in dh needs a, b, alpha"),
    "not a number": (edited(1, a="long"), r"links\[1\]\.a: expected a number such as 0.3, 1/12 or 1e-3, got 'long'"),
    "a list for a number": (edited(1, a=[1]), r"links\[1\]\.a: expected a number"),
    "a boolean for a number": (edited(1, mass=True), r"links\[1\]\.mass: expected a number"),
    "code": (edited(1, a="__import__('os').getcwd()"), r"links\[1\]\.a: expected a number"),
    "NaN": (edited(1, mass=float("nan")), r"links\[1\]\.mass: expected a finite number"),
    "infinity": (edited(1, inertia=[1, 1, float("inf")]), r"links\[1\]\.inertia: expected a finite number"),
    "NaN in a vector": (edited(1, com=[0, float("nan"), 0]), r"links\[1\]\.com: expected a finite number"),
    "short vector": (edited(1, com=[0, 1]), r"links\[1\]\.com: expected 3 numbers, x y z, got 2"),
    "text for a vector": (edited(1, com="0 0 1"), r"links\[1\]\.com: expected 3 numbers"),
    "both com and r": (edited(1, r=[0, 0, 0]), r"links\[1\]\.r: give either com"),
    "five numbers of inertia": (edited(2, inertia=[1, 1, 1, 0, 0]), r"links\[2\]\.inertia: expected"),
    "unknown element of inertia": (edited(2, inertia={"xx": 1, "yx": 0}), r"links\[2\]\.inertia: unknown key 'yx'"),
    "unsymmetric inertia": (
        edited(2, inertia=[[1, 2, 0], [0, 1, 0], [0, 0, 1]]),
        r"links\[2\]\.inertia: the tensor is not symmetric",
    ),
    "negative mass": (edited(2, mass=-1), r"links\[2\]\.mass: the mass is negative.*allow_unphysical"),
    "negative inertia": (
        edited(2, inertia=[1, -1, 1]),
        r"links\[2\]\.inertia: a principal moment of inertia is negative.*allow_unphysical",
    ),
    "triangle inequality": (
        edited(2, inertia=[1, 1, 3]),
        r"links\[2\]\.inertia: the largest principal moment of inertia exceeds.*unphysical: why",
    ),
    "unknown parent": (edited(1, name="arm1", parent="elbo"), r"links\[1\]\.parent: no link is called 'elbo'"),
    "parent with a near name": (
        {**edited(1, name="elbow"), "links": [*edited(1, name="elbow")["links"][:2], {**LINK, "parent": "elbo"}]},
        "did you mean 'elbow'",
    ),
    "own parent": (edited(1, name="x", parent="x"), r"links\[1\]\.parent: the parents form a loop: x -> x"),
    "loop": (
        {**GOOD, "links": [{**LINK, "name": "a", "parent": "b"}, {**LINK, "name": "b", "parent": "a"}]},
        "the parents form a loop: a -> b -> a",
    ),
    "duplicate names": (
        {**GOOD, "links": [{**LINK, "name": "a"}, {**LINK, "name": "a"}]},
        r"links\[1\]\.name: 'a' is already used by links\[0\]",
    ),
    "duplicate joint names": (
        {**GOOD, "links": [{**LINK, "joint": {"type": "revolute", "name": "j"}}] * 2},
        r"links\[1\]\.joint\.name: 'j' is already used",
    ),
    "a link called world": (edited(0, name="world"), r"links\[0\]\.name: 'world' is the fixed world"),
    "empty name": (edited(0, name=" "), r"links\[0\]\.name: expected a name"),
    "number for a name": (edited(0, name=3), r"links\[0\]\.name: expected a name"),
    "field of another convention": (
        edited(0, xyz=[0, 0, 0]),
        r"links\[0\]\.xyz: not allowed with convention 'dh', whose fields are a, b, alpha, theta",
    ),
    "d in the book's DH": (edited(0, d=1), r"links\[0\]\.d: not allowed with convention 'dh'"),
    "zero axis": (
        {"name": "a", "convention": "frames", "links": [{"joint": "revolute", "axis": [0, 0, 0], "mass": 0}]},
        r"links\[0\]\.axis: expected a direction",
    ),
    "two initial values": (
        edited(0, theta=1, joint={"type": "revolute", "initial": 2}),
        r"links\[0\]\.theta: theta is the variable",
    ),
    "limits upside down": (
        edited(0, joint={"type": "revolute", "limits": [1, -1]}),
        r"links\[0\]\.joint: limits: the lower one, 1.0, is above",
    ),
    "negative damping": (
        edited(0, joint={"type": "revolute", "damping": -1}),
        r"links\[0\]\.joint\.damping: .*greater than or equal to 0",
    ),
    "negative armature": (edited(0, joint={"type": "revolute", "armature": -1}), r"links\[0\]\.joint\.armature: "),
    "nothing moves": ({**GOOD, "links": [FIXED]}, "links: no joint moves"),
    "unknown end effector": ({**GOOD, "end_effector": "hand"}, "end_effector: no link is called 'hand'"),
    "gravity of two numbers": ({**GOOD, "gravity": [0, 9.81]}, "gravity: expected 3 numbers"),
    "a length in degrees": (
        edited(0, a="3 deg"),
        r"links\[0\]\.a: expected a number such as 0.3, 1/12 or 1e-3, got '3 deg'",
    ),
    "pi degrees": (edited(0, alpha="pi/2 deg"), r"links\[0\]\.alpha: expected a number"),
    "a huge mass": (edited(0, mass=1e300), r"links\[0\]\.mass: expected a number of reasonable size"),
    "no smoothing": (edited(0, joint={"type": "revolute", "smoothing": 1e-170}), r"links\[0\]\.joint\.smoothing"),
    "friction of a fixed joint": (
        {**GOOD, "links": [LINK, {**FIXED, "joint": {"type": "fixed", "damping": 1}}]},
        r"links\[1\]\.joint: damping does not apply",
    ),
    "fixed row without theta": ({**GOOD, "links": [LINK, {**LINK, "joint": "fixed"}]}, r"links\[1\]\.theta: missing"),
    "shape without a type": (edited(0, visual=[{"radius": 1}]), r"links\[0\]\.visual\[0\]\.type: missing; write box"),
    "shapes that are no list": (edited(0, visual={"type": "box"}), r"visual: expected a list of shapes such as"),
    "mimic without a joint": (
        edited(1, joint={"type": "revolute", "mimic": {"offset": 1}}),
        r"mimic\.joint: missing; the name of the joint to mimic",
    ),
    "DH and a ball": (
        edited(2, joint="spherical"),
        "a spherical joint needs convention 'frames'",
    ),
    "no pitch": (edited(2, joint="helical"), r"links\[2\]\.joint: pitch is missing"),
    "pitch of a hinge": (edited(2, joint={"type": "revolute", "pitch": 1}), "pitch does not apply to a revolute joint"),
    "limits of a ball": (
        edited(2, joint={"type": "spherical", "limits": [0, 1]}),
        "limits does not apply to a spherical",
    ),
    "short quaternion": (
        edited(2, joint={"type": "spherical", "initial": [0, 0, 0, 0.5]}),
        "the quaternion qx, qy, qz, qw does not have norm 1",
    ),
    "too few values": (edited(2, joint={"type": "free", "initial": 1}), "a free joint needs x, y, z, qx"),
    "joint is a list": (
        edited(0, joint=["revolute"]),
        r"links\[0\]\.joint: expected revolute, prismatic, fixed or another type",
    ),
    "unphysical without a reason": ({**GOOD, "unphysical": ""}, "unphysical"),
    "nested deeply": (edited(0, com=nested(5000)), r"links\[0\]\.com|nested too deeply"),
    "infinite gravity": ({**GOOD, "gravity": [0, 0, float("-inf")]}, "gravity: expected a finite number"),
}


@pytest.mark.parametrize("case", BAD_ROBOTS)
def test_bad_robots(case):
    data, message = BAD_ROBOTS[case]
    with pytest.raises(redyn.DescriptionError, match=message):
        redyn.load(data)


@pytest.mark.parametrize("day", [datetime.date(2024, 1, 31), datetime.datetime(2024, 1, 31, 12)])
def test_dates_of_python_are_no_numbers(day):
    with pytest.raises(redyn.DescriptionError, match=r"links\[1\]\.a: expected a number .*got datetime"):
        redyn.load(edited(1, a=day))


def test_differences_are_still_numbers():
    assert redyn.load(edited(1, a="2024-1")).description.links[1].a == 2023
    assert redyn.load(edited(1, a="1.5-1-0.25")).description.links[1].a == 0.25


def test_the_good_robot_is_good():
    redyn.load(GOOD)
    redyn.load(edited(2, inertia=[0, 1, 1]))  # a rod
    redyn.load(edited(2, inertia=[1, 1, 2]))  # a disc
    redyn.load(edited(2, mass=0, inertia=[0, 0, 0]))


def test_what_rounding_leaves_of_zero_is_not_unphysical():
    for noise in ([1e-35, -1e-35, 3e-35], [-1e-16, 0, 0], [0, 0, 9e-16]):
        redyn.load(edited(2, inertia=noise))
    for real in ([-1e-14, 0, 0], [0, 0, 1e-14]):
        with pytest.raises(redyn.RedynError, match="principal moment"):
            redyn.load(edited(2, inertia=real))


def test_unphysical_robots_can_be_loaded_on_request():
    data = edited(2, inertia=[1, 1, 3])
    redyn.load(data, allow_unphysical=True)
    redyn.load({**data, "unphysical": "as printed in the table"})


BAD_FILES = {
    "syntax": ("name: [arm", r"bad\.yaml:\d+: not valid YAML"),
    "tab": ("name: a\n\tlinks: 3", "bad.yaml:2: not valid YAML"),
    "duplicate key": ("name: a\nname: b\n", r"bad\.yaml:2: .*the key 'name' appears twice"),
    "alias": ("name: a\ngravity: &g [0,0,0]\nlinks: *g\n", r"bad\.yaml:2: .*aliases"),
    "bomb": ("a: &a [1,1]\nb: &b [*a,*a]\nc: [*b,*b]\n", "aliases"),
    "python object": ("!!python/object/apply:os.getcwd []", "not valid YAML"),
    "a list": ("- 1\n- 2\n", "expected a robot"),
    "empty": ("", "expected a robot"),
    "deep": ("[" * 5000, "not valid YAML"),
    "wrong value": (
        "name: a\nconvention: dh\nlinks:\n  - {joint: revolute, a: x, b: 0, alpha: 0, mass: 0}\n",
        r"bad\.yaml: links\[0\]\.a: expected a number",
    ),
    **{
        f"the tag {tag}": (
            f"name: a\nconvention: dh\nlinks:\n  - {{joint: revolute, a: {tag} x, b: 0, alpha: 0, mass: 0}}\n",
            rf"bad\.yaml:4: not valid YAML: tags such as {tag} are not used in robot files; write the plain value",
        )
        for tag in ("!!bool", "!!timestamp", "!!int", "!!float", "!!str", "!!null", "!!binary", "!mine", "!")
    },
    "a tag of a list": ("name: a\nlinks: !!set {a, b}\n", r"bad\.yaml:2: .*tags such as !!set"),
    "a tag of a mapping": ("!!omap\n- name: a\n", r"bad\.yaml:1: .*tags such as !!omap"),
    "a tag of a key": ("!!bool x: 1\n", r"bad\.yaml:1: .*tags such as !!bool"),
    "a tag by a name of its own": (
        "%TAG !y! tag:yaml.org,2002:\n---\nname: !y!timestamp x\n",
        "tags such as !!timestamp",
    ),
    "a date for a number": (
        "name: a\nconvention: dh\nlinks:\n  - {joint: revolute, a: 2024-01-31, b: 0, alpha: 0, mass: 0}\n",
        r"links\[0\]\.a: expected a number such as 0.3, 1/12 or 1e-3, got '2024-01-31'",
    ),
    "a date for an angle": (
        "name: a\nconvention: dh\nlinks:\n  - {joint: revolute, a: 0, b: 0, alpha: 31-1-2024, mass: 0}\n",
        r"links\[0\]\.alpha: expected a number such as 0.3, pi/2 or 90 deg, got '31-1-2024'",
    ),
    "a date in a vector": (
        "name: a\nconvention: dh\ngravity: [0, 2024-1-1, 0]\nlinks: []\n",
        "gravity: expected a number",
    ),
    "a date": ("name: a\nconvention: dh\nlinks: 2020-01-01\n", "links: expected a list, got str"),
    "octal": (
        "name: a\nconvention: dh\nlinks:\n  - {joint: revolute, a: 0x10, b: 0, alpha: 0, mass: 0}\n",
        r"links\[0\]\.a",
    ),
    "sexagesimal": (
        "name: a\nconvention: dh\nlinks:\n  - {joint: revolute, a: 1:30, b: 0, alpha: 0, mass: 0}\n",
        r"links\[0\]\.a",
    ),
    "merge": ("name: a\nconvention: dh\n<<: {gravity: [0, 0, 0]}\nlinks: []\n", "<<: unknown key"),
    "anchor": ("name: &a b\nconvention: dh\nlinks: []\n", r"bad\.yaml:1: .*anchors"),
    "impossible body": (
        "name: a\nconvention: dh\nlinks:\n"
        "  - {joint: revolute, a: 0, b: 0, alpha: 0, mass: -1, com: [0, 0, 0], inertia: [1, 1, 1]}\n",
        r"bad\.yaml: links\[0\]\.mass: the mass is negative",
    ),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files(tmp_path, case):
    text, message = BAD_FILES[case]
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(redyn.DescriptionError, match=message):
        redyn.load(path)


def test_yaml_has_a_size_that_fits_robots(tmp_path, monkeypatch):
    """Parsing takes a second for every 20,000 values, so that a megabyte of them would take a minute."""
    path = tmp_path / "big.yaml"
    redyn.chain(100).to_yaml(path)
    assert redyn.load(path).dof == 100
    path.write_text("# " + "x" * yaml_file.LARGEST_YAML)
    with pytest.raises(redyn.DescriptionError, match=r"^big\.yaml: the file is too long .* 1,000,002 characters"):
        redyn.load(path)
    monkeypatch.setattr(yaml_file, "MOST_VALUES", 1000)
    redyn.chain(100).to_yaml(path, force=True)
    with pytest.raises(redyn.DescriptionError, match=r"^big\.yaml:\d+: .*more than 1,000 values"):
        redyn.load(path)


def test_bad_sources(tmp_path):
    with pytest.raises(redyn.DescriptionError, match="did you mean 'stanford'"):
        redyn.load("stanfrd")
    with pytest.raises(redyn.DescriptionError, match="neither a robot of the library nor a file"):
        redyn.load(tmp_path)
    with pytest.raises(redyn.DescriptionError, match=r"neither a robot of the library nor a file|cannot be read"):
        redyn.load("x" * 5000)
    with pytest.raises(redyn.DescriptionError, match="not the text of a file"):
        redyn.load("name: a\nlinks: []")
    with pytest.raises(redyn.DescriptionError, match="library name, a path or a dict"):
        redyn.load(3)  # type: ignore[arg-type]
    binary = tmp_path / "robot.yaml"
    binary.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(redyn.DescriptionError, match="not UTF-8"):
        redyn.load(binary)
    other = tmp_path / "robot.txt"
    other.write_text("name: a")
    with pytest.raises(redyn.DescriptionError, match=r"\.yaml"):
        redyn.load(other)


@pytest.mark.parametrize("n", [0, -1, 1.5, "3", True])
def test_bad_chains(n):
    with pytest.raises(redyn.InputError, match="whole number"):
        redyn.chain(n)
