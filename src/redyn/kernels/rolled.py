"""Kernels for long chains: one traced link step in a loop over the links, its constants in memory.

Straight-line code grows with the robot; beyond some sixty joints it falls out of the instruction cache and takes long
to build. For a serial robot of revolute joints the same step functions that are unrolled for a short arm are traced
once, with the link's constants as inputs, and looped: build time and code do not depend on the number of links.

    long kernel(double **inputs, double **outputs, long N, long n, double *constants, double *scratch)

N must be a multiple of the lane width. Constants that are the same for every link are folded into the code.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from redyn.algebra import (
    ArticulatedInertia,
    MassMatrix,
    Mat3,
    Propagation,
    RotationX,
    RotationZ,
    Sym3,
    Twist,
    Vec3,
    Wrench,
)
from redyn.dynamics import forward, inverse
from redyn.dynamics.passive import passive_step
from redyn.kernels import cache
from redyn.kernels.lanes import INT, POINTER, Lanes, integer, ir
from redyn.kernels.lower import Evaluation
from redyn.kernels.program import Program, read_function
from redyn.kernels.sincos import LARGEST_ANGLE
from redyn.model import Joint, Link, Model, regrouped

Array = NDArray[np.float64]

# The constants of a link, in this order: offset, gamma (c, s), alpha (c, s), zero, m, h, S, and its drive.
COLUMNS = 24


def covers(model: Model, algorithm: str) -> bool:
    """Serial, revolute with an angle of its own per link, and one of the two recursions that are rolled."""
    return (
        algorithm in PASSES
        and model.simple
        and model.free is None
        and all(link.parent == i and link.joint.kind == "revolute" for i, link in enumerate(model.links))
    )


def link_constants(link: Link) -> list[float]:
    """The numbers that make a link, its rotations brought to the form Rz(gamma) Rx(alpha)."""
    joint, M = link.joint, link.M
    gamma, alpha = RotationZ(1.0, 0.0), RotationX(1.0, 0.0)
    for rotation in joint.rotations:
        if isinstance(rotation, RotationZ):
            gamma = rotation
        else:
            alpha = cast(RotationX, rotation)
    zero = cast(float, joint.zero) + joint.quarters * np.pi / 2
    drive = (joint.damping, joint.coulomb, joint.smoothing, joint.armature, joint.stiffness, joint.rest)
    numbers = [*joint.offset.components(), gamma.c, gamma.s, alpha.c, alpha.s, zero]
    return [cast(float, x) for x in (*numbers, M.m, *M.h.components(), *M.S.components(), *drive)]


def _symbolic_link(model: Model, k: list[Any]) -> Link:
    """A link whose constants are symbols, or numbers where all links agree."""
    joint = replace(
        model.links[0].joint,
        offset=Vec3(*k[0:3]),
        rotations=(RotationZ(k[3], k[4]), RotationX(k[5], k[6])),
        zero=k[7],
        quarters=0,
        damping=k[18],
        coulomb=k[19],
        smoothing=k[20],
        armature=k[21],
        stiffness=k[22],
        rest=k[23],
    )
    M = MassMatrix(k[8], Vec3(*k[9:12]), Sym3(*k[12:18]))
    return replace(model.links[0], joint=joint, M=M)


# --- the passes: what happens at a link, in terms of the step functions of dynamics/ ----------------------------


@dataclass
class Station:
    """A link on its way through a pass: its constants, inputs, what arrives, and its slots in the scratch memory."""

    link: Link
    inputs: dict[str, Any]
    carried: list[Any]
    slots: dict[str, Any]
    arith: Any

    def propagation(self) -> Propagation:
        joint: Joint = self.link.joint
        return Propagation(joint.offset, (*joint.rotations, RotationZ(self.slots["c"], self.slots["s"])))

    def passive(self) -> Any:
        return passive_step(self.link.joint, [self.inputs["q"]], self.inputs["qd"], self.arith)

    def wrench(self, name: str) -> Wrench:
        w = [self.slots[f"{name}{k}"] for k in range(6)]
        return Wrench(Vec3(*w[:3]), Vec3(*w[3:]))


def _wrench(values: list[Any]) -> Wrench:
    return Wrench(Vec3(*values[:3]), Vec3(*values[3:6]))


def _store(slots: dict[str, Any], name: str, w: Wrench) -> None:
    for k, x in enumerate(w.components()):
        slots[f"{name}{k}"] = x


def _outward(station: Station, qdd: Any) -> list[Any]:
    """The motion of the link and the wrench that it needs (9.32), (9.33)."""
    link, slots, arith = station.link, station.slots, station.arith
    slots["s"], slots["c"] = arith.sincos(station.inputs["q"] + link.joint.zero)
    c = station.carried
    zero = Vec3(0.0, 0.0, 0.0)
    A = Mat3(Vec3(*c[9:12]), Vec3(*c[12:15]), Vec3(*c[15:18]))
    parent = inverse.LinkState(Twist(Vec3(*c[0:3]), zero), Twist(Vec3(*c[3:6]), Vec3(*c[6:9])), A, zero)
    state = inverse.motion_step(link, station.propagation(), parent, station.inputs["qd"], qdd)
    _store(slots, "w", inverse.wrench_step(link, state))
    A = state.A
    return [
        *state.t.ang.components(),
        *state.t_dot.components(),
        *A.x.components(),
        *A.y.components(),
        *A.z.components(),
    ]


def _outward_inverse(station: Station) -> tuple[list[Any], Any]:
    return _outward(station, station.inputs["x"]), None


def _outward_bias(station: Station) -> tuple[list[Any], Any]:
    return _outward(station, 0.0), None


def _inward_inverse(station: Station) -> tuple[list[Any], Any]:
    link, qdd = station.link, station.inputs["x"]
    total = station.wrench("w") + _wrench(station.carried)
    tau, on_parent = inverse.inward_step(link, station.propagation(), total)
    torque = tau + link.joint.armature * qdd + station.passive()
    return list(on_parent.components()), torque


def _inward_forward(station: Station) -> tuple[list[Any], Any]:
    """Bias wrench, articulated inertia and eta travel together from the tip to the base (9.33), (9.39)."""
    link, c = station.link, station.carried
    B = station.propagation()
    bias, on_parent = inverse.inward_step(link, B, station.wrench("w") + _wrench(c[0:6]))
    phi = station.inputs["x"] - bias - station.passive()
    arrived = ArticulatedInertia(
        Sym3(*c[12:18]), Mat3(Vec3(*c[18:21]), Vec3(*c[21:24]), Vec3(*c[24:27])), Sym3(*c[27:33])
    )
    joint, M_bar = forward.articulated_step(link, ArticulatedInertia.of_rigid(link.M, 0.0) + arrived)
    _, phi_tilde, eta = forward.inward_step(link, joint, phi, _wrench(c[6:12]))
    _store(station.slots, "psi", joint.psi)
    station.slots["phi_tilde"] = phi_tilde
    M = M_bar.to_parent(B)
    F = (*M.F.x.components(), *M.F.y.components(), *M.F.z.components())
    leaving = (*on_parent.components(), *(B.T @ eta).components(), *M.I.components(), *F, *M.G.components())
    return list(leaving), None


def _outward_forward(station: Station) -> tuple[list[Any], Any]:
    """Accelerations from base to tip (9.41)."""
    c = station.carried
    mu = station.propagation() @ Twist(Vec3(*c[:3]), Vec3(*c[3:]))
    joint = forward.Articulation(station.wrench("psi"), 0.0, 0.0, 0.0)
    x, mu_i = forward.outward_step(station.link, joint, station.slots["phi_tilde"], mu)
    return list(mu_i.components()), x


Step = Callable[[Station], tuple[list[Any], Any]]
_W, _PSI = [f"w{k}" for k in range(6)], [f"psi{k}" for k in range(6)]


@dataclass(frozen=True)
class Pass:
    """A loop over the links: which way, how much is carried along, which slots are read, the step."""

    outward: bool
    carried: int
    reads: tuple[str, ...]
    step: Step
    gravity: bool = False  # whether what is carried starts as the world's motion


PASSES = {
    "inverse_dynamics": (
        Pass(True, 18, (), _outward_inverse, gravity=True),
        Pass(False, 6, ("c", "s", *_W), _inward_inverse),
    ),
    "forward_dynamics": (
        Pass(True, 18, (), _outward_bias, gravity=True),
        Pass(False, 33, ("c", "s", *_W), _inward_forward),
        Pass(True, 6, ("c", "s", "phi_tilde", *_PSI), _outward_forward),
    ),
}
# Scratch memory of every link. Slots are used again: psi for w, phi_tilde for x, the result for q.
SLOTS = ("q", "qd", "x", "c", "s", *_W)
_SHARED = {"out": "q", "phi_tilde": "x", **dict(zip(_PSI, _W, strict=True))}


# --- tracing and lowering -----------------------------------------------------------------------------------------


def _trace(model: Model, stage: Pass, pattern: list[float | None]) -> tuple[Program, list[str], bool]:
    """The program of a step: constants, inputs, slots and carried values in; carried, slots and a result out."""
    import casadi  # pyright: ignore[reportMissingTypeStubs]

    from redyn.arithmetic.graph import Graph

    ca = cast(Any, casadi)
    varying = [k for k, value in enumerate(pattern) if value is None]
    columns = [
        ca.SX.sym("k", len(varying)),
        ca.SX.sym("x", 3),
        ca.SX.sym("s", len(stage.reads)),
        ca.SX.sym("c", stage.carried),
    ]
    constants: list[Any] = list(pattern)
    for place, k in enumerate(varying):
        constants[k] = columns[0][place]
    slots = {name: columns[2][i] for i, name in enumerate(stage.reads)}
    inputs = {name: columns[1][i] for i, name in enumerate(("q", "qd", "x"))}
    carried = [columns[3][i] for i in range(stage.carried)]
    station = Station(_symbolic_link(model, constants), inputs, carried, slots, Graph())
    leaving, result = stage.step(station)
    written = [name for name in station.slots if name not in stage.reads]
    outputs = [ca.SX(x) for x in (*leaving, *(station.slots[name] for name in written))]
    if result is not None:
        outputs.append(ca.SX(result))
    function = ca.Function("step", columns, [ca.densify(ca.vertcat(*outputs))])
    return read_function(function), written, result is not None


class _Roller:
    """Writes the loops."""

    def __init__(self, width: int, constants: int) -> None:
        self.module = ir.Module(name="redyn")
        table = POINTER.as_pointer()
        kind = ir.FunctionType(INT, [table, table, INT, INT, POINTER, POINTER])
        self.kernel = ir.Function(self.module, kind, "kernel")
        self.b = ir.IRBuilder(self.kernel.append_basic_block("entry"))
        self.lanes = Lanes(self.b, width)
        self.ins, self.outs, self.N, self.n, self.K, scratch = self.kernel.args
        self.scratch = self.b.bitcast(scratch, self.lanes.vector.as_pointer())
        self.constants = constants

    def slot(self, link: Any, name: str) -> Any:
        offset = SLOTS.index(_SHARED.get(name, name))
        place = self.b.add(self.b.mul(link, integer(len(SLOTS))), integer(offset))
        return self.b.gep(self.scratch, [place])

    def load(self, pointer: Any) -> Any:
        value = self.b.load(pointer)
        value.align = 8
        return value

    def store(self, value: Any, pointer: Any) -> None:
        self.b.store(value, pointer).align = 8

    def variables(self, count: int) -> list[Any]:
        with self.b.goto_entry_block():
            return [self.b.alloca(self.lanes.vector) for _ in range(count)]

    def rows(self, table: Any, array: int, block: Any) -> Any:
        """Where the rows of a block start in an array of n columns."""
        base = self.b.load(self.b.gep(table, [integer(array)]))
        return self.b.gep(base, [self.b.mul(block, self.n)])

    def columns_to_slots(self, block: Any) -> None:
        """The inputs of a block, transposed into the slots of the links."""
        for array, name in enumerate(("q", "qd", "x")):
            start = self.rows(self.ins, array, block)
            for link in self.lanes.loop(integer(0), self.n, 1):
                value = ir.Constant(self.lanes.vector, ir.Undefined)
                for row in range(self.lanes.width):
                    at = self.b.gep(start, [self.b.add(self.b.mul(self.n, integer(row)), link)])
                    scalar = self.b.load(at)
                    value = (
                        scalar
                        if self.lanes.width == 1
                        else self.b.insert_element(value, scalar, ir.Constant(ir.IntType(32), row))
                    )
                self.store(value, self.slot(link, name))

    def slots_to_columns(self, block: Any) -> None:
        start = self.rows(self.outs, 0, block)
        for link in self.lanes.loop(integer(0), self.n, 1):
            value = self.load(self.slot(link, "out"))
            for row in range(self.lanes.width):
                at = self.b.gep(start, [self.b.add(self.b.mul(self.n, integer(row)), link)])
                single = (
                    value if self.lanes.width == 1 else self.b.extract_element(value, ir.Constant(ir.IntType(32), row))
                )
                self.b.store(single, at)

    def run(
        self, stage: Pass, program: Program, written: list[str], gives: bool, trouble: Any, gravity: list[float]
    ) -> None:
        """One pass over the links."""
        b, lanes = self.b, self.lanes
        carried = self.variables(stage.carried)
        start = [0.0] * 6 + [-g for g in gravity] + [0.0] * 9 if stage.gravity else [0.0] * stage.carried
        for place, value in zip(carried, start, strict=True):
            b.store(ir.Constant(lanes.vector, [value] * lanes.width if lanes.width > 1 else value), place)
        last = b.sub(self.n, integer(1))
        bounds = (integer(0), self.n, 1) if stage.outward else (last, integer(0), -1)
        for link in self.lanes.loop(*bounds):
            row = b.mul(link, integer(self.constants))

            def load(array: int, column: int, link: Any = link, row: Any = row) -> Any:
                if array == 0:
                    return lanes.splat(b.load(b.gep(self.K, [b.add(row, integer(column))])))
                if array == 3:
                    return b.load(carried[column])
                return self.load(self.slot(link, ("q", "qd", "x")[column] if array == 1 else stage.reads[column]))

            results = Evaluation(lanes, program, load).run()
            leaving, rest = results[: stage.carried], results[stage.carried :]
            for place, value in zip(carried, leaving, strict=True):
                b.store(value, place)
            for name, value in zip(written, rest, strict=False):
                self.store(value, self.slot(link, name))
            if gives:
                self.store(rest[-1], self.slot(link, "out"))
                b.store(lanes.intrinsic("fma", rest[-1], lanes.constant(0.0), b.load(trouble)), trouble)


def lower_rolled(model: Model, algorithm: str, pattern: list[float | None], width: int) -> str:
    """The LLVM module of a rolled kernel."""
    roller = _Roller(width, pattern.count(None))
    b, lanes = roller.b, roller.lanes
    trouble = roller.variables(1)[0]
    b.store(lanes.constant(0.0), trouble)
    gravity = [cast(float, g) for g in model.gravity.components()]
    traced = [(stage, *_trace(model, stage, pattern)) for stage in PASSES[algorithm]]
    for block in roller.lanes.loop(integer(0), roller.N, width):
        roller.columns_to_slots(block)
        for stage, program, written, gives in traced:
            roller.run(stage, program, written, gives, trouble, gravity)
        roller.slots_to_columns(block)
    found = b.load(trouble)
    b.ret(b.zext(lanes.any(b.fcmp_unordered("uno", found, found)), INT))
    return str(roller.module)


_SIGNATURE = ctypes.CFUNCTYPE(
    ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p
)


class RolledKernel:
    """A rolled kernel with the constants of one robot."""

    def __init__(self, model: Model, algorithm: str, width: int) -> None:
        self.model, self.width, self._inverse = model, width, algorithm == "inverse_dynamics"
        self._stiffness = np.array([cast(float, link.joint.stiffness) for link in model.links])
        table = np.array([link_constants(link) for link in regrouped(model).links])
        same = (table == table[0]).all(axis=0)
        pattern = [float(table[0, k]) if same[k] else None for k in range(COLUMNS)]
        self.constants = np.ascontiguousarray(table[:, ~same])
        parts = (algorithm, pattern, width, model.gravity)
        name = cache.named("rolled", *parts)
        self._code = cache.code(name, width, lambda: lower_rolled(model, algorithm, pattern, width))
        self._call = _SIGNATURE(self._code.address)

    def __call__(self, inputs: list[Array], outputs: list[Array]) -> bool:
        """Fill the one output (N, n); whether all is finite. Releases the interpreter's lock."""
        (output,) = outputs
        n, size = self.model.dof, len(output)
        full = -(-size // self.width) * self.width
        q, qd, x = _reduced(inputs[0]), *inputs[1:]
        turns = None if q is inputs[0] or not self._stiffness.any() else self._stiffness * (inputs[0] - q)
        if turns is not None and not self._inverse:
            x = x - turns  # springs feel whole turns, too
        padded = [
            a if full == size else np.concatenate([a, np.repeat(a[-1:], full - size, axis=0)]) for a in (q, qd, x)
        ]
        result = output if full == size else np.empty((full, n))
        scratch = np.empty(n * len(SLOTS) * self.width)
        tables = [(ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays)) for arrays in (padded, [result])]
        bad = self._call(tables[0], tables[1], full, n, self.constants.ctypes.data, scratch.ctypes.data)
        if result is not output:
            output[...] = result[:size]
        if turns is not None and self._inverse:
            output += turns
        return bad == 0


def _reduced(q: Array) -> Array:
    """Huge angles brought within one turn."""
    if np.abs(q).max(initial=0.0) <= LARGEST_ANGLE:
        return q
    with np.errstate(all="ignore"):
        return np.where(np.abs(q) > LARGEST_ANGLE, np.arctan2(np.sin(q), np.cos(q)), q)
