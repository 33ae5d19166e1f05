"""redyn doctor: every seeded fault is found and named, sound robots are sound, repairs repair."""

import json

import pytest

import redyn
from commands import command
from faults import ARM, FAULTS
from redyn.description import read
from redyn.description.packages import package_robots
from redyn.verify.doctor.repair import repair

# What is wrong with public robots, by code of the errors; all other robots of the package have none.
KNOWN = {
    "inertia-negative",
    "inertia-triangle",
    "mass-zero",  # Bolt's feet
    "massless-tip",  # Romeo's fingers
    "mimic",  # Alex' hands: joints of other names
}


def examined(folder, text, **options):
    file = folder / "arm.urdf"
    file.write_text(text, "utf-8")
    return redyn.doctor(file, programs=False, **options)


def test_a_sound_robot(tmp_path):
    found = examined(tmp_path, ARM)
    assert found.findings == []
    assert found.healthy
    assert found.robot.dof == 5


@pytest.mark.parametrize("name", FAULTS)
def test_seeded_faults(tmp_path, name):
    """Each is found, with its link or joint, its field and its line."""
    fault = FAULTS[name]
    found = examined(tmp_path, fault.change(ARM))
    hits = [item for item in found.findings if item.code == fault.code and item.name == fault.name]
    assert hits, found.findings
    assert (hits[0].severity == "error") is fault.error
    assert hits[0].what
    if fault.name:
        assert hits[0].line is not None
        assert fault.name in hits[0].where


def test_links_that_carry_each_other_are_no_sides(tmp_path):
    """L and R are axes of Motoman's arms."""
    renamed = ARM.replace('"upper"', '"link_l"').replace('"fore"', '"link_r"')
    assert examined(tmp_path, renamed.replace('"shoulder"', '"joint_l"').replace('"elbow"', '"joint_r"')).findings == []


@pytest.mark.parametrize(
    ("code", "old", "new"),
    [
        ("inertia-large", 'ixx="1e-4" ixy="0" ixz="0" iyy="1e-4"', 'ixx="100" ixy="0" ixz="0" iyy="100"'),
        ("com-outside", 'xyz="0.02 0 0"', 'xyz="20 0 0"'),
    ],
)
def test_a_link_without_shapes_on_one_that_has_some(tmp_path, code, old, new):
    sound = (
        '<link name="camera"><inertial><origin xyz="0.02 0 0"/><mass value="0.3"/>'
        '<inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial></link>'
        '<joint name="bolts" type="fixed"><parent link="fore"/><child link="camera"/></joint></robot>'
    )
    assert examined(tmp_path, ARM.replace("</robot>", sound)).findings == []
    (found,) = examined(tmp_path, ARM.replace("</robot>", sound.replace(old, new))).findings
    assert (found.code, found.name) == (code, "camera")


REPAIRED = (
    "negative mass",
    "mass in grams",
    "negative moment",
    "triangle",
    "inertia in kg mm^2",
    "inertia too small",
    "axes exchanged",
    "inertia about the origin",
    "mass centre outside",
    "mass centre in the world",
    "massless tip",
    "limits exchanged",
    "limits in degrees",
    "negative damping",
    "continuous with limits",
    "axis not unit",
    "no axis",
    "joint far away",
    "mimic of nothing",
    "angle in degrees",
)


@pytest.mark.parametrize("name", REPAIRED)
def test_repairs(tmp_path, name):
    """What was wrong is right afterwards, and everything else is as it was."""
    bad, good = tmp_path / "bad.urdf", tmp_path / "good.urdf"
    bad.write_text(FAULTS[name].change(ARM), "utf-8")
    done, after = repair(bad, good)
    assert FAULTS[name].code in {item.code for item in done}
    assert FAULTS[name].code not in {item.code for item in after.findings}
    assert after.healthy
    assert "redyn doctor: " in good.read_text("utf-8")
    other = "column" if FAULTS[name].name != "column" else "upper"
    (tmp_path / "sound.urdf").write_text(ARM, "utf-8")
    before, now = (read(tmp_path / file) for file in ("sound.urdf", "good.urdf"))
    same = [next(link for link in robot.links if link.name == other) for robot in (before, now)]
    assert same[0] == same[1]


