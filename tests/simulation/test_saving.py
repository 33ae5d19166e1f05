"""Run.save and Run.load: nothing is lost, and files from strangers do no harm."""

import dataclasses
import io
import json
import zipfile

import numpy as np
import pytest

import redyn
from redyn.simulation.saving import ARRAYS


def fall(**options):
    return redyn.simulate(redyn.load("two-link"), [0.5, 0.0], [0, 0], 0.2, **options)


def pushed():
    return redyn.simulate(
        redyn.load("puma", friction=False, exact=True),
        np.full(6, 0.1),
        np.zeros(6),
        0.1,
        torque=np.ones(6),
        external={"link3": lambda t: [0, 0, t, 1, 0, 0]},
        gravity=[0, 0, -3],
        payload=[1.0, *[0.0] * 9],
        pushes=[redyn.Push("link2", [0, 1, 0], start=0.02, duration=0.03)],
    )


def closed():
    robot = redyn.load("four-bar")
    return redyn.simulate(robot, robot.initial, np.zeros(3), 0.1)


def freed():
    robot = redyn.load("two-link").free("*.mass")
    return redyn.simulate(robot, [0.5, 0.0], [0, 0], 0.1, parameters=[2.0, 3.0])


def standing(ground):
    robot = redyn.load("quadruped")
    return redyn.simulate(robot, robot.initial, np.zeros(robot.dof), 0.05, ground=ground)


RUNS = {
    "free fall": fall,
    "all that can act": pushed,
    "loops": closed,
    "event": lambda: fall(events=lambda t, q, qd: q[0] - 0.45),
    "parameters": freed,
    "ground": lambda: standing({"friction": 0.4, "slope": "3 deg"}),
    "contacts": lambda: standing({"contacts": [{"link": "trunk", "radius": 0.05}], "height": "0.1 * sin(x)"}),
}


@pytest.mark.parametrize("name", RUNS)
def test_nothing_is_lost(name, tmp_path):
    run = RUNS[name]()
    path = run.save(tmp_path / "run.npz")
    again = redyn.Run.load(path)
    assert {field.name for field in dataclasses.fields(run)} == set(vars(again)) & set(vars(run))
    for field in dataclasses.fields(run):
        a, b = getattr(run, field.name), getattr(again, field.name)
        if field.name in ("robot", "acting"):
            assert a.to_data() == b.to_data()
            assert type(a) is type(b)
        elif field.name == "conditions":
            assert a.pushes == b.pushes
            assert str(a.ground) == str(b.ground)
            assert all(np.array_equal(x, y) for x, y in zip(a[:2], b[:2], strict=True))
        elif field.name == "wrenches":
            assert list(a) == list(b)
            assert all(np.array_equal(a[key], b[key]) for key in a)
        elif isinstance(a, np.ndarray):
            assert np.array_equal(a, b)
            assert b.flags.writeable
        else:
            assert a == b
    assert all(np.array_equal(x, y) for x, y in zip(run.energy, again.energy, strict=True))
    assert repr(again) == repr(run)
    if run.ground is not None:
        assert np.array_equal(run.ground_contacts.forces, again.ground_contacts.forces)
    assert path.read_bytes() == again.save(tmp_path / "again.npz").read_bytes()  # to the byte


def test_numpy_reads_the_arrays(tmp_path):
    run = redyn.simulate(redyn.load("two-link"), [0.5, 0.0], [0, 0], 0.1)
    with np.load(run.save(tmp_path / "run.npz"), allow_pickle=False) as found:
        assert np.array_equal(found["q"], run.q)
        assert json.loads(found["run.json"])["redyn"] == redyn.__version__


@pytest.fixture
def members(tmp_path):
    """The parts of a file, and a way to put them together again, changed."""
    path = redyn.simulate(redyn.load("two-link"), [0.5, 0.0], [0, 0], 0.1).save(tmp_path / "run.npz")
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}

    def changed(**head):
        new = dict(parts)
        new["run.json"] = json.dumps({**json.loads(parts["run.json"]), **head}).encode()
        return new

    def written(new):
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in new.items():
                archive.writestr(name, content)
        return path

    return parts, changed, written


def stored(array, **options):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, **options)
    return buffer.getvalue()


def test_pickles_are_refused(members):
    parts, _, written = members
    parts["q.npy"] = stored(np.array([print], dtype=object), allow_pickle=True)
    with pytest.raises(redyn.RedynError, match=r"q.npy: expected rows of float64"):
        redyn.Run.load(written(parts))


def test_headers_that_promise_too_much_are_refused(members):
    parts, _, written = members
    huge = parts["q.npy"].replace(b"(11, 2)", b"(1" + b"1" * 4 + b",2)")[: len(parts["q.npy"])]
    assert huge != parts["q.npy"]
    parts["q.npy"] = huge
    with pytest.raises(redyn.RedynError, match="damaged"):
        redyn.Run.load(written(parts))


@pytest.mark.parametrize("name", [*ARRAYS])
def test_shapes_are_checked(members, name):
    parts, _, written = members
    parts[f"{name}.npy"] = stored(np.zeros((3, 7)))
    with pytest.raises(redyn.RedynError, match=r"has shape|do not fit|damaged"):
        redyn.Run.load(written(parts))


@pytest.mark.parametrize(
    ("head", "message"),
    [
        ({"format": 2}, "in format 2, this is .* install a newer redyn"),
        ({"format": None}, "in format None"),
        ({"robot": None}, "damaged"),
        (
            {"robot": {"description": {"name": "x"}, "friction": True, "exact": False, "mimic": "independent"}},
            "missing",
        ),
        ({"pushes": [{"force": 1}]}, "damaged"),
        ({"gravity": [1]}, "gravity has shape"),
        ({"forces": ["magic"]}, "works has shape|unknown force"),
        ({"wrenches": ["a"]}, "damaged"),
        ({"steps": "many"}, "damaged"),
    ],
)
def test_damaged_heads(members, head, message):
    _, changed, written = members
    with pytest.raises(redyn.RedynError, match=message):
        redyn.Run.load(written(changed(**head)))


def test_other_files(tmp_path):
    path = tmp_path / "notes.txt"
    with pytest.raises(redyn.RedynError, match="there is no such file"):
        redyn.Run.load(path)
    path.write_text("not a run")
    with pytest.raises(redyn.RedynError, match=r"damaged, or no file of Run\.save"):
        redyn.Run.load(path)
    run = redyn.simulate(redyn.load("two-link"), [0.5, 0.0], [0, 0], 0.1)
    with pytest.raises(redyn.RedynError, match="exists and is not a saved run"):
        run.save(path)
    run.save(path, force=True)
    run.save(path)
    data = path.read_bytes()
    for cut in (10, 400, len(data) // 2, len(data) - 10):
        path.write_bytes(data[:cut])
        with pytest.raises(redyn.RedynError, match="damaged"):
            redyn.Run.load(path)
    path.write_bytes(data[:600] + bytes(20) + data[620:])
    with pytest.raises(redyn.RedynError, match="damaged"):
        redyn.Run.load(path)
