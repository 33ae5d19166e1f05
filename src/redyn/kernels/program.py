"""The list of operations that a kernel performs, and its plainest execution.

A program is straight-line: operation k may use the results of operations before it. It is read off a CasADi function
once, with equal operations merged, constants folded and everything unused left out. Lowering turns it into machine
code; `interpret` runs it on NumPy arrays and is what lowered code is compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Op(NamedTuple):
    """`input` a = array, b = column; `const` value; the others take results a (and b) of earlier operations."""

    name: str
    a: int = 0
    b: int = 0
    value: float = 0.0


class Count(NamedTuple):
    """Divisions count as multiplications, subtractions as additions; sines, cosines and signs are free."""

    multiplications: int
    additions: int


@dataclass(frozen=True)
class Program:
    """Operations from `inputs` (widths of the input arrays) to `outputs` (widths), flat results in order.

    `guards` are results that are not stored: they must be positive, or the state is one that has no answer.
    """

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    ops: tuple[Op, ...]
    results: tuple[int, ...]
    guards: tuple[int, ...] = ()

    def count(self) -> Count:
        names = [op.name for op in self.ops]
        return Count(
            sum(names.count(name) for name in ("mul", "inv")), sum(names.count(name) for name in ("add", "sub"))
        )

    def unguarded(self) -> Program:
        """The same without guards and what they alone need, for those who keep loops closed themselves."""
        return _pruned(self.inputs, self.outputs, list(self.ops), list(self.results), [])

    def leading(self, count: int) -> Program:
        """The first `count` outputs alone, without guards."""
        kept = self.outputs[:count]
        return _pruned(self.inputs, kept, list(self.ops), list(self.results[: sum(kept)]), [])

    def marked(self) -> Program:
        """The same without guards, with results that are not a number where one is not positive."""
        if not self.guards:
            return self
        ops = list(self.ops)

        def add(op: Op) -> int:
            ops.append(op)
            return len(ops) - 1

        # 1 / sqrt(guard) is finite just where the guard is positive; times zero, it is 0 there and NaN elsewhere.
        zero = add(Op("const", value=0.0))
        marks = [add(Op("mul", zero, add(Op("inv", add(Op("sqrt", guard)))))) for guard in self.guards]
        while len(marks) > 1:
            marks.append(add(Op("add", marks.pop(0), marks.pop(0))))
        results = tuple(add(Op("add", marks[0], k)) for k in self.results)
        return Program(self.inputs, self.outputs, tuple(ops), results)

    def unused_inputs(self) -> list[tuple[int, int]]:
        """Inputs (array, column) on which no output depends."""
        used = {(op.a, op.b) for op in self.ops if op.name == "input"}
        return [(a, c) for a, width in enumerate(self.inputs) for c in range(width) if (a, c) not in used]

    @cached_property
    def _angles(self) -> frozenset[int]:
        return frozenset(self._find_angles())

    def angles(self) -> frozenset[int]:
        """Input operations used only inside sines and cosines, so that whole turns may be taken off them."""
        return self._angles

    def _find_angles(self) -> set[int]:
        """Input operations used only inside sines and cosines (perhaps with a constant added): whole turns may go."""
        users: dict[int, list[int]] = {}
        for k, op in enumerate(self.ops):
            for x in operands(op):
                users.setdefault(x, []).append(k)

        def only_angle(k: int) -> bool:
            return (
                k not in self.results
                and k not in self.guards
                and all(
                    self.ops[u].name in ("sin", "cos")
                    or (self.ops[u].name in ("add", "sub") and self._shifts(u, k) and only_angle(u))
                    for u in users.get(k, [])
                )
            )

        return {k for k, op in enumerate(self.ops) if op.name == "input" and users.get(k) and only_angle(k)}

    def _shifts(self, user: int, k: int) -> bool:
        op = self.ops[user]
        other = op.b if op.a == k else op.a
        return self.ops[other].name == "const"

    def run(self, load: Callable[[int, int], Any], functions: Mapping[str, Callable[..., Any]]) -> list[Any]:
        """The values of all operations, given inputs by array and column, and a function for every other name."""
        values: list[Any] = []
        for op in self.ops:
            if op.name == "input":
                values.append(load(op.a, op.b))
            elif op.name == "const":
                values.append(np.float64(op.value))
            else:
                values.append(functions[op.name](*(values[x] for x in operands(op))))
        return values

    def interpret(self, arrays: list[Array]) -> list[Array]:
        """The outputs for input arrays of shape (N, width); not a number where a guard is not positive."""
        size = len(arrays[0])
        with np.errstate(all="ignore"):
            values = self.run(lambda array, column: arrays[array][:, column], _NUMPY)
        flat = np.empty((size, len(self.results)))
        for column, k in enumerate(self.results):
            flat[:, column] = values[k]
        for k in self.guards:
            flat[~(np.broadcast_to(values[k], size) > 0.0)] = np.nan
        edges = np.cumsum(self.outputs)[:-1]
        return [np.ascontiguousarray(part) for part in np.split(flat, edges, axis=1)]


_NUMPY: dict[str, Any] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "inv": np.reciprocal,
    "neg": np.negative,
    "sin": np.sin,
    "cos": np.cos,
    "sqrt": np.sqrt,
}
_BINARY = frozenset({"add", "sub", "mul"})


def operands(op: Op) -> tuple[int, ...]:
    if op.name in _BINARY:
        return op.a, op.b
    return () if op.name in ("input", "const") else (op.a,)


class Builder:
    """Operations by value: the same operation on the same operands is the same result."""

    def __init__(self) -> None:
        self.ops: list[Op] = []
        self.known: dict[Op, int] = {}

    def add(self, op: Op) -> int:
        if op.name in ("add", "mul") and op.b < op.a:
            op = Op(op.name, op.b, op.a)
        if op not in self.known:
            self.known[op] = len(self.ops)
            self.ops.append(op)
        return self.known[op]

    def divide(self, a: int, b: int) -> int:
        """By way of the reciprocal, which several divisions by the same number then share."""
        inverse = self.add(Op("inv", b))
        return inverse if self.ops[a] == Op("const", value=1.0) else self.add(Op("mul", a, inverse))


def read_function(function: Any, count: int | None = None) -> Program:
    """The program of a CasADi SX function. Outputs after the first `count`, if that is given, are guards."""
    import casadi  # pyright: ignore[reportMissingTypeStubs]

    op_names = {getattr(casadi, name): name for name in dir(casadi) if name.startswith("OP_")}
    builder = Builder()
    work: dict[int, int] = {}
    outputs: dict[tuple[int, int], int] = {}
    binary = {"OP_ADD": "add", "OP_SUB": "sub", "OP_MUL": "mul"}
    unary = {"OP_NEG": "neg", "OP_SIN": "sin", "OP_COS": "cos", "OP_SQRT": "sqrt", "OP_INV": "inv"}
    for k in range(function.n_instructions()):
        code = op_names[function.instruction_id(k)]
        to, given = function.instruction_output(k), function.instruction_input(k)
        if code == "OP_CONST":
            work[to[0]] = builder.add(Op("const", value=float(function.instruction_constant(k))))
        elif code == "OP_INPUT":
            work[to[0]] = builder.add(Op("input", given[0], given[1]))
        elif code == "OP_OUTPUT":
            outputs[to[0], to[1]] = work[given[0]]
        elif code in binary:
            work[to[0]] = builder.add(Op(binary[code], work[given[0]], work[given[1]]))
        elif code == "OP_DIV":
            work[to[0]] = builder.divide(work[given[0]], work[given[1]])
        elif code in unary:
            work[to[0]] = builder.add(Op(unary[code], work[given[0]]))
        elif code == "OP_SQ":
            work[to[0]] = builder.add(Op("mul", work[given[0]], work[given[0]]))
        elif code == "OP_TWICE":
            work[to[0]] = builder.add(Op("add", work[given[0]], work[given[0]]))
        elif code in ("OP_FABS", "OP_SIGN"):  # CasADi makes them of the square root of a square
            size = builder.add(Op("sqrt", builder.add(Op("mul", work[given[0]], work[given[0]]))))
            work[to[0]] = size if code == "OP_FABS" else builder.divide(work[given[0]], size)
        else:
            raise NotImplementedError(f"no instruction for {code}")
    widths_in = tuple(int(function.nnz_in(i)) for i in range(function.n_in()))
    widths_out = [int(function.nnz_out(i)) for i in range(function.n_out())]
    results = [outputs[i, e] for i, width in enumerate(widths_out) for e in range(width)]
    kept = tuple(widths_out[:count])
    results, guards = results[: sum(kept)], results[sum(kept) :]
    return _pruned(widths_in, kept, builder.ops, results, guards)


def _pruned(
    inputs: tuple[int, ...], outputs: tuple[int, ...], ops: list[Op], results: list[int], guards: list[int]
) -> Program:
    live: set[int] = set()
    stack = [*results, *guards]
    while stack:
        k = stack.pop()
        if k not in live:
            live.add(k)
            stack.extend(operands(ops[k]))
    return _listed(Program(inputs, outputs, tuple(ops), tuple(results), tuple(guards)), sorted(live))


def _listed(program: Program, order: Sequence[int]) -> Program:
    """The same program with the operations of `order` alone, each of which comes after its operands."""
    place: dict[int, int] = {}
    kept: list[Op] = []
    for k in order:
        op = program.ops[k]
        if op.name in _BINARY:
            op = Op(op.name, place[op.a], place[op.b])
        elif op.name not in ("input", "const"):
            op = Op(op.name, place[op.a])
        place[k] = len(kept)
        kept.append(op)
    results, guards = (tuple(place[k] for k in numbers) for numbers in (program.results, program.guards))
    return Program(program.inputs, program.outputs, tuple(kept), results, guards)


def depth_first(program: Program, results: Sequence[int]) -> Program:
    """The same program with its results worked out one after the other in this order.

    Of two operands, the one that needs more registers comes first (Sethi and Ullman). What is used soon after it was
    made needs not wait in memory.
    """
    ops = program.ops
    registers = [0] * len(ops)
    for k, op in enumerate(ops):
        most = max((registers[x] for x in operands(op)), default=1)
        tie = op.name in _BINARY and registers[op.a] == registers[op.b]
        registers[k] = 0 if op.name == "const" else max(1, most + tie)
    order: dict[int, None] = {}
    for k in [*(program.results[result] for result in results), *program.guards]:
        stack = [k]
        while stack:
            k = stack[-1]
            waiting = [x for x in operands(ops[k]) if x not in order]
            if waiting:
                stack.append(max(waiting, key=lambda x: registers[x]))
            else:
                order[stack.pop()] = None
    return _listed(program, list(order))
