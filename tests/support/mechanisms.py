"""Robots with closed loops: those whose truth is in data/closed_golden.json, and random ones.

The file holds 14 mechanisms by three independent methods each: a tree with multipliers, maximal coordinates from
scratch, and Pinocchio's constrained dynamics.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

import redyn
from random_robots import random_joints

GOLDEN = json.loads((Path(__file__).parents[1] / "data" / "closed_golden.json").read_text())
NAMES = list(GOLDEN["mechanisms"])
LIBRARY = {name.lower(): name for name in NAMES}  # those of the library among them, by their name there


def definition(name):
    """As a dict that `redyn.load` takes."""
    given = GOLDEN["mechanisms"][name]["definition"]
    loops = [
        {
            "name": loop["name"],
            "between": [loop["predecessor"]["link"], loop["successor"]["link"]],
            "joint": loop["type"],
            "frames": [{key: loop[end][key] for key in ("xyz", "rpy")} for end in ("predecessor", "successor")],
        }
        for loop in given["loops"]
    ]
    start = iter(GOLDEN["mechanisms"][name]["assembly"]["closed"])
    sizes = {"universal": 2, "spherical": 4}
    links = []
    for link in given["links"]:
        initial = [next(start) for _ in range(sizes.get(link["joint"]["type"], 1))]
        links.append(link | {"joint": link["joint"] | {"initial": initial}})
    keys = ("name", "gravity", "actuated")
    return {key: given[key] for key in keys} | {"convention": "frames", "links": links, "loops": loops}


@cache
def mechanism(name, **options):
    return redyn.load(definition(name), exact=True, allow_unphysical=True, **options)


def states(name):
    """The golden states, with their numbers as arrays."""
    found = []
    for state in GOLDEN["mechanisms"][name]["states"]:
        found.append({k: np.array(v, dtype=float) if isinstance(v, list) else v for k, v in state.items()})
    return found


def moving(robot, seed, count=1):
    """Closed states: q, rates that keep the loops closed, and torques."""
    rng = np.random.default_rng(seed)
    q = np.array([robot.random(rng) for _ in range(count)])
    G = robot.transmission(q)
    qd = np.einsum("nij,nj->ni", G, rng.uniform(-2, 2, (count, robot.mobility)))
    return q, qd, rng.uniform(-3, 3, (count, robot.dof))


def rotation(seed):
    """A random rotation matrix."""
    Q, R = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q if np.linalg.det(Q) > 0 else -Q


LOOPS = ("revolute", "prismatic", "cylindrical", "planar", "spherical", "universal", "fixed", "distance", "gear")


def random_loop(seed, links, kind):
    """A random tree closed by one joint, which is where the random initial pose has it."""
    rng = np.random.default_rng(seed)
    data = random_joints(seed, links, kinds=("revolute", "prismatic", "revolute", "universal", "spherical"))
    tree = redyn.load(data)
    q = tree.random(rng)
    at = 0
    sizes = {"universal": 2, "spherical": 4}
    for link in data["links"]:
        size = sizes.get(link["joint"]["type"], 1)
        link["joint"]["initial"] = [float(x) for x in q[at : at + size]]
        at += size
    parts = [link["name"] for link in data["links"]]
    first, second = (str(x) for x in rng.choice([*parts[:-1], "world"], 2, replace=False))
    ends = [first, parts[-1] if parts[-1] != first else second]
    loop = {"name": "cut", "between": ends, "joint": kind}
    point = [float(x) for x in rng.uniform(-0.3, 0.3, 3)]
    if kind == "distance":
        poses = [np.eye(4) if end == "world" else tree.forward_kinematics(q, end) for end in ends]
        apart = poses[1][:3, 3] - (poses[0] @ [*point, 1])[:3]
        loop |= {"at": point, "length": float(np.linalg.norm(apart))}
    elif kind == "gear":
        single = [k for k, link in enumerate(data["links"]) if link["joint"]["type"] in ("revolute", "prismatic")]
        if len(single) < 2:
            return None
        a, b = (data["links"][k]["joint"] for k in single[:2])
        ratio, bend = float(rng.uniform(-2, 2)), float(rng.uniform(-0.5, 0.5))
        x, y = a["initial"][0], b["initial"][0]
        loop |= {"between": ["first", "second"], "coefficients": [y - ratio * x - bend * x * x, ratio, bend]}
        a["name"], b["name"] = "first", "second"
    else:
        loop |= {"at": point, "axis": [float(x) for x in rng.normal(size=3)]}
        if kind == "universal":
            del loop["axis"], loop["at"]
            # Its axes are x of the first frame and y of the second: right angles in the initial pose.
            poses = [np.eye(4) if end == "world" else tree.forward_kinematics(q, end) for end in ends]
            loop["frames"] = [{"xyz": point}, _placed(np.linalg.inv(poses[1]) @ poses[0] @ _shift(point))]
    return data | {"loops": [loop], "actuated": []}


def _shift(point):
    T = np.eye(4)
    T[:3, 3] = point
    return T


def _placed(T):
    from redyn.description.transforms.frames import origin

    found = origin(T)
    return {"xyz": list(found["xyz"]), "rpy": list(found["rpy"])}


random_loops = st.builds(
    random_loop, seed=st.integers(0, 10**6), links=st.integers(2, 6), kind=st.sampled_from(LOOPS)
).filter(lambda data: data is not None)
