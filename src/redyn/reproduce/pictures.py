"""Pictures of robots with their frames: Figs. 9.9, 9.10, 9.12, 9.14 and 9.20 of the book, Fig. 3 of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from redyn.kinematics import clearance
from redyn.report.html import Plot, write_html
from redyn.reproduce.check import first_crossing, near, shown, statement
from redyn.reproduce.falls import fall, fall_checks
from redyn.reproduce.item import Array, Item, Load, Numbers, Result, Scene, series
from redyn.reproduce.repairs import inertia_of_link_6
from redyn.reproduce.torques import BOOK, PAPER, STANFORD_STOP, TIMES, T, apart, scene
from redyn.robot import Robot
from redyn.trajectory import cycloidal

# a, b, alpha and theta of Tables 9.2-9.5 and of the paper's Table II as printed, independent of the library; None is
# the joint variable.
QUARTER = np.pi / 2
TABLES: dict[str, list[tuple[float, float | None, float, float | None]]] = {
    "three-link": [(0.3, 0, 0, None), (0.25, 0, 0, None), (0.22, 0, 0, None)],
    "puma": [(0, 0, -QUARTER, None), (0.432, 0.149, 0, None), (0.02, 0, -QUARTER, None),
             (0, 0.432, -QUARTER, None), (0, 0, -QUARTER, None), (0, 0.05, 0, None)],
    "stanford": [(0, 0.762, -QUARTER, None), (0, 0.393, QUARTER, None), (0, None, 0, 0),
                 (0, 0.227, -QUARTER, None), (0, 0, -QUARTER, None), (0, 0.432, 0, None)],
    "kuka-kr5-printed": [(0.18, 0.4, QUARTER, None), (0.6, 0.135, np.pi, None), (0.12, 0.135, -QUARTER, None),
                         (0, 0.62, QUARTER, None), (0, 0, -QUARTER, None), (0, 0.115, 0, None)],
    "stanford-2003": [(0, 0.1, -QUARTER, None), (0, 0.1, -QUARTER, None), (0, None, 0, 0),
                      (0, 0.6, QUARTER, None), (0, 0, -QUARTER, None), (0, 0, 0, None)],
    "puma-2003": [(0, 0, -QUARTER, None), (0.432, 0.149, 0, None), (0.02, 0, QUARTER, None),
                  (0, 0.432, -QUARTER, None), (0, 0, QUARTER, None), (0, 0.056, 0, None)],
}  # fmt: skip


def dh_product(name: str, q: Array) -> Array:
    """Poses of all frames, (n, 4, 4), as products of Rz(theta) Tz(b) Tx(a) Rx(alpha) of the printed table."""
    poses: list[Array] = []
    pose = np.eye(4)
    for (a, offset, alpha, angle), value in zip(TABLES[name], q, strict=True):
        b, theta = (value if x is None else x for x in (offset, angle))
        c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
        step = [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, b], [0, 0, 0, 1]]
        pose = pose @ np.array(step)
        poses.append(pose)
    return np.stack(poses)


def frames(robot: Robot, q: Array) -> Array:
    return np.stack([robot.forward_kinematics(q, name) for name in robot.frame_names])


def frame_numbers(robot: Robot, q: Array) -> Numbers:
    """Origins and z axes, with rounding errors of zero removed."""
    rows: list[list[object]] = [
        [str(number), name, *(np.round([*pose[:3, 3], *pose[:3, 2]], 12) + 0.0).tolist()]
        for number, (name, pose) in enumerate(zip(robot.frame_names, frames(robot, q), strict=True), start=2)
    ]
    return Numbers(["frame", "of", "x", "y", "z", "z axis x", "y", "z"], rows, "frames")


def _portrait(name: str, stop: Sequence[float], load: Load) -> Result:
    robot = load(name)
    q = robot.initial
    checks = [near("frames", frames(robot, q), dh_product(name, q), 1e-12, "the product of the printed DH table")]

    def animation(path: Path, force: bool) -> object:
        motion = cycloidal(q, stop, T)(TIMES[::4])
        plots = [Plot("joint positions", "rad", robot.joint_names, motion[0])]
        title = f"{robot.name}: frames, and a cycloidal motion"
        return write_html(
            path, robot, TIMES[::4], motion[0], plots, title=title, shown=("trace", "frames"), force=force
        )

    picture = Scene("initial configuration, frames x red, y green, z blue", robot, q[None], frames=True)
    return Result(
        checks,
        [frame_numbers(robot, q)],
        scenes=[picture],
        notes=robot.description.defects,
        animation=animation,
    )


def _paper_robots(load: Load) -> Result:
    robots = {name: load(name) for name in ("stanford-2003", "puma-2003")}
    return Result(
        [
            near(f"{name}, frames", frames(robot, robot.initial), dh_product(name, robot.initial), 1e-12, "Table II")
            for name, robot in robots.items()
        ],
        [replace(frame_numbers(robot, robot.initial), part=name) for name, robot in robots.items()],
        scenes=[
            Scene(f"{name}, frames x red, y green, z blue", robot, robot.initial[None], frames=True)
            for name, robot in robots.items()
        ],
        notes=[f"{name}: {defect}" for name, robot in robots.items() for defect in robot.description.defects],
    )


def _kuka_motion(load: Load) -> Result:
    robot = load("kuka-kr5-printed")
    q = cycloidal(robot.initial, [np.pi / 3] * 6, T)(TIMES)[0]
    shown = q[::100]
    found = np.stack([frames(robot, x) for x in shown])
    product = np.stack([dh_product(robot.name, x) for x in shown])
    path = robot.forward_kinematics(q)[:, :3, 3]

    def animation(target: Path, force: bool) -> object:
        plots = [Plot("end effector", "m", ["x", "y", "z"], path[::4])]
        return write_html(
            target, robot, TIMES[::4], q[::4], plots, title="KUKA KR-5 during its motion (Fig. 9.14)", force=force
        )

    header = ["t", "x", "y", "z", *(f"q_{joint}" for joint in robot.joint_names)]
    return Result(
        [
            near("frames along the motion", found, product, 1e-12, "the product of the printed DH table"),
            apart(robot, q),
        ],
        [Numbers(header, np.column_stack([TIMES, path, q]).tolist())],
        scenes=[scene(robot, q, "from start to stop", states=8)],
        animation=animation,
    )


def _kuka_interference(load: Load) -> Result:
    robot = load("kuka-kr5")
    run = fall(robot, 2.0)
    gaps = clearance(robot, run.q)
    pairs = ", ".join(f"{a} and {b}" for a, b in gaps.touched)
    first = first_crossing(run.t, -gaps.distance)
    # The depth saturates once the axes of two links cross: take the first such instant, robust against rounding.
    deepest = int((gaps.distance < gaps.distance.min() + 1e-9).argmax())
    claim = statement(
        "links interfere during the fall",
        first is not None,
        f"first {shown(first)}, with links as capsules{f': {pairs}' if pairs else ''}",
    )

    def animation(path: Path, force: bool) -> object:
        plots = [Plot("joint positions", "rad", robot.joint_names, run.q)]
        title, opens = "KUKA KR-5 in free fall (Fig. 9.20)", float(run.t[deepest])
        return write_html(path, robot, run.t, run.q, plots, title=title, touching=gaps, opens=opens, force=force)

    title = f"deepest interference, {run.t[deepest]:.2f} s after the start"
    return Result(
        [claim, *fall_checks(robot, run)],
        [series(run.t, ["closest_pair"], distance=gaps.distance[:, None])],
        scenes=[Scene(title, robot, run.q[deepest][None], run.path[: deepest + 1])],
        repairs=[inertia_of_link_6(load)],
        notes=["Link shapes are not printed; capsules are used, with a radius of a few percent of the reach."],
        animation=animation,
    )


ITEMS = [
    Item("fig-9.9", "The three-link arm", BOOK + "Fig. 9.9, Table 9.2", partial(_portrait, "three-link", [np.pi] * 3)),
    Item("fig-9.10", "The PUMA and its frames", BOOK + "Fig. 9.10, Table 9.3", partial(_portrait, "puma", [np.pi] * 6)),
    Item(
        "fig-9.12",
        "The Stanford arm and its frames",
        BOOK + "Fig. 9.12, Table 9.4",
        partial(_portrait, "stanford", STANFORD_STOP),
    ),
    Item("fig-9.14", "The KUKA KR-5 during its motion", BOOK + "Fig. 9.14, Example 9.7", _kuka_motion),
    Item(
        "fig-9.20", "The KUKA KR-5 in free fall: links interfere", BOOK + "Fig. 9.20, Example 9.11", _kuka_interference
    ),
    Item("paper-fig-3", "The Stanford arm and the PUMA of the paper", PAPER + "Fig. 3, Table II", _paper_robots),
]