def test_exact_repairs(tmp_path):
    """Units and exchanged values come back to the digit."""
    text = FAULTS["limits in degrees"].change(FAULTS["mass centre in the world"].change(ARM))
    (tmp_path / "bad.urdf").write_text(text, "utf-8")
    repair(tmp_path / "bad.urdf", tmp_path / "good.urdf")
    fore = next(link for link in read(tmp_path / "good.urdf").links if link.name == "fore")
    assert fore.com == pytest.approx((0.2, 0, 0), abs=1e-9)
    assert fore.joint.limits == pytest.approx((-1.5707963, 2.0943951))


def test_a_file_is_not_repaired_onto_itself(tmp_path):
    file = tmp_path / "bad.urdf"
    file.write_text(FAULTS["negative mass"].change(ARM), "utf-8")
    with pytest.raises(redyn.InputError, match="the file itself"):
        repair(file, file)
    with pytest.raises(redyn.InputError, match=r"ends in \.urdf"):
        repair(file, tmp_path / "x.yaml")
    with pytest.raises(redyn.InputError, match="only URDF and xacro"):
        repair("puma", tmp_path / "x.urdf")


def test_several_faults_are_all_reported(tmp_path):
    names = ("negative mass", "triangle", "axis zero", "limits exchanged", "unreachable", "missing mesh")
    text = ARM
    for name in names:
        text = FAULTS[name].change(text)
    found = examined(tmp_path, text)
    assert {FAULTS[name].code for name in names} <= {item.code for item in found.errors}
    assert found.robot is None


def test_ignore(tmp_path):
    text = FAULTS["no effort"].change(ARM)
    assert examined(tmp_path, text).warnings
    assert not examined(tmp_path, text, ignore=["limit-effort"]).findings


def test_meshes_in_millimetres(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    for factor, code in ((1000.0, "mesh-scale"), (1.0, "")):
        trimesh.creation.box((0.4 * factor, 0.06 * factor, 0.08 * factor)).export(tmp_path / "fore.stl")
        text = ARM.replace('<box size="0.4 0.06 0.08"/>', '<mesh filename="fore.stl"/>')
        found = examined(tmp_path, text)
        assert [item.code for item in found.findings] == [code] * bool(code)
        done, after = repair(tmp_path / "arm.urdf", tmp_path / f"out{factor:g}.urdf")
        assert [item.code for item in done] == [code] * bool(code)
        assert after.findings == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in package_robots() if name.startswith("example")] or ["puma"])
def test_no_false_errors_on_public_robots(name):
    found = redyn.doctor(name, programs=False)
    assert found.robot is not None
    assert {item.code for item in found.errors} <= KNOWN


@pytest.mark.slow
def test_no_errors_on_our_own_robots():
    for name in redyn.library():
        found = redyn.doctor(name, programs=False)
        assert found.errors == [], name


def test_other_programs(tmp_path):
    pytest.importorskip("pinocchio")
    pytest.importorskip("mujoco")
    (tmp_path / "arm.urdf").write_text(ARM, "utf-8")
    sound = {item.program: item for item in redyn.doctor(tmp_path / "arm.urdf").programs}
    assert all(item.accepts and not item.differences for item in sound.values())
    assert "mass matrix to" in sound["Pinocchio"].verdict
    (tmp_path / "bad.urdf").write_text(FAULTS["negative moment"].change(ARM), "utf-8")
    bad = {item.program: item for item in redyn.doctor(tmp_path / "bad.urdf").programs}
    assert not bad["MuJoCo"].accepts
    assert bad["MuJoCo"].why.startswith("link fore, inertia")
    (tmp_path / "worse.urdf").write_text(FAULTS["parent missing"].change(ARM), "utf-8")
    worse = {item.program: item for item in redyn.doctor(tmp_path / "worse.urdf").programs}
    assert not worse["Pinocchio"].accepts
    (tmp_path / "bare.urdf").write_text(FAULTS["no mass at all"].change(ARM), "utf-8")
    bare = redyn.doctor(tmp_path / "bare.urdf")
    assert [item.code for item in bare.errors] == ["no-mass"]
    assert "gravity torque to" in next(item for item in bare.programs if item.program == "Pinocchio").verdict


