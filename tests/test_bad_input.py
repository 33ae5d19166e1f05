"""Every mistake gets a clear error: what, where, and what would be right."""

import datetime

import numpy as np
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
        r"links\[2\]\.inertia: a principal moment is negative.*allow_unphysical",
    ),
    "triangle inequality": (
        edited(2, inertia=[1, 1, 3]),
        r"links\[2\]\.inertia: the largest principal moment exceeds.*unphysical: why",
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
        r"links\[0\]\.xyz: not used with convention 'dh', whose fields are a, b, alpha, theta",
    ),
    "d in the book's DH": (edited(0, d=1), r"links\[0\]\.d: not used with convention 'dh'"),
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
        r"links\[1\]\.joint: damping means nothing",
    ),
    "fixed row without theta": ({**GOOD, "links": [LINK, {**LINK, "joint": "fixed"}]}, r"links\[1\]\.theta: missing"),
    "shape without a type": (edited(0, visual=[{"radius": 1}]), r"links\[0\]\.visual\[0\]\.type: missing; write box"),
    "shapes that are no list": (edited(0, visual={"type": "box"}), r"visual: expected a list of shapes such as"),
    "mimic without a joint": (
        edited(1, joint={"type": "revolute", "mimic": {"offset": 1}}),
        r"mimic\.joint: missing; the name of the joint to follow",
    ),
    "DH and a ball": (
        edited(2, joint="spherical"),
        "a spherical joint needs convention 'frames'",
    ),
    "no pitch": (edited(2, joint="helical"), r"links\[2\]\.joint: pitch is missing"),
    "pitch of a hinge": (edited(2, joint={"type": "revolute", "pitch": 1}), "pitch means nothing for a revolute joint"),
    "limits of a ball": (
        edited(2, joint={"type": "spherical", "limits": [0, 1]}),
        "limits means nothing for a spherical",
    ),
    "short quaternion": (
        edited(2, joint={"type": "spherical", "initial": [0, 0, 0, 0.5]}),
        "the quaternion qx, qy, qz, qw is not of length 1",
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


ZERO = np.zeros(6)
BAD_CALLS = {
    "short": (
        lambda r: r.inverse_dynamics(ZERO[:5], ZERO, ZERO),
        r"q: expected 6 numbers, one per joint \(joint1.*got shape \(5,\)",
    ),
    "long": (lambda r: r.inverse_dynamics(ZERO, np.zeros(7), ZERO), r"qd: expected 6 numbers"),
    "scalar": (lambda r: r.mass_matrix(0.0), r"q: expected 6 numbers.*got shape \(\)"),
    "three dimensions": (lambda r: r.mass_matrix(np.zeros((2, 2, 6))), r"got shape \(2, 2, 6\)"),
    "column": (lambda r: r.mass_matrix(np.zeros((6, 1))), r"got shape \(6, 1\)"),
    "ragged": (lambda r: r.mass_matrix([[0] * 6, [0] * 5]), "rows of different lengths"),
    "text": (lambda r: r.mass_matrix(["0"] * 6), "q: expected real numbers"),
    "complex": (
        lambda r: r.mass_matrix(np.zeros(6, complex)),
        "q: expected real numbers, got values of type complex128",
    ),
    "booleans": (lambda r: r.mass_matrix(np.zeros(6, bool)), "q: expected real numbers"),
    "objects": (lambda r: r.mass_matrix([None] * 6), "q: expected real numbers"),
    "NaN": (lambda r: r.inverse_dynamics(ZERO, ZERO, [0, 0, np.nan, 0, 0, 0]), r"qdd\[2\] is nan"),
    "infinity in a row": (
        lambda r: r.mass_matrix(np.where(np.arange(12).reshape(2, 6) == 9, np.inf, 0)),
        r"q\[1, 3\] is inf",
    ),
    "batches of two sizes": (
        lambda r: r.coriolis_vector(np.zeros((2, 6)), np.zeros((3, 6))),
        "q holds 2 states but qd holds 3",
    ),
    "unknown frame": (lambda r: r.jacobian(ZERO, "link7"), "no frame 'link7'; did you mean 'link"),
    "index too large": (lambda r: r.jacobian(ZERO, 7), "expected an index from 1 to 6, or 0 for the world, got 7"),
    "odd frame": (lambda r: r.jacobian(ZERO, 1.5), "expected a frame's name"),
    "external on an unknown link": (
        lambda r: r.inverse_dynamics(ZERO, ZERO, ZERO, external={"tip": ZERO}),
        "no frame 'tip'",
    ),
    "external of five numbers": (
        lambda r: r.inverse_dynamics(ZERO, ZERO, ZERO, external={"link6": ZERO[:5]}),
        r"external\['link6'\]: expected a wrench",
    ),
    "external is not a mapping": (
        lambda r: r.inverse_dynamics(ZERO, ZERO, ZERO, external=[1]),
        "external: expected {link",
    ),
    "gravity": (lambda r: r.gravity_torque(ZERO, gravity=[0, 0]), "gravity: expected an acceleration"),
    "payload of five numbers": (
        lambda r: r.inverse_dynamics(ZERO, ZERO, ZERO, payload=[1, 2]),
        "payload: expected ten numbers",
    ),
    "method": (
        lambda r: r.forward_dynamics(ZERO, ZERO, ZERO, method="lu"),
        "method: expected 'recursive' or 'cholesky'",
    ),
    "form": (lambda r: r.coriolis_matrix(ZERO, ZERO, form="book"), "form: expected 'mci' or 'christoffel'"),
}


BAD_CALLS |= {
    "threads": (lambda r: r.mass_matrix(ZERO, threads=0), "threads: expected a number from 1"),
    "out of another shape": (
        lambda r: r.mass_matrix(ZERO, out=np.zeros((6, 5))),
        r"out: expected a float64 array of shape \(6, 6\)",
    ),
    "out of another type": (
        lambda r: r.mass_matrix(ZERO, out=np.zeros((6, 6), np.float32)),
        "out: expected a float64 array",
    ),
    "one out for two": (lambda r: r.udu(ZERO, out=np.zeros((6, 6))), "out: expected 2 arrays, got 1"),
    "seed": (lambda r: r.random("a"), "random: expected a generator"),
    "algorithm": (lambda r: r.operation_count("inverse"), "no algorithm is called 'inverse'"),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_calls(case):
    call, message = BAD_CALLS[case]
    with pytest.raises(redyn.InputError, match=message):
        call(redyn.load("puma"))


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("shape", [(6,), (4, 6)])
def test_zero_articulated_inertia_is_named(exact, shape):
    robot = redyn.load("kuka-kr5-printed", exact=exact)
    q = np.random.default_rng(0).uniform(-1, 1, shape)
    for call in (
        lambda: robot.forward_dynamics(q, q, q),
        lambda: robot.forward_dynamics(q, q, q, method="cholesky"),
        lambda: robot.solve(q, q),
        lambda: robot.inverse_mass_matrix(q),
        lambda: robot.udu(q),
    ):
        with pytest.raises(
            redyn.SingularError, match=r"'joint6' moves no inertia.*give link 'link6' inertia.*armature"
        ):
            call()
    assert np.isfinite(robot.inverse_dynamics(q, q, q)).all()


def test_overflow_is_not_called_singular():
    robot = redyn.load("puma")
    huge = np.full(6, 1e200)
    for call in (lambda: robot.inverse_dynamics(ZERO, huge, ZERO), lambda: robot.kinetic_energy(ZERO, huge)):
        with pytest.raises(redyn.RedynError, match="too large to represent"):
            call()
    with pytest.raises(redyn.RedynError, match="too large to represent"):
        robot.forward_dynamics(ZERO, huge, ZERO)
    assert not np.isfinite(robot.inverse_dynamics(ZERO, huge, ZERO, check=False)).all()


@pytest.mark.parametrize("q2", [0.0, np.pi])
def test_a_massless_wrist_is_singular_where_its_axes_align(q2):
    body = {"joint": "revolute", "mass": 1, "com": [0.1, 0.2, 0.3], "inertia": [0.1, 0.11, 0.12]}
    links = [
        {"joint": "revolute", "rpy": [0.3, 0.2, 0.1], "mass": 0},
        {"joint": "revolute", "axis": [0, 1, 0], "mass": 0},
        body,
    ]
    robot = redyn.load({"name": "wrist", "convention": "frames", "links": links})
    good, bad = np.array([0.3, 0.7, 0.2]), np.array([0.3, q2, 0.2])
    tau = robot.inverse_dynamics(good, good, [1, 2, 3])
    np.testing.assert_allclose(robot.forward_dynamics(good, good, tau), [1, 2, 3], atol=1e-9)
    for method in ("recursive", "cholesky"):
        with pytest.raises(redyn.SingularError, match="joint1"):
            robot.forward_dynamics(bad, good, tau, method=method)


def test_payload_on_the_world_is_refused():
    data = {
        **GOOD,
        "links": [{**FIXED, "name": "post"}, {**LINK, "name": "arm", "parent": "world"}],
        "end_effector": "post",
    }
    with pytest.raises(redyn.InputError, match="fixed to the world"):
        redyn.load(data).inverse_dynamics([0], [0], [0], payload=np.zeros(10))


def test_armature_cures_zero_inertia():
    data = redyn.load("kuka-kr5-printed").description.model_dump(exclude_none=True)
    data["links"][5]["joint"]["armature"] = 1e-5
    q = np.ones(6)
    robot = redyn.load(data)
    np.testing.assert_allclose(
        robot.mass_matrix(q) @ robot.forward_dynamics(q, 0 * q, q) + robot.gravity_torque(q), q, atol=1e-9
    )


def test_two_coincident_joints_without_mass_between():
    data = {
        "name": "twin",
        "convention": "frames",
        "links": [
            {"joint": "revolute", "mass": 0},
            {"joint": "revolute", "mass": 1, "com": [1, 0, 0], "inertia": [0, 0.1, 0.1]},
        ],
    }
    robot = redyn.load(data)
    with pytest.raises(redyn.SingularError, match="joint1"):
        robot.forward_dynamics([0.3, 0.4], [0, 0], [1, 1])


def test_trees_must_name_a_tip():
    data = {
        **GOOD,
        "links": [{**LINK, "name": "a"}, {**LINK, "name": "b", "parent": "a"}, {**LINK, "name": "c", "parent": "a"}],
    }
    robot = redyn.load(data)
    with pytest.raises(redyn.InputError, match="several tips"):
        robot.forward_kinematics([0, 0, 0])
    assert redyn.load({**data, "end_effector": "b"}).forward_kinematics([0, 0, 0]).shape == (4, 4)


def test_external_on_the_world_is_refused():
    data = {**GOOD, "links": [{**FIXED, "name": "post"}, {**LINK, "name": "arm"}]}
    robot = redyn.load(data)
    with pytest.raises(redyn.InputError, match="fixed to the world"):
        robot.inverse_dynamics([0], [0], [0], external={"post": np.zeros(6)})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0], [1, 2], 3), "equally long"),
        (([0], [1], 0), "positive"),
        (([0], ["x"], 1), "rows of numbers"),
        (([0], [np.inf], 1), "finite"),
    ],
)
def test_bad_trajectories(arguments, message):
    with pytest.raises(redyn.InputError, match=message):
        redyn.trajectory.cycloidal(*arguments)


@pytest.mark.parametrize("n", [0, -1, 1.5, "3", True])
def test_bad_chains(n):
    with pytest.raises(redyn.InputError, match="whole number"):
        redyn.chain(n)
