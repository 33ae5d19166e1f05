"""A session of the studio as one file and as a link: all of it comes back, and what is bad is refused in words."""

import base64
import json
import zlib

import numpy as np
import pytest

from redyn.errors import InputError, RedynError
from redyn.studio import bundle, comparing, inbox, keep, pins
from redyn.studio.state import State
from redyn.studio.uploads import UploadError
from redyn.studio.work import csv_text, inverse_columns
from studio_files import URDF, Here, put, upload_motion, upload_robot, upload_torque, zipped

MESH = URDF.replace(b"</inertial>", b'</inertial><visual><geometry><mesh filename="rod.stl"/></geometry></visual>', 1)


@pytest.fixture
def state():
    made = State.first("two-link")
    yield made
    made.close()


@pytest.fixture
def back():
    made = State.first("puma")
    yield made
    made.close()


def reopen(state, name, content):
    """What the server does with an uploaded session."""
    path = put(state, name, content)
    assert bundle.is_session(path)
    work, files = inbox.read_session(Here(), path, state.folder)
    keep.restore(state, work)
    assert not path.exists()
    return files


def packed(work, version=bundle.VERSION, **changes):
    return zipped({bundle.WORK: json.dumps({"format": bundle.FORMAT, "version": version, "work": work, **changes})})


def test_a_session_comes_back_whole(state, back):
    state.editor.set_cell(0, "a", "1.5")
    state.follow_editor()
    state.editor.set_cell(1, "mass", "heavy")  # even with an error in the tables
    state.motion.duration, state.run.kp = "7", "55"
    state.open_exercise("9.7")
    state.lessons.attempt("tau").change("m1 g")
    name, content = bundle.save(state)
    assert name == "two-link-session.zip"
    assert reopen(back, name, content) == {}
    assert keep.snapshot(back) == keep.snapshot(state)
    assert "heavy" in back.mistake
    assert bundle.mark(back) == bundle.mark(state)


def test_uploads_come_back_with_it(state, back):
    upload_robot(state, "arm.zip", zipped({"arm.urdf": MESH}))
    rows = inverse_columns(state.run_inverse())
    text = csv_text(rows).encode()
    upload_motion(state, "swing.csv", text)
    upload_torque(state, "push.csv", text)
    files = reopen(back, *bundle.save(state))
    assert {kind: path.name for kind, path in files.items()} == {
        "robot": "arm.zip",
        "motion": "swing.csv",
        "torque": "push.csv",
    }
    back.rejoin(inbox.open_robot(Here(), files["robot"], back.origin.chosen or None))
    assert back.meshes is not None
    back.motion.take("swing.csv", inbox.read_columns(Here(), files["motion"]), back.robot)
    back.run.take("push.csv", inbox.read_columns(Here(), files["torque"]), back.robot)
    for mine, theirs in zip(vars(back.motion.samples).values(), vars(state.motion.samples).values(), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(back.run.table.q, state.run.table.q)
    with pytest.raises(InputError, match="save the session as a file"):
        bundle.link(state)


def test_pinned_runs_come_back_with_it(state, back):
    state.run_inverse()
    comparing.pin(state, "inverse")
    (pin,) = state.board.pins
    files = reopen(back, *bundle.save(state))
    assert list(files) == [f"{bundle.PIN}{pin.key}"]
    back.board.take(pin.key, pins.unpacked(files[f"{bundle.PIN}{pin.key}"]))
    (again,) = back.board.pins
    assert (again.name, again.colour, again.trace.signals) == (pin.name, pin.colour, pin.trace.signals)
    np.testing.assert_array_equal(again.trace.values, pin.trace.values)
    assert (
        json.loads(zlib.decompress(base64.urlsafe_b64decode(bundle.link(state)[len(bundle.LINK) :] + "==")))["board"][
            "pins"
        ]
        == []
    )  # a link has no room for them


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"PK\x03\x04 damaged", "cannot be unpacked"),
        (zipped({"arm.urdf": URDF}), "contains no redyn-session.json"),
        (zipped({bundle.WORK: b"{"}), "damaged: it is not JSON"),
        (zipped({bundle.WORK: b" " * (keep.LARGEST + 1)}), "larger than 2 MB"),
        (zipped({bundle.WORK: b"[" * 100_000}), "not JSON"),
        (zipped({bundle.WORK: b"[]"}), "not a session"),
        (packed({}, version="1"), "not a session"),
        (packed({}, version=99), "newer redyn"),
        (packed({}), "cannot be read"),
        (packed({"version": 1}), "another version"),
        (zipped({bundle.WORK: b"{}", "../../evil.csv": b"x"}), "leads out"),
    ],
)
def test_bad_sessions_are_refused_and_change_nothing(back, content, why):
    before = keep.snapshot(back)
    path = put(back, "week.zip", content)
    with pytest.raises(RedynError) as caught:
        keep.restore(back, inbox.read_session(Here(), path, back.folder)[0])
    assert why in str(caught.value)
    assert str(back.folder) not in str(caught.value)
    assert keep.snapshot(back) == before
    assert not list(back.folder.iterdir())


def test_a_session_cut_off_is_refused(state, back):
    name, content = bundle.save(state)
    for length in (40, len(content) // 2, len(content) - 5):
        with pytest.raises(UploadError):
            inbox.read_session(Here(), put(back, name, content[:length]), back.folder)


def test_other_archives_are_no_sessions(state):
    for content in (b"", b"PK", zipped({"arm.urdf": URDF}), URDF):
        assert not bundle.is_session(put(state, "a.zip", content))


def test_a_link_holds_the_work(state, back):
    state.motion.duration = "7"
    link = bundle.link(state)
    assert len(link) < 3000
    data = link.removeprefix(bundle.LINK)
    keep.restore(back, json.loads(zlib.decompress(base64.urlsafe_b64decode(data + "=" * (-len(data) % 4)))))
    assert back.robot.description == state.robot.description
    assert back.motion.duration == "7"
    state.lessons.own["own:long"] = np.random.default_rng(0).bytes(40_000).hex()
    with pytest.raises(InputError, match="too large for a link"):
        bundle.link(state)


def test_only_what_was_entered_counts_as_unsaved(state):
    clean = bundle.mark(state)
    state.run_inverse()
    state.choose("equations")
    state.jog(0, 0.3)
    assert bundle.mark(state) == clean
    state.motion.duration = "7"
    assert bundle.mark(state) != clean
