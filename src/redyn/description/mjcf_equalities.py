"""The equality constraints of a compiled MJCF model as loops and mimic joints, and the joints that actuators drive.

    connect    spherical: the anchors of both bodies, which MuJoCo's compiler computes at qpos0, or two sites
    weld       fixed, or spherical where torquescale is zero
    joint      linear: the first joint mimics the second; a polynomial: a gear; of one joint alone: held in place

Loops are exact: solref and solimp, which make MuJoCo's constraints soft, are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.description.loops import placed
from redyn.description.placement import joint_motion, placement, quaternion_rotation
from redyn.description.schema import LinkDescription, LoopDescription, PlacedFrame

Array = NDArray[np.float64]

_CONNECT, _WELD, _JOINT, _TENDON = range(4)  # mjEQ_...; the rest is about flexible bodies
_ON_SITES = 6  # mjOBJ_SITE
_ON_JOINTS, _ON_TENDON = (0, 1), 3  # mjTRN_JOINT, mjTRN_JOINTINPARENT; mjTRN_TENDON
_WRAPS_JOINT = 1  # mjWRAP_JOINT


class Equalities:
    """What the constraints of a model say of its bodies and joints, which have these names."""

    def __init__(self, model: Any, bodies: Sequence[str], joints: Sequence[str], acting: bool) -> None:
        self.model, self.bodies, self.joints = model, bodies, joints
        self.mimics: dict[str, dict[str, Any]] = {}  # by joint
        self.loops: list[LoopDescription] = []
        self.held: list[tuple[str | None, str, float]] = []  # loop, joint and its value
        self.left_out = Counter[str]()
        for k in range(model.neq) if acting else ():
            if model.eq_active0[k]:
                self._read(k)

    def closing(self, links: Sequence[LinkDescription]) -> list[LoopDescription]:
        """All loops; `links` are those of the model."""
        carriers = {str(link.joint.name): link for link in links}
        return [*self.loops, *(_held(name, carriers[joint], value) for name, joint, value in self.held)]

    def _read(self, k: int) -> None:
        kind = int(self.model.eq_type[k])
        if kind == _JOINT:
            self._tie(k)
        elif kind in (_CONNECT, _WELD):
            self._close(k, kind)
        else:
            self.left_out["tendon equalities" if kind == _TENDON else "flex equalities"] += 1

    def _name(self, k: int) -> str | None:
        return self.model.equality(k).name.strip()[:150] or None

    def _close(self, k: int, kind: int) -> None:
        """A loop between two bodies."""
        model, data = self.model, self.model.eq_data[k]
        ends = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
        sites = int(getattr(model, "eq_objtype", np.zeros(model.neq))[k]) == _ON_SITES
        first, second = (int(model.site_bodyid[end]) for end in ends) if sites else ends
        if model.body_mocapid[first] >= 0 or model.body_mocapid[second] >= 0:
            self.left_out["equalities with mocap bodies"] += 1
            return
        if model.body_weldid[first] == model.body_weldid[second]:
            self.left_out["equalities of bodies that are fixed to each other"] += 1
            return
        if sites:
            frames = tuple(_frame(model.site_pos[end], model.site_quat[end]) for end in ends)
        elif kind == _CONNECT:
            frames = tuple(_frame(anchor) for anchor in (data[:3], data[3:6]))
        else:
            frames = _frame(data[3:6], data[6:10]), _frame(data[:3])
        between = self.bodies[first], self.bodies[second]
        if kind == _CONNECT or not data[10]:
            at, meets = (frame.xyz for frame in frames)
            loop = LoopDescription(name=self._name(k), between=between, joint="spherical", at=at, meets=meets)
        else:
            loop = LoopDescription(name=self._name(k), between=between, joint="fixed", frames=frames)  # pyright: ignore[reportArgumentType]
        self.loops.append(loop)

    def _tie(self, k: int) -> None:
        """q1 - ref1 = polynomial(q2 - ref2)."""
        model = self.model
        first, second = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
        start = float(model.qpos0[model.jnt_qposadr[first]])
        numbers: Array = np.trim_zeros(np.asarray(model.eq_data[k, :5], dtype=np.float64), "b")
        follower = self.joints[first]
        if second < 0 or len(numbers) < 2:
            value = float(numbers[0]) if len(numbers) else 0.0
            self.held.append((self._name(k), follower, start + value))
            return
        leader = self.joints[second]
        reference = float(model.qpos0[model.jnt_qposadr[second]])
        moved = np.polynomial.Polynomial(numbers)(np.polynomial.Polynomial([-reference, 1.0])) + start
        coefficients = tuple(float(c) for c in moved.coef)
        if len(coefficients) == 2 and follower not in self.mimics and follower not in self._leaders(leader):
            offset, factor = coefficients
            self.mimics[follower] = {"joint": leader, "multiplier": factor, "offset": offset}
        else:
            self.loops.append(
                LoopDescription(name=self._name(k), between=(leader, follower), joint="gear", coefficients=coefficients)
            )

    def _leaders(self, joint: str) -> list[str]:
        """A joint, the one that it mimics, and so on."""
        chain = [joint]
        while chain[-1] in self.mimics:
            chain.append(self.mimics[chain[-1]]["joint"])
        return chain

    def driven(self, acting: bool) -> list[str]:
        """The joints that actuators drive, in the order of the model: of a mimic joint, the one that it follows.

        An actuator of a fixed tendon drives the joints of the tendon.
        """
        model = self.model
        found: set[int] = set()
        for k in range(len(model.actuator_trntype)) if acting else ():
            targets = list(_targets(model, k))
            found.update(targets)
            self.left_out["actuators that drive no joint"] += not targets
        names = {self._leaders(self.joints[j])[-1] for j in found}
        return [name for name in self.joints if name in names]


def _targets(model: Any, actuator: int) -> Iterator[int]:
    kind, target = int(model.actuator_trntype[actuator]), int(model.actuator_trnid[actuator, 0])
    if kind in _ON_JOINTS:
        yield target
    elif kind == _ON_TENDON:
        start = int(model.tendon_adr[target])
        for wrap in range(start, start + int(model.tendon_num[target])):
            if int(model.wrap_type[wrap]) == _WRAPS_JOINT:
                yield int(model.wrap_objid[wrap])


def _held(name: str | None, link: LinkDescription, value: float) -> LoopDescription:
    """A joint held at a value: its link is fixed to the one that carries it."""
    pose = placement(link, "frames").before @ joint_motion(link, (value,))
    frames = placed(pose), PlacedFrame()
    return LoopDescription(name=name, between=(str(link.parent), str(link.name)), joint="fixed", frames=frames)


def _frame(position: Any, quaternion: Any = (1.0, 0.0, 0.0, 0.0)) -> PlacedFrame:
    """A frame from a position and a quaternion w x y z."""
    w, x, y, z = (float(part) for part in quaternion)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = quaternion_rotation(x, y, z, w), position
    return placed(T)