@pytest.mark.parametrize("kind", ["yaml", "xml", "sdf"])
def test_other_formats(tmp_path, kind):
    file = tmp_path / f"arm.{kind}"
    if kind == "yaml":
        link = "{joint: revolute, mass: -1, com: [0, 0, 1], inertia: [1, 1, 1]}"
        text = f"name: arm\nconvention: frames\nlinks: [{link}]\n"
    elif kind == "xml":
        pytest.importorskip("mujoco")
        inertial = '<inertial pos="0 0 1" mass="1" diaginertia="1 1 1"/>'
        body = f'<body><joint name="j"/>{inertial}</body>'
        text = f'<mujoco><option gravity="0 0 9.81"/><worldbody>{body}</worldbody></mujoco>'
    else:
        text = (
            '<sdf version="1.7"><model name="arm"><link name="a"><inertial><mass>-1</mass></inertial></link>'
            '<joint name="j" type="revolute"><parent>world</parent><child>a</child>'
            "<axis><xyz>0 0 1</xyz></axis></joint>"
            "</model></sdf>"
        )
    file.write_text(text, "utf-8")
    found = redyn.doctor(file, programs=False)
    assert ("gravity" if kind == "xml" else "mass-negative") in {item.code for item in found.findings}


def test_commands(tmp_path):
    (tmp_path / "good.urdf").write_text(ARM, "utf-8")
    (tmp_path / "bad.urdf").write_text(FAULTS["negative mass"].change(ARM), "utf-8")
    (tmp_path / "odd.urdf").write_text(FAULTS["no effort"].change(ARM), "utf-8")
    assert command("doctor", tmp_path / "good.urdf", "--no-programs").code == 0
    done = command("doctor", tmp_path / "bad.urdf", "--no-programs")
    assert done.code == 1
    assert "link upper, mass" in done.out
    assert command("doctor", tmp_path / "odd.urdf", "--no-programs").code == 0
    assert command("doctor", tmp_path / "odd.urdf", "--no-programs", "--strict").code == 1
    assert command("doctor", tmp_path / "odd.urdf", "--no-programs", "--strict", "--ignore", "limit-effort").code == 0
    assert command("doctor", tmp_path / "none.urdf").code == 2
    every = command("doctor", *(tmp_path / f"{name}.urdf" for name in ("good", "bad")), "--json", "--no-programs")
    data = [json.loads(line) for line in every.out.splitlines()]
    assert [item["errors"] for item in data] == [0, 1]
    fault = data[1]["findings"][0]
    assert (fault["name"], fault["field"], fault["severity"], fault["line"]) == ("upper", "mass", "error", 17)
    fixed = command("doctor", tmp_path / "bad.urdf", "--no-programs", "--fix", tmp_path / "fixed.urdf")
    assert fixed.code == 0
    assert "left in the new file: 0 errors, 0 warnings" in fixed.out


def test_the_page(browser, tmp_path):
    (tmp_path / "bad.urdf").write_text(FAULTS["negative mass"].change(ARM), "utf-8")
    redyn.doctor(tmp_path / "bad.urdf", programs=False).write(tmp_path / "bad.html")
    page = browser.new_page()
    page.goto((tmp_path / "bad.html").as_uri())
    page.wait_for_selector("html[data-ready=true]")
    assert "link upper, mass (line 17)" in page.get_by_test_id("findings").inner_text()
    assert page.get_by_test_id("bodies").locator("tbody tr").count() == 5
    (tmp_path / "worse.urdf").write_text(FAULTS["parent missing"].change(ARM), "utf-8")
    redyn.doctor(tmp_path / "worse.urdf", programs=False).write(tmp_path / "worse.html")
    page.goto((tmp_path / "worse.html").as_uri())
    page.wait_for_selector("html[data-ready=true]")
    assert "nothing to draw" in page.locator("#views").inner_text()
