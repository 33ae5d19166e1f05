"""The diagnosis of a robot as one HTML file: the robot with its ellipsoids of inertia, the findings, every link.

An ellipsoid is that of uniform density with the mass and inertia of its link, so it should fill the shapes of the link.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from redyn.errors import RedynError, RedynWarning
from redyn.report.html import packed_page
from redyn.report.scene import equal_ellipsoid, positions_and_quaternions, scene
from redyn.verify.doctor.finding import SEVERITIES
from redyn.verify.doctor.programs import AGREED
from redyn.verify.doctor.solid import Rooms
from redyn.verify.doctor.survey import Body, Survey
from redyn.words import counted

if TYPE_CHECKING:
    from redyn.verify.doctor.diagnose import Diagnosis

MODULES = ("solids", "contact", "bending", "viewer", "player", "doctor")
LARGEST = 1.2  # times the reach of the robot: larger ellipsoids would hide everything


def write_page(path: str | Path, found: Diagnosis, force: bool = False) -> Path:
    """Writes the page; returns its path."""
    drawn, problem = _scene(found)
    survey = found.survey
    data: dict[str, Any] = {
        "scene": drawn,
        "problem": problem,
        "findings": [finding.data() | {"where": finding.where} for finding in found.findings],
        "programs": [opinion.data() for opinion in found.programs],
        "agreed": AGREED if found.programs else "",
        "bodies": [] if survey is None else _bodies(found, survey),
    }
    counts = [counted(len(some), name) for some, name in ((found.errors, "error"), (found.warnings, "warning"))]
    notes = [*counts, counted(len(found.notes), "note"), f"{found.kind}, {Path(found.source).name}"]
    return packed_page(path, f"{found.name}: examined by redyn doctor", notes, data, MODULES, force=force)


def _scene(found: Diagnosis) -> tuple[dict[str, Any] | None, str]:
    """The robot with its joints at zero; None and why, if it cannot be drawn."""
    if found.robot is None:
        return None, "The file cannot be loaded, so there is nothing to draw. The errors say why."
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RedynWarning)  # on meshes, which are findings
            drawn = scene(found.robot, np.zeros(1), found.robot.neutral()[None])
        return {**drawn, "traces": [], "touching": {"pairs": [], "flags": ""}}, ""
    except (RedynError, np.linalg.LinAlgError, FloatingPointError) as error:
        return None, f"The robot cannot be drawn: {error}"


def _bodies(found: Diagnosis, survey: Survey) -> list[dict[str, Any]]:
    worst = {
        f.name: severity
        for severity in reversed(SEVERITIES)
        for f in found.findings
        if f.part == "link" and f.severity == severity
    }
    rooms, limit = Rooms(survey), LARGEST * max(survey.reach, 0.2)
    rows: list[dict[str, Any]] = []
    for body in survey.bodies.values():
        if not body.inertial:
            continue
        solid = rooms.own[body.name]
        density = None if solid is None or solid.volume <= 0.0 or not body.mass else body.mass / solid.volume
        moments = None if body.given is None else np.linalg.eigvalsh(body.given).tolist()
        row = {"name": body.name, "mass": body.mass, "moments": moments, "density": density}
        row["com"] = None if body.com is None else body.com.tolist()
        row["severity"] = worst.get(body.name, "")
        rows.append(row | {"ellipsoid": _ellipsoid(body, survey, limit)})
    return rows


def _ellipsoid(body: Body, survey: Survey, limit: float) -> dict[str, Any] | None:
    """In the frame of the root; of an impossible tensor, a mark at the mass centre."""
    if body.com is None or not body.mass:
        return None
    inertia = body.inertia
    equal = None if inertia is None else equal_ellipsoid(abs(body.mass), inertia)
    pose = survey.poses[body.name].copy()
    pose[:3, 3] = (pose @ np.append(body.com, 1.0))[:3]
    if equal is None:
        row = positions_and_quaternions(pose[None, None])[0, 0]
        return {"position": row[:3].tolist(), "quaternion": row[3:].tolist(), "radii": None, "clipped": False}
    x, y, z, w = equal["quaternion"]
    turn = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
    pose[:3, :3] = pose[:3, :3] @ turn
    row = positions_and_quaternions(pose[None, None])[0, 0]
    largest = max(equal["radii"])
    radii = [min(r, limit) for r in equal["radii"]]
    return {"position": row[:3].tolist(), "quaternion": row[3:].tolist(), "radii": radii, "clipped": largest > limit}
