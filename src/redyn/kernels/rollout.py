"""Many motions at once: Runge-Kutta steps around one copy of the forward dynamics, one motion per lane.

    long kernel(double **inputs, double **outputs, long N)

The inputs are those of the forward dynamics, (N, width) each, and last two numbers: the step and how many. The outputs
are q and qd after them. Between steps the states stay in lanes, so rows are transposed once, not once per stage. Where
q holds quaternions, a second program gives the rates of q, and every step ends with lengths of one. Where loops are
closed, a third program closes them again after every step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from redyn.algebra import normaliser
from redyn.kernels.lanes import DOUBLE, INT, Lanes, integer, ir
from redyn.kernels.lower import FLAGS, Arrays, Evaluation, Memory, add_up, open_kernel
from redyn.kernels.program import Program, read_function
from redyn.kernels.runge_kutta import REACH, WEIGHT

SWEEPS = 2  # of the projection that closes loops: the first moves q, the second leaves the rates of where it is then
WILD = 1e-2  # rad or m: a longer step of it, near a singular position, is not taken


def lower_rollout(
    program: Program,
    width: int,
    rates: Program | None = None,
    quaternions: Sequence[int] = (),
    closing: Program | None = None,
) -> str:
    """The LLVM module that steps through time with the forward dynamics of `program`.

    `rates` gives the rates of q where they are not qd; `quaternions` is where in q they begin; `closing` moves q and qd
    to where loops are closed.
    """
    nq, n = program.inputs[:2]
    normalisation = _normalisation() if quaternions else None
    kernel, lanes = open_kernel(width)
    b, N = lanes.b, kernel.args[2]
    memory = Memory(b)
    arrays = Arrays(lanes, program.inputs, (nq, n), kernel, memory)
    control = b.load(b.gep(kernel.args[0], [integer(len(program.inputs))]))
    h = lanes.splat(b.load(control))
    steps = b.fptosi(b.load(b.gep(control, [integer(1)])), INT)
    reach, weight = _table(kernel.module, "reach", REACH), _table(kernel.module, "weight", WEIGHT)
    full, rest = b.and_(N, integer(-width)), b.and_(N, integer(width - 1))
    arrays.fill_scratch(full, rest)
    constants = sum(program.inputs[2:])
    memory_blocks = [_scratch(lanes, count) for count in (nq, n, nq, n, nq, n, constants)]
    Q, V, rate, acceleration, q_sum, v_sum, given = memory_blocks
    trouble = b.alloca(lanes.vector)
    b.store(lanes.constant(0.0), trouble)

    for i in lanes.loop(integer(0), N, width):
        bases = arrays.bases(i, full)
        for base, count, scratch, first in _slots(program, bases, Q, V, given):
            columns: dict[int, Any] = {}
            for column in range(count):
                if column not in columns:
                    columns |= lanes.load_columns(base, count, column)
                b.store(columns[column], b.gep(scratch, [integer(first + column)]))
        for scratch, count in ((rate, nq), (acceleration, n)):
            _fill(lanes, scratch, count)
        for _ in lanes.loop(integer(0), steps, 1):
            for scratch, count in ((q_sum, nq), (v_sum, n)):
                _fill(lanes, scratch, count)
            for stage in lanes.loop(integer(0), integer(4), 1):
                far = b.fmul(h, lanes.splat(b.load(b.gep(reach, [integer(0), stage]))))
                weighs = lanes.splat(b.load(b.gep(weight, [integer(0), stage])))
                q = [_along(lanes, Q, far, rate, j) for j in range(nq)]
                v = [_along(lanes, V, far, acceleration, j) for j in range(n)]
                state = _Stage(lanes, program, q, v, given)
                a = Evaluation(lanes, program, state).run()
                u = v if rates is None else Evaluation(lanes, rates, state).run()
                for values, total, last in ((u, q_sum, rate), (a, v_sum, acceleration)):
                    for j, value in enumerate(values):
                        at = b.gep(total, [integer(j)])
                        b.store(b.fadd(b.load(at), b.fmul(weighs, value, flags=FLAGS), flags=FLAGS), at)
                        b.store(value, b.gep(last, [integer(j)]))
            for state, total, count in ((Q, q_sum, nq), (V, v_sum, n)):
                for j in range(count):
                    b.store(_along(lanes, state, h, total, j), b.gep(state, [integer(j)]))
            if normalisation is not None:
                for start in quaternions:
                    _normalise(lanes, normalisation, Q, start)
            if closing is not None:
                for _ in lanes.loop(integer(0), integer(SWEEPS), 1):
                    _close(lanes, closing, Q, V)
                    if normalisation is not None:
                        for start in quaternions:
                            _normalise(lanes, normalisation, Q, start)
        results = [[b.load(b.gep(scratch, [integer(j)])) for j in range(count)] for scratch, count in ((Q, nq), (V, n))]
        for base, values in zip(bases[len(program.inputs) :], results, strict=True):
            for first, size in lanes.groups(len(values)):
                lanes.store_columns(base, len(values), first, values[first : first + size])
        b.store(add_up(lanes, results[0] + results[1], b.load(trouble)), trouble)

    arrays.empty_scratch(full, rest)
    memory.release()
    found = b.load(trouble)
    b.ret(b.zext(lanes.any(b.fcmp_unordered("uno", found, found)), INT))
    return str(kernel.module)


class _Stage:
    """What the forward dynamics asks for: the state of the stage, and what is given for the whole motion."""

    def __init__(self, lanes: Lanes, program: Program, q: list[Any], v: list[Any], given: Any) -> None:
        self.b, self.q, self.v, self.given = lanes.b, q, v, given
        self.first = [sum(program.inputs[2:a]) for a in range(len(program.inputs))]

    def __call__(self, array: int, column: int) -> Any:
        if array < 2:
            return (self.q, self.v)[array][column]
        return self.b.load(self.b.gep(self.given, [integer(self.first[array] + column)]))


def _slots(program: Program, bases: list[Any], Q: Any, V: Any, given: Any) -> list[tuple[Any, int, Any, int]]:
    """For every input array: where its rows are, how wide they are, the memory for its columns and where they start."""
    found: list[tuple[Any, int, Any, int]] = []
    for a, count in enumerate(program.inputs):
        scratch, first = ((Q, 0), (V, 0))[a] if a < 2 else (given, sum(program.inputs[2:a]))
        found.append((bases[a], count, scratch, first))
    return found


def _table(module: Any, name: str, values: tuple[float, ...]) -> Any:
    kind = ir.ArrayType(DOUBLE, len(values))
    table = ir.GlobalVariable(module, kind, name)
    table.global_constant, table.linkage, table.initializer = True, "internal", ir.Constant(kind, list(values))
    return table


def _scratch(lanes: Lanes, count: int) -> Any:
    scratch = lanes.b.alloca(lanes.vector, integer(max(count, 1)))
    scratch.align = 64
    return scratch


def _fill(lanes: Lanes, scratch: Any, count: int) -> None:
    for j in range(count):
        lanes.b.store(lanes.constant(0.0), lanes.b.gep(scratch, [integer(j)]))


def _normalisation() -> Program:
    """The program that brings a quaternion to length 1."""
    import casadi  # pyright: ignore[reportMissingTypeStubs]

    from redyn.arithmetic import graph

    ca = cast(Any, casadi)
    column, parts = graph.inputs("quaternion", 4)
    return read_function(ca.Function("normalise", [column], [ca.vertcat(*normaliser(graph.Graph().sqrt)(*parts))]))


def _normalise(lanes: Lanes, program: Program, Q: Any, start: int) -> None:
    slots = [lanes.b.gep(Q, [integer(start + k)]) for k in range(4)]

    def load(array: int, column: int) -> Any:
        del array
        return lanes.b.load(slots[column])

    for slot, value in zip(slots, Evaluation(lanes, program, load).run(), strict=True):
        lanes.b.store(value, slot)


def _close(lanes: Lanes, program: Program, Q: Any, V: Any) -> None:
    """One step of the projection, in lanes where it is short."""
    b, nq = lanes.b, program.outputs[0]
    slots = [b.gep(Q, [integer(j)]) for j in range(nq)] + [b.gep(V, [integer(j)]) for j in range(program.outputs[1])]
    before = [b.load(slot) for slot in slots]

    def load(array: int, column: int) -> Any:
        return before[column if array == 0 else nq + column]

    after = Evaluation(lanes, program, load).run()
    limit, small = lanes.constant(WILD), None
    for old, new in zip(before[:nq], after[:nq], strict=True):
        near = b.fcmp_ordered("<", lanes.intrinsic("fabs", b.fsub(new, old)), limit)
        small = near if small is None else b.and_(small, near)
    for slot, old, new in zip(slots, before, after, strict=True):
        b.store(b.select(small, new, old), slot)


def _along(lanes: Lanes, start: Any, far: Any, rate: Any, j: int) -> Any:
    """start[j] + far * rate[j]"""
    b = lanes.b
    moved = b.fmul(far, b.load(b.gep(rate, [integer(j)])), flags=FLAGS)
    return b.fadd(b.load(b.gep(start, [integer(j)])), moved, flags=FLAGS)
