"""A program as straight-line source: expressions nested up to a readable length, split into parts if it is long.

The order of every operation, and so its rounding, is that of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from redyn.errors import InputError
from redyn.kernels.program import Op, Program, operands

LONGEST = 60  # characters up to which an expression is nested into another
ATOM, PRODUCT, SUM = 0, 1, 2  # operator precedence


@dataclass(frozen=True)
class Syntax:
    """What differs between languages."""

    constant: Callable[[float], str]
    function: Callable[[str], str]  # sin, cos, sqrt
    inputs: Sequence[str]  # names of the input arrays
    kept: str = "w"  # array of values that later parts need


@dataclass
class Part:
    """Statements as (name, expression): local values, values kept for later parts, and results by number."""

    local: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    kept: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    results: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    arrays: set[int] = field(default_factory=set[int])  # inputs that it reads
    reads_kept: bool = False


@dataclass(frozen=True)
class Source:
    parts: list[Part]
    slots: int  # size of the array of kept values


def straight(program: Program, syntax: Syntax, part_size: int | None = None) -> Source:
    """The statements of a program, at most `part_size` operations in a part."""
    ops = program.ops
    work = [k for k, op in enumerate(ops) if op.name not in ("input", "const")]
    size = part_size or max(1, len(work))
    home = {k: i // size for i, k in enumerate(work)}
    last: dict[int, int] = {}  # the last part that needs a value
    uses: dict[int, int] = {}
    for k in work:
        for x in operands(ops[k]):
            last[x] = max(last.get(x, 0), home[k])
            uses[x] = uses.get(x, 0) + 1
    for k in program.results:
        uses[k] = uses.get(k, 0) + 1
    wanted: dict[int, list[int]] = {}
    for number, k in enumerate(program.results):
        wanted.setdefault(k, []).append(number)
    count = max(1, -(-len(work) // size))
    slots = _slots(work, home, last, count)
    parts: list[Part] = []
    for i in range(count):
        writer = _Writer(program, syntax, home, uses, slots[0], i)
        parts.append(writer.run(work[i * size : (i + 1) * size], last, wanted, final=i == count - 1))
    return Source(parts, slots[1])


def _slots(work: list[int], home: dict[int, int], last: dict[int, int], count: int) -> tuple[dict[int, int], int]:
    """A slot for every value that a later part needs; slots are reused once their value is dead."""
    made: list[list[int]] = [[] for _ in range(count)]
    for k in work:
        if last.get(k, home[k]) > home[k]:
            made[home[k]].append(k)
    place: dict[int, int] = {}
    free: list[int] = []
    dying: dict[int, list[int]] = {}
    total = 0
    for part in range(count):
        for k in made[part]:
            if not free:
                free.append(total)
                total += 1
            place[k] = free.pop()
            dying.setdefault(last[k], []).append(place[k])
        free.extend(dying.pop(part, []))
    return place, total


class _Writer:
    """Writes one part."""

    def __init__(
        self,
        program: Program,
        syntax: Syntax,
        home: dict[int, int],
        uses: dict[int, int],
        slots: dict[int, int],
        i: int,
    ) -> None:
        self.ops, self.syntax, self.home, self.uses, self.slots, self.i = program.ops, syntax, home, uses, slots, i
        self.texts: dict[int, tuple[str, int]] = {}
        self.part = Part()

    def run(self, work: list[int], last: dict[int, int], wanted: dict[int, list[int]], final: bool) -> Part:
        for k in work:
            text, level = self._expression(self.ops[k])
            if self.uses[k] > 1 or len(text) > LONGEST or last.get(k, self.i) > self.i:
                self.part.local.append((f"x{k}", text))
                text, level = f"x{k}", ATOM
            self.texts[k] = text, level
            if last.get(k, self.i) > self.i:
                self.part.kept.append((self.slots[k], text))
            self.part.results += [(number, text) for number in wanted.get(k, ())]
        if final:
            for k, numbers in wanted.items():
                if self.ops[k].name in ("input", "const"):
                    self.part.results += [(number, self._text(k)[0]) for number in numbers]
        return self.part

    def _text(self, k: int) -> tuple[str, int]:
        op = self.ops[k]
        if op.name == "const":
            text = self.syntax.constant(op.value)
            return text, SUM if text.startswith("-") else ATOM
        if op.name == "input":
            self.part.arrays.add(op.a)
            return f"{self.syntax.inputs[op.a]}[{op.b}]", ATOM
        if self.home[k] < self.i:
            self.part.reads_kept = True
            return f"{self.syntax.kept}[{self.slots[k]}]", ATOM
        return self.texts[k]

    def _held(self, k: int, level: int) -> str:
        """An operand, in parentheses if its precedence requires it."""
        text, own = self._text(k)
        return text if own <= level else f"({text})"

    def _expression(self, op: Op) -> tuple[str, int]:
        if op.name in ("add", "sub"):
            sign = "+" if op.name == "add" else "-"
            return f"{self._held(op.a, SUM)} {sign} {self._held(op.b, PRODUCT)}", SUM
        if op.name == "mul":
            return f"{self._held(op.a, PRODUCT)} * {self._held(op.b, ATOM)}", PRODUCT
        if op.name == "inv":
            return f"{self.syntax.constant(1.0)} / {self._held(op.a, ATOM)}", PRODUCT
        if op.name == "neg":
            return f"-{self._held(op.a, ATOM)}", SUM
        if op.name in ("sin", "cos", "sqrt"):
            return f"{self.syntax.function(op.name)}({self._text(op.a)[0]})", ATOM
        raise InputError(f"the operation {op.name!r} cannot be exported")
