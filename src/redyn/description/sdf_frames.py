"""Where the links, joints and frames of an SDF model are, and which link each of them moves with.

A pose is relative to the frame that its attribute names (relative_to from version 1.7 on, frame before). By default
that of a link is relative to the model, of a joint to its child, of a frame to what it is attached to. All poses here
are in the world, with the joints of the model at zero.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from redyn.description.placement import quaternion_rotation, rpy_rotation, translation
from redyn.description.schema import WORLD, is_unit
from redyn.description.xml_file import Element
from redyn.description.xml_robot import by_name, shown
from redyn.words import suggestion

Array = NDArray[np.float64]
Key = tuple[str, str]  # the tag and the name of an element

MODEL = "__model__"
_MODEL, _WORLD = ("model", MODEL), ("model", WORLD)


def is_true(text: str) -> bool:
    return text.strip().lower() in ("1", "true")


class Frames:
    def __init__(self, model: Element, version: tuple[int, int]) -> None:
        self.version = version
        self.links, self.joints = by_name(model.all("link")), by_name(model.all("joint"))
        self.frames = by_name(model.all("frame")) if version >= (1, 7) else {}  # without a meaning before
        self._model = model
        self._carriers: dict[Key, str] = {}
        self._poses: dict[Key, Array] = {_MODEL: np.eye(4), _WORLD: np.eye(4)}
        placement = model.attributes.get("placement_frame", "").strip()
        start = raw_pose(model) @ np.linalg.inv(self.named(model, placement) if placement else np.eye(4))
        self._poses = {_MODEL: start, _WORLD: np.eye(4)}

    def link(self, name: str) -> Array:
        return np.eye(4) if name == WORLD else self._pose(("link", name))

    def joint(self, name: str) -> Array:
        return self._pose(("joint", name))

    def frame(self, name: str) -> Array:
        return self._pose(("frame", name))

    def named(self, element: Element, name: str) -> Array:
        """The frame that an attribute of an element names."""
        return self._pose(self._key(element, name))

    def local(self, element: Element, link: str) -> Array:
        """The <pose> of an element of a link, in the frame of the link."""
        pose = element.find("pose")
        other = _relative_to(pose)
        if pose is None or not other:
            return raw_pose(element)
        return np.linalg.inv(self.link(link)) @ self.named(pose, other) @ raw_pose(element)

    def axis(self, joint: Element, tag: str) -> Array:
        """A unit vector in the world, of <axis> or <axis2>.

        It is given in the frame of the joint, unless the attribute expressed_in names another (from version 1.7 on), or
        in that of the model: in versions up to 1.4, and where use_parent_model_frame says so.
        """
        axis = joint.find(tag)
        xyz = None if axis is None else axis.find("xyz")
        vector = np.array((0.0, 0.0, 1.0) if xyz is None else xyz.content_numbers(3))
        length = float(np.linalg.norm(vector))
        if not 1e-6 < length < 1e6:
            raise (xyz or joint).error(f"{shown(joint)}: the axis is zero; expected a direction such as 0 0 1")
        frame = "" if xyz is None else xyz.attributes.get("expressed_in", "").strip()
        of_model = self.version <= (1, 4) or (axis is not None and is_true(axis.content_of("use_parent_model_frame")))
        if frame:
            pose = self.named(xyz or joint, frame)
        else:
            pose = self._poses[_MODEL] if of_model else self.joint(joint.text("name"))
        return pose[:3, :3] @ vector / length

    def carrier(self, element: Element, name: str) -> str:
        """The link that a frame moves with, or the world."""
        path: dict[Key, None] = {}  # ordered set
        key = self._key(element, name)
        while key not in self._carriers and key[0] != "link" and key != _WORLD:
            if key in path:
                raise element.error(f"frame {name[:60]!r} is attached to itself")
            path[key] = None
            key = self._attached_to(key)
        self._carriers |= dict.fromkeys(path, self._carriers.get(key, key[1]))
        return self._carriers.get(key, key[1])

    def _attached_to(self, key: Key) -> Key:
        """A joint moves with its child, the model with its canonical link."""
        if key == _MODEL:
            named = self._model.attributes.get("canonical_link", "").strip() or next(iter(self.links), "")
            return self._key(self._model, named)
        source = self._element(key)
        named = source.content_of("child") if key[0] == "joint" else source.attributes.get("attached_to", "")
        return self._key(source, named.strip() or MODEL)

    def _key(self, element: Element, name: str) -> Key:
        if name in (MODEL, WORLD):
            return _MODEL if name == MODEL else _WORLD
        for tag, known in (("link", self.links), ("joint", self.joints), ("frame", self.frames)):
            if name in known:
                return tag, name
        raise element.error(
            f"no link, joint or frame is called {name[:60]!r}"
            f"{suggestion(name, [*self.links, *self.joints, *self.frames])}"
        )

    def _element(self, key: Key) -> Element:
        return {"link": self.links, "joint": self.joints, "frame": self.frames}[key[0]][key[1]]

    def _pose(self, key: Key) -> Array:
        path: dict[Key, None] = {}  # ordered set
        at = key
        while at not in self._poses:
            if at in path:
                raise self._element(at).error(f"the pose of {shown(self._element(at))} is relative to itself")
            path[at] = None
            at = self._base(at)
        for step in reversed(path):
            self._poses[step] = self._poses[at] @ raw_pose(self._element(step))
            at = step
        return self._poses[key]

    def _base(self, key: Key) -> Key:
        """The frame that a pose is relative to."""
        element = self._element(key)
        named = _relative_to(element.find("pose"))
        if not named and key[0] == "joint":
            named = element.content_of("child")
        elif not named and key[0] == "frame":
            named = element.attributes.get("attached_to", "").strip()
        return self._key(element, named or MODEL)


def _relative_to(pose: Element | None) -> str:
    if pose is None:
        return ""
    return (pose.attributes.get("relative_to") or pose.attributes.get("frame", "")).strip()


def raw_pose(element: Element) -> Array:
    """The <pose> of an element as it stands: the identity if it has none."""
    pose = element.find("pose")
    if pose is None or not pose.content.strip():
        return np.eye(4)
    if pose.attributes.get("rotation_format", "euler_rpy") == "quat_xyzw":
        x, y, z, *turn = pose.content_numbers(7)
        if not is_unit(turn):
            raise pose.error("<pose>: the quaternion x y z w does not have norm 1")
        T = translation(x, y, z)
        T[:3, :3] = quaternion_rotation(*turn)
        return T
    x, y, z, *angles = pose.content_numbers(6)
    if is_true(pose.attributes.get("degrees", "")):
        angles = [math.radians(angle) for angle in angles]
    return translation(x, y, z) @ rpy_rotation(*angles)
