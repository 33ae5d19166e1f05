"""Uploads of the studio: read in processes of their own, within bounds, and gone when they are refused."""

import io
import json
import struct
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import trimesh

import redyn
from redyn.report.scene import scene
from redyn.studio import code, inbox, keep, takeaway, uploads, work
from redyn.studio import readers as readers_module
from redyn.studio.opening import open_source
from redyn.studio.prepared import load_meshes
from redyn.studio.readers import Readers
from redyn.studio.state import State
from studio_files import URDF, Here, put, upload_motion, upload_robot, upload_torque, zipped

MESHED = URDF.replace(
    b"</inertial></link>",
    b'</inertial><visual><geometry><mesh filename="package://pend/meshes/rod.stl"/></geometry></visual></link>',
)


def stl():
    return trimesh.creation.box(extents=(0.1, 0.2, 1.0)).export(file_type="stl")


def glb(header, blob=b"\0\0\0\0"):
    text = json.dumps({"asset": {"version": "2.0"}, **header}).encode()
    text += b" " * (-len(text) % 4)
    body = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(blob), b"BIN\0") + blob
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


BOMB = {
    "buffers": [{"byteLength": 4}],
    "bufferViews": [{"buffer": 0, "byteLength": 4}],
    "accessors": [
        {"componentType": 5126, "type": "VEC3", "count": 400_000_000},
        {"componentType": 5125, "type": "SCALAR", "count": 3},
    ],
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
    "nodes": [{"mesh": 0}],
    "scenes": [{"nodes": [0]}],
    "scene": 0,
}


@pytest.fixture
def state():
    made = State.first("two-link")
    yield made
    made.close()


@pytest.fixture(scope="module")
def readers():
    made = Readers(seconds=300.0)  # only what hangs takes so long
    made.warm_up()
    yield made
    made.close()


# --- robots -----------------------------------------------------------------------------------------------------


def test_upload_of_a_robot(state):
    upload_robot(state, "../../pendulum.urdf", URDF)
    assert state.robot.name == "pendulum"
    puma = redyn.load("puma")
    upload_robot(state, "arm.yaml", puma.to_yaml().encode())
    assert state.robot.description == puma.description
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
    upload_robot(state, "arm.urdf", urdf)
    (tmp_path / "arm.urdf").write_bytes(urdf)
    for found in (state, State.first(tmp_path / "arm.urdf")):
        assert found.robot.model.end_effector == "tool"
        assert "tool is taken as the end effector" in found.notes[0]
    assert state.run_inverse().path.shape[1] == 3
    state.editor.set_field("end_effector", "mark")
    assert state.follow_editor()
    assert state.robot.model.end_effector == "mark"


def test_upload_of_a_zip_with_meshes(state):
    """A ROS folder without its package.xml; the meshes that the page draws are those that the reader left."""
    files = {"pend/urdf/arm.urdf": MESHED, "pend/meshes/rod.stl": stl(), "pend/a.exe": b"x"}
    upload_robot(state, "robot.zip", zipped(files))
    assert state.warnings == []
    assert not list(state.folder.rglob("*.exe"))
    shown = state.run_inverse().scene["shapes"]
    assert [mesh[0]["triangles"] for mesh in shown["meshes"]] == [12]
    for path in state.folder.rglob("*.stl"):
        path.unlink()  # nobody opens it again
    assert state.run_inverse().scene["shapes"] == shown
    state.run.set_duration("0.1")
    done = work.forward(lambda part, note: None, state.forward_order())
    assert done.runs[0].scene["shapes"] == shown
    state.forward, state.tab = done, "forward"
    assert b"<html" in takeaway.report(state)[1]


@pytest.mark.parametrize("place", ["urdf/arm.urdf", "arm.urdf", "deep/er/urdf/arm.urdf"])
@pytest.mark.parametrize("meshes", ["meshes", "pend/meshes", "src/pend/meshes"])
def test_packages_are_found_by_name_or_without_it(state, place, meshes):
    upload_robot(state, "robot.zip", zipped({place: MESHED, f"{meshes}/rod.stl": stl()}))
    assert len(state.run_inverse().scene["shapes"]["meshes"]) == 1


