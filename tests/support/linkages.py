"""Small mechanisms that the library does not have: every kind of cut joint, tables, and odd planes."""

BAR = {"mass": 1.0, "com": [0.1, 0.02, 0], "inertia": [0.001, 0.004, 0.004]}


def bar(name, parent, joint="revolute", **where):
    return (
        {"name": name, "parent": parent, "joint": {"name": name, "type": joint} | where.pop("about", {})} | BAR | where
    )


def four_bar(rpy=(0, 0, 0), **more):
    """A four-bar linkage in a plane of any direction."""
    return {
        "name": "linkage",
        "convention": "frames",
        "gravity": [0.3, -9.81, 1.0],
        "links": [
            bar("crank", "world", rpy=list(rpy), about={"initial": 0.4}),
            bar("output", "world", xyz=turned(rpy, (0.5, 0, 0)), rpy=list(rpy), about={"initial": 1.6}),
            bar("coupler", "output", xyz=[0.4, 0, 0], about={"initial": 1.5}),
        ],
        "loops": [{"name": "pin", "between": ["crank", "coupler"], "joint": "revolute", "at": [0.2, 0, 0],
                   "meets": [0.45, 0, 0]}],
        "actuated": ["crank"],
    } | more  # fmt: skip


def turned(rpy, v):
    import numpy as np

    r, p, y = rpy
    c, s = np.cos, np.sin
    Rx = np.array([[1, 0, 0], [0, c(r), -s(r)], [0, s(r), c(r)]])
    Ry = np.array([[c(p), 0, s(p)], [0, 1, 0], [-s(p), 0, c(p)]])
    Rz = np.array([[c(y), -s(y), 0], [s(y), c(y), 0], [0, 0, 1]])
    return (Rz @ Ry @ Rx @ np.array(v)).tolist()


DH_FOUR_BAR = {  # frames of a table, at the far ends of links: the last one is pinned to the ground
    "name": "table",
    "convention": "dh",
    "gravity": [0, -9.81, 0],
    "links": [
        {"name": "crank", "joint": {"type": "revolute", "name": "crank", "initial": 0.5}, "a": 0.2,
         "b": 0, "alpha": 0, "mass": 1, "r": [0.1, 0, 0], "inertia": {"yy": 0.003, "zz": 0.003}},
        {"name": "coupler", "joint": {"type": "revolute", "name": "coupler", "initial": 0.4},
         "a": 0.5, "b": 0, "alpha": 0, "mass": 2, "r": [0.2, 0.01, 0], "inertia": {"yy": 0.03, "zz": 0.03}},
        {"name": "output", "joint": {"type": "revolute", "name": "output", "initial": -2.5},
         "a": 0.4, "b": 0, "alpha": 0, "mass": 1, "r": [0.2, 0, 0], "inertia": {"yy": 0.01, "zz": 0.01}},
    ],
    "loops": [{"name": "pin", "between": ["world", "output"], "joint": "revolute", "at": [0.55, 0, 0],
               "meets": [0, 0, 0]}],
    "actuated": ["crank"],
}  # fmt: skip

GEARED = {  # two arms whose joints are geared: theta_2 = 0.3 - 2 theta_1
    "name": "geared",
    "convention": "frames",
    "gravity": [0, -9.81, 0],
    "links": [bar("first", "world"), bar("second", "world", xyz=[0.3, 0, 0], about={"initial": 0.3})],
    "loops": [{"name": "gear", "between": ["first", "second"], "joint": "gear", "coefficients": [0.3, -2.0]}],
    "actuated": ["first"],
}
TIED = {  # two arms whose ends keep their distance
    "name": "tied",
    "convention": "frames",
    "gravity": [0, -9.81, 0],
    "links": [
        bar("first", "world", about={"initial": 1.2}),
        bar("second", "world", xyz=[0.5, 0, 0], about={"initial": 1.7}),
    ],
    "loops": [{"name": "rod", "between": ["first", "second"], "joint": "distance", "at": [0.3, 0, 0],
               "meets": [0.25, 0, 0], "length": 0.4}],
    "actuated": ["first"],
}  # fmt: skip
SLOTTED = {  # a pin of the crank runs in a slot of the lever: a cut that slides
    "name": "slotted",
    "convention": "frames",
    "gravity": [0, -9.81, 0],
    "links": [
        bar("crank", "world", about={"initial": 0.8}),
        bar("block", "crank", xyz=[0.2, 0, 0], about={"initial": 0.3}),
        bar("lever", "world", xyz=[0, -0.4, 0], about={"initial": 1.1}),
    ],
    "loops": [{"name": "slot", "between": ["lever", "block"], "joint": "prismatic",
               "frames": [{"xyz": [0, 0, 0], "rpy": [0, "pi/2", 0]}, {"xyz": [0, 0, 0], "rpy": [0, "pi/2", 0]}]}],
    "actuated": ["crank"],
}  # fmt: skip
RSSR = {  # a spatial linkage with a ball at the end of each of two cranks, as far as single joints can have it
    "name": "spatial",
    "convention": "frames",
    "gravity": [0, 0, -9.81],
    "links": [
        bar("crank", "world", about={"initial": 0.3}),
        bar("rocker", "world", xyz=[0.6, 0, 0.1], rpy=["pi/2", 0, 0], about={"initial": 1.4}),
    ],
    "loops": [{"name": "rod", "between": ["crank", "rocker"], "joint": "distance", "at": [0.15, 0, 0],
               "meets": [0.35, 0, 0], "length": 0.6}],
    "actuated": ["crank"],
}  # fmt: skip
LINKAGES = {
    "upright": four_bar(),
    "tilted": four_bar((0.3, -0.5, 0.8)),
    "across": four_bar((1.5707963267948966, 0, 0)),
    "driven at the output": four_bar(actuated=["output"]),
    "driven twice": four_bar(actuated=["crank", "output"]),
    "not driven at a base joint": four_bar(actuated=["coupler"]),
    "cut by a ball": four_bar(
        loops=[{"name": "ball", "between": ["crank", "coupler"], "joint": "spherical", "at": [0.2, 0, 0],
                "meets": [0.45, 0, 0]}]
    ),
    "geared": GEARED,
    "tied": TIED,
    "slotted": SLOTTED,
    "spatial": RSSR,
}  # fmt: skip
PARALLEL = {"tilted": {"alpha_0_2": "alpha_0", "gamma_0_2": "gamma_0"}}  # angles of parallel joints: one name for both
