"""xacro files are expanded by the package xacro, which sees neither Python nor files that it should not."""

import pytest

import redyn
from redyn.description.xacro_expand import check_expression

SPACE = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'
MACRO = f"""<robot {SPACE}>
  <xacro:property name="width" value="0.1"/>
  <xacro:macro name="bar" params="name mass length">
    <link name="${{name}}">
      <inertial>
        <origin xyz="0 0 ${{length / 2}}"/>
        <mass value="${{mass}}"/>
        <inertia ixx="${{mass * (width**2 + length**2) / 12}}" ixy="0" ixz="0"
          iyy="${{mass * (width**2 + length**2) / 12}}" iyz="0" izz="${{mass * width**2 / 6}}"/>
      </inertial>
      <visual><geometry><mesh filename="file://$(find arm_description)/meshes/bar.stl"/></geometry></visual>
    </link>
  </xacro:macro>
</robot>
"""
ARM = f"""<robot name="arm" {SPACE}>
  <xacro:arg name="joints" default="2"/>
  <xacro:include filename="$(find arm_description)/urdf/bar.xacro"/>
  <xacro:include filename="inc/empty.xacro"/>
  <xacro:property name="data" value="${{xacro.load_yaml('masses.yaml')}}"/>
  <link name="base"/>
  <xacro:bar name="upper" mass="${{data['upper']}}" length="0.5"/>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
  <xacro:if value="$(eval joints > 1)">
    <xacro:bar name="fore" mass="1" length="0.4"/>
    <joint name="elbow" type="continuous"><parent link="upper"/><child link="fore"/><axis xyz="0 1 0"/></joint>
  </xacro:if>
</robot>
"""


@pytest.fixture
def file(tmp_path):
    """A ROS package in a workspace."""
    pytest.importorskip("xacro")
    package = tmp_path / "ws" / "src" / "arm_description"
    for name in ("urdf/inc", "meshes"):
        (package / name).mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>arm_description</name></package>")
    (package / "meshes" / "bar.stl").write_text("x")
    (package / "urdf" / "bar.xacro").write_text(MACRO)
    (package / "urdf" / "inc" / "empty.xacro").write_text(f"<robot {SPACE}/>")
    (package / "urdf" / "masses.yaml").write_text("upper: 3.0\n")
    file = package / "urdf" / "arm.urdf.xacro"
    file.write_text(ARM)
    return file


def test_expansion(file):
    robot = redyn.load(file)
    assert robot.joint_names == ["shoulder", "elbow"]
    assert sum(link.mass or 0.0 for link in robot.description.links) == pytest.approx(4.0)
    assert redyn.load(file, arguments={"joints": 1}).joint_names == ["shoulder"]


def test_meshes_are_those_of_the_package(file):
    from redyn.description.meshes import mesh_path

    robot = redyn.load(file)
    (shape,) = next(link for link in robot.description.links if link.name == "upper").visual
    assert shape.file == "package://arm_description/meshes/bar.stl"
    assert mesh_path(robot.description, shape).name == "bar.stl"
    macro = file.parent / "bar.xacro"
    macro.write_text(MACRO.replace("file://$", "file:///$"))
    (shape,) = next(link for link in redyn.load(file).description.links if link.name == "upper").visual
    assert shape.file == "package://arm_description/meshes/bar.stl"


def test_a_file_of_macros(file):
    with pytest.raises(redyn.DescriptionError, match="only defines macros expands to nothing: load the file that"):
        redyn.load(file.parent / "bar.xacro")


def test_xacro_is_left_as_it_was(file):
    import xacro

    before = (xacro.parse, xacro.safe_eval, xacro.abs_filename_spec)
    redyn.load(file)
    assert (xacro.parse, xacro.safe_eval, xacro.abs_filename_spec) == before


def test_a_missing_argument(file):
    file.write_text(ARM.replace('<xacro:arg name="joints" default="2"/>', '<link name="$(arg side)_hand"/>'))
    with pytest.raises(redyn.DescriptionError, match=r"needs the argument 'side': load\(..., arguments="):
        redyn.load(file)


def test_arguments_are_of_xacro():
    with pytest.raises(redyn.InputError, match="only xacro files"):
        redyn.load("puma", arguments={"a": 1})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("""<link name="${open('/etc/passwd').read()}"/>""", "'open' is not defined"),
        ("""<link name="${().__class__.__base__}"/>""", "'__base__' is not allowed"),
        ("""<link name="${(lambda: ().__class__)()}"/>""", "'__class__' is not allowed"),
        ("""<link name="${(x for x in [1]).gi_frame}"/>""", "'gi_frame' is not allowed"),
        ("""<link name="$(eval open)"/>""", "'open' is not allowed"),
        ("""<link name="${'a'.format(1)}"/>""", "'format' is not allowed"),
        ("""<link name="$(env HOME)"/>""", "reads this machine's environment"),
        ("""<xacro:include filename="/etc/passwd"/>""", "leads outside"),
        ("""<xacro:include filename="../../../../secret.xacro"/>""", "leads outside"),
        ("""<xacro:include filename="$(find arm_description)/../../../secret.xacro"/>""", "leads outside"),
        ("""<xacro:include filename="../../../../*.xacro"/>""", "leads outside"),
        ("""<link name="${xacro.load_yaml('/etc/passwd')}"/>""", "leads outside"),
        ("""<xacro:include filename="$(find nowhere)/x.xacro"/>""", "package 'nowhere' is not found"),
        ("""<xacro:include filename="bomb.xacro"/>""", "entities are not allowed"),
        ("""<link name="${'a' * 10000000000}"/>""", "beyond a million"),
        ("""<link name="${1 +}"/>""", "xacro cannot expand it"),
    ],
)
def test_hostile_files(file, text, why):
    (file.parents[4] / "secret.xacro").write_text(f"<robot {SPACE}/>")
    (file.parent / "bomb.xacro").write_text('<!DOCTYPE r [<!ENTITY a "b">]><robot>&a;</robot>')
    file.write_text(ARM.replace('<link name="base"/>', text))
    with pytest.raises(redyn.DescriptionError, match=why.replace("(", r"\(")):
        redyn.load(file)


def test_trusted_files_may_include_others(file):
    (file.parents[4] / "secret.xacro").write_text(f"<robot {SPACE}/>")
    file.write_text(ARM.replace("inc/empty.xacro", "../../../../secret.xacro"))
    assert redyn.load(file, trust="files").dof == 2


def test_expressions_of_robots():
    for text in ("2*pi", "radians(90)", "[1, 2][0]", "a if b else c", "sqrt(x**2)", "d['k'].v", "[x for x in y]"):
        check_expression(text)