def test_nothing_above_the_upload_is_found(state):
    """Not through a package.xml that lies above it, nor by names with dots."""
    outside = state.folder / "pend"
    (outside / "meshes").mkdir(parents=True)
    (outside / "meshes" / "rod.stl").write_bytes(stl())
    for folder in (state.folder, outside):
        (folder / "package.xml").write_text("<package/>")
    for name in (b"package://pend/meshes/rod.stl", b"../pend/meshes/rod.stl", b"../../pend/meshes/rod.stl"):
        urdf = MESHED.replace(b"package://pend/meshes/rod.stl", name)
        for file, data in (("arm.urdf", urdf), ("arm.zip", zipped({"arm.urdf": urdf}))):
            upload_robot(state, file, data)
            assert state.run_inverse().scene["shapes"]["meshes"] == []
            assert "drawn from the model" in state.warnings[0]
            assert str(state.folder) not in "".join(state.warnings)


def test_mjcf_stays_in_its_upload(state):
    pytest.importorskip("mujoco")
    (state.folder / "rod.stl").write_bytes(stl())
    (state.folder / "package.xml").write_text("<package/>")
    body = '<body><joint/><geom type="mesh" mesh="m"/></body>'
    text = f'<mujoco><asset><mesh name="m" file="{{}}"/></asset><worldbody>{body}</worldbody></mujoco>'
    with pytest.raises(redyn.RedynError, match="not allowed") as caught:
        upload_robot(state, "arm.xml", text.format("../rod.stl").encode())
    assert str(state.folder) not in str(caught.value)
    files = {"robot/mjcf/arm.xml": text.format("../meshes/rod.stl"), "robot/meshes/rod.stl": stl()}
    upload_robot(state, "arm.zip", zipped(files))
    shape = state.robot.description.links[0].visual[0]
    assert shape.file == "../meshes/rod.stl"
    assert len(state.run_inverse().scene["shapes"]["meshes"]) == 1
    with pytest.raises(redyn.RedynError, match="MuJoCo does not accept it") as caught:
        upload_robot(state, "arm.xml", text.format("nothing.stl").encode())
    assert str(state.folder) not in str(caught.value)


def test_an_archive_with_several_robots(state):
    """The likeliest is opened; the others can be chosen, each with its own meshes."""
    two = {
        "bots/a.urdf": MESHED.replace(b"pendulum", b"first").replace(b"rod.stl", b"a.stl"),
        "bots/b.urdf": MESHED.replace(b"pendulum", b"second"),
        "bots/meshes/rod.stl": stl(),
        "bots/meshes/a.stl": stl(),
        "bots/settings.yaml": b"rate: 100\n",
        "bots/package.xml": b"<package/>",
    }
    opened = upload_robot(state, "bots.zip", zipped(two))
    assert (state.robot.name, opened.robots, opened.chosen) == ("first", ["bots/a.urdf", "bots/b.urdf"], "bots/a.urdf")
    first = state.robot.description
    again = inbox.open_robot(Here(), opened.meshes.parent / opened.archive, "bots/b.urdf")
    state.open(again)
    assert state.robot.name == "second"
    assert len(state.run_inverse().scene["shapes"]["meshes"]) == 1
    state.editor.undo()
    assert state.follow_editor()
    assert state.robot.description == first
    assert len(state.run_inverse().scene["shapes"]["meshes"]) == 1
    with pytest.raises(redyn.RedynError, match="contains no robot"):
        inbox.open_robot(Here(), opened.meshes.parent / opened.archive, "../../x.urdf")
    upload_robot(state, "b.zip", zipped(two))
    assert state.robot.name == "second"  # named as the archive


def test_notes_are_of_the_robot_that_is_shown(state):
    """Through undo and redo, too, and the list of robots is that of its own upload."""
    bare, meshed = zipped({"a.urdf": MESHED}), {"a.urdf": MESHED, "b.urdf": MESHED, "meshes/rod.stl": stl()}
    upload_robot(state, "bare.zip", bare)
    said = state.notes
    assert "rod.stl: no such mesh" in said[0]
    upload_robot(state, "whole.zip", zipped({**meshed, "b.urdf": MESHED.replace(b"pendulum", b"other")}))
    state.open(open_source("puma"))
    assert state.archive is None
    state.editor.undo()
    assert state.follow_editor()
    assert (state.notes, state.archive.archive) == ([], "whole.zip")
    state.editor.set_cell(1, "mass", "2")
    assert state.follow_editor()
    assert (state.notes, state.archive.archive) == ([], "whole.zip")
    for _ in range(2):
        state.editor.undo()
        assert state.follow_editor()
    assert state.notes == said
    assert state.archive.archive == "bare.zip"
    assert state.wanted is None


