"""Robots from MJCF, MuJoCo's format. Its own compiler (the optional package mujoco) resolves defaults, includes and
geoms into bodies with inertia; this reads joints and bodies out of the compiled model.

A body with several joints becomes a chain of massless links. If a body's last joint is not at the body's origin,
the moving link is named after the joint and the body is fixed to it, so that every frame is where MuJoCo has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from redyn.description.checks import complete, unphysical_links
from redyn.description.mjcf_amounts import check_amounts
from redyn.description.mjcf_compile import compiled
from redyn.description.mjcf_equalities import Equalities
from redyn.description.mjcf_files import Model, read_files
from redyn.description.mjcf_options import Acting, not_modelled
from redyn.description.placement import quaternion_rotation
from redyn.description.poses import origin
from redyn.description.schema import WORLD, LinkDescription, RobotDescription
from redyn.description.units import values
from redyn.description.xml_file import Element
from redyn.description.yaml_file import translated
from redyn.errors import DescriptionError, warn
from redyn.words import counted

Array = NDArray[np.float64]

_LONGEST = 150  # characters of a name, leaving space for a suffix
_KINDS = {0: "free", 1: "spherical", 2: "prismatic", 3: "revolute"}  # mjJNT_FREE, _BALL, _SLIDE, _HINGE
_SOLIDS = {2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box", 7: "mesh"}  # mjGEOM_...
_SHOWN = 3  # MuJoCo's viewer shows geoms of lower groups


def parse_mjcf(
    root: Element, path: Path, extra: Mapping[str, object] | None = None, trusted: bool = False
) -> RobotDescription:
    """A robot from an MJCF file with the root element `root`, with fields `extra` in place of what it says.

    `trusted`: it may read files from any folder.
    """
    files = read_files(root, path, trusted)
    check_amounts(files)
    model = compiled(path)
    file = path.name
    if model.nbody == 1:
        raise DescriptionError(file, "links: no bodies; expected <body> elements in <worldbody>")
    names, acts = _Names(model), Acting(model)
    meshes = _mesh_files(model, files, path.parent)
    equalities = Equalities(model, names.bodies, names.joints, acts.equalities)
    parts = [_Body(model, body, names, acts, meshes, equalities) for body in range(1, model.nbody)]
    try:
        links = [LinkDescription(**link) for part in parts for link in part.links()]
        given = dict(extra or {})
        given.setdefault("loops", equalities.closing(links))
        if given["loops"]:
            given.setdefault("actuated", equalities.driven(acts.actuators))
        whole = {
            "name": model.names.partition(b"\0")[0].decode("utf-8", "replace").strip()[:200] or file,
            "source": file,
            "convention": "frames",
            "gravity": _gravity(model, acts),
            "links": links,
            **given,
        }
        description = complete(RobotDescription.model_validate(whole))
    except ValidationError as error:
        raise translated(error, file) from None
    except DescriptionError as error:
        raise DescriptionError(file, str(error)) from None
    _tell(description, model, acts, equalities, own="loops" not in (extra or {}))
    odd = [f"{where}: {why}" for where, why in unphysical_links(description)]
    if odd:
        warn(f"{file}: {odd[0]}")
        description = description.model_copy(update={"unphysical": "as given in the MJCF"})
    return description


def _gravity(model: Any, acts: Acting) -> tuple[float, float, float]:
    x, y, z = map(float, model.opt.gravity)
    return (x, y, z) if acts.gravity else (0.0, 0.0, 0.0)


def _tell(description: RobotDescription, model: Any, acts: Acting, equalities: Equalities, own: bool) -> None:
    """Warns of what redyn leaves out or models differently; `own`: the loops are those of the file."""
    file = str(description.source)
    left_out = list(not_modelled(model, acts))
    left_out += [f"{what} ({count})" for what, count in equalities.left_out.items() if count]
    if left_out:
        warn(f"{file}: redyn leaves out {', '.join(left_out)}")
    exact = len(equalities.mimics) + (len(description.loops) if own else 0)
    if exact:
        count = counted(exact, "equality constraint")
        warn(f"{file}: {count} taken as exact; solref and solimp, which make them soft in MuJoCo, are left out")
    rotors = [link.joint.name for link in description.links if link.joint.type == "free" and link.joint.armature]
    if rotors:
        warn(
            f"{file}: the armature of the free joint {rotors[0]!r} acts on its accelerations in the body's axes; "
            "in MuJoCo they are in world axes, which adds armature * (omega x v) to its force"
        )
    wide = [link.joint for link in description.links for item in values(link) if item.limit and item.doubtful]
    if wide:
        warn(
            f"{file}: the limits of joint {wide[0].name!r} are {wide[0].limits} rad, several turns; for degrees "
            'remove angle="radian" from <compiler>'
        )


class _Names:
    """Unique names of bodies and joints: those of the file, generated ones where it has none."""

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
        """Names given in the file take precedence."""
        kept = [_fresh(name, taken) if name else "" for name in given]
        return [name or _fresh(other, taken) for name, other in zip(kept, made_up, strict=True)]


def _fresh(name: str, taken: set[str]) -> str:
    fresh, n = name, 2
    while fresh in taken:
        fresh, n = f"{name}_{n}", n + 1
    taken.add(fresh)
    return fresh


class _Body:
    """Converts one body of the compiled model to links."""

    def __init__(
        self,
        model: Any,
        index: int,
        names: _Names,
        acts: Acting,
        meshes: list[str | None],
        equalities: Equalities,
    ) -> None:
        self.model, self.index, self.names, self.acts, self.meshes = model, index, names, acts, meshes
        self.equalities = equalities
        self.name = names.bodies[index]
        self.joints = range(model.body_jntadr[index], model.body_jntadr[index] + model.body_jntnum[index])

    def links(self) -> Iterator[dict[str, Any]]:
        model, index = self.model, self.index
        at = _pose(model.body_pos[index], model.body_quat[index])  # in the frame of the previous link
        parent = self.names.bodies[int(model.body_parentid[index])]
        for j in self.joints:
            joint = self._joint(j)
            if joint["type"] == "free":  # its q is the pose in the world, the parent of all such bodies
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
        model, acts = self.model, self.acts
        name = self.names.joints[j]
        kind = _KINDS[int(model.jnt_type[j])]
        dof = int(model.jnt_dofadr[j])
        joint: dict[str, Any] = {"type": kind, "name": name}
        for field, value in (
            ("damping", model.dof_damping[dof] + acts.rotor_damping[j] if acts.dampers else 0.0),
            ("coulomb", model.dof_frictionloss[dof] if acts.friction else 0.0),
            ("armature", model.dof_armature[dof] + acts.rotor_armature[j]),
        ):
            if value:
                joint[field] = float(value)
        first = model.jnt_qposadr[j]
        if kind == "free":
            x, y, z, w, a, b, c = _floats(model.qpos0[first : first + 7])
            return joint | {"initial": (x, y, z, a, b, c, w)}
        if kind == "spherical":
            return joint  # a limit of a ball joint is a cone, which redyn cannot express
        if model.jnt_stiffness[j] and acts.springs:
            joint |= {"stiffness": float(model.jnt_stiffness[j]), "rest": float(model.qpos_spring[first])}
        if model.jnt_limited[j] and acts.limits:
            joint["limits"] = _floats(model.jnt_range[j])
        if name in self.equalities.mimics:
            joint["mimic"] = self.equalities.mimics[name]
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
        """Geoms that can collide are `collision`; those that MuJoCo shows or that cannot collide, `visual`."""
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
                name = self.meshes[mesh]
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


def _mesh_files(model: Any, files: Model, folder: Path) -> list[str | None]:
    """The file of every mesh, relative to the model's folder; None for a mesh defined inline."""
    known = files.all_meshes()
    by_name = {path.name: path for path in sorted(known)}
    found: list[str | None] = []
    for start in map(int, model.mesh_pathadr):
        if start < 0:
            found.append(None)
            continue
        path = Path(model.paths[start:].partition(b"\0")[0].decode("utf-8", "replace"))
        if path.resolve() not in known:  # older versions of MuJoCo store the name without the mesh folder
            path = by_name.get(path.name, path)
        for own in (folder, folder.resolve()):
            if path.is_relative_to(own):
                path = path.relative_to(own)
                break
        found.append(path.as_posix()[:4096])
    return found


def _floats(values: Any) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def _pose(position: Any, quaternion: Any) -> Array:
    """4x4 of a position and a unit quaternion w x y z."""
    w, x, y, z = _floats(quaternion)
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = quaternion_rotation(x, y, z, w), position
    return T
