"""The constants of a robot by name: symbols, numbers, or the user's replacements."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from typing import Any

from redyn.errors import InputError
from redyn.symbolic.notation import Expr, sp, symbol

# Groups for `numbers=`: the prefixes of the parameter names in each.
GROUPS: dict[str, tuple[str, ...]] = {
    "geometry": ("a", "b", "alpha", "beta", "gamma", "theta", "p", "A", "B", "l", "gear", "h", "R", "L"),
    "mass": ("m",),
    "centre": ("d", "r"),
    "inertia": ("I",),
    "gravity": ("g",),
    "friction": ("damping", "coulomb", "smoothing", "D"),
    "armature": ("armature",),
    "springs": ("k", "rest", "K"),
    "modes": ("phi", "dphi", "psi", "S", "J", "W", "G", "P", "R", "H", "T", "TT"),
}
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: a / b,
}


def _groups(name: str) -> set[str]:
    letter, _, index = name.partition("_")
    found = {group for group, members in GROUPS.items() if letter in members}
    if len(found) > 1:  # R is the radius of a wheel, R_11 an integral over modes
        found -= {"geometry"} if len(index) > 1 else {"modes"}
    return found


def exact(value: float) -> Expr:
    """The fraction that the shortest decimal of a float represents: 0.15 is 3/20, and 0.0833... is 1/12."""
    if value != value or math.isinf(value):
        raise InputError(f"expected a finite number, got {value}")
    near = Fraction(value).limit_denominator(1000)
    if float(near) == value:
        return sp.Rational(near.numerator, near.denominator)
    return sp.Rational(repr(float(value)))


def parse(text: str, where: str) -> Expr:
    """Parses `m_1*a_1**2/12` into an expression, without evaluating code.

    >>> parse("m_1*a_1**2/12", "I_1zz")
    a_1**2*m_1/12
    """

    def fail() -> InputError:
        return InputError(
            f"where[{where!r}]: expected names and numbers with + - * / **, such as m_1*a_1**2/12, got {text!r}"
        )

    def value(node: ast.expr) -> Expr:
        match node:
            case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int(power))) if 0 < power <= 8:
                return value(left) ** power
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
                return _OPERATORS[type(op)](value(left), value(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -value(operand)
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return sp.Integer(number) if isinstance(number, int) else exact(number)
            case ast.Name(id="pi"):
                return sp.pi
            case ast.Name(id=name):
                return symbol(name)
            case _:
                raise fail()

    if len(text) > 1000:
        raise fail()
    try:
        found = value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, ZeroDivisionError):
        raise fail() from None
    if found.has(sp.zoo, sp.nan, sp.oo):
        raise fail()
    return found


class Parameters:
    """Maps each constant to its symbol or replacement, and records the robot's value of it."""

    def __init__(
        self,
        numbers: bool | str | Collection[str],
        where: Mapping[str, Any] | None,
        known: Mapping[str, float] | None = None,
    ) -> None:
        """`known`: the values of all parameters from a first pass; expressions in `where` may use them."""
        self._values = dict(known or {})
        self._numbers: set[str] | None
        if isinstance(numbers, bool):
            self._numbers = None if numbers else set()
        else:
            self._numbers = {numbers} if isinstance(numbers, str) else set(numbers)
        self._where = {name: self._wanted(name, value) for name, value in (where or {}).items()}
        self._asked: set[str] = set()
        self.known: dict[str, float] = {}  # name -> the robot's value, zeros included
        self.expressions: dict[str, Expr] = {}  # name -> its expression

    def _wanted(self, name: str, value: Any) -> Expr:
        if isinstance(value, str):
            return parse(value, name)
        if isinstance(value, int | float):
            return exact(value)
        if isinstance(value, sp.Expr):
            return sp.nsimplify(value, rational=True)
        raise InputError(f"where[{name!r}]: expected a number, text or a SymPy expression, got {type(value).__name__}")

    def suggest(self, name: str, expression: Expr) -> None:
        """Sets the default replacement of a parameter, unless the user has given one."""
        if name not in self._where:
            self._where[name] = expression
            self._asked.add(name)

    def take(self, name: str, value: float) -> Expr:
        """The expression of the parameter `name`, whose value in the robot is `value`. Zeros stay zeros."""
        if name not in self.expressions:
            self.known[name] = float(value)
            self.expressions[name] = self._stand_in(name, float(value))
        return self.expressions[name]

    def settle(self, name: str, value: float, expression: Expr) -> Expr:
        """A constant that is already exact, such as a right angle, unless the user replaces it."""
        self.known[name] = value
        self._asked.add(name)
        self.expressions[name] = self._where.get(name, expression)
        return self.expressions[name]

    def _stand_in(self, name: str, value: float) -> Expr:
        self._asked.add(name)
        if name in self._where:
            wanted = self._where[name]
            others = {s: s.name for s in wanted.free_symbols if s.name in self._values and s.name != name}
            return wanted.xreplace(
                {s: self._where.get(other, self._plain(other, self._values[other])) for s, other in others.items()}
            )
        return self._plain(name, value)

    def _plain(self, name: str, value: float) -> Expr:
        """A symbol, or the number if requested."""
        letter = name.split("_")[0]
        groups = _groups(name)
        if self._numbers is not None:
            self._asked |= {letter, *groups}
        if value == 0.0:
            return sp.Integer(0)
        if self._numbers is None or self._numbers & {name, letter, *groups}:
            return exact(value)
        return symbol(name)

    def check_all_known(self) -> None:
        """Raises an error if the user named a parameter that this robot does not have."""
        named = (self._numbers or set()) - set(GROUPS)
        for what, names in (("numbers", named), ("where", set(self._where))):
            for name in sorted(names - self._asked):
                raise InputError(f"{what}: unknown parameter {name!r}; this robot has {', '.join(self.expressions)}")

    def values(self) -> dict[Expr, float]:
        """The robot's value of every symbol that the parameters determine."""
        found: dict[Expr, float] = {e: self.known[name] for name, e in self.expressions.items() if e.is_Symbol}
        pending = [(e, self.known[name]) for name, e in self.expressions.items() if e.free_symbols and not e.is_Symbol]
        progress = True
        while pending and progress:
            progress = False
            for item in list(pending):
                expression, value = item
                unknown = sorted(expression.free_symbols - found.keys(), key=str)
                if len(unknown) > 1:
                    continue
                pending.remove(item)
                if unknown:
                    rest = expression.subs(found) - value
                    solutions = [x for x in sp.solve(rest, unknown[0]) if x.is_real]
                    if not solutions:
                        continue
                    found[unknown[0]] = float(max(solutions))
                progress = True
        return found

    def contradictions(self) -> list[str]:
        """Parameters whose replacement has another value than the robot's."""
        values = self.values()
        wrong: list[str] = []
        for name, expression in self.expressions.items():
            if expression.free_symbols - values.keys():
                continue
            value = float(expression.subs(values))
            if abs(value - self.known[name]) > 1e-9 * max(1e-3, abs(self.known[name])):
                wrong.append(name)
        return wrong