def test_meshes_come_back_to_the_robot_that_they_are_of(state):
    """After a restart: to the one that was chosen, and not those of another upload."""
    two = {"p/a.urdf": MESHED, "q/b.urdf": MESHED.replace(b"rod.stl", b"own.stl").replace(b"pendulum", b"second")}
    two |= {"p/meshes/rod.stl": stl(), "q/meshes/own.stl": stl()}
    opened = upload_robot(state, "two.zip", zipped(two))
    state.open(inbox.open_robot(Here(), opened.meshes.parent / opened.archive, "q/b.urdf"))
    back = State.first("one-link")
    keep.restore(back, json.loads(json.dumps(keep.snapshot(state))))
    path = put(back, "two.zip", zipped(two))
    back.rejoin(inbox.open_robot(Here(), path, back.origin.chosen))
    assert back.robot.name == "second"
    assert len(back.run_inverse().scene["shapes"]["meshes"]) == 1
    assert back.archive.chosen == "q/b.urdf"
    with pytest.raises(redyn.RedynError, match=r"other.zip is not the file that second comes from"):
        back.rejoin(inbox.open_robot(Here(), put(back, "other.zip", zipped({"a.urdf": MESHED}))))
    assert back.archive.chosen == "q/b.urdf"
    back.close()


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("arm.txt", b"hello", "arm.txt: expected a .yaml, .urdf"),
        ("arm.urdf", b"<robot", "arm.urdf"),
        ("arm.yaml", b"name: [", "arm.yaml"),
        ("arm.yaml", b"\xff\xfe\x00", "arm.yaml: not UTF-8"),
        ("arm.yaml", b"x: " + b"1" * 1_000_001, "too long for a robot in YAML"),
        ("arm.urdf", b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="a">&x;</robot>', "arm.urdf"),
        ("a.zip", b"PK\x03\x04 no zip", "cannot be unpacked"),
        ("a.zip", zipped({"../evil.urdf": URDF}), "leads out of the archive"),
        ("a.zip", zipped({"/etc/evil.urdf": URDF}), "leads out of the archive"),
        ("a.zip", zipped({"C:/evil.urdf": URDF}), "leads out of the archive"),
        ("a.zip", zipped({"x\\..\\..\\evil.urdf": URDF}), "leads out of the archive"),
        ("a.zip", zipped({"link.urdf": b"/etc/passwd"}, external_attr=0o120777 << 16), "not a regular file"),
        ("a.zip", zipped({f"{k}.stl": b"" for k in range(uploads.MOST_FILES + 1)}), "more than 2000 files"),
        ("a.zip", zipped({"a.urdf": URDF, "a.urdf/b.stl": b""}), "cannot be unpacked"),
        ("a.zip", zipped({"readme.md": b"hello", "package.xml": b"<package/>"}), "no .urdf"),
        ("a.zip", zipped({"urdf/arm.urdf.xacro": b"<robot/>"}), "xacro arm.urdf.xacro > arm.urdf"),
        ("long.yaml", redyn.chain(151).to_yaml().encode(), "at most 150"),
        ("nested.csv", b"t,q\n0,0", "nested.csv: expected a .yaml"),
    ],
)
def test_refused_uploads_leave_nothing(state, name, data, message):
    before = state.robot
    with pytest.raises(redyn.RedynError) as caught:
        upload_robot(state, name, data)
    assert message in str(caught.value)
    assert str(state.folder) not in str(caught.value)
    assert state.robot is before
    assert list(state.folder.iterdir()) == []


def test_a_zip_bomb(state, monkeypatch):
    monkeypatch.setattr(uploads, "LARGEST_UNPACKED", 10_000_000)
    with pytest.raises(redyn.RedynError, match="when unpacked"):
        upload_robot(state, "a.zip", zipped({"a.stl": bytes(6_000_000), "b.stl": bytes(6_000_000)}))
    assert list(state.folder.iterdir()) == []


def test_uploads_of_long_ago_are_removed(state):
    folders = [upload_robot(state, "arm.urdf", URDF).meshes.parent for _ in range(6)]
    inbox.tidy(state.folder, {folders[0]})
    assert [folder.is_dir() for folder in folders] == [True, False, False, True, True, True]


def test_meshes_that_are_gone_are_said_to_be(state):
    upload_robot(state, "robot.zip", zipped({"arm.urdf": MESHED, "meshes/rod.stl": stl()}))
    state.meshes.unlink()
    assert len(load_meshes(state.meshes).parts) == 0
    with pytest.warns(redyn.RedynWarning, match="no such mesh"):
        assert state.run_inverse().scene["shapes"]["meshes"] == []


# --- warnings of loading ----------------------------------------------------------------------------------------


MIMIC = b"""<robot name="grip"><link name="base"/>%s</robot>""" % b"".join(
    b"""<link name="f%d"><inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>
    </inertial></link><joint name="j%d" type="prismatic"><parent link="base"/><child link="f%d"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/>%s</joint>"""
    % (k, k, k, b'<mimic joint="j1"/>' if k == 2 else b"")
    for k in (1, 2)
)


