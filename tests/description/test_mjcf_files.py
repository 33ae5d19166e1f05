"""What an MJCF file may read and how much it may ask for: checked before MuJoCo opens or allocates anything."""

import pickle
import re
import warnings
from inspect import signature

import pytest

import redyn
from commands import printed
from known_robots import outcome
from redyn.cli.main import app
from redyn.description import mjcf
from redyn.description.meshes import mesh_path
from work import Calls

pytest.importorskip("mujoco")

WEDGE = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
BODY = '<body name="{}"><joint/><geom size="1"/></body>'
MESH = '<asset><mesh name="m" file="{}"/></asset>'
DRAWN = '<worldbody><body name="b"><joint/><geom type="mesh" mesh="m"/></body></worldbody>'


def quietly(call, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", redyn.RedynWarning)
        return call(*arguments, **options)


@pytest.fixture
def tree(tmp_path):
    """A function that writes files; what lies in `work/model` is the model's own, the rest is not."""

    def write(**files):
        for name, text in files.items():
            path = tmp_path / "work" / name.replace("__", "/").replace("_xml", ".xml").replace("_obj", ".obj")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"<mujoco>{text}</mujoco>" if path.suffix == ".xml" else text)
        return tmp_path / "work/model/robot.xml"

    return write


ATTACH = (
    '<asset><model name="s" file="{}"/></asset><worldbody>'
    + BODY.format("a")
    + ('<body name="c"><attach model="s" body="b" prefix="p"/></body></worldbody>')
)
OUTSIDE = {  # in each of them MuJoCo would open a file that is there
    "the folder of meshes in an included file": {
        "model__robot_xml": MESH.format("m.obj") + DRAWN + '<include file="part.xml"/>',
        "model__part_xml": '<compiler meshdir="../other"/>',
    },
    "the folder of assets in an included file": {
        "model__robot_xml": '<include file="parts/part.xml"/>' + MESH.format("m.obj") + DRAWN,
        "model__parts__part_xml": '<compiler assetdir="../other"/>',
    },
    "the last of two compilers": {
        "model__robot_xml": '<compiler meshdir="."/>' + MESH.format("m.obj") + DRAWN + '<compiler meshdir="../other"/>',
        "model__m_obj": WEDGE,
    },
    "a mesh of an included file": {
        "model__robot_xml": '<include file="parts/part.xml"/>' + DRAWN,
        "model__parts__part_xml": MESH.format("../../other/m.obj"),
    },
    "a mesh by a backslash": {"model__robot_xml": MESH.format("..\\other\\m.obj") + DRAWN},
    "an included file of an included file": {
        "model__robot_xml": '<include file="parts/part.xml"/>',
        "model__parts__part_xml": '<include file="../../other/body.xml"/>',
    },
    "an included file that lies beside the main one too": {
        "model__robot_xml": '<include file="parts/part.xml"/>',
        "model__parts__part_xml": '<include file="../../other/body.xml"/>',
        "model__other__body_xml": "",
        "model__parts__other__body_xml": "",
    },
    "a model": {"model__robot_xml": ATTACH.format("../other/body.xml")},
    "a mesh of a model": {
        "model__robot_xml": ATTACH.format("parts/part.xml"),
        "model__parts__part_xml": '<compiler meshdir="../../other"/>' + MESH.format("m.obj") + DRAWN,
    },
    "an included file of a model": {
        "model__robot_xml": ATTACH.format("parts/part.xml"),
        "model__parts__part_xml": '<include file="../../other/body.xml"/>',
    },
}


@pytest.mark.parametrize("case", OUTSIDE)
def test_no_file_leads_out_of_the_folder(tree, case):
    files = {"other__m_obj": WEDGE, "other__body_xml": f"<worldbody>{BODY.format('b')}</worldbody>"}
    path = tree(**files | OUTSIDE[case])
    message = r"\.xml:1: \w+\.(obj|xml): leads outside the folder of the model.*if you trust the file.*trust='files'"
    with pytest.raises(redyn.DescriptionError, match=message):
        redyn.load(path)
    robot = quietly(redyn.load, path, trust="files")
    assert robot.dof >= 1


