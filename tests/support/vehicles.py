"""Robots on wheels: those of the verified numbers, random ones, and an oracle made of Pinocchio and multipliers."""

import json
from functools import cache
from pathlib import Path

import numpy as np

import redyn
from pinocchio_oracle import Oracle, placements

# Copy of the project's reference numbers: each by two derivations, the second with energies and multipliers.
GOLDEN = json.loads((Path(__file__).parent.parent / "data" / "golden_wheels.json").read_text())

WHEELS = {
    "agv": [
        {"wheel": "left", "radius": 0.1},
        {"wheel": "right", "radius": 0.1},
        {"wheel": "caster", "radius": 0.05},
    ],
    "car": [{"wheel": "rear", "radius": 0.08}, {"wheel": "front", "radius": 0.08}],
    "mec": [
        {"wheel": name, "radius": 0.076, "roller": f"{angle} deg"}
        for name, angle in (("fl", -45), ("fr", 45), ("rl", 45), ("rr", -45))
    ],
}
NAMES = tuple(WHEELS)


def described(name, **more):
    entry = GOLDEN["robots"][name]
    return {**entry["description"], "rolling": WHEELS[name], **more}


@cache
def vehicle(name, independent=None):
    chosen = list(independent or GOLDEN["robots"][name]["independent"])
    return redyn.load(described(name, independent=chosen))


def disk(**more):
    entry = GOLDEN["rolling_disk"]
    link = {"name": "disk", "joint": {"name": "body", "type": "free"}, "mass": entry["m"], "com": [0, 0, 0]}
    link["inertia"] = [entry["A"], entry["A"], entry["C"]]
    rolling = [{"disk": "disk", "radius": entry["r"]}]
    return {"name": "disk", "convention": "frames", "links": [link], "rolling": rolling, **more}


def sleigh(**more):
    entry = GOLDEN["chaplygin_sleigh"]
    link = {"name": "body", "joint": {"name": "base", "type": "planar"}, "mass": entry["m"], "com": [entry["a"], 0, 0]}
    link["inertia"] = [0.2, 0.2, entry["I"]]
    return {"name": "sleigh", "convention": "frames", "links": [link], "rolling": [{"blade": "body"}], **more}


def box(name, parent, joint, xyz, rng, **more):
    mass = rng.uniform(0.5, 5.0)
    moments = mass * rng.uniform(0.01, 0.03, 3)
    link = {"name": name, "parent": parent, "joint": joint, "xyz": list(xyz), "mass": mass}
    return {**link, "com": list(rng.uniform(-0.1, 0.1, 3)), "inertia": (moments.sum() - moments).tolist(), **more}


def random_vehicle(seed):
    """Two wheels on an axle, or a fixed and a steered one, or rollers; castors, an arm; on a planar or a free base."""
    rng = np.random.default_rng(seed)
    base = "planar" if rng.random() < 0.7 else "free"
    kind = rng.choice(["pair", "steered", "omni", "mecanum"]) if base == "planar" else rng.choice(["pair", "steered"])
    r = rng.uniform(0.05, 0.2)
    height = {"xyz": [0, 0, r]} if base == "planar" else {"xyz": [0, 0, 0]}
    links = [box("platform", "world", {"name": "base", "type": base}, height["xyz"], rng)]
    rolling = []

    def wheel(name, parent, xyz, yaw=0.0, radius=r, **more):
        joint = {"name": f"{name}_spin", "type": "revolute", "damping": rng.uniform(0, 0.1)}
        links.append(box(name, parent, joint, xyz, rng, rpy=[0, 0, yaw], axis=[0, 1, 0]))
        links[-1]["com"] = [0, 0, 0]
        rolling.append({"wheel": name, "radius": radius, **more})

    a, b = rng.uniform(0.2, 0.5, 2)
    if kind == "pair":
        wheel("left", "platform", [0, b, 0])
        wheel("right", "platform", [0, -b, 0])
    elif kind == "steered":
        wheel("rear", "platform", [-a, 0, 0])
        links.append(box("fork", "platform", {"name": "steer", "type": "revolute"}, [a, 0, 0], rng, axis=[0, 0, 1]))
        wheel("front", "fork", [0, 0, 0])
    elif kind == "omni":
        for k in range(3):
            angle = 2 * np.pi * k / 3 + 0.1
            wheel(f"w{k}", "platform", [a * np.cos(angle), a * np.sin(angle), 0], angle + np.pi / 2, roller=0.0)
    else:
        for k, (x, y, roller) in enumerate(((a, b, -0.8), (a, -b, 0.8), (-a, b, 0.8), (-a, -b, -0.8))):
            wheel(f"w{k}", "platform", [x, y, 0], roller=roller)
    if base == "planar" and rng.random() < 0.5:
        small = r / 2
        turn = {"name": "swivel", "type": "revolute"}
        links.append(box("bracket", "platform", turn, [-a, 0, small - r], rng, axis=[0, 0, 1]))
        wheel("castor", "bracket", [-0.04, 0.01, 0], radius=small)
    if rng.random() < 0.5:
        links.append(box("arm", "platform", {"name": "elbow", "type": "revolute"}, [0, 0, 0.2], rng, axis=[0, 1, 0]))
    return {"name": f"{kind} {seed}", "convention": "frames", "links": links, "rolling": rolling}


