"""What a robot's file gives its links to look like: read, placed, simplified, drawn; and what is wrong with it."""

import base64
import contextlib
import importlib
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

import redyn
from random_robots import on_floats, random_state, random_tree, trees
from redyn.description.packages import robots_folder
from redyn.description.placement import rpy_rotation, translation
from redyn.kinematics import link_poses
from redyn.report import mesh_file, shapes
from redyn.report.html import write_html
from redyn.report.mesh_file import Part, creased, read_mesh, snapped
from redyn.report.scene import scene
from redyn.report.shapes import look
from report_page import Opened

SIZE = np.array([0.2, 0.3, 0.4])
SHIFT = np.array([0.5, -0.1, 0.05])


def block(colour=None, simple=False):
    mesh = trimesh.creation.box(extents=SIZE, transform=translation(*SHIFT))
    if colour is not None:
        material = trimesh.visual.material.PBRMaterial(baseColorFactor=colour)
        material = material.to_simple() if simple else material
        mesh.visual = trimesh.visual.TextureVisuals(uv=np.zeros((len(mesh.vertices), 2)), material=material)
    return mesh


def write(path, mesh, kind=None):
    """A mesh as a file, with the files that belong to it."""
    kind = kind or path.suffix[1:]
    if kind == "obj":
        text, others = trimesh.exchange.obj.export_obj(mesh, return_texture=True, mtl_name="paint.mtl")
        path.write_text(text)
        for name, content in others.items():
            (path.parent / name).write_bytes(content)
    else:
        content = mesh.export(file_type=kind)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def extents(parts):
    points = np.concatenate([part.vertices for part in parts])
    return points.min(axis=0), points.max(axis=0)


def arm(tmp_path, *visual, count=2, **more):
    """A YAML robot in a folder of its own, whose last link shows the shapes."""
    link = {"joint": "revolute", "mass": 1, "com": [0, 0, 0.5], "inertia": [0.1, 0.1, 0.1], "xyz": [0, 0, 1]}
    links = [{**link, "name": f"part{k}", "axis": [0, k, 1 - k]} for k in range(count)]
    links[-1] |= {"visual": list(visual), **more}
    redyn.load({"name": "arm", "convention": "frames", "links": links}).to_yaml(tmp_path / "arm.yaml")
    return redyn.load(tmp_path / "arm.yaml")


def triangles(part):
    """Vertices and faces as the browser unpacks them."""
    raw = base64.b64decode(part["faces"])
    faces = np.frombuffer(raw, "<u2" if len(raw) == 6 * part["triangles"] else "<u4").reshape(-1, 3)
    steps = np.frombuffer(base64.b64decode(part["steps"]), "<u2").reshape(-1, 3)
    return np.array(part["low"]) + part["step"] * steps, faces


# --- files --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["stl", "stl_ascii", "dae", "obj", "glb"])
def test_formats(tmp_path, kind):
    mesh = block(None if kind.startswith("stl") else (255, 128, 0, 255), simple=kind == "obj")
    (part,) = read_mesh(write(tmp_path / f"a.{kind[:3].upper()}", mesh, kind))
    low, high = extents([part])
    np.testing.assert_allclose(low, SHIFT - SIZE / 2, atol=1e-5)
    np.testing.assert_allclose(high, SHIFT + SIZE / 2, atol=1e-5)
    assert len(part.vertices) == 8
    assert len(part.faces) == 12
    if kind.startswith("stl"):
        assert part.colour is None
    else:
        np.testing.assert_allclose(part.colour, (1, 128 / 255, 0), atol=1e-6)


def test_collada_units_count_and_its_up_axis_does_not(tmp_path):
    text = write(tmp_path / "a.dae", block()).read_text()
    assert "<up_axis>" in text
    changed = text.replace("<up_axis>", '<unit name="centimetre" meter="0.01"/><up_axis>').replace("Y_UP", "Z_UP")
    for name, content in (("cm.dae", changed), ("other.dae", changed.replace("Z_UP", "X_UP"))):
        (tmp_path / name).write_text(content)
        low, high = extents(read_mesh(tmp_path / name))
        np.testing.assert_allclose(low, (SHIFT - SIZE / 2) / 100, atol=1e-7)
        np.testing.assert_allclose(high, (SHIFT + SIZE / 2) / 100, atol=1e-7)