def test_absolute_folders_and_files(tree, tmp_path):
    (tmp_path / "work/other").mkdir(parents=True)
    (tmp_path / "work/other/m.obj").write_text(WEDGE)
    other = (tmp_path / "work/other").as_posix()
    for text in (f'<compiler meshdir="{other}"/>{MESH.format("m.obj")}{DRAWN}', MESH.format(f"{other}/m.obj") + DRAWN):
        path = tree(model__robot_xml=text)
        with pytest.raises(redyn.DescriptionError, match="leads outside"):
            redyn.load(path)
        assert quietly(redyn.load, path, trust="files").dof == 1


def test_links_to_folders(tree, tmp_path):
    path = tree(
        model__robot_xml='<compiler meshdir="meshes"/><include file="part.xml"/>' + DRAWN,
        model__part_xml=MESH.format("m.obj"),
        other__m_obj=WEDGE,
    )
    try:
        (tmp_path / "work/model/meshes").symlink_to(tmp_path / "work/other")
    except OSError:
        pytest.skip("no symbolic links here")
    with pytest.raises(redyn.DescriptionError, match=r"part\.xml:1: m\.obj: leads outside"):
        redyn.load(path)


INSIDE = {  # as public models have it
    "meshes beside an included file": {
        "model__robot_xml": '<include file="parts/a/part.xml"/>' + DRAWN,
        "model__parts__a__part_xml": MESH.format("../meshes/m.obj"),
        "model__parts__meshes__m_obj": WEDGE,
    },
    "a folder named in an included file": {
        "model__robot_xml": '<include file="parts/part.xml"/>' + MESH.format("m.obj") + DRAWN,
        "model__parts__part_xml": '<compiler meshdir="meshes"/>',
        "model__meshes__m_obj": WEDGE,
    },
    "a model with its own meshes": {
        "model__robot_xml": ATTACH.format("parts/part.xml"),
        "model__parts__part_xml": '<compiler meshdir="../meshes"/>' + MESH.format("m.obj") + DRAWN,
        "model__meshes__m_obj": WEDGE,
    },
    "the folders of names dropped": {
        "model__robot_xml": '<compiler strippath="true" meshdir="meshes"/>' + MESH.format("../../cad/m.obj") + DRAWN,
        "model__meshes__m_obj": WEDGE,
    },
    "pictures, which are not read": {
        "model__robot_xml": '<asset><texture name="t" type="2d" file="../../other/t.png"/>'
        '<material name="x" texture="t"/></asset><worldbody><body name="b"><joint/>'
        '<geom size="1" material="x"/></body></worldbody>',
    },
    "heights, which are not read": {
        "model__robot_xml": '<asset><hfield name="h" file="missing.png" size="1 1 1 1"/></asset><worldbody>'
        '<geom type="hfield" hfield="h"/><body name="b"><joint/><geom size="1"/></body></worldbody>',
    },
}


@pytest.mark.parametrize("case", INSIDE)
def test_what_public_models_do_is_allowed(tree, case):
    robot = quietly(redyn.load, tree(**INSIDE[case]))
    assert robot.dof >= 1
    for link in robot.description.links:
        for shape in link.visual:
            assert shape.type != "mesh" or mesh_path(robot.description, shape).is_file()


def test_a_model_that_contains_itself(tree):
    with pytest.raises(redyn.DescriptionError, match=r"contains itself"):
        redyn.load(tree(model__robot_xml=ATTACH.format("robot.xml")))


def test_a_folder_for_a_mesh(tree, tmp_path):
    (tmp_path / "work/model/m.obj").mkdir(parents=True)
    with pytest.raises(redyn.DescriptionError, match=r"'m\.obj' is not a regular file"):
        redyn.load(tree(model__robot_xml=MESH.format("m.obj") + DRAWN))


