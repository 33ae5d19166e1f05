"""Flexible robots by Lagrange's equations, from energies alone: an oracle that shares no recursion with the product.

Positions of points of the beam are written down at Gauss points, kinetic and potential energy are sums over them, and
CasADi differentiates. Only the mode shapes are the product's own; these are compared with exact roots and with finite
elements elsewhere.
"""

import casadi as ca
import numpy as np
from numpy.polynomial.legendre import leggauss

from random_robots import random_axis, random_inertia

POINTS = 40


def golden_robot(entry):
    """A robot of tests/data/golden_flex.json as plain data."""
    links, before = [], 0.0
    for link in entry["links"]:
        load, modes = link["mode_load"], link["modes"]
        R = np.array(link["R_off"])
        flexible = {
            "length": link["L"],
            "rho_A": link["rhoA"],
            "EI": [link["EIy"] or link["EIz"], link["EIz"]],
            "rho_Ip": link["rhoIp"],
            "modes": [modes["y"], modes["z"], modes["torsion"]],
            "load": {"mass": load["ML"], "inertia": load["JL"], "moment": load["MD"]},
            "damping_ratio": link["damping_ratio"],
            "stiffening": link["stiffening"],
        }
        if link["GJ"]:
            flexible["GJ"] = link["GJ"]
        for end in ("hub", "tip"):
            flexible[end] = {"mass": link[end]["m"], "com": link[end]["c"], "inertia": link[end]["I"]}
        roll = float(np.arctan2(R[2, 1], R[1, 1]))  # all of them turn about x
        links.append(
            {"joint": "revolute", "axis": [0, 0, 1], "xyz": [before, 0, 0], "rpy": [roll, 0, 0], "flexible": flexible}
        )
        before = link["L"]
    return {"name": "golden", "convention": "frames", "gravity": entry["gravity"], "links": links}


def random_flexible(seed, n=3):
    """A tree of revolute, prismatic and fixed links, rigid and flexible; the last one bends."""
    rng = np.random.default_rng(seed)
    links = []
    for i in range(n):
        kind = str(rng.choice(["revolute", "revolute", "prismatic", "fixed"])) if i else "revolute"
        link = {"name": f"part{i}", "joint": {"type": kind}}
        if kind != "fixed":
            link["axis"] = random_axis(rng)
        link["parent"] = "world" if not i else f"part{rng.integers(i)}"
        link["xyz"] = [float(x) for x in rng.uniform(-0.4, 0.4, 3)]
        link["rpy"] = [float(x) for x in rng.uniform(-3, 3, 3)]
        if i == n - 1 or rng.random() < 0.6:
            link["flexible"] = _random_beam(rng)
        if i == 0 or rng.random() < 0.5:
            mass = float(rng.uniform(0.2, 2))
            link |= {"mass": mass, "com": [float(x) for x in rng.uniform(-0.2, 0.2, 3)]}
            link["inertia"] = random_inertia(rng, mass, 0.2)
        elif kind != "fixed" and "flexible" not in link:
            link["mass"] = 0.0
        links.append(link)
    gravity = [float(x) for x in rng.uniform(-10, 10, 3)]
    return {"name": f"flexible-{seed}", "convention": "frames", "gravity": gravity, "links": links}


def _random_beam(rng):
    length = float(rng.uniform(0.3, 1.2))

    def station(x):
        return {
            "x": x,
            "rho_A": float(rng.uniform(0.1, 1)),
            "EI": [float(v) for v in rng.uniform(1, 20, 2)],
            "GJ": float(rng.uniform(1, 10)),
            "rho_Ip": float(rng.uniform(1e-4, 1e-3)),
        }

    beam = {"modes": [int(k) for k in rng.integers(0, 3, 3)], "stiffening": bool(rng.random() < 0.7)}
    if not any(beam["modes"]):
        beam["modes"] = [1, 1, 1]
    if rng.random() < 0.5:
        beam |= {key: value for key, value in station(0.0).items() if key != "x"} | {"length": length}
    else:
        beam["table"] = [station(0.0), station(0.4 * length), station(length)]
    if rng.random() < 0.5:
        mass = float(rng.uniform(0.1, 1))
        beam["tip"] = {"mass": mass, "com": [float(x) for x in rng.uniform(-0.1, 0.1, 3)]}
        beam["tip"]["inertia"] = random_inertia(rng, mass, 0.1)
    if rng.random() < 0.3:
        beam["hub"] = {"mass": 0.3, "com": [0.01, 0.02, 0.0], "inertia": random_inertia(rng, 0.3, 0.05)}
    beam["load"] = str(rng.choice(["carried", "none"]))
    beam["damping_ratio"] = 0.01
    return beam