def test_nodes_of_a_scene_are_placed(tmp_path):
    whole = trimesh.Scene()
    whole.add_geometry(block((255, 0, 0, 255)), transform=translation(1, 0, 0))
    whole.add_geometry(block((0, 0, 255, 255)), transform=translation(0, 2, 0) @ rpy_rotation(np.pi / 2, 0, 0))
    (tmp_path / "two.glb").write_bytes(whole.export(file_type="glb"))
    red, blue = sorted(read_mesh(tmp_path / "two.glb"), key=lambda part: part.colour, reverse=True)
    np.testing.assert_allclose(extents([red])[0], SHIFT - SIZE / 2 + [1, 0, 0], atol=1e-5)
    x, y, z = SHIFT
    middle = np.mean(extents([blue]), axis=0)
    np.testing.assert_allclose(middle, [x, 2 - z, y], atol=1e-5)


def test_a_file_that_changes_is_read_again(tmp_path):
    path = write(tmp_path / "a.stl", block())
    before = extents(read_mesh(path))
    bigger = block()
    bigger.apply_scale(2)
    then = path.stat().st_mtime_ns
    write(path, bigger)
    os.utime(path, ns=(then + 10**7,) * 2)
    np.testing.assert_allclose(extents(read_mesh(path))[1], 2 * before[1], atol=1e-4)