def nested_includes(levels):
    """Files that include each other, each with a few bodies inside each other."""
    files = {}
    for i in range(levels):
        inner = f'<include file="p{i + 1}.xml"/>' if i + 1 < levels else ""
        bodies = '<body><joint/><geom size="1"/>' * 9
        files[f"model__p{i}_xml"] = bodies + inner + "</body>" * 9
    return {"model__robot_xml": '<worldbody><include file="p0.xml"/></worldbody>', **files}


def doubling(levels):
    """Models that attach the next one twice."""
    files = {}
    for i in range(levels):
        name = "robot" if i == 0 else f"p{i}"
        twice = "".join(f'<body name="c{k}"><attach model="s" body="b" prefix="p{k}"/></body>' for k in "xy")
        assets = f'<asset><model name="s" file="p{i + 1}.xml"/></asset>' if i + 1 < levels else ""
        inner = twice if assets else ""
        files[f"model__{name}_xml"] = f'{assets}<worldbody><body name="b"><geom size="1"/>{inner}</body></worldbody>'
    return files


B = BODY.format("b")
TWICE = f'<replicate count="4000">{B}</replicate>'
AMOUNTS = {
    "copies": ({"model__robot_xml": f'<worldbody><replicate count="1000000">{B}</replicate></worldbody>'}, "copies"),
    "copies of nothing": (
        {"model__robot_xml": f'<worldbody>{B}<replicate count="1000000000"/></worldbody>'},
        r"robot\.xml:1: <replicate> makes more than 10,000 copies",
    ),
    "copies beside each other": (
        {"model__robot_xml": f"<worldbody>{TWICE * 2}</worldbody>"},
        "<worldbody> makes more than 5,000 bodies, with all copies",
    ),
    "copies of an included file": (
        {
            "model__robot_xml": '<worldbody><replicate count="3000"><include file="part.xml"/></replicate></worldbody>',
            "model__part_xml": B * 2,
        },
        "<replicate> makes more than 5,000 bodies, with all copies",
    ),
    "copies of copies across files": (
        {
            "model__robot_xml": '<worldbody><replicate count="200"><include file="part.xml"/></replicate></worldbody>',
            "model__part_xml": '<replicate count="200"><site/></replicate>',
        },
        r"part\.xml:1: <replicate> makes more than 10,000 copies",
    ),
    "copies of a model": (
        {
            "model__robot_xml": '<asset><model name="s" file="part.xml"/></asset><worldbody><replicate count="4000">'
            '<body><attach model="s" body="b" prefix="p"/></body></replicate></worldbody>',
            "model__part_xml": f"<worldbody>{B}</worldbody>",
        },
        "more than 5,000 bodies",
    ),
    "models that attach models": (doubling(30), "more than 5,000 bodies"),
    "bodies in several files": (
        {
            "model__robot_xml": '<worldbody><include file="a.xml"/><include file="b.xml"/></worldbody>',
            "model__a_xml": B * 3000,
            "model__b_xml": B * 3000,
        },
        r"robot\.xml:1: <worldbody> makes more than 5,000 bodies",
    ),
    "sites": (
        {"model__robot_xml": f'<worldbody>{B}<replicate count="9000">{"<site/>" * 100}</replicate></worldbody>'},
        "more than 200,000 elements, with all copies",
    ),
    "bodies inside bodies across files": (
        nested_includes(40),
        "more than 200 levels of elements, with what is included",
    ),
    "chains of copies": (
        {
            "model__robot_xml": "<worldbody>"
            + '<replicate count="25">'
            + '<body><joint type="free"/><geom size="1"/>' * 190
            + "</body>" * 190
            + "</replicate></worldbody>"
        },
        "pairs of joints that carry each other",
    ),
    "a lattice": (
        {"model__robot_xml": '<worldbody><flexcomp name="f" type="grid" count="30 30 9" spacing="1 1 1"/></worldbody>'},
        "<flexcomp> makes more than 5,000 bodies",
    ),
    "cells of a lattice": (
        {
            "model__robot_xml": '<worldbody><flexcomp name="f" type="grid" count="3 3 3" cellcount="200 200 200" '
            'dof="trilinear" spacing="1 1 1"/></worldbody>'
        },
        "<flexcomp> makes more than 5,000 bodies",
    ),
    "copies of a lattice": (
        {
            "model__robot_xml": '<worldbody><replicate count="100"><flexcomp name="f" type="grid" count="8 8 8" '
            'spacing="1 1 1"/></replicate></worldbody>'
        },
        "more than 10,000 copies",
    ),
    "a lattice of a mesh": (
        {
            "model__robot_xml": '<worldbody><flexcomp name="f" type="mesh" file="f.obj"/></worldbody>',
            "model__f_obj": "v 0 0 0\n" * 6000 + "f 1 2 3\n",
        },
        "<flexcomp> makes more than 5,000 bodies",
    ),
    "a computed mesh": (
        {"model__robot_xml": f'<asset><mesh name="m" builtin="supersphere" params="3000 1 1"/></asset>{DRAWN}'},
        "<mesh params=...> is more than 360",
    ),
    "a picture in the defaults": (
        {"model__robot_xml": '<default><texture width="100000" height="100000"/></default>'},
        "<texture width=...> is more than 8,192",
    ),
    "a picture in an included file": (
        {
            "model__robot_xml": '<include file="part.xml"/>',
            "model__part_xml": '<asset><texture name="t" builtin="flat" width="100000" height="9"/></asset>',
        },
        r"part\.xml:1: <texture width=...> is more than",
    ),
    "keys": ({"model__robot_xml": '<size nkey="1000000"/>'}, "<size nkey=...> is more than 10,000"),
    "numbers of users": (
        {"model__robot_xml": '<size nuser_body="1000000"/>'},
        "<size nuser_body=...> is more than 1,000",
    ),
    "a sensor": (
        {"model__robot_xml": '<sensor><user dim="100000000"/></sensor>'},
        "<user dim=...> is more than 10,000",
    ),
    "contacts of a sensor": (
        {"model__robot_xml": '<sensor><contact num="1e8"/></sensor>'},
        "<contact num=...> is more",
    ),
    "many sensors": (
        {"model__robot_xml": "<sensor>" + '<user dim="9000"/>' * 200 + "</sensor>"},
        "more than 1,000,000 numbers in sensors and actuators",
    ),
    "an actuator": (
        {"model__robot_xml": '<actuator><general joint="j" dyntype="user" actdim="100000000"/></actuator>'},
        "<general actdim=...> is more than 10,000",
    ),
    "sensors that double": (
        {"model__robot_xml": f'<worldbody><replicate count="100">{B}</replicate></worldbody><sensor><clock/></sensor>'},
        "doubles the sensors that refer to no object .*of which there are 100",
    ),
    "sensors of a model that double": (
        {
            "model__robot_xml": '<asset><model name="s" file="part.xml"/></asset><worldbody><replicate count="50">'
            '<body><attach model="s" body="b" prefix="p"/></body></replicate></worldbody>',
            "model__part_xml": f'<worldbody>{B}</worldbody><sensor><user name="u" dim="1"/></sensor>',
        },
        "doubles the sensors that refer to no object .*of which there are 50",
    ),
    "copies of sensors": (
        {
            "model__robot_xml": f'<worldbody><replicate count="900">{B}</replicate></worldbody>'
            "<sensor>" + '<framepos objtype="body" objname="b"/>' * 900 + "</sensor>"
        },
        "more than 200,000 sensors, actuators and the like, copied",
    ),
    "meshes": (
        {"model__robot_xml": "".join(f'<asset><mesh name="m{i}" file="m.obj"/></asset>' for i in range(101))},
        "more than 100,000,000 bytes of meshes",
    ),
}