def _turn(axis, angle):
    x, y, z = axis
    K = ca.DM([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return ca.DM.eye(3) + ca.sin(angle) * K + (1 - ca.cos(angle)) * (K @ K)


def _fixed(rpy):
    return _turn((0, 0, 1), rpy[2]) @ _turn((0, 1, 0), rpy[1]) @ _turn((1, 0, 0), rpy[0])


def _sum(factors, amplitudes):
    return ca.dot(ca.DM(factors), amplitudes) if len(factors) else 0


class Lagrange:
    """Mass matrix, bias, energies, momentum and the pose of the last tip, as functions of q and qd."""

    def __init__(self, robot):
        self.robot = robot
        n = robot.dof
        self.q, self.v = ca.SX.sym("q", n), ca.SX.sym("v", n)
        self.T, self.V, self.P = 0, 0, ca.SX.zeros(3)
        self.g = ca.DM(robot.gravity)
        beams = {beam.name: (first, beam) for first, beam in robot.model.beams}
        names = robot.coordinate_names
        mounts = {"world": (ca.SX.zeros(3), ca.SX.eye(3))}
        for link in robot.description.links:
            o, R = mounts[link.parent]
            o, R = o + R @ ca.DM(link.xyz), R @ _fixed(link.rpy)
            if link.joint.type != "fixed":
                axis = np.array(link.axis) / np.linalg.norm(link.axis)
                value = self.q[names.index(link.joint.name)]
                if link.joint.type == "prismatic":
                    o = o + R @ ca.DM(axis) * value
                else:
                    R = R @ _turn(axis, value)
            if link.mass:
                self._rigid(o, R, link.mass, link.com, link.inertia)
            if link.flexible is None:
                mounts[link.name] = (o, R)
                continue
            first, beam = beams[link.name]
            tip = self._beam(o, R, link.flexible, beam, first)
            for body, (at, axes) in ((link.flexible.hub, (o, R)), (link.flexible.tip, tip)):
                if body is not None:
                    self._rigid(at, axes, body.mass, body.com, body.inertia)
            length = float(beam.length)
            mounts[link.name] = (tip[0] - tip[1] @ ca.DM([length, 0, 0]), tip[1])
            self.tip = tip
        p = ca.gradient(self.T, self.v)
        damping = ca.DM([float(link.joint.damping) for link in robot.model.links])
        h = ca.jtimes(p, self.q, self.v) - ca.gradient(self.T, self.q) + ca.gradient(self.V, self.q) + damping * self.v
        self.mass_matrix = ca.Function("M", [self.q], [ca.hessian(self.T, self.v)[0]])
        self.bias = ca.Function("h", [self.q, self.v], [h])
        self.energies = ca.Function("E", [self.q, self.v], [self.T, self.V])
        self.momentum = ca.Function("P", [self.q, self.v], [self.P])
        self.tip_pose = ca.Function("tip", [self.q], list(self.tip))

    def _rate(self, x):
        return ca.jtimes(x, self.q, self.v)

    def _omega(self, R):
        W = R.T @ ca.reshape(self._rate(ca.reshape(R, 9, 1)), 3, 3)
        return ca.vertcat(W[2, 1], W[0, 2], W[1, 0])

    def _rigid(self, o, R, mass, com, inertia):
        xx, xy, xz, yy, yz, zz = inertia
        at, w = o + R @ ca.DM(com), self._omega(R)
        rate = self._rate(at)
        tensor = ca.DM([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        self.T += mass * ca.dot(rate, rate) / 2 + ca.dot(w, tensor @ w) / 2
        self.V -= mass * ca.dot(self.g, at)
        self.P += mass * rate

    def _beam(self, o, R, flexible, beam, first):
        """Kinetic energy to second order in the amplitudes: see design of the product, `model/beam.py`."""
        e = self.q[first : first + beam.modes]
        stations = [row.x for row in flexible.stations]
        if flexible.table is None:
            stations = [0.0, float(beam.length)]
        shortened = 0
        spin = self._omega(R)[0]
        nodes, weights = leggauss(POINTS)
        for k in range(len(stations) - 1):
            a, b = stations[k], stations[k + 1]
            start, end = flexible.stations[k], flexible.stations[k + 1]
            half = (b - a) / 2
            xs, ws = (a + b) / 2 + half * nodes, half * weights
            (y, z, torsion), (y1, z1, _) = beam.curves.values(xs), beam.curves.values(xs, 1)
            before = shortened
            for i, (x, w) in enumerate(zip(xs, ws, strict=True)):
                share = (x - a) / (b - a)
                rho = start.rho_A + share * (end.rho_A - start.rho_A)
                polar = start.rho_Ip + share * (end.rho_Ip - start.rho_Ip)
                bend = ca.vertcat(0, _sum(y[:, i], e[: len(y)]), _sum(z[:, i], e[len(y) : beam.bending]))
                straight = ca.DM([x, 0, 0])
                velocity = self._rate(o + R @ (straight + bend))
                dm = float(rho * w)
                self.T += dm * ca.dot(velocity, velocity) / 2
                self.V -= dm * ca.dot(self.g, o + R @ (straight + bend))
                self.P += dm * velocity
                if flexible.stiffening:
                    drawn = before + self._drawn(beam, e, a, x)
                    shift = R @ ca.vertcat(drawn, 0, 0)
                    self.T += dm * ca.dot(self._rate(o + R @ straight), self._rate(shift))
                    self.V -= dm * ca.dot(self.g, shift)
                    self.P += dm * self._rate(shift)
                chi = _sum(torsion[:, i], e[beam.bending :])
                self.T += float(polar * w) * (spin + (self._rate(chi) if beam.torsion else 0)) ** 2 / 2
            if flexible.stiffening:
                shortened = before + self._drawn(beam, e, a, b)
        for k in range(beam.modes):
            self.V += float(self.robot.model.links[first + k].joint.stiffness) * e[k] ** 2 / 2
        at = np.array([float(beam.length)])
        (y, z, torsion), (y1, z1, _) = beam.curves.values(at), beam.curves.values(at, 1)

        def along(rows, offset):
            return _sum(rows[:, 0], e[offset : offset + len(rows)])

        tip = o + R @ ca.vertcat(float(beam.length) + shortened, along(y, 0), along(z, len(y)))
        axes = R @ _turn((0, 0, 1), along(y1, 0)) @ _turn((0, 1, 0), -along(z1, len(y)))
        return tip, axes @ _turn((1, 0, 0), along(torsion, beam.bending))

    def _drawn(self, beam, e, a, x):
        """-1/2 of the integral of u'^2 from a to x."""
        nodes, weights = leggauss(POINTS)
        xs, ws = (a + x) / 2 + (x - a) / 2 * nodes, (x - a) / 2 * weights
        y1, z1, _ = beam.curves.values(xs, 1)
        H_y, H_z = (y1 * ws) @ y1.T, (z1 * ws) @ z1.T
        e_y, e_z = e[: len(y1)], e[len(y1) : beam.bending]
        total = 0
        for e_k, H in ((e_y, H_y), (e_z, H_z)):
            if len(H):
                total -= ca.dot(e_k, ca.DM(H) @ e_k) / 2
        return total