def test_materials_come_from_the_own_folder_only(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    path = write(inside / "a.obj", block((255, 0, 0, 255), simple=True))
    assert read_mesh(path)[0].colour == (1, 0, 0)
    (tmp_path / "paint.mtl").write_bytes((inside / "paint.mtl").read_bytes())
    (inside / "paint.mtl").unlink()
    path.write_text(path.read_text().replace("mtllib paint.mtl", "mtllib ../paint.mtl"))
    assert read_mesh(path)[0].colour is None
    (inside / "paint.mtl").symlink_to(tmp_path / "paint.mtl")
    path.write_text(path.read_text() + "\n")
    assert read_mesh(path)[0].colour is None


BOMB = (
    '<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset/><library_nodes>'
    + "".join(
        f'<node id="n{k}"><instance_node url="#n{k + 1}"/><instance_node url="#n{k + 1}"/></node>' for k in range(40)
    )
    + '<node id="n40"/></library_nodes><library_visual_scenes><visual_scene id="s"><node>'
    '<instance_node url="#n0"/></node></visual_scene></library_visual_scenes>'
    '<scene><instance_visual_scene url="#s"/></scene></COLLADA>'
)
BROKEN = {
    "empty.stl": (b"", ""),
    "noise.stl": (bytes(range(256)) * 9, ""),
    "promise.stl": (bytes(80) + (4_000_000_000).to_bytes(4, "little") + bytes(50), ""),
    "nan.stl": (
        b"solid x\nfacet normal 0 0 1\nouter loop\nvertex nan 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
        b"endloop\nendfacet\nendsolid x\n",
        "",
    ),
    "empty.obj": (b"# nothing\n", "contains no triangles|damaged"),
    "noise.glb": (b"glTF" + bytes(range(200)), "damaged"),
    "half.dae": (b"<COLLADA><asset>", "damaged"),
    "text.dae": (b"not xml at all", "damaged"),
    "entity.dae": (b'<!DOCTYPE x [<!ENTITY a "b">]><COLLADA/>', "DOCTYPE"),
    "bomb.dae": (BOMB.encode(), "bodies"),
    "loop.dae": (
        BOMB.replace('id="n40"/>', 'id="n40"><instance_node url="#n0"/></node>').encode(),
        "contain each other",
    ),
    "other.ply": (b"ply", "expected a mesh in stl, dae, obj, glb, got .ply"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_damaged_files_are_named_and_the_link_drawn_from_the_model(tmp_path, name):
    content, why = BROKEN[name]
    (tmp_path / name).write_bytes(content)
    good = {"type": "mesh", "file": write(tmp_path / "good.stl", block()).name}
    robot = arm(tmp_path, good, {"type": "mesh", "file": name})
    start = time.process_time()
    with pytest.warns(redyn.RedynWarning, match=rf"{name}: (?s:.)*({why})(?s:.)*drawn from the model"):
        found = look(robot)
    assert time.process_time() - start < 20  # of the processor: damage costs no more than the file is long
    assert found.modelled == [0, 1, 2]  # the world and the first link have no shapes, the second lacks one
    assert [solid["kind"] for solid in found.placed] == ["mesh"]
    with pytest.warns(redyn.RedynWarning, match=name):
        assert write_html(tmp_path / "a.html", robot, 0, [0, 0], [], title="x").stat().st_size > 1e6


@pytest.mark.parametrize(
    "name", ["nowhere.stl", "../out.stl", "/etc/passwd", "package://no/such.dae", "http://x/y.stl"]
)
def test_files_that_are_not_there_or_outside(tmp_path, name):
    inner = tmp_path / "inner"
    inner.mkdir()
    write(tmp_path / "out.stl", block())
    robot = arm(inner, {"type": "mesh", "file": name})
    with pytest.warns(redyn.RedynWarning, match="drawn from the model") as said:
        assert look(robot).placed == []
    assert any(name in str(item.message) for item in said)


def test_without_a_folder_there_are_no_meshes():
    data = random_tree(1, 2, fixed=0)
    data["links"][0]["visual"] = [{"type": "mesh", "file": "a.stl"}, {"type": "sphere", "radius": 1}]
    with pytest.warns(redyn.RedynWarning, match="not read from a file"):
        assert [solid["kind"] for solid in look(redyn.load(data)).placed] == ["ellipsoid"]


@pytest.mark.parametrize("package", ["trimesh", "collada"])
def test_a_missing_package_is_named(tmp_path, monkeypatch, package):
    def no_import(name):
        if name == package:
            raise ImportError(name=name)
        return importlib.import_module(name)

    class Without:
        import_module = staticmethod(no_import)

    robot = arm(tmp_path, {"type": "mesh", "file": write(tmp_path / "a.dae", block()).name})
    monkeypatch.setattr(mesh_file, "importlib", Without)
    with pytest.warns(redyn.RedynWarning, match=r"(py)?(trimesh|collada).*pip install 'redyn\[ui\]'"):
        assert look(robot).placed == []


def test_nothing_is_read_before_it_is_drawn():
    code = (
        "import sys, redyn; from redyn.report.scene import scene; r = redyn.load('puma'); scene(r, 0, r.initial);"
        "assert not {'trimesh', 'collada'} & set(sys.modules), 'read'"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)


@settings(max_examples=150)
@given(kind=st.sampled_from(["stl", "dae", "obj", "glb"]), seed=st.integers(0, 10**9))
@pytest.mark.slow
def test_mutated_files_give_triangles_or_a_clear_error(tmp_path_factory, kind, seed):
    folder = tmp_path_factory.mktemp("mutants")
    data = bytearray(write(folder / f"a.{kind}", block((9, 9, 9, 255), simple=kind == "obj")).read_bytes())
    rng = np.random.default_rng(seed)
    for _ in range(rng.integers(1, 6)):
        at = int(rng.integers(len(data)))
        match rng.integers(3):
            case 0:
                data[at] = int(rng.integers(256))
            case 1:
                del data[at : at + int(rng.integers(1, 200))]
            case _:
                data[at:at] = data[int(rng.integers(len(data))) :][: int(rng.integers(1, 50))]
        if not data:
            break
    path = folder / f"mutant.{kind}"
    path.write_bytes(data)
    start = time.process_time()
    with contextlib.suppress(redyn.RedynError):
        for part in map(creased, read_mesh(path)):
            assert np.isfinite(part.vertices).all()
            assert part.faces.max() < len(part.vertices)
    assert time.process_time() - start < 20  # of the processor: damage costs no more than the file is long


# --- triangles ----------------------------------------------------------------------------------------------------


def soup(mesh):
    return snapped(Part(mesh.triangles.reshape(-1, 3), np.arange(3 * len(mesh.faces)).reshape(-1, 3), None), 0.0)


def test_edges_stay_sharp_and_curves_round():
    ball, cube = soup(trimesh.creation.icosphere(subdivisions=3)), soup(block())
    assert len(creased(ball).vertices) == len(ball.vertices) == 642
    assert len(creased(cube).vertices) == 24  # three at every corner
    assert len(creased(soup(trimesh.creation.cylinder(1, 2, sections=64))).vertices) == 64 * 4 + 2


@settings(max_examples=40)
@given(seed=st.integers(0, 10**9), count=st.integers(4, 200))
def test_packed_triangles_are_the_same_triangles(seed, count):
    points = np.random.default_rng(seed).normal(size=(count, 3)) * [1, 0.01, 30]
    hull = trimesh.convex.convex_hull(points)
    part = soup(hull)
    vertices, faces = triangles(shapes._packed(creased(part)))
    step = np.ptp(points, axis=0).max() / 65535
    order = lambda corners: np.sort(np.sort(corners.reshape(-1, 3, 3).sum(axis=(1, 2))))  # noqa: E731
    assert len(faces) == len(part.faces)
    np.testing.assert_allclose(order(vertices[faces]), order(part.vertices[part.faces]), atol=9 * step)
    np.testing.assert_allclose(trimesh.Trimesh(vertices, faces).volume, hull.volume, atol=hull.area * step)


@pytest.mark.slow
def test_large_meshes_are_simplified_and_it_is_said(tmp_path, monkeypatch):
    ball = trimesh.creation.icosphere(subdivisions=6, radius=0.1)
    robot = arm(tmp_path, {"type": "mesh", "file": write(tmp_path / "ball.stl", ball).name, "scale": [2, 2, 2]})
    assert look(robot).note == ""
    monkeypatch.setattr(shapes, "TRIANGLES", 20_000)
    found = look(robot)
    (part,) = found.meshes[0]
    assert 5_000 < len(part.faces) <= 20_000
    assert found.note == f"meshes simplified from 81,920 to {len(part.faces):,} triangles"
    radii = np.linalg.norm(part.vertices[np.unique(part.faces)], axis=1)
    assert np.abs(radii - 0.1).max() < 2e-3
    monkeypatch.setattr(shapes, "TRIANGLES", 3)
    assert sum(len(part.faces) for part in look(robot).meshes[0]) <= 3  # whatever it takes


def test_one_file_is_sent_once(tmp_path):
    shape = {"type": "mesh", "file": write(tmp_path / "a.stl", block()).name}
    data = scene(arm(tmp_path, shape, {**shape, "scale": [1, -1, 1]}), 0, [0, 0])["shapes"]
    assert len(data["meshes"]) == 1
    assert [solid["scale"] for solid in data["placed"]] == [[1, 1, 1], [1, -1, 1]]


# --- places and colours -------------------------------------------------------------------------------------------


def matrix(solid):
    from scipy.spatial.transform import Rotation

    T = translation(*solid["position"])
    T[:3, :3] = Rotation.from_quat(solid["quaternion"]).as_matrix()
    return T


@settings(max_examples=60)
@given(trees, st.integers(0, 10**9))
def test_shapes_ride_on_their_links(data, seed):
    """On fixed links and in every convention: where forward kinematics has the frame that they were given in."""
    rng = np.random.default_rng(seed)
    for link in data["links"]:
        xyz, rpy = rng.uniform(-1, 1, (2, 3)).tolist()
        link["visual"] = [{"type": "box", "size": [1, 2, 3], "xyz": xyz, "rpy": rpy}]
    robot = on_floats(redyn.load(data, exact=True))
    q = random_state(robot, seed)[0]
    poses = link_poses(robot, q)
    found = look(robot)
    assert found.modelled == ([] if {s["link"] for s in found.placed} >= {0} else [0])
    for link, solid in zip(robot.description.links, found.placed, strict=True):
        (shape,) = link.visual
        expected = robot.forward_kinematics(q, link.name) @ translation(*shape.xyz) @ rpy_rotation(*shape.rpy)
        np.testing.assert_allclose(poses[solid["link"]] @ matrix(solid), expected, atol=1e-9)


@pytest.mark.parametrize("path", ["ur_description/urdf/ur5_robot.urdf", "talos_data/robots/talos_reduced.urdf"])
@pytest.mark.slow
def test_places_agree_with_pinocchio(path):
    import pinocchio as pin

    from redyn.verify.pinocchio_peer import Pinocchio

    file = robots_folder() / path
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", redyn.RedynWarning)
        robot = on_floats(redyn.load(file, exact=True))
    model = pin.buildModelFromUrdf(str(file))
    geometry = pin.buildGeomFromUrdf(
        model, str(file), pin.GeometryType.VISUAL, package_dirs=[str(robots_folder().parents[1])]
    )
    q = random_state(robot, 4)[0]
    data, placed = model.createData(), geometry.createData()
    pin.updateGeometryPlacements(model, data, geometry, placed, Pinocchio(model, robot.joint_names).q(q))
    theirs = {}
    for solid, pose in zip(geometry.geometryObjects, placed.oMg, strict=True):
        theirs.setdefault(model.frames[solid.parentFrame].name, []).append((solid, pose.homogeneous))
    poses = link_poses(robot, q)
    described = [(link.name, shape) for link in robot.description.links for shape in link.visual or link.collision]
    ours = look(robot).placed
    assert len(ours) == len(described) > 5
    compared = 0
    for (name, shape), solid in zip(described, ours, strict=True):
        if name not in theirs:
            continue  # it had no visual, and its collision stands in
        other, pose = theirs[name].pop(0)
        np.testing.assert_allclose(poses[solid["link"]] @ matrix(solid), pose, atol=1e-9)
        if shape.type == "mesh":
            assert Path(other.meshPath).name == Path(shape.file).name
            np.testing.assert_allclose(solid["scale"], np.ravel(other.meshScale))
        compared += 1
    assert compared == len(geometry.geometryObjects)


def test_colours_and_what_stands_in(tmp_path):
    write(tmp_path / "plain.stl", block())
    write(tmp_path / "painted.obj", block((0, 255, 0, 255), simple=True))
    plain, painted = {"type": "mesh", "file": "plain.stl"}, {"type": "mesh", "file": "painted.obj"}
    paint = {"colour": [1, 0, 0, 0.5]}
    hidden = {"type": "sphere", "radius": 1, "colour": [1, 0, 0, 0]}
    found = look(arm(tmp_path, {**plain, **paint}, {**painted, **paint}, hidden))
    assert [(solid["colour"], solid["opacity"]) for solid in found.placed] == [("#ff0000", 0.5)] * 2
    assert [parts[0].colour for parts in found.meshes] == [None, (0, 1, 0)]
    ball = {"type": "sphere", "radius": 0.1}
    assert look(arm(tmp_path, collision=[ball])).placed[0]["scale"] == [0.1] * 3
    assert len(look(arm(tmp_path, {**ball, "radius": 0.2}, collision=[ball])).placed) == 1
    assert look(redyn.load("puma")).data() == {"meshes": [], "placed": [], "modelled": [], "note": ""}


SOLIDS = [
    ({"type": "box", "size": [1, 2, 3]}, [0.5, 1, 1.5]),
    ({"type": "cylinder", "radius": 0.2, "length": 3}, [0.2, 0.2, 1.5]),
    ({"type": "capsule", "radius": 0.2, "length": 3}, [0.2, 0.2, 1.7]),
    ({"type": "sphere", "radius": 0.3}, [0.3] * 3),
    ({"type": "ellipsoid", "size": [1, 2, 3]}, [0.5, 1, 1.5]),
]


@pytest.mark.parametrize(("shape", "half"), SOLIDS, ids=lambda x: x["type"] if isinstance(x, dict) else "")
def test_the_floor_and_the_camera_know_the_shapes(tmp_path, shape, half):
    robot = arm(tmp_path, {**shape, "xyz": [0, 0, -2]}, count=1)
    ((_, points),) = look(robot).outline
    np.testing.assert_allclose(np.abs(points - [0, 0, -2]).max(axis=0), half, rtol=0.01)
    view = scene(robot, 0, [0])["view"]
    assert view["floor"]["meshes"] <= 1 - 2 - 0.98 * half[2]
    assert np.array(view["points"])[:, 2].min() <= 1 - 2 - 0.98 * half[2]


def test_mjcf_shows_what_mujoco_shows(tmp_path):
    write(tmp_path / "block.stl", block())
    (tmp_path / "arm.xml").write_text(
        """<mujoco><asset><mesh name="b" file="block.stl" scale="2 1 1"/></asset><worldbody><body pos="0 0 1">
        <joint axis="0 1 0"/><geom type="ellipsoid" size=".1 .2 .3" rgba="1 0 0 1"/><geom type="mesh" mesh="b"/>
        <geom type="capsule" size=".1 .5" group="3"/>
        <geom type="sphere" size=".1" group="4" contype="0" conaffinity="0"/>
        </body></worldbody></mujoco>"""
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", redyn.RedynWarning)
        robot = redyn.load(tmp_path / "arm.xml")
    link = robot.description.links[0]
    assert [shape.type for shape in link.visual] == ["ellipsoid", "mesh", "sphere"]
    assert [shape.type for shape in link.collision] == ["ellipsoid", "mesh", "capsule"]
    assert link.visual[0].size == pytest.approx((0.2, 0.4, 0.6))
    low, high = (SHIFT - SIZE / 2) * [2, 1, 1], (SHIFT + SIZE / 2) * [2, 1, 1]
    points = look(robot).outline[1][1]  # MuJoCo moved the mesh to its principal axes; the file's own place counts
    np.testing.assert_allclose([points.min(axis=0), points.max(axis=0)], [low, high], atol=1e-4)


# --- in the browser -----------------------------------------------------------------------------------------------


def test_the_switch_between_meshes_and_model(browser, tmp_path):
    write(tmp_path / "block.dae", block((255, 128, 0, 255)))
    simple = [{**shape, "xyz": [0, 0.5 * k, 1]} for k, (shape, _) in enumerate(SOLIDS)]
    robot = arm(tmp_path, {"type": "mesh", "file": "block.dae", "colour": [0, 1, 0, 0.5]}, *simple)
    t = np.linspace(0, 1, 11)
    path = write_html(tmp_path / "a.html", robot, t, np.stack([t, t], axis=1), [], title="arm")
    opened = Opened(browser, path)
    switch = opened.page.get_by_test_id("show-meshes")
    assert switch.is_checked()
    dressed = opened.picture()
    switch.click()
    bare = opened.picture(other_than=dressed)
    switch.click()
    dressed = opened.picture(other_than=bare)
    switch.click()
    assert opened.picture(other_than=dressed) == bare
    assert opened.complaints == []


def test_no_switch_without_shapes(browser, tmp_path):
    robot = redyn.load("three-link")
    opened = Opened(browser, write_html(tmp_path / "a.html", robot, 0, robot.initial, [], title="still"))
    assert opened.page.get_by_test_id("show-meshes").count() == 0
    assert opened.page.get_by_test_id("show-trace").count() == 1
    assert opened.complaints == []
