"""Parser of numbers: 0.3, 1e-3, pi/2, -3*pi/4, 90 deg. Nothing is evaluated as code."""

from __future__ import annotations

import math
import numbers
import re

from redyn.description.tokens import NUMBER, Tokens

LONGEST = 100  # characters
LARGEST = 1e100  # beyond, products overflow
_TOKEN = re.compile(rf"\s*(?:{NUMBER}|(pi|deg|rad)\b|([-+*/()°π]))")
_DATE = re.compile(r"\s*(?:[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{1,2}-[0-9]{1,2}-[0-9]{4})(?![0-9.])")


def parse_angle(value: object) -> float:
    """Like `parse_number`; degrees may be given.

    >>> parse_angle("90 deg"), parse_angle("-1/2 deg")
    (1.5707963267948966, -0.008726646259971648)
    """
    return parse_number(value, angle=True)


def parse_number(value: object, angle: bool = False) -> float:
    """The float that `value` represents; ValueError with the reason otherwise.

    >>> parse_number("pi/2"), parse_number("-(1 + 1/2)*1e-3")
    (1.5707963267948966, -0.0015)
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real | str):
        raise ValueError(f"expected a number such as {_example(angle)}, got {shown(value)}")
    try:
        number = _Parser(value, angle).parse() if isinstance(value, str) else float(value)
    except (ZeroDivisionError, OverflowError):
        raise ValueError(f"{shown(value)} is not a finite number") from None
    if not math.isfinite(number):
        raise ValueError(f"expected a finite number, got {shown(value)}")
    if abs(number) > LARGEST:
        raise ValueError(f"expected a number of reasonable size, got {shown(value)}")
    return number


def _example(angle: bool) -> str:
    return "0.3, pi/2 or 90 deg" if angle else "0.3, 1/12 or 1e-3"


def format_angle(angle: float) -> float | str:
    """`pi/2` if that is exactly the same float, else the float.

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


def shown(value: object) -> str:
    try:
        text = repr(value)
    except RecursionError:
        text = "something nested too deeply"
    return text if len(text) <= 60 else text[:57] + "..."


class _Parser(Tokens):
    """sum := product (('+' | '-') product)*; product := unary (('*' | '/') unary)* unit?; unary := '-'? atom"""

    def __init__(self, text: str, angle: bool) -> None:
        self.text, self.angle = text, angle
        if len(text) > LONGEST:
            raise ValueError(f"a number of more than {LONGEST} characters: {shown(text)}")
        if _DATE.match(text):
            raise self.error()  # 2024-01-31 is not a sum
        super().__init__(text, _TOKEN, lambda _: self.error())

    def error(self) -> ValueError:
        return ValueError(f"expected a number such as {_example(self.angle)}, got {shown(self.text)}")

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
        start = self.at - 1
        while self.peek() in ("*", "/"):
            value = value * self.unary() if self.take() == "*" else value / self.unary()
        if self.peek() in ("deg", "°"):
            if not self.angle or {"pi", "π"} & set(self.tokens[start : self.at]):
                raise self.error()  # a length in degrees, or pi/2 degrees, is a mistake
            self.take()
            return value * math.pi / 180.0
        if self.peek() == "rad" and self.angle:
            self.take()
        return value

    def unary(self) -> float:
        if self.peek() in ("+", "-"):
            return self.unary() if self.take() == "+" else -self.unary()
        return self.atom()

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
