"""Schema of robot files, field by field (pydantic)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, PrivateAttr, model_validator

from redyn.description.fields import (
    Angle,
    Angles,
    Colour,
    Inertia,
    Name,
    NotNegative,
    Number,
    Numbers,
    Pair,
    Positive,
    Range,
    Strict,
    Text,
    Values,
    Vector,
    pair,
)
from redyn.description.flexible_fields import ElasticDescription, FlexibleDescription
from redyn.description.ground_fields import ContactDescription, Contacts, GroundDescription
from redyn.description.numbers import parse_number
from redyn.words import counted

Convention = Literal["dh", "modified-dh", "frames"]
JointType = Literal[
    "revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "spherical", "free", "fixed"
]
LoopType = Literal[
    "revolute", "prismatic", "cylindrical", "planar", "spherical", "universal", "fixed", "distance", "gear"
]
ShapeType = Literal["box", "cylinder", "capsule", "sphere", "ellipsoid", "mesh"]
WORLD = "world"  # the name of link 0

# Names of a joint's entries in q and in qd, if there is more than one.
QUATERNION = ("qx", "qy", "qz", "qw")
COORDINATES: dict[str, tuple[str, ...]] = {
    "cylindrical": ("angle", "along"),
    "universal": ("first", "second"),
    "planar": ("x", "y", "angle"),
    "spherical": QUATERNION,
    "free": ("x", "y", "z", *QUATERNION),
}
ELASTIC = ("motor", "link")  # of a joint with an elastic gear: both sides of it
VELOCITIES: dict[str, tuple[str, ...]] = COORDINATES | {
    "spherical": ("wx", "wy", "wz"),
    "free": ("wx", "wy", "wz", "vx", "vy", "vz"),
}
BODY_RATES = ("vx", "vy")  # of a planar joint, in the axes of what it moves: see RobotDescription.independent
SEVERAL = frozenset(COORDINATES)  # joints with more than one degree of freedom
TURNING = frozenset(kind for kind, names in COORDINATES.items() if names[-4:] == QUATERNION)
NOT_UNIT = 2e-6  # tolerance of the squared norm of a quaternion: about seven digits


def is_unit(quaternion: Sequence[float]) -> bool:
    """Whether four numbers are a unit quaternion, up to rounding in a file."""
    return abs(sum(x * x for x in quaternion) - 1.0) < NOT_UNIT


class MimicDescription(Strict):
    """This joint follows another: q = multiplier * q of `joint` + offset. See `mimic` in `redyn.load`."""

    joint: Name
    multiplier: Number = 1.0
    offset: Angle = 0.0


class JointDescription(Strict):
    """A joint. `joint: revolute` in a file is short for `joint: {type: revolute}`."""

    name: Name | None = None
    type: JointType
    damping: NotNegative = 0.0
    coulomb: NotNegative = 0.0
    smoothing: Annotated[float, Field(ge=1e-12), BeforeValidator(parse_number)] = 1e-3
    armature: NotNegative = 0.0
    stiffness: NotNegative = 0.0  # of a spring at the joint, Nm/rad or N/m
    rest: Angle = 0.0  # where that spring is at rest, in the unit of q
    limits: Range | None = None
    speed_limit: Positive | None = None
    effort_limit: Positive | None = None
    offset: Angle = 0.0
    pitch: Number | None = None  # of a helical joint, in metres per radian
    initial: Values | None = None  # as many as the joint has entries in q
    mimic: MimicDescription | None = None
    elastic: ElasticDescription | None = None  # a gear that gives, between the motor and the link

    @model_validator(mode="after")
    def _consistent(self) -> JointDescription:
        if self.limits is not None and self.limits[0] > self.limits[1]:
            raise ValueError(f"limits: the lower one, {self.limits[0]}, is above the upper one, {self.limits[1]}")
        useful = set(JointDescription.model_fields)
        if self.type == "fixed":
            useful = {"type", "name"}
        elif self.type in SEVERAL:
            useful -= {"limits", "speed_limit", "effort_limit", "offset", "mimic", "elastic"}
            if self.model_fields_set & {"stiffness", "rest"}:
                raise ValueError(
                    f"stiffness, rest: springs act at revolute, prismatic and helical joints, not at a {self.type} one"
                )
        if self.type != "helical":
            useful.discard("pitch")
        useless = sorted(name for name in self.model_fields_set - useful if getattr(self, name) is not None)
        if useless:
            raise ValueError(f"{useless[0]} does not apply to a {self.type} joint")
        if self.elastic is not None:
            if not self.armature:
                raise ValueError("armature is missing; behind an elastic gear it is the inertia of the motor")
            if self.mimic is not None:
                raise ValueError("mimic: a joint with an elastic gear cannot follow another")
        if self.type == "helical" and self.pitch is None:
            raise ValueError("pitch is missing; a helical joint needs it, in metres per radian")
        self._check_initial()
        return self

    def _check_initial(self) -> None:
        names = COORDINATES.get(self.type, ("value",))
        if self.initial is None:
            return
        if len(self.initial) != len(names):
            raise ValueError(
                f"initial: a {self.type} joint needs {', '.join(names)}, got {counted(len(self.initial), 'number')}"
            )
        if self.type in TURNING and not is_unit(self.initial[-4:]):
            raise ValueError("initial: the quaternion qx, qy, qz, qw does not have norm 1")

    @property
    def neutral(self) -> tuple[float, ...]:
        """The neutral entries of q: no rotation, no translation."""
        names = COORDINATES.get(self.type, ("value",))
        return tuple(1.0 if name == "qw" else 0.0 for name in names)


def _joint(value: object) -> object:
    return {"type": value} if isinstance(value, str) else value


_SHAPE_FIELDS: dict[str, set[str]] = {
    "box": {"size"},
    "cylinder": {"radius", "length"},
    "capsule": {"radius", "length"},
    "sphere": {"radius"},
    "ellipsoid": {"size"},
    "mesh": {"file", "scale"},
}


class Shape(Strict):
    """A shape for drawing, placed in the link's frame. Cylinders and capsules are along z."""

    type: ShapeType
    size: Vector | None = None  # side lengths of a box; diameters of an ellipsoid
    radius: NotNegative | None = None
    length: NotNegative | None = None  # of a capsule, without its round ends
    file: Annotated[str, Field(min_length=1, max_length=4096)] | None = None  # see redyn.description.meshes
    scale: Vector | None = None
    xyz: Vector = (0.0, 0.0, 0.0)
    rpy: Angles = (0.0, 0.0, 0.0)
    colour: Colour | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Shape:
        needed = _SHAPE_FIELDS[self.type]
        for field in ("size", "radius", "length", "file", "scale"):
            given = getattr(self, field) is not None
            if given and field not in needed:
                raise ValueError(f"{field} does not apply to a {self.type}")
            if not given and field in needed - {"scale"}:
                raise ValueError(f"a {self.type} needs {field}")
        return self