class WheelOracle:
    """Pinocchio with multipliers: M qdd + h = tau + A^T lambda and A qdd = -A_dot qd, rows from its Jacobians."""

    def __init__(self, robot):
        self.robot, self.tree = robot, robot.tree
        self.oracle = Oracle(self.tree)
        self.links = {link.name: link for link in robot.description.links}
        joints = [link.joint.label for link in robot.model.links]
        self.driven = [joints.index(name) for name in robot.torque_names if name in joints]

    def points(self, q):
        """Of every wheel: where it touches the ground, its heading, across it, the normal."""
        found = []
        for contact in self.robot.description.rolling:
            pose = self.oracle.pose(q, contact.link)
            up = np.array([0.0, 0.0, 1.0])
            if contact.blade:
                left = pose[:3, 1]
                found.append((pose[:3, 3], np.cross(left, up), left, up))
                continue
            link = self.links[contact.link]
            axle = pose[:3, :3] @ (placements(link, "frames")[1] if contact.wheel else np.array([0, 0, 1.0]))
            heading = np.cross(axle, up)
            heading /= np.linalg.norm(heading)
            steepest = np.cross(heading, axle)
            found.append((pose[:3, 3] - contact.radius * steepest, heading, np.cross(up, heading), up))
        return found

    def rows(self, q):
        A = []
        for contact, (at, heading, left, up) in zip(self.robot.description.rolling, self.points(q), strict=True):
            J = self.oracle.jacobian(q, contact.link)
            arm = at - self.oracle.pose(q, contact.link)[:3, 3]
            velocity = J[3:] + np.cross(J[:3], arm, axis=0)
            if contact.blade:
                directions = [left, up]
            elif contact.roller is None:
                directions = [heading, left, up]
            else:
                directions = [np.cos(contact.roller) * heading + np.sin(contact.roller) * left, up]
            A += [direction @ velocity for direction in directions]
        return np.array(A)

    def standing(self, q):
        """A configuration near q with all wheels on one plane, found by Newton's method."""
        up = [k for k, name in enumerate(self._row_names()) if name == "up"]
        for _ in range(100):
            heights = np.array([at[2] for at, *_ in self.points(q)])
            J = self.rows(q)[up]
            step = np.linalg.lstsq(J - J[0], heights[0] - heights, rcond=1e-9)[0]
            q = self.tree.integrate(q, np.clip(step, -0.3, 0.3))
            if np.abs(heights - heights[0]).max() < 1e-14:
                break
        return q

    def _row_names(self):
        for contact in self.robot.description.rolling:
            yield from ["across", "up"] if contact.blade or contact.roller is not None else ["along", "across", "up"]

    def moved(self, q, v, dt):
        return self.tree.integrate(q, v, dt)

    def forward_dynamics(self, q, rates, tau, h=1e-4):
        """The accelerations of the tree, and the forces on the wheels as far as they are unique: A^T lambda."""
        n = self.tree.dof
        A, whole = self.rows(q), np.zeros(n)
        # Fourth-order differences of A along the motion.
        ahead = [self.rows(self.moved(q, rates, k * h)) for k in (-2, -1, 1, 2)]
        A_dot = (ahead[0] - 8 * ahead[1] + 8 * ahead[2] - ahead[3]) / (12 * h)
        whole[self.driven] = tau
        bias = self.oracle.inverse_dynamics(q, rates, np.zeros(n)) + self.tree.friction_torque(rates)
        M = self.oracle.mass_matrix(q)
        K = np.block([[M, A.T], [A, np.zeros((len(A), len(A)))]])
        found = np.linalg.lstsq(K, np.concatenate([whole - bias, -A_dot @ rates]), rcond=1e-12)[0]
        return found[:n], -found[n:] @ A
