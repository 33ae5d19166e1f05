"""Lanes: W states side by side in a vector, and the way from row-major arrays to lanes and back.

Arrays are (N, width), one row per state. A kernel wants one vector per column, holding W states. For W = 4 and 8, four
columns are loaded as 4-wide pieces of W rows and transposed in registers; the last group of columns overlaps the one
before it, so that no masks are needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import llvmlite.ir  # pyright: ignore[reportMissingTypeStubs]

ir = cast(Any, llvmlite.ir)  # llvmlite ships no annotations.

DOUBLE, INT, INT32, BOOL = ir.DoubleType(), ir.IntType(64), ir.IntType(32), ir.IntType(1)
POINTER = DOUBLE.as_pointer()


def integer(value: int) -> Any:
    return ir.Constant(INT, value)


def declared(module: Any, name: str, result: Any, arguments: list[Any]) -> Any:
    """A function that is defined elsewhere: an intrinsic of LLVM's, or one of the C library."""
    return module.globals.get(name) or ir.Function(module, ir.FunctionType(result, arguments), name)


class Lanes:
    """Types and building blocks for vectors of W doubles."""

    def __init__(self, builder: Any, width: int) -> None:
        self.b, self.width = builder, width
        self.vector = ir.VectorType(DOUBLE, width) if width > 1 else DOUBLE
        self.integers = ir.VectorType(INT, width) if width > 1 else INT

    def constant(self, value: float) -> Any:
        """The same number in every lane.

        With AVX2 (W = 4) it is kept in memory as a whole vector, so that the instruction which uses it also loads it;
        left to itself, LLVM spends an instruction on broadcasting it. Weak linkage keeps LLVM from looking inside;
        hidden from other modules, it is reached without asking a table where it lies.
        """
        known = ir.Constant(self.vector, [value] * self.width if self.width > 1 else value)
        if self.width != 4 or value == 0.0:
            return known
        name = "constant " + float(value).hex()
        place = self.b.module.globals.get(name)
        if place is None:
            place = ir.GlobalVariable(self.b.module, self.vector, name)
            place.linkage, place.initializer, place.align = "weak hidden", known, 32
        loaded = self.b.load(place)
        loaded.align = 32
        return loaded

    def integer(self, value: int) -> Any:
        return ir.Constant(self.integers, [value] * self.width if self.width > 1 else value)

    def intrinsic(self, name: str, *arguments: Any) -> Any:
        """A call of llvm.NAME on vectors."""
        suffix = f"v{self.width}f64" if self.width > 1 else "f64"
        kinds = [self.vector] * len(arguments)
        return self.b.call(declared(self.b.module, f"llvm.{name}.{suffix}", self.vector, kinds), arguments)

    def any(self, mask: Any) -> Any:
        """Whether a comparison holds in some lane."""
        if self.width == 1:
            return mask
        bits = ir.IntType(self.width)
        return self.b.icmp_unsigned("!=", self.b.bitcast(mask, bits), ir.Constant(bits, 0))

    def load(self, pointer: Any, size: int) -> Any:
        """`size` doubles that lie together, wherever they lie."""
        kind = ir.VectorType(DOUBLE, size) if size > 1 else DOUBLE
        value = self.b.load(self.b.bitcast(pointer, kind.as_pointer()))
        value.align = 8
        return value

    def store(self, value: Any, pointer: Any) -> None:
        self.b.store(value, self.b.bitcast(pointer, value.type.as_pointer())).align = 8

    def shuffle(self, x: Any, y: Any, indices: list[int]) -> Any:
        return self.b.shuffle_vector(x, y, ir.Constant(ir.VectorType(INT32, len(indices)), indices))

    def splat(self, scalar: Any) -> Any:
        """One double in every lane."""
        if self.width == 1:
            return scalar
        undefined = ir.Constant(self.vector, ir.Undefined)
        first = self.b.insert_element(undefined, scalar, ir.Constant(INT32, 0))
        return self.shuffle(first, undefined, [0] * self.width)

    def loop(self, start: Any, stop: Any, step: int) -> Iterator[Any]:
        """`for index in loop(...)`: what the body emits is repeated, from start while index < stop (or >= for down)."""
        b = self.b
        before, head = b.block, b.append_basic_block("head")
        body, end = b.append_basic_block("body"), b.append_basic_block("end")
        b.branch(head)
        b.position_at_end(head)
        index = b.phi(INT)
        index.add_incoming(start, before)
        b.cbranch(b.icmp_signed("<" if step > 0 else ">=", index, stop), body, end)
        b.position_at_end(body)
        yield index
        index.add_incoming(b.add(index, integer(step)), b.block)
        b.branch(head)
        b.position_at_end(end)

    # --- rows to columns and back -----------------------------------------------------------------------------

    def _transpose4(self, rows: list[Any]) -> list[Any]:
        """Within each four lanes, four vectors as rows become four vectors as columns. Its own inverse."""
        W = self.width
        even = [k for pair in range(0, W, 2) for k in (pair, W + pair)]
        odd = [k + 1 for k in even]
        low = [k for four in range(0, W, 4) for k in (four, four + 1, W + four, W + four + 1)]
        high = [k + 2 for k in low]
        a, b = self.shuffle(rows[0], rows[1], even), self.shuffle(rows[0], rows[1], odd)
        c, d = self.shuffle(rows[2], rows[3], even), self.shuffle(rows[2], rows[3], odd)
        return [self.shuffle(a, c, low), self.shuffle(b, d, low), self.shuffle(a, c, high), self.shuffle(b, d, high)]

    @property
    def group(self) -> int:
        """How many columns are loaded together."""
        return 4 if self.width >= 4 else 1

    def first_of_group(self, column: int, count: int) -> int:
        """Where the group that holds a column starts; the last group overlaps backwards."""
        return min(column // self.group * self.group, count - self.group)

    def load_columns(self, base: Any, count: int, column: int) -> dict[int, Any]:
        """Vectors of the columns that are loaded together with `column`, of W rows of `count` doubles each."""
        b, W = self.b, self.width

        def at(row: int, c: int) -> Any:
            return b.gep(base, [integer(row * count + c)])

        if count < self.group or self.group == 1:
            value = ir.Constant(self.vector, ir.Undefined)
            if W == 1:
                return {column: self.load(at(0, column), 1)}
            for row in range(W):
                value = b.insert_element(value, self.load(at(row, column), 1), ir.Constant(INT32, row))
            return {column: value}
        first = self.first_of_group(column, count)
        pieces = [self.load(at(row, first), 4) for row in range(W)]
        rows = pieces if W == 4 else [self.shuffle(pieces[r], pieces[r + 4], list(range(8))) for r in range(4)]
        return {first + k: value for k, value in enumerate(self._transpose4(rows))}

    def groups(self, count: int) -> list[tuple[int, int]]:
        """Of `count` columns, those that are stored together: the first of each group and how many they are."""
        if count < self.group or self.group == 1:
            return [(c, 1) for c in range(count)]
        return [(first, self.group) for first in sorted({self.first_of_group(c, count) for c in range(count)})]

    def store_columns(self, base: Any, count: int, first: int, values: list[Any]) -> None:
        """Column vectors of one group, from column `first` on, to W rows of `count` doubles."""
        b, W = self.b, self.width

        def at(row: int) -> Any:
            return b.gep(base, [integer(row * count + first)])

        if len(values) == 1:
            for row in range(W):
                self.store(values[0] if W == 1 else b.extract_element(values[0], ir.Constant(INT32, row)), at(row))
            return
        for r, row in enumerate(self._transpose4(values)):
            if W == 4:
                self.store(row, at(r))
            else:
                self.store(self.shuffle(row, row, [0, 1, 2, 3]), at(r))
                self.store(self.shuffle(row, row, [4, 5, 6, 7]), at(r + 4))

    def store_constants(self, base: Any, count: int, first: int, values: list[float]) -> None:
        """The same for columns that are the same number in every state."""
        row = (
            ir.Constant(ir.VectorType(DOUBLE, len(values)), values)
            if len(values) > 1
            else ir.Constant(DOUBLE, values[0])
        )
        for r in range(self.width):
            self.store(row, self.b.gep(base, [integer(r * count + first)]))
