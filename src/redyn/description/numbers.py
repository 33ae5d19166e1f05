"""Numbers as people write them: 0.3, 1e-3, pi/2, -3*pi/4, 90 deg. A small parser; nothing is evaluated as code."""

from __future__ import annotations

import math
import re

LONGEST = 100
_TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|(pi|deg|rad)\b|([-+*/()°π]))")


def parse_number(value: object) -> float:
    """The float that `value` stands for; ValueError with the reason otherwise.

    >>> parse_number("pi/2"), parse_number("90 deg"), parse_number("-(1 + 1/2)*1e-3")
    (1.5707963267948966, 1.5707963267948966, -0.0015)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"expected a number such as 0.3, pi/2 or 90 deg, got {_shown(value)}")
    try:
        number = _Parser(value).parse() if isinstance(value, str) else float(value)
    except (ZeroDivisionError, OverflowError):
        raise ValueError(f"{_shown(value)} is not a finite number") from None
    if not math.isfinite(number):
        raise ValueError(f"expected a finite number, got {_shown(value)}")
    return number


def format_angle(angle: float) -> float | str:
    """`pi/2` where that is exactly the same float, else the float.

    >>> format_angle(math.pi / 2), format_angle(-math.pi), format_angle(0.3)
    ('pi/2', '-pi', 0.3)
    """
    for denominator in (1, 2, 3, 4, 6):
        for numerator in range(1, 2 * denominator + 1):
            sign = "-" if angle < 0 else ""
            text = sign + ("" if numerator == 1 else f"{numerator}*") + "pi"
            text += "" if denominator == 1 else f"/{denominator}"
            if parse_number(text) == angle:
                return text
    return angle


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


class _Parser:
    """sum := product (('+' | '-') product)*; product := unary (('*' | '/') unary)*; unary := '-'? atom unit?"""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[str] = []
        if len(text) > LONGEST:
            raise ValueError(f"a number of more than {LONGEST} characters: {_shown(text)}")
        at = 0
        text = text.rstrip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise self.error()
            self.tokens.append(match.group().strip())
            at = match.end()
        self.at = 0

    def error(self) -> ValueError:
        return ValueError(f"expected a number such as 0.3, pi/2 or 90 deg, got {_shown(self.text)}")

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def parse(self) -> float:
        value = self.sum()
        if self.peek():
            raise self.error()
        return value

    def sum(self) -> float:
        value = self.product()
        while self.peek() in ("+", "-"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    def product(self) -> float:
        value = self.unary()
        while self.peek() in ("*", "/"):
            value = value * self.unary() if self.take() == "*" else value / self.unary()
        return value

    def unary(self) -> float:
        if self.peek() in ("+", "-"):
            return self.unary() if self.take() == "+" else -self.unary()
        value = self.atom()
        if self.peek() in ("deg", "°"):
            self.take()
            return value * math.pi / 180.0
        if self.peek() == "rad":
            self.take()
        return value

    def atom(self) -> float:
        token = self.take()
        if token in ("pi", "π"):
            return math.pi
        if token == "(":
            value = self.sum()
            if self.take() != ")":
                raise self.error()
            return value
        try:
            return float(token)
        except ValueError:
            raise self.error() from None