def test_warnings_are_shown_wherever_a_robot_comes_from(state, tmp_path):
    for name, data, words in (
        ("grip.urdf", MIMIC, "mimics 'j1'"),
        ("arm.urdf", MESHED, "no such mesh"),
    ):
        (tmp_path / name).write_bytes(data)
        begun = State.first(tmp_path / name)
        upload_robot(state, name, data)
        for found in (begun, state):
            assert any(words in warning for warning in found.warnings), found.warnings
            assert not any(str(folder) in note for note in found.notes for folder in (tmp_path, state.folder))
    assert len(State.first("kuka-kr5").notes) == len(open_source("kuka-kr5").description.defects) > 0


# --- tables -----------------------------------------------------------------------------------------------------


def test_a_long_file_is_not_written_out_as_python(state, monkeypatch):
    upload_motion(state, "m.csv", b"t,q_joint1,q_joint2\n0,0,0\n1,1,1\n2,1,0\n")
    assert "[1.0, 0.0]" in takeaway.python(state)
    monkeypatch.setattr(code, "MOST_NUMBERS", 5)
    with pytest.raises(redyn.RedynError, match="a file of 6 numbers is too long to be written out as Python"):
        takeaway.python(state)


def test_what_goes_out_as_csv_comes_back(state):
    """All columns of a motion, and each plot's: exactly, by their names."""
    state.motion.duration = "0.5"
    before = state.run_inverse()
    name, text = takeaway.motion_csv(state)
    assert name == "two-link-inverse.csv"
    upload_motion(state, name, text.encode())
    for kind in ("t", "q", "qd", "qdd"):
        np.testing.assert_array_equal(getattr(state.motion.samples, kind), getattr(before, kind))
    again = state.run_inverse()
    np.testing.assert_allclose(again.tau, before.tau, atol=1e-9)
    upload_torque(state, name, text.encode())
    np.testing.assert_array_equal(state.run.table.q, before.tau)
    for key, form in (("q", upload_motion), ("torque", upload_torque)):
        form(state, f"{key}.csv", takeaway.plot_csv(state, "inverse", key)[1].encode())
    np.testing.assert_array_equal(state.motion.samples.q, before.q)
    np.testing.assert_array_equal(state.run.table.q, again.tau)
    state.run.drive, state.run.compare, state.tab = "none", "method:rk4", "forward"
    state.run.set_duration("0.5")
    state.forward = work.forward(lambda part, note: None, state.forward_order())
    run = state.forward.runs[0].run
    for text in (takeaway.motion_csv(state)[1], takeaway.plot_csv(state, "forward", "q")[1]):
        upload_motion(state, "run.csv", text.encode())
        np.testing.assert_array_equal(state.motion.samples.q, run.q)
    assert "q_joint1, rk4" in takeaway.plot_csv(state, "forward", "q")[1]
    split = takeaway.plot_csv(state, "inverse", "torque", 1)[1]
    assert split.startswith("t [s],tau_joint2_inertia [Nm],tau_joint2_Coriolis [Nm]")
    assert list(state.folder.iterdir()) == []  # files of columns do not stay


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"t,q_joint1,q_joint2\n0,0,0\n1,,1\n2,0,0\n", r"^m.csv: column q_joint1 has no number at t = 1$"),
        (b"t,q_joint1,q_joint2\n0,0,0\n", "at least two rows"),
        (b"t,q_joint1,q_joint2\n0,0,0\n4000,1,1\n", "at most 3600 s"),
        (b"t,q_joint1\n0,0\n1,1\n", "no column q_joint2"),
        (b"a,b\n0,0\n", r"^m.csv:1: no column is called t"),
        (b"", "m.csv"),
    ],
)
def test_wrong_tables(state, data, message):
    with pytest.raises(redyn.RedynError, match=message) as caught:
        upload_motion(state, "m.csv", data)
    assert str(state.folder) not in str(caught.value)
    assert list(state.folder.iterdir()) == []


# --- the process that reads -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_reader_reads_as_this_process_does(readers, state):
    path = put(state, "robot.zip", zipped({"arm.urdf": MESHED, "meshes/rod.stl": stl()}))
    opened = inbox.open_robot(readers, path)
    assert opened.description == upload_robot(state, "arm.urdf", MESHED).description
    assert scene(opened.robot, 0, [0], meshes=load_meshes(opened.meshes))["shapes"]["meshes"]
    table = inbox.read_columns(readers, put(state, "m.csv", b"t,x\n0,1\n1,2.5\n"))
    np.testing.assert_array_equal(table.columns["x"], [1, 2.5])


