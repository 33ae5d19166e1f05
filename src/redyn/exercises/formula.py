"""Formulas as people type them: `1/6 m_1 a_1^2 theta_dot_1^2`. They are parsed, never evaluated as code.

Products may be written with a space. Names may leave out underscores (`m1`), and use Greek letters. The book's
abbreviations are known: `c12` is cos(theta_1 + theta_2), `s2` is sin(theta_2), `theta_dot_12` the sum of two rates.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from redyn.errors import InputError
from redyn.words import suggestion

Array = NDArray[np.float64]
Values = Mapping[str, Array]
Step = float | str | tuple[str, ...]  # a number, an operation, or names whose values are added

LONGEST = 2000  # characters of one formula
DEEPEST = 40  # levels of parentheses, powers and signs

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z][A-Za-z0-9_]*)|(?P<mark>\*\*|[-+*/^()]))"
)
_SIGNS = {"·": "*", "⋅": "*", "×": "*", "÷": "/", "−": "-", "–": "-", "²": "^2", "³": "^3"}
_SIGNS |= {"α": "alpha", "β": "beta", "θ": "theta", "ϑ": "theta", "φ": "phi", "ω": "omega", "τ": "tau", "π": "pi"}
_SIGNS |= {sign: str(digit) for digit, sign in enumerate("₀₁₂₃₄₅₆₇₈₉")}
_SIGNS |= {"\u0307": "_dot", "\u0308": "_ddot"}  # dots above a letter
_FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "abs": np.abs,
}
_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "^": np.power,
}
_NEGATIVE = "negative"
_SHORT = re.compile(r"([cs]|theta(?:d?dot)?)([0-9]+)")  # c12, s2, theta_dot_12


@dataclass(frozen=True)
class Formula:
    """A formula as steps of a stack machine."""

    text: str
    steps: tuple[Step, ...]

    @property
    def names(self) -> set[str]:
        """The symbols that occur in it."""
        return {name for step in self.steps if isinstance(step, tuple) for name in step}

    def __call__(self, values: Values) -> Array:
        """Its value where the symbols have these values; NaN or infinite where it is not defined."""
        stack: list[Array] = []
        with np.errstate(all="ignore"):
            for step in self.steps:
                if isinstance(step, tuple):
                    stack.append(np.sum([values[name] for name in step], axis=0))
                elif not isinstance(step, str):
                    stack.append(np.array(step))
                elif step == _NEGATIVE:
                    stack.append(-stack.pop())
                elif step in _FUNCTIONS:
                    stack.append(_FUNCTIONS[step](stack.pop()))
                else:
                    right, left = stack.pop(), stack.pop()
                    stack.append(_OPERATIONS[step](left, right))
        return stack[0]


def parse_formula(text: str, symbols: Collection[str] = ()) -> Formula:
    """The formula that a text holds; InputError with the reason where it holds none.

    >>> formula = parse_formula("1/3 m1 a1^2 - m_1*g*a1*s1/2", ["m_1", "a_1", "g", "theta_1"])
    >>> sorted(formula.names)
    ['a_1', 'g', 'm_1', 'theta_1']
    >>> float(parse_formula("2 cos(pi/3)")({}))
    1.0000000000000002
    """
    if len(text) > LONGEST:
        raise InputError(f"a formula of more than {LONGEST:,} characters")
    return _Parser(text, symbols).parse()


def plain(text: str) -> str:
    """With signs of mathematics and Greek letters spelled out.

    >>> plain("½·m²·θ̇1")
    '(1/2)*m^2*theta_dot1'
    """
    text = "".join(_SIGNS.get(sign, sign) for sign in unicodedata.normalize("NFD", text))
    return text.replace("½", "(1/2)")


class _Parser:
    """sum := product (('+' | '-') product)*; product := unary (('*' | '/' | nothing) unary)*;
    unary := ('+' | '-') unary | power; power := atom ('^' unary)?"""

    def __init__(self, text: str, symbols: Collection[str]) -> None:
        self.text = text
        self.symbols = {_bare(name): name for name in symbols}
        self.tokens = self._tokens(plain(text))
        self.at = self.depth = 0
        self.steps: list[Step] = []

    def _tokens(self, text: str) -> list[tuple[str, str]]:
        tokens: list[tuple[str, str]] = []
        at, text = 0, text.rstrip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise self._error(f"{text[at:].strip()[:12]!r} is not understood")
            kind = str(match.lastgroup)
            tokens.append((kind, match[kind]))
            at = match.end()
        return tokens

    def _error(self, reason: str) -> InputError:
        text = self.text.strip()
        shown = text if len(text) <= 60 else text[:57] + "..."
        return InputError(f"{shown!r}: {reason}")

    def _peek(self) -> tuple[str, str]:
        return self.tokens[self.at] if self.at < len(self.tokens) else ("end", "")

    def _take(self) -> tuple[str, str]:
        token = self._peek()
        self.at += 1
        return token

    def parse(self) -> Formula:
        if not self.tokens:
            raise InputError("the answer is empty")
        self._sum()
        if self._peek()[0] != "end":
            raise self._error(f"{self._peek()[1]!r} is not expected there")
        return Formula(self.text.strip(), tuple(self.steps))

    def _sum(self) -> None:
        self._product()
        while self._peek()[1] in ("+", "-"):
            sign = self._take()[1]
            self._product()
            self.steps.append(sign)

    def _product(self) -> None:
        self._unary()
        while True:
            kind, mark = self._peek()
            if mark in ("*", "/"):
                self._take()
            elif kind in ("number", "name") or mark == "(":
                mark = "*"
            else:
                return
            self._unary()
            self.steps.append(mark)

    def _unary(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self._error("nested too deeply")
        if self._peek()[1] in ("+", "-"):
            sign = self._take()[1]
            self._unary()
            if sign == "-":
                self.steps.append(_NEGATIVE)
        else:
            self._power()
        self.depth -= 1

    def _power(self) -> None:
        self._atom()
        if self._peek()[1] in ("^", "**"):
            self._take()
            self._unary()
            self.steps.append("^")

    def _atom(self) -> None:
        kind, token = self._take()
        if kind == "number":
            self.steps.append(float(token))
        elif kind == "name":
            self._name(token)
        elif token == "(":
            self._sum()
            if self._take()[1] != ")":
                raise self._error("a parenthesis is not closed")
        elif kind == "end":
            raise self._error("it ends too early")
        else:
            raise self._error(f"{token!r} is not expected there")

    def _name(self, name: str) -> None:
        bare = _bare(name)
        if bare in self.symbols:
            self.steps.append((self.symbols[bare],))
        elif name in _FUNCTIONS:
            if self._peek()[1] != "(":
                raise self._error(f"write {name}(x), and {name}(x)^2 for its square")
            self._atom()
            self.steps.append(name)
        elif name == "pi":
            self.steps.append(math.pi)
        elif not self._short(bare):
            raise self._unknown(name)

    def _short(self, bare: str) -> bool:
        """The abbreviations of the book."""
        match = _SHORT.fullmatch(bare)
        if match is None:
            return False
        head, digits = match[1], match[2]
        letter = "theta" if head in ("c", "s") else head
        names = [self.symbols.get(f"{letter}{digit}") for digit in digits]
        if None in names:
            return False
        self.steps.append(tuple(str(name) for name in names))
        if head in ("c", "s"):
            self.steps.append("cos" if head == "c" else "sin")
        return True

    def _unknown(self, name: str) -> InputError:
        if not self.symbols:
            return self._error(f"a number is expected, without {name!r}")
        joined = _factors(name, self.symbols)
        if joined:
            return self._error(f"unknown name {name!r}; did you mean {' '.join(joined)!r}?")
        return self._error(f"unknown name {name!r}{suggestion(name, list(self.symbols.values()))}")


def _bare(name: str) -> str:
    return name.replace("_", "")


def _factors(name: str, symbols: Collection[str]) -> list[str]:
    """Two symbols that were written as one word."""
    for cut in range(1, len(name)):
        if _bare(name[:cut]) in symbols and _bare(name[cut:]) in symbols:
            return [name[:cut], name[cut:]]
    return []
