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
from redyn.kernels.runge_kutta import CHEBYSHEV, REACH, WEIGHT, Method

SWEEPS = 2  # of the projection that closes loops: the first moves q, the second leaves the rates of where it is then
WILD = 1e-2  # rad or m: a longer step of it, near a singular position, is not taken


def lower_rollout(
    program: Program,
    width: int,
    rates: Program | None = None,
    quaternions: Sequence[int] = (),
    closing: Program | None = None,
    method: Method = "rk4",
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
    full, rest = b.and_(N, integer(-width)), b.and_(N, integer(width - 1))
    arrays.fill_scratch(full, rest)
    constants = sum(program.inputs[2:])
    Q, V, given = (_scratch(lanes, count) for count in (nq, n, constants))
    stepping = (_Classic if method == "rk4" else _Chebyshev)(lanes, program, rates, Q, V, given)
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
        stepping.begin()
        for _ in lanes.loop(integer(0), steps, 1):
            stepping.step(h)
            if normalisation is not None:
                for start in quaternions:
                    _normalise(lanes, normalisation, Q, start)
            if closing is not None:
                for _ in lanes.loop(integer(0), integer(SWEEPS), 1):
                    _close(lanes, closing, program, Q, V, given)
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


class _Stepping:
    """What both methods share: the state in memory, and the rates at a state."""

    def __init__(self, lanes: Lanes, program: Program, rates: Program | None, Q: Any, V: Any, given: Any) -> None:
        self.lanes, self.program, self.rates, self.Q, self.V, self.given = lanes, program, rates, Q, V, given
        self.sizes = program.inputs[:2]

    def pair(self) -> tuple[Any, Any]:
        """Memory for a number per entry of q, and of v."""
        nq, n = self.sizes
        return _scratch(self.lanes, nq), _scratch(self.lanes, n)

    def clear(self, pair: tuple[Any, Any]) -> None:
        for scratch, count in zip(pair, self.sizes, strict=True):
            _fill(self.lanes, scratch, count)

    def evaluated(self, q: list[Any], v: list[Any]) -> tuple[list[Any], list[Any]]:
        """The rates of q and of v."""
        state = _Stage(self.lanes, self.program, q, v, self.given)
        a = Evaluation(self.lanes, self.program, state).run()
        return v if self.rates is None else Evaluation(self.lanes, self.rates, state.beside).run(), a

    def coefficient(self, table: Any, stage: Any) -> Any:
        b = self.lanes.b
        return self.lanes.splat(b.load(b.gep(table, [integer(0), stage])))


class _Classic(_Stepping):
    """Of order four."""

    def __init__(self, lanes: Lanes, program: Program, rates: Program | None, Q: Any, V: Any, given: Any) -> None:
        super().__init__(lanes, program, rates, Q, V, given)
        module = lanes.b.module
        self.reach, self.weight = _table(module, "reach", REACH), _table(module, "weight", WEIGHT)
        self.last, self.sums = self.pair(), self.pair()

    def begin(self) -> None:
        self.clear(self.last)

    def step(self, h: Any) -> None:
        lanes, b = self.lanes, self.lanes.b
        nq, n = self.sizes
        self.clear(self.sums)
        for stage in lanes.loop(integer(0), integer(len(REACH)), 1):
            far, weighs = b.fmul(h, self.coefficient(self.reach, stage)), self.coefficient(self.weight, stage)
            q = [_along(lanes, self.Q, far, self.last[0], j) for j in range(nq)]
            v = [_along(lanes, self.V, far, self.last[1], j) for j in range(n)]
            for values, total, last in zip(self.evaluated(q, v), self.sums, self.last, strict=True):
                for j, value in enumerate(values):
                    at = b.gep(total, [integer(j)])
                    b.store(b.fadd(b.load(at), b.fmul(weighs, value, flags=FLAGS), flags=FLAGS), at)
                    b.store(value, b.gep(last, [integer(j)]))
        for state, total, count in zip((self.Q, self.V), self.sums, self.sizes, strict=True):
            for j in range(count):
                b.store(_along(lanes, state, h, total, j), b.gep(state, [integer(j)]))


class _Chebyshev(_Stepping):
    """Of order two, for quick decay; Q and V hold y_j of the present stage."""

    def __init__(self, lanes: Lanes, program: Program, rates: Program | None, Q: Any, V: Any, given: Any) -> None:
        super().__init__(lanes, program, rates, Q, V, given)
        columns = enumerate(zip(*CHEBYSHEV, strict=True))
        self.tables = [_table(lanes.b.module, f"chebyshev{k}", column) for k, column in columns]
        self.first, self.before, self.rate = self.pair(), self.pair(), self.pair()  # y_0, y_{j-1}, f_0

    def begin(self) -> None:
        self.clear(self.rate)

    def step(self, h: Any) -> None:
        lanes, b = self.lanes, self.lanes.b
        state = self.Q, self.V
        for source, first, before, count in zip(state, self.first, self.before, self.sizes, strict=True):
            for j in range(count):
                value = b.load(b.gep(source, [integer(j)]))
                b.store(value, b.gep(first, [integer(j)]))
                b.store(value, b.gep(before, [integer(j)]))
        for stage in lanes.loop(integer(0), integer(len(CHEBYSHEV)), 1):
            c = [self.coefficient(table, stage) for table in self.tables]
            c[3:] = [b.fmul(h, x) for x in c[3:]]
            starting = b.icmp_signed("==", stage, integer(0))
            now = [
                [b.load(b.gep(source, [integer(j)])) for j in range(count)]
                for source, count in zip(state, self.sizes, strict=True)
            ]
            found = self.evaluated(now[0], now[1])
            for k, values in enumerate(found):
                for j, f in enumerate(values):
                    at, past, start = (b.gep(a[k], [integer(j)]) for a in (state, self.before, self.rate))
                    y0, f0 = b.load(b.gep(self.first[k], [integer(j)])), b.select(starting, f, b.load(start))
                    b.store(f0, start)
                    terms = (y0, now[k][j], b.load(past), f, f0)
                    total = b.fmul(c[0], terms[0], flags=FLAGS)
                    for weighs, term in zip(c[1:], terms[1:], strict=True):
                        total = b.fadd(total, b.fmul(weighs, term, flags=FLAGS), flags=FLAGS)
                    b.store(now[k][j], past)
                    b.store(total, at)


class _Stage:
    """What the forward dynamics asks for: the state of the stage, and what is given for the whole motion."""

    def __init__(self, lanes: Lanes, program: Program, q: list[Any], v: list[Any], given: Any) -> None:
        self.b, self.q, self.v, self.given = lanes.b, q, v, given
        self.first = [sum(program.inputs[2:a]) for a in range(len(program.inputs))]

    def __call__(self, array: int, column: int) -> Any:
        if array < 2:
            return (self.q, self.v)[array][column]
        return self.b.load(self.b.gep(self.given, [integer(self.first[array] + column)]))

    def beside(self, array: int, column: int) -> Any:
        """The same for a program that takes q, v and parameters, which are the last input of the forward dynamics."""
        return self(array if array < 2 else len(self.first) - 1, column)


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


def _close(lanes: Lanes, closing: Program, program: Program, Q: Any, V: Any, given: Any) -> None:
    """One step of the projection, in lanes where it is short."""
    b, nq = lanes.b, closing.outputs[0]
    slots = [b.gep(Q, [integer(j)]) for j in range(nq)] + [b.gep(V, [integer(j)]) for j in range(closing.outputs[1])]
    before = [b.load(slot) for slot in slots]
    after = Evaluation(lanes, closing, _Stage(lanes, program, before[:nq], before[nq:], given).beside).run()
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
