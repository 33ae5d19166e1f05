"""The height of the ground and its slopes, over any arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from redyn.algebra import Arithmetic, Scalar
from redyn.arithmetic.duals import Duals
from redyn.model.ground import STEP, GroundForm


def evaluate(expression: tuple[Any, ...], x: Scalar, y: Scalar, arith: Arithmetic) -> Scalar:
    """The value of a tree of `description.heights`."""
    name, *parts = expression
    if name in ("x", "y"):
        return x if name == "x" else y
    if name == "number":
        return arith.const(parts[0])
    a = evaluate(parts[0], x, y, arith)
    if name == "power":
        result = a
        for _ in range(parts[1] - 1):
            result = result * a
        return result
    if name == "negative":
        return -a
    if name == "sqrt":
        return arith.sqrt(a)
    if name in ("sin", "cos"):
        return arith.sincos(a)[name == "cos"]
    b = evaluate(parts[1], x, y, arith)
    if name == "+":
        return a + b
    if name == "-":
        return a - b
    return a * b if name == "*" else a / b


def rise(u: Scalar, arith: Arithmetic) -> Scalar:
    """From 0 to 1 while u goes from -1/2 to 1/2, level before and after; of degree five, with continuous curvature."""
    tiny = arith.const(1e-24)
    low, high = u + arith.const(0.5), u - arith.const(0.5)
    c = (1 + arith.sqrt(low * low + tiny) - arith.sqrt(high * high + tiny)) / 2
    return c * c * c * (c * (c * 6 - 15) + 10)


def height(form: GroundForm, numbers: Sequence[Scalar], x: Scalar, y: Scalar, arith: Arithmetic) -> Scalar:
    """`numbers` are those of the shape: the height at the origin, slopes along x and y, and those of the steps."""
    offset, along, across, *steps = numbers
    z = offset + along * x + across * y
    if form.expression is not None:
        z = z + evaluate(form.expression, x, y, arith)
    for k in range(0, len(steps), STEP):
        at, up, width, c, s = steps[k : k + STEP]
        z = z + up * rise((c * x + s * y - at) / width, arith)
    return z


def height_and_slopes(
    form: GroundForm, numbers: Sequence[Scalar], x: Scalar, y: Scalar, arith: Arithmetic
) -> tuple[Scalar, Scalar, Scalar]:
    """The height at a place and its derivatives along x and y."""
    duals, zero, one = Duals(arith), arith.const(0.0), arith.const(1.0)
    z = height(form, numbers, duals.variable(x, [one, zero]), duals.variable(y, [zero, one]), duals)
    along, across = duals.slopes(z, 2)
    return duals.value(z), along, across