@pytest.mark.parametrize("case", AMOUNTS)
@pytest.mark.parametrize("trust", [None, "files"])
def test_amounts_are_checked_before_mujoco_starts(tree, case, trust, monkeypatch):
    files, message = AMOUNTS[case]
    path = tree(**files)
    if case == "meshes":
        with (path.parent / "m.obj").open("wb") as file:
            file.truncate(1_000_000)

    def never(path):
        pytest.fail("MuJoCo was started")

    monkeypatch.setattr(mjcf, "compiled", never)
    with Calls() as calls, pytest.raises(redyn.DescriptionError, match=message) as caught:
        redyn.load(path, trust=trust)
    assert calls.count < 5_000_000
    assert len(str(caught.value)) < 500


@pytest.mark.slow
def test_many_elements_in_many_files(tree):
    files = {f"model__p{i}_xml": "<a/>" * 30_000 for i in range(10)}
    path = tree(model__robot_xml="".join(f'<include file="p{i}.xml"/>' for i in range(10)), **files)
    with pytest.raises(redyn.DescriptionError, match="more than 200,000 elements, includes counted"):
        redyn.load(path)


def test_what_robots_need_is_no_large_amount(tree):
    """A hundred copies, and what is dropped before MuJoCo makes it."""
    path = tree(
        model__robot_xml='<size nuserdata="900000" nkey="9000"/><asset><texture name="t" type="cube" builtin="flat" '
        f'width="8000" height="8000"/></asset><worldbody><replicate count="100">{B}</replicate></worldbody>'
    )
    model = mjcf.compiled(path)
    assert (model.ntexdata, model.nkey, model.nuserdata, model.nbody) == (18, 0, 0, 101)
    assert quietly(redyn.load, path).dof == 100