def test_a_small_file_that_declares_gigabytes(readers, state):
    """676 bytes of zip, a GLB of 4e8 vertices: said and left out, in a moment, with hardly any memory."""
    data = zipped({"arm.urdf": MESHED.replace(b"rod.stl", b"a.glb"), "meshes/a.glb": glb(BOMB)})
    assert len(data) < 1500
    opened = inbox.open_robot(readers, put(state, "bomb.zip", data))
    assert "declares 4,800,000,016 bytes" in opened.warnings[0]


@pytest.mark.parametrize(
    "change",
    [
        {"accessors": [{"componentType": 5126, "type": "VEC3", "count": -1}]},
        {"accessors": [{"componentType": 5126, "type": "VEC3", "count": 1e9}]},
        {"accessors": [{"componentType": 1, "type": "VEC3", "count": 1}]},
        {"accessors": 7},
        {"bufferViews": [{"buffer": 0, "byteLength": 1000}] * 10_000},
        {"meshes": [{"primitives": [{"attributes": {"POSITION": 0}}] * 100_000}]},
        {"meshes": [{"primitives": [{"attributes": {"POSITION": 9}}]}]},
        {"meshes": [{"primitives": 3}]},
    ],
)
def test_what_a_glb_declares(change):
    from redyn.report.mesh_checks import check_glb

    one = {"accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 1000}]}
    with pytest.raises(redyn.RedynError, match=r"^a\.glb: (is damaged|declares|draws)"):
        check_glb(glb({**BOMB, **one, **change}), "a.glb")
    for damaged in (b"", b"glTF", glb(BOMB)[:20], b"glTF" + b"\xff" * 40):
        with pytest.raises(redyn.RedynError, match="is damaged"):
            check_glb(damaged, "a.glb")


@pytest.mark.slow
def test_memory_and_time_are_bounded(state):
    numbers = b"t,x\n" + b"".join(b"%d,1\n" % k for k in range(300_000))
    # In one piece: where many small ones have taken all there is, Python 3.11 may go round in circles until time is up.
    wide = b"t," + b"x" * 60_000_000 + b"\n0,1\n"
    small = Readers(memory=30_000_000, seconds=300.0)
    try:
        with pytest.raises(redyn.RedynError, match=r"^big\.csv: .*too much memory"):
            inbox.read_columns(small, put(state, "big.csv", wide))
    finally:
        small.close()
    quick = Readers(seconds=0.2)
    try:
        with pytest.raises(redyn.RedynError, match=r"^big\.csv: could not be read within 0.2 s"):
            inbox.read_columns(quick, put(state, "big.csv", numbers))
    finally:
        quick.close()
    assert list(state.folder.iterdir()) == []


def test_a_reader_that_is_late_is_told_from_one_that_fails():
    """Also where its end is seen while the thread that has ended it is not through with that."""
    ended, go_on = threading.Event(), threading.Event()

    def kill():
        ended.set()
        assert go_on.wait(300)

    class Output:
        def read(self, most):
            assert ended.wait(300)
            return b""

    process = SimpleNamespace(args=["reader"], stdin=io.BytesIO(), stdout=Output(), kill=kill, wait=lambda: -9)
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            readers_module._ask(process, b"{}\n", 0.01)
    finally:
        go_on.set()


def test_readers_do_not_wait_for_one_another(monkeypatch, tmp_path):
    """While one file takes its time, others are read."""
    begun, go_on = threading.Event(), threading.Event()

    def ask(process, order, seconds):
        if b"slow" in order:
            begun.set()
            assert go_on.wait(300)
        return json.dumps({"table": order.decode()}).encode()

    idle = [sys.executable, "-c", "input()"]
    monkeypatch.setattr(readers_module, "_ask", ask)
    monkeypatch.setattr(readers_module, "_start", lambda memory: subprocess.Popen(idle, stdin=subprocess.PIPE))
    made, answers = Readers(), []
    try:
        thread = threading.Thread(target=lambda: answers.append(made.read("table", tmp_path, "slow.csv")))
        thread.start()
        assert begun.wait(300)
        assert "quick.csv" in made.read("table", tmp_path, "quick.csv")["table"]
        assert answers == []
        go_on.set()
        thread.join()
        assert "slow.csv" in answers[0]["table"]
    finally:
        made.close()


def test_uploads_at_the_same_time_have_folders_of_their_own(state):
    places: list[Path] = []
    threads = [threading.Thread(target=lambda: places.append(inbox.place(state.folder, "a"))) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({path.parent for path in places}) == 20
