"""Robots from MJCF, MuJoCo's format. Its own compiler (the optional package mujoco) resolves defaults, includes and
geoms into bodies with inertia; this reads joints and bodies out of the compiled model.

A body with several joints becomes a chain of massless links. Where a body's last joint is not at the body's origin,
the moving link is named after the joint and the body hangs fixed on it, so that every frame is where MuJoCo has it.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from redyn.description.checks import complete, unphysical_links
from redyn.description.mjcf_files import check_files
from redyn.description.placement import quaternion_rotation
from redyn.description.schema import WORLD, LinkDescription, RobotDescription
from redyn.description.transforms.frames import origin
from redyn.description.xml_file import Element
from redyn.errors import DescriptionError, MissingExtraError, RedynWarning

Array = NDArray[np.float64]

_LONGEST = 150  # characters of a name, so that an ending still fits
_KINDS = {0: "free", 1: "spherical", 2: "prismatic", 3: "revolute"}  # mjJNT_FREE, _BALL, _SLIDE, _HINGE
_ON_JOINTS = (0, 1)  # mjTRN_JOINT, mjTRN_JOINTINPARENT
_SOLIDS = {2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box", 7: "mesh"}  # mjGEOM_...
_SHOWN = 3  # groups of geoms below this one are what MuJoCo's viewer shows


def parse_mjcf(root: Element, path: Path) -> RobotDescription:
    """A robot from an MJCF file whose outermost element is `root`."""
    check_files(root, path)
    model = _compiled(path)
    file = path.name
    names = _Names(model)
    fields = [link for body in range(1, model.nbody) for link in _Body(model, body, names, path).links()]
    try:
        description = RobotDescription(
            name=model.names.partition(b"\0")[0].decode("utf-8", "replace").strip()[:200] or file,
            source=file,
            convention="frames",
            gravity=_gravity(model),
            links=[LinkDescription(**link) for link in fields],
        )
        description = complete(description)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        where = ".".join(str(step) for step in problem["loc"])
        raise DescriptionError(file, f"{where}: {problem['msg'].removeprefix('Value error, ')}") from None
    except DescriptionError as error:
        raise DescriptionError(file, str(error)) from None
    left_out = list(_left_out(model))
    if left_out:
        warnings.warn(f"{file}: redyn leaves out {', '.join(left_out)}", RedynWarning, stacklevel=2)
    odd = [f"{where}: {why}" for where, why in unphysical_links(description)]
    if odd:
        warnings.warn(f"{file}: {odd[0]}", RedynWarning, stacklevel=2)
        description = description.model_copy(update={"unphysical": "as given in the MJCF"})
    return description


def _compiled(path: Path) -> Any:
    try:
        mujoco: Any = importlib.import_module("mujoco")
    except ImportError:
        raise MissingExtraError("mujoco", "mujoco", "reading an MJCF file") from None
    said: list[str] = []
    earlier = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(said.append)  # or it writes MUJOCO_LOG.TXT wherever the user stands
    try:
        spec = mujoco.MjSpec.from_file(str(path))
        spec.memory = -1  # a file may ask for any amount; nothing is simulated here
        model = spec.compile()
    except (ValueError, RuntimeError, MemoryError, mujoco.FatalError) as error:
        reason = " ".join(str(error).split())[:300]
        raise DescriptionError(path.name, f"MuJoCo does not accept it: {reason}") from None
    finally:
        mujoco.set_mju_user_warning(earlier)
    if any("NaN" in message for message in said):
        raise DescriptionError(path.name, "a number is NaN; expected finite numbers")
    return model


def _gravity(model: Any) -> tuple[float, float, float]:
    disabled = model.opt.disableflags & importlib.import_module("mujoco").mjtDisableBit.mjDSBL_GRAVITY
    x, y, z = map(float, model.opt.gravity)
    return (0.0, 0.0, 0.0) if disabled else (x, y, z)


class _Names:
    """Names of bodies and joints as the file has them; made-up ones where it has none, no name twice."""

    def __init__(self, model: Any) -> None:
        self._links, self._joints = set[str](), set[str]()
        bodies = [model.body(i).name.strip()[:_LONGEST] for i in range(model.nbody)]
        bodies[0] = WORLD
        self.bodies = self._all(bodies, [f"body{i}" for i in range(model.nbody)], self._links)
        joints = [model.joint(j).name.strip()[:_LONGEST] for j in range(model.njnt)]
        holders = [int(body) for body in model.jnt_bodyid]
        ranks = [j - int(model.body_jntadr[body]) + 1 for j, body in enumerate(holders)]
        made_up = [f"{self.bodies[body]}_joint{rank}" for body, rank in zip(holders, ranks, strict=True)]
        self.joints = self._all(joints, made_up, self._joints)

    def link(self, name: str) -> str:
        return _fresh(name, self._links)

    def joint(self, name: str) -> str:
        return _fresh(name, self._joints)

    @staticmethod
    def _all(given: list[str], made_up: list[str], taken: set[str]) -> list[str]:
        """Names that were given are served first."""
        kept = [_fresh(name, taken) if name else "" for name in given]
        return [name or _fresh(other, taken) for name, other in zip(kept, made_up, strict=True)]


def _fresh(name: str, taken: set[str]) -> str:
    fresh, n = name, 2
    while fresh in taken:
        fresh, n = f"{name}_{n}", n + 1
    taken.add(fresh)
    return fresh


class _Body:
    """One body of the compiled model, on the way to links."""

    def __init__(self, model: Any, index: int, names: _Names, path: Path) -> None:
        self.model, self.index, self.names, self.path = model, index, names, path
        self.name = names.bodies[index]
        self.joints = range(model.body_jntadr[index], model.body_jntadr[index] + model.body_jntnum[index])

    def links(self) -> Iterator[dict[str, Any]]:
        model, index = self.model, self.index
        at = _pose(model.body_pos[index], model.body_quat[index])  # in the frame of the link before
        parent = self.names.bodies[int(model.body_parentid[index])]
        for j in self.joints:
            joint = self._joint(j)
            if joint["type"] == "free":  # its q is the pose in the world, where such bodies have to be
                yield {"name": self.name, "parent": WORLD, "joint": joint, **self._mass(), **self._shapes()}
                return
            at = at @ _pose(model.jnt_pos[j], (1.0, 0.0, 0.0, 0.0))
            last = j == self.joints[-1] and not model.jnt_pos[j].any()
            name = self.name if last else self.names.link(f"{joint['name']}_link")
            link = {"name": name, "parent": parent, "joint": joint, **origin(at)}
            if joint["type"] != "spherical":
                link["axis"] = _floats(model.jnt_axis[j])
            if last:
                yield link | self._mass() | self._shapes()
                return
            yield link | {"mass": 0.0}
            parent, at = name, _pose(-model.jnt_pos[j], (1.0, 0.0, 0.0, 0.0))
        fixed = {"type": "fixed", "name": self.names.joint(f"{self.name}_fixed")}
        yield {"name": self.name, "parent": parent, "joint": fixed, **origin(at), **self._mass(), **self._shapes()}

    def _joint(self, j: int) -> dict[str, Any]:
        model = self.model
        name = self.names.joints[j]
        kind = _KINDS[int(model.jnt_type[j])]
        dof = int(model.jnt_dofadr[j])
        rotor = _rotor(model, j)
        joint: dict[str, Any] = {"type": kind, "name": name}
        for field, value in (
            ("damping", model.dof_damping[dof] + rotor[0]),
            ("coulomb", model.dof_frictionloss[dof]),
            ("armature", model.dof_armature[dof] + rotor[1]),
        ):
            if value:
                joint[field] = float(value)
        first = model.jnt_qposadr[j]
        if kind == "free":
            x, y, z, w, a, b, c = _floats(model.qpos0[first : first + 7])
            return joint | {"initial": (x, y, z, a, b, c, w)}
        if kind == "spherical":
            return joint  # a limit here is a cone, which redyn cannot express
        if model.jnt_limited[j]:
            joint["limits"] = _floats(model.jnt_range[j])
        reference = float(model.qpos0[first])
        if reference:
            joint |= {"offset": -reference, "initial": reference}
        return joint

    def _mass(self) -> dict[str, Any]:
        model, index = self.model, self.index
        R = _pose(np.zeros(3), model.body_iquat[index])[:3, :3]
        tensor = R @ np.diag(model.body_inertia[index]) @ R.T
        flat = tuple(float(tensor[i, j]) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
        return {"mass": float(model.body_mass[index]), "com": _floats(model.body_ipos[index]), "inertia": flat}

    def _shapes(self) -> dict[str, list[dict[str, Any]]]:
        """Geoms that can touch count as collision; those that MuJoCo shows, and those that cannot touch, as visual."""
        model, index = self.model, self.index
        found: dict[str, list[dict[str, Any]]] = {}
        for g in range(model.body_geomadr[index], model.body_geomadr[index] + model.body_geomnum[index]):
            kind = _SOLIDS.get(int(model.geom_type[g]))
            if kind is None:
                continue
            at = _pose(model.geom_pos[g], model.geom_quat[g])
            solid: dict[str, Any] = {"type": kind}
            a, b, c = _floats(model.geom_size[g])
            if kind in ("box", "ellipsoid"):
                solid["size"] = (2 * a, 2 * b, 2 * c)
            elif kind == "mesh":
                mesh = int(model.geom_dataid[g])
                name = _mesh_file(model, mesh, self.path.parent)
                if name is None:
                    continue
                # MuJoCo has moved the mesh to its mass centre and principal axes; the file has not.
                at = at @ np.linalg.inv(_pose(model.mesh_pos[mesh], model.mesh_quat[mesh]))
                solid |= {"file": name, "scale": _floats(model.mesh_scale[mesh])}
            else:
                solid |= {"radius": a} if kind == "sphere" else {"radius": a, "length": 2 * b}
            colour = model.geom_rgba[g] if model.geom_matid[g] < 0 else model.mat_rgba[model.geom_matid[g]]
            solid |= {"colour": _floats(colour), **origin(at)}
            touches = model.geom_contype[g] or model.geom_conaffinity[g]
            if model.geom_group[g] < _SHOWN or not touches:
                found.setdefault("visual", []).append(solid)
            if touches:
                found.setdefault("collision", []).append(solid)
        return found


def _rotor(model: Any, joint: int) -> tuple[float, float]:
    """Damping and armature that a joint feels through the gears of its actuators (in newer versions of MuJoCo)."""
    felt = {"actuator_damping": 0.0, "actuator_armature": 0.0}
    for a in range(len(model.actuator_trntype)):
        if model.actuator_trntype[a] in _ON_JOINTS and model.actuator_trnid[a, 0] == joint:
            for field in felt:
                values = np.ravel(getattr(model, field, 0.0))
                felt[field] += float(model.actuator_gear[a, 0]) ** 2 * float(values[a] if values.size > a else 0.0)
    return felt["actuator_damping"], felt["actuator_armature"]


def _mesh_file(model: Any, mesh: int, folder: Path) -> str | None:
    """The file of a mesh, seen from the folder of the model."""
    start = int(model.mesh_pathadr[mesh])
    if start < 0:
        return None  # made of numbers in the file
    named = Path(model.paths[start:].partition(b"\0")[0].decode("utf-8", "replace"))
    return (named.relative_to(folder) if named.is_relative_to(folder) else named).as_posix()[:4096]


def _left_out(model: Any) -> Iterator[str]:
    """What the file has and redyn cannot express."""
    if (model.geom_contype & model.geom_conaffinity).any() or model.npair:
        yield "contacts"
    cones = int(((model.jnt_type == 1) & (model.jnt_limited != 0)).sum())
    for count, what in (
        (cones, "limits of ball joints"),
        (model.nu, "actuators"),
        (model.ntendon, "tendons"),
        (model.neq, "equality constraints"),
        (model.nflex, "flexible bodies"),
        (model.nplugin, "plugins"),
        (model.nmocap, "the motion of mocap bodies"),
    ):
        if count:
            yield f"{what} ({count})"
    for name, what in (
        ("jnt_stiffness", "joint springs"),
        ("jnt_stiffnesspoly", "joint springs that are not linear"),
        ("dof_dampingpoly", "damping that is not linear"),
        ("actuator_dampingpoly", "actuators' damping that is not linear"),
        ("body_gravcomp", "gravity compensation"),
    ):
        values = getattr(model, name, None)  # the newer ones are not in every mujoco
        if values is not None and np.any(values):
            yield what
    if model.opt.density or model.opt.viscosity:
        yield "the fluid around"


def _floats(values: Any) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def _pose(position: Any, quaternion: Any) -> Array:
    """4x4 of a position and a unit quaternion w x y z."""
    w, x, y, z = _floats(quaternion)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = quaternion_rotation(x, y, z, w), position
    return T