def test_what_refers_to_pictures_and_terrain(tree):
    path = tree(
        model__robot_xml='<asset><hfield name="h" nrow="900" ncol="900" size="1 1 1 1"/>'
        '<texture name="t" type="skybox" builtin="flat" width="9" height="9"/></asset><worldbody>'
        '<geom name="floor" type="hfield" hfield="h"/>'
        '<body name="b"><joint/><geom name="g" size="1"/></body></worldbody>'
        '<contact><pair geom1="floor" geom2="g"/></contact><sensor><clock/></sensor>'
        '<custom><tuple name="x"><element objtype="geom" objname="floor"/><element objtype="texture" objname="t"/>'
        "</tuple></custom>"
    )
    model = mjcf.compiled(path)
    assert (model.ntexdata, model.nhfielddata, model.ngeom, model.npair) == (18, 4, 2, 1)


def test_muscles_are_not_simulated(tree):
    path = tree(
        model__robot_xml='<compiler><lengthrange inttotal="1e9" mode="all" useexisting="false" uselimit="false"/>'
        "</compiler>"
        '<worldbody><body><joint name="j" range="0 1"/><geom size="1"/></body></worldbody>'
        '<actuator><muscle joint="j"/></actuator>'
    )
    assert quietly(redyn.load, path).dof == 1


def test_meshes_of_a_trusted_file_are_found_later(tree, tmp_path):
    path = tree(model__robot_xml='<compiler meshdir="../other"/>' + MESH.format("m.obj") + DRAWN, other__m_obj=WEDGE)
    robot = quietly(redyn.load, path, trust="files")
    plain = redyn.load("two-link")
    for one in (
        pickle.loads(pickle.dumps(robot)),
        robot.with_payload(1.0),
        robot.attach(plain),
        plain.attach(robot),
        redyn.Robot(robot.description.model_copy(update={"name": "other"})),
    ):
        (shape,) = [shape for link in one.description.links for shape in link.visual]
        assert mesh_path(one.description, shape) == tmp_path / "work/other/m.obj"


