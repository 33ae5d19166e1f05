"""From a program to LLVM: one loop over blocks of W states around straight-line vector code.

    long kernel(double **inputs, double **outputs, long N)

Inputs and outputs are contiguous (N, width) arrays. The result is 0 if every output, and every input on which no output
depends, is finite, and every guard positive. The last, partial block runs on a scratch copy, through the same code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from redyn.kernels.lanes import BOOL, DOUBLE, INT, INT32, POINTER, Lanes, declared, integer, ir
from redyn.kernels.program import Op, Program, operands
from redyn.kernels.sincos import LARGEST_ANGLE, sincos

# Multiplications may join additions into one rounding, and the sign of zero may be lost; nothing else is relaxed.
FLAGS = ("contract", "nsz")
LONG = 2000  # operations, beyond which the rows of the next block are prefetched; it slows short programs down
SUMS = 8  # of results, side by side
LINE = 8  # doubles in a cache line
SMALL = 8192  # bytes of scratch memory that may be on the stack, which is small in threads


def _add(lanes: Lanes, x: Any, y: Any) -> Any:
    return lanes.b.fadd(x, y, flags=FLAGS)


def _sub(lanes: Lanes, x: Any, y: Any) -> Any:
    return lanes.b.fsub(x, y, flags=FLAGS)


def _mul(lanes: Lanes, x: Any, y: Any) -> Any:
    return lanes.b.fmul(x, y, flags=FLAGS)


def _inv(lanes: Lanes, x: Any) -> Any:
    return lanes.b.fdiv(lanes.constant(1.0), x, flags=FLAGS)


def _neg(lanes: Lanes, x: Any) -> Any:
    return lanes.b.fneg(x)


def _sqrt(lanes: Lanes, x: Any) -> Any:
    return lanes.intrinsic("sqrt", x)


INSTRUCTIONS: dict[str, Callable[..., Any]] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "inv": _inv,
    "neg": _neg,
    "sqrt": _sqrt,
}


class Evaluation:
    """Emits the operations of a program on vectors; inputs that `values` does not hold yet are asked of `load`."""

    def __init__(self, lanes: Lanes, program: Program, load: Any) -> None:
        self.lanes, self.program, self.load = lanes, program, load
        self.values: dict[int, Any] = {}
        self.turned: dict[int, tuple[Any, Any]] = {}

    def run(self, meanwhile: Callable[[int], None] | None = None) -> list[Any]:
        """The results; `meanwhile` is called after each operation with its number."""
        for k, op in enumerate(self.program.ops):
            if k not in self.values and op.name != "const":
                self.values[k] = self._value(op)
            if meanwhile is not None:
                meanwhile(k)
        return [self.value(k) for k in self.program.results]

    def value(self, k: int) -> Any:
        """The result of operation k; constants appear where they are used."""
        op = self.program.ops[k]
        return self.lanes.constant(op.value) if op.name == "const" else self.values[k]

    def _value(self, op: Op) -> Any:
        if op.name == "input":
            return self.load(op.a, op.b)
        if op.name in ("sin", "cos"):
            if op.a not in self.turned:
                self.turned[op.a] = sincos(self.lanes, self.value(op.a))
            return self.turned[op.a][op.name == "cos"]
        return INSTRUCTIONS[op.name](self.lanes, *(self.value(k) for k in operands(op)))


def open_kernel(width: int) -> tuple[Any, Lanes]:
    """long kernel(double **inputs, double **outputs, long N), alone in a module, ready for its first instruction."""
    table = POINTER.as_pointer()
    kernel = ir.Function(ir.Module(name="redyn"), ir.FunctionType(INT, [table, table, INT]), "kernel")
    return kernel, Lanes(ir.IRBuilder(kernel.append_basic_block("entry")), width)


def lower(program: Program, width: int) -> str:
    """The LLVM module of a program, as text; its function is called `kernel`."""
    kernel, lanes = open_kernel(width)
    b, N = lanes.b, kernel.args[2]
    memory = Memory(b)
    arrays = Arrays(lanes, program.inputs, program.outputs, kernel, memory)
    full = b.and_(N, integer(-width))
    rest = b.and_(N, integer(width - 1))
    arrays.fill_scratch(full, rest)

    first, start = arrays.bases(integer(0), full), lanes.constant(0.0)
    entry, loop, end = b.block, b.append_basic_block("block"), b.append_basic_block("end")
    b.branch(loop)
    b.position_at_end(loop)
    # Where the rows are is chosen once per block: a choice made here would be made again for every number that is read.
    i, trouble, bases = b.phi(INT), b.phi(lanes.vector), [b.phi(POINTER) for _ in first]
    for carried, value in zip([i, trouble, *bases], [integer(0), start, *first], strict=True):
        carried.add_incoming(value, entry)
    columns: dict[tuple[int, int], Any] = {}

    def load(array: int, column: int) -> Any:
        if (array, column) not in columns:
            found = lanes.load_columns(bases[array], program.inputs[array], column)
            for c, value in found.items():
                columns.setdefault((array, c), value)
        return columns[array, column]

    evaluation = Evaluation(lanes, program, load)
    evaluation.values.update(_guarded_angles(lanes, program, load))
    results = Results(evaluation, bases[len(program.inputs) :])
    prefetch = Prefetch(lanes, arrays, bases) if width > 1 and len(program.ops) > LONG else None

    def meanwhile(k: int) -> None:
        results.store(k)
        if prefetch is not None:
            prefetch((k + 1) / len(program.ops))

    evaluation.run(meanwhile)
    found = add_up(lanes, [*results.sums, *(load(a, c) for a, c in program.unused_inputs())], trouble)
    for guard in program.guards:
        positive = b.fcmp_ordered(">", evaluation.value(guard), lanes.constant(0.0))
        found = b.select(positive, found, lanes.constant(float("nan")))

    after = b.add(i, integer(width))
    for carried, value in zip([i, trouble, *bases], [after, found, *arrays.bases(after, full)], strict=True):
        carried.add_incoming(value, b.block)
    b.cbranch(b.icmp_signed("<", after, N), loop, end)
    b.position_at_end(end)
    arrays.empty_scratch(full, rest)
    memory.release()
    bad = lanes.any(b.fcmp_unordered("uno", found, found))
    b.ret(b.zext(bad, INT))
    return str(kernel.module)


class Results:
    """Writes columns of the outputs as soon as those that are stored together are known.

    Were they all kept until the end, the thousands of results of a large matrix would wait on the stack meanwhile.
    """

    def __init__(self, evaluation: Evaluation, bases: Sequence[Any]) -> None:
        self.evaluation = evaluation
        self.sums: list[Any] = []  # of everything that was stored, so that one test shows whether all is finite
        self._watched: set[int] = set()
        self._due: dict[int, list[tuple[Any, int, int, list[int]]]] = {}  # by the operation that completes them
        program, lanes, position = evaluation.program, evaluation.lanes, 0
        for base, count in zip(bases, program.outputs, strict=True):
            numbers = program.results[position : position + count]
            position += count
            for first, size in lanes.groups(count):
                group = list(numbers[first : first + size])
                self._due.setdefault(max(group), []).append((base, count, first, group))

    def store(self, k: int) -> None:
        """What operation k completes."""
        lanes, program = self.evaluation.lanes, self.evaluation.program
        for base, count, first, group in self._due.pop(k, ()):
            if all(program.ops[number].name == "const" for number in group):
                lanes.store_constants(base, count, first, [program.ops[number].value for number in group])
                continue
            values = [self.evaluation.value(number) for number in group]
            lanes.store_columns(base, count, first, values)
            fresh = [v for v, number in zip(values, group, strict=True) if number not in self._watched]
            self._watched.update(group)
            self._add(fresh)

    def _add(self, values: list[Any]) -> None:
        """To a few sums that grow side by side, so that none waits for the one before."""
        for value in values:
            if len(self.sums) < SUMS:
                self.sums.append(value)
            else:
                self.sums.append(self.evaluation.lanes.b.fadd(self.sums.pop(0), value))


class Prefetch:
    """Prefetches the rows of the next block, line by line while this one is computed.

    The rows of a robot with many joints come too rarely for the processor's own prefetching; without this it waits
    for them a fifth of the time.
    """

    def __init__(self, lanes: Lanes, arrays: Arrays, bases: Sequence[Any]) -> None:
        self.b, self.requested = lanes.b, 0
        self.lines = [
            (base, offset, a >= arrays.inputs)
            for a, (base, count) in enumerate(zip(bases, arrays.widths, strict=True))
            for offset in range(lanes.width * count, 2 * lanes.width * count, LINE)
        ]

    def __call__(self, done: float) -> None:
        while self.requested < done * len(self.lines):
            base, offset, written = self.lines[self.requested]
            self.requested += 1
            kinds = [ir.Constant(INT32, k) for k in (int(written), 3, 1)]  # read or write, into all caches, data
            request = declared(self.b.module, "llvm.prefetch.p0", ir.VoidType(), [POINTER, INT32, INT32, INT32])
            self.b.call(request, [self.b.gep(base, [integer(offset)]), *kinds])


def add_up(lanes: Lanes, values: list[Any], before: Any) -> Any:
    """NaN if any value is not finite, or one was not before: x * 0 is NaN just where x is not finite."""
    if not values:
        return before
    while len(values) > 1:
        pairs = [lanes.b.fadd(x, y) for x, y in zip(values[::2], values[1::2], strict=False)]
        values = pairs + (values[-1:] if len(values) % 2 else [])
    return lanes.intrinsic("fma", values[0], lanes.constant(0.0), before)


class Memory:
    """Scratch memory of a kernel: on the stack if it is small, else from the C library."""

    def __init__(self, builder: Any) -> None:
        self.b, self._borrowed = builder, list[Any]()

    def doubles(self, count: int) -> Any:
        if count * 8 <= SMALL:
            scratch = self.b.alloca(DOUBLE, integer(count))
            scratch.align = 64
        else:
            malloc = declared(self.b.module, "malloc", POINTER, [INT])
            scratch = self.b.call(malloc, [integer(count * 8)])
            self._borrowed.append(scratch)
        return scratch

    def release(self) -> None:
        for scratch in self._borrowed:
            self.b.call(declared(self.b.module, "free", ir.VoidType(), [POINTER]), [scratch])


class Arrays:
    """The kernel's arrays, and scratch copies of their last rows where those do not fill a block."""

    def __init__(
        self, lanes: Lanes, inputs: Sequence[int], outputs: Sequence[int], kernel: Any, memory: Memory
    ) -> None:
        self.lanes, self.b = lanes, lanes.b
        self.inputs = len(inputs)
        self.widths = [*inputs, *outputs]
        b = self.b
        self.pointers = [
            b.load(
                b.gep(
                    kernel.args[0] if a < self.inputs else kernel.args[1],
                    [integer(a if a < self.inputs else a - self.inputs)],
                )
            )
            for a in range(len(self.widths))
        ]
        self.scratch: list[Any] = []
        if lanes.width > 1:
            self.scratch = [memory.doubles(lanes.width * width) for width in self.widths]

    def _copy(self, to: Any, source: Any, count: Any) -> None:
        memcpy = declared(self.b.module, "llvm.memcpy.p0.p0.i64", ir.VoidType(), [POINTER, POINTER, INT, BOOL])
        self.b.call(memcpy, [to, source, self.b.mul(count, integer(8)), ir.Constant(BOOL, 0)])

    def fill_scratch(self, full: Any, rest: Any) -> None:
        """The last rows, then the first of them again for the lanes that stay empty."""
        b, W = self.b, self.lanes.width
        if W == 1:
            return
        with b.if_then(b.icmp_signed("!=", rest, integer(0))):
            for a in range(self.inputs):
                width = self.widths[a]
                for row in range(W):
                    used = b.icmp_signed("<", integer(row), rest)
                    source = b.select(used, b.add(full, integer(row)), full)
                    start = b.gep(self.pointers[a], [b.mul(source, integer(width))])
                    self._copy(b.gep(self.scratch[a], [integer(row * width)]), start, integer(width))

    def bases(self, i: Any, full: Any) -> list[Any]:
        """Where the rows of the block at i start in every array."""
        b = self.b
        starts = [b.gep(p, [b.mul(i, integer(w))]) for p, w in zip(self.pointers, self.widths, strict=True)]
        if self.lanes.width == 1:
            return starts
        partial = b.icmp_signed(">=", i, full)
        return [b.select(partial, copy, start) for copy, start in zip(self.scratch, starts, strict=True)]

    def empty_scratch(self, full: Any, rest: Any) -> None:
        b = self.b
        if self.lanes.width == 1:
            return
        with b.if_then(b.icmp_signed("!=", rest, integer(0))):
            for a in range(self.inputs, len(self.widths)):
                width = self.widths[a]
                start = b.gep(self.pointers[a], [b.mul(full, integer(width))])
                self._copy(start, self.scratch[a], b.mul(rest, integer(width)))


