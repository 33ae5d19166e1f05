"""SDF written by tests, and a second reading of SDF files by the standard library, for comparison."""

import re
import warnings
import xml.etree.ElementTree as ET

import numpy as np

import redyn
from redyn.description.packages import robots_folder
from redyn.description.placement import rpy_rotation, translation

INERTIAL = """<inertial><pose>0.1 0.2 0.3 0.1 0.2 0.3</pose><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.2</iyy>
  <izz>0.25</izz><ixy>0.01</ixy><ixz>-0.02</ixz><iyz>0.03</iyz></inertia></inertial>"""
CASSIE = robots_folder() / "cassie_description" / "robots"


def pose(text):
    """A <pose> of six numbers."""
    x, y, z, *rpy = map(float, (text or "0 0 0 0 0 0").split())
    return translation(x, y, z) @ rpy_rotation(*rpy)


def link(name, place="", inside=INERTIAL, attributes=""):
    placed = f"<pose {attributes}>{place}</pose>" if place else ""
    return f'<link name="{name}">{placed}{inside}</link>'


def joint(name, parent, child, kind="revolute", inside="<axis><xyz>0 0 1</xyz></axis>"):
    return f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{inside}</joint>'


def sdf(*parts, version="1.7", model='name="m"'):
    return f'<sdf version="{version}"><model {model}>\n' + "\n".join(parts) + "\n</model></sdf>\n"


def load(tmp_path, text, read=redyn.load, **options):
    """A robot, and what is said about it."""
    path = tmp_path / "robot.sdf"
    path.write_text(text, encoding="utf-8")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        robot = read(path, **options)
    return robot, [str(item.message) for item in caught]


FOUR_BAR = (
    link("crank", "0 0 0 0 0 0"),
    link("coupler", "0.3 0 0 0 0 0"),
    link("rod", "0.8 0 0 0 0 0.5"),
    joint("crank", "world", "crank"),
    joint("coupler", "crank", "coupler"),
    joint("rod", "world", "rod"),
)
CLOSING = joint("cut", "rod", "coupler", inside="<pose>0.7 0.2 0 0 0 0</pose><axis><xyz>0 0 1</xyz></axis>")


class File:
    """A file of one model whose links have poses in it, and whose joints have them in their children."""

    def __init__(self, path):
        text = re.sub(r"<\?xml.*?\?>", "", path.read_text())
        model = ET.fromstring(text).find("model")
        self.links = {item.get("name"): item for item in model.findall("link")}
        self.joints = {item.get("name"): item for item in model.findall("joint")}
        self.places = {name: pose(item.findtext("pose")) for name, item in self.links.items()}

    def ends(self, name):
        return tuple(self.joints[name].findtext(tag).strip() for tag in ("parent", "child"))

    def joint_place(self, name):
        return self.places[self.ends(name)[1]] @ pose(self.joints[name].findtext("pose"))

    def axis(self, name):
        """In the model."""
        item = self.joints[name]
        axis = np.array(item.findtext("axis/xyz").split(), dtype=float)
        if item.findtext("axis/use_parent_model_frame", "0").strip() not in ("1", "true"):
            axis = self.joint_place(name)[:3, :3] @ axis
        return axis / np.linalg.norm(axis)

    def inertia(self, name):
        """Mass, place of the mass centre and tensor there, in the axes of that place."""
        body = self.links[name].find("inertial")
        entry = {key: float(body.findtext(f"inertia/i{key}", "0")) for key in ("xx", "xy", "xz", "yy", "yz", "zz")}
        tensor = np.array([[entry["".join(sorted(a + b))] for a in "xyz"] for b in "xyz"])
        return float(body.findtext("mass")), self.places[name] @ pose(body.findtext("pose")), tensor


def pinocchio_tree(file, root, names):
    """A tree of these joints on a link that is fixed to the world."""
    import pinocchio as pin

    model, numbers, frames = pin.Model(), {root: 0}, {root: np.eye(4)}
    carried = {}
    for name in reversed(names):
        carried.setdefault(file.ends(name)[0], []).append(name)
    waiting = list(carried[root])
    while waiting:  # depth first, as Pinocchio wants it
        name = waiting.pop()
        (parent, child), place, kind = file.ends(name), file.joint_place(name), file.joints[name].get("type")
        if kind == "ball":
            motion = pin.JointModelSpherical()
        else:
            along = place[:3, :3].T @ file.axis(name)
            motion = (pin.JointModelPrismaticUnaligned if kind == "prismatic" else pin.JointModelRevoluteUnaligned)(
                along
            )
        there = np.linalg.inv(frames[parent]) @ place
        numbers[child], frames[child] = model.addJoint(numbers[parent], motion, pin.SE3(there), name), place
        mass, at, tensor = file.inertia(child)
        body = pin.Inertia(mass, np.zeros(3), tensor)
        model.appendBodyToJoint(numbers[child], body, pin.SE3(np.linalg.inv(place) @ at))
        waiting += carried.get(child, [])
    return model