URDF = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="{}"/></geometry></visual></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>"""


@pytest.mark.parametrize("form", ["../other/m.obj", "{}", "file://{}"])
def test_meshes_of_a_trusted_urdf(tree, tmp_path, form):
    tree(other__m_obj=WEDGE, model__readme_xml="")
    mesh = tmp_path / "work/other/m.obj"
    path = tmp_path / "work/model/arm.urdf"
    path.write_text(URDF.format(form.format(mesh.as_posix())))

    def place(**options):
        description = redyn.load(path, **options).description
        return mesh_path(description, description.links[1].visual[0])

    with pytest.raises(
        redyn.DescriptionError, match=r"leads outside.*trust='files' \(--trust files on the command line\)"
    ):
        place()
    assert place(trust="files") == mesh.resolve()


@pytest.mark.parametrize("name", ["http://example.org/m.obj", "https://x/m.obj", "ftp://x/m.obj"])
def test_nothing_is_fetched_for_a_trusted_file(tmp_path, name):
    path = tmp_path / "arm.urdf"
    path.write_text(URDF.format(name))
    description = redyn.load(path, trust="files").description
    with pytest.raises(redyn.DescriptionError, match="leads outside"):
        mesh_path(description, description.links[1].visual[0])


LOADING = [
    "count",
    "dh",
    "equations",
    "export",
    "show",
    "simulate",
    "torque",
    "verify",
    "parameters",
    "excite",
    "identify",
]


def test_trust_on_the_command_line(tree):
    path = tree(model__robot_xml='<compiler meshdir="../other"/>' + MESH.format("m.obj") + DRAWN, other__m_obj=WEDGE)
    for more, code in ((["--trust", "files"], 0), ([], 2), (["--trust", "all"], 2)):
        printed("show", path, *more, code=code)
    names = {command.name: signature(command.callback).parameters for command in app.registered_commands}
    assert all("trust" in names[command] for command in LOADING)
    assert "trust" not in names["studio"]  # where strangers upload


@pytest.mark.parametrize("trust", ["all", True, "", "Files"])
def test_what_trust_may_be(trust):
    with pytest.raises(redyn.InputError, match="trust: expected 'files' or None"):
        redyn.load("puma", trust=trust)


@pytest.mark.parametrize(
    "name",
    ["", " ", "&#10;", "a&#10;b", "x" * 5000, "..", ".", "//host/share", "C:\\m.obj", "~/m.obj", "m.obj\x7f", "é"],
)
def test_hostile_names_of_files(tree, name):
    """Whatever is named, a robot or a clear error comes out."""
    for text in (f'<include file="{name}"/>' + DRAWN, MESH.format(name) + DRAWN, ATTACH.format(name)):
        assert re.search(r"robot\.xml(:1)?: ", outcome(tree(model__robot_xml=text)))


@pytest.mark.parametrize("folder", ["//host/share", "\\\\host\\share", "C:/meshes", "file:///tmp", "smb://x"])
def test_folders_of_other_machines(tree, folder):
    path = tree(model__robot_xml=f'<compiler meshdir="{folder}"/>' + MESH.format("m.obj") + DRAWN, model__m_obj=WEDGE)
    with pytest.raises(redyn.DescriptionError, match=r"robot\.xml:1: .*leads outside"):
        redyn.load(path)


def test_many_folders_and_many_names(tree):
    many = "".join(f'<compiler meshdir="a{i}"/>' for i in range(50))
    with pytest.raises(redyn.DescriptionError, match="more than 10 folders of meshes"):
        redyn.load(tree(model__robot_xml=many))
    many = "".join(f'<mesh name="m{i}" file="m{i}.obj"/>' for i in range(6000))
    with pytest.raises(redyn.DescriptionError, match="names more than 5,000 files"):
        redyn.load(tree(model__robot_xml=f"<asset>{many}</asset>"))


def test_a_model_whose_name_mujoco_makes(tree):
    """It is counted though nobody here knows its name."""
    path = tree(
        model__robot_xml='<asset><model file="part.xml"/></asset><worldbody><replicate count="4000"><body>'
        '<attach model="another" body="b" prefix="p"/></body></replicate></worldbody>',
        model__part_xml=f"<worldbody>{B}</worldbody>",
    )
    with pytest.raises(redyn.DescriptionError, match="more than 5,000 bodies"):
        redyn.load(path)
