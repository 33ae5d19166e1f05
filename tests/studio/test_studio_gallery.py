"""The gallery of the studio: cards, pictures, robots of packages, and those that the browser keeps."""

import asyncio
import json

import pytest

import redyn
from redyn.description import gallery, read
from redyn.description.packages import package_robots
from redyn.errors import InputError
from redyn.studio import keep, pictures
from redyn.studio.opening import open_source
from redyn.studio.state import State
from studio_files import URDF, upload_robot, zipped

PACKED = next((name for name in package_robots() if name.endswith(":double_pendulum")), None)
MESHES = URDF.replace(b"</inertial>", b'</inertial><visual><geometry><mesh filename="rod.stl"/></geometry></visual>', 1)


def test_every_robot_has_a_card():
    found = pictures.cards()
    assert [card["name"] for card in found] == [entry.name for entry in gallery()]
    assert {"book", "industrial", "mechanisms", "trees", "humanoids"} <= {card["group"] for card in found}
    arm = next(card for card in found if card["name"] == "kuka-kr-6-r700")
    assert (arm["title"], arm["joints"], arm["estimated"]) == ("KUKA KR 6 R700 sixx", "6 revolute", True)
    json.dumps(found)


def test_pictures_are_drawn_once_and_of_known_robots_only(tmp_path):
    file = tmp_path / "arm.yaml"
    file.write_text(redyn.load("two-link").to_yaml())
    drawing = pictures.Pictures()

    async def of(name, leaves=False):
        async def gone():
            return leaves

        return await drawing.of_gallery(name, gone)

    async def draw():
        left = await of("puma", leaves=True)
        first = await asyncio.gather(of("two-link"), of("two-link"), of("puma"))
        return [left, *first, await of(str(file)), await of("no-such-robot")]

    try:
        left, one, two, puma, file_of_the_machine, unknown = asyncio.run(draw())
    finally:
        drawing.close()
    assert one.startswith("<svg")
    assert one == two
    assert puma.startswith("<svg")  # although somebody had gone before it was drawn
    assert left == file_of_the_machine == unknown == ""


def test_my_robots_are_plain_files():
    state = State.first("four-bar")
    card = pictures.own_card(state)
    assert (card["name"], card["joints"]) == ("four-bar", "3 revolute, 1 loop")
    back = State.first("puma")
    upload_robot(back, "four-bar.yaml", card["text"].encode())
    assert back.robot.description.links == state.robot.description.links
    back.editor.set_cell(0, "mass", "heavy")
    with pytest.raises(InputError, match="heavy"):
        pictures.own_card(back)
    for used in (state, back):
        used.close()


def test_my_robots_refer_to_no_meshes():
    state = State.first("two-link")
    upload_robot(state, "arm.zip", zipped({"arm.urdf": MESHES}))
    assert "rod.stl" in state.robot.to_yaml()
    assert "rod.stl" not in pictures.own_card(state)["text"]
    assert pictures.draw(lambda *_: None, pictures.without_meshes(state.robot.description)).startswith("<svg")
    state.close()


@pytest.mark.skipif(PACKED is None, reason="example-robot-data is not installed")
def test_a_robot_of_a_package_is_restored_with_its_folder():
    state, back = State.first(open_source(PACKED)), State.first("puma")
    assert state.origin.package == PACKED
    keep.restore(back, json.loads(json.dumps(keep.snapshot(state))))
    assert back.robot.description.folder == state.robot.description.folder
    assert back.warnings == state.warnings
    forged = {**keep.snapshot(state), "package": "/etc"}
    keep.restore(back, forged)
    assert back.robot.description.folder is None


def drawn(source):
    return pictures.draw(lambda part, note: None, source)


@pytest.fixture
def thumbnails(tmp_path, monkeypatch):
    """How many pictures were drawn; the cache is a folder of its own."""
    monkeypatch.setenv("REDYN_CACHE", str(tmp_path / "cache"))
    made = []
    original = pictures.thumbnail
    monkeypatch.setattr(pictures, "thumbnail", lambda robot: made.append(robot.name) or original(robot))
    return made


def test_pictures_are_kept_on_disk(thumbnails, tmp_path, monkeypatch):
    first = drawn("two-link")
    assert drawn("two-link") == first
    assert thumbnails == ["two-link"]
    (kept,) = (tmp_path / "cache" / "pictures").iterdir()
    assert kept.stat().st_mode & 0o077 == 0
    kept.write_bytes(kept.read_bytes()[:-1] + b"x")  # damaged
    assert drawn("two-link") == first
    assert thumbnails == ["two-link"] * 2
    monkeypatch.setattr(pictures, "_code", lambda: "another version")
    assert drawn("two-link") == first
    assert thumbnails == ["two-link"] * 3
    (tmp_path / "cache" / "pictures").chmod(0o755)  # others could have put something there
    assert drawn("two-link") == first
    assert thumbnails == ["two-link"] * 4


def test_a_picture_follows_the_contents_of_meshes(tmp_path):
    def name():
        return pictures.picture_name(read(tmp_path / "arm.urdf"))

    (tmp_path / "arm.urdf").write_bytes(MESHES)
    missing = name()
    (tmp_path / "rod.stl").write_bytes(b"one")
    first = name()
    (tmp_path / "rod.stl").write_bytes(b"two")
    second = name()
    (tmp_path / "rod.stl").write_bytes(b"one")
    assert len({missing, first, second}) == 3
    assert name() == first
    (tmp_path / "arm.urdf").write_bytes(MESHES.replace(b"pendulum", b"clock"))
    assert name() != first