class LinkDescription(Strict):
    """A link and the joint that carries it. The convention determines which geometry fields apply."""

    name: Name | None = None
    parent: Name | None = None
    joint: Annotated[JointDescription, BeforeValidator(_joint)]
    # dh: a, b, alpha, theta; modified-dh: a, alpha, d, theta; frames: xyz, rpy, axis (axis2 for a universal joint)
    a: Number | None = None
    b: Number | None = None
    d: Number | None = None
    alpha: Angle | None = None
    theta: Angle | None = None
    xyz: Vector | None = None
    rpy: Angles | None = None
    axis: Vector | None = None
    axis2: Vector | None = None
    mass: Number | None = None
    com: Vector | None = None
    r: Vector | None = None
    inertia: Inertia | None = None
    flexible: FlexibleDescription | None = None
    visual: list[Shape] = Field(default_factory=list[Shape])
    collision: list[Shape] = Field(default_factory=list[Shape])


class PlacedFrame(Strict):
    """A frame in that of a link."""

    xyz: Vector = (0.0, 0.0, 0.0)
    rpy: Angles = (0.0, 0.0, 0.0)


_LOOP_FIELDS: dict[str, set[str]] = {
    "gear": {"coefficients"},
    "distance": {"at", "meets", "frames", "length"},
}


class LoopDescription(Strict):
    """A joint that closes a loop: between two links that the tree connects already, or between one and the world.

    It sits at the point `at` of the first link and at the point `meets` of the second, each in the link's own frame,
    with its axis along `axis` of both (z unless given). `frames` gives both frames as a whole instead; their z axes
    are the joint's, and a universal joint turns about x of the first and y of the second. Where `at` stands alone,
    the second frame is where the first one is in the initial pose.

    `distance` is a massless rod of this length with a ball at either end. A `gear` is between two joints: q of the
    second is a polynomial of q of the first.
    """

    name: Name | None = None
    between: Pair
    joint: LoopType
    at: Vector | None = None
    meets: Vector | None = None
    axis: Vector | None = None
    frames: Annotated[tuple[PlacedFrame, PlacedFrame], BeforeValidator(pair)] | None = None
    length: Positive | None = None
    coefficients: Numbers | None = None  # of a gear, the constant first

    @model_validator(mode="after")
    def _consistent(self) -> LoopDescription:
        useful = _LOOP_FIELDS.get(self.joint, {"at", "meets", "axis", "frames"})
        for field in ("at", "meets", "axis", "frames", "length", "coefficients"):
            if getattr(self, field) is not None and field not in useful:
                raise ValueError(f"{field} does not apply to a {self.joint} joint")
        if self.joint == "gear" and self.coefficients is None:
            raise ValueError("coefficients is missing; a gear needs [offset, ratio]")
        if self.joint == "distance" and self.length is None:
            raise ValueError("length is missing; a distance needs it, in metres")
        if self.frames is not None and (self.at or self.meets or self.axis) is not None:
            raise ValueError("frames: give either frames, or at, meets and axis")
        if self.meets is not None and self.at is None:
            raise ValueError("at is missing; meets is the same point in the second link, at in the first")
        if self.axis is not None and not 1e-6 < sum(x * x for x in self.axis) ** 0.5 < 1e6:
            raise ValueError(f"axis: expected a direction such as [0, 0, 1], got {list(self.axis)}")
        return self

    @property
    def from_initial_pose(self) -> bool:
        """Whether the second frame is where the first one is in the initial pose."""
        return self.joint not in ("gear", "distance") and self.at is not None and self.meets is None


