"""Uploads of the studio: read in a process of its own, within bounds, and gone when they are refused."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

import redyn
from redyn.studio import inbox, reader, takeaway, uploads, work
from redyn.studio.state import State
from redyn.studio.uploads import UploadError

# --- uploads ----------------------------------------------------------------------------------------------------

URDF = b"""<robot name="pendulum"><link name="base"/><link name="rod"><inertial>
<origin xyz="0 0 -0.5"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/>
</inertial></link>
<joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>"""


def zipped(entries, **attributes):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in entries.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            for key, value in attributes.items():
                setattr(entry, key, value)
            packed.writestr(entry, content)
    return buffer.getvalue()


@pytest.fixture
def state():
    made = State.first("two-link")
    yield made
    made.close()


def test_upload_of_a_robot(state):
    state.upload_robot("../../pendulum.urdf", URDF)
    assert state.robot.name == "pendulum"
    state.upload_robot("arm.yaml", redyn.load("puma").to_yaml().encode())
    assert state.robot.dof == 6
    assert all(path.resolve().is_relative_to(state.folder.resolve()) for path in state.folder.rglob("*"))
    assert state.folder.stat().st_mode & 0o077 == 0
    state.editor.undo()
    assert state.follow_editor()
    assert state.robot.name == "pendulum"


def test_a_tree_gets_an_end_effector(state, tmp_path):
    """Most URDF files have several tips: a frame at the base, a tool, fingers."""
    extra = b"""<link name="mark"/><joint name="m" type="fixed"><parent link="base"/><child link="mark"/></joint>
    <link name="tool"/><joint name="t" type="fixed"><parent link="rod"/><child link="tool"/></joint></robot>"""
    urdf = URDF.replace(b"</robot>", extra)
    state.upload_robot("arm.urdf", urdf)
    (tmp_path / "arm.urdf").write_bytes(urdf)
    for found in (state, State.first(tmp_path / "arm.urdf")):
        assert found.robot.model.end_effector == "tool"
        assert "tool is taken for the end effector" in found.notes[0]
    assert state.run_inverse().path.shape[1] == 3
    state.editor.set_field("end_effector", "mark")
    assert state.follow_editor()
    assert state.robot.model.end_effector == "mark"


def test_the_equations_leave_the_motion_as_it_was(state):
    """A robot falls, is stopped in mid-air, and its matrices are read there."""
    state.choose("forward")
    state.forward = work.forward(lambda part, note: None, *state.forward_order())
    state.show_time(2.5)
    state.time = 2.5
    state.choose("equations")
    run = state.forward.runs[0].run
    assert state.played is run
    np.testing.assert_array_equal(state.q, run.q[500])
    names = executed(state.python())
    np.testing.assert_array_equal(names["qd"], run.qd[500])
    assert np.abs(names["qd"]).max() > 0.1
    assert state.html()[0].endswith("-forward.html")
    state.choose("inverse")
    assert state.played is state.inverse


def test_python_is_of_what_is_shown_not_of_what_is_typed(state):
    state.run_inverse()
    state.tab = "forward"
    state.run.compare = "method:rk4"
    state.forward = work.forward(lambda part, note: None, *state.forward_order())
    before = state.python()
    state.run.set_duration("0.25")
    state.run.compare, state.motion.duration = "", "0.25"
    assert state.python() == before
    assert "'rk4'" in before
    state.tab = "inverse"
    assert "0.25" not in state.python()


def test_usual_gains_suit_light_and_heavy_robots(state):
    """The fingers of the gripper weigh grams: gains in Nm would make them tremble for minutes."""
    for name in ("gripper", "puma"):
        state.pick(name)
        state.tab, state.run.drive = "forward", "pd"
        state.run.set_duration("2")
        run = work.forward(lambda part, note: None, *state.forward_order()).runs[0].run
        assert run.steps < 5000
        np.testing.assert_allclose(run.q[-1], state.run.plan(state.robot, state.motion).target, atol=0.05)


def test_upload_of_a_zip_with_meshes(state):
    state.upload_robot("robot.zip", zipped({"arm/arm.urdf": URDF, "arm/meshes/rod.stl": b"solid", "arm/a.exe": b"x"}))
    assert state.robot.name == "pendulum"
    assert (state.robot.description.folder / "meshes" / "rod.stl").is_file()
    assert not list(state.folder.rglob("*.exe"))


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("arm.txt", b"hello", "arm.txt: expected a .yaml, .urdf"),
        ("arm.urdf", b"", "arm.urdf: the file is empty"),
        ("arm.urdf", b"<robot", "arm.urdf"),
        ("arm.yaml", b"name: [", "arm.yaml"),
        ("arm.yaml", b"\xff\xfe\x00", "arm.yaml: not UTF-8"),
        ("arm.urdf", b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="a">&x;</robot>', "arm.urdf"),
        ("big.urdf", b" " * (uploads.LARGEST + 1), "larger than 50 MB"),
        ("a.zip", b"PK\x03\x04 no zip", "cannot be unpacked"),
        ("a.zip", zipped({"../evil.urdf": URDF}), "leads out of the archive"),
        ("a.zip", zipped({"/etc/evil.urdf": URDF}), "leads out of the archive"),
        ("a.zip", zipped({"C:/evil.urdf": URDF}), "leads out of the archive"),
        ("a.zip", zipped({"x\\..\\..\\evil.urdf": URDF}), "leads out of the archive"),
        ("a.zip", zipped({"link.urdf": b"/etc/passwd"}, external_attr=0o120777 << 16), "no plain file"),
        ("a.zip", zipped({f"{k}.stl": b"" for k in range(uploads.MOST_FILES + 1)}), "more than 2000 files"),
        ("a.zip", zipped({"a.urdf": URDF, "b.urdf": URDF}), "several robots"),
        ("a.zip", zipped({"readme.md": b"hello"}), "no .urdf"),
    ],
)
def test_bad_uploads(state, name, data, message):
    before = state.robot
    with pytest.raises(redyn.RedynError) as caught:
        state.upload_robot(name, data)
    assert message in str(caught.value)
    assert str(state.folder) not in str(caught.value)
    assert state.robot is before


def test_a_zip_bomb(state, monkeypatch):
    monkeypatch.setattr(uploads, "LARGEST_UNPACKED", 10_000_000)
    with pytest.raises(redyn.RedynError, match="when unpacked"):
        state.upload_robot("a.zip", zipped({"a.stl": bytes(6_000_000), "b.stl": bytes(6_000_000)}))


def test_too_many_joints(state):
    with pytest.raises(redyn.RedynError, match="at most 150"):
        state.upload_robot("long.yaml", redyn.chain(151).to_yaml().encode())


