"""Parser of heights of the ground: 0.02*sin(5*x), 0.1*x - y^2/4, sqrt(1 + x^2) - 1. Nothing is evaluated as code.

The result is a tree of tuples, which prints all that it is: ("x",), ("number", 0.5), ("sin", a), ("+", a, b),
("power", a, 3). It is evaluated over any arithmetic in `redyn.dynamics.surface`.
"""

from __future__ import annotations

import math
import re
from typing import Any

from redyn.description.numbers import LARGEST, shown
from redyn.description.tokens import NUMBER, Tokens

Expression = tuple[Any, ...]

LONGEST = 500  # characters
DEEPEST = 40  # of brackets
FUNCTIONS = ("sin", "cos", "sqrt")
_TOKEN = re.compile(rf"\s*(?:{NUMBER}|([a-zA-Zπ]+)|(\*\*|[-+*/()^]))")


def parse_height(text: str) -> Expression:
    """The tree of an expression in x and y; ValueError with the reason otherwise.

    >>> parse_height("0.02*sin(5*x)")
    ('*', ('number', 0.02), ('sin', ('*', ('number', 5.0), ('x',))))
    """
    return _Parser(text).parse()


class _Parser(Tokens):
    """sum := product (('+' | '-') product)*; product := signed (('*' | '/') signed)*; signed := '-'? power"""

    def __init__(self, text: str) -> None:
        self.text, self.depth = text, 0
        if len(text) > LONGEST:
            raise ValueError(f"a height of more than {LONGEST} characters")
        super().__init__(text, _TOKEN, lambda rest: self.error(f"{rest[:10].strip()!r} is not understood"))

    def error(self, why: str) -> ValueError:
        return ValueError(
            f"expected a number or an expression in x and y such as 0.02*sin(5*x), with + - * / ^, sin, cos, sqrt and "
            f"pi, got {shown(self.text)}: {why}"
        )

    def parse(self) -> Expression:
        found = self.sum()
        if self.peek():
            raise self.error(f"{self.peek()!r} does not belong there")
        return found

    def sum(self) -> Expression:
        found = self.product()
        while self.peek() in ("+", "-"):
            found = (self.take(), found, self.product())
        return found

    def product(self) -> Expression:
        found = self.signed()
        while self.peek() in ("*", "/"):
            found = (self.take(), found, self.signed())
        return found

    def signed(self) -> Expression:
        if self.peek() in ("+", "-"):
            self.enter()
            found = self.signed() if self.take() == "+" else ("negative", self.signed())
            self.depth -= 1
            return found
        return self.power()

    def power(self) -> Expression:
        found = self.atom()
        if self.peek() not in ("^", "**"):
            return found
        self.take()
        exponent = self.take()
        if not exponent.isdigit() or not 1 <= int(exponent) <= 9:
            raise self.error(f"a power is a whole number from 1 to 9, got {exponent or 'nothing'!r}")
        return ("power", found, int(exponent))

    def atom(self) -> Expression:
        token = self.take()
        if token in ("x", "y"):
            return (token,)
        if token in ("pi", "π"):
            return ("number", math.pi)
        if token in FUNCTIONS:
            if self.peek() != "(":
                raise self.error(f"{token} needs brackets")
            return (token, self.atom())
        if token == "(":
            self.enter()
            found = self.sum()
            if self.take() != ")":
                raise self.error("a bracket is not closed")
            self.depth -= 1
            return found
        try:
            number = float(token)
        except ValueError:
            raise self.error(f"{token!r} is not known" if token else "it ends too early") from None
        if not number <= LARGEST:
            raise self.error(f"{token} is not a number of reasonable size")
        return ("number", number)

    def enter(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error("too many brackets")
