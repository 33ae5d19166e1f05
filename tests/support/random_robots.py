"""Random trees as plain data, for properties that must hold of every robot."""

import numpy as np
from hypothesis import strategies as st

from redyn.description import library, read


def random_inertia(rng, mass, size):
    """About the mass centre, of a body that could exist: any second moments do."""
    spread = rng.uniform(-size, size, (3, 3))
    moments = mass * (spread @ spread.T / 3 + 0.02 * size**2 * np.eye(3))
    inertia = np.trace(moments) * np.eye(3) - moments
    return {k: float(inertia["xyz".index(k[0]), "xyz".index(k[1])]) for k in ("xx", "xy", "xz", "yy", "yz", "zz")}


def random_axis(rng):
    """Any direction, often a coordinate one, as real robots have."""
    if rng.random() < 0.5:
        return [float(x) for x in np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])]
    return [float(x) for x in rng.normal(size=3)]


def random_tree(seed, n, *, convention="frames", fixed=0.15, prismatic=0.3, friction=True, serial=False):
    rng = np.random.default_rng(seed)
    links = []
    for i in range(n):
        kind = "fixed" if rng.random() < fixed and i else "prismatic" if rng.random() < prismatic else "revolute"
        joint = {"type": kind}
        if kind != "fixed":
            joint["offset"] = float(rng.uniform(-1, 1)) if rng.random() < 0.3 else 0.0
            joint["armature"] = float(rng.uniform(0, 0.2)) if rng.random() < 0.3 else 0.0
            if friction:
                joint |= {"damping": float(rng.uniform(0, 1)), "coulomb": float(rng.uniform(0, 1))}
        mass = float(rng.uniform(0.2, 3))
        link = {"name": f"part{i}", "joint": joint, "mass": mass, "inertia": random_inertia(rng, mass, 0.3)}
        link["com"] = [float(x) for x in rng.uniform(-0.3, 0.3, 3)]
        if i and not serial:
            link["parent"] = f"part{rng.integers(max(0, i - 3), i)}"
        right = rng.random() < 0.5
        if convention == "frames":
            link["xyz"] = [float(x) for x in rng.uniform(-0.6, 0.6, 3)]
            link["rpy"] = [float(x) for x in (rng.integers(-2, 3, 3) * np.pi / 2 if right else rng.uniform(-3, 3, 3))]
            link["axis"] = random_axis(rng)
        else:
            link |= {
                "a": float(rng.uniform(-0.5, 0.5)),
                "alpha": float(rng.integers(-2, 3) * np.pi / 2 if right else rng.uniform(-3, 3)),
            }
            along = "b" if convention == "dh" else "d"
            if kind != "revolute":
                link["theta"] = float(rng.uniform(-3, 3))
            if kind != "prismatic":
                link[along] = float(rng.uniform(-0.5, 0.5))
        links.append(link)
    gravity = [float(x) for x in rng.uniform(-10, 10, 3)]
    return {"name": f"tree-{seed}", "convention": convention, "gravity": gravity, "links": links}


EXAMPLES = ("dual-arm-satellite", "gripper", "planar-biped", "spatial-biped")  # of the library; the rest is published
# Those with closed loops, whose states are not just any numbers.
LOOPS = ("four-bar", "slider-crank", "five-bar", "3-rrr", "stewart", "delta", "parallelogram-arm", "excavator")
LOOPS += ("hoeken", "andrews", "bricard")
SAMPLE = ("abb-irb-120", "franka-panda", "kuka-kr-6-r700", "ur5e")  # of the industrial arms, for slow tests
MOBILE = tuple(name for name in library() if read(name).group in ("wheels", "legged"))  # no base is fixed
ARMS = tuple(name for name in library() if read(name).group == "industrial" and name not in SAMPLE)  # the others
FLEXIBLE = tuple(name for name in library() if read(name).group == "flexible")  # some of whose numbers are small
KINDS = ("revolute", "prismatic", "helical", "cylindrical", "universal", "planar", "spherical", "free", "fixed")


def random_joints(seed, n, *, kinds=KINDS, friction=False):
    """A tree of joints of any kind."""
    rng = np.random.default_rng(seed)
    tree = random_tree(seed, n, friction=friction)
    for i, link in enumerate(tree["links"]):
        kind = str(rng.choice(kinds)) if i else str(rng.choice([k for k in kinds if k != "fixed"]))
        joint = link["joint"] | {"type": kind}
        if kind == "fixed":
            joint = {"type": kind}
        if kind not in ("revolute", "prismatic", "helical"):
            joint.pop("offset", None)
        if kind == "helical":
            joint["pitch"] = float(rng.uniform(-0.2, 0.2))
        link["joint"] = joint
        if kind == "universal":
            link["axis2"] = [float(x) for x in np.cross(link["axis"], rng.normal(size=3))]
        if kind == "planar":
            link["axis"] = [0.0, 0.0, 1.0]
        if kind in ("spherical", "free", "fixed"):
            link.pop("axis")
    return tree


def random_motion(robot, seed, batch=()):
    """q, qd and qdd of a robot with any joints."""
    rng = np.random.default_rng(seed)
    size = int(np.prod(batch))
    q = np.array([robot.integrate(robot.random(rng), rng.uniform(-1, 1, robot.dof)) for _ in range(size)])
    return [q.reshape(*batch, robot.nq), *(rng.uniform(-2, 2, (*batch, robot.dof)) for _ in range(2))]


trees = st.builds(
    random_tree,
    seed=st.integers(0, 10**9),
    n=st.integers(1, 9),
    convention=st.sampled_from(["frames", "dh", "modified-dh"]),
)


def on_floats(robot):
    """The same robot without kernels: the recursions themselves run, on floats and arrays."""
    robot.evaluator.kernels = None
    return robot


def random_state(robot, seed, batch=()):
    rng = np.random.default_rng(seed)
    return [rng.uniform(-2, 2, (*batch, robot.dof)) for _ in range(3)]


def close(value, reference, factor=1.0, tolerance=1e-11):
    """1e-11 of the larger of 1 and the max-norm of the reference."""
    reference = np.asarray(reference)
    scale = max(1.0, float(np.abs(reference).max())) if reference.size else 1.0
    np.testing.assert_allclose(value, reference, rtol=0, atol=tolerance * scale * factor)