class RollingDescription(Strict):
    """What rolls on the ground without slipping: `wheel`, `disk` or `blade` names its link.

    A wheel turns about the axis of its joint. With `roller` it has rollers on its rim; the angle is that of the axis of
    the roller that touches the ground to the heading (Mecanum: 45 or -45 deg; omni: 0). A disk is a body that turns
    about z of its own frame and may lean. A blade glides along x of its frame and not sideways, as a skate does.
    """

    wheel: Name | None = None
    disk: Name | None = None
    blade: Name | None = None
    radius: Positive | None = None
    roller: Angle | None = None

    @model_validator(mode="after")
    def _consistent(self) -> RollingDescription:
        kinds = [kind for kind in ("wheel", "disk", "blade") if getattr(self, kind) is not None]
        if len(kinds) != 1:
            raise ValueError("expected one of wheel, disk and blade, with the name of a link")
        if self.radius is None and self.blade is None:
            raise ValueError(f"radius is missing; a {kinds[0]} needs it, in metres")
        if self.radius is not None and self.blade is not None:
            raise ValueError("radius does not apply to a blade")
        if self.roller is not None and self.wheel is None:
            raise ValueError(f"roller does not apply to a {kinds[0]}")
        return self

    @property
    def kind(self) -> Literal["wheel", "roller", "disk", "blade"]:
        if self.wheel is not None:
            return "wheel" if self.roller is None else "roller"
        return "blade" if self.disk is None else "disk"

    @property
    def link(self) -> str:
        return str(self.wheel or self.disk or self.blade)


class ReachDescription(Strict):
    """The published reach of an arm: the largest distance of the origin of frame `end` from the axis of joint `start`.

    If the source does not define it, `least` is a frame that is nearer for certain: the reach lies between the two.
    """

    value: Positive  # in metres
    start: Name
    end: Name
    least: Name | None = None
    source: Text


MOST_LOOPS = 1_000
LoopDescriptions = Annotated[list[LoopDescription], Field(max_length=MOST_LOOPS)]


class RobotDescription(Strict):
    """A whole robot file."""

    name: Name
    title: Name | None = None  # as people write it: maker and model
    group: Name | None = None  # where a list of robots shows it
    source: str | None = None
    masses: Literal["published", "estimated"] | None = None
    reach: ReachDescription | None = None
    defects: list[str] = Field(default_factory=list)
    convention: Convention
    gravity: Vector = (0.0, 0.0, -9.81)
    end_effector: Name | None = None
    unphysical: Text | None = None
    links: Annotated[list[LinkDescription], Field(min_length=1, max_length=100_000)]
    loops: LoopDescriptions = Field(default_factory=list[LoopDescription])
    rolling: Annotated[list[RollingDescription], Field(max_length=MOST_LOOPS)] = Field(
        default_factory=list[RollingDescription]
    )
    ground: GroundDescription | None = None  # on which the robot stands, walks or falls: see `simulate`
    contacts: Contacts = Field(default_factory=list[ContactDescription])  # what may touch it
    independent: list[Name] | None = None  # of a robot that rolls: the rates that make qd
    actuated: list[Name] | None = None  # joints that are driven, where there are loops or wheels
    # Folder of the file, for its meshes; never read from the file itself, which may not choose its own folder.
    _folder: Path | None = PrivateAttr(default=None)
    _trusted: bool = PrivateAttr(default=False)

    def __eq__(self, other: object) -> bool:
        """Excludes the folder of the file from comparison."""
        return isinstance(other, RobotDescription) and self.__dict__ == other.__dict__

    @property
    def folder(self) -> Path | None:
        """The folder of the file that this robot was read from."""
        return self._folder

    @property
    def trusted(self) -> bool:
        """Whether the user allows that file to refer to meshes in any folder."""
        return self._trusted

    def placed_in(self, folder: Path, trusted: bool = False) -> RobotDescription:
        """The same robot, read from a file in `folder`."""
        placed = self.model_copy()
        placed._folder, placed._trusted = folder, trusted
        return placed