def _huge(lanes: Lanes, x: Any) -> Any:
    return lanes.b.fcmp_ordered(">", lanes.intrinsic("fabs", x), lanes.constant(LARGEST_ANGLE))


def _guarded_angles(lanes: Lanes, program: Program, load: Any) -> dict[int, Any]:
    """The angles among the inputs; a block that holds a huge one takes a detour through the C library.

    Only inputs that are used through sines and cosines alone may lose whole turns, which change nothing there.
    """
    b = lanes.b
    angles = sorted(program.angles())
    if not angles:
        return {}
    values = [load(program.ops[k].a, program.ops[k].b) for k in angles]
    largest = [lanes.intrinsic("fabs", value) for value in values]
    while len(largest) > 1:
        pairs = zip(largest[::2], largest[1::2], strict=False)
        odd = largest[-1:] if len(largest) % 2 else []
        largest = [b.select(b.fcmp_ordered(">", x, y), x, y) for x, y in pairs] + odd
    huge = lanes.any(_huge(lanes, largest[0]))
    with b.goto_entry_block():
        scratch = b.alloca(lanes.vector, integer(len(angles)))
        scratch.align = 64
    before, detour, onward = b.block, b.append_basic_block("huge"), b.append_basic_block("onward")
    b.cbranch(huge, detour, onward).set_weights([1, 100_000])
    b.position_at_end(detour)
    for k, value in enumerate(values):
        b.store(value, b.gep(scratch, [integer(k)]))
    b.call(_reduce(b.module), [b.bitcast(scratch, POINTER), integer(lanes.width * len(angles))])
    reduced = [
        b.select(_huge(lanes, value), b.load(b.gep(scratch, [integer(k)])), value) for k, value in enumerate(values)
    ]  # other lanes keep what they had, to the last bit
    b.branch(onward)
    b.position_at_end(onward)
    result: dict[int, Any] = {}
    for k, value, small in zip(angles, values, reduced, strict=True):
        result[k] = b.phi(lanes.vector)
        result[k].add_incoming(value, before)
        result[k].add_incoming(small, detour)
    return result


def _reduce(module: Any) -> Any:
    """reduce(x, n): every x becomes the equal angle within one turn, atan2(sin x, cos x), by the C library."""
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [POINTER, INT]), "reduce")
    function.linkage = "internal"
    function.attributes.add("noinline")
    function.attributes.add("cold")
    sin, cos = (ir.Function(module, ir.FunctionType(DOUBLE, [DOUBLE]), name) for name in ("sin", "cos"))
    atan2 = ir.Function(module, ir.FunctionType(DOUBLE, [DOUBLE, DOUBLE]), "atan2")
    b = ir.IRBuilder(function.append_basic_block("entry"))
    entry, loop, end = b.block, b.append_basic_block("loop"), b.append_basic_block("end")
    b.branch(loop)
    b.position_at_end(loop)
    i = b.phi(INT)
    i.add_incoming(integer(0), entry)
    place = b.gep(function.args[0], [i])
    x = b.load(place)
    b.store(b.call(atan2, [b.call(sin, [x]), b.call(cos, [x])]), place)
    after = b.add(i, integer(1))
    i.add_incoming(after, loop)
    b.cbranch(b.icmp_signed("<", after, function.args[1]), loop, end)
    b.position_at_end(end)
    b.ret_void()
    return function
